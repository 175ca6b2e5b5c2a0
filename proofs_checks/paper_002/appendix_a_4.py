"""Appendix A.4: the regressions in low dimension."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from proofs_checks.outcome import Outcome
from proofs_checks.paper_002.appendix_b_6 import LIMIT, untruncated_pair
from proofs_checks.paper_002.facts import squares_add_up, symmetric_in_sign
from proofs_checks.paper_002.section_4_1 import (
    ANY_ESTIMATOR,
    INFINITE_RISK,
    LOCAL,
    LOCAL_REFUSES,
    NOT_OPTIMAL,
    OF_THE_BOUND,
    REMARK,
    VACUOUS,
    local_two_points,
    not_optimal,
)
from proofs_checks.paper_002.section_4_2 import (
    DENSE_REFUSES,
    WHY_HALF,
    full_power,
    lost_half_power,
)
from proofs_checks.paper_002.sensitivity import missing_change, of_mean, regression_size
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import derived, refuted, searched
from reference.errata.em.models import DoubledRegressions

DENSE_RATE = (
    "privacy term d sqrt(log(1/delta)) (log n)^2/(n epsilon); the other term is not checked here"
)


@statement(
    "002 Algorithm 7",
    lines="664-673",
    kind="sensitivity",
    printed="the noise is calibrated to the l2-sensitivity 4T^2 sqrt(d) N0/n",
    refuses={
        "3.9T^2 sqrt(d) N0/n": {"factor": 1.95},
        "4T^2 N0/n": {"power": 0},
        "4T sqrt(d) N0/n": {"square": 1},
        "4T^2 sqrt(d)/n": {"batches": 0},
    },
    algorithms=("zhang-7",),
)
def regression_l2(
    factor: float = 2.0, power: int = 1, square: int = 2, batches: int = 1
) -> Outcome:
    """(25) in every coordinate [steps "coordinate", "mean"], d of them [step "norm"].

    Nearly attained by the code [step "pair"].

    beta = (1, -1, 0, 0), x near +-(T, ..., T), y = 1e9.
    """
    d, t = 4, 2.0
    x = np.full((2, d), t)
    x[0, 0] += 1e-3
    x[1] = -x[1]
    x[1, 1] -= 1e-3
    pair = np.column_stack([x, np.full(2, 1e9)])
    beta = np.array([1.0, -1.0, 0.0, 0.0])
    g = DoubledRegressions(0.5).truncated_gradients(pair, beta, t)
    change = float(np.linalg.norm(g[0] - g[1])) / (t**2 * d**0.5)
    return derived(
        coordinate=regression_size(str(factor)),
        mean=of_mean(4, square, batches),
        norm=squares_add_up(power=power),
        pair=searched(change, 2 * factor, tried=1, what="change of the code over T^2 sqrt(d)"),
    )


@statement(
    "002 Theorem A.3",
    lines="675-679",
    kind="utility",
    printed="MRM: error <= C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) + eta/(1-kappa) "
    "sqrt(d/n) (log n)^{3/2}",
    false=f"{WHY_HALF}; proof omitted",
    algorithms=("zhang-7",),
    errata=("zhang-5/E3",),
)
def regression_rate() -> Outcome:
    """See :func:`lost_half_power`."""
    return lost_half_power(4, sparse=False)


@regression_rate.corrected(DENSE_RATE, refuses=DENSE_REFUSES)
def regression_full_power(powers: Mapping[str, str] | None = None) -> Outcome:
    """See :func:`full_power`."""
    return full_power(4, powers, sparse=False)


@statement(
    "002 Theorem A.4",
    lines="680-684",
    kind="lower bound",
    printed="MRM: inf_M sup_b E||M-b|| >= c (sqrt(d/n) + d/(n epsilon))",
    checked=VACUOUS,
    refuses=INFINITE_RISK,
    algorithms=("zhang-7",),
    unchecked={
        "M": ANY_ESTIMATOR,
        "c, d, n, epsilon": OF_THE_BOUND,
    },
)
def infinite_risk(factor: str = "2") -> Outcome:
    """Trivially, see :func:`proofs_checks.paper_002.facts.symmetric_in_sign`."""
    return symmetric_in_sign(factor)


@statement(
    "002 Algorithm 8",
    lines="690-699",
    kind="sensitivity",
    printed="the l2-sensitivity is 6T^2 sqrt(d) N0/n",
    false="(1-z) beta is not truncated, and beta is never projected",
    algorithms=("zhang-8",),
    errata=("zhang-8/E1",),
)
def missing_l2() -> Outcome:
    """The pair of (28): d = 2, T = 1, beta = (8, 1), where 8 > 6 sqrt(2) - 2."""
    g = untruncated_pair()
    change = float(np.linalg.norm(g[0] - g[1]))
    return refuted({"T": 1.0, "d": 2, "beta": [8.0, 1.0]}, change, 6 * 2**0.5, "change of f_T")


@missing_l2.corrected(
    "true if |beta_j| <= 4T^2 for every j",
    refuses={
        **LIMIT,
        "6T^2 N0/n": {"power": 0},
        "6T sqrt(d) N0/n": {"square": 1},
        "6T^2 sqrt(d)/n": {"batches": 0},
    },
)
def missing_l2_bounded(
    limit: str = "4", total: str = "6", power: int = 1, square: int = 2, batches: int = 1
) -> Outcome:
    """:func:`missing_change` in every coordinate [step "mean"], d of them [step "norm"]."""
    return derived(
        coordinate=missing_change(limit, total),
        mean=of_mean(6, square, batches),
        norm=squares_add_up(power=power),
    )


@statement(
    "002 Theorem A.5",
    lines="701-705",
    kind="utility",
    printed="RMC: error <= C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) + eta/(1-kappa) "
    "sqrt(d/n) (log n)^{3/2}",
    false=f"{WHY_HALF}; proof omitted",
    algorithms=("zhang-8",),
    errata=("zhang-5/E3",),
)
def missing_rate() -> Outcome:
    """See :func:`lost_half_power`."""
    return lost_half_power(6, sparse=False)


@missing_rate.corrected(DENSE_RATE, refuses=DENSE_REFUSES)
def missing_full_power(powers: Mapping[str, str] | None = None) -> Outcome:
    """See :func:`full_power`."""
    return full_power(6, powers, sparse=False)


not_checkable(
    "002 Theorem A.6",
    lines="706-710",
    kind="lower bound",
    printed="RMC: inf_M sup_b E||M-b|| >= c (sqrt(d/n) + d/(n epsilon))",
    reason="no proof is given; deleting entries reduces it to regression, whose bound is cited",
    algorithms=("zhang-8",),
)


@statement(
    "002 Remark after Theorem A.4",
    lines="712",
    kind="remark",
    printed=REMARK,
    false=NOT_OPTIMAL,
    fails=True,
    algorithms=("zhang-7",),
    errata=("zhang-u1/E1",),
)
def optimality() -> Outcome:
    """See :func:`not_optimal`; the regression with missing covariates is not affected."""
    return not_optimal()


@optimality.corrected(LOCAL, refuses=LOCAL_REFUSES)
def local_bound(divergence: float = 2.0, risk: str = "1/4") -> Outcome:
    """See :func:`local_two_points`; given x, the regression is the mixture with b = <x, beta>."""
    return local_two_points(divergence, risk)
