"""Appendix B.8: proof of Theorem 5.5."""

from __future__ import annotations

import math

from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import identity, refuted, symbols


@statement(
    "002 Proof of Theorem 5.5",
    lines="932-936",
    kind="concentration",
    printed="xi = sqrt(d log n/n) fails with probability C'/log n per step, hence C/log n in all",
    false="fresh batches: over N0 = O(log n) steps the failures add up to a constant",
    algorithms=("zhang-4",),
    errata=("zhang-4/E2",),
)
def union_of_logs() -> Outcome:
    """N0 = log n fresh batches that fail independently with C'/log n each, C' = 1."""
    log_n = 100_000
    some = -math.expm1(log_n * math.log1p(-1 / log_n))
    return refuted(
        {"log n": log_n, "C'": 1}, some, 1000 / log_n, "some step fails, against C = 1000"
    )


@union_of_logs.corrected(
    "xi = sqrt(d/n) log n: C'/log^2 n per step, C/log n over all",
    refuses={
        "xi = sqrt(d log n/n)": {"power": 1},
        "xi = log n/sqrt(n)": {"dimension": 0},
        "xi = sqrt(d) log n/n": {"records": 2},
    },
)
def union_of_squares(power: int = 2, dimension: int = 1, records: int = 1) -> Outcome:
    """Markov with E||.||^2 = C' d/n over c log n steps; within the stated rate.

    Here xi^2 = d (log n)^2/n, energy = C' and C = c C'.
    """
    d, n, log_n, c, energy = symbols("d n log_n c energy")
    xi_square = d**dimension / n**records * log_n**power
    per_step = energy * d / n / xi_square
    return identity((c * log_n * per_step, c * energy / log_n))
