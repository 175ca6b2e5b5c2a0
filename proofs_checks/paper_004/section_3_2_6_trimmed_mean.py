"""Section 3.2.4 and its proofs in 3.2.6: Mechanism M (Algorithm 3.2.6), a noisy trimmed mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import log_ndtr, logsumexp, ndtr

from proofs_checks.extras import sp, z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_3_2_6_known_mean import bernstein
from proofs_checks.statement import statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    exactly,
    for_all,
    identity,
    precisely,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.errata.heavy_tailed.trimmed_mean import printed
from reference.heavy_tailed.trimmed_mean import LARGEST_EPSILON, smooth_sensitivity, trim_count
from reference.privacy.ledger import RecordingLedger
from reference.privacy.mechanisms import SmoothSensitivity

mechanism_m = partial(statement, algorithms=("diss-3.2.6",))

ARSINH_NORMAL_SD = math.sqrt((math.e**2 - 1) / 2)
"""Standard deviation 1.7873 of sinh(Y), Y ~ N(0, 1)."""


# ------------------------------------------------------------------------- Theorem 3.2.3


def _printed_scale(record: float) -> float:
    """S as printed for 99 zeros and one record, at m = 20, epsilon = 1, [a, b] = [-1, 1]."""
    data = np.zeros(100)
    data[-1] = record
    ledger = RecordingLedger(0)
    printed(data, epsilon=1.0, lower=-1.0, upper=1.0, trim=20, ledger=ledger)
    mechanism = ledger.transcript.releases[0].mechanism
    assert isinstance(mechanism, SmoothSensitivity)
    return mechanism.smooth_bound


@mechanism_m(
    "004 Theorem 3.2.3",
    lines="1489-1491",
    kind="privacy",
    printed="Algorithm 3.2.6 with S = max{(x_(n)-x_(1))/(n-2m), e^{-mt}(b-a)} is epsilon^2/2-zCDP",
    false="S is an upper bound of the smooth sensitivity, but not itself t-smooth",
    errata=("diss-3.2.6/E1",),
)
def trimmed_mean_privacy() -> Outcome:
    """Zeros against one record of 1e6: the means are 0 on both sides, the scales S are not.

    P'(|out| > x) - e^10 P(|out| > x), where |out| > x means |Y| > arsinh(x/(4 S)), against the
    delta that 1/2-zCDP allows at epsilon = 10: exp(-(10 - 1/2)^2/2).
    """
    first, second = _printed_scale(0.0), _printed_scale(1e6)
    x = np.geomspace(1e-2, 1e6, 4001)
    inside = 2 * ndtr(-np.arcsinh(x / (4 * second)))
    outside = 2 * np.exp(10.0 + log_ndtr(-np.arcsinh(x / (4 * first))))
    best = int(np.argmax(inside - outside))
    point = {"n": 100, "m": 20, "epsilon": 1.0, "a": -1.0, "b": 1.0, "record": 1e6, "S": first,
             "S'": second, "event": f"|out| > {x[best]:.6g}"}  # fmt: skip
    allowed = math.exp(-((10 - 0.5) ** 2) / 2)
    return refuted(point, float((inside - outside)[best]), allowed, "delta at epsilon = 10")


def _smooth_excess(x: Sequence[float], y: Sequence[float], m: int, t: float) -> float:
    """Return max(|log S - log S'|/t, |f - f'|/min(S, S')) for [a, b] = [0, 2]."""
    first, second = (
        smooth_sensitivity(side, trim=m, smoothness=t, lower=0.0, upper=2.0) for side in (x, y)
    )
    means = [min(max(float(np.mean(np.sort(side)[m : len(side) - m])), 0), 2) for side in (x, y)]
    ratio = abs(math.log(first / second)) / t
    return max(ratio, abs(means[0] - means[1]) / min(first, second))


@trimmed_mean_privacy.corrected(
    "with S = max{e^{-mt}(b-a), max_{k<m} e^{-kt} min(b-a, A_k)}: log S changes by at most t, and "
    "the clipped trimmed mean by at most S",
    refuses={
        "S changes by a factor of 0.99 e^t": {"growth": "0.99"},
        "the mean changes by 0.99 S": {"move": "0.99"},
        "the floor e^{-2mt} (b-a)": {"floor": 2},
        "A_k for min(b-a, A_k)": {"capped": False},
    },
)
def smooth_scale(
    rng: np.random.Generator,
    growth: str = "1",
    move: str = "1",
    floor: int = 1,
    capped: bool = True,
) -> Outcome:
    """S is t-smooth and bounds the change of the mean.

    Replace one record of x, giving y, and let p > q be positions with x_(p) - x_(q) =
    (n - 2m) A_k. The record that left was not both at or above x_(p) and at or below x_(q); in the
    first case y_(q) <= x_(q) and y_(p+1) >= x_(p), otherwise y_(p) >= x_(p) and y_(q-1) <= x_(q).
    Either way A_k(x) <= A_(k+1)(y), so e^{-kt} A_k(x) <= e^t e^{-(k+1)t} A_(k+1)(y), which is at
    most e^t S(y) [step "smooth", w = e^{-kt}]; for k = m - 1 by e^{-mt} (b-a) [step "floor"].
    As a function of the record z that is replaced, (n - 2m) Trim_m is a constant plus z clamped to
    [low, high], the m-th and the (n-m)-th of the others. If z was below low, these are x_(m+1) and
    x_(n-m+1); if above high, x_(m) and x_(n-m); else x_(m) and x_(n-m+1), with z between x_(m+1)
    and x_(n-m): the sum moves by (n - 2m) A_0 at most [step "mean"].
    All data sets on a grid of 4 values for n = 5, random and extreme ones to n = 59 [step "pairs"].
    """
    worst, tried = 0.0, 0
    for m in (1, 2):
        for old in combinations_with_replacement((-3.0, 0.0, 1.0, 4.0), 5):
            for index, new in product(range(5), (-3.0, 0.0, 1.0, 4.0)):
                y = [*old[:index], new, *old[index + 1 :]]
                worst = max(worst, _smooth_excess(old, y, m, 0.3))
                tried += 1
    for _ in range(300):
        n = int(rng.integers(5, 60))
        m = int(rng.integers(1, (n - 1) // 2 + 1))
        x = list(rng.standard_t(1, n) * 10 ** rng.uniform(-3, 3))
        y = list(x)
        y[int(rng.integers(n))] = float(rng.choice([-1e9, 0.0, 1e9, rng.normal()]))
        worst = max(worst, _smooth_excess(x, y, m, float(rng.choice([0.01, 0.0625, 1.0]))))
        tried += 1
    what = "max(|log S/S'|/t, |f - f'|/S)"
    return derived(
        smooth=_smooth_step(growth),
        floor=_last_step(floor, capped),
        mean=_clamped_step(move),
        pairs=searched(worst, 1 + 1e-9, tried=tried, what=what),
    )


def _smooth_step(growth: str) -> Outcome:
    """w A_k(x) <= e^t S(y) from A_k(x) <= A_(k+1)(y) and (w/e^t) A_(k+1)(y) <= S(y)."""
    w, step, here, there, scale = reals("w e_to_t A_k A_next S")
    return for_all(
        w * here <= rational(growth) * step * scale,
        *(w > 0, step >= 1, here >= 0, here <= there, w * there <= step * scale),
    )


def _last_step(floor: int, capped: bool) -> Outcome:
    """w min(b-a, A_k) <= e^t S(y) for k = m - 1, w = e^{-kt}: S(y) >= (w/e^t)(b-a).

    Here width = b - a.
    """
    w, step, gap, here, width, scale = reals("w e_to_t A_k here width S")
    least = z3.If(gap <= width, gap, width) if capped else gap
    return for_all(
        w * here <= step * scale,
        *(w > 0, w <= 1, step >= 1, width > 0, gap >= 0, here == least),
        w**floor * width <= step**floor * scale,
    )


def _clamped_step(move: str) -> Outcome:
    """|clamp(new) - clamp(old)| <= A, A at least the gaps that A_0 counts."""
    low, high, old, new, gap = reals("low high old new A")

    def clamp(z: Any) -> Any:
        return z3.If(z < low, low, z3.If(z > high, high, z))

    inside = z3.And(low <= old, old <= high)
    counted = z3.If(inside, z3.And(gap >= high - old, gap >= old - low), gap >= high - low)
    return for_all(z3.Abs(clamp(new) - clamp(old)) <= rational(move) * gap, low <= high, counted)


def arsinh_normal_divergence(alpha: float, shift: float, log_scale: float, nodes: int) -> float:
    """Renyi divergence of order alpha of sinh(Y) from e^u sinh(Y) + shift.

    The trapezoidal rule in y = arsinh(x), where the integrand is analytic with Gaussian decay:
    the error falls exponentially in the number of nodes.
    """
    # the integrand is about exp(-(y - c)^2/2) with |c| <= (alpha - 1)|u| + O(1)
    reach = (alpha - 1) * abs(log_scale) + 45.0
    y = np.linspace(-reach, reach, nodes)
    z = (np.sinh(y) - shift) * math.exp(-log_scale)
    log_p = -0.5 * y**2 - np.log(np.cosh(y))
    log_q = -0.5 * np.arcsinh(z) ** 2 - np.log(np.hypot(1.0, z)) - log_scale
    # dx = cosh(y) dy
    log_integrand = alpha * log_p + (1 - alpha) * log_q + np.log(np.cosh(y))
    total = logsumexp(log_integrand) + math.log(y[1] - y[0]) - 0.5 * math.log(2 * math.pi)
    return float(total) / (alpha - 1)


def _largest_divergence(epsilon: float, smoothness: float) -> tuple[float, int]:
    """Return the largest D_alpha/(alpha epsilon^2/2) on a grid of orders, shifts and scales."""
    t, s = epsilon**2 / smoothness, epsilon / 4
    worst, tried = 0.0, 0
    for alpha in (1.001, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0, 10_000.0):
        if alpha * t > 640:
            continue
        for log_scale, share in product((-t, 0.0, t), (0.0, 0.5, 1.0)):
            # |f - f'| <= min(S, S'), in units of S/s
            shift = share * s * math.exp(min(log_scale, 0.0))
            divergence = arsinh_normal_divergence(alpha, shift, log_scale, 4001)
            worst = max(worst, divergence / (alpha * epsilon**2 / 2))
            tried += 1
    return worst, tried


@mechanism_m(
    "004 Theorem 3.2.3, noise law",
    lines="1505-1515",
    kind="privacy",
    printed="D_alpha(Z || e^{u} Z + c) <= alpha epsilon^2/2 for Z = sinh(Y), |u| <= epsilon^2/16, "
    "|c| <= epsilon/4, 0 < epsilon <= 1",
    refuses={"|u| <= epsilon^2/1.6": {"smoothness": 1.6}, "epsilon up to 16": {"largest": 16.0}},
    unchecked={
        "Z": "in the code the density of sinh(Y)",
        "u, c": "log_scale and shift in the code: 0 and both ends of |u|, and |c| at 0, half and "
        "all of it",
        "4": "in the code of the shifts",
    },
)
def noise_law(smoothness: float = 16.0, largest: float = LARGEST_EPSILON) -> Outcome:
    """Quadrature over orders in (1, 1e4], both scales and three shifts; checked at 30 digits.

    The implementation allows epsilon up to its ``LARGEST_EPSILON``, where it still holds.
    """
    found = [_largest_divergence(e, smoothness) for e in (0.01, 0.3, 1.0, largest)]
    worst, tried = max(ratio for ratio, _ in found), sum(count for _, count in found)
    quadrature = arsinh_normal_divergence(2.0, 0.25 * math.exp(-1 / 16), -1 / 16, 4001)
    return every(
        searched(worst, 1.0, tried=tried, what="D_alpha/(alpha epsilon^2/2) by quadrature"),
        precisely(lambda: _at_30_digits(quadrature), "=", digits=30, tolerance="1e-8"),
    )


def _at_30_digits(quadrature: float) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    a, u = mp.mpf(2), -mp.mpf(1) / 16
    c = mp.exp(u) / 4

    def density(x: Any) -> Any:
        return mp.npdf(mp.asinh(x)) / mp.sqrt(1 + x**2)

    def integrand(y: Any) -> Any:
        x = mp.sinh(y)
        p, q = density(x), density((x - c) * mp.exp(-u)) * mp.exp(-u)
        return p**a * q ** (1 - a) * mp.cosh(y)

    exact = mp.log(mp.quad(integrand, [-30, -5, 0, 5, 30])) / (a - 1)
    yield {"alpha": 2.0, "epsilon": 1.0}, quadrature, exact


# --------------------------------------------------------- Definition 3.2.3, Lemma 3.2.6


@mechanism_m(
    "004 Definition 3.2.3",
    lines="1756-1760",
    kind="definition",
    printed="D_alpha(P || Q) = log E_{X~P}[(P(X)/Q(X))^{alpha-1}]/(alpha-1) <= rho alpha for "
    "alpha > 1",
    refuses={"the power alpha": {"power": 0}},
    unchecked={
        "D_alpha, rho": "what the definition defines; the step has the integrand",
        "X~, X": "an outcome, of probabilities p and q in the step",
    },
)
def renyi_divergence(power: int = 1) -> Outcome:
    """The printed moment under P is the usual integral of P^alpha Q^(1-alpha), pointwise.

    Here p stands for P, q for Q.
    """
    p, q, alpha = symbols("p q alpha")
    return definition(identity((p * (p / q) ** (alpha - power), p**alpha * q ** (1 - alpha))))


@mechanism_m(
    "004 Lemma 3.2.6",
    lines="1764",
    kind="composition",
    printed="epsilon^2/2-zCDP => (epsilon^2/2 + epsilon sqrt(2 log(1/delta)), delta)-DP",
    special_case_of="004 Lemma 2.1.10",
    refuses={"epsilon sqrt(log(1/delta))": {"inside": 1}},
)
def zcdp_conversion(inside: int = 2) -> Outcome:
    """Markov's inequality: P(L > x) <= exp((alpha - 1)(D_alpha - x)), with D_alpha <= alpha rho.

    At the printed x and alpha - 1 = sqrt(2 log(1/delta))/epsilon the exponent is -log(1/delta)
    [step "exponent"].

    Here L = log(1/delta).
    """
    epsilon, size = symbols("epsilon L")
    x = epsilon**2 / 2 + epsilon * sp.sqrt(inside * size)
    above = sp.sqrt(2 * size) / epsilon
    return derived(exponent=identity((above * ((1 + above) * epsilon**2 / 2 - x), -size)))


# ----------------------------------------------------------------- (3.83), Lemma 3.2.7, (3.84)


@mechanism_m(
    "004 (3.83)",
    lines="1774-1778",
    kind="utility",
    printed="E(M - mu)^2 <= O((Trim_m - mu)^2 + E(S Z/s)^2)",
    checked="(x + y)^2 <= 2 x^2 + 2 y^2 at x = Trim_m - mu, y = S Z/s",
    refuses={"constant 1.9": {"constant": "1.9"}},
)
def split_error(constant: str = "2") -> Outcome:
    """With M = Trim_m + S Z/s, x = Trim_m - mu and y = S Z/s."""
    x, y = reals("x y")
    return for_all((x + y) ** 2 <= rational(constant) * (x**2 + y**2))


@mechanism_m(
    "004 Lemma 3.2.7",
    lines="1780-1782",
    kind="approximation",
    printed="a <= mu <= b => ([X]_[a,b] - mu)^2 <= (X - mu)^2",
    refuses={
        "mu <= b only": {"above": False},
        "mu >= a only": {"below": False},
        "(X - mu)^2/2": {"share": "1/2"},
    },
)
def clipping_reduces_error(above: bool = True, below: bool = True, share: str = "1") -> Outcome:
    """X below a, above b, or between them; x stands for X."""
    x, a, b, mu = reals("x a b mu")
    clipped = z3.If(x < a, a, z3.If(x > b, b, x))
    given = (a <= mu,) * above + (mu <= b,) * below
    return for_all((clipped - mu) ** 2 <= rational(share) * (x - mu) ** 2, a <= b, *given)


def _floor_variance(m: int, epsilon: float, width: float) -> float:
    """Variance of the noise if the data contribute nothing: (16/eps^2)((e^2-1)/2) e^{-2mt} w^2."""
    return 16 / epsilon**2 * ARSINH_NORMAL_SD**2 * math.exp(-2 * m * epsilon**2 / 16) * width**2


@mechanism_m(
    "004 (3.84)",
    lines="1784-1788",
    kind="utility",
    printed="E(S Z/s)^2 <= O(tau^2 dT log(n)/(n epsilon^2)) with m, a, b = O(1)",
    false="S >= e^{-mt}(b-a), a constant when m is one",
    errata=("diss-3.2.6/E2", "diss-3.2.7/E2"),
)
def constant_trim() -> Outcome:
    """The floor over the bound (tau = 1) grows beyond 1e4 times from n = 1e3 to 1e9."""
    variance = _floor_variance(5, 1.0, 2.0)
    small, large = (variance / (math.log(n) / n) for n in (1e3, 1e9))
    point = {"m": 5, "epsilon": 1.0, "width": 2.0, "at n = 1e3": small, "n": 1e9}
    return refuted(point, large, 1e4 * small, "floor over the bound, against 1e4 times that at 1e3")


@constant_trim.corrected(
    "with m >= (16/epsilon^2) log(n (b-a)/sigma) < n/2 the floor of the variance is at most "
    "(16/epsilon^2) ((e^2-1)/2) sigma^2/n^2",
    refuses={
        "half of that m": {"halves": 2},
        "(e^2-1)/3": {"variance": 3},
        "4/epsilon^2": {"square": 4},
    },
)
def growing_trim(halves: int = 1, variance: int = 2, square: int = 16) -> Outcome:
    """m t >= log(n w/sigma) makes e^{-mt} w <= sigma/n, w = b - a [step "floor", t = epsilon^2/16].

    The noise is 4/epsilon times S sinh(Y), and E sinh(Y)^2 = (e^2 - 1)/2 [step "noise"]; at
    S = sigma/n that is the bound [step "bound"].
    """
    y = sp.Symbol("y", real=True)
    grown = sp.exp(2)  # E e^{2Y} = E e^{-2Y}, by completing the square
    n, width, sigma, epsilon = symbols("n w sigma epsilon")
    m = 16 / epsilon**2 * sp.log(n * width / sigma) / halves
    worst, tried = 0.0, 0
    for e, top, deviation in product((0.1, 0.5, 1.0), (0.1, 2.0, 1e4), (0.01, 1.0)):
        for size in (10**5, 10**7, 10**9):
            count = trim_count(size, e, lower=0.0, upper=top, standard_deviation=deviation)
            bound = 16 / e**2 * ARSINH_NORMAL_SD**2 * deviation**2 / size**2
            worst = max(worst, _floor_variance(count, e, top) / bound)
            tried += 1
    return derived(
        floor=identity((sp.exp(-m * epsilon**2 / 16) * width, sigma / n)),
        noise=identity(
            (2 * y - y**2 / 2, 2 - (y - 2) ** 2 / 2), ((2 * grown - 2) / 4, (grown - 1) / variance)
        ),
        bound=identity(
            (
                (4 / epsilon * sigma / n) ** 2 * (grown - 1) / 2,
                square / epsilon**2 * (grown - 1) / variance * sigma**2 / n**2,
            )
        ),
        implementation=searched(worst, 1 + 1e-9, tried=tried, what="floor over its bound"),
    )


# ------------------------------------------------------------------------------ Lemma 3.2.8


def _trimmed_extreme(n: int, m: int, t: Fraction) -> Fraction:
    """Largest |Trim_m| over all x in [-1, 1]^n with |mean| <= t; exact.

    For sorted x it is a linear programme, so it is attained at a vertex: p entries -1, then q
    equal ones, then 1s, with the sum at +-nt unless q = 0.
    """
    best = Fraction(0)
    for p in range(n + 1):
        for q in range(n - p + 1):
            rest = Fraction(n - p - q - p)
            levels = [(sign * n * t - rest) / q for sign in (-1, 1)] if q else [Fraction(0)]
            for level in levels:
                x = [Fraction(-1)] * p + [level] * q + [Fraction(1)] * (n - p - q)
                if abs(level) <= 1 and abs(sum(x, Fraction(0))) <= n * t:
                    best = max(best, abs(sum(x[m : n - m], Fraction(0))) / (n - 2 * m))
    return best


@statement(
    "004 Lemma 3.2.8",
    lines="1794-1812",
    kind="concentration",
    printed="outside {mean - mu >= t} and {max |x_i - mu| >= s}: |Trim_m - mu| <= "
    "(nt + ms)/(n - 2m)",
    false="the first event is printed without absolute value (its factor 2 fits two sides)",
    algorithms=("diss-3.2.7",),
    errata=("diss-3.2.7/E6",),
)
def one_sided_event() -> Outcome:
    """Five records at mu - 1, m = 1, s = 1, t = 1/10: outside both printed events."""
    n, m, s, t = 5, 1, 1, Fraction(1, 10)
    x = [Fraction(-1)] * n
    trimmed = abs(sum(x[m : n - m], Fraction(0))) / (n - 2 * m)
    point = {"n": n, "m": m, "s": s, "t": float(t), "x - mu": [-1.0] * n}
    return refuted(point, trimmed, (n * t + m * s) / (n - 2 * m), "|Trim_m - mu|")


@one_sided_event.corrected(
    "outside {|mean - mu| >= t}, of probability <= 2 exp(-n min{t/2v, t^2/2v^2}), and "
    "{max |x_i - mu| >= s}: |Trim_m - mu| <= (nt + ms)/(n - 2m)",
    refuses={
        "(nt + ms/2)": {"trimmed": "1/2"},
        "over n": {"divided": "0"},
        "min{2t/3v, ..}": {"tail": "2/3"},
        "exp(-n min{..}) without 2": {"sides": 1},
        "exp(-n^2 min{..})": {"records": 2},
        "t^2/2v": {"scale": 1},
    },
    unchecked={"s": "the unit of the x_i - mu in the steps on the sums"},
)
def two_sided_event(
    trimmed: str = "1",
    tail: str = "1/2",
    sides: int = 2,
    records: int = 1,
    scale: int = 2,
    divided: str = "2",
) -> Outcome:
    """Chernoff's tail on two sides [step "tail", :func:`bernstein`], and a deterministic bound.

    Here tau stands for v. For x_i - mu in [-1, 1] (units of s) let L and U be the sums of
    the m smallest and the m largest and K the sum of the rest. Then L <= m K/(n-2m) <= U, so that
    L + U >= -m + m K/(n-2m) if K >= 0, and n t >= K + L + U >= K (n-m)/(n-2m) - m >= K - m
    [step "sums"]; K < 0 is its mirror image. The largest value is also found at the vertices of
    the linear programme, n = 3..9 [step "vertices"].
    """
    n, m, t, low, high, kept = reals("n m t L U K")
    cases = (
        (
            {"n": size, "m": count, "t": str(mean)},
            _trimmed_extreme(size, count, mean),
            (size * mean + Fraction(trimmed) * count) / (size - Fraction(divided) * count),
        )
        for size in range(3, 10)
        for count in range((size - 1) // 2 + 1)
        for mean in (Fraction(0), Fraction(1, 20), Fraction(1, 4), Fraction(1))
    )
    return derived(
        tail=bernstein(tail, sides=sides, records=records, scale=scale),
        sums=for_all(
            kept * (n - rational(divided) * m) <= (n * t + rational(trimmed) * m) * (n - 2 * m),
            *(m >= 0, n > 2 * m, t >= 0, kept >= 0, low >= -m),
            *(high * (n - 2 * m) >= m * kept, kept + low + high <= n * t),
        ),
        vertices=exactly(cases, note="largest trimmed mean at a vertex"),
    )


@statement(
    "004 Lemma 3.2.8, proof",
    lines="1812",
    kind="concentration",
    printed="|sum over the trimmed set of (x_i - mu)| <= m max |x_i - mu|",
    false="the trimmed set has 2m elements",
    algorithms=("diss-3.2.7",),
    errata=("diss-3.2.7/E5",),
)
def trimmed_set() -> Outcome:
    """Five equal records, m = 1."""
    deviations = [1] * 5
    trimmed = deviations[:1] + deviations[4:]
    return refuted({"n": 5, "m": 1, "x - mu": deviations}, abs(sum(trimmed)), max(deviations))


@trimmed_set.corrected(
    "<= 2m max |x_i - mu| (the lemma's bound holds all the same)",
    refuses={"1.9 m": {"factor": "1.9"}},
)
def trimmed_set_of_2m(factor: str = "2") -> Outcome:
    """2m terms of at most s each: their sums low and high are in [-m s, m s]."""
    m, s, low, high = reals("m s L U")
    bound = rational(factor) * m * s
    return for_all(
        z3.Abs(low + high) <= bound,
        *(m >= 1, s >= 0, low >= -m * s, low <= m * s, high >= -m * s, high <= m * s),
    )
