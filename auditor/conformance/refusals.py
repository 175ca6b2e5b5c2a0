"""Vectors of refusals: arguments that must be refused before anything is released, and which."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from auditor.conformance.algorithms import instances
from auditor.conformance.instance import Instance
from auditor.conformance.kinds import Case, Kind, as_read, identifier
from auditor.conformance.plain import PARTS, arguments_as_plain
from auditor.conformance.record import restored_arguments
from auditor.conformance.twins import private_input
from reference.catalogue import entry
from reference.privacy.ledger import RecordingLedger

NAN, INFINITY = "NaN", "Infinity"
BAD: dict[str, tuple[Any, ...]] = {
    "epsilon": (0.0, -1.0, NAN, INFINITY),
    "delta": (0.0, 1.0, NAN),
    "n_iterations": (0, -1),
    "n_epochs": (0,),
    "n_inner": (0,),
    "step_size": (0.0, NAN),
    "sparsity": (0,),
    "failure_probability": (0.0, 1.0),
    "initial": ([], [NAN]),
    "clipping_threshold": (0.0,),
    "second_moment": (-1.0,),
    "truncation_level": (0.0,),
    "penalty": (-1.0, NAN),
    "bound": (0.0, INFINITY),
    "batch_size": (0,),
    "accuracy": (0.0,),
    "n_components": (0,),
}
"""Values that a parameter must not have."""


def names() -> tuple[str, ...]:
    """Return the algorithms."""
    return tuple(instances())


def cases(of: str) -> Iterator[Case]:
    """Yield the first instance of an algorithm with one argument after the other spoilt."""
    instance: Instance = instances()[of]()[0]
    inputs = as_read(arguments_as_plain(instance.arguments))
    for name, value in _spoilt(inputs):
        spoilt = {**inputs, name: value}
        found = refusal(of, spoilt)
        if found != {"refused": name}:
            raise ValueError(f"{of} with {name} = {value!r} gives {found}")
        yield {
            "id": identifier("refusals", of, _named(name, value, inputs), 1),
            "kind": "refusals",
            "of": of,
            "about": "It must be refused before anything is released, naming the argument.",
            "tolerance": {"relative": 0.0, "because": "a name is right or wrong"},
            "inputs": spoilt,
            "result": found,
            "catches": [{"twin": f"{name} is not looked at", "flag": "bound"}],
        }


def _spoilt(inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield an argument and a value that it must not have."""
    for name, values in BAD.items():
        if name in inputs:
            yield from ((name, value) for value in values)
    private = private_input(inputs)
    yield private, []
    holed = copy.deepcopy(inputs[private])
    place = holed["features"] if isinstance(holed, dict) else holed
    while isinstance(place[0], list):
        place = place[0]
    # where covariates may be missing, the response may not
    place[-1 if NAN in str(inputs[private]) else 0] = NAN
    yield private, holed


def _named(name: str, value: Any, inputs: Mapping[str, Any]) -> str:
    if name == private_input(inputs):
        return f"{name}-is-empty" if value == [] else f"{name}-has-NaN"
    return f"{name}={str(value).replace(' ', '')}"


def refusal(of: str, inputs: Mapping[str, Any]) -> dict[str, str]:
    """Return which argument the reference refuses; empty if it runs, or releases before."""
    function = entry(of).function
    ledger = RecordingLedger(0)
    try:
        function(**restored_arguments(function, inputs), ledger=ledger)
    except (ValueError, TypeError) as error:
        if len(ledger.transcript):
            return {}
        return {"refused": _at_fault(str(error), inputs)}
    return {}


def _at_fault(message: str, inputs: Mapping[str, Any]) -> str:
    """Return the argument that a message names first."""
    # what data of two parts lack is said of the part
    parts = dict.fromkeys(PARTS, private_input(inputs))
    known = {**{name: name for name in inputs}, **parts}
    words = re.findall(r"[A-Za-z_]+", message)
    return next((known[word] for word in words if word in known), "")


def answer(case: Case) -> Mapping[str, Any]:
    """Return what the reference refuses."""
    return {"result": refusal(case["of"], case["inputs"])}


KIND = Kind(
    "refusals",
    "arguments that must be refused before anything is released, and the one at fault",
    names,
    cases,
    answer,
)
