"""LDP-Thresholding (diss-6.2.49): audit and settings."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, Setting
from auditor.described.data.calls import arguments_of
from auditor.described.data.second_moments import (
    RIGHT,
    local_form,
    uncut_messages,
    with_message_box,
)
from auditor.described.data.small_matrices import ALONG_AXES, ONE_LARGE, SPREAD, first_draws
from auditor.described.matrices.covariance_thresholding import (
    DELTA,
    SMALL,
    TOO_RARE,
    on_survey,
    rates,
)
from reference._validation import FloatArray
from reference.errata.matrices import local_covariance_thresholding as errata
from reference.matrices import local_gaussian_pca
from reference.matrices.local_covariance_thresholding import (
    constants_for,
    local_covariance_thresholding,
)
from reference.matrices.local_gaussian_pca import (
    constants_for_diagonal,
    randomize_second_moments,
)
from reference.matrices.sparse_covariance import Constants, SparseCovariance, sparse_covariance
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger


def _right(calibrate: Any = local_gaussian_pca.constants_for) -> Form:
    """Return a form whose black box sees the message of a single user."""
    constants = constants_for(n=2, dimension=2, calibrate=calibrate, **RIGHT)
    made = local_form(local_covariance_thresholding, constants=constants, **RIGHT)

    def messages(data: Data, ledger: Ledger) -> FloatArray:
        noise = calibrate(**RIGHT)
        return randomize_second_moments(data, constants=noise, ledger=ledger, **RIGHT)

    return with_message_box(made, messages)


def unclipped(data: Data, *, epsilon: float, delta: float, ledger: Ledger) -> SparseCovariance:
    """Run the algorithm on records of any norm."""
    n, p = data.shape
    noise = constants_for(n=n, dimension=p, epsilon=epsilon, delta=delta)
    return sparse_covariance(uncut_messages(data, noise, ledger), noise.threshold)


def of_the_mean(n: int, dimension: int, epsilon: float, delta: float = DELTA) -> Constants:
    """Return the constants of one release with the law of the mean of n messages."""
    noise = constants_for(n=n, dimension=dimension, epsilon=epsilon, delta=delta)
    root = math.sqrt(n)
    return replace(
        noise, sensitivity=noise.sensitivity / root, noise_scale=noise.noise_scale / root
    )


def local_thresholding() -> Case:
    """Say how it is audited: a matrix per user, and errors over that of the zero matrix."""
    theorem = "Theorem 6.2.3: E||Sigma_hat - Sigma||_2^2 = O(s^2 log(p) log(1/delta)/(n epsilon^2))"
    above = f"{theorem}, over that of the zero matrix"
    at = f"{theorem}, entries of the threshold"
    return Case(
        id="diss-6.2.49",
        forms={
            "corrected": _right(),
            "corrected-diagonal": _right(constants_for_diagonal),
            "printed": local_form(
                errata.printed,
                no_black_box=TOO_RARE,
                violates={"sensitivity": "diss-6.2.49/E1", "privacy_loss": "diss-6.2.49/E1"},
                **SMALL,
            ),
        },
        scaling=rates(
            of_the_mean,
            (above, at),
            along_n=((5e3, 1e4, 2e4, 4e4), -1.0),
            epsilons=(2.0, 4.0, 8.0, 16.0),
            large=(20_000, 8.0),
            small=(40_000, 4.0),
        ),
        real_data=(
            # up to epsilon = 8 the threshold is above every entry, and the output the zero matrix
            on_survey(
                local_covariance_thresholding,
                epsilons=(1.0, 8.0, 32.0, 128.0),
                beaten_at=128.0,
                model=Model.LOCAL,
            ),
        ),
        mutants={
            "clipping dropped": local_form(unclipped, length=2.0, no_black_box="a mutant", **RIGHT)
        },
    )


def settings() -> tuple[Setting, ...]:
    """LDP-Thresholding."""
    run = partial(arguments_of, local_covariance_thresholding)
    tie = Constants(1.5, 1.0, float(np.abs(first_draws(1, 6)[[1, 4]].sum()) / 2))
    low, diagonal = Constants(1.5, 1.0, 0.15), Constants(1.5, 0.125, 0.125, 4.0)
    return (
        Setting(
            "by-hand",
            "Two users along the axes, one of whose records is scaled to norm 1. The entry beside "
            "the diagonal is the mean of their noise, and exactly at the threshold: it becomes 0.",
            run([[3.0, 0.0], [0.0, 1.0]], epsilon=1.0, delta=1e-5, constants=tie),
        ),
        Setting(
            "middle",
            "The threshold of theory, which leaves one variance.",
            run(ONE_LARGE[:40, :3], epsilon=40.0, delta=1e-2),
            seed=2,
        ),
        Setting(
            "nothing-left",
            "The threshold of theory, which leaves nothing of so few messages.",
            run(SPREAD[:4], epsilon=2.0, delta=1e-3),
        ),
        Setting(
            "indefinite",
            "What is above the threshold has a negative eigenvalue, which the projection sets to "
            "0; entries of both signs are kept.",
            run(SPREAD[:16], epsilon=2.0, delta=1e-2, constants=low),
            seed=2,
        ),
        Setting(
            "diagonal-variance",
            "Four times the variance on the diagonal.",
            run(ALONG_AXES, epsilon=0.5, delta=1e-2, constants=diagonal),
            seed=5,
        ),
    )


CASES = {"diss-6.2.49": local_thresholding}
SETTINGS = {"diss-6.2.49": settings}
LEFT_OUT = {
    "diss-6.2.49": {
        "constants.threshold": "what the mean of the setting's two messages is far below",
        "loop": "over users, who are axis 0",
    }
}
