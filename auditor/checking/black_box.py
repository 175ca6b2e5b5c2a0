"""Answer of a check from a mechanism's outputs alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auditor.checking.check_options import CheckOptions, DataPair
from auditor.checking.declared_noise import on_claim
from auditor.checking.diagnoses import diagnoses
from auditor.checking.evidence import TELLING, Evidence, enough_runs
from auditor.checking.examination import examine, examine_twice
from auditor.checking.result import CheckResult
from auditor.checking.summary import describe_confirmation, summarise
from auditor.checking.time_limits import late
from auditor.core.pair_names import DIRECTIONS, SIDES
from auditor.core.verdict import CheckStatus, Verdict
from auditor.core.witness import encode_pair
from auditor.events import floating_point as low_bits
from auditor.events.as_data import event_as_data
from auditor.events.outcomes import Encoding
from auditor.events.thresholds import certified_from
from auditor.runs.blocks import Outputs
from auditor.runs.clock import Clock
from auditor.runs.sampling import Sampler
from auditor.runs.values import same
from auditor.statistics.claims import Claim, encode_claim
from reference._validation import FloatArray

MOST_FAILED = 0.9
"""Share of the runs on both data sets from which on, if they raise, hardly anything was tried."""
MOST_SHUT = 0.1
"""Share of outputs that may be unreadable; beyond it, what they leak may go unseen."""
LOW_BITS_COLUMNS = 8
"""Number of an output's first coordinates whose low-order bits are looked at."""


@dataclass(frozen=True)
class BlackBoxCheck:
    """The part of a check that rests on the outputs alone."""

    asked: CheckOptions
    evidence: Evidence
    leak: Mapping[str, Any] | None
    structure: tuple[Mapping[str, Any], ...]
    findings: tuple[Mapping[str, Any], ...]
    alpha: float
    budget: int
    clock: Clock

    def result(
        self, pair: DataPair | None, *, pairs: int = 1, questions: tuple[Verdict, ...] = ()
    ) -> CheckResult:
        """Return the result of a check, with what was said of the releases."""
        claim, evidence = self.asked.claim, self.evidence
        p_value = evidence.p_value(claim)
        refuted = p_value <= self.alpha
        counted = self.leak is not None and self.asked.floating_point == "count"
        answers = {on_claim(verdict) for verdict in questions}
        noticeable, power = evidence.noticeable(claim)
        rarest = evidence.rarest(claim)
        blind = noticeable > 1 and rarest > TELLING  # twice the claim might go unnoticed, too
        unshown = _unshown(evidence, self.findings)
        if any(finding["kind"] == "repeats" for finding in self.findings):
            refuted = counted = False  # no figure can be relied on, whatever it says
        status: CheckStatus = "holds"
        if refuted or counted or "violated" in answers:
            status = "violated"
        elif unshown or blind or evidence.late or "inconclusive" in answers:
            status = "inconclusive"
        leaks = () if self.leak is None else (self.leak,)
        unseen = self.asked.unseen(
            pairs=pairs, findings=(*self.findings, *self.structure, *leaks), questions=questions
        )
        result = replace(
            unseen,
            status=status,
            epsilon_lower=evidence.epsilon(self.asked.delta),
            level_lower=evidence.certified_level(claim),
            p_value=p_value,
            samples=evidence.samples,
            looks=len(evidence.bets.rounds) + 1,
            event=evidence.event.describe(),
            direction=DIRECTIONS[evidence.event.side],
            first=evidence.first,
            second=evidence.second,
            power=power,
            rarest=rarest,
            noticeable=noticeable,
            claimed=claim.level,
            confirmation=describe_confirmation(evidence),
        )
        enough = enough_runs(claim, evidence.final_alpha) if blind else 0
        said = summarise(
            result,
            refuted=refuted,
            early=evidence.samples < self.budget and not evidence.late and not evidence.hurried,
            counted=counted,
            unshown=unshown,
            enough=enough,
            at_most=evidence.at_most(claim),
        )
        if evidence.late and status == "inconclusive":
            said = late(result, self.clock)
        return replace(
            result,
            headline=said.headline,
            facts={**said.facts, **self._hurry()},
            witness=self._witness(result, pair) if refuted else None,
        )

    def _hurry(self) -> dict[str, str]:
        """Return how the time limit has shortened the check, if it has."""
        if not self.evidence.hurried:
            return {}
        return {"time": f"the timeout of {self.clock.seconds:g} s allowed no more runs"}

    def _witness(self, result: CheckResult, pair: DataPair | None) -> dict[str, Any]:
        asked, evidence, clock = self.asked, self.evidence, self.clock
        return {
            **({} if pair is None else encode_pair(pair)),
            "claim": encode_claim(asked.claim),
            **({"group": asked.group} if asked.group > 1 else {}),
            "event": result.event,
            "event_data": event_as_data(evidence.event),
            "direction": result.direction,
            "first": list(evidence.first),
            "second": list(evidence.second),
            "trained": evidence.trained,
            "samples": evidence.samples,
            "seed": asked.seed,
            "alpha": evidence.alpha,
            "budget": self.budget,
            "may_stop": evidence.may_stop,
            "sharper": evidence.sharper,
            **({"plans": clock.planned} if clock.planned else {}),
            "p_value": result.p_value,
        }


def examine_outputs(
    sampler: Sampler,
    asked: CheckOptions,
    budget: int,
    alpha: float,
    clock: Clock,
    *,
    sequential: bool = True,
) -> BlackBoxCheck:
    """Examine a sampler; look at the low-order bits of its outputs, too."""
    counted = asked.floating_point == "count"
    share = alpha / 2 if counted else alpha
    options: Any = {"alpha": share, "samples": budget, "seed": asked.seed, "rare": asked.rare}
    if sequential:
        evidence = examine_twice(sampler, asked.claim, clock=clock, **options)
    else:  # outputs drawn elsewhere have no fresh runs
        evidence = examine(sampler, asked.claim, sequential=False, clock=clock, **options)
    # once the outputs refute the claim, their low-order bits have nothing to add
    refuted = evidence.p_value(asked.claim) <= share
    leak = None if refuted else _low_bits(evidence.kept, asked.claim, asked.delta, share)
    structure = diagnoses(evidence.kept, asked.claim, share) if refuted else ()
    findings = tuple(sampler.findings)
    return BlackBoxCheck(asked, evidence, leak, structure, findings, share, budget, clock)


def _unshown(evidence: Evidence, findings: Sequence[Mapping[str, Any]]) -> str | None:
    """Return why no run could have shown a violation, and what would settle it; None if one could.

    Of outputs that refute nothing.
    """
    kinds = [finding["kind"] for finding in findings]
    if "repeats" in kinds:
        return (
            "the same outputs come back for every seed, so that no figure could be relied on; let "
            "the mechanism draw its noise from the generator or seed that it is given"
        )
    one, other = (kept[0] for kept in evidence.kept)
    if kinds.count("constant") == len(SIDES) and same(one, other):
        if one is None:
            return "every run returned None, which shows nothing; is a return missing?"
        return (
            "every run gave the same output, which shows nothing; let the mechanism return what it "
            "releases"
        )
    raised = [finding for finding in findings if finding["kind"] == "raised"]
    failed = [
        sum(f["counts"][side] / f["runs"][side] for f in raised) for side in range(len(SIDES))
    ]
    if min(failed) >= MOST_FAILED:
        return (
            f"{min(failed):.0%} of the runs gave no output on either data set "
            f"({raised[0]['example']}); make it run, or return a value where it has no answer"
        )
    encoding = evidence.event.encoding
    if encoding.shut >= MOST_SHUT:
        return (
            f"{encoding.shut:.0%} of the outputs cannot be looked into ({encoding.shut_at}: an "
            "unknown type, a text or key that never recurs, or too deep inside); return numbers, "
            "arrays or texts that recur"
        )
    return None


def _low_bits(
    training: Sequence[Outputs], claim: Claim, delta: float, alpha: float
) -> Mapping[str, Any] | None:
    """Return a finding if the low-order bits alone of outputs' floats break the claim.

    The numbers of an output are those that events look at: of a text or a dict, too. Which of them
    are looked at is decided on the runs that certify nothing.
    """
    choosing = [outputs[: certified_from(len(outputs))] for outputs in training]
    encoding = Encoding.learn(choosing[0], choosing[1])
    seen = np.concatenate([encoding.table(outputs).floats() for outputs in choosing])
    columns = [j for j in range(seen.shape[1]) if _has_fractions(seen[:, j])][:LOW_BITS_COLUMNS]
    tables = [encoding.table(outputs).floats() for outputs in training] if columns else []
    for j in columns:
        first, second = (table[:, j] for table in tables)
        found = low_bits.finding(first, second, claim, alpha / len(columns), delta=delta)
        if found is not None:
            return found
    return None


def _has_fractions(values: FloatArray) -> bool:
    finite = values[np.isfinite(values)]
    return bool((finite != np.round(finite)).any())
