"""Check a mechanism: the calls that users make."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from hypothesis.strategies import SearchStrategy

from auditor.checking.declared import on_claim
from auditor.checking.evidence import (
    NOTICED,
    Evidence,
    count_event,
    enough_runs,
    examine,
    examine_twice,
    rarest,
)
from auditor.checking.relations import require_neighbours
from auditor.checking.releases import QUESTIONS, audit_releases, blame, too_late, unsettled
from auditor.checking.result import CheckResult, Measurement, Rerun, Status
from auditor.checking.search import find_pair
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.neighbours import Domain, as_relation, neighbours
from auditor.core.sides import DIRECTIONS, SIDES
from auditor.core.verdict import Verdict
from auditor.core.witness import decode_pair, encode_pair
from auditor.events import floating_point as low_bits
from auditor.runs.clock import Clock, OutOfTime, Progress, require_seconds
from auditor.runs.command import CommandSampler
from auditor.runs.instrument import Instrumented
from auditor.runs.processes import Alive, Child, Died, Hung
from auditor.runs.sampling import (
    Children,
    FunctionSampler,
    Mechanism,
    Outputs,
    RecordedSampler,
    Sampler,
)
from auditor.runs.values import same
from auditor.statistics.claims import (
    Claim,
    EpsilonDelta,
    TradeOffFunction,
    certified_level,
    claim_of,
    decode_claim,
    encode_claim,
)
from auditor.statistics.proportions import two_sample_p_value
from reference._validation import FloatArray
from reference.privacy.guarantees import ApproximateDP, Guarantee, PureDP, Relation
from reference.privacy.ledger import Ledger

LEAST_RUNS = 16
SEARCH_SHARE = 0.15
"""Share of the budget that the search for the worst pair may use."""
SEARCH_TIME = 0.3
"""Share of the time that it may take, if the time is limited."""
RELEASES_SHARE = 0.5
"""Share of the time left that the audit release by release may take, if the time is limited."""
MOST_FAILED = 0.9
"""If as large a share of the runs on both data sets raises, hardly anything was tried."""
MOST_SHUT = 0.1
"""If as large a share of the outputs cannot be looked into, whatever they leak is not seen."""
LOW_BITS_COLUMNS = 8
"""Coordinates of an output, the first ones, whose low-order bits are looked at."""

Pair = tuple[Any, Any]
Kind = Literal["rng", "ledger"]
RelationName = Literal["replace", "add-remove", "any"]
FloatingPoint = Literal["report", "count"]

# ------------------------------------------------------------------------------- bad input


def stated_claim(
    epsilon: float | None, delta: float, claim: Guarantee | TradeOffFunction | None
) -> tuple[Claim, Guarantee | TradeOffFunction]:
    """Return what a caller claims: about events, and as it was stated.

    Raises
    ------
    InputError
        If nothing, or too much, or a number out of its range is claimed.
    """
    if (epsilon is None) == (claim is None):
        raise InputError("claim either epsilon (with delta), or claim=... in another currency")
    if epsilon is not None:
        try:
            claim = PureDP(epsilon) if delta == 0 else ApproximateDP(epsilon, delta)
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from None
    assert claim is not None
    return claim_of(claim), claim


def require_delta(delta: float) -> float:
    """Return a delta in [0, 1); raise InputError otherwise."""
    if not isinstance(delta, (int, float)) or not 0 <= delta < 1:
        raise InputError(f"delta must be in [0, 1), got {delta!r}")
    return float(delta)


def require_alpha(confidence: float) -> float:
    """Return 1 - confidence; raise InputError unless it is in (0, 1)."""
    if not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
        raise InputError(f"confidence must be in (0, 1), got {confidence!r}")
    return 1 - confidence


def require_samples(samples: int) -> int:
    """Return a number of runs; raise InputError if it is no whole number or too small."""
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)):
        raise InputError(f"samples must be a whole number, got {samples!r}")
    if samples < LEAST_RUNS:
        raise InputError(f"samples must be at least {LEAST_RUNS}, got {samples}")
    return int(samples)


# --------------------------------------------------------------------------- where runs come from


@dataclass(frozen=True)
class Program:
    """A mechanism in any language: a command that speaks the line protocol.

    Parameters
    ----------
    command : str or sequence of str
        Started once per worker; see ``docs/program-protocol.md``.
    call_timeout : float
        Seconds that one request may take.
    """

    command: str | Sequence[str]
    call_timeout: float = 30.0


class _Source:
    """Makes samplers of one mechanism, which share processes; those end with the block."""

    def __init__(
        self,
        mechanism: Mechanism | Program,
        kind: Kind | None,
        *,
        batched: bool,
        workers: int,
        call_timeout: float | None,
    ) -> None:
        require_seconds("call_timeout", call_timeout)
        self.mechanism = mechanism
        self.kind = kind or kind_of(mechanism)
        self.batched = batched
        self.workers = workers
        self.call_timeout = call_timeout
        self.children = Children(workers if isinstance(workers, int) else 1)

    def __enter__(self) -> _Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.children.close()

    def sampler(self, pair: Pair, seed: int, clock: Clock) -> Sampler:
        if isinstance(self.mechanism, Program):
            limit = self.call_timeout or self.mechanism.call_timeout
            return CommandSampler(
                self.mechanism.command,
                pair,
                seed=seed,
                workers=self.workers,
                call_timeout=limit,
                clock=clock,
            )
        return FunctionSampler(
            _live(self.mechanism) if self.kind == "ledger" else self.mechanism,
            pair,
            seed=seed,
            batched=self.batched,
            workers=self.workers,
            call_timeout=self.call_timeout,
            clock=clock,
            children=self.children,
        )


def kind_of(mechanism: Any) -> Kind:
    """Return what a mechanism's second argument is: a ledger if it is called so."""
    try:
        named = "ledger" in inspect.signature(mechanism).parameters
    except (TypeError, ValueError):  # some builtins have no signature
        named = False
    return "ledger" if named else "rng"


def _live(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism that takes a ledger as one that takes a generator."""
    # of code that knows no ledger, the black box should see the noise that it draws itself
    releasing = mechanism.plain if isinstance(mechanism, Instrumented) else mechanism

    def run(data: Any, rng: np.random.Generator) -> Any:
        return releasing(data, Ledger(rng))

    return run


# ------------------------------------------------------------------------------------- check


def check(
    mechanism: Mechanism | Program,
    *,
    pair: Pair | SearchStrategy[Pair] | None = None,
    domain: Domain | SearchStrategy[Any] | None = None,
    n: int = 1,
    relation: Relation | RelationName | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Guarantee | TradeOffFunction | None = None,
    confidence: float = 0.99,
    samples: int = 100_000,
    rare: float = 1e-4,
    seed: int = 0,
    kind: Kind | None = None,
    batched: bool = False,
    workers: int = 1,
    timeout: float | None = None,
    call_timeout: float | None = None,
    floating_point: FloatingPoint = "report",
    progress: Progress | None = None,
) -> CheckResult:
    """Try to refute a mechanism's privacy claim from its outputs.

    Parameters
    ----------
    mechanism : callable or Program
        ``mechanism(data, rng)`` returns one output, of any kind; ``mechanism(data, rng, size)``
        with ``batched=True`` an array or list with a leading axis of ``size`` independent outputs;
        ``mechanism(data, ledger)`` is audited release by release as well.
    pair : (Any, Any) or Hypothesis strategy of pairs, optional
        Two neighbouring data sets, of whatever type the mechanism takes; with a strategy the
        worst pair is searched.
    domain : Domain or Hypothesis strategy of records, optional
        Instead of ``pair``: where a record lies. The worst pair of data sets of ``n`` records is
        searched with 15% of the budget, and certified with fresh runs.
    n : int
        Number of records, with ``domain``.
    relation : {"replace", "add-remove", "any"} or Relation, optional
        With ``domain``: replace-one (default) or add/remove-one. With ``pair``: "any" if the data
        sets are neighbours in a way that cannot be seen from them (graphs, answers to queries).
    epsilon : float, optional
        Claimed, > 0.
    delta : float
        Claimed, in [0, 1). With a ``claim`` in another currency, where ``epsilon_lower`` is given.
    claim : Guarantee or callable, optional
        Instead of ``epsilon``: PureDP, ApproximateDP, ZCDP, RenyiDP, GaussianDP, or a trade-off
        function (type I error to smallest type II error, vectorised, for both orders of the pair).
    confidence : float
        Probability with which a true claim is not called violated, and ``epsilon_lower`` is true;
        all looks, events and pairs together.
    samples : int
        Budget of runs on each data set. The check stops early when the claim is refuted, or when
        the mechanism is clearly below its claim and ``rare`` outputs would have been noticed. A
        violation that is not overwhelming is confirmed on as many fresh runs as it took, or up to
        four times as many, beyond the budget.
    rare : float
        In [0, 1): the check stops early with nothing found only if an output impossible on the
        other data set would have been noticed, with probability 0.9, were it as rare as this. 0
        always spends the whole budget.
    seed : int
        The same seed gives the same answer, for any number of workers, unless ``timeout`` ends
        the check.
    kind : {"rng", "ledger"}, optional
        What the mechanism's second argument is; by default a ledger if it is called ``ledger``.
    batched : bool
        Whether the mechanism takes a size.
    workers : int
        Processes.
    timeout : float, optional
        Seconds that the whole check may take. It makes as many runs as fit and says what they
        show, ``"inconclusive"`` if that is nothing.
    call_timeout : float, optional
        Seconds that a single call of the mechanism (or request to a program) may take: one that
        hangs is an error that says where. With either limit the mechanism runs in a process that
        can be stopped.
    floating_point : {"report", "count"}
        Whether a leak through low-order bits is a finding beside the verdict, or violates the
        claim. Almost everything that adds floating-point noise has it.
    progress : callable, optional
        ``progress(what, done, total)`` is called now and then: what is being done, and runs made
        of all that are planned.

    Returns
    -------
    CheckResult

    Raises
    ------
    InputError
        One line, for input that makes no sense and mechanisms that do not run.

    Examples
    --------
    >>> def noisy_sum(data, rng):
    ...     return sum(data) + rng.laplace(scale=0.5)
    >>> found = check(noisy_sum, pair=([0, 1], [0, 0]), epsilon=1.0, samples=20_000)
    >>> found.status
    'violated'
    """
    delta, alpha = require_delta(delta), require_alpha(confidence)
    if not 0 <= rare < 1:
        raise InputError(f"rare must be in [0, 1), got {rare!r}")
    stated, as_stated = stated_claim(epsilon, delta, claim)
    if isinstance(stated, EpsilonDelta):
        delta = stated.delta
    asked = _Asked(stated, delta, confidence, require_samples(samples), seed, floating_point, rare)
    clock = Clock(timeout, progress=progress)
    with _Source(
        mechanism, kind, batched=batched, workers=workers, call_timeout=call_timeout
    ) as source:
        chosen, pairs, budget = _chosen_pair(source, asked, pair, domain, n, relation, clock)
        questions: tuple[Verdict, ...] = ()
        share = alpha
        if source.kind == "ledger":
            share = alpha / 2
            context = Context(seed=seed, confidence=1 - share).at("check")
            records = domain if isinstance(domain, Domain) else None
            questions = _answers(source, chosen, as_stated, context, records, clock)
        sampler = source.sampler(chosen, seed, clock)
        try:
            sampler.prepare()
            found: _BlackBox | _Unseen = _black_box(sampler, asked, budget, share, clock)
        except OutOfTime:
            found = _Unseen(asked, tuple(sampler.findings), clock)
        finally:
            sampler.close()
    return found.result(chosen, pairs=pairs, questions=questions)


def _answers(
    source: _Source,
    pair: Pair,
    claim: Guarantee | TradeOffFunction,
    context: Context,
    domain: Domain | None,
    clock: Clock,
) -> tuple[Verdict, ...]:
    """Audit release by release, in a process that can be stopped if there is a time limit."""
    assert callable(source.mechanism)
    clock.begin("auditing releases", 0, 0)
    if not clock.limited and source.call_timeout is None:
        return audit_releases(source.mechanism, pair, claim, context=context, domain=domain)
    seconds = RELEASES_SHARE * clock.left

    def ask(child: Child, asked: tuple[Any, ...]) -> list[dict[str, Any]]:
        hard = clock.part(1.2 * RELEASES_SHARE)
        return child.call(source.mechanism, _asked_there, source.call_timeout, hard, *asked)

    try:
        (said,) = source.children.map(ask, [(pair, claim, context, domain, seconds)])
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
    return tuple(map(Verdict.from_json, said))


def _asked_there(
    mechanism: Mechanism,
    alive: Alive,
    pair: Pair,
    claim: Guarantee | TradeOffFunction,
    context: Context,
    domain: Domain | None,
    seconds: float,
) -> list[dict[str, Any]]:
    """Return the answers of :func:`audit_releases`, asked in a child process, as plain data."""
    clock = Clock(seconds if math.isfinite(seconds) else None)
    runs = 0

    def before_run() -> None:
        nonlocal runs
        clock.require()
        alive(runs)
        runs += 1

    verdicts = audit_releases(
        mechanism, pair, claim, context=context, domain=domain, before_run=before_run
    )
    return [verdict.to_json() for verdict in verdicts]


@dataclass(frozen=True)
class _Asked:
    """What a check was asked."""

    claim: Claim
    delta: float
    confidence: float
    samples: int
    seed: int
    floating_point: FloatingPoint
    rare: float = 0.0


def _chosen_pair(
    source: _Source,
    asked: _Asked,
    pair: Pair | SearchStrategy[Pair] | None,
    domain: Domain | SearchStrategy[Any] | None,
    n: int,
    relation: Relation | RelationName | None,
    clock: Clock,
) -> tuple[Pair, int, int]:
    """Return the pair to certify, how many were tried, and the runs a side that are left."""
    if (pair is None) == (domain is None):
        raise InputError("give either pair=(D, D') or domain=... with n and relation")
    if relation is not None and relation != "any":
        as_relation(relation)  # refuse what is none
    if isinstance(pair, SearchStrategy):
        candidates = pair
    elif pair is not None:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError("pair must be two data sets, (D, D')")
        first, second = pair
        if relation != "any":
            require_neighbours(first, second, relation)
        return (first, second), 1, asked.samples
    else:
        assert domain is not None
        kept = "replace" if relation is None or relation == "any" else relation
        candidates = neighbours(domain, n=n, relation=kept)
    clock.begin("searching the worst pair", 0, 0)
    searching = clock.part(SEARCH_TIME)
    found = find_pair(
        lambda pair, seed: source.sampler(pair, seed, searching),
        candidates,
        asked.claim,
        alpha=1 - asked.confidence,
        runs=int(SEARCH_SHARE * asked.samples),
        seed=asked.seed,
    )
    return found.pair, found.tried, asked.samples - found.runs


# ------------------------------------------------------------------------------ what is said


@dataclass(frozen=True)
class _BlackBox:
    """What the outputs alone say."""

    asked: _Asked
    evidence: Evidence
    leak: Mapping[str, Any] | None
    findings: tuple[Mapping[str, Any], ...]
    alpha: float
    budget: int
    clock: Clock

    def result(
        self, pair: Pair | None, *, pairs: int = 1, questions: tuple[Verdict, ...] = ()
    ) -> CheckResult:
        claim, evidence = self.asked.claim, self.evidence
        p_value = evidence.p_value(claim)
        refuted = p_value <= self.alpha
        counted = self.leak is not None and self.asked.floating_point == "count"
        answers = {on_claim(verdict) for verdict in questions}
        smallest = rarest(claim, evidence.first[1], evidence.final_alpha)
        unshown = _unshown(evidence, self.findings)
        if any(finding["kind"] == "repeats" for finding in self.findings):
            refuted = counted = False  # no figure can be relied on, whatever it says
        status: Status = "holds"
        if refuted or counted or "violated" in answers:
            status = "violated"
        elif unshown or smallest >= 1 or evidence.late or "inconclusive" in answers:
            status = "inconclusive"
        result = CheckResult(
            status=status,
            summary="",
            claim=claim.describe(),
            epsilon_lower=evidence.epsilon(self.asked.delta),
            delta=self.asked.delta,
            level_lower=evidence.certified_level(claim),
            symbol=claim.symbol,
            confidence=self.asked.confidence,
            p_value=p_value,
            samples=evidence.samples,
            budget=self.asked.samples,
            looks=len(evidence.bets.rounds) + 1,
            event=evidence.event.describe(),
            direction=DIRECTIONS[evidence.event.side],
            first=evidence.first,
            second=evidence.second,
            power=evidence.power(claim),
            rarest=evidence.rarest(claim),
            pairs=pairs,
            claimed=claim.level,
            confirmation=_confirmation(evidence),
            findings=(*self.findings, *(() if self.leak is None else (self.leak,))),
            questions=questions,
        )
        enough = enough_runs(claim, evidence.final_alpha) if smallest >= 1 else 0
        summary = _summary(result, refuted=refuted, counted=counted, unshown=unshown, enough=enough)
        if evidence.late and status == "inconclusive":
            summary = _late(result, self.clock)
        return replace(
            result,
            summary=f"{summary}{self._hurry(evidence)}",
            witness=_witness(self.asked, evidence, result, pair, self.clock) if refuted else None,
        )

    def _hurry(self, evidence: Evidence) -> str:
        """Return how the time limit has shortened the check, if it has."""
        if not evidence.complete or evidence.samples >= self.budget:
            return ""
        return f"; the timeout of {self.clock.seconds:g} s allowed no more runs"


@dataclass(frozen=True)
class _Unseen:
    """What is said when the time was up before any event was found."""

    asked: _Asked
    findings: tuple[Mapping[str, Any], ...]
    clock: Clock

    def result(
        self, pair: Pair | None, *, pairs: int = 1, questions: tuple[Verdict, ...] = ()
    ) -> CheckResult:
        blamed = blame(questions)
        result = CheckResult(
            status="inconclusive" if blamed is None else "violated",
            summary="",
            claim=self.asked.claim.describe(),
            epsilon_lower=0.0,
            delta=self.asked.delta,
            level_lower=0.0,
            symbol=self.asked.claim.symbol,
            confidence=self.asked.confidence,
            p_value=1.0,
            samples=0,
            budget=self.asked.samples,
            looks=0,
            event="no event",
            direction=DIRECTIONS[0],
            first=(0, 0),
            second=(0, 0),
            power=0.0,
            rarest=1.0,
            pairs=pairs,
            findings=self.findings,
            questions=questions,
        )
        refuted = f"{result.claim} is refuted: {blamed}"
        return replace(result, summary=_late(result, self.clock) if blamed is None else refuted)


def _late(result: CheckResult, clock: Clock) -> str:
    seen = (
        f"after {result.samples} of {result.budget} runs on each data set, which do not "
        f"contradict {result.claim}"
        if result.samples
        else "before the outputs could be compared"
    )
    remedy = "give a larger timeout, or a faster mechanism (batched=True, workers)"
    return f"the timeout of {clock.seconds:g} s was over {seen}; {remedy}"


def _black_box(
    sampler: Sampler,
    asked: _Asked,
    budget: int,
    alpha: float,
    clock: Clock,
    *,
    sequential: bool = True,
) -> _BlackBox:
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
    leak = None if refuted else _low_bits(evidence.training, asked.claim, share)
    return _BlackBox(asked, evidence, leak, tuple(sampler.findings), share, budget, clock)


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
    one, other = (kept[0] for kept in evidence.training)
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


def _summary(
    result: CheckResult, *, refuted: bool, counted: bool, unshown: str | None, enough: int
) -> str:
    (k, n), (m, size) = result.first, result.second
    likely, unlikely = result.direction.split(" against ")
    counts = f"{result.event}: {k} of {n} runs on {likely}, {m} of {size} on {unlikely}"
    counts += _fresh(result, likely, unlikely)
    sure = result.bounds()
    used = f"{result.samples} of {result.budget} runs on each data set"
    blamed = blame(result.questions)
    on_paper = any(on_claim(verdict) == "violated" for verdict in result.questions)
    if refuted:
        also = "".join(f"; {words}" for words in (_one_sided(result), blamed) if words)
        by = f" ({result.excess()})" if result.excess() else ""
        return f"{result.claim} is refuted{by}: {counts}; {sure} ({used}){also}"
    if on_paper:
        return f"{result.claim} is refuted: {blamed}"
    if counted:
        return f"{result.claim} is refuted: {result.findings[-1]['statement']}"
    if unshown is not None:
        return f"nothing can be said of {result.claim}: {unshown}"
    if enough:
        return (
            f"{result.samples} runs on each data set are too few to refute {result.claim}, "
            f"whatever the outputs; give samples={enough} or more"
        )
    untested = unsettled(result.questions)
    if untested is not None:
        return (
            f"the outputs do not contradict {result.claim} ({counts}; {sure}), but not all was "
            f"settled: {untested}"
        )
    tried = f"{result.pairs} pairs tried" if result.pairs > 1 else "one pair tried"
    return (
        f"nothing contradicts {result.claim}: {counts}; {sure}. {tried}, {used}; an event as "
        f"frequent, 10% over the claim, would be noticed with probability {result.power:.2f}, and "
        f"an output impossible on the other data set with probability {NOTICED:g} if its own were "
        f"{result.rarest:.2g}"
    )


def _confirmation(evidence: Evidence) -> Mapping[str, Any] | None:
    found = evidence.confirmation
    if found is None:
        return None
    return {
        "first": found.first,
        "second": found.second,
        "p_value": found.p_value,
        "confirmed": found.confirmed,
    }


def _fresh(result: CheckResult, likely: str, unlikely: str) -> str:
    """Return what fresh runs said of the event, if they were asked."""
    found = result.confirmation
    if found is None:
        return ""
    (k, n), (m, size) = found["first"], found["second"]
    what = "confirmed" if found["confirmed"] else "not confirmed"
    return f", {what} in fresh runs: {k} of {n} on {likely}, {m} of {size} on {unlikely}"


def _one_sided(result: CheckResult) -> str | None:
    """Return the exception that only one data set raises, if the event does not name it."""
    for finding in result.findings:
        if finding["kind"] == "raised" and min(finding["counts"]) == 0:
            named = finding["name"] in result.event
            statement: str = finding["statement"]
            return None if named else statement.split(";")[0]
    return None


def _witness(
    asked: _Asked, evidence: Evidence, result: CheckResult, pair: Pair | None, clock: Clock
) -> dict[str, Any]:
    return {
        **({} if pair is None else encode_pair(pair)),
        "claim": encode_claim(asked.claim),
        "event": result.event,
        "direction": result.direction,
        "first": list(evidence.first),
        "second": list(evidence.second),
        "trained": evidence.trained,
        "samples": evidence.samples,
        "seed": asked.seed,
        "alpha": evidence.alpha,
        "budget": asked.samples,
        "may_stop": evidence.may_stop,
        **({"plans": clock.planned} if clock.planned else {}),
        "p_value": result.p_value,
    }


def _low_bits(training: Sequence[Outputs], claim: Claim, alpha: float) -> Mapping[str, Any] | None:
    """Return a finding if the low-order bits alone of float outputs break the claim."""
    sides = [_columns(outputs) for outputs in training]
    if not isinstance(claim, EpsilonDelta) or sides[0].shape[1] != sides[1].shape[1]:
        return None
    columns = min(sides[0].shape[1], LOW_BITS_COLUMNS)
    for index in range(columns):
        found = low_bits.finding(
            sides[0][:, index],
            sides[1][:, index],
            claim,
            alpha / columns,
            delta=claim.delta,
        )
        if found is not None:
            return found
    return None


def _columns(outputs: Outputs) -> FloatArray:
    """Return float outputs as columns; none where the outputs are whole numbers or no arrays."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind == "f":
        columns = outputs.reshape(len(outputs), -1)
        if not (columns == np.round(columns)).all():
            return columns
    return np.empty((len(outputs), 0))


# ------------------------------------------------------------------- without a claim; samples only


def measure(
    mechanism: Mechanism | Program,
    *,
    pair: Pair,
    delta: float = 0.0,
    confidence: float = 0.99,
    samples: int = 100_000,
    seed: int = 0,
    batched: bool = False,
    workers: int = 1,
    timeout: float | None = None,
    call_timeout: float | None = None,
    progress: Progress | None = None,
) -> Measurement:
    """Return the largest epsilon at ``delta`` that a mechanism's outputs certify.

    Like :func:`check` without a claim: the whole budget is used, or what the time allows.

    Parameters
    ----------
    mechanism, pair, confidence, samples, seed, batched, workers, timeout, call_timeout, progress
        As for :func:`check`.
    delta : float
        In [0, 1).

    Returns
    -------
    Measurement
    """
    clock = Clock(timeout, progress=progress)
    with _Source(
        mechanism, None, batched=batched, workers=workers, call_timeout=call_timeout
    ) as source:
        sampler = source.sampler(pair, seed, clock)
        try:
            sampler.prepare()
            return _measured(sampler, delta, confidence, samples, seed, clock)
        except OutOfTime:
            raise InputError(
                f"the timeout of {timeout:g} s was over before anything was measured; give a "
                "larger one"
            ) from None
        finally:
            sampler.close()


def measure_samples(
    first: Outputs,
    second: Outputs,
    *,
    delta: float = 0.0,
    confidence: float = 0.99,
    seed: int = 0,
) -> Measurement:
    """Return the largest epsilon at ``delta`` that outputs drawn elsewhere certify.

    Parameters
    ----------
    first, second : array or list
        Outputs of independent runs on D and on D', equally many, in the order in which they were
        drawn: the first runs choose an event that the others certify.
    delta, confidence, seed
        As for :func:`measure`.

    Returns
    -------
    Measurement

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = measure_samples(rng.laplace(0, 1, 10_000), rng.laplace(1, 1, 10_000))
    >>> 0.8 < found.epsilon_lower < 1
    True
    """
    samples = _equally_many(first, second)
    return _measured(RecordedSampler(first, second), delta, confidence, samples, seed, Clock())


def check_samples(
    first: Outputs,
    second: Outputs,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Guarantee | TradeOffFunction | None = None,
    confidence: float = 0.99,
    seed: int = 0,
    floating_point: FloatingPoint = "report",
) -> CheckResult:
    """Try to refute a claim from outputs drawn elsewhere.

    Parameters
    ----------
    first, second
        As for :func:`measure_samples`.
    epsilon, delta, claim, confidence, seed, floating_point
        As for :func:`check`.

    Returns
    -------
    CheckResult
        Its witness has the event and its counts, but no data sets.
    """
    delta, alpha = require_delta(delta), require_alpha(confidence)
    stated, _ = stated_claim(epsilon, delta, claim)
    samples = _equally_many(first, second)
    asked = _Asked(stated, delta, confidence, samples, seed, floating_point)
    sampler = RecordedSampler(first, second)
    return _black_box(sampler, asked, samples, alpha, Clock(), sequential=False).result(None)


def _measured(
    sampler: Sampler, delta: float, confidence: float, samples: int, seed: int, clock: Clock
) -> Measurement:
    family = EpsilonDelta(0.0, require_delta(delta))
    alpha = require_alpha(confidence)
    evidence = examine(
        sampler,
        family,
        alpha=alpha,
        samples=require_samples(samples),
        seed=seed,
        sequential=False,
        clock=clock,
    )
    if evidence.late:
        raise OutOfTime
    return Measurement(
        epsilon_lower=evidence.epsilon(delta),
        delta=delta,
        confidence=confidence,
        event=evidence.event.describe(),
        direction=DIRECTIONS[evidence.event.side],
        first=evidence.first,
        second=evidence.second,
        samples=evidence.samples,
        trained=evidence.trained,
        findings=tuple(sampler.findings),
    )


def _equally_many(first: Outputs, second: Outputs) -> int:
    if len(first) != len(second):
        raise InputError(
            f"give equally many outputs on both data sets, got {len(first)} and {len(second)}"
        )
    return require_samples(len(first))


# ---------------------------------------------------------------------------------- run again


def rerun(
    mechanism: Mechanism | Program,
    witness: Mapping[str, Any],
    *,
    pair: Pair | None = None,
    claim: Guarantee | TradeOffFunction | None = None,
    samples: int | None = None,
    seed: int = 1,
    kind: Kind | None = None,
    batched: bool = False,
    workers: int = 1,
    call_timeout: float | None = None,
) -> Rerun:
    """Show a witness again: learn its event from the same runs, count it in fresh ones.

    Parameters
    ----------
    mechanism, kind, batched, workers, call_timeout
        As for the check that found the witness.
    witness : mapping
        ``result.witness``, perhaps read back from JSON.
    pair : (Any, Any), optional
        Needed only if the data sets were too large, or of a type, to be kept in the witness.
    claim : Guarantee or callable, optional
        Needed only if the claim was a trade-off function.
    samples : int, optional
        Fresh runs on each data set; by default four times as many as the check used, at least
        2000.
    seed : int
        Of the fresh runs; different from the witness's own.

    Returns
    -------
    Rerun
        Its ``shown`` says whether the fresh counts alone refute the claim, by an exact test at
        the error probability of the check.
    """
    needed = {"seed", "alpha", "budget", "samples"} | ({"claim"} if claim is None else set())
    missing = sorted(needed - set(witness)) if isinstance(witness, Mapping) else ["everything"]
    if missing:
        raise InputError(
            f"this is no witness of a check, it lacks {', '.join(missing)}; give result.witness"
        )
    if seed == witness["seed"]:
        raise InputError(f"seed {seed} is the witness's own; take another for fresh runs")
    chosen = pair if pair is not None else decode_pair(witness)
    stated = claim_of(claim) if claim is not None else decode_claim(witness["claim"])
    with _Source(
        mechanism,
        kind or kind_of(mechanism),
        batched=batched,
        workers=workers,
        call_timeout=call_timeout,
    ) as source:
        old = source.sampler(chosen, witness["seed"], Clock())
        fresh = source.sampler(chosen, seed, Clock())
        try:
            event = examine(
                old,
                stated,
                alpha=witness["alpha"],
                samples=witness["budget"],
                seed=witness["seed"],
                stop=witness.get("may_stop", True),
                clock=Clock(plans=witness.get("plans", ())),
            ).event
            runs = samples if samples is not None else max(2000, 4 * witness["samples"])
            counts = count_event(fresh, event, runs)
        finally:
            old.close()
            fresh.close()
    first, second = counts[event.side], counts[1 - event.side]
    p_value = two_sample_p_value(first, second, stated.ceiling)
    return Rerun(
        shown=p_value <= witness["alpha"],
        event=event.describe(),
        direction=DIRECTIONS[event.side],
        first=first,
        second=second,
        p_value=p_value,
        level_lower=certified_level(stated, first, second, witness["alpha"]),
    )
