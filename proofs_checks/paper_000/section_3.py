"""Section 3: EM, gradient EM, the Gaussian mixture and the definitions."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.balls import ball, log, sqrt
from proofs_checks.basics import gaussian_at_small_epsilon, gaussian_delta
from proofs_checks.em import mixture as shared
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import definition, every, identity, refuted, symbols

_BOTH = ("wang-1", "wang-2")
statement = partial(any_statement, algorithms=_BOTH)


@statement(
    "000 (1)",
    lines="80",
    kind="optimisation",
    printed="(l_n(beta) - l_n(beta'))/n >= Q_n(beta; beta') - Q_n(beta'; beta')",
    refuses={"0.9 of the left side": {"factor": "0.9"}},
    unchecked={
        "l_n, n, Q_n": "means over the n records; the steps have one record, the search 20",
    },
)
def lower_bound(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.em.mixture.lower_bound_of_likelihood`."""
    return shared.lower_bound_of_likelihood(rng, factor)


@statement(
    "000 (5)",
    lines="106-109 (004 l.9466)",
    kind="identity",
    printed="grad q(beta; beta) = (2w - 1) y - beta, w = 1/(1 + exp(-<beta, y>/sigma^2))",
    false="the exponent lacks a factor 2: w is not the posterior, and beta* is no fixed point",
    errata=("model-gmm/E1",),
)
def weight() -> Outcome:
    """See :func:`proofs_checks.em.mixture.printed_weight`."""
    return shared.printed_weight()


@weight.corrected(
    "the same with w = 1/(1 + exp(-2<beta, y>/sigma^2)), for sigma^2 q; E(2w-1)Y = beta* at beta*",
    refuses={
        "2.1 for 2": {"factor": "2.1"},
        "1 for 2": {"factor": "1"},
        "E(w Y) at beta*": {"twice": 1},
    },
    unchecked={
        "Y": "the record as a variable; of its mean the steps have the density, (plus + minus)/2",
    },
)
def doubled_weight(factor: str = "2", twice: int = 2) -> Outcome:
    """See :func:`proofs_checks.em.mixture.posterior_weight`."""
    return shared.posterior_weight(factor, twice)


for _number, _lines, _printed in (
    ("(2)", "84", "q_i(beta; beta') = int k_beta'(z|y_i) log f_beta(y_i, z) dz"),
    ("(3)", "88", "Q(beta; beta') = E q(beta; beta')"),
    ("(4)", "103", "Y = Z beta* + V, Z = +-1 fair, V ~ N(0, sigma^2 I)"),
    ("Definition 1", "143", "self-consistent: beta* maximises Q(.; beta*)"),
    ("Definition 2", "145-147", "Lipschitz-Gradient-2(gamma, B): (12) for all beta in B"),
    ("Definition 3", "151", "Q(.; beta*) is mu-smooth on B"),
    ("Definition 4", "153", "Q(.; beta*) is v-strongly concave on B"),
    (
        "Definition 5",
        "159",
        "P(A(D) in S) <= e^epsilon P(A(D') in S) + delta, D and D' replace-one",
    ),
    ("Definition 6", "161", "the same for one record's local randomiser"),
):
    not_checkable(
        f"000 {_number}",
        lines=_lines,
        kind="definition",
        printed=_printed,
        reason="a definition; the mixture's constants are Lemma 3",
        algorithms=_BOTH,
    )


@statement(
    "000 (12)",
    lines="147-149",
    kind="definition",
    printed="|grad Q(beta; beta*) - grad Q(beta; beta)| <= gamma |beta - beta*|",
    refuses={"gamma = p/2": {"share": "1/2"}},
)
def lipschitz_gradient(share: str = "1") -> Outcome:
    """The mean of N(beta*, 1) of which a part p is missing: (12) with gamma = p, and equality.

    E(X - beta)^2 is 1 + (m - beta)^2 with m = beta* for what is seen, m = beta' for what is missing
    and imputed with beta'; gradients are in the first argument.
    """
    beta, given, truth, p = symbols("beta given truth p", real=True)
    q = -((1 - p) * (1 + (truth - beta) ** 2) + p * (1 + (given - beta) ** 2)) / 2
    slope = sp.diff(q, beta)
    change = slope.subs(given, truth) - slope.subs(given, beta)
    return definition(identity((change, sp.Rational(share) * p * (truth - beta))))


not_checkable(
    "000 Assumption 1",
    lines="157",
    kind="assumption",
    printed="Definitions 1-4 hold on B and E(nabla_j q(beta; beta))^2 <= tau, independent over "
    "records",
    reason="an assumption; for the mixture its parts are Lemma 3 and Lemma 4",
    algorithms=_BOTH,
)


@statement(
    "000 Definition 7",
    lines="163",
    kind="privacy",
    printed="sigma >= sqrt(2 ln(1.25/delta)) Delta_2/epsilon gives (epsilon, delta)-DP",
    false="no upper limit on epsilon; false for large epsilon",
    special_case_of="004 Definition 2.1.3",
    errata=("wang-mean/E3",),
)
def gaussian_mechanism() -> Outcome:
    """Enclose the exact delta at epsilon = 8."""
    epsilon, delta = ball(8), ball("1e-3")
    mu = epsilon / sqrt(2 * log(ball("1.25") / delta))
    point = {"epsilon": 8.0, "delta": 1e-3, "sensitivity": 1.0, "sigma": 1 / float(mu)}
    return refuted(point, gaussian_delta(mu, epsilon), delta, "exact delta against delta")


@gaussian_mechanism.corrected(
    "the same for epsilon <= 1 (and as far as 2)",
    refuses={
        "ln(1/delta)": {"constant": "1"},
        "sqrt(ln(1.25/delta))": {"two": 1},
        "as far as 16": {"largest": 16},
        "Delta_2/epsilon^2": {"epsilon_power": 2},
    },
)
def gaussian_mechanism_at_small_epsilon(
    constant: str = "1.25", two: int = 2, largest: int = 2, epsilon_power: int = 1
) -> Outcome:
    """See :func:`proofs_checks.basics.gaussian_at_small_epsilon`, s = sqrt(2 ln(1.25/delta))."""
    s, change, epsilon = symbols("s Delta epsilon")
    return every(
        identity((change / (s * change / epsilon**epsilon_power), epsilon / s)),
        gaussian_at_small_epsilon(constant, two=two, largest=largest),
    )
