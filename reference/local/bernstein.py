"""Bernstein polynomials and their iterates on [0, 1]^p: values, and certified minima.

The server of section 5.1 knows noisy values of a risk on the grid {0, 1/k, .., 1}^p and works with
the polynomial through them that Definition 5.1.3 iterates. Everything here is written in the
Bernstein basis, where sums have no cancellation and the coefficients enclose the polynomial.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_positive,
)

MOST_BOXES = 200_000
"""Boxes that a minimisation looks at before it returns with the gap that it has certified."""
MOST_ORDER = 10**6
"""Largest h of an iterated Bernstein polynomial. It needs (I - M)^h, whose entries are at most 1
but for rounding; every iteration can make them larger by a factor of 1 + 1e-15 k."""
ULP = 2.0**-53
"""Relative rounding error of one operation."""

Projection = Callable[[FloatArray], FloatArray]
"""Maps a point of [0, 1]^p to the nearest one of a convex set."""


def bernstein_basis(degree: int, points: ArrayLike) -> FloatArray:
    """Return b_{v,k}(x) = C(k, v) x^v (1 - x)^(k - v) for all v (Definition 5.1.1).

    By de Casteljau's recurrence b_{v,k} = (1 - x) b_{v,k-1} + x b_{v-1,k-1}, whose terms are all
    positive: every value has a relative error below 4k ulps, unless it underflows.

    Parameters
    ----------
    degree : int
        k >= 1.
    points : array_like of shape (m,)
        In [0, 1].

    Returns
    -------
    ndarray of shape (m, k + 1)

    Raises
    ------
    ValueError, TypeError
        On a degree below 1 and points outside [0, 1].
    """
    require_count("degree", degree)
    x = _in_cube("points", points, ndim=1)
    basis = np.zeros((x.size, degree + 1))
    basis[:, 0] = 1.0
    for k in range(1, degree + 1):
        lower = x[:, None] * basis[:, :k]
        basis[:, :k] *= (1 - x)[:, None]
        basis[:, 1 : k + 1] += lower
    return basis


def iteration_matrix(degree: int, order: int) -> FloatArray:
    """Return W with B_k^(h) f = sum_v (W f)_v b_{v,k}, f being the values at v/k.

    Definition 5.1.3 has W = sum_{i=1..h} C(h, i) (-1)^(i-1) M^(i-1) with M[u, v] = b_{v,k}(u/k).
    That is the geometric sum S_h of (I - M)^j for j < h, from S_2m = S_m + (I - M)^m S_m and
    S_{m+1} = I + (I - M) S_m: 3 log2 h products of matrices.

    Parameters
    ----------
    degree : int
        k >= 1.
    order : int
        h from 1 to :data:`MOST_ORDER`; 1 is the Bernstein polynomial itself.

    Returns
    -------
    ndarray of shape (k + 1, k + 1)
    """
    require_order(order)
    identity = np.eye(require_count("degree", degree) + 1)
    rest = identity - bernstein_basis(degree, np.arange(degree + 1) / degree)
    matrix, power = identity, rest  # S_m and (I - M)^m, from m = 1
    for bit in format(order, "b")[1:]:  # of h, the highest first
        matrix, power = matrix + power @ matrix, power @ power
        if bit == "1":
            matrix, power = identity + rest @ matrix, rest @ power
    return matrix


def require_order(order: int) -> None:
    """Raise unless h is an integer from 1 to :data:`MOST_ORDER`."""
    require_count("order", order, at_most=MOST_ORDER)


def iterated_bernstein_basis(degree: int, order: int, points: ArrayLike) -> FloatArray:
    """Return b^(h)_{v,k}(x) for all v (Definition 5.1.3), shape (m, k + 1)."""
    return bernstein_basis(degree, points) @ iteration_matrix(degree, order)


@lru_cache(maxsize=64)
def quadrature(degree: int) -> tuple[tuple[float, float], ...]:
    """Return nodes and weights on [0, 1], exact for polynomials of a degree, all of them positive.

    Those of Gauss and Legendre.
    """
    nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return tuple(zip(((nodes + 1) / 2).tolist(), (weights / 2).tolist(), strict=True))


@dataclass(frozen=True)
class Minimum:
    """A minimum of a polynomial on a set, with what is certain of it.

    Attributes
    ----------
    point : ndarray of shape (p,)
        In the set.
    value : float
        Of the polynomial there.
    gap : float
        No point of the set has a value below ``value - gap``, rounding included. Certain of
        :meth:`BernsteinPolynomial.minimum`; of another minimiser, on the conditions that it names.
    """

    point: FloatArray
    value: float
    gap: float


@dataclass(frozen=True, eq=False)
class BernsteinPolynomial:
    """A polynomial of degree k in each of p variables on [0, 1]^p.

    Parameters
    ----------
    coefficients : ndarray of shape (k + 1,) * p
        In the tensor product of the Bernstein bases; k >= 1, p >= 1.
    """

    coefficients: FloatArray

    def __post_init__(self) -> None:
        shape = np.shape(self.coefficients)
        array = require_array("coefficients", self.coefficients, ndim=max(len(shape), 1))
        if len(set(array.shape)) > 1 or array.shape[0] < 2:
            raise ParameterValueError(
                "coefficients", "have equal sides >= 2", got=f"shape {array.shape}"
            )
        object.__setattr__(self, "coefficients", array)

    @classmethod
    def through(cls, values: ArrayLike, *, order: int = 1) -> BernsteinPolynomial:
        """Return the iterated Bernstein polynomial of values on the grid (5.2).

        The printed sum over j and v_j is the p-fold sum over all grid points.

        Parameters
        ----------
        values : array_like of shape (k + 1,) * p
            At (v_1/k, .., v_p/k).
        order : int, default 1
            h.
        """
        grid = cls(np.asarray(values, dtype=np.float64))
        matrix, found = iteration_matrix(grid.degree, order), grid.coefficients
        for axis in range(grid.dimension):
            found = np.moveaxis(np.tensordot(matrix, found, axes=(1, axis)), 0, axis)
        return cls(found)

    @property
    def degree(self) -> int:
        """The degree k in each variable."""
        return int(self.coefficients.shape[0]) - 1

    @property
    def dimension(self) -> int:
        """The number p of variables."""
        return self.coefficients.ndim

    def __call__(self, points: ArrayLike) -> FloatArray:
        """Return the values at points of [0, 1]^p, given as rows, shape (m,)."""
        x = _in_cube("points", points, ndim=2, shape=(None, self.dimension))
        first = bernstein_basis(self.degree, x[:, 0])
        found: FloatArray = np.tensordot(first, self.coefficients, axes=1)
        for axis in range(1, self.dimension):
            found = np.einsum("mv,mv...->m...", bernstein_basis(self.degree, x[:, axis]), found)
        return found

    def with_ridge(self, strength: float) -> BernsteinPolynomial:
        """Return this plus (strength/2) ||w||^2, of degree k + 1 so that k = 1 is no exception."""
        require_positive("strength", strength)
        found, k = self.coefficients, self.degree + 1
        share = np.arange(k + 1) / k  # a coefficient of degree k + 1 is a mean of two
        for axis in range(self.dimension):
            moved = np.moveaxis(found, axis, -1)
            padded = np.pad(moved, [(0, 0)] * (self.dimension - 1) + [(1, 1)])
            found = np.moveaxis(share * padded[..., :-1] + (1 - share) * padded[..., 1:], -1, axis)
        v = np.arange(k + 1)
        for axis in range(self.dimension):  # x^2 = sum_v v(v - 1)/(k(k - 1)) b_{v,k}(x)
            side = [1] * self.dimension
            side[axis] = k + 1
            found = found + (strength / 2 * v * (v - 1) / (k * (k - 1))).reshape(side)
        return BernsteinPolynomial(found)

    def minimum(
        self,
        *,
        tolerance: float = 1e-9,
        project: Projection | None = None,
        most_boxes: int = MOST_BOXES,
    ) -> Minimum:
        """Return a global minimum on [0, 1]^p or on a convex part of it, with its certified gap.

        Branch and bound: a box is halved along one axis after the other, its polynomial rewritten
        in the box's own Bernstein basis; the smallest coefficient bounds it from below, the better
        the narrower the box (quadratically). Meant for p of 1 and 2; the boxes to look at, and the
        coefficients of each, grow exponentially with p.

        Parameters
        ----------
        tolerance : float, default 1e-9
            Where to stop: the gap in units of the largest |coefficient|.
        project : callable, optional
            Of a point on the convex set, a part of [0, 1]^p; ``None`` is all of it.
        most_boxes : int, default MOST_BOXES
            Where to stop in any case, with a larger gap.

        Raises
        ------
        ValueError, TypeError
            On a tolerance that is not positive, or a projection that leaves [0, 1]^p.
        """
        require_positive("tolerance", tolerance)
        require_count("most_boxes", most_boxes)
        p, k = self.dimension, self.degree
        size = float(np.abs(self.coefficients).max())
        low, width, boxes = np.zeros((1, p)), np.ones(p), self.coefficients[None]
        best = self._best_of(low, width, boxes, project)
        floor, seen = np.inf, 0
        for depth in range(40 * p):
            lower = boxes.reshape(len(boxes), -1).min(axis=1)
            seen += len(boxes)
            if project is not None:  # a box without a point of the set says nothing
                inside = _within_reach(low + width / 2, float(np.linalg.norm(width)) / 2, project)
                low, boxes, lower = low[inside], boxes[inside], lower[inside]
            candidate = self._best_of(low, width, boxes, project)
            best = min(best, candidate, key=lambda found: found[1])
            open_ = lower < best[1] - tolerance * size
            if seen > most_boxes:
                open_[:] = False
            floor = min(floor, float(lower[~open_].min(initial=np.inf)))
            low, boxes = low[open_], boxes[open_]
            if not len(boxes):
                break
            axis = np.arange(p) == depth % p
            boxes = np.concatenate(_halved(boxes, depth % p + 1))
            width = np.where(axis, width / 2, width)
            low = np.concatenate([low, low + width * axis])
        else:
            floor = min(floor, float(boxes.min()))
        # k averages at every halving, p sums of k + 1 terms in every value, each rounded
        rounding = ((depth + 1) * k + 8 * p * (k + 1)) * ULP * size
        return Minimum(best[0], best[1], max(best[1] - floor, 0.0) + 2 * rounding)

    def _best_of(
        self, low: FloatArray, width: FloatArray, boxes: FloatArray, project: Projection | None
    ) -> tuple[FloatArray, float]:
        """Return the best of some boxes' corners or, on a part of the cube, projected centres."""
        if project is None:  # coefficients at corners are values
            corners = np.stack(np.meshgrid(*[[0, 1]] * self.dimension, indexing="ij"), axis=-1)
            corners = corners.reshape(-1, self.dimension)
            values = boxes[(slice(None), *(-corners.T))]
            box, corner = np.unravel_index(values.argmin(), values.shape)
            points = (low[box] + width * corners[corner])[None]
        else:
            points = np.array([project(centre) for centre in low + width / 2])
        values = self(points)
        return points[values.argmin()], float(values.min())


def _within_reach(centres: FloatArray, radius: float, project: Projection) -> NDArray[np.bool_]:
    """Return which balls meet the set that is projected on, rounding allowed for."""
    away = [float(np.linalg.norm(project(centre) - centre)) for centre in centres]
    return np.array(away) <= radius + 1e-12


def _halved(boxes: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of both halves of boxes along an axis, by de Casteljau."""
    current = np.moveaxis(boxes, axis, 0)
    left, right = [current[0]], [current[-1]]
    while len(current) > 1:
        current = (current[:-1] + current[1:]) / 2
        left.append(current[0])
        right.append(current[-1])
    return (
        np.moveaxis(np.stack(left), 0, axis),
        np.moveaxis(np.stack(right[::-1]), 0, axis),
    )


def _in_cube(
    name: str, value: ArrayLike, *, ndim: int, shape: tuple[int | None, ...] | None = None
) -> FloatArray:
    array = require_array(name, value, ndim=ndim, shape=shape)
    if array.min() < 0 or array.max() > 1:
        raise ParameterValueError(name, "lie in [0, 1]")
    return array
