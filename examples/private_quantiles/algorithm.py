"""A private quantile by the exponential mechanism (private-quantiles)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor import Entry, Model, Paper, Relation, Source
from reference.privacy import Ledger, open_ledger

SENSITIVITY = 1.0
"""Largest change of the utility, at any point, when one record is replaced.

At a point x the utility is -|i(x) - q n|, where i(x) is the number of records below x. Replacing a
record changes i(x) by at most 1, and |.| changes by no more than its argument. From n = 2 on it is
attained for every q: 0 and 1, or n - 1 and n, are on the same side of q n.
"""

FRACTION = 2**20
"""q n is rounded to a multiple of 1/FRACTION: utilities are exact up to 2^32 records, and no
rounding adds to the sensitivity."""


def private_quantile(
    data: ArrayLike,
    *,
    quantile: float,
    lower: float,
    upper: float,
    epsilon: float,
    ledger: Ledger | None = None,
) -> float:
    """Return a number that about ``quantile`` of the records are below.

    Parameters
    ----------
    data : array_like of shape (n,)
        Finite; cut to [lower, upper].
    quantile : float
        q in [0, 1].
    lower, upper : float
        lower < upper, public.
    epsilon : float
        > 0.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    float
        In [lower, upper), of density proportional to exp(-(epsilon/2) |i(x) - q n|) at x, where
        i(x) is the number of records up to x: a gap between neighbouring records with probability
        proportional to its width times exp(-(epsilon/2) |i - q n|), then a uniform point of it.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon; approached where the record
    crosses a gap that is nearly the whole interval. For add-or-remove the utility would change by
    max(q, 1 - q), and n would be no longer public.
    *Utility*: if a width w has ranks within 1 of q n, the rank |i - q n| of the output is at most
    1 + (2/epsilon) log((upper - lower)/(w zeta)) with probability 1 - zeta: all points of a larger
    rank k have mass at most (upper - lower) e^(-epsilon k/2), those of width w at least
    w e^(-epsilon/2). Where the density of the records is bounded below, w is about 1/n, and the
    distance to the sample's quantile is O(log(n/zeta)/(n epsilon)).
    *Ties*: a value that many records share has no width and is never returned; points beside it
    may be far in rank and not be so in value.

    References
    ----------
    Smith (2011), Algorithm 2; Gillenwater, Joseph and Kulesza (2021), one quantile of theirs.
    """
    ledger = open_ledger(ledger)
    records = np.asarray(data, dtype=np.float64)
    if records.ndim != 1 or records.size == 0 or not np.isfinite(records).all():
        raise ValueError(f"data must be a vector of finite numbers, got shape {records.shape}")
    if not 0 <= quantile <= 1:
        raise ValueError(f"quantile must be in [0, 1], got {quantile!r}")
    utilities, ends = utilities_and_ends(records, quantile, lower, upper)
    # the ledger refuses other parameters out of range before it draws
    return ledger.interval_exponential(
        utilities, ends, lower=lower, upper=upper, sensitivity=SENSITIVITY, epsilon=epsilon
    )


def utilities_and_ends(
    records: NDArray[np.float64], quantile: float, lower: float, upper: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the utilities of the n + 1 gaps, and the n ends between them."""
    target = round(quantile * records.size * FRACTION) / FRACTION
    utilities = -np.abs(np.arange(records.size + 1) - target)
    return utilities, np.sort(np.clip(records, lower, upper))


ENTRY = Entry(
    id="private-quantiles",
    name="Quantile by the exponential mechanism",
    sources=(
        Source(
            Paper(
                "Smith",
                "Privacy-preserving statistical estimation with optimal convergence rates",
                2011,
                "STOC, doi:10.1145/1993636.1993743",
            ),
            "Algorithm 2",
        ),
        Source(
            Paper(
                "Gillenwater, Joseph and Kulesza",
                "Differentially private quantiles",
                2021,
                "ICML, arXiv:2102.08244",
            ),
            "the exponential mechanism for one quantile",
        ),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP",
    utility_claim="distance to the sample's quantile O(log(n)/(n epsilon)) for densities bounded "
    "below, with constant probability",
    function=private_quantile,
    printed="private_quantiles.printed",
)
