"""Section 6.2.4: thresholding in the local model."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.balls import ball, log, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_6_1_local_pca import local_privacy_at_sensitivity_root_two
from proofs_checks.paper_004.section_6_2_3 import thresholding_rate
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import refuted

statement = partial(any_statement, algorithms=("diss-6.2.49",))

not_checkable(
    "004 Definition 6.2.1",
    lines="7987",
    kind="definition",
    printed="Q is (epsilon, delta)-LDP if P(Q(x) in E) <= e^epsilon P(Q(x') in E) + delta for all "
    "pairs x, x'",
    reason="it is Definition 2.2.1 with delta",
)
not_checkable(
    "004 (6.23)",
    lines="8000",
    kind="definition",
    printed="sigma^_ij = sigma~_ij if |sigma~_ij| > gamma sqrt(log(p)/n) + 4 sqrt(2 "
    "ln(1.25/delta)) sqrt(log p)/(sqrt(n) epsilon), 0 otherwise",
    reason="defines the estimate; i and j run to p, not to n as printed",
)


@statement(
    "004 Algorithm 6.2.49 (privacy)",
    lines="7991-8005",
    kind="privacy",
    printed="messages x x^T + symmetric N(0, 2 ln(1.25/delta)/epsilon^2) are (epsilon, delta)-LDP",
    false="the sensitivity is sqrt 2, not 1",
    special_case_of="004 Theorem 6.1.2 (privacy)",
    errata=("diss-6.2.49/E1",),
)
def local_messages() -> Outcome:
    """The messages of the records e_1 and e_2."""
    epsilon, delta = ball(1), ball("1e-8")
    mu = sqrt(ball(2)) * epsilon / sqrt(2 * log(ball("1.25") / delta))
    point = {"records": [[1.0, 0.0], [0.0, 1.0]], "epsilon": 1.0, "delta": 1e-8}
    return refuted(point, gaussian_delta(mu, epsilon), delta, "exact delta against delta")


@local_messages.corrected(
    "sqrt 2 times the noise, or its variance doubled on the diagonal, for epsilon <= 1",
    refuses={"sensitivity^2 1.9": {"squared": "1.9"}},
)
def local_messages_at_root_two(squared: str = "2") -> Outcome:
    """See Theorem 6.1.2 (privacy)."""
    return local_privacy_at_sensitivity_root_two(squared)


@statement(
    "004 Theorem 6.2.3",
    lines="8011-8015",
    kind="utility",
    printed="(6.24): E||Sigma^ - Sigma||_2^2 = O(s^2 log(p) log(1/delta)/(n epsilon^2)), and so in "
    "every l_w norm",
    checked="with ln(1.25/delta)",
    added="epsilon <= 1, ||x|| <= 1, s >= 1",
    refuses={"s for s^2": {"sparsity": 1}, "n^2 for n": {"power": 2}},
    unchecked={
        "l_w": "any norm from l_1 to l_infinity, by Corollary 6.2.1",
    },
)
def local_thresholding_error(
    rng: np.random.Generator, sparsity: int = 2, power: int = 1
) -> Outcome:
    """See :func:`proofs_checks.paper_004.section_6_2_3.thresholding_rate`, and Corollary 6.2.1."""
    return thresholding_rate(rng, sparsity, local=True, power=power)


local_thresholding_error.restated(
    "004 (6.24)", lines="8013", printed="O(s^2 log(p) log(1/delta)/(n epsilon^2))"
)
