"""Sampling functions: what comes back, what is noticed, and what is left behind."""

import copy
import dataclasses
import enum
import importlib.util
import math
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter, namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.stats

from auditor.core.errors import InputError
from auditor.runs.blocks import Block, Outputs, Raised
from auditor.runs.journal import Journal, Notes
from auditor.runs.processes import Crew
from auditor.runs.sampling import FunctionSampler, RecordedSampler
from auditor.runs.values import same, stacked

D = np.zeros(4)
D2 = np.array([1.0, 0.0, 0.0, 0.0])
PAIR = (D, D2)
SPARSE = [f"{format}_array" for format in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")]
BLOCKS = [Block(side, start, 500) for start in (0, 500, 1000) for side in (0, 1)]


def laplace(data: Any, rng: np.random.Generator) -> float:
    return float(data.sum() + rng.laplace())


def kept(outputs: Outputs) -> Outputs:
    return outputs


def drawn(sampler: FunctionSampler, blocks: list[Block] = BLOCKS) -> list[Any]:
    try:
        return list(sampler.draw(blocks, kept))
    finally:
        sampler.close()


def kinds(sampler: Any) -> list[str]:
    return [finding["kind"] for finding in sampler.findings]


def statements(sampler: Any) -> str:
    return " | ".join(finding["statement"] for finding in sampler.findings)


def raised_by(mechanism: Any, pair: Any = PAIR, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        drawn(FunctionSampler(mechanism, pair, seed=0, **options))
    message = str(caught.value)
    assert "\n" not in message
    return message


def alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended but is not yet buried does not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def gone(pids: Any, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


# ------------------------------------------------------------------------------- same runs


def test_a_blocks_outputs_depend_on_seed_side_and_start_alone() -> None:
    everything = drawn(FunctionSampler(laplace, PAIR, seed=1))
    alone = drawn(FunctionSampler(laplace, PAIR, seed=1), [BLOCKS[3]])
    other = drawn(FunctionSampler(laplace, PAIR, seed=2), [BLOCKS[3]])
    assert alone[0].tobytes() == everything[3].tobytes()
    assert alone[0].tobytes() != other[0].tobytes()
    noise = drawn(FunctionSampler(lambda data, rng: rng.laplace(), PAIR, seed=1))
    assert len({part.tobytes() for part in noise}) == len(BLOCKS)


@pytest.mark.slow
def test_parallel_equals_serial_byte_for_byte() -> None:
    shift = 3.0
    mechanism = lambda data, rng: data.sum() + shift + rng.normal(size=2)  # noqa: E731
    serial = drawn(FunctionSampler(mechanism, PAIR, seed=5))
    for options in ({"workers": 3}, {"call_timeout": 30.0}):
        sampler = FunctionSampler(mechanism, PAIR, seed=5, **options)
        assert [part.tobytes() for part in drawn(sampler)] == [part.tobytes() for part in serial]
        assert sampler.findings == []


def test_results_come_in_order_and_are_judged_outside_of_the_mechanisms_process() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> tuple[int, float]:
        time.sleep(0.0 if data else 0.001)  # the first block is the slowest
        return os.getpid(), data

    sampler = FunctionSampler(mechanism, (0.0, 1.0), seed=0, workers=2)
    results = list(sampler.draw(BLOCKS, lambda outputs: (os.getpid(), outputs[0])))
    sampler.close()
    assert [value for _, (_, value) in results] == [0.0, 1.0] * 3
    assert {judge for judge, _ in results} == {os.getpid()}
    assert os.getpid() not in {pid for _, (pid, _) in results}


def test_at_most_a_few_blocks_are_taken_ahead() -> None:
    taken = 0

    def blocks() -> Iterator[Block]:
        nonlocal taken
        for start in range(50):
            taken += 1
            yield Block(0, start, 10)

    sampler = FunctionSampler(laplace, PAIR, seed=0, workers=2)
    ahead = [taken - (done + 1) for done, _ in enumerate(sampler.draw(blocks(), len))]
    sampler.close()
    assert len(ahead) == 50
    assert max(ahead) <= 2


@pytest.mark.slow
def test_memory_stays_bounded_while_big_blocks_are_counted(tmp_path: Path) -> None:
    script = """
        import resource
        import numpy as np
        from auditor.runs.sampling import Block, FunctionSampler

        def mechanism(data, rng, size):
            return rng.normal(size=(size, 100))

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

        for workers in (1, 2):
            sampler = FunctionSampler(mechanism, (0, 1), seed=0, batched=True, workers=workers)
            blocks = [Block(side, 20_000 * i, 20_000) for i in range(8) for side in (0, 1)]
            before = peak()
            assert sum(sampler.draw(blocks, len)) == 320_000  # 256 MB of outputs
            sampler.close()
            print(peak() - before)
    """
    here, workers = map(float, _run_script(script, tmp_path).split())
    assert here < 150  # three blocks are 48 MB
    assert workers < 100  # blocks of 16 MB arrive one by one: a worker does not judge itself


# ------------------------------------------------------------------------------ exceptions


def sometimes_raises(data: Any, rng: np.random.Generator) -> float:
    noise = rng.normal()
    if data[0] == 1 and noise > 2:
        raise ValueError(f"{noise} is too much")
    return float(noise)


@pytest.mark.parametrize("options", [{}, {"workers": 2}], ids=["here", "workers"])
def test_an_exception_is_an_outcome_and_a_finding(options: Any) -> None:
    sampler = FunctionSampler(sometimes_raises, PAIR, seed=0, **options)
    parts = drawn(sampler)
    count = sum(isinstance(o, Raised) for part in parts[1::2] for o in part)
    assert 10 < count < 70  # 34 expected, 5.7 its deviation
    assert {o for part in parts[1::2] for o in part if isinstance(o, Raised)} == {
        Raised("ValueError")
    }
    (finding,) = sampler.findings
    assert finding["statement"] == (
        f"raised ValueError in {count} of 1500 runs on D', none on D; an exception is an outcome "
        "like any other"
    )
    assert finding["counts"] == [0, count]
    assert "is too much at test_sampling.py:" in finding["example"]


def test_an_exception_on_every_run_of_one_side_is_an_outcome_too() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        if data[0] == 1:
            raise KeyError(1)
        return float(rng.normal())

    sampler = FunctionSampler(mechanism, PAIR, seed=0)
    parts = drawn(sampler)
    assert set(parts[1]) == {Raised("KeyError")}
    assert "in 1500 of 1500 runs on D', none on D" in statements(sampler)
    assert kinds(sampler) == ["raised"]


def test_leaving_the_interpreter_is_an_exception_like_any_other() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        return sys.exit(3) if rng.random() < 0.1 else 0.5

    sampler = FunctionSampler(mechanism, PAIR, seed=0)
    assert Raised("SystemExit") in drawn(sampler)[0]


def test_a_mechanism_that_always_raises_is_refused_with_the_line() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        raise ValueError("first line\nsecond line")

    line = mechanism.__code__.co_firstlineno + 1
    message = raised_by(mechanism)
    assert f"ValueError: first line at test_sampling.py:{line} in every run on both" in message


def test_a_programming_error_on_one_side_is_refused() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        return undefined if data[0] == 1 else 0.0  # type: ignore[name-defined] # noqa: F821

    assert "NameError: name 'undefined' is not defined at" in raised_by(mechanism)
    assert "in every run on D';" in raised_by(mechanism)


@pytest.mark.parametrize(
    ("mechanism", "batched", "expected"),
    [
        (lambda data: 0, False, "(it is called with (data, rng))"),
        (lambda data, rng, size: 0, False, "(it is called with (data, rng))"),
        (lambda data, rng: 0, True, "(it is called with (data, rng, size))"),
    ],
)
def test_a_wrong_signature_is_told_from_a_failure_inside(
    mechanism: Any, batched: bool, expected: str
) -> None:
    assert expected in raised_by(mechanism, batched=batched)


@pytest.mark.parametrize("quoted", [True, False])
def test_what_a_builtin_says_is_quoted_only_if_it_may_be(quoted: bool) -> None:
    # it has no line of its own: as if the call itself had failed
    message = raised_by(__import__, ("Alice", "Carol"), quoted=quoted)
    assert "ModuleNotFoundError" in message
    assert "(it is called with (data, rng))" in message
    assert ("Alice" in message) == quoted


# --------------------------------------------------------------------------------- batches


def test_batches_are_what_the_mechanism_returns() -> None:
    sampler = FunctionSampler(
        lambda data, rng, size: data[0] + rng.normal(size=(size, 3)), PAIR, seed=0, batched=True
    )
    parts = drawn(sampler)
    assert {part.shape for part in parts} == {(500, 3)}
    rng = np.random.default_rng(BLOCKS[1].seed_sequence(0))
    assert np.array_equal(parts[1], 1 + rng.normal(size=(500, 3)))


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
    sampler = FunctionSampler(lambda data, rng, size: returned(size), PAIR, seed=0, batched=True)
    (part,) = drawn(sampler, [Block(0, 0, 40)])
    assert type(part) is expected
    assert len(part) == 40
    assert all(np.array_equal(a, b) for a, b in zip(part, returned(40), strict=True))


@pytest.mark.parametrize(
    ("returned", "described"),
    [
        (lambda size: np.zeros(size - 1), "an array of shape (31,)"),
        (lambda size: np.zeros((3, size)), "an array of shape (3, 32)"),
        (lambda size: np.array(1.0), "an array of shape ()"),
        (lambda size: [0.0], "a list of length 1"),
        (lambda size: (np.zeros(size), np.zeros(size)), "a tuple of length 2"),
        (lambda size: 1.0, "a value of type float"),
        (lambda size: None, "a value of type NoneType"),
        (lambda size: pd.Series(np.zeros(size)), "a value of type Series"),
        (lambda size: "x" * size, "a value of type str"),
    ],
)
def test_a_batch_of_another_shape_is_refused(returned: Any, described: str) -> None:
    message = raised_by(lambda data, rng, size: returned(size), batched=True)
    assert f"returned {described} for size=32 on D; " in message
    assert "a leading axis of 32 runs" in message


def test_an_exception_in_a_batch_cannot_be_an_outcome() -> None:
    def mechanism(data: Any, rng: np.random.Generator, size: int) -> Any:
        return [1 / data[0]] * size if isinstance(data, list) else [0.0] * size

    message = raised_by(mechanism, ([1], [0]), batched=True)
    assert "failed with ZeroDivisionError: division by zero at test_sampling.py:" in message
    assert "on D'; with batched=True it must catch its exceptions" in message


# -------------------------------------------------------------------------------- stacking


@pytest.mark.parametrize(
    ("values", "dtype", "shape"),
    [
        ([1.5, float("nan")], "f", (2,)),
        ([1, 2], "i", (2,)),
        ([True, np.True_], "b", (2,)),
        ([0, 0.5], "f", (2,)),
        ([np.float32(1), np.int64(2)], "f", (2,)),
        ([np.zeros(3), np.ones(3)], "f", (2, 3)),
        ([np.zeros((2, 3), dtype=int)] * 4, "i", (4, 2, 3)),
        ([np.array(1.0)] * 4, "f", (4,)),
        ([(1, 2.5), (3, 4.5)], "f", (2, 2)),
        ([[[1], [2]]] * 5, "i", (5, 2, 1)),
    ],
)
def test_numbers_become_one_array(values: Any, dtype: str, shape: tuple[int, ...]) -> None:
    array = stacked(values)
    assert isinstance(array, np.ndarray)
    assert (array.dtype.kind, array.shape) == (dtype, shape)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(array, values, strict=True))


@pytest.mark.parametrize(
    "values",
    [
        [True, 1],
        [0.5, None],
        ["1", "2"],
        [1, Raised("ValueError")],
        [2**70, 1],
        [2**63, -1],  # numpy would round them to floats
        [2**53 + 1, 0.5],
        [1j, 2j],
        [np.zeros(2), np.zeros(3)],
        [np.zeros(2), np.zeros(2, dtype=bool)],
        [np.array(["a"]), np.array(["b"])],
        [(1, 2), [1, 2]],
        [(1, 2), (1,)],
        [(1, "a"), (1, "a")],
        [(), ()],
        [pd.Timestamp(0), pd.Timestamp(1)],
        [],
    ],
)
def test_what_would_lose_something_stays_a_list(values: Any) -> None:
    assert type(stacked(values)) is list
    assert all(a is b for a, b in zip(stacked(values), values, strict=True))


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        np.float32("nan"),
        [1, float("nan"), [None, "a"]],
        {"a": np.array([1.0, np.nan]), "b": (1,)},
        np.array([1, "a", None, np.nan], dtype=object),
        pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "y"]}),
        {1, 2},
        Raised("a"),
        pytest.param(type("Plain", (), {})(), id="plain object"),
    ],
    ids=str,
)
def test_copies_are_the_same(value: Any) -> None:
    assert same(value, copy.deepcopy(value))


@pytest.mark.parametrize("kind", [float, np.float32, np.array])
def test_nan_is_the_same_as_another_nan(kind: Any) -> None:
    assert same(kind(math.nan), kind(math.inf - math.inf))


@pytest.mark.parametrize("kind", [*SPARSE, *(name.replace("array", "matrix") for name in SPARSE)])
def test_sparse_arrays_are_compared_by_what_they_store(
    kind: str, recwarn: pytest.WarningsRecorder
) -> None:
    make = getattr(scipy.sparse, kind)
    one, other = make(np.diag([1.0, math.nan, 3.0])), make(np.diag([1.0, math.nan, 3.0]))
    getattr(other, "has_canonical_format", None)  # csr caches the answer as an attribute
    assert same(one, other)
    assert same(one, copy.deepcopy(one))
    assert not same(one, make(np.diag([1.0, math.nan, 4.0])))
    assert not same(one, make(np.diag([1.0, math.nan, 3.0], k=1)))
    assert not same(one, make(np.diag([1.0, math.nan, 3.0, 0.0])))
    assert not same(make(np.eye(2)), make(np.eye(2, dtype=int)))
    assert not same([one, 1], [make(np.eye(3)), 1])
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (0.5, float("nan")),
        ([1, 2], [1]),
        ([1, [2]], [1, [3]]),
        ([1, 0.5], [True, 0.5]),
        ((1, (0,)), (1.0, (0,))),
        ({"a": 1}, {"b": 1}),
        ({"a": [1]}, {"a": [2]}),
        (np.zeros(2), np.zeros(3)),
        (np.zeros(2), np.zeros(2, dtype=np.float32)),
        (np.zeros(2), np.array([0, np.nan])),
        (np.array([1, "a"], dtype=object), np.array([1, "b"], dtype=object)),
        (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})),
        (Raised("a"), Raised("b")),
    ],
)
def test_what_differs_is_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)


# ------------------------------------------------------------- mutated inputs and outputs


def in_place(data: Any, rng: np.random.Generator) -> float:
    data += 1
    return float(data.sum() + rng.normal())


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


def whole_batch(data: Any, rng: np.random.Generator, size: int) -> Any:
    data += 1
    return data.sum() + rng.normal(size=size)


FRAME = pd.DataFrame({"a": [1.0, np.nan]})


@pytest.mark.parametrize(
    ("mechanism", "pair", "batched"),
    [
        (in_place, PAIR, False),
        (undone_by_the_next_run, (D + 1, D2), False),
        (seldom, PAIR, False),
        (of_a_list, ([1], [1, 2]), False),
        (of_a_dict, ({"inner": [1]}, {"inner": [1, 2]}), False),
        (of_a_frame, (FRAME, FRAME.iloc[:1]), False),
        (whole_batch, PAIR, True),
    ],
)
def test_a_mechanism_that_changes_its_input(mechanism: Any, pair: Any, batched: bool) -> None:
    def pure(data: Any, rng: np.random.Generator, *size: int) -> Any:
        return mechanism(copy.deepcopy(data), rng, *size)

    before = copy.deepcopy(pair)
    blocks = BLOCKS[:2] if mechanism is of_a_frame else BLOCKS
    reference = FunctionSampler(pure, pair, seed=0, batched=batched)
    expected = drawn(reference, blocks)
    assert reference.findings == []
    for workers in (1, 2) if mechanism is seldom else (1,):
        sampler = FunctionSampler(mechanism, pair, seed=0, batched=batched, workers=workers)
        parts = drawn(sampler, blocks)
        assert [part.tobytes() for part in parts] == [part.tobytes() for part in expected]
        assert kinds(sampler) == ["mutates"]
    assert same(before, pair)


def test_data_sets_that_share_memory_do_not_disturb_each_other() -> None:
    whole = np.arange(5.0)
    sampler = FunctionSampler(in_place, (whole, whole[1:]), seed=0)
    first, second = drawn(sampler)[:2]
    assert abs(first.mean() - 15) < 0.25  # 10 + 5 added, its deviation 0.045
    assert abs(second.mean() - 14) < 0.25


def test_an_output_that_the_next_run_overwrites_is_copied() -> None:
    buffer = np.zeros(2)

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        buffer[:] = rng.normal(size=2)
        return buffer[:]  # a new view of the same memory

    sampler = FunctionSampler(mechanism, PAIR, seed=0)
    parts = drawn(sampler)
    plain = FunctionSampler(lambda data, rng: rng.normal(size=2), PAIR, seed=0)
    assert [part.tobytes() for part in parts] == [part.tobytes() for part in drawn(plain)]
    assert kinds(sampler) == ["overwrites"]


def test_a_batch_that_the_next_batch_overwrites_is_copied() -> None:
    buffer = np.zeros(500)

    def mechanism(data: Any, rng: np.random.Generator, size: int) -> Any:
        buffer[:size] = rng.normal(size=size)
        return buffer[:size]

    sampler = FunctionSampler(mechanism, PAIR, seed=0, batched=True)
    assert len({part.tobytes() for part in drawn(sampler)}) == len(BLOCKS)
    assert kinds(sampler) == ["overwrites"]


# ---------------------------------------------------------------------------- other sources


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: np.random.normal(),  # noqa: NPY002
        lambda rng: random.random(),
        lambda rng: os.urandom(4).hex(),
        lambda rng: np.random.default_rng().normal(),
    ],
)
@pytest.mark.parametrize("batched", [False, True])
def test_a_mechanism_that_ignores_its_generator(draw: Any, batched: bool) -> None:
    def mechanism(data: Any, rng: np.random.Generator, *size: int) -> Any:
        return [draw(rng) for _ in range(size[0])] if size else draw(rng)

    sampler = FunctionSampler(mechanism, PAIR, seed=0, batched=batched)
    drawn(sampler)
    assert kinds(sampler) == ["not reproducible"]
    assert "not reproducible from its seed on D and D'" in statements(sampler)
    assert "a remark, no fault" in statements(sampler)


@pytest.mark.slow
def test_two_workers_do_not_repeat_a_generator_that_the_mechanism_brings() -> None:
    own = np.random.default_rng(0)  # a copy of it would travel to every worker

    sampler = FunctionSampler(lambda data, rng: own.normal(), PAIR, seed=0, workers=2)
    outputs = np.concatenate(drawn(sampler))
    assert len(np.unique(outputs)) == len(outputs)
    assert "all runs were made in one process" in statements(sampler)


def test_an_output_that_never_varies_is_a_finding() -> None:
    sampler = FunctionSampler(
        lambda data, rng: rng.normal() if data[0] else float("nan"), PAIR, seed=0
    )
    drawn(sampler)
    (finding,) = sampler.findings
    assert finding["kind"] == "constant"
    assert finding["statement"] == "the output never varies on D: all 1500 runs gave the same"


def test_an_output_that_seldom_varies_varies() -> None:
    sampler = FunctionSampler(lambda data, rng: rng.random() < 0.01, PAIR, seed=0)
    drawn(sampler)  # 1500 runs a side: all alike with probability 3e-7
    assert sampler.findings == []


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

    def add(block: Block, raised: int) -> None:
        journal.add(block, Notes(Counter({"ValueError": raised}), {"ValueError": "no"}))

    for _ in range(2):
        add(Block(0, 0, 8), 3)
        add(Block(1, 0, 8), 0)
        add(Block(0, 8, 4), 1)
    assert (journal.runs(0), journal.runs(1), journal.failures(0)) == (12, 8, 4)
    add(Block(0, 8, 16), 5)  # goes on from the same first run: the four and twelve more
    add(Block(0, 8, 2), 1)
    (found,) = journal.findings()
    assert (found["counts"], found["runs"]) == ([8, 0], [24, 8])


def test_batches_that_repeat_for_every_seed() -> None:
    def mechanism(data: Any, rng: np.random.Generator, size: int) -> Any:
        return np.random.default_rng(3).normal(size=size)

    sampler = FunctionSampler(mechanism, PAIR, seed=0, batched=True)
    drawn(sampler)
    assert kinds(sampler) == ["repeats"]
    assert "no figure here can be relied on" in statements(sampler)


def test_a_sound_mechanism_gives_no_findings() -> None:
    for options in ({}, {"batched": True}):
        sampler = FunctionSampler(
            lambda data, rng, *size: rng.normal(size=size) if size else rng.integers(2),
            PAIR,
            seed=0,
            **options,
        )
        drawn(sampler)
        assert sampler.findings == []


def polynomial(value: float) -> Any:
    return np.polynomial.Polynomial([value, 1.0])


def frozen_distribution(value: float) -> Any:
    return scipy.stats.norm(loc=value)


def of_a_class_made_here(value: float) -> Any:
    class Fit:
        def __init__(self) -> None:
            self.value = value

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Fit) and other.value == value

    return Fit()


def of_a_dataclass_made_here(value: float) -> Any:
    @dataclasses.dataclass
    class Fit:
        value: float

    return Fit(value)


def of_a_named_tuple_made_here(value: float) -> Any:
    return namedtuple("Fit", "value")(value)


def of_an_enumeration_made_here(value: float) -> Any:
    return enum.Enum("Answer", ["YES", "NO"], module=__name__)["YES" if value > 0 else "NO"]


OBJECTS = [
    polynomial,
    frozen_distribution,
    of_a_class_made_here,
    of_a_dataclass_made_here,
    of_a_named_tuple_made_here,
    of_an_enumeration_made_here,
]


@pytest.mark.parametrize("made", OBJECTS)
def test_an_object_is_no_finding(made: Any) -> None:
    sampler = FunctionSampler(lambda data, rng: made(laplace(data, rng)), PAIR, seed=0)
    drawn(sampler)
    assert kinds(sampler) == []
    assert same(made(1.0), made(1.0))
    assert not same(made(1.0), made(-1.0))


def test_an_object_that_the_next_run_overwrites_is_still_noticed() -> None:
    kept_by_it = np.polynomial.Polynomial([0.0, 1.0])

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        kept_by_it.coef = np.array([laplace(data, rng), 1.0])
        return kept_by_it

    sampler = FunctionSampler(mechanism, PAIR, seed=0)
    drawn(sampler)
    assert kinds(sampler) == ["overwrites"]


# --------------------------------------------------------------------------- hangs and ends


def test_a_hang_on_one_side_is_named() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        if data[0] == 1:
            time.sleep(1000)
        return float(rng.normal())

    began = time.monotonic()
    message = raised_by(mechanism, call_timeout=1.0)
    assert "hangs (no run within 1 s) in runs 0 to 31 on D', but not on D: if" in message
    assert "give a larger call_timeout" in message
    assert time.monotonic() - began < 30


def test_a_hang_on_both_sides_and_later() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        noise = rng.random()
        if noise < 0.005:  # seeds 0 to 4 hang in the first 300 runs of either side
            time.sleep(1000)
        return float(noise)

    with pytest.raises(InputError, match=r"hangs .* to 4999 on D, and in the same runs on D'; "):
        drawn(FunctionSampler(mechanism, PAIR, seed=0, call_timeout=0.5), [Block(0, 0, 5000)])


def test_slow_is_not_hanging() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        time.sleep(0.01)
        return float(rng.normal())

    sampler = FunctionSampler(mechanism, PAIR, seed=0, call_timeout=0.6)
    (part,) = drawn(sampler, [Block(0, 0, 200)])  # over 2 s
    assert len(part) == 200


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda: os._exit(7), "exit code 7"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "signal SIGSEGV"),
    ],
    ids=["exit", "segfault"],
)
def test_a_mechanism_that_ends_its_process(end: Any, how: str) -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        if data[0] == 1:
            end()
        return float(rng.normal())

    message = raised_by(mechanism, call_timeout=30.0)
    assert f"ended its process ({how}) in runs 0 to 31 on D', but not on D" in message


def test_what_is_made_of_the_outputs_has_no_time_limit() -> None:
    def reduce(outputs: Outputs) -> int:
        time.sleep(1.0)
        return len(outputs)

    sampler = FunctionSampler(laplace, PAIR, seed=0, call_timeout=0.5)
    assert list(sampler.draw([Block(0, 0, 10)], reduce)) == [10]
    sampler.close()


def test_an_error_in_what_is_made_of_the_outputs_comes_through() -> None:
    def reduce(outputs: Outputs) -> int:
        raise LookupError("mine")

    sampler = FunctionSampler(laplace, PAIR, seed=0, call_timeout=30.0)
    with pytest.raises(LookupError, match="mine"):
        list(sampler.draw(BLOCKS, reduce))


# ------------------------------------------------------------------------------- processes


def own_pid(data: Any, rng: np.random.Generator) -> int:
    return os.getpid()


def first_of(outputs: Outputs) -> int:
    return int(outputs[0])


def worker_pids(sampler: FunctionSampler) -> set[int]:
    return set(sampler.draw(BLOCKS, first_of))


@pytest.mark.slow
def test_no_process_is_left_after_close_and_a_closed_sampler_can_draw_again() -> None:
    sampler = FunctionSampler(own_pid, PAIR, seed=0, workers=2)
    pids = worker_pids(sampler)
    assert all(alive(pid) for pid in pids)
    sampler.close()
    assert gone(pids)
    again = worker_pids(sampler)
    assert not again & pids
    sampler.close()
    sampler.close()
    assert gone(again)


@pytest.mark.slow
def test_no_process_is_left_after_an_error_or_by_who_does_not_want_the_rest() -> None:
    pids = set()

    sampler = FunctionSampler(own_pid, PAIR, seed=0, workers=2)
    draws = sampler.draw(BLOCKS, first_of)
    pids.add(next(draws))
    draws.close()
    assert gone(pids)

    def blocks() -> Iterator[Block]:
        yield from BLOCKS
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pids.update(map(pids.add, sampler.draw(blocks(), first_of)))
    assert len(pids) > 2
    assert gone(pids - {None})


def test_what_a_mechanism_has_started_ends_with_it() -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> int:
        return subprocess.Popen(["sleep", "1000"]).pid if rng.random() < 0.05 else 0

    sampler = FunctionSampler(mechanism, PAIR, seed=0, call_timeout=30.0)
    (outputs,) = sampler.draw([Block(0, 0, 50)], kept)
    pids = {int(pid) for pid in outputs if pid}
    assert pids
    assert all(alive(pid) for pid in pids)
    sampler.close()
    assert gone(pids)


INTERRUPTED = """
    import os, signal, sys, time
    from auditor.runs.sampling import Block, FunctionSampler

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background

    def mechanism(data, rng):
        if rng.random() < 0.5:
            print(os.getpid(), flush=True, file=sys.stderr)
            while True:
                time.sleep(1)
        return 0

    sampler = FunctionSampler(mechanism, (0, 1), seed=0, workers=2)
    list(sampler.draw([Block(0, 0, 10)], len))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_when_ours_is_interrupted(number: int, tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(textwrap.dedent(INTERRUPTED))
    ours = subprocess.Popen([sys.executable, script], stderr=subprocess.PIPE, text=True)
    assert ours.stderr is not None
    pids = {int(ours.stderr.readline()), int(ours.stderr.readline())}
    assert all(alive(pid) for pid in pids)
    ours.send_signal(number)
    assert ours.wait(timeout=20) != 0
    ours.stderr.close()
    assert gone(pids)


def _run_script(script: str, folder: Path) -> str:
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_what_a_mechanism_prints_in_a_worker_is_not_our_output(tmp_path: Path) -> None:
    script = """
        import os
        from auditor.runs.sampling import Block, FunctionSampler

        def mechanism(data, rng):  # of a script without a main guard
            print("noise")
            os.system("echo louder noise")
            return rng.normal()

        sampler = FunctionSampler(mechanism, (0, 1), seed=0, workers=2)
        print(list(sampler.draw([Block(0, 0, 3)], len)))
        sampler.close()
    """
    assert _run_script(script, tmp_path) == "[3]\n"


def test_a_mechanism_from_a_file_that_workers_cannot_import(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("SHIFT = 2\ndef mechanism(data, rng):\n    return SHIFT + rng.normal()\n")
    spec = importlib.util.spec_from_file_location("_loaded_by_path", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_loaded_by_path"] = module
    spec.loader.exec_module(module)
    serial = drawn(FunctionSampler(module.mechanism, PAIR, seed=0))
    parallel = drawn(FunctionSampler(module.mechanism, PAIR, seed=0, workers=2))
    assert [part.tobytes() for part in parallel] == [part.tobytes() for part in serial]


def test_what_cannot_travel_is_refused_in_one_line() -> None:
    lock = threading.Lock()
    message = raised_by(lambda data, rng: lock.locked(), workers=2)
    assert "cannot be sent to another process" in message
    assert "use workers=1" in message


def test_a_closed_crew_hires_nobody() -> None:
    hired = []

    class Nobody:
        def __init__(self) -> None:
            hired.append(self)

        def kill(self) -> None: ...

        def close(self) -> None: ...

    crew = Crew(Nobody, 2)
    assert list(crew.map(lambda member, item: item, range(9))) == list(range(9))
    assert len(hired) <= 2
    crew.close()
    before = len(hired)
    with pytest.raises(RuntimeError):
        list(crew.map(lambda member, item: item, [1]))
    assert len(hired) == before


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
        (
            {"call_timeout": float("nan")},
            "call_timeout must be a number of seconds in (0, 1e+06], got nan",
        ),
        ({"call_timeout": "1"}, "call_timeout must be a number of seconds"),
    ],
)
def test_bad_input_is_refused_in_one_line(options: dict[str, Any], expected: str) -> None:
    given: dict[str, Any] = {"mechanism": laplace, "pair": PAIR, "seed": 0, **options}
    with pytest.raises(InputError) as caught:
        FunctionSampler(given.pop("mechanism"), given.pop("pair"), **given)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_recorded_outputs_come_in_blocks() -> None:
    sampler = RecordedSampler(np.arange(10), list("abcdefghij"))
    blocks = [Block(0, 2, 3), Block(1, 8, 5)]
    first, second = sampler.draw(blocks, kept)
    assert first.tolist() == [2, 3, 4]
    assert second == ["i", "j"]
    assert list(sampler.findings) == []
