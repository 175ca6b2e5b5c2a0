"""Section 5.1: the mean of numbers with local Laplace noise, its appendix, and the one-bit form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from mpmath import mp

from proofs_checks.balls import ball, exp, log, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    nonnegative,
    precisely,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.local.laplace_mean import local_mean
from reference.privacy.ledger import RecordingLedger, ReplayLedger

statement = partial(any_statement, algorithms=("diss-5.1.30",))

CONSTANT = "0.188714"
"""c of P(|S_n| >= t) <= 2 exp(-c epsilon^2 t^2/n), rounded down from I(2)/4."""


def exact_tail(n: int, t: Any) -> Any:
    """P(|sum of n standard Laplace variables| >= t), t >= 0, at 40 digits.

    The sum is a difference of two Gamma(n): a mixture of Gamma(n - k) with either sign and
    negative binomial weights.
    """
    with mp.workdps(40):
        t = mp.mpf(t)
        terms = (
            mp.binomial(n - 1 + k, k)
            * mp.mpf(2) ** -(n + k)
            * mp.gammainc(n - k, t, regularized=True)
            for k in range(n)
        )
        return 2 * mp.fsum(terms)


@statement(
    "004 Lemma 5.1.12",
    lines="5255",
    kind="concentration",
    printed="P(|sum of n iid Lap(1/epsilon)| >= t) <= 2 exp(-epsilon^2 t^2/(4n)), 0 <= t < "
    "2n/epsilon",
    false="1/4 is the rate of the variance (t -> 0); Laplace tails are heavier",
    errata=("diss-5.1.30/E1",),
)
def laplace_tail() -> Outcome:
    """Near the end of the range it fails from n = 12 on."""
    n, t = 20, mp.mpf("39.8")
    bound = 2 * mp.exp(-(t**2) / (4 * n))
    return refuted({"n": n, "epsilon": 1.0, "t": float(t)}, exact_tail(n, t), bound, "probability")


def rate_exceeds(constant: str, farthest: str = "2") -> Outcome:
    """I(a) >= c a^2 on [0, farthest], I the Cramer rate of a standard Laplace variable.

    The rate, the sup over lambda of lambda a + log(1 - lambda^2), is attained at lambda = u/a for
    a = sqrt(u (u + 2)), and is u - log(1 + u/2) there. g(u) = I - c u (u + 2) is 0 at u = 0, is
    >= 0 at a = 2, that is at u = sqrt(1 + a^2) - 1, and is concave in between, because
    g'' = 1/(u + 2)^2 - 2c <= 0.
    """
    u = sp.Symbol("u", positive=True)
    rate = u - sp.log(1 + u / 2)
    a = sp.sqrt(u * (u + 2))
    at_best = u + sp.log(1 - (u / a) ** 2)
    slope = sp.diff(sp.Symbol("l") * a + sp.log(1 - sp.Symbol("l") ** 2), sp.Symbol("l"))
    c = ball(constant)
    end = sqrt(1 + ball(farthest) * ball(farthest)) - 1
    return derived(
        stationary=identity((slope.subs(sp.Symbol("l"), u / a), 0)),
        rate=identity((at_best, rate)),
        curvature=identity((sp.diff(rate, u, 2), 1 / (u + 2) ** 2)),
        concave=nonnegative(lambda x: 2 * c - 1 / (x + 2) ** 2, {"u": (0, 2)}, whole=True),
        end=less(c * end * (end + 2), end - log(1 + end / 2)),
    )


@laplace_tail.corrected(
    "<= 2 exp(-0.188714 epsilon^2 t^2/n), 0 <= t <= 2n/epsilon",
    refuses={
        "c = .1888": {"constant": "0.1888"},
        "without the factor 2": {"factor": "1"},
        "epsilon t^2": {"epsilon_power": 1},
        "t^2 for t^2/n": {"records": 0},
        "t <= 2.1 n/epsilon": {"farthest": "2.1"},
    },
)
def laplace_tail_with_smaller_constant(
    constant: str = CONSTANT,
    factor: str = "2",
    epsilon_power: int = 2,
    records: int = 1,
    farthest: str = "2",
) -> Outcome:
    """Chernoff: each of two sides has probability at most exp(-n I(epsilon t/n)) [step "rate"].

    At I(a) = c a^2, c = 0.188714, that is exp(-c epsilon^2 t^2/n) [step "exponent"].
    """
    c, eps, size, x = symbols("c epsilon n t")
    high, low, bound = reals("high low bound")

    def cases() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        for n in (1, 2, 5, 12, 30):
            for tenths in range(1, 21, 3):
                share = mp.mpf(tenths) / 10
                most = 2 * mp.exp(-mp.mpf(constant) * share**2 * n)
                yield {"n": n, "t/n": tenths / 10}, exact_tail(n, share * n), most

    exact = precisely(cases, digits=40, note="exact probability against the bound")
    return derived(
        rate=rate_exceeds(constant, farthest),
        exponent=identity(
            (c * size * (eps * x / size) ** 2, c * eps**epsilon_power * x**2 / size**records)
        ),
        sides=for_all(
            high + low <= rational(factor) * bound, high <= bound, low <= bound, high > 0
        ),
        exact=exact,
    )


@statement(
    "004 Lemma 5.1.1",
    lines="4724-4728",
    kind="concentration",
    printed="n > log(2/beta) => |a - mean| <= 2 b sqrt(log(2/beta))/(sqrt(n) epsilon) "
    "w.p. 1 - beta",
    false="rests on Lemma 5.1.12; fails for extremely small beta",
    errata=("diss-5.1.30/E1",),
)
def local_mean_error() -> Outcome:
    """At n = 20 and log(2/beta) = 19.6 < n."""
    n, log_term = 20, mp.mpf("19.6")
    failure = exact_tail(n, 2 * mp.sqrt(log_term * n))
    beta = 2 * mp.exp(-log_term)
    return refuted({"n": n, "beta": float(beta)}, failure, beta, "failure probability")


@local_mean_error.corrected(
    "n >= 1.3248 log(2/beta) => |a - mean| <= 2.302 b sqrt(log(2/beta))/(sqrt(n) epsilon) "
    "w.p. 1 - beta",
    refuses={
        "2.3": {"factor": "2.3"},
        "n >= 1.3 log(2/beta)": {"fewest": "1.3"},
        "log(1/beta)": {"sides": 1},
        "sqrt(log(2/beta)/n)/epsilon^2": {"epsilon_power": 2},
        "b^2": {"scale": 2},
        "sqrt(log(2/beta))/n": {"records": 2},
    },
)
def local_mean_error_with_larger_factor(
    factor: str = "2.302",
    fewest: str = "1.3248",
    sides: int = 2,
    epsilon_power: int = 1,
    scale: int = 1,
    records: int = 1,
) -> Outcome:
    """An error of b sqrt(log(2/beta)/(c n))/epsilon is a sum of t = sqrt(n log(2/beta)/c)/epsilon.

    The corrected Lemma 5.1.12 makes its probability beta [step "tail", "probability"]. The printed
    error allows as much if factor >= 1/sqrt c [step "factor"], and t = 2 n/epsilon at
    n = log(2/beta)/(4c) [steps "end", "range"].
    """
    c, f = ball(CONSTANT), ball(factor)
    n, rate, epsilon, beta, b = symbols("n c epsilon beta b")
    level = sp.log(sides / beta)
    total = n / b * (b**scale * sp.sqrt(level / (rate * n**records)) / epsilon**epsilon_power)
    return derived(
        tail=rate_exceeds(CONSTANT),
        probability=identity((2 * sp.exp(-rate * epsilon**2 * total**2 / n), beta)),
        factor=less(1 / c.sqrt(), f),
        end=identity(((total**2).subs(n, level / (4 * rate)), (level / (2 * rate * epsilon)) ** 2)),
        range=less(1 / (4 * c), ball(fewest)),
    )


@statement(
    "004 Lemma 5.1.1, privacy",
    lines="4724",
    kind="privacy",
    printed="Algorithm 5.1.30 is epsilon-LDP for every epsilon > 0",
    special_case_of="004 Definition 2.1.2",
    refuses={"0.9 epsilon": {"factor": 0.9}},
)
def local_privacy(rng: np.random.Generator, factor: float = 1.0) -> Outcome:
    """The loss of one message is (|z - v'| - |z - v|) epsilon/b.

    It is at most |v - v'| epsilon/b [step "kink"], and values are clipped to [0, b]; the densities
    that the implementation uses are compared with that [step "messages"].
    """
    z, v, w, b = reals("z v w b")
    loss = z3.Abs(z - w) - z3.Abs(z - v)
    inside = (v >= 0, v <= b, w >= 0, w <= b)
    worst, tried = 0.0, 0
    for _ in range(60):
        upper, epsilon = float(rng.uniform(0.1, 10)), float(rng.uniform(0.05, 8))
        # any inputs, inside [0, b] or not, and the extreme pair
        for first, second in ((0.0, upper), (upper, 0.0), tuple(rng.normal(0, 3 * upper, 2))):
            message = _message_loss(float(first), float(second), upper, epsilon, rng)
            worst = max(worst, message / epsilon)
            tried += 1
    return derived(
        kink=for_all(loss <= rational(str(factor)) * b, *inside),
        messages=searched(worst, factor + 1e-9, tried=tried, what="loss of a message over epsilon"),
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


# ------------------------------------------------------------------------- one bit per player


@any_statement(
    "004 Theorem 5.1.4 (privacy)",
    algorithms=("diss-5.1.32",),
    lines="4918, 4928-4955",
    kind="privacy",
    printed="Algorithm 5.1.32 is epsilon-LDP for 0 < epsilon <= ln 2: y ~ Lap(1/epsilon) public, a "
    "player's bit is 1 with probability p = P(v + Lap(1/epsilon) = y)/(2 P(Lap(1/epsilon) = y))",
    false="the bit 0 has probability 1 - p, whose ratio is not bounded by that of p",
    errata=("diss-5.1.32/E1",),
)
def one_bit() -> Outcome:
    """At y = 1 the probability of a 0 is 1/2 for v = 0 and 1 - e^epsilon/2 for v = 1."""
    g = exp(ball("0.5"))
    point = {"epsilon": 0.5, "y": 1.0, "values": [0.0, 1.0], "bit": 0}
    return refuted(point, ball("0.5"), g * (1 - g / 2), "P(b = 0) against e^epsilon P'(b = 0)")


@one_bit.corrected(
    "with epsilon_0 = ln(2 - e^-epsilon) in place of epsilon it is epsilon-LDP, for every epsilon",
    refuses={
        "epsilon_0 = epsilon": {"unchanged": True},
        "epsilon_0 = ln(2 - e^-epsilon/2)": {"share": "1/2"},
        "values in [0, 2]": {"largest": "2"},
    },
)
def one_bit_with_less(unchanged: bool = False, share: str = "1", largest: str = "1") -> Outcome:
    """Put p = w/2, log w = epsilon_0 (|y| - |y - v|), g = e^epsilon_0, E = e^epsilon = 1/(2 - g).

    Two values of v in [0, 1] move |y| - |y - v| by at most 1, and v = 0 makes it 0 [step "moves"],
    so that w <= g w' and w <= g. A 1 has the ratio w/w' <= g <= E [step "one"]. A 0 has
    (2 - w)/(2 - w') with w' <= g w and w' <= g: at most 1/(2 - g) [step "zero"].
    """
    y, v, other = reals("y v other")
    w, moved, g, odds = reals("w moved g E")
    inside = (v >= 0, v <= rational(largest), other >= 0, other <= rational(largest))
    given = (
        *(g > 1, g < 2, odds > 0, w > 0, moved > 0),
        odds == g if unchanged else odds * (2 - g) == rational(share),
        *(w <= g, moved <= g, w <= g * moved, moved <= g * w),
    )
    return derived(
        moves=for_all(
            z3.And(z3.Abs(y - v) - z3.Abs(y - other) <= 1, z3.Abs(y) - z3.Abs(y - v) <= 1), *inside
        ),
        one=for_all(w <= odds * moved, *given),
        zero=for_all(2 - w <= odds * (2 - moved), *given),
    )
