"""Facts that several statements of the paper rest on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import derived, every, for_all, identity, rational, reals, symbols


def triangle(factor: str = "1") -> Outcome:
    """||u + v|| <= ||u|| + ||v||, by squaring: <u, v> <= ||u|| ||v||."""
    u, v, inner = reals("u v inner")
    claim = u**2 + v**2 + 2 * inner <= (u + rational(factor) * v) ** 2
    return for_all(claim, u >= 0, v >= 0, inner <= u * v)


def half_tail(constant: Fraction = Fraction(1, 2)) -> Outcome:
    """Phi(-x) <= constant exp(-x^2/2) for all x >= 0.

    The difference f is constant - 1/2 at 0 [step "start"] and 0 at infinity; its slope is
    exp(-x^2/2) (1/sqrt(2 pi) - constant x) [step "slope"], first positive, then negative.
    """
    x = symbols("x", real=True)
    c = sp.Rational(constant.numerator, constant.denominator)
    f = c * sp.exp(-(x**2) / 2) - sp.erfc(x / sp.sqrt(2)) / 2
    slope = sp.exp(-(x**2) / 2) * (1 / sp.sqrt(2 * sp.pi) - c * x)
    return derived(
        start=every(
            identity((f.subs(x, 0), c - sp.Rational(1, 2))),
            for_all(rational(constant) >= rational("1/2")),
        ),
        slope=identity((sp.diff(f, x), slope)),
    )


def half_moment(constant: Fraction = Fraction(1, 2)) -> Outcome:
    """For a >= 0 the integral over z >= a of (z - a)^2 phi is at most constant exp(-a^2/2).

    At z = a + t the density is exp(-a^2/2) exp(-a t) phi(t) [step "shift"] <= exp(-a^2/2) phi(t),
    and the integral of t^2 phi over t >= 0 is 1/2 [step "moment"].
    """
    a, t = symbols("a t")

    def density(z: Any) -> Any:
        return sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)

    moment = sp.integrate(t**2 * density(t), (t, 0, sp.oo))
    half = Fraction(int(moment.p), int(moment.q))
    return derived(
        shift=identity((density(a + t), sp.exp(-(a**2) / 2) * sp.exp(-a * t) * density(t))),
        moment=for_all(rational(half) <= rational(constant)),
    )


def union_over_steps(power: int = 1) -> Outcome:
    """N0 = c log n steps that each fail with probability C'/(log d log n): C' c/(log d)^power.

    P(A or B) <= P(A) + P(B) [step "two"]; N0 of them [step "all"].
    """
    c, bound, log_d, log_n = symbols("c C log_d log_n")
    a, b, both = reals("a b both")
    return derived(
        two=for_all(a + b - both <= a + b, both >= 0, a >= both, b >= both),
        all=identity((c * log_n * bound / (log_d * log_n), c * bound / log_d**power)),
    )


def squared_scale(constant: int, s: Any, size: Any, part: Any, n: Any, epsilon: Any) -> Any:
    """Return b^2 of NoisyHT at sensitivity constant part/n, size = log(1/delta)."""
    return (constant * part / n) ** 2 * 12 * s * size / epsilon**2


def symmetric_in_sign(factor: str = "2") -> Outcome:
    """The worst risk over +-b is at least ||b||, for every b: the minimax risk is infinite.

    The law of the mixture is the same at b and -b [step "symmetric", for m = <b, y> or the fit
    <x, b>], and ||M - b|| + ||M + b|| >= 2 ||b|| [step "triangle"]. So the right-hand side of a
    lower bound over unrestricted b holds trivially, with privacy or without.
    """
    y, b, sigma = symbols("y b sigma", positive=True)

    def law(mean: Any) -> Any:
        return sp.exp(-((y - mean) ** 2) / (2 * sigma**2))

    near, far, m, size, inner = reals("near far m b inner")
    return derived(
        symmetric=identity((law(b) + law(-b), (law(b) + law(-b)).subs(b, -b))),
        triangle=for_all(
            near + far >= rational(factor) * size,
            *(near >= 0, far >= 0, m >= 0, size >= 0, inner <= m * size, -inner <= m * size),
            *(near**2 == m**2 - 2 * inner + size**2, far**2 == m**2 + 2 * inner + size**2),
        ),
    )
