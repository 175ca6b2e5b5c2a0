"""Audits: every planned question about every form, in parallel and resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.core.case import Case, CaseBuilder
from auditor.core.context import Context
from auditor.core.errors import pass_interrupts
from auditor.core.verdict import QUESTIONS, Verdict, jsonable
from auditor.described import builders
from auditor.runs.parallel import in_parallel
from auditor.suite import cluster
from auditor.suite.keys import Sources, code, key
from auditor.suite.plan import (
    CORRECTED,
    AuditUnit,
    expected_violations,
    number_of_tests,
    plan,
    tasks,
)
from auditor.suite.store import (
    ERROR,
    BrokenResultError,
    FormResult,
    Result,
    Settings,
    Store,
    failed,
)
from reference.privacy.guarantees import PureDP

if TYPE_CHECKING:
    from auditor.suite.task import Answer


Job = tuple[CaseBuilder, tuple[AuditUnit, ...], Context, bool]
"""The arguments of :func:`auditor.suite.task.answer`."""


@dataclass(frozen=True)
class AuditProgress:
    """State of an audit after an answer (``unit`` is None at the start), for a progress display."""

    done: int
    total: int
    resumed: int
    unit: AuditUnit | None


@dataclass
class _Audit:
    """The questions about one algorithm with their keys, and what is known of their answers."""

    case: Case
    keys: dict[AuditUnit, str]
    answers: dict[AuditUnit, Verdict]

    def open_units(self) -> tuple[AuditUnit, ...]:
        """Return the questions that are still to be run."""
        return tuple(unit for unit in self.keys if unit not in self.answers)


def audit(
    identifiers: Sequence[str],
    settings: Settings,
    store: Store,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    fresh: bool = False,
    debug: bool = False,
    cases: Mapping[str, CaseBuilder] | None = None,
    folders: Sequence[str] = (),
    progress: Callable[[AuditProgress], None] = lambda _: None,
    warn: Callable[[str], None] = lambda _: None,
) -> dict[str, Result]:
    """Audit algorithms, keeping each one's result in ``store`` as soon as it is finished.

    Parameters
    ----------
    identifiers : sequence of str
        Ids with an audit case.
    settings : Settings
    store : Store
        Verdicts there with the same key are used again.
    workers : int, default 1
        Processes on this machine. Results do not depend on it.
    scheduler : str, optional
        Address of a Dask scheduler to run on instead.
    fresh : bool, default False
        Run every question again, whatever is in ``store``.
    debug : bool, default False
        Let the error of a question through instead of making it a verdict.
    cases : mapping, optional
        id -> builder; by default :func:`auditor.described.builders`.
    folders : sequence of str
        Where modules of ``cases`` are found that are not installed.
    progress : callable, optional
        Called with a :class:`AuditProgress` at the start and after every answer.
    warn : callable, optional
        Called with one line about each broken results file, and about the cluster.

    Returns
    -------
    dict
        id -> :class:`~auditor.suite.store.Result`, in the order of ``identifiers``.

    Raises
    ------
    InputError
        On an unwritable store, one that another audit writes to, a scheduler that cannot be
        reached or is lost, or a worker of its with other code.
    """
    table = builders() if cases is None else cases
    store.require_writable()
    with store.locked():
        sources = Sources()
        results: dict[str, Result] = {}
        audits: dict[str, _Audit] = {}
        for identifier in identifiers:
            try:
                case = table[identifier]()
            except BaseException as error:
                pass_interrupts(error)
                if debug:
                    raise
                results[identifier] = _unbuilt(identifier, settings, error)
                continue
            keys = {
                unit: key(
                    sources, table[identifier].__module__, unit, _context(case, unit, settings)
                )
                for unit in plan(case)
            }
            known = _known(store, identifier, keys, warn)
            audits[identifier] = _Audit(case, keys, {} if fresh else known)
            if not audits[identifier].open_units():
                results[identifier] = _finish(audits[identifier], settings, store)
        jobs: list[Job] = [
            (table[own.case.id], task, _context(own.case, task[0], settings), debug)
            for own in audits.values()
            for task in tasks(own.open_units())
        ]
        total = sum(len(task) for _, task, _, _ in jobs)
        done = 0
        progress(AuditProgress(done, total, len(results), None))
        timings = _Timings(store, warn)
        if scheduler is None or not jobs:
            answers = _in_parallel(jobs, workers)
        else:
            answers = _on_cluster(jobs, scheduler, sources, folders, warn)
        for unit, verdict, seconds in answers:
            done += 1
            own = audits[unit.id]
            own.answers[unit] = verdict
            timings.add(unit, seconds)
            if not own.open_units():
                results[unit.id] = _finish(own, settings, store)
                timings.save()
            progress(AuditProgress(done, total, len(results), unit))
        return {identifier: results[identifier] for identifier in identifiers}


def _context(case: Case, unit: AuditUnit, settings: Settings) -> Context:
    """Return the context of a unit's form."""
    return settings.context(number_of_tests(case, unit.form)).at(case.id, unit.form)


def _known(
    store: Store, identifier: str, keys: Mapping[AuditUnit, str], warn: Callable[[str], None]
) -> dict[AuditUnit, Verdict]:
    """Return the stored verdicts that are still valid; a failed question is run again."""
    try:
        stored = store.verdicts(identifier)
    except BrokenResultError as error:
        kept = store.set_aside(error.path)
        warn(f"{error.path} is broken; kept as {kept.name}, auditing {identifier} again")
        stored = store.verdicts(identifier)
    found = {unit: stored[own] for unit, own in keys.items() if own in stored}
    return {unit: verdict for unit, verdict in found.items() if ERROR not in verdict.evidence}


def _finish(own: _Audit, settings: Settings, store: Store) -> Result:
    """Return the result of an audit without open questions, stored as the latest."""
    result = _result(own, settings)
    if store.load(own.case.id) != result:
        store.save(result)
    return result


def _in_parallel(jobs: Sequence[Job], workers: int) -> Iterator[Answer]:
    """Yield answers as they come from this machine's processes."""
    if not jobs:
        return
    from auditor.suite.task import answer  # the questions load slowly

    for answers in in_parallel(answer, jobs, workers):
        yield from answers


def _on_cluster(
    jobs: Sequence[Job],
    scheduler: str,
    sources: Sources,
    folders: Sequence[str],
    warn: Callable[[str], None],
) -> Iterator[Answer]:
    """Yield answers as they come from the workers of a Dask cluster."""
    from auditor.suite.task import answer  # the questions load slowly

    roots = sorted({answer.__module__, *(builder.__module__ for builder, *_ in jobs)})
    own = code(sources, *roots)
    there = cluster.Modules(tuple(roots), tuple(folders))
    for answers in cluster.answers(scheduler, answer, jobs, own, there, warn):
        yield from answers


def _result(own: _Audit, settings: Settings) -> Result:
    forms = {}
    for name, form in own.case.forms.items():
        claim = form.claim
        units = [unit for unit in own.keys if unit.form == name]
        forms[name] = FormResult(
            claim=claim.describe(),
            epsilon=getattr(claim, "epsilon", None),
            delta=getattr(claim, "delta", 0.0 if isinstance(claim, PureDP) else None),
            design=None if form.design is None else form.design.describe(),
            parameters=jsonable(form.parameters),
            expected=expected_violations(own.case, name),
            tests=number_of_tests(own.case, name),
            verdicts={unit.question: own.answers[unit] for unit in units},
            keys={unit.question: own.keys[unit] for unit in units},
        )
    return Result(own.case.id, settings, forms)


def _unbuilt(identifier: str, settings: Settings, error: BaseException) -> Result:
    """Return the result of an algorithm whose case cannot be built; it is not stored."""
    verdicts = {question: failed(question, error) for question in QUESTIONS}
    form = FormResult("unknown", None, None, None, {}, {}, 1, verdicts, {})
    return Result(identifier, settings, {CORRECTED: form})


class _Timings:
    """CPU seconds of every question, kept apart from the results so that those are reproducible."""

    def __init__(self, store: Store, warn: Callable[[str], None]) -> None:
        self._store = store
        stored = store.read_beside("timings.json", "timings", warn)
        self._seconds: dict[str, dict[str, dict[str, float]]] = stored or {}

    def add(self, unit: AuditUnit, seconds: float) -> None:
        forms = self._seconds.setdefault(unit.id, {})
        forms.setdefault(unit.form, {})[unit.question] = round(seconds, 4)

    def save(self) -> None:
        self._store.write_json("timings.json", self._seconds)
