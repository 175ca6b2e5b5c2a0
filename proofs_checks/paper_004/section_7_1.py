"""Section 7.1: the private Dawid-Skene method and private majority voting."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import scipy
from scipy.special import expit, logit

from proofs_checks.balls import ball, exp, log
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import not_checkable
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    exactly,
    for_all,
    identity,
    less,
    nonnegative,
    rare,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray, IntArray
from reference.crowdsourcing.dawid_skene import dawid_skene, private_dawid_skene, sample_crowd
from reference.privacy.ledger import Ledger

statement = partial(any_statement, algorithms=("diss-7.1.54",))

not_checkable(
    "004 Definition 7.1.1",
    lines="8979-8983",
    kind="definition",
    printed="epsilon-LADP: P(A(x) in S) <= e^epsilon P(A(x') in S) for x, x' that differ in one "
    "coordinate",
    reason="a definition",
    algorithms=("diss-7.1.54",),
)


# -------------------------------------------------------------------- the non-private method


@statement(
    "004 (7.4)-(7.8)",
    lines="9035-9047",
    kind="optimisation",
    printed="(7.6)-(7.8) maximise F(p, y) of (7.4) in p and in y",
    checked="with 1 - y_j for the printed 1 - y_i in (7.4); the three are one alternation",
    refuses={"abilities shrunk to 0.9": {"shrink": 0.9}},
)
def alternating_maximum(rng: np.random.Generator, shrink: float = 1.0) -> Outcome:
    """F is concave in each argument, and its slopes vanish at (7.6) and (7.8).

    In p_i: dF/dp = a/p - b/(1 - p) with a, b the weights of right and wrong answers, which is 0 at
    p = a/(a + b) [step "abilities"]. In y_j: dF/dy = A - B - log(y/(1 - y)), 0 at
    y = e^A/(e^A + e^B) [step "labels"]. The implementation is compared with other points
    [step "implementation"].
    """
    a, b, first, second = symbols("a b A B")
    p, y = sp.symbols("p y", positive=True)
    of_p = sp.diff(a * sp.log(p) + b * sp.log(1 - p), p)
    of_y = sp.diff(first * y + second * (1 - y) - y * sp.log(y) - (1 - y) * sp.log(1 - y), y)
    best = sp.exp(first) / (sp.exp(first) + sp.exp(second))
    gain, tried = -math.inf, 0
    for _ in range(30):
        gain = max(gain, _largest_gain(rng))
        tried += 10
    return derived(
        abilities=identity((of_p.subs(p, sp.nsimplify(shrink) * a / (a + b)), 0)),
        labels=identity((sp.logcombine(of_y.subs(y, best), force=True), 0)),
        implementation=searched(gain, 1e-9, tried=tried, what="gain of another point in F"),
    )


def _largest_gain(rng: np.random.Generator) -> float:
    n, m = (int(size) for size in rng.integers(1, 6, size=2))
    answers = rng.integers(0, 2, size=(n, m))
    labels = rng.uniform(0.01, 0.99, size=m)

    def objective(p: FloatArray, y: FloatArray) -> float:
        first = answers * np.log(p)[:, None] + (1 - answers) * np.log1p(-p)[:, None]
        second = answers * np.log1p(-p)[:, None] + (1 - answers) * np.log(p)[:, None]
        entropy = -y * np.log(y) - (1 - y) * np.log1p(-y)
        return float((first @ y).sum() + (second @ (1 - y)).sum() + entropy.sum())

    # a margin so small that (7.10) is (7.6)
    abilities, best = dawid_skene(answers, labels, n_iterations=1, margin=1e-9)
    gain = -math.inf
    for _ in range(5):
        other_p, other_y = rng.uniform(0.01, 0.99, size=n), rng.uniform(0.01, 0.99, size=m)
        gain = max(gain, objective(other_p, labels) - objective(abilities, labels))
        gain = max(gain, objective(abilities, other_y) - objective(abilities, best))
    return gain


# ---------------------------------------------------------------------------------- privacy


@statement(
    "004 Theorem 7.1.1",
    lines="9088-9090",
    kind="privacy",
    printed="Algorithm 7.1.54 is epsilon-LADP and m epsilon-LDP",
    refuses={
        "(m - 1) epsilon-LDP": {"fewer": 1},
        "answers kept with odds e^(2 epsilon)": {"power": 2},
    },
)
def attribute_privacy(fewer: int = 0, power: int = 1) -> Outcome:
    """An answer is kept with odds e^epsilon, independently of the others.

    One answer: both outputs have ratio at most g = e^epsilon, attained [step "one answer"].
    A row of m answers: the ratios multiply to at most g^m [step "two answers", more by induction;
    "rows" enumerates m = 1, 2, 3].
    """
    g, ratio, other = reals("g ratio other")
    keep, flip = g**power / (g**power + 1), 1 / (g**power + 1)

    def rows() -> Any:
        for odds, m in itertools.product((Fraction(8, 7), Fraction(3), Fraction(100)), (1, 2, 3)):
            kept = odds**power / (odds**power + 1)
            mine = (1,) * m
            for differ in range(1, m + 1):
                theirs = (0,) * differ + (1,) * (m - differ)
                largest = max(
                    math.prod(
                        (kept if sent == a else 1 - kept) / (kept if sent == b else 1 - kept)
                        for sent, a, b in zip(output, mine, theirs, strict=True)
                    )
                    for output in itertools.product((0, 1), repeat=m)
                )
                yield {"m": m, "differ": differ}, Fraction(largest), odds ** max(differ - fewer, 0)

    return derived(
        one_answer=for_all(z3.And(keep <= g * flip, flip <= g * keep), g > 1),
        two_answers=for_all(ratio * other <= g * g, g > 1, ratio > 0, other > 0, ratio <= g,
                            other <= g),
        rows=exactly(rows(), note="largest ratio of a row against e^(k epsilon)"),
    )  # fmt: skip


# ------------------------------------------------------------------------------- identities


def _perturbed(ability: Any, odds: Any, minus: int = 1) -> Any:
    return (odds - minus) / (odds + 1) * ability + 1 / (odds + 1)


@statement(
    "004 (7.11)",
    lines="9098",
    kind="identity",
    printed="mu^_i = (e^epsilon - 1)/(e^epsilon + 1) mu_i + 1/(e^epsilon + 1)",
    checked="it is the effective ability max(p, 1 - p) of the perturbed ability (7.22)",
    refuses={"contraction e^epsilon/(e^epsilon + 1)": {"minus": 0}},
)
def private_effective_ability(minus: int = 1) -> Outcome:
    """mu = max(p*, 1 - p*); the perturbation keeps the side of 1/2."""
    p, g = reals("p g")
    perturbed = _perturbed(p, g)
    mu = z3.If(p >= 1 - p, p, 1 - p)
    larger = z3.If(perturbed >= 1 - perturbed, perturbed, 1 - perturbed)
    return for_all(_perturbed(mu, g, minus) == larger, p >= 0, p <= 1, g > 1)


@statement(
    "004 (7.12)",
    lines="9102",
    kind="definition",
    printed="mu_i = p*_i I{p*_i >= 1/2} + (1 - p*_i) I{p*_i < 1/2}",
    checked="(2 mu - 1)^2 = (2 p* - 1)^2, for which it is used",
    refuses={"p*_i from 2/5 on": {"threshold": "2/5"}},
)
def effective_ability(threshold: str = "1/2") -> Outcome:
    p = reals("p")
    mu = z3.If(p >= rational(threshold), p, 1 - p)
    claim = z3.And((2 * mu - 1) ** 2 == (2 * p - 1) ** 2, 2 * mu >= 1)
    return definition(for_all(claim, p >= 0, p <= 1))


@statement(
    "004 (7.13)",
    lines="9108",
    kind="definition",
    printed="v^ = mean of (2 mu^_i - 1)^2",
    checked="(2 mu^ - 1)^2 = tanh(epsilon/2)^2 (2 p* - 1)^2",
    refuses={"tanh(epsilon/2)": {"power": 1}},
)
def private_wisdom(power: int = 2) -> Outcome:
    """tanh(epsilon/2) = (g - 1)/(g + 1)."""
    p, g = symbols("p g")
    contraction = (g - 1) / (g + 1)
    perturbed = _perturbed(p, g)
    claim = identity(((2 * perturbed - 1) ** 2, contraction**power * (2 * p - 1) ** 2))
    return definition(claim)


@statement(
    "004 (7.21)",
    lines="9168",
    kind="identity",
    printed="X^_ij = y*_j T_ij + (1 - y*_j)(1 - T_ij), T_ij = 1 iff worker i answers j right",
    refuses={"(1 - y*_j) T_ij": {"second": 1}},
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
    """Right and kept, or wrong and flipped."""
    p, g = symbols("p g")
    return identity((_perturbed(p, g, minus), g / (g + 1) * p + (1 - p) / (g + 1)))


@statement(
    "004 (7.32)",
    lines="9298-9300",
    kind="identity",
    printed="(2 p^*_i - 1)^2 = (2 mu^_i - 1)^2",
    refuses={"mu^_i of mu_i = p*_i + 0.1": {"shift": "0.1"}},
)
def same_square(shift: str = "0") -> Outcome:
    p, g = reals("p g")
    mu = z3.If(p >= 1 - p, p, 1 - p) + rational(shift)
    first, second = 2 * _perturbed(p, g) - 1, 2 * _perturbed(mu, g) - 1
    return for_all(first * first == second * second, p >= 0, p <= 1, g > 1)


# ----------------------------------------------------------------------- steps of the proofs


@statement(
    "004 Lemma 7.1.2",
    lines="9200-9202",
    kind="concentration",
    printed="Hoeffding: P(|mean - E| > t) <= 2 exp(-2 n^2 t^2/sum (b_i - a_i)^2)",
    refuses={"exp(-2.2 n t^2)": {"rate": 2.2}},
)
def hoeffding(rate: float = 2.0) -> Outcome:
    """Compute exact binomial tails, n up to 3000 and p = 1/2 among them."""
    worst, tried = 0.0, 0
    for n, p in itertools.product((1, 5, 40, 300, 3000), (0.05, 0.3, 0.5, 0.9)):
        counts = np.arange(n + 1)
        # strictly more than t away from the mean; the tail changes at the attained distances
        order = np.argsort(np.abs(counts / n - p))
        distance = np.abs(counts / n - p)[order]
        tail = np.cumsum(scipy.stats.binom.pmf(counts, n, p)[order][::-1])[::-1]
        # just below a distance the tail includes it
        bound = 2 * np.exp(-rate * n * np.maximum(distance - 1e-12, 0) ** 2)
        some = tail > 1e-250
        worst = max(worst, float((tail[some] / bound[some]).max()))
        tried += distance.size
    return searched(worst, 1 + 1e-9, tried=tried, what="exact tail of a binomial over the bound")


@statement(
    "004 Lemma 7.1.1",
    lines="9190-9196",
    kind="concentration",
    printed="P(E_1 and E_2) >= 1 - C'/m",
    checked="with C' = 3, for n <= m and m >= 2",
    refuses={"C' = 2": {"constant": "2"}, "half the deviation in E_2": {"deviation": 1}},
)
def events(rng: np.random.Generator, constant: str = "3", deviation: int = 2) -> Outcome:
    """Hoeffding for each of n workers (E_1) and each of m tasks (E_2).

    E_1: m variables of range 1, deviation sqrt(m log m) of the sum: exponent 2 log m. E_2: n
    variables of range at most log(1/lambda), deviation 2 log(1/lambda) sqrt(n log m): exponent
    8 log m [step "exponents"]. With n <= m, m (2 n m^-2 + 2 m m^-8) <= 2 + 2 m^-6 <= C' for m >= 2
    [step "budget"]. The weights |logit| <= log(1/lambda) on [lambda, 1 - lambda], as
    1 - lambda <= 1 [step "weights"]. A simulation at n = 30, m = 200 [step "runs"].
    """
    n, m, width, log_m = symbols("n m w l")
    first = 2 * (sp.sqrt(m * log_m)) ** 2 / m
    second = 2 * (deviation * width * sp.sqrt(n * log_m)) ** 2 / (n * width**2)
    size, odds, margin = reals("size odds margin")
    bad, runs = _missed_events(rng), 100
    return derived(
        exponents=identity((first, 2 * log_m), (second, 8 * log_m)),
        budget=for_all(2 * size**6 + 2 <= rational(constant) * size**6, size >= 2),
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


def _mean_identity(sign: int = 2) -> Outcome:
    """With e = |y - y*|: (1-X)(1-y) + X y = T + e (1 - 2T), so |p_bar - p| <= |avg(T - p)| + avg e.

    Every case of the bits y* and T, for all e in [0, 1], and |e (1 - 2T)| <= e.
    """
    truth, t, e = reals("truth t e")
    answer = truth * t + (1 - truth) * (1 - t)
    label = truth * (1 - e) + (1 - truth) * e
    return for_all(
        z3.And(
            (1 - answer) * (1 - label) + answer * label == t + e * (1 - sign * t),
            z3.Abs(e * (1 - sign * t)) <= e,
        ),
        *(truth * (1 - truth) == 0, t * (1 - t) == 0, e >= 0, e <= 1),
    )


@statement(
    "004 (7.23)",
    lines="9224",
    kind="approximation",
    printed="|p_bar_i - p^*_i| <= |avg_j (T_ij - p^*_i)| + r^(t-1)",
    refuses={"1 - 3T": {"sign": 3}},
)
def mean_error(sign: int = 2) -> Outcome:
    """The identity p_bar - p = avg(T - p) + avg e (1 - 2T)."""
    return _mean_identity(sign)


@statement(
    "004 (7.23), proof",
    lines="9226-9236",
    kind="approximation",
    printed="taking the average of |T_ij - p*_i| + |y_j - y*_j| over j gives (7.23)",
    false="the average of |T - p| is not |the average of T - p|",
    errata=(("diss-7.1.54", 5),),
)
def mean_error_proof() -> Outcome:
    """Two answers, one right and one wrong, at p = 1/2: 1/2 against 0."""
    answers = [Fraction(0), Fraction(1)]
    half = Fraction(1, 2)
    term_by_term = (abs(answers[0] - half) + abs(answers[1] - half)) / 2
    return refuted({"p": 0.5, "T": [0, 1]}, term_by_term, abs(sum(answers, -2 * half)) / 2)


@mean_error_proof.corrected(
    "p_bar = avg T + avg |y - y*|(1 - 2T) gives it", refuses={"1 - 3T": {"sign": 3}}
)
def mean_error_proof_corrected(sign: int = 2) -> Outcome:
    return _mean_identity(sign)


@statement(
    "004 (7.26)",
    lines="9240",
    kind="approximation",
    printed="|log x - log y| <= |x - y|/min(x, y)",
    refuses={"0.9 |x - y|/min(x, y)": {"factor": "9/10"}},
)
def log_ratio(factor: str = "1") -> Outcome:
    """With z = max/min >= 1: h(z) = z - 1 - log z is 0 at 1 and has slope 1 - 1/z >= 0.

    [step "slope", "sign"]
    """
    z = sp.Symbol("z", positive=True)
    scale = sp.Rational(factor)
    x = reals("x")
    return derived(
        slope=identity((sp.diff(scale * (z - 1) - sp.log(z), z), scale - 1 / z)),
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
    errata=(("diss-7.1.54", 4),),
)
def odds_step() -> Outcome:
    low, high, margin = Fraction(1, 10), Fraction(9, 10), Fraction(1, 10)
    first, second = low / (1 - low), high / (1 - high)
    left = (second - first) / min(first, second)
    return refuted({"p": 0.1, "q": 0.9, "lambda": 0.1}, left, 2 / margin * (high - low))


def _logit_slope(constant: str = "2") -> Outcome:
    """|logit p - logit q| <= (2/lambda)|p - q|: the slope 1/(x(1-x)) is at most 2/lambda."""
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


@statement(
    "004 Lemma 7.1.3",
    lines="9214-9216",
    kind="approximation",
    printed="max_i |logit p_i^(t) - logit p^*_{lambda,i}| <= (2/lambda)(sqrt(log m/m) + "
    "r^(t-1)) on E_1",
    refuses={"(1.9/lambda)": {"constant": "1.9"}},
)
def weights_close(rng: np.random.Generator, constant: str = "2") -> Outcome:
    """(7.23) on E_1 [step "mean"], clipping moves no two points apart [step "clip"], the slope.

    Runs of the method reach the bound with the realised deviation in place of sqrt(log m/m).
    """
    a, b, low, high = reals("a b low high")

    def clip(x: Any) -> Any:
        return z3.If(x < low, low, z3.If(x > high, high, x))

    worst = max(_weight_excess(rng) for _ in range(20))
    return derived(
        mean=_mean_identity(),
        clip=for_all(z3.Abs(clip(a) - clip(b)) <= z3.Abs(a - b), low <= high),
        slope=_logit_slope(constant),
        runs=searched(worst, 1, tried=20, what="error of the weights over the bound"),
    )


def _start(truth: IntArray, share: float) -> FloatArray:
    """Return labels of which the first ``share`` are wrong."""
    start = truth.astype(np.float64)
    wrong = int(truth.size * share)
    start[:wrong] = 1 - start[:wrong]
    return start


def _weight_excess(rng: np.random.Generator) -> float:
    n, m, margin = 8, 400, 0.05
    perturbed = rng.uniform(0.02, 0.98, size=n)
    truth, answers = sample_crowd(perturbed, m, rng)
    start = _start(truth, float(rng.uniform(0, 0.1)))
    deviation = float(np.abs((answers == truth).mean(axis=1) - perturbed).max())
    abilities, _ = dawid_skene(answers, start, n_iterations=1, margin=margin)
    target = np.clip(perturbed, margin, 1 - margin)
    bound = 2 / margin * (deviation + float(np.abs(start - truth).mean()))
    return float(np.abs(logit(abilities) - logit(target)).max()) / bound


@statement(
    "004 Exponent of (7.33)",
    lines="9288-9296",
    kind="approximation",
    printed="(2p - 1) logit p >= (2p - 1)^2; (1 - 2 lambda) log((1 - lambda)/lambda) >= 1 for "
    "lambda <= 1/8",
    refuses={"2.1 (2p - 1)^2": {"factor": "2.1"}, "lambda <= 1/5": {"largest": "1/5"}},
)
def exponent_terms(factor: str = "1", largest: str = "1/8") -> Outcome:
    """With p = (1 + x)/2 and x >= 0 (both sides are even in x): log((1+x)/(1-x)) >= x.

    The left-hand side has slope 2/(1 - x^2) >= 2 [steps "slope", "sign"]. The second decreases in
    lambda, its slope being -2 log((1-l)/l) - (1-2l)/(l (1-l)) < 0 [step "decreasing"]; at the
    largest lambda it is at least 1 [step "end"].
    """
    x, margin = sp.Symbol("x", positive=True), sp.Symbol("l", positive=True)
    t, l_, odds = reals("t l o")
    second = (1 - 2 * margin) * sp.log((1 - margin) / margin)
    slope = -2 * sp.log((1 - margin) / margin) - (1 - 2 * margin) / (margin * (1 - margin))
    end = ball(largest)
    return derived(
        slope=identity((sp.diff(sp.log((1 + x) / (1 - x)), x), 2 / (1 - x**2))),
        sign=for_all(rational(factor) * (1 - t * t) <= 2, t >= 0, t < 1),
        derivative=identity((sp.diff(second, margin), slope)),
        decreasing=for_all(
            -2 * odds * l_ * (1 - l_) - (1 - 2 * l_) <= 0, odds >= 0, l_ > 0, 2 * l_ <= 1
        ),
        end=less(ball(1), (1 - 2 * end) * log((1 - end) / end)),
    )


# ------------------------------------------------------------------------------ (7.33), (7.34)


@statement(
    "004 (7.33)-(7.34)",
    lines="9304-9308",
    kind="utility",
    printed="4n/lambda sqrt(log m/m) + 4 log(1/lambda) sqrt(n log m) - n v^ <= -n v^/2 by the "
    "range of lambda",
    checked="the step from (7.33) to (7.34)",
    false="the second term needs v^ >= 16 log(1/lambda) sqrt(log m/n), which is not assumed",
    errata=(("diss-7.1.54", 1),),
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
    refuses={"v^ >= 12 log(1/lambda) sqrt(log m/n)": {"needed": 12}},
)
def exponent_corrected(needed: int = 16) -> Outcome:
    """With a = sqrt(log m/m)/lambda <= v/16 and b = log(1/lambda) sqrt(log m/n) <= v/needed.

    The exponent over n is 4 a + 4 b - v <= -v/2.
    """
    a, b, v = reals("a b v")
    return for_all(4 * a + 4 * b - v <= -v / 2, v > 0, a >= 0, b >= 0, 16 * a <= v, needed * b <= v)


# ----------------------------------------------------------------------------- Theorem 7.1.2


def _failure(m: float, epsilon: float, n: int) -> float:
    """Lower bound of P(some label is wrong) for the method with T = 1 and perfect workers.

    On the event E_1 the abilities of the first iteration lie within 2 sqrt(log m/m) of
    p = e^epsilon/(1 + e^epsilon), so a task with k wrong answers is mislabelled for certain if
    k times the smallest weight exceeds n - k times the largest.
    """
    p = float(expit(epsilon))
    reach = 2 * math.sqrt(math.log(m) / m)
    least, most = (float(logit(p + sign * reach)) for sign in (-1, 1))
    wrong = float(scipy.stats.binom.sf(n * most / (most + least), n, 1 - p))
    missed = 2 * n / m**2  # of the event E_1, by Hoeffding
    return -math.expm1(m * math.log1p(-wrong)) - missed


@statement(
    "004 Theorem 7.1.2",
    lines="9114-9126",
    kind="utility",
    printed="(7.16): share of wrong labels <= 2 exp(-n v^/2) with probability at least 1 - C'/m, "
    "C' constant",
    false="along n v = 2.2 log m the bound demands no wrong label at all, and there is one with "
    "probability far above 1/m",
    errata=(("diss-7.1.54", 2),),
)
def labels() -> Outcome:
    """Perfect workers; C' must exceed 50 times what it is at m = 1e8 already at m = 1e12.

    In each case 2 m exp(-n v/2) < 1, so that one wrong label breaks (7.16).
    """
    needed = []
    for m, epsilon, n in ((1e8, 0.5, 677), (1e12, 0.09385, 27632)):
        assert 2 * m * math.exp(-n * math.tanh(epsilon / 2) ** 2 / 2) < 1
        needed.append(m * _failure(m, epsilon, n))
    point = {"m": 1e12, "epsilon": 0.09385, "n": 27632, "C' at m = 1e8": needed[0]}
    return refuted(point, needed[1], 50 * needed[0], "C' needed, against 50 times that at m = 1e8")


@labels.corrected(
    "with known abilities the expected share is at most exp(-n v^/2)",
    refuses={"exp(-0.6 n v^)": {"rate": "0.6"}},
)
def labels_with_known_abilities(rng: np.random.Generator, rate: str = "0.5") -> Outcome:
    """Chernoff at 1/2 with weights logit p_i: each worker contributes sqrt(1 - x^2), x = 2 p - 1.

    E sqrt(odds of wrong to right) = 2 sqrt(p (1-p)) = sqrt(1 - x^2) [step "factor"], and
    sqrt(1 - x^2) <= exp(-x^2/2): with u = x^2, -log(1 - u)/2 - u/2 is 0 at 0 and has slope
    1/(2 (1-u)) - 1/2 >= 0 [steps "slope", "sign"]. Runs of the method itself [step "runs"].
    """
    x, u = sp.Symbol("x", positive=True), sp.Symbol("u", positive=True)
    p, t, factor = (1 + x) / 2, reals("t"), sp.Rational(rate)
    worst = 0.0
    for n in (10, 20):
        truth, answers = sample_crowd(np.full(n, 0.9), 10_000, rng)
        estimate = private_dawid_skene(
            answers, epsilon=1.0, n_iterations=3, margin=0.05, ledger=Ledger(rng)
        )
        bound = 2 * math.exp(-n * (0.8 * math.tanh(0.5)) ** 2 / 2)
        worst = max(worst, float(np.mean(estimate.labels != truth)) / bound)
    return derived(
        factor=identity(((2 * sp.sqrt(p * (1 - p))) ** 2, 1 - x**2)),
        slope=identity((sp.diff(-sp.log(1 - u) / 2 - factor * u, u), 1 / (2 * (1 - u)) - factor)),
        sign=for_all(2 * rational(rate) * (1 - t) <= 1, t >= 0, t < 1),
        runs=searched(worst, 1, tried=2, what="wrong labels of the method over 2 exp(-n v/2)"),
    )


# ----------------------------------------------------------------------------- Theorem 7.1.3


@statement(
    "004 Theorem 7.1.3",
    lines="9132-9134",
    kind="utility",
    printed="(7.17): max_i |p^_i - p*_i| <= 6 sqrt(log m/(m epsilon^2)), 0 < epsilon <= 1, under "
    "the assumptions of Theorem 7.1.2",
    checked="(7.17) on the event E_1",
    added="r^(T-1) <= sqrt(log m/m), which the proof takes from Theorem 7.1.2 (false): true at "
    "T = 1 by (7.14)",
    refuses={"4 sqrt(log m/(m epsilon^2))": {"constant": "4"}, "lambda <= 0.3": {"margin": "0.3"}},
)
def abilities(rng: np.random.Generator, constant: str = "6", margin: str = "1/8") -> Outcome:
    """(7.23) gives |p - p^*| <= 2 sqrt(log m/m); dividing by tanh(epsilon/2) gives (7.17).

    2 coth(epsilon/2) <= 6/epsilon: 6 (e^epsilon - 1) - 2 epsilon (e^epsilon + 1) is 0 at 0 and has
    slope 4 e^epsilon - 2 - 2 epsilon e^epsilon >= 0 on [0, 1] [steps "slope", "increasing"]. The
    perturbed abilities lie in [1/(1+e), e/(1+e)], inside [lambda, 1 - lambda] for lambda <= 1/8,
    so that clipping does not bias them [step "inside"].
    """
    e = sp.Symbol("e", positive=True)
    scale, c = sp.Rational(constant), ball(constant)
    gap = scale * (sp.exp(e) - 1) - 2 * e * (sp.exp(e) + 1)
    worst = max(_ability_excess(rng, m, epsilon) for m in (2000, 8000) for epsilon in (0.5, 1.0))
    return derived(
        mean=_mean_identity(),
        slope=identity((sp.diff(gap, e), (scale - 2) * sp.exp(e) - 2 - 2 * e * sp.exp(e))),
        increasing=nonnegative(
            lambda x: exp(x) * (c - 2 - 2 * x) - 2, {"epsilon": (0, 1)}, whole=True
        ),
        inside=less(ball(margin), 1 / (1 + exp(ball(1)))),
        runs=searched(worst, 1, tried=4, what="error of the abilities over the bound"),
    )


def _ability_excess(rng: np.random.Generator, m: int, epsilon: float) -> float:
    true = rng.uniform(0.5, 1.0, size=40)
    truth, answers = sample_crowd(true, m, rng)
    root = math.sqrt(math.log(m) / m)
    estimate = private_dawid_skene(
        answers,
        epsilon=epsilon,
        n_iterations=1,
        margin=0.05,
        initial=_start(truth, root),
        ledger=Ledger(rng),
    )
    return float(np.abs(estimate.abilities - true).max()) / (6 * root / epsilon)


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


# ----------------------------------------------------------- private majority voting, 7.1.5


@statement(
    "004 Theorem 7.1.4",
    lines="9148-9152",
    kind="utility",
    printed="majority voting: n^delta experts, the rest spammers, epsilon > ln(85/15), n > C: "
    "error >= 2 exp(-tanh(epsilon/2)^2 n^delta/2) >= error of Algorithm 7.1.54",
    false="the second inequality needs an initial vector: y^(0) = 1 - y* has error 1",
    errata=(("diss-7.1.majority", 3),),
)
def majority_voting(rng: np.random.Generator) -> Outcome:
    """Start Algorithm 7.1.54 at 1 - y*: its fixed points come in pairs (p, y), (1 - p, 1 - y).

    The hypotheses of Theorem 7.1.2, (7.14) among them, are not repeated in Theorem 7.1.4.
    """
    n, m, epsilon, experts = 400, 4000, 2.0, 20
    ability = np.where(np.arange(n) < experts, 1.0, 0.5)
    truth, answers = sample_crowd(ability, m, rng)
    estimate = private_dawid_skene(
        answers, epsilon=epsilon, n_iterations=3, margin=0.05,
        initial=1.0 - truth, ledger=Ledger(rng),
    )  # fmt: skip
    error = float(np.mean(estimate.labels != truth))
    bound = 2 * math.exp(-(math.tanh(1.0) ** 2) * experts / 2)
    return refuted({"n": n, "m": m, "epsilon": epsilon, "experts": experts}, error, bound, "error")


@majority_voting.corrected(
    "the first inequality, e.g. at epsilon = 2, delta = .4 for n = 1000, 10000, 1e5",
    refuses={"2 exp(-0.1 n^delta)": {"rate": 0.1}},
)
def majority_voting_errs(rate: float | None = None) -> Outcome:
    """Convolve the experts' and the spammers' binomials exactly."""
    worst, tried = 0.0, 0
    for n in (1000, 10_000, 100_000):
        experts, p = math.ceil(n**0.4), float(expit(2.0))
        right = scipy.stats.binom.pmf(np.arange(experts + 1), experts, p)
        # sum of all below n/2
        short = scipy.stats.binom.cdf(np.ceil(n / 2) - 1 - np.arange(experts + 1), n - experts, 0.5)
        power = math.tanh(1.0) ** 2 / 2 if rate is None else rate
        worst = max(worst, 2 * math.exp(-power * experts) / float(right @ short))
        tried += 1
    return searched(worst, 1, tried=tried, what="bound over the exact error of majority voting")


@statement(
    "004 Theorem 7.1.4, use of Theorem 7.1.2",
    lines="9381-9385",
    kind="utility",
    printed="on the same instance Theorem 7.1.2 bounds the error of Algorithm 7.1.54",
    false="v^ = tanh(epsilon/2)^2 n^(delta-1), delta < 1/2, but its proof needs "
    "v^ >= 16 log(1/lambda) sqrt(log m/n)",
    errata=(("diss-7.1.majority", 2),),
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
)
def majority_voting_needs_more_experts(power: Fraction | int = Fraction(1, 2)) -> Outcome:
    n, delta, tanh, weight, log_m = symbols("n delta t w l")
    wisdom, needed = tanh**2 * n ** (delta - 1), 16 * weight * sp.sqrt(log_m / n)
    simplified = n ** (delta - sp.Rational(power)) * tanh**2 / (16 * weight * sp.sqrt(log_m))
    return identity((wisdom / needed, simplified))


@statement(
    "004 Lemma 7.1.4",
    lines="9337-9343",
    kind="concentration",
    printed="(7.35): sup_t |F_n(t) - Phi(t)| <= c E|X_1|^3/(sigma sqrt n), c < 0.4748",
    false="misprint: sigma^3; and (7.36) uses 1/(16 sqrt N) for a symmetric binomial",
    errata=(("ledger:Lemma 7.1.4", 1), ("diss-7.1.majority", 1)),
)
def berry_esseen() -> Outcome:
    """T_i - 1/2 for fair bits: sigma = 1/2, E|X|^3 = 1/8, N = 1000."""
    distance = _binomial_distance(1000)
    return refuted({"N": 1000, "p": 0.5}, distance, 0.4748 / 8 * 2 / math.sqrt(1000), "distance")


def _binomial_distance(n: int) -> float:
    """Largest |F_n - Phi| for the standardised sum of n fair bits."""
    counts = np.arange(n + 1)
    normal = scipy.stats.norm.cdf((counts - n / 2) / (math.sqrt(n) / 2))
    at = scipy.stats.binom.cdf(counts, n, 0.5)
    before = scipy.stats.binom.cdf(counts - 1, n, 0.5)
    return float(max(np.abs(at - normal).max(), np.abs(before - normal).max()))


@berry_esseen.corrected(
    "<= c E|X_1|^3/(sigma^3 sqrt n), c < 0.4748 (Shevtsova, 2011)",
    refuses={"c = 0.39": {"constant": 0.39}},
)
def berry_esseen_cubed(constant: float = 0.4748) -> Outcome:
    """Fair bits: sigma^3 = E|X|^3, so the bound is c/sqrt n; the exact limit is 1/sqrt(2 pi)."""
    worst = max(_binomial_distance(n) * math.sqrt(n) / constant for n in (1, 2, 7, 50, 1000))
    return searched(worst, 1, tried=5, what="distance of the sum of n fair bits over the bound")


def _gap_at_end(end: str) -> Outcome:
    v = ball(end)
    return less(ball(0), (2 * v - 1) ** 2 / 2 + log(v))


def _majority_gap(end: str) -> Outcome:
    """f(v) = (2v - 1)^2/2 + log v has slope 2 (2v - 1) + 1/v > 0 for v > 1/2, and f(.85) > 0."""
    v, x = sp.Symbol("v", positive=True), reals("x")
    return derived(
        slope=identity((sp.diff((2 * v - 1) ** 2 / 2 + sp.log(v), v), 2 * (2 * v - 1) + 1 / v)),
        increasing=for_all(2 * (2 * x - 1) * x + 1 > 0, 2 * x >= 1),
        end=_gap_at_end(end),
    )


@statement(
    "004 (7.38)",
    lines="9387",
    kind="approximation",
    printed="2 exp(-tanh(epsilon/2)^2 K/2) <= v^K/8 for large K = ceil(n^delta), v = "
    "e^epsilon/(e^epsilon + 1)",
    refuses={"from v = 0.81 on": {"end": "0.81"}},
)
def majority_comparison(end: str = "0.85") -> Outcome:
    """tanh(epsilon/2) = 2 v - 1 [step "tanh"], so it is (7.39), which follows from (7.40)."""
    g = symbols("g")
    v = g / (g + 1)
    return derived(tanh=identity(((g - 1) / (g + 1), 2 * v - 1)), gap=_majority_gap(end))


@statement(
    "004 (7.39)",
    lines="9391",
    kind="approximation",
    printed="exp(-(2v - 1)^2 K/2)/v^K <= 1/16 for large K",
    checked="for K >= log(16)/f(v), f(v) = (2v - 1)^2/2 + log v > 0",
    refuses={"K >= log(15)/f(v)": {"inverse": 15}, "from v = 0.81 on": {"end": "0.81"}},
)
def majority_ratio(inverse: int = 16, end: str = "0.85") -> Outcome:
    """The left-hand side is exp(-f(v) K) [step "exponent"]."""
    v, gap = symbols("v f")
    count = sp.log(inverse) / gap
    left = sp.exp(-(gap - sp.log(v)) * count) / v**count
    return derived(
        exponent=identity((sp.expand(sp.log(left).expand(force=True)), -sp.log(16))),
        gap=_majority_gap(end),
    )


@statement(
    "004 (7.40)",
    lines="9395-9397",
    kind="approximation",
    printed="lim exp(-(2v - 1)^2 K/2)/v^K = 0, as f(v) = (2v - 1)^2/2 + log v > 0 on [.85, 1)",
    refuses={"from v = 0.81 on": {"end": "0.81"}},
)
def majority_limit(end: str = "0.85") -> Outcome:
    return _majority_gap(end)
