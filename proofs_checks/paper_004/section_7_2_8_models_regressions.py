"""Section 7.2.8: the gradient of the mixture of regressions is sub-exponential (Lemma 7.2.21)."""

from __future__ import annotations

from functools import partial

from proofs_checks.em import regressions as em_regressions
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin as any_twin

statement = partial(any_statement, algorithms=("diss-7.2.56",))
twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin(
    "004 (7.83), norm of v",
    of="000 (54), norm of v",
    lines="10084-10086",
    reason="a norm is homogeneous: sigma, as (7.83) itself uses",
)
twin(
    "004 Lemma 7.2.21",
    of="000 Lemma 20",
    lines="10106-10110",
    printed="(7.87): grad_j q(beta; beta) is C max{||beta*||^2 + sigma^2, 1, sqrt(d) "
    "||beta*||}-sub-exponential",
)


twin(
    "004 (7.87)",
    of="000 (58)",
    lines="10108",
    checked="with C = 45, the xi of Lemma 7.2.21 as checked, and more",
    special_case_of=("004 Lemma 7.2.21",),
)


@statement(
    "004 (7.88)",
    lines="10116",
    kind="identity",
    printed="grad_j - E grad_j = A + B - y x_j, A = 2w y x_j - E[2w y x_j], B = [x x^T beta - "
    "beta]_j",
    false="B has the wrong sign (and -y x_j is printed twice)",
    errata=("000 Lemma 20/E1",),
)
def decomposition() -> Outcome:
    """See :func:`proofs_checks.em.regressions.decomposition_refuted`."""
    return em_regressions.decomposition_refuted(own_term=True)


@decomposition.corrected(
    "grad_j - E grad_j = A - B - y x_j",
    refuses={"A + B - y x_j": {"sign": 1}},
    unchecked={
        "A, B": "the step has what (7.88) defines them to be",
    },
)
def right_decomposition(sign: int = -1) -> Outcome:
    return em_regressions.decomposition(sign)


twin(
    "004 (7.89)",
    of="000 (60)",
    lines="10120",
    printed="E exp(t|A|) <= E exp(t|2w y x_j|) for every t > 0",
    reason="Lemma 7.2.16 without its factor 2; false for t -> 0",
    special_case_of=("004 Lemma 7.2.16",),
)
twin(
    "004 (7.90)",
    of="000 (61)",
    lines="10124",
    printed="E exp(t|2w y x_j|) <= E exp(4t|eps y x_j|)",
    special_case_of=("004 Lemma 7.2.17",),
)
twin("004 (7.91)", of="000 (62)", lines="10128")
twin("004 (7.92)", of="000 (63)", lines="10132")
twin("004 (7.93)", of="000 (64)", lines="10136-10140")
