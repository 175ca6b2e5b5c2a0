"""DP-GD, noisy gradient descent that releases all its iterates (diss-4.3.25)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.losses import SecondOrderLoss
from reference.nonconvex.second_order import validated
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the gradient of F, in l2.
    noise_scale : float
        sigma, the standard deviation of the noise on every coordinate of it.
    step_size : float
        eta.
    """

    sensitivity: float
    noise_scale: float
    step_size: float


@checked_arguments
def constants_for(
    loss: SecondOrderLoss,
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make T noisy gradients (epsilon, delta)-DP, for every epsilon > 0.

    The gradients of a record differ by 2G at most, so their mean moves by 2G/n. The step size is
    the theorem's 1/M.

    Parameters
    ----------
    loss : SecondOrderLoss
    n : int
        Number of records.
    epsilon, delta, n_iterations
        As for :func:`dp_gradient_descent`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the T releases are accounted.
    """
    sensitivity = 2 * loss.lipschitz / n
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
        step_size=1 / loss.smoothness,
    )


@checked_arguments
def dp_gradient_descent(
    data: Any,
    loss: SecondOrderLoss,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Descend along noisy gradients of F; the noise is also what escapes from saddle points.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : SecondOrderLoss
        G-Lipschitz in l2; need not be convex. M-smooth and rho-Hessian-Lipschitz for the utility.
    initial : array_like of shape (p,)
        w_1, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.3.1 takes T of order M B/alpha^2 up to logarithms, B bounding F.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (T + 1, p)
        w_1, ..., w_{T+1}.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2 or has no Hessian and
        parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly: T
    Gaussian releases of l2 sensitivity 2G/n.
    *Utility* (Theorem 4.3.1): one of the iterates is an alpha-SOSP, for alpha of order
    (p log(1/delta))^{1/4}/sqrt(n epsilon), if the noise is not too small either: a step from a
    saddle escapes in about log(n) more steps.

    References
    ----------
    Wang (2020), Algorithm 4.3.25 (l.3860-3871), Theorem 4.3.1 (l.3879-3885).
    """
    ledger = open_ledger(ledger)
    records, w = validated(data, loss, initial, hessians=False)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )

    path = [w]
    for _ in range(n_iterations):  # step 1
        gradient = ledger.gaussian(  # step 2
            loss.gradient(records, w), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        w = w - chosen.step_size * gradient
        path.append(w)
    return np.array(path)  # step 5


ENTRY = Entry(
    id="diss-4.3.25",
    name="DP-GD: private gradient descent that escapes saddle points",
    sources=(Source("004", "Algorithm 4.3.25", "3860-3871"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_1 T with "
    "sigma^2 = c_2 L^2 T log(1/delta)/(n^2 epsilon^2), some c_1, c_2 (Theorem 4.3.1)",
    utility_claim="some iterate is an alpha-SOSP for "
    "n = O~(sqrt(M B d log(1/delta)) L/(epsilon alpha^2)) (Theorem 4.3.1)",
    function=dp_gradient_descent,
)
