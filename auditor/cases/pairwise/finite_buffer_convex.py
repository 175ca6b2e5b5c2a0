"""How FBOnPairC (diss-3.3.13) is audited."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.cases.build import along, form
from auditor.cases.data.pairs import Pull, opposite_record
from auditor.cases.pairwise.finite_buffer import HIDDEN, LOSS, SMALL, along_noise, push
from auditor.core.case import Case, Form, Scaling
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Ball
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.errata.pairwise import finite_buffer_convex as errata
from reference.pairwise.finite_buffer_convex import fb_on_pair_convex
from reference.pairwise.losses import Regularized
from reference.privacy.ledger import Ledger


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
        delta=1e-3,
        strength=strength,
        domain=Ball(2, bound),
        **options,
    )


def regret_of(
    function: Callable[..., FloatArray], rng: np.random.Generator, n: float, **parameters: Any
) -> float:
    """Return the regret (3.105) at alpha = n^(-1/4) over the logarithms of the claim."""
    size, loss = int(n), Pull(feature_bound=0.5)
    records = loss.validate(rng.standard_normal((size, 2)) + np.array([0.3, 0.0]), 2)
    outputs = function(
        records,
        loss,
        L2Ball(1.0),
        initial=np.zeros(2),
        epsilon=4.0,
        delta=1e-2,
        strength=size**-0.25,
        ledger=Ledger(rng),
        **parameters,
    )
    slopes = [
        loss.gradient(records, np.zeros(2), t, np.arange(t, dtype=np.int64)) for t in range(1, size)
    ]
    incurred = float((outputs[:-1] * np.array(slopes)).sum())
    least = -float(np.linalg.norm(np.sum(slopes, axis=0)))
    return (incurred - least) / float(math.log(size / 0.1) ** 1.5)


def _regret(rng: np.random.Generator, n: float) -> float:
    """Return that with s = n."""
    return regret_of(fb_on_pair_convex, rng, n, buffer_size=int(n))


def regularized_noise(
    function: Callable[..., FloatArray], *, claim: str, **parameters: Any
) -> tuple[Scaling, Scaling]:
    """Return the recipes for sqrt(d)/epsilon at alpha = n^(-1/4)."""
    strength = 400**-0.25
    loss = Regularized(LOSS, strength, np.zeros(2))
    return along_noise(function, claim=claim, loss=loss, strength=strength, **parameters)


def finite_buffer_convex() -> Case:
    """Gradient steps on a regularised loss against a buffer."""
    theorem = "Theorem 3.3.4 for s = n: regret/log^1.5(n/zeta) = O(sqrt(d) n^(3/4)/epsilon)"
    lengths = (200.0, 400.0, 800.0, 1600.0)
    return Case(
        id="diss-3.3.13",
        forms={
            "corrected": _form(n=12, epsilon=1.0, buffer_size=6, strength=0.5, statistic=push),
            "printed": _form(
                errata.printed,
                n=60,
                epsilon=20.0,
                buffer_size=3,
                no_black_box=HIDDEN,
                violates={"accounting": "diss-3.3.13/E1", "privacy_loss": "diss-3.3.13/E1"},
            ),
        },
        scaling=(
            along("n", lengths, 0.75, error=_regret, repetitions=5, claim=theorem),
            *regularized_noise(fb_on_pair_convex, claim=theorem, buffer_size=400),
        ),
        no_real_data="a stream of real records is no other query than one of random ones",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(
                _form(n=12, epsilon=1.0, buffer_size=12, bound=1e3, no_black_box="a mutant"), 1e-3
            )
        },
    )


CASES = {"diss-3.3.13": finite_buffer_convex}
