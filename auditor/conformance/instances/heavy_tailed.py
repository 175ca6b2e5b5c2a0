"""Cases of the heavy-tailed algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.conformance.instance import Instance, Twin
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball
from reference.heavy_tailed import (
    known_mean_gradient_descent,
    private_mean,
    sample_and_aggregate,
    trimmed_mean,
)
from reference.losses import Biweight, Records, RidgeRegularized, SquaredDistance, SquaredError

TRUNCATION = "reference.heavy_tailed.truncation"
PRIVATE: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5}

# ------------------------------------------------------------------------------- data


def tails(n: int, seed: int) -> FloatArray:
    """Return numbers of mean 1/2, some of them far out."""
    numbers: FloatArray = np.round(0.5 + np.random.default_rng(seed).standard_t(2, n), 3)
    return numbers


def vectors(n: int, dimension: int, seed: int) -> FloatArray:
    """Return vectors with heavy tails, of mean 1/2 in the first coordinate and 0 elsewhere."""
    records: FloatArray = np.round(np.random.default_rng(seed).standard_t(3, (n, dimension)), 3)
    records[:, 0] += 0.5
    return records


def regression(n: int, dimension: int, seed: int) -> Records:
    """Return features and responses with heavy tails; the first two coefficients are not 0."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_t(4, (n, dimension)), 3)
    noise = 0.5 * rng.standard_t(3, n)
    return features, np.round(0.6 * features[:, 0] - 0.4 * features[:, 1] + noise, 3)


def diabetes() -> Records:
    """Return 40 records of scikit-learn's diabetes data: three features, standardised."""
    from sklearn.datasets import load_diabetes  # loads slowly

    features, progression = load_diabetes(return_X_y=True)
    chosen, response = features[:400:10, [2, 3, 8]], progression[:400:10]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)
    return (
        np.round(standard, 6),
        np.round((response - response.mean()) / response.std(), 6),
    )


# ------------------------------------------------------------------------ truncation

NOT_SMOOTHED = Twin(
    "the truncation is not smoothed",
    "formula",
    "np.copysign(np.minimum(size, bound), values)",
    "np.copysign(scale * np.where(a < _SQRT2, a - np.minimum(a, 9) ** 3 / 6, _LIMIT), values)",
    TRUNCATION,
)
PRECISION = Twin(
    "the precision for its root", "formula", "b = a / root", "b = a / precision", TRUNCATION
)
OTHER_DIVISOR = Twin(
    "n - 1 for n",
    "divisor",
    "return rounded_mean(truncated, bound=truncation_bound(scale=scale, precision=precision))",
    "return truncated.sum(axis=0) / (len(truncated) - 1)",
    TRUNCATION,
)
MEAN_TRUNCATED = Twin(
    "the mean is truncated instead of the records",
    "bound",
    "truncated = smoothed_truncation(values, scale=scale, precision=precision)\n",
    "truncated = smoothed_truncation(\n"
    "        values.mean(axis=0)[None], scale=scale, precision=precision\n    )\n",
    TRUNCATION,
)
NOT_TRUNCATED = Twin(
    "records are not truncated",
    "bound",
    "return rounded_mean(truncated, bound=truncation_bound(scale=scale, precision=precision))",
    "return values.mean(axis=0)",
    TRUNCATION,
)
CLOSED_FORM = Twin(
    "the closed form for every record, as printed",
    "printed",
    "wide = b > _WIDE\n",
    'with np.errstate(all="ignore"):\n'
    "        closed = a * (1 - b**2 / 2) - a**3 / 6 + correction(a, b)\n"
    "    return np.copysign(scale * closed, values)\n"
    "    wide = b > _WIDE\n",
    TRUNCATION,
)
NO_TAIL = Twin(
    "the closed form beyond eight times the scale",
    "formula",
    "np.minimum(np.where(wide, 0.0, a), 8.0)",
    "np.where(wide, 0.0, a)",
    TRUNCATION,
)
TINY_LOST = Twin(
    "the limit of the closed form at 0 is left out",
    "branch",
    "np.where(tiny, np.abs(values), scale * result)",
    "np.where(tiny, 0.0, scale * result)",
    TRUNCATION,
)
NOT_A_NUMBER = Twin(
    "what is not a number stays so",
    "branch",
    "np.where(np.isnan(array), 0.0, array).reshape(-1)",
    "array.reshape(-1)",
    TRUNCATION,
)


def mean_instances(chosen: private_mean.Constants, *own: Twin) -> tuple[Instance, ...]:
    """Return the cases of the mean of numbers, central or local.

    Parameters
    ----------
    chosen : Constants
        Of the case by hand.
    own : Twin
        Of the algorithm.
    """
    usual = {**PRIVATE, "second_moment": 5.0, "failure_probability": 0.05}
    few = np.array([0.0, 1.0, -0.5, 1e6])
    ends = np.array([1e-12, -1e-12, 1e-4, 0.5, -1.25, 1.5, -4.0, 7.5, 9.0, -20.0, 1e5, -1e8, 1e300])
    return (
        Instance(
            "by-hand",
            "Four numbers at scale 1: a 0 stays 0, a huge one counts as the bound of the "
            "truncation, and the others are bent.",
            {"data": few, **usual, "constants": chosen},
            twins=(*own, NOT_SMOOTHED, PRECISION),
        ),
        Instance(
            "middle",
            "Numbers with heavy tails, with the theory's constants.",
            {"data": tails(40, 1), **usual},
            twins=(*own, NOT_SMOOTHED, PRECISION),
        ),
        Instance(
            "rough",
            "A low precision at numbers from 1e-12 to 1e300: far from 0 the closed form of the "
            "truncation cancels to nothing in doubles.",
            {
                "data": ends,
                **usual,
                "constants": replace(chosen, truncation_scale=1.5, precision=2.3),
            },
            twins=(CLOSED_FORM, PRECISION, NOT_SMOOTHED),
        ),
        Instance(
            "sharp",
            "A high precision: the closed form is used up to eight times the scale, and numbers "
            "near the kink at the root of 2 tell its terms apart.",
            {
                "data": np.array([0.25, -0.7, 1.3, 1.38, -1.41, 1.42, 1.5, 2.0, -7.9, 9.5, 13.0]),
                **usual,
                "constants": replace(chosen, truncation_scale=1.0, precision=900.0),
            },
            twins=(PRECISION, NOT_SMOOTHED),
        ),
        Instance(
            "very-sharp",
            "A precision so high that the smoothing noise stays small where the closed form "
            "already cancels to nothing in doubles.",
            {
                "data": np.array([0.5, -1.0, 1.25, 3e4, -1e5, 4e5]),
                **usual,
                "constants": replace(chosen, truncation_scale=1.0, precision=1e12),
            },
            twins=(NO_TAIL, CLOSED_FORM),
        ),
        Instance(
            "small-numbers",
            "Numbers far below the scale, down to ones that underflow when divided by it, are "
            "kept as they are.",
            {
                "data": np.array([3e-9, -1e-12, 5e-11, 2e-290, 1e-13]),
                **usual,
                "constants": replace(
                    chosen, truncation_scale=4.0, sensitivity=1e-12, noise_scale=1e-11
                ),
            },
            twins=(TINY_LOST,),
        ),
    )


def wang_mean() -> tuple[Instance, ...]:
    """Mean by smoothed truncation."""
    chosen = private_mean.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=0.5, noise_scale=0.25
    )
    instances = mean_instances(chosen, OTHER_DIVISOR, MEAN_TRUNCATED, NOT_TRUNCATED)
    real = Instance(
        "real-data",
        "The disease progression of forty records of the diabetes data.",
        {"data": diabetes()[1], **PRIVATE, "second_moment": 1.0, "failure_probability": 0.1},
        twins=(OTHER_DIVISOR, NOT_TRUNCATED),
    )
    return (*instances, real)


def wang_ldp_mean() -> tuple[Instance, ...]:
    """Local mean by smoothed truncation."""
    chosen = private_mean.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )
    truncated = (
        "smoothed_truncation(values, scale=chosen.truncation_scale, precision=chosen.precision)"
    )
    return mean_instances(
        chosen,
        Twin("n - 1 for n", "divisor", "messages.mean()", "messages.sum() / (messages.size - 1)"),
        Twin("numbers are not truncated", "bound", truncated, "values"),
        Twin(
            "noise is added by the server, once", "noise", "messages.mean()",
            f"{truncated}.mean() + messages[0] - {truncated}[0]",
        ),
    )  # fmt: skip


# --------------------------------------------------------------------- gradient descent

DOWN = "w = constraint.project(w - step_size * gradient)"
UPHILL = Twin("steps go uphill", "sign", DOWN, DOWN.replace("w -", "w +"))
NOT_PROJECTED = Twin("points are not projected", "bound", DOWN, "w = w - step_size * gradient")
TOO_FEW = Twin("one step too few", "step", "range(n_iterations):", "range(n_iterations - 1):")
STALE = Twin(
    "all gradients are taken at the starting point",
    "formula",
    "release_gradient(loss, records, w,",
    "release_gradient(loss, records, starting_point(initial, constraint),",
)
CHOSEN = private_mean.Constants(
    truncation_scale=2.0, precision=4.0, sensitivity=1.0, noise_scale=0.5
)
FEW = np.array([[1.0, 0.0], [0.5, -1.0], [100.0, 0.25], [-1.0, 2.0], [0.0, 0.5]])
"""Five records, one of them far out in its first coordinate."""
HUGE: Records = (
    np.array([[0.5, 0.25], [1.5e308, 0.0], [-1e200, 1e200], [1.0, -0.75]]),
    np.array([0.5, -1.5e308, -1.0, -0.25]),
)
"""Records whose gradients overflow; one of them is infinite times 0 in the second coordinate."""


def diss_3_2_8() -> tuple[Instance, ...]:
    """Robust private gradient descent."""
    usual = {**PRIVATE, "second_moment": 8.0, "failure_probability": 0.05}
    return (
        Instance(
            "by-hand",
            "Two steps on all of five records, of which one is truncated to the bound; the "
            "second step leaves the ball.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.5, 0.0]),
                **usual,
                "step_size": 0.5,
                "n_iterations": 2,
                "constants": CHOSEN,
            },
            seed=2,
            twins=(
                OTHER_DIVISOR,
                MEAN_TRUNCATED,
                NOT_TRUNCATED,
                NOT_SMOOTHED,
                PRECISION,
                UPHILL,
                NOT_PROJECTED,
                TOO_FEW,
                STALE,
            ),
        ),
        Instance(
            "middle",
            "Three steps of a least squares regression in an l2 ball, with the theory's constants.",
            {
                "data": regression(40, 4, 1),
                "loss": SquaredError(),
                "constraint": L2Ball(0.65),
                "initial": np.array([0.25, 0.0, 0.0, -0.25]),
                **usual,
                "epsilon": 8.0,
                "step_size": 0.25,
                "n_iterations": 3,
            },
            twins=(OTHER_DIVISOR, NOT_TRUNCATED, UPHILL, NOT_PROJECTED, STALE),
        ),
        Instance(
            "l1-ball",
            "An l1 ball, whose projection sets coordinates to 0, and a regularised loss for which "
            "gross errors have no slope.",
            {
                "data": regression(30, 3, 2),
                "loss": RidgeRegularized(Biweight(threshold=2.0), 0.5),
                "constraint": L1Ball(0.4),
                "initial": np.array([0.25, 0.125, 0.0]),
                **usual,
                "epsilon": 8.0,
                "second_moment": 1.0,
                "step_size": 0.5,
                "n_iterations": 3,
            },
            seed=3,
            twins=(
                NOT_PROJECTED,
                Twin(
                    "the regulariser is left out",
                    "formula",
                    "self.loss.gradients(records, x) + self.strength * x",
                    "self.loss.gradients(records, x)",
                    "reference.losses.any_records",
                ),
            ),
        ),
        Instance(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0: no record makes a run fail.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "constraint": L2Ball(5.0),
                "initial": np.array([0.5, 0.25]),
                **usual,
                "step_size": 0.5,
                "n_iterations": 2,
                "constants": CHOSEN,
            },
            twins=(NOT_A_NUMBER, NOT_TRUNCATED),
        ),
    )


def diss_rgd() -> tuple[Instance, ...]:
    """Stochastic robust private gradient descent."""
    usual = {**PRIVATE, "second_moment": 8.0, "failure_probability": 0.05}
    step = "w = constraint.project(w - step_size / math.sqrt(t) * gradient)"
    not_projected = Twin(
        "points are not projected", "bound", step, step.replace("constraint.project", "")
    )
    last = Twin("the last point for the average", "formula", "np.mean(iterates, axis=0)", "w")
    uphill = Twin("steps go uphill", "sign", step, step.replace("w -", "w +"))
    equal = Twin("steps do not become shorter", "step", "step_size / math.sqrt(t)", "step_size")
    counted = Twin(
        "steps are counted from 2", "index", "enumerate(disjoint_blocks(n_iterations * batch_size, "
        "n_iterations), start=1)", "enumerate(disjoint_blocks(n_iterations * batch_size, "
        "n_iterations), start=2)",
    )  # fmt: skip
    started = Twin(
        "the starting point is in the average", "index", "    iterates = []", "    iterates = [w]"
    )
    one_batch = Twin(
        "every step reads the first batch",
        "batch",
        "batch = take_records(records, block)",
        "batch = take_records(records, slice(0, batch_size))",
    )
    remainder = Twin(
        "batches are larger, so that none is left over",
        "batch",
        "disjoint_blocks(n_iterations * batch_size, n_iterations)",
        "disjoint_blocks(n, n_iterations)",
    )
    return (
        Instance(
            "by-hand",
            "Two batches of two of five records, the last of which is not used; the average of "
            "the two points, without the starting point.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.5, 0.0]),
                **usual,
                "batch_size": 2,
                "step_size": 0.5,
                "constants": CHOSEN,
            },
            twins=(
                OTHER_DIVISOR,
                NOT_TRUNCATED,
                not_projected,
                last,
                uphill,
                equal,
                counted,
                started,
                one_batch,
            ),
        ),
        Instance(
            "middle",
            "Four batches of eleven, of which two records are left over, with the theory's "
            "constants and steps of the printed size 1.",
            {
                "data": regression(46, 4, 3),
                "loss": SquaredError(),
                "constraint": L2Ball(1.25),
                "initial": np.zeros(4),
                **usual,
                "epsilon": 8.0,
                "batch_size": 11,
            },
            twins=(OTHER_DIVISOR, NOT_TRUNCATED, last, equal, started, one_batch),
        ),
        Instance(
            "remainder",
            "Batches of seven of thirteen records: one step, and nearly half of the records are "
            "left over.",
            {
                "data": vectors(13, 3, 4),
                "loss": SquaredDistance(),
                "constraint": L1Ball(0.3),
                "initial": np.array([0.125, 0.0, -0.125]),
                **usual,
                "epsilon": 8.0,
                "batch_size": 7,
                "step_size": 0.25,
            },
            seed=2,
            twins=(remainder, not_projected),
        ),
        Instance(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "constraint": L2Ball(5.0),
                "initial": np.array([0.5, 0.25]),
                **usual,
                "batch_size": 2,
                "step_size": 0.5,
                "constants": CHOSEN,
            },
            twins=(NOT_A_NUMBER,),
        ),
    )


# ------------------------------------------------------------------------- trimmed mean

TRIMMED = "reference.heavy_tailed.trimmed_mean"
NOT_TRIMMED = Twin("nothing is trimmed", "bound", "kept = x[m : x.size - m]", "kept = x", TRIMMED)
ONE_MORE = Twin(
    "one record more is trimmed at the top", "index", "x[m : x.size - m]", "x[m : x.size - m - 1]",
    TRIMMED,
)  # fmt: skip
NOT_CUT = Twin(
    "the trimmed mean is not cut to its range",
    "bound",
    "return min(max(math.fsum(kept * down) / (kept.size * down), lower), upper)",
    "return math.fsum(kept * down) / (kept.size * down)",
    TRIMMED,
)
LOCAL = Twin(
    "the local sensitivity alone is smoothed, without what is farther than m records",
    "noise",
    "largest = max(width * math.exp(-m * t), sys.float_info.min)",
    "largest = sys.float_info.min",
    TRIMMED,
)
NOT_SMOOTH = Twin(
    "the noise is that of the local sensitivity",
    "noise",
    "for k in range(m):",
    "for k in range(1):",
    TRIMMED,
)
UNCAPPED = Twin(
    "the local sensitivity is not capped by b - a",
    "noise",
    "decay * min(width, float(gap))",
    "decay * float(gap)",
    TRIMMED,
)
ONE_GAP = Twin(
    "only one of the gaps between the data sets at a distance",
    "noise",
    "(x[n - m - 1 : n - m + k + 1] - x[m - k - 1 : m + 1]).max()",
    "(x[n - m + k] - x[m])",
    TRIMMED,
)
ALL_RECORDS = Twin(
    "the sensitivity is divided by n instead of n - 2m",
    "divisor",
    ".max() / (n - 2 * m)",
    ".max() / n",
    TRIMMED,
)


def diss_3_2_6() -> tuple[Instance, ...]:
    """Trimmed mean with smooth sensitivity."""
    chosen = trimmed_mean.Constants(smoothness=0.5, divisor=0.5, rho=2.0)
    numbers = tails(41, 5)
    return (
        Instance(
            "by-hand",
            "Seven numbers, of which two are dropped at either end; the sensitivity is largest "
            "for data sets that differ in a second record.",
            {
                "data": np.array([4.0, -30.0, 1.0, 0.0, 3.0, 9.0, 2.0]),
                "epsilon": 2.0,
                "lower": -5.0,
                "upper": 5.0,
                "trim": 2,
                "constants": chosen,
            },
            version=2,
            twins=(NOT_TRIMMED, ONE_MORE, NOT_SMOOTH, UNCAPPED, ONE_GAP, ALL_RECORDS),
        ),
        Instance(
            "middle",
            "Numbers with heavy tails, twelve dropped at either end, with the theory's constants.",
            {"data": numbers, "epsilon": 2.0, "lower": -2.0, "upper": 2.0, "trim": 12},
            twins=(NOT_TRIMMED, ONE_MORE, LOCAL),
        ),
        Instance(
            "upper-end",
            "A trimmed mean above its range, and one record left: the local sensitivity is capped "
            "by the width of the range.",
            {
                "data": np.array([9.0, 1.0, 30.0, 12.0, 250.0]),
                "epsilon": 8.0,
                "lower": -1.0,
                "upper": 4.0,
                "trim": 2,
            },
            seed=2,
            twins=(NOT_CUT, UNCAPPED),
        ),
        Instance(
            "lower-end",
            "A trimmed mean below its range, numbers close together: what counts are the data sets "
            "that differ in more records than are dropped.",
            {
                "data": np.array([-3.0, -3.01, -2.99, -3.02, -2.98, -3.0, -2.995]),
                "epsilon": 4.0,
                "lower": -1.0,
                "upper": 4.0,
                "trim": 1,
            },
            seed=3,
            twins=(NOT_CUT, LOCAL),
        ),
        Instance(
            "farther",
            "At a large epsilon the sensitivity is largest for data sets that differ in some "
            "records more, fewer than are dropped.",
            {
                "data": np.concatenate([np.linspace(-0.04, 0.06, 21), [40.0, 50.0, -60.0, -70.0]]),
                "epsilon": 4.0,
                "lower": -2.0,
                "upper": 2.0,
                "trim": 7,
            },
            seed=4,
            twins=(NOT_SMOOTH, ONE_GAP),
        ),
        Instance(
            "equal-records",
            "Equal records at a large epsilon: the noise is so small that the rounding of a mean "
            "in the range adds to it.",
            {
                "data": np.full(7, 0.5),
                "epsilon": 12.0,
                "lower": -1000.0,
                "upper": 10.0,
                "trim": 3,
            },
            seed=5,
            twins=(
                Twin(
                    "the rounding of a mean does not add to the noise",
                    "noise",
                    "return largest + 4 * sys.float_info.epsilon * max(abs(lower), abs(upper))",
                    "return largest",
                ),
            ),
        ),
        Instance(
            "huge-numbers",
            "Numbers of both signs whose sum overflows, though their mean does not.",
            {
                "data": np.array([-8, 0.0, 7.5, 8, -7, -2, -7.25, -7.5, 7, 6.5, -6.75]) * 1e307,
                "epsilon": 4.0,
                "lower": -1.0,
                "upper": 1.0,
                "trim": 1,
            },
            seed=6,
            twins=(
                NOT_CUT,
                Twin(
                    "records are added up before they are divided",
                    "formula",
                    "down = math.ldexp(1.0, -kept.size.bit_length())",
                    "down = 1.0",
                ),
            ),
        ),
    )


def diss_3_2_7() -> tuple[Instance, ...]:
    """Gradient descent on privately trimmed gradients."""
    large: dict[str, Any] = {"epsilon": 40.0, "delta": 0.01}
    down = "w = constraint.project(w - step_size * np.array(gradient))"
    uphill = Twin("steps go uphill", "sign", down, down.replace("w - ", "w + "))
    not_projected = Twin(
        "points are not projected", "bound", down, down.replace("constraint.project", "")
    )
    swapped = Twin(
        "the derivatives come in the opposite order",
        "index",
        "in partial_derivatives(loss, records, w)",
        "in partial_derivatives(loss, records, w)[::-1]",
    )
    return (
        Instance(
            "by-hand",
            "Two steps on five records: of every coordinate's derivatives the smallest and the "
            "largest are dropped.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.5, 0.0]),
                **large,
                "lower": -4.0,
                "upper": 4.0,
                "trim": 1,
                "step_size": 0.25,
                "n_iterations": 2,
                "constants": known_mean_gradient_descent.Constants(step_epsilon=4.0),
            },
            twins=(NOT_TRIMMED, swapped, LOCAL, uphill, not_projected, TOO_FEW),
        ),
        Instance(
            "middle",
            "Three steps of a least squares regression in an l2 ball, with the theory's constants.",
            {
                "data": regression(31, 3, 6),
                "loss": SquaredError(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.25, 0.0, -0.25]),
                "epsilon": 4.0,
                "delta": 0.01,
                "lower": -6.0,
                "upper": 6.0,
                "trim": 9,
                "step_size": 0.03,
                "n_iterations": 3,
            },
            seed=2,
            twins=(NOT_TRIMMED, ONE_MORE, uphill, not_projected),
        ),
        Instance(
            "l1-ball",
            "An l1 ball, and means of derivatives outside the range that is known of them.",
            {
                "data": vectors(25, 3, 7),
                "loss": SquaredDistance(),
                "constraint": L1Ball(1.0),
                "initial": np.array([-1.0, 0.0, 0.0]),
                **large,
                "lower": -0.5,
                "upper": 0.25,
                "trim": 10,
                "step_size": 0.5,
                "n_iterations": 2,
            },
            seed=3,
            twins=(NOT_CUT, not_projected),
        ),
        Instance(
            "overflow",
            "Derivatives that overflow count as 1e100 and those that are not a number as 0.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "constraint": L2Ball(5.0),
                "initial": np.array([0.5, 0.25]),
                **large,
                "lower": -4.0,
                "upper": 4.0,
                "trim": 1,
                "step_size": 0.1,
                "n_iterations": 1,
            },
            twins=(
                Twin(
                    "what overflows stays infinite",
                    "branch",
                    "clip_entries(loss.gradients(records, w), LARGEST_GRADIENT).T",
                    "loss.gradients(records, w).T",
                ),
                NOT_CUT,
            ),
        ),
    )


# ------------------------------------------------------------------ sample and aggregate


def diss_3_2_5() -> tuple[Instance, ...]:
    """Sample and aggregate."""
    chosen = sample_and_aggregate.Constants(divisor=0.25, decay=0.5)
    not_cut = Twin(
        "estimates are not projected on the ball",
        "bound",
        "clip_rows(clip_entries(np.array(rows), diameter / 2), diameter / 2)",
        "clip_entries(np.array(rows), 1e100)",
    )
    whole = Twin(
        "the diameter for the radius of the ball",
        "bound",
        "clip_rows(clip_entries(np.array(rows), diameter / 2), diameter / 2)",
        "clip_rows(clip_entries(np.array(rows), diameter), diameter)",
    )
    alone = Twin(
        "the point itself is not in its ball",
        "index",
        "majority(len(distances), touched) - 1]",
        "majority(len(distances), touched)]",
    )
    last = Twin(
        "the last of several centres",
        "branch",
        "return int(np.argmin(distances[:, majority(len(distances), touched) - 1]))",
        "return len(distances) - 1 - int(\n"
        "        np.argmin(distances[::-1, majority(len(distances), touched) - 1])\n    )",
    )
    largest = Twin(
        "the largest radii are averaged, as printed",
        "printed",
        "radii_to_average(distances, touched)[:q]",
        "radii_to_average(distances, touched)[-q:]",
    )
    no_diameter = Twin(
        "the diameter does not enter the noise, as printed",
        "printed",
        "np.append(means, diameter)",
        "means",
    )
    smallest = Twin(
        "the smallest radius for the mean of several", "noise", "[:q].mean(axis=0)", "[0]"
    )
    one_k = Twin(
        "the radii are not averaged over all distances of data sets",
        "noise",
        "np.append(means, diameter)",
        "np.append(means[:1], diameter)",
    )
    undecayed = Twin(
        "farther data sets count as much as near ones",
        "noise",
        "np.exp(-decay * np.arange(means.size))",
        "np.ones(means.size)",
    )
    single = Twin(
        "one changed estimate where a record can change several",
        "noise",
        "touched = 1 if disjoint else math.isqrt(m)",
        "touched = 1",
    )
    huge = np.round(np.random.default_rng(8).standard_normal((30, 2)), 3)
    huge[3], huge[8], huge[21] = (1.5e308, 1.0), (-1.5e308, -1.5e308), (40.0, -30.0)
    huge[9] = (-1.5e308, 1e300)
    apart = np.repeat([0.0, 4.0], [22, 18]) + np.round(np.linspace(-0.25, 0.25, 40), 3)
    return (
        Instance(
            "by-hand",
            "The means of four pairs, two of which are cut to the ball of diameter 1: all are as "
            "good as centres, and the first is released.",
            {
                "data": np.array([1.0, 1.0, 0.0, 0.0, 1.0, -1.0, -1.0, -1.0]),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 20.0,
                "delta": 0.1,
                "diameter": 1.0,
                "n_blocks": 4,
                "constants": chosen,
            },
            twins=(not_cut, whole, alone, last, largest, no_diameter, undecayed),
        ),
        Instance(
            "middle",
            "The means of thirty pairs of vectors, with the theory's constants.",
            {
                "data": vectors(60, 2, 9),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 2.0,
                "delta": 0.1,
                "diameter": 4.0,
                "n_blocks": 30,
            },
            twins=(not_cut, whole, largest, smallest),
        ),
        Instance(
            "two-clusters",
            "Estimates in two clusters, a few records left over: the noise is largest for data "
            "sets that differ in several records.",
            {
                "data": np.append(apart, [100.0, -100.0]),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 2.0,
                "delta": 0.1,
                "diameter": 10.0,
                "n_blocks": 20,
            },
            seed=2,
            twins=(one_k, undecayed, smallest, largest),
        ),
        Instance(
            "all-alike",
            "All estimates are 0: no radius is above 0, and the noise is that of the diameter.",
            {
                "data": np.repeat([0.0, 1.0, -1.0], [24, 8, 8])[
                    np.array([*range(24), *np.stack([range(24, 32), range(32, 40)], 1).ravel()])
                ],
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 2.0,
                "delta": 0.1,
                "diameter": 4.0,
                "n_blocks": 20,
            },
            seed=3,
            twins=(no_diameter, undecayed),
        ),
        Instance(
            "random-subsets",
            "Random pairs of records, drawn in public, of which one record is in up to four.",
            {
                "data": tails(32, 10),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 20.0,
                "delta": 0.1,
                "diameter": 1.2,
                "n_blocks": 16,
                "disjoint": False,
                "constants": chosen,
            },
            seed=4,
            twins=(single, largest, smallest),
        ),
        Instance(
            "overflow",
            "Estimates that overflow are cut entry by entry before they are scaled to the ball.",
            {
                "data": huge,
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 20.0,
                "delta": 0.1,
                "diameter": 6.0,
                "n_blocks": 15,
                "constants": chosen,
            },
            seed=5,
            twins=(
                not_cut,
                Twin(
                    "estimates are scaled to the ball without being cut before",
                    "bound",
                    "clip_rows(clip_entries(np.array(rows), diameter / 2), diameter / 2)",
                    "clip_rows(np.array(rows), diameter / 2)",
                ),
            ),
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "diss-3.2.5": diss_3_2_5,
    "diss-3.2.6": diss_3_2_6,
    "diss-3.2.7": diss_3_2_7,
    "diss-3.2.8": diss_3_2_8,
    "diss-RGD": diss_rgd,
    "wang-ldp-mean": wang_ldp_mean,
    "wang-mean": wang_mean,
}
