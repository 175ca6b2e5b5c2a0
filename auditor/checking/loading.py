"""Loading of the things that a request names, checked in this process."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

from auditor.checking.check_options import RandomArgument
from auditor.checking.engine import check, measure
from auditor.checking.independence import check_independence
from auditor.checking.relations import require_neighbours
from auditor.checking.request import Request
from auditor.checking.result import (
    CheckResult,
    EpsilonsResult,
    IndependenceResult,
    Measurement,
)
from auditor.checking.several_epsilons import at_epsilon, check_epsilons
from auditor.checking.source import Program, require_order
from auditor.core.errors import InputError, one_line, pass_interrupts
from auditor.core.files import CANNOT_BE_READ, read_json, require_file, why_unreadable
from auditor.core.input_limits import MOST_RECORDS
from auditor.core.neighbours import Ball, Box, Counts, Domain, Everything, Integers, Table
from auditor.runs.clock import Progress
from auditor.runs.target import GENERATORS, Named, load, load_callable
from reference.privacy.guarantees import ZCDP, GaussianDP, RenyiDP

# ------------------------------------------------------------------------------ loading


def require_kind(target: Named, kind: RandomArgument | None) -> RandomArgument:
    """Return what a mechanism's second argument is, by its name unless it is told.

    Raises InputError if the name does not tell, or comes first.
    """
    if kind is not None:
        return kind
    parameters = target.parameters()
    require_order(parameters)
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

    Raises InputError if the file or callable does not give two data sets.
    """
    source = request.pair_file or request.pair_from
    assert source is not None
    pair = _read(Path(source), "the two data sets") if request.pair_file else _made(source)
    if isinstance(pair, SearchStrategy):
        return pair
    if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
        raise InputError(f"{source} must give two data sets, (D, D')")
    return tuple(pair)


def _made(source: str) -> Any:
    """Return what a name imports, or returns if it is called."""
    found = load(source)
    if not callable(found) or isinstance(found, SearchStrategy):
        return found
    try:
        return found()
    except BaseException as error:
        pass_interrupts(error)
        raise InputError(f"{source} failed with {one_line(error)}") from error


def _read(path: Path, content: str) -> Any:
    try:
        if path.suffix == ".npy":
            return _load_array(path)
        if path.suffix == ".json":
            return read_json(path)
        require_file(path)
    except CANNOT_BE_READ as error:
        raise InputError(f"{path} cannot be read: {why_unreadable(error)}") from None
    raise InputError(f"{path} must be a .json or .npy file with {content}")


def _load_array(path: Path) -> Any:
    require_file(path)
    try:
        return np.load(path)
    except ValueError:
        raise ValueError("it is no array as numpy.save writes it") from None


LISTS = "a list of numbers in {0} is a NumPy array to it; {0}-from gives what you return"


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
    "counts:CELLS,HIGH  reals:DIM  table:FILE.csv"
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
        "scalar": lambda low, high: Box((), *_range(low, high)),
        "box": lambda size, low, high: Box((_size(size),), *_range(low, high)),
        "l1": lambda size, radius: Ball(_size(size), radius, norm=1),
        "l2": lambda size, radius: Ball(_size(size), radius),
        "linf": lambda size, radius: Box((_size(size),), *_range(-radius, radius)),
        "binary": lambda size: Integers((_size(size),)),
        "reals": lambda size: Everything((_size(size),)),
        "counts": lambda cells, high: Counts(_size(cells), _size(high)),
    }
    if kind == "table":
        if not rest:
            raise InputError(f"{words!r} is no domain: name the file of the table, table:FILE.csv")
        return _load_table(Path(rest))
    if kind in makers:
        try:
            made: Domain = makers[kind](*(float(number) for number in rest.split(",")))
        except InputError as error:
            raise InputError(f"{words!r} is no domain: {error}") from None
        except (TypeError, ValueError):
            raise InputError(f"{words!r} is no domain; known: {DOMAINS}") from None
        return made
    if rest[:1].isdigit():  # no name of Python's begins with a digit
        raise InputError(f"{words!r} is no domain; known: {DOMAINS}")
    found = load(words)
    if not isinstance(found, (Domain, SearchStrategy)):
        raise InputError(f"{words} is no Domain and no Hypothesis strategy; known: {DOMAINS}")
    return found


def _size(number: float) -> int:
    """Return how many numbers, cells or records a domain has."""
    if not number.is_integer():
        raise ValueError
    if not 1 <= number <= MOST_RECORDS:
        raise InputError(f"a size is at least 1 and at most {MOST_RECORDS}, got {number:g}")
    return int(number)


def _range(low: float, high: float) -> tuple[float, float]:
    if not -math.inf < low < high < math.inf:
        raise InputError(f"give finite LOW < HIGH, got {low:g} and {high:g}")
    return low, high


def _load_table(path: Path) -> Domain:
    import pandas as pd

    try:
        require_file(path)
        return Table(pd.read_csv(path))
    except pd.errors.EmptyDataError:
        raise InputError(f"{path} cannot be read as a table: it is empty") from None
    except CANNOT_BE_READ as error:
        raise InputError(f"{path} cannot be read as a table: {why_unreadable(error)}") from None


# ------------------------------------------------------------------------- running a request


def run_request(request: Request, progress: Progress | None = None) -> CheckResult:
    """Load what a request names and check it; ``progress`` as of :func:`auditor.check`."""
    mechanism, options = _loaded(request)
    claim, pairs = load_claim(request), load_pairs(request)
    with _arrays_named("--pair", request.pair_file, pairs.get("pair")):
        return check(mechanism, **claim, **pairs, progress=progress, **options)


def run_epsilons(request: Request, progress: Progress | None = None) -> EpsilonsResult:
    """Load what a request names and check it at several epsilons."""
    if request.command is not None:
        raise InputError("--epsilons is for TARGET, which is given each by its name")
    if "epsilon" in request.arguments:
        raise InputError("--epsilons gives TARGET its epsilon; leave out --argument epsilon=...")
    mechanism, options = _loaded(request)
    load_claim(request)
    del options["epsilon"]
    named: Any = at_epsilon(mechanism, 1.0)
    require_kind(named, request.kind)  # before any is run
    pairs = load_pairs(request)
    with _arrays_named("--pair", request.pair_file, pairs.get("pair")):
        return check_epsilons(mechanism, **pairs, progress=progress, **options)


def run_independence(request: Request, progress: Progress | None = None) -> IndependenceResult:
    """Load what a request names and ask whether its noise is independent."""
    mechanism, options = _loaded(request)
    file, source = options.pop("data_file"), options.pop("data_from")
    if (file is None) == (source is None):
        raise InputError("give the data set: --data FILE or --data-from CALLABLE")
    data = _made(source) if file is None else _read(Path(file), "the data set")
    if file is not None and request.command is None:
        data = as_array(data)
    with _arrays_named("--data", file, [data]):
        return check_independence(mechanism, data=data, progress=progress, **options)


def _loaded(request: Request) -> tuple[Any, dict[str, Any]]:
    """Return the mechanism of a request, and its options with those that it names elsewhere."""
    mechanism, kind = load_mechanism(request)
    named = {"kind": kind, "relation": request.relation}
    given = {name: value for name, value in named.items() if value is not None}
    return mechanism, {**request.options, **given}


@contextmanager
def _arrays_named(option: str, file: str | None, read: Any) -> Iterator[None]:
    """Say of a mechanism that fails on data of a JSON file that its lists are arrays now."""
    try:
        yield
    except InputError as error:
        converted = str(file).endswith(".json") and any(
            isinstance(data, np.ndarray) for data in read
        )
        if converted and "the mechanism failed with" in str(error):
            raise InputError(f"{error}; {LISTS.format(option)}") from error
        raise


def run_measurement(request: Request, progress: Progress | None = None) -> Measurement:
    """Load what a request names and measure it."""
    options = {name: value for name, value in request.options.items() if value is not None}
    mechanism, kind = load_mechanism(request)
    pair = load_pairs(request)["pair"]
    if isinstance(pair, SearchStrategy):
        raise InputError(
            "one pair is measured, not a strategy of pairs; `check` searches the worst"
        )
    first, second = pair
    relation: Any = request.relation
    if relation != "any":
        require_neighbours(first, second, relation)
    with _arrays_named("--pair", request.pair_file, pair):
        return measure(mechanism, pair=(first, second), kind=kind, progress=progress, **options)


RUNS: Mapping[type, Callable[[Request, Progress], Any]] = {
    CheckResult: run_request,
    EpsilonsResult: run_epsilons,
    IndependenceResult: run_independence,
    Measurement: run_measurement,
}
"""The function that is run for each kind of answer."""


def load_mechanism(request: Request) -> tuple[Any, RandomArgument | None]:
    """Return what a request is about, and what its second argument is (None for a program).

    A Python callable is not imported here, but in the workers that run it.
    """
    if (request.target is None) == (request.command is None):
        raise InputError("give either TARGET, a Python callable, or --command")
    if request.command is not None:
        if request.arguments:
            raise InputError("--argument is for TARGET; write it into --command")
        return Program(request.command), None
    assert request.target is not None
    target = Named(request.target, tuple(request.arguments.items()))
    return target, require_kind(target, request.kind)


def load_pairs(request: Request) -> dict[str, Any]:
    """Return the ``pair`` or the ``domain`` of a request; raise InputError without one of them."""
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
    """Return the ``claim`` of a request; nothing if it is about epsilon."""
    stated = {name: value for name, value in request.claims.items() if value is not None}
    of_options = [n for n in ("epsilon", "epsilons") if request.options.get(n) is not None]
    options = [_option(name) for name in (*of_options, *stated)]
    if not options:
        raise InputError("say what is claimed: --epsilon, --rho, --mu, --renyi or --trade-off")
    if len(options) > 1:
        raise InputError(f"make one claim, not {' and '.join(options)}")
    if not stated:
        return {}
    ((name, value),) = stated.items()
    made: dict[str, Callable[[Any], Any]] = {
        "rho": ZCDP,
        "mu": GaussianDP,
        "renyi": lambda both: RenyiDP(*both),
        "trade_off": load_callable,
    }
    try:
        return {"claim": made[name](value)}
    except ValueError as error:
        raise InputError(str(error)) from None


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
