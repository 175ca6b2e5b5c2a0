"""How DP gradient EM on disjoint blocks (wang-2) is audited."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor.cases.data.mixtures import (
    MISSING,
    MIXTURE,
    REGRESSIONS,
    Worst,
    against_zero,
    breast_cancer,
    largest_entry,
    mixture_error,
    root_mean_square,
    tumours,
)
from auditor.cases.em.smoothed_truncation import N, factor_r, truncated_form
from auditor.core.case import Case, Data, Form, RealData, Scaling
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import replace_record
from reference._validation import FloatArray
from reference.em.gradient_em import gradient_em
from reference.em.models import GaussianMixture
from reference.em.split_gradient_em import constants_for, split_gradient_em
from reference.errata.em import split_gradient_em as errata
from reference.privacy.guarantees import ApproximateDP
from reference.privacy.ledger import Ledger


def _right(worst: Worst, **options: Any) -> Form:
    return truncated_form(split_gradient_em, worst, constants_for, n_iterations=2, **options)


def _printed(worst: Worst, **options: Any) -> Form:
    return truncated_form(
        errata.printed,
        worst,
        constants_for,
        correction_factor=lambda s: s / N,
        largest=1e6,  # a record of 1e6 already moves the mean by 1e18
        **options,
    )


def _error(rng: np.random.Generator, **setting: Any) -> float:
    setting = {"n": 10_000, "epsilon": 0.5, "delta": 1e-6, "n_iterations": 5} | setting
    return mixture_error(rng, split_gradient_em, constants_for, step_size=1.0, **setting)


def _error_in_dimension(d: float, rng: np.random.Generator) -> float:
    """Return three errors' root mean square: large blocks, where the error is small against R.

    d/zeta is held, for log(d/zeta) is hidden in the O~.
    """
    return root_mean_square(
        _error(rng, d=int(d), epsilon=0.9, zeta=d / 200, n_iterations=2) for _ in range(3)
    )


def _scaling() -> tuple[Scaling, ...]:
    rate = "Theorem 5: O~(R d sqrt(tau) (log(1/delta) log(1/zeta))^(1/4)/sqrt(n epsilon))"
    recipe = partial(Scaling, claim=rate, repetitions=16)
    return (
        recipe(
            name="n",
            values=(5_000, 10_000, 20_000, 40_000),
            error=lambda n, rng: _error(rng, n=n),
            claimed_slope=-0.5,
        ),
        recipe(
            name="epsilon",
            values=(0.1, 0.2, 0.4, 0.8),
            error=lambda epsilon, rng: _error(rng, n=20_000, epsilon=epsilon),
            claimed_slope=-0.5,
        ),
        recipe(
            name="d",
            values=(8, 12, 18, 27),
            error=_error_in_dimension,
            claimed_slope=1.0,
            repetitions=5,
        ),
        factor_r(lambda size, rng: _error(rng, n=2_000, size=size), rate, erratum=3),
    )


def _breast_cancer() -> RealData:
    delta = 1e-3

    def setting(data: Data) -> dict[str, Any]:
        return {
            "model": GaussianMixture(tumours().standard_deviation),
            "initial": np.full(data.shape[1], 0.5),  # half a standard deviation in every feature
            "step_size": 1.0,
        }

    def run(data: Data, epsilon: float, ledger: Ledger) -> FloatArray:
        return split_gradient_em(
            data,
            **setting(data),
            epsilon=epsilon,
            delta=delta,
            second_moment=2.0,  # standardised features have second moment 1 about their mean
            failure_probability=0.05,
            n_iterations=2,
            ledger=ledger,
        )

    def neighbour(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
        # a gross error: a row of the first block recorded a thousand times too large
        index = int(rng.integers(len(data) // 2))
        return replace_record(data, index, 1000 * data[index]), index

    def error(private: FloatArray, baseline: FloatArray) -> float:
        # beta and -beta are the same mixture
        distance = min(np.linalg.norm(private - baseline), np.linalg.norm(private + baseline))
        return float(distance / np.linalg.norm(baseline))

    return RealData(
        name="breast cancer (scikit-learn)",
        load=breast_cancer,
        run=run,
        claim=lambda epsilon: ApproximateDP(epsilon, delta),
        neighbour=neighbour,
        baseline=lambda data: gradient_em(data, **setting(data), n_iterations=200),
        error=error,
        epsilons=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0),
        metric="||beta - beta_EM|| / ||beta_EM|| up to sign",
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
                against_zero(5.0, 2),
                n_iterations=2,
                # the cubic left behind makes the output explode
                black_box_iterations=2,
                statistic=largest_entry,
                violates={"sensitivity": 2, "privacy_loss": 2, "black_box": 2},
            ),
        },
        scaling=_scaling(),
        real_data=(_breast_cancer(),),
        mutants={
            # tau multiplied by 1e18 moves the truncation out of reach; claim what is true of tau
            "truncation dropped": scaled_claim(_right(MIXTURE, second_moment=2e18), 1e-9),
            # with one block (23) is right in real arithmetic, but in doubles its cubes leave
            # rounding errors of their own size in most coordinates: erratum wang-phi/2
            "closed form in doubles": _printed(against_zero(1e8, 8), n_iterations=1),
        },
    )


CASES = {"wang-2": wang_2}
