"""Cases of local regression: scaled least squares, and sparse coefficients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.conformance.instance import Instance, Twin
from auditor.conformance.instances.local import uniform
from reference._validation import FloatArray
from reference.local import (
    iterative_hard_thresholding,
    label_lasso,
    label_noise,
    links,
    nonlinear_hard_thresholding,
    nonlinear_label_hard_thresholding,
    scaled_least_squares,
)

# ------------------------------------------------------------------ scaled least squares

LABELS = "reference.local.label_noise"
SCALED = "reference.local.scaled_least_squares"
SETS = "reference.constraint_sets"


def measured(seed: int, n: int, p: int, bound: float) -> tuple[FloatArray, FloatArray]:
    """Draw features, some of l1 norm above 1, and labels, some beyond +- bound."""
    features = uniform(seed, n, p, -0.6, 0.6)
    noise = uniform(seed + 1, n, 1, -0.4, 0.4)[:, 0]
    labels: FloatArray = (2 * bound * (features @ np.linspace(1.0, -0.5, p) + noise)).round(6)
    return features, labels


TWO_MEASURED = (np.array([[1.0, 1.0], [0.5, -0.25]]), np.array([4.0, -0.5]))
"""Two records: features that are scaled to l1 norm 1, a label that is cut."""
PUBLIC = uniform(31, 12, 3, -0.5, 0.5)

SQUARES = (
    Twin(
        "features are scaled in l2",
        "bound",
        "clip_rows(features, radius, order=1)",
        "clip_rows(features, radius)",
    ),
    Twin("labels are not cut", "bound", "y = clip_entries(", "y = (lambda y, _: y)("),
)
NO_FACTOR = Twin("the factor is forgotten", "formula", "else c * w_ols", "else w_ols")
NO_OUTER = Twin(
    "the factor's equation is mean f' = 1",
    "formula",
    "return c * float(link",
    "return float(link",
    SCALED,
)


LARGER_ROOT = Twin(
    "the larger of two roots",
    "branch",
    "brentq(excess, low, high,",
    "brentq(excess, high, LARGEST_FACTOR,",
    SCALED,
)


def generalised_linear_model() -> tuple[Instance, ...]:
    """Non-interactive LDP for smooth GLM with public data."""
    kind = scaled_least_squares.Constants
    bound = Twin("labels are cut to [-2, 2]", "bound", "(labels, 1.0)", "(labels, 2.0)")
    return (
        Instance(
            "by-hand",
            "Two users: features scaled to l1 norm 1, a label cut to 1. The public features are 0, "
            "so that the factor is 1/f'(0) = 4.",
            {
                "data": TWO_MEASURED,
                "link": links.LOGISTIC,
                "public_features": np.zeros((2, 2)),
                "epsilon": 1.0,
                "delta": 1e-5,
                "constants": kind(1.5, 2.0, 0.5, 0.25),
            },
            seed=2,
            twins=(*SQUARES, bound, NO_FACTOR, NO_OUTER),
        ),
        Instance(
            "middle",
            "The noise of theory, which makes the matrix indefinite; the cubic link.",
            {
                "data": measured(32, 20, 3, 1.0),
                "link": links.CUBIC,
                "public_features": PUBLIC,
                "epsilon": 4.0,
                "delta": 1e-2,
                "radius": 0.75,
            },
            seed=3,
            twins=(*SQUARES, bound, NO_FACTOR, NO_OUTER),
        ),
        Instance(
            "logistic",
            "Little noise and the logistic link, whose factor is found step by step.",
            {
                "data": measured(32, 20, 3, 1.0),
                "link": links.LOGISTIC,
                "public_features": PUBLIC / 4,
                "epsilon": 4.0,
                "delta": 1e-2,
                "constants": kind(1.5, 2.0, 0.01, 0.01),
            },
            seed=4,
            twins=(*SQUARES, bound, NO_FACTOR, LARGER_ROOT),
        ),
        Instance(
            "no-factor",
            "Large scores: the logistic link has no factor, and there are no coefficients.",
            {
                "data": measured(32, 20, 3, 1.0),
                "link": links.LOGISTIC,
                "public_features": 8 * PUBLIC,
                "epsilon": 4.0,
                "delta": 1e-2,
                "radius": 0.5,
                "constants": kind(0.5, 1.0, 0.01, 0.01),
            },
            seed=5,
            twins=SQUARES,
        ),
    )


def nonlinear_regression() -> tuple[Instance, ...]:
    """Non-interactive LDP non-linear regression with public data."""
    kind = scaled_least_squares.Constants
    no_noise = Twin(
        "the labels' noise is not in their bound",
        "bound",
        "at_zero + noise_bound",
        "at_zero",
        "reference.local.links",
    )
    no_zero = Twin(
        "f(0) is not in the labels' bound",
        "bound",
        "radius + at_zero + noise_bound",
        "radius + noise_bound",
        "reference.local.links",
    )
    return (
        Instance(
            "by-hand",
            "Two users: features scaled to l1 norm 1, a label cut to B = 1 + 0.5. The link is the "
            "identity: the factor is 1.",
            {
                "data": TWO_MEASURED,
                "link": links.IDENTITY,
                "public_features": np.array([[0.5, 0.5], [0.25, -0.5]]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "noise_bound": 0.5,
                "radius": 1.0,
                "constants": kind(1.5, 3.0, 0.5, 0.25),
            },
            seed=2,
            twins=(*SQUARES, no_noise),
        ),
        Instance(
            "middle",
            "The noise of theory and the cubic link, whose slope is bounded by the squared radius.",
            {
                "data": measured(32, 20, 3, 0.5),
                "link": links.CUBIC,
                "public_features": PUBLIC,
                "epsilon": 1.0,
                "delta": 1e-2,
                "noise_bound": 0.1,
                "radius": 0.75,
            },
            seed=3,
            twins=(*SQUARES, no_noise, NO_FACTOR, NO_OUTER),
        ),
        Instance(
            "logistic",
            "Little noise and the logistic link, whose value at 0 is in B.",
            {
                "data": measured(34, 20, 3, 1.0),
                "link": links.LOGISTIC,
                "public_features": PUBLIC / 4,
                "epsilon": 1.0,
                "delta": 1e-2,
                "noise_bound": 0.0,
                "radius": 1.0,
                "constants": kind(1.5, 1.5, 0.01, 0.01),
            },
            seed=4,
            twins=(*SQUARES, no_zero, NO_FACTOR, LARGER_ROOT),
        ),
    )


# ------------------------------------------------------------------ sparse regression


def signs(seed: int, n: int, p: int, slope: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Draw signs, but for a feature that is cut to 1, and labels near slope (0.6 x_2 - 0.3 x_p)."""
    rng = np.random.default_rng(seed)
    features: FloatArray = rng.choice([-1.0, 1.0], size=(n, p))
    features[0, 0] = 1.75
    noise = rng.uniform(-0.3, 0.3, size=n)
    labels: FloatArray = slope * (0.6 * features[:, 1] - 0.3 * features[:, -1]) + noise
    labels[1] = 40.0
    return features, labels.round(6)


TWO_SIGNS = (np.array([[1.0, -1.0], [3.0, 1.0]]), np.array([0.5, -8.0]))
"""Two records: a feature that is cut to 1, a label that is too large."""

FEATURES_NOT_CUT = Twin(
    "features beyond 1 are not cut",
    "bound",
    "return clip_entries(features, self.feature_bound), labels",
    "return features, labels",
    "reference.losses.linear_models",
)
LABELS_NOT_CUT = Twin(
    "labels are not cut",
    "bound",
    "clip_entries(labels - centre, truncation_level)",
    "labels - centre",
    LABELS,
)
KEEP = "sparse = SparseVectors(min(KEPT * sparsity, p))"
KEEP_FEW = Twin(
    "s* coefficients are kept, not 8 s*", "step", KEEP, "sparse = SparseVectors(sparsity)"
)
KEEP_ALL = Twin("all coefficients are kept", "branch", KEEP, "sparse = SparseVectors(p)")
PROJECT = "UNIT_BALL.project(sparse.project(half_step))"
NOT_IN_BALL = Twin(
    "the iterate may leave the unit ball", "bound", PROJECT, "sparse.project(half_step)"
)
BALL_FIRST = Twin(
    "the ball before the threshold",
    "formula",
    PROJECT,
    "sparse.project(UNIT_BALL.project(half_step))",
)
SIGNED = Twin(
    "the largest coefficients are kept, not those of the largest size",
    "sign",
    "np.argsort(-np.abs(x), kind",
    "np.argsort(-x, kind",
    SETS,
)
THRESHOLD = (KEEP_FEW, KEEP_ALL, NOT_IN_BALL, BALL_FIRST, SIGNED)
SAME_BLOCK = Twin(
    "every round asks the first users",
    "batch",
    "take_records(records, users)",
    "take_records(records, slice(0, users.stop - users.start))",
)
NO_REMAINDER = Twin("the last round leaves the remainder out", "batch", "whole=True", "whole=False")
ROUNDS = (SAME_BLOCK, NO_REMAINDER)


def hard_thresholding() -> tuple[Instance, ...]:
    """LDP iterative hard thresholding."""
    kind = iterative_hard_thresholding.Constants
    uncut = Twin(
        "residuals are not cut",
        "bound",
        "clip_entries(features @ theta - labels, largest)",
        "features @ theta - labels",
    )
    uphill = Twin("the step goes uphill", "sign", "theta - step_size", "theta + step_size")
    return (
        Instance(
            "by-hand",
            "One round of two users: a feature and a residual that are cut; the step ends outside "
            "the unit ball.",
            {
                "data": TWO_SIGNS,
                "epsilon": 1.0,
                "sparsity": 1,
                "noise_bound": 0.5,
                "n_iterations": 1,
                "constants": kind(2.0),
            },
            seed=2,
            twins=(uncut, FEATURES_NOT_CUT, uphill, NOT_IN_BALL),
        ),
        Instance(
            "short-steps",
            "Steps that stay inside the unit ball; fewer than 8 s* coefficients.",
            {
                "data": signs(2, 13, 4),
                "epsilon": 4.0,
                "sparsity": 3,
                "noise_bound": 0.3,
                "n_iterations": 2,
                "step_size": 0.01,
            },
            seed=4,
            twins=(uncut, uphill, *ROUNDS),
        ),
        Instance(
            "middle",
            "Three rounds of 7, 7 and 8 users; 8 of 10 coefficients are kept.",
            {
                "data": signs(1, 22, 10),
                "epsilon": 2.0,
                "sparsity": 1,
                "noise_bound": 0.3,
                "n_iterations": 3,
            },
            seed=3,
            twins=(uncut, FEATURES_NOT_CUT, uphill, *THRESHOLD, *ROUNDS),
        ),
    )


def label_thresholding() -> tuple[Instance, ...]:
    """Label-LDP iterative hard thresholding."""
    fewer = Twin("n - 1 for n", "divisor", "@ theta)) / n", "@ theta)) / (n - 1)")
    uphill = Twin("the step goes uphill", "sign", "theta + step_size", "theta - step_size")
    return (
        Instance(
            "by-hand",
            "Two users and one step: a feature and a label that are cut.",
            {
                "data": TWO_SIGNS,
                "epsilon": 1.0,
                "delta": 1e-5,
                "sparsity": 1,
                "noise_bound": 0.5,
                "n_iterations": 1,
                "step_size": 0.25,
                "constants": label_noise.Constants(1.5, 1.0),
            },
            seed=3,
            twins=(LABELS_NOT_CUT, FEATURES_NOT_CUT, uphill, fewer),
        ),
        Instance(
            "middle",
            "Three steps; 16 of 18 coefficients are kept, outside the unit ball.",
            {
                "data": signs(3, 20, 18),
                "epsilon": 1.0,
                "delta": 1e-3,
                "sparsity": 2,
                "noise_bound": 0.3,
                "n_iterations": 3,
            },
            seed=2,
            twins=(LABELS_NOT_CUT, FEATURES_NOT_CUT, uphill, fewer, *THRESHOLD),
        ),
        Instance(
            "short-steps",
            "Steps that stay inside the unit ball; fewer than 8 s* coefficients.",
            {
                "data": signs(4, 12, 4),
                "epsilon": 8.0,
                "delta": 1e-2,
                "sparsity": 2,
                "noise_bound": 0.3,
                "n_iterations": 4,
                "step_size": 0.05,
            },
            seed=4,
            twins=(LABELS_NOT_CUT, uphill, fewer),
        ),
    )


EIGHT = nonlinear_hard_thresholding.EIGHT_X_AND_COSINE


def nonlinear_thresholding() -> tuple[Instance, ...]:
    """LDP iterative hard thresholding for non-linear measurements."""
    kind = nonlinear_hard_thresholding.Constants
    uncut = Twin(
        "the factors of the features are not cut",
        "bound",
        "clip_entries(weights, largest)",
        "weights",
    )
    slope = Twin(
        "the slope of f is forgotten", "formula", "function.derivative(scores) * (", "1.0 * ("
    )
    uphill = Twin("the step goes uphill", "sign", "theta - chosen.step", "theta + chosen.step")
    return (
        Instance(
            "by-hand",
            "One round of two users: a feature and a factor that are cut; the step ends outside "
            "the unit ball.",
            {
                "data": TWO_SIGNS,
                "function": EIGHT,
                "epsilon": 1.0,
                "sparsity": 1,
                "noise_bound": 0.5,
                "n_iterations": 1,
                "constants": kind(radius=20.0, step_size=0.125),
            },
            seed=2,
            twins=(uncut, slope, FEATURES_NOT_CUT, uphill, NOT_IN_BALL),
        ),
        Instance(
            "middle",
            "Three rounds of 7, 7 and 8 users; 8 of 10 coefficients are kept.",
            {
                "data": signs(5, 22, 10, 8.0),
                "function": EIGHT,
                "epsilon": 2.0,
                "sparsity": 1,
                "noise_bound": 0.3,
                "n_iterations": 3,
            },
            seed=3,
            twins=(slope, FEATURES_NOT_CUT, uphill, *THRESHOLD, *ROUNDS),
        ),
        Instance(
            "short-steps",
            "Steps that stay inside the unit ball; fewer than 8 s* coefficients.",
            {
                "data": signs(6, 13, 4, 8.0),
                "function": EIGHT,
                "epsilon": 4.0,
                "sparsity": 2,
                "noise_bound": 0.3,
                "n_iterations": 2,
                "constants": kind(radius=100.0, step_size=0.001),
            },
            seed=4,
            twins=(uncut, slope, uphill, *ROUNDS),
        ),
    )


def nonlinear_label_thresholding() -> tuple[Instance, ...]:
    """Label-LDP iterative hard thresholding for non-linear measurements."""
    kind = nonlinear_label_hard_thresholding.Constants
    slope = Twin(
        "the slope of f is forgotten", "formula", "function.derivative(scores) * (", "1.0 * ("
    )
    fewer = Twin("n - 1 for n", "divisor", "@ weights) / n", "@ weights) / (n - 1)")
    uphill = Twin("the step goes uphill", "sign", "theta - chosen.step", "theta + chosen.step")
    around_0 = Twin("labels are cut around 0", "bound", "centre=centre,", "centre=0.0,")
    return (
        Instance(
            "by-hand",
            "Two users and one step: a feature is cut to 1, and a label to f(0) - 3.",
            {
                "data": TWO_SIGNS,
                "function": EIGHT,
                "epsilon": 1.0,
                "delta": 1e-5,
                "sparsity": 1,
                "noise_bound": 0.5,
                "n_iterations": 1,
                "constants": kind(3.0, 1.0, 0.015625),
            },
            seed=3,
            twins=(LABELS_NOT_CUT, FEATURES_NOT_CUT, uphill, fewer, slope, around_0),
        ),
        Instance(
            "middle",
            "Three steps; 16 of 18 coefficients are kept, outside the unit ball.",
            {
                "data": signs(7, 20, 18, 8.0),
                "function": EIGHT,
                "epsilon": 1.0,
                "delta": 1e-3,
                "sparsity": 2,
                "noise_bound": 0.3,
                "n_iterations": 3,
            },
            seed=2,
            twins=(LABELS_NOT_CUT, FEATURES_NOT_CUT, uphill, fewer, slope, around_0, *THRESHOLD),
        ),
        Instance(
            "short-steps",
            "Steps that stay inside the unit ball; fewer than 8 s* coefficients.",
            {
                "data": signs(8, 12, 4, 8.0),
                "function": EIGHT,
                "epsilon": 8.0,
                "delta": 1e-2,
                "sparsity": 2,
                "noise_bound": 0.3,
                "n_iterations": 4,
                "constants": kind(12.0, 2.0, 0.001),
            },
            seed=4,
            twins=(LABELS_NOT_CUT, uphill, fewer, slope, around_0),
        ),
    )


def wines() -> tuple[FloatArray, FloatArray]:
    """Return five measurements of every fourth wine, to [-1, 1], and its alcohol, around 0."""
    from sklearn.datasets import load_wine

    rows = load_wine().data[::4, :6]
    low, high = rows.min(axis=0), rows.max(axis=0)
    scaled = (2 * (rows - low) / (high - low) - 1).round(6)
    return scaled[:, 1:], scaled[:, 0]


def lasso() -> tuple[Instance, ...]:
    """Label-LDP Lasso."""
    kind = label_lasso.Constants
    passes = (
        "the minimiser is approached in passes, until the objective is within 1e-12 of the least"
    )
    module = "reference.local.lasso"
    double = Twin(
        "the loss is not halved",
        "formula",
        "soft_threshold(rest, penalty)",
        "soft_threshold(rest, penalty / 2)",
        module,
    )
    ridge = Twin(
        "the columns' squares are taken for n",
        "formula",
        "soft_threshold(rest, penalty) / moments[j, j]",
        "soft_threshold(rest, penalty)",
        module,
    )
    return (
        Instance(
            "by-hand",
            "Four users and two columns that are orthogonal: every coefficient is the mean of "
            "label times feature, towards 0 by the penalty. A feature and a label are cut.",
            {
                "data": (
                    np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]),
                    np.array([0.9, 0.3, -9.0, -0.7]),
                ),
                "epsilon": 1.0,
                "delta": 1e-5,
                "sparsity": 1,
                "noise_bound": 0.5,
                "constants": kind(1.5, 0.5, 0.25),
            },
            seed=3,
            twins=(LABELS_NOT_CUT, FEATURES_NOT_CUT, double),
        ),
        Instance(
            "middle",
            "The noise and the penalty of theory, which leave some of five coefficients.",
            {
                "data": signs(9, 40, 5),
                "epsilon": 20.0,
                "delta": 1e-2,
                "sparsity": 2,
                "noise_bound": 0.3,
            },
            seed=2,
            twins=(LABELS_NOT_CUT, double),
            tolerance=1e-6,
            because=passes,
        ),
        Instance(
            "empty-column",
            "A column of zeros, whose coefficient is 0, and features that are no signs.",
            {
                "data": (
                    np.hstack([uniform(41, 12, 2, -1.2, 1.2), np.zeros((12, 1))]),
                    uniform(42, 12, 1, -2.0, 2.0)[:, 0],
                ),
                "epsilon": 1.0,
                "delta": 1e-2,
                "sparsity": 2,
                "noise_bound": 0.1,
                "constants": kind(1.5, 0.5, 0.0625),
            },
            seed=3,
            twins=(LABELS_NOT_CUT, FEATURES_NOT_CUT, double, ridge),
            tolerance=1e-6,
            because=passes,
        ),
        Instance(
            "real-data",
            "The alcohol of every fourth wine from five of its measurements, all in [-1, 1].",
            {
                "data": wines(),
                "epsilon": 4.0,
                "delta": 1e-2,
                "sparsity": 2,
                "noise_bound": 0.5,
                "constants": kind(0.875, 0.25, 0.03125),
            },
            seed=4,
            twins=(LABELS_NOT_CUT, double, ridge),
            tolerance=1e-6,
            because=passes,
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "diss-5.2.39": generalised_linear_model,
    "diss-5.2.40": nonlinear_regression,
    "diss-5.3.41": hard_thresholding,
    "diss-5.3.42": label_thresholding,
    "diss-5.3.44": nonlinear_thresholding,
    "diss-5.3.45": nonlinear_label_thresholding,
    "diss-5.3.lasso": lasso,
}
