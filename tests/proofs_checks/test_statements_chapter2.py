"""Chapter 2: every numbered statement is there, and its checks say what the ledger says.

The checks draw finite search points from the statement's own seed; they have no false alarms, a
true inequality holds at every point.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction

import numpy as np
import pytest

from proofs_checks.statement import Statement, run
from proofs_checks.statements import chapter2
from proofs_checks.statements.chapter2 import STATEMENTS, hockey_stick
from reference.privacy import guarantees

NUMBERED = {
    *(f"Definition 2.1.{i}" for i in range(1, 6)),
    *(f"Lemma 2.1.{i}" for i in range(1, 11)),
    "Definition 2.2.1",
    "Definition 2.2.2",
}
FALSE = {
    "Lemma 2.1.2",
    "Definition 2.1.2 (density)",
    "Definition 2.1.3",
    "Lemma 2.1.7",
    "Lemma 2.1.9",
}


def test_every_numbered_statement_of_the_chapter_is_there() -> None:
    assert {s.number for s in STATEMENTS} >= NUMBERED
    assert {s.number for s in STATEMENTS if s.expected == "false"} == FALSE
    assert all(s.algorithms == ("chapter-2",) for s in STATEMENTS)


def test_the_errata_of_the_chapter_are_reproduced() -> None:
    reproduced = {erratum for s in STATEMENTS for erratum in s.errata}
    assert reproduced == {
        ("diss-2.gaussian", 1),
        ("diss-2.postprocessing, diss-2.subsampling", 1),
        ("diss-2.sgd-accountant", 1),
        ("diss-2.zcdp", 1),
        ("ledger:[D] Lemma 2.1.9", 1),
    }


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s.number)
def test_checks_agree_with_the_ledger(statement: Statement) -> None:
    report = run(statement)
    assert report.as_expected, (report.printed, report.corrected)
    if statement.expected == "false":
        assert report.printed.level == "refuted with witness"
        assert report.corrected is not None
        json.dumps(report.printed.witness)
    if statement.expected != "not checkable":
        # figures, not adjectives
        assert re.search(r"\d", report.printed.detail)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "number", ["Lemma 2.1.1", "Lemma 2.1.4", "chapter 2, conversion: add/remove to replace-one"]
)
def test_search_checks_hold_for_other_seeds(number: str, seed: int) -> None:
    (statement,) = (s for s in STATEMENTS if s.number == number)
    assert run(statement, seed=seed).as_expected


def test_witnesses_have_the_numbers_of_the_cards() -> None:
    def witness(number: str) -> dict[str, float]:
        (statement,) = (s for s in STATEMENTS if s.number == number)
        found = run(statement).printed.witness
        assert found is not None
        return dict(found)

    assert witness("Lemma 2.1.2")["exact_epsilon"] == pytest.approx(0.17467, abs=5e-6)
    assert witness("Definition 2.1.3")["exact_delta"] == pytest.approx(2.265e-5, rel=1e-3)
    assert witness("Lemma 2.1.9")["divergence"] == pytest.approx(4.0)
    assert witness("Lemma 2.1.7")["multiplier"] == pytest.approx(1.073, abs=5e-4)


def test_hockey_stick_by_hand() -> None:
    p, q = [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]
    assert hockey_stick(p, q, Fraction(1)) == Fraction(1, 4)
    assert hockey_stick(p, q, Fraction(2)) == 0
    assert hockey_stick(p, q, Fraction(3, 2)) == Fraction(1, 8)


# ---------------------------------------------------- a check that cannot fail is no check


BROKEN = [
    ("zcdp_rho", lambda e, d: 1.001 * guarantees.zcdp_rho(e, d), "_rho_inverse"),
    (
        "gaussian_dp_delta",
        lambda m, e: 0.99 * guarantees.gaussian_dp_delta(m, e),
        "_gaussian_curve",
    ),
    (
        "gaussian_dp_epsilon",
        lambda m, d: 1.01 * guarantees.gaussian_dp_epsilon(m, d),
        "_gaussian_curve",
    ),
    ("zcdp_epsilon", lambda r, d: 0.5 * guarantees.zcdp_epsilon(r, d), "_zcdp_conversion"),
    ("laplace_delta", lambda s, e: 0.9 * guarantees.laplace_delta(s, e), "_laplace_vector"),
    ("PureDP", lambda e: guarantees.PureDP(0.99 * e), "_worst_approximate"),
    ("ApproximateDP", lambda e, d: guarantees.ApproximateDP(e, 0.9 * d), "_worst_approximate"),
]


@pytest.mark.parametrize(("name", "broken", "check"), BROKEN, ids=lambda x: str(x)[:24])
def test_a_wrong_conversion_is_caught(
    name: str, broken: object, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chapter2, name, broken)
    assert not getattr(chapter2, check)(np.random.default_rng(0)).holds
