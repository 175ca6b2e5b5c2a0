"""Perturbed abilities, starting points and the mean of answers, which section 7.1 shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.vocabulary import for_all, reals
from reference._validation import FloatArray, IntArray


def perturbed_chance(ability: Any, odds: Any, minus: int = 1) -> Any:
    """Return the chance of a right answer after randomized response, odds = e^epsilon."""
    return (odds - minus) / (odds + 1) * ability + 1 / (odds + 1)


def starting_labels(truth: IntArray, share: float) -> FloatArray:
    """Return labels of which the first ``share`` are wrong."""
    start = truth.astype(np.float64)
    wrong = int(truth.size * share)
    start[:wrong] = 1 - start[:wrong]
    return start


def mean_identity(sign: int = 2) -> Outcome:
    """With e = |y - y*|: (1-X)(1-y) + X y = T + e (1 - 2T), so |p_bar - p| <= |avg(T - p)| + avg e.

    Every case of the bits y* and T, for all e in [0, 1], and |e (1 - 2T)| <= e.
    """
    truth, t, e = reals("truth t e")
    answer = truth * t + (1 - truth) * (1 - t)
    label = truth * (1 - e) + (1 - truth) * e
    return for_all(
        z3.And(
            (1 - answer) * (1 - label) + answer * label == t + e * (1 - sign * t),
            z3.Abs(e * (1 - sign * t)) <= e,
        ),
        *(truth * (1 - truth) == 0, t * (1 - t) == 0, e >= 0, e <= 1),
    )
