"""Section 5.2: the mixture of regressions."""

from __future__ import annotations

from functools import partial

from proofs_checks import em_regressions
from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import every, for_all, reals

statement = partial(any_statement, algorithms=("wang-2",))


@statement(
    "000 Lemma 5",
    lines="348-350",
    kind="optimisation",
    printed="SNR >= r large enough: self-consistent, gamma in (0, 1/4), mu = v = 1, R = k||beta*||, "
    "k = 1/32",
    added="the posterior weight instead of (7)'s, under which beta* is not self-consistent",
    refuses={"r = 2": {"smallest": 2.0}, "gamma < 1/5": {"largest": 0.2}},
)
def constants(smallest: float = 2.5, largest: float = 0.25) -> Outcome:
    """See :func:`proofs_checks.em_regressions.constants`; self-consistency is the corrected (7)."""
    return em_regressions.constants(smallest, largest)


@statement(
    "000 Lemma 6",
    lines="352-356",
    kind="concentration",
    printed="E(grad_j q(beta; beta))^2 <= O(max{(||beta*||^2 + sigma^2)^2, d ||beta*||^2})",
    checked="with the constant 7.2, the posterior weight and an SNR of at least 1",
    refuses={
        "6 by the same steps": {"constant": "6"},
        "(||beta*||^2 + sigma^2)^2 alone": {"squares_only": True},
    },
)
def second_moment(constant: str = "7.2", squares_only: bool = False) -> Outcome:
    """See :func:`proofs_checks.em_regressions.second_moments`; d is not needed."""
    return em_regressions.second_moments(constant, squares_only=squares_only)


@statement(
    "000 Remark 3",
    lines="368",
    kind="remark",
    printed="for ||beta*||, sigma = O(1), (28) is O~(d^(3/2)/sqrt(n eps)), sqrt(d) times (27)",
    checked="for ||beta*||, sigma <= 1 at most sqrt(2) d^(3/2); sqrt(d) times (27) within a factor "
    "sqrt(2) at ||beta*|| = sigma = 1, without logarithms",
    refuses={"d instead of d^(3/2)": {"root": 0}, "constant 1": {"constant": 1}},
)
def rate(root: int = 1, constant: int = 2) -> Outcome:
    """Squares of both sides over d^2; w = ||beta*||_inf^2."""
    n, s, d, w = reals("n s d w")
    moment = z3.If(n * n + s * s >= d * n * n, n * n + s * s, d * n * n)
    at_one = z3.If(d >= 2, d, 2)
    growth = d if root else 1
    return every(
        for_all(n * n * moment <= constant * growth, n > 0, s > 0, n <= 1, s <= 1, d >= 1),
        for_all(
            z3.And(2 * at_one >= growth * (w + 1), at_one <= constant * growth * (w + 1)),
            *(d >= 1, w * d >= 1, w <= 1),
        ),
    )
