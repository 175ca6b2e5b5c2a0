"""DP-SVRG: stochastic variance-reduced proximal gradient with noise (diss-3.1.1)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_count
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.convex.variance_reduction import (
    GradientConstants,
    gradient_constants_for,
    validated,
    variance_reduced_gradient,
)
from reference.losses import Loss
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import Regularizer, proximal_step


@dataclass(frozen=True)
class Constants(GradientConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    batch_size, sensitivity, background_sensitivity, noise_scale
        As for :class:`~reference.convex.variance_reduction.GradientConstants`.
    step_size : float
        eta.
    """

    step_size: float


@checked_arguments
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

    The step size is 1/(48L), at which (3.5) holds from m = 192 L/mu on.

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    epsilon, delta, n_epochs, n_inner
        As for :func:`dp_svrg`.
    batch_size, method
        As for :func:`reference.convex.variance_reduction.gradient_constants_for`.
    """
    gradient = gradient_constants_for(
        loss,
        n=n,
        epsilon=epsilon,
        delta=delta,
        releases=n_epochs * n_inner,
        batch_size=batch_size,
        method=method,
    )
    return Constants(**asdict(gradient), step_size=1 / (48 * loss.smoothness))


@checked_arguments
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
        G-Lipschitz in l2. Convex and L-smooth for the utility; the guarantee needs neither.
    regularizer : Regularizer
        r, public; mu-strongly convex for the utility, e.g. ``Ridge(mu)``.
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

    *As printed*: (3.3) is used beyond its range of epsilon, where a record that is drawn is visible
    (diss-3.1.1/E2), and O(log(T/delta)) times the noise is said to cover all of it, which it does
    not (diss-3.1.1/E3). Here the accountant sets the noise for every epsilon.

    References
    ----------
    Wang (2020), Algorithm 3.1.1 (l.626-648), Theorems 3.1.1 and 3.1.2 (l.656-676).
    """
    ledger = open_ledger(ledger)
    records, snapshot = validated(
        data, loss, regularizer, initial, n_epochs=n_epochs, n_inner=n_inner
    )
    n = loss.size(records)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=n,
        epsilon=epsilon,
        delta=delta,
        n_epochs=n_epochs,
        n_inner=n_inner,
    )
    require_count("batch_size", chosen.batch_size, at_most=n)

    for _ in range(n_epochs):  # steps 1, 2
        full = loss.gradient(records, snapshot)  # step 3
        x, total = snapshot, np.zeros_like(snapshot)  # step 4
        for _ in range(n_inner):  # step 5
            v = variance_reduced_gradient(  # steps 6, 7
                ledger, loss, records, x, snapshot, full, chosen
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
