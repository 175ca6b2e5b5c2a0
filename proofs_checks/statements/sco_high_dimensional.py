"""Seed 003: every numbered statement on high-dimensional optimisation with heavy-tailed data.

Definitions 1-8, Assumptions 1-4, (1)-(11), Lemmas 1-3, Theorems 1-9, Corollary 1, Remarks 1-4 and
the claims of the running text that can be computed; Algorithm 4 is with the other statements on
peeling. The seed has no proofs, so what is proved here is derived here: the concentration of the
robust mean (4) with explicit constants, the rates behind the theorems up to logarithms, and the
lower bound.

Notation: s scale of the truncation, b precision of the smoothing (the seed's beta), tau or v a
bound on second moments, W = ||W||_1 the l1 diameter, log is natural. In the rates, n stands for
n epsilon, l for log(d/zeta) and the like, L for log(1/delta).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, product
from typing import Any

import numpy as np
from mpmath import iv, mp
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.special import log_expit, log_softmax, ndtr
from scipy.stats import binom

from proofs_checks.intervals import (
    Interval,
    Subdivision,
    interval,
    maximum,
    prove_nonnegative,
    upper,
)
from proofs_checks.old_statement import Outcome, Statement
from proofs_checks.statements.em import closed_form
from reference._validation import FloatArray
from reference.errata.sparse.peeling import printed_noise_scale
from reference.heavy_tailed.private_mean import constants_for_lemma_1
from reference.heavy_tailed.truncation import (
    mean_sensitivity,
    smoothed_truncation,
    truncated_mean,
    truncation_bound,
)
from reference.losses import Biweight, Logistic, Ridge, SquaredDistance, SquaredError
from reference.privacy.accounting import Charge, Composition
from reference.privacy.guarantees import zcdp_delta, zcdp_epsilon
from reference.privacy.mechanisms import Laplace, NoisyMax

Random = np.random.Generator
_SQRT2 = math.sqrt(2)
_LIMIT = 2 * _SQRT2 / 3  # largest value of phi

# ======================================================= the robust mean (4): its concentration
#
# xhat = (s/n) sum_i psi(x_i/s), psi(a) = E phi(a(1 + eta)), eta ~ N(0, 1/b). For E x^2 <= v:
#
# 1. phi(u) <= log(1 + u + u^2/2), by intervals; the lower bound by u -> -u, phi being odd.
# 2. exp(psi(a)) <= E exp(phi(a(1 + eta))) <= 1 + a + c a^2, c = (1 + 1/b)/2: Jensen, step 1, and
#    E(1 + eta) = 1, E(1 + eta)^2 = 1 + 1/b.
# 3. E exp(psi(x/s)) <= 1 + mu/s + c v/s^2 <= exp(mu/s + c v/s^2).
# 4. Markov for the product over n independent records:
#    P(xhat > mu + c v/s + s log(1/zeta)/n) <= zeta.
# 5. The other side is the same for -x; with zeta/2 on each side,
#    P(|xhat - mu| > c v/s + s log(2/zeta)/n) <= zeta.
#
# The PAC-Bayesian argument of Catoni and Giulini gives the same with s b/(2n) more, b/2 being
# the divergence of N(1, 1/b) from N(0, 1/b); it is only needed uniformly over many directions.


def catoni_bound(
    n: int,
    *,
    scale: float,
    precision: float,
    second_moment: float,
    failure_probability: float,
    divergence: bool = True,
) -> float:
    """Return a bound on |xhat - mu| that fails with probability at most zeta.

    Parameters
    ----------
    n : int
        Number of independent records.
    scale, precision : float
        s and b of the robust mean (4).
    second_moment : float
        v >= E x^2.
    failure_probability : float
        zeta in (0, 1), for both sides together.
    divergence : bool, default True
        Include the term s b/(2n) of the PAC-Bayesian proof, which step 4 above does without.

    Returns
    -------
    float
        s (b/2 + log(2/zeta))/n + v (1 + 1/b)/(2s).
    """
    deviation = math.log(2 / failure_probability) + (precision / 2 if divergence else 0.0)
    bias = second_moment * (1 + 1 / precision) / (2 * scale)
    return scale * deviation / n + bias


def log_sandwich(curvature: Fraction = Fraction(1, 2)) -> tuple[Subdivision, ...]:
    """Prove phi(u) <= log(1 + u + curvature u^2) for every real u, in four pieces.

    Near 0 both sides touch; there the derivative of the difference, which is u q(u)/(1 + u +
    curvature u^2) with q from :func:`_sandwich_slope`, has the sign of u. Beyond sqrt 2, where
    phi is constant, y = 1/u makes the claim (1 + u + curvature u^2)/u^2 >= exp(limit) y^2.

    Parameters
    ----------
    curvature : Fraction, default 1/2
        1/2 is the smallest for which it is true.

    Returns
    -------
    tuple of Subdivision
        For [0, r], [-r, 0], [r, infinity) and (-infinity, -r], r just below sqrt 2. The claim is
        proved if all of them are.
    """
    c = interval(curvature)
    r = "1.414213562373"  # below sqrt 2 = 1.4142135623730950...

    def inside(u: Interval) -> Interval:
        # 1 + u + c u^2, mentioning u once
        return c * (u + 1 / (2 * c)) ** 2 + 1 - 1 / (4 * c)

    def difference(u: Interval) -> Interval:
        return iv.log(inside(u)) - u + u**3 / 6

    def slope(u: Interval) -> list[Interval]:
        return [u * _sandwich_slope(u, c) / inside(u)]

    limit = iv.mpf(2) * iv.sqrt(iv.mpf(2)) / 3
    # phi(u) <= -0.94 for u <= -r
    beyond = ((limit, ("0", "0.70711")), (interval("-0.94"), ("-0.70711", "0")))
    return (
        prove_nonnegative(difference, [(0, r)], gradient=slope),
        prove_nonnegative(difference, [("-" + r, 0)], gradient=slope),
        *(
            prove_nonnegative(lambda y, top=top: y**2 + y + c - iv.exp(top) * y**2, [side])
            for top, side in beyond
        ),
    )


def _sandwich_slope(u: Any, c: Any) -> Any:
    """q(u) with u q(u) = (1 + 2cu) - (1 - u^2/2)(1 + u + c u^2)."""
    return u**2 * (1 + c * u) / 2 + (1 - 2 * c) * (u / 2 - 1)


def two_point_failure(
    n: int, value: float, probability: float, *, scale: float, precision: float, bound: float
) -> float:
    """Return P(|xhat - mu| > bound) exactly, for x = value with the given probability, else 0.

    psi(0) = 0, so xhat is psi_s(value) N/n with N binomial.

    Parameters
    ----------
    n : int
    value, probability : float
        The law; mu = value probability, v = value^2 probability.
    scale, precision : float
        s and b.
    bound : float
        In units of ``value``.

    Returns
    -------
    float
    """
    step = float(smoothed_truncation([value], scale=scale, precision=precision)[0]) / n
    mean = value * probability
    ends = sorted(((mean - bound) / step, (mean + bound) / step))
    below = binom.cdf(math.ceil(ends[0]) - 1, n, probability)
    return float(below + binom.sf(math.floor(ends[1]), n, probability))


def worst_two_point_failure(bound: Callable[..., float]) -> float:
    """Return the largest P(|xhat - mu| > bound)/zeta over two-point laws, exactly.

    Parameters
    ----------
    bound : callable
        As :func:`catoni_bound`.

    Returns
    -------
    float
        n = 50 and 2000; values up to 8 s, probabilities 1e-3 to 0.9; b from 0.7 to 9; zeta from
        0.3 to 1e-6.
    """
    worst = 0.0
    grid = product(
        (50, 2000), (0.3, 1.0, 1.9, 8.0), (1e-3, 0.05, 0.4, 0.9), (0.7, 2.0, 9.0), (0.3, 1e-2, 1e-6)
    )
    for n, value, p, b, zeta in grid:
        allowed = bound(
            n, scale=1.0, precision=b, second_moment=value**2 * p, failure_probability=zeta
        )
        failure = two_point_failure(n, value, p, scale=1.0, precision=b, bound=allowed)
        worst = max(worst, failure / zeta)
    return worst


def smoothed_sandwich_slack() -> float:
    """Return the least log(1 + a + c a^2) - psi(a), c = (1 + 1/b)/2, relative to a^2: step 2."""
    a = np.concatenate([-np.geomspace(1e-3, 1e6, 400), np.geomspace(1e-3, 1e6, 400)])
    least = math.inf
    for b in (0.1, 0.5, 1.0, 2.0, 9.21, 100.0):
        psi = smoothed_truncation(a, scale=1.0, precision=b)
        slack = np.log1p(a + (1 + 1 / b) / 2 * a**2) - psi
        least = min(least, float((slack / np.minimum(a**2, 1.0)).min()))
    return least


def moment_slack(rng: Random, runs: int = 300) -> float:
    """Return the least mu/s + c v/s^2 - log E exp(psi(x/s)) over random finite laws: step 3."""
    least = math.inf
    for _ in range(runs):
        x = rng.standard_t(2, int(rng.integers(2, 7))) * 10 ** rng.uniform(-1, 2)
        law = rng.dirichlet(np.ones(x.size))
        b = float(10 ** rng.uniform(-1, 2))
        psi = smoothed_truncation(x, scale=1.0, precision=b)
        right = float(law @ x + (1 + 1 / b) / 2 * (law @ x**2))
        least = min(least, right - math.log(float(law @ np.exp(psi))))
    return least


def markov_step() -> bool:
    """Whether step 4's rearrangement is exact: (s/n)(n(mu/s + c v/s^2) + l) = mu + c v/s + s l/n.

    Both sides are polynomials of degree at most 1 in mu, v, l and c; s and n on a grid.
    """
    values = [Fraction(k) for k in (0, 1, 3)]
    return all(
        s / n * (n * (mu / s + c * v / s**2) + log) == mu + c * v / s + s * log / n
        for mu, v, log, c in product(values, repeat=4)
        for s, n in ((Fraction(2, 7), 5), (Fraction(3), 1), (Fraction(9, 4), 12))
    )


def exponential_above_its_tangent() -> bool:
    """Prove 1 + y <= exp(y) for y in [-1, 50], in two pieces (below -1 it is trivial): step 3."""
    return all(
        prove_nonnegative(lambda y: iv.exp(y) - 1 - y, [side], gradient=lambda y: [iv.exp(y) - 1])
        for side in ((-1, 0), (0, 50))
    )


def concentration_proved(rng: Random) -> Outcome:
    """Check steps 1-5 and the exact tails of two-point laws: the bound with explicit constants."""
    pieces = log_sandwich()
    slope = all(
        u * _sandwich_slope(u, c) == 1 + 2 * c * u - (1 - u**2 / 2) * (1 + u + c * u**2)
        for u, c in product(map(Fraction, range(-3, 3)), map(Fraction, (0, 1)))
    )
    smoothed, moments = smoothed_sandwich_slack(), moment_slack(rng)
    sharp = worst_two_point_failure(lambda *a, **k: catoni_bound(*a, **k, divergence=False))
    printed = worst_two_point_failure(catoni_bound)
    proofs = all(pieces) and slope and exponential_above_its_tangent() and markov_step()
    return Outcome(
        proofs and smoothed >= 0 and moments >= -1e-12 and max(sharp, printed) <= 1,
        "proved by interval arithmetic",
        f"log sandwich for every u ({sum(p.boxes for p in pieces)} boxes); Jensen, 1 + y <= e^y "
        f"and Markov (slack >= {smoothed:.2g} and {moments:.2g} on grids); exact binomial tails of "
        f"288 two-point laws: failure <= {printed:.3g} zeta, without s b/(2n) <= {sharp:.3g} zeta",
    )


def concentration_simulated(rng: Random, factor: float = 1.0) -> Outcome:
    """Simulate the error of heavy-tailed samples against ``factor`` times the bound."""
    n, runs, zeta, allowed = 200, 2000, 0.05, 40
    exceeded = {}
    for name, x, mean, v in (
        ("t3", rng.standard_t(3, (n, runs)), 0.0, 3.0),
        # Pareto on [1, infinity) with tail index 2.5: mean 5/3, second moment 5
        ("Pareto(2.5)", 1 + rng.pareto(2.5, (n, runs)), 5 / 3, 5.0),
    ):
        b = 2 * math.log(1 / zeta)
        s = math.sqrt(n * v / b)
        bound = factor * catoni_bound(
            n, scale=s, precision=b, second_moment=v, failure_probability=zeta
        )
        error = np.abs(truncated_mean(x, scale=s, precision=b) - mean)
        exceeded[name] = int((error > bound).sum())
    return Outcome(
        max(exceeded.values()) <= allowed,
        "Monte Carlo with confidence",
        f"n = {n}, zeta = {zeta}, {runs} samples each: the bound exceeded "
        + ", ".join(f"{count} times ({name})" for name, count in exceeded.items()),
        confidence=1 - float(binom.cdf(allowed, runs, zeta)),
    )


# ======================================================================= the parts of (1)-(5)


def _plain_bias(rng: Random) -> Outcome:
    """Bound the bias of (1): |u - phi(u)| <= k u^2 with k = 3/(8 sqrt 2), attained at 4 sqrt 2/3.

    In units of sqrt 2, u = sqrt 2 t: for |t| <= 1 it is |t|^3/3 <= (3/8) t^2, and beyond,
    (3/8) t^2 - t + 2/3 = (3t - 4)^2/24.
    """
    del rng
    ts = [Fraction(k, 3) for k in range(-2, 13)]
    square = all(Fraction(3, 8) * t**2 - t + Fraction(2, 3) == (3 * t - 4) ** 2 / 24 for t in ts)
    inside = all(abs(t) ** 3 / 3 <= Fraction(3, 8) * t**2 for t in ts if abs(t) <= 1)
    k, u = 3 / (8 * _SQRT2), 4 * _SQRT2 / 3
    attained = (u - _LIMIT) / u**2
    return Outcome(
        square and inside and abs(attained - k) < 1e-15,
        "proved exactly",
        f"|s E phi(x/s) - E x| <= {k:.4f} E x^2/s, as (3/8)t^2 - t + 2/3 is a square for u = sqrt2 "
        f"t; attained at u = {u:.4f}: {attained:.4f}",
    )


def _phi_is_bounded(rng: Random) -> Outcome:
    """In units of sqrt 2: 2/3 - t + t^3/3 = (1 - t)^2 (t + 2)/3, slope 1 - t^2."""
    del rng
    ts = [Fraction(k, 2) for k in range(-3, 4)]
    factors = all(Fraction(2, 3) - t + t**3 / 3 == (1 - t) ** 2 * (t + 2) / 3 for t in ts)
    return Outcome(
        factors,
        "proved exactly",
        "2/3 - t + t^3/3 = (1-t)^2 (t+2)/3 >= 0 for u = sqrt2 t, |t| <= 1: phi is odd, continuous "
        "with slope 0 at +-sqrt2, and |phi| <= 2 sqrt2/3, attained",
    )


def _multiplied(rng: Random) -> Outcome:
    """E(1 + eta)^k = 1, 1 + 1/b, 1 + 3/b for k = 1, 2, 3: the polynomial part of (5)."""
    moments = (Fraction(1), Fraction(0), Fraction(1), Fraction(0))  # of N(0, 1); odd ones vanish

    def power(k: int, variance: Fraction) -> Fraction:
        return sum(
            (math.comb(k, j) * moments[j] * variance ** (j // 2) for j in range(k + 1)),
            Fraction(0),
        )

    cases = list(product([Fraction(k, 3) for k in range(-4, 5)], [Fraction(1, 2), Fraction(5)]))
    polynomial = all(
        a * power(1, 1 / b) - a**3 * power(3, 1 / b) / 6
        == a * (1 - (a**2 / b) / 2) - a**3 / 6  # the seed's b is |a|/sqrt(beta)
        for a, b in cases
    )
    second = all(power(2, 1 / b) == 1 + 1 / b for _, b in cases)
    # with the noise drawn instead of integrated out, every draw keeps the bound of line 199
    eta = rng.normal(0, 1, 20_000)
    u = np.clip(10.0 ** rng.uniform(-3, 6, eta.size) * (1 + eta), -_SQRT2, _SQRT2)
    largest = float(np.abs(u - u**3 / 6).max())
    return Outcome(
        polynomial and second and largest <= _LIMIT * (1 + 1e-15),
        "proved exactly",
        "E(1+eta) = 1, E(1+eta)^2 = 1 + 1/b, E U - E U^3/6 = a(1 - b^2/2) - a^3/6 in exact "
        f"rationals; |phi| <= {largest:.4f} for 20000 draws of the noise",
    )


def expected_phi(a: Any, b: Any) -> Any:
    """E phi(a + b Z), Z ~ N(0, 1), by quadrature of phi times the density (mpmath)."""
    root = mp.sqrt(2)
    ends = sorted((side - a) / b for side in (-root, root))
    inside = sorted(x for x in (-8, 0, 8, *ends) if -40 < x < 40)

    def integrand(z: Any) -> Any:
        u = a + b * z
        return mp.npdf(z) * (u - u**3 / 6 if abs(u) <= root else mp.sign(u) * 2 * root / 3)

    return mp.quad(integrand, [-40, *inside, 40])


def _integrated(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(20):
        for _ in range(4):
            n, s, b = int(rng.integers(2, 5)), float(rng.uniform(0.3, 3)), float(rng.uniform(1, 9))
            x = rng.standard_t(2, n)
            direct = sum(expected_phi(mp.mpf(v / s), abs(v / s) / mp.sqrt(b)) for v in x) * s / n
            mean = float(truncated_mean(x, scale=s, precision=b))
            worst = max(worst, abs(float(direct) - mean) / s)
    return Outcome(
        worst < 1e-13,
        "checked at high precision",
        f"4 random samples, t(2): the implementation differs from (4) by at most {worst:.1g} s",
    )


def _closed_form(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(30):
        points = [(mp.mpf(3), mp.mpf(3)), (mp.mpf("0.01"), mp.mpf(5)), (mp.mpf(-2), mp.mpf("1.5"))]
        points += [
            (mp.mpf(float(rng.uniform(-5, 5))), mp.mpf(float(rng.uniform(0.2, 5))))
            for _ in range(5)
        ]
        for a, b in points:
            worst = max(worst, float(abs(closed_form(a, b) - expected_phi(a, b))))
    return Outcome(
        worst < 1e-20,
        "checked at high precision",
        f"C-hat = T1 + ... + T5 of Wang et al. (2020), (17): 8 points, 30 digits, difference "
        f"{worst:.1g}; in doubles the sum is unusable beyond |a| = 1e5 (the code's form is stable)",
    )


def _robust_sensitivity(rng: Random) -> Outcome:
    """|psi| <= E|phi| <= 2 sqrt 2/3; the supremum over x is its limit, erf(sqrt(b/2)) of that."""
    n, s = 5, 2.0
    ratios = {}
    largest = 0.0
    for b in (0.1, 1.0, 9.21):
        data = rng.standard_t(2, n)
        values = np.concatenate([[0.0], np.geomspace(1e-3, 1e300, 300), [math.inf]])
        per_record = smoothed_truncation(np.concatenate([values, -values]), scale=s, precision=b)
        largest = max(largest, float(np.abs(per_record).max()) / (_LIMIT * s))
        moved = [
            float(truncated_mean(np.append(data[1:], x), scale=s, precision=b))
            for x in (math.inf, -math.inf)
        ]
        ratios[b] = (moved[0] - moved[1]) / mean_sensitivity(n, scale=s)
    exact = all(abs(r - math.erf(math.sqrt(b / 2))) < 1e-12 for b, r in ratios.items())
    return Outcome(
        exact and largest <= 1,
        "checked at high precision",
        "replacing +inf by -inf moves the mean by erf(sqrt(b/2)) of the claim: "
        + ", ".join(f"{r:.4f} (b = {b:g})" for b, r in ratios.items())
        + f"; no |psi| above {largest:.6f} of the bound",
    )


# ======================================================== definitions, the exponential mechanism


def _replace_one(rng: Random) -> Outcome:
    """Compare the factor 2 bound/n of every sensitivity with replace-one and with removal."""
    del rng
    n, values = 3, (Fraction(-1), Fraction(0), Fraction(1))
    rest = [sum(others, Fraction(0)) for others in product(values, repeat=n - 1)]
    replaced = max(abs((r + x) - (r + y)) / n for r in rest for x in values for y in values)
    # a record left out counts as 0
    removed = max(abs((r + x) - r) / n for r in rest for x in values)
    return Outcome(
        replaced == Fraction(2, n) and removed == Fraction(1, n),
        "proved exactly",
        f"means of {n} numbers in [-1, 1]: one sample replaced moves them by up to {replaced}, one "
        f"left out by {removed}; the text's 2 bound/n is the former",
    )


def _laplace(rng: Random) -> Outcome:
    """Compute the loss at the kinks: it is piecewise linear and adds up over coordinates."""
    largest = []
    for _ in range(100):
        d, epsilon = int(rng.integers(1, 5)), float(rng.uniform(0.1, 3))
        first, second = rng.integers(-9, 10, (2, d)).astype(float)
        second[0] += first[0] == second[0]
        mechanism = Laplace(float(np.abs(first - second).sum()) / epsilon)
        losses = [
            float(
                mechanism.log_density(np.array(x), first, 0)
                - mechanism.log_density(np.array(x), second, 0)
            )
            for x in product(*zip(first, second, strict=True))
        ]
        largest.append(max(losses) / epsilon)
    scale = 1.7
    mass = 2 * quad(lambda x: math.exp(-abs(x) / scale) / (2 * scale), 0, math.inf)[0]
    return Outcome(
        max(largest) <= 1 + 1e-12 and min(largest) > 1 - 1e-12 and abs(mass - 1) < 1e-9,
        "checked by search",
        f"largest loss over all kinks is {max(largest):.12f} epsilon for 100 pairs in d < 5; the "
        f"density with |x| integrates to {mass:.10f}",
    )


def exponential_law(scores: Iterable[int]) -> list[Fraction]:
    """Return the exponential mechanism's law at epsilon = 2 Delta log 2: weights 2^score."""
    weights = [Fraction(2) ** score for score in scores]
    return [weight / sum(weights) for weight in weights]


def largest_ratio(changes: Iterable[int], size: int = 4, reach: int = 3) -> Fraction:
    """Return the largest P(r)/P'(r) over scores in 0..reach-1 and the given changes of each."""
    worst = Fraction(0)
    moves = list(product(changes, repeat=size))
    # one score may be fixed: adding a constant to all of them changes nothing
    for rest in product(range(reach), repeat=size - 1):
        scores = (0, *rest)
        law = exponential_law(scores)
        for move in moves:
            other = exponential_law(x + y for x, y in zip(scores, move, strict=True))
            worst = max(worst, *(p / q for p, q in zip(law, other, strict=True)))
    return worst


def _exponential(rng: Random) -> Outcome:
    """With Delta = 1, exp(epsilon) is 4; only the range of the changes matters, not their size."""
    del rng
    full, monotone = largest_ratio((-1, 1)), largest_ratio((0, 1))
    shifted = largest_ratio((10**3, 10**3 + 1))
    return Outcome(
        full <= 4 and full > 3 and monotone <= 2 and shifted == monotone,
        "proved exactly",
        f"epsilon = log 4, 4 candidates, 27 score vectors, changes +-Delta: largest ratio "
        f"{float(full):.4f} <= 4; changes of range Delta: {float(monotone):.4f} <= 2 = "
        "e^(epsilon/2), the same if all move by 1000 Delta more",
    )


def _exponential_utility(rng: Random) -> Outcome:
    """At weights 2^score the claim is P(score <= best - k) <= |R| 2^-k for every integer k."""
    del rng
    worst, cases = Fraction(0), 0
    for size in (2, 3, 4):
        for scores in product(range(-7, 1), repeat=size):
            if max(scores) < 0:
                continue
            law = exponential_law(scores)
            for k in range(1, 8):
                low = sum((p for p, x in zip(law, scores, strict=True) if x <= -k), Fraction(0))
                worst = max(worst, low / (size * Fraction(1, 2**k)))
                cases += 1
    return Outcome(
        0 < worst <= 1,
        "proved exactly",
        f"all scores in 0..-7 of 2 to 4 candidates, {cases} pairs with k: P(score <= OPT - k) at "
        f"most {float(worst):.4f} |R| 2^-k; in general each low candidate has at most 2^-k of the "
        "best one's weight",
    )


def composition_slack(constant: Interval) -> Subdivision:
    """Prove that T releases of epsilon/(constant sqrt(T log(2/delta))) cost at most epsilon.

    Each is eps'^2/2-zCDP, so T are rho-zCDP with rho = epsilon^2 y/(2 constant^2), and
    rho + 2 sqrt(rho log(1/delta)) <= epsilon is the slack below, y = 1/log(2/delta), for every T.
    """
    return prove_nonnegative(
        lambda epsilon, y: (
            1
            - epsilon * y / (2 * constant**2)
            - iv.sqrt(iv.mpf(2)) / constant * iv.sqrt(maximum(1 - iv.ln2 * y, iv.mpf(0)))
        ),
        [(0, 1), (0, "1.4426951")],
    )


def _advanced_composition(rng: Random) -> Outcome:
    del rng
    proof = composition_slack(2 * iv.sqrt(iv.mpf(2)))
    return Outcome(
        bool(proof),
        "proved by interval arithmetic",
        f"every T, epsilon in (0, 1), delta in (0, 1), by zCDP: {proof.describe()}; each step is "
        "eps'-DP but for a probability delta' = delta/T, so the total is (epsilon, 2 delta), and "
        "(epsilon, delta) if delta' = 0",
    )


def _excess_risk(rng: Random) -> Outcome:
    """L(w) = (w - 2)^2 on W = [-1, 1]: the excess is >= 0 in W and -1 at w = 2 (footnote 2)."""
    del rng
    best = min((Fraction(k, 50) - 2) ** 2 for k in range(-50, 51))
    inside = [(Fraction(k, 7) - 2) ** 2 - best for k in range(-7, 8)]
    improper = (Fraction(2) - 2) ** 2 - best
    return Outcome(
        min(inside) == 0 and improper == -1,
        "proved exactly",
        f"excess risk >= 0 for outputs in W; an output outside W may have a negative one: "
        f"{improper} for L = (w-2)^2, W = [-1, 1], w = 2",
    )


def _dual_lipschitz(rng: Random) -> Outcome:
    """Bound linear functions on the l1 ball: they are largest at a vertex."""
    worst = Fraction(0)
    for _ in range(200):
        g = [Fraction(int(k)) for k in rng.integers(-9, 10, 4)]
        h = [Fraction(int(k)) for k in rng.integers(-9, 10, 4)]
        norm = sum(map(abs, h)) or Fraction(1)
        inner = abs(dot(g, h))
        bound = max(map(abs, g)) * norm
        worst = max(worst, inner / bound if bound else Fraction(0))
    return Outcome(
        Fraction(1, 2) < worst <= 1,
        "proved exactly",
        f"|<g, h>| <= ||g||_inf ||h||_1, 200 rational pairs, at most {float(worst):.3f}; attained "
        "at a vertex: l1-Lipschitz is a bound on ||gradient||_inf (l.159)",
    )


def _quadratic_remainder(rng: Random) -> bool:
    """Whether f(w+h) - f(w) - <f'(w), h> = E<x, h>^2 for f = E(<x, w> - y)^2, exactly."""
    for _ in range(50):
        x = [[Fraction(int(k)) for k in row] for row in rng.integers(-5, 6, (3, 2))]
        y, w, h = ([Fraction(int(k), 3) for k in rng.integers(-9, 10, m)] for m in (3, 2, 2))

        def residuals(v: Sequence[Fraction], x: Any = x, y: Any = y) -> list[Fraction]:
            return [dot(row, v) - label for row, label in zip(x, y, strict=True)]

        moved = [a + b for a, b in zip(w, h, strict=True)]
        change = sum(r**2 for r in residuals(moved)) - sum(r**2 for r in residuals(w))
        slope = sum(2 * r * dot(row, h) for row, r in zip(x, residuals(w), strict=True))
        if change - slope != sum(dot(row, h) ** 2 for row in x):
            return False
    return True


def dot(first: Sequence[Fraction], second: Sequence[Fraction]) -> Fraction:
    """Return the inner product."""
    return sum((a * b for a, b in zip(first, second, strict=True)), Fraction(0))


def _smoothness(rng: Random) -> Outcome:
    same = _quadratic_remainder(rng)
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    top = float(np.linalg.eigvalsh(matrix)[-1])
    h = rng.standard_normal((1000, 2))
    worst = float((np.einsum("ij,jk,ik->i", h, matrix, h) / (h**2).sum(axis=1)).max())
    return Outcome(
        same and top * 0.99 < worst <= top * (1 + 1e-12),
        "proved exactly",
        "E(<x,w>-y)^2 differs from its tangent by E<x,h>^2 (exact, 50 rational cases), so alpha = "
        f"2 lambda_max; E xx^T = [[2,1],[1,2]]: 1000 directions reach {worst:.4f} of {top:.0f}",
    )


def restricted_extremes(matrix: FloatArray, r: int) -> tuple[float, float]:
    """Return the extreme curvatures 2 h^T M h/||h||^2 over vectors with at most r entries."""
    blocks = [matrix[np.ix_(i, i)] for i in map(list, combinations(range(len(matrix)), r))]
    values = np.array([np.linalg.eigvalsh(block) for block in blocks])
    return 2 * float(values.min()), 2 * float(values.max())


_RANK_ONE = np.ones((3, 3))


def _restricted_convexity(rng: Random) -> Outcome:
    least = {r: restricted_extremes(_RANK_ONE, r)[0] for r in (1, 2)}
    mean = {restricted_extremes(np.eye(4), r)[0] for r in (1, 2, 3)}
    same = _quadratic_remainder(rng)
    return Outcome(
        same and abs(least[1] - 2) < 1e-12 and abs(least[2]) < 1e-12 and mean == {2.0},
        "checked at high precision",
        f"squared loss, E xx^T = all ones: mu_1 = {least[1]:.0f}, mu_2 = {abs(least[2]):.0f}; "
        "sparse mean: mu_r = 2 for r = 1, 2, 3",
    )


def _restricted_smoothness(rng: Random) -> Outcome:
    largest = {r: restricted_extremes(_RANK_ONE, r)[1] for r in (1, 2, 3)}
    same = _quadratic_remainder(rng)
    return Outcome(
        same and all(abs(value - 2 * r) < 1e-12 for r, value in largest.items()),
        "checked at high precision",
        "squared loss, E xx^T = all ones: gamma_r = "
        + ", ".join(f"{value:.0f} (r = {r})" for r, value in largest.items())
        + ": it grows with r, as r = 2s + s* in Assumption 4 must",
    )


# ====================================================================================== rates

Monomial = dict[str, Fraction]


def monomial(text: str) -> Monomial:
    """Parse ``"W^4/3 alpha n^-1/3"``; in the rates, n stands for n epsilon."""
    powers: Monomial = {}
    for factor in text.split():
        name, _, exponent = factor.partition("^")
        powers[name] = powers.get(name, Fraction(0)) + Fraction(exponent or 1)
    return powers


def times(*factors: tuple[Monomial, Fraction | int]) -> Monomial:
    """Multiply powers of monomials; exponents of 0 are left out."""
    powers: Monomial = {}
    for factor, exponent in factors:
        for name, value in factor.items():
            powers[name] = powers.get(name, Fraction(0)) + value * exponent
    return {name: value for name, value in powers.items() if value}


def substitute(term: Monomial, **values: Monomial) -> Monomial:
    """Put monomials in the place of symbols."""
    kept = {name: value for name, value in term.items() if name not in values}
    put = [(values[name], value) for name, value in term.items() if name in values]
    return times((kept, 1), *put)


def degree(term: Monomial, **weights: int) -> Fraction:
    """Return the exponent of c when each symbol is multiplied by c^weight."""
    return sum((weights.get(name, 0) * value for name, value in term.items()), Fraction(0))


# =============================================================== Algorithm 1: Theorems 1, 2 and 3


def _moment_assumption(rng: Random) -> Outcome:
    """Enumerate x in {-1, 1}^3, y = <w*, x> +- 1/2: E(2 x_j r)^2 = 4(||w - w*||^2 + 1/4)."""
    signs = [[Fraction(s) for s in row] for row in product((-1, 1), repeat=3)]
    truth = [Fraction(1, 2), Fraction(-1, 3), Fraction(0)]
    noise = Fraction(1, 2)
    same, largest = True, Fraction(0)
    corners = [[Fraction(s) * (i == j) for i in range(3)] for j in range(3) for s in (-1, 1)]
    inner = [[Fraction(int(k), 30) for k in row] for row in rng.integers(-10, 11, (10, 3))]
    for w in corners + inner:
        gap = [a - b for a, b in zip(w, truth, strict=True)]
        for j in range(3):
            moment = sum(
                (2 * x[j] * (dot(x, gap) + side * noise)) ** 2 for x in signs for side in (-1, 1)
            ) / Fraction(16)
            same &= moment == 4 * (dot(gap, gap) + noise**2)
            largest = max(largest, moment)
    bound = 4 * (4 + noise**2)
    return Outcome(
        same and Fraction(4) < largest <= bound,
        "proved exactly",
        "LASSO with independent signs (the example of l.224), w on the l1 ball: E(2 x_j r)^2 = "
        f"4(||w-w*||^2 + sigma^2) at 16 points, exactly, at most {float(largest):.2f} <= "
        f"4(4 + sigma^2) = {bound}",
    )


def step_loss(precision: float, m: int, epsilon: float = 1.0) -> float:
    """Return the exact privacy loss of one step of Algorithm 1 on W = [-1, 1].

    The largest over k of m records at +infinity, the others at -infinity, one of them moved.
    """
    bound = truncation_bound(scale=1.0, precision=precision)
    rate = epsilon / (2 * 2 * mean_sensitivity(m, scale=1.0))  # ||W||_1 = 2
    means = bound * (2 * np.arange(m + 1) / m - 1)
    log_law = log_expit(np.stack([-2, 2])[:, None] * rate * means)
    return float(np.abs(np.diff(log_law, axis=1)).max())


def far_polytope_loss(offset: float) -> tuple[float, float]:
    """Return score sensitivity/Delta and the loss/epsilon on V = {c + e_1, c + e_2}, c = offset."""
    rng = np.random.default_rng(0)
    vertices = offset + np.eye(2)
    # ||W||_1 = 2, l-infinity sensitivity of g 1, epsilon = 1: Delta = 2
    worst = scores = 0.0
    for g in [*rng.normal(0, 5, (20, 2)), np.array([1.0, 9.0])]:
        for move in product((-1.0, 1.0), repeat=2):
            change = vertices @ np.array(move)
            laws = [log_softmax(-(vertices @ h) / 4) for h in (g, g + np.array(move))]
            worst = max(worst, float(np.abs(laws[0] - laws[1]).max()))
            scores = max(scores, float(np.abs(change).max()) / 2)
    return scores, worst


def two_block_loss(*, reused: bool) -> float:
    """Return the loss of the path of two steps when one record of the first block changes.

    W = [-1, 1], gradients psi(sign(x - w)) of one record per block; ``reused``: the second step
    reads the first block again.
    """
    bound = truncation_bound(scale=1.0, precision=1.0)
    rate = 1.0 / (4 * mean_sensitivity(1, scale=1.0))

    def path_law(first: float, second: float) -> FloatArray:
        law = []
        for v in (-1.0, 1.0):
            w = v * 2 / 3
            for u in (-1.0, 1.0):
                one = log_expit(-2 * v * rate * bound * np.sign(first))
                two = log_expit(-2 * u * rate * bound * np.sign(second - w))
                law.append(one + two)
        return np.array(law)

    second = 0.1
    before, after = (path_law(x, x if reused else second) for x in (-9.0, 9.0))
    return float(np.abs(before - after).max())


def _pure_privacy(rng: Random) -> Outcome:
    del rng
    losses = {b: (step_loss(b, 1), step_loss(b, 200)) for b in (1.0, 9.21)}
    limits = {b: math.erf(math.sqrt(b / 2)) / 2 for b in losses}
    below = all(max(loss) <= limits[b] + 1e-12 for b, loss in losses.items())
    near = all(loss[1] > 0.995 * limits[b] for b, loss in losses.items())
    scores, far = far_polytope_loss(100.0)
    disjoint, reused = two_block_loss(reused=False), two_block_loss(reused=True)
    return Outcome(
        below
        and near
        and far <= 0.5 + 1e-12
        and scores > 50
        and abs(disjoint - step_loss(1.0, 1)) < 1e-12
        and reused > 1.5 * disjoint,
        "checked by search",
        "exact laws, W = [-1, 1]: loss/epsilon up to "
        + ", ".join(f"{loss[1]:.4f} (b = {b:g})" for b, loss in losses.items())
        + f" (limit erf(sqrt(b/2))/2); V = 100 + e_j: scores move {scores:.0f} Delta, the loss "
        f"stays {far:.4f} epsilon; two blocks {disjoint:.4f}, one block twice {reused:.4f}",
    )


FW_TERM = monomial("alpha W^2 T^-1")
NOISE_TERM = monomial("W tau^1/2 l^1/2 T^1/2 n^-1/2")
RATE_6 = monomial("W alpha^1/3 tau^1/3 l^1/3 n^-1/3")
STEPS_6 = monomial("n^1/3 alpha^2/3 tau^-1/3 l^-1/3")
RATE_6_CORRECTED = times((RATE_6, 1), (monomial("W^1/3"), 1))
STEPS_6_CORRECTED = times((STEPS_6, 1), (monomial("W^2/3"), 1))
_UNITS = {"W": -1, "alpha": 2, "tau": 2}  # w = c w'


def one_step_excess(d: int) -> Fraction:
    """Return (w^1's excess)/(alpha R^2), whichever vertex the first step of Algorithm 1 draws.

    L = (alpha/2) ||w - w*||^2 on the l1 ball of radius R, w* = (R/d)(1, ..., 1), w^0 = R e_1,
    eta_0 = 2/3; all vertices but +-R e_1 are alike up to the sign.
    """
    excesses = []
    for index, sign in product((0, 1), (-1, 1)):
        w = [Fraction(0)] * d
        w[0] += Fraction(1, 3)
        w[index] += Fraction(2 * sign, 3)
        gap = [x - Fraction(1, d) for x in w]
        excesses.append(dot(gap, gap) / 2)
    return min(excesses)


def one_step_ratio(d: int, radius: float) -> float:
    """Return that excess over (6) with constant 1, where n is such that the prescribed T is 1."""
    tau = (radius * (1 + 1 / d)) ** 2  # alpha = 1; |w_j - w*_j| <= R + R/d
    log_term = math.log(2 * d * d / 0.05)
    n = tau * log_term  # epsilon = 1, zeta = 0.05
    bound = radius * math.cbrt(tau * math.log(n * 2 * d * d / 0.05) / n)
    return float(one_step_excess(d)) * radius**2 / bound


def two_law_error(n: int, gap: float) -> float:
    """Return the error of the best test between n signs of mean +gap and n of mean -gap."""
    k = np.arange(n + 1)
    laws = [binom.pmf(k, n, 0.5 + sign * gap / 2) for sign in (-1, 1)]
    return float(np.minimum(*laws).sum()) / 2


def testing_ratio(n: int, epsilon: float) -> tuple[float, float]:
    """Return the chance that every estimator's excess is at least the second number times (6).

    l = -z w + (alpha/2) w^2 on [-1, 1] (W = 2, tau = 1 + alpha suffices as |l'| <= 1 + alpha),
    z = +-1 with mean +-1/sqrt(n); alpha such that the prescribed T is 1, so that (6) is
    proportional to 1/sqrt(n epsilon). A w of the wrong sign costs L(0) - L(+-1).
    """
    gap, log_term = 1 / math.sqrt(n), math.log(2 * 1 / 0.1)
    alpha = math.sqrt(log_term / (n * epsilon))
    tau = (1 + alpha) ** 2
    excess = gap - alpha / 2
    bound = 2 * math.cbrt(alpha * tau * math.log(n * 2 / 0.1) / (n * epsilon))
    return two_law_error(n, gap), excess / bound


def first_vertex_ratio(n: int) -> float:
    """Return the excess after the prescribed T = 1 steps over (6), because eta_0 is 2/3, not 1.

    l = w + (alpha/2) w^2 on [-1, 1], w^0 = 1: w^1 >= -1/3 whichever vertex is drawn. epsilon = 1.
    """
    alpha = math.sqrt(math.log(2 / 0.1) / n)
    bound = 2 * math.cbrt(alpha * (1 + alpha) ** 2 * math.log(n * 2 / 0.1) / n)
    excess = (-1 / 3 + alpha / 18) - (-1 + alpha / 2)
    return excess / bound


def _printed_rate_6(rng: Random) -> Outcome:
    del rng
    powers = degree(RATE_6, **_UNITS), degree(STEPS_6, **_UNITS)
    radii = {radius: one_step_ratio(200, radius) for radius in (1e2, 1e4, 1e6)}
    tests = {epsilon: testing_ratio(100, epsilon) for epsilon in (1e2, 1e4, 1e6)}
    starts = {n: first_vertex_ratio(int(n)) for n in (1e2, 1e4, 1e6)}
    excess = float(one_step_excess(200)) * 100**2
    error = tests[1e6][0]
    grows = all(
        list(v) == sorted(v) and v[-1] > 30 * v[0]
        for v in ([*radii.values()], [r for _, r in tests.values()], [*starts.values()])
    )
    return Outcome(
        not (powers == (Fraction(1, 3), Fraction(2, 3)) and grows and error > 0.1),
        "refuted with witness",
        f"w = c w' changes (6) by c^{powers[0]} and T by c^{powers[1]}; L = (alpha/2)||w-w*||^2, "
        f"d=200, R=100, T=1: excess >= {excess:.1f} alpha for every vertex against R/T = 100 "
        "alpha. Excess over (6) with constant 1: "
        + ", ".join(f"{v:.3g} (R = {r:.0e})" for r, v in radii.items())
        + f"; for any estimator at n = 100 with probability {error:.3f} > zeta = 0.1: "
        + ", ".join(f"{v:.3g} (eps = {e:.0e})" for e, (_, v) in tests.items())
        + "; for eta_0 = 2/3 and a nearly linear loss: "
        + ", ".join(f"{v:.3g} (n = {n:.0e})" for n, v in starts.items()),
        {
            "homogeneity": {"(6)": str(powers[0]), "T": str(powers[1])},
            "d": 200,
            "excess/alpha at R = 100": excess,
            "ratio by R": radii,
            "ratio by epsilon": {e: v for e, (_, v) in tests.items()},
            "ratio by n (linear loss)": starts,
        },
    )


def frank_wolfe_weights(n_iterations: int, shift: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return the exact weights of h_0, C and err in h_T <= a h_0 + c C + e err.

    h_t <= (1 - eta) h_{t-1} + eta err + eta^2 C/2 with eta = 2/(t + shift), t = 1..T.
    """
    start, curve, error = Fraction(1), Fraction(0), Fraction(0)
    for t in range(1, n_iterations + 1):
        eta = Fraction(2, t + shift)
        start, curve, error = (
            (1 - eta) * start,
            (1 - eta) * curve + eta**2 / 2,
            (1 - eta) * error + eta,
        )
    return start, curve, error


def explicit_excess(
    n: int, epsilon: float, alpha: float, tau: float, width: float, log_term: float
) -> tuple[float, float]:
    """Return the excess bound of Algorithm 1 with steps 2/(t+1), and the corrected rate (6).

    Per step <gradient, v_t - v*> <= W (robust mean's error, b = 1, union over d and T) + the
    exponential mechanism's regret (Lemma 1), every logarithm at most ``log_term``; s minimises
    their sum. T = floor(T_0), T_0 >= 1 as corrected.
    """
    effective = n * min(epsilon, 1.0)
    steps = (effective * alpha**2 * width**2 / (tau * log_term)) ** (1 / 3)
    n_iterations = max(1, int(steps))
    m = n // n_iterations
    by_scale = (0.5 + log_term) / m + 8 * _SQRT2 / 3 * log_term / (m * min(epsilon, 1.0))
    error = width * 2 * math.sqrt(tau * by_scale)
    excess = 2 * alpha * width**2 / (n_iterations + 1) + error
    rate = width ** (4 / 3) * (alpha * tau * log_term / effective) ** (1 / 3)
    return excess, rate


def _corrected_rate_6(rng: Random) -> Outcome:
    balanced = all(
        substitute(term, T=STEPS_6_CORRECTED) == RATE_6_CORRECTED for term in (FW_TERM, NOISE_TERM)
    )
    powers = degree(RATE_6_CORRECTED, **_UNITS), degree(STEPS_6_CORRECTED, **_UNITS)
    recursion = all(
        start == 0 and curve <= Fraction(2, t + 1) and error <= 1
        for t in range(1, 61)
        for start, curve, error in [frank_wolfe_weights(t, 1)]
    )
    kept = all(frank_wolfe_weights(t, 2)[0] == Fraction(2, (t + 1) * (t + 2)) for t in range(1, 61))
    worst, cases = 0.0, 0
    while cases < 2000:
        n, log_term = int(10 ** rng.uniform(1, 9)), float(rng.uniform(1.5, 60))
        epsilon, tau, width = (float(10 ** rng.uniform(-3, 3)) for _ in range(3))
        least = math.sqrt(tau * log_term / (n * min(epsilon, 1.0))) / width  # T_0 = 1
        alpha = least * float(10 ** rng.uniform(0, 4))
        # T_0^3 = (alpha/least)^2; a block needs a record
        if (alpha / least) ** (2 / 3) > n / 2:
            continue
        excess, rate = explicit_excess(n, epsilon, alpha, tau, width, log_term)
        worst, cases = max(worst, excess / rate), cases + 1
    return Outcome(
        balanced and not any(powers) and recursion and kept and worst <= 10,
        "checked by search",
        f"both error terms balance to (6) with W^(4/3), homogeneous of degree {powers[0]}; the "
        "recursion with steps 2/(t+1) gives h_T <= err + 2C/(T+1) (exact, T <= 60; steps 2/(t+2) "
        f"keep 2 h_0/((T+1)(T+2))); explicit constant at most {worst:.2f} in {cases} cases",
    )


def _scale_of_51(rng: Random) -> Outcome:
    """Compare the scale of [51], sqrt(n tau/(2 log(1/zeta))), with that behind Theorem 2."""
    del rng

    def scale(n: int, epsilon: float) -> float:
        return constants_for_lemma_1(
            n=n, epsilon=epsilon, delta=1e-5, second_moment=1.0, failure_probability=0.05
        ).truncation_scale

    root_n = scale(4000, 1.0) / scale(1000, 1.0)
    same = scale(1000, 0.1) == scale(1000, 1.0)
    # s^2 = tau m epsilon/log with m = n/T balances tau/s and s log/(m epsilon)
    ours = monomial("n^1/2 tau^1/2 T^-1/2 l^-1/2")
    noise = times((ours, 1), (monomial("l T n^-1"), 1))
    balanced = times((monomial("tau"), 1), (ours, -1)) == noise
    gone = substitute(RATE_6_CORRECTED, l=monomial("log_d"))
    return Outcome(
        abs(root_n - 2) < 1e-12 and same and balanced and "d" not in gone,
        "proved exactly",
        f"[51]: 4 times n gives {root_n:.1f} times s, whatever epsilon; here s = "
        "sqrt(n eps tau/(T log)) balances bias tau/s and noise s T log/(n eps) exactly, and d "
        f"enters (6) only as (log d)^{gone['log_d']}",
    )


def _lasso_smoothness(rng: Random) -> Outcome:
    """Take d = 1, x = 1, y = 0: L(w) = w^2, lambda_max = 1."""
    del rng
    loss, records = SquaredError(), (np.ones((1, 1)), np.zeros(1))
    ends = [float(loss.values(records, np.array([w]))[0]) for w in (0.0, 1.0)]
    remainder = ends[1] - ends[0] - float(loss.gradients(records, np.zeros(1))[0, 0])
    claimed = 1 / 2  # (lambda_max/2) |1 - 0|^2
    return Outcome(
        not remainder > claimed,
        "refuted with witness",
        f"x = 1, y = 0: L(1) - L(0) - L'(0) = {remainder} > lambda_max/2 = {claimed}",
        {"x": 1, "y": 0, "remainder": remainder, "lambda_max/2": claimed},
    )


def _lasso_smoothness_corrected(rng: Random) -> Outcome:
    same = _quadratic_remainder(rng)
    worst = 0.0
    for _ in range(200):
        x, h = rng.standard_t(3, (30, 5)), rng.standard_normal(5)
        top = float(np.linalg.eigvalsh(x.T @ x / 30)[-1])
        worst = max(worst, float(((x @ h) ** 2).mean() / (top * h @ h)))
    rate = substitute(RATE_6_CORRECTED, W=monomial(""), tau=monomial(""))
    return Outcome(
        same and 0.5 < worst <= 1 + 1e-12 and rate == monomial("alpha^1/3 l^1/3 n^-1/3"),
        "proved exactly",
        "the remainder is E<x,h>^2 <= lambda_max ||h||^2, i.e. alpha = 2 lambda_max (exact; 200 "
        f"random designs up to {worst:.3f}); W, tau = O(1) in (6) then give (7)'s powers",
    )


def biweight_slope(s: float, threshold: float) -> float:
    """Return psi'(s) of the library's biweight loss."""
    loss = Biweight(threshold=threshold)
    records = (np.ones((1, 1)), np.zeros(1))
    return float(loss.gradients(records, np.array([s]))[0, 0])


def _biweight_excluded(rng: Random) -> Outcome:
    del rng
    at_three, inside = biweight_slope(3.0, 2.0), biweight_slope(1.0, 2.0)
    return Outcome(
        at_three > 0,
        "refuted with witness",
        f"biweight, c = 2: psi'(3) = {at_three:g}, not > 0 (psi'(1) = {inside:.4f}); footnote 4 "
        "says the assumption includes it",
        {"c": 2.0, "s": 3.0, "psi'(s)": at_three},
    )


def _biweight_included(rng: Random) -> Outcome:
    """With v = (s/c)^2: psi' = s(1-v)^2 >= 0 for s > 0 and psi'' = (1-v)(1-5v) in [-4/5, 1]."""
    del rng
    vs = [Fraction(k, 12) for k in range(13)]
    identities = all(
        1 - (1 - v) * (1 - 5 * v) == v * (6 - 5 * v)
        and (1 - v) * (1 - 5 * v) + Fraction(4, 5) == 5 * (v - Fraction(3, 5)) ** 2
        for v in vs
    )
    c, step = 2.0, 1e-5
    grid = np.linspace(-5, 5, 2001)
    slopes = np.array([biweight_slope(float(s), c) for s in grid])
    odd = float(np.abs(slopes + slopes[::-1]).max())
    second = [
        (biweight_slope(s + step, c) - biweight_slope(s - step, c)) / (2 * step)
        for s in (0.0, 0.5, 1.5)
    ]
    exact = [(1 - (s / c) ** 2) * (1 - 5 * (s / c) ** 2) for s in (0.0, 0.5, 1.5)]
    close = max(abs(a - b) for a, b in zip(second, exact, strict=True))
    h_slope = float((1 - Fraction(1, 16)) * (1 - Fraction(5, 16)))  # noise +-c/4
    return Outcome(
        identities and odd < 1e-15 and slopes[grid > 0].min() >= 0 and close < 1e-8,
        "proved exactly",
        "psi'' = (1-v)(1-5v), v = (s/c)^2, lies in [-4/5, 1] (exact); psi' is odd, >= 0 for s > 0, "
        f"at most {slopes.max():.4f} (c = 2, 16c/(25 sqrt5)); noise +-c/4: h'(0) = {h_slope:.4f}",
    )


RATE_8 = monomial("l^1/4 n^-1/4")
STEPS_8 = monomial("n^1/2 l^-1/2")


def regression_testing(n: int, epsilon: float) -> tuple[float, float]:
    """Return the chance that every estimator's excess is at least the second number times (8).

    d = 1, x = 1, w* = +-1/sqrt(n), standard normal noise, biweight with c = 4: lambda_max = 1. A
    w of the wrong sign costs at least L(0) - L(w*); telling the two laws apart from n records
    fails with probability Phi(-1).
    """
    gap = 1 / math.sqrt(n)
    nodes = np.arange(-10, 10.0005, 1e-3)
    weights = np.exp(-(nodes**2) / 2) * 1e-3 / math.sqrt(2 * math.pi)

    def psi(u: FloatArray) -> FloatArray:
        return Biweight(threshold=4.0).values((u[:, None], np.zeros(u.size)), np.ones(1))

    excess = float(weights @ (psi(nodes + gap) - psi(nodes)))
    bound = (math.log(n / 0.1) / (n * epsilon)) ** 0.25
    return float(ndtr(-1.0)), excess / bound


def flat_start(n_iterations: int) -> tuple[float, float]:
    """Return a bound on the chance that Algorithm 1 sees a gradient at all, and excess/(8).

    d = 1, x = 1, y = 1 + xi, xi = +-0.02, biweight with c = 0.1, w^0 = 0, eta = 1/sqrt(T): while
    w <= 0.88 every gradient is exactly 0 and the vertices +-1 are drawn like fair coins, so that
    w is a weighted sum of signs (Hoeffding; squared weights add up to eta/(2 - eta) at most).
    """
    c, noise = 0.1, 0.02
    eta = 1 / math.sqrt(n_iterations)
    leaves = n_iterations * math.exp(-(0.88**2) / (2 * eta / (2 - eta)))
    excess = c**2 / 6 * (1 - (noise / c) ** 2) ** 3
    # T = sqrt(n/log(T/zeta)), epsilon = 1, zeta = 0.1
    n = n_iterations**2 * math.log(n_iterations / 0.1)
    return leaves, excess / (math.log(n / 0.1) / n) ** 0.25


def _printed_rate_8(rng: Random) -> Outcome:
    del rng
    tests = {epsilon: regression_testing(100, epsilon) for epsilon in (1e8, 1e12, 1e16)}
    flat = {t: flat_start(int(t)) for t in (1e4, 1e8, 1e12)}
    slopes = [biweight_slope(w - 1 - xi, 0.1) for w in (-1.0, 0.0, 0.87) for xi in (-0.02, 0.02)]
    no_gradient = all(slope == 0 for slope in slopes)
    ratios = [[r for _, r in side.values()] for side in (tests, flat)]
    grows = all(v == sorted(v) and v[-1] > 50 * v[0] for v in ratios)
    likely = tests[1e8][0] > 0.1 and max(p for p, _ in flat.values()) < 1e-6
    return Outcome(
        not (grows and likely and no_gradient),
        "refuted with witness",
        f"n = 100, lambda_max = 1: with probability {tests[1e8][0]:.4f} > zeta = 0.1 every "
        "estimator's excess over (8) is at least "
        + ", ".join(f"{v:.3g} (eps = {e:.0e})" for e, (_, v) in tests.items())
        + "; also at epsilon = 1, where psi' vanishes around w^0 the steps are coin tosses: excess "
        "over (8) "
        + ", ".join(f"{v:.3g} (T = {t:.0e})" for t, (_, v) in flat.items())
        + " but for a probability below 1e-6",
        {
            "n": 100,
            "zeta": 0.1,
            "error of every test": tests[1e8][0],
            "ratio by epsilon": {e: v for e, (_, v) in tests.items()},
            "flat start, ratio by T": {t: v for t, (_, v) in flat.items()},
        },
    )


def constant_step_excess(
    n_iterations: int, slope: Fraction, curve: Fraction, error: Fraction
) -> tuple[Fraction, Fraction]:
    """Return h_T and the bound (1 - k eta)^T h_0 + (eta C + err)/k, eta = 1/T', exactly.

    h_t = (1 - k eta) h_{t-1} + eta^2 C + eta err with h_0 = 1 and eta = 1/n_iterations (so that
    the number of steps is eta^-2 as in Theorem 3: T = n_iterations^2).
    """
    eta = Fraction(1, n_iterations)
    h = Fraction(1)
    for _ in range(n_iterations**2):
        h = (1 - slope * eta) * h + eta**2 * curve + eta * error
    return h, (1 - slope * eta) ** (n_iterations**2) + (eta * curve + error) / slope


def _corrected_rate_8(rng: Random) -> Outcome:
    """Derive max(1, lambda_max) (log/(n min(eps, 1)))^(1/4).

    If h(u) >= c u for u = <x, w - w*>, 0 <= u <= u_max, then <L'(w), w - w*> = E u h(u) >= c E u^2
    and L(w) - L(w*) = E int_0^u h <= (C/2) E u^2, so a Frank-Wolfe step contracts the excess by
    1 - (2c/C) eta, up to eta^2 (curvature, proportional to lambda_max) and eta err.
    """
    curve, error = monomial("lambda T^-1/2"), monomial("l^1/2 T^1/2 n^-1/2")
    balanced = (
        substitute(curve, T=STEPS_8) == times((RATE_8, 1), (monomial("lambda"), 1))
        and substitute(error, T=STEPS_8) == RATE_8
    )
    worst = Fraction(0)
    for root, slope in product((2, 5, 8), (Fraction(1, 4), Fraction(1))):
        c, e = (Fraction(int(k), 10) for k in rng.integers(1, 30, 2))
        h, bound = constant_step_excess(root, slope, c, e)
        worst = max(worst, h / bound)
    # the dominance for the biweight with c = 4, |u| <= 2, no noise: h(u) = psi'(u)
    u = np.linspace(1e-3, 2, 500)
    slopes = np.array([biweight_slope(float(v), 4.0) for v in u])
    constant = float((slopes / u).min())
    values = 16 / 6 * (1 - (1 - (u / 4) ** 2) ** 3)
    dominated = bool(np.all(u * slopes >= 2 * constant * values * (1 - 1e-12)))
    return Outcome(
        balanced and worst <= 1 and dominated and constant > 0.5,
        "checked by search",
        "with T = sqrt(n eps/log) the curvature term is lambda_max (log/(n eps))^(1/4) and the "
        "error term the same without lambda_max (exact exponents); the recursion is at most "
        f"{float(worst):.4f} of its bound; biweight, c = 4, |u| <= 2: h(u) >= {constant:.4f} u and "
        "u h(u) >= 2 (c_psi/C_psi) psi(u)",
    )


# ======================================================================== Algorithm 2: the LASSO


def _one_record_law(label: int, epsilon: Interval, log_inverse: Interval) -> Interval:
    """P(v = 1) for x = 1, y = label, n = T = K = 1 and W = [-1, 1], w^0 = 0, as printed."""
    step = epsilon / (2 * iv.sqrt(2 * log_inverse))
    rate = step / (2 * 16)  # Delta = 8 ||W||_1 K^2/n, ||W||_1 = 2
    gradient = -2 * label
    return 1 / (1 + iv.exp(2 * rate * gradient))


def _printed_lasso_privacy(rng: Random) -> Outcome:
    del rng
    epsilon = interval("0.99")
    found = {}
    for gap in ("1e-4", "1e-5", "1e-6"):
        log_inverse = -iv.log(1 - interval(gap))
        # 1 - delta(epsilon) = 1 - p + e^epsilon q with 1 - p = q
        found[gap] = (1 + iv.exp(epsilon)) * _one_record_law(-1, epsilon, log_inverse)
    violated = upper(found["1e-6"]) < mp.mpf("1e-6")
    return Outcome(
        not violated,
        "refuted with witness",
        "n = T = 1, records (1, 1) against (1, -1), epsilon 0.99: 1 - delta(epsilon) = "
        + ", ".join(f"{float(value.mid):.3g} (claim {gap})" for gap, value in found.items())
        + ", by interval arithmetic: violated from 1 - delta = 1e-5 on",
        {
            "epsilon": 0.99,
            "delta": "1 - 1e-6",
            "1 - true delta at most": float(upper(found["1e-6"])),
            "names": "Algorithm 1, where Algorithm 2 is meant",
        },
    )


def lasso_step_range(radius: Fraction) -> Fraction:
    """Return (range of the score changes)/(2 Delta) of an attained pair: the loss over eps'.

    w = R e_1, K = n = 1, records ((1, 1), -1) and ((1, -1), -1); Delta = 8 ||W||_1 = 16 R.
    """
    w = (radius, Fraction(0))
    pair = [
        [2 * x * (dot(features, w) - label) for x in features]
        for features, label in (
            ((Fraction(1), Fraction(1)), Fraction(-1)),
            ((Fraction(1), Fraction(-1)), Fraction(-1)),
        )
    ]
    change = [a - b for a, b in zip(*pair, strict=True)]
    largest: Fraction = radius * max(map(abs, change))  # the vertices are +-R e_j
    return 2 * largest / (2 * 16 * radius)


def _corrected_lasso_privacy(rng: Random) -> Outcome:
    """T steps of eps'-bounded range are T eps'^2/8 = eps^2/(64 L)-zCDP, L = log(1/delta).

    eps^2/(64 L) + 2 sqrt(eps^2/64) = eps^2/(64 L) + eps/4 <= eps exactly if L >= eps/48.
    """
    del rng
    algebra = all(
        (e**2 / (64 * log) + e / 4 <= e) == (log >= e / 48)
        for e, log in product(
            [Fraction(k, 20) for k in range(1, 20)], [Fraction(k, 960) for k in range(1, 60)]
        )
    )
    worst = 0.0
    for epsilon, delta, steps in product((0.1, 0.5, 0.99), (1e-6, 0.1, 0.7, 0.979), (1, 10, 1000)):
        step = epsilon / (2 * math.sqrt(2 * steps * math.log(1 / delta)))
        worst = max(worst, zcdp_epsilon(steps * step**2 / 8, delta) / epsilon)
    radii = {r: lasso_step_range(Fraction(r)) for r in (1, 3, 4, 10)}
    ranges = all(value == Fraction(1 + r, 4) for r, value in radii.items())
    return Outcome(
        algebra and worst <= 1 and ranges,
        "proved exactly",
        "true for delta <= exp(-epsilon/48), so for delta <= 0.979 if epsilon < 1 (zCDP of the "
        f"bounded range, every T; at most {worst:.4f} epsilon on a grid) and R <= 3: the loss of a "
        f"step is (1 + R)/4 eps', {float(radii[10]):.2f} eps' at R = 10",
    )


def _random_law(rng: Random, points: int = 6) -> tuple[list[list[Fraction]], list[Fraction]]:
    """Return a random law of (x_1, x_2, y) on a few rational points."""
    values = [[Fraction(int(k)) for k in row] for row in rng.integers(-9, 10, (points, 3))]
    weights = rng.integers(1, 50, points)
    return values, [Fraction(int(w), int(weights.sum())) for w in weights]


def _expect(
    law: tuple[list[list[Fraction]], list[Fraction]], value: Callable[..., Fraction]
) -> Fraction:
    return sum((p * value(*row) for row, p in zip(*law, strict=True)), Fraction(0))


def _fourth_moments(rng: Random) -> Outcome:
    """Cauchy-Schwarz: E(x_j x_k)^2 <= max_j E x_j^4, which is among the moments (j_1 = j_2)."""
    worst = Fraction(0)
    for _ in range(200):
        law = _random_law(rng)
        mixed = _expect(law, lambda x, z, _: (x * z) ** 2)
        largest = max(_expect(law, lambda x, *_: x**4), _expect(law, lambda _, z, *__: z**4))
        worst = max(worst, mixed / largest)
    return Outcome(
        Fraction(1, 2) < worst <= 1,
        "proved exactly",
        f"200 random rational laws: mixed moments at most {float(worst):.4f} of the largest E "
        "x_j^4, so the assumption is E x_j^4 <= M and E y^4 <= M",
    )


def _which_is_weaker(rng: Random) -> Outcome:
    """Take x = +-1, y = +-k with probability 1/(2 k^2) each, else 0, independent: E y^2 = 1."""
    del rng
    moments = {}
    for k in (2, 10, 1000):
        law = {Fraction(k): Fraction(1, 2 * k**2), Fraction(-k): Fraction(1, 2 * k**2)}
        law[Fraction(0)] = 1 - Fraction(1, k**2)
        first = max(
            sum((p * (2 * x * (x * w - y)) ** 2 / 2 for y, p in law.items() for x in (-1, 1)))
            for w in (Fraction(-1), Fraction(0), Fraction(1))
        )
        moments[k] = (first, sum(p * y**4 for y, p in law.items()))
    bounded = all(first == 8 for first, _ in moments.values())
    unbounded = all(fourth == k**2 for k, (_, fourth) in moments.items())
    # the first part of the remark: 2(a-b)^2 + 2b^2 - a^2 = (a-2b)^2
    square = all(
        2 * (a - b) ** 2 + 2 * b**2 - a**2 == (a - 2 * b) ** 2
        for a, b in product(map(Fraction, range(-2, 3)), repeat=2)
    )
    return Outcome(
        not (bounded and unbounded and square),
        "refuted with witness",
        "x = +-1, y = +-k w.p. 1/k^2 else 0: Assumption 1 holds with tau = 8 for every k (exact), "
        "while E y^4 = "
        + ", ".join(f"{float(m):g} (k = {k})" for k, (_, m) in moments.items())
        + "; in the limit (y ~ t3) it is infinite. E(x_j x_k)^2 <= 4 tau is right (exact)",
        {"tau": 8, "E y^4": {str(k): float(m) for k, (_, m) in moments.items()}},
    )


def _moments_from_assumption_3(rng: Random) -> Outcome:
    """E(2 x_j (<x,w> - y))^2 <= 8 E x_j^2 <x,w>^2 + 8 E x_j^2 y^2 <= 16 M on the unit l1 ball.

    It is convex in w, so it is largest at a vertex +-e_k.
    """
    worst = Fraction(0)
    for _ in range(200):
        law = _random_law(rng)
        m = max(
            _expect(law, lambda x, *_: x**4),
            _expect(law, lambda _, z, *__: z**4),
            _expect(law, lambda _, __, y: y**4),
        )
        for sign, k in product((-1, 1), (0, 1)):
            moment = _expect(
                law, lambda x, z, y, s=sign, k=k: (2 * x * (s * (x, z)[k] - y)) ** 2
            )  # fmt: skip
            worst = max(worst, moment / m)
    attained = (2 * Fraction(1) * (1 - Fraction(-1))) ** 2  # x = 1, y = -1, w = 1, M = 1
    return Outcome(
        Fraction(4) < worst <= 16 and attained == 16,
        "proved exactly",
        f"200 random rational laws, all vertices: at most {float(worst):.3f} M; 16 M is attained "
        "by x = 1, y = -1, w = 1",
    )


def shrinkage_constant() -> tuple[Subdivision, Subdivision, bool, Fraction]:
    """Prove |x~ z~ - x z| <= (x^4 + z^4)/(8 K^2), so that |E(x~ z~ - x z)| <= M/(4 K^2).

    K = 1 and x, z >= 0 without loss. Both above 1: x z - 1 <= (x z)^2/4 <= (x^4 + z^4)/8. Only x
    above 1: by intervals up to x = 2, and from there on (x - 1) z <= x <= x^4/8.

    Returns
    -------
    tuple
        The interval proofs for 1 <= x <= 2, 0 <= z <= 1 and for x >= 2; whether the squares agree
        (v^2/4 - v + 1 and (x^2 - z^2)^2); and the constant attained by x = z = u with u^2 = 2.
    """
    mixed = prove_nonnegative(lambda x, z: (x**4 + z**4) / 8 - (x - 1) * z, [(1, 2), (0, 1)])
    far = prove_nonnegative(lambda y: 1 - 8 * y**3, [(0, "0.5")])  # y = 1/x
    grid = [Fraction(k, 2) for k in range(5)]
    squares = all(v**2 / 4 - v + 1 == (v / 2 - 1) ** 2 for v in grid) and all(
        (x**4 + z**4) / 2 - (x * z) ** 2 == (x**2 - z**2) ** 2 / 2 for x, z in product(grid, grid)
    )
    square = Fraction(2)  # u^2
    return mixed, far, squares, (square - 1) / square**2


K_LASSO = monomial("n^1/4 T^-1/8")
STEPS_9 = monomial("n^2/5 lambda^4/5 L^-2/5 l^-4/5")
RATE_9 = monomial("lambda^1/5 L^2/5 l^4/5 n^-2/5")


def _lasso_rate(rng: Random) -> Outcome:
    """Balance bias M/K^2, selection K^2 sqrt(T L) l/(n eps) and lambda_max/T."""
    del rng
    terms = (
        substitute(monomial("K^-2"), K=K_LASSO),
        substitute(monomial("K^2 T^1/2 L^1/2 l n^-1"), K=K_LASSO),
        monomial("lambda T^-1"),
    )
    rates = [substitute(term, T=STEPS_9) for term in terms]
    # the bias is smaller by sqrt(L) l, as K is printed without them
    exact = rates[1] == rates[2] == RATE_9
    smaller = times((rates[0], 1), (monomial("L^1/2 l"), 1)) == RATE_9
    mixed, far, squares, attained = shrinkage_constant()
    return Outcome(
        exact and smaller and bool(mixed) and bool(far) and squares,
        "proved exactly",
        "selection error and lambda_max/T balance at the printed K and T to (9), and the bias is "
        "below, in exact exponents with the root in (9) over log(1/delta) only; |E(x~z~ - xz)| <= "
        f"M/(4 K^2) by intervals and squares ({attained} M/K^2 at x = z = sqrt2 K)",
    )


def _printed_rates(rng: Random) -> Outcome:
    del rng
    derived = {"Algorithm 1": -RATE_6_CORRECTED["n"], "Algorithm 2": -RATE_9["n"]}
    printed = {
        "abstract, Algorithm 1 (l.52)": ("Algorithm 1", Fraction(3, 5)),
        "abstract, Algorithm 2 (l.52)": ("Algorithm 2", Fraction(5, 3)),
        "introduction, Algorithm 2 (l.88)": ("Algorithm 2", Fraction(1, 3)),
        "after Theorem 3, Algorithm 2 (l.245)": ("Algorithm 2", Fraction(2, 3)),
    }
    wrong = {
        where: f"{value} for {derived[which]}"
        for where, (which, value) in printed.items()
        if value != derived[which]
    }
    return Outcome(
        not wrong,
        "refuted with witness",
        "exponents of 1/(n epsilon) other than those of Theorems 2 and 5: "
        + ", ".join(f"{where} {what}" for where, what in wrong.items()),
        wrong,
    )


def _conclusion_rates(rng: Random) -> Outcome:
    """Compare the exponents 1/3 and 2/5 of the conclusion (l.421) with the balance."""
    del rng
    found = -RATE_6_CORRECTED["n"], -RATE_9["n"]
    return Outcome(
        found == (Fraction(1, 3), Fraction(2, 5)),
        "proved exactly",
        f"the balances behind Theorems 2 and 5 give {found[0]} and {found[1]}, as the conclusion "
        "says",
    )


# ========================================================= Algorithms 3 and 5: sparse estimation


def sparse_regression_delta(epsilon: float, delta: float, s: int) -> float:
    """Return a certified delta(epsilon) of one step of Algorithm 3, as printed, over delta.

    By pure DP or zCDP. The scale is Peeling's for sqrt(s+1), the sensitivity is proportional to
    sqrt(s) + 1.
    """
    sensitivity = math.sqrt(s) + 1
    scale = printed_noise_scale(epsilon, delta, sparsity=s, sensitivity=math.sqrt(s + 1))
    costs = [NoisyMax(scale).cost(sensitivity), Laplace(scale).cost(sensitivity)]
    composed = Composition([Charge(cost) for cost in costs for _ in range(s)])
    return 0.0 if composed.pure <= epsilon else zcdp_delta(composed.rho, epsilon) / delta


def one_value_complement(ratio: float, gap: float, epsilon: float) -> float:
    """Return 1 - delta(epsilon) of Peeling with s = d = 1 at delta = 1 - gap.

    One Laplace value, whose sensitivity is ``ratio`` times the lambda handed to Peeling; the
    complement of :func:`~reference.privacy.guarantees.laplace_delta`, without its rounding.
    """
    scale = printed_noise_scale(epsilon, 1 - gap, sparsity=1, sensitivity=1.0)
    return math.exp(min(0.0, (epsilon - ratio / scale) / 2))


def _printed_sparse_privacy(rng: Random) -> Outcome:
    """Take d = s = n = T = 1, w^1 = 0, K^2 eta_0 = 1/2, records (K, K) and (K, -K).

    w^1.5 is 1/2 or -1/2, lambda = 2 sqrt 2 K^2 eta_0; projecting on [-1, 1] keeps the best event,
    a half-line that ends between them.
    """
    del rng
    found = one_value_complement(1 / _SQRT2, 1e-6, 0.99)
    return Outcome(
        not found < 1e-6,
        "refuted with witness",
        "s = d = n = 1, epsilon 0.99, delta = 1 - 1e-6: the Laplace scale vanishes with "
        f"log(1/delta), 1 - delta(epsilon) = {found:.2g} < 1e-6",
        {
            "s": 1,
            "d": 1,
            "records": "(K, K) against (K, -K), K^2 eta_0 = 1/2, w^1 = 0",
            "epsilon": 0.99,
            "delta": "1 - 1e-6",
            "1 - true delta": found,
        },
    )


def _corrected_sparse_privacy(rng: Random) -> Outcome:
    del rng
    worst = max(
        sparse_regression_delta(epsilon, delta, s)
        for epsilon, delta, s in product(
            (0.1, 0.5, 0.99), (0.09, 0.05, 1e-2, 1e-3, 1e-5, 1e-9), (*range(1, 60), 300)
        )
    )
    ratios = [(math.sqrt(s) + 1) / math.sqrt(s + 1) for s in range(1, 2000)]
    falls = all(a >= b for a, b in pairwise(ratios))
    return Outcome(
        0 < worst <= 1 and falls,
        "checked at high precision",
        "as printed, epsilon to 0.99, delta 0.09 to 1e-9, s = 1 to 59 and 300: delta(epsilon) by "
        f"pure DP or zCDP at most {worst:.3f} of the claim, though the scale is too small for its "
        f"sensitivity by (sqrt(s)+1)/sqrt(s+1), {ratios[0]:.4f} at s = 1 and falling in s",
    )


K_SPARSE = monomial("n^1/4 s^-1/4 T^-1/4")
RATE_THEOREM_7 = monomial("s^2 T L n^-1")
PEELING_NOISE = monomial("s^2 L n^-2 T^2")  # s b^2 for lambda = T/n, eps in n
REGRESSION_NOISE = times((PEELING_NOISE, 1), (monomial("K^4 s"), 1))  # lambda = K^2 sqrt(s) T/n


def _sparse_regression_rate(rng: Random) -> Outcome:
    """Peeling releases s values with variance 2 b^2, b = 2 lambda sqrt(3 s L)/eps, exactly."""
    noise = substitute(REGRESSION_NOISE, K=K_SPARSE)
    # s coordinates with a bias of M/K^2 each
    bias = substitute(monomial("s K^-4"), K=K_SPARSE)
    balanced = noise == RATE_THEOREM_7 and times((bias, 1), (monomial("L"), 1)) == noise
    scales = [printed_noise_scale(0.5, 1e-3, sparsity=s, sensitivity=1.0) for s in (3, 12)]
    doubled = abs(scales[1] / scales[0] - 2)
    # w^1 in the unit ball, ||w*|| <= 1/2: closer than 3/2 <= (3/2) gamma/mu always
    w = rng.standard_normal((2, 1000, 4))
    w /= np.linalg.norm(w, axis=2, keepdims=True)
    farthest = float(np.linalg.norm(w[0] - w[1] / 2, axis=1).max())
    return Outcome(
        balanced and doubled < 1e-12 and 1.4 < farthest <= 1.5,
        "proved exactly",
        "checked: the powers of s, n, eps, T and log(1/delta), not gamma and mu. Noise s b^2 at "
        "the printed K is s^2 T log(1/delta)/(n eps), with T ~ log n the claim; a bias of M/K^2 "
        "per coordinate gives the same s^2 T/(n eps). The condition ||w^1 - w*|| <= O(gamma/mu) "
        f"is empty: gamma/mu >= 1 and ||w^1 - w*|| <= 3/2 (found {farthest:.3f})",
    )


def _thresholds(rng: Random) -> Outcome:
    """K^4 = n eps/sqrt(T) and n eps/(sT) make bias and noise the same power of everything."""
    lasso = substitute(monomial("K^-2"), K=K_LASSO), substitute(
        monomial("K^2 T^1/2 n^-1"), K=K_LASSO
    )  # fmt: skip
    sparse = substitute(monomial("s K^-4"), K=K_SPARSE), substitute(
        monomial("K^4 s^3 T^2 n^-2"), K=K_SPARSE
    )  # fmt: skip
    # ||w* + half|| <= 1 for ||w*|| <= 1/2: the claim that w^{t+0.75} stays in the unit ball
    u = rng.standard_normal((2, 1000, 3))
    u *= 0.5 / np.linalg.norm(u, axis=2, keepdims=True)
    farthest = float(np.linalg.norm(u.sum(axis=0), axis=1).max())
    return Outcome(
        lasso[0] == lasso[1] and sparse[0] == sparse[1] and 0.98 < farthest <= 1 + 1e-12,
        "proved exactly",
        "K^-2 = K^2 sqrt(T)/(n eps) and s K^-4 = s^3 K^4 T^2/(n eps)^2 at the two printed K, exact "
        f"exponents; ||w*|| <= 1/2 and ||w - w*|| <= 1/2 give ||w|| <= 1 (found {farthest:.4f})",
    )


def gradient_moments(position: float) -> dict[str, float]:
    """Return E(grad_1)^2 at w = (position, 0), x = +-1, for the two named examples."""
    x = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    w = np.array([position, 0.0])
    ridge = Ridge(Logistic(), 0.1)
    return {
        "sparse mean": float((SquaredDistance().gradients(x, w)[:, 0] ** 2).mean()),
        "ridge logistic": float((ridge.gradients((x, np.ones(4)), w)[:, 0] ** 2).mean()),
    }


def _unbounded_moments(rng: Random) -> Outcome:
    del rng
    found = {t: gradient_moments(t) for t in (1.0, 1e3, 1e6)}
    grows = all(
        found[1e6][name] > 1e5 * found[1e3][name] > 1e5 * found[1.0][name] for name in found[1.0]
    )
    return Outcome(
        not grows,
        "refuted with witness",
        "1-sparse w = (t, 0), x uniform on {-1, 1}^2: E(grad_1)^2 = "
        + "; ".join(
            f"{moments['sparse mean']:.3g} and {moments['ridge logistic']:.3g} (t = {t:.0e})"
            for t, moments in found.items()
        )
        + " for the sparse mean and the ridge-logistic loss: no tau holds on {||w||_0 <= s}",
        {f"t = {t:.0e}": moments for t, moments in found.items()},
    )


def _bounded_moments(rng: Random) -> Outcome:
    """Minkowski: sqrt E(2(w_j - x_j))^2 <= 2(B + sqrt m), and lambda B + sqrt m, m = E x_j^2."""
    worst = 0.0
    for _ in range(300):
        x = rng.standard_t(3, (40, 3)) * 10 ** rng.uniform(-1, 1)
        radius, strength = float(10 ** rng.uniform(-1, 2)), float(10 ** rng.uniform(-2, 1))
        w = np.zeros(3)
        w[int(rng.integers(3))] = radius * rng.choice([-1.0, 1.0])
        labels = rng.choice([-1.0, 1.0], 40)
        root = np.sqrt((x**2).mean(axis=0))
        mean = (SquaredDistance().gradients(x, w) ** 2).mean(axis=0)
        ridge = (Ridge(Logistic(), strength).gradients((x, labels), w) ** 2).mean(axis=0)
        worst = max(
            worst,
            float((mean / (2 * (radius + root)) ** 2).max()),
            float((ridge / (strength * radius + root) ** 2).max()),
        )
    return Outcome(
        0.9 < worst <= 1 + 1e-12,
        "checked by search",
        "on ||w||_2 <= B tau = 4(B + sqrt m)^2 and (lambda B + sqrt m)^2 hold: at most "
        f"{worst:.4f} in 300 random cases",
    )


def _printed_sparse_optimisation(rng: Random) -> Outcome:
    """Privacy as delta -> 1; and at the printed k the released noise alone has size s^2."""
    del rng
    # lambda as printed is three times the bound on the sensitivity; precision 1
    found = one_value_complement(math.erf(math.sqrt(0.5)) / 3, 1e-6, 0.99)
    noise = times((PEELING_NOISE, 1), (monomial("k^2"), 1))
    alone = substitute(noise, k=monomial("n^1/2 tau^1/2"))
    above = degree(times((alone, 1), (RATE_THEOREM_8, -1)), s=1)
    return Outcome(
        not (found < 1e-6 and above == Fraction(1, 2)),
        "refuted with witness",
        f"s = d = 1, epsilon 0.99, delta = 1 - 1e-6: 1 - delta(epsilon) = {found:.2g} < 1e-6 in "
        "spite of the threefold noise; at k = sqrt(n eps tau) the noise of the s released values, "
        f"2 s b^2, is s^{alone['s']} tau/(n eps): s^({above}) above the claimed rate",
        {
            "epsilon": 0.99,
            "delta": "1 - 1e-6",
            "1 - true delta": found,
            "noise": f"s^{alone['s']}",
            "claim": f"s^{RATE_THEOREM_8['s']}",
        },
    )


K_THEOREM_8 = monomial("n^1/2 tau^1/2 T^-1/2 s^-1/4 L^-1/4 l^-1/2")
RATE_THEOREM_8 = monomial("tau s^3/2 T l L^1/2 n^-1")


def _corrected_sparse_optimisation(rng: Random) -> Outcome:
    """Check rho + 2 sqrt(rho L) <= eps for rho = (5/24) eps^2/(9 L), L = eps/30; the balance."""
    del rng
    worst = 0.0
    for epsilon, s in product((0.1, 0.5, 0.99), (1, 10, 1000)):
        delta = math.exp(-epsilon / 30)
        scale = printed_noise_scale(epsilon, delta, sparsity=s, sensitivity=3.0)
        rho = s * (NoisyMax(scale).cost(1.0).rho + Laplace(scale).cost(1.0).rho)
        worst = max(worst, zcdp_epsilon(rho, delta) / epsilon)
    noise = times((PEELING_NOISE, 1), (monomial("k^2 l^2"), 1))
    bias = monomial("s tau^2 k^-2")
    balanced = all(substitute(term, k=K_THEOREM_8) == RATE_THEOREM_8 for term in (noise, bias))
    return Outcome(
        worst <= 1 and balanced,
        "checked at high precision",
        f"private for delta <= exp(-epsilon/30): zCDP costs at most {worst:.4f} epsilon, s to "
        "1000; bias s tau^2/k^2 and noise s b^2 log^2 d balance to tau s^(3/2) T log d "
        "sqrt(log(1/delta))/(n eps) at k^2 = n eps tau/(T sqrt(s L) log d), exactly",
    )


def _quoted_rate(rng: Random) -> Outcome:
    """Compare the rate s*^2 quoted from Theorem 8 with the remark's own gap to Theorem 7."""
    del rng
    quoted = monomial("tau s^2 n^-1")
    gap = RATE_THEOREM_7["s"] - quoted["s"]
    return Outcome(
        gap == Fraction(1, 2),
        "refuted with witness",
        f"s*^2 is also Theorem 7's power, so there would be a gap of s*^{gap}, not s*^(1/2); "
        f"Theorem 8 has s*^({RATE_THEOREM_8['s']})",
        {"quoted": "s*^2", "Theorem 7": "s*^2", "Theorem 8": f"s*^({RATE_THEOREM_8['s']})"},
    )


def _gap_of_the_rates(rng: Random) -> Outcome:
    del rng
    gap = degree(times((RATE_THEOREM_7, 1), (RATE_THEOREM_8, -1)), s=1)
    same = degree(RATE_THEOREM_8, n=1) == degree(RATE_THEOREM_7, n=1) == -1
    return Outcome(
        gap == Fraction(1, 2) and same,
        "proved exactly",
        f"Theorem 7 over Theorem 8 is s*^({gap}) tau^(-1) and logarithms, at the same n eps",
    )


# ========================================================================== the lower bound


def _mean_laws(rng: Random) -> tuple[Fraction, Fraction, Fraction]:
    """Return L(mu), tr Cov and the largest |L(w) - L(mu) - (w - mu)^2|, L = E(x - w)^2, exactly."""
    law = _random_law(rng)
    mean = [_expect(law, lambda *row, j=j: row[j]) for j in range(3)]

    def risk(w: Sequence[Fraction]) -> Fraction:
        return _expect(law, lambda *x: sum((a - b) ** 2 for a, b in zip(x, w, strict=True)))

    trace = sum(_expect(law, lambda *x, j=j: x[j] ** 2) - mean[j] ** 2 for j in range(3))
    gaps = []
    for _ in range(5):
        w = [Fraction(int(k), 4) for k in rng.integers(-20, 21, 3)]
        away = sum((a - b) ** 2 for a, b in zip(w, mean, strict=True))
        gaps.append(abs(risk(w) - risk(mean) - away))
    return risk(mean), Fraction(trace), max(gaps)


def _zero_minimum(rng: Random) -> Outcome:
    minimum, _, _ = _mean_laws(rng)
    return Outcome(
        minimum == 0,
        "refuted with witness",
        f"a random law on six points: min L = {float(minimum):.4f}",
        {"min L": float(minimum)},
    )


def _trace_minimum(rng: Random) -> Outcome:
    pairs = [_mean_laws(rng)[:2] for _ in range(30)]
    return Outcome(
        all(a == b for a, b in pairs),
        "proved exactly",
        f"min L = tr Cov(x) exactly for {len(pairs)} random rational laws",
    )


def _excess_is_distance(rng: Random) -> Outcome:
    gap = max(_mean_laws(rng)[2] for _ in range(30))
    return Outcome(
        gap == 0,
        "proved exactly",
        f"L(w) - L(mu) - ||w - mu||^2 = {gap} for 150 rational w and laws",
    )


def reduction_gap(n: int, flip: Fraction, radius: Fraction = Fraction(1)) -> Fraction:
    """Return (least average risk)/(Phi(gamma) testing error) - 1 >= 0, exactly.

    Two laws of a bit, 1/3 and 2/3; each of n bits is flipped with probability ``flip`` before the
    estimator sees it (randomised response); squared loss, gamma = ``radius`` times half the
    separation.
    """
    laws = Fraction(1, 3), Fraction(2, 3)
    gamma = radius * Fraction(1, 6)
    risk = error = Fraction(0)
    for k in range(n + 1):
        seen = [p * (1 - flip) + (1 - p) * flip for p in laws]
        weights = [math.comb(n, k) * q**k * (1 - q) ** (n - k) / 2 for q in seen]
        best = dot(weights, laws) / (weights[0] + weights[1])
        risk += dot(weights, [(best - p) ** 2 for p in laws])
        error += min(weights)
    return risk / (gamma**2 * error) - 1


def _testing(flip: Fraction) -> Callable[[Random], Outcome]:
    def check(rng: Random) -> Outcome:
        del rng
        gaps = {n: reduction_gap(n, flip) for n in (1, 2, 5, 20)}
        return Outcome(
            min(gaps.values()) >= 0,
            "proved exactly",
            "two laws of a bit, squared loss"
            + (f", bits flipped with probability {flip}" if flip else "")
            + ": the best estimator's average risk exceeds Phi(gamma) P(error) by the factor "
            + ", ".join(f"{float(1 + gap):.3f} (n = {n})" for n, gap in gaps.items()),
        )

    return check


def private_packing_bound(log_size: float, epsilon: float, delta: float, k: int) -> float:
    """Return the fraction of (10), without Phi: a bound on the average P(rho >= radius).

    Parameters
    ----------
    log_size : float
        log |V|.
    epsilon, delta : float
    k : int
        ceil(n p).

    Returns
    -------
    float
    """
    inverse = math.exp(-log_size) / -math.expm1(-log_size)  # 1/(|V| - 1)
    kept = math.exp(-epsilon * k)
    lost = -math.expm1(-epsilon * k) / -math.expm1(-epsilon)
    return (kept / 2 - delta * lost) / (inverse + kept)


def _midpoint(rng: Random) -> Outcome:
    """|V| = 2, delta = 0, np = 1 and the constant midpoint: no record matters, P(rho >= rho*) = 0.

    The outer inequality: l_inf, theta_v the corners of {0, 1}^2, the constant centre, Phi = x^2.
    """
    del rng
    right = {e: private_packing_bound(math.log(2), e, 0.0, 1) for e in (1.0, 0.1)}
    centre = 0.5**2
    corners = private_packing_bound(math.log(4), 0.1, 0.0, 1)
    return Outcome(
        not (min(right.values()) > 0 and corners > centre),
        "refuted with witness",
        "|V| = 2, delta = 0, np = 1, constant midpoint: middle of (10) is 0, right side "
        + ", ".join(f"{value:.4f} Phi (eps = {e:g})" for e, value in right.items())
        + f"; corners of {{0,1}}^2 in l_inf, eps = 0.1: risk of the centre {centre} < "
        f"{corners:.3f}",
        {
            "|V|": 2,
            "delta": 0,
            "np": 1,
            "estimator": "constant midpoint",
            "middle": 0.0,
            "right": {str(e): value for e, value in right.items()},
            "corners": {"risk": centre, "right": corners},
        },
    )


def least_failure(size: int, n: int, p: float, epsilon: float, delta: float) -> float:
    """Return the least average P(output != v) over all (epsilon, delta)-DP mechanisms.

    P_0 = point mass at 0, P_v = point mass at v: a linear programme over mechanisms from data
    sets (as multisets, without loss) to V and one more answer. An output within rho*/2 of theta_v
    names v, so this is the least average P(rho >= rho*/2).
    """
    data = list(combinations_with_replacement(range(size + 1), n))
    index = {rows: i for i, rows in enumerate(data)}
    answers = size + 1
    neighbours = [
        (i, index[tuple(sorted((*rows[:j], new, *rows[j + 1 :])))])
        for i, rows in enumerate(data)
        for j in range(n)
        for new in range(size + 1)
    ]
    pairs = sorted({(i, j) for i, j in neighbours if i != j})
    m = len(data) * answers
    z = m + len(pairs) * answers
    upper_rows, upper_bounds = [], []
    for number, (i, j) in enumerate(pairs):
        slack = m + number * answers
        for answer in range(answers):
            row = np.zeros(z)
            row[i * answers + answer] = 1
            row[j * answers + answer] = -math.exp(epsilon)
            row[slack + answer] = -1
            upper_rows.append(row)
            upper_bounds.append(0.0)
        row = np.zeros(z)
        row[slack : slack + answers] = 1
        upper_rows.append(row)
        upper_bounds.append(delta)
    equal = np.zeros((len(data), z))
    for i in range(len(data)):
        equal[i, i * answers : (i + 1) * answers] = 1
    success = np.zeros(z)
    for v in range(1, size + 1):
        for k in range(n + 1):
            rows = (0,) * (n - k) + (v,) * k
            success[index[rows] * answers + v - 1] += binom.pmf(k, n, p) / size
    solution = linprog(
        -success,
        A_ub=np.array(upper_rows),
        b_ub=np.array(upper_bounds),
        A_eq=equal,
        b_eq=np.ones(len(data)),
    )
    assert solution.fun is not None
    return 1 + float(solution.fun)


def packing_slack() -> tuple[float, float]:
    """Return the least and the largest slack of (10) with rho*/2 over small cases, exactly."""
    slacks = [
        least_failure(size, n, p, epsilon, delta)
        - private_packing_bound(math.log(size), epsilon, delta, math.ceil(n * p))
        for size, n in ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2))
        for p, epsilon, delta in product((1 / n, 1.0), (0.1, 1.0), (0.0, 0.05))
    ]
    return min(slacks), max(slacks)


def _half_separation(rng: Random) -> Outcome:
    del rng
    least, largest = packing_slack()
    return Outcome(
        least >= -1e-9,
        "checked at high precision",
        "the best (epsilon, delta)-DP mechanism by linear programming, |V| = 2, 3, n = 1 to 3, 40 "
        f"cases: average P(rho >= rho*/2) exceeds the fraction of (10) by {least:.3f} to "
        f"{largest:.3f}",
    )


def packing_size(d: int, s: int) -> Fraction:
    """Return a lower bound on the size of a packing of s-sparse vectors in {-1, 0, 1}^d.

    At Hamming distance, and so squared l2 distance, at least s/2 (Gilbert: as many as balls of a
    smaller radius fit). Within distance h of a vector are those with ``a`` signs flipped and
    ``b`` of its coordinates exchanged for others, a + 2b <= h.
    """
    radius = -(-s // 2) - 1
    ball = sum(
        math.comb(s, b) * math.comb(d - s, b) * 2**b * math.comb(s - b, a)
        for b in range(radius // 2 + 1)
        for a in range(radius - 2 * b + 1)
    )
    return Fraction(math.comb(d, s) * 2**s, ball)


def greedy_packing(d: int, s: int) -> NDArray[np.int64]:
    """Return a maximal packing of s-sparse vectors in {-1, 0, 1}^d at distance^2 >= s/2."""
    candidates = []
    for support in combinations(range(d), s):
        for signs in product((-1, 1), repeat=s):
            vector = np.zeros(d, dtype=np.int64)
            vector[list(support)] = signs
            candidates.append(vector)
    remaining = np.array(candidates)
    chosen = []
    while remaining.size:
        chosen.append(remaining[0])
        remaining = remaining[(remaining != remaining[0]).sum(axis=1) >= s / 2]
    return np.array(chosen)


def _volume_exponent(d: int, s: int) -> float:
    """(s/2) log((d - s)/(s/2)), the size of the packing usually quoted."""
    return s / 2 * math.log((d - s) / (s / 2))


def minimax_ratio(
    n: int, d: int, s: int, epsilon: float, delta: float, *, printed: bool = True
) -> float:
    """Return the lower bound of the corrected (10), maximised over np = 1..n, over (11).

    P_0 = point mass at 0, P_v = point mass at sqrt(tau/p) v: E X_j^2 <= tau, theta_v =
    sqrt(tau p) v, squared separation >= tau p s/2; with balls of radius rho*/2 a quarter of it.
    ``printed=False``: over s (11) with log(d/s), the stronger rate.
    """
    log_size = math.log(packing_size(d, s))
    best = max(k * private_packing_bound(log_size, epsilon, delta, k) for k in range(1, n + 1))
    bound = best * s / 2 / 4 / n
    log_d = math.log(d / (1 if printed else s))
    rate = min(s * log_d, math.log(1 / delta)) / (n * epsilon)
    return bound / (rate if printed else s * rate)


def explicit_choice(
    d: int, s: int, epsilon: float, delta: float
) -> tuple[float, float, float, int]:
    """Return log |V|, epsilon, delta and the np at which the fraction in (10) is at least 1/8.

    With q = e^{-epsilon np}: (|V|-1) q >= 1 and q >= 4 delta/(1 - e^-epsilon), so the numerator
    is at least (|V|-1) q/4 and the denominator at most 2 (|V|-1) q.
    """
    log_size = math.log(packing_size(d, s))
    small_delta = math.log(-math.expm1(-epsilon) / (4 * delta))
    # log(|V| - 1) > log |V| - 1e-9 for |V| > 1e10
    return log_size, epsilon, delta, int(min(log_size - 1e-9, small_delta) / epsilon)


def class_membership() -> bool:
    """Whether (1-p) P_0 + p P_v lies in the class: E X_j^2 = tau |v_j| and s-sparse mean, exactly.

    tau = 1 and p = 1/k^2, so that sqrt(tau/p) = k is rational.
    """
    for k, v in product((2, 7), greedy_packing(5, 2)[:20]):
        p = Fraction(1, k**2)
        values = [Fraction(k) * int(x) for x in v]
        second = [p * x**2 for x in values]
        mean = [p * x for x in values]
        sparse = sum(x != 0 for x in mean) == 2
        if not sparse or second != [Fraction(abs(int(x))) for x in v]:
            return False
    return True


_LOWER_GRID = tuple(product((10**3, 10**5), (4, 10, 40), (0.1, 1.0), (1e-6, 1e-12, 1e-30)))


def _lower_bound(rng: Random) -> Outcome:
    del rng
    sizes = {(d, s): len(greedy_packing(d, s)) for d, s in ((6, 2), (9, 4), (7, 5))}
    greedy = all(
        size >= max(float(packing_size(d, s)), math.exp(_volume_exponent(d, s)))
        for (d, s), size in sizes.items()
    )
    quoted = all(math.log(packing_size(d, s)) >= _volume_exponent(d, s) for d, s, *_ in _LOWER_GRID)
    n = 3000
    ratios = [minimax_ratio(n, *case) for case in _LOWER_GRID]
    stronger = [minimax_ratio(n, *case, printed=False) for case in _LOWER_GRID]
    eighth = min(private_packing_bound(*explicit_choice(*case)) for case in _LOWER_GRID)
    grid = [private_packing_bound(5.0, 0.5, delta, 6) for delta in (1e-9, 1e-3, 1e-2)]
    sized = [private_packing_bound(size, 0.5, 1e-3, 6) for size in (1.0, 3.0, 9.0)]
    monotone = grid == sorted(grid, reverse=True) and sized == sorted(sized)
    return Outcome(
        greedy
        and quoted
        and monotone
        and class_membership()
        and min(stronger) > 0.01
        and eighth >= 1 / 8,
        "checked at high precision",
        "greedy packings "
        + ", ".join(f"{size} (d={d}, s={s})" for (d, s), size in sizes.items())
        + f"; (10) with rho*/2 at its best np <= n = {n} over (11): {min(ratios):.3f} to "
        f"{max(ratios):.3f} on {len(ratios)} cases (d = 1e3, 1e5, s = 4 to 40), and over s* (11) "
        f"with log(d/s*) >= {min(stronger):.4f}: (11) is not tight; at np = floor(min(log(|V|-1), "
        f"log((1-e^-eps)/(4 delta)))/eps) the fraction is >= {eighth:.4f} >= 1/8",
    )


def rate_gap(s: int, d: int, log_inverse: float) -> float:
    """Return Theorem 8 over (11), without constants and log n."""
    upper_rate = s * math.sqrt(s) * math.log(d) * math.sqrt(log_inverse)
    return upper_rate / min(s * math.log(d), log_inverse)


def _stated_gap(rng: Random) -> Outcome:
    del rng
    d = 10**4
    grid = [float(x) for x in np.geomspace(0.1, 1e6, 2001)]
    least = {s: min(rate_gap(s, d, x) for x in grid) for s in (4, 64, 1024)}
    ratios = [value / math.sqrt(s) for s, value in least.items()]
    return Outcome(
        not (ratios == sorted(ratios) and ratios[-1] > 10 * ratios[0]),
        "refuted with witness",
        "Theorem 8 over (11), least over all delta, d = 1e4: "
        + ", ".join(f"{value:.4g} (s* = {s})" for s, value in least.items())
        + ", i.e. s* sqrt(log d), not sqrt(s*)",
        {"d": d, "least ratio": {str(s): value for s, value in least.items()}},
    )


def _corrected_gap(rng: Random) -> Outcome:
    """With a = s log d, L = log(1/delta): (sqrt(s) a sqrt(L)/min(a, L))^2 = s a (a/L or L/a)."""
    del rng
    worst = closest = 0.0
    for s, d in product((4, 64, 1024), (10**4, 10**6)):
        grid = [rate_gap(s, d, float(x)) for x in np.geomspace(0.1, 1e6, 2001)]
        target = s * math.sqrt(math.log(d))
        worst = max(worst, target / min(grid))
        attained = rate_gap(s, d, s * math.log(d)) / target
        closest = max(closest, abs(attained - 1))
    return Outcome(
        worst <= 1 + 1e-12 and closest < 1e-12,
        "checked by search",
        f"the ratio is at least s* sqrt(log d) for every delta (6 pairs s*, d; least/target >= "
        f"{1 / worst:.6f}), with equality at log(1/delta) = s* log d; against the stronger rate s* "
        "(11) it is then sqrt(log d)",
    )


# ---------------------------------------------------------------------------- the statements

_MEAN = ("wang-mean",)
_ALL = ("hu-1", "hu-2", "hu-3", "hu-5")
_EXPONENTIAL = ("hu-1", "hu-2")

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "003",
        "Definition 1",
        "111",
        "D ~ D' if they differ by one data sample; P(S) <= e^eps P'(S) + delta",
        "definition",
        "true",
        _replace_one,
        algorithms=_ALL,
    ),
    Statement(
        "003",
        "Definition 2",
        "117",
        "adding Lap(Delta_1/eps) to each coordinate is eps-DP; density e^{-|x|/lambda}/(2 lambda)",
        "privacy",
        "true",
        _laplace,
        algorithms=("zhang-1",),
    ),
    Statement(
        "003",
        "Definition 3",
        "119",
        "the exponential mechanism, P(r) prop. to exp(eps u(D, r)/(2 Delta)), is eps-DP",
        "privacy",
        "true",
        _exponential,
        algorithms=_EXPONENTIAL,
    ),
    Statement(
        "003",
        "Lemma 1",
        "123-127",
        "P(u(output) <= OPT - (2 Delta/eps)(ln|R| + t)) <= e^-t",
        "utility",
        "true",
        _exponential_utility,
        algorithms=_EXPONENTIAL,
    ),
    Statement(
        "003",
        "Lemma 2",
        "129",
        "T mechanisms, each (eps/(2 sqrt(2T ln(2/delta))), delta/T)-DP, are (eps, 2 delta)-DP",
        "composition",
        "true",
        _advanced_composition,
        algorithms=("hu-2",),
    ),
    Statement(
        "003",
        "Definition 4",
        "131-149",
        "excess population risk L(w_priv) - min_W L, w_priv possibly outside W",
        "definition",
        "true",
        _excess_risk,
        algorithms=_ALL,
    ),
    Statement(
        "003",
        "Definition 5",
        "151",
        "|f(w) - f(w')| <= L ||w - w'||; for the l1 norm, a bound on ||gradient||_inf (l.159)",
        "definition",
        "true",
        _dual_lipschitz,
        algorithms=("hu-1",),
    ),
    Statement(
        "003",
        "Definition 6",
        "153",
        "alpha-smooth: f(w') <= f(w) + <f'(w), w'-w> + (alpha/2)||w'-w||_2^2",
        "definition",
        "true",
        _smoothness,
        algorithms=("hu-1", "hu-2"),
    ),
    Statement(
        "003",
        "Assumption 1",
        "167",
        "L_D is alpha-smooth; E(grad_j l(w, x))^2 <= tau for all w in W, j in [d]",
        "assumption",
        "true",
        _moment_assumption,
        algorithms=("hu-1",),
    ),
    Statement(
        "003",
        "Assumption 1, lower bound",
        "169",
        "non-smooth l1-Lipschitz losses: excess risk Omega(sqrt(log d/n) + sqrt(d)/(n eps))",
        "lower bound",
        "not checkable",
        reason="quoted from [2], whose construction is not in the text",
        algorithms=("hu-1",),
    ),
    Statement(
        "003",
        "(1)",
        "173-175",
        "(s/n) sum phi(x_i/s) is about E x",
        "approximation",
        "true",
        _plain_bias,
        algorithms=_MEAN,
    ),
    Statement(
        "003",
        "(2)",
        "177-181",
        "phi(x) = x - x^3/6 on |x| <= sqrt2, +-2 sqrt2/3 beyond; |phi| <= 2 sqrt2/3",
        "approximation",
        "true",
        _phi_is_bounded,
        algorithms=_MEAN,
    ),
    Statement(
        "003",
        "(3)",
        "183-185",
        "x~(eta) = (s/n) sum phi((x_i + eta_i x_i)/s), E eta = 0",
        "identity",
        "true",
        _multiplied,
        algorithms=_MEAN,
    ),
    Statement(
        "003",
        "(4)",
        "187-191",
        "x^(s, beta) = (s/n) sum int phi((x_i + eta x_i)/s) d chi(eta), chi = N(0, 1/beta)",
        "identity",
        "true",
        _integrated,
        algorithms=_MEAN,
    ),
    Statement(
        "003",
        "(5)",
        "193-197",
        "E phi(a + b sqrt(beta) eta) = a(1 - b^2/2) - a^3/6 + C-hat(a, b), b > 0",
        "identity",
        "true",
        _closed_form,
        algorithms=_MEAN,
    ),
    Statement(
        "003",
        "(4), sensitivity",
        "199",
        "replacing one sample moves x^(s, beta), and every entry of g~, by at most 4 sqrt2 s/(3n)",
        "sensitivity",
        "true",
        _robust_sensitivity,
        algorithms=("wang-mean", "hu-1", "hu-5"),
    ),
    Statement(
        "003",
        "(4), concentration",
        "171-191",
        "|x^ - E x| <= s(beta/2 + log(2/zeta))/n + v(1 + 1/beta)/(2s) with probability 1 - zeta "
        "(implicit, from [16])",
        "concentration",
        "true",
        concentration_proved,
        algorithms=("wang-mean", "hu-1", "hu-5"),
    ),
    Statement(
        "003",
        "(4), concentration (samples)",
        "171-191",
        "the same for samples of t(3) and of a Pareto law with tail index 2.5",
        "concentration",
        "true",
        concentration_simulated,
        algorithms=("wang-mean", "hu-1", "hu-5"),
    ),
    Statement(
        "003",
        "Theorem 1",
        "216",
        "for any eps > 0, Algorithm 1 is eps-DP",
        "privacy",
        "true",
        _pure_privacy,
        algorithms=("hu-1",),
    ),
    Statement(
        "003",
        "Theorem 2",
        "218-220",
        "excess risk O(||W||_1 (alpha tau log(n|V|d/zeta))^(1/3)/(n eps)^(1/3)) with T = "
        "O~((n eps alpha^2/(tau log))^(1/3)), eta_{t-1} = 2/(t+2)",
        "utility",
        "false",
        _printed_rate_6,
        reason="the exponent of ||W||_1 (not invariant under a change of units of w); stated for "
        "every eps, but below the statistical error for eps >> 1; and eta_0 = 2/3 keeps a third of "
        "the initial error where T = O(1)",
        corrected="||W||_1^(4/3) (alpha tau log)^(1/3)/(n min(eps, 1))^(1/3) with T = (n min(eps, "
        "1) alpha^2 ||W||_1^2/(tau log))^(1/3) >= 1 and eta_{t-1} = 2/(t+1)",
        corrected_check=_corrected_rate_6,
        algorithms=("hu-1",),
        errata=(("hu-1", 1), ("hu-1", 2)),
    ),
    Statement(
        "003",
        "Remark 1",
        "222",
        "from O(d) to O(log d); [51] sets s = O(sqrt n), here s depends on n, eps and T",
        "remark",
        "true",
        _scale_of_51,
        algorithms=("hu-1",),
    ),
    Statement(
        "003",
        "Corollary 1",
        "224-226",
        "E(<x,w> - y)^2 is lambda_max(E xx^T)-smooth; excess risk O((lambda_max log(d/zeta) "
        "log n)^(1/3)/(n eps)^(1/3))",
        "utility",
        "false",
        _lasso_smoothness,
        reason="the Hessian is 2 E xx^T (the text's gradient is that of half the loss); absorbed "
        "in the O",
        corrected="2 lambda_max(E xx^T)-smooth; the same powers",
        corrected_check=_lasso_smoothness_corrected,
        algorithms=("hu-1",),
        errata=(("hu-1", 3),),
    ),
    Statement(
        "003",
        "Assumption 2",
        "230-237",
        "max{psi', psi''} <= C_psi; psi' odd with psi'(s) > 0 for s > 0, which includes the "
        "biweight loss; h'(0) > c_psi; y = <w*, x> + xi",
        "assumption",
        "false",
        _biweight_excluded,
        reason="the biweight loss has psi' = 0 beyond c, so it is excluded by psi'(s) > 0",
        corrected="psi'(s) >= 0 for s > 0",
        corrected_check=_biweight_included,
        algorithms=("hu-1",),
        errata=(("hu-1", 4),),
    ),
    Statement(
        "003",
        "Theorem 3",
        "239-241",
        "excess risk O(lambda_max log^(1/4)(dn/zeta)/(n eps)^(1/4)) with eta = 1/sqrt T, T = "
        "O~(sqrt(n eps/log(dT/zeta)))",
        "utility",
        "false",
        _printed_rate_8,
        reason="stated for every eps, but below the statistical error for eps >> 1; and h'(0) > "
        "c_psi is local: where psi' vanishes (the biweight loss) the algorithm may see no gradient",
        corrected="max(1, lambda_max) (log(dn/zeta)/(n min(eps, 1)))^(1/4), if h(u) >= c_psi u for "
        "all u = |<x, w - w*>| that occur",
        corrected_check=_corrected_rate_8,
        algorithms=("hu-1",),
        errata=(("hu-1", 2),),
    ),
    Statement(
        "003",
        "Text after Theorem 3",
        "243",
        "regular data: O~(1/sqrt(n eps)) and O~(sqrt(1/n + 1/(n eps)^(2/3))) by [2], "
        "O~(1/(n eps)^(2/3)) by [45]",
        "remark",
        "not checkable",
        reason="rates quoted from [2] and [45] for other assumptions",
        algorithms=_EXPONENTIAL,
    ),
    Statement(
        "003",
        "Rates in the text",
        "52, 88, 245",
        "Algorithm 1 (n eps)^(-3/5) (l.52); Algorithm 2 (n eps)^(-5/3) (l.52), ^(-1/3) (l.88), "
        "^(-2/3) (l.245)",
        "remark",
        "false",
        _printed_rates,
        reason="misprints of the exponents of Theorems 2 and 5",
        corrected="(n eps)^(-1/3) and (n eps)^(-2/5), as the conclusion has",
        corrected_check=_conclusion_rates,
        algorithms=_EXPONENTIAL,
    ),
    Statement(
        "003",
        "Theorem 4",
        "264",
        "for any 0 < eps, delta < 1, Algorithm 1 is (eps, delta)-DP",
        "privacy",
        "false",
        _printed_lasso_privacy,
        reason="log(1/delta) in eps' lets the noise vanish as delta tends to 1; Algorithm 2 is "
        "meant where Algorithm 1 is named",
        corrected="Algorithm 2 is (eps, delta)-DP for 0 < eps < 1, 0 < delta <= exp(-eps/48) and "
        "an l1 ball of radius at most 3",
        corrected_check=_corrected_lasso_privacy,
        algorithms=("hu-2",),
        errata=(("hu-2", 2), ("hu-2", 3)),
    ),
    Statement(
        "003",
        "Assumption 3",
        "266",
        "E(x_j x_k)^2 <= M for all j, k; E y^4 <= M",
        "assumption",
        "true",
        _fourth_moments,
        algorithms=("hu-2", "hu-3"),
    ),
    Statement(
        "003",
        "Remark 2",
        "268",
        "Assumption 1 implies E(x_j x_k)^2 <= O(tau); Assumption 3 is weaker than Assumption 1",
        "remark",
        "false",
        _which_is_weaker,
        reason="Assumption 1 does not imply E y^4 <= M; on the unit l1 ball Assumption 3 implies "
        "the moment part of Assumption 1, so it is the stronger one",
        corrected="Assumption 3 implies E(2 x_j(<x,w> - y))^2 <= 16 M for ||w||_1 <= 1",
        corrected_check=_moments_from_assumption_3,
        algorithms=("hu-1", "hu-2"),
        errata=(("hu-1", 5),),
    ),
    Statement(
        "003",
        "Theorem 5",
        "270-272",
        "excess risk O(lambda_max^(1/5) (sqrt(log(1/delta)) log(dT/zeta))^(4/5)/(n eps)^(2/5)), "
        "K = (n eps)^(1/4)/T^(1/8)",
        "utility",
        "true",
        _lasso_rate,
        algorithms=("hu-2",),
    ),
    Statement(
        "003",
        "Theorem 6",
        "290",
        "for any 0 < eps, delta < 1, Algorithm 3 is (eps, delta)-DP",
        "privacy",
        "false",
        _printed_sparse_privacy,
        reason="only as delta tends to 1, where Peeling's noise vanishes with log(1/delta); the "
        "understated sensitivity of step 6 alone does not break it",
        corrected="for 0 < eps < 1 and delta <= 0.09, with the scale as printed",
        corrected_check=_corrected_sparse_privacy,
        algorithms=("hu-3",),
    ),
    Statement(
        "003",
        "Theorem 7",
        "292-296",
        "excess risk O(M gamma^4 s*^2 log n log^2(d/zeta) log(1/delta)/(mu^7 n eps)), K = (n eps)^"
        "(1/4)/(sT)^(1/4), ||w^1 - w*|| <= O(gamma/mu)",
        "utility",
        "true",
        _sparse_regression_rate,
        algorithms=("hu-3",),
    ),
    Statement(
        "003",
        "Remark 3",
        "298, 327",
        "||w*|| <= 1/2 and a close w^1 keep ||w||_2 <= 1; K differs between Algorithms 2 and 3",
        "remark",
        "true",
        _thresholds,
        algorithms=("hu-2", "hu-3"),
    ),
    Statement(
        "003",
        "Definition 7",
        "333",
        "RSC: f(x) - f(x') - <f'(x'), x - x'> >= (mu_r/2)||x - x'||^2 for ||x - x'||_0 <= r",
        "definition",
        "true",
        _restricted_convexity,
        algorithms=("hu-5",),
    ),
    Statement(
        "003",
        "Definition 8",
        "335",
        "RSS: f(x) - f(x') - <f'(x'), x - x'> <= (gamma_r/2)||x - x'||^2 for ||x - x'||_0 <= r",
        "definition",
        "true",
        _restricted_smoothness,
        algorithms=("hu-5",),
    ),
    Statement(
        "003",
        "Assumption 4",
        "337-339",
        "E(grad_j l(w, x))^2 <= tau for all w with ||w||_0 <= s; mean estimation and "
        "l2-regularised generalised linear losses satisfy it",
        "assumption",
        "false",
        _unbounded_moments,
        reason="the set of sparse w is unbounded and both examples' gradients grow with w",
        corrected="both examples satisfy it on {||w||_0 <= s, ||w||_2 <= B}, tau depending on B",
        corrected_check=_bounded_moments,
        algorithms=("hu-5",),
        errata=(("hu-5", 3),),
    ),
    Statement(
        "003",
        "Theorem 8",
        "359-363",
        "for any 0 < eps, delta < 1 Algorithm 5 is (eps, delta)-DP; excess risk O(tau gamma_r^4 "
        "s*^(3/2) log n log(d/zeta) sqrt(log(1/delta))/(mu_r^5 n eps)), k = O~(sqrt(n eps tau))",
        "utility",
        "false",
        _printed_sparse_optimisation,
        reason="privacy fails as delta tends to 1; at the printed k, without s^(-1/4), the "
        "released noise alone grows like s*^2",
        corrected="(eps, delta)-DP for 0 < eps < 1 and delta <= exp(-eps/30); the rate with k = "
        "sqrt(n eps tau/(T sqrt(s log(1/delta)) log d))",
        corrected_check=_corrected_sparse_optimisation,
        algorithms=("hu-5",),
    ),
    Statement(
        "003",
        "Remark 4",
        "365",
        "Theorem 8's error is O~(tau s*^2/(n eps)); a gap of O~(sqrt(s*)) to linear regression",
        "remark",
        "false",
        _quoted_rate,
        reason="Theorem 8 has s*^(3/2); with s*^2 there would be no gap to Theorem 7 (misprint)",
        corrected="O~(tau s*^(3/2)/(n eps)), which leaves the gap sqrt(s*)",
        corrected_check=_gap_of_the_rates,
        algorithms=("hu-3", "hu-5"),
    ),
    Statement(
        "003",
        "(381), minimum",
        "381",
        "min_w L_D(w) = 0 for L_D(w) = E||x - w||^2",
        "remark",
        "false",
        _zero_minimum,
        reason="the minimum is the variance that is left at w = mu",
        corrected="min_w L_D(w) = tr Cov(x)",
        corrected_check=_trace_minimum,
        algorithms=("hu-5",),
        errata=(("hu-5", 3),),
    ),
    Statement(
        "003",
        "(381), excess risk",
        "381",
        "the excess population risk of w is ||w - mu(D)||_2^2",
        "identity",
        "true",
        _excess_is_distance,
        algorithms=("hu-5",),
    ),
    Statement(
        "003",
        "(385)",
        "383-385",
        "M_n >= Phi(gamma) inf P(psi(D) != V) for a 2 gamma-packing",
        "lower bound",
        "true",
        _testing(Fraction(0)),
        algorithms=("hu-5",),
    ),
    Statement(
        "003",
        "(389)",
        "387-391",
        "the private minimax risk is at least Phi(gamma) inf P_Q(psi(theta^(D)) != V)",
        "lower bound",
        "true",
        _testing(Fraction(1, 4)),
        algorithms=("hu-5",),
    ),
    Statement(
        "003",
        "Lemma 3",
        "405-408",
        "M_n >= Phi(rho*) mean of P(rho >= rho*) >= Phi(rho*) (|V|-1)(e^{-eps np}/2 - delta (1 - "
        "e^{-eps np})/(1 - e^-eps))/(1 + (|V|-1) e^{-eps np})",
        "lower bound",
        "false",
        _midpoint,
        reason="balls of radius rho* around the theta_v overlap; they must be disjoint",
        corrected="the same with radius rho*/2: Phi(rho*/2) and P(rho >= rho*/2)",
        corrected_check=_half_separation,
        algorithms=("hu-5",),
        errata=(("hu-lb", 1),),
    ),
    Statement(
        "003",
        "Theorem 9",
        "411-415",
        "private minimax risk of the s*-sparse mean, E X_j^2 <= tau: Omega(tau min{s* log d, "
        "log(1/delta)}/(n eps))",
        "lower bound",
        "true",
        _lower_bound,
        algorithms=("hu-5",),
    ),
    Statement(
        "003",
        "(417)",
        "52, 89, 417",
        "upper and lower bound differ by O~(sqrt(s*))",
        "remark",
        "false",
        _stated_gap,
        reason="Theorem 8 has sqrt(log(1/delta)) as a factor, (11) at most log(1/delta) in all",
        corrected="Theorem 8 over (11) is at least s* sqrt(log d) for every delta",
        corrected_check=_corrected_gap,
        algorithms=("hu-5",),
    ),
)
