"""Sampling functions in other processes: the same outputs, hangs, ends, and what is left behind."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.core.errors import InputError
from auditor.runs.blocks import Block, Outputs
from auditor.runs.children import Children
from auditor.runs.crew import Crew
from auditor.runs.sampling import FunctionSampler, RunOptions
from auditor.runs.values import same

PAIR = (np.zeros(4), np.array([1.0, 0.0, 0.0, 0.0]))
BLOCKS = [Block(side, start, 500) for start in (0, 500, 1000) for side in (0, 1)]


def sampler_of(mechanism: Any, pair: Any = PAIR, **options: Any) -> FunctionSampler:
    return FunctionSampler(mechanism, pair, seed=0, options=RunOptions(**options))


def kept(outputs: Outputs) -> Outputs:
    return outputs


def drawn(sampler: FunctionSampler, blocks: list[Block] = BLOCKS) -> list[Any]:
    try:
        return list(sampler.draw(blocks, kept))
    finally:
        sampler.close()


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    """Keep the processes of two workers, which take long to start."""
    started = Children(2)
    yield started
    started.close()


# ------------------------------------------------------------------------------- same runs


def from_a_file(folder: Path) -> Callable[..., Any]:
    """Return a mechanism of a module that workers cannot import."""
    file = folder / "mine.py"
    file.write_text("SHIFT = 2\ndef mechanism(data, rng):\n    return SHIFT + rng.normal()\n")
    spec = importlib.util.spec_from_file_location("_loaded_by_path", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_loaded_by_path"] = module
    spec.loader.exec_module(module)
    mechanism: Callable[..., Any] = module.mechanism
    return mechanism


def sometimes_raises(data: Any, rng: np.random.Generator) -> float:
    noise = rng.normal()
    if data[0] == 1 and noise > 2:
        raise ValueError(f"{noise} is too much")
    return float(noise)


def seldom_mutates(data: Any, rng: np.random.Generator) -> float:
    if rng.random() < 0.002:
        data[0] = 1e6
    return float(data.sum() + rng.normal())


def with_a_closure(shift: float) -> Callable[..., Any]:
    return lambda data, rng: data.sum() + shift + rng.normal(size=2)


def test_the_number_of_workers_changes_nothing(children: Children, tmp_path: Path) -> None:
    for mechanism in (
        with_a_closure(3.0),
        sometimes_raises,
        seldom_mutates,
        from_a_file(tmp_path),
    ):
        here = sampler_of(mechanism)
        there = sampler_of(mechanism, workers=2, call_timeout=60.0, children=children)
        for one, other in zip(drawn(here), drawn(there), strict=True):
            assert same(one, other)
        assert here.findings == there.findings


def test_results_come_in_order_and_are_judged_outside_of_the_mechanisms_process(
    children: Children,
) -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> tuple[int, float]:
        time.sleep(0.0 if data else 0.001)  # the first block is the slowest
        return os.getpid(), data

    sampler = sampler_of(mechanism, (0.0, 1.0), workers=2, children=children)
    results = list(sampler.draw(BLOCKS, lambda outputs: (os.getpid(), outputs[0])))
    assert [value for _, (_, value) in results] == [0.0, 1.0] * 3
    assert {judge for judge, _ in results} == {os.getpid()}
    assert os.getpid() not in {pid for _, (pid, _) in results}


class Nobody:
    """A member of a crew without a process."""

    hired = 0

    def __init__(self) -> None:
        Nobody.hired += 1

    def kill(self) -> None: ...

    close = kill


def test_few_blocks_are_taken_ahead_and_a_closed_crew_hires_nobody() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(1, 51):
            taken = number
            yield number

    here = sampler_of(own_pid)
    blocks = (Block(0, number, 1) for number in items())
    assert [taken for _ in here.draw(blocks, len)] == list(range(1, 51))
    Nobody.hired = 0
    crew = Crew(Nobody, 2)
    ahead = [taken - found for found in crew.map(lambda member, item: item, items())]
    assert len(ahead) == 50
    assert max(ahead) <= 2
    assert Nobody.hired <= 2
    crew.close()
    before = Nobody.hired
    with pytest.raises(RuntimeError):
        list(crew.map(lambda member, item: item, [1]))
    assert Nobody.hired == before


def _run_script(script: str, folder: Path) -> str:
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_a_mechanism_prints_in_a_worker_is_not_our_output(tmp_path: Path) -> None:
    script = """
        import os
        from auditor.runs.sampling import Block, FunctionSampler, RunOptions

        def mechanism(data, rng):  # of a script without a main guard
            print("noise")
            os.system("echo louder noise")
            return rng.normal()

        sampler = FunctionSampler(mechanism, (0, 1), seed=0, options=RunOptions(own_process=True))
        print(list(sampler.draw([Block(0, 0, 3)], len)))
        sampler.close()
    """
    assert _run_script(script, tmp_path) == "[3]\n"


def test_two_workers_do_not_repeat_a_generator_that_the_mechanism_brings() -> None:
    own = np.random.default_rng(0)  # a copy of it would travel to every worker

    sampler = sampler_of(lambda data, rng: own.normal(), workers=2)
    outputs = np.concatenate(drawn(sampler))
    assert len(np.unique(outputs)) == len(outputs)
    (finding,) = sampler.findings
    assert "all runs were made in one process" in finding["statement"]


# --------------------------------------------------------------------------- hangs and ends


def hangs_on_one_side(data: Any, rng: np.random.Generator) -> float:
    return time.sleep(1000) or 0.0 if data[0] == 1 else float(rng.normal())


def hangs_seldom(data: Any, rng: np.random.Generator) -> float:
    noise = rng.random()
    if noise < 0.005:  # seeds 0 to 4 hang in the first 300 runs of either side
        time.sleep(1000)
    return float(noise)


def ends(how: Callable[[], Any]) -> Callable[..., float]:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        if data[0] == 1:
            how()
        return float(rng.normal())

    return mechanism


LOCK = threading.Lock()


@pytest.mark.parametrize(
    ("mechanism", "options", "size", "words"),
    [
        (
            hangs_on_one_side,
            {"call_timeout": 1.0},
            500,
            (
                "hangs (no run within 1 s) in runs 0 to 31 on D', but not on D: if",
                "or give a larger call_timeout",
            ),
        ),
        (
            hangs_seldom,
            {"call_timeout": 0.5},
            5000,
            ("hangs (no run within 0.5 s) in ", " to 4999 on D, and in the same runs on D'; "),
        ),
        (
            ends(lambda: os._exit(7)),
            {"own_process": True},
            500,
            ("ended its process (exit code 7) in runs 0 to 31 on D', but not on D",),
        ),
        (
            ends(lambda: os.kill(os.getpid(), signal.SIGSEGV)),
            {"own_process": True},
            500,
            ("ended its process (signal SIGSEGV) in runs 0 to 31 on D', but not on D",),
        ),
        (
            lambda data, rng, lock=LOCK: lock.locked(),
            {"workers": 2},
            500,
            ("cannot be sent to another process", "use workers=1"),
        ),
    ],
)
def test_a_mechanism_that_a_process_cannot_run_is_refused(
    mechanism: Any, options: Any, size: int, words: tuple[str, ...]
) -> None:
    began = time.monotonic()
    with pytest.raises(InputError) as caught:
        drawn(sampler_of(mechanism, **options), [Block(0, 0, size)])
    assert "\n" not in str(caught.value)
    assert [word for word in words if word not in str(caught.value)] == []
    assert time.monotonic() - began < 120  # it would sleep for 1000 s


def test_neither_many_slow_runs_nor_what_is_made_of_them_are_a_hang(children: Children) -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> float:
        time.sleep(0.02)
        return float(rng.normal())

    def reduce(outputs: Outputs) -> int:
        time.sleep(1.0)
        return len(outputs)

    sampler = sampler_of(mechanism, call_timeout=0.6, children=children)
    assert list(sampler.draw([Block(0, 0, 50)], reduce)) == [50]  # over 1 s, and then 1 s


# ------------------------------------------------------------------------- what is left behind


def own_pid(data: Any, rng: np.random.Generator) -> int:
    return os.getpid()


def first_of(outputs: Outputs) -> int:
    return int(outputs[0])


def test_no_process_is_left_after_close_and_a_closed_sampler_can_draw_again(
    alive: Any, gone: Any
) -> None:
    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        if rng.random() < 0.001:
            return subprocess.Popen(["sleep", "1000"]).pid
        return os.getpid()

    sampler = sampler_of(mechanism, workers=2)
    pids = {pid for part in sampler.draw(BLOCKS, kept) for pid in part}
    assert len(pids) > 4
    assert all(map(alive, pids))
    sampler.close()
    assert gone(pids)
    again = set(sampler.draw(BLOCKS[:1], first_of))
    assert not again & pids
    sampler.close()
    sampler.close()
    assert gone(again)


def test_no_process_is_left_after_an_error_or_by_who_does_not_want_the_rest(gone: Any) -> None:
    pids = set[int]()

    sampler = sampler_of(own_pid, own_process=True)
    draws = sampler.draw(BLOCKS, first_of)
    pids.add(next(draws))
    draws.close()
    assert gone(pids)

    def blocks() -> Iterator[Block]:
        yield from BLOCKS
        raise ZeroDivisionError

    def reduce(outputs: Outputs) -> None:
        pids.add(first_of(outputs))
        raise LookupError("mine")

    with pytest.raises(ZeroDivisionError):
        list(map(pids.add, sampler.draw(blocks(), first_of)))
    assert len(pids) > 1
    assert gone(pids)
    before = len(pids)
    with pytest.raises(LookupError, match="mine"):
        list(sampler.draw(BLOCKS, reduce))
    assert len(pids) > before
    assert gone(pids)


INTERRUPTED = """
    import os, signal, sys, time
    from auditor.runs.sampling import Block, FunctionSampler, RunOptions

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background

    def mechanism(data, rng):
        if rng.random() < 0.5:
            print(os.getpid(), flush=True, file=sys.stderr)
            while True:
                time.sleep(1)
        return 0

    sampler = FunctionSampler(mechanism, (0, 1), seed=0, options=RunOptions(workers=2))
    list(sampler.draw([Block(0, 0, 10)], len))
"""


def test_no_process_is_left_when_ours_is_interrupted(tmp_path: Path, alive: Any, gone: Any) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(textwrap.dedent(INTERRUPTED))
    ours = subprocess.Popen([sys.executable, script], stderr=subprocess.PIPE, text=True)
    assert ours.stderr is not None
    pids = {int(ours.stderr.readline()), int(ours.stderr.readline())}
    assert all(map(alive, pids))
    ours.send_signal(signal.SIGINT)  # of the others: test_leftovers.py
    assert ours.wait(timeout=60) != 0
    ours.stderr.close()
    assert gone(pids)
