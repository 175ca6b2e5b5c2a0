"""Section 2.2: some basic properties of differential privacy."""

from __future__ import annotations

from proofs_checks.balls import ball, log, sqrt
from proofs_checks.basics import (
    composed,
    gaussian_at_small_epsilon,
    gaussian_delta,
    laplace_loss,
    post_processed,
)
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable, statement
from proofs_checks.vocabulary import every, identity, refuted, symbols

PEELING = ("zhang-1",)

not_checkable(
    "002 Definition 2.1",
    lines="61-69",
    kind="definition",
    printed="P(M(X) in S) <= e^epsilon P(M(X') in S) + delta for all X, X' that differ in one "
    "datum",
    reason="a definition; it fixes replace-one with public n (M maps to R as printed, to R^d in "
    "use)",
    algorithms=PEELING,
)

not_checkable(
    "002 Definition 2.2",
    lines="73-75",
    kind="definition",
    printed="Delta_p(f) = sup over adjacent X, X' of ||f(X) - f(X')||_p",
    reason="a definition",
    algorithms=PEELING,
)


@statement(
    "002 Proposition 2.3",
    lines="79-81",
    kind="privacy",
    printed="f(X) + w, w iid Laplace(Delta_1(f)/epsilon), is (epsilon, 0)-DP",
    special_case_of="004 Definition 2.1.2",
    refuses={"0.9 epsilon": {"factor": "0.9"}, "Delta_2 for Delta_1": {"norm": 2}},
    unchecked={
        "f": "any query; the steps have the change of its value",
        "X": "any query; the steps have the change of its value",
        "w": "the noise; the steps have its density",
    },
    algorithms=PEELING,
)
def laplace_mechanism(factor: str = "1", norm: int = 1) -> Outcome:
    """See :func:`proofs_checks.basics.laplace_loss`."""
    return laplace_loss(factor, norm=norm)


@statement(
    "002 Proposition 2.4",
    lines="83-85",
    kind="privacy",
    printed="f(X) + N(0, 2 (Delta_2(f)/epsilon)^2 log(1.25/delta) I) is (epsilon, delta)-DP",
    false="no limit on epsilon is stated; false for large epsilon",
    special_case_of="004 Definition 2.1.3",
    algorithms=("zhang-4",),
    errata=("zhang-4/E1",),
)
def gaussian_mechanism() -> Outcome:
    epsilon, delta = ball(6), ball("0.1")
    exact = gaussian_delta(epsilon / sqrt(2 * log(ball("1.25") / delta)), epsilon)
    return refuted({"epsilon": 6.0, "delta": 0.1}, exact, delta, "exact delta against delta")


@gaussian_mechanism.corrected(
    "true for 0 < epsilon <= 1 and every delta in (0, 1)",
    refuses={
        "log(1/delta)": {"constant": "1"},
        "without the 2": {"two": 1},
        "epsilon <= 16": {"largest": 16},
        "(Delta_2/epsilon^2)^2": {"epsilon_power": 2},
        "Delta_2/epsilon^2": {"change_power": "1/2"},
    },
)
def gaussian_mechanism_at_small_epsilon(
    constant: str = "1.25",
    two: int = 2,
    largest: int = 2,
    epsilon_power: int = 1,
    change_power: str = "1",
) -> Outcome:
    """See :func:`proofs_checks.basics.gaussian_at_small_epsilon`, s^2 = 2 log(1.25/delta)."""
    s, change, epsilon = symbols("s Delta epsilon")
    scale = s * change ** sp.Rational(change_power) / epsilon**epsilon_power
    return every(
        identity((change / scale, epsilon / s)),
        gaussian_at_small_epsilon(constant, two=two, largest=largest),
    )


@statement(
    "002 Proposition 2.5",
    lines="89-91",
    kind="composition",
    printed="M (epsilon, delta)-DP implies g(M) (epsilon, delta)-DP",
    added="g is measurable",
    special_case_of="004 Lemma 2.1.1",
    refuses={
        "delta shrinks by a tenth": {"factor": "0.9"},
        "e^epsilon - 1 shrinks by a tenth": {"share": "0.9"},
    },
    algorithms=PEELING,
    unchecked={
        "M, g": "any mechanism and any channel; the step has one outcome of M and one chance k "
        "of g",
        "delta": "bounds the sum over the outcomes; the step has each term before and after",
    },
)
def post_processing(factor: str = "1", share: str = "1") -> Outcome:
    """See :func:`proofs_checks.basics.post_processed`, where m = e^epsilon - 1."""
    return post_processed(factor, share)


@statement(
    "002 Proposition 2.6",
    lines="93-95",
    kind="composition",
    printed="(M1, M2) is (epsilon1 + epsilon2, delta1 + delta2)-DP",
    added="a mechanism that sees the past is a Markov kernel",
    special_case_of="004 Lemma 2.1.4",
    refuses={
        "the larger delta": {"largest": True},
        "the larger epsilon": {"largest_epsilon": True},
    },
    algorithms=PEELING,
    unchecked={
        "M1, M2": "any mechanisms; the step has the worst pair with their parameters",
    },
)
def basic_composition(largest: bool = False, largest_epsilon: bool = False) -> Outcome:
    """See :func:`proofs_checks.basics.composed`.

    Here g = e^epsilon_1, h = e^epsilon_2, d = delta_1, e = delta_2.
    """
    return composed(largest=largest, largest_epsilon=largest_epsilon)
