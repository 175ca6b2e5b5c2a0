"""Perturbed and thresholded covariances (diss-6.2-NAIVE, diss-6.2.48, diss-6.2.49)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from reference._validation import FloatArray
from reference.errata.matrices import covariance_thresholding as printed_thresholding
from reference.errata.matrices import local_covariance_thresholding as printed_local_thresholding
from reference.errata.matrices import perturbed_covariance as printed_perturbed
from reference.matrices import covariance_thresholding as central
from reference.matrices import local_covariance_thresholding as local
from reference.matrices import perturbed_covariance as plain
from reference.matrices.local_gaussian_pca import constants_for as equal
from reference.matrices.local_gaussian_pca import constants_for_diagonal
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.sparse_covariance import Constants, entry_threshold, sparse_covariance
from reference.privacy.ledger import NoiselessLedger, RecordingLedger

CLAIM: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5}
THRESHOLDING = [central.covariance_thresholding, local.local_covariance_thresholding]


@pytest.fixture
def data() -> FloatArray:
    rng = np.random.default_rng(0)
    records = rng.standard_normal((60, 4)) * np.array([1.0, 0.8, 0.3, 0.1])
    records[:, 1] += records[:, 0]
    longest: FloatArray = records / np.linalg.norm(records, axis=1).max()
    return longest


def constants(module: Any, calibrate: Any = equal) -> Any:
    """Return the constants of an algorithm for 50 records of six variables."""
    return module.constants_for(n=50, dimension=6, calibrate=calibrate, **CLAIM)


# ------------------------------------------------------------------------------- constants


@pytest.mark.parametrize(
    ("module", "divided"), [(central, 1.0), (local, math.sqrt(50))], ids=["central", "local"]
)
def test_the_threshold_is_that_of_the_box_with_gamma_2(module: Any, divided: float) -> None:
    """For the noisiest entries: twice the variance on the diagonal is sqrt 2 the deviation."""
    noise, doubled = constants(module), constants(module, constants_for_diagonal)
    sample, root = 2 * math.sqrt(math.log(6) / 50), math.sqrt(math.log(6))
    assert noise.threshold == pytest.approx(sample + 4 * noise.noise_scale / divided * root)
    scale = doubled.noise_scale * math.sqrt(2) / divided
    assert doubled.threshold == entry_threshold(n=50, dimension=6, deviation=scale)


@pytest.mark.parametrize(
    ("printed", "sensitivity", "divided"),
    [
        (printed_perturbed, 1 / 40, 40),
        (printed_thresholding, 1 / 40, 40),
        (printed_local_thresholding, 1.0, 1),
    ],
)
def test_printed_noise_is_the_papers(printed: Any, sensitivity: float, divided: int) -> None:
    noise = printed.printed_constants(np.zeros((40, 3)), epsilon=0.5, delta=1e-4)
    assert noise.sensitivity == sensitivity
    assert noise.noise_scale == pytest.approx(math.sqrt(2 * math.log(1.25e4)) / 0.5 / divided)
    assert noise.diagonal_variance == 1.0


def test_printed_thresholds_are_the_papers() -> None:
    noise = printed_thresholding.printed_constants(np.zeros((1000, 100)), epsilon=1.0, delta=1e-3)
    # gamma = 1 gives the card's T = .100 there
    gamma = math.sqrt(math.log(100) / 1000)
    assert noise.threshold - gamma == pytest.approx(0.1002, abs=1e-4)
    local = printed_local_thresholding.printed_constants(
        np.zeros((1000, 100)), epsilon=1.0, delta=1e-3
    )
    noise_part = 4 * math.sqrt(2 * math.log(1250) * math.log(100) / 1000)
    assert local.threshold == pytest.approx(2 * gamma + noise_part)


# --------------------------------------------------------------------------- thresholding


def test_thresholding_by_hand() -> None:
    noisy = np.array([[0.5, 0.2, -0.6], [0.2, 0.1, 0.0], [-0.6, 0.0, 0.5]])
    found = sparse_covariance(noisy, 0.2)
    # an entry of the threshold itself goes; eigenvalues of what is left: 1.1, 0, -.1
    assert found.thresholded.tolist() == [[0.5, 0.0, -0.6], [0.0, 0.0, 0.0], [-0.6, 0.0, 0.5]]
    assert found.positive == pytest.approx(
        np.array([[0.55, 0.0, -0.55], [0.0, 0.0, 0.0], [-0.55, 0.0, 0.55]])
    )


def test_all_entries_within_three_quarters_of_the_threshold_leave_four_of_the_smaller() -> None:
    # Lemma 6.2.3 without its chance: |hat - sigma| <= 4 min(|sigma|, T)
    rng = np.random.default_rng(1)
    sigma = rng.choice([0.0, 0.2, 0.9, 1.1, 1.9, 2.1, 5.0], size=(400, 400)) * rng.choice(
        [-1, 1], size=(400, 400)
    )
    noisy = sigma + 0.75 * rng.uniform(-1, 1, size=sigma.shape)
    found = sparse_covariance(np.tril(noisy) + np.tril(noisy, -1).T, 1.0).thresholded
    error = np.tril(np.abs(found - sigma))
    assert (error <= 4 * np.minimum(np.abs(sigma), 1.0) + 1e-12).all()


@pytest.mark.parametrize("algorithm", THRESHOLDING)
def test_noiseless_limit_is_the_thresholded_second_moment(algorithm: Any, data: FloatArray) -> None:
    level = 0.02
    given = Constants(1.0, 1.0, level)
    found = algorithm(data, constants=given, ledger=NoiselessLedger(), **CLAIM)
    moment = data.T @ data / len(data)
    kept = np.abs(moment) > level
    assert 0 < kept.sum() < kept.size
    assert found.thresholded == pytest.approx(np.where(kept, moment, 0.0))
    assert found.positive == pytest.approx(positive_part(found.thresholded))


def test_noiseless_limit_agrees_with_scikit_learns_empirical_covariance(data: FloatArray) -> None:
    covariance = pytest.importorskip("sklearn.covariance")
    expected = covariance.empirical_covariance(data, assume_centered=True)
    found = plain.perturbed_covariance(data, ledger=NoiselessLedger(), **CLAIM)
    assert found == pytest.approx(expected)


# ------------------------------------------------------------------------------ the ledger


def test_a_block_is_found_where_the_noise_is_small() -> None:
    # entries of .3, T = .12, noise of .005 an entry: a wrong zero pattern is 30 deviations away
    signs = np.random.default_rng(9).choice([-1.0, 1.0], size=(1000, 1))
    records = signs * np.sqrt([0.3, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    found = central.covariance_thresholding(records, ledger=RecordingLedger(10), **CLAIM)
    assert np.array_equal(found.thresholded != 0, np.outer(records[0] != 0, records[0] != 0))
    assert np.linalg.eigvalsh(found.positive)[0] >= -1e-15
    assert np.linalg.norm(found.positive - 0.3 * (found.thresholded != 0), 2) < 0.05


@pytest.mark.parametrize("algorithm", THRESHOLDING)
def test_the_estimate_has_p_rows_and_not_n(algorithm: Any) -> None:
    """diss-6.2.48/E8 and diss-6.2.49/E3: (6.19) and (6.23) let i and j run to n."""
    n, p = 3, 5
    found = algorithm(np.eye(p)[:n], **CLAIM, ledger=NoiselessLedger())
    assert found.thresholded.shape == (p, p)
    assert (n * n, found.thresholded.size) == (9, 25)
