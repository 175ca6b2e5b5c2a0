"""Sparse optimisation with robust gradients (hu-5): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Data,
    Everything,
    Form,
    Scaling,
    Setting,
    along,
    averaged,
    n_records,
    rate_slope,
    scaled_claim,
)
from auditor.described.data import heavy_tailed_regression as shared
from auditor.described.data.small_heavy_tailed import (
    FEW,
    HUGE,
    largest,
    regression,
    robust_mean,
    vectors,
)
from auditor.described.data.vectors import SMOOTHED, squared_distance
from reference._validation import FloatArray
from reference.blocks import take_records
from reference.errata.heavy_tailed import sparse_optimisation as errata
from reference.heavy_tailed import sparse_optimisation
from reference.heavy_tailed.sparse_optimisation import (
    balanced_truncation_scale,
    heavy_tailed_sparse_optimisation,
)
from reference.losses import Biweight, RidgeRegularized, SquaredDistance, SquaredError
from reference.privacy.ledger import Ledger

UNREACHED = 1e24
"""A truncation that no record of the pairs reaches."""

ALTERNATING = np.array([-1.0, 1.0, -1.0, 1.0])
"""Record 0, which moves every gradient by twice the truncation."""


def _sparse_mean(
    function: Any = heavy_tailed_sparse_optimisation,
    *,
    truncation_scale: float = 1.0,
    **options: Any,
) -> Form:
    """Return a form for a sparse mean: gradients 2(w - x), so the records' signs are opposite."""
    (first, _), (second, _) = shared.pulled_apart(10, ALTERNATING[:2])
    return shared.thresholding_form(
        function,
        (-first, -second),
        SquaredDistance(),
        signs=ALTERNATING[:2],
        domain=Everything((2,), shared.EVERYTHING),
        not_attained=SMOOTHED,
        initial=np.zeros(2),
        sparsity=1,
        truncation_scale=truncation_scale,
        step_size=0.5,
        **options,
    )


def _regression() -> Form:
    """Return a form for the squared error, on a bounded set; at w = 0 the gradients are -2 x y."""
    return shared.thresholding_form(
        heavy_tailed_sparse_optimisation,
        shared.pulled_apart(10, ALTERNATING),
        SquaredError(),
        signs=ALTERNATING,
        domain=shared.any_regression_record(4),
        initial=np.zeros(4),
        sparsity=2,
        truncation_scale=1.0,
        step_size=0.5,
        precision=20.0,
        radius=1.0,
    )


def _risk(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 2_000,
    d: float = 8,
    s: float = 3,
    epsilon: float = 4.0,
) -> float:
    """Return ||w - mu||^2 for x = mu + t_3/sqrt(3) and mu = (1, ..., 1, 0, ...).

    The gradients' second moment is at most tau = 8 between 0 and mu. k is half of
    :func:`balanced_truncation_scale`; gamma = 2, so eta = 1/3; T = 4 is held (of log n).
    """
    size, dimension = int(n), int(d)
    mu = shared.equal_entries(dimension, int(s), math.sqrt(s))
    known: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-5, "sparsity": int(s)}
    known["n_iterations"] = 4
    scale = balanced_truncation_scale(n=size, second_moment=8.0, dimension=dimension, **known)
    found = heavy_tailed_sparse_optimisation(
        mu + rng.standard_t(3, (size, dimension)) / math.sqrt(3),
        SquaredDistance(),
        initial=np.zeros(dimension),
        truncation_scale=scale / 2,
        step_size=1 / 3,
        ledger=ledger,
        **known,
    )
    return squared_distance(found, mu)


def _in_sparsity(rng: np.random.Generator, ledger: Ledger, s: float) -> float:
    # as many noisy coordinates at every s: the same lag of the mean of the logarithm
    return averaged(_risk, 48 // int(s))(rng, ledger, d=20, s=s)


def _scaling() -> tuple[Scaling, ...]:
    rate = (
        "Theorem 8: excess risk O(tau gamma^4 s*^(3/2) log n log(d/zeta) sqrt(log(1/delta))/"
        "(mu^5 n epsilon))"
    )
    in_scale = rate + ", with s^(-1/4) in k"
    dimensions = (8, 16, 32, 64)
    recipe = partial(along, error=averaged(_risk, 2), repetitions=14, claim=rate)
    return (
        recipe("n", (2_000, 4_000, 8_000, 16_000), -1.0, expensive=True),
        recipe("epsilon", (0.5, 1.0, 2.0, 4.0), -1.0, n=4_000),
        recipe(
            "s",
            (2, 4, 8, 16),
            1.5,
            error=_in_sparsity,
            repetitions=6,
            expensive=True,
            claim=in_scale,
        ),
        recipe(
            "d",
            dimensions,
            rate_slope(dimensions, math.log),
            claim=rate + ": log d",
            expensive=True,
        ),
    )


def hu_5() -> Case:
    """Robust gradients: the printed noise scale is three times too large, and safe."""
    mean = _sparse_mean()
    return Case(
        id="hu-5",
        forms={
            "corrected": mean,
            "corrected-regression": _regression(),
            "printed": _sparse_mean(
                errata.printed, no_black_box="the corrected form with three times the noise"
            ),
        },
        scaling=_scaling(),
        no_real_data="its hard thresholding is that of hu-3, which is run on real data",
        mutants={
            # psi_k(x) = x for x below 1e-9 k
            "truncation dropped": scaled_claim(
                _sparse_mean(truncation_scale=UNREACHED), 1 / UNREACHED
            ),
            "sensitivity of the whole data": scaled_claim(mean, 1 / 2),
        },
    )


def _without_noise(*, data: Data, loss: Any, initial: FloatArray, **others: Any) -> FloatArray:
    """Return steps along the robust means of T batches, of which the largest entries are kept."""
    scale, precision = others["truncation_scale"], others.get("precision", 1.0)
    n_iterations, radius = others["n_iterations"], others.get("radius", math.inf)
    w, size = initial, n_records(data) // n_iterations
    for t in range(n_iterations):
        batch = take_records(data, slice(t * size, (t + 1) * size))
        mean = robust_mean(loss, batch, w, scale=scale, precision=precision)
        w = largest(w - others["step_size"] * mean, others["sparsity"])
        w = w * min(1.0, radius / max(float(np.linalg.norm(w)), 1e-300))
    return w


def settings() -> tuple[Setting, ...]:
    """Sparse optimisation with robust gradients."""
    usual: dict[str, Any] = {"epsilon": 4.0, "delta": 1e-3, "sparsity": 2}
    chosen = sparse_optimisation.Constants(sensitivity=2.0, noise_scale=0.5)
    distance, tukey = SquaredDistance(), RidgeRegularized(Biweight(threshold=2.0), 0.5)
    known = partial(Setting, noiseless=_without_noise)
    return (
        known(
            "by-hand",
            "Two steps on two records each, of five, one of which is far out; one of two "
            "coordinates is kept.",
            {"data": FEW, "loss": distance, "initial": np.array([0.0, 0.5]), **usual, "sparsity": 1}
            | {"truncation_scale": 2.0, "precision": 4.0}
            | {"n_iterations": 2, "step_size": 0.25, "constants": chosen},
        ),
        known(
            "middle",
            "Three steps, two of six coordinates, without a projection.",
            {"data": vectors(40, 6, 20), "loss": distance, "initial": np.zeros(6), **usual}
            | {"truncation_scale": 1.5, "n_iterations": 3, "step_size": 0.3},
            seed=2,
        ),
        known(
            "ball",
            "Another loss, and a ball that some of the points lie in and some do not.",
            {"data": regression(40, 4, 21), "loss": tukey, "initial": np.array([0.0, 0.25, 0, 0])}
            | {**usual, "epsilon": 20.0, "truncation_scale": 1.0, "precision": 2.0}
            | {"n_iterations": 4, "step_size": 0.5, "radius": 0.25},
            seed=3,
        ),
        known(
            "tiny-steps",
            "Steps so small against the point that their rounding adds to the sensitivity.",
            {"data": vectors(6, 3, 22), "loss": distance, "initial": np.array([0.75, 0.0, -0.5])}
            | {**usual, "truncation_scale": 1e-9, "n_iterations": 2, "step_size": 0.25},
            seed=4,
        ),
        known(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0.",
            {"data": HUGE, "loss": SquaredError(), "initial": np.array([0.5, 0.25]), **usual}
            | {"truncation_scale": 2.0, "n_iterations": 1, "step_size": 0.5, "constants": chosen},
            seed=5,
        ),
    )


CASES = {"hu-5": hu_5}
SETTINGS = {"hu-5": settings}
RAISED = {"hu-5": {"algorithms": 1}}
