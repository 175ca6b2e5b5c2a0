"""Trimmed mean with smooth sensitivity and arsinh-normal noise (diss-3.2.6)."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    MAGNITUDES,
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_epsilon,
    require_in_interval,
    require_magnitude,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

LARGEST_EPSILON = 12.0
"""Largest epsilon that is accepted.

Up to here t = epsilon^2/16 and s = epsilon/4 give epsilon^2/2-zCDP (quadrature); not at 16.
"""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that the noise is calibrated by. Step 1, l.1505.

    Attributes
    ----------
    smoothness : float
        t: log S changes by at most t when one record is replaced.
    divisor : float
        s: the noise is S/s times sinh of a standard normal.
    rho : float
        The zCDP that these two give.
    """

    smoothness: float
    divisor: float
    rho: float


def constants_for(*, epsilon: float) -> Constants:
    """Return t = epsilon^2/16 and s = epsilon/4, with rho = epsilon^2/2.

    The paper's rule is loose: by quadrature the Renyi divergence is 19 times less than rho allows
    at epsilon <= 1; it is valid up to epsilon = 12.

    Raises
    ------
    ValueError, TypeError
        If epsilon is not in (0, 12].
    """
    epsilon = _require_epsilon(epsilon)
    return Constants(smoothness=epsilon**2 / 16, divisor=epsilon / 4, rho=epsilon**2 / 2)


def trim_count(
    n: int, epsilon: float, *, lower: float, upper: float, standard_deviation: float
) -> int:
    """Return m = ceil((16/epsilon^2) log(n (b - a)/sigma)), at which the noise falls with n.

    The noise never goes below that of e^{-mt}(b - a), which is then at most sigma/n.

    Parameters
    ----------
    n : int
        Number of records, public.
    epsilon : float
        In (0, 12].
    lower, upper : float
        a < b, bounds on the mean.
    standard_deviation : float
        A public lower bound on sigma, > 0.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If m would be n/2 or more: the data set is too small for this epsilon.
    """
    require_count("n", n, at_least=3)
    epsilon = _require_epsilon(epsilon)
    lower, upper = require_range(lower, upper)
    deviation = require_magnitude("standard_deviation", standard_deviation)
    m = max(1, math.ceil(16 / epsilon**2 * math.log(n * (upper - lower) / deviation)))
    if 2 * m >= n:
        raise ParameterValueError(
            "n",
            f"be > 2m = {2 * m} to trim m = {m} on each side at epsilon={epsilon:g}",
            got=f"{n}",
        )
    return m


def smooth_sensitivity(
    data: ArrayLike, *, trim: int, smoothness: float, lower: float, upper: float
) -> float:
    """Return a t-smooth upper bound on the local sensitivity of the clipped trimmed mean.

    S = max(e^{-mt}(b - a), max_{k<m} e^{-kt} min(b - a, A_k)), where
    A_k = max_{0<=l<=k+1} (x_(n-m+1+k-l) - x_(m+1-l))/(n - 2m) is the local sensitivity of the
    trimmed mean over all data sets at distance k (infinite from k = m on). It is computed in
    O(m^2). Added to it is a constant, the rounding of two means in [a, b], which leaves it smooth.

    Parameters
    ----------
    data : array_like of shape (n,)
        n >= 3.
    trim : int
        m, in [1, n/2).
    smoothness : float
        t > 0: log S changes by at most t when one record is replaced.
    lower, upper : float
        a < b.

    Returns
    -------
    float
        > 0, in the units of the data.
    """
    x, m = require_trimmable(data, trim)
    n = x.size
    t = require_positive("smoothness", smoothness)
    lower, upper = require_range(lower, upper)
    width = upper - lower
    # where e^{-mt} underflows: the larger of a smooth bound and a constant is smooth
    largest = max(width * math.exp(-m * t), sys.float_info.min)
    with np.errstate(over="ignore"):  # a gap beyond the largest float is capped by b - a
        for k in range(m):
            decay = math.exp(-k * t)
            if decay * width <= largest:
                break
            gap = (x[n - m - 1 : n - m + k + 1] - x[m - k - 1 : m + 1]).max() / (n - 2 * m)
            largest = max(largest, decay * min(width, float(gap)))
    return largest + 4 * sys.float_info.epsilon * max(abs(lower), abs(upper))


@checked_arguments
def private_trimmed_mean(
    data: ArrayLike,
    *,
    epsilon: float,
    lower: float,
    upper: float,
    trim: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> float:
    """Estimate the mean of heavy-tailed data on the real line.

    Parameters
    ----------
    data : array_like of shape (n,)
        Any finite real numbers, n >= 3.
    epsilon : float
        In (0, 12].
    lower, upper : float
        a < b: public bounds on the *mean* (not on the data).
    trim : int
        m in [1, n/2), public: how many records to drop at either end. See :func:`trim_count`;
        the noise has a floor of e^{-m epsilon^2/16}(b - a), so a constant m is of no use.
    constants : Constants, optional
        By default :func:`constants_for`. Where they are given, they stand for epsilon.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 3.2.3): epsilon^2/2-zCDP, central, replace-one. The theorem has
    epsilon <= 1.

    *Utility* (Theorem 3.2.3): mean squared error O(sigma^2 log(n)/(n epsilon^2)), with m of
    :func:`trim_count`.

    *As printed*: the noise scale is an upper bound of the smooth sensitivity that is not smooth
    itself (diss-3.2.6/E1); here it is the smooth sensitivity. m = O(1) is said to suffice for the
    rate, for which m has to grow like log n (diss-3.2.6/E2).

    References
    ----------
    Wang (2020), Algorithm 3.2.6 (l.1499-1517), Theorem 3.2.3 (l.1489-1491).

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> data = np.linspace(0.0, 2.0, 4001)
    >>> m = trim_count(4001, 1.0, lower=-10.0, upper=10.0, standard_deviation=0.5)
    >>> mean = private_trimmed_mean(
    ...     data, epsilon=1.0, lower=-10.0, upper=10.0, trim=m, ledger=Ledger(0)
    ... )
    >>> abs(mean - 1.0) < 0.05
    True
    """
    ledger = open_ledger(ledger)
    chosen = fixed_constants(ledger, Constants, constants, constants_for, epsilon=epsilon)

    rho = proved_rho(chosen)
    lower, upper = require_range(lower, upper)
    bound = smooth_sensitivity(  # step 1
        data, trim=trim, smoothness=chosen.smoothness, lower=lower, upper=upper
    )
    output = ledger.smooth(  # step 3
        truncated_trimmed_mean(data, trim=trim, lower=lower, upper=upper),  # step 2
        smooth_bound=bound,
        smoothness=chosen.smoothness,
        divisor=chosen.divisor,
        rho=rho,
    )
    return float(output)


def proved_rho(constants: Constants) -> float:
    """Return the rho of any constants: their own, or what the rule gives for t and s if it is more.

    The rule is epsilon^2/2 of the smallest epsilon at which t <= epsilon^2/16 and s <= epsilon/4.

    Raises
    ------
    ValueError
        Where that epsilon is beyond 12, so that nothing is proved.
    """
    by_rule = 8 * max(constants.smoothness, constants.divisor**2)
    if by_rule > LARGEST_EPSILON**2 / 2:
        raise ParameterValueError(
            "smoothness",
            f"be <= {LARGEST_EPSILON**2 / 16:g} and divisor <= {LARGEST_EPSILON / 4:g}, "
            "beyond which no rho is proved",
            constants,
        )
    return max(constants.rho, by_rule)


def truncated_trimmed_mean(data: ArrayLike, *, trim: int, lower: float, upper: float) -> float:
    """Return the mean of all but the m smallest and the m largest records, cut to [a, b]. Step 2.

    Parameters are those of :func:`private_trimmed_mean`.
    """
    x, m = require_trimmable(data, trim)
    kept = x[m : x.size - m]
    # a power of two, so that no sum is beyond the largest magnitude: it is rounded once
    down = math.ldexp(1.0, -kept.size.bit_length())
    return min(max(math.fsum(kept * down) / (kept.size * down), lower), upper)


def require_trimmable(data: ArrayLike, trim: int) -> tuple[FloatArray, int]:
    """Return the sorted data and m, or raise."""
    x = np.sort(require_array("data", data, ndim=1))
    if x.size < 3:
        raise ParameterValueError("data", "have at least 3 records to trim", got=f"{x.size}")
    return x, require_count("trim", trim, at_most=(x.size - 1) // 2)


def _require_epsilon(epsilon: float) -> float:
    epsilon = require_epsilon(epsilon)
    if epsilon > LARGEST_EPSILON:
        raise ParameterValueError("epsilon", f"be in (0, {LARGEST_EPSILON:g}]", epsilon)
    return epsilon


def require_range(lower: float, upper: float) -> tuple[float, float]:
    """Return a and b as floats, a < b, or raise."""
    largest = MAGNITUDES[1]
    lower = require_in_interval("lower", lower, -largest, largest)
    upper = require_in_interval("upper", upper, lower, largest)
    require_positive("upper - lower", upper - lower)
    return lower, upper


ENTRY = Entry(
    id="diss-3.2.6",
    name="Trimmed mean with smooth sensitivity (Mechanism M)",
    sources=(Source("004", "Algorithm 3.2.6", "1499-1517"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon^2/2-zCDP for 0 < epsilon <= 1 (Theorem 3.2.3)",
    utility_claim="mean squared error O(sigma^2 log(n)/(n epsilon^2)) (Theorem 3.2.3)",
    function=private_trimmed_mean,
)
