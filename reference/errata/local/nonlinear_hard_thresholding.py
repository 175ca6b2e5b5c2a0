"""Errata in the sources of diss-5.3.44 (LDP-IHT, non-linear)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constants import with_constants
from reference.local.nonlinear_hard_thresholding import (
    Constants,
    MonotoneFunction,
    constants_for,
    local_nonlinear_hard_thresholding,
)
from reference.losses import n_features


def _printed_constants(
    data: Any, function: MonotoneFunction, *, noise_bound: float, sparsity: int, **_: Any
) -> Constants:
    """Gradients of norm b C sqrt(p) at most (l.6646); longer ones are scaled down to it."""
    p, b = n_features(data), function.largest_slope
    right = constants_for(
        dimension=p,
        sparsity=sparsity,
        noise_bound=noise_bound,
        least_slope=function.least_slope,
        largest_slope=b,
    )
    return replace(right, radius=b * noise_bound * math.sqrt(p))


printed = with_constants(local_nonlinear_hard_thresholding, _printed_constants)

ERRATA = (
    Erratum(
        name="diss-5.3.44/E1",
        severity="S2",
        kind="sensitivity",
        origin="mathematical",
        statement="step 3, l.7103-7109: r = O(b C sqrt p)",
        truth="b sqrt p (b (sqrt(8 s*) + sqrt(s*)) + C): with b^2 and sqrt(s*)",
        witness="f = 8x + cos x, s* = 1, C = 0: a gradient of 266.8 sqrt p, at <theta, x> = -2.828 "
        "and <theta*, x> = 1",
        reproduced_by="audit:printed/scaling",
    ),
    Erratum(
        name="diss-5.3.44/E3",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="(5.80): the class P has |sigma| <= C",
        truth="E[sigma | x] = 0 too, as (5.70) has it: else theta* is not determined",
        witness="f(x) = x, sigma = .5 x_1, theta* = .4 e_1, no privacy: .9 e_1 is found",
        reproduced_by="test:test_noise_that_depends_on_the_features_is_taken_for_a_coefficient",
        elsewhere="(5.70), l.6375, has E[sigma | x] = 0; (5.77), l.6512, and l.6667 lack it as "
        "well",
    ),
)
WITHDRAWN = (
    Withdrawn(
        "diss-5.3.44/E2",
        "the conditions on Delta are counted with their statements, 004 Theorem 5.3.11/E1 and 004 "
        "Proof of Theorem 5.3.9/E1; that of the theorem is too weak only where 9a^2 + 5b^2 > 14.",
    ),
)
FORMS = (PrintedForm("printed", errata=("diss-5.3.44/E1",), function=printed),)
