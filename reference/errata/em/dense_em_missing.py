"""Errata in the sources of zhang-8 (Algorithm 8)."""

from __future__ import annotations

from typing import Any

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.errata.em.dense_em import printed as dense_em_with_printed_noise
from reference.errata.em.models import UnclippedMissingCovariates
from reference.privacy.ledger import Ledger


def printed(
    data: Any,
    *,
    standard_deviation: float,
    step_size: float = 1.0,
    ledger: Ledger | None = None,
    **parameters: Any,
) -> FloatArray:
    """No iterate is clipped, though the sensitivity needs it (step 4, l.690-697).

    With the classical Gaussian mechanism's noise (erratum zhang-4/E1).
    """
    model = UnclippedMissingCovariates(standard_deviation)
    found: FloatArray = dense_em_with_printed_noise(
        data, model, step_size=step_size, ledger=ledger, **parameters
    )
    return found


ERRATA = (
    Erratum(
        name="zhang-8/E1",
        severity="S2",
        kind="sensitivity",
        origin="mathematical",
        statement="the l2 sensitivity is 6T^2 sqrt(d) N0/n",
        truth="(1-z) beta is not truncated: a coordinate moves by up to 2T^2 + |beta_j|, and "
        "the bound fails once some |beta_j| > T^2 (6 sqrt(d) - 2); it holds if all |beta_j| "
        "<= 4T^2, to which the corrected form clips",
        witness="d = 2, T = 1, beta = (200, 1): x_1 missing against x = (5, -1000), y = 5 "
        "moves coordinate 1 by 202 > 6 sqrt(2)",
        reproduced_by="audit:printed/sensitivity",
        copy_of="zhang-6/E1",
    ),
)

FORMS = (PrintedForm("printed", errata=("zhang-8/E1",), function=printed),)
