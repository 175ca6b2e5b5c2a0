"""Claims about probabilities and means, with the confidence of what was drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy

from proofs_checks.outcome import Outcome


def rare(
    failures: int,
    trials: int,
    probability: float,
    *,
    confidence: float = 1 - 1e-6,
    what: str,
    witness: Mapping[str, Any] | None = None,
) -> Outcome:
    """Compare a number of failures with the probability that a statement allows.

    Refuted if the lower Clopper-Pearson bound exceeds ``probability``, undecided if only the upper
    one does; otherwise the upper bound is at most ``probability``: were the failure more probable
    than claimed, this would happen with probability at most 1 - ``confidence``.
    """
    if not 0 <= failures <= trials or trials < 1:
        raise ValueError("need 0 <= failures <= trials")
    alpha = 1 - confidence
    others, beta = trials - failures, scipy.stats.beta
    least = float(beta.ppf(alpha, failures, others + 1)) if failures else 0.0
    most = float(beta.isf(alpha, failures + 1, others)) if others else 1.0
    detail = f"{what}: {failures} of {trials}, at most {most:.4g} against {probability:.4g}"
    if most <= probability:
        level: Any = "Monte Carlo with confidence"
        return Outcome(True, level, detail, confidence=confidence)
    if least > probability:
        point = {**(witness or {}), "failures": failures, "trials": trials, "at least": least}
        return Outcome(False, "refuted with witness", detail, point)
    return Outcome(False, "undecided", f"{detail}: too few trials to tell")


def average_at_most(
    samples: np.ndarray[Any, Any],
    bound: float,
    *,
    largest: float,
    confidence: float = 1 - 1e-6,
    what: str,
    witness: Mapping[str, Any] | None = None,
) -> Outcome:
    """Compare the mean of samples in [0, largest] with a bound, by Bernstein's empirical bound.

    Maurer and Pontil (2009), Theorem 4: with probability at least 1 - alpha the true mean is at
    most the empirical one + sqrt(2 V ln(2/alpha)/n) + 7 largest ln(2/alpha)/(3 (n - 1)).
    """
    values = np.asarray(samples, dtype=float)
    n = values.size
    if n < 2 or values.min() < 0 or values.max() > largest:
        raise ValueError("need at least two samples in [0, largest]")
    logarithm = math.log(2 / (1 - confidence))
    width = math.sqrt(2 * float(values.var(ddof=1)) * logarithm / n)
    width += 7 * largest * logarithm / (3 * (n - 1))
    mean = float(values.mean())
    detail = f"{what}: mean {mean:.4g} +- {width:.2g} of {n} samples against {bound:.4g}"
    if mean + width <= bound:
        return Outcome(True, "Monte Carlo with confidence", detail, confidence=confidence)
    if mean - width > bound:
        point = {**(witness or {}), "mean": mean, "width": width}
        return Outcome(False, "refuted with witness", detail, point)
    return Outcome(False, "undecided", f"{detail}: too few samples to tell")
