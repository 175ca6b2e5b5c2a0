"""Clipped gradient EM (wang-1)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entry
from reference.clipping import clip_rows
from reference.em.clipped_gradient_em import (
    ENTRY,
    clipped_gradient_em,
    noise_multiplier,
)
from reference.em.gradient_em import gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_epsilon, zcdp_epsilon

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 50, np.random.default_rng(0))


def estimate(data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "model": MODEL,
        "initial": [0.8, 0.1],
        "epsilon": 1.0,
        "delta": 1e-5,
        "clipping_threshold": 1.0,
        "step_size": 0.5,
        "n_iterations": 3,
        "ledger": Ledger(1),
    }
    return clipped_gradient_em(data, **{**arguments, **changes})


def test_clip_rows() -> None:
    found = clip_rows(np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0], [1e300, 1e300]]), 1.0)
    root = math.sqrt(0.5)
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.3, 0.4], [0, 0], [root, root]], rtol=1e-15)


def test_hand_computed_step() -> None:
    # beta = 1: y = 1 gives tanh(1) - 1 = -0.238 (kept), y = 5 gives 5 tanh(5) - 1 = 4.0 -> C = 2
    found = estimate(
        [[1.0], [5.0]],
        initial=[1.0],
        clipping_threshold=2.0,
        n_iterations=1,
        ledger=NoiselessLedger(),
    )
    assert found[0] == pytest.approx(1 + 0.5 * ((math.tanh(1) - 1) + 2) / 2)


def test_noise_is_what_the_notes_say() -> None:
    # with zero draws replaced by ones, every step moves by eta C sigma more in every coordinate
    ledger = RecordingLedger(0)
    estimate(ledger=ledger, clipping_threshold=1.5)
    sigma = noise_multiplier(1.0, 1e-5, n=50, n_iterations=3)
    for release in ledger.transcript.releases:
        assert release.mechanism.scale == pytest.approx(1.5 * sigma)
        assert release.claim.sensitivity == pytest.approx(2 * 1.5 / 50)
    quiet = estimate(ledger=GivenDrawsLedger([np.zeros(2)]), n_iterations=1)
    loud = estimate(ledger=GivenDrawsLedger([np.ones(2)]), n_iterations=1)
    single = noise_multiplier(1.0, 1e-5, n=50, n_iterations=1)
    np.testing.assert_allclose(loud - quiet, 0.5 * single, rtol=1e-12)


def test_noise_multiplier_against_the_card() -> None:
    # c = 2 epsilon^2/(L te^2): 8.34 at (1, 1e-5), 8.07 at (0.2, 1e-5), 9.66 at (1, 0.1)
    for epsilon, delta, c in ((1.0, 1e-5, 8.344), (0.2, 1e-5, 8.069), (1.0, 0.1, 9.659)):
        sigma = noise_multiplier(epsilon, delta, n=100, n_iterations=7)
        printed = noise_multiplier(epsilon, delta, n=100, n_iterations=7, constant=c)
        assert sigma == pytest.approx(printed, rel=1e-4)
    # sigma^2 = c T L/(n^2 epsilon^2) by hand: c = 2, T = 3, L = 1, n = 2, epsilon = 0.5
    by_hand = noise_multiplier(0.5, math.exp(-1), n=2, n_iterations=3, constant=2.0)
    assert by_hand == pytest.approx(math.sqrt(6))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 8.0])
def test_spends_no_more_than_claimed(epsilon: float) -> None:
    ledger = Ledger(2)
    estimate(ledger=ledger, epsilon=epsilon)
    assert ledger.spent(delta=1e-5).epsilon <= epsilon
    assert len(ledger.transcript.releases) == 3


def test_printed_constant_one_overspends() -> None:
    ledger = Ledger(3)
    estimate(ledger=ledger, constant=1.0)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(2.397, abs=1e-3)
    ledger = Ledger(3)
    estimate(ledger=ledger, constant=2.0)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(1.628, abs=1e-3)
    # the documented constant 8(1 + epsilon/L) suffices, also by the looser zCDP conversion
    sigma = noise_multiplier(1.0, 1e-5, n=50, n_iterations=3, constant=8 * (1 + 1 / math.log(1e5)))
    mu = 2 * math.sqrt(3) / (50 * sigma)
    assert gaussian_dp_epsilon(mu, 1e-5) < zcdp_epsilon(mu**2 / 2, 1e-5) <= 1.0


def test_records_may_be_permuted() -> None:
    order = np.random.default_rng(4).permutation(len(DATA))
    np.testing.assert_allclose(estimate(DATA[order]), estimate(), rtol=1e-12)


def test_sign_symmetry() -> None:
    # y and -y are the same record; beta and -beta the same model
    np.testing.assert_allclose(estimate(-DATA), estimate(), rtol=1e-12)


def test_scale_equivariance() -> None:
    scaled = estimate(
        1024 * DATA,
        model=GaussianMixture(1024.0),
        initial=np.array([0.8, 0.1]) * 1024,
        clipping_threshold=1024.0,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(), rtol=1e-12)


def test_without_noise_and_clipping_it_is_gradient_em() -> None:
    plain = gradient_em(DATA, MODEL, initial=[0.8, 0.1], step_size=0.5, n_iterations=3)
    limit = estimate(clipping_threshold=1e9, ledger=NoiselessLedger())
    np.testing.assert_allclose(limit, plain, rtol=1e-12)


@pytest.mark.parametrize("model", [MixtureOfRegressions(1.0), MissingCovariates(1.0, 0.3)])
class TestOtherModels:
    def test_without_noise_and_clipping_it_is_gradient_em(self, model: LatentModel) -> None:
        data = model.sample(np.array([1.0, 0.5]), 50, np.random.default_rng(5))
        plain = gradient_em(data, model, initial=[0.8, 0.1], step_size=0.5, n_iterations=3)
        limit = estimate(data, model=model, clipping_threshold=1e9, ledger=NoiselessLedger())
        np.testing.assert_allclose(limit, plain, rtol=1e-12)

    def test_no_record_fails_or_moves_a_step_beyond_the_claim(self, model: LatentModel) -> None:
        data = model.sample(np.array([1.0, 0.5]), 50, np.random.default_rng(6))
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


def test_input_is_not_changed_and_types_are_accepted() -> None:
    data, start = DATA.copy(), np.array([0.8, 0.1])
    estimate(data, initial=start)
    np.testing.assert_array_equal(data, DATA)
    np.testing.assert_array_equal(start, [0.8, 0.1])
    single = estimate(DATA.astype(np.float32))
    np.testing.assert_allclose(single, estimate(), atol=1e-6)
    assert single.shape == (2,)
    assert estimate(ledger=None).shape == (2,)


def test_no_record_makes_a_release_fail() -> None:
    for row in ([1e308, -1e308], [1e308, 1e308], [5e-324, 0.0]):
        data = DATA.copy()
        data[7] = row
        assert np.isfinite(estimate(data, initial=[30.0, 30.0])).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0, got 0.0"),
        ({"epsilon": math.inf}, "epsilon must be a finite number > 0, got inf"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"clipping_threshold": -1.0}, "clipping_threshold must be"),
        ({"step_size": 0.0}, "step_size must be"),
        ({"n_iterations": 0}, "n_iterations must be an integer >= 1, got 0"),
        ({"constant": 0.0}, "constant must be"),
        ({"initial": [0.8]}, r"data must have shape"),
        ({"initial": [0.8, math.nan]}, "initial must be finite"),
        ({"data": np.zeros((0, 2))}, "data must not be empty"),
        ({"data": [[math.inf, 0.0]]}, "data must be finite"),
        ({"data": [1.0, 2.0]}, "data must have 2 dimension"),
    ],
)
def test_bad_values_are_refused_before_any_release(changes: dict[str, Any], message: str) -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match=message) as caught:
        estimate(ledger=ledger, **changes)
    assert "\n" not in str(caught.value)
    assert not ledger.transcript.entries


def test_bad_types() -> None:
    with pytest.raises(TypeError, match="epsilon must be a real number, got '1'"):
        estimate(epsilon="1")
    with pytest.raises(TypeError, match=r"n_iterations must be an integer, got 2\.0"):
        estimate(n_iterations=2.0)
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        estimate(ledger=5)


def test_entry() -> None:
    assert entry("wang-1") is entry("diss-7.2.55") is ENTRY
    assert [erratum.number for erratum in ENTRY.errata] == [1, 2]
