"""Seed 000 up to the Gaussian mixture: every numbered statement behind wang-1 and wang-2.

Its mean estimator (wang-phi, wang-mean), Algorithms 1 and 2, Theorems 1-6, the lemmas of its
appendix, and the two claims of its experiments that can be tested. The statements on the mixture
of regressions and on missing covariates (Lemmas 5-8, 20-22, Theorems 7-8) belong to those models.
Where seed 004, section 7.2, repeats a statement word for word, its line is given too.

Notation: Lambda = log(1/zeta), L = log(1/delta), te = sqrt(L + epsilon) - sqrt(L) (the seed's
tilde-epsilon), b = the smoothing precision (the seed's second beta), l = log(d/zeta).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import iv, mp
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_ndtr, ndtr

from proofs_checks.intervals import iv_ndtr, prove_nonnegative
from proofs_checks.old_statement import Outcome, Statement
from reference._validation import FloatArray
from reference.constants import with_constants
from reference.em.clipped_gradient_em import Constants as ClippingConstants
from reference.em.clipped_gradient_em import clipped_gradient_em
from reference.em.clipped_gradient_em import constants_for as clipping_constants_for
from reference.em.models import GaussianMixture
from reference.em.split_gradient_em import Constants, constants_for, split_gradient_em
from reference.errata.em.models import PrintedMixture
from reference.errata.privacy.calibration import printed_composed_gaussian_scale
from reference.heavy_tailed.truncation import correction, smoothed_truncation, truncation_bound
from reference.privacy.accounting import compositions
from reference.privacy.guarantees import (
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    zcdp_epsilon,
    zcdp_rho,
)
from reference.privacy.ledger import Ledger

Random = np.random.Generator
_SQRT2 = math.sqrt(2)
_LIMIT = 2 * _SQRT2 / 3


def _clipping_constants(
    data: Any, model: Any, *, initial: Any, step_size: float, **claim: Any
) -> ClippingConstants:
    """Return the constants of Algorithm 1, its noise calibrated by zCDP."""
    del model, initial, step_size
    return clipping_constants_for(n=len(data), method="zcdp", **claim)


def _truncation_constants(
    data: Any, model: Any, *, initial: Any, step_size: float, **claim: Any
) -> Constants:
    """Return the constants of Algorithm 2, its noise as printed."""
    del model, step_size
    return constants_for(n=len(data), dimension=len(initial), method="zcdp", **claim)


algorithm_1 = with_constants(clipped_gradient_em, _clipping_constants)
algorithm_2 = with_constants(split_gradient_em, _truncation_constants)


def _standard_normal(step: float = 1e-3, reach: float = 12.0) -> tuple[FloatArray, FloatArray]:
    """Trapezoidal nodes and weights for the expectation over N(0, 1).

    For a function that is analytic up to distance a of the real axis the error is about
    exp(-2 pi a/step); tanh(k x) has a = pi/(2k).
    """
    nodes = np.arange(-reach, reach + step / 2, step)
    return nodes, np.exp(-(nodes**2) / 2) * (step / math.sqrt(2 * math.pi))


_G, _W = _standard_normal()


# ================================================================= EM and the Gaussian mixture


def _lower_bound_of_likelihood(rng: Random) -> Outcome:
    def likelihood(y: FloatArray, beta: FloatArray) -> float:
        exponents = -((y - beta) ** 2).sum(1) / 2, -((y + beta) ** 2).sum(1) / 2
        return float(np.logaddexp(*exponents).mean() - math.log(2))

    def expected(y: FloatArray, beta: FloatArray, given: FloatArray) -> float:
        weight = 1 / (1 + np.exp(-2 * y @ given))
        joint = -((y - beta) ** 2).sum(1) / 2, -((y + beta) ** 2).sum(1) / 2
        return float((weight * joint[0] + (1 - weight) * joint[1]).mean() - math.log(2))

    least = math.inf
    for _ in range(300):
        y = rng.standard_normal((20, 3)) * rng.exponential()
        beta, given = rng.standard_normal((2, 3)) * rng.exponential(2.0)
        gain = likelihood(y, beta) - likelihood(y, given)
        bound = expected(y, beta, given) - expected(y, given, given)
        least = min(least, gain - bound)
    return Outcome(
        least >= -1e-12,
        "checked by search",
        f"300 random mixtures, n = 20, d = 3: smallest left minus right {least:.3g}",
    )


def _population_map(beta: float, truth: float, factor: float) -> float:
    """E[tanh(factor beta Y) Y] for Y = +-truth + N(0, 1)."""
    y = truth + _G  # the integrand is even in Y
    return float(np.sum(_W * np.tanh(factor * beta * y) * y))


def _printed_weight(rng: Random) -> Outcome:
    del rng
    beta, y, sigma = 1.0, 0.7, 0.5
    plus, minus = (math.exp(-((y - z * beta) ** 2) / (2 * sigma**2)) for z in (1, -1))
    posterior = plus / (plus + minus)
    printed = 1 / (1 + math.exp(-beta * y / sigma**2))
    fixed = {
        snr: float(brentq(lambda b, t=snr: _population_map(b, t, 0.5) - b, 0.1 * snr, 2 * snr))
        / snr
        for snr in (1.5, 2.0, 3.0, 4.0)
    }
    wrong = abs(printed - posterior) > 1e-3 and all(ratio < 1 - 1e-5 for ratio in fixed.values())
    listed = ", ".join(f"{ratio:.6g} (SNR {snr:g})" for snr, ratio in fixed.items())
    return Outcome(
        not wrong,
        "refuted with witness",
        f"beta=1, y=0.7, sigma=0.5: printed {printed:.5f}, posterior {posterior:.5f}; population "
        f"fixed point over beta*: {listed}",
        witness={
            "beta": beta,
            "y": y,
            "sigma": sigma,
            "printed": printed,
            "posterior": posterior,
            "fixed_points": {str(snr): ratio for snr, ratio in fixed.items()},
        },
    )


def _doubled_weight(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(40):
        for _ in range(100):
            beta, y = (mp.mpf(float(v)) for v in rng.standard_normal(2) * 3)
            sigma = mp.mpf(float(rng.exponential())) + mp.mpf("0.1")
            plus, minus = (mp.exp(-((y - z * beta) ** 2) / (2 * sigma**2)) for z in (1, -1))
            weight = 1 / (1 + mp.exp(-2 * beta * y / sigma**2))
            worst = max(worst, float(abs(weight - plus / (plus + minus))))
    residual = max(abs(_population_map(snr, snr, 1.0) - snr) for snr in (0.5, 1, 1.5, 2, 3, 4))
    return Outcome(
        worst < 1e-35 and residual < 1e-9,
        "checked at high precision",
        f"weight against Bayes' rule at 100 points: {worst:.2g}; population map at beta* minus "
        f"beta*, SNR 0.5-4: {residual:.2g}",
    )


def _unbounded_gradient(rng: Random) -> Outcome:
    del rng
    # 2w - 1 at <beta, y> = ln 2: the printed weight gives (2-1)/(2+1), the posterior (4-1)/(4+1)
    slopes = {True: Fraction(1, 3), False: Fraction(3, 5)}
    smallest = math.inf
    for printed, slope in slopes.items():
        model = PrintedMixture(1.0) if printed else GaussianMixture(1.0)
        for c in np.logspace(-3, 9, 25):
            # both coordinates are increasing in y there, so the whole open quadrant qualifies
            corner = np.array([[math.log(2), float(1 / slope) * c]])
            gradient = model.gradients(corner * (1 + 1e-12), np.array([1.0, 0.0]))
            smallest = min(smallest, abs(float(gradient[0, 1])) / c)
    return Outcome(
        smallest >= 1,
        "proved exactly",
        "for beta = e_1 and every y with y_1 > ln 2, y_2 > 3c: |grad_2| = (2w-1) y_2 > c, and this "
        f"open set has positive probability; evaluated for c in [1e-3, 1e9]: min {smallest:.12g} c",
    )


def mixture_map(beta: FloatArray, truth: FloatArray) -> FloatArray:
    """E[tanh(<beta, Y>) Y] of the unit mixture with parameter ``truth``, by 1-d quadrature."""
    norm = float(np.linalg.norm(beta))
    direction = beta / norm
    # Y = truth + G direction + independent rest of mean zero
    sign = np.tanh(beta @ truth + norm * _G)
    mean: FloatArray = np.sum(_W * sign) * truth + np.sum(_W * sign * _G) * direction
    return mean


def _mixture_constants(rng: Random) -> Outcome:
    del rng
    found = []
    for snr in (1.0, 2.0, 3.0, 4.0):
        truth = np.array([snr, 0.0])
        at_truth = mixture_map(truth, truth)
        gamma = 0.0
        for radius in (0.05, 0.15, 0.25):
            for angle in np.linspace(0, math.pi, 9):
                beta = truth + radius * snr * np.array([math.cos(angle), math.sin(angle)])
                change = np.linalg.norm(at_truth - mixture_map(beta, truth))
                gamma = max(gamma, float(change) / (radius * snr))
        residual = float(np.linalg.norm(at_truth - truth))
        found.append((snr, gamma, residual))
    holds = all(
        gamma <= math.exp(-(snr**2) / 2) and residual < 1e-9 for snr, gamma, residual in found
    )
    return Outcome(
        holds,
        "checked by search",
        "posterior weight, 27 points of B each; C = 1/2 works: gamma "
        + ", ".join(f"{gamma:.3g} (SNR {snr:g})" for snr, gamma, _ in found)
        + f"; self-consistency within {max(r for *_, r in found):.1g}; mu = v = 1 exactly",
    )


def _second_moment(beta: FloatArray, truth: FloatArray, j: int) -> float:
    """E(nabla_j q(beta; beta))^2 of the unit mixture, by 1-d quadrature."""
    norm = float(np.linalg.norm(beta))
    cosine = beta[j] / norm
    sign = np.tanh(beta @ truth + norm * _G)
    along = truth[j] + cosine * _G
    square = np.sum(_W * sign**2 * (along**2 + 1 - cosine**2))
    return float(square - 2 * beta[j] * np.sum(_W * sign * along) + beta[j] ** 2)


def _printed_moment(rng: Random) -> Outcome:
    del rng
    d = 10_000
    ratios = {}
    for snr in (3, 10, 30, 100):
        truth = np.full(d, snr / math.sqrt(d))
        beta = truth.copy()
        beta[0] += snr / 4
        ratios[snr] = _second_moment(beta, truth, 0) / (float(truth[0]) ** 2 + 1)
    values = list(ratios.values())
    return Outcome(
        not (values[-1] > 100 and values == sorted(values)),
        "refuted with witness",
        "d = 1e4, beta = beta* + (|beta*|/4) e_1: E(grad_1)^2/(|beta*|_inf^2 + sigma^2) = "
        + ", ".join(f"{ratio:.3g} (SNR {snr})" for snr, ratio in ratios.items()),
        witness={"d": d, "ratios": {str(snr): ratio for snr, ratio in ratios.items()}},
    )


def _moment_with_radius(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(60):
        d = int(rng.integers(1, 200))
        truth = rng.standard_normal(d)
        truth *= rng.uniform(0.1, 30) / np.linalg.norm(truth)
        radius = float(np.linalg.norm(truth)) / 4
        away = rng.standard_normal(d) if rng.random() < 0.5 else np.eye(d)[rng.integers(d)]
        beta = truth + away * radius / np.linalg.norm(away)
        j = int(np.argmax(np.abs(beta - truth)))
        bound = GaussianMixture(1.0).moment_bound(truth, radius)
        worst = max(worst, _second_moment(beta, truth, j) / bound)
    return Outcome(
        0.01 < worst <= 1,
        "checked by search",
        f"Minkowski with |2w-1| <= 1; 60 random (d < 200, SNR < 30, beta on the sphere R): largest "
        f"ratio {worst:.3f}",
    )


def _printed_condition(rng: Random) -> Outcome:
    del rng
    truth, sigma = 2.0, 0.5  # d = 1

    def needed(scale: float) -> float:
        return math.sqrt((scale * truth) ** 2 + (scale * sigma) ** 2) / (scale * truth) ** 2

    ratio = needed(0.01) / needed(1.0)
    return Outcome(
        abs(ratio - 1) < 1e-9,
        "refuted with witness",
        f"the units of the data change the number of records demanded: {ratio:.4g} times as many "
        "after dividing the data by 100",
        witness={"beta": truth, "sigma": sigma, "scale": 0.01, "ratio": ratio},
    )


def _homogeneous_condition(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(50):
        truth, sigma, c = (Fraction(int(v), 7) for v in rng.integers(1, 100, 3))
        before = (truth**2 + sigma**2) / truth**2
        after = ((c * truth) ** 2 + (c * sigma) ** 2) / (c * truth) ** 2
        worst = max(worst, abs(after - before))
    return Outcome(
        worst == 0,
        "proved exactly",
        "homogeneous of degree 0 in (beta*, sigma); 50 rational cases, difference 0",
    )


# ================================================================= the smoothed truncation


def _q_sqrt2(*coefficients: tuple[int, int]) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(p), Fraction(q)) for p, q in coefficients]


def _product(
    first: Sequence[tuple[Fraction, Fraction]], second: Sequence[tuple[Fraction, Fraction]]
) -> list[tuple[Fraction, Fraction]]:
    """Product of polynomials with coefficients p + q sqrt 2, lowest degree first."""
    result = [(Fraction(0), Fraction(0))] * (len(first) + len(second) - 1)
    for (i, (p, q)), (j, (r, s)) in itertools.product(enumerate(first), enumerate(second)):
        old = result[i + j]
        result[i + j] = (old[0] + p * r + 2 * q * s, old[1] + p * s + q * r)
    return result


def _phi_bound(rng: Random) -> Outcome:
    del rng
    # 6 (2 sqrt 2/3 - u + u^3/6) = u^3 - 6u + 4 sqrt 2 = (u - sqrt 2)^2 (u + 2 sqrt 2)
    root = _q_sqrt2((0, -1), (1, 0))
    factors = _product(_product(root, root), _q_sqrt2((0, 2), (1, 0)))
    holds = factors == _q_sqrt2((0, 4), (-6, 0), (0, 0), (1, 0))
    return Outcome(
        holds,
        "proved exactly",
        "6(2 sqrt2/3 - u + u^3/6) = (u - sqrt2)^2 (u + 2 sqrt2) >= 0 for u >= -2 sqrt2; equality "
        "at sqrt2; the other side by oddness",
    )


def _smoothed(a: Any, precision: Any) -> Any:
    """E phi(a(1 + xi/sqrt(precision))) by integration by parts and mpmath quadrature."""
    if a == 0:
        return mp.mpf(0)
    size, width = abs(a), abs(a) / mp.sqrt(precision)
    top = mp.sqrt(2)
    inside = [size + k * width for k in (-8, -2, 0, 2, 8) if 0 < size + k * width < top]
    return mp.sign(a) * mp.quad(
        lambda u: (1 - u**2 / 2) * (mp.ncdf((size - u) / width) - mp.ncdf((-size - u) / width)),
        [0, *sorted(inside), top],
    )


def closed_form(a: Any, b: Any) -> Any:
    """Right-hand side of (17) with mpmath numbers."""
    root2, root = mp.sqrt(2), mp.sqrt(2 * mp.pi)
    v = ((root2 - a) / b, (root2 + a) / b)
    f = [mp.ncdf(-side) for side in v]
    e = [mp.exp(-(side**2) / 2) for side in v]
    terms = (
        2 * root2 / 3 * (f[0] - f[1]),
        -(a - a**3 / 6) * (f[0] + f[1]),
        b / root * (1 - a**2 / 2) * (e[1] - e[0]),
        a * b**2 / 2 * (f[1] + f[0] + (v[1] * e[1] + v[0] * e[0]) / root),
        b**3 / (6 * root) * ((2 + v[0] ** 2) * e[0] - (2 + v[1] ** 2) * e[1]),
    )
    return a * (1 - b**2 / 2) - a**3 / 6 + mp.fsum(terms)


def _closed_form_is_right(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(40):
        for _ in range(25):
            a, b = mp.mpf(float(rng.uniform(-30, 60))), mp.mpf(float(rng.uniform(0.1, 20)))
            difference = closed_form(a, b) - _smoothed(a, (a / b) ** 2)
            worst = max(worst, float(abs(difference)))
    return Outcome(
        worst < 1e-28,
        "checked at high precision",
        f"25 random a in [-30, 60], b in [0.1, 20], 40 digits: largest difference {worst:.2g}",
    )


def _in_doubles(a: float, precision: float) -> float:
    """(17) evaluated literally in double precision."""
    b = abs(a) / math.sqrt(precision)
    with np.errstate(all="ignore"):
        corrected = correction(np.array(a), np.array(b))
    return float(a * (1 - b**2 / 2) - a**3 / 6 + corrected)


def _closed_form_in_doubles(rng: Random) -> Outcome:
    del rng
    at_zero = _in_doubles(0.0, 2.3)
    huge = {f"{a:g}": _in_doubles(a, 2.3) for a in (1e5, 1e6, 1e8)}
    first = next(a for a in np.logspace(2, 9, 700) if abs(_in_doubles(float(a), 2.3)) > _LIMIT)
    breaks = math.isnan(at_zero) and max(abs(v) for v in huge.values()) > 100 * _LIMIT
    return Outcome(
        not breaks,
        "refuted with witness",
        f"x = 0 gives {at_zero} (b = 0); precision 2.3: "
        + ", ".join(f"{value:.4g} at a = {a}" for a, value in huge.items())
        + f" instead of {_LIMIT * math.erf(math.sqrt(1.15)):.4f}; first outside the bound near "
        f"a = {first:.2g}",
        witness={"precision": 2.3, "at_zero": str(at_zero), "values": huge, "first_exit": first},
    )


def _stable_form(rng: Random) -> Outcome:
    worst = excess = 0.0
    for precision in (0.5, 2.3, 100.0):
        points = [0.0, *(float(x) for x in 10.0 ** rng.uniform(-6, 3, 4)), 1.414, 8.0, 1e5, 1e12]
        values = smoothed_truncation(points, scale=1.0, precision=precision)
        with mp.workdps(20):
            exact = [float(_smoothed(mp.mpf(x), mp.mpf(precision))) for x in points]
        worst = max(worst, float(np.abs(values - exact).max()))
        far = smoothed_truncation([1e150, -1e300, math.inf], scale=1.0, precision=precision)
        bound = truncation_bound(scale=1.0, precision=precision)
        excess = max(excess, float(np.abs(far).max()) - bound)
    return Outcome(
        worst < 2e-14 and excess <= 0,
        "checked at high precision",
        f"27 points up to 1e12, 3 precisions: largest error {worst:.2g}; up to 1e300 and infinity "
        "never beyond (2 sqrt2/3) erf(sqrt(precision/2))",
    )


def _sensitivity_of_mean(rng: Random) -> Outcome:
    del rng
    ratios = {}
    with mp.workdps(30):
        for precision in ("1", "2.3", "5.3"):
            limit = 2 * mp.sqrt(2) / 3
            value = _smoothed(mp.mpf(10) ** 6, mp.mpf(precision)) / limit
            ratios[precision] = (float(value), float(mp.erf(mp.sqrt(mp.mpf(precision) / 2))))
    holds = all(value <= 1 and abs(value - exact) < 1e-9 for value, exact in ratios.values())
    return Outcome(
        holds,
        "checked at high precision",
        "|E phi| <= E|phi| <= 2 sqrt2/3; the supremum is smaller by erf(sqrt(b/2)): "
        + ", ".join(f"{value:.4f} at b = {b}" for b, (value, _) in ratios.items()),
    )


# ================================================================= the robust mean's analysis


def _gibbs(rng: Random) -> Outcome:
    gap, excess = 0.0, -math.inf
    for _ in range(200):
        size = int(rng.integers(2, 8))
        base = rng.dirichlet(np.ones(size))
        h = rng.normal(0, 3, size)
        right = math.log(float(base @ np.exp(h)))
        best = base * np.exp(h - right)
        values = [
            float(v @ h - v @ np.log(v / base)) for v in (best, *rng.dirichlet(np.ones(size), 20))
        ]
        gap = max(gap, abs(values[0] - right))
        excess = max(excess, max(values[1:]) - right)
    return Outcome(
        gap < 1e-12 and excess < 1e-12,
        "checked by search",
        f"200 random finite spaces: attained at dv ~ e^h dv0 (gap {gap:.1g}), 20 other v each "
        f"never above (largest excess {excess:.1g}); (31) needs v << v0, printed in reverse",
    )


def _pac_bayes(rng: Random) -> Outcome:
    """Finite noise, two-point data, n = 4: everything by enumeration."""
    mean_error, violations, worst = 0.0, 0, 0.0
    for _ in range(60):
        base = rng.dirichlet(np.ones(4))
        p = float(rng.uniform(0.05, 0.95))
        f = rng.normal(0, 1, (2, 4))  # f(eta, x) for the two values of x
        c = 4 * np.log((1 - p) * np.exp(f[0]) + p * np.exp(f[1]))
        zeta = float(rng.uniform(0.01, 0.5))
        other = rng.dirichlet(np.ones(4))
        divergence = float(other @ np.log(other / base))
        expectation = failure = 0.0
        for ones in range(5):
            probability = math.comb(4, ones) * p**ones * (1 - p) ** (4 - ones)
            h = (4 - ones) * f[0] + ones * f[1] - c
            exponential = float(base @ np.exp(h))
            expectation += probability * exponential
            if exponential >= 1 / zeta:
                failure += probability
            elif (other @ h) > divergence + math.log(1 / zeta) + 1e-12:
                violations += 1
        mean_error = max(mean_error, abs(expectation - 1))
        worst = max(worst, failure / zeta)
    return Outcome(
        mean_error < 1e-12 and violations == 0 and worst <= 1,
        "checked by search",
        f"60 random cases enumerated: |E exp(B) - 1| <= {mean_error:.1g}, P(B >= log 1/zeta) <= "
        f"{worst:.3f} zeta, (32) holds for a random v on every other sample",
    )


def _logarithmic_bounds(rng: Random) -> Outcome:
    del rng
    # f = log(1 + u + u^2/2) - u + u^3/6 has f' (1 + u + u^2/2) = u^3 (2 + u)/4
    q = [Fraction(1), Fraction(1), Fraction(1, 2)]
    slope = [Fraction(1), Fraction(0), Fraction(-1, 2)]  # phi' = 1 - u^2/2
    product = [Fraction(0)] * 5
    for (i, x), (j, y) in itertools.product(enumerate(q), enumerate(slope)):
        product[i + j] += x * y
    numerator = [-value for value in product]
    numerator[0] += 1
    numerator[1] += 1  # derivative of 1 + u + u^2/2
    exact = numerator == [0, 0, 0, Fraction(1, 2), Fraction(1, 4)]
    ends = math.log(2 + _SQRT2) - _LIMIT, math.log(2 - _SQRT2) + _LIMIT
    return Outcome(
        exact and min(ends) > 0,
        "proved exactly",
        "on |u| <= sqrt2 the difference has derivative u^3(2+u)/(4+4u+2u^2): smallest, 0, at u = 0;"
        f" beyond, phi is constant and the logarithm moves away from it (slack {ends[0]:.3f} and "
        f"{ends[1]:.3f} at +-sqrt2); the lower bound by u -> -u",
    )


def _phi(u: FloatArray) -> FloatArray:
    clipped = np.clip(u, -_SQRT2, _SQRT2)
    value: FloatArray = clipped - clipped**3 / 6
    return value


def _expected_logarithm(rng: Random) -> Outcome:
    nodes, weights = _standard_normal(5e-3)
    least = math.inf
    for _ in range(200):
        values, probability = rng.normal(0, 2, 2), float(rng.uniform(0.01, 0.99))
        law = np.array([1 - probability, probability])
        precision = float(rng.uniform(0.3, 20))
        eta = nodes / math.sqrt(precision)
        inner = law @ np.exp(_phi((1 + eta) * values[:, None]))
        left = float(weights @ np.log(inner))
        right = float(law @ values + law @ values**2 / 2 * (1 + 1 / precision))
        least = min(least, right - left)
    return Outcome(
        least >= -1e-9,
        "checked by search",
        f"E(1+eta)^2 = 1 + 1/b and log(1+x) <= x; 200 random two-point laws (s = 1): least slack "
        f"{least:.2g}",
    )


def _divergence(rng: Random) -> Outcome:
    del rng
    worst = 0.0
    with mp.workdps(30):
        for precision in (mp.mpf("0.3"), mp.mpf(1), mp.mpf("5.3"), mp.mpf(50)):
            value = mp.quad(
                lambda u, p=precision: (1 - 2 * u) * p / 2 * mp.npdf(u, 0, 1 / mp.sqrt(p)),
                [-mp.inf, 0, mp.inf],
            )
            worst = max(worst, float(abs(value / (precision / 2) - 1)))
    return Outcome(
        worst < 1e-20,
        "checked at high precision",
        f"4 precisions from 0.3 to 50, 30 digits: relative difference {worst:.1g}",
    )


def _psi(k: float, precision: float) -> float:
    return float(smoothed_truncation([k], scale=1.0, precision=precision)[0])


def _binomial_failure(bound: Callable[[float, float, float], float], *, lower: bool) -> float:
    """Largest P(error > bound(mean, second moment, zeta))/zeta over two-point laws, n = 300, s = 1.

    The estimate is psi(k) N/n with N ~ Bin(n, p), so that the probabilities are exact.
    """
    n, worst = 300, 0.0
    for k, p, precision, zeta in itertools.product(
        (0.3, 1.0, 1.5, 3.0, 8.0), (0.003, 0.03, 0.3, 0.9), (0.7, 1.73, 5.0), (0.2, 0.02, 1e-4)
    ):
        step = _psi(k, precision) / n
        allowed = bound(k**2 * p, precision, zeta)
        if lower:
            failure = stats.binom.cdf(math.ceil((k * p - allowed) / step) - 1, n, p)
        else:
            failure = stats.binom.sf(math.floor((k * p + allowed) / step), n, p)
        worst = max(worst, float(failure) / zeta)
    return worst


def _explicit_upper_bound(rng: Random) -> Outcome:
    del rng

    def printed(moment: float, precision: float, zeta: float) -> float:
        return moment / 2 * (1 + 1 / precision) + (precision / 2 + math.log(1 / zeta)) / 300

    def sharper(moment: float, precision: float, zeta: float) -> float:
        return moment / 2 * (1 + 1 / precision) + math.log(1 / zeta) / 300

    ratios = [
        _binomial_failure(bound, lower=lower)
        for bound in (printed, sharper)
        for lower in (False, True)
    ]
    return Outcome(
        max(ratios) <= 1,
        "checked by search",
        "60 two-point laws, n = 300, exact binomial tails: failure <= "
        f"{max(ratios[:2]):.3g} zeta; without the term s b/(2n) (Chernoff, Jensen and (33)) still "
        f"<= {max(ratios[2:]):.3g} zeta",
    )


def _largest_bias(precision: float) -> float:
    """max_k (k - psi_1(k))/k^2: the bias of the worst two-point law in units of tau/s."""
    found = minimize_scalar(
        lambda k: -(k - _psi(float(k), precision)) / k**2,
        bounds=(0.3, 4.0),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return -float(found.fun)


_ZETA_EXPONENTS = (1, 4, 10, 100, 300)  # zeta = 10^-exponent


def _lost_precision(rng: Random) -> Outcome:
    del rng
    ratios = {}
    for exponent in _ZETA_EXPONENTS:
        precision = math.sqrt(exponent * math.log(10))
        ratios[exponent] = _largest_bias(precision) * precision
    values = list(ratios.values())
    return Outcome(
        not (values == sorted(values) and values[-1] > 5),
        "refuted with witness",
        "law x = sk with probability tau/(sk)^2, else 0; bias/(tau/(s b)) = "
        + ", ".join(f"{ratio:.3g} (zeta 1e-{e})" for e, ratio in ratios.items())
        + ": not O(1)",
        witness={"ratios": {f"1e-{e}": ratio for e, ratio in ratios.items()}},
    )


def _bias_bound(rng: Random) -> Outcome:
    precisions = [0.3, 1.0, 10.0, 100.0, *(float(v) for v in rng.uniform(0.5, 50, 10))]
    worst = max(_largest_bias(b) / ((1 + 1 / b) / 2) for b in precisions)
    return Outcome(
        0.4 < worst <= 1,
        "checked by search",
        f"worst two-point law, 14 precisions from 0.3 to 100: bias at most {worst:.3f} of "
        "tau/(2s) (1 + 1/b)",
    )


_LOG4 = math.log(4)


def _bounded_constant(
    terms: Callable[[Any, Any, Any], Any], limit: float, least: float, name: str
) -> Outcome:
    """Prove terms(x, y, epsilon) <= limit for x = 1/sqrt(Lambda), y = 1/sqrt(L), all in range.

    zeta <= 1/2 means x <= 1/sqrt(log 2); delta <= 1/e means y <= 1.
    """
    top = 1 / math.sqrt(math.log(2)) + 1e-12
    proof = prove_nonnegative(
        lambda x, y, epsilon: limit - terms(x, y, epsilon),
        [(0, top), (0, 1), (0, 1)],
        max_depth=60,
    )
    corner = float(terms(top, 1.0, 1.0))
    return Outcome(
        bool(proof) and corner > least,
        "proved by interval arithmetic",
        f"zeta <= 1/2, delta <= 1/e, epsilon <= 1: error <= {limit:g} times {name} with "
        f"probability 1 - zeta (at the corner of the range {corner:.3g}); {proof.describe()}",
    )


def _root(x: Any) -> Any:
    return math.sqrt(x) if isinstance(x, float) else iv.sqrt(x)


def _noise_part(x: Any, y: Any) -> Any:
    """sqrt(log(1.25/delta)/L) sqrt(1 + log 4/Lambda)/sqrt(Lambda)."""
    return _root(1 + math.log(1.25) * y**2) * _root(1 + _LOG4 * x**2) * x


def _rate_of_rule_1(rng: Random) -> Outcome:
    del rng
    failure = 0.0
    for k, p, zeta in itertools.product((0.5, 1.0, 2.0), (0.01, 0.2, 0.7), (0.3, 0.05, 1e-3)):
        n, big = 400, math.log(1 / zeta)
        s = math.sqrt(n * k**2 * p / (2 * big))
        value = float(smoothed_truncation([k], scale=s, precision=2 * big)[0])
        allowed = (1 / _SQRT2 * (1 + 1 / (2 * big)) + (1 + math.log(2) / big) / _SQRT2) * math.sqrt(
            k**2 * p * big / n
        )
        high = stats.binom.sf(math.floor((k * p + allowed) * n / value), n, p)
        low = stats.binom.cdf(math.ceil((k * p - allowed) * n / value) - 1, n, p)
        failure = max(failure, float(high + low) / zeta)
    return Outcome(
        failure <= 1,
        "checked by search",
        "explicit: |error| <= sqrt(tau Lambda/n) (1.415 + 0.844/Lambda) from (36) without "
        "s b/(2n), zeta/2 per side; 27 two-point laws, exact binomial tails: failure <= "
        f"{failure:.3g} zeta",
    )


def _rate_19(rng: Random) -> Outcome:
    del rng

    def terms(x: Any, y: Any, epsilon: Any) -> Any:
        bias = (1 + x**2 / 2) / _SQRT2 * epsilon * y
        fluctuation = (1 + _LOG4 * x**2) / _SQRT2 * epsilon * y
        return bias + fluctuation + 8 / 3 * _noise_part(x, y)

    return _bounded_constant(terms, 10.0, 9.0, "(19)")


def _rate_20_as_stated(rng: Random) -> Outcome:
    del rng
    ratios = {}
    for exponent in _ZETA_EXPONENTS:
        big = exponent * math.log(10)
        # tau/s over (20) is sqrt(Lambda) with the stated s
        ratios[exponent] = _largest_bias(math.sqrt(big)) * math.sqrt(big)
    values = list(ratios.values())
    return Outcome(
        not (values == sorted(values) and values[-1] > 5),
        "refuted with witness",
        "worst two-point law: bias over the rate = "
        + ", ".join(f"{ratio:.3g} (zeta 1e-{e})" for e, ratio in ratios.items())
        + ", for every n, epsilon, delta; the spread of x-hat is at most "
        "sqrt(epsilon/(Lambda sqrt(L))) of it",
        witness={"bias_over_rate": {f"1e-{e}": ratio for e, ratio in ratios.items()}},
    )


def _rate_20_repaired(rng: Random) -> Outcome:
    del rng

    def terms(x: Any, y: Any, epsilon: Any) -> Any:
        fluctuation = (1 + _LOG4 * x**2) * epsilon * y
        return (1 + x) / 2 + fluctuation + 8 * _SQRT2 / 3 * _noise_part(x, y)

    return _bounded_constant(terms, 13.0, 12.0, "(20), and (22) in the local model")


# ================================================================= privacy


def _classical_gaussian(rng: Random) -> Outcome:
    del rng
    epsilon, delta = 8.0, 1e-3
    mu = epsilon / math.sqrt(2 * math.log(1.25 / delta))
    exact = gaussian_dp_epsilon(mu, delta)
    return Outcome(
        exact <= epsilon,
        "refuted with witness",
        f"epsilon = 8, delta = 1e-3: sensitivity/sigma = {mu:.4f}, exact epsilon {exact:.4f}",
        witness={"epsilon": epsilon, "delta": delta, "mu": mu, "exact_epsilon": exact},
    )


def _classical_gaussian_small(rng: Random) -> Outcome:
    del rng
    # with k = sqrt(2 log(1.25/delta)) and mu = epsilon/k: delta(epsilon) <= Phi(epsilon/2k - k),
    # and delta = 1.25 exp(-k^2/2); once k^2 >= epsilon/2, Phi(-x) <= exp(-x^2/2)/2 bounds the
    # former by exp((epsilon - k^2)/2)/2
    low = math.sqrt(2 * math.log(1.25)) - 1e-12
    proof = prove_nonnegative(
        lambda k, e: 1.25 - iv_ndtr(e / (2 * k) - k) * iv.exp(k**2 / 2), [(low, 0.75), (0, 1)]
    )
    return Outcome(
        bool(proof) and 0.75**2 > 0.5 and math.exp(0.5) / 2 < 1.25,
        "proved by interval arithmetic",
        "all 0 < epsilon <= 1 and 0 < delta < 1: for delta >= 0.94 "
        f"{proof.describe()}; below, delta(epsilon) <= 0.83 exp(-k^2/2) by Phi(-x) <= "
        "exp(-x^2/2)/2",
    )


def _zcdp_conversion(rng: Random) -> Outcome:
    # rho = r^2, log(1/delta) = q^2, order 1 + q/r: (order - 1)(order rho - epsilon) = -q^2
    worst = Fraction(0)
    for _ in range(50):
        r, q = (Fraction(int(v), int(w)) for v, w in rng.integers(1, 1000, (2, 2)))
        order = 1 + q / r
        epsilon = r**2 + 2 * r * q
        worst = max(worst, abs((order - 1) * (order * r**2 - epsilon) + q**2))
    return Outcome(
        worst == 0,
        "proved exactly",
        "Markov's inequality at order 1 + sqrt(L/rho): the exponent is -L identically (50 rational "
        "cases, difference 0), so P(loss > epsilon) <= delta",
    )


def _gaussian_renyi(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(20):
        for _ in range(6):
            order, shift = mp.mpf(float(rng.uniform(1.05, 12))), mp.mpf(float(rng.uniform(0.1, 2)))

            def integrand(x: Any, a: Any = order, m: Any = shift) -> Any:
                exponent = -a * x**2 / 2 - (1 - a) * (x - m) ** 2 / 2
                return mp.exp(exponent) / mp.sqrt(2 * mp.pi)

            centre = (1 - order) * shift  # of a Gaussian of variance 1
            integral = mp.quad(integrand, [centre - 11, centre, centre + 11])
            value = mp.log(integral) / (order - 1)
            worst = max(worst, float(abs(value / (order * shift**2 / 2) - 1)))
    return Outcome(
        worst < 1e-15,
        "checked at high precision",
        f"divergence of N(0,1) and N(m,1) is a m^2/2: 6 random (a < 12, m < 2), 20 digits, "
        f"relative difference {worst:.1g}",
    )


def _constant_of_algorithm_1(rng: Random) -> Outcome:
    worst, table = 0.0, []
    for _ in range(200):
        epsilon, log_term = 10.0 ** rng.uniform(-3, 2), 10.0 ** rng.uniform(-1, 2)
        delta = math.exp(-log_term)
        # the constant at which the printed sigma equals the zCDP calibration
        enough = 2 * epsilon**2 / (log_term * zcdp_rho(epsilon, delta))
        worst = max(worst, enough / (8 * (1 + epsilon / log_term)))
    for epsilon, delta in ((1.0, 1e-5), (0.2, 1e-5), (0.5, 1e-4), (1.0, 0.1)):

        def exact_delta(c: float, e: float = epsilon, p: float = delta) -> float:
            sigma = printed_composed_gaussian_scale(
                e, p, lipschitz=1.0, n=10, releases=4, constant=c
            )
            return gaussian_dp_delta(2 * math.sqrt(4) / (10 * sigma), e) - p

        smallest = float(brentq(exact_delta, 0.5, 20))
        table.append(f"{smallest:.2f} at ({epsilon:g}, {delta:g})")
        worst = max(worst, smallest / (8 * (1 + epsilon / math.log(1 / delta))))
    return Outcome(
        worst <= 1,
        "checked at high precision",
        "c = 8(1 + epsilon/L) suffices: (sqrt(L+epsilon) + sqrt(L))^2 <= 4(L + epsilon); smallest "
        "exact c: " + ", ".join(table) + "; c = 1 never does",
    )


def _two_variances(rng: Random) -> Outcome:
    # s^2 = m tau te/(4 l^2), l = b^2, n = m T, in rational numbers
    m, t, d, tau, te, b = (Fraction(int(v)) for v in rng.integers(2, 50, 6))
    first = 16 * (m * tau * te / (4 * b**4)) * d / (9 * m**2 * te**2)
    second = 4 * d * t * tau / (9 * m * t * b**2 * te)
    return Outcome(
        first == second,
        "refuted with witness",
        f"m={m}, T={t}, d={d}, tau={tau}, te={te}, b={b}: second/first = {second / first} = b^2 = "
        "log(d/zeta); over-noised for zeta < d/e, and still DP for every d >= 2",
        witness={"first": float(first), "second": float(second), "ratio": float(second / first)},
    )


def _two_variances_repaired(rng: Random) -> Outcome:
    worst = Fraction(0)
    for m, t, d, tau, te, b in rng.integers(2, 50, (50, 6)).tolist():
        first = Fraction(16 * m * tau * te * d, 4 * b**4 * 9 * m**2 * te**2)
        worst = max(worst, abs(first - Fraction(4 * d * t * tau, 9 * m * t * b**4 * te)))
    return Outcome(worst == 0, "proved exactly", "50 rational cases, difference 0")


def _contribution(gradient: float, divisor: int) -> float:
    """Return what one record adds to (23) at m = 1000, n = 10000, s = 5, d/zeta = 200."""
    s, m = mp.mpf(5), 1000
    precision = mp.sqrt(mp.log(200))
    g = mp.mpf(gradient)
    cubic = g * (1 - g**2 / (2 * s**2 * precision)) - g**3 / (6 * s**2)
    a, b = g / s, g / (s * mp.sqrt(precision))
    corrected = closed_form(a, b) - (a * (1 - b**2 / 2) - a**3 / 6)
    return float(cubic / m + s * corrected / divisor)


def _equation_23(rng: Random) -> Outcome:
    del rng
    with mp.workdps(40):
        values = {g: _contribution(g, 10_000) for g in (10.0, 50.0, 1000.0)}
    bound = _LIMIT * 5 / 1000
    return Outcome(
        max(abs(v) for v in values.values()) <= bound,
        "refuted with witness",
        "m=1000, n=10000, s=5, d/zeta=200: one record contributes "
        + ", ".join(f"{value:.4g} (gradient {g:g})" for g, value in values.items())
        + f", bound {bound:.4g}",
        witness={"contributions": {f"{g:g}": v for g, v in values.items()}, "bound": bound},
    )


def _equation_23_repaired(rng: Random) -> Outcome:
    del rng
    with mp.workdps(40):
        values = [_contribution(g, 1000) for g in (-1e6, -50.0, 10.0, 50.0, 1000.0, 1e9)]
    bound = _LIMIT * 5 / 1000 * math.erf(math.sqrt(math.sqrt(math.log(200)) / 2))
    return Outcome(
        0.9 * bound < max(abs(v) for v in values) <= bound,
        "checked at high precision",
        f"gradients up to 1e9: at most {max(abs(v) for v in values):.6g}, bound {bound:.6g}",
    )


def _privacy_of_algorithm_2(rng: Random) -> Outcome:
    worst = exceeded = 0.0
    for _ in range(40):
        epsilon, delta = float(rng.uniform(0.01, 1)), float(10.0 ** rng.uniform(-12, -0.1))
        d, t = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        n = t * int(rng.integers(1, 6)) + int(rng.integers(0, t))
        ledger = Ledger(rng)
        algorithm_2(
            rng.standard_normal((n, d)),
            GaussianMixture(1.0),
            initial=rng.standard_normal(d),
            epsilon=epsilon,
            delta=delta,
            second_moment=float(rng.exponential()) + 0.1,
            failure_probability=float(rng.uniform(0.001, 0.9)),
            step_size=1.0,
            n_iterations=t,
            ledger=ledger,
        )
        rho = max(profile.rho for profile in compositions(ledger.transcript.charges))
        worst = max(worst, abs(rho / zcdp_rho(epsilon, delta) - 1))
        exceeded = max(exceeded, zcdp_epsilon(rho, delta) / epsilon - 1)
        exceeded = max(exceeded, ledger.spent(delta=delta).epsilon / epsilon - 1)
    return Outcome(
        worst < 1e-12 and exceeded < 1e-12,
        "checked at high precision",
        f"40 random (epsilon, delta, n, d, T, tau, zeta): the worst record costs te^2-zCDP to "
        f"{worst:.1g}, whose conversion is epsilon; s/m in (23), the first expression for sigma^2",
    )


# ================================================================= Theorem 5


def _triangle(rng: Random) -> Outcome:
    least = math.inf
    for _ in range(200):
        beta, truth, exact, noisy = rng.standard_normal((4, 3)) * rng.exponential(2)
        eta = float(rng.exponential())
        left = np.linalg.norm(beta + eta * noisy - truth)
        right = np.linalg.norm(beta + eta * exact - truth) + eta * np.linalg.norm(noisy - exact)
        least = min(least, float(right - left))
    return Outcome(
        least >= -1e-12, "checked by search", f"triangle inequality; least slack {least:.2g}"
    )


def _contraction(rng: Random) -> Outcome:
    # along an eigenvalue w in [v, mu] the step multiplies by 1 - 2w/(mu + v): linear in w, so the
    # two ends decide
    worst = Fraction(0)
    for _ in range(50):
        v, gap = (Fraction(int(a), 10) for a in rng.integers(1, 100, 2))
        mu = v + gap
        ends = [abs(1 - 2 * w / (mu + v)) for w in (v, mu)]
        worst = max(worst, *(abs(end - (mu - v) / (mu + v)) for end in ends))
    return Outcome(
        worst == 0,
        "proved exactly",
        "the mean Hessian on the segment to beta* has spectrum in [v, mu] (B is convex); at both "
        "ends |1 - eta w| = (mu-v)/(mu+v); 50 rational cases, difference 0",
    )


def _total_factor(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(50):
        mu, v, gamma = (Fraction(int(a), 10) for a in rng.integers(1, 100, 3))
        left = (mu - v) / (mu + v) + 2 / (mu + v) * gamma
        worst = max(worst, abs(left - (1 - 2 * (v - gamma) / (mu + v))))
    return Outcome(worst == 0, "proved exactly", "50 rational cases, difference 0")


def _square_of_sum(rng: Random) -> Outcome:
    del rng
    a = b = 1
    return Outcome(
        (a + b) ** 2 <= a**2 + b**2,
        "refuted with witness",
        "a = b = 1: 4 > 2",
        witness={"a": a, "b": b, "left": 4, "right": 2},
    )


def _square_of_sum_repaired(rng: Random) -> Outcome:
    pairs = [(Fraction(int(a), 9), Fraction(int(b), 9)) for a, b in rng.integers(-99, 99, (100, 2))]
    exact = all(2 * a**2 + 2 * b**2 - (a + b) ** 2 == (a - b) ** 2 for a, b in pairs)
    return Outcome(exact, "proved exactly", "right minus left is (a - b)^2 (100 rational cases)")


def _printed_tail(rng: Random) -> Outcome:
    del rng
    cases = [(10, 0.05), (5, 0.1)]
    rows = []
    for d, zeta in cases:
        exact = math.erfc(math.sqrt(math.log(d / zeta) / 2))
        rows.append({"d": d, "zeta": zeta, "probability": exact, "claimed": zeta / d})
    return Outcome(
        all(row["probability"] <= row["claimed"] for row in rows),
        "refuted with witness",
        "P(Z^2 > sigma^2 log(d/zeta)) = "
        + ", ".join(
            f"{row['probability']:.4f} > {row['claimed']:g} (d={row['d']}, zeta={row['zeta']})"
            for row in rows
        ),
        witness={"cases": rows},
    )


def _tail_repaired(rng: Random) -> Outcome:
    del rng
    # 2 Phi(-t) exp(t^2/2) <= 1: on [0, 1/2] by its derivative 2(t Phi(-t) - phi(t)) exp(t^2/2) < 0,
    # on [1/2, 8] by intervals, beyond by Phi(-t) <= phi(t)/t
    near = prove_nonnegative(
        lambda t: iv.exp(-(t**2) / 2) / iv.sqrt(2 * iv.pi) - t * iv_ndtr(-t), [(0, 0.5)]
    )
    middle = prove_nonnegative(lambda t: 1 - 2 * iv_ndtr(-t) * iv.exp(t**2 / 2), [(0.5, 8)])
    return Outcome(
        bool(near) and bool(middle) and 2 / (8 * math.sqrt(2 * math.pi)) < 1,
        "proved by interval arithmetic",
        f"P(|Z| > t sigma) <= exp(-t^2/2) for every t >= 0: {middle.describe()}; at 0 and beyond 8 "
        "by monotonicity and Mills' ratio",
    )


def _robust_mean_claim(rng: Random) -> Outcome:
    del rng
    n, t, log_term, delta = 10_000, 10, math.log(200), 1e-5
    rows = {}
    for epsilon in (1.0, 0.1, 0.01):
        constants = constants_for(
            epsilon=epsilon,
            delta=delta,
            method="zcdp",
            n=n,
            dimension=1,
            n_iterations=t,
            second_moment=1.0,
            failure_probability=1 / 200,
        )
        bias = _largest_bias(constants.precision) / constants.truncation_scale
        rows[epsilon] = bias**2 / (log_term / n)
    values = list(rows.values())
    return Outcome(
        not (values[0] > 100 and values == sorted(values)),
        "refuted with witness",
        "n=1e4, T=10, d/zeta=200, delta=1e-5, worst two-point law: squared bias over tau l/n = "
        + ", ".join(f"{ratio:.3g} (epsilon {epsilon:g})" for epsilon, ratio in rows.items()),
        witness={"ratios": {f"{epsilon:g}": ratio for epsilon, ratio in rows.items()}},
    )


def _robust_mean_repaired(rng: Random) -> Outcome:
    del rng
    worst = 0.0
    for k, p, zeta in itertools.product((0.5, 1.5, 4.0), (0.01, 0.1, 0.6), (0.2, 0.01)):
        m, tau = 400, k**2 * p
        constants = constants_for(
            epsilon=0.5,
            delta=1e-4,
            method="zcdp",
            n=m,
            dimension=1,
            n_iterations=1,
            second_moment=tau,
            failure_probability=zeta,
        )
        s, b = constants.truncation_scale, constants.precision
        value = float(smoothed_truncation([k], scale=s, precision=b)[0])
        allowed = tau / (2 * s) * (1 + 1 / b) + s / m * math.log(2 / zeta)
        high = stats.binom.sf(math.floor((k * p + allowed) * m / value), m, p)
        low = stats.binom.cdf(math.ceil((k * p - allowed) * m / value) - 1, m, p)
        worst = max(worst, float(high + low) / zeta)
    return Outcome(
        worst <= 1,
        "checked by search",
        f"18 two-point laws with the algorithm's own s and b, m = 400, exact binomial tails: "
        f"failure <= {worst:.3g} zeta",
    )


def _step_error(rng: Random) -> Outcome:
    del rng
    ratios = {}
    for exponent in (1, 10, 100, 300):
        log_term = exponent * math.log(10)
        precision = math.sqrt(log_term)
        # d = 1: tau/s over sqrt(tau T l/(b n te)) is 2 l/sqrt(l/b)
        ratios[exponent] = _largest_bias(precision) * 2 * math.sqrt(log_term * precision)
    values = list(ratios.values())
    return Outcome(
        not (values == sorted(values) and values[-1] > 50),
        "refuted with witness",
        "d = 1, worst two-point law: bias over the printed bound (C_2 = 1) = "
        + ", ".join(f"{ratio:.3g} (zeta 1e-{e})" for e, ratio in ratios.items())
        + "; unbounded, but only by logarithms",
        witness={"ratios": {f"1e-{e}": ratio for e, ratio in ratios.items()}},
    )


def _step_error_repaired(rng: Random) -> Outcome:
    del rng
    worst = 0.0
    for d, x in itertools.product((1, 2, 5, 20, 100, 1000), (0.1, 0.5, 1.0, 3.0, 10.0, 40.0)):
        radius = math.sqrt(d) + math.sqrt(2 * x)
        worst = max(worst, float(stats.chi2.sf(radius**2, d)) / math.exp(-x))
    return Outcome(
        0.01 < worst <= 1,
        "checked at high precision",
        f"|Z| <= sigma(sqrt d + sqrt(2x)) fails with probability at most {worst:.3f} e^-x over "
        "d in [1, 1000], x in [0.1, 40]; the robust part by (36) with the algorithm's s and b",
    )


def _induction(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(50):
        v, gap, radius = (Fraction(int(a), 10) for a in rng.integers(1, 100, 3))
        gamma = v * Fraction(int(rng.integers(1, 9)), 10)
        mu = v + gap
        iota = 1 - 2 * (v - gamma) / (mu + v)
        step = 2 * (v - gamma) / (mu + v) * radius / 2  # largest noise term that the text allows
        worst = max(worst, abs(iota * radius / 2 + step - radius / 2))
    return Outcome(
        worst == 0,
        "proved exactly",
        "iota R/2 + (1 - iota) R/2 = R/2, and the geometric series sums to 1/(1 - iota); given "
        "(49) in every iteration (50 rational cases, difference 0)",
    )


def _tilde_epsilon(rng: Random) -> Outcome:
    worst = 0.0
    with mp.workdps(30):
        for _ in range(200):
            epsilon, log_term = (mp.mpf(10) ** float(rng.uniform(-6, 3)) for _ in range(2))
            te = mp.sqrt(log_term + epsilon) - mp.sqrt(log_term)
            product = te * (mp.sqrt(log_term + epsilon) + mp.sqrt(log_term))
            worst = max(worst, float(abs(product / epsilon - 1)))
    return Outcome(
        worst < 1e-15,
        "checked at high precision",
        "te (sqrt(L+epsilon) + sqrt(L)) = epsilon, so epsilon/(2 sqrt(L+epsilon)) <= te <= "
        f"epsilon/(2 sqrt(L)) for all epsilon, L > 0; 200 points, difference {worst:.1g}",
    )


def _mixture_run(
    rng: Random, size: float, *, n: int = 5000, d: int = 4, epsilon: float = 0.9
) -> tuple[FloatArray, FloatArray]:
    """Return estimate and truth of Algorithm 2 on a mixture of SNR 3, started R/2 away."""
    truth = np.full(d, size / math.sqrt(d))
    model = GaussianMixture(size / 3)
    away = rng.standard_normal(d)
    estimate = algorithm_2(
        model.sample(truth, n, rng),
        model,
        initial=truth + away * (size / 8 / np.linalg.norm(away)),
        epsilon=epsilon,
        delta=1e-6,
        second_moment=2 * size**2,
        failure_probability=0.05,
        step_size=1.0,
        n_iterations=5,
        ledger=Ledger(rng),
    )
    return estimate, truth


def _factor_r(rng: Random) -> Outcome:
    seed = int(rng.integers(2**31))
    base, truth = _mixture_run(np.random.default_rng(seed), 1.0)
    error = float(np.linalg.norm(base - truth))
    ratios = {}
    for power in (4, 10, 20):
        c = 2.0**-power  # a power of two scales every double exactly
        estimate, scaled_truth = _mixture_run(np.random.default_rng(seed), c)
        ratios[power] = float(np.linalg.norm(estimate - scaled_truth)) / (c**2 * error)
    refuted = all(abs(ratio / 2.0**power - 1) < 1e-6 for power, ratio in ratios.items())
    return Outcome(
        not refuted,
        "refuted with witness",
        "same draws, beta* and sigma times c, tau times c^2: (24) is unchanged, the error is c "
        "times, (25) c^2 times; error over (25), relative to c = 1: "
        + ", ".join(f"{ratio:.6g} (c = 2^-{power})" for power, ratio in ratios.items()),
        witness={"seed": seed, "ratios": {f"2^-{p}": ratio for p, ratio in ratios.items()}},
    )


def _additive_bound(rng: Random) -> Outcome:
    runs, zeta, failures, worst = 100, 0.05, 0, 0.0
    n, d, t = 5000, 4, 5
    constants = constants_for(
        epsilon=0.9,
        delta=1e-6,
        method="zcdp",
        n=n,
        dimension=d,
        n_iterations=t,
        second_moment=2.0,
        failure_probability=0.05,
    )
    s, b = constants.truncation_scale, constants.precision
    iota = math.exp(-(3**2) / 2)  # gamma of Lemma 3 at SNR 3; mu = v = 1
    robust = 2.0 / (2 * s) * (1 + 1 / b) + s / (n // t) * math.log(4 * d * t / zeta)
    noise = constants.noise_scale * (math.sqrt(d) + math.sqrt(2 * math.log(2 * t / zeta)))
    bound = iota**t / 8 + (math.sqrt(d) * robust + noise) / (1 - iota)
    for _ in range(runs):
        estimate, truth = _mixture_run(rng, 1.0, n=n, d=d)
        error = float(np.linalg.norm(estimate - truth))
        failures += error > bound
        worst = max(worst, error / bound)
    confidence = 0.99
    upper = float(stats.beta.ppf(confidence, failures + 1, runs - failures))
    return Outcome(
        upper <= zeta,
        "Monte Carlo with confidence",
        f"n=5000, d=4, T=5, (0.9, 1e-6), SNR 3: {failures} of {runs} errors above the bound "
        f"{bound:.3g} (largest {worst:.3f} of it); failure probability <= {upper:.4f} <= {zeta}",
        confidence=confidence,
    )


# ================================================================= lemmas of the appendix

_ORDERS = np.concatenate([np.arange(1, 6, 0.25), np.arange(6, 60, 2.0)])


def _psi_norm(values: FloatArray, law: FloatArray, power: float) -> float:
    """sup_p p^(-power) (E|X|^p)^(1/p) over the orders 1 <= p < 60; power 1 or 1/2."""
    largest = float(np.abs(values).max())
    if largest == 0:
        return 0.0
    moments = (np.abs(values / largest)[None, :] ** _ORDERS[:, None]) @ law
    return largest * float(np.max(moments ** (1 / _ORDERS) / _ORDERS**power))


def _uncentred_mgf(rng: Random) -> Outcome:
    del rng
    # X = 1 has norm 1: e^t <= e^(C t^2) fails for 0 < t < 1/C
    needed = {t: (t / t**2) for t in (0.5, 0.1, 0.01, 0.001)}
    return Outcome(
        max(needed.values()) <= 100,
        "refuted with witness",
        "X = 1: the constant C needed is 1/t: "
        + ", ".join(f"{c:g} (t = {t:g})" for t, c in needed.items()),
        witness={"X": 1, "needed": {f"{t:g}": c for t, c in needed.items()}},
    )


def _centred_mgf(rng: Random) -> Outcome:
    # 1 + sum_{p>=2} (e|t|K)^p <= 1 + 2(etK)^2 <= exp(2 e^2 t^2 K^2) for e|t|K <= 1/2
    worst = 0.0
    for _ in range(300):
        size = int(rng.integers(2, 6))
        law = rng.dirichlet(np.ones(size))
        values = rng.exponential(1, size) * rng.choice([-1, 1, 10], size)
        values = values - law @ values
        norm = _psi_norm(values, law, 1.0)
        for t in np.array([-1, -0.3, -0.01, 0.01, 0.3, 1]) / (2 * math.e * norm):
            log_mgf = math.log(float(law @ np.exp(t * values)))
            worst = max(worst, log_mgf / (2 * math.e**2 * t**2 * norm**2))
    return Outcome(
        0 < worst <= 1,
        "checked by search",
        "E X = 0, C = 2e^2, c = 1/(2e), from p^p/p! <= e^p; 300 random laws: largest ratio of the "
        f"exponents {worst:.3f}",
    )


def _second_moment_of_subexponential(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(300):
        size = int(rng.integers(1, 6))
        law, values = rng.dirichlet(np.ones(size)), rng.normal(0, 3, size)
        worst = max(worst, float(law @ values**2) / _psi_norm(values, law, 1.0) ** 2)
    return Outcome(
        1 <= worst <= 4 * (1 + 1e-12),
        "checked by search",
        f"constant 4, from p = 2 (the mean need not be 0); 300 random laws: largest {worst:.3f}",
    )


def _bernstein_without_half(rng: Random) -> Outcome:
    del rng
    n, t, v = 64, 0.25, 1.0
    exact = 2 * float(ndtr(-t * math.sqrt(n)))
    claimed = 2 * math.exp(-n * min(t**2 / v**2, t / (2 * v)))
    return Outcome(
        exact <= claimed,
        "refuted with witness",
        f"X ~ N(0, 1), n = 64, t = 0.25: probability {exact:.4f} > {claimed:.4f}",
        witness={"n": n, "t": t, "v": v, "probability": exact, "claimed": claimed},
    )


def _bernstein(rng: Random) -> Outcome:
    del rng
    worst = -math.inf
    for n, t in itertools.product((1, 4, 64, 1000), (0.02, 0.1, 0.25, 1.0, 3.0)):
        normal = math.log(2) + float(log_ndtr(-t * math.sqrt(n)))
        worst = max(worst, normal - math.log(2) + n * min(t**2 / 2, t / 2))
        # an exponential minus 1 is 2-sub-exponential: e^(2x^2 + x) (1 - x) has derivative
        # x (3 - 4x) e^(2x^2 + x), so it is at least its value 1 at 0 for |x| < 1/2
        tails = np.logaddexp(
            stats.gamma.logsf(n * (1 + t), n), stats.gamma.logcdf(n * max(0.0, 1 - t), n)
        )
        worst = max(worst, float(tails) - math.log(2) + n * min(t**2 / 8, t / 4))
    return Outcome(
        math.log(0.1) < worst <= 0,
        "checked at high precision",
        "Chernoff at min(t/v^2, 1/v); exact normal and gamma tails, n <= 1000: largest ratio "
        f"{math.exp(worst):.3f}",
    )


def _centring(rng: Random) -> Outcome:
    worst = 0.0
    for power in (1.0, 0.5):
        for _ in range(300):
            size = int(rng.integers(2, 6))
            law, values = rng.dirichlet(np.full(size, 0.3)), rng.normal(0, 3, size)
            centred = _psi_norm(values - law @ values, law, power)
            worst = max(worst, centred / _psi_norm(values, law, power))
    return Outcome(
        1 < worst <= 2,
        "checked by search",
        "triangle inequality and |E X| <= E|X| <= |X|_psi (p = 1); 600 random laws: largest ratio "
        f"{worst:.3f}",
    )


def _product_of_subgaussians(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(400):
        size = int(rng.integers(1, 6))
        law = rng.dirichlet(np.ones(size))
        x = rng.normal(0, 1, size)
        y = x * rng.exponential() if rng.random() < 0.5 else rng.normal(0, 1, size)
        both = max(_psi_norm(x, law, 0.5), _psi_norm(y, law, 0.5)) ** 2
        worst = max(worst, _psi_norm(x * y, law, 1.0) / both)
    return Outcome(
        0.5 < worst <= 2,
        "checked by search",
        f"C = 2 by Cauchy-Schwarz at order 2p; 400 random joint laws: largest ratio {worst:.3f}",
    )


def _sum_of_subgaussians(rng: Random) -> Outcome:
    # symmetrise: E e^(tX) <= exp(2 e^2 K^2 t^2); then moments of the sum: C = 16 e
    worst = 0.0
    for _ in range(60):
        terms = int(rng.integers(2, 6))
        values, law = np.zeros(1), np.ones(1)
        squares = 0.0
        for _ in range(terms):
            size = int(rng.integers(2, 4))
            single = rng.dirichlet(np.ones(size))
            x = rng.normal(0, 1, size) * rng.exponential()
            x = x - single @ x
            squares += _psi_norm(x, single, 0.5) ** 2
            values = np.add.outer(values, x).ravel()
            law = np.multiply.outer(law, single).ravel()
        worst = max(worst, _psi_norm(values, law, 0.5) ** 2 / squares)
    return Outcome(
        0.5 < worst <= 16 * math.e,
        "checked by search",
        "C = 16e from the moment generating function; 60 random sums enumerated: largest "
        f"{worst:.3f}",
    )


def _symmetrised(
    factor: int,
    law: Sequence[tuple[Fraction, Fraction]],
    functions: Sequence[Any],
    n: int,
    phi: Any,
) -> tuple[Fraction, Fraction]:
    """Both sides of Lemma 15 by enumeration, with phi(factor |sum|) on the right."""
    means = [sum(p * f(y) for y, p in law) for f in functions]
    left = right = Fraction(0)
    for sample in itertools.product(law, repeat=n):
        probability = math.prod(p for _, p in sample)
        sums = [
            abs(sum(f(y) for y, _ in sample) - n * mean)
            for f, mean in zip(functions, means, strict=True)
        ]
        left += probability * phi(max(sums))
        for signs in itertools.product((-1, 1), repeat=n):
            signed = max(
                abs(sum(e * f(y) for e, (y, _) in zip(signs, sample, strict=True)))
                for f in functions
            )
            right += probability * phi(factor * signed) / 2**n
    return left, right


def _symmetrisation_printed(rng: Random) -> Outcome:
    del rng
    law = [(Fraction(0), Fraction(9, 10)), (Fraction(1), Fraction(1, 10))]
    left, right = _symmetrised(1, law, [lambda y: y], 1, lambda x: x)
    return Outcome(
        left <= right,
        "refuted with witness",
        f"n = 1, phi = identity, Y ~ Bernoulli(0.1): left {float(left):g}, right {float(right):g}",
        witness={"n": 1, "p": 0.1, "left": float(left), "right": float(right)},
    )


def _symmetrisation(rng: Random) -> Outcome:
    worst = Fraction(0)
    for _ in range(40):
        n, size = int(rng.integers(1, 4)), int(rng.integers(2, 4))
        weights = [int(w) for w in rng.integers(1, 10, size)]
        law = [
            (Fraction(int(y)), Fraction(w, sum(weights)))
            for y, w in zip(rng.integers(-9, 10, size), weights, strict=True)
        ]
        functions = [lambda y: y, lambda y: y**2, lambda y: 1 - y]
        for phi in (lambda x: x, lambda x: x**2):
            left, right = _symmetrised(2, law, functions, n, phi)
            worst = max(worst, left / right if right else Fraction(0))
    return Outcome(
        0 < worst <= 1,
        "checked by search",
        f"40 random laws, n <= 3, three functions, phi = x and x^2 (increasing on x >= 0), exact "
        f"enumeration: largest left/right {float(worst):.3f}",
    )


def _comparison(rng: Random) -> Outcome:
    ratio, excess = 0.0, -math.inf
    for _ in range(200):
        n, members = int(rng.integers(1, 6)), int(rng.integers(2, 6))
        points = rng.normal(0, 1, (members, n))
        kinds = rng.integers(0, 4, n)
        mapped = np.select(
            [kinds == 0, kinds == 1, kinds == 2],
            [np.abs(points), np.tanh(points), -np.maximum(points, 0)],
            np.minimum(points, 0.5),
        )
        signs = np.array(list(itertools.product((-1, 1), repeat=n)))
        left, right = (signs @ mapped.T).max(axis=1), (signs @ points.T).max(axis=1)
        excess = max(excess, float(left.mean() - 2 * right.mean()))
        for scale in (0.1, 1.0, 3.0):
            both = np.exp(scale * left).mean(), np.exp(2 * scale * right).mean()
            ratio = max(ratio, float(both[0] / both[1]))
    return Outcome(
        0.5 < ratio <= 1 + 1e-12 and excess < 1e-12,
        "checked by search",
        "200 random finite classes, n <= 5, four 1-Lipschitz maps with value 0 at 0, all signs "
        f"enumerated: largest left/right {ratio:.3f} for phi = e^(cx), left - right {excess:.3f} "
        "for phi = x",
    )


def _tanh_variable(snr: float) -> FloatArray:
    """tanh(Y beta) Y at the nodes, for d = 1, beta = beta* = snr, sigma = 1 (even in Y)."""
    y = snr + _G
    value: FloatArray = np.tanh(snr * y) * y
    return value


def _absolute_mgf(rng: Random) -> Outcome:
    del rng
    value = _tanh_variable(1.0)
    centred = np.abs(value - _W @ value)
    needed = {
        t: math.log(float(_W @ np.exp(t * centred))) / (t**2 * 2) for t in (0.01, 0.1, 0.5, 1.0)
    }
    return Outcome(
        max(needed.values()) < 10,
        "refuted with witness",
        "d = 1, beta = beta* = sigma = 1: constant needed "
        + ", ".join(f"{c:.3g} (t = {t:g})" for t, c in needed.items())
        + "; at least E|U|/(2t) as t -> 0",
        witness={"needed": {f"{t:g}": c for t, c in needed.items()}},
    )


def _centred_gradient_mgf(rng: Random) -> Outcome:
    del rng
    worst = 0.0
    for snr in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
        value = _tanh_variable(snr)
        centred = value - _W @ value
        for t in (-3.0, -1.0, -0.3, -0.01, 0.01, 0.3, 1.0, 3.0):
            log_mgf = math.log(float(_W @ np.exp(t * centred)))
            worst = max(worst, log_mgf / (t**2 * (snr**2 + 1)))
    return Outcome(
        0.1 < worst <= 1,
        "checked by search",
        f"d = 1, SNR 0.1-8, |t| in [0.01, 3]: constant needed for E exp(tU) at most {worst:.3f}; "
        "sub-Gaussian because |2w - 1| <= 1",
    )


def _symmetrised_gradient(rng: Random) -> Outcome:
    del rng
    nodes, weights = _standard_normal(0.02, 8.0)
    truth = np.array([1.0, 0.0])
    beta = truth + 0.25 * np.array([math.cos(0.75 * math.pi), math.sin(0.75 * math.pi)])
    norm = float(np.linalg.norm(beta))
    u = beta / norm
    along, across = nodes[:, None], nodes[None, :]
    second = truth[1] + u[1] * along + u[0] * across  # Y_2, with the orthogonal direction (-u2, u1)
    law = weights[:, None] * weights[None, :]
    gaps = {}
    for name, factor in (("posterior weight", 1.0), ("printed weight", 0.5)):
        value = np.tanh(factor * (beta @ truth + norm * along)) * second
        centred = value - float(np.sum(law * value))
        t = 0.01
        exponentials = [float(np.sum(law * np.expm1(t * np.abs(v)))) for v in (centred, value)]
        gaps[name] = (exponentials[0] - exponentials[1]) / t
    return Outcome(
        max(gaps.values()) <= 0,
        "refuted with witness",
        "d = 2, beta* = e_1, beta = beta* + (cos 135, sin 135)/4, j = 2, t = 0.01: "
        "(left - right)/t = " + ", ".join(f"{gap:+.4f} ({name})" for name, gap in gaps.items()),
        witness={"beta_star": truth.tolist(), "beta": beta.tolist(), "gaps": gaps},
    )


# ================================================================= the experiments


def _duel(rng: Random, size: float, runs: int) -> list[tuple[float, float]]:
    """Errors of Algorithms 1 (C = 1) and 2 on the mixture at the same (epsilon, delta)."""
    n, d, t = 40_000, 5, 10
    truth = np.full(d, size / math.sqrt(d))
    model = GaussianMixture(size / 3)
    claim = {"epsilon": 1.0, "delta": n**-1.1, "step_size": 1.0, "n_iterations": t}
    errors = []
    for _ in range(runs):
        data = model.sample(truth, n, rng)
        start = rng.standard_normal(d)
        start *= size / np.linalg.norm(start)
        estimates = (
            algorithm_1(
                data,
                model,
                initial=start,
                clipping_threshold=1.0,
                ledger=Ledger(rng),
                **claim,
            ),
            algorithm_2(
                data,
                model,
                initial=start,
                second_moment=model.moment_bound(truth, size / 4),
                failure_probability=0.05,
                ledger=Ledger(rng),
                **claim,
            ),
        )
        first, second = (
            min(float(np.linalg.norm(e - truth)), float(np.linalg.norm(e + truth)))
            for e in estimates
        )
        errors.append((first, second))
    return errors


def _clipping_wins(rng: Random) -> Outcome:
    runs = 8
    errors = _duel(rng, 1.0, runs)
    wins = sum(clipped < smoothed for clipped, smoothed in errors)
    medians = np.median(np.array(errors), axis=0)
    # if Algorithm 2 won at least half of the time, 8 of 8 would have probability 1/256
    return Outcome(
        wins < runs,
        "refuted with witness",
        "mixture, |beta*| = 1, SNR 3, n=4e4, d=5, T=10, (1, n^-1.1), C=1, random start: "
        f"Algorithm 1 is better in {wins} of {runs} runs, medians {medians[0]:.3g} against "
        f"{medians[1]:.3g}",
        witness={"errors_algorithm_1_and_2": [list(pair) for pair in errors]},
        confidence=1 - 0.5**runs,
    )


def _order_reverses(rng: Random) -> Outcome:
    runs = 8
    errors = _duel(rng, 30.0, runs)
    wins = sum(smoothed < clipped for clipped, smoothed in errors)
    medians = np.median(np.array(errors), axis=0)
    return Outcome(
        wins == runs,
        "Monte Carlo with confidence",
        f"the same with |beta*| = 30: Algorithm 2 is better in {wins} of {runs} runs, medians "
        f"{medians[1]:.3g} against {medians[0]:.3g}",
        confidence=1 - 0.5**runs,
    )


def _largest_eigenvalue(data: FloatArray) -> float:
    return float(np.linalg.eigvalsh(np.cov(data.T)).max())


def _eigenvalue_as_sigma(rng: Random) -> Outcome:
    cluster = 0.5 * rng.standard_normal((5000, 3)) + 1.0
    ratio = _largest_eigenvalue(4.0 * cluster) / _largest_eigenvalue(cluster)
    value = _largest_eigenvalue(cluster)
    return Outcome(
        abs(ratio - 4.0) < 1e-6,
        "refuted with witness",
        f"data times 4: the eigenvalue is {ratio:.6g} times as large, a standard deviation 4 "
        f"times; a cluster with sigma = 0.5 has eigenvalue {value:.3f}",
        witness={"factor": 4.0, "ratio": ratio, "sigma": 0.5, "eigenvalue": value},
    )


def _root_of_eigenvalue(rng: Random) -> Outcome:
    cluster = 0.5 * rng.standard_normal((5000, 3)) + 1.0
    sigma = math.sqrt(_largest_eigenvalue(cluster))
    scaled = math.sqrt(_largest_eigenvalue(4.0 * cluster))
    return Outcome(
        abs(scaled / sigma - 4) < 1e-6 and abs(sigma - 0.5) < 0.03,
        "checked by search",
        f"root of the eigenvalue {sigma:.3f} for sigma = 0.5, and 4 times as large for 4 times the "
        "data",
    )


# ================================================================= the ledger

_BOTH = ("wang-1", "wang-2")
_SECOND = ("wang-2",)


def _definition(number: str, lines: str, formula: str, reason: str) -> Statement:
    return Statement(
        seed="000",
        number=number,
        lines=lines,
        formula=formula,
        kind="assumption" if number.startswith("Assumption") else "definition",
        expected="not checkable",
        reason=reason,
        algorithms=_BOTH,
    )


STATEMENTS: tuple[Statement, ...] = (
    _definition(
        "Definitions 1-4",
        "143-153",
        "self-consistent; Lipschitz-Gradient-2(gamma, B) (12); mu-smooth; v-strongly concave",
        "definitions; their constants for the mixture are Lemma 3",
    ),
    _definition(
        "Assumption 1",
        "157",
        "Definitions 1-4 hold on B and E(nabla_j q(beta; beta))^2 <= tau, independent over records",
        "an assumption; for the mixture its parts are Lemma 3 and Lemma 4",
    ),
    _definition(
        "Definitions 5-6",
        "159-161",
        "(epsilon, delta)-DP for data sets that differ in one entry; its local version",
        "definitions",
    ),
    _definition(
        "Definitions 8-11",
        "448-470",
        "psi_1 and psi_2 norms by moments; xi-sub-exponential; sub-Gaussian with variance sigma^2",
        "definitions",
    ),
    _definition(
        "Definition 12",
        "620",
        "rho-zCDP: D_alpha(A(D)||A(D')) <= rho alpha for every alpha > 1",
        "a definition",
    ),
    Statement(
        seed="000",
        number="(1)",
        lines="80",
        formula="(l_n(beta) - l_n(beta'))/n >= Q_n(beta; beta') - Q_n(beta'; beta')",
        kind="optimisation",
        expected="true",
        check=_lower_bound_of_likelihood,
        algorithms=_BOTH,
    ),
    Statement(
        seed="000",
        number="(5)",
        lines="106-109 (004 l.9466)",
        formula="w_beta(y) = 1/(1 + exp(-<beta, y>/sigma^2)), the posterior of the mixture (4)",
        kind="identity",
        expected="false",
        reason="the exponent lacks a factor 2, so that beta* is not a fixed point",
        check=_printed_weight,
        corrected="w_beta(y) = 1/(1 + exp(-2<beta, y>/sigma^2)); E(2w-1)Y = beta* at beta*",
        corrected_check=_doubled_weight,
        algorithms=_BOTH,
        errata=(("model-gmm", 1),),
    ),
    Statement(
        seed="000",
        number="Definition 7",
        lines="163",
        formula="sigma >= sqrt(2 ln(1.25/delta)) Delta_2/epsilon gives (epsilon, delta)-DP",
        kind="privacy",
        expected="false",
        reason="no upper limit on epsilon; false for large epsilon",
        check=_classical_gaussian,
        corrected="the same for 0 < epsilon <= 1",
        corrected_check=_classical_gaussian_small,
        algorithms=_BOTH,
        errata=(("wang-mean", 3),),
    ),
    Statement(
        seed="000",
        number="Theorem 1",
        lines="177, 500-512 (004 l.9528)",
        formula="mixture, some fixed beta: P(||nabla q(beta; beta)||_2 >= c) > 0 for every c",
        kind="sensitivity",
        expected="true",
        check=_unbounded_gradient,
        algorithms=_BOTH,
    ),
    Statement(
        seed="000",
        number="Algorithm 1",
        lines="193 (004 l.9552)",
        formula="sigma^2 = c T log(1/delta)/(n^2 epsilon^2) is (epsilon, delta)-DP for some c",
        kind="composition",
        expected="true",
        check=_constant_of_algorithm_1,
        algorithms=("wang-1",),
    ),
    Statement(
        seed="000",
        number="(14)",
        lines="207-209 (004 l.9569)",
        formula="|phi(x)| <= 2 sqrt(2)/3",
        kind="sensitivity",
        expected="true",
        check=_phi_bound,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(17)",
        lines="219-237 (004 l.9580-9599)",
        formula="E phi(a + b xi) = a(1 - b^2/2) - a^3/6 + C-hat(a, b) for any a and b > 0",
        kind="approximation",
        expected="true",
        check=_closed_form_is_right,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(17), evaluated",
        lines="223, 295",
        formula="C-hat is easy to implement: (17) with a = x/s, b = |x|/(s sqrt(b)) for every x",
        kind="approximation",
        expected="false",
        reason="0/0 at x = 0, and in doubles the cubes cancel to noise: unbounded beyond 1e5 s",
        check=_closed_form_in_doubles,
        corrected="psi(0) = 0; int (1 - u^2/2)(P(U > u) - P(U < -u)) du for large b; clip",
        corrected_check=_stable_form,
        algorithms=_SECOND,
        errata=(("wang-phi", 1), ("wang-phi", 2)),
    ),
    Statement(
        seed="000",
        number="(18), sensitivity",
        lines="243",
        formula="the l2-sensitivity of x-hat is (s/n) 4 sqrt(2)/3",
        kind="sensitivity",
        expected="true",
        check=_sensitivity_of_mean,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Lemma 1",
        lines="239-241 (004 Lemma 7.2.1)",
        formula="b = 2 Lambda, s = sqrt(n tau/(2 Lambda)): |x-hat - E x| <= O(sqrt(tau Lambda/n))",
        kind="concentration",
        expected="true",
        check=_rate_of_rule_1,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Lemma 2",
        lines="249 (004 Lemma 7.2.2)",
        formula="(19): |A(D) - E x| <= O(sqrt(tau L Lambda/(n epsilon^2))) w.p. 1 - zeta",
        kind="utility",
        expected="true",
        check=_rate_19,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Theorem 2",
        lines="255",
        formula="b = sqrt(Lambda), s = sqrt(n epsilon tau)/(Lambda L^(1/4)): |A(D) - E x| <= "
        "O(sqrt(tau L^(1/2) Lambda/(n epsilon))) (20)",
        kind="utility",
        expected="false",
        reason="off by sqrt(Lambda): the bias is tau/(2s)(1 + 1/b), not O(tau/(s b))",
        check=_rate_20_as_stated,
        corrected="(20) with s = sqrt(n epsilon tau)/(Lambda^(1/2) L^(1/4))",
        corrected_check=_rate_20_repaired,
        algorithms=_SECOND,
        errata=(("wang-mean", 1),),
    ),
    Statement(
        seed="000",
        number="Theorem 3",
        lines="263-269, 608-616",
        formula="local model, s = n^(1/4) sqrt(epsilon tau)/(Lambda L^(1/4)): |A(D) - E x| <= "
        "O(sqrt(tau L^(1/2) Lambda/(n^(1/2) epsilon))) (22)",
        kind="utility",
        expected="false",
        reason="off by sqrt(Lambda) like Theorem 2 (tau/s over (22) is again sqrt(Lambda)); the "
        "local privacy claim holds by the Gaussian mechanism",
        check=_rate_20_as_stated,
        corrected="(22) with s = n^(1/4) sqrt(epsilon tau)/(Lambda^(1/2) L^(1/4)): the three terms "
        "are at most those of Theorem 2",
        corrected_check=_rate_20_repaired,
        algorithms=_SECOND,
        errata=(("wang-ldp-mean", 1),),
    ),
    Statement(
        seed="000",
        number="Theorem 4",
        lines="273, 618-634",
        formula="Algorithm 2 is (epsilon, delta)-DP for 0 < epsilon, delta < 1 (s/m in (23))",
        kind="composition",
        expected="true",
        check=_privacy_of_algorithm_2,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(23)",
        lines="295",
        formula="mean over the block of the cubic + (s/n) sum_{i<=n} C-hat, bounded per record",
        kind="sensitivity",
        expected="false",
        reason="s/n does not match the 1/m of the cubic, which is then not cancelled",
        check=_equation_23,
        corrected="(s/m) sum_{i<=m} C-hat over the same block",
        corrected_check=_equation_23_repaired,
        algorithms=_SECOND,
        errata=(("wang-2", 2),),
    ),
    Statement(
        seed="000",
        number="Algorithm 2, sigma^2",
        lines="297",
        formula="16 s^2 d/(9 m^2 te^2) = 4 d T tau/(9 n b^2 te)",
        kind="identity",
        expected="false",
        reason="with the printed s the power is b^4; harmless for d >= 2, where it only adds noise",
        check=_two_variances,
        corrected="16 s^2 d/(9 m^2 te^2) = 4 d T tau/(9 n b^4 te)",
        corrected_check=_two_variances_repaired,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Theorem 5",
        lines="277-285 (004 Theorem 7.2.3)",
        formula="(25): ||beta^T - beta*||_2 <= O~(R sqrt((v+mu)/(v-gamma)^3) d (L Lambda)^(1/4) "
        "sqrt(tau)/sqrt(n epsilon)) under (24)",
        kind="utility",
        expected="false",
        reason="R multiplies the whole bound, but the algorithm is scale equivariant",
        check=_factor_r,
        corrected="iota^T R/2 + (eta/(1-iota)) [sqrt(d)(tau/(2s)(1+1/b) + (s/m) log(4dT/zeta)) + "
        "sigma(sqrt(d) + sqrt(2 log(2T/zeta)))] w.p. 1 - zeta, while the iterates stay in B",
        corrected_check=_additive_bound,
        algorithms=_SECOND,
        errata=(("wang-2", 3),),
    ),
    _definition(
        "Remark 1",
        "303",
        "random starts work well; n must grow like 1/R^2; tau may depend on d and beta*",
        "commentary on Theorem 5, with no claim of its own",
    ),
    Statement(
        seed="000",
        number="Lemma 3",
        lines="321 (004 Lemma 7.2.3)",
        formula="SNR >= r large: self-consistent, gamma = exp(-C r^2) (printed tau^2), mu = v = 1, "
        "R = |beta*|/4, with the posterior weight",
        kind="optimisation",
        expected="true",
        check=_mixture_constants,
        algorithms=_BOTH,
    ),
    Statement(
        seed="000",
        number="Lemma 4",
        lines="326 (004 Lemma 7.2.4)",
        formula="E(nabla_j q(beta; beta))^2 <= O(|beta*|_inf^2 + sigma^2) for every beta in B",
        kind="concentration",
        expected="false",
        reason="beta_j may be |beta*|/4 away from beta*_j: Lemma 19 bounds the centred variable",
        check=_printed_moment,
        corrected="<= (sqrt(|beta*|_inf^2 + sigma^2) + |beta*|_inf + R)^2",
        corrected_check=_moment_with_radius,
        algorithms=_BOTH,
        errata=(("ledger:000 Lemma 4", 1),),
    ),
    Statement(
        seed="000",
        number="Theorem 6",
        lines="334-342 (004 Theorem 7.2.4)",
        formula="(26): n >= Omega~(d^2 sqrt(|beta*|_inf^2 + sigma^2) sqrt(L Lambda)/(epsilon "
        "|beta*|^2))",
        kind="utility",
        expected="false",
        reason="not homogeneous: (24) with Lemma 4's tau has no root; (27) repeats the factor R",
        check=_printed_condition,
        corrected="n >= Omega~(d^2 (|beta*|_inf^2 + sigma^2) sqrt(L Lambda)/(epsilon |beta*|^2))",
        corrected_check=_homogeneous_condition,
        algorithms=_SECOND,
        errata=(("ledger:000 Thm 6", 1),),
    ),
    Statement(
        seed="000",
        number="Remark 2",
        lines="344 (004 Remark 7.2.2)",
        formula="sample complexity O~(d^2/(alpha^2 epsilon)), near-optimal for constant epsilon",
        kind="remark",
        expected="not checkable",
        reason="the arithmetic follows from (27); the optimal rate is cited, not proved",
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Section 6, comparison",
        lines="406",
        formula="at C = 1 and the same privacy, Algorithm 2 thoroughly outperforms Algorithm 1",
        kind="experiment",
        expected="false",
        reason="the order depends on the scale of beta*, which is not printed",
        check=_clipping_wins,
        corrected="Algorithm 2 outperforms clipping at C = 1 when |beta*| is much larger than C",
        corrected_check=_order_reverses,
        algorithms=_BOTH,
        errata=(("wang-1", 2),),
    ),
    Statement(
        seed="000",
        number="Section 6, real data",
        lines="400-404",
        formula="the maximal eigenvalue of a cluster's covariance is the sigma of (4)",
        kind="experiment",
        expected="false",
        reason="an eigenvalue of the covariance is a variance",
        check=_eigenvalue_as_sigma,
        corrected="its square root",
        corrected_check=_root_of_eigenvalue,
        algorithms=_SECOND,
        errata=(("wang-prep", 1),),
    ),
    Statement(
        seed="000",
        number="Lemma 9",
        lines="454 (004 Lemma 7.2.10)",
        formula="E exp(tX) <= exp(C t^2 |X|_psi1^2) for |t| <= c/|X|_psi1",
        kind="concentration",
        expected="false",
        reason="needs E X = 0",
        check=_uncentred_mgf,
        corrected="the same for E X = 0",
        corrected_check=_centred_mgf,
        algorithms=_SECOND,
        errata=(("ledger:000 Lemma 9", 1),),
    ),
    Statement(
        seed="000",
        number="Lemma 10",
        lines="458 (004 Lemma 7.2.11)",
        formula="E X^2 <= O(|X|_psi1^2) for zero-mean sub-exponential X",
        kind="concentration",
        expected="true",
        check=_second_moment_of_subexponential,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Lemma 11",
        lines="460-464 (004 Lemma 7.2.12)",
        formula="P(|mean - mu| >= t) <= 2 exp(-n min(t^2/v^2, t/(2v))), printed with -t^2/v^2",
        kind="concentration",
        expected="false",
        reason="with the printed minus the bound exceeds 1 and says nothing; without it, it is "
        "false: a factor 1/2 is missing",
        check=_bernstein_without_half,
        corrected="2 exp(-n min(t^2/(2v^2), t/(2v)))",
        corrected_check=_bernstein,
        algorithms=_SECOND,
        errata=(("ledger:000 Lemma 11", 1),),
    ),
    Statement(
        seed="000",
        number="Lemma 12",
        lines="472 (004 Lemma 7.2.13)",
        formula="|X - E X|_psi <= 2 |X|_psi for both norms",
        kind="concentration",
        expected="true",
        check=_centring,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Lemma 13",
        lines="474 (004 Lemma 7.2.14)",
        formula="|X_1 X_2|_psi1 <= C max(|X_1|_psi2^2, |X_2|_psi2^2)",
        kind="concentration",
        expected="true",
        check=_product_of_subgaussians,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Lemma 14",
        lines="478 (004 Lemma 7.2.15)",
        formula="|sum X_j|_psi2^2 <= C sum |X_j|_psi2^2 for independent zero-mean X_j",
        kind="concentration",
        expected="true",
        check=_sum_of_subgaussians,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Lemma 15",
        lines="482-486 (004 Lemma 7.2.16)",
        formula="E phi(sup_f |sum f(y_i) - E f|) <= E phi(sup_f |sum eps_i f(y_i)|)",
        kind="concentration",
        expected="false",
        reason="the factor 2 inside phi is missing",
        check=_symmetrisation_printed,
        corrected="<= E phi(2 sup_f |sum eps_i f(y_i)|)",
        corrected_check=_symmetrisation,
        algorithms=_SECOND,
        errata=(("ledger:000 Lemma 15", 1),),
    ),
    Statement(
        seed="000",
        number="Lemma 16",
        lines="488-494 (004 Lemma 7.2.17)",
        formula="E phi(sup_f sum eps_i phi_i(f)) <= E phi(2L sup_f sum eps_i f), phi_i(0) = 0",
        kind="concentration",
        expected="true",
        check=_comparison,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(30)-(31)",
        lines="516-522",
        formula="sup_v (int h dv - K(v, v0)) = log int exp(h) dv0",
        kind="identity",
        expected="true",
        check=_gibbs,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(32)",
        lines="536-558",
        formula="w.p. 1 - zeta for all v: (1/n) int sum f dv <= int log E exp(f) dv + (K(v, v0) + "
        "Lambda)/n",
        kind="concentration",
        expected="true",
        check=_pac_bayes,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(33)",
        lines="566",
        formula="-log(1 - u + u^2/2) <= phi(u) <= log(1 + u + u^2/2) for every u",
        kind="approximation",
        expected="true",
        check=_logarithmic_bounds,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(34)",
        lines="570",
        formula="int log E exp(phi((1+eta)x/s)) dv <= E x/s + E x^2/(2s^2) (1 + 1/b)",
        kind="concentration",
        expected="true",
        check=_expected_logarithm,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(35)",
        lines="576",
        formula="K(N(0, 1/b), N(1, 1/b)) = b/2",
        kind="identity",
        expected="true",
        check=_divergence,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(36)",
        lines="580",
        formula="x-hat <= E x + E x^2/(2s) (1/b + 1) + (s/n)(b/2 + Lambda) w.p. 1 - zeta",
        kind="concentration",
        expected="true",
        check=_explicit_upper_bound,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(37)-(39), (41)",
        lines="584-614",
        formula="bias of x-hat is O(tau/(s b))",
        kind="concentration",
        expected="false",
        reason="(36) gives tau/(2s)(1 + 1/b): a factor b is lost",
        check=_lost_precision,
        corrected="bias <= tau/(2s) (1 + 1/b)",
        corrected_check=_bias_bound,
        algorithms=_SECOND,
        errata=(("wang-mean", 1), ("wang-ldp-mean", 1)),
    ),
    Statement(
        seed="000",
        number="Lemma 17",
        lines="628 (004 Lemma 7.2.18)",
        formula="rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-DP",
        kind="privacy",
        expected="true",
        check=_zcdp_conversion,
        algorithms=_BOTH,
    ),
    Statement(
        seed="000",
        number="Lemma 18",
        lines="632 (004 Lemma 7.2.19)",
        formula="the Gaussian mechanism is Delta_2^2/(2 sigma^2)-zCDP",
        kind="privacy",
        expected="true",
        check=_gaussian_renyi,
        algorithms=_BOTH,
    ),
    Statement(
        seed="000",
        number="(42)-(43)",
        lines="638-642",
        formula="|beta + eta g~ - beta*| <= |beta + eta g - beta*| + eta |g~ - g|",
        kind="optimisation",
        expected="true",
        check=_triangle,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(44)-(45)",
        lines="646-650 (004 (7.74))",
        formula="eta = 2/(mu+v): |beta + eta nabla Q(beta; beta*) - beta*| <= ((mu-v)/(mu+v)) "
        "|beta - beta*|",
        kind="optimisation",
        expected="true",
        check=_contraction,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(46)",
        lines="654 (004 (7.75))",
        formula="(mu-v)/(mu+v) + eta gamma = 1 - 2(v-gamma)/(mu+v)",
        kind="optimisation",
        expected="true",
        check=_total_factor,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(47)-(48)",
        lines="660-662 (004 (7.76)-(7.77))",
        formula="sum_j (a_j + Z_j)^2 <= sum_j a_j^2 + sum_j Z_j^2",
        kind="optimisation",
        expected="false",
        reason="factor 2 missing; constants only",
        check=_square_of_sum,
        corrected="(a + b)^2 <= 2a^2 + 2b^2",
        corrected_check=_square_of_sum_repaired,
        algorithms=_SECOND,
        errata=(("wang-2", 6),),
    ),
    Statement(
        seed="000",
        number="Theorem 5, proof (Gaussian tail)",
        lines="664 (004 l.9998)",
        formula="|Z_j|^2 <= sigma^2 log(d/zeta) with probability 1 - zeta/d",
        kind="concentration",
        expected="false",
        reason="factor 2 missing; constants only",
        check=_printed_tail,
        corrected="|Z_j|^2 <= 2 sigma^2 log(d/zeta) with probability 1 - zeta/d",
        corrected_check=_tail_repaired,
        algorithms=_SECOND,
        errata=(("wang-2", 4),),
    ),
    Statement(
        seed="000",
        number="Theorem 5, proof (robust mean)",
        lines="668",
        formula="squared error of the robust mean is O(tau l/n), by Lemma 1",
        kind="concentration",
        expected="false",
        reason="Lemma 1 needs another s and b on n samples, not the algorithm's on n/T",
        check=_robust_mean_claim,
        corrected="|error| <= tau/(2s) (1 + 1/b) + (s/m) log(2/zeta) w.p. 1 - zeta",
        corrected_check=_robust_mean_repaired,
        algorithms=_SECOND,
        errata=(("wang-2", 5),),
    ),
    Statement(
        seed="000",
        number="(49)",
        lines="674 (004 (7.78))",
        formula="|g~ - g| <= C_2 d sqrt(tau T l)/sqrt(b n te) w.p. 1 - 2 zeta",
        kind="concentration",
        expected="false",
        reason="follows from the previous line and inherits its defect; true up to logarithms",
        check=_step_error,
        corrected="<= sqrt(d)(tau/(2s)(1+1/b) + (s/m) log(4d/zeta)) + sigma(sqrt(d) + "
        "sqrt(2 log(2/zeta))) w.p. 1 - zeta",
        corrected_check=_step_error_repaired,
        algorithms=_SECOND,
        errata=(("wang-2", 5),),
    ),
    Statement(
        seed="000",
        number="(50), induction",
        lines="678-698 (004 (7.79))",
        formula="given (49) in every step, |beta^t - beta*| <= R/2 for all t and the error is at "
        "most iota^T R/2 + noise/(1 - iota)",
        kind="optimisation",
        expected="true",
        check=_induction,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Theorem 5, proof (tilde-epsilon)",
        lines="700 (004 l.10048)",
        formula="te = O(epsilon/sqrt(L))",
        kind="optimisation",
        expected="true",
        check=_tilde_epsilon,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="Lemma 19",
        lines="704-748 (004 Lemma 7.2.20)",
        formula="nabla_j q(beta; beta), centred, is O(sqrt(|beta*|_inf^2 + sigma^2))-"
        "sub-exponential",
        kind="concentration",
        expected="true",
        check=_centred_gradient_mgf,
        algorithms=_SECOND,
    ),
    Statement(
        seed="000",
        number="(52)",
        lines="724",
        formula="E exp(t|X - E X|) <= E exp(t|eps X|), X = (2w-1) y_j, for every t > 0",
        kind="concentration",
        expected="false",
        reason="Lemma 15 without its factor 2",
        check=_symmetrised_gradient,
        algorithms=_SECOND,
        errata=(("ledger:000 Lemma 19", 1),),
    ),
    Statement(
        seed="000",
        number="(57)",
        lines="746-748",
        formula="E exp(t|U|) <= exp(C t^2 (|beta*_j|^2 + sigma^2)) for every t > 0, U centred",
        kind="concentration",
        expected="false",
        reason="impossible as t -> 0 with the absolute value: the factor 2 of (56) is dropped",
        check=_absolute_mgf,
        corrected="E exp(tU) <= exp(C t^2 (|beta*_j|^2 + sigma^2))",
        corrected_check=_centred_gradient_mgf,
        algorithms=_SECOND,
        errata=(("ledger:000 Lemma 19", 1),),
    ),
)
