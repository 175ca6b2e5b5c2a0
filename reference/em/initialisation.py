"""Starting points of EM: the theory's and the experiments'. Neither is private.

The papers never say how a start near the truth could be found, privately or not; a start that is
computed from the data needs a budget of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_count, require_positive
from reference.em.models import LatentModel


def start_near(model: LatentModel, beta: ArrayLike, rng: np.random.Generator) -> FloatArray:
    """Return a start at the largest distance from the truth that the theory allows, R/2.

    An oracle: it knows ``beta``. The direction is uniform over the support of ``beta``, so that a
    sparse parameter has a sparse start.

    Parameters
    ----------
    model : LatentModel
        Gives R = ``model.basin`` ||beta||_2: starts at distance 1/8 of ||beta||_2 for the Gaussian
        mixture and missing covariates, 1/64 for the mixture of regressions.
    beta : array_like of shape (d,)
        The truth beta*, not 0.
    rng : Generator

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        If ``beta`` is 0, not finite or misshaped.

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), Theorem 5 (l.277-285), Lemmas 3, 5 and 7; Zhang and
    Zhang (2021), Theorem 3.8 (l.196-209).
    """
    truth = require_array("beta", beta, ndim=1)
    size = require_positive("the norm of beta", float(np.linalg.norm(truth)))
    away = np.where(truth != 0, random_direction(truth.size, rng), 0.0)
    start: FloatArray = truth + model.basin * size / 2 * away / np.linalg.norm(away)
    return start


def random_direction(dimension: int, rng: np.random.Generator) -> FloatArray:
    """Return a uniformly random unit vector: the random start of the experiments, times a norm.

    Parameters
    ----------
    dimension : int
        d >= 1.
    rng : Generator

    Returns
    -------
    ndarray of shape (d,)

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), Section 6 (l.400), which does not say how its random
    starts are drawn.
    """
    vector = rng.standard_normal(require_count("dimension", dimension))
    direction: FloatArray = vector / np.linalg.norm(vector)
    return direction
