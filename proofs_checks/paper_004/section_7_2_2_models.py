"""Section 7.2.2: the gradients of the mixture of regressions and of missing covariates."""

from __future__ import annotations

from functools import partial

from proofs_checks.statement import twin as any_twin

twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin("004 (7.46)", of="000 (6)", lines="9468-9472")
twin("004 (7.47)", of="000 (7)", lines="9474-9476")
twin("004 (7.48)", of="000 (8)", lines="9478-9482")
twin(
    "004 (7.49)",
    of="000 (9)",
    lines="9484",
    printed="grad q(beta; beta) = y m_beta - K_beta beta with the K_beta of (7.51)",
)
twin("004 (7.50)", of="000 (10)", lines="9488")
twin("004 (7.51)", of="000 (11)", lines="9492")
twin("004 (7.52)", of="000 (12)", lines="9502")
