"""Second moments of unit-ball records: what chapter 6 of Wang (2020) perturbs, and by how much.

Every algorithm of that chapter releases sum_i x_i x_i^T (or one x_i x_i^T per user) with noise on
the upper triangle. Replacing one record changes the sum by D = v v^T - w w^T with ||v||, ||w|| at
most 1. This module holds the sensitivities of D, each once.
"""

from __future__ import annotations

import math

from reference._validation import FloatArray
from reference.basic.sums import rounded_mean_product
from reference.clipping import clip_rows

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
    return rounded_mean_product(rows, rows, bounds=(1.0, 1.0))


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
