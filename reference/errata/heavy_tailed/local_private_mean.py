"""What the sources of wang-ldp-mean (Theorem 3, mechanism (21)) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        number=1,
        kind="utility",
        origin="mathematical",
        statement="(41): the bias is O(tau/(s beta)); hence Theorem 3 with "
        "s = n^(1/4) sqrt(epsilon tau)/(log(1/zeta) log^(1/4)(1/delta))",
        truth="tau/(2s) (1 + 1/beta), as in (36): Theorem 3 is off by sqrt(log(1/zeta)); true "
        "with sqrt(log(1/zeta)) in s",
        witness="x = sk with probability tau/(sk)^2, else 0: bias over tau/(s beta) is 0.575, "
        "0.961, 1.41, 4.08 at zeta = 0.1, 1e-4, 1e-10, 1e-100",
        reproduced_by="audit:printed/scaling",
    ),
)
