"""Dissertation section 7.1: the private Dawid-Skene method."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from mpmath import iv
from scipy import stats
from scipy.special import expit, logit

from proofs_checks.intervals import interval, prove_nonnegative
from proofs_checks.old_statement import Outcome, Statement
from reference._validation import FloatArray, IntArray
from reference.crowdsourcing.dawid_skene import dawid_skene, private_dawid_skene, sample_crowd
from reference.privacy.ledger import Ledger

ALGORITHM = ("diss-7.1.54",)

# ------------------------------------------------------------------------------- helpers


def _rational_odds() -> list[Fraction]:
    """Values of e^epsilon for checks in exact arithmetic."""
    return [Fraction(number, 7) for number in (8, 10, 14, 21, 70, 700)]


def _start(truth: IntArray, share: float) -> FloatArray:
    """Return labels of which the first ``share`` are wrong."""
    start = truth.astype(np.float64)
    wrong = int(truth.size * share)
    start[:wrong] = 1 - start[:wrong]
    return start


# ------------------------------------------------------------------- the non-private method


def _alternating_maximum(rng: np.random.Generator) -> Outcome:
    """(7.6)-(7.8) maximise F in each argument, and max_y F = log-likelihood + m log 2."""
    gain, identity = -math.inf, 0.0
    for _ in range(60):
        n, m = (int(size) for size in rng.integers(1, 6, size=2))
        answers = rng.integers(0, 2, size=(n, m))
        labels = rng.uniform(0.01, 0.99, size=m)

        def objective(p: FloatArray, y: FloatArray, answers: IntArray = answers) -> float:
            first = answers * np.log(p)[:, None] + (1 - answers) * np.log1p(-p)[:, None]
            second = answers * np.log1p(-p)[:, None] + (1 - answers) * np.log(p)[:, None]
            entropy = -y * np.log(y) - (1 - y) * np.log1p(-y)
            return float((first @ y).sum() + (second @ (1 - y)).sum() + entropy.sum())

        # a margin so small that (7.10) is (7.6)
        abilities, best = dawid_skene(answers, labels, n_iterations=1, margin=1e-9)
        for _ in range(5):
            other_p = rng.uniform(0.01, 0.99, size=n)
            other_y = rng.uniform(0.01, 0.99, size=m)
            gain = max(gain, objective(other_p, labels) - objective(abilities, labels))
            gain = max(gain, objective(abilities, other_y) - objective(abilities, best))
        log_likelihood = float(
            np.log(
                0.5 * np.prod(np.where(answers == 1, abilities[:, None], 1 - abilities[:, None]), 0)
                + 0.5
                * np.prod(np.where(answers == 1, 1 - abilities[:, None], abilities[:, None]), 0)
            ).sum()
        )
        difference = objective(abilities, best) - log_likelihood - m * math.log(2)
        identity = max(identity, abs(difference))
    return Outcome(
        holds=gain <= 1e-9 and identity < 1e-6,
        level="checked by search",
        detail=f"no other point gains more than {gain:.1e}; max_y F - log-likelihood - m log 2 "
        f"within {identity:.0e} (60 instances)",
    )


# ------------------------------------------------------------------------------- privacy


def _row_probability(output: Sequence[int], answers: Sequence[int], odds: Fraction) -> Fraction:
    probability = Fraction(1)
    for sent, true in zip(output, answers, strict=True):
        probability *= (odds if sent == true else 1) / (odds + 1)
    return probability


def _attribute_privacy(rng: np.random.Generator) -> Outcome:
    del rng
    one, whole, pairs = True, True, 0
    for odds, m in itertools.product(_rational_odds(), (1, 2, 3)):
        rows = list(itertools.product((0, 1), repeat=m))
        for mine, theirs in itertools.permutations(rows, 2):
            ratio = max(
                _row_probability(sent, mine, odds) / _row_probability(sent, theirs, odds)
                for sent in rows
            )
            differ = sum(a != b for a, b in zip(mine, theirs, strict=True))
            pairs += 1
            if differ == 1:
                one = one and ratio == odds
            whole = whole and ratio == odds**differ
    return Outcome(
        holds=one and whole,
        level="proved exactly",
        detail="largest ratio e^epsilon for one answer, e^(k epsilon) for k, attained (so "
        f"m epsilon-LDP, tight): {pairs} pairs of rows, rational e^epsilon",
    )


# ----------------------------------------------------------------------------- identities


def _effective_ability(rng: np.random.Generator) -> Outcome:
    del rng
    for odds, number in itertools.product(_rational_odds(), range(11)):
        ability = Fraction(number, 10)
        contraction = (odds - 1) / (odds + 1)
        perturbed = contraction * ability + 1 / (odds + 1)
        direct = odds / (odds + 1) * ability + (1 - ability) / (odds + 1)
        effective = max(ability, 1 - ability)
        effective_perturbed = contraction * effective + 1 / (odds + 1)
        agree = (
            perturbed == direct  # (7.22)
            and effective_perturbed == max(perturbed, 1 - perturbed)  # (7.32)
            and (2 * perturbed - 1) ** 2 == (2 * effective_perturbed - 1) ** 2
            and (2 * perturbed - 1) ** 2 == contraction**2 * (2 * ability - 1) ** 2
        )
        if not agree:
            return Outcome(False, "proved exactly", f"fails at e^epsilon={odds}, p*={ability}")
    return Outcome(
        True,
        "proved exactly",
        "(2 p - 1)^2 = (2 mu - 1)^2 = tanh(epsilon/2)^2 (2 p* - 1)^2, degree 2 in p*: 66 rationals",
    )


def _representation(rng: np.random.Generator) -> Outcome:
    del rng
    # (7.21): X^ = y* T + (1 - y*)(1 - T) is 1 exactly if T says "correct" and y* = 1 or neither
    holds = all(
        (truth * t + (1 - truth) * (1 - t) == truth) == (t == 1)
        for truth, t in itertools.product((0, 1), repeat=2)
    )
    return Outcome(holds, "proved exactly", "X^_ij = y*_j iff T_ij = 1, four cases")


# ------------------------------------------------------------------- steps of the proofs


def _hoeffding(rng: np.random.Generator) -> Outcome:
    del rng
    worst = 0.0
    for n, p in itertools.product((1, 5, 40, 300), (0.05, 0.3, 0.5, 0.9)):
        counts = np.arange(n + 1)
        law = stats.binom(n, p)
        for t in np.linspace(0.0, 1.0, 41):
            # strictly more than t away from the mean, exactly
            away = np.abs(counts / n - p) > t + 1e-12
            tail = float(law.pmf(counts)[away].sum())
            worst = max(worst, tail / (2 * math.exp(-2 * n * t**2)))
    return Outcome(
        worst <= 1 + 1e-12,
        "checked at high precision",
        f"tail/bound at most {worst:.4f} for exact binomials, n up to 300",
    )


def _events(rng: np.random.Generator) -> Outcome:
    """P(E_1 and E_2) >= 1 - 3/m by Hoeffding: 2n m^-2 + 2m m^-8 with n <= m."""

    def exponent(terms: float, deviation: float, width: float) -> float:
        # of Lemma 7.1.2 for a deviation of the sum of ``terms`` variables of range ``width``
        return 2 * deviation**2 / (terms * width**2)

    wrong = 0.0
    for n, m, odds in itertools.product((2, 50, 999), (1e3, 1e8), (0.5, 3.0)):
        log_m = math.log(m)
        wrong = max(
            wrong,
            abs(exponent(m, math.sqrt(m * log_m), 1.0) / log_m - 2),  # E_1, each of n workers
            abs(exponent(n, 2 * odds * math.sqrt(n * log_m), odds) / log_m - 8),  # E_2, m tasks
        )
    # m (2n m^-2 + 2m m^-8) <= 2 + 2 m^-6, largest at the smallest m
    budget = 2 + 2 * Fraction(1, 2) ** 6 <= 3
    margins = prove_nonnegative(
        # log(1/lambda) - log((1 - lambda)/lambda) = -log(1 - lambda)
        lambda margin: -iv.log(1 - margin),
        [("1e-9", "0.5")],
    )
    n, m, margin, runs = 30, 200, 0.05, 300
    bad = 0
    for _ in range(runs):
        abilities = rng.uniform(0.1, 0.9, size=n)
        right = rng.random((n, m)) < abilities[:, None]
        centred = right - abilities[:, None]
        weights = logit(np.clip(abilities, margin, 1 - margin))
        first = np.abs(centred.mean(axis=1)).max() <= math.sqrt(math.log(m) / m)
        limit = 2 * math.log(1 / margin) * math.sqrt(n * math.log(m))
        bad += not (first and np.abs(weights @ centred).max() <= limit)
    high = float(stats.beta.isf(1e-6, bad + 1, runs - bad))
    return Outcome(
        holds=wrong < 1e-12 and budget and margins.proved and high <= 0.1,
        level="proved by interval arithmetic",
        detail=f"C' = 3; |logit| <= log(1/lambda): {margins.describe()}; events missed {bad} times "
        f"in {runs} runs with n=30, m=200 (bound {2 * n / m**2 + 2 * m**-7:.4f})",
    )


def _mean_identity(rng: np.random.Generator) -> Outcome:
    del rng
    # with e = |y - y*|: (1-X)(1-y) + X y = T + e (1 - 2T), linear in e; |e (1 - 2T)| = e
    for truth, t, e in itertools.product(
        (0, 1), (0, 1), (Fraction(0), Fraction(2, 7), Fraction(1))
    ):
        answer = truth * t + (1 - truth) * (1 - t)
        label = 1 - e if truth else e
        if (1 - answer) * (1 - label) + answer * label != t + e * (1 - 2 * t):
            return Outcome(False, "proved exactly", f"fails at y*={truth}, T={t}, e={e}")
    return Outcome(
        True,
        "proved exactly",
        "p_bar - p = avg(T - p) + avg e (1 - 2T), so |p_bar - p| <= |avg(T - p)| + r; every case "
        "of y* and T, linear in e",
    )


def _mean_proof(rng: np.random.Generator) -> Outcome:
    """Show that avg|T - p|, to which the printed proof leads, is not |avg(T - p)|."""
    m, p = 10_000, 0.5
    right = (rng.random(m) < p).astype(np.float64)
    term_by_term = float(np.abs(right - p).mean())
    claimed = abs(float(right.mean()) - p)
    return Outcome(
        holds=term_by_term <= claimed,
        level="refuted with witness",
        detail=f"p = 1/2, m = 10000: avg|T - p| = {term_by_term:.3f}, |avg(T - p)| = {claimed:.4f}",
        witness={"p": p, "m": m, "avg |T - p|": term_by_term, "|avg (T - p)|": claimed},
    )


def _odds_step(rng: np.random.Generator) -> Outcome:
    del rng
    low, high, margin = Fraction(1, 10), Fraction(9, 10), Fraction(1, 10)
    first, second = low / (1 - low), high / (1 - high)
    left = (second - first) / min(first, second)
    right = 2 / margin * (high - low)
    return Outcome(
        holds=left <= right,
        level="refuted with witness",
        detail=f"p = .1, q = .9, lambda = .1: {left} against {right}",
        witness={"p": 0.1, "q": 0.9, "lambda": 0.1, "left": float(left), "right": float(right)},
    )


def _logit_slope(rng: np.random.Generator) -> Outcome:
    """|logit p - logit q| <= (2/lambda)|p - q|: the slope 1/(x(1-x)) is at most 2/lambda."""
    # x = lambda + s (1 - 2 lambda); x (1 - x) = lambda (1 - lambda) + s (1 - s)(1 - 2 lambda)^2
    proof = prove_nonnegative(
        lambda margin, s: margin * (iv.mpf(1) / 2 - margin) + s * (1 - s) * (1 - 2 * margin) ** 2,
        [(0, "0.5"), (0, 1)],
    )
    worst = 0.0
    margin = 10.0 ** rng.uniform(-4, math.log10(0.5), size=20_000)
    p, q = margin + rng.uniform(size=(2, 20_000)) * (1 - 2 * margin)
    apart = np.abs(p - q) > 1e-9
    ratio = np.abs(logit(p) - logit(q)) * margin / (2 * np.abs(p - q) + 1e-300)
    worst = float(ratio[apart].max())
    return Outcome(
        holds=proof.proved and worst <= 1,
        level="proved by interval arithmetic",
        detail=f"x(1 - x) >= lambda/2 on [lambda, 1 - lambda]: {proof.describe()}; largest ratio "
        f"of 20000 random pairs {worst:.3f}",
    )


def _log_ratio(rng: np.random.Generator) -> Outcome:
    # |log x - log y| <= |x - y|/min(x, y): with z = max/min >= 1, z - 1 - log z >= 0
    del rng
    proof = prove_nonnegative(
        lambda z: z - 1 - iv.log(z), [(1, "1e6")], gradient=lambda z: (1 - 1 / z,)
    )
    return Outcome(proof.proved, "proved by interval arithmetic", f"z <= 1e6: {proof.describe()}")


def _weights_close(rng: np.random.Generator) -> Outcome:
    """Lemma 7.1.3 on runs of the method, and its parts: (7.23), non-expansive clip, slope."""
    worst = 0.0
    for _ in range(60):
        n, m, margin = 8, 400, 0.05
        perturbed = rng.uniform(0.02, 0.98, size=n)
        truth, answers = sample_crowd(perturbed, m, rng)
        start = _start(truth, float(rng.uniform(0, 0.1)))
        r = float(np.abs(start - truth).mean())
        right = (answers == truth).mean(axis=1)
        deviation = float(np.abs(right - perturbed).max())
        abilities, _ = dawid_skene(answers, start, n_iterations=1, margin=margin)
        target = np.clip(perturbed, margin, 1 - margin)
        # the event E_1 with its realised value in place of sqrt(log m/m)
        bound = 2 / margin * (deviation + r)
        worst = max(worst, float(np.abs(logit(abilities) - logit(target)).max()) / bound)
    slope = _logit_slope(rng)
    return Outcome(
        holds=worst <= 1 and slope.holds,
        level="proved by interval arithmetic",
        detail=f"(7.23) is exact, clipping moves no two points apart, and {slope.detail}; 60 runs "
        f"reach {worst:.3f} of the bound",
    )


def _exponent_terms(rng: np.random.Generator) -> Outcome:
    """(2p-1) logit p >= (2p-1)^2 and (1-2l) log((1-l)/l) >= 1 for l <= 1/8."""
    del rng
    # p = (1 + x)/2: logit p = log((1+x)/(1-x)) >= 2x on [0, 1), odd in x
    first = prove_nonnegative(
        lambda x: iv.log((1 + x) / (1 - x)) - 2 * x,
        [(0, "0.999999999")],
        gradient=lambda x: (2 * x**2 / (1 - x**2),),
    )
    # decreasing in l on (0, 1/2): its smallest value is at 1/8; smaller l by l = e^-s
    second = prove_nonnegative(
        lambda s: (1 - 2 * iv.exp(-s)) * (s + iv.log(1 - iv.exp(-s))) - 1,
        [("2.0794", 700)],
    )
    return Outcome(
        holds=first.proved and second.proved,
        level="proved by interval arithmetic",
        detail=f"|2p-1| <= 1 - 1e-9: {first.describe()}; lambda in [1e-304, 1/8]: "
        f"{second.describe()}",
    )


# ---------------------------------------------------------------------------- (7.33), (7.34)


def _hypotheses(n: int, m: float, wisdom: float, margin: float) -> bool:
    """Check the printed hypotheses of Theorem 7.1.2 on n, m, v and lambda."""
    root = math.sqrt(math.log(m) / m)
    return (
        n <= m <= math.exp(min(n, 700))
        and math.log(m) / n <= wisdom
        and 16 / wisdom * root <= margin <= 1 / 8 - root / 2
    )


def _exponent(n: int, m: float, wisdom: float, margin: float) -> tuple[float, float, float]:
    root = math.sqrt(math.log(m) / m)
    return (
        4 * n / margin * root,
        4 * math.log(1 / margin) * math.sqrt(n * math.log(m)),
        -n * wisdom,
    )


def _exponent_printed(rng: np.random.Generator) -> Outcome:
    del rng
    n, m, wisdom, margin = 20, 1e6, 0.9, 0.1
    assert _hypotheses(n, m, wisdom, margin)
    terms = _exponent(n, m, wisdom, margin)
    return Outcome(
        holds=sum(terms) <= -n * wisdom / 2,
        level="refuted with witness",
        detail=f"n=20, m=1e6, v=.9, lambda=.1 meet every hypothesis; exponent "
        f"{' + '.join(f'{term:.2f}' for term in terms)} = {sum(terms):.1f}, claimed <= -9",
        witness={"n": n, "m": m, "v": wisdom, "lambda": margin, "exponent": sum(terms)},
    )


def _exponent_corrected(rng: np.random.Generator) -> Outcome:
    """With v >= 16 log(1/lambda) sqrt(log m/n) both error terms are at most n v/4."""
    worst, met = -math.inf, 0
    for _ in range(20_000):
        log_m = float(rng.uniform(12, 60))
        wisdom = float(rng.uniform(0.05, 1))
        root = math.sqrt(log_m) * math.exp(-log_m / 2)
        low, high = 16 / wisdom * root, 1 / 8 - root / 2
        if low > high:
            continue
        # often exactly the smallest lambda and the smallest n that the hypotheses allow
        margin = low + (high - low) * float(rng.choice([0.0, rng.uniform()]))
        least = max(log_m, (16 * math.log(1 / margin) / wisdom) ** 2 * log_m)
        n = least * (1 + 2 * float(rng.choice([0.0, rng.uniform()])))
        if n > math.exp(log_m):
            continue
        met += 1
        exponent = 4 * n / margin * root + 4 * math.log(1 / margin) * math.sqrt(n * log_m)
        worst = max(worst, (exponent - n * wisdom) / (n * wisdom))
    return Outcome(
        holds=met > 1000 and worst <= -0.5 + 1e-12,
        level="checked by search",
        detail=f"exponent/(n v) at most 1/4 + 1/4 - 1 = -1/2: {met} instances, boundary included, "
        f"reach {worst:.6f}",
    )


# ------------------------------------------------------------------------- Theorem 7.1.2

_SEQUENCE = ((1e8, 0.5, 677), (1e10, 0.20067, 5067), (1e12, 0.09385, 27632))
"""(m, epsilon, n) with perfect workers: v = tanh(epsilon/2)^2 = .06, .01, .0022."""


def _failure_probability(m: float, epsilon: float, n: int) -> tuple[float, float, float]:
    """Lower bounds of P(some label is wrong): known abilities, and the method with T = 1.

    On the event E_1 the abilities of the first iteration lie within 2 sqrt(log m/m) of
    p = e^epsilon/(1 + e^epsilon), so a task with k wrong answers is mislabelled for certain if
    k times the smallest weight exceeds n - k times the largest. Returns the claim's share of wrong
    labels times m as well: below one it demands that there are none.
    """
    p = float(expit(epsilon))
    reach = 2 * math.sqrt(math.log(m) / m)
    least, most = (float(logit(p + sign * reach)) for sign in (-1, 1))
    known = float(stats.binom.sf(n / 2, n, 1 - p))
    method = float(stats.binom.sf(n * most / (most + least), n, 1 - p))
    missed = 2 * n / m**2  # of the event E_1, by Hoeffding
    demanded = m * 2 * math.exp(-n * math.tanh(epsilon / 2) ** 2 / 2)
    return (
        -math.expm1(m * math.log1p(-known)),
        -math.expm1(m * math.log1p(-method)) - missed,
        demanded,
    )


def _labels_printed(rng: np.random.Generator) -> Outcome:
    del rng
    figures: list[dict[str, Any]] = []
    for m, epsilon, n in _SEQUENCE:
        wisdom = math.tanh(epsilon / 2) ** 2
        root = math.sqrt(math.log(m) / m)
        margin = (16 / wisdom * root + 1 / 8 - root / 2) / 2
        known, method, demanded = _failure_probability(m, epsilon, n)
        assert _hypotheses(n, m, wisdom, margin)
        assert demanded < 1
        figures.append(
            {
                "m": m,
                "epsilon": epsilon,
                "n": n,
                "v": wisdom,
                "lambda": margin,
                "m times the claimed share": demanded,
                "known abilities": known,
                "method, T = 1": method,
                "C' needed": method * m,
            }
        )
    constants = [figure["C' needed"] for figure in figures]
    return Outcome(
        holds=not all(b > 50 * a for a, b in itertools.pairwise(constants)),
        level="refuted with witness",
        detail="perfect workers, n v = 2.2 log m: some label wrong with probability at least "
        + ", ".join(
            f"{f['method, T = 1']:.2g} at m={f['m']:.0e} (known abilities "
            f"{f['known abilities']:.2g})"
            for f in figures
        )
        + ": C' >= "
        + ", ".join(f"{constant:.2g}" for constant in constants),
        witness={"instances": figures},
    )


def _labels_corrected(rng: np.random.Generator) -> Outcome:
    """Bound the expected share with known abilities by exp(-n v/2), and run the method.

    For the method itself, with v >= 16 log(1/lambda) sqrt(log m/n), see (7.33)-(7.34).
    """
    # Chernoff at 1/2: sqrt(1 - x^2) <= exp(-x^2/2) with x = 2p - 1
    chernoff = prove_nonnegative(
        lambda u: -u / 2 - iv.log(1 - u) / 2,
        [(0, "0.999999")],
        gradient=lambda u: (u / (2 * (1 - u)),),
    )
    exact = 0.0
    for n, p in itertools.product((1, 3, 11, 41), (0.55, 0.7, 0.9)):
        wrong = float(stats.binom.cdf(n / 2, n, p))  # ties count as errors
        exact = max(exact, wrong * math.exp(n * (2 * p - 1) ** 2 / 2))
    worst = 0.0
    for n in (10, 20, 40):
        truth, answers = sample_crowd(np.full(n, 0.9), 10_000, rng)
        estimate = private_dawid_skene(
            answers, epsilon=1.0, n_iterations=3, margin=0.05, ledger=Ledger(rng)
        )
        bound = 2 * math.exp(-n * (0.8 * math.tanh(0.5)) ** 2 / 2)
        worst = max(worst, float(np.mean(estimate.labels != truth)) / bound)
    return Outcome(
        holds=chernoff.proved and exact <= 1 and worst <= 1,
        level="proved by interval arithmetic",
        detail=f"sqrt(1 - x^2) <= exp(-x^2/2): {chernoff.describe()}; exact majority error/bound "
        f"at most {exact:.3f}; runs of the method reach {worst:.3f} of 2 exp(-n v/2)",
    )


# ------------------------------------------------------------------------- Theorem 7.1.3


def _abilities(rng: np.random.Generator) -> Outcome:
    # 2 coth(epsilon/2) <= 6/epsilon: epsilon (e^epsilon + 1) <= 3 (e^epsilon - 1) on (0, 1];
    # both sides vanish at 0, so compare derivatives: 2 e^epsilon - 1 - epsilon e^epsilon >= 0
    slope = prove_nonnegative(lambda e: iv.exp(e) * (2 - e) - 1, [(0, 1)])
    # the perturbed abilities lie in [1/(1+e), e/(1+e)], inside [lambda, 1 - lambda] for
    # lambda <= 1/8, so clipping does not bias them
    inside = prove_nonnegative(lambda e: 1 / (1 + iv.exp(e)) - interval("0.125"), [(0, 1)])
    worst = 0.0
    for m, epsilon in itertools.product((2000, 8000), (0.5, 1.0)):
        abilities = rng.uniform(0.5, 1.0, size=40)
        truth, answers = sample_crowd(abilities, m, rng)
        root = math.sqrt(math.log(m) / m)
        estimate = private_dawid_skene(
            answers,
            epsilon=epsilon,
            n_iterations=1,
            margin=0.05,
            initial=_start(truth, root),
            ledger=Ledger(rng),
        )
        error = float(np.abs(estimate.abilities - abilities).max())
        worst = max(worst, error / (6 * root / epsilon))
    return Outcome(
        holds=slope.proved and inside.proved and worst <= 1,
        level="proved by interval arithmetic",
        detail=f"2 coth(epsilon/2) <= 6/epsilon on (0, 1]: {slope.describe()}; p within [lambda, "
        f"1 - lambda]: {inside.describe()}; four runs reach {worst:.3f} of the bound",
    )


def _rounding(rng: np.random.Generator) -> Outcome:
    del rng
    # truth 1: wrong iff y < 1/2, then 2 (1 - y) > 1; truth 0: wrong iff y >= 1/2, then 2 y >= 1
    halves = [Fraction(number, 64) for number in range(65)]
    holds = all(
        int(y < Fraction(1, 2)) <= 2 * (1 - y) and int(y >= Fraction(1, 2)) <= 2 * y for y in halves
    )
    return Outcome(holds, "proved exactly", "on 65 points with both ends of every piece")


# --------------------------------------------------------------------------- the register

_crowdsourcing = partial(Statement, seed="004", algorithms=ALGORITHM)

STATEMENTS: tuple[Statement, ...] = (
    _crowdsourcing(
        number="Definition 7.1.1",
        lines="8979-8983",
        formula="epsilon-LADP: P(A(x) in S) <= e^epsilon P(A(x') in S) for x, x' that differ in "
        "one coordinate",
        kind="definition",
        expected="not checkable",
        reason="a definition",
    ),
    _crowdsourcing(
        number="(7.4)-(7.8)",
        lines="9035-9047",
        formula="(7.6)-(7.8) maximise F(p, y) of (7.4) [read 1 - y_j for the printed 1 - y_i] in p "
        "and in y",
        kind="optimisation",
        expected="true",
        check=_alternating_maximum,
    ),
    _crowdsourcing(
        number="Theorem 7.1.1",
        lines="9088-9090",
        formula="Algorithm 7.1.54 is epsilon-LADP and m epsilon-LDP",
        kind="privacy",
        expected="true",
        check=_attribute_privacy,
    ),
    _crowdsourcing(
        number="(7.11)-(7.13), (7.22), (7.32)",
        lines="9098-9108, 9172, 9298-9300",
        formula="mu^_i = max(p^*_i, 1 - p^*_i), (2 p^*_i - 1)^2 = (2 mu^_i - 1)^2, v^ = "
        "tanh(epsilon/2)^2 mean((2 p*_i - 1)^2)",
        kind="identity",
        expected="true",
        check=_effective_ability,
    ),
    _crowdsourcing(
        number="(7.21)",
        lines="9168",
        formula="X^_ij = y*_j T_ij + (1 - y*_j)(1 - T_ij), T_ij = 1 iff worker i answers j right",
        kind="identity",
        expected="true",
        check=_representation,
    ),
    _crowdsourcing(
        number="Theorem 7.1.2",
        lines="9114-9126",
        formula="(7.16): share of wrong labels <= 2 exp(-n v^/2) with probability at least 1 - "
        "C'/m, C' constant",
        kind="utility",
        expected="false",
        check=_labels_printed,
        reason="along n v = 2.2 log m the bound demands no wrong label at all, and there is one "
        "with probability far above 1/m",
        corrected="with known abilities the expected share is at most exp(-n v^/2)",
        corrected_check=_labels_corrected,
        errata=(("diss-7.1.54", 2),),
    ),
    _crowdsourcing(
        number="Theorem 7.1.3",
        lines="9132-9134",
        formula="(7.17): max_i |p^_i - p*_i| <= 6 sqrt(log m/(m epsilon^2)), 0 < epsilon <= 1, "
        "given E_1 and r^(T-1) <= sqrt(log m/m)",
        kind="utility",
        expected="true",
        check=_abilities,
    ),
    _crowdsourcing(
        number="Lemma 7.1.1",
        lines="9190-9196",
        formula="P(E_1 and E_2) >= 1 - C'/m",
        kind="concentration",
        expected="true",
        check=_events,
    ),
    _crowdsourcing(
        number="Lemma 7.1.2",
        lines="9200-9202",
        formula="Hoeffding: P(|mean - E| > t) <= 2 exp(-2 n^2 t^2/sum (b_i - a_i)^2)",
        kind="concentration",
        expected="true",
        check=_hoeffding,
    ),
    _crowdsourcing(
        number="Lemma 7.1.3",
        lines="9214-9216",
        formula="max_i |logit p_i^(t) - logit p^*_{lambda,i}| <= (2/lambda)(sqrt(log m/m) + "
        "r^(t-1)) on E_1",
        kind="approximation",
        expected="true",
        check=_weights_close,
    ),
    _crowdsourcing(
        number="(7.23)",
        lines="9224",
        formula="|p_bar_i - p^*_i| <= |avg_j (T_ij - p^*_i)| + r^(t-1)",
        kind="approximation",
        expected="true",
        check=_mean_identity,
    ),
    _crowdsourcing(
        number="(7.23), proof",
        lines="9226-9236",
        formula="taking the average of |T_ij - p*_i| + |y_j - y*_j| over j gives (7.23)",
        kind="approximation",
        expected="false",
        check=_mean_proof,
        reason="the average of |T - p| is not |the average of T - p|",
        corrected="p_bar = avg T + avg |y - y*|(1 - 2T) gives it",
        corrected_check=_mean_identity,
        errata=(("diss-7.1.54", 5),),
    ),
    _crowdsourcing(
        number="(7.26)",
        lines="9240",
        formula="|log x - log y| <= |x - y|/min(x, y)",
        kind="approximation",
        expected="true",
        check=_log_ratio,
    ),
    _crowdsourcing(
        number="(7.26)-(7.27)",
        lines="9240-9242",
        formula="|x - y|/min(x, y) <= (2/lambda)|p - q| for the odds x, y of p, q in [lambda, 1 - "
        "lambda]",
        kind="approximation",
        expected="false",
        check=_odds_step,
        reason="the ratio of the two sides reaches 1/(2 lambda)",
        corrected="|logit p - logit q| <= (2/lambda)|p - q|, by the mean value theorem",
        corrected_check=_logit_slope,
        errata=(("diss-7.1.54", 4),),
    ),
    _crowdsourcing(
        number="Exponent of (7.33)",
        lines="9288-9296",
        formula="(2p - 1) logit p >= (2p - 1)^2; (1 - 2 lambda) log((1 - lambda)/lambda) >= 1 for "
        "lambda <= 1/8",
        kind="approximation",
        expected="true",
        check=_exponent_terms,
    ),
    _crowdsourcing(
        number="(7.33)-(7.34)",
        lines="9304-9308",
        formula="4n/lambda sqrt(log m/m) + 4 log(1/lambda) sqrt(n log m) - n v^ <= -n v^/2 by the "
        "range of lambda",
        kind="utility",
        expected="false",
        check=_exponent_printed,
        reason="the second term needs v^ >= 16 log(1/lambda) sqrt(log m/n), which is not assumed",
        corrected="it holds if also v^ >= 16 log(1/lambda) sqrt(log m/n)",
        corrected_check=_exponent_corrected,
        errata=(("diss-7.1.54", 1),),
    ),
    _crowdsourcing(
        number="Rounding after (7.34)",
        lines="9310-9315",
        formula="|I(y >= 1/2) - 1| <= 2|y - 1| and |I(y < 1/2) - 1| <= 2|y - 0|",
        kind="approximation",
        expected="true",
        check=_rounding,
    ),
)
