"""Section 7.2.2: EM, the Gaussian mixture and the definitions."""

from __future__ import annotations

from functools import partial

from proofs_checks.statement import not_checkable
from proofs_checks.statement import twin as any_twin

twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin("004 (7.41)", of="000 (1)", lines="9432")
twin("004 (7.42)", of="000 (2)", lines="9436", reason="a definition")
twin("004 (7.43)", of="000 (3)", lines="9440", reason="a definition")
twin("004 (7.44)", of="000 (4)", lines="9460", reason="a definition")
twin("004 (7.45)", of="000 (5)", lines="9464-9466")
twin("004 Definition 7.2.1", of="000 Definition 1", lines="9498", reason="a definition")

not_checkable(
    "004 Definition 7.2.2",
    lines="9500-9502",
    kind="definition",
    printed="Lipschitz-Gradient-2, (7.52)",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)
twin("004 Definition 7.2.3", of="000 Definition 3", lines="9508", reason="a definition")
twin("004 Definition 7.2.4", of="000 Definition 4", lines="9510", reason="a definition")
