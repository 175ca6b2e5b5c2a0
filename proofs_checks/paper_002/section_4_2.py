"""Section 4.2: the mixture of regressions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from proofs_checks.balls import ball, exp
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.facts import squared_scale, symmetric_in_sign
from proofs_checks.paper_002.populations import regression_fixed_point, regression_map
from proofs_checks.paper_002.section_4_1 import (
    ANY_ESTIMATOR,
    INFINITE_RISK,
    LOCAL,
    LOCAL_REFUSES,
    NOT_OPTIMAL,
    OF_THE_BOUND,
    REMARK,
    VACUOUS,
    local_two_points,
    not_optimal,
)
from proofs_checks.statement import Wrong, not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, identity, refuted, searched, symbols

REGRESSIONS = ("zhang-5", "zhang-7")
statement = partial(any_statement, algorithms=REGRESSIONS)

not_checkable(
    "002 (6)",
    lines="288-292",
    kind="definition",
    printed="Y = Z <X, beta*> + e, X ~ N(0, I), e ~ N(0, sigma^2), Z a fair sign",
    reason="the mixture of regressions model",
    algorithms=REGRESSIONS,
)


@statement(
    "002 Section 4.2, weight",
    lines="298",
    kind="identity",
    printed="w_beta(x, y) = 1/(1 + exp(-y<beta, x>/sigma^2)) is the posterior of model (6)",
    false="the exponent lacks a factor 2: the population fixed point is not beta*",
    errata=("zhang-5/E2", "zhang-7/E1"),
)
def regression_weight() -> Outcome:
    """<beta, x> = 1, y = .7, sigma = .5."""
    fixed = {str(snr): regression_fixed_point(snr) for snr in (1.0, 3.0)}
    plus, minus = (exp(-((ball("0.7") - z) ** 2) / ball("0.5")) for z in (1, -1))
    printed = 1 / (1 + exp(-ball("0.7") / ball("0.25")))
    point = {"fit": 1.0, "y": 0.7, "sigma": 0.5, "fixed points by SNR": fixed}
    return refuted(point, plus / (plus + minus), printed, "posterior against printed weight")


@regression_weight.corrected(
    "w_beta(x, y) = 1/(1 + exp(-2y<beta, x>/sigma^2)); then M(beta*) = beta*",
    refuses={"exp(-y<beta, x>/sigma^2)": {"factor": 1}},
    unchecked={
        "w_beta": "1/(1 + ratio); the step has the logarithm of the ratio",
    },
)
def regression_posterior(factor: int = 2) -> Outcome:
    """The ratio of the two densities [step "ratio"]; w = 1/(1 + ratio).

    M(beta*) = E[(2w-1) Y X] = E[Z Y X] = beta*; by quadrature, too [step "fixed"].
    """
    y, fit, sigma = symbols("y fit sigma", real=True)
    exponent = ((y - fit) ** 2 - (y + fit) ** 2) / (2 * sigma**2)
    snrs = (1.0, 3.0, 5.0)
    residual = max(
        abs(float(regression_map(np.array([snr]), np.array([snr]), factor / 2)[0] - snr))
        for snr in snrs
    )
    return derived(
        ratio=identity((exponent, -factor * y * fit / sigma**2)),
        fixed=searched(residual, 1e-9, tried=3, what="M(beta*) - beta*, SNR 1 to 5"),
    )


@statement(
    "002 Section 4.2, gradient",
    lines="302, 306, 580",
    kind="identity",
    printed="grad Q_n(beta; beta) = (1/n) sum 2 w y x - x x^T beta",
    false="the gradient of the printed Q_n has 2w - 1 for 2w; the noise of mean(yx) is added",
    errata=("zhang-5/E1",),
)
def doubled_gradient() -> Outcome:
    """One record x = y = 1 at beta = 0, w = 1/2: printed 1, the slope of Q_n (l.296) is 0."""
    w, y, x, b = (sp.Rational(1, 2), 1, 1, symbols("b", real=True))
    q = -(w * (y - x * b) ** 2 + (1 - w) * (y + x * b) ** 2) / 2
    slope = sp.diff(q, b).subs(b, 0)
    return refuted({"x": 1, "y": 1, "beta": 0}, int(2 * w * y * x), int(slope), "printed, slope")


@doubled_gradient.corrected(
    "(1/n) sum (2w - 1) y x - x x^T beta",
    refuses={"2 w y x": {"minus": 0}, "sum without 1/n": {"records": 0}},
    unchecked={
        "n": "2 in the step: two records",
    },
)
def single_gradient(minus: int = 1, records: int = 1) -> Outcome:
    """Two records and one coordinate, b for beta."""
    b, n = symbols("b", real=True), 2
    q = claimed = sp.Integer(0)
    for i in range(n):
        w, y, x = symbols(f"w{i} y{i} x{i}", real=True)
        q -= (w * (y - x * b) ** 2 + (1 - w) * (y + x * b) ** 2) / (2 * n)
        claimed += ((2 * w - minus) * y * x - x**2 * b) / n**records
    return identity((sp.diff(q, b), claimed))


# -------------------------------------------------- the rates of Theorems 4.4, 4.6, A.3, A.5


def lost_half_power(constant: int, *, sparse: bool) -> Outcome:
    """Compare the last step's noise with the bound, in a regime where its other term is small.

    epsilon = n^(-3/4); sparse: s* = s-hat = 1, log d = (log n)^(1/4), the scale of one Laplace
    variable; otherwise the root of E||W||^2. n epsilon, d and sqrt(log(1/delta)) cancel (at
    log(1.25/delta) for log(1/delta)), T = sqrt(log n), N0 = log n. The last noise is symmetric
    about the rest: with probability near 1/2 the error exceeds it, so no C1 is enough; the other
    term is smaller by n^(-1/4) up to logarithms. At log n = 1e16 against C1 = 1000.
    """
    log_n = 1e16
    if sparse:
        noise, bound = constant * 2 * 3**0.5 * log_n**2, log_n**1.75
    else:
        noise, bound = 2**0.5 * constant * log_n**2, log_n**1.5
    return refuted({"log n": log_n}, noise / bound, 1000.0, "noise over the claimed privacy term")


def full_power(constant: int, powers: Mapping[str, str] | None = None, *, sparse: bool) -> Outcome:
    """Squared size of a step's noise over the claimed term is constant at T^2 N0 = (log n)^2.

    s (log d)^2 b^2 from (17), s = s*, or d sd^2, s for d; the privacy term only. Here
    L = log(1/delta) and l = log n.
    """
    s, size, ell, n, epsilon, log_d = symbols("s L l n epsilon log_d")
    claimed = sp.Integer(1)
    stated = {"s": "1", "log_d": "1", "L": "1/2", "l": "2", "n": "-1", "epsilon": "-1"}
    for name, power in {**stated, **(powers or {})}.items():
        if sparse or name != "log_d":
            claimed *= symbols(name) ** (2 * sp.Rational(power))
    if sparse:
        square = squared_scale(constant, s, size, ell**2, n, epsilon)
        return identity((s * log_d**2 * square, 12 * constant**2 * claimed))
    deviation = 2 * s * (constant * ell**2 / n) ** 2 * size / epsilon**2
    return identity((s * deviation, 2 * constant**2 * claimed))


DENSE_REFUSES: Wrong = {
    "(log n)^{3/2}": {"powers": {"l": "3/2"}},
    "log(1/delta)": {"powers": {"L": "1"}},
    "sqrt(s*), or sqrt(d)": {"powers": {"s": "1/2"}},
    "sqrt(n) epsilon": {"powers": {"n": "-1/2"}},
    "n epsilon^2": {"powers": {"epsilon": "-2"}},
}
SPARSE_REFUSES: Wrong = {**DENSE_REFUSES, "without log d": {"powers": {"log_d": "0"}}}
WHY_HALF = "T^2 N0 is of the order of (log n)^2, not (log n)^{3/2}"
SPARSE_RATE = (
    "privacy term s* log d sqrt(log(1/delta)) (log n)^2/(n epsilon); the other term is not checked "
    "here"
)


@any_statement(
    "002 Theorem 4.4",
    lines="310-316",
    kind="utility",
    printed="MRM: error <= C sqrt(s* log d/n) log n + C1 s* log d sqrt(log(1/delta)) (log n)^{3/2}/"
    "(n epsilon) ((7))",
    false=WHY_HALF,
    algorithms=("zhang-5",),
    errata=("zhang-5/E3",),
)
def regression_rate() -> Outcome:
    """See :func:`lost_half_power`."""
    return lost_half_power(4, sparse=True)


@regression_rate.corrected(SPARSE_RATE, refuses=SPARSE_REFUSES)
def regression_full_power(powers: Mapping[str, str] | None = None) -> Outcome:
    """See :func:`full_power`."""
    return full_power(4, powers, sparse=True)


regression_rate.restated(
    "002 (7)",
    lines="314-316",
    printed="error <= C sqrt(s* log d/n) log n + C1 s* log d sqrt(log(1/delta)) (log n)^{3/2}/(n "
    "epsilon)",
)


@any_statement(
    "002 Proposition 4.5",
    lines="320-326",
    kind="lower bound",
    printed="MRM: inf_M sup_{||b||_0 <= s*} E||M-b|| >= c (sqrt(s* log d/n) + s* log d/(n "
    "epsilon))",
    checked=VACUOUS,
    refuses=INFINITE_RISK,
    algorithms=("zhang-5",),
    unchecked={
        "M": ANY_ESTIMATOR,
        "s*, c, d, n, epsilon": OF_THE_BOUND,
    },
)
def infinite_risk(factor: str = "2") -> Outcome:
    """Trivially, see :func:`proofs_checks.paper_002.facts.symmetric_in_sign`."""
    return symmetric_in_sign(factor)


@any_statement(
    "002 Remark after Proposition 4.5",
    lines="326",
    kind="remark",
    printed=REMARK,
    false=NOT_OPTIMAL,
    fails=True,
    algorithms=("zhang-5",),
    errata=("zhang-u1/E1",),
)
def optimality() -> Outcome:
    """See :func:`not_optimal`."""
    return not_optimal()


@optimality.corrected(LOCAL, refuses=LOCAL_REFUSES)
def local_bound(divergence: float = 2.0, risk: str = "1/4") -> Outcome:
    """See :func:`local_two_points`; given x, the regression is the mixture with b = <x, beta>."""
    return local_two_points(divergence, risk)
