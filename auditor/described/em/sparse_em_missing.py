"""Sparse DP-EM for regression with missing covariates (zhang-6): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, along
from auditor.described.data import truncated_em as shared
from auditor.described.data.mixtures import exact_missing
from auditor.described.data.small_em import applied
from auditor.described.data.truncated_em import HUGE, LARGE_NOISE
from reference.em.models import MissingCovariates
from reference.em.sparse_em_missing import sparse_em_missing
from reference.errata.em import sparse_em_missing as errata

RATE = (
    "Theorem 4.6: O(sqrt(s* log d/n) log n + s* log d sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon))"
)


MISSING = (np.nan, 0.0, 0.0, 0.0)
ONE_BATCH = shared.pair_of((5.0, -HUGE, 0.0, 5.0), MISSING, [0.0] * 4)
# A first batch takes beta from (4, 1) to (6, -1), of which 6 is clipped to 4; then (28) is tight as
# in one batch. Without that clip the missing record's gradient is -6.
TWO_BATCHES = shared.before(
    (5.0, -HUGE, 0.0, 5.0), shared.pair_of((5.0, HUGE, 0.0, 5.0), MISSING, [0.0] * 4, n=300)
)


def _form(
    function: Any = sparse_em_missing,
    pair: tuple[Data, Data] = ONE_BATCH,
    *,
    first: float = 8.0,
    truncation_level: float = 1.0,
    printed: bool = False,
    **options: Any,
) -> Form:
    """Start at (first, 1, 0); corrected, the first entry is clipped to 4T^2.

    There (28) is tight for a large sigma. The first covariate is missing in one record of the pair,
    whose gradient is -beta_1 sigma^2/(sigma^2 + beta_1^2), as printed -beta_1, against one along
    (2T^2, -2T^2, 0). The search does not reach missing entries: the domain has none.
    """
    return shared.sparse_form(
        function,
        pair,
        gradient=exact_missing(truncation_level, LARGE_NOISE, printed=printed),
        initial=(first, 1.0, 0.0),
        bound=np.inf if printed else 4 * truncation_level**2,
        standard_deviation=LARGE_NOISE,
        truncation_level=truncation_level,
        **options,
    )


_error = shared.error_of(
    sparse_em_missing, MissingCovariates(1.0), truncation_level=4.0, d=8, s=4, epsilon=4.0
)


def zhang_6() -> Case:
    """Sparse regression with missing covariates; unclipped iterates break the sensitivity."""
    printed = _form(
        errata.printed,
        first=200.0,
        printed=True,
        violates=dict.fromkeys(("sensitivity", "privacy_loss", "black_box"), "zhang-6/E1"),
    )
    right = _form(pair=TWO_BATCHES, replaced=300, n_iterations=2, by_zcdp=True)
    fixed, sizes = RATE + ", privacy term at fixed T and N0", (1.6e4, 3.2e4, 6.4e4, 1.28e5)
    return Case(
        id="zhang-6",
        forms={"corrected": right, "printed": printed},
        scaling=(
            along("n", sizes, -1.0, error=_error, repetitions=18, claim=fixed, expensive=True),
        ),
        no_real_data=shared.NO_REAL_DATA,
        mutants={
            **shared.without_truncation(_form, 1.0, power=2),
            "iterates not clipped": replace(printed, violates={}),
        },
    )


CASES = {"zhang-6": zhang_6}
SETTINGS = {"zhang-6": partial(applied, "missing-covariates", sparse=True)}
RAISED = {"zhang-6": {"algorithms": 1}}
LEFT_OUT = {"zhang-6": {"loop": "it is Algorithm 2, for a special case"}}
