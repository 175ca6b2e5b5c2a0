"""The experiments of heavy-tailed optimisation: curves against their definitions, trends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from auditor.core.context import Context
from auditor.experiments import heavy_tailed as module
from auditor.experiments.experiment import Experiment, run, select
from auditor.experiments.heavy_tailed import (
    EPSILONS,
    EXACT,
    EXPERIMENTS,
    GROWTH,
    NAIVE,
    OTHER,
    OWN,
    PLAIN,
    RANGES,
    Sweep,
    TrainingProblem,
)
from reference.heavy_tailed.baselines import robust_gradient_descent
from reference.heavy_tailed.generators import LinearModel, LogisticModel
from reference.heavy_tailed.known_mean_gradient_descent import known_mean_gradient_descent
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for,
    known_variance_gradient_descent,
)
from reference.losses import SquaredError, empirical_risk
from reference.privacy.ledger import NoiselessLedger, RecordingLedger


def named(name: str) -> Experiment:
    (found,) = [one for one in EXPERIMENTS if one.name == name]
    return found


@pytest.fixture
def noiseless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw every private curve without noise."""
    monkeypatch.setattr(module, "Ledger", lambda rng: NoiselessLedger())


# ------------------------------------------------------------------------------ what is drawn


def test_every_algorithm_of_the_text_is_drawn() -> None:
    assert [(one.name, one.algorithm) for one in EXPERIMENTS] == [
        ("003 scaling 1", "hu-1"),
        ("003 scaling 2", "hu-2"),
        ("003 scaling 3", "hu-3"),
        ("003 scaling 5", "hu-5"),
        ("004 Figure 3.5", "diss-3.2.8"),
        ("004 Figure 3.5 Algorithm 3.2.7", "diss-3.2.7"),
        ("004 Figure 3.6", "diss-3.2.8"),
        ("004 Figure 3.6 Algorithm 3.2.7", "diss-3.2.7"),
        ("004 Figure 3.7", "diss-RGD"),
        ("004 Figure 3.8", "diss-RGD"),
    ]
    assert select("heavy-tailed") == list(EXPERIMENTS)


def test_hu_ni_xiao_and_wang_are_said_to_print_no_experiments() -> None:
    for one in EXPERIMENTS:
        assert ("prints no experiments" in one.setting) == one.name.startswith("003")


def test_the_full_tier_has_the_printed_sizes() -> None:
    dimensions, sizes = (named(f"004 Figure {n}").panels("full") for n in ("3.7", "3.8"))
    assert all(list(panel.x) == [10, 20, 30, 40, 50] for panel in dimensions)
    assert all(list(panel.x) == [20_000, 40_000, 60_000, 80_000, 100_000] for panel in sizes)
    assert module.SYNTHETIC["full"].n == 100_000
    assert module.SYNTHETIC["full"].d == 10
    assert module.ADULT["full"].n == 28_000
    assert (EPSILONS, module.SECOND_MOMENT, module.FAILURE) == ((0.1, 0.5, 1.0), 5.0, 0.01)


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_n_and_d_grow_as_much_as_the_rates_assume(tier: Any) -> None:
    for one in EXPERIMENTS:
        if one.name.startswith("003"):
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

    monkeypatch.setattr(module, "RecordingLedger", remembered)
    problem = TrainingProblem.synthetic("ridge", 200, 3, np.random.default_rng(2))
    common: dict[str, Any] = {
        "initial": np.zeros(3),
        "epsilon": 0.5,
        "delta": 1 / 200,
        "n_iterations": 4,
    }
    path = problem.known_variance(0.5, 4, np.random.default_rng(3))
    w = known_variance_gradient_descent(
        problem.records,
        problem.loss,
        module.CONSTRAINT,
        second_moment=5.0,
        failure_probability=0.01,
        step_size=0.1,
        constants=constants_for(
            n=200,
            dimension=3,
            n_iterations=4,
            epsilon=0.5,
            delta=1 / 200,
            second_moment=5.0,
            failure_probability=0.01,
            method="zcdp",
        ),
        ledger=RecordingLedger(seeds[-1]),
        **common,
    )
    assert path.shape == (5,)
    assert path[[0, -1]] == pytest.approx([1.0, problem.error(w)])

    path = problem.known_mean(4.0, 0.5, 4, np.random.default_rng(4))
    w = known_mean_gradient_descent(
        problem.records,
        problem.loss,
        module.CONSTRAINT,
        lower=-2.0,
        upper=2.0,
        trim=10,
        step_size=0.01,
        ledger=RecordingLedger(seeds[-1]),
        **common,
    )
    assert path.shape == (5,)
    assert path[[0, -1]] == pytest.approx([1.0, problem.error(w)])

    path = problem.without_privacy(4)
    w = robust_gradient_descent(
        problem.records,
        problem.loss,
        module.CONSTRAINT,
        second_moment=5.0,
        failure_probability=0.01,
        initial=np.zeros(3),
        step_size=0.1,
        n_iterations=4,
    )
    assert path[[0, -1]] == pytest.approx([1.0, problem.error(w)])


@pytest.mark.usefixtures("noiseless")
def test_private_curves_without_noise_are_the_non_private_ones() -> None:
    rng = np.random.default_rng(5)
    for name in module.LOSSES:
        problem = TrainingProblem.synthetic(name, 300, 3, rng)
        private = problem.stochastic(0.1, 100, rng)
        assert private == pytest.approx(problem.stochastic_without_privacy(100))


# ------------------------------------------------ Hu, Ni, Xiao and Wang (2022): one sample


@pytest.mark.parametrize(
    "errors_at",
    [
        module._frank_wolfe_errors,
        module._lasso_errors,
        module._regression_errors,
        module._mean_errors,
    ],
)
@pytest.mark.usefixtures("noiseless")
def test_without_noise_every_algorithm_comes_near_the_truth(
    errors_at: Callable[[int, int, np.random.Generator], dict[str, float]],
) -> None:
    errors = errors_at(20_000, 6, np.random.default_rng(6))
    assert set(errors) == {OWN, EXACT, NAIVE}
    assert errors[EXACT] < 0.01
    # at w = 0 the excess risk is above 0.19 everywhere; Frank-Wolfe still has its 1/T
    assert errors[OWN] < 0.06


@pytest.mark.usefixtures("noiseless")
def test_clipped_means_keep_a_bias_without_noise() -> None:
    small, large = (module._mean_errors(n, 6, np.random.default_rng(7)) for n in (5_000, 50_000))
    # near the mean all the same: 1.25 at w = 0
    assert 0.1 > large[NAIVE] > 0.8 * small[NAIVE] > 0.02
    assert large[OWN] < 0.02 < large[NAIVE]


def test_private_errors_are_means_over_runs() -> None:
    drawn = iter([np.array([1.0]), np.array([4.0]), np.array([7.0])])
    found = module._risks(
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


def test_rates_compare_the_first_and_the_last_error() -> None:
    at_most_half = module._at_most_like(-1 / 4)  # 16^(-1/4) = 1/2
    assert at_most_half({OWN: np.array([4.0, 9.0, 1.9])}) > 0
    assert at_most_half({OWN: np.array([4.0, 0.0, 2.1])}) < 0


def test_gains_have_the_sign_of_the_trend() -> None:
    keys = {"ε = 0.1": [1.0, 5.0], "ε = 1": [1.0, 2.0], PLAIN: [1.0, 1.5]}
    errors = {label: np.array(values) for label, values in keys.items()}
    falls, comparable = (trend.gain for trend in module.VARIANCE_TRENDS[:2])
    assert falls(errors) == 3
    assert comparable(errors) == 1  # 2 is at most twice 1.5
    worse = {**errors, "ε = 1": np.array([1.0, 6.0])}
    assert falls(worse) < 0
    assert comparable(worse) < 0

    keys = {"κ = 1": [1.0, 3.0], "κ = 16": [1.0, 7.0], OTHER: [1.0, 0.5]}
    errors = {label: np.array(values) for label, values in keys.items()}
    assert [trend.gain(errors) for trend in module.MEAN_TRENDS[:3]] == [1.0, 1.5, 2.5]
    keys = {"κ = 1": [1.0, 3.0], "κ = 16": [1.0, 5.0], OTHER: [1.0, 4.0]}
    errors = {label: np.array(values) for label, values in keys.items()}
    assert [trend.gain(errors) for trend in module.MEAN_TRENDS[:3]] == [-1.0, -1.0, -1.0]

    errors = {"ε = 0.1": np.array([2.0, 3.0]), "ε = 1": np.array([1.0, 1.5])}
    rises, by_epsilon = (trend.gain for trend in module._stochastic_trends("", 1)[:2])
    falls = module._stochastic_trends("", -1)[0].gain
    assert (rises(errors), falls(errors), by_epsilon(errors)) == (0.5, -0.5, 1.25)


def test_labels_of_the_trends_are_labels_of_the_curves() -> None:
    assert {"κ = 1", "κ = 16"} <= {f"κ = {k:g}" for k in RANGES}
    for one in EXPERIMENTS:
        for trend in one.trends:
            assert trend.erratum == ""


@pytest.mark.parametrize("name", ["004 Figure 3.6 Algorithm 3.2.7", "003 scaling 2"])
def test_the_trends_are_seen(name: str) -> None:
    found = run(named(name), Context())
    assert [trend["result"] for trend in found["trends"]] == ["seen"] * len(found["trends"])


def test_a_broken_algorithm_loses_its_trend(monkeypatch: pytest.MonkeyPatch) -> None:
    original = module.heavy_tailed_lasso

    def deaf(*args: Any, **kwargs: Any) -> Any:
        """Noise that does not fall with n: as if there were 1,000 records for ever."""
        features, labels = args[0]
        return original((features[:1000], labels[:1000]), **kwargs)

    monkeypatch.setattr(module, "heavy_tailed_lasso", deaf)
    rate = run(named("003 scaling 2"), Context())["trends"][0]
    assert rate["result"] != "seen"
