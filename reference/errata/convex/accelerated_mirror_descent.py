"""Errata in the sources of diss-3.1.4 (Algorithm 3.1.4)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.constraint_sets import starting_point
from reference.convex.accelerated_mirror_descent import constants_for
from reference.losses import Loss
from reference.mirror_maps import MirrorMap
from reference.privacy.ledger import Ledger, open_ledger


def printed(
    data: Any,
    loss: Loss,
    mirror_map: MirrorMap,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Step 6 (l.783) uses the exact gradient, and its result is the output.

    The steps have L (l.781) where the proof has L ||C||_2^2; the noise is the smallest private one
    for the gradients of step 7 alone.
    """
    ledger = open_ledger(ledger)
    x = starting_point(initial, mirror_map.ball)
    records = loss.validate(data, x.size)
    chosen = constants_for(
        loss,
        mirror_map.ball.radius,
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )
    y = z = x
    for k in range(n_iterations):
        alpha, r = (k + 2) / (4 * loss.smoothness), 2 / (k + 2)
        x = r * z + (1 - r) * y
        gradient = loss.gradient(records, x)
        noisy = ledger.gaussian(gradient, sensitivity=chosen.sensitivity, scale=chosen.noise_scale)
        y = mirror_map.gradient_step(x, gradient, chosen.smoothness / 2)
        z = mirror_map.mirror_step(z, noisy, alpha)
    return y


ERRATA = (
    Erratum(
        name="diss-3.1.4/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="step 6 (l.783): y_{k+1} by the exact gradient of F; Theorem 3.1.6: y_T is "
        "(epsilon, delta)-DP",
        truth="not for any delta < 1; the noisy gradient in both steps is, and keeps the rate",
        witness="T = 1: y_1 is a function of the data, different for neighbours",
        reproduced_by="audit:printed/black_box",
    ),
    Erratum(
        name="diss-3.1.4/E2",
        severity="S3",
        kind="utility",
        origin="unclear",
        statement="step 4 (l.781): alpha_{k+1} = (k+2)/(4L), r_k = 1/(2 alpha_{k+1} L)",
        truth="L ||C||_2^2 for L, as the proof says, which sets ||C||_2 = 1",
        witness="C = [-10, 10], F = (x - 9)^2/2, x_0 = 9.5, T = 80, no noise: gap 0.0598 against "
        "8 L ||C||_2^2 V/(T+1)^2 = 6.1e-4",
        reproduced_by="proofs:004 Algorithm 3.1.4, step 4",
        elsewhere="L ||C||_2^2 in step 6 (l.783) and in T (l.806); L alone in the proof (l.1349, "
        "l.1355)",
    ),
    Erratum(
        name="diss-3.1.4/E3",
        severity="S2",
        kind="misprint",
        origin="misprint",
        statement="Theorem 3.1.7 (l.800) has no factor sqrt(V(x_*, x_0))",
        truth="the last display of its proof (l.1359) has it",
        witness="l1 ball: V is of order log p",
        reproduced_by="proofs:004 Theorem 3.1.7",
        elsewhere="l.1359 has the factor, and the T of l.806 and l.1355 is chosen for it",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-3.1.4/E1",), function=printed),)
