"""Dense DP-EM for regression with missing covariates (zhang-8): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, along, averaged, root_mean_square
from auditor.described.data import truncated_em as shared
from auditor.described.data.mixtures import exact_missing
from auditor.described.data.small_em import applied
from auditor.described.data.truncated_em import HUGE, LARGE_NOISE
from reference.em.dense_em_missing import dense_em_missing
from reference.em.models import MissingCovariates
from reference.errata.em import dense_em_missing as errata

RATE = "Theorem A.5: O(d log^(3/2)(n) sqrt(log(1/delta))/(n epsilon) + sqrt(d/n) log^(3/2) n)"


def _form(
    function: Any = dense_em_missing,
    *,
    first: float = 8.0,
    truncation_level: float = 1.0,
    printed: bool = False,
    **options: Any,
) -> Form:
    """As for zhang-6 in the plane."""
    return shared.dense_form(
        function,
        shared.pair_of((5.0, -HUGE, 5.0), (np.nan, 0.0, 0.0), [0.0] * 3),
        gradient=exact_missing(truncation_level, LARGE_NOISE, printed=printed),
        initial=(first, 1.0),
        not_attained="the l2 bound adds up bounds that no record attains in every coordinate",
        bound=np.inf if printed else 4 * truncation_level**2,
        standard_deviation=LARGE_NOISE,
        truncation_level=truncation_level,
        **options,
    )


_error = shared.error_of(
    dense_em_missing, MissingCovariates(1.0), truncation_level=4.0, n=16_000, epsilon=8.0
)


def zhang_8() -> Case:
    """Dense regression with missing covariates; unclipped iterates break the sensitivity."""
    printed = _form(
        errata.printed,
        first=200.0,
        printed=True,
        violates=dict.fromkeys(("sensitivity", "privacy_loss", "black_box"), "zhang-8/E1"),
    )
    rate = RATE + ", privacy term"
    of_three = averaged(_error, 3, root_mean_square)
    return Case(
        id="zhang-8",
        forms={"corrected": _form(), "printed": printed},
        scaling=(
            along(
                "d", (4, 8, 16, 32), 1.0, error=of_three, repetitions=5, claim=rate, expensive=True
            ),
        ),
        no_real_data=shared.NO_REAL_DATA,
        mutants={
            **shared.without_truncation(_form, 1.0, power=2),
            "iterates not clipped": replace(printed, violates={}),
        },
    )


CASES = {"zhang-8": zhang_8}
SETTINGS = {"zhang-8": partial(applied, "missing-covariates", sparse=False)}
LEFT_OUT = {"zhang-8": {"loop": "it is Algorithm 4, for a special case"}}
