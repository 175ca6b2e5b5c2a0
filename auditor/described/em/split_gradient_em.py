"""DP gradient EM on disjoint blocks (wang-2): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Form,
    RealData,
    Scaling,
    along,
    averaged,
    root_mean_square,
    without_truncation,
)
from auditor.described.data import mixtures as shared
from auditor.described.data.mixtures import MISSING, MIXTURE, REGRESSIONS, Worst
from auditor.described.data.small_em import truncating
from auditor.described.data.smoothed_truncation import (
    N,
    SmoothedEM,
    factor_r,
    mixture_error,
    truncated_form,
)
from reference.em.gradient_em import gradient_em
from reference.em.models import GaussianMixture
from reference.em.split_gradient_em import constants_for, split_gradient_em
from reference.errata.em import split_gradient_em as errata
from reference.privacy.ledger import Ledger

EM = SmoothedEM(split_gradient_em, constants_for)
_right = partial(truncated_form, EM)


def _printed(worst: Worst, **options: Any) -> Form:
    return truncated_form(
        replace(EM, function=errata.printed),
        worst,
        correction_factor=lambda s: s / N,
        domain=worst.domain(1e6),  # a record of 1e6 already moves the mean by 1e18
        **options,
    )


def _error(rng: np.random.Generator, ledger: Ledger, **setting: Any) -> float:
    setting = {"n": 10_000, "epsilon": 0.5, "delta": 1e-6, "n_iterations": 5} | setting
    return mixture_error(rng, ledger, EM, **setting)


def _in_dimension(rng: np.random.Generator, ledger: Ledger, d: float) -> float:
    """Use large blocks, where the error is small against R; d/zeta is hidden in the O~, so held."""
    return _error(rng, ledger, d=int(d), epsilon=0.9, failure_probability=d / 200, n_iterations=2)


def _scaling() -> tuple[Scaling, ...]:
    rate = "Theorem 5: O~(R d sqrt(tau) (log(1/delta) log(1/zeta))^(1/4)/sqrt(n epsilon))"
    recipe = partial(along, error=_error, claim=rate, repetitions=16, expensive=True)
    of_three = averaged(_in_dimension, 3, root_mean_square)
    return (
        recipe("n", (5_000, 10_000, 20_000, 40_000), -0.5),
        recipe("epsilon", (0.1, 0.2, 0.4, 0.8), -0.5, n=20_000),
        recipe("d", (8, 12, 18, 27), 1.0, error=of_three, repetitions=8),
        factor_r(_error, rate, erratum="wang-2/E3"),
    )


def _breast_cancer() -> RealData:
    model = GaussianMixture(shared.tumours().standard_deviation)
    # half a standard deviation in every feature
    start: dict[str, Any] = {"initial": np.full(30, 0.5), "step_size": 1.0}
    return shared.on_breast_cancer(
        split_gradient_em,
        model,
        read=212,  # the first of two blocks
        baseline=lambda data: gradient_em(data, model, n_iterations=200, **start),
        epsilons=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0),
        delta=1e-3,
        second_moment=2.0,  # standardised features have second moment 1 about their mean
        failure_probability=0.05,
        n_iterations=2,
        **start,
    )


def wang_2() -> Case:
    """Smoothed truncation on disjoint blocks: one Gaussian release per record."""
    return Case(
        id="wang-2",
        forms={
            "corrected": _right(MIXTURE),
            "corrected-mrm": _right(REGRESSIONS),
            "corrected-rmc": _right(MISSING),
            "printed": _printed(
                shared.against_zero(5.0, 2),
                box={},  # of both steps: the cubic left behind makes the output explode
                statistic=shared.largest_entry,
                violates=dict.fromkeys(("sensitivity", "privacy_loss", "black_box"), "wang-2/E2"),
            ),
        },
        scaling=_scaling(),
        real_data=(_breast_cancer(),),
        mutants={
            "truncation dropped": without_truncation(partial(_right, MIXTURE), 2.0),
            # with one block (23) is right in real arithmetic, but in doubles its cubes leave
            # rounding errors of their own size in most coordinates: erratum wang-phi/E2
            "closed form in doubles": _printed(shared.against_zero(1e8, 8), n_iterations=1),
        },
    )


CASES = {"wang-2": wang_2}
SETTINGS = {"wang-2": partial(truncating, constants_for)}
