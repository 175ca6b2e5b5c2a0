"""Section 2.1: differential privacy, its mechanisms and its composition.

The smallest delta of a pair of distributions at e^epsilon = gamma is their hockey stick
sum (p - gamma q)_+.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import dp_accounting
import numpy as np
import scipy
from dp_accounting.rdp import rdp_privacy_accountant
from mpmath import mp
from scipy.special import logsumexp, ndtr

from proofs_checks.balls import Ball, ball, exp, expm1, log, maximum, sqrt
from proofs_checks.basics import (
    composed,
    gaussian_at_small_epsilon,
    gaussian_delta,
    laplace_loss,
    post_processed,
)
from proofs_checks.discrete import hockey_stick, random_distribution, random_fraction
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    definition,
    derived,
    every,
    exactly,
    for_all,
    identity,
    nonnegative,
    precisely,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference._validation import FloatArray
from reference.privacy.guarantees import gaussian_dp_delta, zcdp_delta, zcdp_epsilon

statement = partial(any_statement, algorithms=("chapter-2",))


# ------------------------------------------------------------------------------- definitions


@statement(
    "004 Definition 2.1.1",
    lines="360",
    kind="definition",
    printed="P(A(D) in S) <= e^eps P(A(D') in S) + delta for all events S, D and D' replace-one",
    refuses={"the worst event has half the hockey stick": {"factor": Fraction(1, 2)}},
    unchecked={
        "A, D, D'": "the step has random laws p and q of what A gives on D and on D'",
        "S": "in the step the worst of all events",
        "delta": "what the definition defines: the hockey stick is the least delta",
    },
)
def approximate_dp(rng: np.random.Generator, factor: Fraction = Fraction(1)) -> Outcome:
    """Compare the worst of all 2^k events with the hockey stick, by which the audits compute.

    Here gamma = e^eps.
    """

    def cases() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        for _ in range(60):
            size = int(rng.integers(2, 8))
            p, q = random_distribution(rng, size), random_distribution(rng, size)
            gamma = random_fraction(rng, 1, 4)
            events = itertools.chain.from_iterable(
                itertools.combinations(range(size), count) for count in range(size + 1)
            )
            worst = max(sum((p[i] - gamma * q[i] for i in event), Fraction(0)) for event in events)
            yield {"gamma": str(gamma)}, worst, factor * hockey_stick(p, q, gamma)

    return definition(exactly(cases(), "=", "worst of all events, random pairs of 2-7 outcomes"))


@statement(
    "004 Lemma 2.1.1",
    lines="368",
    kind="composition",
    printed="f(M) is (eps, delta)-DP if M is, for every randomised f",
    added="f is a Markov kernel",
    refuses={"delta shrinks by a tenth": {"factor": "0.9"}},
    unchecked={
        "f, M": "in the step one output y of f, and one output of M of probabilities p and q",
        "delta": "bounds the sum of the positive parts, to which the step adds one",
    },
)
def post_processing(factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.basics.post_processed`."""
    return post_processed(factor)


# ------------------------------------------------------------------------------- subsampling


@statement(
    "004 Lemma 2.1.2",
    lines="370",
    kind="composition",
    printed="an (eps, delta)-DP algorithm on a uniform gamma n-subsample is "
    "(2 gamma eps, delta)-DP",
    false="false for eps > 1.2564 and small gamma: no range of eps is stated",
    errata=("diss-2.subsampling/E1",),
)
def subsampling() -> Outcome:
    """Draw one of n = 100 records; P(1) is p0 e^eps on a sample with the record and p0 else."""
    n, p0, growth = 100, ball("0.01"), exp(ball(3))
    amplified = log((p0 * growth / n + p0 * (n - 1) / n) / p0)
    claimed = 2 * ball("0.01") * 3
    point = {"epsilon": 3.0, "gamma": 0.01, "n": n, "sample_size": 1, "p0": 0.01}
    return refuted(point, amplified, claimed, "epsilon of the subsample against 2 gamma eps")


@subsampling.corrected(
    "(ln(1 + gamma (e^eps - 1)), gamma delta), which is at most (2 gamma eps, delta) for eps <= 1",
    refuses={
        "at most 1.7 gamma eps": {"factor": "1.7"},
        "ln(1 + gamma (e^eps - 1)/2)": {"amplified": Fraction(1, 2)},
        "gamma^2 delta": {"power": 2},
        "eps <= 2": {"largest": 2},
    },
    unchecked={
        "delta": "bounds the hockey sticks at g, which the first step gives the factor gamma",
    },
)
def amplification(
    factor: str = "2", amplified: Fraction = Fraction(1), power: int = 1, largest: int = 1
) -> Outcome:
    """Balle, Barthe, Gaboardi (2018), Theorem 2.

    Let r be the law of the output if the differing record is not in the sample, p1 and q1 if it
    is: p = (1-gamma) r + gamma p1, q = (1-gamma) r + gamma q1. Pointwise, with
    g' = 1 + gamma (g - 1) and b = g'/g,
    p - g' q = gamma (p1 - g ((1-b) r + b q1)) [step "pointwise"]; so the hockey stick of (p, q) at
    g' is at most gamma times a convex combination of those of (p1, r) and (p1, q1) at g. Samples
    with the record and samples without it are coupled by a replacement: both are at most delta.
    Then ln(1 + gamma y) <= gamma y, and y = e^eps - 1 <= 2 eps [step "small epsilon"].
    """
    r, p1, q1, g, gamma = symbols("r p1 q1 g gamma")
    after = 1 + gamma * (g - 1) * sp.Rational(amplified.numerator, amplified.denominator)
    b = after / g
    p, q = ((1 - gamma) * r + gamma * own for own in (p1, q1))
    return derived(
        pointwise=identity((p - after * q, gamma**power * (p1 - g * ((1 - b) * r + b * q1)))),
        small_epsilon=nonnegative(
            lambda x: ball(factor) * x - expm1(x),
            {"eps": (0, largest)},
            whole=True,
            gradient=lambda x: [ball(factor) - exp(x)],
        ),
    )


# -------------------------------------------------------------------------------- mechanisms


@statement(
    "004 Definition 2.1.2",
    lines="372-376",
    kind="privacy",
    printed="q(D) + Lap(Delta_1/eps) per coordinate is eps-DP",
    refuses={"0.9 eps": {"factor": "0.9"}},
    unchecked={
        "q": "any query; the steps have the change of its value",
        "D": "any query; the steps have the change of its value",
    },
    algorithms=("chapter-2", "diss-2.laplace"),
)
def laplace_mechanism(factor: str = "1") -> Outcome:
    """See :func:`proofs_checks.basics.laplace_loss`."""
    return laplace_loss(factor)


@statement(
    "004 Definition 2.1.2 (density)",
    lines="374",
    kind="identity",
    printed="Lap(x|lambda) = exp(-x/lambda)/(2 lambda)",
    false="misprint: the absolute value of x is missing, so it is no density",
    algorithms=("chapter-2", "diss-2.laplace"),
    errata=("diss-2.laplace/E1",),
)
def laplace_density() -> Outcome:
    """The mass of [-10, 0] alone at lambda = 1 is (e^10 - 1)/2."""
    return refuted({"lambda": 1.0, "from": -10.0, "to": 0.0}, expm1(ball(10)) / 2, 1, "mass")


@laplace_density.corrected("exp(-|x|/lambda)/(2 lambda)", refuses={"/lambda": {"halves": 1}})
def laplace_density_has_mass_one(halves: int = 2) -> Outcome:
    """By symmetry the mass is twice that of the positive half line."""
    x, scale = symbols("x lambda")
    half = sp.integrate(sp.exp(-x / scale) / (halves * scale), (x, 0, sp.oo))
    return identity((2 * half, 1))


@statement(
    "004 Definition 2.1.3",
    lines="378-380",
    kind="privacy",
    printed="q(D) + N(0, sigma^2 I) with sigma >= sqrt(2 ln(1.25/delta)) Delta_2/eps is "
    "(eps, delta)-DP",
    false="no range of eps is stated; false for large eps, e.g. from 8.45 on at delta = 1e-5",
    errata=("diss-2.gaussian/E1",),
    algorithms=("chapter-2", "diss-2.gaussian"),
)
def gaussian_mechanism() -> Outcome:
    epsilon, delta = ball(10), ball("1e-5")
    mu = epsilon / sqrt(2 * log(ball("1.25") / delta))
    point = {"epsilon": 10.0, "delta": 1e-5, "sensitivity": 1.0, "sigma": 1 / float(mu)}
    return refuted(point, gaussian_delta(mu, epsilon), delta, "exact delta against delta")


@gaussian_mechanism.corrected(
    "the same for eps <= 1 (and as far as 2)",
    refuses={
        "ln(1/delta)": {"constant": "1"},
        "sqrt(ln(1.25/delta))": {"two": 1},
        "eps <= 16": {"largest": 16},
    },
)
def gaussian_mechanism_at_small_epsilon(
    constant: str = "1.25", two: int = 2, largest: int = 2
) -> Outcome:
    """See :func:`proofs_checks.basics.gaussian_at_small_epsilon`."""
    return gaussian_at_small_epsilon(constant, two=two, largest=largest)


@statement(
    "004 Definition 2.1.4",
    lines="382",
    kind="privacy",
    printed="selecting r with probability proportional to exp(eps u(D, r)/(2 Delta u)) is eps-DP",
    added="over an infinite range: the weights are integrable",
    refuses={"eps/2": {"power": 1}, "exp(eps u(D, r)/Delta u)": {"halves": 1}},
    unchecked={"D": "any records; the steps have the change of the score u"},
    algorithms=("chapter-2", "diss-2.exponential"),
)
def exponential_mechanism(power: int = 2, halves: int = 2) -> Outcome:
    """Of any number of candidates one has weight w and the rest, together, r.

    On a neighbour each weight changes by a factor in [1/h, h], h = e^(eps/2), and so does the sum
    of the rest; then w/(w + r) <= h^2 w'/(w' + r') with h^2 = e^eps.
    """
    w, r, changed_w, changed_r, h = reals("w r w2 r2 h")
    epsilon, utility, change = symbols("epsilon u Delta_u")
    before, after = (epsilon * u / (halves * change) for u in (utility, utility + change))
    return every(
        identity((after - before, epsilon / 2)),
        for_all(
            w * (changed_w + changed_r) <= h**power * changed_w * (w + r),
            *(h >= 1, w > 0, r >= 0),
            *(w / h <= changed_w, changed_w <= h * w, r / h <= changed_r, changed_r <= h * r),
        ),
    )


@statement(
    "004 Lemma 2.1.3",
    lines="384-388",
    kind="utility",
    printed="P{u <= OPT - (2 Delta u/eps)(ln|R| + t)} <= e^-t",
    refuses={"half of e^-t": {"factor": "1/2"}, "(Delta u/eps)": {"twice": 1}},
    unchecked={"u": "any score; the steps have a candidate's weight at the threshold"},
    algorithms=("chapter-2", "diss-2.exponential"),
)
def exponential_mechanism_utility(factor: str = "1", twice: int = 2) -> Outcome:
    """A candidate at the threshold has weight top e^-t/|R| [step "weight"].

    At most |R| such candidates share their weight out of a total of at least top [step "share"].
    """
    epsilon, sensitivity, size, t = symbols("epsilon Delta_u R t")
    threshold = -(twice * sensitivity / epsilon) * (sp.log(size) + t)
    bad, top, total, x = reals("bad top total x")
    return derived(
        weight=identity((sp.exp(epsilon * threshold / (2 * sensitivity)), sp.exp(-t) / size)),
        share=for_all(
            bad <= rational(factor) * x * total,
            *(top > 0, x > 0, bad >= 0, bad <= x * top, total >= top, total >= bad),
        ),
    )


# -------------------------------------------------------------------------------- composition


@statement(
    "004 Lemma 2.1.4",
    lines="390",
    kind="composition",
    printed="(eps_i, delta_i)-DP mechanisms compose to (sum eps_i, sum delta_i)",
    added="a mechanism that sees the past is a Markov kernel",
    refuses={"the larger delta": {"largest": True}},
    unchecked={"delta_i": "d and e in the step, one mechanism after another"},
)
def basic_composition(largest: bool = False) -> Outcome:
    """See :func:`proofs_checks.basics.composed`."""
    return composed(largest=largest)


def _optimal_composition_delta(epsilon_each: float, count: int, epsilon: float) -> float:
    """Exact delta of ``count`` worst-case epsilon_each-DP mechanisms (Kairouz et al. 2015)."""
    k = np.arange(count + 1)
    log_p = -epsilon_each * k - count * math.log1p(math.exp(-epsilon_each))
    log_q = -epsilon_each * (count - k) - count * math.log1p(math.exp(-epsilon_each))
    log_binomial = math.lgamma(count + 1) - np.array(
        [math.lgamma(i + 1) + math.lgamma(count - i + 1) for i in k]
    )
    log_ratio = np.minimum(epsilon + log_q - log_p, 0.0)
    return float(np.sum(np.exp(log_binomial + log_p) * -np.expm1(log_ratio)))


def _advanced_slack(epsilon: Ball, y: Ball, steps: Ball, two: Ball) -> Ball:
    """1 - (sqrt(2 T L) e' + T e' (e^e' - 1))/epsilon at T = 1, the worst T; L = ln(1/delta).

    T e'^2 = epsilon^2 y/8 with y = 1/(L + ln 2), whatever T, and e' decreases with T. As
    (e^x - 1)/x <= e^x, the second term is at most epsilon^2 y e^e'/8. ``steps`` scales e', ``two``
    stands for 2 in ln 2.
    """
    step = steps * epsilon * sqrt(y / 8)
    first = steps * sqrt(maximum(1 - log(two) * y, ball(0))) / 2
    return 1 - first - steps**2 * epsilon * y / 8 * exp(step)


@statement(
    "004 Lemma 2.1.5",
    lines="396",
    kind="composition",
    printed="eps' = eps/(2 sqrt(2 T ln(2/delta))), delta' = delta/T give (eps, T delta' + delta), "
    "0 < eps, delta < 1",
    refuses={
        "eps' twice as large": {"steps": 2},
        "delta' + delta": {"all_fail": False},
        "ln(1.1/delta)": {"two": "1.1"},
        "eps < 4": {"largest": 4},
        "ln(2/delta) for T ln(2/delta)": {"rounds": 0},
    },
)
def advanced_composition(
    steps: int = 1, all_fail: bool = True, two: str = "2", largest: int = 1, rounds: int = 1
) -> Outcome:
    """Dwork, Rothblum and Vadhan (2010): the total is sqrt(2 T ln(1/delta)) e' + T e' (e^e' - 1).

    That theorem is cited; that its total is at most eps for all T >= 1, eps and delta in (0, 1) is
    proved [steps "each", "arithmetic"], and the exact composition of the worst pure mechanisms is
    computed [step "exact"]. One of T failures of probability delta' happens with probability at
    most T delta', by induction [step "failures"]. The total is (eps, 2 delta): callers must halve.

    Here square = eps'^2 and delta_each = delta'.
    """
    each, before, count = reals("delta_each before T")
    T, size, eps, y, log_two = symbols("T steps eps y log_2")
    square = (size * eps / (2 * sp.sqrt(2 * T**rounds / y))) ** 2  # of e'; ln(2/delta) is 1/y
    allowed = size**2 * eps**2
    worst, tried = 0.0, 0
    for calls, delta, epsilon in itertools.product(
        (1, 10, 100, 1000), (0.9, 1e-2, 1e-6), (0.1, 0.999)
    ):
        spent = steps * epsilon / (2 * math.sqrt(2 * calls * math.log(2 / delta)))
        worst = max(worst, _optimal_composition_delta(spent, calls, epsilon) / delta)
        tried += 1
    # delta < 1 is y < 1/ln 2 = 1.44269504..., and 1/ln 1.1 = 10.492...
    end = {"2": "1.4426951", "1.1": "10.5"}[two]
    return derived(
        each=identity(
            (T * square, allowed * y / 8),
            (2 * T * (1 / y - log_two) * square, allowed * (1 - log_two * y) / 4),
        ),
        arithmetic=nonnegative(
            lambda epsilon, y: _advanced_slack(epsilon, y, ball(steps), ball(two)),
            {"eps": (0, largest), "y": (0, end)},
            whole=True,
        ),
        failures=for_all(
            1 - (1 - before) * (1 - each) <= ((count + 1) * each if all_fail else each),
            *(count >= 1, each >= 0, each <= 1, before >= 0, before <= 1, before <= count * each),
        ),
        exact=searched(worst, 1, tried=tried, what="exact delta over delta, T up to 1000"),
    )


@statement(
    "004 Lemma 2.1.6",
    lines="398-402",
    kind="composition",
    printed="eps' = eps/(2 sqrt(2 T ln(2/delta))), delta' = delta give (eps, T delta' + delta)",
    refuses={"eps' twice as large": {"steps": 2}, "delta' + delta": {"all_fail": False}},
)
def moments_lemma(steps: int = 1, all_fail: bool = True) -> Outcome:
    """Lemma 2.1.5 with another delta': the arithmetic is the same, for the same eps and delta.

    The total delta is (T + 1) delta, so it saves nothing: T = 100 mechanisms that reveal
    everything with probability 1e-5 have 9.995e-4.

    See :func:`advanced_composition`.
    """
    return advanced_composition_check(steps, all_fail)


advanced_composition_check = advanced_composition.of_printed.check  # type: ignore[union-attr]


# ------------------------------------------------------------------------- moments accountant


def _summed_delta(q: float, steps: int, multiplier: float, epsilon: float) -> float:
    """Bound delta from below by the event that the sum of all outputs is beyond a threshold.

    One record with gradient G against none, in units of G times the lot's 1/l: the sum has mean
    K/multiplier with K ~ Bin(T, q) against 0, standard deviation sqrt(T). K is cut at five
    standard deviations, below which it falls with probability at most 1/25 (Chebyshev).
    """
    fewest = steps * q - 5 * math.sqrt(steps * q)
    shift, spread = fewest / multiplier, math.sqrt(steps)
    return (1 - 1 / 25) * float(ndtr(shift / 2 / spread)) - math.exp(epsilon) * float(
        ndtr(-shift / 2 / spread)
    )


def _steps_that_leak(c1: float, c2: float, epsilon: float, delta: float) -> int:
    """Return a number of steps at which G sigma/n on a mean of l = q n gradients has delta > .9."""
    steps = 10
    while steps <= 1e15:
        q = math.sqrt(2 * epsilon / (c1 * steps))  # epsilon = c1 q^2 T / 2 < c1 q^2 T
        sigma = c2 * q * math.sqrt(steps * math.log(1 / delta)) / epsilon
        if q < 0.1 and _summed_delta(q, steps, sigma * q, epsilon) > 0.9:
            return steps
        steps *= 10
    raise ArithmeticError(f"no failure up to T = 1e15 for c1 = {c1}, c2 = {c2}")


@statement(
    "004 Lemma 2.1.7",
    lines="404",
    kind="composition",
    printed="there are c1, c2: noise of standard deviation G sigma/n on the gradients of a lot of "
    "l = q n, eps < c1 q^2 T and sigma >= c2 q sqrt(T ln(1/delta))/eps give (eps, delta)-DP",
    false="misprint: on the mean of a lot it is G sigma/l; G/n is right only if l = n",
    algorithms=("chapter-2", "diss-2.sgd-accountant"),
    errata=("diss-2.sgd-accountant/E1",),
)
def moments_accountant() -> Outcome:
    """No c1 and c2 among .01, 1, 100 rescue it: T grows until the sum of the outputs leaks."""
    q, steps, epsilon, delta = 0.1, 1000, 1.0, 1e-5
    leaks = {
        f"c1={c1:g}, c2={c2:g}": _steps_that_leak(c1, c2, epsilon, delta)
        for c1, c2 in itertools.product((0.01, 1.0, 100.0), repeat=2)
    }
    # at c2 = 1, with the number K of lots that hold the record summed exactly
    multiplier = q * q * math.sqrt(steps * math.log(1 / delta)) / epsilon
    k, spread = np.arange(steps + 1), math.sqrt(steps)
    seen = float(scipy.stats.binom.pmf(k, steps, q) @ ndtr((k / multiplier - 2 * spread) / spread))
    leak = seen - math.exp(epsilon) * float(ndtr(-2.0))
    point = {"q": q, "steps": steps, "epsilon": epsilon, "c2": 1.0, "multiplier": multiplier,
             "steps_for_constants": leaks}  # fmt: skip
    return refuted(point, leak, delta, "delta of the sum of all outputs against delta")


@moments_accountant.corrected(
    "with G sigma/l and c1 = 1, c2 = 6 for .25 <= eps < 1, replace-one",
    refuses={"c2 = 4": {"constant": 4.0}},
    unchecked={
        "G, l": "the unit of the noise: the accountant has the sum of a lot, of sensitivity 2 G",
        "c1": "1: the code takes the least T that eps < c1 q^2 T allows, and 30 times that",
        "c2, 6": "the factor 6 of the noise in the code, whose certified epsilon the step has",
    },
)
def moments_accountant_per_lot(constant: float = 6.0) -> Outcome:
    """Renyi accounting, without replacement, replace-one.

    Below eps = .25 the bound certifies less (1.05 of epsilon at .1, 3.5 at .02, delta = 1e-8): its
    terms of high order do not vanish as sigma grows.
    """
    worst, tried = 0.0, 0
    grid = itertools.product((0.1, 1e-2, 1e-4), (0.25, 0.5, 0.999), (1e-3, 1e-6, 1e-8), (1, 30))
    for q, epsilon, delta, factor in grid:
        steps = math.ceil(factor * epsilon / q**2) + 1
        sigma = constant * q * math.sqrt(steps * math.log(1 / delta)) / epsilon
        worst = max(worst, _renyi_epsilon(q, steps, sigma, epsilon, delta) / epsilon)
        tried += 1
    return searched(
        worst, 1, tried=tried, what="epsilon spent over eps, q to 1e-4, delta to 1e-8, two T each"
    )


def _renyi_epsilon(q: float, steps: int, sigma: float, epsilon: float, delta: float) -> float:
    # around the order that is best for zCDP
    best = 1 + 2 * math.log(1 / delta) / epsilon
    orders = sorted({max(2, int(best * part)) for part in (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)})
    accountant = rdp_privacy_accountant.RdpAccountant(
        orders=orders, neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    population = 10**6
    # replace-one: the lot's sum changes by 2 G
    lot = dp_accounting.SampledWithoutReplacementDpEvent(
        population, round(q * population), dp_accounting.GaussianDpEvent(sigma / 2)
    )
    accountant.compose(lot, steps)
    return float(accountant.get_epsilon(delta))


# -------------------------------------------------------------------------------- zCDP


def _gaussian_renyi(alpha: float, shift: float, sigma: float) -> Any:
    """Renyi divergence of N(0, sigma^2) and N(shift, sigma^2) by quadrature."""
    a, m, s = mp.mpf(alpha), mp.mpf(shift), mp.mpf(sigma)

    def integrand(x: Any) -> Any:
        return mp.npdf(x, 0, s) ** a * mp.npdf(x, m, s) ** (1 - a)

    centre = (1 - a) * m  # where the integrand is largest
    mass = mp.quad(integrand, [centre - 30 * s, centre, centre + 30 * s])
    return mp.log(mass) / (a - 1)


def _renyi_divergences(factor: int) -> Outcome:
    """The divergence of a Gaussian pair against factor rho alpha, rho = Delta^2/(2 sigma^2)."""

    def cases() -> Iterator[tuple[dict[str, float], Any, Any]]:
        for alpha, shift, sigma in (
            (1.5, 2.0, 1.0), (2.0, 2.0, 1.0), (5.0, 0.3, 0.7), (20.0, 1.0, 3.0),
        ):  # fmt: skip
            rho = mp.mpf(shift) ** 2 / (2 * mp.mpf(sigma) ** 2)
            point = {"alpha": alpha, "shift": shift, "sigma": sigma}
            yield point, _gaussian_renyi(alpha, shift, sigma), factor * rho * alpha

    return precisely(
        cases, "=", digits=30, tolerance="1e-20", note="divergence of a Gaussian pair by quadrature"
    )


@statement(
    "004 Definition 2.1.5",
    lines="410-414",
    kind="definition",
    printed="rho-zCDP: D_alpha(A(D) || A(D')) <= rho alpha for all alpha > 1",
    refuses={"2 rho alpha met with equality": {"factor": 2}},
    unchecked={
        "D_alpha": "of a Gaussian pair, by quadrature of the densities",
        "A": "in the step the Gaussian mechanism",
    },
)
def zcdp(factor: int = 1) -> Outcome:
    """The Gaussian pair meets the definition with equality."""
    return definition(_renyi_divergences(factor))


def _zcdp_rho(log_p: FloatArray, log_q: FloatArray, orders: FloatArray) -> float:
    """Return the largest D_alpha/alpha over the orders, in both directions."""
    a = orders[:, None]
    return max(
        float((logsumexp(a * p + (1 - a) * q, axis=1) / (orders - 1) / orders).max())
        for p, q in ((log_p, log_q), (log_q, log_p))
    )


@statement(
    "004 Lemma 2.1.8",
    lines="418",
    kind="composition",
    printed="rho_1- and rho_2-zCDP compose to (rho_1 + rho_2)-zCDP",
    added="the mechanisms have densities, measurable in past and outcome",
    refuses={"0.9 (rho_1 + rho_2)": {"factor": 0.9}, "the larger rho": {"largest": True}},
    unchecked={
        "rho_1, rho_2": "in the code the largest D_a/a of the first mechanism and of the second",
    },
)
def zcdp_composition(
    rng: np.random.Generator, factor: float = 1.0, largest: bool = False
) -> Outcome:
    """Adaptive composition of finite mechanisms, each with its own rho as the sup over orders."""
    orders = np.concatenate([np.linspace(1.01, 3, 30), np.geomspace(3.1, 300, 40)])
    trials, worst = 40, 0.0
    for _ in range(trials):
        size = int(rng.integers(2, 5))
        first = np.log(rng.dirichlet(np.ones(size), size=2))  # row 0 on D, row 1 on D'
        second = np.log(rng.dirichlet(np.ones(3), size=(size, 2)))  # after each output of the first
        joint = [
            np.concatenate([first[side][x] + second[x][side] for x in range(size)])
            for side in (0, 1)
        ]
        before = _zcdp_rho(first[0], first[1], orders)
        after = max(_zcdp_rho(pair[0], pair[1], orders) for pair in second)
        total = max(before, after) if largest else before + after
        worst = max(worst, _zcdp_rho(joint[0], joint[1], orders) / total)
    allowed = factor * (1 + 1e-9)  # rounding of a float sum
    return searched(worst, allowed, tried=trials, what="rho of random adaptive pairs over the sum")


@statement(
    "004 Lemma 2.1.9",
    lines="424",
    kind="privacy",
    printed="q(D) + N(0, sigma^2 I) is Delta_2/(2 sigma^2)-zCDP",
    false="misprint: the square of the sensitivity is missing",
    errata=("diss-2.zcdp/E1",),
)
def gaussian_zcdp() -> Outcome:
    with mp.workdps(30):
        divergence = _gaussian_renyi(2.0, 2.0, 1.0)
    point = {"sensitivity": 2.0, "sigma": 1.0, "alpha": 2.0}
    return refuted(point, divergence, mp.mpf(2), "divergence against Delta/(2 sigma^2) alpha")


@gaussian_zcdp.corrected("Delta_2^2/(2 sigma^2)-zCDP", refuses={"half of it": {"halves": 4}})
def gaussian_is_zcdp(halves: int = 2) -> Outcome:
    """N(0, s^2) against N(m, s^2), m = Delta_2; in d dimensions along the line of the two means.

    p^a q^(1-a) is the density of N((1-a) m, s^2) times exp(a (a-1) m^2/(2 s^2))
    [step "completed square"]; its integral is that factor, so D_a = a m^2/(2 s^2).
    """
    x, s, a = symbols("x s a")
    m = sp.Symbol("m", real=True)
    exponent = a * -(x**2) / (2 * s**2) + (1 - a) * -((x - m) ** 2) / (2 * s**2)
    square = -((x - (1 - a) * m) ** 2) / (2 * s**2)
    return derived(
        completed_square=identity((exponent, square + (a - 1) * a * m**2 / (halves * s**2))),
        quadrature=_renyi_divergences(1),
    )


@statement(
    "004 Lemma 2.1.10",
    lines="426",
    kind="privacy",
    printed="rho-zCDP implies (rho + 2 sqrt(rho ln(1/delta)), delta)-DP",
    refuses={"rho + sqrt(rho ln(1/delta))": {"twice": 1}},
)
def zcdp_conversion(twice: int = 2) -> Outcome:
    """Markov's inequality for e^((a-1) loss): delta <= e^((a-1)(a rho - epsilon)) for all a > 1.

    At a = 1 + l/r, with r = sqrt(rho) and l = sqrt(ln(1/delta)), the exponent is -ln(1/delta)
    [step "exponent"]. The sharper conversions of the accountant promise less [step "accountant"].
    """
    r, root = symbols("r l")
    a = 1 + root / r
    worst, tried = 0.0, 0
    for rho, delta in itertools.product(np.geomspace(1e-4, 5, 12), np.geomspace(1e-9, 0.5, 8)):
        epsilon = zcdp_epsilon(rho, delta)
        exact = gaussian_dp_delta(math.sqrt(2 * rho), epsilon)
        worst = max(worst, zcdp_delta(rho, epsilon) / delta, exact / delta)
        tried += 1
    return derived(
        exponent=identity(((a - 1) * (a * r**2 - (r**2 + twice * r * root)), -(root**2))),
        accountant=searched(worst, 1, tried=tried, what="optimised conversion over delta"),
    )
