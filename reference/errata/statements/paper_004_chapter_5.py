"""What Wang (2020), chapter 5, prints that does not hold, of algorithms not in the catalogue."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-5.1.32/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 5.1.4: the one-bit Algorithm 5.1.32 is epsilon-LDP for epsilon <= ln 2",
        truth="the loss is -ln(2 - e^epsilon), above epsilon for every epsilon > 0 and infinite at "
        "ln 2: a bit that is 0 rules out v = 1. With epsilon_0 = ln(2 - e^-epsilon) for epsilon, "
        "in the public noise and in the bit, it is epsilon-LDP",
        witness="epsilon=.5, public y=1: P(b = 0) is .5 at v=0 and .1756 at v=1, a loss of 1.046",
        reproduced_by="proofs:004 Theorem 5.1.4 (privacy)",
    ),
)
