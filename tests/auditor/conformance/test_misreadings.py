"""Arguments that are misread: which of them a case tells apart."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.conformance.kinds import Case
from auditor.conformance.misreadings import first_noticed, misread

INPUTS = {"n": 10, "epsilon": 0.5, "values": [0.1, -2.0], "name": "x", "count": 1}


def case(result: Any, relative: float = 1e-9) -> Case:
    return {"inputs": INPUTS, "result": result, "tolerance": {"relative": relative}}


def test_one_argument_is_misread_at_a_time() -> None:
    found = {name: inputs for name, _, inputs in misread(INPUTS)}
    assert found["n - 1 for n"] == {**INPUTS, "n": 9}
    assert found["half of epsilon"] == {**INPUTS, "epsilon": 0.25}
    assert found["minus values for values"] == {**INPUTS, "values": [-0.1, 2.0]}
    assert found["single precision"]["values"] == [0.10000000149011612, -2.0]
    assert len(found) == 4  # a count of 1 has no smaller one


def test_releases_are_misread_together() -> None:
    releases = [{"kind": "laplace", "sensitivity": 1.0, "scale": 2.0, "count": 3}]
    found = {name: inputs for name, _, inputs in misread({"releases": releases})}
    (halved,) = found["the sensitivity to a record that is added"]["releases"]
    assert halved == {**releases[0], "sensitivity": 0.5}


@pytest.mark.parametrize(
    ("function", "twin"),
    [
        (lambda told: told["n"], "n - 1 for n"),
        (lambda told: told["epsilon"], "half of epsilon"),
        (lambda told: told["values"][0], "single precision"),
        (lambda told: told["values"][1], "minus values for values"),
    ],
)
def test_the_first_that_matters_is_told(function: Any, twin: str) -> None:
    found = first_noticed(case(function(INPUTS)), function)
    assert [item["twin"] for item in found] == [twin]


def test_what_is_within_the_tolerance_or_refused_says_nothing() -> None:
    def refuses(told: Any) -> float:
        if told != INPUTS:
            raise ValueError
        return 1.0

    assert first_noticed(case(1.0), refuses) == []
    assert first_noticed(case(10, relative=0.2), lambda told: told["n"]) == []


def test_nearly_every_case_of_constants_notices_one(vectors: Any) -> None:
    cases = [case for (kind, _), found in vectors.items() if kind == "constants" for case in found]
    assert sum(not case["catches"] for case in cases) < len(cases) / 100
