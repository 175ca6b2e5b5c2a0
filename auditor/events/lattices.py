"""Noise too coarse to hide a value: outputs on a lattice, and noise with few values.

Noise that is a multiple of a step g leaves ``value mod g`` in every output, and noise that takes
few values leaves one of few outputs: data sets whose outputs never coincide are told apart for
certain, in exact arithmetic. What adds floating-point noise has a step, too, the spacing of floats
at the magnitude of the outputs. That is left to :mod:`auditor.events.floating_point`; a step that
counts here is :data:`COARSE` times as large.

Only training runs are looked at: what is found are views and scores, for other runs to certify.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.events.floating_point import COARSE, quantile, single_precision, spacing
from auditor.events.outcomes import OutcomeTable
from auditor.events.scores import in_pieces, log_ratios
from auditor.events.views import Tables
from reference._validation import FloatArray

SMOOTH = 16
"""Steps are looked for below this share of the range of most outputs: larger ones are seen anyway,
and noise without steps is as good as uniform on smaller ones."""
TOLD = 15.0
"""Remainders tell the sides apart if as different by chance with probability exp(-15)."""
MOST_COLUMNS = 64
"""Entries of an output, the first ones, in which steps and recurring values are looked for."""
CLOSE, GROUPS = 64, 16
"""Differences of neighbouring outputs, and groups of them, of which a common step is sought."""
FEW = 64
"""Noise of no more values is seen by scores that count every value."""
LEAST_PAIRS = 8
"""Pairs of equal outputs, of a side, without which values do not recur often enough to count."""
LOOKED_AT = 2**17
"""Entries of a side that are looked at for values that recur."""
CONTINUOUS = 2.0**32
"""Values, all as likely, that noise is expected to have at least where it is no grid's."""
SINGLE = 2.0**20
"""Noise of so many values, or more, may have no fewer than single-precision floats have."""


@dataclass(frozen=True)
class Remainder:
    """The remainder of an entry divided by a step: a view of one column.

    Attributes
    ----------
    column : int
    step : float
    origin : float
        Where remainders are counted from, in [0, step).
    entry : str
        What the entry is called.
    """

    column: int
    step: float
    origin: float
    entry: str

    @property
    def names(self) -> tuple[str, ...]:
        """Return e.g. ``(output - 1e-07) mod 9.53674e-07``."""
        return (f"({self.entry} - {self.origin:.6g}) mod {self.step:.6g}",)

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the remainders, in [0, step); NaN of what is not a finite number."""
        with np.errstate(invalid="ignore"):
            return np.mod(table.floats()[:, [self.column]] - self.origin, self.step)


def telling_remainder(tables: Tables, names: Sequence[str]) -> Remainder | None:
    """Return the remainder that tells the two sides apart best; None if the noise is smooth.

    Tried are steps that are powers of two and of ten, from the spread of a side's outputs down to
    :data:`COARSE` spacings, and those that the differences of outputs are multiples of. Of steps
    that tell about as much the largest is taken: a divisor of a step tells as much as the step.

    Parameters
    ----------
    tables : (OutcomeTable, Table)
        Training outputs of the two sides.
    names : sequence of str
        Of the entries.
    """
    columns = min(len(names), MOST_COLUMNS)
    rows = int(np.clip(4096 // columns, 128, 1024))
    sides = [table[:rows].floats()[:, :columns] for table in tables]
    together = np.concatenate(sides)
    least = COARSE * spacing(together)
    with np.errstate(over="ignore", invalid="ignore"):
        ranges = [quantile(side, 0.95) - quantile(side, 0.05) for side in sides]
    largest = np.maximum(*ranges) / SMOOTH
    found: list[tuple[float, float, int]] = []
    for steps in _steps(sides, least, largest):
        at = np.flatnonzero((steps >= least) & (steps <= largest))
        told = _told(sides[0][:, at], sides[1][:, at], steps[at])
        found.extend(zip(told.tolist(), steps[at].tolist(), at.tolist(), strict=True))
    best = max((told for told, _, _ in found), default=0.0)
    if best <= TOLD:
        return None
    step, column = max((step, at) for told, step, at in found if told > max(TOLD, best / 2))
    return Remainder(column, step, _origin(together[:, column], step), names[column])


def _steps(
    sides: Sequence[FloatArray], least: FloatArray, largest: FloatArray
) -> Iterator[FloatArray]:
    """Yield steps, one for every column, to look at."""
    for base in (2.0, 10.0):
        with np.errstate(divide="ignore"):  # a spread may be beyond the largest double
            power = np.floor(np.log(np.minimum(largest, 1e308)) / math.log(base))
        while (np.power(base, power) >= least).any():
            yield np.power(base, power)
            power -= 1
    for side in sides:
        step = np.array([_common_step(*terms) for terms in zip(side.T, least, strict=True)])
        yield from (step, 2 * step)


def _told(first: FloatArray, second: FloatArray, steps: FloatArray) -> FloatArray:
    """Return how surely remainders differ: standard exponential if they are uniform on both sides.

    By the first Fourier coefficient of their distribution, as in Rayleigh's test.
    """
    means, doubt = [], 0.0
    for side in (first, second):
        with np.errstate(over="ignore", invalid="ignore"):
            turns = side / steps
            turns -= np.floor(turns)
        finite = np.isfinite(turns)
        # in single precision, which is fast
        angles = np.where(finite, 2 * math.pi * turns, 0.0).astype(np.float32)
        count = np.maximum(finite.sum(axis=0), 1)
        both = [(wave(angles) * finite).sum(axis=0) / count for wave in (np.cos, np.sin)]
        means.append(both)
        doubt = doubt + 1 / count
    cos, sin = (one - two for one, two in zip(*means, strict=True))
    return np.asarray((cos**2 + sin**2) / doubt)


def _common_step(values: FloatArray, least: float) -> float:
    """Return the step that most differences of values are multiples of; NaN if they have none."""
    ordered = np.unique(values[np.isfinite(values)])
    with np.errstate(over="ignore"):
        gaps = np.diff(ordered)
    if gaps.size < CLOSE:
        return math.nan
    close = np.partition(gaps, CLOSE - 1)[:CLOSE]
    # an error of the values is in the step as often as the step is in a gap
    sure = max(least, math.sqrt(least * float(close.max())))
    step = close.reshape(-1, GROUPS)[0]
    for other in close.reshape(-1, GROUPS)[1:]:
        step = _common_divisor(step, other, sure)
    step = np.sort(step)
    middle = float(step[GROUPS // 2])
    if np.count_nonzero(np.abs(step / middle - 1) < 1e-3) < GROUPS // 2:
        return math.nan
    return _refined(middle, ordered)


def _common_divisor(first: FloatArray, second: FloatArray, least: float) -> FloatArray:
    """Return what two arrays of numbers are multiples of, but for errors below ``least``."""
    large, small = np.maximum(first, second), np.minimum(first, second)
    while (small > least).any():
        left = np.mod(large, np.maximum(small, least))
        goes_on = small > least
        large, small = np.where(goes_on, small, large), np.where(goes_on, left, small)
    return large


def _refined(step: float, ordered: FloatArray) -> float:
    """Return a step as exact as the differences of sorted values that are multiples of it."""
    spans = ordered - ordered[0]
    at = np.unique(np.geomspace(1, spans.size - 1, 100).astype(int))
    for span in np.sort(np.append(np.diff(ordered).min(), spans[at])).tolist():
        multiple = round(span / step)
        if multiple and abs(span - multiple * step) < 0.1 * step:
            step = span / multiple
    return step


def _origin(values: FloatArray, step: float) -> float:
    """Return the middle of the widest gap between remainders."""
    with np.errstate(invalid="ignore"):
        left = np.mod(values, step)
    ordered = np.unique(left[np.isfinite(left)])
    gaps = np.diff(ordered, append=ordered[0] + step)
    widest = int(np.argmax(gaps))
    return float(np.mod(ordered[widest] + gaps[widest] / 2, step))


# ------------------------------------------------------------------------- values that recur

_WHERE = ("no data set", "D alone", "D' alone", "both data sets")


@dataclass(frozen=True)
class Recurring:
    """The log-ratio of entries by where their values came in training: on D alone, ...

    For noise with few values that are far more than the runs that train: no value recurs often,
    but most that are seen have been seen on one side only.

    Attributes
    ----------
    columns : tuple of int
    names : tuple of str
        Of the columns' entries.
    known : tuple of ndarray
        For every column the values seen in training, sorted.
    seen_on : tuple of ndarray
        For every value where it was seen: on D alone (1), on D' alone (2), or on both (3).
    ratios : ndarray of shape (columns, 4)
        Log-ratios of a run by where its value was seen in other training runs, 0 for nowhere.
    values : tuple of float
        About how many values the noise of a column has, if all are as likely.
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    known: tuple[FloatArray, ...]
    seen_on: tuple[NDArray[np.intp], ...]
    ratios: FloatArray
    values: tuple[float, ...]

    @classmethod
    def fit(cls, columns: Sequence[int], names: Sequence[str], tables: Tables) -> Recurring:
        """Count in how many runs a value was seen in other runs of the training."""
        known, seen_on, counts, values = [], [], [], []
        for column in columns:
            sides = [table.floats()[:, column] for table in tables]
            cut = len(sides[0])
            found, place = np.unique(np.concatenate(sides), return_inverse=True)
            one, two = (np.bincount(at, minlength=found.size) for at in (place[:cut], place[cut:]))
            known.append(found)
            seen_on.append((one > 0) + 2 * (two > 0))
            others = (one > 1) + 2 * (two > 0), (one > 0) + 2 * (two > 1)
            counts.append([np.bincount(o, n, 4) for o, n in zip(others, (one, two), strict=True)])
            values.append(min(_number_of_values(side) for side in sides)[0])
        first, second = np.swapaxes(np.array(counts, dtype=np.float64), 0, 1)
        return cls(
            tuple(columns),
            tuple(names[column] for column in columns),
            tuple(known),
            tuple(seen_on),
            log_ratios(first, second),
            tuple(values),
        )

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the scores."""
        return in_pieces(self._of, table)

    def _of(self, piece: OutcomeTable) -> FloatArray:
        numbers, total = piece.floats(), np.zeros(len(piece))
        for j, column in enumerate(self.columns):
            at = np.minimum(
                np.searchsorted(self.known[j], numbers[:, column]), len(self.known[j]) - 1
            )
            seen = self.known[j][at] == numbers[:, column]
            total += self.ratios[j, np.where(seen, self.seen_on[j][at], 0)]
        return total

    def describe(self, threshold: float) -> str:
        """Return of which values the event is, and about how many the noise has."""
        most = int(np.argmax(np.abs(self.ratios).max(axis=1)))
        noise = f"the noise has about {self.values[most]:,.0f} values"
        if len(self.columns) > 1:
            return (
                f"sum of log-ratios by where a value was seen before > {threshold:.4g} "
                f"(most from {self.names[most]}, where {noise})"
            )
        inside = self.ratios[0] > threshold
        sizes = np.bincount(self.seen_on[0], minlength=4)
        named = np.flatnonzero(inside ^ inside[0])  # an event, or its complement, of known values
        sets = [f"{sizes[k]:,} values seen before on {_WHERE[k]}" for k in named if sizes[k]]
        no = "not " if inside[0] else ""
        return f"{self.names[0]} {no}one of the {' or the '.join(sets)}; {noise}"


def recurring_columns(tables: Tables) -> list[int]:
    """Return the columns in which values recur, but are too many to be counted one by one.

    Not those in which all may be single-precision floats, and recur no more often than such do.
    """
    width = tables[0].numbers.shape[1]
    sides = [table[: LOOKED_AT // width].floats()[:, :MOST_COLUMNS] for table in tables]
    found = []
    single = single_precision(np.concatenate(sides))
    for column in range(sides[0].shape[1]):
        values, pairs = min(_number_of_values(side[:, column]) for side in sides)
        if pairs >= LEAST_PAIRS and FEW < values < (SINGLE if single[column] else math.inf):
            found.append(column)
    return found


def few_values(first: FloatArray, second: FloatArray, alpha: float) -> float | None:
    """Return about how many values continuous noise has, if fewer than 2^32 at most; else None.

    Two runs give one of N values or more with probability 1/N at most; by Markov's inequality so
    many pairs as are seen in ``first`` then have probability alpha at most. Noise on a grid, and of
    few enough values to be counted, is meant to be discrete, and none is told of it. That is
    decided on ``second``.

    Parameters
    ----------
    first, second : ndarray
        Of independent runs on one data set.
    alpha : float
    """
    values, pairs = _number_of_values(second)
    on_grid = _common_step(second, float(COARSE * spacing(second[:, None])[0]))
    if pairs < LEAST_PAIRS or values <= FEW or not math.isnan(on_grid):
        return None
    values, pairs = _number_of_values(first)
    expected = first.size**2 / 2 / CONTINUOUS
    return values if pairs and expected / pairs <= alpha else None


def _number_of_values(values: FloatArray) -> tuple[float, int]:
    """Return how many values there are, if all are as likely, and the pairs of runs with the same.

    Common values, which are counted one by one, are left out. Infinite if none recurs.
    """
    _, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return values_and_pairs(counts[counts * FEW <= len(values)])


def values_and_pairs(counts: NDArray[np.int64]) -> tuple[float, int]:
    """Return about how many values noise has, and the pairs of equal ones, by how often each came.

    All values are taken to be as likely; infinitely many if none recurs.
    """
    drawn, pairs = int(counts.sum()), int((counts * (counts - 1)).sum()) // 2
    return (drawn * (drawn - 1) / 2 / pairs if pairs else math.inf), pairs
