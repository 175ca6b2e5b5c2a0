"""Errata in the sources of diss-4.2.22 (Algorithm 4.2.22).

Theorem 4.2.6 inherits diss-4.2.21/E2 and E3, and its privacy diss-4.1.19/E2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.constraint_sets import L1Ball
from reference.errata.nonconvex.population_frank_wolfe_l2 import printed_lipschitz
from reference.losses import GeneralizedLinear
from reference.nonconvex.frank_wolfe_l1 import Constants, constants_for
from reference.nonconvex.population_frank_wolfe_l1 import dp_population_frank_wolfe_l1


def printed_constants(
    data: Any, loss: GeneralizedLinear, *, initial: Any, **parameters: Any
) -> Constants:
    """Entries of gradients are bounded by C_sigma (B + 1), without the factor 2 (l.3790)."""
    vertices = L1Ball(1.0).vertices(np.size(initial))
    right = constants_for(loss, vertices, n=loss.size(data), **parameters)
    return replace(right, sensitivity=right.sensitivity * printed_lipschitz(loss) / loss.lipschitz)


printed = with_constants(dp_population_frank_wolfe_l1, printed_constants)

ERRATA = (
    Erratum(
        name="diss-4.2.22/E1",
        severity="S2",
        kind="sensitivity",
        origin="mathematical",
        statement="l.3790-3806: gradients of a linear model are at most C_sigma (B+1) in the "
        "maximum norm and C_sigma^2 + C_sigma (B+1) smooth in l1 (and sigma(<w, x> - y) for "
        "sigma(<w, x>) - y)",
        truth="2 C_sigma (B+1) and 2 (C_sigma^2 + C_sigma (B+1)); absorbed by the O of Theorem "
        "4.2.6",
        witness="sigma(s) = s, w = -e_1, x = e_1, y = 1: 4 > 2; x = (1, 1) against (1, -1), y = 1: "
        "scores 8 > 4 apart",
        reproduced_by="audit:printed/sensitivity",
        copy_of="diss-4.2.21/E1",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-4.2.22/E1",), function=printed),)
