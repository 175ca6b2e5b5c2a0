"""Dense DP-EM for the mixture of regressions (zhang-7): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from auditor import Case, Form, along
from auditor.described.data import truncated_em as shared
from auditor.described.data.mixtures import exact_regressions
from auditor.described.data.small_em import applied
from auditor.described.data.truncated_em import HUGE
from reference.em.dense_em_regressions import dense_em_regressions
from reference.em.models import MixtureOfRegressions
from reference.errata.em import dense_em_regressions as errata

RATE = "Theorem A.3: O(d log^(3/2)(n) sqrt(log(1/delta))/(n epsilon) + sqrt(d/n) log^(3/2) n)"
# covariates with opposite signs everywhere and <x, beta> > 0 for beta = (1, -1, 0): large with
# y = 0, where the gradient is -T Pi_T(x), or small with a large y, where the printed one is largest
LARGE_FIT = (2 * HUGE, HUGE, HUGE, 0.0), (-HUGE, -2 * HUGE, -HUGE, 0.0)
LARGE_RESPONSE = (5.001, 5.0, 5.0, HUGE), (-5.0, -5.001, -5.0, HUGE)


def _form(
    function: Any = dense_em_regressions, records: Any = LARGE_FIT, truncation_level: float = 2.0
) -> Form:
    return shared.dense_form(
        function,
        shared.pair_of(records[0], records[1], records[0]),
        gradient=exact_regressions(truncation_level, printed=records is LARGE_RESPONSE),
        initial=(1.0, -1.0, 0.0),
        standard_deviation=1.0,
        truncation_level=truncation_level,
    )


_error_of = partial(shared.error_of, model=MixtureOfRegressions(0.5), truncation_level=4.0)
_error = _error_of(dense_em_regressions)


def zhang_7() -> Case:
    """Dense mixture of regressions; the printed weight leaves a floor."""
    fixed = RATE + ", privacy term at fixed T and N0"
    sizes, in_ten = (8e3, 1.6e4, 3.2e4, 6.4e4), partial(_error, d=10, epsilon=1.2)
    return Case(
        id="zhang-7",
        forms={"corrected": _form(), "printed": _form(errata.printed, LARGE_RESPONSE)},
        scaling=(
            along("n", sizes, -1.0, error=in_ten, repetitions=10, claim=fixed),
            shared.printed_weight(_error_of(errata.printed), d=4, rate=RATE, erratum="zhang-7/E1"),
        ),
        no_real_data=shared.NO_REAL_DATA,
        mutants=shared.without_truncation(_form, 2.0, power=2),
    )


CASES = {"zhang-7": zhang_7}
SETTINGS = {"zhang-7": partial(applied, "regressions", sparse=False)}
LEFT_OUT = {"zhang-7": {"loop": "it is Algorithm 4, for a special case"}}
