"""FBOnPairC (diss-3.3.13): audit and settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor import Ball, Case, Form, Setting, form, scaled_claim
from auditor.described.data.pairs import (
    FIRST_REGULARIZED,
    LEAVES_THE_BUFFER,
    ROOM,
    Pull,
    opposite_record,
)
from auditor.described.data.small_pairwise import convex_settings
from auditor.described.pairwise.finite_buffer import BOUND, HIDDEN, SMALL, along_noise, push
from reference.constraint_sets import L2Ball
from reference.errata.pairwise import finite_buffer_convex as errata
from reference.pairwise import finite_buffer
from reference.pairwise.finite_buffer_convex import fb_on_pair_convex


def _form(
    function: Any = fb_on_pair_convex,
    *,
    n: int,
    bound: float = 1.0,
    strength: float = 1.0,
    **options: Any,
) -> Form:
    return form(
        function,
        opposite_record(n, bound),
        Pull(feature_bound=bound),
        SMALL,
        initial=np.zeros(2),
        not_attained=LEAVES_THE_BUFFER,
        delta=1e-3,
        strength=strength,
        domain=Ball(2, bound),
        **options,
    )


def _stored_form() -> Form:
    """On a record in the first step, which moves w_t by 33/34 of 4G/(alpha t) if all are stored."""
    return form(
        fb_on_pair_convex,
        opposite_record(142, index=FIRST_REGULARIZED),
        Pull(smoothness=65.0),
        L2Ball(ROOM),
        initial=np.zeros(2),
        replaced=FIRST_REGULARIZED,
        epsilon=1.0,
        delta=1e-3,
        strength=0.5,
        buffer_size=142,
        domain=Ball(2, 1.0),
        no_black_box="that of 'corrected' is as much",
    )


LINEAR = Pull(feature_bound=BOUND)
"""Of the scaling recipes: nothing but the regulariser makes it strongly convex."""


def regularized(n: int) -> dict[str, Any]:
    """Return alpha = n^(-1/4)."""
    return {"strength": n**-0.25}


def _stored(n: int) -> dict[str, Any]:
    """Return that with s = n."""
    return {**regularized(n), "buffer_size": n}


def finite_buffer_convex() -> Case:
    """Gradient steps on a regularised loss against a buffer."""
    theorem = "Theorem 3.3.4 for s = n: regret = O(sqrt(d) n^(3/4) log^1.5(n/zeta)/epsilon)"
    return Case(
        id="diss-3.3.13",
        forms={
            "corrected": _form(n=12, epsilon=1.0, buffer_size=6, strength=0.5, statistic=push),
            "corrected-stored": _stored_form(),
            "printed": _form(
                errata.printed,
                n=120,
                epsilon=20.0,
                buffer_size=3,
                no_black_box=HIDDEN,
                violates={"accounting": "diss-3.3.13/E1", "privacy_loss": "diss-3.3.13/E1"},
            ),
        },
        scaling=(*along_noise(fb_on_pair_convex, LINEAR, _stored, in_n=0.75, claim=theorem),),
        no_real_data="a stream of real records is no other query than one of random ones",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(
                _form(n=12, epsilon=1.0, buffer_size=12, bound=1e3, no_black_box="a mutant"), 1e-3
            )
        },
    )


def settings() -> tuple[Setting, ...]:
    """Online learning with a buffer, convex."""
    constants = finite_buffer.Constants(
        first_phase=1, step_size=1.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    by_hand, middle, metric = convex_settings(
        {"constants": constants, "buffer_size": 1},
        {"buffer_size": 2},
    )
    # those of the first without constants become vectors of their own: here of the metric's loss
    return by_hand, metric, middle


CASES = {"diss-3.3.13": finite_buffer_convex}
SETTINGS = {"diss-3.3.13": settings}
