"""The Fantope, its projection and the penalised problem (6.5)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reference.matrices.fantope import (
    capped_weights,
    duality_gap,
    project_on_fantope,
)
from reference.matrices.sparse_local_pca import penalised_projection
from reference.matrices.subspaces import principal_subspace


def symmetric(p, rng):
    square = rng.standard_normal((p, p))
    return (square + square.T) / 2


def objective(x, s, penalty):
    return np.sum(s * x) - penalty * np.abs(x).sum()


# ------------------------------------------------------------------------------ projection


@pytest.mark.parametrize(
    ("values", "total", "expected"),
    [
        ([0.5, 0.5], 1, [0.5, 0.5]),
        ([3.0, 1.0, 0.0], 1, [1.0, 0.0, 0.0]),
        ([1.0, 0.5, 0.0], 1, [0.75, 0.25, 0.0]),
        ([2.0, 0.6, 0.5, -0.1], 2, [1.0, 0.55, 0.45, 0.0]),
        ([7.0, -2.0], 2, [1.0, 1.0]),
        ([-5.0, -5.0, -5.0], 2, [2 / 3, 2 / 3, 2 / 3]),
        ([4.0], 1, [1.0]),
    ],
)
def test_weights_by_hand(values, total, expected):
    assert capped_weights(np.array(values), total) == pytest.approx(expected, abs=1e-12)


def test_weights_are_the_nearest_of_all():
    # optimality over {0 <= w <= 1, sum w = k}: no two coordinates can trade and come nearer
    rng = np.random.default_rng(0)
    for _ in range(200):
        p = int(rng.integers(1, 9))
        k = int(rng.integers(1, p + 1))
        values = rng.standard_normal(p) * 10 ** rng.uniform(-3, 3)
        weights = capped_weights(values, k)
        assert weights.sum() == pytest.approx(k, abs=1e-9)
        residual = values - weights
        for i, j in itertools.permutations(range(p), 2):
            if weights[i] > 1e-9 and weights[j] < 1 - 1e-9:
                assert residual[j] <= residual[i] + 1e-9 * np.abs(values).max()


def test_projection_is_in_the_set_and_nearest():
    rng = np.random.default_rng(1)
    for p, k in ((2, 1), (5, 2), (6, 5), (4, 4)):
        matrix = 3 * symmetric(p, rng)
        x = project_on_fantope(matrix, k)
        values = np.linalg.eigvalsh(x)
        assert values[0] >= -1e-12
        assert values[-1] <= 1 + 1e-12
        assert np.trace(x) == pytest.approx(k)
        assert project_on_fantope(x, k) == pytest.approx(x)
        for _ in range(50):  # <A - X, Z - X> <= 0 at the extreme points Z of a convex set
            basis = np.linalg.qr(rng.standard_normal((p, k)))[0]
            assert np.sum((matrix - x) * (basis @ basis.T - x)) <= 1e-9


def test_projection_does_not_depend_on_the_basis_of_equal_eigenvalues():
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    matrix = turn @ np.diag([1.0, 1.0, 1.0, 0.0]) @ turn.T
    expected = turn @ np.diag([2 / 3, 2 / 3, 2 / 3, 0.0]) @ turn.T
    assert project_on_fantope(matrix, 2) == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------------- penalised problem


@pytest.mark.parametrize("penalty", [0.0, 0.05, 0.3, 0.8])
@pytest.mark.parametrize(("p", "k"), [(2, 1), (5, 2), (8, 3), (6, 6)])
def test_no_point_of_the_set_beats_the_solution_by_more_than_the_gap(p, k, penalty):
    rng = np.random.default_rng(p)
    s = symmetric(p, rng)
    solution = penalised_projection(s, rank=k, penalty=penalty)
    assert -1e-9 <= solution.gap <= 1e-6 * k * np.abs(s).max()
    assert solution.sparse == pytest.approx(solution.feasible, abs=2e-6 * np.sqrt(k))
    best = objective(solution.feasible, s, penalty)
    for _ in range(300):
        basis = np.linalg.qr(rng.standard_normal((p, k)))[0]
        share = rng.uniform(0, 1) ** 3
        near = share * basis @ basis.T + (1 - share) * solution.feasible
        assert objective(near, s, penalty) <= best + solution.gap + 1e-9


def test_the_gap_bounds_what_a_worse_point_lacks():
    rng = np.random.default_rng(3)
    s = symmetric(5, rng)
    solution = penalised_projection(s, rank=2, penalty=0.2)
    best = objective(solution.feasible, s, 0.2)
    worse = np.eye(5) * 2 / 5
    # the second and the third are cut to [-.2, .2]: S itself would "prove" a maximum of 0
    for dual in (np.zeros((5, 5)), 10 * symmetric(5, rng), s):
        gap = duality_gap(worse, dual, s, 2, 0.2)
        assert gap >= best - objective(worse, s, 0.2) > 0.1


def test_two_coordinates_have_a_closed_form():
    # k = 1, X = [[a, c], [c, 1 - a]], S = [[t, b], [b, t]]: a = 1/2 and c = 1/2 if b > lambda
    s = np.array([[0.3, 0.5], [0.5, 0.3]])
    assert penalised_projection(s, rank=1, penalty=0.4).sparse == pytest.approx(
        np.full((2, 2), 0.5), abs=1e-5
    )
    # the penalty is shrinkage of the entry off the diagonal: the angle is that of b - lambda
    s = np.array([[1.0, 0.5], [0.5, 0.2]])
    shrunk = principal_subspace(np.array([[1.0, 0.3], [0.3, 0.2]]), 1)
    assert penalised_projection(s, rank=1, penalty=0.2).feasible == pytest.approx(
        shrunk @ shrunk.T, abs=1e-5
    )


def test_without_a_penalty_it_is_the_projection_on_the_principal_subspace():
    s = symmetric(6, np.random.default_rng(4))
    basis = principal_subspace(s, 2)
    assert penalised_projection(s, rank=2, penalty=0.0).feasible == pytest.approx(
        basis @ basis.T, abs=1e-6
    )


def test_a_large_penalty_chooses_coordinates_at_once():
    s = symmetric(5, np.random.default_rng(5))
    np.fill_diagonal(s, [0.1, 0.9, 0.4, 0.9, 0.2])
    solution = penalised_projection(s, rank=2, penalty=1e9)
    assert (solution.sparse == np.diag([0, 1.0, 0, 1.0, 0])).all()
    assert solution.gap == pytest.approx(0.0, abs=1e-5)
    assert solution.n_iterations == 0
    assert (penalised_projection(np.zeros((3, 3)), rank=1, penalty=0).sparse.diagonal()).sum() == 1


def test_scale_and_labels_are_followed():
    s = symmetric(6, np.random.default_rng(6))
    solution = penalised_projection(s, rank=2, penalty=0.2).sparse
    for factor in (1e-8, 1e8):
        scaled = penalised_projection(factor * s, rank=2, penalty=factor * 0.2).sparse
        assert scaled == pytest.approx(solution, abs=1e-5)
    order = np.array([3, 1, 5, 0, 2, 4])
    relabelled = penalised_projection(s[np.ix_(order, order)], rank=2, penalty=0.2).sparse
    assert relabelled == pytest.approx(solution[np.ix_(order, order)], abs=1e-5)


def test_iterations_are_counted_from_one():
    # X is (1, 1)/sqrt 2 at once; the second iteration sees that Y has not moved
    solution = penalised_projection(np.array([[0.0, 1.0], [1.0, 0.0]]), rank=1, penalty=0.0)
    assert solution.n_iterations == 2
    assert solution.feasible == pytest.approx(np.full((2, 2), 0.5))


@pytest.mark.parametrize(
    ("upper", "rank", "penalty", "value"),
    [
        ([[-3, -3, -9, 5], [0, -7, 8, 7], [0, 0, 2, 8], [0, 0, 0, 16]], 3, 1, 15.978224),
        (
            [
                [6, -3, 4, 3, -5],
                [0, 13, -3, 6, -4],
                [0, 0, -2, 1, -5],
                [0, 0, 0, -1, 5],
                [0, 0, 0, 0, 15],
            ],
            4,
            3,
            21.233801,
        ),
    ],
)
def test_rho_is_changed_ever_more_rarely(upper, rank, penalty, value):
    """Looked at every 10 iterations, rho is halved for ever and Y never comes near X."""
    half = np.array(upper, dtype=float)
    s = half + np.triu(half, 1).T
    solution = penalised_projection(s, rank=rank, penalty=penalty)
    assert solution.n_iterations < 2_000
    # the value is that at a tolerance of 1e-9
    assert 0 <= value - objective(solution.feasible, s, penalty) <= solution.gap + 1e-6
    assert solution.gap <= 1e-6 * rank * np.abs(s).max()


def test_a_block_that_the_penalty_covers_is_left_out():
    s = np.zeros((6, 6))
    s[:2, :2] = 0.5
    s[2:, 2:] = 0.05 * np.ones((4, 4))
    solution = penalised_projection(s, rank=1, penalty=0.1)
    assert (solution.sparse[2:] == 0).all()
    assert (solution.sparse[:, 2:] == 0).all()
    assert solution.sparse[:2, :2] == pytest.approx(np.full((2, 2), 0.5), abs=1e-5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"matrix": np.ones((2, 3))}, "matrix must be symmetric"),
        ({"matrix": np.triu(np.ones((3, 3)))}, "matrix must be symmetric"),
        ({"matrix": np.full((2, 2), np.nan)}, "matrix must be finite"),
        ({"rank": 0}, "rank must be an integer >= 1 and <= 3, got 0"),
        ({"rank": 4}, "rank must be an integer >= 1 and <= 3, got 4"),
        ({"penalty": -1.0}, r"penalty must be a finite number >= 0, got -1\.0"),
        ({"tolerance": 0.0}, "tolerance must be a finite number > 0"),
        ({"max_iterations": 0}, "max_iterations must be an integer >= 1"),
    ],
)
def test_bad_input_is_refused(changes, message):
    arguments = {"matrix": np.ones((3, 3)), "rank": 1, "penalty": 0.1} | changes
    with pytest.raises(ValueError, match=message):
        penalised_projection(arguments.pop("matrix"), **arguments)


def test_running_out_of_iterations_gives_the_best_point_and_its_gap():
    s = symmetric(6, np.random.default_rng(7))
    best = penalised_projection(s, rank=2, penalty=0.2, tolerance=1e-9)
    for iterations in (1, 2, 5):
        found = penalised_projection(s, rank=2, penalty=0.2, max_iterations=iterations)
        assert found.n_iterations == iterations
        values = np.linalg.eigvalsh(found.feasible)
        assert values.min() > -1e-12
        assert values.max() < 1 + 1e-12
        assert np.trace(found.feasible) == pytest.approx(2)
        missing = objective(best.feasible, s, 0.2) - objective(found.feasible, s, 0.2)
        assert 1e-6 < missing <= found.gap + 1e-7
