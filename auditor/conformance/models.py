"""Vectors of losses, latent-variable models and polynomials: all that they say about records."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from auditor.conformance.functions import Function, Sample, alike, single
from reference.clipping import clip_sparse_rows
from reference.constraint_sets import L1Ball, L2Ball
from reference.em.models import GaussianMixture, MissingCovariates, MixtureOfRegressions
from reference.local.bernstein import BernsteinPolynomial, iteration_matrix, quadrature
from reference.losses import (
    Biweight,
    Cosine,
    GeneralizedLinear,
    Huber,
    Linear,
    Logistic,
    RidgeRegularized,
    Sigmoid,
    SquaredDistance,
    SquaredError,
)
from reference.pairwise.losses import AUC, MetricLearning, Midpoint, Regularized

FEATURES = np.array([[0.5, -0.25, 1.0], [-1.0, 0.75, 0.5], [0.25, 0.5, -0.75], [2.0, 0.0, 1.0]])
LABELS = np.array([1.0, -1.0, 1.0, -1.0])
RESPONSES = np.array([0.5, -1.25, 3.0, 0.75])
X = np.array([0.5, -0.25, 1.0])
SOME = np.array([2, 0])


def _loss(loss: Any, features: Any, labels: Any, x: Any, some: Any) -> dict[str, Any]:
    records = loss.validate((features, labels), len(x))
    found = {
        "features": records[0],
        "n": loss.size(records),
        "values": loss.values(records, x),
        "gradients": loss.gradients(records, x),
        "gradient": loss.gradient(records, x),
        "gradient_of_some": loss.gradient(records, x, some),
        "convex": loss.convex,
        "slope_bound": loss.slope_bound,
        "curvature_bound": loss.curvature_bound,
        "lipschitz": loss.lipschitz,
        "smoothness": loss.smoothness,
    }
    if hasattr(loss, "hessian"):
        found |= {
            "hessian": loss.hessian(records, x),
            "hessian_of_some": loss.hessian(records, x, some),
            "hessian_lipschitz": loss.hessian_lipschitz,
            "hessian_change": loss.hessian_change(len(x)),
        }
    return found


def _losses() -> Function:
    about = (
        "Records cut to the bound, then at x values, gradients, their means over all and over "
        "some records, the Hessian, and the constants that privacy rests on."
    )
    binary = (LABELS + 1) / 2
    cases: dict[str, tuple[Any, Any]] = {
        "logistic": (Logistic(1.25), LABELS),
        "logistic-entrywise": (Logistic(0.75, "l-infinity"), LABELS),
        "sigmoid": (Sigmoid(1.25), LABELS),
        "cosine": (Cosine(1.25), RESPONSES),
        "linear": (Linear(1.25, declared_curvature=2.0), LABELS),
        "huber": (Huber(1.25, threshold=0.75), RESPONSES),
        "squared-error": (SquaredError(), RESPONSES),
        "squared-error-bounded": (SquaredError(1.25), RESPONSES),
        "biweight": (Biweight(1.25, threshold=1.5), RESPONSES),
        "link-sigmoid": (GeneralizedLinear(1.25, link="sigmoid"), binary),
        "link-probit": (GeneralizedLinear(1.25, link="probit"), binary),
        "link-identity": (GeneralizedLinear(link="identity", feature_bound=4.0), binary),
    }
    return Function(
        _loss,
        [
            Sample(
                name,
                about,
                {"loss": loss, "features": FEATURES, "labels": labels, "x": 1.5 * X, "some": SOME},
            )
            for name, (loss, labels) in cases.items()
        ],
        1e-12,
        "exponentials",
    )


def _of_arrays(loss: Any, data: Any, x: Any) -> dict[str, Any]:
    records = loss.validate(data, len(x))
    return {
        "n": loss.size(records),
        "values": loss.values(records, x),
        "gradients": loss.gradients(records, x),
    }


def _sparse(features: Any, threshold: float) -> Any:
    return clip_sparse_rows(scipy.sparse.csr_array(features), threshold).toarray()


def _sparse_records(loss: Any, features: Any, labels: Any, x: Any) -> dict[str, Any]:
    records = loss.validate_sparse((scipy.sparse.csr_array(features), labels), len(x))
    return {"features": records[0].toarray(), "gradient": loss.gradient(records, x)}


def _model(model: Any, data: Any, beta: Any, given: Any, threshold: float, radius: float) -> Any:
    records = model.validate(data, len(beta))
    return {
        "basin": model.basin,
        "gradients": model.gradients(records, beta),
        "truncated_gradients": model.truncated_gradients(records, beta, threshold),
        "truncated_sensitivity": model.truncated_sensitivity(threshold),
        "iterate_bound": model.iterate_bound(threshold),
        "objective": model.objective(records, beta, given),
        "maximiser": model.maximiser(records, given),
        "log_likelihood": model.log_likelihood(records, beta),
        "moment_bound": model.moment_bound(beta, radius),
    }


def _models() -> Function:
    about = (
        "Gradients, whole and truncated, the objective and its maximiser from other posterior "
        "weights, the likelihood, and the bounds that theory and privacy rest on."
    )
    vectors = np.array([[1.5, -0.25], [-1.0, 0.75], [0.25, 0.5], [2.0, -1.5], [-0.5, 0.25]])
    paired = np.column_stack([vectors, [1.5, -1.0, 2.0, 0.25, -0.75]])
    holed = paired.copy()
    holed[0, 1] = holed[2, 0] = np.nan
    holed[3, :2] = np.nan
    rest = {
        "beta": np.array([0.5, -0.75]),
        "given": np.array([0.25, 1.0]),
        "threshold": 1.25,
        "radius": 0.5,
    }
    return Function(
        _model,
        [
            Sample(
                "mixture",
                about,
                {"model": GaussianMixture(0.75), "data": vectors, **rest},
            ),
            Sample(
                "regressions",
                about,
                {"model": MixtureOfRegressions(0.75), "data": paired, **rest},
            ),
            Sample(
                "missing", about, {"model": MissingCovariates(0.75, 0.2), "data": holed, **rest}
            ),
        ],
        1e-11,
        "exponentials and a linear system",
    )


def _pair(loss: Any, data: Any, w: Any, index: int, others: Any, radius: float) -> Any:
    labelled = (data["features"], data["labels"]) if isinstance(data, dict) else data
    records = loss.validate(labelled, len(w))
    return {
        "n": loss.size(records),
        "features": records[0] if isinstance(records, tuple) else records,
        "gradient": loss.gradient(records, w, index, others),
        "smoothness": loss.smoothness,
        "strong_convexity": loss.strong_convexity,
        "lipschitz": loss.lipschitz(radius),
    }


def _pairs() -> Function:
    about = "The mean gradient of the pairs of a record with others, and the bounds of any pair."
    rest = {"index": 2, "others": np.array([0, 1, 3]), "radius": 0.75}
    labelled = {"features": FEATURES, "labels": np.array([1.0, -1.0, 1.0, 1.0])}
    matrix = np.array([0.5, 0.25, 0.0, 0.25, 0.5, -0.25, 0.0, -0.25, 1.0])
    far = np.array([1.0, 2.0, -1.0])
    near = np.array([0.25, 0.0, 0.0])
    return Function(
        _pair,
        [
            Sample("midpoint", about, {"loss": Midpoint(1.25), "data": FEATURES, "w": X, **rest}),
            Sample(
                "auc",
                about,
                {"loss": AUC(1.25), "data": labelled, "w": X, **rest},
            ),
            Sample(
                "metric",
                about,
                {"loss": MetricLearning(1.25), "data": labelled, "w": matrix, **rest},
            ),
            *(
                Sample(
                    f"regularised-{name}",
                    "A ball's diameter, or what a centre outside the ball makes of that.",
                    {"loss": Regularized(AUC(1.25), 0.5, centre), "data": labelled, "w": X, **rest},
                )
                for name, centre in (("near", near), ("far", far))
            ),
        ],
        1e-12,
        "exponentials",
    )


def _polynomial(values: Any, order: int, points: Any, strength: float) -> dict[str, Any]:
    found = BernsteinPolynomial.through(values, order=order)
    return {
        "degree": found.degree,
        "dimension": found.dimension,
        "coefficients": found.coefficients,
        "values": found(points),
        "with_ridge": found.with_ridge(strength).coefficients,
    }


def _minimum(values: Any, order: int, ball: Any, most_boxes: int) -> dict[str, Any]:
    found = BernsteinPolynomial.through(values, order=order).minimum(
        project=None if ball is None else _shifted(ball), most_boxes=most_boxes
    )
    return {"point": found.point, "value": found.value, "gap": found.gap}


def _shifted(ball: Any) -> Any:
    """Return the projection on a ball around the cube's centre."""
    return lambda point: np.clip(0.5 + ball.project(point - 0.5), 0.0, 1.0)


def _polynomials() -> dict[str, Function]:
    line = np.array([0.5, 0.0, 1.0, -0.25, 0.75])
    plane = np.array([[0.5, 0.25, 1.0], [0.0, -0.5, 0.75], [1.0, 0.25, 0.5]])
    corner = np.array([[0.5, 0.25, 1.0], [0.0, 0.5, 0.75], [-1.0, 0.25, 0.5]])
    return {
        "bernstein-polynomial": Function(
            _polynomial,
            [
                Sample(
                    "line",
                    "Coefficients, values, and the polynomial plus (strength/2) |w|^2.",
                    {
                        "values": line,
                        "order": 2,
                        "points": np.array([[0.0], [0.3], [1.0]]),
                        "strength": 0.75,
                    },
                ),
                Sample(
                    "plane",
                    "The same in two variables; the operator is iterated in each.",
                    {
                        "values": plane,
                        "order": 3,
                        "points": np.array([[0.0, 1.0], [0.25, 0.6], [0.5, 0.5]]),
                        "strength": 0.75,
                    },
                ),
                Sample(
                    "degree-one",
                    "A line: the ridge raises its degree.",
                    {
                        "values": np.array([0.5, -1.0]),
                        "order": 1,
                        "points": np.array([[0.25]]),
                        "strength": 2.0,
                    },
                ),
            ],
            1e-11,
        ),
        "bernstein-minimum": Function(
            _minimum,
            alike(
                "The smallest value on the cube or a part of it, and a certified gap where the "
                "search stops early.",
                ("values", "order", "ball", "most_boxes"),
                {
                    "line-stopped": (line, 2, None, 9),
                    "corner": (corner, 1, None, 1),
                    "other-corner": (corner.T, 1, None, 1),
                    "plane-stopped": (plane, 2, None, 9),
                    "plane-ball-stopped": (plane, 2, L2Ball(0.375), 30),
                    "plane-diamond-stopped": (plane, 1, L1Ball(0.25), 30),
                },
            ),
            1e-9,
        ),
        "bernstein-iteration": single(
            iteration_matrix,
            "The matrix of the iterated operator.",
            {"degree": 3, "order": 3},
            1e-12,
            name="cubic",
        ),
        "quadrature": Function(
            lambda degree: [list(pair) for pair in quadrature(degree)],
            [
                Sample(
                    f"degree={degree}",
                    "Nodes and weights on [0, 1], as few as are exact for the degree.",
                    {"degree": degree},
                )
                for degree in (1, 4, 5)
            ],
            1e-12,
        ),
    }


HUGE = np.array([[1e200, 1e200, 0.0], [1e-200, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 1.0, -2.0]])
MODELS: dict[str, Function] = {
    "loss": _losses(),
    "loss-of-vectors": Function(
        _of_arrays,
        [
            Sample(
                "squared-distance",
                "||x - a||^2 and its gradient.",
                {"loss": SquaredDistance(), "data": FEATURES, "x": X},
            ),
            Sample(
                "ridge",
                "Plus strength/2 times the squared norm.",
                {"loss": RidgeRegularized(SquaredDistance(), 0.75), "data": FEATURES, "x": X},
            ),
        ],
        1e-13,
    ),
    "clip-sparse-rows": Function(
        _sparse,
        alike(
            "As for dense rows: only rows longer than the threshold are scaled down.",
            ("features", "threshold"),
            {
                "by-half": (FEATURES / 2, 0.5625),
                "extreme": (HUGE, 1.0),
            },
        ),
        1e-14,
        "a norm",
    ),
    "sparse-loss": Function(
        _sparse_records,
        [
            Sample(
                name,
                "Sparse features are cut and averaged as dense ones.",
                {"loss": loss, "features": FEATURES, "labels": LABELS, "x": X},
            )
            for name, loss in (
                ("l2", Logistic(1.25)),
                ("entrywise", Logistic(0.75, "l-infinity")),
                ("unbounded", SquaredError()),
            )
        ],
        1e-12,
        "exponentials",
    ),
    "latent-model": _models(),
    "pair-loss": _pairs(),
    **_polynomials(),
}
