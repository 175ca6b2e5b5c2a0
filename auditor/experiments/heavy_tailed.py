"""The experiments on heavy-tailed optimisation: Wang (2020), Section 3.2.5.

Hu, Ni, Xiao and Wang (2022) prints none.

Printed: n = 10^5 and d = 10 where they do not vary, the laws of the noise, epsilon, delta = O(1/n),
step 0.01 and m = 0.05 n for Algorithm 3.2.7, v = 5, delta' = 0.01 and step 0.1 for Algorithm 3.2.8,
minibatches of 1000 and steps 1/sqrt(t) for the stochastic versions. Not printed: w*, the law of
the features, the ridge, T, W and a.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.experiments.experiment import Errors, Experiment, Panel, Trend
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball, SparseVectors
from reference.heavy_tailed.baselines import (
    clipped_gradient_descent,
    frank_wolfe,
    projected_gradient_descent,
    robust_gradient_descent,
    stochastic_robust_gradient_descent,
)
from reference.heavy_tailed.frank_wolfe import (
    heavy_tailed_frank_wolfe,
    recommended_truncation_scale,
)
from reference.heavy_tailed.generators import (
    Affine,
    LinearModel,
    LogisticModel,
    LogNormal,
    StudentT,
    adult_stand_in,
    split,
    standardised,
)
from reference.heavy_tailed.known_mean_gradient_descent import known_mean_gradient_descent
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for,
    known_variance_gradient_descent,
)
from reference.heavy_tailed.lasso import heavy_tailed_lasso, recommended_truncation_level
from reference.heavy_tailed.private_mean import Constants
from reference.heavy_tailed.sparse_optimisation import (
    balanced_truncation_scale,
    heavy_tailed_sparse_optimisation,
)
from reference.heavy_tailed.sparse_regression import (
    heavy_tailed_sparse_regression,
    theorem_truncation_level,
)
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
from reference.losses import (
    Logistic,
    RecordLoss,
    Records,
    RidgeRegularized,
    SquaredDistance,
    SquaredError,
    empirical_risk,
)
from reference.privacy.ledger import Ledger, RecordingLedger

FAMILY = "heavy-tailed"
EPSILONS = (0.1, 0.5, 1.0)
RANGES = (1.0, 4.0, 16.0)
"""kappa = b - a of Algorithm 3.2.7."""

SECOND_MOMENT, FAILURE = 5.0, 0.01
LOSSES: dict[str, RecordLoss] = {
    "ridge": RidgeRegularized(SquaredError(), 0.01),
    "logistic": Logistic(math.inf),
}
CONSTRAINT = L2Ball(1000.0)
"""W: so large that it does not hide the noise."""

# ------------------------------------------------------------------------ Wang (2020): one data set


@dataclass(frozen=True)
class TrainingProblem:
    """Training data of d features and how an estimate is judged."""

    loss: RecordLoss
    records: Records
    error: Callable[[FloatArray], float]

    @classmethod
    def synthetic(cls, name: str, n: int, d: int, rng: np.random.Generator) -> TrainingProblem:
        """Draw n records; the error is the distance to the minimiser of the population risk."""
        truth = np.full(d, 1 / math.sqrt(d))
        linear, logistic = LinearModel(truth), LogisticModel(truth)
        target, model = (truth, linear) if name == "ridge" else (logistic.minimiser(), logistic)
        records = model.sample(n, rng)
        return cls(LOSSES[name], records, lambda w: float(np.linalg.norm(w - target)))

    @classmethod
    def adult(cls, name: str, n: int, d: int, rng: np.random.Generator) -> TrainingProblem:
        """Draw n records for training and n/14 for the test; the error is the test risk."""
        features, labels = adult_stand_in(rng, n + n // 14)
        train, test = split((features[:, :d], labels), n)
        loss = SquaredError() if name == "ridge" else LOSSES[name]
        return cls(LOSSES[name], train, lambda w: empirical_risk(loss, test, w))

    @property
    def initial(self) -> FloatArray:
        """w^0 = 0."""
        return np.zeros(self.records[0].shape[1])

    @property
    def delta(self) -> float:
        """1/n."""
        return 1 / len(self.records[1])

    def without_privacy(self, steps: int) -> FloatArray:
        """Return the errors of robust gradient descent at t = 0, ..., T."""
        path = [self.initial]
        for _ in range(steps):
            path.append(
                robust_gradient_descent(
                    self.records,
                    self.loss,
                    CONSTRAINT,
                    second_moment=SECOND_MOMENT,
                    failure_probability=FAILURE,
                    initial=path[-1],
                    step_size=0.1,
                    n_iterations=1,
                )
            )
        return np.array([self.error(w) for w in path])

    def known_variance(self, epsilon: float, steps: int, rng: np.random.Generator) -> FloatArray:
        """Return the errors of Algorithm 3.2.8 at t = 0, ..., T."""
        run = partial(
            known_variance_gradient_descent,
            second_moment=SECOND_MOMENT,
            failure_probability=FAILURE,
            constants=self._by_zcdp(len(self.records[1]), epsilon, steps),
        )
        return self._path(run, 0.1, epsilon, steps, rng)

    def _by_zcdp(self, n: int, epsilon: float, steps: int) -> Constants:
        """Return the constants of Algorithm 3.2.8 with the noise of its step 3, by zCDP."""
        return constants_for(
            n=n,
            dimension=self.initial.size,
            n_iterations=steps,
            epsilon=epsilon,
            delta=self.delta,
            second_moment=SECOND_MOMENT,
            failure_probability=FAILURE,
            method="zcdp",
        )

    def known_mean(
        self, width: float, epsilon: float, steps: int, rng: np.random.Generator
    ) -> FloatArray:
        """Return the errors of Algorithm 3.2.7 with b = -a = width/2 at t = 0, ..., T."""
        run = partial(
            known_mean_gradient_descent,
            lower=-width / 2,
            upper=width / 2,
            trim=len(self.records[1]) // 20,
        )
        return self._path(run, 0.01, epsilon, steps, rng)

    def _path(
        self,
        run: Callable[..., FloatArray],
        step_size: float,
        epsilon: float,
        steps: int,
        rng: np.random.Generator,
    ) -> FloatArray:
        ledger = RecordingLedger(int(rng.integers(2**63)))
        run(
            self.records,
            self.loss,
            CONSTRAINT,
            initial=self.initial,
            epsilon=epsilon,
            delta=self.delta,
            step_size=step_size,
            n_iterations=steps,
            ledger=ledger,
        )
        # the releases are the noisy gradients, as vectors or one coordinate after the other
        outputs = [release.output for release in ledger.transcript.releases]
        w = self.initial
        errors = [self.error(w)]
        for gradient in np.array(outputs).reshape(steps, -1):
            w = CONSTRAINT.project(w - step_size * gradient)
            errors.append(self.error(w))
        return np.array(errors)

    def stochastic(self, epsilon: float, batch: int, rng: np.random.Generator) -> float:
        """Return the error of the stochastic Algorithm 3.2.8."""
        w = stochastic_gradient_descent(
            self.records,
            self.loss,
            CONSTRAINT,
            initial=self.initial,
            epsilon=epsilon,
            delta=self.delta,
            second_moment=SECOND_MOMENT,
            failure_probability=FAILURE,
            batch_size=batch,
            constants=self._by_zcdp(batch, epsilon, 1),
            ledger=Ledger(rng),
        )
        return self.error(w)

    def stochastic_without_privacy(self, batch: int) -> float:
        """Return the error of stochastic robust gradient descent."""
        w = stochastic_robust_gradient_descent(
            self.records,
            self.loss,
            CONSTRAINT,
            second_moment=SECOND_MOMENT,
            failure_probability=FAILURE,
            batch_size=batch,
            initial=self.initial,
        )
        return self.error(w)


DrawProblem = Callable[[str, int, int, np.random.Generator], TrainingProblem]

# ------------------------------------------------------------------ figures 3.5 and 3.6: error, t

PLAIN = "RGD"


@dataclass(frozen=True)
class Sizes:
    """n, d and T of figures 3.5 and 3.6 in one tier."""

    n: int
    d: int
    steps: int


def _variance_panels(draw: DrawProblem, sizes: Mapping[Tier, Sizes], tier: Tier) -> list[Panel]:
    """Algorithm 3.2.8 for several epsilon, and robust gradient descent."""
    size = sizes[tier]

    def trial(name: str, rng: np.random.Generator) -> Errors:
        problem = draw(name, size.n, size.d, rng)
        private = {f"ε = {e:g}": problem.known_variance(e, size.steps, rng) for e in EPSILONS}
        return {**private, PLAIN: problem.without_privacy(size.steps)}

    return [
        Panel(name, "iteration t", range(size.steps + 1), partial(trial, name)) for name in LOSSES
    ]


OTHER = "Algorithm 3.2.8"


def _mean_panels(draw: DrawProblem, sizes: Mapping[Tier, Sizes], tier: Tier) -> list[Panel]:
    """Algorithm 3.2.7 for several kappa, and Algorithm 3.2.8, all with epsilon = 1."""
    size = sizes[tier]

    def trial(name: str, rng: np.random.Generator) -> Errors:
        problem = draw(name, size.n, size.d, rng)
        curves = {f"κ = {k:g}": problem.known_mean(k, 1.0, size.steps, rng) for k in RANGES}
        return {**curves, OTHER: problem.known_variance(1.0, size.steps, rng)}

    return [
        Panel(name, "iteration t", range(size.steps + 1), partial(trial, name)) for name in LOSSES
    ]


# ---------------------------------------------------------------- figures 3.7 and 3.8: error, n, d


def _stochastic_panels(
    label: str, settings: Mapping[Tier, Sequence[tuple[int, int]]], x: int, tier: Tier
) -> list[Panel]:
    """Draw the stochastic Algorithm 3.2.8 and RGD over (n, d); x says which of the two varies."""
    batch = 1000 if tier == "full" else 500

    def trial(name: str, rng: np.random.Generator) -> Errors:
        rows = []
        for n, d in settings[tier]:
            problem = TrainingProblem.synthetic(name, n, d, rng)
            private = [problem.stochastic(epsilon, batch, rng) for epsilon in EPSILONS]
            rows.append([*private, problem.stochastic_without_privacy(batch)])
        labels = [*(f"ε = {e:g}" for e in EPSILONS), PLAIN]
        return dict(zip(labels, np.array(rows).T, strict=True))

    varied = [setting[x] for setting in settings[tier]]
    return [Panel(name, label, varied, partial(trial, name)) for name in LOSSES]


# --------------------------------------------------------------------------- Wang (2020): trends


def _lower_at_the_end(larger: str, smaller: str, factor: float = 1.0) -> Callable[[Errors], float]:
    """Return by how much one curve's last error is below ``factor`` times another's."""
    return lambda errors: float(factor * errors[larger][-1] - errors[smaller][-1])


def _lower_on_average(larger: str, smaller: str) -> Callable[[Errors], float]:
    return lambda errors: float((errors[larger] - errors[smaller]).mean())


def _sensitive(errors: Errors) -> float:
    return float(errors["κ = 16"][-1] - 2 * errors["κ = 1"][-1])


def _varies_more(errors: Errors) -> float:
    largest = {label: np.abs(np.diff(values)).max() for label, values in errors.items()}
    return float(largest["κ = 1"] - largest[OTHER])


VARIANCE_TRENDS = tuple(
    Trend(words, panel, gain)
    for panel in range(len(LOSSES))
    for words, gain in (
        ("the error decreases as ε becomes larger", _lower_at_the_end("ε = 0.1", "ε = 1")),
        (
            "the results are comparable to the non-private ones (here: at most twice, at ε = 1)",
            _lower_at_the_end(PLAIN, "ε = 1", factor=2.0),
        ),
    )
)
MEAN_TRENDS = tuple(
    Trend(words, panel, gain)
    for panel in range(len(LOSSES))
    for words, gain in (
        ("the algorithm is sensitive to κ (here: at least twice from κ = 1 to 16)", _sensitive),
        (
            "it bears a larger variation than Algorithm 3.2.8 (here: in one iteration, κ = 1)",
            _varies_more,
        ),
        (
            "it has poor performance (here: at κ = 1, against Algorithm 3.2.8)",
            _lower_at_the_end("κ = 1", OTHER),
        ),
    )
)


def _stochastic_trends(words: str, sign: int) -> tuple[Trend, ...]:
    """Return the trends of both losses; the error at epsilon = 1 rises (1) or falls (-1)."""

    def moves(errors: Errors) -> float:
        return sign * float(errors["ε = 1"][-1] - errors["ε = 1"][0])

    larger = _lower_on_average("ε = 0.1", "ε = 1")
    return tuple(
        trend
        for panel in range(len(LOSSES))
        for trend in (
            Trend(words, panel, moves),
            Trend("the error decreases as ε becomes larger", panel, larger),
        )
    )


# --------------------------------------- Hu, Ni, Xiao and Wang (2022): what theorems predict

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
            rows = [self.errors_at(n, d, rng) for n, d in settings]
            return {label: np.array([row[label] for row in rows]) for label in rows[0]}

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
        Trend("without privacy the error is smaller", 0, _lower_on_average(OWN, EXACT)),
    )


# ------------------------------------------------------------------------------- figures

SYNTHETIC: dict[Tier, Sizes] = {"quick": Sizes(2_000, 8, 6), "full": Sizes(100_000, 10, 10)}
ADULT: dict[Tier, Sizes] = {"quick": Sizes(2_800, 6, 6), "full": Sizes(28_000, 40, 10)}
DIMENSIONS: dict[Tier, list[tuple[int, int]]] = {
    "quick": [(4_000, d) for d in (4, 8, 16)],
    "full": [(100_000, d) for d in (10, 20, 30, 40, 50)],
}
DATA_SIZES: dict[Tier, list[tuple[int, int]]] = {
    "quick": [(n, 4) for n in (2_000, 6_000, 18_000)],
    "full": [(n, 20) for n in (20_000, 40_000, 60_000, 80_000, 100_000)],
}

MODELS = (
    "Printed: the laws of the noise. Chosen: x ~ N(0, I), w* = 1/√d, labels with the corrected "
    "sign. For the logistic loss the error is the distance to the minimiser of the risk, 3.87 w*, "
    "which is not w*."
)
ON_SYNTHETIC = f"n = 10^5, d = 10, T = 10 (quick tier: 2,000, 8 and 6). {MODELS}"
ON_ADULT = (
    "Adult is not shipped: a synthetic stand-in of its shape, 28,000 records for training, 2,000 "
    "for the test, 40 features, T = 10 (quick tier: 2,800, 200, the 6 numeric features, T = 6)."
)
BY_VARIANCE = "Printed: step 0.1, v = 5."
BY_MEAN = (
    "Printed: step 0.01, m = 0.05 n. Chosen: the corrected mechanism, κ, ε = 1, [a, b] around 0."
)
IN_BATCHES = (
    "Printed: step 1/√t, the average of the iterates, v = 5, minibatches of 1000 (500 in the quick "
    "tier). Not printed is any noise for them: disjoint batches in one pass."
)


def _wang_2020() -> tuple[Experiment, ...]:
    """Return figures 3.5 to 3.8."""
    common = (
        "Printed: ε, δ = O(1/n), δ' = 0.01. Chosen: δ = 1/n, w^0 = 0, W a ball of radius 1000, and "
        "with the squared error a ridge of 0.01."
    )

    def figure(
        name: str,
        algorithm: str,
        caption: str,
        settings: Sequence[str],
        panels: Callable[[Tier], Sequence[Panel]],
        trends: Sequence[Trend],
        repetitions: int,
    ) -> Experiment:
        setting = " ".join([common, *settings])
        name = f"004 Figure {name}"
        return Experiment(name, algorithm, caption, setting, panels, trends, repetitions, full=10)

    found = []
    for number, caption, draw, sizes, setting in (
        (
            "3.5",
            "Experiments on synthetic datasets",
            TrainingProblem.synthetic,
            SYNTHETIC,
            ON_SYNTHETIC,
        ),
        ("3.6", "Experiments on UCI Adult dataset", TrainingProblem.adult, ADULT, ON_ADULT),
    ):
        found += [
            figure(
                number,
                "diss-3.2.8",
                f"{caption}: Algorithm 3.2.8.",
                [BY_VARIANCE, setting],
                partial(_variance_panels, draw, sizes),
                VARIANCE_TRENDS,
                repetitions=8,
            ),
            figure(
                f"{number} Algorithm 3.2.7",
                "diss-3.2.7",
                f"{caption}: Algorithm 3.2.7.",
                [BY_MEAN, setting],
                partial(_mean_panels, draw, sizes),
                MEAN_TRENDS,
                repetitions=5,
            ),
        ]
    return (
        *found,
        figure(
            "3.7",
            "diss-RGD",
            "Experiments for the impact of dimensionality: stochastic Algorithm 3.2.8.",
            [
                IN_BATCHES,
                "n = 10^5 and d = 10 to 50 (4,000, and 4 to 16, in the quick tier).",
                MODELS,
            ],
            partial(_stochastic_panels, "d", DIMENSIONS, 1),
            _stochastic_trends("the error decreases when d decreases", 1),
            repetitions=6,
        ),
        figure(
            "3.8",
            "diss-RGD",
            "Experiments for the impact of the size of the dataset: stochastic Algorithm 3.2.8.",
            [
                IN_BATCHES,
                "d = 20 and n = 2 to 10 x 10^4 (4, and 0.2 to 1.8, in the quick tier). A batch's "
                "noise does not fall with n, and the logistic risk is too flat to average it out.",
                MODELS,
            ],
            partial(_stochastic_panels, "n", DATA_SIZES, 0),
            _stochastic_trends("the error decreases when n increases", -1),
            repetitions=8,
        ),
    )


def _hu_2022() -> tuple[Experiment, ...]:
    """Return what this project draws for the theorems of Hu, Ni, Xiao and Wang (2022)."""

    def scaling(
        number: int,
        algorithm: str,
        caption: str,
        setting: str,
        sweeps: Sequence[Sweep],
        trends: Sequence[Trend],
    ) -> Experiment:
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

    dimensions: dict[Tier, list[tuple[int, int]]] = {
        "quick": [(4_000, d) for d in (5, 80)],
        "full": [(16_000, d) for d in (25, 50, 100, 200, 400)],
    }
    return (
        scaling(
            1,
            "hu-1",
            "Excess risk of Algorithm 1 against n and d.",
            "Features t5 of variance 1, noise 0.5 t3/√3, w* = (0.5, -0.3, 0.2, 0, ...), unit l1 "
            "ball, ε = 1, τ = 8, the proof's scale; d = 100 and n = 16,000 (8 and 4,000 in the "
            "quick tier) where they do not vary. Naive: Frank-Wolfe on data clipped at 0.5, "
            "δ = 1e-5. It is the better one here: the laws are symmetric, and on the sphere of "
            "the ball clipping hardly moves the solution.",
            [
                Sweep("n", _frank_wolfe_errors, _sizes(1_000, 4_000, (8, 100))),
                Sweep("d", _frank_wolfe_errors, dimensions),
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
        scaling(
            2,
            "hu-2",
            "Excess risk of Algorithm 2 against n.",
            "Features t5 of variance 1, noise 0.5 t5, w* = (0.5, -0.3, 0.2, 0, ...), unit l1 "
            "ball, d = 10, ε = 0.9, δ = 1e-3, T and K of Theorem 5 with constants 1 and 0.3. "
            "Naive: the same with K = 0.3 for every n.",
            [Sweep("n", _lasso_errors, _sizes(2_500, 25_000, (10, 10)))],
            _rate_trends("Theorem 5: the error falls at least like n^(-2/5)", -2 / 5),
        ),
        scaling(
            3,
            "hu-3",
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
        scaling(
            5,
            "hu-5",
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
                    _lower_at_the_end(NAIVE, OWN),
                ),
            ),
        ),
    )


EXPERIMENTS = (*_hu_2022(), *_wang_2020())
"""What Wang (2020) prints, and what the theorems of Hu, Ni, Xiao and Wang (2022) predict."""
