"""The experiments on sparse regression from private users: Wang (2020), l.6710-6716, l.6726-6748.

Printed: x uniform on {-1, 1}^p, s* coefficients from U[0, 1], noise from U[-C, C], C = .05,
f(x) = 8x + cos x; eta = .1 or .2, s = s*, T = ceil(log(n/p)), a Gaussian start, the best of ten
runs by the true error. Not printed: n, p, s* and epsilon. These settings cannot work (errata
diss-5.3.41/E2, E4, E5; and eta = .1 is above 2/b^2 for f), so the corrected ones are added:
coefficients scaled to norm 1, the radius that cuts no residual, s = 8 s*, the step size of the
theorem, a start at 0.

The mean of many messages is drawn in one go: it is that of the users' gradients, and its covariance
(B^2/p) I but for a p-th of it. Where nothing is cut a gradient's mean is known, so that n is free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.experiments.experiment import (
    Condition,
    Errors,
    Experiment,
    Met,
    Panel,
    Trend,
    below,
    falls,
)
from reference._validation import FloatArray
from reference.clipping import clip_entries
from reference.constraint_sets import SparseVectors
from reference.local import iterative_hard_thresholding as linear
from reference.local import nonlinear_hard_thresholding as nonlinear
from reference.local.iterative_hard_thresholding import KEPT, UNIT_BALL
from reference.local.nonlinear_hard_thresholding import EIGHT_X_AND_COSINE, MonotoneFunction
from reference.privacy.mechanisms.l2_ball import L2BallRandomizer
from reference.sparse.restricted_isometry import isometry_of_gram

FAMILY = "sparse"
NOISE_BOUND = 0.05
"""C of the paper."""
N_ITERATIONS, STARTS, PRINTED_STEP = 6, 10, 0.1
ASKED = 2 / 7
"""Largest Delta of Theorem 5.3.6; for LDP-IHT "O(1)" is printed, whose proof takes this."""
MEAN_OF = 20_000
"""Features that stand for all where the mean of a gradient behind f is needed."""
PART = 100_000
"""Users drawn at a time where only their Gram matrix is needed."""
LDP_IHT, LOWER = "LDP-IHT, p = {p}", "no method is below, p = {p}"

LinkMean = Callable[[int, FloatArray], FloatArray]


@dataclass(frozen=True)
class SparseCurve:
    """Parameters of one curve.

    Attributes
    ----------
    p, sparsity : int
        Of theta*.
    epsilon : float
    noise_bound : float
        C.
    function : MonotoneFunction or None
        f of the measurements; None is the linear model.
    """

    p: int = 50
    sparsity: int = 5
    epsilon: float = 1.0
    noise_bound: float = NOISE_BOUND
    function: MonotoneFunction | None = None


def coefficients(rng: np.random.Generator, setting: SparseCurve) -> FloatArray:
    """Draw the paper's theta*: s* coefficients, at random places, from U[0, 1] (l.6712)."""
    theta = np.zeros(setting.p)
    chosen = rng.choice(setting.p, setting.sparsity, replace=False)
    theta[chosen] = rng.uniform(size=setting.sparsity)
    return theta


def unit_coefficients(rng: np.random.Generator, setting: SparseCurve) -> FloatArray:
    """Draw the paper's theta*, scaled to norm 1."""
    theta = coefficients(rng, setting)
    return np.asarray(theta / np.linalg.norm(theta))


def signs(rng: np.random.Generator, n: int, p: int) -> FloatArray:
    """Draw features uniform on {-1, 1}^p."""
    return np.asarray(np.array([-1.0, 1.0])[rng.integers(0, 2, size=(n, p), dtype=np.int8)])


def weights(
    function: MonotoneFunction | None, scores: FloatArray, labels: FloatArray
) -> FloatArray:
    """Return what multiplies the features in a gradient: f' (f - y)."""
    if function is None:
        return scores - labels
    return function.derivative(scores) * (function.value(scores) - labels)


def descend(
    mean: LinkMean,
    start: FloatArray,
    *,
    kept: int,
    step_size: float,
    n_iterations: int,
    noise: Callable[[], FloatArray],
) -> FloatArray:
    """Run steps 2 to 8 of Algorithm 5.3.41, a mean message being ``mean(t, theta) + noise()``."""
    theta, sparse = start, SparseVectors(min(kept, start.size))
    for t in range(n_iterations):
        half_step = theta - step_size * (mean(t, theta) + noise())
        theta = UNIT_BALL.project(sparse.project(half_step))
    return theta


def message_noise(
    rng: np.random.Generator, *, radius: float, epsilon: float, p: int, users: int
) -> FloatArray:
    """Draw the noise of the mean of the randomizer's messages: N(0, B^2/(p users) I)."""
    norm = L2BallRandomizer(radius, epsilon).output_norm(p)
    return np.asarray(norm / math.sqrt(p * users) * rng.standard_normal(p))


def population_mean(setting: SparseCurve, truth: FloatArray, rng: np.random.Generator) -> LinkMean:
    """Return E[x f'(<theta, x>) (f(<theta, x>) - y)]: theta - theta* in the linear model."""

    def mean(t: int, theta: FloatArray) -> FloatArray:
        del t
        if setting.function is None:
            return theta - truth
        features = signs(rng, MEAN_OF, theta.size)
        labels = setting.function.value(features @ truth)
        factors = weights(setting.function, features @ theta, labels)
        return np.asarray(factors @ features / MEAN_OF)

    return mean


def constants(setting: SparseCurve) -> nonlinear.Constants:
    """Return the radius that cuts nothing and the step size of the corrected theorems."""
    model: dict[str, Any] = {
        "dimension": setting.p,
        "sparsity": setting.sparsity,
        "noise_bound": setting.noise_bound,
    }
    if setting.function is None:
        return nonlinear.Constants(linear.constants_for(**model).radius, 1.0)
    return nonlinear.constants_for(
        **model,
        least_slope=setting.function.least_slope,
        largest_slope=setting.function.largest_slope,
    )


def corrected_error(setting: SparseCurve, n: int, rng: np.random.Generator) -> float:
    """Return ||theta_T - theta*|| of the right algorithm, for a theta* of norm 1."""
    truth = unit_coefficients(rng, setting)
    chosen = constants(setting)
    found = descend(
        population_mean(setting, truth, rng),
        np.zeros(setting.p),
        kept=KEPT * setting.sparsity,
        step_size=chosen.step_size,
        n_iterations=N_ITERATIONS,
        noise=partial(
            message_noise,
            rng,
            radius=chosen.radius,
            epsilon=setting.epsilon,
            p=setting.p,
            users=n // N_ITERATIONS,
        ),
    )
    return float(np.linalg.norm(found - truth))


def printed_error(setting: SparseCurve, n: int, rng: np.random.Generator) -> float:
    """Return the printed relative error: the least of ten runs from Gaussian starts."""
    truth = coefficients(rng, setting)
    steps = printed_steps(n, setting.p)
    features = signs(rng, n, setting.p)
    labels = features @ truth + rng.uniform(-NOISE_BOUND, NOISE_BOUND, size=n)
    blocks = np.array_split(np.arange(n), steps)  # sizes differ by one user at most

    def mean(t: int, theta: FloatArray) -> FloatArray:
        rows = slice(blocks[t][0], blocks[t][-1] + 1)
        cut = clip_entries(features[rows] @ theta - labels[rows], NOISE_BOUND)
        return np.asarray(cut @ features[rows] / len(blocks[t]))

    noise = partial(
        message_noise,
        rng,
        radius=NOISE_BOUND * math.sqrt(setting.p),
        epsilon=setting.epsilon,
        p=setting.p,
        users=n // steps,
    )
    run = partial(
        descend,
        mean,
        kept=setting.sparsity,
        step_size=PRINTED_STEP,
        n_iterations=steps,
        noise=noise,
    )
    return least_error(run, truth, rng)


def least_error(
    run: Callable[[FloatArray], FloatArray], truth: FloatArray, rng: np.random.Generator
) -> float:
    """Return the least relative error of ten runs, each from a Gaussian start."""
    errors = [np.linalg.norm(run(rng.standard_normal(truth.size)) - truth) for _ in range(STARTS)]
    return float(min(errors) / np.linalg.norm(truth))


def printed_steps(n: int, p: int) -> int:
    """Return T = ceil(log(n/p))."""
    return math.ceil(math.log(n / p))


def sequential_bound(n: float, p: int, epsilon: float) -> float:
    """Return the root of a risk that no sequential epsilon-LDP method is below on P_{1,p,2}.

    Squared, it is min{1/4, p/(n epsilon^2)}/8: Theorem 5.3.2 with the constants of its check, for
    epsilon <= 1/2.
    """
    return math.sqrt(min(0.25, p / (n * epsilon**2)) / 8)


CurveError = Callable[[SparseCurve, int, np.random.Generator], float]


def over_sizes(
    error: CurveError,
    curves: dict[str, SparseCurve],
    sizes: Sequence[int],
    rng: np.random.Generator,
) -> Errors:
    """Return the errors over n of every curve."""
    return {
        label: np.array([error(setting, n, rng) for n in sizes])
        for label, setting in curves.items()
    }


def beside_the_bound(sizes: Sequence[int], rng: np.random.Generator) -> Errors:
    """Return the errors of LDP-IHT on P_{1,p,2} and what Theorem 5.3.2 says of all methods."""
    found = {}
    for p in (20, 200):
        hard = SparseCurve(p=p, sparsity=1, epsilon=0.5, noise_bound=2.0)
        found[LDP_IHT.format(p=p)] = np.array([corrected_error(hard, n, rng) for n in sizes])
        bounds = [sequential_bound(n, p, hard.epsilon) for n in sizes]
        found[LOWER.format(p=p)] = np.array(bounds)
    return found


SparseViews = dict[str, tuple[str, tuple[float, ...]]]
"""Panels of a figure: what varies -> (title, values)."""
VIEWS: SparseViews = {
    "p": ("s* = 5, epsilon = 1", (20, 50, 100)),
    "s*": ("p = 50, epsilon = 1", (2, 5, 10)),
    "epsilon": ("p = 50, s* = 5", (0.5, 1.0, 2.0)),
}


def _curves(parameter: str, values: Sequence[float], base: SparseCurve) -> dict[str, SparseCurve]:
    field = "sparsity" if parameter == "s*" else parameter
    varied: list[dict[str, Any]] = [{field: value} for value in values]
    return {f"{parameter} = {one[field]:g}": replace(base, **one) for one in varied}


def panels_over_sizes(
    error: CurveError, sizes: Sequence[int], base: SparseCurve, views: SparseViews, tier: Tier
) -> list[Panel]:
    """Return a panel for every parameter, a curve for each of its values, n along them."""
    del tier
    return [
        Panel(
            title,
            "n",
            sizes,
            partial(over_sizes, error, _curves(parameter, values, base), sizes),
            "relative error",
            True,
        )
        for parameter, (title, values) in views.items()
    ]


def _panels_and_bound(tier: Tier) -> list[Panel]:
    trial = partial(beside_the_bound, SIZES)
    last = Panel("s* = 1, C = 2, epsilon = 1/2", "n", SIZES, trial, "error", True)
    return [*panels_over_sizes(corrected_error, SIZES, SparseCurve(), VIEWS, tier), last]


def trends_over_sizes(erratum: str = "") -> tuple[Trend, ...]:
    """Return what the text reads from Figure 5.5 (l.6716), of panels over :data:`VIEWS`."""
    trends = []
    for panel, (parameter, (_, values)) in enumerate(VIEWS.items()):
        labels = [f"{parameter} = {v:g}" for v in values]
        better, worse = labels[0], labels[-1]
        if parameter == "epsilon":
            better, worse = worse, better
        words = f"the error is larger at {worse} than at {better}"
        trends.append(Trend(words, panel, below(better, worse), erratum))
        words = f"at {labels[1]} the error falls with n"
        trends.append(Trend(words, panel, falls(labels[1]), erratum))
    return tuple(trends)


def _bound_trends(p: int) -> tuple[Trend, ...]:
    own = LDP_IHT.format(p=p)
    words = f"p = {p}: the error is above what no method is below"
    return (
        Trend(words, 3, below(LOWER.format(p=p), own)),
        Trend(f"p = {p}: the error falls with n", 3, falls(own)),
    )


def isometry(
    rng: np.random.Generator, *, users: int, p: int, sparsity: int, asked: float
) -> Condition:
    """Return whether the features of so many users meet Assumption 5.3.1 or 5.3.2."""
    gram = np.zeros((p, p))
    for left in range(users, 0, -PART):
        part = signs(rng, min(left, PART), p)
        gram += part.T @ part / users
    found = isometry_of_gram(gram, 17 * sparsity, rng=rng)
    met: Met = "met" if found.upper <= asked else "not met" if found.lower > asked else "not known"
    between = f"from {found.lower:.3f} to {found.upper:.3f}"
    if found.lower == found.upper:
        between = f"{found.lower:.3f}"
    return Condition(
        f"{users:,} users, p = {p}, s* = {sparsity}: Delta at 17 s* is at most {asked:.3f}",
        between,
        met,
    )


def lengths(rng: np.random.Generator, *, scaled: bool) -> Condition:
    """Return whether ||theta*|| <= 1, of 200 draws."""
    draw = unit_coefficients if scaled else coefficients
    drawn = [draw(rng, SparseCurve()) for _ in range(200)]
    longer = sum(not UNIT_BALL.contains(theta) for theta in drawn)
    return Condition(
        "s* = 5: theta* has norm at most 1",
        f"longer in {longer} of 200 draws",
        "not met" if longer else "met",
    )


def slopes(rng: np.random.Generator, function: MonotoneFunction) -> Condition:
    """Return whether f' stays in [a, b] on the scores of drawn features, and of the worst ones."""
    theta = unit_coefficients(rng, SparseCurve())
    reach = float(np.abs(theta).sum())  # the largest score of signs
    scores = np.r_[signs(rng, MEAN_OF, theta.size) @ theta, np.linspace(-reach, reach, 10_001)]
    found = function.derivative(scores)
    a, b = function.least_slope, function.largest_slope
    inside = a <= found.min() and found.max() <= b
    return Condition(
        f"f = {function.name} is ({a:g}, {b:g})-monotone",
        f"f' from {found.min():.2f} to {found.max():.2f}",
        "met" if inside else "not met",
    )


def asked_of(function: MonotoneFunction) -> float:
    """Return (9a^2 - 5b^2)/(9a^2 + 5b^2), the largest Delta of the corrected Theorem 5.3.9."""
    a, b = function.least_slope**2, function.largest_slope**2
    return (9 * a - 5 * b) / (9 * a + 5 * b)


def right_conditions(
    sizes: Sequence[tuple[int, int]], function: MonotoneFunction | None, rng: np.random.Generator
) -> list[Condition]:
    """Return what the corrected theorems assume, at every (users, p)."""
    asked = ASKED if function is None else asked_of(function)
    found = [lengths(rng, scaled=True)]
    if function is not None:
        found.append(slopes(rng, function))
    return [*found, *(isometry(rng, users=n, p=p, sparsity=5, asked=asked) for n, p in sizes)]


def printed_conditions(users: Sequence[int], rng: np.random.Generator) -> list[Condition]:
    """Return what the theorems assume, at p = 50, of the printed settings."""
    return [
        lengths(rng, scaled=False),
        Condition("s = 8 s*", "s = s*", "not met"),
        *(isometry(rng, users=n, p=50, sparsity=5, asked=ASKED) for n in users),
    ]


def without_noise(steps: Sequence[int], rng: np.random.Generator) -> Errors:
    """Return ||theta_t - theta*|| over t, without noise, with the printed steps and the right."""
    setting = SparseCurve(function=EIGHT_X_AND_COSINE)
    truth = unit_coefficients(rng, setting)
    step_sizes = (0.1, 0.2, constants(setting).step_size)

    def error(eta: float, t: int) -> float:
        found = descend(
            population_mean(setting, truth, rng),
            np.zeros(setting.p),
            kept=KEPT * setting.sparsity,
            step_size=eta,
            n_iterations=t,
            noise=lambda: np.zeros(setting.p),
        )
        return float(np.linalg.norm(found - truth))

    return {f"eta = {eta:.3g}": np.array([error(eta, t) for t in steps]) for eta in step_sizes}


SIZES, MORE, PRINTED_SIZES = (10**6, 10**7, 10**8), (10**7, 10**8, 10**9), (10**4, 10**5)
FEWEST = [(SIZES[0] // N_ITERATIONS, p) for p in (50, 100)]
FEWEST_BEHIND = [(MORE[0] // N_ITERATIONS, p) for p in (50, 100)]
PRINTED_USERS = [n // printed_steps(n, 50) for n in PRINTED_SIZES]
"""Users of one iteration, of most of them the fewest."""
STEPS = (1, 2, 4, 8)
CORRECTED = (
    "The paper's: the law of the data but for its length, C = 0.05. Chosen here: n, p, s*, "
    "epsilon, T = 6; corrected: theta* of norm 1, the radius that cuts nothing, s = 8 s*, {step}, "
    "a start at 0."
)
AS_PRINTED = (
    "The paper's: the law of the data, C = 0.05, the radius C sqrt p, eta = 0.1, s = s*, "
    "T = ceil(log(n/p)), the best of ten runs from Gaussian starts. Chosen here: n, p, s*, "
    "epsilon."
)

EXPERIMENTS = (
    Experiment(
        name="004 Figure 5.5",
        algorithm="diss-5.3.41",
        caption="Sparse linear regression under LDP, the whole data set private.",
        setting=CORRECTED.format(step="eta = 1") + " The last panel is of the class that the "
        "lower bound of Theorem 5.3.2 is about.",
        panels=_panels_and_bound,
        trends=(*trends_over_sizes(), *_bound_trends(20), *_bound_trends(200)),
        conditions=partial(right_conditions, FEWEST, None),
    ),
    Experiment(
        name="004 Figure 5.5 as printed",
        algorithm="diss-5.3.41",
        caption="Sparse linear regression under LDP, the whole data set private.",
        setting=AS_PRINTED,
        panels=partial(panels_over_sizes, printed_error, PRINTED_SIZES, SparseCurve(), VIEWS),
        trends=trends_over_sizes("diss-5.3.41/E5"),
        conditions=partial(printed_conditions, PRINTED_USERS),
    ),
    Experiment(
        name="004 Figure 5.9",
        algorithm="diss-5.3.44",
        caption="Sparse regression with non-linear measurements under LDP, all private.",
        setting=CORRECTED.format(step="eta = (9a^2 + 5b^2)/(14 a^2 b^2)"),
        panels=partial(
            panels_over_sizes,
            corrected_error,
            MORE,
            SparseCurve(function=EIGHT_X_AND_COSINE),
            VIEWS,
        ),
        trends=trends_over_sizes(),
        conditions=partial(right_conditions, FEWEST_BEHIND, EIGHT_X_AND_COSINE),
    ),
    Experiment(
        name="004 Figure 5.9 step sizes",
        algorithm="diss-5.3.44",
        caption="Sparse regression with non-linear measurements, no privacy, all of the law.",
        setting="The paper's: f = 8x + cos x, and eta = 0.1 and 0.2 of the linear model, as none "
        "is printed for this one. Chosen here: p = 50, s* = 5, theta* of norm 1.",
        panels=lambda tier: [
            Panel("no noise", "t", STEPS, partial(without_noise, STEPS), "relative error")
        ],
        trends=(
            Trend("at eta = 0.1 the error falls", 0, falls("eta = 0.1")),
            Trend("at eta = 0.2 the error falls", 0, falls("eta = 0.2")),
            Trend("at the corrected eta the error falls", 0, falls("eta = 0.0152")),
        ),
    ),
)
