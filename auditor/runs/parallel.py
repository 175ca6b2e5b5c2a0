"""Run calls in worker processes, which end with their parent."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import joblib
from joblib.externals.loky.backend.resource_tracker import ensure_running
from joblib.externals.loky.process_executor import TerminatedWorkerError

from auditor.core.errors import WorkerKilledError
from auditor.runs.parent import end_with_parent

_Result = TypeVar("_Result")

# a worker that has grown makes room for a new one, and its calls are not lost
warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)


def in_parallel(
    function: Callable[..., _Result],
    calls: Iterable[tuple[Any, ...]],
    workers: int,
    *,
    ordered: bool = False,
) -> Iterator[_Result]:
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
    tasks = (joblib.delayed(function)(*call) for call in calls)
    how = "generator" if ordered else "generator_unordered"
    # a worker watches its parent before it loads anything else
    watching = {"initializer": end_with_parent, "initargs": (os.getpid(),)} if workers > 1 else {}
    try:
        with _quiet_tracker():
            shared = joblib.Parallel(workers, return_as=how, batch_size=1, **watching)
            results = shared(tasks)
        yield from results
    except TerminatedWorkerError:
        raise WorkerKilledError from None


@contextmanager
def _quiet_tracker() -> Iterator[None]:
    """Let joblib's process that tidies up after a killed command do so without warnings."""
    option = "ignore:resource_tracker:UserWarning"
    sys.warnoptions.append(option)  # what this process is started with, its children are too
    try:
        ensure_running()
        yield
    finally:
        sys.warnoptions.remove(option)
