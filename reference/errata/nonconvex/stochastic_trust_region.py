"""Errata in the sources of diss-4.3.29 (Algorithm 4.3.29)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constants import with_constants
from reference.losses import SecondOrderLoss
from reference.nonconvex import trust_region
from reference.nonconvex.stochastic_trust_region import Constants, dp_stochastic_trust_region


def noise_variance(
    epsilon: float, delta: float, *, n: int, n_iterations: int, constant: float
) -> float:
    """Return c log(5T/delta) log(2/delta)/(n epsilon)^2."""
    logarithms = math.log(5 * n_iterations / delta) * math.log(2 / delta)
    return constant * logarithms / (n * epsilon) ** 2


def _single_record_constants(
    data: Any,
    loss: SecondOrderLoss,
    initial: Any,
    accuracy: float,
    claim: dict[str, Any],
    *,
    gradient: float,
    hessian: float,
) -> Constants:
    """Return constants for batches of one record, with these variances per G and per M sqrt(p).

    Theorem 4.3.7 lets the batches be as small as one likes next to n.
    """
    full = trust_region.constants_for(
        loss, n=1, dimension=np.size(initial), accuracy=accuracy, **claim
    )
    smoothness = loss.smoothness * math.sqrt(np.size(initial))
    return Constants(
        batch_size=1,
        sensitivity=full.sensitivity,
        hessian_sensitivity=full.hessian_sensitivity,
        noise_scale=math.sqrt(gradient) * loss.lipschitz,
        hessian_noise_scale=math.sqrt(hessian) * smoothness,
        radius=full.radius,
        multiplier_threshold=full.multiplier_threshold,
    )


def printed_constants(
    data: Any, loss: SecondOrderLoss, *, initial: Any, accuracy: float, **claim: Any
) -> Constants:
    """C = 256 for the gradient, without a factor T, and 256 T for the Hessian (steps 3, 4)."""
    box = noise_variance(n=loss.size(data), constant=256.0, **claim)
    steps = claim["n_iterations"]
    return _single_record_constants(
        data, loss, initial, accuracy, claim, gradient=box, hessian=steps * box
    )


def printed_proof_constants(
    data: Any, loss: SecondOrderLoss, *, initial: Any, accuracy: float, **claim: Any
) -> Constants:
    """C = 1024 T for both, which the proof of Theorem 4.3.6 arrives at (l.4504-4510)."""
    variance = noise_variance(n=loss.size(data), constant=1024.0 * claim["n_iterations"], **claim)
    return _single_record_constants(
        data, loss, initial, accuracy, claim, gradient=variance, hessian=variance
    )


printed = with_constants(dp_stochastic_trust_region, printed_constants)
printed_proof = with_constants(dp_stochastic_trust_region, printed_proof_constants)

ERRATA = (
    Erratum(
        name="diss-4.3.29/E1",
        severity="S1",
        kind="privacy",
        origin="misprint",
        statement="step 3 and l.4114: the gradient's noise has variance "
        "256 G^2 log(5T/delta) log(2/delta)/(n epsilon)^2",
        truth="a factor T is missing, which the proof, (4.87) and step 4 have; and 1024 is the "
        "constant that the proof leads to, for both noises",
        witness="|S| = n, (1, 1e-5): delta(1) = 3.7e-4 at T = 2000, 0.052 at T = 1e4",
        reproduced_by="audit:printed/accounting",
        elsewhere="T in step 4 (l.4058); sqrt T in (4.87), l.4528",
    ),
    Erratum(
        name="diss-4.3.29/E2",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 4.3.6: (epsilon, delta)-DP for 0 < epsilon, delta < 1, whatever |S| "
        "and |T|",
        truth="not for small batches, also with 1024 T: the proof amplifies a mechanism of "
        "epsilon'' = n epsilon'/(2|S|), which must be at most 1, and the noise does not grow as "
        "|S| falls",
        witness="n = 1e5, T = 1, (1, 1e-6), 1024 T: delta(1) = 1.0e-5 for |S| = 1, 1.0e-4 for 10",
        reproduced_by="audit:printed-proof/accounting",
    ),
    Erratum(
        name="diss-4.3.29/E3",
        severity="S4",
        kind="experiment",
        origin="mathematical",
        statement="l.4114: DP-STR is worse than DP-TR because its noise is larger",
        truth="it compares the gradients' variances, of which the printed one is smaller for T "
        "above 320 (73 with the printed 64 for 16); with the missing T it is larger. The printed "
        "variance of the Hessians is larger, 260 to 380 times",
        witness="T = 1000, delta = 1e-5: gradients 6.3e4 against 1.8e5, Hessians 340 times",
        reproduced_by="proofs:004 l.4114 (comparison)",
    ),
    Erratum(
        name="diss-4.3.29/E4",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(4.98), l.4572, drops the cubic term as (4.85) does",
        truth="as for diss-4.3.28/E2",
        witness="that one's, with |S| = |T| = n",
        reproduced_by="proofs:004 (4.98)",
        copy_of="diss-4.3.28/E2",
    ),
    Erratum(
        name="diss-4.3.29/E6",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Theorem 4.3.7: an O(alpha)-SOSP for n >= Omega(p ln(1/zeta) sqrt(ln(1/delta))/"
        "(alpha^1.75 epsilon)), the sample size of DP-TR (l.4068)",
        truth="the noise has sqrt(ln(5T/delta) ln(2/delta)), which (4.87) bounds by ln(T/delta), "
        "where DP-TR's has sqrt(ln(1/delta)): n must have it too",
        witness="F = 0, T = 1, p = 100: for every constant in Omega there is a delta with "
        "sigma_2 = sqrt(alpha rho), and then a point is output with probability <= 3.2e-8",
        reproduced_by="proofs:004 Theorem 4.3.7",
    ),
)

WITHDRAWN = (
    Withdrawn(
        name="diss-4.3.29/E5",
        why="the size of IJCNN and the loss of the accuracy figure are given in two ways; nothing "
        "follows from either.",
    ),
)

FORMS = (
    PrintedForm(
        "printed",
        errata=(
            "diss-4.3.29/E1",
            "diss-4.3.29/E2",
        ),
        function=printed,
    ),
    PrintedForm("printed-proof", errata=("diss-4.3.29/E2",), function=printed_proof),
)
