"""Views of a table of encoded outputs: columns of numbers, from which scores are learned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from auditor.events.outcomes import OutcomeTable
from reference._validation import FloatArray

Tables = tuple[OutcomeTable, OutcomeTable]
"""Encoded training outputs of the two sides."""
HUGE = 1e100
"""Numbers are clipped here before they are squared or summed."""


class TableView(Protocol):
    """Columns of numbers made of a table."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the columns, shape (n, number of columns)."""


@dataclass(frozen=True)
class NumberView:
    """The entries' numbers as they are."""

    names: tuple[str, ...]

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the numbers as doubles, NaN where an entry is not a number."""
        return table.floats()


@dataclass(frozen=True)
class Differences:
    """Differences of neighbouring entries: independent where the entries are running sums."""

    entries: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return e.g. ``output[1] - output[0]``."""
        return tuple(f"{b} - {a}" for a, b in zip(self.entries, self.entries[1:], strict=False))

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the differences."""
        return np.diff(np.clip(table.floats(), -HUGE, HUGE), axis=1)


@dataclass(frozen=True)
class CodeView:
    """The codes of the entries that are not always numbers."""

    columns: tuple[int, ...]
    names: tuple[str, ...]

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the codes as numbers."""
        return np.column_stack([table.codes[j] for j in self.columns]).astype(np.float64)


_SUMMARIES = (
    "sum",
    "sum of squares",
    "largest entry",
    "smallest entry",
    "index of the largest entry",
    "index of the smallest entry",
    "entries that are numbers",
    "entries above their averages",
    "first index above its average",
    "last index above its average",
    "first index without a number",
)


@dataclass(frozen=True)
class Summaries:
    """A few statistics of an output's entries.

    Attributes
    ----------
    averages : ndarray of shape (d,)
        Of the entries in training, without the largest and smallest numbers.
    """

    averages: FloatArray
    names = _SUMMARIES

    @classmethod
    def fit(cls, tables: Tables) -> Summaries:
        """Take the averages from training outputs."""
        sample = np.concatenate([table[:2000].floats() for table in tables])
        return cls(robust_location(sample)[2])

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the statistics."""
        numbers = np.clip(table.floats(), -HUGE, HUGE)
        missing = np.isnan(numbers)
        above = numbers > self.averages
        n, d = numbers.shape
        rows, without, high, low = np.arange(n), np.zeros(n, dtype=np.int64), numbers, numbers
        first_missing = np.full(n, d)
        if missing.any():
            high, low = np.where(missing, -HUGE, numbers), np.where(missing, HUGE, numbers)
            numbers[missing] = 0.0
            without = np.count_nonzero(missing, axis=1)
            first_missing = np.where(without > 0, missing.argmax(axis=1), d)
        largest, smallest, higher = high.argmax(axis=1), low.argmin(axis=1), above.sum(axis=1)
        columns = [
            numbers.sum(axis=1),
            (numbers * numbers).sum(axis=1),
            high[rows, largest],
            low[rows, smallest],
            largest,
            smallest,
            d - without,
            higher,
            np.where(higher > 0, above.argmax(axis=1), d),
            np.where(higher > 0, d - 1 - above[:, ::-1].argmax(axis=1), -1),
            first_missing,
        ]
        return np.column_stack(columns).astype(np.float64)


def robust_location(sample: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the range without the outermost numbers, the mean and 1/deviation of columns."""
    ordered = np.sort(np.clip(sample, -HUGE, HUGE), axis=0)  # NaN comes last
    count, columns = np.count_nonzero(~np.isnan(ordered), axis=0), np.arange(sample.shape[1])
    low = ordered[(0.002 * count).astype(int), columns]
    high = ordered[np.maximum(np.ceil(0.998 * count).astype(int) - 1, 0), columns]
    low, high = np.nan_to_num(low), np.nan_to_num(high)  # of columns without a number
    filled = np.where(np.isnan(sample), (low + high) / 2, np.clip(sample, low, high))
    deviation = filled.std(axis=0)
    return low, high, filled.mean(axis=0), 1 / np.where(deviation > 0, deviation, math.inf)
