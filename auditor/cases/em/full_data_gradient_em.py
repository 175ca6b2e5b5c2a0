"""How DP gradient EM on all data in every step (diss-7.2.56) is audited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auditor.cases.data.mixtures import MISSING, MIXTURE, REGRESSIONS, Worst
from auditor.cases.em.smoothed_truncation import full_data_scaling, truncated_form
from auditor.core.case import Case, Form
from auditor.core.mutation import scaled_claim
from reference._validation import FloatArray
from reference.em.full_data_gradient_em import constants_for, full_data_gradient_em
from reference.errata.em import full_data_gradient_em as errata


def _form(
    worst: Worst,
    function: Callable[..., FloatArray] = full_data_gradient_em,
    *,
    n_iterations: int = 3,
    **options: Any,
) -> Form:
    return truncated_form(function, worst, constants_for, n_iterations=n_iterations, **options)


def diss_7_2_56() -> Case:
    """Smoothed truncation of all gradients in every step: T Gaussian releases of all records.

    What is printed differs from what holds in its utility claim alone.
    """
    return Case(
        id="diss-7.2.56",
        forms={
            "corrected": _form(REGRESSIONS),
            "corrected-rmc": _form(MISSING),
            "printed": _form(MIXTURE, errata.printed, n_iterations=2),
        },
        scaling=full_data_scaling(
            full_data_gradient_em, constants_for, "Theorem 7.2.3", erratum=2, step_size=1.0
        ),
        no_real_data="a relative of wang-2, which is run on real data",
        mutants={
            # tau multiplied by 1e18 moves the truncation out of reach; claim what is true of tau
            "truncation dropped": scaled_claim(_form(REGRESSIONS, second_moment=2e18), 1e-9)
        },
    )


CASES = {"diss-7.2.56": diss_7_2_56}
