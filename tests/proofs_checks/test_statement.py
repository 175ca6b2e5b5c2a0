"""The contract of a numbered statement, on statements made up here."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from proofs_checks import coq
from proofs_checks import statement as module
from proofs_checks.extras import MissingExtraError
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Statement, find, not_checkable, run, statement, statements, twin
from proofs_checks.vocabulary import searched


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every test register its statements in a copy."""
    statements()
    monkeypatch.setattr(module, "_REGISTRY", dict(module._REGISTRY))


def at_most(worst: float, bound: float = 1.0) -> Outcome:
    return searched(worst, bound, tried=1, what="a number")


def build(key: str = "004 Lemma 0.0", **more: Any) -> Any:
    fields = {"lines": "1", "kind": "identity", "printed": "x <= 1", **more}
    return statement(key, **fields)


def test_a_statement_stands_above_its_check() -> None:
    @build(refuses={"x <= 1/2": {"bound": 0.5}})
    def lemma(bound: float = 1.0) -> Outcome:
        return at_most(0.7, bound)

    assert isinstance(lemma, Statement)
    assert (lemma.key, lemma.paper, lemma.number) == ("004 Lemma 0.0", "004", "Lemma 0.0")
    assert lemma.where.startswith("proofs_checks/proofs_checks/test_statement.py:")
    assert run(lemma).as_expected
    assert lemma.true_check is lemma.of_printed
    assert lemma.of_printed is not None
    assert not lemma.of_printed.run(np.random.default_rng(0), "x <= 1/2").holds


@pytest.mark.parametrize(
    ("false", "worst", "corrected", "as_expected"),
    [
        ("", 2.0, None, False),
        ("", 0.0, None, True),
        ("wrong", 2.0, None, True),
        ("wrong", 0.0, None, False),
        ("wrong", 2.0, 0.0, True),
        ("wrong", 2.0, 2.0, False),
    ],
)
def test_a_check_that_disagrees_is_a_failure_of_ours(
    false: str, worst: float, corrected: float | None, as_expected: bool
) -> None:
    @build(false=false)
    def lemma() -> Outcome:
        return at_most(worst)

    if corrected is not None:
        lemma.corrected("x <= 2")(lambda: at_most(corrected))
    assert run(lemma).as_expected is as_expected


def test_a_false_statement_needs_a_refutation_not_doubt() -> None:
    @build(false="wrong")
    def lemma() -> Outcome:
        return Outcome(False, "undecided", "z3 does not know")

    assert not run(lemma).as_expected


def test_a_display_that_restates_a_statement_has_its_checks() -> None:
    @build(false="wrong", added="x > 0")
    def lemma() -> Outcome:
        return at_most(2.0)

    with pytest.raises(ValueError, match=r"004 Lemma 0\.0: restate it after its correction"):
        lemma.restated("004 (0.1)", lines="2", printed="x <= 1")
    lemma.corrected("x <= 2")(lambda: at_most(2.0, 2.0))
    display = lemma.restated("004 (0.1)", lines="2", printed="x <= 1")
    assert (display.number, display.lines, display.printed) == ("(0.1)", "2", "x <= 1")
    assert display.special_case_of == ("004 Lemma 0.0",)
    assert (display.reason, display.added, display.expected) == ("wrong", "x > 0", "false")
    assert display.where.startswith("proofs_checks/proofs_checks/test_statement.py:")
    report = run(display)
    assert report.as_expected
    assert not report.printed.holds
    assert report.corrected is not None
    assert report.corrected.holds


def test_randomness_depends_on_the_seed_and_the_statement_only() -> None:
    def check(rng: np.random.Generator) -> Outcome:
        return at_most(rng.random())

    first, second = build()(check), build("004 Lemma 0.1")(check)
    assert run(first, seed=1) == run(first, seed=1)
    details = {run(lemma, seed=seed).printed.detail for lemma in (first, second) for seed in (1, 2)}
    assert len(details) == 4


def test_without_an_extra_it_says_what_it_cannot_run() -> None:
    @build()
    def lemma() -> Outcome:
        raise MissingExtraError("needs sympy")

    report = run(lemma)
    assert report.as_expected
    assert (report.printed.level, report.printed.detail) == ("not run here", "needs sympy")
    assert not report.printed.holds


@pytest.mark.parametrize(
    ("compiled", "level", "holds"),
    [
        (True, "proved (Coq)", True),
        (None, "checked by search", True),
        (False, "undecided", False),
    ],
)
def test_a_theorem_settles_its_statement_only_where_it_compiles(
    compiled: bool | None, level: str, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = coq.CoqProof("File.v", "theorem", compiled, (), "File.v, theorem: what Coq says")
    settled = {"004 Lemma 0.0": (("File.v", "theorem"),)}
    monkeypatch.setattr(module, "STATEMENTS", settled)
    monkeypatch.setattr(coq, "compiled", lambda file, theorem: proof)
    lemma = build()(lambda: at_most(0.5))
    report = run(lemma)
    assert (report.printed.level, report.printed.holds) == (level, holds)
    assert re.search("File.v,? theorem", report.printed.detail)
    # it does not make true what its own check refutes
    assert not run(build("004 Lemma 0.1")(lambda: at_most(2))).printed.holds


def test_not_checkable_says_why() -> None:
    lemma = not_checkable(
        "004 Lemma 0.0", lines="1", kind="remark", printed="inf", reason="an infimum"
    )
    report = run(lemma)
    assert report.as_expected
    assert (report.printed.level, report.printed.detail) == ("not checkable", "an infimum")


@pytest.mark.parametrize("kind", ["definition", "assumption"])
def test_what_fixes_a_notion_is_neither_true_nor_false(kind: Any) -> None:
    bare = not_checkable("004 Lemma 0.0", lines="1", kind=kind, printed="x", reason="a name")
    assert bare.expected == "definition"
    report = run(bare)
    assert report.as_expected
    assert (report.printed.level, report.printed.detail) == (
        "definition",
        "nothing to check: a name",
    )
    used = build("004 Lemma 0.1", kind=kind)(lambda: at_most(0.5))
    assert (used.expected, used.true_check) == ("definition", used.of_printed)
    assert run(used).as_expected
    assert not run(build("004 Lemma 0.2", kind=kind)(lambda: at_most(2.0))).as_expected
    assert (
        build("004 Lemma 0.3", kind=kind, false="empty")(lambda: at_most(2.0)).expected == "false"
    )


def test_a_twin_has_the_check_of_the_other_and_its_own_number() -> None:
    @build(false="wrong", errata=("wang-2/E4",), algorithms=("wang-2",))
    def lemma(rng: np.random.Generator) -> Outcome:
        return at_most(2 + rng.random())

    @lemma.corrected("x <= 4", refuses={"x <= 1": {"bound": 1.0}})
    def _(bound: float = 4.0) -> Outcome:
        return at_most(3.0, bound)

    same = twin("004 Lemma 0.1", of="004 Lemma 0.0", lines="2")
    assert (same.key, same.lines, same.algorithms) == ("004 Lemma 0.1", "2", ())
    assert (same.printed, same.reason, same.errata) == (lemma.printed, "wrong", lemma.errata)
    assert re.fullmatch(r"proofs_checks/proofs_checks/test_statement\.py:\d+", same.where)
    assert same.where != lemma.where
    assert same.true_check is lemma.of_corrected
    reports = run(lemma), run(same)
    assert all(report.as_expected for report in reports)
    assert reports[0].printed.detail != reports[1].printed.detail  # it draws with its own key
    assert find("004 Lemma 0.1") is same


def test_a_twin_says_where_it_is_worded_otherwise() -> None:
    lemma = build(errata=("wang-2/E4",), added="x real")(lambda: at_most(0.5))
    other = twin("000 Lemma 0.0", of=lemma.key, lines="2", printed="y <= 1", added="", errata=())
    assert (other.paper, other.printed, other.added, other.errata) == ("000", "y <= 1", "", ())
    assert other.of_printed is lemma.of_printed
    undecided = not_checkable("004 Lemma 0.1", lines="1", kind="remark", printed="", reason="vague")
    assert run(twin("000 Lemma 0.1", of=undecided.key, lines="1")).printed.detail == "vague"
    with pytest.raises(KeyError, match="004 no such"):
        twin("000 Lemma 0.2", of="004 no such statement", lines="1")
    with pytest.raises(ValueError, match="is registered twice"):
        twin(lemma.key, of="000 Lemma 0.0", lines="1")


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="a key is a paper's and a number"):
        build("009 Lemma 1")(at_most)
    build()(lambda: at_most(0.0))
    with pytest.raises(ValueError, match=r"004 Lemma 0\.0 is registered twice"):
        build()(lambda: at_most(0.0))
    with pytest.raises(ValueError, match="only a false statement is corrected"):
        build("004 Lemma 0.1")(lambda: at_most(0.0)).corrected("x <= 2")


def test_an_incomplete_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="a refutation needs a witness"):
        Outcome(False, "refuted with witness", "somewhere")
    with pytest.raises(ValueError, match="needs its confidence"):
        Outcome(True, "Monte Carlo with confidence", "often")
    with pytest.raises(ValueError, match="needs their number"):
        Outcome(True, "checked exactly", "often")
    with pytest.raises(ValueError, match="cannot hold"):
        Outcome(True, "undecided", "perhaps")
