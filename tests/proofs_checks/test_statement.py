"""The framework of numbered statements: its contract and its registry."""

from __future__ import annotations

import numpy as np
import pytest

from proofs_checks import statement as module
from proofs_checks.statement import Outcome, Statement, run, statements
from reference.catalogue import entries


def holds(rng: np.random.Generator) -> Outcome:
    return Outcome(True, "checked by search", f"drew {rng.random()}")


def fails(rng: np.random.Generator) -> Outcome:
    return Outcome(False, "refuted with witness", "x = 1", witness={"x": 1.0})


def build(**changes: object) -> Statement:
    fields: dict[str, object] = {
        "seed": "004",
        "number": "Lemma 0.0",
        "lines": "1",
        "formula": "1 = 1",
        "kind": "identity",
        "expected": "true",
        "check": holds,
    }
    return Statement(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_true_statement_that_checks_out() -> None:
    report = run(build())
    assert report.as_expected
    assert report.corrected is None
    assert report.statement.key == "004 Lemma 0.0"


def test_randomness_depends_on_the_seed_and_the_statement_only() -> None:
    first = run(build(), seed=1).printed.detail
    assert run(build(), seed=1).printed.detail == first
    assert run(build(), seed=2).printed.detail != first
    assert run(build(number="Lemma 0.1"), seed=1).printed.detail != first


@pytest.mark.parametrize(
    ("expected", "check", "corrected_check", "as_expected"),
    [
        ("true", fails, None, False),
        ("false", fails, None, True),
        ("false", holds, None, False),
        ("false", fails, holds, True),
        ("false", fails, fails, False),
    ],
)
def test_a_check_that_disagrees_is_a_failure_of_ours(
    expected: str, check: object, corrected_check: object, as_expected: bool
) -> None:
    report = run(
        build(
            expected=expected,
            check=check,
            reason="wrong" if expected == "false" else "",
            corrected="2 = 2" if corrected_check else "",
            corrected_check=corrected_check,
        )
    )
    assert report.as_expected is as_expected


def test_not_checkable_says_why() -> None:
    report = run(build(expected="not checkable", check=None, reason="an infimum"))
    assert report.as_expected
    assert report.printed.level == "not checkable"
    assert report.printed.detail == "an infimum"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": "009"}, "unknown paper"),
        ({"check": None}, "a check is needed"),
        ({"expected": "not checkable", "reason": "why"}, "a check is needed"),
        ({"expected": "false"}, "say why it is false"),
        ({"corrected": "2 = 2"}, "a corrected formula needs its check"),
        ({"corrected_check": holds}, "a corrected formula needs its check"),
    ],
)
def test_an_incomplete_statement_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(**changes)


def test_an_incomplete_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="a refutation needs a witness"):
        Outcome(False, "refuted with witness", "somewhere")
    with pytest.raises(ValueError, match="needs its confidence"):
        Outcome(True, "Monte Carlo with confidence", "often")


def test_the_registry_has_unique_keys_in_order_of_seed() -> None:
    found = statements()
    keys = [s.key for s in found]
    assert len(keys) == len(set(keys))
    assert [s.seed for s in found] == sorted(s.seed for s in found)
    assert any(s.number == "Lemma 2.1.9" for s in found)


def test_statements_belong_to_algorithms_and_errata_of_the_catalogue() -> None:
    identifiers = set(entries()) | {"chapter-2"}
    assert {a for s in statements() for a in s.algorithms} <= identifiers
    # errata of Chapter 2 and of statements without an algorithm are listed nowhere else
    named = {e for s in statements() for e in s.errata if e[0] in identifiers}
    listed = {(e.card or i, e.number) for i, entry in entries().items() for e in entry.errata}
    assert named <= listed


def test_the_same_statement_twice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Package:
        __path__ = ("somewhere",)
        __name__ = "proofs_checks.statements"
        STATEMENTS = (build(), build())

    class Info:
        name = "module"

    monkeypatch.setattr(module.importlib, "import_module", lambda name: Package)
    monkeypatch.setattr(module.pkgutil, "iter_modules", lambda path: [Info])
    with pytest.raises(RuntimeError, match=r"registered twice: 004 Lemma 0\.0"):
        module.statements.__wrapped__()


def test_no_text_calls_a_paper_a_seed() -> None:
    """A reader knows papers by authors and year; a seed is that of the random numbers."""
    texts = [
        text
        for statement in statements()
        for text in (statement.formula, statement.reason, statement.corrected)
    ]
    for entry in entries().values():
        texts += [entry.name, entry.privacy_claim, entry.utility_claim]
        texts += [form.summary for form in entry.printed_forms]
        texts += [text for e in entry.errata for text in (e.statement, e.truth, e.witness)]
    assert not [text for text in texts if "seed" in text.casefold()]
