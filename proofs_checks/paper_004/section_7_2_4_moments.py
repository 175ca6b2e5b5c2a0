"""Section 7.2.4: the constants and second moments of two of the models."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks import em_missing, em_regressions
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement

statement = partial(any_statement, algorithms=("diss-7.2.56",))


@statement(
    "004 Lemma 7.2.5",
    lines="9700",
    kind="optimisation",
    printed="SNR >= r large enough: self-consistent, gamma in (0, 1/4), mu = v = 1, "
    "R = k||beta*||, k = 1/32",
    added="the posterior weight instead of (7.47)'s, under which beta* is not self-consistent",
    refuses={"r = 2": {"smallest": 2.0}, "gamma < 1/5": {"largest": 0.2}},
)
def regression_constants(smallest: float = 2.5, largest: float = 0.25) -> Outcome:
    """See :func:`proofs_checks.em_regressions.constants`; self-consistency is of (7.47)."""
    return em_regressions.constants(smallest, largest)


@statement(
    "004 Lemma 7.2.6",
    lines="9702-9706",
    kind="concentration",
    printed="E(grad_j q(beta; beta))^2 <= O(max{(||beta*||^2 + sigma^2)^2, d ||beta*||^2})",
    checked="with the constant 7.2, either weight and an SNR of at least 1",
    refuses={
        "6 by the same steps": {"constant": "6"},
        "(||beta*||^2 + sigma^2)^2 alone": {"squares_only": True},
    },
)
def regression_moment(constant: str = "7.2", squares_only: bool = False) -> Outcome:
    """See :func:`proofs_checks.em_regressions.second_moments`; d is not needed."""
    return em_regressions.second_moments(constant, squares_only=squares_only)


@statement(
    "004 Lemma 7.2.7",
    lines="9722-9726",
    kind="optimisation",
    printed="SNR <= r, b = r^2 (1+k)^2, p_m < 1/(1 + 2b + 2b^2): self-consistent, gamma = "
    "(b + p_m (1 + 2b + 2b^2))/(1 + b) < 1, mu = v = 1, R = k ||beta*||",
    refuses={"p_m/2 in gamma": {"missing": 0.5}},
)
def missing_constants(rng: np.random.Generator, missing: float = 1.0) -> Outcome:
    """See :func:`proofs_checks.em_missing.constants`."""
    return em_missing.constants(rng, missing=missing)


@statement(
    "004 Lemma 7.2.8",
    lines="9728-9730",
    kind="concentration",
    printed="(7.67): E(grad_j q(beta; beta))^2 <= O((sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2)^2)",
    false="of order sigma^4 for a moment of order sigma^2: (7.94) drops a constant from a maximum",
    errata=(("model-rmc", 2),),
)
def missing_moment() -> Outcome:
    """See :func:`proofs_checks.em_missing.vanishing_moment`."""
    return em_missing.vanishing_moment()


@missing_moment.corrected(
    "(1-p)(W + 2R^2) + p (3W^2/(4 sigma^2) + (||beta*||_inf + R)^2), W = ||beta*||^2 + sigma^2 + "
    "R^2",
    refuses={"W^2/(2 sigma^2)": {"cubic": "1/2"}, "W + R^2": {"radius": 1}},
)
def missing_moment_bound(cubic: str = "3/4", radius: int = 2) -> Outcome:
    """See :func:`proofs_checks.em_missing.second_moments`."""
    return em_missing.second_moments(cubic, radius)


missing_moment.restated(
    "004 (7.67)",
    lines="9730",
    printed="E(grad_j q(beta; beta))^2 <= O((sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2)^2)",
)
