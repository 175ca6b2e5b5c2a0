"""The Fair survey of 6366 women, which ships with statsmodels: columns on a public scale."""

from __future__ import annotations

import math

import numpy as np
from statsmodels.datasets import fair

from auditor import Data, replace_record
from reference._validation import FloatArray

OLDEST = 100.0
"""Public bound on an age in years."""

RANGES = {  # of the survey's codes, public
    "rate_marriage": (1.0, 5.0),
    "age": (17.5, 42.0),
    "yrs_married": (0.5, 23.0),
    "children": (0.0, 5.5),
    "religious": (1.0, 4.0),
    "educ": (9.0, 20.0),
    "occupation": (1.0, 6.0),
    "occupation_husb": (1.0, 6.0),
}


def column(name: str) -> FloatArray:
    """Return one column as it is."""
    values: FloatArray = fair.load_pandas().data[name].to_numpy(dtype=np.float64)
    return values


def explanatory() -> FloatArray:
    """Return the eight explanatory columns, each mapped to [-1, 1] by its public range."""
    table = fair.load_pandas().data[list(RANGES)].to_numpy(dtype=np.float64)
    low, high = np.transpose(list(RANGES.values()))
    scaled: FloatArray = (2 * table - low - high) / (high - low)
    return scaled


def classification() -> Data:
    """Return (features, labels): with an intercept, rows of l2 norm at most 1; 1 is an affair."""
    columns = explanatory()
    features = np.column_stack([np.ones(len(columns)), columns])
    labels = np.where(column("affairs") > 0, 1.0, -1.0)
    return features / math.sqrt(features.shape[1]), labels


def opposite_record(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random record by the one that pulls hardest the other way at x = 0."""
    features, labels = data
    index = int(rng.integers(len(labels)))
    direction = features[index] / np.linalg.norm(features[index])
    return replace_record(data, index, (direction, -labels[index])), index
