"""The bias of shrinking the entries of records to [-K, K], Algorithms 2 and 3."""

from __future__ import annotations

from typing import Any

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import for_all, rational, reals


def shrinkage_bias(constant: str = "1/4") -> Outcome:
    """|x~ z~ - x z| <= (x^4 + z^4)/(8 K^2), so |E(x~ z~ - x z)| <= M/(4 K^2) by Assumption 3.

    K = 1 and x, z >= 0 without loss; x = z = sqrt 2 attains it.
    """
    x, z = reals("x z")

    def shrunk(value: Any) -> Any:
        return z3.If(value > 1, 1, value)

    return for_all(
        x * z - shrunk(x) * shrunk(z) <= rational(constant) * (x**4 + z**4) / 2,
        *(x >= 0, z >= 0),
    )
