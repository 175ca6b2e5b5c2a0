"""DP-GLD: gradient Langevin dynamics as a Gaussian release (diss-4.2.20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, ParameterValueError, require_array, require_kind
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.losses import Loss, probed_records, require_loss
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import Ridge


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the gradient of L-hat, in l2.
    noise_scale : float
        sigma, the standard deviation of the noise on every coordinate of it.
    step_size : float
        eta = 2/(beta sigma^2).
    """

    sensitivity: float
    noise_scale: float
    step_size: float


@checked_arguments
def constants_for(
    loss: Loss,
    *,
    n: int,
    epsilon: float,
    delta: float,
    inverse_temperature: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make T steps (epsilon, delta)-DP, for every epsilon > 0.

    A step w - eta grad + sqrt(2 eta/beta) xi is w - eta (grad + zeta) with zeta of variance
    2/(eta beta): the release of a gradient of sensitivity 2G/n. The noise that the accountant
    certifies fixes eta, so that eta T, the time of the diffusion, is of the order of
    n^2 epsilon^2/(G^2 beta log(1/delta)) whatever T.

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    epsilon, delta, inverse_temperature, n_iterations
        As for :func:`dp_langevin_dynamics`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the T releases are accounted. ``"zcdp"`` gives eta = rho n^2/(G^2 beta T), the paper's
        form with the exact constant.
    """
    sensitivity = 2 * loss.lipschitz / n
    noise_scale = smallest_gaussian_scale(
        epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
    )
    return Constants(sensitivity, noise_scale, 2 / (inverse_temperature * noise_scale**2))


@checked_arguments
def dp_langevin_dynamics(
    data: Any,
    loss: Loss,
    regularizer: Ridge,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    inverse_temperature: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Sample near the Gibbs measure exp(-beta (F + r)) by noisy gradient steps.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2; need not be convex. L-smooth for the utility.
    regularizer : Ridge
        r = (lambda/2) ||w||_2^2.
    initial : array_like of shape (d,)
        w_0, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    inverse_temperature : float
        beta > 0. Theorem 4.2.2 takes beta >= max(4/lambda, d), of order log n.
    n_iterations : int
        T >= 1, so large that the step is stable: eta (L + lambda) <= 1.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (T + 1, d)
        w_0, ..., w_T; the paper returns the last, or one of w_1, ..., w_T at random.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a regulariser that
        is no ridge, a T at which the step is not stable and parameters out of range, before any
        release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly: T
    Gaussian releases of l2 sensitivity 2G/n; all iterates are covered.
    *Utility* (Theorem 4.2.2): for T to infinity, constants of order e^beta; the Gibbs measure
    itself has an excess of at most (d/(2 beta)) log(e (L + lambda)(b beta/d + 1)/m), m = lambda/2,
    b = G^2/(2 lambda), for beta >= 2/m.

    *As printed*: the gradient of step 4 is that of the loss alone (diss-4.2.20/E2); here it is that
    of the regularised loss, as in (4.15) and the proofs.

    References
    ----------
    Wang (2020), Algorithm 4.2.20 (l.3210-3221) with the regulariser's gradient in step 4, which
    (4.15) has, Theorems 4.2.1 and 4.2.2 (l.3225-3243).
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    require_kind("regularizer", regularizer, Ridge, "a reference.proximal.Ridge")
    w = require_array("initial", initial, ndim=1).copy()  # step 1
    records = probed_records(loss, data, w)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        inverse_temperature=inverse_temperature,
        n_iterations=n_iterations,
    )
    stability = chosen.step_size * (loss.smoothness + regularizer.strength)
    if not stability <= 1:
        raise ParameterValueError(
            "n_iterations",
            f"be at least {stability:.3g} times as large for a stable step",
            got=f"{n_iterations}",
        )

    path = [w]
    for _ in range(n_iterations):  # step 3
        gradient = ledger.gaussian(  # step 4
            loss.gradient(records, w), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        w = w - chosen.step_size * (gradient + regularizer.strength * w)
        path.append(w)
    return np.array(path)  # step 7


ENTRY = Entry(
    id="diss-4.2.20",
    name="DP-GLD: private gradient Langevin dynamics",
    sources=(Source("004", "Algorithm 4.2.20", "3210-3221"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_1 T, 0 < delta < 1 with eta = "
    "c n^2 epsilon^2/(L^2 beta T log(1/delta)) (Theorem 4.2.1)",
    utility_claim="excess risk O~(d log(1/delta)/(epsilon^2 log n)) for T to infinity, "
    "beta = O(log n) (Theorem 4.2.2, Remark 4.2.1)",
    function=dp_langevin_dynamics,
)
