"""Vectors of constants: what theory fixes for a run, over a grid of parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from auditor.conformance.compare import difference
from auditor.conformance.kinds import Case, Kind, as_read, identifier, sources
from auditor.conformance.misreadings import first_noticed
from auditor.conformance.plain import plain, restored
from auditor.core.setting import Setting
from auditor.described import modules, settings
from reference.catalogue import entry
from reference.parameters import PARAMETERS
from reference.privacy.ledger import RecordingLedger

RELATIVE = 1e-6
"""The accountants search for the smallest noise to about 1e-9; others may stop earlier."""
BECAUSE = "noise is found by a search that may stop earlier or later"

USUAL = "usual"
"""Name of the case with what an algorithm asks for in a run of its own."""

METHODS = ("paper", "accountant", "gaussian-dp", "zcdp")
"""Ways to compute constants that are tried where they are known; "pld" takes many seconds."""


class ConstantsCall(NamedTuple):
    """The call by which an algorithm gets its constants in one run."""

    setting: Setting
    function: Any
    arguments: dict[str, Any]


@cache
def _usual(of: str) -> ConstantsCall | None:
    """Return what :func:`_asked` does, once for all."""
    return _asked(of)


def _asked(of: str) -> ConstantsCall | None:
    """Return the call by which an algorithm gets its constants in the first run that has one."""
    for setting in settings(of):
        if "constants" in setting.arguments:
            continue
        ledger = RecordingLedger(setting.seed)
        entry(of).function(**setting.arguments, ledger=ledger)
        for fixed in ledger.transcript.fixed:
            if fixed.function is not None:
                return ConstantsCall(setting, fixed.function, dict(fixed.arguments))
    return None


def names() -> tuple[str, ...]:
    """Return the algorithms that have constants."""
    return tuple(of for of in modules() if _usual(of) is not None)


def cases(of: str) -> Iterator[Case]:
    """Yield the constants of an algorithm at the parameters of a run and around it."""
    found = _usual(of)
    assert found is not None
    setting, function, usual = found
    grid: dict[str, dict[str, Any]] = {USUAL: {}}
    varied = {p.name: p.worth_trying for p in PARAMETERS.values() if p.name in usual}
    if "method" in inspect.signature(function).parameters:
        varied["method"] = METHODS
    for name, values in varied.items():
        grid |= {f"{name}={_short(value)}": {name: value} for value in values}
    for name, changed in grid.items():
        arguments = {**usual, **changed}
        try:
            result = function(**arguments)
        except ValueError:  # not a legal combination
            continue
        case = as_read(
            {
                "id": identifier("constants", of, name, 1),
                "kind": "constants",
                "of": of,
                "source": sources(of),
                "about": "What the algorithm's theory fixes at these parameters.",
                "tolerance": {"relative": RELATIVE, "because": BECAUSE},
                "inputs": plain(arguments, typed=True),
                "result": plain(result),
            }
        )
        case["catches"] = first_noticed(case, lambda inputs: _result(function, inputs))
        printed = list(_printed(case, setting, changed))
        yield {**case, **({"as_printed": as_read({"all": printed})["all"]} if printed else {})}


def _printed(case: Case, setting: Setting, changed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield those constants of printed forms that differ from the right ones, with the errata.

    ``changed`` is what distinguishes the case from the run. A form is run for its constants, so
    that a parameter that is not the algorithm's own, such as n, cannot be changed.
    """
    algorithm = entry(case["of"])
    own = inspect.signature(algorithm.function).parameters
    if not changed.keys() <= own.keys():
        return
    known = {erratum.name: erratum.severity for erratum in algorithm.errata}
    for form in algorithm.printed_forms:
        ledger = RecordingLedger(setting.seed)
        with suppress(ValueError, TypeError, IndexError):  # another form of call, or of the ledger
            form.function(**{**setting.arguments, **changed}, ledger=ledger)
        for fixed in ledger.transcript.fixed[:1]:
            wrong = {
                key: value
                for key, value in plain(fixed.constants).items()
                if key not in case["result"]
                or difference(case["result"][key], value, tolerance=RELATIVE) is not None
            }
            if wrong:
                errata = {name: known[name] for name in form.errata if name in known}
                yield {"form": form.name, "errata": errata, "result": wrong}


def _result(function: Any, inputs: Mapping[str, Any]) -> Any:
    return plain(function(**{key: restored(value) for key, value in inputs.items()}))


def _short(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def answer(case: Case) -> Mapping[str, Any]:
    """Return the constants that the reference computes.

    Of the usual case only if the algorithm still asks for them with these arguments: a run that is
    given its constants cannot tell.
    """
    usual = case["id"].split("/")[2] == USUAL
    found = (_asked if usual else _usual)(case["of"])
    assert found is not None
    if usual:
        inputs = plain(found.arguments, typed=True)
        gap = difference(case["inputs"], inputs, tolerance=RELATIVE, where="inputs")
        if gap is not None or set(inputs) != set(case["inputs"]):
            return {"result": {"asked": inputs}}
    return {"result": _result(found.function, case["inputs"])}


KIND = Kind(
    "constants",
    "what theory fixes for a run (noise, sensitivity, steps, batches), from its parameters",
    names,
    cases,
    answer,
)
