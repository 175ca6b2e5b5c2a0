"""OffPairC (diss-3.3.15): audit and settings."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from auditor import Ball, Case, Form, Product, Setting, along, form
from auditor.described.data.linear_models import LABELS
from auditor.described.data.pairs import (
    NO_REAL_PASS,
    first_step_form,
    opposite_label,
    without_normalisation,
)
from auditor.described.data.small_pairwise import convex_settings, problem
from auditor.described.pairwise.finite_buffer import BOUND, UNCUT, stream
from auditor.described.pairwise.finite_buffer_convex import LINEAR
from auditor.described.pairwise.offline import towards
from reference.constraint_sets import L2Ball, PositiveSemidefiniteBall
from reference.losses import Records
from reference.pairwise import offline
from reference.pairwise.losses import AUC, MetricLearning, Regularized
from reference.pairwise.offline import constants_for
from reference.pairwise.offline_convex import off_pair_convex
from reference.privacy.ledger import Ledger, NoiselessLedger

_form = partial(first_step_form, off_pair_convex, 150, regularized=True)


def _metric_form() -> Form:
    """On a record in the first step, T_1 = 9, whose label draws W up or down along e_1."""
    bound = 0.5
    return form(
        off_pair_convex,
        opposite_label(20, bound, index=9),
        MetricLearning(feature_bound=bound),
        PositiveSemidefiniteBall(1.0),
        statistic=towards,
        not_attained="the bound is more than the set is wide",
        initial=0.3 * np.eye(2).ravel(),
        replaced=9,
        epsilon=1.0,
        delta=1e-3,
        strength=1 / 32,
        domain=Product((Ball(2, bound), LABELS)),
    )


def _noise(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    """Return the distance from the same average without noise over log n, alpha = 1/sqrt(n).

    G times the distance is what the noise adds to the excess risk at most. Of a linear loss it may
    as well take that away, so that the excess risk itself says less.
    """
    size, strength = int(n), 1 / math.sqrt(n)
    records = stream(rng, size, 16)
    constants = constants_for(
        Regularized(LINEAR, strength, np.zeros(16)), radius=BOUND, n=size, epsilon=4.0, delta=1e-3
    )
    noisy, average = (
        off_pair_convex(
            records,
            LINEAR,
            UNCUT,
            initial=np.zeros(16),
            epsilon=4.0,
            delta=1e-3,
            strength=strength,
            constants=constants,
            ledger=through,
        )
        for through in (ledger, NoiselessLedger(rng))
    )
    return float(np.linalg.norm(noisy - average) / math.log(n))


def offline_convex() -> Case:
    """One release of an averaged path on a regularised loss; metric learning is the paper's."""
    theorem = "Theorem 3.3.6, (3.119): excess risk = O(log(n)/(sqrt(n) epsilon)), its noise"
    sizes = (50.0, 100.0, 200.0, 400.0)
    return Case(
        id="diss-3.3.15",
        forms={"corrected": _form(statistic=towards), "corrected-metric": _metric_form()},
        scaling=(
            along("n", sizes, -0.5, error=_noise, repetitions=8, claim=theorem, expensive=True),
        ),
        no_real_data=NO_REAL_PASS,
        mutants=without_normalisation(_form),
    )


def breast_cancer() -> Records:
    """Return 40 records of scikit-learn's breast cancer data: four features, standardised."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:400:10, [0, 1, 4, 7]]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0) / 2
    return np.round(standard, 6), np.where(labels[:400:10] == 1, 1.0, -1.0)


def settings() -> tuple[Setting, ...]:
    """Offline learning, convex."""
    constants = offline.Constants(first_phase=1, step_size=1.0, sensitivity=4.0, noise_scale=2.0)
    return (
        *convex_settings({"constants": constants}, {}),
        Setting(
            "real-data",
            "The area under the curve on forty records of the breast cancer data.",
            problem(breast_cancer(), AUC(feature_bound=0.75), L2Ball(2.0), [-0.5, 0.0, 0.0, -0.5])
            | {"strength": 0.5},
        ),
    )


CASES = {"diss-3.3.15": offline_convex}
SETTINGS = {"diss-3.3.15": settings}
LEFT_OUT = {
    "diss-3.3.15": {
        "order of records": "a record is paired with those before it",
        "loop": "it is Algorithm 3.3.14, for a special case",
    }
}
