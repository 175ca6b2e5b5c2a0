"""Formulas by which an analyst chooses parameters: no run calls them, and every port needs them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from auditor.conformance.conversions import GUARANTEES
from auditor.conformance.functions import Function, Sample, alike, single
from reference.constraint_sets import L1Ball
from reference.heavy_tailed.frank_wolfe import recommended_iterations, recommended_truncation_scale
from reference.heavy_tailed.lasso import recommended_truncation_level
from reference.heavy_tailed.private_mean import constants_for_lemma_1
from reference.heavy_tailed.sparse_optimisation import balanced_truncation_scale
from reference.heavy_tailed.sparse_regression import theorem_truncation_level
from reference.heavy_tailed.trimmed_mean import trim_count
from reference.heavy_tailed.truncation import mean_sensitivity
from reference.local.marginals import step_polynomial
from reference.local.selected_noise_bernstein_mechanism import index_loss
from reference.local.trigonometry_mechanism import SmoothQueries, coefficients
from reference.losses import Sigmoid
from reference.matrices import (
    covariance_thresholding,
    local_covariance_thresholding,
    local_gaussian_pca,
)
from reference.nonconvex.frank_wolfe_l1 import constants_for_l1_smooth
from reference.nonconvex.trust_region import enough_iterations
from reference.privacy.guarantees import (
    ZCDP,
    GaussianDP,
    PureDP,
    Relation,
    add_remove_to_replace_one,
    gaussian_to_zcdp,
    pure_to_zcdp,
    zcdp_to_renyi,
)
from reference.privacy.mechanisms import (
    Bit,
    Exponential,
    Gaussian,
    IntervalExponential,
    L2BallRandomizer,
    Laplace,
    NoisyMax,
    RandomizedResponse,
    SmoothSensitivity,
    SymmetricGaussian,
    SymmetricLaplace,
    Wishart,
)
from reference.sparse.peeling import noise_scale

FRANK_WOLFE = {
    "second_moment": 3.0,
    "n": 5000,
    "dimension": 7,
    "n_vertices": 14,
    "epsilon": 0.5,
    "failure_probability": 0.1,
}
STEPS = {"n": 500, "epsilon": 0.5, "delta": 1e-5}


PLANS: dict[str, Function] = {
    "truncated-mean-sensitivity": single(
        lambda **arguments: mean_sensitivity(**arguments),
        "(4 sqrt 2/3) s/n: twice the papers' bound of a record, over n.",
        {"n": 50, "scale": 2.5},
        1e-13,
    ),
    "frank-wolfe-truncation-scale": Function(
        recommended_truncation_scale,
        [
            Sample(
                f"precision={precision:g}",
                "The scale that makes the bound on the error of a step smallest; blocks are whole.",
                {**FRANK_WOLFE, "n_iterations": 7, "precision": precision},
            )
            for precision in (1.0, 2.5)
        ],
        1e-12,
    ),
    "frank-wolfe-iterations": Function(
        recommended_iterations,
        [
            Sample(
                name,
                "The number of steps that makes the bound of the theorem smallest, in [1, n].",
                {**FRANK_WOLFE, "smoothness": smoothness, "diameter": 2.5, **changed},
            )
            for name, smoothness, changed in (
                ("usual", 4.0, {}),
                ("many", 40.0, {"n": 10**7, "precision": 2.5}),
                ("at-least-one", 1e-3, {}),
                ("at-most-n", 1e4, {"n": 9}),
            )
        ],
        0.0,
        "integers",
    ),
    "lasso-truncation-level": single(
        recommended_truncation_level,
        "(M n epsilon)^(1/4)/T^(1/8).",
        {"n": 1000, "epsilon": 0.5, "n_iterations": 9, "fourth_moment": 3.0},
        1e-12,
    ),
    "sparse-regression-truncation-level": single(
        theorem_truncation_level,
        "(n epsilon/(s T))^(1/4).",
        {"n": 1000, "epsilon": 0.5, "sparsity": 3, "n_iterations": 9},
        1e-12,
    ),
    "sparse-optimisation-truncation-scale": single(
        balanced_truncation_scale,
        "sqrt(n epsilon tau/(T sqrt(s log(1/delta)) log d)).",
        {
            "n": 1000,
            "epsilon": 0.5,
            "delta": 1e-5,
            "second_moment": 3.0,
            "sparsity": 3,
            "dimension": 20,
            "n_iterations": 9,
        },
        1e-12,
    ),
    "trim-count": Function(
        trim_count,
        [
            Sample(
                name,
                "ceil((16/epsilon^2) log(n (b - a)/sigma)), at least 1.",
                {"n": 1000, "lower": -3.0, "upper": 2.0, **changed},
            )
            for name, changed in (
                ("usual", {"epsilon": 1.5, "standard_deviation": 0.75}),
                ("fine", {"n": 50_000, "epsilon": 0.1, "standard_deviation": 0.75}),
                ("at-least-one", {"epsilon": 1.5, "standard_deviation": 6000.0}),
            )
        ],
        0.0,
        "integers",
    ),
    "trust-region-iterations": single(
        enough_iterations,
        "6 sqrt(rho) Delta/alpha^1.5, rounded up.",
        {"loss": Sigmoid(1.5), "gap": 1.25, "accuracy": 0.01},
        0.0,
        "integers",
    ),
    "peeling-noise-scale": Function(
        noise_scale,
        [
            Sample(
                f"{method},sparsity={sparsity},epsilon={epsilon:g}",
                "The paper's scale, or the smaller of those of pure and zero-concentrated DP.",
                {
                    "epsilon": epsilon,
                    "delta": 1e-5,
                    "sparsity": sparsity,
                    "sensitivity": 0.25,
                    "method": method,
                },
            )
            for method in ("paper", "accountant")
            for sparsity, epsilon in ((1, 1.0), (12, 1.0), (12, 8.0), (200, 20.0), (1, 60.0))
        ],
        1e-6,
        "noise is found by a search",
    ),
    "mean-constants-lemma-1": single(
        lambda **arguments: constants_for_lemma_1(**arguments),
        "s = sqrt(n tau/(2 Lambda)) and precision 2 Lambda, with Lambda = log(1/zeta).",
        {**STEPS, "second_moment": 3.0, "failure_probability": 0.05},
        1e-6,
        "noise is found by a search",
    ),
    "frank-wolfe-l1-smooth-constants": Function(
        lambda ball, dimension, **arguments: constants_for_l1_smooth(
            vertices=ball.vertices(dimension), **arguments
        ),
        [
            Sample(
                name,
                "The step size sqrt(2/(M T))/||C||_1, at most 1.",
                {
                    "loss": Sigmoid(2.0),
                    "ball": L1Ball(radius),
                    "dimension": 3,
                    **STEPS,
                    "n_iterations": 9,
                },
            )
            for name, radius in (("usual", 2.5), ("at-most-one", 0.01))
        ],
        1e-6,
        "noise is found by a search",
    ),
}


def _numbers(guarantee: Any) -> dict[str, Any]:
    """Return what a guarantee or cost says, without the model and relation that it is about."""
    return {
        item.name: value
        for item in fields(guarantee)
        if isinstance(value := getattr(guarantee, item.name), (float, tuple, type(None)))
    }


def _replaced_one(kind: str, numbers: Any) -> dict[str, Any]:
    given = GUARANTEES[kind](*numbers.tolist(), relation=Relation.ADD_OR_REMOVE_ONE)
    return _numbers(add_remove_to_replace_one(given))


def _converted(number: float, alpha: float) -> dict[str, Any]:
    return {
        "pure_to_zcdp": _numbers(pure_to_zcdp(PureDP(number))),
        "gaussian_to_zcdp": _numbers(gaussian_to_zcdp(GaussianDP(number))),
        "zcdp_to_renyi": _numbers(zcdp_to_renyi(ZCDP(number), alpha)),
    }


def _cost(mechanism: Any, sensitivity: float) -> dict[str, Any]:
    return _numbers(mechanism.cost(sensitivity))


RENEWED = ("laplace", "smooth-sensitivity-narrow")
"""Mechanisms below whose cost changed (a smaller rho, a curve rounded up): second versions."""
MECHANISMS: dict[str, tuple[Any, float]] = {
    "gaussian": (Gaussian(0.5), 1.25),
    "laplace": (Laplace(0.5), 1.25),
    "laplace-tiny": (Laplace(1e200), 1e-200),
    "symmetric-gaussian": (SymmetricGaussian(0.5), 1.25),
    "symmetric-laplace-wide": (SymmetricLaplace(2.5), 1.25),
    "exponential": (Exponential(0.75), 1.25),
    "exponential-tiny": (Exponential(1e-200), 1e-200),
    "interval-exponential": (IntervalExponential(0.75, -1.0, 2.0), 1.25),
    "noisy-max": (NoisyMax(0.5), 1.25),
    "randomized-response": (RandomizedResponse(0.75, 4), 1.0),
    "randomized-response-two-answers": (RandomizedResponse(0.75, 4), 2.0),
    "l2-ball": (L2BallRandomizer(0.75, 2.0), 1.0),
    "bit": (Bit(2.0), 1.25),
    "wishart": (Wishart(4.0, 0.75, 3), 1.25),
    "wishart-other-degrees": (Wishart(5.0, 0.5, 3), 0.75),
    "wishart-few-degrees": (Wishart(3.5, 0.5, 3), 0.75),
    "smooth-sensitivity": (SmoothSensitivity(0.5, 0.1, 0.3, 0.125), 1.25),
    "smooth-sensitivity-approximate": (
        SmoothSensitivity(0.5, 0.02, 0.2, 0.125, noise="normal", epsilon=0.75),
        1.25,
    ),
    "smooth-sensitivity-narrow": (
        SmoothSensitivity(0.5, 0.25, 0.3, 0.125, noise="normal", epsilon=0.25, dimension=5),
        1.25,
    ),
    "smooth-sensitivity-nothing-left": (
        SmoothSensitivity(0.5, 2.0, 50.0, 0.125, noise="normal", epsilon=0.25),
        1.25,
    ),
    "smooth-sensitivity-of-vectors": (
        SmoothSensitivity(0.5, 0.05, 0.3, 0.125, noise="normal", epsilon=0.75, dimension=3),
        1.25,
    ),
}

PCA_NOISE = {
    "equal": local_gaussian_pca.constants_for,
    "scaled": local_gaussian_pca.constants_for_scaled,
    "diagonal": local_gaussian_pca.constants_for_diagonal,
}


def _pca(rule: str, epsilon: float, delta: float, n: int, dimension: int) -> dict[str, Any]:
    noise = PCA_NOISE[rule]
    asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "calibrate": noise}
    return {
        "user": _numbers(noise(epsilon=epsilon, delta=delta)),
        "covariance": _numbers(
            covariance_thresholding.constants_for(n=n, dimension=dimension, **asked)
        ),
        "local_covariance": _numbers(
            local_covariance_thresholding.constants_for(n=n, dimension=dimension, **asked)
        ),
    }


def _exponential(points: Any) -> Any:
    return np.exp(points @ (1 + np.arange(points.shape[1])) / 4)


def _smooth_query(means: Any) -> dict[str, Any]:
    return {
        "coefficients": coefficients(_exponential, means.shape),
        "answer": SmoothQueries(means).answer(_exponential),
    }


PLANS |= {
    "gaussian-pca-constants": Function(
        _pca,
        [
            Sample(
                rule,
                "A user's noise by three rules, and the thresholds that follow from it.",
                {"rule": rule, "epsilon": 0.75, "delta": 1e-5, "n": 200, "dimension": 5},
            )
            for rule in PCA_NOISE
        ],
        1e-6,
        "noise is found by a search",
    ),
    "smooth-query": Function(
        _smooth_query,
        alike(
            "Coefficients of the interpolant of exp((x_1 + 2 x_2 + ...)/4) in products of "
            "cosines, and the answer from noisy means.",
            ("means",),
            {
                "line": (np.array([1.0, 0.25, -0.5, 0.125]),),
                "plane": (np.array([[1.0, 0.5, 0.25], [-0.25, 0.125, 0.75]]),),
            },
        ),
        1e-12,
    ),
    "index-loss": Function(
        lambda **arguments: index_loss(**arguments),
        [
            Sample(
                f"{count}-candidates,epsilon={epsilon:g}",
                "The largest log-ratio of the chance that a candidate keeps its noise.",
                {"n_candidates": count, "base_epsilon": epsilon},
            )
            for count, epsilon in ((1, 0.5), (2, 0.25), (3, 0.625), (7, 0.0625))
        ],
        1e-10,
    ),
    "step-polynomial": Function(
        lambda **arguments: step_polynomial(**arguments).coef,
        [
            Sample(
                f"k={k},error={error:g}",
                "0 at 0, and at 1, ..., k within the error of 1; its coefficients.",
                {"k": k, "error": error},
            )
            for k, error in ((1, 0.25), (2, 0.01), (3, 0.125), (9, 0.5))
        ],
        1e-10,
    ),
    "add-remove-to-replace-one": Function(
        _replaced_one,
        [
            Sample(
                kind,
                "Replacing a record is removing one and adding one: two steps.",
                {"kind": kind, "numbers": np.array(numbers)},
            )
            for kind, numbers in (
                ("pure", (1.5,)),
                ("approximate", (1.5, 1e-3)),
                ("zcdp", (1.5,)),
                ("gaussian", (1.5,)),
            )
        ],
    ),
    "other-guarantees": single(
        _converted, "epsilon^2/2, mu^2/2, and the order times rho.", {"number": 1.5, "alpha": 3.5}
    ),
    "release-cost": Function(
        _cost,
        [
            Sample(
                name,
                "What a release of this sensitivity costs: epsilon, rho, and what is exact.",
                {"mechanism": mechanism, "sensitivity": sensitivity},
                version=2 if name in RENEWED else 1,
            )
            for name, (mechanism, sensitivity) in MECHANISMS.items()
        ],
        1e-12,
    ),
}
