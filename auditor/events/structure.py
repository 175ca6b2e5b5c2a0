"""Structure that independent noise would not have: screened for before any score is learned.

Looked for are values that recur (:class:`Atom`), entries that repeat each other or differ by a
constant (:class:`Copies`), and pairs whose product differs between the data sets
(:class:`PairView`). Screens look at a few hundred training runs; the last one looks at all for
repeated entries, and at more for recurring values. What they find are scores, for other runs to
certify.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.events.classifiers import linear_algebra
from auditor.events.outcomes import OutcomeTable
from auditor.events.views import HUGE, Tables, robust_location
from reference._validation import FloatArray

ROWS = 500
"""Runs a side that are screened for values that recur, constant differences and products."""
LEAST_ROWS = 64
"""The fewest runs a side that are screened, however many entries there are."""
QUICK_ROWS = 2048
"""Runs a side that are screened for repeated entries at an early look; at the last, all."""
FEW_ENTRIES = 2**18
"""Entries a side that are screened for values that recur at the last look."""
MOST_COLUMNS = 64
"""Entries of an output, the first ones, whose differences are screened."""
MOST_TIED = 128
"""Entries that are compared with each other, where more repeat another one."""
MOST_MULTIPLIED = 256
"""Entries of an output, the first ones, whose products are screened."""
CELLS = 2**20
"""Numbers that a screen of pairs may make of one side."""
CLEAR, CLEAR_PRODUCT = 3.5, 5.0
"""Standard errors by which shares, and products, must differ between the sides to be tried."""
KEPT = 2
"""Candidates of each kind that are tried."""
RECUR = 5
"""Runs in which a value, or a difference, must recur."""
ROUNDING = 1e-9
"""Differences are constant if they vary by no more than this share of the entries' size."""
LEAST = 5e-324
"""The smallest positive double: only equal numbers differ by less."""


@dataclass(frozen=True)
class Atom:
    """An indicator of one value of one entry.

    Attributes
    ----------
    column : int
    value : float
    name : str
        Of the entry.
    """

    column: int
    value: float
    name: str

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return 1 where the entry has the value, else 0."""
        return np.asarray(table.floats()[:, self.column] == self.value, dtype=np.float64)

    def describe(self, threshold: float) -> str:
        """Return e.g. ``output[2] == -0.4``."""
        return f"{self.name} == {self.value:.10g}"


@dataclass(frozen=True)
class Copies:
    """An indicator of one entry being another one, or its negative, but for a constant.

    Attributes
    ----------
    columns : (int, int)
    names : (str, str)
        Of the entries.
    sign : int
        1 if the first is subtracted from the second, -1 if it is added.
    offset : float
        The constant.
    within : float
        What the difference is off the constant by must be smaller.
    """

    columns: tuple[int, int]
    names: tuple[str, str]
    sign: int
    offset: float = 0.0
    within: float = LEAST

    @property
    def exact(self) -> bool:
        """Return whether the entries are equal, or each other's negative."""
        return self.within == LEAST

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return 1 where the entries differ by the constant, else 0."""
        numbers = table.floats()
        one, other = (numbers[:, column] for column in self.columns)
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(other + -self.sign * one + -self.offset)
        return np.asarray(off < self.within, dtype=np.float64)

    def describe(self, threshold: float) -> str:
        """Return e.g. ``output[2] == output[0]``."""
        one, other = self.names
        if self.exact:
            return f"{other} == {'-' * (self.sign < 0)}{one}"
        return f"{other} {'-' if self.sign > 0 else '+'} {one} == {self.offset:.10g}"


@dataclass(frozen=True)
class PairView:
    """Columns made of two entries: their product, their distance and their sum.

    Attributes
    ----------
    columns : (int, int)
    entries : (str, str)
    centres, scales : (float, float)
        The entries are centred, and multiplied by the scales.
    """

    columns: tuple[int, int]
    entries: tuple[str, str]
    centres: tuple[float, float]
    scales: tuple[float, float]

    @property
    def names(self) -> tuple[str, ...]:
        """Return e.g. ``(output[2] - 0.5) * (output[7] + 0.25)``."""
        one, other = (
            f"({entry} {'-' if centre >= 0 else '+'} {abs(centre):.4g})"
            for entry, centre in zip(self.entries, self.centres, strict=True)
        )
        first, second = (
            f"{scale:.4g} {x}" for scale, x in zip(self.scales, (one, other), strict=True)
        )
        return f"{one} * {other}", f"|{first} - {second}|", f"|{first} + {second}|"

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the columns."""
        numbers = np.clip(table.floats()[:, list(self.columns)], -HUGE, HUGE) - self.centres
        one, other = (numbers * self.scales).T
        product = numbers[:, 0] * numbers[:, 1]
        return np.column_stack([product, np.abs(one - other), np.abs(one + other)])


def indicators(tables: Tables, names: Sequence[str], *, thorough: bool) -> Iterator[Atom | Copies]:
    """Yield indicators of values that recur and of entries that repeat each other.

    Parameters
    ----------
    tables : (OutcomeTable, OutcomeTable)
        Training outputs of the two sides.
    names : sequence of str
        Of the entries.
    thorough : bool
        Whether constant differences are screened, too, and more runs for the others.
    """
    few = FEW_ENTRIES // len(names)
    most = max(LEAST_ROWS, few if thorough else min(few, ROWS))
    yield from _atoms([table[:most].floats() for table in tables], names)
    if len(names) < 2:
        return
    yield from _repeated(tables, names, len(tables[0]) if thorough else QUICK_ROWS)
    if thorough:
        yield from _constant_differences([table[:ROWS].floats() for table in tables], names)


def _separation(
    first: NDArray[np.float64], second: NDArray[np.float64], runs: tuple[float, float]
) -> FloatArray:
    """Return by how many standard errors shares of two samples differ."""
    angles = [
        2 * np.arcsin(np.sqrt(np.minimum(counts / n, 1.0)))
        for counts, n in zip((first, second), runs, strict=True)
    ]
    return np.asarray(np.abs(angles[0] - angles[1]) / math.sqrt(1 / runs[0] + 1 / runs[1]))


def _best(separation: FloatArray) -> list[int]:
    """Return where the largest are, of those that are clear."""
    order = np.argsort(-separation, kind="stable")[:KEPT]
    return [int(at) for at in order if separation[at] > CLEAR]


def _atoms(sides: Sequence[FloatArray], names: Sequence[str]) -> Iterator[Atom]:
    """Yield values that recur and whose shares differ most."""
    runs = float(len(sides[0])), float(len(sides[1]))
    both = np.sort(np.concatenate(sides), axis=0)
    recurs = np.flatnonzero((both[RECUR - 1 :] == both[: len(both) - RECUR + 1]).any(axis=0))
    found: list[tuple[float, int, float]] = []
    for column in recurs.tolist():
        values, place = np.unique(
            np.concatenate([side[:, column] for side in sides]), return_inverse=True
        )
        at = place[: len(sides[0])], place[len(sides[0]) :]
        counts = [np.bincount(part, minlength=values.size).astype(np.float64) for part in at]
        clear = np.where(np.isnan(values), 0.0, _separation(counts[0], counts[1], runs))
        found += [(float(clear[i]), column, float(values[i])) for i in _best(clear)]
    found.sort(key=lambda item: -item[0])
    for _, column, value in found[:KEPT]:
        yield Atom(column, value, names[column])


# --------------------------------------------------------------------------- repeated entries


def _repeated(tables: Tables, names: Sequence[str], most: int) -> Iterator[Copies]:
    """Yield pairs of entries that are equal, or each other's negative, more often on one side."""
    room = int(np.clip(CELLS // len(names), 16, ROWS))
    tied = [_tied_rows(table[:most], room) for table in tables]
    if not any(len(rows) for rows, _ in tied):
        return
    runs = tied[0][1], tied[1][1]
    columns = _tied_columns(tied)
    upper = np.triu_indices(columns.size, 1)
    for sign in (1, -1):
        counts = [_equal_pairs(rows[:, columns], sign)[upper] for rows, _ in tied]
        for at in _best(_separation(counts[0], counts[1], runs)):
            pair = int(columns[upper[0][at]]), int(columns[upper[1][at]])
            yield Copies(pair, (names[pair[0]], names[pair[1]]), sign)


def _tied_rows(table: OutcomeTable, room: int) -> tuple[FloatArray, float]:
    """Return some rows with two entries of the same size, and of about how many runs they are."""
    found: list[FloatArray] = []
    seen = kept = 0
    for piece in table.pieces():
        numbers = piece.floats()
        ordered = np.sort(np.abs(numbers), axis=1)
        at = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if kept + at.size > room:  # as many as there is room for, and the runs up to there
            at = at[: room - kept]
            return np.concatenate([*found, numbers[at]]), float(
                seen + at[-1] + 1 if at.size else seen
            )
        found.append(numbers[at])
        seen, kept = seen + len(numbers), kept + at.size
    return np.concatenate(found), float(seen)


def _tied_columns(tied: Sequence[tuple[FloatArray, float]]) -> NDArray[np.int64]:
    """Return the columns that are tied with another most more often on one side, in order."""
    d = tied[0][0].shape[1]
    if d <= MOST_TIED:
        return np.arange(d)
    shares = []
    for rows, runs in tied:
        order = np.argsort(np.abs(rows), axis=1)
        ordered = np.take_along_axis(np.abs(rows), order, axis=1)
        equal = np.pad(ordered[:, 1:] == ordered[:, :-1], ((0, 0), (1, 1)))
        inside = order[equal[:, 1:] | equal[:, :-1]]
        shares.append(np.bincount(inside, minlength=d) / runs)
    apart = np.abs(shares[0] - shares[1])
    return np.sort(np.argsort(-apart, kind="stable")[:MOST_TIED])


def _equal_pairs(rows: FloatArray, sign: int) -> FloatArray:
    """Return for every two entries in how many rows one is ``sign`` times the other."""
    d = rows.shape[1]
    total = np.zeros((d, d))
    step = max(1, CELLS // d**2)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        total += (part[:, :, None] == sign * part[:, None, :]).sum(axis=0)
    return total


# ----------------------------------------------------------------------- constant differences


def _constant_differences(sides: Sequence[FloatArray], names: Sequence[str]) -> Iterator[Copies]:
    """Yield pairs of entries whose difference, or sum, takes one value more often on one side."""
    columns = _smooth_columns(sides)
    first, second = np.triu_indices(columns.size, 1)
    if first.size == 0:
        return
    rows = int(np.clip(CELLS // (2 * first.size), RECUR, ROWS))
    kept = [side[:rows, columns] for side in sides]
    size = np.quantile(np.abs(np.concatenate(kept)), 0.9, axis=0)
    within = ROUNDING * (size[first] + size[second])
    found: list[tuple[float, Copies]] = []
    for sign in (1, -1):
        made = [np.sort((x[:, second] - sign * x[:, first]).T, axis=1) for x in kept]
        for at, offset in _recurring(made, within):
            if abs(offset) < within[at] and any((x[at] == 0).any() for x in made):
                continue  # entries that repeat each other
            counts = [
                np.array([np.count_nonzero(np.abs(x[at] - offset) < within[at])], dtype=np.float64)
                for x in made
            ]
            clear = float(_separation(counts[0], counts[1], (len(kept[0]), len(kept[1])))[0])
            pair = int(columns[first[at]]), int(columns[second[at]])
            named = names[pair[0]], names[pair[1]]
            found.append((clear, Copies(pair, named, sign, offset, float(within[at]))))
    found.sort(key=lambda item: -item[0])
    yield from (one for clear, one in found[:KEPT] if clear > CLEAR)


def _smooth_columns(sides: Sequence[FloatArray]) -> NDArray[np.int64]:
    """Return the columns whose values hardly ever recur, and are finite."""
    smooth = np.ones(min(sides[0].shape[1], MOST_COLUMNS), dtype=bool)
    for side in sides:
        ordered = np.sort(side[:, :MOST_COLUMNS], axis=0)
        smooth &= (ordered[1:] != ordered[:-1]).mean(axis=0) > 0.5
        smooth &= np.isfinite(ordered).all(axis=0)
    return np.flatnonzero(smooth)


def _recurring(made: Sequence[FloatArray], within: FloatArray) -> Iterator[tuple[int, float]]:
    """Yield the rows of sorted numbers in which one recurs, and the number; a few at most."""
    for ordered in made:
        if ordered.shape[1] < RECUR:
            continue
        spans = ordered[:, RECUR - 1 :] - ordered[:, : ordered.shape[1] - RECUR + 1]
        place = spans.argmin(axis=1)
        least = spans[np.arange(len(spans)), place]
        for at in np.flatnonzero(least < within)[: 8 * KEPT].tolist():
            yield at, float(ordered[at, place[at] + RECUR // 2])


# ------------------------------------------------------------------------------------ products


def pair_views(tables: Tables, names: Sequence[str]) -> Iterator[PairView]:
    """Yield the pairs of entries whose products differ most between the sides, if clearly."""
    sides = [table[:ROWS].floats()[:, :MOST_MULTIPLIED] for table in tables]
    d = sides[0].shape[1]
    if d < 2 or min(map(len, sides)) < RECUR:
        return
    low, high, centre, scale = robust_location(np.concatenate(sides))
    means, doubt = [], np.zeros((d, d))
    for side in sides:
        z = np.nan_to_num((np.clip(side, low, high) - centre) * scale).astype(np.float32)
        with linear_algebra().limit(limits=1):
            mean, square = z.T @ z / len(z), (z**2).T @ z**2 / len(z)
        means.append(mean)
        doubt += (square - mean**2) / len(z)
    upper = np.triu_indices(d, 1)
    clear = np.abs(means[0] - means[1])[upper] / np.sqrt(np.maximum(doubt[upper], 1e-300))
    clear = np.where(doubt[upper] > 0, clear, 0.0)
    for at in np.argsort(-clear, kind="stable")[:KEPT]:
        if clear[at] > CLEAR_PRODUCT:
            i, j = int(upper[0][at]), int(upper[1][at])
            yield PairView(
                (i, j),
                (names[i], names[j]),
                (float(centre[i]), float(centre[j])),
                (float(scale[i]), float(scale[j])),
            )
