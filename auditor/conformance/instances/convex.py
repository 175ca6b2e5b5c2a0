"""Cases of the convex algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.conformance.instance import Instance, Twin
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball
from reference.convex import (
    accelerated_mirror_descent,
    katyusha,
    output_perturbation,
    stochastic_gradient_descent,
    svrg,
    svrg_plus_plus,
)
from reference.losses import Huber, Linear, Logistic, Records
from reference.mirror_maps import Euclidean, QNorm
from reference.proximal import L1Norm, NoRegularizer, Ridge

VARIANCE_REDUCTION = "reference.convex.variance_reduction"
NOT_CLIPPED = Twin(
    "features are not cut to the bound",
    "bound",
    "return clip_rows(features, self.feature_bound), labels",
    "return features, labels",
    where="reference.losses.linear_models",
)
NOT_REDUCED = Twin(
    "the batch's gradient at the snapshot is not subtracted",
    "formula",
    "loss.gradient(records, x, batch) - loss.gradient(records, snapshot, batch) + full",
    "loss.gradient(records, x, batch)",
    where=VARIANCE_REDUCTION,
)
WHOLE_FOR_BATCH = Twin(
    "gradients of all records instead of the batch's",
    "batch",
    "batch = None if sample is None else sample.indices",
    "batch = None",
    where=VARIANCE_REDUCTION,
)

SMALL: Records = (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 4.0]))
"""For a Huber loss of bound and threshold 1: the second record is cut, and its residual too."""


def records(n: int, dimension: int, seed: int) -> Records:
    """Return records with labels -1 and 1, about half of them longer than 1 in l2."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, dimension)) * (0.9 / np.sqrt(dimension))
    labels = np.where(features @ np.arange(1.0, dimension + 1) + rng.standard_normal(n) < 0, -1, 1)
    return features, labels.astype(np.float64)


def responses(n: int, dimension: int, seed: int) -> Records:
    """Return records with responses, some of whose residuals are above 1 in size."""
    features, _ = records(n, dimension, seed)
    noise = np.random.default_rng(seed + 1).standard_normal(n)
    response: FloatArray = features @ np.arange(1.0, dimension + 1) + noise
    return features, response


def breast_cancer() -> Records:
    """Return 50 records of scikit-learn's breast cancer data in units that leave most of them."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:500:10, [0, 1, 4, 7]]  # mean radius, texture, smoothness, concave points
    scaled = (chosen - [14, 19, 0.1, 0.05]) / [8, 10, 0.03, 0.08]
    return np.round(scaled, 6), np.where(labels[:500:10] == 1, 1.0, -1.0)


def sgd() -> tuple[Instance, ...]:
    """Noisy stochastic gradient descent."""
    module = stochastic_gradient_descent
    outside = Twin("steps are not projected", "bound", "constraint=constraint,", "constraint=None,")
    whole = Twin(
        "gradients of all records instead of the batch's",
        "batch",
        "None if sample is None else sample.indices",
        "None",
    )
    lots = records(20, 3, 12)
    lot = module.constants_for(
        Logistic(), 1.5, n=20, dimension=3, epsilon=1.0, delta=1e-2, n_iterations=3, batch_size=2
    )
    return (
        Instance(
            "by-hand",
            "Two steps, of sizes 1 and 1/2, on batches of two of three records; the second one "
            "leaves the unit ball, and the last record is cut to length 1.",
            {
                "data": (
                    np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]]),
                    np.array([1.0, -1.0, 1.0]),
                ),
                "loss": Linear(),
                "constraint": L2Ball(1.0),
                "initial": np.array([0.5, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": module.Constants(
                    batch_size=2, sensitivity=1.0, noise_scale=0.5, step_size=1.0, decay=1.0
                ),
            },
            seed=26,
            twins=(outside, whole, NOT_CLIPPED),
        ),
        Instance(
            "middle",
            "Four steps, whose size falls as one over the root of their number.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "constraint": L2Ball(2.0),
                "initial": np.zeros(3),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 4,
            },
            twins=(
                outside,
                whole,
                Twin("steps do not become shorter", "step", "/ t**chosen.decay", "/ 1"),
                Twin(
                    "steps are counted from 0 instead of 1",
                    "index",
                    "/ t**chosen.decay",
                    "/ max(t - 1, 1) ** chosen.decay",
                ),
            ),
        ),
        Instance(
            "strongly-convex",
            "All records in every step, steps of size 1/(mu t), a ridge, and an l1 ball that a "
            "step leaves.",
            {
                "data": responses(24, 3, 2),
                "loss": Huber(threshold=0.5),
                "constraint": L1Ball(0.25),
                "regularizer": Ridge(0.5),
                "initial": np.array([0.125, -0.125, 0.0]),
                "epsilon": 8.0,
                "delta": 1e-2,
                "n_iterations": 3,
                "strong_convexity": 0.5,
            },
            twins=(
                outside,
                Twin(
                    "the ridge is left out",
                    "formula",
                    "regularizer=regularizer,",
                    "regularizer=NoRegularizer(),",
                ),
            ),
        ),
        Instance(
            "lots",
            "Lots of a tenth of the records; noise of standard deviation G sigma/n instead of G "
            "sigma/l on the mean of a lot, as printed, gives another result.",
            {
                "data": lots,
                "loss": Logistic(),
                "constraint": L2Ball(1.5),
                "initial": np.array([0.3, 0.3, 0.3]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 3,
                "constants": lot,
            },
            twins=(whole, NOT_CLIPPED),
        ),
        Instance(
            "real-data",
            "Logistic regression on 50 records of the breast cancer data.",
            {
                "data": breast_cancer(),
                "loss": Logistic(feature_bound=2.0),
                "constraint": L2Ball(3.0),
                "initial": np.zeros(4),
                "epsilon": 2.0,
                "delta": 1e-3,
                "n_iterations": 3,
            },
            twins=(whole, NOT_CLIPPED),
        ),
    )


def _small(**constants: Any) -> dict[str, Any]:
    """Return arguments of one epoch of two steps that a person can follow."""
    return {
        "data": SMALL,
        "loss": Huber(),
        "regularizer": Ridge(2.0),
        "initial": np.zeros(2),
        "epsilon": 1.0,
        "delta": 0.25,
        "n_epochs": 1,
        **constants,
    }


def svrg_cases() -> tuple[Instance, ...]:
    """DP-SVRG."""
    last = Twin(
        "the last point of the epoch for the mean", "formula", "snapshot = total / n_inner",
        "snapshot = x",
    )  # fmt: skip
    counted = Twin(
        "the start of the epoch counts in the mean's divisor",
        "index",
        "snapshot = total / n_inner",
        "snapshot = total / (n_inner + 1)",
    )
    stale = Twin(
        "the full gradient stays that of the first snapshot",
        "batch",
        "full = loss.gradient(records, snapshot)",
        "full = loss.gradient(records, np.asarray(initial, dtype=float))",
    )
    return (
        Instance(
            "by-hand",
            "One epoch of two steps on batches of one of two records; features and residuals "
            "beyond 1 are cut, and the proximal map halves.",
            _small(
                n_inner=2,
                constants=svrg.Constants(
                    batch_size=1,
                    sensitivity=5.0,
                    background_sensitivity=1.0,
                    noise_scale=2.0,
                    step_size=0.5,
                ),
            ),
            seed=2,
            twins=(NOT_REDUCED, last, counted, NOT_CLIPPED),
        ),
        Instance(
            "middle",
            "Two epochs of two steps on sampled batches.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.5),
                "regularizer": Ridge(0.1),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 2,
            },
            twins=(NOT_REDUCED, WHOLE_FOR_BATCH, last, stale),
        ),
        Instance(
            "whole-data-set",
            "Every batch is the whole data set, and an l1 norm sets coordinates to 0.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8),
                "regularizer": L1Norm(4.0),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "epsilon": 8.0,
                "delta": 1e-2,
                "n_epochs": 1,
                "n_inner": 3,
            },
            twins=(last, NOT_CLIPPED),
        ),
        Instance(
            "single-records",
            "Batches of one record, as printed; the printed noise gives another result.",
            {
                "data": records(20, 3, 4),
                "loss": Logistic(),
                "regularizer": NoRegularizer(),
                "initial": np.array([1.0, -1.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 2,
                "constants": svrg.constants_for(
                    Logistic(), n=20, epsilon=1.0, delta=1e-2, n_epochs=2, n_inner=2, batch_size=1
                ),
            },
            twins=(NOT_REDUCED, WHOLE_FOR_BATCH, stale),
        ),
    )


def katyusha_cases() -> tuple[Instance, ...]:
    """DP-Katyusha."""
    unmixed = Twin(
        "the new snapshot is the mean alone",
        "formula",
        "snapshot = theta * mean + (1 - theta) * snapshot",
        "snapshot = mean",
    )
    at_x = Twin(
        "the gradient is taken at x instead of y",
        "formula",
        "ledger, loss, records, y, snapshot, full, chosen",
        "ledger, loss, records, x, snapshot, full, chosen",
    )
    equal = Twin(
        "all points of an epoch weigh the same",
        "formula",
        "weighted_mean(inner, 1 + eta * strong_convexity)",
        "np.mean(inner, axis=0)",
    )
    backwards = Twin(
        "the first point of an epoch weighs most",
        "index",
        "powers - powers[-1]",
        "powers[::-1] - powers[-1]",
        where=VARIANCE_REDUCTION,
    )
    restarted = Twin(
        "every epoch starts at the snapshot",
        "branch",
        "        inner = []",
        "        inner, x = [], snapshot",
    )
    return (
        Instance(
            "by-hand",
            "One epoch of two steps on all of two records, the second of which weighs twice as "
            "much; as printed there is no noise at all.",
            # of an epsilon and delta at which the printed form takes all records as well
            _small(
                strong_convexity=2.0,
                n_inner=2,
                constants=katyusha.Constants(
                    batch_size=2,
                    sensitivity=1.0,
                    background_sensitivity=1.0,
                    noise_scale=2.0,
                    step_size=0.5,
                    momentum=0.5,
                ),
            ),
            twins=(unmixed, at_x, backwards, NOT_CLIPPED),
        ),
        Instance(
            "middle",
            "Two epochs of two steps on sampled batches; the second starts where the first ended.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "regularizer": Ridge(0.05),
                "initial": np.array([0.5, -0.25, 0.0]),
                "strong_convexity": 0.05,
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 2,
            },
            twins=(NOT_REDUCED, WHOLE_FOR_BATCH, unmixed, at_x, equal, restarted),
        ),
        Instance(
            "whole-data-set",
            "Every batch is the whole data set, the momentum is cut to 1/2, and an l1 norm sets "
            "coordinates to 0; as printed there is no noise.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8),
                "regularizer": L1Norm(0.1),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "strong_convexity": 0.5,
                "epsilon": 8.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 3,
            },
            twins=(unmixed, at_x, equal, restarted, NOT_CLIPPED),
        ),
    )


def svrg_plus_plus_cases() -> tuple[Instance, ...]:
    """DP-SVRG++."""
    same = Twin(
        "epochs do not become longer", "step", "length = 2**epoch * n_inner", "length = 2 * n_inner"
    )
    early = Twin(
        "the first epoch has m steps instead of 2m",
        "index",
        "length = 2**epoch * n_inner",
        "length = 2 ** (epoch - 1) * n_inner",
    )
    restarted = Twin(
        "every epoch starts at the snapshot",
        "branch",
        "        total = np.zeros_like(snapshot)",
        "        total, x = np.zeros_like(snapshot), snapshot",
    )
    last = Twin(
        "the last point of the epoch for the mean", "formula", "snapshot = total / length",
        "snapshot = x",
    )  # fmt: skip
    return (
        Instance(
            "by-hand",
            "One epoch, of two steps, on batches of one of two records; features and residuals "
            "beyond 1 are cut, and the proximal map halves.",
            _small(
                n_inner=1,
                constants=svrg_plus_plus.Constants(
                    batch_size=1,
                    sensitivity=5.0,
                    background_sensitivity=1.0,
                    noise_scale=2.0,
                    step_size=0.5,
                ),
            ),
            seed=2,
            twins=(NOT_REDUCED, last, early, NOT_CLIPPED),
        ),
        Instance(
            "middle",
            "Epochs of two and four steps on sampled batches; the second starts where the first "
            "ended.",
            {
                "data": records(20, 3, 1),
                "loss": Logistic(),
                "regularizer": Ridge(0.1),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 0.05,
                "n_epochs": 2,
                "n_inner": 1,
            },
            twins=(NOT_REDUCED, WHOLE_FOR_BATCH, same, restarted, last),
        ),
        Instance(
            "whole-data-set",
            "Every batch is the whole data set, and an l1 norm sets coordinates to 0.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8),
                "regularizer": L1Norm(1.0),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "epsilon": 12.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 1,
            },
            twins=(same, restarted, last, NOT_CLIPPED),
        ),
        Instance(
            "single-records",
            "Batches of one record, as printed; the printed noise gives another result.",
            {
                "data": records(20, 3, 4),
                "loss": Logistic(),
                "regularizer": NoRegularizer(),
                "initial": np.array([1.0, -1.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 1,
                "n_inner": 2,
                "constants": svrg_plus_plus.constants_for(
                    Logistic(), n=20, epsilon=1.0, delta=1e-2, n_epochs=1, n_inner=2, batch_size=1
                ),
            },
            twins=(NOT_REDUCED, WHOLE_FOR_BATCH, early),
        ),
    )


def mirror_descent() -> tuple[Instance, ...]:
    """DP-AccMD."""
    exact = Twin(
        "the step that is returned takes the exact gradient, as printed",
        "printed",
        "mirror_map.gradient_step(x, gradient, chosen.smoothness)",
        "mirror_map.gradient_step(x, loss.gradient(records, x), chosen.smoothness)",
    )
    early = Twin("weights of the step before", "index", "r = 2 / (k + 2)", "r = 2 / (k + 1)")
    swapped = Twin(
        "y and z change places in the mean",
        "formula",
        "x = r * z + (1 - r) * y",
        "x = r * y + (1 - r) * z",
    )
    short = Twin("mirror steps do not become longer", "step", "alpha = (k + 2) /", "alpha = 2 /")
    from_y = Twin(
        "the mirror step starts at x",
        "formula",
        "z = mirror_map.mirror_step(z, gradient",
        "z = mirror_map.mirror_step(x, gradient",
    )
    return (
        Instance(
            "by-hand",
            "Two steps in the unit ball; the second record is cut to length 1, and the second "
            "mirror step leaves the ball.",
            {
                "data": (np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([1.0, 1.0])),
                "loss": Linear(),
                "mirror_map": Euclidean(1.0),
                "initial": np.array([0.0, -0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": accelerated_mirror_descent.Constants(
                    sensitivity=1.0, noise_scale=0.5, smoothness=1.0
                ),
            },
            twins=(exact, NOT_CLIPPED),
        ),
        Instance(
            "middle",
            "Four steps in an l2 ball.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "mirror_map": Euclidean(2.0),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 4,
            },
            twins=(exact, early, swapped, short, from_y),
        ),
        Instance(
            "l1-ball",
            "The geometry of the q-norm in an l1 ball, which mirror steps leave; gradient steps "
            "from its boundary take mass from several coordinates.",
            {
                "data": responses(24, 4, 5),
                "loss": Huber(),
                "mirror_map": QNorm(1.5),
                "initial": np.array([0.75, -0.5, 0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 3,
                "constants": accelerated_mirror_descent.Constants(
                    sensitivity=1 / 12, noise_scale=0.3, smoothness=0.25
                ),
            },
            seed=3,
            twins=(exact, early, swapped, from_y),
        ),
    )


def output_perturbation_cases() -> tuple[Instance, ...]:
    """Output perturbation of gradient descent."""
    short = Twin("one step too few", "step", "range(n_iterations)", "range(n_iterations - 1)")
    no_ridge = Twin(
        "the ridge is left out", "formula", "(loss.gradient(records, x) + strength * x)",
        "loss.gradient(records, x)",
    )  # fmt: skip
    uphill = Twin(
        "steps go uphill", "sign", "x = x - chosen.step_size *", "x = x + chosen.step_size *"
    )
    return (
        Instance(
            "by-hand",
            "Two exact steps on two records, both of which are cut in the first, and noise once.",
            {
                "data": SMALL,
                "loss": Huber(),
                "regularizer": Ridge(0.5),
                "initial": np.array([1.0, 0.0]),
                "epsilon": 1.0,
                "delta": 0.25,
                "n_iterations": 2,
                "constants": output_perturbation.Constants(
                    step_size=0.5, sensitivity=1.0, noise_scale=2.0
                ),
            },
            twins=(short, no_ridge, uphill, NOT_CLIPPED),
        ),
        Instance(
            "middle",
            "Five exact steps with a ridge, and noise once.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "regularizer": Ridge(0.25),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 5,
            },
            twins=(short, no_ridge, uphill, NOT_CLIPPED),
        ),
        Instance(
            "no-regularizer",
            "Without a regulariser, where the sensitivity grows with the number of steps.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8, threshold=0.5),
                "regularizer": NoRegularizer(),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "epsilon": 2.0,
                "delta": 1e-5,
                "n_iterations": 3,
            },
            twins=(short, uphill, NOT_CLIPPED),
        ),
    )


INSTANCES = {
    "diss-2.sgd-accountant": sgd,
    "diss-3.1.1": svrg_cases,
    "diss-3.1.2": katyusha_cases,
    "diss-3.1.3": svrg_plus_plus_cases,
    "diss-3.1.4": mirror_descent,
    "diss-3.1.baselines": output_perturbation_cases,
}
