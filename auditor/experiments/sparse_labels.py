"""The experiments with public features and private labels: Wang (2020), l.6710-6716, l.6726-6748.

Settings are those of :mod:`auditor.experiments.sparse`, delta = 1e-3. As printed the labels have
noise for a sensitivity of 4C, which is not private (004 Theorem 5.3.6/E1); the step has its right
sign all the same (diss-5.3.42/E1). Corrected, labels are cut to b sqrt(s*) + C, with the smallest
noise for that.

The lower bounds of Theorems 5.3.7 and 5.3.10 are about pure epsilon-DP, so there the labels have
Laplace noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.experiments.experiment import (
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    columns,
    falls,
)
from auditor.experiments.sparse import (
    PRINTED_STEP,
    VIEWS,
    SparseCurve,
    coefficients,
    constants,
    descend,
    least_error,
    panels_over_sizes,
    printed_conditions,
    printed_steps,
    right_conditions,
    signs,
    trends_over_sizes,
    unit_coefficients,
    weights,
)
from reference._validation import FloatArray
from reference.errata.local.label_hard_thresholding import printed_labels
from reference.local.iterative_hard_thresholding import KEPT
from reference.local.label_hard_thresholding import label_hard_thresholding
from reference.local.label_lasso import label_lasso
from reference.local.label_noise import largest_label
from reference.local.nonlinear_hard_thresholding import EIGHT_X_AND_COSINE, MonotoneFunction
from reference.local.nonlinear_label_hard_thresholding import nonlinear_label_hard_thresholding
from reference.losses import Records
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.sparse.restricted_isometry import restricted_isometry

FAMILY = "sparse"
DELTA, N_ITERATIONS = 1e-3, 8
SIZES, PRINTED_SIZES = (10_000, 30_000, 100_000), (4_000, 40_000)
FEWEST_AND_MOST = ((SIZES[0], 50), (SIZES[-1], 50))
LABEL_VIEWS = VIEWS | {"epsilon": (VIEWS["epsilon"][0], (0.5, 1.0, 2.0, math.inf))}
"""An infinite epsilon means no noise."""
HARD = SparseCurve(p=50, sparsity=2, epsilon=0.5, noise_bound=1.0)
"""Parameters for which the lower bounds hold."""
LAPLACE, LOWER = "Laplace labels", "no method is below"
LABEL_IHT, LASSO, IHT = "Label-LDP-IHT", "Label-LDP Lasso", "IHT, no privacy"


def measured(rng: np.random.Generator, setting: SparseCurve, truth: FloatArray, n: int) -> Records:
    """Draw features and labels f(<theta*, x>) + U[-C, C]."""
    features = signs(rng, n, setting.p)
    scores = features @ truth
    values = scores if setting.function is None else setting.function.value(scores)
    return features, values + rng.uniform(-setting.noise_bound, setting.noise_bound, size=n)


def corrected_error(setting: SparseCurve, n: int, rng: np.random.Generator) -> float:
    """Return ||theta_T - theta*|| of the right algorithm, for a theta* of norm 1."""
    truth = unit_coefficients(rng, setting)
    private = math.isfinite(setting.epsilon)
    given: dict[str, Any] = {
        "epsilon": setting.epsilon if private else 1.0,
        "delta": DELTA,
        "sparsity": setting.sparsity,
        "noise_bound": setting.noise_bound,
        "n_iterations": N_ITERATIONS,
        "ledger": Ledger(rng) if private else NoiselessLedger(rng),
    }
    data = measured(rng, setting, truth, n)
    if setting.function is None:
        found = label_hard_thresholding(data, **given)
    else:
        found = nonlinear_label_hard_thresholding(data, setting.function, **given)
    return float(np.linalg.norm(found - truth))


def beside_the_lasso(sizes: Sequence[int], rng: np.random.Generator) -> Errors:
    """Return the errors of Label-LDP-IHT and of the Lasso (l.6549) on the same noisy labels."""
    setting, rows = SparseCurve(), []
    for n in sizes:
        truth = unit_coefficients(rng, setting)
        data = measured(rng, setting, truth, n)
        seed = int(rng.integers(2**63))  # the same noise for both
        given: dict[str, Any] = {
            "epsilon": setting.epsilon,
            "delta": DELTA,
            "sparsity": setting.sparsity,
            "noise_bound": setting.noise_bound,
        }
        thresholding = partial(label_hard_thresholding, data, n_iterations=N_ITERATIONS, **given)
        found = {
            LABEL_IHT: thresholding(ledger=Ledger(seed)),
            LASSO: label_lasso(data, ledger=Ledger(seed), **given).theta,
            IHT: thresholding(ledger=NoiselessLedger()),
        }
        rows.append({name: float(np.linalg.norm(t - truth)) for name, t in found.items()})
    return columns(rows)


def server(
    records: Records,
    start: FloatArray,
    *,
    kept: int,
    step_size: float,
    n_iterations: int,
    function: MonotoneFunction | None = None,
) -> FloatArray:
    """Run steps 4 to 9 of Algorithms 5.3.42 and 5.3.45, corrected, on labels that are noisy."""
    features, labels = records

    def mean(t: int, theta: FloatArray) -> FloatArray:
        del t
        factors = weights(function, features @ theta, labels)
        average: FloatArray = factors @ features / len(labels)
        return average

    return descend(
        mean,
        start,
        kept=kept,
        step_size=step_size,
        n_iterations=n_iterations,
        noise=lambda: np.zeros(start.size),
    )


def printed_error(setting: SparseCurve, n: int, rng: np.random.Generator) -> float:
    """Return the printed relative error: the least of ten runs from Gaussian starts."""
    truth = coefficients(rng, setting)
    features, labels = measured(rng, setting, truth, n)
    noisy = printed_labels(
        labels,
        epsilon=setting.epsilon,
        delta=DELTA,
        noise_bound=setting.noise_bound,
        ledger=Ledger(rng),
    )
    run = partial(
        server,
        (features, noisy),
        kept=setting.sparsity,
        step_size=PRINTED_STEP,
        n_iterations=printed_steps(n, setting.p),
    )
    return least_error(run, truth, rng)


def label_bound(setting: SparseCurve, n: int, isometry_constant: float) -> float:
    """Return the root of a risk that no non-interactive epsilon-LDP method is below.

    Squared, it is min{1/2, C^2 L/(76 n b^2 epsilon^2 (1 + Delta))}/32 with L = (s/2)
    log(2(p - s)/s): Theorem 5.3.10, and for b = 1 Theorem 5.3.7, with the constants of their check,
    for epsilon <= 1/2 and L >= 4 log 2.
    """
    p, s = setting.p, setting.sparsity
    size = s / 2 * math.log(2 * (p - s) / s)
    if size < 4 * math.log(2) or setting.epsilon > 0.5:
        raise ValueError("the bound is for L >= 4 log 2 and epsilon <= 1/2")
    scale = 76 * n * setting.epsilon**2 * (1 + isometry_constant) * _largest_slope(setting) ** 2
    return math.sqrt(min(0.5, setting.noise_bound**2 * size / scale) / 32)


def _largest_slope(setting: SparseCurve) -> float:
    return 1.0 if setting.function is None else setting.function.largest_slope


def beside_the_bound(
    setting: SparseCurve, sizes: Sequence[int], rng: np.random.Generator
) -> Errors:
    """Return the errors with Laplace noise on the labels and what no method is below."""
    largest = largest_label(
        sparsity=setting.sparsity,
        noise_bound=setting.noise_bound,
        slope=_largest_slope(setting),
    )
    errors, bounds = [], []
    for n in sizes:
        truth = unit_coefficients(rng, setting)
        features, labels = measured(rng, setting, truth, n)
        # labels are within this of f(0), which all know: nothing is cut
        noisy = Ledger(rng).laplace(
            labels, sensitivity=2 * largest, scale=2 * largest / setting.epsilon, unit="label"
        )
        found = server(
            (features, noisy),
            np.zeros(setting.p),
            kept=KEPT * setting.sparsity,
            step_size=constants(setting).step_size,
            n_iterations=N_ITERATIONS,
            function=setting.function,
        )
        errors.append(float(np.linalg.norm(found - truth)))
        # differences of two theta have 2s entries
        constant = restricted_isometry(features, 2 * setting.sparsity, rng=rng).upper
        bounds.append(label_bound(setting, n, constant))
    return {LAPLACE: np.array(errors), LOWER: np.array(bounds)}


def _panels(function: MonotoneFunction | None, tier: Tier) -> list[Panel]:
    base, hard = SparseCurve(function=function), replace(HARD, function=function)
    panels = panels_over_sizes(corrected_error, SIZES, base, LABEL_VIEWS, tier)
    trial = partial(beside_the_bound, hard, SIZES)
    title = f"s* = {hard.sparsity}, C = {hard.noise_bound:g}, pure epsilon = 1/2"
    panels.append(Panel(title, "n", SIZES, trial, "error", True))
    if function is None:
        title, beside = "p = 50, s* = 5, epsilon = 1", partial(beside_the_lasso, SIZES)
        panels.append(Panel(title, "n", SIZES, beside, "relative error", True))
    return panels


TRENDS = (
    *trends_over_sizes(),
    Trend("without noise the error is smaller", 2, below("epsilon = inf", "epsilon = 2")),
    Trend("the error is above what no method is below", 3, below(LOWER, LAPLACE)),
    Trend("with Laplace labels the error falls with n", 3, falls(LAPLACE)),
)
CORRECTED = (
    "The paper's: the law of the data but for its length, delta = 0.001, C = 0.05. Chosen here: n, "
    "p, s*, epsilon, T = 8; corrected: theta* of norm 1, cut labels, the smallest noise, s = 8 s*, "
    "{step}, a start at 0. The fourth panel has Laplace noise on the labels, as the lower bound of "
    "Theorem {bound} is about pure epsilon-DP."
)
AS_PRINTED = (
    "The paper's: the law of the data, delta = 0.001, C = 0.05, the noise, which is not private, "
    "eta = 0.1, s = s*, T = ceil(log(n/p)), the best of ten runs from Gaussian starts. Chosen "
    "here: n, p, s*, epsilon, and the sign of the step."
)

EXPERIMENTS = (
    Experiment(
        name="004 Figure 5.6",
        algorithm="diss-5.3.42",
        caption="Sparse linear regression under LDP, the labels private.",
        setting=CORRECTED.format(step="eta = 1", bound="5.3.7"),
        panels=partial(_panels, None),
        trends=(
            *TRENDS,
            Trend("the error of the Lasso falls with n", 4, falls(LASSO)),
            Trend("privacy costs the Lasso accuracy", 4, below(IHT, LASSO)),
            Trend("thresholding is better than the Lasso", 4, below(LABEL_IHT, LASSO)),
        ),
        conditions=partial(right_conditions, FEWEST_AND_MOST, None),
    ),
    Experiment(
        name="004 Figure 5.6 as printed",
        algorithm="diss-5.3.42",
        caption="Sparse linear regression under LDP, the labels private.",
        setting=AS_PRINTED,
        panels=partial(panels_over_sizes, printed_error, PRINTED_SIZES, SparseCurve(), VIEWS),
        trends=trends_over_sizes("diss-5.3.41/E5"),
        conditions=partial(printed_conditions, PRINTED_SIZES),
    ),
    Experiment(
        name="004 Figure 5.10",
        algorithm="diss-5.3.45",
        caption="Sparse regression with non-linear measurements under LDP, the labels private.",
        setting=CORRECTED.format(step="eta = (9a^2 + 5b^2)/(14 a^2 b^2)", bound="5.3.10"),
        panels=partial(_panels, EIGHT_X_AND_COSINE),
        trends=TRENDS,
        conditions=partial(right_conditions, FEWEST_AND_MOST, EIGHT_X_AND_COSINE),
    ),
)
