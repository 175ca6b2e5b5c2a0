"""The control-flow question: does all that leaves the algorithm leave through the ledger.

A run on D is recorded and replayed on a neighbour D' with its outputs frozen. The replay must make
the same releases (kind, shape, claimed sensitivity, scale, records), and it must *return* the
same result: whatever an algorithm returns may depend on the data through the released outputs
only. A run that raises returns the type of its exception, an output like any other. A replay on D
itself must reproduce the recorded values too, or some randomness bypasses the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from types import FunctionType
from typing import Any

import numpy as np

from auditor.core.case import Data, Form, Run
from auditor.core.context import Context
from auditor.core.plurals import counted
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_pair, restore_pair
from auditor.questions.sensitivity import base_records, neighbour_pair
from auditor.runs.blocks import Raised
from auditor.transcript.replay import caught, record, replay_with_output, subsample_entries
from reference.privacy.ledger import ControlFlowError, Transcript

MOST_PARTS = 10_000
"""Number of items compared of a mapping of the algorithm's own, which may have no end."""
TRIED = 8
"""Runs on D that may raise before the question gives up."""


def first_difference(
    first: Any, second: Any, path: str = "result", seen: dict[tuple[int, int], Any] | None = None
) -> str | None:
    """Return where two results differ, or ``None`` if they are the same.

    Parameters
    ----------
    first, second : Any
        Numbers, strings, arrays, and dataclasses, tuples, lists, mappings, objects and functions
        made of such, in themselves as well. NaN equals NaN.
    path : str
        How to call the result itself.
    seen : dict, optional
        What is compared elsewhere, by its ids; kept, so that nothing else gets one of them.

    Examples
    --------
    >>> first_difference({"a": np.zeros(2)}, {"a": np.array([0.0, 1.0])})
    "result['a'][1]: 0.0, then 1.0"
    """
    seen = {} if seen is None else seen
    if first is second or (id(first), id(second)) in seen:
        return None
    if isinstance(first, Raised) or isinstance(second, Raised):
        return None if first == second else f"{path}: {_called(first)}, then {_called(second)}"
    if type(first) is not type(second):
        return f"{path}: {type(first).__name__}, then {type(second).__name__}"
    numbers = isinstance(first, (np.ndarray, np.generic))
    if numbers and (first.dtype != object or first.shape != second.shape):
        return _array_difference(np.asarray(first), np.asarray(second), path)
    one, two = _parts(first), _parts(second)
    if one is not None and two is not None:
        seen[id(first), id(second)] = first, second
        if [where for where, _ in one] != [where for where, _ in two]:
            if isinstance(first, (list, tuple)):
                return f"{path}: length {len(one)}, then {len(two)}"
            keys, others = ([where.strip("[.]") for where, _ in parts] for parts in (one, two))
            return f"{path}: keys {keys}, then {others}"
        pairs = zip(one, two, strict=True)
        return _first(
            first_difference(a, b, f"{path}{where}", seen) for (where, a), (_, b) in pairs
        )
    if first == second or (first != first and second != second):
        return None
    return f"{path}: {first!r}, then {second!r}"


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """Return what a composite result is made of, and how each is called; ``None`` for a plain one.

    A list, tuple or dict is walked through as Python's own, whatever its class says; another
    mapping up to :data:`MOST_PARTS`.
    """
    if isinstance(value, np.ndarray):
        return [(f"[{i}]", item) for i, item in enumerate(value.ravel().tolist())]
    if isinstance(value, (list, tuple)):
        items = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
        return [(f"[{i}]", item) for i, item in enumerate(items)]
    if isinstance(value, dict):
        return [(f"[{key!r}]", item) for key, item in dict.items(value)]
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", value[key]) for key in islice(value, MOST_PARTS)]
    inside = _state(value)
    return None if inside is None else [(f".{name}", item) for name, item in inside.items()]


def _called(result: Any) -> str:
    return f"raised {result.name}" if isinstance(result, Raised) else type(result).__name__


def _state(value: Any) -> dict[str, Any] | None:
    """Return what a composite object is made of; ``None`` for a plain value."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, FunctionType):
        # a predictor returned by the algorithm: its code and what it has captured
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return {
            "code": value.__code__.co_code,
            "defaults": value.__defaults__,
            "captured": cells,
        }
    # an object without an equality of its own is what its attributes are
    plain = "__eq__" not in {name for kind in type(value).__mro__[:-1] for name in vars(kind)}
    return dict(vars(value)) if plain and hasattr(value, "__dict__") else None


def _first(differences: Iterator[str | None]) -> str | None:
    return next((found for found in differences if found is not None), None)


def _array_difference(first: Any, second: Any, path: str) -> str | None:
    if first.shape != second.shape or first.dtype != second.dtype:
        return f"{path}: {first.dtype}{first.shape}, then {second.dtype}{second.shape}"
    same = np.asarray((first == second) | ((first != first) & (second != second)))
    if same.all():
        return None
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    where = "".join(f"[{i}]" for i in index)
    return f"{path}{where}: {first[index]}, then {second[index]}"


def leak(run: Run, data: Data, other: Data, *, seed: int, target: int | None = None) -> str | None:
    """Return how a run leaks ``data`` other than through its releases, or ``None``.

    Works on any algorithm that releases through a ledger.

    Parameters
    ----------
    run : callable
        ``run(data, ledger)``.
    data, other : array or tuple of arrays
        ``run`` is recorded on the first and replayed on the second; the same data twice asks
        whether it is deterministic given the ledger.
    seed : int
    target : int, optional
        The record in which they differ; needed only when the run draws subsamples.

    Examples
    --------
    >>> def sneaky(data, ledger):
    ...     ledger.gaussian(data.mean(), sensitivity=1.0, scale=1.0)
    ...     return {"mean": data.mean()}
    >>> leak(sneaky, np.zeros(2), np.array([0.0, 1.0]), seed=0)
    "the output changes though every release is frozen: result['mean']: 0.0, then 0.5"
    """
    run = caught(run)
    transcript, output = record(run, data, seed, target=target)
    after = f" (where the first {_called(output)})" if isinstance(output, Raised) else ""
    # whether the record is in a subsample is as secret as the record: try both
    counts = (None, 0, 1) if subsample_entries(transcript) and target is not None else (None,)
    for count in counts:
        try:
            replayed, new_output = replay_with_output(run, other, transcript, count=count)
        except ControlFlowError as error:
            return f"the releases change: {error}{after}"
        if data is other and count is None:
            found = _value_difference(transcript, replayed)
            found = found or first_difference(output, new_output)
            if found is not None:
                return f"randomness or state outside the ledger: {found}"
        found = first_difference(output, new_output)
        if found is not None:
            return f"the output changes though every release is frozen: {found}"
    return None


def _value_difference(transcript: Transcript, replayed: Transcript) -> str | None:
    return _first(
        first_difference(a.value, b.value, f"value of release {index}")
        for index, (a, b) in enumerate(zip(transcript.releases, replayed.releases, strict=True))
    )


def _trials(form: Form, context: Context) -> Iterator[tuple[Data, Data, int]]:
    """Yield the same data twice, the known pair in both directions, and random neighbours."""
    rng = context.rng()
    first, second = form.pair
    yield first, first, int(rng.integers(2**31))
    for _ in range(context.effort(3)):
        yield first, second, int(rng.integers(2**31))
        yield second, first, int(rng.integers(2**31))
    if form.domain is None:
        return
    for trial in range(context.effort(8)):
        points = rng.uniform(-1, 1, (2, form.domain.parameters))
        if trial % 2:
            points = np.sign(points)  # corners of the domain
        old, new = (form.domain.decode(point) for point in points)
        variation = int(rng.integers(100))
        base = base_records(form, variation, rng)
        yield *neighbour_pair(form, base, old, new, variation), int(rng.integers(2**31))


def audit(form: Form, context: Context) -> Verdict:
    """Ask whether a neighbour changes anything but the values that are released.

    Parameters
    ----------
    form : Form
        ``Form(run, claim, pair, replaced=..., parameters={})`` suffices for any algorithm that
        releases through a ledger.
    context : Context

    Returns
    -------
    Verdict
        ``"violated"`` with the first pair and seed at which the replay differs.

    Raises
    ------
    RunRaised
        If no run makes the releases that would be compared: each raises.
    """
    replays = 0
    for data, other, seed in _trials(form, context):
        replays += 1
        found = leak(form.run, data, other, seed=seed, target=form.replaced)
        if found is not None:
            return Verdict(
                "control_flow",
                "violated",
                found,
                {"replays": replays},
                witness={
                    **describe_pair((data, other), form.replaced),
                    "seed": seed,
                    "difference": found,
                    "parameters": dict(form.parameters),
                },
            )
    releases = _releases_tried(form)
    return Verdict(
        "control_flow",
        "holds",
        f"{replays} replays make the same {counted(releases, 'release', 'releases')} and return "
        "the same result",
        {"replays": replays, "releases": releases},
    )


def _releases_tried(form: Form) -> int:
    """Return how many releases a run on D makes; raise RunRaised if a few runs all raise."""
    for seed in range(TRIED):
        transcript, output = record(caught(form.run), form.pair[0], seed, target=form.replaced)
        if not isinstance(output, Raised):
            return len(transcript.releases)
    return len(record(form.run, form.pair[0], 0, target=form.replaced)[0].releases)


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether the replay differs again."""
    data, other = restore_pair(form.pair, witness)
    return leak(form.run, data, other, seed=witness["seed"], target=form.replaced) is not None
