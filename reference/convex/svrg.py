"""DP-SVRG: stochastic variance-reduced proximal gradient with noise (diss-3.1.1)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_delta,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.errata.privacy.calibration import printed_composed_gaussian_scale
from reference.losses import Loss
from reference.privacy.calibration import smallest_gaussian_scale, smallest_sampled_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import Regularizer, proximal_step


def default_batch_size(epsilon: float, delta: float, *, n: int, releases: int) -> int:
    """Return n epsilon/sqrt(K log(1/delta)), rounded up and at most n, for K noisy gradients.

    The smallest batch (up to a constant) at which the noise is still of the order of (3.3):
    subsampling amplifies K releases only if the noise of one is at least of the order of the
    sensitivity 4G/b of its batch, that is if b >= n epsilon/sqrt(K log(1/delta)).
    """
    return min(n, math.ceil(n * epsilon / math.sqrt(releases * math.log(1 / delta))))


def noise_scale(
    epsilon: float, delta: float, *, lipschitz: float, n: int, batch_size: int, releases: int
) -> float:
    """Return the smallest sigma that is certified for K noisy gradients, for every epsilon.

    Parameters
    ----------
    epsilon, delta : float
        > 0 and in (0, 1).
    lipschitz : float
        G.
    n, batch_size : int
        Records, and records in a batch. With ``batch_size = n`` the released gradient is that of
        F, of sensitivity 2G/n, and sigma^2 = 2 K G^2/(n^2 rho) by zCDP. Smaller batches have
        sensitivity 4G/b, amplified by the sampling, plus 2G/n of the snapshot's gradient; sigma
        comes from Renyi DP.
    releases : int
        K = T m.
    """
    if batch_size == n:
        return smallest_gaussian_scale(
            epsilon, delta, sensitivity=2 * lipschitz / n, releases=releases, method="zcdp"
        )
    return smallest_sampled_gaussian_scale(
        epsilon,
        delta,
        population=n,
        size=batch_size,
        sensitivity=4 * lipschitz / batch_size + 2 * lipschitz / n,
        background_sensitivity=2 * lipschitz / n,
        releases=releases,
    )


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
    step_size: float | None = None,
    batch_size: int | None = None,
    constant: float | None = None,
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
    step_size : float, optional
        eta > 0; by default 1/(48L), at which (3.5) holds from m = 192 L/mu on.
    batch_size : int, optional
        Records b in a stochastic gradient, in {1, ..., n}; by default
        :func:`default_batch_size`. The seed takes b = 1.
    constant : float, optional
        The seed's form: b = 1 and the noise (3.3), sigma^2 = c G^2 T m log(1/delta)/
        (n epsilon)^2 with this c.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 by default, see
    :func:`noise_scale`. *Utility* (Theorem 3.1.2, given sigma): the excess risk is at most
    A^T gap_0 + sigma^2 p/L, A < 1/2 being the left side of (3.5).
    *Errata*: with b = 1 and (3.3), the seed's form, a record is drawn with probability about
    T m/n and then plainly visible; (3.3) is private only for epsilon <= c_1 T m/n^2, and no
    logarithmic factor (Remark 3.1.1) repairs it.

    References
    ----------
    Seed 004, Algorithm 3.1.1 (l.626-648), Theorems 3.1.1 and 3.1.2 (l.656-676).
    """
    ledger = open_ledger(ledger)
    snapshot = require_array("initial", initial, ndim=1).copy()
    records = loss.validate(data, snapshot.size)
    n = loss.size(records)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    releases = require_count("n_epochs", n_epochs) * require_count("n_inner", n_inner)
    step_size = require_positive(
        "step_size", 1 / (48 * loss.smoothness) if step_size is None else step_size
    )
    if batch_size is not None:
        require_count("batch_size", batch_size, at_most=n)
    if constant is not None:
        require_positive("constant", constant)
        if batch_size not in (None, 1):
            raise ValueError(f"batch_size must be 1 with a constant, got {batch_size!r}")
        if n == 1:
            raise ValueError("data must have at least 2 records with a constant, got 1")
    if loss.gradient_norm != "l2":
        raise ValueError(f"loss must bound gradients in l2, got {loss.gradient_norm}")

    lipschitz = loss.lipschitz
    if constant is not None:
        batch_size = 1
        sigma = printed_composed_gaussian_scale(
            epsilon, delta, lipschitz=lipschitz, n=n, releases=releases, constant=constant
        )
    else:
        batch_size = batch_size or default_batch_size(epsilon, delta, n=n, releases=releases)
        sigma = noise_scale(
            epsilon, delta, lipschitz=lipschitz, n=n, batch_size=batch_size, releases=releases
        )

    for _ in range(n_epochs):  # step 1
        full = loss.gradient(records, snapshot)  # step 3, released only inside v
        x, total = snapshot, np.zeros_like(snapshot)  # step 4
        for _ in range(n_inner):  # step 5
            if batch_size == n:
                v = ledger.gaussian(
                    loss.gradient(records, x), sensitivity=2 * lipschitz / n, scale=sigma
                )
            else:
                sample = ledger.subsample(n, batch_size)  # step 6
                batch = sample.indices
                v = ledger.gaussian(  # step 7
                    loss.gradient(records, x, batch)
                    - loss.gradient(records, snapshot, batch)
                    + full,
                    sensitivity=4 * lipschitz / batch_size + 2 * lipschitz / n,
                    scale=sigma,
                    sample=sample,
                    background_sensitivity=2 * lipschitz / n,
                )
            x = proximal_step(x, v, step_size=step_size, regularizer=regularizer)  # step 8
            total += x
        snapshot = total / n_inner  # step 10
    return snapshot


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
