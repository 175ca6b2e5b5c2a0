"""The experiments of section 3.3: data, objectives, scores, curves. Seeds are fixed."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from auditor.experiments import pairwise
from auditor.experiments.experiment import select
from auditor.experiments.pairwise import METRIC, RANKING, PanelView, Ranking, auc, better, closer
from reference.pairwise.losses import Regularized
from reference.pairwise.offline_convex import off_pair_convex
from reference.pairwise.online_convex import on_pair_convex
from reference.privacy.ledger import NoiselessLedger, RecordingLedger

CURVES = {"epsilon = 0.5", "epsilon = 1.5", "epsilon = 2.5", "NonPrivate"}


def data(n: int = 60, width: int = 6, seed: int = 0) -> Any:
    return pairwise.gaussian(np.random.default_rng(seed), n, width=width)


@pytest.mark.parametrize(
    ("draw", "width", "n_test"),
    [
        (pairwise.cancer, 30, 519),
        (partial(pairwise.cancer, length=0.09), 30, 519),
        (pairwise.WIDE, 20, 500),
    ],
)
def test_training_and_test_data(draw: Any, width: int, n_test: int) -> None:
    train, test = draw(np.random.default_rng(0), 50)
    assert train[0].shape == (50, width)
    assert test[0].shape == (n_test, width)
    longest = max(np.linalg.norm(part[0], axis=1).max() for part in (train, test))
    assert longest == pytest.approx(0.09 if getattr(draw, "keywords", {}).get("length") else 1.0)
    assert set(train[1]) == {-1.0, 1.0}


def test_real_records_are_each_used_once_in_an_order_of_the_trial() -> None:
    first, second = (pairwise.cancer(np.random.default_rng(k), 90) for k in (0, 1))
    assert not np.array_equal(first[0][0], second[0][0])
    for train, test in (first, second):
        rows = np.concatenate([train[0], test[0]])
        whole = pairwise.breast_cancer()[0]
        assert np.array_equal(np.sort(rows, axis=0), np.sort(whole, axis=0))


# -------------------------------------------------------------------------- objectives and scores


@pytest.mark.parametrize("task", [RANKING, METRIC])
def test_the_risk_is_the_mean_over_all_pairs(task: Any) -> None:
    (features, labels), _ = data(12, 3)
    rng = np.random.default_rng(1)
    w = task.constraint.project(rng.standard_normal(task.initial(3).size))
    total = 0.0
    for i in range(12):
        for j in range(12):
            a = features[i] - features[j]
            if task is RANKING:
                margin = (labels[i] - labels[j]) * (a @ w)
            else:
                margin = labels[i] * labels[j] * (1 - a @ w.reshape(3, 3) @ a)
            total += (i != j) * math.log1p(math.exp(-margin))
    assert task.risk((features, labels), w) == pytest.approx(total / 132, rel=1e-12)


@pytest.mark.parametrize("task", [RANKING, METRIC])
def test_the_gradient_of_the_loss_is_that_of_the_risk(task: Any) -> None:
    records, _ = data(9, 2)
    w = task.initial(2) + 0.05
    indices = np.arange(9)
    mean = np.mean(
        [task.loss.gradient(records, w, i, np.delete(indices, i)) for i in indices], axis=0
    )
    steps = 1e-6 * np.eye(w.size)
    numeric = [(task.risk(records, w + e) - task.risk(records, w - e)) / 2e-6 for e in steps]
    assert mean == pytest.approx(numeric, abs=1e-8)


def test_the_auc_is_that_of_scikit_learn_with_ties_too() -> None:
    rng = np.random.default_rng(2)
    labels = rng.choice([-1.0, 1.0], 40)
    scores = rng.integers(0, 6, (40, 3)).astype(float)
    expected = [roc_auc_score(labels, column) for column in scores.T]
    np.testing.assert_allclose(auc(labels, scores), expected, rtol=1e-12)
    assert RANKING.score((scores, labels), (scores, labels), np.array([0.0, 1.0, 0.0])) == (
        pytest.approx(expected[1])
    )


def test_the_best_feature_is_chosen_on_training_data_with_its_sign() -> None:
    labels = np.array([1.0, 1, -1, -1])
    train = (np.array([[0.0, -2], [1, -1], [0, 1], [1, 2]]), labels)
    # the second column falls with the label; on test data it is right in three pairs of four
    test = (np.array([[9.0, -1], [9, -2], [0, 1], [0, -1.5]]), labels)
    assert RANKING.trivial_scores(train, test) == {"best feature": 0.75, "chance": 0.5}
    assert RANKING.trivial_scores(test, test)["best feature"] == 1.0


def test_the_accuracy_is_that_of_three_neighbours_in_the_metric() -> None:
    train, test = data(80, 3)
    metric = np.diag([0.5, 0.0, 0.1])
    metric[0, 2] = metric[2, 0] = 0.2
    nearest = KNeighborsClassifier(
        3, algorithm="brute", metric=lambda x, y: (x - y) @ metric @ (x - y)
    ).fit(*train)
    expected = nearest.score(*test)
    assert METRIC.score(train, test, metric.ravel()) == pytest.approx(expected, abs=0.005)
    euclidean = KNeighborsClassifier(3).fit(*train).score(*test)
    trivial = METRIC.trivial_scores(train, test)
    assert trivial["identity"] == euclidean
    larger = 1.0 if train[1].sum() >= 0 else -1.0
    assert trivial["larger class"] == np.mean(test[1] == larger)
    assert set(trivial) == set(METRIC.trivial)


# ------------------------------------------------------------------------------------- learning


def test_without_noise_it_learns_and_noise_spends_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train, _ = data(100, 3)
    made: list[RecordingLedger] = []

    def recording(rng: np.random.Generator) -> RecordingLedger:
        made.append(RecordingLedger(rng))
        return made[-1]

    monkeypatch.setattr(pairwise, "Ledger", recording)
    options: dict[str, Any] = {"strength": 0.2, "rng": np.random.default_rng(0)}
    for name in pairwise.ALGORITHMS:
        if name == "FBOnPairC":
            options["buffer_size"] = 20
        else:
            options.pop("buffer_size", None)
        exact = pairwise.learn(name, RANKING, train, epsilon=math.inf, **options)
        assert RANKING.risk(train, exact) < RANKING.risk(train, np.zeros(3)) - 0.05
        noisy = pairwise.learn(name, RANKING, train, epsilon=1.5, **options)
        assert noisy.shape == (3,)
        assert made[-1].spent(delta=1 / 100).epsilon == pytest.approx(1.5, rel=1e-6)
    assert len(made) == len(pairwise.ALGORITHMS)


def exact(algorithm: Any, train: Any) -> Any:
    """Return the output of an algorithm without noise."""
    return algorithm(
        train, RANKING.loss, RANKING.constraint, initial=np.zeros(3), epsilon=1.0, delta=0.01,
        strength=0.3, ledger=NoiselessLedger(),
    )  # fmt: skip


def test_without_noise_the_forms_learn_what_the_algorithms_do() -> None:
    """The strongly convex form has the ridge in its loss; of online outputs it is the mean."""
    train, _ = data(100, 3)
    path = exact(on_pair_convex, train)
    for name, expected in (
        ("OffPairStrC", exact(off_pair_convex, train)),
        ("OnPairC", path[:-1].mean(axis=0)),
        ("OnPairStrC", path[:-1].mean(axis=0)),
    ):
        found = pairwise.learn(
            name, RANKING, train, epsilon=math.inf, strength=0.3, rng=np.random.default_rng(0)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-14, err_msg=name)


def test_strengths() -> None:
    expected = {"OnPairStrC": 0.2, "OffPairStrC": 0.2, "OnPairC": 0.5, "FBOnPairC": 0.5}
    expected["OffPairC"] = 0.25
    assert {name: pairwise.strength_of(name, 16, 0.2) for name in expected} == expected


def test_the_printed_lambda_leaves_no_step_on_features_of_norm_one() -> None:
    train, _ = pairwise.cancer(np.random.default_rng(0), 90)
    options: dict[str, Any] = {
        "epsilon": 1.5, "strength": pairwise.PRINTED_LAMBDA, "rng": np.random.default_rng(0),
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"more than T_1 = 400\d records, got 90"):
        pairwise.learn("OnPairStrC", RANKING, train, **options)
    short = Regularized(Ranking(pairwise.SHORT).loss, pairwise.PRINTED_LAMBDA, np.zeros(30))
    assert math.ceil(short.smoothness / short.strong_convexity) == 34 < min(pairwise.SMALL)


# -------------------------------------------------------------------------------- curves, trends


@pytest.mark.parametrize("task", [RANKING, METRIC])
@pytest.mark.parametrize("name", ["OnPairC", "OffPairStrC"])
def test_curves_have_a_value_for_every_size(task: Any, name: str) -> None:
    draw = partial(pairwise.gaussian, width=3)
    for measure, others in (("objective", {"start"}), ("score", set(task.trivial))):
        view = PanelView("v", draw, task, measure, sizes=(60, 120))  # type: ignore[arg-type]
        curves = view.trial(name, view.sizes, np.random.default_rng(3))
        assert set(curves) == CURVES | others
        assert {values.shape for values in curves.values()} == {(2,)}


def test_objectives_are_of_the_training_data_with_the_ridge() -> None:
    train, test = data(60, 3)
    view = PanelView("v", pairwise.WIDE)
    curves = view.values("OffPairStrC", (train, test), np.random.default_rng(0))
    w = pairwise.learn("OffPairStrC", RANKING, train, epsilon=math.inf, strength=0.2,
                       rng=np.random.default_rng(0))  # fmt: skip
    assert curves["NonPrivate"] == pytest.approx(RANKING.risk(train, w) + 0.1 * (w @ w))
    assert curves["start"] == pytest.approx(math.log(2))
    convex = view.values("OffPairC", (train, test), np.random.default_rng(0))
    v = pairwise.learn("OffPairC", RANKING, train, epsilon=math.inf, strength=60**-0.5,
                       rng=np.random.default_rng(0))  # fmt: skip
    assert convex["NonPrivate"] == pytest.approx(RANKING.risk(train, v))


def test_panels_have_the_printed_sizes_and_larger_ones() -> None:
    figures = {experiment.name: experiment for experiment in select("pairwise")}
    sizes = [panel.x for panel in figures["004 Figure 3.9"].panels("quick")]
    assert sizes == [(40, 60, 90), (40, 60, 90), (400, 800, 1600)]
    assert figures["004 Figure 3.10"].panels("full")[-1].x == (2000, 4000, 8000)
    assert figures["004 Figure 3.12"].panels("quick")[1].x == (50, 150, 250, 350)
    (buffer,) = figures["004 Section 3.3 buffer"].panels("quick")
    assert buffer.x == (10, 80, 266, 800)
    labels = [panel.y_label for panel in figures["004 Figure 3.14"].panels("quick")]
    assert labels == ["accuracy"] * 3


def test_gains_have_the_sign_of_what_is_said() -> None:
    falling = PanelView("v", pairwise.WIDE)
    rising = PanelView("v", pairwise.WIDE, measure="score")
    errors = {
        "epsilon = 0.5": np.array([3.0, 2.0]),
        "epsilon = 1.5": np.array([2.0, 2.5]),
        "epsilon = 2.5": np.array([2.0, 1.0]),
        "NonPrivate": np.array([1.0, 0.5]),
        "start": np.array([4.0, 2.0]),
    }
    assert pairwise.improves(falling)(errors) == pytest.approx(0.5)
    assert pairwise.improves(rising)(errors) == pytest.approx(-0.5)
    assert better(falling, "epsilon = 2.5", "start")(errors) == pytest.approx(1.5)
    assert better(rising, "epsilon = 2.5", "start")(errors) == pytest.approx(-1.5)
    # 2 and 1 from the start, 1 and 0.5 from NonPrivate
    assert closer("start")(errors) == pytest.approx(0.75)
