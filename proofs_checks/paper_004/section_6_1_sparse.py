"""Section 6.1: sparse principal components, their privacy and the two tails of the proof."""

from __future__ import annotations

from mpmath import mp

from proofs_checks.balls import ball, exp, log, ndtr, sqrt
from proofs_checks.basics import gaussian_delta
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_6_1_local_pca import local_privacy_at_sensitivity_root_two
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, for_all, identity, nonnegative, reals, refuted


@statement(
    "004 Theorem 6.1.4 (privacy)",
    lines="7469",
    kind="privacy",
    printed="upper-triangle noise of variance 2 ln(1.25/delta)/epsilon^2 on x x^T is "
    "(epsilon, delta)-LDP for 0 < epsilon, delta < 1",
    false="the sensitivity is sqrt 2, not 1",
    errata=(("diss-6.1.47", 0),),
)
def sparse_privacy() -> Outcome:
    """As Theorem 6.1.2, at an epsilon below 1."""
    epsilon, delta = ball("0.9"), ball("1e-5")
    mu = sqrt(ball(2)) * epsilon / sqrt(2 * log(ball("1.25") / delta))
    point = {"records": [[1.0, 0.0], [0.0, 1.0]], "epsilon": 0.9, "delta": 1e-5}
    return refuted(point, gaussian_delta(mu, epsilon), delta, "exact delta against delta")


@sparse_privacy.corrected(
    "sqrt 2 times the noise, or its variance doubled on the diagonal",
    refuses={"sensitivity^2 1.9": {"squared": "1.9"}},
)
def sparse_privacy_at_sensitivity_root_two(squared: str = "2") -> Outcome:
    """See Theorem 6.1.2 (privacy)."""
    return local_privacy_at_sensitivity_root_two(squared)


@statement(
    "004 Lemma 6.1.16",
    lines="7808",
    kind="concentration",
    printed="P(|S_ij - Sigma_ij| >= t) <= 2 exp(-4 n t^2/(c lambda_1)^2) for all t",
    false="false for large t, where the tails of chi^2 are exponential: no constant c",
    errata=(("ledger:6.1.16", 1),),
)
def entry_tail() -> Outcome:
    """p = n = 1, N(0, 1): P(chi^2_1 >= 1 + t) is about e^(-t/2).

    Refutes c^2 = 1000 at t = 256; t = c^2 does it for any c.
    """
    t, squared = 256, 1000
    with mp.workdps(30):
        tail = mp.erfc(mp.sqrt(mp.mpf(1 + t) / 2))
        bound = 2 * mp.exp(-mp.mpf(4 * t**2) / squared)
        return refuted({"p": 1, "n": 1, "t": t, "c^2": squared}, tail, bound, "probability")


@entry_tail.corrected(
    "P(|S_ij - Sigma_ij| >= t) <= 4 exp(-n t^2/(8 lambda_1^2)) for t <= lambda_1, Gaussian records",
    refuses={"n t^2/(6 lambda_1^2)": {"constant": 6}},
)
def entry_tail_near_the_mean(constant: int = 8) -> Outcome:
    """Chernoff: P(chi^2_n/n - 1 >= s) <= exp(-n (s - ln(1 + s))/2), and the lower tail is lighter.

    s - ln(1 + s) >= 2 s^2/c on [0, 1], c = 8: both are 0 at 0, and of the derivatives s/(1 + s) is
    at least 4 s/c [step "slope", "half"]. The lower tail has -s - ln(1 - s) >= s^2/2 instead. Then
    4 x_i x_j = (x_i + x_j)^2 - (x_i - x_j)^2, whose means are v n chi^2 averages with v at most
    2 lambda_1 [step "polarisation"]: a deviation t of S_ij needs one of 2 t = s v, s >= t/lambda_1,
    of either square: two times two tails.
    """
    s = sp.Symbol("s", positive=True)
    x, y = sp.symbols("x y", real=True)
    z = reals("z")
    return derived(
        slope=identity((sp.diff(s - sp.log(1 + s), s), s / (1 + s))),
        half=for_all(z / (1 + z) >= 4 * z / constant, z >= 0, z <= 1),
        polarisation=identity((4 * x * y, (x + y) ** 2 - (x - y) ** 2)),
    )


@statement(
    "004 Proof of Theorem 6.1.4, ||Z||_inf",
    lines="7812",
    kind="concentration",
    printed="||Z||_inf <= t with probability at least 1 - 2 p^2 exp(-t^2/sigma^2)",
    false="misprint: the exponent is t^2/(2 sigma^2), as in (6.13)",
    errata=(("diss-6.1.47", 4),),
)
def largest_entry() -> Outcome:
    """p = 1: the tail of one normal entry."""
    point = {"p": 1, "t": 3.0, "sigma": 1.0}
    return refuted(point, 2 * ndtr(ball(-3)), 2 * exp(ball(-9)), "probability against bound")


@largest_entry.corrected(
    "1 - 2 p^2 exp(-t^2/(2 sigma^2))", refuses={"exp(-t^2/(1.9 sigma^2))": {"constant": "1.9"}}
)
def largest_entry_with_two(constant: str = "2") -> Outcome:
    """P(|g| >= t) <= exp(-t^2/2) for one entry, at most p^2 of which are added.

    The difference exp(-t^2/2) - 2 Phi(-t) is 0 at 0 and tends to 0; its derivative is
    exp(-t^2/2) (2/sqrt(2 pi) - t) [step "slope"], positive first and then negative, so that the
    difference is never negative. On a box it is enclosed [step "box"].
    """
    t = sp.Symbol("t", positive=True)
    c = sp.Rational(constant)
    gap = sp.exp(-(t**2) / c) - sp.erfc(t / sp.sqrt(2))
    slope = sp.exp(-(t**2) / 2) * (2 / sp.sqrt(2 * sp.pi) - t)
    return derived(
        slope=identity((sp.diff(gap, t), slope)),
        box=nonnegative(
            lambda u: exp(-(u * u) / ball(constant)) - 2 * ndtr(-u), {"t": ("0.01", 8)}
        ),
    )
