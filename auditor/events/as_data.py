"""Events as plain data, which anybody can evaluate in any language.

The format is on one page, ``docs/how-to/events.md``.

An output becomes a row of entries, each a number or a label; further columns are computed from
them; a score is computed from all. Expressions are numbers or lists, an operation before what it is
applied to, so that a few lines evaluate whatever a score was learned as.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from auditor.core.pair_names import SIDES
from auditor.events.classifiers import Boosted, LinearScore
from auditor.events.features import Cells, Features, Products, Total, Unmixed
from auditor.events.lattices import Recurring, Remainder
from auditor.events.learning import LearnedEvent
from auditor.events.outcomes import Layout, OutcomeTable
from auditor.events.scores import (
    AdditiveScore,
    Category,
    Column,
    Constant,
    Counted,
    Distance,
)
from auditor.events.structure import Atom, Copies, PairView
from auditor.events.views import HUGE, CodeView, Differences, NumberView, Summaries, TableView
from auditor.runs.plain_data import Token
from reference._validation import FloatArray

Expression = Any
"""A number, or [operation, argument, ...]; of a row of columns."""

UNSEEN = "unseen"
LARGEST_DOUBLE = float(np.finfo(np.float64).max)
LARGEST = 5_000_000
"""Characters of an event's data up to which a witness keeps it."""


def event_as_data(event: LearnedEvent) -> dict[str, Any]:
    """Return an event as JSON types; only its size, if that is too large."""
    row = _Row(event.encoding.layout)
    score, threshold = _score(event.score, row, event.threshold)
    found = {
        "likelier": SIDES[event.side],
        "entries": row.entries,
        "columns": row.columns,
        "score": score,
        "threshold": float(np.clip(threshold, -LARGEST_DOUBLE, LARGEST_DOUBLE)),
    }
    size = len(json.dumps(found))
    return found if size <= LARGEST else {"too large": size}


class _Row:
    """The columns of which expressions are made."""

    def __init__(self, layout: Layout) -> None:
        places = list(_places(layout, ()))
        self.labels = [list(map(label, place.categories)) for place, _ in places]
        self.entries: list[dict[str, Any]] = [
            {"name": place.name, "path": list(path), "labels": labels}
            for (place, path), labels in zip(places, self.labels, strict=True)
        ]
        self.columns: list[Expression] = []

    def add(self, view: TableView) -> list[Expression]:
        """Return the columns of a view, those that are not entries as further ones."""
        if isinstance(view, NumberView):
            return _columns(view, self)
        start = len(self.entries) + len(self.columns)
        self.columns += _columns(view, self)
        return [["x", j] for j in range(start, len(self.entries) + len(self.columns))]

    def outputs(
        self, table: OutcomeTable, inside: np.ndarray[Any, np.dtype[np.bool_]]
    ) -> list[list[Any]]:
        """Return rows of a table as the numbers and labels of their entries."""
        codes = {j: found[inside].tolist() for j, found in table.codes.items()}
        names = {j: [*self.labels[j], UNSEEN] for j in codes}
        listed = np.asarray(table.numbers[inside], dtype=np.float64).tolist()
        return [
            [
                names[j][codes[j][i] - 1] if j in codes and codes[j][i] else _number(number)
                for j, number in enumerate(row)
            ]
            for i, row in enumerate(listed)
        ]


def label(category: Any) -> str:
    """Return a category as JSON, if it has one, else its text."""
    if isinstance(category, Token):
        return category.text
    if category is None or isinstance(category, (str, bool)):
        return json.dumps(category)
    return repr(category)


def _number(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value + 0.0  # no negative zero


def _places(layout: Layout, path: tuple[Any, ...]) -> Iterator[tuple[Layout, tuple[Any, ...]]]:
    """Yield the places with an entry, in the order of the columns, and how they are reached."""
    inside = (*path, *["opened"] * layout.texts, *["pairs"] * layout.pairs)
    if layout.own:
        yield layout, inside
    for index, item in enumerate(layout.items):
        yield from _places(item, (*inside, index))
    for key, value in layout.values.items():
        known = key if key is None or isinstance(key, (str, bool, int, float)) else repr(key)
        yield from _places(value, (*inside, {"key": known}))


# ----------------------------------------------------------------------------------- columns


def _clipped(expression: Expression) -> Expression:
    return ["clip", expression, -HUGE, HUGE]


def _minus(expression: Expression) -> Expression:
    return ["product", -1, expression]


@singledispatch
def _columns(view: Any, row: _Row) -> list[Expression]:
    raise TypeError(f"{type(view).__name__} has no plain data")


@_columns.register
def _(view: NumberView, row: _Row) -> list[Expression]:
    return [["x", j] for j in range(len(view.names))]


@_columns.register
def _(view: Differences, row: _Row) -> list[Expression]:
    d = len(view.entries)
    return [["sum", _clipped(["x", j + 1]), _minus(_clipped(["x", j]))] for j in range(d - 1)]


@_columns.register
def _(view: CodeView, row: _Row) -> list[Expression]:
    return [["label", j, list(range(1, len(row.labels[j]) + 2)), 0] for j in view.columns]


@_columns.register
def _(view: Remainder, row: _Row) -> list[Expression]:
    return [["mod", ["sum", ["x", view.column], -view.origin], view.step]]


@_columns.register
def _(view: PairView, row: _Row) -> list[Expression]:
    one, other = (
        ["sum", _clipped(["x", j]), -centre]
        for j, centre in zip(view.columns, view.centres, strict=True)
    )
    first, second = (
        ["product", scale, number] for scale, number in zip(view.scales, (one, other), strict=True)
    )
    return [
        ["product", one, other],
        ["abs", ["sum", first, _minus(second)]],
        ["abs", ["sum", first, second]],
    ]


@_columns.register
def _(view: Unmixed, row: _Row) -> list[Expression]:
    numbers = [_clipped(["x", j]) for j in view.columns]
    return [
        ["sum", *(["product", w, x] for w, x in zip(weights, numbers, strict=True))]
        for weights in view.matrix.T.tolist()
    ]


@_columns.register
def _(view: Summaries, row: _Row) -> list[Expression]:
    d = len(view.averages)
    numbers = [_clipped(["x", j]) for j in range(d)]
    known = [["or", number, 0] for number in numbers]
    high = [["or", number, -HUGE] for number in numbers]
    low = [["or", number, HUGE] for number in numbers]
    missing = [["missing", number] for number in numbers]
    above = [
        ["above", number, average]
        for number, average in zip(numbers, view.averages.tolist(), strict=True)
    ]
    return [
        ["sum", *known],
        ["sum", *(["product", number, number] for number in known)],
        ["max", *high],
        ["min", *low],
        ["place", ["max", *high], *high],
        ["place", ["min", *low], *low],
        ["sum", d, *map(_minus, missing)],
        ["sum", *above],
        ["place", 1, *above],
        ["sum", d - 1, _minus(["place", 1, *reversed(above)])],
        ["place", 1, *missing],
    ]


# ------------------------------------------------------------------------------------ scores


@singledispatch
def _score(score: Any, row: _Row, threshold: float) -> tuple[Expression, float]:
    """Return a score, and the threshold that it is above in the event."""
    raise TypeError(f"{type(score).__name__} has no plain data")


@_score.register
def _(score: Constant, row: _Row, threshold: float) -> tuple[Expression, float]:
    return 0, 0.0


@_score.register
def _(score: Column, row: _Row, threshold: float) -> tuple[Expression, float]:
    return row.add(score.view)[score.index], threshold


@_score.register
def _(score: Category, row: _Row, threshold: float) -> tuple[Expression, float]:
    values = [int(code == score.code) for code in range(1, len(row.labels[score.column]) + 2)]
    return ["label", score.column, values, 0], threshold


@_score.register
def _(score: Atom, row: _Row, threshold: float) -> tuple[Expression, float]:
    return ["sum", 1, _minus(["place", ["x", score.column], score.value])], threshold


@_score.register
def _(score: Copies, row: _Row, threshold: float) -> tuple[Expression, float]:
    one, other = score.columns
    difference = ["sum", ["x", other], ["product", -score.sign, ["x", one]], -score.offset]
    return ["above", score.within, ["abs", difference]], threshold


@_score.register
def _(score: Distance, row: _Row, threshold: float) -> tuple[Expression, float]:
    (number,) = row.add(score.view)[:1]
    return ["abs", ["sum", ["product", 0.5, number], -score.centre / 2]], threshold


@_score.register
def _(score: AdditiveScore, row: _Row, threshold: float) -> tuple[Expression, float]:
    return ["sum", *_parts(score, row)], threshold


@_score.register
def _(score: Counted, row: _Row, threshold: float) -> tuple[Expression, float]:
    inside = score.ratios[:-1] > threshold
    if score.ratios[-1] > threshold:  # the rest is in the event: its complement has what was seen
        return ["sum", 1, _minus(["among", row.outputs(score.outputs, ~inside)])], 0.5
    return ["among", row.outputs(score.outputs, inside)], 0.5


@_score.register
def _(score: Recurring, row: _Row, threshold: float) -> tuple[Expression, float]:
    terms = []
    for column, known, seen_on, ratios in zip(
        score.columns, score.known, score.seen_on, score.ratios.tolist(), strict=True
    ):
        there = ~np.isnan(known)
        lists = [list(map(_number, known[there & (seen_on == k)].tolist())) for k in (1, 2, 3)]
        terms.append(["which", column, lists, [*ratios[1:], ratios[0]]])
    return ["sum", *terms], threshold


@_score.register
def _(score: LinearScore, row: _Row, threshold: float) -> tuple[Expression, float]:
    columns = [column for view in score.views for column in row.add(view)]
    numbers = np.column_stack([score.low, score.high, score.centre, score.weights]).tolist()
    terms = [_term(column, *row) for column, row in zip(columns, numbers, strict=True)]
    return ["sum", *terms], threshold


def _term(column: Expression, low: float, high: float, centre: float, weight: float) -> Expression:
    """Return a weighted column, clipped and centred; 0 where it is no number."""
    clipped = ["clip", column, float(low), float(high)]
    return ["product", float(weight), ["or", ["sum", clipped, -float(centre)], 0]]


@_score.register
def _(score: Products, row: _Row, threshold: float) -> tuple[Expression, float]:
    columns = [column for one in score.features for column in _features(one, row)]
    centred = [
        ["sum", column, -centre]
        for column, centre in zip(columns, score.centres.tolist(), strict=True)
    ]
    one, other = score.pairs
    terms = [
        ["product", weight, ["product", centred[i], centred[j]]]
        for weight, i, j in zip(score.weights.tolist(), one.tolist(), other.tolist(), strict=True)
    ]
    return ["sum", *terms], threshold


def _features(features: Features, row: _Row) -> list[Expression]:
    """Return every feature."""
    if isinstance(features, Cells):
        bins, columns = features.bins, row.add(features.bins.view)
        return [
            _part(columns[j], bins.cuts[:, j], np.eye(bins.cells)[cell], bins.categories, j, row)
            for j, cell in np.argwhere(features.kept).tolist()
        ]
    columns = row.add(features.view)
    return [
        _term(columns[j], features.low[j], features.high[j], features.centre[j], features.scale[j])
        for j in features.chosen.tolist()
    ]


@_score.register
def _(score: Total, row: _Row, threshold: float) -> tuple[Expression, float]:
    return ["sum", *(_score(part, row, 0.0)[0] for part in score.parts)], threshold


@_score.register
def _(score: Boosted, row: _Row, threshold: float) -> tuple[Expression, float]:
    columns = [column for view in score.views for column in row.add(view)]
    # scikit-learn has no public way to its trees
    trees = [trees[0].nodes for trees in score.model._predictors]
    start = float(np.ravel(score.model._baseline_prediction)[0])
    return ["sum", start, *(_tree(nodes, 0, columns) for nodes in trees)], threshold


def _tree(nodes: Any, index: int, columns: Sequence[Expression]) -> Expression:
    node: Mapping[str, Any] = nodes[index]
    if node["is_leaf"]:
        return float(node["value"])
    left, right = (_tree(nodes, int(node[side]), columns) for side in ("left", "right"))
    column, cut = columns[int(node["feature_idx"])], float(node["num_threshold"])
    # with an infinite cut it asks whether there is a number
    there = left if cut == math.inf else ["if", ["above", column, cut], right, left]
    return ["if", ["missing", column], left if node["missing_go_to_left"] else right, there]


def _parts(score: AdditiveScore, row: _Row) -> list[Expression]:
    """Return the log-ratio of every column: by the label of its entry, else by its number."""
    bins = score.bins
    return [
        _part(column, bins.cuts[:, j], score.ratios[j], bins.categories, j, row)
        for j, column in enumerate(row.add(bins.view))
    ]


def _part(
    column: Expression, cuts: FloatArray, ratios: FloatArray, categories: int, j: int, row: _Row
) -> Expression:
    nan = len(cuts) + 1
    used = cuts[cuts < math.inf]
    values = [*ratios[: len(used) + 1].tolist(), float(ratios[nan])]
    by_number = ["bin", column, used.tolist(), values]
    if not categories or not row.labels[j]:
        return by_number
    cells = [nan + min(code, categories) for code in range(1, len(row.labels[j]) + 2)]
    return ["label", j, ratios[cells].tolist(), by_number]
