"""pystatdp: p-values of "the mechanism is epsilon-DP", inverted by bisection.

The mechanism that it runs hands out the recorded runs one by one. As in its defaults, one run in
six chooses the event.
"""

from __future__ import annotations

import logging

import numpy as np
from protocol import Request, serve
from pystatdp import pystatdp

RECORDED = [iter(()), iter(())]
LARGEST, TOLERANCE = 10.0, 0.01


def replay(queries, epsilon):
    """Return the next recorded output of the side that ``queries`` names."""
    return next(RECORDED[int(queries[0])])


def outcomes(first, second):
    """Return few outcomes as whole numbers, which the package can tell apart; many as they are."""
    values, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    if values.size > 0.002 * len(first) / 6:
        return first, second
    return codes[: len(first)], codes[len(first) :]


def p_value(request: Request, epsilon: float) -> float:
    """Return the package's p-value of epsilon-DP."""
    first, second = outcomes(*request.certifying)
    RECORDED[:] = [iter(first), iter(second)]
    runs = len(first) - 2  # twice it runs the mechanism once more, to see what it returns
    choosing = runs // 6
    found = pystatdp().detect_counterexample(
        replay,
        epsilon,
        {"epsilon": epsilon},
        databases=(np.array([0]), np.array([1])),
        event_iterations=choosing,
        detect_iterations=runs - choosing,
        cores=1,
        quiet=True,
        loglevel=logging.ERROR,
    )
    return found[0][1]


def largest_rejected(request: Request) -> float:
    """Return the largest epsilon, to within TOLERANCE, that is rejected."""
    if request.delta > 0:
        raise ValueError("pure differential privacy only")
    low, high = 0.0, LARGEST
    while high - low > TOLERANCE:
        middle = (low + high) / 2
        if p_value(request, middle) <= request.alpha:
            low = middle
        else:
            high = middle
    return low


rng = np.random.default_rng(0)
p_value(Request(rng.random(600), rng.random(600), 0, 0.0, 0.05, 0), 0.5)  # compiles
serve({"hypothesis test": largest_rejected})
