import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.populations import Population, cube_population, sphere_population
from auditor.questions import sensitivity
from reference.losses import GeneralizedLinear

L2, L1 = build_case("diss-4.2.21").forms, build_case("diss-4.2.22").forms
RATIOS = [
    (L2["corrected"], 1.0),
    (L2["corrected-linear"], 3 * math.sqrt(3) / 8),
    (L2["printed"], 3 * math.sqrt(3) / 4),
    (L1["corrected"], 1.0),
    (L1["corrected-linear"], 1.0),
    (L1["printed"], 2.0),
]


@pytest.mark.parametrize(("form", "ratio"), RATIOS)
def test_the_pair_is_as_far_apart_as_derived(form, ratio):
    assert sensitivity.largest_ratio(form.run, *form.pair).ratio == pytest.approx(ratio, rel=1e-12)


@pytest.mark.parametrize(("form", "true_delta"), [(L2["printed"], 0.1175), (L1["printed"], 0.1589)])
def test_violations_are_as_large_as_derived(form, true_delta, estimated_delta):
    """A Gaussian of mu 3 sqrt(3)/4 times the calibrated one; a sum over four vertices.

    Fixed seed; six standard errors (false alarm below 1e-6 each).
    """
    estimate, error = estimated_delta(form, 400)
    assert abs(estimate - true_delta) <= 6 * error
    assert error < 0.03


def test_the_excess_risk_is_that_of_the_population():
    """Two points, sigma(s) = s, truth (1/2, 0): (w_1 - 1/2)^2/2 + w_2^2/2 by hand."""
    loss = GeneralizedLinear(link="identity")
    population = Population(loss, np.eye(2), np.array([0.5, 0.0]))
    path = np.array([[0.5, 0.0], [0.1, 0.2], [9.0, 9.0]])  # the last is not among x_1..x_T
    assert population.excess_risk(path) == pytest.approx((0 + 0.16 / 2 + 0.04 / 2) / 2, rel=1e-14)


@pytest.mark.parametrize("population", [sphere_population(6), cube_population(6, 0.5)])
def test_samples_follow_the_model(population):
    """A loss's mean excess over that of the truth is the excess risk, up to 5 standard errors."""
    records = population.sample(np.random.default_rng(0), 100_000)
    records = population.loss.validate(records, 6)
    w = np.full(6, 0.1)
    losses = population.loss.values(records, w) - population.loss.values(records, population.truth)
    excess = population.excess_risk(np.stack([w, w]))
    assert abs(losses.mean() - excess) <= 5 * losses.std() / math.sqrt(losses.size)
    assert excess > 1e-3


def test_the_sphere_is_the_same_problem_in_every_dimension():
    small, large = sphere_population(4), sphere_population(9)
    np.testing.assert_allclose(small.points, large.points[:, :4], atol=1e-15)
    assert not large.points[:, 4:].any()
