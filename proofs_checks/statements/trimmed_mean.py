"""Seed 004, section 3.2: Mechanism M (Algorithm 3.2.6) and the lemmas about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
from mpmath import mp
from scipy.special import log_ndtr, logsumexp, ndtr

from proofs_checks.old_statement import Outcome, Statement
from reference.errata.heavy_tailed.trimmed_mean import printed
from reference.heavy_tailed.trimmed_mean import (
    LARGEST_EPSILON,
    smooth_sensitivity,
    trim_count,
)
from reference.privacy.guarantees import zcdp_delta
from reference.privacy.ledger import RecordingLedger
from reference.privacy.mechanisms import SmoothSensitivity

ARSINH_NORMAL_SD = math.sqrt((math.e**2 - 1) / 2)
"""Standard deviation 1.7873 of sinh(Y), Y ~ N(0, 1)."""

# --------------------------------------------------------------- Definition 3.2.3, Lemma 3.2.6


def _renyi_definition(rng: np.random.Generator) -> Outcome:
    """Compare the printed moment under P with the usual integral of P^alpha Q^(1-alpha)."""
    cases = 0
    for _ in range(200):
        p = [Fraction(int(k)) for k in rng.integers(1, 30, 4)]
        q = [Fraction(int(k)) for k in rng.integers(1, 30, 4)]
        p, q = ([x / sum(side) for x in side] for side in (p, q))
        for alpha in (2, 3, 7):
            printed = sum(x * (x / y) ** (alpha - 1) for x, y in zip(p, q, strict=True))
            usual = sum(x**alpha / y ** (alpha - 1) for x, y in zip(p, q, strict=True))
            if printed != usual or printed < 1:
                return Outcome(
                    False, "refuted with witness", "the two forms differ or the divergence is < 0",
                    {"P": [float(x) for x in p], "Q": [float(x) for x in q], "alpha": alpha},
                )  # fmt: skip
            cases += 1
    return Outcome(
        True,
        "proved exactly",
        f"equal to the usual form and >= 0 in exact rationals, {cases} laws and orders",
    )


def _conversion(rng: np.random.Generator) -> Outcome:
    """Markov's inequality: P(L > x) <= exp((alpha - 1)(D_alpha - x)), with D_alpha <= alpha rho.

    At x = rho + 2 sqrt(rho log(1/delta)) and alpha - 1 = sqrt(log(1/delta)/rho) the exponent is
    -log(1/delta). With r = sqrt(rho), q = sqrt(log(1/delta)) that is an identity between
    polynomials of degree 2 in each, after multiplication by r.
    """
    grid = [Fraction(k, 2) for k in range(1, 5)]
    identity = all(
        (q / r) * ((1 + q / r) * r**2 - (r**2 + 2 * r * q)) == -(q**2)
        for r, q in product(grid, grid)
    )
    # the Gaussian pair: delta <= Phi(mu/2 - x/mu) = Phi(-sqrt(2 log(1/delta)))
    worst = max(
        float(np.exp(log_ndtr(-math.sqrt(2 * q)) + q)) for q in (1e-6, 0.1, 1.0, 10.0, 300.0)
    )
    return Outcome(
        identity and worst <= 1,
        "proved exactly",
        "the exponent at the optimal order is -log(1/delta), an exact identity; for the Gaussian "
        f"pair the true delta is at most {worst:.3f} of the bound",
    )


# --------------------------------------------------------------------- Theorem 3.2.3, privacy


def _sketch(n: int, record: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    data = np.zeros(n)
    data[-1] = record
    return data


def _printed_scale(data: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """S as Mechanism M is printed at m = 20, epsilon = 1, [a, b] = [-1, 1]."""
    ledger = RecordingLedger(0)
    printed(data, epsilon=1.0, lower=-1.0, upper=1.0, trim=20, ledger=ledger)
    mechanism = ledger.transcript.releases[0].mechanism
    assert isinstance(mechanism, SmoothSensitivity)
    return mechanism.smooth_bound


def needed_delta(first: float, second: float, epsilon: float) -> tuple[float, float]:
    """Return the largest P'(|out| > x) - e^epsilon P(|out| > x) over x, and its x.

    The mean is 0 on both sides, the scales are 4 ``first`` (P) and 4 ``second`` (P'), and
    |out| > x means |Y| > arsinh(x/scale).
    """
    x = np.geomspace(1e-2, 1e6, 4001)
    inside = 2 * ndtr(-np.arcsinh(x / (4 * second)))
    outside = 2 * np.exp(epsilon + log_ndtr(-np.arcsinh(x / (4 * first))))
    best = int(np.argmax(inside - outside))
    return float((inside - outside)[best]), float(x[best])


def _printed_scale_refuted(rng: np.random.Generator) -> Outcome:
    n, record = 100, 1e6
    scales = tuple(_printed_scale(_sketch(n, r)) for r in (0.0, record))
    allowed = math.exp(1 / 16)
    by_epsilon = {e: needed_delta(scales[0], scales[1], e) for e in (1.0, 10.0)}
    claimed = zcdp_delta(0.5, 10.0)
    return Outcome(
        not by_epsilon[10.0][0] > claimed,
        "refuted with witness",
        f"n=100, m=20, epsilon=1, [-1,1], zeros vs one record 1e6: S = {scales[0]:.4f} vs "
        f"{scales[1]:.0f}, ratio {scales[1] / scales[0]:.0f} against e^t = {allowed:.4f}; delta at "
        f"epsilon 1 is at least {by_epsilon[1.0][0]:.4f} (|out| > {by_epsilon[1.0][1]:.1f}), at 10 "
        f"{by_epsilon[10.0][0]:.4f} (|out| > {by_epsilon[10.0][1]:.0f}); 1/2-zCDP allows "
        f"{claimed:.2g} at 10",
        {
            "n": n,
            "m": 20,
            "epsilon": 1.0,
            "a": -1.0,
            "b": 1.0,
            "record": record,
            "S": scales[0],
            "S'": scales[1],
            "event": f"|out| > {by_epsilon[10.0][1]:.6g}",
            "delta at 10": by_epsilon[10.0][0],
        },
    )


def smooth_violation(x: Sequence[float], y: Sequence[float], m: int, t: float) -> float:
    """Return max(|log S - log S'|/t, |f - f'|/min(S, S')) for [a, b] = [0, 2]."""
    first, second = (
        smooth_sensitivity(side, trim=m, smoothness=t, lower=0.0, upper=2.0) for side in (x, y)
    )
    means = [
        min(max(float(np.mean(np.sort(side)[m : len(side) - m])), 0.0), 2.0) for side in (x, y)
    ]
    ratio = abs(math.log(first / second)) / t
    return max(ratio, abs(means[0] - means[1]) / min(first, second))


def _exact_scale(rng: np.random.Generator) -> Outcome:
    """Check that S^t is t-smooth and bounds the change of the mean.

    Why it is: replace one record of x, giving y, and let p > q be positions with
    x_(p) - x_(q) = (n - 2m) A_k. The record that left was not both at or above x_(p) and at or
    below x_(q); in the first case y_(q) <= x_(q) and y_(p+1) >= x_(p), otherwise y_(p) >= x_(p)
    and y_(q-1) <= x_(q). Either way A_k(x) <= A_(k+1)(y).
    """
    worst = 0.0
    pairs = 0
    for n, m in ((5, 1), (5, 2)):
        for old in combinations_with_replacement((-3.0, 0.0, 1.0, 4.0), n):
            for index, new in product(range(n), (-3.0, 0.0, 1.0, 4.0)):
                y = [*old[:index], new, *old[index + 1 :]]
                worst = max(worst, smooth_violation(old, y, m, 0.3))
                pairs += 1
    for _ in range(1000):
        n = int(rng.integers(5, 60))
        m = int(rng.integers(1, (n - 1) // 2 + 1))
        x = list(rng.standard_t(1, n) * 10 ** rng.uniform(-3, 3))
        y = list(x)
        y[int(rng.integers(n))] = float(rng.choice([-1e9, 0.0, 1e9, rng.normal()]))
        worst = max(worst, smooth_violation(x, y, m, float(rng.choice([0.01, 0.0625, 1.0]))))
        pairs += 1
    return Outcome(
        worst <= 1 + 1e-9,
        "checked by search",
        f"largest max(|log S/S'|/t, |f - f'|/S) over {pairs} pairs (all data sets on a grid of 4 "
        f"values for n = 5; random and extreme ones to n = 59): {worst:.12f}",
    )


# ------------------------------------------------------------------ Theorem 3.2.3, the noise


def arsinh_normal_divergence(alpha: float, shift: float, log_scale: float, nodes: int) -> float:
    """Renyi divergence of order alpha of sinh(Y) from e^u sinh(Y) + shift.

    The trapezoidal rule in y = arsinh(x), where the integrand is analytic with Gaussian decay:
    the error falls exponentially in the number of nodes.
    """
    # the integrand is about exp(-(y - c)^2/2) with |c| <= (alpha - 1)|u| + O(1)
    reach = (alpha - 1) * abs(log_scale) + 45.0
    y = np.linspace(-reach, reach, nodes)
    x = np.sinh(y)
    z = (x - shift) * math.exp(-log_scale)
    log_p = -0.5 * y**2 - np.log(np.cosh(y))
    log_q = -0.5 * np.arcsinh(z) ** 2 - np.log(np.hypot(1.0, z)) - log_scale
    # dx = cosh(y) dy
    log_integrand = alpha * log_p + (1 - alpha) * log_q + np.log(np.cosh(y))
    total = logsumexp(log_integrand) + math.log(y[1] - y[0]) - 0.5 * math.log(2 * math.pi)
    return float(total) / (alpha - 1)


def divergence_ratio(epsilon: float, nodes: int = 4001) -> float:
    """Return the largest D_alpha/(alpha epsilon^2/2) on a grid of orders, shifts and scales."""
    t, s = epsilon**2 / 16, epsilon / 4
    worst = 0.0
    for alpha in (1.001, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0, 10_000.0):
        if alpha * t > 640:
            continue
        for log_scale, share in product((-t, 0.0, t), (0.0, 0.5, 1.0)):
            # |f - f'| <= min(S, S'), in units of S/s
            shift = share * s * math.exp(min(log_scale, 0.0))
            divergence = arsinh_normal_divergence(alpha, shift, log_scale, nodes)
            worst = max(worst, divergence / (alpha * epsilon**2 / 2))
    return worst


def _noise_constants(rng: np.random.Generator) -> Outcome:
    inside = {e: divergence_ratio(e) for e in (0.01, 0.1, 0.5, 1.0)}
    beyond = {e: divergence_ratio(e) for e in (2.0, 4.0, 8.0, LARGEST_EPSILON, 16.0)}
    finer = divergence_ratio(1.0, nodes=8001)
    exact = _divergence_at_30_digits(2.0, 0.25 * math.exp(-1 / 16), -1 / 16)
    quadrature = arsinh_normal_divergence(2.0, 0.25 * math.exp(-1 / 16), -1 / 16, 4001)
    error = max(abs(finer / inside[1.0] - 1), abs(quadrature / exact - 1))
    return Outcome(
        max(inside.values()) <= 1 and beyond[LARGEST_EPSILON] <= 1 < beyond[16.0] and error < 1e-8,
        "checked at high precision",
        "largest D_alpha/(alpha epsilon^2/2) over 11 orders in (1, 1e4], both scales and three "
        "shifts: "
        + ", ".join(f"{r:.4f} at epsilon {e:g}" for e, r in (inside | beyond).items())
        + f"; relative error of the quadrature {error:.1g}",
    )


def _divergence_at_30_digits(alpha: float, shift: float, log_scale: float) -> float:
    with mp.workdps(30):
        a, c, u = mp.mpf(alpha), mp.mpf(shift), mp.mpf(log_scale)

        def density(x: mp.mpf) -> mp.mpf:
            return mp.npdf(mp.asinh(x)) / mp.sqrt(1 + x**2)

        def integrand(y: mp.mpf) -> mp.mpf:
            x = mp.sinh(y)
            p, q = density(x), density((x - c) * mp.exp(-u)) * mp.exp(-u)
            return p**a * q ** (1 - a) * mp.cosh(y)

        return float(mp.log(mp.quad(integrand, [-30, -5, 0, 5, 30])) / (a - 1))


# ----------------------------------------------------------------------- (3.83), Lemma 3.2.7


def _split_error(rng: np.random.Generator) -> Outcome:
    """(x + y)^2 <= 2 x^2 + 2 y^2, since 2 x^2 + 2 y^2 - (x + y)^2 = (x - y)^2."""
    grid = [Fraction(k) for k in range(-2, 3)]
    identity = all(
        2 * x**2 + 2 * y**2 - (x + y) ** 2 == (x - y) ** 2 for x, y in product(grid, grid)
    )
    return Outcome(
        identity, "proved exactly", "constant 2: the difference is the square (x - y)^2, exactly"
    )


def _clipping_reduces_error(rng: np.random.Generator) -> Outcome:
    """Prove (x - mu)^2 - (a - mu)^2 = (a - x)((a - x) + 2 (mu - a)) >= 0 for x <= a <= mu.

    The case x >= b is its mirror image, and inside [a, b] nothing is clipped.
    """
    grid = [Fraction(k, 2) for k in range(-3, 4)]
    identity = all(
        (x - mu) ** 2 - (a - mu) ** 2 == (a - x) * ((a - x) + 2 * (mu - a))
        for x, mu, a in product(grid, grid, grid)
    )
    mirrored = all(
        (x - mu) ** 2 - (b - mu) ** 2 == (x - b) * ((x - b) + 2 * (b - mu))
        for x, mu, b in product(grid, grid, grid)
    )
    a, b = -0.5, 1.25
    x = rng.standard_normal(10_000) * 3
    mu = rng.uniform(a, b, 10_000)
    excess = float(((np.clip(x, a, b) - mu) ** 2 - (x - mu) ** 2).max())
    return Outcome(
        identity and mirrored and excess <= 0,
        "proved exactly",
        "the difference is a product of non-negative factors, exactly; largest excess over 10000 "
        f"random points {excess:.3g}",
    )


# ------------------------------------------------------------------------------- (3.84)


def floor_variance(m: int, epsilon: float, width: float) -> float:
    """Variance of the noise if the data contribute nothing: (16/eps^2)((e^2-1)/2) e^{-2mt} w^2."""
    return 16 / epsilon**2 * ARSINH_NORMAL_SD**2 * math.exp(-2 * m * epsilon**2 / 16) * width**2


def _constant_trim(rng: np.random.Generator) -> Outcome:
    epsilon, width, m = 1.0, 2.0, 5
    sizes = (1e3, 1e6, 1e9)
    variance = floor_variance(m, epsilon, width)
    ratios = [variance / (math.log(n) / (n * epsilon**2)) for n in sizes]
    return Outcome(
        not ratios[-1] > 1e4 * ratios[0],
        "refuted with witness",
        f"m=5, epsilon=1, b-a=2: the noise's standard deviation is at least "
        f"{math.sqrt(variance):.3f} at every n; over the bound with tau = 1: "
        + ", ".join(f"{r:.3g} (n={n:.0e})" for r, n in zip(ratios, sizes, strict=True)),
        {
            "m": m,
            "epsilon": epsilon,
            "width": width,
            "ratio": dict(zip(sizes, ratios, strict=True)),
        },
    )


def _growing_trim(rng: np.random.Generator) -> Outcome:
    """Check the floor: m >= (16/eps^2) log(n w/sigma) makes e^{-mt} w <= sigma/n."""
    worst = 0.0
    for epsilon, width, deviation in product((0.1, 0.5, 1.0), (0.1, 2.0, 1e4), (0.01, 1.0)):
        for n in (10**5, 10**7, 10**9):
            m = trim_count(n, epsilon, lower=0.0, upper=width, standard_deviation=deviation)
            bound = 16 / epsilon**2 * ARSINH_NORMAL_SD**2 * deviation**2 / n**2
            worst = max(worst, floor_variance(m, epsilon, width) / bound)
    return Outcome(
        worst <= 1 + 1e-9,
        "checked by search",
        f"variance of the floor over (16/eps^2)(e^2-1)/2 sigma^2/n^2 is at most {worst:.4f} on 54 "
        "parameters; the data's part is measured in the scaling audit",
    )


# --------------------------------------------------------------------------- Lemma 3.2.8

Sample = tuple[Fraction, ...]


def trimmed_extremes(n: int, m: int, t: Fraction) -> Fraction:
    """Largest |Trim_m| over all x in [-1, 1]^n with |mean| <= t; exact.

    For sorted x it is a linear programme, so it is attained at a vertex: p entries -1, then q
    equal ones, then 1s, with the sum at +-nt unless q = 0.
    """
    best = Fraction(0)
    for p in range(n + 1):
        for q in range(n - p + 1):
            for level in _levels(n, p, q, t):
                x = [Fraction(-1)] * p + [level] * q + [Fraction(1)] * (n - p - q)
                if abs(sum(x, Fraction(0))) <= n * t:
                    best = max(best, abs(sum(x[m : n - m], Fraction(0))) / (n - 2 * m))
    return best


def _levels(n: int, p: int, q: int, t: Fraction) -> list[Fraction]:
    if q == 0:
        return [Fraction(0)]
    rest = Fraction(n - p - q - p)
    candidates = [(sign * n * t - rest) / q for sign in (-1, 1)]
    return [level for level in candidates if -1 <= level <= 1]


def _one_sided_event(rng: np.random.Generator) -> Outcome:
    n, m, s, t = 5, 1, 1, Fraction(1, 10)
    x = [Fraction(-1)] * n  # mu = 0: mean - mu = -1 < t and max |x_i - mu| = 1
    trimmed = abs(sum(x[m : n - m], Fraction(0))) / (n - 2 * m)
    bound = (n * t + m * s) / (n - 2 * m)
    return Outcome(
        trimmed <= bound,
        "refuted with witness",
        f"five records at mu - 1, m=1, s=1, t=0.1: outside both printed events, but |Trim - mu| = "
        f"{trimmed} > (nt + ms)/(n - 2m) = {bound}",
        {"n": n, "m": m, "s": s, "t": float(t), "x - mu": [-1.0] * n},
    )


def _two_sided_event(rng: np.random.Generator) -> Outcome:
    """Prove the tails by Chernoff and the deterministic bound at the vertices.

    Tails in r = t/v: the exponent is r^2/2 for r <= 1 (lambda = r/v), r - 1/2 >= r/2 beyond
    (lambda = 1/v), and min(r/2, r^2/2) is the smaller of the printed two.
    """
    grid = [Fraction(k, 2) for k in range(2, 9)]
    beyond = all((r - Fraction(1, 2)) - r / 2 == (r - 1) / 2 >= 0 for r in grid)
    tightest = Fraction(0)
    cases = 0
    for n in range(3, 13):
        for m in range((n - 1) // 2 + 1):
            for t in (Fraction(0), Fraction(1, 20), Fraction(1, 4), Fraction(2, 3), Fraction(1)):
                bound = (n * t + m) / (n - 2 * m)
                reached = trimmed_extremes(n, m, t)
                if reached > bound:
                    return Outcome(
                        False, "refuted with witness", "trimmed mean beyond the bound",
                        {"n": n, "m": m, "t": float(t), "reached": float(reached)},
                    )  # fmt: skip
                tightest = max(tightest, reached / bound if bound else Fraction(0))
                cases += 1
    return Outcome(
        beyond,
        "proved exactly",
        f"tails by Chernoff; |Trim - mu| <= (nt + ms)/(n - 2m) at every "
        f"vertex, exact rationals, {cases} cases n = 3..12 (largest share {float(tightest):.4f})",
    )


def _trimmed_set(rng: np.random.Generator) -> Outcome:
    n, m = 5, 1
    deviations = [1] * n
    trimmed = deviations[:m] + deviations[n - m :]
    left, right = abs(sum(trimmed)), m * max(deviations)
    return Outcome(
        left <= right,
        "refuted with witness",
        f"five equal records, m=1: the trimmed set has 2m elements, |sum| = {left} > {right}",
        {"n": n, "m": m, "x - mu": deviations},
    )


def _trimmed_set_corrected(rng: np.random.Generator) -> Outcome:
    worst = 0.0
    for _ in range(2000):
        n = int(rng.integers(3, 12))
        m = int(rng.integers(1, (n - 1) // 2 + 1))
        x = np.sort(rng.uniform(-2, 2, n))
        trimmed = abs(float(x[:m].sum() + x[n - m :].sum()))
        worst = max(worst, trimmed / (2 * m * float(np.abs(x).max())))
    return Outcome(
        worst <= 1,
        "checked by search",
        f"|sum over T| is at most {worst:.4f} of 2 m max|x_i - mu| over 2000 random data sets; it "
        "is a sum of 2m terms",
    )


# ------------------------------------------------------------------------------ the ledger

_M = ("diss-3.2.6",)

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "004",
        "Theorem 3.2.3",
        "1489-1491",
        "Algorithm 3.2.6 with S = max{(x_(n)-x_(1))/(n-2m), e^{-mt}(b-a)} is epsilon^2/2-zCDP",
        "privacy",
        "false",
        _printed_scale_refuted,
        reason="S is an upper bound of the smooth sensitivity, but not itself t-smooth",
        corrected="with S = max{e^{-mt}(b-a), max_{k<m} e^{-kt} min(b-a, A_k)}: log S changes by "
        "at most t, and the clipped trimmed mean by at most S",
        corrected_check=_exact_scale,
        algorithms=_M,
        errata=(("diss-3.2.6", 1),),
    ),
    Statement(
        "004",
        "Theorem 3.2.3, noise law",
        "1505-1515",
        "D_alpha(Z || e^{u} Z + c) <= alpha epsilon^2/2 for Z = sinh(Y), |u| <= epsilon^2/16, "
        "|c| <= epsilon/4, 0 < epsilon <= 1",
        "privacy",
        "true",
        _noise_constants,
        algorithms=_M,
    ),
    Statement(
        "004",
        "Definition 3.2.3",
        "1756-1760",
        "D_alpha(P || Q) = log E_{X~P}[(P(X)/Q(X))^{alpha-1}]/(alpha-1) <= rho alpha for alpha > 1",
        "definition",
        "true",
        _renyi_definition,
        algorithms=_M,
    ),
    Statement(
        "004",
        "Lemma 3.2.6",
        "1764",
        "epsilon^2/2-zCDP => (epsilon^2/2 + epsilon sqrt(2 log(1/delta)), delta)-DP",
        "composition",
        "true",
        _conversion,
        algorithms=_M,
    ),
    Statement(
        "004",
        "(3.83)",
        "1774-1778",
        "E(M - mu)^2 <= O((Trim_m - mu)^2 + E(S Z/s)^2)",
        "utility",
        "true",
        _split_error,
        algorithms=_M,
    ),
    Statement(
        "004",
        "Lemma 3.2.7",
        "1780-1782",
        "a <= mu <= b => ([X]_[a,b] - mu)^2 <= (X - mu)^2",
        "approximation",
        "true",
        _clipping_reduces_error,
        algorithms=_M,
    ),
    Statement(
        "004",
        "(3.84)",
        "1784-1788",
        "E(S Z/s)^2 <= O(tau^2 dT log(n)/(n epsilon^2)) with m, a, b = O(1)",
        "utility",
        "false",
        _constant_trim,
        reason="S >= e^{-mt}(b-a), a constant when m is one",
        corrected="with m >= (16/epsilon^2) log(n (b-a)/sigma) < n/2 the floor of the variance is "
        "at most (16/epsilon^2) ((e^2-1)/2) sigma^2/n^2",
        corrected_check=_growing_trim,
        algorithms=_M,
        errata=(("diss-3.2.6", 2), ("diss-3.2.7", 2)),
    ),
    Statement(
        "004",
        "Lemma 3.2.8",
        "1794-1812",
        "outside {mean - mu >= t} and {max |x_i - mu| >= s}: |Trim_m - mu| <= (nt + ms)/(n - 2m)",
        "concentration",
        "false",
        _one_sided_event,
        reason="the first event is printed without absolute value (its factor 2 fits two sides)",
        corrected="outside {|mean - mu| >= t}, of probability <= 2 exp(-n min{t/2v, t^2/2v^2}), "
        "and {max |x_i - mu| >= s}: |Trim_m - mu| <= (nt + ms)/(n - 2m)",
        corrected_check=_two_sided_event,
        algorithms=("diss-3.2.7",),
    ),
    Statement(
        "004",
        "Lemma 3.2.8, proof",
        "1812",
        "|sum over the trimmed set of (x_i - mu)| <= m max |x_i - mu|",
        "concentration",
        "false",
        _trimmed_set,
        reason="the trimmed set has 2m elements",
        corrected="<= 2m max |x_i - mu| (the lemma's bound holds all the same)",
        corrected_check=_trimmed_set_corrected,
        algorithms=("diss-3.2.7",),
        errata=(("diss-3.2.7", 5),),
    ),
)
