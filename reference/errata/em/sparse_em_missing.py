"""Errata in the sources of zhang-6 (Algorithm 6)."""

from __future__ import annotations

from typing import Any

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.errata.em.models import UnclippedMissingCovariates
from reference.errata.em.sparse_em import sparse_em_with_printed_noise
from reference.privacy.ledger import Ledger


def printed(
    data: Any,
    *,
    standard_deviation: float,
    step_size: float = 1.0,
    ledger: Ledger | None = None,
    **parameters: Any,
) -> FloatArray:
    """No iterate is clipped, though the sensitivity (28) needs it (step 5, l.604-611).

    With the noise of Lemma 3.1 (erratum zhang-1/E1).
    """
    model = UnclippedMissingCovariates(standard_deviation)
    found: FloatArray = sparse_em_with_printed_noise(
        data, model, step_size=step_size, ledger=ledger, **parameters
    )
    return found


ERRATA = (
    Erratum(
        name="zhang-6/E1",
        severity="S2",
        kind="sensitivity",
        origin="mathematical",
        statement="(28): replacing a record moves f_T by at most 6T^2 N0/n",
        truth="max(4T^2, 5T^2 - |beta_j|, 2T^2 + |beta_j|) N0/n, which is larger once "
        "|beta_j| > 4T^2: (1-z) beta is not truncated and beta is never projected",
        witness="T = 1, sigma^2 = .5, beta = (8, 1): (x, y) = ((5, -1000), 5) against x_1 "
        "missing, x_2 = 0, y = 0: 10 > 6; at (1, .01), s-hat = 2, beta = (200, 1, 0): delta(1) "
        ">= .667 by the released value alone",
        reproduced_by="audit:printed/sensitivity",
    ),
    Erratum(
        name="zhang-6/E2",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="K_beta is the conditional second moment of X",
        truth="where both coordinates are missing it lacks -beta beta^T/(sigma^2 + "
        "||beta_missing||^2) + m m^T; the missing coordinates of the gradient are 1 + "
        "||beta_missing||^2/sigma^2 times those of EM; beta* remains the population zero",
        witness="ratio 5.5667 in one record",
        reproduced_by="proofs:002 Section 4.3, K_beta",
        copy_of="model-rmc/E1",
    ),
)

FORMS = (PrintedForm("printed", errata=("zhang-6/E1",), function=printed),)
