"""Errata in the sources of diss-3.3.14 (Algorithm 3.3.14)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm

ERRATA = (
    Erratum(
        name="diss-3.3.14/E1",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="(3.118): excess risk O~(sqrt(d) G^2 ||C||_2/(alpha n epsilon)) plus Rademacher "
        "terms",
        truth="and G L^2 ||C||_2/(alpha^2 n), of the T_1 random points in the average; the factor "
        "||C||_2 of the noise, which its bound does not have, needs ||C||_2 >= 1",
        witness="T_1 = n/2: half of the average is random, the excess does not fall with n",
        reproduced_by="proofs:004 (3.118)",
    ),
    Erratum(
        name="diss-3.3.14/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="l.2623: ||sigma||_2 <= sigma_0 sqrt(d log(1/zeta)) with probability 1 - zeta",
        truth="sigma_0 (sqrt(d) + sqrt(2 log(1/zeta)))",
        witness="d = 100, zeta = 0.5: exceeded with probability 0.992",
        reproduced_by="proofs:004 l.2623 (norm of the noise)",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
