"""Section 5.3: linear regression with missing covariates."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from proofs_checks.em import missing as em_missing
from proofs_checks.em import rates as em_rates
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived

statement = partial(any_statement, algorithms=("wang-2",))


@statement(
    "000 Lemma 7",
    lines="372-374",
    kind="optimisation",
    printed="SNR <= r, b = r^2 (1+k)^2, p_m < 1/(1 + 2b + 2b^2): self-consistent, gamma = "
    "(b + p_m (1 + 2b + 2b^2))/(1 + b) < 1, mu = v = 1, R = k ||beta*||",
    refuses={"p_m/2 in gamma": {"missing": 0.5}, "mu = v = 2": {"curvature": 2}},
    slack="p_m (1 + 2b^2)/(1 + b) for the second term was enough wherever it was tried",
    unchecked={
        "SNR": "at most r: the search has ||beta*|| = r sigma",
        "mu, v": "both 1: the steps have the mean of K_beta*, I",
        "R": "the search goes as far as k ||beta*|| from beta*",
    },
)
def constants(rng: np.random.Generator, missing: float = 1.0, curvature: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.missing.constants`."""
    return em_missing.constants(rng, missing=missing, curvature=curvature)


@statement(
    "000 Lemma 8",
    lines="376-378",
    kind="concentration",
    printed="(29): E(grad_j q(beta; beta))^2 <= O((sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2)^2)",
    false="of order sigma^4 for a moment of order sigma^2: (65) drops a constant from a maximum",
    errata=("model-rmc/E2",),
)
def second_moment() -> Outcome:
    """See :func:`proofs_checks.em.missing.vanishing_moment`."""
    return em_missing.vanishing_moment()


@second_moment.corrected(
    "(1-p)(W + 2R^2) + p (3W^2/(4 sigma^2) + (||beta*||_inf + R)^2), W = ||beta*||^2 + sigma^2 + "
    "R^2",
    refuses={
        "W^2/(2 sigma^2)": {"cubic": "1/2"},
        "W + R^2": {"radius": 1},
        "||beta*||_inf^2 without R": {"away": 0},
        "W without sigma^2": {"noise": 0},
        "W without R^2": {"reach": 0},
    },
)
def second_moment_bound(
    cubic: str = "3/4", radius: int = 2, away: int = 1, noise: int = 1, reach: int = 1
) -> Outcome:
    """See :func:`proofs_checks.em.missing.second_moments`."""
    return em_missing.second_moments(cubic, radius, away, noise=noise, reach=reach)


second_moment.restated(
    "000 (29)",
    lines="378",
    printed="E(grad_j q(beta; beta))^2 <= O((sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2)^2)",
)


@statement(
    "000 Theorem 8",
    lines="382-388",
    kind="utility",
    printed="||beta^T - beta*|| <= O~(d L Lambda ||beta*|| (sqrt(d) ||beta*|| + sigma^2 + "
    "||beta*||^2)/sqrt(n eps^2)) w.p. 1 - 2T zeta",
    false="the factor ||beta*|| of (25), and tau from Lemma 8: fails for small beta* and sigma",
    errata=("wang-2/E3",),
)
def error_bound(rng: np.random.Generator) -> Outcome:
    """See :func:`proofs_checks.em.rates.scale_refuted`, with the tau of the corrected Lemma 8.

    sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2 is 2c + 5c^2 at ||beta*|| = c, sigma = 2c.
    """
    return em_rates.scale_refuted(rng, em_rates.MISSING, "split", factor=7.0)


@error_bound.corrected(
    "iota^T ||beta^0 - beta*|| + O(d L^(1/4) log(dT/zeta) sqrt(tau T/(n eps))) with the tau of the "
    "corrected Lemma 8, while the iterates stay in B; 11 eta/(1 - iota) for zeta <= 1/2, delta <= "
    "1/e, eps <= 1",
    refuses={
        "times ||beta*||": {"norm_power": 2},
        "sqrt(d)": {"d_power": 0.5},
        "eps^(-1/4)": {"epsilon_power": 0.25},
        "n^-.6": {"n_power": 0.6},
        "W^2/(2 sigma^2) in tau": {"cubic": "1/2"},
        "0.9 eta": {"eta": "0.9"},
    },
)
def additive_bound(rng: np.random.Generator, cubic: str = "3/4", **powers: Any) -> Outcome:
    """See :func:`proofs_checks.em.rates.additive_bound`; tau is of Lemma 8 [step "tau"]."""
    return derived(
        bound=em_rates.additive_bound(**powers),
        tau=em_missing.second_moments(cubic),
        runs=em_rates.additive_bound_of_runs(rng, em_rates.MISSING, 8000),
    )
