"""Appendix C.2: proof of Lemma 3.3."""

from __future__ import annotations

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import every, for_all, identity, rational, reals, symbols


@statement(
    "002 (33)",
    lines="959-960",
    kind="sensitivity",
    printed="||f_T - f_T'||_inf <= 2T N0/n if ||h_T||_inf <= T",
    refuses={
        "1.9T N0/n": {"factor": "1.9"},
        "2T/n": {"power": 0},
        "T N0/n": {"factor": "1"},
    },
    algorithms=("zhang-2", "zhang-3", "zhang-5", "zhang-6"),
)
def batch_mean_sensitivity(factor: str = "2", power: int = 1) -> Outcome:
    """One coordinate of the mean of n/N0 records, one of which contributes h and then g."""
    others, before, after, steps, n = symbols("others h g N0 n", real=True)
    h, g, t, n0 = reals("h g T N0")
    change, bound = n0 * (h - g), rational(factor) * t * n0**power
    means = [(others + term) * steps / n for term in (before, after)]
    return every(
        identity((means[0] - means[1], steps / n * (before - after))),
        for_all(
            z3.And(change <= bound, -change <= bound),
            *(n0 >= 1, h <= t, -h <= t, g <= t, -g <= t),
        ),
    )
