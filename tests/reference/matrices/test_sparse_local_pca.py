"""Sparse local Gaussian PCA (diss-6.1.47)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from reference.errata.matrices.sparse_local_pca import printed, printed_penalty
from reference.matrices.local_gaussian_pca import (
    Constants,
    constants_for,
    constants_for_diagonal,
)
from reference.matrices.second_moments import GAUSSIAN_SENSITIVITY, second_moment
from reference.matrices.sparse_local_pca import (
    penalised_projection,
    penalty_for,
    sparse_local_pca,
    sparse_principal_subspace,
)
from reference.matrices.subspaces import principal_subspace, sin_theta_squared
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger


@pytest.fixture
def data():
    """Two sparse directions among seven coordinates."""
    rng = np.random.default_rng(0)
    records = 0.05 * rng.standard_normal((80, 7))
    records[:, :2] += rng.choice([-0.6, 0.6], (80, 1))
    records[:, 2:4] += rng.choice([-0.4, 0.4], (80, 1))
    return records / np.linalg.norm(records, axis=1).max()


def run(data, ledger=None, form=sparse_local_pca, **changes):
    parameters = {"n_components": 2, "epsilon": 1.0, "delta": 1e-5} | changes
    return form(data, **parameters, ledger=ledger)


# ------------------------------------------------------------------------------ the penalty


def test_the_penalty_is_the_sum_of_two_tails():
    noise = Constants(1.0, 3.0)
    level = math.log(2 * 10 * 11 / 0.05)
    expected = math.sqrt(level / 200) + 3 * math.sqrt(level / 50)
    assert penalty_for(n=100, dimension=10, noise=noise) == pytest.approx(expected)
    wider = penalty_for(n=100, dimension=10, noise=Constants(1.0, 3.0, diagonal_variance=4.0))
    assert wider == pytest.approx(math.sqrt(level / 200) + 6 * math.sqrt(level / 50))
    assert penalty_for(n=400, dimension=10, noise=noise) == pytest.approx(expected / 2)


@pytest.mark.parametrize("calibrate", [constants_for, constants_for_diagonal])
def test_the_penalty_covers_the_deviation(calibrate):
    # half of the records e_1, half e_2: the entries S_11 and S_22 have the largest variance
    n, p, runs = 400, 5, 400
    noise = calibrate(epsilon=1.0, delta=0.1)
    penalty = penalty_for(n=n, dimension=p, noise=noise, failure_probability=0.2)
    rng = np.random.default_rng(1)
    truth = np.diag([0.5, 0.5, 0.0, 0.0, 0.0])
    failures = 0
    for _ in range(runs):
        count = rng.binomial(n, 0.5) / n
        moved = Ledger(rng).symmetric_gaussian(
            np.diag([count, 1 - count, 0.0, 0.0, 0.0]),
            sensitivity=noise.sensitivity / math.sqrt(n),
            scale=noise.noise_scale / math.sqrt(n),
            diagonal_variance=noise.diagonal_variance,
        )
        failures += np.abs(moved - truth).max() > penalty
    # at probability .2 more than 120 of 400 have probability < 1e-6
    assert failures <= 120


# ---------------------------------------------------------------------------- the algorithm


def test_noiseless_limit_is_the_penalised_projection(data):
    basis = run(data, NoiselessLedger(), penalty=0.02).basis
    sparse = penalised_projection(second_moment(data), rank=2, penalty=0.02).sparse
    assert sin_theta_squared(principal_subspace(sparse, 2), basis) < 1e-12
    assert (basis[4:] == 0).all()
    assert (basis[:4] != 0).any(axis=1).all()
    assert basis.T @ basis == pytest.approx(np.eye(2), abs=1e-9)


def test_without_penalty_and_noise_it_is_pca(data):
    basis = run(data, NoiselessLedger(), penalty=0.0).basis
    _, _, right = np.linalg.svd(data)
    assert sin_theta_squared(right[:2].T, basis) < 1e-9
    other = run(data, NoiselessLedger(), printed_penalty).basis
    assert sin_theta_squared(basis, other) < 1e-20


def test_the_printed_noise_has_the_deltas_of_the_card(data):
    ledger = RecordingLedger(8)
    run(data, ledger, printed, epsilon=0.9)
    (release,) = ledger.transcript.releases
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 0.9)
    assert release.claim.sensitivity == 1.0
    true = gaussian_dp_delta(GAUSSIAN_SENSITIVITY / release.mechanism.scale, 0.9)
    assert true / 1e-5 == pytest.approx(3.204, rel=1e-3)


@pytest.mark.parametrize("seed", [5, 13, 19, 21, 25])
def test_the_basis_is_that_of_the_span_and_not_of_the_last_iteration(seed, monkeypatch):
    """With two eigenvalues that are 1 but for the solver's error, that must not turn the basis."""
    noise = np.random.default_rng(seed).standard_normal((4, 4))
    matrix = np.diag([0.6, 0.5, 0.4, 0.3]) + 0.1 * (noise + noise.T)
    found = sparse_principal_subspace(matrix, 2, 0.05).basis
    exact = partial(penalised_projection, tolerance=1e-9)
    monkeypatch.setattr("reference.matrices.sparse_local_pca.penalised_projection", exact)
    expected = sparse_principal_subspace(matrix, 2, 0.05).basis
    assert found == pytest.approx(expected, abs=1e-4)


def test_any_penalty_gives_k_orthonormal_columns():
    rng = np.random.default_rng(9)
    square = rng.standard_normal((6, 6))
    matrix = square + square.T
    for k in (1, 3, 5):
        for penalty in (0.0, 0.3, 1.0, 3.0, 100.0):
            basis = sparse_principal_subspace(matrix, k, penalty).basis
            assert basis.T @ basis == pytest.approx(np.eye(k), abs=1e-9)


@pytest.mark.parametrize("iterations", [1, 2, 3, 10])
def test_a_basis_is_returned_whatever_the_solver_comes_to(monkeypatch, iterations):
    """After one iteration the sparse solution is 0 here: it has no row."""
    short = partial(penalised_projection, max_iterations=iterations)
    monkeypatch.setattr("reference.matrices.sparse_local_pca.penalised_projection", short)
    matrix = np.array([[1.0, 0.9, 0.8], [0.9, 1.0, 0.9], [0.8, 0.9, 1.0]])
    basis = sparse_principal_subspace(matrix, 2, 0.85).basis
    assert basis.T @ basis == pytest.approx(np.eye(2))


def test_if_the_iterations_run_out_the_gap_says_so(data, monkeypatch):
    """It is that of (6.5) for the mean of the messages that were released."""
    short = partial(penalised_projection, max_iterations=2)
    monkeypatch.setattr("reference.matrices.sparse_local_pca.penalised_projection", short)
    recorded = RecordingLedger(10)
    found = run(data, recorded, penalty=0.05, epsilon=30.0)
    (release,) = recorded.transcript.releases
    mean = release.output.mean(axis=0)
    assert found.basis.T @ found.basis == pytest.approx(np.eye(2))
    assert 1e3 * 1e-6 * 2 * np.abs(mean).max() < found.gap < math.inf
    assert found.gap == short(mean, rank=2, penalty=0.05).gap
