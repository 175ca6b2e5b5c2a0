"""Counts on the pages are those of the catalogue, the zoo and the results."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from auditor.core.input_limits import CONFIDENCE
from auditor.core.version import version
from auditor.suite.conclude import FalseAlarms
from auditor.suite.errata import Reproduced, count
from auditor.zoo import specimens
from benchmarks.peers.subjects import subjects
from benchmarks.report_picture import head_of
from benchmarks.report_picture import words as words_of_the_picture
from proofs_checks import verdicts
from proofs_checks.statement import statements
from reference.catalogue import entries, errata

ROOT = Path(__file__).parents[2]


def words(page: str) -> str:
    """Return a page as one line, thousands without commas."""
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def test_the_page_of_the_papers_counts_what_the_catalogue_has() -> None:
    page = words("docs/explanation/five-papers.md")
    pairs = [(statement.print, statement.claim) for statement in statements()]
    assert f"All of their algorithms are here: {len(entries())}, where one" in page
    assert f"Each of their {len(pairs)} numbered statements and displays" in page
    assert f"of the print and of the claim: {verdicts.counted(pairs)}." in page
    found = count(errata().values())
    assert (
        f"{sum(found.distinct.values())} distinct errata ({found.distinct['S1']} of them break a "
        f"headline) are reproduced, {found.repeats} repeats of them, and {found.in_doubt} are in "
        "doubt"
    ) in page
    assert f"audits all {len(entries())} algorithms" in words("README.md")
    of_all = f"{len(entries()) * (1 - CONFIDENCE):.0e}".replace("e-0", "e-")
    assert f"{of_all} over {len(entries())}" in words("docs/how-to/read-a-report.md")


def test_the_pages_about_the_zoo_have_all_of_it() -> None:
    rows = re.findall(r"^\| ([a-z0-9-]+)\*? \|", (ROOT / "docs/measured/zoo.md").read_text(), re.M)
    assert Counter(rows) == Counter([*specimens(), *["mechanism"] * rows.count("mechanism")])
    assert f"Compared are all {len(subjects())} mechanisms of the zoo" in words(
        "docs/measured/benchmarks.md"
    )


def test_the_picture_of_the_report_is_of_today() -> None:
    shown, algorithms = words_of_the_picture(), len(entries())
    one = 1 - CONFIDENCE
    known = tuple(erratum for entry in entries().values() for erratum in entry.errata)
    for expected in (
        f"of {Reproduced((), known).headline[1]} errata in all",
        f"of {len(known)} unexpected 0",
        f"{algorithms} differentially private algorithms, audited in",
        f"Touchstone {version()} · quick tier, seed 0, confidence {100 * CONFIDENCE:g}% of each",
        FalseAlarms(algorithms, one, algorithms * one).describe(),
    ):
        assert expected in shown


def test_the_head_of_a_report_is_its_words() -> None:
    report = '<body><header class="top">\n <p>3 of\n5</p><dt>&lt;1</dt></header><p>more</p>'
    assert head_of(report) == "3 of 5 <1"
    with pytest.raises(ValueError, match="no head"):
        head_of("<body></body>")
