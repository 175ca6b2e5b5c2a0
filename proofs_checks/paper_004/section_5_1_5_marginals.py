"""Section 5.1.5: monotone k-way disjunctions by Chebyshev polynomials.

p_k(x) = 1 - T_t((k+1-2x)/(k-1))/T_t((k+1)/(k-1)) for k >= 2, of degree t = ceil(sqrt k
log(1/gamma)); p_1(x) = x. T_t is as in Definition 5.1.6; l = log(1/gamma). N = C(p+t, t)
coefficients, each at most T in absolute value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from proofs_checks.balls import ball, log
from proofs_checks.basics import laplace_loss
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_5_1 import local_mean_error_with_larger_factor
from proofs_checks.paper_004.section_5_1_3 import same_powers
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
    symbols,
)

statement = partial(any_statement, algorithms=("diss-5.1.35",))


def _degree(share: str) -> dict[str, Outcome]:
    """T_t(cosh u) = cosh(t u) >= e^(t u)/2 >= 1/gamma for t = share sqrt k l, l >= log 2.

    u is that of cosh u = (k+1)/(k-1), for which tanh(u/2)^2 = 1/k [step "argument"]; u is twice
    artanh(1/sqrt k), at least 2/sqrt k as artanh has the slope 1/(1 - x^2) >= 1 [steps "slope",
    "least"]; and t u >= log 2 + l then [step "degree"].
    """
    k, x = symbols("k x")
    square = 1 / k
    z, ell, two, root, degree, u = reals("x l log2 sqrt_k t u")
    return {
        "argument": identity(((1 + square) / (1 - square), (k + 1) / (k - 1))),
        "slope": identity((sp.diff(sp.atanh(x), x), 1 / (1 - x**2))),
        "least": for_all(1 - z * z <= 1, z >= 0, z < 1),
        "degree": for_all(
            degree * u >= two + ell,
            *(two > 0, ell >= two, root >= 1, degree >= rational(share) * root * ell),
            u * root >= 2,
        ),
    }


def _bounded(most: int = 0) -> Outcome:
    """|k + 1 - 2x| <= k - 1 for x in [1, k + most], so that |T_t| <= 1 there."""
    k, x = reals("k x")
    return for_all(z3.Abs(k + 1 - 2 * x) <= k - 1, k >= 2, x >= 1, x <= k + most)


def _coefficients(base: int) -> dict[str, Outcome]:
    """Bound the sum of |c_i| by base^t: T_t(a + b y), a, b >= 0 and a >= 1, has no negative one.

    D_t = T_t - T_{t-1} is D_{t+1} = 2(z - 1) T_t + D_t [step "signs", D_1 = z - 1], where z - 1 =
    (a - 1) + b y. With y = -x it gives |c_i|, so that their sum is at most T_t((k+3)/(k-1)), its
    value at y = 1, and (k+3)/(k-1) <= 5 for k >= 2 [step "end"]. T_{t+1} <= 2 z T_t [step
    "growth"], hence T_t(z) <= (2z)^t, and T_t((k+1)/(k-1)) >= 1.
    """
    z, now, before = symbols("z T_t T_(t-1)")
    after = 2 * z * now - before
    k, w, here, last = reals("k z T_t T_(t-1)")
    return {
        "signs": identity((after - now, 2 * (z - 1) * now + (now - before))),
        "growth": for_all(2 * w * here - last <= 2 * w * here, w >= 1, here >= 1, last >= 1),
        "end": for_all(2 * (k + 3) <= base * (k - 1), k >= 2),
    }


def chebyshev(t: int, x: Any) -> Any:
    """Return T_t(x)."""
    before, now = 1, x
    for _ in range(t - 1):
        before, now = now, 2 * x * now - before
    return now if t else 1


def _instances(gammas: tuple[Fraction, ...], base: int, most: int) -> Iterator[tuple[Any, ...]]:
    """Yield p_k(0), the error of p_k(j), j = 1, .., k, and the coefficients, with their bounds."""
    y = sp.Symbol("y")
    for k, gamma in itertools.product((2, 3, 7), gammas):
        t = math.ceil(math.sqrt(k) * math.log(1 / gamma))
        top = chebyshev(t, Fraction(k + 1, k - 1))
        for j in range(k + 1 + most):
            error = Fraction(chebyshev(t, Fraction(k + 1 - 2 * j, k - 1)), 1) / top
            yield {"k": k, "gamma": float(gamma), "x": j}, abs(error if j else 1 - error), gamma
        powers = sp.Poly(chebyshev(t, (k + 1 - 2 * y) / sp.Integer(k - 1)), y).all_coeffs()
        largest = max(abs(Fraction(int(c.p), int(c.q))) for c in powers) / top
        yield {"k": k, "gamma": float(gamma)}, largest, Fraction(base) ** t


@statement(
    "004 Definition 5.1.14",
    lines="5173",
    kind="approximation",
    printed="for every k and gamma > 0 there is a p_k of degree t_k = O(sqrt k log(1/gamma)) with "
    "coefficients |c_i| <= 2^O(sqrt k log(1/gamma)), p_k(0) = 0, |p_k(x) - 1| <= gamma, x in [k]",
    checked="t_k = ceil(sqrt k log(1/gamma)) and |c_i| <= 10^(t_k)",
    added="gamma <= 1/2: near 1 the degree O(log(1/gamma)) would be below 1",
    refuses={
        "half the degree": {"share": "1/2"},
        "x in [k+1]": {"most": 1},
        "|c_i| <= 9^(t_k)": {"base": 9},
    },
)
def chebyshev_polynomial(share: str = "1", most: int = 0, base: int = 10) -> Outcome:
    """p_k as in the module's text; p_1(x) = x. p_k(0) = 0 by its form.

    On [1, k] the argument is in [-1, 1] [step "bounded"], so that |p_k - 1| <= 1/T_t((k+1)/(k-1)),
    at most gamma for this degree [steps "argument", "slope", "least", "degree"]. The coefficients
    have alternating signs, so that they add up to at most 10^t in absolute values [steps "signs",
    "growth", "end"]. All of it at k = 2, 3, 7 [step "instances"]. Here l = log(1/gamma).
    """
    gammas = (Fraction(1, 2), Fraction(1, 10))
    return derived(
        bounded=_bounded(most),
        **_degree(share),
        **_coefficients(base),
        instances=exactly(_instances(gammas, base, most), note="p_k at 0, .., k; coefficients"),
    )


def _monomials(power: int) -> Iterator[tuple[Any, ...]]:
    """Yield the largest multinomial coefficient of (y_1 + .. + y_p)^m and its bound p^m."""
    for p, m in itertools.product(range(1, 5), range(1, 6)):
        largest = max(
            math.factorial(m) // math.prod(math.factorial(a) for a in each)
            for each in itertools.product(range(m + 1), repeat=p)
            if sum(each) == m
        )
        yield {"p": p, "m": m}, largest, Fraction(p) ** (power * m)


def _disjunctions(more: int) -> Iterator[tuple[Any, ...]]:
    """Yield the OR of y_j x_j and what p_k takes its value from, min{1, sum}, for p = 4, k = 2."""
    for x, y in itertools.product(itertools.product((0, 1), repeat=4), repeat=2):
        if sum(y) <= 2 + more:
            total = sum(a * b for a, b in zip(x, y, strict=True))
            inside = total if total <= 2 else 0  # outside of 0, .., k nothing is known of p_k
            yield (
                {"x": x, "y": y},
                int(any(a * b for a, b in zip(x, y, strict=True))),
                min(1, inside),
            )


@statement(
    "004 Lemma 5.1.10",
    lines="5175",
    kind="approximation",
    printed="for k <= p and gamma > 0 there are p-variate polynomials of degree O(sqrt k "
    "log(1/gamma)) and coefficients at most T = p^O(sqrt k log(1/gamma)) within gamma of the "
    "monotone k-way disjunctions on Y_k",
    checked="p_k(sum_j y_j x_j), T = (10 p)^t; 10 p <= p^5 for p >= 2",
    added="gamma <= 1/2",
    special_case_of="004 Definition 5.1.14",
    refuses={
        "|y| <= k+1": {"more": 1},
        "half the degree": {"share": "1/2"},
        "T = (10 sqrt p)^t": {"root": 2},
        "10 p <= p^4": {"power": 4},
    },
    unchecked={
        "Y_k": "the y of at most k ones, which the step has at k = 2",
    },
)
def multivariate_chebyshev(
    more: int = 0, share: str = "1", root: int = 1, power: int = 5
) -> Outcome:
    """The sum s of the y_j x_j is 0 where the disjunction is, else 1, .., k [step "values"].

    There p_k is within gamma of it [step "bounded" and those of the degree]. The coefficient of
    y^a, |a| = m, is c_m m!/a! x^a, and m!/a! is one of the terms of (1 + .. + 1)^m = p^m [step
    "terms", at most p^m; step "one"]; |c_m| <= 10^t [steps "signs", "growth", "end"], and (10 p)^t
    is a power of p^t [step "power", p = 1 being p_1(x) = x]. Here l = log(1/gamma).
    """
    p, each, others, total = reals("p each others total")
    return derived(
        values=exactly(_disjunctions(more), "=", note="x, y in {0, 1}^4, k = 2"),
        bounded=_bounded(more),
        **_degree(share),
        **_coefficients(10),
        one=for_all(
            each**root <= total, total >= 1, each >= 1, others >= 0, each + others == total
        ),
        terms=exactly(_monomials(1), note="multinomial coefficients"),
        power=for_all(10 * p <= p**power, p >= 2),
    )


# -------------------------------------------------------------------------- Theorem 5.1.10


@statement(
    "004 Theorem 5.1.10 (privacy)",
    lines="5184-5190, 5197",
    kind="privacy",
    printed="Algorithm 5.1.35 is epsilon-LDP for every epsilon > 0",
    checked="each of the N coefficients with epsilon/N",
    added="Lemma 5.1.1, which is for numbers, is run on each coordinate with epsilon/N, as the "
    "error of the proof has it; a negative coefficient is counted from its lowest value",
    special_case_of="004 Lemma 5.1.1, privacy",
    refuses={
        "epsilon for each coefficient": {"split": 0},
        "b = T/2": {"width": "1/2"},
        "0.9 epsilon": {"factor": "0.9"},
    },
)
def marginals_privacy(split: int = 1, width: str = "1", factor: str = "1") -> Outcome:
    """The coefficient of y^a is 0 or v, |v| <= T, by whether x has all entries of a [step "range"].

    So it moves by T at most, with noise of scale N T/epsilon: each costs epsilon/N [steps
    "message", "total"].
    """
    v, first, second, top = reals("v first second T")
    count, epsilon = symbols("N epsilon")
    two_values = (z3.Or(first == 0, first == v), z3.Or(second == 0, second == v))
    return derived(
        range=for_all(
            z3.Abs(first - second) <= rational(width) * top, z3.Abs(v) <= top, top > 0, *two_values
        ),
        message=laplace_loss(factor),
        total=identity((count * (epsilon / count**split), epsilon)),
    )


def sum_of_errors(power: int = 2, union: int = 1, factor: str = "2.302") -> dict[str, Outcome]:
    """N coordinates by the corrected Lemma 5.1.1 [step "lemma"], each at epsilon/N and beta/N.

    Each is within 2.302 b N sqrt(log(2N/beta))/(sqrt n epsilon) [steps "level", "each"], their sum
    within N times that [step "sum"].
    """
    beta, n, epsilon, count, b = symbols("beta n epsilon N b")
    level = sp.log(2 / (beta / count**union))
    one = b * sp.sqrt(level) / (sp.sqrt(n) * (epsilon / count))
    claimed = b * count**power * sp.sqrt(level) / (sp.sqrt(n) * epsilon)
    return {
        "lemma": local_mean_error_with_larger_factor(factor),
        "level": identity((count * 2 * sp.exp(-level), beta)),
        "sum": identity((count * one, claimed)),
    }


def logarithm_of_the_union() -> dict[str, Outcome]:
    """log(2N/beta) <= 3 N l for N >= 2 and l = log(1/beta) >= log 2, as log N <= N - 1."""
    count, logarithm, level = reals("N log_N l")
    return {
        "logarithm": for_all(
            logarithm + rational("0.7") + level <= 3 * count * level,
            *(count >= 2, logarithm <= count - 1, level >= rational("0.69")),
        ),
        "log 2": every(less(ball("0.69"), log(ball(2))), less(log(ball(2)), ball("0.7"))),
    }


@statement(
    "004 Theorem 5.1.10",
    lines="5197-5203, 5529-5547",
    kind="utility",
    printed="n = O(max{p^(C sqrt k log(1/alpha)) log(1/beta)/(epsilon alpha)^2, log(1/beta)/"
    "epsilon^2, p^(C_1 sqrt k log(1/alpha)) log(1/beta)}) is (alpha, beta)-accurate",
    checked="alpha/2 for gamma, and n >= 4 (2.302)^2 T^2 N^4 log(2N/beta)/(epsilon alpha)^2, "
    "1.3248 log(2N/beta) for the rest; N <= p^(2t), log(2N/beta) <= 3N log(1/beta) for beta <= 1/2",
    added="p >= 2; alpha <= 1; beta <= 1/2; running times are not checked",
    refuses={
        "N for N^2 in the error": {"power": 1},
        "2.3 for 2.302": {"factor": "2.3"},
        "T^2 N^4 log(2N/beta)/(epsilon alpha)^2 without 4": {"four": 1},
        "log(2/beta) without the union": {"union": 0},
        "N <= p^t": {"degree": 1},
        "2 gamma": {"half": 1},
    },
    unchecked={
        "C, C_1": "of no claimed value; the steps have N <= p^(2t) and T in n",
        "k": "in the degree t alone, which is Lemma 5.1.10's",
    },
)
def marginals_accuracy(
    power: int = 2,
    factor: str = "2.302",
    four: int = 4,
    union: int = 1,
    degree: int = 2,
    half: int = 2,
) -> Outcome:
    """|q~(y) - p_D(y)| <= ||q~ - p_D||_1, as a monomial of y in {0, 1}^p is 0 or 1.

    See :func:`sum_of_errors`; added to gamma = alpha/2 [step "accuracy"]. N is the product of
    (p+i)/i <= p + 1 <= p^2 over i <= t [steps "count", "square"]. log N <= N - 1, and log(1/beta)
    is at least log 2 [steps "logarithm", "log 2"].
    """
    alpha, n, ell, top, count, epsilon = symbols("alpha n l T N epsilon")
    needed = four * top**2 * count**4 * ell / (epsilon * alpha) ** 2
    error = top * count**2 * sp.sqrt(ell) / (sp.sqrt(n) * epsilon)
    p, i, noise, a = reals("p i noise alpha")
    return derived(
        **sum_of_errors(power, union, factor),
        samples=same_powers(error.subs(n, needed), alpha / 2),
        accuracy=for_all(noise + a / half <= a, a > 0, noise >= 0, 2 * noise <= a),
        count=for_all(p + i <= (p + 1) * i, i >= 1, p >= 2),
        square=for_all(p + 1 <= p**degree, p >= 2),
        **logarithm_of_the_union(),
    )
