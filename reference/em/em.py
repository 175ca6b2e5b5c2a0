"""Expectation-maximisation without privacy (base-em)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_steps
from reference.em.models import LatentModel, require_model


def expectation_maximisation(
    data: ArrayLike, model: LatentModel, *, initial: ArrayLike, n_iterations: int
) -> FloatArray:
    """Return beta^T of beta^t = argmax_b Q_n(b; beta^{t-1}), an exact M-step. Not private.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``.
    model : LatentModel
    initial : array_like of shape (d,)
        beta^0. 0 is a fixed point of both mixtures.
    n_iterations : int
        T >= 1.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range.

    Notes
    -----
    The likelihood never falls where the model's Q_n is that of its likelihood: not with the
    printed weights (errata model-gmm/E1, model-mrm/E2), nor with the printed second moment of
    missing covariates (erratum model-rmc/E1), whose Q_n may even have no maximum. Where there are
    several maximisers (fewer records than dimensions) it is the one of least norm.

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), l.92-97; Wang (2020), l.9444-9452, and the M-steps of
    l.9760-9792.

    Examples
    --------
    >>> import numpy as np
    >>> from reference.em.models import GaussianMixture
    >>> model = GaussianMixture(0.5)
    >>> data = model.sample(np.array([1.0, 2.0]), 4000, np.random.default_rng(0))
    >>> beta = expectation_maximisation(data, model, initial=[1.0, 1.0], n_iterations=50)
    >>> bool(np.linalg.norm(beta - [1.0, 2.0]) < 0.05)
    True
    """
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    for _ in range(require_steps("n_iterations", n_iterations)):
        beta = model.maximiser(records, beta)
    return beta
