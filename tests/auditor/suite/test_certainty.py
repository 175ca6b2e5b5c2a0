"""Certainty of the links of a guarantee: levels, their order, where they are shown."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor import Entry, Form, PureDP
from auditor.core.verdict import Verdict, VerdictStatus
from auditor.suite import certainty
from auditor.suite.algorithms import Known
from auditor.suite.certainty import (
    AUDITED,
    BOUNDED,
    CALIBRATION,
    CODE,
    COMPOSITION,
    COQ,
    EVALUATED,
    EXACT,
    LEVELS,
    NEITHER,
    NOISE,
    NOT_CHECKED,
    OUTWARDS,
    SENSITIVITY,
    VIOLATED,
    Certainty,
    ProofLink,
    grounds_in,
    grounds_of,
    in_one_line,
    weakest,
)
from auditor.suite.store import FormResult, Result, Settings
from proofs_checks import algorithm_theorems as theorems
from proofs_checks import coq
from proofs_checks.statement import statements
from reference.catalogue import entries
from reference.privacy.accounting import Composition
from reference.privacy.guarantees import ApproximateDP

NONE: frozenset[str] = frozenset()
DERIVED, SEARCHED = "derived, step checked", "checked by search"


@pytest.fixture(scope="module")
def grounds() -> dict[str, Any]:
    return dict(grounds_of(statements()))


def by_name(known: Certainty, identifier: str) -> dict[str, ProofLink]:
    links = known.links(entries()[identifier], Known().form(identifier))
    return {link.name: link for link in links}


def test_a_theorem_counts_where_coq_has_compiled_it(grounds: dict[str, Any]) -> None:
    proved = by_name(Certainty(grounds, compiled=frozenset({"diss-4.1.16"})), "diss-4.1.16")
    assert [proved[name].level for name in (SENSITIVITY, NOISE, COMPOSITION)] == [COQ] * 3
    assert "proximal_gradient_descent_private" in proved[SENSITIVITY].words
    assert "given its hypothesis lipschitz" in proved[SENSITIVITY].words
    assert proved[CALIBRATION].level == OUTWARDS
    waiting = by_name(Certainty(grounds, compiled=NONE), "diss-4.1.16")
    assert COQ not in {link.level for link in waiting.values()}
    assert "which Coq has not compiled here" in waiting[SENSITIVITY].words


def test_an_account_beyond_the_theorem_is_no_machine_proof(grounds: dict[str, Any]) -> None:
    own = Certainty(grounds, compiled=frozenset({"hu-5"}))
    proved = by_name(own, "hu-5")
    assert proved[COMPOSITION].level == COQ
    assert proved[CALIBRATION] == ProofLink(CALIBRATION, EXACT, "pure DP")
    form = Known().form("hu-5")
    assert form is not None
    assert isinstance(form.claim, ApproximateDP)
    # by pure DP it costs .387, by zCDP .585, by its losses .368
    smaller = replace(form, claim=replace(form.claim, epsilon=0.375))
    sensitivity, _, composition, calibration, _ = own.links(entries()["hu-5"], smaller)
    assert sensitivity.level == COQ
    assert composition.level == calibration.level == BOUNDED
    assert composition.words.startswith("privacy loss distribution; heavy_tailed/")


def test_a_theorem_that_is_weaker_than_the_claim_proves_no_composition(
    grounds: dict[str, Any],
) -> None:
    found = by_name(Certainty(grounds, compiled=frozenset({"diss-3.1.1"})), "diss-3.1.1")
    assert found[SENSITIVITY].level == COQ
    assert found[COMPOSITION].level == NOT_CHECKED
    assert "weaker than the claim" in found[COMPOSITION].words


def test_a_theorem_that_assumes_the_sensitivity_does_not_prove_it(grounds: dict[str, Any]) -> None:
    found = by_name(Certainty(grounds, compiled=frozenset({"diss-3.2.5"})), "diss-3.2.5")
    assert found[SENSITIVITY].level == NEITHER
    assert found[NOISE].level == found[COMPOSITION].level == COQ
    assert found[CALIBRATION] == ProofLink(CALIBRATION, OUTWARDS, "basic composition")
    assert "its sensitivity assumed" in found[SENSITIVITY].words
    # noise of the same mechanism that is another law
    other = Certainty(grounds, compiled=frozenset({"diss-3.2.5"}))
    assert by_name(other, "diss-3.2.6")[NOISE].level == NEITHER


def test_noise_is_proved_by_any_theorem_about_its_kind(grounds: dict[str, Any]) -> None:
    no_theorem = "diss-6.3.51-W2"  # Wishart noise
    assert by_name(Certainty(grounds, compiled=NONE), "diss-3.2.8")[NOISE].level == NEITHER
    other = Certainty(grounds, compiled=frozenset({"diss-4.1.16"}))
    assert by_name(other, "diss-3.2.8")[NOISE].level == COQ
    assert by_name(other, "diss-3.2.8")[SENSITIVITY].level != COQ
    assert by_name(other, no_theorem)[NOISE].level == NEITHER


def test_noise_with_scores_of_its_own_is_proved_by_its_own_theorem_alone(
    grounds: dict[str, Any],
) -> None:
    entry, form = entries()["diss-5.1.32"], Known().form("diss-5.1.32")
    assert form is not None
    own = Certainty(grounds, compiled=frozenset({entry.id}))
    assert by_name(own, entry.id)[NOISE].level == COQ
    every = Certainty(grounds, compiled=frozenset(theorems.algorithm_theorems()) - {entry.id})
    assert by_name(every, entry.id)[NOISE].level == NEITHER
    stranger = replace(entry, id="mine")
    links = {link.name: link for link in every.links(stranger, form)}
    assert links[NOISE].level == NEITHER


def test_a_compiled_file_that_was_changed_since_is_not_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(coq, "coq_version", lambda: "Coq 8.16")
    assert theorems.compiled_theorems() == NONE
    theorem = theorems.algorithm_theorems()["diss-4.1.16"]
    compiled = coq.cache_folder() / "algorithms" / theorem.file
    compiled.parent.mkdir(parents=True)
    compiled.with_suffix(".vo").touch()
    key = coq.keys()[f"algorithms/{theorem.file}"]
    compiled.with_suffix(".kept").write_text(f"{key} algorithms/{theorem.file}\nprint")
    assert theorems.compiled_theorems() == {"diss-4.1.16"}
    monkeypatch.setattr(coq, "coq_version", lambda: "Coq 8.17")
    assert theorems.compiled_theorems() == NONE
    monkeypatch.setattr(coq, "coq_version", lambda: "")
    assert theorems.compiled_theorems() == NONE


def test_hypotheses_about_records_are_named() -> None:
    text = (
        "Hypotheses (n_gt0 : (0 < n)%N) (mg : forall r i, measurable_fun setT (fun h => g h r i))\n"
        "  (bounded moved : forall t h r i, `|g (t := t) h r i| <= G)\n"
        "  (convex : forall x, f x >= 0).\n"
        "Hypothesis unit_ball : forall r, norm r <= 1.\n"
    )
    assert list(theorems._given(text)) == ["bounded", "moved", "convex", "unit_ball"]


def test_every_rule_of_the_account_has_an_evaluation() -> None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(Composition.rules)))
    returned = [n.value for n in ast.walk(tree) if isinstance(n, ast.Return)]
    keys = [key for found in returned if isinstance(found, ast.Dict) for key in found.keys]
    keys += [
        target.slice
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign)
        for target in n.targets
        if isinstance(target, ast.Subscript)
    ]
    names = {key.value for key in keys if isinstance(key, ast.Constant)}
    assert len(names) > 8
    assert names == EVALUATED.keys()


def test_a_link_is_as_sure_as_the_weakest_of_its_statements(grounds: dict[str, Any]) -> None:
    own = [ground.key for ground in grounds["wang-2"] if ground.kind == "sensitivity"]
    known = ["proved (symbolic)", SEARCHED, *[DERIVED] * (len(own) - 2)]
    checked = {key: {"level": level} for key, level in zip(own, known, strict=True)}
    assert by_name(Certainty(grounds, checked, compiled=NONE), "wang-2")[SENSITIVITY].level == (
        SEARCHED
    )
    del checked[own[0]]
    found = by_name(Certainty(grounds, checked, compiled=NONE), "wang-2")
    assert found[SENSITIVITY].level == NOT_CHECKED
    assert own[0] in found[SENSITIVITY].words


def a_result(**statuses: VerdictStatus) -> Result:
    """Return a full audit of "mine" with some answers, by question."""
    verdicts = {
        question: Verdict(question, status, f"{question} is {status}")
        for question, status in statuses.items()
    }
    audited = FormResult("(1, 0)-DP", 1.0, 0.0, None, {}, {}, 1, verdicts, {})
    return Result("mine", Settings("full", 0, 0.99999), {"corrected": audited})


def audited(result: Result, compiled: frozenset[str] = NONE) -> dict[str, ProofLink]:
    entry = replace(entries()["diss-5.3.41"], id="mine")
    links = Certainty({}, results={"mine": result}, compiled=compiled).links(entry, None)
    return {link.name: link for link in links}


def test_what_only_the_audit_saw_is_audited() -> None:
    found = audited(a_result(sensitivity="holds", samplers="holds", domain="holds"))
    assert {found[name].level for name in (SENSITIVITY, NOISE, CODE)} == {AUDITED}
    assert found[NOISE].words == "audit: samplers is holds"
    assert found[CODE].words == "full audit: 3 holds; domain is holds"
    assert found[COMPOSITION].level == NEITHER
    assert CALIBRATION not in found
    entry, form = replace(entries()["diss-5.3.41"], id="mine"), Known().form("diss-5.3.41")
    links = {link.name: link for link in Certainty({}, compiled=NONE).links(entry, form)}
    assert links[CALIBRATION] == ProofLink(CALIBRATION, EXACT, "pure DP")
    assert links[SENSITIVITY].level == links[CODE].level == NEITHER


@pytest.mark.parametrize(
    ("question", "link"), [("sensitivity", SENSITIVITY), ("samplers", NOISE), ("domain", "")]
)
def test_what_the_audit_refutes_is_violated_whatever_is_proved(
    monkeypatch: pytest.MonkeyPatch, question: str, link: str
) -> None:
    theorem = theorems.algorithm_theorems()["diss-4.1.16"]
    monkeypatch.setattr(certainty, "algorithm_theorems", lambda: {"mine": theorem})
    right = {"sensitivity": "holds", "samplers": "holds", "domain": "holds"}
    found = audited(a_result(**{**right, question: "violated"}), frozenset({"mine"}))
    violated = [name for name, own in found.items() if own.level == VIOLATED]
    assert violated == [*filter(None, [link]), CODE]
    assert {own.level for name, own in found.items() if name not in violated} == {COQ}
    assert "1 violated" in found[CODE].words
    assert max(LEVELS, key=LEVELS.index) == VIOLATED


def test_a_violation_of_another_corrected_form_counts() -> None:
    holds, violated = a_result(sensitivity="holds"), a_result(sensitivity="violated")
    forms = {**holds.forms, "corrected, more": violated.forms["corrected"]}
    found = audited(replace(holds, forms=forms))
    assert found[SENSITIVITY].level == found[CODE].level == VIOLATED
    assert found[CODE].words == "full audit: 1 holds, 1 violated"
    printed = {**holds.forms, "printed": violated.forms["corrected"]}
    assert audited(replace(holds, forms=printed))[CODE].level == AUDITED


def test_an_audit_on_its_accounting_is_not_asked_again() -> None:
    def never(data: Any, ledger: Any) -> None:
        raise AssertionError("it was audited")

    result = a_result(accounting="holds")
    (form,) = result.forms.values()
    spent = {"method": "zCDP", "rules": ["zCDP"], "releases": [{"kind": "gaussian"}]}
    told = replace(form.verdicts["accounting"], evidence=spent)
    result = replace(result, forms={"corrected": replace(form, verdicts={"accounting": told})})
    entry: Entry = replace(entries()["diss-2.laplace"], id="mine")
    own = Form(never, PureDP(1.0), (np.zeros(1), np.ones(1)), replaced=0, parameters={})
    found = Certainty({}, results={"mine": result}, compiled=NONE).links(entry, own)
    assert found[3] == ProofLink(CALIBRATION, OUTWARDS, "zCDP")


def test_where_no_statements_are_known_a_step_is_not_checked() -> None:
    known = Certainty(None, compiled=NONE)
    found = by_name(known, "diss-4.1.16")
    assert found[SENSITIVITY].level == found[COMPOSITION].level == NOT_CHECKED
    assert found[NOISE].level == NEITHER  # no statement could say it


def test_grounds_are_the_same_from_the_ledger(grounds: dict[str, Any]) -> None:
    chosen = [s for s in statements("004") if s.true_check is None or "diss-4.1.16" in s.algorithms]
    assert any(s.true_check is None for s in chosen)
    ledger = {
        "statements": [
            {
                "key": s.key,
                "kind": s.kind,
                "algorithms": list(s.algorithms),
                "level": DERIVED if s.true_check else None,
            }
            for s in chosen
        ]
    }
    assert grounds_in(ledger) == grounds_of(chosen)
    assert grounds_in(ledger)["diss-4.1.16"]


def test_an_algorithm_that_fails_has_an_undecided_calibration(grounds: dict[str, Any]) -> None:
    def fails(data: Any, ledger: Any) -> None:
        raise RuntimeError("no such luck")

    entry: Entry = replace(entries()["diss-2.laplace"], id="mine")
    pair = (np.zeros(1), np.ones(1))
    form = Form(fails, PureDP(1.0), pair, replaced=0, parameters={})
    found = Certainty(grounds, compiled=NONE).links(entry, form)
    assert [link.name for link in found] == [SENSITIVITY, NOISE, COMPOSITION, CALIBRATION, CODE]
    assert found[3].level == "undecided"
    assert "no such luck" in found[3].words


def test_one_line_has_every_link_and_the_weakest_are_named() -> None:
    found = [
        ProofLink("a", DERIVED, ""),
        ProofLink("b", SEARCHED, ""),
        ProofLink("c", SEARCHED, ""),
    ]
    assert in_one_line(found) == f"a: {DERIVED}; b, c: {SEARCHED}"
    assert weakest(found) == f"The weakest links: b, c ({SEARCHED})."
    assert weakest(found[:2]) == f"The weakest link: b ({SEARCHED})."
    # what was seen less of is weaker
    ordered = [COQ, EXACT, DERIVED, OUTWARDS, SEARCHED, NOT_CHECKED, AUDITED, NEITHER]
    assert sorted(ordered, key=LEVELS.index) == ordered


def test_list_says_how_sure_an_algorithm_is(touchstone: Any, tmp_path: Path) -> None:
    text = touchstone("list", "hu-1", "--results", str(tmp_path)).out
    assert re.search(r"how sure +sensitivity", text)
    assert "heavy_tailed/FrankWolfe.v, frank_wolfe_private: pure DP" in text
    found = touchstone("list", "hu-1", "--format", "json", "--results", str(tmp_path)).out
    links = json.loads(found)["algorithms"][0]["certainty"]
    assert [link["name"] for link in links] == [
        SENSITIVITY, NOISE, COMPOSITION, CALIBRATION, CODE,
    ]  # fmt: skip
    every = json.loads(touchstone("list", "--format", "json", "--results", str(tmp_path)).out)
    assert all(item["certainty"] is None for item in every["algorithms"])
