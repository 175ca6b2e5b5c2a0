"""Probe of whether a user's object answers for every record from that record alone.

A local guarantee, and every sensitivity of a sum of records' gradients, rests on it. The probe
runs before any release and sees no private data, for whether it raises is an output: its records
are made up from public shapes. So it cannot see a function that reads other records only for some
values, for some numbers of records, or by less than one part in 10^9. It finds what is computed by
mistake from all rows: a mean or a maximum, a normalisation, a sort, a broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reference._validation import (
    FloatArray,
    ParameterValueError,
    real_array,
)

N_RECORDS = 6
_TOLERANCE = 1e-9
"""Relative: products of matrices of other shapes are rounded differently."""


def made_up(shapes: list[tuple[int, ...]]) -> Iterator[list[FloatArray]]:
    """Yield parts of :data:`N_RECORDS` public records each, three times.

    The last part, perhaps labels, has signs, then bits, then numbers in [0, 1]; the others have
    numbers in [-1, 1].

    Parameters
    ----------
    shapes : list of tuple of int
        Of one record in every part.
    """
    rng = np.random.default_rng(0)
    sizes = [(N_RECORDS, *shape) for shape in shapes]
    for last in (
        rng.choice([-1.0, 1.0], size=sizes[-1]),
        rng.choice([0.0, 1.0], size=sizes[-1]),
        rng.uniform(size=sizes[-1]),
    ):
        yield [*(rng.uniform(-1, 1, size=size) for size in sizes[:-1]), last]


def require_per_record(name: str, function: Callable[..., Any], *parts: FloatArray) -> None:
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
            expected = whole[some]
            if found.shape != expected.shape or not np.allclose(
                found, expected, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True
            ):
                raise ParameterValueError(
                    name,
                    "take every record on its own: its values for the same records change "
                    "with the other records, or with their order",
                )


def require_per_record_gradients(
    name: str,
    validate: Callable[..., Any],
    gradients: Callable[..., Any],
    data: Any,
    *points: FloatArray,
) -> None:
    """Raise ValueError unless records' gradients, validation included, are each of one record.

    Parameters
    ----------
    name : str
    validate, gradients : callable
        Of a :class:`~reference.losses.RecordLoss` or a latent model.
    data : array_like or tuple of array_like
        Only its shape is read.
    *points : ndarray of shape (p,)
        Public: where the gradients are taken.
    """
    paired = isinstance(data, tuple)
    shapes = [real_array("data", part).shape[1:] for part in (data if paired else (data,))]

    def of_rows(*parts: FloatArray) -> FloatArray:
        records = validate(parts if paired else parts[0], points[0].size)
        return np.hstack([gradients(records, x) for x in points])

    for parts in made_up(shapes):
        try:
            validate(tuple(parts) if paired else parts[0], points[0].size)
        except (ValueError, TypeError):  # such labels are none of its own
            continue
        require_per_record(name, of_rows, *parts)
