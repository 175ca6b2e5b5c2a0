"""Errata in the sources of zhang-4 (Algorithm 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.em.dense_em import Constants, constants_for, dense_em
from reference.em.models import LatentModel
from reference.errata.privacy.calibration import printed_gaussian_scale


def printed_constants(
    data: Any,
    model: LatentModel,
    *,
    initial: Any,
    epsilon: float,
    delta: float,
    **parameters: Any,
) -> Constants:
    """Noise of the classical Gaussian mechanism, whatever epsilon (Proposition 2.4, l.85)."""
    right = constants_for(
        model, n=len(data), dimension=np.size(initial), epsilon=epsilon, delta=delta, **parameters
    )
    scale = printed_gaussian_scale(epsilon, delta, sensitivity=right.sensitivity)
    return replace(right, noise_scale=scale)


printed = with_constants(dense_em, printed_constants)

ERRATA = (
    Erratum(
        name="zhang-4/E1",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Proposition 2.4: noise of variance 2 log(1.25/delta) Delta^2/epsilon^2 is "
        "(epsilon, delta)-DP, whatever epsilon",
        truth="true for epsilon <= 1, false for large epsilon; 1/(2 rho) with rho = "
        "(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2 always is",
        witness="the exact delta exceeds delta from epsilon = 5.743 (delta = .1), 6.772 "
        "(.01), 8.420 (1e-5), 9.374 (1e-8); (8, .1): .236",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-2.gaussian/E1",
    ),
    Erratum(
        name="zhang-4/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 5.5: xi = sqrt(d log n/n) fails with probability c/log n "
        "over all iterations",
        truth="with C'/log n in each of N0 ~ log n iterations, so the union is O(1); xi = "
        "sqrt(d/n) log n repairs it without changing the rate",
        witness="N0 C'/log n is a constant; N0 C'/log^2 n is O(1/log n)",
        reproduced_by="proofs:002 Proof of Theorem 5.5",
    ),
)

FORMS = (PrintedForm("printed", errata=("zhang-4/E1",), function=printed),)
