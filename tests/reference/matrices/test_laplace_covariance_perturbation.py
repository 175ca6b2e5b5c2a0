"""Covariance perturbation, Laplace (diss-6.3.51-L)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.laplace_covariance_perturbation import (
    Constants,
    constants_for,
    laplace_covariance_perturbation,
)
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import laplace_sensitivity
from reference.privacy.ledger import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((200, 4))
    records[:, 0] += records[:, 1]
    return records / np.linalg.norm(records, axis=1).max()


def run(data, ledger=None, **changes):
    parameters = {"epsilon": 1.0, "penalty": 0.05} | changes
    return laplace_covariance_perturbation(data, **parameters, ledger=ledger)


def test_noiseless_limit_is_the_graphical_lasso(data):
    theta = run(data, NoiselessLedger()).theta
    assert theta == pytest.approx(
        graphical_lasso(data.T @ data / 200, penalty=0.05).theta, rel=1e-9
    )


def test_noiseless_limit_agrees_with_scikit_learn(data):
    covariance = pytest.importorskip("sklearn.covariance")
    moment = data.T @ data / 200
    _, expected = covariance.graphical_lasso(moment + 0.05 * np.eye(4), 0.05, tol=1e-12)
    assert run(data, NoiselessLedger()).theta == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_default_noise_spends_exactly_epsilon(data):
    ledger = RecordingLedger(1)
    theta = run(data, ledger).theta
    (release,) = ledger.transcript.releases
    assert release.mechanism.kind == "symmetric laplace"
    assert release.mechanism.scale == pytest.approx(math.sqrt(4 * 7 / 2) / 200)
    assert release.claim.sensitivity == pytest.approx(laplace_sensitivity(4) / 200)
    spent = ledger.spent(delta=0.0)
    assert spent.epsilon == pytest.approx(1.0)
    assert optimality_gap(theta, positive_part(release.output), 0.05) < 1e-6


@pytest.mark.parametrize(("d", "times"), [(1, 2.0), (2, 4 / 5**0.5), (6, 12 / 27**0.5)])
def test_the_noise_is_less_than_the_papers(d, times):
    """Which is 2 d/(n epsilon), and covers the sensitivity as well."""
    noise = constants_for(n=30, dimension=d, epsilon=0.5)
    assert 2 * d / (30 * 0.5) / noise.noise_scale == pytest.approx(times)


def test_indefinite_noisy_moments_are_projected(data):
    ledger = RecordingLedger(2)
    theta = run(data, ledger, epsilon=0.05).theta
    (release,) = ledger.transcript.releases
    # far below -penalty: without the projection there is no minimiser
    assert np.linalg.eigvalsh(release.output)[0] < -0.05
    assert np.linalg.eigvalsh(theta)[0] > 0
    assert optimality_gap(theta, positive_part(release.output), 0.05) < 1e-6


def test_relabelling_the_variables_relabels_the_noiseless_solution(data):
    order = np.array([2, 0, 3, 1])
    theta = run(data, NoiselessLedger()).theta
    relabelled = run(data[:, order], NoiselessLedger()).theta
    assert relabelled == pytest.approx(theta[np.ix_(order, order)], abs=1e-8)


def test_records_may_come_in_any_order(data):
    ledger = RecordingLedger(7)
    theta = run(data, ledger).theta
    order = np.random.default_rng(8).permutation(len(data))
    again = run(data[order], GivenDrawsLedger(ledger.transcript.draws))
    assert again.theta == pytest.approx(theta, rel=1e-6, abs=1e-7)


def test_records_outside_the_ball_are_clipped(data):
    huge = data.copy()
    huge[0] = [1e150, 0.0, 0.0, 0.0]
    clipped = data.copy()
    clipped[0] = [1.0, 0.0, 0.0, 0.0]
    assert run(huge, Ledger(9)).theta == pytest.approx(run(clipped, Ledger(9)).theta)


def test_one_variable_and_one_record_are_enough():
    assert run([[0.5]], NoiselessLedger()).theta == pytest.approx(np.array([[1 / (0.25 + 0.05)]]))


def test_given_constants_are_used(data):
    ledger = RecordingLedger(10)
    run(data, ledger, constants=Constants(sensitivity=0.01, noise_scale=0.04))
    assert ledger.spent(delta=0.0).epsilon == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"epsilon": "1"}, "epsilon must be a real number, got '1'"),
        ({"penalty": 0.0}, r"penalty must be a finite number > 0, got 0\.0"),
        ({"constants": 1.0}, r"constants must be a reference\.matrices\.laplace"),
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


def test_a_penalty_far_below_the_noise_is_refused_before_any_release():
    """Or the minimiser is beyond what doubles resolve, found out after the release."""
    ledger = RecordingLedger(0)
    with pytest.raises(ValueError, match="penalty must be at least 1e-06 of the scale of the"):
        laplace_covariance_perturbation(np.eye(3), epsilon=1e-9, penalty=0.05, ledger=ledger)
    assert len(ledger.transcript) == 0
