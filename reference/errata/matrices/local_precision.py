"""Errata in the sources of diss-6.3.53."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.matrices.local_gaussian_pca import Constants
from reference.matrices.local_precision import local_precision


def printed_constants(data: Any, *, epsilon: float, delta: float, penalty: float) -> Constants:
    """Noise sqrt(2 log(1.25/delta))/(n epsilon) on x x^T/n, as for 1/n (step 2, l.8831)."""
    del data, penalty
    # as everything here, n times the message of the box
    return Constants(1.0, printed_gaussian_scale(epsilon, delta, sensitivity=1.0))


printed = with_constants(local_precision, printed_constants)

ERRATA = (
    Erratum(
        name="diss-6.3.53/E1",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 6.3.8: messages x x^T/n + symmetric N(0, beta^2), beta = "
        "sqrt(2 ln(1.25/delta))/(n epsilon), are (epsilon, delta)-LDP for any epsilon > 0",
        truth="the sensitivity is sqrt 2/n, not 1/n, see diss-6.1.46/E1",
        witness="records e_1 and e_2: delta(2) = 1.2e-4 at (2, 1e-5)",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-6.1.46/E1",
    ),
    Erratum(
        name="diss-6.3.53/E2",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Theorem 6.3.8: Algorithm 4 is (epsilon, delta)-LDP",
        truth="Algorithm 6.3.53 is meant, which follows; no box has the number 4",
        witness="every algorithm of the dissertation has three numbers",
        reproduced_by="test:test_no_box_of_the_dissertation_has_a_single_number",
        elsewhere="Algorithm 6.3.53 in the line before the theorem (l.8814)",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("diss-6.3.53/E1",), function=printed),
    PrintedForm("printed-epsilon-10", errata=("diss-6.3.53/E1",), function=printed),
)
