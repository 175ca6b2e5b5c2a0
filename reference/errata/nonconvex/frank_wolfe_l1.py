"""Errata in the sources of diss-4.1.19 (Algorithm 4.1.19)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.constraint_sets import VertexSet
from reference.losses import Loss
from reference.nonconvex.frank_wolfe_l1 import Constants, constants_for, dp_frank_wolfe_l1


def printed_step_epsilon(epsilon: float, delta: float, *, n_iterations: int) -> float:
    """Return the paper's budget of one selection, epsilon/sqrt(8 T log(1/delta)). Step 2, l.2853.

    Valid for epsilon <= 48 log(1/delta) and four times too cautious for small epsilon.
    """
    return epsilon / math.sqrt(8 * n_iterations * math.log(1 / delta))


def printed_constants(
    data: Any, loss: Loss, constraint: VertexSet, *, initial: Any, **parameters: Any
) -> Constants:
    """Every selection spends epsilon/sqrt(8 T log(1/delta)) (step 2, l.2853)."""
    vertices = constraint.vertices(np.size(initial))
    right = constants_for(loss, vertices, n=loss.size(data), **parameters)
    return replace(right, step_epsilon=printed_step_epsilon(**parameters))


def printed_proof_constants(
    data: Any, loss: Loss, constraint: VertexSet, *, epsilon: float, **parameters: Any
) -> Constants:
    """As printed, and the scores' sensitivity has the proof's spurious 1/epsilon (l.3054)."""
    box = printed_constants(data, loss, constraint, epsilon=epsilon, **parameters)
    return replace(box, sensitivity=box.sensitivity / epsilon)


printed = with_constants(dp_frank_wolfe_l1, printed_constants)
printed_proof = with_constants(dp_frank_wolfe_l1, printed_proof_constants)

ERRATA = (
    Erratum(
        name="diss-4.1.19/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="l.3054, proof of the error: the scores have sensitivity O(||C||_1 G/(n "
        "epsilon))",
        truth="2 G max_A ||s||_1/n, without 1/epsilon (l.3768 and beta on the same line have it "
        "right); neither the box nor the error bound has it. Who takes it for the sensitivity "
        "spends epsilon epsilon_0 a step",
        witness="d = 1, A = {+1, -1}, f = G z x, so taken: T = 1000, delta = 1e-4: delta(5) = "
        "1.05e-3, delta(8) = 0.297; T = 10: delta(8) = 0.227",
        reproduced_by="audit:printed-proof/privacy_loss",
        elsewhere="l.3768 has no epsilon, nor has beta on the same line",
    ),
    Erratum(
        name="diss-4.1.19/E2",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 4.1.6 (and 4.2.14): (epsilon, delta)-DP for any epsilon, delta > 0 "
        "with epsilon_0 = epsilon/sqrt(8 T log(1/delta))",
        truth="epsilon <= 48 log(1/delta) suffices (8 log(1/delta) for a general epsilon_0-DP "
        "step); large epsilon fails",
        witness="same instance, delta = 0.01, T = 4000: delta(500) = 1.000, delta(250) = 0.022, "
        "but delta(240) = 0.0079; delta = 0.25, T = 80: delta(150) = 0.951",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        name="diss-4.1.19/E3",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="l.3076, proof of the error: T with sqrt(log(1/delta) log(|A| n)) in the "
        "denominator and gamma = sqrt(2/(T ||C||_2^2 L)), which Theorem 4.1.6 prints without L",
        truth="the theorem's T, with log(|A| n/eta) outside the root; then both steps have the "
        "rate (4.8)",
        witness="the noise over the rate is 4 sqrt(2) log(|A| n/eta)^(1/4): 10 at |A| n/eta = "
        "18,000, and unbounded",
        reproduced_by="proofs:004 l.3076",
        elsewhere="The root ends after ln(1/delta) in the theorem (l.2861), in beta (l.3054) and "
        "two lines before (l.3074)",
        sign="root",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("diss-4.1.19/E2",), function=printed),
    PrintedForm("printed-proof", errata=("diss-4.1.19/E1",), function=printed_proof),
)
