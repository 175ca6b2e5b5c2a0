"""OnPairC (diss-3.3.10): audit and settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor import Ball, Case, Form, Setting, form, scaled_claim
from auditor.described.data.pairs import FIRST_REGULARIZED, ROOM, Pull, opposite_record
from auditor.described.data.small_pairwise import convex_settings
from auditor.described.pairwise.finite_buffer import along_noise, push
from auditor.described.pairwise.finite_buffer_convex import LINEAR, regularized
from reference.constraint_sets import L2Ball
from reference.pairwise import finite_buffer
from reference.pairwise.online_convex import on_pair_convex


def _form(*, bound: float = 1.0, **options: Any) -> Form:
    """On a record in the first step, which moves w_t by 33/34 of 4G/(alpha t)."""
    return form(
        on_pair_convex,
        opposite_record(146, bound, index=FIRST_REGULARIZED),
        Pull(feature_bound=bound, smoothness=65.0),
        L2Ball(ROOM * bound),
        initial=np.zeros(2),
        replaced=FIRST_REGULARIZED,
        epsilon=1.0,
        delta=1e-3,
        strength=0.5,
        domain=Ball(2, bound),
        **options,
    )


def online_convex() -> Case:
    """Step on a regularised loss, against all earlier records."""
    theorem = "Theorem 3.3.3: regret = O(sqrt(d) n^(3/4) log^1.5(n/zeta)/epsilon)"
    return Case(
        id="diss-3.3.10",
        forms={"corrected": _form(statistic=push)},
        scaling=(*along_noise(on_pair_convex, LINEAR, regularized, in_n=0.75, claim=theorem),),
        no_real_data="a stream of real records is no other query than one of random ones",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(_form(bound=1e3, no_black_box="a mutant"), 1e-3)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Online learning from all pairs, convex."""
    constants = finite_buffer.Constants(
        first_phase=1, step_size=1.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    return convex_settings({"constants": constants}, {})


CASES = {"diss-3.3.10": online_convex}
SETTINGS = {"diss-3.3.10": settings}
