"""The suite: every question about every form of every algorithm, and what follows from all of it.

:func:`audit` asks the questions, in parallel and resumably; :func:`conclude` corrects for their
number (Holm), lets a surviving mutant weaken the corrected form, and compares what was found with
what the catalogue expects.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib import metadata
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from auditor.cases import builders
from auditor.core.case import Case
from auditor.core.context import Context
from auditor.core.errors import InputError, one_line
from auditor.core.verdict import QUESTIONS, Verdict, jsonable
from auditor.experiments import experiment
from auditor.questions import mutants, real_data, scaling
from auditor.questions.table import BY_FORM
from auditor.statistics.combination import holm
from auditor.suite.store import (
    BrokenResultError,
    FormResult,
    Result,
    Settings,
    Store,
    dump,
    key,
)
from auditor.transcript.shared import SharedRuns
from reference.catalogue import Entry
from reference.privacy.guarantees import PureDP

Builder = Callable[[], Case]
CORRECTED = "corrected"

# Asked once per algorithm, about its corrected form.
OF_THE_CASE = ("real_data", "experiments", "mutants")

# A verdict carries the error of its question under this key of its evidence.
ERROR = "error"


@dataclass(frozen=True)
class Unit:
    """One question about one form of one algorithm; the grain of parallel work."""

    id: str
    form: str
    question: str


# ------------------------------------------------------------------------- what to ask


def plan(case: Case) -> tuple[Unit, ...]:
    """Return the questions about an algorithm, in the order in which they are reported."""
    return tuple(
        Unit(case.id, form, question)
        for form in case.forms
        for question in QUESTIONS
        if form == CORRECTED or question not in OF_THE_CASE
    )


def number_of_tests(cases: Iterable[Case]) -> int:
    """Return how many statistical verdicts the suite gives about these cases, at least 1.

    One for every form's privacy losses, black box, samplers and scaling, and one for real data;
    a question that tests several hypotheses splits its own share among them.
    """
    total = 0
    for case in cases:
        total += 3 * len(case.forms) + len({recipe.form for recipe in case.scaling})
        total += bool(case.real_data)
    return max(total, 1)


def expected_violations(case: Case, form: str) -> dict[str, tuple[int, ...]]:
    """Return question -> errata that this form must show as violations."""
    expected: dict[str, tuple[int, ...]] = {
        question: (number,) for question, number in case.forms[form].violates.items()
    }
    slopes = tuple(
        recipe.erratum
        for recipe in case.scaling
        if recipe.form == form and recipe.erratum is not None
    )
    if slopes:
        expected["scaling"] = slopes
    return expected


# ------------------------------------------------------------------------- asking

_BY_CASE: dict[str, Callable[[Case, Context], Verdict]] = {
    "real_data": real_data.audit,
    "experiments": experiment.audit,
    "mutants": mutants.audit,
}


def ask(case: Case, unit: Unit, context: Context) -> Verdict:
    """Ask one question; ``context`` is the suite's, the question gets its own part of it."""
    whole = context.at(unit.id, unit.form)
    own = whole.at(unit.question)
    if unit.question == "scaling":
        return scaling.audit(case, unit.form, own)
    if unit.question in _BY_CASE:
        return _BY_CASE[unit.question](case, own)
    form = case.forms[unit.form]
    return BY_FORM[unit.question].ask(form, own, SharedRuns(form, whole))


@lru_cache(maxsize=4)
def _built(builder: Builder) -> Case:
    return builder()


def _answer(
    builder: Builder, unit: Unit, context: Context, debug: bool
) -> tuple[Unit, Verdict, float]:
    """Answer one question in a worker; an error becomes a verdict unless ``debug``."""
    start = time.perf_counter()
    try:
        # one thread everywhere: sums must not depend on the number of workers
        with threadpool_limits(limits=1):
            verdict = _plain(ask(_built(builder), unit, context))
        _require_reportable(verdict)
    except Exception as error:
        if debug:
            raise
        verdict = _failed(unit.question, error)
    return unit, verdict, time.perf_counter() - start


def _plain(verdict: Verdict) -> Verdict:
    """Return a verdict as it is read back, so that a fresh result and a stored one are equal."""
    return Verdict.from_json(verdict.to_json())


def _require_reportable(verdict: Verdict) -> None:
    dump(verdict.to_json())  # raises if some figure is not JSON
    if verdict.status == "violated" and not verdict.witness:
        raise ValueError(f"{verdict.question} says violated without a witness")


def _failed(question: str, error: Exception) -> Verdict:
    return Verdict(
        question,
        "inconclusive",
        f"the audit itself failed with {one_line(error)}; --debug shows where",
        evidence={ERROR: one_line(error)},
    )


# ------------------------------------------------------------------------- the audit


@dataclass(frozen=True)
class Progress:
    """What a progress display is told after every answer (``unit`` is None at the start)."""

    done: int
    total: int
    resumed: int
    unit: Unit | None


def audit(
    identifiers: Sequence[str],
    settings: Settings,
    store: Store,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    debug: bool = False,
    cases: Mapping[str, Builder] | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    warn: Callable[[str], None] = lambda _: None,
) -> dict[str, Result]:
    """Audit algorithms, keeping each one's result in ``store`` as soon as it is finished.

    Parameters
    ----------
    identifiers : sequence of str
        Ids with an audit case.
    settings : Settings
        ``settings.tests`` is replaced by that of the whole catalogue, so that auditing one
        algorithm alone gives what auditing all of them gives.
    store : Store
        Results there with the same key are used instead of repeated.
    workers : int, default 1
        Processes on this machine. Results do not depend on it.
    scheduler : str, optional
        Address of a Dask scheduler to run on instead.
    debug : bool, default False
        Let the error of a question through instead of making it a verdict.
    cases : mapping, optional
        id -> builder; by default :func:`auditor.core.case.builders`.
    progress : callable, optional
        Called with a :class:`Progress` at the start and after every answer.
    warn : callable, optional
        Called with one line about each broken results file.

    Returns
    -------
    dict
        id -> :class:`~auditor.suite.store.Result`, in the order of ``identifiers``.

    Raises
    ------
    InputError
        On an unwritable store, or a scheduler that cannot be reached.
    """
    table = dict(builders() if cases is None else cases)
    built = {identifier: _try_to_build(builder, debug) for identifier, builder in table.items()}
    settings = replace(
        settings, tests=number_of_tests(c for c in built.values() if isinstance(c, Case))
    )
    store.require_writable()
    results: dict[str, Result] = {}
    open_units: dict[str, dict[Unit, Verdict | None]] = {}
    for identifier in identifiers:
        finished = _stored(store, identifier, settings, warn)
        case = built[identifier]
        if finished is not None:
            results[identifier] = finished
        elif isinstance(case, Case):
            open_units[identifier] = dict.fromkeys(plan(case))
        else:
            results[identifier] = _unbuilt(identifier, settings, case)
    units = [unit for answers in open_units.values() for unit in answers]
    progress(Progress(0, len(units), len(results), None))
    timings = _Timings(store)
    jobs = [(table[unit.id], unit, settings.context(), debug) for unit in units]
    answered = _in_parallel(jobs, workers, scheduler)
    for done, (unit, verdict, seconds) in enumerate(answered, start=1):
        answers = open_units[unit.id]
        answers[unit] = verdict
        timings.add(unit, seconds)
        if None not in answers.values():
            case = built[unit.id]
            assert isinstance(case, Case)
            results[unit.id] = _result(case, settings, answers)
            store.save(results[unit.id])
            timings.save()
        progress(Progress(done, len(units), len(results), unit))
    return {identifier: results[identifier] for identifier in identifiers}


def _try_to_build(builder: Builder, debug: bool) -> Case | Exception:
    try:
        return builder()
    except Exception as error:
        if debug:
            raise
        return error


def _stored(
    store: Store, identifier: str, settings: Settings, warn: Callable[[str], None]
) -> Result | None:
    """Return a finished result that is still valid; one with a failed question is not."""
    try:
        found = store.load_current(identifier, key(identifier, settings))
    except BrokenResultError as error:
        kept = store.set_aside(error.path)
        warn(f"{error.path} is broken; kept as {kept.name}, auditing {identifier} again")
        return None
    return None if found is None or _has_errors(found) else found


def _has_errors(result: Result) -> bool:
    return any(
        ERROR in verdict.evidence
        for form in result.forms.values()
        for verdict in form.verdicts.values()
    )


def _in_parallel(
    jobs: Sequence[tuple[Builder, Unit, Context, bool]], workers: int, scheduler: str | None
) -> Iterator[tuple[Unit, Verdict, float]]:
    """Yield answers as they come, from this machine's processes or from a Dask cluster."""
    tasks = [joblib.delayed(_answer)(*job) for job in jobs]
    try:
        if scheduler is None:
            yield from joblib.Parallel(workers, return_as="generator_unordered", batch_size=1)(
                tasks
            )
            return
        with dask_cluster(scheduler), joblib.parallel_config(backend="dask"):
            yield from joblib.Parallel(return_as="generator_unordered", batch_size=1)(tasks)
    except TerminatedWorkerError:
        raise InputError(
            "a worker process was killed, perhaps for want of memory; finished work is kept, run "
            "the same command with fewer --workers to go on"
        ) from None


@contextmanager
def dask_cluster(address: str) -> Iterator[None]:
    """Connect to a Dask scheduler; raise InputError if there is no Dask or no scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "--scheduler needs Dask, which is not installed; pip install 'dp-touchstone[cluster]'"
        ) from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address} ({one_line(error)}); check the address"
        ) from None
    with client:
        yield


def _result(case: Case, settings: Settings, answers: Mapping[Unit, Verdict | None]) -> Result:
    forms = {}
    for name, form in case.forms.items():
        claim = form.claim
        forms[name] = FormResult(
            claim=claim.describe(),
            epsilon=getattr(claim, "epsilon", None),
            delta=getattr(claim, "delta", 0.0 if isinstance(claim, PureDP) else None),
            design=None if form.design is None else form.design.describe(),
            parameters=jsonable(form.parameters),
            expected=expected_violations(case, name),
            verdicts={
                unit.question: verdict
                for unit, verdict in answers.items()
                if unit.form == name and verdict is not None
            },
        )
    return Result(case.id, key(case.id, settings), settings, forms)


def _unbuilt(identifier: str, settings: Settings, error: Exception) -> Result:
    verdicts = {question: _failed(question, error) for question in QUESTIONS}
    form = FormResult("unknown", None, None, None, {}, {}, verdicts)
    return Result(identifier, key(identifier, settings), settings, {CORRECTED: form})


class _Timings:
    """Seconds of every question, kept apart from the results so that those are reproducible."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seconds: dict[str, dict[str, dict[str, float]]] = (
            store.read_json("timings.json", "timings") or {}
        )

    def add(self, unit: Unit, seconds: float) -> None:
        forms = self._seconds.setdefault(unit.id, {})
        forms.setdefault(unit.form, {})[unit.question] = round(seconds, 4)

    def save(self) -> None:
        self._store.write_json("timings.json", self._seconds)


# ------------------------------------------------------------------------- concluding


@dataclass(frozen=True)
class Surprise:
    """Something that the catalogue does not expect; any makes the exit status 1."""

    id: str
    form: str
    question: str
    reason: str


@dataclass(frozen=True)
class Conclusion:
    """What a set of results says after the suite's corrections.

    Attributes
    ----------
    results : mapping
        id -> :class:`~auditor.suite.store.Result` with the final verdicts.
    unexpected : tuple of Surprise
    reproduced : tuple of (Unit, errata)
        The errata that showed as violations, as they should.
    """

    results: Mapping[str, Result]
    unexpected: tuple[Surprise, ...]
    reproduced: tuple[tuple[Unit, tuple[int, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the object of ``touchstone audit --format json``."""
        algorithms: dict[str, Any] = {}
        claims: dict[str, Any] = {}
        for identifier, result in self.results.items():
            stored = result.to_json()
            forms = stored["forms"]
            algorithms[identifier] = {name: form.pop("verdicts") for name, form in forms.items()}
            claims[identifier] = {
                name: {**form, "settings": stored["settings"]} for name, form in forms.items()
            }
        return {
            "touchstone": version(),
            "algorithms": algorithms,
            "claims": claims,
            "unexpected": [asdict(surprise) for surprise in self.unexpected],
            "reproduced": [
                {**asdict(unit), "errata": list(errata)} for unit, errata in self.reproduced
            ],
        }


def version() -> str:
    """Return the installed version."""
    return metadata.version("dp-touchstone")


def conclude(results: Mapping[str, Result], catalogue: Mapping[str, Entry]) -> Conclusion:
    """Correct the verdicts for their number and compare them with what is expected.

    Parameters
    ----------
    results : mapping
        id -> result as the questions answered.
    catalogue : mapping
        id -> entry, for the errata that a result must reproduce.
    """
    final = _weaken(_holm(results))
    unexpected: list[Surprise] = []
    reproduced: list[tuple[Unit, tuple[int, ...]]] = []
    for identifier, result in final.items():
        for name, form in result.forms.items():
            for question, verdict in form.verdicts.items():
                errata = form.expected.get(question, ())
                reason = _surprise(verdict, errata)
                if reason:
                    unexpected.append(Surprise(identifier, name, question, reason))
                elif errata:
                    reproduced.append((Unit(identifier, name, question), errata))
        if identifier in catalogue:
            unexpected.extend(_missing(catalogue[identifier], result))
    return Conclusion(final, tuple(unexpected), tuple(reproduced))


def _surprise(verdict: Verdict, errata: tuple[int, ...]) -> str:
    if ERROR in verdict.evidence:
        return verdict.summary
    if errata and verdict.status != "violated":
        numbers = ", ".join(map(str, errata))
        return f"{verdict.status}, but erratum {numbers} should show: {verdict.summary}"
    if not errata and verdict.status == "violated":
        return f"violated: {verdict.summary}"
    if verdict.question == "mutants" and verdict.status == "inconclusive":
        return f"a mutant survived: {verdict.summary}"
    return ""


def _missing(entry: Entry, result: Result) -> Iterator[Surprise]:
    """Yield the errata said to be reproduced by an audit that does not expect them."""
    for erratum in entry.errata:
        scheme, _, where = erratum.reproduced_by.partition(":")
        if scheme != "audit":
            continue
        form, _, question = where.partition("/")
        expected = result.forms[form].expected if form in result.forms else {}
        if erratum.number not in expected.get(question, ()):
            reason = f"no audit case reproduces erratum {erratum.number} there"
            yield Surprise(entry.id, form, question, reason)


def _holm(results: Mapping[str, Result]) -> dict[str, Result]:
    """Keep a statistical violation only if Holm's method rejects over all p-values.

    The tests of the catalogue that were not run count as hypotheses too, so that a part of the
    suite is no less strict than the whole.
    """
    by_settings: dict[Settings, list[tuple[Unit, float]]] = {}
    for unit, verdict, settings in _verdicts(results):
        if verdict.p_value is not None:
            by_settings.setdefault(settings, []).append((unit, verdict.p_value))
    kept: set[Unit] = set()
    for settings, tested in by_settings.items():
        not_run = max(0, settings.tests - len(tested))
        rejected = holm([p for _, p in tested] + [1.0] * not_run, 1 - settings.confidence)
        kept.update(unit for (unit, _), reject in zip(tested, rejected, strict=False) if reject)

    def corrected(unit: Unit, verdict: Verdict) -> Verdict:
        if verdict.status != "violated" or verdict.p_value is None or unit in kept:
            return verdict
        return verdict.with_status(
            "inconclusive",
            f"p = {verdict.p_value:.2g} is not significant among all tests of the suite (Holm); "
            "more samples (--tier full) would settle it",
        )

    return _map(results, corrected)


def _weaken(results: Mapping[str, Result]) -> dict[str, Result]:
    """Turn what holds for a corrected form into inconclusive where a mutant survived."""

    def corrected(unit: Unit, verdict: Verdict) -> Verdict:
        if unit.form != CORRECTED or verdict.status != "holds":
            return verdict
        verdict_on_mutants = results[unit.id].forms[CORRECTED].verdicts.get("mutants")
        if verdict_on_mutants is None or verdict_on_mutants.status == "holds":
            return verdict
        if verdict_on_mutants.status == "not applicable":
            return verdict
        return verdict.with_status(
            "inconclusive", "a broken twin of this algorithm passes the audit unnoticed (mutants)"
        )

    return _map(results, corrected)


def _verdicts(results: Mapping[str, Result]) -> Iterator[tuple[Unit, Verdict, Settings]]:
    for identifier, result in results.items():
        for name, form in result.forms.items():
            for question, verdict in form.verdicts.items():
                yield Unit(identifier, name, question), verdict, result.settings


def _map(
    results: Mapping[str, Result], change: Callable[[Unit, Verdict], Verdict]
) -> dict[str, Result]:
    return {
        identifier: replace(
            result,
            forms={
                name: replace(
                    form,
                    verdicts={
                        question: change(Unit(identifier, name, question), verdict)
                        for question, verdict in form.verdicts.items()
                    },
                )
                for name, form in result.forms.items()
            },
        )
        for identifier, result in results.items()
    }
