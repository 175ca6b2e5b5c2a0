"""Errata in the sources of diss-4.2.21 (Algorithm 4.2.21).

The claim for every 0 < epsilon < c T fails as diss-4.1.16/E3 says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from reference._validation import require_kind
from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.losses import GeneralizedLinear
from reference.nonconvex.frank_wolfe_l2 import Constants, constants_for
from reference.nonconvex.population_frank_wolfe_l2 import dp_population_frank_wolfe_l2


def printed_lipschitz(loss: GeneralizedLinear) -> float:
    """Return C_sigma (B + 1), the bound of (4.50) on a gradient (l.3683).

    |sigma'| and |sigma''| are below 1 for the sigmoid and probit links and at most 1 for the
    identity, so that C_sigma >= 1 of Assumption 4.2.2 is 1; B = sigma(1).
    """
    require_kind("loss", loss, GeneralizedLinear, "a GeneralizedLinear, of which the bound is")
    return float(loss.mean(np.ones(1))[0]) + 1


def printed_constants(
    data: Any, loss: GeneralizedLinear, *, initial: Any, **parameters: Any
) -> Constants:
    """Gradients are bounded by C_sigma (B + 1), without the factor 2 of the square (l.3683)."""
    del initial
    right = constants_for(loss, 1.0, n=loss.size(data), **parameters)
    factor = printed_lipschitz(loss) / loss.lipschitz
    return replace(
        right, sensitivity=factor * right.sensitivity, noise_scale=factor * right.noise_scale
    )


printed = with_constants(dp_population_frank_wolfe_l2, printed_constants)

ERRATA = (
    Erratum(
        name="diss-4.2.21/E1",
        severity="S2",
        kind="sensitivity",
        origin="mathematical",
        statement="(4.50), l.3683: gradients of a linear model are bounded by C_sigma (B+1) and "
        "Hessians by C_sigma^2 + C_sigma (B+1)",
        truth="2 C_sigma (B+1) and 2 (C_sigma^2 + C_sigma (B+1)), with the factor 2 of Lemma "
        "4.2.5; absorbed by the constant c_2 of Theorem 4.2.5",
        witness="sigma(s) = s (C_sigma = B = 1), ||w|| = 1, x = -w, y = 1: norm 4 > 2; x and x' at "
        "120 degrees on either side of w, y = y' = 1: gradients 3 sqrt 3 > 4 apart",
        reproduced_by="audit:printed/sensitivity",
    ),
    Erratum(
        name="diss-4.2.21/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="l.3693: E gap_R >= E<grad L_P(w_R), w_R - w*> by the expectation over the data",
        truth="w_R depends on the data: 2 E sup ||grad L - grad L_P||, of order n^{-1/2}, is to be "
        "added; Theorems 4.2.5 and 4.2.6 stand for epsilon <= 1, where their bounds are larger",
        witness="n = d = 1, x = 1, sigma(s) = s, y = 0 or 1, w_R = y: the gap is 0, "
        "E<grad L_P(w_R), w_R - w*> = 1/2",
        reproduced_by="proofs:004 l.3693 (expectation over the data)",
    ),
    Erratum(
        name="diss-4.2.21/E3",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Lemma 4.2.6 (l.3715-3725): L_P(w) - L_P(w*) <= C_psi/(2 c_psi) "
        "<grad L_P(w), w - w*>, since h(0) = 0 and h'(0) >= c_psi",
        truth="false for a redescending psi such as the biweight; holds with "
        "c_psi = inf h(s)/s over 0 < s <= 2",
        witness="biweight with c = 2.1, no noise, x = w*, w = -w*: .7344 against .0192 "
        "(c_psi = .9)",
        reproduced_by="proofs:004 Lemma 4.2.6",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-4.2.21/E1",), function=printed),)
