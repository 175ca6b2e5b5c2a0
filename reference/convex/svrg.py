"""DP-SVRG: stochastic variance-reduced proximal gradient with noise (diss-3.1.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_delta,
    require_epsilon,
)
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, require_constants
from reference.losses import (
    Loss,
    require_loss,
)
from reference.privacy.calibration import (
    Method,
    smallest_gaussian_scale,
    smallest_sampled_gaussian_scale,
)
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import (
    Regularizer,
    proximal_step,
    require_regularizer,
)


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """What theory fixes.

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
    step_size : float
        eta.
    """

    batch_size: int
    sensitivity: float
    background_sensitivity: float
    noise_scale: float
    step_size: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("batch_size", self.batch_size)


def constants_for(
    loss: Loss,
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_epochs: int,
    n_inner: int,
    batch_size: int | None = None,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make K = T m noisy gradients (epsilon, delta)-DP, any epsilon > 0.

    A record in the batch moves v by 2G/b + 2G/b at most, and every record by 2G/n, through the
    snapshot's gradient. With b = n, v is the gradient of F at x: 2G/n in all. The noise for a
    sampled batch is the smallest that the losses of :mod:`reference.privacy.subsampling` certify,
    about 0.6 of what Renyi DP asks for. The step size is 1/(48L), at which (3.5) holds from
    m = 192 L/mu on.

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    epsilon, delta, n_epochs, n_inner
        As for :func:`dp_svrg`.
    batch_size : int, optional
        b in {1, ..., n}, by default n epsilon/sqrt(K log(1/delta)), rounded up: sampling amplifies
        K releases only if the noise of one is at least of the order of a batch's 4G/b, and this is
        the smallest batch, up to a constant, at which that is of the order of (3.3).
    method : {"gaussian-dp", "zcdp", "pld"}
        How K releases are accounted where b = n.
    """
    require_epsilon(epsilon)
    require_delta(delta)
    releases = n_epochs * n_inner
    if batch_size is None:
        batch_size = min(n, math.ceil(n * epsilon / math.sqrt(releases * math.log(1 / delta))))
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
    return Constants(batch_size, sensitivity, background, noise_scale, 1 / (48 * loss.smoothness))


def dp_svrg(
    data: Any,
    loss: Loss,
    regularizer: Regularizer,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_epochs: int,
    n_inner: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise F(x) + r(x) privately with variance-reduced stochastic gradients.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        Convex, G-Lipschitz and L-smooth in l2.
    regularizer : Regularizer
        r, mu-strongly convex for the utility theorem, e.g. ``Ridge(mu)``.
    initial : array_like of shape (p,)
        The first snapshot, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_epochs, n_inner : int
        T and m, >= 1. Theorem 3.1.2 takes T of order log(n^2 epsilon^2) and m of order L/mu.
    constants : Constants, optional
        By default :func:`constants_for`, which takes batches; the paper's are single records.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        The last snapshot.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2 and parameters out
        of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0.
    *Utility* (Theorem 3.1.2, given sigma): the excess risk is at most A^T gap_0 + sigma^2 p/L,
    A < 1/2 being the left side of (3.5).

    References
    ----------
    Wang (2020), Algorithm 3.1.1 (l.626-648), Theorems 3.1.1 and 3.1.2 (l.656-676).
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    require_regularizer(regularizer)
    snapshot = require_array("initial", initial, ndim=1).copy()
    records = loss.validate(data, snapshot.size)
    n = loss.size(records)
    require_epsilon(epsilon)
    require_delta(delta)
    require_count("n_epochs", n_epochs)
    require_count("n_inner", n_inner)
    if loss.gradient_norm != "l2":
        raise ValueError(f"loss must bound gradients in l2, got {loss.gradient_norm}")
    chosen = require_constants(
        Constants,
        constants
        if constants is not None
        else constants_for(
            loss, n=n, epsilon=epsilon, delta=delta, n_epochs=n_epochs, n_inner=n_inner
        ),
    )
    b = require_count("batch_size", chosen.batch_size, at_most=n)

    for _ in range(n_epochs):  # steps 1, 2
        full = loss.gradient(records, snapshot)  # step 3
        x, total = snapshot, np.zeros_like(snapshot)  # step 4
        for _ in range(n_inner):  # step 5
            sample = ledger.subsample(n, b) if b < n else None  # step 6
            batch = None if sample is None else sample.indices
            v = ledger.gaussian(  # step 7
                loss.gradient(records, x, batch) - loss.gradient(records, snapshot, batch) + full,
                sensitivity=chosen.sensitivity,
                scale=chosen.noise_scale,
                sample=sample,
                background_sensitivity=chosen.background_sensitivity,
            )
            x = proximal_step(x, v, step_size=chosen.step_size, regularizer=regularizer)  # step 8
            total += x
        snapshot = total / n_inner  # step 10
    return snapshot  # step 12


ENTRY = Entry(
    id="diss-3.1.1",
    name="DP-SVRG: private variance-reduced proximal gradient",
    sources=(Source("004", "Algorithm 3.1.1", "626-648"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon <= c_1 T m/n^2 with "
    "sigma^2 = c G^2 T m log(1/delta)/(n^2 epsilon^2), some c (Theorem 3.1.1); the restriction "
    "goes away with O(log(T/delta)) times the noise (Remark 3.1.1)",
    utility_claim="E gap = O~(p log(n) G^2 log(1/delta)/(n^2 epsilon^2 mu)) (Theorem 3.1.2)",
    function=dp_svrg,
)
