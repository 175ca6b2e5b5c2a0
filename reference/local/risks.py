"""Losses of single users on [0, 1]^p, and what the mechanisms on a grid of section 5.1 share."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterTypeError,
    ParameterValueError,
    require_array,
    require_count,
    require_kind,
)
from reference.local.bernstein import BernsteinPolynomial, Minimum
from reference.per_record import is_foreign, made_up, require_per_record

MOST_POINTS = 10_000
"""Largest number of points of a grid.

Each point is a release, and a minimisation holds as many coefficients per box.
"""
MOST_DEGREE = 2_000
"""Largest degree k of a polynomial in each variable. The server's time grows as k^3: a quarter of a
minute here."""


@runtime_checkable
class UserLoss(Protocol):
    """A public loss l(w; x) of a point w of [0, 1]^p and a user's record x.

    Values are cut to [0, 1] on the user's side, and what is no number is 1, so that a guarantee
    does not rest on them. A user's value depends on no other user's record: see
    :mod:`reference.per_record` for how far that is tested.
    """

    @property
    def dimension(self) -> int:
        """The number p >= 1 of coordinates of w."""
        ...

    def values(self, points: FloatArray, records: FloatArray) -> FloatArray:
        """Return l(w_i; x_i), shape (n,), of points of shape (n, p) and records (n, m)."""
        ...


@dataclass(frozen=True)
class MeanSquaredDistance:
    """l(w; x) = ||w - x||^2/p, which is in [0, 1] for x in [0, 1]^p.

    Parameters
    ----------
    dimension : int
        p >= 1.
    """

    dimension: int

    def __post_init__(self) -> None:
        require_count("dimension", self.dimension)

    def values(self, points: FloatArray, records: FloatArray) -> FloatArray:
        """Return ||w_i - x_i||^2/p of every user."""
        if records.shape[1] != self.dimension:  # one column would be broadcast
            raise ParameterValueError(
                "data", f"have loss.dimension = {self.dimension} columns", got=f"{records.shape[1]}"
            )
        found: FloatArray = ((points - records) ** 2).mean(axis=1)
        return found


class Region(Protocol):
    """A convex part of [0, 1]^p."""

    def project(self, x: FloatArray) -> FloatArray:
        """Return the nearest point of the set in l2."""
        ...


class Minimiser(Protocol):
    """A rule by which the server minimises, from what was released alone."""

    def __call__(self, polynomial: BernsteinPolynomial, constraint: Region | None) -> Minimum:
        """Return a minimum of the polynomial on the set; ``None`` is all of [0, 1]^p."""
        ...


def branch_and_bound(polynomial: BernsteinPolynomial, constraint: Region | None) -> Minimum:
    """Return the global minimum with its certified gap; for one and two variables."""
    return polynomial.minimum(project=None if constraint is None else constraint.project)


@dataclass(frozen=True)
class InnerBall:
    """The l2 ball around (1/2, .., 1/2), which is mu-well-conditioned with mu = 1/radius.

    With F(x) = ||x - c||^2 - radius^2 the ratio of Definition 5.1.10 is 2/(2 radius).

    Parameters
    ----------
    radius : float
        In (0, 1/2].
    """

    radius: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.radius <= 0.5:
            raise ParameterValueError("radius", "be in (0, 0.5]", self.radius)

    def project(self, x: FloatArray) -> FloatArray:
        """Move x towards the centre if it lies outside."""
        away = x - 0.5
        norm = float(np.linalg.norm(away))
        return x if norm <= self.radius else 0.5 + away * (self.radius / norm)


def grid(degree: int, dimension: int) -> FloatArray:
    """Return the points {0, 1/k, .., 1}^p as rows, shape ((k + 1)^p, p), last coordinate first.

    Raises
    ------
    ValueError
        If there are more than :data:`MOST_POINTS`, or the degree is above :data:`MOST_DEGREE`.
    """
    if degree > MOST_DEGREE or (degree + 1) ** dimension > MOST_POINTS:
        raise ParameterValueError(
            "order and epsilon",
            f"make constants.degree at most {MOST_DEGREE}, and a grid of at most {MOST_POINTS} "
            "points",
            got=f"{degree} and {degree + 1:g}^{dimension}",
        )
    return np.array(list(itertools.product(np.arange(degree + 1) / degree, repeat=dimension)))


def require_users(data: ArrayLike, loss: Any, constraint: Any, minimiser: Any = None) -> FloatArray:
    """Return the users' records, shape (n, m), or raise where they or the loss are none.

    That a user's loss can be computed of such records, of each on its own, is asked of made-up ones
    before anything is released.
    """
    require_kind("loss", loss, UserLoss, "a reference.local.risks.UserLoss")
    if constraint is not None and not callable(getattr(constraint, "project", None)):
        raise ParameterTypeError(
            "constraint", "be a part of the cube to project on", got=f"{type(constraint).__name__}"
        )
    if minimiser is not None and not callable(minimiser):
        raise ParameterTypeError(
            "minimiser", "be called with a polynomial and a set", got=f"{type(minimiser).__name__}"
        )
    records = require_array("data", data, ndim=2)
    p = require_count("loss.dimension", loss.dimension)
    if is_foreign(loss):
        for points, others in made_up([(p,), records.shape[1:]]):
            require_per_record("loss", loss.values, np.abs(points), others)
    return records


def losses_at(loss: UserLoss, points: FloatArray, records: FloatArray) -> FloatArray:
    """Return every user's loss at its point, in [0, 1] whatever its record is."""
    with np.errstate(all="ignore"):
        found = np.asarray(loss.values(points, records), dtype=np.float64)
    if found.shape != (len(records),):
        raise ParameterValueError(
            "loss",
            f"have one value for each of {len(records)} records of data",
            got=f"shape {found.shape}",
        )
    return np.clip(np.nan_to_num(found, nan=1.0, posinf=1.0, neginf=0.0), 0.0, 1.0)


def minimum_of(
    values: FloatArray,
    *,
    degree: int,
    dimension: int,
    order: int,
    constraint: Region | None,
    strength: float = 0.0,
    minimiser: Minimiser | None = None,
) -> Minimum:
    """Return the minimum of the polynomial (5.2) through values on the grid: the server's step.

    With ``strength`` > 0 of that plus (strength/2) ||w||^2. ``None`` minimises by
    :func:`branch_and_bound`.
    """
    shaped = values.reshape((degree + 1,) * dimension)
    polynomial = BernsteinPolynomial.through(shaped, order=order)
    if strength > 0:
        polynomial = polynomial.with_ridge(strength)
    return (minimiser or branch_and_bound)(polynomial, constraint)
