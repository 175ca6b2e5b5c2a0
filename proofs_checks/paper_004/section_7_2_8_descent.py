"""Section 7.2.8: the privacy lemmas and the recursion of Theorem 7.2.3."""

from __future__ import annotations

from functools import partial

from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin as any_twin
from proofs_checks.vocabulary import identity, symbols

statement = partial(any_statement, algorithms=("diss-7.2.56",))
twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin("004 Lemma 7.2.18", of="000 Lemma 17", lines="9968")
twin("004 Lemma 7.2.19", of="000 Lemma 18", lines="9974")
twin("004 (7.71)", of="000 (42)", lines="9980-9984")
twin("004 (7.72)", of="000 (43)", lines="9986-9988", special_case_of=("004 (7.71)",))
twin("004 (7.73)", of="000 (44)", lines="9992", reason="Definition 7.2.1 once more")
twin("004 (7.74)", of="000 (45)", lines="9996")
twin("004 (7.75)", of="000 (46)", lines="10000")


@statement(
    "004 (7.76)",
    lines="10006",
    kind="identity",
    printed="|g - grad Q|^2 = sum_j (g_j - grad_j Q)^2, g the noisy mean",
    checked="= sum_j (g~_j + Z_j - grad_j Q)^2, g~ the robust mean",
    refuses={"Z_j/2": {"half": 2}},
    unchecked={
        "Q": "exact in the step is grad_j Q",
    },
)
def noise(half: int = 1) -> Outcome:
    """g = g~ + Z."""
    robust, noise, exact = symbols("robust Z exact")
    g = robust + noise
    return identity(((g - exact) ** 2, (robust + noise / half - exact) ** 2))


twin("004 (7.77)", of="000 (48)", lines="10008")
twin(
    "004 Theorem 7.2.3, proof (Gaussian tail)",
    of="000 Theorem 5, proof (Gaussian tail)",
    lines="10010-10012",
)
twin(
    "004 (7.79)",
    of="000 (50)",
    lines="10026",
    printed="|beta^t - beta*| <= iota |beta^(t-1) - beta*| + eta times the bound of (7.78)",
    added="(7.78) holds in the step",
)
twin(
    "004 (7.79), induction",
    of="000 (50), induction",
    lines="10028-10046",
    printed="given (7.78) in every step, |beta^t - beta*| <= R/2 for all t and the error is at "
    "most iota^T R/2 + noise/(1 - iota)",
)
twin(
    "004 Theorem 7.2.3, proof (tilde-epsilon)",
    of="000 Theorem 5, proof (tilde-epsilon)",
    lines="10048",
    errata=("diss-7.2.56/E5",),
)
