"""The Local Bernstein Mechanism and its variant for populations.

False alarms: the one statistical test has probability below 1e-6.
"""

import math

import numpy as np
import pytest
from scipy import optimize

from reference.local.bernstein import BernsteinPolynomial
from reference.local.bernstein_mechanism import Constants, constants_for, local_bernstein
from reference.local.population_bernstein_mechanism import (
    population_local_bernstein,
    ridge_strength,
)
from reference.local.risks import InnerBall, MeanSquaredDistance, grid, losses_at
from reference.privacy import GivenDrawsLedger, NoiselessLedger, RecordingLedger

SQUARE = MeanSquaredDistance(1)


class Double:
    """(w^2 - 1/4)^2-like: two wells at 1/4 and 3/4, the deeper by the record."""

    dimension = 1

    def values(self, points, records):
        w = points[:, 0]
        return 30 * (w - 0.25) ** 2 * (w - 0.75) ** 2 + 0.2 * np.abs(records[:, 0] - w)


class Broken:
    dimension = 1

    def values(self, points, records):
        return np.full(len(points), math.nan) * records[:, 0]


def run(data, loss, degree, **options):
    """Run it on a grid of this degree, without noise unless a ledger is given."""
    usual = {"epsilon": 1.0, "order": 1, "constants": Constants(degree, 1.0)}
    return local_bernstein(data, loss, **usual | {"ledger": NoiselessLedger()} | options)


def test_by_hand():
    # k = 1: users 0.5 and 1 at w = 0 lose 1/4 and 1, at w = 1 1/4 and 0; scale 2/epsilon = 1
    draws = [np.array([1.0, -1.0]), np.array([0.5, 0.25])]
    ledger = GivenDrawsLedger(draws)
    found = run([[0.5], [1.0]], SQUARE, 1, epsilon=2.0, ledger=ledger)
    assert found.point.tolist() == [1.0]  # 0.625 + 0 against 0.125 + 0.375
    assert found.value == pytest.approx(0.5)


@pytest.mark.parametrize("dimension", [1, 2])
def test_without_noise_it_minimises_the_risk(dimension):
    rng = np.random.default_rng(0)
    data = rng.beta(2, 5, size=(40, dimension))
    found = run(data, MeanSquaredDistance(dimension), 12, order=2)
    # the iterate of order 2 adds w(1 - w)/(p k^2) to the mean of (w - x)^2/p
    share = 1 / 12**2
    expected = (data.mean(axis=0) - share / 2) / (1 - share)
    assert found.point == pytest.approx(expected, abs=1e-4)
    assert found.gap < 1e-8


def test_a_risk_that_is_not_convex():
    found = run(np.full((5, 1), 0.8), Double(), 40, order=3)
    risk = lambda w: float(losses_at(Double(), np.array([[w]]), np.array([[0.8]]))[0])  # noqa: E731
    expected = optimize.minimize_scalar(risk, bounds=(0.5, 1), method="bounded").x
    assert found.point[0] == pytest.approx(expected, abs=0.02)


def test_the_minimum_on_a_ball():
    found = run(np.ones((3, 2)), MeanSquaredDistance(2), 10, constraint=InnerBall(), order=2)
    assert found.point == pytest.approx([0.5 + math.sqrt(1 / 8)] * 2, abs=1e-3)


@pytest.mark.parametrize(("order", "dimension"), [(1, 1), (2, 1), (2, 2)])
def test_the_grid_balances_the_bound(order, dimension):
    common = {"epsilon": 1.0, "order": order, "failure_probability": 0.05, "dimension": dimension}
    sizes = [10.0**e for e in range(4, 16)]
    degrees = [constants_for(n=int(n), **common).degree for n in sizes]
    assert degrees == sorted(degrees)
    # k^(h + p) grows like sqrt(n) once integers are fine enough
    exponent = math.log(degrees[-1] / degrees[6]) / math.log(sizes[-1] / sizes[6])
    assert exponent == pytest.approx(0.5 / (order + dimension), rel=0.1)
    exact = constants_for(n=10**12, **common)
    k = (math.sqrt(dimension * 1e12) / 8) / (2 ** ((order + 1) * dimension))
    k = (k / math.sqrt(math.log(20))) ** (1 / (order + dimension))
    assert exact.degree == int(k)
    assert exact.step_epsilon == pytest.approx(1 / (exact.degree + 1) ** dimension)


def test_the_error_of_the_polynomial_is_what_its_noise_says():
    # p = 1, k = 3: the value at w = 0 is that of the grid: n Laplace(4/epsilon) draws, averaged
    n, runs = 50, 400
    records, points = np.full((n, 1), 0.5), grid(3, 1)
    errors = []
    for seed in range(runs):
        ledger = RecordingLedger(seed)
        run(records, SQUARE, 3, order=2, constants=Constants(3, 0.25), ledger=ledger)
        means = [r.output.mean() for r in ledger.transcript.releases]
        errors.append(BernsteinPolynomial.through(means, order=2)([[0.0]])[0] - 0.25)
    assert len(points) == 4
    # variance 2 (4/epsilon)^2/n of kurtosis about 3: 5.5 standard errors
    assert np.var(errors) == pytest.approx(2 * 16 / n, rel=5.5 * math.sqrt(2.06 / runs))


def test_losses_are_cut_to_the_interval_whatever_the_record():
    points = np.zeros((4, 1))
    records = np.array([[0.5], [1e6], [-1e200], [0.0]])
    assert losses_at(SQUARE, points, records).tolist() == [0.25, 1.0, 1.0, 0.0]
    assert losses_at(Broken(), points, records).tolist() == [1.0] * 4


def test_the_population_variant_adds_the_ridge():
    data = np.full((20, 1), 0.9)
    constants = Constants(30, 1.0)
    arguments = {"epsilon": 1.0, "order": 2, "constants": constants}
    found = population_local_bernstein(data, SQUARE, ledger=NoiselessLedger(), **arguments)
    mu = ridge_strength(20)
    assert mu == pytest.approx(20 ** (-1 / 12))
    # (w - x)^2 + mu w^2/2 is least at x/(1 + mu/2)
    assert found.point[0] == pytest.approx(0.9 / (1 + mu / 2), abs=2e-3)
    # the chain of the proof: Err(l) <= Err(l + ridge) + (mu/2) max ||w||^2
    w = found.point[0]
    ridged = (w - 0.9) ** 2 + mu / 2 * w**2 - (0.81 - 0.81 / (1 + mu / 2))
    assert (w - 0.9) ** 2 <= ridged + mu / 2


def test_the_comparison_with_the_baseline_fails_up_to_three_dimensions():
    """Erratum diss-5.1.31/E2; logarithms to base 2 of (5.5) and of 2^p alpha^-(p+1), D_p = 1."""

    def ours(p, log_alpha):
        return 2 * p * (p + 1) + math.log2(p) - 4 * log_alpha

    def theirs(p, log_alpha):
        return p - (p + 1) * log_alpha

    for log_alpha in -np.logspace(-2, 5, 50):  # alpha from .99 to 2^-100000
        assert all(ours(p, log_alpha) > theirs(p, log_alpha) for p in (1, 2, 3))
    assert ours(7, -28) < theirs(7, -28)
