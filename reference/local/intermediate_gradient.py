"""SIGM, the stochastic intermediate gradient method of a server (Wang (2020), Algorithm 5.1.38).

It touches no private data: it is given gradients that a mechanism has released already.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_in_interval,
    require_magnitude,
    require_non_negative,
    require_steps,
)
from reference.constraint_sets import Ball, require_ball


class IntermediateGradient:
    """The state of Algorithm 5.1.38 between two gradients.

    Parameters
    ----------
    constraint : Ball
        C, closed and convex.
    dimension : int
        p >= 1.
    smoothness : float
        beta > 0: the objective is within gamma of a beta-smooth convex one (Definition 5.1.9).
    deviation : float
        sigma >= 0: the root mean square of a gradient's error, in l2.
    radius : float
        R > 0, at least the norm of a minimiser.
    order : float, default 1
        q in [1, 2], which the text calls p; 1 is dual averaging, 2 the fast gradient method.

    Attributes
    ----------
    query : ndarray of shape (p,)
        x_k, where the next gradient is asked for.
    output : ndarray of shape (p,)
        y_k after k + 1 gradients; ``query`` before the first.

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """

    def __init__(
        self,
        constraint: Ball,
        *,
        dimension: int,
        smoothness: float,
        deviation: float,
        radius: float,
        order: float = 1.0,
    ) -> None:
        require_ball(constraint, convex=True)
        require_count("dimension", dimension)
        self._constraint = constraint
        self._smoothness = require_magnitude("smoothness", smoothness)
        self._deviation = require_non_negative("deviation", deviation)
        self._radius = require_magnitude("radius", radius)
        self._order = require_in_interval("order", order, 1.0, 2.0, closed=True)
        self._k = -1  # no gradient yet
        self._sum = np.zeros(dimension)  # of alpha_i G_i
        self._total = 0.0  # A_k
        self.query = constraint.project(np.zeros(dimension))  # line 2
        self.output = self._start = self.query

    def update(self, gradient: FloatArray) -> None:
        """Take the gradient at ``query``, G_{k+1}: one round of the loop, lines 6-14.

        Parameters
        ----------
        gradient : ndarray of shape (p,)
            Finite.
        """
        weight = self._weight(self._k + 1)
        self._total += weight
        if self._k < 0:  # (5.13)
            self.output = self._step(0, weight * gradient)
        else:
            share = self._share(self._k)
            end = self._constraint.project(  # (5.15)
                self._start - weight / self._damping(self._k) * gradient
            )
            w = share * end + (1 - share) * self.output  # line 12
            part = self._square(self._k + 1) / self._total
            self.output = (1 - part) * self.output + part * w  # line 13
        self._sum = self._sum + weight * gradient
        self._k += 1
        share = self._share(self._k)
        self._start = self._step(self._k, self._sum)  # z_k, (5.14)
        self.query = share * self._start + (1 - share) * self.output  # line 8

    def _step(self, k: int, direction: FloatArray) -> FloatArray:
        """Return the minimiser of beta_k ||x||^2/2 + <direction, x> on C."""
        return self._constraint.project(-direction / self._damping(k))

    def _weight(self, i: int) -> float:
        """Return alpha_i, (5.10), with a = 2^((q - 1)/2)."""
        q = self._order
        return math.pow(2.0, (1 - q) / 2) * math.pow((i + q) / q, q - 1)

    def _square(self, i: int) -> float:
        """Return B_i = a alpha_i^2, (5.12)."""
        weight = self._weight(i)
        return math.pow(2.0, (self._order - 1) / 2) * weight * weight

    def _share(self, i: int) -> float:
        """Return eta_i = alpha_{i+1}/B_{i+1}."""
        return self._weight(i + 1) / self._square(i + 1)

    def _damping(self, i: int) -> float:
        """Return beta_i, (5.11), with b = 2^((5 - 2q)/4) q^((1 - 2q)/2)."""
        q = self._order
        b = math.pow(2.0, (5 - 2 * q) / 4) * math.pow(q, (1 - 2 * q) / 2)
        growth = math.pow(i + q + 1, (2 * q - 1) / 2)
        return self._smoothness + b * self._deviation / self._radius * growth


def intermediate_gradient(
    oracle: Callable[[FloatArray], FloatArray],
    constraint: Ball,
    *,
    dimension: int,
    smoothness: float,
    deviation: float,
    radius: float,
    n_iterations: int,
    order: float = 1.0,
) -> FloatArray:
    """Minimise a convex function on a set by inexact and noisy gradients.

    Parameters
    ----------
    oracle : callable
        ``oracle(x)``: a gradient at x, shape (p,), of a fresh draw at every call; T + 1 calls.
    constraint, dimension, smoothness, deviation, radius, order
        As for :class:`IntermediateGradient`.
    n_iterations : int
        T >= 1.

    Returns
    -------
    ndarray of shape (p,)
        y_T.

    Raises
    ------
    ValueError, TypeError
        On parameters out of range, or a gradient that is not a finite vector of p numbers.

    Notes
    -----
    *Guarantee*: it reads no data; what it returns is as private as the gradients.
    *Utility* (Lemma 5.1.16): E f(y_k) - min f = O(beta R^2/k^q + sigma R/sqrt k + k^(q-1) gamma).

    References
    ----------
    Wang (2020), Algorithm 5.1.38 (l.5589-5636), Lemma 5.1.16 (l.5601-5605).

    Examples
    --------
    >>> from reference.constraint_sets import L2Ball
    >>> y = intermediate_gradient(
    ...     lambda x: x - 0.5, L2Ball(1.0), dimension=1, smoothness=1.0, deviation=0.0, radius=1.0,
    ...     n_iterations=200,
    ... )
    >>> bool(abs(y[0] - 0.5) < 0.01)
    True
    """
    require_steps("n_iterations", n_iterations)
    state = IntermediateGradient(
        constraint,
        dimension=dimension,
        smoothness=smoothness,
        deviation=deviation,
        radius=radius,
        order=order,
    )
    for _ in range(n_iterations + 1):
        gradient = require_array("gradient", oracle(state.query), ndim=1, shape=(dimension,))
        state.update(gradient)
    return state.output
