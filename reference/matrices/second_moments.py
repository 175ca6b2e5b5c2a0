"""Second moments of unit-ball records: what chapter 6 of seed 004 perturbs, and by how much.

Every algorithm of that chapter releases sum_i x_i x_i^T (or one x_i x_i^T per user) with noise on
the upper triangle. Replacing one record changes the sum by D = v v^T - w w^T with ||v||, ||w|| at
most 1. This module holds the sensitivities of D, each once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reference._validation import FloatArray
from reference.clipping import clip_rows
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.privacy.calibration import smallest_gaussian_scale

Correction = Literal["analytic", "scaled", "diagonal"]

GAUSSIAN_SENSITIVITY = math.sqrt(2)
"""l2 norm of the upper triangle of D, diagonal included; attained by v = e_1, w = e_2.

Its square is (||D||_F^2 + sum_i D_ii^2)/2 and both terms are at most
||v||^4 + ||w||^4 - 2 <v, w>^2 <= 2.
"""


def outer_products(data: FloatArray) -> FloatArray:
    """Return x_i x_i^T for every row, clipped to the unit ball, shape (n, p, p).

    Clipping is the assumption ||x_i||_2 <= 1 made true: without it nothing here is private.
    """
    rows = clip_rows(data, 1.0)
    products: FloatArray = rows[:, :, None] * rows[:, None, :]
    return products


def second_moment(data: FloatArray) -> FloatArray:
    """Return S = (1/n) sum_i x_i x_i^T of the rows clipped to the unit ball, shape (p, p)."""
    rows = clip_rows(data, 1.0)
    moment: FloatArray = rows.T @ rows / len(rows)
    return moment


def laplace_sensitivity(dimension: int) -> float:
    """Return an upper bound on the l1 norm of the upper triangle of D, diagonal included.

    sqrt(d (d + 3)/2): Cauchy-Schwarz for sum_{i<j} |D_ij| + sum_i |D_ii| against
    2 sum_{i<j} D_ij^2 + sum_i D_ii^2 = ||D||_F^2 <= 2. Attained for d = 2 (sqrt 5), less than 5%
    above the maximum for 3 <= d <= 6 (by enumeration); exact (1) for d = 1, where D is a
    difference of two squares.
    """
    if dimension == 1:
        return 1.0
    return math.sqrt(dimension * (dimension + 3) / 2)


@dataclass(frozen=True)
class SymmetricNoise:
    """Parameters of the upper-triangle Gaussian for one record's x x^T.

    Attributes
    ----------
    scale : float
        Standard deviation of an off-diagonal entry.
    sensitivity : float
        Claimed l2 norm of the upper triangle of D, with a diagonal entry counted
        1/sqrt(diagonal_variance).
    diagonal_variance : float
        Variance of a diagonal entry in units of scale^2.
    """

    scale: float
    sensitivity: float
    diagonal_variance: float = 1.0


def upper_triangle_noise(
    epsilon: float,
    delta: float,
    *,
    correction: Correction = "analytic",
    as_published: bool = False,
) -> SymmetricNoise:
    """Calibrate the upper-triangle Gaussian for one unit-ball record, replace-one.

    Parameters
    ----------
    epsilon, delta : float
        The claim, checked by the caller.
    correction : {"analytic", "scaled", "diagonal"}
        ``"analytic"``: the smallest noise for sensitivity sqrt 2 (any epsilon). ``"scaled"``:
        sqrt 2 times the printed noise, epsilon <= 1. ``"diagonal"``: the printed noise off the
        diagonal and twice its variance on it, epsilon <= 1; then the sensitivity in units of the
        noise is ||D||_F/sqrt 2 <= 1.
    as_published : bool, default False
        The printed sqrt(2 ln(1.25/delta))/epsilon, which takes the sensitivity for 1. Overrides
        ``correction``.

    Raises
    ------
    ValueError
        If the correction is unknown or does not cover this epsilon.
    """
    if as_published:
        return SymmetricNoise(printed_gaussian_scale(epsilon, delta, sensitivity=1.0), 1.0)
    if correction == "analytic":
        scale = smallest_gaussian_scale(epsilon, delta, sensitivity=GAUSSIAN_SENSITIVITY)
        return SymmetricNoise(scale, GAUSSIAN_SENSITIVITY)
    if correction not in ("scaled", "diagonal"):
        raise ValueError(
            f"correction must be 'analytic', 'scaled' or 'diagonal', got {correction!r}"
        )
    if epsilon > 1:
        raise ValueError(
            f"epsilon must be <= 1 with correction={correction!r}, got {epsilon!r}; "
            "use correction='analytic'"
        )
    if correction == "scaled":
        scale = printed_gaussian_scale(epsilon, delta, sensitivity=GAUSSIAN_SENSITIVITY)
        return SymmetricNoise(scale, GAUSSIAN_SENSITIVITY)
    return SymmetricNoise(
        printed_gaussian_scale(epsilon, delta, sensitivity=1.0), 1.0, diagonal_variance=2.0
    )


def positive_part(matrix: FloatArray) -> FloatArray:
    """Return the Frobenius projection of a symmetric matrix on the positive semidefinite cone."""
    values, vectors = np.linalg.eigh(matrix)
    projected = (vectors * np.maximum(values, 0.0)) @ vectors.T
    symmetric: FloatArray = (projected + projected.T) / 2
    return symmetric
