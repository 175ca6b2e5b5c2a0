"""One task of an audit: answer its questions, in a worker.

Kept out of the scheduler so that a fully cached audit never imports the questions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache

from threadpoolctl import threadpool_limits

from auditor.core.case import Case, CaseBuilder
from auditor.core.context import Context
from auditor.core.errors import pass_interrupts
from auditor.core.verdict import Verdict
from auditor.questions import domain, mutants, real_data, scaling
from auditor.questions.expected import until_shown
from auditor.questions.table import BY_FORM
from auditor.suite.plan import AuditUnit, expected_violations
from auditor.suite.store import dump, failed
from auditor.transcript.ledgers import ledgers_of
from auditor.transcript.replay import RunRaised
from auditor.transcript.shared import SharedRuns

Answer = tuple[AuditUnit, Verdict, float]
"""A verdict, and the CPU seconds that it took."""

_BY_CASE: dict[str, Callable[[Case, Context], Verdict]] = {
    "real_data": real_data.audit,
    "domain": domain.audit,
    "mutants": mutants.audit,
}


def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
    """Ask one question, until it shows if it must; ``context`` and ``runs`` are the form's."""
    if unit.question not in expected_violations(case, unit.form):
        return _ask_once(case, unit, context, runs)

    def asking(again: Context, fresh: bool) -> Verdict:
        own = SharedRuns(case.forms[unit.form], again) if fresh else runs
        return _ask_once(case, unit, again, own)

    return until_shown(asking, context)


def _ask_once(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
    """Ask one question; where a run raises, all but control flow leave the answer to that."""
    try:
        return _asked(case, unit, context, runs)
    except RunRaised as error:
        if unit.question == "control_flow":  # the same on both data sets: nothing was tried
            raise
        why = f"{error}; the control-flow question decides whether neighbours raise alike"
        return Verdict(unit.question, "inconclusive", why)


def _asked(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
    own = context.at(unit.question)
    if unit.question == "scaling":
        return scaling.audit(case, unit.form, own)
    if unit.question in _BY_CASE:
        return _BY_CASE[unit.question](case, own)
    return BY_FORM[unit.question].ask(case.forms[unit.form], own, runs)


@lru_cache(maxsize=4)
def _built(builder: CaseBuilder) -> Case:
    return builder()


def answer(
    builder: CaseBuilder, units: Sequence[AuditUnit], context: Context, debug: bool
) -> list[Answer]:
    """Answer the questions of one task in a worker; errors become verdicts unless ``debug``.

    Runs that several questions share are made, and their time counted, when the first reads them.
    """
    answers: list[Answer] = []
    runs: SharedRuns | None = None
    for unit in units:
        start = time.process_time()
        try:
            # one thread everywhere: sums must not depend on the number of workers
            with threadpool_limits(limits=1), ledgers_of(context.ledger):
                case = _built(builder)
                runs = runs or SharedRuns(case.forms[unit.form], context)
                verdict = _plain(ask(case, unit, context, runs))
            _require_reportable(verdict, context)
        except BaseException as error:
            pass_interrupts(error)
            if debug:
                raise
            verdict = failed(unit.question, error)
        answers.append((unit, verdict, time.process_time() - start))
    return answers


def _plain(verdict: Verdict) -> Verdict:
    """Return a verdict as it is read back, so that a fresh result and a stored one are equal."""
    return Verdict.from_json(verdict.to_json())


def _require_reportable(verdict: Verdict, context: Context) -> None:
    dump(verdict.to_json())  # raises if some figure is not JSON
    if verdict.status != "violated":
        return
    if not verdict.witness:
        raise ValueError(f"{verdict.question} says violated without a witness")
    if verdict.p_value is not None and verdict.p_value > context.alpha:
        raise ValueError(
            f"{verdict.question} says violated at p = {verdict.p_value:.2g}, its level is "
            f"{context.alpha:.2g}"
        )
