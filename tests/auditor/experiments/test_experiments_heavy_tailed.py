"""The experiments of heavy-tailed optimisation: curves against their definitions, trends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from auditor.core.context import Context
from auditor.experiments import heavy_tailed_predictions as predictions
from auditor.experiments import heavy_tailed_training as training
from auditor.experiments.experiment import run, select
from auditor.experiments.heavy_tailed_predictions import EXACT, GROWTH, NAIVE, OWN, Sweep
from auditor.experiments.heavy_tailed_training import MOMENTS, OTHER, PLAIN, TrainingProblem
from reference.heavy_tailed.baselines import robust_gradient_descent
from reference.heavy_tailed.generators import LinearModel, LogisticModel
from reference.heavy_tailed.known_mean_gradient_descent import known_mean_gradient_descent
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for,
    known_variance_gradient_descent,
)
from reference.losses import SquaredError, empirical_risk
from reference.privacy.ledger import NoiselessLedger, RecordingLedger


@pytest.fixture
def noiseless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw every private curve without noise."""
    for module in (predictions, training):
        monkeypatch.setattr(module, "Ledger", lambda rng: NoiselessLedger())


def test_the_full_tier_has_the_printed_sizes() -> None:
    figures = {one.name: one.panels("full") for one in training.EXPERIMENTS}
    assert all(list(panel.x) == [10, 20, 30, 40, 50] for panel in figures["004 Figure 3.7"])
    sizes = [20_000, 40_000, 60_000, 80_000, 100_000]
    assert all(list(panel.x) == sizes for panel in figures["004 Figure 3.8"])
    assert training.SYNTHETIC["full"] == training.Sizes(100_000, 10, 10)
    assert training.ADULT["full"].n == 28_000
    assert training.EPSILONS == (0.1, 0.5, 1.0)
    assert MOMENTS == {"second_moment": 5.0, "failure_probability": 0.01}


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_n_and_d_grow_as_much_as_the_rates_assume(tier: Any) -> None:
    for one in predictions.EXPERIMENTS:
        for panel in one.panels(tier):
            assert panel.x[-1] == GROWTH * panel.x[0]
            assert list(panel.x) == sorted(panel.x)


# -------------------------------------------------------------------- Wang (2020): one data set


def test_errors_are_distances_to_the_minimiser() -> None:
    truth = np.full(4, 0.5)
    ridge = TrainingProblem.synthetic("ridge", 50, 4, np.random.default_rng(0))
    assert ridge.error(truth) == 0
    assert ridge.error(np.zeros(4)) == pytest.approx(1.0)
    records = LinearModel(truth).sample(50, np.random.default_rng(0))
    np.testing.assert_array_equal(ridge.records[1], records[1])

    logistic = TrainingProblem.synthetic("logistic", 50, 4, np.random.default_rng(0))
    assert logistic.error(LogisticModel(truth).minimiser()) == 0
    assert logistic.error(np.zeros(4)) == pytest.approx(3.87, abs=0.005)
    assert logistic.delta == 1 / 50


def test_the_adult_error_is_the_risk_on_records_not_trained_on() -> None:
    for name in ("ridge", "logistic"):
        problem = TrainingProblem.adult(name, 1400, 6, np.random.default_rng(1))
        assert problem.records[0].shape == (1400, 6)
        at_zero = 1.0 if name == "ridge" else math.log(2)
        assert problem.error(np.zeros(6)) == pytest.approx(at_zero)
        # least squares on the training data is worse on the test data, so they differ
        w = np.linalg.lstsq(*problem.records)[0]
        if name == "ridge":
            assert problem.error(w) != empirical_risk(SquaredError(), problem.records, w)
            assert problem.error(w) < 1


def test_paths_end_where_the_algorithms_do(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def remembered(seed: int) -> RecordingLedger:
        seeds.append(seed)
        return RecordingLedger(seed)

    monkeypatch.setattr(training, "RecordingLedger", remembered)
    problem = TrainingProblem.synthetic("ridge", 200, 3, np.random.default_rng(2))
    given = (problem.records, problem.loss, training.CONSTRAINT)
    start: dict[str, Any] = {"initial": np.zeros(3), "n_iterations": 4}
    claim: dict[str, Any] = {"epsilon": 0.5, "delta": 1 / 200}

    paths = [problem.known_variance(0.5, 4, np.random.default_rng(3))]
    chosen = constants_for(n=200, dimension=3, n_iterations=4, method="zcdp", **claim, **MOMENTS)
    ends = [
        known_variance_gradient_descent(
            *given, step_size=0.1, constants=chosen, ledger=RecordingLedger(seeds[-1]),
            **start, **claim, **MOMENTS,
        )
    ]  # fmt: skip
    paths.append(problem.known_mean(4.0, 0.5, 4, np.random.default_rng(4)))
    ends.append(
        known_mean_gradient_descent(
            *given, lower=-2.0, upper=2.0, trim=10, step_size=0.01,
            ledger=RecordingLedger(seeds[-1]), **start, **claim,
        )
    )  # fmt: skip
    paths.append(problem.without_privacy(4))
    ends.append(robust_gradient_descent(*given, step_size=0.1, **start, **MOMENTS))
    for path, end in zip(paths, ends, strict=True):
        assert path.shape == (5,)
        assert path[[0, -1]] == pytest.approx([1.0, problem.error(end)])


@pytest.mark.usefixtures("noiseless")
def test_private_curves_without_noise_are_the_non_private_ones() -> None:
    rng = np.random.default_rng(5)
    for name in training.LOSSES:
        problem = TrainingProblem.synthetic(name, 300, 3, rng)
        private = problem.stochastic(0.1, 100, rng)
        assert private == pytest.approx(problem.stochastic_without_privacy(100))


# ------------------------------------------------ Hu, Ni, Xiao and Wang (2022): one sample


@pytest.mark.parametrize("name", ["frank_wolfe", "lasso", "regression", "mean"])
@pytest.mark.usefixtures("noiseless")
def test_without_noise_every_algorithm_comes_near_the_truth(name: str) -> None:
    errors = getattr(predictions, f"_{name}_errors")(20_000, 6, np.random.default_rng(6))
    assert set(errors) == {OWN, EXACT, NAIVE}
    assert errors[EXACT] < 0.01
    # at w = 0 the excess risk is above 0.19 everywhere; Frank-Wolfe still has its 1/T
    assert errors[OWN] < 0.06


@pytest.mark.usefixtures("noiseless")
def test_clipped_means_keep_a_bias_without_noise() -> None:
    small, large = (
        predictions._mean_errors(n, 6, np.random.default_rng(7)) for n in (5_000, 50_000)
    )
    # near the mean all the same: 1.25 at w = 0
    assert 0.1 > large[NAIVE] > 0.8 * small[NAIVE] > 0.02
    assert large[OWN] < 0.02 < large[NAIVE]


def test_private_errors_are_means_over_runs() -> None:
    drawn = iter([np.array([1.0]), np.array([4.0]), np.array([7.0])])
    found = predictions._risks(
        "hu-1", lambda w: float(w[0]), lambda: next(drawn), {"other": np.array([2.0])}
    )
    assert found == {OWN: 4.0, "other": 2.0}


def test_a_sweep_passes_every_setting_on() -> None:
    def errors_at(n: int, d: int, rng: np.random.Generator) -> dict[str, float]:
        return {"n": float(n), "d": float(d)}

    for label, x in (("n", [10, 20]), ("d", [3, 4])):
        sweep = Sweep(label, errors_at, {"quick": [(10, 3), (20, 4)], "full": []})
        panel = sweep.panel("quick")
        assert list(panel.x) == x
        errors = panel.trial(np.random.default_rng(0))
        np.testing.assert_array_equal(errors["n"], [10, 20])
        np.testing.assert_array_equal(errors["d"], [3, 4])


# ------------------------------------------------------------------------------------ trends


def curves(**values: list[float]) -> dict[str, np.ndarray]:
    labels = {"low": "ε = 0.1", "high": "ε = 1", "plain": PLAIN, "narrow": "κ = 1",
              "wide": "κ = 16", "other": OTHER, "own": OWN}  # fmt: skip
    return {labels[name]: np.array(numbers) for name, numbers in values.items()}


@pytest.mark.parametrize(
    ("gains", "errors", "expected"),
    [
        # the error decreases with epsilon, to at most twice 1.5
        (training.VARIANCE_TRENDS, {"low": [1, 5], "high": [1, 2], "plain": [1, 1.5]}, [3, 1]),
        (training.VARIANCE_TRENDS, {"low": [1, 5], "high": [1, 6], "plain": [1, 1.5]}, [-1, -3]),
        (
            training.MEAN_TRENDS,
            {"narrow": [1, 3], "wide": [1, 7], "other": [1, 0.5]},
            [1, 1.5, 2.5],
        ),
        (training.MEAN_TRENDS, {"narrow": [1, 3], "wide": [1, 5], "other": [1, 4]}, [-1, -1, -1]),
        (training._stochastic_trends("", 1), {"low": [2, 3], "high": [1, 1.5]}, [0.5, 1.25]),
        (training._stochastic_trends("", -1), {"low": [2, 3], "high": [1, 1.5]}, [-0.5, 1.25]),
    ],
)
def test_gains_have_the_sign_of_the_trend(
    gains: Any, errors: dict[str, list[float]], expected: list[float]
) -> None:
    assert [one.gain(curves(**errors)) for one in gains[: len(expected)]] == expected


def test_rates_compare_the_first_and_the_last_error() -> None:
    at_most_half = predictions._at_most_like(-1 / 4)  # 16^(-1/4) = 1/2
    assert at_most_half(curves(own=[4.0, 9.0, 1.9])) > 0
    assert at_most_half(curves(own=[4.0, 0.0, 2.1])) < 0


def test_the_trends_are_seen() -> None:
    (one,) = select("heavy-tailed", ["004 Figure 3.6 Algorithm 3.2.7"])
    found = run(one, Context())
    assert [trend["result"] for trend in found["trends"]] == ["seen"] * len(found["trends"])


def test_a_broken_algorithm_loses_its_trend(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = select("heavy-tailed", ["003 scaling 2"])
    assert [trend["result"] for trend in run(one, Context())["trends"]] == ["seen"] * 2
    original = predictions.heavy_tailed_lasso

    def deaf(*args: Any, **kwargs: Any) -> Any:
        """Noise that does not fall with n: as if there were 1,000 records for ever."""
        features, labels = args[0]
        return original((features[:1000], labels[:1000]), **kwargs)

    monkeypatch.setattr(predictions, "heavy_tailed_lasso", deaf)
    assert run(one, Context())["trends"][0]["result"] != "seen"
