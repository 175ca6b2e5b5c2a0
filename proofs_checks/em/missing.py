"""Regression with missing covariates: what two papers state of it under numbers of their own.

Notation: r = y - <beta, x_observed>, V = sigma^2 + ||beta_missing||^2, rho = E r^2/V,
n = ||beta*||, D = ||beta - beta*|| <= k n, n <= r sigma (the r of the papers, here ``snr``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs_checks.em.norms import gaussian_norm, normal_moments
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray

Random = np.random.Generator


def on_sphere(rng: Random, d: int, radius: float) -> FloatArray:
    """Return a random point of the sphere, half of the time on an axis."""
    away = rng.standard_normal(d) if rng.random() < 0.5 else np.eye(d)[rng.integers(d)]
    point: FloatArray = away * (radius / np.linalg.norm(away))
    return point


# ------------------------------------------------------------------------- one record


def model(own: int = 1) -> Outcome:
    """Average r over one observed covariate, one missing and the noise.

    E r^2 = (beta*_obs - beta_obs)^2 + beta*_mis^2 + sigma^2, on which every moment here rests.
    Here X = (x, h) and Y = b x + b_h h + V, with V = sigma g.
    """
    x, hidden, g, b, b_hidden, beta = sp.symbols("x h g b b_h beta", real=True)
    sigma = symbols("sigma")
    r = b * x + b_hidden * hidden + sigma * g - beta * x
    square = normal_moments(normal_moments(normal_moments(r**2, x), hidden), g)
    return definition(identity((square, (b - beta) ** 2 + own * b_hidden**2 + sigma**2)))


def conditional_mean(own: int = 1) -> Outcome:
    """Find the mean of a normal law as the zero of its log-density's gradient.

    That is m_j = h_j (y - f - <h, m>)/sigma^2 for a missing j, with h the missing part of beta, f
    the observed part of the fit. With m = (y - f) h/V, <h, m> = (y - f) ||h||^2/V [step "mode"].
    Here variance = sigma^2, hidden = ||h||^2, h = (1 - z) beta and f = x^T (z beta).
    """
    h, y, f = sp.symbols("h_j y f", real=True)
    variance, hidden = symbols("variance hidden")
    m = (y - f) / (own * variance + hidden)
    return derived(mode=identity((m * h, h * (y - f - hidden * m) / variance)))


def second_moment_refuted() -> Outcome:
    """D = 1, x missing, beta = sigma = 1, y = 2: E[x | y] = 1, Var(x | y) = 1/2, printed K = 1."""
    point = {"d": 1, "beta": 1, "sigma": 1, "y": 2, "observed": False}
    mean, variance = Fraction(2, 2), 1 - Fraction(1, 2)
    printed = 1 + mean**2 - mean**2
    return refuted(point, mean**2 + variance, printed, "E[x^2 | y] against K")


def second_moment(twice: int = 1, diagonal: str = "1 - z", mean: int = 1) -> Outcome:
    """Invert the missing block of the precision, I + h h^T/sigma^2, to I - h h^T/V.

    Entry (i, j) of the product, beyond the identity, is h_i h_j times [step "inverse"]. That block
    and m m^T make E[x x^T], the observed being constants [step "entries", every z, d = 2].
    Here b = beta.
    """
    variance, hidden = symbols("variance hidden")
    total = twice * variance + hidden
    pairs = []
    b, m = sp.symbols("b1:3", real=True), sp.symbols("m1:3", real=True)
    spread = symbols("V")
    for z in itertools.product((0, 1), repeat=2):
        for i, j in itertools.product((0, 1), repeat=2):
            covariance = (int(i == j) - b[i] * b[j] / spread) if not (z[i] or z[j]) else 0
            own = sp.sympify(diagonal).subs("z", z[i]) if i == j else 0
            claimed = own + mean * m[i] * m[j] - (1 - z[i]) * b[i] * (1 - z[j]) * b[j] / spread
            pairs.append((covariance + m[i] * m[j], claimed))
    return derived(
        inverse=identity((1 / variance - 1 / total - hidden / (variance * total), 0)),
        entries=identity(*pairs),
    )


def gradient_refuted() -> Outcome:
    """Take the same record: y m - K beta = 1, while sigma^2 times the score of y is 1/2."""
    point = {"d": 1, "beta": 1, "sigma": 1, "y": 2, "observed": False}
    score = 1 * (Fraction(2, 2) ** 2 - Fraction(1, 2))
    return refuted(point, 2 * Fraction(1) - Fraction(1), score, "y m - K beta against the gradient")


def gradient(covariance: int = 1, times: int = 1) -> Outcome:
    """With K = E[x x^T | x_observed, y]: sigma^2 times the score of y given x_observed.

    y ~ N(f, V), f the observed fit, g = ||beta_missing||^2, a = (y - f)/V. As
    <m, beta> = f + a g, entry j of y m - K beta is x_j (y - f - a g) if observed [step "observed"]
    and a beta_j (y - f - a g) - beta_j (1 - g/V) if missing [step "missing"]; the scores are
    differentiated. Here variance = sigma^2. That y m - K beta is the gradient of q times
    ``times`` sigma^2 is [step "expected"], two entries of beta.
    """
    y, f, x, b = sp.symbols("y f x_j b_j", real=True)
    variance, rest = symbols("variance rest")
    total = variance + rest

    def log_density(mean: Any, spread: Any) -> Any:
        return -((y - mean) ** 2) / (2 * spread) - sp.log(spread) / 2

    of_fit = sp.diff(log_density(f + x * b, total), b)
    a = (y - f - x * b) / total
    seen = x * (y - f - x * b - a * rest)
    spread = total + b**2  # b_j itself is missing now
    of_variance = sp.diff(log_density(f, spread), b)
    a_hidden, g = (y - f) / spread, rest + b**2
    hidden = a_hidden * b * (y - f - a_hidden * g) - b * (1 - covariance * g / spread)
    c, m1, m2, k11, k12, k22 = sp.symbols("c m1 m2 k11 k12 k22", real=True)
    squares = y**2 - 2 * y * (m1 * b + m2 * c) + k11 * b**2 + 2 * k12 * b * c + k22 * c**2
    q = -squares / (2 * variance)  # E of log f(x, y), up to a constant
    return derived(
        expected=identity((times * variance * sp.diff(q, b), y * m1 - (k11 * b + k12 * c))),
        observed=identity((seen, variance * of_fit)),
        missing=identity((hidden, variance * of_variance)),
    )


def row_of_second_moment(sign: int = 1) -> Outcome:
    """Row j of K beta for three coordinates; with more of them only the sums have more terms."""
    z, m, b = (sp.symbols(f"{name}1:4") for name in "zmb")
    hidden = sp.Matrix([(1 - u) * v for u, v in zip(z, m, strict=True)])
    mean, beta = sp.Matrix(m), sp.Matrix(b)
    k = sp.diag(*(1 - u for u in z)) + mean * mean.T - hidden * hidden.T
    product = k * beta
    claimed = [
        (1 - z[j]) * b[j]
        + sum(m[j] * m[i] * b[i] for i in range(3))
        - sign * sum((1 - z[j]) * m[j] * (1 - z[i]) * m[i] * b[i] for i in range(3))
        for j in range(3)
    ]
    return derived(three=identity(*zip(product, claimed, strict=True)))


def sign_refuted() -> Outcome:
    """D = 1, nothing missing: m = x, K = x^2, E m y = beta*, E K = 1."""
    x, y, beta, truth = Fraction(2), Fraction(1), Fraction(1, 2), Fraction(1)
    centred = (x * y - x**2 * beta) - (truth - beta)
    a, b = x * y - truth, (x**2 - 1) * beta
    point = {"d": 1, "x": 2, "y": 1, "beta": 0.5, "beta_star": 1}
    return refuted(point, a + b, centred, "A + B against the centred gradient, which it equals")


def centred_gradient(sign: int = -1) -> Outcome:
    """Subtract the means of both terms of grad q = m y - K b, b = beta.

    A = m y - E[m y] and B = K b - E[K b].
    """
    my, kb, mean_my, mean_kb = sp.symbols("my Kb Emy EKb", real=True)
    gradient_less_mean = (my - kb) - (mean_my - mean_kb)
    return identity((gradient_less_mean, (my - mean_my) + sign * (kb - mean_kb)))


# ------------------------------------------------------------------------- its laws


@dataclass(frozen=True)
class Pattern:
    """A pattern of missing covariates, with what the gradient needs of it.

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
    """Yield the 2^d patterns; every covariate is missing with probability p."""
    for chosen in itertools.product((True, False), repeat=len(truth)):
        observed = np.array(chosen)
        variance = sigma**2 + float(np.where(observed, 0, beta**2).sum())
        residual = np.where(observed, truth - beta, truth)
        total = float(residual @ residual) + sigma**2
        count = int(observed.sum())
        probability = (1 - p) ** count * p ** (len(truth) - count)
        yield Pattern(probability, observed, variance, total / variance)


def population_gradient(
    beta: FloatArray, truth: FloatArray, sigma: float, p: float, *, printed: bool = True
) -> FloatArray:
    """Return E nabla q(beta; beta) for the printed (11) or for the conditional second moment.

    An observed entry is x_j r sigma^2/V, a missing one beta_j (r^2/V - 1), without (11)'s slip
    sigma^2/V times that.
    """
    total = np.zeros(len(truth))
    for z in patterns(beta, truth, sigma, p):
        share = sigma**2 / z.variance
        missing = beta * (z.ratio - 1) * (1 if printed else share)
        total += z.probability * np.where(z.observed, (truth - beta) * share, missing)
    return total


def log_mgf(beta: FloatArray, truth: FloatArray, sigma: float, p: float, j: int, t: float) -> float:
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


def random_case(rng: Random) -> tuple[FloatArray, FloatArray, float, float, float, float]:
    """Return beta, beta*, sigma, p, k, r as the papers allow; |beta*| = r sigma, beta in B."""
    d = int(rng.integers(1, 5))
    r, k = float(10 ** rng.uniform(-1, 0.7)), float(rng.uniform(0.05, 0.99))
    sigma = float(10 ** rng.uniform(-1, 1))
    b = r**2 * (1 + k) ** 2
    p = float(rng.random()) / (1 + 2 * b + 2 * b**2)
    truth = on_sphere(rng, d, r * sigma)
    beta = truth + on_sphere(rng, d, k * r * sigma * (1 if rng.random() < 0.5 else rng.random()))
    return beta, truth, sigma, p, k, r


def contraction(r: float, k: float, p: float, squares: int = 2) -> float:
    """Return the papers' gamma."""
    b = r**2 * (1 + k) ** 2
    return (b + p * (1 + 2 * b + squares * b**2)) / (1 + b)


def _mean_of_moments(curvature: int = 1) -> Outcome:
    """E K_beta* = ``curvature`` I and E y m = beta* for a missing h and an observed x."""
    x, h, g, b, b_h = sp.symbols("x h g b b_h", real=True)
    sigma = symbols("sigma")

    def mean(value: Any) -> Any:
        return normal_moments(normal_moments(normal_moments(sp.expand(value), x), h), g)

    r, spread = b_h * h + sigma * g, sigma**2 + b_h**2
    y, m = b * x + r, b_h * r / spread
    return identity(
        (mean(x * x), curvature),
        (mean(x * m), 0),
        (mean(1 - b_h**2 / spread + m * m), curvature),
        (mean(1 + m * m - m * m), curvature),
        (mean(y * x), b),
        (mean(y * m), b_h),
    )


def constants(rng: Random, squares: int = 2, missing: float = 1.0, curvature: int = 1) -> Outcome:
    """Enumerate every pattern, for the printed (11) and for the conditional second moment.

    E K_beta* = I for either K and E y m = beta*, here with one entry observed and one missing, so
    nabla Q(beta; beta*) = beta* - beta: mu = v = 1 and self-consistency. gamma < 1 is
    p < 1/(1 + 2b + 2b^2) [step "below one"], p = p_m.
    """
    worst, tried = 0.0, 150
    for _ in range(tried):
        beta, truth, sigma, p, k, r = random_case(rng)
        gamma = contraction(r, k, missing * p, squares)
        distance = float(np.linalg.norm(beta - truth))
        for printed in (True, False):
            change = (truth - beta) - population_gradient(beta, truth, sigma, p, printed=printed)
            worst = max(worst, float(np.linalg.norm(change)) / (gamma * distance))
    b, p, largest, gamma = reals("b p p_max gamma")
    limit = 1 + 2 * b + squares * b * b
    return every(
        _mean_of_moments(curvature),
        for_all(
            gamma < 1,
            *(b > 0, p >= 0, p < largest, largest * (1 + 2 * b + 2 * b * b) == 1),
            gamma * (1 + b) == b + p * limit,
        ),
        searched(
            worst,
            1,
            tried=tried,
            what="change of the gradient over gamma ||beta - beta*||, d < 5, r in [.1, 5], k < 1",
        ),
    )


# ------------------------------------------------------------------------- second moments


def vanishing_moment() -> Outcome:
    """D = 1, beta = beta* = sigma^2, p = 1/10: E(nabla)^2 = .9 sigma^2 + .2 beta*^2, mean 0."""
    p, sigma = Fraction(1, 10), Fraction(1, 10**6)
    norm = sigma**2
    moment = (1 - p) * sigma**2 + p * 2 * norm**2
    claim = (norm + sigma**2 + norm**2) ** 2
    point = {"d": 1, "p": 0.1, "sigma": 1e-6, "beta": 1e-12, "beta_star": 1e-12}
    return refuted(point, moment, 10**9 * claim, "E(nabla_1)^2 against 1e9 times the claim")


def second_moments(
    cubic: str = "3/4", radius: int = 2, away: int = 1, *, noise: int = 1, reach: int = 1
) -> Outcome:
    """Given the pattern x_j and r are normal, E x_j r = beta*_j - beta_j and E r^2 <= W.

    E r^2 = ||(beta* - beta)_obs||^2 + ||beta*_mis||^2 + sigma^2, see :func:`model` [step
    "residual", W = n^2 + ``noise`` sigma^2 + ``reach`` R^2].

    An observed entry has (sigma^2/V)^2 (E r^2 + 2 (E x_j r)^2) <= W + 2 R^2 [step "observed"]; a
    missing one beta_j^2 E(g^2 rho - 1)^2 = beta_j^2 (3 rho^2 - 2 rho + 1) [step "square"] with
    V >= sigma^2 + beta_j^2, at most 3 W^2/(4 sigma^2) + beta_j^2 [step "missing"]. It is missing
    with probability p, and |beta_j| <= ||beta*||_inf + R [step "both"; q is W^2/sigma^2].
    """
    s, v, w, e, gap, big_r, b, rho = reals("s v w e gap R b rho")
    p, q, top, seen, hidden, n = reals("p q top seen hidden n")
    x, ratio = sp.symbols("x rho", positive=True)
    square = normal_moments((x**2 * ratio - 1) ** 2, x)
    return derived(
        residual=for_all(
            seen + hidden + s * s <= n * n + noise * s * s + reach * big_r * big_r,
            *(seen <= big_r * big_r, hidden <= n * n, s > 0),
        ),
        observed=for_all(
            s * s * (e + 2 * gap * gap) <= v * v * (w + radius * big_r * big_r),
            *(s > 0, v >= s, e >= 0, e <= w, gap * gap <= big_r * big_r),
        ),
        square=identity((square, 3 * ratio**2 - 2 * ratio + 1)),
        missing=for_all(
            b * b * (3 * rho * rho - 2 * rho + 1) <= rational(cubic) * w * w / s + b * b,
            *(s > 0, b >= 0, w >= 0, rho >= 0, rho * (s + b * b) <= w),
        ),
        both=for_all(
            (1 - p) * seen + p * hidden
            <= (1 - p) * (w + radius * big_r * big_r)
            + p * (rational(cubic) * q + (top + away * big_r) * (top + away * big_r)),
            *(p >= 0, p <= 1, q >= 0, w >= 0, top >= 0, big_r >= 0, b >= 0, b <= top + big_r),
            *(seen <= w + 2 * big_r * big_r, hidden <= rational("3/4") * q + b * b),
        ),
    )


# ------------------------------------------------------------------------- sub-exponential


def imputed(radius: str = "1") -> Outcome:
    """Given the pattern m_j is normal with mean 0: x_j, or beta_j r/V if missing.

    sqrt(E r^2) <= D + sqrt(V) by the triangle inequality for ((beta* - beta)_obs, beta*_mis,
    sigma) and (0, beta_mis, sigma), which are D apart; |beta_j| <= sqrt(V), sigma <= sqrt(V) =: v
    and D <= k n <= k r sigma give deviation |beta_j| sqrt(E r^2)/V <= 1 + k r [step "deviation"].
    A mixture of such laws has norm at most the largest; for each see "norm".
    """
    b, e, v, s, distance, k, snr = reals("b e v s D k r")
    return derived(
        deviation=for_all(
            b * e <= v * v * (1 + rational(radius) * k * snr),
            *(s > 0, v >= s, b >= 0, b <= v, e >= 0, e <= distance + v),
            *(distance <= k * snr * s, distance >= 0, k >= 0, snr >= 0),
        ),
        norm=gaussian_norm(),
    )


def imputed_times_response(
    constant: int = 2, *, noise: int = 1, mean: int = 1, power: int = 2
) -> Outcome:
    """By Cauchy-Schwarz |UV|_psi1 <= 2 |U|_psi2 |V|_psi2, with 1 + k r and sqrt(sigma^2 + n^2).

    Here g = 1 + k r.
    The product of two numbers is at most the larger of their squares [step "larger"]; the claimed
    square of the second is ``noise`` sigma^2 + ``mean`` n^2.
    """
    g, u, sigma, n = reals("g u sigma n")
    first, second = g**power, noise * sigma * sigma + mean * n * n
    square = z3.If(first >= second, first, second)
    given = (g >= 1, u >= 0, sigma > 0, n >= 0, u * u == sigma * sigma + n * n)
    return derived(larger=for_all(2 * g * u <= constant * square, *given))


def sum_of_products(constant: int = 2, power: int = 2, norm: int = 1) -> Outcome:
    """Term by term |m_j m_k|_psi1 <= 2 (1 + k r)^2, by Cauchy-Schwarz and Lemma 22.

    The triangle inequality adds one term, of weight a, to those before it, whose weights have the
    l1 norm "weights", and with it "total" [step "sum", by induction; g = 1 + k r].
    """
    a, g, size, before, weights, total = reals("a g u before weights total")
    each = constant * g**power
    return derived(
        sum=for_all(
            before + z3.Abs(a) * size <= each * total,
            *(g >= 1, weights >= 0, before <= each * weights, size >= 0, size <= 2 * g * g),
            *(total >= 0, total**norm == weights**norm + z3.Abs(a) ** norm),
        )
    )


def bounded_entry(k_factor: int = 1, share: str = "1") -> Outcome:
    """|(1 - z) b| <= |b|, as z is 0 or 1 [step "missing"]; a norm is at most the largest size.

    |beta_j| <= ||beta|| <= ||beta*|| + D <= (1 + k)||beta*||.
    """
    b, norm, n, k, z = reals("b norm n k z")
    return derived(
        missing=for_all(z3.Abs((1 - z) * b) <= rational(share) * z3.Abs(b), z3.Or(z == 0, z == 1)),
        radius=for_all(
            b <= (1 + k_factor * k) * n,
            *(b >= 0, b <= norm, norm <= n + k * n, n >= 0, k >= 0, k < 1),
        ),
    )


def products_without_sparsity(constant: str = "4", power: int = 2, k_factor: int = 1) -> Outcome:
    """Read the sum as m_j <m, beta>, <m, beta> = <x, beta>_obs + (V - sigma^2) r/V.

    Its deviation is at most ||beta|| + h (h e/V), h = ||beta_mis|| <= v = sqrt(V), e = sqrt(E r^2)
    and h e/V <= 1 + k r as in Lemma 22: at most ||beta|| (2 + k r). With Cauchy-Schwarz the norm is
    at most 2 (1 + k r)(2 + k r) ||beta|| [step "product"], ||beta|| <= (1 + k) n.
    """
    g, norm, n, k, spread = reals("g norm n k spread")
    return derived(
        deviation=imputed(),
        product=for_all(
            2 * g * spread <= rational(constant) * (1 + k_factor * k) * g**power * n,
            *(g >= 1, spread >= 0, spread <= norm * (1 + g), norm <= (1 + k) * n, norm >= 0),
            *(k >= 0, n >= 0),
        ),
    )


def missing_products(constant: str = "2", power: int = 2, k_factor: int = 1) -> Outcome:
    """Read it as (1 - z_j) m_j times (V - sigma^2) r/V, of deviation at most ||beta|| (1 + k r)."""
    g, norm, n, k, spread = reals("g norm n k spread")
    return derived(
        deviation=imputed(),
        product=for_all(
            2 * g * spread <= rational(constant) * (1 + k_factor * k) * g**power * n,
            *(g >= 1, spread >= 0, spread <= norm * g, norm <= (1 + k) * n, norm >= 0),
            *(k >= 0, n >= 0),
        ),
    )


def row_norm(constant: str = "7", *, power: int = 2, k_factor: int = 1) -> Outcome:
    """Add the three bounds, 1 + 4 + 2 times (1 + k)(1 + k r)^2 n [step "sum", g = 1 + k r]."""
    g, n, k = reals("g n k")
    unit = (1 + k) * n
    return derived(
        first=bounded_entry(),
        second=products_without_sparsity(),
        third=missing_products(),
        sum=for_all(
            unit + 4 * unit * g * g + 2 * unit * g * g
            <= rational(constant) * (1 + k_factor * k) * n * g**power,
            *(g >= 1, n >= 0, k >= 0),
        ),
    )


def sub_exponential(
    rng: Random, constant: float = 77.0, *, noise: int = 1, power: int = 2, k_factor: int = 1
) -> Outcome:
    """Bound the centred gradient's psi_1 norm by 14 times the bracket, without its sqrt(d).

    See :func:`centred_norm` [step "centred"]; so it is 28 e < 77 times that sub-exponential (000
    Lemma 9, corrected) [step "steps", e < 2.7183]. Exact generating functions are compared, every
    pattern and coordinate [step "laws"].
    """
    worst, tried = 0.0, 60
    for _ in range(tried):
        beta, truth, sigma, p, k, r = random_case(rng)
        norm, d = r * sigma, len(beta)
        inside = max((1 + k * r) ** 2, noise * sigma**2 + norm**2)
        xi = constant * ((1 + k) * (1 + k * r) ** power * math.sqrt(d) * norm + inside)
        for j, share in itertools.product(range(d), (-0.99, -0.3, 0.01, 0.3, 0.99)):
            value = log_mgf(beta, truth, sigma, p, j, share / xi)
            worst = max(worst, value / (share**2 / 2))
    e = reals("e")
    what = "log E exp(t U) over xi^2 t^2/2, d < 5, r in [.1, 5], k < 1"
    return derived(
        centred=centred_norm(noise=noise, power=power, k_factor=k_factor),
        steps=for_all(2 * e * 14 <= rational(str(constant)), e > 2, e < rational("2.7183")),
        laws=searched(worst, 1, tried=tried, what=what),
    )


def simplified_xi(floor: int = 1) -> Outcome:
    """(1+k) g^2 a + max(g^2, w) <= (1+k) g^2 (a + max(1, w)), g = 1 + k r, a = sqrt(d) n.

    Here w = sigma^2 + n^2.
    """
    g, a, w, k = reals("g a w k")
    larger = z3.If(g * g >= w, g * g, w)
    constant = z3.If(w >= floor, w, z3.RealVal(floor))
    return for_all(
        (1 + k) * g * g * a + larger <= (1 + k) * g * g * (a + constant),
        *(g >= 1, a >= 0, w >= 0, k >= 0),
    )


def imputed_response(sign: int = -1) -> Outcome:
    """A_j = my - mean, coordinate j of A, has mean 0."""
    my, mean, p = sp.symbols("my mean p", real=True)
    # two values of m_j y, of probabilities p and 1 - p, with this mean
    other = (mean - p * my) / (1 - p)
    average = p * (my + sign * mean) + (1 - p) * (other + sign * mean)
    return definition(identity((average, 0)))


def centred_norm(
    constant: str = "14", *, noise: int = 1, power: int = 2, k_factor: int = 1
) -> Outcome:
    """|X - E X|_psi1 <= 2 |X|_psi1, because |E X| <= E|X| <= |X|_psi1.

    grad_j q = m_j y - (K beta)_j: the bounds 2 max{...} and 7 (1+k)(1+kr)^2 n add up to at most 7
    times their sum without constants, before centring [step "sum"].
    """
    first, second = reals("first second")
    total = 2 * (2 * first + 7 * second)
    return derived(
        response=imputed_times_response(noise=noise),
        row=row_norm(power=power, k_factor=k_factor),
        sum=for_all(total <= rational(constant) * (first + second), first >= 0, second >= 0),
    )
