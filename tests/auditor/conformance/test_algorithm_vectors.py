"""Every algorithm has vectors that reach every branch and tell broken implementations apart."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

from auditor.conformance import store
from auditor.conformance.compare import difference
from auditor.conformance.kinds import Case
from auditor.conformance.record import draws_of, replayed
from auditor.conformance.twins import FLOAT32, HALVED, REVERSED, private_input
from reference.catalogue import entries, entry

IDS = tuple(entries())

BITS = ("diss-2.randomized-response", "diss-7.1.54", "diss-7.1.majority")
CHOICES = ("diss-5.1.32", "diss-5.3.41", "diss-5.3.44", "diss-5.3.rand")
ONE_DRAW = "the only draw is one number"
MEAN = "all draws of the one release are averaged"
NOT_CAUGHT: dict[tuple[str, str], str] = {
    ("diss-3.2.6", REVERSED): ONE_DRAW,
    ("diss-5.1.30", REVERSED): MEAN,
    ("wang-ldp-mean", REVERSED): MEAN,
    ("wang-mean", REVERSED): ONE_DRAW,
    **{(name, HALVED): "a flipped answer has no noise to halve" for name in BITS},
    **{
        (name, HALVED): "what users send is a choice, to which no noise is added"
        for name in CHOICES
    },
    **{(name, FLOAT32): "the data are bits" for name in (*BITS, "diss-5.1.35")},
}
"""General twins that no case of an algorithm can catch, and why."""


PEELING = "zhang-1"
"""Its steps are a release of the ledger, of which there are vectors by themselves."""


@cache
def cases(identifier: str) -> list[Case]:
    return store.read(store.path_of("algorithms", identifier))


@pytest.mark.parametrize("identifier", IDS)
def test_a_run_by_hand_a_longer_one_and_a_twin_of_its_own(identifier: str) -> None:
    names = {case["id"].split("/")[2] for case in cases(identifier)}
    assert "by-hand" in names
    assert len(names) >= 2
    caught = {found["twin"] for case in cases(identifier) for found in case["catches"]}
    for twin in (HALVED, REVERSED, FLOAT32):
        known = (identifier, twin) in NOT_CAUGHT
        assert (twin in caught) != known, f"{twin!r} is {'now' if known else 'not'} caught"
    mutants = caught - {HALVED, REVERSED, FLOAT32}
    assert bool(mutants) != (identifier == PEELING), "no case notices a mutant"


@pytest.mark.parametrize("identifier", IDS)
def test_other_orders_of_summation_stay_far_within_the_tolerance(identifier: str) -> None:
    """Data that differ in their last bit are to a port what another order of summation is."""
    rng = np.random.default_rng(0)
    for case in cases(identifier):
        name = private_input(case["inputs"])
        inputs = {**case["inputs"], name: nudged(case["inputs"][name], rng)}
        found = replayed(entry(identifier).function, inputs, draws_of(case["steps"]))
        tolerance = case["tolerance"]["relative"] / 10
        assert difference(case["result"], found["result"], tolerance=tolerance) is None


def nudged(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, dict):
        return {key: nudged(item, rng) for key, item in value.items()}
    if isinstance(value, list):
        return [nudged(item, rng) for item in value]
    if isinstance(value, float) and value not in (-1.0, 0.0, 1.0):  # labels and zeros stay
        return float(np.nextafter(value, np.inf if rng.random() < 0.5 else -np.inf))
    return value


@pytest.mark.parametrize("identifier", IDS)
def test_the_reference_conforms_and_every_line_of_it_is_reached(identifier: str) -> None:
    function = entry(identifier).function
    code, reached = inspect.unwrap(function).__code__, set()

    def in_function(frame: FrameType, event: str, _: Any) -> Any:
        reached.add(frame.f_lineno)
        return in_function

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        return in_function if frame.f_code is code else None

    old = sys.gettrace()
    sys.settrace(trace)
    try:
        gaps = [str(gap) for case in cases(identifier) if (gap := store.wrong(case))]
    finally:
        sys.settrace(old)
    assert gaps == []
    missing = set(lines_of(function)) - reached
    assert not missing, f"no case runs line(s) {sorted(missing)} of {function.__module__}"


def lines_of(function: Any) -> Iterator[int]:
    """Yield the first lines of the statements of a function that do more than refuse arguments."""
    lines, first = inspect.getsourcelines(function)
    code: CodeType = inspect.unwrap(function).__code__
    starts = {line for _, _, line in code.co_lines() if line is not None}
    tree = ast.parse("".join(lines))
    refusals = {
        first - 1 + line
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    statements = {first - 1 + node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)}
    yield from (starts & statements) - refusals - {first}


def test_general_twins_that_nobody_catches_are_of_the_catalogue() -> None:
    assert {identifier for identifier, _ in NOT_CAUGHT} <= set(IDS)
