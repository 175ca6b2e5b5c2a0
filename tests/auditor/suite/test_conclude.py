"""Concluding: surviving mutants, expectations, and what the results promise."""

import json
from typing import Any

import pytest

from auditor.core.verdict import Verdict, VerdictStatus
from auditor.suite.conclude import FalseAlarms, conclude
from auditor.suite.plan import AuditUnit
from auditor.suite.store import FormResult, Result, Settings, validate
from reference.catalogue import Entry, Erratum, Source
from reference.privacy.guarantees import Model, Relation


def result_of(
    statuses: dict[str, dict[str, Verdict]],
    expected: dict[str, dict[str, tuple[int, ...]]] | None = None,
    identifier: str = "fake",
    settings: Settings | None = None,
) -> Result:
    forms = {
        name: FormResult(
            "claim", 1.0, 0.0, None, {}, (expected or {}).get(name, {}), 3, verdicts, {}
        )
        for name, verdicts in statuses.items()
    }
    return Result(identifier, settings or Settings(), forms)


def holds(question: str) -> Verdict:
    return Verdict(question, "holds", "fine")


def violated(question: str, p_value: float | None = None) -> Verdict:
    return Verdict(question, "violated", "broken", witness={"seed": 1}, p_value=p_value)


def test_expected_violations_are_reproduced_and_all_else_is_unexpected() -> None:
    result = result_of(
        {
            "corrected": {"accounting": violated("accounting"), "scaling": holds("scaling")},
            "printed": {
                "accounting": violated("accounting"),
                "sensitivity": holds("sensitivity"),
                "black_box": Verdict("black_box", "inconclusive", "too few runs"),
            },
        },
        {"printed": {"accounting": ("fake/E2",), "sensitivity": ("fake/E3",)}},
    )
    conclusion = conclude({"fake": result}, {})
    found = [(s.form, s.question, s.reason.split(":")[0]) for s in conclusion.unexpected]
    assert found == [
        ("corrected", "accounting", "violated"),
        ("printed", "sensitivity", "holds, but erratum fake/E3 should show"),
    ]
    assert conclusion.reproduced == ((AuditUnit("fake", "printed", "accounting"), ("fake/E2",)),)


def test_a_verdict_does_not_depend_on_its_neighbours() -> None:
    # p-values that a correction over all algorithms would not let pass
    tested = result_of({"printed": {"samplers": violated("samplers", 3e-4)}}, identifier="odd")
    others = {
        f"fake-{i}": result_of(
            {"corrected": {"samplers": Verdict("samplers", "holds", "fine", p_value=0.5)}},
            identifier=f"fake-{i}",
        )
        for i in range(100)
    }
    alone = conclude({"odd": tested}, {}).results["odd"]
    assert conclude({**others, "odd": tested}, {}).results["odd"] == alone == tested


@pytest.mark.parametrize(
    ("survives", "after"),
    [("inconclusive", "inconclusive"), ("holds", "holds"), ("not applicable", "holds")],
)
def test_a_surviving_mutant_weakens_what_holds_for_corrected_forms_only(
    survives: VerdictStatus, after: VerdictStatus
) -> None:
    result = result_of(
        {
            "corrected": {
                "accounting": holds("accounting"),
                "scaling": Verdict("scaling", "not applicable", "no claim"),
                "mutants": Verdict("mutants", survives, "noise halved"),
            },
            "corrected-2": {"accounting": holds("accounting")},
            "printed": {"accounting": holds("accounting")},
        }
    )
    other = result_of({"corrected": {"accounting": holds("accounting")}}, identifier="other")
    conclusion = conclude({"fake": result, "other": other}, {})
    forms = conclusion.results["fake"].forms
    assert forms["corrected"].verdicts["accounting"].status == after
    assert forms["corrected-2"].verdicts["accounting"].status == after
    assert forms["corrected"].verdicts["scaling"].status == "not applicable"
    assert forms["printed"].verdicts["accounting"].status == "holds"
    assert conclusion.results["other"] == other
    assert [s.question for s in conclusion.unexpected] == ["mutants"] * (after == "inconclusive")


def test_a_surviving_twin_of_the_scaling_is_unexpected_and_weakens_nothing_else() -> None:
    blind = Verdict("scaling", "inconclusive", "in n the test does not notice its twin")
    result = result_of({"corrected": {"accounting": holds("accounting"), "scaling": blind}})
    conclusion = conclude({"fake": result}, {})
    (surprise,) = conclusion.unexpected
    assert surprise.question == "scaling"
    assert surprise.reason == "a twin survived: in n the test does not notice its twin"
    assert conclusion.results["fake"] == result


def an_entry(reproduced_by: str) -> Entry:
    class WithErratum(Entry):
        errata = (
            Erratum("fake/E2", "S2", "accounting", "mathematical", "s", "t", "w", reproduced_by),
        )

    return WithErratum(
        "fake",
        "Fake",
        (Source("000", "Algorithm 1", "1-2"),),
        Model.CENTRAL,
        Relation.REPLACE_ONE,
        "claim",
        "none",
        an_entry,
    )


def test_an_erratum_must_be_reproduced_where_it_says() -> None:
    result = result_of(
        {"printed": {"accounting": violated("accounting")}},
        {"printed": {"accounting": ("fake/E2",)}},
    )
    fine = conclude({"fake": result}, {"fake": an_entry("audit:printed/accounting")})
    assert fine.unexpected == ()
    assert conclude({"fake": result}, {"fake": an_entry("proofs:Lemma 1")}).unexpected == ()
    for elsewhere in ("audit:printed/sensitivity", "audit:printed-2/accounting"):
        missing = conclude({"fake": result}, {"fake": an_entry(elsewhere)}).unexpected
        assert [s.reason for s in missing] == ["no audit case reproduces erratum fake/E2 there"]


def promised(*confidences: float) -> FalseAlarms:
    results: dict[str, Any] = {
        f"fake-{i}": result_of(
            {"corrected": {"accounting": holds("accounting")}},
            identifier=f"fake-{i}",
            settings=Settings(confidence=confidence),
        )
        for i, confidence in enumerate(confidences)
    }
    conclusion = conclude(results, {})
    stored = json.loads(json.dumps(conclusion.to_json({})))
    validate(stored, "audit")
    assert stored["guarantee"]["in_all"] == pytest.approx(conclusion.guarantee.in_all)
    return conclusion.guarantee


def test_the_guarantee_of_algorithms_adds_up() -> None:
    one = promised(0.999)
    assert (one.per_algorithm, one.in_all) == (pytest.approx(1e-3), pytest.approx(1e-3))
    assert one.describe() == "a correct algorithm is called violated with probability at most 0.001"
    assert promised(*[0.999] * 31).describe() == (
        "a correct algorithm is called violated with probability at most 0.001, "
        "any of 31 with at most 0.031"
    )
    mixed = promised(0.999, 0.99)
    assert (mixed.per_algorithm, mixed.in_all) == (pytest.approx(0.01), pytest.approx(0.011))
    assert promised(*[0.3] * 3).in_all == 1
    assert promised().in_all == 0
