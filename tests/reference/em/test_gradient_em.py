"""The private EM algorithms of the gradient-EM paper: their constants, and what is printed.

Their settings say what each gives without noise.
"""

import math
from typing import Any

import numpy as np
import pytest

from reference.em import clipped_gradient_em as clipped
from reference.em import full_data_gradient_em as full
from reference.em import local_gradient_em as local
from reference.em import split_gradient_em as split
from reference.em.models import GaussianMixture, MissingCovariates, MixtureOfRegressions
from reference.em.private_em import private_em
from reference.errata.em import clipped_gradient_em as clipped_errata
from reference.errata.em import full_data_gradient_em as full_errata
from reference.errata.em import private_em as em_errata
from reference.errata.em import split_gradient_em as split_errata
from reference.heavy_tailed.truncation import truncated_mean
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_epsilon, zcdp_epsilon, zcdp_rho

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 60, np.random.default_rng(0))
CLAIM: dict[str, Any] = {
    "epsilon": 0.9, "delta": 1e-5, "second_moment": 2.0, "failure_probability": 0.05
}  # fmt: skip
CARD: dict[str, Any] = {**CLAIM, "epsilon": 1.0, "second_moment": 1.0, "n": 10_000, "dimension": 10}
"""d/zeta = 200 and L = log(1e5)."""


def quiet(function: Any, data: Any = DATA, **changes: Any) -> np.ndarray:
    usual = {"initial": [0.8, 0.1], "n_iterations": 3, "ledger": NoiselessLedger(), **CLAIM}
    steps = {} if function in (private_em, em_errata.printed) else {"step_size": 1.0}
    return function(data, MODEL, **{**usual, **steps, **changes})


# ------------------------------------------------------------------------------- the constants


def test_clipped_constants_against_the_card() -> None:
    # c = 2 epsilon^2/(L te^2): 8.34 at (1, 1e-5), 8.07 at (0.2, 1e-5), 9.66 at (1, 0.1)
    for epsilon, delta, c in ((1.0, 1e-5, 8.344), (0.2, 1e-5, 8.069), (1.0, 0.1, 9.659)):
        claim = {"epsilon": epsilon, "delta": delta, "clipping_threshold": 1.5, "n_iterations": 3}
        found = clipped.constants_for(n=60, method="zcdp", **claim)
        as_printed = clipped_errata.printed_constants(DATA, MODEL, constant=c, **claim)
        assert found.noise_scale == pytest.approx(as_printed.noise_scale, rel=1e-4)
        assert found.sensitivity == as_printed.sensitivity == 2 * 1.5 / 60
        assert clipped.constants_for(n=60, **claim).noise_scale < found.noise_scale


def test_split_constants_against_the_card() -> None:
    # form 1 of sigma^2 at T = 10
    found = split.constants_for(n_iterations=10, method="zcdp", **CARD)
    log_term, root_rho = math.log(200), math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))
    s = found.truncation_scale
    assert s == pytest.approx(math.sqrt(1000 * root_rho) / (2 * log_term))
    assert found.precision == pytest.approx(math.sqrt(log_term))
    assert found.noise_scale**2 == pytest.approx(0.001097, rel=1e-3)
    assert found.sensitivity == pytest.approx(4 * math.sqrt(20) / 3 * s / 1000)
    exact = split.constants_for(n_iterations=10, **CARD)
    assert exact.truncation_scale == s
    spent = gaussian_dp_epsilon(exact.sensitivity / exact.noise_scale, 1e-5)
    assert spent == pytest.approx(1.0, rel=1e-6)
    assert found.noise_scale / exact.noise_scale == pytest.approx(1.3136, rel=1e-4)


def test_local_constants_by_hand() -> None:
    found = local.constants_for(n=51, dimension=2, n_iterations=3, method="zcdp", **CLAIM)
    log_term, root_rho = math.log(40), math.sqrt(math.log(1e5) + 0.9) - math.sqrt(math.log(1e5))
    s = found.truncation_scale
    assert s == pytest.approx(17**0.25 * math.sqrt(2.0 * root_rho) / (2 * log_term))
    assert found.precision == pytest.approx(math.sqrt(log_term))
    assert found.sensitivity == pytest.approx(math.sqrt(2) * 4 * math.sqrt(2) / 3 * s)
    assert found.noise_scale == pytest.approx(4 * s * math.sqrt(2) / (3 * root_rho))
    # one user is one record of the central version
    one = {"n": 1, "dimension": 2, "n_iterations": 1, **CLAIM}
    assert local.constants_for(**one) == split.constants_for(**one)


def test_full_data_constants_by_hand() -> None:
    # the card's s = 30.72
    found = full.constants_for(n_iterations=7, method="zcdp", **CARD)
    log_term, root_rho = math.log(200), math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))
    s = found.truncation_scale
    assert s == pytest.approx(30.72, abs=0.005)
    assert found.precision == pytest.approx(log_term)
    variance = 8 * 10 * 7 / (9 * log_term * 10_000 * root_rho**2)
    assert found.noise_scale**2 == pytest.approx(variance)
    # the other form of the same, from the sensitivity of a coordinate (4 sqrt(2)/3) s/n
    assert variance == pytest.approx(16 * s**2 * 10 * 7 / (9 * 1e8 * root_rho**2))
    assert found.sensitivity == pytest.approx(math.sqrt(10) * 4 * math.sqrt(2) / 3 * s / 1e4)


@pytest.mark.parametrize("method", ["zcdp", "gaussian-dp"])
def test_noise_of_all_data_against_that_of_blocks(method: Any) -> None:
    # the card: variances have ratio te/(2l), scales s^2 te/(2Tl), at every T and by either rule
    journal, found = (
        module.constants_for(n_iterations=5, method=method, **CARD) for module in (split, full)
    )
    ratio = math.sqrt(zcdp_rho(1.0, 1e-5)) / (2 * math.log(200))
    assert journal.noise_scale**2 / found.noise_scale**2 == pytest.approx(ratio)
    assert journal.truncation_scale**2 / found.truncation_scale**2 == pytest.approx(ratio / 5)


# --------------------------------------------------------------------------- what is printed


def test_the_printed_constant_of_clipping_overspends() -> None:
    # c = 1 or 2; c = 8(1 + epsilon/L) suffices, also by the looser zCDP conversion
    claim = {"epsilon": 1.0, "delta": 1e-5, "clipping_threshold": 1.5, "n_iterations": 3}
    for c, spent in ((1.0, 2.397), (2.0, 1.628), (8 * (1 + 1 / math.log(1e5)), None)):
        found = clipped_errata.printed_constants(DATA, MODEL, constant=c, **claim)
        mu = math.sqrt(3) * found.sensitivity / found.noise_scale
        if spent:
            assert gaussian_dp_epsilon(mu, 1e-5) == pytest.approx(spent, abs=1e-3)
        else:
            assert gaussian_dp_epsilon(mu, 1e-5) < zcdp_epsilon(mu**2 / 2, 1e-5) <= 1.0


def test_the_printed_mean_is_the_closed_form_of_moderate_values() -> None:
    values = np.random.default_rng(1).standard_normal((50, 2))
    found = split_errata.printed_mean(values, 3.0, 2.0, correction_factor=3.0 / 50)
    np.testing.assert_allclose(found, truncated_mean(values, scale=3.0, precision=2.0), rtol=1e-10)
    # (7.61), with s/n before the sum of the corrections
    c = full.constants_for(n=60, dimension=2, n_iterations=1, **CLAIM)
    gradients, s = MODEL.gradients(DATA, np.array([0.8, 0.1])), c.truncation_scale
    closed = split_errata.printed_mean(gradients, s, c.precision, correction_factor=s / 60)
    found = quiet(full.full_data_gradient_em, n_iterations=1) - [0.8, 0.1]
    np.testing.assert_allclose(found, closed, rtol=1e-10)


def test_the_printed_form_of_blocks_leaves_a_cubic_behind() -> None:
    # with one block it is unbounded in doubles alone (wang-phi/E2); the rounding error of the cubes
    # is 0 at some magnitudes, so try a few
    algorithm, printed = split.split_gradient_em, split_errata.printed
    np.testing.assert_allclose(
        quiet(printed, n_iterations=1), quiet(algorithm, n_iterations=1), rtol=1e-10
    )
    for sizes, n, n_iterations in (((50.0,), 2, 2), ((1e8, 1.3e8, 1.7e8, 2.2e8, 3e8), 60, 1)):
        largest = 0.0
        for size in sizes:
            data = DATA[:n].copy()
            data[0] = size
            found = quiet(printed, data, n_iterations=n_iterations)
            largest = max(largest, float(np.abs(found).max()))
            assert np.abs(quiet(algorithm, data, n_iterations=n_iterations)).max() < 10
        assert largest > 1e3


def test_the_printed_form_of_all_data_differs_in_its_noise_alone() -> None:
    ledger = RecordingLedger(3)
    found = quiet(full_errata.printed, ledger=ledger)
    seeds = full.constants_for(n=60, dimension=2, n_iterations=3, method="zcdp", **CLAIM)
    assert {r.mechanism.scale for r in ledger.transcript.releases} == {seeds.noise_scale}
    assert not np.array_equal(found, quiet(full_errata.printed))
    np.testing.assert_array_equal(quiet(full_errata.printed), quiet(full.full_data_gradient_em))


def test_a_large_term_in_the_printed_em_has_the_figures_of_the_card() -> None:
    # n = 1e4, tau = 1, d/zeta = 200: f = 1000 contributes -26.66, f = 100: -0.0170, where the
    # bound is 0.0029. One record against zeros; beta so large that f = |y|
    card = {"initial": [1.0], "second_moment": 1.0, "failure_probability": 0.005, "n_iterations": 1}
    for size, contribution in ((1000.0, -26.66), (100.0, -0.0170)):
        data = np.zeros((10_000, 1))
        data[3] = size
        found = quiet(em_errata.printed, data, **card)[0]
        assert found == pytest.approx(contribution, rel=3e-3)
        assert 0.0027 < quiet(private_em, data, **card)[0] < 0.0029
    # the missing factor multiplies corrections, which vanish for terms much smaller than s
    moderate = (quiet(f, second_moment=1e6) for f in (em_errata.printed, private_em))
    np.testing.assert_allclose(*moderate, rtol=1e-9)
    np.testing.assert_array_equal(quiet(em_errata.printed, np.zeros((5, 2))), 0)


# -------------------------------------------------------------------------- private EM, refusals


def test_second_moment_of_the_terms_is_at_most_that_of_the_data() -> None:
    # Lemma 7.2.9 with constant 1, for every beta: |2w - 1| <= 1, record by record
    for beta in np.random.default_rng(6).standard_normal((50, 2)) * 3:
        assert (np.abs(MODEL.terms(DATA, beta)) <= np.abs(DATA)).all()


@pytest.mark.parametrize("model", [MixtureOfRegressions(1.0), MissingCovariates(1.0), None])
def test_models_whose_m_step_is_no_mean_are_refused(model: Any, refusal: Any) -> None:
    changes = {"data": np.zeros((5, 3)), "model": model}
    assert "model must be a GaussianMixture" in refusal("diss-7.2.57", changes)


@pytest.mark.parametrize("algorithm", [split.split_gradient_em, local.local_gradient_em])
def test_more_blocks_than_records_are_refused(algorithm: Any) -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match="n_iterations must be an integer >= 1 and <= 60, got 61"):
        quiet(algorithm, n_iterations=61, ledger=ledger)
    assert not ledger.transcript.entries
