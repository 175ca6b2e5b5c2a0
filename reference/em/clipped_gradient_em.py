"""Clipped DP gradient EM (wang-1 = diss-7.2.55).

The private baseline of Wang, Ding, Hu, Xie, Pan and Xu (2020) and of Wang (2020).
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.basic.sums import rounded_mean
from reference.catalogue import Entry, Source
from reference.clipping import clip_rows
from reference.constants import PositiveConstants, fixed_constants
from reference.em.models import LatentModel, require_model
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the mean of the clipped gradients.
    noise_scale : float
        C sigma, the standard deviation of the noise per coordinate.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(
    *,
    n: int,
    epsilon: float,
    delta: float,
    clipping_threshold: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the smallest noise that makes T releases of l2 sensitivity 2C/n (epsilon, delta)-DP.

    Parameters
    ----------
    n : int
        Number of records.
    epsilon, delta, clipping_threshold, n_iterations
        As for :func:`clipped_gradient_em`.
    method : {"gaussian-dp", "zcdp", "pld"}
        As for :func:`~reference.privacy.calibration.smallest_gaussian_scale`. "zcdp" is
        sigma^2 = 2T/(n^2 rho(epsilon, delta)).
    """
    sensitivity = 2 * clipping_threshold / n
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
    )


@checked_arguments
def clipped_gradient_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    clipping_threshold: float,
    step_size: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a latent-variable model's parameter by gradient EM with clipped gradients.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``.
    model : LatentModel
        Gives the per-record gradients, e.g. :class:`~reference.em.models.GaussianMixture`.
    initial : array_like of shape (d,)
        beta^0, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    clipping_threshold : float
        C > 0, in units of the gradient. The paper tries 0.1, 1, 5, 10 and uses 1.
    step_size : float
        eta > 0.
    n_iterations : int
        T >= 1.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        beta^T.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0, by exact
    composition of T Gaussian releases (no theorem in the papers).

    *As printed*: sigma^2 has a constant c without a value (wang-1/E1); here the accountant sets
    sigma.

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), Algorithm 1 (l.183-195); Wang (2020), Algorithm 7.2.55
    (l.9540-9555).
    """
    ledger = open_ledger(ledger)
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_per_record_gradients("model", model, model.gradients, data, beta, beta + 1)
    threshold = clipping_threshold
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=len(records),
        epsilon=epsilon,
        delta=delta,
        clipping_threshold=threshold,
        n_iterations=n_iterations,
    )

    for _ in range(n_iterations):  # step 1
        gradients = model.gradients(records, beta)  # step 2
        clipped = clip_rows(gradients, threshold)  # step 3
        noisy = ledger.gaussian(
            rounded_mean(clipped, bound=clipping_threshold),
            sensitivity=chosen.sensitivity,
            scale=chosen.noise_scale,
        )
        beta = beta + step_size * noisy  # step 4
    return beta


ENTRY = Entry(
    id="wang-1",
    name="Clipped DP gradient EM",
    sources=(
        Source("000", "Algorithm 1", "183-195"),
        Source("004", "Algorithm 7.2.55", "9540-9555"),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP with sigma^2 = c T log(1/delta)/(n^2 epsilon^2), some c",
    utility_claim="none stated",
    function=clipped_gradient_em,
    aliases=("diss-7.2.55",),
)
