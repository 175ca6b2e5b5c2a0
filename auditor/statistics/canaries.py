"""Lower bounds on epsilon and mu from guesses about many coins of one run.

m canaries take part in one run, each if its own fair coin says so. An adversary sees the output but
no coin, and makes r guesses: the canaries with the highest scores took part, those with the lowest
did not. If the mechanism is private for every canary, few guesses are right. Let v be a number of
right guesses.

**(epsilon, delta).** Let q = e^epsilon / (1 + e^epsilon), beta = P[Bin(r, q) >= v], and D = r minus
the number of right guesses. Let u_0, u_1, ... solve Stein's equation of the binomial distribution,

    (r - d) u_d - e^epsilon d u_(d-1) = 1{d <= r - v} - beta.

The solution is nonnegative and largest at d = r - v, where it is
lambda = beta (1 - beta) / (v P[Bin(r, q) = v]). For coins s, canary i and output t let f_i(s, t) be
u_D if there is a right guess about i, and 0 otherwise. Let s^i be s with coin i turned. If the
mechanism is (epsilon, delta)-private for canary i, then

    sum over t of (P[t | s] - e^epsilon P[t | s^i]) f_i(s, t) <= lambda delta.

Average over s and add over i. Turning the coin of a right guess makes it wrong, so the left side
becomes at least E[(r - D) u_D - e^epsilon D u_(D-1)] = P[at least v right] - beta. The right side
becomes m lambda delta, or half of it if all guesses say "took part", as only the coins that say so
count then. Therefore, with m/2 in place of m for guesses of one kind,

    P[at least v right] <= beta + m delta beta (1 - beta) / (v P[Bin(r, q) = v]).

For delta = 0 this is Theorem 5.2 of Steinke, Nasr and Jagielski, "Privacy auditing with one (1)
training run" (2023). For delta > 0 their second term, 2 m delta max_i P[v - i <= Bin(r, q) < v]/i,
is larger. No smaller bound is true of every mechanism: let one guess r coins by randomized
response and, with probability m delta beta / (v P[Bin(r, q) = v]), again until v are right.

**mu-Gaussian DP.** Let P_c = P[at least c right] and G(x) = Phi(Phi^-1(x) - mu). Turning coin i
makes the event "guess i is right, and at least c are" the event "guess i is wrong, and at least
c - 1 are right". Averaged over s and i, the probabilities of the two events are

    R_c = (c P_c + P_(c+1) + ... + P_r) / m,
    W_(c-1) = ((r - c + 1) P_(c-1) - P_c - ... - P_r) / m.

Under mu-GDP W_(c-1) >= G(R_c), by Jensen's inequality as G is convex. So P_(c-1) is at least a
function of P_c, ..., P_r that increases in each of them. The least P_0 for a given P_v follows
downwards from P_(v+1) = 0. If it is above 1, P_v cannot be so large. This is the recursion of
Mahloujifar, Melis and Chaudhuri, "Auditing f-differential privacy in one run" (2024), Algorithm 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import special

ROUNDING = 1e-9
"""Allowance for rounding in sums of up to some million terms."""
STEPS = 50
"""Steps of a bisection."""


def epsilon_p_value(
    epsilon: float, delta: float, *, exposed: float, guesses: int, right: int
) -> float:
    """Return the largest probability of so many right guesses under (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        >= 0.
    delta : float
        In [0, 1).
    exposed : float
        Number of canaries; half of it if all guesses are of one kind.
    guesses : int
        >= 1, fixed in advance.
    right : int
        In [0, guesses].

    Returns
    -------
    float
        In [0, 1]: P[at least ``right`` are right] is at most this.
    """
    if right == 0:
        return 1.0
    wrong, fall = guesses - right, math.exp(-epsilon)
    share = 1 / (1 + fall)
    beta = float(special.betainc(right, wrong + 1, share))
    if delta == 0:
        return beta
    # log of right * P[Bin(guesses, share) = right]
    log_point = (
        -math.log1p(fall) * guesses - epsilon * wrong - float(special.betaln(right, wrong + 1))
    )
    if log_point > -600:
        slope = beta * (1 - beta) * math.exp(-log_point)
    elif right > guesses * share:  # beta / P[= right], by the sum of a geometric series
        slope = 1 / (right - wrong * right / ((right + 1) * fall))
    else:
        return 1.0
    return min(1.0, beta + exposed * delta * slope * (1 + ROUNDING))


def refutes_mu(mu: float, alpha: float, *, exposed: float, guesses: int, right: int) -> bool:
    """Return whether so many right guesses have probability below ``alpha`` under mu-GDP.

    Parameters
    ----------
    mu : float
        >= 0.
    alpha : float
        In (0, 1).
    exposed, guesses, right
        As for :func:`epsilon_p_value`.
    """
    most = guesses / exposed
    inside, outside = alpha * right / exposed, alpha * (guesses - right) / exposed
    for c in range(right - 1, -1, -1):
        if inside > 1 + ROUNDING or inside + outside > most * (1 + ROUNDING):
            return True
        least = float(special.ndtr(special.ndtri(min(inside, 1.0)) - mu))
        if least <= outside:  # nothing changes from here on
            return False
        inside += c / (guesses - c) * (least - outside)
        outside = least
    return inside + outside > most * (1 + ROUNDING)


def _largest(refuted: Callable[[float], bool]) -> float:
    """Return a level that is refuted, close to the largest; 0 if none is."""
    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while refuted(high):
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def epsilon_lower(delta: float, alpha: float, *, exposed: float, guesses: int, right: int) -> float:
    """Return a lower bound on epsilon at ``delta``, wrong with probability at most ``alpha``.

    Whoever is (epsilon, delta)-private is so for every larger epsilon. One epsilon whose p-value is
    at most ``alpha`` therefore refutes all smaller ones.

    Parameters
    ----------
    delta, exposed, guesses, right
        As for :func:`epsilon_p_value`.
    alpha : float
        In (0, 1).
    """

    def refuted(epsilon: float) -> bool:
        p_value = epsilon_p_value(epsilon, delta, exposed=exposed, guesses=guesses, right=right)
        return p_value <= alpha

    return _largest(refuted)


def mu_lower(alpha: float, *, exposed: float, guesses: int, right: int) -> float:
    """Return a lower bound on mu of mu-GDP, wrong with probability at most ``alpha``.

    Parameters
    ----------
    alpha, exposed, guesses, right
        As for :func:`refutes_mu`.
    """

    def refuted(mu: float) -> bool:
        return refutes_mu(mu, alpha, exposed=exposed, guesses=guesses, right=right)

    return _largest(refuted)
