"""Checks on input, made before anything private is touched. One line names what is wrong."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def _require_real(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (Real, np.floating, np.integer)):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    return float(value)


def require_positive(name: str, value: Any) -> float:
    """Return ``value`` as a float in (0, inf), or raise."""
    number = _require_real(name, value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return number


def require_non_negative(name: str, value: Any) -> float:
    """Return ``value`` as a float in [0, inf), or raise."""
    number = _require_real(name, value)
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
    return number


def require_delta(value: Any, name: str = "delta") -> float:
    """Return ``value`` as a float in (0, 1), or raise."""
    number = _require_real(name, value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")
    return number


def require_in_interval(
    name: str, value: Any, low: float, high: float, *, closed: bool = False
) -> float:
    """Return ``value`` as a float inside the open (or closed) interval, or raise."""
    number = _require_real(name, value)
    inside = low <= number <= high if closed else low < number < high
    if not inside:
        bounds = f"[{low:g}, {high:g}]" if closed else f"({low:g}, {high:g})"
        raise ValueError(f"{name} must be in {bounds}, got {value!r}")
    return number


def require_count(name: str, value: Any, *, at_least: int = 1, at_most: int | None = None) -> int:
    """Return ``value`` as an int within the bounds, or raise."""
    if isinstance(value, bool) or not isinstance(value, (Integral, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    number = int(value)
    if number < at_least or (at_most is not None and number > at_most):
        upper = "" if at_most is None else f" and <= {at_most}"
        raise ValueError(f"{name} must be an integer >= {at_least}{upper}, got {value!r}")
    return number


def require_array(
    name: str,
    value: ArrayLike,
    *,
    ndim: int,
    shape: tuple[int | None, ...] | None = None,
    allow_nan: bool = False,
) -> FloatArray:
    """Return ``value`` as a finite, non-empty float array, or raise.

    Parameters
    ----------
    name : str
        Name used in the message.
    value : array_like
        The input.
    ndim : int
        Number of dimensions required.
    shape : tuple of (int or None), optional
        Required shape; ``None`` entries are free.
    allow_nan : bool, default False
        Whether NaN, a missing value, is legal.

    Returns
    -------
    ndarray of float
        Never a view that the caller could change through this name by accident: algorithms
        treat it as read-only.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be an array of real numbers ({error})") from None
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    if shape is not None and any(
        want is not None and want != got for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = tuple("any" if side is None else side for side in shape)
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    if allow_nan:
        if np.isinf(array).any():
            raise ValueError(f"{name} must be finite or NaN, got infinity; clean the data first")
    elif not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity; clean the data first")
    return array


def require_binary(name: str, value: ArrayLike, *, ndim: int) -> IntArray:
    """Return ``value`` as a non-empty array of zeros and ones, or raise."""
    array = require_array(name, value, ndim=ndim)
    if not np.isin(array, (0.0, 1.0)).all():
        raise ValueError(f"{name} must contain only 0 and 1")
    return array.astype(np.int64)
