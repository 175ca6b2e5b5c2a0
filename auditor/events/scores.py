"""Scores learned from samples: estimates of log P(output | D)/P(output | D').

The best events are those where the likelihood ratio is large (Neyman and Pearson), so every score
here estimates its logarithm, or is a statistic that may grow with it. A score need not be right:
whatever it is, an event "score > threshold" is certified on other runs. The score of an output
does not depend on the block in which it comes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from auditor.events.outcomes import Layout, OutcomeTable, category_name, describe_row
from auditor.events.views import NumberView, Tables, TableView
from reference._validation import FloatArray


class Score(Protocol):
    """A number for every output."""

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the scores of encoded outputs, shape (n,)."""

    def describe(self, threshold: float) -> str:
        """Return "score > threshold" in words."""


def in_pieces(
    function: Callable[[OutcomeTable], NDArray[Any]], table: OutcomeTable
) -> NDArray[Any]:
    """Return a function of every row, computed on pieces whose intermediate results are small."""
    return np.concatenate([function(piece) for piece in table.pieces()])


@dataclass(frozen=True)
class Constant:
    """The score of outputs that are all alike, for all that can be read of them."""

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return zeros."""
        return np.zeros(len(table))

    def describe(self, threshold: float) -> str:
        """Return that there is no event."""
        return "no event, as nothing that can be read of the outputs varies"


@dataclass(frozen=True)
class Column:
    """One column of a view as a score."""

    view: TableView
    index: int

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the numbers; NaN is above no threshold."""
        return in_pieces(lambda piece: self.view(piece)[:, self.index], table)

    def describe(self, threshold: float) -> str:
        """Return e.g. ``output > 0.31``."""
        return f"{self.view.names[self.index]} > {threshold:.6g}"


@dataclass(frozen=True)
class Category:
    """An indicator of one category of an entry, e.g. an exception.

    Attributes
    ----------
    column, code : int
    text : str
        What the category is called.
    """

    column: int
    code: int
    text: str

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return 1 for the category, else 0."""
        return np.asarray(table.codes[self.column] == self.code, dtype=np.float64)

    def describe(self, threshold: float) -> str:
        """Return e.g. ``raised ValueError``."""
        return self.text


@dataclass(frozen=True)
class Distance:
    """The distance of a scalar from its median: for noise whose scale depends on the data."""

    view: TableView
    centre: float

    @classmethod
    def fit(cls, view: TableView, tables: Tables) -> Distance | None:
        """Find the median; None without a finite number."""
        sample = np.concatenate([view(table)[:, 0] for table in tables])
        sample = sample[np.isfinite(sample)]
        return cls(view, 2 * float(np.median(sample / 2))) if sample.size else None

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return half the distances, which do not overflow."""
        return np.asarray(np.abs(self.view(table)[:, 0] / 2 - self.centre / 2))

    def describe(self, threshold: float) -> str:
        """Return e.g. ``|output - 0.5| > 2``."""
        return f"|{self.view.names[0]} - {self.centre:.6g}| > {2 * threshold:.6g}"


# ------------------------------------------------------------- log-ratios of counted outcomes


CLEAR = 1.5


def log_ratios(first: FloatArray, second: FloatArray) -> FloatArray:
    """Estimate the log-ratios of the cells of columns from their counts.

    A raw log-ratio is noisy where counts are small. The estimate is the larger of two: shrunk by
    what the column's log-ratios vary beyond their noise (James and Stein: good for leaks spread
    thin), and less :data:`CLEAR` standard deviations (good for a few cells that differ much).

    Parameters
    ----------
    first, second : ndarray of shape (columns, cells)
        Counts of the two samples; every column has all runs.

    Returns
    -------
    ndarray of shape (columns, cells)
        0 for cells without a run.
    """
    sizes = [counts.sum(axis=1, keepdims=True) for counts in (first, second)]
    raw = np.log((first + 0.5) / (sizes[0] + 0.5)) - np.log((second + 0.5) / (sizes[1] + 0.5))
    variance = 1 / (first + 0.5) + 1 / (second + 0.5)
    seen = first + second > 0
    weight = np.where(seen, first / sizes[0] + second / sizes[1], 0.0) / 2
    beyond = (weight * (raw**2 - variance)).sum(axis=1, keepdims=True)
    beyond = np.maximum(beyond, 0.0)
    shrunk = np.abs(raw) * beyond / (beyond + variance)
    clear = np.abs(raw) - CLEAR * np.sqrt(variance)
    return np.where(seen, np.sign(raw) * np.maximum(shrunk, clear), 0.0)


@dataclass(frozen=True)
class Bins:
    """Cells of columns: intervals of numbers, single values that are common, NaN, categories.

    Attributes
    ----------
    view : TableView
    cuts : ndarray of shape (K, d)
        Cell k of a column holds the numbers above k of its cuts; unused cuts are infinite. Cell
        K + 1 is NaN; cell K + 1 + c is category c of the entry, if ``categories``.
    categories : int
        Number of cells for categories; the last one also takes all beyond it.
    """

    view: TableView
    cuts: FloatArray
    categories: int

    @classmethod
    def fit(cls, view: TableView, tables: Tables, most: int) -> Bins:
        """Choose about ``most`` cells a column, finer in the tails."""
        rows = 2000 + 2**19 // tables[0].numbers.shape[1]
        sample = np.concatenate([table[:rows].seen_by(view) for table in tables])
        columns = [_cuts(np.sort(column[~np.isnan(column)]), most) for column in sample.T]
        longest = max((cuts.size for cuts in columns), default=0)
        padded = np.full((longest, len(columns)), math.inf)
        for j, cuts in enumerate(columns):
            padded[: cuts.size, j] = cuts
        codes = [code for t in tables for code in t.codes.values()]
        categories = max((int(code.max()) for code in codes), default=-1) + 1
        return cls(view, padded, min(categories, 1000) if isinstance(view, NumberView) else 0)

    @property
    def cells(self) -> int:
        """Number of cells a column."""
        return len(self.cuts) + 2 + self.categories

    def __call__(self, table: OutcomeTable) -> NDArray[np.int16]:
        """Return the cells of the entries, shape (n, d)."""
        numbers = table.seen_by(self.view)
        cells = np.zeros(numbers.shape, dtype=np.int16)
        for cut in self.cuts:
            cells += numbers > cut
        nan = len(self.cuts) + 1
        cells[np.isnan(numbers)] = nan
        if self.categories:
            for j, codes in table.codes.items():
                cell = nan + np.minimum(codes, self.categories)
                cells[:, j] = np.where(codes > 0, cell, cells[:, j])
        return cells

    def counts(self, table: OutcomeTable) -> FloatArray:
        """Return how many outputs have their entry in which cell, shape (d, cells)."""
        d = self.cuts.shape[1]
        offsets = np.arange(d) * self.cells
        total = np.zeros(d * self.cells)
        for piece in table.pieces():
            total += np.bincount((self(piece) + offsets).ravel(), minlength=total.size)
        return total.reshape(d, self.cells)


def _cuts(ordered: FloatArray, most: int) -> FloatArray:
    """Return cuts of sorted numbers into cells, with common values in cells of their own."""
    n = ordered.size
    if n < 2 or ordered[0] == ordered[-1]:
        return np.zeros(0)
    # at the quantiles of equidistant normal deviates: finer in the tails, but not too fine
    reach = -float(ndtri(min(0.4, max(1 / most**2, 10 / n))))
    at = ndtr(np.linspace(-reach, reach, most + 1)[1:-1]) * n
    ends = np.flatnonzero(np.append(ordered[1:] > ordered[:-1], True))
    counts = np.diff(ends, prepend=-1)
    common = np.argsort(-counts, kind="stable")[:most]
    atoms = ordered[ends[common[counts[common] >= 5]]]
    cuts = np.concatenate([ordered[at.astype(np.int64)], atoms, np.nextafter(atoms, -math.inf)])
    cuts = np.unique(cuts)
    # of cuts between the same two numbers, one; none below or above all
    above, one = np.unique(np.searchsorted(ordered, cuts, side="right"), return_index=True)
    return cuts[one[(above > 0) & (above < n)]]


@dataclass(frozen=True)
class AdditiveScore:
    """The sum over columns of the log-ratio of the cell that an entry is in (naive Bayes).

    Exact for one column, and for independent columns: parallel releases, randomized bits.

    Attributes
    ----------
    bins : Bins
    ratios : ndarray of shape (d, cells)
    layouts : tuple of Layout
        Of the entries: their categories are named in descriptions.
    """

    bins: Bins
    ratios: FloatArray
    layouts: tuple[Layout, ...]

    @classmethod
    def fit(
        cls, view: TableView, tables: Tables, most: int, layouts: Sequence[Layout] = ()
    ) -> AdditiveScore:
        """Choose about ``most`` cells a column and count them."""
        bins = Bins.fit(view, tables, most)
        ratios = log_ratios(*(bins.counts(table) for table in tables))
        return cls(bins, ratios, tuple(layouts))

    def parts(self, table: OutcomeTable) -> FloatArray:
        """Return the log-ratio of every entry, shape (n, d)."""
        d, cells = self.ratios.shape
        return np.asarray(self.ratios.ravel().take(self.bins(table) + np.arange(d) * cells))

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the scores."""
        return in_pieces(lambda piece: self.parts(piece).sum(axis=1), table)

    def describe(self, threshold: float) -> str:
        """Return the set of outcomes if there is one entry, else the largest weights."""
        if len(self.layouts) == 1 and threshold < 0:  # its complement has what was seen
            return f"not ({' or '.join(self._sets(self.ratios[0] <= threshold))})"
        if len(self.layouts) == 1:
            return " or ".join(self._sets(self.ratios[0] > threshold)) or "no output"
        weights = np.abs(self.ratios).max(axis=1)
        names = self.bins.view.names
        largest = ", ".join(f"{names[j]}{self._trend(j)}" for j in largest_weights(weights))
        return f"sum of per-entry log-ratios > {threshold:.4g} (most from {largest})"

    def _trend(self, column: int) -> str:
        """Return in which direction the log-ratios of a column's numbers rise, in words."""
        cells = int(np.count_nonzero(self.bins.cuts[:, column] < math.inf)) + 1
        rise = self.ratios[column, cells - 1] - self.ratios[column, 0]
        return " where large" if rise > 0 else " where small" if rise < 0 else ""

    def _sets(self, inside: NDArray[np.bool_]) -> list[str]:
        """Return cells of the one entry as intervals and values."""
        layout, edges = self.layouts[0], [-math.inf, *self.bins.cuts[:, 0], math.inf]
        name = layout.name
        sets, k = [], 0
        while k < len(edges) - 1:
            start = k
            while k < len(edges) - 1 and inside[k]:
                k += 1
            if k > start:
                sets.append(_interval(name, edges[start], edges[k]))
            k += 1
        nan = len(edges) - 1
        labels = ["unseen"] * (self.bins.categories + 1)
        labels[0] = "NaN"
        for category, code in layout.categories.items():
            if code < self.bins.categories:
                labels[code] = category_name(category)
        values = [labels[cell - nan] for cell in range(nan, self.bins.cells) if inside[cell]]
        if values:
            sets.append(f"{name} in {{{', '.join(values)}}}")
        return sets


def _interval(name: str, low: float, high: float) -> str:
    if (low, high) == (-math.inf, math.inf):
        return f"{name} is a number"
    if math.nextafter(low, math.inf) == high:
        return f"{name} = {high:.6g}"
    if high == math.inf:
        return f"{name} > {low:.6g}"
    return f"{name} <= {high:.6g}" if low == -math.inf else f"{low:.6g} < {name} <= {high:.6g}"


def largest_weights(weights: FloatArray) -> list[int]:
    """Return where the three largest weights are, of those that are not 0."""
    order = np.argsort(-np.abs(weights), kind="stable")[:3]
    return [int(j) for j in order if weights[j] != 0]


# ---------------------------------------------------------------------------- whole outputs

_ODD = np.random.default_rng(1).integers(2**62, 2**63, 2**14, dtype=np.uint64) * 2 + 1


def keys(table: OutcomeTable) -> NDArray[np.uint64]:
    """Return a hash of every row: equal rows have equal keys, different ones almost surely not."""

    def of(piece: OutcomeTable) -> NDArray[np.uint64]:
        numbers = piece.floats() + 0.0  # no negative zeros
        numbers[np.isnan(numbers)] = np.nan
        bits = numbers.view(np.uint64)
        bits = (bits >> np.uint64(32)) | (bits << np.uint64(32))  # the bits that vary come low
        total = (bits * np.resize(_ODD, bits.shape[1])).sum(axis=1, dtype=np.uint64)
        for j, codes in piece.codes.items():
            total += codes.astype(np.uint64) * _ODD[-1 - j % len(_ODD)]
        return np.asarray(total)

    return in_pieces(of, table)


@dataclass(frozen=True)
class Counted:
    """The log-ratio of whole outputs that were seen more than once.

    Attributes
    ----------
    known : ndarray of uint64
        Keys of those outputs, sorted.
    ratios : ndarray
        Their log-ratios, and last that of all other outputs together, estimated from those seen
        exactly once (Good and Turing).
    examples : tuple of (int, str)
        Where some of the commonest outputs are in ``known``, and what they are.
    outputs : OutcomeTable
        All of them.
    """

    known: NDArray[np.uint64]
    ratios: FloatArray
    examples: tuple[tuple[int, str], ...]
    outputs: OutcomeTable

    @classmethod
    def fit(cls, tables: Tables, layouts: Sequence[Layout]) -> Counted | None:
        """Count outputs; None if none happens twice."""
        found = [keys(table) for table in tables]
        known, at, place = np.unique(np.concatenate(found), return_index=True, return_inverse=True)
        n = len(found[0])
        sides = place[:n], place[n:]
        counts = np.array([[np.bincount(side, minlength=known.size)] for side in sides])
        common = counts.sum(axis=(0, 1)) > 1
        if not common.any():
            return None
        once = counts[:, :, ~common].sum(axis=2, keepdims=True)
        pooled = np.concatenate([counts[:, :, common], once], axis=2).astype(np.float64)
        commonest = np.argsort(-pooled[:, 0, :-1].sum(axis=0), kind="stable")[:100].tolist()
        rows = [(int(i >= n), int(i) - n * int(i >= n)) for i in at[common][commonest]]
        texts = [describe_row(tables[side], row, layouts) for side, row in rows]
        examples = tuple(zip(commonest, texts, strict=True))
        outputs = _rows_at(tables, at[common])
        return cls(known[common], log_ratios(pooled[0], pooled[1])[0], examples, outputs)

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the scores."""
        found = keys(table)
        at = np.searchsorted(self.known, found)
        seen = np.append(self.known, 0)[at] == found
        return self.ratios[np.where(seen, at, len(self.known))]

    def describe(self, threshold: float) -> str:
        """Return how many outputs the event has, and a few of them."""
        inside = int(np.count_nonzero(self.ratios[:-1] > threshold))
        few = [text for i, text in self.examples if self.ratios[i] > threshold][:3]
        some = f", e.g. {' or '.join(few)}" if few else ""
        rare = ", or a rarer one" if self.ratios[-1] > threshold else ""
        return f"output one of {inside} (of {len(self.known)} that recur){some}{rare}"


def _rows_at(tables: Tables, places: NDArray[np.int64]) -> OutcomeTable:
    """Return rows of two tables by their places in one after the other."""
    n, first = len(tables[0]), places < len(tables[0])
    numbers = np.empty((places.size, tables[0].numbers.shape[1]))
    numbers[first] = tables[0].numbers[places[first]]
    numbers[~first] = tables[1].numbers[places[~first] - n]
    codes = {}
    for j, one in tables[0].codes.items():
        codes[j] = np.empty(places.size, dtype=np.int32)
        codes[j][first] = one[places[first]]
        codes[j][~first] = tables[1].codes[j][places[~first] - n]
    return OutcomeTable(numbers, codes)
