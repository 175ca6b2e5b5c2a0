"""Bernstein bases against mpmath, and minima against dense grids and known ones."""

import itertools
import math
from functools import cache

import mpmath
import numpy as np
import pytest

from reference.local.bernstein import (
    MOST_ORDER,
    BernsteinPolynomial,
    bernstein_basis,
    iterated_bernstein_basis,
    iteration_matrix,
    quadrature,
)


def exact_basis(degree, x):
    with mpmath.workdps(50):
        x = mpmath.mpf(x)
        return [
            mpmath.binomial(degree, v) * x**v * (1 - x) ** (degree - v) for v in range(degree + 1)
        ]


@cache
def exact_grid(degree):
    """Return b_{v,k}(u/k), rows by u, from integers."""
    k = degree
    choose = [math.comb(k, v) for v in range(k + 1)]
    with mpmath.workdps(80):
        return np.array(
            [
                [mpmath.mpf(c * u**v * (k - u) ** (k - v)) / k**k for v, c in enumerate(choose)]
                for u in range(k + 1)
            ]
        )


def exact_iterated(degree, order, x):
    """Definition 5.1.3 as it stands: binomial coefficients, alternating signs, powers of B_k."""
    with mpmath.workdps(80):
        power, total = np.array(exact_basis(degree, x)), 0
        for i in range(1, order + 1):
            total = total + math.comb(order, i) * (-1) ** (i - 1) * power
            power = power @ exact_grid(degree)
        return list(total)


@pytest.mark.parametrize("degree", [1, 2, 7, 60, 1000])
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 0.5, 1 - 2.0**-53, 1.0])
def test_every_basis_polynomial_has_a_small_relative_error(degree, x):
    found = bernstein_basis(degree, [x])[0]
    for value, exact in zip(found, exact_basis(degree, x), strict=True):
        if exact < 1e-280:
            assert 0 <= value < 1e-279
        else:
            assert abs(value / exact - 1) < 4 * degree * 2.0**-53


@pytest.mark.parametrize(
    ("degree", "order"), [(1, 1), (1, 3), (4, 2), (20, 4), (40, 8), (60, 40), (150, 6)]
)
def test_iterated_bases_are_those_of_the_definition(degree, order):
    for x in (0.0, 0.123, 0.5, 0.97, 1.0):
        found = iterated_bernstein_basis(degree, order, [x])[0]
        exact = exact_iterated(degree, order, x)
        assert max(abs(v - e) for v, e in zip(found, exact, strict=True)) < 1e-13


@pytest.mark.parametrize("order", [1, 2, 3, 4, 7, 13, 64, 1000])
@pytest.mark.parametrize("degree", [1, 3, 5])
def test_iterated_matrices_are_the_sum_of_the_powers(degree, order):
    rest = np.eye(degree + 1) - bernstein_basis(degree, np.arange(degree + 1) / degree)
    power, total = np.eye(degree + 1), np.zeros((degree + 1, degree + 1))
    for _ in range(order):
        power, total = power @ rest, total + power
    found = iteration_matrix(degree, order)
    np.testing.assert_allclose(found, total, rtol=0, atol=1e-13 * np.abs(total).max())


def test_the_largest_order_is_as_quick_and_as_bounded_as_any():
    for degree in (1, 10, 100):
        found = iteration_matrix(degree, MOST_ORDER)
        assert np.isfinite(found).all()
        # row sums: the polynomial of a constant is that constant
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-15 * np.abs(found).sum())


@pytest.mark.parametrize(("order", "power"), [(1, 1), (2, 2), (3, 3)])
def test_the_error_of_a_square_is_known(order, power):
    # B_k x^2 - x^2 = x(1 - x)/k; every further iterate multiplies by 1/k
    k = 6
    x = np.linspace(0, 1, 11)
    found = BernsteinPolynomial.through((np.arange(k + 1) / k) ** 2, order=order)(x[:, None])
    assert found - x**2 == pytest.approx(x * (1 - x) / k**power, abs=1e-14)


def test_several_variables_are_a_tensor_product():
    rng = np.random.default_rng(0)
    k, order, values = 3, 2, rng.normal(size=(4, 4, 4))
    point = np.array([0.2, 0.7, 0.45])
    rows = [iterated_bernstein_basis(k, order, [x])[0] for x in point]
    expected = sum(
        values[v] * rows[0][v[0]] * rows[1][v[1]] * rows[2][v[2]]
        for v in itertools.product(range(k + 1), repeat=3)
    )
    found = BernsteinPolynomial.through(values, order=order)([point])
    assert found == pytest.approx([expected], abs=1e-12)


@pytest.mark.parametrize("degree", [*range(14), 399])
def test_quadratures_are_exact_and_positive(degree):
    nodes, weights = np.array(quadrature(degree)).T
    assert weights.min() > 0
    assert 0 < nodes.min() <= nodes.max() < 1
    # with x^k to the last digits: one node too few is off by (k/2)!^4/(k!^2 (k + 1))
    assert weights @ nodes**degree == pytest.approx(1 / (degree + 1), rel=1e-12)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_a_ridge_adds_half_the_squared_norm(dimension):
    rng = np.random.default_rng(1)
    plain = BernsteinPolynomial(rng.normal(size=(2,) * dimension))
    points = rng.uniform(size=(20, dimension))
    expected = plain(points) + 0.7 / 2 * (points**2).sum(axis=1)
    assert plain.with_ridge(0.7)(points) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("degree", [1, 4, 12, 30])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_minima_in_one_dimension(degree, seed):
    polynomial = BernsteinPolynomial(np.random.default_rng(seed).normal(size=degree + 1) * 5)
    grid = polynomial(np.linspace(0, 1, 20_001)[:, None]).min()
    found = polynomial.minimum()
    assert found.value == pytest.approx(polynomial([found.point])[0])
    assert found.gap <= 1.001e-9 * np.abs(polynomial.coefficients).max()
    assert found.value - found.gap <= grid
    assert found.value <= grid + found.gap


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_minima_in_two_dimensions(seed):
    polynomial = BernsteinPolynomial(np.random.default_rng(seed).normal(size=(7, 7)))
    axis = np.linspace(0, 1, 301)
    grid = polynomial(np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)).min()
    found = polynomial.minimum()
    assert found.gap < 1e-8
    assert found.value - found.gap <= grid <= found.value + 1e-2
    assert found.value <= grid + found.gap


def test_a_narrow_well_beside_a_broad_one_is_found():
    # the global minimum is a spike of width 1/20 at 0.9 that a descent from the middle misses
    k = 60
    x = np.arange(k + 1) / k
    values = (x - 0.3) ** 2 - 8 * np.exp(-(((x - 0.9) / 0.03) ** 2))
    found = BernsteinPolynomial.through(values, order=3).minimum()
    assert abs(found.point[0] - 0.9) < 0.02
    assert found.value < -1


def test_constants_and_corners():
    flat = BernsteinPolynomial(np.full((4, 4), 2.5)).minimum()
    assert flat.value == 2.5
    assert flat.gap < 1e-13
    corner = BernsteinPolynomial.through(np.add.outer(np.arange(4), -np.arange(4)) / 3).minimum()
    assert corner.point.tolist() == [0.0, 1.0]
    assert corner.value == pytest.approx(-1.0)
    assert corner.gap < 1e-13


def on_disc(point):
    """Project on the disc of diameter 1 in the square."""
    away = point - 0.5
    norm = np.linalg.norm(away)
    return point if norm <= 0.5 else 0.5 + away * (0.5 / norm)


def test_minima_on_a_convex_part():
    # w_1 + 2 w_2: the lowest point of the disc is the centre less (1, 2)/(2 sqrt 5)
    line = np.arange(3) / 2
    found = BernsteinPolynomial.through(np.add.outer(line, 2 * line)).minimum(
        tolerance=1e-6, project=on_disc
    )
    assert found.value == pytest.approx(1.5 - math.sqrt(5) / 2, abs=1e-5)
    assert found.value - found.gap <= 1.5 - math.sqrt(5) / 2
    assert found.gap < 1e-5
    assert np.linalg.norm(found.point - 0.5) <= 0.5 + 1e-12


def test_what_is_left_open_is_in_the_gap():
    polynomial = BernsteinPolynomial(np.random.default_rng(3).normal(size=(9, 9)))
    hasty, careful = polynomial.minimum(most_boxes=3), polynomial.minimum()
    assert hasty.gap > 1e-3
    assert hasty.value - hasty.gap <= careful.value <= hasty.value


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: bernstein_basis(0, [0.5]), ValueError, "degree must be an integer >= 1"),
        (lambda: bernstein_basis(2, [0.5, 1.5]), ValueError, r"points must lie in \[0, 1\]"),
        (lambda: bernstein_basis(2, [-0.1, 0.5]), ValueError, r"points must lie in \[0, 1\]"),
        (lambda: iteration_matrix(2, 0), ValueError, "order must be an integer >= 1"),
        (lambda: iteration_matrix(2, 10**6 + 1), ValueError, "order must be .* <= 1000000"),
        (lambda: BernsteinPolynomial(np.zeros((2, 3))), ValueError, "must have equal sides"),
        (lambda: BernsteinPolynomial(np.array([math.nan, 1.0])), ValueError, "must be finite"),
        (lambda: BernsteinPolynomial(np.zeros(3)).minimum(tolerance=0), ValueError, "tolerance"),
        (lambda: BernsteinPolynomial(np.zeros(3))([[0.1, 0.2]]), ValueError, "points must have"),
        (lambda: BernsteinPolynomial(np.zeros(3)).with_ridge(-1), ValueError, "strength must be"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
