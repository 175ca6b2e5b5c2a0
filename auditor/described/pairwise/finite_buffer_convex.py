"""FBOnPairC (diss-3.3.13): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from auditor import Case, Setting
from auditor.described.data.pairs import (
    NO_REAL_STREAM,
    Pull,
    buffered_form,
    first_step_form,
    without_normalisation,
)
from auditor.described.data.small_pairwise import convex_settings
from auditor.described.pairwise.finite_buffer import BOUND, HIDDEN, along_noise, push, stored
from reference.errata.pairwise import finite_buffer_convex as errata
from reference.pairwise import finite_buffer
from reference.pairwise.finite_buffer_convex import fb_on_pair_convex

_form = partial(buffered_form, fb_on_pair_convex, Pull)
_small = partial(_form, n=12, strength=1.0, epsilon=1.0, buffer_size=12)

LINEAR = Pull(feature_bound=BOUND)
"""Loss of the scaling recipes: nothing but the regulariser makes it strongly convex."""


def regularized(n: int) -> dict[str, Any]:
    """Return alpha = n^(-1/4)."""
    return {"strength": n**-0.25}


def _stored(n: int) -> dict[str, Any]:
    """Return that with s = n."""
    return regularized(n) | stored(n)


def finite_buffer_convex() -> Case:
    """Gradient steps on a regularised loss against a buffer."""
    theorem = "Theorem 3.3.4 for s = n: regret = O(sqrt(d) n^(3/4) log^1.5(n/zeta)/epsilon)"
    return Case(
        id="diss-3.3.13",
        forms={
            "corrected": _form(n=12, strength=0.5, epsilon=1.0, buffer_size=6, statistic=push),
            "corrected-stored": first_step_form(
                fb_on_pair_convex,
                142,
                regularized=True,
                buffer_size=142,
                no_black_box="that of 'corrected' is as much",
            ),
            "printed": buffered_form(
                errata.printed,
                Pull,
                n=120,
                strength=1.0,
                epsilon=20.0,
                buffer_size=3,
                no_black_box=HIDDEN,
                violates={"accounting": "diss-3.3.13/E1", "privacy_loss": "diss-3.3.13/E1"},
            ),
        },
        scaling=(*along_noise(fb_on_pair_convex, LINEAR, _stored, in_n=0.75, claim=theorem),),
        no_real_data=NO_REAL_STREAM,
        mutants=without_normalisation(_small),
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
LEFT_OUT = {"diss-3.3.13": {"loop": "it is Algorithm 3.3.12, for a special case"}}
