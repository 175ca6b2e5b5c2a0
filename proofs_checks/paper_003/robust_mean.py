"""The robust mean (4): its soft truncation phi, and its explicit deviation bound.

xhat = (s/n) sum_i psi(x_i/s) with psi(a) = E phi(a (1 + eta)), eta ~ N(0, 1/beta). In units of
sqrt 2, phi is t - t^3/3 up to |t| = 1 and +-2/3 beyond.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import scipy

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, searched, symbols
from reference.heavy_tailed.truncation import smoothed_truncation


def soft_truncation(t: Any) -> Any:
    """phi(sqrt 2 t)/sqrt 2 as a z3 term."""
    return z3.If(t > 1, rational("2/3"), z3.If(t < -1, -rational("2/3"), t - t**3 / 3))


def deviation_bound(
    n: int,
    *,
    scale: float,
    precision: float,
    second_moment: float,
    failure_probability: float,
    divergence: bool = True,
) -> float:
    """Return a bound on |xhat - E x| that fails with probability at most zeta.

    s (beta/2 + log(2/zeta))/n + v (1 + 1/beta)/(2 s) with v >= E x^2; the term s beta/(2n) of the
    PAC-Bayesian proof is left out without ``divergence``.
    """
    deviation = math.log(2 / failure_probability) + (precision / 2 if divergence else 0.0)
    bias = second_moment * (1 + 1 / precision) / (2 * scale)
    return scale * deviation / n + bias


def two_point_failure(
    n: int, value: float, probability: float, *, scale: float, precision: float, bound: float
) -> float:
    """Return P(|xhat - mu| > bound) for x = value with the given probability, else 0.

    psi(0) = 0, so xhat is psi_s(value) N/n with N binomial.
    """
    step = float(smoothed_truncation([value], scale=scale, precision=precision)[0]) / n
    mean = value * probability
    ends = sorted(((mean - bound) / step, (mean + bound) / step))
    below = scipy.stats.binom.cdf(math.ceil(ends[0]) - 1, n, probability)
    return float(below + scipy.stats.binom.sf(math.floor(ends[1]), n, probability))


def _worst_two_point_failure(bound: Callable[..., float]) -> tuple[float, int]:
    """Return the largest P(|xhat - mu| > bound)/zeta over two-point laws, and their number."""
    worst, tried = 0.0, 0
    for n, value, p, b, zeta in product(
        (50, 2000), (0.3, 1.0, 1.9, 8.0), (1e-3, 0.05, 0.4, 0.9), (0.7, 2.0, 9.0), (0.3, 1e-2, 1e-6)
    ):
        allowed = bound(
            n, scale=1.0, precision=b, second_moment=value**2 * p, failure_probability=zeta
        )
        failure = two_point_failure(n, value, p, scale=1.0, precision=b, bound=allowed)
        worst, tried = max(worst, failure / zeta), tried + 1
    return worst, tried


def deviation_is_bounded(
    curvature: str = "1/2", smoothing: int = 1, factor: float = 1.0
) -> Outcome:
    """|xhat - E x| <= s log(2/zeta)/n + v (1 + 1/beta)/(2 s) with probability 1 - zeta.

    1. phi(u) <= log(1 + u + u^2/2) for every u. Up to |u| = sqrt 2 the difference has slope
       f/(1 + u + u^2/2) [step "slope"] where u f >= 0 [step "sign"], and it is 0 at 0. Beyond, phi
       is constant and 1 + u + u^2/2 grows outwards [step "outwards"]. The lower bound is u -> -u.
    2. Jensen: exp(psi(a)) <= E exp(phi(a (1 + eta))) <= 1 + a + c a^2, c = (1 + 1/beta)/2 [step
       "smoothed": E(1 + eta) = 1 and E(1 + eta)^2 = 1 + 1/beta].
    3. E exp(psi(x/s)) <= 1 + mu/s + c v/s^2 <= exp(mu/s + c v/s^2).
    4. Markov for the product over n independent records: xhat > mu + c v/s + s log(1/zeta)/n with
       probability at most zeta [step "Markov"].
    5. The other side is the same for -x; zeta/2 for each.

    Two-point laws have exact tails [step "tails"]. Catoni and Giulini (2017) have s beta/(2n)
    more, which is needed uniformly over many directions only.
    """
    c, u = sp.Rational(curvature), sp.Symbol("u", real=True)
    numerator = (1 + 2 * c * u) - (1 - u**2 / 2) * (1 + u + c * u**2)
    gap = sp.log(1 + u + c * u**2) - u + u**3 / 6
    x, y = reals("x y")
    half = rational(curvature)
    slope = (1 + 2 * half * x) - (1 - x * x / 2) * (1 + x + half * x * x)

    def inside(at: Any) -> Any:
        return 1 + at + half * at * at

    a, b, eta = sp.Symbol("a", real=True), sp.Symbol("beta", positive=True), sp.Symbol("eta")
    second = 1 + smoothing / b
    expanded = sp.Poly(sp.expand(1 + a * (1 + eta) + (a * (1 + eta)) ** 2 / 2), eta)
    moments = {0: 1, 1: 0, 2: 1 / b}  # of eta
    smoothed = sum(value * moments[power] for (power,), value in expanded.terms())
    n, s, v, mu, size = symbols("n s v mu l")
    bias = second / 2 * v
    worst, tried = _worst_two_point_failure(
        lambda *args, **kwargs: factor * _without_smoothing(smoothing, *args, **kwargs)
    )
    return derived(
        slope=identity((sp.diff(gap, u), numerator / (1 + u + c * u**2))),
        sign=for_all(x * slope >= 0, x * x <= 2),
        outwards=for_all(
            z3.And(
                z3.Implies(z3.And(x >= 0, y >= x), inside(y) >= inside(x)),
                z3.Implies(z3.And(x <= -1, y <= x), inside(y) >= inside(x)),
            )
        ),
        smoothed=identity((smoothed, 1 + a + second / 2 * a**2)),
        Markov=identity(
            (s / n * (n * (mu / s + bias / s**2) + size), mu + bias / s + s * size / n)
        ),
        tails=searched(worst, 1, tried=tried, what="failures of two-point laws over zeta"),
    )


def _without_smoothing(smoothing: int, n: int, **parameters: float) -> float:
    """The bound without the divergence, and with ``smoothing`` 0 also without the 1/beta."""
    bound = deviation_bound(n, divergence=False, **parameters)
    lost = parameters["second_moment"] / (2 * parameters["precision"] * parameters["scale"])
    return bound - (1 - smoothing) * lost
