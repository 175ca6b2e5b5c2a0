"""Certainty of a statement with all that it cites."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.suite.chains import sink

SYMBOLIC, DERIVED, SEARCHED = "proved (symbolic)", "derived, step checked", "checked by search"


def item(key: str, *cites: str, level: str = SYMBOLIC, weakest: Any = None) -> Any:
    outcome = {"level": level, "weakest": weakest, "evidence": level}
    return {"key": key, "cites": cites, "refuted": False, "printed": outcome, "corrected": None}


def of_a(items: list[Any]) -> tuple[str, str, str]:
    """Return the level of statement A, what it rests on, and its evidence."""
    keyed = {one["key"]: one for one in items}
    sink(keyed)
    found = keyed["A"]
    return found["level"], found["rests_on"], found["printed"]["evidence"]


@pytest.mark.parametrize(
    ("items", "level", "rests_on"),
    [
        ([item("A")], SYMBOLIC, ""),
        ([item("A", "B"), item("B", level=SEARCHED)], SEARCHED, "B"),
        # through what is cited, in a circle too
        (
            [item("A", "B"), item("B", "C", "A"), item("C", level=SEARCHED)],
            SEARCHED,
            "C",
        ),
        # in a circle that does not come back to where it began
        ([item("A", "B"), item("B", "C"), item("C", "B", level=SEARCHED)], SEARCHED, "C"),
        # of equals the nearest
        ([item("A", "B", level=SEARCHED), item("B", level=SEARCHED)], SEARCHED, ""),
        (
            [item("A", "B"), item("B", "C", level=SEARCHED), item("C", level=SEARCHED)],
            SEARCHED,
            "B",
        ),
        # of a derivation, its weakest step
        ([item("A", level=DERIVED, weakest=SEARCHED), item("B", level=SEARCHED)], DERIVED, ""),
        ([item("A", "B"), item("B", level=DERIVED, weakest=SEARCHED)], DERIVED, "B"),
        ([item("A", "B"), item("B", level=DERIVED, weakest=SYMBOLIC)], DERIVED, "B"),
        # never above its own
        ([item("A", "B", level="checked exactly"), item("B", level=DERIVED, weakest=SEARCHED)],
         "checked exactly", "B"),
        # a definition lowers nothing, and what it cites does
        ([item("A", "B"), item("B", level="definition")], SYMBOLIC, ""),
        (
            [item("A", "B"), item("B", "C", level="definition"), item("C", level=SEARCHED)],
            SEARCHED,
            "C",
        ),
        # what is not in the ledger is left out
        ([item("A", "elsewhere")], SYMBOLIC, ""),
    ],
)  # fmt: skip
def test_a_level_is_never_above_that_of_what_is_cited(
    items: list[Any], level: str, rests_on: str
) -> None:
    found = of_a(items)
    assert found[:2] == (level, rests_on)
    assert ("; rests on" in found[2]) == bool(rests_on)


def test_the_evidence_names_the_weakest_step() -> None:
    found = of_a([item("A", "B"), item("B", level=DERIVED, weakest=SEARCHED)])
    assert found[2] == "proved (symbolic); rests on B, checked by search"


def test_of_a_false_print_what_is_corrected_counts_and_nothing_is_weakest() -> None:
    corrected = {"level": SEARCHED, "weakest": None, "evidence": ""}
    refuted = {**item("A"), "refuted": True}
    assert of_a([{**refuted, "corrected": corrected}])[0] == SEARCHED
    assert of_a([dict(refuted)])[0] == ""
    assert of_a([item("A", "B"), {**item("B"), "refuted": True}])[0] == "not checkable"
