"""Verdicts and their JSON."""

import json

import numpy as np
import pytest

from auditor.core.verdict import Verdict, describe, jsonable


def test_figures_are_rounded_and_witnesses_are_exact() -> None:
    value = 0.1 + 0.2
    verdict = Verdict(
        "sensitivity", "violated", "s", evidence={"x": value}, witness={"x": np.array([value])}
    )
    stored = json.loads(json.dumps(verdict.to_json()))
    assert stored["evidence"]["x"] == 0.3
    assert stored["witness"]["x"] == [value]
    assert value != 0.3


def test_reading_back_is_the_identity_from_then_on() -> None:
    verdict = Verdict(
        "samplers",
        "holds",
        "s",
        evidence={"a": np.float64(1 / 3), "b": (np.int64(2), float("-inf")), "c": {3: True}},
        p_value=0.25,
        findings=({"kind": "k"},),
    )
    once = Verdict.from_json(verdict.to_json())
    assert once.to_json() == verdict.to_json()
    assert Verdict.from_json(once.to_json()) == once
    assert once.evidence == {"a": 0.333333333333, "b": [2, "-infinity"], "c": {"3": True}}


def test_json_types() -> None:
    assert jsonable({"x": float("nan"), "y": {2, 1}}) == {"x": "nan", "y": [1, 2]}
    assert jsonable(np.array([[1.5, np.inf]])) == [[1.5, "infinity"]]
    assert jsonable(None) is None


def test_only_known_questions() -> None:
    with pytest.raises(ValueError, match="unknown question 'taste'"):
        Verdict("taste", "holds", "s")


def test_a_finding_in_words() -> None:
    assert describe({"kind": "k", "statement": "leaks"}) == "leaks"
    assert describe({"kind": "k", "detail": "leaks"}) == "leaks"
    assert describe({"kind": "k", "runs": 3, "at": "x"}) == "runs 3, at x"
