"""Errata in the source of diss-6.2-NAIVE, (6.16) and (6.17)."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.matrices.perturbed_covariance import Constants, perturbed_covariance


def printed_constants(data: Any, *, epsilon: float, delta: float) -> Constants:
    """Noise sqrt(2 log(1.25/delta))/(n epsilon), for sensitivity 1/n ((6.16), l.7906-7912)."""
    n = len(data)
    return Constants(1 / n, printed_gaussian_scale(epsilon, delta, sensitivity=1 / n))


printed = with_constants(perturbed_covariance, printed_constants)

ERRATA = (
    Erratum(
        name="diss-6.2-NAIVE/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(6.17): ||Sigma~ - Sigma||_2 <= O(sqrt(p log(1/delta))/(n epsilon))",
        truth="that is the noise alone: the error of the sample, of order n^(-1/2), is dropped. "
        "Add O(sqrt(lambda_1 log(p)/n) + log(p)/n) for records in the unit ball",
        witness="x uniform on +-e_1, ..., +-e_10, epsilon=16, delta=1e-5: the error falls like "
        "n^(-1/2) from n=1000 to 64,000",
        reproduced_by="audit:printed/scaling",
    ),
    Erratum(
        name="diss-6.2-NAIVE/E2",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="(6.16) with N(0, 2 ln(1.25/delta)/(n epsilon)^2) on the upper triangle is "
        "(epsilon, delta)-DP for 0 < epsilon, delta <= 1",
        truth="the sensitivity is sqrt 2/n, not 1/n, see diss-6.1.46/E1",
        witness="e_1 replaced by e_2: delta(1) = 6.3e-7 at (1, 1e-8)",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-6.1.46/E1",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("diss-6.2-NAIVE/E1", "diss-6.2-NAIVE/E2"), function=printed),
)
