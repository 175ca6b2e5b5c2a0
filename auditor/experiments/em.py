"""The experiments on gradient EM.

Wang, Ding, Hu, Xie, Pan and Xu (2020), Section 6, and Wang (2020), Section 7.2.7.

Printed: SNR 3, epsilon in {0.2, 0.5, 1}, delta = n^-1.1 (Wang (2020): O(1/n)), a random start, the
clipping thresholds 0.1, 1, 5 and 10, T = 22 in figures 7.5-7.7. Not printed: n, d, |beta*|, eta,
tau, zeta, p_m, repetitions. Chosen here: |beta*| = 1, eta = 1, tau = the model's moment bound
at radius |beta*|/4, zeta = 0.05, p_m = 0.1, T = 10 in Wang, Ding, Hu, Xie, Pan and Xu (2020).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.described.data.mixtures import tumours
from auditor.experiments.experiment import (
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    ends_below,
    falls,
    rises,
)
from reference._validation import FloatArray
from reference.em import clipped_gradient_em as clipped
from reference.em import full_data_gradient_em as full
from reference.em import split_gradient_em as split
from reference.em.clipped_gradient_em import clipped_gradient_em
from reference.em.full_data_gradient_em import full_data_gradient_em
from reference.em.gradient_em import gradient_em
from reference.em.initialisation import random_direction
from reference.em.models import GaussianMixture, LatentModel, MixtureOfRegressions
from reference.em.split_gradient_em import split_gradient_em
from reference.errata.em.models import PrintedMissingCovariates
from reference.privacy.ledger import RecordingLedger

FAMILY = "em"
SNR = 3.0
MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(1 / SNR),
    "mixture of regressions": MixtureOfRegressions(1 / SNR),
    "missing covariates": PrintedMissingCovariates(1 / SNR, missing_probability=0.1),
}
EPSILONS = (0.2, 0.5, 1.0)
THRESHOLDS = (0.1, 1.0, 5.0, 10.0)
CLIPPING = 1.0
"""The threshold C that the paper finds best and uses from figure 2 on."""


@dataclass(frozen=True)
class Setup:
    """Settings of one version of the paper.

    Attributes
    ----------
    smoothed : callable
        Its own algorithm.
    constants_for : callable
        The algorithm's constants.
    delta : callable
        Of n.
    iterations : int
        T.
    quick, full : int
        n in either tier, where it does not vary.
    """

    smoothed: Callable[..., FloatArray]
    constants_for: Callable[..., split.Constants]
    delta: Callable[[int], float]
    iterations: int
    quick: int
    full: int = 20_000

    def size(self, tier: Tier) -> int:
        """Return n where it does not vary."""
        return self.full if tier == "full" else self.quick

    def sizes(self, tier: Tier) -> tuple[int, ...]:
        """Return n where it varies."""
        n = self.size(tier)
        return n // 4, n, 4 * n


JOURNAL = Setup(split_gradient_em, split.constants_for, lambda n: n**-1.1, 10, quick=4_000)
DISSERTATION = Setup(full_data_gradient_em, full.constants_for, lambda n: 1 / n, 22, quick=500)


@dataclass(frozen=True)
class EMProblem:
    """A data set, its truth and a random start on the sphere of the truth."""

    model: LatentModel
    data: FloatArray
    truth: FloatArray
    initial: FloatArray

    @classmethod
    def draw(cls, name: str, n: int, d: int, rng: np.random.Generator) -> EMProblem:
        """Draw n records in d dimensions from one of :data:`MODELS`, |beta*| = 1."""
        model, truth = MODELS[name], np.full(d, 1 / np.sqrt(d))
        initial = random_direction(d, rng)
        return cls(model, model.sample(truth, n, rng), truth, initial)

    def errors(self, path: FloatArray) -> FloatArray:
        """Return ||beta^t - beta*||_2; up to sign, where beta and -beta are the same model."""
        distances = np.linalg.norm(path - self.truth, axis=1)
        if isinstance(self.model, PrintedMissingCovariates):
            return np.asarray(distances)
        return np.asarray(np.minimum(distances, np.linalg.norm(path + self.truth, axis=1)))

    def em(self, iterations: int) -> FloatArray:
        """Return the errors of gradient EM without privacy, at t = 0, ..., T."""
        path = [self.initial]
        for _ in range(iterations):
            path.append(
                gradient_em(self.data, self.model, initial=path[-1], step_size=1.0, n_iterations=1)
            )
        return self.errors(np.array(path))

    def clipped(
        self, setup: Setup, epsilon: float, rng: np.random.Generator, threshold: float = CLIPPING
    ) -> FloatArray:
        """Return the errors of clipped DP gradient EM, at t = 0, ..., T."""
        claim = {**self._claim(setup, epsilon), "clipping_threshold": threshold}
        constants = clipped.constants_for(n=len(self.data), method="zcdp", **claim)
        return self._path(clipped_gradient_em, rng, constants=constants, **claim)

    def smoothed(self, setup: Setup, epsilon: float, rng: np.random.Generator) -> FloatArray:
        """Return the errors of DP gradient EM with the smoothed truncation, at t = 0, ..., T."""
        radius = float(np.linalg.norm(self.truth)) / 4
        claim = {
            **self._claim(setup, epsilon),
            "second_moment": self.model.moment_bound(self.truth, radius),
            "failure_probability": 0.05,
        }
        constants = setup.constants_for(
            n=len(self.data), dimension=self.truth.size, method="zcdp", **claim
        )
        return self._path(setup.smoothed, rng, constants=constants, **claim)

    def _claim(self, setup: Setup, epsilon: float) -> dict[str, Any]:
        delta = setup.delta(len(self.data))
        return {"epsilon": epsilon, "delta": delta, "n_iterations": setup.iterations}

    def _path(
        self, run: Callable[..., FloatArray], rng: np.random.Generator, **parameters: Any
    ) -> FloatArray:
        """Return the errors along one run, with the papers' noise: by zCDP."""
        ledger = RecordingLedger(int(rng.integers(2**63)))
        run(
            self.data,
            self.model,
            initial=self.initial,
            step_size=1.0,
            ledger=ledger,
            **parameters,
        )
        # every release is a noisy gradient, and eta = 1
        steps = np.array([release.output for release in ledger.transcript.releases])
        return self.errors(self.initial + np.vstack([0 * self.initial, steps.cumsum(axis=0)]))


# ------------------------------------------------------------------------- error against t


D = 5
"""d where it does not vary."""


def _clipping_panels(setup: Setup, tier: Tier) -> list[Panel]:
    """Return figure 1: the clipped algorithm under different thresholds."""

    def trial(name: str, rng: np.random.Generator) -> Errors:
        problem = EMProblem.draw(name, setup.size(tier), D, rng)
        return {f"C = {c:g}": problem.clipped(setup, 0.5, rng, c) for c in THRESHOLDS}

    return [
        Panel(name, "iteration t", range(setup.iterations + 1), partial(trial, name))
        for name in MODELS
    ]


def _path_panels(setup: Setup, name: str, tier: Tier) -> list[Panel]:
    """Return one of figures 2 to 4: all algorithms over t, for several epsilon, d and n."""
    n = setup.size(tier)

    def by_epsilon(rng: np.random.Generator) -> Errors:
        problem = EMProblem.draw(name, n, D, rng)
        private = {f"ε = {e:g}": problem.smoothed(setup, e, rng) for e in EPSILONS}
        return {
            **private,
            "EM": problem.em(setup.iterations),
            "clipped, ε = 0.5": problem.clipped(setup, 0.5, rng),
        }

    def by_dimension(rng: np.random.Generator) -> Errors:
        return {
            f"d = {d}": EMProblem.draw(name, n, d, rng).smoothed(setup, 0.5, rng)
            for d in DIMENSIONS
        }

    def by_size(rng: np.random.Generator) -> Errors:
        return {
            f"n = {size}": EMProblem.draw(name, size, D, rng).smoothed(setup, 0.5, rng)
            for size in setup.sizes(tier)
        }

    x = range(setup.iterations + 1)
    return [
        Panel("privacy budget", "iteration t", x, by_epsilon),
        Panel("dimension", "iteration t", x, by_dimension),
        Panel("data size", "iteration t", x, by_size),
    ]


DIMENSIONS = (5, 10, 20)


# -------------------------------------------------------------------------- error at the end


def _final_panels(setup: Setup, name: str, tier: Tier) -> list[Panel]:
    """Return one of figures 5 to 7: errors of beta^T of all algorithms over epsilon, d and n."""
    n = setup.size(tier)
    epsilons, dimensions, sizes = (0.2, 0.5, 1.0, 2.0), (3, 5, 10, 20), setup.sizes(tier)

    def trial(settings: Sequence[tuple[int, int, float]], rng: np.random.Generator) -> Errors:
        rows = []
        for size, d, epsilon in settings:
            problem = EMProblem.draw(name, size, d, rng)
            paths = (
                problem.smoothed(setup, epsilon, rng),
                problem.em(setup.iterations),
                problem.clipped(setup, epsilon, rng),
            )
            rows.append([path[-1] for path in paths])
        return dict(zip(("smoothed", "EM", "clipped"), np.array(rows).T, strict=True))

    def panel(title: str, x: Sequence[float], settings: Sequence[tuple[int, int, float]]) -> Panel:
        return Panel(title, title, x, partial(trial, settings), log_x=True)

    return [
        panel("ε", epsilons, [(n, D, epsilon) for epsilon in epsilons]),
        panel("d", dimensions, [(n, d, 0.5) for d in dimensions]),
        panel("n", sizes, [(size, D, 0.5) for size in sizes]),
    ]


# ------------------------------------------------------------------------------- trends

CLAIMED, OUTPERFORMS = "the algorithm outperforms clipping", "wang-1/E2"
"""A claim and its erratum: it depends on the scale of beta*, which is not printed."""


def _falls(errors: Errors) -> float:
    """Return by how much the last curve ends below the first."""
    first, *_, last = (values[-1] for values in errors.values())
    return float(first - last)


def _best(errors: Errors) -> float:
    """Return by how much C = 1 ends below the best of the other thresholds."""
    others = [errors[f"C = {c:g}"][-1] for c in THRESHOLDS if c != CLIPPING]
    return float(min(others) - errors["C = 1"][-1])


def _flat(errors: Errors) -> float:
    return float(errors["C = 1"][-1] - errors["C = 1"][1])


CLIPPING_TRENDS = tuple(
    Trend(words, index, gain)
    for index in range(len(MODELS))
    for words, gain in (
        ("C = 1 achieves the lowest error", _best),
        ("with C = 1 the error does not decay with t", _flat),
    )
)
PATH_TRENDS = (
    Trend("the error is smaller with a larger ε", 0, ends_below("ε = 1", "ε = 0.2")),
    Trend(CLAIMED, 0, ends_below("ε = 0.5", "clipped, ε = 0.5"), OUTPERFORMS),
    Trend("the error is smaller with a smaller d", 1, lambda errors: -_falls(errors)),
    Trend("the error is smaller with a larger n", 2, _falls),
)
FINAL_TRENDS = (
    Trend("the error decreases when ε increases", 0, falls("smoothed")),
    Trend("the error decreases when d decreases", 1, rises("smoothed")),
    Trend("the error decreases when n increases", 2, falls("smoothed")),
    *(Trend(CLAIMED, index, below("smoothed", "clipped"), OUTPERFORMS) for index in range(3)),
)


# ------------------------------------------------------------------------------ real data


def _real_panels(tier: Tier) -> list[Panel]:
    """Return figure 8 on a data set that an installed package ships: one panel per epsilon."""
    del tier
    real = tumours()
    model = GaussianMixture(real.standard_deviation)

    def trial(epsilon: float, rng: np.random.Generator) -> Errors:
        initial = np.linalg.norm(real.centre) * random_direction(real.centre.size, rng)
        data = real.data[rng.permutation(len(real.data))]
        problem = EMProblem(model, data, real.centre, initial)
        return {
            "smoothed": problem.smoothed(JOURNAL, epsilon, rng),
            "EM": problem.em(JOURNAL.iterations),
            "clipped": problem.clipped(JOURNAL, epsilon, rng),
        }

    x = range(JOURNAL.iterations + 1)
    return [Panel(f"ε = {e:g}", "iteration t", x, partial(trial, e)) for e in EPSILONS]


REAL_TRENDS = (
    *(Trend(CLAIMED, panel, ends_below("smoothed", "clipped"), OUTPERFORMS) for panel in (0, 2)),
    Trend(
        "even for a low ε the error is close to that of EM (here: at most twice)",
        0,
        ends_below("smoothed", "EM", factor=2.0),
    ),
)


REAL = Experiment(
    "000 Figure 8",
    "wang-2",
    "Estimation error of the mixture over three real data sets: ADULT, IPUMS-US and IPUMS-BR.",
    "None of the three ships with a package; here the breast cancer data of scikit-learn, 424 "
    "records (theirs: 38,000 to 48,842) and 30 features, prepared as the paper says, with "
    "standardised features and the eigenvalue's root as σ. Printed: ε in {0.2, 0.5, 1}, "
    f"δ = n^-1.1. Chosen: as in figures 2 to 7, T = {JOURNAL.iterations}.",
    _real_panels,
    REAL_TRENDS,
    repetitions=5,
    full=50,
)

# ------------------------------------------------------------------------------- figures


def _figures(setup: Setup, source: str, algorithm: str, privacy: str) -> list[Experiment]:
    """Return figures 1 to 7 of one version."""
    setting = (
        f"Printed: SNR 3, a random start, {privacy}. Chosen: |β*| = 1, d = {D} and "
        f"n = {setup.full:,} ({setup.quick:,} in the quick tier) where they do not vary, "
        f"η = 1, τ = the model's moment bound, ζ = 0.05, p_m = 0.1, T = {setup.iterations}."
    )

    def figure(
        number: int,
        caption: str,
        panels: Callable[[Tier], Sequence[Panel]],
        trends: Sequence[Trend],
        of: str = algorithm,
    ) -> Experiment:
        name = f"{source}{number}"
        return Experiment(name, of, caption, setting, panels, trends, repetitions=5, full=20)

    figures = [
        figure(
            1,
            "Estimation error of the clipped algorithm against iteration t under different "
            "clipping thresholds C.",
            partial(_clipping_panels, setup),
            CLIPPING_TRENDS,
            "wang-1" if setup is JOURNAL else algorithm,
        )
    ]
    for index, model in enumerate(MODELS):
        figures += [
            figure(
                2 + index,
                f"Estimation error of the {model} with respect to ε, d, n and iteration t.",
                partial(_path_panels, setup, model),
                PATH_TRENDS,
            ),
            figure(
                5 + index,
                f"Estimation error of the {model} with respect to ε, d and n.",
                partial(_final_panels, setup, model),
                FINAL_TRENDS,
            ),
        ]
    return sorted(figures, key=lambda experiment: experiment.name)


EXPERIMENTS = (
    *_figures(JOURNAL, "000 Figure ", "wang-2", "ε in {0.2, 0.5, 1}, δ = n^-1.1"),
    REAL,
    *_figures(
        DISSERTATION, "004 Figure 7.", "diss-7.2.56", "ε in {0.2, 0.5, 1}, δ = O(1/n), T = 22"
    ),
)
