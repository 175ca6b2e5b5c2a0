"""Assumptions of the audit of hu-1."""

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.heavy_tailed_regression import student
from auditor.described.heavy_tailed import frank_wolfe as cases
from auditor.questions.sensitivity import largest_ratio
from reference.constraint_sets import L1Ball, Polytope
from reference.heavy_tailed.frank_wolfe import heavy_tailed_frank_wolfe
from reference.losses import SquaredError, empirical_risk


def test_the_pair_attains_the_claim():
    """The truncation tends to its bound: erf(sqrt 10) of the claim."""
    form = build_case("hu-1").forms["corrected"]
    assert largest_ratio(form.run, *form.pair).ratio == pytest.approx(1.0, rel=1e-5)


def test_sizes_of_the_mutants():
    """The whole data set's 1/n is T = 2 times too small; the printed form in doubles 128 times."""
    mutant = build_case("hu-1").mutants
    whole = mutant["sensitivity of the whole data set"]
    assert largest_ratio(whole.run, *whole.pair).ratio == pytest.approx(2.0, rel=1e-4)
    printed = mutant["closed form in doubles"]
    assert largest_ratio(printed.run, *printed.pair).ratio > 100


def test_scores_over_a_polytope_far_from_the_origin_meet_their_claim():
    """Points of l1 norm 201, diameter 2: only differences of scores are released."""
    start = np.array([100.5, 100.5])
    segment = Polytope([[101.0, 100.0], [100.0, 101.0]])

    def run(data, ledger):
        return heavy_tailed_frank_wolfe(
            data,
            SquaredError(),
            segment,
            initial=start,
            epsilon=1.0,
            truncation_scale=1.0,
            precision=20.0,
            n_iterations=2,
            ledger=ledger,
        )

    features, labels = np.zeros((4, 2)), np.zeros(4)
    features[0], labels[0] = (1e6, -1e6), 1e6
    gap = largest_ratio(run, (features, labels), (features, -labels))
    assert gap.ratio == pytest.approx(1.0, rel=1e-5)
    assert gap.ratio < 1


def test_coefficients_of_the_design_minimise_its_risk():
    """Variances 1 and 1/4, ||w*||_1 = 1: the excess risk is ||w - w*||^2."""
    data, best = cases._signs_and_heavy_noise(400_000, np.random.default_rng(0))
    assert np.abs(best).sum() == pytest.approx(1.0)
    risk = empirical_risk(SquaredError(), data, best)
    assert risk == pytest.approx(0.25, abs=0.02)
    for w in (np.zeros(5), np.array([0.0, 0.0, 0.0, -1.0, 0.0])):
        excess = empirical_risk(SquaredError(), data, w) - risk
        assert excess == pytest.approx(float(((w - best) ** 2).sum()), abs=0.02)


def test_second_moment_of_the_recipe_s_gradients():
    """The largest over the ball is at -e_1: 4 (1.5^2 + 0.3^2 + 0.2^2 + 0.25) = 10.52."""
    data, _ = cases._signs_and_heavy_noise(400_000, np.random.default_rng(1))
    moments = [
        (SquaredError().gradients(data, vertex) ** 2).mean(axis=0).max()
        for vertex in L1Ball(1.0).vertices(5)
    ]
    assert np.argmax(moments) == 5
    assert moments[5] == pytest.approx(10.52, rel=0.02)


def test_students_have_variance_1():
    draws = student(5, (1_000_000,), np.random.default_rng(2))
    assert draws.var() == pytest.approx(1.0, abs=0.02)  # ten standard deviations
