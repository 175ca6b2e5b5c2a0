"""Checks on input, made before anything private is touched. One line names what is wrong."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from numbers import Integral, Real
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Word = TypeVar("Word", bound=str)
SparseMatrix: TypeAlias = "scipy.sparse.csr_array[np.float64, tuple[int, int]]"


class ParameterError(Exception):
    """A parameter has a value that it must not have; a ``ValueError`` or a ``TypeError`` as well.

    Attributes
    ----------
    name : str
        The parameter, or a part of it: ``epsilon``, ``loss.lipschitz``.
    legal : str
        What it must be or do, as the message says after "must".
    value : bool, float, str or None
        What was given, where that is as simple as this; data may be private.
    """

    def __init__(self, name: str, legal: str, value: Any = None, got: str = "") -> None:
        """Take what the attributes say; ``got`` is shown instead of the value."""
        got = got or ("" if value is None else repr(value))
        simple = value if type(value) in (bool, int, float, str) else None
        super().__init__(name, legal, simple, got)  # what a copy is made from
        self.name, self.legal, self.value, self._got = name, legal, simple, got

    def __str__(self) -> str:
        return f"{self.name} must {self.legal}" + (f", got {self._got}" if self._got else "")


class ParameterValueError(ParameterError, ValueError):
    """A parameter has a value outside its range."""


class ParameterTypeError(ParameterError, TypeError):
    """A parameter is of a type that it must not have."""


# common types first: isinstance() against an ABC is slow
_INTEGERS = (int, Integral, np.integer)
_NUMBERS = (float, int, np.float32, np.float16, np.integer)

EPSILONS = (1e-12, 1e6)
"""Smallest and largest epsilon for which the accounting is right to 1e-9.

See :mod:`reference.privacy.guarantees`.
"""
SMALLEST_DELTA = 1e-100
"""Smallest delta above 0 that is accepted: down to it every account is at least the truth."""
MAGNITUDES = (1e-50, 1e50)
"""Smallest and largest step, bound or other number with a unit.

Doubles hold the products of several.
"""


MOST_STEPS = 10**6
"""Upper limit on the steps of one run. Its ledger then holds half a gigabyte (half a kilobyte a
release), and it takes ten seconds to four minutes on the smallest data (10 to 230 us a step)."""


def require_real(name: str, value: Any) -> float:
    """Return ``value`` as a float, which may be NaN or infinite, or raise."""
    # fractions and long doubles are real, but what computes with them is written for doubles
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        got = f"{_what(value)} instead of a float or an integer"
        raise ParameterTypeError(name, "be a real number", value, got)
    try:
        return float(value)
    except OverflowError:
        raise ParameterValueError(name, "be a number that a double can hold") from None


def _what(value: Any) -> str:
    """Return what a value is: itself if it is simple, else its type; data may be private."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if value is None or isinstance(value, (bool, float, complex, str)):
        return repr(value)
    return type(value).__name__


def shown(value: Any) -> str:
    """Return the text of a public value for a message, or its type if it has none."""
    try:
        return repr(value)
    except ValueError:  # an integer of more than 4300 digits
        return f"a number of too many digits ({type(value).__name__})"


def listed(name: str, values: Any, most: int | None = None) -> list[Any]:
    """Return what an iterable yields, of more than ``most`` one more than these, or raise."""
    try:
        iterator = iter(values)
    except TypeError:
        raise ParameterTypeError(name, "be several, in a list or another iterable") from None
    return list(islice(iterator, None if most is None else most + 1))


def require_kind(name: str, value: Any, kind: type | tuple[type, ...], examples: str) -> None:
    """Raise TypeError unless ``value`` is an instance of ``kind``.

    Parameters
    ----------
    name : str
        Name used in the message.
    value : Any
        The input.
    kind : type or tuple of types
        A class, or a runtime-checkable protocol; a class has the members of its instances, but is
        none of them.
    examples : str
        What would be right, for the message.
    """
    right = _class_has_members(value.__class__, kind) or isinstance(value, kind)
    if isinstance(value, type) or not right:
        raise ParameterTypeError(
            name, f"be {examples}", got=f"{_what(value)}{_lacking(value, kind)}"
        )


@lru_cache(maxsize=256)
def _class_has_members(of: type, kind: Any) -> bool:
    """Return whether a class has all members of a protocol: ``isinstance`` takes 0.1 ms to see."""
    members = _members(kind)
    return bool(members) and all(getattr(of, member, None) is not None for member in members)


def _members(kind: Any) -> list[str]:
    """Return the members that a protocol asks for; none of another type."""
    if Protocol not in getattr(kind, "__bases__", ()):
        return []
    return [member for member in dir(kind) if not member.startswith("_")]


def _lacking(value: Any, kind: Any) -> str:
    """Return which members of a protocol a value lacks that has most of them, for the message."""
    members = [] if isinstance(value, type) else _members(kind)
    lacking = [member for member in members if not hasattr(value, member)]
    return f", which has no {', '.join(lacking)}" if 2 * len(lacking) < len(members) else ""


def require_flag(name: str, value: Any) -> bool:
    """Return ``value`` as a bool, or raise: 0 and "no" are other types, whatever was meant."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterTypeError(name, "be True or False", value, _what(value))
    return bool(value)


def require_positive(name: str, value: Any) -> float:
    """Return ``value`` as a float in (0, inf), or raise."""
    number = require_real(name, value)
    if not 0 < number < math.inf:
        raise ParameterValueError(name, "be a finite number > 0", value)
    return number


def require_non_negative(name: str, value: Any) -> float:
    """Return ``value`` as a float in [0, inf), or raise."""
    number = require_real(name, value)
    if not 0 <= number < math.inf:
        raise ParameterValueError(name, "be a finite number >= 0", value)
    return number


def require_wide(name: str, value: Any) -> None:
    """Refuse a narrow number of numpy, whatever is computed with it later.

    The sensitivity made of it would be a smaller one: in eight bits twice 200 is 144.
    """
    if isinstance(value, np.generic) and type(value) not in (np.float64, np.int64):
        raise ParameterTypeError(name, "be a real number of 64 bits", value, _what(value))


def require_epsilon(value: Any, name: str = "epsilon") -> float:
    """Return ``value`` as a float in :data:`EPSILONS`, or raise."""
    require_wide(name, value)
    return require_between(name, value, *EPSILONS)


def require_magnitude(name: str, value: Any) -> float:
    """Return ``value`` as a float in :data:`MAGNITUDES`, or raise."""
    require_wide(name, value)
    return require_between(name, value, *MAGNITUDES)


def require_between(name: str, value: Any, low: float, high: float) -> float:
    """Return ``value`` as a float from ``low`` > 0 to ``high``, or raise."""
    if type(value) is float and low <= value <= high:  # what nearly every call is, in no time
        return value
    number = require_positive(name, value)
    if not low <= number <= high:
        raise ParameterValueError(name, f"be from {low:g} to {high:g}", value)
    return number


def require_delta(value: Any, name: str = "delta") -> float:
    """Return ``value`` as a float from :data:`SMALLEST_DELTA` to below 1, or raise."""
    require_wide(name, value)
    number = require_real(name, value)
    if not 0 < number < 1:
        raise ParameterValueError(name, "be in (0, 1)", value)
    if number < SMALLEST_DELTA:
        raise ParameterValueError(name, f"be at least {SMALLEST_DELTA:g}", value)
    return number


def require_in_interval(
    name: str, value: Any, low: float, high: float, *, closed: bool = False
) -> float:
    """Return ``value`` as a float inside the open (or closed) interval, or raise."""
    number = value if type(value) is float else require_real(name, value)
    inside = low <= number <= high if closed else low < number < high
    if not inside:
        bounds = f"[{low:g}, {high:g}]" if closed else f"({low:g}, {high:g})"
        raise ParameterValueError(name, f"be in {bounds}", value)
    return number


def require_choice(name: str, value: Any, choices: tuple[Word, ...]) -> Word:
    """Return the one of ``choices`` that ``value`` equals, never ``value`` itself, or raise."""
    for choice in choices if isinstance(value, str) else ():  # an array equals each in part
        if value == choice:
            return choice
    raise ParameterValueError(name, f"be one of {', '.join(map(repr, choices))}", value)


def require_count(name: str, value: Any, *, at_least: int = 1, at_most: int | None = None) -> int:
    """Return ``value`` as an int within the bounds, or raise."""
    if isinstance(value, bool) or not isinstance(value, _INTEGERS):
        raise ParameterTypeError(name, "be an integer", value, _what(value))
    number = int(value)
    if number > sys.maxsize:
        raise ParameterValueError(
            name, f"be an integer <= {at_most or sys.maxsize}", got="a larger one"
        )
    if number < at_least or (at_most is not None and number > at_most):
        upper = "" if at_most is None else f" and <= {at_most}"
        raise ParameterValueError(name, f"be an integer >= {at_least}{upper}", value, shown(value))
    return number


def require_steps(name: str, value: Any, *, at_most: int | None = None) -> int:
    """Return a number of steps that one run can make, or raise; see :data:`MOST_STEPS`."""
    require_wide(name, value)
    number = require_count(name, value, at_most=at_most)
    if number > MOST_STEPS:
        raise ParameterValueError(
            name,
            f"be an integer <= {MOST_STEPS}: that many steps take minutes, and half a "
            "gigabyte of account",
            value,
        )
    return number


def real_array(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as a float array, or raise where that would change what it says.

    Refused are masked arrays, whose mask would be lost; complex numbers, which would lose their
    imaginary part; text, dates and durations; and numbers too large for a double. The message
    shows no value: it may be private.
    """
    try:
        array = np.asanyarray(value)
    except (TypeError, ValueError):
        raise ParameterTypeError(name, "be an array of real numbers, of one shape") from None
    if _is_masked(array) or _is_masked(value):
        raise ParameterTypeError(
            name,
            "not be a masked array, whose mask would be lost; leave masked records out or "
            "fill them first",
        )
    array = np.asarray(array)
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "buifO" or (array.dtype == object and not _all_real(array)):
        raise ParameterTypeError(name, "be an array of real numbers", got=f"{_content(array)}")
    try:
        with np.errstate(over="ignore"):  # a wider float becomes infinite, and is found out as that
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterValueError(name, "hold numbers that a double can hold") from None


def _is_masked(value: Any) -> bool:
    """Return whether a value is a masked array, or a list or tuple that holds one."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_masked, value))
    return isinstance(value, np.ma.MaskedArray)


def _all_real(array: NDArray[np.object_]) -> bool:
    return all(isinstance(item, (Real, Decimal)) for item in array.flat)


def _content(array: NDArray[Any]) -> str:
    """Return what an array holds that is not made of real numbers."""
    if array.dtype == object and array.ndim:
        return "other objects among them"
    if array.dtype == object:
        item = array.item()
        dense = "; give its toarray()" if scipy.sparse.issparse(item) else ""
        return _what(item) + dense
    return f"dtype {array.dtype}"


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
    array = real_array(name, value)
    _require_shape(name, array.shape, ndim, shape)
    if allow_nan:
        if np.isinf(array).any():
            raise ParameterValueError(
                name, "be finite or NaN", got="infinity; clean the data first"
            )
    elif not np.isfinite(array).all():
        raise ParameterValueError(name, "be finite", got="NaN or infinity; clean the data first")
    return array


def _require_shape(
    name: str, found: tuple[int, ...], ndim: int, shape: tuple[int | None, ...] | None
) -> None:
    if len(found) != ndim:
        raise ParameterValueError(name, f"have {ndim} dimension(s)", got=f"shape {found}")
    if 0 in found:
        raise ParameterValueError(name, "not be empty", got=f"shape {found}")
    if shape is not None and any(
        want is not None and want != got for want, got in zip(shape, found, strict=True)
    ):
        wanted = tuple("any" if side is None else side for side in shape)
        raise ParameterValueError(name, f"have shape {wanted}", got=f"{found}")


def require_sparse_matrix(
    name: str, value: Any, *, shape: tuple[int | None, int | None] | None = None
) -> SparseMatrix:
    """Return a sparse matrix as finite floats by rows, every entry stored once, or raise.

    What its ``toarray()`` is, which is not made: entries that are stored more than once are added,
    as a bound on an entry is one on their sum.

    Parameters
    ----------
    name : str
        Name used in the message.
    value : sparse array or matrix of scipy
        In any format; a copy is returned.
    shape : tuple of (int or None), optional
        Required shape; ``None`` entries are free.
    """
    if value.dtype.kind not in "buif":
        raise ParameterTypeError(name, "be an array of real numbers", got=f"dtype {value.dtype}")
    _require_shape(name, value.shape, 2, shape)
    try:
        if hasattr(value, "check_format"):  # pointers and column numbers that the user gave
            value.check_format(full_check=True)
        rows = value.tocsr()
        matrix = scipy.sparse.csr_array(
            (rows.data, rows.indices, rows.indptr), shape=rows.shape, copy=True
        )
    except (ValueError, IndexError, TypeError):
        raise ParameterValueError(name, "be a sparse matrix whose indices fit its shape") from None
    matrix.sum_duplicates()
    with np.errstate(over="ignore"):
        matrix = matrix.astype(np.float64)
    if not np.isfinite(matrix.data).all():
        raise ParameterValueError(name, "be finite", got="NaN or infinity; clean the data first")
    return matrix


def require_binary(name: str, value: ArrayLike, *, ndim: int) -> IntArray:
    """Return ``value`` as a non-empty array of zeros and ones, or raise."""
    array = require_array(name, value, ndim=ndim)
    if not np.isin(array, (0.0, 1.0)).all():
        raise ParameterValueError(name, "contain only 0 and 1")
    return array.astype(np.int64)
