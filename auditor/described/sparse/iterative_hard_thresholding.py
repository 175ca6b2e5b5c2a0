"""DP-IHT (diss-5.3.43): audit and settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Ball,
    Case,
    Data,
    Form,
    Product,
    Scaling,
    Setting,
    along,
    form,
    noise_slope,
    rate_slope,
    real_data,
    scaled_claim,
)
from auditor.described.data import fair
from auditor.described.data import linear_models as shared
from auditor.described.data.sparse_regression import largest_squares
from auditor.described.data.vectors import relative_distance
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball, SparseVectors
from reference.losses import (
    Biweight,
    FeatureNorm,
    Huber,
    Linear,
    LinearModelLoss,
    Logistic,
    Records,
    Sigmoid,
)
from reference.privacy.ledger import Ledger
from reference.sparse import iterative_hard_thresholding
from reference.sparse.iterative_hard_thresholding import (
    constants_for,
    private_hard_thresholding,
)

DELTA = 1e-5
KEPT = 65
"""k = (1 + 64 kappa^2) k* for kappa = k* = 1."""


def _form(
    function: Any = private_hard_thresholding,
    pair: tuple[Data, Data] | None = None,
    *,
    loss: LinearModelLoss = Linear(),  # noqa: B008
    sparsity: int = 2,
    **options: Any,
) -> Form:
    """On the pair that is worst for the linear loss (G = 1): x_T then tells all that is released.

    Two coefficients of two are kept, so that a step drops nothing.
    """
    return form(
        function,
        pair or shared.one_visible_record(10, 2, loss.feature_bound),
        loss,
        initial=np.zeros(2),
        epsilon=1.0,
        delta=1e-2,
        sparsity=sparsity,
        n_iterations=4,
        domain=Product((Ball(2, loss.feature_bound), shared.LABELS)),
        exact_query=shared.exact_linear_gradient,
        **options,
    )


def kept_before_the_noise(
    data: Data,
    loss: LinearModelLoss,
    *,
    initial: FloatArray,
    sparsity: int,
    ledger: Ledger,
    **_: Any,
) -> FloatArray:
    """Return a step that adds noise only to what it keeps: which that is, the data decide."""
    constants = constants_for(loss, n=len(data[1]), epsilon=1.0, delta=1e-2, n_iterations=1)
    kept = SparseVectors(sparsity).project(loss.gradient(data, initial))
    return initial - constants.step_size * ledger.gaussian(
        kept, sensitivity=constants.sensitivity, scale=constants.noise_scale
    )


def _close_call() -> tuple[Data, Data]:
    """Return ten records of which one decides which coordinate of the gradient is the largest."""
    features = np.full((10, 2), 0.5**0.5)
    features[0] = 1.0, 0.0
    other = features.copy()
    other[0] = 0.0, 1.0
    return (features, np.ones(10)), (other, np.ones(10))


@dataclass(frozen=True)
class _Centre:
    """||x - z||^2/2 over n records of the unit ball whose mean is e_1/2; x in the ball too.

    The data are the record numbers 0..n-1: as a gradient needs their mean alone, n enters the
    algorithm only as it should, through its noise.
    """

    convex: bool = True
    lipschitz: float = 2.0
    smoothness: float = 1.0
    gradient_norm: FeatureNorm = "l2"

    def validate(self, data: Any, dimension: int) -> Any:
        return data

    def size(self, records: Any) -> int:
        return len(records)

    def gradient(self, records: Any, x: FloatArray, indices: Any = None) -> FloatArray:
        return x - _centre(x.size)


def _centre(dimension: int) -> FloatArray:
    centre = np.zeros(dimension)
    centre[0] = 0.5
    return centre


def _excess(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 8_000,
    p: float = 1_000,
    epsilon: float = 1.0,
) -> float:
    found = private_hard_thresholding(
        np.arange(int(n)),
        _Centre(),
        L2Ball(1.0),
        initial=np.zeros(int(p)),
        epsilon=epsilon,
        delta=DELTA,
        sparsity=KEPT,
        n_iterations=20,
        ledger=ledger,
    )
    return float(np.sum((found - _centre(int(p))) ** 2) / 2)


def _scaling() -> tuple[Scaling, ...]:
    """Return the recipes at T = 20, of order log n, held.

    The risk is 1-strongly convex and 1-smooth, and x* has one coefficient: kappa = k* = 1, k = 65.
    """
    claim = "Theorem 5.3.8: E L(x_T) - L(x*) = O(log n log p k* log(1/delta)/(n epsilon)^2)"
    dimensions, epsilons = (500, 2_000, 8_000, 32_000), (0.25, 0.5, 1.0, 2.0)
    in_p = rate_slope(dimensions, lambda p: largest_squares(p, KEPT))
    recipe = partial(along, error=_excess, repetitions=8, claim=claim)
    return (
        recipe("n", (2_000, 4_000, 8_000, 16_000), -2.0),
        recipe("epsilon", epsilons, noise_slope(epsilons, DELTA, 2.0)),
        recipe(
            "p", dimensions, in_p, claim=f"{claim}; for log p, that of the k largest of p normals"
        ),
    )


def dp_iht() -> Case:
    """DP-IHT: full gradients with Gaussian noise, of which a step keeps the largest entries."""
    return Case(
        id="diss-5.3.43",
        forms={
            "corrected": _form(statistic=lambda x: -float(x[0])),
            "corrected-sparse": _form(sparsity=1, no_black_box="the form that keeps all has one"),
        },
        scaling=_scaling(),
        real_data=(
            real_data(
                private_hard_thresholding,
                Logistic(),
                name="fair (statsmodels)",
                load=fair.classification,
                neighbour=fair.opposite_record,
                error=relative_distance,
                epsilons=(0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
                metric="||x - x_IHT|| / ||x_IHT||",
                initial=np.zeros(9),  # eight columns and an intercept
                delta=DELTA,
                sparsity=3,  # of no theorem, which asks for k >= 65 k*
                n_iterations=20,
            ),
        ),
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(
                _form(loss=Linear(feature_bound=1e3), no_black_box="a mutant"), 1e-3
            ),
            "truncated before the noise": _form(
                kept_before_the_noise, _close_call(), sparsity=1, no_black_box="a mutant"
            ),
        },
    )


def _records(n: int, dimension: int, seed: int) -> Records:
    """Return features, of which some are longer than 1, and labels -1 and 1."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_normal((n, dimension)) / np.sqrt(dimension), 3)
    margins = features @ np.linspace(1.0, -1.0, dimension) + 0.3 * rng.standard_normal(n)
    return features, np.where(margins < 0, -1.0, 1.0)


def breast_cancer() -> Records:
    """Return 40 records of scikit-learn's breast cancer data: five features, standardised."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:400:10, [0, 1, 4, 7, 9]]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)
    return np.round(standard, 6), np.where(labels[:400:10] == 1, 1.0, -1.0)


def _without_noise(
    *,
    data: Records,
    loss: Any,
    initial: FloatArray,
    sparsity: int,
    n_iterations: int,
    constraint: Any = None,
    **_: Any,
) -> FloatArray:
    """Return steps of size 1/(2L) along the gradients, of which the largest entries are kept."""
    x, records = initial, loss.validate(data, initial.size)
    for _step in range(n_iterations):
        x = x - loss.gradient(records, x) / (2 * loss.smoothness)
        x[np.argsort(-np.abs(x))[sparsity:]] = 0.0
        x = x if constraint is None else constraint.project(x)
    return x


def settings() -> tuple[Setting, ...]:
    """Private iterative hard thresholding."""
    rng = np.random.default_rng(5)
    features, _ = _records(24, 5, 5)
    responses = np.round(features @ [1.0, 0.0, -1.0, 0.0, 0.0] + rng.standard_t(2, 24), 3)
    tukey, huber = Biweight(feature_bound=1.0, threshold=1.0), Huber(5.0, threshold=1.0)
    few = np.array([[6.0, 8.0, 0.0], [0.0, 0.0, 2.0]]), np.array([-2.0, 1.5])
    chosen = iterative_hard_thresholding.Constants(sensitivity=5.0, noise_scale=2.0, step_size=0.5)

    def of(data: Records, loss: Any, initial: Any, kept: int, steps: int, **ball: Any) -> Any:
        known = {"epsilon": 1.0, "delta": 1e-3, "data": data, "loss": loss, **ball}
        return {**known, "initial": np.array(initial), "sparsity": kept, "n_iterations": steps}

    return (
        Setting(
            "by-hand",
            "One step on two records, the first of which is cut from length 10 to 5 and has a "
            "residual beyond the threshold; one of three coordinates is kept.",
            of(few, huber, [0.5, 0.0, 0.0], 1, 1) | {"constants": chosen},
            # features (3, 4, 0) and (0, 0, 2), slopes 1 and -1: half of (-1.5, -2, 1)
            noiseless=np.array([0.0, -1.0, 0.0]),
        ),
        Setting(
            "middle",
            "Four steps of a logistic regression, two of six coordinates; nothing is projected.",
            of(_records(40, 6, 4), Logistic(feature_bound=1.25), np.zeros(6), 2, 4),
            noiseless=_without_noise,
        ),
        Setting(
            "ball",
            "Points are truncated first and projected then; the ball binds in some of the steps.",
            of(_records(30, 4, 6), Sigmoid(), [0.0, -0.5, 0.0, 0.0], 2, 4, constraint=L2Ball(0.6))
            | {"epsilon": 2.0},
            seed=2,
            noiseless=_without_noise,
        ),
        Setting(
            "all-coordinates",
            "Nothing is truncated, and gross errors have no slope at all: noisy gradient descent.",
            of((features, responses), tukey, [0.25, 0.0, -0.25, 0.0, 0.0], 5, 3),
            noiseless=_without_noise,
        ),
        Setting(
            "real-data",
            "Forty records of the breast cancer data, two of five coordinates in a ball.",
            of(breast_cancer(), Logistic(2.0), np.zeros(5), 2, 5, constraint=L2Ball(0.75))
            | {"epsilon": 4.0},
            noiseless=_without_noise,
        ),
    )


CASES = {"diss-5.3.43": dp_iht}
SETTINGS = {"diss-5.3.43": settings}
