"""Parts shared by the cases of Algorithms 5.2.39 and 5.2.40 of Wang (2020)."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from auditor import Data, Everything, Product
from reference._validation import FloatArray
from reference.local.links import Link
from reference.local.scaled_least_squares import (
    Constants,
    Estimate,
    least_squares,
    scores,
    smallest_root,
)
from reference.privacy.ledger import Ledger

DOMAIN = Product((Everything((2,)), Everything(())))
"""All that two users with two features may send in."""
PUBLIC = np.array([[0.5, 0.5], [0.5, -0.5], [1.0, 0.0]])


def features_turned(label: float = 1.0, length: float = 1.0) -> tuple[Data, Data]:
    """Return e_1 against e_2: the matrix moves by sqrt 2, as far as it can."""
    return _pair([length, 0.0], [0.0, length], label, label)


def features_reversed(label: float = 1.0, length: float = 1.0) -> tuple[Data, Data]:
    """Return e_1 against -e_1: the vector moves by 2, as far as it can, the matrix stays."""
    return _pair([length, 0.0], [-length, 0.0], label, label)


def _pair(
    features: list[float], others: list[float], label: float, other: float
) -> tuple[Data, Data]:
    """Return neighbours of two users; the second is a public figure."""
    return (
        (np.array([features, [0.5, 0.5]]), np.array([label, 1.0])),
        (np.array([others, [0.5, 0.5]]), np.array([other, 1.0])),
    )


def first_user(data: Data) -> Data:
    """Return the data of the first user alone."""
    return tuple(part[:1] for part in data)


def hypercube(dimension: int) -> FloatArray:
    """Return the 2^p points +-1/p, the design of section 5.2.5: each is as likely."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=dimension))) / dimension


def server(
    link: Link, second_moment: FloatArray, cross_moment: FloatArray, public_features: FloatArray
) -> Estimate:
    """Return what the server makes of the means of the messages, of however many users."""
    w_ols, eigenvalue = least_squares(second_moment, cross_moment)
    c = smallest_root(link, scores(public_features, w_ols))
    return Estimate(None if c is None else c * w_ols, w_ols, c, eigenvalue)


def server_error(
    link: Link, ledger: Ledger, *, n: float, dimension: int, size: float, constants: Constants
) -> float:
    """Return ||c w_ols - its limit||_inf for infinitely many users' moments and noise of n users.

    Labels have mean f(<x, w*>), w* = ``size`` in every entry. The mean of n messages is E x x^T and
    E x y plus one Gaussian of scale/sqrt n each: the algorithm's law, released in one go.
    """
    cells = hypercube(dimension)
    labels = link.mean(cells @ np.full(dimension, size))
    matrix = cells.T @ cells / len(cells)
    vector = cells.T @ labels / len(cells)
    root = math.sqrt(n)
    noisy_matrix = ledger.symmetric_gaussian(
        matrix,
        sensitivity=constants.matrix_sensitivity / root,
        scale=constants.matrix_scale / root,
    )
    noisy_vector = ledger.gaussian(
        vector,
        sensitivity=constants.vector_sensitivity / root,
        scale=constants.vector_scale / root,
    )
    found = server(link, noisy_matrix, noisy_vector, cells)
    limit = server(link, matrix, vector, cells)
    if found.coefficients is None or limit.coefficients is None:
        raise ArithmeticError(f"no root at n = {n:g}")
    return float(np.abs(found.coefficients - limit.coefficients).max())


def unclipped_moments(data: Any, constants: Constants, ledger: Ledger) -> tuple[Any, Any]:
    """Return messages of users who cut neither features nor labels: a mutant."""
    features, labels = data
    matrices = ledger.symmetric_gaussian(
        features[:, :, None] * features[:, None, :],
        sensitivity=constants.matrix_sensitivity,
        scale=constants.matrix_scale,
        unit="record",
    )
    vectors = ledger.gaussian(
        features * labels[:, None],
        sensitivity=constants.vector_sensitivity,
        scale=constants.vector_scale,
        unit="record",
    )
    return matrices, vectors
