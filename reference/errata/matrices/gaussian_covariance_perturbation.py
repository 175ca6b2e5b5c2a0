"""Errata in the sources of diss-6.3.51-G."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.matrices.gaussian_covariance_perturbation import gaussian_covariance_perturbation
from reference.matrices.local_gaussian_pca import Constants


def printed_constants(data: Any, *, epsilon: float, delta: float, penalty: float) -> Constants:
    """Noise sqrt(2 log(1.25/delta))/(n epsilon), for sensitivity 1/n (Theorem 6.3.7, l.8783)."""
    del penalty
    n = len(data)
    return Constants(1 / n, printed_gaussian_scale(epsilon, delta, sensitivity=1.0) / n)


printed = with_constants(gaussian_covariance_perturbation, printed_constants)

ERRATA = (
    Erratum(
        name="diss-6.3.51-G/E1",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 6.3.7: symmetric N(0, beta^2) on S, beta = sqrt(2 ln(1.25/delta))/(n "
        "epsilon), is (epsilon, delta)-DP for any epsilon > 0",
        truth="the sensitivity is sqrt 2/n, not 1/n, see diss-6.1.46/E1",
        witness="e_1 replaced by e_2: delta(1) = 3.74e-5 at (1, 1e-5)",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-6.1.46/E1",
    ),
    Erratum(
        name="diss-6.3.51-G/E2",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(6.97): the error is O(d sqrt(ln(1/delta)) max(..)/(e n)), with e n for "
        "epsilon n",
        truth="epsilon n, as the noise has it: as printed the bound is the same for every epsilon",
        witness="d = 4, n = 200, delta = 1e-5: the norm of the noise over the printed bound is "
        "1e5 times as large at epsilon = 1e-6 as at .1",
        reproduced_by="test:test_the_printed_bound_does_not_know_epsilon",
        elsewhere="n epsilon in Theorem 6.3.8, l.8820, in (6.94), l.8765, (6.95), l.8771, and in "
        "the noise of the theorem itself (l.8783)",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("diss-6.3.51-G/E1",), function=printed),
    PrintedForm("printed-epsilon-10", errata=("diss-6.3.51-G/E1",), function=printed),
)
