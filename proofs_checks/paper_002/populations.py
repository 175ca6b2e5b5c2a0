"""Population quantities of the three models, by quadrature and enumeration.

They do not use the models of ``reference``. Exact weight: 2w - 1 = tanh(<beta, y>/sigma^2), the
posterior; printed weight: half the exponent.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import scipy
from mpmath import mp

from reference._validation import FloatArray


def grid(step: float, reach: float = 9.0) -> tuple[FloatArray, FloatArray]:
    """Return trapezoidal nodes and weights for N(0, 1); the tail beyond 9 is below 1e-18."""
    nodes = np.arange(-reach, reach + step / 2, step)
    return nodes, np.exp(-(nodes**2) / 2) * (step / math.sqrt(2 * math.pi))


def mixture_map(beta: FloatArray, truth: FloatArray, factor: float) -> FloatArray:
    """Return E[tanh(factor <beta, Y>) Y] of the mixture with parameter ``truth`` and sigma = 1.

    ``factor`` is 1 for the exact weight, 1/2 for the printed one.
    """
    g, weights = grid(4e-3)
    norm = float(np.linalg.norm(beta))
    # tanh(.) Y is even: take Y = truth + g direction + what is independent of <beta, Y>
    sign = np.tanh(factor * (beta @ truth + norm * g)) * weights
    mean: FloatArray = sign.sum() * truth + (sign @ g) * beta / norm
    return mean


def mixture_fixed_point(snr: float) -> float:
    """Return the fixed point over beta* of the population map with the printed weight."""
    truth = np.array([snr])

    def residual(b: float) -> float:
        return float(mixture_map(np.array([b]), truth, 0.5)[0] - b)

    return float(scipy.optimize.brentq(residual, 0.1 * snr, 2 * snr, xtol=1e-13)) / snr


def regression_map(beta: FloatArray, truth: FloatArray, factor: float) -> FloatArray:
    """Return E[tanh(factor Y <X, beta>) Y X] for Y = +-<truth, X> + N(0, 1), X ~ N(0, I), d <= 2.

    ``factor`` is 1 for the exact weight, 1/2 for the printed one.
    """
    g, wg = grid(0.02)
    r, wr = grid(0.05)
    norm = float(np.linalg.norm(beta))
    along = float(beta @ truth) / norm
    across = truth - along * beta / norm
    variance = float(across @ across) + 1
    # given <X, beta> = norm g, Y = along g + N(0, variance), whose regression on X is linear
    residual = math.sqrt(variance) * r[None, :]
    y = along * g[:, None] + residual
    weighted = np.tanh(factor * norm * g[:, None] * y) * y * wg[:, None] * wr[None, :]
    mean: FloatArray = (weighted * g[:, None]).sum() * beta / norm
    mean += (weighted * residual).sum() / variance * across
    return mean


def regression_fixed_point(snr: float) -> float:
    """Return the fixed point over beta* of the population map with the printed weight."""
    truth = np.array([snr])

    def residual(b: float) -> float:
        return float(regression_map(np.array([b]), truth, 0.5)[0] - b)

    return float(scipy.optimize.brentq(residual, 0.5 * snr, 1.5 * snr, xtol=1e-10)) / snr


def missing_gradient(
    at: FloatArray, given: FloatArray, truth: FloatArray, sigma: float, p: float
) -> FloatArray:
    """Return the population gradient at ``at`` of the printed Q(.; given), by enumeration of z.

    Given z everything is Gaussian: with v = sigma^2 + ||given_hidden||^2, E[y a] = (||truth||^2 +
    sigma^2 - <given, truth>_observed)/v and E[x_observed a] = (truth - given)_observed/v.
    """
    total = np.zeros(len(truth))
    for pattern in itertools.product((True, False), repeat=len(truth)):
        z = np.array(pattern)
        hidden = np.where(z, 0, given)
        v = sigma**2 + hidden @ hidden
        cross = np.where(z, truth - given, 0) / v
        y_slope = (truth @ truth + sigma**2 - np.where(z, given * truth, 0).sum()) / v
        first = np.where(z, truth, 0) + y_slope * hidden
        # K = diag(1-z) + x x^T + x n^T + n x^T with x the observed and n = a hidden
        second = at + cross * (hidden @ at) + hidden * (cross @ at)
        total += (1 - p) ** z.sum() * p ** (~z).sum() * (first - second)
    return total


def excess(a: Any, sigma: Any, power: int = 2) -> Any:
    """Return the integral over z >= a of (z-a)^power times the N(0, sigma^2) density (mpmath)."""
    x = mp.mpf(a) / sigma
    tail, density = mp.ncdf(-x), mp.npdf(x)
    if power == 2:
        return sigma**2 * ((1 + x**2) * tail - x * density)
    return sigma**4 * ((x**4 + 6 * x**2 + 3) * tail - (x**3 + 5 * x) * density)


def full_norm_ratio(energy: float, log10_d: int) -> float:
    """Return a truncation error's root mean square over sqrt(s* log d log n/n), s* = 10.

    The coordinates outside the supports of beta* and beta^t are independent of the factors that
    multiply them, whose mean square is ``energy``; n = 4000 in 9 batches, T = sqrt(2 log n),
    sigma = 1, d = 10^log10_d.
    """
    n, n0, s = 4000, 444, 10
    with mp.workdps(30):
        each = energy * 2 * excess(mp.sqrt(2 * mp.log(n)), mp.mpf(1)) / n0
        log_d = log10_d * mp.log(10)
        error = mp.sqrt((mp.mpf(10) ** log10_d - s) * each)
        return float(error / mp.sqrt(s * log_d * mp.log(n) / n))
