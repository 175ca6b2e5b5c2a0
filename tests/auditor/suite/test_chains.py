"""Certainty of a statement with all that it cites."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.suite.chains import WeakestLink, weakest_links


def item(key: str, *cites: str, level: str = "proved (symbolic)", weakest: Any = None) -> Any:
    outcome = {"level": level, "weakest": weakest}
    return {"key": key, "cites": cites, "refuted": False, "printed": outcome, "corrected": None}


SEARCHED = "checked by search"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([item("A")], WeakestLink("proved (symbolic)", "A")),
        ([item("A", "B"), item("B", level=SEARCHED)], WeakestLink(SEARCHED, "B")),
        # through what is cited, in a circle too
        (
            [item("A", "B"), item("B", "C", "A"), item("C", level=SEARCHED)],
            WeakestLink(SEARCHED, "C"),
        ),
        # in a circle that does not come back to where it began
        (
            [item("A", "B"), item("B", "C"), item("C", "B", level=SEARCHED)],
            WeakestLink(SEARCHED, "C"),
        ),
        # of equals the nearest
        ([item("A", "B", level=SEARCHED), item("B", level=SEARCHED)], WeakestLink(SEARCHED, "A")),
        # of a derivation, its weakest step
        ([item("A", level="derived, step checked", weakest=SEARCHED)], WeakestLink(SEARCHED, "A")),
        # what is not in the ledger is left out
        ([item("A", "elsewhere")], WeakestLink("proved (symbolic)", "A")),
    ],
)
def test_the_weakest_link(items: list[Any], expected: WeakestLink) -> None:
    assert weakest_links(items)["A"] == expected


def test_of_a_false_print_what_is_corrected_counts_and_nothing_is_weakest() -> None:
    corrected = {"level": SEARCHED, "weakest": None}
    refuted = {**item("A"), "refuted": True}
    assert weakest_links([{**refuted, "corrected": corrected}])["A"].level == SEARCHED
    assert weakest_links([refuted])["A"].level == "not checkable"
