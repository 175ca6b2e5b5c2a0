"""The experiments on risks with few coefficients: Wang (2020), l.6718-6724.

Printed: logistic loss and (lambda/2)||w||^2, lambda = 1e-3, eta = .1, delta = 1e-3, zCDP,
normalised data, p = 54 of Covertype, s = 10, epsilon = 2; the optimum is that of iterative hard
thresholding run until its relative step is 1e-4. Not printed: T, and how p is varied.

Chosen: T, in addition to eta = .1 the step 1/(2 l) of Theorem 5.3.8, 1,000 and 5,000 records (of
20,000 the noise is not seen against what T steps leave), Gaussian classes for Covertype, and for
rcv1 rows of eight words, the j-th of p as frequent as 1/(j + 10), whose labels twenty of the
hundred most frequent decide: sparse matrices, of which no dense copy is made. The ridge is public
and moves no record's gradient against another's. In addition to DP-IHT: noisy gradient descent,
which keeps all coefficients, the same steps without noise, and w = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy
from scipy.special import expit

from auditor.core.context import Tier
from auditor.experiments.convex import classes
from auditor.experiments.experiment import (
    Condition,
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    columns,
    falls,
    rises,
)
from reference._validation import FloatArray, IntArray
from reference.constraint_sets import SparseVectors
from reference.losses import Logistic, Records, SparseRecords, valid_records
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.sparse.iterative_hard_thresholding import constants_for, private_hard_thresholding

FAMILY = "sparse"
STRENGTH, DELTA, PRINTED_STEP = 1e-3, 1e-3, 0.1
SPARSITY, EPSILON = 10, 2.0
EPSILONS, SPARSITIES = (0.5, 1.0, 2.0, 4.0), (5, 10, 20)
TOLERANCE, MOST_STEPS = 1e-4, 2_000
N_TEST = 5_000
WORDS, INFORMATIVE = 8, 20
DP_IHT, AS_PRINTED, NOISY, IHT = "DP-IHT", "DP-IHT, eta = 0.1", "noisy GD", "IHT, no privacy"
ZERO, LARGER = "w = 0", "larger class"

AnyRecords = Records | SparseRecords
DrawAnyRecords = Callable[[np.random.Generator, int, int], AnyRecords]


@dataclass(frozen=True)
class Ridged(Logistic):
    """The logistic loss with a ridge: the gradients of two records differ as without it."""

    @property
    def smoothness(self) -> float:
        """L = B^2/4 + lambda."""
        return super().smoothness + STRENGTH

    def values(self, records: AnyRecords, x: FloatArray) -> FloatArray:
        """Return f(x; a_i, y_i) for every record."""
        values: FloatArray = super().values(records, x) + STRENGTH / 2 * float(x @ x)
        return values

    def gradient(
        self, records: AnyRecords, x: FloatArray, indices: IntArray | None = None
    ) -> FloatArray:
        """Return the mean gradient."""
        gradient: FloatArray = super().gradient(records, x, indices) + STRENGTH * x
        return gradient


LOSS = Ridged()


@dataclass(frozen=True)
class RiskData:
    """Stand-in for a data set.

    Attributes
    ----------
    draw : callable
        ``draw(rng, n, p)``.
    n, n_iterations : int
        n and T.
    dimensions : sequence of int
        Values of p; all but the first panel have the last.
    """

    draw: DrawAnyRecords
    n: int
    n_iterations: int
    dimensions: Sequence[int]


def covertype(rng: np.random.Generator, n: int, p: int) -> Records:
    """Draw the stand-in for Covertype."""
    return classes(rng, n, p, 0.488)


def rcv1(rng: np.random.Generator, n: int, p: int) -> SparseRecords:
    """Draw the stand-in for rcv1: rows of norm 1 with at most eight of p entries."""
    shares = 1 / (np.arange(p) + 10.0)
    words = rng.choice(p, size=(n, WORDS), p=shares / shares.sum())
    rows = np.repeat(np.arange(n), WORDS)
    matrix = scipy.sparse.csr_array((np.ones(n * WORDS), (rows, words.ravel())), shape=(n, p))
    matrix.sum_duplicates()
    norms = scipy.sparse.linalg.norm(matrix, axis=1)
    matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
    truth = np.zeros(p)
    chosen = np.random.default_rng(0).choice(100, INFORMATIVE, replace=False)  # of any draw
    # as frequent on either side, so that the classes are about as large
    truth[np.sort(chosen)] = np.where(np.arange(INFORMATIVE) % 2, 15.0, -15.0)
    labels = np.where(rng.random(n) < expit(np.asarray(matrix @ truth)), 1.0, -1.0)
    return matrix, labels


def optimum(records: AnyRecords, sparsity: int) -> FloatArray:
    """Return where iterative hard thresholding stops (l.6722)."""
    features: Any = records[0]
    labels = records[1]
    sparse, eta = SparseVectors(sparsity), 1 / (2 * LOSS.smoothness)
    w = np.zeros(features.shape[1])
    for _ in range(MOST_STEPS):
        slopes = -labels * expit(-labels * (features @ w))
        last, w = w, sparse.project(w - eta * (slopes @ features / len(labels) + STRENGTH * w))
        if np.linalg.norm(w - last) <= TOLERANCE * np.linalg.norm(last):
            break
    return w


def methods(
    records: AnyRecords, data: RiskData, sparsity: int, epsilon: float, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Run every method for T steps."""
    n, p = records[0].shape
    given: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": DELTA,
        "n_iterations": data.n_iterations,
    }
    right = constants_for(LOSS, n=n, method="zcdp", **given)
    run = partial(private_hard_thresholding, records, LOSS, initial=np.zeros(p), **given)
    return {
        DP_IHT: run(sparsity=sparsity, constants=right, ledger=Ledger(rng)),
        AS_PRINTED: run(
            sparsity=sparsity,
            constants=replace(right, step_size=PRINTED_STEP),
            ledger=Ledger(rng),
        ),
        NOISY: run(sparsity=p, constants=right, ledger=Ledger(rng)),
        IHT: run(sparsity=sparsity, constants=right, ledger=NoiselessLedger()),
        ZERO: np.zeros(p),
    }


def gaps(
    data: RiskData, p: int, settings: Sequence[tuple[int, float]], rng: np.random.Generator
) -> list[dict[str, float]]:
    """Return L(w; D) - L(w*; D) of every method, for every s and epsilon, on one data set.

    Below 0 if w is better than what IHT stops at.
    """
    records = data.draw(rng, data.n, p)

    def risk(w: FloatArray) -> float:
        return float(LOSS.values(records, w).mean())

    least = {s: risk(optimum(records, s)) for s in {s for s, _ in settings}}
    return [
        {label: risk(w) - least[s] for label, w in methods(records, data, s, epsilon, rng).items()}
        for s, epsilon in settings
    ]


def over_dimensions(data: RiskData, rng: np.random.Generator) -> Errors:
    """Return the gaps over p, at s = 10 and epsilon = 2."""
    return columns(
        [row for p in data.dimensions for row in gaps(data, p, [(SPARSITY, EPSILON)], rng)]
    )


def over_sparsities(data: RiskData, rng: np.random.Generator) -> Errors:
    """Return the gaps over s, at epsilon = 2, each from the optimum of its s."""
    return columns(gaps(data, data.dimensions[-1], [(s, EPSILON) for s in SPARSITIES], rng))


def over_epsilons(data: RiskData, rng: np.random.Generator) -> Errors:
    """Return the gaps over epsilon, at s = 10."""
    return columns(gaps(data, data.dimensions[-1], [(SPARSITY, e) for e in EPSILONS], rng))


def accuracies(data: RiskData, rng: np.random.Generator) -> Errors:
    """Return the shares of other rows that the sign of <w, x> gets right, over epsilon.

    A row whose score is 0, as one without any word that is kept, is right by half.
    """
    drawn = data.draw(rng, data.n + N_TEST, data.dimensions[-1])
    features: Any = drawn[0]
    labels = drawn[1]
    train, test = (features[: data.n], labels[: data.n]), features[data.n :]
    right = labels[data.n :]
    larger = 1.0 if train[1].mean() > 0 else -1.0
    rows = []
    for epsilon in EPSILONS:
        found = methods(train, data, SPARSITY, epsilon, rng)
        del found[ZERO]
        shares = {
            label: float((np.sign(test @ w) * right + 1).mean() / 2) for label, w in found.items()
        }
        rows.append(shares | {LARGER: float(np.mean(right == larger))})
    return columns(rows)


def conditions(data: RiskData, rng: np.random.Generator) -> list[Condition]:
    """Return what Theorem 5.3.8 assumes."""
    p = data.dimensions[-1]
    features: Any = valid_records(LOSS, data.draw(rng, data.n, p), p)[0]
    longest = math.sqrt(np.asarray((features * features).sum(axis=1)).max())
    kappa = LOSS.smoothness / STRENGTH
    asked = 1 + 64 * kappa**2
    return [
        Condition(
            "gradients are bounded: rows have norm at most 1",
            f"the longest has {longest:.3f}",
            "met" if longest <= 1 + 1e-12 else "not met",
        ),
        Condition(
            "k >= (1 + 64 kappa^2) k*, kappa = (1/4 + lambda)/lambda: on all of R^p only the ridge "
            "is strongly convex",
            f"{SPARSITY} against {asked:.2g} k*",
            "met" if asked <= SPARSITY else "not met",
        ),
        Condition(
            "epsilon <= 1",
            f"epsilon = {EPSILON:g} in the first two panels",
            "met" if EPSILON <= 1 else "not met",
        ),
    ]


def _panels(data: RiskData, tier: Tier) -> list[Panel]:
    del tier
    p, gap = data.dimensions[-1], "optimality gap"
    views: Sequence[tuple[str, str, Sequence[float], Callable[..., Errors], str]] = (
        ("s = 10, epsilon = 2", "p", data.dimensions, over_dimensions, gap),
        (f"p = {p}, epsilon = 2", "s", SPARSITIES, over_sparsities, gap),
        (f"p = {p}, s = 10", "epsilon", EPSILONS, over_epsilons, gap),
        (f"p = {p}, s = 10, other rows", "epsilon", EPSILONS, accuracies, "accuracy"),
    )
    return [
        Panel(title, x_label, x, partial(trial, data), y_label, log_y=False)
        for title, x_label, x, trial, y_label in views
    ]


def _spread_over_p(label: str, other: str) -> Callable[[Errors], float]:
    """Return the gain "the first gap changes less from the first to the last p"."""

    def change(errors: Errors, name: str) -> float:
        return abs(float(errors[name][-1] - errors[name][0]))

    return lambda errors: change(errors, other) - change(errors, label)


TRENDS = (
    Trend("with p the gap changes less than that of noisy GD", 0, _spread_over_p(DP_IHT, NOISY)),
    Trend("the gap grows with s", 1, rises(DP_IHT)),
    Trend("the gap falls with epsilon", 2, falls(DP_IHT)),
    Trend("DP-IHT is better than noisy GD", 2, below(DP_IHT, NOISY)),
    Trend("DP-IHT is better than w = 0", 2, below(DP_IHT, ZERO)),
    Trend("the step of the theorem is better than eta = 0.1", 2, below(DP_IHT, AS_PRINTED)),
    Trend("privacy costs", 2, below(IHT, DP_IHT)),
    Trend("DP-IHT is right more often than the larger class", 3, below(LARGER, DP_IHT)),
    Trend("DP-IHT is right more often than noisy GD", 3, below(NOISY, DP_IHT)),
)


def _figure(figure: str, name: str, data: RiskData, words: str) -> Experiment:
    return Experiment(
        name=f"004 {figure}",
        algorithm="diss-5.3.43",
        caption=f"l_0-constrained logistic regression under (epsilon, delta)-DP, {name}.",
        setting="The paper's: lambda = 1e-3, delta = 1e-3, zCDP, eta = 0.1 of one curve, the "
        f"optimum. Chosen here: {words} for the data, n = {data.n:,}, T = {data.n_iterations}, "
        "eta = 1/(2 l) of the others.",
        panels=partial(_panels, data),
        trends=TRENDS,
        full=20,
        conditions=partial(conditions, data),
    )


COVERTYPE = RiskData(covertype, 1_000, 100, (15, 30, 54))
RCV1 = RiskData(rcv1, 5_000, 50, (1_000, 2_000, 5_000))
EXPERIMENTS = (
    _figure("Figure 5.7", "Covertype", COVERTYPE, "Gaussian classes"),
    _figure("Figure 5.8", "rcv1", RCV1, "sparse rows of eight words"),
)
