"""Seed 000 on the mixture of regressions and missing covariates; seed 004, section 7.2.

Of seed 000 what :mod:`proofs_checks.statements.em` leaves to these models: (7), (9)-(11), Lemmas
5-8 and 20-22 with their proofs, Theorems 7 and 8, Remark 3. Of seed 004, section 7.2, what differs
from seed 000: Algorithms 7.2.56 and 7.2.57, Theorems 7.2.2-7.2.8, Assumption 7.2.2, Lemmas 7.2.9
and 7.2.24, Q_n and M_n. What it repeats word for word has its line in the statement of seed 000.

Notation: Lambda = log(1/zeta), L = log(1/delta), te = sqrt(L + epsilon) - sqrt(L), l = log(d/zeta),
b = the smoothing precision; r = y - <beta, x_observed>, V = sigma^2 + ||beta_missing||^2 and
rho = E r^2/V for missing covariates.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import NDArray
from scipy import stats
from scipy.interpolate import CubicSpline

from proofs_checks.old_statement import Check, Kind, Outcome, Statement
from proofs_checks.statements import em, em_highdim
from reference._validation import FloatArray
from reference.constants import with_constants
from reference.em.full_data_gradient_em import constants_for, full_data_gradient_em
from reference.em.models import GaussianMixture
from reference.em.private_em import private_em
from reference.em.split_gradient_em import Constants
from reference.em.split_gradient_em import constants_for as split_constants_for
from reference.errata.em.models import PrintedMissingCovariates
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy.accounting import compositions
from reference.privacy.guarantees import gaussian_dp_delta, zcdp_rho
from reference.privacy.ledger import Ledger, RecordingLedger

Random = np.random.Generator
Rational = Sequence[Fraction]
_LIMIT = 2 * math.sqrt(2) / 3  # the largest value of phi


def _seeds_constants(
    data: Any, model: Any, *, initial: Any, step_size: float = 1.0, **claim: Any
) -> Constants:
    """Return the constants with the noise as printed."""
    del model, step_size
    return constants_for(n=len(data), dimension=len(initial), method="zcdp", **claim)


_algorithm_56 = with_constants(full_data_gradient_em, _seeds_constants)
_algorithm_57 = with_constants(private_em, _seeds_constants)


def _refuted(refuted: bool, detail: str, witness: dict[str, Any]) -> Outcome:
    return Outcome(not refuted, "refuted with witness", detail, witness)


def _fractions(rng: Random, size: int) -> list[Fraction]:
    """Return non-zero random rationals of both signs."""
    pairs = rng.integers(1, 20, (size, 2)).tolist()
    signs = rng.choice([-1, 1], size).tolist()
    return [Fraction(sign * p, q) for sign, (p, q) in zip(signs, pairs, strict=True)]


def _listed(values: dict[Any, float], style: str = ".4g") -> str:
    return ", ".join(f"{value:{style}} ({key})" for key, value in values.items())


def _on_sphere(rng: Random, d: int, radius: float) -> FloatArray:
    """Return a random point of the sphere, half of the time on an axis."""
    away = rng.standard_normal(d) if rng.random() < 0.5 else np.eye(d)[rng.integers(d)]
    point: FloatArray = away * (radius / np.linalg.norm(away))
    return point


# ================================================================= the mixture of regressions


def _regression_weight(rng: Random) -> Outcome:
    del rng
    plus, minus = (math.exp(-((0.7 - z) ** 2) / 0.5) for z in (1, -1))
    posterior, printed = plus / (plus + minus), 1 / (1 + math.exp(-0.7 / 0.25))
    fixed = {
        snr: em_highdim._regression_fixed_point(snr) for snr in (1.0, 2.0, 3.0, 4.0, 5.0, 10.0)
    }
    return _refuted(
        abs(printed - posterior) > 0.01 and max(fixed.values()) < 1 - 1e-4,
        f"<beta, x> = 1, y = 0.7, sigma = 0.5: printed {printed:.5f}, posterior {posterior:.5f}; "
        f"population fixed point over beta*, by SNR: {_listed(fixed, '.5f')}",
        {"printed": printed, "posterior": posterior, "fixed_points": fixed},
    )


@dataclass(frozen=True)
class RegressionLaw:
    """The gradient F X of the mixture of regressions as F on a grid and X given the grid.

    Attributes
    ----------
    weights : ndarray of shape (a, b)
        Of the quadrature, for <X, beta>/||beta|| and the part of Y independent of it.
    factor : ndarray of shape (a, b)
        F = (2w - 1) Y - <X, beta>.
    signal : ndarray of shape (a, b)
        (2w - 1) Y.
    means : ndarray of shape (d, a, b)
        E X_j given the grid point.
    variances : ndarray of shape (d,)
        Var X_j given the grid point.
    """

    weights: FloatArray
    factor: FloatArray
    signal: FloatArray
    means: FloatArray
    variances: FloatArray

    def second_moment(self, j: int) -> float:
        """Return E(F X_j)^2."""
        squares = self.means[j] ** 2 + self.variances[j]
        return float(np.sum(self.weights * self.factor**2 * squares))

    def log_mgf(self, j: int, t: float) -> float:
        """Return log E exp(t (F X_j - E F X_j))."""
        mean = float(np.sum(self.weights * self.factor * self.means[j]))
        exponent = t * (self.factor * self.means[j] - mean)
        exponent = exponent + (t * self.factor) ** 2 * self.variances[j] / 2
        return math.log(float(np.sum(self.weights * np.exp(exponent))))


def regression_law(beta: FloatArray, truth: FloatArray, step: float = 0.05) -> RegressionLaw:
    """Return the law of the gradient with the posterior weight, for sigma = 1.

    Parameters
    ----------
    beta, truth : ndarray of shape (d,)
        ``beta`` not 0.
    step : float, default 0.05
        Of the trapezoidal rule.
    """
    g, weights = em_highdim.grid(step)
    norm = float(np.linalg.norm(beta))
    along = float(beta @ truth) / norm
    across = truth - along * beta / norm
    variance = float(across @ across) + 1
    residual = math.sqrt(variance) * g[None, :]
    y = along * g[:, None] + residual
    signal = np.tanh(norm * g[:, None] * y) * y
    # X = <X, u> u + its regression on Y's residual + the rest; Var(X | .) = I - u u^T - a a^T/var
    direction = beta / norm
    means = direction[:, None, None] * g[:, None] + (across / variance)[:, None, None] * residual
    return RegressionLaw(
        weights=weights[:, None] * weights[None, :],
        factor=signal - norm * g[:, None],
        signal=signal,
        means=means,
        variances=1 - direction**2 - across**2 / variance,
    )


def _random_regression(rng: Random) -> tuple[FloatArray, FloatArray, float]:
    """Return beta, beta* and the SNR: beta in the ball of Lemma 5, SNR in [1, 8]."""
    d, snr = int(rng.integers(1, 30)), float(rng.uniform(1, 8))
    truth = _on_sphere(rng, d, snr)
    return truth + _on_sphere(rng, d, snr / 32), truth, snr


def _regression_moment(rng: Random) -> Outcome:
    worst = of_claim = 0.0
    for _ in range(40):
        beta, truth, snr = _random_regression(rng)
        law, d = regression_law(beta, truth), len(beta)
        moment = max(law.second_moment(j) for j in {0, int(np.argmax(np.abs(truth))), d - 1})
        worst = max(worst, moment / (snr**2 + 1))
        of_claim = max(of_claim, moment / max((snr**2 + 1) ** 2, d * snr**2))
    return Outcome(
        0.1 < worst <= 8 and of_claim <= 8,
        "checked by search",
        "|F| <= max(|y|, |<x, beta>|) gives at most 8(||beta*||^2 + sigma^2), which is O(.) of "
        "the claim once the SNR is at least 1, and has no d; 40 random (d < 30, SNR 1-8): at most "
        f"{worst:.3f} of ||beta*||^2 + sigma^2, {of_claim:.3f} of the claim",
    )


def _regression_mgf(rng: Random) -> Outcome:
    constant, worst = 1.5, 0.0
    for _ in range(25):
        beta, truth, snr = _random_regression(rng)
        law, xi = regression_law(beta, truth), constant * math.hypot(snr, 1)
        j = int(rng.integers(len(beta)))
        for t in np.array([-0.99, -0.3, 0.01, 0.3, 0.99]) / xi:
            worst = max(worst, law.log_mgf(j, float(t)) / (xi**2 * t**2 / 2))
    return Outcome(
        0.05 < worst <= 1,
        "checked by search",
        "already with xi = 1.5 sqrt(||beta*||^2 + sigma^2), without d: in any unit of length that "
        "is at most 1.5 max{||beta*||^2 + sigma^2, 1}; 25 random (d < 30, SNR 1-8), 5 values of t "
        f"each: largest ratio of the exponents {worst:.3f}",
    )


def _gradient_terms(rng: Random) -> tuple[Fraction, ...]:
    """Return the centred gradient of one random record, and A, B, beta_j and y x_j of (59).

    The two expectations cancel but for E[2w y x_j] = a: E nabla_j = a - beta_j, for E y x = 0.
    """
    d = 3
    x, beta = _fractions(rng, d), _fractions(rng, d)
    y, w, a = _fractions(rng, 3)
    fit = sum((p * q for p, q in zip(x, beta, strict=True)), Fraction(0))
    gradient = (2 * w - 1) * y * x[0] - x[0] * fit
    centred = gradient - (a - beta[0])
    return centred, 2 * w * y * x[0] - a, x[0] * fit - beta[0], beta[0], y * x[0]


def _decomposition_printed(rng: Random) -> Outcome:
    centred, a, b, beta_j, _ = _gradient_terms(rng)
    return _refuted(
        centred != a + b - beta_j,
        f"one rational record: left side {float(centred):.4f}, A + B - beta_j = "
        f"{float(a + b - beta_j):.4f}",
        {"left": str(centred), "A": str(a), "B": str(b), "beta_j": str(beta_j)},
    )


def _decomposition(rng: Random) -> Outcome:
    terms = [_gradient_terms(rng) for _ in range(50)]
    exact = all(centred == a - b - y_x for centred, a, b, _, y_x in terms)
    return Outcome(exact, "proved exactly", "50 rational records, difference 0")


def _positive_part(snr: float) -> tuple[FloatArray, FloatArray]:
    """Return X = 2w y x on a grid and its weights, for d = 1, beta = beta* = snr, sigma = 1."""
    law = regression_law(np.array([snr]), np.array([snr]), step=0.03)
    x = law.means[0]
    y = snr * x + em_highdim.grid(0.03)[0][None, :]
    # Y = y or -y with equal probability, whatever the posterior's signal
    value: FloatArray = np.array([law.signal + y, law.signal - y]) * x
    return value, np.array([law.weights, law.weights]) / 2


def _symmetrised_regression(rng: Random) -> Outcome:
    del rng
    gaps = {}
    for snr in (3.0, 5.0, 10.0):
        value, weights = _positive_part(snr)
        centred = value - float(np.sum(weights * value))
        t = 0.01 / snr
        left, right = (float(np.sum(weights * np.exp(t * np.abs(v)))) for v in (centred, value))
        gaps[snr] = (left - right) / (t * snr)
    return _refuted(
        min(gaps.values()) > 0.1,
        "d = 1, beta = beta*, t = 0.01/SNR: (left - right)/(t SNR) = "
        + _listed({f"SNR {snr:g}": gap for snr, gap in gaps.items()})
        + "; 2w y x is about 0 half of the time, far below its mean",
        {"gaps": gaps},
    )


def _symmetrised_regression_repaired(rng: Random) -> Outcome:
    del rng
    worst = 0.0
    for snr, share in itertools.product((0.5, 1.0, 3.0, 10.0), (0.001, 0.01, 0.03)):
        value, weights = _positive_part(snr)
        centred, t = value - float(np.sum(weights * value)), share / math.hypot(snr, 1)
        left = math.log(float(np.sum(weights * np.exp(t * np.abs(centred)))))
        worst = max(worst, left / math.log(float(np.sum(weights * np.exp(2 * t * np.abs(value))))))
    return Outcome(
        0.3 < worst <= 1,
        "checked by search",
        f"d = 1, SNR 0.5-10, three t each: largest ratio of the logarithms {worst:.3f}",
    )


def _normal_moment(p: float) -> float:
    """Return (E|N(0, 1)|^p)^(1/p)."""
    return math.exp((p / 2 * math.log(2) + math.lgamma((p + 1) / 2) - math.lgamma(0.5)) / p)


def _norms_of_products(rng: Random) -> Outcome:
    value, _ = _positive_part(2.0)
    g = em_highdim.grid(0.03)[0]
    size = np.abs(g[:, None] * (2.0 * g[:, None] + g[None, :]))
    pointwise = bool((np.abs(value) <= 2 * size + 1e-12).all())
    orders = [1 + k / 4 for k in range(800)]
    single = max(_normal_moment(p) / math.sqrt(p) for p in orders)
    square = max(_normal_moment(2 * p) ** 2 / p for p in orders)  # x_j^2
    product = max(_normal_moment(p) ** 2 / p for p in orders)  # independent factors
    worst = 0.0
    for d in (1, 3, 10, 100):
        beta = rng.standard_normal(d)
        terms = float(np.abs(beta).sum()) * square + abs(float(beta[0]))
        worst = max(worst, terms / (math.sqrt(d) * float(np.linalg.norm(beta))))
    return Outcome(
        pointwise and max(square, product) <= 2 * single**2 and worst <= 2 * square * (1 + 1e-12),
        "checked at high precision",
        f"0 <= 2w <= 2; y ~ N(0, ||beta*||^2 + sigma^2); |N(0,1)|_psi2 = {single:.4f}, so |y x_j|"
        f"_psi1 <= {2 * single**2:.3f} max{{||beta*||^2 + sigma^2, 1}} (correlation 1: "
        f"{square:.3f}, 0: {product:.3f}); |B|_psi1 <= ||beta||_1 + |beta_j| <= 2 sqrt(d) ||beta||",
    )


# ================================================================= missing covariates


@dataclass(frozen=True)
class Pattern:
    """What the gradient (9) needs of one pattern of missing covariates.

    Attributes
    ----------
    probability : float
    observed : ndarray of bool, shape (d,)
    variance : float
        V.
    ratio : float
        rho = E r^2/V.
    """

    probability: float
    observed: NDArray[np.bool_]
    variance: float
    ratio: float


def patterns(beta: FloatArray, truth: FloatArray, sigma: float, p: float) -> Iterator[Pattern]:
    """Yield the 2^d patterns.

    Parameters
    ----------
    beta, truth : ndarray of shape (d,)
    sigma : float
        > 0.
    p : float
        Probability that a covariate is missing.
    """
    for chosen in itertools.product((True, False), repeat=len(truth)):
        observed = np.array(chosen)
        variance = sigma**2 + float(np.where(observed, 0, beta**2).sum())
        residual = np.where(observed, truth - beta, truth)
        total = float(residual @ residual) + sigma**2
        count = int(observed.sum())
        probability = (1 - p) ** count * p ** (len(truth) - count)
        yield Pattern(probability, observed, variance, total / variance)


def missing_moment(beta: FloatArray, truth: FloatArray, sigma: float, p: float, j: int) -> float:
    """Return E(nabla_j q(beta; beta))^2 for the printed (9)-(11), by enumeration.

    An observed entry is x_j r sigma^2/V, a missing one beta_j (r^2/V - 1).
    """
    total, gap = 0.0, float(truth[j] - beta[j])
    for z in patterns(beta, truth, sigma, p):
        if z.observed[j]:
            part = (sigma**2 / z.variance) ** 2 * (z.ratio * z.variance + 2 * gap**2)
        else:
            part = float(beta[j]) ** 2 * (3 * z.ratio**2 - 2 * z.ratio + 1)
        total += z.probability * part
    return total


def missing_log_mgf(
    beta: FloatArray, truth: FloatArray, sigma: float, p: float, j: int, t: float
) -> float:
    """Return log E exp(t (nabla_j - E nabla_j)) for the printed (9)-(11); inf where it diverges."""
    total = mean = 0.0
    gap, b = float(truth[j] - beta[j]), float(beta[j])
    for z in patterns(beta, truth, sigma, p):
        if z.observed[j]:
            s = t * sigma**2 / z.variance
            # E exp(s x r) for normal x, r of variances 1, E r^2 and covariance gap
            inside, factor = (1 - s * gap) ** 2 - s**2 * z.ratio * z.variance, 1.0
            mean += z.probability * gap * sigma**2 / z.variance
        else:
            inside, factor = 1 - 2 * t * b * z.ratio, math.exp(-t * b)
            mean += z.probability * b * (z.ratio - 1)
        if inside <= 0:
            return math.inf
        total += z.probability * factor / math.sqrt(inside)
    return math.log(total) - t * mean


def _random_missing(rng: Random) -> tuple[FloatArray, FloatArray, float, float, float, float]:
    """Return beta, beta*, sigma, p, k, r as Lemma 7 allows; |beta*| = r sigma, beta in the ball."""
    d = int(rng.integers(1, 5))
    r, k = float(10 ** rng.uniform(-1, 0.7)), float(rng.uniform(0.05, 0.99))
    sigma = float(10 ** rng.uniform(-1, 1))
    b = r**2 * (1 + k) ** 2
    p = float(rng.random()) / (1 + 2 * b + 2 * b**2)
    truth = _on_sphere(rng, d, r * sigma)
    beta = truth + _on_sphere(rng, d, k * r * sigma * (1 if rng.random() < 0.5 else rng.random()))
    return beta, truth, sigma, p, k, r


def _lemma_7_gamma(r: float, k: float, p: float) -> float:
    b = r**2 * (1 + k) ** 2
    return (b + p * (1 + 2 * b + 2 * b**2)) / (1 + b)


def _missing_constants(rng: Random) -> Outcome:
    worst = residual = 0.0
    below_one = True
    for _ in range(400):
        beta, truth, sigma, p, k, r = _random_missing(rng)
        gamma = _lemma_7_gamma(r, k, p)
        below_one = below_one and gamma < 1
        exact = em_highdim.missing_gradient(beta, truth, truth, sigma, p)
        residual = max(residual, float(np.abs(exact - (truth - beta)).max()) / sigma)
        change = exact - em_highdim.missing_gradient(beta, beta, truth, sigma, p)
        distance = float(np.linalg.norm(beta - truth))
        worst = max(worst, float(np.linalg.norm(change)) / (gamma * distance))
    return Outcome(
        0.3 < worst <= 1 and below_one and residual < 1e-10,
        "checked by search",
        "nabla Q(beta; beta*) = beta* - beta to "
        f"{residual:.1g}, so mu = v = 1 and self-consistency; 400 random (d < 5, r in [0.1, 5], "
        f"k < 1, p below the limit), every pattern enumerated: at most {worst:.3f} gamma",
    )


def _conditional_mean(rng: Random) -> Outcome:
    exact = True
    for _ in range(60):
        d = int(rng.integers(1, 5))
        beta, x = _fractions(rng, d), _fractions(rng, d)
        observed = rng.integers(0, 2, d).tolist()
        y, variance = _fractions(rng, 2)
        variance = abs(variance)
        seen = sum((x[j] * beta[j] for j in range(d) if observed[j]), Fraction(0))
        hidden = [Fraction(0) if observed[j] else beta[j] for j in range(d)]
        total = variance + sum((h**2 for h in hidden), Fraction(0))
        m = [(y - seen) / total * h for h in hidden]
        # the mode of exp(-||x_hidden||^2/2 - (y - seen - <beta, x_hidden>)^2/(2 sigma^2))
        gap = y - seen - sum((p * q for p, q in zip(hidden, m, strict=True)), Fraction(0))
        exact = exact and all(
            m[j] == hidden[j] * gap / variance for j in range(d) if not observed[j]
        )
    return Outcome(
        exact,
        "proved exactly",
        "zero of the log-density of a normal law, hence its mean; 60 rational records, "
        "difference 0",
    )


def _vanishing_noise(bound: Callable[[float, float, int], float]) -> dict[str, float]:
    """Return E(nabla_1)^2 over bound(|beta*|, sigma, d), at beta = beta*, d = 5, p = 0.1."""
    ratios = {}
    for sigma in (1e-2, 1e-3, 1e-4):
        norm = 0.02 * sigma**2
        truth = np.full(5, norm / math.sqrt(5))
        moment = missing_moment(truth, truth, sigma, 0.1, 0)
        ratios[f"{sigma:g}"] = moment / bound(norm, sigma, 5)
    return ratios


def _claimed_xi(norm: float, sigma: float, d: int) -> float:
    return math.sqrt(d) * norm + sigma**2 + norm**2


def _missing_moment_printed(rng: Random) -> Outcome:
    del rng
    ratios = _vanishing_noise(lambda norm, sigma, d: _claimed_xi(norm, sigma, d) ** 2)
    values = list(ratios.values())
    return _refuted(
        values[0] > 1e3 and all(b > 90 * a for a, b in itertools.pairwise(values)),
        "d = 5, p = 0.1, SNR 0.02 sigma, beta = beta*: E(nabla_1)^2 over the claim = "
        + _listed({f"sigma = {sigma}": ratio for sigma, ratio in ratios.items()})
        + ", like 1/sigma^2; mean 0, so the same holds of Lemma 21's variance and xi^2",
        {"d": 5, "p": 0.1, "snr_over_sigma": 0.02, "ratios": ratios},
    )


def _missing_moment_bound(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(200):
        beta, truth, sigma, p, k, r = _random_missing(rng)
        radius, norm = k * r * sigma, r * sigma
        total = norm**2 + sigma**2 + radius**2
        largest = float(np.abs(truth).max()) + radius
        bound = (1 - p) * (total + 2 * radius**2)
        bound += p * (3 * total**2 / (4 * sigma**2) + largest**2)
        j = int(np.argmax(np.abs(beta)))
        worst = max(worst, missing_moment(beta, truth, sigma, p, j) / bound)
    return Outcome(
        0.2 < worst <= 1,
        "checked by search",
        "O(||beta*||^2 + sigma^2) for a bounded SNR, without d; 200 random (d < 5, r in [0.1, 5], "
        f"k < 1), every pattern enumerated: largest ratio {worst:.3f}",
    )


def _missing_mgf(rng: Random) -> Outcome:
    constant, worst = 1.5, 0.0
    for _ in range(150):
        beta, truth, sigma, p, k, r = _random_missing(rng)
        norm, d = r * sigma, len(beta)
        inside = max((1 + k * r) ** 2, sigma**2 + norm**2)
        xi = constant * ((1 + k) * (1 + k * r) ** 2 * math.sqrt(d) * norm + inside)
        for j, share in itertools.product(range(d), (-0.99, -0.3, 0.01, 0.3, 0.99)):
            t = share / xi
            log_mgf = missing_log_mgf(beta, truth, sigma, p, j, t)
            worst = max(worst, log_mgf / (xi**2 * t**2 / 2))
    return Outcome(
        0.05 < worst <= 1,
        "checked by search",
        "C = 1.5; 150 random (d < 5, r in [0.1, 5], k < 1, sigma in [0.1, 10]), every pattern and "
        f"coordinate, 5 values of t: largest ratio of the exponents {worst:.3f}",
    )


def _imputed_deviation(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(1500):
        beta, truth, sigma, p, k, r = _random_missing(rng)
        for z in patterns(beta, truth, sigma, p):
            # missing m_j = beta_j r/V is centred normal, observed m_j = x_j
            imputed = np.where(z.observed, 1.0, np.abs(beta) * math.sqrt(z.ratio / z.variance))
            worst = max(worst, float(imputed.max()) / (1 + k * r))
    return Outcome(
        0.7 < worst <= 1 + 1e-12,
        "checked by search",
        "given the pattern normal with mean 0 and deviation at most 1 + kr, since sqrt(E r^2) <= "
        "||beta - beta*|| + sqrt(V) and |beta_j| <= sqrt(V); 1500 random (Lemma 7's assumptions, "
        f"printed as Lemma 6's), every pattern: largest ratio {worst:.3f}",
    )


def _printed_sign(rng: Random) -> Outcome:
    del rng
    # d = 1, nothing missing: m = x, K = x^2, E m y = beta*, E K = 1
    x, y, beta, truth = Fraction(2), Fraction(1), Fraction(1, 2), Fraction(1)
    a, b = x * y - truth, (x**2 - 1) * beta
    left = (x * y - x**2 * beta) - (truth - beta)
    return _refuted(
        left != a + b,
        f"d = 1, p = 0, x = 2, y = 1, beta = 1/2, beta* = 1: left side {left}, A + B = {a + b}, "
        f"A - B = {a - b}",
        {"x": 2, "y": 1, "beta": 0.5, "truth": 1, "left": str(left), "printed": str(a + b)},
    )


def _second_moment_times(z: Any, m: Any, beta: Any) -> list[Any]:
    """Return K_beta beta of (11), row by row."""
    d = range(len(m))
    return [
        (1 - z[j]) * beta[j] + sum((1 - (1 - z[j]) * (1 - z[k])) * m[j] * m[k] * beta[k] for k in d)
        for j in d
    ]


def _centred_missing(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(100):
        d, sigma, p = int(rng.integers(1, 5)), float(rng.uniform(0.3, 2)), float(rng.random())
        beta, truth, x = rng.standard_normal((3, d))
        observed, y = rng.random(d) < 0.5, float(rng.normal(0, 3))
        hidden = np.where(observed, 0, beta)
        v = sigma**2 + float(hidden @ hidden)
        r = y - float(np.where(observed, x, 0) @ beta)
        m = np.where(observed, x, r / v * beta)
        gradient = np.where(observed, x * r * sigma**2 / v, beta * (r**2 / v - 1))
        # E m y is the population gradient at 0, E m y - E K beta that at beta
        field = em_highdim.missing_gradient
        mean_my, mean = (field(at, beta, truth, sigma, p) for at in (np.zeros(d), beta))
        product = np.array(_second_moment_times(observed.astype(int), m, beta))
        a, b = m * y - mean_my, product - (mean_my - mean)
        scale = 1 + float(np.abs(product).max())
        worst = max(worst, float(np.abs(gradient - mean - (a - b)).max()) / scale)
    return Outcome(
        worst < 1e-12,
        "checked by search",
        "against x_j r sigma^2/V (observed) and beta_j (r^2/V - 1) (missing), centred by "
        f"enumeration: 100 random records, relative difference {worst:.1g}",
    )


def _gradient_entries(rng: Random) -> Outcome:
    exact = True
    for _ in range(60):
        d = range(int(rng.integers(1, 5)))
        z, beta, x = rng.integers(0, 2, len(d)).tolist(), *(_fractions(rng, len(d)) for _ in "ab")
        y, variance = _fractions(rng, 1)[0], abs(_fractions(rng, 1)[0])
        r = y - sum((x[j] * beta[j] for j in d if z[j]), Fraction(0))
        v = variance + sum((beta[j] ** 2 for j in d if not z[j]), Fraction(0))
        m = [x[j] if z[j] else r / v * beta[j] for j in d]
        product = _second_moment_times(z, m, beta)
        for j in d:
            entry = x[j] * r * variance / v if z[j] else beta[j] * (r**2 / v - 1)
            exact = exact and y * m[j] - product[j] == entry
    residual = max(
        float(np.abs(em_highdim.missing_gradient(b, b, b, 0.5, 0.3)).max())
        for b in rng.standard_normal((20, 3))
    )
    return Outcome(
        exact and residual < 1e-12,
        "proved exactly",
        "y m - K beta is x_j r sigma^2/V where observed, beta_j (r^2/V - 1) where missing (60 "
        "rational records, difference 0), and E r^2 = V at beta = beta*: mean 0 (20 random beta*, "
        f"p = 0.3, every pattern: {residual:.1g})",
    )


def _products_of_imputed(rng: Random) -> Outcome:
    worst = {"of (68)": 0.0, "of (71)": 0.0}
    for _ in range(300):
        beta, truth, sigma, p, k, r = _random_missing(rng)
        response = math.hypot(r * sigma, sigma)
        for z in patterns(beta, truth, sigma, p):
            deviations = np.where(z.observed, 1.0, np.abs(beta) * math.sqrt(z.ratio / z.variance))
            largest = float(deviations.max())
            bound = max((1 + k * r) ** 2, response**2)
            worst["of (68)"] = max(worst["of (68)"], largest * response / bound)
            total = largest * float(np.abs(beta) @ deviations) / float(np.abs(beta).sum())
            worst["of (71)"] = max(worst["of (71)"], total / (1 + k * r) ** 2)
    return Outcome(
        all(0.5 < ratio <= 1 + 1e-12 for ratio in worst.values()),
        "checked by search",
        "given the pattern both factors are centred normal, so the norm of a product is at most "
        "2 (2/pi) times the product of the deviations; 300 random, every pattern: products over "
        f"the claims {_listed(worst, '.3f')}",
    )


def _three_terms(rng: Random) -> Outcome:
    exact = True
    for _ in range(60):
        d = range(int(rng.integers(1, 5)))
        z, m, beta = rng.integers(0, 2, len(d)).tolist(), *(_fractions(rng, len(d)) for _ in "ab")
        product = _second_moment_times(z, m, beta)
        for j in d:
            c = (1 - z[j]) * beta[j]
            total = sum((m[j] * m[k] * beta[k] for k in d), Fraction(0))
            e = sum(((1 - z[j]) * m[j] * (1 - z[k]) * m[k] * beta[k] for k in d), Fraction(0))
            exact = exact and product[j] == c + total - e
    return Outcome(
        exact, "proved exactly", "of (K beta)_j, printed K_j; 60 rational records, difference 0"
    )


def _stray_sparsity(rng: Random) -> Outcome:
    del rng
    ratios = {}
    for d in (1, 100, 10_000):
        beta = np.full(d, 1 / math.sqrt(d))
        ratios[f"d = {d}"] = float(np.abs(beta).sum() / np.linalg.norm(beta))
    return _refuted(
        list(ratios.values())[-1] > 99,
        "s is not defined; from (71) to (72) ||beta||_1 <= sqrt(s)(1 + k)||beta*|| is needed, and "
        "beta = beta* = (1, ..., 1)/sqrt(d) has ||beta||_1/||beta*|| = " + _listed(ratios),
        {"ratios": ratios},
    )


def _without_sparsity(rng: Random) -> Outcome:
    worst = free = 0.0
    for _ in range(300):
        beta, truth, sigma, p, k, r = _random_missing(rng)
        norm, d = r * sigma, len(beta)
        one_norm = float(np.abs(beta).sum())
        worst = max(worst, one_norm / (math.sqrt(d) * (1 + k) * norm))
        for z in patterns(beta, truth, sigma, p):
            # <m, beta> = <x, beta>_observed + (V - sigma^2) r/V, by its deviation
            share = (z.variance - sigma**2) / z.variance
            seen = np.where(z.observed, beta, 0)
            square = float(seen @ seen) + share**2 * z.ratio * z.variance
            square += 2 * share * float(seen @ (truth - beta))
            free = max(free, math.sqrt(square) / ((1 + k) * (1 + k * r) * norm))
    return Outcome(
        0.5 < worst <= 1 + 1e-12 and 0.5 < free <= 2,
        "checked by search",
        "||beta||_1 <= sqrt(d)(1 + k)||beta*|| (300 random beta in B, largest ratio "
        f"{worst:.3f}); even without sqrt(d), as the deviation of <m, beta> is at most {free:.3f} "
        "(1 + k)(1 + kr)||beta*||, every pattern enumerated",
    )


def _noise_norm_printed(rng: Random) -> Outcome:
    del rng
    unit = _normal_moment(1.0)
    ratios = {f"sigma = {sigma:g}": unit * sigma / sigma**2 for sigma in (1.0, 1e-2, 1e-4)}
    return _refuted(
        max(ratios.values()) > 1e3,
        "v ~ N(0, sigma^2): |v|_psi2 >= E|v|; over sigma^2: " + _listed(ratios),
        {"ratios": ratios},
    )


def _noise_norm(rng: Random) -> Outcome:
    del rng
    norms = [_normal_moment(1 + k / 4) / math.sqrt(1 + k / 4) for k in range(2000)]
    return Outcome(
        max(norms) == norms[0] < 1,
        "checked at high precision",
        f"orders 1 to 500: largest at p = 1, {norms[0]:.4f} sigma; tends to exp(-1/2) sigma",
    )


# ================================================================= the rates of seed 000


Tau = Callable[[Fraction, Fraction, int], Fraction]  # of ||beta*||, sigma and d


def _consistent_rate(in_condition: Tau, in_bound: Tau, *, homogeneous: bool) -> Check:
    """Return a check that the condition on n and the error bound belong together.

    The condition is n >= d^2 tau sqrt(L Lambda)/(epsilon ||beta*||^2), the bound, without the
    factor R, d (L Lambda)^(1/4) sqrt(tau)/sqrt(n epsilon); each has a tau of its own.
    """

    def check(rng: Random) -> Outcome:
        equal = scaled = True
        for _ in range(40):
            norm, sigma, logs, epsilon, c = (abs(v) for v in _fractions(rng, 5))
            d = int(rng.integers(1, 50))
            n = d**2 * in_condition(norm, sigma, d) * logs / (epsilon * norm**2)
            square = d**2 * in_bound(norm, sigma, d) * logs / (n * epsilon)
            equal = equal and square == norm**2
            of_scaled = in_bound(c * norm, c * sigma, d)
            scaled = scaled and of_scaled == c**2 * in_bound(norm, sigma, d)
        unit = "; beta* and sigma times c: the bound is c times" if homogeneous else ""
        return Outcome(
            equal and (scaled or not homogeneous),
            "proved exactly",
            f"at the least n allowed the bound is ||beta*|| (40 rational cases){unit}",
        )

    return check


def _tau_4(norm: Fraction, sigma: Fraction, d: int) -> Fraction:
    del d
    return norm**2 + sigma**2  # ||beta*||_inf = norm, e.g. on an axis


def _tau_6(norm: Fraction, sigma: Fraction, d: int) -> Fraction:
    return max((norm**2 + sigma**2) ** 2, d * norm**2)


def _tau_28(norm: Fraction, sigma: Fraction, d: int) -> Fraction:
    return max(norm**2 + sigma**2, d * norm**2)


def _lost_square(rng: Random) -> Outcome:
    del rng
    ratios = {}
    for norm in (10, 100, 1000):
        lemma, printed = (tau(Fraction(norm), Fraction(1), 1) for tau in (_tau_6, _tau_28))
        ratios[f"|beta*| = {norm}"] = math.sqrt(lemma / printed)
    return _refuted(
        min(ratios.values()) > 9.9,
        "d = sigma = 1: (25) with the tau of Lemma 6, which the condition on n has, over (28) = "
        + _listed(ratios)
        + "; a square root of the logarithms stands where (25) has a fourth root",
        {"ratios": ratios},
    )


def _lost_square_and_log(rng: Random) -> Outcome:
    outcome = _lost_square(rng)
    logs = {f"zeta = 1e-{e}": e * math.log(10) for e in (2, 20, 200)}
    return _refuted(
        not outcome.holds and max(logs.values()) > 400,
        f"{outcome.detail}; (7.66) also drops the factor log(1/zeta) of (7.63): " + _listed(logs),
        {**(outcome.witness or {}), "lost_log": logs},
    )


def _extra_root(rng: Random) -> Outcome:
    del rng
    worst = [math.inf, 0.0]
    for d in (1, 2, 3, 10, 100, 10**4, 10**6):
        for largest in (1 / d, 1.0):  # ||beta*||_inf^2 for ||beta*|| = sigma = 1
            ratio = math.sqrt(max(2, d) / (largest + 1)) / math.sqrt(d)
            worst = [min(worst[0], ratio), max(worst[1], ratio)]
    return Outcome(
        worst[0] >= 1 / math.sqrt(2) - 1e-12 and worst[1] <= math.sqrt(2),
        "checked by search",
        "||beta*|| = sigma = 1, d up to 1e6: (28)/((27) sqrt(d)) is within "
        f"[{worst[0]:.3f}, {worst[1]:.3f}]; arithmetic only: the sqrt(d) comes from Lemma 6, whose "
        "tau needs no d",
    )


def _explicit_bound(epsilon: float, delta: float, *, n: int, d: int, t: int, zeta: float) -> float:
    """Return the corrected bound of one step of Algorithm 2 with tau = 1."""
    constants = split_constants_for(
        epsilon=epsilon,
        delta=delta,
        method="zcdp",
        n=n,
        dimension=d,
        n_iterations=t,
        second_moment=1.0,
        failure_probability=zeta,
    )
    s, b = constants.truncation_scale, constants.precision
    robust = (1 + 1 / b) / (2 * s) + s / (n // t) * math.log(4 * d * t / zeta)
    noise = constants.noise_scale * (math.sqrt(d) + math.sqrt(2 * math.log(2 * t / zeta)))
    return math.sqrt(d) * robust + noise


_EPSILONS = (1e-4, 1e-3, 1e-2, 0.1, 0.9)


def _old_rate(rng: Random) -> Outcome:
    del rng
    ratios = {}
    for epsilon in _EPSILONS:
        explicit = _explicit_bound(epsilon, 1e-6, n=10**8, d=5, t=5, zeta=0.05)
        printed = 5 * math.log(1e6) * math.log(20) / math.sqrt(1e8 * epsilon**2)
        ratios[f"epsilon = {epsilon:g}"] = printed / explicit
    values = list(ratios.values())
    return _refuted(
        values[0] > 50 * values[-1],
        "n = 1e8, d = 5, T = 5, tau = 1, without the factor R: the printed rate over the explicit "
        "bound = " + _listed(ratios) + ": a valid but weaker bound, not what Theorem 5 gives",
        {"ratios": ratios},
    )


def _new_rate(rng: Random) -> Outcome:
    del rng
    ratios = []
    for epsilon, exponent in itertools.product(_EPSILONS, (3, 6, 12, 24)):
        delta = 10.0**-exponent
        explicit = _explicit_bound(epsilon, delta, n=10**8, d=5, t=5, zeta=0.05)
        rate = math.log(1 / delta) ** 0.25 / math.sqrt(1e8 * epsilon)
        ratios.append(explicit / rate)
    return Outcome(
        max(ratios) < 1.2 * min(ratios),
        "checked by search",
        "n = 1e8, d = 5, T = 5, zeta = 0.05, epsilon 1e-4-0.9, delta 1e-3-1e-24: explicit bound "
        f"over log(1/delta)^(1/4)/sqrt(n epsilon) within a factor {max(ratios) / min(ratios):.3f}",
    )


# ================================================================= scale and recursion

Run = Callable[[Random, float], tuple[FloatArray, FloatArray]]


def _scaled(rng: Random, run: Run, bound: str) -> Outcome:
    """Refute a bound that is c^2 times when beta*, sigma and sqrt(tau) are c times."""
    seed = int(rng.integers(2**31))
    estimate, truth = run(np.random.default_rng(seed), 1.0)
    error = float(np.linalg.norm(estimate - truth))
    ratios = {}
    for power in (4, 10, 20):
        c = 2.0**-power  # a power of two scales every double exactly
        estimate, truth = run(np.random.default_rng(seed), c)
        ratios[power] = float(np.linalg.norm(estimate - truth)) / (c**2 * error)
    return _refuted(
        all(abs(ratio / 2.0**power - 1) < 1e-6 for power, ratio in ratios.items()),
        "same draws, beta* and sigma times c, tau times c^2: the condition on n stays bounded, the "
        f"error is c times, {bound}; error over c^2, relative to c = 1: "
        + _listed({f"c = 2^-{power}": ratio for power, ratio in ratios.items()}, ".6g"),
        {"seed": seed, "ratios": {f"2^-{power}": ratio for power, ratio in ratios.items()}},
    )


_CLAIM: dict[str, Any] = {"epsilon": 0.9, "delta": 1e-6, "failure_probability": 0.05}
_T = 3


def _mixture_sample(rng: Random, size: float, n: int) -> tuple[Any, ...]:
    """Return records, model, truth and start of a mixture of SNR 3, started at most R/2 away."""
    truth, model = np.full(4, size / 2), GaussianMixture(size / 3)
    start = truth + _on_sphere(rng, 4, size / 8)
    return model.sample(truth, n, rng), model, truth, start


def _missing_sample(rng: Random, size: float, n: int) -> tuple[Any, ...]:
    """Return the same with covariates missing: SNR 1/2, k = 1/2, p = 0.1."""
    truth, model = np.full(4, size / 2), PrintedMissingCovariates(2 * size, 0.1)
    start = truth + _on_sphere(rng, 4, size / 4)
    return model.sample(truth, n, rng), model, truth, start


def _full_data_run(sample: Callable[..., tuple[Any, ...]], moment: float, n: int) -> Run:
    def run(rng: Random, size: float) -> tuple[FloatArray, FloatArray]:
        data, model, truth, start = sample(rng, size, n)
        estimate = _algorithm_56(
            data, model, initial=start, second_moment=moment * size**2, step_size=1.0,
            n_iterations=_T, ledger=Ledger(rng), **_CLAIM,
        )  # fmt: skip
        return estimate, truth

    return run


def _em_run(rng: Random, size: float) -> tuple[FloatArray, FloatArray]:
    data, model, truth, start = _mixture_sample(rng, size, 5000)
    estimate = _algorithm_57(
        data, model, initial=start, second_moment=2 * size**2, n_iterations=_T,
        ledger=Ledger(rng), **_CLAIM,
    )  # fmt: skip
    return estimate, truth


def _split_missing_path(rng: Random, size: float, n: int) -> tuple[list[FloatArray], FloatArray]:
    """Return the iterates of Algorithm 2 on missing covariates, and the truth."""
    data, model, truth, start = _missing_sample(rng, size, n)
    ledger = RecordingLedger(rng)
    em.algorithm_2(
        data, model, initial=start, second_moment=model.moment_bound(truth, size / 2),
        step_size=1.0, n_iterations=_T, ledger=ledger, **_CLAIM,
    )  # fmt: skip
    path = [start]
    for release in ledger.transcript.releases:
        path.append(path[-1] + np.asarray(release.output, dtype=np.float64))
    return path, truth


def _split_missing_run(rng: Random, size: float) -> tuple[FloatArray, FloatArray]:
    path, truth = _split_missing_path(rng, size, 5000)
    return path[-1], truth


def _theorem_8_scale(rng: Random) -> Outcome:
    return _scaled(rng, _split_missing_run, "Theorem 8's bound at most c^2 times")


def _theorem_8_additive(rng: Random) -> Outcome:
    runs, zeta, n, failures, worst = 100, 0.05, 8000, 0, 0.0
    iota = _lemma_7_gamma(0.5, 0.5, 0.1)
    tau = PrintedMissingCovariates(2.0, 0.1).moment_bound(np.full(4, 0.5), 0.5)
    step = math.sqrt(tau) * _explicit_bound(0.9, 1e-6, n=n, d=4, t=_T, zeta=zeta)
    bound = iota**_T / 4 + step / (1 - iota)
    farthest = 0.0
    for _ in range(runs):
        path, truth = _split_missing_path(rng, 1.0, n)
        errors = [float(np.linalg.norm(beta - truth)) for beta in path]
        failures += errors[-1] > bound
        worst, farthest = max(worst, errors[-1] / bound), max(farthest, *errors)
    confidence = 0.99
    upper = float(stats.beta.ppf(confidence, failures + 1, runs - failures))
    return Outcome(
        upper <= zeta and farthest <= 0.5,
        "Monte Carlo with confidence",
        f"n=8000, d=4, T=3, (0.9, 1e-6), SNR 1/2, k = 1/2, p = 0.1, iota = {iota:.3f}: {failures} "
        f"of {runs} errors above the bound {bound:.3g} (largest {worst:.3f} of it), every "
        f"iterate within {farthest:.3f} <= R = 0.5; failure probability <= {upper:.4f} <= {zeta}",
        confidence=confidence,
    )


Map = Callable[[FloatArray, FloatArray], FloatArray]  # of beta and beta*
Runner = Callable[[Random, RecordingLedger], tuple[FloatArray, FloatArray]]  # start, truth


def _recursion(
    rng: Random,
    runner: Runner,
    target: Map,
    iota: float,
    radius: float,
    *,
    step: bool,
) -> tuple[float, bool]:
    """Return error over sum_t iota^(T-t) e_t + iota^T e_0 on one run, and whether it stays in B.

    e_t is the distance of release t from its population value ``target(beta^{t-1}, beta*)``.
    """
    ledger = RecordingLedger(rng)
    start, truth = runner(rng, ledger)
    beta, bound = start, float(np.linalg.norm(start - truth))
    inside = bound <= radius
    for release in ledger.transcript.releases:
        output = np.asarray(release.output, dtype=np.float64)
        bound = iota * bound + float(np.linalg.norm(output - target(beta, truth)))
        beta = beta + output if step else output
        inside = inside and float(np.linalg.norm(beta - truth)) <= radius
    return float(np.linalg.norm(beta - truth)) / bound, inside


def _recursion_holds(
    rng: Random, runner: Runner, target: Map, iota: float, radius: float, *, step: bool, name: str
) -> Outcome:
    runs = [_recursion(rng, runner, target, iota, radius, step=step) for _ in range(4)]
    worst, stayed = max(ratio for ratio, _ in runs), all(inside for _, inside in runs)
    return Outcome(
        stayed and 0.3 < worst <= 1,
        "checked by search",
        f"{name}: in 4 runs, all within B, the error is at most {worst:.4f} of iota^T e_0 + "
        f"sum_t iota^(T-t) e_t, iota = {iota:.4f}, population gradients by quadrature or "
        "enumeration; the same records in every step do not matter, e_t is measured",
    )


def _gradient_runner(sample: Callable[..., tuple[Any, ...]], moment: float, n: int) -> Runner:
    def runner(rng: Random, ledger: RecordingLedger) -> tuple[FloatArray, FloatArray]:
        data, model, truth, start = sample(rng, 1.0, n)
        _algorithm_56(
            data, model, initial=start, second_moment=moment, step_size=1.0, n_iterations=_T,
            ledger=ledger, **_CLAIM,
        )  # fmt: skip
        return start, truth

    return runner


def _em_runner(rng: Random, ledger: RecordingLedger) -> tuple[FloatArray, FloatArray]:
    data, model, truth, start = _mixture_sample(rng, 1.0, 100_000)
    _algorithm_57(
        data, model, initial=start, second_moment=2.0, n_iterations=_T, ledger=ledger, **_CLAIM
    )
    return start, truth


def _unit_mixture_map(beta: FloatArray, truth: FloatArray) -> FloatArray:
    """Return E f(beta) of the mixture with sigma = 1/3."""
    mean: FloatArray = em.mixture_map(3 * beta, 3 * truth) / 3
    return mean


def _theorem_3_scale(rng: Random) -> Outcome:
    return _scaled(rng, _full_data_run(_mixture_sample, 2.0, 5000), "(7.63) c^2 times")


def _theorem_3_recursion(rng: Random) -> Outcome:
    return _recursion_holds(
        rng,
        _gradient_runner(_mixture_sample, 2.0, 100_000),
        lambda beta, truth: _unit_mixture_map(beta, truth) - beta,
        math.exp(-4.5),
        0.25,
        step=True,
        name="mixture of SNR 3, n = 1e5, d = 4, T = 3",
    )


def _theorem_6_scale(rng: Random) -> Outcome:
    run = _full_data_run(_missing_sample, 8.0, 5000)
    return _scaled(rng, run, "Theorem 7.2.6's bound at most c^2 times")


def _theorem_6_recursion(rng: Random) -> Outcome:
    return _recursion_holds(
        rng,
        _gradient_runner(_missing_sample, 8.0, 100_000),
        lambda beta, truth: em_highdim.missing_gradient(beta, beta, truth, 2.0, 0.1),
        _lemma_7_gamma(0.5, 0.5, 0.1),
        0.5,
        step=True,
        name="missing covariates, SNR 1/2, k = 1/2, p = 0.1, n = 1e5, d = 4, T = 3",
    )


# ================================================================= Algorithms 7.2.56 and 7.2.57


def _variance_identity(rng: Random) -> Outcome:
    exact = True
    for n, tau, d, t, log_term, te in rng.integers(1, 60, (50, 6)).tolist():
        s_squared = Fraction(n * tau, 2 * log_term)
        printed = Fraction(8 * tau * d * t, 9 * log_term * n * te**2)
        exact = exact and 16 * s_squared * d * t / (9 * n**2 * te**2) == printed
        # sensitivity^2/(2 sigma^2) of a coordinate, 32 s^2/(9 n^2)/(2 sigma^2)
        exact = exact and 16 * s_squared / (9 * n**2) / printed == Fraction(te**2, d * t)
    return Outcome(
        exact,
        "proved exactly",
        "16 s^2 d T/(9 n^2 te^2), te^2/(dT)-zCDP per coordinate and step; 50 rational cases, "
        "difference 0",
    )


def _contribution(value: float, factor: Any) -> float:
    """Return what one record adds to (7.61) or (7.68), n = 1e4, tau = 1, d/zeta = 200.

    ``factor`` is what multiplies the record's C, 1 or s.
    """
    n, log_term = 10_000, mp.log(200)
    s, f = mp.sqrt(mp.mpf(n) / (2 * log_term)), mp.mpf(value)
    a, b = f / s, abs(f) / (s * mp.sqrt(log_term))
    cubic = a * (1 - b**2 / 2) - a**3 / 6
    correction = em.closed_form(a, b) - cubic
    return float((s * cubic + (s if factor == "s" else 1) * correction) / n)


def _contribution_bound() -> float:
    log_term = math.log(200)
    scale = math.sqrt(10_000 / (2 * log_term))
    return _LIMIT * scale / 10_000 * math.erf(math.sqrt(log_term / 2))


def _without_s(rng: Random) -> Outcome:
    del rng
    with mp.workdps(40):
        values = {f"f = {f:g}": _contribution(f, 1) for f in (100.0, 1000.0, 1e4)}
    bound = _contribution_bound()
    return _refuted(
        max(abs(value) for value in values.values()) > 1000 * bound,
        "n = 1e4, tau = 1, d/zeta = 200, s = 30.72: one record contributes "
        f"{_listed(values)}, bound {bound:.4g}",
        {"contributions": values, "bound": bound},
    )


def _with_s(rng: Random) -> Outcome:
    del rng
    with mp.workdps(60):
        values = [abs(_contribution(f, "s")) for f in (-1e6, -50.0, 10.0, 100.0, 1000.0, 1e9)]
    bound = _contribution_bound()
    return Outcome(
        0.9 * bound < max(values) <= bound * (1 + 1e-12),
        "checked at high precision",
        f"values up to 1e9: at most {max(values):.6g}, bound {bound:.6g}",
    )


def _random_privacy(rng: Random, *, em_step: bool) -> Outcome:
    worst = exceeded = 0.0
    for _ in range(30):
        epsilon, delta = float(rng.uniform(0.01, 1)), float(10.0 ** rng.uniform(-12, -0.1))
        d, t = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        ledger = Ledger(rng)
        data, start = rng.standard_normal((int(rng.integers(1, 8)), d)), rng.standard_normal(d)
        claim: dict[str, Any] = {
            "initial": start,
            "epsilon": epsilon,
            "delta": delta,
            "second_moment": float(rng.exponential()) + 0.1,
            "failure_probability": float(rng.uniform(0.001, 0.9)),
            "n_iterations": t,
            "ledger": ledger,
        }
        if em_step:
            _algorithm_57(data, GaussianMixture(1.0), **claim)
        else:
            _algorithm_56(data, GaussianMixture(1.0), step_size=1.0, **claim)
        rho = max(profile.rho for profile in compositions(ledger.transcript.charges))
        worst = max(worst, abs(rho / zcdp_rho(epsilon, delta) - 1))
        exceeded = max(exceeded, ledger.spent(delta=delta).epsilon / epsilon - 1)
    return Outcome(
        worst < 1e-12 and exceeded < 1e-12,
        "checked at high precision",
        f"30 random (epsilon, delta, n, d, T, tau, zeta): T releases cost te^2-zCDP to {worst:.1g},"
        " whose conversion is epsilon",
    )


def _gradient_privacy(rng: Random) -> Outcome:
    return _random_privacy(rng, em_step=False)


def _em_privacy(rng: Random) -> Outcome:
    return _random_privacy(rng, em_step=True)


def _literal_em_privacy(rng: Random) -> Outcome:
    del rng
    with mp.workdps(40):
        shift = abs(_contribution(1000.0, 1) - _contribution(1e-9, 1))
    constants = constants_for(
        epsilon=0.9,
        delta=1e-5,
        method="zcdp",
        n=10_000,
        dimension=1,
        n_iterations=1,
        second_moment=1.0,
        failure_probability=1 / 200,
    )
    exact = gaussian_dp_delta(shift / constants.noise_scale, 0.9)
    return _refuted(
        exact > 1e-5,
        "Algorithm 7.2.56 is meant to be 7.2.57; with (7.68) as printed, n = 1e4, d = T = tau = 1, "
        f"zeta = 1/200, one record 0 against f = 1000: the mean moves {shift:.4g}, noise "
        f"{constants.noise_scale:.3g}, so at (0.9, 1e-5) delta is {exact:.6g}",
        {"shift": shift, "noise": constants.noise_scale, "epsilon": 0.9, "delta": exact},
    )


# ================================================================= Theorem 7.2.3's proof


def _records_excess(nodes: int, n: int, *, fresh: bool) -> float:
    """Return E[tanh(beta^1 y) y - M(beta^1)], y one of the n records behind beta^1, or another.

    Mixture with d = 1, beta* = 1/2, sigma = 1, beta^0 = 1; by Gauss-Hermite quadrature.
    """
    g, weights = np.polynomial.hermite_e.hermegauss(nodes)
    weights = weights / weights.sum()
    y = 0.5 + g  # tanh(beta y) y is even in y
    terms = np.tanh(y) * y
    total, law = np.zeros(1), np.ones(1)
    for _ in range(n - 1):  # the sum of the other records' terms
        total = np.add.outer(total, terms).ravel()
        law = np.multiply.outer(law, weights).ravel()
    grid = np.linspace(0, float(terms.max()), 4000)
    population = CubicSpline(grid, np.tanh(np.outer(grid, y)) * y @ weights)
    excess = 0.0
    for own, weight, record in zip(terms, weights, y, strict=True):
        first = (total + own) / n
        if fresh:
            other = np.tanh(np.multiply.outer(first, y)) * y @ weights
        else:
            other = np.tanh(first * record) * record
        excess += weight * float(law @ (other - population(first)))
    return excess


def _reused_records(rng: Random) -> Outcome:
    del rng
    excess = {f"n = {n}": _records_excess(30, n, fresh=False) for n in (1, 2, 4)}
    return _refuted(
        min(excess.values()) > 0.01,
        "mixture, d = 1, beta* = 0.5, sigma = 1, beta^0 = 1, neither noise nor truncation: the "
        "mean of the records' gradients at beta^1 minus nabla Q(beta^1; beta^1) is on average "
        + _listed(excess)
        + "; it would be 0 if beta^1 were fixed",
        {"excess": excess},
    )


def _fresh_records(rng: Random) -> Outcome:
    del rng
    excess = {n: abs(_records_excess(30, n, fresh=True)) for n in (1, 2, 3)}
    return Outcome(
        max(excess.values()) < 1e-9,
        "checked at high precision",
        "the same with a record that beta^1 has not seen: average at most "
        f"{max(excess.values()):.1g}; Lemma 7.2.1 then holds given beta^1",
    )


def _robust_mean(rng: Random) -> Outcome:
    del rng
    failure = 0.0
    for k, p, share in itertools.product((0.5, 1.0, 2.0), (0.01, 0.2, 0.7), (0.3, 0.05, 1e-3)):
        n, big = 400, math.log(1 / share)  # share = zeta/d
        tau = k**2 * p
        s = math.sqrt(n * tau / (2 * big))
        value = float(smoothed_truncation([k], scale=s, precision=big)[0])
        allowed = math.sqrt(tau * big / (2 * n)) * (2 + (1 + math.log(2)) / big)
        high = stats.binom.sf(math.floor((k * p + allowed) * n / value), n, p)
        low = stats.binom.cdf(math.ceil((k * p - allowed) * n / value) - 1, n, p)
        failure = max(failure, float(high + low) / share)
    return Outcome(
        failure <= 1,
        "checked by search",
        "at a fixed beta, with the algorithm's b = l (Lemma 7.2.1: 2l): |error| <= sqrt(tau l/(2n))"
        " (2 + 1.694/l) w.p. 1 - zeta/d; 27 two-point laws, exact binomial tails: failure <= "
        f"{failure:.3g} zeta/d",
    )


def _step_error(rng: Random) -> Outcome:
    del rng
    n, te = 10**6, math.sqrt(zcdp_rho(0.9, 0.5))
    ratios = {}
    for exponent in (2, 20, 200):
        zeta = 10.0**-exponent
        log_term = exponent * math.log(10)
        s = math.sqrt(n / (2 * log_term))
        value = float(smoothed_truncation([1.0], scale=s, precision=log_term)[0])
        # Z is symmetric, so |mean + Z| > x has at least half the probability of |mean| > x
        quantile = n - 2 * float(stats.binom.ppf(4 * zeta, n, 0.5)) - 2
        ratios[f"zeta = 1e-{exponent}"] = value * quantile / n * math.sqrt(n) * te
    values = list(ratios.values())
    return _refuted(
        values == sorted(values) and values[-1] > 8 * values[0],
        "d = T = 1, n = 1e6, (0.9, 0.5), records +-sqrt(tau) at random: what the error exceeds "
        "with probability 2 zeta, over the printed bound (C_2 = 1; b cancels the logarithm): "
        + _listed(ratios)
        + "; unbounded, but only by logarithms, which (7.63) has to spare",
        {"ratios": ratios},
    )


def _step_error_repaired(rng: Random) -> Outcome:
    del rng
    n, te, worst = 10**6, math.sqrt(zcdp_rho(0.9, 0.5)), 0.0
    for exponent in (1, 2, 20, 200):
        zeta, log_term = 10.0**-exponent, exponent * math.log(10)
        s = math.sqrt(n / (2 * log_term))
        value = float(smoothed_truncation([1.0], scale=s, precision=log_term)[0])
        sigma = math.sqrt(8 / (9 * log_term * n)) / te
        robust = math.sqrt(log_term / (2 * n)) * (2 + (1 + math.log(2)) / log_term)
        noise = sigma * math.sqrt(2 * (log_term + math.log(2)))
        tail = 2 * float(stats.binom.sf(math.floor((robust / value * n + n) / 2), n, 0.5))
        tail += math.erfc(noise / sigma / math.sqrt(2))
        worst = max(worst, tail / (2 * zeta))
    return Outcome(
        worst <= 1,
        "checked by search",
        "the same law with zeta from 0.1 to 1e-200, exact binomial and normal tails: failure <= "
        f"{worst:.3g} times 2 zeta",
    )


def _condition_62(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(200):
        epsilon, log_term = float(10 ** rng.uniform(-6, 0)), float(10 ** rng.uniform(-1, 3))
        te = epsilon / (math.sqrt(log_term + epsilon) + math.sqrt(log_term))
        worst = max(worst, epsilon**2 / (te**2 * (log_term + epsilon)))
    return Outcome(
        3 < worst <= 4 * (1 + 1e-12),
        "checked by search",
        "the step needs n >= C d^2 tau T/((v - gamma)^2 R^2 te^2), and 1/te^2 <= 4(L + epsilon)/"
        f"epsilon^2 (200 points, largest ratio {worst:.4f}): O~(.) of (7.62) for L of order 1 or "
        "more; its log(1/zeta) covers what (7.78) lacks",
    )


def _remark_epsilon(rng: Random) -> Outcome:
    del rng
    ratios = {
        f"epsilon = {epsilon:g}": math.sqrt(epsilon) / epsilon for epsilon in (0.9, 1e-2, 1e-4)
    }
    return _refuted(
        max(ratios.values()) > 50,
        "the error bound of the theorem over the remark's: " + _listed(ratios),
        {"ratios": ratios},
    )


def _remark_repaired(rng: Random) -> Outcome:
    exact = True
    for _ in range(40):
        alpha, epsilon = (abs(v) for v in _fractions(rng, 2))
        d = int(rng.integers(1, 50))
        n = d**2 / (alpha**2 * epsilon**2)
        exact = exact and d**2 / (n * epsilon**2) == alpha**2
    return Outcome(exact, "proved exactly", "40 rational cases, difference 0")


# ================================================================= DP EM


def _additive(m_step: Callable[[FloatArray], float], records: FloatArray) -> float:
    """Return the mixed difference of an M-step in its first two records, 0 for an average."""
    values = []
    for first, second in itertools.product((0, 1), repeat=2):
        chosen = records[[first, 2 + second, 4, 5, 6, 7]]
        values.append(m_step(chosen))
    return values[0] - values[1] - values[2] + values[3]


def _mixture_m(y: FloatArray) -> float:
    """M_n of the mixture for d = 1, beta' = 0.8, sigma = 1."""
    return float((np.tanh(0.8 * y[:, 0]) * y[:, 0]).mean())


def _regression_m(records: FloatArray) -> float:
    x, y = records.T
    return float((np.tanh(0.8 * x * y) * x * y).mean() / (x**2).mean())


def _missing_m(records: FloatArray) -> float:
    """M_n of missing covariates; x = NaN is missing, where K = 1 and y m = 0.8 y^2/(1 + 0.64)."""
    x, y = records.T
    hidden = np.isnan(x)
    cross = np.where(hidden, 0.8 * y**2 / 1.64, np.nan_to_num(x) * y)
    return float(cross.mean() / np.where(hidden, 1, np.nan_to_num(x) ** 2).mean())


def _average_only_for_mixture(rng: Random) -> Outcome:
    least = {"regressions": math.inf, "missing covariates": math.inf}
    mixture = 0.0
    for _ in range(50):
        records = rng.standard_normal((8, 2))
        mixture = max(mixture, abs(_additive(_mixture_m, records)))
        least["regressions"] = min(least["regressions"], abs(_additive(_regression_m, records)))
        records[[1, 2, 5], 0] = math.nan
        least["missing covariates"] = min(
            least["missing covariates"], abs(_additive(_missing_m, records))
        )
    bounded = _mixture_moment(rng)
    return Outcome(
        mixture < 1e-14 and min(least.values()) > 1e-12 and bounded.holds,
        "checked by search",
        "an average of terms of single records has no mixed difference in two of them: 50 random "
        f"samples, n = 6, d = 1: mixture at most {mixture:.1g}, the others at least "
        f"{_listed(least, '.2g')}; the mixture's second moments: Lemma 7.2.9",
    )


def _moment_of_terms(beta: FloatArray, truth: FloatArray, j: int) -> float:
    """Return E f_j(beta)^2 of the unit mixture."""
    norm = float(np.linalg.norm(beta))
    cosine = float(beta[j]) / norm
    sign = np.tanh(beta @ truth + norm * em._G)
    along = truth[j] + cosine * em._G
    return float(np.sum(em._W * sign**2 * (along**2 + 1 - cosine**2)))


def _mixture_moment(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(60):
        d = int(rng.integers(1, 50))
        truth = _on_sphere(rng, d, float(rng.uniform(0.1, 20)))
        beta = _on_sphere(rng, d, float(10 ** rng.uniform(-1, 2)))
        j = int(np.argmax(np.abs(truth)))
        bound = float(np.abs(truth).max()) ** 2 + 1
        worst = max(worst, _moment_of_terms(beta, truth, j) / bound)
    return Outcome(
        0.8 < worst <= 1 + 1e-9,
        "checked by search",
        "constant 1 and every beta, since |2w - 1| <= 1; 60 random (d < 50, ||beta*|| < 20, ||beta"
        f"|| up to 100, sigma = 1): largest ratio {worst:.4f}",
    )


def _terms_mgf(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(60):
        d = int(rng.integers(1, 6))
        truth = _on_sphere(rng, d, float(rng.uniform(0.1, 6)))
        beta = _on_sphere(rng, d, float(10 ** rng.uniform(-1, 1.5)))
        j, norm = int(rng.integers(d)), float(np.linalg.norm(beta))
        cosine = float(beta[j]) / norm
        sign = np.tanh(beta @ truth + norm * em._G)
        along = truth[j] + cosine * em._G
        mean = float(np.sum(em._W * sign * along))
        scale = float(np.abs(truth).max()) ** 2 + 1
        for t in (-2.0, -0.5, -0.01, 0.01, 0.5, 2.0):
            exponent = t * (sign * along - mean) + (t * sign) ** 2 * (1 - cosine**2) / 2
            log_mgf = math.log(float(np.sum(em._W * np.exp(exponent))))
            worst = max(worst, 2 * log_mgf / (t**2 * scale))
    return Outcome(
        0.3 < worst <= 4,
        "checked by search",
        "C_1 = 2, for every t and not only |t| < 1/xi; 60 random (d < 6, any beta), 6 values of t: "
        f"C_1^2 needed is at most {worst:.3f}",
    )


def _dot(x: Rational, y: Rational) -> Fraction:
    return sum((p * q for p, q in zip(x, y, strict=True)), Fraction(0))


def _mixture_objective(rng: Random) -> Outcome:
    exact = True
    for _ in range(30):
        d, n = int(rng.integers(1, 4)), int(rng.integers(1, 5))
        rows = [_fractions(rng, d) for _ in range(n)]
        weights = [Fraction(int(w), 20) for w in rng.integers(0, 21, n)]

        def objective(
            beta: Rational, rows: list[list[Fraction]] = rows, weights: Rational = weights
        ) -> Fraction:
            total = Fraction(0)
            for y, w in zip(rows, weights, strict=True):
                minus = [p - q for p, q in zip(y, beta, strict=True)]
                plus = [p + q for p, q in zip(y, beta, strict=True)]
                total += w * _dot(minus, minus) + (1 - w) * _dot(plus, plus)
            return -total / (2 * len(rows))

        best = [
            sum((2 * w * y[j] - y[j] for y, w in zip(rows, weights, strict=True)), Fraction(0)) / n
            for j in range(d)
        ]
        other = [p + q for p, q in zip(best, _fractions(rng, d), strict=True)]
        gap = [p - q for p, q in zip(other, best, strict=True)]
        exact = exact and objective(best) - objective(other) == _dot(gap, gap) / 2
    return Outcome(
        exact,
        "proved exactly",
        "for any weights, posterior or printed: Q_n(M_n) - Q_n(b) = ||b - M_n||^2/2; 30 rational "
        "samples, difference 0",
    )


def _regression_data(rng: Random) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return x, y and posterior weights of beta' = beta*, n = 1000, d = 3, SNR 2.2."""
    truth = np.array([1.0, -1.0, 0.5])
    truth *= 2.2 / np.linalg.norm(truth)
    x = rng.standard_normal((1000, 3))
    y = rng.choice([-1.0, 1.0], 1000) * (x @ truth) + rng.standard_normal(1000)
    return x, y, 1 / (1 + np.exp(-2 * y * (x @ truth)))


def _regression_objective_printed(rng: Random) -> Outcome:
    found = []
    for _ in range(4):
        x, y, w = _regression_data(rng)
        hessian = x.T @ ((1 - 2 * w)[:, None] * x) / len(x)
        best = np.asarray(np.linalg.solve(x.T @ x, x.T @ ((2 * w - 1) * y)), dtype=np.float64)
        values, vectors = np.linalg.eigh(hessian)
        at_best, far = (
            -w * (y - x @ b) ** 2 + (1 - w) * (y + x @ b) ** 2
            for b in (best, best + 1e4 * vectors[:, -1])
        )
        gain = float((far - at_best).mean() / 2)
        found.append({"eigenvalues": values.tolist(), "gain_far_away": gain})
    unbounded = [f for f in found if f["eigenvalues"][-1] > 0]
    return _refuted(
        len(unbounded) > 0 and all(f["gain_far_away"] > 0 for f in unbounded),
        "n = 1000, d = 3, SNR 2.2, the sum restored: Hessian mean (1 - 2w) x x^T with eigenvalues "
        + "; ".join(
            "(" + ", ".join(f"{value:.3f}" for value in f["eigenvalues"]) + ")" for f in found
        )
        + f" in 4 samples; {len(unbounded)} of them have a point 1e4 away that beats M_n",
        {"samples": found},
    )


def _regression_objective(rng: Random) -> Outcome:
    exact = True
    for _ in range(30):
        n = int(rng.integers(2, 6))
        x, y = _fractions(rng, n), _fractions(rng, n)
        weights = [Fraction(int(w), 20) for w in rng.integers(0, 21, n)]

        def objective(
            b: Fraction, x: Rational = x, y: Rational = y, weights: Rational = weights
        ) -> Fraction:
            squares = (
                w * (v - u * b) ** 2 + (1 - w) * (v + u * b) ** 2
                for u, v, w in zip(x, y, weights, strict=True)
            )
            return -sum(squares, Fraction(0)) / (2 * len(x))

        gram = _dot(x, x) / n
        signed = [(2 * w - 1) * v for w, v in zip(weights, y, strict=True)]
        best = _dot(signed, x) / n / gram
        other = best + _fractions(rng, 1)[0]
        exact = exact and objective(best) - objective(other) == gram * (other - best) ** 2 / 2
    return Outcome(
        exact,
        "proved exactly",
        "Q_n(M_n) - Q_n(b) = (mean x^2)(b - M_n)^2/2 for d = 1 and any weights: concave, and M_n "
        "as printed is its maximiser; 30 rational samples, difference 0",
    )


def _missing_pair(z: Sequence[int], x: float, y: float) -> tuple[FloatArray, FloatArray]:
    """Return m and the two K, printed and exact, of one record at beta' = (1/2, 1), sigma = 1."""
    beta, observed = np.array([0.5, 1.0]), np.array(z)
    seen, hidden = observed * x, (1 - observed) * beta
    v = 1 + float(hidden @ hidden)
    m = seen + (y - float(beta @ seen)) / v * hidden
    n = (1 - observed) * m
    base = np.diag(1.0 - observed) + np.outer(m, m)
    return m, np.array([base - np.outer(n, n), base - np.outer(hidden, hidden) / v])


def _linear_objective(rng: Random) -> Outcome:
    del rng
    m, (printed, _) = _missing_pair((1, 1), 1.0, 2.0)
    slope = 2.0 * m - printed @ np.array([0.5, 1.0]) / 2
    values = {f"t = {t:g}": float(t * slope @ slope) for t in (1.0, 1e3, 1e6)}
    return _refuted(
        float(slope @ slope) > 0,
        "n = 1, nothing missing, x = (1, 1), y = 2, beta' = (1/2, 1): with beta^T K beta' the "
        f"objective is linear, along its slope {_listed(values)}: no maximiser",
        {"slope": slope.tolist(), "values": values},
    )


def _no_maximum(rng: Random) -> Outcome:
    del rng
    m, (printed, exact) = _missing_pair((1, 0), 1.0, 8.0)
    smallest = [float(np.linalg.eigvalsh(k)[0]) for k in (printed, exact)]
    direction = np.linalg.eigh(printed)[1][:, 0]
    stationary = np.linalg.solve(printed, 8.0 * m)

    def objective(b: FloatArray) -> float:
        return float(8.0 * m @ b - b @ printed @ b / 2)

    gain = objective(stationary + 10 * direction) - objective(stationary)
    return _refuted(
        smallest[0] < 0 < gain,
        "n = 1, beta' = (1/2, 1), sigma = 1, x_1 = 1, x_2 missing, y = 8: K of (7.51) has the "
        f"eigenvalue {smallest[0]:.3f}, Q_n is {gain:.3g} larger a distance of 10 from M_n; with "
        f"the conditional second moment {smallest[1]:.3f}",
        {"m": m.tolist(), "K": printed.tolist(), "eigenvalue": smallest[0], "gain": gain},
    )


def _concave_objective(rng: Random) -> Outcome:
    least = math.inf
    for _ in range(300):
        beta, x = rng.standard_normal((2, 4)) * rng.exponential(2)
        observed, y = rng.random(4) < 0.5, float(rng.normal(0, 5))
        hidden = np.where(observed, 0, beta)
        v = 1 + float(hidden @ hidden)
        m = np.where(observed, x, (y - float(beta @ np.where(observed, x, 0))) / v * beta)
        k = np.diag(np.where(observed, 0.0, 1.0)) + np.outer(m, m) - np.outer(hidden, hidden) / v
        least = min(least, float(np.linalg.eigvalsh(k)[0]) / (1 + float(m @ m)))
    equal = em_highdim._conditional_moment(rng)
    return Outcome(
        least > -1e-14 and equal.holds,
        "checked by search",
        "a conditional second moment is positive semidefinite, so Q_n is concave; 300 random "
        f"records, d = 4: smallest eigenvalue over its trace {least:.1g}; {equal.detail}",
    )


# ================================================================= Theorem 7.2.8


def _wrong_sign(rng: Random) -> Outcome:
    del rng
    v, m = 1, 2  # Q(b) = -b^2/2, beta* = 0
    left, claimed = (-v * m) * m, v * m**2
    return _refuted(
        left < claimed,
        f"Q(b) = -b^2/2 (v = 1), beta* = 0, M = 2: the left side is {left}, claimed >= {claimed}",
        {"v": v, "M": m, "left": left, "claimed": claimed},
    )


def _right_sign(rng: Random) -> Outcome:
    worst_sign = worst = 0.0
    for _ in range(200):
        d, v = int(rng.integers(1, 5)), float(rng.exponential()) + 0.1
        root = rng.standard_normal((d, d))
        hessian = v * np.eye(d) + root @ root.T
        # beta - beta*, and nabla Q(M; beta) - nabla Q(M; beta*)
        away, change = rng.standard_normal((2, d))
        gamma = float(np.linalg.norm(change) / np.linalg.norm(away))
        m = np.asarray(np.linalg.solve(hessian, change), dtype=np.float64)  # M(beta) - beta*
        inner = float(-(hessian @ m) @ m)
        worst_sign = max(worst_sign, v * float(m @ m) / -inner)
        distance = gamma * float(np.linalg.norm(away))
        worst = max(worst, float(np.linalg.norm(m)) * v / distance)
    return Outcome(
        worst_sign <= 1 + 1e-9 and 0.5 < worst <= 1 + 1e-9,
        "checked by search",
        "200 random quadratics: v||M - beta*||^2 is at most the negated left side (largest ratio "
        f"{worst_sign:.4f}); then ||M(beta) - beta*|| <= (gamma/v)||beta - beta*|| (largest ratio "
        f"{worst:.4f}), with the gradients taken at M(beta)",
    )


def _gradient_elsewhere(rng: Random) -> Outcome:
    del rng
    # nabla Q(b; beta') = -b + beta'(b - beta'), beta* = 0: Q(.; 0) = -b^2/2; at b = beta the two
    # gradients agree, so Lipschitz-Gradient-2 holds with gamma = 0, on any B
    beta = Fraction(1, 4)
    at_beta = -beta - (-beta + beta * (beta - beta))
    best = -(beta**2) / (1 - beta)
    at_best = abs(-best - (-best + beta * (best - beta)))
    field = em_highdim.missing_gradient
    truth, given, p = np.array([1.0, 1.0]), np.array([0.5, 1.0]), 0.3
    slopes = [
        field(at, truth, truth, 1.0, p) - field(at, given, truth, 1.0, p)
        for at in (given, given + np.array([0.0, 1.0]))
    ]
    moved = float(slopes[1][0] - slopes[0][0]) / (p * (1 - p))
    return _refuted(
        at_beta == 0 and at_best > 0 and abs(moved - 0.25) < 1e-12,
        "nabla Q(b; beta') = -b + beta'(b - beta'), beta* = 0, v = 1: Lipschitz-Gradient-2 with "
        f"gamma = 0, but at beta = 1/4 M(beta) = {best} is not beta*, and the gradients there "
        f"differ by {at_best}; missing covariates, sigma = 1, beta* = (1, 1), beta = (0.5, 1), x_2 "
        f"alone missing: the first entry of the difference has slope {moved:.4f} in b_2",
        {"beta": str(beta), "M": str(best), "difference_at_M": str(at_best), "slope": moved},
    )


def _gradient_anywhere(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(40):
        truth = _on_sphere(rng, 2, float(rng.uniform(1, 4)))
        beta = truth + _on_sphere(rng, 2, float(np.linalg.norm(truth)) / 4)
        differences = []
        for at in (beta, em.mixture_map(beta, truth), rng.standard_normal(2)):
            gradients = [em_highdim.mixture_map(given, truth, 1.0) - at for given in (truth, beta)]
            differences.append(gradients[0] - gradients[1])
        spread = max(float(np.abs(d - differences[0]).max()) for d in differences)
        worst = max(worst, spread)
    quadratics = _right_sign(rng)
    return Outcome(
        worst < 1e-12 and quadratics.holds,
        "checked by search",
        "mixture: nabla Q(b; beta') = E[(2w - 1) Y] - b, so the difference is the same at every b "
        f"(spread {worst:.1g}, 40 random cases); in general {quadratics.detail}",
    )


def _theorem_8_em(rng: Random) -> Outcome:
    v, gamma = 4, 0
    printed, derived = (math.sqrt(v**power / (v - gamma) ** 3) for power in (1, 3))
    scaled = _scaled(rng, _em_run, "(7.70) c^2 times")
    return _refuted(
        printed < derived and not scaled.holds,
        f"v = 4, gamma = 0: printed root {printed:g}, the proof's v/(v-gamma) sqrt(v/(v-gamma)) = "
        f"{derived:g}; {scaled.detail}",
        {"v": v, "gamma": gamma, "printed": printed, "proof": derived, **(scaled.witness or {})},
    )


def _theorem_8_recursion(rng: Random) -> Outcome:
    exact = True
    for _ in range(50):
        v, gap = (abs(value) for value in _fractions(rng, 2))
        v += gap  # gamma = v - gap
        exact = exact and (v / gap) ** 2 * (v / gap) == v**3 / gap**3
    outcome = _recursion_holds(
        rng,
        _em_runner,
        _unit_mixture_map,
        math.exp(-4.5),
        0.25,
        step=False,
        name="mixture of SNR 3 (v = 1), n = 1e5, d = 4, T = 3",
    )
    return Outcome(
        exact and outcome.holds,
        outcome.level,
        f"(v/(v-gamma))^2 v/(v-gamma) = v^3/(v-gamma)^3 (50 rational cases); {outcome.detail}",
    )


def _condition_69(rng: Random) -> Outcome:
    exact = True
    for _ in range(50):
        v, gap, radius, unit = (abs(value) for value in _fractions(rng, 4))
        v += gap
        n = (v / gap) ** 2 * unit / radius**2  # unit = d^2 tau T/te^2, up to constants
        exact = exact and unit / n == ((gap / v) * radius) ** 2
        exact = exact and (v - gap) / v * radius + gap / v * radius == radius
    return Outcome(
        exact,
        "proved exactly",
        "at the least n the step's error is (v-gamma)/v R, and (gamma/v) R + (v-gamma)/v R = R; 50 "
        "rational cases, difference 0",
    )


def _iterations(rng: Random) -> Outcome:
    worst = 0.0
    for _ in range(300):
        share, n = float(1 - 10.0 ** rng.uniform(-6, -0.01)), float(10 ** rng.uniform(0.1, 9))
        t = math.log(n) / (1 - share)
        worst = max(worst, n * math.exp(t * math.log(share)))
    return Outcome(
        0.9 < worst <= 1 + 1e-9,
        "checked by search",
        "T = (v/(v-gamma)) log n makes (gamma/v)^T <= 1/n, as log x <= x - 1; 300 random cases: "
        f"n (gamma/v)^T at most {worst:.6f}",
    )


# ================================================================= the ledger

_GRADIENT, _EM = ("diss-7.2.56",), ("diss-7.2.57",)
_SPLIT = ("wang-2",)


def _true(
    seed: str, number: str, lines: str, kind: Kind, formula: str, check: Check, ids: tuple[str, ...]
) -> Statement:
    return Statement(
        seed=seed,
        number=number,
        lines=lines,
        formula=formula,
        kind=kind,
        expected="true",
        check=check,
        algorithms=ids,
    )


def _false(
    seed: str,
    number: str,
    lines: str,
    kind: Kind,
    formula: str,
    check: Check,
    ids: tuple[str, ...],
    *,
    reason: str,
    corrected: str = "",
    repaired: Check | None = None,
    errata: tuple[tuple[str, int], ...] = (),
) -> Statement:
    return Statement(
        seed=seed,
        number=number,
        lines=lines,
        formula=formula,
        kind=kind,
        expected="false",
        reason=reason,
        check=check,
        corrected=corrected,
        corrected_check=repaired,
        algorithms=ids,
        errata=errata,
    )


def _unchecked(
    number: str, lines: str, kind: Kind, formula: str, reason: str, ids: tuple[str, ...]
) -> Statement:
    return Statement(
        seed="004",
        number=number,
        lines=lines,
        formula=formula,
        kind=kind,
        expected="not checkable",
        reason=reason,
        algorithms=ids,
    )


STATEMENTS: tuple[Statement, ...] = (
    # ------------------------------------------------------------------ seed 000
    _false(
        "000",
        "(7)",
        "117-121 (004 l.9476)",
        "identity",
        "w_beta(x, y) = 1/(1 + exp(-y <beta, x>/sigma^2)), the posterior of the mixture of "
        "regressions (6)",
        _regression_weight,
        _SPLIT,
        reason="the exponent lacks a factor 2, so that beta* is not a fixed point",
        corrected="w_beta(x, y) = 1/(1 + exp(-2y <beta, x>/sigma^2)); E(2w-1)YX = beta* at beta*",
        repaired=em_highdim._regression_posterior,
        errata=(("model-mrm", 2),),
    ),
    _true(
        "000",
        "(9)",
        "129 (004 (7.49))",
        "identity",
        "nabla q(beta; beta) = y m_beta - K_beta beta has mean 0 at beta = beta*",
        _gradient_entries,
        _SPLIT,
    ),
    _true(
        "000",
        "(10)",
        "133 (004 (7.50))",
        "identity",
        "m_beta(x_obs, y) is the conditional mean of x",
        _conditional_mean,
        _SPLIT,
    ),
    _false(
        "000",
        "(11)",
        "137 (004 (7.51))",
        "identity",
        "K_beta = diag(1-z) + m m^T - [(1-z)m][(1-z)m]^T is E[x x^T | x_obs, y], so that (9) is "
        "the gradient of EM",
        em_highdim._printed_moment,
        _SPLIT,
        reason="the missing block is the identity: missing coordinates of (9) are V/sigma^2 times "
        "those of EM; beta* is a zero of both",
        corrected="K_beta = diag(1-z) + m m^T - [(1-z)beta][(1-z)beta]^T/V",
        repaired=em_highdim._conditional_moment,
        errata=(("model-rmc", 1),),
    ),
    _false(
        "000",
        "(27)",
        "340 (004 (7.65))",
        "utility",
        "(27): ||beta^T - beta*|| <= O~(||beta*|| d (L Lambda)^(1/4) sqrt(||beta*||_inf^2 + "
        "sigma^2)/sqrt(n epsilon))",
        em._factor_r,
        _SPLIT,
        reason="the factor ||beta*|| is the R of (25): the square of a length",
        corrected="the same without ||beta*||",
        repaired=_consistent_rate(_tau_4, _tau_4, homogeneous=True),
        errata=(("wang-2", 3),),
    ),
    _true(
        "000",
        "Lemma 5",
        "348-350 (004 Lemma 7.2.5)",
        "optimisation",
        "SNR >= r large: self-consistent, gamma in (0, 1/4), mu = v = 1, R = |beta*|/32, with the "
        "posterior weight",
        em_highdim._regression_constants,
        _SPLIT,
    ),
    _true(
        "000",
        "Lemma 6",
        "352-356 (004 Lemma 7.2.6)",
        "concentration",
        "E(nabla_j q(beta; beta))^2 <= O(max{(|beta*|^2 + sigma^2)^2, d |beta*|^2}), beta in B",
        _regression_moment,
        _SPLIT,
    ),
    _false(
        "000",
        "Theorem 7",
        "358-364",
        "utility",
        "(28) is (25) with the tau of Lemma 6: O~(d |beta*| sqrt(L Lambda) sqrt(max{|beta*|^2 + "
        "sigma^2, d |beta*|^2})/sqrt(n epsilon))",
        _lost_square,
        _SPLIT,
        reason="|beta*|^2 + sigma^2 has lost its square, which Lemma 6 and the condition on n have;"
        " also the factor |beta*| of (25) and a fourth root",
        corrected="O~(d (L Lambda)^(1/4) sqrt(max{(|beta*|^2 + sigma^2)^2, d |beta*|^2})/"
        "sqrt(n epsilon))",
        repaired=_consistent_rate(_tau_6, _tau_6, homogeneous=False),
        errata=(("ledger:000 Thm 7", 1), ("wang-2", 3)),
    ),
    _true(
        "000",
        "Remark 3",
        "368 (004 Remark 7.2.3)",
        "remark",
        "|beta*|, sigma = O(1): (28) is O~(d^(3/2)/sqrt(n epsilon)), sqrt(d) times (27)",
        _extra_root,
        _SPLIT,
    ),
    _true(
        "000",
        "Lemma 7",
        "372-374 (004 Lemma 7.2.7)",
        "optimisation",
        "SNR <= r, b = r^2(1+k)^2, p_m < 1/(1+2b+2b^2): self-consistent, gamma = (b + p_m(1+2b+"
        "2b^2))/(1+b) < 1, mu = v = 1, R = k|beta*|",
        _missing_constants,
        _SPLIT,
    ),
    _false(
        "000",
        "Lemma 8",
        "376-378 (004 Lemma 7.2.8)",
        "concentration",
        "(29): E(nabla_j q(beta; beta))^2 <= O((sqrt(d)|beta*| + sigma^2 + |beta*|^2)^2)",
        _missing_moment_printed,
        _SPLIT,
        reason="of order sigma^4 for a moment of order sigma^2: (65) drops a constant from a "
        "maximum",
        corrected="<= (1-p)(W + 2R^2) + p(3W^2/(4 sigma^2) + (|beta*|_inf + R)^2), W = |beta*|^2 + "
        "sigma^2 + R^2",
        repaired=_missing_moment_bound,
        errata=(("model-rmc", 2),),
    ),
    _false(
        "000",
        "Theorem 8",
        "382-388",
        "utility",
        "||beta^T - beta*|| <= O~(d L Lambda |beta*| (sqrt(d)|beta*| + sigma^2 + |beta*|^2)/"
        "sqrt(n epsilon^2)) w.p. 1 - 2T zeta",
        _theorem_8_scale,
        _SPLIT,
        reason="the factor |beta*| of (25), and tau from Lemma 8: fails for small beta* and sigma",
        corrected="iota^T R/2 + (1/(1-iota)) [bound of one step as in Theorem 5, corrected], with "
        "the corrected tau of Lemma 8, while the iterates stay in B",
        repaired=_theorem_8_additive,
        errata=(("wang-2", 3),),
    ),
    _false(
        "000",
        "Theorem 8, rate",
        "382-388",
        "utility",
        "Theorem 5 gives L Lambda/sqrt(n epsilon^2) for missing covariates",
        _old_rate,
        _SPLIT,
        reason="left from the form without splitting, Wang's dissertation, Theorem 7.2.6: weaker",
        corrected="(L Lambda)^(1/4)/sqrt(n epsilon)",
        repaired=_new_rate,
        errata=(("ledger:000 Thm 8", 1),),
    ),
    _false(
        "000",
        "(54), norm of v",
        "736 (004 (7.83))",
        "concentration",
        "|v_j|_psi2 <= C'' sigma^2 for v_j ~ N(0, sigma^2)",
        _noise_norm_printed,
        _SPLIT,
        reason="a norm is homogeneous: sigma, as (54) itself uses",
        corrected="|v_j|_psi2 <= C'' sigma",
        repaired=_noise_norm,
        errata=(("ledger:000 Lemma 21", 1),),
    ),
    _true(
        "000",
        "Lemma 20",
        "754-800 (004 Lemma 7.2.21)",
        "concentration",
        "mixture of regressions: nabla_j q(beta; beta) is C max{|beta*|^2 + sigma^2, 1, sqrt(d)"
        "|beta*|}-sub-exponential",
        _regression_mgf,
        _SPLIT,
    ),
    _false(
        "000",
        "(59)",
        "764 (004 (7.88))",
        "identity",
        "nabla_j - E nabla_j = A + B - beta_j, A = 2w y x_j - E[2w y x_j], B = [x x^T beta - "
        "beta]_j",
        _decomposition_printed,
        _SPLIT,
        reason="B has the wrong sign and C = beta_j should be y x_j",
        corrected="nabla_j - E nabla_j = A - B - y x_j",
        repaired=_decomposition,
        errata=(("ledger:000 Lemma 20", 1),),
    ),
    _false(
        "000",
        "(60)",
        "768 (004 (7.89))",
        "concentration",
        "E exp(t|A|) <= E exp(t|2 eps w y x_j|) for every t > 0",
        _symmetrised_regression,
        _SPLIT,
        reason="Lemma 15 without its factor 2; false for t -> 0",
        corrected="E exp(t|A|) <= E exp(2t|2w y x_j|)",
        repaired=_symmetrised_regression_repaired,
        errata=(("ledger:000 Lemma 15", 1),),
    ),
    _true(
        "000",
        "(61)-(64)",
        "772-788 (004 (7.90)-(7.93))",
        "concentration",
        "E exp(t|2w y x_j|) <= E exp(4t|y x_j|); |y|_psi2 <= C sqrt(|beta*|^2 + sigma^2); "
        "|y x_j|_psi1 <= C max{|beta*|^2 + sigma^2, 1}; "
        "|B|_psi1 <= C sqrt(d)|beta*|",
        _norms_of_products,
        _SPLIT,
    ),
    _true(
        "000",
        "Lemma 21",
        "802-806 (004 Lemma 7.2.22)",
        "concentration",
        "missing covariates: nabla_j q(beta; beta) is xi-sub-exponential, xi = C[(1+k)(1+kr)^2 "
        "sqrt(d)|beta*| + max{(1+kr)^2, sigma^2 + |beta*|^2}]",
        _missing_mgf,
        _SPLIT,
    ),
    _false(
        "000",
        "(65)",
        "804-806 (004 (7.94))",
        "concentration",
        "xi = O(sqrt(d)|beta*| + sigma^2 + |beta*|^2)",
        _missing_moment_printed,
        _SPLIT,
        reason="the constant (1+kr)^2 >= 1 in the maximum is dropped; a xi-sub-exponential "
        "variable has variance at most xi^2",
        corrected="xi = O(sqrt(d)|beta*| + max{1, sigma^2 + |beta*|^2}) for k, r = O(1)",
        repaired=_missing_mgf,
        errata=(("model-rmc", 2),),
    ),
    _false(
        "000",
        "(66)",
        "814 (004 (7.95))",
        "identity",
        "nabla q - E nabla q = A + B, A = m y - E[m y], B = (K - E K) beta",
        _printed_sign,
        _SPLIT,
        reason="sign of B; the bound on the norm is unaffected",
        corrected="nabla q - E nabla q = A - B",
        repaired=_centred_missing,
    ),
    _true(
        "000",
        "Lemma 22",
        "822 (004 Lemma 7.2.23)",
        "concentration",
        "m_j is sub-Gaussian with mean zero and |m_j|_psi2 <= C(1 + kr)",
        _imputed_deviation,
        _SPLIT,
    ),
    _true(
        "000",
        "(68), (71)",
        "826, 840 (004 (7.97), (7.100))",
        "concentration",
        "|m_j y|_psi1 <= C max{(1+kr)^2, sigma^2 + |beta*|^2}; |sum_k m_j m_k beta_k|_psi1 <= "
        "C (1+kr)^2 ||beta||_1",
        _products_of_imputed,
        _SPLIT,
    ),
    _true(
        "000",
        "(69)",
        "832 (004 (7.98))",
        "identity",
        "(K beta)_j = (1-z_j) beta_j + sum_k m_j m_k beta_k - sum_k (1-z_j) m_j (1-z_k) m_k beta_k",
        _three_terms,
        _SPLIT,
    ),
    _false(
        "000",
        "(70), (72)-(74)",
        "836-856 (004 (7.99), (7.101)-(7.104))",
        "concentration",
        "by (71), |sum_k m_j m_k beta_k|_psi1 <= C sqrt(s) (1+kr)^2 |beta*|, and so on",
        _stray_sparsity,
        _SPLIT,
        reason="s is not defined here: left from a sparse model",
        corrected="with sqrt(d) for sqrt(s), 1 in (70)",
        repaired=_without_sparsity,
        errata=(("ledger:000 Lemma 21", 1),),
    ),
    # ------------------------------------------------------------------ seed 004, section 7.2
    _unchecked(
        "Assumption 7.2.1",
        "9514 (000 Assumption 1)",
        "assumption",
        "Definitions 7.2.1-7.2.4 hold on B and E(nabla_j q(beta; beta))^2 <= tau, known",
        "an assumption; its parts for the models are Lemmas 3-8 of Wang et al. (2020)",
        _GRADIENT,
    ),
    _true(
        "004",
        "Algorithms 7.2.56 and 7.2.57, sigma^2",
        "9639, 9816",
        "identity",
        "s = sqrt(n tau/(2l)), b = l: sigma^2 = 8 tau d T/(9 b n te^2) is te^2/(dT)-zCDP per "
        "coordinate and step",
        _variance_identity,
        (*_GRADIENT, *_EM),
    ),
    _true(
        "004",
        "(7.61)",
        "9637",
        "sensitivity",
        "(1/n) sum of the cubic + (s/n) sum C, at most (2 sqrt(2)/3)(s/n) per record",
        _with_s,
        _GRADIENT,
    ),
    _true(
        "004",
        "Theorem 7.2.2",
        "9621, proof 9964-9978",
        "composition",
        "Algorithm 7.2.56 is (epsilon, delta)-DP for 0 < epsilon, delta < 1",
        _gradient_privacy,
        _GRADIENT,
    ),
    _false(
        "004",
        "Theorem 7.2.3",
        "9646-9654",
        "utility",
        "(7.63): ||beta^T - beta*|| <= O~(R sqrt((v+mu)/(v-gamma)^3) d L Lambda sqrt(tau)/"
        "sqrt(n epsilon^2)) under (7.62)",
        _theorem_3_scale,
        _GRADIENT,
        reason="R multiplies the whole bound, but the algorithm is scale equivariant; the Gaussian "
        "tail and (7.76)-(7.77) lack a factor 2, as in Wang et al. (2020)",
        corrected="iota^T ||beta^0 - beta*|| + eta sum_t iota^(T-t) e_t with e_t the error of "
        "step t's gradient, while the iterates stay in B",
        repaired=_theorem_3_recursion,
        errata=(("diss-7.2.56", 2),),
    ),
    _true(
        "004",
        "(7.62)",
        "9648",
        "utility",
        "n >= O~((v-gamma)^-2 d^2 tau T L Lambda/(epsilon^2 R^2)) keeps a step's error below "
        "(v-gamma)/(mu+v) R",
        _condition_62,
        _GRADIENT,
    ),
    _false(
        "004",
        "Theorem 7.2.3, proof (reuse)",
        "10016",
        "concentration",
        "Lemma 7.2.1, for independent records, holds for the gradients at beta^{t-1}",
        _reused_records,
        _GRADIENT,
        reason="beta^{t-1} is made of the same records from t = 2 on; the rate is not refuted",
        corrected="at a fixed beta, hence given beta^{t-1} if step t has records of its own",
        repaired=_fresh_records,
        errata=(("diss-7.2.56", 1),),
    ),
    _true(
        "004",
        "Theorem 7.2.3, proof (robust mean)",
        "10016-10020",
        "concentration",
        "at a fixed beta: squared error of a coordinate O(tau log(d/zeta)/n) w.p. 1 - zeta/d, by "
        "Lemma 7.2.1",
        _robust_mean,
        _GRADIENT,
    ),
    _false(
        "004",
        "(7.78)",
        "10022",
        "concentration",
        "at a fixed beta: ||g~ - nabla Q|| <= C_2 d sqrt(tau T l)/sqrt(b n te^2) w.p. 1 - 2 zeta",
        _step_error,
        _GRADIENT,
        reason="b = l cancels the logarithm that the robust mean's sqrt(d tau l/n) needs when "
        "l te^2 > d T; true up to logarithms",
        corrected="d = 1: <= sqrt(tau l/(2n))(2 + 1.694/l) + sigma sqrt(2 log(2/zeta))",
        repaired=_step_error_repaired,
    ),
    _false(
        "004",
        "Remarks 7.2.2 and 7.2.3",
        "9688, 9718",
        "remark",
        "(7.65) is O~(d/sqrt(n epsilon)), sample complexity O~(d^2/(alpha^2 epsilon)); (7.66) is "
        "O~(d^(3/2)/sqrt(n epsilon))",
        _remark_epsilon,
        _GRADIENT,
        reason="(7.65) and (7.66) have sqrt(n epsilon^2): the remarks fit Wang et al. (2020)",
        corrected="O~(d/(sqrt(n) epsilon)), O~(d^2/(alpha^2 epsilon^2)), O~(d^(3/2)/(sqrt(n) "
        "epsilon))",
        repaired=_remark_repaired,
    ),
    _false(
        "004",
        "Theorem 7.2.5",
        "9708-9716",
        "utility",
        "(7.66) is (7.63) with the tau of Lemma 7.2.6: O~(d |beta*| L sqrt(max{|beta*|^2 + "
        "sigma^2, d |beta*|^2})/sqrt(n epsilon^2))",
        _lost_square_and_log,
        _GRADIENT,
        reason="|beta*|^2 + sigma^2 has lost its square and log(1/zeta) is gone",
        corrected="with (|beta*|^2 + sigma^2)^2, log(1/zeta), and without the factor |beta*|",
        repaired=_consistent_rate(_tau_6, _tau_6, homogeneous=False),
        errata=(("ledger:000 Thm 7", 1), ("diss-7.2.56", 2)),
    ),
    _false(
        "004",
        "Theorem 7.2.6",
        "9734-9740",
        "utility",
        "||beta^T - beta*|| <= O~(d L Lambda |beta*| (sqrt(d)|beta*| + sigma^2 + |beta*|^2)/"
        "sqrt(n epsilon^2))",
        _theorem_6_scale,
        _GRADIENT,
        reason="the factor |beta*| of (7.63), and tau from Lemma 7.2.8",
        corrected="iota^T ||beta^0 - beta*|| + eta sum_t iota^(T-t) e_t with e_t the error of "
        "step t's gradient, while the iterates stay in B",
        repaired=_theorem_6_recursion,
        errata=(("diss-7.2.56", 2),),
    ),
    _true(
        "004",
        "Assumption 7.2.2",
        "9752-9800",
        "assumption",
        "M_n is an average of independent f_i(beta') with E f_j^2 <= tau: the Gaussian mixture "
        "satisfies this, the mixture of regressions and missing covariates do not",
        _average_only_for_mixture,
        _EM,
    ),
    _true(
        "004",
        "Q_n and M_n of the Gaussian mixture",
        "9760-9772",
        "identity",
        "Q_n = -(1/2n) sum w ||y - b||^2 + (1-w) ||y + b||^2 has the maximiser (1/n) sum (2w-1) y",
        _mixture_objective,
        _EM,
    ),
    _false(
        "004",
        "Q_n of the mixture of regressions",
        "9776",
        "identity",
        "Q_n = (1/2n)(-w (y - <x, b>)^2 + (1-w)(y + <x, b>)^2), with the maximiser M_n",
        _regression_objective_printed,
        _EM,
        reason="the second square needs the sign of the first, and a sum",
        corrected="Q_n = -(1/2n) sum w (y - <x, b>)^2 + (1-w)(y + <x, b>)^2, maximiser (mean x "
        "x^T)^-1 mean (2w-1) y x",
        repaired=_regression_objective,
        errata=(("model-mrm", 1),),
    ),
    _false(
        "004",
        "Q_n of missing covariates",
        "9786",
        "identity",
        "Q_n(b; b') = (1/n) sum y <b, m> - (1/2n) sum b^T K b', with a maximiser M_n",
        _linear_objective,
        _EM,
        reason="the last factor must be b: as printed Q_n is linear in b",
        corrected="(1/n) sum y <b, m> - (1/2n) sum b^T K b, concave for the conditional K",
        repaired=_concave_objective,
    ),
    _false(
        "004",
        "M_n of missing covariates",
        "9788-9792",
        "identity",
        "(mean K)^-1 (mean y m), K of (7.51), maximises Q_n (with b for b' in the last factor)",
        _no_maximum,
        _EM,
        reason="mean K of (7.51) need not be positive semidefinite, and then Q_n has no maximum",
        corrected="K = E[x x^T | x_obs, y]",
        repaired=_concave_objective,
    ),
    _false(
        "004",
        "(7.68)",
        "9814",
        "sensitivity",
        "(1/n) sum of the cubic + (1/n) sum C, bounded per record",
        _without_s,
        _EM,
        reason="the factor s of (7.61) is missing, so the cubic is not cancelled",
        corrected="(1/n) sum of the cubic + (s/n) sum C",
        repaired=_with_s,
        errata=(("diss-7.2.57", 1),),
    ),
    _false(
        "004",
        "Theorem 7.2.7",
        "9823",
        "composition",
        "the DP EM algorithm (printed: 7.2.56) is (epsilon, delta)-DP for 0 < epsilon, delta < 1",
        _literal_em_privacy,
        _EM,
        reason="it names Algorithm 7.2.56; of 7.2.57 it is true only with s restored in (7.68)",
        corrected="Algorithm 7.2.57 with s/n before the sum of C is (epsilon, delta)-DP",
        repaired=_em_privacy,
        errata=(("ledger:004 Thm 7.2.7", 1), ("diss-7.2.57", 1)),
    ),
    _false(
        "004",
        "Theorem 7.2.8",
        "9829-9837",
        "utility",
        "(7.70): ||beta^T - beta*|| <= O~(R sqrt(v/(v-gamma)^3) d L Lambda sqrt(tau)/"
        "sqrt(n epsilon^2))",
        _theorem_8_em,
        _EM,
        reason="the proof gives sqrt(v^3/(v-gamma)^3), and R belongs to the vanishing term only "
        "(gamma < v is meant by the condition, mu is not defined)",
        corrected="(gamma/v)^T ||beta^0 - beta*|| + sum_t (gamma/v)^(T-t) e_t with e_t the error of"
        " step t's M-step, at most v/(v-gamma) max e_t; sqrt(T) v/(v-gamma) is sqrt(v^3/(v-gamma)"
        "^3)",
        repaired=_theorem_8_recursion,
        errata=(("diss-7.2.57", 4),),
    ),
    _true(
        "004",
        "(7.69)",
        "9831, proof 10238-10242",
        "utility",
        "n >= O~((v/(v-gamma))^2 d^2 tau T L Lambda/(epsilon^2 R^2)) keeps a step's error below "
        "(v-gamma)/v R, hence beta^t in B",
        _condition_69,
        _EM,
    ),
    _false(
        "004",
        "Theorem 7.2.8, proof (sign)",
        "10216, 10224",
        "optimisation",
        "<nabla Q(M; beta*) - nabla Q(beta*; beta*), M - beta*> >= v ||M - beta*||^2",
        _wrong_sign,
        _EM,
        reason="Q(.; beta*) is strongly concave, not convex",
        corrected="the negated left side; ||M(beta) - beta*|| <= (gamma/v)||beta - beta*|| stands",
        repaired=_right_sign,
        errata=(("diss-7.2.57", 2),),
    ),
    _false(
        "004",
        "Theorem 7.2.8, proof (Lipschitz gradient)",
        "10220",
        "optimisation",
        "Assumption 7.2.2 gives ||nabla Q(M(beta); beta*) - nabla Q(M(beta); beta)|| <= gamma "
        "||beta - beta*||",
        _gradient_elsewhere,
        _EM,
        reason="Lipschitz-Gradient-2 has the gradients taken at beta, not at M(beta)",
        corrected="assume it at M(beta); the same thing for the Gaussian mixture",
        repaired=_gradient_anywhere,
        errata=(("diss-7.2.57", 3),),
    ),
    _true(
        "004",
        "Theorem 7.2.8, proof (number of iterations)",
        "10244-10248",
        "optimisation",
        "T = O(v/(v-gamma) log n) makes (gamma/v)^T R negligible",
        _iterations,
        _EM,
    ),
    _true(
        "004",
        "Lemma 7.2.9",
        "9843",
        "concentration",
        "E f_j(beta)^2 <= O(|beta*|_inf^2 + sigma^2), Gaussian mixture",
        _mixture_moment,
        _EM,
    ),
    _true(
        "004",
        "Lemma 7.2.24",
        "10254-10260",
        "concentration",
        "f_j(beta), centred, is C_1 sqrt(|beta*|_inf^2 + sigma^2)-sub-exponential",
        _terms_mgf,
        _EM,
    ),
    _false(
        "004",
        "(7.106)",
        "10276 (000 (52))",
        "concentration",
        "E exp(t|f_j - E f_j|) <= E exp(t|eps f_j|) for every t > 0",
        em._symmetrised_gradient,
        _EM,
        reason="Lemma 7.2.16 (000 Lemma 15) without its factor 2",
        errata=(("ledger:000 Lemma 19", 1),),
    ),
    _false(
        "004",
        "(7.111)",
        "10300 (000 (57))",
        "concentration",
        "E exp(t|f_j - E f_j|) <= exp(C t^2 (|beta*_j|^2 + sigma^2)) for every t > 0",
        em._absolute_mgf,
        _EM,
        reason="impossible as t -> 0 with the absolute value: the factor 2 of (7.110) is dropped",
        corrected="E exp(t(f_j - E f_j)) <= exp(C t^2 (|beta*_j|^2 + sigma^2))",
        repaired=_terms_mgf,
        errata=(("ledger:000 Lemma 19", 1),),
    ),
)
