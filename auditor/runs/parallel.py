"""The processes of this machine, side by side: none of them outlives the one that started it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from auditor.core.errors import WorkerKilledError
from auditor.runs.processes import end_with_parent

Result = TypeVar("Result")


def in_parallel(
    function: Callable[..., Result],
    calls: Iterable[tuple[Any, ...]],
    workers: int,
    *,
    ordered: bool = False,
) -> Iterator[Result]:
    """Yield ``function(*call)`` for every call as soon as there is one.

    Parameters
    ----------
    function : callable
        Of a module, so that a worker finds it.
    calls : iterable of tuple
        Arguments, which are pickled.
    workers : int
        Processes; with one it is this.
    ordered : bool, default False
        Whether the results come in the order of the calls, not in that in which they are done.

    Raises
    ------
    WorkerKilledError
        If a process ended before its call did.
    """
    parent = os.getpid()
    tasks = (joblib.delayed(in_worker)(parent, function, *call) for call in calls)
    how = "generator" if ordered else "generator_unordered"
    try:
        yield from joblib.Parallel(workers, return_as=how, batch_size=1)(tasks)
    except TerminatedWorkerError:
        raise WorkerKilledError from None


def in_worker(parent: int, function: Callable[..., Result], *call: Any) -> Result:
    """Return ``function(*call)`` from a process that is killed when ``parent`` ends."""
    if os.getpid() != parent:  # with one worker it is the parent itself
        end_with_parent(parent)
    return function(*call)
