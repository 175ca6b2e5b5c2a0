"""OffPairStrC (diss-3.3.14): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Ball,
    Case,
    Form,
    Setting,
    along,
    averaged,
    form,
    noise_slope,
    root_mean_square,
    scaled_claim,
)
from auditor.described.data.pairs import FIRST, ROOM, Target, opposite_record
from auditor.described.data.small_pairwise import (
    BY_HAND,
    FEW,
    METRIC_ARGUMENTS,
    PRIVATE,
    labelled,
    vectors,
)
from auditor.described.pairwise.finite_buffer import stream
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.pairwise import offline as algorithm
from reference.pairwise.losses import AUC, MetricLearning, Midpoint, Regularized
from reference.pairwise.offline import constants_for, off_pair_strongly_convex
from reference.privacy.ledger import Ledger


def _form(*, bound: float = 1.0, **options: Any) -> Form:
    """On a record in the first step, T_1 = 65, which moves every w_t by 66/68 of 4G/(alpha t).

    On a line no pair moves w_66 by more: two gradients of w apart by g lead to points of C apart by
    h = 2g/(66 alpha) at most, where the losses' strong convexity leaves g <= 2G - alpha h.
    """
    return form(
        off_pair_strongly_convex,
        opposite_record(70, bound, index=FIRST),
        Target(feature_bound=bound, smoothness=65.0),
        L2Ball(ROOM * bound),
        initial=np.zeros(2),
        replaced=FIRST,
        epsilon=1.0,
        delta=1e-3,
        domain=Ball(2, bound),
        **options,
    )


def towards(w: FloatArray) -> float:
    """Return what the record of the first data set draws w to."""
    return float(w[0])


def _excess(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float,
    dimension: float = 4.0,
    epsilon: float = 1.0,
) -> float:
    """Return the distance from the minimiser, the records' mean, over log n.

    The path stays where the records are, within 0.1 of 0, and the noise is for the G there; the
    ball is so large that it cuts none of it off.
    """
    size, p, loss = int(n), int(dimension), Midpoint(feature_bound=0.1)
    records = stream(rng, size, p)
    w = off_pair_strongly_convex(
        records,
        loss,
        L2Ball(10.0),
        initial=np.zeros(p),
        epsilon=epsilon,
        delta=1e-3,
        constants=constants_for(loss, radius=0.1, n=size, epsilon=epsilon, delta=1e-3),
        ledger=ledger,
    )
    return float(np.linalg.norm(w - records.mean(axis=0)) / np.log(size))


def offline() -> Case:
    """One release of an averaged path."""
    claim = "Theorem 3.3.6: excess risk = O(sqrt(d) log(n)/(alpha n epsilon)) by the noise"
    epsilons = (0.25, 0.5, 1.0, 2.0)
    recipe = partial(along, repetitions=10, claim=claim)
    of_four = averaged(_excess, 4, root_mean_square)
    return Case(
        id="diss-3.3.14",
        forms={"corrected": _form(statistic=towards)},
        scaling=(
            recipe("n", (100.0, 200.0, 400.0, 800.0, 1600.0), -1.0, error=_excess),
            recipe("epsilon", epsilons, noise_slope(epsilons, 1e-3, 1.0), error=of_four, n=200.0),
            recipe("dimension", (4.0, 16.0, 64.0, 256.0), 0.5, error=of_four, n=200.0),
        ),
        no_real_data="a pass over real records is no other query than one over random ones",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(_form(bound=1e3, no_black_box="a mutant"), 1e-3)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Offline learning, strongly convex."""
    return (
        Setting(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the average of the "
            "four points is released and projected.",
            {
                "data": FEW,
                **BY_HAND,
                "constants": algorithm.Constants(
                    first_phase=1, step_size=2.0, sensitivity=4.0, noise_scale=2.0
                ),
            },
        ),
        Setting(
            "middle",
            "The area under the curve, regularised; a first phase of several rounds.",
            {
                "data": labelled(24, 3, 8),
                "loss": Regularized(AUC(feature_bound=0.6), 0.25, np.array([0.25, 0.0, -0.25])),
                "constraint": L2Ball(0.5),
                "initial": np.array([0.25, -0.25, 0.125]),
                **PRIVATE,
            },
        ),
        Setting(
            "metric",
            "A metric in the cone of positive semidefinite matrices; noise makes it indefinite.",
            {
                "data": labelled(14, 2, 9),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
            },
        ),
        Setting(
            "no-step",
            "A first phase longer than the data: the starting point is released.",
            {
                "data": vectors(5, 2, 10),
                **BY_HAND,
                "constants": algorithm.Constants(
                    first_phase=7, step_size=2.0, sensitivity=0.1, noise_scale=0.5
                ),
            },
        ),
    )


CASES = {"diss-3.3.14": offline}
SETTINGS = {"diss-3.3.14": settings}
