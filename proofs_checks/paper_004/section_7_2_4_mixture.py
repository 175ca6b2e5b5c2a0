"""Section 7.2.4: the Gaussian mixture's constants and the number of records it needs."""

from __future__ import annotations

from functools import partial

from proofs_checks import em_mixture as shared
from proofs_checks.em_descent import noise_floor
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin as any_twin

statement = partial(any_statement, algorithms=("diss-7.2.56",))
twin = partial(any_twin, algorithms=("diss-7.2.56",))

twin(
    "004 Lemma 7.2.3",
    of="000 Lemma 3",
    lines="9666",
    printed="SNR >= r large: self-consistent, gamma = exp(-C r^2), mu = v = 1, R = |beta*|/4",
    checked="the same with the posterior weight for (7.45), and C = 1/2",
)
twin(
    "004 Lemma 7.2.4",
    of="000 Lemma 4",
    lines="9670",
    reason="beta_j may be |beta*|/4 away from beta*_j: Lemma 7.2.20 bounds the centred variable",
)


@statement(
    "004 Theorem 7.2.4",
    lines="9678-9684",
    kind="utility",
    printed="(7.64): n >= Omega~(d^2 sqrt(|beta*|_inf^2 + sigma^2) L Lambda/(epsilon^2 "
    "|beta*|^2)) gives (7.65)",
    false="not homogeneous: (7.65) repeats Theorem 7.2.3's factor R (of the root in (7.64) see "
    "there)",
    errata=("diss-7.2.56/E2",),
)
def condition() -> Outcome:
    """See :func:`proofs_checks.em_descent.noise_floor`; (7.64) holds with constant 10."""
    return noise_floor("theorem 7.2.4")


@condition.corrected(
    "n >= Omega~(d^2 (|beta*|_inf^2 + sigma^2 + |beta*|^2) L Lambda/(epsilon^2 |beta*|^2)) "
    "gives (7.62), with the corrected tau of Lemma 7.2.4",
    refuses={"d for d^2": {"dimension_power": 1}, "without |beta*|^2 in the sum": {"size": 0}},
)
def homogeneous_condition(dimension_power: int = 2, size: int = 1) -> Outcome:
    """See :func:`proofs_checks.em_mixture.homogeneous_condition`."""
    return shared.homogeneous_condition(dimension_power, size)
