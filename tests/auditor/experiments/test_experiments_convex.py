"""The experiments of section 3.1: data, optima, curves. Seeds are fixed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from auditor.experiments import convex
from auditor.experiments.experiment import select

METHODS = {
    convex._strongly_convex: {"DP-SVRG", "DP-Katyusha", "DP-SGD", "DP-GD", "x = 0"},
    convex._convex: {"DP-SVRG++", "DP-SGD", "DP-GD", "x = 0"},
}


@pytest.mark.parametrize("draw", [convex.separable, lambda r, n, p: convex.classes(r, n, p, 0.1)])
def test_data_have_rows_of_norm_at_most_one(draw) -> None:  # type: ignore[no-untyped-def]
    features, labels = draw(np.random.default_rng(0), 500, 7)
    assert features.shape == (500, 7)
    assert np.linalg.norm(features, axis=1).max() <= 1 + 1e-12
    assert set(labels) == {-1.0, 1.0}


def test_the_stand_in_for_ijcnn_has_a_tenth_of_positives() -> None:
    _, labels = convex.classes(np.random.default_rng(0), 5000, 7, 0.1)
    assert np.mean(labels > 0) == pytest.approx(0.1, abs=0.02)


def test_real_data_are_scaled_by_public_constants() -> None:
    features, labels = convex.breast_cancer()
    assert features.shape == (569, 30)
    assert np.linalg.norm(features, axis=1).max() <= 1 + 1e-12
    assert np.mean(labels > 0) == pytest.approx(357 / 569)


def test_the_smallest_risk_is_that_of_scikit_learn() -> None:
    records = convex.classes(np.random.default_rng(0), 400, 5, 0.5)
    problem = convex.RiskProblem(records, ridge=True)
    strength = convex.RIDGE.strength
    fitted = LogisticRegression(C=1 / (400 * strength), fit_intercept=False, tol=1e-10,
                                max_iter=1000).fit(*records)  # fmt: skip
    assert problem.smallest() == pytest.approx(problem.risk(fitted.coef_[0]), abs=1e-6)


@pytest.mark.parametrize("methods", METHODS)
def test_curves_hold_a_gap_for_every_setting(methods) -> None:  # type: ignore[no-untyped-def]
    settings = [(200, 3, 0.5), (200, 3, 500.0)]
    errors = convex._trial(settings, convex.separable, methods, np.random.default_rng(1))
    assert set(errors) == METHODS[methods]
    for label, gaps in errors.items():
        assert gaps.shape == (2,)
        assert (gaps > -1e-9).all(), label
    # without much noise every method is closer than the start
    for label in METHODS[methods] - {"x = 0"}:
        assert errors[label][1] < errors["x = 0"][1]


def test_panels_vary_one_thing_each() -> None:
    figures = {experiment.name: experiment for experiment in select("convex")}
    drawn = figures["004 Figure 3.1"].panels("quick")
    assert [panel.x_label for panel in drawn] == ["epsilon", "n", "p"]
    assert max(drawn[1].x) == 20_000
    assert max(figures["004 Figure 3.1"].panels("full")[1].x) == 100_000
    (real,) = figures["004 Section 3.1 real data"].panels("quick")
    assert real.x_label == "epsilon"
