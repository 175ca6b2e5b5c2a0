"""Seed 002 beyond peeling: Theorem 3.8, the three models, the low-dimensional part, the lemmas.

Lemmas 3.1-3.3, section 2.2 and (17) are in :mod:`proofs_checks.statements.peeling`.

Notation: L = log(1/delta), l = log n, a = s*/s-hat, n0 = n/N0; step size 1 unless named. "Exact"
weight: 2w - 1 = tanh(<beta, y>/sigma^2), the posterior; printed: half the exponent. Population
quantities come from trapezoidal quadrature here, not from the models of ``reference``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import iv, mp
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import beta as beta_law
from scipy.stats import binom, chi2
from sklearn.datasets import load_breast_cancer

from proofs_checks.intervals import interval, iv_ndtr, iv_npdf, lower, prove_nonnegative
from proofs_checks.old_statement import Check, Kind, Outcome, Statement
from proofs_checks.statements.peeling import gaussian_delta, hockey_stick
from reference._validation import FloatArray
from reference.em.models import GaussianMixture, MixtureOfRegressions
from reference.errata.em.models import (
    DoubledRegressions,
    PrintedDoubledRegressions,
    PrintedMissingCovariates,
    PrintedMixture,
    PrintedRegressions,
)
from reference.errata.sparse.peeling import printed_noise_scale
from reference.privacy.guarantees import gaussian_dp_delta, laplace_delta, zcdp_epsilon
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.sparse.peeling import noise_scale, noisy_hard_thresholding

Random = np.random.Generator
ALPHA = 1e-6  # error probability of every Monte Carlo check
_ROUNDED = 1 + 1e-12  # of a bound that doubles attain


def _refuted(refuted: bool, detail: str, witness: dict[str, Any]) -> Outcome:
    return Outcome(not refuted, "refuted with witness", detail, witness)


def _fractions(rng: Random, size: int, low: int = 1, high: int = 100) -> list[Fraction]:
    """Return positive random rationals."""
    pairs = rng.integers(low, high, (size, 2)).tolist()
    return [Fraction(p, q) for p, q in pairs]


def grid(step: float, reach: float = 9.0) -> tuple[FloatArray, FloatArray]:
    """Return trapezoidal nodes and weights for N(0, 1); the tail beyond 9 is below 1e-18."""
    nodes = np.arange(-reach, reach + step / 2, step)
    return nodes, np.exp(-(nodes**2) / 2) * (step / math.sqrt(2 * math.pi))


def _listed(values: dict[Any, float], style: str = ".4g") -> str:
    return ", ".join(f"{value:{style}} ({key})" for key, value in values.items())


# ============================================================ the framework: privacy, Theorem 3.8


def sign_test_delta(shift: float, releases: int, epsilon: float) -> float:
    """Return a lower bound on delta(epsilon) of Laplace releases that all move by the same amount.

    The event: more than k of the outputs exceed the midpoint, for the best k. Each does so with
    probability 1 - exp(-shift/2)/2 on one data set and exp(-shift/2)/2 on the other.

    Parameters
    ----------
    shift : float
        Movement of every value, in units of the Laplace scale.
    releases : int
        How many values are released.
    epsilon : float
    """
    p = 1 - math.exp(-shift / 2) / 2
    k = np.arange(releases + 1)
    gaps = binom.sf(k, releases, p) - math.exp(epsilon) * binom.sf(k, releases, 1 - p)
    return float(gaps.max())


_S, _EPSILON, _DELTA = 10, 1.0, 1e-5


def _reused_batch(rng: Random) -> Outcome:
    del rng
    scale = printed_noise_scale(_EPSILON, _DELTA, sparsity=_S, sensitivity=1.0)
    # Lemma 3.1 asks for a change strictly below lambda
    found = {
        n_iterations: sign_test_delta((1 - 1e-6) / scale, n_iterations * _S, _EPSILON)
        for n_iterations in (1, 9, 20, 50)
    }
    return _refuted(
        found[50] > _DELTA,
        f"d = s = {_S}, (1, 1e-5), the record in the first n/N0: delta(1) of the {_S} N0 values is "
        f"at least {_listed({f'N0 = {key}': v for key, v in found.items()}, '.3g')}",
        {"d": _S, "s": _S, "epsilon": _EPSILON, "delta": _DELTA, "N0": 50, "at_least": found[50]},
    )


def _fresh_batches(rng: Random) -> Outcome:
    scale = printed_noise_scale(_EPSILON, _DELTA, sparsity=_S, sensitivity=1.0)
    zcdp = zcdp_epsilon(2.5 * _S / scale**2, _DELTA)
    one = sign_test_delta(1 / scale, _S, _EPSILON)
    ledger = Ledger(rng)
    for batch in range(50):
        records = slice(batch * 8, (batch + 1) * 8)
        ledger.peeling(np.zeros(_S), count=_S, sensitivity=1.0, scale=scale, records=records)
    charged = ledger.spent(delta=_DELTA).epsilon
    return Outcome(
        zcdp <= _EPSILON and one <= _DELTA and charged <= _EPSILON,
        "checked at high precision",
        "a record is in one batch, the rest is post-processing (Lemma 3.3): one NoisyHT is "
        f"({zcdp:.4f}, 1e-5)-DP by zCDP; the accountant charges 50 disjoint batches {charged:.4f}; "
        f"the events that break reuse only show delta(1) >= {one:.2g}",
    )


def _generic_sensitivity(rng: Random) -> Outcome:
    largest = Fraction(0)
    for case in range(200):
        n0, t = int(rng.integers(1, 20)), Fraction(int(rng.integers(1, 9)))
        batch = [t * Fraction(int(k), 16) for k in rng.integers(-16, 17, n0)]
        before, after = (t, -t) if case % 2 else (batch[0], t)
        means = [sum([h, *batch[1:]], Fraction(0)) / n0 for h in (before, after)]
        largest = max(largest, abs(means[0] - means[1]) * n0 / (2 * t))
    return Outcome(
        largest == 1,
        "proved exactly",
        "one coordinate of the batch mean of h in [-T, T]: 2T/n0 by the triangle inequality; over "
        f"200 rational batches the largest change is {largest} of it, by h = T against -T",
    )


def _expected_noise(s: Any, t: Any, n_iterations: Any, log: Any, n: Any, epsilon: Any) -> Any:
    """Return E||W_Lap||_2^2 = 2 s b^2 with b = (2 T N0/n) 2 sqrt(3 s L)/epsilon."""
    square = (2 * t * n_iterations / n) ** 2 * 12 * s * log / epsilon**2
    return 2 * s * square


def _lost_budget(rng: Random) -> Outcome:
    del rng
    found = {}
    with mp.workdps(30):
        for log_n in (10**2, 10**4, 10**6):
            ell = mp.mpf(log_n)
            n = mp.exp(ell)
            # s = n/l^2.75 and d = s^2: the assumption is 2 l^-1/4 up to lower order
            s = n / ell ** mp.mpf("2.75")
            assumed = s * 2 * mp.log(s) / n * ell ** mp.mpf("1.5")
            noise = _expected_noise(s, mp.sqrt(ell), ell, mp.log(100), n, 1 / ell**2)
            # the bound (19) at epsilon = 1, delta = n^-2 and s log d = n/l^1.75
            bound = mp.sqrt(2 * ell) * ell ** mp.mpf("1.5") / ell ** mp.mpf("1.75")
            found[log_n] = [float(v) for v in (assumed, mp.sqrt(noise), bound)]
    assumed_values, noises, bounds = (list(column) for column in zip(*found.values(), strict=True))
    diverges = noises == sorted(noises) and noises[-1] > 100 and bounds == sorted(bounds)
    vanishes = assumed_values == sorted(assumed_values, reverse=True)
    return _refuted(
        diverges and vanishes,
        "log n = 1e2, 1e4, 1e6 with s* = n/l^2.75, d = s*^2, epsilon = l^-2, delta = .01: assumed "
        f"quantity {', '.join(f'{v:.3g}' for v in assumed_values)}; root of E||W_Lap||^2 "
        f"{', '.join(f'{v:.3g}' for v in noises)}; with epsilon = 1, delta = n^-2 the bound (19) "
        f"is {', '.join(f'{v:.3g}' for v in bounds)} and grows too",
        {"log_n": list(found), "assumed": assumed_values, "noise": noises, "bound_19": bounds},
    )


def _with_budget(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        s, t, n_iterations, log, n, epsilon, log_d = _fractions(rng, 7)
        assumed = (s * log_d * t * n_iterations / (n * epsilon)) ** 2 * log
        noise = _expected_noise(s, t, n_iterations, log, n, epsilon)
        worst = max(worst, abs(noise * log_d**2 / assumed - 96))
    return Outcome(
        worst == 0,
        "proved exactly",
        "E||W_Lap||^2 = 96 q^2/(log d)^2 identically (100 rational cases), q = s* log d T N0 "
        "sqrt(L)/(n epsilon), which is of the order of what is assumed: it vanishes with q",
    )


def _kappa_algebra(rng: Random) -> Outcome:
    slack, exact = Fraction(1), True
    for _ in range(300):
        k = Fraction(int(rng.integers(1, 1000)), 1000)  # sqrt(kappa)
        root = (1 / k**2 - 1) / 4  # largest sqrt(a)
        exact = exact and 1 + 4 * root == 1 / k**2
        left = (1 - k) ** 2 + k
        exact = exact and 1 - left == k - k**2
        slack = min(slack, 1 - left)
    return Outcome(
        exact and slack >= 0,
        "proved exactly",
        "s-hat >= 16 (1/kappa-1)^-2 s* is sqrt(a) <= (1/kappa-1)/4, i.e. 1 + 4 sqrt(a) <= 1/kappa; "
        "(1-sqrt kappa)^2 + sqrt kappa = 1 - (sqrt kappa - kappa) <= 1; 300 rational kappa",
    )


def _iterated_printed(rng: Random) -> Outcome:
    del rng
    k, start, t = Fraction(1, 2), Fraction(1), 2
    error = k**t * start  # alpha = xi = W = 0
    return _refuted(
        error > k**t * error,
        f"alpha = xi = W = 0, kappa = 1/4, error {start} at first: after {t} steps {error}, the "
        f"printed right-hand side, with beta^t instead of beta^0, is {k**t * error}",
        {"kappa": 0.25, "t": t, "error": float(error), "right": float(k**t * error)},
    )


def _iterated(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(60):
        k = Fraction(int(rng.integers(1, 20)), 20)
        largest, start = _fractions(rng, 2)
        error = start
        for t in range(1, 12):
            error = k * error + largest * Fraction(int(rng.integers(0, 11)), 10)
            bound = k**t * start + largest / (1 - k)
            worst = max(worst, error / bound)
    return Outcome(
        worst <= 1,
        "proved exactly",
        "e' <= sqrt(kappa) e + c gives e_t <= kappa^(t/2) e_0 + c/(1 - sqrt kappa): geometric sum; "
        f"60 rational recursions, largest ratio {float(worst):.4f}",
    )


def _free_privacy(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        s, log_d, log, ell, n, epsilon = _fractions(rng, 6)
        privacy = (s * log_d / (n * epsilon)) ** 2 * log * ell**3
        statistical = s * log_d * ell / n
        worst = max(worst, abs(privacy / statistical - s * log_d * ell**2 / n * log / epsilon**2))
    return Outcome(
        worst == 0,
        "proved exactly",
        "the squared ratio of the third term of (3) to sqrt(s* log d log n/n) is the displayed "
        "quantity, identically (100 rational cases)",
    )


def _triangle_splits(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(300):
        d = int(rng.integers(2, 30))
        chosen = rng.random(d) < rng.random()
        truth, start, truncated, sample, population = rng.standard_normal((5, d))
        noise = np.where(chosen, rng.laplace(size=d), 0.0)
        step, ideal = start + truncated, start + population
        first = np.linalg.norm(np.where(chosen, step - ideal, 0))
        second = np.linalg.norm(np.where(chosen, ideal, 0) - truth)
        left = np.linalg.norm(np.where(chosen, step, 0) + noise - truth)
        worst = max(worst, float(left / (first + second + np.linalg.norm(noise))))
        restricted = np.linalg.norm(np.where(chosen, truncated - sample, 0))
        uniform = np.abs(sample - population).max() * math.sqrt(chosen.sum())
        if chosen.any():
            worst = max(worst, float(first / (restricted + uniform)))
    return Outcome(
        worst <= 1 + 1e-12,
        "checked by search",
        f"300 random steps: left/right at most {worst:.4f}; (15) already holds with the truncation "
        "error restricted to S, which is what the lemmas bound",
    )


def _noise_order(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        s, t, log, n0, epsilon, log_d = _fractions(rng, 6)
        scale = (2 * t / n0) ** 2 * 12 * s * log / epsilon**2
        bound = (s * log_d) ** 2 * log * t**2 / (n0 * epsilon) ** 2
        worst = max(worst, abs(s * log_d**2 * scale / bound - 48))
    return Outcome(
        worst == 0,
        "proved exactly",
        "(17) at C = c log d with b = 2T/n0 2 sqrt(3 s L)/epsilon: s C^2 b^2 = 48 c^2 (T^2/log n) "
        "times the right-hand side, identically (100 rational cases); s exp(-C) = s d^-c, and N0 "
        "times that over all steps",
    )


# ======================================================================== Lemma B.1 and its proof


def _peeled_truth(d: int, b: float, runs: int, rng: Random) -> int:
    """Count the runs of NoisyHT on beta* itself (s* = 4, s-hat = 45) that miss its support."""
    truth = np.zeros(d)
    truth[:3], truth[3] = math.sqrt((1 - b**2) / 3), b
    unit = noise_scale(1.0, 1e-5, sparsity=45, sensitivity=1.0)
    misses = 0
    for _ in range(runs):
        found = noisy_hard_thresholding(
            truth, sparsity=45, sensitivity=b / unit, epsilon=1.0, delta=1e-5, ledger=Ledger(rng)
        )
        misses += not set(range(4)) <= set(found.support.tolist())
    return misses


def _clopper_pearson_lower(successes: int, runs: int) -> float:
    return float(beta_law.ppf(ALPHA, successes, runs - successes + 1)) if successes else 0.0


def _dropped_noise(rng: Random) -> Outcome:
    found = {}
    for d, b, runs in ((200, 0.05, 200), (200, 0.005, 200), (1000, 0.005, 100)):
        misses = _peeled_truth(d, b, runs, rng)
        found[f"d = {d}, b = {b}"] = (misses / runs, _clopper_pearson_lower(misses, runs))
    return _refuted(
        all(bound > 0.2 for _, bound in found.values()),
        "bbar = beta* = (r, r, r, b, 0, ...), alpha = xi = 0, s* = 4, s-hat = 45, Laplace scale b: "
        "the right-hand side is 0, the left is b > 0 in a fraction "
        + ", ".join(f"{rate:.2f} ({key}; >= {bound:.2f})" for key, (rate, bound) in found.items())
        + " of the runs, however small b or large d",
        {key: {"rate": rate, "at_least": bound} for key, (rate, bound) in found.items()},
    )


def _peel(vector: FloatArray, s: int, b: float, rng: Random) -> tuple[NDArray[np.bool_], float]:
    """Return what NoisyHT with Laplace scale b selects, and W = sum of ||w_i||_inf^2."""
    unit = noise_scale(1.0, 1e-3, sparsity=s, sensitivity=1.0)
    ledger = RecordingLedger(rng)
    found = noisy_hard_thresholding(
        vector, sparsity=s, sensitivity=b / unit, epsilon=1.0, delta=1e-3, ledger=ledger
    )
    rounds = ledger.transcript.releases[:s]
    w = sum(float(np.abs(np.asarray(release.draw)).max() * b) ** 2 for release in rounds)
    return np.isin(np.arange(len(vector)), found.support), w


def _lemma_b1_ratio(rng: Random, *, with_noise: bool = True) -> float:
    """Return left over right of Lemma B.1 on one run of Algorithm 1, with or without W and xi."""
    d = int(rng.integers(8, 60))
    s_true = int(rng.integers(1, max(2, d // 8)))
    s = int(rng.integers(4 * s_true, d))
    truth = np.zeros(d)
    # any of the four sources of error may dominate, or be almost absent
    sizes = np.exp(rng.uniform(-4, 1, 4)) * np.where(rng.random(4) < 0.5, 1, 1e-6)
    away, alpha, xi, b = sizes.tolist()
    truth[:s_true] = np.exp(rng.uniform(-4, 2, s_true))
    ideal = truth + away * rng.standard_normal(d) * (rng.random(d) < rng.random())
    shift = rng.standard_normal(d)
    step = ideal + alpha * rng.choice([-1.0, 1.0], d) + xi * shift / np.linalg.norm(shift)
    chosen, w = _peel(step, s, b, rng)
    kept = np.where(chosen, ideal, 0)
    a = s_true / s
    right = math.sqrt(1 + 4 * math.sqrt(a)) * np.linalg.norm(ideal - truth)
    right += (1 + math.sqrt(2)) * math.sqrt(s_true) * alpha
    if with_noise:
        right += (1 + math.sqrt(0.5)) * xi + 2 * math.sqrt(2 * w)
    return float(np.linalg.norm(kept - truth) / right)


def _lemma_b1_with_noise(rng: Random) -> Outcome:
    """Prove the corrected lemma: the eigenvalue by intervals, the rest is the triangle inequality.

    Let e = bbar - beta*, r^2 = 2 s1/s3 <= 2a (c = 1 in Lemma 3.2). That lemma gives
    ||beta*_I1|| <= r ||e_I3|| + ||e_I1|| + N with N = (1 + sqrt 2) sqrt(s*) eta alpha +
    (1 + r) eta xi + 2 sqrt(2W), and the squared error is ||e_I2||^2 + ||e_I3||^2 +
    ||beta*_I1||^2. The largest eigenvalue of the quadratic form ||e_I3||^2 + (r ||e_I3|| +
    ||e_I1||)^2 is 1 + r^2/2 + r sqrt(1 + r^2/4) <= 1 + 4 sqrt(a): with r = sqrt(2a) divided by
    sqrt(a), 4 - sqrt(a) - sqrt(2 + a) >= 0.
    """
    proof = prove_nonnegative(lambda q: 4 - q - iv.sqrt(2 + q**2), [(0, "0.5")])
    eigenvalues = max(
        abs(
            np.linalg.eigvalsh([[1, r], [r, 1 + r**2]])[-1]
            - (1 + r**2 / 2 + r * math.sqrt(1 + r**2 / 4))
        )
        for r in np.linspace(0, 0.75, 16)
    )
    worst = max(_lemma_b1_ratio(rng) for _ in range(300))
    without = max(_lemma_b1_ratio(rng, with_noise=False) for _ in range(100))
    return Outcome(
        proof.proved and eigenvalues < 1e-12 and worst <= 1,
        "proved by interval arithmetic",
        "Lemma 3.2 with c = 1 and the eigenvalues of a 2 x 2 form; 1 + r^2/2 + r sqrt(1+r^2/4) <= "
        f"1 + 4 sqrt(a) {proof.describe()}; neither (11) nor a bound on alpha is needed; "
        f"left/right at most {worst:.3f} on 300 runs of NoisyHT, up to {without:.3g} without W, xi",
    )


def _selection_noise(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        s, t, n_iterations, log, n, epsilon, log_d = _fractions(rng, 7)
        square = (2 * t * n_iterations / n) ** 2 * 12 * s * log / epsilon**2
        bound = (s * log_d * t * n_iterations / (n * epsilon)) ** 2 * log
        worst = max(worst, abs(s * square * log_d**2 / bound - 48))
    d, s_hat, c, runs = 300, 5, 2.0, 400
    level = s_hat * (c * math.log(d)) ** 2
    largest = np.abs(rng.laplace(size=(runs, s_hat, d))).max(axis=2)
    exceeded = int(((largest**2).sum(axis=1) > level).sum())
    expected = s_hat * d ** (1 - c)
    return Outcome(
        worst == 0 and exceeded <= binom.ppf(1 - ALPHA, runs, expected),
        "proved exactly",
        "P(||w_i||_inf > c b log d) <= d^{1-c} for each i, and s-hat b^2 (log d)^2 is 48 times (s* "
        "log d T N0/(n epsilon))^2 L, identically (100 rational cases); d = 300, s-hat = 5, c = 2: "
        f"exceeded in {exceeded} of {runs} runs, allowed {runs * expected:.1f}; (56) has L for "
        "sqrt(L): weaker, if delta <= 1/e",
    )


def _split_of_delta(rng: Random) -> Outcome:
    worst = -1.0
    for _ in range(2000):
        d, s_true, s = 12, int(rng.integers(1, 5)), int(rng.integers(5, 11))
        truth = np.zeros(d)
        truth[:s_true] = rng.standard_normal(s_true)
        ideal = truth + rng.standard_normal(d) * rng.exponential()
        inside = np.isin(np.arange(d), rng.choice(d, s, replace=False))
        big_l = np.linalg.norm(ideal - truth) / np.linalg.norm(truth)
        size = np.linalg.norm(ideal) / np.linalg.norm(truth)
        worst = max(worst, float(1 - big_l - size), float(size - 1 - big_l))  # (47)
        truth, ideal = truth / np.linalg.norm(truth), ideal / np.linalg.norm(ideal)
        halves = [(truth != 0) & side for side in (inside, ~inside)]
        products = [np.linalg.norm(ideal[h]) * np.linalg.norm(truth[h]) for h in halves]
        worst = max(worst, float(ideal @ truth - sum(products)))  # (48)
        outside_truth = np.linalg.norm(ideal[inside & (truth == 0)])
        worst = max(worst, float((ideal @ truth) ** 2 - 1 + outside_truth**2))
    return Outcome(
        worst <= 1e-12,
        "checked by search",
        f"2000 random vectors: (47)-(49) exceeded by at most {worst:.3g}; the printed '=' in (49) "
        "is '<=' (thbar has entries outside the three sets)",
    )


def _bracket_54(rng: Random, *, at_truth: bool) -> tuple[float, float] | None:
    """Return 1 - Delta^2 and the bracket squared in (54), c0 = 1, if the support is missed."""
    d, s_true, s, b = 60, 3, 30, float(rng.choice([0.02, 0.05, 0.2]))
    truth = np.zeros(d)
    truth[:s_true] = 1.0, 0.5, b
    ideal = truth if at_truth else truth + rng.choice([1e-3, 0.1]) * rng.standard_normal(d)
    alpha = 0.0 if at_truth else float(rng.choice([1e-3, 0.1]))
    chosen, w = _peel(ideal + alpha * rng.choice([-1.0, 1.0], d), s, b, rng)
    first, third = (truth != 0) & ~chosen, (truth == 0) & chosen
    if not first.any():
        return None
    s1, s3, size = first.sum(), third.sum(), np.linalg.norm(ideal)
    w1 = 2 * math.sqrt(2 * w) / (math.sqrt(2 * s1) * size)
    tilde = w1 + (1 + math.sqrt(0.5)) * alpha / size
    bracket = math.sqrt(s3 / (2 * s1)) * np.linalg.norm(ideal[first]) / size
    cosine = float(ideal @ truth / (size * np.linalg.norm(truth)))
    return 1 - cosine**2, float(bracket - math.sqrt(s3) * tilde)


def _squared_bracket(rng: Random) -> Outcome:
    found = [v for v in (_bracket_54(rng, at_truth=True) for _ in range(40)) if v is not None]
    room, bracket = min(found, key=lambda v: v[0] - v[1] ** 2)
    return _refuted(
        bracket**2 > room + 1e-9,
        "bbar = beta* = (1, .5, b, 0, ...), alpha = xi = 0, s-hat = 30: 1 - Delta^2 = "
        f"{room:.2g}, the bracket is {bracket:.3f} < 0, and its square {bracket**2:.3f} is "
        "subtracted; (53) bounds ||thbar_I3|| from below only if it is positive; (55) follows all "
        "the same",
        {"one_minus_delta_squared": room, "bracket": bracket},
    )


def _positive_part(rng: Random) -> Outcome:
    found = [v for v in (_bracket_54(rng, at_truth=False) for _ in range(300)) if v is not None]
    worst = max(max(bracket, 0.0) ** 2 - room for room, bracket in found)
    return Outcome(
        worst <= 0 and len(found) > 50,
        "checked by search",
        f"{len(found)} runs of NoisyHT that miss a coordinate: positive part squared minus (1 - "
        f"Delta^2) at most {worst:.3g}",
    )


def _no_constant(rng: Random) -> Outcome:
    del rng
    s_true, s = 10, 112
    limits = {}
    for s2 in range(s_true):
        s1, s3 = s_true - s2, s - s2
        first = Fraction(s_true * s3, s * s1) - 1
        second = (2 * math.sqrt(s_true / s1) - 1) ** 2 - 1
        limits[s2] = min(first, Fraction(second))
    return _refuted(
        limits[0] <= 0,
        f"s* = {s_true}, s-hat = {s}: the largest c0 allowed is {float(limits[0]):.4g} if no "
        f"coordinate of S* is selected, and {float(limits[1]):.4f}, about 1/s*, if one is, so that "
        "1 + 1/c0 costs a factor s*; Lemma 3.2 needs c0 > 0",
        {"s_true": s_true, "s_hat": s, "c0_s2_0": float(limits[0]), "c0_s2_1": float(limits[1])},
    )


def _slack_constant(rng: Random) -> Outcome:
    exact = all(
        Fraction(s_true - s2, s - s2) <= Fraction(s_true, s)
        for s_true in range(1, 25)
        for s in range(s_true + 1, 120, 7)
        for s2 in range(s_true)
    )
    worst = 0.0
    for _ in range(2000):
        # (54) with the bracket b = sqrt(s3/((1+c) s1)) x - sqrt(s3) e: 1 - Delta^2 >= b^2 if b > 0
        c, e, x = rng.exponential(size=3)
        s1 = int(rng.integers(1, 10))
        s3 = int(rng.integers(s1 + 1, 100))
        bracket = max(math.sqrt(s3 / ((1 + c) * s1)) * x - math.sqrt(s3) * e, 0.0)
        bound = math.sqrt((1 + c) * s1 / s3) * bracket + math.sqrt(s1 * (1 + c)) * e
        worst = max(worst, x / bound)
    return Outcome(
        exact and worst <= 1 + 1e-12,
        "proved exactly",
        "s1/s3 <= s*/s-hat for all s* < 25, s-hat < 120, s2 < s*; solving (54) for any c > 0 loses "
        f"nothing (2000 random cases, ratio at most {worst:.6f}); the theorem's slack c0 > 1 pays "
        "for a fixed c",
    )


def _cosine_bounds(rng: Random) -> Outcome:
    """Check (59)-(65) with q = (1-L)/(1+L), a <= q^2/4, sqrt(s*) eps0 <= sqrt(a) q.

    sqrt(a) sqrt(1-Delta^2) + sqrt(s*) eps0 <= (q/2)(sqrt(1-Delta^2) + q), decreasing in Delta
    while Delta increases; at Delta = q it is (q/2)(sqrt(1-q^2) + q) <= q/sqrt 2.
    """
    last = prove_nonnegative(
        lambda q: 2 - q - iv.sqrt(1 - q**2), [(0, "0.9999")]
    )  # (65) at Delta = q, divided by q/2
    chain = prove_nonnegative(lambda q: 1 - 2 / iv.sqrt(q**2 + 4), [("1e-9", 1)])  # (64) over q
    exact = True
    for _ in range(200):
        t = Fraction(int(rng.integers(1, 100)), 100)
        big_l, root = 2 * t / (1 + t**2), (1 - t**2) / (1 + t**2)  # root = sqrt(1 - L^2)
        q = (1 - big_l) / (1 + big_l)
        r = 1 - big_l + 2 * big_l * Fraction(int(rng.integers(0, 101)), 100)
        cosine = (r**2 + 1 - big_l**2) / (2 * r)
        exact = exact and cosine >= root >= q
        # (60) with the largest alpha: 2 eta alpha sqrt(s-hat)/||bbar|| at ||bbar|| = 1 - L
        exact = exact and (1 - big_l) ** 2 / (1 + big_l) / (1 - big_l) == q
    return Outcome(
        last.proved and chain.proved and exact,
        "proved by interval arithmetic",
        f"(62): Delta >= sqrt(1-L^2) >= (1-L)/(1+L), 200 rational L (kappa^2 is a misprint for "
        f"L^2); (64) {chain.describe()}; (65) {last.describe()}",
    )


def _inner_products(rng: Random) -> Outcome:
    worst = -1.0
    for _ in range(2000):
        d, s_true = 12, int(rng.integers(1, 6))
        truth = np.zeros(d)
        truth[:s_true] = rng.standard_normal(s_true)
        ideal = truth + rng.standard_normal(d) * rng.exponential(0.3)
        inside = np.isin(np.arange(d), rng.choice(d, int(rng.integers(1, d)), replace=False))
        lost = ~inside & (truth != 0)
        sizes = np.linalg.norm(ideal), np.linalg.norm(truth)
        cosine = float(ideal @ truth / (sizes[0] * sizes[1]))
        x, y = (
            float(np.linalg.norm(v[lost]) / size)
            for v, size in zip((ideal, truth), sizes, strict=True)
        )
        sine = math.sqrt(max(1 - cosine**2, 0))
        worst = max(
            worst, float(cosine - x * y - (np.where(inside, ideal, 0) @ truth) / math.prod(sizes))
        )
        if cosine >= x * y:  # the proof has (65) at this point
            worst = max(worst, float(y - x * cosine - math.sqrt(max(1 - x**2, 0)) * sine))
        if cosine > 0:
            worst = max(
                worst, math.sqrt(math.prod(sizes)) * sine - float(np.linalg.norm(ideal - truth))
            )
    exact = all(
        ((p + 1) * x + y) * (p * x + y) == (p + p**2) * x**2 + (1 + 2 * p) * x * y + y**2
        for p, x, y in itertools.product(map(Fraction, range(3)), repeat=3)
    )
    return Outcome(
        worst <= 1e-9 and exact,
        "checked by search",
        f"2000 random vectors: (66), (69), (71) violated by at most {worst:.2g}; (70) expands (67) "
        "(polynomial identity on a 3x3x3 grid; its epsilon-tilde is a misprint for epsilon0); (72) "
        "is ||beta*||/||bbar|| <= 1/(1-L)",
    )


def _halved_expansion(rng: Random) -> Outcome:
    del rng
    # alpha = 0, a = 1/16, ||bbar' || = ||bbar||, ||bbar - beta*|| = 1, equality in (73)
    a, root = Fraction(1, 16), Fraction(1, 4)
    left = 1 + 2 * (root + a)
    right = 1 + root + a
    return _refuted(
        left > right,
        f"alpha = 0, a = 1/16, ||bbar - beta*|| = 1, equality in (73): the square is {left}, the "
        f"printed first line gives {right}; K1 absorbs it",
        {"a": float(a), "square": float(left), "printed": float(right)},
    )


def _full_expansion(rng: Random) -> Outcome:
    worst, second = Fraction(0), Fraction(1)
    for _ in range(200):
        root, distance, y, inner, norms = _fractions(rng, 5)
        # (73): <bbar', beta*> >= inner - (root + root^2) distance^2 - (1 + 2 root) distance y - y^2
        smallest = inner - (root + root**2) * distance**2 - (1 + 2 * root) * distance * y - y**2
        square = norms - 2 * smallest
        distance_square = norms - 2 * inner
        claimed = (
            (2 * root + 2 * root**2) * distance**2 + 2 * (1 + 2 * root) * distance * y + 2 * y**2
        )
        worst = max(worst, abs(square - distance_square - claimed))
        # (1 + 2p + 2p^2)(distance + y)^2 + y^2 is at least distance^2 + claimed
        covered = (1 + 2 * root + 2 * root**2) * (distance + y) ** 2 + y**2
        second = min(second, covered - distance**2 - claimed)
    return Outcome(
        worst == 0 and second >= 0,
        "proved exactly",
        "||x||^2 - 2<x, beta*> doubles every term of (73), with y = 2 eta alpha sqrt(s*/(1-L)): "
        "1 + 2 sqrt a + 2a, cross term 2(1 + 2 sqrt a) y, 2 y^2; (1 + 2 sqrt a + 2a)(distance + "
        "y)^2 + y^2 covers it (200 rational cases)",
    )


def _contraction(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(400):
        d = int(rng.integers(1, 6))
        nu, mu = np.sort(rng.exponential(size=2) + 1e-3)
        gamma = nu * rng.random()
        basis = np.linalg.qr(rng.standard_normal((d, d)))[0]
        hessian = basis @ np.diag(rng.choice([nu, mu, (nu + mu) / 2], d)) @ basis.T
        error = rng.standard_normal(d)
        step = error - 2 / (mu + nu) * hessian @ error
        # the worst perturbation of size gamma ||error|| points along the step
        size = np.linalg.norm(step) + 2 / (mu + nu) * gamma * np.linalg.norm(error)
        worst = max(worst, size / ((1 - 2 * (nu - gamma) / (nu + mu)) * np.linalg.norm(error)))
    exact = all(
        (mu - nu + 2 * gamma) / (mu + nu) == 1 - 2 * (nu - gamma) / (nu + mu)
        for mu, nu, gamma in itertools.product(_fractions(rng, 5), repeat=3)
    )
    return Outcome(
        worst <= 1 + 1e-9 and exact,
        "checked by search",
        "quadratic Q(.; beta*), every direction of the gradient's change: eigenvalues of I - eta H "
        "are within (mu-nu)/(mu+nu), plus eta gamma, an identity; 400 random cases, ratio at most "
        f"{worst:.6f}; uses grad Q(beta*; beta*) = 0, which the printed weights break",
    )


# ==================================================================== the Gaussian mixture model


def mixture_map(beta: FloatArray, truth: FloatArray, factor: float) -> FloatArray:
    """Return E[tanh(factor <beta, Y>) Y] of the mixture with parameter ``truth`` and sigma = 1.

    Parameters
    ----------
    beta, truth : ndarray of shape (d,)
    factor : float
        1 for the exact weight, 1/2 for the printed one.
    """
    g, weights = grid(2e-3)
    norm = float(np.linalg.norm(beta))
    # tanh(.) Y is even: take Y = truth + g direction + what is independent of <beta, Y>
    sign = np.tanh(factor * (beta @ truth + norm * g)) * weights
    mean: FloatArray = sign.sum() * truth + (sign @ g) * beta / norm
    return mean


def _mixture_fixed_point(snr: float) -> float:
    """Return the fixed point over beta* of the population map with the printed weight."""
    truth = np.array([snr])

    def residual(b: float) -> float:
        return float(mixture_map(np.array([b]), truth, 0.5)[0] - b)

    return float(brentq(residual, 0.1 * snr, 2 * snr, xtol=1e-13)) / snr


def _mixture_weight(rng: Random) -> Outcome:
    del rng
    residuals = {
        snr: float(mixture_map(np.array([snr]), np.array([snr]), 0.5)[0] / snr - 1)
        for snr in (1.0, 1.5, 2.0, 3.0, 4.0)
    }
    fixed = {snr: _mixture_fixed_point(snr) for snr in (1.5, 2.0, 3.0, 4.0)}
    plus, minus = (math.exp(-((0.7 - z) ** 2) / 0.5) for z in (1, -1))
    printed = 1 / (1 + math.exp(-0.7 / 0.25))
    return _refuted(
        abs(printed - plus / (plus + minus)) > 0.01 and max(residuals.values()) < -1e-5,
        f"beta = 1, y = .7, sigma = .5: printed {printed:.5f}, posterior "
        f"{plus / (plus + minus):.5f}; M(beta*)/beta* - 1 by SNR {_listed(residuals, '.3g')}; "
        f"fixed point over beta* {_listed(fixed, '.6g')}",
        {"residuals": residuals, "fixed_points": fixed},
    )


def _mixture_posterior(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(40):
        for _ in range(50):
            beta, y = ([mp.mpf(float(v)) for v in row] for row in 2 * rng.standard_normal((2, 3)))
            sigma = mp.mpf(float(rng.uniform(0.3, 3)))
            dot = mp.fdot(beta, y)
            squares = [sum((v - z * b) ** 2 for v, b in zip(y, beta, strict=True)) for z in (1, -1)]
            plus, minus = (mp.exp(-square / (2 * sigma**2)) for square in squares)
            weight = 1 / (1 + mp.exp(-2 * dot / sigma**2))
            worst = max(worst, float(abs(weight - plus / (plus + minus))))
    residual = max(
        abs(float(mixture_map(np.array([snr]), np.array([snr]), 1.0)[0] - snr))
        for snr in (0.5, 1.0, 2.0, 3.0, 4.0)
    )
    return Outcome(
        worst < 1e-36 and residual < 1e-10,
        "checked at high precision",
        f"against Bayes' rule at 50 points (d = 3): {worst:.1e}; M(beta*) - beta* for SNR .5-4: "
        f"{residual:.1e}",
    )


def _mixture_constants(rng: Random) -> Outcome:
    del rng
    found: dict[float, dict[float, float]] = {1.0: {}, 0.5: {}}
    for factor, snr in itertools.product(found, (1.5, 2.0, 3.0, 4.0)):
        truth = np.array([snr, 0.0])
        start = mixture_map(truth, truth, factor)
        ratios = []
        for radius, angle in itertools.product((0.02, 0.1, 0.25), np.linspace(0, math.pi, 13)):
            away = radius * snr * np.array([math.cos(angle), math.sin(angle)])
            change = mixture_map(truth + away, truth, factor) - start
            ratios.append(float(np.linalg.norm(change)) / (radius * snr))
        found[factor][snr] = max(ratios)
    holds = all(
        gamma <= math.exp(-c * snr**2)
        for factor, c in ((1.0, 0.5), (0.5, 0.4))
        for snr, gamma in found[factor].items()
    )
    return Outcome(
        holds,
        "checked by search",
        f"39 points of the ball; gamma by SNR {_listed(found[1.0], '.3g')} with the exact weight "
        f"(C = 1/2 works), {_listed(found[0.5], '.3g')} with the printed one (C = 2/5); "
        "Q(.; beta*) has Hessian -I, so mu = nu = 1",
    )


def _all_below(deviations: FloatArray, claimed: float, tau: float) -> tuple[bool, float]:
    """Return whether no run exceeds the bound, and how sure that makes us of P(exceed) < tau."""
    return bool((deviations <= claimed).all()), 1 - (1 - tau) ** len(deviations)


def _mixture_statistical_error(rng: Random) -> Outcome:
    n, d, tau, sigma = 400, 30, 0.05, 1.0
    truth = np.zeros(d)
    truth[:3] = 1.5
    beta = truth.copy()
    beta[0] += 0.4
    model = GaussianMixture(sigma)
    expected = mixture_map(beta, truth, 1.0) - beta
    deviations = np.array(
        [
            np.abs(model.gradients(model.sample(truth, n, rng), beta).mean(0) - expected).max()
            for _ in range(280)
        ]
    )
    unit = (1.5 + sigma) * math.sqrt((math.log(d) + math.log(2 / tau)) / n)
    below, confidence = _all_below(deviations, 2 * unit, tau)
    return Outcome(
        below,
        "Monte Carlo with confidence",
        f"|(2w-1) Y_j| <= |Y_j| is sub-Gaussian for fixed beta; n = {n}, d = {d}, tau = {tau}: "
        f"largest of 280 deviations {deviations.max() / unit:.3f} alpha/C1, so C1 = 2 works",
        confidence=confidence,
    )


def _excess(a: Any, sigma: Any, power: int = 2) -> Any:
    """Return the integral over z >= a of (z-a)^power times the N(0, sigma^2) density (mpmath)."""
    x = mp.mpf(a) / sigma
    tail, density = mp.ncdf(-x), mp.npdf(x)
    if power == 2:
        return sigma**2 * ((1 + x**2) * tail - x * density)
    return sigma**4 * ((x**4 + 6 * x**2 + 3) * tail - (x**3 + 5 * x) * density)


def _unbounded_truncation_error(rng: Random) -> Outcome:
    del rng
    n, n0, s, snr = 4000, 444, 10, 4.0
    with mp.workdps(30):
        g, weights = grid(5e-3)
        square = float(np.tanh(snr**2 + snr * g) ** 2 @ weights)
        t = mp.sqrt(2 * mp.log(n))  # the largest T of the proof, sigma = 1
        # coordinates outside the supports: independent of the weights, mean 0
        each = square * 2 * _excess(t, 1) / n0
        ratios = {
            k: float(mp.sqrt((mp.mpf(10) ** k - s) * each / (s * k * mp.log(10) * mp.log(n) / n)))
            for k in (3, 6, 12, 24)
        }
    return _refuted(
        ratios[24] > 1e6,
        f"n = {n}, n0 = {n0}, s* = {s}, SNR 4, T = sigma sqrt(2 log n): root of E||.||_2^2 over "
        f"the bound without C2 is {_listed({f'd = 1e{k}': v for k, v in ratios.items()}, '.3g')}; "
        "given the weights it is a sum of d independent terms, so it concentrates",
        {"n": n, "n0": n0, "s": s, "ratios": {f"1e{k}": v for k, v in ratios.items()}},
    )


def _no_truncation(rng: Random) -> Outcome:
    """Prove 2N Phi(-2 sqrt(log N)) <= 1/N for N = nd >= 2; Phi(-x) <= exp(-x^2/2)/2 beyond."""
    # u = sqrt(log N): 1 - 2 exp(2 u^2) Phi(-2u) >= 0
    proof = prove_nonnegative(lambda u: 1 - 2 * iv.exp(2 * u**2) * iv_ndtr(-2 * u), [("0.8", 4)])
    n, d, sigma = 2000, 50, 0.7
    truth = np.zeros(d)
    truth[:4] = [2.0, -1.0, 0.5, 0.1]
    level = 2.0 + 2 * sigma * math.sqrt(math.log(n * d))
    largest = float(np.abs(GaussianMixture(sigma).sample(truth, n, rng)).max())
    return Outcome(
        proof.proved and largest <= level,
        "proved by interval arithmetic",
        f"union bound over nd normal variables: nothing is truncated, whatever S, with probability "
        f">= 1 - 1/(nd); {proof.describe()} for log(nd) <= 16, then Phi(-x) <= exp(-x^2/2)/2; one "
        f"sample of n = {n}, d = {d}: largest entry {largest:.2f}, T = {level:.2f}",
    )


def _adaptive_set(rng: Random) -> Outcome:
    """Compare the truncation error on the selected set with that on a fixed set of its size."""
    sigma, d, s = 0.5, 1000, 10
    t = sigma * math.sqrt(math.log(4000))
    selected = []
    for _ in range(300):
        # beta^t = beta* = 4 sigma e_1, so that 2w - 1 is about 1 after flipping signs
        y = sigma * rng.standard_normal((8, d))
        y[:, 0] += 4 * sigma
        energy = ((np.clip(y, -t, t) - y) ** 2)[:, 1:].mean(0)
        step = (np.tanh(y[:, :1] * 4 / sigma) * np.clip(y, -t, t)).mean(0)[1:]
        chosen = np.argsort(-np.abs(step))[: s - 1]
        selected.append((energy[chosen].mean(), energy.mean()))
    ratio = float(
        np.mean([first for first, _ in selected]) / np.mean([last for _, last in selected])
    )
    worst = {}
    for factor in (1.0, math.sqrt(2)):
        ratios = []
        for _ in range(8):
            z = np.abs(sigma * rng.standard_normal((400, d), dtype=np.float32))
            energy = (np.maximum(z - np.float32(factor * t), 0) ** 2).mean(0)
            ratios.append(np.sort(energy)[-s:].mean() / energy.mean())
        worst[f"T = {factor:.3g} sigma sqrt(log 4000)"] = float(np.mean(ratios))
    return _refuted(
        ratio > 1.5,
        f"d = {d}, n0 = 8, no noise: the {s - 1} coordinates outside S* that the step itself "
        f"selects have {ratio:.2f} times the truncation energy of a fixed set; n0 = 400, s = {s}: "
        f"worst over average set {_listed(worst, '.3g')}",
        {"d": d, "n0": 8, "selected_over_fixed": ratio, "worst_over_average": worst},
    )


def _truncation_moment(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(20):
        for beta, sigma, t in rng.uniform([-2, 0.3, 0.1], [2, 2, 4], (4, 3)).tolist():
            points = [-mp.inf, -t, t, mp.inf]

            def integrand(y: Any, beta: float = beta, sigma: float = sigma, t: float = t) -> Any:
                density = (mp.npdf(y, beta, sigma) + mp.npdf(y, -beta, sigma)) / 2
                return (abs(y) - t) ** 2 * density

            direct = mp.quad(integrand, points[:2]) + mp.quad(integrand, points[2:])
            formula = _excess(t + beta, mp.mpf(sigma)) + _excess(t - beta, mp.mpf(sigma))
            worst = max(worst, float(abs(direct / formula - 1)))
    return Outcome(
        worst < 1e-10,
        "checked at high precision",
        f"quadrature against the closed form of the two terms, 4 random (beta_j, sigma, T): "
        f"relative difference {worst:.1e}",
    )


def _fubini(factor: float) -> float:
    """Return factor times the integral of t P(Z >= t), over the integral of z^2 phi, z > 0."""
    with mp.workdps(20):
        right = factor * mp.quad(lambda t: t * mp.ncdf(-t), [0, 2, 6, 30])
        return float(right / _excess(0, mp.mpf(1)))


def _fubini_printed(rng: Random) -> Outcome:
    del rng
    ratio = _fubini(0.5)
    return _refuted(
        abs(ratio - 1) > 0.1,
        f"T + beta_j = 0, sigma = 1: printed right over left {ratio:.6f}; (z-a)^2 is the integral "
        "of 2t, not of t/2",
        {"a": 0.0, "sigma": 1.0, "ratio": ratio},
    )


def _fubini_repaired(rng: Random) -> Outcome:
    del rng
    ratio = _fubini(2.0)
    return Outcome(
        abs(ratio - 1) < 1e-12,
        "checked at high precision",
        f"ratio - 1 is {ratio - 1:.1e} at a = 0",
    )


def _negative_distance(rng: Random) -> Outcome:
    del rng
    with mp.workdps(20):
        found = {
            a: (float(_excess(a, mp.mpf(1))), float(2 * mp.exp(-(mp.mpf(a) ** 2) / 2)))
            for a in (-0.5, -1.0, -2.0)
        }
        tail = float(mp.ncdf(1)), float(mp.exp(-0.5))
    return _refuted(
        all(left > right for left, right in (found[-1.0], found[-2.0], tail)),
        "sigma = 1, a = T - |beta_j|: integral > bound: "
        + ", ".join(f"{x:.4g} vs {y:.4g} (a = {a:g})" for a, (x, y) in found.items())
        + f"; (38) at T + beta_j + t = -1: {tail[0]:.3f} > {tail[1]:.3f}",
        {"sigma": 1.0, "a": -1.0, "integral": found[-1.0][0], "bound": found[-1.0][1]},
    )


def _non_negative_distance(rng: Random) -> Outcome:
    """Prove (39) for x = a/sigma >= 0 with 1/2 for 2: phi(x+t) <= exp(-x^2/2) phi(t).

    So the integral of t^2 phi(x+t) is at most exp(-x^2/2)/2; intervals confirm it with 0.51.
    """
    tail = prove_nonnegative(lambda x: 1 - iv_ndtr(-x) * iv.exp(x**2 / 2), [(0, 5)])
    moment = prove_nonnegative(
        lambda x: (
            interval("0.51") * iv.exp(-(x**2) / 2) - (1 + x**2) * iv_ndtr(-x) + x * iv_npdf(x)
        ),
        [(0, 2)],
    )
    worst = max(
        float(_excess(x, mp.mpf(1)) * mp.exp(x**2 / 2)) for x in (mp.mpf(k) / 4 for k in range(41))
    )
    return Outcome(
        tail.proved and moment.proved and worst <= 0.5,
        "proved by interval arithmetic",
        f"T >= |beta_j|: (38) {tail.describe()} on [0, 5]; (39) with .51 for 2 {moment.describe()} "
        f"on [0, 2]; largest value on a grid of [0, 10] is {worst:.4f} sigma^2 exp(-a^2/2sigma^2)",
    )


def _scaled_truncation(c: Any, log10_n: int) -> float:
    """Return n E(Pi_T(Y_j) - Y_j)^2 for sigma = 1, beta_j = 0 and T = c sqrt(log n)."""
    with mp.workdps(30):
        n = mp.mpf(10) ** log10_n
        return float(n * 2 * _excess(c * mp.sqrt(mp.log(n)), mp.mpf(1)))


def _any_constant(rng: Random) -> Outcome:
    del rng
    found = {c: [_scaled_truncation(c, k) for k in (3, 5, 7, 40)] for c in (0.5, 1.0, 1.2)}
    grows = all(values[-1] > 100 for values in found.values())
    return _refuted(
        grows,
        "sigma = 1, beta_j = 0: n E(Pi_T(Y_j) - Y_j)^2 at n = 1e3, 1e5, 1e7, 1e40: "
        + "; ".join(
            f"c = {c}: {', '.join(f'{v:.3g}' for v in values)}" for c, values in found.items()
        ),
        {"n": ["1e3", "1e5", "1e7", "1e40"], "values": {str(c): v for c, v in found.items()}},
    )


def _large_constant(rng: Random) -> Outcome:
    found = [_scaled_truncation(mp.sqrt(2), k) for k in (1, 3, 5, 7, 40)]
    worst = 0.0
    with mp.workdps(30):
        for beta, sigma, log_n in rng.uniform([0, 0.2, 1], [3, 3, 50], (200, 3)).tolist():
            t = beta + sigma * mp.sqrt(2 * log_n)
            error = _excess(t - beta, mp.mpf(sigma)) + _excess(t + beta, mp.mpf(sigma))
            worst = max(worst, float(mp.exp(log_n) * error / sigma**2))
    return Outcome(
        max(found) <= 1 and worst <= 1,
        "proved exactly",
        "T >= |beta_j| + sigma sqrt(2 log n): two terms of at most (sigma^2/2) exp(-log n) each "
        f"((39) with its sharp constant), so n E <= sigma^2; 200 random cases, at most {worst:.4f} "
        f"sigma^2; c = sqrt 2: {', '.join(f'{v:.3g}' for v in found)} at n = 1e1 ... 1e40",
    )


def _mixture_sensitivity(rng: Random) -> Outcome:
    largest, t = 0.0, 1.7
    for _ in range(200):
        d = int(rng.integers(1, 6))
        sigma = float(rng.uniform(0.2, 2))
        model = PrintedMixture(sigma) if rng.integers(2) else GaussianMixture(sigma)
        pair = rng.standard_normal((2, d)) * rng.exponential(3.0)
        g = model.truncated_gradients(pair, rng.standard_normal(d), t)
        largest = max(largest, float(np.abs(g[0] - g[1]).max()) / t)
    # the pair that attains it: the first entry decides the sign
    pair = np.array([[1e4, t, -t, -t], [-1e4, t, -t, -t]])
    g = PrintedMixture(0.5).truncated_gradients(pair, np.eye(4)[0], t)
    attained = float(np.abs(g[0] - g[1]).max()) / t
    return Outcome(
        largest <= 2 * _ROUNDED and abs(attained - 2) < 1e-9,
        "checked by search",
        "|(2w-1) Pi_T(y)_j| <= T and beta cancels: 2T/n0; random pairs reach "
        f"{largest:.4f} T, beta = e_1 with y = (1e4, T, -T, -T) against (-1e4, T, -T, -T) "
        f"{attained:.6f} T",
    )


def _statistical_order(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(300):
        log_n = float(rng.uniform(2, 60))
        n_iterations = math.ceil(log_n)
        tau = float(np.exp(-rng.uniform(0.1, 20)))
        # the union over the steps costs log(2 N0/tau): of the order of log d if d >= 2 N0/tau
        log_d = math.log(2 * n_iterations / tau) * float(rng.uniform(1, 5))
        s, n = float(rng.integers(1, 50)), math.exp(log_n)
        alpha = math.sqrt((log_d + math.log(2 * n_iterations / tau)) * n_iterations / n)
        worst = max(worst, math.sqrt(s) * alpha / math.sqrt(s * log_d * log_n / n))
    return Outcome(
        worst <= math.sqrt(3),  # sqrt(2 log d) and N0 <= 1.5 log n
        "checked by search",
        "s-hat = O(s*), batches of n/N0, N0 = ceil(log n), d >= 2 N0/tau: left over right within "
        f"{worst:.4f} constants on 300 random (n, d, tau, s*)",
    )


def _union_over_steps(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        c, log_d, log_n, steps_per_log = _fractions(rng, 4)
        n_iterations = steps_per_log * log_n
        worst = max(worst, abs(n_iterations * c / (log_d * log_n) - steps_per_log * c / log_d))
    return Outcome(
        worst == 0,
        "proved exactly",
        "N0 = c log n times C'/(log d log n) is c C'/log d, identically (100 rational cases); "
        "l.819 prints 1 - C' log d for 1 - C'/log d",
    )


def _mixture_path(
    rng: Random, n0: int, *, printed: bool, steps: int = 3, gaussian: bool = False
) -> float:
    """Return the error of Algorithm 3 (or 4): ||beta*|| = 1, SNR 1.5, T = 3, (1, 1e-5)."""
    d, t, sigma = 8, 3.0, 2 / 3
    s = d if gaussian else 3
    model = PrintedMixture(sigma) if printed else GaussianMixture(sigma)
    truth = np.zeros(d)
    truth[:s] = 1 / math.sqrt(s)
    beta = truth.copy()
    beta[0] += 0.1
    log = math.log(1.25 / 1e-5)
    for _ in range(steps):
        batch = model.sample(truth, n0, rng)
        step = beta + model.truncated_gradients(batch, beta, t).mean(0)
        if gaussian:
            beta = step + math.sqrt(2 * d * log) * 2 * t / n0 * rng.standard_normal(d)
        else:
            beta = noisy_hard_thresholding(
                step, sparsity=s, sensitivity=2 * t / n0, epsilon=1.0, delta=1e-5,
                ledger=Ledger(rng),
            ).vector  # fmt: skip
    return float(np.linalg.norm(beta - truth))


def _error_floor(*, gaussian: bool) -> Check:
    def check(rng: Random) -> Outcome:
        floors = {snr: 1 - _mixture_fixed_point(snr) for snr in (1.5, 2.0, 3.0, 4.0)}
        errors = {
            printed: _mixture_path(rng, 40_000, printed=printed, gaussian=gaussian)
            for printed in (True, False)
        }
        return _refuted(
            min(floors.values()) > 1e-5 and errors[True] > 2 * errors[False],
            "with n the iterates tend to the population map's fixed point, not to beta*; what is "
            f"left over ||beta*||, by SNR: {_listed(floors, '.3g')}; a private run with n0 = 4e4 "
            f"at SNR 1.5: error {errors[True]:.4f}, with the exact weight {errors[False]:.4f}",
            {"floor": floors, "error_printed": errors[True], "error_exact": errors[False]},
        )

    return check


def _rate_met(*, gaussian: bool, printed: bool = False) -> Check:
    def check(rng: Random) -> Outcome:
        # a median above the bound has at most one of 26 errors above it with chance 4e-7
        runs, steps, d = 26, 3, 8
        medians, above = {}, 0
        for n0 in (15_000, 30_000):
            n, s = n0 * steps, (d if gaussian else 3)
            log_n, log_d = math.log(n), math.log(d)
            if gaussian:
                bound = d * log_n**1.5 * math.sqrt(math.log(1e5)) / n + math.sqrt(d / n) * log_n
            else:
                bound = math.sqrt(s * log_d * log_n / n)
                bound += s * log_d * math.sqrt(math.log(1e5)) * log_n**1.5 / n
            ratios = [
                _mixture_path(rng, n0, printed=printed, gaussian=gaussian) / bound
                for _ in range(runs)
            ]
            medians[f"n = {n}"] = float(np.median(ratios))
            above = max(above, sum(ratio > 1 for ratio in ratios))
        return Outcome(
            above <= 1,
            "Monte Carlo with confidence",
            f"exact weight, SNR 1.5, (1, 1e-5), d = {d}, T = 3, N0 = {steps}, {runs} runs: at most "
            f"{above} above the bound with constants 1, medians {_listed(medians, '.3f')} of it",
            confidence=1 - len(medians) * float(binom.cdf(1, runs, 0.5)),
        )

    return check


# ------------------------------------------------------------------------ minimax lower bounds


def _symmetric_laws(rng: Random) -> tuple[float, float]:
    """Return the distance of P_b and P_-b in log density, and the least max risk over ||b||."""
    apart, smallest = 0.0, math.inf
    for _ in range(100):
        d = int(rng.integers(1, 5))
        b, m = rng.standard_normal((2, d)) * rng.exponential(5.0)
        y = rng.standard_normal((1, d)) * 3
        record = rng.standard_normal((1, d + 1)) * 3
        for model, data in ((GaussianMixture(0.8), y), (MixtureOfRegressions(0.8), record)):
            plus, minus = (model.log_likelihood(data, sign * b) for sign in (1, -1))
            apart = max(apart, abs(plus - minus))
        risks = [float(np.linalg.norm(m - sign * b)) for sign in (1, -1)]
        smallest = min(smallest, max(risks) / float(np.linalg.norm(b)))
    return apart, smallest


def _vacuous(rng: Random) -> Outcome:
    apart, smallest = _symmetric_laws(rng)
    return Outcome(
        apart < 1e-12 and smallest >= 1 - 1e-12,
        "proved exactly",
        "trivially: P_b = P_-b and ||M-b|| + ||M+b|| >= 2||b||, so the worst risk is at least "
        "||b|| for every b: the left-hand side is infinite, private or not; 100 random (M, b): log "
        f"densities differ by {apart:.1g}, max risk/||b|| at least {smallest:.4f}",
    )


def _optimality(rng: Random) -> Outcome:
    apart, smallest = _symmetric_laws(rng)
    n, s, d = 10**6, 10, 1000
    rate = math.sqrt(s * math.log(d) / n) + s * math.log(d) / n
    size = 1e6
    return _refuted(
        apart < 1e-12 and smallest >= 1 - 1e-12 and size > 1e6 * rate,
        f"n = 1e6, s* = 10, d = 1000, epsilon = 1: the minimax risk is at least ||b|| = {size:g} "
        f"at +-b (equal laws), the rate it is said to match {rate:.3g}; the upper bound starts "
        "within ||beta*||/8 of beta*, another problem",
        {"b": size, "rate": rate, "log_density_difference": apart},
    )


def _local_two_points(rng: Random) -> Outcome:
    """Le Cam's bound for two points at distance sigma/sqrt(n), both in a ball around a known b0."""
    del rng
    g, weights = grid(2e-3)
    worst = 0.0
    for b, gap in itertools.product((0.3, 1.0, 2.0, 4.0), (0.3, 0.1, 0.01)):
        y = b + g  # the log ratio is even, so one component suffices

        def log_density(y: FloatArray, b: float) -> FloatArray:
            return -(b**2) / 2 + b * np.abs(y) + np.log1p(np.exp(-2 * b * np.abs(y)))

        divergence = float(weights @ (log_density(y, b) - log_density(y, b + gap)))
        worst = max(worst, divergence / (gap**2 / 2))
    return Outcome(
        worst <= 1 + 1e-9,
        "checked by search",
        "KL(P_b || P_b') <= ||b - b'||^2/(2 sigma^2) (a fair flip of both signs is a common "
        f"channel; quadrature: at most {worst:.4f} of it), so at distance sigma/sqrt(n) Pinsker "
        "leaves total variation <= 1/2 and risk >= sigma/(4 sqrt n) in every ball of radius "
        "sigma/sqrt(n) or more, without privacy",
    )


def _special_case(rng: Random) -> Outcome:
    y = rng.standard_normal((200, 1)) * 3
    lopsided = max(
        abs(model.log_likelihood(row[None], beta) - model.log_likelihood(-row[None], beta))
        for model in (GaussianMixture(1.0),)
        for row in y
        for beta in (np.array([0.0]), np.array([0.7]), np.array([3.0]))
    )
    b, at = 1.0, 1.0
    shifted = ((-at - b) ** 2 - (at - b) ** 2) / 2
    return _refuted(
        lopsided < 1e-12 < shifted,
        "d = 1: every law of model (4) is symmetric about 0 (log densities at y and -y differ by "
        f"{lopsided:.1g} at 600 points), N(1, 1) is not (by {shifted:g} at y = 1): Z is "
        "Rademacher, so that Z = 1 is no special case",
        {"b": b, "y": at, "log_ratio": shifted, "mixture": lopsided},
    )


def _random_flips(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(100):
        d = int(rng.integers(1, 4))
        b, y = rng.standard_normal((2, d))
        plus, minus = (math.exp(-((s * y - b) @ (s * y - b)) / 2) for s in (1, -1))
        flipped = math.log((plus + minus) / 2)
        worst = max(worst, abs(flipped - GaussianMixture(1.0).log_likelihood(y[None], b)))
    # a private mechanism on flipped records, exactly: is the sum of the signed records above 2,
    # answered truthfully with odds 3
    odds = Fraction(3)
    laws: dict[tuple[int, ...], dict[object, Fraction]] = {}
    for records in itertools.product((1, 2), repeat=2):
        law: dict[object, Fraction] = {True: Fraction(0), False: Fraction(0)}
        for signs in itertools.product((-1, 1), repeat=2):
            answer = sum(x * s for x, s in zip(records, signs, strict=True)) > 2
            law[answer] += Fraction(1, 4) * odds / (1 + odds)
            law[not answer] += Fraction(1, 4) / (1 + odds)
        laws[records] = law
    neighbours = [
        (x, y)
        for x, y in itertools.permutations(laws, 2)
        if sum(p != q for p, q in zip(x, y, strict=True)) == 1
    ]
    delta = max(hockey_stick(laws[x], laws[y], odds) for x, y in neighbours)
    moved = any(laws[x] != laws[y] for x, y in neighbours)
    return Outcome(
        worst < 1e-12 and delta == 0 and moved,
        "checked by search",
        f"the flipped density is that of (4) (100 points, log difference {worst:.1e}); record by "
        f"record, so neighbours stay neighbours: exact example, delta(log 3) = {delta}; hence the "
        "mixture's risk is at least the mean's on every class",
    )


# ====================================================================== mixture of regressions


def regression_map(beta: FloatArray, truth: FloatArray, factor: float) -> FloatArray:
    """Return E[tanh(factor Y <X, beta>) Y X] for Y = +-<truth, X> + N(0, 1), X ~ N(0, I), d <= 2.

    Parameters
    ----------
    beta, truth : ndarray of shape (1,) or (2,)
    factor : float
        1 for the exact weight, 1/2 for the printed one.
    """
    g, wg = grid(0.02)
    r, wr = grid(0.05)
    norm = float(np.linalg.norm(beta))
    along = float(beta @ truth) / norm
    across = truth - along * beta / norm
    variance = float(across @ across) + 1
    # given <X, beta> = norm g, Y = along g + N(0, variance), whose regression on X is linear
    residual = math.sqrt(variance) * r[None, :]
    y = along * g[:, None] + residual
    weighted = np.tanh(factor * norm * g[:, None] * y) * y * wg[:, None] * wr[None, :]
    mean: FloatArray = (weighted * g[:, None]).sum() * beta / norm
    mean += (weighted * residual).sum() / variance * across
    return mean


def _regression_fixed_point(snr: float) -> float:
    truth = np.array([snr])

    def residual(b: float) -> float:
        return float(regression_map(np.array([b]), truth, 0.5)[0] - b)

    return float(brentq(residual, 0.5 * snr, 1.5 * snr, xtol=1e-12)) / snr


def _regression_weight(rng: Random) -> Outcome:
    del rng
    fixed = {snr: _regression_fixed_point(snr) for snr in (1.0, 2.0, 3.0, 4.0, 5.0)}
    plus, minus = (math.exp(-((0.7 - z) ** 2) / 0.5) for z in (1, -1))
    printed = 1 / (1 + math.exp(-0.7 / 0.25))
    return _refuted(
        abs(printed - plus / (plus + minus)) > 0.01 and max(fixed.values()) < 0.999,
        f"<beta, x> = 1, y = .7, sigma = .5: printed {printed:.5f}, posterior "
        f"{plus / (plus + minus):.5f}; population fixed point over beta* by SNR "
        f"{_listed(fixed, '.5f')}",
        {"printed": printed, "posterior": plus / (plus + minus), "fixed_points": fixed},
    )


def _regression_posterior(rng: Random) -> Outcome:
    worst = 0.0
    for fit, y, sigma in rng.uniform([-2, -2, 0.5], [2, 2, 2], (100, 3)).tolist():
        plus, minus = (math.exp(-((y - z * fit) ** 2) / (2 * sigma**2)) for z in (1, -1))
        worst = max(worst, abs(1 / (1 + math.exp(-2 * y * fit / sigma**2)) - plus / (plus + minus)))
    residual = max(
        abs(float(regression_map(np.array([snr]), np.array([snr]), 1.0)[0] - snr))
        for snr in (1.0, 2.0, 3.0, 4.0, 5.0)
    )
    return Outcome(
        worst < 1e-12 and residual < 1e-9,
        "checked at high precision",
        f"against Bayes' rule at 100 points: {worst:.1e}; M(beta*) - beta* for SNR 1-5: "
        f"{residual:.1e}",
    )


def _q_slope(x: Fraction, y: Fraction, w: Fraction, b: Fraction) -> Fraction:
    """Return the derivative at b of the printed Q of one record, by an exact central difference."""

    def q(c: Fraction) -> Fraction:
        return -(w * (y - x * c) ** 2 + (1 - w) * (y + x * c) ** 2) / 2

    return (q(b + 1) - q(b - 1)) / 2  # exact: Q is quadratic


def _doubled_gradient(rng: Random) -> Outcome:
    x, y, w, b = Fraction(1), Fraction(1), Fraction(1, 2), Fraction(0)
    true, printed = _q_slope(x, y, w, b), 2 * w * y * x - x**2 * b
    errors = {}
    truth = np.zeros(10)
    truth[0] = 1.0
    for doubled in (True, False):
        model = DoubledRegressions(0.5) if doubled else MixtureOfRegressions(0.5)
        found = []
        for _ in range(6):
            data = model.sample(truth, 6000, rng)
            beta = truth.copy()
            for _ in range(12):
                beta = beta + model.gradients(data, beta).mean(0)
            found.append(float(np.linalg.norm(beta - truth)))
        errors[doubled] = float(np.mean(found))
    return _refuted(
        printed != true,
        f"one record x = y = 1 at beta = 0, w = 1/2: the gradient of Q_n (l.296) is {true}, "
        f"printed {printed}; the mean is the same, the noise mean(yx) is not: non-private "
        f"gradient EM, n = 6000, d = 10, sigma = .5, 6 runs: mean error {errors[True]:.4f} (2w), "
        f"{errors[False]:.4f} (2w-1)",
        {"x": 1.0, "y": 1.0, "beta": 0.0, "gradient": float(true), "printed": float(printed)},
    )


def _single_gradient(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        x, y, b, v = _fractions(rng, 4)
        w = v / (1 + v)
        worst = max(worst, abs(_q_slope(x, -y, w, b) - ((2 * w - 1) * -y * x - x**2 * b)))
    return Outcome(worst == 0, "proved exactly", "100 rational records, difference 0")


def _regression_vertices(doubled: bool) -> Fraction:
    """Return the largest |k y~ - c~| |x~| with T = 1, over the vertices of both sign cases.

    For y >= 0 (the rest by symmetry), k = 2w in [1, 2] if the fit c >= 0 and in [0, 1] if c < 0;
    k = 2w - 1 in [0, 1] and [-1, 0]. Multilinear, so extreme at the vertices.
    """
    shift = 0 if doubled else -1
    cases = [
        ((1 + shift, 2 + shift), (0, 1), (0, 1)),
        ((0 + shift, 1 + shift), (0, 1), (-1, 0)),
    ]
    return max(Fraction(abs(k * y - c)) for case in cases for k, y, c in itertools.product(*case))


def _regression_step(rng: Random) -> Outcome:
    del rng
    t, beta = 1.0, np.array([1.0, 0.0])
    model = PrintedDoubledRegressions(0.05)
    pair = np.array([[0.1, 1.0, 1.0], [0.0, 0.0, 0.0]])  # w is within 1e-17 of 1, and 1/2
    g = model.truncated_gradients(pair, beta, t)
    left = float(np.abs(g[0] - g[1]).max())
    x, y = np.clip(pair[:, :2], -t, t), np.clip(pair[:, 2:], -t, t)
    fits = np.clip(pair[:, :2] @ beta, -t, t)[:, None]
    right = float(np.abs(y[0] * x[0] - y[1] * x[1]).max())
    right += float(np.abs(x[0] * fits[0] - x[1] * fits[1]).max())
    return _refuted(
        left > right,
        f"T = 1, beta = e_1, sigma = .05, (x, y) = ((.1, 1), 1) against 0: left {left:.4f}, third "
        f"line {right:.4f}: it drops the factor 2w, which would give 6T^2",
        {"left": left, "right": right, "x": [0.1, 1.0], "y": 1.0, "sigma": 0.05},
    )


def _regression_sensitivity(rng: Random) -> Outcome:
    vertices = {doubled: _regression_vertices(doubled) for doubled in (True, False)}
    t, found = 2.0, {}
    for doubled in (True, False):
        largest = 0.0
        for _ in range(300):
            kind = DoubledRegressions if doubled else MixtureOfRegressions
            model = kind(float(rng.uniform(0.1, 2)))
            records = rng.standard_normal((40, 4)) * np.exp(rng.uniform(-4, 4, (40, 4)))
            g = model.truncated_gradients(records, rng.standard_normal(3), t)
            largest = max(largest, float(np.ptp(g, axis=0).max()) / t**2)
        found[doubled] = largest
    pair = np.array([[1e-3, 5.0, 1e6], [1e-3, -5.0, 1e6]])
    g = DoubledRegressions(0.5).truncated_gradients(pair, np.eye(2)[0], t)
    attained = float(np.abs(g[0] - g[1]).max()) / t**2
    return Outcome(
        vertices == {True: 2, False: 1}
        and found[True] <= 4 * _ROUNDED
        and found[False] <= 2 * _ROUNDED
        and attained > 3.99,
        "proved exactly",
        "|2w y~ - c~| <= 2T by the two sign cases of yc (vertices of a multilinear form), so 4T^2; "
        f"random pairs reach {found[True]:.3f} T^2, ((1e-3, 5), 1e6) against ((1e-3, -5), 1e6) "
        f"{attained:.4f} T^2 at T = 2; with 2w - 1 it is 2T^2 (random pairs {found[False]:.3f} "
        "T^2)",
    )


def _split_regression(rng: Random, *, doubled: bool) -> tuple[float, list[float]]:
    """Return the largest left minus right of (41) over records, and the record that has it."""
    t, sigma, beta = 1.0, 0.05, np.array([1.0, 0.0])
    records = np.vstack([[[0.5, 3.0, 1.0]], 2 * rng.standard_normal((500, 3))])
    x, y = records[:, :-1], records[:, -1:]
    cut, fit = np.clip(x, -t, t), (x @ beta)[:, None]
    model = PrintedDoubledRegressions(sigma) if doubled else PrintedRegressions(sigma)
    change = model.gradients(records, beta) - model.truncated_gradients(records, beta, t)
    right = np.linalg.norm(y * x - np.clip(y, -t, t) * cut, axis=1)
    right += np.linalg.norm(fit * x - np.clip(fit, -t, t) * cut, axis=1)
    gaps = np.linalg.norm(change, axis=1) - right
    worst = int(np.argmax(gaps))
    return float(gaps[worst]), records[worst].tolist()


def _split_doubled(rng: Random) -> Outcome:
    gap, record = _split_regression(rng, doubled=True)
    return _refuted(
        gap > 0.1,
        "T = 1, sigma = .05, beta = e_1, 501 records: left exceeds right by up to "
        f"{gap:.3f}, at (x_1, x_2, y) = ({', '.join(f'{v:.3g}' for v in record)}): 2w, up to 2, is "
        "dropped again; harmless, a factor 2 in C1",
        {"record": record, "gap": gap, "T": 1.0, "sigma": 0.05},
    )


def _split_single(rng: Random) -> Outcome:
    gap, _ = _split_regression(rng, doubled=False)
    return Outcome(
        gap <= 1e-12,
        "checked by search",
        f"|2w - 1| <= 1; 501 records: left minus right at most {gap:.2g}",
    )


def _regression_constants(rng: Random) -> Outcome:
    del rng
    found = {}
    for snr in (2.0, 2.5, 3.0, 4.0):
        truth = np.array([snr, 0.0])
        start = regression_map(truth, truth, 1.0)
        ratios = []
        for radius, angle in itertools.product((0.3, 1.0), np.linspace(0, math.pi, 5)):
            away = radius * snr / 32 * np.array([math.cos(angle), math.sin(angle)])
            change = regression_map(truth + away, truth, 1.0) - start
            ratios.append(float(np.linalg.norm(change) / np.linalg.norm(away)))
        found[snr] = max(ratios)
    return Outcome(
        all(found[snr] < 0.25 for snr in (2.5, 3.0, 4.0)) and found[2.0] > 0.25,
        "checked by search",
        "exact weight, 10 points of the ball R = ||beta*||/32; gamma by SNR "
        f"{_listed(found, '.3f')}: below 1/4 from an SNR between 2 and 2.5 on, so 'sufficiently "
        "large' is needed; mu = nu = 1 because E XX^T = I",
    )


def _regression_statistical_error(rng: Random) -> Outcome:
    n, d, tau = 500, 20, 0.05
    truth, away = np.zeros(d), np.zeros(d)
    truth[0], away[:2] = 3.0, [0.05, 0.05]
    beta = truth + away
    expected = np.zeros(d)
    expected[:2] = regression_map(beta[:2], truth[:2], 1.0) - beta[:2]
    model = MixtureOfRegressions(1.0)
    deviations = np.array(
        [
            np.abs(model.gradients(model.sample(truth, n, rng), beta).mean(0) - expected).max()
            for _ in range(280)
        ]
    )
    unit = max(9.0 + 1, 3.0) * math.sqrt((math.log(d) + math.log(4 / tau)) / n)
    below, confidence = _all_below(deviations, unit, tau)
    return Outcome(
        below,
        "Monte Carlo with confidence",
        "eta = 1 (a gradient's error cannot depend on the step size eta, which alpha carries); n "
        f"= {n}, d = {d}, tau = {tau}, exact weight, 2w - 1: largest of 280 deviations "
        f"{deviations.max() / unit:.3f} alpha/C, so C = 1 works",
        confidence=confidence,
    )


# =========================================================================== missing covariates

Rationals = Sequence[Fraction]


def _exact_gradients(
    x: Rationals, observed: Sequence[int], y: Fraction, beta: Rationals, variance: Fraction
) -> dict[str, list[Fraction]]:
    """Return y m - K beta with the printed and the conditional K, and sigma^2 times the score."""
    d = range(len(beta))
    hidden = [Fraction(0) if observed[j] else beta[j] for j in d]
    fit = sum((x[j] * beta[j] for j in d if observed[j]), Fraction(0))
    total = variance + sum((h**2 for h in hidden), Fraction(0))
    slope = (y - fit) / total
    m = [x[j] if observed[j] else slope * beta[j] for j in d]
    n = [Fraction(0) if observed[j] else m[j] for j in d]
    identity = [[Fraction(int(i == j and not observed[j])) for j in d] for i in d]
    moments = {
        "printed": [[identity[i][j] + m[i] * m[j] - n[i] * n[j] for j in d] for i in d],
        # Cov(x_hidden | x_observed, y) = I - b b^T/(sigma^2 + |b|^2)
        "exact": [
            [identity[i][j] + m[i] * m[j] - hidden[i] * hidden[j] / total for j in d] for i in d
        ],
    }
    gradients = {
        name: [y * m[i] - sum((k[i][j] * beta[j] for j in d), Fraction(0)) for i in d]
        for name, k in moments.items()
    }
    # log N(y; fit, total) in beta_j: through the fit if observed, through the variance if hidden
    gradients["score"] = [
        variance * (slope * x[j] if observed[j] else beta[j] * (slope**2 - 1 / total)) for j in d
    ]
    return gradients


def _random_record(rng: Random) -> tuple[Any, ...]:
    d = int(rng.integers(1, 5))
    x, beta = ([sign * v for v in _fractions(rng, d, 1, 9)] for sign in (1, -1))
    observed = rng.integers(0, 2, d).tolist()
    y, variance = _fractions(rng, 2, 1, 9)
    return x, observed, y, beta, variance


def _printed_moment(rng: Random) -> Outcome:
    del rng
    beta = [Fraction(v, 10) for v in (6, -8, 5, 9)]
    variance = Fraction(49, 100)
    record = [Fraction(2), Fraction(1), Fraction(-1), Fraction(3)]
    g = _exact_gradients(record, [1, 0, 0, 1], Fraction(13, 10), beta, variance)
    ratios = [float(p / e) for p, e in zip(g["printed"], g["score"], strict=True)]
    expected = (variance + Fraction(89, 100)) / variance
    return _refuted(
        g["printed"] != g["score"],
        "sigma^2 = .49, beta = (.6, -.8, .5, .9), z = (1, 0, 0, 1), y = 1.3: printed gradient over "
        f"sigma^2 times the score, by coordinate: {', '.join(f'{r:.4f}' for r in ratios)}; "
        f"(sigma^2 + ||b_missing||^2)/sigma^2 = {float(expected):.4f}",
        {"ratios": ratios, "sigma2": 0.49, "beta": [0.6, -0.8, 0.5, 0.9], "z": [1, 0, 0, 1]},
    )


def _conditional_moment(rng: Random) -> Outcome:
    equal = True
    for _ in range(60):
        g = _exact_gradients(*_random_record(rng))
        equal = equal and g["exact"] == g["score"]
    # the expected printed gradient at beta*, by the closed form, is 0
    residual = max(
        float(np.abs(missing_gradient(b, b, b, 0.5, 0.3)).max())
        for b in rng.standard_normal((20, 3))
    )
    return Outcome(
        equal and residual < 1e-12,
        "proved exactly",
        "missing block I - b b^T/(sigma^2 + ||b||^2) + m m^T: y m - K beta equals sigma^2 times "
        "the score of y given the observed x, in 60 rational records; beta* is a zero of the "
        f"printed population gradient too ({residual:.1g}, 20 random beta*, p = .3)",
    )


def missing_gradient(
    at: FloatArray, given: FloatArray, truth: FloatArray, sigma: float, p: float
) -> FloatArray:
    """Return the population gradient at ``at`` of the printed Q(.; given), by enumeration of z.

    Given z everything is Gaussian: with v = sigma^2 + ||given_hidden||^2, E[y a] = (||truth||^2 +
    sigma^2 - <given, truth>_observed)/v and E[x_observed a] = (truth - given)_observed/v.
    """
    total = np.zeros(len(truth))
    for pattern in itertools.product((True, False), repeat=len(truth)):
        z = np.array(pattern)
        hidden = np.where(z, 0, given)
        v = sigma**2 + hidden @ hidden
        cross = np.where(z, truth - given, 0) / v
        y_slope = (truth @ truth + sigma**2 - np.where(z, given * truth, 0).sum()) / v
        first = np.where(z, truth, 0) + y_slope * hidden
        # K = diag(1-z) + x x^T + x n^T + n x^T with x the observed and n = a hidden
        second = at + cross * (hidden @ at) + hidden * (cross @ at)
        total += (1 - p) ** z.sum() * p ** (~z).sum() * (first - second)
    return total


def _missing_constants(rng: Random) -> Outcome:
    worst: dict[str, float] = {}
    below_one = True
    for ratio, big_l, sigma in ((0.5, 0.25, 1.0), (1.0, 0.25, 0.5), (2.0, 0.1, 1.0)):
        b = ratio**2 * (1 + big_l) ** 2
        limit = 1 / (1 + 2 * b + 2 * b**2)
        for share in (0.1, 0.9):
            p = share * limit
            gamma = (b + p * (1 + 2 * b + 2 * b**2)) / (1 + b)
            below_one = below_one and gamma < 1
            largest = 0.0
            for _ in range(60):
                truth, away = rng.standard_normal((2, int(rng.integers(1, 5))))
                truth *= ratio * sigma / np.linalg.norm(truth)
                away *= big_l * ratio * sigma * rng.random() / np.linalg.norm(away)
                beta = truth + away
                change = missing_gradient(beta, truth, truth, sigma, p) - missing_gradient(
                    beta, beta, truth, sigma, p
                )
                largest = max(largest, float(np.linalg.norm(change) / np.linalg.norm(away)))
            worst[f"r = {ratio}, p = {p:.3f}, gamma = {gamma:.3f}"] = largest / gamma
    exact = all(
        ((b + p * (1 + 2 * b + 2 * b**2)) / (1 + b) < 1) == (p * (1 + 2 * b + 2 * b**2) < 1)
        for b, p in itertools.product(_fractions(rng, 20), repeat=2)
    )
    return Outcome(
        max(worst.values()) <= 1 and below_one and exact,
        "checked by search",
        "gamma < 1 is the condition on p, exactly; exact enumeration of z, 60 random (beta*, "
        f"beta), d <= 4: Lipschitz ratio over gamma {_listed(worst, '.3f')}",
    )


def _missing_statistical_error(rng: Random) -> Outcome:
    n, d, tau, sigma, p, big_l = 500, 6, 0.05, 1.0, 0.1, 0.25
    truth, away = np.zeros(d), np.zeros(d)
    truth[0], away[:2] = 1.0, [0.1, 0.1]
    beta = truth + away
    expected = missing_gradient(beta, beta, truth, sigma, p)
    model = PrintedMissingCovariates(sigma, p)
    deviations = np.array(
        [
            np.abs(model.gradients(model.sample(truth, n, rng), beta).mean(0) - expected).max()
            for _ in range(280)
        ]
    )
    unit = (math.sqrt(2) * (1 + big_l) * (1 + big_l) ** 2 + max(2.0, (1 + big_l) ** 2)) * math.sqrt(
        (math.log(d) + math.log(12 / tau)) / n
    )
    below, confidence = _all_below(deviations, unit, tau)
    return Outcome(
        below,
        "Monte Carlo with confidence",
        f"eta = 1 (alpha carries a stray eta, as in Lemma A.1); n = {n}, d = {d}, p = {p}, r = 1, "
        f"L = {big_l}: largest of 280 deviations {deviations.max() / unit:.3f} alpha/C: C = 1 "
        "works",
        confidence=confidence,
    )


def _split_missing(rng: Random) -> Outcome:
    t, worst = 1.0, -math.inf
    for _ in range(100):
        beta = rng.standard_normal(3)
        sigma = float(rng.uniform(0.3, 2))
        x = 2 * rng.standard_normal((20, 3))
        z = rng.random((20, 3)) < 0.6
        y = 2 * rng.standard_normal((20, 1))
        hidden = np.where(z, 0, beta)
        slope = (y[:, 0] - np.where(z, x, 0) @ beta) / (sigma**2 + (hidden**2).sum(1))
        m = np.where(z, x, slope[:, None] * hidden)
        n = np.where(z, 0, m)
        right = np.zeros(20)
        for factor, vector in ((y, m), (n @ beta[:, None], n), (m @ beta[:, None], m)):
            cut = np.clip(factor, -t, t) * np.clip(vector, -t, t)
            right += np.linalg.norm(factor * vector - cut, axis=1)
        model, records = PrintedMissingCovariates(sigma), np.hstack([np.where(z, x, math.nan), y])
        change = model.gradients(records, beta) - model.truncated_gradients(records, beta, t)
        worst = max(worst, float((np.linalg.norm(change, axis=1) - right).max()))
    return Outcome(
        worst <= 1e-9,
        "checked by search",
        "y m - K beta against f_T, where (1-z) beta cancels: left minus right at most "
        f"{worst:.2g} on 2000 random records",
    )


def missing_range(b: Fraction, *, observed: bool) -> tuple[Fraction, Fraction]:
    """Return an enclosure of coordinate j of a record's f_T at T = 1, beta_j = b >= 0.

    Observed: (Pi(y) - Pi(<m, beta>)) Pi(x_j). Missing, with slope a: Pi(ab) (Pi(y) - Pi(y - a
    sigma^2) + Pi(aB)) - b, where the bracket has the sign of a and size at most 3.
    """
    if observed:
        values = [(y - fit) * x for y, fit, x in itertools.product((-1, 1), repeat=3)]
        return Fraction(min(values)), Fraction(max(values))
    # both factors have the sign of a, with b >= 0
    values = [first * second for first, second in itertools.product((0, 1), (0, 1, 2, 3))]
    return min(values) - b, max(values) - b


def _missing_sensitivity(b: Fraction) -> Fraction:
    """Return the largest change of a coordinate at T = 1, the worst over both kinds of record."""
    ranges = [missing_range(b, observed=kind) for kind in (True, False)]
    return max(high for _, high in ranges) - min(low for low, _ in ranges)


def _untruncated_term(rng: Random) -> Outcome:
    del rng
    model = PrintedMissingCovariates(math.sqrt(0.5))
    pair = np.array([[5.0, -1000.0, 5.0], [math.nan, 0.0, 0.0]])
    g = model.truncated_gradients(pair, np.array([8.0, 1.0]), 1.0)
    change = float(np.abs(g[0] - g[1]).max())
    # d = s-hat = 1, beta = 100, one record: x = 0, y = 0 against x missing, y = 0
    lone = np.array([[0.0, 0.0], [math.nan, 0.0]])
    h = model.truncated_gradients(lone, np.array([100.0]), 1.0)
    moved = float(abs(h[0, 0] - h[1, 0]))
    scale = printed_noise_scale(1.0, 1e-5, sparsity=1, sensitivity=6.0)
    delta = laplace_delta(moved / scale, 1.0)
    return _refuted(
        change > 6 and delta > 1e-5,
        "T = 1, sigma^2 = .5, beta = (8, 1), x = (5, -1000), y = 5 against x_1 missing, x_2 = y = "
        f"0: f_T = {g[0].tolist()} and {g[1].tolist()}, change {change:g} > 6; the noise is "
        f"conservative, so DP breaks later: d = s-hat = 1, beta = {moved:g}: delta(1) = "
        f"{delta:.3f} at (1, 1e-5)",
        {"T": 1.0, "beta": [8.0, 1.0], "change": change, "beta_dp": 100.0, "delta_at_1": delta},
    )


def _bounded_iterates(rng: Random) -> Outcome:
    formula = all(
        _missing_sensitivity(b) == max(Fraction(4), 5 - b, 2 + b)
        and (_missing_sensitivity(b) <= 6) == (b <= 4)
        for b in [Fraction(k, 8) for k in range(1, 80)]
    )
    largest = 0.0
    for _ in range(400):
        d = int(rng.integers(1, 4))
        beta = rng.uniform(-4, 4, d) * (rng.random(d) < 0.8)
        x = rng.standard_normal((60, d)) * np.exp(rng.uniform(-3, 5, (60, d)))
        x[rng.random((60, d)) < 0.5] = math.nan
        y = rng.standard_normal(60) * np.exp(rng.uniform(-3, 5, 60))
        sigma = float(np.exp(rng.uniform(-2, 1)))
        g = PrintedMissingCovariates(sigma).truncated_gradients(np.column_stack([x, y]), beta, 1.0)
        largest = max(largest, float(np.ptp(g, axis=0).max()))
    return Outcome(
        formula and largest <= 6 * _ROUNDED,
        "proved exactly",
        "coordinate ranges [-2T^2, 2T^2] (observed) and [-b, 3T^2-b] (missing, b = |beta_j|) give "
        "max(4T^2, 5T^2-b, 2T^2+b)/n0, at most 6T^2/n0 iff b <= 4T^2 (79 rational b); 400 random "
        f"batches with b <= 4T^2: largest change {largest:.4f} T^2",
    )


def _missing_subgaussian(rng: Random) -> Outcome:
    """Given z, m_beta is Gaussian: bound its covariance uniformly, by enumeration of z."""
    worst = 0.0
    for _ in range(40):
        d, ratio, big_l = int(rng.integers(1, 6)), float(rng.uniform(0.2, 2)), 0.25
        truth, away = rng.standard_normal((2, d))
        truth *= ratio / np.linalg.norm(truth)
        beta = truth + away * big_l * ratio / np.linalg.norm(away)
        claimed = (1 + math.sqrt(2) + math.sqrt(3) / 2 * big_l * ratio) ** 2
        for pattern in itertools.product((True, False), repeat=d):
            z = np.array(pattern)
            hidden = np.where(z, 0, beta)
            v = 1 + hidden @ hidden
            # a = (sum over hidden of x beta* + <x, beta* - beta>_observed + e)/v, m = x_obs + a hid
            slope = np.concatenate([np.where(z, truth - beta, truth), [1.0]]) / v
            loading = np.hstack([np.diag(z.astype(float)), np.zeros((d, 1))])
            loading = loading + np.outer(hidden, slope)
            worst = max(worst, float(np.linalg.norm(loading, 2) ** 2) / claimed)
    return Outcome(
        worst <= 1,
        "checked by search",
        "given z, m_beta = A(x, e) is Gaussian, so its proxy is the largest ||A||^2 over z, at "
        "most (1 + sqrt 2 + sqrt(3) Lr/2)^2: ||h||/(1+||h||^2) times the slope's norm; by "
        f"enumeration of z at most {worst:.3f} of that, 40 random (beta*, beta), d <= 5, SNR "
        ".2-2, sigma = 1",
    )


# ============================================================ rates of Theorems 4.4, 4.6, A.3, A.5


def _lost_half_power(constant: int, *, sparse: bool) -> Check:
    """Compare the last step's noise with the bound, in a regime where its other term is small.

    The last noise is independent of the rest and symmetric, so that with probability at least
    P(|W| > t)/2 the error exceeds t, for every t.
    """

    def check(rng: Random) -> Outcome:
        del rng
        found = {}
        with mp.workdps(30):
            for log_n in (10**2, 10**6, 10**10, 10**14):
                ell = mp.mpf(log_n)
                # n epsilon and sqrt(L) cancel; T = sqrt(l), N0 = l
                if sparse:
                    # the scale of a Laplace variable, s* = s-hat = 1 (a larger s-hat adds noise)
                    noise = constant * 2 * mp.sqrt(3) * ell**2
                    bound = ell ** (mp.mpf(1) / 4) * ell ** mp.mpf("1.5")
                else:
                    # E||W||_2^2 = d (sd)^2, over d
                    noise = mp.sqrt(2) * constant * ell**2
                    bound = ell ** mp.mpf("1.5")
                found[log_n] = float(noise / bound)
        values = list(found.values())
        name = "scale of one noise coordinate" if sparse else "root of E||W||^2"
        regime = (
            "s* = 1, log d = (log n)^(1/4), epsilon = n^(-3/4)" if sparse else "epsilon = n^(-3/4)"
        )
        return _refuted(
            values == sorted(values) and values[-1] > 10 * values[0],
            f"{regime}: {name} of the last step over the claimed privacy term, by log n: "
            f"{_listed(found, '.3g')}; unbounded, and the noise is symmetric about the rest, so "
            "for every C1 the bound fails with probability near 1/2; the other term is smaller by "
            "n^(-1/4) up to logarithms",
            {"log_n": list(found), "ratio": values},
        )

    return check


def _full_power(constant: int, *, sparse: bool) -> Check:
    def check(rng: Random) -> Outcome:
        worst = Fraction(0)
        for _ in range(100):
            s, t, n_iterations, log, n, epsilon, log_d = _fractions(rng, 7)
            sensitivity = constant * t**2 * n_iterations / n
            if sparse:  # s (log d)^2 b^2, from (17)
                noise = s * log_d**2 * sensitivity**2 * 12 * s * log / epsilon**2
                rate, factor = (s * log_d * t**2 * n_iterations / (n * epsilon)) ** 2 * log, 12
            else:  # d sd^2, with s for d and L for log(1.25/delta)
                noise = s * 2 * s * sensitivity**2 * log / epsilon**2
                rate, factor = (s * t**2 * n_iterations / (n * epsilon)) ** 2 * log, 2
            worst = max(worst, abs(noise / rate - factor * constant**2))
        ladder = "s* log d" if sparse else "d"
        return Outcome(
            worst == 0,
            "proved exactly",
            f"squared size of a step's noise over ({ladder} T^2 N0 sqrt(L)/(n epsilon))^2 is "
            "constant (100 rational cases), and T^2 N0 is of the order of (log n)^2; the privacy "
            "term only",
        )

    return check


# ============================================================================ low dimension


def _low_dimensional_privacy(rng: Random) -> Outcome:
    del rng
    d, t, epsilon = 5, 3.0, 6
    pair = np.array([[500.0, -3, -3, -3, -3], [-3.0, 500, 3, 3, 3]])
    g = GaussianMixture(1.0).truncated_gradients(pair, np.ones(d), t)
    reached = float(np.linalg.norm(g[0] - g[1])) / (2 * t * math.sqrt(d))
    share = interval("0.999")
    exact = gaussian_delta(
        share * epsilon / iv.sqrt(2 * iv.log(interval("12.5"))), interval(epsilon)
    )
    found = float(lower(exact))
    return _refuted(
        reached > 0.999 and found > 0.1,
        f"mixture, d = {d}, T = 3, beta = (1, ..., 1), y = (500, -3, ...) against (-3, 500, 3, "
        f"...): {reached:.6f} of the claimed sensitivity; there delta({epsilon}) >= {found:.5f} "
        "at (6, .1), by interval arithmetic",
        {"epsilon": epsilon, "delta": 0.1, "exact_at_least": found, "sensitivity_share": reached},
    )


def _low_dimensional_small(rng: Random) -> Outcome:
    exact = True
    for _ in range(100):
        eta, d, t, n_iterations, n, epsilon, log = _fractions(rng, 7)
        printed = 2 * eta**2 * d * (2 * t) ** 2 * n_iterations**2 * log / (n**2 * epsilon**2)
        squared_sensitivity = (eta * 2 * t * n_iterations / n) ** 2 * d
        exact = exact and printed == 2 * squared_sensitivity * log / epsilon**2
    worst = 0.0
    for epsilon_, delta in itertools.product((0.01, 0.1, 0.5, 1.0), 10.0 ** -np.arange(1, 13)):
        mu = epsilon_ / math.sqrt(2 * math.log(1.25 / delta))
        worst = max(worst, gaussian_dp_delta(mu, epsilon_) / delta)
    return Outcome(
        exact and worst <= 1,
        "checked by search",
        "the variance is 2 Delta^2 log(1.25/delta)/epsilon^2 with Delta = eta 2T sqrt(d) N0/n, "
        "identically; Proposition 2.4 for epsilon <= 1, disjoint batches; exact delta over delta "
        f"at most {worst:.4f} on 48 (epsilon, delta)",
    )


def _low_dimensional_rate(rng: Random) -> Outcome:
    worst, exact = Fraction(0), True
    for _ in range(100):
        mu, nu, gamma, radius = _fractions(rng, 4)
        mu, gamma = mu + nu, nu * Fraction(int(rng.integers(0, 100)), 100)
        eta, kappa = 2 / (mu + nu), 1 - (2 * nu - 2 * gamma) / (mu + nu)
        largest = (nu - gamma) * radius / 4  # of alpha and of xi
        exact = exact and eta * 2 * largest == (1 - kappa) / 2 * radius
        exact = exact and kappa * radius + 2 * (1 - kappa) / 2 * radius == radius
        noises = [(1 - kappa) / 2 * radius * Fraction(int(k), 10) for k in rng.integers(0, 11, 6)]
        error = radius / 2
        for t, noise in enumerate(noises, start=1):
            error = kappa * error + noise + eta * 2 * largest
            bound = kappa**t * radius / 2 + (max(noises) + eta * 2 * largest) / (1 - kappa)
            worst = max(worst, error / bound)
    return Outcome(
        exact and worst <= 1,
        "proved exactly",
        "eta(alpha+xi) <= (1-kappa)R/2 is an identity at the largest alpha, xi; with ||W_t|| <= "
        "(1-kappa)R/2 the ball is kept; the recursion (31) sums to (8): 100 rational runs, ratio "
        f"at most {float(worst):.4f}; mu + lambda is a misprint for mu + nu",
    )


def _chi_square_tail(rng: Random) -> Outcome:
    """Prove (c - log(1+c))/2 >= min(c, c^2)/8 for every c > 0; Chernoff's bound is the rest."""
    del rng
    middle = prove_nonnegative(lambda c: c - iv.log(1 + c) - c**2 / 4, [("0.05", 1)])
    # below 0.05: c - log(1+c) >= c^2/2 - c^3/3 >= c^2/4
    near = Fraction(1, 2) - Fraction(5, 100) / 3 >= Fraction(1, 4)
    # from 1 on the difference c - log(1+c) - c/4 increases: 3/4 >= 1/(1+c)
    far = lower(interval("0.75") - iv.log(interval(2))) > 0
    worst = max(
        float(chi2.sf((1 + c) * d, d)) / math.exp(-d * min(c, c**2) / 8)
        for d, c in itertools.product((1, 2, 5, 20, 100, 1000), (0.01, 0.1, 0.5, 1, 2, 5))
    )
    return Outcome(
        middle.proved and near and far and worst <= 1,
        "proved by interval arithmetic",
        f"Chernoff: exponent -d(c - log(1+c))/2; {middle.describe()} on [.05, 1], by series below, "
        f"by monotonicity above; exact tail over bound at most {worst:.4f} on 36 (d, c), c0 = 1",
    )


def _faster_rate(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        d, log, ell, n, epsilon = _fractions(rng, 5)
        other = d**2 / n * (log / epsilon) ** 2
        privacy = (d / (n * epsilon)) ** 2 * ell**3 * log
        worst = max(worst, abs(privacy / other - ell**3 / (n * log)))
        worst = max(worst, abs(d / n * ell**2 / other - (epsilon * ell / log) ** 2 / d))
    return Outcome(
        worst == 0,
        "proved exactly",
        "squared ratios of the two terms to d^2/n (L/epsilon)^2 are (log n)^3/(n L) and (epsilon "
        "log n/L)^2/d, identically (100 rational cases): both vanish for delta <= 1/n, epsilon <= "
        "1 and growing n, d",
    )


def _union_of_logs(rng: Random) -> Outcome:
    del rng
    c = 1.0
    found = {}
    for log_n in (10, 1000, 100_000):
        steps = log_n  # independent batches, each fails with probability C'/log n
        found[f"log n = {log_n}"] = -math.expm1(steps * math.log1p(-c / log_n))
    values = list(found.values())
    return _refuted(
        min(values) > 0.5 and values[-1] > 100 * c / 100_000,
        "N0 = log n fresh batches, each failing with probability C'/log n, C' = 1, independently: "
        f"some step fails with probability {_listed(found, '.4f')}, not C/log n",
        {"probabilities": found},
    )


def _union_of_squares(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(100):
        d, n, log_n, c, energy = _fractions(rng, 5)
        xi_square = d / n * log_n**2
        per_step = energy * d / n / xi_square  # Markov, E||.||^2 = energy d/n
        worst = max(worst, abs(c * log_n * per_step - c * energy / log_n))
    return Outcome(
        worst == 0,
        "proved exactly",
        "xi = sqrt(d/n) log n, within the stated rate: Markov gives C'/log^2 n per step and c C'/"
        "log n over N0 = c log n steps, identically (100 rational cases)",
    )


def _regression_l2(rng: Random) -> Outcome:
    d, t = 4, 2.0
    beta = np.array([1.0, -1.0, 0.0, 0.0])
    x = np.full((2, d), t)
    x[0, 0] += 1e-3
    x[1] = -x[1]
    x[1, 1] -= 1e-3
    pair = np.column_stack([x, np.full(2, 1e9)])
    ratios = {}
    for doubled in (True, False):
        model = DoubledRegressions(0.5) if doubled else MixtureOfRegressions(0.5)
        g = model.truncated_gradients(pair, beta, t)
        ratios[doubled] = float(np.linalg.norm(g[0] - g[1])) / (4 * t**2 * math.sqrt(d))
    largest = 0.0
    for _ in range(200):
        records = rng.standard_normal((30, d + 1)) * np.exp(rng.uniform(-3, 4, (30, d + 1)))
        g = DoubledRegressions(0.5).truncated_gradients(records, rng.standard_normal(d), t)
        largest = max(
            largest, float(np.linalg.norm(g[:, None] - g[None], axis=2).max()) / math.sqrt(d) / t**2
        )
    return Outcome(
        ratios[True] > 0.999
        and max(ratios[True], largest / 4) <= _ROUNDED
        and ratios[False] < 0.51,
        "checked by search",
        "by (25) in every coordinate; beta = (1, -1, 0, 0), x near +-(T, ..., T), y = 1e9: "
        f"{ratios[True]:.5f} of 4T^2 sqrt(d)/n0, with 2w - 1 {ratios[False]:.5f}; random pairs "
        f"{largest:.3f} T^2 sqrt(d)",
    )


def _missing_l2(rng: Random) -> Outcome:
    del rng
    pair = np.array([[5.0, -1000.0, 5.0], [math.nan, 0.0, 0.0]])
    g = PrintedMissingCovariates(math.sqrt(0.5)).truncated_gradients(
        pair, np.array([8.0, 1.0]), 1.0
    )
    change, claimed = float(np.linalg.norm(g[0] - g[1])), 6 * math.sqrt(2)
    return _refuted(
        change > claimed,
        f"d = 2, T = 1, beta = (8, 1), where 8 > 6 sqrt(2) - 2: change {change:.4f} > 6 sqrt(2) = "
        f"{claimed:.4f} (the pair of (28))",
        {"T": 1.0, "beta": [8.0, 1.0], "change": change, "claimed": claimed},
    )


def _missing_l2_bounded(rng: Random) -> Outcome:
    exact = all(_missing_sensitivity(Fraction(k, 16)) <= 6 for k in range(1, 65))
    largest = 0.0
    for _ in range(200):
        d = int(rng.integers(1, 5))
        beta = rng.uniform(-4, 4, d)
        x = rng.standard_normal((30, d)) * np.exp(rng.uniform(-3, 5, (30, d)))
        x[rng.random((30, d)) < 0.5] = math.nan
        y = rng.standard_normal(30) * np.exp(rng.uniform(-3, 5, 30))
        g = PrintedMissingCovariates(0.5).truncated_gradients(np.column_stack([x, y]), beta, 1.0)
        change = np.linalg.norm(g[:, None] - g[None], axis=2).max()
        largest = max(largest, float(change) / (6 * math.sqrt(d)))
    return Outcome(
        exact and largest <= _ROUNDED,
        "proved exactly",
        "||beta||_inf <= 4T^2: every coordinate changes by at most 6T^2/n0 (64 rational |beta_j|); "
        f"random pairs reach {largest:.3f} of 6T^2 sqrt(d)/n0",
    )


# =================================================================== sub-Gaussian truncation


def _any_order(rng: Random) -> Outcome:
    del rng
    found = [_scaled_truncation(1.0, k) for k in (3, 7, 40)]
    with mp.workdps(20):
        # the last step of (78): 2 int (t-T) exp(-t^2/2sigma^2) dt <= 2 exp(-T^2/2sigma^2)
        third = {
            (s, a): (
                float(
                    mp.quad(lambda t, s=s, a=a: 2 * (t - a) * mp.exp(-(t**2) / (2 * s**2)), [a, 90])
                ),
                float(2 * mp.exp(-(mp.mpf(a) ** 2) / (2 * s**2))),
            )
            for s, a in ((2, 1), (5, 0))
        }
    variance = 0.05 * 0.95
    tail = math.exp(-(0.949**2) / (2 * variance))
    return _refuted(
        found[-1] > 100 and all(x > y for x, y in third.values()) and tail < 0.05,
        "T = sigma sqrt(log n), normal X: n E(Pi_T(X)-X)^2 = "
        f"{', '.join(f'{v:.3g}' for v in found)} at n = 1e3, 1e7, 1e40; (78) loses sigma^2: "
        + ", ".join(f"{x:.4g} > {y:.4g} (sigma = {s}, T = {a})" for (s, a), (x, y) in third.items())
        + f"; (76) with the variance: X+.05 ~ Bernoulli(.05), P(X > .949) = .05 > {tail:.2g}",
        {"n_error": found, "sigma_2_T_1": list(third[2, 1]), "bernoulli": [0.05, tail]},
    )


def _proxy_and_root_two(rng: Random) -> Outcome:
    worst = [0.0, 0.0, 0.0]
    with mp.workdps(25):
        for sigma, t in rng.uniform([0.2, 0.0], [4, 9], (12, 2)).tolist():
            s = mp.mpf(sigma)
            e = mp.exp(-(mp.mpf(t) ** 2) / (2 * s**2))
            points = [t, t + 2 * s, t + 8 * s, t + 30 * s]
            second = mp.quad(lambda x, s=s, t=t: 2 * (x - t) * mp.exp(-(x**2) / (2 * s**2)), points)
            fourth = mp.quad(
                lambda x, s=s, t=t: 4 * (x - t) ** 3 * mp.exp(-(x**2) / (2 * s**2)), points
            )
            worst[0] = max(worst[0], float(second / (2 * s**2 * e)))
            worst[1] = max(worst[1], float(fourth / (4 * s**2 * (t**2 + 2 * s**2) * e)))
        for sigma, log_n in rng.uniform([0.2, 1], [4, 60], (50, 2)).tolist():
            t = sigma * mp.sqrt(2 * log_n)
            error = 2 * _excess(t, mp.mpf(sigma), 4)
            bound = 16 * mp.mpf(sigma) ** 4 * (log_n + 1) * mp.exp(-log_n)
            worst[2] = max(worst[2], float(error / bound))
    return Outcome(
        max(worst) <= 1 + 1e-12,
        "checked at high precision",
        "T >= sigma sqrt(2 log n), sigma^2 the variance proxy: tails give E(.)^2 <= 4 sigma^2/n "
        f"and E(.)^4 <= 16 sigma^4 (log n + 1)/n; integrals over bounds at most {worst[0]:.4f}, "
        f"{worst[1]:.4f} (12 random sigma, T), normal fourth moment {worst[2]:.4f}",
    )


def _product_truncation(rng: Random) -> Outcome:
    scaled = []
    with mp.workdps(25):
        for log10_n in (2, 4, 8, 16, 64):
            n = mp.mpf(10) ** log10_n
            size = mp.mpf(2)  # of y; x has 1
            t = size * mp.sqrt(2 * mp.log(n))
            second = [2 * _excess(t, sigma) for sigma in (size, mp.mpf(1))]
            fourth = [2 * _excess(t, sigma, 4) for sigma in (size, mp.mpf(1))]
            terms = t**2 * second[0] + mp.sqrt(fourth[0] * fourth[1]) + t**2 * second[1]
            # 36 (sum of second moments)/xi^2, times log n log d, with xi^2 = (s log d/n) log^2 n
            scaled.append(float(36 * terms * n / mp.log(n)))
    worst = 0.0
    for _ in range(500):
        x, y, t = rng.standard_normal(4) * 3, float(rng.standard_normal() * 3), rng.exponential(2.0)
        left = np.linalg.norm(y * x - np.clip(y, -t, t) * np.clip(x, -t, t))
        cut_y, cut_x = abs(np.clip(y, -t, t) - y), np.linalg.norm(np.clip(x, -t, t) - x)
        worst = max(worst, float(left - (t * 2 * cut_y + cut_y * cut_x + t * cut_x)))
    return Outcome(
        worst <= 1e-12 and scaled == sorted(scaled, reverse=True),
        "checked at high precision",
        "fixed S, T >= sigma sqrt(2 log n) for the larger proxy: (81) exceeded by at most "
        f"{worst:.2g} on 500 vectors; Chebyshev's 36 E/xi^2 times log n log d is "
        f"{', '.join(f'{v:.3g}' for v in scaled)} at n = 1e2 ... 1e64 (normal, sigma_y = 2): "
        "bounded",
    )


# ================================================================================ section 6.3


def _misclassification(epsilon: float, s: int, runs: int, rng: Random) -> FloatArray:
    """Return the test errors of Algorithm 3 as in section 6.3, T = 2.39, sigma = 1."""
    features, labels = load_breast_cancer(return_X_y=True)
    features = (features - features.mean(0)) / features.std(0)
    signs = np.where(labels == 0, 1.0, -1.0)  # malignant is +
    t, eta, n_iterations, n = 2.39, 0.5, 50, 296
    errors = []
    for _ in range(runs):
        dropped = rng.choice(np.flatnonzero(signs < 0), 145, replace=False)
        kept = rng.permutation(np.setdiff1d(np.arange(len(signs)), dropped))
        x, z = features[kept] - features[kept].mean(0), signs[kept]
        batches = np.array_split(np.arange(n), n_iterations)
        beta = np.full(30, 1 / math.sqrt(30))
        for batch in batches:
            step = beta + eta * GaussianMixture(1.0).truncated_gradients(x[batch], beta, t).mean(0)
            beta = noisy_hard_thresholding(
                step, sparsity=s, sensitivity=2 * eta * t * n_iterations / n, epsilon=epsilon,
                delta=1 / (2 * n), ledger=Ledger(rng),
            ).vector  # fmt: skip
        errors.append(float((np.sign(x[n:] @ beta) != z[n:]).mean()))
    return np.array(errors)


def _table_3(rng: Random) -> Outcome:
    printed = {(0.5, 5): 0.08, (0.5, 15): 0.07, (0.2, 15): 0.10}
    runs, found, errors = 24, {}, []
    for (epsilon, s), claimed in printed.items():
        errors.append(_misclassification(epsilon, s, runs, rng).mean())
        found[f"epsilon = {epsilon}, s-hat = {s}"] = (float(errors[-1]), claimed)
    # Hoeffding for errors in [0, 1]
    margin = math.sqrt(math.log(1 / ALPHA) / (2 * runs * len(printed)))
    below = float(np.mean(errors)) - margin
    scales = {
        epsilon: printed_noise_scale(epsilon, 1 / 592, sparsity=5, sensitivity=50 / 296)
        for epsilon in (0.5, 0.2)
    }
    return _refuted(
        below > max(printed.values()) and min(scales.values()) > 6,
        f"50 batches of 5-6 records: Laplace scale at s-hat = 5 {_listed(scales, '.3g')} times T "
        "per coordinate against a signal of at most T; mean error "
        + ", ".join(
            f"{mean:.2f} for the printed {claimed} ({key})"
            for key, (mean, claimed) in found.items()
        )
        + f"; {runs} runs each, T = 2.39, sigma = 1; pooled at least {below:.2f} by Hoeffding",
        {"mean_errors": {key: mean for key, (mean, _) in found.items()}, "scales": scales},
    )


def _preprocessing(rng: Random) -> Outcome:
    n, t, beta = 296, 2.39, np.array([1.0, 1.0])
    data = rng.standard_normal((n, 2)) + rng.choice([-2.0, 2.0], (n, 1))
    neighbour = data.copy()
    neighbour[0] = 1e6
    batch = slice(6, 12)  # it does not contain record 0
    means = []
    for records in (data, neighbour):
        scaled = (records - records.mean(0)) / records.std(0)
        means.append(GaussianMixture(1.0).truncated_gradients(scaled[batch], beta, t).mean(0))
    change = float(np.abs(means[0] - means[1]).max())
    return _refuted(
        change > 0.1,
        f"n = {n}, record 0 moved to 1e6, standardised: the gradient of the batch of records 6-11, "
        f"which does not contain it, changes by {change:.3f}; Lemma 3.3 needs 0 (disjoint batches)",
        {"n": n, "record": 0, "value": 1e6, "change_of_another_batch": change},
    )


def _start_sparsity(rng: Random) -> Outcome:
    del rng
    nonzero = int(np.count_nonzero(np.full(30, 1 / math.sqrt(30))))
    largest = max((5, 10, 15))
    return _refuted(
        nonzero > largest,
        f"||beta^0||_0 = {nonzero} > s-hat = {largest}; harmless for privacy",
        {"nonzero": nonzero, "s_hat": largest},
    )


# ================================================================================== the ledger

_FRAMEWORK = ("zhang-2", "zhang-3", "zhang-5", "zhang-6")
_MIXTURE = ("zhang-3",)
_REGRESSIONS = ("zhang-5", "zhang-7")
_MISSING = ("zhang-6", "zhang-8")


def _unchecked(
    number: str, lines: str, kind: Kind, formula: str, reason: str, *ids: str
) -> Statement:
    return Statement(
        "002", number, lines, formula, kind, "not checkable", reason=reason, algorithms=ids
    )


def _true(number: str, lines: str, kind: Kind, formula: str, check: Check, *ids: str) -> Statement:
    return Statement("002", number, lines, formula, kind, "true", check, algorithms=ids)


STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "002",
        "Algorithms 2-8, step 4",
        "138-146, 239-246, 379-386, 569-576, 604-611, 664-671, 690-697",
        "every iteration sums over i = 1, ..., n/N0, and the whole is (epsilon, delta)-DP",
        "composition",
        "false",
        _reused_batch,
        reason="no batch index: read literally the first n/N0 records are used N0 times (misprint)",
        corrected="sum over the t-th of N0 disjoint batches, as the text (l.136) and Lemma 3.3 say",
        corrected_check=_fresh_batches,
        algorithms=_FRAMEWORK,
        errata=(("zhang-2", 1),),
    ),
    _true(
        "(33)", "959-960", "sensitivity", "||f_T - f_T'||_inf <= 2T N0/n if ||h_T||_inf <= T",
        _generic_sensitivity, *_FRAMEWORK,
    ),
    _unchecked(
        "Conditions 3.4-3.5", "160-172", "assumption",
        "Lipschitz-Gradient(gamma, B); mu-smooth, nu-strongly concave",
        "assumptions; for the models they are Lemmas 4.1, A.1, A.2", *_FRAMEWORK,
    ),
    _unchecked(
        "Condition 3.6", "174-180", "assumption",
        "fixed s-sparse beta: P(||grad Q - grad Q_n||_inf > alpha) <= tau",
        "an assumption; for the models it is Lemmas 4.1, A.1, A.2", *_FRAMEWORK,
    ),
    _unchecked(
        "Condition 3.7", "182-190", "assumption",
        "P(||grad Q_n - f_T(grad Q_n)||_2 > xi) <= phi(xi)",
        "an assumption; with the full norm the models do not meet it (Lemma 4.1, truncation); the "
        "proofs use it restricted to the selected set", *_FRAMEWORK,
    ),
    Statement(
        "002",
        "Theorem 3.8",
        "196-209, 778",
        "s* log d (log n)^{3/2}/n = o(1) makes ||W_Lap||_2 = o(1), and then (3) holds",
        "utility",
        "false",
        _lost_budget,
        reason="the condition lacks sqrt(log(1/delta))/epsilon (Theorems 4.2-4.6 repeat it)",
        corrected="s* log d sqrt(log(1/delta)) (log n)^{3/2}/(n epsilon) = o(1) makes it o(1)",
        corrected_check=_with_budget,
        algorithms=_FRAMEWORK,
        errata=(("zhang-2", 2),),
    ),
    _true(
        "Remark after (3)", "209", "remark",
        "s* log d (log n)^2 log(1/delta)/(n epsilon^2) = o(1): the privacy term is negligible",
        _free_privacy, *_FRAMEWORK,
    ),
    _true(
        "(14)-(15)", "748-759", "optimisation",
        "||beta^{t+1} - beta*|| <= ||(step - ideal)_S|| + ||ideal_S - beta*|| + ||W_Lap||; the "
        "first <= eta xi + eta sqrt(s-hat) alpha",
        _triangle_splits, *_FRAMEWORK,
    ),
    _true(
        "(18)-(19)", "770-776", "concentration",
        "max_t ||W_Lap^t||_2^2 <= C1 (s* log d)^2 log(1/delta) log n/(n0 epsilon)^2",
        _noise_order, *_FRAMEWORK,
    ),
    _true(
        "(20)-(21)", "780-787", "optimisation",
        "s-hat >= 16 (1/kappa-1)^-2 s* => (1+4 sqrt(s*/s-hat))^{1/2} kappa <= sqrt(kappa); "
        "(1-sqrt kappa)^2 R + sqrt(kappa) R <= R",
        _kappa_algebra, *_FRAMEWORK,
    ),
    Statement(
        "002",
        "(22)",
        "791-792",
        "||beta^t - beta*|| <= c alpha + kappa^{t/2} ||beta^t - beta*|| + c xi + K2 (privacy term)",
        "optimisation",
        "false",
        _iterated_printed,
        reason="beta^t stands on the right for beta^0 (misprint; (3) has beta^0)",
        corrected="with kappa^{t/2} ||beta^0 - beta*|| on the right",
        corrected_check=_iterated,
        algorithms=_FRAMEWORK,
    ),
    Statement(
        "002",
        "Lemma B.1",
        "728-738, 1098-1276",
        "||bbar^{t+1} - beta*|| <= (1+4 sqrt(s*/s-hat))^{1/2} ||bbar^{t+.5} - beta*|| + K1 sqrt(s*/"
        "(1-L)) eta alpha, with high probability",
        "optimisation",
        "false",
        _dropped_noise,
        reason="the selection noise W and xi are dropped between (57) and (58)",
        corrected="with (1+sqrt 2) sqrt(s*) eta alpha + (1+1/sqrt 2) eta xi + 2 sqrt(2W) added, "
        "for s-hat >= 4 s*, surely",
        corrected_check=_lemma_b1_with_noise,
        algorithms=_FRAMEWORK,
        errata=(("zhang-2", 3),),
    ),
    _true(
        "(47)-(49)", "1100-1119", "optimisation",
        "(1-L) ||beta*|| <= ||bbar|| <= (1+L) ||beta*||; Delta^2 <= 1 - ||thbar_I3||^2",
        _split_of_delta, *_FRAMEWORK,
    ),
    Statement(
        "002",
        "(54)",
        "1155-1157",
        "Delta^2 <= 1 - (sqrt(s3/((1+c0) s1)) ||thbar_I1|| - sqrt(s3) epsilon-tilde)^2",
        "optimisation",
        "false",
        _squared_bracket,
        reason="the bracket may be negative, and its square then says nothing about ||thbar_I3||",
        corrected="with the positive part of the bracket",
        corrected_check=_positive_part,
        algorithms=_FRAMEWORK,
    ),
    Statement(
        "002",
        "(55)",
        "1159-1163",
        "there is c0 > 0 with c0 <= min(s* s3/(s-hat s1) - 1, (2 sqrt(s*/s1) - 1)^2 - 1)",
        "optimisation",
        "false",
        _no_constant,
        reason="the minimum is 0 if no coordinate of the support is selected, about 1/s* if one is",
        corrected="for every c > 0: ||thbar_I1|| <= sqrt((1+c) s*/s-hat) sqrt(1-Delta^2) + "
        "sqrt((1+c) s1) epsilon-tilde",
        corrected_check=_slack_constant,
        algorithms=_FRAMEWORK,
        errata=(("ledger:002 (55)", 1),),
    ),
    _true(
        "(59)-(65)", "1190-1219", "optimisation",
        "Delta >= (1-L)/(1+L), so the right-hand side of (58) is at most Delta",
        _cosine_bounds, *_FRAMEWORK,
    ),
    _true(
        "(66)-(73)", "1221-1265", "optimisation",
        "<bbar^{t+1}, beta*> >= <bbar^{t+.5}, beta*> - (sqrt a + a) ||.||^2 - (1+2 sqrt a) ||.|| y "
        "- y^2, y = 2 eta alpha sqrt(s*/(1-L))",
        _inner_products, *_FRAMEWORK,
    ),
    _true(
        "(56)", "1165-1177", "concentration",
        "W <= c1 (s* log d)^2 L (log n)^3/(n epsilon)^2 and sqrt(s1) W1 <= c1' s* log d L "
        "(log n)^{3/2}/(n epsilon) w.h.p.",
        _selection_noise, *_FRAMEWORK,
    ),
    Statement(
        "002",
        "(74)",
        "1267-1270",
        "(73) gives ||bbar^{t+1} - beta*||^2 <= (1 + sqrt a + a) ||.||^2 + (1 + 2 sqrt a) ||.|| y "
        "+ y^2",
        "optimisation",
        "false",
        _halved_expansion,
        reason="||x||^2 - 2<x, beta*> doubles the terms of (73)",
        corrected="(1 + 2 sqrt a + 2a) ||.||^2 + 2 (1 + 2 sqrt a) ||.|| y + 2 y^2",
        corrected_check=_full_expansion,
        algorithms=_FRAMEWORK,
        errata=(("ledger:002 (74)", 1),),
    ),
    _true(
        "Lemma B.2", "740-744", "optimisation",
        "||bbar^{t+.5} - beta*|| <= (1 - 2(nu-gamma)/(nu+mu)) ||beta^t - beta*||",
        _contraction, *_FRAMEWORK,
    ),
    _true(
        "Lemma B.3", "893-897", "optimisation",
        "0 <= gamma < nu <= mu, eta = 2/(mu+nu): one gradient EM step contracts by 1 - "
        "(2nu-2gamma)/(mu+nu)",
        _contraction, "zhang-4", "zhang-7", "zhang-8",
    ),
    # ---------------------------------------------------------------------- Gaussian mixture
    Statement(
        "002",
        "Section 4.1, weight",
        "231",
        "w_beta(y) = 1/(1 + exp(-<beta, y>/sigma^2)) is the posterior of model (4)",
        "identity",
        "false",
        _mixture_weight,
        reason="the exponent lacks a factor 2: beta* is not a fixed point of the population map",
        corrected="w_beta(y) = 1/(1 + exp(-2<beta, y>/sigma^2)); then M(beta*) = beta*",
        corrected_check=_mixture_posterior,
        algorithms=("zhang-3", "zhang-4"),
        errata=(("zhang-3", 1),),
    ),
    _true(
        "Lemma 4.1, constants", "254-256, 985-997", "assumption",
        "gamma = exp(-C phi^2), mu = nu = 1 on the ball R = ||beta*||/4",
        _mixture_constants, "zhang-3", "zhang-4",
    ),
    _true(
        "Lemma 4.1, statistical error", "257", "concentration",
        "alpha = C1 (||beta*||_inf + sigma) sqrt((log d + log(2/tau))/n)",
        _mixture_statistical_error, "zhang-3",
    ),
    Statement(
        "002",
        "Lemma 4.1, truncation",
        "258-262",
        "T of the order of sqrt(log n): ||grad Q - f_T||_2 <= C2 sqrt(s* log d log n/n) w.h.p.",
        "concentration",
        "false",
        _unbounded_truncation_error,
        reason="the full norm grows with d; only a norm restricted to a few coordinates is bounded",
        corrected="T >= ||beta*||_inf + 2 sigma sqrt(log(nd)) truncates nothing, with probability "
        "at least 1 - 1/(nd)",
        corrected_check=_no_truncation,
        algorithms=_MIXTURE,
        errata=(("ledger:002 Lemma 4.1", 1),),
    ),
    Statement(
        "002",
        "(34)-(35)",
        "999-1011",
        "E||(Pi_T(Y)-Y)_S||^2 = sum over j in S of E(Pi_T(Y_j)-Y_j)^2 for the selected set S",
        "concentration",
        "false",
        _adaptive_set,
        reason="S is selected on the same batch, so it is not fixed given the records",
        corrected="for the T that truncates nothing, whatever S",
        corrected_check=_no_truncation,
        algorithms=_MIXTURE,
        errata=(("ledger:002 Lemma 4.1", 1),),
    ),
    _true(
        "(36)", "1015-1020", "identity",
        "E(Pi_T(Y_j)-Y_j)^2 = int_{T+b} (z-b-T)^2 f + int_{T-b} (z+b-T)^2 f, b = beta_j",
        _truncation_moment, *_MIXTURE,
    ),
    Statement(
        "002",
        "(37)",
        "1024-1026",
        "int_a (z-a)^2 f = (1/2) int_0 P(Z >= a+t) t dt",
        "identity",
        "false",
        _fubini_printed,
        reason="the inner integrand is 2t, not t/2",
        corrected="2 int_0 P(Z >= a+t) t dt",
        corrected_check=_fubini_repaired,
        algorithms=_MIXTURE,
        errata=(("ledger:002 (36)-(39)", 1),),
    ),
    Statement(
        "002",
        "(38)-(39)",
        "1028-1036",
        "P(Z >= x) <= exp(-x^2/2sigma^2); int_a (z-a)^2 f <= 2 sigma^2 exp(-a^2/2sigma^2), a = "
        "T+-b",
        "concentration",
        "false",
        _negative_distance,
        reason="both fail for a < 0, i.e. T < |beta_j|",
        corrected="true for T >= |beta_j|, with 1/2 for 2",
        corrected_check=_non_negative_distance,
        algorithms=_MIXTURE,
        errata=(("ledger:002 (36)-(39)", 1),),
    ),
    Statement(
        "002",
        "Choice of T",
        "1038",
        "T = c sigma sqrt(log n) gives E(Pi_T(Y_j)-Y_j)^2 = O(1/n)",
        "concentration",
        "false",
        _any_constant,
        reason="c < sqrt 2 is too small, and |beta_j| must be added",
        corrected="T >= |beta_j| + sigma sqrt(2 log n): at most sigma^2/n",
        corrected_check=_large_constant,
        algorithms=_MIXTURE,
        errata=(("ledger:002 choice of T", 1),),
    ),
    _true(
        "(23)", "802-805", "sensitivity", "||f_T - f_T'||_inf <= 2T N0/n",
        _mixture_sensitivity, *_MIXTURE,
    ),
    _true(
        "(24)", "809-811", "utility",
        "(sqrt(s-hat) + c1 sqrt(s*/(1-L))) alpha/(1-sqrt kappa) <= C sqrt(s* log d log n/n)",
        _statistical_order, *_MIXTURE,
    ),
    _true(
        "(26)-(27), (29)-(30), (42), (46)", "817-819, 847-853, 881-887, 1068, 1094",
        "concentration",
        "failure C'/(log d log n) per step: C''/log d over N0 = O(log n) steps",
        _union_over_steps, "zhang-3", "zhang-5", "zhang-6",
    ),
    Statement(
        "002",
        "Theorem 4.2",
        "266-272",
        "||beta-hat - beta*|| <= C sqrt(s* log d log n/n) + C1 s* log d sqrt(log(1/delta)) "
        "(log n)^{3/2}/(n epsilon)",
        "utility",
        "false",
        _error_floor(gaussian=False),
        reason="with the printed weight the error does not tend to 0",
        corrected="with the exact weight",
        corrected_check=_rate_met(gaussian=False),
        algorithms=_MIXTURE,
        errata=(("zhang-3", 1),),
    ),
    _true(
        "Proposition 4.3", "278-284", "lower bound",
        "mixture: inf_M sup_{||b||_0 <= s*} E||M-b|| >= c (sqrt(s* log d/n) + s* log d/(n "
        "epsilon))",
        _vacuous, *_MIXTURE,
    ),
    Statement(
        "002",
        "Remarks after Propositions 4.3, 4.5, 5.6 and Theorem A.4",
        "284, 326, 437, 712",
        "comparing upper and lower bounds, the algorithms are minimax optimal up to logarithms",
        "remark",
        "false",
        _optimality,
        reason="P_b = P_-b: the lower bounds' minimax risk is infinite, private or not",
        corrected="a ball around a known point has a bound that says something: sigma/(4 sqrt n), "
        "without privacy",
        corrected_check=_local_two_points,
        algorithms=("zhang-3", "zhang-4", "zhang-5", "zhang-7"),
        errata=(("zhang-u1", 1),),
    ),
    Statement(
        "002",
        "Proofs of Propositions 4.3, 4.5",
        "827-829, 861-863",
        "the model without hidden variable is the special case Z = 1, so its risk is not larger",
        "lower bound",
        "false",
        _special_case,
        reason="Z is a fair sign, not a parameter",
        corrected="flip every record by its own fair sign: exactly the mixture, per record, so "
        "that the mixture's risk is at least the mean's",
        corrected_check=_random_flips,
        algorithms=("zhang-3", "zhang-5"),
        errata=(("zhang-u1", 2),),
    ),
    # ------------------------------------------------------------------ mixture of regressions
    Statement(
        "002",
        "Section 4.2, weight",
        "298",
        "w_beta(x, y) = 1/(1 + exp(-y<beta, x>/sigma^2)) is the posterior of model (6)",
        "identity",
        "false",
        _regression_weight,
        reason="the exponent lacks a factor 2: the population fixed point is not beta*",
        corrected="w_beta(x, y) = 1/(1 + exp(-2y<beta, x>/sigma^2)); then M(beta*) = beta*",
        corrected_check=_regression_posterior,
        algorithms=_REGRESSIONS,
        errata=(("zhang-5", 2), ("zhang-7", 1)),
    ),
    Statement(
        "002",
        "Section 4.2, gradient",
        "302, 306, 580",
        "grad Q_n(beta; beta) = (1/n) sum 2 w y x - x x^T beta",
        "identity",
        "false",
        _doubled_gradient,
        reason="the gradient of the printed Q_n has 2w - 1 for 2w; the noise of mean(yx) is added",
        corrected="(1/n) sum (2w - 1) y x - x x^T beta",
        corrected_check=_single_gradient,
        algorithms=_REGRESSIONS,
        errata=(("zhang-5", 1), ("zhang-7", 1)),
    ),
    Statement(
        "002",
        "(25), third line",
        "840-842",
        "|| 2w y~ x~ - c~ x~ - (2w' y~' x~' - c~' x~') || <= ||y~ x~ - y~' x~'|| + ||c~ x~ - c~' "
        "x~'||",
        "sensitivity",
        "false",
        _regression_step,
        reason="the factor 2w, up to 2, is dropped",
        corrected="the two terms together are at most 2T^2 per record, by the sign of y<x, beta>",
        corrected_check=_regression_sensitivity,
        algorithms=_REGRESSIONS,
        errata=(("zhang-5", 5),),
    ),
    _true(
        "(25)", "839-843", "sensitivity", "||f_T - f_T'||_inf <= 4T^2 N0/n",
        _regression_sensitivity, *_REGRESSIONS,
    ),
    _true(
        "Lemma A.1, constants", "584-590", "assumption",
        "SNR large: gamma in (0, 1/4), mu = nu = 1 on the ball R = ||beta*||/32",
        _regression_constants, *_REGRESSIONS,
    ),
    _true(
        "Lemma A.1, statistical error", "591-593", "concentration",
        "alpha = C eta max(||beta*||^2 + sigma^2, 1, sqrt(s-hat) ||beta*||) sqrt((log d + "
        "log(4/tau))/n)",
        _regression_statistical_error, *_REGRESSIONS,
    ),
    Statement(
        "002",
        "(41)",
        "1062-1064",
        "MRM: ||grad Q_n - f_T|| <= mean ||(y x - Pi(y) Pi(x))_S|| + mean ||(x x^T beta - ...)_S||",
        "optimisation",
        "false",
        _split_doubled,
        reason="the printed gradient has 2w y x, with 2w up to 2",
        corrected="true for the gradient with 2w - 1",
        corrected_check=_split_single,
        algorithms=_REGRESSIONS,
    ),
    Statement(
        "002",
        "Theorem 4.4",
        "310-316",
        "MRM: error <= C sqrt(s* log d/n) log n + C1 s* log d sqrt(log(1/delta)) (log n)^{3/2}/"
        "(n epsilon)",
        "utility",
        "false",
        _lost_half_power(4, sparse=True),
        reason="T^2 N0 is of the order of (log n)^2, not (log n)^{3/2}",
        corrected="privacy term s* log d sqrt(log(1/delta)) (log n)^2/(n epsilon)",
        corrected_check=_full_power(4, sparse=True),
        algorithms=("zhang-5",),
        errata=(("zhang-5", 3),),
    ),
    _true(
        "Proposition 4.5", "320-326", "lower bound",
        "MRM: inf_M sup_{||b||_0 <= s*} E||M-b|| >= c (sqrt(s* log d/n) + s* log d/(n epsilon))",
        _vacuous, "zhang-5",
    ),
    # -------------------------------------------------------------------- missing covariates
    Statement(
        "002",
        "Section 4.3, K_beta",
        "341",
        "K_beta = diag(1-z) + m m^T - [(1-z) m][(1-z) m]^T is E[x x^T | observed, y]",
        "identity",
        "false",
        _printed_moment,
        reason="the missing block lacks m m^T - b b^T/(sigma^2+||b||^2): not the EM gradient",
        corrected="diag(1-z) + m m^T - [(1-z) beta][(1-z) beta]^T/(sigma^2 + ||(1-z) beta||^2)",
        corrected_check=_conditional_moment,
        algorithms=_MISSING,
        errata=(("zhang-6", 2),),
    ),
    Statement(
        "002",
        "(28)",
        "873-877",
        "||f_T - f_T'||_inf <= 6T^2 N0/n, so that Algorithm 6 is (epsilon, delta)-DP",
        "sensitivity",
        "false",
        _untruncated_term,
        reason="(1-z) beta is not truncated and left out, and beta is never projected",
        corrected="max(4T^2, 5T^2-|beta_j|, 2T^2+|beta_j|) N0/n; at most 6T^2 N0/n iff |beta_j| <= "
        "4T^2",
        corrected_check=_bounded_iterates,
        algorithms=("zhang-6",),
        errata=(("zhang-6", 1),),
    ),
    _true(
        "Lemma A.2, constants", "621-628", "assumption",
        "b = r^2 (1+L)^2, p < 1/(1+2b+2b^2): gamma = (b + p(1+2b+2b^2))/(1+b) < 1",
        _missing_constants, *_MISSING,
    ),
    _true(
        "Lemma A.2, statistical error", "629-631", "concentration",
        "alpha = C eta [sqrt(s-hat) ||beta*||^2 (1+L)(1+Lr)^2 + max(...)] sqrt((log "
        "d+log(12/tau))/n)",
        _missing_statistical_error, *_MISSING,
    ),
    _true(
        "(43)-(45)", "1078-1082", "optimisation",
        "RMC: ||grad Q_n - f_T|| <= the means of ||(Pi(y) Pi(m) - y m)_S||, ||(Pi(n) Pi(u) - n "
        "u)_S|| and ||(Pi(m) Pi(<m, beta>) - m <m, beta>)_S||",
        _split_missing, *_MISSING,
    ),
    _true(
        "Lemma C.3", "1086-1088", "concentration", "m_beta(x, y) is a sub-Gaussian vector",
        _missing_subgaussian, *_MISSING,
    ),
    Statement(
        "002",
        "Theorem 4.6",
        "355-361",
        "RMC: error <= C sqrt(s* log d/n) log n + C1 s* log d sqrt(log(1/delta)) (log n)^{3/2}/"
        "(n epsilon)",
        "utility",
        "false",
        _lost_half_power(6, sparse=True),
        reason="T^2 N0 is of the order of (log n)^2, not (log n)^{3/2}",
        corrected="privacy term s* log d sqrt(log(1/delta)) (log n)^2/(n epsilon)",
        corrected_check=_full_power(6, sparse=True),
        algorithms=("zhang-6",),
        errata=(("zhang-5", 3),),
    ),
    _unchecked(
        "Proposition 4.7", "365-371", "lower bound",
        "RMC: inf_M sup_{||b||_0 <= s*} E||M-b|| >= c (sqrt(s* log d/n) + s* log d/(n epsilon))",
        "no proof is given; deleting entries reduces it to sparse regression, whose bound is cited",
        "zhang-6",
    ),
    # ------------------------------------------------------------------------- low dimension
    Statement(
        "002",
        "Lemma 5.1",
        "387-389",
        "Algorithm 4 is (epsilon, delta)-DP",
        "privacy",
        "false",
        _low_dimensional_privacy,
        reason="no limit on epsilon, as in Proposition 2.4; no proof is given",
        corrected="true for epsilon <= 1",
        corrected_check=_low_dimensional_small,
        algorithms=("zhang-4",),
        errata=(("zhang-4", 1),),
    ),
    _unchecked(
        "Conditions 5.2-5.3", "393-405", "assumption",
        "||grad Q - grad Q_n||_2 <= alpha, ||grad Q_n - f_T||_2 <= xi with high probability",
        "assumptions", "zhang-4", "zhang-7", "zhang-8",
    ),
    _true(
        "Theorem 5.4", "409-417, 901-924", "utility",
        "||beta^t - beta*|| <= kappa^t R/2 + C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) + "
        "eta(xi+alpha)/(1-kappa)",
        _low_dimensional_rate, "zhang-4",
    ),
    _true(
        "(32)", "909-911", "concentration",
        "P(||W_t||^2 >= sigma^2 (1+c) d) <= c0 exp(-min(c^2, c) d/8)", _chi_square_tail, "zhang-4",
    ),
    Statement(
        "002",
        "Theorem 5.5",
        "423-427",
        "mixture: error <= C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) + eta/(1-kappa) "
        "sqrt(d/n) log n",
        "utility",
        "false",
        _error_floor(gaussian=True),
        reason="with the printed weight the error does not tend to 0",
        corrected="with the exact weight",
        corrected_check=_rate_met(gaussian=True),
        algorithms=("zhang-4",),
        errata=(("zhang-3", 1),),
    ),
    _true(
        "Remark after Theorem 5.5", "429", "remark",
        "the rate is faster than O(sqrt(d^2/n) log(1/delta)/epsilon)", _faster_rate, "zhang-4",
    ),
    Statement(
        "002",
        "Proof of Theorem 5.5",
        "932-936",
        "xi = sqrt(d log n/n) fails with probability C'/log n per step, hence C/log n for all t",
        "concentration",
        "false",
        _union_of_logs,
        reason="fresh batches: over N0 = O(log n) steps the failures add up to a constant",
        corrected="xi = sqrt(d/n) log n: C'/log^2 n per step, C/log n over all",
        corrected_check=_union_of_squares,
        algorithms=("zhang-4",),
        errata=(("zhang-4", 2),),
    ),
    _true(
        "Proposition 5.6", "431-435", "lower bound",
        "mixture: inf_M sup_b E||M-b|| >= c (sqrt(d/n) + d sqrt(log(1/delta))/(n epsilon))",
        _vacuous, "zhang-4",
    ),
    _true(
        "Algorithm 7", "664-673", "sensitivity",
        "the noise is calibrated to the l2-sensitivity 4T^2 sqrt(d) N0/n",
        _regression_l2, "zhang-7",
    ),
    Statement(
        "002",
        "Theorem A.3",
        "675-679",
        "MRM: error <= C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) + eta/(1-kappa) sqrt(d/n) "
        "(log n)^{3/2}",
        "utility",
        "false",
        _lost_half_power(4, sparse=False),
        reason="T^2 N0 is of the order of (log n)^2, not (log n)^{3/2}; proof omitted",
        corrected="privacy term d sqrt(log(1/delta)) (log n)^2/(n epsilon)",
        corrected_check=_full_power(4, sparse=False),
        algorithms=("zhang-7",),
        errata=(("zhang-5", 3), ("zhang-7", 1)),
    ),
    _true(
        "Theorem A.4", "680-684", "lower bound",
        "MRM: inf_M sup_b E||M-b|| >= c (sqrt(d/n) + d/(n epsilon))", _vacuous, "zhang-7",
    ),
    Statement(
        "002",
        "Algorithm 8",
        "690-699",
        "the l2-sensitivity is 6T^2 sqrt(d) N0/n",
        "sensitivity",
        "false",
        _missing_l2,
        reason="(1-z) beta is not truncated, and beta is never projected",
        corrected="true if |beta_j| <= 4T^2 for every j",
        corrected_check=_missing_l2_bounded,
        algorithms=("zhang-8",),
        errata=(("zhang-8", 1),),
    ),
    Statement(
        "002",
        "Theorem A.5",
        "701-705",
        "RMC: error <= C d (log n)^{3/2} sqrt(log(1/delta))/(n epsilon) + eta/(1-kappa) sqrt(d/n) "
        "(log n)^{3/2}",
        "utility",
        "false",
        _lost_half_power(6, sparse=False),
        reason="T^2 N0 is of the order of (log n)^2, not (log n)^{3/2}; proof omitted",
        corrected="privacy term d sqrt(log(1/delta)) (log n)^2/(n epsilon)",
        corrected_check=_full_power(6, sparse=False),
        algorithms=("zhang-8",),
        errata=(("zhang-5", 3),),
    ),
    _unchecked(
        "Theorem A.6", "706-710", "lower bound",
        "RMC: inf_M sup_b E||M-b|| >= c (sqrt(d/n) + d/(n epsilon))",
        "no proof is given; deleting entries reduces it to regression, whose bound is cited",
        "zhang-8",
    ),
    # ------------------------------------------------------------------- truncation, appendix C
    Statement(
        "002",
        "Lemma C.1",
        "1048-1050, 1280-1310",
        "mean 0, variance sigma^2, T = O(sigma sqrt(log n)): E(Pi_T(X)-X)^2 = O(1/n), fourth "
        "moment O(log n/n)",
        "concentration",
        "false",
        _any_order,
        reason="needs T >= sigma sqrt(2 log n) and the variance proxy; (78) loses a factor sigma^2",
        corrected="T >= sigma sqrt(2 log n), sigma^2 the proxy: 4 sigma^2/n, 16 sigma^4 (log "
        "n+1)/n",
        corrected_check=_proxy_and_root_two,
        algorithms=("zhang-5", "zhang-6"),
        errata=(("ledger:002 Lemma C.1", 1),),
    ),
    _true(
        "Lemma C.2", "1052-1058, 1312-1341", "concentration",
        "(1/n0) sum ||(y x - Pi_T(y) Pi_T(x))_S|| <= C sqrt(s log d/n) log n, fixed S, w.p. 1 - m0/"
        "(log n log d)",
        _product_truncation, "zhang-5", "zhang-6",
    ),
    # -------------------------------------------------------------------------- experiments
    _unchecked(
        "Sections 6.1, 6.2, A.3", "443-478, 637-654", "experiment",
        "Figures 1, 2 and 4: errors against n, s*, d and epsilon",
        "the figures' numbers are not in the text; T, N0, s-hat and beta^0 are not stated",
        "zhang-3", "zhang-4", "zhang-5",
    ),
    Statement(
        "002",
        "Table 3",
        "484-492",
        "50 iterations, epsilon = .5 (.2): misclassification .08, .07, .07 (.14, .12, .10)",
        "experiment",
        "false",
        _table_3,
        reason="the noise of Algorithm 3 with 50 batches is several times any signal: chance level",
        algorithms=_MIXTURE,
        errata=(("zhang-u4", 1),),
    ),
    Statement(
        "002",
        "Section 6.3, preprocessing",
        "484",
        "standardise, balance by label, subtract the mean, run Algorithm 3: (epsilon, delta)-DP",
        "experiment",
        "false",
        _preprocessing,
        reason="the preprocessing uses the data without noise",
        algorithms=_MIXTURE,
        errata=(("zhang-u4", 2),),
    ),
    Statement(
        "002",
        "Section 6.3, initialisation",
        "486",
        "beta^0 = (1, ..., 1)/sqrt(30) with s-hat in {5, 10, 15} meets step 2 of Algorithm 3",
        "experiment",
        "false",
        _start_sparsity,
        reason="step 2 asks for ||beta^0||_0 <= s-hat",
        algorithms=_MIXTURE,
        errata=(("zhang-u4", 3),),
    ),
)  # fmt: skip
