"""Section 3.2.3: sample and aggregate (Algorithm 3.2.5), with the proofs of section 3.2.6.

t_0, s, r_i(t), gamma, beta and S are those of the algorithm, q = ceil(s/beta).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import scipy

from proofs_checks.balls import Ball, ball, exp, log, ndtr, sqrt
from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    every,
    exactly,
    for_all,
    identity,
    less,
    precisely,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.errata.heavy_tailed.sample_and_aggregate import printed_2_bound, printed_bound
from reference.heavy_tailed.sample_and_aggregate import (
    Constants,
    centre_of_attention,
    constants_for,
    majority,
    radii,
    smooth_bound,
)

statement = partial(any_statement, algorithms=("diss-3.2.5",))


def _centre_and_bound(
    points: FloatArray, touched: int, *, decay: float, diameter: float
) -> tuple[FloatArray, float]:
    """Return g and S of Algorithm 3.2.5."""
    distances = radii(points)
    bound = smooth_bound(distances, touched, decay=decay, diameter=diameter)
    centre: FloatArray = points[centre_of_attention(distances, touched)]
    return centre, bound


# ------------------------------------------------------------------------- Theorem 3.2.1


def _bound_on_two_clusters(
    bound: Callable[..., float], m: int, s: int, decay: float, moved: float
) -> float:
    """S of m estimates at 0 of which s are moved by one record; Lambda = 50."""
    points = np.zeros((m, 1))
    points[:s] = moved
    return bound(radii(points), s, decay=decay, diameter=50.0)


@statement(
    "004 Algorithm 3.2.5, step 5",
    lines="1453",
    kind="privacy",
    printed="S = 2 max_k rho(t_0 + (k+1)s) e^{-beta k}, rho(t) the mean of the top ceil(s/beta) "
    "of the r_i(t), is smooth",
    false="ambiguous: with the largest r_i(t), or with the maximum over the defined k <= "
    "(m - t_0)/s - 1 only, it is not",
    errata=("diss-3.2.5/E1", "diss-3.2.5/E2"),
)
def largest_radii() -> Outcome:
    """One record moves 50 of 2500 estimates from 0 to 10: S against e^{2 beta} times the old S.

    Without the diameter's term, S is 0 where all estimates agree: the smallest positive double
    stands for it.
    """
    outcomes = []
    for name, bound, m, s, beta in (
        ("largest", printed_bound, 2500, 50, 0.4),
        ("defined k only", printed_2_bound, 400, 20, 0.1),
    ):
        before, after = (_bound_on_two_clusters(bound, m, s, beta, x) for x in (0.0, 10.0))
        point = {
            "reading": name,
            "m": m,
            "s": s,
            "beta": beta,
            "moved to": 10.0,
            "S before": before,
        }
        outcomes.append(refuted(point, after, math.exp(2 * beta) * before, "S after one record"))
    # both readings must fail; the first is shown
    return outcomes[0] if not any(found.holds for found in outcomes) else every(*outcomes)


def _smoothness_violation(
    first: FloatArray, second: FloatArray, touched: int, decay: float
) -> tuple[float, float]:
    """Return |log S - log S'|/(2 beta) and |g - g'|/min(S, S') of two sets of points.

    Lambda is the largest distance in either, the smallest that is allowed.
    """
    diameter = max(float(radii(side)[:, -1].max()) for side in (first, second))
    (g, bound), (other_g, other_bound) = (
        _centre_and_bound(side, touched, decay=decay, diameter=diameter) for side in (first, second)
    )
    moved = float(np.linalg.norm(g - other_g))
    return abs(math.log(bound / other_bound)) / (2 * decay), moved / min(bound, other_bound)


def _points(rng: np.random.Generator, m: int, d: int) -> FloatArray:
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


def _shells(count: int, touched: int, decay: float) -> tuple[FloatArray, FloatArray]:
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


def _worst_pair(rng: np.random.Generator, pairs: int) -> tuple[float, float]:
    worst = _smoothness_violation(*_shells(100, 5, 0.1), 5, 0.1)
    for _ in range(pairs):
        s, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        decay = float(rng.choice([0.15, 0.3, 0.5]))
        m = int(2 * math.ceil(s / decay) + rng.integers(2 * s, 40))
        first = _points(rng, m, d)
        second = first.copy()
        some = rng.permutation(m)[:s] if rng.random() < 0.5 else np.arange(s)
        second[some] = _points(rng, s, d) * float(rng.choice([1.0, 50.0]))
        second[some] /= np.maximum(1, np.linalg.norm(second[some], axis=1, keepdims=True) / 50)
        found = _smoothness_violation(first, second, s, decay)
        worst = (max(worst[0], found[0]), max(worst[1], found[1]))
    return worst


def _smooth(powers: int) -> dict[str, Outcome]:
    """Return the steps to e^{``powers`` beta} of the smoothness of S; see Theorem 3.2.1."""
    q, s, u, a, rho, after, beta = reals("q s u a rho after beta")
    w, power, bound = reals("w e_to_beta S")
    return {
        "mean": for_all(
            q * after <= (1 + beta) * q * rho,
            *(q * after <= q * rho + u * a, u >= 0, u <= s, s <= beta * q),
            *(a >= 0, a <= rho, q >= 1, beta >= 0),
        ),
        "smooth": for_all(
            w * after <= power**powers * bound,
            *(after <= (1 + beta) * rho, w * rho <= power * bound),
            *(beta > 0, 1 + beta <= power, w > 0, bound > 0, rho >= 0),
        ),
    }


@largest_radii.corrected(
    "the same with the smallest r_i(t) and r_i(t) = Lambda for t > m: log S moves by at most 2 "
    "beta, if q = ceil(s/beta) <= t_0 + s <= m",
    refuses={"by at most beta": {"powers": 1}},
    unchecked={
        "r_i, t": "of the radii r_i(t) and r_i(t + s) the steps have the means of the q smallest",
        "Lambda, m, t_0": "in the searched pairs only; not checked by argument: the radii beyond m",
    },
)
def smallest_radii(rng: np.random.Generator, powers: int = 2) -> Outcome:
    """See :func:`sample_and_aggregate_privacy` [steps "mean", "smooth"]; pairs are searched."""
    worst = _worst_pair(rng, 50)[0]
    return derived(
        **_smooth(powers),
        pairs=searched(worst, powers / 2 + 1e-9, tried=51, what="log S over 2 beta"),
    )


def _scaled_gaussian_delta(dimension: int, epsilon: float, shift: float, log_scale: float) -> float:
    """Exact delta of N(0, I) from N(shift e_1, e^{2u} I) at epsilon, u = ``log_scale`` not 0.

    With c = e^{-2u}, the loss (c |x - shift e_1|^2 - |x|^2)/2 + d u exceeds epsilon on the outside
    (c > 1) or inside of a ball, whose probabilities are those of non-central chi^2 variables.
    """
    c = math.exp(-2 * log_scale)
    square = (2 * (epsilon - dimension * log_scale) + c * shift**2 / (c - 1)) / (c - 1)
    near, far = (c * shift / (c - 1)) ** 2, c * (shift / (c - 1)) ** 2
    if square <= 0:  # an empty ball: for c > 1 it would be larger, both laws having mass 1
        return 0.0
    tail = scipy.stats.ncx2.sf if c > 1 else scipy.stats.ncx2.cdf
    first, second = tail(square, dimension, near), tail(c * square, dimension, far)
    return float(first - math.exp(epsilon) * second)


def narrower(epsilon: str, delta: str, fifth: str) -> Ball:
    """Enclose delta(epsilon) on the line, the new noise e^{-2 beta} times the old, by balls.

    With s = gamma e^{-2 beta} and c = e^{4 beta} the loss (c (x - s)^2 - x^2)/2 - 2 beta exceeds
    epsilon outside the two roots of a quadratic.
    """
    budget, level = ball(epsilon), log(2 / ball(delta))
    beta, gamma = budget / (4 * (1 + level)), budget / (ball(fifth) * sqrt(2 * level))
    c, s = exp(4 * beta), gamma * exp(-2 * beta)
    width = sqrt((c * s) ** 2 - (c - 1) * (c * s * s - 4 * beta - 2 * budget))
    low, high = (c * s - width) / (c - 1), (c * s + width) / (c - 1)
    old = ndtr(low) + ndtr(-high)
    return old - exp(budget) * (ndtr((low - s) * sqrt(c)) + ndtr((s - high) * sqrt(c)))


def _worst_share_of_delta(dimension: int, epsilon: float, delta: float, fifth: float) -> float:
    """Return the largest exact delta(epsilon)/delta if log S moves by 2 beta.

    The centre moves by at most the smaller of S and S', the noise is S/gamma.
    """
    log_term = math.log(2 / delta)  # step 1, also where it does not suffice
    constants = Constants(
        divisor=epsilon / (fifth * math.sqrt(2 * log_term)),
        decay=epsilon / (4 * (dimension + log_term)),
    )
    worst = 0.0
    for part, share in product((-1.0, 1.0), (1e-6, 1.0)):
        u = 2 * part * constants.decay
        shift = share * constants.divisor * min(1.0, math.exp(u))
        worst = max(worst, _scaled_gaussian_delta(dimension, epsilon, shift, u) / delta)
    return worst


@statement(
    "004 Theorem 3.2.1",
    lines="1435-1439",
    kind="privacy",
    printed="Algorithm 3.2.5 is (epsilon, delta)-DP for epsilon > 2d/sqrt(m), m = omega(log^2 n)",
    checked="that gamma and beta are small enough by search, at d = 1, 10, 100, epsilon = 0.1, 1 "
    "and three delta, and by balls at d = 1, epsilon = 1, delta = 1e-14",
    added="epsilon <= 1, delta >= 1e-14, q = ceil(s/beta) >= 2s, q <= t_0 + s <= m",
    misprint="the top r_i(t) of step 5 for the smallest, with r_i(t) = Lambda for t > m",
    errata=("diss-3.2.5/E1", "diss-3.2.5/E2"),
    refuses={
        "S is beta-smooth": {"powers": 1},
        "S/2 bounds the move of the centre": {"share": "1/2"},
        "gamma = epsilon/sqrt(2 log(2/delta))": {"fifth": "1"},
        "gamma = epsilon/(2 sqrt(2 log(2/delta)))": {"fifth": "2"},
    },
    unchecked={
        "m, omega, n": "not checked: that the conditions on m give q >= 2s and q <= t_0 + s <= m",
    },
)
def sample_and_aggregate_privacy(
    rng: np.random.Generator, powers: int = 2, share: str = "1", fifth: str = "5"
) -> Outcome:
    """S is 2 beta-smooth and the centre moves by at most S; then exact Gaussians.

    Let s points change. An unchanged point has r'(t) <= r(t+s). The q points of the smallest
    r(t+s) include u <= s changed ones; the ball of the smallest, a, holds at least q + s points,
    so u unchanged ones beyond the q, each with r' <= 2a: q rho'(t) <= q rho(t+s) + u a, which is
    at most (1 + beta) q rho(t+s) as u <= s <= beta q and a <= rho(t+s) [step "mean"]. 1 + beta <=
    e^beta, and the other e^beta is one step of k [step "smooth", w = e^{-beta k}]. The old and the
    new ball of the centre share an
    unchanged point. Their radii are at most a, the smallest r(t_0+s), and the (s+1)-th smallest,
    c, with q rho(t_0+s) >= s a + (q-s) c: together at most 2 rho(t_0+s) <= S if q >= 2s [step
    "centre"]. Pairs are searched [step "pairs"]; the delta of N(0, I) against a shifted and
    scaled normal law is that of chi^2 variables [step "delta"; step "line", on the line].
    """
    worst = _worst_pair(rng, 150)
    shares = [
        _worst_share_of_delta(d, epsilon, delta, float(fifth))
        for d, epsilon, delta in product((1, 10, 100), (0.1, 1.0), (1e-2, 1e-5, 1e-14))
    ]
    q, s, a, c, rho = reals("q s a c rho")
    return derived(
        **_smooth(powers),
        centre=for_all(
            a + c <= 2 * rational(share) * rho,
            *(q * rho >= s * a + (q - s) * c, q >= 2 * s, s >= 1, a >= 0, c >= a),
        ),
        pairs=searched(
            max(worst[0], worst[1]), powers / 2 + 1e-9, tried=151, what="log S over beta, |g-g'|/S"
        ),
        line=less(narrower("1", "1e-14", fifth), ball("1e-14")),
        delta=searched(max(shares), 1.0, tried=len(shares), what="exact delta over delta"),
    )


@statement(
    "004 Theorem 3.2.1, utility",
    lines="1435-1441",
    kind="utility",
    printed="(3.60) => noise of deviation O(r/epsilon + (Lambda/epsilon) e^{-Omega(epsilon "
    "sqrt(m)/d)}), around a point within O(r) of c",
    checked="S <= 2 max(2r, Lambda e^{-beta K}), K = floor((3m/4 - t_0)/s) >= sqrt(m)/4 - 5/2 at "
    "s = sqrt(m), and |g - c| <= 3r",
    refuses={
        "S <= 0.7 of it": {"factor": "0.7"},
        "K >= sqrt(m)/4 - 2": {"less": "2"},
        "|g - c| <= 2.9 r": {"radius": "2.9"},
        "r and Lambda for r/epsilon and Lambda/epsilon": {"budgets": 0},
        "epsilon m/d in the exponent": {"estimates": "1"},
        "epsilon sqrt(m) in the exponent": {"dims": 0},
    },
)
def noise_deviation(
    rng: np.random.Generator,
    factor: str = "1",
    less: str = "5/2",
    radius: str = "3",
    budgets: int = 1,
    estimates: str = "1/2",
    dims: int = 1,
) -> Outcome:
    """If 3/4 of the points lie within r of c, each of them has r_i(t) <= 2r for t <= 3m/4.

    So the k-th term of S, w = e^{-beta k}, has rho <= 2r for k < K and w <= e^{-beta K} from
    there on [step "terms"]. K counts the k >= 0 with t_0 + (k+1) s <= 3m/4. The ball around g
    holds more than half of the points, hence one of these: |g - c| <= r + 2r [step "near"]. At s =
    sqrt(m),
    with t_0 <= (m+s)/2 + 1, K >= (3m/4 - t_0)/s - 1 >= s/4 - 5/2 [step "count"]. The O hides
    1/gamma = 5 sqrt(2 l)/epsilon, l = log(2/delta) [step "order"], the Omega 1/(64 l): beta =
    epsilon/(4 (d + l)) and d + l <= 4 d l [steps "order", "exponent"].
    """
    worst = off = 0.0
    for _ in range(120):
        s, d, r = int(rng.integers(1, 5)), int(rng.integers(1, 40)), 10 ** rng.uniform(-3, 0)
        decay = float(rng.choice([0.1, 0.3, 0.5]))
        m = 4 * math.ceil(s / decay) + int(rng.integers(4 * s, 60))
        good = math.ceil(0.75 * m)
        directions = rng.standard_normal((m, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        outside = rng.uniform(1, 50, m) if rng.random() < 0.7 else 3 * r * (1 + 1e-9)
        points = directions * np.where(np.arange(m) < good, r, outside)[:, None]
        steps = max(0, (good - majority(m, s)) // s)
        g, bound = _centre_and_bound(points, s, decay=decay, diameter=100.0)
        worst = max(worst, bound / (2 * max(2 * r, 100 * math.exp(-decay * steps))))
        off = max(off, float(np.linalg.norm(g)) / r)
    m_, s_, t0, k = reals("m s t0 K")
    rho, w, near, far, decayed = reals("rho w r Lambda e_to_minus_beta_K")
    most = z3.If(2 * near > far * decayed, 2 * near, far * decayed)
    distance, to_point, from_centre = reals("g_to_c g_to_x x_to_c")
    size, level = reals("d l")
    epsilon, dim, log_term, count, smooth = symbols("epsilon d l m S")
    gamma, beta = epsilon / (5 * sp.sqrt(2 * log_term)), epsilon / (4 * (dim + log_term))
    exponent = epsilon * count ** sp.Rational(estimates) / (16 * (dim + log_term))
    return derived(
        order=identity(
            (smooth / gamma, 5 * sp.sqrt(2 * log_term) * smooth / epsilon**budgets),
            (beta * sp.sqrt(count) / 4, exponent),
        ),
        exponent=for_all(
            size + level <= 4 * size**dims * level, size >= 1, level >= rational("1/2")
        ),
        terms=for_all(
            2 * rho * w <= rational(factor) * 2 * most,
            z3.Or(z3.And(rho <= 2 * near, w <= 1), z3.And(rho <= far, w <= decayed)),
            *(rho >= 0, w > 0, near > 0, far > 0, decayed > 0),
        ),
        near=for_all(
            distance <= rational(radius) * near,
            *(
                near > 0,
                distance <= to_point + from_centre,
                to_point <= 2 * near,
                from_centre <= near,
            ),
        ),
        count=for_all(
            k >= s_ / 4 - rational(less),
            *(m_ == s_ * s_, s_ >= 1, t0 <= (m_ + s_) / 2 + 1, k * s_ >= 3 * m_ / 4 - t0 - s_),
        ),
        bound=searched(worst, 1 + 1e-9, tried=120, what="S over 2 max(2r, Lambda e^(-beta K))"),
        centre=searched(off, 3.0 + 1e-9, tried=120, what="|g - c|/r"),
    )


# ---------------------------------------------------------------- (3.60) and Lemma 3.2.1


def _share_of_good_blocks(m: int, probability: float) -> float:
    """P(at least 3/4 of m independent blocks are good), each with the given probability."""
    return float(scipy.stats.binom.sf(math.ceil(0.75 * m) - 1, m, probability))


@statement(
    "004 (3.60)",
    lines="1437, 1457-1459, 1742",
    kind="concentration",
    printed="by Lemma 3.2.1, (3.60) holds: P_{D_S in D}(|f(D_S) - c| <= r) >= 3/4",
    false="(3.60) is about subsets of the given D, Lemma 3.2.1 about fresh samples",
    errata=("diss-3.2.5/E7",),
)
def fixed_data() -> Outcome:
    """Disjoint blocks, good with probability exactly 3/4: for half of the D it fails."""
    m = 10_000
    holds = _share_of_good_blocks(m, 0.75)
    return refuted({"m": m, "P(a block is good)": 0.75}, 0.9, holds, "0.9 of the D against P(3.60)")


@fixed_data.corrected(
    "if a fresh block is good with probability p > 3/4, (3.60) holds over m disjoint blocks with "
    "probability 1 - exp(-2m(p - 3/4)^2)",
    refuses={"exp(-4m(p - 3/4)^2)": {"rate": 4.0}},
)
def disjoint_blocks_are_good(rate: float = 2.0) -> Outcome:
    """Hoeffding's inequality, which is cited; exact binomial tails."""
    worst, tried = 0.0, 0
    for m, p in product((50, 400, 2000, 20_000), (0.78, 97 / 120, 0.9)):
        failure = float(scipy.stats.binom.cdf(math.ceil(0.75 * m) - 1, m, p))
        # in logarithms: both underflow
        log_failure = math.log(failure) if failure else -math.inf
        worst = max(worst, math.exp(min(700.0, log_failure + rate * m * (p - 0.75) ** 2)))
        tried += 1
    return searched(worst, 1.0, tried=tried, what="exact failure over exp(-2m(p - 3/4)^2)")


@statement(
    "004 Lemma 3.2.1, proof",
    lines="1730-1738",
    kind="concentration",
    printed="events of probability 9/10 (Markov) and 5/6 hold together with probability 3/4",
    false="the union bound gives 11/15; the product 3/4 needs independence",
    errata=("diss-3.2.5/E4",),
)
def product_of_probabilities() -> Outcome:
    """Disjoint failures of probability 1/10 and 1/6."""
    both = 1 - Fraction(1, 10) - Fraction(1, 6)
    return refuted({"P(A)": "9/10", "P(B)": "5/6"}, Fraction(3, 4), both, "3/4 against P(A and B)")


@product_of_probabilities.corrected(
    "events of probability 11/12 (Markov with 12) and 5/6 do",
    refuses={"10/11": {"share": "10/11"}, "Markov with 11": {"markov": 11}},
)
def markov_with_twelve(share: str = "11/12", markov: int = 12) -> Outcome:
    """Union bound: one of them fails with probability 1/12 + 1/6 at most, which leaves 3/4."""
    return identity(
        (sp.Rational(share) + sp.Rational(5, 6) - 1, sp.Rational(3, 4)),
        (1 - 1 / sp.Integer(markov), sp.Rational(11, 12)),
    )


@statement(
    "004 Lemma 3.2.1",
    lines="1463-1467, proof 1716-1738",
    kind="concentration",
    printed="(3.61): |w_D - w*| <= O(sqrt(E|grad l(w*, x)|^2/(n alpha^2))) with probability 3/4",
    checked="constant 40 in the root, as in the proof; even with probability 97/120",
    refuses={
        "constant 11": {"constant": 11},
        "|w_D - w*| <= 0.9 |grad|/alpha": {"share": "0.9"},
        "n^2 alpha^2": {"records": 2},
        "n alpha": {"power": 1},
    },
)
def near_the_optimum(
    constant: int = 40, share: str = "1", records: int = 1, power: int = 2
) -> Outcome:
    """Strong convexity: alpha |w_D - w*|^2 <= <g(w_D) - g(w*), w_D - w*> for the empirical g.

    The optimum has <g(w_D), w_D - w*> <= 0, so |w_D - w*| <= |g(w*)|/alpha, half of what the
    proof gets [step "distance"]. By Lemma 3.2.5 and Markov's inequality |g(w*)|^2 <=
    (40/n) E|grad l|^2 with probability 39/40, which leaves 97/120 [step "union"], and the square
    of the radius is that over alpha^2 [step "radius"].

    Here radius = eta.
    """
    n, curvature, second = symbols("n alpha E")
    radius = sp.sqrt(constant * second / (n**records * curvature**power))
    alpha, distance, g, inner, at_optimum = reals("alpha D g inner at_optimum")
    large, concave = reals("P(large_gradient) P(not_strongly_convex)")
    return derived(
        distance=for_all(
            alpha * distance <= rational(share) * g,
            *(alpha > 0, distance >= 0, g >= 0, at_optimum <= 0),
            *(alpha * distance * distance <= at_optimum - inner, -inner <= g * distance),
        ),
        radius=identity((curvature * radius, sp.sqrt(constant * second / n))),
        union=for_all(
            1 - large - concave >= rational("3/4"), constant * large <= 1, 6 * concave <= 1
        ),
    )


near_the_optimum.restated(
    "004 (3.61)",
    lines="1465-1467",
    printed="P(|w_D - w*| <= eta) >= 3/4 with eta = O(sqrt(E|grad l(w*, x)|^2/(n alpha^2)))",
)


# ------------------------------------------------------------- Theorem 3.2.2, Remark 3.2.1


def _released_variance(rng: np.random.Generator, p: float, m: int = 400) -> float:
    """Variance of the noise of Algorithm 3.2.5 on m blocks, times n over beta/alpha squared.

    l = (xw - y)^2, x^2 = 1/p with probability p, else 0, and y = x xi, xi = +-1; 40/p records a
    block; epsilon = 1, delta = 1e-3, alpha = 1 (20 of the 40 expected features), Lambda = 2.
    """
    size = round(40 / p)
    counts = rng.binomial(size, p, m)
    sums = 2.0 * rng.binomial(counts, 0.5) - counts
    estimates = (sums / np.maximum(counts, 1))[:, None]
    constants = constants_for(epsilon=1.0, delta=1e-3, dimension=1)
    _, bound = _centre_and_bound(estimates, 1, decay=constants.decay, diameter=2.0)
    return float((bound / constants.divisor) ** 2 * m * size / 4)


@statement(
    "004 Theorem 3.2.2",
    lines="1471-1475, proof 1740-1750",
    kind="utility",
    printed="(3.62): excess risk O~((beta/alpha)^2 d^3 L(w*)/(n epsilon^4)) under Assumptions "
    "3.2.1 and 3.2.2",
    false="E|grad l(w*, x)|^2 <= 4 beta L(w*) needs every l(., x) to be beta-smooth",
    errata=("diss-3.2.5/E6",),
)
def only_the_risk_is_smooth(rng: np.random.Generator) -> Outcome:
    """l = (xw - y)^2 with rare features x^2 = 1/p: beta = 2, L(w*) = 1, E|grad|^2 = 4/p.

    The excess risk of the noise alone, over (3.62), grows like 1/p.
    """
    common, rare = (_released_variance(rng, p) for p in (0.1, 0.001))
    point = {"beta": 2.0, "L(w*)": 1.0, "p": 0.001, "E|grad|^2": 4000.0, "at p = 0.1": common}
    return refuted(point, rare, 20 * common, "excess over (3.62), against 20 times that at p = 0.1")


@only_the_risk_is_smooth.corrected(
    "if every l(., x) >= 0 is beta'-smooth on R^d: excess O~(beta beta'/alpha^2 d^3 L(w*)/(n "
    "epsilon^4))",
    refuses={
        "d^2": {"dimensions": 2},
        "beta^2": {"own": 0},
        "E|grad|^2 <= 1.9 beta' L": {"factor": "1.9"},
    },
    unchecked={"R": "smooth on all of R^d: Lemma 3.2.4 steps from w to any point"},
)
def every_loss_is_smooth(dimensions: int = 3, own: int = 1, factor: str = "2") -> Outcome:
    """The powers at m = d^2/epsilon^2, up to logarithms.

    Deviation S/gamma <= 20 r sqrt(2 log(2/delta))/epsilon (Theorem 3.2.1, S <= 4r) in d
    coordinates, r^2 = 40 m E|grad l(w*, x)|^2/(n alpha^2) (Lemma 3.2.1), E|grad l|^2 <= 2 beta'
    L(w*) (Lemma 3.2.4 [step "gradient"]), and excess <= (beta/2) |A(D) - w*|^2 [step "rate"].

    Here beta_x stands for beta'.
    """
    d, n, epsilon, alpha, beta, single, risk, size = symbols("d n epsilon alpha beta beta_x L l")
    m = d**2 / epsilon**2
    r2 = 40 * m * 2 * single * risk / (n * alpha**2)
    excess = beta / 2 * d * 400 * r2 * 2 * size / epsilon**2
    shown = beta * single**own * beta ** (1 - own) / alpha**2 * d**dimensions * risk
    return derived(
        gradient=self_bounded(factor),
        rate=identity((excess, 32_000 * size * shown / (n * epsilon**4))),
    )


only_the_risk_is_smooth.restated(
    "004 (3.62)",
    lines="1473",
    printed="L(A(D)) - L(w*) <= O~((beta/alpha)^2 d^3 L(w*)/(n epsilon^4))",
)


def self_bounded(factor: str = "2") -> Outcome:
    """0 <= f(w - g/beta) <= f(w) - |g|^2/beta + |g|^2/(2 beta), times 2 beta, with y = |g|^2."""
    f, y, beta = reals("f y beta")
    return for_all(
        y <= rational(factor) * beta * f, *(beta > 0, y >= 0, 2 * beta * f - 2 * y + y >= 0)
    )


@statement(
    "004 Remark 3.2.1",
    lines="1477",
    kind="remark",
    printed="L(w*) = 0 => Algorithm 3.2.5 recovers w* exactly",
    false="the term Lambda e^{-beta k} of S is never 0",
    errata=("diss-3.2.5/E8",),
)
def exact_recovery() -> Outcome:
    """All estimates are w* (d = 1, epsilon = 1, delta = 1e-3, 1600 disjoint blocks)."""
    constants = constants_for(epsilon=1.0, delta=1e-3, dimension=1)
    _, bound = _centre_and_bound(np.zeros((1600, 1)), 1, decay=constants.decay, diameter=1.0)
    point = {"m": 1600, "epsilon": 1.0, "delta": 1e-3, "Lambda": 1.0}
    return refuted(point, bound / constants.divisor, 0.0, "deviation of the noise")


@exact_recovery.corrected(
    "L(w*) = 0 => w* plus noise of deviation (2 Lambda/gamma) e^{-beta K}, K = floor((m - t_0)/s)",
    refuses={
        "K + 1": {"later": 1},
        "Lambda/gamma": {"twice": 1},
        "gamma = epsilon/(2 sqrt(2 log(2/delta)))": {"fifth": 2},
        "beta = epsilon/(3 (1 + log(2/delta)))": {"fourth": 3},
    },
    unchecked={"L, w*": "all estimates are w*, 0 in the code, as L(w*) = 0 makes them"},
)
def near_recovery(later: int = 0, twice: int = 2, fifth: int = 5, fourth: int = 4) -> Outcome:
    """S/gamma of m equal estimates against the formula, in doubles, d = 1; k stands for K.

    gamma = epsilon/(5 sqrt(2 log(2/delta))) and beta = epsilon/(4 (d + log(2/delta))) are those of
    step 1.
    """

    def cases() -> Iterator[tuple[dict[str, Any], Any, Any]]:
        for m, s, epsilon, delta in product((401, 900), (1, 3), (0.5, 1.0), (1e-2, 1e-3)):
            constants, diameter = constants_for(epsilon=epsilon, delta=delta, dimension=1), 3.0
            points = np.zeros((m, 1))
            _, found = _centre_and_bound(points, s, decay=constants.decay, diameter=diameter)
            gamma = epsilon / (fifth * math.sqrt(2 * math.log(2 / delta)))
            beta = epsilon / (fourth * (1 + math.log(2 / delta)))
            t_0 = majority(m, s)
            k = (m - t_0) // s + later
            point = {"m": m, "s": s, "epsilon": epsilon, "delta": delta, "Lambda": diameter}
            yield point, found / constants.divisor, twice * diameter / gamma * math.exp(-beta * k)

    return precisely(cases, "=", tolerance="1e-12", note="S/gamma")


@statement(
    "004 Lemma 3.2.4",
    lines="1720",
    kind="optimisation",
    printed="f >= 0 beta-smooth on W => |grad f(w)|^2 <= 4 beta f(w) on W",
    false="f must be non-negative and smooth beyond W",
    errata=("diss-3.2.5/E5",),
)
def self_bounding_on_a_set() -> Outcome:
    """f(w) = w on W = [0, 1] is smooth for every beta > 0."""
    return refuted({"f": "w", "W": [0, 1], "w": 0.0, "beta": 1.0}, 1, 4 * 1 * 0, "f'^2 at w = 0")


@self_bounding_on_a_set.corrected(
    "f >= 0 beta-smooth on R^d => |grad f(w)|^2 <= 2 beta f(w)",
    refuses={"1.9 beta f": {"factor": "1.9"}},
    unchecked={
        "R, d": "smooth on all of R^d, so that w - g/beta, of which the step has f, is in the "
        "domain",
    },
)
def self_bounding(factor: str = "2") -> Outcome:
    """By smoothness 0 <= f(w - g/beta) <= f(w) - |g|^2/(2 beta) [step "descent"]."""
    return derived(descent=self_bounded(factor))


@statement(
    "004 Lemma 3.2.5",
    lines="1722",
    kind="concentration",
    printed="X_i independent copies of X, E X = 0 => E|(1/n) sum X_i|^2 <= E|X|^2/n",
    refuses={
        "0.9 E|X|^2/n": {"factor": Fraction(9, 10)},
        "without E X = 0": {"centred": False},
        "E|X|^2/n^2": {"copies": 2},
    },
)
def mean_of_vectors(
    rng: np.random.Generator,
    factor: Fraction = Fraction(1),
    centred: bool = True,
    copies: int = 1,
) -> Outcome:
    """With equality: n squares and n (n-1) cross terms E<X_i, X_j> = |E X|^2 = 0 [step "expanded"].

    Three copies of a variable with three rational values are enumerated [step "enumerated"].

    Here E = E|X|^2 and mu = E X.
    """
    n, square, mean = sp.symbols("n E mu", positive=True)
    total = (n * square + n * (n - 1) * mean**2) / n**2

    def cases() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        for _ in range(5):
            weights = [Fraction(int(k)) for k in rng.integers(1, 9, 3)]
            law = [w / sum(weights) for w in weights]
            values = [Fraction(int(rng.integers(-20, 21)), int(rng.integers(1, 10))) for _ in law]
            values[0] += 50  # not constant
            centre = sum((p * v for p, v in zip(law, values, strict=True)), Fraction(0))
            x = [v - centre for v in values]
            single = sum((p * v**2 for p, v in zip(law, x, strict=True)), Fraction(0))
            mixed = Fraction(0)
            for i, j, k in product(range(3), repeat=3):
                mixed += law[i] * law[j] * law[k] * ((x[i] + x[j] + x[k]) / 3) ** 2
            yield {"values": [str(v) for v in values]}, mixed, factor * single / 3

    share = sp.Rational(factor.numerator, factor.denominator)
    return derived(
        expanded=identity((total.subs(mean, 0) if centred else total, share * square / n**copies)),
        enumerated=exactly(cases(), note="n = 3"),
    )
