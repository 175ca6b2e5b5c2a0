"""Appendix A.1: the mixture of regressions in high dimension."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np

from proofs_checks.balls import ball, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_4 import FULL_NORM, TRUNCATION, full_norm_of_regressions
from proofs_checks.paper_002.appendix_c_8 import (
    UNIFORM_PRODUCTS,
    UNIFORM_PRODUCTS_REFUSES,
    UNIFORM_PRODUCTS_UNCHECKED,
    uniform_products,
)
from proofs_checks.paper_002.facts import deviations_of_means, normal_square
from proofs_checks.paper_002.populations import regression_map
from proofs_checks.paper_002.section_4_2 import REGRESSIONS
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

statement = partial(any_statement, algorithms=REGRESSIONS)


@statement(
    "002 Lemma A.1, constants",
    lines="584-590",
    kind="assumption",
    printed="SNR large: gamma in (0, 1/4), mu = nu = 1 on the ball R = ||beta*||/32",
    refuses={
        "SNR at least 2": {"least": 2.0},
        "gamma < 1/8": {"gamma": 0.125},
        "mu = nu = 2": {"curvature": 2},
    },
    unchecked={
        "mu, nu": "both 1: the step has a record's second derivative -x^2, and E x^2 = 1",
        "R": "the search goes as far as ||beta*||/32 from beta*",
    },
)
def regression_constants(least: float = 2.5, gamma: float = 0.25, curvature: int = 1) -> Outcome:
    """Exact weight, a grid of the ball; below 1/4 from an SNR between 2 and 2.5 on.

    mu = nu = 1 because E XX^T = I: a record's second derivative is -x^2.
    """
    b, y, w, x = symbols("b y w x", real=True)
    q = -(w * (y - x * b) ** 2 + (1 - w) * (y + x * b) ** 2) / 2
    worst, at = 0.0, {}
    for snr in (least, 4.0):
        truth = np.array([snr, 0.0])
        start = regression_map(truth, truth, 1.0)
        for radius, angle in itertools.product((0.3, 1.0), np.linspace(0, math.pi, 5)):
            away = radius * snr / 32 * np.array([math.cos(angle), math.sin(angle)])
            change = regression_map(truth + away, truth, 1.0) - start
            ratio = float(np.linalg.norm(change) / np.linalg.norm(away))
            if ratio > worst:
                worst, at = ratio, {"SNR": snr, "away": away.tolist()}
    return every(
        identity((sp.diff(q, b, 2), -curvature * x**2)),
        searched(worst, gamma, tried=20, what="Lipschitz ratio", witness=at),
    )


@statement(
    "002 Lemma A.1, statistical error",
    lines="591-593",
    kind="concentration",
    printed="alpha = C eta max(||beta*||^2 + sigma^2, 1, sqrt(s-hat) ||beta*||) sqrt((log d + "
    "log(4/tau))/n)",
    checked="for the gradient of Q_n, with 2w - 1, C = 29 and eta = 2/(mu + nu) = 1",
    added="n >= log d + log(4/tau): a product of normal variables has exponential tails only",
    refuses={
        "C = 28": {"constant": "28"},
        "log(1/tau)": {"events": 1},
        "no log d": {"power": 0},
        "without the root": {"rate": 2},
        "max without the 1": {"one": 0},
        "||beta*||^2 for ||beta*||^2 + sigma^2": {"noise": 0},
        "sigma^2 for ||beta*||^2 + sigma^2": {"mean": 0},
    },
    slack="sqrt(s-hat) ||beta*|| in the maximum is not needed",
    unchecked={
        "alpha": "the bound; the steps have it as c sqrt(t/n) times 1 + 2 sqrt(K - 1)",
        "C": '29 in step "constant"',
        "eta": '1, as "checked" says',
        "s-hat": "its term of the maximum is not needed",
    },
)
def regression_statistical_error(
    constant: str = "29",
    events: int = 4,
    power: int = 1,
    rate: int = 1,
    one: int = 1,
    noise: int = 1,
    mean: int = 1,
) -> Outcome:
    """X = F x_j, F = (2w - 1) y - c, c = <x, beta>; r^2 = ||beta*||^2 + sigma^2, R = (33/32) r.

    2w - 1 has the sign of y c, so F^2 <= y^2 + c^2 [step "size"], and |X| is at most R/2 times the
    sum of the squares of y/R, c/R and x_j [step "product"], all normal of variance at most 1.
    E exp(Z^2/4) = sqrt 2 [step "moment"], so E exp(|X|/(6R)) <= sqrt 2 (Hoelder); see
    :func:`proofs_checks.paper_002.facts.deviations_of_means`. And r <= max(r^2, 1) [step
    "maximum"].
    """
    k, y, c, x, factor, bound, r = reals("k y c x F R r")
    size, sigma = reals("size sigma")
    squares = mean * size**2 + noise * sigma**2
    scale = 6 * ball("33/32")
    return derived(
        size=for_all((k * y - c) ** 2 <= y * y + c * c, k >= -1, k <= 1, k * y * c >= 0),
        product=for_all(
            2 * bound * factor * x <= y * y + c * c + bound**2 * x**2,
            *(bound > 0, factor**2 <= y * y + c * c),
        ),
        moment=normal_square(),
        maximum=for_all(
            r <= z3.If(squares > one, squares, one),
            *(r > 0, size >= 0, sigma >= 0, r * r == size**2 + sigma**2),
        ),
        **deviations_of_means(sqrt(ball(2)), scale, constant, events, power, rate),
    )


@statement(
    "002 Lemma A.1, truncation",
    lines="594-596",
    kind="concentration",
    printed="T of the order of sqrt(log n): ||grad Q - f_T||_2 <= C1 sqrt(s* log d/n) log n w.h.p.",
    false=FULL_NORM,
    errata=TRUNCATION,
)
def truncation() -> Outcome:
    """See :func:`full_norm_of_regressions`."""
    return full_norm_of_regressions()


@truncation.corrected(
    UNIFORM_PRODUCTS, refuses=UNIFORM_PRODUCTS_REFUSES, unchecked=UNIFORM_PRODUCTS_UNCHECKED
)
def restricted(**parts: Any) -> Outcome:
    """(41): a mean for y and one for the fit, see :func:`uniform_products`."""
    return uniform_products(**parts)
