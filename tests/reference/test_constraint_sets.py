import numpy as np
import pytest
from scipy.optimize import minimize

from reference.constraint_sets import (
    L1Ball,
    L2Ball,
    Polytope,
    PositiveSemidefiniteBall,
    SparseVectors,
    frank_wolfe_gap,
    require_ball,
)


def test_projections_by_hand():
    np.testing.assert_allclose(L2Ball(1.0).project(np.array([3.0, 4.0])), [0.6, 0.8], rtol=1e-15)
    # soft-threshold at 1.5: (3, 2) -> (1.5, 0.5)
    np.testing.assert_allclose(L1Ball(2.0).project(np.array([3.0, -2.0])), [1.5, -0.5])
    # the small coordinate vanishes
    np.testing.assert_allclose(L1Ball(1.0).project(np.array([5.0, 0.5])), [1.0, 0.0])
    # a largest entry from which the radius cannot be subtracted in doubles
    np.testing.assert_array_equal(L1Ball(1.0).project(np.array([1e300, -3.0])), [1.0, 0.0])
    np.testing.assert_array_equal(L1Ball(1.0).project(np.array([-1e30, 1e30])), [-0.5, 0.5])


LARGEST, SMALLEST = 1.7e308, 5e-324


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("radius", [1e-50, 1.0, 1e50])
@pytest.mark.parametrize("kind", [L2Ball, L1Ball, PositiveSemidefiniteBall])
def test_projections_of_extreme_points_are_on_the_boundary_or_the_points(kind, radius):
    for extreme in (LARGEST, 1e200, 1e155, 1e-160, SMALLEST):
        for shape in ([1, 1, 1, 1], [1, 0, 0, 0], [1, 0.5, 0.5, 1]):
            x = extreme * np.array(shape)
            found = kind(radius).project(x)
            assert kind(radius).contains(found)
            if extreme > 1:  # none of them is in the set: the nearest point has its full size
                assert not kind(radius).contains(x)
                order = 1 if kind is L1Ball else 2
                assert np.linalg.norm(found, ord=order) == pytest.approx(radius, rel=1e-12)
            else:
                np.testing.assert_allclose(found, x, rtol=1e-12, atol=2 * SMALLEST)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("extreme", [LARGEST, 1e200, 1.0, 1e-160, 1e-200, 1e4 * SMALLEST])
@pytest.mark.parametrize("ball", [L2Ball(3.0), L1Ball(3.0)], ids=repr)
def test_linear_minimizers_do_not_depend_on_the_size_of_the_gradient(ball, extreme):
    found = ball.linear_minimizer(extreme * np.array([0.5, -1.0, 0.25]))
    expected = ball.linear_minimizer(np.array([0.5, -1.0, 0.25]))
    np.testing.assert_allclose(found, expected, rtol=1e-3 if extreme < 1e-300 else 1e-15)


@pytest.mark.parametrize("ball", [L2Ball(0.7), L1Ball(0.7)], ids=repr)
def test_projection_is_nearest(ball):
    rng = np.random.default_rng(0)
    inside = np.array([0.1, -0.2, 0.05])
    assert ball.project(inside) is inside
    candidates = [ball.project(v) for v in rng.standard_normal((300, 3))]
    for x in 2 * rng.standard_normal((20, 3)):
        nearest = ball.project(x)
        assert ball.contains(nearest)
        # the variational inequality of a projection
        assert max((x - nearest) @ (v - nearest) for v in candidates) <= 1e-12


@pytest.mark.parametrize("constraint", [L2Ball(2.0), L1Ball(2.0), Polytope(np.eye(3))])
def test_linear_minimizer_is_the_best_point(constraint):
    rng = np.random.default_rng(1)
    if isinstance(constraint, Polytope):
        points = rng.dirichlet(np.ones(3), 300)
    else:
        points = np.array([constraint.project(v) for v in 5 * rng.standard_normal((300, 3))])
    for gradient in rng.standard_normal((20, 3)):
        best = constraint.linear_minimizer(gradient)
        assert constraint.contains(best)
        assert best @ gradient <= (points @ gradient).min() + 1e-12


def test_linear_minimizers_of_a_zero_gradient_are_in_the_set():
    for constraint in (L2Ball(1.0), L1Ball(1.0)):
        assert constraint.contains(constraint.linear_minimizer(np.zeros(2)))


def test_vertices():
    np.testing.assert_array_equal(
        L1Ball(0.5).vertices(2), [[0.5, 0.0], [0.0, 0.5], [-0.5, 0.0], [0.0, -0.5]]
    )
    simplex = Polytope(np.eye(2))
    np.testing.assert_array_equal(simplex.vertices(2), np.eye(2))
    with pytest.raises(ValueError, match="points must have 3 coordinates, got 2"):
        simplex.vertices(3)


def test_membership_of_a_polytope():
    triangle = Polytope([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert triangle.contains(np.array([0.25, 0.25]))
    assert triangle.contains(np.array([0.5, 0.5]))
    assert not triangle.contains(np.array([0.6, 0.6]))
    assert not triangle.contains(np.array([-0.1, 0.2]))


def test_gap_by_hand():
    # max over +-e_j of <v - x, -g>, x = (.5, 0), g = (1, -3): v = e_2 gives 3 + 0.5
    assert frank_wolfe_gap(L1Ball(1.0), np.array([0.5, 0.0]), np.array([1.0, -3.0])) == 3.5
    # stationary: the best vertex itself
    assert frank_wolfe_gap(L1Ball(1.0), np.array([0.0, 1.0]), np.array([1.0, -3.0])) == 0.0


@pytest.mark.parametrize("make", [L1Ball, L2Ball, PositiveSemidefiniteBall])
def test_bad_radii_are_refused(make):
    with pytest.raises(ValueError, match="radius must be a finite number > 0, got 0"):
        make(0)


def test_bad_points_are_refused():
    with pytest.raises(ValueError, match="points must not be empty"):
        Polytope(np.zeros((0, 2)))


@pytest.mark.parametrize("constraint", [L1Ball(0.7), Polytope([[1.0, 2.0, 0.0], [0.5, -1.0, 3.0]])])
def test_inner_products_and_single_vertices_are_those_of_all_vertices(constraint):
    vertices = constraint.vertices(3)
    direction = np.array([0.3, -2.0, 5.0])
    products = constraint.inner_products(direction)
    np.testing.assert_allclose(products, vertices @ direction, rtol=1e-15)
    differences = constraint.inner_differences(direction)
    np.testing.assert_allclose(differences, products - products[0], rtol=1e-15)
    for index, vertex in enumerate(vertices):
        np.testing.assert_array_equal(constraint.vertex(index, 3), vertex)


def test_sparse_vectors():
    sparse = SparseVectors(2)
    np.testing.assert_array_equal(
        sparse.project(np.array([1.0, -3.0, 2.0, 0.5])), [0.0, -3.0, 2.0, 0.0]
    )
    # the first of equal entries
    np.testing.assert_array_equal(sparse.project(np.ones(3)), [1.0, 1.0, 0.0])
    assert sparse.contains(np.array([0.0, 1.0, 1.0]))
    assert not sparse.contains(np.ones(3))
    with pytest.raises(ValueError, match="sparsity"):
        SparseVectors(0)


# ------------------------------------------------------------------ positive semidefinite matrices


def flat(*rows):
    return np.array(rows, dtype=float).ravel()


def test_projections_of_matrices_by_hand():
    unit = PositiveSemidefiniteBall(1.0)
    np.testing.assert_allclose(unit.project(flat([0.5, 0], [0, -3])), flat([0.5, 0], [0, 0]))
    np.testing.assert_allclose(unit.project(flat([3, 0], [0, 4])), flat([0.6, 0], [0, 0.8]))
    # the antisymmetric part goes; (1, 1) has eigenvalue 2, (1, -1) has -2
    np.testing.assert_allclose(
        PositiveSemidefiniteBall(9.0).project(flat([0, 5], [-1, 0])), flat([1, 1], [1, 1])
    )
    np.testing.assert_array_equal(unit.project(-np.eye(3).ravel()), np.zeros(9))
    # the Frobenius norm, not the spectral: the identity has sqrt(2)
    np.testing.assert_allclose(unit.project(flat([1, 0], [0, 1])), np.eye(2).ravel() / np.sqrt(2))


def distance_by_a_generic_solver(x, radius, rng):
    """Minimise ||L L^T - X||_F over ||L L^T||_F <= radius, from several starts."""
    side = round(np.sqrt(x.size))

    def matrix(root):
        root = root.reshape(side, side)
        return (root @ root.T).ravel()

    inside = {"type": "ineq", "fun": lambda root: radius**2 - matrix(root) @ matrix(root)}
    runs = (
        minimize(
            lambda root: ((matrix(root) - x) ** 2).sum(),
            0.5 * rng.standard_normal(x.size),
            method="SLSQP",
            constraints=[inside],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        for _ in range(4)
    )
    feasible = [run for run in runs if inside["fun"](run.x) >= -1e-9]
    best = min(feasible, key=lambda run: run.fun)
    return float(np.sqrt(best.fun)), matrix(best.x)


@pytest.mark.parametrize("side", [1, 2, 3])
@pytest.mark.parametrize("radius", [0.7, 2.5])
def test_the_projection_on_matrices_is_what_a_generic_solver_finds(side, radius):
    rng = np.random.default_rng(side)
    constraint, moved = PositiveSemidefiniteBall(radius), 0
    for x in 1.5 * rng.standard_normal((6, side**2)):
        found = constraint.project(x)
        assert constraint.contains(found)
        distance, nearest = distance_by_a_generic_solver(x, radius, rng)
        assert np.linalg.norm(x - found) == pytest.approx(distance, abs=1e-5)
        np.testing.assert_allclose(found, nearest, atol=5e-3)
        moved += distance > 0.1
    assert moved >= 1


@pytest.mark.parametrize("side", [2, 4])
def test_the_projection_on_matrices_is_nearest_and_keeps_what_is_inside(side):
    rng = np.random.default_rng(0)
    constraint = PositiveSemidefiniteBall(0.7)
    candidates = [constraint.project(v) for v in rng.standard_normal((200, side**2))]
    for x in 2 * rng.standard_normal((20, side**2)):
        nearest = constraint.project(x)
        assert max((x - nearest) @ (v - nearest) for v in candidates) <= 1e-12
        np.testing.assert_allclose(constraint.project(nearest), nearest, atol=1e-15)
        # a rotation of the coordinates rotates the projection
        turn, _ = np.linalg.qr(rng.standard_normal((side, side)))
        turned = (turn @ x.reshape(side, side) @ turn.T).ravel()
        np.testing.assert_allclose(
            constraint.project(turned),
            (turn @ nearest.reshape(side, side) @ turn.T).ravel(),
            atol=1e-13,
        )


@pytest.mark.parametrize(
    "outside",
    [flat([0.5, 0.1], [0, 0.5]), flat([0.5, 0], [0, -0.1]), flat([1, 0], [0, 0.5])],
    ids=["not symmetric", "a negative eigenvalue", "too long"],
)
def test_matrices_outside(outside):
    assert not PositiveSemidefiniteBall(1.0).contains(outside)
    assert PositiveSemidefiniteBall(1.0).contains(PositiveSemidefiniteBall(1.0).project(outside))


def test_a_matrix_is_square_and_may_be_huge():
    constraint = PositiveSemidefiniteBall(1.0)
    with pytest.raises(ValueError, match="square number of entries, got 6"):
        constraint.project(np.zeros(6))
    with pytest.raises(ValueError, match="square number of entries, got 6"):
        constraint.contains(np.zeros(6))
    np.testing.assert_allclose(constraint.project(flat([1e200, 0], [0, -1e200])), [1, 0, 0, 0])


# ------------------------------------------------------------------------- what a set declares

SETS = [L2Ball(0.7), L1Ball(0.7), PositiveSemidefiniteBall(0.7), SparseVectors(2)]


@pytest.mark.parametrize("constraint", SETS, ids=repr)
def test_the_projections_on_a_set_are_no_farther_apart_exactly_if_it_is_convex(constraint):
    rng = np.random.default_rng(0)
    stretched = 0.0
    for x in rng.standard_normal((300, 4)):
        y = x + 0.3 * rng.standard_normal(4)
        moved = np.linalg.norm(constraint.project(x) - constraint.project(y))
        stretched = max(stretched, moved / np.linalg.norm(x - y))
    assert (stretched <= 1 + 1e-12) == constraint.convex


@pytest.mark.parametrize("constraint", SETS, ids=repr)
def test_the_largest_norm_is_attained(constraint):
    far = [1e9 * np.eye(4)[0], np.array([1e9, 0.0, 0.0, 0.0]), 1e9 * np.eye(2).ravel()]
    longest = max(np.linalg.norm(constraint.project(x)) for x in far)
    if np.isfinite(constraint.largest_norm):
        assert longest == pytest.approx(constraint.largest_norm, rel=1e-12)
    else:
        assert longest >= 1e9


def test_a_set_is_refused_that_lacks_what_is_asked_for():
    for constraint in SETS:
        require_ball(constraint)
    require_ball(L1Ball(1.0), convex=True, bounded=True)
    with pytest.raises(ValueError, match="constraint must be convex, got SparseVectors"):
        require_ball(SparseVectors(1), convex=True)
    with pytest.raises(ValueError, match=r"constraint.largest_norm must be a finite number > 0"):
        require_ball(SparseVectors(1), bounded=True)
    with pytest.raises(TypeError, match="constraint must be a set to project on"):
        require_ball(Polytope(np.eye(2)))
