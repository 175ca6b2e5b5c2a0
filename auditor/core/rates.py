"""The rates of utility theorems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np


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
