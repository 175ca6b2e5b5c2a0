"""Section 7.1.6: the steps of the proof of Theorem 7.1.4."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import scipy

from proofs_checks.balls import ball, exp, log, ndtr
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    less,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)

statement = partial(any_statement, algorithms=("diss-7.1.54", "diss-7.1.majority"))


@statement(
    "004 Lemma 7.1.4",
    lines="9337-9343",
    kind="concentration",
    printed="(7.35): sup_t |F_n(t) - Phi(t)| <= c E|X_1|^3/(sigma sqrt n), c < 0.4748",
    false="misprint: sigma^3; and (7.36) uses 1/(16 sqrt N) for a symmetric binomial",
    errata=("diss-7.1.majority/E1",),
)
def berry_esseen() -> Outcome:
    """T_i - 1/2 for fair bits: sigma = 1/2, E|X|^3 = 1/8, N = 1000."""
    distance = _binomial_distance(1000)
    return refuted({"N": 1000, "p": 0.5}, distance, 0.4748 / 8 * 2 / math.sqrt(1000), "distance")


def _binomial_distance(n: int, p: float = 0.5) -> float:
    """Largest |F_n - Phi| for the standardised sum of n bits of mean p."""
    counts = np.arange(n + 1)
    normal = scipy.stats.norm.cdf((counts - n * p) / math.sqrt(n * p * (1 - p)))
    at = scipy.stats.binom.cdf(counts, n, p)
    before = scipy.stats.binom.cdf(counts - 1, n, p)
    return float(max(np.abs(at - normal).max(), np.abs(before - normal).max()))


@berry_esseen.corrected(
    "<= c E|X_1|^3/(sigma^3 sqrt n), c < 0.4748 (Shevtsova, 2011)",
    refuses={
        "c = 0.39": {"constant": 0.39},
        "sigma^2": {"power": 2},
        "E|X_1|^2": {"moment": 2},
        "1/n": {"root": 1.0},
    },
    unchecked={
        "c, 0.4748": "the check has .4748 for c",
        "3, sigma": "the third powers of E|X_1|^3/sigma^3 are computed, and refused if 2",
    },
)
def berry_esseen_cubed(
    constant: float = 0.4748, power: int = 3, moment: int = 3, root: float = 0.5
) -> Outcome:
    """Fair and biased bits, and 10 times such bits, for which F_n is the same.

    For fair ones sigma^3 = E|X|^3, so the bound is c/sqrt n; the exact limit is 1/sqrt(2 pi).
    """
    worst, tried = 0.0, 0
    for p, size, n in itertools.product((0.5, 0.1, 0.01), (1, 10), (1, 2, 7, 50, 1000)):
        deviation = size * math.sqrt(p * (1 - p))
        absolute = size**moment * (p * (1 - p) ** moment + (1 - p) * p**moment)
        bound = constant * absolute / (deviation**power * n**root)
        worst, tried = max(worst, _binomial_distance(n, p) / bound), tried + 1
    return searched(worst, 1, tried=tried, what="distance of the sum of n bits over the bound")


@statement(
    "004 Theorem 7.1.4, use of Theorem 7.1.2",
    lines="9381-9385",
    kind="utility",
    printed="on the same instance Theorem 7.1.2 bounds the error of Algorithm 7.1.54",
    false="v^ = tanh(epsilon/2)^2 n^(delta-1), delta < 1/2, but its proof needs "
    "v^ >= 16 log(1/lambda) sqrt(log m/n)",
    fails=True,
    errata=("diss-7.1.majority/E2",),
)
def majority_voting_wisdom() -> Outcome:
    """epsilon = 2, delta = .4, m = n = 1e6, and the largest lambda = 1/8."""
    n = ball(10**6)
    wisdom = ((exp(ball(2)) - 1) / (exp(ball(2)) + 1)) ** 2 * 252 / n  # ceil(n^.4) = 252
    needed = 16 * log(ball(8)) * (log(n) / n).sqrt()
    return refuted({"epsilon": 2.0, "delta": 0.4, "n": 1e6, "m": 1e6}, needed, wisdom, "needed v^")


@majority_voting_wisdom.corrected(
    "it needs delta > 1/2: v^ >= 16 log(1/lambda) sqrt(log m/n) is n^(delta - 1/2) >= "
    "16 log(1/lambda) sqrt(log m)/tanh(epsilon/2)^2",
    refuses={"n^(delta - 1)": {"power": 1}},
    unchecked={
        "v^": "t^2 n^(delta - 1) in the step",
    },
)
def majority_voting_needs_more_experts(power: Fraction | int = Fraction(1, 2)) -> Outcome:
    """Divide the two, with t = tanh(epsilon/2), w = log(1/lambda) and l = log m."""
    n, delta, tanh, weight, log_m = symbols("n delta t w l")
    wisdom, needed = tanh**2 * n ** (delta - 1), 16 * weight * sp.sqrt(log_m / n)
    simplified = n ** (delta - sp.Rational(power)) * tanh**2 / (16 * weight * sp.sqrt(log_m))
    return identity((wisdom / needed, simplified))


def _gap_at_end(end: str) -> Outcome:
    v = ball(end)
    return less(ball(0), (2 * v - 1) ** 2 / 2 + log(v))


def majority_gap(end: str, power: int = 2, half: int = 2, answers: int = 1) -> Outcome:
    """f(v) = (2v - 1)^2/2 + log v has slope 2 (2v - 1) + 1/v > 0 for v > 1/2, and f(.85) > 0.

    The quotient of exp(-(2v - 1)^2 K/2) and v^K is exp(-f(v) K) [step "exponent"].
    """
    x = reals("x")
    v, count = symbols("v K")
    gap = (2 * v - 1) ** 2 / 2 + sp.log(v)
    exponent = -((2 * v - 1) ** power) * count / half - sp.log(v ** (answers * count))
    return derived(
        exponent=identity((sp.expand_log(exponent), -gap * count)),
        slope=identity((sp.diff(gap, v), 2 * (2 * v - 1) + 1 / v)),
        increasing=for_all(2 * (2 * x - 1) * x + 1 > 0, 2 * x >= 1),
        end=_gap_at_end(end),
    )


@statement(
    "004 (7.38)",
    lines="9387",
    kind="approximation",
    printed="2 exp(-tanh(epsilon/2)^2 K/2) <= v^K/8 for large K = ceil(n^delta), v = "
    "e^epsilon/(e^epsilon + 1)",
    special_case_of="004 (7.39)",
    refuses={
        "from v = 0.81 on": {"end": "0.81"},
        "v^K/9": {"eighth": 9},
        "3 exp(..)": {"twice": 3},
        "tanh(epsilon/2)": {"power": 1},
    },
    unchecked={
        "n, delta": "only in the number K of experts, which is any in the steps",
    },
)
def majority_comparison(
    end: str = "0.85", eighth: int = 8, twice: int = 2, power: int = 2
) -> Outcome:
    """tanh(epsilon/2) = 2 v - 1 [step "tanh"], so it is (7.39) times 2 v^K [step "twice"].

    That follows from (7.40). Here g = e^epsilon.
    """
    g = symbols("g")
    v = g / (g + 1)
    left, right, quotient = reals("e^(-..) v^K quotient")
    return derived(
        tanh=identity((((g - 1) / (g + 1)) ** power / 2, (2 * v - 1) ** 2 / 2)),
        twice=for_all(
            twice * left <= right / eighth,
            *(right > 0, left == quotient * right, quotient <= rational("1/16")),
        ),
        gap=majority_gap(end),
    )


@statement(
    "004 (7.39)",
    lines="9391",
    kind="approximation",
    printed="exp(-(2v - 1)^2 K/2)/v^K <= 1/16 for large K",
    checked="for K >= log(16)/f(v), f(v) = (2v - 1)^2/2 + log v > 0",
    special_case_of="004 (7.40)",
    refuses={
        "K >= log(15)/f(v)": {"inverse": 15},
        "from v = 0.81 on": {"end": "0.81"},
        "|2v - 1|": {"power": 1},
        "v^(2K)": {"answers": 2},
    },
)
def majority_ratio(
    inverse: int = 16, end: str = "0.85", power: int = 2, answers: int = 1
) -> Outcome:
    """The left-hand side is exp(-f(v) K) [step "exponent"]."""
    v, gap = symbols("v f")
    count = sp.log(inverse) / gap
    left = sp.exp(-(gap - sp.log(v)) * count) / v**count
    return derived(
        exponent=identity((sp.expand(sp.log(left).expand(force=True)), -sp.log(16))),
        gap=majority_gap(end, power, answers=answers),
    )


@statement(
    "004 (7.40)",
    lines="9395-9397",
    kind="approximation",
    printed="lim exp(-(2v - 1)^2 K/2)/v^K = 0, as f(v) = (2v - 1)^2/2 + log v > 0 on [.85, 1)",
    refuses={
        "from v = 0.81 on": {"end": "0.81"},
        "|2v - 1|": {"power": 1},
        "K/4": {"half": 4},
        "v^(2K)": {"answers": 2},
    },
    unchecked={
        "f": "gap in the steps",
        ".85": "the step has the figure at v = .85",
    },
)
def majority_limit(end: str = "0.85", power: int = 2, half: int = 2, answers: int = 1) -> Outcome:
    """See :func:`majority_gap`."""
    return majority_gap(end, power, half, answers)


# ------------------------------------------------------------------- the spammers' votes

berry_esseen.restated(
    "004 (7.35)",
    lines="9341",
    printed="sup_t |F_n(t) - Phi(t)| <= c E|X_1|^3/(sigma sqrt n), c < 0.4748",
)


@statement(
    "004 (7.36)",
    lines="9359-9361",
    kind="concentration",
    printed="sup_t |P(2/sqrt N sum (T_i - 1/2) <= t) - Phi(t)| <= 1/(16 sqrt N) for the N = n - K "
    "spammers",
    false="the bound of Lemma 7.1.4 is c/sqrt N here, with sigma^3 or as printed c/(4 sqrt N)",
    errata=("diss-7.1.majority/E1",),
)
def spammers_printed() -> Outcome:
    """N = 1000: F jumps at 0 by the probability of a tie, half of which lies on either side."""
    size = 1000
    tie = ball(math.comb(size, size // 2)) / ball(2) ** size
    claimed = 1 / (16 * ball(size).sqrt())
    return refuted({"N": size, "t": 0}, tie / 2, claimed, "F(0) - Phi(0)")


@spammers_printed.corrected(
    "<= c/sqrt N, c < 0.4748, by the corrected Lemma 7.1.4",
    refuses={"c/(4 sqrt N)": {"share": 4}, "c/N": {"root": 1}},
    unchecked={
        "0.4748": "only bounds c, which is any in the step",
    },
)
def spammers(share: int = 1, root: Fraction | int = Fraction(1, 2)) -> Outcome:
    """sigma = 1/2 and E|T_i - 1/2|^3 = 1/8 [step "bound"]."""
    c, size = symbols("c N")
    half = sp.Rational(1, 2)
    third = (half**3 + half**3) / 2
    bound = c * third / (half**3 * sp.sqrt(size))
    return derived(bound=identity((bound, c / (share * size ** sp.Rational(root)))))


@statement(
    "004 Display before (7.37)",
    lines="9363-9365",
    kind="approximation",
    printed="P(mean T_i < 1/2) >= P(2/sqrt N sum_{i<=N} (T_i - 1/2) >= -K/sqrt N) P(T_i = 1 for "
    "i > N), K experts",
    false="misprint: < for the second >=",
    errata=("004 (7.37)/E1",),
)
def experts_printed() -> Outcome:
    """n = 4, delta = 1/4, K = N = 2 and e^epsilon = 9: .0525 against (9/10)^2."""
    v = Fraction(9, 10)
    error = (1 - v) ** 2 * Fraction(3, 4) + 2 * v * (1 - v) / 4
    return refuted({"n": 4, "K": 2, "v": 0.9}, v**2, error, "right and left side")


@experts_printed.corrected(
    "P(mean T_i < 1/2) >= P(2/sqrt N sum (T_i - 1/2) < -K/sqrt N) P(T_i = 1 for i > N)",
    refuses={"<= -K/sqrt N": {"strict": False}, "< -K/(2 sqrt N)": {"half": 2}},
    unchecked={
        "T_i": "the step has s, the sum of the spammers' T_i",
    },
)
def experts(strict: bool = True, half: int = 1) -> Outcome:
    """If all experts vote right and s of the spammers, K + s < n/2 is 2s - N < -K [step "votes"].

    Experts and spammers are independent.
    """
    count, size, right = reals("K N s")
    below = half * (2 * right - size)
    given = below < -count if strict else below <= -count
    return derived(
        votes=for_all(2 * (count + right) < count + size, given, count >= 1, size >= 1, right >= 0)
    )


def _votes_wrong(spammers_: int, v: Fraction) -> Fraction:
    """P(sum of the votes of two experts and the spammers < n/2)."""
    total = spammers_ + 2
    below = [Fraction(0)]
    for s in range(total // 2 + 1):
        below.append(below[-1] + Fraction(math.comb(spammers_, s), 2**spammers_))

    def fewer(e: int) -> Fraction:  # 2 (e + s) < n
        return below[max(0, -(-(total - 2 * e) // 2))]

    return v * v * fewer(2) + 2 * v * (1 - v) * fewer(1) + (1 - v) ** 2 * fewer(0)


@statement(
    "004 (7.37)",
    lines="9367-9369",
    kind="approximation",
    printed="P(mean T_i < 1/2) >= v^K (Phi(-K/sqrt N) - 1/(16 sqrt N)), v = e^epsilon/(1 + "
    "e^epsilon), K = ceil(n^delta), N = n - K",
    false="1/(16 sqrt N) is that of (7.36)",
    errata=("diss-7.1.majority/E1",),
)
def expert_errors_printed() -> Outcome:
    """n = 1002, delta = .05 and v = .999 (epsilon = 6.9): K = 2, N = 1000."""
    size, v = 1000, Fraction(999, 1000)
    claimed = ball(v) ** 2 * (ndtr(-2 / ball(size).sqrt()) - 1 / (16 * ball(size).sqrt()))
    point = {"n": 1002, "K": 2, "v": 0.999}
    return refuted(point, claimed, ball(_votes_wrong(size, v)), "right and left side")


@expert_errors_printed.corrected(
    "with 0.4748/sqrt N; it is v^K/8 at least for N >= 15 and K <= .67 sqrt N",
    refuses={
        "0.4748/(4 sqrt N)": {"share": 4},
        "N >= 14": {"fewest": 14},
        "K <= .68 sqrt N": {"most": "0.68"},
        "v^K/7": {"eighth": 7},
    },
    unchecked={
        "v": "v^K is a factor of both sides",
        "K, 15, .67": "the steps have the figures at K/sqrt N = .67 and N = 15",
    },
)
def expert_errors(share: int = 1, fewest: int = 15, most: str = "0.67", eighth: int = 8) -> Outcome:
    """P(Z < t) >= Phi(t) - c/sqrt N by (7.36), for the left limit as well as Phi is continuous.

    [Step "bound".] The rest are numbers [steps "normal", "distance", "total"].
    """
    c, size = symbols("c N")
    half = sp.Rational(1, 2)
    bound = c * half**3 / (half**3 * sp.sqrt(size))
    near, far = reals("Phi c/sqrt_N")
    return derived(
        bound=identity((bound, c / (share * sp.sqrt(size)))),
        normal=less(ball("1/4"), ndtr(-ball(most))),
        distance=less(ball("0.4748") / ball(fewest).sqrt(), ball("1/8")),
        total=for_all(eighth * (near - far) >= 1, 4 * near >= 1, 8 * far <= 1),
    )
