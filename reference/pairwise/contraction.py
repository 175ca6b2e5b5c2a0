"""Contracting gradient steps, shared by the algorithms on pairs.

A step w - eta grad of an alpha-strongly convex, L-smooth loss, projected on a convex set, brings
two points closer by the factor 1 - eta alpha if eta <= 2/(L + alpha): on this rest the
sensitivities of Pairwise GIGA (Wang (2020), section 3.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_count,
    require_non_negative,
    require_positive,
)
from reference.constants import PositiveConstants
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.pairwise.losses import PairwiseLoss, require_pairwise_loss
from reference.parameters import checked_arguments
from reference.per_record import is_foreign, require_mean_of_pairs


@dataclass(frozen=True)
class StepConstants(PositiveConstants):
    """Constants that theory fixes for the steps.

    Attributes
    ----------
    first_phase : int
        T_1, rounds before the first step.
    step_size : float
        2/alpha; that of step t is this over t.
    """

    first_phase: int
    step_size: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("first_phase", self.first_phase)


@checked_arguments
def step_constants_for(loss: PairwiseLoss, *, n: int) -> StepConstants:
    """Return T_1 = ceil(L/alpha) and 2/alpha: from t = T_1 + 1 on, 2/(alpha t) <= 2/(L + alpha).

    Parameters
    ----------
    loss : PairwiseLoss
        Strongly convex.
    n : int
        Number of records, > T_1.

    Raises
    ------
    ValueError, TypeError
        If the loss is not strongly convex and smooth, or there are T_1 records or fewer.
    """
    alpha = require_strongly_convex(loss)
    first_phase = math.ceil(loss.smoothness / alpha)
    if n <= first_phase:
        raise ParameterValueError("data", f"have more than T_1 = {first_phase} records", got=f"{n}")
    return StepConstants(first_phase, 2 / alpha)


def require_strongly_convex(loss: PairwiseLoss) -> float:
    """Return alpha, or raise unless ``loss`` declares alpha > 0 and a finite L."""
    require_pairwise_loss(loss)
    alpha = loss.strong_convexity
    if not 0 < alpha < math.inf:
        raise ParameterValueError("loss", "be strongly convex", got=f"strong_convexity = {alpha!r}")
    require_non_negative("loss.smoothness", loss.smoothness)
    return alpha


def require_contraction(loss: PairwiseLoss, constants: StepConstants) -> None:
    """Raise ValueError unless eta_t <= 2/(L + alpha) from t = T_1 + 1 on, but for rounding."""
    first = constants.step_size / (constants.first_phase + 1)
    if not first * (loss.smoothness + loss.strong_convexity) <= 2 * (1 + 1e-12):
        raise ParameterValueError(
            "constants",
            "have step_size/(first_phase + 1) <= 2/(L + alpha), or steps need not contract",
            first,
        )


def validated(
    data: Any, loss: PairwiseLoss, constraint: Ball, initial: ArrayLike
) -> tuple[Any, FloatArray]:
    """Return the records and the starting point, or raise if an argument does not fit."""
    require_strongly_convex(loss)
    require_ball(constraint, convex=True, bounded=True)
    bound = require_positive("loss.lipschitz", loss.lipschitz(constraint.largest_norm))
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    if is_foreign(loss):
        require_mean_of_pairs(
            "loss",
            loss.validate,
            lambda *pairs: np.asarray(loss.gradient(*pairs)) / bound,
            data,
            w,
            np.ones_like(w),  # some mistakes cannot be seen at 0, nor far out
        )
    return records, w
