"""Section 7.2.3: the clipped method and the smoothed mean."""

from __future__ import annotations

from functools import partial

from proofs_checks import em_truncation as shared
from proofs_checks.em_descent import clipping_constant
from proofs_checks.em_mixture import unbounded_gradient
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement

statement = partial(any_statement, algorithms=("diss-7.2.56",))

_RANGE = "zeta <= 1/2, delta <= 1/e, epsilon <= 1; probability 1 - zeta with log(4/zeta)"


@statement(
    "004 Theorem 7.2.1",
    lines="9528, 9944",
    kind="sensitivity",
    printed="mixture, some fixed beta: P(||nabla q(beta; beta)||_2 >= c) > 0 for every c",
    checked="beta = e_1: |nabla q|_2 > c wherever y_1 > ln 2 and y_2 > 3c",
    refuses={"y_2 > 2.9c": {"times": "2.9"}},
)
def unbounded(times: str = "3") -> Outcome:
    """See :func:`proofs_checks.em_mixture.unbounded_gradient`."""
    return unbounded_gradient(times)


@statement(
    "004 Algorithm 7.2.55",
    lines="9552",
    kind="composition",
    printed="sigma^2 = c T log(1/delta)/(n^2 epsilon^2) is (epsilon, delta)-DP for some constant c",
    checked="the same with c = 8 (1 + epsilon/log(1/delta))",
    added="epsilon/log(1/delta) bounded, for c to be a constant; none is named, and 2 is none",
    refuses={"7.9 for 8": {"constant": "7.9"}, "2 for 8": {"constant": "2"}},
)
def clipped(constant: str = "8") -> Outcome:
    """See :func:`proofs_checks.em_descent.clipping_constant`."""
    return clipping_constant(constant)


not_checkable(
    "004 (7.53)",
    lines="9567",
    kind="definition",
    printed="(s/n) sum phi(x_i/s) is approximately E x",
    reason="an approximation without a bound; its bound is Lemma 7.2.1",
    algorithms=("diss-7.2.56",),
)


@statement(
    "004 (7.54)",
    lines="9571-9573",
    kind="sensitivity",
    printed="|phi(x)| <= 2 sqrt(2)/3",
    refuses={"0.99 of it": {"factor": "0.99"}},
)
def truncation(factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.em_truncation.truncation_is_bounded`."""
    return shared.truncation_is_bounded(factor)


not_checkable(
    "004 (7.55)",
    lines="9577",
    kind="definition",
    printed="x~(eta) = (s/n) sum phi((x_i + eta_i x_i)/s)",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


not_checkable(
    "004 (7.56)",
    lines="9581",
    kind="definition",
    printed="x-hat = E x~(eta)",
    reason="a definition",
    algorithms=("diss-7.2.56",),
)


@statement(
    "004 (7.57)",
    lines="9585-9599",
    kind="approximation",
    printed="E phi(a + b xi) = a(1 - b^2/2) - a^3/6 + C(a, b) for any a and b > 0",
    refuses={"a b^2/3 in T_4": {"part": "1/3"}},
)
def closed_form(part: str = "1/2") -> Outcome:
    """See :func:`proofs_checks.em_truncation.closed_form_of_truncation`."""
    return shared.closed_form_of_truncation(part)


@statement(
    "004 Lemma 7.2.1",
    lines="9601-9605",
    kind="concentration",
    printed="b = 2 Lambda, s = sqrt(n tau/(2 Lambda)): |x-hat - E x| <= O(sqrt(tau Lambda/n))",
    checked="... <= sqrt(tau Lambda/n) (sqrt2 + (1/2 + ln 2)/(sqrt2 Lambda)) w.p. 1 - zeta",
    refuses={
        "1/4 for 1/2 in the second term": {"less_than": "1/4"},
        "the same with s = sqrt(n tau/(3 Lambda))": {"two": 3},
    },
)
def rule(less_than: str = "1/2", two: int = 2) -> Outcome:
    """See :func:`proofs_checks.em_truncation.rate_of_rule`."""
    return shared.rate_of_rule(less_than, two)


@statement(
    "004 (7.59), sensitivity",
    lines="9607",
    kind="sensitivity",
    printed="the l2-sensitivity of x-hat is (s/n) 4 sqrt(2)/3",
    checked="at most that; the supremum has the further factor erf(sqrt(b/2))",
    refuses={"(s/n) 2 sqrt(2)/3": {"factor": "1/2"}},
)
def sensitivity(factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.em_truncation.sensitivity_of_mean`."""
    return shared.sensitivity_of_mean(factor)


@statement(
    "004 (7.59)",
    lines="9609",
    kind="privacy",
    printed="x-hat + N(0, sigma^2), sigma^2 = O(s^2 log(1/delta)/(epsilon^2 n^2)) is "
    "(epsilon, delta)-DP",
    checked="the same with sigma = sqrt(2 ln(1.25/delta)) (4 sqrt2/3) s/(n epsilon)",
    added="epsilon <= 1 (as far as 2)",
    refuses={"ln(1/delta) for ln(1.25/delta)": {"constant": "1"}},
)
def private_mean(constant: str = "1.25") -> Outcome:
    """See :func:`proofs_checks.em_truncation.private_mean`."""
    return shared.private_mean(constant)


@statement(
    "004 Lemma 7.2.2",
    lines="9613-9615",
    kind="utility",
    printed="(7.60): |A(D) - E x| <= O(sqrt(v L Lambda/(n epsilon^2))) w.p. 1 - zeta",
    checked="the same with tau for the misprinted v and the constant 10",
    added=_RANGE,
    refuses={"the constant 9": {"limit": "9"}},
)
def lemma_2(limit: str = "10") -> Outcome:
    """See :func:`proofs_checks.em_truncation.rate_19`."""
    return shared.rate_19(limit)
