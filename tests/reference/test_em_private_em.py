"""DP EM for the Gaussian mixture (diss-7.2.57)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entry
from reference.em.em import expectation_maximisation
from reference.em.full_data_gradient_em import calibrate, full_data_gradient_em
from reference.em.models import GaussianMixture, MissingCovariates, MixtureOfRegressions
from reference.em.private_em import ENTRY, private_em
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import zcdp_rho

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 60, np.random.default_rng(0))


def estimate(data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "model": MODEL,
        "initial": [0.8, 0.1],
        "epsilon": 0.9,
        "delta": 1e-5,
        "second_moment": 2.0,
        "failure_probability": 0.05,
        "n_iterations": 3,
        "ledger": Ledger(1),
    }
    return private_em(data, **{**arguments, **changes})


def constants(**changes: Any) -> Any:
    arguments: dict[str, Any] = {
        "epsilon": 0.9,
        "delta": 1e-5,
        "n": 60,
        "dimension": 2,
        "n_iterations": 3,
        "second_moment": 2.0,
        "failure_probability": 0.05,
    }
    return calibrate(**{**arguments, **changes})


def test_hand_computed_run() -> None:
    beta, c = 0.5, constants(n=2, dimension=1, n_iterations=2)
    for _ in range(2):
        terms = [math.tanh(beta * y) * y for y in (2.0, -30.0)]
        beta = float(smoothed_truncation(terms, scale=c.scale, precision=c.precision).mean())
    found = estimate([[2.0], [-30.0]], initial=[0.5], n_iterations=2, ledger=NoiselessLedger())
    assert found[0] == pytest.approx(beta, rel=1e-12)


def test_noise_is_that_of_the_gradient_version() -> None:
    ledgers = RecordingLedger(2), RecordingLedger(2)
    estimate(ledger=ledgers[0])
    full_data_gradient_em(
        DATA,
        MODEL,
        initial=[0.8, 0.1],
        epsilon=0.9,
        delta=1e-5,
        second_moment=2.0,
        failure_probability=0.05,
        step_size=1.0,
        n_iterations=3,
        ledger=ledgers[1],
    )
    for mine, theirs in zip(*(ledger.transcript.releases for ledger in ledgers), strict=True):
        assert mine.mechanism == theirs.mechanism
        assert mine.claim.sensitivity == theirs.claim.sensitivity
    quiet = estimate(ledger=GivenDrawsLedger([np.zeros(2)]), n_iterations=1)
    loud = estimate(ledger=GivenDrawsLedger([np.array([1.0, -2.0])]), n_iterations=1)
    scale = constants(n_iterations=1).noise_scale
    np.testing.assert_allclose(loud - quiet, scale * np.array([1.0, -2.0]))


@pytest.mark.parametrize("epsilon", [0.1, 0.9, 6.0])
def test_spends_what_is_claimed(epsilon: float) -> None:
    ledger = RecordingLedger(3)
    estimate(ledger=ledger, epsilon=epsilon)
    releases = ledger.transcript.releases
    assert len(releases) == 3
    rho = sum(r.claim.sensitivity**2 / (2 * r.mechanism.scale**2) for r in releases)
    assert rho == pytest.approx(zcdp_rho(epsilon, 1e-5))
    assert ledger.spent(delta=1e-5).epsilon <= epsilon


def test_the_last_release_is_the_estimate() -> None:
    ledger = RecordingLedger(4)
    found = estimate(ledger=ledger)
    np.testing.assert_array_equal(found, ledger.transcript.releases[-1].output)


def test_a_record_moves_a_step_by_no_more_than_the_exact_sensitivity() -> None:
    c = constants()
    exact = 2 * math.sqrt(2) * truncation_bound(scale=c.scale, precision=c.precision) / 60
    values = []
    for record in ([1e8 + 1, -1e8], [-1e8, 1e8 + 1]):
        data, ledger = DATA.copy(), RecordingLedger(5)
        data[0] = record  # <beta, y> = 0.5 > 0 for both
        estimate(data, initial=[0.5, 0.5], ledger=ledger)
        values.append(ledger.transcript.releases[0].value)
    distance = float(np.linalg.norm(values[0] - values[1]))
    assert distance == pytest.approx(exact, rel=1e-9)
    assert exact == pytest.approx(c.sensitivity * math.erf(math.sqrt(c.precision / 2)))


def test_second_moment_of_the_terms_is_at_most_that_of_the_data() -> None:
    # Lemma 7.2.9 with constant 1, for every beta: |2w - 1| <= 1, record by record
    for beta in np.random.default_rng(6).standard_normal((50, 2)) * 3:
        assert (np.abs(MODEL.terms(DATA, beta)) <= np.abs(DATA)).all()


def test_noiseless_limit_is_em() -> None:
    plain = expectation_maximisation(DATA, MODEL, initial=[0.8, 0.1], n_iterations=3)
    limit = estimate(second_moment=1e16, ledger=NoiselessLedger())
    np.testing.assert_allclose(limit, plain, rtol=1e-11)


def test_records_may_be_permuted_and_mirrored() -> None:
    order = np.random.default_rng(7).permutation(60)
    np.testing.assert_allclose(estimate(DATA[order]), estimate(), rtol=1e-12)
    # y and -y are the same record
    np.testing.assert_allclose(estimate(-DATA), estimate(), rtol=1e-12)


def test_scale_equivariance() -> None:
    scaled = estimate(
        1024 * DATA,
        model=GaussianMixture(1024.0),
        initial=np.array([0.8, 0.1]) * 1024,
        second_moment=2.0 * 1024**2,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(), rtol=1e-12)


class TestAsPublished:
    def test_contribution_of_a_large_term_on_the_card(self) -> None:
        # n = 1e4, tau = 1, d/zeta = 200: f = 1000 contributes -26.66, f = 100: -0.0170, where the
        # bound is 0.0029. One record against zeros; beta so large that f = |y|
        for size, contribution in ((1000.0, -26.66), (100.0, -0.0170)):
            data = np.zeros((10_000, 1))
            data[3] = size
            arguments: dict[str, Any] = {
                "initial": [1.0],
                "second_moment": 1.0,
                "failure_probability": 0.005,
                "n_iterations": 1,
                "ledger": NoiselessLedger(),
            }
            printed = estimate(data, as_published=True, **arguments)
            assert printed[0] == pytest.approx(contribution, rel=3e-3)
            assert 0.0027 < estimate(data, **arguments)[0] < 0.0029

    def test_agrees_where_nothing_is_truncated(self) -> None:
        # the missing factor multiplies corrections, which vanish for terms much smaller than s
        quiet: dict[str, Any] = {"second_moment": 1e6, "ledger": NoiselessLedger()}
        printed = estimate(as_published=True, **quiet)
        np.testing.assert_allclose(printed, estimate(**quiet), rtol=1e-9)

    def test_zero_terms_are_no_division_by_zero(self) -> None:
        found = estimate(np.zeros((5, 2)), as_published=True, ledger=NoiselessLedger())
        np.testing.assert_array_equal(found, 0)


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


@pytest.mark.parametrize("model", [MixtureOfRegressions(1.0), MissingCovariates(1.0), None])
def test_other_models_are_refused(model: Any) -> None:
    ledger = Ledger(0)
    with pytest.raises(TypeError, match="model must be a GaussianMixture") as caught:
        estimate(np.zeros((5, 3)), model=model, ledger=ledger)
    assert "\n" not in str(caught.value)
    assert not ledger.transcript.entries


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": math.nan}, "epsilon must be a finite number > 0, got nan"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"second_moment": -1.0}, "second_moment must be a finite number > 0, got -1.0"),
        ({"failure_probability": 1.0}, r"failure_probability must be in \(0, 1\), got 1.0"),
        ({"n_iterations": 0}, "n_iterations must be an integer >= 1, got 0"),
        ({"initial": [0.8, math.inf]}, "initial must be finite"),
        ({"data": DATA[:, :1]}, r"data must have shape \('any', 2\), got \(60, 1\)"),
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
    assert entry("diss-7.2.57") is ENTRY
    own = [erratum.number for erratum in ENTRY.errata if not erratum.card]
    assert own == [1, 2, 3, 4]
    assert {(e.card, e.number) for e in ENTRY.errata if e.card} == {
        ("ledger:004 Thm 7.2.7", 1),
        ("model-mrm", 1),
    }
