"""The range of a guarantee comes from the algorithm, which releases nothing meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor import form
from auditor.described import build_case
from auditor.questions.ranges import Range, legal, ranges
from reference.parameters import PARAMETERS, ParameterError
from reference.privacy.ledger import Ledger

PAIR = (np.zeros(3), np.ones(3))


def asked(function: Any, **parameters: Any) -> dict[str, Range]:
    """Return the ranges of a function on three records, by name."""
    return {found.name: found for found in ranges(form(function, PAIR, epsilon=1.0, **parameters))}


def picky(data: Any, *, epsilon: float, n_iterations: int, ledger: Ledger) -> None:
    """Refuse a large epsilon, more iterations than records, and a single record."""
    if epsilon > 27.6:
        raise ParameterError("epsilon", "be <= 27.6", epsilon)
    if len(data) < 2:
        raise ValueError("data must have 2 records")
    if n_iterations > len(data):
        raise ParameterError("n_iterations", f"be <= {len(data)}", n_iterations)
    ledger.public(lambda rng: rng.random())
    raise AssertionError("the run goes on")


def test_what_an_algorithm_refuses_is_quoted_without_what_was_tried() -> None:
    found = asked(picky, n_iterations=2)
    assert list(found) == ["epsilon", "n_iterations", "records"]
    assert found["epsilon"].refused == ((1e6, "epsilon must be <= 27.6"),)
    assert found["n_iterations"].refused == ((10_000, "n_iterations must be <= 3"),)
    assert found["records"].refused == ((1, "data must have 2 records"),)
    assert found["epsilon"].describe() == (
        "a finite number > 0, from 1e-12 to 1e+06; at 1e+06, epsilon must be <= 27.6"
    )


@pytest.mark.parametrize("kind", ["laplace", "subsample", "public"])
def test_a_run_ends_before_its_first_entry(kind: str) -> None:
    def algorithm(data: Any, *, epsilon: float, ledger: Ledger) -> None:
        if kind == "laplace":
            ledger.laplace(data.mean(), sensitivity=1.0, scale=1 / epsilon)
        elif kind == "subsample":
            ledger.subsample(len(data), 1)
        else:
            ledger.public(lambda rng: rng.random())
        raise AssertionError("the run goes on")

    assert all(not found.refused for found in asked(algorithm).values())


def test_a_run_that_hides_its_parameters_has_no_ranges() -> None:
    made = form(picky, PAIR, epsilon=1.0, n_iterations=1)
    assert ranges(replace(made, run=lambda data, ledger: None)) == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("delta", "in (0, 1), from 1e-100 to 1"),
        ("n_iterations", "an integer >= 1"),
        ("failure_probability", "in (0, 1)"),
        ("penalty", "a finite number >= 0, from 0 to 1e+50"),
    ],
)
def test_a_range_has_the_limits_of_doubles(name: str, words: str) -> None:
    assert legal(PARAMETERS[name]) == words


@pytest.mark.parametrize(
    ("identifier", "name", "number"),
    [
        ("diss-5.1.32", "epsilon", 1e6),
        ("diss-6.3.52", "delta", 1e-100),
        ("diss-3.2.6", "records", 1),
    ],
)
def test_the_papers_algorithms_say_their_limits(identifier: str, name: str, number: float) -> None:
    found = {found.name: found for found in ranges(build_case(identifier).forms["corrected"])}
    assert [tried for tried, _ in found[name].refused] == [number]
