"""Section 5.1.4: convex losses of a margin, f(y <w, x>).

u = 1/2 - x, r = sqrt(u^2 + beta^2) and f_beta = (u + r)/2; L = log(1.25/delta); d is the degree of
the polynomial, s^2 = 8 L d^2 (d+1)^2/epsilon^2 and s_0^2 = 32 L/epsilon^2 the noise; a = f'(-1),
b = f'(1) in Lemma 5.1.9.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import comb
from typing import Any

from proofs_checks.balls import Ball, ball, exp, log, sqrt
from proofs_checks.basics import gaussian_at_small_epsilon, gaussian_delta
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1_3 import same_powers
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    exactly,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.1.33", "diss-5.1.34"))

not_checkable(
    "004 Section 5.1.4, Assumption 2",
    lines="4983",
    kind="assumption",
    printed="||x_i||_2 <= 1, |y_i| <= 1, ||C||_2 <= 1; l(w; x, y) = f(y <w, x>), f convex and "
    "1-Lipschitz",
    reason="notation",
)

# ------------------------------------------------------------------------------- smoothing


def _third_derivative(constant: str = "0.43") -> Outcome:
    """3 |u|/(2 (1 + u^2)^(5/2)) <= constant, that is |f_beta'''| at beta = 1, by squares."""
    u, r = symbols("u beta")
    root = sp.sqrt(u**2 + r**2)
    v, c = reals("v"), rational(constant)
    return every(
        identity((sp.diff((u + root) / 2, u, 3), -3 * r**2 * u / (2 * root**5))),
        identity(((3 * r**2 * u / (2 * root**5)).subs(u, u * r) * r**2,
                  3 * u / (2 * sp.sqrt(u**2 + 1) ** 5))),
        for_all(9 * v * v <= 4 * c * c * (1 + v * v) ** 5),
    )  # fmt: skip


@statement(
    "004 Lemma 5.1.8",
    lines="5001-5006, 5369-5375",
    kind="approximation",
    printed="|f_beta - f| <= beta/2; f_beta is 1-Lipschitz; 1/beta-smooth and convex; f_beta' is "
    "(2, O(1/beta^2))-smooth if beta <= 1",
    checked="item 3 with 1/(2 beta), item 4 with .43/beta^2, the largest of 1, 1/(2 beta) and it "
    "being at most 1/beta^2",
    refuses={
        "0.49 beta": {"gap": "0.49"},
        "0.99-Lipschitz": {"slope": "0.99"},
        "0.49/beta": {"curvature": "0.49"},
        "0.42/beta^2": {"third": "0.42"},
        "beta <= 2 in item 4": {"largest": 2},
    },
    unchecked={
        "f_beta'": "the steps have the derivatives of smooth, to the third",
    },
)
def smoothed_hinge(
    gap: str = "1/2",
    slope: str = "1",
    curvature: str = "1/2",
    third: str = "0.43",
    largest: int = 1,
) -> Outcome:
    """Differentiate by u = 1/2 - x, of which signs do not matter [step "derivatives"].

    Here smooth = f_beta.

    (r - |u|)/2 <= beta/2 [step "gap"], (1 + u/r)/2 is in [0, 1] [step "slope"], beta^2/(2 r^3)
    is in [0, 1/(2 beta)] as r >= beta [step "curvature"], and so on [steps "third", "order"].
    """
    u, beta = symbols("u beta")
    root = sp.sqrt(u**2 + beta**2)
    smooth = (u + root) / 2
    x, b, r = reals("u beta r")
    given = (b > 0, r > 0, r * r == x * x + b * b)
    return derived(
        derivatives=identity(
            (sp.diff(smooth, u), (1 + u / root) / 2),
            (sp.diff(smooth, u, 2), beta**2 / (2 * root**3)),
        ),
        gap=for_all((r - z3.Abs(x)) / 2 <= rational(gap) * b, *given),
        slope=for_all(z3.And(r + x >= 0, (r + x) / 2 <= rational(slope) * r), *given),
        curvature=for_all(
            z3.And(b * b >= 0, b**3 / 2 <= rational(curvature) * r**3), *(b > 0, r >= b)
        ),
        third=_third_derivative(third),
        order=for_all(z3.And(b * b <= 1, b / 2 <= 1), b > 0, b <= largest),
    )


def smoothed_slope(x: Ball, beta: Ball) -> Ball:
    """Enclose f_beta'(x)."""
    away = x - ball("1/2")
    return (away / sqrt(away * away + beta * beta) - 1) / 2


@statement(
    "004 Theorem 5.1.7",
    lines="5010-5014, 5052, 5377-5427",
    kind="utility",
    printed="G(w_t, i) is an (alpha/2, 1/beta, O(d^3d C^d sqrt p/epsilon^(2d+2) + alpha + 1)) "
    "oracle of L_beta, where |P_d - f_beta'| <= alpha/4 on [-1, 1]",
    false="P_d approximates on [0, 1] only; and a factor has a variance of order d^8/epsilon^4",
    errata=("diss-5.1.33/E2", "diss-5.1.33/E3"),
)
def off_the_interval() -> Outcome:
    """beta = 1/4, alpha = .8, d = 2/(beta^2 alpha) = 40: P_d at -1."""
    d, beta = 40, ball("1/4")
    at, value = ball(-1), ball(0)
    for j in range(d + 1):
        value += smoothed_slope(ball(j) / d, beta) * comb(d, j) * at**j * (1 - at) ** (d - j)
    point = {"beta": 0.25, "alpha": 0.8, "d": d, "x": -1.0}
    return refuted(point, abs(value - smoothed_slope(at, beta)), ball("0.2"), "error, alpha/4")


@off_the_interval.corrected(
    "with (1+x)/2 for x and d >= .86/(beta^2 alpha), for gamma = alpha/2; sigma as in the proof, "
    "corrected",
    refuses={
        "d >= .85/(beta^2 alpha)": {"degree": "0.85"},
        "gamma = alpha/4": {"gamma": "1/4"},
        "d^(3d) in sigma": {"power": 6},
    },
    unchecked={
        "gamma": "e width in the step of its name",
        "sigma": "the root of the variance, of which the steps have the order",
    },
)
def on_the_interval(degree: str = "0.86", gamma: str = "1/2", power: int = 8) -> Outcome:
    """Lemma 5.1.2 at h = 1 for f_beta'(x), x = 2t - 1.

    Its second derivative is 4 times the third of f_beta, which is at most .4294/beta^2 [steps
    "third", "chain"], so that the error is at most .2147/(beta^2 d), a quarter of .8588/(beta^2 d)
    [step "degree"], e <= alpha/4 in norm. With f_o = L_beta - max <e, v-w> both sides of Definition
    5.1.9 hold for a gamma of ||e|| times the diameter 2 [step "gamma"]. The variance is that of
    :func:`variance_of_products` [step "sigma"].
    """
    u, t, beta = symbols("u t beta")
    root = sp.sqrt((sp.Rational(1, 2) - u) ** 2 + beta**2)
    slope = sp.diff((sp.Rational(1, 2) - u + root) / 2, u)
    e, alpha, width = reals("e alpha width")
    return derived(
        third=_third_derivative("0.4294"),
        chain=identity(
            (sp.diff(slope.subs(u, 2 * t - 1), t, 2), 4 * sp.diff(slope, u, 2).subs(u, 2 * t - 1))
        ),
        degree=less(2 * ball("0.4294"), ball(degree)),
        gamma=for_all(
            e * width <= rational(gamma) * alpha, *(e >= 0, 4 * e <= alpha, width >= 0, width <= 2)
        ),
        sigma=variance_of_products(power),
    )


@statement(
    "004 Proof of Theorem 5.1.7",
    lines="5405",
    kind="utility",
    printed="Var(G(w_t, i) | i) <= O(d d^d (C_3 d(d+1)/epsilon^2)^(2d) p/epsilon^4) = "
    "O~(d^(6d) C^d p/epsilon^(4d+4))",
    false="y_k <w, x_k> has a variance of order d^8/epsilon^4, not its root",
    errata=("diss-5.1.33/E3",),
)
def variance_as_printed() -> Outcome:
    """x = 0 and y = 0: the terms for different j have no correlation.

    That for j = 0 is c_0^2 (1 + s^4 ||w||^2)^d s_0^4 p, c_0^2 >= 1/4. Logarithms, at ||w|| = 1, p =
    1, epsilon = 1, delta = 1e-5, d = 1000 and C = 1e9; a larger C fails at a larger d.
    """
    d, size = ball(1000), log(ball("1.25") * 10**5)
    left = log(ball("1/4")) + 2 * d * log(8 * size * d * d * (d + 1) * (d + 1)) + 2 * log(32 * size)
    point = {"d": 1000, "epsilon": 1.0, "delta": 1e-5, "C": 1e9, "p": 1}
    return refuted(point, left, 6 * d * log(d) + d * log(ball(10**9)), "logarithms")


def variance_of_products(
    power: int = 8, epsilon_power: int = 4, dimension: int = 1, slot: int = 4
) -> Outcome:
    """Bound the second moments of products of d factors, and that of y_0 x_0 in slot 0.

    The latter is (y^2 + s2)(||x||^2 + p s2) <= 4 p s2^2 [step "slot"], s2 = 32 L/epsilon^2 [step
    "slot order"].
    """
    y, s, inner, size = symbols("y s m w")
    d, epsilon, ell = symbols("d epsilon L")
    a, b, big, bound, entries = reals("a b s2 w2 p")
    g = symbols("g", real=True)
    density = sp.exp(-(g**2) / 2) / sp.sqrt(2 * sp.pi)

    def second(mean: Any, deviation: Any) -> Any:
        return sp.integrate(sp.expand((mean + deviation * g) ** 2) * density, (g, -sp.oo, sp.oo))

    noise = 8 * ell * d**4 / epsilon**2
    claimed = (64 * ell**2) ** d * d ** (power * d) / epsilon ** (epsilon_power * d)
    return derived(
        factor=identity(
            (second(y, s) * second(inner, s * size), (y**2 + s**2) * (inner**2 + s**2 * size**2))
        ),
        large=for_all(
            (a + big) * (b + big * bound) <= 4 * big * big,
            *(a >= 0, a <= 1, b >= 0, b <= 1, bound >= 0, bound <= 1, big >= 1),
        ),
        order=same_powers(noise ** (2 * d), claimed),
        slot=for_all(
            (a + big) * (b + entries * big) <= 4 * entries**dimension * big * big,
            *(a >= 0, a <= 1, b >= 0, b <= 1, entries >= 1, big >= 1),
        ),
        slot_order=identity(((32 * ell / epsilon**2) ** 2, 1024 * ell**2 / epsilon**slot)),
    )


@variance_as_printed.corrected(
    "d^(8d) C^d p/epsilon^(4d+4)",
    refuses={
        "d^(6d)": {"power": 6},
        "epsilon^(2d+4)": {"epsilon_power": 2},
        "epsilon^(4d+2)": {"slot": 2},
        "without p": {"dimension": 0},
    },
    unchecked={
        "C": "64 L^2 in the step of the order",
    },
)
def variance_repaired(
    power: int = 8, epsilon_power: int = 4, dimension: int = 1, slot: int = 4
) -> Outcome:
    """Each factor y_k <w, x_k> has the second moment (y^2 + s^2)(<w,x>^2 + s^2 ||w||^2).

    [Step "factor".] That is at most 4 s^4 for s >= 1 [step "large"], and (s^4)^d is of this order
    [step "order"], as (d+1)^(4d) is at most e^4 d^(4d). C(d, j)^2 <= 4^d, and d + 1 terms have a
    square of at most d + 1 times the sum of theirs; slot 0 gives p/epsilon^4 [steps "slot", "slot
    order"].
    """
    return variance_of_products(power, epsilon_power, dimension, slot)


# --------------------------------------------------------------------------- Theorem 5.1.8


@statement(
    "004 Theorem 5.1.8 (privacy)",
    lines="5056, 5429-5431",
    kind="privacy",
    printed="Algorithm 5.1.33 is (epsilon, delta)-LDP for every epsilon > 0 and 0 < delta < 1",
    false="not for large epsilon; the proof, by basic composition, gives (3 epsilon, "
    "2(d^2+d+1) delta)",
    errata=("diss-5.1.33/E1",),
)
def hinge_at_large_epsilon() -> Outcome:
    """d = 2, delta = 1e-6, epsilon = 16: the exact delta of all releases together."""
    epsilon, size = ball(16), log(ball("1.25") * 10**6)
    mu = epsilon * sqrt((ball("1/4") + ball("1/6")) / size)
    point = {"d": 2, "delta": 1e-6, "epsilon": 16.0}
    return refuted(point, gaussian_delta(mu, epsilon), ball("0.000001"), "exact delta")


@hinge_at_large_epsilon.corrected(
    "for epsilon <= 2 and d >= 2",
    refuses={
        "d >= 1": {"fewest": 1},
        "8 L/epsilon^2 for slot 0": {"slot": 8},
        "d (d+1) for its square": {"power": 1},
        "epsilon <= 16": {"largest": 16},
    },
)
def hinge_privacy(fewest: int = 2, slot: int = 32, power: int = 2, largest: int = 2) -> Outcome:
    """Releases of x and y, each moved by 2 at most: mu^2 = 8/s_0^2 + 8 d(d+1)/s^2 [step "mu"].

    That is (1/4 + 1/(d(d+1))) epsilon^2/L, at most epsilon^2/(2L) for d >= 2 [step "half"], the mu
    of one release by the classical rule [step "rule"]; its delta increases with mu.
    """
    return hinge_noise(fewest, slot, power, largest)


def hinge_noise(fewest: int = 2, slot: int = 32, power: int = 2, largest: int = 2) -> Outcome:
    """Bound mu of the releases of Algorithms 5.1.33 and 5.1.34 by that of the classical rule."""
    d, ell, epsilon = symbols("d L epsilon")
    first, others = slot * ell / epsilon**2, 8 * ell * (d * (d + 1)) ** power / epsilon**2
    square = 8 / first + 8 * d * (d + 1) / others
    count = reals("d")
    return derived(
        mu=identity((square, (sp.Rational(1, 4) + 1 / (d * (d + 1))) * epsilon**2 / ell)),
        half=for_all(count * (count + 1) >= 4, count >= fewest),
        rule=gaussian_at_small_epsilon(largest=largest),
    )


@statement(
    "004 Theorem 5.1.8",
    lines="5056-5066, 5433-5443",
    kind="utility",
    printed="beta = alpha/4, d = 2/(beta^2 alpha), n = O~(d^(6d) C^d p/(epsilon^(4d+4) alpha^2)): "
    "E L(w_n) - min L <= alpha",
    false="the sigma of the oracle is of order d^(4d), and with a step for that sigma SIGM has not "
    "left 0 after d^(6d) C^d steps",
    errata=("diss-5.1.33/E3",),
)
def hinge_stays() -> Outcome:
    """p = 1, all records (1, 1), epsilon = 1, delta = 1e-5, C = 1e9, alpha = 1/16: d = 131072.

    L(w) = [1/2 - w]_+ on [-1, 1]. At w = 1 a factor 1 - y <w, x> has mean 0 and the variance (1 +
    s^2)^2 - 1, so that the term of j = 0 alone, |c_0| >= 1/2, makes sigma^2 at least (s^2)^(2d)
    s_0^4/4. As long as |w| <= r = 1/(1 + s^2) every gradient of record i is at most H_i = |y_0 x_0|
    sum_j C(d, j) prod (r |y_k x_k|) prod (1 + r |y_k x_k|), whose square has a mean of at most
    (1 + s_0^2)^2 (d+1) 16^d.

    SIGM at p = 1 has beta_k >= b sigma sqrt(k+2), b = 2^(3/4) and R = 1, and all its points are
    within (|sum of the gradients so far| + |the last one|)/beta_k, at most 2 sqrt(sum of H^2)/(b
    sigma). So w_n leaves [-r, r] with probability at most 4 n E H^2/(b sigma r)^2 (Markov), whoever
    is drawn, once or again: the error is at least (1/2 - r) times the rest. A larger C takes a
    smaller alpha.
    """
    alpha, d, size = ball("1/16"), ball(131072), log(ball("1.25") * 10**5)
    assert 2 / ((alpha / 4) * (alpha / 4) * alpha) == d
    noise, first = 8 * size * d * d * (d + 1) * (d + 1), 32 * size
    steps = 6 * d * log(d) + d * log(ball(10**9)) - 2 * log(alpha)
    steep = 2 * d * log(noise) + 2 * log(first) - log(ball(4))
    bounded = 2 * log(1 + first) + log(d + 1) + d * log(ball(16))
    left = exp(log(ball(4)) + steps + bounded - steep + 2 * log(1 + noise) - ball("3/2") * log(2))
    point = {"alpha": 1 / 16, "d": 131072, "epsilon": 1.0, "delta": 1e-5, "C": 1e9}
    return refuted(point, (ball("1/2") - 1 / (1 + noise)) * (1 - left), alpha, "E error")


@hinge_stays.corrected(
    "with d^(8d), as in the corrected Theorem 5.1.7, up to a constant, for the corrected oracle, "
    "Lemma 5.1.16 and records that are not drawn again",
    refuses={
        "d^(6d)": {"power": 6},
        "alpha^-1": {"alpha_power": 1},
        "epsilon^(2d+2)": {"half": True},
        "d = 8/alpha^3": {"degree": 8},
        "smoothing costs beta/4": {"gap": 4},
    },
    unchecked={
        "8": "in d^(8d) of the variance and of n, which cancel in the step as it is shown",
    },
)
def hinge_samples(
    power: int = 8, alpha_power: int = 2, half: bool = False, degree: int = 32, gap: int = 2
) -> Outcome:
    """L <= L_beta <= L + beta/2 [step "smoothing"]; sigma/sqrt n = alpha [step "samples"].

    The other term, beta_s R^2/n with the smoothness 1/beta, is smaller; gamma is alpha/2. The
    degree is 2/(beta^2 alpha) at beta = alpha/4 [step "degree"].
    """
    alpha, epsilon, p, d, c = symbols("alpha epsilon p d C")
    variance = d ** (8 * d) * c**d * p / epsilon ** (4 * d + 4)
    budget = (2 * d + 2) if half else (4 * d + 4)
    n = d ** (power * d) * c**d * p / (epsilon**budget * alpha**alpha_power)
    mine, smooth, true, best, beta = reals("L L_beta Lstar Lstar_beta beta")
    error = reals("error")
    return derived(
        smoothing=for_all(
            mine - true <= error + beta / gap,
            *(mine <= smooth, smooth - best <= error, best <= true + beta / 2, beta > 0),
        ),
        samples=same_powers(sp.sqrt(variance / n), alpha),
        degree=identity((2 / ((alpha / 4) ** 2 * alpha), degree / alpha**3)),
    )


@statement(
    "004 Remark 5.1.1",
    lines="5068",
    kind="remark",
    printed="basic composition makes the bound loose; advanced composition gives a tighter one",
    checked="for mu-GDP in all, s_0^2 = 16/mu^2 and s^2 = 16 d(d+1)/mu^2 do: d(d+1) for its square",
    refuses={"s^2 = 16/mu^2": {"power": 0}, "s_0^2 = 8/mu^2": {"slot": 8}},
)
def advanced_noise(power: int = 1, slot: int = 16) -> Outcome:
    """Half of mu^2 for slot 0, half for the d(d+1) others."""
    d, mu = symbols("d mu")
    first, others = slot / mu**2, 16 * (d * (d + 1)) ** power / mu**2
    return identity((8 / first + 8 * d * (d + 1) / others, mu**2))


# ----------------------------------------------------------------------- all convex losses


@statement(
    "004 Lemma 5.1.9",
    lines="5084-5091, 5445-5477",
    kind="identity",
    printed="f convex and 1-Lipschitz on [-1, 1], u uniform on [f'(-1), f'(1)], s the largest with "
    "u in the subdifferential at s: f(t) = (f'(1)-f'(-1))/2 E|t-s| + (f'(1)+f'(-1))/2 t + c",
    added="f'(-1) < f'(1): if they are equal f is a line, and s has no law",
    refuses={
        "f'(1)-f'(-1) for its half": {"half": 1},
        "(f'(1)-f'(-1))/2 t": {"sign": -1},
    },
    unchecked={
        "f, t": "the steps have f' at t, and f of three lines",
        "u, s": "enter by the law P(s <= t), below in the step",
        "c": "free: both sides have one slope",
    },
)
def convex_from_kinks(half: int = 2, sign: int = 1) -> Outcome:
    """P(s <= t) = (f'(t) - a)/(b - a), so that both sides have the same slope [step "slope"].

    That is wherever f' exists, all but countably many t (Lemma 5.1.15), and both are continuous.
    Convex f of three lines at rational points [step "lines"].
    """
    a, b, slope = symbols("a b f'", real=True)
    below = (slope - a) / (b - a)
    return derived(
        slope=identity(
            ((b - a) / half * (below - (1 - below)) + (b + sign * a) / 2, slope),
        ),
        lines=exactly(_three_lines(), "=", note="three convex functions of three lines"),
    )


def _three_lines() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
    third = Fraction(1, 3)
    for slopes, kinks in (
        ((Fraction(-1), Fraction(0), Fraction(1)), (-third, third)),
        ((Fraction(-1, 2), Fraction(1, 4), Fraction(1, 2)), (Fraction(0), Fraction(1, 2))),
        ((Fraction(0), Fraction(1, 5), Fraction(1)), (-2 * third, Fraction(1, 7))),
    ):
        low, high = slopes[0], slopes[-1]
        jumps = [after - before for before, after in itertools.pairwise(slopes)]

        def value(t: Fraction, low: Fraction = low, jumps: Any = jumps, kinks: Any = kinks) -> Any:
            plus = sum(j * max(t - k, Fraction(0)) for j, k in zip(jumps, kinks, strict=True))
            return low * t + plus

        def mean(t: Fraction, jumps: Any = jumps, kinks: Any = kinks) -> Any:
            return sum(j * abs(t - k) for j, k in zip(jumps, kinks, strict=True)) / sum(jumps)

        def right(t: Fraction, low: Any = low, high: Any = high, mean: Any = mean) -> Any:
            return (high - low) / 2 * mean(t) + (high + low) / 2 * t

        for step in range(-10, 11):
            t = Fraction(step, 10)
            yield {"t": float(t)}, value(t) - value(Fraction(0)), right(t) - right(Fraction(0))


@statement(
    "004 Theorem 5.1.9 (privacy)",
    lines="5095",
    kind="privacy",
    printed="Algorithm 5.1.34 is (epsilon, delta)-LDP for epsilon, delta in (0, 1]",
    added="d >= 2; here it is at least 32",
    refuses={"d >= 1": {"fewest": 1}, "8 L/epsilon^2 for slot 0": {"slot": 8}},
)
def general_privacy(fewest: int = 2, slot: int = 32) -> Outcome:
    """The messages are those of Algorithm 5.1.33, see :func:`hinge_privacy`."""
    return hinge_noise(fewest, slot)


@statement(
    "004 Theorem 5.1.9",
    lines="5095-5099, 5121-5127, 5479-5527",
    kind="utility",
    printed="as Theorem 5.1.8 for every convex 1-Lipschitz f, with a new s_k for every factor",
    false="independent s_k give ((t - E s)/2)^j, not the mean of ((t-s)/2)^j",
    errata=("diss-5.1.34/E1", "diss-5.1.33/E3"),
)
def independent_kinks() -> Outcome:
    """f = max(0, |t| - 1/2): s = +-1/2; t = 1/4, j = 4."""
    t, s = Fraction(1, 4), Fraction(1, 2)
    target = (((t - s) / 2) ** 4 + ((t + s) / 2) ** 4) / 2
    return refuted({"t": 0.25, "j": 4}, target, (t / 2) ** 4, "E((t-s)/2)^4, and with s_k")


@independent_kinks.corrected(
    "with one s for all factors of a step: the mean slope is F_beta'(t) = (b-a) E h_beta'((t-s)/2)"
    " + a, and |F_beta - f| <= (b-a) beta/2",
    refuses={
        "+ b": {"constant": "b"},
        "h_beta'(t-s)": {"inside": 1},
        "(b-a) beta/3": {"share": "1/3"},
    },
    unchecked={
        "F_beta'": "the derivative of smoothed in the step, before the mean over s",
    },
)
def one_kink(constant: str = "a", inside: int = 2, share: str = "1/2") -> Outcome:
    """F_beta has 2 h_beta((t-s)/2) - (t-s)/2 for |t-s|/2 in Lemma 5.1.9 [step "slope", one s].

    Here smoothed = F_beta(t) and slope = h_beta'((t-s)/2).

    With x = (t-s)/2, 2 h_beta(x) - x = sqrt(x^2 + beta^2) exceeds |x| by beta at most; the factor
    b - a, and half of it for f' from -1 to 1 [step "gap", per unit of (b-a)/2, y = 2x].
    """
    t, s, beta, a, b = symbols("t s beta a b", real=True)

    def smooth(x: Any) -> Any:
        return (x + sp.sqrt(x**2 + beta**2)) / 2

    smoothed = (b - a) * (2 * smooth((t - s) / 2) - (t - s) / 2) + (a + b) / 2 * t
    x = symbols("x", real=True)
    slope = sp.diff(smooth(x), x).subs(x, (t - s) / inside)
    z, width, r = reals("x beta r")
    return derived(
        slope=identity((sp.diff(smoothed, t), (b - a) * slope + (a if constant == "a" else b))),
        gap=for_all(
            r - z3.Abs(z) <= 2 * rational(share) * width,
            *(r >= 0, width > 0, r * r == z * z + width * width),
        ),
    )


@statement(
    "004 Remark 5.1.2",
    lines="5137-5145",
    kind="remark",
    printed="computation and communication of each user are O(d^2) = O(alpha^-6)",
    checked="d(d+1) + 1 messages, at most 2 d^2 for d >= 2, of p + 1 numbers each",
    refuses={"O(alpha^-3)": {"power": 3}, "at most d^2 messages": {"two": 1}},
)
def messages_of_a_user(power: int = 6, two: int = 2) -> Outcome:
    """d = 32/alpha^3."""
    alpha = symbols("alpha")
    d = reals("d")
    return derived(
        order=identity(((32 / alpha**3) ** 2, 1024 / alpha**power)),
        count=for_all(d * (d + 1) + 1 <= two * d * d, d >= 2),
    )
