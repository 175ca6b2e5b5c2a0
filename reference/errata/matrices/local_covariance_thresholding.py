"""Errata in the source of diss-6.2.49 (Algorithm 6.2.49)."""

from __future__ import annotations

import math
from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.matrices.local_covariance_thresholding import local_covariance_thresholding
from reference.matrices.sparse_covariance import Constants, entry_threshold


def printed_constants(data: Any, *, epsilon: float, delta: float) -> Constants:
    """Noise sqrt(2 log(1.25/delta))/epsilon, for sensitivity 1 (step 2, l.7996-7998)."""
    n, p = data.shape
    scale = printed_gaussian_scale(epsilon, delta, sensitivity=1.0)
    threshold = entry_threshold(n=n, dimension=p, deviation=scale / math.sqrt(n))
    return Constants(1.0, scale, threshold)


printed = with_constants(local_covariance_thresholding, printed_constants)

ERRATA = (
    Erratum(
        name="diss-6.2.49/E1",
        severity="S2",
        kind="privacy",
        origin="mathematical",
        statement="noise sqrt(2 ln(1.25/delta))/epsilon on the upper triangle of x x^T makes a "
        "message (epsilon, delta)-LDP",
        truth="the sensitivity is sqrt 2, not 1, see diss-6.1.46/E1",
        witness="records e_1 and e_2: delta(1) = 6.3e-7 at (1, 1e-8), 3.74e-5 at (1, 1e-5)",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-6.1.46/E1",
    ),
    Erratum(
        name="diss-6.2.49/E2",
        severity="S2",
        kind="experiment",
        origin="mathematical",
        statement="section 6.2.6: the relative errors of LDP-Thresholding at epsilon=1, delta=1/n "
        "support the analysis",
        truth="for n <= 10^4 the output is the zero matrix but for a chance entry: the threshold "
        "exceeds the diagonal, .25, whatever gamma",
        witness="gamma=0, n=10^4: T = .34 to .43 for p = 50 to 500 against .25",
        reproduced_by="proofs:004 Section 6.2.6, LDP-Thresholding",
    ),
    Erratum(
        name="diss-6.2.49/E3",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="(6.23): the thresholded estimate is (sigma^_ij), 1 <= i, j <= n",
        truth="1 <= i, j <= p",
        witness="n = 3, p = 5: 9 of 25 entries",
        reproduced_by="test:test_the_estimate_has_p_rows_and_not_n",
        copy_of="diss-6.2.48/E8",
        elsewhere="p in the same box (l.8000); n again in (6.19), l.7947",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-6.2.49/E1",), function=printed),)
