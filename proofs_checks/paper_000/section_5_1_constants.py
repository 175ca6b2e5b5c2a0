"""Section 5.1: the Gaussian mixture's constants and the number of records it needs."""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_checks.em import mixture as shared
from proofs_checks.em.descent import noise_floor
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, identity, rational, reals, symbols

_BOTH = ("wang-1", "wang-2")
statement = partial(any_statement, algorithms=_BOTH)

_REFUSED: dict[str, dict[str, Any]] = {
    "d for d^2": {"dimension_power": 1},
    "without |beta*|^2 in the sum": {"size": 0},
    "1/|beta*|": {"norm_power": 1},
    "1/epsilon^2": {"epsilon_power": 2},
    "L Lambda": {"delta_power": "1"},
}


@statement(
    "000 Lemma 3",
    lines="321 (004 Lemma 7.2.3)",
    kind="optimisation",
    printed="SNR >= r large: self-consistent, gamma = exp(-C tau^2), mu = v = 1, R = |beta*|/4",
    checked="the same with gamma = exp(-C r^2) and C = 1/2",
    repair="the posterior weight instead of (5)'s, under which beta* is not self-consistent",
    refuses={"C = 0.75": {"constant": 0.75}},
    errata=("model-gmm/E1",),
    unchecked={
        "tau": 'a slip for r, as "checked" says',
        "mu, v": "both 1: the step has the second derivative of q, -1",
        "R": "the search goes as far as |beta*|/4 from beta*",
    },
)
def constants(constant: float = 0.5) -> Outcome:
    """See :func:`proofs_checks.em.mixture.mixture_constants`."""
    return shared.mixture_constants(constant)


@statement(
    "000 Lemma 4",
    lines="326 (004 Lemma 7.2.4)",
    kind="concentration",
    printed="E(nabla_j q(beta; beta))^2 <= O(|beta*|_inf^2 + sigma^2) for every beta in B",
    false="beta_j may be |beta*|/4 away from beta*_j: Lemma 19 bounds the centred variable",
    errata=("000 Lemma 4/E1",),
)
def moment() -> Outcome:
    """See :func:`proofs_checks.em.mixture.printed_moment`."""
    return shared.printed_moment()


@moment.corrected(
    "<= (sqrt(|beta*|_inf^2 + sigma^2) + |beta*|_inf + R)^2",
    refuses={"without R": {"radius": 0}, "without sigma^2": {"noise": 0}},
)
def moment_with_radius(radius: int = 1, noise: int = 1) -> Outcome:
    """See :func:`proofs_checks.em.mixture.moment_with_radius`."""
    return shared.moment_with_radius(radius, noise)


@statement(
    "000 Theorem 6",
    lines="334-342 (004 Theorem 7.2.4)",
    kind="utility",
    printed="(26): n >= Omega~(d^2 sqrt(|beta*|_inf^2 + sigma^2) sqrt(L Lambda)/(epsilon "
    "|beta*|^2)) gives (27)",
    false="not homogeneous: (27) repeats Theorem 5's factor R (of the root in (26) see there)",
    errata=("wang-2/E3",),
)
def condition() -> Outcome:
    """See :func:`proofs_checks.em.descent.noise_floor`; (26) holds with constant 10."""
    return noise_floor("theorem 6")


@condition.corrected(
    "n >= Omega~(d^2 (|beta*|_inf^2 + sigma^2 + |beta*|^2) sqrt(L Lambda)/(epsilon |beta*|^2)) "
    "gives (24), with the corrected tau of Lemma 4",
    refuses=_REFUSED,
    unchecked={
        "n": "the steps compare the numbers of records that this and (24) ask for",
    },
)
def homogeneous_condition(**parts: Any) -> Outcome:
    """See :func:`proofs_checks.em.mixture.homogeneous_condition`."""
    return shared.homogeneous_condition(**parts)


@statement(
    "000 (26)",
    lines="336",
    kind="utility",
    printed="n >= Omega~(d^2 sqrt(|beta*|_inf^2 + sigma^2) sqrt(L Lambda)/(epsilon |beta*|^2)), "
    "which is (24) with the tau of Lemma 4",
    false="a root that (24) has not: the number of records depends on the unit of length",
    errata=("000 Theorem 6/E1",),
)
def rooted_condition() -> Outcome:
    """See :func:`proofs_checks.em.mixture.rooted_condition`."""
    return shared.rooted_condition("what (24) asks, against 1000 times (26)")


@rooted_condition.corrected(
    "n >= Omega~(d^2 (|beta*|_inf^2 + sigma^2 + |beta*|^2) sqrt(L Lambda)/(epsilon |beta*|^2)), "
    "with the corrected tau of Lemma 4",
    refuses=_REFUSED,
    unchecked={
        "n": "the steps compare the numbers of records that this and (24) ask for",
    },
)
def condition_without_root(**parts: Any) -> Outcome:
    """See :func:`proofs_checks.em.mixture.homogeneous_condition`."""
    return shared.homogeneous_condition(**parts)


@any_statement(
    "000 Remark 2",
    lines="344 (004 Remark 7.2.2)",
    kind="remark",
    printed="for sigma, ||beta*|| = O(1), (27) is O~(d/sqrt(n epsilon)); an error of alpha in (0, "
    "1) takes O~(d^2/(alpha^2 epsilon)) records, near-optimal for constant epsilon: O~(d^2 (1/"
    "alpha^2 + 1/(alpha epsilon))) (Kamath et al., 2019)",
    checked="without logarithms: sqrt(2) d/sqrt(n epsilon) for sigma, ||beta*|| <= 1; the ratio of "
    "the two numbers of records is between 1/(1 + epsilon) and 1/epsilon; the rate itself is cited",
    refuses={
        "d/sqrt(n epsilon)": {"constant": "1"},
        "d^2/(alpha epsilon)": {"alpha_power": 1},
        "d^2 (1/alpha^2 + 1/(alpha^2 epsilon))": {"cross_power": 2},
        "a ratio of at least 1/(1/2 + epsilon)": {"most": "1/2"},
    },
    algorithms=("wang-2",),
)
def sample_complexity(
    constant: str = "2", alpha_power: int = 2, most: str = "1", cross_power: int = 1
) -> Outcome:
    """Squares: with b = ||beta*||^2, w = ||beta*||_inf^2 (27) is b (w + sigma^2) d^2/(n epsilon).

    Here square = sigma^2.

    At sigma, ||beta*|| <= 1 that is at most 2 d^2/(n epsilon) [step "rate"], and alpha^2 at
    n = 2 d^2/(alpha^2 epsilon) [step "records"]. Times alpha^2 epsilon/d^2 the two numbers are 1
    and epsilon + alpha [step "optimal"], alpha in (0, 1) [step "ratio"].
    """
    b, w, square, alpha, epsilon = reals("b w square alpha epsilon")
    d, n, accuracy, budget = symbols("d n alpha epsilon")
    at_most = sp.Rational(constant) * d**2 / (n * budget)
    records = sp.Rational(constant) * d**2 / (accuracy**alpha_power * budget)
    cited = d**2 * (1 / accuracy**2 + 1 / (accuracy**cross_power * budget))
    optimal = epsilon + alpha
    return derived(
        rate=for_all(
            b * (w + square) <= rational(constant),
            *(b >= 0, b <= 1, w >= 0, w <= b, square >= 0, square <= 1),
        ),
        records=identity((at_most.subs(n, records), accuracy**2)),
        optimal=identity((cited * accuracy**2 * budget / d**2, budget + accuracy)),
        ratio=for_all(
            z3.And(optimal <= rational(most) + epsilon, epsilon <= optimal),
            *(alpha > 0, alpha < 1, epsilon > 0),
        ),
    )
