"""The graphical lasso with a penalised diagonal. Source: Wang (2020), (6.83), l.8599.

argmin over positive definite Theta of -log det Theta + <S, Theta> + rho sum_ij |Theta_ij|, the
diagonal included. (scikit-learn's ``graphical_lasso`` leaves the diagonal free: give it
S + rho I to solve this problem.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_magnitude,
    require_positive,
)
from reference.matrices.balancing import balanced, next_look
from reference.proximal import soft_threshold


@dataclass(frozen=True)
class PrecisionMinimum:
    """The best point found for (6.83), with how far it is from a minimiser.

    Attributes
    ----------
    theta : ndarray of shape (d, d)
        Symmetric positive definite, with exact zeros.
    gap : float
        :func:`optimality_gap` of theta.
    n_iterations : int
    """

    theta: FloatArray
    gap: float
    n_iterations: int


def graphical_lasso(
    second_moment: ArrayLike,
    *,
    penalty: float,
    tolerance: float = 1e-9,
    max_iterations: int = 20_000,
) -> PrecisionMinimum:
    """Solve (6.83) by the alternating direction method of multipliers.

    Parameters
    ----------
    second_moment : array_like of shape (d, d)
        Symmetric S with smallest eigenvalue above -rho; then the minimiser exists. It exists for
        some others too: if and only if S + rho W is positive definite for some |W_ij| <= 1.
    penalty : float
        rho > 0.
    tolerance : float
        > 0; relative primal and dual residual at which to stop.
    max_iterations : int
        >= 1. If they run out, the last iterate is returned; without zeros, if the one with zeros is
        not positive definite. Its gap says how far it is.

    Returns
    -------
    PrecisionMinimum

    Raises
    ------
    ValueError, TypeError
        If S is not symmetric or its smallest eigenvalue is not above -rho.
    """
    s = require_array("second_moment", second_moment, ndim=2)
    rho = require_magnitude("penalty", penalty)
    require_positive("tolerance", tolerance)
    require_count("max_iterations", max_iterations)
    if s.shape[0] != s.shape[1] or not np.allclose(s, s.T):
        raise ParameterValueError("second_moment", "be symmetric", got=f"shape {s.shape}")
    smallest = float(np.linalg.eigvalsh(s)[0])
    if not smallest > -rho:
        raise ParameterValueError(
            "second_moment",
            f"have eigenvalues > -penalty = {-rho:g}; project it on the positive "
            "semidefinite cone first",
        )

    gradient_size = float(np.linalg.norm(s)) + rho * len(s)
    # Theta is of the order of the inverse of the diagonal of S + rho I, mu of its square
    mu = (float(np.trace(s)) / len(s) + rho) ** 2
    z = np.diag(1 / (np.diag(s) + rho))
    u, look = np.zeros_like(s), 1
    for t in range(1, max_iterations + 1):
        # X = argmin -log det X + <S, X> + mu/2 ||X - Z + U||_F^2
        values, vectors = np.linalg.eigh(mu * (z - u) - s)
        # the positive root of mu x^2 - w x - 1 = 0, without cancellation for negative w
        root = np.sqrt(values**2 + 4 * mu)
        larger = np.abs(values) + root  # never 0
        roots = np.where(values > 0, larger / (2 * mu), 2 / larger)
        x = (vectors * roots) @ vectors.T
        x = (x + x.T) / 2
        previous = z
        z = soft_threshold(x + u, rho / mu)
        u = u + x - z
        primal = float(np.linalg.norm(x - z))
        dual = mu * float(np.linalg.norm(z - previous))
        relative_primal = primal / float(np.linalg.norm(x))
        relative_dual = dual / gradient_size
        if max(relative_primal, relative_dual) <= tolerance and np.linalg.eigvalsh(z)[0] > 0:
            break
        if t == look:  # keep the two residuals within a factor 10 of each other
            look = next_look(t, 1)
            mu, u = balanced(mu, u, relative_primal, relative_dual)
    theta = z if np.linalg.eigvalsh(z)[0] > 0 else x
    return PrecisionMinimum(theta, optimality_gap(theta, s, rho), t)


def optimality_gap(theta: FloatArray, second_moment: FloatArray, penalty: float) -> float:
    """Return the largest violation of Theta^-1 = S + rho W, W a subgradient of ||Theta||_1.

    W_ij = sign(Theta_ij) where Theta_ij is not 0, and |W_ij| <= 1 elsewhere. Zero exactly at the
    minimiser; in particular diag(Theta^-1) = diag(S) + rho there. Infinite where doubles hold no
    inverse of theta.
    """
    try:
        slack = np.linalg.inv(theta) - second_moment
    except np.linalg.LinAlgError:
        return math.inf
    active = np.abs(slack - penalty * np.sign(theta))
    inactive = np.maximum(np.abs(slack) - penalty, 0.0)
    return float(np.max(np.where(theta != 0, active, inactive)))
