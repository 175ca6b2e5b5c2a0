"""Section 7.2.8: the proof of Lemma 7.2.4, the mixture's centred gradient."""

from __future__ import annotations

from functools import partial

from proofs_checks.statement import twin as any_twin

twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin(
    "004 Lemma 7.2.20",
    of="000 Lemma 19",
    lines="10054-10100",
    printed="nabla_j q(beta; beta) is C_1 sqrt(|beta*|_inf^2 + sigma^2)-sub-exponential (7.80)",
)
twin(
    "004 (7.81)",
    of="000 (52)",
    lines="10074",
    reason="Lemma 7.2.16 without its factor 2",
    special_case_of=("004 Lemma 7.2.16",),
)
twin("004 (7.80)", of="000 (51)", lines="10056")
twin("004 (7.82)", of="000 (53)", lines="10080", special_case_of=("004 Lemma 7.2.17",))
twin("004 (7.83)", of="000 (54)", lines="10084")
twin(
    "004 (7.84)",
    of="000 (55)",
    lines="10090",
    printed="E exp(u eps y_j) <= exp(u^2 C (|beta|_j^2 + sigma^2))",
    checked="the same with C = 1/2",
    misprint="beta for beta*",
)
twin(
    "004 (7.85)",
    of="000 (56)",
    lines="10094",
    printed="E exp(2t|eps y_j|) <= 2 exp(t^2 C (|beta|_j^2 + sigma^2))",
    checked="the same with C = 2",
    misprint="beta for beta*",
)
twin(
    "004 (7.86)",
    of="000 (57)",
    lines="10098",
    reason="impossible as t -> 0 with the absolute value: the factor 2 of (7.85) is dropped",
)
