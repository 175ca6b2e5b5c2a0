"""One p-value from several."""

from __future__ import annotations

import math
from collections.abc import Sequence


def fisher_product(product: float) -> float:
    """Return P(U V <= product) for independent uniform U and V (Fisher's combination)."""
    return 0.0 if product <= 0 else min(1.0, product * (1 - math.log(min(product, 1.0))))


def bonferroni(p_values: Sequence[float]) -> float:
    """Return the p-value of "all hypotheses hold": the smallest times their number, at most 1."""
    return min(1.0, len(p_values) * min(p_values)) if p_values else 1.0
