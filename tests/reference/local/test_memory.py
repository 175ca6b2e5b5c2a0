"""Memory of the local algorithms, as stated and as measured: the peak that numpy allocates."""

from __future__ import annotations

import inspect
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entries, entry
from reference.local.links import IDENTITY, LOGISTIC
from reference.privacy.ledger import Ledger

N, P = 2000, 24
RNG = np.random.default_rng(0)
FEATURES, LABELS = RNG.normal(size=(N, P)) / 10, RNG.choice([-1.0, 1.0], size=N)
ROWS: dict[str, Any] = {"data": FEATURES, "epsilon": 1.0, "delta": 1e-5}
PAIRS: dict[str, Any] = {**ROWS, "data": (FEATURES, LABELS), "public_features": FEATURES[:200]}
CALLS: dict[str, dict[str, Any]] = {
    "diss-5.2.39": {**PAIRS, "link": LOGISTIC},
    "diss-5.2.40": {**PAIRS, "link": IDENTITY, "noise_bound": 0.1},
    "diss-6.1.46": {**ROWS, "n_components": 2},
    "diss-6.1.47": {**ROWS, "n_components": 2},
    "diss-6.2.49": ROWS,
    "diss-6.3.53": {**ROWS, "penalty": 0.5},
}
STATED = re.compile(r"takes\s+up to (\d+) n [pd]\^2 floats")


def stated(identifier: str) -> list[str]:
    """Return how many times n p^2 floats a docstring says that an algorithm takes."""
    return STATED.findall(inspect.getdoc(entry(identifier).function) or "")


def test_every_statement_is_measured():
    assert {identifier for identifier in entries() if stated(identifier)} == set(CALLS)
    said = [inspect.getdoc(entry(identifier).function) or "" for identifier in entries()]
    assert sum(bool(re.search(r"n [pd]\^2\s+floats", text)) for text in said) == len(CALLS)


@pytest.mark.parametrize("identifier", CALLS)
def test_the_peak_is_as_stated_and_not_much_less(identifier):
    function, (most,) = entry(identifier).function, map(int, stated(identifier))
    function(**CALLS[identifier], ledger=Ledger(0))  # what is loaded or kept once is no cost of it
    tracemalloc.start()
    function(**CALLS[identifier], ledger=Ledger(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # the rest, of order n p, is 5% here
    assert 0.5 * most < peak / (8 * N * P**2) <= 1.05 * most
