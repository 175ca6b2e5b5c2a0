"""Section 4: Algorithm 1, Frank-Wolfe with robust gradients and the exponential mechanism."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import scipy
from scipy.special import log_expit

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_003.frank_wolfe import (
    STEPS_6,
    balance_6,
    monomial,
    recursion,
    start_keeps_no_weight,
    step_error,
)
from proofs_checks.robust_mean import sensitivity_of_mean
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.heavy_tailed.private_mean import constants_for_lemma_1
from reference.heavy_tailed.truncation import mean_sensitivity, truncation_bound

statement = partial(any_statement, algorithms=("hu-1",))


@statement(
    "003 Assumption 1",
    lines="167",
    kind="assumption",
    printed="L_D is alpha-smooth; E(grad_j l(w, x))^2 <= tau for all w in W, j in [d]",
    refuses={"half of it": {"factor": 2}},
    unchecked={
        "L_D, alpha": "not checked here: for LASSO see Corollary 1",
        "l, tau": "in the step LASSO's loss and the second moment of one entry, which tau bounds",
        "W, d": "in the step any w and d = 2",
    },
)
def second_moments(factor: int = 4) -> Outcome:
    """The example of l.224, LASSO, with independent signs x and y = <w*, x> +- sigma.

    E(2 x_j (<x, w> - y))^2 = 4 (||v||^2 + sigma^2) with v = w - w*, here in two dimensions.
    """
    gaps = symbols("v1 v2", real=True)
    sigma = symbols("sigma")
    moment = sum(
        (2 * x[0] * (x[0] * gaps[0] + x[1] * gaps[1] - side * sigma)) ** 2
        for *x, side in product((-1, 1), repeat=3)
    ) / sp.Integer(8)
    return definition(identity((moment, factor * (gaps[0] ** 2 + gaps[1] ** 2 + sigma**2))))


not_checkable(
    "003 Assumption 1, lower bound",
    lines="169",
    kind="lower bound",
    printed="non-smooth l1-Lipschitz losses: excess risk Omega(sqrt(log d/n) + sqrt(d)/(n eps))",
    reason="quoted from [2], whose construction is not in the text",
    algorithms=("hu-1",),
)


# --------------------------------------------------------------------------------- Theorem 1


def _step_loss(precision: float, m: int, sensitivity: float) -> float:
    """Exact privacy loss of one step on W = [-1, 1], epsilon = 1, of the multiple of Delta.

    The largest over k of m records at +infinity, the others at -infinity, one of them moved.
    """
    bound = truncation_bound(scale=1.0, precision=precision)
    # ||W||_1 = 2
    rate = 1 / (2 * 2 * sensitivity * mean_sensitivity(m, scale=1.0))
    means = bound * (2 * np.arange(m + 1) / m - 1)
    log_law = log_expit(np.stack([-2, 2])[:, None] * rate * means)
    return float(np.abs(np.diff(log_law, axis=1)).max())


@statement(
    "003 Theorem 1",
    lines="216",
    kind="privacy",
    printed="for any eps > 0, Algorithm 1 is eps-DP",
    refuses={
        "Delta without the 4": {"sensitivity": 0.25},
        "the l2 diameter for ||W||_1": {"norm": 2},
        "a score range of Delta costs 0.4 eps": {"power": 4, "of": 5},
        "s/m^2 in Delta": {"records": 2},
        "s^2/m in Delta": {"scale": 2},
    },
)
def frank_wolfe_privacy(
    sensitivity: float = 1.0,
    norm: int = 1,
    power: int = 1,
    of: int = 1,
    records: int = 1,
    scale: int = 1,
) -> Outcome:
    """Only differences of scores matter, and they change by at most Delta.

    |<v - v', g - g'>| <= ||W||_1 ||g - g'||_inf [steps "scores", by induction, and "norm"], at
    most Delta with ||g - g'||_inf <= 4 sqrt 2 s/(3m) [(4), sensitivity; step "entry"], also where
    the scores themselves move by more because the polytope is far from 0. Changes in an interval of
    length Delta cost eps/2: with weights w and (together) r, h = e^(eps/2), and a common factor c,
    w/(w + r) <= h w'/(w' + r') [step "range"]. A record lies in one block; before it nothing
    changes, a mixture over histories keeps the bound [step "mixture"], and what comes after it is
    post-processing. Exact laws on W = [-1, 1] spend eps/2 at most [step "laws"].
    """
    w, r, other_w, other_r, h, c = reals("w r w2 r2 h c")
    share, p, q, u, v, g = reals("share p q u v g")
    # h1: of the entries of v - v' so far, h2: of the next one; those of g - g' are at most G
    h1, h2, width, top, inner, slope = reals("h1 h2 W G inner slope")
    within = h1 + h2 <= width if norm == 1 else h1 * h1 + h2 * h2 <= width * width
    worst, tried = 0.0, 0
    for b, m in product((1.0, 9.21), (1, 200)):
        worst, tried = max(worst, _step_loss(b, m, sensitivity)), tried + 1
    ratio = w * (other_w + other_r), other_w * (w + r)
    claim = ratio[0] <= h * ratio[1]
    if power != of:  # h^(power/of) in place of h
        claim = ratio[0] ** of <= h**power * ratio[1] ** of
    return derived(
        scores=for_all(
            z3.And(inner + slope * h2 <= (h1 + h2) * top, -inner - slope * h2 <= (h1 + h2) * top),
            *(h1 >= 0, h2 >= 0, inner <= h1 * top, -inner <= h1 * top),
            *(slope <= top, -slope <= top),
        ),
        norm=for_all(
            (h1 + h2) * top <= width * top, *(h1 >= 0, h2 >= 0, width >= 0, top >= 0, within)
        ),
        entry=sensitivity_of_mean(str(sensitivity), s_power=scale, n_power=records),
        range=for_all(
            claim,
            *(h >= 1, c > 0, w > 0, r >= 0, c * w <= other_w, other_w <= h * c * w),
            *(c * r <= other_r, other_r <= h * c * r),
        ),
        mixture=for_all(
            share * p + (1 - share) * u <= g * (share * q + (1 - share) * v),
            *(share >= 0, share <= 1, p <= g * q, u <= g * v),
        ),
        laws=searched(worst, 0.5, tried=tried, what="largest exact loss over epsilon"),
    )


# --------------------------------------------------------------------------------- Theorem 2

_PRINTED_6 = (
    "excess risk O(||W||_1 (alpha tau log(n|V|d/zeta))^(1/3)/(n eps)^(1/3)) with T = "
    "O~((n eps alpha^2/(tau log))^(1/3)), eta_{t-1} = 2/(t+2)"
)


def _first_vertex_ratio(n: float) -> float:
    """Return the excess after the prescribed T = 1 steps over (6), epsilon = 1.

    l = w + (alpha/2) w^2 on [-1, 1], w^0 = 1: w^1 >= -1/3 whichever vertex is drawn.
    """
    alpha = math.sqrt(math.log(2 / 0.1) / n)
    bound = 2 * math.cbrt(alpha * (1 + alpha) ** 2 * math.log(n * 2 / 0.1) / n)
    return ((-1 / 3 + alpha / 18) - (-1 + alpha / 2)) / bound


@statement(
    "003 Theorem 2",
    lines="218-220",
    kind="utility",
    printed=_PRINTED_6,
    false="eta_0 = 2/3 keeps a third of the initial error where the prescribed T is O(1); also "
    "(6) has the wrong power of ||W||_1 (Theorem 2, units) and is stated for every eps "
    "(Theorem 2, large epsilon)",
    errata=("hu-1/E6",),
)
def first_step() -> Outcome:
    """A nearly linear loss, alpha = sqrt(log/n), for which the prescribed T is 1."""
    point = {"loss": "w + alpha w^2/2 on [-1, 1]", "w^0": 1, "T": 1, "n": 1e8, "epsilon": 1}
    few, many = _first_vertex_ratio(1e2), _first_vertex_ratio(1e8)
    return refuted(point, many, 100 * few, "excess over (6), against 100 times that at n = 100")


@first_step.corrected(
    "8.5 ||W||_1^(4/3) (alpha tau l)^(1/3)/(n min(eps, 1))^(1/3) with T = (n min(eps, 1) alpha^2 "
    "||W||_1^2/(tau l))^(1/3) in [1, n], l = O(log(n|V|d/zeta)) and eta_{t-1} = 2/(t+1)",
    refuses={
        "||W||_1": {"powers": {"W": "1"}},
        "(n eps)^(-1/2)": {"powers": {"n": "-1/2"}},
        "alpha^(2/3)": {"powers": {"alpha": "2/3"}},
        "eta_{t-1} = 2/(t+2)": {"shift": 2},
        "h_T <= err + 1.9 C/(T+1)": {"constant": "1.9"},
        "error 6.4 (5.2 in place of 5.28)": {"share": "5.2"},
        "without |V| in the logarithm": {"vertices": 0},
        "8.4 for 8.5": {"total": "8.4"},
        "tau^(2/3)": {"powers": {"tau": "2/3"}},
        "l^(2/3)": {"powers": {"l": "2/3"}},
        "T = (n alpha^2 ||W||_1^2/(tau l))^(1/3) without alpha": {"prescribed": {"alpha": "0"}},
        "T of order n^(1/2)": {"prescribed": {"n": "1/2"}},
        "min(eps, 2)": {"largest": 2},
        "without d in the logarithm": {"entries": 0},
    },
)
def convex_rate(
    powers: dict[str, str] | None = None,
    shift: int = 1,
    constant: str = "2",
    share: str = "5.28",
    vertices: int = 1,
    total: str = "8.5",
    prescribed: dict[str, str] | None = None,
    largest: int = 1,
    entries: int = 1,
) -> Outcome:
    """C = alpha ||W||^2 bounds the curvature, since ||v - w||_2 <= ||W||_1.

    The Frank-Wolfe recursion with steps 2/(t+1) gives h_T <= err + 2C/(T+1) [steps "start",
    "recursion"; see :func:`proofs_checks.paper_003.frank_wolfe.recursion`]; err is at most
    6.5 ||W||_1 sqrt(tau l T/(n eps)) [steps "sum" to "union", see
    :func:`proofs_checks.paper_003.frank_wolfe.step_error`]. With T = floor(T_0), T_0 >= 1,
    T <= T_0 <= T + 1, and at T_0 both terms are multiples of the rate [step "balance"]: at
    most 2 and 6.5 times it [step "total"].
    """
    first, second, rate = reals("first second rate")
    return derived(
        start=start_keeps_no_weight(shift),
        recursion=recursion(constant),
        **step_error(share, vertices, entries, largest),
        balance=balance_6(prescribed, **(powers or {})),
        total=for_all(
            first + second <= rational(total) * rate,
            *(rate >= 0, first <= rational(constant) * rate, second <= rational("6.5") * rate),
        ),
    )


first_step.restated(
    "003 (6)",
    lines="220",
    printed="excess risk O(||W||_1 (alpha tau log(n|V|d/zeta))^(1/3)/(n eps)^(1/3))",
)


def _one_step_excess(d: int) -> Fraction:
    """Return (w^1's excess)/(alpha R^2), whichever vertex the first step of Algorithm 1 draws.

    L = (alpha/2) ||w - w*||^2 on the l1 ball of radius R, w* = (R/d)(1, ..., 1), w^0 = R e_1,
    eta_0 = 2/3; all vertices but +-R e_1 are alike up to the sign.
    """
    excesses = []
    for index, sign in product((0, 1), (-1, 1)):
        w = [Fraction(0)] * d
        w[0] += Fraction(1, 3)
        w[index] += Fraction(2 * sign, 3)
        excesses.append(sum((x - Fraction(1, d)) ** 2 for x in w) / 2)
    return Fraction(min(excesses))


def _one_step_ratio(d: int, radius: float) -> float:
    """Return that excess over (6) with constant 1, where n is such that the prescribed T is 1."""
    tau = (radius * (1 + 1 / d)) ** 2  # alpha = 1; |w_j - w*_j| <= R + R/d
    log_term = math.log(2 * d * d / 0.05)
    n = tau * log_term  # epsilon = 1, zeta = 0.05
    bound = radius * math.cbrt(tau * math.log(n * 2 * d * d / 0.05) / n)
    return float(_one_step_excess(d)) * radius**2 / bound


@statement(
    "003 Theorem 2, units",
    lines="218-220",
    kind="utility",
    printed=_PRINTED_6,
    false="not invariant under w = c w': alpha and tau change by c^2, ||W||_1 by 1/c, so (6) by "
    "c^(1/3) and T by c^(2/3), while the problem stays the same",
    special_case_of="003 Theorem 2",
    errata=("hu-1/E1",),
)
def units() -> Outcome:
    """One step on the l1 ball of radius R: 597 alpha at R = 100, where R alpha/T = 100 alpha."""
    point = {"loss": "(alpha/2) ||w - w*||^2", "w*": "(R/d, ..., R/d)", "d": 200, "R": 1e6, "T": 1}
    small, large = (_one_step_ratio(200, radius) for radius in (1e2, 1e6))
    return refuted(point, large, 100 * small, "excess over (6), against 100 times that at R = 100")


@units.corrected(
    "||W||_1^(4/3) and T proportional to ||W||_1^(2/3), as in the corrected Theorem 2",
    refuses={
        "||W||_1": {"w": "1"},
        "tau^(2/3)": {"tau": "2/3"},
        "T proportional to ||W||_1": {"steps": "1"},
    },
)
def invariant(w: str = "4/3", tau: str = "1/3", steps: str = "2/3") -> Outcome:
    """The corrected bound is the balance of the two errors, and homogeneous of degree 0 like T."""
    c, width, alpha, second = symbols("c W alpha tau")
    rate = width ** sp.Rational(w) * alpha ** sp.Rational(1, 3) * second ** sp.Rational(tau)
    units_changed = {width: width / c, alpha: c**2 * alpha, second: c**2 * second}
    count = monomial(STEPS_6, W=steps)  # T
    return derived(
        balance=balance_6({"W": steps}, W=w, tau=tau),
        invariance=identity(
            (rate.subs(units_changed, simultaneous=True), rate),
            (count.subs(units_changed, simultaneous=True), count),
        ),
    )


def _error_of_every_test(n: int) -> float:
    """Return the least average error of tests of signs with mean 1/sqrt(n) against -1/sqrt(n)."""
    gap = 1 / math.sqrt(n)
    laws = [scipy.stats.binom.pmf(np.arange(n + 1), n, 0.5 + sign * gap / 2) for sign in (-1, 1)]
    return float(np.minimum(*laws).sum()) / 2


def _testing_ratio(n: int, epsilon: float) -> tuple[float, float]:
    """Return the chance that every estimator's excess is at least the second number times (6).

    l = -z w + (alpha/2) w^2 on [-1, 1] (W = 2, |l'| <= 1 + alpha), z = +-1 with mean
    +-1/sqrt(n); alpha such that the prescribed T is 1. A w of the wrong sign costs L(0) - L(+-1).
    """
    gap, log_term = 1 / math.sqrt(n), math.log(2 * 1 / 0.1)
    alpha = math.sqrt(log_term / (n * epsilon))
    bound = 2 * math.cbrt(alpha * (1 + alpha) ** 2 * math.log(n * 2 / 0.1) / (n * epsilon))
    return _error_of_every_test(n), (gap - alpha / 2) / bound


@statement(
    "003 Theorem 2, large epsilon",
    lines="218-220",
    kind="utility",
    printed=_PRINTED_6,
    false="stated for every eps, but below the statistical error for eps >> 1",
    special_case_of="003 Theorem 2",
    errata=("hu-1/E2",),
)
def large_epsilon() -> Outcome:
    """n = 100 records, zeta = 0.1; every estimator is wrong with probability 0.16."""
    error, many = _testing_ratio(100, 1e8)
    few = _testing_ratio(100, 1e2)[1]
    point = {"n": 100, "epsilon": 1e8, "zeta": 0.1, "error of every test": error}
    what = "excess over (6), against 100 times that at epsilon = 100"
    return refuted(point, many if error > 0.1 else 0.0, 100 * few, what)


@large_epsilon.corrected(
    "with min(eps, 1) in place of eps, as in the corrected Theorem 2",
    refuses={
        "(n min(eps, 1))^(-1/2)": {"powers": {"n": "-1/2"}},
        "alpha^(2/3)": {"powers": {"alpha": "2/3"}},
        "min(eps, 2)": {"largest": 2},
    },
)
def small_epsilon(powers: dict[str, str] | None = None, largest: int = 1) -> Outcome:
    """See :func:`convex_rate`; for eps > 1 an (eps = 1)-DP run is eps-DP."""
    return convex_rate(powers, largest=largest)


# ------------------------------------------------------------------- Remark 1, Corollary 1


@statement(
    "003 Remark 1",
    lines="222",
    kind="remark",
    printed="[51] sets s = O(sqrt n), here s depends on n, eps and T; O(d) becomes O(log d)",
    checked="s^2 = n eps tau/(T l) here and n tau/(2 l) in [51] balance the errors; d entries "
    "enter by l = log(2d/zeta) alone",
    refuses={
        "s = sqrt(n tau/(T l))": {"epsilon_power": 0},
        "s = sqrt(n eps tau/l)": {"steps_power": 0},
        "s = O(n^(1/4)) in [51]": {"other_power": "1/4"},
        "log(2/zeta)": {"entries": 0},
    },
)
def scale_of_the_truncation(
    epsilon_power: int = 1, steps_power: int = 1, other_power: str = "1/2", entries: int = 1
) -> Outcome:
    """s^2 = n eps tau/(T l) balances bias tau/s and noise s T l/(n eps) [step "balance"].

    That of [51] balances tau/(2s) and s l/n [step "balance of 51"]. 2d tails of e^-l are zeta
    together [step "entries"]. The implementation's scale of [51] grows like sqrt n whatever eps
    [step "scale of 51"].
    """
    n, epsilon, tau, steps, size, d, zeta = symbols("n eps tau T l d zeta")
    s = sp.sqrt(n * epsilon**epsilon_power * tau / (steps**steps_power * size))
    other = sp.sqrt(tau / (2 * size)) * n ** sp.Rational(other_power)

    def scale(n: int, epsilon: float) -> Fraction:
        found = constants_for_lemma_1(
            n=n, epsilon=epsilon, delta=1e-5, second_moment=1.0, failure_probability=0.05
        )
        return Fraction(found.truncation_scale).limit_denominator(10**9)

    scales = scale(1000, 1.0), scale(4000, 1.0), scale(1000, 0.1)
    cases: list[tuple[dict[str, Any], Fraction, Fraction]] = [
        ({"n": 4000}, abs(scales[1] - 2 * scales[0]), Fraction(1, 10**6)),
        ({"epsilon": 0.1}, scales[2], scales[0]),
    ]
    return derived(
        balance=identity((tau / s, s * steps * size / (n * epsilon))),
        balance_of_51=identity((tau / (2 * other), other * size / n)),
        entries=identity((2 * d * sp.exp(-sp.log(2 * d**entries / zeta)), zeta)),
        scale_of_51=exactly(cases, note="4 times n, and another epsilon"),
    )


@statement(
    "003 Corollary 1",
    lines="224-226",
    kind="utility",
    printed="E(<x,w> - y)^2 is lambda_max(E xx^T)-smooth; excess risk O((lambda_max log(d/zeta) "
    "log n)^(1/3)/(n eps)^(1/3))",
    false="the Hessian is 2 E xx^T (the text's gradient is that of half the loss), which the O "
    "absorbs; the rate has the limits of Theorem 2",
    special_case_of="003 Theorem 2",
    errata=("hu-1/E3",),
)
def lasso_smoothness() -> Outcome:
    """d = 1, x = 1, y = 0: L(1) - L(0) - L'(0) = 1 against lambda_max/2."""
    return refuted({"x": 1, "y": 0, "w": 0, "w'": 1}, 1, Fraction(1, 2), "remainder")


def _rate_7(
    powers: dict[str, str] | None = None,
    *,
    shift: int = 1,
    largest: int = 1,
    entries: int = 1,
    records: int = 1,
) -> Outcome:
    """(6) with W and tau of order 1 and alpha = 2 lambda_max, see :func:`convex_rate`.

    l = log(4 d |V| T/zeta) <= log 8 + 2 log(d/zeta) + log n, |V| = 2d, is at most 6 times the
    product of the logarithms, if they are at least 1 [step "logarithms"].
    """
    a, b, size = reals("a b l")  # log(d/zeta), log n
    return derived(
        rate=convex_rate(powers, shift, largest=largest),
        logarithms=for_all(
            size <= 6 * a**entries * b**records, *(a >= 1, b >= 1, size <= 3 + 2 * a + b)
        ),
    )


@lasso_smoothness.corrected(
    "2 lambda_max(E xx^T)-smooth; the same powers, with min(eps, 1) and eta_{t-1} = 2/(t+1)",
    refuses={
        "1.9 lambda_max": {"factor": "19/10"},
        "lambda_max^(2/3)": {"powers": {"alpha": "2/3"}},
        "(n eps)^(-1/2)": {"powers": {"n": "-1/2"}},
        "eta_{t-1} = 2/(t+2)": {"shift": 2},
        "log n for the product of the logarithms": {"entries": 0},
        "log(d/zeta) for the product of the logarithms": {"records": 0},
    },
)
def lasso_rate(
    factor: str = "2",
    powers: dict[str, str] | None = None,
    shift: int = 1,
    entries: int = 1,
    records: int = 1,
) -> Outcome:
    """L(w+h) - L(w) - <L'(w), h> = E<x, h>^2 [step "remainder", one record in two dimensions].

    It is at most lambda_max ||h||^2, by definition of lambda_max, so that alpha = 2 lambda_max;
    see :func:`_rate_7`.
    """
    x1, x2, w1, w2, h1, h2, y = symbols("x1 x2 w1 w2 h1 h2 y", real=True)
    residual, step = x1 * w1 + x2 * w2 - y, x1 * h1 + x2 * h2
    remainder = (residual + step) ** 2 - residual**2 - 2 * residual * step
    return derived(
        remainder=identity((remainder, sp.Rational(factor) / 2 * step**2)),
        rate=_rate_7(powers, shift=shift, entries=entries, records=records),
    )


def _least_squares_testing(n: int, epsilon: float) -> float:
    """Return what an estimate of the wrong sign costs over (7); d = 1, x = 1, zeta = 0.1.

    L(w) = E(w - y)^2 for y = +-1 with mean +-1/sqrt(n): lambda_max = 1, L(0) - L(w*) = 1/n.
    """
    bound = math.cbrt(math.log(1 / 0.1) * math.log(n) / (n * epsilon))
    return 1 / n / bound


@statement(
    "003 (7)",
    lines="226",
    kind="utility",
    printed="excess risk O((lambda_max log(d/zeta) log n)^(1/3)/(n eps)^(1/3))",
    false="stated for every eps, but below the statistical error for eps >> 1",
    special_case_of="003 Corollary 1",
    errata=("hu-1/E2",),
)
def least_squares_at_large_epsilon() -> Outcome:
    """n = 100 records; every estimator has the wrong sign with probability 0.16."""
    n = 100
    error = _error_of_every_test(n)
    few, many = (_least_squares_testing(n, epsilon) for epsilon in (1e8, 1e16))
    point = {"n": n, "epsilon": 1e16, "zeta": 0.1, "error of every test": error}
    what = "excess over (7), against 100 times that at epsilon = 1e8"
    return refuted(point, many if error > 0.1 else 0.0, 100 * few, what)


@least_squares_at_large_epsilon.corrected(
    "with min(eps, 1) in place of eps",
    refuses={
        "lambda_max^(2/3)": {"powers": {"alpha": "2/3"}},
        "(n min(eps, 1))^(-1/2)": {"powers": {"n": "-1/2"}},
        "(log(d/zeta) log n)^(2/3)": {"powers": {"l": "2/3"}},
        "min(eps, 2)": {"largest": 2},
        "log n for the product of the logarithms": {"entries": 0},
        "log(d/zeta) for the product of the logarithms": {"records": 0},
    },
)
def least_squares_rate(
    powers: dict[str, str] | None = None, largest: int = 1, entries: int = 1, records: int = 1
) -> Outcome:
    """See :func:`_rate_7`."""
    return _rate_7(powers, largest=largest, entries=entries, records=records)
