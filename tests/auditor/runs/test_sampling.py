"""Sampling functions in this process: what comes back, and what is noticed."""

from __future__ import annotations

import copy
import dataclasses
import enum
import math
import os
import random
import sys
from collections import Counter, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from auditor.core.errors import InputError
from auditor.runs.blocks import Block, Raised
from auditor.runs.journal import Journal, Notes
from auditor.runs.sampling import FunctionSampler, RecordedSampler, RunOptions
from auditor.runs.values import same, stacked

D = np.zeros(4)
D2 = np.array([1.0, 0.0, 0.0, 0.0])
PAIR = (D, D2)
BLOCKS = [Block(side, start, 500) for start in (0, 500, 1000) for side in (0, 1)]


def laplace(data: Any, rng: np.random.Generator) -> float:
    return float(data.sum() + rng.laplace())


class Drawn:
    """Blocks of outputs and the findings about them, of a sampler that is closed."""

    def __init__(
        self,
        mechanism: Any,
        pair: Any = PAIR,
        blocks: list[Block] = BLOCKS,
        *,
        seed: int = 0,
        batched: bool = False,
        **options: Any,
    ) -> None:
        given = RunOptions(**options)
        sampler = FunctionSampler(mechanism, pair, seed=seed, batched=batched, options=given)
        try:
            self.parts = list(sampler.draw(blocks, lambda outputs: outputs))
        finally:
            sampler.close()
        self.findings = sampler.findings
        self.kinds = [finding["kind"] for finding in sampler.findings]

    @property
    def bytes(self) -> list[bytes]:
        return [part.tobytes() for part in self.parts]


def refused(mechanism: Any, pair: Any = PAIR, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        Drawn(mechanism, pair, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ------------------------------------------------------------------------------- same runs


def test_a_blocks_outputs_depend_on_seed_side_and_start_alone() -> None:
    everything = Drawn(laplace, seed=1).bytes
    assert Drawn(laplace, blocks=[BLOCKS[3]], seed=1).bytes == [everything[3]]
    assert Drawn(laplace, blocks=[BLOCKS[3]], seed=2).bytes != [everything[3]]
    noise = Drawn(lambda data, rng: rng.laplace(), seed=1)
    assert len(set(noise.bytes)) == len(BLOCKS)


# ------------------------------------------------------------------------------ exceptions


def sometimes_raises(data: Any, rng: np.random.Generator) -> float:
    noise = rng.normal()
    if data[0] == 1 and noise > 2:
        raise ValueError(f"{noise} is too much")
    return float(noise)


def test_an_exception_is_an_outcome_and_a_finding() -> None:
    drawn = Drawn(sometimes_raises)
    raised = [o for part in drawn.parts[1::2] for o in part if isinstance(o, Raised)]
    assert 10 < len(raised) < 70  # 34 expected, 5.7 its deviation
    assert set(raised) == {Raised("ValueError")}
    (finding,) = drawn.findings
    assert finding["statement"] == (
        f"raised ValueError in {len(raised)} of 1500 runs on D', none on D; an exception is an "
        "outcome like any other"
    )
    assert finding["counts"] == [0, len(raised)]
    assert "is too much at test_sampling.py:" in finding["example"]


def test_an_exception_on_every_run_of_one_side_is_an_outcome_too() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        return sys.exit(1) if data[0] == 1 else float(rng.normal())

    drawn = Drawn(mechanism)
    assert set(drawn.parts[1]) == {Raised("SystemExit")}
    (finding,) = drawn.findings
    assert "in 1500 of 1500 runs on D', none on D" in finding["statement"]


def always_raises(data: Any, rng: np.random.Generator) -> float:
    raise ValueError("first line\nsecond line")


def undefined_on_one_side(data: Any, rng: np.random.Generator) -> float:
    return undefined if data[0] == 1 else 0.0  # type: ignore[name-defined] # noqa: F821


def batch_raises(data: Any, rng: np.random.Generator, size: int) -> Any:
    return [1 / (1 - data[0])] * size


LINE = always_raises.__code__.co_firstlineno + 1


@pytest.mark.parametrize(
    ("mechanism", "batched", "expected"),
    [
        (always_raises, False, f"first line at test_sampling.py:{LINE} in every run on both"),
        (undefined_on_one_side, False, "NameError: name 'undefined' is not defined at"),
        (undefined_on_one_side, False, "in every run on D';"),
        (lambda data: 0, False, "(it is called with (data, rng);"),
        (lambda data, rng, size: 0, False, "(it is called with (data, rng);"),
        (lambda data, rng: 0, True, "(it is called with (data, rng, size);"),
        (batch_raises, True, "failed with ZeroDivisionError: float division by zero at test_samp"),
        (batch_raises, True, "on D'; with batched=True it must catch its exceptions"),
    ],
)
def test_a_mechanism_that_cannot_run_is_refused(
    mechanism: Any, batched: bool, expected: str
) -> None:
    pair = ([0.0], [1.0]) if batched else PAIR
    assert expected in refused(mechanism, pair, batched=batched)


@pytest.mark.parametrize("quoted", [True, False])
def test_what_a_builtin_says_is_quoted_only_if_it_may_be(quoted: bool) -> None:
    # it has no line of its own: as if the call itself had failed
    message = refused(__import__, ("Alice", "Carol"), quoted=quoted)
    assert "ModuleNotFoundError" in message
    assert "(it is called with (data, rng);" in message
    assert ("Alice" in message) == quoted


# --------------------------------------------------------------------------------- batches


def test_batches_are_what_the_mechanism_returns() -> None:
    drawn = Drawn(lambda data, rng, size: data[0] + rng.normal(size=(size, 3)), batched=True)
    rng = np.random.default_rng(BLOCKS[1].seed_sequence(0))
    assert np.array_equal(drawn.parts[1], 1 + rng.normal(size=(500, 3)))


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (lambda size: list("ab" * size)[:size], list),
        (lambda size: np.array(["a", None] * size, dtype=object)[:size], list),
        (lambda size: np.array(["a", "b"] * size)[:size], list),
        (lambda size: tuple(range(size)), np.ndarray),
        (lambda size: [[1, 2.5]] * size, np.ndarray),
    ],
)
def test_batches_of_every_kind(returned: Any, expected: type) -> None:
    drawn = Drawn(lambda data, rng, size: returned(size), blocks=[Block(0, 0, 40)], batched=True)
    (part,) = drawn.parts
    assert type(part) is expected
    assert all(np.array_equal(a, b) for a, b in zip(part, returned(40), strict=True))


@pytest.mark.parametrize(
    ("returned", "described"),
    [
        (lambda size: np.zeros(size - 1), "an array of shape (31,)"),
        (lambda size: np.zeros((3, size)), "an array of shape (3, 32)"),
        (lambda size: np.array(1.0), "an array of shape ()"),
        (lambda size: [0.0], "a list of length 1"),
        (lambda size: (np.zeros(size), np.zeros(size)), "a tuple of length 2"),
        (lambda size: None, "a value of type NoneType"),
        (lambda size: pd.Series(np.zeros(size)), "a value of type Series"),
        (lambda size: "x" * size, "a value of type str"),
    ],
)
def test_a_batch_of_another_shape_is_refused(returned: Any, described: str) -> None:
    message = refused(lambda data, rng, size: returned(size), batched=True)
    assert f"returned {described} for size=32 on D; " in message
    assert "a leading axis of 32 runs" in message


# ------------------------------------------------------------- mutated inputs and outputs


def in_place(data: Any, rng: np.random.Generator, *size: int) -> Any:
    data += 1
    return data.sum() + rng.normal(size=size)


def undone_by_the_next_run(data: Any, rng: np.random.Generator) -> float:
    data *= -1
    return float(data.sum() + rng.normal())


def seldom(data: Any, rng: np.random.Generator) -> float:
    if rng.random() < 0.002:
        data[0] = 1e6
    return float(data.sum() + rng.normal())


def of_a_list(data: Any, rng: np.random.Generator) -> float:
    data.append(1)
    return float(len(data) + rng.normal())


def of_a_dict(data: Any, rng: np.random.Generator) -> float:
    data["inner"].pop()
    return float(len(data["inner"]) + rng.normal())


def of_a_frame(data: Any, rng: np.random.Generator) -> float:
    data["new"] = 1
    return float(data.shape[1] + rng.normal())


FRAME = pd.DataFrame({"a": [1.0, np.nan]})
OF_A_FRAME = [Block(side, 0, 100) for side in (0, 1)]
"""Copies of data frames are slow."""


@pytest.mark.parametrize(
    ("mechanism", "pair", "batched"),
    [
        (in_place, PAIR, False),
        (undone_by_the_next_run, (D + 1, D2), False),
        (seldom, PAIR, False),
        (of_a_list, ([1], [1, 2]), False),
        (of_a_dict, ({"inner": [1]}, {"inner": [1, 2]}), False),
        (of_a_frame, (FRAME, FRAME.iloc[:1]), False),
        (in_place, PAIR, True),
    ],
)
def test_a_mechanism_that_changes_its_input(mechanism: Any, pair: Any, batched: bool) -> None:
    def pure(data: Any, rng: np.random.Generator, *size: int) -> Any:
        return mechanism(copy.deepcopy(data), rng, *size)

    before = copy.deepcopy(pair)
    blocks = OF_A_FRAME if mechanism is of_a_frame else BLOCKS
    expected = Drawn(pure, pair, blocks, batched=batched)
    assert expected.kinds == []
    drawn = Drawn(mechanism, pair, blocks, batched=batched)
    assert drawn.bytes == expected.bytes
    assert drawn.kinds == ["mutates"]
    assert same(before, pair)


def test_data_sets_that_share_memory_do_not_disturb_each_other() -> None:
    whole = np.arange(5.0)
    first, second = Drawn(in_place, (whole, whole[1:])).parts[:2]
    assert abs(first.mean() - 15) < 0.25  # 10 + 5 added, its deviation 0.045
    assert abs(second.mean() - 14) < 0.25


@pytest.mark.parametrize("batched", [False, True])
def test_an_output_that_the_next_run_overwrites_is_copied(batched: bool) -> None:
    buffer = np.zeros(500)

    def mechanism(data: Any, rng: np.random.Generator, size: int = 2) -> Any:
        buffer[:size] = rng.normal(size=size)
        return buffer[:size]  # a new view of the same memory

    drawn = Drawn(mechanism, batched=batched)
    plain = Drawn(lambda data, rng, size=2: rng.normal(size=size), batched=batched)
    assert drawn.bytes == plain.bytes
    assert (drawn.kinds, plain.kinds) == (["overwrites"], [])


# -------------------------------------------------------------------------------- findings


def of_a_class_made_here(value: float) -> Any:
    class Fit:
        def __init__(self) -> None:
            self.value = value

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Fit) and other.value == value

    return Fit()


def of_a_dataclass_made_here(value: float) -> Any:
    return dataclasses.make_dataclass("Fit", ["value"])(value)


def of_a_named_tuple_made_here(value: float) -> Any:
    return namedtuple("Fit", "value")(value)


def of_an_enumeration_made_here(value: float) -> Any:
    return enum.Enum("Answer", ["YES", "NO"], module=__name__)["YES" if value > 0 else "NO"]


@pytest.mark.parametrize(
    "made",
    [
        lambda value: np.polynomial.Polynomial([value, 1.0]),
        lambda value: scipy.stats.norm(loc=value),
        of_a_class_made_here,
        of_a_dataclass_made_here,
        of_a_named_tuple_made_here,
        of_an_enumeration_made_here,
    ],
)
def test_an_object_is_no_finding(made: Any) -> None:
    blocks = [Block(side, 0, 100) for side in (0, 1)]
    assert Drawn(lambda data, rng: made(laplace(data, rng)), blocks=blocks).kinds == []
    assert same(made(1.0), made(1.0))
    assert not same(made(1.0), made(-1.0))


KEPT = np.polynomial.Polynomial([0.0, 1.0])


def overwrites_an_object(data: Any, rng: np.random.Generator) -> Any:
    KEPT.coef = np.array([laplace(data, rng), 1.0])
    return KEPT


ELSEWHERE: list[Callable[[], Any]] = [
    lambda: np.random.normal(),  # noqa: NPY002
    lambda: random.random(),
    lambda: os.urandom(4).hex(),
    lambda: np.random.default_rng().normal(),
]
NOT_REPRODUCIBLE = "not reproducible from its seed on D and D': it draws from another source than "


@pytest.mark.parametrize(
    ("mechanism", "batched", "kind", "words"),
    [
        (lambda data, rng: rng.integers(2), False, None, ""),
        (lambda data, rng, size: rng.normal(size=size), True, None, ""),
        (lambda data, rng: rng.random() < 0.01, False, None, ""),  # all alike: 3e-7 a side
        (
            lambda data, rng: rng.normal() if data[0] else math.nan,
            False,
            "constant",
            "the output never varies on D: all 1500 runs gave the same",
        ),
        (
            lambda data, rng, size: np.random.default_rng(3).normal(size=size),
            True,
            "repeats",
            "runs are not independent of one another, and no figure here can be relied on",
        ),
        (overwrites_an_object, False, "overwrites", "every output was copied at once"),
        *(
            (lambda data, rng, draw=draw: draw(), False, "not reproducible", NOT_REPRODUCIBLE)
            for draw in ELSEWHERE
        ),
        (
            lambda data, rng, size: [random.random() for _ in range(size)],
            True,
            "not reproducible",
            "a remark, no fault",
        ),
    ],
)
def test_what_is_noticed(mechanism: Any, batched: bool, kind: str | None, words: str) -> None:
    drawn = Drawn(mechanism, batched=batched)
    assert drawn.kinds == [kind] * (kind is not None)
    assert all(words in finding["statement"] for finding in drawn.findings)


@pytest.mark.parametrize(
    ("blocks", "constant"),
    [
        ([[1.0, 1.0], [1.0, 1.0]], True),
        ([[1.0, 1.0], [2.0, 2.0]], False),
        ([[1.0, 1.0], [1.0, 2.0]], False),
        ([[1.0, 2.0], [1.0, 1.0]], False),
        ([["a", "a"], ["a", "a"]], True),
        ([["a", "a"], ["a", "b"]], False),
        ([[math.nan] * 2, [math.nan] * 2], True),
        ([[math.nan] * 2, [math.nan, 1.0]], False),
        ([[Raised("ValueError")] * 2] * 2, False),
    ],
)
@pytest.mark.parametrize("array", [False, True])
def test_an_output_is_constant_if_all_blocks_have_the_same(
    blocks: Any, constant: bool, array: bool
) -> None:
    journal = Journal(str, "")
    for number, outputs in enumerate(blocks):
        notes = Notes()
        notes.compare(stacked(outputs) if array else outputs)
        journal.add(Block(0, 2 * number, 2), notes)
    assert [finding["kind"] for finding in journal.findings()] == ["constant"] * constant


def test_runs_made_again_count_once() -> None:
    journal = Journal(str, "")

    def counted(*blocks: tuple[Block, int]) -> tuple[list[int], list[int]]:
        for block, raised in blocks:
            notes = Notes(Counter({"ValueError": raised}), {"ValueError": "no"})
            journal.add(block, notes)
        (found,) = journal.findings()
        return found["counts"], found["runs"]

    once = (Block(0, 0, 8), 3), (Block(1, 0, 8), 0), (Block(0, 8, 4), 1)
    assert counted(*once) == counted(*once) == ([4, 0], [12, 8])
    # goes on from the same first run: the four and twelve more
    assert counted((Block(0, 8, 16), 5), (Block(0, 8, 2), 1)) == ([8, 0], [24, 8])


# --------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"mechanism": 3}, "the mechanism must be callable, got int"),
        ({"pair": (1, 2, 3)}, "pair must be two data sets"),
        ({"pair": None}, "pair must be two data sets"),
        ({"pair": ([1], iter([1]))}, "D' can be read only once (list_iterator)"),
        ({"seed": -1}, "seed must be a whole number from 0 to"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"workers": 0}, "workers must be a whole number from 1 to 1024, got 0"),
        ({"workers": True}, "workers must be a whole number"),
        ({"call_timeout": 0}, "call_timeout must be a number of seconds in (0, 1e+06], got 0"),
        ({"call_timeout": math.nan}, "must be a number of seconds in (0, 1e+06], got nan"),
        ({"call_timeout": "1"}, "call_timeout must be a number of seconds"),
    ],
)
def test_bad_input_is_refused_in_one_line(options: dict[str, Any], expected: str) -> None:
    assert expected in refused(**{"mechanism": laplace, **options})


def test_recorded_outputs_come_in_blocks() -> None:
    sampler = RecordedSampler(np.arange(10), list("abcdefghij"))
    first, second = sampler.draw([Block(0, 2, 3), Block(1, 8, 5)], lambda outputs: outputs)
    assert first.tolist() == [2, 3, 4]
    assert second == ["i", "j"]
    assert list(sampler.findings) == []
