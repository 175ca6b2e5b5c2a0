"""Appendix B.5: proof of Proposition 4.5."""

from __future__ import annotations

from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_3 import (
    COMMON,
    FLIPS,
    NOT_SPECIAL,
    SPECIAL,
    not_a_special_case,
    random_flips,
)
from proofs_checks.statement import statement


@statement(
    "002 Proof of Proposition 4.5",
    lines="861-863",
    kind="lower bound",
    printed=SPECIAL,
    false=NOT_SPECIAL,
    algorithms=("zhang-5",),
    errata=("zhang-u1/E2",),
)
def special_case() -> Outcome:
    """Given x = 1 the response has the laws of :func:`not_a_special_case`."""
    return not_a_special_case()


@special_case.corrected(FLIPS, refuses=COMMON)
def flips(common: bool = False) -> Outcome:
    """See :func:`random_flips`, with the fit <x, b> for b."""
    return random_flips(common)
