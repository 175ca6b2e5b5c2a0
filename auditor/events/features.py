"""Features of outputs in groups, and the scores that are weighted sums of them.

A group is of features that are alike: indicators of the cells that an output's entries are in, or
numbers on one scale. A regression (:mod:`auditor.events.regression`) gives every group a prior of
its own, so that many groups can be tried at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.events.classifiers import LinearScore, linear_algebra
from auditor.events.outcomes import OutcomeTable
from auditor.events.scores import AdditiveScore, Bins, Score, in_pieces, largest_weights
from auditor.events.views import HUGE, Tables, TableView, robust_location
from reference._validation import FloatArray

FeatureColumns = NDArray[np.float32]
LEAST_IN_CELL = 50
"""Runs of both sides in a cell that has a feature of its own."""
SAMPLE = 5000
"""Runs a side that decide on scales, cells and mixtures."""
FEW_VALUES = 64
"""Most values of a column of which each has a cell."""
GAUSSIAN, STEPS = 0.25, 30
"""Excess kurtosis below which no mixture is sought, and the most steps of the search."""
SMOOTH = 1000
"""Different values among some thousand runs, from which on a column counts as plain numbers."""


@dataclass(frozen=True)
class Cells:
    """Indicators of the cells of a view's columns.

    Attributes
    ----------
    bins : Bins
    kept : ndarray of bool, shape (d, cells)
        The cells that are features.
    own : bool
        Whether every column is a group by itself.
    """

    bins: Bins
    kept: NDArray[np.bool_]
    own: bool = False

    @classmethod
    def fit(cls, view: TableView, tables: Tables, most: int, *, own: bool = False) -> Cells:
        """Choose about ``most`` cells a column; of those with enough runs the commonest is left."""
        bins = Bins.fit(view, tables, most)
        counts = sum(bins.counts(table[:SAMPLE]) for table in tables)
        kept = np.asarray(counts) >= LEAST_IN_CELL
        rest = np.where(kept, 0.0, counts).sum(axis=1) < LEAST_IN_CELL
        kept[rest, np.argmax(counts, axis=1)[rest]] = False
        return cls(bins, kept, own)

    def of_columns(self, chosen: NDArray[np.bool_]) -> Cells:
        """Return the features of some columns."""
        return replace(self, kept=self.kept & chosen[:, None])

    def __call__(self, table: OutcomeTable) -> FeatureColumns:
        """Return the features, shape (n, number of kept cells)."""
        at = np.where(self.kept, np.cumsum(self.kept).reshape(self.kept.shape) - 1, -1)
        width = int(self.kept.sum())
        used = np.flatnonzero(self.kept.any(axis=1))
        cells = self.bins(table)
        found = np.zeros((len(table), width + 1), dtype=np.float32)
        rows = np.arange(len(table))
        for j in used:
            found[rows, at[j][cells[:, j]]] = 1.0  # the last column takes what is left
        return found[:, :width]

    @property
    def groups(self) -> NDArray[np.int64]:
        """The group of every feature, from 0."""
        return np.nonzero(self.kept)[0] if self.own else np.zeros(self.kept.sum(), dtype=np.int64)

    def only(self, features: NDArray[np.int64]) -> Cells:
        """Return a few of the features, in their order."""
        kept = np.zeros_like(self.kept)
        kept.ravel()[np.flatnonzero(self.kept)[features]] = True
        return replace(self, kept=kept)

    def score(self, weights: FloatArray) -> AdditiveScore:
        """Return the weighted sum of the features."""
        ratios = np.zeros(self.kept.shape)
        ratios[self.kept] = weights
        return AdditiveScore(self.bins, ratios, ())


@dataclass(frozen=True)
class Lines:
    """FeatureColumns of a view, clipped and scaled.

    Attributes
    ----------
    view : TableView
    chosen : ndarray of int
        Which columns.
    low, high, centre, scale : ndarray
        Of all columns.
    own : bool
        Whether every column is a group by itself.
    """

    view: TableView
    chosen: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    centre: FloatArray
    scale: FloatArray
    own: bool = False

    @classmethod
    def fit(cls, view: TableView, tables: Tables, *, own: bool = False) -> Lines:
        """Take the scales from the numbers that are not common single values."""
        sample = np.concatenate([table[:SAMPLE].seen_by(view) for table in tables])
        for column in sample.T:
            column[np.isin(column, _common(column))] = np.nan
        low, high, centre, scale = robust_location(sample)
        return cls(view, np.flatnonzero(scale > 0), low, high, centre, scale, own)

    def __call__(self, table: OutcomeTable) -> FeatureColumns:
        """Return the features, shape (n, chosen columns)."""
        at = self.chosen
        found = np.clip(table.seen_by(self.view)[:, at], self.low[at], self.high[at])
        found -= self.centre[at]
        found[np.isnan(found)] = 0.0
        return np.asarray(found * self.scale[at], dtype=np.float32)

    @property
    def groups(self) -> NDArray[np.int64]:
        """The group of every feature, from 0."""
        return np.arange(self.chosen.size) * int(self.own)

    def only(self, features: NDArray[np.int64]) -> Lines:
        """Return a few of the features, in their order."""
        return replace(self, chosen=self.chosen[features])

    def score(self, weights: FloatArray) -> LinearScore:
        """Return the weighted sum of the features."""
        full = np.zeros(self.scale.size)
        full[self.chosen] = weights * self.scale[self.chosen]
        return LinearScore((self.view,), self.low, self.high, self.centre, full)


Features = Cells | Lines


def _common(column: FloatArray) -> FloatArray:
    """Return values that 1% of the numbers have, unless there are hardly any others."""
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    common = counts >= max(0.01 * counts.sum(), 5)
    return values[common] if values.size - common.sum() > 20 else values[:0]


@dataclass(frozen=True)
class Unmixed:
    """Numbers as sums of independent ones: the coordinates in which they are independent.

    Attributes
    ----------
    entries : tuple of str
    columns : tuple of int
        The entries that are mixed.
    matrix : ndarray of shape (columns, columns)
        Of which every column makes one coordinate.
    """

    entries: tuple[str, ...]
    columns: tuple[int, ...]
    matrix: FloatArray

    @classmethod
    def fit(
        cls, entries: tuple[str, ...], columns: NDArray[np.int64], tables: Tables
    ) -> Unmixed | None:
        """Find the coordinates by FastICA (Hyvarinen 1999); None without 2 to 80 columns."""
        sample = np.concatenate([table[:SAMPLE].floats() for table in tables])
        if not 2 <= columns.size <= 80:
            return None
        x = np.clip(sample[:, columns], -HUGE, HUGE)
        x = x[~np.isnan(x).any(axis=1)]
        if len(x) < SMOOTH:
            return None
        x = np.clip(x, *np.quantile(x, [0.0005, 0.9995], axis=0))
        with linear_algebra().limit(limits=1):
            matrix = _unmixing(x - x.mean(axis=0))
        return None if matrix is None else cls(entries, tuple(columns.tolist()), matrix)

    @property
    def names(self) -> tuple[str, ...]:
        """Return e.g. ``component 3``."""
        return tuple(f"component {k}" for k in range(len(self.columns)))

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the coordinates."""
        numbers = np.clip(table.floats()[:, list(self.columns)], -HUGE, HUGE)
        # entry by entry, so that the sum of a row does not depend on the block it is in
        return sum(
            (numbers[:, [j]] * row for j, row in enumerate(self.matrix)), np.zeros(numbers.shape)
        )


def smooth_columns(sample: FloatArray) -> NDArray[np.int64]:
    """Return the columns that are plain numbers, whose values hardly recur."""
    some = sample[:: max(1, len(sample) // (4 * SMOOTH))]
    least = min(SMOOTH, len(some) // 2)
    return np.array([j for j, c in enumerate(some.T) if np.unique(c).size > least], dtype=np.int64)


def _unmixing(x: FloatArray) -> FloatArray | None:
    """Return the matrix that makes centred columns independent; None if they look Gaussian."""
    value, vector = np.linalg.eigh(x.T @ x / len(x))
    white = vector / np.sqrt(np.maximum(value, 1e-9 * value.max()))
    y = x @ white
    size = y.shape[1]
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))[0]
    if max(_excess_kurtosis(y), _excess_kurtosis(y @ turn)) < GAUSSIAN:
        return None
    for _ in range(STEPS):
        g = np.tanh(y @ turn)
        step = y.T @ g / len(y) - turn * (1 - g**2).mean(axis=0)
        left, _, right = np.linalg.svd(step)
        new = left @ right
        if np.abs(np.abs((new * turn).sum(axis=0)) - 1).max() < 1e-5:
            break
        turn = new
    return np.asarray(white @ turn)


def _excess_kurtosis(y: FloatArray) -> float:
    """Return the largest excess kurtosis of columns of variance 1, without its sign."""
    return float(np.abs(((y * y) ** 2).mean(axis=0) - 3).max())


# ------------------------------------------------------------------------------------- scores


@dataclass(frozen=True)
class Products:
    """A weighted sum of products of two features.

    Attributes
    ----------
    features : tuple of Features
        Whose columns are put side by side.
    pairs : (ndarray of int, ndarray of int)
        The columns of the two factors.
    centres : ndarray
        What is subtracted from every column first.
    weights : ndarray
        Of the products.
    """

    features: tuple[Features, ...]
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
    centres: FloatArray
    weights: FloatArray

    def products(self, columns: FeatureColumns) -> FeatureColumns:
        """Return the products of the columns of the features."""
        one, other = self.pairs
        centres = self.centres.astype(np.float32)
        return (columns[:, one] - centres[one]) * (columns[:, other] - centres[other])

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the sums."""

        def of(piece: OutcomeTable) -> FloatArray:
            columns = np.hstack([features(piece) for features in self.features])
            # by rows in memory, so that sums do not depend on it
            products = np.ascontiguousarray(self.products(columns), dtype=np.float64)
            return np.asarray((products * self.weights).sum(axis=1))

        return in_pieces(of, table)

    def describe(self, threshold: float) -> str:
        """Return how many products are summed."""
        return f"sum of {self.weights.size} products of two features > {threshold:.4g}"


@dataclass(frozen=True)
class Total:
    """The sum of scores."""

    parts: tuple[Score, ...]

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the sums."""

        def of(piece: OutcomeTable) -> FloatArray:
            return np.asarray(sum((part(piece) for part in others), np.zeros(len(piece))))

        totals = [part for part in self.parts if isinstance(part, Total)]
        others = [part for part in self.parts if not isinstance(part, Total)]
        # a total competes before trees are added to it: its scores are known
        return np.asarray(sum((table.seen_by(part) for part in totals), in_pieces(of, table)))

    def describe(self, threshold: float) -> str:
        """Return the columns that can change the sum most."""
        named: dict[str, float] = {}
        for part in self.parts:
            for name, weight in _influences(part):
                named[name] = max(named.get(name, 0.0), weight)
        names = list(named)
        most = [names[j] for j in largest_weights(np.array([named[name] for name in names]))]
        return (
            f"log-ratio by regression > {threshold:.4g} (most from {', '.join(most) or 'nothing'})"
        )


def _influences(part: Any) -> list[tuple[str, float]]:
    """Return by how much every column of a part can change the sum."""
    if isinstance(part, AdditiveScore):
        spread = part.ratios.max(axis=1) - part.ratios.min(axis=1)
        return list(zip(part.bins.view.names, spread.tolist(), strict=True))
    if isinstance(part, LinearScore):
        names = [name for view in part.views for name in view.names]
        return list(zip(names, np.abs(part.weights * (part.high - part.low)).tolist(), strict=True))
    if isinstance(part, Total):
        return [named for one in part.parts for named in _influences(one)]
    if isinstance(part, Products):
        return [("products of two entries", float(np.abs(part.weights).max()))]
    return []


def total(features: Sequence[Features], weights: FloatArray, *more: Score) -> Total:
    """Return the weighted sum of all features, and of further scores."""
    parts: list[Score] = []
    start = 0
    for one in features:
        stop = start + one.groups.size
        if np.any(weights[start:stop]):
            parts.append(one.score(weights[start:stop]))
        start = stop
    return Total((*parts, *more))
