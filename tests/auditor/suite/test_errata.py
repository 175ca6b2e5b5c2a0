"""The errata that count as reproduced."""

from dataclasses import replace
from typing import Any

import pytest

from auditor.core.errors import InputError
from auditor.core.verdict import Verdict
from auditor.suite.conclude import Conclusion, conclude
from auditor.suite.errata import Reproduced, audited, checked, count, reproduced, severities
from auditor.suite.plan import AuditUnit
from auditor.suite.store import FormResult, Result, Settings
from reference.catalogue import Entry, Erratum, Source
from reference.privacy.guarantees import Model, Relation


def erratum(name: str, reproduced_by: str) -> Erratum:
    return Erratum(name, "S2", "privacy", "misprint", "s", "t", "w", reproduced_by)


BY_AUDIT = erratum("fake/E1", "audit:printed/accounting")
BY_BOTH = erratum("fake/E2", "proofs:000 Lemma 1")
BY_PROOF = erratum("fake/E3", "proofs:000 Lemma 2")
OF_ANOTHER_CARD = erratum("other/E1", "proofs:000 Lemma 3")
BY_TEST = erratum("fake/E4", "test:test_it")


def an_entry() -> Entry:
    class WithErrata(Entry):
        errata = (BY_AUDIT, BY_BOTH, BY_PROOF, OF_ANOTHER_CARD, BY_TEST)

    source = Source("000", "Algorithm 1", "1-2")
    return WithErrata(
        "fake", "Fake", (source,), Model.CENTRAL, Relation.REPLACE_ONE, "claim", "none", an_entry
    )


CATALOGUE = {"fake": an_entry(), "not audited": an_entry()}


def concluded(**statuses: Any) -> Conclusion:
    verdicts = {
        question: Verdict(question, status, "seen", witness={"seed": 1})
        for question, status in statuses.items()
    }
    expected = {"accounting": ("fake/E1",), "scaling": ("fake/E1", "fake/E2")}
    form = FormResult("claim", 1.0, 0.0, None, {}, expected, 3, verdicts, {})
    return conclude({"fake": Result("fake", Settings(), {"printed": form})}, CATALOGUE)


def statement(key: str, name: str) -> Any:
    return {"key": key, "number": "n", "errata": [name], "as_expected": True}


SHOWN = concluded(accounting="violated", scaling="violated")
LEMMA_1 = statement("000 Lemma 1", "fake/E2")
LEMMA_2 = statement("000 Lemma 2", "fake/E3")
LEMMA_3 = statement("000 Lemma 3", "other/E1")


@pytest.mark.parametrize(
    ("statements", "shown"),
    [
        (None, 2),
        ([], 2),
        ([LEMMA_1], 2),  # shows in the audit already
        ([LEMMA_1, LEMMA_2], 3),
        ([LEMMA_1, LEMMA_2, LEMMA_3], 4),
        ([{**LEMMA_2, "as_expected": False}], 2),
        ([{**LEMMA_1, "as_expected": False}], 2),
        ([statement("000 Lemma 9", "fake/E3")], 3),  # under another name, but it says which erratum
    ],
)
def test_an_erratum_counts_once_wherever_it_shows(statements: Any, shown: int) -> None:
    ledger = None if statements is None else {"statements": statements}
    found = reproduced(SHOWN, CATALOGUE, ledger)
    assert (len(found.shown), len(found.known)) == (shown, 5)


def test_what_does_not_show_as_expected_is_not_reproduced() -> None:
    some = reproduced(concluded(accounting="violated", scaling="holds"), CATALOGUE, None)
    assert some.shown == (BY_AUDIT,)
    assert some.rest == "touchstone proofs and the test suite"
    none = reproduced(concluded(accounting="holds", scaling="holds"), CATALOGUE, None)
    assert none.shown == ()
    assert Reproduced((BY_PROOF,), (BY_PROOF, BY_TEST)).rest == "the test suite"
    assert Reproduced((BY_TEST,), (BY_TEST, BY_AUDIT)).rest == ""
    assert reproduced(SHOWN, {}, None).known == ()


def test_headlines_count_what_matters_and_each_error_once() -> None:
    slip = replace(BY_PROOF, severity="S4")
    repeat = replace(BY_TEST, copy_of="fake/E1")
    known = (replace(BY_AUDIT, severity="S1"), BY_BOTH, slip, repeat)
    each = "3 distinct errors (1 S1, 1 S2, 0 S3, 1 S4), 1 repeat"
    assert str(count(known)) == f"{each}, 0 in doubt"
    assert str(count([*known, replace(known[0], sign="root")])) == f"{each}, 1 in doubt"
    assert str(Reproduced(known[1:], known)) == (
        "1 of 2 distinct errors of severity S1 or S2 reproduced; 3 of 4 errata in all"
    )
    assert str(Reproduced((), (slip,))) == (
        "no error of severity S1 or S2; 0 of 1 erratum in all reproduced"
    )
    assert str(Reproduced((), ())) == "no errata"


def test_severities_are_those_there_are() -> None:
    assert severities(None) == ()
    assert severities("S1, s2") == ("S1", "S2")
    for wrong in ("S5", "", "S1,"):
        with pytest.raises(InputError, match="--severity is some of S1,S2,S3,S4"):
            severities(wrong)


def test_the_place_is_told() -> None:
    assert audited(SHOWN, "fake", BY_AUDIT) == AuditUnit("fake", "printed", "accounting")
    assert audited(SHOWN, "fake", BY_BOTH) == AuditUnit("fake", "printed", "scaling")
    assert audited(SHOWN, "fake", BY_PROOF) is None
    assert audited(SHOWN, "fake", OF_ANOTHER_CARD) is None
    assert checked({"statements": [LEMMA_2]}, BY_PROOF) is LEMMA_2
    assert checked({"statements": [LEMMA_2]}, BY_TEST) is None
