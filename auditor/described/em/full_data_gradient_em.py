"""DP gradient EM on all data in every step (diss-7.2.56): audit and settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from auditor import Case, Form, without_truncation
from auditor.described.data.mixtures import MISSING, MIXTURE, REGRESSIONS, Worst
from auditor.described.data.small_em import truncating
from auditor.described.data.smoothed_truncation import full_data_scaling, truncated_form
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
            full_data_gradient_em,
            constants_for,
            "Theorem 7.2.3",
            erratum="diss-7.2.56/E2",
            step_size=1.0,
        ),
        no_real_data="a relative of wang-2, which is run on real data",
        mutants={"truncation dropped": without_truncation(partial(_form, REGRESSIONS), 2.0)},
    )


CASES = {"diss-7.2.56": diss_7_2_56}
SETTINGS = {"diss-7.2.56": partial(truncating, constants_for, blocks=False)}
