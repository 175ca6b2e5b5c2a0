"""Facts that several statements of the paper rest on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_checks.balls import Ball, ball, sqrt
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    less,
    rational,
    reals,
    symbols,
)


def triangle(factor: str = "1") -> Outcome:
    """||u + v|| <= ||u|| + ||v||, by squaring: <u, v> <= ||u|| ||v||."""
    u, v, inner = reals("u v inner")
    claim = u**2 + v**2 + 2 * inner <= (u + rational(factor) * v) ** 2
    return for_all(claim, u >= 0, v >= 0, inner <= u * v)


def half_tail(constant: Fraction = Fraction(1, 2), *, two: int = 2, power: int = 2) -> Outcome:
    """P(Z >= x) <= constant exp(-x^2/(2 s^2)) for all x >= 0, Z ~ N(0, s^2).

    The difference f is constant - 1/2 at 0 [step "start"] and 0 at infinity; its slope is
    exp(-x^2/(2 s^2)) (1/sqrt(2 pi) - constant x/s)/s [step "slope"], first positive, then negative.
    """
    x, s = symbols("x", real=True), symbols("s")
    c = sp.Rational(constant.numerator, constant.denominator)
    f = c * sp.exp(-(x**2) / (two * s**power)) - sp.erfc(x / (s * sp.sqrt(2))) / 2
    slope = sp.exp(-(x**2) / (2 * s**2)) * (1 / sp.sqrt(2 * sp.pi) - c * x / s) / s
    return derived(
        start=every(
            identity((f.subs(x, 0), c - sp.Rational(1, 2))),
            for_all(rational(constant) >= rational("1/2")),
        ),
        slope=identity((sp.diff(f, x), slope)),
    )


def excess_of_truncation(level: int = 2) -> Outcome:
    """The sum of (|X_i| - tau)_+ over at most n records, P(|X| > x) <= 2 exp(-x^2/2).

    (tau + t)^2/2 >= tau^2/2 + tau t [step "exponent"], so that E exp(tau (|X| - tau)_+/2) is at
    most 1 + 2 exp(-tau^2/2) [step "moment"], 1 + 2/n at tau^2 = 2 log n [step "level"]. With
    1 + x <= e^x and Markov's inequality the sum exceeds (2/tau)(2 + a) with probability at most
    e^-a [step "markov"].
    """
    n, tau, t, a = symbols("n tau t a")
    x, y = reals("tau t")
    tail = 2 * sp.exp(-(tau**2) / 2 - tau * t)
    moment = sp.integrate(tau / 2 * sp.exp(tau * t / 2) * tail, (t, 0, sp.oo))
    return derived(
        exponent=for_all((x + y) ** 2 >= x**2 + 2 * x * y),
        moment=identity((moment, 2 * sp.exp(-(tau**2) / 2))),
        level=identity((2 * sp.exp(-level * sp.log(n) / 2), 2 / n)),
        markov=identity((2 - tau / 2 * (2 / tau * (2 + a)), -a)),
    )


def half_moment(constant: Fraction = Fraction(1, 2), *, power: int = 2) -> Outcome:
    """For a >= 0 the integral of (z - a)^2 f over z >= a is at most constant s^2 exp(-a^2/(2 s^2)).

    f is the density of N(0, s^2). At z = a + t it is exp(-a^2/(2 s^2)) exp(-a t/s^2) f(t) [step
    "shift"] <= exp(-a^2/(2 s^2)) f(t), and the integral of t^2 f over t >= 0 is s^2/2 [steps
    "scale", "moment"].
    """
    a, t, s = symbols("a t s")

    def density(z: Any) -> Any:
        return sp.exp(-(z**2) / (2 * s**2)) / (s * sp.sqrt(2 * sp.pi))

    moment = sp.integrate(t**2 * density(t), (t, 0, sp.oo))
    unit = moment.subs(s, 1)
    factors = sp.exp(-(a**2) / (2 * s**2)) * sp.exp(-a * t / s**2)
    return derived(
        shift=identity((density(a + t), factors * density(t))),
        scale=identity((moment, unit * s**power)),
        moment=for_all(rational(Fraction(int(unit.p), int(unit.q))) <= rational(constant)),
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


def deviations_of_means(
    growth: Ball, scale: Ball, constant: str, events: int, power: int = 1, rate: int = 1
) -> dict[str, Outcome]:
    """d means of n >= t records with E exp(|X|/A) <= K, t = log d + log(events/tau).

    E|X - EX|^k <= 2^k E|X|^k <= k! (2A)^k (K - 1), so Bernstein's inequality (Boucheron, Lugosi and
    Massart 2013, Theorem 2.10, cited) with c = 2A and v = 2 (K - 1) c^2 bounds a mean's error by
    sqrt(2 v t/n) + c t/n but for 2 e^-t, and d of them have tau together [steps "union", "events"].
    The first is 2 sqrt(K - 1) c sqrt(t/n), and the second at most c sqrt(t/n) for t <= n [step
    "rate"]: C = 2 A (1 + 2 sqrt(K - 1)) [step "constant"].
    """
    d, tau = symbols("d tau")
    k, c, t, n = symbols("K c t n")
    variance = 2 * (k - 1) * c**2
    width, root = reals("c root")
    exponent = power * sp.log(d) + sp.log(events / tau)
    return {
        "union": identity((d * sp.exp(-exponent), tau / events)),
        "events": for_all(2 * rational(1) <= events * rational(1)),
        "rate": every(
            identity((2 * variance * t / n, (2 * c) ** 2 * (k - 1) * (t / n) ** rate)),
            for_all(width * root**2 <= width * root, width > 0, root > 0, root <= 1),
        ),
        "constant": less(2 * scale * (1 + 2 * sqrt(growth - 1)), ball(constant)),
    }


def normal_square() -> Outcome:
    """E exp(Z^2/4) = sqrt 2."""
    z = symbols("z")
    density = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    moment = 2 * sp.integrate(sp.exp(z**2 / 4) * density, (z, 0, sp.oo))
    return identity((moment, sp.sqrt(2)))


def squares_add_up(share: str = "1", power: int = 1, square: int = 2) -> Outcome:
    """n coordinates of size at most C have a squared norm of at most n C^2, by induction."""
    x, level, count, before = reals("x C n before")
    f = rational(share) * level**square
    return for_all(
        before + x**2 <= f * (count + 1) ** power,
        *(count >= 1, level >= 0, -level <= x, x <= level, before <= f * count**power),
    )


def noise_of_batches(
    budget: int = 1, power: int = 3, sparsity: int = 1, dimension: int = 1, records: int = 1
) -> Outcome:
    """The square of the noise (18) on batches of n0 = n/log n records is that of (3)'s third term.

    Up to constants; (18) is 48 times less than the norm (17) of the noise, at C = log d.
    """
    s, log_d, size, ell, n, epsilon = symbols("s log_d L l n epsilon")
    square = squared_scale(2, s, size, sp.sqrt(ell), n / ell, epsilon)
    term = (s**sparsity * log_d**dimension / (n * epsilon) ** records) ** 2 * size**budget
    return identity((s * log_d**2 * square, 48 * term * ell**power))


def statistical_order(constant: str = "3", sparsity: int = 1, records: int = 1) -> Outcome:
    """s alpha^2, alpha^2 = C (log d + log(2 N0/tau)) N0/n on batches of n/N0, tau/N0 per step.

    With the batch's n0 [step "batch"], N0 = ceil(log n) <= (3/2) log n, this is at most
    3 C s log d log n/n [step "order"].
    """
    log_d, extra, steps, log_n = reals("log_d extra steps log_n")
    s, n, rounds, size = symbols("s n N0 size")
    return derived(
        batch=identity((s * size / (n / rounds), s**sparsity * size * rounds / n**records)),
        order=for_all(
            (log_d + extra) * steps <= rational(constant) * log_d * log_n,
            *(log_d > 0, extra >= 0, extra <= log_d, log_n >= 2, steps > 0, 2 * steps <= 3 * log_n),
        ),
    )


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
