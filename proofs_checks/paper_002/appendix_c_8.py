"""Appendix C.8: Lemma C.2, the truncation of a product."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from proofs_checks.balls import Ball, ball, exp, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.facts import excess_of_truncation, squares_add_up, triangle
from proofs_checks.statement import Wrong
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    nonnegative,
    rational,
    reals,
    symbols,
)

statement = partial(any_statement, algorithms=("zhang-5", "zhang-6"), kind="concentration")

_FIXED_SET_REFUSES: Wrong = {
    "T = sigma sqrt(log n)": {"level": 1},
    "30 for 48": {"total": "30"},
    "without log d": {"logarithms": 0},
    "36 without one of the three terms": {"parts": 2},
    "0.9 of the mean of squares": {"share": "0.9"},
}


def _three_terms(factor: str = "1", count: int = 1, first: int = 1, last: int = 1) -> Outcome:
    """y x - y~ x~ = (y - y~) x~ + (y - y~)(x - x~) + y~ (x - x~) [step "sum"].

    ||x~_S||^2 <= s T^2, by induction over S [step "norm"], and |y~| <= T; the triangle inequality.
    So the norms of the three are at most what is claimed [step "sizes", r = sqrt s].
    """
    y, x, cut_y, cut_x = symbols("y x cut_y cut_x", real=True)
    cut, r, y_error, x_error, y_size, x_size, both = reals("T r y_error x_error y~ x~ both")
    parts = (y - cut_y) * cut_x + (y - cut_y) * (x - cut_x) + cut_y * (x - cut_x)
    return derived(
        sum=identity((y * x - cut_y * cut_x, parts)),
        norm=squares_add_up(power=count),
        triangle=triangle(factor),
        sizes=for_all(
            y_error * x_size + both + y_size * x_error
            <= cut**first * r * y_error + both + cut**last * x_error,
            *(cut > 0, r > 0, y_error >= 0, x_error >= 0, both >= 0),
            *(x_size >= 0, x_size <= r * cut, y_size >= 0, y_size <= cut),
        ),
    )


def _cauchy_schwarz(factor: str = "1", power: int = 4, count: int = 1) -> Outcome:
    """E U^2 V^2 <= sqrt(E U^4 E V^4) on two equally likely points [step "two"].

    More points by induction. The sum of s equal terms [step "sum"]. In (83), a = Pi(y) - y and
    c = Pi(x_j) - x_j at one of the points.
    """
    a, b, c, d = reals("a b c d")
    right = rational(factor) * (a**power + b**power) * (c**power + d**power)
    s, j = sp.symbols("s j", positive=True, integer=True)
    each = symbols("each")
    return derived(
        two=for_all((a**2 * c**2 + b**2 * d**2) ** 2 <= right),
        sum=identity((sp.Sum(each, (j, 1, s)), s**count * each)),
    )


def _chebyshev(
    level: int, total: str, logarithms: int = 1, parts: int = 3, share: str = "1"
) -> Outcome:
    """36 times the sum of the second moments over xi^2 = (s log d/n) (log n)^2.

    The square of a mean of k = n_0 terms is at most the mean of their squares [step "mean", by
    induction]. One of three terms exceeds xi/6 if their sum exceeds xi/2 [step "events"], and each
    is by Markov's inequality on its square as likely as 36 times its second moment over xi^2 allows
    [step "markov"].
    Lemma C.1, corrected: T^2 4 sigma^2/n twice and 16 sigma^4 (log n + 1)/n, at
    T^2 = 2 sigma^2 log n [step "moments"]; 32 l + 16 <= 48 l for l = log n >= 1 [step "order"]. So
    the probability is at most 36 x 48 sigma^4/(log d log n) [step "probability"].
    """
    n, s, sigma, log_d = symbols("n s sigma log_d")
    log_n = sp.log(n)
    xi_square = s * log_d**logarithms / n * log_n**2
    square = level * sigma**2 * log_n
    tail = sp.exp(-square / (2 * sigma**2))
    terms = 2 * square * s * 4 * sigma**2 * tail + s * 16 * sigma**4 * (log_n + 1) * tail
    ell, xi, *means = reals("l xi a b c")
    threshold = symbols("xi")
    k, mean, squares, one = reals("k mean squares one")
    claimed = rational(share) * (k + 1)
    return derived(
        mean=for_all(  # times (k + 1)^2
            (k * mean + one) ** 2 <= claimed * (k * squares + one**2),
            *(k >= 1, mean**2 <= squares),
        ),
        events=for_all(
            z3.Or(*(6 * mean > xi for mean in means[:parts])),
            *(mean >= 0 for mean in means),
            *(xi > 0, 2 * sum(means) > xi),
        ),
        markov=identity(((threshold / 6) ** -2, 36 / threshold**2)),
        moments=identity((terms, s * sigma**4 * (32 * log_n + 16) / n)),
        order=for_all(32 * ell + 16 <= rational(total) * ell, ell >= 1),
        probability=identity(
            (36 * 48 * s * sigma**4 * log_n / n / xi_square, 36 * 48 * sigma**4 / (log_d * log_n))
        ),
    )


def _fixed_set(
    level: int = 2, total: str = "48", logarithms: int = 1, parts: int = 3, share: str = "1"
) -> Outcome:
    """(81) splits, (83) separates the factors, (84) is Chebyshev's inequality for the mean."""
    return derived(
        terms=_three_terms(),
        factors=_cauchy_schwarz(),
        chebyshev=_chebyshev(level, total, logarithms, parts, share),
    )


UNIFORM_PRODUCTS = (
    "restricted to any s coordinates, whichever are selected: each mean of products is at most 25 "
    "sigma^2 sqrt(s log d/n) log n w.p. 1 - 4/(log d log n), for T = sigma sqrt(2 log n) with the "
    "larger variance proxy and 1 <= log d <= n"
)
UNIFORM_PRODUCTS_UNCHECKED = {"s": 'the number of entries, which step "norm" has as n'}
UNIFORM_PRODUCTS_REFUSES: Wrong = {
    "T = sigma sqrt(log n)": {"level": 1},
    "24 for 25": {"constant": "24"},
    "without log d": {"logarithms": 0},
    "without s": {"count": 0},
    "sigma for sigma^2": {"power": 1},
    "without log n": {"order": 0},
    "1 - 3/(log d log n)": {"failures": 3},
}


def uniform_products(
    level: int = 2,
    constant: str = "25",
    logarithms: int = 1,
    count: int = 1,
    power: int = 2,
    order: int = 1,
    failures: int = 4,
) -> Outcome:
    """In every coordinate |y x - y~ x~| <= |x| (|y| - T)_+ + T (|x| - T)_+ [step "split"].

    Let tau = sqrt(2 l), T = sigma tau, l = log n, L = log d. By :func:`excess_of_truncation` [step
    "excess"] the sum of (|x_j| - T)_+ is at most (2 sigma/tau)(2 + 2L + log l) for every j but for
    a probability of 1/(d l), that of (|y| - T)_+ at most (2 sigma/tau)(2 + log(L l)) but for
    1/(L l), and all |x_ij| are at most 2 sigma sqrt(l + L) but for 2/(nd) [steps "sums", "entries",
    "failures": n >= l, d >= L]. On n0 >= (2/3) n/l records these contribute 3 sigma^2 (l/n)(2 + 2L
    + log l) and, as l + L <= 2 L l [step "both"] and log L <= l, (6 sigma^2 l sqrt(L)/n)(2 + l +
    log l) [step "second"]. 3 log l <= sqrt(n) and 2 + l + log l <= 2 sqrt(n) [steps "small",
    "growth"; beyond l = 30 by log l <= l and e^u >= u^2/2], so that they are at most 13 and 12
    times sigma^2 l sqrt(L/n) [step "first"]; s entries add up [step "norm"].
    """
    x, y, cut = reals("x y T")
    n, ell, log_d, sigma = symbols("n l L sigma")
    small, other, size, half, root, d = reals("l L n half root d")

    def shrunk(value: Any) -> Any:
        return z3.If(value > cut, cut, value)

    def beyond(value: Any) -> Any:
        return z3.If(value > cut, value - cut, 0)

    def sides(bound: str, value: Callable[[Ball], Ball]) -> Outcome:
        rest = for_all(
            z3.And(8 + 8 * small <= small * small, 24 * small <= small * small), small >= 30
        )
        return nonnegative(
            lambda at: ball(bound) - value(at) * exp(-at / 2), {"l": (1, 30)}, rest=rest
        )

    entries = 2 * sp.exp(ell + log_d - (2 * sp.sqrt(ell + log_d)) ** 2 / 2)
    tau, batch = sp.sqrt(2 * ell), 3 * ell / (2 * n)
    first = batch * sigma * tau * 2 * sigma / tau
    second = batch * 2 * sigma * sp.sqrt(2 * log_d * ell) * 2 * sigma / tau
    every_sum = sp.exp(log_d - 2 * log_d - sp.log(ell)), sp.exp(-log_d) / ell
    return derived(
        split=for_all(  # x, y >= 0 without loss
            x * y - shrunk(x) * shrunk(y) <= x * beyond(y) + cut * beyond(x),
            *(x >= 0, y >= 0, cut > 0),
        ),
        excess=excess_of_truncation(level),
        sums=identity(every_sum, (sp.exp(-sp.log(log_d * ell)), 1 / (log_d * ell))),
        entries=identity((entries, 2 * sp.exp(-ell - log_d))),
        failures=for_all(  # 1/(d l) + 1/(L l) + 2/(n d), times d L l n
            other * size + d * size + 2 * other * small <= failures * d * size,
            *(small >= 1, other >= 1, d >= other, size >= small),
        ),
        both=for_all(small + other <= 2 * other * small, small >= 1, other >= 1),
        second=identity(
            (first, 3 * sigma**power * ell / n),
            (second, 6 * sigma**power * ell * sp.sqrt(log_d) / n),
        ),
        small=sides("1/3", log),
        growth=sides("2", lambda at: 2 + at + log(at)),
        first=for_all(
            small * (6 + 6 * other + half + 12 * root) <= rational(constant) * small**order * root,
            *(small >= 1, other >= 1, other <= size, half > 0, half * half == size),
            *(root > 0, root * root == other**logarithms * size),
        ),
        norm=squares_add_up(power=count),
    )


@statement(
    "002 Lemma C.2",
    lines="1052-1058, 1312-1341",
    printed="(1/n0) sum ||(y x - Pi_T(y) Pi_T(x))_S|| <= C sqrt(s log d/n) log n, fixed S, w.p. 1 -"
    " m0/(log n log d) ((40))",
    added="T = sigma sqrt(2 log n), sigma^2 the larger variance proxy, log n >= 1",
    refuses=_FIXED_SET_REFUSES,
    unchecked={
        "S": 'its s entries; step "norm" adds them up',
        "m0": '36 x 48 sigma^4 in step "probability"',
    },
)
def product_truncation(
    level: int = 2, total: str = "48", logarithms: int = 1, parts: int = 3, share: str = "1"
) -> Outcome:
    """See :func:`_fixed_set`; xi/2 <= the bound."""
    return _fixed_set(level, total, logarithms, parts, share)


product_truncation.restated(
    "002 (40)",
    lines="1056-1058",
    printed="(1/n0) sum ||(y x - Pi_T(y) Pi_T(x))_S|| <= C sqrt(s log d/n) log n",
)


@statement(
    "002 (81)",
    lines="1316-1318",
    printed="||(y x - Pi(y) Pi(x))_S|| <= T sqrt(s) |Pi(y)-y| + ||((Pi(y)-y)(Pi(x)-x))_S|| + "
    "T ||(Pi(x)-x)_S||",
    refuses={
        "0.9 of a term": {"factor": "0.9"},
        "T for T sqrt(s)": {"count": 0},
        "sqrt(s) |Pi(y)-y|": {"first": 0},
        "||(Pi(x)-x)_S|| without T": {"last": 0},
    },
)
def three_terms(factor: str = "1", count: int = 1, first: int = 1, last: int = 1) -> Outcome:
    """See :func:`_three_terms`."""
    return _three_terms(factor, count, first, last)


@statement(
    "002 (82)",
    lines="1322-1324",
    printed="E||(Pi_T(x)-x)_S||^2 = s E(Pi_T(x_j)-x_j)^2",
    refuses={"E(Pi_T(x_j)-x_j)^2 without s": {"power": 0}},
)
def equal_coordinates(power: int = 1) -> Outcome:
    """The sum of s equal terms, each = E(Pi_T(x_j) - x_j)^2."""
    s = symbols("s", integer=True, positive=True)
    each = symbols("each")
    j = symbols("j", integer=True)
    return identity((sp.Sum(each, (j, 1, s)).doit(), s**power * each))


@statement(
    "002 (83)",
    lines="1328-1331",
    printed="E||((Pi(y)-y)(Pi(x)-x))_S||^2 <= s sqrt(E(Pi(y)-y)^4 E(Pi(x_j)-x_j)^4)",
    refuses={
        "0.9 of it": {"factor": "0.81"},
        "second moments for fourth ones": {"power": 2},
        "without s": {"count": 0},
    },
)
def separated(factor: str = "1", power: int = 4, count: int = 1) -> Outcome:
    """See :func:`_cauchy_schwarz`."""
    return _cauchy_schwarz(factor, power, count)


@statement(
    "002 (84)",
    lines="1335-1341",
    printed="P(mean > xi/2) <= 36 (E(81.1)^2 + E(81.2)^2 + E(81.3)^2)/xi^2 = O(1/(log n log d))",
    added="T = sigma sqrt(2 log n), sigma^2 the larger variance proxy, log n >= 1",
    refuses=_FIXED_SET_REFUSES,
    unchecked={
        "81.1, 81.2, 81.3": 'those of (81); step "moments" has the sum of their second moments',
    },
)
def chebyshev(
    level: int = 2, total: str = "48", logarithms: int = 1, parts: int = 3, share: str = "1"
) -> Outcome:
    """See :func:`_chebyshev`."""
    return _chebyshev(level, total, logarithms, parts, share)
