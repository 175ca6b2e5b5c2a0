"""The server's minimiser of an approximately convex function (Wang (2020), Lemma 5.1.7).

It touches no private data: it is given the polynomial of what a mechanism has released already.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reference._validation import FloatArray, ParameterTypeError, require_magnitude, require_steps
from reference.local.bernstein import ULP, BernsteinPolynomial, Minimum, bernstein_basis, quadrature
from reference.local.risks import InnerBall, Region

SMOOTHING = 1 + 1 / math.sqrt(3)
"""Cost of smoothing over [-r, r]^p, in units of L r sqrt p: 1 at the boundary, E ||u||_2 inside.

E ||u||_2^2 = p/3 for u uniform on [-1, 1]^p.
"""


@dataclass(frozen=True)
class _Inside:
    """The points of a set around which a cube of half-side r lies in the set."""

    project: Callable[[FloatArray], FloatArray]
    diameter_in_l1: float
    diameter: float


@dataclass(frozen=True)
class ApproximatelyConvex:
    """Minimise a polynomial that is uniformly close to a convex Lipschitz function.

    A server's minimiser for the mechanisms on a grid, above all with three variables and more,
    where branch and bound ends with too large a gap.

    Parameters
    ----------
    closeness : float
        Delta > 0: on the whole set the polynomial is within this of a convex function.
    lipschitz : float, default 1
        L > 0 of this function, in l2; with a ridge mu on the cube, mu sqrt p more.
    n_iterations : int, default 1000
        T >= 1.

    Notes
    -----
    The text cites its algorithm (Risteski and Li, Theorem 3.2) and does not print it. This is the
    plainest for which the guarantee can be proved: subgradient descent on the mean of the
    polynomial over cubes, f~_r(x) = E f~(x + r u), u uniform on [-1, 1]^p, whose gradient is a sum
    of (k + 1)^p terms. It draws nothing, so that the guarantee holds with certainty.

    *Guarantee*. Let f be the convex function, f_r its mean over cubes, C_r the points of C whose
    cubes lie in C, D_1 and D the diameters of C_r in l1 and l2; every point of C is within
    r sqrt p of C_r, for the cube and for balls.

    - d_j f_r = E (f at u_j = 1 - f at u_j = -1)/(2r): the gradient g of f~_r is within Delta/r of
      that of f_r in every coordinate, so <g - grad f_r, x - y> <= (Delta/r) D_1.
    - f <= f_r (Jensen) and f_r <= f + L r sqrt(p/3).
    - With steps D/sqrt(2 sum_{s <= t} ||g_s||^2), sum_t <g_t, x_t - y> <= D sqrt(2 sum ||g_t||^2).

    So the value at the mean of the x_t exceeds the least one by at most ::

        2 Delta + Delta D_1/r + L r sqrt p (1 + 1/sqrt 3) + D sqrt(2 sum_t ||g_t||^2)/T

    which is the ``gap`` of the :class:`~reference.local.bernstein.Minimum` that is returned, where
    the best of all points is. r balances the middle terms: on a ball of diameter 1 they are
    2 sqrt(1.58 p Delta L). At Lemma 5.1.7's Delta = epsilon/(16348 p) that is below epsilon/2 for
    all p and epsilon >= .0016, at its Delta = epsilon^2/(2 sqrt p 16348) for p <= 10^5.

    Unlike that of :meth:`~reference.local.bernstein.BernsteinPolynomial.minimum` this gap rests on
    ``closeness`` and ``lipschitz``: where they are wrong it may be too small. No privacy rests on
    them.

    References
    ----------
    Wang (2020), Lemma 5.1.7 (l.4924, 4957), Theorem 5.1.5 (l.4961).

    Examples
    --------
    >>> values = (np.arange(5) / 4 - 0.5) ** 2
    >>> bowl = BernsteinPolynomial.through(np.add.outer(np.add.outer(values, values), values))
    >>> found = ApproximatelyConvex(closeness=1e-3, lipschitz=1.8)(bowl, None)
    >>> bool(np.abs(found.point - 0.5).max() < 1e-3)
    True
    """

    closeness: float
    lipschitz: float = 1.0
    n_iterations: int = 1000

    def __post_init__(self) -> None:
        require_magnitude("closeness", self.closeness)
        require_magnitude("lipschitz", self.lipschitz)
        require_steps("n_iterations", self.n_iterations)

    def __call__(self, polynomial: BernsteinPolynomial, constraint: Region | None) -> Minimum:
        """Return the best point found, the value there, and the gap that the guarantee leaves.

        Parameters
        ----------
        polynomial : BernsteinPolynomial
        constraint : InnerBall, optional
            ``None`` is [0, 1]^p.

        Raises
        ------
        TypeError
            On another set: its points with cubes around them are not known.
        """
        p = polynomial.dimension
        r = self.half_side(p, constraint)
        inside = _inside(constraint, p, r)
        points = np.empty((self.n_iterations + 1, p))
        x, squares = inside.project(np.full(p, 0.5)), 0.0
        for t in range(self.n_iterations):
            points[t] = x
            gradient = smoothed_gradient(polynomial, x, r)
            squares += float(gradient @ gradient)
            if squares > 0:
                x = inside.project(x - inside.diameter / math.sqrt(2 * squares) * gradient)
        points[-1] = inside.project(points[:-1].mean(axis=0))  # inside but for rounding
        values = polynomial(points)
        best = int(values.argmin())
        gap = (
            2 * self.closeness
            + self.closeness / r * inside.diameter_in_l1
            + self.lipschitz * r * math.sqrt(p) * SMOOTHING
            + inside.diameter * math.sqrt(2 * squares) / self.n_iterations
        )
        size = float(np.abs(polynomial.coefficients).max())
        # p sums of k + 1 terms in every value and partial difference, each rounded
        rounding = 16 * p * (polynomial.degree + 2) * ULP * size
        rounding *= 1 + inside.diameter_in_l1 / r
        return Minimum(points[best], float(values[best]), gap + rounding)

    def half_side(self, dimension: int, constraint: Region | None) -> float:
        """Return r, at which Delta D_1/r + L r sqrt p (1 + 1/sqrt 3) is least, D_1 that of C.

        At most a quarter of the cube's side, or half of what the ball has room for.
        """
        whole = _inside(constraint, dimension, 0.0)
        loss = self.lipschitz * math.sqrt(dimension) * SMOOTHING
        best = math.sqrt(self.closeness * whole.diameter_in_l1 / loss)
        return min(best, whole.diameter / (4 * math.sqrt(dimension)))


def smoothed_gradient(polynomial: BernsteinPolynomial, x: FloatArray, r: float) -> FloatArray:
    """Return the gradient at x of the polynomial's mean over [x_j - r, x_j + r] for all j.

    Parameters
    ----------
    polynomial : BernsteinPolynomial
    x : ndarray of shape (p,)
        In [r, 1 - r]^p.
    r : float
        > 0.

    Returns
    -------
    ndarray of shape (p,)
    """
    k, p = polynomial.degree, polynomial.dimension
    nodes, weights = np.array(quadrature(k)).T
    shifts = np.concatenate([2 * nodes - 1, [1.0, -1.0]])
    places = np.clip(x[:, None] + r * shifts, 0.0, 1.0)  # but for rounding, they are inside
    basis = bernstein_basis(k, places.ravel()).reshape(p, -1, k + 1)
    means = np.tensordot(weights, basis[:, :-2], axes=(0, 1))
    slopes = (basis[:, -2] - basis[:, -1]) / (2 * r)
    gradient = np.empty(p)
    for j in range(p):
        found = polynomial.coefficients
        for axis in range(p):
            found = np.tensordot(slopes[j] if axis == j else means[axis], found, axes=1)
        gradient[j] = found
    return gradient


def _inside(constraint: Region | None, dimension: int, r: float) -> _Inside:
    root = math.sqrt(dimension)
    if constraint is None:
        side = 1 - 2 * r
        return _Inside(lambda x: np.clip(x, r, 1 - r), dimension * side, root * side)
    if isinstance(constraint, InnerBall):
        radius = constraint.radius - r * root
        ball = InnerBall(radius)
        return _Inside(ball.project, 2 * radius * root, 2 * radius)
    raise ParameterTypeError(
        "constraint",
        "be None or an InnerBall for this minimiser",
        got=f"{type(constraint).__name__}",
    )
