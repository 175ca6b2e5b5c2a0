"""Threads, signals and forks in the middle of a call: no noise repeats, and no spend is lost."""

from __future__ import annotations

import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from reference.privacy import Ledger, LimitExceeded
from reference.privacy.filters import Filter, Left
from reference.privacy.ledger import Account, ReleaseClaim, Subsample, SubsampleEntry
from reference.privacy.mechanisms import Cost, Laplace
from tests.reference.ledgers import laplace, spent


@pytest.fixture
def quick_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("quick_switches")
def test_threads_repeat_no_stream_and_no_position() -> None:
    ledger, rounds = Ledger(0), 1500
    streams: list[Ledger] = []
    samples: list[Subsample] = []
    publics: list[float] = []

    def work() -> None:
        for _ in range(rounds):
            streams.extend(ledger.spawn(1))
            samples.append(ledger.subsample(50, 1))
            laplace(ledger, 1.0, sample=samples[-1])
            publics.append(ledger.public(lambda rng: rng.spawn(1)[0].random()))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    noises = [float(laplace(one, 1.0)) for one in streams]  # type: ignore[arg-type]
    assert len(set(noises + publics)) == 4 * rounds
    entries = ledger._entries
    assert len({sample.position for sample in samples}) == 2 * rounds
    for sample in samples:
        assert entries[sample.position].indices().tolist() == sample.indices.tolist()  # type: ignore[union-attr]
    assert Counter(type(entry).__name__ for entry in entries)["Release"] == 2 * rounds


@pytest.mark.parametrize(
    ("where", "inner", "call"),
    [
        (Ledger, "_draw_subsample", lambda ledger: ledger.subsample(9, 1)),
        (Ledger, "_others", lambda ledger: ledger.spawn(1)),
        (Laplace, "draw", lambda ledger: laplace(ledger, 1.0)),
        (Filter, "_cells", lambda ledger: laplace(ledger.spawn(1)[0], 1.0, records=slice(0, 3))),
        (np, "sort", lambda ledger: ledger.public(lambda rng: np.sort(rng.random(3)))),
    ],
)
def test_of_two_threads_one_waits_for_the_other(
    where: Any, inner: str, call: Callable[[Ledger], object], monkeypatch: Any
) -> None:
    ledger, usual = Ledger(0, limit=(9.0, 0.0)), getattr(where, inner)
    seen: list[str] = []

    def slow(*args: Any) -> Any:
        seen.append("in")
        time.sleep(0.02)
        seen.append("out")
        return usual(*args)

    monkeypatch.setattr(where, inner, slow)
    threads = [threading.Thread(target=call, args=(ledger,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["in", "out"] * 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="has no timer that interrupts")
def test_a_signal_handler_may_release_in_the_middle_of_a_release() -> None:
    """None waits for ever or is lost; one that comes in the middle of a charge is refused."""
    ledger = Ledger(0, limit=(1e5, 0.0))
    made, refused, samples = Counter[str](), Counter[str](), []
    waiting: list[None] = []  # signals since the handler's release began, if it has not ended

    def handler(*_: object) -> None:
        waiting.append(None)
        if len(waiting) > 1:
            if len(waiting) > 20_000:
                raise TimeoutError("a release waits for the one that it interrupted")
            return
        try:
            laplace(ledger, 1 / 8)
            made["handler"] += 1
        except RuntimeError as error:
            refused[str(error)[-41:]] += 1
        waiting.clear()

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        start = time.monotonic()
        while time.monotonic() < start + 1.0 or min(made["handler"], made["main"]) <= 50:
            assert time.monotonic() < start + 60
            sample = ledger.subsample(50, 1)
            samples.append(sample)
            laplace(ledger, 1 / 8)
            made["main"] += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(refused) <= {"as by a signal handler; nothing was drawn"}
    releases = sum(made.values())
    assert len(ledger.transcript.releases) == releases
    assert ledger.left == Left(1e5 - releases / 8, 0.0)
    assert len({sample.position for sample in samples}) == len(samples)
    for sample in samples:
        entry = ledger._entries[sample.position]
        assert entry.indices().tolist() == sample.indices.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("moment", ["_cells", "_refusal"])
def test_a_charge_within_a_charge_changes_no_sum(moment: str, monkeypatch: Any) -> None:
    gate = Filter(1.0, 0.0)
    inside, usual = [], getattr(Filter, moment)

    def interrupted(self: Filter, *args: Any) -> Any:
        try:
            gate.charge(Cost(pure=0.5), None)
        except RuntimeError as error:
            inside.append(str(error))
        return usual(self, *args)

    monkeypatch.setattr(Filter, moment, interrupted)
    gate.charge(Cost(pure=0.75), slice(3, 5))
    with pytest.raises(LimitExceeded):
        gate.charge(Cost(pure=0.75), slice(3, 5))
    assert inside
    assert "by a signal handler; nothing was drawn" in inside[0]
    monkeypatch.undo()
    assert gate.left().epsilon == 0.25
    gate.charge(Cost(pure=0.25), None)


def test_spawning_within_spawning_is_refused(monkeypatch: Any) -> None:
    ledger = Ledger(0)
    usual = Ledger._others
    inside: list[str] = []

    def interrupted(self: Ledger, count: int) -> list[Ledger]:
        try:
            ledger.spawn(1)
        except RuntimeError as error:
            inside.append(str(error))
        return usual(self, count)

    monkeypatch.setattr(Ledger, "_others", interrupted)
    assert len(ledger.spawn(2)) == 2
    assert inside == ["spawn() was called in the middle of itself; call it again"]
    monkeypatch.undo()
    assert len(ledger.spawn(1)) == 1


def test_two_calls_that_spawn_from_one_generator_repeat_no_stream() -> None:
    """numpy counts streams after it has made them; another thread had its turn in between."""

    class Interrupted(np.random.SeedSequence):
        def spawn(self, count: int) -> Any:
            first = self.n_children_spawned
            made = [np.random.SeedSequence(0, spawn_key=(first + i,)) for i in range(count)]
            if turns:
                made_between.extend(turns.pop().spawn(2))
            super().spawn(count)
            return made

    rng = np.random.Generator(np.random.PCG64(Interrupted(0)))
    made_between: list[Ledger] = []
    turns = [Ledger(rng), Ledger(rng)]
    made = Ledger(rng).spawn(3) + made_between
    assert len({float(laplace(one, 1.0)) for one in made}) == 7  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda ledger: ledger.spent(delta=0),
        lambda ledger: ledger.transcript,
        lambda ledger: ledger._spawned[0].close(),
    ],
)
def test_what_is_called_in_the_middle_of_a_call_waits_for_no_other_thread(call: Any) -> None:
    # the draw had the lock of the lowest ledger and waited for the highest, the other thread had
    # the highest and waited for the lowest
    ledger = Ledger(0)
    (part,) = ledger.spawn(1)
    (leaf,) = part.spawn(1)
    other = threading.Thread(target=lambda: ledger.spent(delta=0), daemon=True)

    def draw(_: Any) -> int:
        other.start()
        other.join(0.1)
        call(ledger)
        return 1

    threads = [threading.Thread(target=leaf.public, args=(draw,), daemon=True), other]
    threads[0].start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_handler_that_releases_while_a_subsample_is_drawn_takes_another_position(
    moment: str,
) -> None:
    class Interrupted(list[Any]):
        def append(self, entry: Any) -> None:
            if moment == "before" and isinstance(entry, SubsampleEntry):
                laplace(ledger, 1.0)
            super().append(entry)
            if moment == "after" and isinstance(entry, SubsampleEntry):
                laplace(ledger, 1.0)

    ledger = Ledger(0)
    ledger._entries = Interrupted()
    sample = ledger.subsample(9, 1)
    assert sample.position == (moment == "before")
    laplace(ledger, 1.0, sample=sample)
    assert spent(ledger) == pytest.approx(1 + math.log1p(math.expm1(1.0) / 9))


@pytest.mark.parametrize("way", [lambda part: part.close(), pickle.dumps])
@pytest.mark.parametrize("moment", ["_require_records", "mechanism"])
def test_a_handler_that_ends_a_ledger_does_not_lose_a_release(moment: str, way: Any) -> None:
    """The release has been charged, or draws nothing."""
    ledger = Ledger(0)
    (part,) = ledger.spawn(1, records=[slice(0, 9)])
    taken: list[Any] = []

    def end(*_: object) -> None:
        try:
            taken.append(way(part))
        except TypeError as error:
            taken.append(str(error))

    class Interrupted(Laplace):
        def draw(self, value: Any, rng: Any) -> Any:
            end()
            return super().draw(value, rng)

    state = part._rng.bit_generator.state
    if moment == "mechanism":
        part._release(Interrupted(1.0), np.zeros(1), ReleaseClaim(1.0))
        if isinstance(taken[0], Account):
            assert len(taken[0].entries) == 1
        else:
            assert taken == ["a ledger that was used cannot be sent; send what its close() returns"]
        assert spent(ledger) == 1.0
    else:
        part._require_records = end  # type: ignore[method-assign]
        with pytest.raises(RuntimeError, match=r"was closed|was sent"):
            laplace(part, 1.0)
        assert part._rng.bit_generator.state == state


UNSEEN_FORK = """
import ctypes, os
from reference.privacy.ledger import Ledger

ledger = Ledger(3)
if ctypes.PyDLL(None).fork() == 0:
    try:
        print(ledger.laplace([0.0], sensitivity=1, scale=1), flush=True)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forks by the C library")
def test_a_fork_that_python_does_not_see_draws_nothing() -> None:
    # in a process of one thread: a fork among several may wait for ever for a lock of another
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", UNSEEN_FORK],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment,
    )
    assert done.stdout.startswith("RuntimeError: this ledger belongs to another process")


def test_a_release_of_other_records_touches_no_other_cells() -> None:
    # 8000 disjoint ones took 5.3 s, and twice as many four times as long
    gate, cost = Filter(1.0, 0.0), Cost(pure=1.0, rho=0.5)
    for start in np.random.default_rng(0).permutation(8000).tolist():
        gate.charge(cost, slice(10 * start, 10 * start + 10))
    assert gate._cells(np.array([[10], [20]])) == slice(1, 2)
    assert gate.left().epsilon == 0.0
    with pytest.raises(LimitExceeded):
        gate.charge(Cost(pure=1e-9), slice(79_999, 80_001))
    gate.charge(cost, slice(80_000, 80_001))
