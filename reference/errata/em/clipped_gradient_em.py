"""What the sources of wang-1 (Algorithm 1) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        number=1,
        kind="accounting",
        origin="unclear",
        statement="sigma^2 = c T log(1/delta)/(n^2 epsilon^2), c never named",
        truth="replace-one sensitivity 2C/n needs c >= 4.84 at (1, 1e-5); "
        "c = 8(1 + epsilon/log(1/delta)) always suffices, c = 1 or 2 does not",
        witness="c = 1 at (1, 1e-5): exact epsilon 2.397; c = 2: 1.628",
        reproduced_by="audit:printed/accounting",
    ),
    Erratum(
        number=2,
        kind="experiment",
        origin="unclear",
        statement="Algorithm 2 thoroughly outperforms Algorithm 1",
        truth="the order reverses with the scale of beta*, which is not printed",
        witness="mixture, SNR 3, n=4e4, d=5, T=10, (1, n^-1.1), C=1, medians of Algorithms 1 "
        "and 2: 0.004 and 0.047 at |beta*| = 1, 16 and 1.0 at |beta*| = 30",
        reproduced_by="proofs:000 Section 6, comparison",
    ),
)
