"""Errata in the source of diss-2.gaussian (Definition 2.1.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from reference.basic.gaussian import Constants, constants_for, gaussian_mechanism
from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale


def printed_constants(data: Any, *, epsilon: float, delta: float, bound: float) -> Constants:
    """Take sigma = sqrt(2 log(1.25/delta)) Delta_2/epsilon for every epsilon (l.380)."""
    dimension = np.shape(data)[1]
    right = constants_for(dimension=dimension, epsilon=epsilon, delta=delta, bound=bound)
    scale = printed_gaussian_scale(epsilon, delta, sensitivity=right.sensitivity)
    return replace(right, noise_scale=scale)


printed = with_constants(gaussian_mechanism, printed_constants)

ERRATA = (
    Erratum(
        name="diss-2.gaussian/E1",
        severity="S3",
        kind="accounting",
        origin="mathematical",
        statement="Definition 2.1.3: sigma >= sqrt(2 log(1.25/delta)) Delta_2/epsilon gives "
        "(epsilon, delta)-DP, without a range of epsilon",
        truth="for epsilon <= 1, and by the exact curve up to 6.8 at delta = 0.01; beyond, sigma "
        "has to come from that curve",
        witness="(10, 1e-5): true delta(10) = 2.27e-5; (20, 0.1): 0.98",
        reproduced_by="audit:printed/privacy_loss",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-2.gaussian/E1",), function=printed),)
