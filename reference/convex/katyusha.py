"""DP-Katyusha: accelerated variance-reduced proximal gradient with noise (diss-3.1.2)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, ParameterValueError, require_count, require_magnitude
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.convex.variance_reduction import (
    GradientConstants,
    gradient_constants_for,
    validated,
    variance_reduced_gradient,
    weighted_mean,
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
    momentum : float
        theta in (0, 1/2].
    """

    step_size: float
    momentum: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.momentum > 0.5:
            raise ParameterValueError("momentum", "be at most 1/2", self.momentum)


@checked_arguments
def constants_for(
    loss: Loss,
    *,
    n: int,
    strong_convexity: float,
    epsilon: float,
    delta: float,
    n_epochs: int,
    n_inner: int,
    batch_size: int | None = None,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make K = T m noisy gradients (epsilon, delta)-DP, any epsilon > 0.

    theta = min(sqrt(m mu/(3L)), 1/2) and eta = 1/(3 L theta) are those of both cases of the
    theorem: sqrt(m mu/(3L)) and 1/sqrt(3 mu m L) where n <= kappa, 1/2 and 2/(3L) elsewhere. Both
    satisfy (3.29), L theta + L theta/(1 - theta) <= 1/eta, because theta <= 1/2.

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    strong_convexity, epsilon, delta, n_epochs, n_inner
        As for :func:`dp_katyusha`.
    batch_size, method
        As for :func:`reference.convex.variance_reduction.gradient_constants_for`.
    """
    require_magnitude("strong_convexity", strong_convexity)
    gradient = gradient_constants_for(
        loss,
        n=n,
        epsilon=epsilon,
        delta=delta,
        releases=n_epochs * n_inner,
        batch_size=batch_size,
        method=method,
    )
    momentum = min(math.sqrt(n_inner * strong_convexity / (3 * loss.smoothness)), 0.5)
    step_size = 1 / (3 * loss.smoothness * momentum)
    return Constants(**asdict(gradient), step_size=step_size, momentum=momentum)


@checked_arguments
def dp_katyusha(
    data: Any,
    loss: Loss,
    regularizer: Regularizer,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    strong_convexity: float,
    n_epochs: int,
    n_inner: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise F(x) + r(x) privately with accelerated variance-reduced gradients.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2. Convex and L-smooth for the utility; the guarantee needs neither.
    regularizer : Regularizer
        r, public; mu-strongly convex for the utility, e.g. ``Ridge(mu)``.
    initial : array_like of shape (p,)
        x_0, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    strong_convexity : float
        mu > 0 of r; a wrong value costs accuracy, not privacy.
    n_epochs, n_inner : int
        T and m, >= 1. Theorem 3.1.3 takes m = 3n/4 if n <= kappa = L/mu, with T of order
        sqrt(kappa/n) log(n epsilon), and m = 3 kappa/4 rounded up else, with T of order
        log(n epsilon).
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
    *Utility* (Theorem 3.1.3, given sigma, n >= kappa): the excess risk is at most
    (2/3)^T (gap_0 + 3L ||x_0 - x_*||^2/(4 sum w^t)) + p sigma^2/L.

    *As printed*: v_t in step 7 has no noise (diss-3.1.2/E1); here it has, as in the proof.

    References
    ----------
    Wang (2020), Algorithm 3.1.2 (l.684-705) with the noise of its proof in step 7, Theorem 3.1.3
    (l.709-715).
    """
    ledger = open_ledger(ledger)
    records, x = validated(data, loss, regularizer, initial, n_epochs=n_epochs, n_inner=n_inner)
    require_magnitude("strong_convexity", strong_convexity)
    n = loss.size(records)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=n,
        strong_convexity=strong_convexity,
        epsilon=epsilon,
        delta=delta,
        n_epochs=n_epochs,
        n_inner=n_inner,
    )
    require_count("batch_size", chosen.batch_size, at_most=n)
    theta, eta = chosen.momentum, chosen.step_size

    snapshot = x  # step 1
    for _ in range(n_epochs):  # step 2
        full = loss.gradient(records, snapshot)  # step 3
        inner = []
        for _ in range(n_inner):  # step 4
            y = theta * x + (1 - theta) * snapshot  # step 6
            v = variance_reduced_gradient(  # steps 5, 7
                ledger, loss, records, y, snapshot, full, chosen
            )
            x = proximal_step(x, v, step_size=eta, regularizer=regularizer)  # step 8
            inner.append(x)
        mean = weighted_mean(inner, 1 + eta * strong_convexity)
        snapshot = theta * mean + (1 - theta) * snapshot  # step 10
    return snapshot  # step 12


ENTRY = Entry(
    id="diss-3.1.2",
    name="DP-Katyusha: private accelerated variance-reduced gradient",
    sources=(Source("004", "Algorithm 3.1.2", "684-705"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP with sigma as in Theorem 3.1.1 (Theorem 3.1.3)",
    utility_claim="E gap = O~(p log^2(n) G^2 log(1/delta)/(n^2 epsilon^2 mu)) (Theorem 3.1.3)",
    function=dp_katyusha,
)
