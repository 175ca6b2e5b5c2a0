"""Events as plain data: the lines of docs/how-to/events.md decide as the package does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.events import as_data, classifiers, features, lattices, scores, structure, views
from auditor.events.as_data import event_as_data
from auditor.events.classifiers import Boosted, LinearScore
from auditor.events.features import Cells, Lines, Products, Unmixed, total
from auditor.events.lattices import Recurring, Remainder
from auditor.events.learning import Aim, LearnedEvent, learn_event
from auditor.events.outcomes import Encoding
from auditor.events.scores import (
    AdditiveScore,
    Category,
    Column,
    Constant,
    Counted,
    Distance,
)
from auditor.events.structure import Atom, Copies, PairView
from auditor.events.thresholds import choose_threshold
from auditor.events.views import CodeView, Differences, NumberView, Summaries
from auditor.runs.blocks import Raised
from auditor.runs.plain_data import opened
from auditor.statistics.claims import EpsilonDelta
from auditor.suite.store import validate

PAGE = (Path(__file__).parents[3] / "docs/how-to/events.md").read_text(encoding="utf-8")
SNIPPET = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)[0]
CLAIM = EpsilonDelta(0.1)
N = 600


def contains() -> Callable[[Any, Any], bool]:
    """Return the function of the page, which has nothing of this package."""
    assert "auditor" not in SNIPPET
    namespace: dict[str, Any] = {}
    exec(compile(SNIPPET, "events.md", "exec"), namespace)
    found: Callable[[Any, Any], bool] = namespace["contains"]
    return found


def elsewhere(output: Any) -> Any:
    """Return an output as another program would have it."""
    output = opened(output)
    return json.loads(json.dumps(output.tolist() if hasattr(output, "tolist") else output))


def numbers(rng: np.random.Generator, shift: float) -> Any:
    return rng.normal(size=N) + shift


def vectors(rng: np.random.Generator, shift: float) -> Any:
    found = rng.normal(size=(N, 4))
    found[:, 1] += shift
    found[:, 3] -= shift * (rng.random(N) < 0.5)
    return found


def running_sums(rng: np.random.Generator, shift: float) -> Any:
    return np.cumsum(vectors(rng, shift), axis=1)


def with_gaps(rng: np.random.Generator, shift: float) -> Any:
    found = vectors(rng, shift)
    found[rng.random((N, 4)) < 0.2] = math.nan
    found[rng.random((N, 4)) < 0.02] = math.inf
    return found


def matrices(rng: np.random.Generator, shift: float) -> Any:
    return vectors(rng, shift).reshape(N, 2, 2)


def mixed(rng: np.random.Generator, shift: float) -> Any:
    def one() -> Any:
        return rng.choice([True, False, None, "none", "a"], p=[0.2, 0.1, 0.2, 0.2, 0.3])

    return [
        {"name": str(rng.choice(["a", "b"])), "at": [float(rng.normal() + shift), i % 3]}
        if rng.random() < 0.4
        else ([1.5] * int(rng.integers(4)) if rng.random() < 0.5 else one())
        for i in range(N)
    ]


def texts(rng: np.random.Generator, shift: float) -> Any:
    return [f"sum = {x:.17g}, x={float(x).hex()} 0101" for x in rng.normal(size=N) + shift]


def keyed(rng: np.random.Generator, shift: float) -> Any:
    return [{f"user {x:.9f}": float(x)} for x in rng.normal(size=N) + shift]


def wide(rng: np.random.Generator, shift: float) -> Any:
    return [int((x + shift) * 2**70) + 3 if i % 4 else int(i) for i, x in enumerate(rng.random(N))]


def coins(rng: np.random.Generator, shift: float) -> Any:
    return rng.random((N, 3)) < 0.3 + 0.2 * shift


def failing(rng: np.random.Generator, shift: float) -> Any:
    fails = rng.random(N) < 0.1 + 0.5 * shift
    return [Raised("ValueError") if bad else float(rng.normal()) for bad in fails]


def on_a_lattice(rng: np.random.Generator, shift: float) -> Any:
    return 0.3 + 0.4 * shift + rng.integers(-(2**19), 2**19, N) * 2.0**-20


def of_few_values(rng: np.random.Generator, shift: float) -> Any:
    noise = np.random.default_rng(3).laplace(size=300)
    return 0.3 + 0.4 * (rng.random(N) < shift) + noise[rng.integers(0, 300, N)]


# fmt: off
KINDS = (
    numbers, vectors, running_sums, with_gaps, matrices, mixed, texts, keyed, wide, coins, failing,
    on_a_lattice, of_few_values,
)
# fmt: on


def learned(first: Any, second: Any) -> LearnedEvent:
    aim = Aim(CLAIM, 0.01, certifying=N)
    return learn_event(first, second, aim, effort="full", rng=np.random.default_rng(0))


def require_same(event: LearnedEvent, outputs: Any) -> int:
    """Require that page and package put the same outputs into an event; return how many."""
    data = json.loads(json.dumps(event_as_data(event)))
    validate(data, "event")
    inside = event.contains(outputs)
    theirs = contains()
    for output, mine in zip(outputs, inside.tolist(), strict=True):
        if not isinstance(output, Raised):
            assert theirs(data, elsewhere(output)) == mine, (output, event.describe())
    return int(np.count_nonzero(inside))


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_decides_as_the_package_does(kind: Any) -> None:
    rng = np.random.default_rng(5)
    event = learned(kind(rng, 0.0), kind(rng, 1.0))
    assert 0 < require_same(event, kind(rng, 0.5)) < N


def sums_of_features(view: NumberView, tables: Any) -> list[Any]:
    parts = Cells.fit(view, tables, 4), Lines.fit(view, tables)
    width = sum(one.groups.size for one in parts)
    at, rng = np.arange(width), np.random.default_rng(1)
    pairs = Products(parts, (at, at[::-1]), rng.normal(size=width), rng.normal(size=width))
    return [pairs, total(parts, rng.normal(size=width), pairs)]


# numbers that may be missing, labels beside numbers, and failed runs
@pytest.mark.parametrize("kind", [with_gaps, mixed, failing])
def test_every_score_has_plain_data(kind: Any) -> None:
    rng = np.random.default_rng(7)
    sides = kind(rng, 0.0), kind(rng, 1.0)
    encoding = Encoding.learn(*sides)
    tables = encoding.table(sides[0]), encoding.table(sides[1])
    layouts = encoding.layout.entries()
    names = tuple(layout.name for layout in layouts)
    view, summaries = NumberView(names), Summaries.fit(tables)
    codes = tuple(tables[0].codes)
    additive = AdditiveScore.fit(view, tables, 6, layouts)
    views: list[Any] = [view, summaries, CodeView(codes, tuple(names[j] for j in codes))]
    fitted: list[Any] = [
        *(Column(summaries, i) for i in range(len(summaries.names))),
        *(Column(view, i) for i in range(len(names))),
        *(Category(j, 1, "first") for j in codes),
        Distance.fit(view, tables),
        additive,
        LinearScore.fit([view, summaries], tables),
        *sums_of_features(view, tables),
        Boosted.fit(views if codes else views[:2], tables, Constant(), 0),
        Counted.fit(tables, layouts),
        Constant(),
        Column(Remainder(0, 0.037, 0.011, names[0]), 0),
        Recurring.fit(range(min(2, len(names))), names, tables),
    ]
    if len(names) > 1:
        pair = PairView((0, 1), (names[0], names[1]), (0.3, -0.2), (1.5, 0.7))
        fitted += [
            AdditiveScore.fit(Differences(names), tables, 6),
            AdditiveScore.fit(
                Unmixed(names, (1, 0), np.array([[1.0, 2.0], [-0.5, 1.0]])), tables, 6
            ),
            Atom(1, float(tables[0].numbers[0, 1]), names[1]),
            Copies((0, 1), (names[0], names[1]), -1),
            Copies((0, 1), (names[0], names[1]), 1, 0.2, 0.3),
            *(Column(pair, i) for i in range(len(pair.names))),
        ]
    outputs = kind(rng, 0.5)[:60]
    table = encoding.table(outputs)
    for score in filter(None, fitted):
        found = score(table)
        found = found[np.isfinite(found)]
        choice = choose_threshold(found[::2], found[1::2], CLAIM, 0.1)
        threshold = choice.threshold if math.isfinite(choice.threshold) else 0.5
        require_same(LearnedEvent(0, encoding, score, threshold, (0, 0.0)), outputs)


def test_no_kind_of_score_is_left_out() -> None:
    learned = {
        name
        for module in (classifiers, features, lattices, scores, structure, views)
        for name, thing in vars(module).items()
        if isinstance(thing, type) and thing.__module__ == module.__name__
    }
    helpers = {"Bins", "Cells", "Lines", "Score", "TableView"}
    described = {
        kind.__name__
        for dispatch in (as_data._score, as_data._columns)
        for kind in dispatch.registry
    }
    assert learned - helpers == described - {"object"}


def test_a_run_without_an_output_is_a_label() -> None:
    rng = np.random.default_rng(5)
    event = learned(failing(rng, 0.0), failing(rng, 1.0))
    data = event_as_data(event)
    assert event.describe() == "raised ValueError"
    assert data["likelier"] == "D'"
    (entry,) = data["entries"]
    assert entry["labels"] == ["raised ValueError"]
    assert data["score"] == ["label", 0, [1, 0], 0]


def test_an_object_is_opened_first() -> None:
    class Released:
        def __init__(self, total: float) -> None:
            self.total = total

    rng = np.random.default_rng(1)
    one, two = ([Released(x) for x in rng.normal(size=N) + shift] for shift in (0.0, 2.0))
    some = [*one[:100], *two[:100]]
    assert 0 < require_same(learned(one, two), some) < len(some)


def test_what_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    event = learned(coins(rng, 0.0), coins(rng, 1.0))
    size = len(json.dumps(event_as_data(event)))
    monkeypatch.setattr(as_data, "LARGEST", size)
    assert "score" in event_as_data(event)
    monkeypatch.setattr(as_data, "LARGEST", size - 1)
    found = event_as_data(event)
    assert found == {"too large": size}
    validate(found, "event")
