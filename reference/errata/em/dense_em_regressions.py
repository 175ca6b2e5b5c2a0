"""What the sources of zhang-7 (Algorithm 7) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        number=1,
        kind="utility",
        origin="mathematical",
        statement="Algorithm 7 and Theorem A.3: the weight, the gradient and the rate of "
        "Algorithm 5",
        truth="the weight lacks a factor 2, so the error does not fall below a floor; 2w "
        "stands for 2w - 1; log^(3/2) n for log^2 n (errata zhang-5/1 to 3)",
        witness="fixed point .9646 beta* at SNR 2",
        reproduced_by="audit:printed/scaling",
    ),
)
