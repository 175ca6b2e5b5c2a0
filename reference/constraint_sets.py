"""Constraint sets: membership, projection, linear minimisation and vertices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import scipy
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_kind,
    require_magnitude,
    require_positive,
)
from reference.clipping import clip_rows

_SLACK = 1e-12  # relative rounding error allowed on a boundary


@runtime_checkable
class Ball(Protocol):
    """A set to project on, such as a norm ball centred at the origin.

    What a guarantee rests on is declared here; :func:`require_ball` refuses a set that lacks it.
    """

    @property
    def convex(self) -> bool:
        """True if the set is closed and convex: no two points have projections farther apart."""
        ...

    @property
    def largest_norm(self) -> float:
        """Largest l2 norm in the set; infinite if there is none."""
        ...

    def contains(self, x: FloatArray) -> bool:
        """Return whether x lies in the set, up to rounding."""
        ...

    def project(self, x: FloatArray) -> FloatArray:
        """Return the nearest point of the set in l2."""
        ...


@runtime_checkable
class VertexSet(Protocol):
    """The convex hull of finitely many points."""

    def contains(self, x: FloatArray) -> bool:
        """Return whether x lies in the set, up to rounding."""
        ...

    def vertices(self, dimension: int) -> FloatArray:
        """Return the points, shape (k, dimension)."""
        ...

    def inner_products(self, direction: FloatArray) -> FloatArray:
        """Return <v, direction> for every point v, shape (k,), in the order of the points."""
        ...

    def inner_differences(self, direction: FloatArray) -> FloatArray:
        """Return <v - v_1, direction> for every point v, v_1 being the first, shape (k,).

        Computed from the differences, whose rounding is small against them wherever the set lies.
        """
        ...

    def vertex(self, index: int, dimension: int) -> FloatArray:
        """Return one of the points, shape (dimension,)."""
        ...

    def linear_minimizer(self, gradient: FloatArray) -> FloatArray:
        """Return a point v of the set with the smallest <v, gradient>."""
        ...


@dataclass(frozen=True)
class _RadiusBall:
    """A closed and convex set around 0, whose longest points have the l2 norm ``radius``."""

    radius: float
    convex: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_magnitude("radius", self.radius)

    @property
    def largest_norm(self) -> float:
        """The radius."""
        return self.radius


class L2Ball(_RadiusBall):
    """{x: ||x||_2 <= radius}.

    Parameters
    ----------
    radius : float
        > 0.
    """

    def contains(self, x: FloatArray) -> bool:
        """Return whether ||x||_2 <= radius."""
        with np.errstate(over="ignore"):  # of a square: the point lies outside
            return bool(np.linalg.norm(x) <= self.radius * (1 + _SLACK))

    def project(self, x: FloatArray) -> FloatArray:
        """Scale x down to the sphere if it lies outside."""
        with np.errstate(over="ignore"):
            norm = float(np.linalg.norm(x))
        if np.isinf(norm):  # outside, however far: its direction is all that counts
            x = x / np.abs(x).max()
            return x * (self.radius / float(np.linalg.norm(x)))
        return x if norm <= self.radius else x * (self.radius / norm)

    def linear_minimizer(self, gradient: FloatArray) -> FloatArray:
        """Return -radius gradient/||gradient||_2 (0 for a zero gradient)."""
        largest = float(np.abs(gradient).max())
        if largest == 0:
            return np.zeros_like(gradient)
        unit = gradient / largest  # squares that neither overflow nor underflow
        minimizer: FloatArray = unit * (-self.radius / float(np.linalg.norm(unit)))
        return minimizer


class PositiveSemidefiniteBall(_RadiusBall):
    """{W symmetric, no eigenvalue below 0, ||W||_F <= radius}, a part of the l2 ball.

    A matrix of shape (d, d) is a vector of length d^2 here, row by row.

    Parameters
    ----------
    radius : float
        > 0.
    """

    def contains(self, x: FloatArray) -> bool:
        """Return whether the matrix is symmetric, positive semidefinite and short enough."""
        matrix = _square_matrix(x)
        if not L2Ball(self.radius).contains(x):
            return False
        slack = _SLACK * self.radius
        symmetric = bool((np.abs(matrix - matrix.T) <= slack).all())
        return symmetric and bool(np.linalg.eigvalsh(matrix)[0] >= -slack)

    def project(self, x: FloatArray) -> FloatArray:
        """Cut the eigenvalues of the symmetric part off at 0, then scale down to the radius.

        The second step is right after the first because the cone's own points are scaled: x less
        its projection on the cone is orthogonal to that, and stays so.
        """
        matrix = _square_matrix(x)
        unit = 2.0 ** len(matrix).bit_length()  # no eigenvalue of a matrix / unit overflows
        values, vectors = np.linalg.eigh(matrix / unit / 2 + matrix.T / unit / 2)
        kept = unit * clip_rows(np.maximum(values, 0.0)[None], self.radius / unit)[0]
        projected: FloatArray = ((vectors * kept) @ vectors.T).ravel()
        return projected


def _square_matrix(x: FloatArray) -> FloatArray:
    side = math.isqrt(x.size)
    if side**2 != x.size:
        raise ValueError(f"a square matrix must have a square number of entries, got {x.size}")
    return x.reshape(side, side)


class L1Ball(_RadiusBall):
    """{x: ||x||_1 <= radius}, the convex hull of +-radius e_j.

    Parameters
    ----------
    radius : float
        > 0.
    """

    def contains(self, x: FloatArray) -> bool:
        """Return whether ||x||_1 <= radius."""
        with np.errstate(over="ignore"):
            return bool(np.abs(x).sum() <= self.radius * (1 + _SLACK))

    def project(self, x: FloatArray) -> FloatArray:
        """Soft-threshold at the level that brings the l1 norm down to the radius."""
        size = np.abs(x)
        with np.errstate(over="ignore"):
            if size.sum() <= self.radius:
                return x
        # relative to the largest entry, so that a huge one does not swallow the radius; the level
        # is at most the radius below it
        top = size.max()
        below = np.maximum(np.sort(size)[::-1] - top, -self.radius)
        # the level is (sum of the k largest - radius)/k for the largest k it leaves positive
        levels = (np.cumsum(below) - self.radius) / np.arange(1, x.size + 1)
        level = levels[np.flatnonzero(below > levels)[-1]]
        projected: FloatArray = np.sign(x) * np.maximum(size - top - level, 0.0)
        return projected

    def vertices(self, dimension: int) -> FloatArray:
        """Return +radius e_1, ..., +radius e_p, -radius e_1, ..., -radius e_p."""
        return self.radius * np.concatenate([np.eye(dimension), -np.eye(dimension)])

    def inner_products(self, direction: FloatArray) -> FloatArray:
        """Return +radius g_1, ..., +radius g_p, -radius g_1, ..., -radius g_p."""
        scaled = self.radius * direction
        return np.concatenate([scaled, -scaled])

    def inner_differences(self, direction: FloatArray) -> FloatArray:
        """Return the inner products less the first: no vertex is far from the others."""
        products = self.inner_products(direction)
        differences: FloatArray = products - products[0]
        return differences

    def vertex(self, index: int, dimension: int) -> FloatArray:
        """Return +radius e_j for index j < p, and -radius e_{j-p} from p on."""
        vertex = np.zeros(dimension)
        vertex[index % dimension] = self.radius if index < dimension else -self.radius
        return vertex

    def linear_minimizer(self, gradient: FloatArray) -> FloatArray:
        """Return -radius sign(g_j) e_j for the first j with the largest |g_j|."""
        vertex = np.zeros_like(gradient)
        j = int(np.argmax(np.abs(gradient)))
        vertex[j] = -self.radius * np.sign(gradient[j])
        return vertex


@dataclass(frozen=True)
class SparseVectors:
    """{x: at most ``sparsity`` entries are not 0}; not convex.

    Parameters
    ----------
    sparsity : int
        >= 1.
    """

    sparsity: int
    convex: ClassVar[bool] = False
    """The mean of two sparse vectors may have twice as many entries."""
    largest_norm: ClassVar[float] = math.inf
    """Infinite: the set has no largest norm."""

    def __post_init__(self) -> None:
        require_count("sparsity", self.sparsity)

    def contains(self, x: FloatArray) -> bool:
        """Return whether at most ``sparsity`` entries are not 0."""
        return int(np.count_nonzero(x)) <= self.sparsity

    def project(self, x: FloatArray) -> FloatArray:
        """Keep the ``sparsity`` largest entries (the first of equal ones)."""
        kept = np.argsort(-np.abs(x), kind="stable")[: self.sparsity]
        projected = np.zeros_like(x)
        projected[kept] = x[kept]
        return projected


@dataclass(frozen=True, eq=False, init=False)
class Polytope:
    """The convex hull of given points, e.g. ``Polytope(np.eye(p))``, the simplex.

    Parameters
    ----------
    points : array_like of shape (k, p)
        Public; the vertices are among them.
    """

    points: FloatArray

    def __init__(self, points: ArrayLike) -> None:
        object.__setattr__(self, "points", require_array("points", points, ndim=2))

    def vertices(self, dimension: int) -> FloatArray:
        """Return the points.

        Raises
        ------
        ValueError
            If they do not lie in R^dimension.
        """
        if self.points.shape[1] != dimension:
            raise ParameterValueError(
                "points", f"have {dimension} coordinates", got=f"{self.points.shape[1]}"
            )
        return self.points

    def inner_products(self, direction: FloatArray) -> FloatArray:
        """Return <v, direction> for every point v."""
        products: FloatArray = self.points @ direction
        return products

    def inner_differences(self, direction: FloatArray) -> FloatArray:
        """Return <v - v_1, direction> for every point v, v_1 being the first."""
        # summed along the rows, in pairs: log2 p roundings instead of p
        products: FloatArray = ((self.points - self.points[0]) * direction).sum(axis=1)
        return products

    def vertex(self, index: int, dimension: int) -> FloatArray:
        """Return one of the points."""
        vertex: FloatArray = self.vertices(dimension)[index]
        return vertex

    def contains(self, x: FloatArray) -> bool:
        """Return whether x is a convex combination of the points (a linear programme)."""
        points = self.vertices(x.size)
        solution = scipy.optimize.linprog(
            np.zeros(len(points)),
            A_eq=np.vstack([points.T, np.ones(len(points))]),
            b_eq=np.append(x, 1.0),
            bounds=(0, None),
        )
        return bool(solution.success)

    def linear_minimizer(self, gradient: FloatArray) -> FloatArray:
        """Return the first point with the smallest inner product."""
        best: FloatArray = self.points[int(np.argmin(self.points @ gradient))]
        return best


def require_ball(constraint: Any, *, convex: bool = False, bounded: bool = False) -> None:
    """Raise unless ``constraint`` declares what a guarantee rests on.

    Parameters
    ----------
    constraint : Any
    convex, bounded : bool, default False
        Whether the guarantee rests on a closed and convex set, on a bounded one.

    Raises
    ------
    TypeError, ValueError
        If it is no :class:`Ball`, or not convex or not bounded.
    """
    examples = "a set to project on, such as reference.constraint_sets.L2Ball(1.0)"
    require_kind("constraint", constraint, Ball, examples)
    if convex and constraint.convex is not True:
        raise ParameterValueError("constraint", "be convex", got=f"{type(constraint).__name__}")
    if bounded:
        require_positive("constraint.largest_norm", constraint.largest_norm)


def require_vertex_set(constraint: Any) -> None:
    """Raise TypeError unless ``constraint`` is a :class:`VertexSet`."""
    examples = "the convex hull of points, such as reference.constraint_sets.L1Ball(1.0)"
    require_kind("constraint", constraint, VertexSet, examples)


def starting_point(initial: ArrayLike, constraint: Ball | VertexSet) -> FloatArray:
    """Return ``initial`` as a new vector, or raise.

    Parameters
    ----------
    initial : array_like of shape (p,)
    constraint : Ball or VertexSet

    Returns
    -------
    ndarray of shape (p,)

    Raises
    ------
    TypeError, ValueError
        If it is not a finite vector or lies outside the set.
    """
    x = require_array("initial", initial, ndim=1).copy()
    if not constraint.contains(x):
        raise ParameterValueError("initial", "lie in the constraint set")
    return x


def frank_wolfe_gap(constraint: VertexSet, x: FloatArray, gradient: FloatArray) -> float:
    """Return max_{v in C} <v - x, -gradient>, zero exactly at stationary points.

    Wang (2020), l.2782.

    Parameters
    ----------
    constraint : VertexSet
    x, gradient : ndarray of shape (p,)
        A point of C and the gradient of F there.
    """
    return float((x - constraint.linear_minimizer(gradient)) @ gradient)
