"""The experiments on high-dimensional DP-EM: Zhang and Zhang (2021), Section 6 and Appendix A.3.

Printed: d = 1000, sigma = 0.5, beta* = 1/sqrt(s*) on its first s* entries, eta = 0.5, delta =
1/(2n), n, s* and epsilon of figures 1 and 4; the misclassification rates of Table 3. Not printed:
T, N0, s-hat and beta^0, on which everything depends: the noise is proportional to T N0 s-hat.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.experiments.experiment import Errors, Experiment, Panel, Trend, below
from reference._validation import FloatArray
from reference.em.dense_em import constants_for, dense_em
from reference.em.gradient_em import gradient_em
from reference.em.hard_thresholding_em import hard_thresholding_em
from reference.em.initialisation import start_near
from reference.em.models import GaussianMixture, LatentModel, MixtureOfRegressions
from reference.em.sparse_em import sparse_em
from reference.em.split_gradient_em import constants_for as split_constants_for
from reference.em.split_gradient_em import split_gradient_em
from reference.privacy.ledger import Ledger, RecordingLedger, Release

FAMILY = "em"
SIGMA, STEP = 0.5, 0.5

# ------------------------------------------------------------------- figures 1 and 4: error, t


@dataclass(frozen=True)
class Sparse:
    """Parameters of one curve of figures 1 and 4."""

    model: LatentModel
    n: int
    sparsity: int
    epsilon: float
    truncation_level: float
    n_iterations: int

    def errors(self, d: int, rng: np.random.Generator) -> FloatArray:
        """Return ||beta^t - beta*||_2 at t = 0, ..., N0 of one run."""
        s = self.sparsity
        truth = np.where(np.arange(d) < s, 1 / math.sqrt(s), 0.0)
        initial = start_near(self.model, truth, rng)
        ledger = RecordingLedger(int(rng.integers(2**63)))
        sparse_em(
            self.model.sample(truth, self.n, rng),
            self.model,
            initial=initial,
            sparsity=s,
            epsilon=self.epsilon,
            delta=1 / (2 * self.n),
            truncation_level=self.truncation_level,
            step_size=STEP,
            n_iterations=self.n_iterations,
            ledger=ledger,
        )
        path = np.array([initial, *self._iterates(ledger.transcript.releases, d)])
        return np.asarray(np.linalg.norm(path - truth, axis=1))

    def _iterates(self, releases: Sequence[Release], d: int) -> Iterator[FloatArray]:
        """Yield beta^t: in every batch s-hat coordinates are selected, then their values."""
        s = self.sparsity
        for start in range(0, len(releases), 2 * s):
            outputs = [release.output for release in releases[start : start + 2 * s]]
            beta = np.zeros(d)
            beta[np.array(outputs[:s], dtype=np.int64)] = outputs[s:]
            yield beta


def _sparse_panels(middle: Sparse, epsilons: Sequence[float], tier: Tier) -> list[Panel]:
    d = 1000 if tier == "full" else 200

    def panel(title: str, curves: Mapping[str, Sparse]) -> Panel:
        def trial(rng: np.random.Generator) -> Errors:
            return {label: curve.errors(d, rng) for label, curve in curves.items()}

        return Panel(title, "iteration t", range(middle.n_iterations + 1), trial)

    return [
        panel("data size", {f"n = {size}": replace(middle, n=size) for size in SIZES}),
        panel("sparsity", {f"s* = {s}": replace(middle, sparsity=s) for s in (5, 10, 15)}),
        panel("privacy budget", {f"ε = {e:g}": replace(middle, epsilon=e) for e in epsilons}),
    ]


def _falls(errors: Errors) -> float:
    """Return by how much the last curve ends below the first."""
    first, *_, last = (float(values[-1]) for values in errors.values())
    return first - last


SPARSE_TRENDS = (
    Trend("the estimate is more accurate when n is larger", 0, _falls),
    Trend("the estimation error is smaller when s* is smaller", 1, lambda errors: -_falls(errors)),
    Trend("the estimation error is smaller when ε is larger", 2, _falls),
)


# --------------------------------------------------------------------- figure 2: error, n and d


def _dense_errors(n: int, d: int, rng: np.random.Generator) -> list[float]:
    """Return the errors of Algorithm 4, of Wang et al. (2020) and of gradient EM on one sample."""
    model, truth, epsilon = GaussianMixture(SIGMA), np.full(d, 1 / math.sqrt(d)), 0.5
    data = model.sample(truth, n, rng)
    initial = start_near(model, truth, rng)
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": 1 / (2 * n), "n_iterations": 3}
    sizes: dict[str, Any] = {"n": n, "dimension": d, "method": "zcdp"}
    own = {**claim, "truncation_level": 1.5, "step_size": STEP}
    others = {
        **claim,
        "second_moment": model.moment_bound(truth, 0.25),
        "failure_probability": 0.05,
    }
    found = (
        dense_em(
            data,
            model,
            initial=initial,
            constants=constants_for(model, **sizes, **own),
            ledger=Ledger(rng),
            **own,
        ),
        split_gradient_em(
            data,
            model,
            initial=initial,
            step_size=STEP,
            constants=split_constants_for(**sizes, **others),
            ledger=Ledger(rng),
            **others,
        ),
        gradient_em(data, model, initial=initial, step_size=STEP, n_iterations=20),
    )
    return [float(np.linalg.norm(beta - truth)) for beta in found]


OURS, OTHERS, PLAIN = "Algorithm 4", "Wang et al. (2020)", "EM"


def _dense_panels(tier: Tier) -> list[Panel]:
    every = 1 if tier == "full" else 2
    sizes = (5_000, 10_000, 15_000, 20_000, 25_000)[::every]
    dimensions = (5, 10, 15, 20, 25)[::every]

    def trial(settings: Iterable[tuple[int, int]], rng: np.random.Generator) -> Errors:
        rows = np.array([_dense_errors(n, d, rng) for n, d in settings])
        return dict(zip((OURS, OTHERS, PLAIN), rows.T, strict=True))

    return [
        Panel("d = 10", "n", sizes, partial(trial, [(n, 10) for n in sizes])),
        Panel("n = 10,000", "d", dimensions, partial(trial, [(10_000, d) for d in dimensions])),
    ]


DENSE_TRENDS = tuple(
    Trend(words, panel, below(smaller, larger))
    for panel in (0, 1)
    for words, larger, smaller in (
        ("there is always a gap to the non-private EM", OURS, PLAIN),
        ("the error is (much) smaller than that of Wang et al. (2020)", OTHERS, OURS),
    )
)


# ------------------------------------------------------------------------------- Table 3

KEPT = (5, 10, 15)
PRINTED = {
    "ε = 0.2": (0.14, 0.12, 0.10),
    "ε = 0.5": (0.08, 0.07, 0.07),
    "ε = ∞": (0.07, 0.06, 0.06),
}
"""Table 3: mean misclassification rates for s-hat = 5, 10, 15."""


@cache
def _tumours() -> tuple[FloatArray, FloatArray]:
    """Return the standardised features of scikit-learn's breast cancer data and +-1 labels."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    data = np.asarray(features, dtype=np.float64)
    return (data - data.mean(axis=0)) / data.std(axis=0), np.where(labels == 0, 1.0, -1.0)


def _misclassified(rng: np.random.Generator, private: bool) -> Errors:
    """Return the test error of one split for every s-hat; l.484-486, malignant tumours are +."""
    features, labels = _tumours()
    benign = rng.permutation(np.flatnonzero(labels < 0))[145:]
    chosen = rng.permutation(np.append(benign, np.flatnonzero(labels > 0)))
    data, labels = features[chosen] - features[chosen].mean(axis=0), labels[chosen]
    n = int(0.7 * len(data))

    def rate(beta: FloatArray) -> float:
        return float((np.where(data[n:] @ beta > 0, 1.0, -1.0) != labels[n:]).mean())

    def fitted(s: int, epsilon: float | None) -> FloatArray:
        # the paper starts at 1/sqrt(30) everywhere, which is not sparse: its first s entries
        initial = np.where(np.arange(30) < s, 1 / math.sqrt(30), 0.0)
        model = GaussianMixture(1.0)
        if epsilon is None:
            return hard_thresholding_em(
                data[:n], model, initial=initial, sparsity=s, step_size=STEP, n_iterations=50
            )
        return sparse_em(
            data[:n],
            model,
            initial=initial,
            sparsity=s,
            epsilon=epsilon,
            delta=1 / (2 * n),
            truncation_level=math.sqrt(math.log(n)),
            step_size=STEP,
            n_iterations=50,
            ledger=Ledger(rng),
        )

    budgets = {"ε = 0.2": 0.2, "ε = 0.5": 0.5} if private else {"ε = ∞": None}
    rates: dict[str, FloatArray] = {}
    for label, epsilon in budgets.items():
        rates[label] = np.array([rate(fitted(s, epsilon)) for s in KEPT])
        rates[f"{label}, printed"] = np.array(PRINTED[label])
    return rates


def _table_panels(tier: Tier) -> list[Panel]:
    del tier
    return [
        Panel(title, "s-hat", KEPT, partial(_misclassified, private=private), "error", log_y=False)
        for title, private in (("Algorithm 3", True), ("without privacy", False))
    ]


def _as_printed(label: str) -> Callable[[Errors], float]:
    """Return by how much the mean error is below twice the printed one."""
    return lambda errors: float((2 * errors[f"{label}, printed"] - errors[label]).mean())


IRREPRODUCIBLE = "zhang-u4/E1"
"""The erratum: with 50 batches of 5 records the noise is many times the signal."""

TABLE_TRENDS = (
    *(
        Trend(
            f"at {label} the error is {range_} (here: at most twice)",
            0,
            _as_printed(label),
            IRREPRODUCIBLE,
        )
        for label, range_ in (("ε = 0.2", ".10 to .14"), ("ε = 0.5", ".07 to .08"))
    ),
    Trend("without privacy it is .06 to .07 (here: at most twice)", 1, _as_printed("ε = ∞")),
)

# ------------------------------------------------------------------------------- figures


def _sparse_figure(
    number: int, algorithm: str, words: str, panels: Callable[[Tier], list[Panel]], chosen: str
) -> Experiment:
    return Experiment(
        f"002 Figure {number}",
        algorithm,
        f"The average estimation error in the high-dimensional {words}.",
        "Printed: d = 1000 (200 in the quick tier), σ = 0.5, η = 0.5, δ = 1/(2n), n, s* and ε. "
        f"Chosen: {chosen} from β* on its support.",
        panels,
        SPARSE_TRENDS,
        repetitions=8,
        full=50,
    )


SIZES = (4000, 5000, 6000)
MIXTURE = Sparse(GaussianMixture(SIGMA), 4000, 10, 0.5, truncation_level=1.0, n_iterations=3)
REGRESSIONS = Sparse(
    MixtureOfRegressions(SIGMA), 5000, 10, 0.6, truncation_level=0.7, n_iterations=2
)
"""The printed middles; fewer coordinates are quicker, and only log d enters."""

EXPERIMENTS = (
    _sparse_figure(
        1,
        "zhang-3",
        "Gaussian mixture model",
        partial(_sparse_panels, MIXTURE, (0.3, 0.5, 0.8)),
        "T = 1, N0 = 3, s-hat = s*, a start ||β*||/8",
    ),
    Experiment(
        "002 Figure 2",
        "zhang-4",
        "The average estimation error in the classic low-dimensional Gaussian mixture model.",
        "Printed: σ = 0.5, β* = 1/√d, the ranges of n and d. Chosen: d = 10, n = 10,000, ε = 0.5, "
        "δ = 1/(2n), η = 0.5, T = 1.5, N0 = 3 (of T = 1 to 3 and N0 = 2 to 9 those best for "
        "Algorithm 4 at n = 10,000), a start ||β*||/8 from β*; for Wang et al. as many iterations, "
        "ζ = 0.05 and τ = the model's moment bound.",
        _dense_panels,
        DENSE_TRENDS,
        repetitions=5,
        full=50,
    ),
    _sparse_figure(
        4,
        "zhang-5",
        "mixture of regressions",
        partial(_sparse_panels, REGRESSIONS, (0.4, 0.6, 0.8)),
        "T = 0.7, N0 = 2, s-hat = s*, a start ||β*||/64",
    ),
    Experiment(
        "002 Table 3",
        "zhang-3",
        "Misclassification rates of Algorithm 3 on the Breast Cancer Wisconsin data.",
        "Printed: 145 benign tumours dropped, centred, 70/30 split, N0 = 50, η = 0.5, δ = 1/(2n), "
        "s-hat and ε. Chosen: T = √log n, σ = 1, and of the printed start only the first s-hat "
        "entries, for the algorithm asks for a sparse one. The preparation is not private.",
        _table_panels,
        TABLE_TRENDS,
        repetitions=8,
        full=50,
    ),
)
