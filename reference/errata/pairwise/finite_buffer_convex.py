"""Errata in the sources of diss-3.3.13 (Algorithm 3.3.13)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.constraint_sets import L2Ball
from reference.errata.pairwise import finite_buffer
from reference.pairwise.losses import PairwiseLoss, Regularized


def printed(
    data: Any,
    loss: PairwiseLoss,
    constraint: L2Ball,
    *,
    initial: Any,
    strength: float,
    **parameters: Any,
) -> FloatArray:
    """As printed: Algorithm 3.3.12 as printed, on the regularised loss."""
    centre = np.asarray(initial, dtype=float)
    regularized = Regularized(loss, strength, centre)
    return finite_buffer.printed(data, regularized, constraint, initial=initial, **parameters)


ERRATA = (
    Erratum(
        name="diss-3.3.13/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 3.3.4: FBOnPairC is (epsilon, delta)-DP",
        truth="it runs Algorithm 3.3.12, whose buffer is drawn with replacement, on the "
        "regularised loss, and fails in the same way",
        witness="n = 1e4, s = 1, alpha = 0.1, (1, 1e-6): an event of probability >= 4.9e-5 against "
        "< 2.3e-11, the buffer hidden: epsilon >= 14.6; to who knows the buffer, n = 60, s = 3, "
        "(20, 1e-3): delta(20) = 0.05",
        reproduced_by="proofs:004 Theorem 3.3.4",
        copy_of="diss-3.3.12/E1",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-3.3.13/E1",), function=printed),)
