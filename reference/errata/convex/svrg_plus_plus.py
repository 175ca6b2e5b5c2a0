"""Errata in the sources of diss-3.1.3 (Algorithm 3.1.3)."""

from __future__ import annotations

import math
from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.convex.svrg_plus_plus import Constants, dp_svrg_plus_plus
from reference.losses import Loss

CONSTANT = 8.0
"""c of (3.7), which the paper does not name; none would do."""


def printed_constants(
    data: Any,
    loss: Loss,
    regularizer: Any,
    *,
    initial: Any,
    epsilon: float,
    delta: float,
    n_epochs: int,
    n_inner: int,
) -> Constants:
    """One record a step, sigma^2 = c G^2 2^T m log(2/delta)/(n epsilon)^2 ((3.7), l.727)."""
    del regularizer, initial
    n = loss.size(data)
    variance = CONSTANT * 2**n_epochs * n_inner * math.log(2 / delta)
    return Constants(
        batch_size=1,
        sensitivity=4 * loss.lipschitz + 2 * loss.lipschitz / n,
        background_sensitivity=2 * loss.lipschitz / n,
        noise_scale=loss.lipschitz * math.sqrt(variance) / (n * epsilon),
        step_size=1 / (13 * loss.smoothness),
    )


printed = with_constants(dp_svrg_plus_plus, printed_constants)

ERRATA = (
    Erratum(
        name="diss-3.1.3/E1",
        severity="S1",
        kind="accounting",
        origin="mathematical",
        statement="Theorems 3.1.4 and 3.1.5 together: private and of rate (3.8)",
        truth="with the T and m of Theorem 3.1.5, epsilon <= c_1 2^T m/n^2 becomes a bound on n, "
        "from which epsilon cancels",
        witness="p = 50, delta = 1e-4, G = 1: c_1 a L >= 2.1e5 is needed at n = 1e4",
        reproduced_by="proofs:004 Theorem 3.1.5, range of epsilon",
        copy_of="diss-3.1.1/E2",
    ),
    Erratum(
        name="diss-3.1.3/E2",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="(3.7) is used outside the range of Theorem 3.1.4",
        truth="there Algorithm 3.1.3 is not (epsilon, delta)-DP: a record is drawn with "
        "probability about 2^{T+1} m/n and is then visible",
        witness="T = 1, m = 200, n = 2e4, (1, 1e-4), c = 8: an event of the output needs epsilon "
        "11.4",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-3.1.1/E2",
    ),
    Erratum(
        name="diss-3.1.3/E3",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Table 3.2 and Theorem 3.1.5: gradient complexity O(n epsilon/sqrt p + n log(n "
        "epsilon/p))",
        truth="log(n epsilon/sqrt p), the order of T",
        witness="p = n epsilon: the logarithm is 0, but T epochs call T n gradients; calls over "
        "the "
        "bound are at least 1e4 and 2e7 at n = 1e6 and 1e12",
        reproduced_by="proofs:004 Table 3.2",
        elsewhere="log(n epsilon/(G sqrt p)) in the proof (l.1273) and in T (l.729, l.1269); "
        "without the root in the table (l.584) and the theorem (l.762)",
        sign="root",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-3.1.3/E2",), function=printed),)
