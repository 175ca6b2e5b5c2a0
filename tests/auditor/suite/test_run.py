"""Asking: tasks, results that are kept and resumed, processes."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.core.case import Case, Form
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.input_limits import CONFIDENCE
from auditor.core.verdict import QUESTIONS, Verdict
from auditor.described import builders
from auditor.suite import run as suite
from auditor.suite import task
from auditor.suite.conclude import conclude
from auditor.suite.keys import Sources
from auditor.suite.plan import AuditUnit, number_of_tests, plan, tasks
from auditor.suite.run import AuditProgress
from auditor.suite.store import ERROR, Result, Settings, Store
from auditor.transcript.shared import SharedRuns
from reference.privacy.guarantees import PureDP


def a_form(violates: dict[str, str] | None = None) -> Form:
    def run(data: Any, ledger: Any) -> Any:
        return ledger.laplace(np.mean(data), sensitivity=0.1, scale=0.1)

    data = np.zeros(10)
    other = data.copy()
    other[0] = 1.0
    return Form(run, PureDP(1.0), (data, other), 0, {"n": 10}, violates=violates or {})


def a_case(identifier: str = "fake", violates: dict[str, str] | None = None) -> Case:
    return Case(identifier, {"corrected": a_form(), "printed": a_form(violates)})


def builder(identifier: str) -> Callable[[], Case]:
    return lambda: a_case(identifier, {"accounting": "fake/E2"})


FAKES = {name: builder(name) for name in ("fake-1", "fake-2", "fake-3")}


class Answers:
    """Stands in for the questions: everything holds but what it is told."""

    def __init__(self) -> None:
        self.asked: list[AuditUnit] = []
        self.runs: list[SharedRuns] = []
        self.special: dict[tuple[str, str], Verdict] = {
            ("printed", "accounting"): Verdict(
                "accounting", "violated", "too much", witness={"seed": 1}
            )
        }

    def __call__(self, case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        self.asked.append(unit)
        self.runs.append(runs)
        draw = context.at(unit.question).rng().random()
        default = Verdict(unit.question, "holds", "fine", evidence={"draw": draw})
        return self.special.get((unit.form, unit.question), default)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    stand_in = Answers()
    monkeypatch.setattr(task, "ask", stand_in)
    return stand_in


class Audits:
    """Audits of the fakes with those answers, in one folder."""

    def __init__(self, folder: Path, answers: Answers) -> None:
        self.folder, self.store = folder, Store(folder)
        self.answers, self.lines = answers, list[str]()

    def __call__(
        self, *names: str, seed: int = 0, cases: Any = FAKES, **options: Any
    ) -> dict[str, Result]:
        """Audit some, or all, and forget what was asked before."""
        self.answers.asked.clear()
        settings, given = Settings(seed=seed), names or tuple(cases)
        return suite.audit(
            given, settings, self.store, cases=cases, warn=self.lines.append, **options
        )

    @property
    def asked(self) -> list[AuditUnit]:
        return self.answers.asked

    def file(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture
def audit(tmp_path: Path, answers: Answers) -> Audits:
    return Audits(tmp_path, answers)


def holds(question: str) -> Verdict:
    return Verdict(question, "holds", "fine")


# ------------------------------------------------------------------------- asking


def test_every_question_has_randomness_and_a_share_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contexts: list[Context] = []

    def record(case_or_form: Any, context: Context, runs: Any = None) -> Verdict:
        contexts.append(context)
        return holds("accounting")

    asked = {name: replace(question, ask=record) for name, question in task.BY_FORM.items()}
    monkeypatch.setattr(task, "BY_FORM", asked)
    monkeypatch.setattr(task, "_BY_CASE", dict.fromkeys(task._BY_CASE, record))
    whole = Context(seed=4, tests=10)
    units = [unit for name in ("a", "b") for unit in plan(a_case(name))]
    for unit in units:
        if unit.question != "scaling":
            context = whole.at(unit.id, unit.form)
            task.ask(a_case(unit.id), unit, context, SharedRuns(a_form(), context))
    draws = {float(context.rng().random()) for context in contexts}
    assert len(draws) == len(contexts) == 2 * 15
    assert {context.alpha for context in contexts} == {whole.alpha}
    assert [context.path for context in contexts[:1]] == [("a", "corrected", "accounting")]


def test_the_questions_of_a_form_share_its_runs(audit: Audits) -> None:
    audit("fake-1", seed=2)
    shared = dict(zip(audit.asked, audit.answers.runs, strict=True))
    groups = [{id(shared[unit]) for unit in units} for units in tasks(plan(a_case("fake-1")))]
    assert [len(ids) for ids in groups] == [1, 1, 1, 1, 1]
    assert len(set.union(*groups)) == 5
    tests = number_of_tests(a_case(), "printed")
    context = shared[AuditUnit("fake-1", "printed", "samplers")].context
    assert context == Context(2, "quick", CONFIDENCE, tests, ("fake-1", "printed"))


def test_results_are_stored_and_not_asked_again_unless_fresh(audit: Audits) -> None:
    seen: list[AuditProgress] = []
    first = audit("fake-1", "fake-2", progress=seen.append)
    assert list(first) == ["fake-1", "fake-2"]
    assert len(audit.asked) == 2 * 17
    assert (seen[0].done, seen[0].total, seen[-1].done) == (0, 34, 34)
    again = audit()
    assert {unit.id for unit in audit.asked} == {"fake-3"}
    assert again["fake-1"] == first["fake-1"]
    other = audit("fake-1", seed=1)
    assert len(audit.asked) == 17
    # an earlier configuration becomes the latest again
    assert audit.store.load("fake-1") == other["fake-1"] != first["fake-1"]
    audit("fake-1")
    assert audit.asked == []
    assert audit.store.load("fake-1") == first["fake-1"]
    assert audit("fake-1", fresh=True)["fake-1"] == first["fake-1"] == audit.store.load("fake-1")
    assert len(audit.asked) == 17
    timings = json.loads(audit.file("timings.json"))
    assert set(timings["fake-1"]["corrected"]) == set(QUESTIONS)
    assert "seconds" not in audit.file("fake-1.json")


def test_an_audit_that_is_interrupted_goes_on_where_it_stopped(audit: Audits) -> None:
    def interrupt(progress: AuditProgress) -> None:
        if progress.done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(progress=interrupt)
    assert list(audit.store.load_all(FAKES)) == ["fake-1"]
    content = audit.file("fake-1.json")
    audit()
    assert {unit.id for unit in audit.asked} == {"fake-2", "fake-3"}
    assert audit.file("fake-1.json") == content


def test_only_what_depends_on_an_edit_is_asked_again(
    audit: Audits, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = audit()
    digest = Sources.digest

    def edited(sources: Sources, *roots: str) -> str:
        return "edited" if "auditor.questions.samplers" in roots else digest(sources, *roots)

    monkeypatch.setattr(Sources, "digest", edited)
    after = audit()
    assert {(unit.id, unit.form) for unit in audit.asked} == {
        (identifier, form) for identifier in FAKES for form in ("corrected", "printed")
    }
    assert {unit.question for unit in audit.asked} == {"samplers"}
    assert audit.store.load("fake-1") == after["fake-1"] != before["fake-1"]
    one, other = (results["fake-1"].forms["printed"].verdicts for results in (after, before))
    assert list(one) == list(other)
    # nothing is left to ask, whatever the earlier code's verdicts were
    audit()
    assert audit.asked == []


def test_a_new_form_is_asked_and_changes_no_other_printed_form(audit: Audits) -> None:
    audit("fake-1")

    def more() -> Case:
        case = a_case("fake-1", {"accounting": "fake/E2"})
        return replace(case, forms={**case.forms, "corrected-2": a_form()})

    audit(cases={"fake-1": more})
    # the corrected forms share one level, so that both are asked
    assert {unit.form for unit in audit.asked} == {"corrected", "corrected-2"}


def test_the_catalogue_and_the_order_of_work_do_not_change_a_byte(
    tmp_path: Path, answers: Answers
) -> None:
    one, other, alone = (Audits(tmp_path / name, answers) for name in ("one", "other", "alone"))
    one()
    for name in reversed(FAKES):
        other(name)
        alone(cases={name: FAKES[name]})
    for name in FAKES:
        file = f"{name}.json"
        assert one.file(file) == other.file(file) == alone.file(file)


def test_a_question_that_raises_is_inconclusive_and_asked_again(
    audit: Audits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        if unit.question == "samplers":
            raise RuntimeError("no such thing\nand more")
        return audit.answers(case, unit, context, runs)

    monkeypatch.setattr(task, "ask", broken)
    results = audit("fake-1")
    verdict = results["fake-1"].forms["corrected"].verdicts["samplers"]
    assert verdict.status == "inconclusive"
    assert "RuntimeError: no such thing;" in verdict.summary
    reasons = [s.question for s in conclude(results, {}).unexpected]
    assert reasons == ["samplers", "samplers"]
    with pytest.raises(RuntimeError, match="no such thing"):
        audit("fake-1", debug=True)
    monkeypatch.setattr(task, "ask", audit.answers)
    results = audit("fake-1")
    assert [unit.question for unit in audit.asked] == ["samplers", "samplers"]
    assert conclude(results, {}).unexpected == ()


@pytest.mark.parametrize(
    "answer",
    [
        Verdict("samplers", "violated", "no witness"),
        Verdict("samplers", "holds", "fine", evidence={"object": object()}),
        Verdict("samplers", "violated", "not significant", witness={"seed": 1}, p_value=0.001),
    ],
)
def test_a_verdict_that_cannot_be_reported_is_an_error(audit: Audits, answer: Verdict) -> None:
    audit.answers.special["corrected", "samplers"] = answer
    verdict = audit("fake-1")["fake-1"].forms["corrected"].verdicts["samplers"]
    assert verdict.status == "inconclusive"
    assert ERROR in verdict.evidence


def test_a_case_that_cannot_be_built_is_reported(audit: Audits) -> None:
    def broken() -> Case:
        raise ValueError("no data")

    conclusion = conclude(audit("bad", "fake-1", cases={**FAKES, "bad": broken}), {})
    assert {surprise.id for surprise in conclusion.unexpected} == {"bad"}
    assert "ValueError: no data" in conclusion.unexpected[0].reason
    with pytest.raises(ValueError, match="no data"):
        audit(cases={"bad": broken}, debug=True)


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize(
    "edit", [lambda text: text.replace('"violated"', '"holds"'), lambda _: "{"]
)
def test_a_broken_results_file_is_kept_and_redone(
    audit: Audits, edit: Callable[[str], str], fresh: bool
) -> None:
    first = audit("fake-1")
    broken = edit(audit.file("fake-1.json"))
    (audit.folder / "fake-1.json").write_text(broken)
    again = audit("fake-1", fresh=fresh)
    assert len(audit.asked) == 17
    assert again["fake-1"] == first["fake-1"] == audit.store.load("fake-1")
    (line,) = audit.lines
    assert "fake-1.json is broken; kept as fake-1.json.broken" in line
    assert audit.file("fake-1.json.broken") == broken


def test_broken_timings_are_set_aside(audit: Audits) -> None:
    (audit.folder / "timings.json").write_text('{"fake-1": 3}')
    audit("fake-1")
    (line,) = audit.lines
    assert "timings.json is broken; kept as timings.json.broken" in line
    assert audit.file("timings.json.broken") == '{"fake-1": 3}'
    assert set(json.loads(audit.file("timings.json"))) == {"fake-1"}


def test_a_second_audit_in_a_folder_is_refused(audit: Audits) -> None:
    refused: list[str] = []

    def second(progress: AuditProgress) -> None:
        if progress.done == 1:
            with pytest.raises(
                InputError, match=r"another run is writing to .*--results"
            ) as caught:
                suite.audit(["fake-2"], Settings(seed=1), Store(audit.folder), cases=FAKES)
            refused.append(str(caught.value))

    audit("fake-1", progress=second)
    assert len(refused) == 1
    assert {unit.id for unit in audit.asked} == {"fake-1"}
    audit("fake-2")


def test_shared_time_is_the_first_readers_and_idle_time_nobodys(
    audit: Audits, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: set[int] = set()

    def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        time.sleep(0.02)
        if unit.question == "privacy_loss" and id(runs) not in made:
            made.add(id(runs))
            start = time.process_time()
            while time.process_time() - start < 0.2:
                pass
        return holds(unit.question)

    monkeypatch.setattr(task, "ask", ask)
    audit("fake-1")
    spent = json.loads(audit.file("timings.json"))["fake-1"]["corrected"]
    assert spent["privacy_loss"] >= 0.2
    assert max(spent[name] for name in spent if name != "privacy_loss") < 0.02


def test_without_dask_a_scheduler_is_refused_in_one_line(
    audit: Audits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="needs Dask, which is not installed; pip install"):
        audit("fake-1", scheduler="tcp://a:1")


# ------------------------------------------------------------------------- processes


def test_workers_and_the_rest_of_the_catalogue_do_not_change_a_byte(tmp_path: Path) -> None:
    # real questions about one real algorithm, asked in this process and in two others
    name = "diss-5.1.30"
    alone, all_ = {name: builders()[name]}, builders()
    for workers, cases in ((1, alone), (2, all_)):
        store = Store(tmp_path / str(workers))
        suite.audit([name], Settings(seed=3), store, workers=workers, cases=cases)
    first, second = ((tmp_path / str(w) / f"{name}.json").read_bytes() for w in (1, 2))
    assert first == second
