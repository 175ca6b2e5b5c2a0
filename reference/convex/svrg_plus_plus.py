"""DP-SVRG++: variance reduction for convex risks, in epochs of doubling length (diss-3.1.3)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_count, require_steps
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
    """Return the constants that make K = (2^{T+1} - 2) m noisy gradients (epsilon, delta)-DP.

    For every epsilon > 0. The step size is the theorem's 1/(13L).

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    epsilon, delta, n_epochs, n_inner
        As for :func:`dp_svrg_plus_plus`.
    batch_size, method
        As for :func:`reference.convex.variance_reduction.gradient_constants_for`.
    """
    gradient = gradient_constants_for(
        loss,
        n=n,
        epsilon=epsilon,
        delta=delta,
        releases=(2 ** (n_epochs + 1) - 2) * n_inner,
        batch_size=batch_size,
        method=method,
    )
    return Constants(**asdict(gradient), step_size=1 / (13 * loss.smoothness))


@checked_arguments
def dp_svrg_plus_plus(
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
    """Minimise F(x) + r(x) privately with variance-reduced gradients, r convex.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2. Convex and L-smooth for the utility; the guarantee needs neither.
    regularizer : Regularizer
        r, public; convex for the utility.
    initial : array_like of shape (p,)
        The first snapshot, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_epochs, n_inner : int
        T and m, >= 1; epoch s takes 2^s m steps. Theorem 3.1.5 takes 2^T of order
        n epsilon/(G sqrt(p log(1/delta))) and m of order L.
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
    *Utility* (Theorem 3.1.5, given sigma): the excess risk is at most gap_0/2^{T-1} +
    3 ||x_0 - x_*||^2/(2^T 4 eta m) + sigma^2 p/(4L).

    *As printed*: (3.7) is used beyond its range of epsilon, where a record that is drawn is visible
    (diss-3.1.3/E2). Here the accountant sets the noise for every epsilon.

    References
    ----------
    Wang (2020), Algorithm 3.1.3 (l.735-758), Theorems 3.1.4 and 3.1.5 (l.725-731).
    """
    ledger = open_ledger(ledger)
    records, x = validated(data, loss, regularizer, initial, n_epochs=n_epochs, n_inner=n_inner)
    # the last epoch alone has half of all inner steps
    require_steps("n_inner 2^n_epochs", n_inner << n_epochs)
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

    snapshot = x  # step 1
    for epoch in range(1, n_epochs + 1):  # step 2
        full = loss.gradient(records, snapshot)  # step 3
        length = 2**epoch * n_inner  # step 4
        total = np.zeros_like(snapshot)
        for _ in range(length):  # step 5
            v = variance_reduced_gradient(  # steps 6, 7
                ledger, loss, records, x, snapshot, full, chosen
            )
            x = proximal_step(x, v, step_size=chosen.step_size, regularizer=regularizer)  # step 8
            total += x
        snapshot = total / length  # step 10; the next epoch starts at x, step 11
    return snapshot  # step 13


ENTRY = Entry(
    id="diss-3.1.3",
    name="DP-SVRG++: private variance-reduced gradient in doubling epochs",
    sources=(Source("004", "Algorithm 3.1.3", "735-758"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon <= c_1 2^T m/n^2 with "
    "sigma^2 = c G^2 2^T m log(2/delta)/(n^2 epsilon^2), some c (Theorem 3.1.4)",
    utility_claim="E gap = O(G sqrt(p log(1/delta))/(n epsilon)) (Theorem 3.1.5)",
    function=dp_svrg_plus_plus,
)
