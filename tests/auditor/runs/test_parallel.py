"""Work that the processes of this machine share; what is left of them is in test_leftovers."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

import auditor
from auditor.core.errors import WorkerKilledError
from auditor.runs.parallel import in_parallel

SECONDS = 30
"""Longer than a busy machine takes to start a worker: a wrong order fails, and does not hang."""


def first(let_go: Path) -> str:
    end = time.monotonic() + SECONDS
    while not let_go.exists() and time.monotonic() < end:
        time.sleep(0.01)
    return "first"


def second(let_go: Path) -> str:
    let_go.touch()
    return "second"


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def test_results_come_as_soon_as_there_are_some(tmp_path: Path) -> None:
    let_go, unused = tmp_path / "let-go", tmp_path / "unused"
    found = in_parallel(call, [(first, let_go), (second, unused)], 2)
    assert next(found) == "second"
    let_go.touch()
    assert list(found) == ["first"]


def test_results_come_in_the_order_of_the_calls_where_that_is_asked(tmp_path: Path) -> None:
    let_go = tmp_path / "let-go"
    calls = [(first, let_go), (second, let_go)]
    assert list(in_parallel(call, calls, 2, ordered=True)) == ["first", "second"]


def test_one_worker_is_this_process() -> None:
    assert set(in_parallel(os.getpid, [()] * 2, 1)) == {os.getpid()}
    assert os.getpid() not in set(in_parallel(os.getpid, [()] * 2, 2))


def test_a_worker_that_is_killed_is_the_users_to_know() -> None:
    with pytest.raises(WorkerKilledError, match="perhaps for want of memory; fewer --workers"):
        list(in_parallel(killed, [()] * 2, 2))
    assert list(in_parallel(abs, [(-1,)], 2)) == [1]  # others take its place


def test_a_worker_may_be_dead_before_it_gets_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment at which joblib knows of it is luck: while it hands out the calls, at worst."""

    def hand_out(calls: Any) -> Any:
        raise TerminatedWorkerError

    monkeypatch.setattr(joblib, "Parallel", lambda *_, **__: hand_out)
    with pytest.raises(WorkerKilledError):
        list(in_parallel(abs, [(-1,)], 2))


def test_nothing_else_shares_work() -> None:
    root = Path(auditor.__file__).parent
    sharing = [path for path in root.rglob("*.py") if "Parallel(" in path.read_text()]
    assert sharing == [root / "runs" / "parallel.py"]
