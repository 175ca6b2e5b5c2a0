"""Seed 004, Lemmas 5.1.1 and 5.1.12: the mean of numbers with local Laplace noise."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from mpmath import iv, mp

from proofs_checks.intervals import lower, prove_nonnegative, upper
from proofs_checks.old_statement import Outcome, Statement
from reference.local.laplace_mean import local_mean
from reference.privacy.ledger import RecordingLedger, ReplayLedger

LARGEST_U = iv.sqrt(5) - 1
"""u = sqrt(1 + a^2) - 1 at a = 2, the end t = 2n/epsilon of the lemma's range."""


def rate(u: iv.mpf) -> iv.mpf:
    """Cramer rate I(a) of a standard Laplace variable at a = sqrt(u (u + 2)).

    sup over lambda of lambda a + log(1 - lambda^2) is attained at lambda = u/a, where it is
    u + log(2/(u + 2)).
    """
    return u - iv.log(1 + u / 2)


CONSTANT = float(lower(rate(LARGEST_U))) / 4
"""c = I(2)/4 = 0.188714, rounded down."""


def exact_tail(n: int, t: str | float | mp.mpf) -> mp.mpf:
    """P(|sum of n standard Laplace variables| >= t), t >= 0, at 40 digits.

    The sum is a difference of two Gamma(n): a mixture of Gamma(n - k) with either sign and
    negative binomial weights.
    """
    with mp.workdps(40):
        t = mp.mpf(t)
        total = mp.fsum(
            mp.binomial(n - 1 + k, k)
            * mp.mpf(2) ** -(n + k)
            * mp.gammainc(n - k, t, regularized=True)
            for k in range(n)
        )
        return 2 * total


# ---------------------------------------------------------------------------- Lemma 5.1.12


def _cases() -> Iterator[tuple[int, str]]:
    """(n, t/n) near the end of the range; below n = 12 the bound still holds."""
    yield from ((11, "1.9999"), (12, "1.9999"), (20, "1.99"), (30, "1.99"), (100, "1.99"))


def _printed_tail(rng: np.random.Generator) -> Outcome:
    ratios = {}
    for n, share in _cases():
        t = mp.mpf(share) * n
        ratios[n] = float(exact_tail(n, t) / (2 * mp.exp(-(t**2) / (4 * n))))
    exact = float(exact_tail(20, mp.mpf("39.8")))
    bound = 2 * math.exp(-(39.8**2) / 80)
    return Outcome(
        all(ratio <= 1 for ratio in ratios.values()),
        "refuted with witness",
        f"epsilon=1, n=20, t=39.8: exact {exact:.4g}, bound {bound:.4g}; exact/bound near "
        "t = 2n: " + ", ".join(f"{r:.4g} (n={n})" for n, r in ratios.items()),
        {"n": 20, "epsilon": 1.0, "t": 39.8, "probability": exact, "bound": bound},
    )


def constant_is_valid(c: float) -> bool:
    """Whether I(a) >= c a^2 for a in [0, 2], proved: then P(|S_n| >= t) <= 2 exp(-c t^2/n).

    g(u) = I - c u (u + 2) is 0 at u = 0, is >= 0 at a = 2, and is concave in between because
    g'' = 1/(u + 2)^2 - 2c <= 0.
    """
    concave = prove_nonnegative(
        lambda u: 2 * iv.mpf(c) - 1 / (u + 2) ** 2, [(0, float(upper(LARGEST_U)))]
    )
    end = rate(LARGEST_U) - iv.mpf(c) * LARGEST_U * (LARGEST_U + 2)
    return concave.proved and bool(lower(end) >= 0)


def _corrected_tail(rng: np.random.Generator) -> Outcome:
    c = math.floor(CONSTANT * 1e6) / 1e6
    proved = constant_is_valid(c)
    worst = max(
        float(exact_tail(n, mp.mpf(k) * n / 10) / (2 * mp.exp(-c * (mp.mpf(k) / 10) ** 2 * n)))
        for n in (1, 2, 5, 12, 30)
        for k in range(1, 21, 3)
    )
    return Outcome(
        proved and worst <= 1,
        "proved by interval arithmetic",
        f"c = {c:.6f}, all n and 0 <= t <= 2n/epsilon: I(a) >= c a^2 (Chernoff); exact/bound at "
        f"most {worst:.3f} on 35 points",
    )


# ----------------------------------------------------------------------------- Lemma 5.1.1


def failure_probability(n: int, log_2_over_beta: str | float, factor: mp.mpf) -> mp.mpf:
    """P(|a - mean| > factor b sqrt(log(2/beta))/(sqrt(n) epsilon)), exactly."""
    return exact_tail(n, factor * mp.sqrt(mp.mpf(log_2_over_beta) * n))


def _printed_error(rng: np.random.Generator) -> Outcome:
    n, log_term = 20, "19.6"  # n > log(2/beta) holds
    beta = float(2 * mp.exp(-mp.mpf(log_term)))
    failure = float(failure_probability(n, log_term, mp.mpf(2)))
    return Outcome(
        failure <= beta,
        "refuted with witness",
        f"n=20, beta={beta:.4g} (log(2/beta) = {log_term} < n): the bound fails with probability "
        f"{failure:.4g}",
        {"n": n, "beta": beta, "failure probability": failure},
    )


def _corrected_error(rng: np.random.Generator) -> Outcome:
    c = math.floor(CONSTANT * 1e6) / 1e6
    factor = 1 / mp.sqrt(mp.mpf(c))
    worst = 0.0
    cases = 0
    for n in (1, 5, 12, 20, 60):
        for share in ("0.1", "0.5", "0.9", "1"):
            log_term = 4 * c * n * mp.mpf(share)  # n = log(2/beta)/(4c) at share 1
            beta = 2 * mp.exp(-log_term)
            worst = max(worst, float(failure_probability(n, log_term, factor) / beta))
            cases += 1
    return Outcome(
        constant_is_valid(c) and worst <= 1,
        "proved by interval arithmetic",
        f"t = sqrt(n log(2/beta)/c)/epsilon <= 2n/epsilon iff n >= log(2/beta)/(4c), with "
        f"1/sqrt(c) = {float(factor):.4f} and 1/(4c) = {1 / (4 * c):.4f}; exact failure "
        f"probability at most {worst:.3f} beta on {cases} points",
    )


def _local_privacy(rng: np.random.Generator) -> Outcome:
    """Loss of one message: (|z - v'| - |z - v|)/(b/epsilon), extreme at a kink: |v - v'| eps/b."""
    largest, worst = 0.0, 0.0
    for _ in range(200):
        b, epsilon = float(rng.uniform(0.1, 10)), float(rng.uniform(0.05, 8))
        # any inputs, inside [0, b] or not, and the extreme pair
        inputs = [(0.0, b), (b, 0.0), *(rng.normal(0, 3 * b, 2).tolist() for _ in range(3))]
        for v, w in inputs:
            loss = _message_loss(float(v), float(w), b, epsilon, rng)
            worst = max(worst, loss / epsilon)
            if {v, w} == {0.0, b}:
                largest = max(largest, loss / epsilon)
    return Outcome(
        worst <= 1 + 1e-9 and largest > 1 - 1e-9,
        "proved exactly",
        "the loss is extreme at a kink, where it is |v - v'| epsilon/b <= epsilon; on 1000 "
        f"messages at most {worst:.12f} epsilon, for inputs 0 and b up to {largest:.12f} epsilon",
    )


def _message_loss(v: float, w: float, b: float, epsilon: float, rng: np.random.Generator) -> float:
    recorded = RecordingLedger(rng)
    local_mean([v], upper=b, epsilon=epsilon, ledger=recorded)
    replayed = ReplayLedger(recorded.transcript)
    local_mean([w], upper=b, epsilon=epsilon, ledger=replayed)
    densities = [
        release.mechanism.log_density(release.output, release.value, 1)[0]
        for ledger in (recorded, replayed)
        for release in ledger.transcript.releases
        if release.value is not None
    ]
    return float(densities[0] - densities[1])


_AVERAGE = ("diss-5.1.30",)

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "004",
        "Lemma 5.1.1",
        "4724-4728",
        "n > log(2/beta) => |a - mean| <= 2 b sqrt(log(2/beta))/(sqrt(n) epsilon) w.p. 1 - beta",
        "concentration",
        "false",
        _printed_error,
        reason="rests on Lemma 5.1.12; fails for extremely small beta",
        corrected="n >= 1.3248 log(2/beta) => |a - mean| <= 2.302 b sqrt(log(2/beta))/"
        "(sqrt(n) epsilon) w.p. 1 - beta",
        corrected_check=_corrected_error,
        algorithms=_AVERAGE,
        errata=(("diss-5.1.30", 1), ("ledger:Lemma 5.1.1", 1)),
    ),
    Statement(
        "004",
        "Lemma 5.1.1, privacy",
        "4724",
        "Algorithm 5.1.30 is epsilon-LDP for every epsilon > 0",
        "privacy",
        "true",
        _local_privacy,
        algorithms=_AVERAGE,
    ),
    Statement(
        "004",
        "Lemma 5.1.12",
        "5255",
        "P(|sum of n iid Lap(1/epsilon)| >= t) <= 2 exp(-epsilon^2 t^2/(4n)), 0 <= t < 2n/epsilon",
        "concentration",
        "false",
        _printed_tail,
        reason="1/4 is the rate of the variance (t -> 0); Laplace tails are heavier",
        corrected="<= 2 exp(-0.188714 epsilon^2 t^2/n), 0 <= t <= 2n/epsilon",
        corrected_check=_corrected_tail,
        algorithms=_AVERAGE,
        errata=(("diss-5.1.30", 1), ("ledger:Lemma 5.1.12", 1)),
    ),
)
