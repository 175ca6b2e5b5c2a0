"""Gaussian covariance perturbation (diss-6.3.51-G) and its local twin (diss-6.3.53)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.errata.matrices import gaussian_covariance_perturbation as central_errata
from reference.errata.matrices import local_precision as local_errata
from reference.matrices.gaussian_covariance_perturbation import (
    constants_for,
    for_the_mean,
    gaussian_covariance_perturbation,
)
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.local_gaussian_pca import Constants, constants_for_diagonal
from reference.matrices.local_precision import local_precision
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import outer_products, second_moment
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger

BOTH = (gaussian_covariance_perturbation, local_precision)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    records = rng.standard_normal((100, 4))
    records[:, 0] += records[:, 1]
    return records / np.linalg.norm(records, axis=1).max()


def run(data, ledger=None, form=gaussian_covariance_perturbation, **changes):
    parameters = {"epsilon": 1.0, "delta": 1e-5, "penalty": 0.05} | changes
    return form(data, **parameters, ledger=ledger)


# ------------------------------------------------------------------------------- the noise


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (10.0, 1e-5)])
def test_the_default_noise_meets_the_claim_exactly(epsilon, delta):
    noise = constants_for(n=50, epsilon=epsilon, delta=delta)
    assert noise.sensitivity == pytest.approx(math.sqrt(2) / 50)
    true = gaussian_dp_delta(math.sqrt(2) / 50 / noise.noise_scale, epsilon)
    assert true == pytest.approx(delta, rel=1e-6)


def test_other_calibrations_are_divided_by_n():
    noise = for_the_mean(Constants(1.0, 3.0, diagonal_variance=2.0), 4)
    assert noise == Constants(0.25, 0.75, diagonal_variance=2.0)


@pytest.mark.parametrize(
    ("printed", "unit"), [(central_errata.printed, 100), (local_errata.printed, 1)]
)
def test_printed_noise_is_the_papers_and_has_the_delta_of_the_card(data, printed, unit):
    ledger = RecordingLedger(1)
    run(data, ledger, printed)
    (release,) = ledger.transcript.releases
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / unit)
    assert release.claim.sensitivity == pytest.approx(1 / unit)
    true = gaussian_dp_delta(math.sqrt(2) / unit / release.mechanism.scale, 1.0)
    assert true / 1e-5 == pytest.approx(3.736, rel=1e-3)


# --------------------------------------------------------------------------- the algorithms


@pytest.mark.parametrize("form", BOTH)
def test_noiseless_limit_is_the_graphical_lasso(data, form):
    expected = graphical_lasso(second_moment(data), penalty=0.05).theta
    assert run(data, NoiselessLedger(), form).theta == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("form", BOTH)
def test_noiseless_limit_agrees_with_scikit_learn(data, form):
    covariance = pytest.importorskip("sklearn.covariance")
    moment = data.T @ data / 100
    _, expected = covariance.graphical_lasso(moment + 0.05 * np.eye(4), 0.05, tol=1e-12)
    assert run(data, NoiselessLedger(), form).theta == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("form", BOTH)
def test_what_is_released_is_projected_and_solved(data, form):
    ledger = RecordingLedger(2)
    theta = run(data, ledger, form, epsilon=0.3).theta
    (release,) = ledger.transcript.releases
    noisy = release.output if release.output.ndim == 2 else release.output.mean(axis=0)
    # far below -penalty: without the projection there is no minimiser
    assert np.linalg.eigvalsh(noisy)[0] < -0.05
    assert np.linalg.eigvalsh(theta)[0] > 0
    assert optimality_gap(theta, positive_part(noisy), 0.05) < 1e-6


def test_the_projection_brings_the_matrix_no_farther_from_the_second_moment(data):
    moment = second_moment(data)
    rng = np.random.default_rng(3)
    for scale in (0.01, 0.1, 1.0, 10.0):
        square = scale * rng.standard_normal((4, 4))
        noise = square + square.T
        moved = np.linalg.norm(positive_part(moment + noise) - moment)
        assert moved <= np.linalg.norm(noise) * (1 + 1e-12)


def test_the_central_release_is_the_second_moment_and_spends_epsilon(data):
    ledger = RecordingLedger(4)
    run(data, ledger)
    (release,) = ledger.transcript.releases
    assert release.value == pytest.approx(second_moment(data))
    assert release.claim.unit != "record"
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(1.0, rel=1e-9)


def test_every_player_releases_a_message_and_is_charged_once(data):
    ledger = RecordingLedger(5)
    run(data, ledger, local_precision)
    (release,) = ledger.transcript.releases
    assert release.claim.unit == "record"
    assert release.value == pytest.approx(outer_products(data))
    assert release.claim.sensitivity == pytest.approx(math.sqrt(2))
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(1.0, rel=1e-9)


def test_given_constants_are_used(data):
    ledger = RecordingLedger(6)
    noise = for_the_mean(constants_for_diagonal(epsilon=1.0, delta=1e-5), 100)
    run(data, ledger, constants=noise)
    (release,) = ledger.transcript.releases
    assert release.mechanism.diagonal_variance == 2.0
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 100)


@pytest.mark.parametrize("form", BOTH)
def test_records_may_come_in_any_order_and_are_clipped(data, form):
    ledger = RecordingLedger(7)
    theta = run(data, ledger, form, epsilon=20.0).theta
    order = np.random.default_rng(8).permutation(len(data))
    (draws,) = ledger.transcript.draws
    again = run(
        data[order],
        GivenDrawsLedger([draws if form is BOTH[0] else draws[order]]),
        form,
        epsilon=20.0,
    )
    assert again.theta == pytest.approx(theta, rel=1e-5, abs=1e-6)
    huge, clipped = data.copy(), data.copy()
    huge[0], clipped[0] = [1e150, 0, 0, 0], [1.0, 0, 0, 0]
    expected = run(clipped, Ledger(9), form).theta
    assert run(huge, Ledger(9), form).theta == pytest.approx(expected, rel=1e-6)


def test_relabelling_the_variables_relabels_the_noiseless_solution(data):
    order = np.array([2, 0, 3, 1])
    theta = run(data, NoiselessLedger()).theta
    relabelled = run(data[:, order], NoiselessLedger()).theta
    assert relabelled == pytest.approx(theta[np.ix_(order, order)], abs=1e-7)


@pytest.mark.parametrize("form", BOTH)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0\.0"),
        ({"penalty": 0.0}, r"penalty must be a finite number > 0, got 0\.0"),
        ({"penalty": 1e-9}, r"penalty must be at least 1e-06 of the scale of the noise"),
        ({"constants": 1.0}, r"constants must be a reference\.matrices\.local_gaussian_pca"),
        ({"data": np.zeros((0, 3))}, "data must not be empty"),
        ({"data": np.zeros(3)}, r"data must have 2 dimension\(s\), got shape \(3,\)"),
        ({"data": np.array([[0.0, np.nan]])}, "data must be finite"),
        ({"data": [["a"]]}, "data must be an array of real numbers"),
    ],
)
def test_bad_input_is_refused_before_any_release(data, form, changes, message):
    ledger = RecordingLedger(0)
    with pytest.raises((ValueError, TypeError), match=message):
        run(**{"data": data, "ledger": ledger, "form": form, **changes})
    assert len(ledger.transcript) == 0
