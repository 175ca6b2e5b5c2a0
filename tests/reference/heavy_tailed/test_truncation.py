"""The smoothed truncation psi_s: exact, bounded, and total on the doubles."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference.heavy_tailed.truncation import (
    mean_sensitivity,
    smoothed_truncation,
    truncated_mean,
    truncation_bound,
)

LIMIT = 2 * math.sqrt(2) / 3
ANY_DOUBLE = st.floats(allow_nan=True, allow_infinity=True)
PRECISIONS = st.floats(1e-3, 1e6)
SCALES = st.floats(1e-6, 1e6)


# b = a/sqrt(precision) on both sides of 1/2, where the formula changes, and a on both sides of 8


def test_hand_computed_without_smoothing() -> None:
    # with precision 1e12 the smoothing is invisible: phi itself
    found = smoothed_truncation([0.0, 1.0, -1.0, 3.0, 30.0], scale=1.0, precision=1e12)
    np.testing.assert_allclose(found, [0, 5 / 6, -5 / 6, LIMIT, LIMIT], atol=1e-11)


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


def test_bound_is_the_supremum() -> None:
    for precision in (0.1, 1.0, 2.3, 5.3, 50.0):
        bound = truncation_bound(scale=3.0, precision=precision)
        assert bound == pytest.approx(LIMIT * 3.0 * math.erf(math.sqrt(precision / 2)))
        assert smoothed_truncation(1e9, scale=3.0, precision=precision) == pytest.approx(
            bound, rel=1e-9
        )


@pytest.mark.parametrize("bad", [0.0, -1.0, math.inf, math.nan])
def test_bad_parameters(bad: float) -> None:
    with pytest.raises(ValueError, match="scale must be"):
        smoothed_truncation([1.0], scale=bad, precision=1.0)
    with pytest.raises(ValueError, match="precision must be"):
        smoothed_truncation([1.0], scale=1.0, precision=bad)
    with pytest.raises(ValueError, match="precision must be"):
        truncation_bound(scale=1.0, precision=bad)


# ------------------------------------------------- (17) to 40 digits, and what doubles make of it


def closed_form(x: float, scale: float, precision: float) -> mp.mpf:
    """s times (17) of Wang, Ding, Hu, Xie, Pan and Xu (2020).

    With as many digits as its cubes cancel and 60 more.
    """
    with mp.workdps(60):
        a = abs(mp.mpf(x)) / mp.mpf(scale)
        b = a / mp.sqrt(mp.mpf(precision))
        lost = 3 * int(max(mp.log10(a), mp.log10(b), 0))
        far = (mp.sqrt(2) - a) / b > 40  # the correction is below 1e-345
    with mp.workdps(60 + lost):
        a = abs(mp.mpf(x)) / mp.mpf(scale)
        b = a / mp.sqrt(mp.mpf(precision))
        value = a * (1 - b**2 / 2) - a**3 / 6
        if not far:
            root2, root = mp.sqrt(2), mp.sqrt(2 * mp.pi)
            v = ((root2 - a) / b, (root2 + a) / b)
            f = [mp.ncdf(-side) for side in v]
            e = [mp.exp(-(side**2) / 2) for side in v]
            value += 2 * root2 / 3 * (f[0] - f[1])
            value -= (a - a**3 / 6) * (f[0] + f[1])
            value += b / root * (1 - a**2 / 2) * (e[1] - e[0])
            value += a * b**2 / 2 * (f[1] + f[0] + (v[1] * e[1] + v[0] * e[0]) / root)
            value += b**3 / (6 * root) * ((2 + v[0] ** 2) * e[0] - (2 + v[1] ** 2) * e[1])
        return mp.sign(x) * mp.mpf(scale) * value


# a from tiny to huge, near sqrt 2 and 8; precision from 1e-6 to 1e12; b on both sides of 1/2
CORNERS = [
    (1e-300, 1.0),
    (1e-12, 1e-6),
    (4.999e-4, 1e-6),
    (5.001e-4, 1e-6),
    (1e-2, 1e-6),
    (1.4142135623730951, 1e-6),
    (0.4999, 1.0),
    (0.5001, 1.0),
    (1.4142135623730951, 1.73),
    (1.4142135623730951, 1e12),
    (1.414213, 1e12),
    (1.414215, 1e12),
    (7.999, 300.0),
    (8.001, 300.0),
    (4.999e5, 1e12),
    (5.001e5, 1e12),
    (1e8, 2.3),
    (1e300, 1e-6),
    (1e300, 1e12),
]


def relative_error(x: float, scale: float, precision: float) -> float:
    exact = closed_form(x, scale, precision)
    found = float(smoothed_truncation(x, scale=scale, precision=precision))
    with mp.workdps(30):
        return float(abs(mp.mpf(found) / exact - 1))


@pytest.mark.parametrize(("a", "precision"), CORNERS)
@pytest.mark.parametrize("scale", [1.0, 3e-7])
def test_relative_error_in_the_corners(a: float, precision: float, scale: float) -> None:
    for x in (a * scale, -a * scale):
        assert relative_error(x, scale, precision) < 1e-13


@pytest.mark.parametrize(
    ("x", "scale", "precision"),
    [
        (5e-324, 1.0, 1.0),
        (5e-324, 2.0, 1e-6),  # x/s underflows to 0
        (1.23456789e-300, 1e20, 1.0),  # x/s is subnormal
        (1.23456e-10, 1.7e308, 2.3),
        (1.2345e-300, 1e12, 1e-6),
        (2e-310, 1e3, 1e12),
        (1e300, 1e-20, 1e-6),  # x/s overflows
        (1.7e308, 1e308, 1e-6),
    ],
)
def test_relative_error_where_the_ratio_leaves_the_doubles(
    x: float, scale: float, precision: float
) -> None:
    assert relative_error(x, scale, precision) < 1e-13


@given(st.floats(-300, 300), st.floats(-6, 12), st.floats(-7, 7))
@example(0.15, -6.0, 0.0)
@example(-3.3, -6.0, 0.0)
def test_relative_error_everywhere(exponent: float, precision: float, scale: float) -> None:
    s = 10.0**scale
    assert relative_error(10.0**exponent * s, s, 10.0**precision) < 2e-13


@given(st.floats(-12, 2), st.sampled_from([1.0, 2.3, 100.0, 1e6, 1e12]))
def test_relative_error_near_the_kink_and_the_switches(exponent: float, precision: float) -> None:
    off = 1 + 10.0**exponent / math.sqrt(precision)
    for centre in (math.sqrt(2), 8.0, math.sqrt(precision) / 2):
        assert relative_error(centre * off, 1.0, precision) < 2e-13
        assert relative_error(centre / off, 1.0, precision) < 2e-13


def test_the_robust_mean_and_what_a_record_moves_it_by():
    data = np.array([[0.5, 1e300], [2.0, -1.0], [np.nan, 3.0]])
    mean = truncated_mean(data, scale=2.0, precision=3.0)
    psi = smoothed_truncation(data, scale=2.0, precision=3.0)
    np.testing.assert_array_equal(mean, psi.sum(axis=0) / 3)
    assert mean_sensitivity(3, scale=2.0) == pytest.approx(4 * math.sqrt(2) / 9 * 2.0, rel=1e-15)
    # the papers' bound is the exact one over erf(sqrt(precision/2))
    exact = 2 * truncation_bound(scale=2.0, precision=3.0) / 3
    assert exact / mean_sensitivity(3, scale=2.0) == pytest.approx(math.erf(math.sqrt(1.5)))
    far = [truncated_mean(np.array([x, 1.0, 1.0]), scale=2.0, precision=3.0) for x in (1e9, -1e9)]
    assert far[0] - far[1] == pytest.approx(exact, rel=1e-9)
