"""The floating-point finding: can the low-order bits of the output tell D from D'.

A mechanism that is private over the reals need not be over the doubles: 0 + noise has the full
53 bits of its own magnitude, while v + noise is a multiple of the last place of the larger of
v and the noise, so small outputs of it end in zeros. This module looks at nothing but where the
binary expansion of an output ends, and at no bit that counts for more than some spacings of floats
at the magnitude of the outputs (:mod:`auditor.events.lattices` looks at those). What it finds is a
leak of the implementation's arithmetic, which every mechanism that adds floating-point noise has:
reported as a finding of its own kind, never as a violation of the claim, which is about real
numbers.

Source: Mironov, "On significance of the least significant bits for differential privacy" (2012).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.events.thresholds import Certificate, certify
from auditor.statistics.claims import Claim
from reference._validation import FloatArray

COARSE = 2.0**8
"""A step of so many spacings of floats, or more, is not that of floating-point arithmetic."""
REMEDY = (
    "that says nothing of the claim on paper; before anybody sees all bits of an output, round it "
    "to a public grid, or draw discrete noise (docs/how-to/check-your-mechanism.md#the-last-bits)"
)
"""Advice that goes with the finding."""
ZERO = 1100.0
"""Exponent given to 0, which is a multiple of every power of two."""


def lowest_bit(values: ArrayLike) -> FloatArray:
    """Return the exponent of the lowest set bit: the largest e such that 2^e divides the value.

    Parameters
    ----------
    values : array_like
        Finite doubles.

    Returns
    -------
    ndarray
        In [-1074, 1023]; :data:`ZERO` for 0.
    """
    fraction, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    mantissa = np.abs(fraction * 2.0**53).astype(np.int64)
    lowest = mantissa & -mantissa
    bits = np.log2(np.where(mantissa == 0, 1, lowest).astype(np.float64)) + exponent - 53
    return np.where(mantissa == 0, ZERO, bits)


def trailing_zeros(values: ArrayLike) -> FloatArray:
    """Return how many of the 53 bits of the mantissa are zeros at its end; 53 for 0."""
    _, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    bits = lowest_bit(values)
    return np.where(bits == ZERO, 53.0, bits - (exponent - 53))


def quantile(values: FloatArray, share: float) -> FloatArray:
    """Return a quantile of the finite values of every column; 0 where there are none."""
    ordered = np.sort(np.where(np.isfinite(values), values, math.inf), axis=0)  # the others last
    finite = np.isfinite(ordered).sum(axis=0)
    at = np.minimum((share * finite).astype(int), np.maximum(finite - 1, 0))
    found = ordered[at, np.arange(values.shape[1])]
    return np.where(finite > 0, found, 0.0)


def spacing(values: FloatArray) -> FloatArray:
    """Return the spacing of floats at the magnitude of most outputs, column by column.

    Of single-precision floats if all values are such, whatever their type is now.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Those that are not finite do not count.

    Returns
    -------
    ndarray of shape (d,)
        At the largest but a tenth of the magnitudes.
    """
    found = np.spacing(quantile(np.abs(values), 0.9))
    return np.where(single_precision(values), found * 2.0**29, found)


def single_precision(values: FloatArray) -> NDArray[np.bool_]:
    """Return for every column whether all values are single-precision floats."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        kept = values.astype(np.float32) == values
    return np.asarray((kept | ~np.isfinite(values)).all(axis=0))


PATTERNS = {"exponent of the lowest set bit": lowest_bit, "trailing zero bits": trailing_zeros}


def finding(
    first: ArrayLike,
    second: ArrayLike,
    claim: Claim,
    alpha: float,
    *,
    delta: float,
) -> Mapping[str, Any] | None:
    """Return a finding if the low-order bits alone break the claim, else ``None``.

    Parameters
    ----------
    first, second : array_like of shape (N,)
        Unrounded outputs of independent runs on D and on D'. Those that are not finite have no
        bits: they are alike.
    claim : Claim
    alpha : float
        Error probability, shared by all patterns and both directions.
    delta : float
        Epsilon is reported at this delta.

    Returns
    -------
    mapping or None
        With ``kind``, ``epsilon_lower``, ``p_value``, ``event`` and ``statement``.
    """
    given = [np.asarray(sample, dtype=np.float64) for sample in (first, second)]
    present = [np.isfinite(sample) for sample in given]
    samples = [np.where(kept, sample, 0.0) for kept, sample in zip(present, given, strict=True)]
    share = alpha / (2 * len(PATTERNS))
    unit = math.log2(COARSE * spacing(np.concatenate(samples)[:, None])[0])
    coarse = [lowest_bit(sample) >= unit for sample in samples]
    best: tuple[str, Certificate] | None = None
    for name, pattern in PATTERNS.items():
        bits = [
            np.where(alike, ZERO, pattern(sample))
            for alike, sample in zip(coarse, samples, strict=True)
        ]
        if np.unique(np.concatenate(bits)).size == 1:
            continue
        for direction in (0, 1):
            certificate = certify(bits[direction], bits[1 - direction], claim, share)
            if best is None or certificate.p_value < best[1].p_value:
                best = name, certificate
    if best is None or best[1].p_value > share:
        return None
    name, certificate = best
    epsilon = certificate.epsilon(delta, share)
    (k, n), (m, size) = certificate.first, certificate.second
    event = certificate.event.describe().replace("statistic", name)
    return {
        "kind": "floating point",
        "epsilon_lower": epsilon,
        "delta": delta,
        "p_value": certificate.p_value,
        "event": event,
        "statement": f"the low-order bits of the outputs tell the data sets apart (epsilon "
        f"{epsilon:.3g} or more at delta {delta:.3g}; {event}: {k} of {n} runs against {m} of "
        f"{size}), as wherever floating-point noise is added to a float; {REMEDY}",
    }
