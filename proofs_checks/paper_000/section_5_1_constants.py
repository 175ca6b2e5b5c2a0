"""Section 5.1: the Gaussian mixture's constants and the number of records it needs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_checks import em_mixture as shared
from proofs_checks.em_descent import noise_floor
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import refuted

_BOTH = ("wang-1", "wang-2")
statement = partial(any_statement, algorithms=_BOTH)


@statement(
    "000 Lemma 3",
    lines="321 (004 Lemma 7.2.3)",
    kind="optimisation",
    printed="SNR >= r large: self-consistent, gamma = exp(-C tau^2), mu = v = 1, R = |beta*|/4",
    checked="the same with gamma = exp(-C r^2), the posterior weight for (5), and C = 1/2",
    refuses={"C = 0.75": {"constant": 0.75}},
)
def constants(constant: float = 0.5) -> Outcome:
    """See :func:`proofs_checks.em_mixture.mixture_constants`."""
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
    """See :func:`proofs_checks.em_mixture.printed_moment`."""
    return shared.printed_moment()


@moment.corrected(
    "<= (sqrt(|beta*|_inf^2 + sigma^2) + |beta*|_inf + R)^2",
    refuses={"without R": {"radius": 0}},
)
def moment_with_radius(radius: int = 1) -> Outcome:
    """See :func:`proofs_checks.em_mixture.moment_with_radius`."""
    return shared.moment_with_radius(radius)


@statement(
    "000 Theorem 6",
    lines="334-342 (004 Theorem 7.2.4)",
    kind="utility",
    printed="(26): n >= Omega~(d^2 sqrt(|beta*|_inf^2 + sigma^2) sqrt(L Lambda)/(epsilon "
    "|beta*|^2)) gives (27)",
    false="not homogeneous: (27) repeats Theorem 5's factor R, and (26) has a root that (24) with "
    "Lemma 4's tau has not",
    errata=("000 Theorem 6/E1",),
)
def condition() -> Outcome:
    """See :func:`proofs_checks.em_descent.noise_floor`; (26) holds with constant 10."""
    return noise_floor("theorem 6")


@condition.corrected(
    "n >= Omega~(d^2 (|beta*|_inf^2 + sigma^2 + |beta*|^2) sqrt(L Lambda)/(epsilon |beta*|^2)) "
    "gives (24), with the corrected tau of Lemma 4",
    refuses={"d for d^2": {"dimension_power": 1}, "without |beta*|^2 in the sum": {"size": 0}},
)
def homogeneous_condition(dimension_power: int = 2, size: int = 1) -> Outcome:
    """See :func:`proofs_checks.em_mixture.homogeneous_condition`."""
    return shared.homogeneous_condition(dimension_power, size)


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
    """tau = |beta*|_inf^2 + sigma^2, R = |beta*|/4, without what (24) and (26) share."""
    norm = Fraction(10**6)
    point = {"|beta*|": float(norm), "sigma": float(norm), "d": 1}
    demanded = 2 * norm**2 / (norm / 4) ** 2
    rooted = Fraction(3, 2) * norm / norm**2  # sqrt 2 <= 3/2
    return refuted(point, demanded, 1000 * rooted, "what (24) asks, against 1000 times (26)")


@rooted_condition.corrected(
    "n >= Omega~(d^2 (|beta*|_inf^2 + sigma^2 + |beta*|^2) sqrt(L Lambda)/(epsilon |beta*|^2)), "
    "with the corrected tau of Lemma 4",
    refuses={"d for d^2": {"dimension_power": 1}, "without |beta*|^2 in the sum": {"size": 0}},
)
def condition_without_root(dimension_power: int = 2, size: int = 1) -> Outcome:
    """See :func:`proofs_checks.em_mixture.homogeneous_condition`."""
    return shared.homogeneous_condition(dimension_power, size)


not_checkable(
    "000 Remark 2",
    lines="344 (004 Remark 7.2.2)",
    kind="remark",
    printed="sample complexity O~(d^2/(alpha^2 epsilon)), near-optimal for constant epsilon",
    reason="the arithmetic follows from (27); the optimal rate is cited, not proved",
    algorithms=("wang-2",),
)
