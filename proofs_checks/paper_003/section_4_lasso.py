"""Section 4: Algorithm 2, the LASSO on shrunken data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from proofs_checks.balls import Ball, ball, exp, log, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_003.frank_wolfe import (
    RATE_9,
    balance_9,
    recursion,
    start_keeps_no_weight,
    value,
)
from proofs_checks.paper_003.shrinkage import shrinkage_bias
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
    symbols,
)

statement = partial(any_statement, algorithms=("hu-2",))


# --------------------------------------------------------------------------------- Theorem 4


def _one_record_law(label: int, epsilon: Ball, log_inverse: Ball) -> Ball:
    """P(v = 1) for x = 1, y = label, n = T = K = 1 and W = [-1, 1], w^0 = 0, as printed."""
    step = epsilon / (2 * sqrt(2 * log_inverse))
    rate = step / (2 * 16)  # Delta = 8 ||W||_1 K^2/n, ||W||_1 = 2
    return 1 / (1 + exp(2 * rate * (-2 * label)))


@statement(
    "003 Theorem 4",
    lines="264",
    kind="privacy",
    printed="for any 0 < eps, delta < 1, Algorithm 1 is (eps, delta)-DP",
    false="log(1/delta) in eps' lets the noise vanish as delta tends to 1; Algorithm 2 is meant "
    "where Algorithm 1 is named",
    errata=("hu-2/E2", "hu-2/E3"),
)
def lasso_privacy() -> Outcome:
    """n = T = 1, records (1, 1) against (1, -1): 1 - delta(eps) = 1 - p + e^eps q, 1 - p = q."""
    epsilon, gap = ball("0.99"), ball("1e-6")
    found = (1 + exp(epsilon)) * _one_record_law(-1, epsilon, -log(1 - gap))
    point = {"n": 1, "T": 1, "epsilon": 0.99, "1 - delta": 1e-6}
    return refuted(point, gap, found, "1 - delta against 1 - delta(eps)")


def _step_ranges() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
    """Yield (range of the score changes)/(2 Delta) of a pair: the loss over eps'.

    w = R e_1, K = n = 1, records ((1, 1), -1) and ((1, -1), -1); Delta = 8 ||W||_1 = 16 R.
    """
    for radius in map(Fraction, (1, 3, 4, 10)):
        pair = [[2 * x * (radius + 1) for x in features] for features in ((1, 1), (1, -1))]
        largest = max(abs(a - b) for a, b in zip(*pair, strict=True))
        yield {"R": int(radius)}, 2 * radius * largest / (2 * 16 * radius), (1 + radius) / 4


@lasso_privacy.corrected(
    "Algorithm 2, whose Delta is 8 ||W||_1 K^2/n, is (eps, delta)-DP for 0 < eps < 1, 0 < delta <= "
    "exp(-eps/48) and an l1 ball of radius at most 3",
    refuses={
        "delta <= exp(-eps/49)": {"limit": "49"},
        "radius at most 3.1": {"radius": "3.1"},
        "eps/sqrt(2T log(1/delta)) per step": {"halves": 1},
        "eps/(2 sqrt(2 log(1/delta))) per step": {"steps_power": 0},
        "7 ||W||_1 K^2/n": {"delta": {"constant": "7"}},
        "8 ||W||_1 K/n": {"delta": {"K": 1}},
        "8 ||W||_1 K^2/n^2": {"delta": {"n": -2}},
        "8 K^2/n": {"delta": {"W": 0}},
    },
)
def lasso_privacy_restricted(
    limit: str = "48",
    radius: str = "3",
    halves: int = 2,
    steps_power: int = 1,
    delta: dict[str, Any] | None = None,
) -> Outcome:
    """The zCDP of T selections.

    |x~_j (<x~, w> - y~)| <= K (K R + K) [step "entry", K = 1], so a replaced record moves an entry
    of the gradient by 4 K^2 (1 + R)/n, and the scores of +-R e_j within an interval of length 2R
    times that: (1 + R)/4 times 2 Delta, ||W||_1 = 2R [step "Delta"]. The loss of a step is at most
    eps' (1 + R)/4 <= eps' for R <= 3 [step "range"; attained: step "attained"]. A mechanism whose
    loss has range eps' is eps'^2/8-zCDP (Cesar and Rogers 2021; 004 chapter 2), so T are
    eps^2/(64 l)-zCDP, l = log(1/delta) [step "rho"], and eps^2/(64 l) + 2 sqrt(eps^2/64) <= eps
    for l >= eps/48 [step "budget"].
    """
    r, e, size, x, y, inner = reals("R eps l x y inner")
    steps, epsilon, log_inverse, k, n, width = symbols("T eps l K n R")
    each = epsilon / (halves * sp.sqrt(2 * steps**steps_power * log_inverse))
    printed = {"constant": "8", "W": 1, "K": 2, "n": -1, **(delta or {})}
    sensitivity = sp.Rational(printed["constant"]) * (2 * width) ** printed["W"]
    sensitivity *= k ** printed["K"] * n ** printed["n"]
    return derived(
        entry=for_all(
            z3.Abs(x * (inner - y)) <= r + 1,
            *(r > 0, x >= -1, x <= 1, y >= -1, y <= 1, inner >= -r, inner <= r),
        ),
        Delta=identity((2 * width * 2 * 2 * k * (k * width + k) / n,
                        (1 + width) / 4 * 2 * sensitivity)),
        range=for_all((1 + r) / 4 <= 1, r > 0, r <= rational(radius)),
        attained=exactly(_step_ranges(), "=", note="R = 1, 3, 4, 10"),
        rho=identity((steps * each**2 / 8, epsilon**2 / (64 * log_inverse))),
        budget=for_all(e * e / (64 * size) + e / 4 <= e, e > 0, e < 1, size * rational(limit) >= e),
    )  # fmt: skip


# --------------------------------------------------------------------- Assumption 3, Remark 2


@any_statement(
    "003 Assumption 3",
    lines="266",
    kind="assumption",
    printed="E(x_j x_k)^2 <= M for all j, k; E y^4 <= M",
    refuses={"0.9 of it": {"factor": "0.9"}},
    unchecked={
        "M": "what the assumption defines; the step has E(x_j x_k)^2 by E x_j^4 and E x_k^4",
        "k": "another entry, z in the step",
        "y": "what the assumption defines: of E y^4 nothing is claimed",
    },
    algorithms=("hu-2", "hu-3"),
)
def fourth_moments(factor: str = "1") -> Outcome:
    """j = k gives E x_j^4 <= M, which implies the rest: (x z)^2 <= (x^4 + z^4)/2."""
    x, z = reals("x z")
    return definition(for_all((x * z) ** 2 <= rational(factor) * (x**4 + z**4) / 2))


remark_2 = partial(any_statement, algorithms=("hu-1", "hu-2"), lines="268", kind="remark")


@remark_2(
    "003 Remark 2, products",
    printed="Assumption 1 implies E(x_j x_k)^2 <= O(tau)",
    checked="E(x_j x_k)^2 <= 4 tau, if E(x_j y)^2 and E(x_j (x_k - y))^2 are at most tau",
    refuses={"3.9 tau": {"constant": "3.9"}},
)
def products(constant: str = "4") -> Outcome:
    """x_j x_k = a + b with a = x_j y, b = x_j (x_k - y); (a + b)^2 <= 2 a^2 + 2 b^2; take means."""
    a, b, tau_a, tau_b, tau = reals("a b A B tau")
    return derived(
        pointwise=for_all((a + b) ** 2 <= 2 * a * a + 2 * b * b),
        means=for_all(
            2 * tau_a + 2 * tau_b <= rational(constant) * tau, tau_a <= tau, tau_b <= tau, tau >= 0
        ),
    )


def _rare_labels(k: int) -> tuple[Fraction, Fraction]:
    """Return the largest E(2 x (x w - y))^2 for |w| <= 1, and E y^4.

    x = +-1 and, independently, y = +-k with probability 1/(2 k^2) each, else 0. The first is
    convex in w.
    """
    law = {Fraction(k): Fraction(1, 2 * k**2), Fraction(-k): Fraction(1, 2 * k**2)}
    law[Fraction(0)] = 1 - Fraction(1, k**2)
    first = max(
        sum(p * (2 * x * (x * w - y)) ** 2 / 2 for y, p in law.items() for x in (-1, 1))
        for w in (-1, 1)
    )
    return Fraction(first), Fraction(sum(p * y**4 for y, p in law.items()))


@remark_2(
    "003 Remark 2",
    printed="Assumption 3 is weaker than Assumption 1",
    false="Assumption 1 does not imply E y^4 <= M; on the unit l1 ball Assumption 3 implies the "
    "moment part of Assumption 1, so it is the stronger one",
    fails=True,
    errata=("hu-1/E5",),
)
def which_is_weaker() -> Outcome:
    """Labels +-k with probability 1/k^2: tau = 8 for every k, E y^4 = k^2."""
    (tau, fourth), (same, _) = _rare_labels(1000), _rare_labels(2)
    point = {"x": "+-1", "y": "+-1000 w.p. 1e-6, else 0", "tau": float(tau)}
    return refuted(point, fourth if tau == same else 0, 1000 * tau, "E y^4 against 1000 tau")


@which_is_weaker.corrected(
    "Assumption 3 implies E(2 x_j(<x,w> - y))^2 <= 16 M for ||w||_1 <= 1",
    refuses={"15 M": {"factor": "15/16"}, "15.9 M": {"constant": "15.9"}},
)
def moments_from_assumption_3(factor: str = "1", constant: str = "16") -> Outcome:
    """The moment is convex in w, so it is largest at a vertex +-e_k.

    There (2 x (z - y))^2 <= 8 x^2 (z^2 + y^2) with z = +-x_k [step "difference"], which is at most
    8 x^4 + 4 z^4 + 4 y^4 [step "pointwise"], of mean at most 16 M [step "mean", of a, b and c, the
    fourth moments]; x = z = 1, y = -1 attains it.
    """
    z, y, p, q, r = reals("z y p q r")  # p = x^2, q = z^2, r = y^2
    a, b, c, moment = reals("a b c M")
    return derived(
        difference=for_all((z - y) ** 2 <= 2 * z * z + 2 * y * y),
        pointwise=for_all(
            8 * p * (q + r) <= rational(factor) * (8 * p * p + 4 * q * q + 4 * r * r),
            *(p >= 0, q >= 0, r >= 0),
        ),
        mean=for_all(
            8 * a + 4 * b + 4 * c <= rational(constant) * moment,
            *(a <= moment, b <= moment, c <= moment, moment >= 0),
        ),
        attained=exactly([({"x": 1, "z": 1, "y": -1}, (2 * (1 + 1)) ** 2, 16)], "="),
    )


# --------------------------------------------------------------------------------- Theorem 5


def _first_step_ratio(n: float) -> float:
    """Return the excess after the prescribed T = 1 steps over (9), epsilon = 1.

    x = +-sqrt(lambda), y = x/sqrt(lambda), lambda = sqrt(L) l/sqrt(n) < 1, so that T = 1: L(w) =
    (1 - sqrt(lambda) w)^2 on [-1, 1], w^0 = -1, and w^1 <= 1/3 whichever vertex is drawn.
    """
    logs = math.sqrt(math.log(1e5)) * math.log(1 / 0.1)  # delta = 1e-5, d = 1, zeta = 0.1
    curvature = logs / math.sqrt(n)
    root = math.sqrt(curvature)
    excess = (1 - root / 3) ** 2 - (1 - root) ** 2
    return excess / (math.pow(curvature, 0.2) * math.pow(logs, 0.8) / math.pow(n, 0.4))


@statement(
    "003 Theorem 5",
    lines="270-272",
    kind="utility",
    printed="excess risk O(lambda_max^(1/5) sqrt(log(1/delta) log(dT/zeta))^(4/5)/(n eps)^(2/5)), "
    "K = (n eps)^(1/4)/T^(1/8), eta_{t-1} = 2/(t+2)",
    false="as in Theorem 2, eta_0 = 2/3 keeps a third of the initial error where the prescribed T "
    "is O(1); and the root covers log(1/delta) only, see (9)",
    errata=("hu-2/E4", "hu-2/E5"),
)
def lasso_first_step() -> Outcome:
    """A design with small curvature, and (9) with the root over log(1/delta) only."""
    few, many = _first_step_ratio(1e4), _first_step_ratio(1e12)
    point = {"x": "+-sqrt(lambda)", "y": "x/sqrt(lambda)", "w^0": -1, "T": 1, "n": 1e12}
    return refuted(point, many, 50 * few, "excess over (9), against 50 times that at n = 1e4")


_CORRECTED_9 = (
    "O(lambda_max^(1/5) (sqrt(log(1/delta)) log(dT/zeta))^(4/5)/(n eps)^(2/5)) for eps <= 1, "
    "delta <= 1/e, the T that balances, T >= 1, and eta_{t-1} = 2/(t+1)"
)


@lasso_first_step.corrected(
    _CORRECTED_9,
    refuses={
        "(n eps)^(-2/3)": {"rate": {"n": "-2/3"}},
        "root over both logarithms": {"rate": {"l": "2/5"}},
        "K = (n eps)^(1/4)/T^(1/4)": {"threshold": "1/4"},
        "eta_{t-1} = 2/(t+2)": {"shift": 2},
        "bias M/(5 K^2)": {"bias": "1/5"},
        "lambda_max^(2/5)": {"rate": {"lambda": "2/5"}},
        "eps <= 2": {"largest": 2},
        "log(1/delta) >= 0.9": {"least": "0.9"},
    },
)
def lasso_rate(
    rate: dict[str, str] | None = None,
    threshold: str = "1/8",
    shift: int = 1,
    bias: str = "1/4",
    largest: int = 1,
    least: str = "1",
) -> Outcome:
    """n stands for n eps, l = log(dT/zeta) >= 1, L = log(1/delta) >= 1, M = O(1).

    h_T <= err + 2C/(T+1) with C = 8 lambda_max [steps "start", "recursion"]. The parts of err:
    (i) shrinking moves E x_j x_k by at most M/(4 K^2) [step "bias"; see
    :func:`proofs_checks.paper_003.shrinkage.shrinkage_bias`]; (ii) a selection loses at most
    (2 Delta/eps') l, a multiple of K^2 sqrt(T L) l/n [step "selection"]; (iii) a mean of n shrunken
    products is wrong by O(sqrt(M l/n) + K^2 l/n), by Bernstein over d^2 pairs. At the printed K and
    T, (ii) and lambda_max/T are the rate [step "balance"]; (i) is smaller by sqrt(L) l [step
    "smaller"], and so is (iii) [step "means"], as T_0 >= 1 makes the rate at least
    sqrt(L) l/sqrt(n) [step "floor"].
    """
    return derived(
        start=start_keeps_no_weight(shift),
        recursion=recursion(),
        bias=shrinkage_bias(bias),
        **balance_9(threshold, largest, least, **(rate or {})),
    )


def _never_selected(n: float, log_d: float) -> tuple[float, float]:
    """Return log P(a coordinate of w* is ever selected), at most, and else the excess over (9).

    x has independent signs (lambda_max = 1), y = <x, w*>, w* = c on m = floor(1/c) coordinates,
    w^0 = 0; epsilon = 1, delta = 1e-5, zeta = 0.1. All |E_n x_j x_k| <= nu, j != k, but for a
    probability of 0.05, so that every entry of the gradient at a w with ||w||_1 <= 1 is within
    4 nu of 2 (w - w*). While none of the m was selected, with either sign, their scores are at most
    2c + 4 nu, and those of d of the vertices at least -4 nu: at 2c = (Delta/eps') log d a step
    selects one with probability 2 m d^(1/2) e^(8 nu eps'/(2 Delta))/d.
    """
    inverse = math.log(1e5)
    steps = (math.sqrt(n / (inverse * log_d))) ** 0.8  # log(dT/zeta) is log d, nearly
    rate = n / (2 * 16 * math.sqrt(n) / steps**0.25) / (2 * math.sqrt(2 * steps * inverse))
    c = log_d / 2 / (2 * rate)
    nu = math.sqrt(2 * (2 * log_d + math.log(40)) / n)
    selected = math.log(2 * steps / c) - log_d / 2 + 8 * nu * rate
    return selected, (c - c**2) / ((inverse * log_d) ** 0.4 / n**0.4)


@statement(
    "003 (9)",
    lines="272",
    kind="utility",
    printed="excess risk O(lambda_max^(1/5) sqrt(log(1/delta) log(dT/zeta))^(4/5)/(n eps)^(2/5))",
    false="the root covers log(1/delta) only: a selection among 2d vertices loses (Delta/eps') "
    "log d, not the root of it",
    special_case_of="003 Theorem 5",
    errata=("hu-2/E5",),
)
def lost_logarithm() -> Outcome:
    """Signals just below what a selection can see, see :func:`_never_selected`: excess m c^2."""
    (likely, few), (unlikely, many) = _never_selected(1e40, 1e4), _never_selected(1e40, 1e8)
    never = max(likely, unlikely) < math.log(1e-100)
    point = {"law": "independent signs, y = c (x_1 + ... + x_m)", "w^0": 0, "n": 1e40, "log d": 1e8}
    what = "excess over (9), against 50 times that at log d = 1e4"
    return refuted(point, many if never else 0.0, 50 * few, what)


@lost_logarithm.corrected(
    _CORRECTED_9,
    refuses={
        "root over both logarithms": {"rate": {"l": "2/5"}},
        "(n eps)^(-2/3)": {"rate": {"n": "-2/3"}},
        "lambda_max^(2/5)": {"rate": {"lambda": "2/5"}},
        "log(1/delta)^(1/5)": {"rate": {"L": "1/5"}},
    },
)
def with_the_logarithm(rate: dict[str, str] | None = None) -> Outcome:
    """See :func:`lasso_rate`."""
    return lasso_rate(rate)


@statement(
    "003 l.245, rate of Algorithm 2",
    lines="245",
    kind="remark",
    printed="for LASSO the upper bound improves to O~(1/(n eps)^(2/3))",
    false="misprint of the exponent 2/5 of Theorem 5",
    errata=("hu-1/E8",),
)
def quoted_rate() -> Outcome:
    """The balance of Theorem 5 against the quoted power."""
    return refuted({"n eps": 1e15}, value(RATE_9, n=1e15), 1e15 ** (-2 / 3), "balance, quoted")


@quoted_rate.corrected("O~(1/(n eps)^(2/5))", refuses={"(n eps)^(-2/3)": {"n": "-2/3"}})
def balanced_rate(n: str = "-2/5") -> Outcome:
    """See :func:`lasso_rate`."""
    return derived(**balance_9(n=n))
