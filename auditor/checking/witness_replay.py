"""Replay of a witness file in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from auditor.checking.check_options import DataPair, stated_claim
from auditor.checking.loading import load_claim, load_mechanism, load_pairs
from auditor.checking.releases import reproduce
from auditor.checking.request import Request, may_be_real
from auditor.checking.rerun import rerun
from auditor.core.context import LedgerKind
from auditor.core.errors import InputError, one_line
from auditor.core.verdict import Verdict
from auditor.core.witness import decode_pair
from auditor.runs.clock import Clock
from auditor.runs.processes import FORGED, Alive, Child
from auditor.runs.target import Named

MISFITS = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""Exceptions that malformed parts of a witness raise."""


def run_again(request: Request, saved: Mapping[str, Any]) -> list[tuple[str, bool, str]]:
    """Return what each violation is, whether it shows again, and what was seen.

    Parameters
    ----------
    request : Request
        Of the check that found them.
    saved : mapping
        The witness file.

    Raises
    ------
    InputError
        If the mechanism or the data sets are not there any more, or the witness does not fit them.
    """
    try:
        return _run_again(request, saved)
    except InputError:
        raise
    except MISFITS as error:
        said = one_line(error, quoted=_quoted(request))
        raise InputError(
            f"the witness does not fit {request.name} ({said}); check it again"
        ) from error


def _quoted(request: Request) -> bool:
    return not may_be_real(request.domain)


def _run_again(request: Request, saved: Mapping[str, Any]) -> list[tuple[str, bool, str]]:
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
            ledger=options.get("ledger", "numpy"),
            batched=options["batched"],
            workers=options["workers"],
            call_timeout=options["call_timeout"],
            quoted=_quoted(request),
        )
        (k, n), (m, size) = again.first, again.second
        likely, unlikely = again.direction.split(" against ")
        counts = f"{k} of {n} fresh runs on {likely}, {m} of {size} on {unlikely}"
        detail = f"{again.event}: {counts}"
        shown.append(("outputs", again.shown, f"{detail}, p = {again.p_value:.2g}"))
    questions = [Verdict.from_json(stored) for stored in saved["questions"]]
    if questions:
        _, claim = stated_claim(
            options["epsilon"], options["delta"], load_claim(request).get("claim")
        )
        pairs = [_pair_of(verdict, request, witness) for verdict in questions]
        ledger = options.get("ledger", "numpy")
        found = _reproduced(mechanism, pairs, claim, questions, ledger)
        for verdict, again_shown in zip(questions, found, strict=True):
            shown.append((verdict.question, again_shown, verdict.summary))
    return shown


def _reproduced(
    mechanism: Named,
    pairs: Sequence[DataPair],
    claim: Any,
    questions: Sequence[Verdict],
    ledger: LedgerKind,
) -> list[bool]:
    """Return which violations show again, in a process of the mechanism's own."""
    child = Child(one_thread=False)
    try:
        shown = [
            child.call(mechanism, _reproduced_there, None, Clock(), ledger, pair, claim, verdict)
            for pair, verdict in zip(pairs, questions, strict=True)
        ]
    finally:
        child.close()
    if not all(type(one) is bool for one in shown):
        raise InputError(FORGED)
    return shown


def _reproduced_there(mechanism: Any, alive: Alive, ledger: LedgerKind, *asked: Any) -> bool:
    alive(None)
    try:
        return reproduce(mechanism, *asked, ledger=ledger)
    except InputError:
        raise
    except MISFITS as error:
        kind = type(error).__name__  # without its text, which may quote records
        raise InputError(f"the witness of a release does not fit the mechanism ({kind})") from error


def _whole(witness: Mapping[str, Any]) -> bool:
    """Return whether both data sets are in the witness itself."""
    sides = (witness["D"], witness["D'"])
    return not any(isinstance(side, Mapping) and "text" in side for side in sides)


def _pair(request: Request) -> Any:
    found = load_pairs(request).get("pair")
    if not isinstance(found, tuple):
        raise InputError("the witness does not hold its data sets; check with --pair to keep them")
    return found


def _pair_of(verdict: Verdict, request: Request, witness: Mapping[str, Any] | None) -> DataPair:
    """Return the data sets that a verdict on releases is about."""
    if request.domain is None:
        first, second = _pair(request)
        return first, second
    # a question may have found a worse record than the search, which its own witness has
    return decode_pair(witness) if witness and _whole(witness) else _stored_pair(verdict)


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
