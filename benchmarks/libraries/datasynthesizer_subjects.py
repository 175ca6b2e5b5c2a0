"""Subjects from DataSynthesizer 0.1.13, which run in its environment: descriptions of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
from DataSynthesizer.DataDescriber import DataDescriber  # type: ignore[import-not-found]
from DataSynthesizer.lib.PrivBayes import get_noisy_distribution_of_attributes

from benchmarks.libraries.subject import Mechanism, Subject

RUNS = 1000
"""Runs a side: one takes some milliseconds."""
RANGES = {"x": [0, 10]}

Description = Mapping[str, Any]


def described(
    shown: Callable[[Description], Any],
    *,
    ranges: Mapping[str, Any] | None = RANGES,
    own_seed: bool = True,
) -> Mechanism:
    """Return what describes a table of one column in independent attribute mode, at epsilon 1."""

    def run(data: Any, rng: np.random.Generator) -> Any:
        describer = DataDescriber(histogram_bins=4)
        lines = "\n".join("" if value is None else str(value) for value in data)
        seed = {"seed": int(rng.integers(2**32))} if own_seed else {}
        describer.describe_dataset_in_independent_attribute_mode(
            StringIO(f"x,key\n{_numbered(lines)}\n"),
            epsilon=1.0,
            attribute_to_datatype={"x": "Float", "key": "Integer"},
            attribute_to_is_categorical={"x": False, "key": False},
            attribute_to_is_candidate_key={"x": False, "key": True},
            numerical_attribute_ranges={"key": [0, len(data)], **(ranges or {})},
            **seed,
        )
        return shown(describer.data_description["attribute_description"]["x"])

    return run


def _numbered(lines: str) -> str:
    """Return lines of a CSV file with a public number each, so that none is blank."""
    return "\n".join(f"{line},{number}" for number, line in enumerate(lines.split("\n")))


def joint_counts(cells: Any, rng: np.random.Generator) -> Any:
    """Return the noisy joint counts of two attributes, as correlated attribute mode makes them."""
    np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002
    table = pd.DataFrame(cells, columns=["a", "b"])
    return get_noisy_distribution_of_attributes(["a", "b"], table, 1.0)["count"].tolist()


def subjects() -> Iterator[Subject]:
    """Yield descriptions, and parts of them."""

    def one(
        name: str, mechanism: Mechanism, pair: tuple[Any, Any], words: str, finding: str = ""
    ) -> Subject:
        return Subject(name, mechanism, pair, words, samples=RUNS, finding=finding)

    def histogram(description: Description) -> Any:
        return description["distribution_probabilities"]

    ones = [1.0] * 10
    moved = ([*ones[:5], *[9.0] * 5], [*ones[:4], *[9.0] * 6])
    yield one("histogram, range given", described(histogram), moved, "five 1, five 9; a 1 is 9")
    yield one(
        "histogram, default seed",
        described(histogram, own_seed=False),
        moved,
        "five 1, five 9; a 1 is 9",
        finding="default seed",
    )
    yield one(
        "histogram, missing values",
        described(histogram),
        ([1.0, *[None] * 9], [9.0, *[None] * 9]),
        "nine missing values, and 1 or 9",
        finding="missing values",
    )
    yield one(
        "missing rate",
        described(lambda description: description["missing_rate"]),
        (ones, [*ones[:9], None]),
        "ten values, or one of them missing",
        finding="missing rate",
    )
    yield one(
        "range, not given",
        described(lambda description: (description["min"], description["max"]), ranges=None),
        ([*ones[:9], 2.0], [*ones[:9], 1000.0]),
        "nine 1, and 2 or 1000",
        finding="range",
    )
    cells = [(0, 0)] * 10 + [(1, 1)] * 10
    yield one(
        "joint counts of two attributes",
        joint_counts,
        (cells, [(1, 1), *cells[1:]]),
        "a record moves between two cells of ten",
        finding="joint counts",
    )
