"""Section 3.2.4: gradient descent by noisy trimmed means (Algorithm 3.2.7)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import log_ndtr, ndtr

from proofs_checks.balls import ball, log
from proofs_checks.extras import sp
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_3_2_6_known_mean import budget_bounds, rate_of_recursion
from proofs_checks.paper_004.section_3_2_6_trimmed_mean import ARSINH_NORMAL_SD
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import (
    derived,
    for_all,
    identity,
    rational,
    reals,
    refuted,
    searched,
    symbols,
)
from reference.constraint_sets import L2Ball
from reference.errata.heavy_tailed import known_mean_gradient_descent as errata
from reference.heavy_tailed.known_mean_gradient_descent import (
    known_mean_gradient_descent,
    trimming_budget,
)
from reference.heavy_tailed.trimmed_mean import smooth_sensitivity, trim_count
from reference.losses import SquaredDistance
from reference.privacy.guarantees import zcdp_epsilon
from reference.privacy.ledger import RecordingLedger
from reference.privacy.mechanisms import SmoothSensitivity

statement = partial(any_statement, algorithms=("diss-3.2.7",))


# ------------------------------------------------------------------------------ privacy


@statement(
    "004 Algorithm 3.2.7, step 1",
    lines="1526",
    kind="composition",
    printed="te = sqrt(2 log(1/delta)) + 2 epsilon - sqrt(2 log(1/delta)) is the budget of "
    "(epsilon, delta)-DP",
    false="the root ends too early: this is 2 epsilon",
    errata=("diss-3.2.7/E3",),
)
def displaced_root() -> Outcome:
    """By Lemma 3.2.6 a budget of 2 epsilon gives te^2/2 + te sqrt(2a)."""
    spent = ball(2) + 2 * (2 * log(ball("1e5"))).sqrt()
    return refuted({"epsilon": 1.0, "delta": 1e-5, "te": 2.0}, spent, ball(1), "epsilon spent")


@displaced_root.corrected(
    "te = sqrt(2 log(1/delta) + 2 epsilon) - sqrt(2 log(1/delta)), as in l.1894: "
    "te^2/2 + te sqrt(2 log(1/delta)) = epsilon",
    refuses={"sqrt(2 log(1/delta) + 3 epsilon)": {"factor": 3}},
)
def whole_root(factor: int = 2) -> Outcome:
    """Here te is the positive root, with a = log(1/delta)."""
    epsilon, a = symbols("epsilon a")
    te = sp.sqrt(2 * a + factor * epsilon) - sp.sqrt(2 * a)
    return identity((te**2 / 2 + te * sp.sqrt(2 * a), epsilon))


def _printed_scale(record: float) -> float:
    """S of Algorithm 3.2.7 as printed, d = T = 1, on 99 zero gradients and another."""
    data = np.zeros((100, 1))
    data[-1] = record
    ledger = RecordingLedger(0)
    errata.printed(
        data, SquaredDistance(), L2Ball(1.0), initial=[0.0], epsilon=1.0, delta=1e-5,
        lower=-1.0, upper=1.0, trim=20, step_size=1.0, n_iterations=1, ledger=ledger,
    )  # fmt: skip
    mechanism = ledger.transcript.releases[0].mechanism
    assert isinstance(mechanism, SmoothSensitivity)
    return mechanism.smooth_bound


@statement(
    "004 Theorem 3.2.4",
    lines="1543, proof 1752-1768",
    kind="privacy",
    printed="Algorithm 3.2.7 is (epsilon, delta)-DP for 0 < epsilon, delta <= 1",
    false="its Mechanism M (Theorem 3.2.3) is not private",
    errata=("diss-3.2.7/E1",),
)
def broken_mechanism() -> Outcome:
    """Zero gradients against one of 1e6: |out| > x is |Y| > arsinh(x te/(4 S))."""
    budget = trimming_budget(1.0, 1e-5)
    first, second = (_printed_scale(record) / budget for record in (0.0, -5e5))
    x = np.geomspace(1e-2, 1e6, 4001)
    inside = 2 * ndtr(-np.arcsinh(x / (4 * second)))
    outside = 2 * np.exp(1.0 + log_ndtr(-np.arcsinh(x / (4 * first))))
    best = int(np.argmax(inside - outside))
    point = {"d": 1, "T": 1, "epsilon": 1.0, "te": budget, "n": 100, "m": 20, "b - a": 2.0,
             "S/te": first, "S'/te": second, "event": f"|out| > {x[best]:.6g}"}  # fmt: skip
    return refuted(point, float((inside - outside)[best]), 1e-5, "delta")


def _spent(epsilon: float, delta: float, d: int, n_iterations: int) -> float:
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


@broken_mechanism.corrected(
    "with the smooth sensitivity in Mechanism M: dT calls of (te^2/(2dT))-zCDP are te^2/2-zCDP, "
    "hence (epsilon, delta)-DP",
    refuses={"T calls": {"coordinates": False}, "te^2/2 + te sqrt(a)": {"inside": 1}},
    unchecked={"M": "the mechanism; the steps have the cost of each of its calls"},
)
def composition(coordinates: bool = True, inside: int = 2) -> Outcome:
    """By the corrected Theorem 3.2.3 and its noise law, which are checked there.

    Each call costs te^2/(2dT), together te^2/2 [step "composed"]; by Lemma 3.2.6 that is
    epsilon [step "converted"]. What runs of the code spend is summed up [step "runs"].
    """
    epsilon, a, d, steps = symbols("epsilon a d T")
    te = sp.sqrt(2 * a + 2 * epsilon) - sp.sqrt(2 * a)
    each = (te / sp.sqrt(d * steps)) ** 2 / 2
    calls = steps * d if coordinates else steps
    worst, cases = 0.0, ((0.1, 1e-6, 1, 1), (1.0, 1e-5, 3, 4), (1.0, 0.5, 2, 7))
    for e, delta, dimension, count in cases:
        worst = max(worst, zcdp_epsilon(_spent(e, delta, dimension, count), delta) / e)
    return derived(
        composed=identity((calls * each, te**2 / 2)),
        converted=identity((te**2 / 2 + te * sp.sqrt(inside * a), epsilon)),
        runs=searched(worst, 1 + 1e-12, tried=len(cases), what="epsilon of runs over epsilon"),
    )


# ------------------------------------------------------------------------------ utility


def _trimmed_noise(m: int, d: int, n_iterations: int) -> float:
    """Smallest deviation of a coordinate's noise over b - a at (1, 1e-5), whatever n is."""
    each = trimming_budget(1.0, 1e-5) / math.sqrt(d * n_iterations)
    return 4 / each * ARSINH_NORMAL_SD * math.exp(-m * each**2 / 16)


@statement(
    "004 Lemma 3.2.2",
    lines="1549-1553, proof 1770-1854",
    kind="utility",
    printed="(3.63): E|grad~ - grad L| <= O(tau d sqrt(T log n)/(sqrt(n) te)) uniformly in W, "
    "with m = O(1)",
    false="the noise is at least a constant when m is one, see (3.84)",
    errata=("diss-3.2.7/E2",),
)
def constant_trim() -> Outcome:
    """The norm of the noise over (3.63) with m = 5 and tau = b - a, at n = 1e5 and 1e11."""
    d, t, budget = 5, 10, trimming_budget(1.0, 1e-5)
    noise = math.sqrt(d) * _trimmed_noise(5, d, t)
    small, large = (
        noise * math.sqrt(n) * budget / (d * math.sqrt(t * math.log(n))) for n in (1e5, 1e11)
    )
    point = {"m": 5, "d": d, "T": t, "epsilon": 1.0, "delta": 1e-5, "at n = 1e5": small, "n": 1e11}
    return refuted(point, large, 100 * small, "noise over (3.63), against 100 times that at 1e5")


@constant_trim.corrected(
    "S <= max{(b-a) e^{-mt}, (x_(n)-x_(1))/(n-2m)}, and (b-a) e^{-mt} <= tau/n with "
    "n/2 > m >= (16 dT/te^2) log(n (b-a)/tau)",
    refuses={
        "half of that m": {"halves": 2},
        "0.9 of S": {"factor": "0.9"},
        "the range over n - m": {"trimmed": 1},
    },
)
def growing_trim(
    rng: np.random.Generator, halves: int = 1, factor: str = "1", trimmed: int = 2
) -> Outcome:
    """Every A_k is at most the range over n - 2m, and e^{-kt} <= 1 [steps "each", "range"].

    t = te^2/(16 dT) and m t = log(n w/tau), w = b - a [step "floor"], which the code's m gives
    [step "code"].
    """
    n, width, tau, te, d, steps = symbols("n w tau te d T")
    m = 16 * d * steps / te**2 * sp.log(n * width / tau) / halves
    floor = sp.exp(-m * te**2 / (16 * d * steps)) * width
    worst = 0.0
    for _ in range(200):
        size = int(rng.integers(5, 60))
        trim = int(rng.integers(1, (size - 1) // 2 + 1))
        t = float(rng.choice([0.001, 0.05, 1.0]))
        x = rng.standard_t(1, size) * 10 ** rng.uniform(-3, 3)
        exact = smooth_sensitivity(x, trim=trim, smoothness=t, lower=-1.0, upper=1.0)
        simple = max(2 * math.exp(-trim * t), float(np.ptp(x)) / (size - 2 * trim))
        worst = max(worst, exact / simple)
    floors = []
    for size, dimension, count in ((10**7, 2, 5), (10**8, 5, 10), (10**10, 20, 30)):
        each = trimming_budget(1.0, 1e-5) / math.sqrt(dimension * count)
        trim = trim_count(size, each, lower=-1.0, upper=1.0, standard_deviation=0.1)
        floors.append(math.exp(-trim * each**2 / 16) * 2 / (0.1 / size))
    decay, gap, spread, records, cut = reals("decay A_k range n m")
    return derived(
        each=for_all(
            decay * gap * (records - trimmed * cut) <= rational(factor) * spread,
            *(decay > 0, decay <= 1, gap >= 0, cut >= 1, gap * (records - 2 * cut) <= spread),
            records > 2 * cut,
        ),
        range=searched(worst, 1 + 1e-12, tried=200, what="S over its bound"),
        floor=identity((floor, tau / n)),
        code=searched(max(floors), 1 + 1e-9, tried=3, what="floor over tau/n"),
    )


constant_trim.restated(
    "004 (3.63)",
    lines="1551",
    printed="E_Z|grad~ L(w, D) - grad L(w)| <= O(tau d sqrt(T log n)/(sqrt(n) te)) for all w",
)


def needed_constant(n: float, bound: float, failure: float) -> float:
    """Return which constant in a bound C B on the excess risk is needed at least, whatever w is.

    l = |w - x|^2/2 with x ~ N(mu, I), mu = +-e_1/sqrt(n): the sums of n records under the two mu
    are 2 deviations apart, so any w^T is on the wrong side of 0 with probability Phi(-1) under
    one of them, with excess risk at least 1/(2n). If the excess were at most C B in expectation
    but for a probability ``failure`` of the data, Phi(-1) <= failure + 2 n C B.
    """
    return (float(ndtr(-1.0)) - failure) / (2 * n * bound)


def _known_range_constant(n: float) -> float:
    """The constant that Theorem 3.2.5 needs on a ball of radius 10 sqrt(3/n); alpha = beta = 1."""
    d, diameter, a = 3, 20 * math.sqrt(3 / n), math.log(10)
    bound = diameter**2 * d**2 * math.log(n) ** 2 * a / n
    failure = 2 * d * n * math.log(n) / (1 + n * math.sqrt(d) * diameter) ** d
    return needed_constant(n, bound, failure)


@statement(
    "004 Theorem 3.2.5",
    lines="1557-1559, proof 1856-1894",
    kind="utility",
    printed="excess risk O(Delta^2 beta^2 tau^2 d^2 log^2(n) log(1/delta)/(alpha^3 n epsilon^2))",
    false="Delta^2 multiplies the whole bound: no constant will do for small W",
    errata=("diss-3.2.7/E7",),
)
def diameter_in_front() -> Outcome:
    """d = 3, epsilon = 1, delta = 0.1, alpha = beta = tau = 1: see :func:`needed_constant`.

    Nor does the bound keep its value when w is measured in other units: w = kappa u multiplies it
    by kappa^-2.
    """
    small, large = (_known_range_constant(n) for n in (1e8, 1e12))
    point = {"d": 3, "epsilon": 1.0, "delta": 0.1, "W": "ball of radius 10 sqrt(3/n)", "n": 1e12,
             "mu": "+-e_1/sqrt(n)", "at n = 1e8": small}  # fmt: skip
    return refuted(point, large, 1000 * small, "constant needed, against 1000 times that at 1e8")


@diameter_in_front.corrected(
    "(beta/2)((1 - alpha/(alpha+beta))^T Delta + (2/alpha) error)^2: beta^2 tau^2/alpha^3 without "
    "Delta^2",
    refuses={
        "Delta^2 in front": {"diameters": 2},
        "d": {"dimensions": 1},
        "T = (beta/alpha) log(n)/3": {"steps": "1/3"},
        "log^2(1/delta)": {"logarithms": 2},
        "1/epsilon": {"budgets": 1},
        "te >= 0.9 epsilon/sqrt(2a)": {"low": "9/10"},
    },
)
def rate_with_known_range(
    diameters: int = 0,
    dimensions: int = 2,
    steps: str = "1",
    logarithms: int = 1,
    budgets: int = 2,
    low: str = "4/5",
) -> Outcome:
    """See :func:`rate_of_recursion`; the error of a gradient is (3.63) with the m that it needs.

    te >= 0.8 epsilon/sqrt(2a) for epsilon <= a = log(1/delta) [step "budget"].

    Here bound = beta^2 tau^2 d^2 log(n)^2/(alpha^3 n) times 2 a/(0.8 epsilon)^2.
    """
    d, n, tau, t, a, epsilon = symbols("d n tau T a epsilon")
    te = sp.Rational(low) * epsilon / sp.sqrt(2 * a)
    error = tau * d * sp.sqrt(t * sp.log(n)) / (sp.sqrt(n) * te)
    private = 2 * a**logarithms / (sp.Rational(low) ** 2 * epsilon**budgets)
    return derived(
        recursion=rate_of_recursion(
            error,
            lambda s: (
                s.tau**2 * s.beta**2 * s.Delta**diameters * d**dimensions * sp.log(n) ** 2
                / (s.alpha**3 * n) * private
            ),
            steps=steps,
        ),
        budget=budget_bounds.of_printed.check(low=low),  # type: ignore[union-attr]
    )  # fmt: skip
