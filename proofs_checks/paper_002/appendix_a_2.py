"""Appendix A.2: regression with missing covariates in high dimension."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from proofs_checks.balls import ball, exp, sqrt
from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_4 import FULL_NORM, TRUNCATION, full_norm_of_regressions
from proofs_checks.paper_002.appendix_c_8 import (
    UNIFORM_PRODUCTS,
    UNIFORM_PRODUCTS_REFUSES,
    UNIFORM_PRODUCTS_UNCHECKED,
    uniform_products,
)
from proofs_checks.paper_002.facts import deviations_of_means, normal_square
from proofs_checks.paper_002.populations import missing_gradient
from proofs_checks.paper_002.section_4_3 import MISSING
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    reals,
    searched,
    symbols,
)

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

    Here b = r^2 (1 + L)^2.

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
    checked="with C = 62 and eta = 2/(mu + nu) = 1",
    added="n >= log d + log(12/tau): a product of normal variables has exponential tails only",
    refuses={
        "C = 61": {"constant": "61"},
        "log(1/tau)": {"events": 1},
        "no log d": {"power": 0},
        "(1 + Lr) for (1 + Lr)^2": {"spread": 1},
        "without the maximum": {"most": 0},
        "without the root": {"rate": 2},
    },
    unchecked={
        "alpha": "the bound; the steps have it as c sqrt(t/n) times 1 + 2 sqrt(K - 1)",
        "C": '62 in step "constant"',
        "eta": '1, as "checked" says',
        "s-hat": '1 in step "bracket", the least it can be',
    },
)
def missing_statistical_error(
    constant: str = "62",
    events: int = 12,
    power: int = 1,
    spread: int = 2,
    most: int = 1,
    rate: int = 1,
) -> Outcome:
    """Given what is missing, the residual e = y - <x, beta>_observed is normal, v = sigma^2 + h^2.

    h is the norm of beta's hidden part. Its deviation is the norm of (sigma, beta_hidden) plus a
    part of beta* - beta, so at most sqrt(v) + L ||beta*|| <= u sqrt(v), u = 1 + Lr, as
    ||beta*|| <= r sigma [step "spread"]. A missing entry of the gradient is beta_j (e^2/v - 1), an
    observed one x_j e sigma^2/v, |.| <= |x_j Z| u sigma with Z = e/(u sqrt(v)) [step "observed"].
    So |X| <= M (Z^2 + 1) + (u sigma/2)(Z^2 + x_j^2), M = (1 + L) ||beta*|| u^2, and with
    A = M + u sigma/2 E exp(|X|/(8A)) <= sqrt 2 e^(1/8) (Cauchy-Schwarz, step "moment"); see
    :func:`proofs_checks.paper_002.facts.deviations_of_means`. A is at most 3/2 of the bracket [step
    "bracket", s-hat = 1].
    """
    deviation, root, sigma, r, big_l, size = reals("deviation root sigma r L size")
    stretch = 1 + big_l * r
    given = (sigma > 0, big_l > 0, big_l < 1, r >= 0, size >= 0)
    u, value = reals("u scale")
    return derived(
        spread=for_all(
            deviation <= stretch * root,
            *(*given, root >= sigma, size <= r * sigma, deviation <= root + big_l * size),
        ),
        observed=for_all(
            u * root * sigma**2 <= u * sigma * root**2, u >= 1, sigma > 0, root >= sigma
        ),
        moment=normal_square(),
        bracket=for_all(
            (1 + big_l) * size * u**2 + u * sigma / 2 <= value,
            *(*given, u >= 1),
            2 * value >= 3 * _bracket(size, sigma, big_l, u, spread, most),
        ),
        **deviations_of_means(
            sqrt(ball(2)) * exp(ball("1/8")), ball(12), constant, events, power, rate
        ),
    )


def _bracket(size: Any, sigma: Any, big_l: Any, u: Any, spread: int, most: int) -> Any:
    """Return ||beta*||^2 (1 + L) u^2 + max(||beta*||^2 + sigma^2, u^2) of the printed alpha."""
    first, second = size**2 + sigma**2, u**2
    return size**2 * (1 + big_l) * u**spread + most * z3.If(first > second, first, second)


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


@truncation.corrected(
    UNIFORM_PRODUCTS, refuses=UNIFORM_PRODUCTS_REFUSES, unchecked=UNIFORM_PRODUCTS_UNCHECKED
)
def restricted(**parts: Any) -> Outcome:
    """(43)-(45) with Lemma C.3: three means, see :func:`uniform_products`."""
    return uniform_products(**parts)
