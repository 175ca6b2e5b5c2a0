"""Appendix C.7: Lemma C.1, the truncation of a sub-Gaussian variable."""

from __future__ import annotations

from functools import partial
from typing import Any

from mpmath import mp

from proofs_checks.balls import ball, exp
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, reals, refuted, symbols

statement = partial(any_statement, algorithms=("zhang-5", "zhang-6"), kind="concentration")


def _second(constant: int) -> Outcome:
    """The integral of 2 (t - T) exp(-t^2/2s^2) over t >= T is at most 2 s^2 exp(-T^2/2s^2).

    t - T <= t [step "smaller"], and of 2t it is exactly that [step "integral"]. The integral of
    2 (t - T) over t in [T, x] is (x - T)^2 [step "inner"]; Fubini, and (76) for P(X > t).
    """
    t, level, sigma = symbols("t T sigma")
    tail = sp.exp(-(t**2) / (2 * sigma**2))
    integral = sp.integrate(2 * t * tail, (t, level, sp.oo))
    x, y = reals("t T")
    at_level = tail.subs(t, level)
    at = symbols("x")
    return derived(
        inner=identity((sp.integrate(2 * (t - level), (t, level, at)), (at - level) ** 2)),
        smaller=for_all(x - y <= x, y >= 0),
        integral=identity((integral, constant * sigma**2 * at_level)),
    )


def _fourth(constant: int, times: int = 4) -> Outcome:
    """For 4 (t - T)^3 it is at most 4 s^2 (T^2 + 2 s^2) exp(-T^2/2s^2), by t - T <= t again.

    Over t in [T, x] 4 (t - T)^3 has the integral (x - T)^4 [step "inner"], as in the second moment.
    """
    t, level, at, sigma = symbols("t T x sigma")
    antiderivative = -4 * sigma**2 * (t**2 + constant * sigma**2) * sp.exp(-(t**2) / (2 * sigma**2))
    slope = 4 * t**3 * sp.exp(-(t**2) / (2 * sigma**2))
    x, y = reals("t T")
    inner = sp.integrate(sp.expand(times * (t - level) ** 3), (t, level, at))
    return derived(
        inner=identity((inner, (at - level) ** 4)),
        smaller=for_all((x - y) ** 3 <= x**3, y >= 0, x >= y),
        integral=identity((sp.diff(antiderivative, t), slope)),
    )


@statement(
    "002 Lemma C.1",
    lines="1048-1050, 1280-1310",
    printed="mean 0, variance sigma^2, T = O(sigma sqrt(log n)): E(Pi_T(X)-X)^2 = O(1/n), fourth "
    "moment O(log n/n)",
    checked="at most 4 sigma^2/n and 16 sigma^4 (log n + 1)/n",
    added="sigma^2 is the variance proxy; T = c sigma sqrt(log n) with a large enough constant, "
    "c >= sqrt 2",
    refuses={
        "3 sigma^2/n": {"second": 3},
        "16 sigma^4 log n/n": {"one": 0},
        "sigma sqrt(log n)": {"level": 1},
    },
    unchecked={
        "Pi_T, X": "by the integrals of (77) and (79), which the steps bound",
    },
)
def proxy_and_root_two(second: int = 4, one: int = 1, level: int = 2) -> Outcome:
    """Two tails each of (78) and (80), corrected, at T^2 = 2 sigma^2 log n [step "at level"].

    A larger T makes them smaller: (u + 2 s^2) exp(-u/2s^2) decreases with u = T^2 [step "larger"].
    """
    n, sigma, u = symbols("n sigma u")
    square = level * sigma**2 * sp.log(n)
    tail = sp.exp(-square / (2 * sigma**2))
    fourth = (u + 2 * sigma**2) * sp.exp(-u / (2 * sigma**2))
    return derived(
        second=_second(2),
        fourth=_fourth(2),
        at_level=identity(
            (2 * 2 * sigma**2 * tail, second * sigma**2 / n),
            (
                2 * 4 * sigma**2 * (square + 2 * sigma**2) * tail,
                16 * sigma**4 * (sp.log(n) + one) / n,
            ),
        ),
        larger=identity((sp.diff(fourth, u), -u / (2 * sigma**2) * sp.exp(-u / (2 * sigma**2)))),
    )


@statement(
    "002 (76)",
    lines="1280-1282",
    printed="P(X > t) <= exp(-t^2/2sigma^2), P(X < -t) <= exp(-t^2/2sigma^2), sigma^2 the variance",
    false="sigma^2 must be the variance proxy",
    errata=("002 Lemma C.1/E1",),
)
def with_the_variance() -> Outcome:
    """X + .05 ~ Bernoulli(.05), variance .0475: P(X > .949) = .05."""
    bound = exp(-(ball("0.949") ** 2) / (2 * ball("0.0475")))
    return refuted({"p": 0.05, "t": 0.949}, ball("0.05"), bound, "probability")


@with_the_variance.corrected(
    "with E exp(l X) <= exp(l^2 sigma^2/2) for all l",
    refuses={"exp(-t^2/sigma^2)": {"two": 1}},
    unchecked={
        "X": "by its moment generating function, whose exponent the step has",
    },
)
def with_the_proxy(two: int = 2) -> Outcome:
    """Chernoff at l = t/sigma^2: exponent l^2 sigma^2/2 - l t."""
    t, sigma = symbols("t sigma")
    at = t / sigma**2
    return identity((at**2 * sigma**2 / 2 - at * t, -(t**2) / (two * sigma**2)))


def _pointwise(power: int, shift: int) -> Outcome:
    """The integrands: |Pi_T(x) - x| is x - T above T, -(T + x) below -T, 0 between."""
    x, t = reals("x T")
    cut = z3.If(x > t, t, z3.If(x < -t, -t, x))

    def raised(value: Any) -> Any:
        square = value * value
        return square if power == 2 else square * square

    right = z3.If(x > t, raised(x - t), z3.If(x < -t, raised(t + shift * x), 0))
    return derived(pointwise=for_all(raised(cut - x) == right, t > 0))


@statement(
    "002 (77)",
    lines="1284-1286",
    printed="E(Pi_T(X)-X)^2 = int_T (x-T)^2 f + int^{-T} (T+x)^2 f",
    refuses={"(T-x)^2 in the second": {"shift": -1}},
    unchecked={
        "Pi_T": "written out in the step: T, -T or x",
        "X, f": "the integrands are equal at every x, whatever the density f",
    },
)
def second_moment(shift: int = 1) -> Outcome:
    """See :func:`_pointwise`."""
    return _pointwise(2, shift)


@statement(
    "002 (78)",
    lines="1288-1293",
    printed="int_T (x-T)^2 f <= 2 int_T (t-T) exp(-t^2/2sigma^2) dt <= 2 exp(-T^2/2sigma^2)",
    false="the last step loses a factor sigma^2",
    errata=("002 Lemma C.1/E1",),
)
def lost_square() -> Outcome:
    """sigma = 5, T = 0: the middle is 2 sigma^2 = 50, the right-hand side 2."""
    with mp.workdps(20):
        middle = mp.quad(lambda t: 2 * t * mp.exp(-(t**2) / 50), [0, 20, 60])
        return refuted({"sigma": 5, "T": 0}, middle, mp.mpf(2), "second against third")


@lost_square.corrected("2 sigma^2 exp(-T^2/2sigma^2)", refuses={"sigma^2": {"constant": 1}})
def second_tail(constant: int = 2) -> Outcome:
    """See :func:`_second`."""
    return _second(constant)


@statement(
    "002 (79)",
    lines="1299",
    printed="E(Pi_T(X)-X)^4 = int_T (x-T)^4 f + int^{-T} (T+x)^4 f",
    refuses={"(T-x)^4 in the second": {"shift": -1}},
    unchecked={
        "Pi_T": "written out in the step: T, -T or x",
        "X, f": "the integrands are equal at every x, whatever the density f",
        "4": "the step has the square of the square",
    },
)
def fourth_moment(shift: int = 1) -> Outcome:
    """See :func:`_pointwise`."""
    return _pointwise(4, shift)


@statement(
    "002 (80)",
    lines="1303-1308",
    printed="int_T (x-T)^4 f <= 4 int_T t^3 exp(-t^2/2sigma^2) dt = c0 T^2 exp(-T^2/2sigma^2) + "
    "c1 exp(-T^2/2sigma^2)",
    checked="c0 = 4 sigma^2, c1 = 8 sigma^4",
    refuses={"c1 = 4 sigma^4": {"constant": 1}, "3 for 4 before the integral": {"times": 3}},
    unchecked={
        "f": "any density with the tails of (76)",
        "c0, c1": '4 sigma^2 and 8 sigma^4 in step "integral"',
    },
)
def fourth_tail(constant: int = 2, times: int = 4) -> Outcome:
    """See :func:`_fourth`."""
    return _fourth(constant, times)
