"""The graphical lasso by steps that move no more than its minimiser does.

A solver that stops at a tolerance stops elsewhere on neighbouring data, and may fail on one of the
two alone. This one takes a public number of steps, each a contraction, from a public start: how far
its result moves between two matrices S is bounded whether or not it has converged.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reference._validation import FloatArray
from reference.proximal import soft_threshold

MOST_STEPS = 10_000
"""Steps that are taken at most: half a second for five variables."""
ACCURACY = 1e-13
"""Share of the distance to the minimiser that is left, unless the steps would be too many."""


class EigenvalueRange(NamedTuple):
    """The eigenvalues that a minimiser can have, and what follows for the steps.

    Attributes
    ----------
    low, high : float
        a = 1/(1 + rho d) and b = d/rho (Lemma 6.3.5).
    constant : float
        mu = 1/(a b), of the quadratic term in every step.
    contraction : float
        (b - a)/(b + a): every step brings two starts closer by this factor.
    """

    low: float
    high: float
    constant: float
    contraction: float


def domain_of(dimension: int, penalty: float) -> EigenvalueRange:
    """Return the domain for S >= 0 with trace S <= 1."""
    low, high = 1 / (1 + penalty * dimension), dimension / penalty
    return EigenvalueRange(low, high, 1 / (low * high), (high - low) / (high + low))


def steps_for(dimension: int, penalty: float) -> int:
    """Return the public number of steps, at most :data:`MOST_STEPS`."""
    return min(MOST_STEPS, max(1, math.ceil(-math.log(ACCURACY) / _rate(dimension, penalty))))


def largest_gap(dimension: int, penalty: float) -> float:
    """Return a bound on ||Theta - Theta*||_F, the distance to the minimiser; it reads no data.

    The start is at most sqrt(d) b + d^2/(1 + rho d) from the fixed point Theta* - rho W/mu, W a
    subgradient of ||Theta*||_1, and every step multiplies that by the contraction.
    """
    start = math.sqrt(dimension) * dimension / penalty + dimension**2 / (1 + penalty * dimension)
    return start * math.exp(-steps_for(dimension, penalty) * _rate(dimension, penalty))


def rounding_error(dimension: int, penalty: float) -> float:
    """Return e: rounding changes the result as if an entry of S moved by at most e.

    A step rounds V, of norm sqrt(d) d/rho, by about d eps of it. Through all steps that is worth
    (1 + rho d) d^(3/2) eps/2 in the Frobenius norm of S; here it is 16 times that in every entry.
    """
    eps = float(np.finfo(float).eps)
    return 8 * eps * dimension * math.sqrt(dimension) * (1 + penalty * dimension)


def _ratio(dimension: int, penalty: float) -> float:
    """Return b/a."""
    return dimension / penalty * (1 + penalty * dimension)


def _rate(dimension: int, penalty: float) -> float:
    """Return -log of the contraction: infinite for one variable under a huge penalty."""
    lost = 2 / (1 + _ratio(dimension, penalty))
    return -math.log1p(-lost) if lost < 1 else math.inf


def stable_graphical_lasso(second_moment: FloatArray, penalty: float) -> FloatArray:
    """Return Theta near the minimiser of -log det Theta + <S, Theta> + rho sum_ij |Theta_ij|.

    Parameters
    ----------
    second_moment : ndarray of shape (d, d)
        S, positive semidefinite, with trace at most 1.
    penalty : float
        rho > 0.

    Returns
    -------
    ndarray of shape (d, d)
        Symmetric, within :func:`largest_gap` of the minimiser, with exact zeros.

    Notes
    -----
    Peaceman-Rachford splitting: V moves to R_g(R_f(V)), R = 2 prox - I, of g = rho ||.||_1 and
    f = -log det + <S, .>, both over mu. Outside eigenvalues [a, b] -log is continued with the
    curvature that it has at a and b; the minimiser is inside and stays the minimiser. Then f has
    curvatures in [m, M] = [1/b^2, 1/a^2], prox_f contracts by 1/(1 + m/mu) and R_f by
    c = (b - a)/(b + a), R_g does not expand.

    *Stability*: let S move by D in the Frobenius norm. It enters as prox(V - S/mu), so that one
    step adds at most 2 D/(mu + m) to the distance of V, and all together at most
    2 D/((mu + m)(1 - c)) = D/m = b^2 D. The result prox_g(R_f(V)) moves by at most
    (c/m + 2/(mu + m)) D = b^2 D as well: like the minimiser, after any number of steps.
    """
    s, d = second_moment, len(second_moment)
    domain = domain_of(d, penalty)
    mu = domain.constant
    v = np.eye(d) / (1 / d + penalty)  # the minimiser at S = I/d
    for _ in range(steps_for(d, penalty)):
        values, vectors = np.linalg.eigh(v - s / mu)
        x = (vectors * _proximal(values, domain)) @ vectors.T
        reflected = x + x.T - v
        theta = soft_threshold(reflected, penalty / mu)
        v = 2 * theta - reflected
    return theta


def _proximal(values: FloatArray, domain: EigenvalueRange) -> FloatArray:
    """Return argmin of -log x + mu/2 (x - w)^2 for every w, -log continued beyond [a, b]."""
    low, high, mu, _ = domain
    # the positive root of mu x^2 - mu w x - 1 = 0, without cancellation for negative w
    larger = np.abs(values) + np.sqrt(values**2 + 4 / mu)
    root = np.where(values > 0, larger / 2, 2 / (mu * larger))
    above = (mu * values + 2 / high) / (mu + 1 / high**2)
    below = (mu * values + 2 / low) / (mu + 1 / low**2)
    return np.where(root > high, above, np.where(root < low, below, root))
