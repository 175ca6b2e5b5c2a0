"""Section 7.2.8: the privacy lemmas and the recursion of Theorem 7.2.3."""

from __future__ import annotations

from functools import partial

from proofs_checks import em_descent as shared
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import identity, symbols

statement = partial(any_statement, algorithms=("diss-7.2.56",))


@statement(
    "004 Lemma 7.2.18",
    lines="9968",
    kind="privacy",
    printed="rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-DP",
    refuses={"rho + sqrt(rho log(1/delta))": {"twice": 1}},
)
def conversion(twice: int = 2) -> Outcome:
    """See :func:`proofs_checks.em_descent.zcdp_conversion`."""
    return shared.zcdp_conversion(twice)


@statement(
    "004 Lemma 7.2.19",
    lines="9974",
    kind="privacy",
    printed="the Gaussian mechanism is Delta_2^2/(2 sigma^2)-zCDP",
    refuses={"Delta_2^2/(3 sigma^2)": {"halves": 3}},
)
def gaussian(halves: int = 2) -> Outcome:
    """See :func:`proofs_checks.em_descent.gaussian_zcdp`."""
    return shared.gaussian_zcdp(halves)


@statement(
    "004 (7.71)",
    lines="9980-9984",
    kind="optimisation",
    printed="|beta + eta g~ - beta*| <= |beta + eta g - beta*| + eta |g~ - g|",
    refuses={"0.9 eta": {"share": "0.9"}},
)
def first_triangle(share: str = "1") -> Outcome:
    """See :func:`proofs_checks.em_descent.triangle`."""
    return shared.triangle(share)


@statement(
    "004 (7.72)",
    lines="9986-9988",
    kind="optimisation",
    printed="the same with grad Q(beta; beta*) for g and grad Q(beta; beta) for g~",
    refuses={"0.9 eta": {"share": "0.9"}},
)
def second_triangle(share: str = "1") -> Outcome:
    """See :func:`proofs_checks.em_descent.triangle`."""
    return shared.triangle(share)


not_checkable(
    "004 (7.73)",
    lines="9992",
    kind="definition",
    printed="beta* maximises Q(.; beta*)",
    reason="Definition 7.2.1 once more",
    algorithms=("diss-7.2.56",),
)


@statement(
    "004 (7.74)",
    lines="9996",
    kind="optimisation",
    printed="eta = 2/(mu+v): |beta + eta nabla Q(beta; beta*) - beta*| <= ((mu-v)/(mu+v)) "
    "|beta - beta*|",
    refuses={"0.99 of its square": {"share": "0.99"}},
)
def contraction(share: str = "1") -> Outcome:
    """See :func:`proofs_checks.em_descent.contraction`."""
    return shared.contraction(share)


@statement(
    "004 (7.75)",
    lines="10000",
    kind="optimisation",
    printed="(mu-v)/(mu+v) + eta gamma = 1 - 2(v-gamma)/(mu+v)",
    refuses={"v + gamma": {"sign": 1}},
)
def total_factor(sign: int = -1) -> Outcome:
    """See :func:`proofs_checks.em_descent.total_factor`."""
    return shared.total_factor(sign)


@statement(
    "004 (7.76)",
    lines="10006",
    kind="identity",
    printed="|g - grad Q|^2 = sum_j (g_j - grad_j Q)^2, g the noisy mean",
    checked="= sum_j (g~_j + Z_j - grad_j Q)^2, g~ the robust mean",
    refuses={"Z_j/2": {"half": 2}},
)
def noise(half: int = 1) -> Outcome:
    """g = g~ + Z."""
    robust, noise, exact = symbols("robust Z exact")
    g = robust + noise
    return identity(((g - exact) ** 2, (robust + noise / half - exact) ** 2))


@statement(
    "004 (7.77)",
    lines="10008",
    kind="optimisation",
    printed="sum_j (a_j + Z_j)^2 <= sum_j a_j^2 + sum_j Z_j^2",
    false="factor 2 missing; constants only",
    errata=(("diss-7.2.56", 2),),
)
def square_of_sum() -> Outcome:
    """See :func:`proofs_checks.em_descent.square_of_sum`."""
    return shared.square_of_sum()


@square_of_sum.corrected("(a + b)^2 <= 2a^2 + 2b^2", refuses={"1.9 for 2": {"factor": "1.9"}})
def square_of_sum_repaired(factor: str = "2") -> Outcome:
    """See :func:`proofs_checks.em_descent.square_of_sum_repaired`."""
    return shared.square_of_sum_repaired(factor)


@statement(
    "004 Theorem 7.2.3, proof (Gaussian tail)",
    lines="10010-10012",
    kind="concentration",
    printed="|Z_j|^2 <= sigma^2 log(d/zeta) with probability 1 - zeta/d",
    false="factor 2 missing; constants only",
    errata=(("diss-7.2.56", 2),),
)
def tail() -> Outcome:
    """See :func:`proofs_checks.em_descent.gaussian_tail`."""
    return shared.gaussian_tail()


@tail.corrected(
    "|Z_j|^2 <= 2 sigma^2 log(d/zeta) with probability 1 - zeta/d",
    refuses={"sigma^2 log(d/zeta)": {"halves": 1}},
)
def tail_repaired(halves: int = 2) -> Outcome:
    """See :func:`proofs_checks.em_descent.gaussian_tail_repaired`."""
    return shared.gaussian_tail_repaired(halves)


@statement(
    "004 (7.79)",
    lines="10026",
    kind="optimisation",
    printed="|beta^t - beta*| <= iota |beta^(t-1) - beta*| + eta times the bound of (7.78)",
    added="(7.78) holds in the step",
    refuses={"0.9 eta": {"share": "0.9"}},
)
def recursion(share: str = "1") -> Outcome:
    """See :func:`proofs_checks.em_descent.recursion`."""
    return shared.recursion(share)


@statement(
    "004 (7.79), induction",
    lines="10028-10046",
    kind="optimisation",
    printed="given (7.78) in every step, |beta^t - beta*| <= R/2 for all t and the error is at "
    "most iota^T R/2 + noise/(1 - iota)",
    refuses={"noise up to 1.1 (1 - iota) R/2": {"largest": "1.1"}},
)
def induction(largest: str = "1") -> Outcome:
    """See :func:`proofs_checks.em_descent.induction`."""
    return shared.induction(largest)


@statement(
    "004 Theorem 7.2.3, proof (tilde-epsilon)",
    lines="10048",
    kind="optimisation",
    printed="te = O(epsilon/sqrt(L))",
    checked="te <= epsilon/(2 sqrt(L))",
    refuses={"epsilon/(2.1 sqrt(L))": {"constant": "2.1"}},
)
def tilde_epsilon(constant: str = "2") -> Outcome:
    """See :func:`proofs_checks.em_descent.tilde_epsilon`."""
    return shared.tilde_epsilon(constant)
