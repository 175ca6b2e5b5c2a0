"""Errata in the sources of zhang-1 (Algorithm 1)."""

from __future__ import annotations

import math
from typing import Any

from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constants import with_constants
from reference.sparse.peeling import Constants, noisy_hard_thresholding


def printed_noise_scale(
    epsilon: float, delta: float, *, sparsity: int, sensitivity: float
) -> float:
    """2 lambda sqrt(3 s log(1/delta))/epsilon whatever epsilon. Steps 4 and 7, l.110-120."""
    return 2 * sensitivity * math.sqrt(3 * sparsity * math.log(1 / delta)) / epsilon


def printed_constants(
    vector: Any, *, sparsity: int, sensitivity: float, epsilon: float, delta: float
) -> Constants:
    """Noise of scale 2 lambda sqrt(3 s log(1/delta))/epsilon, whatever epsilon (Lemma 3.1)."""
    del vector
    scale = printed_noise_scale(epsilon, delta, sparsity=sparsity, sensitivity=sensitivity)
    return Constants(scale)


printed = with_constants(noisy_hard_thresholding, printed_constants)

ERRATA = (
    Erratum(
        name="zhang-1/E1",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Lemma 3.1: NoisyHT is (epsilon, delta)-DP, whatever epsilon",
        truth="true for epsilon <= 0.41822 log(1/delta) (zCDP) or s <= (4/3) log(1/delta) "
        "(pure DP); false for large epsilon with many coordinates",
        witness="s=12, d=24, (60, 0.1): delta(60) is about 0.86; values alone (d=s): "
        "delta(100) >= 0.76 at s=400, and for s -> infinity above delta from epsilon = 42.98 "
        "at delta=0.1, 77.23 at delta=0.01",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        name="hu-4/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Algorithm 4 step 5 takes the argmax over all of [d]",
        truth="over [d] without S, as Zhang and Zhang (2021) print; otherwise |S| < s is possible "
        "(privacy is unaffected)",
        witness="v=(10, 0), s=2, small noise: coordinate 1 is appended twice",
        reproduced_by="proofs:003 Algorithm 4",
        elsewhere="[d] without S in Zhang and Zhang (2021), l.116",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "zhang-1/E2",
        "Noise above what the best accounting asks for is a choice and no error.",
    ),
)

FORMS = (PrintedForm("printed", errata=("zhang-1/E1",), function=printed),)
