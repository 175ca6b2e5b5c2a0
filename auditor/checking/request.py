"""A check asked for in words: what the command line is given, loaded and carried out safely.

A request is carried out in a process of its own with a deadline, so a mechanism that hangs, floods
the output or kills its process cannot take the command line with it.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from hypothesis.strategies import SearchStrategy

from auditor.checking.engine import check
from auditor.checking.result import CheckResult
from auditor.checking.source import Program
from auditor.core.errors import InputError, one_line
from auditor.core.neighbours import Ball, Box, Counts, Domain, Integers, Table
from auditor.runs.clock import Progress
from auditor.runs.processes import end_with_parent
from auditor.runs.target import Named, load, load_callable
from auditor.runs.wire import Malformed, Messages, decode, encode, require, send, text
from reference.privacy.guarantees import ZCDP, GaussianDP, RenyiDP

Kind = Literal["ledger", "rng"]
GENERATORS = ("rng", "generator", "random_state")
GRACE, GRACE_SHARE = 30.0, 1.5
"""A check that goes on after its time is killed when this many seconds and this share are over."""


@dataclass(frozen=True)
class Request:
    """What to check; plain values that another process can be given.

    Parameters
    ----------
    target : str or None
        ``package.module:callable`` or ``path.py:callable``.
    command : str or None
        Instead: a program that speaks the line protocol.
    pair_file, pair_from, domain : str or None
        Exactly one: a ``.json`` or ``.npy`` file with [D, D'], a callable that returns (D, D') or
        a strategy of pairs, or a domain, see :func:`load_domain`.
    kind : {"ledger", "rng"} or None
        What the target's second argument is; ``None`` goes by its name.
    claims : mapping
        At most one claim in another currency: ``rho``, ``mu``, ``renyi`` (a pair) or
        ``trade_off`` (a callable's name).
    relation : str or None
        "replace", "add-remove" or "any".
    options : mapping
        Further keywords of :func:`auditor.check`.
    """

    target: str | None = None
    command: str | None = None
    pair_file: str | None = None
    pair_from: str | None = None
    domain: str | None = None
    kind: Kind | None = None
    claims: Mapping[str, Any] = field(default_factory=dict)
    relation: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return what is checked, in a word."""
        return self.target or self.command or "nothing"


# ------------------------------------------------------------------------------ loading


def require_kind(target: Named, kind: Kind | None) -> Kind:
    """Return what a mechanism's second argument is, by its name unless it is told.

    Raises
    ------
    InputError
        If the name does not tell.
    """
    if kind is not None:
        return kind
    parameters = target.parameters()
    if "ledger" in parameters:
        return "ledger"
    if set(GENERATORS) & set(parameters):
        return "rng"
    raise InputError(
        f"{target.name} takes ({', '.join(parameters)}); name an argument 'ledger' or 'rng', or "
        "say which it is with --kind"
    )


def load_pair(request: Request) -> Any:
    """Return the pair of a request: two data sets, or a strategy of pairs.

    Raises
    ------
    InputError
        If the file or callable does not give two data sets.
    """
    source = request.pair_file or request.pair_from
    assert source is not None
    if request.pair_file is not None:
        pair = _read_pair(Path(source))
    else:
        pair = load(source)
        if callable(pair) and not isinstance(pair, SearchStrategy):
            try:
                pair = pair()
            except Exception as error:
                raise InputError(f"{source} failed with {one_line(error)}") from error
    if isinstance(pair, SearchStrategy):
        return pair
    if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
        raise InputError(f"{source} must give two data sets, (D, D')")
    return tuple(pair)


def _read_pair(path: Path) -> Any:
    try:
        if path.suffix == ".npy":
            return np.load(path)
        if path.suffix == ".json":
            return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({one_line(error)})") from None
    raise InputError(f"{path} must be a .json or .npy file with the two data sets")


def as_array(data: Any) -> Any:
    """Return a data set read from JSON as the array it looks like, or as it is."""
    if not isinstance(data, list):
        return data
    try:
        array = np.asarray(data)
    except ValueError:
        return data
    return array if array.dtype.kind in "bif" else data


DOMAINS = (
    "scalar:LOW,HIGH  box:DIM,LOW,HIGH  l1:DIM,RADIUS  l2:DIM,RADIUS  linf:DIM,RADIUS  binary:DIM  "
    "counts:CELLS,HIGH  table:FILE.csv"
)


def load_domain(words: str) -> Domain | SearchStrategy[Any]:
    """Return the domain that a few words describe, or that a name imports.

    Parameters
    ----------
    words : str
        One of :data:`DOMAINS`, or ``package.module:name`` of a Domain or a Hypothesis strategy.

    Raises
    ------
    InputError
        If they describe none.
    """
    kind, _, rest = words.partition(":")
    makers: dict[str, Callable[..., Any]] = {
        "scalar": lambda low, high: Box((), low, high),
        "box": lambda size, low, high: Box((int(size),), low, high),
        "l1": lambda size, radius: Ball(int(size), radius, norm=1),
        "l2": lambda size, radius: Ball(int(size), radius),
        "linf": lambda size, radius: Box((int(size),), -radius, radius),
        "binary": lambda size: Integers((int(size),)),
        "counts": lambda cells, high: Counts(int(cells), int(high)),
    }
    if kind == "table":
        return _load_table(Path(rest))
    if kind in makers:
        try:
            made: Domain = makers[kind](*(float(number) for number in rest.split(",")))
        except (TypeError, ValueError):
            raise InputError(f"{words!r} is no domain; known: {DOMAINS}") from None
        return made
    found = load(words)
    if not isinstance(found, (Domain, SearchStrategy)):
        raise InputError(f"{words} is no Domain and no Hypothesis strategy; known: {DOMAINS}")
    return found


def _load_table(path: Path) -> Domain:
    import pandas as pd

    try:
        return Table(pd.read_csv(path))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a table ({one_line(error)})") from None


# ------------------------------------------------------------------------------ carrying out


def carry_out(request: Request, progress: Progress | None = None) -> CheckResult:
    """Load what a request names and check it; ``progress`` as of :func:`auditor.check`.

    Raises
    ------
    InputError
    """
    options = dict(request.options)
    mechanism, kind = load_mechanism(request)
    if kind is not None:
        options["kind"] = kind
    if request.relation is not None:
        options["relation"] = request.relation
    return check(
        mechanism, **load_claim(request), **load_pairs(request), progress=progress, **options
    )


def load_mechanism(request: Request) -> tuple[Any, Kind | None]:
    """Return what a request is about, and what its second argument is (None for a program).

    A Python callable is not imported here, but in the workers that run it.

    Raises
    ------
    InputError
    """
    if (request.target is None) == (request.command is None):
        raise InputError("give either TARGET, a Python callable, or --command")
    if request.command is not None:
        return Program(request.command), None
    assert request.target is not None
    target = Named(request.target)
    return target, require_kind(target, request.kind)


def load_pairs(request: Request) -> dict[str, Any]:
    """Return the ``pair`` or the ``domain`` of a request.

    Raises
    ------
    InputError
    """
    given = [place for place in (request.pair_file, request.pair_from, request.domain) if place]
    if len(given) != 1:
        raise InputError("give the data sets: --pair FILE, --pair-from CALLABLE or --domain DOMAIN")
    if request.domain is not None:
        return {"domain": load_domain(request.domain)}
    pair = load_pair(request)
    if request.pair_file is not None and request.command is None:
        pair = tuple(as_array(data) for data in pair)
    return {"pair": pair}


def load_claim(request: Request) -> dict[str, Any]:
    """Return the ``claim`` of a request; nothing if it is about epsilon.

    Raises
    ------
    InputError
    """
    stated = {name: value for name, value in request.claims.items() if value is not None}
    options = [_option(name) for name in stated]
    if request.options.get("epsilon") is not None:
        options.insert(0, "--epsilon")
    if not options:
        raise InputError("say what is claimed: --epsilon, --rho, --mu, --renyi or --trade-off")
    if len(options) > 1:
        raise InputError(f"make one claim, not {' and '.join(options)}")
    if not stated:
        return {}
    ((name, value),) = stated.items()
    try:
        if name == "rho":
            return {"claim": ZCDP(value)}
        if name == "mu":
            return {"claim": GaussianDP(value)}
        if name == "renyi":
            return {"claim": RenyiDP(*value)}
    except ValueError as error:
        raise InputError(str(error)) from None
    return {"claim": load_callable(value)}


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


_SAID_AS_OPTIONS = (
    (re.compile('relation="any"'), "--relation any"),
    (re.compile(r"use workers=1 and no time limit"), "make it inside of the mechanism"),
    (re.compile(r"\bbatched=True\b"), "--batched"),
    (
        re.compile(
            "^(epsilon|delta|rho|mu|samples|confidence|rare|workers|timeout|call_timeout|seed) must"
        ),
        r"--\1 must",
    ),
)
"""How what the library says of its arguments reads on the command line."""


def as_options(message: str) -> str:
    """Return a message of :func:`auditor.check` in the words of the command line."""
    for words, option in _SAID_AS_OPTIONS:
        message = words.sub(option, message)
    return message


def longest(request: Request) -> float:
    """Return after how many seconds a check is killed that goes on after its ``timeout``."""
    timeout = request.options.get("timeout")
    return math.inf if timeout is None else GRACE_SHARE * timeout + GRACE


def check_safely(
    request: Request, *, limit: float, debug: bool = False, progress: Progress | None = None
) -> CheckResult:
    """Carry out a request by :func:`carry_out`; parameters as of :func:`carry_out_safely`."""
    sent = carry_out_safely(request, work=_check, limit=limit, debug=debug, progress=progress)
    try:
        return CheckResult.received(sent)
    except Malformed:
        raise _forged(request) from None


def _check(request: Request, progress: Progress) -> dict[str, Any]:
    return carry_out(request, progress).sent()


def _forged(request: Request) -> InputError:
    return InputError(
        f"what the process that checks {request.name} says is malformed: code that it has imported "
        "has written to a file that is not its own"
    )


def carry_out_safely(
    request: Request,
    *,
    work: Callable[[Request, Progress], Any],
    limit: float,
    debug: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Carry out a request in a child process, which is killed after ``limit`` seconds.

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
    if status == "error":
        raise InputError(answer)
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
        require(status == "done" or (status == "error" and type(answer) is str))
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
    sys.path.insert(0, os.getcwd())

    def reply(status: str, answer: Any) -> None:
        send(connection.fileno(), encode((status, answer)))

    try:
        reply("done", work(request, lambda *told: reply("progress", told)))
    except Exception as error:
        if debug:
            traceback.print_exc()
        known = isinstance(error, InputError)
        message = as_options(str(error)) if known else _blame(request, error)
        reply("error", message)


def _blame(request: Request, error: Exception) -> str:
    """Return one line that says what was raised and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"{request.name} failed with {one_line(error)} at {Path(last.filename).name}:"
        f"{last.lineno}; it must run on both data sets (--debug shows the traceback)"
    )
