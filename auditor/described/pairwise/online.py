"""OnPairStrC (diss-3.3.9): audit and settings."""

from __future__ import annotations

from functools import partial

from auditor import Case, Setting
from auditor.described.data.pairs import NO_REAL_STREAM, first_step_form, without_normalisation
from auditor.described.data.small_pairwise import BY_HAND, FEW, auc, metric
from auditor.described.pairwise.finite_buffer import LOSS, along_noise, along_regret, push
from reference.pairwise import finite_buffer
from reference.pairwise.online import on_pair_strongly_convex

_form = partial(first_step_form, on_pair_strongly_convex, 76)


def online() -> Case:
    """Step against all earlier records: the effect of one falls like 1/t."""
    theorem = "Theorem 3.3.2: regret = O(sqrt(d n) log^1.5(n/zeta)/(alpha epsilon))"
    return Case(
        id="diss-3.3.9",
        forms={"corrected": _form(statistic=push)},
        scaling=(
            along_regret(on_pair_strongly_convex, lambda _: {}, claim=theorem),
            *along_noise(on_pair_strongly_convex, LOSS, lambda _: {}, in_n=0.5, claim=theorem),
        ),
        no_real_data=NO_REAL_STREAM,
        mutants=without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """Online learning from all pairs, strongly convex."""
    chosen = finite_buffer.Constants(
        first_phase=1, step_size=2.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    return (
        Setting(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the first output is "
            "public, and the path goes on without noise.",
            {"data": FEW, **BY_HAND, "constants": chosen},
        ),
        Setting(
            "middle",
            "A first phase of several rounds; losses of the area under the curve, regularised.",
            auc(20, 1),
        ),
        Setting(
            "metric",
            "A metric in the cone of positive semidefinite matrices: projections cut eigenvalues.",
            metric(14, 2),
        ),
    )


CASES = {"diss-3.3.9": online}
SETTINGS = {"diss-3.3.9": settings}
LEFT_OUT = {"diss-3.3.9": {"order of records": "records come one after the other"}}
