"""Appendix C.2: proof of Lemma 3.3."""

from __future__ import annotations

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.section_3_2 import FRAMEWORK
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols


@statement(
    "002 (33)",
    lines="957-960",
    kind="sensitivity",
    printed="||f_T - f_T'||_inf <= 2T N0/n if ||h_T||_inf <= T",
    unchecked={
        "f_T": "the mean of the truncated gradients; the steps have the change of one record",
        "f_T'": "the mean on a neighbour; the steps have the change of one record",
    },
    refuses={"1.9T N0/n": {"factor": "1.9"}, "2T/n": {"batches": 0}},
    algorithms=FRAMEWORK,
)
def generic_sensitivity(factor: str = "2", batches: int = 1) -> Outcome:
    """One coordinate of one record changes by at most 2T [step "record", h = h_T there].

    It enters the mean of n0 = n/N0 records [step "mean"].
    """
    h, changed, t = reals("h changed T")
    n, steps, size = symbols("n N0 T")
    most = rational(factor) * t
    return derived(
        record=for_all(
            z3.And(h - changed <= most, changed - h <= most),
            *(t > 0, h >= -t, h <= t, changed >= -t, changed <= t),
        ),
        mean=identity((2 * size / (n / steps), 2 * size * steps**batches / n)),
    )
