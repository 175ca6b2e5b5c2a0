"""Noisy hard thresholding (zhang-1): audit and settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from reference._validation import FloatArray
from reference.errata.sparse import peeling as errata
from reference.privacy.ledger import Ledger
from reference.sparse import peeling as algorithm
from reference.sparse.peeling import SparseVector, noisy_hard_thresholding

RATE = "(17)-(19): ||W||_2 = O(lambda s sqrt(log(1/delta)) log d/epsilon)"


def _all_in(n: int, d: int, s: int) -> tuple[FloatArray, FloatArray]:
    """Return n records that are 1 everywhere but for record 0, which moves every coordinate.

    It pulls the first s coordinates up and the others down, or the other way round; it lies far
    outside [-1, 1].
    """
    data = np.ones((n, d))
    data[0] = np.where(np.arange(d) < s, 1e6, -1e6)
    other = data.copy()
    other[0] *= -1
    return data, other


def _of_truncated_mean(function: Callable[..., SparseVector], bound: float) -> Any:
    """Return the function of the mean of records truncated to [-bound, bound] (as in zhang-2)."""

    def run(records: Data, **parameters: Any) -> SparseVector:
        return function(np.clip(records, -bound, bound).mean(axis=0), **parameters)

    return run


def _form(
    function: Callable[..., SparseVector] = noisy_hard_thresholding,
    *,
    d: int = 6,
    sparsity: int = 2,
    bound: float = 1.0,
    **options: Any,
) -> Form:
    n = 10
    return form(
        _of_truncated_mean(function, bound),
        _all_in(n, d, sparsity),
        domain=Everything((d,)),
        sparsity=sparsity,
        sensitivity=2 / n,
        **options,
    )


def _right(**options: Any) -> Form:
    s, sensitivity = 2, 0.2

    def statistic(found: SparseVector) -> float:
        """Log-likelihood ratio of the values, in units of b, plus 2 lambda for every right pick.

        The values' ratio is flat outside [1 - lambda, 1], so the statistic has atoms; it is
        rounded, or else the low-order bits of a sum would tell the data sets apart.
        """
        side = np.where(found.support < s, 1.0, -1.0)
        values = 2 * (np.clip(found.values, 1 - sensitivity, 1.0) - (1 - sensitivity / 2))
        return round(float(side @ values + 2 * sensitivity * np.count_nonzero(side > 0)), 9)

    return _form(epsilon=1.0, delta=1e-2, by_zcdp=True, statistic=statistic, **options)


def _value_noise(
    rng: np.random.Generator, ledger: Ledger, *, s: float = 8, epsilon: float = 1.0
) -> float:
    """Root mean square, over 20 runs, of the l2 norm of the noise on s values; lambda = 1."""
    known: dict[str, Any] = {"sparsity": int(s), "sensitivity": 1.0, "delta": 1e-5}
    squares = []
    for _ in range(20):
        found = noisy_hard_thresholding(np.zeros(64), epsilon=epsilon, **known, ledger=ledger)
        squares.append(float(found.values @ found.values))
    return float(np.sqrt(np.mean(squares)))


def peeling() -> Case:
    """Noisy hard thresholding: selection by noisy max, then Laplace values."""
    recipe = partial(along, error=_value_noise, repetitions=12, claim=RATE)
    return Case(
        id="zhang-1",
        forms={
            "corrected": _right(),
            # s > (4/3) log(1/delta) = 3.1 and epsilon > 0.418 log(1/delta) = 0.96
            "printed": _form(
                errata.printed,
                d=24,
                sparsity=12,
                epsilon=60.0,
                delta=0.1,
                no_black_box="at odds of e^60 no number of samples can tell; the transcript's "
                "exact loss is sampled",
                violates={"accounting": "zhang-1/E1", "privacy_loss": "zhang-1/E1"},
            ),
        },
        scaling=(
            recipe("epsilon", (0.25, 0.5, 1.0, 2.0, 4.0), -1.0),
            recipe("s", (2, 4, 8, 16, 32), 1.0),
        ),
        mutants={"clipping dropped": _right(bound=np.inf)},
    )


def settings() -> tuple[Setting, ...]:
    """Noisy hard thresholding."""
    rng = np.random.default_rng(1)
    spread = np.round(rng.standard_t(3, 10), 3)
    flat = np.round(rng.uniform(-1.0, 1.0, 16), 3)
    kept = np.array([4.0, 0.0, -5.0, 0.0])

    def of(vector: Any, size: int, sensitivity: float, epsilon: float, delta: float) -> Any:
        known = {"vector": np.array(vector), "sparsity": size, "sensitivity": sensitivity}
        return {**known, "epsilon": epsilon, "delta": delta}

    return (
        Setting(
            "by-hand",
            "Two of four coordinates, the larger of them negative: two selections by absolute "
            "value, then two values, in the order of selection.",
            of([4.0, 0.5, -5.0, 1.0], 2, 0.25, 1.0, 1e-5)
            | {"constants": algorithm.Constants(noise_scale=1.0)},
            noiseless=SparseVector(np.array([2, 0]), np.array([-5.0, 4.0]), kept),
        ),
        Setting(
            "huge-epsilon",
            "At this epsilon the printed noise is too small, and pure privacy gives the scale.",
            of(flat, 12, 0.5, 60.0, 0.1),
            seed=4,
        ),
        Setting(
            "middle",
            "Twelve of sixteen coordinates with noise as large as they are.",
            of(flat, 12, 0.01, 1.0, 1e-3),
            seed=2,
        ),
        Setting(
            "one-of-many",
            "One coordinate of ten: one selection and one value, of some of the records.",
            of(spread, 1, 0.1, 1.0, 1e-5) | {"records": np.array([0, 2, 3, 7])},
        ),
        Setting(
            "all",
            "Every coordinate is kept: the selection only decides the order of the values.",
            of([0.25, -0.75, 0.5], 3, 0.1, 4.0, 1e-3),
        ),
        Setting(
            "large-epsilon",
            "At this epsilon the printed noise is too small, and zero-concentrated privacy gives "
            "the scale.",
            of(flat, 12, 0.3, 5.0, 0.1),
            seed=3,
        ),
    )


CASES = {"zhang-1": peeling}
SETTINGS = {"zhang-1": settings}
RAISED = {"zhang-1": {"algorithms": 1}}
LEFT_OUT = {
    "zhang-1": {
        "order of records": "what is released is a vector, whose coordinates have their places",
        "loop": "a release of the ledger",
    }
}
