"""Appendix A.3: simulations of the mixture of regressions."""

from __future__ import annotations

from proofs_checks.paper_002.section_6 import NOT_STATED
from proofs_checks.statement import not_checkable

not_checkable(
    "002 Figure 4",
    lines="637-654",
    kind="experiment",
    printed="Appendix A.3: errors of Algorithm 5 against n, s* and epsilon",
    reason=NOT_STATED,
    algorithms=("zhang-5",),
)
