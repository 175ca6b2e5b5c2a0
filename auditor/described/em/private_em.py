"""DP EM for the mixture (diss-7.2.57): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import mpmath

from auditor import Case, Setting, without_truncation
from auditor.described.data import small_em as small
from auditor.described.data.mixtures import MIXTURE, against_zero, largest_entry
from auditor.described.data.smoothed_truncation import (
    N,
    SmoothedEM,
    full_data_scaling,
    truncated_form,
)
from reference.em import split_gradient_em
from reference.em.full_data_gradient_em import constants_for
from reference.em.models import GaussianMixture
from reference.em.private_em import private_em
from reference.errata.em import private_em as errata

EM = SmoothedEM(private_em, constants_for, step_size=None)
_form = partial(truncated_form, EM)


def diss_7_2_57() -> Case:
    """Smoothed truncation of the M-step's terms; the pair is worst in the first step."""
    return Case(
        id="diss-7.2.57",
        forms={
            "corrected": _form(MIXTURE),
            "printed": truncated_form(
                replace(EM, function=errata.printed),
                against_zero(10.0, 2),
                correction_factor=lambda s: mpmath.mpf(1) / N,
                statistic=largest_entry,
                domain=MIXTURE.domain(1e6),  # a record of 1e6 already moves the mean by 1e18
                violates={
                    "sensitivity": "diss-7.2.57/E1",
                    "privacy_loss": "diss-7.2.57/E1",
                    "black_box": "diss-7.2.57/E1",
                },
            ),
        },
        scaling=full_data_scaling(EM, "Theorem 7.2.8", erratum="diss-7.2.57/E4"),
        no_real_data="a relative of wang-2, which is run on real data",
        mutants={"truncation dropped": without_truncation(partial(_form, MIXTURE), 2.0)},
    )


def settings() -> tuple[Setting, ...]:
    """EM with smoothed truncation of the M-step's terms."""
    of = partial(small.setting, small.TRUNCATED, small.truncated_path(constants_for, blocks=False))
    chosen = split_gradient_em.Constants(
        truncation_scale=0.5, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )
    gross = small.with_outliers(small.sample(small.MIXTURE, small.TRUTH, 24))
    return (
        of(
            "by-hand",
            "Two steps on three records; the truncation at scale 1/2 bends every term.",
            (GaussianMixture(1.0), small.FEW[[0, 1, 3]], [0.5, 0.0]),
            n_iterations=2,
            constants=chosen,
        ),
        of(
            "middle",
            "Three steps with the theory's constants.",
            (small.MIXTURE, small.sample(small.MIXTURE, small.TRUTH, 30), small.NEAR_TRUTH),
            n_iterations=3,
        ),
        of(
            "heavy-tails",
            "Two gross errors: far beyond the scale the truncation is flat.",
            (small.MIXTURE, gross, small.NEAR_TRUTH),
            second_moment=0.5,
            n_iterations=2,
        ),
    )


CASES = {"diss-7.2.57": diss_7_2_57}
SETTINGS = {"diss-7.2.57": settings}
