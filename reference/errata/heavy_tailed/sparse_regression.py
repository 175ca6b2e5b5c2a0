"""What the sources of hu-3 (Algorithm 3) print that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        number=1,
        kind="sensitivity",
        origin="misprint",
        statement="Algorithm 3, step 6: Peeling gets the scale 2 K^2 eta_0 (sqrt(s+1))/m",
        truth="the sensitivity of w^{t+.5} is 2 K^2 eta_0 (sqrt(s) + 1)/m, attained; the "
        "whole is (epsilon, delta)-DP with the printed scale all the same for delta <= 0.09",
        witness="w = 1/sqrt(s) on s coordinates; x = K everywhere, y = -K against the same "
        "but for the sign of the last coordinate: attained over printed 1.4142 (s=1), 1.3416 "
        "(4), 1.2649 (9), 1.2127 (16)",
        reproduced_by="audit:printed/sensitivity",
    ),
)
