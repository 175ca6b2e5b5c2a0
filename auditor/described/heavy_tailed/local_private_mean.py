"""The locally private mean of heavy-tailed numbers (wang-ldp-mean): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from auditor import Case, Everything, Form, Setting, form, without_truncation
from auditor.described.data.means import (
    Grid,
    by_data,
    far_apart,
    in_failure_probability,
    on_student,
    survey,
)
from auditor.described.data.small_heavy_tailed import mean_settings
from auditor.described.data.vectors import SMOOTHED
from reference.errata.heavy_tailed import local_private_mean as errata
from reference.heavy_tailed import private_mean
from reference.heavy_tailed.local_private_mean import constants_for, local_private_mean
from reference.privacy.guarantees import Model


def _form(function: Any = local_private_mean, *, second_moment: float = 1.0) -> Form:
    """One of 3 records at +-1e6; 1e4 s is within 1e-6 of the supremum (s is small)."""
    return form(
        function,
        far_apart(3),
        model=Model.LOCAL,
        statistic=float,
        # the other messages are the same under both data sets
        seen=far_apart(1),
        domain=Everything((), 1e300),
        not_attained=SMOOTHED,
        epsilon=1.0,
        delta=1e-2,
        second_moment=second_moment,
        failure_probability=0.01,
    )


def wang_ldp_mean() -> Case:
    """Mean of truncated numbers with noise of their own: one Gaussian message per user."""
    claim = "Theorem 3: O(sqrt(tau log^(1/2)(1/delta) log(1/zeta)/(n^(1/2) epsilon)))"
    in_zeta = partial(in_failure_probability, local_private_mean, epsilon=4.0, claim=claim)
    return Case(
        id="wang-ldp-mean",
        forms={
            "corrected": _form(),
            # private: only its rate is wrong
            "printed": _form(errata.printed),
        },
        scaling=(
            # the bias falls faster than the noise only where n is large
            *on_student(
                local_private_mean,
                constants_for,
                Grid((1e3, 4e3, 1.6e4, 6.4e4), epsilons=(0.05, 0.1, 0.2, 0.4), n=16_000),
                claim=claim,
                slopes=(-0.25, -0.5),
            ),
            # the printed rule's probability of sk is log^2(1/zeta)/1000, which must be below 1
            in_zeta(errata.printed_constants, (6, 10, 16, 24), erratum="wang-ldp-mean/E1"),
            in_zeta(by_data(constants_for), (32, 64, 128, 256)),
        ),
        real_data=(survey(local_private_mean, Model.LOCAL),),
        mutants={"truncation dropped": without_truncation(_form)},
    )


def settings() -> tuple[Setting, ...]:
    """Local mean by smoothed truncation."""
    chosen = private_mean.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )
    return mean_settings(constants_for, chosen)


CASES = {"wang-ldp-mean": wang_ldp_mean}
SETTINGS = {"wang-ldp-mean": settings}
