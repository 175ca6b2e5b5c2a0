"""Textbook ways to certify epsilon from samples, as many a project writes them for itself.

Each takes the outputs of equally many independent runs on D and on D' and returns a lower bound of
epsilon at ``delta`` that is wrong with probability at most ``alpha``: either an event is chosen on
other runs than those that certify it, or all events are paid for.

With P and Q the probabilities of an event on the two sides, (epsilon, delta)-DP demands
P <= e^epsilon Q + delta for the event and its complement, and both ways round (Kairouz, Oh,
Viswanath, "The composition theorem for differential privacy", 2015).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from auditor.runs.blocks import Outputs
from auditor.statistics.proportions import clopper_pearson
from reference._validation import FloatArray

CELLS = 20
PILOT = 0.1
"""Share of the runs that fixes cells and thresholds; the others certify."""
CANDIDATES = 200

Method = Callable[[Outputs, Outputs, float, float], float]


class Unsupported(ValueError):
    """A method cannot treat outputs of this kind."""


def shown(p: FloatArray, q: FloatArray, delta: float) -> FloatArray:
    """Return the epsilon shown by P(event) >= p and Q(event) <= q, for every event.

    The event shows log((p - delta)/q), its complement log((1 - q - delta)/(1 - p)).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        event = np.log(np.maximum(p - delta, 0)) - np.log(q)
        complement = np.log(np.maximum(1 - q - delta, 0)) - np.log(1 - p)
    return np.asarray(np.fmax(np.fmax(event, complement), 0.0))


def counted(
    first: ArrayLike, second: ArrayLike, runs: int, delta: float, alpha: float
) -> FloatArray:
    """Return the bound of an event, fixed in advance to be likelier on the first side.

    One Clopper-Pearson bound on either side, each at alpha/2.
    """
    p, _ = clopper_pearson(first, runs, alpha / 2)
    _, q = clopper_pearson(second, runs, alpha / 2)
    return shown(p, q, delta)


# ---------------------------------------------------------------------------- kinds of outputs


def numbers(outputs: Outputs) -> FloatArray:
    """Return outputs that are one number each."""
    if isinstance(outputs, np.ndarray) and outputs.ndim == 1 and outputs.dtype.kind in "biuf":
        values = outputs.astype(np.float64)
        if np.isfinite(values).all():
            return values
    raise Unsupported("one finite number per output only")


def key(output: Any) -> Hashable:
    """Return what tells outcomes apart, arrays and NaN included."""
    return output if isinstance(output, str) else repr(output)


@dataclass(frozen=True)
class Scores:
    """One number per output, higher where the first side is the likelier.

    Attributes
    ----------
    first, second : ndarray
    held : int
        The first so many of either side were used to learn the score.
    """

    first: FloatArray
    second: FloatArray
    held: int


def attack(first: Outputs, second: Outputs) -> Scores:
    """Train a classifier on the first half of the runs and let it score all.

    Numbers and vectors: logistic regression on standardised coordinates. Anything else: the
    log-ratio of how often the outcome was seen on the two sides.
    """
    half = len(first) // 2
    if isinstance(first, np.ndarray) and first.dtype.kind in "biuf":
        one, two = (np.asarray(o, dtype=np.float64).reshape(len(o), -1) for o in (first, second))
        if not (np.isfinite(one).all() and np.isfinite(two).all()):
            raise Unsupported("finite outputs only")
        model = make_pipeline(StandardScaler(), LogisticRegression())
        model.fit(np.concatenate([one[:half], two[:half]]), np.repeat([1, 0], half))
        return Scores(model.decision_function(one), model.decision_function(two), half)
    keys = [[key(output) for output in outputs] for outputs in (first, second)]
    seen = [Counter(side[:half]) for side in keys]
    ratio = {k: math.log((seen[0][k] + 0.5) / (seen[1][k] + 0.5)) for k in seen[0] | seen[1]}
    one, two = (np.array([ratio.get(k, 0.0) for k in side]) for side in keys)
    return Scores(one, two, half)


def simple_scores(first: Outputs, second: Outputs) -> Scores:
    """Return outputs that are numbers as their own scores, and what :func:`attack` makes of others.

    Numbers are turned round if they are smaller on the first side, by the medians of a pilot.
    """
    try:
        one, two = numbers(first), numbers(second)
    except Unsupported:
        return attack(first, second)
    pilot = pilot_runs(len(one))
    sign = 1.0 if np.median(one[:pilot]) >= np.median(two[:pilot]) else -1.0
    return Scores(sign * one, sign * two, 0)


def pilot_runs(runs: int) -> int:
    """Return how many runs are the pilot."""
    return max(1, int(PILOT * runs))


# ------------------------------------------------------------------------------------ the methods


def fixed_threshold(first: Outputs, second: Outputs, delta: float, alpha: float) -> float:
    """Clopper-Pearson at one threshold: midway between the medians of a pilot."""
    one, two = numbers(first), numbers(second)
    pilot = pilot_runs(len(one))
    centres = float(np.median(one[:pilot])), float(np.median(two[:pilot]))
    threshold = sum(centres) / 2
    sides = [side[pilot:] > threshold for side in (one, two)]
    if centres[0] < centres[1]:
        sides = [~side for side in sides]
    return float(counted(sides[0].sum(), sides[1].sum(), len(sides[0]), delta, alpha))


def all_thresholds(first: Outputs, second: Outputs, delta: float, alpha: float) -> float:
    """Every threshold at once, within bands around both distribution functions.

    Dvoretzky, Kiefer, Wolfowitz with Massart's constant: either band, on both sides of its
    distribution function, is wrong with probability at most alpha/2.
    """
    one, two = np.sort(numbers(first)), np.sort(numbers(second))
    radius = math.sqrt(math.log(4 / alpha) / (2 * len(one)))
    thresholds = np.concatenate([one, two])
    p, q = (np.searchsorted(side, thresholds, side="right") / len(side) for side in (one, two))
    likelier = [(p, q), (q, p)]  # of "output <= threshold" and of its complement
    return max(
        float(shown(np.maximum(a - radius, 0), np.minimum(b + radius, 1), delta).max())
        for a, b in likelier
    )


def cell_counts(first: Outputs, second: Outputs) -> tuple[FloatArray, FloatArray, int]:
    """Return counts in cells that a pilot fixed, and how many runs were counted.

    Numbers: cells of equal width over the pilot's central 98%, and what is beyond. Anything else
    but vectors: one cell for each of the pilot's commonest outcomes, and one for the rest.
    """
    pilot = pilot_runs(len(first))
    if isinstance(first, np.ndarray) and first.ndim > 1:
        raise Unsupported("no histogram of vectors")
    try:
        one, two = numbers(first), numbers(second)
    except Unsupported:
        return *_outcome_counts(first, second, pilot), len(first) - pilot
    low, high = np.quantile(np.concatenate([one[:pilot], two[:pilot]]), [0.01, 0.99])
    edges = np.concatenate([[-np.inf], np.linspace(low, high, CELLS - 1), [np.inf]])
    p, q = (np.histogram(side[pilot:], edges)[0] for side in (one, two))
    return p, q, len(one) - pilot


def _outcome_counts(first: Outputs, second: Outputs, pilot: int) -> tuple[FloatArray, FloatArray]:
    keys = [[key(output) for output in outputs] for outputs in (first, second)]
    common = [k for k, _ in Counter(keys[0][:pilot] + keys[1][:pilot]).most_common(CELLS - 1)]
    seen = [Counter(side[pilot:]) for side in keys]
    counts = np.array([[c[k] for k in common] for c in seen], dtype=np.float64)
    rest = len(first) - pilot - counts.sum(axis=1)
    return np.append(counts[0], rest[0]), np.append(counts[1], rest[1])


def hoeffding_histogram(first: Outputs, second: Outputs, delta: float, alpha: float) -> float:
    """Cells of a histogram, each probability within Hoeffding's radius, all cells paid for."""
    p, q, runs = cell_counts(first, second)
    radius = math.sqrt(math.log(4 * len(p) / alpha) / (2 * runs))
    likelier = [(p / runs, q / runs), (q / runs, p / runs)]
    return max(
        float(shown(np.maximum(a - radius, 0), np.minimum(b + radius, 1), delta).max())
        for a, b in likelier
    )


def clopper_pearson_histogram(first: Outputs, second: Outputs, delta: float, alpha: float) -> float:
    """Cells of a histogram, Clopper-Pearson bounds with Bonferroni over cells and directions."""
    p, q, runs = cell_counts(first, second)
    share = alpha / (4 * len(p))
    (p_low, p_high), (q_low, q_high) = (clopper_pearson(k, runs, share) for k in (p, q))
    return max(
        float(shown(low, high, delta).max()) for low, high in [(p_low, q_high), (q_low, p_high)]
    )


def classifier(first: Outputs, second: Outputs, delta: float, alpha: float) -> float:
    """Membership inference: guess by a classifier, count its hits on the other half of the runs."""
    scores = attack(first, second)
    one, two = (side[scores.held :] > 0 for side in (scores.first, scores.second))
    return float(counted(one.sum(), two.sum(), len(one), delta, alpha))


def best_threshold(first: Outputs, second: Outputs, delta: float, alpha: float) -> float:
    """True and false positives at the threshold that was best on the first half of the runs.

    Of the number itself or of the classifier's score; the bound as for all events of this page.
    """
    scores = simple_scores(first, second)
    half = scores.held or len(scores.first) // 2
    one, two = np.sort(scores.first[:half]), np.sort(scores.second[:half])
    levels = np.linspace(0, 1, CANDIDATES + 2)[1:-1]
    candidates = np.unique(np.quantile(np.concatenate([one, two]), levels))
    above, wrongly = (half - np.searchsorted(side, candidates, side="right") for side in (one, two))
    threshold = candidates[int(np.argmax(counted(above, wrongly, half, delta, alpha)))]
    one, two = (side[half:] > threshold for side in (scores.first, scores.second))
    return float(counted(one.sum(), two.sum(), len(one), delta, alpha))


METHODS: dict[str, Method] = {
    "histogram, Hoeffding": hoeffding_histogram,
    "histogram, Clopper-Pearson": clopper_pearson_histogram,
    "fixed threshold, Clopper-Pearson": fixed_threshold,
    "all thresholds, DKW": all_thresholds,
    "best threshold on one half": best_threshold,
    "classifier": classifier,
}
