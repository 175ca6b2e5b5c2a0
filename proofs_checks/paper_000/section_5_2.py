"""Section 5.2: the mixture of regressions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from proofs_checks.em import rates as em_rates
from proofs_checks.em import regressions as em_regressions
from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, every, for_all, reals, refuted

statement = partial(any_statement, algorithms=("wang-2",))

_IN_BALL = "a condition on the path; the steps have the contraction in B as a premise"

_ADDITIVE = (
    "iota^T ||beta^0 - beta*|| + O(d L^(1/4) log(dT/zeta) sqrt(tau T/(n eps))) with tau = O(max{"
    "(||beta*||^2 + sigma^2)^2, d ||beta*||^2}), while the iterates stay in B; 11 "
    "eta/(1 - iota) for zeta <= 1/2, delta <= 1/e, eps <= 1"
)
_REFUSED: dict[str, dict[str, Any]] = {
    "times ||beta*||": {"norm_power": 2},
    "sqrt(d)": {"d_power": 0.5},
    "eps^(-1/4)": {"epsilon_power": 0.25},
    "n^-.6": {"n_power": 0.6},
    "L^(1/8)": {"delta_power": 0.125},
    "sqrt(log(dT/zeta))": {"zeta_power": 0.5},
    "(||beta*||^2 + sigma^2)^2 alone in tau": {"squares_only": True},
    "0.9 eta": {"eta": "0.9"},
}


def _additive_bound(squares_only: bool, **powers: Any) -> Outcome:
    return derived(
        bound=em_rates.additive_bound(**powers),
        tau=em_regressions.second_moments(squares_only=squares_only),
    )


@statement(
    "000 Lemma 5",
    lines="348-350",
    kind="optimisation",
    printed="SNR >= r large enough: self-consistent, gamma in (0, 1/4), mu = v = 1, "
    "R = k||beta*||, k = 1/32",
    repair="the posterior weight instead of (7)'s, under which beta* is not self-consistent",
    refuses={"r = 2": {"smallest": 2.0}, "gamma < 1/5": {"largest": 0.2}},
    errata=("model-mrm/E2",),
    unchecked={
        "r": "no value is claimed; the search has SNR 2.5 and 8",
        "4": "the search compares gamma with 0.25",
        "mu, v": "both 1: the step has the second derivative of q, -x_j^2, and E x_j^2 = 1",
        "R, k, 32": "the search goes as far as ||beta*||/32 from beta*",
    },
)
def constants(smallest: float = 2.5, largest: float = 0.25) -> Outcome:
    """See :func:`proofs_checks.em.regressions.constants`; self-consistency is the corrected (7)."""
    return em_regressions.constants(smallest, largest)


@statement(
    "000 Lemma 6",
    lines="352-356",
    kind="concentration",
    printed="E(grad_j q(beta; beta))^2 <= O(max{(||beta*||^2 + sigma^2)^2, d ||beta*||^2})",
    checked="with the constant 7.2, either weight and an SNR of at least 1",
    refuses={
        "6 by the same steps": {"constant": "6"},
        "(||beta*||^2 + sigma^2)^2 alone": {"squares_only": True},
    },
    unchecked={
        "q": "entry j of its gradient is F x_j; the steps have F^2 and E x_j^4",
    },
)
def second_moment(constant: str = "7.2", squares_only: bool = False) -> Outcome:
    """See :func:`proofs_checks.em.regressions.second_moments`; d is not needed."""
    return em_regressions.second_moments(constant, squares_only=squares_only)


@statement(
    "000 Theorem 7",
    lines="358-364",
    kind="utility",
    printed="(28): ||beta^T - beta*|| <= O~(d ||beta*|| sqrt(L Lambda) sqrt(max{||beta*||^2 + "
    "sigma^2, d ||beta*||^2})/sqrt(n eps)) w.p. 1 - zeta",
    false="the factor ||beta*|| of (25) makes it the square of a length; and ||beta*||^2 + sigma^2 "
    "has lost its square, which Lemma 6 and the condition on n have",
    errata=("000 Theorem 7/E1", "wang-2/E3"),
)
def error_bound(rng: np.random.Generator) -> Outcome:
    """See :func:`proofs_checks.em.rates.scale_refuted`, with tau = 7.2 d ||beta*||^2."""
    return em_rates.scale_refuted(rng, em_rates.REGRESSIONS, "split")


@error_bound.corrected(
    _ADDITIVE,
    refuses=_REFUSED,
    unchecked={
        "B": _IN_BALL,
    },
)
def additive_bound(squares_only: bool = False, **powers: Any) -> Outcome:
    """See :func:`proofs_checks.em.rates.additive_bound`; tau is that of Lemma 6.

    There n = ||beta*||, s = sigma.
    """
    return _additive_bound(squares_only, **powers)


@statement(
    "000 (28)",
    lines="364",
    kind="utility",
    printed="||beta^T - beta*|| <= O~(d ||beta*|| sqrt(L Lambda) sqrt(max{||beta*||^2 + sigma^2, d "
    "||beta*||^2})/sqrt(n eps)), which is (25) with the tau of Lemma 6",
    false="||beta*||^2 + sigma^2 has lost its square, which Lemma 6 and the theorem's condition on "
    "n have",
    special_case_of="000 Theorem 7",
    errata=("000 Theorem 7/E1", "wang-2/E3"),
)
def lost_square() -> Outcome:
    """R sqrt(tau), R = ||beta*||/32, in (25) and in (28), without what they share."""
    norm = Fraction(10**6)
    point = {"||beta*||": float(norm), "sigma": float(norm), "d": 1}
    squared = (2 * norm**2) ** 2 * (norm / 32) ** 2
    printed = 2 * norm**2 * norm**2
    return refuted(
        point, squared, 10**6 * printed, "square of (25), against 1e6 times that of (28)"
    )


@lost_square.corrected(
    _ADDITIVE,
    refuses=_REFUSED,
    unchecked={
        "B": _IN_BALL,
    },
)
def with_the_square(squares_only: bool = False, **powers: Any) -> Outcome:
    """See Theorem 7 and :func:`proofs_checks.em.rates.additive_bound`.

    In tau n = ||beta*||, s = sigma.
    """
    return _additive_bound(squares_only, **powers)


@statement(
    "000 Remark 3",
    lines="368",
    kind="remark",
    printed="for ||beta*||, sigma = O(1), (28) is O~(d^(3/2)/sqrt(n eps)), sqrt(d) times (27)",
    checked="for ||beta*||, sigma <= 1 at most sqrt(2) d^(3/2); sqrt(d) times (27) within a factor "
    "sqrt(2) at ||beta*|| = sigma = 1, without logarithms",
    refuses={"d instead of d^(3/2)": {"root": 0}, "constant 1": {"constant": 1}},
    unchecked={
        "3": "d^(3/2): in the squares over d^2/(n eps) it is d",
        "eps": "n eps is on both sides: the steps are without it",
    },
)
def rate(root: int = 1, constant: int = 2) -> Outcome:
    """Squares of both sides over d^2/(n eps); w = ||beta*||_inf^2.

    In the steps n = ||beta*||, s = sigma.
    """
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
