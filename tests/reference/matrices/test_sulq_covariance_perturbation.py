"""Covariance perturbation, SuLQ (diss-6.3-SULQ)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.matrices.gaussian_covariance_perturbation import gaussian_covariance_perturbation
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import second_moment
from reference.matrices.sulq_covariance_perturbation import (
    Constants,
    constants_for,
    sulq_covariance_perturbation,
)
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((100, 4))
    records[:, 0] += records[:, 1]
    return records / np.linalg.norm(records, axis=1).max()


def run(data, ledger=None, form=sulq_covariance_perturbation, **changes):
    parameters = {"epsilon": 1.0, "delta": 1e-2, "penalty": 0.05} | changes
    return form(data, **parameters, ledger=ledger)


def test_the_noise_is_that_of_the_literature():
    noise = constants_for(n=50, dimension=3, epsilon=0.5, delta=1e-2)
    assert noise.noise_scale == pytest.approx(math.sqrt(8) * 3 * math.log(300) / 25)
    assert noise.sensitivity == pytest.approx(math.sqrt(2) / 50)


@pytest.mark.parametrize(("epsilon", "delta"), [(2000.0, 1e-2), (1.0, 0.999)])
def test_where_that_is_too_little_the_least_noise_is_used(epsilon, delta):
    """At d = 1."""
    noise = constants_for(n=50, dimension=1, epsilon=epsilon, delta=delta)
    stated = math.sqrt(8) * -math.log(delta) / (50 * epsilon)
    assert gaussian_dp_delta(math.sqrt(2) / 50 / stated, epsilon) > delta
    true = gaussian_dp_delta(noise.sensitivity / noise.noise_scale, epsilon)
    assert true == pytest.approx(delta, rel=1e-6)


def test_noiseless_limit_is_the_graphical_lasso(data):
    expected = graphical_lasso(data.T @ data / 100, penalty=0.05).theta
    assert run(data, NoiselessLedger()).theta == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_the_whole_matrix_is_released_and_made_symmetric(data):
    ledger = RecordingLedger(1)
    theta = run(data, ledger).theta
    (release,) = ledger.transcript.releases
    assert release.value == pytest.approx(second_moment(data))
    noisy = release.output
    assert np.abs(noisy - noisy.T).max() > 1e-3
    assert optimality_gap(theta, positive_part((noisy + noisy.T) / 2), 0.05) < 1e-6
    # without the projection there is no minimiser
    assert np.linalg.eigvalsh((noisy + noisy.T) / 2)[0] < -0.05
    assert ledger.spent(delta=1e-2).epsilon < 0.1  # what 25 times the least noise leaves


def test_the_error_is_larger_than_with_the_least_symmetric_noise():
    data = np.random.default_rng(2).uniform(-0.4, 0.4, (20_000, 6))
    best = graphical_lasso(second_moment(data), penalty=0.05).theta
    errors = [
        np.median([np.linalg.norm(run(data, Ledger(s), form).theta - best) for s in range(5)])
        for form in (sulq_covariance_perturbation, gaussian_covariance_perturbation)
    ]
    assert errors[0] > 5 * errors[1]


def test_given_constants_are_used(data):
    ledger = RecordingLedger(3)
    run(data, ledger, constants=Constants(sensitivity=0.02, noise_scale=0.1))
    (release,) = ledger.transcript.releases
    assert (release.mechanism.scale, release.claim.sensitivity) == (0.1, 0.02)


def test_records_may_come_in_any_order_and_are_clipped(data):
    ledger = RecordingLedger(4)
    theta = run(data, ledger, epsilon=100.0).theta
    order = np.random.default_rng(5).permutation(len(data))
    again = run(data[order], GivenDrawsLedger(ledger.transcript.draws), epsilon=100.0)
    assert again.theta == pytest.approx(theta, rel=1e-5, abs=1e-6)
    huge, clipped = data.copy(), data.copy()
    huge[0], clipped[0] = [1e150, 0, 0, 0], [1.0, 0, 0, 0]
    expected = run(clipped, Ledger(6)).theta
    assert run(huge, Ledger(6)).theta == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0\.0"),
        ({"penalty": 0.0}, r"penalty must be a finite number > 0, got 0\.0"),
        ({"penalty": 1e-9}, r"penalty must be at least 1e-06 of the scale of the noise"),
        ({"constants": 1.0}, r"constants must be a reference\.matrices\.sulq"),
        ({"data": np.zeros((0, 3))}, "data must not be empty"),
        ({"data": np.zeros(3)}, r"data must have 2 dimension\(s\), got shape \(3,\)"),
        ({"data": np.array([[0.0, np.nan]])}, "data must be finite"),
        ({"data": [["a"]]}, "data must be an array of real numbers"),
    ],
)
def test_bad_input_is_refused_before_any_release(data, changes, message):
    ledger = RecordingLedger(0)
    with pytest.raises((ValueError, TypeError), match=message):
        run(**{"data": data, "ledger": ledger, **changes})
    assert len(ledger.transcript) == 0
