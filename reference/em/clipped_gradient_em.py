"""Clipped DP gradient EM: the private baseline of seeds 000 and 004 (wang-1 = diss-7.2.55)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_delta,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.clipping import clip_rows
from reference.em.models import LatentModel
from reference.privacy.guarantees import Model, Relation, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger


def noise_multiplier(
    epsilon: float, delta: float, *, n: int, n_iterations: int, constant: float | None = None
) -> float:
    """Return sigma, the noise per coordinate in units of the clipping threshold C.

    The default is the smallest sigma that zCDP certifies: T releases of l2 sensitivity 2C/n and
    scale C sigma cost 2T/(n^2 sigma^2), so sigma^2 = 2T/(n^2 rho(epsilon, delta)). With a
    ``constant`` c it is the printed sigma^2 = c T log(1/delta)/(n^2 epsilon^2).
    """
    if constant is None:
        return math.sqrt(2 * n_iterations / zcdp_rho(epsilon, delta)) / n
    return math.sqrt(constant * n_iterations * math.log(1 / delta)) / (n * epsilon)


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
    constant: float | None = None,
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
        C > 0, in units of the gradient. The seed tries 0.1, 1, 5, 10 and uses 1.
    step_size : float
        eta > 0.
    n_iterations : int
        T >= 1.
    constant : float, optional
        The seed's unnamed constant c in sigma^2 = c T log(1/delta)/(n^2 epsilon^2). By default
        sigma is calibrated by zCDP instead, which is valid for every epsilon.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 (no theorem in
    the seed; see :func:`noise_multiplier` for the derivation). *Errata*: with the printed form,
    c = 1 or 2 is not (epsilon, delta)-DP; c = 8(1 + epsilon/log(1/delta)) always is.

    References
    ----------
    Seed 000, Algorithm 1 (l.183-195); seed 004, Algorithm 7.2.55 (l.9540-9555).
    """
    ledger = open_ledger(ledger)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    threshold = require_positive("clipping_threshold", clipping_threshold)
    require_positive("step_size", step_size)
    require_count("n_iterations", n_iterations)
    if constant is not None:
        require_positive("constant", constant)

    n = len(records)
    sigma = noise_multiplier(epsilon, delta, n=n, n_iterations=n_iterations, constant=constant)
    for _ in range(n_iterations):  # step 2
        gradients = clip_rows(model.gradients(records, beta), threshold)  # steps 3, 4
        noisy = ledger.gaussian(
            gradients.mean(axis=0), sensitivity=2 * threshold / n, scale=threshold * sigma
        )
        beta = beta + step_size * noisy  # step 5
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
