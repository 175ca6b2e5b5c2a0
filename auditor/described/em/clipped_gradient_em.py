"""Clipped DP gradient EM (wang-1): audit and settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np

from auditor import Case, Data, Form, Setting, form, scaled_claim
from auditor.described.data import small_em as small
from auditor.described.data.mixtures import (
    MISSING,
    REGRESSIONS,
    UNIT_MIXTURE,
    Worst,
    exact_gradients,
    exact_iterate,
)
from reference._validation import FloatArray
from reference.em import clipped_gradient_em as algorithm
from reference.em.clipped_gradient_em import clipped_gradient_em
from reference.em.models import GaussianMixture, MixtureOfRegressions
from reference.errata.em import clipped_gradient_em as errata
from reference.privacy.ledger import Transcript

# The gradient is even in y, so a pair at the bound 2C/n needs <beta, y> of one sign for both
# records; a step this small keeps beta, and with it the pair, where it is in every iteration.
SMALL_STEP = 1e-5

# beta = e_1, y = (1, +-1000): gradients along +-e_2
MIXTURE = Worst(UNIT_MIXTURE, ((1.0, 1e3), (1.0, -1e3)), (0.0, 1.0))


def _form(
    function: Callable[..., FloatArray] = clipped_gradient_em,
    worst: Worst = MIXTURE,
    *,
    epsilon: float = 1.0,
    clipping_threshold: float = 1.0,
    violates: dict[str, str] | None = None,
) -> Form:
    initial = np.array([1.0, 0.0])

    def exact_query(data: Data, transcript: Transcript, release: int) -> list[Any]:
        beta = exact_iterate(initial, SMALL_STEP, transcript, release)
        total = [mpmath.mpf(0)] * len(beta)
        for gradient in exact_gradients(worst.model, data, beta):
            factor = max(mpmath.mpf(1), mpmath.norm(gradient) / clipping_threshold)
            total = [t + g / factor for t, g in zip(total, gradient, strict=True)]
        return [t / len(data) for t in total]

    return form(
        function,
        worst.pair(10),
        worst.model,
        initial=initial,
        epsilon=epsilon,
        delta=1e-2,
        clipping_threshold=clipping_threshold,
        step_size=SMALL_STEP,
        n_iterations=3,
        statistic=lambda beta: worst.along(beta) / SMALL_STEP,
        domain=worst.domain(),
        exact_query=exact_query,
        violates=violates,
    )


def wang_1() -> Case:
    """Clipped gradient EM: exact Gaussian composition with a clipped per-record gradient."""
    return Case(
        id="wang-1",
        forms={
            "corrected": _form(),
            "corrected-mrm": _form(worst=REGRESSIONS),
            "corrected-rmc": _form(worst=MISSING),
            "printed": _form(
                errata.printed,
                # c = 1 fails at every epsilon; outputs alone show it best at this one
                epsilon=2.0,
                violates=dict.fromkeys(("accounting", "privacy_loss", "black_box"), "wang-1/E1"),
            ),
        },
        no_scaling="the paper states no utility claim",
        no_real_data="a baseline of wang-2, which is run on real data",
        mutants={
            # clip at 1e9 and claim what is true of 1: the algorithm without its clipping
            "clipping dropped": scaled_claim(_form(clipping_threshold=1e9), 1e-9)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Clipped gradient EM."""
    usual = {**small.PRIVATE, "step_size": 0.5}
    of = partial(small.setting, usual, None)
    # y = (2, 0) gives a step of (2 tanh 1 - 0.5, 0), longer than 1; (0.5, 0.5) a short one
    tanh = np.tanh(0.25)
    by_hand = np.array([0.5, 0.0]) + 0.25 * np.array([1 + 0.5 * tanh - 0.5, 0.5 * tanh])
    huge = [
        [3.0, 1.0, -1.0],
        [0.0, 0.0, 2.0],
        [3e200, 0.0, 4e200],
        [-2e200, 1e10, 0.0],
        [1e305, 1e305, -2e305],
    ]
    return (
        small.setting(
            usual,
            by_hand,
            "by-hand",
            "One step on two records, one of whose gradients is clipped to norm 1.",
            (GaussianMixture(1.0), small.FEW[:2], [0.5, 0.0]),
            clipping_threshold=1.0,
            n_iterations=1,
            constants=algorithm.Constants(sensitivity=1.0, noise_scale=4.0),
        ),
        of(
            "middle",
            "Three steps; some gradients are clipped and some are not.",
            (small.MIXTURE, small.sample(small.MIXTURE, small.TRUTH, 40), small.NEAR_TRUTH),
            clipping_threshold=0.75,
            n_iterations=3,
        ),
        of(
            "regressions",
            "Another model: records are features and a response.",
            (small.REGRESSIONS, small.sample(small.REGRESSIONS, small.TRUTH, 25), small.NEAR_TRUTH),
            clipping_threshold=2.0,
            n_iterations=2,
        ),
        of(
            "missing-covariates",
            "The third model: covariates that are not a number are missing and have to be imputed.",
            (small.MISSING, small.sample(small.MISSING, small.TRUTH, 25), small.NEAR_TRUTH),
            clipping_threshold=2.0,
            n_iterations=2,
        ),
        of(
            "huge-records",
            "Gradients that are 0, overflow, or whose squares do, must not make a run fail: what "
            "overflows counts as 1e300 and is clipped.",
            (MixtureOfRegressions(1.0), np.array(huge), [0.5, 0.25]),
            clipping_threshold=1.0,
            n_iterations=2,
        ),
        of(
            "real-data",
            "Tumours: three of the features of forty records.",
            (GaussianMixture(1.0), small.breast_cancer(40, 3), [-0.5, -0.5, -0.5]),
            clipping_threshold=1.0,
            n_iterations=2,
        ),
    )


CASES = {"wang-1": wang_1}
SETTINGS = {"wang-1": settings}
