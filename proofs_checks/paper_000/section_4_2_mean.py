"""Section 4.2, first half: the smoothed mean of heavy-tailed data and its private versions."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks import robust_mean as shared
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, every, identity, symbols

statement = partial(any_statement, algorithms=("wang-2",))


def _of_the_mean(power: int = 1, four: int = 4, epsilon_power: int = 1) -> Outcome:
    """s/n sum psi moves by 2 (2 sqrt2/3) s/n if a term of size 2 sqrt2/3 at most changes.

    At sigma = r Delta/epsilon, r^2 = 2 ln(1.25/delta), that is epsilon/r in units of sigma. Here
    Delta = (4 sqrt2/3) s/n.
    """
    s, n, epsilon, r = symbols("s n epsilon r")
    moved = 2 * (2 * sp.sqrt(2) / 3) * s / n
    claimed = four * sp.sqrt(2) / 3 * s / n**power
    return identity((moved, claimed), (moved / (r * claimed / epsilon**epsilon_power), epsilon / r))


_RANGE = "zeta <= 1/2, delta <= 1/e, epsilon <= 1; probability 1 - zeta with log(4/zeta)"

not_checkable(
    "000 (13)",
    lines="199-203",
    kind="definition",
    printed="(s/n) sum phi(x_i/s) is approximately E x",
    reason="an approximation without a bound; its bound is Lemma 1",
    algorithms=("wang-2",),
)
not_checkable(
    "000 (15)",
    lines="213",
    kind="definition",
    printed="x~(eta) = (s/n) sum phi((x_i + eta_i x_i)/s)",
    reason="a definition",
    algorithms=("wang-2",),
)
not_checkable(
    "000 (16)",
    lines="217",
    kind="definition",
    printed="x-hat = E x~(eta)",
    reason="a definition",
    algorithms=("wang-2",),
)


@statement(
    "000 (14)",
    lines="207-209 (004 l.9569)",
    kind="sensitivity",
    printed="|phi(x)| <= 2 sqrt(2)/3",
    refuses={"0.99 of it": {"factor": "0.99"}},
)
def truncation(factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.robust_mean.truncation_is_bounded`."""
    return shared.truncation_is_bounded(factor)


@statement(
    "000 (17)",
    lines="219-237 (004 l.9580-9599)",
    kind="approximation",
    printed="E phi(a + b xi) = a(1 - b^2/2) - a^3/6 + C-hat(a, b) for any a and b > 0",
    refuses={"a b^2/3 in T_4": {"part": "1/3"}},
    unchecked={
        "phi": "the steps have its cubic x - x^3/6 and its constants +-2 sqrt2/3",
    },
)
def closed_form(part: str = "1/2") -> Outcome:
    """See :func:`proofs_checks.robust_mean.closed_form_of_truncation`."""
    return shared.closed_form_of_truncation(part)


@statement(
    "000 (17), evaluated",
    lines="223, 295",
    kind="approximation",
    printed="C-hat is easy to implement: (17) with a = x/s, b = |x|/(s sqrt(b)) for every x",
    false="0/0 at x = 0, and in doubles the cubes cancel to noise: unbounded beyond 1e5 s",
    errata=("wang-phi/E1", "wang-phi/E2"),
)
def evaluated() -> Outcome:
    """See :func:`proofs_checks.robust_mean.closed_form_in_doubles`."""
    return shared.closed_form_in_doubles()


@evaluated.corrected(
    "psi(0) = 0; int (1 - u^2/2)(P(U > u) - P(U < -u)) du for large b; clip",
    refuses={"a part in 10^6 off": {"factor": 1 + 1e-6}},
    unchecked={
        "psi, u, U": "psi is the implementation's; the code compares it with this integral over u",
        "b": "in the code x/s is 0 or from 1e-6 to 1e12, the precision .5 to 100",
    },
)
def stable(rng: np.random.Generator, factor: float = 1.0) -> Outcome:
    """See :func:`proofs_checks.robust_mean.stable_form`."""
    return shared.stable_form(rng, factor)


@statement(
    "000 Lemma 1",
    lines="239-241 (004 Lemma 7.2.1)",
    kind="concentration",
    printed="b = 2 Lambda, s = sqrt(n tau/(2 Lambda)): |x-hat - E x| <= O(sqrt(tau Lambda/n))",
    checked="... <= sqrt(tau Lambda/n) (sqrt2 + (1/2 + ln 2)/(sqrt2 Lambda)) w.p. 1 - zeta",
    added="zeta <= 1/2, say: the second term is not of the printed order as zeta tends to 1, see "
    "Wang (2020), Lemma 3.2.3",
    refuses={
        "1/4 for 1/2 in the second term": {"less_than": "1/4"},
        "the same with s = sqrt(n tau/(3 Lambda))": {"two": 3},
    },
)
def rule(less_than: str = "1/2", two: int = 2) -> Outcome:
    """See :func:`proofs_checks.robust_mean.rate_of_rule`."""
    return shared.rate_of_rule(less_than, two)


@statement(
    "000 (18), sensitivity",
    lines="243",
    kind="sensitivity",
    printed="the l2-sensitivity of x-hat is (s/n) 4 sqrt(2)/3",
    checked="at most that; derived besides: the supremum has the further factor erf(sqrt(b/2))",
    refuses={
        "(s/n) 2 sqrt(2)/3": {"factor": "1/2"},
        "s/n^2": {"n_power": 2},
        "s^2/n": {"s_power": 2},
        "erf(sqrt(b))": {"two": 1},
    },
    unchecked={
        "x-hat": "the robust mean; the steps have the change of one of its n terms",
    },
)
def sensitivity(factor: str = "1", n_power: int = 1, s_power: int = 1, two: int = 2) -> Outcome:
    """See :func:`proofs_checks.robust_mean.sensitivity_of_mean` [step "bound"].

    Both ends of the term are approached [step "supremum"].
    """
    return derived(
        bound=shared.sensitivity_of_mean(factor, n_power=n_power, s_power=s_power),
        supremum=shared.supremum_of_smoothing(two),
    )


@statement(
    "000 (18)",
    lines="245",
    kind="privacy",
    printed="x-hat + N(0, sigma^2), sigma^2 = O(s^2 log(1/delta)/(epsilon^2 n^2)) is "
    "(epsilon, delta)-DP",
    checked="the same with sigma = sqrt(2 ln(1.25/delta)) (4 sqrt2/3) s/(n epsilon)",
    added="epsilon <= 1 (as far as 2)",
    special_case_of="000 Definition 7",
    refuses={
        "ln(1/delta) for ln(1.25/delta)": {"constant": "1"},
        "s/(n^2 epsilon)": {"power": 2},
        "s/(n epsilon^2)": {"epsilon_power": 2},
    },
    unchecked={"x-hat": "the robust mean; the steps have its sensitivity"},
)
def private_mean(constant: str = "1.25", power: int = 1, epsilon_power: int = 1) -> Outcome:
    """See :func:`proofs_checks.robust_mean.private_mean`, for the sensitivity of the mean."""
    return every(shared.private_mean(constant), _of_the_mean(power, epsilon_power=epsilon_power))


@statement(
    "000 Lemma 2",
    lines="249 (004 Lemma 7.2.2)",
    kind="utility",
    printed="(19): |A(D) - E x| <= O(sqrt(tau L Lambda/(n epsilon^2))) w.p. 1 - zeta",
    checked="the same with the constant 10",
    added=_RANGE,
    refuses={"the constant 9": {"limit": "9"}, "log(2/zeta)": {"parts": 2}},
)
def lemma_2(limit: str = "10", parts: int = 4) -> Outcome:
    """See :func:`proofs_checks.robust_mean.rate_19`."""
    return shared.rate_19(limit, parts)


lemma_2.restated(
    "000 (19)", lines="251", printed="|A(D) - E x| <= O(sqrt(tau L Lambda/(n epsilon^2)))"
)


@statement(
    "000 Theorem 2",
    lines="255",
    kind="utility",
    printed="b = sqrt(Lambda), s = sqrt(n epsilon tau)/(Lambda L^(1/4)): |A(D) - E x| <= "
    "O(sqrt(tau L^(1/2) Lambda/(n epsilon))) (20)",
    false="off by sqrt(Lambda): the bias is tau/(2s)(1 + 1/b), not O(tau/(s b))",
    errata=("wang-mean/E1",),
)
def theorem_2() -> Outcome:
    """(20) is tau/(s sqrt(Lambda)) with the stated s, for every n, epsilon and delta."""
    return shared.bias_over(lambda b: 1 / b, 13, "(20)")


@theorem_2.corrected(
    "(20) with s = sqrt(n epsilon tau)/(Lambda^(1/2) L^(1/4)) and the constant 13, for zeta <= "
    "1/2, delta <= 1/e, epsilon <= 1",
    refuses={"the constant 12": {"limit": "12"}, "log(2/zeta)": {"parts": 2}},
)
def theorem_2_repaired(limit: str = "13", parts: int = 4) -> Outcome:
    """See :func:`proofs_checks.robust_mean.rate_20`, with limit = 13."""
    return shared.rate_20(limit, parts)


theorem_2.restated(
    "000 (20)",
    lines="257",
    printed="|A(D) - E x| <= O(sqrt(tau L^(1/2) Lambda/(n epsilon))) with the s and b of Theorem 2",
)


@statement(
    "000 Theorem 3",
    lines="263-269, 608-616",
    kind="utility",
    printed="local model, s = n^(1/4) sqrt(epsilon tau)/(Lambda L^(1/4)): |A(D) - E x| <= "
    "O(sqrt(tau L^(1/2) Lambda/(n^(1/2) epsilon))) (22)",
    false="off by sqrt(Lambda) like Theorem 2",
    errata=("wang-ldp-mean/E1",),
)
def theorem_3() -> Outcome:
    """(22) is tau/(s sqrt(Lambda)) with the stated s, for every n, epsilon and delta."""
    return shared.bias_over(lambda b: 1 / b, 13, "(22)")


@theorem_3.corrected(
    "(22) with s = n^(1/4) sqrt(epsilon tau)/(Lambda^(1/2) L^(1/4)) and the constant 13, in the "
    "range of Theorem 2",
    refuses={"the constant 12": {"limit": "12"}, "log(2/zeta)": {"parts": 2}},
)
def theorem_3_repaired(limit: str = "13", parts: int = 4) -> Outcome:
    """See :func:`proofs_checks.robust_mean.rate_20`, with limit = 13."""
    return shared.rate_20(limit, parts, local=True)


theorem_3.restated(
    "000 (22)",
    lines="269",
    printed="local model: |A(D) - E x| <= O(sqrt(tau L^(1/2) Lambda/(n^(1/2) epsilon))) with the s "
    "and b of Theorem 3",
)


@statement(
    "000 (21)",
    lines="265",
    kind="privacy",
    printed="releasing s psi(x_i) + N(0, sigma^2), sigma^2 = O(s^2 log(1/delta)/epsilon^2), is "
    "(epsilon, delta)-LDP",
    checked="the same with sigma = sqrt(2 ln(1.25/delta)) (4 sqrt2/3) s/epsilon",
    added="epsilon <= 1 (as far as 2)",
    special_case_of="000 Definition 7",
    refuses={
        "ln(1/delta) for ln(1.25/delta)": {"constant": "1"},
        "(2 sqrt2/3) s/epsilon": {"four": 2},
        "(4 sqrt2/3) s/epsilon^2": {"epsilon_power": 2},
    },
    unchecked={
        "psi": "the smoothed truncation of one record; the steps have its bound 2 sqrt2/3",
    },
)
def local_mean(constant: str = "1.25", four: int = 4, epsilon_power: int = 1) -> Outcome:
    """See :func:`proofs_checks.robust_mean.private_mean`, with n = 1."""
    return every(
        shared.private_mean(constant), _of_the_mean(four=four, epsilon_power=epsilon_power)
    )
