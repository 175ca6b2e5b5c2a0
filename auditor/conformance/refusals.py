"""Vectors of refusals: arguments that must be refused before anything is released, and which."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from auditor.conformance.kinds import Case, Kind, as_read, identifier, sources
from auditor.conformance.plain import PARTS, arguments_as_plain, plain
from auditor.conformance.record import restored_arguments
from auditor.conformance.twins import private_input
from auditor.core.setting import Setting
from auditor.described import modules, settings
from reference.catalogue import entry
from reference.parameters import PARAMETERS, ParameterError
from reference.privacy.ledger import RecordingLedger

NAN = "NaN"
BAD_STARTS: tuple[Any, ...] = ([], [NAN])
"""Starting points that no algorithm takes."""


def names() -> tuple[str, ...]:
    """Return the algorithms."""
    return tuple(modules())


def cases(of: str) -> Iterator[Case]:
    """Yield the first setting of an algorithm with one argument after the other spoilt."""
    setting: Setting = settings(of)[0]
    inputs = as_read(arguments_as_plain(setting.arguments))
    for name, value in _spoilt(inputs):
        spoilt = {**inputs, name: value}
        found = refusal(of, spoilt)
        if found != {"refused": name}:
            raise ValueError(f"{of} with {name} = {value!r} gives {found}")
        yield {
            "id": identifier("refusals", of, _named(name, value, inputs), 1),
            "kind": "refusals",
            "of": of,
            "source": sources(of),
            "about": "It must be refused before anything is released, naming the argument.",
            "tolerance": {"relative": 0.0, "because": "a name is right or wrong"},
            "inputs": spoilt,
            "result": found,
            "catches": [{"twin": f"{name} is not looked at", "flag": "bound"}],
        }


def _spoilt(inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield an argument and a value that it must not have."""
    for name in inputs:
        bad = BAD_STARTS if name == "initial" else ()
        if name in PARAMETERS:
            bad = tuple(map(plain, PARAMETERS[name].illegal()))
        yield from ((name, value) for value in bad)
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
    except ParameterError as error:
        if len(ledger.transcript):
            return {}
        # what data of two parts lack is said of the part
        return {"refused": private_input(inputs) if error.name in PARTS else error.name}
    return {}


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
