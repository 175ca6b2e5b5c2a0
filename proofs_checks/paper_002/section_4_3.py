"""Section 4.3: regression with missing covariates."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.section_4_2 import (
    SPARSE_RATE,
    SPARSE_REFUSES,
    WHY_HALF,
    full_power,
    lost_half_power,
)
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import derived, identity, refuted, symbols

MISSING = ("zhang-6", "zhang-8")


def _gradients(exact: bool) -> tuple[list[Any], list[Any], Any, list[Any]]:
    """Return y m - K beta, sigma^2 times the score, and their symbols; x_1 is observed.

    log N(y; fit, total) with fit = x_1 beta_1, total = sigma^2 + beta_2^2 + beta_3^2.
    """
    x, y, b1, b2, b3, sigma = symbols("x y b1 b2 b3 sigma", real=True)
    beta = sp.Matrix([b1, b2, b3])
    hidden = sp.Matrix([0, b2, b3])
    total = sigma**2 + b2**2 + b3**2
    slope = (y - x * b1) / total
    m = sp.Matrix([x, slope * b2, slope * b3])
    n = sp.Matrix([0, slope * b2, slope * b3])
    minus = hidden * hidden.T / total if exact else n * n.T
    k = sp.diag(0, 1, 1) + m * m.T - minus
    gradient = list(y * m - k * beta)
    log_density = -((y - x * b1) ** 2) / (2 * total) - sp.log(total) / 2
    score = [sigma**2 * sp.diff(log_density, b) for b in beta]
    return gradient, score, sigma, [x, y, b1, b2, b3]


@statement(
    "002 Section 4.3, K_beta",
    lines="341",
    kind="identity",
    printed="K_beta = diag(1-z) + m m^T - [(1-z) m][(1-z) m]^T is E[x x^T | observed, y]",
    false="the missing block lacks m m^T - b b^T/(sigma^2+||b||^2): not the EM gradient",
    algorithms=MISSING,
    errata=("zhang-6/E2",),
)
def printed_moment() -> Outcome:
    """sigma = 7/10, beta = (3/5, -4/5, 1/2), x_1 = 2 observed, y = 13/10.

    A missing coordinate of the gradient over sigma^2 times the score: (sigma^2 + b^2)/sigma^2.
    """
    gradient, score, sigma, names = _gradients(exact=False)
    values = ("2", "13/10", "3/5", "-4/5", "1/2")
    at = {
        sigma: sp.Rational("7/10"),
        **{s: sp.Rational(v) for s, v in zip(names, values, strict=True)},
    }
    ratio = (gradient[1] / score[1]).subs(at)
    point = {"sigma": 0.7, "beta": [0.6, -0.8, 0.5], "z": [1, 0, 0], "x_1": 2, "y": 1.3}
    return refuted(point, Fraction(int(ratio.p), int(ratio.q)), 1, "gradient over scaled score")


@printed_moment.corrected(
    "diag(1-z) + m m^T - [(1-z) beta][(1-z) beta]^T/(sigma^2 + ||(1-z) beta||^2)",
    refuses={"the printed K": {"exact": False}},
    unchecked={
        "z, m, beta": "in the entries of the step: z = (1, 0, 0), m = (x, slope b2, slope b3)",
    },
)
def conditional_moment(exact: bool = True) -> Outcome:
    """y m - K beta is sigma^2 times the score of y given the observed x.

    One observed and two missing coordinates [step "record"]; more enter only through the fit and
    the norm of the missing part.
    """
    gradient, score, _, _ = _gradients(exact)
    return derived(record=identity(*zip(gradient, score, strict=True)))


@statement(
    "002 Theorem 4.6",
    lines="355-361",
    kind="utility",
    printed="RMC: error <= C sqrt(s* log d/n) log n + C1 s* log d sqrt(log(1/delta)) (log n)^{3/2}/"
    "(n epsilon)",
    false=WHY_HALF,
    algorithms=("zhang-6",),
    errata=("zhang-5/E3",),
)
def missing_rate() -> Outcome:
    """See :func:`lost_half_power`."""
    return lost_half_power(6, sparse=True)


@missing_rate.corrected(SPARSE_RATE, refuses=SPARSE_REFUSES)
def missing_full_power(powers: Mapping[str, str] | None = None) -> Outcome:
    """See :func:`full_power`."""
    return full_power(6, powers, sparse=True)


not_checkable(
    "002 Proposition 4.7",
    lines="365-371",
    kind="lower bound",
    printed="RMC: inf_M sup_{||b||_0 <= s*} E||M-b|| >= c (sqrt(s* log d/n) + s* log d/(n "
    "epsilon))",
    reason="no proof is given; deleting entries reduces it to sparse regression, whose bound is "
    "cited",
    algorithms=("zhang-6",),
)
