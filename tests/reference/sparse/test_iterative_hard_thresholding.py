"""DP-IHT (diss-5.3.43): its constants, and what it finds. Its settings say more."""

import math

import numpy as np
import pytest
from sklearn.linear_model import OrthogonalMatchingPursuit

from reference.constraint_sets import L1Ball, L2Ball
from reference.losses import Huber, Linear, Logistic, SquaredError
from reference.privacy import NoiselessLedger
from reference.sparse.iterative_hard_thresholding import (
    Constants,
    constants_for,
    private_hard_thresholding,
)


def test_constants_by_hand():
    found = constants_for(Logistic(2.0), n=100, epsilon=1.0, delta=1e-5, n_iterations=9)
    assert found.sensitivity == pytest.approx(0.04)  # 2 G/n, G = 2
    assert found.step_size == pytest.approx(0.5)  # 1/(2 L), L = B^2/4 = 1
    one = constants_for(Logistic(2.0), n=100, epsilon=1.0, delta=1e-5, n_iterations=1)
    assert found.noise_scale == pytest.approx(3 * one.noise_scale)


@pytest.mark.parametrize("delta", [0.9, 1e-3, 1e-10, 1e-30])
def test_eight_is_a_constant_for_the_theorem(delta):
    found = constants_for(Linear(), n=100, epsilon=1.0, delta=delta, n_iterations=7)
    theorem = math.sqrt(8 * 7 * math.log(1 / delta)) / 100
    assert found.noise_scale <= theorem


def test_without_noise_it_finds_what_orthogonal_matching_pursuit_finds():
    rng = np.random.default_rng(5)
    features = rng.choice([-1.0, 1.0], size=(400, 60)) / math.sqrt(60)
    truth = np.zeros(60)
    truth[[4, 17, 33, 58]] = 2.0, -1.5, 1.0, 0.8
    labels = features @ truth + 0.01 * rng.standard_normal(400)
    # the Hessian of the mean is near I/60
    constants = Constants(sensitivity=1.0, noise_scale=1.0, step_size=60.0)
    found = private_hard_thresholding(
        (features, labels),
        Huber(1.0, threshold=10.0),
        initial=np.zeros(60),
        epsilon=1.0,
        delta=1e-3,
        sparsity=4,
        n_iterations=100,
        constants=constants,
        ledger=NoiselessLedger(),
    )
    pursued = OrthogonalMatchingPursuit(n_nonzero_coefs=4, fit_intercept=False)
    assert found == pytest.approx(pursued.fit(features, labels).coef_, abs=1e-9)
    assert found == pytest.approx(truth, abs=0.05)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": SquaredError()}, "loss.lipschitz must be"),
        ({"constraint": L1Ball(1.0)}, "constraint must be"),
        ({"constraint": L2Ball(1.0), "initial": [2.0, 0.0]}, "initial must be in"),
        ({"initial": [1.0, 1.0], "sparsity": 1}, "initial must have at most sparsity = 1"),
        ({"sparsity": 3}, "sparsity must be"),
    ],
)
def test_what_does_not_go_together_is_refused(change, message, refusal):
    assert message in refusal("diss-5.3.43", change)
