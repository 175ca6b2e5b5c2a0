"""Errata in the sources of wang-1 (Algorithm 1)."""

from __future__ import annotations

from typing import Any

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.em.clipped_gradient_em import Constants, clipped_gradient_em
from reference.errata.privacy.calibration import printed_composed_gaussian_scale


def printed_constants(
    data: Any,
    model: Any,
    *,
    epsilon: float,
    delta: float,
    clipping_threshold: float,
    n_iterations: int,
    constant: float = 1.0,
    **others: Any,
) -> Constants:
    """sigma^2 = c T log(1/delta)/(n^2 epsilon^2), "for some constant c" (l.193); here c = 1."""
    del model, others
    n = len(data)
    return Constants(
        sensitivity=2 * clipping_threshold / n,
        noise_scale=printed_composed_gaussian_scale(
            epsilon,
            delta,
            lipschitz=clipping_threshold,
            n=n,
            releases=n_iterations,
            constant=constant,
        ),
    )


printed = with_constants(clipped_gradient_em, printed_constants)

ERRATA = (
    Erratum(
        name="wang-1/E1",
        severity="S3",
        kind="accounting",
        origin="unclear",
        statement="sigma^2 = c T log(1/delta)/(n^2 epsilon^2), c never named",
        truth="replace-one sensitivity 2C/n needs c >= 4.84 at (1, 1e-5); "
        "c = 8(1 + epsilon/log(1/delta)) always suffices, c = 1 or 2 does not",
        witness="c = 1 at (1, 1e-5): exact epsilon 2.397; c = 2: 1.628",
        reproduced_by="audit:printed/accounting",
        elsewhere="Wang (2020), l.9552, has the same c, not named either",
    ),
    Erratum(
        name="wang-1/E2",
        severity="S2",
        kind="experiment",
        origin="unclear",
        statement="Algorithm 2 thoroughly outperforms Algorithm 1",
        truth="the order reverses with the scale of beta*, which is not printed",
        witness="mixture, SNR 3, n=4e4, d=5, T=10, (1, n^-1.1), C=1, medians of Algorithms 1 "
        "and 2: 0.004 and 0.047 at |beta*| = 1, 16 and 1.0 at |beta*| = 30",
        reproduced_by="proofs:000 Section 6, comparison",
        elsewhere="Wang (2020), l.9871, has the same words",
    ),
)

FORMS = (PrintedForm("printed", errata=("wang-1/E1",), function=printed),)
