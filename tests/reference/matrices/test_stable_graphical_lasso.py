"""The graphical lasso by contractions: near the minimiser, and as stable before it is near."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.matrices import stable_graphical_lasso as module
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.second_moments import second_moment
from reference.matrices.stable_graphical_lasso import (
    MOST_STEPS,
    domain_of,
    largest_gap,
    rounding_error,
    stable_graphical_lasso,
    steps_for,
)


def moment(n, d, seed):
    rows = np.random.default_rng(seed).standard_normal((n, d))
    rows[:, 0] += rows[:, -1]
    return second_moment(rows)


@pytest.mark.parametrize(
    ("n", "d", "penalty"),
    [(1, 1, 0.3), (3, 2, 0.05), (20, 5, 0.1), (4, 8, 1.0), (40, 3, 20.0), (2, 2, 0.01)],
)
def test_it_is_the_minimiser(n, d, penalty):
    s = moment(n, d, seed=d)
    theta = stable_graphical_lasso(s, penalty)
    assert (theta == theta.T).all()
    assert largest_gap(d, penalty) < 1e-10 * d / penalty * d
    assert optimality_gap(theta, s, penalty) < 1e-8
    expected = graphical_lasso(s, penalty=penalty, tolerance=1e-12).theta
    assert np.linalg.norm(theta - expected) <= 1e-9 * np.linalg.norm(expected)
    assert ((theta == 0) == (expected == 0)).all()


@pytest.mark.parametrize("s", [np.zeros((3, 3)), np.eye(3) / 3, np.full((3, 3), 1 / 3)])
def test_extreme_matrices(s):
    theta = stable_graphical_lasso(s, 0.2)
    assert optimality_gap(theta, s, 0.2) < 1e-9


@pytest.mark.parametrize("steps", [1, 3, 10, 100])
def test_the_public_bound_on_the_gap_holds_after_any_number_of_steps(monkeypatch, steps):
    monkeypatch.setattr(module, "MOST_STEPS", steps)
    for seed, (d, penalty) in enumerate([(1, 0.3), (2, 0.01), (4, 0.1), (3, 2.0)]):
        for s in (moment(3, d, seed), np.zeros((d, d)), np.full((d, d), 1 / d)):
            best = graphical_lasso(s, penalty=penalty, tolerance=1e-11).theta
            gap = np.linalg.norm(stable_graphical_lasso(s, penalty) - best)
            assert gap <= largest_gap(d, penalty) + 1e-6 * d / penalty


def worst_movement(d, penalty, seed, trials):
    """Return the largest ||Theta - Theta'||_F over (d/rho)^2 ||S - S'||_F found."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(trials):
        rows = rng.standard_normal((3, d)) * rng.integers(0, 2, (3, 1)) * 10 ** rng.uniform(-2, 1)
        others = rows.copy()
        others[0] = rng.standard_normal(d) * rng.integers(0, 2) * 10 ** rng.uniform(-2, 1)
        first, second = second_moment(rows), second_moment(others)
        if (first == second).all():
            continue
        moved = np.linalg.norm(
            stable_graphical_lasso(first, penalty) - stable_graphical_lasso(second, penalty)
        )
        bound = (d / penalty) ** 2 * np.linalg.norm(first - second)
        worst = max(worst, moved / bound)
    return worst


@pytest.mark.parametrize("steps", [1, 2, 5, 20, 200])
def test_it_moves_no_more_than_the_minimiser_after_any_number_of_steps(monkeypatch, steps):
    """The bound is nearly attained: one variable, S = 0 against a small S."""
    monkeypatch.setattr(module, "MOST_STEPS", steps)
    for seed, (d, penalty) in enumerate([(1, 0.3), (2, 0.01), (2, 1e-4), (4, 0.1), (3, 20.0)]):
        assert worst_movement(d, penalty, seed, 60) <= 1 + 1e-9


def test_the_movement_of_one_variable_attains_the_bound():
    moved = stable_graphical_lasso(np.zeros((1, 1)), 1.0) - stable_graphical_lasso(
        np.full((1, 1), 1e-4), 1.0
    )
    assert moved[0, 0] == pytest.approx(1e-4, rel=2e-4)


def test_the_proximal_point_outside_of_the_domain_contracts_as_inside():
    """For mu = 1/2, m = 1/16 and M = 4: slopes from mu/(mu + M) to mu/(mu + m), at all w."""
    domain = domain_of(2, 0.5)
    w = np.linspace(-40, 40, 4001)
    x = module._proximal(w, domain)
    slopes = np.diff(x) / np.diff(w)
    assert slopes.min() == pytest.approx(0.5 / 4.5)
    assert slopes.max() == pytest.approx(0.5 / 0.5625)
    # where it is inside, it is where -1/x + mu (x - w) vanishes
    inside = (x > domain.low) & (x < domain.high)
    assert inside.sum() > 100
    assert 1 / x[inside] == pytest.approx(0.5 * (x[inside] - w[inside]))


def test_steps_by_hand():
    domain = domain_of(2, 0.5)  # a = 1/2, b = 4
    assert domain == (0.5, 4.0, 0.5, pytest.approx(3.5 / 4.5))
    assert steps_for(2, 0.5) == math.ceil(13 * math.log(10) / math.log(4.5 / 3.5))
    assert steps_for(5, 1e-8) == MOST_STEPS
    # sqrt 2 * 4 + 4/2 at the start
    left = (3.5 / 4.5) ** steps_for(2, 0.5)
    assert largest_gap(2, 0.5) == pytest.approx((4 * math.sqrt(2) + 2) * left)


def test_the_steps_read_no_data(monkeypatch):
    calls = []
    eigh = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: calls.append(0) or eigh(a))
    counts = []
    for s in (np.zeros((2, 2)), np.full((2, 2), 0.5), np.diag([1.0, 0.0])):
        calls.clear()
        stable_graphical_lasso(s, 0.5)
        counts.append(len(calls))
    assert counts == [steps_for(2, 0.5)] * 3


def test_rounding_is_within_its_bound():
    """The same variables in another order, for which every sum is rounded otherwise."""
    assert rounding_error(4, 0.25) == 8 * 2.0**-52 * 8 * 2
    rng = np.random.default_rng(11)
    for d, penalty in [(2, 1e-3), (3, 0.01), (5, 0.1), (8, 1.0), (3, 30.0)]:
        s, order = moment(4, d, seed=d), rng.permutation(d)
        theta = stable_graphical_lasso(s, penalty)
        other = stable_graphical_lasso(s[np.ix_(order, order)], penalty)
        moved = np.linalg.norm(theta[np.ix_(order, order)] - other)
        assert moved <= (d / penalty) ** 2 * 2 * d * rounding_error(d, penalty)


@pytest.mark.parametrize("penalty", [1e17, 1e50])
def test_one_variable_under_a_huge_penalty_takes_one_step(penalty):
    # the interval that the eigenvalues are in has no length: the logarithm of 0 was taken
    assert steps_for(1, penalty) == 1
    assert largest_gap(1, penalty) == 0
    assert stable_graphical_lasso(np.ones((1, 1)), penalty) == pytest.approx(1 / (1 + penalty))
