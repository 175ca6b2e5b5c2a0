"""Section 7.2.4: the Gaussian mixture's constants and the number of records it needs."""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_checks.em import mixture as shared
from proofs_checks.em.descent import noise_floor
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.statement import twin as any_twin

statement = partial(any_statement, algorithms=("diss-7.2.56",))
twin = partial(any_twin, algorithms=("diss-7.2.56",))

_REFUSED: dict[str, dict[str, Any]] = {
    "d for d^2": {"dimension_power": 1},
    "without |beta*|^2 in the sum": {"size": 0},
    "1/|beta*|": {"norm_power": 1},
    "1/epsilon": {"epsilon_power": 1},
    "sqrt(L Lambda)": {"delta_power": "1/2"},
}

twin(
    "004 Lemma 7.2.3",
    of="000 Lemma 3",
    lines="9666",
    printed="SNR >= r large: self-consistent, gamma = exp(-C r^2), mu = v = 1, R = |beta*|/4",
    checked="the same with C = 1/2",
    repair="the posterior weight instead of (7.45)'s, under which beta* is not self-consistent",
    errata=("model-gmm/E1",),
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
    """See :func:`proofs_checks.em.descent.noise_floor`; (7.64) holds with constant 10."""
    return noise_floor("theorem 7.2.4")


@condition.corrected(
    "n >= Omega~(d^2 (|beta*|_inf^2 + sigma^2 + |beta*|^2) L Lambda/(epsilon^2 |beta*|^2)) "
    "gives (7.62), with the corrected tau of Lemma 7.2.4",
    refuses=_REFUSED,
    unchecked={
        "n": "the steps have what it is to exceed",
    },
)
def homogeneous_condition(epsilon_power: int = 2, **parts: Any) -> Outcome:
    """See :func:`proofs_checks.em.mixture.homogeneous_condition`."""
    return shared.homogeneous_condition(epsilon_power=epsilon_power, full=True, **parts)


@statement(
    "004 (7.64)",
    lines="9680",
    kind="utility",
    printed="n >= Omega~(d^2 sqrt(||beta*||_inf^2 + sigma^2) L Lambda/(eps^2 ||beta*||^2)), which "
    "is (7.62) with the tau of Lemma 7.2.4",
    false="a root that (7.62) has not: the number of records depends on the unit of length",
    errata=("000 Theorem 6/E1",),
)
def rooted_condition() -> Outcome:
    """See :func:`proofs_checks.em.mixture.rooted_condition`."""
    return shared.rooted_condition("what (7.62) asks, against 1000 times (7.64)")


@rooted_condition.corrected(
    "n >= Omega~(d^2 (||beta*||_inf^2 + sigma^2 + ||beta*||^2) L Lambda/(eps^2 ||beta*||^2)), with "
    "the corrected tau of Lemma 7.2.4",
    refuses=_REFUSED,
    unchecked={
        "n": "the steps have what it is to exceed",
    },
)
def condition_without_root(epsilon_power: int = 2, **parts: Any) -> Outcome:
    """See :func:`proofs_checks.em.mixture.homogeneous_condition`."""
    return shared.homogeneous_condition(epsilon_power=epsilon_power, full=True, **parts)
