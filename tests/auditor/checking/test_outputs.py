"""Outputs of any kind: what is inside is seen, and what shows nothing does not hold."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import types
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import auditor
from auditor.core.errors import InputError
from auditor.runs.plain_data import opened

pytestmark = pytest.mark.usefixtures("unpromised")

PAIR = (np.zeros(10), np.append(np.zeros(9), 1.0))
ASKED: dict[str, Any] = {"pair": PAIR, "epsilon": 1.0, "samples": 600}

# ------------------------------------------------------------ "holds" needs evidence


async def a_coroutine(data: Any, rng: np.random.Generator) -> float:
    return float(np.sum(data))


def a_generator(data: Any, rng: np.random.Generator) -> Any:
    yield np.sum(data)


@pytest.mark.parametrize(
    ("mechanism", "what"),
    [
        (a_coroutine, "coroutine"),
        (lambda data, rng: a_coroutine(data, rng), "coroutine"),
        (a_generator, "generator"),
        (lambda data, rng: map(float, data), "map"),
        (lambda data, rng: lambda: np.sum(data), "function"),
        (lambda data, rng: functools.partial(max, *data), "partial"),
        (lambda data, rng: None if rng.random() < 0.8 else a_generator(data, rng), "generator"),
    ],
)
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_code_that_is_yet_to_run_is_no_output(mechanism: Any, what: str) -> None:
    claimed = {auditor.check: {"epsilon": 1.0}, auditor.measure: {}}
    for call, claim in claimed.items():
        with pytest.raises(InputError, match=f"returned a {what}, which is code yet to run"):
            call(mechanism, pair=PAIR, samples=600, **claim)


def frozen(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.random.default_rng(1).laplace(size=size)


def frozen_leak(data: Any, rng: np.random.Generator, size: int) -> Any:
    return 9 * np.sum(data) + frozen(data, rng, size)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (lambda data, rng: None, "every run returned None, which shows nothing; is a return"),
        (lambda data, rng: float(np.size(data)), "every run gave the same output"),
        (frozen, "the same outputs come back for every seed"),
        (frozen_leak, "the same outputs come back for every seed"),
        (lambda data, rng: digest(data, rng).hexdigest(), "cannot be looked into"),
        (lambda data, rng: digest(data, rng).digest(), "cannot be looked into"),
        (lambda data, rng: (1.0, lambda: noisy(data, rng)), "cannot be looked into"),
        (lambda data, rng: [object() if noisy(data, rng) > 2 else 1.0], "cannot be looked into"),
    ],
)
def test_runs_that_could_not_have_shown_anything_are_inconclusive(
    mechanism: Any, words: str
) -> None:
    found = auditor.check(mechanism, **ASKED, batched=mechanism in (frozen, frozen_leak))
    assert found.status == "inconclusive"
    assert words in found.summary
    assert found.witness is None
    if "looked into" in words:
        assert "do not vary" not in found.summary
        assert not any(finding["kind"] == "constant" for finding in found.findings)


def noisy(data: Any, rng: np.random.Generator) -> float:
    return float(np.sum(data) + rng.laplace())


def digest(data: Any, rng: np.random.Generator) -> Any:
    return hashlib.sha256(str(noisy(data, rng)).encode())


@pytest.mark.parametrize(("share", "status"), [(0.95, "inconclusive"), (0.6, "holds")])
def test_a_mechanism_that_nearly_always_raises_was_hardly_tried(share: float, status: str) -> None:
    def raises(data: Any, rng: np.random.Generator) -> Any:
        kind = rng.random()
        if kind < share:
            raise (ValueError if kind < share / 2 else KeyError)("no such key")
        return np.sum(data) + rng.laplace(scale=2.0)

    found = auditor.check(raises, **{**ASKED, "samples": 4000})
    assert found.status == status
    assert ("gave no output on either data set" in found.summary) == (status == "inconclusive")


def test_outputs_drawn_elsewhere_that_never_vary_are_inconclusive() -> None:
    same = np.full(2000, 3.0)
    found = auditor.check_samples(same, same, epsilon=1.0)
    assert found.status == "inconclusive"
    assert "every run gave the same output" in found.summary
    assert auditor.check_samples(same, same + 1, epsilon=1.0).status == "violated"


# ------------------------------------------------------------------- what is inside


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x: float) -> None:
        self.x = x

    def __repr__(self) -> str:
        return "always the same"


class Tagged(float):
    tag: float


def tagged(x: float) -> Tagged:
    made = Tagged(1.0)
    made.tag = x
    return made


OUTPUTS = {
    "one of two texts": lambda x: "yes" if x > 1 else "no",
    "ragged list": lambda x: [None] * int(abs(x)) + [float("nan")],
    "namespace": lambda x: SimpleNamespace(x=x),
    "slots": Slotted,
    "attribute of a float": tagged,
    "text": str,
    "text among others": lambda x: f"about {x:.9f} people",
    "json": lambda x: json.dumps({"mean": [1, x]}),
    "bytes": lambda x: np.float64(x).tobytes(),
    "whole number in bytes": lambda x: int(1e6 + 1000 * x).to_bytes(8, "little"),
    "deque": lambda x: deque([x]),
    "timedelta": lambda x: timedelta(seconds=x),
    "datetime": lambda x: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=x),
    "timestamp": lambda x: pd.Timestamp("2020-01-01") + pd.Timedelta(seconds=x),
    "interval": lambda x: pd.Interval(x, 1e6),
    "index": lambda x: pd.Series([0.0], index=[x]),
    "polynomial": lambda x: np.polynomial.Polynomial([x, 1.0]),
    "sparse": lambda x: sparse.csr_matrix([[x, 0.0]]),
    "mask": lambda x: np.ma.masked_array([x], [True]),
    "key": lambda x: {x: 1},
    "argument of an exception": ValueError,
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_what_is_inside_of_an_output_is_seen(kind: str) -> None:
    def leaks(data: Any, rng: np.random.Generator) -> Any:
        return OUTPUTS[kind](6 * np.sum(data) + rng.laplace())

    def right(data: Any, rng: np.random.Generator) -> Any:
        return OUTPUTS[kind](np.sum(data) + rng.laplace(scale=1.5))

    found = auditor.check(leaks, **ASKED)
    assert found.status == "violated"
    assert found.epsilon_lower > 1.0
    found = auditor.check(right, **ASKED)
    assert found.status == "holds", found.summary
    assert 0 < found.first[0] < found.first[1]  # an event was found


@pytest.mark.parametrize("share", [1.0, 0.05])
@pytest.mark.parametrize("size", [None, 3])
def test_the_summary_names_an_exception_of_one_side(share: float, size: int | None) -> None:
    def raises(data: Any, rng: np.random.Generator) -> Any:
        output = np.sum(data) / 3 + rng.laplace(scale=2.0, size=size)
        if np.sum(data) and rng.random() < share:
            raise LookupError("no such record")
        return output

    found = auditor.check(raises, **{**ASKED, "samples": 4000})
    assert found.status == "violated"
    assert "raised LookupError" in found.summary
    if share == 1.0:
        assert found.event == "raised LookupError"


# ------------------------------------------------------------- what never ends, or resists


class VastList(list[Any]):
    """A list that says that it is longer than any memory, and never ends."""

    def __len__(self) -> int:
        return 10**12

    def __iter__(self) -> Any:
        return itertools.count()


class Leaving:
    """An output that leaves Python when it is looked into."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise SystemExit(0)

    __iter__ = __float__ = __array__


def endless() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["self"] = found["and again"] = found
    return found


def endless_list() -> list[Any]:
    found: list[Any] = []
    found.extend([found] * 3)
    return found


def endless_object() -> Any:
    found = types.SimpleNamespace()
    found.self = found.too = [found, found]
    return found


def endless_array() -> Any:
    found = np.empty(2, dtype=object)
    found[:] = [found, (found, found)]
    return found


class Incomparable:
    """It seems to be a sparse array, and has no shape."""

    def tocoo(self) -> None:
        raise RuntimeError


class EndlessItems(dict[str, int]):
    """A dict that never ends when it is walked through."""

    def __iter__(self) -> Any:
        return itertools.count()

    keys = items = values = __iter__


class EndlessSet(set[int]):
    __iter__ = EndlessItems.__iter__


class EndlessMapping(Mapping[int, int]):
    __iter__ = EndlessItems.__iter__

    def __len__(self) -> int:
        return 1

    def __getitem__(self, key: int) -> int:
        return key


class Classless:
    """An output that does not say what it is."""

    @property
    def __class__(self) -> Any:
        raise SystemExit(0)


SELF_CONTAINED = [endless, endless_list, endless_object, endless_array]
RESISTING: list[Callable[[], Any]] = [
    lambda: VastList([1]),
    EndlessItems,
    EndlessSet,
    EndlessMapping,
    Leaving,
    *SELF_CONTAINED,
    lambda: np.ones((1,) * 64),  # many axes
    Incomparable,
]


@pytest.mark.parametrize("make", [*RESISTING, Classless])
@pytest.mark.parametrize("kind", ["rng", "ledger"])
def test_an_output_of_any_kind_tells_data_sets_apart(make: Any, kind: str) -> None:
    def mechanism(data: Any, source: Any) -> Any:
        return make() if data[1] else float(source.laplace(0.0, 1.0)) if kind == "rng" else 0.0

    found = auditor.check(
        mechanism, pair=([0.0, 1.0], [0.0, 0.0]), samples=64, epsilon=1.0, kind=kind
    )
    assert found.status == "violated"


@pytest.mark.parametrize("make", RESISTING)
@pytest.mark.parametrize("batched", [False, True])
def test_an_output_of_any_kind_alone_shows_nothing(make: Any, batched: bool) -> None:
    def mechanism(data: Any, rng: np.random.Generator, size: int | None = None) -> Any:
        return [make() for _ in range(size)] if batched else make()

    asked = {**ASKED, "samples": 64, "batched": batched}
    assert auditor.check(mechanism, **asked).status == "inconclusive"
    assert auditor.check_samples([make()] * 64, [make()] * 64, epsilon=1.0).status != "violated"


@pytest.mark.parametrize("make", SELF_CONTAINED)
def test_what_contains_itself_is_opened_once(make: Any) -> None:
    assert len(repr(opened(make()))) < 200


class Silenced:
    """A record that leaves Python when it is compared."""

    def __eq__(self, other: object) -> bool:
        raise SystemExit(0)


@pytest.mark.parametrize("made", [list, np.array])
def test_records_that_cannot_be_compared_are_different(made: Any) -> None:
    pair = (made([Silenced()]), made([Silenced()]))
    found = auditor.check(lambda data, rng: rng.laplace(), pair=pair, epsilon=1.0, samples=64)
    assert found.status != "violated"
