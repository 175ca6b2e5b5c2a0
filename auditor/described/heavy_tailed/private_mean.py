"""The private mean of heavy-tailed numbers (wang-mean): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from auditor import Case, Data, Everything, Form, Setting, form, without_truncation
from auditor.described.data import means as shared
from auditor.described.data.small_heavy_tailed import PRIVATE, diabetes, mean_settings
from auditor.described.data.vectors import SMOOTHED
from reference.constants import with_constants
from reference.errata.heavy_tailed import private_mean as errata
from reference.heavy_tailed import private_mean as algorithm
from reference.heavy_tailed.private_mean import constants_for, constants_for_lemma_1, private_mean
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

by_lemma_1 = with_constants(private_mean, shared.by_data(constants_for_lemma_1))
PARAMETERS: dict[str, Any] = {
    "epsilon": 1.0, "delta": 1e-2, "second_moment": 1.0, "failure_probability": 0.01
}  # fmt: skip


def _form(function: Any = private_mean, *, size: float = 1e6, **options: Any) -> Form:
    """One of 100 records at +-1e6; 1e4 s is within 1e-6 of the supremum (s is small)."""
    return form(
        function,
        shared.far_apart(100, size),
        statistic=float,
        domain=Everything((), 1e300),
        **{**PARAMETERS, **options},
    )


def _in_doubles() -> Form:
    """Return the form with (17) in doubles: erratum wang-phi/E2."""
    constants = constants_for(n=100, **PARAMETERS)
    truncation = constants.truncation_scale, constants.precision

    def mean(data: Data, *, ledger: Ledger, **_: Any) -> float:
        noisy = ledger.gaussian(
            shared.in_doubles(data, *truncation).mean(),
            sensitivity=constants.sensitivity,
            scale=constants.noise_scale,
        )
        return float(noisy)

    return _form(mean, size=shared.worst_in_doubles(*truncation), no_black_box="a mutant")


def wang_mean() -> Case:
    """Mean of truncated numbers: one Gaussian release."""
    theorem = "Theorem 2: O(sqrt(tau log^(1/2)(1/delta) log(1/zeta)/(n epsilon)))"
    lemma = "Lemma 2: O(sqrt(tau log(1/delta) log(1/zeta)/(n epsilon^2)))"
    values = shared.Grid(
        sizes=(5e2, 2e3, 8e3, 3.2e4),
        epsilons=(0.02, 0.04, 0.08, 0.16),  # noise is most of the error, whatever n
        n=4_000,
    )
    student = partial(shared.on_student, private_mean, values=values)
    in_zeta = partial(shared.in_failure_probability, private_mean, epsilon=1.0, claim=theorem)
    far: dict[str, Any] = {
        "epsilon": 20.0,
        "delta": 0.1,
        "no_black_box": "a few thousand runs bound no probability by e^-epsilon",
        "violates": dict.fromkeys(("accounting", "privacy_loss"), "wang-mean/E3"),
    }
    return Case(
        id="wang-mean",
        forms={
            "corrected": _form(not_attained=SMOOTHED),
            "corrected-lemma-1": _form(by_lemma_1),
            "printed": _form(errata.printed, **far),
            "printed-lemma-1": _form(errata.printed_lemma_1, **far),
        },
        scaling=(
            *student(constants_for, claim=theorem, slopes=(-0.5, -0.5)),
            *student(
                constants_for_lemma_1, claim=lemma, slopes=(-0.5, -1.0), form="corrected-lemma-1"
            ),
            in_zeta(errata.printed_constants, (16, 32, 64, 128), erratum="wang-mean/E1"),
            in_zeta(shared.by_data(constants_for), (32, 64, 128, 256)),
        ),
        real_data=(shared.survey(private_mean, Model.CENTRAL),),
        mutants={
            "truncation dropped": without_truncation(_form),
            "closed form in doubles": _in_doubles(),
        },
    )


def settings() -> tuple[Setting, ...]:
    """Mean by smoothed truncation."""
    chosen = algorithm.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=0.5, noise_scale=0.25
    )
    found = mean_settings(constants_for, chosen)
    real = Setting(
        "real-data",
        "The disease progression of forty records of the diabetes data.",
        {"data": diabetes()[1], **PRIVATE, "second_moment": 1.0, "failure_probability": 0.1},
    )
    return (*found, real)


CASES = {"wang-mean": wang_mean}
SETTINGS = {"wang-mean": settings}
