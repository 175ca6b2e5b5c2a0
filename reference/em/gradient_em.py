"""Gradient EM without privacy (base-gem; "EM" in plots).

The baseline of Wang, Ding, Hu, Xie, Pan and Xu (2020) and of Wang (2020).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_magnitude, require_steps
from reference.em.models import LatentModel, require_model


def gradient_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    step_size: float,
    n_iterations: int,
) -> FloatArray:
    """Return beta^T of beta^t = beta^{t-1} + eta nabla Q_n(beta^{t-1}; beta^{t-1}). Not private.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``.
    model : LatentModel
    initial : array_like of shape (d,)
        beta^0.
    step_size : float
        eta > 0; 2/(mu + v) in the theory, 1 for the Gaussian mixture, where it is EM itself.
    n_iterations : int
        T >= 1.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range.

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), l.92-97; Wang (2020), l.9444-9452.
    """
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_magnitude("step_size", step_size)
    for _ in range(require_steps("n_iterations", n_iterations)):
        beta = beta + step_size * model.gradients(records, beta).mean(axis=0)
    return beta
