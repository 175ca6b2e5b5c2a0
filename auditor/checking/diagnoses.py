"""Diagnoses: sentences that name the structure by which outputs break a claim.

The event that refutes a claim need not say what is wrong with the mechanism. So once a claim is
refuted, runs that were kept are screened again: one half proposes structure, and what breaks the
claim by itself in the other half is told. A diagnosis decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from auditor.core.pair_names import DIRECTIONS
from auditor.events.lattices import Recurring, Remainder, recurring_columns, telling_remainder
from auditor.events.outcomes import Encoding
from auditor.events.scores import Column, Score
from auditor.events.structure import Atom, Copies, PairView, indicators, pair_views
from auditor.events.thresholds import choose_threshold
from auditor.events.views import HUGE, NumberView, Tables
from auditor.runs.blocks import Outputs
from auditor.statistics.claims import Claim
from auditor.statistics.proportions import two_sample_p_value
from reference._validation import FloatArray

FAR = 5.0
"""A record moves an entry far if by so many times the interquartile range of its noise."""
ALWAYS = 0.99
"""An event of so large a share of the runs is said to happen always."""
DISTINCT = 0.5
"""An entry varies if so large a share of its values differ, those of an event left out."""
SEVERAL = 5
"""An entry has noise if it takes so many values."""
ON_DATA = ", and how depends on the data"
LEAST = 16
"""Runs a side without which nothing is told."""
MOST = 3
"""Diagnoses that are told."""


def diagnoses(kept: Sequence[Outputs], claim: Claim, alpha: float) -> tuple[Mapping[str, Any], ...]:
    """Return findings that name structure which breaks a claim by itself, the plainest first.

    Parameters
    ----------
    kept : (outputs, outputs)
        Of runs on D and on D'.
    claim : Claim
    alpha : float
        Probability, at most, that anything is told of a mechanism that meets the claim.

    Returns
    -------
    tuple of mapping
        Each with ``kind``, ``diagnosis`` (the words), ``event``, ``p_value`` and ``statement``.
    """
    if min(map(len, kept)) < LEAST:
        return ()
    halves = [(outputs[: len(outputs) // 2], outputs[len(outputs) // 2 :]) for outputs in kept]
    encoding = Encoding.learn(halves[0][0], halves[1][0])
    choosing, counting = (
        (encoding.table(first), encoding.table(second))
        for first, second in zip(*halves, strict=True)
    )
    proposed = list(_proposed(choosing, [layout.name for layout in encoding.entries]))
    found: list[Mapping[str, Any]] = []
    named: set[int] = set()
    for score in proposed:
        columns = _columns(score)
        told = _told(score, choosing, counting, claim, alpha / len(proposed))
        if told is not None and not columns <= named:
            found.append(told)
            named |= columns
    return tuple(found[:MOST])


def _proposed(tables: Tables, names: Sequence[str]) -> Iterator[Score]:
    """Yield scores of structure, those first whose sentence says most."""
    if not names:
        return
    found = indicators(tables, names, thorough=True)
    yield from sorted(found, key=lambda one: isinstance(one, Atom))
    remainder = telling_remainder(tables, names)
    if remainder is not None:
        yield Column(remainder, 0)
    for column in recurring_columns(tables)[:MOST]:
        yield Recurring.fit([column], names, tables)
    yield from _far(tables, names)
    for view in pair_views(tables, names):
        yield from (Column(view, index) for index in range(len(view.names)))


def _columns(score: Any) -> set[int]:
    """Return the entries that a score of structure is of."""
    if isinstance(score, Column):
        view: Any = score.view
        if isinstance(view, NumberView):
            return {score.index}
        return set(view.columns) if isinstance(view, PairView) else {view.column}
    return {score.column} if isinstance(score, Atom) else set(score.columns)


def _far(tables: Tables, names: Sequence[str]) -> Iterator[Score]:
    """Yield the entries that are moved far beyond their noise, the one moved furthest first."""
    moved = _moved(tables)[0]
    order = np.argsort(-moved, kind="stable")[:MOST]
    yield from (Column(NumberView(tuple(names)), int(j)) for j in order if moved[j] > FAR)


def _moved(tables: Tables) -> tuple[FloatArray, FloatArray]:
    """Return by how much the medians of entries differ, over the spread of noise, and itself."""
    quartiles = []
    for table in tables:
        numbers = table.floats()
        numbers = np.where(np.isfinite(numbers).all(axis=0), numbers, 0.0)
        quartiles.append(np.quantile(np.clip(numbers, -HUGE, HUGE), [0.25, 0.5, 0.75], axis=0))
    spread = np.maximum(*(high - low for low, _, high in quartiles))
    distance = np.abs(quartiles[0][1] - quartiles[1][1])
    return np.where(spread > 0, distance / np.where(spread > 0, spread, 1.0), 0.0), distance


def _told(
    score: Score, choosing: Tables, counting: Tables, claim: Claim, alpha: float
) -> Mapping[str, Any] | None:
    """Return a finding if the runs that count show that a score alone breaks the claim."""
    first, second = map(score, choosing)
    choice = choose_threshold(first, second, claim, alpha, len(counting[0]), claim.level)
    inside = [score(table) > choice.threshold for table in counting]
    likely, other = inside[choice.side], inside[1 - choice.side]
    one, two = (int(likely.sum()), likely.size), (int(other.sum()), other.size)
    p_value = two_sample_p_value(one, two, claim.ceiling)
    words = _words(score, counting, one[0] / one[1], choice.side)
    if words is None or p_value > alpha:
        return None
    event = score.describe(choice.threshold)
    on, against = DIRECTIONS[choice.side].split(" against ")
    return {
        "kind": "structure",
        "diagnosis": words,
        "event": event,
        "p_value": p_value,
        "statement": f"{words} ({event}: {one[0]} of {one[1]} runs on {on}, {two[0]} of "
        f"{two[1]} on {against})",
    }


# ------------------------------------------------------------------------------ the sentences


_COORDINATE = re.compile(r"output\[(\d+)\]")


def _place(name: str) -> str:
    """Return what an entry is called in a sentence, e.g. ``coordinate 2``."""
    coordinate = _COORDINATE.fullmatch(name)
    if coordinate:
        return f"coordinate {coordinate[1]}"
    return {"output": "the output", "len(output)": "the length of the output"}.get(name, name)


def _places(names: tuple[str, str]) -> str:
    """Return what two entries are called, e.g. ``coordinates 0 and 2``."""
    one, other = map(_COORDINATE.fullmatch, names)
    if one and other:
        return f"coordinates {one[1]} and {other[1]}"
    return " and ".join(map(_place, names))


def _of_two_releases(names: tuple[str, str]) -> bool:
    """Return whether entries lie in two items of the output, each of which has several."""
    releases = [re.match(r"output\[[^]]+\](?=\[)", name) for name in names]
    one, other = releases
    return one is not None and other is not None and one[0] != other[0]


def _varies(tables: Tables, columns: Sequence[int], side: int, value: float | None = None) -> bool:
    """Return whether most values of entries differ on a side, one value left out."""
    for column in columns:
        numbers = tables[side].floats()[:, column]
        numbers = numbers[numbers != value]
        if np.unique(numbers).size <= DISTINCT * numbers.size:
            return False
    return True


def _has_noise(tables: Tables, columns: Sequence[int], side: int) -> bool:
    """Return whether entries take several values on a side."""
    numbers = tables[side].floats()
    return all(np.unique(numbers[:, column]).size >= SEVERAL for column in columns)


def _in_runs(share: float) -> str:
    return "" if share >= ALWAYS else f" in {100 * share:.2g}% of the runs"


@singledispatch
def _words(score: Any, tables: Tables, share: float, side: int) -> str | None:
    """Return the sentence of a score whose event has a share of the runs on a side; or None."""
    return None


@_words.register
def _(score: Atom, tables: Tables, share: float, side: int) -> str | None:
    if share < ALWAYS and not _varies(tables, [score.column], side, score.value):
        return None  # one of a few values, as of noise that is whole numbers
    return f"{_place(score.name)} is released without noise{_in_runs(share)}"


@_words.register
def _(score: Copies, tables: Tables, share: float, side: int) -> str | None:
    noisy = _has_noise if share >= ALWAYS else _varies  # few values are often equal by chance
    if not noisy(tables, score.columns, side):
        return None
    if share >= ALWAYS:
        sharing = "two releases" if _of_two_releases(score.names) else _places(score.names)
        return f"{sharing} share their noise"
    first, second = map(_place, score.names)
    how = "repeats" if score.sign > 0 else "is the negative of"
    how = how if score.exact else "has the noise of"
    return f"{second} {how} {first}{_in_runs(share)}"


@_words.register
def _(score: Recurring, tables: Tables, share: float, side: int) -> str:
    return f"the noise of {_place(score.names[0])} takes about {score.values[0]:,.0f} values"


@_words.register
def _(score: Column, tables: Tables, share: float, side: int) -> str | None:
    view = score.view
    if isinstance(view, Remainder):
        return (
            f"the noise of {_place(view.entry)} is a multiple of {view.step:.6g}, which the data "
            "are not"
        )
    if isinstance(view, PairView):
        if not _varies(tables, view.columns, side):
            return None
        return f"{_places(view.entries)} are correlated{ON_DATA}"
    times, distance = (moved[score.index] for moved in _moved(tables))
    return (
        f"one record moves {_place(view.names[score.index])} by {distance:.4g}, {times:,.0f} times "
        "the spread of its noise: no clipping, or too little noise"
    )
