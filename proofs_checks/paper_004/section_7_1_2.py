"""Section 7.1.2: privacy of one attribute."""

from __future__ import annotations

from proofs_checks.statement import not_checkable

not_checkable(
    "004 Definition 7.1.1",
    lines="8979-8983",
    kind="definition",
    printed="epsilon-LADP: P(A(x) in S) <= e^epsilon P(A(x') in S) for x, x' that differ in one "
    "coordinate",
    reason="a definition",
    algorithms=("diss-7.1.54",),
)
