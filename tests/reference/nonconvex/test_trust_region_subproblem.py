import math

import numpy as np
import pytest
from flint import arb, arb_mat, ctx

from reference.nonconvex.trust_region_subproblem import solve_in_half_ball, solve_trust_region


def symmetric(rng, p, eigenvalues=None):
    basis, _ = np.linalg.qr(rng.standard_normal((p, p)))
    chosen = rng.standard_normal(p) if eigenvalues is None else np.asarray(eigenvalues)
    matrix = (basis * chosen) @ basis.T
    return (matrix + matrix.T) / 2, basis


def instances():
    """Random ones, and those on which solvers fail: hard, nearly hard, singular, huge and tiny."""
    rng = np.random.default_rng(0)
    for p in (1, 2, 5, 30):
        for scale in (1e-6, 1.0, 1e6):
            yield scale * rng.standard_normal(p), symmetric(rng, p)[0], 0.7
    hessian, basis = symmetric(rng, 4, [-1.0, 0.5, 2.0, 3.0])
    for lowest in (0.0, 1e-300, 1e-20, 1e-12, 1e-6):  # hard and nearly hard
        yield basis @ np.array([lowest, 0.1, 0.1, 0.1]), hessian, 5.0
        yield np.array([lowest, 0.1]), np.diag([-1.0, 1.0]), 5.0
    yield np.array([0.0, 3.0]), np.diag([-1.0, 1.0]), 1.0  # orthogonal, yet not hard
    yield np.zeros(3), np.diag([-2.0, -2.0, 1.0]), 1.0  # a double lowest eigenvalue
    yield np.zeros(3), np.diag([1.0, 2.0, 3.0]), 1.0
    yield np.zeros(2), np.zeros((2, 2)), 1.0
    for radius in np.linspace(0.1, 1.0, 8):  # one dimension: both ends of the bracket are lambda
        yield np.array([-0.3]), np.array([[-0.62]]), float(radius)
    yield np.array([1.0, 0.0]), np.diag([0.0, 1.0]), 2.0  # singular
    yield np.array([0.0, 1.0]), np.diag([0.0, 1.0]), 2.0
    yield np.array([1e-160, 1.0]), np.diag([1e-160, 1.0]), 1e8
    yield np.array([1.0, -2.0]), np.diag([-1e-9, 1e9]), 1e-6
    yield np.array([1.0, -2.0]), np.diag([1e12, 1e12 + 1]), 1e-12  # Newton just outside


@pytest.mark.parametrize("instance", list(instances()))
def test_the_optimality_conditions_hold_in_ball_arithmetic(instance):
    """Lemma 4.3.1's conditions, which suffice, with rounding errors of the solver only.

    With A = H + lambda I: the residual A h + g is at most 1e-9 of its terms, A plus 1e-12 of its
    size is positive definite, ||h|| <= r and, where lambda > 0, ||h|| = r. All four are decided
    by balls that contain the exact values.
    """
    gradient, hessian, radius = instance
    step, multiplier = solve_trust_region(gradient, hessian, radius)
    before, ctx.prec = ctx.prec, 400
    try:
        p = len(gradient)
        size = arb(float(np.abs(np.linalg.eigvalsh(hessian)).max()) + multiplier)
        matrix = arb_mat(hessian.tolist()) + arb(multiplier) * arb_mat(np.eye(p).tolist())
        h, g = arb_mat([[x] for x in step]), arb_mat([[x] for x in gradient])
        residual = matrix * h + g
        terms = size * arb(radius) + arb(float(np.linalg.norm(gradient)))
        assert all(abs(residual[i, 0]) <= terms * arb("1e-9") for i in range(p))
        shifted = matrix + (size * arb("1e-12") + arb("1e-300")) * arb_mat(np.eye(p).tolist())
        entries = shifted.tolist()  # Sylvester's criterion
        for k in range(1, p + 1):
            assert arb_mat([row[:k] for row in entries[:k]]).det() > 0
        length = sum((h[i, 0] ** 2 for i in range(p)), arb(0)).sqrt()
        assert length <= arb(radius) * (1 + arb("1e-9"))
        if multiplier > 0:
            assert length >= arb(radius) * (1 - arb("1e-9"))
    finally:
        ctx.prec = before


def test_by_hand():
    # Newton step inside
    step, multiplier = solve_trust_region(np.array([-1.0, 0.0]), np.diag([2.0, 1.0]), 1.0)
    np.testing.assert_allclose(step, [0.5, 0.0])
    assert multiplier == 0.0
    # on the sphere: (1 + lambda) h = 3 e_1, ||h|| = 1
    step, multiplier = solve_trust_region(np.array([-3.0, 0.0]), np.eye(2), 1.0)
    np.testing.assert_allclose(step, [1.0, 0.0], atol=1e-15)
    assert multiplier == pytest.approx(2.0, rel=1e-14)
    # the hard case: h_2 = -1/(1 + 1), lambda = 1, the rest along e_1
    step, multiplier = solve_trust_region(np.array([0.0, 1.0]), np.diag([-1.0, 1.0]), 1.0)
    np.testing.assert_allclose(np.abs(step), [math.sqrt(0.75), 0.5], rtol=1e-14)
    assert multiplier == 1.0


# ------------------------------------------------------------------------------ with a cut

HALF_BALLS = (
    "random",
    "center at 0",
    "center orthogonal to the lowest eigenvector",
    "center nearly orthogonal to it",
    "double lowest eigenvalue",
    "multiple of the identity",
    "singular and convex",
    "concave",
    "zero",
)


def half_ball(kind, p, rng):
    """Return H, w, R, g and r; the cut is often along the lowest eigenvector, sometimes none."""
    eigenvalues = np.sort(rng.standard_normal(p))
    coordinates = rng.standard_normal(p)  # of w in the eigenbasis
    if kind.startswith(("center", "double")):
        eigenvalues[0] = -abs(eigenvalues[0])
    if kind == "center at 0":
        coordinates[:] = 0
    elif kind.startswith("center orthogonal"):
        coordinates[0] = 0
    elif kind.startswith("center nearly"):
        coordinates[0] *= 10 ** -rng.uniform(3, 20)
    elif kind.startswith("double"):
        eigenvalues[:2] = eigenvalues[0]
        coordinates[:2] *= rng.choice([0.0, 1.0], p=[0.7, 0.3])
    elif kind.startswith("multiple"):
        eigenvalues[:] = rng.choice([-1.0, 1.0])
    elif kind.startswith("singular"):
        eigenvalues = np.append(0.0, np.abs(eigenvalues[1:]))
        coordinates[0] = 0
    elif kind == "concave":
        eigenvalues = -np.abs(eigenvalues)
    elif kind == "zero":
        eigenvalues[:] = 0
    hessian, basis = symmetric(rng, p, np.sort(eigenvalues))
    if rng.random() < 0.3:  # without the rounding of a rotation
        hessian, basis = np.diag(np.sort(eigenvalues)), np.eye(p)
    radius = 10 ** rng.uniform(-1, 1)
    center = basis @ coordinates
    if center.any():
        center *= radius * rng.uniform(0, 1) / np.linalg.norm(center)
    directions = [rng.standard_normal(p), basis[:, 0], -basis[:, 0], np.zeros(p)]
    direction = directions[rng.choice(4, p=[0.5, 0.225, 0.225, 0.05])] * 10 ** rng.uniform(-2, 1)
    most = radius * 10 ** rng.uniform(-3, 0.5) * max(float(np.linalg.norm(direction)), 1e-3)
    return hessian, center, radius, direction, most


def least_by_search(hessian, center, radius, direction, most, rng):
    """Return the least q found from 100 points by steps that get smaller: an upper bound."""

    def feasible(points):
        lengths = np.linalg.norm(points, axis=1, keepdims=True)
        points = points * np.minimum(1, radius / np.maximum(lengths, 1e-300))
        along = (points - center) @ direction
        # towards the centre, which is feasible
        return center + (points - center) * np.where(along > most, most / along, 1.0)[:, None]

    def values(points):
        return np.einsum("ij,jk,ik->i", points - center, hessian, points - center)

    with np.errstate(divide="ignore", invalid="ignore"):
        points = feasible(radius * rng.standard_normal((100, center.size)))
        best = values(points)
        for k in range(40):
            tried = feasible(points + radius * 0.75**k * rng.standard_normal(points.shape))
            found = values(tried)
            points[found < best] = tried[found < best]
            best = np.minimum(best, found)
    return best.min()


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("kind", HALF_BALLS)
def test_a_search_of_the_half_ball_comes_as_low_and_no_lower(kind, p):
    rng = np.random.default_rng([p, HALF_BALLS.index(kind)])
    for _ in range(12):
        hessian, center, radius, direction, most = half_ball(kind, p, rng)
        u = solve_in_half_ball(hessian, center, radius, direction, most)
        assert np.linalg.norm(u) <= radius * (1 + 1e-12)
        assert direction @ (u - center) <= most + 1e-12 * radius * np.linalg.norm(direction)
        scale = np.linalg.norm(hessian, 2) * (radius + np.linalg.norm(center)) ** 2
        found = (u - center) @ hessian @ (u - center)
        least = least_by_search(hessian, center, radius, direction, most, rng)
        assert found <= least + 1e-9 * scale
        assert least <= found + 0.05 * scale  # the search has seen the neighbourhood


def test_of_two_global_minimisers_the_feasible_one_is_found():
    """q = -u_1^2 + 2 u_2^2 is -1 at e_1 and at -e_1; the cut u_1 <= 0.01 leaves the second."""
    for sign in (1.0, -1.0):
        direction = np.array([sign, 0.0])
        u = solve_in_half_ball(np.diag([-1.0, 2.0]), np.zeros(2), 1.0, direction, 0.01)
        np.testing.assert_allclose(u, [-sign, 0.0], atol=1e-15)
    # a circle of them: the furthest from the cut
    direction = np.array([0.6, 0.8, 0.0])
    u = solve_in_half_ball(np.diag([-1.0, -1.0, 2.0]), np.zeros(3), 2.0, direction, 1e-9)
    np.testing.assert_allclose(u, [-1.2, -1.6, 0.0], atol=1e-12)
    # where the cut leaves little, however the direction is scaled
    for size in (1e-200, 1.0, 1e200):
        u = solve_in_half_ball(
            np.diag([-1.0, -1.0, 2.0]), np.array([2.0, 0, 0]), 2.0, size * direction, 1e-9 * size
        )
        np.testing.assert_allclose(u, [-2.0, 0.0, 0.0], atol=1e-9)


SIZES = 10.0 ** np.array([-320, -300, -150, -20, -8, 0, 0, 0, 8, 150, 300])


@pytest.mark.parametrize("kind", ["any", "zero", "rank one", "-I", "I", "signs"])
def test_whatever_is_finite_is_solved(kind):
    """Sizes from the smallest doubles to the largest, many coordinates exactly 0."""
    rng = np.random.default_rng(9)
    for _ in range(250):
        p, radius = int(rng.integers(1, 5)), 10.0 ** rng.choice([-6, -1, 0, 3])
        gradient = rng.standard_normal(p) * rng.choice(SIZES) * (rng.random(p) < 0.6)
        half = rng.standard_normal((p, p))
        shape = {
            "any": half + half.T,
            "zero": np.zeros((p, p)),
            "rank one": np.outer(half[0], half[0]),
            "-I": -np.eye(p),
            "I": np.eye(p),
            "signs": np.diag(rng.integers(-1, 2, p).astype(float)),
        }[kind]
        hessian = shape * rng.choice(SIZES) / 8
        step = solve_trust_region(gradient, hessian, radius).step
        assert np.isfinite(step).all()
        assert np.linalg.norm(step) <= radius * (1 + 1e-9)
        center = rng.standard_normal(p)
        center *= rng.random() * radius / np.linalg.norm(center)
        most = 10.0 ** rng.choice([-6, 0])
        inside = solve_in_half_ball(hessian, center, radius, gradient, most)
        assert np.linalg.norm(inside) <= radius * (1 + 1e-9)


def test_powers_of_2_scale_the_solution_exactly():
    rng = np.random.default_rng(10)
    for _ in range(50):
        g, half = rng.standard_normal(3), rng.standard_normal((3, 3))
        h = half + half.T
        step, multiplier = solve_trust_region(g, h, 0.75)
        wide, other = solve_trust_region(g * 2.0**500, h * 2.0**490, 0.75 * 2.0**10)
        assert (wide == step * 2.0**10).all()
        assert other == multiplier * 2.0**490
