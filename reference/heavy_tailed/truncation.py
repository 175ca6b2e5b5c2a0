"""The smoothed soft truncation psi_s: a bounded influence function for heavy-tailed means.

Sources: Wang, Ding, Hu, Xie, Pan and Xu (2020), (14)-(17), l.199-237; Wang (2020), (7.53)-(7.57),
l.9561-9599 and section 3.2 (Catoni and Giulini 2017; Holland 2019). With phi(u) = u - u^3/6 for
|u| <= sqrt 2 and +-2 sqrt 2/3 beyond,

    psi_s(x) = s E phi((x/s)(1 + xi/sqrt(precision))),    xi ~ N(0, 1).

The smoothing noise is integrated out, never drawn.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, roots_legendre

from reference._validation import FloatArray, require_positive
from reference.basic.sums import rounded_mean
from reference.parameters import checked_arguments

_SQRT2 = math.sqrt(2)
_LIMIT = 2 * _SQRT2 / 3  # largest value of phi

# Below this, psi_s(x) = x(1 - b^2/2 - a^2/6) is x to rounding; x/s may have underflowed.
_TINY = 1e-9
# Beyond this standard deviation of the smoothed argument the integral is smooth enough for 16
# nodes to be exact to rounding; below it the closed form has no cancellation.
_WIDE = 0.5
_NODES, _WEIGHTS = roots_legendre(16)
_U = (_NODES + 1) / _SQRT2  # nodes on [0, sqrt 2]
_SLOPES = _WEIGHTS / _SQRT2 * (1 - _U**2 / 2)  # weights times phi'(u)


def truncation_bound(*, scale: float, precision: float) -> float:
    """Return sup_x |psi_s(x)| = (2 sqrt 2/3) s erf(sqrt(precision/2)).

    The papers use the larger (2 sqrt 2/3) s. The supremum is approached as |x| grows and psi_s is
    nondecreasing, so replacing one of m records moves their mean by at most twice this over m.

    Parameters
    ----------
    scale : float
        s > 0, in units of x.
    precision : float
        > 0, inverse variance of the smoothing noise (the papers' second beta).

    Returns
    -------
    float
    """
    require_positive("scale", scale)
    require_positive("precision", precision)
    return _LIMIT * scale * math.erf(math.sqrt(precision / 2))


def smoothed_truncation(x: ArrayLike, *, scale: float, precision: float) -> FloatArray:
    """Return psi_s(x), elementwise and bounded for every double.

    Parameters
    ----------
    x : array_like
        Any real numbers. Infinities give the limits; NaN (an overflow in the caller's arithmetic)
        counts as 0, so that no record can make a release fail.
    scale : float
        s > 0, in units of ``x``.
    precision : float
        > 0, inverse variance of the smoothing noise.

    Returns
    -------
    ndarray
        Same shape as ``x``; absolute values at most :func:`truncation_bound`.

    Raises
    ------
    ValueError, TypeError
        If ``scale`` or ``precision`` is not a finite number > 0.

    Notes
    -----
    With a = |x|/s and U ~ N(a, b^2), b = a/sqrt(precision), it is s E phi(U). For b <= 1/2 this
    is the closed form (17) of Wang, Ding, Hu, Xie, Pan and Xu (2020). For larger b the closed form
    subtracts numbers of size a^3 (erratum wang-phi/E2), so integration by parts is used instead,
    whose terms are all >= 0:

        E phi(U) = int_0^sqrt2 (1 - u^2/2) (P(U > u) - P(U < -u)) du.

    Where a and b are below 1e-9 it is x itself, also where x/s underflows. The relative error is
    below 2e-13 for every precision >= 1e-6, and below 2e-16/sqrt(precision) for smaller ones,
    unless the value itself is subnormal.
    """
    bound = truncation_bound(scale=scale, precision=precision)
    root = math.sqrt(precision)
    array = np.asarray(x, dtype=np.float64)
    values = np.where(np.isnan(array), 0.0, array).reshape(-1)
    with np.errstate(over="ignore"):  # an infinite ratio is the limit
        a = np.abs(values) / scale
        b = a / root
    wide = b > _WIDE
    # where b <= 1/2 and a > 8, phi(U) is at its limit but for a probability below 1e-30
    clipped = np.minimum(np.where(wide, 0.0, a), 8.0)
    narrow_b = np.where(wide, 0.0, b)
    # the floor keeps 1/b finite; below it the correction does not depend on b
    result = clipped * (1 - narrow_b**2 / 2) - clipped**3 / 6
    result += correction(clipped, np.maximum(narrow_b, 1e-100))
    if wide.any():
        steps = _U / b[wide][:, None]
        # a sum, not a product with a vector: the same value whatever the other elements are
        result[wide] = ((ndtr(root - steps) - ndtr(-root - steps)) * _SLOPES).sum(axis=1)
    tiny = (a < _TINY) & (b < _TINY)
    size = np.where(tiny, np.abs(values), scale * result)
    truncated: FloatArray = np.copysign(np.minimum(size, bound), values)
    return truncated.reshape(array.shape)


def truncated_mean(values: FloatArray, *, scale: float, precision: float) -> FloatArray:
    """Return the mean over axis 0 of psi_s(values): the robust mean of every column.

    Parameters
    ----------
    values : ndarray of shape (n, ...)
        One row per record; infinities and NaN as for :func:`smoothed_truncation`.
    scale, precision : float
        As for :func:`smoothed_truncation`.

    Returns
    -------
    ndarray of shape (...)
        Replacing one record moves every entry by at most :func:`mean_sensitivity`.
    """
    truncated = smoothed_truncation(values, scale=scale, precision=precision)
    return rounded_mean(truncated, bound=truncation_bound(scale=scale, precision=precision))


@checked_arguments
def mean_sensitivity(n: int, *, scale: float) -> float:
    """Return (4 sqrt 2/3) s/n, the papers' bound on what one of n records moves a robust mean by.

    The exact supremum, 2 truncation_bound/n, is smaller by the factor erf(sqrt(precision/2)).
    """
    return 4 * _SQRT2 / 3 * scale / n


def correction(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return C-hat(a, b), b > 0: E phi(a + b xi) = a(1 - b^2/2) - a^3/6 + C-hat(a, b).

    As printed, T1 + ... + T5 (Wang, Ding, Hu, Xie, Pan and Xu (2020), l.225-237). Exact in real
    arithmetic, but the sum with the cubic cancels to nothing in double precision once |a| or b is
    large: use :func:`smoothed_truncation`.
    """
    v_minus, v_plus = (_SQRT2 - a) / b, (_SQRT2 + a) / b
    f_minus, f_plus = ndtr(-v_minus), ndtr(-v_plus)
    e_minus, e_plus = np.exp(-(v_minus**2) / 2), np.exp(-(v_plus**2) / 2)
    root = math.sqrt(2 * math.pi)
    t1 = _LIMIT * (f_minus - f_plus)
    t2 = -(a - a**3 / 6) * (f_minus + f_plus)
    t3 = b / root * (1 - a**2 / 2) * (e_plus - e_minus)
    t4 = a * b**2 / 2 * (f_plus + f_minus + (v_plus * e_plus + v_minus * e_minus) / root)
    t5 = b**3 / (6 * root) * ((2 + v_minus**2) * e_minus - (2 + v_plus**2) * e_plus)
    total: FloatArray = t1 + t2 + t3 + t4 + t5
    return total
