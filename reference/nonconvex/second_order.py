"""Parts shared by the searches for second-order stationary points. Wang (2020), 4.3."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.losses import SecondOrderLoss, probed_records, require_second_order_loss


@dataclass(frozen=True)
class Found:
    """The result of a search for a second-order stationary point.

    Attributes
    ----------
    output : ndarray of shape (p,), or None
        The point whose released gradient and Hessian passed the test; ``None`` if none did (the
        papers leave that case open).
    path : ndarray of shape (k, p)
        The points visited, as private as the output.
    """

    output: FloatArray | None
    path: FloatArray


def curvature_threshold(loss: SecondOrderLoss, accuracy: float) -> float:
    """Return sqrt(rho alpha): how negative a Hessian's eigenvalues may be at an alpha-SOSP."""
    return math.sqrt(loss.hessian_lipschitz * accuracy)


def stationarity(loss: SecondOrderLoss, data: Any, x: FloatArray) -> float:
    """Return the smallest alpha at which x is an alpha-SOSP of F. Not private.

    (4.55): ||grad F(x)||_2 <= alpha and lambda_min(Hess F(x)) >= -sqrt(rho alpha).

    Parameters
    ----------
    loss : SecondOrderLoss
    data
        As in its ``validate``.
    x : ndarray of shape (p,)
    """
    records = loss.validate(data, x.size)
    lowest = float(np.linalg.eigvalsh(loss.hessian(records, x))[0])
    return max(
        float(np.linalg.norm(loss.gradient(records, x))),
        min(lowest, 0.0) ** 2 / loss.hessian_lipschitz,
    )


def validated(
    data: Any,
    loss: SecondOrderLoss,
    initial: ArrayLike,
    *,
    hessians: bool = True,
    batches: bool = False,
) -> tuple[Any, FloatArray]:
    """Return the records and the starting point, or raise if an argument does not fit.

    ``hessians`` and ``batches`` say what the algorithm reads: the loss is probed for it by
    :func:`reference.losses.probed_records`.
    """
    x = require_array("initial", initial, ndim=1).copy()
    require_second_order_loss(loss, x.size)
    records = probed_records(loss, data, x, hessians=hessians, batches=batches)
    return records, x
