"""The robust mean: the smoothed truncation that papers 000, 003 and 004 estimate means by.

x-hat = (s/n) sum_i psi(x_i/s), psi(a) = E phi(a (1 + eta)), eta ~ N(0, 1/b), and phi(u) = u - u^3/6
up to |u| = sqrt 2, +-2 sqrt 2/3 beyond.

Lambda = ln(1/zeta), L = ln(1/delta), b the precision of the smoothing noise, s the scale of the
truncation, tau the bound on the second moment.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import scipy
from mpmath import mp

from proofs_checks.balls import Ball, ball, log, sqrt
from proofs_checks.basics import gaussian_at_small_epsilon
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    less,
    nonnegative,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.heavy_tailed.truncation import correction, smoothed_truncation

LIMIT = 2 * math.sqrt(2) / 3
_BIG = 10**4  # ln(1/zeta) at which asymptotic claims are refuted


def truncation_is_bounded(factor: str = "1") -> Outcome:
    """6 (2 sqrt2/3 - u + u^3/6) = (u - sqrt2)^2 (u + 2 sqrt2), and the same for -u."""
    u, root = reals("u root")
    cubic = u - u**3 / 6
    bound = rational(factor) * 2 * root / 3
    return for_all(
        z3.And(cubic <= bound, -cubic <= bound),
        *(root > 0, root * root == 2, -root <= u, u <= root),
    )


# --------------------------------------------------------------------------- the closed form


def closed_form_of_truncation(part: str = "1/2") -> Outcome:
    """Integrate the cubic against the normal density between -V_+ and V_-, and the constants.

    With A = a (1 - b^2/2) - a^3/6, x - x^3/6 at x = a + b z times the density has the
    antiderivative A Phi(z) + B(z) phi(z), B = b^3/3 - b + a^2 b/2 + (a b^2/2) z + (b^3/6) z^2
    [step "antiderivative"]. Its ends and the constants +-2 sqrt2/3 beyond them sum up to the
    closed form [step "closed form"], where terms = C-hat (or C = C-hat) and z = xi; where the
    noise is eta, z = sqrt(beta) eta.
    """
    a, b, z = sp.symbols("a b z", real=True)
    below, above, lower, upper = symbols("F_m F_p E_m E_p")
    root = sp.sqrt(2)
    leading = a * (1 - b**2 / 2) - a**3 / 6

    def polynomial(at: Any) -> Any:
        return b**3 / 3 - b + a**2 * b / 2 + a * b**2 / 2 * at + b**3 / 6 * at**2

    x = a + b * z
    slope = sp.diff(polynomial(z), z) - z * polynomial(z) + leading
    v_minus, v_plus = (root - a) / b, (root + a) / b
    density = 1 / sp.sqrt(2 * sp.pi)
    integral = (
        leading * (1 - below - above)
        + density * (polynomial(v_minus) * lower - polynomial(-v_plus) * upper)
        + 2 * root / 3 * (below - above)
    )
    terms = (
        2 * root / 3 * (below - above),
        -(a - a**3 / 6) * (below + above),
        b * density * (1 - a**2 / 2) * (upper - lower),
        a * b**2 * sp.Rational(part)
        * (above + below + density * (v_plus * upper + v_minus * lower)),
        b**3 * density / 6 * ((2 + v_minus**2) * lower - (2 + v_plus**2) * upper),
    )  # fmt: skip
    return derived(
        antiderivative=identity((sp.expand(slope), sp.expand(x - x**3 / 6))),
        closed_form=identity((sp.expand(integral), sp.expand(leading + sum(terms)))),
    )


def closed_form(a: Any, b: Any) -> Any:
    """Right-hand side of (17) with mpmath numbers."""
    root2, root = mp.sqrt(2), mp.sqrt(2 * mp.pi)
    v = ((root2 - a) / b, (root2 + a) / b)
    f = [mp.ncdf(-side) for side in v]
    e = [mp.exp(-(side**2) / 2) for side in v]
    terms = (
        2 * root2 / 3 * (f[0] - f[1]),
        -(a - a**3 / 6) * (f[0] + f[1]),
        b / root * (1 - a**2 / 2) * (e[1] - e[0]),
        a * b**2 / 2 * (f[1] + f[0] + (v[1] * e[1] + v[0] * e[0]) / root),
        b**3 / (6 * root) * ((2 + v[0] ** 2) * e[0] - (2 + v[1] ** 2) * e[1]),
    )
    return a * (1 - b**2 / 2) - a**3 / 6 + mp.fsum(terms)


def smoothed(a: Any, precision: Any) -> Any:
    """E phi(a (1 + xi/sqrt(precision))) by integration by parts and quadrature."""
    if a == 0:
        return mp.mpf(0)
    size, width = abs(a), abs(a) / mp.sqrt(precision)
    top = mp.sqrt(2)
    inside = [size + k * width for k in (-8, -2, 0, 2, 8) if 0 < size + k * width < top]
    return mp.sign(a) * mp.quad(
        lambda u: (1 - u**2 / 2) * (mp.ncdf((size - u) / width) - mp.ncdf((-size - u) / width)),
        [0, *sorted(inside), top],
    )


def closed_form_in_doubles() -> Outcome:
    """At 1e8 s its cubes cancel to noise far outside of the bound (and 0 gives 0/0)."""
    a, precision = 1e8, 2.3
    b = a / math.sqrt(precision)
    with np.errstate(all="ignore"):
        corrected = correction(np.array(a), np.array(b))
    value = float(a * (1 - b**2 / 2) - a**3 / 6 + corrected)
    point = {"x/s": a, "precision": precision}
    return refuted(point, abs(value), 2 * LIMIT, "(17) in doubles against twice the bound")


def stable_form(rng: np.random.Generator, factor: float = 1.0) -> Outcome:
    """Compare the implementation with quadrature, and its largest value with the bound."""
    worst, tried = 0.0, 0
    for precision in (0.5, 2.3, 100.0):
        points = [0.0, *(float(x) for x in 10.0 ** rng.uniform(-6, 3, 2)), 1.414, 8.0, 1e5, 1e12]
        values = factor * smoothed_truncation(points, scale=1.0, precision=precision)
        with mp.workdps(18):
            exact = [float(smoothed(mp.mpf(x), mp.mpf(precision))) for x in points]
        worst = max(worst, float(np.abs(values - exact).max()))
        tried += len(points)
        far = smoothed_truncation([1e150, -1e300, math.inf], scale=1.0, precision=precision)
        if not np.all(np.abs(far) <= LIMIT):
            worst = math.inf
    return searched(worst, 2e-14, tried=tried, what="error against quadrature")


def sensitivity_of_mean(factor: str = "1", *, s_power: Any = 1, n_power: int = 1) -> Outcome:
    """|E phi| <= E |phi| <= 2 sqrt2/3 [step "bounded"].

    So one term of the mean moves by 4 sqrt2/3 at most [step "moved"], times s/n [step "units"].
    """
    s, n = symbols("s n")
    before, after, root = reals("before after root")
    limit = 2 * root / 3
    moved = for_all(
        z3.Abs(before - after) <= rational(factor) * 4 * root / 3,
        *(root > 0, root * root == 2, z3.Abs(before) <= limit, z3.Abs(after) <= limit),
    )
    units = identity((s * (4 * sp.sqrt(2) / 3) / n, 4 * sp.sqrt(2) / 3 * s**s_power / n**n_power))
    return derived(bounded=truncation_is_bounded(), moved=moved, units=units)


def supremum_of_smoothing(two: int = 2) -> Outcome:
    """Sup psi = (2 sqrt2/3) erf(sqrt(b/2)), the limit for x -> infinity.

    psi(x) is the mean of phi(x w) over the density f of w ~ N(1, 1/b), and phi is odd: over w > 0
    it is phi(x w)(f(w) - f(-w)), where f(w) >= f(-w) [step "folded", exponents over -b/2] and
    phi increases to 2 sqrt2/3; the integral of f(w) - f(-w) is erf(sqrt(b/2)) [step "total"].
    """
    w = reals("w")
    b, at = symbols("b w")
    density = sp.sqrt(b / (2 * sp.pi)) * sp.exp(-b * (at - 1) ** 2 / 2)
    total = sp.integrate(density, (at, 0, sp.oo))
    total -= sp.integrate(density.subs(at, -at), (at, 0, sp.oo))
    return derived(
        folded=for_all((w - 1) * (w - 1) <= (w + 1) * (w + 1), w >= 0),
        total=identity((total, sp.erf(sp.sqrt(b / two)))),
    )


def private_mean(constant: str = "1.25") -> Outcome:
    """Use the Gaussian mechanism at this sensitivity, :func:`gaussian_at_small_epsilon`."""
    return every(sensitivity_of_mean(), gaussian_at_small_epsilon(constant))


# ---------------------------------------------------------------------------- concentration


def logarithmic_bounds(curvature: str = "1/2") -> Outcome:
    """F = log(1 + u + u^2/2) - phi(u) on |u| <= sqrt2 and beyond.

    Here phi is u - u^3/6 up to sqrt2, +-2 sqrt2/3 beyond.

    f' = u^3 (2 + u)/(4 (1 + u + u^2/2)) there [step "slope"], so that f is smallest, 0, at u = 0.
    Beyond, phi is constant and the quadratic moves away from its value at +-sqrt2
    [step "beyond"], where the inequality holds [steps "right end", "left end"]. The lower bound is
    this for -u.
    """
    u = sp.symbols("u", real=True)
    quadratic = 1 + u + sp.Rational(curvature) * u**2
    slope = sp.diff(sp.log(quadratic) - u + u**3 / 6, u)
    v, root = reals("v root")
    larger = 1 + v + rational(curvature) * v * v
    root2 = sqrt(ball(2))
    limit = 2 * root2 / 3
    return derived(
        slope=identity((slope, u**3 * (2 + u) / (4 * (1 + u + u**2 / 2)))),
        beyond=for_all(
            z3.And(
                z3.Implies(v >= root, larger >= 2 + root),
                z3.Implies(v <= -root, larger >= 2 - root),
            ),
            *(root > 0, root * root == 2),
        ),
        right_end=less(limit, log(2 + root2)),
        left_end=less(-limit, log(2 - root2)),
    )


def largest_bias(precision: float) -> float:
    """max_k (k - psi_1(k))/k^2: the bias of the worst two-point law in units of tau/s.

    The law is s k with probability tau/(s k)^2 and 0 else.
    """
    found = scipy.optimize.minimize_scalar(
        lambda k: -(k - _psi(float(k), precision)) / k**2,
        bounds=(0.3, 4.0),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return -float(found.fun)


def _psi(k: float, precision: float) -> float:
    return float(smoothed_truncation([k], scale=1.0, precision=precision)[0])


def bias_over(rate: Callable[[float], float], allowed: float, name: str) -> Outcome:
    """Refute bias <= O(rate): at ln(1/zeta) = 1e4 it exceeds ``allowed`` times the rate.

    ``rate`` takes the precision b = sqrt(Lambda) and is in units of tau/s. Up to k = 1 the bias
    does not depend on b, so the ratio grows with it without bound.
    """
    precision = math.sqrt(_BIG)
    bias = largest_bias(precision)
    point = {"log(1/zeta)": _BIG, "precision": precision, "law": "s k w.p. tau/(s k)^2, else 0"}
    return refuted(point, bias / rate(precision), allowed, f"bias over {name}")


def bias_bound(quarter: int = 2) -> Outcome:
    """|u - phi(u)| <= u^2/2 [step "truncation"], at u = (1 + eta) x/s.

    E (1 + eta)^2 = 1 + 1/b [step "moment"].
    """
    u, root = reals("u root")
    phi = z3.If(
        z3.And(u <= root, -root <= u), u - u**3 / 6, z3.If(u > root, 2 * root / 3, -2 * root / 3)
    )
    return derived(
        truncation=for_all(z3.Abs(u - phi) <= u * u / quarter, root > 0, root * root == 2),
        moment=second_moment_of_noise(),
    )


def second_moment_of_noise(extra: int = 1) -> Outcome:
    """E (1 + eta)^2 over eta ~ N(0, 1/b)."""
    eta = sp.symbols("eta", real=True)
    b = symbols("b")
    density = sp.sqrt(b / (2 * sp.pi)) * sp.exp(-b * eta**2 / 2)
    moment = sp.integrate((1 + eta) ** 2 * density, (eta, -sp.oo, sp.oo))
    return identity((moment, 1 + extra / b))


def two_point_tails(
    n: int, value: float, probability: float, *, scale: float, precision: float, bound: float
) -> tuple[float, float]:
    """P(x-hat < mu - bound) and P(x-hat > mu + bound) for x = value w.p. ``probability``, else 0.

    psi(0) = 0, so x-hat is psi_s(value) N/n with N binomial, and these are exact.
    """
    step = float(smoothed_truncation([value], scale=scale, precision=precision)[0]) / n
    mean = value * probability
    below = scipy.stats.binom.cdf(math.ceil((mean - bound) / step) - 1, n, probability)
    above = scipy.stats.binom.sf(math.floor((mean + bound) / step), n, probability)
    return float(below), float(above)


def chernoff(
    half: str = "1/2",
    *,
    curvature: str = "1/2",
    smoothing: int = 1,
    factor: str = "1",
    logarithm: str = "1",
    sides: int = 1,
    events: int | None = None,
) -> Outcome:
    """|x-hat - E x| <= tau/(2s) (1 + 1/b) + (s/n) ln(1/zeta), each side w.p. 1 - zeta.

    By Jensen exp(E_eta phi((1+eta) x/s)) <= E_eta exp(phi(.)), so by (33) [step "logarithm"]
    E exp(psi) <= 1 + E x/s + (1 + 1/b) E x^2/(2 s^2) <= exp(...) [step "moment"]; Chernoff's bound
    at 1, for n independent records, gives zeta [step "deviation"]. With ``sides`` = 2 it is both
    sides together, and ln(2/zeta). Exact tails of two-point laws are compared [step "tails"].
    Here m = E x, v = E x^2 and Lambda = ln(1/zeta).
    Catoni and Giulini (2017) have s b/(2n) more, which is needed uniformly over many directions
    only.
    """
    share, worst, tried = float(Fraction(half)), 0.0, 0
    for n, value, p, b, zeta in itertools.product(
        (50, 2000), (0.3, 1.0, 1.9, 8.0), (1e-3, 0.05, 0.4, 0.9), (0.7, 2.0, 9.0), (0.3, 1e-2, 1e-6)
    ):
        bound = value**2 * p * share * (1 + smoothing / b)
        bound = float(Fraction(factor)) * (
            bound + float(Fraction(logarithm)) / n * math.log(1 / zeta)
        )
        tails = two_point_tails(n, value, p, scale=1.0, precision=b, bound=bound)
        worst, tried = max(worst, *(tail / zeta for tail in tails)), tried + 2
    return derived(
        logarithm=logarithmic_bounds(curvature),
        moment=second_moment_of_noise(smoothing),
        deviation=_deviation(half, smoothing, factor, logarithm, sides, events or sides),
        tails=searched(worst, 1, tried=tried, what="failure probability over zeta"),
    )


def _deviation(
    half: str, smoothing: int, factor: str, logarithm: str, sides: int, events: int
) -> Outcome:
    """Compare Chernoff's bound at the claimed deviation with zeta; v bounds E x^2, m is E x."""
    mean, second, s, b, n, zeta = symbols("m v s b n zeta")
    claimed = second / s * sp.Rational(half) * (1 + smoothing / b)
    claimed += sp.Rational(logarithm) * s / n * sp.log(events / zeta)
    moment = mean / s + (1 + 1 / b) * second / (2 * s**2)
    exponent = n * moment - n * (mean + sp.Rational(factor) * claimed) / s
    return identity((sides * sp.exp(sp.expand(exponent)), zeta))


def rate_of_rule(less_than: str = "1/2", two: int = 2) -> Outcome:
    """|error| <= sqrt(tau Lambda/n) (sqrt2 + (1/2 + ln 2)/(sqrt2 Lambda)) w.p. 1 - zeta.

    The two terms of :func:`chernoff` at zeta/2, s and b of the lemma [step "terms"].
    """
    tau, n, size = symbols("tau n Lambda")
    s, b = sp.sqrt(n * tau / (two * size)), 2 * size
    error = tau / (2 * s) * (1 + 1 / b) + s / n * (size + sp.log(2))
    root2 = sp.sqrt(2)
    constant = root2 + (sp.Rational(less_than) + sp.log(2)) / (root2 * size)
    return derived(
        terms=identity((error / sp.sqrt(tau * size / n), constant)), each_side=chernoff()
    )


def rate_19(limit: str = "10", parts: int = 4) -> Outcome:
    """Divide the three terms of the error by (19), x = 1/sqrt(Lambda), y = 1/sqrt(L).

    Each side of the mean and the noise, P(|Z| > t sigma) <= exp(-t^2/2), w.p. 1 - zeta/4 [step
    "union"]; sigma = sqrt(2 (L + ln 1.25)) (4 sqrt2/3) s/(n epsilon). The quotients
    [step "terms"] are at most the constant in the whole range [step "constant"]. Here
    L = log(1/delta).
    """
    s = "sqrt(n*tau/(2*Lambda))"
    rate = "sqrt(tau*L*Lambda/n)/epsilon"
    return _private_rate(s, "2*Lambda", rate, _terms_19, limit, parts)


def rate_20(limit: str = "13", parts: int = 4, *, local: bool = False) -> Outcome:
    """Divide the three terms by (20), or in the local model by (22), as :func:`rate_19` does.

    Here L = log(1/delta).

    In the local model s has n^(1/4) for n^(1/2), the noise of the mean is sqrt(n) times the central
    one, and the second term has a further 1/sqrt(n) <= 1.
    """
    power = "1/4" if local else "1/2"
    s = f"n**({power})*sqrt(epsilon*tau)/(sqrt(Lambda)*L**(1/4))"
    rate = f"sqrt(tau*sqrt(L)*Lambda/(n**(2*({power}))*epsilon))"
    return _private_rate(s, "sqrt(Lambda)", rate, _terms_20, limit, parts, local=local)


def _terms_19(x: Any, y: Any, epsilon: Any, root: Any, four: Any) -> tuple[Any, Any, Any]:
    r = root(2)
    return (1 + x**2 / 2) / r * epsilon * y, (1 + four * x**2) / r * epsilon * y, 1 / r


def _terms_20(x: Any, y: Any, epsilon: Any, root: Any, four: Any) -> tuple[Any, Any, Any]:
    return (1 + x) / 2, (1 + four * x**2) * epsilon * y, 1 + 0 * x


def _private_rate(
    scale: str,
    precision: str,
    rate: str,
    terms: Callable[..., tuple[Any, Any, Any]],
    limit: str,
    parts: int,
    *,
    local: bool = False,
) -> Outcome:
    names = {str(v): v for v in symbols("tau n Lambda L epsilon")}
    tau, n, size, logarithm, epsilon = names.values()
    s, b, bound = (sp.sympify(text, names, rational=True) for text in (scale, precision, rate))
    x, y = 1 / sp.sqrt(size), 1 / sp.sqrt(logarithm)
    c, four = symbols("c four")  # ln 1.25 and ln 4, from log(4/zeta)
    zeta, failure = reals("zeta failure")
    sigma = sp.sqrt(2 * (logarithm + c)) * 4 * sp.sqrt(2) / 3 * s / (n * epsilon)
    if local:
        sigma = sigma * sp.sqrt(n)
    noise = sigma * sp.sqrt(2 * (size + four))
    tail = sp.Rational(8, 3) * sp.sqrt(2) * sp.sqrt(1 + c * y**2) * sp.sqrt(1 + four * x**2) * x
    bias, fluctuation, share = terms(x, y, epsilon, sp.sqrt, four)
    if local:
        fluctuation = fluctuation / sp.sqrt(n)
    log4, log125 = log(ball(parts)), log(ball("1.25"))

    def slack(x: Ball, y: Ball, epsilon: Ball) -> Ball:
        first, second, part = terms(x, y, epsilon, lambda v: sqrt(ball(v)), log4)
        last = sqrt(1 + log125 * y**2) * sqrt(1 + log4 * x**2) * x * part
        return ball(limit) - first - second - ball(8) * sqrt(ball(2)) / 3 * last

    top = (1 / sqrt(log(ball(2)))).upper()
    return derived(
        terms=identity(
            (tau / (2 * s) * (1 + 1 / b) / bound, bias),
            (s / n * (size + four) / bound, fluctuation),
            ((noise / bound) ** 2, (share * tail) ** 2),
        ),
        union=for_all(3 * failure <= zeta, zeta > 0, parts * failure == zeta),
        constant=nonnegative(slack, {"x": (0, top), "y": (0, 1), "epsilon": (0, 1)}, whole=True),
    )


def pac_bayes_cases(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Yield random and extreme finite cases (noise law, f at the two values, p, n)."""
    for _ in range(40):
        yield rng.dirichlet(np.ones(4)), rng.normal(0, 1, (2, 4)), float(rng.uniform(0.05, 0.95)), 4
    for p in (0.02, 0.05, 0.3):
        yield np.array([1.0]), np.array([[-40.0], [0.0]]), p, 1
