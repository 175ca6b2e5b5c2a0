"""Errata in the sources of wang-mean (Theorem 2, mechanism (18))."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.heavy_tailed.private_mean import (
    Constants,
    constants_for,
    constants_for_lemma_1,
    private_mean,
)


def printed_noise(right: Constants, *, epsilon: float, delta: float) -> Constants:
    """Return the constants with Definition 7's noise, whatever epsilon is."""
    noise_scale = printed_gaussian_scale(epsilon, delta, sensitivity=right.sensitivity)
    return replace(right, noise_scale=noise_scale)


def printed_truncation(right: Constants, *, failure_probability: float) -> Constants:
    """Return the constants with s of Theorems 2 and 3: log(1/zeta) where its root is right."""
    factor = math.sqrt(-math.log(failure_probability))
    return replace(
        right,
        truncation_scale=right.truncation_scale / factor,
        sensitivity=right.sensitivity / factor,
    )


def printed_constants(data: Any, *, epsilon: float, delta: float, **parameters: Any) -> Constants:
    """Theorem 2's scale (l.255), and Definition 7's noise without a limit on epsilon (l.163)."""
    right = constants_for(n=np.size(data), epsilon=epsilon, delta=delta, **parameters)
    truncated = printed_truncation(right, failure_probability=parameters["failure_probability"])
    return printed_noise(truncated, epsilon=epsilon, delta=delta)


def printed_lemma_1_constants(
    data: Any, *, epsilon: float, delta: float, **parameters: Any
) -> Constants:
    """Lemma 1's rule with Definition 7's noise, without a limit on epsilon (l.163)."""
    right = constants_for_lemma_1(n=np.size(data), epsilon=epsilon, delta=delta, **parameters)
    return printed_noise(right, epsilon=epsilon, delta=delta)


printed = with_constants(private_mean, printed_constants)
printed_lemma_1 = with_constants(private_mean, printed_lemma_1_constants)

ERRATA = (
    Erratum(
        name="wang-mean/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(37)-(39): the bias of the truncated mean is O(tau/(s beta)); hence "
        "Theorem 2 with s = sqrt(n epsilon tau)/(log(1/zeta) log^(1/4)(1/delta))",
        truth="(36) gives tau/(2s) (1 + 1/beta): a factor beta is lost, and Theorem 2 is off "
        "by sqrt(log(1/zeta)); true with sqrt(log(1/zeta)) in s",
        witness="x = sk with probability tau/(sk)^2, else 0: bias over tau/(s beta) is 0.575, "
        "0.961, 1.41, 4.08 at zeta = 0.1, 1e-4, 1e-10, 1e-100",
        reproduced_by="audit:printed/scaling",
    ),
    Erratum(
        name="wang-mean/E3",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Definition 7: sigma >= sqrt(2 ln(1.25/delta)) Delta_2/epsilon is "
        "(epsilon, delta)-DP, with no upper limit on epsilon",
        truth="for 0 < epsilon <= 1; false for large epsilon",
        witness="epsilon = 8, delta = 1e-3: Delta_2/sigma = 2.1184, exact epsilon 8.179",
        reproduced_by="audit:printed-lemma-1/accounting",
        copy_of="diss-2.gaussian/E1",
    ),
    Erratum(
        name="wang-phi/E1",
        severity="S4",
        kind="implementation",
        origin="mathematical",
        statement="(17) with a = x/s and b = |x|/(s sqrt(beta)) evaluates (16)",
        truth="it is stated for b > 0 only: a record x = 0 has b = 0 and the limit psi(0) = 0",
        witness="x = 0: V = (sqrt 2 - 0)/0, and the correction is NaN",
        reproduced_by="proofs:000 (17), evaluated",
    ),
    Erratum(
        name="wang-phi/E2",
        severity="S2",
        kind="implementation",
        origin="mathematical",
        statement="C-hat(a, b) is a correction form which is easy to implement",
        truth="in doubles its cubes cancel to noise: the truncated value is then unbounded and "
        "the mechanism is not private",
        witness="beta = 2.3: 0.875 at a = 1e5, 64 at 1e6, -6.7e7 at 1e8, for 0.8208",
        reproduced_by="proofs:000 (17), evaluated",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "wang-mean/E2",
        "Theorem 2 says 1 - zeta and its proof ends at 1 - 4 zeta: zeta/4 for zeta costs a factor "
        "that "
        "the O() absorbs.",
    ),
)

FORMS = (
    PrintedForm(
        "printed",
        errata=(
            "wang-mean/E1",
            "wang-mean/E3",
        ),
        function=printed,
    ),
    PrintedForm("printed-lemma-1", errata=("wang-mean/E3",), function=printed_lemma_1),
)
