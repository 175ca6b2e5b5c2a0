"""Section 3.2.4: the robust mean (3.64)-(3.77), its error and its private form (3.80).

phi is x - x^3/6 up to |x| = sqrt 2 and +-L, L = 2 sqrt 2/3, beyond; psi(a) = E phi(a (1 + eta))
with eta ~ N(0, 1/b). In units of sqrt 2, phi is t - t^3/3 and +-2/3.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from proofs_checks.balls import ball, log, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.robust_mean import chernoff, two_point_tails
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin as any_twin
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    nonnegative,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.heavy_tailed.truncation import truncated_mean

statement = partial(any_statement, algorithms=("diss-3.2.8", "diss-RGD"))
twin = partial(any_twin, algorithms=("diss-3.2.8", "diss-RGD"))
mean = partial(any_statement, algorithms=("diss-3.2.8", "diss-RGD", "wang-mean"))


twin(
    "004 (3.64)",
    of="003 (1)",
    lines="1571-1575",
    printed="(s/n) sum of phi(x_i/s) is approximately E x",
)
twin("004 (3.65)", of="000 (14)", lines="1577-1579")
twin("004 (3.66)", of="003 (3)", lines="1583-1585")
twin(
    "004 (3.67)",
    of="003 (4)",
    lines="1585-1589",
    printed="x^ = E x~(eta) = (s/n) sum of the mean of phi((x_i + eta x_i)/s) over eta",
    unchecked={
        "x^, x~": "the robust mean and one draw of it; the step has the code's mean",
        "phi": "its cubic and its constants, by cases, in the quadrature",
        "eta": "the variable of the quadrature",
    },
)
twin(
    "004 (3.68)",
    of="000 (17)",
    lines="1591-1593",
    printed="E phi(a + b sqrt(beta) eta) = a(1 - b^2/2) - a^3/6 + C(a, b) for any a, b",
    added="b > 0: at b = 0 the quotients are not defined",
)


# ---------------------------------------------------------------------- (3.69)-(3.77)


def _parts() -> dict[str, Any]:
    """The symbols of (3.69)-(3.71), with F and E as symbols of their own."""
    a = sp.Symbol("a", real=True)
    names = "b F_minus F_plus E_minus E_plus"
    found = dict(zip(names.split(), symbols(names), strict=True))
    b = found["b"]
    return {"a": a, **found, "V_minus": (sp.sqrt(2) - a) / b, "V_plus": (sp.sqrt(2) + a) / b}


def _moments(f: Any, e: Any, v: Any) -> list[Any]:
    """E[Z^k; Z > v] for k = 0..3, with f = Phi(-v) and e = exp(-v^2/2)."""
    root = sp.sqrt(2 * sp.pi)
    return [f, e / root, f + v * e / root, (v**2 + 2) * e / root]


def _clipped_part(power: int) -> Any:
    """Return the part beyond +-sqrt 2 of the term in Z^power of a + b Z - (a + b Z)^3/6."""
    s = _parts()
    z = sp.Symbol("z")
    cubic = sp.Poly(sp.expand(s["a"] + s["b"] * z - (s["a"] + s["b"] * z) ** 3 / 6), z)
    upper = _moments(s["F_minus"], s["E_minus"], s["V_minus"])[power]
    # Z < -V_+ is -Z > V_+
    lower = (-1) ** power * _moments(s["F_plus"], s["E_plus"], s["V_plus"])[power]
    return -cubic.coeff_monomial(z**power) * (upper + lower)


def _term(number: int) -> Any:
    """T_number as printed."""
    s = _parts()
    a, b, f, g = s["a"], s["b"], s["F_minus"], s["F_plus"]
    e, h, v, w = s["E_minus"], s["E_plus"], s["V_minus"], s["V_plus"]
    root = sp.sqrt(2 * sp.pi)
    return (
        2 * sp.sqrt(2) / 3 * (f - g),
        -(a - a**3 / 6) * (f + g),
        b / root * (1 - a**2 / 2) * (h - e),
        a * b**2 / 2 * (g + f + (w * h + v * e) / root),
        b**3 / (6 * root) * ((2 + v**2) * e - (2 + w**2) * h),
    )[number - 1]


@statement(
    "004 (3.69)",
    lines="1597",
    kind="definition",
    printed="V_- = (sqrt 2 - a)/b, V_+ = (sqrt 2 + a)/b",
    refuses={"exchanged": {"sign": -1}},
    unchecked={"V": "what is defined: in the step the two ends of z"},
)
def where_it_clips(sign: int = 1) -> Outcome:
    """a + b Z is beyond sqrt 2 for Z > V_-, and beyond -sqrt 2 for Z < -V_+."""
    a, b, z, two = reals("a b z root2")
    above = (a + b * z > two) == (z > (two - sign * a) / b)
    below = (a + b * z < -two) == (z < -(two + sign * a) / b)
    return definition(for_all(z3.And(above, below), b > 0, two > 0, two * two == 2))


@statement(
    "004 (3.70)",
    lines="1599",
    kind="definition",
    printed="F_- = Phi(-V_-), F_+ = Phi(-V_+)",
    refuses={"Phi(V_-)": {"sign": 1}},
    unchecked={
        "F": "what is defined: in the step P(Z > v)",
        "Phi": "written out in the step by erf",
    },
)
def clipped_probability(sign: int = -1) -> Outcome:
    """P(Z > v) = Phi(-v); v stands for V_- and for V_+."""
    v = sp.Symbol("v", real=True)
    phi = (1 + sp.erf(v / sp.sqrt(2))) / 2
    return definition(identity((1 - phi, phi.subs(v, sign * v))))


@statement(
    "004 (3.71)",
    lines="1601",
    kind="definition",
    printed="E_- = exp(-V_-^2/2), E_+ = exp(-V_+^2/2)",
    refuses={"exp(-V_-^2)": {"half": 1}},
)
def clipped_moments(half: int = 2) -> Outcome:
    """E[Z^k; Z > v] in terms of F and E: the derivative in v is -v^k times the density.

    Here v stands for V_- and for V_+.
    """
    v = sp.Symbol("v", real=True)
    phi = (1 + sp.erf(-v / sp.sqrt(2))) / 2
    e = sp.exp(-(v**2) / half)
    density = sp.exp(-(v**2) / 2) / sp.sqrt(2 * sp.pi)
    return definition(
        identity(*((sp.diff(m, v), -(v**k) * density) for k, m in enumerate(_moments(phi, e, v))))
    )


@statement(
    "004 (3.72)",
    lines="1603-1605",
    kind="identity",
    printed="C(a, b) = T_1 + .. + T_5",
    added="b > 0",
    refuses={"T_1 + .. + T_4": {"last": 4}},
)
def correction_is_the_sum(last: int = 5) -> Outcome:
    """C is what clipping adds to the mean of the cubic, which is a(1 - b^2/2) - a^3/6.

    Beyond sqrt 2, phi is L instead of the cubic, and -L below -sqrt 2: C = L(F_- - F_+) less the
    cubic's mean there, of which E[Z^k; Z > v] are given by (3.71).

    Here clipped = C(a, b) and terms = T_1 + T_2 + T_3 + T_4 + T_5.
    """
    s = _parts()
    limit = 2 * sp.sqrt(2) / 3 * (s["F_minus"] - s["F_plus"])
    clipped = limit + sum(_clipped_part(k) for k in range(4))
    terms = sum(_term(k) for k in range(1, last + 1))
    return derived(sum=identity((sp.expand(clipped - terms), 0)))


def _one_term(number: int, printed: Any, factor: int) -> Outcome:
    """T_1 is phi(sqrt 2)(F_- - F_+); T_k is what Z^(k-2) in the cubic contributes beyond +-sqrt 2.

    The moments there are those of (3.71) [step "term"], with F_minus for F_-, F_plus for F_+ and
    V = (sqrt 2 -+ a)/b.
    """
    s = _parts()
    top = sp.sqrt(2) - sp.sqrt(2) ** 3 / 6  # phi(sqrt 2)
    expected = top * (s["F_minus"] - s["F_plus"]) if number == 1 else _clipped_part(number - 2)
    return derived(term=identity((sp.expand(factor * printed - expected), 0)))


@statement(
    "004 (3.73)",
    lines="1607-1609",
    kind="identity",
    printed="T_1 = (2 sqrt 2/3)(F_- - F_+)",
    refuses={"twice T_1": {"factor": 2}},
)
def first_term(factor: int = 1) -> Outcome:
    """See :func:`_one_term`; printed = T_1."""
    return _one_term(1, _term(1), factor)


@statement(
    "004 (3.74)",
    lines="1611",
    kind="identity",
    printed="T_2 = -(a - a^3/6)(F_- + F_+)",
    refuses={"the other sign": {"factor": -1}},
)
def second_term(factor: int = 1) -> Outcome:
    """See :func:`_one_term`; printed = T_2."""
    return _one_term(2, _term(2), factor)


@statement(
    "004 (3.75)",
    lines="1613",
    kind="identity",
    printed="T_3 = (b/sqrt(2 pi))(1 - a^2/2)(E_+ - E_-)",
    refuses={"E_- - E_+": {"factor": -1}},
)
def third_term(factor: int = 1) -> Outcome:
    """See :func:`_one_term`; printed = T_3."""
    return _one_term(3, _term(3), factor)


@statement(
    "004 (3.76)",
    lines="1615",
    kind="identity",
    printed="T_4 = (a b^2/2)(F_+ + F_- + (V_+ E_+ + V_- E_-)/sqrt(2 pi))",
    refuses={"a b^2": {"factor": 2}},
)
def fourth_term(factor: int = 1) -> Outcome:
    """See :func:`_one_term`; printed = T_4."""
    return _one_term(4, _term(4), factor)


@statement(
    "004 (3.77)",
    lines="1617",
    kind="identity",
    printed="T_5 = (b^3/(6 sqrt(2 pi)))((2 + V_-^2) E_- - (2 + V_+^2) E_+)",
    refuses={"b^3/3": {"factor": 2}},
)
def fifth_term(factor: int = 1) -> Outcome:
    """See :func:`_one_term`; printed = T_5."""
    return _one_term(5, _term(5), factor)


# ---------------------------------------------------------------------- Lemma 3.2.3


@mean(
    "004 Lemma 3.2.3",
    lines="1621, 1631, 1644-1646",
    kind="concentration",
    printed="(3.79): |x^ - E x| <= O(sqrt(v log(1/d')/n)) w.p. 1 - d', with b = 2 log(1/d'), as in "
    "Algorithm 3.2.8",
    false="two sides need log(2/d'), and Algorithm 3.2.8 has b = log(1/d')",
    errata=("004 Lemma 3.2.3/E1", "hu-mean/E2"),
)
def one_sided_logarithm() -> Outcome:
    """Three fair signs: no sample has mean 0, but the bound goes to 0 as d' goes to 1."""
    n, left = 3, 1e-9
    size = -math.log1p(-left)
    s, b = math.sqrt(n / (2 * size)), 2 * size
    means = [
        float(truncated_mean(np.array(signs), scale=s, precision=b))
        for signs in product((-1.0, 1.0), repeat=n)
    ]
    bound = math.sqrt(size / n)
    point = {"n": n, "x": "+-1", "1 - d'": left, "b": b, "b of Algorithm 3.2.8": size}
    return refuted(point, min(abs(m) for m in means), 1000 * bound, "least error, 1000 times bound")


@one_sided_logarithm.corrected(
    "with l' = log(2/d') for log(1/d'): |x^ - E x| <= 1.93 sqrt(v l'/n) for b = 2l', "
    "2.44 sqrt(v l'/n) for b = l', at every d' in (0, 1)",
    refuses={
        "1.9 for b = 2l'": {"double": "1.9"},
        "2.4 for b = l'": {"single": "2.4"},
        "phi(u) <= log(1 + u + 0.49 u^2)": {"curvature": "0.49"},
    },
)
def two_sided_logarithm(
    double: str = "1.93", single: str = "2.44", curvature: str = "1/2"
) -> Outcome:
    """:func:`chernoff` at s = sqrt(nv/(2l')), over sqrt(v l'/n): (2 + y/k)/sqrt 2.

    b = k l' and y = 1/l' < 1/log 2 [step "double", limit = 1.93; step "single", limit = 2.44].
    Two-point laws have exact tails
    [step "tails"].
    """
    worst, tried = 0.0, 0
    for k, value, p, zeta in product((1, 2), (0.5, 2.0), (0.01, 0.3, 0.7), (0.9, 0.1, 1e-4)):
        size, v = math.log(2 / zeta), value**2 * p
        rate = float({1: single, 2: double}[k]) * math.sqrt(v * size / 300)
        s = math.sqrt(300 * v / (2 * size))
        tails = two_point_tails(300, value, p, scale=s, precision=k * size, bound=rate)
        worst, tried = max(worst, sum(tails) / zeta), tried + 1

    def constant(limit: str, k: int) -> Outcome:
        # 1/log 2 = 1.44269504...
        return nonnegative(
            lambda y: ball(limit) - (2 + y / k) / sqrt(ball(2)),
            {"y": (0, "1.4426951")},
            whole=True,
        )

    return derived(
        deviation=chernoff(curvature=curvature),
        double=constant(double, 2),
        single=constant(single, 1),
        tails=searched(worst, 1, tried=tried, what="failures of two-point laws over d'"),
    )


one_sided_logarithm.restated(
    "004 (3.79)",
    lines="1646",
    printed="|x^ - E x| <= O(sqrt(v log(1/d')/n)) with probability 1 - d'",
)


# ------------------------------------------------------------------ (3.80), Theorem 3.2.6


any_twin(
    "004 (3.80), sensitivity",
    of="000 (18), sensitivity",
    lines="1648",
    algorithms=("diss-3.2.8", "diss-RGD", "wang-mean"),
)


def noise_is_affordable(
    constant: str = "10.37", tops: str = "1", *, budgets: int = 2, records: int = 2
) -> dict[str, Outcome]:
    """The steps of (3.80): sigma = 4s/(3n sqrt(rho)), sqrt(rho) = sqrt(a + epsilon) - sqrt(a)."""
    s, n, epsilon, a = symbols("s n epsilon a")
    root = sp.sqrt(a + epsilon) - sp.sqrt(a)
    variance = 16 * s**2 / (9 * n**2 * root**2)
    square = 32 * s**2 / (9 * n**2)
    shown = s**2 * a / (epsilon**budgets * n**records)  # as in (3.80), but for its constant
    part = sp.Rational(16, 9) * (sp.sqrt(1 + epsilon / a) + 1) ** 2
    return {
        "order": identity((variance, part * shown)),
        "cost": identity((square / (2 * variance), root**2)),
        "converted": identity((root**2 + 2 * root * sp.sqrt(a), epsilon)),
        "constant": nonnegative(
            lambda x: ball(constant) - ball("16/9") * (sqrt(1 + x) + 1) ** 2,
            {"epsilon/a": (0, tops)},
            whole=True,
        ),
    }


@any_statement(
    "004 (3.80)",
    lines="1648-1652",
    kind="privacy",
    printed="x^ + N(0, sigma^2), sigma^2 = O(s^2 log(1/delta)/(epsilon n)^2), is (epsilon, "
    "delta)-DP",
    checked="for sigma^2 = 16 s^2/(9 n^2 rho) <= 10.37 s^2 log(1/delta)/(epsilon n)^2",
    added="epsilon <= log(1/delta)",
    refuses={
        "10.3 s^2": {"constant": "10.3"},
        "1/epsilon": {"budgets": 1},
        "1/n": {"records": 1},
    },
    unchecked={"x^": "the robust mean; the steps have its sensitivity"},
    algorithms=("wang-mean",),
)
def private_mean(constant: str = "10.37", budgets: int = 2, records: int = 2) -> Outcome:
    """A sensitivity of 4 sqrt 2 s/(3n) costs rho in zCDP [step "cost"], with Lemma 3.2.6.

    With a = log(1/delta), variance = sigma^2. rho + 2 sqrt(rho a) = epsilon [step "converted"], and
    1/rho = (a/epsilon^2)(sqrt(1 + x) + 1)^2 with x = epsilon/a [steps "order", "constant"].
    """
    return derived(**noise_is_affordable(constant, budgets=budgets, records=records))


@any_statement(
    "004 Theorem 3.2.6",
    lines="1654-1656",
    kind="utility",
    printed="(3.81): |A(D) - E x| <= O(sqrt(v log(1/delta) log(1/d')/(n epsilon^2))) w.p. 1 - d'",
    checked="constant 9",
    added="epsilon <= 1, delta <= 1/e, d' <= 1/2",
    refuses={"constant 8": {"constant": "8"}, "b = l": {"precision": 1}, "s/sqrt(2)": {"two": 4}},
    algorithms=("wang-mean",),
)
def private_error(constant: str = "9", precision: int = 2, two: int = 2) -> Outcome:
    """d'/2 for the robust mean and d'/2 for the noise, in units of sqrt(v l/n).

    At s = sqrt(nv/(2l)), b = 2l: the mean is off by (1 + log 4/l)/sqrt 2 + (1 + 1/(2l))/sqrt 2
    (as for Lemma 3.2.3) [step "mean"]. P(|Z| > sigma u) <= e^{-u^2/2}, so
    u^2 = 2 log(2/d') and sigma u is
    sqrt(10.37 a (1 + log 2/l)/(epsilon^2 l)) times sqrt(v l/n) [step "noise", (3.80)]. Over
    sqrt(a)/epsilon, with x^2 = 1/l <= 1/log 2 and y = 1/sqrt(a) [step "sum"].

    Here a = log(1/delta).
    """
    n, a, epsilon, size, v = symbols("n a epsilon l v")
    scale = sp.sqrt(n * v / (two * size))
    variance = sp.Rational("10.37") * scale**2 * a / (epsilon * n) ** 2
    error = v / (2 * scale) * (1 + 1 / (precision * size)) + scale / n * (size + sp.log(4))
    parts = (1 + sp.log(4) / size) / sp.sqrt(2) + (1 + 1 / (2 * size)) / sp.sqrt(2)
    noise = variance * 2 * (size + sp.log(2)) / (v * size / n)
    shown = sp.Rational("10.37") * a * (1 + sp.log(2) / size) / (epsilon**2 * size)

    def slack(x: Any, y: Any, e: Any) -> Any:
        mean = (1 + log(ball(4)) * x**2) + (1 + x**2 / 2)
        return (
            ball(constant)
            - e * y * mean / sqrt(ball(2))
            - x * sqrt(ball("10.37") * (1 + log(ball(2)) * x**2))
        )

    return derived(
        **noise_is_affordable(),
        noise=identity((noise, shown)),
        mean=identity((error / sp.sqrt(v * size / n), parts)),
        # 1/sqrt(log 2) = 1.20112...
        sum=nonnegative(slack, {"x": (0, "1.20113"), "y": (0, 1), "epsilon": (0, 1)}, whole=True),
    )


private_error.restated(
    "004 (3.81)",
    lines="1656",
    printed="|A(D) - E x| <= O(sqrt(v log(1/delta) log(1/d')/(n epsilon^2))) with probability "
    "1 - d'",
)
