"""Abstract and section 1: the rates that they quote."""

from __future__ import annotations

from functools import partial

from proofs_checks.outcome import Outcome
from proofs_checks.paper_003.frank_wolfe import RATE_9, balance_6, balance_9, least_excess, value
from proofs_checks.paper_003.sparse_rates import RATE_THEOREM_8, balance_8
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, refuted

statement = partial(any_statement, kind="remark", errata=("hu-1/E8",))


@statement(
    "003 Abstract, rate of Algorithm 1",
    lines="52",
    printed="error bound O~(log d/(n eps)^(3/5)) in the eps-DP model",
    false="misprint: the exponent is 1/3, and above 1/2 not even possible without privacy",
    algorithms=("hu-1",),
)
def first_algorithm() -> Outcome:
    """l = -z w on [-1, 1], z = +-1 of mean +-g: no estimator has less excess than g."""
    excess = [least_excess(n) * n**0.6 for n in (1e4, 1e40)]
    point = {"loss": "-z w on [-1, 1]", "n eps": 1e40, "P(error) at least": 0.2}
    return refuted(point, excess[1], 1000 * excess[0], "excess over rate, 1000 times that at 1e4")


@first_algorithm.corrected(
    "(n eps)^(-1/3), as in Theorem 2 and l.421", refuses={"(n eps)^(-3/5)": {"n": "-3/5"}}
)
def first_balance(n: str = "-1/3") -> Outcome:
    """The balance behind Theorem 2, see :mod:`proofs_checks.paper_003.section_4_frank_wolfe`."""
    return derived(balance=balance_6(n=n))


@statement(
    "003 Abstract, rate of Algorithm 2",
    lines="52",
    printed="for LASSO error bound O~(log d/(n eps)^(5/3)) in the (eps, delta)-DP model",
    false="misprint: the exponent is 2/5, and above 1 not even possible without privacy",
    algorithms=("hu-2",),
)
def second_algorithm() -> Outcome:
    """(w - y)^2 on [-1, 1], y = +-1 of mean +-g: no estimator has less excess than g^2."""
    excess = [least_excess(n) ** 2 * n ** (5 / 3) for n in (1e4, 1e10)]
    point = {"loss": "(w - y)^2 on [-1, 1]", "n eps": 1e10, "P(error) at least": 0.2}
    return refuted(point, excess[1], 1000 * excess[0], "excess over rate, 1000 times that at 1e4")


@second_algorithm.corrected(
    "(n eps)^(-2/5), as in Theorem 5 and l.421", refuses={"(n eps)^(-5/3)": {"n": "-5/3"}}
)
def second_balance(n: str = "-2/5") -> Outcome:
    """The balance behind Theorem 5, see :mod:`proofs_checks.paper_003.section_4_lasso`."""
    return derived(**balance_9(n=n))


@statement(
    "003 Abstract, rate of Algorithm 5",
    lines="52, 421",
    printed="error O~(s*^3 log d/(n eps)) for sparse optimisation",
    false="misprint of s*^(3/2), as l.89 and Theorem 8 have (a valid but weaker bound)",
    algorithms=("hu-5",),
)
def fifth_algorithm() -> Outcome:
    """The quoted power of s* against the balance behind Theorem 8."""
    return refuted({"s*": 1e4}, 1e4**3, 1e4 * value(RATE_THEOREM_8, s=1e4), "1e4 times the balance")


@fifth_algorithm.corrected("s*^(3/2)", refuses={"s*^3": {"s": "3"}})
def fifth_balance(s: str = "3/2") -> Outcome:
    """See :func:`proofs_checks.paper_003.sparse_rates.balance_8`."""
    return derived(**balance_8(s=s))


@statement(
    "003 l.88, rate of Algorithm 2",
    lines="88",
    printed="for LASSO the error improves to O~(log d/(n eps)^(1/3)) in the (eps, delta)-DP model",
    false="misprint: that is Algorithm 1's rate and no improvement; the exponent is 2/5",
    algorithms=("hu-2",),
)
def improvement() -> Outcome:
    """The quoted power against the balance behind Theorem 5."""
    found = value(RATE_9, n=1e15)
    return refuted({"n eps": 1e15}, 1e15 ** (-1 / 3), 5 * found, "quoted, 5 times the balance")


@improvement.corrected("(n eps)^(-2/5)", refuses={"(n eps)^(-1/3)": {"n": "-1/3"}})
def improved_balance(n: str = "-2/5") -> Outcome:
    """The balance behind Theorem 5, see :mod:`proofs_checks.paper_003.section_4_lasso`."""
    return derived(**balance_9(n=n))
