"""Origins of the premises of steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from proofs_checks.origins import ORIGINS, Origins, leaves, table
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Statement
from proofs_checks.vocabulary import derived, every, for_all, reals


def origins(check: Callable[[], Outcome], formula: str = "n x <= b") -> list[tuple[str, str, str]]:
    """Return text, origin and source of every premise of a check of a statement of paper 004."""
    outcome = check()
    assert outcome.holds
    checked = Checked(formula, check)
    statement = Statement(
        "004", "(1)", "1", "1", "identity", formula, expected="true", of_printed=checked
    )
    found = Origins(statement, checked, outcome)
    premises = [one for name, leaf in leaves(outcome) for one in found.of(name, leaf)]
    return [(one.text, one.origin, one.source) for one in premises]


def test_an_equation_names_a_symbol_that_the_formula_does_not_have() -> None:
    n, t, b, x = reals("n t b x")

    def check() -> Outcome:
        return for_all(x <= b, n >= 1, n * x == t, t <= n * b)

    found = origins(check)
    assert found[0] == ("n*x == t", "definition", "t")
    assert found[1][1] == "assumed"
    # what it would name are the formula's own symbols
    assert origins(check, "n x = t <= n b")[0][1] == "assumed"


@pytest.mark.parametrize("equation", ["square", "free"])
def test_an_equation_with_several_solutions_or_none_names_nothing(equation: str) -> None:
    x, y, n = reals("x y n")
    given = {"square": y * y == x, "free": y * n == x}[equation]  # n may be 0

    def check() -> Outcome:
        return for_all(x - x <= y - y, given)

    assert [one[1] for one in origins(check, "x")] == ["assumed"]


def test_an_earlier_step_proves_a_premise_and_a_later_one_does_not() -> None:
    x, y, z = reals("x y z")

    def check() -> Outcome:
        return derived(
            first=for_all(2 * x <= 2 * z, x <= y, y <= z),
            then=for_all(x <= z + 1, x <= z, z >= 0),
        )

    marks = {text: (origin, source) for text, origin, source in origins(check, "x y z")}
    assert marks["x <= z"] == ("proved here", "first")
    assert marks["y <= z"] == ("assumed", "")

    def backwards() -> Outcome:
        return derived(
            then=for_all(x <= z + 1, x <= z, z >= 0),
            first=for_all(2 * x <= 2 * z, x <= y, y <= z),
        )

    assert dict(one[:2] for one in origins(backwards, "x y z"))["x <= z"] == "assumed"


def test_the_words_that_lead_to_a_step_cite_for_it() -> None:
    x, y, z = reals("x y z")

    def check() -> Outcome:
        """By Lemma 2.1.9, x <= y [step "first"]; and by Weyl's inequality [step "second part"].

        So all are at most z [steps "third", "fourth"]. Markov's inequality is not needed.
        """
        return derived(
            first=every(for_all(x <= y + 1, x <= y), for_all(x <= z, z >= 0, x <= z - 1)),
            second_part=for_all(y <= z + 1, y <= z),
            third=for_all(x <= z + 3, x <= z + 2),
        )

    assert [one[1:] for one in origins(check, "x y z")] == [
        ("cited", "004 Lemma 2.1.9"),
        ("cited", "004 Lemma 2.1.9"),
        ("cited", "Weyl's inequality"),
        ("proved here", "first"),
    ]


def test_a_check_without_steps_is_led_to_by_all_its_words() -> None:
    x, y = reals("x y")

    def check() -> Outcome:
        """Cauchy-Schwarz, and Lemma 99.99 of another book."""
        return for_all(x <= y + 1, x <= y)

    assert origins(check, "x y") == [("x <= y", "cited", "Cauchy-Schwarz")]


def test_a_premise_without_which_the_claim_follows_is_not_needed() -> None:
    x, y, z = reals("x y z")

    def check() -> Outcome:
        return for_all(x <= z, x <= y, y <= z, x <= z + y, y >= 0)

    checked = Checked("x y z", check)
    statement = Statement("004", "(1)", "1", "1", "identity", "x y z", "true", of_printed=checked)
    found = Origins(statement, checked, check()).of("", check())
    assert [(one.text, one.needed) for one in found] == [
        ("x <= y", True),
        ("y <= z", True),
        ("x <= z + y", False),
    ]


def test_the_table_adds_up() -> None:
    counts = {
        "002": Counter({"assumed": 2, "cited": 1, "not needed": 1}),
        "004": Counter({"proved here": 1000}),
    }
    assert table(counts).splitlines()[2:] == [
        "| 002 | 3 | 0 | 0 | 1 | 2 | 1 |",
        "| 004 | 1,000 | 0 | 1,000 | 0 | 0 | 0 |",
        "| all | 1,003 | 0 | 1,000 | 1 | 2 | 1 |",
    ]
    assert all(f" {name} |" in table(counts) for name in ORIGINS)
