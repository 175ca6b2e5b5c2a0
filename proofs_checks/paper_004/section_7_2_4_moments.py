"""Section 7.2.4: the constants and second moments of two of the models."""

from __future__ import annotations

from functools import partial

from proofs_checks.statement import twin as any_twin

twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin(
    "004 Lemma 7.2.5",
    of="000 Lemma 5",
    lines="9700",
    added="",
    repair="the posterior weight instead of (7.47)'s, under which beta* is not self-consistent",
    errata=("model-mrm/E2",),
)
twin("004 Lemma 7.2.6", of="000 Lemma 6", lines="9702-9706")
twin("004 Lemma 7.2.7", of="000 Lemma 7", lines="9722-9726")
twin(
    "004 Lemma 7.2.8",
    of="000 Lemma 8",
    lines="9728-9730",
    printed="(7.67): E(grad_j q(beta; beta))^2 <= O((sqrt(d) ||beta*|| + sigma^2 + ||beta*||^2)^2)",
    reason="of order sigma^4 for a moment of order sigma^2: (7.94) drops a constant from a maximum",
)
twin(
    "004 (7.67)",
    of="000 (29)",
    lines="9730",
    reason="of order sigma^4 for a moment of order sigma^2: (7.94) drops a constant from a maximum",
    special_case_of=("004 Lemma 7.2.8",),
)
