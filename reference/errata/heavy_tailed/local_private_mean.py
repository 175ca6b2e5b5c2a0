"""Errata in the sources of wang-ldp-mean (Theorem 3, mechanism (21))."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.errata.heavy_tailed.private_mean import printed_noise, printed_truncation
from reference.heavy_tailed.local_private_mean import constants_for, local_private_mean
from reference.heavy_tailed.private_mean import Constants


def printed_constants(data: Any, *, epsilon: float, delta: float, **parameters: Any) -> Constants:
    """Theorem 3's scale (l.263), and Definition 7's noise without a limit on epsilon."""
    right = constants_for(n=np.size(data), epsilon=epsilon, delta=delta, **parameters)
    truncated = printed_truncation(right, failure_probability=parameters["failure_probability"])
    return printed_noise(truncated, epsilon=epsilon, delta=delta)


printed = with_constants(local_private_mean, printed_constants)

ERRATA = (
    Erratum(
        name="wang-ldp-mean/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(41): the bias is O(tau/(s beta)); hence Theorem 3 with "
        "s = n^(1/4) sqrt(epsilon tau)/(log(1/zeta) log^(1/4)(1/delta))",
        truth="tau/(2s) (1 + 1/beta), as in (36): Theorem 3 is off by sqrt(log(1/zeta)); true "
        "with sqrt(log(1/zeta)) in s",
        witness="x = sk with probability tau/(sk)^2, else 0: bias over tau/(s beta) is 0.575, "
        "0.961, 1.41, 4.08 at zeta = 0.1, 1e-4, 1e-10, 1e-100",
        reproduced_by="audit:printed/scaling",
        copy_of="wang-mean/E1",
    ),
)

FORMS = (PrintedForm("printed", errata=("wang-ldp-mean/E1",), function=printed),)
