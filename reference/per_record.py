"""Probe user-supplied objects on made-up records, before any release.

A local guarantee, and every sensitivity of a sum of records' gradients, needs a function that
answers for a record from that record alone. There is one probe for each kind of function:

- values or gradients of every record (:func:`require_per_record`);
- mean gradients and mean Hessians (:func:`require_mean_of_records`);
- mean gradients of pairs of records (:func:`require_mean_of_pairs`);
- estimates on blocks of records (:func:`require_function_of_block`).

Whether a probe raises is an output. So it sees no private data, and makes its records up from
public shapes. It finds what is computed by mistake from all rows: a mean or a maximum, a
normalisation, a sort, a broadcast. It cannot find

- a function that reads other records for some values or some numbers of records only;
- an influence of less than one part in 10^9 (of a mean: of its declared bound);
- a function that holds the data themselves, or something computed from them;
- any mistake of an object that refuses all made-up records.

The package's own objects answer for each record from it alone: tests probe every kind of them, and
an algorithm does not (:func:`is_foreign`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from reference._validation import FloatArray, IntArray, ParameterValueError

N_RECORDS = 6
_TOLERANCE = 1e-9
"""Relative, and absolute for numbers below 1: products of matrices of other shapes are rounded
differently."""
_COLUMNS = 50
"""Number of columns that made-up sparse records fill; all columns might not fit in memory."""
_PARTS = (slice(0, 1), slice(1, 3), slice(3, 6))
"""Parts of the made-up records, of three sizes."""


def made_up(shapes: list[tuple[int, ...]], n: int = N_RECORDS) -> Iterator[list[FloatArray]]:
    """Yield parts of n public records each, four times.

    The last part, perhaps labels, has signs, bits and numbers in [-2, 2] in turn; then signs; then
    bits; then numbers in [0, 1]. The other parts have numbers in [-1, 1].

    Parameters
    ----------
    shapes : list of tuple of int
        Of one record in every part.
    n : int
    """
    rng = np.random.default_rng(0)
    last = rng.uniform(-1, 1, size=(n, *shapes[-1]))
    others = [rng.uniform(-1, 1, size=(n, *shape)) for shape in shapes[:-1]]
    signs, bits = np.where(last < 0, -1.0, 1.0), np.where(last < 0, 0.0, 1.0)
    mixed = 2 * last
    mixed[0::3], mixed[1::3] = signs[0::3], bits[1::3]
    for kind in (mixed, signs, bits, np.abs(last)):
        yield [*others, kind]


def is_foreign(thing: Any) -> bool:
    """Return whether an object, or a part of it, is not of a class of this package as it stands.

    Parameters
    ----------
    thing : Any
        A loss, a model, or a part of one.
    """
    if isinstance(thing, (int, float, str, np.ndarray)):
        return type(thing).__module__ not in ("builtins", "numpy")
    if not is_dataclass(thing) or type(thing).__module__.partition(".")[0] != "reference":
        return True
    parts = vars(thing)
    return parts.keys() != {field.name for field in fields(thing)} or any(
        map(is_foreign, parts.values())
    )


def _parts_of(data: Any) -> tuple[Any, ...]:
    """Return the arrays that hold the records: those of a pair, or the data themselves."""
    if isinstance(data, tuple):
        return data
    try:
        np.shape(data)
    except ValueError:  # a list of arrays of different shapes
        return tuple(data)
    return (data,)


def _made_up_like(data: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield functions that return made-up data of the kind of ``data``, cut to given rows.

    Only the shapes of ``data`` are read, and which parts of it are sparse. A sparse part has
    entries in its first :data:`_COLUMNS` columns alone.
    """
    given = _parts_of(data)
    sides, sparse = [np.shape(part)[1:] for part in given], [*map(scipy.sparse.issparse, given)]
    shapes = [
        tuple(min(side, _COLUMNS) for side in own) if few else own
        for own, few in zip(sides, sparse, strict=True)
    ]
    for parts in made_up(shapes):

        def some(rows: Any, parts: list[FloatArray] = parts) -> Any:
            cut = [
                _sparse(part[rows], *own) if few else part[rows]
                for part, own, few in zip(parts, sides, sparse, strict=True)
            ]
            return cut[0] if given[0] is data else tuple(cut)

        yield some


def _sparse(rows: FloatArray, width: int) -> Any:
    """Return rows as a sparse matrix with further columns, up to ``width``."""
    matrix: Any = scipy.sparse.csr_array(rows)
    matrix.resize((len(rows), width))
    return matrix


def require_per_record(name: str, function: Callable[..., Any], *parts: NDArray[Any]) -> None:
    """Raise ValueError unless a function of records answers for each from its own row alone.

    Parameters
    ----------
    name : str
        Of the user's object, for the message.
    function : callable
        Called with all records, with all in reverse order, and with each half of them; returns an
        array with the records along axis 0.
    *parts : ndarray
        Public records along axis 0 of each.
    """
    turned, half = slice(None, None, -1), N_RECORDS // 2
    with np.errstate(all="ignore"):
        whole = np.asarray(function(*parts), dtype=np.float64)
        if whole.ndim == 0 or len(whole) != N_RECORDS:
            raise ParameterValueError(
                name,
                "have one value for each record of data",
                got=f"shape {whole.shape} for {N_RECORDS} records",
            )
        for some in (turned, slice(0, half), slice(half, None)):
            found = np.asarray(function(*(part[some] for part in parts)), dtype=np.float64)
            if not _is_alike(found, whole[some]):
                raise ParameterValueError(
                    name,
                    "take every record on its own: its values for the same records change "
                    "with the other records, or with their order",
                )


def require_per_record_gradients(
    name: str, thing: Any, gradients: Callable[..., Any], data: Any, *points: FloatArray
) -> None:
    """Raise ValueError unless records' gradients, validation included, are each of one record.

    Parameters
    ----------
    name : str
    thing : RecordLoss or latent model
        Nothing is asked of one of the package.
    gradients : callable
        Of records and a point, as the object computes them.
    data : array_like or tuple of array_like
        Only its shape is read.
    *points : ndarray of shape (p,)
        Public: where the gradients are taken.
    """
    if not is_foreign(thing):
        return

    def of_rows(some: Callable[[Any], Any], rows: IntArray) -> FloatArray:
        records = thing.validate(some(rows), points[0].size)
        return np.hstack([gradients(records, x) for x in points])

    for some in _made_up_like(data):
        try:
            thing.validate(some(slice(None)), points[0].size)
        except (ValueError, TypeError):  # such labels are none of its own
            continue
        require_per_record(name, partial(of_rows, some), np.arange(N_RECORDS))
        return


def require_mean_of_records(
    name: str,
    validate: Callable[..., Any],
    mean: Callable[..., Any],
    data: Any,
    *points: FloatArray,
    batches: bool = False,
) -> None:
    """Raise ValueError unless a mean over records is one of terms of single records.

    The mean over all made-up records must be the average of those over parts of 1, 2 and 3 of
    them, weighted by their sizes.

    Parameters
    ----------
    name : str
        Of the user's object, for the message.
    validate : callable
        ``validate(data, dimension)`` returns records.
    mean : callable
        ``mean(records, x)`` is over all records, ``mean(records, x, indices)`` over some; in units
        of a public bound on a term. Means may differ by 10^-9 of it, and by 10^-9 of themselves:
        sums are rounded to a grid that is as fine as the bound is small.
    data : array_like or tuple of array_like
        Only its shape is read.
    *points : ndarray of shape (p,)
        Public: where the means are taken.
    batches : bool, default False
        The mean over some of the records, by their indices, must be that over these alone.
    """
    batch = np.arange(N_RECORDS)[_PARTS[1]]
    weights = np.array([part.stop - part.start for part in _PARTS]) / N_RECORDS
    for some in _made_up_like(data):
        try:
            whole, *alone = (
                validate(some(rows), points[0].size) for rows in (slice(None), *_PARTS)
            )
        except (ValueError, TypeError):  # such labels, or so few records, are none of its own
            continue
        with np.errstate(all="ignore"):
            for x in points:
                means = [np.asarray(mean(records, x), dtype=np.float64) for records in alone]
                if not _is_alike(mean(whole, x), weights @ np.array(means)):
                    raise ParameterValueError(
                        name,
                        f"take every record on its own: its mean over {N_RECORDS} records is not "
                        "the average of its means over parts of them; look for a sum, a "
                        "normalisation or a maximum over records",
                    )
                if batches and not _is_alike(mean(whole, x, batch), means[1]):
                    raise ParameterValueError(
                        name,
                        "take every record on its own: its mean over the records at some indices "
                        "is not that over these records alone",
                    )
        return


def require_mean_of_pairs(
    name: str,
    validate: Callable[..., Any],
    mean: Callable[..., Any],
    data: Any,
    *points: FloatArray,
) -> None:
    """Raise ValueError unless a mean over pairs of records is one of terms of single pairs.

    Parameters
    ----------
    name, validate, data, *points
        As for :func:`require_mean_of_records`.
    mean : callable
        ``mean(records, x, index, others)`` is over the pairs of one record with others, in
        such units.
    """
    index, others = 4, np.array([3, 0, 1])
    for some in _made_up_like(data):
        try:
            whole = validate(some(slice(None)), points[0].size)
            pairs = [validate(some([index, other]), points[0].size) for other in others]
        except (ValueError, TypeError):  # such labels, or so few records, are none of its own
            continue
        with np.errstate(all="ignore"):
            for x in points:
                expected = np.mean([mean(pair, x, 0, np.array([1])) for pair in pairs], axis=0)
                if not _is_alike(mean(whole, x, index, others), expected):
                    raise ParameterValueError(
                        name,
                        "take every pair of records on its own: its mean over pairs is not the "
                        "average of its values on each pair alone",
                    )
        return


def require_function_of_block(
    name: str, function: Callable[..., Any], data: Any, size: int
) -> None:
    """Raise ValueError unless a function of a block answers twice alike, with another in between.

    A function that raises on made-up records of one kind is asked about the next.

    Parameters
    ----------
    name : str
        Of the user's function, for the message.
    function : callable
        Of a block of records; returns numbers, in units of a public bound on them.
    data : ndarray or tuple of ndarray
        Only its shape is read.
    size : int
        Number of records in a block.
    """
    given = _parts_of(data)
    for parts in made_up([part.shape[1:] for part in given], 2 * size):
        blocks = [
            tuple(part[rows].copy() for part in parts)
            for rows in (slice(0, size), slice(size, None), slice(0, size))
        ]
        try:
            with np.errstate(all="ignore"):
                first, _, again = (
                    function(block if isinstance(data, tuple) else block[0]) for block in blocks
                )
        except Exception:  # of any kind: such records are none of its own
            continue
        if not _is_alike(again, first):
            raise ParameterValueError(
                name,
                "depend on nothing but its block: it returned other numbers for the same records "
                "after it had seen others; keep nothing between calls, and seed in every call "
                "what it draws",
            )
        return


def _is_alike(found: FloatArray, expected: FloatArray) -> bool:
    """Return whether arrays have one shape, and numbers that differ by rounding alone.

    As ``np.allclose`` with ``equal_nan``, which is several times slower.
    """
    if np.shape(found) != expected.shape:
        return False
    with np.errstate(all="ignore"):
        alike = np.abs(found - expected) <= _TOLERANCE * (1 + np.abs(expected))
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    # an infinite number is like any other by this tolerance
    return bool((same | (alike & np.isfinite(expected))).all())
