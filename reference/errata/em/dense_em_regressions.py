"""Errata in the sources of zhang-7 (Algorithm 7)."""

from __future__ import annotations

from typing import Any

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.errata.em.dense_em import printed as dense_em_with_printed_noise
from reference.errata.em.models import PrintedDoubledRegressions
from reference.privacy.ledger import Ledger


def printed(
    data: Any,
    *,
    standard_deviation: float,
    step_size: float = 1.0,
    ledger: Ledger | None = None,
    **parameters: Any,
) -> FloatArray:
    """Gradient 2w y x - <x, beta> x, and a weight whose exponent lacks a factor 2 (l.298-306).

    With the classical Gaussian mechanism's noise (erratum zhang-4/E1).
    """
    model = PrintedDoubledRegressions(standard_deviation)
    found: FloatArray = dense_em_with_printed_noise(
        data, model, step_size=step_size, ledger=ledger, **parameters
    )
    return found


ERRATA = (
    Erratum(
        name="zhang-7/E1",
        severity="S1",
        kind="utility",
        origin="mathematical",
        statement="Algorithm 7 and Theorem A.3: the weight, the gradient and the rate of "
        "Algorithm 5",
        truth="the weight lacks a factor 2, so the error does not fall below a floor; 2w "
        "stands for 2w - 1; log^(3/2) n for log^2 n (errata zhang-5/E1 to E3)",
        witness="fixed point .9646 beta* at SNR 2",
        reproduced_by="audit:printed/scaling",
        copy_of="model-mrm/E2",
    ),
)

FORMS = (PrintedForm("printed", errata=("zhang-7/E1",), function=printed),)
