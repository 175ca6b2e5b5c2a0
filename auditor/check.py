"""Audit any Python callable on one pair of neighbouring data sets.

A mechanism that takes a ledger is audited release by release; one that takes a random generator
is audited as a black box. It runs in a process of its own with a deadline, so one that hangs or
kills its process cannot take the audit with it.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

import numpy as np

from auditor.case import BlackBox, Data, Form, Run
from auditor.context import Context
from auditor.errors import InputError, one_line
from auditor.neighbours import differing_records, n_records, remove_record
from auditor.verdict import Verdict
from reference._validation import FloatArray
from reference.privacy.guarantees import ApproximateDP, Guarantee, PureDP, Relation
from reference.privacy.ledger import Ledger

Kind = Literal["ledger", "rng"]

NO_SEARCH = "no data domain is given"
PILOT_RUNS = 200


@dataclass(frozen=True)
class Request:
    """What to check; plain values that another process can be given.

    Parameters
    ----------
    target : str
        ``package.module:callable`` or ``path.py:callable``, called with (data, ledger) or
        (data, rng).
    epsilon : float
        Claimed, > 0.
    delta : float
        Claimed, in [0, 1); 0 is pure DP.
    pair : str
        A ``.json`` or ``.npy`` file with the two data sets, or a callable that returns them.
    pair_is_file : bool
    kind : {"ledger", "rng"} or None
        What the second argument is; ``None`` goes by its name.
    context : Context
    """

    target: str
    epsilon: float
    delta: float
    pair: str
    pair_is_file: bool
    kind: Kind | None
    context: Context


# ------------------------------------------------------------------------- what is checked


def load_callable(name: str) -> Callable[..., Any]:
    """Import ``package.module:callable`` or ``path.py:callable``.

    Raises
    ------
    InputError
        Naming what is missing.
    """
    place, colon, attribute = name.rpartition(":")
    if not colon or not place or not attribute:
        raise InputError(f"{name!r} is not package.module:callable or path.py:callable")
    try:
        module = (
            _load_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
        )
    except FileNotFoundError:
        raise InputError(f"no file {place}; give the path of an existing .py file") from None
    except Exception as error:
        raise InputError(f"importing {place} failed with {one_line(error)}") from error
    found: Any = module
    for part in attribute.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise InputError(f"{place} has no callable {attribute!r}")
    return found  # type: ignore[no-any-return]


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise FileNotFoundError(path)
    # a name of its own, so that a file called random.py hides nothing
    name = f"_touchstone_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.append(str(path.parent.resolve()))
    spec.loader.exec_module(module)
    return module


def kind_of(function: Callable[..., Any], name: str) -> Kind:
    """Return what a mechanism's second argument is, by its name.

    Raises
    ------
    InputError
        If the name does not tell.
    """
    parameters = list(inspect.signature(function).parameters)
    if "ledger" in parameters:
        return "ledger"
    if {"rng", "generator", "random_state"} & set(parameters):
        return "rng"
    raise InputError(
        f"{name} takes ({', '.join(parameters)}); name an argument 'ledger' or 'rng', or say "
        "which it is with --kind"
    )


def load_pair(request: Request) -> tuple[Data, Data]:
    """Return the two data sets of a request.

    Raises
    ------
    InputError
        If the file or callable does not give two non-empty data sets.
    """
    if request.pair_is_file:
        pair = _read_pair(Path(request.pair))
    else:
        source = load_callable(request.pair)
        try:
            pair = source()
        except Exception as error:
            raise InputError(f"{request.pair} failed with {one_line(error)}") from error
    if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
        raise InputError(f"{request.pair} must give two data sets, (D, D')")
    first, second = (_as_data(part, request.pair) for part in pair)
    return first, second


def _read_pair(path: Path) -> Any:
    try:
        if path.suffix == ".npy":
            return np.load(path)
        if path.suffix == ".json":
            return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({one_line(error)})") from None
    raise InputError(f"{path} must be a .json or .npy file with the two data sets")


def _as_data(part: Any, name: str) -> Data:
    try:
        data = (
            tuple(np.asarray(piece, dtype=np.float64) for piece in part)
            if isinstance(part, tuple)
            else np.asarray(part, dtype=np.float64)
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"a data set of {name} is not an array of numbers ({error})") from None
    pieces = data if isinstance(data, tuple) else (data,)
    if any(piece.ndim == 0 or piece.size == 0 for piece in pieces):
        raise InputError(f"a data set of {name} is empty or not an array")
    if len({len(piece) for piece in pieces}) != 1:
        raise InputError(f"the parts of a data set of {name} differ in length")
    return data


def relation_of(data: Data, other: Data) -> tuple[Relation, int]:
    """Return how two data sets are neighbours and the index of the record that differs.

    Raises
    ------
    InputError
        If they are equal, or differ in more than one record.
    """
    larger, smaller = (data, other) if n_records(data) >= n_records(other) else (other, data)
    missing = n_records(larger) - n_records(smaller)
    if missing == 1:
        for index in range(n_records(larger)):
            if not _differing(remove_record(larger, index), smaller):
                return Relation.ADD_OR_REMOVE_ONE, index
    if missing == 0:
        differing = _differing(data, other)
        if len(differing) == 1:
            return Relation.REPLACE_ONE, differing[0]
        if not differing:
            raise InputError("the two data sets are equal; neighbours differ in one record")
    raise InputError(
        "the two data sets are no neighbours: one must be the other with one record replaced or "
        "removed"
    )


def _differing(data: Data, other: Data) -> list[int]:
    pieces = zip(data, other, strict=True) if isinstance(data, tuple) else [(data, other)]
    for first, second in pieces:
        if first.shape != second.shape:
            raise InputError(
                f"the records of the two data sets have different shapes, {first.shape[1:]} and "
                f"{second.shape[1:]}"
            )
    return differing_records(data, other)


# ------------------------------------------------------------------------- checking


def claimed(epsilon: float, delta: float, relation: Relation) -> Guarantee:
    """Return the claim as a value; raise InputError if it is out of range."""
    try:
        if delta == 0:
            return PureDP(epsilon, relation=relation)
        return ApproximateDP(epsilon, delta, relation=relation)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from None


def check(
    function: Callable[..., Any],
    kind: Kind,
    pair: tuple[Data, Data],
    *,
    epsilon: float,
    delta: float,
    context: Context,
) -> tuple[Verdict, ...]:
    """Audit a mechanism on a pair of neighbours against (epsilon, delta)-DP.

    Parameters
    ----------
    function : callable
        ``function(data, ledger)`` or ``function(data, rng)``.
    kind : {"ledger", "rng"}
    pair : (Data, Data)
    epsilon, delta : float
        The claim.
    context : Context
        Its ``tests`` is replaced by the number of questions asked.

    Returns
    -------
    tuple of Verdict
        Accounting, sensitivity, control flow, privacy loss and samplers for a ledger; the black
        box for a generator.
    """
    relation, index = relation_of(*pair)
    claim = claimed(epsilon, delta, relation)
    parameters = {"epsilon": epsilon, "delta": delta, "n": n_records(pair[0])}
    if kind == "ledger":
        return _check_ledger(function, pair, index, claim, parameters, context)
    return _check_black_box(function, pair, index, claim, parameters, context)


def _check_ledger(
    function: Callable[..., Any],
    pair: tuple[Data, Data],
    index: int,
    claim: Guarantee,
    parameters: dict[str, Any],
    context: Context,
) -> tuple[Verdict, ...]:
    from auditor import accounting, control_flow, privacy_loss, samplers, sensitivity

    def run(data: Data, ledger: Ledger) -> Any:
        return function(data, ledger)

    form = Form(
        run, claim, pair, index, parameters, no_search=NO_SEARCH, no_black_box="it takes a ledger"
    )
    questions = {
        "accounting": accounting.audit,
        "sensitivity": sensitivity.audit,
        "control_flow": control_flow.audit,
        "privacy_loss": privacy_loss.audit,
        "samplers": samplers.audit,
    }
    shared = Context(seed=context.seed, tier=context.tier, confidence=context.confidence, tests=2)
    return tuple(ask(form, shared.at("check", name)) for name, ask in questions.items())


def _check_black_box(
    function: Callable[..., Any],
    pair: tuple[Data, Data],
    index: int,
    claim: Guarantee,
    parameters: dict[str, Any],
    context: Context,
) -> tuple[Verdict, ...]:
    from auditor import black_box

    def run(data: Data, ledger: Ledger) -> Any:
        return ledger.public(lambda rng: function(data, rng))

    box = BlackBox(run, claim, pair, _statistic(run, pair, context.at("check", "pilot")))
    form = Form(
        run,
        claim,
        pair,
        index,
        parameters,
        no_search=NO_SEARCH,
        black_box=box,
    )
    return (black_box.audit(form, context.at("check", "black_box")),)


def _statistic(run: Run, pair: tuple[Data, Data], context: Context) -> Callable[[Any], float]:
    """Return the projection on the direction in which pilot outputs differ most between the pair.

    The pilot runs are used for nothing else, so that the audit's own runs stay independent.
    """
    rng = context.rng()
    first, second = (
        np.stack([_vector(run(data, Ledger(rng))) for _ in range(PILOT_RUNS)]) for data in pair
    )
    difference = first.mean(axis=0) - second.mean(axis=0)
    spread = first.std(axis=0) + second.std(axis=0)
    # Fisher's discriminant with the coordinates taken as independent
    weights = difference / np.where(spread > 0, spread, 1.0) ** 2
    largest = float(np.abs(weights).max())
    direction = weights / largest if largest > 0 else np.ones_like(weights)
    return lambda output: float(_vector(output) @ direction)


def _vector(output: Any) -> FloatArray:
    parts = output if isinstance(output, tuple) else (output,)
    return np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts])


# ------------------------------------------------------------------------- in a process of its own


def check_safely(request: Request, *, timeout: float, debug: bool = False) -> tuple[Verdict, ...]:
    """Carry out a request in a child process that may take ``timeout`` seconds.

    Raises
    ------
    InputError
        If the mechanism raises, dies or hangs, or the request makes no sense.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    child = spawn.Process(target=_serve, args=(theirs, request, debug), daemon=True)
    child.start()
    theirs.close()
    try:
        if not ours.poll(timeout):
            raise InputError(
                f"{request.target} did not finish within {timeout:g} s; it hangs, or needs a "
                "smaller data set or a larger --timeout"
            )
        status, answer = ours.recv()
    except EOFError:
        child.join()
        raise InputError(
            f"{request.target} ended its process (exit code {child.exitcode}); it must return "
            "its output"
        ) from None
    finally:
        child.kill()
        child.join()
        ours.close()
    if status == "error":
        raise InputError(answer)
    return tuple(Verdict.from_json(stored) for stored in answer)


def _serve(connection: Connection, request: Request, debug: bool) -> None:
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the mechanism prints is no result
    sys.path.insert(0, os.getcwd())
    try:
        verdicts = _carry_out(request)
    except Exception as error:
        if debug:
            traceback.print_exc()
        message = str(error) if isinstance(error, InputError) else _blame(request, error)
        connection.send(("error", message))
    else:
        connection.send(("done", [verdict.to_json() for verdict in verdicts]))


def _carry_out(request: Request) -> Sequence[Verdict]:
    function = load_callable(request.target)
    kind = request.kind or kind_of(function, request.target)
    return check(
        function,
        kind,
        load_pair(request),
        epsilon=request.epsilon,
        delta=request.delta,
        context=request.context,
    )


def _blame(request: Request, error: Exception) -> str:
    """Return one line that says what was raised and where."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return (
        f"{request.target} failed with {one_line(error)} at {where}; it must run on both data "
        "sets (--debug shows the traceback)"
    )
