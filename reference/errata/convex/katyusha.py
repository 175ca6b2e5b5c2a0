"""What the sources of diss-3.1.2 (Algorithm 3.1.2) print that does not hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.convex.katyusha import dp_katyusha
from reference.losses import Loss
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import Regularizer


def printed(
    data: Any, loss: Loss, regularizer: Regularizer, *, ledger: Ledger | None, **parameters: Any
) -> FloatArray:
    """Step 7 (l.699) has no noise: nothing is released through a mechanism."""
    del ledger
    return np.array(dp_katyusha(data, loss, regularizer, ledger=NoiselessLedger(0), **parameters))


ERRATA = (
    Erratum(
        name="diss-3.1.2/E1",
        severity="S0",
        kind="privacy",
        origin="misprint",
        statement="step 7 (l.699): v_t = grad f(y, z_i) - grad f(x~, z_i) + v~, without noise",
        truth="plus u_t, N(0, sigma^2 I), as Theorem 3.1.3 and its proof have it; as printed the "
        "output is a function of the data and of who was drawn",
        witness="T = m = 1: prox(x_0 - eta grad F(x_0)), two constants for two data sets",
        reproduced_by="audit:printed/black_box",
    ),
    Erratum(
        name="diss-3.1.2/E2",
        severity="S0",
        kind="accounting",
        origin="mathematical",
        statement="Theorem 3.1.3 takes sigma of Theorem 3.1.1, for epsilon <= c_1 T m/n^2",
        truth="with its own T and m that range is empty for large n, and the experiments lie "
        "outside",
        witness="T = 12, m = 75000, n = 1e5: T m/n^2 = 9e-5 against epsilon = 1",
        reproduced_by="proofs:004 Theorem 3.1.3, range of epsilon",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-3.1.2/E1",), function=printed),)
