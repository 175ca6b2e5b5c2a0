"""OnPairC (diss-3.3.10): audit and settings."""

from __future__ import annotations

from functools import partial

from auditor import Case, Setting
from auditor.described.data.pairs import NO_REAL_STREAM, first_step_form, without_normalisation
from auditor.described.data.small_pairwise import convex_settings
from auditor.described.pairwise.finite_buffer import along_noise, push
from auditor.described.pairwise.finite_buffer_convex import LINEAR, regularized
from reference.pairwise import finite_buffer
from reference.pairwise.online_convex import on_pair_convex

_form = partial(first_step_form, on_pair_convex, 146, regularized=True)


def online_convex() -> Case:
    """Step on a regularised loss, against all earlier records."""
    theorem = "Theorem 3.3.3: regret = O(sqrt(d) n^(3/4) log^1.5(n/zeta)/epsilon)"
    return Case(
        id="diss-3.3.10",
        forms={"corrected": _form(statistic=push)},
        scaling=(*along_noise(on_pair_convex, LINEAR, regularized, in_n=0.75, claim=theorem),),
        no_real_data=NO_REAL_STREAM,
        mutants=without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """Online learning from all pairs, convex."""
    constants = finite_buffer.Constants(
        first_phase=1, step_size=1.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    return convex_settings({"constants": constants}, {})


CASES = {"diss-3.3.10": online_convex}
SETTINGS = {"diss-3.3.10": settings}
LEFT_OUT = {
    "diss-3.3.10": {
        "order of records": "records come one after the other",
        "loop": "it is Algorithm 3.3.9, for a special case",
    }
}
