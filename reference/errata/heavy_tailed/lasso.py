"""What the sources of hu-2 (Algorithm 2) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        number=1,
        kind="sensitivity",
        origin="mathematical",
        statement="Algorithm 2: the scores have sensitivity 8 ||W||_1 K^2/n, ||W||_1 the "
        "diameter of an l1 ball of any radius R",
        truth="4 R (1 + R) K^2/n, which is more for R > 3",
        witness="w = R e_1, ((K, K), -K) replaced by ((K, -K), -K): 2.75 times at R = 10. "
        "T = 1, epsilon = 0.99, delta = 1e-5, k more records ((0, K), -K): delta(0.99) = "
        "1.5e-5 at R = 39 (k = 560), 0.0171 at R = 60 (k = 180), 0.412 at R = 200 (k = 80)",
        reproduced_by="audit:printed/sensitivity",
    ),
    Erratum(
        number=2,
        kind="accounting",
        origin="mathematical",
        statement="Theorem 4: (epsilon, delta)-DP for any delta < 1, with "
        "epsilon/(2 sqrt(2 T log(1/delta))) per selection",
        truth="for epsilon <= 48 log(1/delta), e.g. epsilon < 1 and delta <= 0.979 (R <= 3); "
        "the budget grows without bound as delta tends to 1",
        witness="d = n = T = 1, R = K = 1, epsilon = 0.99, records (1, 1) and (1, -1), w = 0: "
        "delta(0.99) = 1 - 3.6e-6 at delta = 1 - 1e-5",
        reproduced_by="audit:printed-2/accounting",
    ),
    Erratum(
        number=3,
        kind="misprint",
        origin="misprint",
        statement="Theorem 4: Algorithm 1 is (epsilon, delta)-DP",
        truth="Algorithm 2",
        witness="it stands after Algorithm 2, takes its delta, and Theorem 1 is about Algorithm 1",
        reproduced_by="proofs:003 Theorem 4",
    ),
)
