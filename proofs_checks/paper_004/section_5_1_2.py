"""Section 5.1.2: Bernstein and Chebyshev polynomials, and the inexact oracle.

b_{v,k}(x) = C(k, v) x^v (1-x)^(k-v); B_k f is the mean of f(N/k), N binomial(k, x). v = 1 + rho +
sqrt(2 rho + rho^2) in Lemma 5.1.4. R is the radius of the set, k the number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.balls import ball, ndtr, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1_8 import averaged_gradients
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)


def basis(v: int, k: int, x: Any, top: int = 0) -> Any:
    """Return b_{v,k}(x) as a polynomial, with C(k - top, v)."""
    return sp.binomial(k - top, v) * x**v * (1 - x) ** (k - v)


def bernstein(f: Any, k: int, x: Any) -> Any:
    """Return B_k f as a polynomial in x; f takes a rational number."""
    return sp.expand(sum(f(sp.Rational(v, k)) * basis(v, k, x) for v in range(k + 1)))


# -------------------------------------------------------------------------------- Bernstein


@statement(
    "004 Definition 5.1.1",
    lines="4732",
    kind="definition",
    printed="b_{v,k}(x) = C(k, v) x^v (1-x)^(k-v), v = 0, ..., k",
    checked="they add up to 1, for k <= 6",
    refuses={"C(k-1, v)": {"top": 1}},
    unchecked={
        "b_{v,k}, C": "what is defined; the step has its sum over v, from the code's C(k, "
        "v) x^v (1-x)^(k-v)",
    },
)
def bernstein_basis(top: int = 0) -> Outcome:
    """The binomial theorem."""
    x = symbols("x")
    sums = (sum(basis(v, k, x, top) for v in range(k + 1)) for k in range(1, 7))
    return definition(identity(*((sp.expand(total), 1) for total in sums)))


@statement(
    "004 Definition 5.1.2",
    lines="4734",
    kind="definition",
    printed="B_k(f; x) = sum_v f(v/k) b_{v,k}(x)",
    checked="for k <= 6 it keeps 1 and x, and x^2 becomes x^2 + x(1-x)/k",
    refuses={"x(1-x)/k^2": {"power": 2}},
    unchecked={
        "B_k, f, v, b_{v,k}": "what is defined; the step has it for f(u) = u and u^2",
    },
)
def bernstein_polynomial(power: int = 1) -> Outcome:
    """Mean and variance of N/k."""
    x = symbols("x")
    pairs = []
    for k in range(1, 7):
        pairs.append((bernstein(lambda u: u, k, x), x))
        pairs.append((bernstein(lambda u: u**2, k, x), x**2 + x * (1 - x) / k**power))
    return definition(identity(*pairs))


@statement(
    "004 Definition 5.1.3",
    lines="4738",
    kind="definition",
    printed="B_k^(h) = I - (I - B_k)^h = sum_{i=1}^h C(h,i) (-1)^{i-1} B_k^i with B_k^i = "
    "B_k o B_k^{k-1}",
    false="misprint: B_k^i = B_k o B_k^{i-1}; with k for i, B_k^1 would be B_k^k",
    errata=("004 Definition 5.1.3/E1",),
)
def iterated_as_printed() -> Outcome:
    """At k = 2, i = 1 and f = x^2: B_2 B_2 f against B_2 f at 1/2."""
    x = symbols("x")
    once = bernstein(lambda u: u**2, 2, x)
    twice = bernstein(lambda u: once.subs(x, u), 2, x)
    at = sp.Rational(1, 2)
    point = {"k": 2, "i": 1, "f": "x^2", "x": 0.5}
    left, right = (float(each.subs(x, at)) for each in (twice, once))
    return refuted(point, left, right, "two powers of B_2")


@iterated_as_printed.corrected(
    "with B_k^i = B_k o B_k^{i-1}: I - (I - B)^h = sum C(h,i) (-1)^{i-1} B^i, for h <= 8",
    refuses={"(-1)^i": {"shift": 0}, "C(h, i-1)": {"down": 1}},
    unchecked={
        "o": "composition: powers of one operator B",
        "C": "the binomial coefficient, by name in the step",
        "8": "the last h of range(1, 9) in the step",
    },
)
def iterated(shift: int = 1, down: int = 0) -> Outcome:
    """Powers of one operator commute: polynomials in B."""
    b = symbols("B")
    return identity(
        *(
            (
                sp.expand(1 - (1 - b) ** h),
                sum(sp.binomial(h, i - down) * (-1) ** (i - shift) * b**i for i in range(1, h + 1)),
            )
            for h in range(1, 9)
        )
    )


not_checkable(
    "004 Definition 5.1.4",
    lines="4742",
    kind="definition",
    printed="(h, T)-smooth: in C^h([0,1]^p), partial derivatives up to order h bounded by T; "
    "(inf, T)-smooth: for every h",
    reason="notation",
)


def _taylor(constant: str = "1/8", power: int = 1) -> dict[str, Outcome]:
    """Bound E f(N/k) - f(y) for |f''| <= T by T E(N/k - y)^2/2."""
    y, k, t = symbols("y k T")
    z = reals("y")
    once = y * (1 - y) ** 2 + (1 - y) * y**2
    return {
        "variance": identity(
            (sp.expand(once), sp.expand(y * (1 - y))), (k * once / k**2, once / k**power)
        ),
        "largest": for_all(z * (1 - z) / 2 <= rational(constant), z >= 0, z <= 1),
        "remainder": identity((t / 2 * (once / k), t * (once / 2) / k)),
    }


def _iterated_error(h: int, largest: int = 48) -> float:
    """Return the largest k^h |f - B_k^(h) f|/T of f = sin(a x + b), T = a^(2h), on a grid."""
    at = np.linspace(0, 1, 101)
    worst = 0.0
    for k in (1, 2, 3, 5, 8, 16, largest):
        v = np.arange(k + 1)
        choose = np.array([math.comb(k, i) for i in v], dtype=float)
        nodes = v / k

        def row(x: np.ndarray, v: np.ndarray = v, choose: np.ndarray = choose, k: int = k) -> Any:
            return choose * x[:, None] ** v * (1 - x[:, None]) ** (k - v)

        own = row(nodes)
        weights = sum(
            math.comb(h, i) * (-1) ** (i - 1) * np.linalg.matrix_power(own, i - 1)
            for i in range(1, h + 1)
        )
        for a in (1.0, 2.0, 4.0, 7.0):
            for b in (0.0, 0.7, 1.5, 2.4):
                error = np.abs(np.sin(a * at + b) - row(at) @ weights @ np.sin(a * nodes + b)).max()
                worst = max(worst, float(error) * k**h / a ** (2 * h))
    return worst


@statement(
    "004 Lemma 5.1.2",
    lines="4752",
    kind="approximation",
    printed="f (2h, T)-smooth on [0,1]: |f(y) - B_k^(h)(f; y)| <= T D_h k^-h for all k and y",
    checked="h = 1: D_1 = 1/8; for h = 2, 3 only sines were tried, the lemma is cited",
    refuses={"D_1 = .12": {"constant": "0.12"}, "k^-2 for h = 1": {"power": 2}},
    unchecked={
        "D_h": "not checked for h >= 2, which is cited; D_1 = 1/8 is in a step",
    },
)
def univariate(constant: str = "1/8", power: int = 1) -> Outcome:
    """By Taylor the error is at most T E(N/k - y)^2/2 [step "remainder"], N binomial.

    E(N/k - y)^2 = y(1-y)/k [step "variance", k independent terms], and y(1-y)/2 <= 1/8 [step
    "largest"]. f = x^2 attains it. Sines of frequencies to 7 [steps "second", "third"].
    """
    return derived(
        **_taylor(constant, power),
        second=searched(_iterated_error(2), 0.15, tried=112, what="k^2 |f - B_k^(2) f|/T"),
        third=searched(_iterated_error(3), 0.27, tried=112, what="k^3 |f - B_k^(3) f|/T"),
    )


@statement(
    "004 Definition 5.1.5",
    lines="4756-4760",
    kind="definition",
    printed="B^(h)(f; y) = sum_{j=1}^p sum_{v_j=0}^{k_j} f(v_1/k_1, ..., v_p/k_p) "
    "prod_i b_{v_i,k_i}^(h)(y_i)",
    checked="the p-fold nested sum: it keeps y_1 y_2, for p = 2, h = 1 and k <= 4",
    refuses={"p sums added up": {"nested": False}},
    unchecked={
        "B, f, p, v_1, k_1, v_p, k_p, b_{v_i,k_i}": "what is defined; the step has it for p = 2, "
        "h = 1 and f = y_1 y_2 or 1",
    },
)
def multivariate_polynomial(nested: bool = True) -> Outcome:
    """Coordinate by coordinate; p sums added up would make 2 of the constant 1."""
    y1, y2 = symbols("y1 y2")
    pairs = []
    for k in range(1, 5):
        one, two = (bernstein(lambda u: u, k, y) for y in (y1, y2))
        pairs.append((sp.expand(one * two), y1 * y2))
        sums = [sum(basis(v, k, y) for v in range(k + 1)) for y in (y1, y2)]
        pairs.append((sp.expand(sums[0] * sums[1] if nested else sums[0] + sums[1]), 1))
    return definition(identity(*pairs))


multivariate_polynomial.restated(
    "004 (5.2)",
    lines="4758",
    printed="B^(h)(f; y) = sum_{j=1}^p sum_{v_j=0}^{k_j} f(...) prod_i b_{v_i,k_i}^(h)(y_i)",
)


@statement(
    "004 Lemma 5.1.3",
    lines="4762-4766",
    kind="approximation",
    printed="f (2h, T)-smooth on [0,1]^p: |f(y) - B_k^(h)(f; y)| <= O(p T D_h k^-h)",
    checked="h = 1: p T/(8k); the lemma is cited, and for h >= 2 the same steps give "
    "((2^h-1)^p - 1)/(2^h - 2) for p",
    refuses={"p - 1": {"fewer": 1}, "D_1 = .12": {"constant": "0.12"}, "k^-2": {"power": 2}},
    unchecked={
        "h, D_h": "not checked for h >= 2, which is cited; D_1 = 1/8 is in a step",
    },
)
def multivariate(fewer: int = 0, constant: str = "1/8", power: int = 1) -> Outcome:
    """The error f - B_1 B_2 f = (f - B_1 f) + B_1 (f - B_2 f), and so on [step "split"].

    B_1 is a mean, so that each coordinate adds at most e = T/(8k), as in Lemma 5.1.2 [steps "one",
    "induction" from p - 1 coordinates to p, "variance", "largest", "remainder"].
    """
    f, first, second = symbols("f B1 B2")
    p, total, added, e = reals("p total added e")
    return derived(
        split=identity((f - first * second * f, (f - first * f) + first * (f - second * f))),
        one=for_all(total <= (p - fewer) * e, p == 1, e > 0, total == added, added <= e),
        induction=for_all(
            total + added <= (p - fewer) * e,
            *(p >= 2, e > 0, total <= (p - 1 - fewer) * e, added <= e),
        ),
        **_taylor(constant, power),
    )


# -------------------------------------------------------------------------------- Chebyshev


@statement(
    "004 Definition 5.1.6",
    lines="4770-4776",
    kind="definition",
    printed="T_0 = 1, T_1 = x, T_{n+1} = 2x T_n - T_{n-1}: cos(n arccos x), cosh(n arccosh x), "
    "(-1)^n cosh(n arccosh(-x)) in |x| <= 1, x >= 1, x <= -1",
    refuses={"x T_n - T_{n-1}": {"two": 1}, "2x T_n + T_{n-1}": {"sign": -1}},
    unchecked={
        "T_0, T_1": "the forms for n = 0 and 1, at once",
        "T_{n+1}, T_n, T_{n-1}": "the forms at n t + t, n t and n t - t in the step",
    },
)
def chebyshev_forms(two: int = 2, sign: int = 1) -> Outcome:
    """Addition theorems, x = cos t, cosh t and -cosh t, for every n."""
    t, n = symbols("t n")

    def at(f: Any, angle: Any) -> Any:
        return sp.expand_trig(f(angle))

    return definition(
        identity(
            *(
                (
                    side * at(f, n * t + t),
                    two * (side * f(t)) * f(n * t) - sign * side * at(f, n * t - t),
                )
                for f, side in ((sp.cos, 1), (sp.cosh, 1), (sp.cosh, -1))
            )
        )
    )


not_checkable(
    "004 Definition 5.1.7",
    lines="4778",
    kind="definition",
    printed="Gamma_rho is the ellipse of foci +-1 with major radius 1 + rho",
    reason="notation",
)


@statement(
    "004 Definition 5.1.8",
    lines="4780",
    kind="definition",
    printed="P_n = sum_{k<=n} a_k T_k, a_k = (2 - 1[k=0])/pi int f T_k/sqrt(1-x^2) dx",
    checked="the series of T_j is T_j, for j, k <= 4",
    refuses={"2/pi for k = 0": {"first": 2}},
    unchecked={
        "n, a_k, T_k, pi, f, x": "what is defined; the step has the a_k of f = T_j, with x = cos t",
    },
)
def chebyshev_series(first: int = 1) -> Outcome:
    """With x = cos t; the T_k are orthogonal."""
    t = symbols("t")

    def coefficient(k: int, j: int) -> Any:
        integral = sp.integrate(sp.cos(k * t) * sp.cos(j * t), (t, 0, sp.pi))
        return (2 if k else first) / sp.pi * integral

    pairs = ((coefficient(k, j), int(k == j)) for k in range(5) for j in range(5))
    return definition(identity(*pairs))


@statement(
    "004 Lemma 5.1.4",
    lines="4782-4786",
    kind="approximation",
    printed="|f| <= M on Gamma_rho: max |f - P_n| <= 2M/(rho + sqrt(2rho+rho^2)) v^-n, |a_0| <= M, "
    "|a_k| <= 2M v^-k, v = 1 + rho + sqrt(2rho+rho^2)",
    refuses={
        "M/(v-1) v^-n": {"two": 1},
        "v^-(n+1)": {"later": 1},
        "v = 1 + rho": {"root": 0},
        "v^-2k": {"decay": 2},
        "|a_0| <= M/2": {"zeroth": "1/2"},
    },
    unchecked={
        "Gamma_rho": "the ellipse; the steps have its major radius 1 + rho",
    },
)
def chebyshev_theorem(
    two: int = 2, later: int = 0, root: int = 1, decay: int = 1, zeroth: str = "1"
) -> Outcome:
    """With x = (z + 1/z)/2, a_k is the integral of f z^(-1-k)/(pi i) over |z| = r < v.

    It maps |z| = v to the ellipse of major radius (v + 1/v)/2 = 1 + rho [step "ellipse"], so
    that |a_k| <= 2M v^-k [step "terms", r -> v = 1 + u], and half of it for k = 0 [step "zeroth"].
    |T_k| <= 1 on [-1, 1], and the terms from n + 1 on add up to 2M v^-n/(v - 1) [step "tail"].
    f = 1/(1.5 - x) has its coefficients in closed form [step "example", rho = 1/4].
    """
    rho, m, u = symbols("rho M u")
    first, whole, top = reals("a_0 whole M")
    n, k = sp.symbols("n k", positive=True, integer=True)
    v = 1 + rho + root * sp.sqrt(2 * rho + rho**2)
    terms = sp.summation((1 / (1 + u)) ** k, (k, 1, sp.oo)).subs(u, v - 1)
    angle = sp.Symbol("angle", real=True)

    def cases() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        x0, own = mp.mpf("1.5"), mp.mpf("0.25")
        s, grown = mp.sqrt(x0**2 - 1), 1 + own + mp.sqrt(2 * own + own**2)
        for order in range(1, 30):
            exact = 2 / s * (x0 - s) ** order
            yield {"k": order}, exact, 2 / own * grown ** (-order * decay)

    return derived(
        ellipse=identity(((v + 1 / v) / 2, 1 + rho)),
        terms=identity(
            (
                sp.Integral(m * (1 + u) ** (-1 - k) * (1 + u), (angle, 0, 2 * sp.pi)) / sp.pi,
                2 * m * (1 + u) ** (-k * decay),
            ),
            (sp.Integral(m * (1 + u) ** -1 * (1 + u), (angle, 0, 2 * sp.pi)) / (2 * sp.pi), m),
        ),
        tail=identity(
            (
                2 * m * v ** (-n) * sp.simplify(terms),
                two * m / (rho + sp.sqrt(2 * rho + rho**2)) * v ** (-n - later),
            )
        ),
        zeroth=for_all(
            z3.Abs(first) <= rational(zeroth) * top, 2 * first == whole, z3.Abs(whole) <= 2 * top
        ),
        example=precisely(cases, digits=30, note="coefficients of 1/(1.5 - x)"),
    )


# ------------------------------------------------------------------------------- the oracle


not_checkable(
    "004 Definition 5.1.9",
    lines="4790-4800",
    kind="definition",
    printed="(gamma, beta, sigma) oracle (F, G): E F = f_o, E G = g_o, E||G - g_o||^2 <= sigma^2, "
    "0 <= f(v) - f_o(w) - <g_o(w), v-w> <= (beta/2) ||v-w||^2 + gamma",
    reason="notation",
)


@statement(
    "004 Lemma 5.1.5",
    lines="4802-4804",
    kind="optimisation",
    printed="SIGM: E f(w_k) - min f <= Theta(beta sigma ||C||^2/sqrt k + gamma)",
    false="too small for small sets: linear in ||C||, whatever the method, where this is quadratic",
    errata=("diss-5.1.38/E1",),
    algorithms=(),
)
def quadratic_in_the_radius() -> Outcome:
    """Take f(w) = +-g w on [-R, R], g = sigma/sqrt k, and k gradients with noise N(0, sigma^2).

    Their sum is all that a method knows of the sign; its two laws are 2 Phi(1) - 1 apart, so that
    the larger of the two mean errors is at least g R (2 - 2 Phi(1)). R = .001, beta = sigma = 1,
    k = 400 against 100 times the bound; a larger constant fails at a smaller R.
    """
    r, k = ball("0.001"), ball(400)
    left = r / sqrt(k) * (2 - 2 * ndtr(ball(1)))
    point = {"R": 0.001, "k": 400, "beta": 1.0, "sigma": 1.0, "constant": 100}
    return refuted(point, left, 100 * r * r / sqrt(k), "error of the best method against the bound")


@quadratic_in_the_radius.corrected(
    "beta R^2/k + sigma R/sqrt k + gamma, what Lemma 5.1.16 is at p = 1; at least the order "
    "sigma R/sqrt k of any method",
    refuses={
        "the printed bound": {"printed": True},
        "sigma R/k": {"power": 2},
        "sigma R^2/sqrt k": {"radius": 2},
    },
)
def linear_in_the_radius(printed: bool = False, power: int = 1, radius: int = 1) -> Outcome:
    """Lemma 5.1.16 at p = 1 [step "p = 1"], where it is proved [steps "least" to "constant"].

    The witness's error over sigma R/sqrt k does not depend on R, k and sigma [step "order"].
    """
    beta, r, sigma, k, gamma, p, share = symbols("beta R sigma k gamma p c")
    general = beta * r**2 / k**p + sigma * r / sp.sqrt(k) + k ** (p - 1) * gamma
    noise = sigma * r**radius / sp.sqrt(k) ** power
    if printed:
        noise = beta * sigma * r**2 / sp.sqrt(k)
    claimed = noise + gamma if printed else beta * r**2 / k + noise + gamma
    return derived(
        **{"p = 1": identity((general.subs(p, 1), claimed))},
        **averaged_gradients(),
        order=identity((share * (sigma / sp.sqrt(k)) * r, share * noise)),
    )
