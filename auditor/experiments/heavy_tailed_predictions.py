"""Experiments on heavy-tailed data, for the theorems of Hu, Ni, Xiao and Wang (2022).

The paper prints no experiments: these are this project's. In both tiers n or d grows 16 times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    ends_below,
)
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, SparseVectors
from reference.heavy_tailed.baselines import (
    clipped_gradient_descent,
    frank_wolfe,
    projected_gradient_descent,
)
from reference.heavy_tailed.frank_wolfe import (
    heavy_tailed_frank_wolfe,
    recommended_truncation_scale,
)
from reference.heavy_tailed.generators import (
    Affine,
    LinearModel,
    LogNormal,
    StudentT,
    standardised,
)
from reference.heavy_tailed.lasso import heavy_tailed_lasso, recommended_truncation_level
from reference.heavy_tailed.sparse_optimisation import (
    balanced_truncation_scale,
    heavy_tailed_sparse_optimisation,
)
from reference.heavy_tailed.sparse_regression import (
    heavy_tailed_sparse_regression,
    theorem_truncation_level,
)
from reference.losses import RecordLoss, SquaredDistance, SquaredError
from reference.privacy.ledger import Ledger

FAMILY = "heavy-tailed"
OWN, EXACT, NAIVE = "private", "without privacy", "naive clipping"
GROWTH = 16
"""In both tiers n or d grows 16 times from the first value to the last."""

RUNS: dict[str, int] = {"hu-1": 3, "hu-2": 8, "hu-3": 10, "hu-5": 4}
"""Private runs on every sample, of which the mean error is taken."""

UNIT = L1Ball(1.0)
T3, T5 = standardised(StudentT(3)), standardised(StudentT(5))
SKEWED = standardised(LogNormal())
"""Laws with mean 0 and variance 1."""


def _leading(d: int, *entries: float) -> FloatArray:
    """Return the vector of length d that begins with the entries and is 0 elsewhere."""
    return np.append(entries, np.zeros(d - len(entries)))


def _risks(
    algorithm: str,
    risk: Callable[[FloatArray], float],
    estimate: Callable[[], FloatArray],
    others: Mapping[str, FloatArray],
) -> dict[str, float]:
    """Return the mean risk of several private estimates from one sample, and that of others."""
    own = float(np.mean([risk(estimate()) for _ in range(RUNS[algorithm])]))
    return {OWN: own, **{label: risk(w) for label, w in others.items()}}


def _frank_wolfe_errors(n: int, d: int, rng: np.random.Generator) -> dict[str, float]:
    """Return excess risks on one sample: Algorithm 1, Frank-Wolfe, and that on clipped data."""
    model = LinearModel(_leading(d, 0.5, -0.3, 0.2), Affine(T3, 0.5, 0.0), T5)
    data, initial = model.sample(n, rng), np.zeros(d)
    # Theorem 2's T with tau = 8, without its constant
    steps = max(2, round((n / (8 * math.log(2 * d / 0.05))) ** (1 / 3)))
    scale = recommended_truncation_scale(
        second_moment=8.0,
        n=n,
        n_iterations=steps,
        dimension=d,
        n_vertices=2 * d,
        epsilon=1.0,
        failure_probability=0.05,
    )

    def own() -> FloatArray:
        return heavy_tailed_frank_wolfe(
            data,
            SquaredError(),
            UNIT,
            initial=initial,
            epsilon=1.0,
            truncation_scale=scale,
            n_iterations=steps,
            ledger=Ledger(rng),
        )

    naive = heavy_tailed_lasso(
        data, truncation_level=0.5, epsilon=1.0, delta=1e-5, n_iterations=steps, ledger=Ledger(rng)
    )
    exact = frank_wolfe(data, SquaredError(), UNIT, initial=initial, n_iterations=20)
    return _risks("hu-1", model.excess_risk, own, {EXACT: exact, NAIVE: naive})


def _lasso_errors(n: int, d: int, rng: np.random.Generator) -> dict[str, float]:
    """Return excess risks on one sample: Algorithm 2, Frank-Wolfe, and that on clipped data."""
    model = LinearModel(_leading(d, 0.5, -0.3, 0.2), Affine(T5, 0.5, 0.0), T5)
    data, epsilon, delta = model.sample(n, rng), 0.9, 1e-3
    # Theorem 5's T with lambda_max = 1, without its constant
    steps = round((math.sqrt(-n * epsilon / math.log(delta)) / math.log(d)) ** 0.8)
    truncation = 0.3 * recommended_truncation_level(n, epsilon=epsilon, n_iterations=steps)

    def private(threshold: float) -> FloatArray:
        return heavy_tailed_lasso(
            data,
            truncation_level=threshold,
            epsilon=epsilon,
            delta=delta,
            n_iterations=steps,
            ledger=Ledger(rng),
        )

    exact = frank_wolfe(data, SquaredError(), UNIT, initial=np.zeros(d), n_iterations=2 * steps)
    others = {EXACT: exact, NAIVE: private(0.3)}
    return _risks("hu-2", model.excess_risk, lambda: private(truncation), others)


def _regression_errors(n: int, d: int, rng: np.random.Generator) -> dict[str, float]:
    """Return excess risks on one sample: Algorithm 3 and the two others."""
    model = LinearModel(_leading(d, 0.3, -0.25, 0.2), Affine(T5, 0.3, 0.0), T5)
    data, epsilon, delta, steps = model.sample(n, rng), 0.99, 1e-3, 4

    level = theorem_truncation_level(n, epsilon, sparsity=3, n_iterations=steps)

    def own() -> FloatArray:
        return heavy_tailed_sparse_regression(
            data,
            sparsity=3,
            truncation_level=0.35 * level,
            epsilon=epsilon,
            delta=delta,
            n_iterations=steps,
            step_size=2 / 3,
            ledger=Ledger(rng),
        )

    others = _thresholding(data, SquaredError(), d, epsilon, delta, rng)
    return _risks("hu-3", model.excess_risk, own, others)


def _mean_errors(n: int, d: int, rng: np.random.Generator) -> dict[str, float]:
    """Return ||w - mu||_2^2 on one sample: Algorithm 5 and the two others."""
    truth = _leading(d, 0.8, -0.6, 0.5)
    data = truth + SKEWED.sample((n, d), rng)
    epsilon, delta, steps = 1.0, 1e-5, round(math.log(n) / 2)
    scale = balanced_truncation_scale(
        n=n,
        epsilon=epsilon,
        delta=delta,
        second_moment=8.0,
        sparsity=3,
        dimension=d,
        n_iterations=steps,
    )

    def own() -> FloatArray:
        return heavy_tailed_sparse_optimisation(
            data,
            SquaredDistance(),
            sparsity=3,
            truncation_scale=scale / 2,
            epsilon=epsilon,
            delta=delta,
            n_iterations=steps,
            step_size=1 / 3,
            initial=np.zeros(d),
            ledger=Ledger(rng),
        )

    others = _thresholding(data, SquaredDistance(), d, epsilon, delta, rng)
    return _risks("hu-5", lambda w: float((w - truth) @ (w - truth)), own, others)


def _thresholding(
    data: Any, loss: RecordLoss, d: int, epsilon: float, delta: float, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return iterative hard thresholding: without privacy, and with gradients clipped at 1."""
    kept, initial = SparseVectors(3), np.zeros(d)
    return {
        EXACT: projected_gradient_descent(
            data, loss, kept, initial=initial, step_size=1 / 3, n_iterations=6
        ),
        # clipping shrinks the gradient, so that a longer step is needed
        NAIVE: clipped_gradient_descent(
            data,
            loss,
            kept,
            initial=initial,
            epsilon=epsilon,
            delta=delta,
            clipping_threshold=1.0,
            step_size=1.0,
            n_iterations=10,
            method="zcdp",
            ledger=Ledger(rng),
        ),
    }


@dataclass(frozen=True)
class Sweep:
    """A panel over n or over d.

    Attributes
    ----------
    x_label : str
        ``"n"`` or ``"d"``, whichever varies.
    errors_at : callable
        ``errors_at(n, d, rng)``: label -> error on one sample.
    settings : mapping
        Tier -> (n, d) of every x.
    """

    x_label: str
    errors_at: Callable[[int, int, np.random.Generator], dict[str, float]]
    settings: Mapping[Tier, Sequence[tuple[int, int]]]

    def panel(self, tier: Tier) -> Panel:
        """Return the panel of a tier."""
        settings = self.settings[tier]
        x = [n if self.x_label == "n" else d for n, d in settings]

        def trial(rng: np.random.Generator) -> Errors:
            return columns([self.errors_at(n, d, rng) for n, d in settings])

        return Panel(self.x_label, self.x_label, x, trial, y_label="excess risk", log_x=True)


def _sizes(quick: int, full: int, d: tuple[int, int]) -> dict[Tier, list[tuple[int, int]]]:
    """Return n from its first value to 16 times that, with d in the quick and the full tier."""
    return {
        "quick": [(quick * factor, d[0]) for factor in (1, 4, GROWTH)],
        "full": [(full * factor, d[1]) for factor in (1, 2, 4, 8, GROWTH)],
    }


def _at_most_like(exponent: float) -> Callable[[Errors], float]:
    """Return by how much the last private error is below the first times 16^exponent."""
    factor = GROWTH**exponent
    return lambda errors: float(factor * errors[OWN][0] - errors[OWN][-1])


def _rate_trends(prediction: str, exponent: float) -> tuple[Trend, Trend]:
    """Return what is predicted on panel 0, over n: a rate, and a price of privacy."""
    return (
        Trend(prediction, 0, _at_most_like(exponent)),
        Trend("without privacy the error is smaller", 0, below(EXACT, OWN)),
    )


# ------------------------------------------------------------------------------- figures


def _scaling(
    number: int, caption: str, setting: str, sweeps: Sequence[Sweep], trends: Sequence[Trend]
) -> Experiment:
    algorithm = f"hu-{number}"
    return Experiment(
        f"003 scaling {number}",
        algorithm,
        caption,
        "The paper prints no experiments: these are this project's, and their trends are what "
        f"the theorem predicts. {setting} Private errors are means of {RUNS[algorithm]} runs.",
        lambda tier: [sweep.panel(tier) for sweep in sweeps],
        trends,
        repetitions=5,
        full=10,
    )


DIMENSIONS: dict[Tier, list[tuple[int, int]]] = {
    "quick": [(4_000, d) for d in (5, 80)],
    "full": [(16_000, d) for d in (25, 50, 100, 200, 400)],
}
EXPERIMENTS = (
    _scaling(
        1,
        "Excess risk of Algorithm 1 against n and d.",
        "Features t5 of variance 1, noise 0.5 t3/√3, w* = (0.5, -0.3, 0.2, 0, ...), unit l1 "
        "ball, ε = 1, τ = 8, the proof's scale; d = 100 and n = 16,000 (8 and 4,000 in the "
        "quick tier) where they do not vary. Naive: Frank-Wolfe on data clipped at 0.5, "
        "δ = 1e-5. It is the better one here: the laws are symmetric, and on the sphere of "
        "the ball clipping hardly moves the solution.",
        [
            Sweep("n", _frank_wolfe_errors, _sizes(1_000, 4_000, (8, 100))),
            Sweep("d", _frank_wolfe_errors, DIMENSIONS),
        ],
        (
            *_rate_trends(
                "Theorem 2: the error falls like n^(-1/3) (here: at least like n^(-1/4))",
                -1 / 4,
            ),
            Trend(
                "Theorem 2: it rises like a power of log d (here: at most like d^(1/2))",
                1,
                _at_most_like(1 / 2),
            ),
        ),
    ),
    _scaling(
        2,
        "Excess risk of Algorithm 2 against n.",
        "Features t5 of variance 1, noise 0.5 t5, w* = (0.5, -0.3, 0.2, 0, ...), unit l1 "
        "ball, d = 10, ε = 0.9, δ = 1e-3, T and K of Theorem 5 with constants 1 and 0.3. "
        "Naive: the same with K = 0.3 for every n.",
        [Sweep("n", _lasso_errors, _sizes(2_500, 25_000, (10, 10)))],
        _rate_trends("Theorem 5: the error falls at least like n^(-2/5)", -2 / 5),
    ),
    _scaling(
        3,
        "Excess risk of Algorithm 3 against n.",
        "Features t5 of variance 1, noise 0.3 t5, w* = (0.3, -0.25, 0.2, 0, ...), s = 3, "
        "d = 50 (5 in the quick tier), ε = 0.99, δ = 1e-3, T = 4, 0.35 times Theorem 7's K. "
        "Naive: gradients clipped at 1, Gaussian noise, hard thresholding, 10 times. It is "
        "the better one here: its noise is smaller, and the laws are symmetric.",
        [Sweep("n", _regression_errors, _sizes(5_000, 30_000, (5, 50)))],
        _rate_trends(
            "Theorem 7: the error falls like log(n)/n (here: at least like n^(-1/2))",
            -1 / 2,
        ),
    ),
    _scaling(
        5,
        "Excess risk of Algorithm 5, sparse mean estimation, against n.",
        "x = μ + log-normal(0, 1) noise of mean 0 and variance 1, μ = (0.8, -0.6, 0.5, 0, "
        "...), s = 3, d = 50 (5 in the quick tier), ε = 1, δ = 1e-5, τ = 8, T = log(n)/2, "
        "half the scale that balances bias and noise. Naive: as for Algorithm 3.",
        [Sweep("n", _mean_errors, _sizes(3_000, 10_000, (5, 50)))],
        (
            *_rate_trends(
                "Theorem 8: the error falls like log(n)/n (here: at least like n^(-1/2))",
                -1 / 2,
            ),
            Trend(
                "a fixed clipping threshold leaves a bias: the error does not even halve",
                0,
                lambda errors: float(2 * errors[NAIVE][-1] - errors[NAIVE][0]),
            ),
            Trend(
                "Algorithm 5 leaves none: at the largest n its error is smaller",
                0,
                ends_below(OWN, NAIVE),
            ),
        ),
    ),
)
