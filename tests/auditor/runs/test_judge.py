"""Acts of a checked mechanism that cannot reach the process that judges it."""

from __future__ import annotations

import gc
import math
import os
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from auditor.checking.loading import run_request
from auditor.checking.own_process import answer_safely
from auditor.checking.request import Request
from auditor.checking.result import CheckResult
from auditor.core.errors import InputError
from auditor.events.outcomes import Encoding
from auditor.runs.blocks import Block, Outputs, Raised
from auditor.runs.children import Children
from auditor.runs.journal import Notes
from auditor.runs.plain_data import Key, Token, opened_all
from auditor.runs.runner import Care
from auditor.runs.runner_tasks import DrawTask
from auditor.runs.sampling import FunctionSampler, RunOptions
from auditor.runs.values import Code
from auditor.runs.wire import Malformed, Messages, decode, encode, send

BLOCKS = [Block(side, 0, 20) for side in (0, 1)]


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    """Keep the processes of a worker, which take long to start."""
    started = Children(1)
    yield started
    started.close()


def drawn(
    mechanism: Any, children: Children, blocks: list[Block] = BLOCKS, *, batched: bool = False
) -> list[Outputs]:
    """Return what a process makes of the two data sets."""
    pair = ([marker(0), 0.0], [marker(1), 1.0])
    options = RunOptions(call_timeout=120.0, children=children)
    sampler = FunctionSampler(mechanism, pair, seed=0, batched=batched, options=options)
    return list(sampler.draw(blocks, lambda outputs: outputs))


# ----------------------------------------------------------------------------- no code comes back


def leave_trace(path: str) -> int:
    Path(f"{path}-{os.getpid()}").touch()
    return 0


def ran_here(path: str) -> bool:
    return Path(f"{path}-{os.getpid()}").exists()


class Evil:
    """Leaves a file where it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return leave_trace, (self.path,)


def test_an_output_runs_nothing_where_it_is_judged(tmp_path: Path, children: Children) -> None:
    path = str(tmp_path / "ran")
    for output in (lambda: Evil(path), lambda: [1, {"a": Evil(path)}]):
        assert len(drawn(lambda data, rng, output=output: output(), children)[0]) == 20
        assert not ran_here(path)


def test_a_forged_pickle_runs_nothing_where_it_is_judged(
    tmp_path: Path, children: Children
) -> None:
    path = str(tmp_path / "ran")
    forged = (100).to_bytes(8) + pickle.dumps(Evil(path)).ljust(100, b".")

    def mechanism(data: Any, rng: np.random.Generator) -> float:
        for descriptor in range(3, 100):
            try:
                os.write(descriptor, forged)
            except OSError:
                continue
        return float(rng.laplace())

    with pytest.raises(InputError, match=r"^a worker's answer is malformed"):
        drawn(mechanism, children)
    assert not ran_here(path)


def test_an_answer_of_another_size_is_refused() -> None:
    asked = DrawTask(BLOCKS[0].randomness(0), 20, Care())
    notes = Notes().sent()
    assert len(asked.receive([np.zeros(20), notes])[0]) == 20
    for sent in (
        [np.zeros(19), notes],
        [np.float64(1.0), notes],
        [{}, notes],
        [[0.0] * 20, notes[:-1]],
        [[0.0] * 20, [{"E": "many"}, {"E": "e"}, 0, False, []]],
        [[0.0] * 20],
        None,
    ):
        with pytest.raises(Malformed):
            asked.receive(sent)


FORGES_WHILE_IMPORTED = """
import os, pickle, threading
LOCK = threading.Lock()

class Evil:
    def __reduce__(self):
        return os.system, ("touch {path}",)

def fine(data, rng):
    with LOCK:
        return sum(data) + rng.laplace()

def pair():
    forged = pickle.dumps(Evil())
    for descriptor in range(3, 100):
        for header in (len(forged).to_bytes(4), len(forged).to_bytes(8)):
            try:
                os.write(descriptor, header + forged)
            except OSError:
                pass
    return [0.0], [1.0]
"""


def test_what_the_command_line_imports_runs_nothing_in_its_process(tmp_path: Path) -> None:
    file, path = tmp_path / "forges.py", tmp_path / "ran"
    file.write_text(FORGES_WHILE_IMPORTED.replace("{path}", str(path)))
    options = {"epsilon": 2.0, "samples": 100, "timeout": 120.0}
    asked = Request(target=f"{file}:fine", pair_from=f"{file}:pair", kind="rng", options=options)
    with pytest.raises(InputError, match=r"what the process that checks .* says is malformed"):
        answer_safely(asked, CheckResult, limit=300.0)
    assert not path.exists()


def test_the_command_line_imports_a_mechanism_where_it_runs(tmp_path: Path) -> None:
    # a lock cannot be sent to another process
    file, pair = tmp_path / "locked.py", tmp_path / "pair.json"
    file.write_text(FORGES_WHILE_IMPORTED)
    pair.write_text("[[0.0], [1.0]]")
    options = {"epsilon": 2.0, "samples": 2000, "call_timeout": 120.0}
    asked = Request(target=f"{file}:fine", pair_file=str(pair), options=options)
    assert run_request(asked).status == "holds"
    assert not any("locked" in name for name in sys.modules)


# --------------------------------------------------------------------------- no pair to be found


def marker(side: int) -> str:
    return "-".join(["data", "set", str(side)])


def sees_the_other(data: Any, rng: np.random.Generator, size: int) -> list[bool]:
    """Return whether the other data set, or the side of this one, is in the process."""
    own, start = data[0], "-".join(["data", "set", ""])
    frame, held = sys._getframe(), []
    while frame.f_back is not None:
        frame = frame.f_back
        held.extend(frame.f_locals.values())
    lists = [thing for thing in [*gc.get_objects(), *held] if type(thing) is list and thing]
    firsts = [thing[0] for thing in lists if type(thing[0]) is str]
    found = any(first[:9] == start != first != own for first in firsts)
    blocks = any(isinstance(thing, Block) for thing in held)
    sequence = rng.bit_generator.seed_seq
    assert isinstance(sequence, np.random.SeedSequence)
    return [found or blocks or sequence.spawn_key != ()] * size


def test_a_mechanism_finds_no_pair_in_its_process(children: Children) -> None:
    blocks = [Block(side, start, 2) for start in (0, 2) for side in (0, 1)]
    outputs = drawn(sees_the_other, children, blocks, batched=True)
    assert not np.concatenate(outputs).any()


def test_the_generator_of_a_block_is_the_one_of_its_seed() -> None:
    block = Block(1, 4096, 10)
    expected = np.random.default_rng(block.seed_sequence(7)).normal(size=5)
    found = block.randomness(7).generator()
    assert found.normal(size=5).tobytes() == expected.tobytes()
    spawned = block.randomness(7).generator().spawn(1)[0]
    other = Block(0, 4096, 10).randomness(7).generator().spawn(1)[0]
    assert spawned.normal() != other.normal()


# ------------------------------------------------------------------------------------- plain data

PLAIN = [
    None,
    True,
    -0.0,
    math.inf,
    2**63,
    -(10**5000),
    "a\x1b\ud800",
    b"\x00\xff",
    [1, [2.5, ()], ("a", None)],
    {"a": 1, (1, "b"): [b"c"], None: {}},
    Token("x", "shut"),
    {Key("<Colour.RED: 1>", Token("Colour.RED")): 1.5},
    Raised("KeyError"),
    Code("function"),
]


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: type(value).__name__)
def test_plain_data_come_back(value: Any) -> None:
    found = decode(encode((value, [value])))
    assert found == (value, [value])
    assert type(found[0]) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.empty((0, 4), dtype=np.int8),
        np.array([1 + 2j]),
        np.array(["ab", "c"]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.array(3, dtype=">i4"),
        np.longdouble("0.1"),
        np.datetime64(5, "ms"),
    ],
    ids=repr,
)
def test_arrays_come_back(array: Any) -> None:
    _, found = decode(encode(("x", array)))
    assert type(found) is type(array)
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "tree",
    [
        b"",
        b"{}",
        b"[]",
        b'["z",1]',
        b'["i",5]',
        b'["i","zz"]',
        b'["b",5]',
        b'["b",-1]',
        b'["a","O",1]',
        b'["a","<i4,<i4",0]',
        b'["a","<f8",1]',
        b'["a","<f8",-1]',
        b'["d",1]',
        b'["d",["l"],1]',
        b'["k","x","known"]',
        b'["y","x"]',
        b'["r",1]',
        b"[" * 100_000,
        pickle.dumps(3),
    ],
)
def test_what_is_no_message_is_malformed(tree: bytes) -> None:
    with pytest.raises(Malformed):
        decode(len(tree).to_bytes(8) + tree)
    with pytest.raises(Malformed):
        decode((2**40).to_bytes(8) + tree)


def test_bytes_that_nobody_asked_for_are_malformed() -> None:
    with pytest.raises(Malformed):
        decode(encode([1]) + b"x")


def test_messages_are_read_as_they_come() -> None:
    reading, writing = os.pipe()
    messages = Messages(reading)
    assert messages.next(0.0) is None
    send(writing, encode("first"))
    send(writing, encode("second"))
    found = [messages.next(1.0), messages.next(1.0)]
    assert [decode(part) for part in found if part is not None] == ["first", "second"]
    os.write(writing, (10).to_bytes(8) + b"half")
    assert messages.next(0.0) is None
    os.close(writing)
    with pytest.raises(EOFError):
        messages.next(1.0)
    os.close(reading)


# -------------------------------------------------------------------- the same as without a worker


@dataclass
class Point:
    x: float
    tags: list[Any]


def odd_output(rng: np.random.Generator) -> Any:
    x = float(rng.normal())
    kind = rng.integers(9)
    series = pd.Series([x, 1.0], index=["a", "b"])
    objects = np.array([x, "x", None], dtype=object)
    some = [x, str(x), Point(x, [1, {x}]), {np.int64(3): x}, complex(x), series, objects]
    return [*some, 2**80, lambda: x][kind]


def test_outputs_say_as_much_as_before_they_were_sent() -> None:
    rng = np.random.default_rng(0)
    sides = [[odd_output(rng) for _ in range(150)] for _ in range(2)]
    sent: list[Any] = [decode(encode(opened_all(side))) for side in sides]
    here, there = Encoding.learn(*sides), Encoding.learn(*sent)
    assert [entry.name for entry in here.entries] == [entry.name for entry in there.entries]
    assert (here.shut, here.shut_at) == (there.shut, there.shut_at)
    for side, other in zip(sides, sent, strict=True):
        one, two = here.table(side), there.table(other)
        assert np.array_equal(one.numbers, two.numbers, equal_nan=True)
        assert all((one.codes[column] == two.codes[column]).all() for column in one.codes)
