"""LDP gradient EM (wang-ldp-em): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, Scaling, along, without_truncation
from auditor.described.data.mixtures import MISSING, REGRESSIONS, Worst
from auditor.described.data.small_em import truncating
from auditor.described.data.smoothed_truncation import SmoothedEM, mixture_error, truncated_form
from reference.em.local_gradient_em import constants_for, local_gradient_em
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

EM = SmoothedEM(local_gradient_em, constants_for)


def _form(worst: Worst, **options: Any) -> Form:
    return truncated_form(EM, worst, model=Model.LOCAL, **options)


def _error(rng: np.random.Generator, ledger: Ledger, n: float, epsilon: float) -> float:
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-2, "failure_probability": 0.02}
    return mixture_error(rng, ledger, EM, n=n, n_iterations=1, **claim)


def _scaling() -> tuple[Scaling, ...]:
    """Return the recipes of the extension: what Theorem 3 would give, which nobody claims."""
    rate = "by analogy with Theorem 3, unproved: O~(d sqrt(tau)/(m^(1/4) sqrt(epsilon)))"
    recipe = partial(along, error=_error, repetitions=12, claim=rate)
    return (
        recipe("n", (1_000, 4_000, 16_000, 64_000), -0.25, epsilon=0.8),
        recipe("epsilon", (0.1, 0.2, 0.4, 0.8), -0.5, n=16_000, expensive=True),
    )


def wang_ldp_em() -> Case:
    """One message per user: the local guarantee is that of a single Gaussian vector."""
    return Case(
        id="wang-ldp-em",
        forms={"corrected": _form(REGRESSIONS), "corrected-rmc": _form(MISSING)},
        scaling=_scaling(),
        no_real_data="a relative of wang-2, which is run on real data",
        mutants={"truncation dropped": without_truncation(partial(_form, REGRESSIONS), 2.0)},
    )


CASES = {"wang-ldp-em": wang_ldp_em}
SETTINGS = {"wang-ldp-em": partial(truncating, constants_for)}
