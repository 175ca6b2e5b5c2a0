"""Appendix A.2: regression with missing covariates in high dimension."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_4 import FULL_NORM, TRUNCATION, full_norm_of_regressions
from proofs_checks.paper_002.appendix_c_8 import (
    UNIFORM_PRODUCTS,
    UNIFORM_PRODUCTS_REFUSES,
    uniform_products,
)
from proofs_checks.paper_002.populations import missing_gradient
from proofs_checks.paper_002.section_4_3 import MISSING
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import every, identity, rare, searched, symbols
from reference.errata.em.models import PrintedMissingCovariates

statement = partial(any_statement, algorithms=MISSING)


@statement(
    "002 Lemma A.2, constants",
    lines="621-627",
    kind="assumption",
    printed="b = r^2 (1+L)^2, p < 1/(1+2b+2b^2): gamma = (b + p(1+2b+2b^2))/(1+b) < 1",
    refuses={"1 + 2b + b^2": {"square": 1}, "gamma/4": {"share": 0.25}},
)
def missing_constants(rng: np.random.Generator, square: int = 2, share: float = 1.0) -> Outcome:
    """(1 + b)(1 - gamma) = 1 - p (1+2b+2b^2), so that gamma < 1 is the condition on p.

    Exact enumeration of z for the Lipschitz ratio over gamma, 40 random (beta*, beta) each.
    """
    b, p = symbols("b p")
    gamma = (b + p * (1 + 2 * b + square * b**2)) / (1 + b)
    worst, tried = 0.0, 0
    for ratio, big_l, sigma in ((0.5, 0.25, 1.0), (1.0, 0.25, 0.5), (2.0, 0.1, 1.0)):
        b_at = ratio**2 * (1 + big_l) ** 2
        polynomial = 1 + 2 * b_at + 2 * b_at**2
        for part in (0.1, 0.9):
            p_at = part / polynomial
            gamma_at = share * (b_at + p_at * polynomial) / (1 + b_at)
            for _ in range(40):
                truth, away = rng.standard_normal((2, int(rng.integers(1, 4))))
                truth *= ratio * sigma / np.linalg.norm(truth)
                away *= big_l * ratio * sigma * rng.random() / np.linalg.norm(away)
                beta = truth + away
                change = missing_gradient(beta, truth, truth, sigma, p_at)
                change -= missing_gradient(beta, beta, truth, sigma, p_at)
                size = float(np.linalg.norm(change) / np.linalg.norm(away))
                worst, tried = max(worst, size / gamma_at), tried + 1
    return every(
        identity(((1 + b) * (1 - gamma), 1 - p * (1 + 2 * b + 2 * b**2))),
        searched(worst, 1, tried=tried, what="Lipschitz ratio over gamma"),
    )


@statement(
    "002 Lemma A.2, statistical error",
    lines="628-630",
    kind="concentration",
    printed="alpha = C eta [sqrt(s-hat) ||beta*||^2 (1+L)(1+Lr)^2 + max(...)] sqrt((log "
    "d+log(12/tau))/n)",
    checked="eta = 1: a gradient's error cannot depend on the step size",
    refuses={"C = .15": {"constant": 0.15}},
)
def missing_statistical_error(rng: np.random.Generator, constant: float = 1.0) -> Outcome:
    """n = 500, d = 6, p = .1, r = 1, L = 1/4, C = 1."""
    n, d, tau, sigma, p, big_l, runs = 500, 6, 0.05, 1.0, 0.1, 0.25, 280
    truth, away = np.zeros(d), np.zeros(d)
    truth[0], away[:2] = 1.0, [0.1, 0.1]
    beta = truth + away
    expected = missing_gradient(beta, beta, truth, sigma, p)
    model = PrintedMissingCovariates(sigma, p)
    size = math.sqrt(2) * (1 + big_l) * (1 + big_l) ** 2 + max(2.0, (1 + big_l) ** 2)
    bound = constant * size * math.sqrt((math.log(d) + math.log(12 / tau)) / n)
    above = 0
    for _ in range(runs):
        gradient = model.gradients(model.sample(truth, n, rng), beta).mean(0)
        above += bool(np.abs(gradient - expected).max() > bound)
    return rare(above, runs, tau, what="deviations above alpha")


@statement(
    "002 Lemma A.2, truncation",
    lines="631-633",
    kind="concentration",
    printed="T of the order of sqrt(log n): ||grad Q - f_T||_2 <= C1 sqrt(s* log d/n) log n w.h.p.",
    false=FULL_NORM,
    errata=TRUNCATION,
)
def truncation() -> Outcome:
    """With few entries missing it is the regression of :func:`full_norm_of_regressions`."""
    return full_norm_of_regressions()


@truncation.corrected(UNIFORM_PRODUCTS, refuses=UNIFORM_PRODUCTS_REFUSES)
def restricted(level: int = 2, constant: str = "25", logarithms: int = 1) -> Outcome:
    """(43)-(45) with Lemma C.3: three means, see :func:`uniform_products`."""
    return uniform_products(level, constant, logarithms)
