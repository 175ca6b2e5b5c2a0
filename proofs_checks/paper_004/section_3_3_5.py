"""Section 3.3.5: the experiments on pairwise learning."""

from __future__ import annotations

import math
from fractions import Fraction

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import for_all, rational, reals, refuted

not_checkable(
    "004 Table 3.4",
    lines="2356-2366",
    kind="experiment",
    algorithms=("diss-3.3.9", "diss-3.3.10", "diss-3.3.14", "diss-3.3.15"),
    printed="sizes and dimensions of the six data sets",
    reason="the data sets as the author prepared them are not available",
)


@statement(
    "004 l.2377 (strongly convex experiments)",
    lines="2377-2379",
    kind="experiment",
    algorithms=("diss-3.3.9",),
    printed="OnPairStrC with lambda = 10^-3 on n = 40 to 90 records: the objective falls with n "
    "(Figure 3.9)",
    false="T_1 = ceil(16 L^2/alpha^2) is far above n: every output would be a random point",
    errata=("diss-3.3.9/E2",),
)
def first_phase_of_experiment() -> Outcome:
    """AUC on features of norm at most 1: L = 4 + lambda."""
    strength, n = Fraction(1, 1000), 90
    phase = math.ceil(16 * ((4 + strength) / strength) ** 2)
    point = {"lambda": float(strength), "L": float(4 + strength), "n": n}
    return refuted(point, phase, n, "T_1 against n")


@first_phase_of_experiment.corrected(
    "T_1 < 90 only if L <= 2.38 10^-3 (for AUC: features with |x - x'|^2 <= 1.38 10^-3)",
    refuses={"L <= 2.3 10^-3": {"largest": "2.3"}, "|x - x'|^2 <= 10^-3": {"scale": "1"}},
    unchecked={"T_1": "at least 16 L^2/alpha^2, which the step has"},
)
def smoothness_needed(largest: str = "2.38", scale: str = "1.38") -> Outcome:
    """16 L^2 < 90 alpha^2 with alpha = 10^-3; L = |x - x'|^2 + alpha for Y = +-2, phi'' <= 1/4."""
    smooth, square = reals("L square")
    alpha = rational("1/1000")
    return for_all(
        z3.And(smooth <= rational(largest) * alpha, square <= rational(scale) * alpha),
        *(square >= 0, smooth == square + alpha, 16 * smooth * smooth < 90 * alpha * alpha),
    )
