"""The rates of utility theorems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from reference.privacy.calibration import smallest_gaussian_scale

Functional = Literal["mean", "median"]
"""The functional of an error whose rate is claimed."""


def rate_slope(values: Sequence[float], rate: Callable[[float], float]) -> float:
    """Return the slope of log rate on log value: what a rate with logarithms allows.

    Parameters
    ----------
    values : sequence of float
        > 0, as in :class:`~auditor.core.case.Scaling`.
    rate : callable
        The theorem's rate at a value, > 0.

    Returns
    -------
    float
    """
    return float(np.polyfit(np.log(values), [math.log(rate(value)) for value in values], 1)[0])


def noise_slope(epsilons: Sequence[float], delta: float, power: float) -> float:
    """Return the slope in epsilon of sigma^power, where the papers have epsilon^-power.

    sigma is the smallest that is (epsilon, delta)-DP; it falls a little more slowly than 1/epsilon.

    Parameters
    ----------
    epsilons : sequence of float
        > 0.
    delta : float
        In (0, 1).
    power : float
    """
    return rate_slope(
        epsilons, lambda epsilon: smallest_gaussian_scale(epsilon, delta, sensitivity=1.0) ** power
    )
