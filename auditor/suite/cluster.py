"""Audits on a Dask cluster, whose workers must run the code that results are stored under."""

from __future__ import annotations

import logging
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import Any

import cloudpickle  # type: ignore[import-untyped]

from auditor.core.errors import InputError, one_line
from auditor.suite.keys import LIBRARIES, Sources, code

CONNECT_SECONDS = 10
LOOK_SECONDS = 5
"""Seconds between two checks that there are workers at all, while no answer comes."""

GO_ON = "finished work is kept, run the same command to go on"

_LIBRARIES = frozenset({"python", *LIBRARIES})

EDITED = "edited since the worker started"
"""Stand-in for the hash of a module that a worker may have loaded before it was edited."""


@dataclass(frozen=True)
class Modules:
    """Modules that compute jobs.

    Attributes
    ----------
    roots : tuple of str
        Names of modules.
    folders : tuple of str
        Where those are found that are not installed: the same paths on every machine.
    """

    roots: tuple[str, ...]
    folders: tuple[str, ...] = ()


def answers(
    scheduler: str,
    function: Callable[..., Any],
    jobs: Sequence[tuple[Any, ...]],
    own: Mapping[str, str],
    modules: Modules,
    warn: Callable[[str], None],
) -> Iterator[Any]:
    """Yield ``function(*job)`` of every job, computed by the workers of a cluster, as they come.

    Parameters
    ----------
    scheduler : str
        Address.
    function : callable
    jobs : sequence of tuple
    own : mapping
        :func:`~auditor.suite.keys.code` of the modules here.
    modules : Modules
    warn : callable
        Called with one line about workers that are missing or have threads to spare.

    Raises
    ------
    InputError
        If there is no Dask or no scheduler, if the scheduler is lost, or if a worker has other
        code than this process: each is asked before the work, and every answer is checked, since
        workers come and go.
    """
    with _connected(scheduler) as client:
        from distributed import CancelledError, KilledWorker

        try:
            _require_same_code(client, own, modules)
            _warn_of_threads(client, warn)
            # Not by joblib, which silently computes in this process if the cluster has but one
            # thread. The scheduler opens what is submitted, and has perhaps no auditor.
            submitted = {
                client.submit(lambda sent: pickle.loads(sent)(), _packed(*parts), pure=False)
                for parts in ((function, modules, job) for job in jobs)
            }
            for future in _finished(client, submitted, scheduler, warn):
                try:
                    address, theirs, answer = future.result()
                except Exception:
                    _require_same_code(client, own, modules)  # perhaps a late one cannot load it
                    raise
                _compare(address, theirs, own)
                yield answer
        except KilledWorker as error:
            raise InputError(
                f"a task ended several workers one after the other ({one_line(error)}), perhaps "
                f"for want of memory; {GO_ON}"
            ) from None
        except (CancelledError, OSError) as error:
            if isinstance(error, OSError) and client.status == "running":
                raise
            raise InputError(
                f"the Dask scheduler at {scheduler} is lost ({one_line(error)}); {GO_ON}"
            ) from None


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a Dask scheduler; raise InputError if there is no Dask or no scheduler."""
    try:
        from distributed import Client
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise InputError(
            "--scheduler needs Dask, which is not installed; pip install 'dp-touchstone[cluster]'"
        ) from None
    with silence_logging_cmgr(logging.CRITICAL):  # a lost scheduler is one line, not a traceback
        try:
            client = Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise InputError(
                f"no Dask scheduler answers at {address} ({one_line(error)}); check the address, "
                "or start one, and run the same command"
            ) from None
        with client:
            yield client


def _finished(
    client: Any, left: set[Any], scheduler: str, warn: Callable[[str], None]
) -> Iterator[Any]:
    """Yield futures as they finish; warn, once each time, if there is nobody to finish them."""
    from distributed import wait

    deserted = False
    while left:
        try:
            done, left = wait(left, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
        except TimeoutError:
            if client.nthreads():
                deserted = False
            elif not deserted:
                deserted = True
                warn(f"no worker at {scheduler}; waiting for one (dask worker {scheduler})")
            continue
        yield from done


def _warn_of_threads(client: Any, warn: Callable[[str], None]) -> None:
    idle = sum(threads - 1 for threads in client.nthreads().values())
    if idle:
        warn(
            f"{idle} threads of the cluster stay idle: a worker answers one question at a time; "
            "start them with dask worker --nworkers -1 --nthreads 1"
        )


# ---------------------------------------------------------------------------- the same code


def _require_same_code(client: Any, own: Mapping[str, str], modules: Modules) -> None:
    """Refuse a cluster with a worker whose answers would be stored as those of this code."""
    found = client.run(_code_there, modules, on_error="return")
    for address, theirs in sorted(found.items()):
        if isinstance(theirs, OSError):  # it has just left; whatever it answered is checked
            continue
        if isinstance(theirs, Exception):
            raise InputError(
                f"worker {address} cannot run this audit ({one_line(theirs)}); install the same "
                "code there, restart it, and run the same command"
            )
        _compare(address, theirs, own)


def _compare(address: str, theirs: Mapping[str, str], own: Mapping[str, str]) -> None:
    """Raise InputError if a worker has other code, or other versions of libraries, than here."""
    names = sorted({*own, *theirs}, key=lambda name: (name not in _LIBRARIES, name))
    different = [name for name in names if theirs.get(name) != own.get(name)]
    if not different:
        return
    shown = [_difference(name, theirs.get(name), own.get(name)) for name in different[:4]]
    if len(different) > len(shown):
        shown.append(f"{len(different) - len(shown)} more")
    raise InputError(
        f"worker {address} has other code than this machine: {', '.join(shown)}; install the same "
        f"there and restart it; {GO_ON}"
    )


def _difference(name: str, there: str | None, here: str | None) -> str:
    if name in _LIBRARIES:
        return f"{name} {there} instead of {here}"
    if there is None or here is None:
        return f"{name} ({'not there' if there is None else 'not here'})"
    return f"{name} ({EDITED})" if there == EDITED else name


# --------------------------------------------------------------------------- in the workers

_ONE_AT_A_TIME = Lock()
"""Limits on linear algebra's threads and mpmath's precision belong to a whole process."""


def _packed(function: Callable[..., Any], modules: Modules, job: tuple[Any, ...]) -> bytes:
    # the job is opened last: its modules may be found only then
    sent: bytes = cloudpickle.dumps(
        partial(_answer_there, function, modules, cloudpickle.dumps(job))
    )
    return sent


def _answer_there(
    function: Callable[..., Any], modules: Modules, job: bytes
) -> tuple[str, dict[str, str], Any]:
    """Return this worker's address, the code that it has and its answer."""
    from distributed import get_worker

    with _ONE_AT_A_TIME:
        own = _code_there(modules)
        return get_worker().address, own, function(*pickle.loads(job))


def _code_there(modules: Modules) -> dict[str, str]:
    """Return the code of this worker; each file is read once, when it is first asked for.

    A worker lives on after an edit, with the modules that it has loaded.
    """
    import psutil

    sys.path.extend(folder for folder in modules.folders if folder not in sys.path)
    sources = _sources()
    found = code(sources, *modules.roots)
    start = psutil.Process().create_time() + 1  # exact to a second, and nothing is loaded so soon
    return {**found, **dict.fromkeys(sources.edited_since(start) & set(found), EDITED)}


@cache
def _sources() -> Sources:
    return Sources()
