"""Losses f(x; z), mostly of a linear model, f(x; a, y) = phi(<a, x>, y).

In a linear model a record is a feature vector a and a label y; the data are a pair of arrays,
features of shape (n, p) and labels of shape (n,). An algorithm that calibrates its noise by
:attr:`Loss.lipschitz` rests on a bound on the features, to which :meth:`Loss.validate` cuts them
down. One for heavy-tailed data bounds every record's gradient itself and takes any
:class:`RecordLoss`; its losses have ``feature_bound=math.inf``.
"""

from __future__ import annotations

from reference.losses.any_records import RidgeRegularized, SquaredDistance
from reference.losses.generalized_linear import GeneralizedLinear, require_population_loss
from reference.losses.linear_models import (
    Cosine,
    Linear,
    LinearModelLoss,
    Logistic,
    Records,
    Sigmoid,
    SparseRecords,
    TwiceDifferentiable,
)
from reference.losses.protocols import (
    FeatureNorm,
    Loss,
    RecordLoss,
    SecondOrderLoss,
    empirical_risk,
    require_loss,
    require_record_loss,
    require_second_order_loss,
)
from reference.losses.records import n_features, probed_records, valid_records
from reference.losses.residuals import Biweight, Huber, SquaredError

__all__ = [
    "Biweight",
    "Cosine",
    "FeatureNorm",
    "GeneralizedLinear",
    "Huber",
    "Linear",
    "LinearModelLoss",
    "Logistic",
    "Loss",
    "RecordLoss",
    "Records",
    "RidgeRegularized",
    "SecondOrderLoss",
    "Sigmoid",
    "SparseRecords",
    "SquaredDistance",
    "SquaredError",
    "TwiceDifferentiable",
    "empirical_risk",
    "n_features",
    "probed_records",
    "require_loss",
    "require_population_loss",
    "require_record_loss",
    "require_second_order_loss",
    "valid_records",
]
