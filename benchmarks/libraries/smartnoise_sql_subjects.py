"""Subjects from smartnoise-sql 1.0.10, which run in its environment.

The library draws its noise from the operating system, so that its runs cannot be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from snsql import Privacy, from_df  # type: ignore[import-not-found]
from snsql.sql._mechanisms.approx_bounds import approx_bounds
from snsql.sql._mechanisms.gaussian import Gaussian
from snsql.sql._mechanisms.laplace import Laplace

from benchmarks.libraries.subject import Mechanism, Subject

RUNS, QUERIES, BOUNDS = 4000, 100, 500
"""Runs a side of a release, of a query, and of a search for bounds."""
DELTA = 0.05


def metadata(censored: bool) -> dict[str, Any]:
    """Return what is public of the table, and whether rare groups are left out."""
    table = {
        "row_privacy": True,
        "rows": 10,
        "clamp_counts": False,
        "censor_dims": censored,
        "x": {"type": "float", "lower": 0.0, "upper": 10.0},
        "g": {"type": "string"},
    }
    return {"": {"S": {"T": table}}}


def noisy(mechanism: Any) -> Mechanism:
    """Return a mechanism's release of a value."""

    def run(value: Any, rng: np.random.Generator) -> Any:
        return mechanism.release([value])[0]

    return run


def bounds(values: Any, rng: np.random.Generator) -> Any:
    """Return approximate bounds."""
    return approx_bounds(values, 1.0)


def answered(query: str, delta: float) -> Mechanism:
    """Return the answer to a query at epsilon 1."""

    def run(data: Any, rng: np.random.Generator) -> Any:
        table = pd.DataFrame(data, columns=["x", "g"])
        privacy = Privacy(epsilon=1.0, delta=delta)
        reader = from_df(table, privacy=privacy, metadata=metadata(delta > 0))
        return [tuple(row) for row in reader.execute(query)[1:]]

    return run


def subjects() -> Iterator[Subject]:
    """Yield the mechanisms, and queries."""
    for name, mechanism, pair, delta in (
        ("Laplace", Laplace(1.0, sensitivity=1.0), (0.0, 1.0), 0.0),
        ("Laplace, 3 contributions", Laplace(1.0, sensitivity=1.0, max_contrib=3), (0.0, 3.0), 0.0),
        ("Laplace, bounds -5 and 10", Laplace(1.0, lower=-5.0, upper=10.0), (0.0, 10.0), 0.0),
        ("Gaussian", Gaussian(1.0, delta=DELTA, sensitivity=1.0), (0.0, 1.0), DELTA),
        (
            "Gaussian, bounds -5 and 10",
            Gaussian(1.0, delta=DELTA, lower=-5, upper=10),
            (0.0, 10.0),
            DELTA,
        ),
    ):
        words = f"{pair[0]:g} or {pair[1]:g}, at the distance of the sensitivity"
        yield Subject(name, noisy(mechanism), pair, words, 1.0, delta, samples=RUNS)
    few = np.array([3.0] * 12)
    yield Subject(
        "approx_bounds",
        bounds,
        (few, np.append(few, 1e6)),
        "twelve 3, or with 1e6 added",
        samples=BOUNDS,
    )
    rows = [(5.0, "a")] * 9
    for name, query, more, delta, words in (
        ("COUNT(*)", "SELECT COUNT(*) AS n FROM S.T", (5.0, "a"), 0.0, "a row is added"),
        ("SUM(x)", "SELECT SUM(x) AS s FROM S.T", (10.0, "a"), 0.0, "a row with x = 10 is added"),
        (
            "COUNT(*) by group",
            "SELECT g, COUNT(*) AS n FROM S.T GROUP BY g",
            (5.0, "b"),
            0.01,
            "a row of a new group is added",
        ),
    ):
        yield Subject(
            name, answered(query, delta), (rows, [*rows, more]), words, 1.0, delta, samples=QUERIES
        )
