"""Asking: tasks, results that are kept and resumed, processes."""

import json
import os
import signal
import subprocess
import sys
import textwrap
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
from auditor.suite.store import ERROR, Settings, Store
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


def test_the_questions_of_a_form_share_its_runs(tmp_path: Path, answers: Answers) -> None:
    suite.audit(["fake-1"], Settings(seed=2), Store(tmp_path), cases=FAKES)
    of: dict[tuple[AuditUnit, ...], set[int]] = {}
    shared = dict(zip(answers.asked, answers.runs, strict=True))
    for units in tasks(plan(a_case("fake-1"))):
        of[units] = {id(shared[unit]) for unit in units}
    assert [len(ids) for ids in of.values()] == [1, 1, 1, 1, 1]
    assert len(set.union(*of.values())) == 5
    tests = number_of_tests(a_case(), "printed")
    context = shared[AuditUnit("fake-1", "printed", "samplers")].context
    assert context == Context(2, "quick", CONFIDENCE, tests, ("fake-1", "printed"))


def test_results_are_stored_and_not_asked_again(tmp_path: Path, answers: Answers) -> None:
    store = Store(tmp_path)
    seen: list[AuditProgress] = []
    first = suite.audit(["fake-1", "fake-2"], Settings(), store, cases=FAKES, progress=seen.append)
    assert list(first) == ["fake-1", "fake-2"]
    assert len(answers.asked) == 2 * 17
    assert (seen[0].done, seen[0].total, seen[-1].done) == (0, 34, 34)
    answers.asked.clear()
    again = suite.audit(list(FAKES), Settings(), store, cases=FAKES)
    assert {unit.id for unit in answers.asked} == {"fake-3"}
    assert again["fake-1"] == first["fake-1"]
    answers.asked.clear()
    suite.audit(["fake-1"], Settings(seed=1), store, cases=FAKES)
    assert {unit.id for unit in answers.asked} == {"fake-1"}


def test_only_what_depends_on_an_edit_is_asked_again(
    tmp_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    before = suite.audit(list(FAKES), Settings(), store, cases=FAKES)
    answers.asked.clear()
    digest = Sources.digest

    def edited(sources: Sources, *roots: str) -> str:
        return "edited" if "auditor.questions.samplers" in roots else digest(sources, *roots)

    monkeypatch.setattr(Sources, "digest", edited)
    after = suite.audit(list(FAKES), Settings(), store, cases=FAKES)
    assert {(unit.id, unit.form) for unit in answers.asked} == {
        (identifier, form) for identifier in FAKES for form in ("corrected", "printed")
    }
    assert {unit.question for unit in answers.asked} == {"samplers"}
    assert store.load("fake-1") == after["fake-1"] != before["fake-1"]
    assert list(after["fake-1"].forms["printed"].verdicts) == list(
        before["fake-1"].forms["printed"].verdicts
    )
    # nothing is left to ask, whatever the earlier code's verdicts were
    answers.asked.clear()
    suite.audit(list(FAKES), Settings(), store, cases=FAKES)
    assert answers.asked == []


def test_a_new_form_is_asked_and_changes_no_other_printed_form(
    tmp_path: Path, answers: Answers
) -> None:
    store = Store(tmp_path)
    suite.audit(["fake-1"], Settings(), store, cases=FAKES)
    answers.asked.clear()

    def more() -> Case:
        case = a_case("fake-1", {"accounting": "fake/E2"})
        return replace(case, forms={**case.forms, "corrected-2": a_form()})

    suite.audit(["fake-1"], Settings(), store, cases={"fake-1": more})
    # the corrected forms share one level, so that both are asked
    assert {unit.form for unit in answers.asked} == {"corrected", "corrected-2"}


def test_an_earlier_configuration_becomes_the_latest_again(
    tmp_path: Path, answers: Answers
) -> None:
    store = Store(tmp_path)
    first = suite.audit(["fake-1"], Settings(), store, cases=FAKES)
    suite.audit(["fake-1"], Settings(seed=1), store, cases=FAKES)
    answers.asked.clear()
    again = suite.audit(["fake-1"], Settings(), store, cases=FAKES)
    assert answers.asked == []
    assert store.load("fake-1") == first["fake-1"] == again["fake-1"]


def test_the_catalogue_and_the_order_of_work_do_not_change_a_byte(
    tmp_path: Path, answers: Answers
) -> None:
    one, other, alone = (Store(tmp_path / name) for name in ("one", "other", "alone"))
    suite.audit(list(FAKES), Settings(), one, cases=FAKES)
    for name in reversed(FAKES):
        suite.audit([name], Settings(), other, cases=FAKES)
        suite.audit([name], Settings(), alone, cases={name: FAKES[name]})
    for name in FAKES:
        text = (tmp_path / "one" / f"{name}.json").read_bytes()
        assert text == (tmp_path / "other" / f"{name}.json").read_bytes()
        assert text == (tmp_path / "alone" / f"{name}.json").read_bytes()


def test_a_question_that_raises_is_inconclusive_and_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: Answers
) -> None:
    def broken(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        if unit.question == "samplers":
            raise RuntimeError("no such thing\nand more")
        return answers(case, unit, context, runs)

    store = Store(tmp_path)
    monkeypatch.setattr(task, "ask", broken)
    results = suite.audit(["fake-1"], Settings(), store, cases=FAKES)
    verdict = results["fake-1"].forms["corrected"].verdicts["samplers"]
    assert verdict.status == "inconclusive"
    assert "RuntimeError: no such thing;" in verdict.summary
    reasons = [s.question for s in conclude(results, {}).unexpected]
    assert reasons == ["samplers", "samplers"]
    with pytest.raises(RuntimeError, match="no such thing"):
        suite.audit(["fake-1"], Settings(), store, cases=FAKES, debug=True)
    monkeypatch.setattr(task, "ask", answers)
    answers.asked.clear()
    results = suite.audit(["fake-1"], Settings(), store, cases=FAKES)
    assert [unit.question for unit in answers.asked] == ["samplers", "samplers"]
    assert conclude(results, {}).unexpected == ()


@pytest.mark.parametrize(
    "answer",
    [
        Verdict("samplers", "violated", "no witness"),
        Verdict("samplers", "holds", "fine", evidence={"object": object()}),
        Verdict("samplers", "violated", "not significant", witness={"seed": 1}, p_value=0.001),
    ],
)
def test_a_verdict_that_cannot_be_reported_is_an_error(
    tmp_path: Path, answers: Answers, answer: Verdict
) -> None:
    answers.special["corrected", "samplers"] = answer
    results = suite.audit(["fake-1"], Settings(), Store(tmp_path), cases=FAKES)
    verdict = results["fake-1"].forms["corrected"].verdicts["samplers"]
    assert verdict.status == "inconclusive"
    assert ERROR in verdict.evidence


def test_a_case_that_cannot_be_built_is_reported(tmp_path: Path, answers: Answers) -> None:
    def broken() -> Case:
        raise ValueError("no data")

    results = suite.audit(
        ["bad", "fake-1"], Settings(), Store(tmp_path), cases={**FAKES, "bad": broken}
    )
    conclusion = conclude(results, {})
    assert {surprise.id for surprise in conclusion.unexpected} == {"bad"}
    assert "ValueError: no data" in conclusion.unexpected[0].reason
    with pytest.raises(ValueError, match="no data"):
        suite.audit(["bad"], Settings(), Store(tmp_path), cases={"bad": broken}, debug=True)


def test_an_edited_results_file_is_kept_and_redone(tmp_path: Path, answers: Answers) -> None:
    store = Store(tmp_path)
    first = suite.audit(["fake-1"], Settings(), store, cases=FAKES)
    path = tmp_path / "fake-1.json"
    path.write_text(path.read_text().replace('"violated"', '"holds"'))
    answers.asked.clear()
    lines: list[str] = []
    again = suite.audit(["fake-1"], Settings(), store, cases=FAKES, warn=lines.append)
    assert len(answers.asked) == 17
    assert again == first
    assert (tmp_path / "fake-1.json.broken").exists()
    assert "fake-1.json is broken" in lines[0]


def test_a_broken_results_file_is_kept_and_redone(tmp_path: Path, answers: Answers) -> None:
    (tmp_path / "fake-1.json").write_text("{")
    lines: list[str] = []
    store = Store(tmp_path)
    suite.audit(["fake-1"], Settings(), store, cases=FAKES, warn=lines.append)
    assert len(lines) == 1
    assert "fake-1.json is broken; kept as fake-1.json.broken" in lines[0]
    assert (tmp_path / "fake-1.json.broken").read_text() == "{"
    assert store.load("fake-1") is not None


def test_timings_are_kept_apart(tmp_path: Path, answers: Answers) -> None:
    suite.audit(["fake-1"], Settings(), Store(tmp_path), cases=FAKES)
    timings = json.loads((tmp_path / "timings.json").read_text())
    assert set(timings["fake-1"]["corrected"]) == set(QUESTIONS)
    assert "seconds" not in (tmp_path / "fake-1.json").read_text()


@pytest.mark.parametrize("content", ["{", "[" * 100_000, '{"fake-1": 3}', "[]"])
def test_broken_timings_are_set_aside(tmp_path: Path, answers: Answers, content: str) -> None:
    (tmp_path / "timings.json").write_text(content)
    lines: list[str] = []
    suite.audit(["fake-1"], Settings(), Store(tmp_path), cases=FAKES, warn=lines.append)
    (line,) = lines
    assert "timings.json is broken" in line
    assert "kept as timings.json.broken" in line
    assert (tmp_path / "timings.json.broken").read_text() == content
    assert set(json.loads((tmp_path / "timings.json").read_text())) == {"fake-1"}


def test_fresh_asks_everything_again(tmp_path: Path, answers: Answers) -> None:
    store = Store(tmp_path)
    first = suite.audit(list(FAKES), Settings(), store, cases=FAKES)
    answers.asked.clear()
    again = suite.audit(["fake-1"], Settings(), store, cases=FAKES, fresh=True)
    assert len(answers.asked) == 17
    assert again["fake-1"] == first["fake-1"] == store.load("fake-1")


def test_fresh_keeps_a_broken_file(tmp_path: Path, answers: Answers) -> None:
    (tmp_path / "fake-1.json").write_text("{")
    lines: list[str] = []
    store = Store(tmp_path)
    suite.audit(["fake-1"], Settings(), store, cases=FAKES, warn=lines.append, fresh=True)
    assert "kept as fake-1.json.broken" in lines[0]
    assert (tmp_path / "fake-1.json.broken").read_text() == "{"


def test_a_second_audit_in_a_folder_is_refused(tmp_path: Path, answers: Answers) -> None:
    store = Store(tmp_path)
    refused: list[str] = []

    def second(progress: AuditProgress) -> None:
        if progress.done == 1:
            with pytest.raises(InputError, match="another run") as caught:
                suite.audit(["fake-2"], Settings(seed=1), Store(tmp_path), cases=FAKES)
            refused.append(str(caught.value))

    suite.audit(["fake-1"], Settings(), store, cases=FAKES, progress=second)
    assert len(refused) == 1
    assert {unit.id for unit in answers.asked} == {"fake-1"}
    suite.audit(["fake-2"], Settings(), Store(tmp_path), cases=FAKES)


def test_shared_time_is_the_first_readers_and_idle_time_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    suite.audit(["fake-1"], Settings(), Store(tmp_path), cases=FAKES)
    spent = json.loads((tmp_path / "timings.json").read_text())["fake-1"]["corrected"]
    assert spent["privacy_loss"] >= 0.2
    assert max(spent[name] for name in spent if name != "privacy_loss") < 0.02


def test_without_dask_a_scheduler_is_refused_in_one_line(
    tmp_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="needs Dask, which is not installed; pip install"):
        suite.audit(["fake-1"], Settings(), Store(tmp_path), cases=FAKES, scheduler="tcp://a:1")


# ------------------------------------------------------------------------- processes


@pytest.mark.slow
def test_workers_and_the_rest_of_the_catalogue_do_not_change_a_byte(tmp_path: Path) -> None:
    # real questions about one real algorithm, asked in this process and in two others
    name = "diss-5.1.30"
    alone, all_ = {name: builders()[name]}, builders()
    for workers, cases in ((1, alone), (2, all_)):
        store = Store(tmp_path / str(workers))
        suite.audit([name], Settings(seed=3), store, workers=workers, cases=cases)
    first, second = ((tmp_path / str(w) / f"{name}.json").read_bytes() for w in (1, 2))
    assert first == second


KILLED = """
import sys, time
from pathlib import Path
from auditor.suite import task
from auditor.suite import run as suite
from auditor.suite.store import Settings, Store
from auditor.core.verdict import Verdict
from test_suite_fakes import FAKES

log = open("asked.log", "a")

def ask(case, unit, context, runs):
    time.sleep(0.02)
    log.write(f"{unit.id}\\n")
    log.flush()
    return Verdict(unit.question, "holds", "fine")

task.ask = ask
suite.audit(list(FAKES), Settings(), Store(Path("results")), cases=FAKES)
"""

FAKE_MODULE = """
from auditor.described import builders
from auditor.core.case import Case, Form
from reference.privacy.guarantees import PureDP

def build(name):
    form = Form(None, PureDP(1.0), ([0.0], [1.0]), 0, {})
    return lambda: Case(name, {"corrected": form})

FAKES = {name: build(name) for name in ("fake-1", "fake-2", "fake-3")}
"""


@pytest.mark.slow
def test_an_audit_killed_half_way_goes_on_where_it_stopped(tmp_path: Path) -> None:
    (tmp_path / "test_suite_fakes.py").write_text(textwrap.dedent(FAKE_MODULE))
    (tmp_path / "run.py").write_text(textwrap.dedent(KILLED))
    log = tmp_path / "asked.log"
    finished = tmp_path / "results" / "fake-1.json"
    child = subprocess.Popen([sys.executable, "run.py"], cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not finished.exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert finished.exists()
    before = log.read_text().split()
    assert before.count("fake-1") == len(QUESTIONS)
    assert before.count("fake-3") < len(QUESTIONS)
    content = finished.read_bytes()
    subprocess.run([sys.executable, "run.py"], cwd=tmp_path, check=True)
    after = log.read_text().split()[len(before) :]
    assert "fake-1" not in after
    assert after.count("fake-3") == len(QUESTIONS)
    assert finished.read_bytes() == content
    # the kill may leave the temporary file of a write, under a hidden name
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert {name for name in names if not name.startswith(".")} == {
        "fake-1.json",
        "fake-2.json",
        "fake-3.json",
        "timings.json",
    }
