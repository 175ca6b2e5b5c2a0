"""DP gradient EM on all data in every step (diss-7.2.56): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from auditor import Case, without_truncation
from auditor.described.data.mixtures import MISSING, MIXTURE, REGRESSIONS
from auditor.described.data.small_em import truncating
from auditor.described.data.smoothed_truncation import SmoothedEM, full_data_scaling, truncated_form
from reference.em.full_data_gradient_em import constants_for, full_data_gradient_em
from reference.errata.em import full_data_gradient_em as errata

EM = SmoothedEM(full_data_gradient_em, constants_for)
_form = partial(truncated_form, EM, n_iterations=3)


def diss_7_2_56() -> Case:
    """Smoothed truncation of all gradients in every step: T Gaussian releases of all records.

    What is printed differs from what holds in its utility claim alone.
    """
    return Case(
        id="diss-7.2.56",
        forms={
            "corrected": _form(REGRESSIONS),
            "corrected-rmc": _form(MISSING),
            "printed": truncated_form(replace(EM, function=errata.printed), MIXTURE),
        },
        scaling=full_data_scaling(EM, "Theorem 7.2.3", erratum="diss-7.2.56/E2"),
        no_real_data="a relative of wang-2, which is run on real data",
        mutants={"truncation dropped": without_truncation(partial(_form, REGRESSIONS), 2.0)},
    )


CASES = {"diss-7.2.56": diss_7_2_56}
SETTINGS = {"diss-7.2.56": partial(truncating, constants_for, blocks=False)}
