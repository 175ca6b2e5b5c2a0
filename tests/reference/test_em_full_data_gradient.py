"""Gradient EM with smoothed truncation on all data in every step (diss-7.2.56)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entry
from reference.em.full_data_gradient_em import ENTRY, calibrate, full_data_gradient_em
from reference.em.gradient_em import gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.em.split_gradient_em import calibrate as calibrate_split
from reference.em.split_gradient_em import printed_mean
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import zcdp_epsilon, zcdp_rho

TRUTH = np.array([1.0, 0.5])
MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(1.0),
    "regressions": MixtureOfRegressions(1.0),
    "missing": MissingCovariates(1.0, 0.3),
}
DATA = {name: model.sample(TRUTH, 60, np.random.default_rng(0)) for name, model in MODELS.items()}
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
    return full_data_gradient_em(DATA[name] if data is None else data, **{**arguments, **changes})


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


def test_calibration_by_hand() -> None:
    # d/zeta = 200, L = log(1e5), n = 1e4, tau = 1 (the card's s = 30.72)
    found = constants(epsilon=1.0, n=10_000, dimension=10, n_iterations=7, second_moment=1.0)
    log_term, root_rho = math.log(200), math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))
    assert found.block_size == 10_000
    assert found.scale == pytest.approx(30.72, abs=0.005)
    assert found.precision == pytest.approx(log_term)
    variance = 8 * 10 * 7 / (9 * log_term * 10_000 * root_rho**2)
    assert found.noise_scale**2 == pytest.approx(variance)
    # the other form of the same, from the sensitivity of a coordinate (4 sqrt(2)/3) s/n
    assert variance == pytest.approx(16 * found.scale**2 * 10 * 7 / (9 * 1e8 * root_rho**2))
    assert found.sensitivity == pytest.approx(
        math.sqrt(10) * 4 * math.sqrt(2) / 3 * found.scale / 1e4
    )


def test_noise_against_the_journal_version() -> None:
    # the card: variances have ratio te/(2l), scales s^2 te/(2Tl), at every T
    journal = calibrate_split(
        1.0,
        1e-5,
        n=10_000,
        dimension=10,
        n_iterations=5,
        second_moment=1.0,
        failure_probability=0.05,
    )
    found = constants(epsilon=1.0, n=10_000, dimension=10, n_iterations=5, second_moment=1.0)
    ratio = math.sqrt(zcdp_rho(1.0, 1e-5)) / (2 * math.log(200))
    assert journal.noise_scale**2 / found.noise_scale**2 == pytest.approx(ratio)
    assert journal.scale**2 / found.scale**2 == pytest.approx(ratio / 5)


def test_hand_computed_run() -> None:
    beta, c = 0.5, constants(n=2, dimension=1, n_iterations=2)
    for _ in range(2):
        gradients = [math.tanh(beta * y) * y - beta for y in (2.0, -30.0)]
        psi = smoothed_truncation(gradients, scale=c.scale, precision=c.precision)
        beta += 0.7 * float(psi.mean())
    found = estimate(
        data=[[2.0], [-30.0]],
        initial=[0.5],
        step_size=0.7,
        n_iterations=2,
        ledger=NoiselessLedger(),
    )
    assert found[0] == pytest.approx(beta, rel=1e-12)


def test_closed_form_of_the_paper_agrees_for_moderate_records() -> None:
    # (7.61), with s/n before the sum of the corrections
    c = constants(n_iterations=1)
    gradients = MODELS["mixture"].gradients(DATA["mixture"], np.array([0.8, 0.1]))
    printed = printed_mean(gradients, c.scale, c.precision, correction_factor=c.scale / 60)
    found = estimate(n_iterations=1, ledger=NoiselessLedger())
    np.testing.assert_allclose(found - [0.8, 0.1], printed, rtol=1e-10)


def test_noise_enters_every_step_and_coordinate() -> None:
    c = constants()
    zero, one = np.zeros(2), np.array([1.0, -2.0])
    quiet = estimate(ledger=GivenDrawsLedger([zero, zero, zero]), step_size=0.5)
    loud = estimate(ledger=GivenDrawsLedger([zero, zero, one]), step_size=0.5)
    np.testing.assert_allclose(loud - quiet, 0.5 * c.noise_scale * one)
    for draws in ([one, zero, zero], [zero, one, zero]):
        assert np.abs(estimate(ledger=GivenDrawsLedger(draws), step_size=0.5) - quiet).max() > 0.01


@EVERY_MODEL
@pytest.mark.parametrize("epsilon", [0.1, 0.9, 6.0])
def test_spends_what_is_claimed(name: str, epsilon: float) -> None:
    ledger = RecordingLedger(2)
    estimate(name, ledger=ledger, epsilon=epsilon)
    releases = ledger.transcript.releases
    assert len(releases) == 3
    assert all(release.claim.records is None for release in releases)
    rho = sum(r.claim.sensitivity**2 / (2 * r.mechanism.scale**2) for r in releases)
    assert rho == pytest.approx(zcdp_rho(epsilon, 1e-5))
    assert zcdp_epsilon(rho, 1e-5) == pytest.approx(epsilon)
    assert ledger.spent(delta=1e-5).epsilon <= epsilon


@pytest.mark.parametrize("n_iterations", [1, 4])
def test_the_budget_is_split_over_the_steps(n_iterations: int) -> None:
    ledger = Ledger(3)
    estimate(ledger=ledger, n_iterations=n_iterations)
    one = Ledger(3)
    estimate(ledger=one, n_iterations=1)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(one.spent(delta=1e-5).epsilon)


def test_a_record_moves_a_step_by_no_more_than_the_exact_sensitivity() -> None:
    # regressions: x = M(1, 1), y = 0 or huge, is worst at every beta
    c = constants()
    exact = 2 * math.sqrt(2) * truncation_bound(scale=c.scale, precision=c.precision) / 60
    values = []
    for y in (0.0, 1e12):
        data, ledger = np.zeros((60, 3)), RecordingLedger(4)
        data[5] = (1e6, 1e6, y)
        estimate("regressions", data=data, initial=[0.5, 0.5], ledger=ledger)
        values.append(ledger.transcript.releases[0].value)
    distance = float(np.linalg.norm(values[0] - values[1]))
    assert distance == pytest.approx(exact, rel=1e-9)
    assert exact == pytest.approx(c.sensitivity * math.erf(math.sqrt(c.precision / 2)))


@EVERY_MODEL
def test_records_may_be_permuted(name: str) -> None:
    order = np.random.default_rng(5).permutation(60)
    np.testing.assert_allclose(
        estimate(name, data=DATA[name][order]), estimate(name), rtol=1e-10, atol=1e-12
    )


def test_scale_equivariance() -> None:
    scaled = estimate(
        data=1024 * DATA["mixture"],
        model=GaussianMixture(1024.0),
        initial=np.array([0.8, 0.1]) * 1024,
        second_moment=2.0 * 1024**2,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(), rtol=1e-12)


@pytest.mark.parametrize("name", ["regressions", "missing"])
def test_scale_equivariance_in_the_response(name: str) -> None:
    data = DATA[name].copy()
    data[:, -1] *= 1024
    models = {"regressions": MixtureOfRegressions(1024.0), "missing": MissingCovariates(1024.0)}
    scaled = estimate(
        data=data,
        model=models[name],
        initial=np.array([0.8, 0.1]) * 1024,
        second_moment=2.0 * 1024**2,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(name), rtol=1e-11)


@EVERY_MODEL
def test_noiseless_limit_is_gradient_em(name: str) -> None:
    start = {"initial": np.array([0.8, 0.1]), "step_size": 0.5, "n_iterations": 3}
    plain = gradient_em(DATA[name], MODELS[name], **start)
    # tau = 1e16 puts the truncation at 1e8 times the gradients
    limit = estimate(name, second_moment=1e16, ledger=NoiselessLedger(), step_size=0.5)
    np.testing.assert_allclose(limit, plain, rtol=1e-11)


@EVERY_MODEL
def test_input_is_not_changed_and_types_are_accepted(name: str) -> None:
    data, start = DATA[name].copy(), np.array([0.8, 0.1])
    estimate(name, data=data, initial=start)
    np.testing.assert_array_equal(data, DATA[name])
    np.testing.assert_array_equal(start, [0.8, 0.1])
    single = estimate(name, data=data.astype(np.float32))
    np.testing.assert_allclose(single, estimate(name), atol=1e-4)
    assert estimate(name, ledger=None).shape == (2,)
    assert single.dtype == np.float64


@EVERY_MODEL
def test_no_record_makes_a_release_fail(name: str) -> None:
    width = DATA[name].shape[1]
    rows = [np.full(width, 1e308), np.tile([1e308, -1e308], 2)[:width], np.full(width, 5e-324)]
    rows.append(np.zeros(width))
    if name == "missing":
        rows += [np.array([math.nan, math.nan, y]) for y in (1e308, 0.0)]
        rows += [np.array([math.nan, -1e308, 1e308])]
    for row in rows:
        data = DATA[name].copy()
        data[7] = row
        found = estimate(name, data=data, initial=[30.0, 30.0])
        assert np.isfinite(found).all()
        # nor does it move the first step beyond the claim
        ledgers = RecordingLedger(6), RecordingLedger(6)
        estimate(name, data=data, initial=[30.0, 30.0], ledger=ledgers[0])
        estimate(name, initial=[30.0, 30.0], ledger=ledgers[1])
        first, second = (ledger.transcript.releases[0] for ledger in ledgers)
        assert np.linalg.norm(first.value - second.value) <= first.claim.sensitivity


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": -1.0}, "epsilon must be a finite number > 0, got -1.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"second_moment": 0.0}, "second_moment must be a finite number > 0, got 0.0"),
        ({"failure_probability": 0.0}, r"failure_probability must be in \(0, 1\), got 0.0"),
        ({"step_size": math.nan}, "step_size must be a finite number > 0, got nan"),
        ({"n_iterations": 0}, "n_iterations must be an integer >= 1, got 0"),
        ({"initial": [[0.8, 0.1]]}, "initial must have 1 dimension"),
        ({"data": DATA["mixture"][:, :1]}, r"data must have shape \('any', 2\), got \(60, 1\)"),
        ({"data": DATA["mixture"][:0]}, "data must not be empty"),
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
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        estimate(ledger=5)


def test_records_are_not_independent_of_the_iterate_they_made() -> None:
    # erratum 1, without noise: at beta^1 the sample's map exceeds the population's by 0.0533 on
    # average, at the fixed beta^0 by 0. Tolerances of 6 standard errors: P(false alarm) < 1e-8
    model, truth, n, runs = GaussianMixture(1.0), 0.5, 4, 100_000
    y = model.sample(np.array([truth]), n * runs, np.random.default_rng(7)).reshape(runs, n)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    grid = np.linspace(0, 8, 801)
    means = [
        weights @ (np.tanh(b * (truth + nodes)) * (truth + nodes)) / weights.sum() for b in grid
    ]

    def excess(beta: np.ndarray) -> np.ndarray:
        sample = (np.tanh(beta[:, None] * y) * y).mean(axis=1)
        return sample - np.interp(np.abs(beta), grid, means) * np.sign(beta)

    fixed = np.ones(runs)
    first = (np.tanh(y) * y).mean(axis=1)
    for beta, mean in ((fixed, 0.0), (first, 0.0533)):
        found = excess(beta)
        assert found.mean() == pytest.approx(mean, abs=6 * found.std() / math.sqrt(runs))


def test_entry() -> None:
    assert entry("diss-7.2.56") is ENTRY
    assert [erratum.number for erratum in ENTRY.errata] == [1, 2]
