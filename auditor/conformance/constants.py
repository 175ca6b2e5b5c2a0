"""Vectors of constants: what theory fixes for a run, over a grid of parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from auditor.conformance.compare import difference
from auditor.conformance.kinds import Case, Kind, as_read, identifier, sources
from auditor.conformance.misreadings import first_noticed
from auditor.conformance.plain import plain, restored
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


@cache
def _usual(of: str) -> tuple[Any, dict[str, Any]] | None:
    """Return what :func:`_asked` does, once for all."""
    return _asked(of)


def _asked(of: str) -> tuple[Any, dict[str, Any]] | None:
    """Return the function that gives an algorithm its constants, and its arguments in one run."""
    for setting in settings(of):
        if "constants" in setting.arguments:
            continue
        ledger = RecordingLedger(setting.seed)
        entry(of).function(**setting.arguments, ledger=ledger)
        for fixed in ledger.transcript.fixed:
            if fixed.function is not None:
                return fixed.function, dict(fixed.arguments)
    return None


def names() -> tuple[str, ...]:
    """Return the algorithms that have constants."""
    return tuple(of for of in modules() if _usual(of) is not None)


def cases(of: str) -> Iterator[Case]:
    """Yield the constants of an algorithm at the parameters of a run and around it."""
    found = _usual(of)
    assert found is not None
    function, usual = found
    grid = {USUAL: usual}
    varied = {p.name: p.worth_trying for p in PARAMETERS.values() if p.name in usual}
    if "method" in inspect.signature(function).parameters:
        varied["method"] = METHODS
    for name, values in varied.items():
        grid |= {f"{name}={_short(value)}": {**usual, name: value} for value in values}
    for name, arguments in grid.items():
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
        yield {**case, "catches": first_noticed(case, lambda inputs: _result(function, inputs))}


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
    function, asked = found
    if usual:
        inputs = plain(asked, typed=True)
        gap = difference(case["inputs"], inputs, tolerance=RELATIVE, where="inputs")
        if gap is not None or set(inputs) != set(case["inputs"]):
            return {"result": {"asked": inputs}}
    return {"result": _result(function, case["inputs"])}


KIND = Kind(
    "constants",
    "what theory fixes for a run (noise, sensitivity, steps, batches), from its parameters",
    names,
    cases,
    answer,
)
