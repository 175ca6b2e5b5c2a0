"""Exact solutions of quadratic subproblems on a ball. Wang (2020), (4.57) and Algorithm 4.3.27."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from reference._validation import FloatArray

_EPS = float(np.finfo(float).eps)
_TINY = float(np.finfo(float).tiny)
_SAME = 1e-12  # relative difference of eigenvalues that rounding may make


class TrustRegionStep(NamedTuple):
    """A global minimiser h of <g, h> + <H h, h>/2 over ||h||_2 <= r, with its multiplier.

    Attributes
    ----------
    step : ndarray of shape (p,)
        h.
    multiplier : float
        lambda >= 0 of Lemma 4.3.1: (H + lambda I) h = -g, H + lambda I is positive semidefinite
        and lambda (||h|| - r) = 0. These conditions are sufficient as well.
    """

    step: FloatArray
    multiplier: float


def solve_trust_region(gradient: FloatArray, hessian: FloatArray, radius: float) -> TrustRegionStep:
    """Minimise <gradient, h> + <hessian h, h>/2 over the ball of the given radius.

    In the eigenbasis of H, h_i = -g_i/(d_i + lambda). If H is positive definite and the Newton
    step fits, lambda = 0. Else ||h|| falls from its value at the smallest admissible lambda,
    ``floor`` = max(0, -d_1), to 0, and lambda is where it equals r. In the *hard case*, g is
    orthogonal to the eigenvectors of d_1 and ||h|| < r at the floor already: a multiple of such an
    eigenvector, which (H + floor I) sends to 0, is added up to the sphere.

    Parameters
    ----------
    gradient : ndarray of shape (p,)
    hessian : ndarray of shape (p, p)
        Symmetric.
    radius : float
        > 0.

    Notes
    -----
    Whatever finite numbers it is given, it returns: gradients and Hessians with noise have been
    paid for. Scaled by powers of 2, which round nothing, all sizes are about 1.
    """
    length = _exponent(radius)
    slope, curvature = (_exponent(float(np.abs(part).max())) for part in (gradient, hessian))
    size = max(slope + length, curvature + 2 * length)
    found = _solve_scaled(
        np.ldexp(gradient, length - size),
        np.ldexp(hessian, 2 * length - size),
        math.ldexp(radius, -length),
    )
    multiplier = float(np.ldexp(found.multiplier, size - 2 * length))
    return TrustRegionStep(np.ldexp(found.step, length), multiplier)


def _exponent(number: float) -> int:
    """Return k such that number/2^k is in [1/2, 1)."""
    return math.frexp(number)[1]


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is above 0 at the higher end stops to be below."""
    if function(low) >= 0:
        return low
    # enough halvings for any two doubles: it converges
    return float(scipy.optimize.brentq(function, low, high, maxiter=10_000))


def _solve_scaled(gradient: FloatArray, hessian: FloatArray, radius: float) -> TrustRegionStep:
    eigenvalues, vectors = np.linalg.eigh(hessian)
    g = vectors.T @ gradient
    floor = max(0.0, -float(eigenvalues[0]))
    shifted = eigenvalues + floor  # exactly 0 at the lowest if that is negative

    def coordinates(excess: float) -> FloatArray:
        """Return -g/(d + floor + excess); 0 where g is 0."""
        with np.errstate(divide="ignore", over="ignore"):
            return -np.divide(g, shifted + excess, out=np.zeros_like(g), where=g != 0)

    def too_short(log_excess: float) -> float:
        """Return 1/||h|| - 1/r, nearly linear in lambda, by log(lambda - floor)."""
        norm = _norm(coordinates(math.exp(log_excess)))
        return (1 / norm if norm else math.inf) - 1 / radius

    h = coordinates(0.0)
    length = _norm(h)
    if length <= radius:
        if floor > 0:
            h[0] += np.sqrt(radius**2 - length**2)
        return TrustRegionStep(vectors @ h, floor)
    # where a coordinate of d_1 alone reaches r, or what rounding cannot tell from the floor
    at_floor = float(np.abs(g[shifted == 0]).max(initial=0.0))
    least = at_floor / radius if at_floor else float(_EPS * shifted[g != 0].min())
    low = math.log(max(least, _TINY))
    most = math.hypot(*g) / radius * (1 + 1e-9)  # no square of a tiny g underflows
    high = math.log(max(most, _TINY))
    # a relative accuracy: in the nearly hard case lambda - floor is tiny
    excess = math.exp(_root(too_short, low, max(low, high)))
    h = coordinates(excess)
    length = _norm(h)
    if not 0 < length < math.inf:  # its square is beyond doubles
        h = h / float(np.abs(h).max())
        length = _norm(h)
    return TrustRegionStep(vectors @ (h * (radius / length)), floor + excess)


def _norm(h: FloatArray) -> float:
    """Return ||h||, infinite where its square overflows."""
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(h))


def solve_in_half_ball(
    hessian: FloatArray, center: FloatArray, radius: float, direction: FloatArray, most: float
) -> FloatArray:
    """Minimise q(u) = <H(u - w), u - w> over ||u||_2 <= R and <g, u - w> <= r, globally.

    Where the cut binds, the minimum is that of a trust-region subproblem on the hyperplane. Where
    it does not, the minimum is a local one over the ball: a global one, or the only other one there
    may be (Martinez 1994). In the hard case there is more than one global minimiser; the one that
    lies furthest from the cut is feasible if any is. The best candidate that is feasible is
    returned: a Phi-approximate solution with Phi = 1, but for rounding: q is above its minimum by
    1e-9 ||H|| (R + ||w||)^2 at most.

    Parameters
    ----------
    hessian : ndarray of shape (p, p)
        H, symmetric.
    center : ndarray of shape (p,)
        w, in the ball.
    radius : float
        R > 0.
    direction : ndarray of shape (p,)
        g.
    most : float
        r > 0.
    """
    length, size = _exponent(radius), _exponent(float(np.abs(direction).max()))
    hessian = np.ldexp(hessian, -_exponent(float(np.abs(hessian).max())))
    center, radius = np.ldexp(center, -length), math.ldexp(radius, -length)
    direction = np.ldexp(direction, -size)
    with np.errstate(over="ignore"):  # then the cut is out of reach
        most = float(np.ldexp(most, -length - size))

    def value(u: FloatArray) -> float:
        return float((u - center) @ hessian @ (u - center))

    linear = -2 * hessian @ center  # q(u) = <H u, u> + <linear, u> + a constant
    candidates = [solve_trust_region(linear, 2 * hessian, radius).step]
    candidates += _other_local_minimum(linear, 2 * hessian, radius)
    candidates += _furthest_global_minimum(linear, 2 * hessian, radius, direction)
    feasible = [u for u in candidates if direction @ (u - center) <= most]
    on_plane = _on_hyperplane(hessian, linear, center, radius, direction, most)
    best: FloatArray = np.ldexp(min([center, *feasible, *on_plane], key=value), length)
    return best


def _on_hyperplane(
    hessian: FloatArray,
    linear: FloatArray,
    center: FloatArray,
    radius: float,
    direction: FloatArray,
    most: float,
) -> list[FloatArray]:
    """Return the minimiser of <Hu, u> + <linear, u> over the ball's section <g, u - w> = r."""
    largest = float(np.abs(direction).max())
    if largest == 0:
        return []
    unit = direction / largest  # whose square does not underflow
    length = float(np.linalg.norm(unit))
    unit = unit / length
    level = float(unit @ center) + most / largest / length
    if abs(level) >= radius:
        return []
    foot = unit * level
    basis = np.linalg.svd(unit[None])[2][1:].T  # of the directions orthogonal to g
    if basis.size == 0:
        return [foot]
    within = solve_trust_region(
        basis.T @ (linear + 2 * hessian @ foot),
        2 * basis.T @ hessian @ basis,
        math.sqrt((radius - level) * (radius + level)),
    )
    return [foot + basis @ within.step]


def _furthest_global_minimum(
    gradient: FloatArray, hessian: FloatArray, radius: float, direction: FloatArray
) -> list[FloatArray]:
    """Return the global minimiser over the ball with the smallest <direction, h>, if many.

    In the hard case they are h + v with any v in the eigenspace of the lowest eigenvalue, here
    -d_1 >= 0, that leads to the sphere (or into the ball, where d_1 = 0). What rounding cannot tell
    from an eigenvalue equal to the lowest, or from a gradient orthogonal to its eigenspace, is
    taken for that.
    """
    eigenvalues, vectors = np.linalg.eigh(hessian)
    g = vectors.T @ gradient
    size = float(np.abs(eigenvalues).max())
    lowest = eigenvalues <= eigenvalues[0] + _SAME * size
    negligible = _SAME * (size * radius + float(np.linalg.norm(gradient)))
    if eigenvalues[0] > _SAME * size or np.linalg.norm(g[lowest]) > negligible:
        return []
    h = np.zeros_like(g)
    h[~lowest] = -g[~lowest] / (eigenvalues[~lowest] - eigenvalues[0])
    spare = radius**2 - float(h @ h)
    if spare < 0:
        return []
    towards = -vectors[:, lowest].T @ direction
    length = float(np.linalg.norm(towards))
    # any of them, where they are equally far
    along = towards / length if length > 0 else np.eye(towards.size)[0]
    h[lowest] = math.sqrt(spare) * along
    return [vectors @ h]


def _other_local_minimum(
    gradient: FloatArray, hessian: FloatArray, radius: float
) -> list[FloatArray]:
    """Return the local minimiser over the ball that is not global, if there is one.

    Its multiplier lies between -d_2 and -d_1 (and is >= 0), where ||h|| = r and ||h|| increases;
    ||h||^2 is convex between the two.
    """
    eigenvalues, vectors = np.linalg.eigh(hessian)
    g = vectors.T @ gradient
    above = eigenvalues - eigenvalues[0]  # exactly 0 at the lowest
    # gap = -d_1 - lambda, so that d + lambda = above - gap
    widest = min(-float(eigenvalues[0]), float(above[1]) if above.size > 1 else math.inf)
    if g[0] == 0 or widest <= 0:
        return []

    def excess_length(log_gap: float) -> float:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return float(np.nansum((g / (above - math.exp(log_gap))) ** 2)) - radius**2

    # the first coordinate alone is 2r long there
    near = math.log(max(abs(float(g[0])) / (2 * radius), _TINY))
    if near >= math.log(widest):
        return []
    found = scipy.optimize.minimize_scalar(
        excess_length,
        bounds=(near, math.log(widest)),
        method="bounded",
        options={"xatol": 1e-9},
    )
    if found.fun >= 0:
        return []
    gap = math.exp(_root(lambda log_gap: -excess_length(log_gap), near, float(found.x)))
    return [vectors @ (-g / (above - gap))]
