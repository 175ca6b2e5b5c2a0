"""Section 7.1.6: the steps of the proofs of Theorems 7.1.2 and 7.1.3."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logit

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.crowds import (
    answers_near_their_mean,
    mean_identity,
    perturbed_chance,
    starting_labels,
)
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    exactly,
    for_all,
    identity,
    less,
    rare,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.crowdsourcing.dawid_skene import dawid_skene
from reference.crowdsourcing.one_coin import sample_crowd

statement = partial(any_statement, algorithms=("diss-7.1.54",))


@statement(
    "004 (7.21)",
    lines="9168",
    kind="identity",
    printed="X^_ij = y*_j T_ij + (1 - y*_j)(1 - T_ij), T_ij = 1 iff worker i answers j right",
    refuses={"(1 - y*_j) T_ij": {"second": 1}},
    unchecked={
        "X^_ij, T_ij": "both values of T are tried, and X^ is what they make of y*",
    },
)
def representation(second: int = 0) -> Outcome:
    """X^ equals y* exactly if T says so; all four cases."""
    cases = itertools.product((0, 1), repeat=2)

    def rows() -> Any:
        for truth, t in cases:
            answer = truth * t + (1 - truth) * (t if second else 1 - t)
            yield {"y*": truth, "T": t}, int(answer == truth), t

    return exactly(rows(), "=", "every case of two bits")


@statement(
    "004 (7.22)",
    lines="9172",
    kind="identity",
    printed="p^*_i = (e^epsilon - 1)/(e^epsilon + 1) p*_i + 1/(e^epsilon + 1)",
    checked="it is the probability that worker i's perturbed answer is right",
    refuses={"contraction e^epsilon/(e^epsilon + 1)": {"minus": 0}},
)
def perturbed_ability(minus: int = 1) -> Outcome:
    """Right and kept, or wrong and flipped, with p = p*_i and g = e^epsilon."""
    p, g = symbols("p g")
    return identity((perturbed_chance(p, g, minus), g / (g + 1) * p + (1 - p) / (g + 1)))


@statement(
    "004 Lemma 7.1.1",
    lines="9190-9196",
    kind="concentration",
    printed="P(E_1 and E_2) >= 1 - C'/m",
    checked="with C' = 3, for n <= m and m >= 2",
    refuses={
        "C' = 2": {"constant": "2"},
        "half the deviation in E_2": {"deviation": 1},
        "n <= m^2": {"most": 2},
        "C'/m^2": {"power": 2},
    },
    unchecked={
        "C'": "a constant of no claimed value, 3 in the steps",
    },
)
def events(
    rng: np.random.Generator,
    constant: str = "3",
    deviation: int = 2,
    most: int = 1,
    power: int = 1,
) -> Outcome:
    """Hoeffding for each of n workers (E_1) and each of m tasks (E_2).

    E_1: m variables of range 1, deviation sqrt(m log m) of the sum: exponent 2 log m. E_2: n
    variables of range at most log(1/lambda), deviation 2 log(1/lambda) sqrt(n log m): exponent
    8 log m [step "exponents"]. With n <= m, m (2 n m^-2 + 2 m m^-8) <= C' for m >= 2 [step
    "budget", times m^6]. The weights |logit| <= log(1/lambda) on [lambda, 1 - lambda], as
    1 - lambda <= 1 [step "weights"]. A simulation at n = 30, m = 200 [step "runs"].
    """
    n, m, width, log_m = symbols("n m w l")
    first = 2 * (sp.sqrt(m * log_m)) ** 2 / m
    second = 2 * (deviation * width * sp.sqrt(n * log_m)) ** 2 / (n * width**2)
    workers, size, odds, margin = reals("workers size odds margin")
    bad, runs = _missed_events(rng), 100
    return derived(
        exponents=identity((first, 2 * log_m), (second, 8 * log_m)),
        budget=for_all(
            2 * workers * size**5 + 2 <= rational(constant) * size ** (7 - power),
            *(size >= 2, workers >= 1, workers <= size**most),
        ),
        weights=for_all(
            odds <= 1 / margin,
            *(margin > 0, 2 * margin <= 1, odds * margin <= 1 - margin, odds > 0),
        ),
        runs=rare(bad, runs, 0.2, what="events missed at n=30, m=200"),
    )


def _missed_events(rng: np.random.Generator) -> int:
    n, m, margin, bad = 30, 200, 0.05, 0
    for _ in range(100):
        abilities = rng.uniform(0.1, 0.9, size=n)
        centred = (rng.random((n, m)) < abilities[:, None]) - abilities[:, None]
        weights = logit(np.clip(abilities, margin, 1 - margin))
        first = np.abs(centred.mean(axis=1)).max() <= math.sqrt(math.log(m) / m)
        limit = 2 * math.log(1 / margin) * math.sqrt(n * math.log(m))
        bad += not (first and np.abs(weights @ centred).max() <= limit)
    return bad


@statement(
    "004 Lemma 7.1.2",
    lines="9200-9202",
    kind="concentration",
    printed="Hoeffding: P(|mean - E| > t) <= 2 exp(-2 n^2 t^2/sum (b_i - a_i)^2)",
    refuses={
        "exp(-2.2 n^2 t^2/sum)": {"rate": "2.2"},
        "a variance of (b-a)^2/5": {"share": "1/5"},
        "exp(-2 n^2 t^2/sum), one side's": {"sides": 1},
        "exp(-2 n t^2/sum)": {"records": 1},
    },
)
def hoeffding(rate: str = "2", share: str = "1/4", sides: int = 2, records: int = 2) -> Outcome:
    """log E exp(h X) has the second derivative Var X under the tilted law, still on [a, b].

    A variance is at most E(X - (a+b)/2)^2 <= (b-a)^2/4 [step "variance"]: log E exp(h (X - E X)) <=
    h^2 (b-a)^2/8. With S = sum (b_i - a_i)^2 Chernoff's bound exp(-h n t + h^2 S/8) is the claim at
    h = 4 n t/S [step "Chernoff"], on each of two sides [step "sides"].
    """
    x, a, b = reals("x a b")
    n, t, total = symbols("n t S")
    h = 4 * n * t / total
    curvature = sp.Rational(share) / 2
    exponent = -sp.Rational(rate) * n**records * t**2 / total
    below, above, bound = reals("below above bound")
    return derived(
        variance=for_all(
            (x - (a + b) / 2) * (x - (a + b) / 2) <= rational(share) * (b - a) * (b - a),
            *(x >= a, x <= b),
        ),
        Chernoff=identity(
            (-h * n * t + curvature * h**2 * total, exponent),
        ),
        sides=for_all(below + above <= sides * bound, below <= bound, above <= bound, bound > 0),
    )


@statement(
    "004 Lemma 7.1.3",
    lines="9214-9216",
    kind="approximation",
    printed="max_i |logit p_i^(t) - logit p^*_{lambda,i}| <= (2/lambda)(sqrt(log m/m) + "
    "r^(t-1)) on E_1",
    refuses={
        "(1.9/lambda)": {"constant": "1.9"},
        "without r^(t-1)": {"labels": 0},
        "without sqrt(log m/m)": {"deviations": 0},
        "r^t": {"rounds_back": 0},
        "log m/m": {"logs": 2, "tasks": 2},
        "sqrt(log m)": {"tasks": 0},
    },
)
def weights_close(
    rng: np.random.Generator,
    constant: str = "2",
    labels: int = 1,
    deviations: int = 1,
    rounds_back: int = 1,
    logs: int = 1,
    tasks: int = 1,
) -> Outcome:
    """(7.23) on E_1 [steps "mean", "event"]; clipping moves no two points apart [step "clip"].

    The slope of logit is the constant [step "slope"].
    Together they are the claim [step "sum", over the constant, times lambda].
    Runs of the method reach the bound with the realised deviation in place of sqrt(log m/m).
    """
    a, b, low, high = reals("a b low high")
    gap, distance, deviation, root, wrong = reals("gap distance deviation root r")

    def clip(x: Any) -> Any:
        return z3.If(x < low, low, z3.If(x > high, high, x))

    worst = max(_weight_excess(rng) for _ in range(20))
    return derived(
        mean=mean_identity(rounds_back=rounds_back),
        event=answers_near_their_mean(logs, tasks),
        clip=for_all(z3.Abs(clip(a) - clip(b)) <= z3.Abs(a - b), low <= high),
        slope=_logit_slope(constant),
        sum=for_all(
            gap <= deviations * root + labels * wrong,
            *(gap <= distance, distance <= deviation + wrong, deviation <= root, wrong >= 0),
            root >= 0,
        ),
        runs=searched(worst, 1, tried=20, what="error of the weights over the bound"),
    )


def _weight_excess(rng: np.random.Generator) -> float:
    n, m, margin = 8, 400, 0.05
    perturbed = rng.uniform(0.02, 0.98, size=n)
    truth, answers = sample_crowd(perturbed, m, rng)
    start = starting_labels(truth, float(rng.uniform(0, 0.1)))
    deviation = float(np.abs((answers == truth).mean(axis=1) - perturbed).max())
    abilities, _ = dawid_skene(answers, start, n_iterations=1, margin=margin)
    target = np.clip(perturbed, margin, 1 - margin)
    bound = 2 / margin * (deviation + float(np.abs(start - truth).mean()))
    return float(np.abs(logit(abilities) - logit(target)).max()) / bound


@statement(
    "004 (7.23)",
    lines="9224",
    kind="approximation",
    printed="|p_bar_i - p^*_i| <= |avg_j (T_ij - p^*_i)| + r^(t-1)",
    refuses={"1 - 3T": {"sign": 3}, "r^t": {"rounds_back": 0}},
)
def mean_error(sign: int = 2, rounds_back: int = 1) -> Outcome:
    """The identity p_bar - p = avg(T - p) + avg e (1 - 2T)."""
    return mean_identity(sign, rounds_back)


@statement(
    "004 (7.23), proof",
    lines="9226-9236",
    kind="approximation",
    printed="taking the average of |T_ij - p*_i| + |y_j - y*_j| over j gives (7.23)",
    false="the average of |T - p| is not |the average of T - p|",
    errata=("diss-7.1.54/E5",),
)
def mean_error_proof() -> Outcome:
    """Two answers, one right and one wrong, at p = 1/2: 1/2 against 0."""
    answers = [Fraction(0), Fraction(1)]
    half = Fraction(1, 2)
    term_by_term = (abs(answers[0] - half) + abs(answers[1] - half)) / 2
    return refuted({"p": 0.5, "T": [0, 1]}, term_by_term, abs(sum(answers, -2 * half)) / 2)


@mean_error_proof.corrected(
    "p_bar = avg T + avg |y - y*|(1 - 2T) gives it",
    refuses={"1 - 3T": {"sign": 3}, "r^t": {"rounds_back": 0}},
    unchecked={
        "T": "t in the steps",
    },
)
def mean_error_proof_corrected(sign: int = 2, rounds_back: int = 1) -> Outcome:
    return mean_identity(sign, rounds_back)


@statement(
    "004 (7.26)",
    lines="9240",
    kind="approximation",
    printed="|log x - log y| <= |x - y|/min(x, y)",
    refuses={
        "0.9 |x - y|/min(x, y)": {"factor": "9/10"},
        "|x - y|/max(x, y)": {"larger": 1},
        "|x - y|/min(x, y)^2": {"power": 2},
    },
    unchecked={
        "y": "the steps have the larger and the smaller of x and y",
    },
)
def log_ratio(factor: str = "1", larger: int = 0, power: int = 1) -> Outcome:
    """With z = max/min >= 1: h(z) = z - 1 - log z is 0 at 1 and has slope 1 - 1/z >= 0.

    [steps "quotient", "slope", "sign"]
    """
    small, large = symbols("min max")
    z = sp.Symbol("z", positive=True)
    scale = sp.Rational(factor)
    x = reals("x")
    return derived(
        quotient=identity(((large - small) / small**power, large / small - 1)),
        slope=identity((sp.diff(scale * (z - 1) / z**larger - sp.log(z), z), scale - 1 / z)),
        sign=for_all(rational(factor) - 1 / x >= 0, x >= 1),
    )


@statement(
    "004 (7.26)-(7.27)",
    lines="9240-9242",
    kind="approximation",
    printed="|x - y|/min(x, y) <= (2/lambda)|p - q| for the odds x, y of p, q in [lambda, 1 - "
    "lambda]",
    checked="the step from (7.26) to (7.27)",
    false="the ratio of the two sides reaches 1/(2 lambda)",
    errata=("diss-7.1.54/E4",),
)
def odds_step() -> Outcome:
    low, high, margin = Fraction(1, 10), Fraction(9, 10), Fraction(1, 10)
    first, second = low / (1 - low), high / (1 - high)
    left = (second - first) / min(first, second)
    return refuted({"p": 0.1, "q": 0.9, "lambda": 0.1}, left, 2 / margin * (high - low))


def _logit_slope(constant: str = "2") -> Outcome:
    """|logit p - logit q| <= (2/lambda)|p - q|: the slope 1/(x(1-x)) is at most 2/lambda.

    Here margin = lambda.
    """
    x, margin = reals("x margin")
    p = sp.Symbol("p", positive=True)
    return derived(
        slope=identity((sp.diff(sp.log(p / (1 - p)), p), 1 / (p * (1 - p)))),
        bound=for_all(
            margin <= rational(constant) * x * (1 - x),
            *(margin > 0, 2 * margin <= 1, x >= margin, x <= 1 - margin),
        ),
    )


@odds_step.corrected(
    "|logit p - logit q| <= (2/lambda)|p - q|, by the mean value theorem",
    refuses={"(1.9/lambda)": {"constant": "1.9"}},
)
def logit_slope(constant: str = "2") -> Outcome:
    return _logit_slope(constant)


odds_step.restated(
    "004 (7.27)",
    lines="9242",
    printed="|x - y|/min(x, y) <= (2/lambda)|p_i^(t) - p^*_{lambda,i}|, x and y their odds",
)


@statement(
    "004 Exponent of (7.33)",
    lines="9288-9296",
    kind="approximation",
    printed="(2p - 1) logit p >= (2p - 1)^2; (1 - 2 lambda) log((1 - lambda)/lambda) >= 1 for "
    "lambda <= 1/8",
    refuses={
        "2.1 (2p - 1)^2": {"factor": "2.1"},
        "|2p - 1|": {"power": 1},
        "lambda <= 1/5": {"largest": "1/5"},
        "1 - 4 lambda": {"share": 4},
        ">= 1.5": {"least": "1.5"},
    },
    unchecked={
        "8": "the step has the figure at lambda = 1/8",
    },
)
def exponent_terms(
    factor: str = "1", power: int = 2, largest: str = "1/8", share: int = 2, least: str = "1"
) -> Outcome:
    """With p = (1 + x)/2 and x >= 0 (both sides are even in x): log((1+x)/(1-x)) >= x.

    Both are 0 at 0 [step "start"], and the left-hand side has slope 2/(1 - x^2) >= 2 [steps
    "slope", "sign"]. The second decreases in lambda, its slope being -2 log((1-l)/l) -
    (1-2l)/(l (1-l)) < 0 [step "decreasing"]; at the largest lambda it is at least 1 [step "end"],
    l = lambda.
    """
    x, margin = sp.Symbol("x", positive=True), sp.Symbol("l", positive=True)
    t, l_, odds = reals("t l o")
    second = (1 - share * margin) * sp.log((1 - margin) / margin)
    slope = -2 * sp.log((1 - margin) / margin) - (1 - 2 * margin) / (margin * (1 - margin))
    end = ball(largest)
    claimed = sp.Rational(factor) * x ** (power - 1)
    return derived(
        start=identity((claimed.subs(x, 0), 0)),
        slope=identity((sp.diff(sp.log((1 + x) / (1 - x)), x), 2 / (1 - x**2))),
        sign=for_all(rational(factor) * (power - 1) * (1 - t * t) <= 2, t >= 0, t < 1),
        derivative=identity((sp.diff(second, margin), slope)),
        decreasing=for_all(
            -2 * odds * l_ * (1 - l_) - (1 - 2 * l_) <= 0, odds >= 0, l_ > 0, 2 * l_ <= 1
        ),
        end=less(ball(least), (1 - 2 * end) * log((1 - end) / end)),
    )


@statement(
    "004 (7.32)",
    lines="9298-9300",
    kind="identity",
    printed="mu^_i = p^*_i I(p^*_i >= 1/2) + (1 - p^*_i) I(p^*_i < 1/2), so that (2 p^*_i - 1)^2 = "
    "(2 mu^_i - 1)^2",
    refuses={"mu^_i of mu_i = p*_i + 0.1": {"shift": "0.1"}, "the other side": {"above": False}},
    unchecked={
        "mu^_i": "effective in the step: what the larger of p and 1 - p is perturbed to",
    },
)
def same_square(shift: str = "0", above: bool = True) -> Outcome:
    p, g = reals("p g")
    mu = z3.If(p >= 1 - p, p, 1 - p) + rational(shift)
    right, effective = perturbed_chance(p, g), perturbed_chance(mu, g)
    first, second = 2 * right - 1, 2 * effective - 1
    larger = z3.If((2 * right >= 1) == above, right, 1 - right)
    return for_all(
        z3.And(effective == larger, first * first == second * second), p >= 0, p <= 1, g > 1
    )


@statement(
    "004 (7.33)-(7.34)",
    lines="9304-9308",
    kind="utility",
    printed="4n/lambda sqrt(log m/m) + 4 log(1/lambda) sqrt(n log m) - n v^ <= -n v^/2 by the "
    "range of lambda",
    checked="the step from (7.33) to (7.34)",
    false="the second term needs v^ >= 16 log(1/lambda) sqrt(log m/n), which is not assumed",
    errata=("diss-7.1.54/E1",),
)
def exponent() -> Outcome:
    """n = 20, m = 1e6, v = .9, lambda = .1 meet every hypothesis of Theorem 7.1.2."""
    n, m, wisdom, margin = 20, 10**6, ball("0.9"), ball("0.1")
    root = (log(ball(m)) / m).sqrt()
    hypotheses = (
        log(ball(m)) / n < wisdom,
        16 / wisdom * root < margin,
        margin < ball("1/8") - root / 2,
    )
    assert all(hypotheses)
    terms = 4 * n / margin * root + 4 * log(1 / margin) * (n * log(ball(m))).sqrt()
    point = {"n": n, "m": m, "v": 0.9, "lambda": 0.1}
    return refuted(point, terms - n * wisdom, -n * wisdom / 2, "exponent")


@exponent.corrected(
    "it holds if also v^ >= 16 log(1/lambda) sqrt(log m/n)",
    refuses={
        "v^ >= 12 log(1/lambda) sqrt(log m/n)": {"needed": 12},
        "v^ >= 16 log(1/lambda) sqrt(log m)/n": {"records": 2},
        "without log(1/lambda)": {"logs": 0},
        "5n/lambda in the first term": {"first": 5},
        "-3 n v^/4": {"share": "3/4"},
        "n/lambda^2": {"margins": 2},
    },
    unchecked={
        "v^": "v^ is a mean over the workers; the step has v for it",
    },
)
def exponent_corrected(
    needed: int = 16,
    records: int = 1,
    logs: int = 1,
    first: int = 4,
    share: str = "1/2",
    margins: int = 1,
) -> Outcome:
    """With a = sqrt(log m/m)/lambda <= v/16 and b = log(1/lambda) sqrt(log m/n) <= v/needed.

    The exponent over n [step "exponent"] is 4 a + 4 b - v <= -v/2 [step "half"].
    """
    a, b, v = reals("a b v")
    n, m, margin, weight, log_m = symbols("n m lambda w l")
    terms = first * n / margin**margins * sp.sqrt(log_m / m) + 4 * weight * sp.sqrt(n * log_m)
    near, far = sp.sqrt(log_m / m) / margin, weight**logs * sp.sqrt(log_m / n**records)
    return derived(
        exponent=identity((terms / n, first * near + 4 * far)),
        half=for_all(
            first * a + 4 * b - v <= -rational(share) * v,
            *(v > 0, a >= 0, b >= 0, 16 * a <= v, needed * b <= v),
        ),
    )


exponent.restated(
    "004 (7.34)",
    lines="9306",
    printed="(7.33) is at most exp(-n v^/2), by the range of lambda, and that sqrt(log m/m)",
)


@statement(
    "004 Rounding after (7.34)",
    lines="9310-9315",
    kind="approximation",
    printed="|I(y >= 1/2) - 1| <= 2|y - 1| and |I(y < 1/2) - 1| <= 2|y - 0|",
    refuses={"1.9 |y - 1|": {"factor": "1.9"}},
)
def rounding(factor: str = "2") -> Outcome:
    """Truth 1: wrong iff y < 1/2; truth 0: wrong iff y >= 1/2."""
    y = reals("y")
    first = z3.If(2 * y < 1, 1, 0) <= rational(factor) * (1 - y)
    second = z3.If(2 * y >= 1, 1, 0) <= rational(factor) * y
    return for_all(z3.And(first, second), y >= 0, y <= 1)
