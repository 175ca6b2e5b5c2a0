"""The headline and the facts that a check ends in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from auditor.checking.culprits import blame, unsettled
from auditor.checking.declared_noise import on_claim
from auditor.checking.evidence import NOTICED, TELLING, Evidence
from auditor.checking.promises import EXCESSES, SURELY, TOLD_EVENTS
from auditor.checking.result import CheckResult
from auditor.statistics.claims import TradeOff

FAR = 0.1
"""Share of a claim, at most, of which it is remarked that no more is used by what was seen."""
QUADRATIC = ("rho", "divergence")
"""Levels that are divergences of all outputs together, and fall with the square of the noise."""
ENOUGH = "enough to refute it; `measure` uses all to say how large epsilon is"


class Said(NamedTuple):
    """The headline of a check, and the facts behind it by what they are about."""

    headline: str
    facts: dict[str, str]


def summarise(
    result: CheckResult,
    *,
    refuted: bool,
    early: bool,
    counted: bool,
    unshown: str | None,
    enough: int,
    at_most: float = math.inf,
) -> Said:
    """Return what a check says.

    Parameters
    ----------
    result : CheckResult
    refuted : bool
        Whether the outputs refute the claim.
    early : bool
        Whether the check stopped before its budget was spent, being sure.
    counted : bool
        Whether a leak through low-order bits does.
    unshown : str or None
        Why no run could have shown a violation, if none could.
    enough : int
        Runs that would notice something, where there were too few; else 0.
    at_most : float
        What the event shows of the claim's level at most.
    """
    seen = {"event": _counts(result), "certified": result.bounds()}
    used = f"{result.samples} of {result.budget} runs on each data set"
    blamed = blame(result.questions)
    on_paper = any(on_claim(verdict) == "violated" for verdict in result.questions)
    if refuted:
        by = f" ({result.excess()})" if result.excess() else ""
        also = {"exception": _one_sided(result), "diagnosis": _diagnosis(result), "blame": blamed}
        runs = f"{used}, {ENOUGH}" if early else used
        facts = {**seen, "runs": runs, **{name: words for name, words in also.items() if words}}
        return Said(f"{result.claim} is refuted{by}", facts)
    if on_paper:
        return Said(f"{result.claim} is refuted", {"blame": str(blamed)})
    if counted:
        return Said(f"{result.claim} is refuted", {"bits": result.findings[-1]["statement"]})
    if unshown is not None:
        return Said(f"nothing can be said of {result.claim}", {"reason": unshown})
    if enough:
        remedy = f"samples={enough} or more" if result.budget < enough else "more time"
        return Said(
            f"{result.samples} runs on each data set are too few to say that {result.claim} holds",
            {
                "reason": "they may miss twice the claim, and an output impossible on the other "
                f"data set in {TELLING:.0%} of the runs",
                "to settle": f"give {remedy}",
            },
        )
    untested = unsettled(result.questions)
    if untested is not None:
        return Said(
            f"the outputs do not contradict {result.claim}, but not all was settled",
            {"to settle": untested, **seen},
        )
    tried = f"{result.pairs} pairs tried" if result.pairs > 1 else "one pair tried"
    return Said(
        f"nothing contradicts {result.claim}",
        {**seen, "runs": f"{tried}, {used}", **_promises(result), **_unused(result, at_most)},
    )


def _unused(result: CheckResult, at_most: float) -> dict[str, str]:
    """Return a remark if the event shows a small part of the claim: the noise may be too large."""
    # a tenth of the noise's share is a hundredth of a divergence's
    far = FAR**2 if result.symbol in QUADRATIC else FAR
    if not 0 < at_most <= far * result.claimed:
        return {}
    return {
        "unused": (
            f"at most 1/{int(result.claimed / at_most)} of the claim is used by what was seen "
            f"({result.symbol} <= {at_most:.2g} in this event): if the noise is far too large, "
            "`auditor.check_scaling` shows how the error falls"
        )
    }


def _counts(result: CheckResult) -> str:
    """Return how often the event was seen."""
    (k, n), (m, size) = result.first, result.second
    likely, unlikely = result.direction.split(" against ")
    counts = f"{result.event}: {k} of {n} runs on {likely}, {m} of {size} on {unlikely}"
    return counts + _fresh(result, likely, unlikely)


def _promises(result: CheckResult) -> dict[str, str]:
    """Return what would have been noticed."""
    return {
        "noticed": _excess(result),
        "rare": (
            "an event that is looked for (docs/how-to/events.md) and impossible on the other data "
            f"set would be noticed with probability {NOTICED:g} if its own were {result.rarest:.2g}"
        ),
    }


def _excess(result: CheckResult) -> str:
    """Return by how much a mechanism must be over its claim to be noticed."""
    if result.noticeable == math.inf:
        return f"a mechanism like it, {max(EXCESSES):.0%} over the claim, might go unnoticed"
    told = "a test that errs in" if result.symbol == TradeOff.symbol else "an event of"
    where = "" if result.symbol in QUADRATIC else f" in {told} {TOLD_EVENTS:.0%} of the runs"
    return (
        f"a mechanism like it (the same privacy losses, multiplied), {100 * result.noticeable:g}% "
        f"over the claim{where}, would be noticed with probability {SURELY:g}"
    )


def describe_confirmation(evidence: Evidence) -> Mapping[str, Any] | None:
    """Return what fresh runs said of the event, as plain data; None if they were not asked."""
    found, told = evidence.confirmation, ("first", "second", "p_value", "confirmed")
    return None if found is None else {name: getattr(found, name) for name in told}


def _fresh(result: CheckResult, likely: str, unlikely: str) -> str:
    """Return what fresh runs said of the event, if they were asked."""
    found = result.confirmation
    if found is None:
        return ""
    (k, n), (m, size) = found["first"], found["second"]
    what = "confirmed" if found["confirmed"] else "not confirmed"
    return f", {what} in fresh runs: {k} of {n} on {likely}, {m} of {size} on {unlikely}"


def _diagnosis(result: CheckResult) -> str:
    """Return in words what structure of the outputs breaks the claim, if any does."""
    found = [str(one["diagnosis"]) for one in result.findings if one["kind"] == "structure"]
    return " and ".join(found)


def _one_sided(result: CheckResult) -> str | None:
    """Return the exception that only one data set raises, if the event does not name it."""
    for finding in result.findings:
        if finding["kind"] == "raised" and min(finding["counts"]) == 0:
            named = finding["name"] in result.event
            statement: str = finding["statement"]
            return None if named else statement.split(";")[0]
    return None
