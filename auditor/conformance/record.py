"""Run an algorithm for a case, and run it again from what the case says."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from auditor.conformance.plain import arguments_as_plain, plain, restored
from auditor.core.setting import Algorithm, Setting
from reference.catalogue import Entry, PrintedForm
from reference.local.lasso import LassoMinimum
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.sparse_local_pca import SparseSubspace
from reference.privacy.ledger import (
    GivenDrawsLedger,
    PublicEntry,
    RecordingLedger,
    Release,
    SubsampleEntry,
    Transcript,
)
from reference.privacy.ledger import TranscriptEntry as Step

DELTA = 1e-6
"""Delta of the spend of an algorithm without a delta, unless epsilon is finite at 0."""
ESTIMATES: dict[type, str] = {
    LassoMinimum: "theta",
    PrecisionMinimum: "theta",
    SparseSubspace: "basis",
}
"""Results of which a case holds one field: the others say how near a solver came to it."""
PUBLIC = ("public", "subsample")
"""Kinds of steps that draw something without noise."""


def recorded(setting: Setting, function: Algorithm) -> dict[str, Any]:
    """Return what a run says: inputs, steps, result and what it spent."""
    given = setting.draws
    ledger = RecordingLedger(setting.seed) if given is None else GivenDrawsLedger(given)
    result = function(**setting.arguments, ledger=ledger)
    arguments, fixed = dict(setting.arguments), ledger.transcript.fixed
    if fixed and "constants" not in arguments:
        arguments["constants"] = fixed[0].constants  # of the outermost algorithm
    account = ledger.spent(delta=float(arguments.get("delta", 0.0)))
    if "delta" not in arguments and not math.isfinite(account.epsilon):
        account = ledger.spent(delta=DELTA)
    return {
        "inputs": arguments_as_plain(arguments),
        "steps": steps_of(ledger.transcript),
        "result": asked_for(setting, result),
        "spends": {
            "epsilon": plain(account.epsilon),
            "delta": plain(account.delta),
            "unit": account.unit,
            "method": account.method,
        },
    }


def printed_results(setting: Setting, entry: Entry, steps: Sequence[Any]) -> Iterator[Any]:
    """Yield what the printed forms make of the same inputs and draws, with their errata.

    A form that asks for other draws than the algorithm, or for fewer, or draws subsamples of its
    own, has no result here.
    """
    known = {erratum.name: erratum for erratum in entry.errata}
    for form in entry.printed_forms:
        found = _printed(setting, form, steps)
        if found is not None:
            severities = {name: known[name].severity for name in form.errata if name in known}
            yield {"form": form.name, "errata": severities, **found}


def _printed(setting: Setting, form: PrintedForm, steps: Sequence[Any]) -> dict[str, Any] | None:
    arguments = {key: item for key, item in setting.arguments.items() if key != "constants"}
    ledger = GivenDrawsLedger([_drawn(draw) for draw in draws_of(steps)])
    try:
        result = form.function(**arguments, ledger=ledger)
    except (ValueError, TypeError, IndexError):
        return None
    fixed = ledger.transcript.fixed
    used = len(ledger.transcript)
    if 0 < used < len(steps) or (used == 0 and any(step["kind"] in PUBLIC for step in steps)):
        return None
    constants = {"constants": plain(fixed[0].constants, typed=True)} if fixed else {}
    for found in constants.values():
        found.pop("type")
    return {**constants, "result": asked_for(setting, result)}


def asked_for(setting: Setting, result: Any) -> Any:
    """Return a result without the fields that a case leaves open."""
    said = estimate_in(result)
    if not setting.left_open:
        return said
    return {key: item for key, item in said.items() if key not in setting.left_open}


def estimate_in(result: Any) -> Any:
    """Return a result as a case holds it: one field of those in :data:`ESTIMATES`."""
    name = ESTIMATES.get(type(result))
    return plain(result if name is None else getattr(result, name))


def replayed(
    function: Algorithm, inputs: Mapping[str, Any], draws: Sequence[Any]
) -> dict[str, Any]:
    """Return the steps and the result of an algorithm on the inputs and draws of a case."""
    ledger = GivenDrawsLedger([_drawn(draw) for draw in draws])
    result = function(**restored_arguments(function, inputs), ledger=ledger)
    used = len(ledger.transcript)
    if used < len(draws):
        raise ValueError(f"{used} of {len(draws)} draws were used")
    return {"steps": steps_of(ledger.transcript), "result": estimate_in(result)}


def restored_arguments(function: Algorithm, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a case's inputs stand for."""
    arguments = {key: restored(value) for key, value in inputs.items()}
    if "constants" in arguments:
        arguments["constants"] = _constants_of(function, arguments["constants"])
    return arguments


def _constants_of(function: Algorithm, values: Mapping[str, Any]) -> Any:
    """Return the constants of an algorithm, or of one that it calls, with these fields."""
    own = vars(sys.modules[function.__module__])
    places = [own, *(vars(item) for item in own.values() if inspect.ismodule(item))]
    kinds = [place["Constants"] for place in places if "Constants" in place]
    kind = next(k for k in kinds if {item.name for item in fields(k)} == set(values))
    return kind(**values)


def draws_of(steps: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the draws of a case in the order of their use."""
    return [step["draw"] for step in steps]


def _drawn(draw: Any) -> Any:
    """Return a draw that was read: an array, or a list of arrays of several shapes."""
    try:
        return restored(draw)
    except ValueError:
        return [restored(part) for part in draw]


def steps_of(transcript: Transcript) -> list[dict[str, Any]]:
    """Return what went through a ledger, in order."""
    return [_step(entry) for entry in transcript.entries]


def _step(entry: Step) -> dict[str, Any]:
    if isinstance(entry, PublicEntry):
        return {"kind": "public", "draw": plain(entry.value)}
    if isinstance(entry, SubsampleEntry):
        return {
            "kind": "subsample",
            "population": entry.population,
            "size": entry.size,
            "replace": entry.replace,
            "draw": plain(entry.indices()),
        }
    return _release(entry)


def _release(release: Release) -> dict[str, Any]:
    mechanism, claim = release.mechanism, release.claim
    step: dict[str, Any] = {"kind": mechanism.kind}
    step |= {item.name: plain(getattr(mechanism, item.name)) for item in fields(mechanism)}  # type: ignore[arg-type]
    step["sensitivity"] = plain(claim.sensitivity)
    if claim.unit != "dataset":
        step["unit"] = claim.unit
    if isinstance(claim.records, slice):
        step["records"] = {"from": claim.records.start or 0, "to": claim.records.stop}
        if claim.records.step not in (None, 1):
            step["records"]["step"] = claim.records.step
    elif claim.records is not None:
        step["records"] = plain(claim.records)
    if claim.sample is not None:
        step["sample"] = claim.sample.position
    step["value"] = plain(release.value)
    step["draw"] = plain(list(release.draw) if isinstance(release.draw, tuple) else release.draw)
    step["output"] = plain(release.output)
    return step
