"""The experiments on training with heavy-tailed data: Wang (2020), Section 3.2.5.

Printed: n = 10^5 and d = 10 where they do not vary, the laws of the noise, epsilon, delta = O(1/n),
step 0.01 and m = 0.05 n for Algorithm 3.2.7, v = 5, delta' = 0.01 and step 0.1 for Algorithm 3.2.8,
minibatches of 1000 and steps 1/sqrt(t) for the stochastic versions. Not printed: w*, the law of
the features, the ridge, T, W and a.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    ends_below,
)
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.heavy_tailed.baselines import (
    robust_gradient_descent,
    stochastic_robust_gradient_descent,
)
from reference.heavy_tailed.generators import (
    LinearModel,
    LogisticModel,
    adult_stand_in,
    split,
)
from reference.heavy_tailed.known_mean_gradient_descent import known_mean_gradient_descent
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for,
    known_variance_gradient_descent,
)
from reference.heavy_tailed.private_mean import Constants
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
from reference.losses import (
    Logistic,
    RecordLoss,
    Records,
    RidgeRegularized,
    SquaredError,
    empirical_risk,
)
from reference.privacy.ledger import Ledger, RecordingLedger

FAMILY = "heavy-tailed"
EPSILONS = (0.1, 0.5, 1.0)
RANGES = (1.0, 4.0, 16.0)
"""kappa = b - a of Algorithm 3.2.7."""

MOMENTS: dict[str, Any] = {"second_moment": 5.0, "failure_probability": 0.01}
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
        """The start w^0 = 0."""
        return np.zeros(self.records[0].shape[1])

    @property
    def _given(self) -> tuple[Records, RecordLoss, L2Ball]:
        """The positional arguments of every algorithm."""
        return self.records, self.loss, CONSTRAINT

    @property
    def delta(self) -> float:
        """Delta, 1/n."""
        return 1 / len(self.records[1])

    def without_privacy(self, steps: int) -> FloatArray:
        """Return the errors of robust gradient descent at t = 0, ..., T."""
        step = partial(
            robust_gradient_descent, *self._given, step_size=0.1, n_iterations=1, **MOMENTS
        )
        path = [self.initial]
        for _ in range(steps):
            path.append(step(initial=path[-1]))
        return np.array([self.error(w) for w in path])

    def known_variance(self, epsilon: float, steps: int, rng: np.random.Generator) -> FloatArray:
        """Return the errors of Algorithm 3.2.8 at t = 0, ..., T."""
        run = partial(
            known_variance_gradient_descent,
            **MOMENTS,
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
            **MOMENTS,
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
            *self._given,
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
            *self._given,
            initial=self.initial,
            epsilon=epsilon,
            delta=self.delta,
            **MOMENTS,
            batch_size=batch,
            constants=self._by_zcdp(batch, epsilon, 1),
            ledger=Ledger(rng),
        )
        return self.error(w)

    def stochastic_without_privacy(self, batch: int) -> float:
        """Return the error of stochastic robust gradient descent."""
        return self.error(
            stochastic_robust_gradient_descent(
                *self._given, batch_size=batch, initial=self.initial, **MOMENTS
            )
        )


DrawProblem = Callable[[str, int, int, np.random.Generator], TrainingProblem]

# ------------------------------------------------------------------ figures 3.5 and 3.6: error, t

PLAIN = "RGD"


@dataclass(frozen=True)
class Sizes:
    """n, d and T of figures 3.5 and 3.6 in one tier."""

    n: int
    d: int
    steps: int


Curves = Callable[[TrainingProblem, int, np.random.Generator], Errors]
"""(problem, T, rng) -> the errors of every curve at t = 0, ..., T."""

OTHER = "Algorithm 3.2.8"


def _by_epsilon(problem: TrainingProblem, steps: int, rng: np.random.Generator) -> Errors:
    """Draw Algorithm 3.2.8 for several epsilon, and robust gradient descent."""
    private = {f"ε = {e:g}": problem.known_variance(e, steps, rng) for e in EPSILONS}
    return {**private, PLAIN: problem.without_privacy(steps)}


def _by_range(problem: TrainingProblem, steps: int, rng: np.random.Generator) -> Errors:
    """Draw Algorithm 3.2.7 for several kappa, and Algorithm 3.2.8, all with epsilon = 1."""
    curves = {f"κ = {k:g}": problem.known_mean(k, 1.0, steps, rng) for k in RANGES}
    return {**curves, OTHER: problem.known_variance(1.0, steps, rng)}


def _path_panels(
    curves: Curves, draw: DrawProblem, sizes: Mapping[Tier, Sizes], tier: Tier
) -> list[Panel]:
    """Return a panel over t for each loss."""
    size = sizes[tier]

    def trial(name: str, rng: np.random.Generator) -> Errors:
        return curves(draw(name, size.n, size.d, rng), size.steps, rng)

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
        def errors(n: int, d: int) -> dict[str, float]:
            problem = TrainingProblem.synthetic(name, n, d, rng)
            private = {f"ε = {e:g}": problem.stochastic(e, batch, rng) for e in EPSILONS}
            return {**private, PLAIN: problem.stochastic_without_privacy(batch)}

        return columns([errors(n, d) for n, d in settings[tier]])

    varied = [setting[x] for setting in settings[tier]]
    return [Panel(name, label, varied, partial(trial, name)) for name in LOSSES]


# --------------------------------------------------------------------------- Wang (2020): trends


def _sensitive(errors: Errors) -> float:
    return float(errors["κ = 16"][-1] - 2 * errors["κ = 1"][-1])


def _varies_more(errors: Errors) -> float:
    largest = {label: np.abs(np.diff(values)).max() for label, values in errors.items()}
    return float(largest["κ = 1"] - largest[OTHER])


VARIANCE_TRENDS = tuple(
    Trend(words, panel, gain)
    for panel in range(len(LOSSES))
    for words, gain in (
        ("the error decreases as ε becomes larger", ends_below("ε = 1", "ε = 0.1")),
        (
            "the results are comparable to the non-private ones (here: at most twice, at ε = 1)",
            ends_below("ε = 1", PLAIN, factor=2.0),
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
            ends_below(OTHER, "κ = 1"),
        ),
    )
)


def _stochastic_trends(words: str, sign: int) -> tuple[Trend, ...]:
    """Return the trends of both losses; the error at epsilon = 1 rises (1) or falls (-1)."""

    def moves(errors: Errors) -> float:
        return sign * float(errors["ε = 1"][-1] - errors["ε = 1"][0])

    larger = below("ε = 1", "ε = 0.1")
    return tuple(
        trend
        for panel in range(len(LOSSES))
        for trend in (
            Trend(words, panel, moves),
            Trend("the error decreases as ε becomes larger", panel, larger),
        )
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
COMMON = (
    "Printed: ε, δ = O(1/n), δ' = 0.01. Chosen: δ = 1/n, w^0 = 0, W a ball of radius 1000, and "
    "with the squared error a ridge of 0.01."
)
DATA_SETS = (
    (
        "3.5",
        "Experiments on synthetic datasets",
        (TrainingProblem.synthetic, SYNTHETIC),
        ON_SYNTHETIC,
    ),
    ("3.6", "Experiments on UCI Adult dataset", (TrainingProblem.adult, ADULT), ON_ADULT),
)


def _paths() -> Iterator[Experiment]:
    """Yield figures 3.5 and 3.6, each for two algorithms."""
    for number, caption, drawn, setting in DATA_SETS:
        for name, algorithm, curves, trends, chosen, repetitions in (
            (number, "3.2.8", _by_epsilon, VARIANCE_TRENDS, BY_VARIANCE, 8),
            (f"{number} Algorithm 3.2.7", "3.2.7", _by_range, MEAN_TRENDS, BY_MEAN, 5),
        ):
            yield Experiment(
                f"004 Figure {name}",
                f"diss-{algorithm}",
                f"{caption}: Algorithm {algorithm}.",
                f"{COMMON} {chosen} {setting}",
                partial(_path_panels, curves, *drawn),
                trends,
                repetitions,
                full=10,
            )


EXPERIMENTS = (
    *_paths(),
    Experiment(
        "004 Figure 3.7",
        "diss-RGD",
        "Experiments for the impact of dimensionality: stochastic Algorithm 3.2.8.",
        f"{COMMON} {IN_BATCHES} n = 10^5 and d = 10 to 50 (4,000, and 4 to 16, in the quick tier). "
        f"{MODELS}",
        partial(_stochastic_panels, "d", DIMENSIONS, 1),
        _stochastic_trends("the error decreases when d decreases", 1),
        repetitions=6,
        full=10,
    ),
    Experiment(
        "004 Figure 3.8",
        "diss-RGD",
        "Experiments for the impact of the size of the dataset: stochastic Algorithm 3.2.8.",
        f"{COMMON} {IN_BATCHES} d = 20 and n = 2 to 10 x 10^4 (4, and 0.2 to 1.8, in the quick "
        "tier). A batch's noise does not fall with n, and the logistic risk is too flat to average "
        f"it out. {MODELS}",
        partial(_stochastic_panels, "n", DATA_SIZES, 0),
        _stochastic_trends("the error decreases when n increases", -1),
        repetitions=8,
        full=10,
    ),
)
