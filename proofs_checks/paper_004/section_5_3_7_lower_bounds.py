"""Section 5.3.7: the hard instance and the chains that prove Theorems 5.3.1-5.3.4.

Lemmas 5.3.7, 5.3.9 and 5.3.11 bound information by C_infinity or C_2. Their bounds are cited; the
chains from them to the theorems are proved here, with constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from proofs_checks.balls import ball, exp
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    symbols,
)

MINIMAX_RISK = "the minimax risk, by name; the steps have the bound from below"


@statement(
    "004 (5.84)",
    lines="6862-6868",
    kind="lower bound",
    printed="p((x, y)) = (1 + y <x, theta_v>)/2^(p+1) on {-1, 1}^(p+1), the mixture is uniform, "
    "and |sigma| <= 2",
    refuses={
        "2^p": {"halves": 1},
        "sigma = y + <x, theta>": {"sign": 1},
        "|sigma| <= 3/2": {"largest": "3/2"},
    },
)
def hard_instance(halves: int = 2, sign: int = -1, largest: str = "2") -> Outcome:
    """With u = <x, theta_v>, |u| < 1: x has mass 2^-p, and y = u + sigma is 1 or -1 by (5.83).

    v and -v are both in V and mix to the uniform law, pair by pair.
    """
    u, mass = symbols("u 2^-p")
    s = reals("s")
    total = sum(mass * (1 + y * u) / halves for y in (1, -1))
    mixture = (mass * (1 + u) / halves + mass * (1 - u) / halves) / 2
    bound = rational(largest)
    sigmas = [y + sign * s for y in (1, -1)]
    noise = z3.And(*(z3.And(sigma <= bound, sigma >= -bound) for sigma in sigmas))
    means = (1 + sign * u) * (1 + u) / 2 + (-1 + sign * u) * (1 - u) / 2
    return derived(
        density=identity((total, mass), (mixture, mass / 2)),
        centred=identity((means, 0 * u)),
        noise=for_all(noise, s < 1, s > -1),
    )


hard_instance.restated(
    "004 (5.83)",
    lines="6858-6860",
    printed="y = <x, theta_v> + sigma, sigma = 1 - <x, theta_v> with probability "
    "(1 + <x, theta_v>)/2, else -1 - <x, theta_v>",
)


@cache
def _largest_projection(p: int) -> Fraction:
    """Largest ||E gamma(X, Y) Y X||^2 over gamma in {-1, 1}^(2^(p+1)), the corners of the ball."""
    points = [tuple(y * entry for entry in x) for *x, y in product((-1, 1), repeat=p + 1)]
    sums = (
        [sum(g * point[j] for g, point in zip(gamma, points, strict=True)) for j in range(p)]
        for gamma in product((-1, 1), repeat=len(points))
    )
    return Fraction(max(sum(entry**2 for entry in each) for each in sums), len(points) ** 2)


def _capacities(power: int, of_p: int) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """Yield C_infinity of the 2p laws (5.84) and its bound, for p = 1, 2 and some delta."""
    for p, delta in product((1, 2), (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))):
        capacity = 2 * delta**2 * _largest_projection(p) / (2 * p)
        yield {"p": p, "delta": float(delta)}, capacity, delta**power / p**of_p


@statement(
    "004 Lemma 5.3.10",
    lines="6870-6903",
    kind="lower bound",
    printed="(5.85): C_infinity^Nint({P_v}) <= delta^2/p",
    refuses={"delta^3/p": {"power": 3}, "delta^2/p^2": {"of_p": 2}},
    unchecked={
        "v": "the average over v = +-e_j leaves ||m||^2/p; the steps have r = ||m||",
    },
)
def capacity(power: int = 2, of_p: int = 1) -> Outcome:
    """psi_v(gamma) = delta <v, m> with m = E gamma Y X, so that C is delta^2/p sup ||m||^2.

    W = Y <m, X>/||m|| has E W^2 = 1 and E gamma W = ||m|| = r. E (gamma - r W)^2 >= 0 and
    gamma^2 <= 1 give r <= 1 [step "square"]. The supremum is at a corner of the ball, as the
    square is convex in gamma: it is 1 for p = 1 and 2, where all are tried [step "corners"].
    """
    p, delta, r, second = reals("p delta r E_gamma^2")
    claim = delta**2 * r * r * p**of_p <= delta**power * p
    square = second - 2 * r * r + r * r >= 0
    given = (p >= 1, delta > 0, delta < 1, r >= 0, second <= 1, square)
    return derived(
        square=for_all(claim, *given),
        corners=exactly(_capacities(power, of_p), note="C_infinity, over all corners"),
    )


capacity.restated("004 (5.85)", lines="6872-6874", printed="C_infinity^Nint({P_v}) <= delta^2/p")


@statement(
    "004 Proof of Theorem 5.3.1 (separation)",
    lines="6906-6908",
    kind="lower bound",
    printed="by Lemmas 5.3.7 and 5.3.10 the risk is at least (delta^2/2)(1 - (n epsilon^2 "
    "delta^2/p + log 2)/log(2p))",
    checked="that the theta_v = +-delta e_j are 2 delta apart, for which Phi is delta^2",
    false="delta e_1 and delta e_2 are sqrt2 delta apart",
    errata=("004 Proof of Theorem 5.3.1/E1",),
)
def separation_printed() -> Outcome:
    return refuted({"delta": 0.5, "p": 2}, 4 * Fraction(1, 4), 2 * Fraction(1, 4), "squares")


@separation_printed.corrected(
    "(delta^2/4)(1 - ...), as they are 2 (delta/sqrt2) apart",
    refuses={"delta^2/3": {"quarter": 3}, "sqrt3 delta apart": {"apart": 3}},
)
def separation(quarter: int = 4, apart: int = 2) -> Outcome:
    """Two coordinates differ by delta, or one by 2 delta; Phi(delta/sqrt2)/2 = delta^2/4."""
    d, phi = reals("delta^2 Phi")
    return derived(
        apart=for_all(z3.And(d + d >= apart * d, 4 * d >= apart * d), d > 0),
        half=for_all(quarter * phi / 2 >= d, 2 * phi == d, d > 0),
    )


@statement(
    "004 Theorem 5.3.1",
    lines="6395-6399",
    kind="lower bound",
    printed="(5.71): the epsilon non-interactive private minimax risk of P_{1,p,2} in squared "
    "loss is Omega(min{1, p log p/(n epsilon^2)}), epsilon in (0, 1/2]",
    checked="at least min{1, p log(2p)/(4 n epsilon^2)}/16",
    added="p >= 2: for p = 1 the bound of Lemma 5.3.7 is empty",
    refuses={
        "1/15": {"sixteen": 15},
        "p log(2p)/(3 n epsilon^2)": {"share": 3},
        "p = 1": {"least": 1},
        "||theta_v - theta_v'|| >= 2 delta": {"apart": 4},
    },
)
def non_interactive(sixteen: int = 16, share: int = 4, least: int = 2, apart: int = 2) -> Outcome:
    """Lemma 5.3.7 with Phi(t) = t^2 and C <= delta^2/p [Lemma 5.3.10], D = delta^2, L = log(2p).

    theta_v and theta_v' are at least sqrt2 delta apart [step "separation"], so that Phi is
    D/2 where the text has D. With D = min{1, p L/(4 n epsilon^2)} the bracket is at least 1/4
    for L >= 2 log 2 [step "bracket"].
    """
    d, n, size, two = reals("D r L log2")
    # delta (e_i - e_j) has two entries, delta and -delta; 2 delta e_i has one
    separation = z3.And(d + d >= apart * d, 4 * d >= apart * d)
    bracket = sixteen * (apart * d / 8) * (size - n * d - two) >= d * size
    return derived(
        separation=for_all(separation, d > 0),
        bracket=for_all(bracket, d > 0, n > 0, two > 0, size >= least * two, share * n * d <= size),
    )


non_interactive.restated(
    "004 (5.71)",
    lines="6397-6399",
    printed="M_n^Nint(theta(P_{1,p,2}), ||.||_2^2, epsilon) >= Omega(min{1, p log p/"
    "(n epsilon^2)})",
    unchecked={
        "M_n, theta": MINIMAX_RISK,
    },
)


def _le_cam(scale: int, cap: str, power: int = 2, of_loss: int = 8, level: Any = None) -> Outcome:
    """Carry D <= n e delta^2/(p scale (1 - delta)) and d_L = delta^power/.. through 1 - sqrt(D/2).

    The level of privacy e is epsilon^2 unless given; n e delta^2/p <= cap and delta <= 1/2, so that
    sqrt(D/2) <= 1/2, the root of the step.
    """
    n, p, epsilon, delta, root = reals("n p epsilon delta root")
    level = epsilon * epsilon if level is None else level
    loss = delta * delta / 2 if power == 2 else delta
    claim = (loss / 2) * (1 - root) * of_loss >= (delta * delta if power == 2 else delta)
    divergence = 2 * root * root * scale * (1 - delta) * p <= n * level * delta * delta
    small = n * level * delta * delta <= rational(cap) * p
    return for_all(
        claim, n >= 1, p >= 1, level > 0, delta > 0, 2 * delta <= 1, root >= 0, divergence, small
    )


def _density_ratio(sign: int = -1) -> Outcome:
    """dP_0/dP_v = 1/(1 + y <x, theta_v>) is at most 1/(1 - delta), compared without quotients."""
    u, delta = reals("u delta")
    return for_all(1 + sign * delta <= 1 + u, u >= -delta, u <= delta, delta > 0, delta < 1)


@statement(
    "004 Proof of Theorem 5.3.2 (divergence)",
    lines="6926-6932",
    kind="lower bound",
    printed="by Lemma 5.3.9 D_kl <= n epsilon^2 delta^2 (1 + delta)/(8p), dP_0/dP_v <= "
    "1/(1 - delta)",
    checked="the step from the lemma, with C_infinity <= delta^2/p",
    false="the lemma gives n epsilon^2 delta^2/(4p) min{e^epsilon, 1/(1 - delta)}, twice as much",
    errata=("004 Proof of Theorem 5.3.2/E1",),
)
def divergence_printed() -> Outcome:
    """delta = epsilon = 1/2, in units of n epsilon^2 delta^2/p: min{e^(1/2), 2} is e^(1/2)."""
    found = exp(ball("0.5")) / 4
    return refuted({"delta": 0.5, "epsilon": 0.5}, found, ball("1.5") / 8, "by the lemma, printed")


@divergence_printed.corrected(
    "n epsilon^2 delta^2/(4p (1 - delta)), at most n epsilon^2 delta^2/(2p) for delta <= 1/2",
    refuses={"n epsilon^2 delta^2/(3p)": {"half": 3}, "for delta <= 2/3": {"largest": "2/3"}},
    unchecked={
        "n, epsilon, p": "n epsilon^2 delta^2/p is a factor of both bounds",
    },
)
def divergence(half: int = 2, largest: str = "1/2") -> Outcome:
    """[Step "ratio"], and 1/(4 (1 - delta)) <= 1/2 [step "number"]."""
    delta = reals("delta")
    return derived(
        ratio=_density_ratio(),
        number=for_all(half <= 4 * (1 - delta), delta > 0, delta <= rational(largest)),
    )


@statement(
    "004 Theorem 5.3.2",
    lines="6403-6405",
    kind="lower bound",
    printed="(5.72): the epsilon sequential private minimax risk of P_{1,p,2} in squared loss is "
    "Omega(min{1, p/(n epsilon^2)}), epsilon in (0, 1/2]",
    checked="at least min{1/4, p/(n epsilon^2)}/8",
    refuses={
        "1/7": {"eighth": 7},
        "p/(n epsilon^2) twice": {"cap": "2"},
        "d_L = delta^2": {"halved": 1},
        "dP_0/dP_v <= 1/(1 + delta)": {"sign": 1},
    },
)
def sequential(eighth: int = 8, cap: str = "1", halved: int = 2, sign: int = -1) -> Outcome:
    """Lemma 5.3.9 with 1 - sqrt(D/2), C <= delta^2/p [Lemma 5.3.10] and dP_0/dP_v [step "ratio"].

    D <= n epsilon^2 delta^2/(4 p (1 - delta)) <= 1/2 at delta^2 = min{1/4, p/(n epsilon^2)}, where
    the text has 1 + delta over 2 for 1/(1 - delta) [step "risk"]; d_L is delta^2/2 [step "loss"].
    """
    t, delta = reals("t delta")
    return derived(
        loss=for_all(halved * (t * t + (t - delta) * (t - delta)) >= delta * delta),
        ratio=_density_ratio(sign),
        risk=_le_cam(4, cap, of_loss=eighth),
    )


sequential.restated(
    "004 (5.72)",
    lines="6405",
    printed="M_n^int(theta(P_{1,p,2}), ||.||_2^2, epsilon) >= Omega(min{1, p/(n epsilon^2)})",
    unchecked={
        "M_n, theta": MINIMAX_RISK,
    },
)


@statement(
    "004 Theorem 5.3.3",
    lines="6417-6423",
    kind="lower bound",
    printed="in the loss |1^T (theta - theta')| it is Omega(min{1, sqrt(p/(n epsilon^2))})",
    checked="at least min{1/2, sqrt(p/(n epsilon^2))}/4",
    refuses={
        "1/3": {"quarter": 3},
        "2 p/(n epsilon^2)": {"cap": "2"},
        "d_L = 2 delta": {"times": 2},
        "p for sqrt(p)": {"dims": 2},
    },
)
def linear_loss(quarter: int = 4, cap: str = "1", times: int = 1, dims: int = 1) -> Outcome:
    """As Theorem 5.3.2 [step "risk"]; 1^T theta_v is +-delta, so d_L = delta [step "loss"].

    n epsilon^2 C is 1 at delta = sqrt(p/(n epsilon^2)), with C = delta^2/p [step "order"].
    """
    t, delta = reals("t delta")
    n, epsilon, p = symbols("n epsilon p")
    claimed = sp.sqrt(p**dims / (n * epsilon**2))
    losses = z3.If(t >= 0, t, -t) + z3.If(t >= delta, t - delta, delta - t)
    return derived(
        loss=for_all(losses >= times * delta, delta > 0),
        ratio=_density_ratio(),
        order=identity((n * epsilon**2 * (claimed**2 / p), sp.Integer(1))),
        risk=_le_cam(4, cap, power=1, of_loss=quarter),
    )


linear_loss.restated(
    "004 (5.73)",
    lines="6423",
    printed="M_n^int(theta(P_{1,p,2}), L, epsilon) >= Omega(min{1, sqrt(p/(n epsilon^2))})",
    unchecked={
        "M_n, theta": MINIMAX_RISK,
        "L": "the loss |1^T (theta - theta')|; the steps have d_L = delta for it",
    },
)


@statement(
    "004 Theorem 5.3.4",
    lines="6443-6449",
    kind="lower bound",
    printed="under (kappa, rho)-LzCDP the risk is Omega(min{1, p/(n (e^(kappa+2rho) - 1))}), under "
    "(2, log(1 + epsilon^2))-LRDP Omega(min{1, p/(n epsilon^2)})",
    checked="at least min{1/4, p/(4 n e^2)}/8 with e^2 = e^(kappa+2rho) - 1 or epsilon^2",
    added="e^(kappa+2rho) <= 2, as Lemma 5.3.11 is for e <= 1; dP/dP_v for its dP_v/dP",
    refuses={
        "1/7": {"eighth": 7},
        "p/(2 n e^2)": {"cap": "1/2"},
        "chi^2 = e^(D_2)": {"less": 0},
        "e^(kappa+rho)": {"order": 1},
    },
)
def concentrated(eighth: int = 8, cap: str = "1/4", less: int = 1, order: int = 2) -> Outcome:
    """chi^2 = sum q (w/q - 1)^2 is e^(D_2) - 1, D_2 = log sum w^2/q [step "divergence"].

    D_2 <= kappa + 2 rho is the definition at alpha = 2 [step "order"], and of (2, log(1 +
    epsilon^2))-LRDP chi^2 <= epsilon^2 [step "Renyi"]. Lemma 5.3.11 and C_2 <= delta^2/p give D <=
    n e^2 delta^2/(p (1 - delta)), at most 1/2 at delta^2 = min{1/4, p/(4 n e^2)} [steps "risk" and
    "risk Renyi"].
    """
    second_order, alpha, kappa, rho = reals("D_2 alpha kappa rho")
    epsilon = symbols("epsilon")
    top = reals("e^(kappa+2rho)")
    w, q = symbols("w q")
    pairs = ((w, q), (1 - w, 1 - q))
    second = sum(a**2 / b for a, b in pairs)  # e^(D_2)
    squared = sum(b * (a / b - 1) ** 2 for a, b in pairs)
    return derived(
        divergence=identity((squared, second - less)),
        order=for_all(
            second_order <= kappa + order * rho,
            *(kappa >= 0, rho > 0, second_order <= kappa + rho * alpha, alpha == 2),
        ),
        Renyi=identity((sp.exp(sp.log(1 + epsilon**2)) - 1, epsilon**2)),
        ratio=_density_ratio(),
        risk=_le_cam(1, cap, of_loss=eighth, level=top - 1),
        risk_Renyi=_le_cam(1, cap, of_loss=eighth),
    )
