"""Arguments that are good by themselves and do not fit the algorithm or each other."""

import math
import re

import numpy as np
import pytest

from reference.constraint_sets import L1Ball, L2Ball, Polytope, SparseVectors
from reference.convex import katyusha, stochastic_gradient_descent, svrg
from reference.losses import Biweight, Huber, Logistic, Sigmoid, SquaredDistance
from reference.matrices.laplace_covariance_perturbation import Constants as LaplaceConstants
from reference.matrices.wishart_covariance_perturbation_approximate import (
    Constants as WishartConstants,
)
from reference.nonconvex import constrained_descent, frank_wolfe_l1, frank_wolfe_l2
from reference.nonconvex.proximal_gradient_descent import Constants as ProximalConstants
from reference.proximal import L1Norm, Ridge

OF_ANOTHER_NORM = Logistic(feature_norm="l-infinity")
GRADIENTS_IN_L2 = (
    "diss-2.sgd-accountant",
    *("diss-3.1.1", "diss-3.1.2", "diss-3.1.3", "diss-3.1.4", "diss-3.1.baselines"),
    *("diss-4.1.16", "diss-4.1.17", "diss-4.1.18", "diss-4.2.20"),
)
WITH_A_SET = (
    *("diss-2.sgd-accountant", "diss-3.1.4", "diss-4.1.17", "diss-4.1.18", "diss-4.1.19"),
    *("diss-4.2.21", "diss-4.2.22", "diss-4.3.27"),
)
WITH_HESSIANS = ("diss-4.3.25", "diss-4.3.26", "diss-4.3.27", "diss-4.3.28", "diss-4.3.29")
LASSO_AFTER_NOISE = {
    "diss-6.3-SULQ": math.sqrt(8) * math.log(200),
    "diss-6.3.51-G": 1.32786,
    "diss-6.3.51-L": math.sqrt(5) / 2,
    "diss-6.3.51-W1": math.sqrt(5) / 2,
    "diss-6.3.51-W2": 11 / 2,
    "diss-6.3.52": math.sqrt(5) / 2,
    "diss-6.3.53": 1.32786 * math.sqrt(2),
}
"""The scale of the noise in the mean of two records with two entries, epsilon 1 and delta 0.01."""
LAPLACE, WISHART = LaplaceConstants(0.5, 2.0), WishartConstants(0.5, 9.0, 0.5)


@pytest.mark.parametrize("identifier", GRADIENTS_IN_L2)
def test_a_loss_that_bounds_gradients_in_another_norm(identifier, refusal):
    message = refusal(identifier, {"loss": OF_ANOTHER_NORM})
    assert "loss must bound gradients in l2, got l-infinity" in message


@pytest.mark.parametrize("identifier", WITH_A_SET)
def test_a_start_outside_of_the_set(identifier, refusal, arguments_of):
    far = np.full_like(arguments_of(identifier)["initial"], 9.0)
    assert "initial must lie in the constraint set" in refusal(identifier, {"initial": far})


@pytest.mark.parametrize("identifier", WITH_HESSIANS)
def test_a_loss_without_hessians(identifier, refusal):
    assert "a loss with Hessians" in refusal(identifier, {"loss": Huber()})


@pytest.mark.parametrize("identifier", LASSO_AFTER_NOISE)
def test_a_penalty_far_below_the_noise(identifier, refusal):
    """Or the minimiser is beyond what doubles resolve, found out after the release."""
    scale = LASSO_AFTER_NOISE[identifier]
    message = refusal(identifier, {"penalty": 0.99e-6 * scale})
    said = re.search("penalty must be at least 1e-06 of the scale of the noise, (.*), got", message)
    assert float(said[1]) == pytest.approx(scale, rel=1e-5)


@pytest.mark.parametrize(
    ("identifier", "changes", "message"),
    [
        ("diss-2.sgd-accountant", {"constraint": Polytope(np.eye(2))}, "constraint must be"),
        (
            "diss-2.sgd-accountant",
            {"constants": stochastic_gradient_descent.Constants(11, 1.0, 1.0, 1.0, 1e-9)},
            "batch_size must be an integer >= 1 and <= 10, got 11",
        ),
        (
            "diss-3.1.1",
            {"constants": svrg.Constants(11, 1.0, 1.0, 1.0, 1.0)},
            "batch_size must be an integer >= 1 and <= 10, got 11",
        ),
        ("diss-3.1.2", {"initial": [1.0]}, "features must have shape ('any', 1)"),
        ("diss-3.1.4", {"mirror_map": L2Ball(1.0)}, "mirror_map must be"),
        ("diss-3.1.baselines", {"regularizer": L1Norm(0.1)}, "regularizer must be"),
        ("diss-4.1.16", {"constraint": SparseVectors(1)}, "constraint must be convex, got Sparse"),
        (
            "diss-4.1.16",
            {"initial": [1.0, 1.0], "constraint": L2Ball(1.0)},
            "initial must lie in the constraint set",
        ),
        ("diss-4.1.17", {"constraint": Polytope(np.eye(2))}, "constraint must be"),
        ("diss-4.1.18", {"mirror_map": L2Ball(1.0)}, "mirror_map must be"),
        ("diss-4.1.18", {"regularizer": Ridge(1.0)}, "regularizer must be"),
        ("diss-4.1.19", {"constraint": Polytope(np.eye(2))}, "must have 1 coordinates, got 2"),
        (
            "diss-4.1.19",
            {"constraint": Polytope(np.zeros((2, 1)))},
            "at least two different points",
        ),
        (
            "diss-4.1.19",
            {"constants": ProximalConstants(1.0, 1.0, 1.0)},
            "constants must be a reference.nonconvex.frank_wolfe_l1.Constants",
        ),
        ("diss-4.2.20", {"regularizer": L1Norm(0.1)}, "regularizer must be"),
        ("diss-4.2.20", {"epsilon": 1.9}, "n_iterations must be at least 1.02 times as large"),
        ("diss-2.randomized-response", {"data": [0.5]}, "data must be"),
        ("diss-2.randomized-response", {"data": [2]}, "data must be"),
        ("diss-4.2.21", {"loss": Sigmoid()}, "GeneralizedLinear or a Biweight"),
        ("diss-4.2.21", {"loss": Biweight()}, "loss.feature_bound must be in [0, 1], got inf"),
        ("diss-4.2.21", {"loss": Biweight(1.0, "l-infinity")}, "gradients in l2"),
        ("diss-4.2.22", {"loss": Sigmoid()}, "GeneralizedLinear or a Biweight"),
        ("diss-4.2.22", {"loss": Biweight()}, "loss.feature_bound must be in [0, 1], got inf"),
        ("diss-4.2.4-EM", {"loss": SquaredDistance()}, "loss must be"),
        ("diss-4.2.4-EM", {"loss": OF_ANOTHER_NORM}, "loss must bound gradients in l2"),
        ("diss-4.2.4-EM", {"regularizer": L1Norm(1.0)}, "regularizer must be"),
        ("diss-4.2.4-EM", {"accuracy": 1e-9}, "at most 1,000,000 points"),
        ("diss-4.3.25", {"loss": Sigmoid(feature_norm="l-infinity")}, "gradients in l2"),
        ("diss-4.3.27", {"constraint": L1Ball(1.0)}, "L2Ball"),
        (
            "diss-6.1.46",
            {"n_components": 2},
            "n_components must be an integer >= 1 and <= 1, got 2",
        ),
        ("diss-6.1.46", {"data": np.zeros((3, 1))}, "at least 2 columns, got shape (3, 1)"),
        (
            "diss-6.1.47",
            {"n_components": 2},
            "n_components must be an integer >= 1 and <= 1, got 2",
        ),
        ("diss-6.1.47", {"data": np.zeros((3, 1))}, "at least 2 columns, got shape (3, 1)"),
        ("diss-6.2.48", {"data": np.zeros((3, 1))}, "at least 2 columns, got shape (3, 1)"),
        ("diss-6.2.49", {"data": np.zeros((3, 1))}, "at least 2 columns, got shape (3, 1)"),
        (
            "diss-6.3.51-W2",
            {"constants": WishartConstants(0.1, 1.0, 0.1)},
            "degrees must be > d - 1 = 1, got 1.0",
        ),
        ("diss-6.3.52", {"constants": WISHART}, "constants must be a reference.matrices.laplace"),
        (
            "diss-6.3.52",
            {"delta": 0.01, "constants": LAPLACE},
            "constants must be a reference.matrices.wishart",
        ),
    ],
)
def test_what_does_not_fit(identifier, changes, message, refusal):
    assert message in refusal(identifier, changes)


@pytest.mark.parametrize(
    ("constants", "numbers", "message"),
    [
        (katyusha.Constants, (1, 1.0, 1.0, 1.0, 1.0, 0.6), "momentum"),
        (frank_wolfe_l1.Constants, (1.0, 1.0, 1.1), r"step_size must be in \[0, 1\], got 1.1"),
        (frank_wolfe_l2.Constants, (1.0, 1.0, 1.1), r"step_size must be in \[0, 1\], got 1.1"),
        (constrained_descent.Constants, (1, 1, 1, 1, 1.5, 0.1, 1, 1, 1), "step_size"),
    ],
)
def test_a_step_that_would_leave_the_set(constants, numbers, message):
    with pytest.raises(ValueError, match=message):
        constants(*numbers)
