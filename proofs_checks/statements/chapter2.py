"""Dissertation (seed 004), chapter 2, and the conversions of :mod:`reference.privacy.guarantees`.

Throughout, ``hockey stick`` is the smallest delta of a pair of distributions at e^epsilon = gamma,
sum of (p - gamma q)_+, computed in rational arithmetic where the pair is rational.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import dp_accounting
import numpy as np
from dp_accounting.rdp import rdp_privacy_accountant
from mpmath import iv, mp
from scipy.special import logsumexp, ndtr
from scipy.stats import binom

from proofs_checks.intervals import (
    Interval,
    interval,
    iv_ndtr,
    iv_npdf,
    lower,
    maximum,
    monotone,
    precision,
    prove_nonnegative,
    upper,
)
from proofs_checks.statement import Kind, Outcome, Statement
from reference._validation import FloatArray
from reference.privacy.guarantees import (
    ApproximateDP,
    PureDP,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    laplace_delta,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
)
from reference.privacy.mechanisms import RandomizedResponse

Rational = Sequence[Fraction]


# -------------------------------------------------------------------------------- helpers


def hockey_stick(p: Rational, q: Rational, gamma: Fraction) -> Fraction:
    """Smallest delta with P(S) <= gamma Q(S) + delta for all S, exactly."""
    return sum((max(a - gamma * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))


def _random_distribution(rng: np.random.Generator, size: int) -> list[Fraction]:
    weights = [int(w) for w in rng.integers(0, 50, size=size)]
    weights[int(rng.integers(size))] += 1  # never all zero
    return [Fraction(w, sum(weights)) for w in weights]


def _zcdp_rho(log_p: FloatArray, log_q: FloatArray, orders: FloatArray) -> float:
    """Return the largest D_alpha/alpha over the orders, in both directions."""
    a = orders[:, None]
    return max(
        float((logsumexp(a * p + (1 - a) * q, axis=1) / (orders - 1) / orders).max())
        for p, q in ((log_p, log_q), (log_q, log_p))
    )


def _log_renyi(log_p: FloatArray, log_q: FloatArray, alpha: float) -> float:
    """Renyi divergence of order alpha of two finite distributions given by logarithms."""
    return float(logsumexp(alpha * log_p + (1 - alpha) * log_q)) / (alpha - 1)


def _enclosed(value: Interval) -> list[float]:
    return [float(lower(value)), float(upper(value))]


# ------------------------------------------------------- definitions and elementary lemmas


def _dp_definition(rng: np.random.Generator) -> Outcome:
    """Compare the worst of all 2^k events with the hockey stick, exactly."""
    pairs = 60
    for _ in range(pairs):
        size = int(rng.integers(2, 8))
        p, q = _random_distribution(rng, size), _random_distribution(rng, size)
        gamma = Fraction(int(rng.integers(10, 40)), 10)
        worst = max(
            sum((p[i] - gamma * q[i] for i in event), Fraction(0))
            for count in range(size + 1)
            for event in itertools.combinations(range(size), count)
        )
        if worst != hockey_stick(p, q, gamma):
            return Outcome(False, "proved exactly", "the worst event is not the hockey stick")
    return Outcome(
        True,
        "checked by search",
        f"the worst of all events equals the sum of (p - e^eps q)_+ exactly, {pairs} random pairs "
        "of up to 7 outcomes",
    )


def _post_processing(rng: np.random.Generator) -> Outcome:
    trials, largest = 200, Fraction(0)
    for _ in range(trials):
        size, outputs = (int(k) for k in rng.integers(2, 7, size=2))
        p, q = _random_distribution(rng, size), _random_distribution(rng, size)
        channel = [_random_distribution(rng, outputs) for _ in range(size)]
        after = [
            [sum((d[x] * channel[x][y] for x in range(size)), Fraction(0)) for y in range(outputs)]
            for d in (p, q)
        ]
        gamma = Fraction(int(rng.integers(10, 40)), 10)
        before = hockey_stick(p, q, gamma)
        kept = hockey_stick(after[0], after[1], gamma)
        if kept > before:
            return Outcome(
                False, "checked by search", f"delta grew from {float(before)} to {float(kept)}"
            )
        if before > 0:
            largest = max(largest, kept / before)
    return Outcome(
        True,
        "checked by search",
        f"{trials} random channels in rational arithmetic; delta kept at most {float(largest):.3f} "
        "of its value (convexity of (.)_+ proves it in general)",
    )


# ------------------------------------------------------------------------- subsampling


def _two_outcome_epsilon(epsilon: str, gamma: str) -> Interval:
    """Exact epsilon of a subsample of gamma n for P(1) = p0 e^epsilon with the record, else p0."""
    return iv.log(1 + interval(gamma) * (iv.exp(interval(epsilon)) - 1))


def _subsampling_printed(rng: np.random.Generator) -> Outcome:
    del rng
    epsilon, gamma = "3", "0.01"
    exact = _two_outcome_epsilon(epsilon, gamma)
    claimed = 2 * interval(gamma) * interval(epsilon)
    # the same by enumeration: n = 100 records, one drawn, p0 = 1/100
    n, p0, growth = 100, Fraction(1, 100), Fraction(math.exp(3))
    with_record = sum((p0 * (growth if i == 0 else 1) for i in range(n)), Fraction(0)) / n
    measured = math.log(with_record / p0)
    fails = lower(exact) > upper(claimed) and abs(measured - _enclosed(exact)[0]) < 1e-12
    root = [_two_growth(x) for x in ("1.2564", "1.2565")]
    return Outcome(
        not fails,
        "refuted with witness" if fails else "proved by interval arithmetic",
        f"eps=3, gamma=0.01: exactly {measured:.5f} > claimed {_enclosed(claimed)[0]:.2f}; for "
        "small gamma it fails from the root of e^eps - 1 = 2 eps on, in "
        f"[1.2564, 1.2565] (signs {root[0]}, {root[1]})",
        witness={
            "epsilon": 3.0,
            "gamma": 0.01,
            "n": n,
            "sample_size": 1,
            "p0": 0.01,
            "probability_of_1_with_record": float(with_record),
            "probability_of_1_without": float(p0),
            "exact_epsilon": measured,
            "claimed_epsilon": 0.06,
        }
        if fails
        else None,
    )


def _two_growth(x: str) -> str:
    gap = iv.exp(interval(x)) - 1 - 2 * interval(x)
    return "+" if lower(gap) > 0 else "-" if upper(gap) < 0 else "?"


def _mean_exponential(x: Interval) -> Interval:
    """(e^x - 1)/x as its series, for 0 <= x <= 1, including 0."""
    total, term = iv.mpf(1), iv.mpf(1)
    for k in range(2, 20):
        term = term * x / k
        total += term
    # the rest is below term * x/20 * e
    return total + iv.mpf([0, upper(term * x / 20 * iv.e)])


def _subsampling_corrected(rng: np.random.Generator) -> Outcome:
    """ln(1 + gamma y) <= gamma y and y = e^eps - 1 <= 2 eps on [0, 1]; the lemma by search."""
    proof = prove_nonnegative(lambda x: 2 - _mean_exponential(x), [(0, 1)])
    mechanisms, worst = 300, 0.0
    for _ in range(mechanisms):
        worst = max(worst, _subsampled_ratio(rng))
    return Outcome(
        proof.proved and worst <= 1 + 1e-9,
        "proved by interval arithmetic",
        f"(e^eps - 1)/eps <= 2 on (0, 1]: {proof.describe()}; the amplified "
        "(ln(1 + gamma (e^eps - 1)), gamma delta) itself: "
        f"{mechanisms} random mechanisms on subsamples, largest exact/claimed delta {worst:.4f}",
    )


def _subsampled_ratio(rng: np.random.Generator) -> float:
    """Largest delta of a random subsampled mechanism over the lemma's gamma delta(eps)."""
    n, size, outputs = 4, int(rng.integers(1, 4)), int(rng.integers(2, 5))
    # records are bits and the mechanism sees their sum over the sample: the lemma is about sets,
    # a mechanism that reads the order of its records needs a sample in random order
    kernel = rng.dirichlet(np.full(outputs, 0.5), size=size + 1)
    epsilon, gamma = float(rng.uniform(0, 2)), size / n
    delta = max(
        float(np.maximum(kernel[a] - math.exp(epsilon) * kernel[b], 0).sum())
        for i in range(size)
        for a, b in ((i, i + 1), (i + 1, i))
    )
    amplified = 1 + gamma * math.expm1(epsilon)
    ratio = 0.0
    for rest in itertools.product((0, 1), repeat=n - 1):
        ends = [
            np.mean(
                [
                    kernel[sum(data[i] for i in chosen)]
                    for chosen in itertools.combinations(range(n), size)
                ],
                axis=0,
            )
            for data in ((0, *rest), (1, *rest))
        ]
        for p, q in (ends, ends[::-1]):
            exact = float(np.maximum(p - amplified * q, 0).sum())
            if exact > 1e-12:
                ratio = max(ratio, exact / (gamma * delta) if delta > 0 else math.inf)
    return ratio


# ---------------------------------------------------------------------------- mechanisms


def _laplace_private(rng: np.random.Generator) -> Outcome:
    """Take the loss |x - 1| - |x| coordinate by coordinate: piecewise linear, extreme at a kink."""
    kinks = [Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)]
    losses = [abs(x - 1) - abs(x) for x in kinks]
    constant_outside = losses[0] == losses[1] and losses[-1] == losses[-2]
    one_dimension = constant_outside and max(losses) == 1 and min(losses) == -1
    # coordinates add up to the l1 distance
    trials = 300
    for _ in range(trials):
        x, a, b = ([Fraction(int(v), 8) for v in rng.integers(-40, 40, size=5)] for _ in range(3))
        loss = sum((abs(t - v) - abs(t - u) for t, u, v in zip(x, a, b, strict=True)), Fraction(0))
        if loss > sum((abs(u - v) for u, v in zip(a, b, strict=True)), Fraction(0)):
            return Outcome(False, "proved exactly", "a loss above the l1 distance")
    return Outcome(
        one_dimension,
        "proved exactly",
        "log-ratio |x - 1| - |x| is in [-1, 1], attained on half lines (piecewise linear, checked "
        f"at every kink); {trials} random vectors in rational arithmetic",
    )


def _laplace_density_printed(rng: np.random.Generator) -> Outcome:
    del rng
    # integral of e^-x/2 over [-10, 0] alone
    mass = (iv.exp(iv.mpf(10)) - 1) / 2
    fails = lower(mass) > 1
    return Outcome(
        not fails,
        "refuted with witness" if fails else "proved by interval arithmetic",
        f"lambda=1: the mass of [-10, 0] alone is {_enclosed(mass)[0]:.1f} > 1",
        witness={"lambda": 1.0, "from": -10.0, "to": 0.0, "mass": _enclosed(mass)[0]}
        if fails
        else None,
    )


def _laplace_density_corrected(rng: np.random.Generator) -> Outcome:
    del rng
    with precision(120):
        errors = [
            abs(mp.quad(lambda x, s=s: mp.exp(-abs(x) / s) / (2 * s), [-mp.inf, 0, mp.inf]) - 1)
            for s in (mp.mpf(1) / 7, mp.mpf(1), mp.mpf(30))
        ]
    return Outcome(
        max(errors) < mp.mpf("1e-25"),
        "checked at high precision",
        f"total mass 1 to {mp.nstr(max(errors), 2)} at lambda = 1/7, 1, 30",
    )


def _mills(x: Interval) -> Interval:
    """(1 - Phi)/phi, decreasing on the whole line."""
    return monotone(lambda t: iv_ndtr(-t) / iv_npdf(t), x)


def _gaussian_slack(s: Interval, epsilon: Interval) -> Interval:
    """1.25 - (exact delta)/exp(-s^2/2) for sigma = s Delta/epsilon, s = sqrt(2 ln(1.25/delta)).

    With u = epsilon/(2 s) the exact delta is phi(s) e^(epsilon/2 - u^2/2) (R(s-u) - R(s+u)).
    """
    u = epsilon / (2 * s)
    growth = iv.exp(epsilon / 2 - u**2 / 2) / iv.sqrt(2 * iv.pi)
    return interval("1.25") - growth * (_mills(s - u) - _mills(s + u))


def _gaussian_exact_delta(epsilon: str, delta: str) -> Interval:
    e = interval(epsilon)
    s = iv.sqrt(2 * iv.log(interval("1.25") / interval(delta)))
    u = e / (2 * s)
    return iv_ndtr(u - s) - iv.exp(e) * iv_ndtr(-u - s)


def _gaussian_printed(rng: np.random.Generator) -> Outcome:
    del rng
    with precision(120):
        exact = _gaussian_exact_delta("10", "1e-5")
        others = {
            delta: (
                _gaussian_exact_delta(before, delta) <= interval(delta),
                _gaussian_exact_delta(after, delta) > interval(delta),
            )
            for delta, before, after in (
                ("0.02", "6.5", "6.55"),
                ("1e-3", "7.45", "7.5"),
                ("1e-5", "8.4", "8.45"),
                ("1e-6", "8.75", "8.8"),
                ("1e-10", "9.8", "9.85"),
            )
        }
        fails = bool(exact > interval("1e-5")) and all(a and b for a, b in others.values())
    low, _ = _enclosed(exact)
    return Outcome(
        not fails,
        "refuted with witness" if fails else "proved by interval arithmetic",
        f"eps=10, delta=1e-5: exact delta in an interval at {low:.4g} > 1e-5; first failing eps on "
        "a 0.05 grid: 6.55 (delta=.02), 7.50 (1e-3), 8.45 (1e-5), 8.80 (1e-6), 9.85 (1e-10)",
        witness={
            "epsilon": 10.0,
            "delta": 1e-5,
            "sensitivity": 1.0,
            "sigma": math.sqrt(2 * math.log(1.25e5)) / 10,
            "exact_delta": low,
        }
        if fails
        else None,
    )


def _gaussian_corrected(rng: np.random.Generator) -> Outcome:
    del rng
    # s from sqrt(2 ln 1.25) = 0.668 (delta = 1) on
    near = prove_nonnegative(_gaussian_slack, [("0.668", 8), (0, 2)])
    start = iv.sqrt(2 * iv.log(interval("1.25")))
    # beyond s = 8: R(x) < 1/x at x = s - u >= 8 - 1/8, e^(eps/2) <= e
    far = interval("1.25") - iv.e / iv.sqrt(2 * iv.pi) / interval("7.875")
    return Outcome(
        near.proved and lower(far) > 0 and lower(start) > interval("0.668"),
        "proved by interval arithmetic",
        "exact delta <= delta for all delta in (0, 1) and eps in (0, 2], which contains eps <= 1: "
        f"{near.describe()} for delta >= 1.25 e^-32, one more estimate beyond; it fails at "
        "(3.8, 0.9)",
    )


def _exponential_private(rng: np.random.Generator) -> Outcome:
    """Try every vertex of the box of score changes: the log-ratio is convex in the change."""
    epsilon, worst = 1.3, 0.0
    trials = 40
    for _ in range(trials):
        size = int(rng.integers(2, 7))
        base = rng.normal(scale=3, size=size)
        for signs in itertools.product((-1.0, 1.0), repeat=size):
            other = base + np.array(signs)
            loss = (epsilon / 2) * (base - other)
            loss -= logsumexp(epsilon / 2 * base) - logsumexp(epsilon / 2 * other)
            worst = max(worst, float(np.abs(loss).max()))
    tight = {}
    for k in (2, 1000, 10**8):
        half = iv.exp(interval(str(epsilon)) / 2)
        tight[k] = iv.log(half * (1 + (k - 1) * half) / (half + k - 1))
    below = all(upper(value) <= mp.mpf(str(epsilon)) for value in tight.values())
    return Outcome(
        worst <= epsilon * (1 + 1e-12) and below and lower(tight[10**8]) > 0.9999 * epsilon,
        "checked by search",
        f"largest loss {worst:.6f} of {epsilon} over every vertex change of {trials} random score "
        f"vectors; the pair (1;0..0), (0;1..1) gives {_enclosed(tight[2])[0]:.4f} at k=2, "
        f"{_enclosed(tight[1000])[0]:.4f} at k=1000, {_enclosed(tight[10**8])[0]:.6f} at k=1e8",
    )


def _exponential_utility(rng: np.random.Generator) -> Outcome:
    epsilon, worst = 0.7, 0.0
    trials = 400
    for trial in range(trials):
        size = int(rng.integers(2, 30)) if trial else 10**5
        t = float(rng.uniform(0, 10)) if trial else 10.0
        threshold = -(2 / epsilon) * (math.log(size) + t)
        if trial % 2 == 0:  # adversarial: all but the best exactly at the threshold
            scores = np.full(size, threshold)
            scores[0] = 0.0
        else:
            scores = rng.exponential(-threshold / 2, size=size) * -1.0
            scores -= scores.max()
        log_p = epsilon / 2 * scores
        log_p -= logsumexp(log_p)
        worst = max(worst, float(np.exp(log_p[scores <= threshold]).sum()) / math.exp(-t))
    return Outcome(
        worst <= 1 + 1e-9,
        "checked by search",
        f"largest probability/e^-t {worst:.6f} over {trials} score vectors, half adversarial (all "
        "but the best at the threshold, up to 1e5 candidates)",
    )


# --------------------------------------------------------------------------- composition


def _dominating_pair(gamma: Fraction, delta: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """Return the (ln gamma, delta) pair that post-processes to every other (Kairouz et al.)."""
    high = (1 - delta) * gamma / (1 + gamma)
    low = (1 - delta) / (1 + gamma)
    return [delta, high, low, Fraction(0)], [Fraction(0), low, high, delta]


def _basic_composition(rng: np.random.Generator) -> Outcome:
    trials, largest = 60, Fraction(0)
    for _ in range(trials):
        count = int(rng.integers(2, 5))
        gammas = [1 + Fraction(int(k), 10) for k in rng.integers(0, 30, size=count)]
        deltas = [Fraction(int(k), 100) for k in rng.integers(1, 40, size=count)]
        pairs = [_dominating_pair(g, d) for g, d in zip(gammas, deltas, strict=True)]
        p = [math.prod(t, start=Fraction(1)) for t in itertools.product(*(a for a, _ in pairs))]
        q = [math.prod(t, start=Fraction(1)) for t in itertools.product(*(b for _, b in pairs))]
        exact = hockey_stick(p, q, math.prod(gammas, start=Fraction(1)))
        if exact != 1 - math.prod((1 - d for d in deltas), start=Fraction(1)):
            return Outcome(False, "checked by search", "not 1 - prod(1 - delta_i)")
        if exact > sum(deltas):
            return Outcome(False, "checked by search", f"delta {float(exact)} above the sum")
        largest = max(largest, exact / sum(deltas))
    return Outcome(
        True,
        "checked by search",
        f"{trials} products of 2 to 4 worst-case pairs in rational arithmetic: exactly "
        f"1 - prod(1 - delta_i), at most {float(largest):.3f} of the sum",
    )


def _optimal_composition_delta(epsilon_each: float, count: int, epsilon: float) -> float:
    """Exact delta of ``count`` worst-case epsilon_each-DP mechanisms (Kairouz et al. 2015)."""
    k = np.arange(count + 1)
    log_p = -epsilon_each * k - count * math.log1p(math.exp(-epsilon_each))
    log_q = -epsilon_each * (count - k) - count * math.log1p(math.exp(-epsilon_each))
    log_binomial = math.lgamma(count + 1) - np.array(
        [math.lgamma(i + 1) + math.lgamma(count - i + 1) for i in k]
    )
    log_ratio = np.minimum(epsilon + log_q - log_p, 0.0)
    return float(np.sum(np.exp(log_binomial + log_p) * -np.expm1(log_ratio)))


def _advanced_slack(epsilon: Interval, y: Interval) -> Interval:
    """1 - (sqrt(2 T L) e' + T e' (e^e' - 1))/epsilon at T = 1, the worst T; L = ln(1/delta).

    T e'^2 = epsilon^2/(8 (L + ln 2)) whatever T, and e' decreases with T. ``y`` = 1/(L + ln 2).
    """
    step = epsilon * iv.sqrt(y / 8)
    first = iv.sqrt(maximum(1 - iv.ln2 * y, iv.mpf(0))) / 2
    return 1 - first - epsilon * y / 8 * _mean_exponential(step)


def _advanced_composition(rng: np.random.Generator) -> Outcome:
    del rng
    proof = prove_nonnegative(_advanced_slack, [(0, 1), (0, "1.4426951")])  # 1/ln 2 = 1.44269504
    worst = 0.0
    for count in (1, 10, 100, 1000):
        for delta in (0.9, 1e-2, 1e-6):
            for epsilon in (0.1, 0.999):
                step = epsilon / (2 * math.sqrt(2 * count * math.log(2 / delta)))
                worst = max(worst, _optimal_composition_delta(step, count, epsilon) / delta)
    return Outcome(
        proof.proved and worst <= 1,
        "proved by interval arithmetic",
        "sqrt(2 T ln(1/delta)) e' + T e'(e^e' - 1) <= epsilon for all T >= 1, epsilon and delta in "
        f"(0, 1): {proof.describe()}; exact composition of the worst mechanisms for T up to 1000 "
        f"has at most {worst:.3g} of delta. The total is (epsilon, 2 delta): callers must halve",
    )


def _moments_lemma(rng: np.random.Generator) -> Outcome:
    proof = _advanced_composition(rng)
    failure = -math.expm1(100 * math.log1p(-1e-5))
    return Outcome(
        proof.holds and failure <= 100 * 1e-5 + 1e-5,
        "proved by interval arithmetic",
        "the inequality of Lemma 2.1.5 with another delta'; the total delta is (T + 1) delta, so "
        "it saves nothing over it: T=100 mechanisms that reveal everything with probability 1e-5 "
        f"have {failure:.4g}",
    )


# ------------------------------------------------------------------------ moments accountant


def _summed_delta(q: float, steps: int, multiplier: float, epsilon: float) -> float:
    """Bound delta from below by the event that the sum of all outputs is beyond a threshold.

    One record with gradient G against none, in units of G times the lot's 1/l: the sum has mean
    K/multiplier with K ~ Bin(T, q) against 0, standard deviation sqrt(T). K is cut at five
    standard deviations, below which it falls with probability at most 1/25 (Chebyshev).
    """
    fewest = steps * q - 5 * math.sqrt(steps * q)
    shift, spread = fewest / multiplier, math.sqrt(steps)
    return (1 - 1 / 25) * float(ndtr(shift / 2 / spread)) - math.exp(epsilon) * float(
        ndtr(-shift / 2 / spread)
    )


def _printed_multiplier_delta() -> tuple[float, float]:
    """Multiplier and delta at the card's point, with K summed exactly."""
    q, steps, epsilon, delta = 0.1, 1000, 1.0, 1e-5
    multiplier = q * q * math.sqrt(steps * math.log(1 / delta)) / epsilon
    k = np.arange(steps + 1)
    spread = math.sqrt(steps)
    threshold = 2 * spread
    seen = float(binom.pmf(k, steps, q) @ ndtr((k / multiplier - threshold) / spread))
    return multiplier, seen - math.exp(epsilon) * float(ndtr(-threshold / spread))


def _sgd_printed(rng: np.random.Generator) -> Outcome:
    """No constants c1, c2 rescue G sigma/n on the mean of a lot: T grows until everything leaks."""
    del rng
    epsilon, delta = 1.0, 1e-5
    found = {}
    for c1, c2 in itertools.product((0.01, 1.0, 100.0), repeat=2):
        steps = 10
        while True:
            q = math.sqrt(2 * epsilon / (c1 * steps))  # epsilon = c1 q^2 T / 2 < c1 q^2 T
            sigma = c2 * q * math.sqrt(steps * math.log(1 / delta)) / epsilon
            # G sigma/n on a mean of l = q n gradients is a multiplier sigma q
            if q < 0.1 and _summed_delta(q, steps, sigma * q, epsilon) > 0.9:
                found[f"c1={c1:g}, c2={c2:g}"] = steps
                break
            if steps > 1e15:
                return Outcome(True, "checked by search", f"no failure up to T=1e15 at {c1}, {c2}")
            steps *= 10
    multiplier, leak = _printed_multiplier_delta()
    fails = leak > 1e-5
    return Outcome(
        not fails,
        "refuted with witness" if fails else "checked by search",
        "c2=1, q=.1, T=1000, eps=1, delta=1e-5: G sigma/n is a multiplier of "
        f"{multiplier:.3f} on the lot's mean and the sum of the outputs alone has delta >= "
        f"{leak:.2f}; for all 9 pairs c1, c2 in {{.01, 1, 100}} some T up to "
        f"{max(found.values()):.0e} has delta >= 0.9",
        witness={
            "q": 0.1,
            "steps": 1000,
            "epsilon": 1.0,
            "delta": 1e-5,
            "c2": 1.0,
            "multiplier": multiplier,
            "delta_lower_bound": leak,
            "steps_for_constants": found,
        }
        if fails
        else None,
    )


def _sgd_corrected(rng: np.random.Generator) -> Outcome:
    del rng
    constant, worst, checked = 6.0, 0.0, 0
    grid = itertools.product((0.1, 1e-2, 1e-4), (0.25, 0.5, 0.999), (1e-3, 1e-6, 1e-8))
    for q, epsilon, delta in grid:
        # around the order that is best for zCDP
        best = 1 + 2 * math.log(1 / delta) / epsilon
        orders = sorted({max(2, int(best * part)) for part in (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)})
        for factor in (1, 30):
            steps = math.ceil(factor * epsilon / q**2) + 1
            sigma = constant * q * math.sqrt(steps * math.log(1 / delta)) / epsilon
            accountant = rdp_privacy_accountant.RdpAccountant(
                orders=orders,
                neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE,
            )
            population = 10**6
            # replace-one: the lot's sum changes by 2 G
            accountant.compose(
                dp_accounting.SampledWithoutReplacementDpEvent(
                    population, round(q * population), dp_accounting.GaussianDpEvent(sigma / 2)
                ),
                steps,
            )
            worst = max(worst, float(accountant.get_epsilon(delta)) / epsilon)
            checked += 1
    return Outcome(
        worst <= 1,
        "checked by search",
        f"c1 = 1, c2 = 6, replace-one, without replacement, by Renyi accounting: {checked} "
        "combinations of q in {.1, .01, 1e-4}, eps in {.25, .5, .999}, delta in {1e-3, 1e-6, 1e-8} "
        f"and two T spend at most {worst:.3f} of epsilon; below eps = .25 the bound certifies less "
        "(1.05 of epsilon at .1, 3.5 at .02, delta = 1e-8): its terms of high order do not vanish "
        "as sigma grows",
    )


# -------------------------------------------------------------------------------- zCDP


def _gaussian_renyi(alpha: float, shift: float, sigma: float) -> mp.mpf:
    """Renyi divergence of N(0, sigma^2) and N(shift, sigma^2) by quadrature."""
    a, m, s = mp.mpf(alpha), mp.mpf(shift), mp.mpf(sigma)

    def integrand(x: mp.mpf) -> mp.mpf:
        return mp.npdf(x, 0, s) ** a * mp.npdf(x, m, s) ** (1 - a)

    centre = (1 - a) * m  # where the integrand is largest
    mass = mp.quad(integrand, [centre - 30 * s, centre, centre + 30 * s])
    return mp.log(mass) / (a - 1)


_RENYI_POINTS = ((1.5, 2.0, 1.0), (2.0, 2.0, 1.0), (5.0, 0.3, 0.7), (20.0, 1.0, 3.0))


def _zcdp_definition(rng: np.random.Generator) -> Outcome:
    """Meet the definition with equality: the Gaussian pair, by quadrature."""
    del rng
    worst = 0.0
    with precision(100):
        for alpha, shift, sigma in _RENYI_POINTS:
            rho = mp.mpf(shift) ** 2 / (2 * mp.mpf(sigma) ** 2)
            worst = max(worst, abs(float(_gaussian_renyi(alpha, shift, sigma) / (rho * alpha) - 1)))
    return Outcome(
        worst < 1e-20,
        "checked at high precision",
        "the divergence of the footnote, by quadrature at 100 bits, is rho alpha for the Gaussian "
        f"pair, rho = Delta^2/(2 sigma^2), to {worst:.1g} at {len(_RENYI_POINTS)} points: the "
        "definition is met with equality",
    )


def _zcdp_composition(rng: np.random.Generator) -> Outcome:
    """Adaptive composition of finite mechanisms, each with its own rho as the sup over orders."""
    orders = np.concatenate([np.linspace(1.01, 3, 30), np.geomspace(3.1, 300, 40)])
    trials, worst = 40, 0.0

    for _ in range(trials):
        size = int(rng.integers(2, 5))
        first = np.log(rng.dirichlet(np.ones(size), size=2))  # row 0 on D, row 1 on D'
        second = np.log(rng.dirichlet(np.ones(3), size=(size, 2)))  # after each output of the first
        joint = [
            np.concatenate([first[side][x] + second[x][side] for x in range(size)])
            for side in (0, 1)
        ]
        total = _zcdp_rho(first[0], first[1], orders)
        total += max(_zcdp_rho(pair[0], pair[1], orders) for pair in second)
        worst = max(worst, _zcdp_rho(joint[0], joint[1], orders) / total)
    return Outcome(
        worst <= 1 + 1e-9,
        "checked by search",
        f"{trials} random adaptive pairs of mechanisms, {orders.size} orders up to 300: rho of the "
        f"composition is at most {worst:.4f} of rho_1 + rho_2",
    )


def _gaussian_zcdp_printed(rng: np.random.Generator) -> Outcome:
    del rng
    with precision(100):
        divergence = float(_gaussian_renyi(2.0, 2.0, 1.0))
    claimed = 2.0 / 2 * 2  # Delta/(2 sigma^2) alpha
    fails = divergence > claimed + 1
    return Outcome(
        not fails,
        "refuted with witness" if fails else "checked at high precision",
        f"Delta=2, sigma=1, alpha=2: divergence {divergence:.10f} > printed rho alpha = {claimed}",
        witness={
            "sensitivity": 2.0,
            "sigma": 1.0,
            "alpha": 2.0,
            "divergence": divergence,
            "printed_bound": claimed,
        }
        if fails
        else None,
    )


def _zcdp_conversion(rng: np.random.Generator) -> Outcome:
    """At a = 1 + l/r the exponent (a - 1)(a rho - epsilon) is -ln(1/delta), as a polynomial.

    With r = sqrt(rho), l = sqrt(ln(1/delta)) and epsilon = r^2 + 2 r l. The identity, times r, has
    degree at most 3 in each of r and l: equality at 5 x 5 points proves it. Markov's inequality
    for the loss does the rest.
    """
    del rng
    for r, ell in itertools.product(range(1, 6), repeat=2):
        order = 1 + Fraction(ell, r)
        if (order - 1) * (order * r**2 - (r**2 + 2 * r * ell)) != -(ell**2):
            return Outcome(False, "proved exactly", f"identity fails at r={r}, l={ell}")
    optimised = exact = 0.0
    for rho in np.geomspace(1e-4, 5, 12):
        for delta in np.geomspace(1e-9, 0.5, 8):
            epsilon = zcdp_epsilon(rho, delta)
            optimised = max(optimised, zcdp_delta(rho, epsilon) / delta)
            exact = max(exact, gaussian_dp_delta(math.sqrt(2 * rho), epsilon) / delta)
    return Outcome(
        optimised <= 1 and exact <= 1,
        "proved exactly",
        "exponent identity at 25 rational points (degree 3 in each variable); the optimised "
        f"conversion promises at most {optimised:.3f} of delta, the exact Gaussian {exact:.3f} "
        "(rho 1e-4..5, delta 1e-9...5)",
    )


# ------------------------------------------------------------------------------- local model


def _ldp_definition(rng: np.random.Generator) -> Outcome:
    """Kernels Q_i(. | x, z) of sequential randomised response, all histories enumerated."""
    del rng
    worst = 0.0
    for epsilon, categories in itertools.product((0.1, 1.0, 4.0), (2, 3, 10)):
        mechanism = RandomizedResponse(epsilon, categories)
        outputs = np.arange(categories)
        # the second user's budget depends on the first one's message
        for message in range(categories):
            later = RandomizedResponse(epsilon / (1 + message), categories)
            for kernel in (mechanism, later):
                rows = np.stack(
                    [
                        np.exp(kernel.log_density(outputs, np.full(categories, float(x)), 1))
                        for x in range(categories)
                    ]
                )
                if abs(rows.sum(axis=1) - 1).max() > 1e-12:
                    return Outcome(False, "checked by search", "a kernel does not sum to one")
                loss = np.log(rows[:, None] / rows[None]).max()
                worst = max(worst, float(loss) / epsilon)
    return Outcome(
        abs(worst - 1) < 1e-12,
        "checked by search",
        f"largest loss over epsilon {worst:.12f} over all inputs, outputs and histories of "
        "sequentially interactive randomised response (one user is one record)",
    )


# ------------------------------------------------------------------------------ conversions


def _rho_inverse(rng: np.random.Generator) -> Outcome:
    """With a = sqrt(L + eps), b = sqrt L: rho = (a - b)^2 and rho + 2 sqrt(rho) b = a^2 - b^2."""
    del rng
    for a, b in itertools.product(range(2, 7), range(1, 6)):
        if a > b and (a - b) ** 2 + 2 * (a - b) * b != a**2 - b**2:
            return Outcome(False, "proved exactly", f"identity fails at a={a}, b={b}")
    worst, outside = 0.0, 0
    with precision(300):
        for epsilon in np.geomspace(1e-6, 1e3, 10):
            for delta in (1e-300, 1e-12, 1e-5, 0.5):
                e, log_inverse = mp.mpf(float(epsilon)), -mp.log(mp.mpf(delta))
                rho = (mp.sqrt(log_inverse + e) - mp.sqrt(log_inverse)) ** 2
                worst = max(worst, abs(float(zcdp_rho(float(epsilon), delta) / rho - 1)))
                bounds = e**2 / (4 * (log_inverse + e)), e**2 / (4 * log_inverse)
                outside += not bounds[0] <= rho <= bounds[1]
    return Outcome(
        worst < 1e-13 and outside == 0,
        "proved exactly",
        "quadratic identity at rational points; the implementation is off by at most "
        f"{worst:.1g} (epsilon 1e-6..1e3, delta 1e-300...5), inside eps^2/(4(L+eps)) <= rho <= "
        "eps^2/(4L)",
    )


def _renyi_to_approximate(rng: np.random.Generator) -> Outcome:
    """(1 - y) y^(a-1) <= (a-1)^(a-1)/a^a on [0, 1], then E of it over y = exp(epsilon - loss)."""
    proofs = []
    for order in ("1.5", "2", "3", "8", "64"):
        a = interval(order)
        top = (a - 1) * iv.log(a - 1) - a * iv.log(a)
        proofs.append(
            prove_nonnegative(
                lambda y, a=a, top=top: top + 1e-8 - iv.log(1 - y) - (a - 1) * iv.log(y),
                [("1e-9", "0.999999999")],
                gradient=lambda y, a=a: [1 / (1 - y) - (a - 1) / y],
            )
        )
    trials, worst = 200, 0.0
    for _ in range(trials):
        p, q = (rng.dirichlet(np.full(4, 0.7)) for _ in range(2))
        log_p, log_q = np.log(p), np.log(q)
        a, epsilon = float(rng.uniform(1.05, 20)), float(rng.uniform(0, 2))
        divergence = _log_renyi(log_p, log_q, a)
        bound = math.exp(
            (a - 1) * (divergence - epsilon) - math.log(a - 1) + a * math.log1p(-1 / a)
        )
        exact = float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
        worst = max(worst, exact / bound)
    return Outcome(
        all(p.proved for p in proofs) and worst <= 1 + 1e-9,
        "proved by interval arithmetic",
        f"(1 - y) y^(a-1) at most 1 + 1e-8 times its bound for a in 1.5, 2, 3, 8, 64 "
        f"({sum(p.boxes for p in proofs)} boxes); {trials} random pairs: exact delta at most "
        f"{worst:.3f} of the promised one",
    )


def _gaussian_curve(rng: np.random.Generator) -> Outcome:
    del rng
    curve = inverse = 0.0
    with precision(150):
        for mu, epsilon in (
            (0.1, 0.1),
            (0.5, 1.0),
            (1.0, 0.0),
            (3.0, 2.0),
            (3.0, 20.0),
            (9.0, 5.0),
        ):
            m, e = mp.mpf(mu), mp.mpf(epsilon)
            start = e / m + m / 2  # where the loss of N(mu, 1) against N(0, 1) is epsilon
            exact = mp.quad(
                lambda x, m=m, e=e: mp.npdf(x, m, 1) - mp.exp(e) * mp.npdf(x, 0, 1),
                [start, start + 8, mp.inf],
            )
            computed = gaussian_dp_delta(mu, epsilon)
            curve = max(curve, abs(float(computed / exact - 1)))
            if epsilon > 0:
                inverse = max(
                    inverse,
                    abs(gaussian_dp_epsilon(mu, computed) / epsilon - 1),
                    abs(gaussian_dp_mu(epsilon, computed) / mu - 1),
                )
    return Outcome(
        curve < 1e-11 and inverse < 1e-9,
        "checked at high precision",
        f"closed form against quadrature of (p - e^eps q)_+ at 6 points: relative error {curve:.1g}"
        f"; inverses in epsilon and mu to {inverse:.1g}",
    )


def _pure_to_zcdp(rng: np.random.Generator) -> Outcome:
    """Reduce to tanh x <= x.

    Randomised response dominates: D_a = ln(cosh((a - 1/2) eps)/cosh(eps/2))/(a - 1). As
    a(a - 1) = (a - 1/2)^2 - 1/4, the claim is g((a - 1/2) eps) >= g(eps/2) for
    g(x) = x^2/2 - ln cosh x, whose slope is x - tanh x.
    """
    del rng

    def tanh(x: Interval) -> Interval:
        return 1 - 2 / (iv.exp(2 * x) + 1)

    proof = prove_nonnegative(
        lambda x: x - tanh(x), [(0, 20)], gradient=lambda x: [monotone(tanh, x) ** 2]
    )
    worst = 0.0
    for epsilon, order in itertools.product((0.01, 0.3, 1.0, 3.0, 10.0), (1.01, 1.5, 2.0, 10.0)):
        log_p = np.array([0.0, -epsilon]) - math.log1p(math.exp(-epsilon))
        divergence = _log_renyi(log_p, log_p[::-1], order)
        worst = max(worst, divergence / (order * epsilon**2 / 2))
    return Outcome(
        proof.proved and worst <= 1 + 1e-9,
        "proved by interval arithmetic",
        f"x - tanh x >= 0 on [0, 20] (beyond, tanh < 1): {proof.describe()}; randomised response "
        f"reaches {worst:.5f} of eps^2/2",
    )


def _group_privacy(rng: np.random.Generator) -> Outcome:
    """Triples P, Q, R with neighbours P-Q and Q-R: what P and R, at distance two, obey."""
    trials, worst = 200, Fraction(0)
    for _ in range(trials):
        size = int(rng.integers(2, 6))
        p, q, r = (_random_distribution(rng, size) for _ in range(3))
        gamma = 1 + Fraction(int(rng.integers(0, 20)), 10)
        delta = max(hockey_stick(a, b, gamma) for a, b in ((p, q), (q, p), (q, r), (r, q)))
        twice = hockey_stick(p, r, gamma**2)
        if twice > (1 + gamma) * delta:
            return Outcome(False, "checked by search", f"delta {float(twice)} above the bound")
        if delta > 0:
            worst = max(worst, twice / ((1 + gamma) * delta))
    orders = np.concatenate([np.linspace(1.01, 3, 20), np.geomspace(3.1, 100, 20)])
    renyi = 0.0
    for _ in range(40):
        logs = [np.log(rng.dirichlet(np.ones(4))) for _ in range(3)]
        near = max(_zcdp_rho(logs[0], logs[1], orders), _zcdp_rho(logs[1], logs[2], orders))
        far = _zcdp_rho(logs[0], logs[2], orders)
        renyi = max(renyi, far / (4 * near))
    return Outcome(
        renyi <= 1 + 1e-9,
        "checked by search",
        f"{trials} rational triples: delta at 2 epsilon is at most {float(worst):.3f} of "
        f"(1 + e^eps) delta; zCDP: at most {renyi:.3f} of 4 rho over 40 triples; Gaussian pairs "
        "N(0), N(mu), N(2 mu) attain 2 mu and 4 rho",
    )


def _bounded_range(rng: np.random.Generator) -> Outcome:
    """Search the pair of exponential mechanisms with the largest divergence.

    The cumulant function K of the loss has K(0) = K(1) = 0 and K'' <= eps^2/4 (Popoviciu). So
    K(a) - eps^2 a (a - 1)/8 is concave, vanishes at 0 and 1 and is negative beyond 1.
    """
    worst = 0.0
    trials = 3000
    for _ in range(trials):
        size = int(rng.integers(2, 6))
        epsilon, order = float(rng.uniform(0.01, 6)), float(1 + rng.exponential(4))
        base = rng.normal(scale=2, size=size)
        change = (
            rng.choice([-0.5, 0.5], size=size)
            if rng.random() < 0.8
            else rng.uniform(-0.5, 0.5, size=size)
        )
        log_p = base - logsumexp(base)
        moved = base + epsilon * change
        log_q = moved - logsumexp(moved)
        worst = max(worst, _log_renyi(log_p, log_q, order) / (order * epsilon**2 / 8))
    popoviciu = prove_nonnegative(
        lambda p: iv.mpf(0.25) + interval("1e-9") - p * (1 - p),
        [(0, 1)],
        gradient=lambda p: [2 * p - 1],
    )
    return Outcome(
        worst <= 1 + 1e-9 and popoviciu.proved,
        "checked by search",
        f"{trials} pairs of exponential mechanisms (2 to 5 candidates, vertex changes, orders to "
        f"30): divergence at most {worst:.4f} of alpha eps^2/8; concavity proves it, with variance "
        "<= eps^2/4",
    )


def _worst_approximate(rng: np.random.Generator) -> Outcome:
    """Check that the four-outcome pair attains the curve of ApproximateDP and none exceeds it."""
    attained = 0.0
    for gamma, delta in itertools.product((Fraction(3, 2), Fraction(5)), (Fraction(1, 50),)):
        p, q = _dominating_pair(gamma, delta)
        guarantee = ApproximateDP(math.log(gamma), float(delta))
        for smaller in (Fraction(1), Fraction(5, 4), Fraction(7, 5), gamma, 2 * gamma):
            exact = float(hockey_stick(p, q, smaller))
            attained = max(attained, abs(guarantee.delta_at(math.log(smaller)) - exact))
    pure = max(
        abs(PureDP(e).delta_at(x) - max(0.0, (math.exp(e) - math.exp(x)) / (1 + math.exp(e))))
        for e in (0.1, 1.0, 5.0)
        for x in (0.0, 0.05, 0.5, 4.0)
    )
    trials, worst = 300, 0.0
    for _ in range(trials):
        size = int(rng.integers(2, 6))
        p, q = _random_distribution(rng, size), _random_distribution(rng, size)
        gamma = 1 + Fraction(int(rng.integers(1, 30)), 10)
        smaller = 1 + (gamma - 1) * Fraction(int(rng.integers(0, 10)), 10)
        delta = max(hockey_stick(p, q, gamma), hockey_stick(q, p, gamma))
        if not 0 < delta < 1:
            continue
        bound = ApproximateDP(math.log(gamma), float(delta)).delta_at(math.log(smaller))
        worst = max(worst, float(hockey_stick(p, q, smaller)) / bound)
    return Outcome(
        attained < 1e-12 and pure < 1e-12 and worst <= 1 + 1e-9,
        "checked by search",
        f"the four-outcome pair attains the curve to {attained:.1g}; {trials} random pairs reach "
        f"at most {worst:.4f} of it",
    )


def _laplace_vector(rng: np.random.Generator) -> Outcome:
    """Two coordinates of l1 distance a + b, by quadrature over the first one's loss.

    For |epsilon| <= |b - a| the exact value is 1 - e^((eps - a - b)/2) (1 + min(a, b)/2), and
    beyond it 1 - e^(-c/2) (1 + c/4) with c = a + b - epsilon: always below the scalar's.
    """
    del rng

    def scalar(size: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
        if epsilon >= size:
            return mp.mpf(0)
        return 1 - mp.exp(epsilon) if epsilon <= -size else 1 - mp.exp((epsilon - size) / 2)

    worst = formula = mp.mpf(0)
    with precision(80):
        for a, b, fraction in itertools.product((0.2, 1.0), (0.5, 2.0), (0.0, 0.3, 0.8)):
            x, y = mp.mpf(a), mp.mpf(b)
            e = mp.mpf(fraction) * (x + y)
            kinks = sorted({-x, x, *(k for k in (e - y, e + y) if -x < k < x)})
            exact = (
                scalar(y, e - x) / 2
                + mp.exp(-x) * scalar(y, e + x) / 2
                + mp.quad(
                    lambda t, x=x, y=y, e=e: mp.exp((t - x) / 2) / 4 * scalar(y, e - t), kinks
                )
            )
            c = x + y - e
            closed = 1 - mp.exp(-c / 2) * (1 + (min(x, y) / 2 if e <= abs(x - y) else c / 4))
            formula = max(formula, abs(exact - closed))
            worst = max(worst, exact / mp.mpf(laplace_delta(a + b, float(e))))
    return Outcome(
        worst <= 1 and formula < mp.mpf("1e-15"),
        "checked at high precision",
        f"two coordinates have at most {float(worst):.4f} of the scalar's delta at 12 points; the "
        f"closed form agrees to {float(formula):.1g}",
    )


# --------------------------------------------------------------------------------- the list


def _statement(
    number: str,
    lines: str,
    formula: str,
    kind: Kind,
    check: Callable[[np.random.Generator], Outcome] | None,
    *,
    reason: str = "",
    corrected: str = "",
    corrected_check: Callable[[np.random.Generator], Outcome] | None = None,
    errata: tuple[tuple[str, int], ...] = (),
) -> Statement:
    expected = "not checkable" if check is None else "false" if reason else "true"
    return Statement(
        seed="004",
        number=number,
        lines=lines,
        formula=formula,
        kind=kind,
        expected=expected,  # type: ignore[arg-type]
        check=check,
        reason=reason,
        corrected=corrected,
        corrected_check=corrected_check,
        algorithms=("chapter-2",),
        errata=errata,
    )


STATEMENTS: tuple[Statement, ...] = (
    _statement(
        "Definition 2.1.1",
        "360",
        "P(A(D) in S) <= e^eps P(A(D') in S) + delta for all events S, D and D' replace-one",
        "definition",
        _dp_definition,
    ),
    _statement(
        "Lemma 2.1.1",
        "368",
        "f(M) is (eps, delta)-DP if M is, for every randomised f",
        "composition",
        _post_processing,
    ),
    _statement(
        "Lemma 2.1.2",
        "370",
        "an (eps, delta)-DP algorithm on a uniform gamma n-subsample is (2 gamma eps, delta)-DP",
        "composition",
        _subsampling_printed,
        reason="false for eps > 1.2564 and small gamma: no range of eps is stated",
        corrected="(ln(1 + gamma (e^eps - 1)), gamma delta), which is at most (2 gamma eps, delta) "
        "for eps <= 1",
        corrected_check=_subsampling_corrected,
        errata=(("diss-2.postprocessing, diss-2.subsampling", 1),),
    ),
    _statement(
        "Definition 2.1.2",
        "372-376",
        "q(D) + Lap(Delta_1/eps) per coordinate is eps-DP",
        "privacy",
        _laplace_private,
    ),
    _statement(
        "Definition 2.1.2 (density)",
        "374",
        "Lap(x|lambda) = exp(-x/lambda)/(2 lambda)",
        "identity",
        _laplace_density_printed,
        reason="misprint: the absolute value of x is missing, so it is no density",
        corrected="exp(-|x|/lambda)/(2 lambda)",
        corrected_check=_laplace_density_corrected,
    ),
    _statement(
        "Definition 2.1.3",
        "378-380",
        "q(D) + N(0, sigma^2 I) with sigma >= sqrt(2 ln(1.25/delta)) Delta_2/eps is "
        "(eps, delta)-DP",
        "privacy",
        _gaussian_printed,
        reason="no range of eps is stated; false for large eps",
        corrected="the same for eps <= 1",
        corrected_check=_gaussian_corrected,
        errata=(("diss-2.gaussian", 1),),
    ),
    _statement(
        "Definition 2.1.4",
        "382",
        "selecting r with probability proportional to exp(eps u(D, r)/(2 Delta u)) is eps-DP",
        "privacy",
        _exponential_private,
    ),
    _statement(
        "Lemma 2.1.3",
        "384-388",
        "P{u <= OPT - (2 Delta u/eps)(ln|R| + t)} <= e^-t",
        "utility",
        _exponential_utility,
    ),
    _statement(
        "Lemma 2.1.4",
        "390",
        "(eps_i, delta_i)-DP mechanisms compose to (sum eps_i, sum delta_i)",
        "composition",
        _basic_composition,
    ),
    _statement(
        "Lemma 2.1.5",
        "396",
        "eps' = eps/(2 sqrt(2 T ln(2/delta))), delta' = delta/T give (eps, T delta' + delta), "
        "0 < eps, delta < 1",
        "composition",
        _advanced_composition,
    ),
    _statement(
        "Lemma 2.1.6",
        "398-402",
        "eps' = eps/(2 sqrt(2 T ln(2/delta))), delta' = delta give (eps, T delta' + delta)",
        "composition",
        _moments_lemma,
    ),
    _statement(
        "Lemma 2.1.7",
        "404",
        "there are c1, c2: noise of standard deviation G sigma/n on the gradients of a lot of "
        "l = q n, eps < c1 q^2 T and sigma >= c2 q sqrt(T ln(1/delta))/eps give (eps, delta)-DP",
        "composition",
        _sgd_printed,
        reason="misprint: on the mean of a lot it is G sigma/l; G/n is right only if l = n",
        corrected="with G sigma/l and c1 = 1, c2 = 6 for .25 <= eps < 1, replace-one",
        corrected_check=_sgd_corrected,
        errata=(("diss-2.sgd-accountant", 1),),
    ),
    _statement(
        "Definition 2.1.5",
        "410-414",
        "rho-zCDP: D_alpha(A(D) || A(D')) <= rho alpha for all alpha > 1",
        "definition",
        _zcdp_definition,
    ),
    _statement(
        "Lemma 2.1.8",
        "418",
        "rho_1- and rho_2-zCDP compose to (rho_1 + rho_2)-zCDP",
        "composition",
        _zcdp_composition,
    ),
    _statement(
        "Lemma 2.1.9",
        "424",
        "q(D) + N(0, sigma^2 I) is Delta_2/(2 sigma^2)-zCDP",
        "privacy",
        _gaussian_zcdp_printed,
        reason="misprint: the square of the sensitivity is missing",
        corrected="Delta_2^2/(2 sigma^2)-zCDP",
        corrected_check=_zcdp_definition,
        errata=(("diss-2.zcdp", 1), ("ledger:[D] Lemma 2.1.9", 1)),
    ),
    _statement(
        "Lemma 2.1.10",
        "426",
        "rho-zCDP implies (rho + 2 sqrt(rho ln(1/delta)), delta)-DP",
        "privacy",
        _zcdp_conversion,
    ),
    _statement(
        "Definition 2.2.1",
        "442-456",
        "Q_i(S | x, z_{1:i-1}) <= e^eps Q_i(S | x', z_{1:i-1}) + delta for all x, x', z and S",
        "definition",
        _ldp_definition,
    ),
    _statement(
        "Definition 2.2.2",
        "474-482",
        "M_n^Int = inf over sequential eps-LDP Q of the minimax risk; M_n^Nint over "
        "non-interactive ones",
        "definition",
        None,
        reason="an infimum over all kernels and estimators; the classes are nested, so "
        "M_n^Int <= M_n^Nint",
    ),
    _statement(
        "chapter 2, conversion: zCDP budget",
        "426",
        "rho = (sqrt(ln(1/delta) + eps) - sqrt(ln(1/delta)))^2 inverts Lemma 2.1.10",
        "identity",
        _rho_inverse,
    ),
    _statement(
        "chapter 2, conversion: Renyi to approximate",
        "410-426",
        "D_a <= tau gives delta = e^((a-1)(tau-eps)) (1-1/a)^a/(a-1) (Canonne et al., Prop. 12)",
        "privacy",
        _renyi_to_approximate,
    ),
    _statement(
        "chapter 2, conversion: Gaussian curve",
        "378-380",
        "delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) for N(0,1) and N(mu,1)",
        "identity",
        _gaussian_curve,
    ),
    _statement(
        "chapter 2, conversion: pure to zCDP",
        "360-426",
        "eps-DP is eps^2/2-zCDP",
        "privacy",
        _pure_to_zcdp,
    ),
    _statement(
        "chapter 2, conversion: add/remove to replace-one",
        "358-360",
        "two steps: 2 eps; (2 eps, (1 + e^eps) delta); 4 rho; 2 mu",
        "privacy",
        _group_privacy,
    ),
    _statement(
        "chapter 2, conversion: exponential mechanism to zCDP",
        "382",
        "the exponential mechanism is eps^2/8-zCDP (bounded range)",
        "privacy",
        _bounded_range,
    ),
    _statement(
        "chapter 2, conversion: worst approximate mechanism",
        "360",
        "(eps0, delta0)-DP has delta(eps) <= delta0 + (1-delta0)(e^eps0 - e^eps)_+/(1 + e^eps0)",
        "privacy",
        _worst_approximate,
    ),
    _statement(
        "chapter 2, conversion: Laplace curve",
        "372-376",
        "delta(eps) = 1 - e^((eps - eps0)/2) for one Laplace release, and no more for a vector of "
        "the same l1 sensitivity",
        "privacy",
        _laplace_vector,
    ),
)
