"""The README and the page on certainty say what the repository has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auditor.suite.certainty import ProofLink
from benchmarks.how_sure import PAGE, arguments, counts, page
from proofs_checks.algorithm_theorems import algorithm_theorems

README = Path(__file__).parents[2] / "README.md"
Found = dict[str, list[ProofLink]]


@pytest.fixture(scope="module")
def found() -> Found:
    return arguments()


def test_the_page_is_what_its_command_writes(found: Found) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(found)


def test_the_readme_counts_algorithms_by_their_weakest_link(found: Found) -> None:
    text = README.read_text(encoding="utf-8")
    said = dict(re.findall(r"^\| ([^|]+?) \| (\d+) \|$", text, re.MULTILINE))
    assert said == {words: str(number) for words, number in counts(found).items()}
    proved = f"For {len(algorithm_theorems())} of the {len(found)} algorithms"
    assert proved in " ".join(text.split())
