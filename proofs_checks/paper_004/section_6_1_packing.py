"""Section 6.1.6: the packings of subspaces and of sparse directions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.balls import ball, exp, log, pi, sqrt
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    exactly,
    for_all,
    identity,
    less,
    precisely,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.matrices.subspaces import sin_theta_squared


@statement(
    "004 Lemma 6.1.2",
    lines="7583, 7601-7605",
    kind="lower bound",
    printed="(c_0/e)^d <= N(Theta, e) <= (c_1/e)^d for e <= e_0 gives, for 0 < alpha <= 1, "
    "m >= (c_0/(alpha c_1))^d points with alpha e <= rho(v_i, v_j) <= 2 e",
    misprint="N counts balls whose union is contained in the set; one that contains it is meant",
    refuses={
        "rho <= 3 e/2": {"width": "3/2"},
        "m >= (2 c_0/(alpha c_1))^d": {"more": 2},
        "m >= (c_0/c_1)^d/alpha": {"power": 1},
    },
)
def local_packing(width: str = "2", more: int = 1, power: int = 0) -> Outcome:
    """A largest set of points at least alpha e apart has no point alpha e from all of it.

    So balls of radius alpha e around it cover, and it has M >= N(alpha e) points. One of the
    N(e) balls of radius e that cover holds m >= M/N(e) of them [step "ball"], by the two bounds
    at least what is claimed [step "count"]; two points of it are 2 e apart at most [step
    "diameter", between = rho(v_i, v_j)].
    """
    size, e, c, top, alpha = symbols("d e c_0 c_1 alpha")
    least = (c / (alpha * e)) ** size / (top / e) ** size
    claimed = (more * c / top) ** size / (alpha if power else alpha**size)
    points, balls, inside = reals("M N m")
    first, second, between, radius = reals("first second between e")
    return derived(
        ball=for_all(inside >= points / balls, balls >= 1, inside * balls >= points),
        count=identity((sp.powsimp(sp.expand_power_base(least / claimed, force=True)), 1)),
        diameter=for_all(
            between <= rational(width) * radius,
            *(first >= 0, second >= 0, between >= 0, first <= radius, second <= radius),
            between <= first + second,
        ),
    )


@statement(
    "004 Lemma 6.1.3",
    lines="7609-7613",
    kind="lower bound",
    printed="(c_0/e)^(k(p-k)) <= N(G_{p,k}, e) <= (c_1/e)^(k(p-k)) for e < sqrt(2 min{k, p-k}) in "
    "||V V^T - U U^T||_F, with absolute constants",
    false="at e = sqrt k the upper bound is below 1 for k = p - k > c_1^2; the radius is to be "
    "measured in units of sqrt(min{k, p-k})",
    errata=("004 Lemma 6.1.3/E1",),
)
def covering_by_less_than_one() -> Outcome:
    """c_1 = 10, k = p - k = 101, e = sqrt k < sqrt(2 k); k > c_1^2 does it for any c_1."""
    k, constant = 101, 10
    bound = exp(ball(k * (202 - k)) * log(ball(constant) / sqrt(ball(k))))
    point = {"k": k, "p": 202, "e": 10.0499, "c_1": constant}
    return refuted(point, ball(1), bound, "least number of balls, and the bound")


@covering_by_less_than_one.corrected(
    "for the radius e sqrt(min{k, p-k}); checked for lines, k = 1, with c_0 = sqrt 2 and c_1 = 9/2 "
    "(for every k: Pajor, 1998), and (c_0/(alpha c_1))^d of Lemma 6.1.2 stays the same",
    refuses={
        "c_0 = 3/2": {"low": "9/4"},
        "c_1 = 22/5": {"high": "22/5"},
        "p for p - 1": {"less_one": 0},
    },
    unchecked={
        "k": "1 in the steps; for other k the lemma is cited",
        "c_1": "9/2 in the steps",
        "alpha, d": "only in Lemma 6.1.2, whose steps have them",
    },
)
def covering_of_lines(low: str = "2", high: str = "9/2", less_one: int = 1) -> Outcome:
    """Two lines at the sine u are sqrt 2 u apart. Let P(x) be the chance of a sine of x or less.

    It is x^(p-1) at most, see Lemma 6.1.11: N P(e/sqrt 2) >= 1 [step "low", squared]. Balls of
    radius e/2 around a largest packing are disjoint, so N P(e/(2 sqrt 2)) <= 1. P(x) is the
    integral of u^(p-2)/sqrt(1 - u^2) up to x over that up to 1, so at least x^(p-1)/f(p), f(p) =
    (p-1) times the latter. f(2) is pi/2, f(3) = 2 <= (pi/2)^2 [step "third"], and f(p+2)/f(p) =
    (p+1)/p [step "ratio"] is at most 3/2 <= (pi/2)^2 [step "growth"]: f(p) <= (pi/2)^(p-1). So
    N <= (2 sqrt 2 (pi/2)/e)^(p-1), and sqrt 2 pi <= c_1 [step "high"]. Chances agree [step "caps"].
    """
    p = sp.Symbol("p", positive=True)

    def total(size: Any) -> Any:  # (size - 1) times the integral up to 1
        root = sp.sqrt(sp.pi)
        return (size - 1) * root * sp.gamma((size - 1) / 2) / (2 * sp.gamma(size / 2))

    root = reals("c_0")

    def caps() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        for size in (2, 3, 8, 40):
            for radius in (mp.mpf("0.05"), mp.mpf("0.5"), mp.mpf("1.4")):
                for apart, sign in ((radius / mp.sqrt(2), 1), (radius / (2 * mp.sqrt(2)), -1)):
                    half = mp.mpf(size - 1) / 2
                    chance = mp.betainc(half, 0.5, 0, apart**2, regularized=True)
                    constant = mp.sqrt(2) if sign > 0 else mp.mpf(9) / 2
                    claimed = (radius / constant) ** (size - less_one)
                    yield {"p": size, "e": float(radius)}, *(chance, claimed)[::sign]

    ratio = sp.gammasimp(sp.expand_func(total(p + 2) / total(p)))
    return derived(
        low=for_all(root * root <= 2, root > 0, root * root <= rational(low)),
        ratio=identity((ratio, (p + 1) / p)),
        third=less(ball(2), pi() ** 2 / 4),
        growth=less(ball(3) / 2, pi() ** 2 / 4),
        high=less(sqrt(ball(2)) * pi(), ball(high)),
        caps=precisely(caps, note="chances of balls"),
    )


@statement(
    "004 (6.8)",
    lines="7707",
    kind="definition",
    printed="A_alpha(J) = [(1-alpha^2)^(1/2) I_d, 0; 0, I_{k-d}; alpha J, 0] maps V_{p-k,d} to "
    "V_{p,k}",
    refuses={"1 - alpha for its root": {"root": "1"}, "alpha^2 J": {"power": 2}},
    unchecked={
        "A_alpha, d, k, V_{p-k,d}, V_{p,k}": "the steps have the products of the columns of A",
    },
)
def embedding(root: str = "1/2", power: int = 1) -> Outcome:
    """A^T A is diag(((1-alpha^2) + alpha^2) I_d, I_{k-d}), as J^T J = I_d.

    Columns i, j <= d of A have the product (1-alpha^2) q + alpha^2 <J_i, J_j>, which is q = <J_i,
    J_j>, 1 or 0. For d = 1, k = 2 and p = 5 A is formed.
    """
    alpha, t, s = symbols("alpha t s")
    j = [sp.cos(t) * sp.cos(s), sp.cos(t) * sp.sin(s), sp.sin(t)]
    first = [(1 - alpha**2) ** sp.Rational(root), 0, *(alpha**power * x for x in j)]
    a = sp.Matrix([first, [0, 1, 0, 0, 0]]).T
    gram = a.T * a
    q = sp.Symbol("<J_i,J_j>")
    columns = (1 - alpha**2) ** (2 * sp.Rational(root)) * q + alpha ** (2 * power) * q
    return definition(
        identity((sp.expand(columns), q)),
        identity((gram[0, 0], 1), (gram[1, 1], 1), (gram[0, 1], 0)),
    )


@statement(
    "004 Lemma 6.1.8",
    lines="7705-7711",
    kind="lower bound",
    printed="alpha^2 (1-alpha^2) ||J_1 - J_2||_F^2 <= ||sin Theta(A_alpha(J_1), A_alpha(J_2))||_F^2"
    " <= alpha^2 ||J_1 - J_2||_F^2",
    refuses={
        "1.01 alpha^2 (1-alpha^2)": {"low": "101/100"},
        ".99 alpha^2": {"high": "99/100"},
        "alpha^2 below": {"power": 0},
    },
)
def embedded_distance(
    rng: np.random.Generator, low: str = "1", high: str = "1", power: int = 1
) -> Outcome:
    """A(J_1)^T A(J_2) is diag((1-alpha^2) I + alpha^2 M, I), M = J_1^T J_2.

    So ||sin||^2 = d - ||(1-alpha^2) I + alpha^2 M||_F^2, where q = ||J_1 - J_2||^2 = 2 d - 2 tr M.
    It is alpha^2 (1-alpha^2) q + alpha^4 (d - ||M||^2) [step "exact"]: ||M||_F^2 is at most d, as
    no singular value exceeds 1 [step "below"], and ||M - I||^2 >= 0 [step "above"]. The subspaces
    of the code agree with it [step "code"].
    """
    alpha, d, trace, square = symbols("alpha d tr_M square")
    a, b = 1 - alpha**2, alpha**2
    exact = d - (a**2 * d + 2 * a * b * trace + b**2 * square)
    z, size, t, m, q, sine = reals("alpha^2 d tr_M square q sine")
    given = (z > 0, z < 1, size >= 1, m >= 0, q >= 0, q == 2 * size - 2 * t)
    value = sine == z * (1 - z) * q + z * z * (size - m)
    worst = 0.0
    for _ in range(40):
        p, k = int(rng.integers(5, 9)), 2
        width, rank = float(rng.uniform(0, 1)), int(rng.integers(1, k + 1))
        points = [np.linalg.qr(rng.standard_normal((p - k, rank)))[0] for _ in range(2)]
        found = sin_theta_squared(*(_embedded(j, k, width) for j in points))
        product = points[0].T @ points[1]
        distance = float(np.linalg.norm(points[0] - points[1]) ** 2)
        rest = rank - float(np.linalg.norm(product) ** 2)
        worst = max(worst, abs(found - width**2 * (1 - width**2) * distance - width**4 * rest))
    return derived(
        exact=identity(
            (exact, alpha**2 * (1 - alpha**2) * (2 * d - 2 * trace) + alpha**4 * (d - square))
        ),
        below=for_all(
            sine >= rational(low) * z * (1 - z if power else 1) * q, *given, m <= size, value
        ),
        above=for_all(
            sine <= rational(high) * z * q, *given, m - 2 * t + size >= 0, m <= size, value
        ),
        code=searched(worst, 1e-12, tried=40, what="difference from the subspaces of the code"),
    )


def _embedded(j: np.ndarray[Any, Any], k: int, alpha: float) -> np.ndarray[Any, Any]:
    """A_alpha(J) of (6.8)."""
    rows, d = j.shape
    found = np.zeros((k + rows, k))
    found[:k, :k] = np.eye(k)
    found[:d, :d] *= np.sqrt(1 - alpha**2)
    found[k:, :d] = alpha * j
    return found


@statement(
    "004 Lemma 6.1.10",
    lines="7725-7729",
    kind="lower bound",
    printed="for m >= e and s in [1, m] some J_1, .., J_N in V_{m,1} have at most s non-zero "
    "entries, ||J_i - J_j||^2 >= 1/4 and log N >= max{c s (1 + log(m/s)), log m}, c >= 1/30",
    checked="c = 1/8",
    added="s is an integer",
    refuses={
        "c = 1/7": {"share": "1/7"},
        "||J_i - J_j||^2 >= 1/2": {"apart": "1/4"},
        "log N >= s (1 + log m)/8": {"logarithm": 10**6},
    },
    unchecked={
        "J_1, J_N, V_{m,1}": "the steps have words, each of which is such a point times sqrt s",
        "N": "the steps bound log N/s from below, by (7/8) log Q - h",
        "30": "the steps have c = 1/8, which is more than 1/30",
    },
)
def sparse_packing(share: str = "1/8", apart: str = "1/8", logarithm: int = 2) -> Outcome:
    """The m unit vectors are sqrt 2 apart; for the other bound take words.

    Cut s q of the m coordinates into s blocks of q = floor(m/s), and put +-1/sqrt s into one
    coordinate of each: words of length s over Q = 2 q >= max{2, m/s} letters [step "letters"]. Two
    that differ in H places are 2 H/s apart in squares, or more. Take a largest set that differs in
    s/8 places or more: balls of fewer cover, so N V >= Q^s with V the sum of C(s, j) (Q-1)^j for
    j < s/8, at most exp(s h) Q^(s/8), h the entropy of 1/8 (Chernoff) [step "balls", in
    integers]. So log N/s >= (7/8) log Q - h, and that is at least c (1 + log(m/s)): at
    log(m/s) = log 2, where Q is 2 [step "corner"], and beyond by the slopes [step "beyond"]. Of
    both bounds the larger is taken.
    """
    eta = Fraction(apart)
    part = ball(eta)
    entropy = -part * log(part) - (1 - part) * log(1 - part)
    slack = (1 - part) * log(ball(2)) - entropy
    ratio, floor = reals("m/s floor")
    x, low, h, c = reals("log(m/s) log_2 h c")

    def volumes() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        for s in range(1, 33):
            for letters in (2, 4, 10):
                reach = [j for j in range(s + 1) if Fraction(j, s) < eta]
                volume = sum(int(sp.binomial(s, j)) * (letters - 1) ** j for j in reach)
                # exp(h s) = (eta^-eta (1-eta)^-(1-eta))^s, in powers of the denominator
                a, b = eta.numerator, eta.denominator
                bound = Fraction(b**b, a**a * (b - a) ** (b - a)) ** s * letters ** (a * s)
                yield {"s": s, "Q": letters}, Fraction(volume) ** b, bound

    least = ball(share) * (1 + log(ball(logarithm)))  # of 10^6, were it log m, at m = s = 10^6
    return derived(
        letters=for_all(2 * floor >= ratio, ratio >= 1, floor >= 1, floor > ratio - 1),
        balls=exactly(volumes(), note="words of length 1 to 32, 2 to 10 letters"),
        corner=less(least, slack),
        beyond=for_all(
            (1 - rational(apart)) * x - h >= c * (1 + x),
            *(x >= low, low > 0, (1 - rational(apart)) * low - h >= c * (1 + low)),
            *(c > 0, c <= rational(share), h > 0),
        ),
    )
