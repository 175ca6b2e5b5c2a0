"""Cases of the pairwise algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.conformance.instance import Instance, Twin
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball, PositiveSemidefiniteBall
from reference.losses import Records
from reference.pairwise import finite_buffer, offline
from reference.pairwise.losses import AUC, MetricLearning, Midpoint, Regularized

LOSSES = "reference.pairwise.losses"
FEW = np.array([[1.0, 0.0], [0.0, 3.0], [-1.0, 1.0], [2.0, 2.0]])
"""Four records, of which two and four are longer than the bound 2 of ``MIDPOINT``."""
MIDPOINT = Midpoint(feature_bound=2.0)
METRIC = PositiveSemidefiniteBall(0.75)

LONG = Twin(
    "records are not cut to the bound",
    "bound",
    'clip_rows(\n            require_array("data", data, ndim=2, shape=(None, dimension)), '
    "self.feature_bound\n        )",
    'require_array("data", data, ndim=2, shape=(None, dimension))',
    LOSSES,
)
LONG_FEATURES = Twin(
    "features are not cut to the bound",
    "bound",
    "return clip_rows(features, feature_bound), labels",
    "return features, labels",
    LOSSES,
)
SAME_SIGN = Twin(
    "the gradient of the area under the curve has the other sign",
    "sign",
    "mean: FloatArray = -expit(",
    "mean: FloatArray = expit(",
    LOSSES,
)
EQUAL_LABELS = Twin(
    "pairs of equal labels count as pairs of different ones",
    "branch",
    "(labels[index] - labels[others])[:, None]",
    "(2 * labels[index] + 0 * labels[others])[:, None]",
    LOSSES,
)
DIFFERENT_LABELS = Twin(
    "pairs of different labels count as pairs of equal ones",
    "sign",
    "labels[index] * labels[others]",
    "labels[index] ** 2 * labels[others] ** 2",
    LOSSES,
)
ONE_SIDED = Twin(
    "the difference stands on one side of the metric only, as printed",
    "formula",
    "((differences @ w.reshape(width, width)) * differences)",
    "((differences @ w.reshape(width, width)) * features[index])",
    LOSSES,
)
NOT_CENTRED = Twin(
    "the regulariser is centred at 0",
    "formula",
    "own + self.strength * (w - self.centre)",
    "own + self.strength * w",
    LOSSES,
)
UNCLIPPED_SPECTRUM = Twin(
    "negative eigenvalues stay",
    "bound",
    "np.maximum(values, 0.0)",
    "values",
    "reference.constraint_sets",
)

STEP = "w = constraint.project(w - chosen.step_size / t * gradient)"
STEP_NOT_PROJECTED = Twin(
    "steps are not projected", "bound", STEP, "w = w - chosen.step_size / t * gradient"
)
LONGER_STEPS = Twin(
    "step t divides by t - 1", "index", STEP, STEP.replace("size / t", "size / (t - 1)")
)
UPHILL = Twin("steps go uphill", "sign", STEP, STEP.replace("w -", "w +"))
OUTPUT_NOT_PROJECTED = Twin(
    "outputs are not projected",
    "formula",
    "outputs[t - 1] = constraint.project(noisy)",
    "outputs[t - 1] = noisy",
)
NOISY_PATH = Twin(
    "the path goes on from the noisy output",
    "draws",
    "outputs[t - 1] = constraint.project(noisy)",
    "w = outputs[t - 1] = constraint.project(noisy)",
)
LATE_OUTPUT = Twin(
    "the output of round t stands at t + 1",
    "index",
    "outputs[t - 1] = constraint.project(noisy)",
    "outputs[min(t, n - 1)] = constraint.project(noisy)",
)
PAIRED_WITH_ITSELF = Twin(
    "the record is paired with itself as well", "index", "np.arange(t - 1)", "np.arange(t)"
)
NOT_THE_FIRST = Twin(
    "the first record is in no pair", "index", "np.arange(t - 1)", "np.arange(min(1, t - 2), t - 1)"
)


def _vectors(n: int, dimension: int, seed: int) -> FloatArray:
    """Return records, some of them longer than 1."""
    rng = np.random.default_rng(seed)
    records: FloatArray = np.round(0.4 + 0.6 * rng.standard_normal((n, dimension)), 3)
    return records


def _labelled(n: int, dimension: int, seed: int) -> Records:
    """Return features, some of them longer than 1, and labels -1 and 1 that depend on them."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_normal((n, dimension)) / np.sqrt(dimension), 3)
    scores = features @ np.arange(1.0, dimension + 1) + rng.standard_normal(n)
    return features, np.where(scores < 0, -1.0, 1.0)


def breast_cancer() -> Records:
    """Return 40 records of scikit-learn's breast cancer data: four features, standardised."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:400:10, [0, 1, 4, 7]]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0) / 2
    return np.round(standard, 6), np.where(labels[:400:10] == 1, 1.0, -1.0)


PRIVATE: dict[str, Any] = {"epsilon": 8.0, "delta": 1e-3}
BY_HAND: dict[str, Any] = {
    "loss": MIDPOINT,
    "constraint": L2Ball(1.0),
    "initial": np.array([0.0, -0.5]),
    **PRIVATE,
}
METRIC_ARGUMENTS: dict[str, Any] = {
    "constraint": METRIC,
    "initial": np.array([0.5, 0.125, 0.125, 0.25]),
    **PRIVATE,
}


def diss_3_3_9() -> tuple[Instance, ...]:
    """Online learning from all pairs, strongly convex."""
    return (
        Instance(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the first output is "
            "public, and the path goes on without noise.",
            {
                "data": FEW,
                **BY_HAND,
                "constants": finite_buffer.Constants(
                    first_phase=1, step_size=2.0, pair_sensitivity=6.0, noise_multiplier=0.25
                ),
            },
            twins=(
                LONG,
                LONGER_STEPS,
                UPHILL,
                PAIRED_WITH_ITSELF,
                NOT_THE_FIRST,
                NOISY_PATH,
                LATE_OUTPUT,
                OUTPUT_NOT_PROJECTED,
                Twin(
                    "the noise does not fall with t",
                    "noise",
                    "pair_sensitivity / t",
                    "pair_sensitivity",
                ),
            ),
        ),
        Instance(
            "middle",
            "A first phase of several rounds; losses of the area under the curve, regularised.",
            {
                "data": _labelled(20, 3, 1),
                "loss": Regularized(AUC(feature_bound=0.6), 0.25, np.array([0.25, 0.0, -0.25])),
                "constraint": L2Ball(0.5),
                "initial": np.array([0.25, -0.25, 0.125]),
                **PRIVATE,
            },
            twins=(
                LONG_FEATURES,
                SAME_SIGN,
                EQUAL_LABELS,
                NOT_CENTRED,
                STEP_NOT_PROJECTED,
                NOISY_PATH,
                PAIRED_WITH_ITSELF,
                Twin(
                    "steps begin a round too early",
                    "index",
                    "range(chosen.first_phase + 1, n + 1)",
                    "range(chosen.first_phase, n + 1)",
                ),
            ),
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices: projections cut eigenvalues.",
            {
                "data": _labelled(14, 2, 2),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
            },
            twins=(
                LONG_FEATURES,
                DIFFERENT_LABELS,
                ONE_SIDED,
                UNCLIPPED_SPECTRUM,
                OUTPUT_NOT_PROJECTED,
            ),
        ),
    )


def regularised_twins() -> tuple[Twin, ...]:
    """Return what goes wrong on the way from a convex loss to a strongly convex one."""
    made = "Regularized(loss, strength, centre)"
    return (
        Twin("the regulariser is twice as strong", "formula", made, made.replace("h,", "h * 2,")),
        Twin(
            "the regulariser is centred at 0", "formula", made, made.replace("centre", "0*centre")
        ),
    )


def convex_instances(
    by_hand: dict[str, Any], options: dict[str, Any], twins: tuple[Twin, ...]
) -> tuple[Instance, ...]:
    """Return what the algorithms for convex losses have in common.

    Parameters
    ----------
    by_hand : dict
        The constants of the case by hand, and arguments of the algorithm's own.
    options : dict
        Arguments of the algorithm's own in the other cases.
    twins : tuple of Twin
        Of the algorithm that runs on the regularised loss.
    """
    return (
        Instance(
            "by-hand",
            "Three steps on four records, regularised around a point that is not 0.",
            {"data": FEW, **BY_HAND, "strength": 1.0, **by_hand},
            twins=(LONG, *regularised_twins(), *twins),
        ),
        Instance(
            "middle",
            "The area under the curve, regularised; the set is left by some of the steps.",
            {
                "data": _labelled(18, 3, 3),
                "loss": AUC(feature_bound=0.8),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.25, -0.5, 0.25]),
                **PRIVATE,
                "strength": 0.5,
                **options,
            },
            seed=2,
            twins=(LONG_FEATURES, SAME_SIGN, EQUAL_LABELS, *regularised_twins(), *twins),
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices, regularised.",
            {
                "data": _labelled(12, 2, 4),
                "loss": MetricLearning(feature_bound=0.75),
                **METRIC_ARGUMENTS,
                "strength": 0.5,
                **options,
            },
            seed=3,
            twins=(LONG_FEATURES, DIFFERENT_LABELS, ONE_SIDED, *regularised_twins(), *twins),
        ),
    )


def _in(module: str, *twins: Twin) -> tuple[Twin, ...]:
    """Return twins of a module that is not the algorithm's own."""
    return tuple(
        Twin(t.name, t.flag, t.before, t.after, f"reference.pairwise.{module}") for t in twins
    )


def diss_3_3_10() -> tuple[Instance, ...]:
    """Online learning from all pairs, convex."""
    constants = finite_buffer.Constants(
        first_phase=1, step_size=1.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    return convex_instances(
        {"constants": constants}, {}, _in("online", NOISY_PATH, PAIRED_WITH_ITSELF)
    )


KEPT_EARLY = Twin(
    "a record is kept before its own step",
    "index",
    "for t in range(1, n + 1):\n",
    "for t in range(1, n + 1):\n        if slots[t - 1] >= 0:\n"
    "            buffer[slots[t - 1]] = t - 1\n",
)
NEVER_REPLACED = Twin(
    "a full buffer stays as it is",
    "branch",
    "if slots[t - 1] >= 0:",
    "if slots[t - 1] >= 0 and t <= size:",
)
WITH_ALL = Twin(
    "records are paired with all earlier ones",
    "batch",
    "buffer[: min(size, t - 1)]",
    "np.arange(t - 1)",
)
NO_GROWTH = Twin(
    "the sensitivity is that of a buffer of all records",
    "noise",
    "self.pair_sensitivity / t * (1 + growth)",
    "self.pair_sensitivity / t",
)


def diss_3_3_12() -> tuple[Instance, ...]:
    """Online learning with a buffer, strongly convex."""
    return (
        Instance(
            "by-hand",
            "Three steps on four records with a buffer of one; the fourth record's sensitivity is "
            "larger because the buffer has forgotten.",
            {
                "data": FEW,
                **BY_HAND,
                "buffer_size": 1,
                "constants": finite_buffer.Constants(
                    first_phase=1, step_size=2.0, pair_sensitivity=6.0, noise_multiplier=0.25
                ),
            },
            twins=(
                LONG,
                LONGER_STEPS,
                UPHILL,
                NOISY_PATH,
                OUTPUT_NOT_PROJECTED,
                NO_GROWTH,
                WITH_ALL,
            ),
        ),
        Instance(
            "middle",
            "A buffer of four of twenty records, some of which replace others.",
            {
                "data": _vectors(20, 3, 5),
                "loss": Regularized(Midpoint(feature_bound=0.9), 0.5, np.array([0.25, 0.0, 0.0])),
                "constraint": L2Ball(0.35),
                "initial": np.array([0.0, 0.25, -0.125]),
                **PRIVATE,
                "buffer_size": 4,
            },
            seed=4,
            twins=(
                LONG,
                KEPT_EARLY,
                NEVER_REPLACED,
                WITH_ALL,
                NO_GROWTH,
                NOISY_PATH,
                STEP_NOT_PROJECTED,
                LATE_OUTPUT,
            ),
        ),
        Instance(
            "large-buffer",
            "A buffer larger than the stream keeps everything, and records of the first phase too.",
            {
                "data": _labelled(12, 2, 6),
                "loss": Regularized(AUC(feature_bound=0.9), 1.0, np.array([0.0, 0.5])),
                "constraint": L2Ball(1.25),
                "initial": np.array([0.5, -0.5]),
                **PRIVATE,
                "buffer_size": 50,
            },
            twins=(LONG_FEATURES, EQUAL_LABELS, NOT_CENTRED),
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices, with a buffer of two.",
            {
                "data": _labelled(12, 2, 7),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
                "buffer_size": 2,
            },
            twins=(DIFFERENT_LABELS, ONE_SIDED, UNCLIPPED_SPECTRUM, NO_GROWTH),
        ),
    )


def diss_3_3_13() -> tuple[Instance, ...]:
    """Online learning with a buffer, convex."""
    constants = finite_buffer.Constants(
        first_phase=1, step_size=1.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    by_hand, middle, metric = convex_instances(
        {"constants": constants, "buffer_size": 1},
        {"buffer_size": 2},
        _in("finite_buffer", NOISY_PATH, NO_GROWTH, WITH_ALL),
    )
    # those of the first without constants become vectors of their own: here of the metric's loss
    return by_hand, metric, middle


FORGOTTEN = Twin(
    "rounds without a step are not in the average",
    "index",
    "total = min(chosen.first_phase, n) * w",
    "total = 0 * w",
)
OF_STEPS = Twin(
    "the average is over the steps only",
    "divisor",
    "total / n,",
    "total / max(n - chosen.first_phase, 1),",
)
LAST = Twin("the last point for the average", "formula", "total / n,", "w,")
RELEASE_NOT_PROJECTED = Twin(
    "the output is not projected", "formula", "return constraint.project(noisy)", "return noisy"
)


def diss_3_3_14() -> tuple[Instance, ...]:
    """Offline learning, strongly convex."""
    return (
        Instance(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the average of the "
            "four points is released and projected.",
            {
                "data": FEW,
                **BY_HAND,
                "constants": offline.Constants(
                    first_phase=1, step_size=2.0, sensitivity=4.0, noise_scale=2.0
                ),
            },
            twins=(
                LONG,
                FORGOTTEN,
                OF_STEPS,
                LAST,
                RELEASE_NOT_PROJECTED,
                PAIRED_WITH_ITSELF,
                NOT_THE_FIRST,
                LONGER_STEPS,
                UPHILL,
            ),
        ),
        Instance(
            "middle",
            "The area under the curve, regularised; a first phase of several rounds.",
            {
                "data": _labelled(24, 3, 8),
                "loss": Regularized(AUC(feature_bound=0.6), 0.25, np.array([0.25, 0.0, -0.25])),
                "constraint": L2Ball(0.5),
                "initial": np.array([0.25, -0.25, 0.125]),
                **PRIVATE,
            },
            twins=(
                LONG_FEATURES,
                SAME_SIGN,
                EQUAL_LABELS,
                NOT_CENTRED,
                FORGOTTEN,
                OF_STEPS,
                LAST,
                STEP_NOT_PROJECTED,
            ),
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices; noise makes it indefinite.",
            {
                "data": _labelled(14, 2, 9),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
            },
            twins=(DIFFERENT_LABELS, ONE_SIDED, UNCLIPPED_SPECTRUM, RELEASE_NOT_PROJECTED),
        ),
        Instance(
            "no-step",
            "A first phase longer than the data: the starting point is released.",
            {
                "data": _vectors(5, 2, 10),
                **BY_HAND,
                "constants": offline.Constants(
                    first_phase=7, step_size=2.0, sensitivity=0.1, noise_scale=0.5
                ),
            },
            twins=(
                Twin(
                    "the starting point counts more often than there are rounds",
                    "branch",
                    "min(chosen.first_phase, n) * w",
                    "chosen.first_phase * w",
                ),
            ),
        ),
    )


def diss_3_3_15() -> tuple[Instance, ...]:
    """Offline learning, convex."""
    constants = offline.Constants(first_phase=1, step_size=1.0, sensitivity=4.0, noise_scale=2.0)
    twins = _in("offline", FORGOTTEN, OF_STEPS, LAST)
    return (
        *convex_instances({"constants": constants}, {}, twins),
        Instance(
            "real-data",
            "The area under the curve on forty records of the breast cancer data.",
            {
                "data": breast_cancer(),
                "loss": AUC(feature_bound=0.75),
                "constraint": L2Ball(2.0),
                "initial": np.array([-0.5, 0.0, 0.0, -0.5]),
                **PRIVATE,
                "strength": 0.5,
            },
            twins=(LONG_FEATURES, SAME_SIGN, *twins),
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "diss-3.3.9": diss_3_3_9,
    "diss-3.3.10": diss_3_3_10,
    "diss-3.3.12": diss_3_3_12,
    "diss-3.3.13": diss_3_3_13,
    "diss-3.3.14": diss_3_3_14,
    "diss-3.3.15": diss_3_3_15,
}
