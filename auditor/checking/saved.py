"""The witness of a check as a file: what was checked, and what it takes to show it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.checking.asked import stated_claim
from auditor.checking.releases import reproduce
from auditor.checking.request import (
    Request,
    carry_out_safely,
    load_claim,
    load_mechanism,
    load_pairs,
)
from auditor.checking.rerun import rerun
from auditor.checking.result import CheckResult
from auditor.core.errors import InputError, one_line
from auditor.core.verdict import Verdict, jsonable
from auditor.runs.clock import Clock, Progress
from auditor.runs.processes import FORGED, Alive, Child
from auditor.runs.target import Named
from auditor.runs.wire import require

FORMAT = "touchstone-witness/1"


@dataclass(frozen=True)
class Again:
    """A violation that was run again.

    Attributes
    ----------
    what : str
        Where it was seen.
    shown : bool
        Whether it shows again.
    detail : str
        What was seen this time, or at first.
    """

    what: str
    shown: bool
    detail: str


def describe_witness(request: Request, result: CheckResult) -> dict[str, Any]:
    """Return the JSON object of a witness file.

    Raises
    ------
    InputError
        If the check found no violation that can be shown again.
    """
    questions = [verdict.to_json() for verdict in result.questions if verdict.status == "violated"]
    if result.witness is None and not questions:
        raise InputError(f"{request.name} has no witness to save: {result.summary}")
    return {
        "format": FORMAT,
        "request": jsonable(asdict(request), digits=17),
        "summary": result.summary,
        "witness": jsonable(result.witness, digits=17),
        "questions": questions,
    }


def show_again(saved: Mapping[str, Any], *, timeout: float, debug: bool = False) -> list[Again]:
    """Run everything in a witness file again, in a process of its own.

    Parameters
    ----------
    saved : mapping
        As of :func:`describe_witness`, read back from JSON.
    timeout : float
        Seconds that it may take.
    debug : bool

    Raises
    ------
    InputError
        If the mechanism or the data sets are not there any more, or the mechanism fails.
    """
    request = Request(**saved["request"])
    sent = carry_out_safely(
        request, work=partial(_show_again, saved=saved), limit=timeout, debug=debug
    )
    try:
        require(type(sent) is list and all(type(again) is tuple for again in sent))
        for what, shown, detail in sent:
            require(type(what) is type(detail) is str and type(shown) is bool)
    except ValueError:
        raise InputError(f"what the process that ran {request.name} says is malformed") from None
    return [Again(*again) for again in sent]


def _show_again(
    request: Request, progress: Progress, *, saved: Mapping[str, Any]
) -> list[tuple[str, bool, str]]:
    del progress  # only checks tell how far they are
    mechanism, kind = load_mechanism(request)
    options, witness = request.options, saved["witness"]
    shown = []
    if witness is not None:
        again = rerun(
            mechanism,
            witness,
            pair=None if _whole(witness) else _pair(request),
            claim=load_claim(request).get("claim"),
            kind=kind,
            batched=options["batched"],
            workers=options["workers"],
            call_timeout=options["call_timeout"],
        )
        (k, n), (m, size) = again.first, again.second
        detail = f"{again.event}: {k} of {n} fresh runs, {m} of {size} on {again.direction}"
        shown.append(("outputs", again.shown, f"{detail}, p = {again.p_value:.2g}"))
    for stored in saved["questions"]:
        verdict = Verdict.from_json(stored)
        _, claim = stated_claim(
            options["epsilon"], options["delta"], load_claim(request).get("claim")
        )
        pair = _stored_pair(verdict) if request.domain is not None else _pair(request)
        again_shown = _reproduced(mechanism, pair, claim, verdict)
        shown.append((verdict.question, again_shown, verdict.summary))
    return shown


def _reproduced(mechanism: Named, *asked: Any) -> bool:
    """Return whether a violation shows again, in a process of the mechanism's own."""
    child = Child(one_thread=False)
    try:
        shown = child.call(mechanism, _reproduced_there, None, Clock(), *asked)
    finally:
        child.close()
    if type(shown) is not bool:
        raise InputError(FORGED)
    return shown


def _reproduced_there(mechanism: Any, alive: Alive, *asked: Any) -> bool:
    alive(None)
    return reproduce(mechanism, *asked)


def _whole(witness: Mapping[str, Any]) -> bool:
    """Return whether both data sets are in the witness itself."""
    sides = (witness["D"], witness["D'"])
    return not any(isinstance(side, Mapping) and "text" in side for side in sides)


def _pair(request: Request) -> Any:
    found = load_pairs(request).get("pair")
    if not isinstance(found, tuple):
        raise InputError("the witness does not hold its data sets; check with --pair to keep them")
    return found


def _stored_pair(verdict: Verdict) -> tuple[Any, Any]:
    """Return the pair that a search found, from the witness of a question about releases."""
    witness = verdict.witness or {}
    described = witness.get("pair", witness)
    try:
        return np.asarray(described["D"]), np.asarray(described["D'"])
    except (KeyError, ValueError) as error:
        raise InputError(
            f"the witness of {verdict.question} does not hold its data sets whole "
            f"({one_line(error)}); check the worst pair with --pair"
        ) from None
