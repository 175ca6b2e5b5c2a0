"""Covariance perturbation, pure DP (diss-6.3.51-W1)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.errata.matrices.wishart_covariance_perturbation import printed
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import laplace_sensitivity, second_moment
from reference.matrices.wishart_covariance_perturbation import (
    Constants,
    wishart_covariance_perturbation,
)
from reference.privacy.ledger import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.mechanisms import Wishart


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((200, 4))
    records[:, 0] += records[:, 1]
    return records / np.linalg.norm(records, axis=1).max()


FORMS = (wishart_covariance_perturbation, printed)


def run(data, ledger=None, form=wishart_covariance_perturbation, **changes):
    parameters = {"epsilon": 1.0, "penalty": 0.05} | changes
    return form(data, **parameters, ledger=ledger)


@pytest.mark.parametrize("form", FORMS)
def test_noiseless_limit_is_the_graphical_lasso(data, form):
    theta = run(data, NoiselessLedger(), form)
    assert theta == pytest.approx(graphical_lasso(data.T @ data / 200, penalty=0.05), rel=1e-9)


def test_noiseless_limit_agrees_with_scikit_learn(data):
    covariance = pytest.importorskip("sklearn.covariance")
    moment = data.T @ data / 200
    _, expected = covariance.graphical_lasso(moment + 0.05 * np.eye(4), 0.05, tol=1e-12)
    assert run(data, NoiselessLedger()) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_default_noise_spends_exactly_epsilon(data):
    ledger = RecordingLedger(1)
    theta = run(data, ledger)
    (release,) = ledger.transcript.releases
    assert release.mechanism.kind == "symmetric laplace"
    assert release.mechanism.scale == pytest.approx(math.sqrt(4 * 7 / 2) / 200)
    assert release.claim.sensitivity == pytest.approx(laplace_sensitivity(4) / 200)
    spent = ledger.spent(delta=0.0)
    assert spent.epsilon == pytest.approx(1.0)
    assert optimality_gap(theta, positive_part(release.output), 0.05) < 1e-6


def test_indefinite_noisy_moments_are_projected(data):
    ledger = RecordingLedger(2)
    theta = run(data, ledger, epsilon=0.05)
    (release,) = ledger.transcript.releases
    # far below -penalty: without the projection there is no minimiser
    assert np.linalg.eigvalsh(release.output)[0] < -0.05
    assert np.linalg.eigvalsh(theta)[0] > 0
    assert optimality_gap(theta, positive_part(release.output), 0.05) < 1e-6


def test_printed_noise_is_the_seeds_and_is_not_pure(data):
    ledger = RecordingLedger(3)
    theta = run(data, ledger, printed)
    (release,) = ledger.transcript.releases
    assert release.mechanism.kind == "wishart"
    assert release.mechanism.degrees == 5
    assert release.mechanism.scale == pytest.approx(3 / (2 * 200))
    assert release.claim.sensitivity == pytest.approx(1 / 200)
    assert ledger.spent(delta=0.0).epsilon == math.inf
    assert ledger.spent(epsilon=0.0).delta == pytest.approx(-math.expm1(-1 / 3))
    # the noise is positive definite: the output always lies above S
    assert np.linalg.eigvalsh(release.output - release.value)[0] > 0
    assert optimality_gap(theta, release.output, 0.05) < 1e-6


def test_printed_output_gives_the_record_away():
    # a matrix above e_1 e_1'/n has (Theta^-1)_11 - rho >= 1/n; without the record it need not
    n, runs = 4, 300
    with_record, without = np.zeros((n, 3)), np.zeros((n, 3))
    with_record[0, 0] = 1.0
    ledger = Ledger(4)
    released = {
        name: [np.linalg.inv(run(data, ledger, printed))[0, 0] - 0.05 for _ in range(runs)]
        for name, data in (("with", with_record), ("without", without))
    }
    assert min(released["with"]) > 1 / n - 1e-6
    below = np.mean(np.array(released["without"]) < 1 / n - 1e-6)
    # P(chi^2_4 < 2/3) = .0446; none, or more than .1046, of 300: probability < 1e-5
    assert 0 < below < 0.1046


def test_wishart_noise_never_rounds_out_of_its_own_support():
    # a draw would have to be singular to 16 digits: probability of order 1e-14 each
    law = Wishart(6, 3 / (2 * 20), 5)
    data = np.random.default_rng(5).standard_normal((20, 5))
    value = np.broadcast_to(second_moment(data), (20_000, 5, 5))
    output = law.output(value, law.draw(value, np.random.default_rng(6)))
    assert np.isfinite(law.log_density(output, value, 1)).all()


def test_relabelling_the_variables_relabels_the_noiseless_solution(data):
    order = np.array([2, 0, 3, 1])
    theta = run(data, NoiselessLedger())
    relabelled = run(data[:, order], NoiselessLedger())
    assert relabelled == pytest.approx(theta[np.ix_(order, order)], abs=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_records_may_come_in_any_order(data, form):
    ledger = RecordingLedger(7)
    theta = run(data, ledger, form)
    order = np.random.default_rng(8).permutation(len(data))
    again = run(data[order], GivenDrawsLedger(ledger.transcript.draws), form)
    assert again == pytest.approx(theta, rel=1e-6, abs=1e-7)


def test_records_outside_the_ball_are_clipped(data):
    huge = data.copy()
    huge[0] = [1e150, 0.0, 0.0, 0.0]
    clipped = data.copy()
    clipped[0] = [1.0, 0.0, 0.0, 0.0]
    assert run(huge, Ledger(9)) == pytest.approx(run(clipped, Ledger(9)))


def test_one_variable_and_one_record_are_enough():
    assert run([[0.5]], NoiselessLedger()) == pytest.approx(np.array([[1 / (0.25 + 0.05)]]))


def test_given_constants_are_used(data):
    ledger = RecordingLedger(10)
    run(data, ledger, constants=Constants(sensitivity=0.01, noise_scale=0.04))
    assert ledger.spent(delta=0.0).epsilon == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"epsilon": "1"}, "epsilon must be a real number, got '1'"),
        ({"penalty": -1.0}, r"penalty must be a finite number > 0, got -1\.0"),
        ({"constants": 1.0}, r"constants must be a reference\.matrices\.wishart"),
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
        wishart_covariance_perturbation(np.eye(3), epsilon=1e-9, penalty=0.05, ledger=ledger)
    assert len(ledger.transcript) == 0
