"""Seed 004, section 3.2: the numbered statements on low-dimensional heavy-tailed optimisation.

Definitions 3.2.1-3.2.2, Assumptions 3.2.1-3.2.5, Theorems 3.2.1-3.2.8 with their proofs, Lemmas
3.2.1-3.2.5 and 3.2.9-3.2.11, Remark 3.2.1, (3.60)-(3.82) and (3.85)-(3.100). Theorem 3.2.3,
Definition 3.2.3, Lemmas 3.2.6-3.2.8, (3.83) and (3.84) are in
:mod:`proofs_checks.statements.trimmed_mean`; what seed 000 says in the same words is checked by its
statement there. (3.69)-(3.71) are notation. The experiments of section 3.2.5 are not numbered.

Notation: L(w) population risk, h = L(w) - L(w*), beta its smoothness and alpha its strong
convexity, a = log(1/delta), te = tilde-epsilon, l = log(1/delta'), b the precision of the
smoothing (the seed's second beta), Lambda the diameter of the estimates (the seed's W has Delta).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
from mpmath import iv
from scipy import optimize, stats
from scipy.special import ndtr

from proofs_checks.intervals import (
    Interval,
    Subdivision,
    interval,
    iv_ndtr,
    lower,
    prove_nonnegative,
    upper,
)
from proofs_checks.old_statement import Check, Outcome, Statement
from proofs_checks.statements import em
from proofs_checks.statements.peeling import gaussian_delta
from proofs_checks.statements.sco_high_dimensional import (
    catoni_bound,
    concentration_proved,
    degree,
    monomial,
    substitute,
    times,
    two_point_failure,
)
from proofs_checks.statements.trimmed_mean import (
    ARSINH_NORMAL_SD,
    floor_variance,
    needed_delta,
)
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.errata.heavy_tailed import known_mean_gradient_descent as known_mean_errata
from reference.errata.heavy_tailed import known_variance_gradient_descent as known_variance_errata
from reference.heavy_tailed import known_variance_gradient_descent as known_variance
from reference.heavy_tailed.baselines import projected_gradient_descent
from reference.heavy_tailed.known_mean_gradient_descent import (
    known_mean_gradient_descent,
    trimming_budget,
)
from reference.heavy_tailed.private_mean import Constants as MeanConstants
from reference.heavy_tailed.private_mean import constants_for_lemma_1
from reference.heavy_tailed.sample_and_aggregate import (
    Constants,
    centre_of_attention,
    constants_for,
    majority,
    radii,
    smooth_bound,
)
from reference.heavy_tailed.trimmed_mean import smooth_sensitivity, trim_count
from reference.heavy_tailed.truncation import (
    correction,
    mean_sensitivity,
    smoothed_truncation,
    truncated_mean,
)
from reference.losses import Huber, Logistic, Ridge, SquaredDistance, SquaredError, empirical_risk
from reference.privacy.guarantees import zcdp_epsilon, zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.mechanisms import SmoothSensitivity

Random = np.random.Generator


def _refuted(refuted: bool, detail: str, witness: dict[str, Any]) -> Outcome:
    return Outcome(not refuted, "refuted with witness", detail, witness)


def _same_as(key: str) -> Check:
    """Return the check of what seed 000 says in the same words, or of its corrected form."""
    (statement,) = (s for s in em.STATEMENTS if s.key == key)
    check = statement.corrected_check or statement.check
    if check is None:
        raise ValueError(f"{key} has no check")
    return check


def _listed(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def _fraction(rng: Random) -> Fraction:
    return Fraction(int(rng.integers(-20, 21)), int(rng.integers(1, 10)))


# ====================================================== sub-exponential laws, Assumption 3.2.4


def laplace_is_subexponential(multiple: str) -> Subdivision:
    """Prove that a Laplace variable of scale 1 is tau-sub-exponential at tau = ``multiple``.

    Its moment generating function is 1/(1 - x), x = lambda^2, and x <= 1/tau^2.
    """
    tau = interval(multiple)
    half = tau**2 / 2
    return prove_nonnegative(
        lambda x: half * x + iv.log(1 - x),
        [(0, float(upper(1 / tau**2)))],
        gradient=lambda x: [half - 1 / (1 - x)],
    )


def _subexponential(rng: Random) -> Outcome:
    del rng
    proof, too_small = laplace_is_subexponential("2"), laplace_is_subexponential("1.5")
    # a normal variable of variance tau^2: E exp(lambda X) = exp(tau^2 lambda^2/2) exactly
    smallest = 1 / math.sqrt(-math.expm1(-0.5))
    return Outcome(
        bool(proof) and too_small.refuted,
        "proved by interval arithmetic",
        "N(0, tau^2) is, with equality for every lambda; a Laplace variable of scale 1 at tau = 2 "
        f"({proof.describe()}), not at 1.5; it is from {smallest:.3f} on",
    )


def _second_moment(rng: Random) -> Outcome:
    """Var X <= 2 (E cosh(lambda (X - mu)) - 1)/lambda^2 <= 2 (exp(tau^2 lambda^2/2) - 1)/lambda^2.

    At lambda -> 0 that is tau^2. E X^2 = Var X + mu^2.
    """
    worst = 0.0
    laws = 0
    for _ in range(100):
        size = int(rng.integers(2, 6))
        law, values = rng.dirichlet(np.ones(size)), rng.standard_t(2, size)
        mean = float(law @ values)
        tau = _smallest_tau(law, values - mean)
        worst = max(worst, float(law @ (values - mean) ** 2) / tau**2)
        laws += 1
    return Outcome(
        0.5 < worst <= 1 + 1e-6,
        "checked by search",
        "E X^2 <= tau^2 + max(a^2, b^2), since Var X <= tau^2; the smallest tau of "
        f"{laws} random laws, on a grid of lambda: Var X at most {worst:.4f} tau^2",
    )


def _smallest_tau(law: FloatArray, centred: FloatArray) -> float:
    """Smallest tau with log E exp(lambda X) <= tau^2 lambda^2/2 for |lambda| <= 1/tau."""

    def excess(tau: float) -> float:
        rates = np.concatenate([-np.geomspace(1e-3, 1, 60), np.geomspace(1e-3, 1, 60)]) / tau
        moments = np.exp(rates[:, None] * centred) @ law
        return float((np.log(moments) - tau**2 * rates**2 / 2).max())

    spread = float(np.abs(centred).max())
    # by Hoeffding's lemma max|X| will do, and much less than the deviation will not
    return float(optimize.brentq(excess, 0.1 * float(np.sqrt(law @ centred**2)), 1.1 * spread))


# ============================================================ sample and aggregate: Theorem 3.2.1


def scaled_gaussian_delta(dimension: int, epsilon: float, shift: float, log_scale: float) -> float:
    """Exact delta of N(0, I) from N(shift e_1, e^{2u} I) at epsilon, u = ``log_scale`` not 0.

    With c = e^{-2u}, the loss (c |x - shift e_1|^2 - |x|^2)/2 + d u exceeds epsilon on the outside
    (c > 1) or inside of a ball, whose probabilities are those of non-central chi^2 variables.
    """
    c = math.exp(-2 * log_scale)
    square = (2 * (epsilon - dimension * log_scale) + c * shift**2 / (c - 1)) / (c - 1)
    near, far = (c * shift / (c - 1)) ** 2, c * (shift / (c - 1)) ** 2
    if square <= 0:  # an empty ball: for c > 1 it would be larger, both laws having mass 1
        return 0.0
    tail = stats.ncx2.sf if c > 1 else stats.ncx2.cdf
    first, second = tail(square, dimension, near), tail(c * square, dimension, far)
    return float(first - math.exp(epsilon) * second)


def worst_share_of_delta(dimension: int, epsilon: float, delta: float, smoothness: float) -> float:
    """Return the largest exact delta(epsilon)/delta if log S moves by ``smoothness`` beta.

    The centre moves by at most the smaller of S and S', the noise is S/gamma.
    """
    log_term = math.log(2 / delta)  # step 1, also where it does not suffice
    constants = Constants(
        divisor=epsilon / (5 * math.sqrt(2 * log_term)),
        decay=epsilon / (4 * (dimension + log_term)),
    )
    worst = 0.0
    for part, share in product((-1.0, -0.5, 0.5, 1.0), (1e-6, 0.5, 1.0)):
        u = part * smoothness * constants.decay
        shift = share * constants.divisor * min(1.0, math.exp(u))
        worst = max(worst, scaled_gaussian_delta(dimension, epsilon, shift, u) / delta)
    return worst


def centre_and_bound(
    points: FloatArray, touched: int, *, decay: float, diameter: float
) -> tuple[FloatArray, float]:
    """Return g and S of Algorithm 3.2.5."""
    distances = radii(points)
    bound = smooth_bound(distances, touched, decay=decay, diameter=diameter)
    centre: FloatArray = points[centre_of_attention(distances, touched)]
    return centre, bound


def smoothness_violation(
    first: FloatArray, second: FloatArray, touched: int, decay: float
) -> tuple[float, float]:
    """Return |log S - log S'|/beta and |g - g'|/min(S, S') of two sets of points.

    Lambda is the largest distance in either, the smallest that is allowed.
    """
    diameter = max(float(radii(side)[:, -1].max()) for side in (first, second))
    (g, bound), (other_g, other_bound) = (
        centre_and_bound(side, touched, decay=decay, diameter=diameter) for side in (first, second)
    )
    moved = float(np.linalg.norm(g - other_g))
    return abs(math.log(bound / other_bound)) / decay, moved / min(bound, other_bound)


def _points(rng: Random, m: int, d: int) -> FloatArray:
    """Draw points of norm <= 50: Cauchy, two clusters, shells on few axes, or all at one place."""
    kind = int(rng.integers(4))
    if kind == 0:
        points = rng.standard_cauchy((m, d))
    elif kind == 1:
        points = rng.normal(0, 0.1, (m, d)) + rng.choice([0.0, 20.0], (m, 1))
    elif kind == 2:
        points = np.exp(rng.uniform(0, 3, (m, 1))) * np.eye(d)[rng.integers(d, size=m)]
        points[: m // 2] = 0.0
    else:
        points = np.zeros((m, d))
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    scaled: FloatArray = points * np.minimum(1, 50 / np.maximum(norms, 1e-300))
    return scaled


def shells(count: int, touched: int, decay: float) -> tuple[FloatArray, FloatArray]:
    """Return q points at 0 with s per shell around them, and the same with s of the q moved out.

    Every other point is on an axis of its own, at radius 1, e^beta, e^{2 beta}, then e^{3 beta}.
    """
    inner = math.ceil(touched / decay)
    layer = np.minimum(np.arange(count - inner) // touched, 3)
    first = np.zeros((count, count))
    first[inner:, inner:] = np.diag(np.exp(decay * layer))
    second = first.copy()
    second[:touched, :touched] = math.exp(5 * decay) * np.eye(touched)
    return first, second


def _aggregate_privacy(rng: Random) -> Outcome:
    """Search for pairs beyond the proved bounds, and evaluate the Gaussians exactly.

    S' <= e^{2 beta} S and |g - g'| <= S are proved at
    :func:`reference.heavy_tailed.sample_and_aggregate.smooth_bound`.
    """
    rough = moved = 0.0
    pairs = 600
    for _ in range(pairs):
        s, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        decay = float(rng.choice([0.15, 0.3, 0.5]))
        m = int(2 * math.ceil(s / decay) + rng.integers(2 * s, 40))
        first = _points(rng, m, d)
        second = first.copy()
        some = rng.permutation(m)[:s] if rng.random() < 0.5 else np.arange(s)
        second[some] = _points(rng, s, d) * float(rng.choice([1.0, 50.0]))
        second[some] /= np.maximum(1, np.linalg.norm(second[some], axis=1, keepdims=True) / 50)
        found = smoothness_violation(first, second, s, decay)
        rough, moved = max(rough, found[0]), max(moved, found[1])
    shell = smoothness_violation(*shells(100, 5, 0.1), 5, 0.1)
    shares = {
        delta: max(
            worst_share_of_delta(d, epsilon, delta, 2.0)
            for d, epsilon in product((1, 2, 10, 100), (0.1, 1.0))
        )
        for delta in (1e-2, 1e-5, 1e-10, 1e-14)
    }
    beyond = worst_share_of_delta(1, 1.0, 1e-30, 2.0)
    return Outcome(
        1 < max(rough, shell[0]) <= 2 + 1e-9 and moved <= 1 + 1e-9 and max(shares.values()) <= 1,
        "checked by search",
        f"{pairs} pairs: |log S/S'| <= {rough:.3f} beta (shells {shell[0]:.3f} beta: 2 beta-smooth,"
        f" not beta), |g - g'| <= {moved:.3f} S; exact delta over delta at 2 beta: "
        + ", ".join(f"{share:.2g} ({delta:g})" for delta, share in shares.items())
        + f"; the constants do not suffice for 2 beta at delta = 1e-30: {beyond:.2g}",
    )


def _aggregate_noise(rng: Random) -> Outcome:
    """Bound S by 2 max(2r, Lambda e^{-beta K}) if 3/4 of the points lie within r of c.

    A point of these has r_i(t) <= 2r for t <= 3m/4, and there are at least q of them. K counts
    the k >= 0 with t_0 + (k+1) s <= 3m/4. The ball around g holds more than half of the points,
    hence one of these: |g - c| <= 3r.
    """
    worst = off = 0.0
    for _ in range(200):
        s, d, r = int(rng.integers(1, 5)), int(rng.integers(1, 40)), 10 ** rng.uniform(-3, 0)
        decay = float(rng.choice([0.1, 0.3, 0.5]))
        m = 4 * math.ceil(s / decay) + int(rng.integers(4 * s, 60))
        good = math.ceil(0.75 * m)
        directions = rng.standard_normal((m, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        points = directions * np.where(np.arange(m) < good, r, rng.uniform(1, 50, m))[:, None]
        steps = max(0, (good - majority(m, s)) // s)
        g, bound = centre_and_bound(points, s, decay=decay, diameter=100.0)
        worst = max(worst, bound / (2 * max(2 * r, 100 * math.exp(-decay * steps))))
        off = max(off, float(np.linalg.norm(g)) / (3 * r))
    # s = sqrt m: beta K >= beta (sqrt(m)/4 - 5/2), beta = epsilon/(4 (d + log(2/delta)))
    least = min(
        (math.ceil(0.75 * m) - majority(m, math.isqrt(m))) // math.isqrt(m) - math.sqrt(m) / 4 + 2.5
        for m in range(16, 20_000)
    )
    return Outcome(
        0.3 < worst <= 1 + 1e-9 and off <= 1 + 1e-9 and least >= 0,
        "checked by search",
        f"S <= 2 max(2r, Lambda e^(-beta K)) (largest share {worst:.3f}) and |g - c| <= 3r (share "
        f"{off:.3f}) in 200 cases; K >= sqrt(m)/4 - 5/2 for every m from 16 to 20000. The O hides "
        "1/gamma = 5 sqrt(2 log(2/delta))/epsilon and the Omega d/(d + log(2/delta))",
    )


# ----------------------------------------------------------- (3.60), Lemmas 3.2.1, 3.2.4 and 3.2.5


def share_of_good_blocks(m: int, probability: float) -> float:
    """P(at least 3/4 of m independent blocks are good), each with the given probability."""
    return float(stats.binom.sf(math.ceil(0.75 * m) - 1, m, probability))


def _fixed_data(rng: Random) -> Outcome:
    del rng
    holds = {m: share_of_good_blocks(m, 0.75) for m in (100, 400, 10_000)}
    return _refuted(
        max(holds.values()) < 0.6,
        "disjoint blocks, each good with probability exactly 3/4: the share of good ones in the "
        "given D is 3/4 or more only with probability "
        + ", ".join(f"{p:.3f} (m = {m})" for m, p in holds.items()),
        {"probability that (3.60) holds for D": {str(m): p for m, p in holds.items()}},
    )


def _fixed_data_repaired(rng: Random) -> Outcome:
    del rng
    sharper = 97 / 120  # Lemma 3.2.1 with the constant 40, see there
    worst = 0.0
    for m, p in product((50, 100, 400, 2000), (0.78, sharper, 0.9)):
        failure = 1 - share_of_good_blocks(m, p)
        worst = max(worst, failure / math.exp(-2 * m * (p - 0.75) ** 2))
    at = 1 - share_of_good_blocks(400, sharper)
    return Outcome(
        0 < worst <= 1,
        "checked at high precision",
        f"exact binomial failure at most {worst:.3f} of exp(-2m(p - 3/4)^2), 12 cases; at "
        f"p = 97/120 and m = 400 it is {at:.2g}",
    )


def _both_events(markov: Fraction) -> Fraction:
    """Least P(both) for a Markov event with this factor and one of probability 5/6."""
    return 1 - 1 / markov - Fraction(1, 6)


def _union_printed(rng: Random) -> Outcome:
    del rng
    both = _both_events(Fraction(10))
    return _refuted(
        both < Fraction(3, 4),
        f"disjoint failures of probability 1/10 and 1/6: both events hold with probability {both} "
        f"= {float(both):.4f} < 3/4 (the product 9/10 x 5/6 = 3/4 needs independence)",
        {"P(A)": "9/10", "P(B)": "5/6", "P(A and B)": str(both)},
    )


def _union_repaired(rng: Random) -> Outcome:
    """Strong convexity: alpha |w_D - w*|^2 <= <grad(w_D) - grad(w*), w_D - w*>.

    The optimum has <grad(w_D), w_D - w*> <= 0, so |w_D - w*| <= |grad(w*)|/alpha, half of what the
    proof gets: Markov's inequality with 40 keeps the constant 40, and the lemma as stated.
    """
    twelve, sharper = _both_events(Fraction(12)), _both_events(Fraction(40))
    worst = 0.0
    for _ in range(15):
        alpha, ball = float(rng.uniform(0.3, 2)), L2Ball(float(rng.uniform(0.3, 5)))
        features = rng.standard_normal((20, 2))
        records = features, rng.choice([-1.0, 1.0], 20)
        loss = Ridge(Logistic(feature_bound=math.inf), alpha)
        smoothness = alpha + float((features**2).sum(axis=1).mean()) / 4
        found = projected_gradient_descent(
            records,
            loss,
            ball,
            initial=np.zeros(2),
            step_size=1 / smoothness,
            n_iterations=500,
        )
        point = ball.project(rng.standard_normal(2))
        slope = loss.gradients(records, point).mean(axis=0)
        distance = float(np.linalg.norm(found - point))
        worst = max(worst, alpha * distance / float(np.linalg.norm(slope)))
    return Outcome(
        twelve == Fraction(3, 4) and sharper > Fraction(3, 4) and worst <= 1 + 1e-5,
        "proved exactly",
        f"11/12 + 5/6 - 1 = {twelve}; and with |w_D - w*| <= |grad(w*)|/alpha (at most {worst:.4f} "
        f"of it in 15 ridge-logistic fits on balls) the 40 itself holds with probability {sharper}",
    )


def affine_excess(offset: float, beta: float) -> float:
    """Return |f'(0)|^2 - 4 beta f(0) for f(w) = w + offset, non-negative on W = [0, 1]."""
    return 1.0 - 4 * beta * offset


def _self_bounding_printed(rng: Random) -> Outcome:
    del rng
    # the gradient is constant, so f is beta-smooth for every beta > 0
    excess = [affine_excess(0.0, beta) for beta in (1e-6, 1.0, 1e6)]
    return _refuted(
        min(excess) > 0,
        "f(w) = w on W = [0, 1]: f >= 0 and smooth for every beta > 0, but |f'(0)|^2 = "
        f"{excess[0]:g} > 4 beta f(0) = 0",
        {"f": "w", "W": [0, 1], "w": 0.0, "excess": excess},
    )


def self_bounding_ratio(rng: Random, runs: int = 200) -> float:
    """Return the largest |grad f|^2/(2 beta f) of non-negative smooth losses on R^d."""
    worst = 0.0
    for _ in range(runs):
        features, w = rng.standard_normal((1, 3)), 3 * rng.standard_normal(3)
        square = float((features**2).sum())
        label = np.array([float(rng.standard_t(2))])
        for loss, curvature, y in (
            (SquaredError(), 2.0, label),
            (Logistic(), 0.25, np.sign(label)),
            (Huber(), 1.0, label),
        ):
            value = float(loss.values((features, y), w)[0])
            gradient = loss.gradients((features, y), w)[0]
            if value > 1e-300:
                worst = max(worst, float(gradient @ gradient) / (2 * curvature * square * value))
    return worst


def _self_bounding(rng: Random) -> Outcome:
    """0 <= f(w - g/beta) <= f(w) - |g|^2/beta + |g|^2/(2 beta), with g = grad f(w)."""
    grid = [Fraction(k, 3) for k in range(1, 5)]
    identity = all(
        -(g**2) / beta + beta / 2 * (g / beta) ** 2 == -(g**2) / (2 * beta)
        for g, beta in product(grid, grid)
    )
    worst = self_bounding_ratio(rng)
    return Outcome(
        identity and 0.999 < worst <= 1 + 1e-12,
        "proved exactly",
        "an exact identity, and constant 2; squared, logistic and Huber losses: |grad f|^2 at most "
        f"{worst:.6f} of 2 beta f (200 cases; the squared loss attains it)",
    )


def _mean_of_vectors(rng: Random) -> Outcome:
    """Enumerate n = 3 copies of a random zero-mean vector with three values in Q^2."""
    cases = 20
    for _ in range(cases):
        weights = [Fraction(int(k)) for k in rng.integers(1, 9, 3)]
        law = [w / sum(weights) for w in weights]
        values = [[_fraction(rng), _fraction(rng)] for _ in range(3)]
        means = [
            sum((p * v[j] for p, v in zip(law, values, strict=True)), Fraction(0)) for j in (0, 1)
        ]
        centred = [[v[j] - means[j] for j in (0, 1)] for v in values]
        single = sum(
            (p * (c[0] ** 2 + c[1] ** 2) for p, c in zip(law, centred, strict=True)), Fraction(0)
        )
        total = Fraction(0)
        for picks in product(range(3), repeat=3):
            probability = law[picks[0]] * law[picks[1]] * law[picks[2]]
            mean = [sum((centred[i][j] for i in picks), Fraction(0)) / 3 for j in (0, 1)]
            total += probability * (mean[0] ** 2 + mean[1] ** 2)
        if total != single / 3:
            return Outcome(False, "proved exactly", f"{total} for {single / 3}")
    return Outcome(
        True,
        "proved exactly",
        f"with equality: the cross terms vanish ({cases} rational laws, n = 3)",
    )


# ------------------------------------------------------------------- Theorem 3.2.2, Remark 3.2.1


def rare_features(p: float) -> dict[str, float]:
    """Moments at w* = 0 of l = (xw - y)^2, x^2 = 1/p with probability p else 0, y = x xi."""
    x = 1 / math.sqrt(p)
    outcomes = [(p / 2, x, x), (p / 2, x, -x), (1 - p, 0.0, 0.0)]
    return {
        "smoothness": sum(q * 2 * x**2 for q, x, _ in outcomes),
        "risk": sum(q * y**2 for q, _, y in outcomes),
        "gradient": sum(q * (2 * x * y) ** 2 for q, x, y in outcomes),
    }


def block_error(p: float) -> float:
    """Return B E w^2 of block ERM with B = 40/p records: B E[1/N; N > 0], N ~ Bin(B, p)."""
    size = round(40 / p)
    counts = np.arange(1, size + 1)
    return size * float(stats.binom.pmf(counts, size, p) @ (1 / counts))


def released_variance(rng: Random, p: float, m: int = 400) -> float:
    """Variance of the noise of Algorithm 3.2.5 on m such blocks, times n/(beta/alpha)^2.

    epsilon = 1, delta = 1e-3, alpha = 1 (20 of the 40 expected features), Lambda = 2.
    """
    size = round(40 / p)
    counts = rng.binomial(size, p, m)
    sums = 2.0 * rng.binomial(counts, 0.5) - counts
    estimates = (sums / np.maximum(counts, 1))[:, None]
    constants = constants_for(epsilon=1.0, delta=1e-3, dimension=1)
    _, bound = centre_and_bound(estimates, 1, decay=constants.decay, diameter=2.0)
    return float((bound / constants.divisor) ** 2 * m * size / 4)


def _risk_factor_printed(rng: Random) -> Outcome:
    parameters = (0.1, 0.01, 0.001)
    moments = [rare_features(p) for p in parameters]
    errors = [block_error(p) for p in parameters]
    spent = [released_variance(rng, p) for p in parameters]
    grows = all(later > 5 * sooner for sooner, later in pairwise(spent))
    return _refuted(
        moments[1]["gradient"] > 4 * moments[1]["smoothness"] * moments[1]["risk"] and grows,
        "l = (xw - y)^2, x^2 = 1/p with probability p, else 0, y = x xi: beta = 2, L(w*) = 1; at "
        f"p = .1, .01, .001 E|grad|^2 = {_listed(m['gradient'] for m in moments)} (claimed <= 8), "
        f"B E w^2 of block ERM = {_listed(errors)}; excess risk of the noise alone over "
        f"(beta/alpha)^2 d^3 L(w*)/(n epsilon^4), 400 blocks: {_listed(spent)}",
        {
            "p": list(parameters),
            "E|grad|^2": [m["gradient"] for m in moments],
            "B E w^2": errors,
            "ratio to (3.62)": spent,
        },
    )


def _risk_factor_repaired(rng: Random) -> Outcome:
    """Follow the powers of d, n and epsilon at m = d^2/epsilon^2.

    excess <= (beta/2)(|g - w*| + sd |u|)^2, |g - w*| <= 3r, sd <= (20/epsilon) sqrt(2 log(2/delta))
    r, |u|^2 about d, r^2 = 40 m E|grad l(w*, x)|^2/(n alpha^2), and E|grad l|^2 <= 2 beta' L(w*).
    """
    radius = substitute(monomial("m^1/2 n^-1/2"), m=monomial("d^2 epsilon^-2"))
    excess = times((radius, 2), (monomial("d epsilon^-2"), 1))
    worst = 0.0
    for _ in range(50):
        features, w = rng.standard_normal((30, 2)), rng.standard_normal(2)
        features /= np.maximum(1, np.linalg.norm(features, axis=1, keepdims=True))
        labels = features @ w + rng.standard_t(2, 30)
        loss, data = SquaredError(), (features, labels)
        moment = float((loss.gradients(data, w) ** 2).sum(axis=1).mean())
        # |x| <= 1: every l(., x) is 2-smooth
        worst = max(worst, moment / (2 * 2 * empirical_risk(loss, data, w)))
    return Outcome(
        excess == monomial("d^3 n^-1 epsilon^-4") and 0 < worst <= 1 + 1e-12,
        "checked by search",
        "d^3/(n epsilon^4) follows; 50 regressions with |x| <= 1 (beta' = 2): E|grad|^2 at most "
        f"{worst:.3f} of 2 beta' L(w)",
    )


def noiseless_bound(m: int, epsilon: float, delta: float) -> tuple[float, float, int]:
    """Return S of m equal estimates (d = 1, s = 1, Lambda = 1), the formula for it, and K."""
    constants = constants_for(epsilon=epsilon, delta=delta, dimension=1)
    _, found = centre_and_bound(np.zeros((m, 1)), 1, decay=constants.decay, diameter=1.0)
    steps = m - majority(m, 1)
    return found, 2 * math.exp(-constants.decay * steps), steps


def _exact_recovery(rng: Random) -> Outcome:
    del rng
    divisor = constants_for(epsilon=1.0, delta=1e-3, dimension=1).divisor
    deviations = {m: noiseless_bound(m, 1.0, 1e-3)[0] / divisor for m in (100, 400, 1600)}
    return _refuted(
        min(deviations.values()) > 0,
        "L(w*) = 0, all estimates equal w*: Gaussian noise of standard deviation "
        + ", ".join(f"{sd:.3g} Lambda (m = {m})" for m, sd in deviations.items())
        + " is added (d = 1, epsilon = 1, delta = 1e-3, disjoint blocks)",
        {"deviation/Lambda": {str(m): sd for m, sd in deviations.items()}},
    )


def _near_recovery(rng: Random) -> Outcome:
    del rng
    error = 0.0
    for m, epsilon, delta in product((100, 401, 1600), (0.5, 1.0), (1e-2, 1e-3)):
        found, formula, _ = noiseless_bound(m, epsilon, delta)
        error = max(error, abs(found / formula - 1))
    return Outcome(
        error < 1e-12,
        "checked at high precision",
        f"S = 2 Lambda e^(-beta (m - t_0)) to {error:.0e} in 12 cases",
    )


# ================================================================ known mean: Theorems 3.2.4, 3.2.5


def printed_known_mean_scales() -> tuple[float, float]:
    """Return S of Algorithm 3.2.7 as printed, d = T = 1, on zeros and with one gradient of 1e6."""
    scales = []
    for record in (0.0, -5e5):
        data = np.zeros((100, 1))
        data[-1] = record
        ledger = RecordingLedger(0)
        known_mean_errata.printed(
            data, SquaredDistance(), L2Ball(1.0), initial=[0.0], epsilon=1.0, delta=1e-5,
            lower=-1.0, upper=1.0, trim=20, step_size=1.0, n_iterations=1, ledger=ledger,
        )  # fmt: skip
        mechanism = ledger.transcript.releases[0].mechanism
        assert isinstance(mechanism, SmoothSensitivity)
        scales.append(mechanism.smooth_bound)
    return scales[0], scales[1]


def _known_mean_printed(rng: Random) -> Outcome:
    del rng
    budget = trimming_budget(1.0, 1e-5)
    scales = printed_known_mean_scales()
    # the noise is 4S/te times sinh(Y)
    delta, event = needed_delta(scales[0] / budget, scales[1] / budget, 1.0)
    return _refuted(
        delta > 0.99,
        f"d = T = 1, epsilon = 1, delta = 1e-5 (te = {budget:.4f}), n = 100, m = 20, b-a = 2: zero "
        f"gradients against one of 1e6: S = {scales[0]:.2f} against {scales[1]:.0f}; |out| > "
        f"{event:.0f} needs delta {delta:.4f}",
        {"S": scales[0], "S'": scales[1], "event": f"|out| > {event:.6g}", "delta": delta},
    )


def spent_on_trimmed_means(epsilon: float, delta: float, d: int, n_iterations: int) -> float:
    """Return the zCDP cost of a run of Algorithm 3.2.7, summed over its releases."""
    ledger = RecordingLedger(0)
    known_mean_gradient_descent(
        np.arange(9.0 * d).reshape(9, d), SquaredDistance(), L2Ball(1.0), lower=-1.0, upper=1.0,
        trim=2, initial=np.zeros(d), step_size=0.1, n_iterations=n_iterations, epsilon=epsilon,
        delta=delta, ledger=ledger,
    )  # fmt: skip
    total = 0.0
    for release in ledger.transcript.releases:
        assert isinstance(release.mechanism, SmoothSensitivity)
        total += release.mechanism.rho
    return total


def _known_mean_composition(rng: Random) -> Outcome:
    """With te = x - y, x^2 = 2a + 2 epsilon, y^2 = 2a: te^2/2 + te y = (x^2 - y^2)/2 = epsilon."""
    del rng
    grid = [Fraction(k, 3) for k in range(1, 5)]
    identity = all(
        (x - y) ** 2 / 2 + (x - y) * y == (x**2 - y**2) / 2 for x, y in product(grid, grid)
    )
    error = 0.0
    for epsilon, delta, d, t in ((0.1, 1e-6, 1, 1), (1.0, 1e-5, 3, 4), (1.0, 0.5, 2, 7)):
        spent = spent_on_trimmed_means(epsilon, delta, d, t)
        error = max(
            error,
            abs(spent / (trimming_budget(epsilon, delta) ** 2 / 2) - 1),
            abs(zcdp_epsilon(spent, delta) / epsilon - 1),
        )
    return Outcome(
        identity and error < 1e-12,
        "proved exactly",
        "dT te^2/(2dT) = te^2/2, and te^2/2 + te sqrt(2a) = epsilon, a polynomial identity; what "
        f"runs of the code spend agrees to {error:.0e}",
    )


def _displaced_root(rng: Random) -> Outcome:
    del rng
    epsilon, a = 1.0, -math.log(1e-5)
    printed = math.sqrt(2 * a) + 2 * epsilon - math.sqrt(2 * a)
    spent = printed**2 / 2 + printed * math.sqrt(2 * a)
    return _refuted(
        spent > epsilon,
        f"epsilon = 1, delta = 1e-5: printed te = {printed:g} = 2 epsilon, for which Lemma 3.2.6 "
        f"gives epsilon = {spent:.2f}",
        {"te": printed, "epsilon": spent, "delta": 1e-5},
    )


def budget_bounds(top: str = "1") -> tuple[Subdivision, Subdivision]:
    """Prove epsilon/(sqrt(2) sqrt(2a)) <= te <= epsilon/sqrt(2a) for epsilon <= ``top`` a.

    With x = epsilon/a, te/(epsilon/sqrt(2a)) = 2/(sqrt(1 + x) + 1).
    """

    def ratio(x: Interval) -> Interval:
        return 2 / (iv.sqrt(1 + x) + 1)

    return (
        prove_nonnegative(lambda x: ratio(x) - 1 / iv.sqrt(iv.mpf(2)), [(0, top)]),
        prove_nonnegative(
            lambda x: 1 - ratio(x),
            [(0, top)],
            gradient=lambda x: [1 / (iv.sqrt(1 + x) * (iv.sqrt(1 + x) + 1) ** 2)],
        ),
    )


def _taylor(rng: Random) -> Outcome:
    del rng
    below, above = budget_bounds()
    error = max(
        abs(trimming_budget(x * a, math.exp(-a)) * math.sqrt(2 * a) / (x * a)
            * (math.sqrt(1 + x) + 1) / 2 - 1)
        for x, a in product((1e-4, 0.3, 1.0), (0.7, 11.5, 600.0))
    )  # fmt: skip
    return Outcome(
        bool(below) and bool(above) and error < 1e-12,
        "proved by interval arithmetic",
        "te <= epsilon/sqrt(2a) always, and te >= epsilon/(2 sqrt(a)), the direction that the "
        f"theorem needs, for epsilon <= a ({below.describe()}); the code agrees to {error:.0e}",
    )


# ------------------------------------------------------------------------------- Lemma 3.2.2


def trimmed_noise(m: int, d: int, n_iterations: int) -> float:
    """Smallest sd of a coordinate's noise over b - a, at (1, 1e-5); whatever n is."""
    each = trimming_budget(1.0, 1e-5) / math.sqrt(d * n_iterations)
    return math.sqrt(floor_variance(m, each, 1.0))


def _uniform_error_printed(rng: Random) -> Outcome:
    del rng
    d, t, budget = 5, 10, trimming_budget(1.0, 1e-5)
    ratios = {}
    for n in (10**5, 10**8, 10**11):
        bound = d * math.sqrt(t * math.log(n)) / (math.sqrt(n) * budget)
        ratios[n] = math.sqrt(d) * trimmed_noise(5, d, t) / bound
    at = {m: trimmed_noise(m, d, t) for m in (5, 5000, 49_000)}
    values = list(ratios.values())
    return _refuted(
        values[-1] > 100 * values[0],
        "d = 5, T = 10, epsilon = 1, delta = 1e-5: the noise of a coordinate has sd at least "
        + ", ".join(f"{sd:.1f} (b-a) (m = {m})" for m, sd in at.items())
        + "; with m = 5 and tau = b - a the norm of the noise is "
        + ", ".join(f"{ratio:.3g} (n = {n:.0e})" for n, ratio in ratios.items())
        + " times the bound",
        {"m": 5, "ratio": {str(n): ratio for n, ratio in ratios.items()}},
    )


def _uniform_error_repaired(rng: Random) -> Outcome:
    """S <= max{(b-a) e^{-mt}, (x_(n)-x_(1))/(n-2m)}: every A_k is at most the range over n - 2m."""
    worst = 0.0
    for _ in range(400):
        n = int(rng.integers(5, 60))
        m = int(rng.integers(1, (n - 1) // 2 + 1))
        t = float(rng.choice([0.001, 0.05, 1.0]))
        x = rng.standard_t(1, n) * 10 ** rng.uniform(-3, 3)
        exact = smooth_sensitivity(x, trim=m, smoothness=t, lower=-1.0, upper=1.0)
        simple = max(2 * math.exp(-m * t), float(np.ptp(x)) / (n - 2 * m))
        worst = max(worst, exact / simple)
    floors = []
    for n, d, steps in ((10**7, 2, 5), (10**8, 5, 10), (10**10, 20, 30)):
        each = trimming_budget(1.0, 1e-5) / math.sqrt(d * steps)
        m = trim_count(n, each, lower=-1.0, upper=1.0, standard_deviation=0.1)
        floors.append(math.exp(-m * each**2 / 16) * 2 / (0.1 / n))
    return Outcome(
        0.9 < worst <= 1 + 1e-12 and max(floors) <= 1 + 1e-9,
        "checked by search",
        f"S at most {worst:.6f} of it in 400 data sets; the floor is at most {max(floors):.4f} of "
        "tau/n with m = (16 dT/te^2) log(n(b-a)/tau), at (n, d, T) up to (1e10, 20, 30)",
    )


def tail_choice(x: Interval) -> Interval:
    """Return s/(tau log X) for s/(2 tau) = d log(3X/2) + d log(1+X) + log 2 at d = 1.

    X = n beta^ Delta. Then 2dn N exp(-s/(2 tau)) = dn/(1+X)^d for N = (3X/2)^d, and the same
    exponent for n min{t/(2 tau), t^2/(2 tau^2)} gives d/(1+X)^d. s/(tau d log X) falls with d.
    """
    return 2 * (iv.log(interval("1.5") * x) + iv.log(1 + x) + iv.log(iv.mpf(2))) / iv.log(x)


def net_failure(d: int, n: int, x: Fraction, extra: Fraction = Fraction(2)) -> Fraction:
    """Return 2dn N e^{-s/(2 tau)} + 2d N e^{-s/(2 tau)}, N = (3X/2)^d, ``extra`` for log 2."""
    centres = (Fraction(3, 2) * x) ** d
    exponential = 1 / (centres * (1 + x) ** d * extra)
    return 2 * d * (n + 1) * centres * exponential


def _probability(rng: Random) -> Outcome:
    """Check the failure in exact rationals, and the constant in the O for s."""
    del rng
    exact = all(
        net_failure(d, n, x) <= Fraction(2 * d * n) / (1 + x) ** d
        for d, n, x in product((1, 2, 5), (1, 10, 1000), map(Fraction, ("2", "7/2", "100")))
    )
    constant = prove_nonnegative(lambda y: 9 - tail_choice(iv.exp(y)), [(0.693, 40)], max_depth=60)
    return Outcome(
        exact and bool(constant),
        "proved by interval arithmetic",
        "s/(2 tau) = d log(3X/2) + d log(1+X) + log 2, X = n beta^ Delta >= 2: failure at most "
        f"2dn/(1+X)^d in exact rationals (27 cases), and s <= 9 tau d log X for X <= e^40 "
        f"({constant.describe()})",
    )


# ------------------------------------------------------------------------- (3.85)-(3.92), the net


def _trimmed_sums(rng: Random) -> Outcome:
    for _ in range(100):
        n = int(rng.integers(3, 9))
        m = int(rng.integers(1, (n - 1) // 2 + 1))
        x, mu = sorted(_fraction(rng) for _ in range(n)), _fraction(rng)
        kept = sum(x[m : n - m], Fraction(0)) / (n - 2 * m) - mu
        everything = sum((v - mu for v in x), Fraction(0))
        dropped = sum((v - mu for v in (*x[:m], *x[n - m :])), Fraction(0))
        if kept != (everything - dropped) / (n - 2 * m):
            return Outcome(False, "proved exactly", f"differs for {x}")
    return Outcome(True, "proved exactly", "100 rational data sets, then the triangle inequality")


def _lipschitz_transfer(rng: Random) -> Outcome:
    """Compare deviations at w and at a near w~ over random finite laws and samples of them."""
    worst = 0.0
    loss = Logistic()
    for _ in range(200):
        support = rng.standard_normal((6, 2)), rng.choice([-1.0, 1.0], 6)
        law, picks = rng.dirichlet(np.ones(6)), rng.integers(0, 6, 15)
        w = rng.standard_normal(2)
        near = w + rng.standard_normal(2) * 10 ** rng.uniform(-3, 0)
        at, beside = (loss.gradients(support, v) for v in (w, near))
        lipschitz = np.abs(support[0]).max(axis=0) * np.linalg.norm(support[0], axis=1).max() / 4
        allowed = 2 * lipschitz * float(np.linalg.norm(w - near))
        mean = [np.abs(g[picks].mean(axis=0) - law @ g) for g in (at, beside)]
        largest = [np.abs(g[picks] - law @ g).max(axis=0) for g in (at, beside)]
        worst = max(
            worst,
            float(((mean[0] - mean[1]) / allowed).max()),
            float(((largest[0] - largest[1]) / allowed).max()),
        )
    grid = [Fraction(k) for k in (0, 1, 3)]
    combined = all(
        (n * (t + u) + m * (s + u)) / Fraction(n - 2 * m)
        == (n * t + m * s) / Fraction(n - 2 * m) + Fraction(m + n, n - 2 * m) * u
        for n, m, t, s, u in product((5, 8), (1, 2), grid, grid, grid)
    )
    return Outcome(
        combined and 0 < worst <= 1,
        "checked by search",
        f"triangle inequality, 2 beta_j delta more: at most {worst:.3f} of it in 200 logistic "
        "samples; with Lemma 3.2.8 the printed bound on |Trim_m - mu|, exactly",
    )


def _norm_of_errors(rng: Random) -> Outcome:
    """Minkowski: |(u + v_j + z)_j| <= sqrt(d) u + |v| + sqrt(d) z, and E|Z| <= sqrt(E|Z|^2)."""
    worst = 0.0
    for _ in range(500):
        d = int(rng.integers(1, 10))
        u, z = rng.exponential(size=2)
        slopes = rng.exponential(size=d)
        left = float(np.linalg.norm(u + slopes + z))
        worst = max(worst, left / (math.sqrt(d) * (u + z) + float(np.linalg.norm(slopes))))
    return Outcome(
        0.9 < worst <= 1 + 1e-12,
        "checked by search",
        f"500 cases: at most {worst:.6f} of the bound with (3.84) for every coordinate; (3.84) "
        "itself needs a larger m",
    )


def covering_number(points: FloatArray, radius: float) -> int:
    """Return the size of a greedy net: chosen points are > radius apart and cover all points."""
    left = points
    count = 0
    while len(left):
        left = left[np.linalg.norm(left - left[0], axis=1) > radius]
        count += 1
    return count


def _covering(rng: Random) -> Outcome:
    """N <= (1 + Delta/delta)^d <= (3 Delta/(2 delta))^d for delta <= Delta/2.

    Balls of radius delta/2 around a maximal set of points more than delta apart are disjoint and
    lie in a set of diameter Delta + delta, whose volume is at most that of a ball of that
    diameter (isodiametric inequality).
    """
    # 1 + y <= 3y/2 for y >= 2; on the line N = ceil(Delta/(2 delta))
    algebra = all(1 + y <= Fraction(3, 2) * y for y in (Fraction(2), Fraction(9, 4), Fraction(50)))
    line = all(math.ceil(y / 2) <= 1.5 * y for y in np.linspace(2, 60, 2000))
    worst = 0.0
    for d, share in product((1, 2, 3), (0.5, 0.2, 0.1)):
        cube = rng.uniform(-1, 1, (4000, d)) * rng.uniform(0.2, 1, d)
        ball = rng.standard_normal((4000, d))
        ball /= np.maximum(np.linalg.norm(ball, axis=1, keepdims=True), 1)
        for points in (cube, ball):
            # of at least the sampled points' diameter
            diameter = float(np.linalg.norm(np.ptp(points, axis=0)))
            diameter = min(diameter, 2 * float(np.linalg.norm(points, axis=1).max()))
            found = covering_number(points, share * diameter)
            worst = max(worst, found / (1.5 / share) ** d)
    return Outcome(
        algebra and line and 0 < worst <= 1,
        "checked by search",
        "for delta <= Delta/2, which is n beta^ Delta >= 2 at the delta used: exact on the line; "
        f"greedy nets of boxes and balls in d <= 3 have at most {worst:.3f} of the bound",
    )


# ------------------------------------------------------------------------ Theorem 3.2.5, its proof


def _contraction(rng: Random) -> Outcome:
    """Compare both sides at eigenvalues of the averaged Hessian H of L between w and w*.

    grad L(w) = H(w - w*), H symmetric with eigenvalues x in [alpha, beta]. Co-coercivity is
    x - alpha beta/(alpha+beta) - x^2/(alpha+beta) = (x - alpha)(beta - x)/(alpha+beta) >= 0; the
    second line of (3.93) has 1/beta^2 - 2/(beta(alpha+beta)) = (alpha-beta)/(beta^2(alpha+beta)).
    """
    grid = [Fraction(k, 2) for k in (1, 2, 3, 5)]
    exact = all(
        x - a * b / (a + b) - x**2 / (a + b) == (x - a) * (b - x) / (a + b)
        and 1 / b**2 - 2 / (b * (a + b)) == (a - b) / (b**2 * (a + b))
        for x, a, b in product(grid, grid, grid)
    )
    worst = 0.0
    for _ in range(200):
        # Huber loss with unit features and a ridge term: alpha = strength, beta = 1 + strength
        features, labels = rng.standard_normal((8, 3)), rng.standard_t(2, 8)
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        alpha = float(rng.uniform(0.01, 2))
        beta = 1 + alpha
        loss, records = Ridge(Huber(), alpha), (features, labels)
        w, v = 3 * rng.standard_normal((2, 3))
        slope = (loss.gradients(records, w) - loss.gradients(records, v)).mean(axis=0)
        moved = float(np.sum((w - v - slope / beta) ** 2) / np.sum((w - v) ** 2))
        worst = max(worst, moved / (1 - 2 * alpha / (alpha + beta)))
    return Outcome(
        exact and 0.01 < worst <= 1 + 1e-12,
        "proved exactly",
        "co-coercivity is (x - alpha)(beta - x) >= 0 at every eigenvalue x of the averaged "
        f"Hessian; 200 Huber-ridge risks: squared distance at most {worst:.3f} of the bound",
    )


def _step_bound(rng: Random) -> Outcome:
    """sqrt(1 - x) <= 1 - x/2 as (1 - x/2)^2 - (1 - x) = x^2/4; the projection does not expand."""
    root = all((1 - x / 2) ** 2 - (1 - x) == x**2 / 4 for x in map(Fraction, range(3)))
    grid = [Fraction(k, 2) for k in (1, 2, 5)]
    # eta times the geometric series: (1/beta)(alpha+beta)/alpha <= 2/alpha
    series = all(
        (a + b) / (a * b) <= 2 / a and 1 / (1 - (1 - a / (a + b))) == (a + b) / a
        for a, b in product(grid, grid)
        if a <= b
    )
    worst = 0.0
    for _ in range(300):
        ball, inside = L2Ball(1.0), rng.standard_normal(3)
        inside = ball.project(inside)
        outside = 3 * rng.standard_normal(3)
        moved = float(np.linalg.norm(ball.project(outside) - inside))
        worst = max(worst, moved / float(np.linalg.norm(outside - inside)))
    return Outcome(
        root and series and worst <= 1 + 1e-12,
        "proved exactly",
        "exact identities; the errors add up to at most 2/alpha times one of them; l.1864 has "
        f"w^(t-1) where w* is meant (both true: the projection expands by at most {worst:.3f})",
    )


def squared_over_mean(p: Fraction) -> Fraction:
    """E X^2/(E X)^2 of X = 1 with probability p, else 0."""
    return p / p**2


def _jensen(rng: Random) -> Outcome:
    del rng
    # one step from w* with d = 1: w^1 - w* is a multiple of sinh(Y)
    mean = math.exp(0.5) * (2 * float(ndtr(1.0)) - 1)
    own = ARSINH_NORMAL_SD**2 / mean**2
    others = {str(p): float(squared_over_mean(p)) for p in (Fraction(1, 10), Fraction(1, 1000))}
    return _refuted(
        own > 1 and max(others.values()) > 100,
        f"the algorithm's own noise, sinh(Y): E Z^2 = {own:.4f} (E|Z|)^2; without limit in"
        f" general: {_listed(others.values())} for X = 1 w.p. {', '.join(others)}, else 0",
        {"E Z^2/(E|Z|)^2": own, "two-point laws": others},
    )


def second_moment_share(rng: Random, rate: float = 1.0) -> float:
    """Run noisy gradient descent on a quadratic; return its L2 distance over the recursion's.

    The error of a gradient is an adversarial bias, always away from w*, and independent noise.
    Means and variances are exact. The recursion is e_t = (1 - rate alpha/(alpha+beta)) e_{t-1} +
    (1/beta) sqrt(|bias|^2 + E|noise|^2), in L2 norm by Minkowski's inequality.
    """
    alpha, beta = sorted(float(v) for v in rng.uniform(0.1, 3, 2))
    eigenvalues = np.array([alpha, float(rng.uniform(alpha, beta)), beta])
    bias, noise = rng.exponential(size=3), rng.exponential(size=3)
    mean, variance = rng.exponential(size=3), np.zeros(3)
    allowed = float(np.linalg.norm(mean))
    error = math.sqrt(float(bias @ bias + noise @ noise)) / beta
    share = 0.0
    for _ in range(30):
        kept = 1 - eigenvalues / beta
        mean = kept * mean + bias / beta
        variance = kept**2 * variance + (noise / beta) ** 2
        allowed = (1 - rate * alpha / (alpha + beta)) * allowed + error
        share = max(share, math.sqrt(float(mean @ mean + variance.sum())) / allowed)
    return share


def _recursion_in_l2(rng: Random) -> Outcome:
    worst = max(second_moment_share(rng) for _ in range(300))
    return Outcome(
        0.5 < worst <= 1 + 1e-12,
        "checked by search",
        f"300 quadratics in d = 3 with biased noisy gradients, moments exact, 30 steps: at most "
        f"{worst:.4f} of it; then E h <= (beta/2) E|w - w*|^2",
    )


# --------------------------------------------- the displayed rates, and measuring in other units

# exponents of kappa when w = kappa u and u is the variable; the risk stays what it is
_UNITS = {"alpha": 2, "beta": 2, "Delta": -1, "tau": 1, "v": 2}


def unit_exponent(bound: str) -> Fraction:
    """Exponent of kappa in a product of powers such as ``"v Delta^2"`` when w = kappa u."""
    return degree(monomial(bound), **_UNITS)


def excess_in_units(kappa: float, *, known_range: bool) -> float:
    """Return the excess risk (w - mean)^2 of Algorithm 3.2.7 or 3.2.8 run on u = w/kappa.

    It is above 8 at the end of W, the interval [-3, 3] in w.
    """
    x = np.random.default_rng(0).standard_normal(6000)
    data, loss, mean = (np.full((6000, 1), kappa), x), SquaredError(), float(x.mean())
    ball, start = L2Ball(3 / kappa), np.array([1 / kappa])
    if known_range:
        u = known_mean_gradient_descent(
            data, loss, ball, lower=-8 * kappa, upper=8 * kappa, trim=2500, initial=start,
            step_size=0.5 / kappa**2, n_iterations=2, epsilon=1.0, delta=0.5, ledger=Ledger(1),
        )  # fmt: skip
    else:
        u = known_variance.known_variance_gradient_descent(
            data, loss, ball, second_moment=40 * kappa**2, failure_probability=0.05, initial=start,
            step_size=0.5 / kappa**2, n_iterations=2, epsilon=1.0, delta=0.5, ledger=Ledger(1),
        )  # fmt: skip
    return float((kappa * u[0] - mean) ** 2)


def _rate_in_units(bound: str, *, known_range: bool) -> Outcome:
    exponent = unit_exponent(bound)
    excess = [excess_in_units(k, known_range=known_range) for k in (1.0, 16.0, 1 / 16)]
    same = max(abs(e / excess[0] - 1) for e in excess) < 1e-9
    inside = 0 < excess[0] < 4
    return _refuted(
        same and inside and exponent != 0,
        f"w measured in units of kappa = 1, 16, 1/16: the same run has excess risk {excess[0]:.6g} "
        f"every time, but the bound is multiplied by kappa^{exponent}: no constant will do",
        {"excess": excess, "bound": f"proportional to kappa^{exponent}"},
    )


def _known_mean_rate(rng: Random) -> Outcome:
    del rng
    return _rate_in_units("Delta^2 beta^2 tau^2 alpha^-3", known_range=True)


def _known_variance_rate(rng: Random) -> Outcome:
    del rng
    return _rate_in_units("v Delta^2 beta^4 alpha^-3", known_range=False)


def _rate_from_recursion(rng: Random) -> Outcome:
    """(beta/2)(q^T Delta + (2/alpha) err)^2, q = 1 - alpha/(alpha+beta), T = O((beta/alpha) log n).

    err^2 is d^2 v T up to logarithms over n te^2: beta/alpha^2 times v beta/alpha.
    """
    invariant = unit_exponent("v beta^2 alpha^-3")
    # q^T <= exp(-T alpha/(alpha+beta)), which is at most 1/n for T >= (1 + beta/alpha) log n
    worst = 0.0
    for share, n in product((0.01, 0.3, 1.0), (10.0, 1e4, 1e8)):
        t = math.ceil((1 + 1 / share) * math.log(n))
        worst = max(worst, n * (1 - share / (1 + share)) ** t)
    found = _recursion_in_l2(rng)
    return Outcome(
        invariant == 0 and worst <= 1 and found.holds,
        "checked by search",
        f"v beta^2/alpha^3 is unchanged by other units; n q^T at most {worst:.3f} at T = "
        f"(1 + beta/alpha) log n; {found.detail}",
    )


# ============================================================== known variance: the robust mean


def _three_steps(rng: Random) -> Outcome:
    """Integrate (3.66) over the noise, as (3.67) does, by the trapezoidal rule."""
    nodes = np.linspace(-10, 10, 50_001)
    weights = np.exp(-(nodes**2) / 2) * (nodes[1] - nodes[0]) / math.sqrt(2 * math.pi)
    worst = 0.0
    for _ in range(12):
        x = rng.standard_t(2, 4) * 10 ** rng.uniform(-1, 1)
        s, b = float(rng.uniform(0.3, 5)), float(rng.uniform(0.5, 20))
        smoothed = [weights @ em._phi((v + nodes / math.sqrt(b) * v) / s) for v in x]
        error = s * float(np.mean(smoothed)) - truncated_mean(x, scale=s, precision=b)
        worst = max(worst, abs(float(error)) / s)
    return Outcome(
        worst < 1e-7,
        "checked by search",
        f"(3.67) is the mean of (3.66) over the noise, and what the code returns (12 samples, "
        f"quadrature: {worst:.1g} s)",
    )


def written_out(gradients: FloatArray, scale: float, precision: float, factor: float) -> float:
    """Return (1/n) sum of g(1 - g^2/(2 s^2 b)) - g^3/(6 s^2), plus (factor/n) sum of C."""
    cubic = gradients * (1 - gradients**2 / (2 * scale**2 * precision))
    cubic -= gradients**3 / (6 * scale**2)
    a = gradients / scale
    return float(np.mean(cubic + factor * correction(a, np.abs(a) / math.sqrt(precision))))


def written_out_error(rng: Random, factor: Callable[[float], float]) -> float:
    """Return the largest difference, in units of s, from the robust mean; ``factor`` takes s."""
    worst = 0.0
    for _ in range(50):
        s, b = float(rng.uniform(2, 9)), float(rng.uniform(0.5, 20))
        gradients = s * rng.uniform(-8, 8, 5)
        robust = float(truncated_mean(gradients, scale=s, precision=b))
        worst = max(worst, abs(written_out(gradients, s, b, factor(s)) - robust) / s)
    return worst


def _algorithm_gradient(rng: Random) -> Outcome:
    error = written_out_error(rng, lambda s: s)
    return Outcome(
        error < 1e-9,
        "checked by search",
        f"50 random samples of |g| <= 8s: the printed sum is the robust mean to {error:.1g} s",
    )


def _proof_gradient(rng: Random) -> Outcome:
    error = written_out_error(rng, lambda s: 1.0)
    return _refuted(
        error > 1,
        f"50 random samples of |g| <= 8s, s in [2, 9]: off by up to {error:.3g} s, as the cubes "
        "are no longer cancelled",
        {"largest error/s": error},
    )


def _lemma_at_large_probability(rng: Random) -> Outcome:
    """Three fair signs: no sample has mean 0, but the bound goes to 0 as d' goes to 1."""
    del rng
    n, left = 3, 1e-9
    log_term = -math.log1p(-left)
    s, b = math.sqrt(n / (2 * log_term)), 2 * log_term
    means = [
        float(truncated_mean(np.array(signs), scale=s, precision=b))
        for signs in product((-1.0, 1.0), repeat=n)
    ]
    ratio = min(abs(m) for m in means) / math.sqrt(log_term / n)
    given: dict[str, Any] = {
        "n": 100, "epsilon": 1.0, "delta": 1e-5, "second_moment": 1.0, "failure_probability": 0.01
    }  # fmt: skip
    used = known_variance.constants_for(dimension=1, n_iterations=1, **given).precision
    stated = constants_for_lemma_1(**given).precision
    return _refuted(
        ratio > 1000 and abs(stated / used - 2) < 1e-12,
        f"three fair signs, d' = 1 - 1e-9: every sample has |xhat - E x| >= {ratio:.0f} sqrt(v l/n)"
        f", l = log(1/d'); and b = 2l = {stated:.3f} at d' = 0.01 where Algorithm 3.2.8 takes b = "
        f"l = {used:.3f}",
        {
            "n": n,
            "1 - d'": left,
            "least error/bound": ratio,
            "b": stated,
            "b of the algorithm": used,
        },
    )


ROBUST_MEAN_CONSTANT = {1: 2.8, 2: 2.64}
"""C in |xhat - E x| <= C sqrt(v l'/n), l' = log(2/d'), for the precision b = l' or 2l'."""


def robust_mean_constant(multiple: int, constant: float) -> Subdivision:
    """Prove the bound <= constant sqrt(v l'/n) for every d' in (0, 1) and b = ``multiple`` l'.

    With s = sqrt(nv/(2l')) it is (b/(2l') + 1 + 1 + 1/b)/sqrt 2 in these units; y = 1/l'.
    """

    def bound(y: Interval) -> Interval:
        return (iv.mpf(multiple) / 2 + 2 + y / multiple) / iv.sqrt(iv.mpf(2))

    largest = float(upper(1 / iv.log(iv.mpf(2))))
    return prove_nonnegative(lambda y: constant - bound(y), [(0, largest)])


def _lemma_with_two(rng: Random) -> Outcome:
    derived = concentration_proved(rng)
    proofs = [robust_mean_constant(k, c) for k, c in ROBUST_MEAN_CONSTANT.items()]
    failure = 0.0
    for k, value, p, zeta in product((1, 2), (0.5, 2.0), (0.01, 0.3, 0.7), (0.9, 0.1, 1e-4)):
        log_term, v = math.log(2 / zeta), value**2 * p
        s, b = math.sqrt(300 * v / (2 * log_term)), k * log_term
        bound = catoni_bound(300, scale=s, precision=b, second_moment=v, failure_probability=zeta)
        rate = ROBUST_MEAN_CONSTANT[k] * math.sqrt(v * log_term / 300)
        if bound > rate * (1 + 1e-12):
            return Outcome(False, "checked by search", f"bound {bound} above {rate}")
        found = two_point_failure(300, value, p, scale=s, precision=b, bound=rate)
        failure = max(failure, found / zeta)
    return Outcome(
        derived.holds and all(proofs) and failure <= 1,
        "proved by interval arithmetic",
        f"s(b/2 + log(2/d'))/n + v(1 + 1/b)/(2s) is at most {ROBUST_MEAN_CONSTANT[2]} "
        f"(b = 2l'), {ROBUST_MEAN_CONSTANT[1]} (b = l') times sqrt(v l'/n) for every d' in (0, 1); "
        f"exact tails of 36 two-point laws: failure <= {failure:.3g} d'; {derived.detail}",
    )


def noise_constant(constant: str) -> Subdivision:
    """Prove 16 s^2/(9 n^2 rho) <= constant s^2 a/(epsilon n)^2 for epsilon <= a.

    1/rho = (a/epsilon^2) (sqrt(1 + x) + 1)^2 with x = epsilon/a.
    """
    return prove_nonnegative(
        lambda x: interval(constant) - iv.mpf(16) / 9 * (iv.sqrt(1 + x) + 1) ** 2, [(0, 1)]
    )


def _private_mean_noise(rng: Random) -> Outcome:
    del rng
    proof = noise_constant("10.37")
    largest = share = 0.0
    for epsilon, delta in product((0.01, 0.1, 1.0), (1e-10, 1e-5, 0.3)):
        c = constants_for_lemma_1(
            n=50, epsilon=epsilon, delta=delta, second_moment=3.0, failure_probability=0.1,
            method="zcdp",
        )  # fmt: skip
        a = -math.log(delta)
        largest = max(largest, (c.noise_scale * 50 * epsilon / c.truncation_scale) ** 2 / a)
        mu = interval(c.sensitivity) / interval(c.noise_scale)
        share = max(share, float(upper(gaussian_delta(mu, interval(epsilon)))) / delta)
    return Outcome(
        bool(proof) and largest <= 10.37 and share <= 1,
        "proved by interval arithmetic",
        f"sigma = 4s/(3n sqrt(rho)): sigma^2 <= 10.37 s^2 a/(epsilon n)^2 for epsilon <= a "
        f"({proof.describe()}); the code's is at most {largest:.2f} of it, and its exact delta at "
        f"most {share:.3f} delta (9 cases)",
    )


# ------------------------------------------------------------------------ Theorem 3.2.7, privacy


READINGS: dict[str, Callable[..., MeanConstants]] = {
    "printed": known_variance_errata.printed_constants,
    "without square": known_variance_errata.printed_2_constants,
}
"""What line 1631 may mean, but for the square that seed 000 l.630 has."""


def exact_mu(reading: str = "corrected") -> Interval:
    """Enclose sensitivity/sigma of T = 5 steps, d = 1, d' = 0.01, (epsilon, delta) = (1, 1e-5).

    l = -xw has the same gradients at every w: T Gaussians of the same shift, and records at
    +-infinity move the robust mean by erf(sqrt(b/2)) = 2 Phi(sqrt b) - 1 of the claimed
    sensitivity.
    """
    given: dict[str, Any] = {
        "n_iterations": 5, "epsilon": 1.0, "delta": 1e-5, "second_moment": 1.0,
        "failure_probability": 0.01,
    }  # fmt: skip
    if reading == "corrected":
        c = known_variance.constants_for(n=100, dimension=1, **given, method="zcdp")
    else:
        data, loss, start = np.zeros((100, 1)), SquaredDistance(), np.zeros(1)
        c = READINGS[reading](data, loss, L2Ball(1.0), initial=start, step_size=1.0, **given)
    exact = 2 * iv_ndtr(iv.sqrt(interval(c.precision))) - 1
    return iv.sqrt(iv.mpf(5)) * interval(c.sensitivity) / interval(c.noise_scale) * exact


def _robust_descent_printed(rng: Random) -> Outcome:
    del rng
    found = {r: float(lower(gaussian_delta(exact_mu(r), iv.mpf(1)))) for r in READINGS}
    return _refuted(
        min(found.values()) > 1e-5,
        "l = -xw, d = 1, records +-1e6 s, d' = 0.01, T = 5, at (1, 1e-5): exact delta(1) >= "
        f"{found['printed']:.3f} with te = epsilon as printed, {found['without square']:.4f} with "
        "te = sqrt(a + epsilon) - sqrt(a), by interval arithmetic",
        {"loss": "-xw", "epsilon": 1.0, "delta": 1e-5, "delta(1) at least": found},
    )


def _robust_descent_accounting(rng: Random) -> Outcome:
    """T D^2/(2 sigma^2) = te with D^2 = d 32 s^2/(9 n^2), s^2 = nv/(2l), sigma^2 as printed."""
    del rng
    exact = True
    for n, v, d, t, log_term, te in product(
        (Fraction(7), Fraction(100)), (Fraction(2, 3),), (1, 5), (1, 8),
        (Fraction(3, 2), Fraction(5)), (Fraction(1, 50), Fraction(2)),
    ):  # fmt: skip
        square = d * 32 * (n * v / (2 * log_term)) / (9 * n**2)
        variance = 8 * v * d * t / (9 * log_term * n * te)
        exact = exact and t * square / (2 * variance) == te
    share = float(upper(gaussian_delta(exact_mu(), iv.mpf(1)))) / 1e-5
    error = max(
        abs(zcdp_epsilon(zcdp_rho(e, delta), delta) / e - 1)
        for e, delta in product((0.01, 0.5, 1.0), (1e-10, 0.5))
    )
    return Outcome(
        exact and share <= 1 and error < 1e-12,
        "proved exactly",
        "the run is te-zCDP, in exact rationals, and te + 2 sqrt(te a) = epsilon to "
        f"{error:.0e}; exact delta(1) of the case above at most {share:.3g} delta",
    )


def vector_sensitivity(d: int) -> float:
    """Return n/s times the l2 change of d robust means when one record goes from -1e9 to 1e9."""
    data = np.zeros((10, d))
    data[0] = -1e9
    other = -data
    first, second = (truncated_mean(side, scale=1.0, precision=9.0) for side in (data, other))
    return 10 * float(np.linalg.norm(first - second))


def _proof_sensitivity(rng: Random) -> Outcome:
    del rng
    found, claimed = vector_sensitivity(4), 4 * math.sqrt(2) / 3
    return _refuted(
        found > claimed,
        f"d = 4: one record moves the gradient by {found:.4f} s/n in l2 > {claimed:.4f} s/n",
        {"d": 4, "change n/s": found, "claimed": claimed},
    )


def _proof_sensitivity_repaired(rng: Random) -> Outcome:
    del rng
    worst = max(
        vector_sensitivity(d) / (10 * math.sqrt(d) * mean_sensitivity(10, scale=1.0))
        for d in (1, 4, 30)
    )
    return Outcome(
        0.9 < worst <= 1,
        "checked by search",
        f"sqrt(d) times as much, with which sigma^2 of the algorithm agrees: at most {worst:.4f}",
    )


# -------------------------------------------------------------------------- Lemmas 3.2.9 and 3.2.10


def deviation_in_units(kappa: float, ledger: Ledger) -> float:
    """Return |g(u) - grad L(u)|/kappa of Algorithm 3.2.8's gradient for w = kappa u, w = 0.3."""
    x = np.random.default_rng(0).standard_t(3, 200)
    constants = known_variance.constants_for(
        n=200,
        dimension=1,
        n_iterations=1,
        epsilon=1.0,
        delta=1e-5,
        second_moment=20 * kappa**2,
        failure_probability=0.05,
    )
    found = known_variance.release_gradient(
        SquaredError(),
        (np.full((200, 1), kappa), x),
        np.array([0.3 / kappa]),
        constants=constants,
        ledger=ledger,
    )
    return abs(float(found[0]) - 2 * kappa * 0.3) / kappa


def _deviations_in_units(ledger: Callable[[], Ledger]) -> Outcome:
    """In other units deviations of the gradient grow by kappa, beta sqrt(v) by kappa^3."""
    deviations = [deviation_in_units(kappa, ledger()) for kappa in (1.0, 1 / 16, 1 / 256)]
    same = max(deviations) - min(deviations) < 1e-9 * deviations[0]
    exponent = unit_exponent("beta tau") - unit_exponent("tau")
    return _refuted(
        same and exponent > 0 and deviations[0] > 1e-3,
        "l = (w - x)^2 with w measured in units of kappa = 1, 1/16, 1/256: the deviation over "
        f"kappa is {deviations[0]:.4g} each time, the bound over kappa falls by kappa^{exponent}",
        {"deviation/kappa": deviations, "bound/kappa": f"proportional to kappa^{exponent}"},
    )


def _uniform_mean_printed(rng: Random) -> Outcome:
    del rng
    return _deviations_in_units(NoiselessLedger)


def _noisy_gradient_printed(rng: Random) -> Outcome:
    del rng
    return _deviations_in_units(lambda: Ledger(1))


def net_bound(
    n: int, *, scale: float, precision: float, second_moment: float, zeta: float, points: int,
    radius: float,
) -> float:  # fmt: skip
    """Bound |xhat(w) - E g(w)| for all w at once, for gradients that are 1-Lipschitz in w.

    zeta/N at each of the N points of a net; between them the robust mean moves by at most
    sqrt(1 + 1/b) times, the expectation by at most, the distance (psi' is at most E|1 + eta|).
    """
    at_points = catoni_bound(
        n, scale=scale, precision=precision, second_moment=second_moment,
        failure_probability=zeta / points,
    )  # fmt: skip
    return at_points + (math.sqrt(1 + 1 / precision) + 1) * radius


def uniform_failure(n: int, value: float, p: float, zeta: float, share: float = 1.0) -> float:
    """P(sup over w in [-1, 1] of the error > share of the net's bound)/zeta, l = (w - x)^2/2.

    x = value with probability p, else 0; exact binomial probabilities, w on a grid of 401.
    """
    w, mean = np.linspace(-1, 1, 401), value * p
    second_moment = float(((1 - p) * w**2 + p * (w - value) ** 2).max())
    points = 50
    log_term = math.log(2 * points / zeta)
    s, b = math.sqrt(n * second_moment / (2 * log_term)), log_term
    bound = share * net_bound(
        n, scale=s, precision=b, second_moment=second_moment, zeta=zeta, points=points,
        radius=1 / points,
    )  # fmt: skip
    at_zero, at_value = (smoothed_truncation(w - x, scale=s, precision=b) for x in (0.0, value))
    counts = np.arange(n + 1)
    robust = (counts[:, None] * at_value + (n - counts[:, None]) * at_zero) / n
    exceeded = np.abs(robust - (w - mean)).max(axis=1) > bound
    return float(stats.binom.pmf(counts, n, p) @ exceeded) / zeta


def truncation_slope(precision: float) -> float:
    """Return the largest slope of psi_1 on a grid, over sqrt(1 + 1/b)."""
    x = np.linspace(-20, 20, 40_001)
    slopes = np.diff(smoothed_truncation(x, scale=1.0, precision=precision)) / np.diff(x)
    return float(np.abs(slopes).max()) / math.sqrt(1 + 1 / precision)


def _uniform_mean_repaired(rng: Random) -> Outcome:
    del rng
    slope = max(truncation_slope(b) for b in (0.3, 1.0, 4.6, 50.0))
    worst = max(
        uniform_failure(n, value, p, zeta)
        for n, value, p, zeta in product((50, 400), (0.5, 5.0), (0.02, 0.3), (0.3, 0.01))
    )
    return Outcome(
        0.5 < slope <= 1 and worst <= 1,
        "checked by search",
        f"psi is sqrt(1 + 1/b)-Lipschitz (slope at most {slope:.4f} of it); l = (w - x)^2/2, all w "
        f"in [-1, 1], net of 50: exact failure at most {worst:.2g} d', 16 two-point laws",
    )


def _noisy_gradient_repaired(rng: Random) -> Outcome:
    """Check sigma sqrt(d) = d sqrt(8vT/(9 l n te)) and |Z| <= sigma (sqrt d + sqrt(2l))."""
    del rng
    exact = all(
        8 * v * d * t / (9 * log_term * n * te) * d == d**2 * v * t / (n * te) * 8 / (9 * log_term)
        for v, d, t, log_term, n, te in product(
            (Fraction(2, 3),), (1, 7), (1, 12), (Fraction(5),), (100,), (Fraction(1, 50),)
        )
    )
    worst = max(
        float(stats.chi2.sf((math.sqrt(d) + math.sqrt(2 * x)) ** 2, d)) / math.exp(-x)
        for d, x in product((1, 2, 5, 20, 100, 1000), (0.1, 0.5, 1.0, 3.0, 10.0, 40.0))
    )
    return Outcome(
        exact and 0.01 < worst <= 1,
        "checked at high precision",
        "the noise's part d sqrt(vT)/sqrt(n te) without beta, an identity; exact chi^2 tails: "
        f"|Z| > sigma (sqrt d + sqrt(2l)) has probability at most {worst:.3f} d'",
    )


# ------------------------------------------------------------------------------- Theorem 3.2.8


def _non_expansive(rng: Random) -> Outcome:
    """(1 - x/beta)^2 <= 1 at every eigenvalue x in [0, beta] of the averaged Hessian.

    2 x/beta - 2 (x/beta)^2 >= 0 is the co-coercivity that the text uses.
    """
    grid = [Fraction(k, 4) for k in range(5)]
    exact = all(
        1 - 2 * y + y**2 <= 1 - 2 * y**2 + y**2 <= 1 and (1 - y) ** 2 == 1 - 2 * y + y**2
        for y in grid
    )
    worst = 0.0
    for _ in range(200):
        features, labels = rng.standard_normal((8, 3)), rng.standard_t(2, 8)
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        records = features, labels
        w, v = 3 * rng.standard_normal((2, 3))
        slope = (Huber().gradients(records, w) - Huber().gradients(records, v)).mean(axis=0)
        worst = max(worst, float(np.linalg.norm(w - v - slope) / np.linalg.norm(w - v)))
    # T steps of chi/beta each, T = beta D_0/chi: at most D_0 in all, the ball of Assumption 3.2.5
    budget = all(
        (b * d0 / chi) * (chi / b) == d0
        for b, d0, chi in product((Fraction(1, 3), Fraction(4)), repeat=3)
    )
    return Outcome(
        exact and budget and worst <= 1 + 1e-12,
        "proved exactly",
        f"at every eigenvalue; Huber risks (beta = 1): distance at most {worst:.4f} of the old; "
        "T = beta D_0/chi steps move at most D_0 further away, so all stay in the ball 2 D_0",
    )


def _descent(rng: Random) -> Outcome:
    """-<g, g + e>/beta + |g + e|^2/(2 beta) = (|e|^2 - |g|^2)/(2 beta), by coordinates."""
    grid = [Fraction(k, 2) for k in range(-3, 4)]
    exact = all(
        -g * (g + e) / b + (g + e) ** 2 / (2 * b) == (e**2 - g**2) / (2 * b)
        for g, e, b in product(grid, grid, (Fraction(1, 2), Fraction(1), Fraction(3)))
    )
    worst = -math.inf
    for _ in range(200):
        features, labels = rng.standard_normal((8, 3)), rng.standard_t(2, 8)
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        records, w, e = (features, labels), rng.standard_normal(3), rng.standard_normal(3)
        slope = Huber().gradients(records, w).mean(axis=0)
        after = empirical_risk(Huber(), records, w - slope - e)
        allowed = empirical_risk(Huber(), records, w) + float(e @ e - slope @ slope) / 2
        worst = max(worst, after - allowed)
    return Outcome(
        exact and worst <= 1e-12,
        "proved exactly",
        "an exact identity after smoothness, with chi^2/(2 beta) for the O; Huber risks exceed it "
        f"by at most {worst:.1e}",
    )


def adversarial_descent(
    rng: Random, n_steps: int, *, shape: str, curvature: float
) -> tuple[float, float, float]:
    """Run T steps of descent with errors of norm chi = beta D_0/T, beta = 1, D_0 = 1, w* = 0.

    Parameters
    ----------
    rng : Generator
    n_steps : int
        T.
    shape : {"quadratic", "huber", "logcosh"}
        L is a sum over three coordinates of x w^2/2, of a Huber function with slope at most x, or
        of x^2 log cosh(w/x), all 1-smooth for x = ``curvature`` <= 1.
    curvature : float
        x of the first coordinate; those of the others are smaller.

    Returns
    -------
    tuple of float
        The smallest h_t, 1 <= t <= T, and h_T, over 16 D_0 chi; the largest |w^t - w*|/(2 D_0).
    """
    chi = 1 / n_steps
    x = curvature * np.array([1.0, *rng.uniform(0.01, 1, 2)])
    w = rng.standard_normal(3) * np.array([1.0, *rng.integers(0, 2, 2)])
    w /= np.linalg.norm(w)
    outward = rng.random() < 0.7
    risks, far = [], 1.0
    for _ in range(n_steps):
        direction = w if outward else rng.standard_normal(3)
        slope = _risk_gradient(w, x, shape)
        w = w - slope + chi * direction / np.linalg.norm(direction)
        risks.append(_risk(w, x, shape))
        far = max(far, float(np.linalg.norm(w)))
    return min(risks) / (16 * chi), risks[-1] / (16 * chi), far / 2


def _risk(w: FloatArray, x: FloatArray, shape: str) -> float:
    size = np.abs(w)
    if shape == "quadratic":
        return float((x * w**2).sum() / 2)
    if shape == "huber":
        return float(np.where(size <= x, w**2 / 2, x * (size - x / 2)).sum())
    return float((x**2 * (np.logaddexp(w / x, -w / x) - math.log(2))).sum())


def _risk_gradient(w: FloatArray, x: FloatArray, shape: str) -> FloatArray:
    if shape == "quadratic":
        return x * w
    gradient: FloatArray = np.clip(w, -x, x) if shape == "huber" else x * np.tanh(w / x)
    return gradient


def worst_descent(rng: Random) -> tuple[float, float, float]:
    """Return the largest of each figure of :func:`adversarial_descent` over 600 runs."""
    worst = (0.0, 0.0, 0.0)
    for shape, n_steps in product(("quadratic", "huber", "logcosh"), (1, 2, 5, 20, 100)):
        for curvature in 10 ** rng.uniform(-2.5, 0, 40):
            found = adversarial_descent(rng, n_steps, shape=shape, curvature=float(curvature))
            worst = tuple(map(max, worst, found))  # type: ignore[assignment]
    return worst


def _best_iterate(rng: Random) -> Outcome:
    """1/(h - c h^2) >= 1/h + c, since (1/h + c)(h - c h^2) = 1 - c^2 h^2.

    If |grad(w^0)| < sqrt(2) chi, which the proof leaves out, h_0 <= sqrt(2) chi D_0 already, and
    h_1 <= h_0 + chi^2/(2 beta), at most 16 D_0 chi for T >= 1.
    """
    grid = [Fraction(k, 7) for k in range(1, 6)]
    exact = all((1 / h + c) * (h - c * h**2) == 1 - c**2 * h**2 for h, c in product(grid, grid))
    best, _, far = worst_descent(rng)
    return Outcome(
        exact and 0 < best <= 1 and far <= 1 + 1e-12,
        "proved exactly",
        "the recursion is exact (chi with the constant of (3.96)); 600 runs on three kinds of "
        f"convex risks with errors of norm chi pushing away: smallest h at most {best:.4f} of "
        f"16 D_0 chi, |w^t - w*| at most {far:.4f} of 2 D_0",
    )


def _lost_square(rng: Random) -> Outcome:
    del rng
    # h = x w^2/2, no error, w = D = 1, beta = 1: h_t = (1 - x)^2 h_{t-1}
    x = Fraction(1, 1000)
    before, after = x / 2, (1 - x) ** 2 * x / 2
    claimed = before - before / 4
    return _refuted(
        after > claimed,
        f"h = w^2/2000, beta = D = 1, no error: h goes from {float(before):.3e} to "
        f"{float(after):.3e} > {float(claimed):.3e}",
        {"h before": float(before), "h after": float(after), "claimed": float(claimed)},
    )


def _kept_square(rng: Random) -> Outcome:
    """Convexity: h <= |grad| D, so |grad|^2/(4 beta) >= h^2/(4 beta D^2)."""
    worst = 0.0
    for shape in ("quadratic", "huber", "logcosh"):
        for _ in range(100):
            x, w = rng.uniform(0.001, 1, 3), rng.standard_normal(3)
            slope = _risk_gradient(w, x, shape)
            allowed = float(np.linalg.norm(slope) * np.linalg.norm(w))
            worst = max(worst, _risk(w, x, shape) / allowed)
    return Outcome(
        0.4 < worst <= 1 + 1e-12,
        "checked by search",
        f"300 convex risks: h at most {worst:.4f} of |grad| |w - w*|; squared, it is the step used "
        "afterwards",
    )


def _telescoped(rng: Random) -> Outcome:
    del rng
    exact = all(
        t / (16 * b * d0**2) == 1 / (16 * d0 * (b * d0 / t))
        for t, b, d0 in product(
            (1, 7, 100), (Fraction(1, 3), Fraction(5)), (Fraction(2), Fraction(1, 9))
        )
    )
    # T must be whole: rounding beta D_0/chi down at most halves it
    halves = all(math.floor(y) >= y / 2 for y in np.linspace(1, 50, 5000))
    return Outcome(
        exact and halves,
        "proved exactly",
        "T/(16 beta D_0^2) = 1/(16 D_0 chi) at T = beta D_0/chi; with T rounded down 32 D_0 chi, "
        "12 rational cases",
    )


def _last_iterate(rng: Random) -> Outcome:
    """After h <= 16 D_0 chi, a first h_t > 16 D_0 chi + chi^2/(2 beta) contradicts (3.98).

    Then h_{t-1} >= h_t - chi^2/(2 beta) > 16 D_0 chi, so |grad| >= 16 D_0 chi/(2 D_0) = 8 chi,
    and h_t <= h_{t-1} - (64 - 1) chi^2/(2 beta) < h_{t-1}.
    """
    exact = Fraction(16, 2) == 8 and Fraction(8**2 - 1, 2) > 0
    _, last, _ = worst_descent(rng)
    return Outcome(
        exact and 0 < last <= 1,
        "checked by search",
        f"600 runs on three kinds of convex risks, T from 1 to 100: h_T at most {last:.4f} of "
        "16 D_0 chi alone",
    )


def _convex_rate(rng: Random) -> Outcome:
    """Solve T = beta D/chi, chi = c sqrt(T), D = D_0: T^(3/2) = beta D/c.

    c = beta d sqrt(v l/(n te)), l for log(Delta n/d').
    """
    del rng
    c = monomial("beta d v^1/2 l^1/2 n^-1/2 te^-1/2")
    steps = times((monomial("beta D"), Fraction(2, 3)), (c, Fraction(-2, 3)))
    chi = times((c, 1), (steps, Fraction(1, 2)))
    same = chi == monomial("beta v^1/3 l^1/3 D^1/3 d^2/3 n^-1/3 te^-1/3")
    # 1/te = (sqrt(a + epsilon) + sqrt(a))^2/epsilon^2 <= 4 (a + epsilon)/epsilon^2
    least = min(
        zcdp_rho(e, math.exp(-a)) * 4 * (a + e) / e**2
        for e, a in product((1e-3, 0.5, 1.0), (0.7, 11.5, 600.0))
    )
    return Outcome(
        same
        and steps == monomial("n^1/3 te^1/3 D^2/3 d^-2/3 v^-1/3 l^-1/3")
        and least >= 1 - 1e-12,
        "proved exactly",
        "T ~ (D_0 sqrt(n te)/d)^(2/3) and chi ~ d^(2/3) (l/(n te))^(1/3) in exact exponents, with "
        "1/te <= 8a/epsilon^2 for epsilon <= a; l^(1/3) is at most the printed square root for "
        "l >= 1; by (3.97) the probability is 1 - 2 d' T, not 1 - d' T",
    )


# ------------------------------------------------------------------------------- the experiments


def lognormal_variance(mu: float, sigma: float) -> float:
    """Variance (e^{sigma^2} - 1) e^{2 mu + sigma^2}."""
    return math.expm1(sigma**2) * math.exp(2 * mu + sigma**2)


def _too_small_v(rng: Random) -> Outcome:
    del rng
    moment = 4 * lognormal_variance(1.0, 1.0)
    same = abs(lognormal_variance(1.0, 1.0) / float(stats.lognorm(1.0, scale=math.e).var()) - 1)
    return _refuted(
        moment > 5 and same < 1e-12,
        f"E x_j^2 = 1: E(grad_j l(w*))^2 = 4 Var(e) E x_j^2 = {moment:.1f} > 5 for the squared loss"
        f", {moment / 4:.1f} for half of it; v = 5 needs E x_j^2 <= {5 / moment:.4f} ("
        f"{20 / moment:.3f})",
        {"variance of the noise": moment / 4, "second moment": moment, "v": 5.0},
    )


# ------------------------------------------------------------------------------ the ledger

_AGGREGATE = ("diss-3.2.5",)
_KNOWN_MEAN = ("diss-3.2.7",)
_KNOWN_VARIANCE = ("diss-3.2.8",)
_ROBUST = ("diss-3.2.8", "diss-RGD")
_DESCENT = ("diss-3.2.7", "diss-3.2.8")
_ALL = ("diss-3.2.5", "diss-3.2.7", "diss-3.2.8", "diss-RGD")


def _unchecked(
    number: str, lines: str, formula: str, reason: str, algorithms: tuple[str, ...]
) -> Statement:
    return Statement(
        "004",
        number,
        lines,
        formula,
        "assumption" if number.startswith("Assumption") else "definition",
        "not checkable",
        reason=reason,
        algorithms=algorithms,
    )


STATEMENTS: tuple[Statement, ...] = (
    # ---------------------------------------------------------------- 3.2.2, preliminaries
    _unchecked(
        "Definition 3.2.1",
        "1397",
        "DP-SCO: privately minimise L(w) = E l(w, x); utility E L(w^priv) - min_W L",
        "a definition",
        _ALL,
    ),
    Statement(
        "004",
        "Definition 3.2.2",
        "1399-1401",
        "tau-sub-exponential: E exp(lambda(X - mu)) <= exp(tau^2 lambda^2/2) for |lambda| <= 1/tau",
        "definition",
        "true",
        _subexponential,
        algorithms=_KNOWN_MEAN,
    ),
    _unchecked(
        "Assumption 3.2.1",
        "1403-1408",
        "l >= 0, differentiable, convex in w; L beta-smooth; W of diameter Delta; grad L(w*) = 0",
        "an assumption; it does not make every l(., x) smooth, which Theorem 3.2.2 uses",
        _ALL,
    ),
    _unchecked(
        "Assumption 3.2.2",
        "1410",
        "for |D| >= n_alpha the empirical risk is alpha-strongly convex with probability >= 5/6",
        "an assumption",
        _AGGREGATE,
    ),
    _unchecked(
        "Assumption 3.2.3",
        "1416-1419",
        "grad_j l(w, x) is tau-sub-exponential and beta_j-Lipschitz in w; a <= E grad_j l <= b",
        "an assumption",
        _KNOWN_MEAN,
    ),
    Statement(
        "004",
        "Assumption 3.2.4",
        "1421-1423",
        "E(grad_j l(w, x))^2 <= v; Assumption 3.2.3 implies it, with v = tau^2 + max(a^2, b^2)",
        "assumption",
        "true",
        _second_moment,
        algorithms=_ROBUST,
    ),
    # ---------------------------------------------------------------- 3.2.3, sample and aggregate
    Statement(
        "004",
        "Theorem 3.2.1",
        "1435-1439",
        "Algorithm 3.2.5 is (epsilon, delta)-DP: with the smallest r_i, r_i(t) = Lambda for t > m, "
        "epsilon <= 1, delta >= 1e-14, ceil(s/beta) <= t_0 + s <= m",
        "privacy",
        "true",
        _aggregate_privacy,
        algorithms=_AGGREGATE,
    ),
    Statement(
        "004",
        "Theorem 3.2.1, utility",
        "1435-1441",
        "(3.60) => noise of deviation O(r/epsilon + (Lambda/epsilon) e^{-Omega(epsilon sqrt(m)/d)})"
        ", around a point within O(r) of c",
        "utility",
        "true",
        _aggregate_noise,
        algorithms=_AGGREGATE,
    ),
    Statement(
        "004",
        "(3.60)",
        "1437, 1459",
        "Lemma 3.2.1 gives (3.60): P_{D_S in D}(|f(D_S) - c| <= r) >= 3/4",
        "concentration",
        "false",
        _fixed_data,
        reason="(3.60) is about subsets of the given D, Lemma 3.2.1 about fresh samples",
        corrected="if a fresh block is good with probability p > 3/4, (3.60) holds over m disjoint "
        "blocks with probability 1 - exp(-2m(p - 3/4)^2)",
        corrected_check=_fixed_data_repaired,
        algorithms=_AGGREGATE,
    ),
    Statement(
        "004",
        "Lemma 3.2.1",
        "1463-1467, proof 1716-1738",
        "(3.61): events of probability 9/10 and 5/6 hold together with probability 3/4, and then "
        "|w_D - w*| <= sqrt(40 E|grad l(w*, x)|^2/(n alpha^2))",
        "concentration",
        "false",
        _union_printed,
        reason="the union bound gives 11/15",
        corrected="Markov's inequality with 12: sqrt(48 ...) with probability 3/4; with |w_D - w*| "
        "<= |grad|/alpha even sqrt(40 ...) with probability 97/120",
        corrected_check=_union_repaired,
        algorithms=_AGGREGATE,
        errata=(("diss-3.2.5", 4),),
    ),
    Statement(
        "004",
        "Theorem 3.2.2",
        "1471-1475, proof 1740-1750",
        "(3.62): excess risk O~((beta/alpha)^2 d^3 L(w*)/(n epsilon^4)) under Assumptions 3.2.1 "
        "and 3.2.2",
        "utility",
        "false",
        _risk_factor_printed,
        reason="E|grad l(w*, x)|^2 <= 4 beta L(w*) needs every l(., x) to be beta-smooth",
        corrected="if every l(., x) >= 0 is beta'-smooth on R^d, E|grad l(w*, x)|^2 <= 2 beta' "
        "L(w*) and the excess is O~(beta beta'/alpha^2 d^3 L(w*)/(n epsilon^4))",
        corrected_check=_risk_factor_repaired,
        algorithms=_AGGREGATE,
        errata=(("diss-3.2.5", 6),),
    ),
    Statement(
        "004",
        "Remark 3.2.1",
        "1477",
        "L(w*) = 0 => Algorithm 3.2.5 recovers w* exactly",
        "remark",
        "false",
        _exact_recovery,
        reason="the term Lambda e^{-beta k} of S is never 0",
        corrected="L(w*) = 0 => w* plus noise of deviation (2 Lambda/gamma) e^{-beta K}, K = "
        "floor((m - t_0)/s)",
        corrected_check=_near_recovery,
        algorithms=_AGGREGATE,
    ),
    Statement(
        "004",
        "Lemma 3.2.4",
        "1720",
        "f >= 0 beta-smooth on W => |grad f(w)|^2 <= 4 beta f(w) on W",
        "optimisation",
        "false",
        _self_bounding_printed,
        reason="f must be non-negative and smooth beyond W",
        corrected="f >= 0 beta-smooth on R^d => |grad f(w)|^2 <= 2 beta f(w)",
        corrected_check=_self_bounding,
        algorithms=_AGGREGATE,
        errata=(("diss-3.2.5", 5),),
    ),
    Statement(
        "004",
        "Lemma 3.2.5",
        "1722",
        "X_i independent copies of X, E X = 0 => E|(1/n) sum X_i|^2 <= E|X|^2/n",
        "concentration",
        "true",
        _mean_of_vectors,
        algorithms=_AGGREGATE,
    ),
    # ---------------------------------------------------------------- 3.2.4, known mean
    Statement(
        "004",
        "Algorithm 3.2.7, step 1",
        "1526",
        "te = sqrt(2 log(1/delta)) + 2 epsilon - sqrt(2 log(1/delta))",
        "composition",
        "false",
        _displaced_root,
        reason="the root ends too early: this is 2 epsilon",
        corrected="te = sqrt(2 log(1/delta) + 2 epsilon) - sqrt(2 log(1/delta)), as in l.1894: "
        "te^2/2 + te sqrt(2 log(1/delta)) = epsilon",
        corrected_check=_known_mean_composition,
        algorithms=_KNOWN_MEAN,
        errata=(("diss-3.2.7", 3),),
    ),
    Statement(
        "004",
        "Theorem 3.2.4",
        "1543, proof 1752-1768",
        "Algorithm 3.2.7 is (epsilon, delta)-DP for 0 < epsilon, delta <= 1",
        "privacy",
        "false",
        _known_mean_printed,
        reason="its Mechanism M (Theorem 3.2.3) is not private",
        corrected="with the smooth sensitivity in Mechanism M: dT calls of (te^2/(2dT))-zCDP are "
        "te^2/2-zCDP, hence (epsilon, delta)-DP",
        corrected_check=_known_mean_composition,
        algorithms=_KNOWN_MEAN,
        errata=(("diss-3.2.7", 1),),
    ),
    Statement(
        "004",
        "Lemma 3.2.2",
        "1549-1553, proof 1770-1854",
        "(3.63): E|grad~ - grad L| <= O(tau d sqrt(T log n)/(sqrt(n) te)) uniformly in W, with "
        "m = O(1)",
        "utility",
        "false",
        _uniform_error_printed,
        reason="the noise is at least a constant when m is one, see (3.84)",
        corrected="S <= max{(b-a) e^{-mt}, (x_(n)-x_(1))/(n-2m)}, and (b-a) e^{-mt} <= tau/n with "
        "n/2 > m >= (16 dT/te^2) log(n (b-a)/tau)",
        corrected_check=_uniform_error_repaired,
        algorithms=_KNOWN_MEAN,
        errata=(("diss-3.2.7", 2),),
    ),
    Statement(
        "004",
        "Lemma 3.2.2, probability",
        "1549, 1836-1854",
        "delta = 1/(n beta^), s = O(tau d log(n beta^ Delta)), t accordingly: (3.86), (3.87) hold "
        "with probability 1 - 2dn/(1 + n beta^ Delta)^d",
        "concentration",
        "true",
        _probability,
        algorithms=_KNOWN_MEAN,
    ),
    Statement(
        "004",
        "covering number",
        "1772",
        "W of diameter Delta has a delta-net of (3 Delta/(2 delta))^d points",
        "approximation",
        "true",
        _covering,
        algorithms=_KNOWN_MEAN,
    ),
    Statement(
        "004",
        "(3.85)",
        "1804-1810",
        "|Trim_m - mu| <= (|sum over all (x_i - mu)| + |sum over the trimmed|)/(n - 2m)",
        "identity",
        "true",
        _trimmed_sums,
        algorithms=_KNOWN_MEAN,
    ),
    Statement(
        "004",
        "(3.86)-(3.87)",
        "1814-1822",
        "N centres, d coordinates: deviations above t w.p. <= 2dN exp(-n min{t/2tau, t^2/2tau^2}), "
        "above s for a record w.p. <= 2dnN exp(-min{s/2tau, s^2/2tau^2})",
        "concentration",
        "true",
        _same_as("000 Lemma 11"),
        algorithms=_KNOWN_MEAN,
    ),
    Statement(
        "004",
        "(3.88)-(3.91)",
        "1824-1840",
        "moving w by delta costs 2 beta_j delta in (3.86), (3.87), hence ((m+n)/(n-2m)) 2 beta_j "
        "delta in |Trim_m - grad_j L|",
        "approximation",
        "true",
        _lipschitz_transfer,
        algorithms=_KNOWN_MEAN,
    ),
    Statement(
        "004",
        "(3.92)",
        "1842-1846",
        "given (3.84), E|grad~ - grad L| <= O(sqrt(d) (nt+ms)/(n-2m) + beta^ delta (m+n)/(n-2m) + "
        "tau d sqrt(T log n)/(sqrt(n) te))",
        "concentration",
        "true",
        _norm_of_errors,
        algorithms=_KNOWN_MEAN,
    ),
    Statement(
        "004",
        "(3.93)",
        "1874-1880",
        "eta = 1/beta: |w - eta grad L(w) - w*|^2 <= (1 - 2 alpha/(alpha+beta)) |w - w*|^2",
        "optimisation",
        "true",
        _contraction,
        algorithms=_DESCENT,
    ),
    Statement(
        "004",
        "(3.94)",
        "1862-1888",
        "E|w^^t - w*| <= (1 - alpha/(alpha+beta)) E|w^{t-1} - w*| + error/beta; in total "
        "(1 - alpha/(alpha+beta))^T Delta + O(beta/alpha) error/beta",
        "optimisation",
        "true",
        _step_bound,
        algorithms=_DESCENT,
    ),
    Statement(
        "004",
        "Theorem 3.2.5",
        "1557-1559, proof 1856-1894",
        "E|w^T - w*| <= B => E L(w^T) - L(w*) <= (beta/2) E|w^T - w*|^2 <= (beta/2) B^2",
        "utility",
        "false",
        _jensen,
        reason="Jensen's inequality goes the other way",
        corrected="sqrt(E|w^t - w*|^2) <= (1 - alpha/(alpha+beta)) sqrt(E|w^{t-1} - w*|^2) + "
        "sqrt(E|error|^2)/beta, by Minkowski's inequality",
        corrected_check=_recursion_in_l2,
        algorithms=_KNOWN_MEAN,
        errata=(("diss-3.2.7", 4),),
    ),
    Statement(
        "004",
        "Theorem 3.2.5, rate",
        "1559",
        "excess risk O(Delta^2 beta^2 tau^2 d^2 log^2(n) log(1/delta)/(alpha^3 n epsilon^2))",
        "utility",
        "false",
        _known_mean_rate,
        reason="Delta^2 multiplies the whole bound, which then depends on the units of w",
        corrected="(beta/2)((1 - alpha/(alpha+beta))^T Delta + (2/alpha) error)^2: beta^2 tau^2/"
        "alpha^3 without Delta^2",
        corrected_check=_rate_from_recursion,
        algorithms=_KNOWN_MEAN,
    ),
    Statement(
        "004",
        "te = O(epsilon/sqrt(log(1/delta)))",
        "1894",
        "te = sqrt(2a + 2 epsilon) - sqrt(2a) is of order epsilon/sqrt(a)",
        "approximation",
        "true",
        _taylor,
        algorithms=_KNOWN_MEAN,
    ),
    # ---------------------------------------------------------------- 3.2.4, known variance
    Statement(
        "004",
        "(3.64)-(3.67)",
        "1569-1589",
        "x^ = (s/n) sum of the mean of phi((x_i + eta x_i)/s) over eta ~ N(0, 1/b)",
        "definition",
        "true",
        _three_steps,
        algorithms=_ROBUST,
    ),
    Statement(
        "004",
        "(3.65)",
        "1573-1577",
        "|phi(x)| <= 2 sqrt(2)/3",
        "sensitivity",
        "true",
        _same_as("000 (14)"),
        algorithms=_ROBUST,
    ),
    Statement(
        "004",
        "(3.68), (3.72)-(3.77)",
        "1591-1617",
        "E phi(a + b sqrt(beta) eta) = a(1 - b^2/2) - a^3/6 + T_1 + ... + T_5, b > 0",
        "identity",
        "true",
        _same_as("000 (17)"),
        algorithms=_ROBUST,
    ),
    Statement(
        "004",
        "Lemma 3.2.3",
        "1621, 1644-1646",
        "(3.79): |x^ - E x| <= O(sqrt(v log(1/d')/n)) w.p. 1 - d', with b = 2 log(1/d'), as in "
        "Algorithm 3.2.8",
        "concentration",
        "false",
        _lemma_at_large_probability,
        reason="two sides need log(2/d'), and Algorithm 3.2.8 has b = log(1/d')",
        corrected="with l' = log(2/d') for log(1/d'): |x^ - E x| <= 2.64 sqrt(v l'/n) for b = 2l', "
        "2.8 sqrt(v l'/n) for b = l', at every d' in (0, 1)",
        corrected_check=_lemma_with_two,
        algorithms=(*_ROBUST, "wang-mean"),
        errata=(("hu-mean", 2),),
    ),
    Statement(
        "004",
        "(3.80), sensitivity",
        "1648",
        "the l2-sensitivity of x^ is (s/n) 4 sqrt(2)/3",
        "sensitivity",
        "true",
        _same_as("000 (18), sensitivity"),
        algorithms=(*_ROBUST, "wang-mean"),
    ),
    Statement(
        "004",
        "(3.80)",
        "1648-1652",
        "x^ + N(0, sigma^2) is (epsilon, delta)-DP for some sigma^2 = O(s^2 log(1/delta)/(epsilon "
        "n)^2), epsilon <= log(1/delta)",
        "privacy",
        "true",
        _private_mean_noise,
        algorithms=("wang-mean",),
    ),
    Statement(
        "004",
        "Theorem 3.2.6",
        "1654-1656",
        "(3.81): |A(D) - E x| <= O(sqrt(v log(1/delta) log(1/d')/(n epsilon^2))) w.p. 1 - d'",
        "utility",
        "true",
        _same_as("000 Lemma 2"),
        algorithms=("wang-mean",),
    ),
    Statement(
        "004",
        "(3.78)",
        "1633-1636",
        "(1/n) sum of g(1 - g^2/(2 s^2 b)) - g^3/(6 s^2), plus (s/n) sum of C, is the robust mean",
        "identity",
        "true",
        _algorithm_gradient,
        algorithms=_ROBUST,
    ),
    Statement(
        "004",
        "Theorem 3.2.7",
        "1631, 1662-1664, proof 1896-1898",
        "Algorithm 3.2.8 is (epsilon, delta)-DP with te = (sqrt(log(1/delta)) + epsilon) - "
        "sqrt(log(1/delta))",
        "privacy",
        "false",
        _robust_descent_printed,
        reason="the root ends too early and the square is missing; with the root alone mended it "
        "is false too",
        corrected="te = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2: the run is te-zCDP",
        corrected_check=_robust_descent_accounting,
        algorithms=_KNOWN_VARIANCE,
        errata=(("diss-3.2.8", 1),),
    ),
    Statement(
        "004",
        "Theorem 3.2.7, proof (sensitivity)",
        "1898",
        "the l2-sensitivity (of the d coordinates) is (s/n) 4 sqrt(2)/3",
        "sensitivity",
        "false",
        _proof_sensitivity,
        reason="that of one coordinate; sigma^2 is right",
        corrected="sqrt(d) (s/n) 4 sqrt(2)/3",
        corrected_check=_proof_sensitivity_repaired,
        algorithms=_ROBUST,
    ),
    Statement(
        "004",
        "Theorem 3.2.7, proof (gradient)",
        "1903-1908",
        "g^_j is the cubic of (3.78) plus (1/n) sum of C",
        "identity",
        "false",
        _proof_gradient,
        reason="s/n in (3.78)",
        corrected="plus (s/n) sum of C",
        corrected_check=_algorithm_gradient,
        algorithms=_ROBUST,
    ),
    Statement(
        "004",
        "Theorem 3.2.7, rate",
        "1664",
        "excess risk O(v Delta^2 beta^4 d^2 log^2(n) log(1/delta) log(1/d')/(alpha^3 n epsilon^2))",
        "utility",
        "false",
        _known_variance_rate,
        reason="Delta^2 beta^2 too much: the bound depends on the units of w",
        corrected="(beta/2)((1 - alpha/(alpha+beta))^T Delta + (2/alpha) error)^2: beta^2 v/"
        "alpha^3 without Delta^2",
        corrected_check=_rate_from_recursion,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "Lemma 3.2.9",
        "1908-1912",
        "(3.95): |g^(w) - E grad l(w, x)| <= O(beta d sqrt(v log(Delta n/d'))/sqrt(n)) for all w",
        "concentration",
        "false",
        _uniform_mean_printed,
        reason="beta multiplies the whole bound; a linear loss has beta = 0 but a deviation",
        corrected="if grad_j l(., x) is beta_j-Lipschitz: s log(2dN/d')/n + s b/(2n) + "
        "v(1 + 1/b)/(2s) + (1 + sqrt(1 + 1/b)) beta_j h per coordinate, N points to within h",
        corrected_check=_uniform_mean_repaired,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "Lemma 3.2.10",
        "1914-1918",
        "(3.96): |g(w) - E grad l(w, x)| <= O(beta d sqrt(vT log(Delta n/d'))/sqrt(n te)) w.p. "
        "1 - 2d'",
        "concentration",
        "false",
        _noisy_gradient_printed,
        reason="beta multiplies the whole bound, as in Lemma 3.2.9",
        corrected="that of Lemma 3.2.9 plus the noise, at most sigma (sqrt(d) + sqrt(2l)) "
        "w.p. 1 - d', sigma = sqrt(8 v d T/(9 l n te))",
        corrected_check=_noisy_gradient_repaired,
        algorithms=_KNOWN_VARIANCE,
    ),
    _unchecked(
        "Assumption 3.2.5",
        "1670-1672",
        "W contains the ball of radius 2|w^0 - w*| around w*",
        "an assumption; that the iterates stay in that ball is (3.97)",
        _KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "(3.97)",
        "1920-1943",
        "eta = 1/beta: |w^^t - w*| <= |w^{t-1} - w*| + error/beta; so D_t <= 2 D_0 for t <= T",
        "optimisation",
        "true",
        _non_expansive,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "(3.98)",
        "1943-1949",
        "L(w^t) <= L(w^{t-1}) - |grad L(w^{t-1})|^2/(2 beta) + |error|^2/(2 beta)",
        "optimisation",
        "true",
        _descent,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "Lemma 3.2.11",
        "1953-1985",
        "errors of norm at most chi, T = beta D_0/chi: h_t <= 16 D_0 chi for some t in 1..T",
        "optimisation",
        "true",
        _best_iterate,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "Lemma 3.2.11, proof",
        "1973",
        "h_{t-1} - |grad|^2/(4 beta) <= h_{t-1} - h_{t-1}/(4 beta D_{t-1}^2)",
        "optimisation",
        "false",
        _lost_square,
        reason="a square is lost; it is back in the next line",
        corrected="h_{t-1} - |grad|^2/(4 beta) <= h_{t-1} - h_{t-1}^2/(4 beta D_{t-1}^2)",
        corrected_check=_kept_square,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "(3.99)",
        "1981-1985",
        "1/h_T >= T/(16 beta D_0^2) = 1/(16 D_0 chi) at T = beta D_0/chi",
        "optimisation",
        "true",
        _telescoped,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "(3.100)",
        "1987-1999",
        "h_T <= 16 D_0 chi + chi^2/(2 beta)",
        "optimisation",
        "true",
        _last_iterate,
        algorithms=_KNOWN_VARIANCE,
    ),
    Statement(
        "004",
        "Theorem 3.2.8",
        "1674-1678, proof 1920-1999",
        "(3.82): 16 D_0 chi = O~(log^(1/3)(1/delta) sqrt(log(1/d')) d^(2/3)/(n epsilon^2)^(1/3))",
        "utility",
        "true",
        _convex_rate,
        algorithms=_KNOWN_VARIANCE,
    ),
    # ---------------------------------------------------------------- 3.2.5, experiments
    Statement(
        "004",
        "section 3.2.5, v",
        "1686-1690",
        "v = 5 satisfies Assumption 3.2.4 for ridge regression with lognormal(1, 1) noise",
        "experiment",
        "false",
        _too_small_v,
        reason="the noise alone has variance 34.5",
        algorithms=_ROBUST,
        errata=(("diss-RGD", 2),),
    ),
)
