"""The smoothed truncation psi_s: exact, bounded, and total on the doubles."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.heavy_tailed.truncation import correction, smoothed_truncation, truncation_bound

LIMIT = 2 * math.sqrt(2) / 3
ANY_DOUBLE = st.floats(allow_nan=True, allow_infinity=True)
PRECISIONS = st.floats(1e-3, 1e6)
SCALES = st.floats(1e-6, 1e6)


def expectation(a: float, precision: float) -> float:
    """E phi(a(1 + xi/sqrt(precision))) by its definition: quadrature over the noise itself."""
    with mp.workdps(25):
        x, width = mp.mpf(a), abs(mp.mpf(a)) / mp.sqrt(precision)

        def weighted(u: mp.mpf) -> mp.mpf:
            value = 2 * mp.sqrt(2) / 3 * mp.sign(u) if abs(u) > mp.sqrt(2) else u - u**3 / 6
            return value * mp.npdf(u, x, width)

        edges = [x - 12 * width, x + 12 * width]
        inside = [-mp.sqrt(2), mp.sqrt(2), x - 3 * width, x, x + 3 * width]
        points = [edges[0], *sorted(p for p in inside if edges[0] < p < edges[1]), edges[1]]
        return float(mp.quad(weighted, points))


# b = a/sqrt(precision) on both sides of 1/2, where the formula changes, and a on both sides of 8
@pytest.mark.parametrize(
    ("a", "precision"),
    [
        (1e-4, 2.3),
        (0.3, 0.5),
        (0.7, 1.9),
        (0.74, 2.2),
        (1.2, 2.3),
        (math.sqrt(2), 1.0),
        (5.0, 99.0),
        (5.0, 101.0),
        (7.9, 5.3),
        (8.5, 5.3),
        (40.0, 2.3),
    ],
)
def test_matches_quadrature(a: float, precision: float) -> None:
    exact = expectation(a, precision)
    found = smoothed_truncation([a, -a], scale=1.0, precision=precision)
    np.testing.assert_allclose(found, [exact, -exact], rtol=3e-14, atol=1e-15)


def test_hand_computed_without_smoothing() -> None:
    # with precision 1e12 the smoothing is invisible: phi itself
    found = smoothed_truncation([0.0, 1.0, -1.0, 3.0, 30.0], scale=1.0, precision=1e12)
    np.testing.assert_allclose(found, [0, 5 / 6, -5 / 6, LIMIT, LIMIT], atol=1e-11)


def test_small_arguments_are_unchanged_to_third_order() -> None:
    x = np.array([1e-3, -2e-3])
    found = smoothed_truncation(x, scale=1.0, precision=2.0)
    # E phi = a(1 - b^2/2) - a^3/6 with b^2 = a^2/2
    np.testing.assert_allclose(found, x - x**3 / 4 - x**3 / 6, rtol=1e-14)


@given(ANY_DOUBLE, SCALES, PRECISIONS)
def test_never_exceeds_its_bound(x: float, scale: float, precision: float) -> None:
    value = float(smoothed_truncation(x, scale=scale, precision=precision))
    assert abs(value) <= truncation_bound(scale=scale, precision=precision) <= LIMIT * scale


@given(st.floats(0, 1e300), st.floats(0, 1e300), PRECISIONS)
def test_odd_and_nondecreasing(x: float, y: float, precision: float) -> None:
    low, high, mirrored = smoothed_truncation(
        [min(x, y), max(x, y), -x], scale=1, precision=precision
    )
    assert high >= low - 2e-14
    assert mirrored == -smoothed_truncation(x, scale=1, precision=precision)


def test_totality() -> None:
    bound = truncation_bound(scale=2.0, precision=1.5)
    with np.errstate(all="raise", under="ignore"):
        found = smoothed_truncation(
            [0.0, math.nan, math.inf, -math.inf, 1.7e308, 5e-324, -1e-200], scale=2.0, precision=1.5
        )
    expected = [0.0, 0.0, bound, -bound, bound, 0.0, -1e-200]
    np.testing.assert_allclose(found, expected, rtol=2e-15, atol=1e-320)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3), PRECISIONS)
def test_scale_equivariance(x: float, c: float, precision: float) -> None:
    scaled = smoothed_truncation(c * x, scale=c, precision=precision)
    unscaled = c * smoothed_truncation(x, scale=1.0, precision=precision)
    np.testing.assert_allclose(scaled, unscaled, rtol=1e-12, atol=c * 1e-13)


def test_bound_is_the_supremum() -> None:
    for precision in (0.1, 1.0, 2.3, 5.3, 50.0):
        bound = truncation_bound(scale=3.0, precision=precision)
        assert bound == pytest.approx(LIMIT * 3.0 * math.erf(math.sqrt(precision / 2)))
        assert smoothed_truncation(1e9, scale=3.0, precision=precision) == pytest.approx(
            bound, rel=1e-9
        )


def test_shapes_and_types() -> None:
    assert smoothed_truncation(1, scale=1, precision=1).shape == ()
    assert smoothed_truncation([[1, 2, 3]], scale=1, precision=1).shape == (1, 3)
    assert smoothed_truncation(np.zeros((0, 2)), scale=1, precision=1).shape == (0, 2)
    single = smoothed_truncation(np.array([0.5], dtype=np.float32), scale=1, precision=1)
    assert single.dtype == np.float64
    data = np.array([1e9, math.nan])
    smoothed_truncation(data, scale=1, precision=1)
    np.testing.assert_array_equal(data, [1e9, math.nan])


@pytest.mark.parametrize("bad", [0.0, -1.0, math.inf, math.nan])
def test_bad_parameters(bad: float) -> None:
    with pytest.raises(ValueError, match="scale must be"):
        smoothed_truncation([1.0], scale=bad, precision=1.0)
    with pytest.raises(ValueError, match="precision must be"):
        smoothed_truncation([1.0], scale=1.0, precision=bad)
    with pytest.raises(ValueError, match="precision must be"):
        truncation_bound(scale=1.0, precision=bad)


def test_closed_form_is_exact_but_not_in_doubles() -> None:
    def literal(a: float, precision: float) -> float:
        b = a / math.sqrt(precision)
        return a * (1 - b**2 / 2) - a**3 / 6 + float(correction(np.array(a), np.array(b)))

    assert literal(1.3, 2.3) == pytest.approx(expectation(1.3, 2.3), rel=1e-13)
    # erratum wang-phi/2: the cubes of 1e8 cancel to noise
    assert abs(literal(1e8, 2.3)) > 1e6
    assert abs(float(smoothed_truncation(1e8, scale=1, precision=2.3))) < LIMIT
