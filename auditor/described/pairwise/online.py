"""OnPairStrC (diss-3.3.9): audit and settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor import Ball, Case, Form, Setting, along, form, scaled_claim
from auditor.described.data.pairs import FIRST, ROOM, Target, opposite_record
from auditor.described.data.small_pairwise import BY_HAND, FEW, METRIC_ARGUMENTS, PRIVATE, labelled
from auditor.described.pairwise.finite_buffer import LOSS, along_noise, push, regret_of
from reference.constraint_sets import L2Ball
from reference.pairwise import finite_buffer
from reference.pairwise.losses import AUC, MetricLearning, Regularized
from reference.pairwise.online import on_pair_strongly_convex
from reference.privacy.ledger import Ledger


def _form(*, bound: float = 1.0, **options: Any) -> Form:
    """On a record in the first step, which moves w_t by 66/68 of 4G/(alpha t)."""
    return form(
        on_pair_strongly_convex,
        opposite_record(76, bound, index=FIRST),
        Target(feature_bound=bound, smoothness=65.0),
        L2Ball(ROOM * bound),
        initial=np.zeros(2),
        replaced=FIRST,
        epsilon=1.0,
        delta=1e-3,
        domain=Ball(2, bound),
        **options,
    )


def _regret(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    return regret_of(on_pair_strongly_convex, rng, ledger, n=n)


def online() -> Case:
    """Step against all earlier records: the effect of one falls like 1/t."""
    theorem = "Theorem 3.3.2: regret = O(sqrt(d n) log^1.5(n/zeta)/(alpha epsilon))"
    return Case(
        id="diss-3.3.9",
        forms={"corrected": _form(statistic=push)},
        scaling=(
            along(
                "n",
                (200.0, 400.0, 800.0, 1600.0),
                0.5,
                error=_regret,
                repetitions=6,
                claim=theorem,
                name="n of all",
                dear=True,
            ),
            *along_noise(on_pair_strongly_convex, LOSS, lambda _: {}, in_n=0.5, claim=theorem),
        ),
        no_real_data="a stream of real records is no other query than one of random ones",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(_form(bound=1e3, no_black_box="a mutant"), 1e-3)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Online learning from all pairs, strongly convex."""
    return (
        Setting(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the first output is "
            "public, and the path goes on without noise.",
            {
                "data": FEW,
                **BY_HAND,
                "constants": finite_buffer.Constants(
                    first_phase=1, step_size=2.0, pair_sensitivity=6.0, noise_multiplier=0.25
                ),
            },
        ),
        Setting(
            "middle",
            "A first phase of several rounds; losses of the area under the curve, regularised.",
            {
                "data": labelled(20, 3, 1),
                "loss": Regularized(AUC(feature_bound=0.6), 0.25, np.array([0.25, 0.0, -0.25])),
                "constraint": L2Ball(0.5),
                "initial": np.array([0.25, -0.25, 0.125]),
                **PRIVATE,
            },
        ),
        Setting(
            "metric",
            "A metric in the cone of positive semidefinite matrices: projections cut eigenvalues.",
            {
                "data": labelled(14, 2, 2),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
            },
        ),
    )


CASES = {"diss-3.3.9": online}
SETTINGS = {"diss-3.3.9": settings}
