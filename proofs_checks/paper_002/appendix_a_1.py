"""Appendix A.1: the mixture of regressions in high dimension."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_4 import FULL_NORM, TRUNCATION, full_norm_of_regressions
from proofs_checks.paper_002.appendix_c_8 import FIXED_SET, FIXED_SET_REFUSES, fixed_set
from proofs_checks.paper_002.populations import regression_map
from proofs_checks.paper_002.section_4_2 import REGRESSIONS
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import rare, searched
from reference.em.models import MixtureOfRegressions

statement = partial(any_statement, algorithms=REGRESSIONS)


@statement(
    "002 Lemma A.1, constants",
    lines="584-590",
    kind="assumption",
    printed="SNR large: gamma in (0, 1/4), mu = nu = 1 on the ball R = ||beta*||/32",
    refuses={"SNR at least 2": {"least": 2.0}, "gamma < 1/8": {"gamma": 0.125}},
)
def regression_constants(least: float = 2.5, gamma: float = 0.25) -> Outcome:
    """Exact weight, a grid of the ball; below 1/4 from an SNR between 2 and 2.5 on.

    mu = nu = 1 because E XX^T = I.
    """
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
    return searched(worst, gamma, tried=20, what="Lipschitz ratio", witness=at)


@statement(
    "002 Lemma A.1, statistical error",
    lines="591-593",
    kind="concentration",
    printed="alpha = C eta max(||beta*||^2 + sigma^2, 1, sqrt(s-hat) ||beta*||) sqrt((log d + "
    "log(4/tau))/n)",
    checked="eta = 1: a gradient's error cannot depend on the step size",
    refuses={"C = .1": {"constant": 0.1}},
)
def regression_statistical_error(rng: np.random.Generator, constant: float = 1.0) -> Outcome:
    """n = 500, d = 20, tau = .05, exact weight, 2w - 1, C = 1."""
    n, d, tau, runs = 500, 20, 0.05, 280
    truth, away = np.zeros(d), np.zeros(d)
    truth[0], away[:2] = 3.0, [0.05, 0.05]
    beta = truth + away
    expected = np.zeros(d)
    expected[:2] = regression_map(beta[:2], truth[:2], 1.0) - beta[:2]
    model = MixtureOfRegressions(1.0)
    bound = constant * max(9.0 + 1, 3.0) * math.sqrt((math.log(d) + math.log(4 / tau)) / n)
    above = 0
    for _ in range(runs):
        gradient = model.gradients(model.sample(truth, n, rng), beta).mean(0)
        above += bool(np.abs(gradient - expected).max() > bound)
    return rare(above, runs, tau, what="deviations above alpha")


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


@truncation.corrected(FIXED_SET, refuses=FIXED_SET_REFUSES)
def restricted(level: int = 2, total: str = "48", logarithms: int = 1) -> Outcome:
    """(41) with Lemma C.2 for y and for the fit, see :func:`fixed_set`."""
    return fixed_set(level, total, logarithms)
