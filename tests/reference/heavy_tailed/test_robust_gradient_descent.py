"""Robust private gradient descent, full and stochastic (diss-3.2.8, diss-RGD): noise and limits.

The settings of each say what it gives without noise.
"""

import math
from typing import Any

import numpy as np
import pytest
from statsmodels.discrete.discrete_model import Logit

from reference.constraint_sets import L2Ball
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for,
    known_variance_gradient_descent,
)
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
from reference.losses import Logistic, SquaredError
from reference.privacy import NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import (
    gaussian_dp_mu,
)

pytestmark = pytest.mark.filterwarnings("error")

RNG = np.random.default_rng(0)
FEATURES = RNG.standard_t(3, (60, 2))
DATA = FEATURES, FEATURES @ [1.0, -0.5] + RNG.standard_t(3, 60)
CLAIM: dict[str, Any] = {
    "epsilon": 1.0, "delta": 1e-5, "second_moment": 4.0, "failure_probability": 0.01
}  # fmt: skip
STEPS: dict[Any, dict[str, Any]] = {stochastic_gradient_descent: {"batch_size": 20}}
"""Options of the steps; other algorithms make three steps on all records."""


def estimate(
    data: Any = DATA, function: Any = known_variance_gradient_descent, **changes: Any
) -> np.ndarray:
    usual = {"loss": SquaredError(), "constraint": L2Ball(5.0), "initial": [0.5, 0.25], **CLAIM}
    steps = {"step_size": 0.1, **STEPS.get(function, {"n_iterations": 3})}
    return function(data, **{**usual, **steps, **changes})


def constants(**changes: Any) -> Any:
    return constants_for(**{"n": 60, "dimension": 2, "n_iterations": 3, **CLAIM, **changes})


def test_calibration_by_hand() -> None:
    # l.1631 and l.1641 with v = 5, d = 10, T = 7, n = 1e5, delta' = 0.01
    found = constants(n=100_000, dimension=10, n_iterations=7, second_moment=5.0, method="zcdp")
    assert found.truncation_scale == pytest.approx(math.sqrt(1e5 * 5 / (2 * math.log(100))))
    assert found.precision == pytest.approx(math.log(100))
    squared = (math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))) ** 2
    variance = 8 * 5 * 10 * 7 / (9 * math.log(100) * 1e5 * squared)
    assert found.noise_scale**2 == pytest.approx(variance, rel=1e-12)
    # proof, l.1898: s/n 4 sqrt(2)/3 in every coordinate
    assert found.sensitivity == pytest.approx(
        math.sqrt(10) * found.truncation_scale / 1e5 * 4 * math.sqrt(2) / 3, rel=1e-12
    )
    assert found.sensitivity**2 == pytest.approx(16 * 5 * 10 / (9 * 1e5 * math.log(100)))


def test_calibration_of_batches_by_hand() -> None:
    # b = 20, v = 4, d = 2: s = sqrt(b v/(2 l)), D^2 = 32 s^2 d/(9 b^2), sigma = D/mu
    squared = 32 * 20 * 4 / (2 * math.log(100)) * 2 / (9 * 20**2)
    ledger = RecordingLedger(0)
    estimate(function=stochastic_gradient_descent, ledger=ledger)
    for release in ledger.transcript.releases:
        assert release.claim.sensitivity**2 == pytest.approx(squared, rel=1e-12)
        sigma = math.sqrt(squared) / gaussian_dp_mu(1.0, 1e-5)
        assert release.mechanism.scale == pytest.approx(sigma)


def test_converged_it_is_least_squares_and_the_logistic_fit_of_statsmodels() -> None:
    # the truncation is 1e8 times the gradients or more
    vast = {"second_moment": 1e18, "ledger": NoiselessLedger()}
    solution = np.linalg.lstsq(DATA[0], DATA[1], rcond=None)[0]
    np.testing.assert_allclose(estimate(n_iterations=400, **vast), solution, rtol=1e-7)
    signs = np.where(DATA[1] > 0, 1.0, -1.0)
    fitted = Logit(signs > 0, DATA[0]).fit(disp=0).params
    logistic = {"loss": Logistic(feature_bound=math.inf), "step_size": 1.0, "n_iterations": 600}
    np.testing.assert_allclose(estimate((DATA[0], signs), **logistic, **vast), fitted, rtol=1e-6)
