"""Audit a mechanism that releases through a ledger, release by release, and say what is to blame.

Five questions are asked of ``mechanism(data, ledger)`` on a pair of neighbours: accounting,
sensitivity, control flow, privacy loss and samplers. A run that raises has the exception's type
for its output, so that an exception which depends on the data is a leak like any other. Every
violation is traced to a release: its index, its kind, the line that makes it, and what it claims
against what was found.

Accounting, sensitivity and control flow state facts about runs that were made: there is no chance
in them to be confirmed. Privacy loss and samplers are statistical, and say "violated" only after
fresh runs have confirmed what a screen found (:mod:`auditor.statistics.stages`); a single loss
above a pure epsilon is a fact again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.checking.culprits import traced
from auditor.checking.declared_noise import weigh
from auditor.checking.release_runs import LedgerMechanism, Pilot, form_of, make_pilot
from auditor.checking.source import NO_LEDGER
from auditor.core.case import Form
from auditor.core.context import Context, LedgerKind
from auditor.core.errors import InputError, one_line, pass_interrupts
from auditor.core.neighbours import Domain
from auditor.core.verdict import Verdict, describe
from auditor.questions.table import BY_FORM
from auditor.runs.clock import OutOfTime
from auditor.runs.instrument import Instrumented
from auditor.runs.journal import Finding
from auditor.statistics.claims import TradeOffFunction
from auditor.transcript.ledgers import ledgers_of
from auditor.transcript.shared import SharedRuns
from reference.privacy.guarantees import ApproximateDP, Guarantee
from reference.privacy.ledger import Ledger

QUESTIONS = tuple(name for name in BY_FORM if name != "black_box")
"""Questions about releases; :func:`auditor.check` asks about the output alone."""


def audit_releases(
    mechanism: LedgerMechanism,
    pair: tuple[Any, Any],
    claim: Guarantee | TradeOffFunction,
    *,
    context: Context | None = None,
    replaced: int | None = None,
    domain: Domain | None = None,
    samples: int = 1000,
    before_run: Callable[[], None] | None = None,
) -> tuple[Verdict, ...]:
    """Audit a mechanism that releases through a ledger, on a pair of neighbours.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, ledger)``; or what :func:`~auditor.runs.instrument.instrument` makes
        of one that knows no ledger.
    pair : (Any, Any)
        Neighbouring data sets: arrays (axis 0 is the records), tuples of arrays of equal length,
        numbers, lists of numbers; or anything else, without a ``domain``. Every run is given a
        copy.
    claim : Guarantee or callable
        PureDP, ApproximateDP, ZCDP, RenyiDP or GaussianDP. To a trade-off function the questions
        of accounting and privacy loss do not apply.
    context : Context, optional
        Seed, effort and confidence of all questions together; its ``tests`` is not used.
    replaced : int, optional
        Index of the record in which the pair differs; by default found by comparison. It matters
        to mechanisms that draw subsamples, and to the search.
    domain : Domain, optional
        Where a record may lie: the sensitivity and control-flow questions then also try pairs
        whose record ``replaced`` lies anywhere in it. If its records cannot be put into the data
        sets, the sensitivity verdict says why only the pair was tried.
    samples : int, default 1000
        Most runs in either direction of the privacy-loss question (ten times as many in the full
        tier); fewer if a violation, or that none is in sight, shows before.
    before_run : callable, optional
        Called before every run. When it raises OutOfTime the question is inconclusive.

    Returns
    -------
    tuple of Verdict
        One for each of :data:`QUESTIONS`. Of instrumented code, a claim that only the books exceed
        is inconclusive; see :mod:`auditor.checking.declared_noise`. A violated one names the
        release to blame in its summary and in ``evidence["blame"]`` (``release``, ``kind``,
        ``site``, ``statement``); see :func:`blame`. What else was noticed (exceptions, nothing
        released, primitives never called) is a finding of the control-flow verdict.

    Raises
    ------
    InputError
        If ``pair`` is no pair, or an instrumented primitive is called in a way that its
        declaration does not allow.

    Examples
    --------
    A mean of ten values in [0, 1] with half the noise it needs:

    >>> from reference.privacy.guarantees import PureDP
    >>> def mean(data, ledger):
    ...     return ledger.laplace(data.mean(), sensitivity=0.1, scale=0.05)
    >>> data, other = np.zeros(10), np.zeros(10)
    >>> other[3] = 1.0
    >>> verdicts = audit_releases(mean, (data, other), PureDP(1.0))
    >>> {v.question for v in verdicts if v.status == "violated"} == {"accounting", "privacy_loss"}
    True
    """
    shared = replace(
        context or Context(), tests=sum(BY_FORM[name].statistical for name in QUESTIONS)
    )
    if shared.ledger == "exact" and isinstance(mechanism, Instrumented):
        raise InputError(NO_LEDGER)
    run = _announced(mechanism, before_run)
    form = form_of(run, pair, claim, replaced=replaced, domain=domain, samples=samples)
    try:
        with ledgers_of(shared.ledger):
            pilot = make_pilot(run, (pair[0], pair[1]), shared, quoted=not (domain and domain.real))
    except OutOfTime:
        return tuple(map(too_late, QUESTIONS))
    skipped = _skipped(pilot, claim, declared=isinstance(mechanism, Instrumented))
    runs = SharedRuns(form, shared)
    verdicts = []
    for name in QUESTIONS:
        if name in skipped:
            verdicts.append(skipped[name])
        elif name == "samplers" and isinstance(mechanism, Instrumented):
            verdicts.append(_native_samplers(mechanism, pair, form, shared, before_run))
        else:
            with ledgers_of(shared.ledger):
                verdicts.append(_asked(name, form, shared, runs))
    findings = pilot.findings
    if isinstance(mechanism, Instrumented):
        findings = (*findings, *mechanism.findings)
        verdicts = weigh(
            verdicts,
            form,
            shared,
            certain_delta=_certain_delta(claim),
            draws_elsewhere=mechanism.draws_elsewhere,
        )
    return tuple(_completed(verdict, pilot, findings) for verdict in verdicts)


def _certain_delta(claim: Guarantee | TradeOffFunction) -> float:
    """Return how probable an output may be that is impossible on the other data set."""
    if isinstance(claim, Guarantee):
        return claim.delta if isinstance(claim, ApproximateDP) else 0.0
    return 1 - float(np.ravel(claim(np.zeros(1)))[0])


def too_late(question: str) -> Verdict:
    """Return the verdict on a question for which there was no time."""
    why = "the time was up before this was answered; give a larger timeout"
    return Verdict(question, "inconclusive", why)


def _announced(
    mechanism: LedgerMechanism, before_run: Callable[[], None] | None
) -> LedgerMechanism:
    """Return a mechanism that calls ``before_run`` first."""
    if before_run is None:
        return mechanism

    def run(data: Any, ledger: Ledger) -> Any:
        before_run()
        return mechanism(data, ledger)

    return run


def _skipped(
    pilot: Pilot, claim: Guarantee | TradeOffFunction, *, declared: bool
) -> dict[str, Verdict]:
    """Return the verdicts on questions that need not be asked; control flow is always asked."""
    about_releases = [name for name in QUESTIONS if name != "control_flow"]
    if pilot.failure is not None:
        return {name: Verdict(name, "inconclusive", pilot.failure) for name in about_releases}
    if not pilot.releases:
        if declared:
            why = "no declared primitive was called: nothing that was declared could be tested"
            return {name: Verdict(name, "inconclusive", why) for name in about_releases}
        why = "nothing is released through the ledger"
        return {name: Verdict(name, "not applicable", why) for name in about_releases}
    if isinstance(claim, Guarantee):
        return {}
    why = "a trade-off function is claimed; ask it of pure, approximate, zCDP, Renyi or Gaussian DP"
    return {name: Verdict(name, "not applicable", why) for name in ("accounting", "privacy_loss")}


def _completed(verdict: Verdict, pilot: Pilot, findings: tuple[Finding, ...]) -> Verdict:
    """Return the control-flow verdict with all findings; others as they are."""
    if verdict.question != "control_flow":
        return verdict
    if verdict.status == "holds" and len(pilot.raised) == 2 * pilot.runs:
        why = f"every run raised, first {pilot.raised[0][1]}"
        verdict = verdict.with_status("inconclusive", why)
    return replace(verdict, findings=(*verdict.findings, *findings))


def _asked(name: str, form: Form, context: Context, runs: SharedRuns) -> Verdict:
    try:
        verdict = BY_FORM[name].ask(form, context.at(name), runs)
    except InputError:
        raise
    except OutOfTime:
        return too_late(name)
    except BaseException as error:  # such as outputs that cannot be compared
        pass_interrupts(error)
        return Verdict(name, "inconclusive", f"the question failed with {one_line(error)}")
    return traced(verdict, form)


def _native_samplers(
    mechanism: Instrumented,
    pair: tuple[Any, Any],
    form: Form,
    context: Context,
    before_run: Callable[[], None] | None,
) -> Verdict:
    """Ask about the draws of the primitives themselves."""
    run = _announced(mechanism.native, before_run)
    try:
        pilot = make_pilot(run, (pair[0], pair[1]), context, quoted=False)  # runs are counted
    except OutOfTime:
        return too_late("samplers")
    untested = "; ".join(describe(finding) for finding in mechanism.findings)
    if not pilot.releases:
        why = pilot.failure or untested or "nothing is released"
        return Verdict("samplers", "inconclusive", f"with the primitives' own noise, {why}")
    native = _native_form(run, pair, form)
    verdict = _asked("samplers", native, context, SharedRuns(native, context))
    if verdict.status == "holds" and untested:  # of other primitives
        verdict = verdict.with_status("inconclusive", untested)
    return verdict


def _native_form(native: LedgerMechanism, pair: tuple[Any, Any], form: Form) -> Form:
    """Return the form in which instrumented primitives draw their own noise."""
    return replace(form, run=form_of(native, pair, form.claim, replaced=form.replaced).run)


def reproduce(
    mechanism: LedgerMechanism,
    pair: tuple[Any, Any],
    claim: Guarantee | TradeOffFunction,
    verdict: Verdict,
    *,
    replaced: int | None = None,
    ledger: LedgerKind = "numpy",
) -> bool:
    """Run the witness of a violated verdict again; return whether the violation shows again.

    Parameters
    ----------
    mechanism, pair, claim, replaced
        As for the audit.
    ledger : {"numpy", "exact"}
        Of the audit's context.
    verdict : Verdict
        Of :func:`audit_releases`, perhaps read back from JSON.

    Raises
    ------
    InputError
        If the verdict has no witness.
    """
    witness, question = verdict.witness, verdict.question
    if witness is None:
        raise InputError(f"the verdict on {question} is {verdict.status!r}: it has no witness")
    form = form_of(mechanism, pair, claim, replaced=replaced)
    if question == "samplers" and isinstance(mechanism, Instrumented):
        form = _native_form(mechanism.native, pair, form)
    with ledgers_of(ledger):
        return BY_FORM[question].reproduce(form, witness)
