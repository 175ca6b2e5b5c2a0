"""Local Gaussian PCA (diss-6.1.46)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.errata.matrices.local_gaussian_pca import printed_constants
from reference.matrices.local_gaussian_pca import (
    constants_for,
    constants_for_diagonal,
    constants_for_scaled,
    local_gaussian_pca,
)
from reference.matrices.second_moments import GAUSSIAN_SENSITIVITY
from reference.matrices.subspaces import sin_theta_squared
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import NoiselessLedger


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((60, 5)) * np.array([1.0, 0.8, 0.4, 0.2, 0.1])
    return records / np.linalg.norm(records, axis=1).max()


def run(data, ledger=None, form=local_gaussian_pca, **changes):
    parameters = {"n_components": 2, "epsilon": 1.0, "delta": 1e-5} | changes
    return form(data, **parameters, ledger=ledger)


# ------------------------------------------------------------------------------- the noise


@pytest.mark.parametrize("calibrate", [constants_for, constants_for_scaled, constants_for_diagonal])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (0.5, 1e-4), (1.0, 1e-5), (1.0, 0.1)])
def test_every_calibration_meets_the_claim(calibrate, epsilon, delta):
    noise = calibrate(epsilon=epsilon, delta=delta)
    true_sensitivity = math.sqrt(2 / noise.diagonal_variance)
    assert noise.sensitivity == pytest.approx(true_sensitivity)
    assert gaussian_dp_delta(true_sensitivity / noise.noise_scale, epsilon) <= delta * (1 + 1e-9)


def test_the_classical_scale_by_hand():
    noise = constants_for_diagonal(epsilon=0.5, delta=1e-5)
    assert noise.noise_scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 0.5)


@pytest.mark.parametrize(
    ("epsilon", "delta", "ratio"),
    [(1.0, 1e-5, 3.736), (1.0, 1e-6, 9.304), (2.0, 1e-4, 5.009), (0.5, 1e-4, 0.618)],
)
def test_the_printed_noise_has_the_deltas_of_the_card(epsilon, delta, ratio):
    noise = printed_constants(None, epsilon=epsilon, delta=delta, n_components=1)
    assert noise.sensitivity == 1.0
    true = gaussian_dp_delta(GAUSSIAN_SENSITIVITY / noise.noise_scale, epsilon)
    assert true / delta == pytest.approx(ratio, rel=1e-3)


@pytest.mark.parametrize("calibrate", [constants_for_scaled, constants_for_diagonal])
def test_classical_calibrations_refuse_large_epsilon(calibrate):
    with pytest.raises(ValueError, match=r"epsilon must be <= 1, got 1\.5; constants_for"):
        calibrate(epsilon=1.5, delta=1e-5)


# --------------------------------------------------------------------------- the algorithm


def test_noiseless_limit_is_uncentred_pca(data):
    basis = run(data, NoiselessLedger())
    _, _, right = np.linalg.svd(data)
    assert sin_theta_squared(right[:2].T, basis) < 1e-20
