"""Time limits: audit releases until the deadline, and report if it runs out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from auditor.checking.check_options import CheckOptions, DataPair
from auditor.checking.culprits import blame
from auditor.checking.releases import QUESTIONS, audit_releases, too_late
from auditor.checking.result import CheckResult, received_verdict
from auditor.checking.source import OutputSource
from auditor.checking.summary import Said
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.neighbours import Domain
from auditor.core.verdict import Verdict
from auditor.runs.clock import Clock, OutOfTime
from auditor.runs.processes import FORGED, Alive, Child, Died, Hung
from auditor.runs.runner import MechanismFunction
from auditor.runs.wire import Malformed, require
from auditor.statistics.claims import TradeOffFunction
from reference.privacy.guarantees import Guarantee

RELEASES_SHARE = 0.5
"""Share of the time left that the audit release by release may take, if the time is limited."""


def audit_in_time(
    source: OutputSource,
    pair: DataPair,
    claim: Guarantee | TradeOffFunction,
    context: Context,
    domain: Domain | None,
    clock: Clock,
) -> tuple[Verdict, ...]:
    """Audit release by release, in a process that can be stopped if there is a time limit."""
    assert callable(source.mechanism)
    clock.begin("auditing releases", 0, 0)
    audit = partial(audit_releases, pair=pair, claim=claim, context=context, domain=domain)
    if not (clock.limited or source.call_timeout is not None or source.named):
        return audit(source.mechanism)
    seconds, hard = RELEASES_SHARE * clock.left, clock.part(1.2 * RELEASES_SHARE)
    # of its own, because it is given both data sets
    child = Child(one_thread=False)
    try:
        said = child.call(source.mechanism, _asked_there, source.call_timeout, hard, audit, seconds)
        require(type(said) is list)
        verdicts = tuple(map(received_verdict, said))
        require(tuple(verdict.question for verdict in verdicts) == QUESTIONS)
    except Malformed:
        raise InputError(FORGED) from None
    except OutOfTime:
        return tuple(map(too_late, QUESTIONS))
    except Hung:
        raise InputError(
            f"the mechanism hangs (no run within {source.call_timeout:g} s) while its releases are "
            "audited; make it return on every data set, or give a larger call_timeout"
        ) from None
    except Died as death:
        raise InputError(
            f"the mechanism ended its process ({death.how}) while its releases were audited; make "
            "it return an output, or raise an exception, which counts as one"
        ) from None
    finally:
        child.close()
    return verdicts


def _asked_there(
    mechanism: MechanismFunction,
    alive: Alive,
    audit: Callable[..., tuple[Verdict, ...]],
    seconds: float,
) -> list[dict[str, Any]]:
    """Return the answers of ``audit``, asked in a child process, as plain data."""
    clock = Clock(seconds if math.isfinite(seconds) else None)
    runs = 0

    def before_run() -> None:
        nonlocal runs
        clock.require()
        alive(runs)
        runs += 1

    return [verdict.to_json() for verdict in audit(mechanism, before_run=before_run)]


@dataclass(frozen=True)
class Unseen:
    """The answer of a check whose time was up before any event was found."""

    asked: CheckOptions
    findings: tuple[Mapping[str, Any], ...]
    clock: Clock

    def result(
        self, pair: DataPair | None, *, pairs: int = 1, questions: tuple[Verdict, ...] = ()
    ) -> CheckResult:
        """Return the result of a check, with what was said of the releases."""
        result = self.asked.unseen(pairs=pairs, findings=self.findings, questions=questions)
        blamed = blame(questions)
        if blamed is None:
            return replace(result, **late(result, self.clock)._asdict())
        headline = f"{result.claim} is refuted"
        return replace(result, status="violated", headline=headline, facts={"blame": blamed})


def late(result: CheckResult, clock: Clock) -> Said:
    """Return what a check says whose time was up before anything was settled."""
    seen = (
        f"after {result.samples} of {result.budget} runs on each data set, which do not "
        f"contradict {result.claim}"
        if result.samples
        else "before the outputs could be compared"
    )
    remedy = "give a larger timeout, or a faster mechanism (batched=True, workers)"
    return Said(f"the timeout of {clock.seconds:g} s was over {seen}", {"to settle": remedy})
