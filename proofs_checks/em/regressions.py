"""The mixture of regressions: what two papers state of it under numbers of their own.

Y = Z <beta*, X> + V; n = ||beta*||, s = sigma, w the posterior of Z = 1 unless said otherwise.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from proofs_checks.balls import ball, exp
from proofs_checks.basics import one_norm
from proofs_checks.em.missing import on_sphere
from proofs_checks.em.norms import gaussian_norm, normal_moments, symmetrised
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


# ------------------------------------------------------------------------- the gradient


def model(power: int = 2) -> Outcome:
    """Average over both signs and the noise: E[Y^2 | <beta*, X> = f] = f^2 + sigma^2.

    Here f = X^T beta* and V = sigma g; Y = f + V or -f + V.
    """
    f, g = sp.symbols("f g", real=True)
    sigma = symbols("sigma")
    square = normal_moments(((f + sigma * g) ** 2 + (-f + sigma * g) ** 2) / 2, g)
    return definition(identity((square, f**2 + sigma**power)))


def weight_refuted() -> Outcome:
    """Compare the posterior 1/(1 + minus/plus) with the printed weight."""
    fit, y, sigma = 1, ball("0.7"), ball("0.5")
    ratio = exp((-((y + fit) ** 2) + (y - fit) ** 2) / (2 * sigma**2))
    printed = 1 / (1 + exp(-y * fit / sigma**2))
    point = {"<beta, x>": 1.0, "y": 0.7, "sigma": 0.5}
    return refuted(point, 1 / (1 + ratio), printed, "posterior against the printed weight")


def gradient(twice: int = 2, own: int = 1, sign: int = 2, times: int = 1) -> Outcome:
    """By Bayes w = 1/(1 + e^a), a the difference of the exponents of both signs [step "Bayes"].

    There f = x^T beta.

    The gradient of -w (y - <x, b>)^2/2 - (1 - w)(y + <x, b>)^2/2 in one coordinate is [step
    "slope"]. At beta* 2w - 1 times the density (p_+ + p_-)/2 of Y is (p_+ - p_-)/2 [step "tilted"],
    whose means are +-<beta*, X>, so E (2w - 1) Y X = E <beta*, X> X, which is beta* [step "mean",
    two entries, X = (x_1, x_2) and c for beta*].
    """
    y, f, x, b, w = sp.symbols("y f x_j b_j w", real=True)
    sigma = symbols("sigma")
    exponents = [-((y + side * f) ** 2) / (2 * sigma**2) for side in (1, -1)]
    minus, plus = (sp.exp(exponent) for exponent in exponents)
    weight = plus / (plus + minus)
    q = -(w * (y - f - x * b) ** 2 + (1 - w) * (y + f + x * b) ** 2) / 2
    x1, x2, c1, c2 = sp.symbols("x1 x2 c1 c2", real=True)
    mean = normal_moments(normal_moments((c1 * x1 + c2 * x2) * x1, x1), x2)
    return derived(
        mean=identity((mean, times * c1)),
        tilted=identity(((sign * weight - 1) * (plus + minus) / 2, (plus - minus) / 2)),
        Bayes=identity((exponents[0] - exponents[1], -twice * y * f / sigma**2)),
        slope=identity((sp.diff(q, b), (2 * w - 1) * y * x - x * (f + x * b) / own)),
    )


def _grid(step: float, reach: float = 9.0) -> tuple[FloatArray, FloatArray]:
    """Return trapezoidal nodes and weights for N(0, 1)."""
    nodes = np.arange(-reach, reach + step / 2, step)
    return nodes, np.exp(-(nodes**2) / 2) * (step / math.sqrt(2 * math.pi))


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

    def population_map(self) -> FloatArray:
        """Return E (2w - 1) Y X."""
        mean: FloatArray = (self.weights * self.signal * self.means).sum(axis=(1, 2))
        return mean

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


def regression_law(beta: FloatArray, truth: FloatArray, step: float = 0.06) -> RegressionLaw:
    """Return the law of the gradient with the posterior weight, for sigma = 1, beta not 0."""
    g, weights = _grid(step)
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


def constants(smallest: float = 2.5, largest: float = 0.25) -> Outcome:
    """Search the contraction over the ball R = n/32 by quadrature, in the plane of beta and beta*.

    nabla Q(b; beta') = E (2w - 1) Y X - b, whose slope in b is -I: mu = v = 1 [step "slope"].
    """
    worst, tried = 0.0, 0
    for snr in (smallest, 8.0):
        truth = np.array([snr, 0.0])
        start = regression_law(truth, truth, 0.05).population_map()
        for radius, angle in itertools.product((0.3, 1.0), np.linspace(0, math.pi, 4)):
            away = radius * snr / 32 * np.array([math.cos(angle), math.sin(angle)])
            change = regression_law(truth + away, truth, 0.05).population_map() - start
            worst = max(worst, float(np.linalg.norm(change) / np.linalg.norm(away)))
            tried += 1
    y, f, x, b, w = sp.symbols("y f x_j b_j w", real=True)
    q = -(w * (y - f - x * b) ** 2 + (1 - w) * (y + f + x * b) ** 2) / 2
    return every(
        identity((sp.diff(q, b, 2), -(x**2))),
        searched(worst, largest, tried=tried, what=f"gamma by quadrature, SNR {smallest:g} to 8"),
    )


def second_moments(constant: str = "7.2", *, squares_only: bool = False) -> Outcome:
    """(2w - 1) y has the sign of <x, beta>, so F^2 <= y^2 + <x, beta>^2 [step "factor"].

    The part of <x, beta> along x_j has fourth moment 3 [step "fourth"], so E <x, beta>^2 x_j^2 <=
    3 ||beta||^2 and E y^2 x_j^2 <= 3 n^2 + s^2, with ||beta|| <= (33/32) n. For an SNR of at least
    1 that is at most 7.2 d n^2 [step "claim"; n = ||beta*||, s = sigma].
    """
    t, y, f, n, s, d = reals("t y f n s d")
    x, along = sp.symbols("x b_j", real=True)
    rest = symbols("rest")
    fourth = normal_moments((along**2 * x**2 + rest) * x**2, x)
    square = (n * n + s * s) * (n * n + s * s)
    larger = square if squares_only else z3.If(square >= d * n * n, square, d * n * n)
    total = 3 * n * n + s * s + 3 * rational(Fraction(33, 32) ** 2) * n * n
    return derived(
        factor=for_all((t * y - f) ** 2 <= y * y + f * f, t * y * f >= 0, t <= 1, t >= -1),
        fourth=identity((fourth, 3 * along**2 + rest)),
        claim=for_all(total <= rational(constant) * larger, n >= s, s > 0, d >= 1),
    )


# ------------------------------------------------------------------------- sub-exponential


def _random_case(rng: Random) -> tuple[FloatArray, FloatArray, float]:
    d, snr = int(rng.integers(1, 30)), float(rng.uniform(1, 8))
    truth = on_sphere(rng, d, snr)
    return truth + on_sphere(rng, d, snr / 32), truth, snr


def sub_exponential(rng: Random, constant: float = 45.0, *, noise: int = 1) -> Outcome:
    """Take xi = C r, r^2 = n^2 + s^2, n = ||beta*||, s = sigma: without d, and homogeneous.

    What is claimed for r^2 is n^2 + ``noise`` s^2.

    grad_j = (2w-1) y x_j - x_j <x, beta> has |grad_j|_psi1 <= 2 r + 2 ||beta||, by Cauchy-Schwarz
    as in :func:`product_norm`, and ||beta|| <= 33 n/32. Centring doubles it at most, and a centred
    X is 2e |X|_psi1-sub-exponential (000 Lemma 9, corrected) [step "steps", e < 2.7183]. Exact
    generating functions are compared [step "laws"].
    """
    worst, tried = 0.0, 16
    for _ in range(tried):
        beta, truth, snr = _random_case(rng)
        law, xi = regression_law(beta, truth), constant * math.hypot(snr, noise)
        j = int(rng.integers(len(beta)))
        for share in (-0.99, -0.3, 0.01, 0.3, 0.99):
            worst = max(worst, law.log_mgf(j, share / xi) / (share**2 / 2))
    r, claimed, norm, spread, e = reals("r claimed n s e")
    return derived(
        steps=for_all(
            2 * e * 2 * (2 * r + rational("33/16") * norm) <= rational(str(constant)) * claimed,
            *(r >= 0, norm >= 0, spread > 0, r * r == norm * norm + spread * spread),
            *(claimed >= 0, claimed * claimed == norm * norm + noise * spread * spread),
            *(e > 2, e < rational("2.7183")),
        ),
        laws=searched(
            worst, 1, tried=tried, what="log E exp(t U) over xi^2 t^2/2, d < 30, SNR 1-8"
        ),
    )


def printed_xi(constant: str = "45", floor: int = 1, noise: int = 1) -> Outcome:
    """45 r <= C max{r^2, 1, sqrt(d) ||beta*||}, r^2 = ||beta*||^2 + sigma^2 [step "larger"]."""
    r, s, norm, root, largest = reals("r sigma norm root_d largest")
    terms = (norm * norm + noise * s * s, rational(str(floor)), root * norm)
    return derived(
        larger=for_all(
            45 * r <= rational(constant) * largest,
            *(r >= 0, r * r == norm * norm + s * s, norm >= 0, root >= 1),
            *(largest >= term for term in terms),
        ),
    )


def decomposition_refuted(*, own_term: bool = False) -> Outcome:
    """Take x_j = y = 1, w = 1/2, beta_j = 1, <x, beta> = 3, E 2w y x_j = 1.

    The last term is y x_j in one paper (``own_term``), beta_j in the other; here both are 1.
    """
    x, y, w, b, fit, mean = (Fraction(v) for v in (1, 1, "1/2", 1, 3, 1))
    centred = (2 * w - 1) * y * x - x * fit - (mean - b)
    printed = (2 * w * y * x - mean) + (x * fit - b) - (y * x if own_term else b)
    point = {"x_j": 1, "y": 1, "w": 0.5, "beta_j": 1, "<x, beta>": 3, "E 2w y x_j": 1}
    return refuted(point, printed, centred, "printed sum against the centred gradient")


def decomposition(sign: int = -1) -> Outcome:
    """E y x_j = 0, so E nabla_j = E[2w y x_j] - beta_j."""
    x, y, w, b, fit, mean = sp.symbols("x_j y w beta_j fit mean", real=True)
    centred = (2 * w - 1) * y * x - x * fit - (mean - b)
    return identity((centred, (2 * w * y * x - mean) + sign * (x * fit - b) - y * x))


def symmetrisation_refuted() -> Outcome:
    """Take d = 1, beta = beta*, sigma = 1, SNR 3, t = 1/300, by quadrature.

    Given Y up to its sign, 2w y is Y + (2w - 1) Y for either sign; half of the time it is about 0,
    far below its mean.
    """
    snr = 3.0
    law = regression_law(np.array([snr]), np.array([snr]), step=0.03)
    x = law.means[0]
    y = snr * x + _grid(0.03)[0][None, :]
    value = np.array([law.signal + y, law.signal - y]) * x
    weights = np.array([law.weights, law.weights]) / 2
    t = 0.01 / snr
    mean = float(np.sum(weights * value))
    left, right = (float(np.sum(weights * np.exp(t * np.abs(v)))) for v in (value - mean, value))
    point = {"d": 1, "beta": snr, "beta_star": snr, "sigma": 1.0, "t": t}
    return refuted(point, left, right, "E exp(t|A|) against E exp(t|2w y x_j|)")


def symmetrisation(factor: str = "2") -> Outcome:
    """See :func:`proofs_checks.em.norms.symmetrised`."""
    return symmetrised(factor)


def contraction_of_weight(factor: int = 4) -> Outcome:
    """Compare the exponents, since 0 <= 2w <= 2: |2w u| <= 4|u| [step "pointwise"]."""
    w, u = reals("w u")
    return derived(pointwise=for_all(z3.Abs(2 * w * u) <= factor * z3.Abs(u), w >= 0, w <= 1))


def response_norm(constant: str = "1", norm_power: int = 2) -> Outcome:
    """Z <beta*, X> + V is normal, because <beta*, X> is symmetric, with variance n^2 + s^2.

    E(<beta*, X> + V)^2, <beta*, X> being n times a standard normal variable [step "variance"].
    Here n = ||beta*||, s = sigma.
    """
    n, s, x, v = symbols("n s x v")
    square = normal_moments(normal_moments((n * x + s * v) ** 2, x), v)
    return derived(variance=identity((square, n**norm_power + s**2)), norm=gaussian_norm(constant))


def product_norm(constant: str = "2", noise: int = 1) -> Outcome:
    """By Cauchy-Schwarz |y x_j|_psi1 <= 2 |y|_psi2 |x_j|_psi2 <= 2 sqrt(n^2 + s^2).

    That is at most twice the larger of n^2 + ``noise`` s^2 and 1 [step "larger"; s = sigma].
    """
    u, n, s = reals("u n s")
    square = n * n + noise * s * s
    return derived(
        response=response_norm(),
        larger=for_all(
            2 * u <= rational(constant) * z3.If(square >= 1, square, 1),
            *(u >= 0, u * u == n * n + s * s),
        ),
    )


def fit_norm(power: int = 1, constant: str = "99/32") -> Outcome:
    """B = sum_k x_j x_k beta_k - beta_j has |B|_psi1 <= 2 ||beta||_1 + |beta_j| <= 3 ||beta||_1.

    |x_j x_k|_psi1 <= 2 by Cauchy-Schwarz, and the norm of a constant is its size. Then ||beta||_1
    <= sqrt(d) ||beta||, by induction [step "one norm"], and ||beta|| <= (33/32) ||beta*|| [step
    "sum"].
    """
    own, total, root, norm, n = reals("own total root norm n")
    return derived(
        norm=gaussian_norm(),
        one_norm=one_norm(power),
        sum=for_all(
            2 * total + own <= rational(constant) * root * n,
            *(own >= 0, own <= total, total <= root * norm, root >= 1, n >= 0),
            32 * norm <= 33 * n,
        ),
    )


def maximiser_refuted() -> Outcome:
    """Take n = 1, x = 1, y = -1, w = 1/4: Q_n(b) is convex in b, and Q_n(100) > Q_n(M_n)."""
    x, y, w = Fraction(1), Fraction(-1), Fraction(1, 4)

    def q(b: Fraction) -> Fraction:
        return (-w * (y - x * b) ** 2 + (1 - w) * (y + x * b) ** 2) / 2

    best = (2 * w - 1) * y / x
    point = {"n": 1, "x": 1, "y": -1, "w": 0.25, "M_n": 0.5, "b": 100}
    return refuted(point, q(Fraction(100)), q(best), "Q_n(100) against Q_n(M_n)")


def maximiser(sign: int = 1, times: int = 1) -> Outcome:
    """Write a record's fit as x_j b_j + rest: its part of entry j of the gradient is found so.

    The gradient is mean (2w - 1) y x - mean x x^T b [step "gradient", for each record and entry],
    so that Q_n is concave and is largest where it vanishes [step "zero", mean x x^T = K, d = 2].
    """
    b, x, rest, y, w = sp.symbols("b_j x_j rest y w", real=True)
    fit = x * b + rest
    part = -(w * (y - fit) ** 2 + sign * (1 - w) * (y + fit) ** 2) / 2
    k11, k12, k22, c1, c2 = sp.symbols("k11 k12 k22 c1 c2", real=True)
    K, c = sp.Matrix([[k11, k12], [k12, k22]]), sp.Matrix([c1, c2])
    slopes = c - K * (times * K.inv() * c)
    return derived(
        gradient=identity((sp.diff(part, b), (2 * w - 1) * y * x - x * fit)),
        zero=identity(*((each, 0) for each in slopes)),
    )
