"""Section 4.2: a loss with two wells in one dimension, by quadrature."""

from __future__ import annotations

import functools

import numpy as np

from proofs_checks.balls import Ball, ball, cos, exp

RIDGE = 0.05
"""lambda; all records are equal, so that L^r is the loss of one record with its ridge."""

FULL = np.linspace(-12.0, 12.0, 48_001)
STEP = float(FULL[1] - FULL[0])


def loss(w: np.ndarray) -> np.ndarray:
    """F(w) = .025 w^2 + (1 + cos 2w)/2 + .3/(1 + e^{4w}): minima at -1.531 and 1.534.

    l is 1.3-Lipschitz, smooth and bounded; the barrier has height .8124 from the left.
    """
    wave = 0.5 * (1 + np.cos(2 * w)) + 0.3 / (1 + np.exp(4 * w))
    return np.asarray(RIDGE / 2 * w**2 + wave)


def enclosed_loss(w: Ball) -> Ball:
    """Enclose :func:`loss`."""
    return RIDGE / 2 * w**2 + (1 + cos(2 * w)) / 2 + ball("0.3") / (1 + exp(4 * w))


@functools.cache
def landscape() -> tuple[np.ndarray, float, int]:
    """Return F on the grid, its minimum and the index of the barrier between the wells."""
    values = loss(FULL)
    inside = np.flatnonzero((FULL > -1) & (FULL < 1))
    return values, float(values.min()), int(inside[np.argmax(values[inside])])


def spectral_gap_bound(beta: float) -> float:
    """Bound ln lambda_* from above by a test function: ln(E(g)/Var g).

    g rises linearly from 0 to 1 within 1/10 of the barrier; E(g) = int g'^2 dpi as in Lemma 4.2.1.
    """
    values, least, top = landscape()
    weight = np.exp(-beta * (values - values[top]))
    ramp = np.abs(FULL - FULL[top]) <= 0.1
    g = np.clip((FULL - FULL[top] + 0.1) / 0.2, 0.0, 1.0)
    form = float((weight[ramp] * 25.0).sum())
    gibbs = np.exp(-beta * (values - least))
    total = float(gibbs.sum())
    variance = float(gibbs @ (g - gibbs @ g / total) ** 2) / total
    return float(np.log(form / total / variance) - beta * (values[top] - least))


def gibbs_gap(beta: float) -> float:
    """Return int F dpi - min F for pi proportional to e^{-beta F}."""
    values, least, _ = landscape()
    weight = np.exp(-beta * (values - least))
    return float(weight @ (values - least) / weight.sum())


def poisson_growth(beta: float) -> float:
    """Return ln of max over |w| <= 6 of |psi|/(1 + w^2), L psi = F - mean F, for (4.28).

    (e^{-F'} psi')' = e^{-F'} (F - mean), F' = beta F, so that psi' = e^{beta F} times the integral
    of e^{-beta F} (F - mean) from -inf; psi is 0 at the deeper minimum. On both sides the integral
    is taken from the nearer end, where nothing cancels.
    """
    values, least, top = landscape()
    weight = np.exp(-beta * (values - least))
    mean = float(weight @ values / weight.sum())
    source = weight * (values - mean) * STEP
    left = np.cumsum(source) - source / 2
    right = -(np.cumsum(source[::-1])[::-1] - source / 2)
    best = int(np.argmin(values))
    integral = np.where(np.arange(FULL.size) <= best, left, right)
    inner = np.abs(FULL) <= 6
    slope = integral[inner] * np.exp(beta * (values[inner] - values[top]))
    psi = np.cumsum(slope) * STEP
    psi -= psi[np.argmin(values[inner])]
    return float(
        np.log(np.max(np.abs(psi) / (1 + FULL[inner] ** 2))) + beta * (values[top] - least)
    )


def left_behind(beta: float, log_time: float) -> float:
    """Return a lower bound of E F(W_t) - min F, averaged over t <= S, from the left minimum.

    ``log_time`` is ln S. Until the barrier is hit, at tau, F is at least its left minimum; and
    P(tau <= S) <= e E e^{-tau/S} = e u(w_0), where u = 1 at the barrier and L u = u/S on its left:
    a tridiagonal system for the nearest-neighbour chain with the same invariant law.
    """
    values, least, top = landscape()
    start = int(np.argmin(values[:top]))
    first = int(np.searchsorted(FULL, -4.0))
    rise = np.diff(values[first : top + 1])
    up, down = np.exp(-beta * rise / 2), np.exp(beta * rise / 2)
    kill = beta * STEP**2 * np.exp(-log_time)
    # u_i = (1 - q_i) u_{i+1}, from the reflecting end on
    log_u, q = 0.0, 0.0
    for i in range(rise.size):
        lost = (down[i - 1] * q if i else 0.0) + kill
        q = lost / (up[i] + lost)
        if first + i >= start:
            log_u += float(np.log1p(-q))
    return float((values[start] - least) * (1 - min(1.0, np.exp(1 + log_u))))
