"""Local Gaussian PCA (diss-6.1.46)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.catalogue import entry
from reference.matrices.local_gaussian_pca import local_gaussian_pca, randomize_second_moments
from reference.matrices.second_moments import outer_products, second_moment
from reference.matrices.subspaces import principal_subspace, sin_theta_squared
from reference.privacy.ledger import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((60, 5)) * np.array([1.0, 0.8, 0.4, 0.2, 0.1])
    return records / np.linalg.norm(records, axis=1).max()


def run(data, ledger=None, **changes):
    parameters = {"n_components": 2, "epsilon": 1.0, "delta": 1e-5} | changes
    return local_gaussian_pca(data, **parameters, ledger=ledger)


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


def test_diagonal_correction_doubles_the_variance_of_the_diagonal_only(data):
    ledger = RecordingLedger(7)
    run(data, ledger, correction="diagonal")
    (release,) = ledger.transcript.releases
    assert release.mechanism.diagonal_variance == 2.0
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)))
    assert release.claim.sensitivity == 1.0


def test_published_noise_is_the_seeds(data):
    ledger = RecordingLedger(8)
    run(data, ledger, as_published=True, epsilon=2.0)
    (release,) = ledger.transcript.releases
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 2)
    assert release.mechanism.diagonal_variance == 1.0
    assert release.claim.sensitivity == 1.0


def test_mean_of_the_messages_is_what_is_decomposed(data):
    ledger = RecordingLedger(9)
    basis = run(data, ledger)
    (release,) = ledger.transcript.releases
    assert basis == pytest.approx(principal_subspace(release.output.mean(axis=0), 2))


def test_same_seed_same_output(data):
    assert (run(data, Ledger(10)) == run(data, Ledger(10))).all()
    assert (run(data, Ledger(10)) != run(data, Ledger(11))).any()


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
        ({"n_components": 0}, r"n_components must be an integer >= 1 and <= 4, got 0"),
        ({"n_components": 5}, r"n_components must be an integer >= 1 and <= 4, got 5"),
        ({"epsilon": 0.0}, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"epsilon": math.inf}, r"epsilon must be a finite number > 0, got inf"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0\.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1\.0"),
        ({"correction": "none"}, r"correction must be .* got 'none'"),
        (
            {"correction": "scaled", "epsilon": 2.0},
            r"epsilon must be <= 1 with correction='scaled'",
        ),
    ],
)
def test_bad_parameters_are_refused_before_any_release(data, changes, message):
    ledger = RecordingLedger(0)
    with pytest.raises(ValueError, match=message):
        run(data, ledger, **changes)
    assert len(ledger.transcript) == 0


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros((0, 3)), "data must not be empty"),
        (np.zeros(3), r"data must have 2 dimension\(s\), got shape \(3,\)"),
        (np.zeros((3, 1)), r"data must have at least 2 columns, got shape \(3, 1\)"),
        (np.array([[0.0, np.nan]]), "data must be finite"),
        (np.array([[0.0, np.inf]]), "data must be finite"),
    ],
)
def test_bad_data_is_refused_before_any_release(bad, message):
    ledger = RecordingLedger(0)
    with pytest.raises(ValueError, match=message):
        run(bad, ledger, n_components=1)
    assert len(ledger.transcript) == 0


def test_wrong_types_are_refused(data):
    with pytest.raises(TypeError, match="data must be an array of real numbers"):
        run([["a", "b"]])
    with pytest.raises(TypeError, match=r"n_components must be an integer, got 1\.5"):
        run(data, n_components=1.5)
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        run(data, 7)


def test_entry():
    found = entry("diss-6.1.46")
    assert found.function is local_gaussian_pca
    assert [erratum.number for erratum in found.errata] == [1, 2, 3, 4, 5, 6]
