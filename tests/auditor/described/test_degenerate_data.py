"""No algorithm raises on one of two neighbours only, nor after its first release.

Every case is run on degenerate data of its own domain: a record everywhere, the largest and the
smallest numbers, records on a ray, two records in turn. A neighbour has another record in one
place. Every parameter that is a float is tried far off its value as well, and records with more
columns: what is refused must be refused on both data sets alike, in the same words. A
RuntimeWarning counts as an exception.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from auditor.core.case import Data, Form, Run
from auditor.core.neighbours import Ball, Box, Domain, Everything, Integers, Product, n_records
from auditor.described import build_case, builders
from auditor.described.build import Call
from auditor.questions.sensitivity import neighbour_pair
from reference.privacy.guarantees import PureDP
from reference.privacy.ledger import Ledger

LARGEST = 1.7e308
"""Entries of records in a domain without bounds."""
FACTORS = (1e-4, 1e3)
"""By which a parameter is changed."""
MORE = 2
"""Columns that are added."""


def widened(domain: Domain) -> Domain:
    """Return the domain with the largest numbers, where it is without bounds."""
    if isinstance(domain, Everything):
        return dataclasses.replace(domain, largest=LARGEST)
    if isinstance(domain, Product):
        return Product(tuple(map(widened, domain.parts)))
    return domain


def broadened(domain: Domain) -> Domain:
    """Return the domain of records with more columns."""
    if isinstance(domain, (Everything, Box, Integers)) and len(domain.shape) == 1:
        return dataclasses.replace(domain, shape=(domain.shape[0] + MORE,))
    if isinstance(domain, Ball):
        return dataclasses.replace(domain, dimension=domain.dimension + MORE)
    if isinstance(domain, Product):
        return Product(tuple(map(broadened, domain.parts)))
    return domain


def degenerate(domain: Domain, n: int, rng: np.random.Generator) -> dict[str, list[Any]]:
    """Return data sets as lists of n records, by name."""
    k = domain.parameters
    ray = rng.uniform(-1, 1, k)
    points = {
        "rank one": ray * rng.uniform(-1, 1, (n, 1)),
        "constant": np.tile(rng.uniform(-1, 1, k), (n, 1)),
        "huge": np.ones((n, k)),
        "tiny": np.full((n, k), 1e-9),
        "zero": np.zeros((n, k)),
        "duplicated": np.tile(rng.uniform(-1, 1, (2, k)), (n, 1))[:n],
    }
    return {name: [domain.decode(row) for row in rows] for name, rows in points.items()}


def replacements(domain: Domain) -> list[Any]:
    k = domain.parameters
    return [domain.decode(point) for point in (np.ones(k), -np.ones(k), np.zeros(k), np.eye(k)[0])]


def pairs(form: Form, domain: Domain, most: int) -> Iterator[tuple[str, Data, Data]]:
    """Yield degenerate neighbours, at most ``most`` of a kind."""
    n = max(map(n_records, form.pair))
    others = replacements(domain)[:most]
    for name, records in degenerate(domain, n, np.random.default_rng(1)).items():
        base = domain.data_set(records)
        for index, new in enumerate(others):
            yield name, *neighbour_pair(form, base, records[form.replaced], new, index)


def raised(run: Run, data: Data) -> tuple[str, int]:
    """Return what a run raises, or nothing, and after how many releases."""
    ledger = Ledger(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            run(data, ledger)
        except Exception as error:
            return f"{type(error).__name__}: {error}", len(ledger.transcript.releases)
    return "", 0


def variations(run: Run) -> Iterator[tuple[str, Run]]:
    """Yield a call with one parameter changed at a time, or nothing if it is no plain call."""
    for name, value in (run.parameters if isinstance(run, Call) else {}).items():
        if type(value) is float and value != 0:
            for factor in FACTORS:
                yield f"{name} = {factor * value:g}", run.changed({name: factor * value})


def told_apart(form: Form) -> list[str]:
    """Return where exceptions tell two neighbours apart, or are raised after a release."""
    assert form.domain is not None, "a case without a domain needs degenerate data of its own"
    usual, broad = widened(form.domain), widened(broadened(form.domain))
    tried = [("", form.run, pair) for pair in (*pairs(form, usual, 9), *pairs(form, broad, 9))]
    few = ("rank one", "zero", "duplicated")
    some = [
        (name, *pair) for d in (usual, broad) for name, *pair in pairs(form, d, 1) if name in few
    ]
    tried += [(label, run, pair) for label, run in variations(form.run) for pair in some]
    found = []
    for label, run, (name, data, other) in tried:
        first, second = raised(run, data), raised(run, other)
        if first != second or first[1]:
            found.append(f"{name} {label}: {first} against {second}")
    return found


@pytest.mark.parametrize("identifier", list(builders()))
def test_nothing_raises_on_one_of_two_neighbours_only(identifier: str) -> None:
    assert told_apart(build_case(identifier).forms["corrected"]) == []


def mean(data: Data, ledger: Ledger) -> float:
    return float(ledger.laplace(np.clip(data, -1, 1).mean(), sensitivity=1.0, scale=1.0))


def fails_on_large(data: Data, ledger: Ledger) -> float:
    if np.abs(data).max() > 10:
        raise ValueError("too large")
    return mean(data, ledger)


def quotes(data: Data, ledger: Ledger) -> float:
    raise ValueError(f"the first is {data[0]}")


def fails_afterwards(data: Data, ledger: Ledger) -> float:
    mean(data, ledger)
    raise RuntimeError("always, and the budget is spent")


def warns(data: Data, ledger: Ledger) -> float:
    return mean(np.asarray(data**2), ledger)


def fails_where_rank_is_one(data: Data, ledger: Ledger) -> float:
    np.linalg.inv(data.T @ data)
    return mean(data, ledger)


@pytest.mark.parametrize(
    ("run", "domain"),
    [
        (fails_on_large, Everything((2,))),
        (quotes, Box((2,), 0.0, 1.0)),
        (fails_afterwards, Box((2,), 0.0, 1.0)),
        (warns, Everything((2,))),
        (fails_where_rank_is_one, Box((2,), -1.0, 1.0)),
    ],
)
def test_what_raises_on_one_of_two_neighbours_is_found(
    run: Callable[..., Any], domain: Domain
) -> None:
    pair = (np.zeros((4, 2)), np.eye(4, 2))
    form = Form(run, PureDP(1.0), pair, 0, {}, domain=domain)
    assert told_apart(form) != []
    assert told_apart(dataclasses.replace(form, run=mean)) == []


def test_what_is_refused_far_off_its_value_is_found() -> None:
    def needs(data: Data, *, level: float, ledger: Ledger) -> float:
        if level < 1e-3 and data.max() > 0.5:
            raise ValueError("level must be larger")
        return mean(data, ledger)

    form = Form(
        Call(needs, (), {"level": 1.0}),
        PureDP(1.0),
        (np.zeros((4, 2)), np.eye(4, 2)),
        0,
        {},
        domain=Box((2,), 0.0, 1.0),
    )
    (first, *_) = told_apart(form)
    assert "level = 0.0001" in first
