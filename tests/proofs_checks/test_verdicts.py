"""The rule of the two verdicts: what a statement's own fields say agrees with its verdicts."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from proofs_checks.statement import Statement, statements
from reference import catalogue

WRONG_PRINT = re.compile(r"misprint|instead of|as (it is )?printed|is 0 as|printed brackets")
"""Words by which a field says that the print differs from what is checked."""

ANOTHER_ALGORITHM = re.compile(
    r"gradients clipped|is projected on|posterior weight (instead|for)|corrected condition"
)
"""Words that change what a statement is about, which no convention does."""


def _own_words(statement: Statement) -> str:
    return "; ".join([statement.checked, statement.added, statement.misprint, statement.repair])


def _named(found: list[Statement]) -> list[str]:
    return sorted(statement.key for statement in found)


TRUE = [statement for statement in statements() if statement.expected == "true"]


def test_a_statement_whose_fields_say_that_the_print_is_wrong_is_not_as_printed() -> None:
    right = [statement for statement in TRUE if statement.print == "as printed"]
    assert _named([item for item in right if WRONG_PRINT.search(_own_words(item))]) == []
    assert _named([item for item in right if item.misprint or item.repair]) == []


def test_another_algorithm_or_condition_is_a_repair() -> None:
    kept = [item for item in TRUE if not item.repair]
    words = {item.key: f"{item.checked}; {item.added}" for item in kept}
    assert [key for key, said in words.items() if ANOTHER_ALGORITHM.search(said)] == []


def test_what_is_a_repair_of_one_statement_is_no_convention_of_another() -> None:
    repairs = {part for item in TRUE for part in item.repair.split("; ") if part}
    shared = [item for item in TRUE if repairs & set(f"{item.checked}; {item.added}".split("; "))]
    assert _named(shared) == []


def test_statements_with_the_same_words_have_the_same_verdicts() -> None:
    verdicts = defaultdict(set)
    for item in TRUE:
        if item.added or item.misprint or item.repair:
            verdicts[item.added, item.misprint, item.repair].add((item.print, item.claim))
    assert {words: found for words, found in verdicts.items() if len(found) > 1} == {}


@pytest.mark.parametrize("item", [item for item in TRUE if item.repair], ids=lambda item: item.key)
def test_a_repair_names_the_errata_that_show_why_the_print_is_false(item: Statement) -> None:
    assert any(catalogue.erratum(name).origin != "misprint" for name in item.errata)
    assert (item.print, item.claim) == ("false", "holds if repaired")


def test_the_two_verdicts_fit_together() -> None:
    allowed = {
        "as printed": {"holds"},
        "misprint": {"holds"},
        "doubtful copy": {"holds"},
        "false": {"holds if repaired", "fails"},
        "definition": {"definition"},
        "not judged": {"open"},
    }
    assert _named([item for item in statements() if item.claim not in allowed[item.print]]) == []


def test_only_a_false_statement_fails() -> None:
    failing = [item for item in statements() if item.fails]
    assert _named([item for item in failing if item.expected != "false"]) == []
    assert {item.claim for item in failing} == {"fails"}


@pytest.mark.parametrize(
    ("key", "verdicts"),
    [
        ("004 Theorem 5.1.2", ("as printed", "holds")),  # a logarithm of 1 or more
        ("004 (5.37)", ("misprint", "holds")),
        ("004 Theorem 5.3.5 (privacy)", ("false", "holds if repaired")),
        ("004 Theorem 5.3.9 (privacy)", ("false", "holds if repaired")),
        ("004 Theorem 5.3.6", ("false", "holds if repaired")),
        ("004 Theorem 6.1.1", ("false", "holds if repaired")),  # as its class is
        ("004 Class P(k, sigma^2)", ("false", "holds if repaired")),
        ("004 Theorem 6.3.4 (privacy)", ("false", "fails")),
        ("004 Algorithm 6.3.52 (privacy)", ("false", "fails")),
        ("004 Remark 6.2.1", ("false", "fails")),
        ("004 Theorem 6.2.6", ("false", "holds if repaired")),
        ("004 Theorem 7.1.3", ("not judged", "open")),  # of which a part is checked
        ("004 (7.17)", ("not judged", "open")),
        ("004 (5.104)", ("not judged", "open")),
        ("004 Table 6.2", ("false", "fails")),  # an impossible number: what was meant is not known
        ("000 (32)", ("as printed", "holds")),
        ("004 (3.10)", ("misprint", "holds")),
        ("004 (4.47)", ("doubtful copy", "holds")),
        ("000 Lemma 5", ("false", "holds if repaired")),
        ("004 Theorem 4.2.3", ("false", "fails")),
        ("004 (7.4)", ("misprint", "holds")),
        ("004 (7.6)", ("as printed", "holds")),
        ("004 Lemma 7.2.3", ("false", "holds if repaired")),
        ("004 Lemma 7.2.5", ("false", "holds if repaired")),
    ],
)
def test_verdicts_of_statements_that_show_the_rule(key: str, verdicts: tuple[str, str]) -> None:
    (item,) = (item for item in statements() if item.key == key)
    assert (item.print, item.claim) == verdicts
