"""EM and the Gaussian mixture: what paper 000 and section 7.2 of the dissertation both state.

Y = Z beta* + N(0, sigma^2 I) with a fair sign Z; q is scaled by sigma^2 like its printed gradient.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from proofs_checks.balls import ball, exp
from proofs_checks.em.norms import gaussian_norm
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import (
    derived,
    every,
    exactly,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.em.models import GaussianMixture


def standard_normal(step: float = 2e-3, reach: float = 12.0) -> tuple[FloatArray, FloatArray]:
    """Trapezoidal nodes and weights for the expectation over N(0, 1).

    For a function that is analytic up to distance a of the real axis the error is about
    exp(-2 pi a/step); tanh(k x) has a = pi/(2k).
    """
    nodes = np.arange(-reach, reach + step / 2, step)
    return nodes, np.exp(-(nodes**2) / 2) * (step / math.sqrt(2 * math.pi))


NODES, WEIGHTS = standard_normal()


def lower_bound_of_likelihood(rng: np.random.Generator, factor: str = "1") -> Outcome:
    """Show that the gap of (1) is the divergence of the two conditional laws of Z.

    With f = k h, f' = k' h', at every z: k' log(f/f') + k' log(k'/k) = k' log(h/h') [step "gap"].
    The integrals over z are the right side of (1), the divergence, and its left side, as k'
    integrates to 1. The divergence is at least the integral of k' - k, 0, by log x <= x - 1:
    x - 1 - log x is smallest at x = 1 [step "tangent"]. Random mixtures are compared [step
    "mixtures"].
    """
    h, other, k, given = symbols("h other k given")  # margins and conditional densities at a z
    claimed = sp.Rational(factor) * given * (sp.log(h) - sp.log(other))
    bound = given * (sp.log(k) + sp.log(h) - sp.log(given) - sp.log(other))
    divergence = given * (sp.log(given) - sp.log(k))
    x = symbols("x")
    worst, tried = -math.inf, 100
    for _ in range(tried):
        y = rng.standard_normal((20, 3)) * rng.exponential()
        first, second = rng.standard_normal((2, 3)) * rng.exponential(2.0)
        gain = _likelihood(y, first) - _likelihood(y, second)
        expected = _expected(y, first, second) - _expected(y, second, second)
        worst = max(worst, expected - float(factor) * gain)
    return derived(
        gap=identity((claimed, sp.expand(bound + divergence))),
        tangent=identity((sp.diff(x - 1 - sp.log(x), x), (x - 1) / x)),
        mixtures=searched(worst, 1e-12, tried=tried, what="right side minus left side"),
    )


def _likelihood(y: FloatArray, beta: FloatArray) -> float:
    exponents = -((y - beta) ** 2).sum(1) / 2, -((y + beta) ** 2).sum(1) / 2
    return float(np.logaddexp(*exponents).mean() - math.log(2))


def _expected(y: FloatArray, beta: FloatArray, given: FloatArray) -> float:
    weight = 1 / (1 + np.exp(-2 * y @ given))
    joint = -((y - beta) ** 2).sum(1) / 2, -((y + beta) ** 2).sum(1) / 2
    return float((weight * joint[0] + (1 - weight) * joint[1]).mean() - math.log(2))


def printed_weight() -> Outcome:
    """One record in one dimension: posterior exp(-.08)/(exp(-.08) + exp(-5.78))."""
    near, far = exp(ball("-0.18")), exp(ball("-5.78"))  # (y -+ beta)^2/(2 sigma^2)
    posterior, printed = near / (near + far), 1 / (1 + exp(ball("-2.8")))
    point = {"beta": 1.0, "y": 0.7, "sigma": 0.5}
    return refuted(point, posterior, printed, "posterior against the printed weight")


def posterior_weight(factor: str = "2", twice: int = 2) -> Outcome:
    """Bayes' rule [step "posterior"], the gradient, and E (2w-1) Y = E Z Y = beta* at beta*.

    The latter because 2w - 1 times the density (p_+ + p_-)/2 is (p_+ - p_-)/2 [step "tilted"], and
    the means are +-beta*; by quadrature in one dimension [step "fixed point"]. Here s = sigma^2.
    """
    bb, yy, by, s = symbols("bb yy by s")  # inner products of beta and y, and sigma^2
    plus, minus = (sp.exp(-(yy - 2 * sign * by + bb) / (2 * s)) for sign in (1, -1))
    weight = 1 / (1 + sp.exp(-sp.Rational(factor) * by / s))
    beta, y, w = sp.symbols("beta y w", real=True)
    q = -w * (y - beta) ** 2 / (2 * s) - (1 - w) * (y + beta) ** 2 / (2 * s)
    share = float(factor) / 2
    worst = max(abs(population_map(snr, snr, share) / snr - 1) for snr in (0.5, 1, 2, 3, 4))
    return derived(
        tilted=identity(((twice * weight - 1) * (plus + minus) / 2, (plus - minus) / 2)),
        posterior=identity((weight, sp.simplify(1 / (1 + sp.exp(sp.log(minus) - sp.log(plus)))))),
        gradient=identity((s * sp.diff(q, beta), (2 * w - 1) * y - beta)),
        fixed_point=searched(worst, 1e-9, tried=5, what="relative move of beta*, SNR 0.5-4"),
    )


def population_map(beta: float, truth: float, factor: float) -> float:
    """E[tanh(factor beta Y) Y] for Y = +-truth + N(0, 1)."""
    y = truth + NODES  # the integrand is even in Y
    return float(np.sum(WEIGHTS * np.tanh(factor * beta * y) * y))


def unbounded_gradient(times: str = "3", least: str = "2") -> Outcome:
    """For beta = e_1 and sigma = 1, on the open set of all y with y_1 > ln 2 and y_2 > 3c.

    With u = e^(y_1) > 2 the printed 2w - 1 is (u - 1)/(u + 1), that of the posterior
    (u^2 - 1)/(u^2 + 1): both exceed 1/3 [step "slope"]. The second coordinate of the gradient is
    (2w - 1) y_2 > c [step "larger"], and an open set has positive probability under a Gaussian
    mixture. In one dimension y > 3 (c + 1) and ln 2 does it [step "one dimension"].
    """
    u, slope, y, c = reals("u slope y c")
    square = u * u
    third = rational("1/3")
    far = rational(times)
    return derived(
        slope=for_all(
            z3.And((u - 1) > third * (u + 1), (square - 1) > third * (square + 1)),
            u > rational(least),
        ),
        larger=for_all(slope * y > c, c >= 0, slope > third, slope < 1, y > far * c),
        one_dimension=for_all(slope * y - 1 > c, c >= 0, slope > third, y > far * (c + 1)),
    )


def mixture_map(beta: FloatArray, truth: FloatArray) -> FloatArray:
    """E[tanh(<beta, Y>) Y] of the unit mixture with parameter ``truth``, by 1-d quadrature."""
    norm = float(np.linalg.norm(beta))
    direction = beta / norm
    # Y = truth + G direction + independent rest of mean zero
    sign = np.tanh(beta @ truth + norm * NODES)
    mean: FloatArray = np.sum(WEIGHTS * sign) * truth + np.sum(WEIGHTS * sign * NODES) * direction
    return mean


def mixture_constants(constant: float = 0.5) -> Outcome:
    """Mu = v = 1: the Hessian of q in its first argument is -1.

    Self-consistency: E (2w-1) Y = E E(Z | Y) Y = E Z Y = beta*, so that the gradient
    E (2w-1) Y - beta of the concave Q(.; beta*) vanishes at beta*. The Lipschitz constant is
    cited; 27 points of the basin at each of four SNR are compared with it.
    """
    beta, y, w = sp.symbols("beta y w", real=True)
    q = -w * (y - beta) ** 2 / 2 - (1 - w) * (y + beta) ** 2 / 2
    worst, tried = 0.0, 0
    for snr in (1.0, 2.0, 3.0, 4.0):
        truth = np.array([snr, 0.0])
        for radius in (0.05, 0.15, 0.25):
            for angle in np.linspace(0, math.pi, 9):
                moved = truth + radius * snr * np.array([math.cos(angle), math.sin(angle)])
                change = float(np.linalg.norm(truth - mixture_map(moved, truth)))
                worst = max(worst, change / (radius * snr) / math.exp(-constant * snr**2))
                tried += 1
    return every(
        identity((sp.diff(q, beta, 2), -1)),
        searched(worst, 1, tried=tried, what="gamma over exp(-C r^2), SNR 1-4"),
    )


def printed_moment() -> Outcome:
    """At beta = beta* + (|beta*|/4) e_1 the mean of the first coordinate alone is too large.

    beta* = SNR (1, ..., 1)/sqrt d, sigma = 1, d = SNR^2: |E (2w-1) Y_1| <= |beta*_1| + 1, so
    E(grad_1)^2 >= (SNR/4 - 1)^2 for either weight, against |beta*|_inf^2 + sigma^2 = 2.
    """
    snr = 4000
    point = {"SNR": snr, "d": snr**2, "beta": "beta* + (|beta*|/4) e_1"}
    least = Fraction(snr // 4 - 1) ** 2
    note = "E(grad_1)^2 at least, against 1000 (|beta*|_inf^2 + sigma^2)"
    return refuted(point, least, Fraction(1000 * 2), note)


def moment_with_radius(radius: int = 1, noise: int = 1) -> Outcome:
    """Let X = (2w-1) y_j: E X^2 <= E y_j^2 = beta*_j^2 + sigma^2 as |2w-1| <= 1.

    The claimed square of the root is |beta*|_inf^2 + ``noise`` sigma^2. With m1 = E X,
    m2 = E X^2 >= m1^2, and |beta_j| <= |beta*|_inf + R,
    E (X - beta_j)^2 = m2 - 2 beta_j m1 + beta_j^2 [step "moment"]. The implementation's bound is
    this one [step "code"]. Here s = sigma, away = R, top = |beta*|_inf.
    """
    m1, m2, b, root, top, away, own, s = reals("m1 m2 b root top away own s")
    bound = root + top + radius * away

    def code() -> Any:
        for truth, reach in (((3.0, 4.0), 2.5), ((0.0, 1.0), 0.5)):
            value = GaussianMixture(1.0).moment_bound(np.array(truth), reach)
            largest = max(map(abs, truth))
            exact = (math.sqrt(largest**2 + 1) + largest + reach) ** 2
            gap = abs(Fraction(value) - Fraction(exact))
            yield {"beta*": list(truth), "R": reach}, gap, Fraction(1, 10**9)

    return derived(
        moment=for_all(
            m2 - 2 * b * m1 + b * b <= bound * bound,
            *(root >= 0, top >= 0, away >= 0, m1 * m1 <= m2, m2 <= own * own + s * s),
            *(own * own <= top * top, root * root == top * top + noise * s * s),
            *(-(top + away) <= b, b <= top + away),
        ),
        code=exactly(code(), note="difference of moment_bound from it, against 1e-9"),
    )


def moment_of_mixture(radius: int = 1) -> Outcome:
    """E(grad_j)^2 <= 4 (||beta*||_inf^2 + sigma^2 + R^2), the tau of the corrected rates.

    grad_j = t y_j - beta_j with |t| <= 1, t = E[Z | y] at beta*: E(t y_j)^2 <= beta*_j^2 + sigma^2;
    E grad_j is M(beta)_j - beta_j, of size at most (1 + iota) R <= 2 R, and the variance is that of
    t y_j. Here s = sigma, n = ||beta*||_inf.
    """
    square, mean, n, s, big_r = reals("square mean n s R")
    tau = 4 * (n * n + s * s + radius * big_r * big_r)
    return for_all(
        square + mean * mean <= tau,
        *(square >= 0, square <= n * n + s * s, big_r >= 0, mean <= 2 * big_r, mean >= 0),
    )


def rooted_condition(note: str) -> Outcome:
    """Put |beta*|_inf^2 + sigma^2 for tau and |beta*|/4 for R, without what both share."""
    norm = Fraction(10**6)
    point = {"|beta*|": float(norm), "sigma": float(norm), "d": 1}
    demanded = 2 * norm**2 / (norm / 4) ** 2
    rooted = Fraction(3, 2) * norm / norm**2  # sqrt 2 <= 3/2
    return refuted(point, demanded, 1000 * rooted, note)


def homogeneous_condition(
    dimension_power: int = 2, size: int = 1, norm_power: int = 2, epsilon_power: int = 1,
    delta_power: str = "", *, full: bool = False,
) -> Outcome:  # fmt: skip
    """Put tau = (sqrt(B^2 + sigma^2) + B + R)^2, R = S/4 and B = |beta*|_inf into (24).

    (24) is 16 d^2 tau sqrt(L Lambda)/(epsilon S^2) then, up to (v - gamma)^2 and T, (7.62) with all
    records in every step the same with L Lambda/epsilon^2 [step "radius"];
    96 d^2 (B^2 + sigma^2 + S^2) is at least 16 d^2 tau [step "moment"; top = B, noise = sigma].
    """
    big, size_of_l, epsilon, norm, moment = symbols("L Lambda epsilon S moment")
    usual = 1 if full else sp.Rational(1, 2)
    in_general = moment * (big * size_of_l) ** usual / (epsilon ** (2 if full else 1))
    in_general /= (norm / 4) ** 2
    power = sp.Rational(delta_power or str(usual))
    claimed = 16 * moment * (big * size_of_l) ** power / (epsilon**epsilon_power * norm**norm_power)
    root, top, s, d, noise = reals("root top s d noise")
    tau = (root + top + s / 4) * (root + top + s / 4)
    bound = 96 * d**dimension_power * (top * top + noise * noise + size * s * s)
    return derived(
        radius=identity((in_general, claimed)),
        moment=for_all(
            16 * d * d * tau <= bound,
            *(d >= 1, root >= 0, top >= 0, s > 0, noise >= 0),
            root * root == top * top + noise * noise,
        ),
    )


# ---------------------------------------------------------------- Lemma 19 and its proof


def tanh_variable(snr: float, factor: float = 1.0) -> FloatArray:
    """tanh(factor Y beta) Y at the nodes, for d = 1, beta = beta* = snr, sigma = 1."""
    y = snr + NODES
    value: FloatArray = np.tanh(factor * snr * y) * y
    return value


def norm_of_bounded() -> Outcome:
    """(|beta*_j| + .8 sigma)^2 <= 2 (beta*_j^2 + sigma^2): K^2 of any X with |X| <= |y_j|."""
    return norm_of_coordinate("2")


def mgf_of_bounded(constant: str = "16", noise: int = 1) -> Outcome:
    """E exp(t (X - E X)) <= exp(C t^2 (beta*_j^2 + ``noise`` sigma^2)) for any X, |X| <= |y_j|.

    K = |X|_psi2 <= |y_j|_psi2 <= |beta*_j| + .8 sigma, K^2 <= 2 (beta*_j^2 + sigma^2)
    [step "norm"]. With an independent copy X' the left side is at most E exp(t (X - X')), whose
    even moments are at most (2 K sqrt(2p))^(2p); over (2p)! >= p! p^p that is (8 K^2)^p/p! [step
    "series"], and the sum is exp(8 K^2 t^2) [step "exponent"].
    """
    p, k = symbols("p K")
    square, b, s = reals("square b s")
    return derived(
        norm=norm_of_bounded(),
        series=identity(
            (
                sp.expand_log(2 * p * sp.log(2 * k * sp.sqrt(2 * p)) - p * sp.log(p), force=True),
                sp.expand_log(p * sp.log(8 * k**2), force=True),
            )
        ),
        exponent=for_all(
            8 * square <= rational(constant) * (b * b + noise * s * s),
            *(square >= 0, square <= 2 * (b * b + s * s)),
        ),
    )


def centred_gradient(constant: str = "16", noise: int = 1) -> Outcome:
    """X = (2w-1) y_j has |X| <= |y_j|, see :func:`mgf_of_bounded` [step "bounded"].

    Here s = sigma. At beta = beta* in one dimension the constant that is needed is found by
    quadrature [step "needed"].
    """
    worst, tried = 0.0, 0
    for snr in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
        value = tanh_variable(snr)
        centred = value - WEIGHTS @ value
        for t in (-1.0, -0.01, 0.3, 1.0):
            log_mgf = math.log(float(WEIGHTS @ np.exp(t * centred)))
            worst = max(worst, log_mgf / (t**2 * (snr**2 + 1)))
            tried += 1
    needed = "log E exp(tU)/(t^2 (snr^2 + 1))"
    return derived(
        bounded=mgf_of_bounded(constant, noise),
        needed=searched(worst, float(constant), tried=tried, what=needed),
    )


def _symmetrised(times: float, t: float, factor: float) -> float:
    """E exp(t|X - E X|) - E exp(times t|X|) over t in two dimensions, X = (2w - 1) Y_2."""
    nodes, weights = standard_normal(0.04, 8.0)
    truth = np.array([1.0, 0.0])
    beta = truth + 0.25 * np.array([math.cos(0.75 * math.pi), math.sin(0.75 * math.pi)])
    norm = float(np.linalg.norm(beta))
    u = beta / norm
    along, across = nodes[:, None], nodes[None, :]
    second = truth[1] + u[1] * along + u[0] * across  # with the orthogonal direction (-u2, u1)
    law = weights[:, None] * weights[None, :]
    value = np.tanh(factor * (beta @ truth + norm * along)) * second
    centred = np.abs(value - float(np.sum(law * value)))
    left, right = (np.expm1(v) for v in (t * centred, times * t * np.abs(value)))
    return float(np.sum(law * (left - right))) / t


def symmetrised_gradient() -> Outcome:
    """D = 2, beta* = e_1, beta = beta* + (cos 135, sin 135)/4, j = 2, posterior weight."""
    t = 0.01
    point = {"beta*": [1, 0], "beta": "beta* + (cos 135, sin 135)/4", "j": 2, "t": t}
    return refuted(point, _symmetrised(1, t, 1.0), 0.0, "(left - right)/t")


def contracted(factor: str = "2") -> Outcome:
    """|2w - 1| <= 1, so |eps (2w - 1) y| <= |y|: the factor 2 is not even needed."""
    weight, y = reals("weight y")
    return for_all(z3.Abs(weight * y) <= rational(factor) * z3.Abs(y), weight <= 1, weight >= -1)


def norm_of_coordinate(constant: str = "1.64", noise: int = 1, mean: int = 1) -> Outcome:
    """|y_j|_psi2 <= |beta*_j| + sigma |g|_psi2, and |g|_psi2 <= .8 for a standard normal g.

    Here a = |beta*_j|, s = sigma.
    """
    a, s = reals("a s")
    claimed = rational(constant) * (mean * a * a + noise * s * s)
    return derived(
        normal=gaussian_norm("0.8"),
        sum=for_all((a + rational("0.8") * s) ** 2 <= claimed, a >= 0, s >= 0),
    )


def mgf_of_coordinate(constant: str = "1/2", power: int = 2) -> Outcome:
    """E exp(u y_j) = cosh(u beta*_j) exp(u^2 sigma^2/2), by a square [step "normal"]: C = 1/2.

    The logarithm of the bound less that of the mean is 0 at beta*_j = 0, and so is its slope in
    beta*_j [step "at 0"], which increases: its own slope is u^2 tanh^2 [step "cosh"].
    """
    u, x, b = sp.symbols("u x b", real=True)
    sigma = symbols("sigma")
    exponent = u * x - x**2 / (2 * sigma**2)
    square = -((x - u * sigma**2) ** 2) / (2 * sigma**2)
    gap = u**2 * sp.Rational(constant) * (b**power + sigma**2)
    gap -= sp.log(sp.cosh(u * b)) + u**2 * sigma**2 / 2
    return derived(
        normal=identity((exponent, square + u**2 * sigma**2 / 2)),
        at_0=identity((gap.subs(b, 0), 0), (sp.diff(gap, b).subs(b, 0), 0)),
        cosh=identity((sp.diff(gap, b, 2), u**2 * sp.tanh(u * b) ** 2)),
    )


def mgf_of_size(constant: str = "2", signs: int = 2, power: int = 2) -> Outcome:
    """e^|x| <= e^x + e^-x, and both means are at most exp((2t)^2 (beta*_j^2 + sigma^2)/2)."""
    t, b, s = symbols("t b s")
    doubled = sp.exp((2 * t) ** 2 * (b**2 + s**2) / 2)
    claimed = sp.exp(t**2 * sp.Rational(constant) * (b**power + s**2))
    return derived(
        each_sign=mgf_of_coordinate(),
        both=identity((2 * doubled, signs * claimed)),
    )


def absolute_mgf() -> Outcome:
    """U = tanh(Y) Y - E, d = 1, beta = beta* = sigma = 1: the left side is at least 1 + t E|U|."""
    value = tanh_variable(1.0)
    mean = float(WEIGHTS @ np.abs(value - WEIGHTS @ value))
    t, constant = 1e-6, 1000.0
    point = {"beta*": 1.0, "beta": 1.0, "sigma": 1.0, "t": t, "C": constant}
    note = "E exp(t|U|) - 1 at least, against exp(C t^2 (beta*^2 + sigma^2)) - 1"
    return refuted(point, t * mean, math.expm1(2 * constant * t**2), note)
