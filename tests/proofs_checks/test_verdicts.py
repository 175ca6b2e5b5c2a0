"""The rule by which a statement gets its two verdicts, of the print and of the claim."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from proofs_checks.statement import Statement, statements
from reference.catalogue import errata

STATEMENTS = statements()
JUDGED = [item for item in STATEMENTS if item.expected in ("true", "false")]
TRUE = [item for item in JUDGED if item.expected == "true"]
CALLS_THE_PRINT_WRONG = re.compile(r"misprint|instead of|as printed|which is meant")


def conditions(text: str) -> set[str]:
    """Return the conditions of a field, which semicolons separate."""
    return {part.strip() for part in text.split(";") if part.strip()}


@pytest.mark.parametrize("field", ["checked", "added", "misprint", "repair"])
def test_a_statement_whose_fields_call_the_print_wrong_is_not_as_printed(field: str) -> None:
    wrong = [
        item.key
        for item in JUDGED
        if item.print == "as printed" and CALLS_THE_PRINT_WRONG.search(getattr(item, field))
    ]
    assert wrong == []


def test_what_is_misprinted_or_repaired_is_not_as_printed() -> None:
    for item in JUDGED:
        if item.misprint or item.repair:
            assert item.print != "as printed", item.key


def test_true_statements_with_the_same_added_words_alone_share_both_verdicts() -> None:
    groups: dict[str, list[Statement]] = defaultdict(list)
    for item in TRUE:
        if item.added and not (item.misprint or item.repair):
            groups[item.added].append(item)
    for items in groups.values():
        verdicts = {(item.print, item.claim) for item in items}
        assert len(verdicts) == 1, [item.key for item in items]


def test_no_condition_is_a_repair_of_one_statement_and_a_convention_of_another() -> None:
    repairs = {part: item.key for item in TRUE for part in conditions(item.repair)}
    for item in TRUE:
        shared = conditions(item.added) & repairs.keys()
        assert not shared, (item.key, [repairs[part] for part in shared])


def test_a_repair_is_of_a_true_statement_and_names_errata_that_show_it() -> None:
    for item in STATEMENTS:
        if item.repair:
            assert item.expected == "true", item.key
            named = [errata()[name] for name in item.errata]
            assert any(erratum.origin != "misprint" for erratum in named), item.key


def test_the_two_verdicts_fit_together() -> None:
    for item in JUDGED:
        if item.print == "false":
            assert item.claim in ("holds if repaired", "fails"), item.key
        if item.print == "as printed":
            assert item.claim == "holds", item.key
        if item.fails:
            assert item.expected == "false", item.key


@pytest.mark.parametrize(
    ("key", "verdicts"),
    [
        ("000 (32)", ("as printed", "holds")),
        ("004 (3.10)", ("misprint", "holds")),
        ("004 (4.47)", ("doubtful copy", "holds")),
        ("000 Lemma 5", ("false", "holds if repaired")),
        ("004 Theorem 4.2.3", ("false", "fails")),
    ],
)
def test_an_example_of_each_pair_of_verdicts(key: str, verdicts: tuple[str, str]) -> None:
    (item,) = (item for item in STATEMENTS if item.key == key)
    assert (item.print, item.claim) == verdicts
