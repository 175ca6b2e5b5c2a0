"""A check described by a request, and run in a process of its own with a deadline.

A mechanism that hangs, floods the output or kills its process cannot take the command line with it.
The module that runs a request (:mod:`auditor.checking.loading`) takes a second to load: only that
process loads it, and this module does not.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import re
import signal
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from auditor.checking.request import Request
from auditor.checking.result import (
    CheckResult,
    EpsilonsResult,
    IndependenceResult,
    Measurement,
)
from auditor.core.errors import InputError, InternalError, one_line
from auditor.runs.clock import Progress
from auditor.runs.parent import end_with_parent
from auditor.runs.processes import send_or_end
from auditor.runs.wire import Malformed, Messages, decode, encode, require, text

_Answer = TypeVar("_Answer", CheckResult, EpsilonsResult, IndependenceResult, Measurement)
_RAISED = {"error": InputError, "internal": InternalError}
"""Errors raised here when the other process says that it has failed."""
_HOUSE = Path(__file__).parents[2]
_INSTALLED = (
    *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")},
    *(f"{_HOUSE / name}{os.sep}" for name in ("auditor", "reference")),
)
"""Folders of Python, its packages and this project; users' own files are mostly elsewhere."""

_SAID_AS_OPTIONS = (
    (re.compile('relation="any"'), "--relation any"),
    (re.compile(r"use workers=1 and no time limit"), "make it inside of the mechanism"),
    (re.compile(r"\bbatched=True\b"), "--batched"),
    (re.compile("functools.partial gives it"), "--argument NAME=VALUE gives it"),
    (
        re.compile(
            "^(epsilons?|delta|rho|mu|samples|confidence|rare|workers|timeout|call_timeout|seed)"
            " must"
        ),
        r"--\1 must",
    ),
)
"""The library's wordings of its arguments, and the command line's wordings of them."""


def as_options(message: str) -> str:
    """Return a message of :func:`auditor.check` in the words of the command line."""
    for words, option in _SAID_AS_OPTIONS:
        message = words.sub(option, message)
    return message


def answer_safely(
    request: Request,
    answer: type[_Answer],
    *,
    limit: float,
    debug: bool = False,
    progress: Progress | None = None,
) -> _Answer:
    """Run what a request describes, and return such an answer; parameters as of `run_safely`."""
    work = partial(_work, answer=answer)
    sent = run_safely(request, work=work, limit=limit, debug=debug, progress=progress)
    try:
        return answer.received(sent)
    except Malformed:
        raise _forged(request) from None


def _work(request: Request, progress: Progress, *, answer: type[_Answer]) -> dict[str, Any]:
    from auditor.checking.loading import RUNS

    sent: dict[str, Any] = RUNS[answer](request, progress).sent()
    return sent


def _forged(request: Request) -> InputError:
    return InputError(
        f"what the process that checks {request.name} says is malformed: code that it has imported "
        "has written to a file that is not its own"
    )


def run_safely(
    request: Request,
    *,
    work: Callable[[Request, Progress], Any],
    limit: float,
    debug: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Run a request in a child process, which is killed after ``limit`` seconds.

    Parameters
    ----------
    request : Request
    work : callable
        What to do with the request. It returns plain data, see :mod:`auditor.runs.wire`.
    limit : float
        See :func:`longest` for that of a check.
    debug : bool
    progress : callable, optional
        Is told what ``work`` tells.

    Raises
    ------
    InputError
        If the mechanism raises, dies or hangs, or the request makes no sense.
    InternalError
        If something fails that is none of the user's code.
    """
    end = time.monotonic() + limit
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    child = spawn.Process(target=_serve, args=(os.getpid(), theirs, request, debug, work))
    child.start()
    theirs.close()
    try:
        status, answer = _last_word(Messages(ours.fileno()), end, progress)
    except Malformed:
        raise _forged(request) from None
    except TimeoutError:
        raise InputError(
            f"{request.name} did not finish within {limit:g} s: it hangs where it cannot be "
            "interrupted, perhaps while it is imported, or needs a larger --timeout"
        ) from None
    except EOFError:
        child.join()
        raise InputError(
            f"{request.name} ended its process (exit code {child.exitcode}); it must return its "
            "output"
        ) from None
    finally:
        _stop(child)
        ours.close()
    if status != "done":
        raise _RAISED[status](answer)
    return answer


def _last_word(messages: Messages, end: float, progress: Progress | None) -> tuple[str, Any]:
    """Return what a child says last; pass its progress on.

    Raises
    ------
    TimeoutError
        If that is not before ``end``.
    Malformed
    """
    while True:
        left = end - time.monotonic()
        message = messages.next(max(left, 0.0) if left < math.inf else None)
        if message is None:
            raise TimeoutError
        received = decode(message)
        require(type(received) is tuple and len(received) == 2)
        status, answer = received
        if status == "progress":
            require(type(answer) is tuple and len(answer) == 3)
            what, done, total = answer
            require(type(done) is int and type(total) is int)
            if progress is not None:
                progress(text(what), done, total)
            continue
        require(type(status) is str and (status == "done" or status in _RAISED))
        require(status == "done" or type(answer) is str)
        return status, answer


def _stop(child: Any) -> None:
    """Stop a child, and with it the workers and programs it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.join()


def _serve(
    parent: int,
    connection: Any,
    request: Request,
    debug: bool,
    work: Callable[[Request, Progress], Any],
) -> None:
    end_with_parent(parent)
    os.setsid()  # a group of its own, to be stopped as one
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the mechanism prints is no result
    if request.folder is not None:
        os.chdir(request.folder)
    sys.path.insert(0, os.getcwd())

    def reply(status: str, answer: Any) -> None:
        send_or_end(connection.fileno(), encode((status, answer)))

    try:
        reply("done", work(request, lambda *told: reply("progress", told)))
    except Exception as error:
        if debug:
            traceback.print_exc()
        if isinstance(error, InputError):
            reply("error", as_options(str(error)))
        elif _is_of(request, error):
            reply("error", _blame(request, error))
        else:
            reply("internal", one_line(error))


def _is_of(request: Request, error: Exception) -> bool:
    """Return whether code that a request names was running when something was raised."""
    files = re.findall('File "(.*?)"', "".join(traceback.format_exception(error)))
    return any(_is_named(request, file) for file in files)


def _is_named(request: Request, file: str) -> bool:
    named = (request.target, request.pair_from, request.domain, request.claims.get("trade_off"))
    packages = {place.partition(":")[0].partition(".")[0] for place in named if place}
    inside = packages.intersection(Path(file).parts)
    return bool(inside) or not (file.startswith("<") or file.startswith(_INSTALLED))


def _blame(request: Request, error: Exception) -> str:
    """Return one line that says what was raised and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"{request.name} failed with {one_line(error)} at {Path(last.filename).name}:"
        f"{last.lineno}; it must run on both data sets (--debug shows the traceback)"
    )
