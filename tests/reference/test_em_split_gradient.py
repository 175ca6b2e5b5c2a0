"""Gradient EM on disjoint blocks with smoothed truncation (wang-2)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entry
from reference.em.gradient_em import gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.em.split_gradient_em import ENTRY, calibrate, split_gradient_em
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import zcdp_epsilon, zcdp_rho

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 62, np.random.default_rng(0))


def estimate(data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "model": MODEL,
        "initial": [0.8, 0.1],
        "epsilon": 0.9,
        "delta": 1e-5,
        "second_moment": 2.0,
        "failure_probability": 0.05,
        "step_size": 1.0,
        "n_iterations": 3,
        "ledger": Ledger(1),
    }
    return split_gradient_em(data, **{**arguments, **changes})


def test_calibration_against_the_card() -> None:
    # form 1 of sigma^2 at (n, T, d, zeta, epsilon, delta, tau) = (1e4, 10, 10, .05, 1, 1e-5, 1)
    found = calibrate(
        1.0,
        1e-5,
        n=10_000,
        dimension=10,
        n_iterations=10,
        second_moment=1.0,
        failure_probability=0.05,
    )
    log_term, root_rho = math.log(200), math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))
    assert found.block_size == 1000
    assert found.scale == pytest.approx(math.sqrt(1000 * root_rho) / (2 * log_term))
    assert found.precision == pytest.approx(math.sqrt(log_term))
    assert found.noise_scale**2 == pytest.approx(0.001097, rel=1e-3)
    assert found.sensitivity == pytest.approx(4 * math.sqrt(20) / 3 * found.scale / 1000)
    assert found.sensitivity**2 / (2 * found.noise_scale**2) == pytest.approx(root_rho**2)


def test_hand_computed_run() -> None:
    # two blocks of one record each; the third record is left over
    constants = calibrate(
        0.9,
        1e-5,
        n=3,
        dimension=1,
        n_iterations=2,
        second_moment=2.0,
        failure_probability=0.05,
    )
    beta = 0.5
    for y in (2.0, -30.0):
        gradient = math.tanh(beta * y) * y - beta
        beta += 0.7 * float(
            smoothed_truncation(gradient, scale=constants.scale, precision=constants.precision)
        )
    found = estimate(
        [[2.0], [-30.0], [1e9]],
        initial=[0.5],
        step_size=0.7,
        n_iterations=2,
        ledger=NoiselessLedger(),
    )
    assert constants.block_size == 1
    assert found[0] == pytest.approx(beta, rel=1e-12)


def test_noise_enters_every_step_and_coordinate() -> None:
    constants = calibrate(
        0.9,
        1e-5,
        n=62,
        dimension=2,
        n_iterations=1,
        second_moment=2.0,
        failure_probability=0.05,
    )
    quiet = estimate(n_iterations=1, ledger=GivenDrawsLedger([np.zeros(2)]))
    loud = estimate(n_iterations=1, ledger=GivenDrawsLedger([np.array([1.0, -2.0])]))
    np.testing.assert_allclose(loud - quiet, constants.noise_scale * np.array([1.0, -2.0]))


@pytest.mark.parametrize("epsilon", [0.1, 0.9, 6.0])
def test_every_record_is_read_once_and_costs_the_claim(epsilon: float) -> None:
    ledger = RecordingLedger(2)
    estimate(ledger=ledger, epsilon=epsilon)
    releases = ledger.transcript.releases
    assert [release.claim.records for release in releases] == [
        slice(0, 20),
        slice(20, 40),
        slice(40, 60),
    ]
    for release in releases:
        rho = release.claim.sensitivity**2 / (2 * release.mechanism.scale**2)
        assert rho == pytest.approx(zcdp_rho(epsilon, 1e-5))
        assert zcdp_epsilon(rho, 1e-5) == pytest.approx(epsilon)
    # parallel composition: one release, not three
    assert ledger.spent(delta=1e-5).epsilon <= epsilon
    one = RecordingLedger(2)
    estimate(ledger=one, epsilon=epsilon, n_iterations=1)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(one.spent(delta=1e-5).epsilon)


def test_records_may_be_permuted_within_blocks_only() -> None:
    rng = np.random.default_rng(3)
    within = np.concatenate([20 * t + rng.permutation(20) for t in range(3)] + [[61, 60]])
    np.testing.assert_allclose(estimate(DATA[within]), estimate(), rtol=1e-12)
    across = np.concatenate([np.arange(20, 40), np.arange(20), np.arange(40, 62)])
    assert np.abs(estimate(DATA[across]) - estimate()).max() > 1e-6


def test_left_over_records_do_not_matter() -> None:
    data = DATA.copy()
    data[60:] = 1e6
    np.testing.assert_array_equal(estimate(data), estimate())


def test_a_record_moves_its_block_by_no_more_than_the_exact_sensitivity() -> None:
    constants = calibrate(
        0.9,
        1e-5,
        n=62,
        dimension=2,
        n_iterations=3,
        second_moment=2.0,
        failure_probability=0.05,
    )
    s, precision, m = constants.scale, constants.precision, constants.block_size
    exact = 2 * math.sqrt(2) * truncation_bound(scale=s, precision=precision) / m
    values = []
    for record in ([1e8 + 1, -1e8], [-1e8, 1e8 + 1]):
        data, ledger = DATA.copy(), RecordingLedger(4)
        data[0] = record  # <beta, y> = 0.5 > 0 for both
        estimate(data, initial=[0.5, 0.5], ledger=ledger)
        values.append(ledger.transcript.releases[0].value)
    distance = float(np.linalg.norm(values[0] - values[1]))
    assert distance == pytest.approx(exact, rel=1e-9)
    assert exact == pytest.approx(constants.sensitivity * math.erf(math.sqrt(precision / 2)))


def test_scale_equivariance() -> None:
    scaled = estimate(
        1024 * DATA,
        model=GaussianMixture(1024.0),
        initial=np.array([0.8, 0.1]) * 1024,
        second_moment=2.0 * 1024**2,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(), rtol=1e-12)


def test_noiseless_limit_is_gradient_em_on_the_blocks() -> None:
    beta = np.array([0.8, 0.1])
    for t in range(3):
        block = DATA[20 * t : 20 * (t + 1)]
        beta = gradient_em(block, MODEL, initial=beta, step_size=1.0, n_iterations=1)
    # tau = 1e16 puts the truncation at 1e7 times the gradients: relative bias below 1e-12
    limit = estimate(second_moment=1e16, ledger=NoiselessLedger())
    np.testing.assert_allclose(limit, beta, rtol=1e-11)


@pytest.mark.parametrize("model", [MixtureOfRegressions(1.0), MissingCovariates(1.0, 0.3)])
class TestOtherModels:
    def test_noiseless_limit_is_gradient_em_on_the_blocks(self, model: LatentModel) -> None:
        data = model.sample(np.array([1.0, 0.5]), 62, np.random.default_rng(5))
        beta = np.array([0.8, 0.1])
        for t in range(3):
            block = data[20 * t : 20 * (t + 1)]
            beta = gradient_em(block, model, initial=beta, step_size=0.5, n_iterations=1)
        limit = estimate(
            data, model=model, second_moment=1e16, step_size=0.5, ledger=NoiselessLedger()
        )
        np.testing.assert_allclose(limit, beta, rtol=1e-10)

    def test_no_record_fails_or_moves_its_block_beyond_the_claim(self, model: LatentModel) -> None:
        data = model.sample(np.array([1.0, 0.5]), 62, np.random.default_rng(6))
        plain = RecordingLedger(7)
        estimate(data, model=model, ledger=plain)
        rows = [[1e308, 1e308, -1e308], [1e6, 1e6, 1e12], [1e6, -1e6, 0.0], [5e-324] * 3]
        if isinstance(model, MissingCovariates):
            rows += [[math.nan, math.nan, 1e308], [math.nan, 1e308, 0.0], [math.nan] * 2 + [0.0]]
        for row in rows:
            other, ledger = data.copy(), RecordingLedger(7)
            other[3] = row
            assert np.isfinite(estimate(other, model=model, ledger=ledger)).all()
            mine, theirs = plain.transcript.releases[0], ledger.transcript.releases[0]
            assert np.linalg.norm(mine.value - theirs.value) <= mine.claim.sensitivity


class TestAsPublished:
    def test_agrees_with_one_block_of_moderate_records(self) -> None:
        printed = estimate(n_iterations=1, as_published=True)
        np.testing.assert_allclose(printed, estimate(n_iterations=1), rtol=1e-10)

    def test_leaves_a_cubic_behind_with_two_blocks(self) -> None:
        quiet: dict[str, Any] = {"n_iterations": 2, "ledger": NoiselessLedger()}
        data = DATA[:2].copy()
        data[0] = (50.0, 50.0)
        printed = estimate(data, as_published=True, **quiet)
        assert np.abs(printed).max() > 1e3
        assert np.abs(estimate(data, **quiet)).max() < 10

    def test_is_unbounded_in_doubles_even_with_one_block(self) -> None:
        # erratum wang-phi/2
        # the rounding error of the cubes is 0 at some magnitudes, so try a few
        quiet: dict[str, Any] = {"n_iterations": 1, "ledger": NoiselessLedger()}
        largest = 0.0
        for size in (1e8, 1.3e8, 1.7e8, 2.2e8, 3e8):
            data = DATA.copy()
            data[0] = (size, size)
            largest = max(largest, float(np.abs(estimate(data, as_published=True, **quiet)).max()))
            assert np.abs(estimate(data, **quiet)).max() < 10
        assert largest > 1e3


def test_input_is_not_changed_and_types_are_accepted() -> None:
    data, start = DATA.copy(), np.array([0.8, 0.1])
    estimate(data, initial=start)
    np.testing.assert_array_equal(data, DATA)
    np.testing.assert_array_equal(start, [0.8, 0.1])
    np.testing.assert_allclose(estimate(DATA.astype(np.float32)), estimate(), atol=1e-5)
    assert estimate(ledger=None).shape == (2,)


def test_no_record_makes_a_release_fail() -> None:
    for row in ([1e308, -1e308], [1e308, 1e308], [5e-324, 0.0]):
        data = DATA.copy()
        data[7] = row
        assert np.isfinite(estimate(data, initial=[30.0, 30.0])).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": -1.0}, "epsilon must be a finite number > 0, got -1.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"second_moment": 0.0}, "second_moment must be a finite number > 0, got 0.0"),
        ({"failure_probability": 0.0}, r"failure_probability must be in \(0, 1\), got 0.0"),
        ({"failure_probability": 1.0}, r"failure_probability must be in \(0, 1\), got 1.0"),
        ({"step_size": math.nan}, "step_size must be a finite number > 0, got nan"),
        ({"n_iterations": 0}, "n_iterations must be an integer >= 1 and <= 62, got 0"),
        ({"n_iterations": 63}, "n_iterations must be an integer >= 1 and <= 62, got 63"),
        ({"initial": [[0.8, 0.1]]}, "initial must have 1 dimension"),
        ({"data": DATA[:, :1]}, r"data must have shape \('any', 2\), got \(62, 1\)"),
        ({"data": DATA[:0]}, "data must not be empty"),
        ({"data": [[math.nan, 0.0]]}, "data must be finite"),
    ],
)
def test_bad_values_are_refused_before_any_release(changes: dict[str, Any], message: str) -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match=message) as caught:
        estimate(ledger=ledger, **changes)
    assert "\n" not in str(caught.value)
    assert not ledger.transcript.entries


def test_bad_types() -> None:
    with pytest.raises(TypeError, match="second_moment must be a real number, got None"):
        estimate(second_moment=None)
    with pytest.raises(TypeError, match=r"n_iterations must be an integer, got 1\.5"):
        estimate(n_iterations=1.5)


def test_entry() -> None:
    assert entry("wang-2") is ENTRY
    # item 1 of the catalogue's list was not upheld
    assert [erratum.number for erratum in ENTRY.errata if not erratum.card] == [2, 3, 4, 5, 6]
    assert [(erratum.card, erratum.number) for erratum in ENTRY.errata if erratum.card] == [
        ("model-gmm", 1),
        ("model-mrm", 2),
        ("model-rmc", 1),
        ("model-rmc", 2),
        ("wang-prep", 1),
    ]
