"""Section 6.2.6: the experiments with thresholded covariance matrices."""

from __future__ import annotations

from proofs_checks.balls import Ball, ball, exp, log, sqrt
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, for_all, less, rational, reals, refuted


@statement(
    "004 Section 6.2.6, norm of the samples",
    lines="8225-8233",
    kind="experiment",
    printed="U = (U~ + 50 I)/200 makes the norm of samples of N(0, U) less than 1 (with high "
    "probability)",
    checked="with probability 1/2, at p = 50, the smallest; U~ has no eigenvalue below -25",
    false="the variances are 1/4, and the norm about sqrt(p/4)",
    errata=("diss-6.2.48/E2",),
)
def norm_of_samples() -> Outcome:
    """All eigenvalues of U are at least 1/8, so that ||x||^2 >= chi^2_50/8.

    Chernoff: P(chi^2_p <= y p) <= (y e^(1-y))^(p/2), here y = 8/50.
    """
    y = ball("8/50")
    probability = exp(25 * (log(y) + 1 - y))
    return refuted({"p": 50}, ball("1/2"), probability, "1/2 against the probability at most")


@norm_of_samples.corrected(
    "(U~ + 50 I)/c with c = 5 p (50 + ||U~||_2): P(||x|| > 1) <= e^-p",
    refuses={"c = 3 p (50 + ||U~||_2)": {"level": "3"}, "e^(-1.2 p)": {"rate": "1.2"}},
)
def samples_in_the_ball(level: str = "5", rate: str = "1") -> Outcome:
    """||x||^2 <= ||U||_2 chi^2_p, and ||U||_2 <= 1/(5 p) [step "scale", times p].

    Here norm = ||U~||_2 and size = p ||U||_2.

    Chernoff: P(chi^2_p >= 5p) <= (5 e^-4)^(p/2), and (4 - ln 5)/2 >= 1 [step "tail"].
    """
    norm, size, c = reals("norm size c/p")
    return derived(
        scale=for_all(
            5 * size <= 1,
            *(norm >= 0, c == rational(level) * (50 + norm), size * c <= 50 + norm),
        ),
        tail=less(ball(rate), (ball(5) - 1 - log(ball(5))) / 2),
    )


def _threshold(p: int, n: int, gamma: str) -> Ball:
    """T of (6.23) at epsilon = 1, delta = 1/n."""
    noise = 4 * sqrt(2 * log(ball("1.25") * n))
    return (ball(gamma) + noise) * sqrt(log(ball(p)) / n)


@statement(
    "004 Section 6.2.6, LDP-Thresholding",
    lines="8235-8237, 8243-8247",
    kind="experiment",
    printed="Figures 6.7 and 6.8, epsilon = 1, delta = 1/n: the relative error of LDP-Thresholding "
    "falls with n as Theorem 6.2.3 has it",
    checked="for n <= 10^4 the threshold is at most the largest entries of U, the diagonal's 1/4",
    false="it is larger at every p, whatever gamma: but for chance entries the output is zero",
    fails=True,
    errata=("diss-6.2.49/E2",),
)
def threshold_above_the_diagonal() -> Outcome:
    """T falls with n, as log(1.25 n)/n does from n = 3 on, and grows with p and gamma."""
    point = {"p": 50, "n": 10_000, "gamma": 0}
    return refuted(point, _threshold(50, 10_000, "0"), ball("1/4"), "T against the diagonal")


@threshold_above_the_diagonal.corrected(
    "from n = 10^5 on T is below 1/4 for p <= 500 and gamma <= 2",
    refuses={"from n = 3 * 10^4 on": {"n": 30_000}},
    unchecked={
        "10, 5": "n = 10^5 in the step",
        "T": "the step has its value",
        "p, gamma": "500 and 2 in the step, their largest",
    },
)
def threshold_below_the_diagonal(n: int = 100_000) -> Outcome:
    """At the largest p and gamma; n can only be larger."""
    return less(_threshold(500, n, "2"), ball("1/4"))
