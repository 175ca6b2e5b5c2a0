"""Logistic regression on groups of features, whose priors are chosen by evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from auditor.events.classifiers import linear_algebra
from auditor.events.features import (
    FEW_VALUES,
    SAMPLE,
    Cells,
    FeatureColumns,
    Features,
    Lines,
    Products,
    Total,
    Unmixed,
    smooth_columns,
    total,
)
from auditor.events.outcomes import OutcomeTable
from auditor.events.views import Differences, NumberView, Summaries, Tables
from reference._validation import FloatArray

MOST_ENTRIES = 2**26
"""Numbers in the matrix of features: a quarter of a GiB."""
MOST_PRODUCTS = 100
MOST_FACTORS = 300
SEEN_PRODUCT = 10.0
"""Least spread of a product's score statistic: about a hundred runs."""
SPREAD_FROM = 20_000
"""About as many runs tell the spread of the products' score statistics."""
SCREENED = 20_000
"""Runs a side that decide which features of entries' cells and of summaries are kept."""
CLEAR, KEPT = 2.0, 4.0
"""Standard errors by which a group must say something, and the squared one that its features must
show to stay in it."""


class Regression:
    """Fits of the log-ratio of vectors, on either half of the training runs and on all.

    Parameters
    ----------
    names : tuple of str
        Of the entries.
    halves : (Tables, Tables)
    summaries : Summaries
    """

    def __init__(
        self, names: tuple[str, ...], halves: tuple[Tables, Tables], summaries: Summaries
    ) -> None:
        self.features = _screened(_features(names, halves[0], summaries), halves[0])
        self._groups = _numbered(self.features)
        if not self.features:
            return
        rows = max(1000, MOST_ENTRIES // (4 * (self._groups.size + MOST_PRODUCTS)))
        self._halves = [(one[:rows], two[:rows]) for one, two in halves]
        self._sides = [
            np.concatenate([_columns(self.features, t) for t in half]) for half in self._halves
        ]

    def fit(self, which: Sequence[int]) -> Total | None:
        """Fit the halves, one or both; None if nothing varies."""
        if not self.features:
            return None
        sides = [self._sides[k] for k in which]
        x = np.concatenate(sides) if len(sides) > 1 else sides[0]
        label = np.concatenate(
            [np.repeat([1.0, 0.0], [len(t) for t in self._halves[k]]) for k in which]
        )
        width, groups = self._groups.size, self._groups
        with linear_algebra().limit(limits=1):
            weights, residual = fit_weights(x, label, groups)
            products = _products(self.features, x, residual)
            if products is None:
                return total(self.features, weights)
            more = products.of(x)
            scale = 1 / np.maximum(more.std(axis=0), 1e-6)
            more *= scale
            groups = np.append(groups, np.full(scale.size, groups.max() + 1))
            weights, _ = fit_weights(np.hstack([x, more]), label, groups)
        summed = replace(products.score, weights=(weights[width:] * scale).astype(np.float64))
        return total(self.features, weights[:width], summed)


def _screened(features: Sequence[Features], tables: Tables) -> list[Features]:
    """Return what says something by itself, and the entries as they are.

    Entries may say together what none says by itself.
    """
    # the same pieces for all features, which know what the views are of them
    pieces = [list(table[:SCREENED].pieces()) for table in tables]
    kept: list[Features] = []
    for one in features:
        if isinstance(_view(one), NumberView) and not _is_fine(one):
            kept.append(one)
            continue
        first, second = (np.concatenate([one(piece) for piece in side]) for side in pieces)
        (mean, spread), (other, more) = _moments(first), _moments(second)
        squares = (mean - other) ** 2 / np.maximum(spread + more, 1e-12)
        count = np.bincount(one.groups)
        said = np.bincount(one.groups, weights=squares)
        clear = said > count + CLEAR * np.sqrt(2 * count)
        clear |= np.bincount(one.groups, weights=squares > 2 * np.log(squares.size + 1) + KEPT) > 0
        kept.append(one.only(np.flatnonzero(clear[one.groups] & (squares > KEPT))))
    return [one for one in kept if one.groups.size]


def _moments(columns: FeatureColumns) -> tuple[FloatArray, FloatArray]:
    """Return the means of columns, and the variances of these."""
    mean = columns.mean(axis=0, dtype=np.float64)
    square = np.einsum("ij,ij->j", columns, columns, dtype=np.float64) / len(columns)
    return mean, (square - mean**2) / len(columns)


def _is_fine(features: Features) -> bool:
    return isinstance(features, Cells) and features.bins.cuts.shape[0] > 3


def _features(names: tuple[str, ...], tables: Tables, summaries: Summaries) -> list[Features]:
    """Return the groups of features of vectors."""
    tables = tables[0][:SAMPLE], tables[1][:SAMPLE]  # they know what the views are of them
    numbers, differences = NumberView(names), Differences(names)
    sample = np.concatenate([table.floats() for table in tables])
    lines = Lines.fit(numbers, tables)
    smooth = smooth_columns(sample)
    values = np.array([np.unique(column[:4000]).size for column in sample.T])
    found: list[Features] = [
        Cells.fit(numbers, tables, 2),
        lines,
        Cells.fit(summaries, tables, 8, own=True),
        Lines.fit(summaries, tables, own=True),
    ]
    several = (values > 4) & (values <= FEW_VALUES)
    if several.any():
        found.append(Cells.fit(numbers, tables, FEW_VALUES).of_columns(several))
    if len(names) <= 80 and (values > FEW_VALUES).any():
        found.append(Cells.fit(numbers, tables, 8).of_columns(values > FEW_VALUES))
    if not _depend(lines.only(np.flatnonzero(np.isin(lines.chosen, smooth))), tables):
        return found
    if 2 * smooth.size > len(names):
        found += [Lines.fit(differences, tables), Cells.fit(differences, tables, 2)]
    unmixed = Unmixed.fit(names, smooth, tables)
    if unmixed is not None:
        found += [Lines.fit(unmixed, tables), Cells.fit(unmixed, tables, 8)]
    return found


def _depend(features: Features, tables: Tables) -> bool:
    """Return whether features, or their squares, correlate on a side beyond chance.

    The largest of so many correlations would hardly be above the square root of 2 log(number) of
    its standard errors by chance.
    """
    for table in tables:
        columns = features(table)
        for x in (columns, columns**2):
            x = x - x.mean(axis=0)
            with linear_algebra().limit(limits=1):
                covariance = np.triu(x.T @ x, 1)
            size = np.sqrt(np.einsum("ij,ij->j", x, x))
            largest = np.abs(covariance / np.maximum(np.outer(size, size), 1e-9)).max(initial=0)
            if largest * math.sqrt(len(x)) > math.sqrt(2 * math.log(covariance.size + 1)) + 1:
                return True
    return False


def _columns(features: Sequence[Features], table: OutcomeTable) -> FeatureColumns:
    pieces = table.pieces()
    return np.concatenate([np.hstack([one(piece) for one in features]) for piece in pieces])


def _numbered(features: Sequence[Features]) -> NDArray[np.int64]:
    """Return the group of every feature, numbered through."""
    found, start = [np.zeros(0, dtype=np.int64)], 0
    for one in features:
        found.append(one.groups + start)
        start += int(one.groups.max(initial=-1)) + 1
    return np.unique(np.concatenate(found), return_inverse=True)[1]


def fit_weights(
    x: FeatureColumns,
    label: FloatArray,
    groups: NDArray[np.int64],
    *,
    outer: int = 4,
    inner: int = 4,
) -> tuple[FloatArray, FloatArray]:
    """Return the weights of a logistic regression, and the residuals.

    The weights of a group have a Gaussian prior whose variance is chosen by evidence (MacKay
    1992), so that a group that says nothing is shrunk away. The log-likelihood is replaced by its
    quadratic lower bound with the Hessian X'X/4 (Boehning and Lindsay 1988) around the last
    weights, so that a few passes over the runs are enough.
    """
    n = len(x)
    mean = x.mean(axis=0, dtype=np.float64)
    hessian = ((x.T @ x).astype(np.float64) - n * np.outer(mean, mean)) / 4
    member = np.equal.outer(np.arange(groups.max() + 1), groups).astype(np.float64)
    size = member.sum(axis=1)
    prior = np.maximum(member @ np.diag(hessian), 1e-9) / size
    weights = np.zeros(len(mean))
    start = math.log(label.mean() / (1 - label.mean()))
    for _ in range(outer):
        residual = _residual(x, label, weights, mean, start)
        push = hessian @ weights + x.T @ residual.astype(np.float32)
        for _ in range(inner):
            precision = prior @ member
            inverse = np.linalg.inv(hessian + np.diag(precision))
            weights = inverse @ push
            free = size - prior * (member @ np.diag(inverse))
            prior = np.maximum(free, 1e-3) / np.maximum(member @ weights**2, 1e-12)
            prior = np.clip(prior, 1e-6, 1e12)
    return weights, _residual(x, label, weights, mean, start)


def _residual(
    x: FeatureColumns, label: FloatArray, weights: FloatArray, mean: FloatArray, start: float
) -> FloatArray:
    odds = x @ weights.astype(np.float32) + np.float32(start - mean @ weights)
    residual = label - expit(odds)
    return np.asarray(residual - residual.mean())


@dataclass(frozen=True)
class _Found:
    """Products of features, and where their factors are among the features."""

    factors: NDArray[np.int64]
    score: Products

    def of(self, x: FeatureColumns) -> FeatureColumns:
        """Return the products."""
        return self.score.products(x[:, self.factors])


def _products(
    features: Sequence[Features], x: FeatureColumns, residual: FloatArray
) -> _Found | None:
    """Return the products of two features that the residuals depend on beyond chance.

    By their score statistics, of which the largest of so many would hardly be above the square
    root of 2 log(number) by chance.
    """
    groups = np.repeat(np.arange(len(features)), [one.groups.size for one in features])
    entries = [k for k, one in enumerate(features) if isinstance(_view(one), NumberView)]
    allowed = np.flatnonzero(np.isin(groups, entries))
    if allowed.size > MOST_FACTORS:
        allowed = np.flatnonzero(np.isin(groups, entries[:2]))[:MOST_FACTORS]
    z = x[:, allowed]
    centres = z.mean(axis=0, dtype=np.float64)
    z -= centres.astype(np.float32)
    push = z.T @ (z * residual[:, None].astype(np.float32))
    every = max(1, len(z) // SPREAD_FROM)
    z, squares = z[::every] ** 2, residual[::every, None].astype(np.float32) ** 2
    spread = np.sqrt(z.T @ (z * squares) * every)
    one, other = np.triu_indices(allowed.size)
    statistic = np.abs(push / np.maximum(spread, 1e-9))[one, other]
    statistic[spread[one, other] < SEEN_PRODUCT] = 0.0
    best = np.argsort(-statistic, kind="stable")[:MOST_PRODUCTS]
    best = best[statistic[best] > math.sqrt(2 * math.log(statistic.size + 1))]
    if best.size == 0:
        return None
    used, places = np.unique(np.concatenate([one[best], other[best]]), return_inverse=True)
    chosen, pairs = allowed[used], (places[: best.size], places[best.size :])
    starts = np.searchsorted(groups, np.arange(len(features)))
    few = tuple(
        features[k].only(chosen[groups[chosen] == k] - starts[k])
        for k in np.unique(groups[chosen]).tolist()
    )
    return _Found(chosen, Products(few, pairs, centres[used], np.zeros(best.size)))


def _view(features: Features) -> object:
    return features.bins.view if isinstance(features, Cells) else features.view
