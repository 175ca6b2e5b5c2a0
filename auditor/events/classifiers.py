"""Scores learned by classifiers: logistic regression and boosted trees."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from threadpoolctl import ThreadpoolController, threadpool_limits

from auditor.events.outcomes import OutcomeTable
from auditor.events.scores import Score, in_pieces, largest_weights
from auditor.events.views import HUGE, Tables, TableView, robust_location
from reference._validation import FloatArray


def _rows(tables: Tables, columns: int) -> Tables:
    """Return the first rows, so many that features of them take at most 64 MiB."""
    rows = 2**23 // max(1, columns)
    return tables[0][:rows], tables[1][:rows]


@dataclass(frozen=True)
class LinearScore:
    """A weighted sum of standardised columns, by logistic regression.

    Attributes
    ----------
    views : tuple of TableView
        Whose columns are put side by side.
    low, high, centre : ndarray
        Columns are clipped to [low, high]; NaN becomes the centre.
    weights : ndarray
        Of the columns less their centres.
    names : tuple of str
    """

    views: tuple[TableView, ...]
    low: FloatArray
    high: FloatArray
    centre: FloatArray
    weights: FloatArray

    @classmethod
    def fit(cls, views: Sequence[TableView], tables: Tables) -> LinearScore:
        """Fit by Newton steps with the Hessian's upper bound X'X/4 (Boehning and Lindsay 1988)."""
        names = [name for view in views for name in view.names]
        tables = _rows(tables, len(names))
        low, high, centre, scale = robust_location(_stacked(views, tables, 4000))
        x = np.concatenate(
            [
                _centred(np.hstack([view(piece) for view in views]), low, high, centre) * scale
                for table in tables
                for piece in table.pieces()
            ],
            dtype=np.float32,
            casting="same_kind",
        )
        label = np.repeat([1.0, 0.0], [len(table) for table in tables])
        # the prior on the weights: the score's standard deviation is about 1
        ridge = float(len(names))
        weights, bias = np.zeros(len(names)), math.log(len(tables[0]) / len(tables[1]))
        with linear_algebra().limit(limits=1):
            hessian = (x.T @ x).astype(np.float64) / 4 + ridge * np.eye(len(names))
            inverse = np.linalg.inv(hessian)
            for _ in range(8):
                residual = label - expit(x @ weights.astype(np.float32) + bias)
                weights += inverse @ (x.T @ residual.astype(np.float32) - ridge * weights)
        return cls(tuple(views), low, high, centre, weights * scale)

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the scores."""

        def of(piece: OutcomeTable) -> FloatArray:
            columns = np.hstack([piece.seen_by(view) for view in self.views])
            centred = _centred(columns, self.low, self.high, self.centre)
            return np.asarray((centred * self.weights).sum(axis=1))

        return in_pieces(of, table)

    def describe(self, threshold: float) -> str:
        """Return what the sum rises and falls with most."""
        names = [name for view in self.views for name in view.names]
        weights = self.weights * (self.high - self.low)
        rises = [names[j] for j in largest_weights(weights) if weights[j] > 0]
        falls = [names[j] for j in largest_weights(weights) if weights[j] < 0]
        ways = [
            f"{verb} with {', '.join(of)}"
            for verb, of in (("rises", rises), ("falls", falls))
            if of
        ]
        return f"weighted sum > {threshold:.4g} (it {' and '.join(ways) or 'is constant'} most)"


@functools.cache
def linear_algebra() -> ThreadpoolController:
    """Return what limits the threads of matrix products, so that sums depend on no machine."""
    return ThreadpoolController()  # takes some milliseconds to find the libraries


def _stacked(views: Sequence[TableView], tables: Tables, rows: int) -> FloatArray:
    return np.concatenate([np.hstack([v(table[:rows]) for v in views]) for table in tables])


def _centred(
    columns: FloatArray, low: FloatArray, high: FloatArray, centre: FloatArray
) -> FloatArray:
    centred = np.clip(columns, low, high)
    centred -= centre
    centred[np.isnan(centred)] = 0.0
    return centred


@dataclass(frozen=True)
class Boosted:
    """Gradient-boosted trees (scikit-learn): finds what entries say only together.

    Attributes
    ----------
    views : tuple of TableView
    model : HistGradientBoostingRegressor
    """

    views: tuple[TableView, ...]
    model: Any

    @classmethod
    def fit(cls, views: Sequence[TableView], tables: Tables, base: Score, seed: int) -> Boosted:
        """Fit what is to be added to a score.

        By steps of the likelihood from it with the Hessian's upper bound 1/4. On one thread:
        deterministic, and safe in processes that are forked later.
        """
        from sklearn.ensemble import HistGradientBoostingRegressor  # slow to import

        rows = min(10_000, 2**21 // sum(len(view.names) for view in views))
        tables = tables[0][:rows], tables[1][:rows]
        label = np.repeat([1, 0], [len(table) for table in tables])
        residual = label - expit(np.concatenate([table.seen_by(base) for table in tables]))
        model = HistGradientBoostingRegressor(
            max_iter=30,
            learning_rate=0.2,
            max_leaf_nodes=8,
            min_samples_leaf=50,
            max_bins=31,
            early_stopping=False,
            random_state=seed,
        )
        columns = _finite(_stacked(views, tables, rows))
        columns[:, np.isnan(columns).all(axis=0)] = 0.0  # a column must have a number to be binned
        with threadpool_limits(1):
            model.fit(columns, 4 * residual)
        return cls(tuple(views), model)

    def __call__(self, table: OutcomeTable) -> FloatArray:
        """Return the scores."""

        def of(piece: OutcomeTable) -> FloatArray:
            columns = np.hstack([piece.seen_by(view) for view in self.views])
            return np.asarray(self.model.predict(_finite(columns)))

        with threadpool_limits(1):
            return in_pieces(of, table)

    def describe(self, threshold: float) -> str:
        """Return what the trees split on most."""
        gains = self.gains()
        names = [name for view in self.views for name in view.names]
        most = ", ".join(names[j] for j in largest_weights(gains))
        return f"log-ratio by boosted trees > {threshold:.4g} (most from {most or 'nothing'})"

    def gains(self) -> FloatArray:
        """Return how much the splits on every column explain."""
        gains = np.zeros(sum(len(view.names) for view in self.views))
        for (tree,) in self.model._predictors:  # scikit-learn has no public way to them
            nodes = tree.nodes[tree.nodes["is_leaf"] == 0]
            np.add.at(gains, nodes["feature_idx"], nodes["gain"])
        return gains


def _finite(columns: FloatArray) -> FloatArray:
    return np.clip(columns, -HUGE, HUGE)
