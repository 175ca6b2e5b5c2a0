"""Section 5.1: the error bound (27) of the Gaussian mixture."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs_checks.em import mixture as em_mixture
from proofs_checks.em import rates as em_rates
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived


@statement(
    "000 (27)",
    lines="340",
    kind="utility",
    printed="||beta^T - beta*|| <= O~(||beta*|| d^4 sqrt(L Lambda) sqrt(||beta*||_inf^2 + sigma^2)/"
    "sqrt(n eps))",
    checked="the same with d (L Lambda)^(1/4) for d^4 sqrt(L Lambda): what Theorem 5 gives, of "
    "which the root's index seems to have slipped to d",
    false="the factor ||beta*|| is the R of (25): the square of a length; and tau needs R^2, see "
    "Lemma 4",
    algorithms=("wang-2",),
    errata=("wang-2/E3",),
)
def error_bound(rng: np.random.Generator) -> Outcome:
    """See :func:`proofs_checks.em.rates.scale_refuted`."""
    return em_rates.scale_refuted(rng, em_rates.MIXTURE, "split")


@error_bound.corrected(
    "iota^T ||beta^0 - beta*|| + O(d L^(1/4) log(dT/zeta) sqrt(tau T/(n eps))) with tau = 4 "
    "(||beta*||_inf^2 + sigma^2 + R^2), while the iterates stay in B; 11 eta/(1 - iota) for zeta "
    "<= 1/2, delta <= 1/e, eps <= 1",
    refuses={
        "times ||beta*||": {"norm_power": 2},
        "sqrt(d)": {"d_power": 0.5},
        "eps^(-1/4)": {"epsilon_power": 0.25},
        "n^-.6": {"n_power": 0.6},
        "L^(1/8)": {"delta_power": 0.125},
        "sqrt(log(dT/zeta))": {"zeta_power": 0.5},
        "tau without R^2": {"radius": 0},
        "0.9 eta": {"eta": "0.9"},
    },
    unchecked={
        "B": "a condition on the path; the steps have the contraction in B as a premise",
    },
)
def additive_bound(radius: int = 1, **powers: Any) -> Outcome:
    """See :func:`proofs_checks.em.rates.additive_bound`; tau as in step "tau".

    There s = sigma and n = ||beta*||_inf.
    """
    return derived(
        bound=em_rates.additive_bound(**powers), tau=em_mixture.moment_of_mixture(radius)
    )
