"""Output perturbation of gradient descent: the DP-GD of tables 3.1 and 3.2 (diss-3.1.baselines)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_kind,
    require_magnitude,
)
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.losses import Loss, probed_records, require_loss
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import NoRegularizer, Ridge


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    step_size : float
        eta.
    sensitivity : float
        Of the last iterate, in l2.
    noise_scale : float
        The standard deviation of the noise on every coordinate of it.
    """

    step_size: float
    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(
    loss: Loss,
    *,
    n: int,
    strong_convexity: float,
    epsilon: float,
    delta: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make one release (epsilon, delta)-DP, for every epsilon > 0.

    At eta = 1/(L + mu) a step on a mu-strongly convex, (L + mu)-smooth risk brings two points
    closer by the factor 1 - eta mu, and replacing a record moves it by 2 eta G/n. So after T steps
    D_T = (2G/(n mu))(1 - (1 - eta mu)^T), and 2 G eta T/n if mu = 0.

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    strong_convexity : float
        mu >= 0 of the regulariser.
    epsilon, delta, n_iterations
        As for :func:`output_perturbation`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the release is accounted; the first is exact.
    """
    if strong_convexity != 0:
        require_magnitude("strong_convexity", strong_convexity)
    step_size = 1 / (loss.smoothness + strong_convexity)
    # (1 - (1 - eta mu)^T)/mu without cancellation: 1 - eta mu = 1/(1 + mu/L)
    steps = (
        -math.expm1(-n_iterations * math.log1p(strong_convexity / loss.smoothness))
        / strong_convexity
        if strong_convexity
        else n_iterations * step_size
    )
    sensitivity = 2 * loss.lipschitz / n * steps
    return Constants(
        step_size=step_size,
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, method=method),
    )


@checked_arguments
def output_perturbation(
    data: Any,
    loss: Loss,
    regularizer: Ridge | NoRegularizer,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Run gradient descent on F + r without noise and release its last iterate with noise.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        Convex, G-Lipschitz and L-smooth in l2.
    regularizer : Ridge or NoRegularizer
        r.
    initial : array_like of shape (p,)
        Public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not convex or not Lipschitz in l2, another
        regulariser, a step of more than 2/(L + 2 mu) and parameters out of range, before any
        release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0. It rests on a
    convex loss: on another, steps need not bring points closer.
    *Utility*: with mu > 0 the excess risk is of the order of p log(1/delta)/(n epsilon)^2
    (table 3.1).

    References
    ----------
    Wang (2020), tables 3.1 and 3.2 (l.561, l.583), without pseudo-code; Wu, Li, Kumar, Chaudhuri,
    Jha and Naughton (2017).
    """
    ledger = open_ledger(ledger)
    require_loss(loss, convex=True)
    examples = "a reference.proximal.Ridge or NoRegularizer"
    require_kind("regularizer", regularizer, (Ridge, NoRegularizer), examples)
    x = require_array("initial", initial, ndim=1).copy()
    records = probed_records(loss, data, x)
    strength = regularizer.strength if isinstance(regularizer, Ridge) else 0.0
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=loss.size(records),
        strong_convexity=strength,
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )
    if not chosen.step_size * (loss.smoothness + 2 * strength) <= 2 * (1 + 1e-12):
        raise ParameterValueError(
            "constants.step_size",
            "be at most 2/(L + 2 mu), or steps need not contract",
            chosen.step_size,
        )

    for _ in range(n_iterations):
        x = x - chosen.step_size * (loss.gradient(records, x) + strength * x)
    return ledger.gaussian(x, sensitivity=chosen.sensitivity, scale=chosen.noise_scale)


ENTRY = Entry(
    id="diss-3.1.baselines",
    name="Output perturbation of gradient descent",
    sources=(Source("004", "Tables 3.1 and 3.2", "556-590"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP (of the cited paper; none is printed)",
    utility_claim="excess risk of order p/(n epsilon)^2 for strongly convex risks (table 3.1)",
    function=output_perturbation,
)
