"""Section 5.3.7: the lemmas on thresholding, projection and Le Cam's method, and the constants."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mpmath import mp

from proofs_checks.balls import ball, exp
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    refuted,
    symbols,
)


@statement(
    "004 l.6767",
    lines="6767",
    kind="concentration",
    printed="X_1, .., X_n sub-Gaussian with sigma^2: a_1 X_1 + .. + a_n X_n is so with "
    "(sum a_i^2) sigma^2",
    false="for independent X_i only",
    errata=("004 l.6767/E1",),
)
def sum_of_equal_signs() -> Outcome:
    """X_1 = X_2 a fair sign, sigma = a_1 = a_2 = s = 1: E e^(2 X_1) = cosh 2 against e."""
    two = exp(ball(2))
    point = {"X_1 = X_2": "+-1", "a": [1, 1], "s": 1}
    return refuted(point, (two + 1 / two) / 2, exp(ball(1)), "E e^(s sum) and its bound")


@sum_of_equal_signs.corrected(
    "for independent X_i",
    refuses={"sum a_i": {"power": 1}, "(sum a_i^2) sigma": {"scale": 1}},
    unchecked={
        "X_i": "the steps have the exponents that bound E e^(s a_i X_i)",
    },
)
def sum_of_independent(power: int = 2, scale: int = 2) -> Outcome:
    """The generating functions are multiplied: exponents add up, here of two."""
    s, sigma, a, b = symbols("s sigma a b")
    exponents = (a * s) ** 2 * sigma**2 / 2 + (b * s) ** 2 * sigma**2 / 2
    return derived(exponents=identity((exponents, (a**power + b**power) * sigma**scale * s**2 / 2)))


@statement(
    "004 l.6769",
    lines="6769",
    kind="concentration",
    printed="x uniform on {1, -1}^d is sub-Gaussian with 1",
    refuses={"with 1/2": {"share": "1/2"}, "with 9/10": {"share": "9/10"}},
    unchecked={
        "x, d": "E e^(s <u, x>) is a product over d coordinates; the steps have one of them",
    },
)
def signs_are_sub_gaussian(share: str = "1") -> Outcome:
    """E e^(s <u, x>) is a product of cosh(s u_j), and log cosh t <= c t^2/2, c = share.

    c t^2/2 - log cosh t and its slope c t - tanh t [step "slope"] are 0 at t = 0, and the slope of
    that [step "second"] is at least 0 [step "curvature"]. The exponents add up to s^2 ||u||^2/2.
    """
    t = symbols("t")
    c, tanh = reals("c tanh")
    excess = sp.Rational(share) * t**2 / 2 - sp.log(sp.cosh(t))
    slope = sp.Rational(share) * t - sp.tanh(t)
    return derived(
        slope=identity((sp.diff(excess, t), slope)),
        second=identity((sp.diff(slope, t), sp.Rational(share) - 1 + sp.tanh(t) ** 2)),
        curvature=for_all(c - 1 + tanh * tanh >= 0, c == rational(share), tanh >= 0, tanh < 1),
    )


@statement(
    "004 Lemma 5.3.2",
    lines="6771-6773",
    kind="concentration",
    printed="P(max_i X_i >= t) <= n e^(-t^2/(2 sigma^2)), and with 2n for max_i |X_i|",
    checked="for every sub-Gaussian X_i, t >= 0; normal ones besides",
    refuses={
        "n/3": {"share": 3},
        "e^(-t^2/sigma^2)": {"half": 1},
        "n for max |X_i|": {"sides": 1},
        "1 for n": {"factor": 0},
    },
    unchecked={
        "X_i": "any sub-Gaussian ones; the steps have their tails",
    },
)
def union_bound(share: int = 1, half: int = 2, sides: int = 2, factor: int = 1) -> Outcome:
    """P(X >= t) <= e^(sigma^2 s^2/2 - s t), at s = t/sigma^2 [step "exponent"].

    One more X_i, or -X_i, adds that at most [steps "union", "sides"], whether independent or not.
    """
    t, sigma = symbols("t sigma")
    at = t / sigma**2
    exponent = sigma**2 * at**2 / 2 - at * t
    n, before, one, other, bound = reals("n before one other bound")
    return derived(
        exponent=identity((exponent, -(t**2) / (half * sigma**2))),
        union=for_all(
            share * (before + one) <= (n + 1) ** factor * bound,
            *(n >= 1, bound > 0, before >= 0, before <= n**factor * bound, one <= bound),
        ),
        sides=for_all(one + other <= sides * bound, one <= bound, other <= bound, bound > 0),
        normal=precisely(lambda: _maxima(share, half), note="P(max >= t) over the bound"),
    )


def _maxima(share: int, half: int) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """Yield P(max X_i >= t) and P(max |X_i| >= t) for standard normal X_i, with their bounds."""
    for n, t in itertools.product((1, 2, 10, 1000), ("0", "0.5", "1", "2", "5")):
        level = mp.mpf(t)
        tail = mp.erfc(level / mp.sqrt(2)) / 2
        bound = n * mp.exp(-(level**2) / half) / share
        yield {"n": n, "t": float(level)}, 1 - (1 - tail) ** n, bound
        yield {"n": n, "t": float(level), "sides": 2}, 1 - (1 - 2 * tail) ** n, 2 * bound


@statement(
    "004 Lemma 5.3.3",
    lines="6775",
    kind="approximation",
    printed="||Trunc(theta, s) - theta||_2 <= (k-s)/(k-s*) ||theta* - theta||_2^2 for theta in R^k "
    "and ||theta*||_0 <= s*",
    false="misprint: the left side is to be squared as well",
    errata=("diss-5.3.43/E3",),
)
def truncation_unsquared() -> Outcome:
    """theta = (.1, .1, .1, .1), s = 2, theta* = (.1, 0, 0, 0): compared in squares."""
    left, right = 2 * Fraction(1, 100), (Fraction(2, 3) * 3 * Fraction(1, 100)) ** 2
    return refuted({"k": 4, "s": 2, "s*": 1, "theta": 0.1}, left, right, "squares of both sides")


@truncation_unsquared.corrected(
    "||Trunc(theta, s) - theta||^2 <= (k-s)/(k-s*) ||theta* - theta||^2, s* <= s < k",
    refuses={
        "(k-s-1)/(k-s*)": {"fewer": 1},
        "(k-s)/(k-s*+1)": {"more": 1},
        "the s smallest are kept": {"largest": False},
    },
)
def truncation(fewer: int = 0, more: int = 0, largest: bool = True) -> Outcome:
    """Trunc drops the k - s smallest squares, of sum A; all others are at least b.

    b is the largest of those dropped, so A <= (k - s) b. theta* misses at least k - s* entries, the
    least sum of squares that it can miss is A + R, R the s - s* smallest squares that are kept, so
    R >= (s - s*) b. Hence (k - s*) A <= (k - s)(A + R), for u = k - s and w = s - s*.
    """
    u, w, dropped, kept, b = reals("u w A R b")
    order = (dropped <= u * b, kept >= w * b) if largest else (dropped >= u * b, kept <= w * b)
    claim = (u + w + more) * dropped <= (u - fewer) * (dropped + kept)
    given = (u >= 1, w >= 0, b >= 0, dropped >= 0, kept >= 0, *order)
    return derived(averages=for_all(claim, *given))


@statement(
    "004 Lemma 5.3.4",
    lines="6777-6781",
    kind="approximation",
    printed="||P_K(v) - u|| <= ||v - u|| for u in a convex body K",
    refuses={
        "without the obtuse angle": {"angle": False},
        "||v - u||/2": {"half": 4},
    },
    unchecked={
        "K, u": "the steps have the norms, and <v - P, P - u> >= 0 as K is convex",
    },
)
def projection(angle: bool = True, half: int = 1) -> Outcome:
    """||v - u||^2 = ||v - P||^2 + 2 <v - P, P - u> + ||P - u||^2, and <v - P, P - u> >= 0.

    The latter as P + t (u - P) is in K for t in [0, 1] and no closer to v than P.
    """
    away, inner, near = reals("away inner near")
    obtuse = (inner >= 0,) if angle else ()
    return derived(
        angle=for_all(half * near <= away + 2 * inner + near, away >= 0, near >= 0, *obtuse)
    )


@statement(
    "004 Lemma 5.3.9",
    lines="6827-6845",
    kind="lower bound",
    printed="the epsilon sequential private minimax risk is at least min_v d_L(P_0, P_v)/2 "
    "(1 - sqrt(D_kl(M_0^n || M^n))/2), epsilon in (0, 1/2]",
    false="misprint: Pinsker's inequality gives 1 - sqrt(D_kl/2)",
    errata=("004 Lemma 5.3.9/E1",),
)
def le_cam_printed() -> Outcome:
    """n = 1, P_0 and P_1 point masses, 0-1 loss (d_L = 1), randomized response, epsilon = 1/2.

    D_kl = (2 pi - 1) epsilon with pi = e^epsilon/(1 + e^epsilon); its answer errs with 1 - pi.
    """
    odds = exp(ball("0.5"))
    divergence = (odds - 1) / (odds + 1) / 2
    claimed = (1 - divergence.sqrt() / 2) / 2
    return refuted({"epsilon": 0.5, "n": 1}, claimed, 1 / (1 + odds), "risk claimed and attained")


@le_cam_printed.corrected(
    "min_v d_L/2 (1 - sqrt(D_kl/2)); the bound of D_kl is cited",
    refuses={
        "sqrt(D_kl)/2": {"half": "4"},
        "sqrt(D_kl/3)": {"half": "3"},
        "d_L for d_L/2": {"halves": 1},
    },
    unchecked={
        "D_kl": "of two outcomes it is p log(p/q) + (1 - p) log((1 - p)/(1 - q)) in the steps",
    },
)
def le_cam(half: str = "2", halves: int = 2) -> Outcome:
    """The two laws are told apart with errors that add up to 1 - TV at least; TV^2 <= D_kl/2.

    On an event with TV = p - q the divergence is no smaller than that of its two outcomes: merging
    two with the masses a, c under one law and b, d under the other takes b phi(a/b) + d phi(c/d) to
    (b + d) phi((a + c)/(b + d)), phi(x) = x log x, which is convex [step "merged"]. There D -
    2 (p - q)^2 is 0 at q = p, and its derivative in q [step "slope"] has the sign of q - p [step
    "sign"].

    The losses of one answer under the two laws add up to d_L at least, so that an outcome of masses
    p and q adds d_L min{p, q} at least to the sum of the two risks [step "losses"].
    """
    first, other, loss, own, distance = reals("p q loss_0 loss_v d_L")
    common = z3.If(first <= other, first, other)
    p, q, x = symbols("p q x")
    divergence = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q))
    excess = divergence - sp.Rational(half) * (p - q) ** 2
    slope = (q - p) * (1 / (q * (1 - q)) - 2 * sp.Rational(half))
    r = reals("q")
    return derived(
        merged=identity((sp.diff(x * sp.log(x), x, 2), 1 / x)),
        slope=identity((sp.diff(excess, q), slope)),
        sign=for_all(2 * rational(half) * r * (1 - r) <= 1, r > 0, r < 1),
        losses=for_all(
            halves * (first * loss + other * own) / 2 >= distance * common,
            *(first >= 0, other >= 0, loss >= 0, own >= 0, distance > 0, loss + own >= distance),
        ),
    )


@statement(
    "004 Proof of Theorem 5.3.4 (C_2)",
    lines="6972",
    kind="lower bound",
    printed="E gamma(X, 1)^2 <= 1 for every gamma with ||gamma||_{L^2(P_0)} <= 1, so that C_2 <= "
    "delta^2/p",
    false="it can be 2; C_2 <= delta^2/p holds all the same",
    errata=("004 Proof of Theorem 5.3.4/E1",),
)
def one_side_of_gamma() -> Outcome:
    """gamma(x, y) = sqrt2 where y = 1 and 0 where y = -1: norm 1, with weight 1/2 on each y."""
    return refuted({"gamma(x, 1)^2": 2, "gamma(x, -1)": 0}, 2, 1, "E gamma(X, 1)^2")


@one_side_of_gamma.corrected(
    "C_2 <= delta^2/p as {y x_j} is orthonormal in L^2(P_0) (Bessel's inequality)",
    refuses={"norm sqrt2": {"share": 2}},
    unchecked={
        "C_2, delta, L": "Bessel's inequality is cited; the steps have the inner products",
        "p": "each p <= 4 is tried; no inner product depends on p",
    },
)
def orthonormal(share: int = 1) -> Outcome:
    """Every inner product of two of y x_1, ..., y x_p, for p <= 4."""
    return exactly(_inner_products(share), "=", note="inner products of the y x_j")


def _inner_products(share: int) -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
    for p in range(1, 5):
        points = list(itertools.product((-1, 1), repeat=p + 1))
        columns = [[point[p] * point[j] for point in points] for j in range(p)]
        for i, j in itertools.product(range(p), range(p)):
            inner = sum(a * b for a, b in zip(columns[i], columns[j], strict=True))
            value = Fraction(share * inner, len(points))
            yield {"p": p, "i": i, "j": j}, value, Fraction(i == j)


@statement(
    "004 Proof of Theorem 5.3.10 (scaling)",
    lines="7207-7213",
    kind="lower bound",
    printed="theta_v = sqrt(2/delta) v for v in H(s), with delta^2 <= ||theta_v - theta_v'||^2 <= "
    "8 delta^2 and ||theta_v|| <= 1",
    false="misprint: delta sqrt(2/s); sqrt(2/delta) v has the squared norm 2 s/delta",
    errata=("004 Proof of Theorem 5.3.10/E1",),
)
def packing_printed() -> Outcome:
    return refuted({"s": 4, "delta": 0.5}, Fraction(2 * 4 * 2), 1, "||theta_v||^2")


@packing_printed.corrected(
    "theta_v = delta sqrt(2/s) v, delta <= 1/sqrt2, with norm and distances as printed",
    refuses={
        "delta sqrt(1/(2s))": {"two": "1/2"},
        "7 delta^2": {"eight": 7},
        "delta sqrt(3/s)": {"two": "3"},
    },
)
def packing(two: str = "2", eight: int = 8) -> Outcome:
    """||v||^2 = s, so that ||theta_v||^2 <= 1 [step "norm"].

    h of 2s entries differ, h >= s/2, by 1 each, or by 2 in at most s places: ||v - v'||^2 is at
    least h and, by the triangle inequality, at most 4 s [step "apart"].
    """
    s, delta, squared, size, length = reals("s delta squared ||v||^2 ||theta_v||^2")
    weight = rational(two) * delta * delta
    close, far = 2 * squared >= s, squared <= 4 * s
    given = (s >= 1, delta > 0, 2 * delta * delta <= 1)
    return derived(
        norm=for_all(length <= 1, *given, size == s, length * s == weight * size),
        apart=for_all(
            z3.And(weight * squared >= delta * delta * s, weight * squared <= eight * s * delta**2),
            *given,
            close,
            far,
        ),
    )
