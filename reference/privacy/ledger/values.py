"""Values from a caller, made the ledger's own before they are checked or released."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    real_array,
    require_between,
    require_choice,
    require_kind,
)
from reference.privacy.ledger.transcript import (
    UNITS,
    RecordSelection,
    ReleaseClaim,
    Subsample,
    Unit,
    own_records,
)
from reference.privacy.mechanisms import Mechanism, Output

SCALES = (1e-140, 1e140)
"""Smallest and largest sensitivity, scale or budget.

All that is computed with two of them is a double, and so is a value within the reach of noise, plus
noise.
"""

_DOUBLE = np.dtype(np.float64)


def sizes(sensitivity: float, scale: float, name: str = "scale") -> tuple[float, float]:
    """Return a sensitivity and a scale or budget as plain floats in :data:`SCALES`, or raise."""
    return (
        require_between("sensitivity", sensitivity, *SCALES),
        require_between(name, scale, *SCALES),
    )


def claim_of(
    array: FloatArray,
    sensitivity: float,
    unit: Unit = "dataset",
    records: RecordSelection = None,
    sample: Subsample | None = None,
    background_sensitivity: float = 0.0,
) -> ReleaseClaim:
    """Return the claim of a release of our own array, which says how many attributes it has."""
    own: Unit = require_choice("unit", unit, UNITS)
    if sample is not None:
        require_kind("sample", sample, Subsample, "what subsample() of this ledger returned")
    return ReleaseClaim(
        sensitivity,
        own,
        None if records is None else own_records(records),
        sample,
        background_sensitivity,
        attributes_of(array, own),
    )


def attributes_of(array: FloatArray, unit: Unit) -> int:
    """Return how many attributes of a record bear a release: more than 1 only if one each."""
    if unit != "attribute":
        return 1
    if array.ndim < 2:
        raise ValueError(f"a release per attribute needs records and attributes, got {array.shape}")
    # of nobody, or with nothing in them, all cost no more than one
    return int(array.shape[1]) if array.size else 1


def owned(value: ArrayLike, name: str = "a release") -> FloatArray:
    """Return a value that is to be released as an array of our own: read once, held by nobody."""
    if type(value) is np.ndarray and value.dtype is _DOUBLE:  # what nearly every call is
        return value.copy()
    return real_array(name, value).copy()


def finite(array: FloatArray) -> FloatArray:
    """Return an array that is to be released; refuse one that is not finite."""
    # counting is several times faster than .all() on a short vector
    if np.count_nonzero(np.isfinite(array)) < array.size:
        raise ValueError("a release must be finite, got NaN or infinity")
    return array


def within_reach(mechanism: Mechanism, array: FloatArray) -> FloatArray:
    """Return a value that is to be released, cut to where the noise is more than rounding.

    Whether and where depends on the mechanism alone: to refuse would tell the data. Cutting brings
    no two values farther apart in any norm of a sensitivity but the spectral one.
    """
    reach = mechanism.reach
    # one sum of squares tells in one step of all entries that they are finite and near enough; of
    # the ways to have it this one is silent where squares are no doubles
    if not np.vdot(array, array) < reach * reach:
        array = np.clip(finite(array), -reach, reach)
    return array


def vector(name: str, value: ArrayLike) -> FloatArray:
    """Return scores as a non-empty vector of our own, or raise."""
    array = finite(owned(value))
    if array.ndim != 1 or array.size == 0:
        raise ParameterValueError(name, "be a non-empty vector", got=f"shape {array.shape}")
    return array


def categorical(value: ArrayLike, categories: int) -> FloatArray:
    """Return answers as an array of our own, all of them categories, or raise."""
    array = finite(owned(value))
    if not ((array >= 0) & (array < categories) & (array == np.floor(array))).all():
        raise ParameterValueError("answers", f"be integers in [0, {categories})")
    return array


def symmetric(value: ArrayLike) -> FloatArray:
    """Return symmetric matrices as an array of our own, exactly symmetric, or raise."""
    array = finite(owned(value))
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"a symmetric release must be square, got shape {array.shape}")
    if not np.allclose(array, np.swapaxes(array, -1, -2)):
        raise ValueError("a symmetric release must be symmetric")
    # the noise is symmetric: the rounding in which the triangles differ would come out bare
    upper = np.triu(array)
    symmetric: FloatArray = upper + np.swapaxes(np.triu(array, 1), -1, -2)
    return symmetric


def fresh(output: Output) -> Output:
    """Copy, so that an algorithm that updates in place cannot change the transcript."""
    return output.copy() if isinstance(output, np.ndarray) else deepcopy(output)
