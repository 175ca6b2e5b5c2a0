"""Data as the records of a loss, and the probe of its means on made-up records."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy

from reference._validation import FloatArray, IntArray, ParameterTypeError, real_array
from reference.losses.linear_models import LinearModelLoss
from reference.losses.protocols import Loss
from reference.per_record import is_foreign, require_mean_of_records


def n_features(data: Any) -> int:
    """Return the number of columns of the features of ``(features, labels)``; 1 if there are none.

    Data that are not a pair of arrays are refused by the loss, whatever the dimension.
    """
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        return 1
    features = real_array("features", data[0])
    return features.shape[1] if features.ndim == 2 else 1


def valid_records(loss: Loss, data: Any, dimension: int) -> Any:
    """Return the data as records of a loss, by ``validate_sparse`` if the features are sparse.

    For algorithms that read records through ``size`` and ``gradient`` alone.
    """
    if isinstance(data, (tuple, list)) and len(data) == 2 and scipy.sparse.issparse(data[0]):
        if isinstance(loss, LinearModelLoss):
            return loss.validate_sparse(data, dimension)
        raise ParameterTypeError(
            "features",
            "be an array of real numbers unless the loss is one of a linear model",
            got=f"{type(data[0]).__name__}; give its toarray()",
        )
    return loss.validate(data, dimension)


def probed_records(
    loss: Any,
    data: Any,
    x: FloatArray,
    *,
    hessians: bool = False,
    batches: bool = False,
    sparse: bool = False,
) -> Any:
    """Return the data as records of a loss; probe the means of a user's on made-up ones before.

    A loss is refused if its mean gradient (or Hessian) is not an average of terms of single
    records: see :mod:`reference.per_record` for how far that is tested.

    Parameters
    ----------
    loss : Loss, or SecondOrderLoss for Hessians
    data
        As in its ``validate``.
    x : ndarray of shape (p,)
        Public: the means are probed there and, as some mistakes cannot be seen at 0 nor far out,
        where every coordinate is 1.
    hessians : bool, default False
        Probe mean Hessians too.
    batches : bool, default False
        Probe means over some of the records too, by their indices.
    sparse : bool, default False
        Features may be sparse, as for :func:`valid_records`.
    """
    validate = partial(valid_records, loss) if sparse else loss.validate
    records = validate(data, x.size)
    if not is_foreign(loss):
        return records

    def means(some: Any, at: FloatArray, *indices: IntArray) -> FloatArray:
        gradient: FloatArray = np.ravel(loss.gradient(some, at, *indices)) / loss.lipschitz
        if not hessians:
            return gradient
        hessian = np.ravel(loss.hessian(some, at, *indices)) / loss.hessian_change(x.size)
        return np.concatenate([gradient, hessian])

    require_mean_of_records("loss", validate, means, data, x, np.ones_like(x), batches=batches)
    return records
