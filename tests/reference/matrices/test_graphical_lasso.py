"""The graphical lasso with a penalised diagonal."""

from __future__ import annotations

import numpy as np
import pytest

from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.positive_semidefinite import positive_part


def second_moment(n, d, seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, d))
    rows[:, 0] += rows[:, -1]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.T @ rows / n


def objective(theta, s, rho):
    return -np.linalg.slogdet(theta)[1] + np.sum(s * theta) + rho * np.abs(theta).sum()


@pytest.mark.parametrize(
    ("n", "d", "rho"), [(1, 1, 0.3), (3, 2, 0.05), (20, 5, 0.1), (4, 8, 0.01), (30, 12, 1e-3)]
)
def test_optimality_conditions_hold(n, d, rho):
    s = second_moment(n, d, seed=d)
    theta = graphical_lasso(s, penalty=rho).theta
    assert (theta == theta.T).all()
    assert np.linalg.eigvalsh(theta)[0] > 0
    assert optimality_gap(theta, s, rho) < 1e-7
    assert np.diag(np.linalg.inv(theta)) == pytest.approx(np.diag(s) + rho, abs=1e-7)


@pytest.mark.parametrize(("seed", "most"), [(2, 40), (10, 110)])
def test_the_multiplier_stays_when_mu_is_changed(seed, most):
    """20 and 95 iterations; at seed 10 over 125 wherever u is not rescaled as mu is."""
    rows = np.random.default_rng(seed).normal(size=(50, 10)) * np.geomspace(1, 10, 10)
    s = rows.T @ rows / 50
    theta = graphical_lasso(s, penalty=0.01, max_iterations=most).theta
    assert optimality_gap(theta, s, 0.01) < 1e-6 * np.abs(s).max()


@pytest.mark.parametrize(
    ("upper", "rho"),
    [
        ([[-5, -3, -9, -3], [0, -1, 0, -4], [0, 0, -2, -2], [0, 0, 0, 9]], 1e-3),
        ([[5, 2, 0, -7, -8], [0, 8, 9, 7, 1], [0, 0, -9, -7, 0], [0, 0, 0, -2, 2], [0] * 4 + [8]],
         1e-3),
    ],
)  # fmt: skip
def test_mu_is_changed_ever_more_rarely(upper, rho):
    """Looked at in every iteration, mu is changed for ever and the iterations run out."""
    half = np.array(upper, dtype=float)
    s = positive_part(half + np.triu(half, 1).T)
    theta = graphical_lasso(s, penalty=rho, max_iterations=3_000).theta
    assert optimality_gap(theta, s, rho) < 1e-6 * np.abs(s).max()


@pytest.mark.filterwarnings("ignore:Objective did not converge")  # of scikit-learn's solver
@pytest.mark.parametrize(("n", "d", "rho"), [(10, 3, 0.1), (40, 8, 0.02), (15, 10, 0.05)])
def test_agrees_with_scikit_learn_once_the_diagonal_is_penalised(n, d, rho):
    covariance = pytest.importorskip("sklearn.covariance")
    s = second_moment(n, d, seed=n)
    _, expected = covariance.graphical_lasso(
        s + rho * np.eye(d), rho, tol=1e-9, enet_tol=1e-9, max_iter=1000
    )
    theta = graphical_lasso(s, penalty=rho).theta
    assert theta == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())


def test_closed_forms():
    assert graphical_lasso([[0.7]], penalty=0.3).theta == pytest.approx(np.array([[1.0]]))
    assert graphical_lasso(np.zeros((3, 3)), penalty=0.2).theta == pytest.approx(5 * np.eye(3))


def test_large_penalty_gives_an_exactly_diagonal_matrix():
    s = second_moment(20, 5, seed=3)
    theta = graphical_lasso(s, penalty=1.0).theta
    assert np.count_nonzero(theta) == 5
    assert np.diag(theta) == pytest.approx(1 / (np.diag(s) + 1.0))


def test_some_matrices_that_are_refused_have_a_minimiser():
    """A circle of four edges whose signs multiply to -1: what is required is not necessary."""
    q = 0.5
    circle = np.array([[0, 1, 0, -1], [1, 0, 1, 0], [0, 1, 0, 1], [-1, 0, 1, 0]])
    s = (1 + q) * circle
    with pytest.raises(ValueError, match="eigenvalues > -penalty"):
        graphical_lasso(s, penalty=1.0)
    theta = (np.eye(4) - q * circle) / (1 - 2 * q**2)
    assert optimality_gap(theta, s, 1.0) < 1e-12
    best = objective(theta, s, 1.0)
    rng = np.random.default_rng(3)
    for _ in range(50):
        step = rng.standard_normal((4, 4)) * 0.05
        assert objective(theta + step + step.T, s, 1.0) > best


def test_scaling_the_problem_scales_the_solution():
    s = second_moment(10, 4, seed=4)
    theta = graphical_lasso(s, penalty=0.05).theta
    for factor in (1e-6, 1e6):
        scaled = graphical_lasso(factor * s, penalty=factor * 0.05).theta
        assert factor * scaled == pytest.approx(theta, rel=1e-6, abs=1e-8)


def test_relabelling_the_variables_relabels_the_solution():
    s = second_moment(10, 6, seed=5)
    order = np.random.default_rng(6).permutation(6)
    theta = graphical_lasso(s, penalty=0.03).theta
    relabelled = graphical_lasso(s[np.ix_(order, order)], penalty=0.03).theta
    assert relabelled == pytest.approx(theta[np.ix_(order, order)], abs=1e-7)


def test_slightly_indefinite_matrices_are_solved():
    s = np.diag([0.5, -0.05])
    theta = graphical_lasso(s, penalty=0.1).theta
    assert theta == pytest.approx(np.diag([1 / 0.6, 20.0]))


def test_gap_sees_a_wrong_sign_and_a_missing_zero():
    s, rho = second_moment(10, 4, seed=7), 0.05
    theta = graphical_lasso(s, penalty=rho).theta
    assert optimality_gap(1.01 * theta, s, rho) > 1e-3
    # right on the diagonal, but .3 is too much for a zero at penalty .1
    tight = np.array([[0.5, 0.3], [0.3, 0.5]])
    assert optimality_gap(np.eye(2) / 0.6, tight, 0.1) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (
            np.diag([1.0, -0.2]),
            r"second_moment must have eigenvalues > -penalty = -0\.1; project",
        ),
        (np.array([[1.0, 0.5], [0.0, 1.0]]), "second_moment must be symmetric"),
        (np.ones((2, 3)), "second_moment must be symmetric"),
        (np.array([[np.nan]]), "second_moment must be finite"),
    ],
)
def test_bad_matrices_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        graphical_lasso(matrix, penalty=0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penalty": 0}, "penalty must be a finite number > 0, got 0"),
        ({"tolerance": 0}, "tolerance must be a finite number > 0"),
        ({"max_iterations": 0}, "max_iterations must be an integer >= 1"),
    ],
)
def test_bad_parameters_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        graphical_lasso(np.eye(2), **{"penalty": 1, **change})


@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_running_out_of_iterations_gives_the_best_point_and_its_gap(iterations):
    s = second_moment(10, 6, seed=8)
    found = graphical_lasso(s, penalty=0.01, max_iterations=iterations)
    assert found.n_iterations == iterations
    assert np.linalg.eigvalsh(found.theta)[0] > 0
    assert found.gap == optimality_gap(found.theta, s, 0.01) > 1e-6
    whole = graphical_lasso(s, penalty=0.01)
    assert whole.gap == optimality_gap(whole.theta, s, 0.01) < 1e-6


def test_what_is_not_positive_definite_is_not_returned():
    """After eight iterations the matrix with zeros is indefinite here."""
    rng = np.random.default_rng(1)
    d = int(rng.integers(2, 7))
    upper = np.triu(rng.integers(-9, 10, (d, d)).astype(float))
    s = positive_part(upper + np.triu(upper, 1).T)
    for iterations in range(1, 12):
        theta = graphical_lasso(s, penalty=0.1, max_iterations=iterations).theta
        assert np.linalg.eigvalsh(theta)[0] > 0


def test_the_gap_of_what_has_no_inverse_is_infinite():
    assert optimality_gap(np.zeros((2, 2)), np.eye(2), 0.1) == np.inf
