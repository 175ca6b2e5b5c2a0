"""The noise that Algorithms 5.1.33 and 5.1.34 print, which is too small for a large epsilon."""

from __future__ import annotations

import math

from reference.local.noisy_copies import require_degree


def printed_noise_scales(*, epsilon: float, delta: float, degree: int) -> tuple[float, float]:
    """Return s_0 and s with s_0^2 = 32 L/epsilon^2, s^2 = 8 L d^2 (d + 1)^2/epsilon^2.

    L = log(1.25/delta) (l.5024-5031). All messages together are mu-GDP with mu^2 =
    (epsilon^2/L)(1/4 + 1/(d(d + 1))).
    """
    unit = math.sqrt(math.log(1.25) - math.log(delta)) / epsilon
    slots = require_degree(degree) * (degree + 1)
    return math.sqrt(32) * unit, math.sqrt(8) * slots * unit
