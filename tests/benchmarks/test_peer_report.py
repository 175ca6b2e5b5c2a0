"""Mechanisms that are measured after the page of the comparison was made."""

from __future__ import annotations

import json

import pytest

from benchmarks.peers import report

PAGE = f"""In 11 cases it is ahead; in no other.

Compared are all 79 mechanisms of the zoo.

{report.LATER}

the rest
"""


def made_up(mechanism, source, method, epsilon, seed=0):
    keys = ("mechanism", "source", "method", "epsilon", "seed")
    record = dict(zip(keys, (mechanism, source, method, epsilon, seed), strict=True))
    return record | {"samples": 10_000, "seconds": 0.1, "error": ""}


@pytest.fixture
def text(tmp_path):
    """Return the page after two mechanisms were added, of epsilon 1 and 2."""
    split = "clopper-pearson, split"
    records = [
        *(made_up("partial-sum", report.OURS, report.OURS, e, i) for i, e in enumerate([0.8, 0.9])),
        made_up("partial-sum", "jax-privacy", split, 0.7),
        made_up("partial-sum", "privacy-estimates", "beta", 0.6),
        made_up("partial-sum", "jax-privacy", "one run", 1.5),
        made_up("smart-sum", report.OURS, report.OURS, 1.5),
        made_up("smart-sum", "jax-privacy", split, 1.8),
        made_up("smart-sum", "jax-privacy", "one run", 0.0),
    ]
    results = tmp_path / "added.jsonl"
    results.write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "benchmarks.md").write_text(PAGE)
    report.add_report(results, tmp_path)
    return (tmp_path / "benchmarks.md").read_text()


def test_those_added_are_counted_and_the_rest_of_the_page_stays(text):
    assert "Compared are all 81 mechanisms of the zoo." in text
    assert "in no other. Of 2 mechanisms measured on 20" in text
    assert ", on 1.\n" in text
    assert text.endswith(f"{report.LATER}\n\nthe rest\n")


def test_the_best_of_the_others_is_shown_with_proof_and_without(text):
    assert (
        "| partial-sum | 1.000 | 0.850 | 0.700 | jax-privacy: clopper-pearson, split | 1.500 | "
        "jax-privacy: one run † |"
    ) in text
    assert (
        "| smart-sum | 2.000 | 1.500 | 1.800 | jax-privacy: clopper-pearson, split | 0.000 |  |"
    ) in text
    assert "| jax-privacy: clopper-pearson, split | 2 | 1 | 0 | 1 | " in text


def test_what_was_not_run_and_what_was_above_the_truth_is_said(text):
    assert "Not run on them: opake-auditing." in text
    assert "Bounds above the truth, of all: jax-privacy: one run † 1 of 2." in text


def test_a_page_that_counts_no_mechanisms_is_an_error(tmp_path):
    results = tmp_path / "added.jsonl"
    results.write_text(json.dumps(made_up("partial-sum", report.OURS, report.OURS, 0.9)) + "\n")
    (tmp_path / "benchmarks.md").write_text("another page\n")
    with pytest.raises(ValueError, match="does not say how many mechanisms"):
        report.add_report(results, tmp_path)
