"""What the pages count is what there is."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from auditor.core.bounds import CONFIDENCE
from auditor.suite.errata import count
from auditor.zoo import specimens
from benchmarks.peers.subjects import subjects
from proofs_checks.statement import statements
from reference.catalogue import entries, errata

ROOT = Path(__file__).parents[2]


def words(page: str) -> str:
    """Return a page as one line, thousands without commas."""
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def test_the_readme_counts_what_the_catalogue_has() -> None:
    readme = words("README.md")
    expected = Counter(statement.expected for statement in statements())
    assert (
        f"All of their algorithms are here: {len(entries())}, where one that two papers print "
        f"counts once. Of their {sum(expected.values())} numbered statements and displays "
        f"{expected['true']} are true as printed, {expected['false']} are not, "
        f"{expected['definition']} are definitions and {expected['not checkable']} cannot be "
        "checked"
    ) in readme
    found = count(errata().values())
    assert (
        f"{sum(found.distinct.values())} distinct errata ({found.distinct['S1']} of them break a "
        f"headline) are reproduced, and {found.repeats} repeats of them"
    ) in readme
    of_all = f"{len(entries()) * (1 - CONFIDENCE):.0e}".replace("e-0", "e-")
    assert f"{of_all} over {len(entries())}" in readme


def test_the_pages_about_the_zoo_have_all_of_it() -> None:
    rows = re.findall(r"^\| ([a-z0-9-]+)\*? \|", (ROOT / "docs/zoo.md").read_text(), re.M)
    assert Counter(rows) == Counter([*specimens(), *["mechanism"] * rows.count("mechanism")])
    assert f"Compared are all {len(subjects())} mechanisms of the zoo" in words(
        "docs/benchmarks.md"
    )
