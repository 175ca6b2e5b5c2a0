"""Section 6.3: the output perturbation by Wishart noise and the two Gaussian mechanisms."""

from __future__ import annotations

from proofs_checks.balls import ball, expm1, log, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_6_1_local_pca import local_privacy_at_sensitivity_root_two
from proofs_checks.statement import statement
from proofs_checks.vocabulary import refuted


@statement(
    "004 Theorem 6.3.1",
    lines="8721, 8890-8929",
    kind="privacy",
    printed="Theta* + W_d(d + 1, d^(5/2)/(n epsilon rho^2) I) is epsilon-DP",
    false="the supports {W > Theta} and {W > Theta'} differ; the proof's density ratio ignores it",
    errata=("diss-6.3.50/E1",),
)
def output_perturbation() -> Outcome:
    """d = n = rho = epsilon = 1, a unit record against a zero record.

    The minimisers are 1/(S + rho) = 1/2 and 1. N = chi^2_2 is below their distance with probability
    1 - e^(-1/4); the output 1/2 + N is then impossible under the zero record.
    """
    point = {"records": [1.0, 0.0], "d": 1, "n": 1, "rho": 1.0, "epsilon": 1.0}
    return refuted(point, -expm1(ball("-1/4")), 0, "probability under D against e^eps times 0")


def _too_little_noise(epsilon: str) -> Outcome:
    e, delta = ball(epsilon), ball("1e-5")
    mu = sqrt(ball(2)) * e / sqrt(2 * log(ball("1.25") / delta))
    point = {"records": [[1.0, 0.0], [0.0, 1.0]], "epsilon": float(epsilon), "delta": 1e-5}
    return refuted(point, gaussian_delta(mu, e), delta, "exact delta against delta")


@statement(
    "004 Theorem 6.3.7 (privacy)",
    lines="8783",
    kind="privacy",
    printed="S + symmetric N(0, beta^2), beta = sqrt(2 ln(1.25/delta))/(n epsilon), is "
    "(epsilon, delta)-DP for any epsilon > 0",
    false="the sensitivity is sqrt 2/n, not 1/n; and the constant needs epsilon <= 1",
    errata=("diss-6.3.51-G/E1",),
)
def gaussian_covariance() -> Outcome:
    """Replace e_1 by e_2; the factor 1/n is in both the sensitivity and the noise."""
    return _too_little_noise("1")


@gaussian_covariance.corrected(
    "sqrt 2 times the noise, or its variance doubled on the diagonal, for epsilon <= 1",
    refuses={"sensitivity^2 1.9": {"squared": "1.9"}},
)
def gaussian_covariance_at_root_two(squared: str = "2") -> Outcome:
    """See Theorem 6.1.2 (privacy)."""
    return local_privacy_at_sensitivity_root_two(squared)


@statement(
    "004 Theorem 6.3.8 (privacy)",
    lines="8816",
    kind="privacy",
    printed="every message x x^T/n + symmetric N(0, beta^2), beta = sqrt(2 ln(1.25/delta))/(n "
    "epsilon), is (epsilon, delta)-LDP for any epsilon > 0",
    false="the sensitivity is sqrt 2/n, not 1/n; and the constant needs epsilon <= 1",
    special_case_of="004 Theorem 6.1.2 (privacy)",
    errata=("diss-6.3.53/E1",),
)
def local_covariance() -> Outcome:
    """The messages of the records e_1 and e_2."""
    return _too_little_noise("2")


@local_covariance.corrected(
    "sqrt 2 times the noise, or its variance doubled on the diagonal, for epsilon <= 1",
    refuses={"sensitivity^2 1.9": {"squared": "1.9"}},
)
def local_covariance_at_root_two(squared: str = "2") -> Outcome:
    """See Theorem 6.1.2 (privacy)."""
    return local_privacy_at_sensitivity_root_two(squared)
