"""Every statement of the ledger: its checks say what it says, and refuse wrong versions of it.

A derivation may have sampled steps in addition. What is called proved or derived must refuse a
wrong version of its formula without them.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import proofs_checks
from auditor.suite.chains import what_holds
from auditor.suite.proofs import as_json
from proofs_checks import coq_statements, vocabulary
from proofs_checks.outcome import PROVED, Outcome
from proofs_checks.statement import OWN, Report, Statement, find, run, statement, statements
from proofs_checks.symbols import IN_NO_STEP, SHOWN
from proofs_checks.vocabulary import derived, every, identity, symbols
from reference.catalogue import PAPERS, entries, errata

CHECKS = [
    path
    for pattern in ("paper_*", *OWN)
    for path in sorted(Path(proofs_checks.__file__).parent.glob(f"{pattern}/*.py"))
]
STATEMENTS = [*statements(), *(item for own in OWN for item in statements(own))]

SAMPLED = ("exactly", "precisely", "searched", "rare", "average_at_most")
"""The helpers whose figures come from points, searches and draws."""


class SampledSteps:
    """The sampled steps of all checks: whether one failed; they all pass while ``off``."""

    def __init__(self) -> None:
        self.failed = self.off = False

    def watched(self, helper: Callable[..., Outcome]) -> Callable[..., Outcome]:
        def step(*arguments: object, **options: object) -> Outcome:
            if self.off:
                return Outcome(True, "checked by search", "switched off")
            outcome = helper(*arguments, **options)
            self.failed |= not outcome.holds
            return outcome

        return step


@pytest.fixture(scope="module")
def sampled() -> Iterator[SampledSteps]:
    """Watch the sampled steps of every check."""
    steps = SampledSteps()
    watched = {
        id(helper): steps.watched(helper) for helper in (getattr(vocabulary, n) for n in SAMPLED)
    }
    modules = [module for name, module in sys.modules.items() if name.startswith("proofs_checks.")]
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            for attribute, value in list(vars(module).items()):
                if id(value) in watched:
                    patch.setattr(module, attribute, watched[id(value)])
        yield steps


def sharing_checks() -> list[list[Statement]]:
    """Return the statements by their checks, which a twin and a restating display share.

    One that a Coq theorem settles stands alone: it has an outcome of its own.
    """
    groups: dict[tuple[object, ...], list[Statement]] = {}
    for item in STATEMENTS:
        own = item.key if item.of_printed is None or item.key in coq_statements.STATEMENTS else ""
        checks = id(item.of_printed), id(item.of_corrected), item.expected, own
        groups.setdefault(checks, []).append(item)
    return list(groups.values())


def says_the_same_twice(outcome: Outcome) -> list[str]:
    """Return the identities among the steps whose sides read alike."""
    if outcome.steps:
        return [text for _, step in outcome.steps for text in says_the_same_twice(step)]
    found = []
    for text in outcome.shows.partition(", where ")[0].split("; "):
        left, equals, right = text.removesuffix(", entry by entry").partition(" = ")
        if equals and left == re.sub(r" for .+ in .*", "", right):
            found.append(text)
    return found


def test_sides_that_read_alike_are_found() -> None:
    a = symbols("a")
    several = [(a + k, a + k) for k in (1, 2)]
    alike, apart = identity((a, a)), identity((a + a, 2 * a))
    assert says_the_same_twice(derived(first=every(apart, alike))) == ["a = a"]
    assert says_the_same_twice(identity(*several)) == ["a + k = a + k for k in (1, 2)"]


@pytest.mark.parametrize("items", sharing_checks(), ids=lambda items: items[0].key)
def test_checks_say_what_the_ledger_says_and_refuse_wrong_versions(
    items: list[Statement], sampled: SampledSteps
) -> None:
    report = run(items[0])
    assert report.as_expected, (report.printed, report.corrected)
    absent_symbols_are_said(items, report)
    for outcome in (report.printed, report.corrected):
        if outcome is not None:
            assert says_the_same_twice(outcome) == []
    assert " at 0x" not in json.dumps(as_json(report))
    checked = items[0].true_check
    if items[0].of_printed is not None:  # figures, not adjectives
        assert all(re.search(r"\d", report.printed.detail + item.printed) for item in items)
    if checked is None or not checked.refuses:
        return

    refused_without_samples = False
    for wrong in checked.refuses:
        sampled.failed = False
        assert not checked.run(np.random.default_rng(0), wrong).holds, wrong
        refused_without_samples |= not sampled.failed

    outcome = report.corrected or report.printed
    own = dict(outcome.steps).get("besides", outcome)  # what a Coq theorem stands beside
    if own.level in (*PROVED, "derived, step checked") and not refused_without_samples:
        sampled.off = True
        try:
            assert any(
                not checked.run(np.random.default_rng(0), wrong).holds for wrong in checked.refuses
            )
        finally:
            sampled.off = False


def absent_symbols_are_said(items: list[Statement], report: Report) -> None:
    """Check that what no step contains lowers the label, and that only it has a reason."""
    reasons, used = set[str](), set[str]()
    for item in items:
        written = as_json(replace(report, statement=item))
        held, missing = what_holds(written), written["absent"]
        reasons |= item.unchecked.keys()
        used |= missing.keys()
        assert IN_NO_STEP not in missing.values(), f"{item.key}: no reason for {missing}"
        if not missing:
            continue
        said = held["evidence"].partition(", but for ")[2]
        assert said, item.key
        assert all(symbol in said for symbol in list(missing)[:SHOWN]), item.key
        assert len(missing) <= SHOWN or said.endswith(f" and {len(missing) - SHOWN} more")
    assert reasons <= used, f"{items[0].key}: a reason for what a step contains"


def test_theorems_settle_statements_that_are_there() -> None:
    assert set(coq_statements.STATEMENTS) <= {item.key for item in STATEMENTS}


def test_every_true_check_refuses_something_or_says_how_slack_it_is() -> None:
    silent = [
        item.key
        for item in STATEMENTS
        if (checked := item.true_check) is not None and not (checked.refuses or checked.slack)
    ]
    assert silent == []


def test_what_implies_a_false_statement_is_false() -> None:
    by_key = {item.key: item for item in STATEMENTS}
    for item in STATEMENTS:
        for key in item.special_case_of:
            assert key != item.key
            general = by_key[key]
            assert not (item.expected == "false" and general.expected == "true"), item.key


@pytest.mark.parametrize("path", CHECKS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_check_names_its_own_level(path: Path) -> None:
    """An outcome comes from a helper: checks neither build one nor change one."""
    names = {"Outcome", "replace"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            assert name not in names, f"line {node.lineno}"


def test_own_statements_are_apart_from_those_of_papers() -> None:
    assert {item.paper for item in statements()} <= set(PAPERS)
    assert {item.paper for item in statements("exact")} == {"exact"}
    for key, lines in (("exact Lemma 0", "1"), ("004 Lemma 0", "")):
        with pytest.raises(ValueError, match="has lines"):
            statement(key, lines=lines, kind="identity", printed="1 = 1")(lambda: None)  # type: ignore[arg-type, return-value]


def test_statements_come_by_paper_and_section() -> None:
    keys = [item.key for item in STATEMENTS]
    assert len(keys) == len(set(keys))
    assert [item.paper for item in STATEMENTS] == sorted(item.paper for item in STATEMENTS)
    (lemma,) = (item for item in STATEMENTS if item.key == "004 Lemma 2.1.9")
    assert lemma.section == "2.1"
    assert re.fullmatch(r"proofs_checks/paper_004/section_2_1\.py:\d+", lemma.where)
    assert {item.paper for item in statements("002")} == {"002"}


def test_statements_belong_to_algorithms_of_the_catalogue() -> None:
    identifiers = set(entries()) | {"chapter-2"}
    assert {name for item in STATEMENTS for name in item.algorithms} <= identifiers


def test_a_false_statement_has_an_erratum_and_so_a_severity() -> None:
    for item in STATEMENTS:
        assert set(item.errata) <= errata().keys(), item.key
        assert len(item.errata) == len(set(item.errata)), item.key
        assert item.errata or not (item.expected == "false" or item.repair), item.key
        assert bool(item.errata) == bool(item.severity), item.key


def test_no_text_calls_a_paper_a_seed() -> None:
    """A reader knows papers by authors and year; a seed is that of the random numbers."""
    texts = [text for item in STATEMENTS for text in (item.printed, item.checked, item.reason)]
    texts += [item.of_corrected.formula for item in STATEMENTS if item.of_corrected]
    for entry in entries().values():
        texts += [entry.name, entry.privacy_claim, entry.utility_claim]
        texts += [form.summary for form in entry.printed_forms]
        texts += [text for e in entry.errata for text in (e.statement, e.truth, e.witness)]
    assert not [text for text in texts if "seed" in text.casefold()]


def test_one_statement_is_found_where_it_is_registered() -> None:
    for item in STATEMENTS:
        assert find(item.key) is item
    script = "from proofs_checks.statement import find; import sys; find('002 Lemma 3.1');"
    script += "print(sum(name.startswith('proofs_checks.paper_') for name in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(ran.stdout) == 2  # the paper and the section
    with pytest.raises(KeyError, match="no such"):
        find("004 no such statement")
