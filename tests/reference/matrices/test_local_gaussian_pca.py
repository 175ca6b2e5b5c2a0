"""Local Gaussian PCA (diss-6.1.46)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.errata.matrices.local_gaussian_pca import printed, printed_constants
from reference.matrices.local_gaussian_pca import (
    Constants,
    constants_for,
    constants_for_diagonal,
    constants_for_scaled,
    local_gaussian_pca,
    randomize_second_moments,
)
from reference.matrices.second_moments import GAUSSIAN_SENSITIVITY, outer_products, second_moment
from reference.matrices.subspaces import principal_subspace, sin_theta_squared
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger


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


@pytest.mark.parametrize(
    ("epsilon", "delta", "ratio"),
    [(1.0, 1e-5, 3.736), (1.0, 1e-6, 9.304), (2.0, 1e-4, 5.009), (0.5, 1e-4, 0.618)],
)
def test_the_printed_noise_has_the_deltas_of_the_card(epsilon, delta, ratio):
    noise = printed_constants(None, epsilon=epsilon, delta=delta, n_components=1)
    assert noise.sensitivity == 1.0
    true = gaussian_dp_delta(GAUSSIAN_SENSITIVITY / noise.noise_scale, epsilon)
    assert true / delta == pytest.approx(ratio, rel=1e-3)


def test_the_default_noise_is_the_smallest():
    noise = constants_for(epsilon=1.0, delta=1e-5)
    assert noise.noise_scale < constants_for_scaled(epsilon=1.0, delta=1e-5).noise_scale
    less = gaussian_dp_delta(GAUSSIAN_SENSITIVITY / (0.999 * noise.noise_scale), 1.0)
    assert less > 1e-5


@pytest.mark.parametrize("calibrate", [constants_for_scaled, constants_for_diagonal])
def test_classical_calibrations_refuse_large_epsilon(calibrate):
    with pytest.raises(ValueError, match=r"epsilon must be <= 1, got 1\.5; constants_for"):
        calibrate(epsilon=1.5, delta=1e-5)


# --------------------------------------------------------------------------- the algorithm


def test_noiseless_limit_is_uncentred_pca(data):
    basis = run(data, NoiselessLedger())
    _, _, right = np.linalg.svd(data)
    assert sin_theta_squared(right[:2].T, basis) < 1e-20


def test_noiseless_limit_is_scikit_learns_pca_of_centred_data(data):
    decomposition = pytest.importorskip("sklearn.decomposition")
    symmetric = np.concatenate([data, -data])
    expected = decomposition.PCA(2).fit(symmetric).components_.T
    assert sin_theta_squared(expected, run(symmetric, NoiselessLedger())) < 1e-20


def test_noiseless_limit_rotates_with_the_data(data):
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((5, 5)))[0]
    turned = run(data @ rotation.T, NoiselessLedger())
    assert sin_theta_squared(rotation @ run(data, NoiselessLedger()), turned) < 1e-20


def test_users_may_come_in_any_order(data):
    recorded = RecordingLedger(3)
    basis = run(data, recorded)
    order = np.random.default_rng(4).permutation(len(data))
    (draws,) = recorded.transcript.draws
    again = run(data[order], GivenDrawsLedger([draws[order]]))
    assert sin_theta_squared(basis, again) < 1e-20


def test_every_user_is_charged_once(data):
    ledger = RecordingLedger(5)
    run(data, ledger)
    (release,) = ledger.transcript.releases
    assert release.claim.unit == "record"
    assert release.claim.sensitivity == pytest.approx(math.sqrt(2))
    assert release.value == pytest.approx(outer_products(data))
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(1.0, rel=1e-9)


def test_messages_are_symmetric_with_the_declared_noise(data):
    messages = randomize_second_moments(data, epsilon=1.0, delta=1e-5, ledger=Ledger(6))
    noise = messages - outer_products(data)
    assert (messages == np.swapaxes(messages, 1, 2)).all()
    # 60 * 15 entries: the spread is within 15% but for probability < 1e-9
    scale = RecordingLedger(6)
    run(data, scale)
    declared = scale.transcript.releases[0].mechanism.scale
    rows, columns = np.triu_indices(5)
    assert np.std(noise[:, rows, columns]) == pytest.approx(declared, rel=0.15)


def test_given_constants_are_used(data):
    ledger = RecordingLedger(7)
    run(data, ledger, constants=constants_for_diagonal(epsilon=1.0, delta=1e-5))
    (release,) = ledger.transcript.releases
    assert release.mechanism.diagonal_variance == 2.0
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)))
    assert release.claim.sensitivity == 1.0


def test_printed_noise_is_the_seeds(data):
    ledger = RecordingLedger(8)
    run(data, ledger, form=printed, epsilon=2.0)
    (release,) = ledger.transcript.releases
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 2)
    assert release.mechanism.diagonal_variance == 1.0
    assert release.claim.sensitivity == 1.0


def test_mean_of_the_messages_is_what_is_decomposed(data):
    ledger = RecordingLedger(9)
    basis = run(data, ledger)
    (release,) = ledger.transcript.releases
    assert basis == pytest.approx(principal_subspace(release.output.mean(axis=0), 2))


def test_the_subspace_is_found_when_the_noise_is_small():
    rng = np.random.default_rng(12)
    data = np.concatenate(
        [rng.choice([-1.0, 1.0], (400, 1)) * 0.95, rng.normal(0, 0.05, (400, 3))], 1
    )
    basis = run(data, Ledger(13), n_components=1, epsilon=1000.0)
    # a first-order error of 3 * scale^2/(400 gap^2) is below 1e-4; 1e-2 is far in the tail
    assert sin_theta_squared(np.eye(4)[:, :1], basis) < 1e-2
    assert sin_theta_squared(principal_subspace(second_moment(data), 1), basis) < 1e-2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_components": 0}, r"n_components must be an integer >= 1, got 0"),
        ({"n_components": 5}, r"n_components must be an integer >= 1 and <= 4, got 5"),
        ({"n_components": 1.5}, r"n_components must be an integer, got 1\.5"),
        ({"epsilon": 0.0}, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1\.0"),
        ({"constants": 1.0}, r"constants must be a reference\.matrices\.local_gaussian_pca"),
        ({"data": np.zeros((0, 3))}, "data must not be empty"),
        ({"data": np.zeros(3)}, r"data must have 2 dimension\(s\), got shape \(3,\)"),
        ({"data": np.zeros((3, 1))}, r"data must have at least 2 columns, got shape \(3, 1\)"),
        ({"data": np.array([[0.0, np.nan]])}, "data must be finite"),
        ({"data": [["a", "b"]]}, "data must be an array of real numbers"),
    ],
)
def test_bad_input_is_refused_before_any_release(data, changes, message):
    ledger = RecordingLedger(0)
    with pytest.raises((ValueError, TypeError), match=message):
        run(**{"data": data, "ledger": ledger, **changes})
    assert len(ledger.transcript) == 0


def test_constants_of_a_wrong_value_are_refused():
    with pytest.raises(ValueError, match="noise_scale must be a finite number > 0"):
        Constants(1.0, -1.0)
