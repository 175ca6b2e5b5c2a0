"""Dense DP-EM: the Gaussian mixture (zhang-4) and its relatives (zhang-7, zhang-8)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.em.dense_em import constants_for, dense_em
from reference.em.dense_em_missing import dense_em_missing
from reference.em.dense_em_regressions import dense_em_regressions
from reference.em.gradient_em import gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.errata.em import dense_em_missing as dense_em_missing_errata
from reference.errata.em import dense_em_regressions as dense_em_regressions_errata
from reference.errata.em.models import PrintedDoubledRegressions, UnclippedMissingCovariates
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, zcdp_epsilon

START = np.array([0.9, 0.2, 0.4])
TRUTH = np.array([1.0, 0.0, 0.5])
MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(0.5),
    "regressions": MixtureOfRegressions(0.5),
    "missing": MissingCovariates(0.5, 0.2),
}
DATA = {name: model.sample(TRUTH, 62, np.random.default_rng(0)) for name, model in MODELS.items()}


def estimate(name: str = "mixture", data: Any = None, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "model": MODELS[name],
        "initial": START,
        "epsilon": 0.9,
        "delta": 1e-5,
        "truncation_level": 2.0,
        "step_size": 0.7,
        "n_iterations": 3,
        "ledger": Ledger(1),
    }
    return dense_em(DATA[name] if data is None else data, **{**arguments, **changes})


@pytest.mark.parametrize("delta", [0.1, 1e-5])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0, 50.0])
def test_the_noise_is_that_of_the_claim_for_every_epsilon(epsilon: float, delta: float) -> None:
    given: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "truncation_level": 2.0}
    given |= {"n": 62, "dimension": 3, "step_size": 0.7, "n_iterations": 3}
    exact = constants_for(MODELS["mixture"], **given)
    by_zcdp = constants_for(MODELS["mixture"], **given, method="zcdp")
    assert exact.sensitivity == by_zcdp.sensitivity == pytest.approx(0.7 * math.sqrt(3) * 4 / 20)
    mu, root = (c.sensitivity / c.noise_scale for c in (exact, by_zcdp))
    assert gaussian_dp_delta(mu, epsilon) == pytest.approx(delta, rel=1e-6)
    assert zcdp_epsilon(root**2 / 2, delta) == pytest.approx(epsilon)
    assert by_zcdp.noise_scale > exact.noise_scale


def test_the_classical_noise_fails_from_the_thresholds_of_the_erratum() -> None:
    def true_delta(epsilon: float, delta: float, at: float) -> float:
        return gaussian_dp_delta(1 / printed_gaussian_scale(epsilon, delta, sensitivity=1.0), at)

    for delta, threshold in ((0.1, 5.743), (1e-2, 6.772), (1e-5, 8.420), (1e-8, 9.374)):
        for epsilon, holds in ((threshold - 0.01, True), (threshold + 0.01, False), (1.0, True)):
            assert (true_delta(epsilon, delta, epsilon) <= delta) is holds
    # the card: true epsilon .751 of 1 at delta = 1e-5
    assert true_delta(1.0, 1e-5, 0.751) == pytest.approx(1e-5, rel=0.05)
    # at (8, .1), as in the audit
    assert true_delta(8.0, 0.1, 8.0) == pytest.approx(0.236, abs=5e-4)


def test_hand_computed_run() -> None:
    # two batches of one record each, sigma = 1, T = 2; the third record is left over
    beta = 0.5
    beta += 0.7 * (math.tanh(0.5 * 1.5) * 1.5 - 0.5)
    beta += 0.7 * (math.tanh(beta * 30.0) * 2.0 - beta)
    found = estimate(
        data=[[1.5], [-30.0], [1e9]],
        model=GaussianMixture(1.0),
        initial=[0.5],
        n_iterations=2,
        ledger=NoiselessLedger(),
    )
    np.testing.assert_allclose(found, [beta], rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_noiseless_limit_is_gradient_em_on_the_batches(name: str) -> None:
    beta = START
    for t in range(3):
        block = DATA[name][20 * t : 20 * (t + 1)]
        beta = gradient_em(block, MODELS[name], initial=beta, step_size=0.7, n_iterations=1)
    limit = estimate(name, truncation_level=1e3, ledger=NoiselessLedger())
    np.testing.assert_allclose(limit, beta, rtol=1e-11)


PRINTED: dict[str, LatentModel] = {
    "regressions": PrintedDoubledRegressions(0.5),
    "missing": UnclippedMissingCovariates(0.5),
}


@pytest.mark.parametrize(
    ("name", "algorithm", "printed"),
    [
        ("regressions", dense_em_regressions, dense_em_regressions_errata.printed),
        ("missing", dense_em_missing, dense_em_missing_errata.printed),
    ],
)
def test_an_instance_is_the_framework_with_its_model(
    name: str, algorithm: Any, printed: Any
) -> None:
    arguments: dict[str, Any] = {
        "initial": START,
        "epsilon": 0.9,
        "delta": 1e-5,
        "standard_deviation": 0.5,
        "truncation_level": 2.0,
        "n_iterations": 3,
    }
    found = algorithm(DATA[name], step_size=0.7, ledger=Ledger(1), **arguments)
    np.testing.assert_array_equal(found, estimate(name))
    ledger = RecordingLedger(1)
    printed(DATA[name], ledger=ledger, **arguments)
    release = ledger.transcript.releases[0]
    claimed = math.sqrt(3) * PRINTED[name].truncated_sensitivity(2.0) / 20
    assert release.claim.sensitivity == pytest.approx(claimed)
    # the classical Gaussian mechanism
    assert release.mechanism.scale == pytest.approx(claimed * math.sqrt(2 * math.log(1.25e5)) / 0.9)
    step = START + PRINTED[name].truncated_gradients(DATA[name][:20], START, 2.0).mean(axis=0)
    np.testing.assert_allclose(release.value, step, rtol=1e-12)


def test_iterates_are_clipped_where_the_sensitivity_needs_it() -> None:
    settings: dict[str, Any] = {
        "truncation_level": 0.5,
        "n_iterations": 1,
        "ledger": NoiselessLedger(),
    }
    wild, clipped = np.array([8.0, 0.0, -3.0]), np.array([1.0, 0.0, -1.0])  # 4T^2 = 1
    found = estimate("missing", initial=wild, **settings)
    np.testing.assert_array_equal(found, estimate("missing", initial=clipped, **settings))
    assert np.abs(found).max() <= 1
    printed = estimate("missing", model=PRINTED["missing"], initial=wild, **settings)
    assert np.abs(printed).max() > 1
    loud = {**settings, "ledger": GivenDrawsLedger([np.full(3, 1e6)])}
    np.testing.assert_array_equal(estimate("missing", **loud), 1.0)
    # no other model needs it
    far = estimate(initial=1e3 * START, step_size=1e-5, n_iterations=1, ledger=NoiselessLedger())
    np.testing.assert_allclose(far, 1e3 * START, rtol=1e-4)


def test_more_batches_than_records_are_refused() -> None:
    with pytest.raises(ValueError, match="n_iterations must be an integer >= 1 and <= 62, got 63"):
        estimate(n_iterations=63)
