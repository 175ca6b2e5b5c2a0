"""Section 6.3: the output perturbation by Wishart noise and the two Gaussian mechanisms."""

from __future__ import annotations

import numpy as np

from proofs_checks.balls import ball, expm1, log, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.random_matrices import symmetric, unit_rows
from proofs_checks.paper_004.section_6_1_local_pca import local_privacy_at_sensitivity_root_two
from proofs_checks.paper_004.section_6_3_graphical_lasso import PROJECTED, stability_check
from proofs_checks.statement import Wrong, statement
from proofs_checks.vocabulary import (
    derived,
    every,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.matrices.graphical_lasso import graphical_lasso
from reference.matrices.precision_output_perturbation import with_eigenvalues_in
from reference.matrices.second_moments import second_moment
from reference.privacy.mechanisms import SymmetricGaussian


@statement(
    "004 Theorem 6.3.1",
    lines="8721, 8890-8929",
    kind="privacy",
    printed="Theta* + W_d(d + 1, d^(5/2)/(n epsilon rho^2) I) is epsilon-DP",
    false="the supports {W > Theta} and {W > Theta'} differ; the proof's density ratio ignores it",
    algorithms=("diss-6.3.50",),
    errata=("diss-6.3.50/E1",),
)
def output_perturbation() -> Outcome:
    """d = n = rho = epsilon = 1, a unit record against a zero record.

    The minimisers are 1/(S + rho) = 1/2 and 1. N = chi^2_2 is below their distance with probability
    1 - e^(-1/4); the output 1/2 + N is then impossible under the zero record.
    """
    point = {"records": [1.0, 0.0], "d": 1, "n": 1, "rho": 1.0, "epsilon": 1.0}
    return refuted(point, -expm1(ball("-1/4")), 0, "probability under D against e^eps times 0")


@statement(
    "004 Remark 6.3.1",
    lines="8731",
    kind="remark",
    printed="in Algorithm 6.3.50 a Wishart matrix needs to be added for the output to be positive "
    "definite; with others, such as symmetric Laplace matrices, it may not be",
    false="the Wishart matrix is not epsilon-DP; the other output can be projected",
    fails=True,
    algorithms=("diss-6.3.50",),
    errata=("diss-6.3.50/E1",),
)
def wishart_needed() -> Outcome:
    """The witness of Theorem 6.3.1, at epsilon = .1: N = 10 chi^2_2 is below 1/2 by chance."""
    point = {"records": [1.0, 0.0], "d": 1, "n": 1, "rho": 1.0, "epsilon": 0.1}
    return refuted(point, -expm1(ball("-1/40")), 0, "probability under D against e^eps times 0")


@wishart_needed.corrected(
    "Theta* + symmetric Laplace noise may not be positive definite; projected on the matrices with "
    "eigenvalues in [1/(1 + rho d), d/rho] it is, and no farther from Theta*",
    refuses={"0.9 of the distance": {"factor": "0.9"}},
    unchecked={
        "rho": ".3 in what is drawn; the interval is that of Lemma 6.3.5",
    },
)
def projected_output(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """Theta* > 0 and Lap(b) are below 0 together with probability e^(-Theta*/b)/2 [step "may not"].

    Theta* has its eigenvalues in the interval, by Lemma 6.3.5 and ||S||_2 <= 1. The matrices that
    have are convex, so that with Q the projection of X on them |X - Theta*|^2 is |X - Q|^2 +
    |Q - Theta*|^2 - 2 c with c <= 0 [step "nearer"]. The code's projection has all that [step
    "code"].
    """
    x, theta, b = symbols("x theta b")
    away, left, product = reals("a b c")
    farthest, lowest, tried = 0.0, np.inf, 40
    for index in range(tried):
        d, penalty = 1 + index % 5, 0.3
        theta_star = graphical_lasso(second_moment(unit_rows(d + 1, d, rng)), penalty=penalty).theta
        noise = 10.0 ** rng.uniform(-1, 2) * symmetric(d, rng)
        cut = with_eigenvalues_in(theta_star + noise, 1 / (1 + penalty * d), d / penalty)
        lowest = min(lowest, float(np.linalg.eigvalsh(cut)[0]) * (1 + penalty * d))
        moved = float(np.linalg.norm(cut - theta_star) / np.linalg.norm(noise))
        farthest = max(farthest, moved)
    return derived(
        may_not=identity(
            (sp.integrate(sp.exp(-x / b) / (2 * b), (x, theta, sp.oo)), sp.exp(-theta / b) / 2)
        ),
        nearer=for_all(
            left <= rational(factor) * (away + left - 2 * product),
            *(away >= 0, left >= 0, product <= 0),
        ),
        code=every(
            searched(farthest, 1 + 1e-9, tried=tried, what="distance to Theta* over the noise's"),
            searched(1 - 1e-9, lowest, tried=tried, what="smallest eigenvalue over its bound"),
        ),
    )


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
    algorithms=("diss-6.3.51-G",),
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
    algorithms=("diss-6.3.53",),
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


# --------------------------------------------------------------------------------- utility


def _gaussian_utility(
    rng: np.random.Generator,
    *,
    messages: bool,
    halves: int = 2,
    logs: int = 1,
    records: int,
    tail: str = "5",
) -> Outcome:
    """Let m = d (d + 1)/2 and g be the standardised entries of the upper triangle of N.

    ||N||_F^2 counts an entry off the diagonal twice, so it is at most 2 beta^2 |g|^2 [step
    "triangle"], and |g|^2 <= 5 m but for probability (5 e^-4)^(m/2) <= e^-m [step "tail",
    Chernoff]. That is at most 10 (beta d)^2 [step "entries", d = root^2]. Theorem 6.3.3 [step
    "stability"] holds at the projection of S + N, which is no farther from S than S + N [step
    "nearer"; the cone is convex and S in it]. For delta <= 1/2 ln(1.25/delta) <= 1.4 L,
    L = ln(1/delta) [step "logarithm"]; the sum of n messages with noise beta has the variance n
    beta^2 [step "order", the squares]. No draw of the code's noise is above the bound [step
    "code"].
    """
    diagonal, above, root = reals("diagonal above root")
    a, b, c = reals("a b c")
    level, n, epsilon, d = symbols("L n epsilon d")
    variance = 2 * sp.Rational(7, 5) * level / (n * epsilon) ** 2 * (n if messages else 1)
    n_power, level_power = sp.Rational(records, 2), sp.Rational(logs, 2)
    claimed = sp.sqrt(28) * d * level**level_power / (epsilon * n**n_power)
    size, runs = 6, 400
    law = SymmetricGaussian(1.0)
    zero = np.zeros((runs, size, size))
    norms = np.linalg.norm(law.output(zero, law.draw(zero, rng)), axis=(1, 2))
    worst = float(norms.max()) / (np.sqrt(10) * size ** (halves / 2))
    return derived(
        triangle=for_all(diagonal + 2 * above <= 2 * (diagonal + above), diagonal >= 0, above >= 0),
        tail=less(ball(1), (ball(tail) - 1 - log(ball(tail))) / 2),
        entries=for_all(5 * root**2 * (root**2 + 1) <= 10 * root ** (2 * halves), root >= 1),
        stability=stability_check(rng),
        nearer=for_all(b <= a + b - 2 * c, a >= 0, b >= 0, c <= 0),
        logarithm=less(log(ball("1.25")), ball("0.4") * log(ball(2))),
        order=identity((10 * variance * d**2, claimed**2)),
        code=searched(worst, 1, tried=runs, what="norm of N over the bound, d = 6"),
    )


_UTILITY: Wrong = {
    "sqrt d for d": {"halves": 1},
    "ln(1/delta) without the root": {"logs": 2},
    "4 m in the proof": {"tail": "4"},
}


@statement(
    "004 Theorem 6.3.7 (utility)",
    lines="8783-8785",
    kind="utility",
    printed="(6.97): ||Theta_hat - Theta*||_F = O(d sqrt(ln(1/delta)) max(..)/(e n)) with high "
    "probability",
    checked="with epsilon n for e n",
    added="delta <= 1/2; probability 1 - e^(-d(d+1)/2), constant sqrt 28",
    misprint="e n for epsilon n",
    repair=PROJECTED,
    errata=("diss-6.3.51/E6", "diss-6.3.51-G/E2"),
    algorithms=("diss-6.3.51-G",),
    refuses={**_UTILITY, "1/sqrt n": {"records": 1}, "1/n^2": {"records": 4}},
)
def gaussian_utility(
    rng: np.random.Generator, halves: int = 2, logs: int = 1, records: int = 2, tail: str = "5"
) -> Outcome:
    """See :func:`_gaussian_utility`; records counts halves of the exponent of n."""
    return _gaussian_utility(
        rng, messages=False, halves=halves, logs=logs, records=records, tail=tail
    )


gaussian_utility.restated("004 (6.97)", lines="8785", printed="the error of Theorem 6.3.7")


@statement(
    "004 Theorem 6.3.8 (utility)",
    lines="8816-8822",
    kind="utility",
    printed="||Theta_hat - Theta*||_F = O(d sqrt(ln(1/delta)) max(..)/(epsilon sqrt n)) with high "
    "probability",
    added="delta <= 1/2; probability 1 - e^(-d(d+1)/2), constant sqrt 28",
    repair=PROJECTED,
    errata=("diss-6.3.51/E6",),
    algorithms=("diss-6.3.53",),
    refuses={**_UTILITY, "1/n": {"records": 2}, "no n": {"records": 0}},
)
def local_utility(
    rng: np.random.Generator, halves: int = 2, logs: int = 1, records: int = 1, tail: str = "5"
) -> Outcome:
    """See :func:`_gaussian_utility`; records counts halves of the exponent of n."""
    return _gaussian_utility(
        rng, messages=True, halves=halves, logs=logs, records=records, tail=tail
    )
