"""Section 6.2.2: the privacy of thresholded covariance matrices."""

from __future__ import annotations

from proofs_checks.balls import ball, exp, log, ndtr, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_6_1_local_pca import local_privacy_at_sensitivity_root_two
from proofs_checks.statement import statement
from proofs_checks.vocabulary import refuted


@statement(
    "004 Theorem 6.2.1",
    lines="7957, 7940-7953",
    kind="privacy",
    printed="Algorithm 6.2.48, S + symmetric N(0, 2 ln(1.25/delta)/(n epsilon)^2), its entries "
    "thresholded and its positive part taken, is (epsilon, delta)-DP for 0 < epsilon, delta <= 1",
    false="the sensitivity is sqrt 2/n, not 1/n, and what is above the threshold is released",
    special_case_of="004 Theorem 6.3.7 (privacy)",
    errata=("diss-6.2.48/E1",),
)
def thresholded_covariance() -> Outcome:
    """Of 200 records in the plane 100 are e_1, the others e_2, and one e_1 becomes an e_2.

    The difference of the two diagonal entries is that of S + N, which has the privacy curve of the
    whole matrix, unless one of them falls below .3 or the other entry exceeds .3 in modulus: else
    the diagonal is above the threshold, .14 at gamma = 1, and the matrix is positive definite. So
    few outputs differ that delta falls by (1 + e) times their probability at most.
    """
    n, epsilon, delta = 200, ball(1), ball("1e-5")
    deviation = sqrt(2 * log(ball("1.25") / delta)) / n
    threshold = sqrt(log(ball(2)) / n) + 4 * deviation * sqrt(log(ball(2)))
    assert threshold < ball("0.3")
    others = (1 + exp(epsilon)) * 4 * ndtr(-(ball("0.495") - ball("0.3")) / deviation)
    left = gaussian_delta(sqrt(ball(2)) / (n * deviation), epsilon) - others
    point = {"n": n, "records": "e_1, e_2", "epsilon": 1.0, "delta": 1e-5, "gamma": 1.0}
    return refuted(point, left, delta, "exact delta of the output, at least, against delta")


@thresholded_covariance.corrected(
    "sqrt 2 times the noise, or its variance doubled on the diagonal",
    refuses={"sensitivity^2 1.9": {"squared": "1.9"}},
)
def thresholded_covariance_at_root_two(squared: str = "2") -> Outcome:
    """See Theorem 6.1.2 (privacy); the rest is post-processing."""
    return local_privacy_at_sensitivity_root_two(squared)
