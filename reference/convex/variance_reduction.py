"""Noisy variance-reduced gradients, shared by DP-SVRG, DP-Katyusha and DP-SVRG++."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_count, require_steps
from reference.constants import PositiveConstants
from reference.losses import Loss, probed_records, require_loss
from reference.parameters import checked_arguments
from reference.privacy.calibration import (
    Method,
    smallest_gaussian_scale,
    smallest_sampled_gaussian_scale,
)
from reference.privacy.ledger import Ledger
from reference.proximal import Regularizer, require_regularizer


@dataclass(frozen=True)
class GradientConstants(PositiveConstants):
    """Constants that theory fixes for a variance-reduced gradient v.

    Attributes
    ----------
    batch_size : int
        b, records in a stochastic gradient; n means no sampling.
    sensitivity : float
        Of v, in l2, for a record in the batch.
    background_sensitivity : float
        Of v for a record outside the batch: that of the snapshot's full gradient.
    noise_scale : float
        sigma, the standard deviation of the noise on every coordinate of v.
    """

    batch_size: int
    sensitivity: float
    background_sensitivity: float
    noise_scale: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("batch_size", self.batch_size)


@checked_arguments
def gradient_constants_for(
    loss: Loss,
    *,
    n: int,
    epsilon: float,
    delta: float,
    releases: int,
    batch_size: int | None = None,
    method: Method = "gaussian-dp",
) -> GradientConstants:
    """Return the constants that make K noisy gradients (epsilon, delta)-DP, any epsilon > 0.

    A record in the batch moves v by 2G/b + 2G/b at most, and every record by 2G/n, through the
    snapshot's gradient. With b = n, v is the gradient of F at x: 2G/n in all. The noise for a
    sampled batch is the smallest that the losses of :mod:`reference.privacy.subsampling` certify,
    about 0.6 of what Renyi DP asks for.

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    releases : int
        K >= 1.
    batch_size : int, optional
        b in {1, ..., n}, by default :func:`amplified_batch_size`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How K releases are accounted where b = n.
    """
    if batch_size is None:
        batch_size = amplified_batch_size(n, epsilon=epsilon, delta=delta, releases=releases)
    background = 2 * loss.lipschitz / n
    if batch_size == n:
        sensitivity = background
        noise_scale = smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=releases, method=method
        )
    else:
        sensitivity = 4 * loss.lipschitz / batch_size + background
        noise_scale = smallest_sampled_gaussian_scale(
            epsilon,
            delta,
            population=n,
            size=batch_size,
            sensitivity=sensitivity,
            background_sensitivity=background,
            releases=releases,
        )
    return GradientConstants(batch_size, sensitivity, background, noise_scale)


@checked_arguments
def amplified_batch_size(n: int, *, epsilon: float, delta: float, releases: int) -> int:
    """Return n epsilon/sqrt(K log(1/delta)), rounded up, at most n.

    Sampling amplifies K releases only if the noise of one is at least of the order of what a batch
    of b moves by, G/b; this is the smallest batch, up to a constant, at which that is of the order
    of (3.3), G sqrt(K log(1/delta))/(n epsilon).
    """
    return min(n, math.ceil(n * epsilon / math.sqrt(-releases * math.log(delta))))


def variance_reduced_gradient(
    ledger: Ledger,
    loss: Loss,
    records: Any,
    x: FloatArray,
    snapshot: FloatArray,
    full: FloatArray,
    constants: GradientConstants,
) -> FloatArray:
    """Release grad f_B(x) - grad f_B(snapshot) + full for a fresh batch B, full = grad F(snapshot).

    Parameters
    ----------
    ledger : Ledger
    loss : Loss
    records
        As from ``loss.validate``.
    x, snapshot, full : ndarray of shape (p,)
    constants : GradientConstants
    """
    n = loss.size(records)
    sample = ledger.subsample(n, constants.batch_size) if constants.batch_size < n else None
    batch = None if sample is None else sample.indices
    return ledger.gaussian(
        loss.gradient(records, x, batch) - loss.gradient(records, snapshot, batch) + full,
        sensitivity=constants.sensitivity,
        scale=constants.noise_scale,
        sample=sample,
        background_sensitivity=constants.background_sensitivity,
    )


def validated(
    data: Any,
    loss: Loss,
    regularizer: Regularizer,
    initial: ArrayLike,
    *,
    n_epochs: int,
    n_inner: int,
) -> tuple[Any, FloatArray]:
    """Return the records and the starting point, or raise if an argument does not fit."""
    require_loss(loss)
    require_regularizer(regularizer)
    x = require_array("initial", initial, ndim=1).copy()
    records = probed_records(loss, data, x, batches=True)
    require_steps("n_epochs times n_inner", n_epochs * n_inner)
    return records, x


def weighted_mean(points: list[FloatArray], ratio: float) -> FloatArray:
    """Return sum_j ratio^j x_j/sum_j ratio^j, computed from the largest weight down."""
    powers = np.log(ratio) * np.arange(len(points))
    weights = np.exp(powers - powers[-1])
    mean: FloatArray = weights @ np.array(points) / weights.sum()
    return mean
