"""Gradient EM in the local model (wang-ldp-em, an extension)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entry
from reference.em.gradient_em import gradient_em
from reference.em.local_gradient_em import ENTRY, calibrate, local_gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.em.split_gradient_em import calibrate as calibrate_split
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import Model, zcdp_epsilon, zcdp_rho

TRUTH = np.array([1.0, 0.5])
MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(1.0),
    "regressions": MixtureOfRegressions(1.0),
    "missing": MissingCovariates(1.0, 0.3),
}
DATA = {name: model.sample(TRUTH, 62, np.random.default_rng(0)) for name, model in MODELS.items()}
EVERY_MODEL = pytest.mark.parametrize("name", MODELS)


def estimate(name: str = "mixture", data: Any = None, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "model": MODELS[name],
        "initial": [0.8, 0.1],
        "epsilon": 0.9,
        "delta": 1e-5,
        "second_moment": 2.0,
        "failure_probability": 0.05,
        "step_size": 1.0,
        "n_iterations": 3,
        "ledger": Ledger(1),
    }
    return local_gradient_em(DATA[name] if data is None else data, **{**arguments, **changes})


def constants(**changes: Any) -> Any:
    arguments: dict[str, Any] = {
        "epsilon": 0.9,
        "delta": 1e-5,
        "n": 62,
        "dimension": 2,
        "n_iterations": 3,
        "second_moment": 2.0,
        "failure_probability": 0.05,
    }
    return calibrate(**{**arguments, **changes})


def test_calibration() -> None:
    found = constants(n=51, n_iterations=3)
    log_term, root_rho = math.log(40), math.sqrt(math.log(1e5) + 0.9) - math.sqrt(math.log(1e5))
    assert found.block_size == 17
    assert found.scale == pytest.approx(17**0.25 * math.sqrt(2.0 * root_rho) / (2 * log_term))
    assert found.precision == pytest.approx(math.sqrt(log_term))
    assert found.sensitivity == pytest.approx(math.sqrt(2) * 4 * math.sqrt(2) / 3 * found.scale)
    assert found.noise_scale == pytest.approx(4 * found.scale * math.sqrt(2) / (3 * root_rho))


def test_one_user_is_one_record_of_the_central_version() -> None:
    central = calibrate_split(
        0.9,
        1e-5,
        n=1,
        dimension=2,
        n_iterations=1,
        second_moment=2.0,
        failure_probability=0.05,
    )
    assert constants(n=1, n_iterations=1) == central


def test_hand_computed_run() -> None:
    # two rounds of one user each; the third user is not asked
    c, beta = constants(n=3, dimension=1, n_iterations=2), 0.5
    for y in (2.0, -30.0):
        gradient = math.tanh(beta * y) * y - beta
        beta += 0.7 * float(smoothed_truncation(gradient, scale=c.scale, precision=c.precision))
    found = estimate(
        data=[[2.0], [-30.0], [1e9]],
        initial=[0.5],
        step_size=0.7,
        n_iterations=2,
        ledger=NoiselessLedger(),
    )
    assert found[0] == pytest.approx(beta, rel=1e-12)


def test_every_user_adds_noise_of_its_own() -> None:
    draws = np.arange(124.0).reshape(62, 2)
    quiet = estimate(n_iterations=1, ledger=GivenDrawsLedger([np.zeros((62, 2))]))
    loud = estimate(n_iterations=1, ledger=GivenDrawsLedger([draws]))
    scale = constants(n_iterations=1).noise_scale
    np.testing.assert_allclose(loud - quiet, scale * draws.mean(axis=0))


@EVERY_MODEL
@pytest.mark.parametrize("epsilon", [0.1, 0.9, 6.0])
def test_every_user_sends_one_message_that_costs_the_claim(name: str, epsilon: float) -> None:
    ledger = RecordingLedger(2)
    estimate(name, ledger=ledger, epsilon=epsilon)
    releases = ledger.transcript.releases
    assert [release.claim.records for release in releases] == [
        slice(0, 20),
        slice(20, 40),
        slice(40, 60),
    ]
    for release in releases:
        assert release.claim.unit == "record"
        assert release.value.shape == (20, 2)
        rho = release.claim.sensitivity**2 / (2 * release.mechanism.scale**2)
        assert zcdp_epsilon(rho, 1e-5) == pytest.approx(epsilon)
        assert rho == pytest.approx(zcdp_rho(epsilon, 1e-5))
    one = Ledger(2)
    estimate(name, ledger=one, epsilon=epsilon, n_iterations=1)
    spent = ledger.spent(delta=1e-5).epsilon
    assert spent == pytest.approx(one.spent(delta=1e-5).epsilon)
    assert spent <= epsilon


def test_a_message_moves_by_no_more_than_the_exact_sensitivity() -> None:
    c = constants()
    exact = 2 * math.sqrt(2) * truncation_bound(scale=c.scale, precision=c.precision)
    values = []
    for y in (0.0, 1e12):
        data, ledger = DATA["regressions"].copy(), RecordingLedger(4)
        data[5] = (1e6, 1e6, y)
        estimate("regressions", data=data, initial=[0.5, 0.5], ledger=ledger)
        values.append(ledger.transcript.releases[0].value)
    distances = np.linalg.norm(values[0] - values[1], axis=1)
    assert distances[5] == pytest.approx(exact, rel=1e-9)
    assert np.count_nonzero(distances) == 1
    assert exact == pytest.approx(c.sensitivity * math.erf(math.sqrt(c.precision / 2)))


@EVERY_MODEL
def test_noiseless_limit_is_gradient_em_on_the_blocks(name: str) -> None:
    beta = np.array([0.8, 0.1])
    for t in range(3):
        block = DATA[name][20 * t : 20 * (t + 1)]
        beta = gradient_em(block, MODELS[name], initial=beta, step_size=0.5, n_iterations=1)
    limit = estimate(name, second_moment=1e20, ledger=NoiselessLedger(), step_size=0.5)
    np.testing.assert_allclose(limit, beta, rtol=1e-10)


def test_users_may_be_permuted_within_blocks_only() -> None:
    rng = np.random.default_rng(3)
    data, quiet = DATA["mixture"], {"ledger": NoiselessLedger()}
    plain = estimate(**quiet)
    within = np.concatenate([20 * t + rng.permutation(20) for t in range(3)] + [[61, 60]])
    np.testing.assert_allclose(estimate(data=data[within], **quiet), plain, rtol=1e-12)
    across = np.concatenate([np.arange(20, 40), np.arange(20), np.arange(40, 62)])
    assert np.abs(estimate(data=data[across], **quiet) - plain).max() > 1e-6


def test_users_who_are_not_asked_do_not_matter() -> None:
    data = DATA["mixture"].copy()
    data[60:] = 1e6
    np.testing.assert_array_equal(estimate(data=data), estimate())


def test_scale_equivariance() -> None:
    scaled = estimate(
        data=1024 * DATA["mixture"],
        model=GaussianMixture(1024.0),
        initial=np.array([0.8, 0.1]) * 1024,
        second_moment=2.0 * 1024**2,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(), rtol=1e-12)


@EVERY_MODEL
def test_no_record_makes_a_message_fail(name: str) -> None:
    width = DATA[name].shape[1]
    rows = [np.full(width, 1e308), np.tile([1e308, -1e308], 2)[:width], np.full(width, 5e-324)]
    if name == "missing":
        rows += [np.array([math.nan, math.nan, 1e308]), np.array([math.nan, -1e308, 0.0])]
    for row in rows:
        data, ledger = DATA[name].copy(), RecordingLedger(5)
        data[7] = row
        assert np.isfinite(estimate(name, data=data, initial=[30.0, 30.0], ledger=ledger)).all()
        message = ledger.transcript.releases[0].value[7]
        assert np.linalg.norm(message) <= ledger.transcript.releases[0].claim.sensitivity / 2


@EVERY_MODEL
def test_input_is_not_changed_and_types_are_accepted(name: str) -> None:
    data, start = DATA[name].copy(), np.array([0.8, 0.1])
    estimate(name, data=data, initial=start)
    np.testing.assert_array_equal(data, DATA[name])
    np.testing.assert_array_equal(start, [0.8, 0.1])
    assert estimate(name, ledger=None).shape == (2,)
    assert estimate(name, data=data.astype(np.float32)).dtype == np.float64


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0, got 0.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"second_moment": 0.0}, "second_moment must be a finite number > 0, got 0.0"),
        ({"failure_probability": 1.0}, r"failure_probability must be in \(0, 1\), got 1.0"),
        ({"step_size": 0.0}, "step_size must be a finite number > 0, got 0.0"),
        ({"n_iterations": 63}, "n_iterations must be an integer >= 1 and <= 62, got 63"),
        ({"initial": [[0.8, 0.1]]}, "initial must have 1 dimension"),
        ({"data": [[math.nan, 0.0]]}, "data must be finite"),
    ],
)
def test_bad_values_are_refused_before_any_release(changes: dict[str, Any], message: str) -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match=message) as caught:
        estimate(ledger=ledger, **changes)
    assert "\n" not in str(caught.value)
    assert not ledger.transcript.entries


def test_entry() -> None:
    assert entry("wang-ldp-em") is ENTRY
    assert ENTRY.model is Model.LOCAL
    assert ENTRY.interactive
    assert "extension" in ENTRY.privacy_claim
    assert not ENTRY.errata
