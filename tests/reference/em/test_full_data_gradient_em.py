"""Gradient EM on all data in every step (diss-7.2.56); see also test_private_algorithms."""

import math
from typing import Any

import numpy as np
import pytest

from reference.em import split_gradient_em as split
from reference.em.full_data_gradient_em import constants_for, full_data_gradient_em
from reference.em.models import GaussianMixture
from reference.errata.em.full_data_gradient_em import printed
from reference.errata.em.split_gradient_em import printed_mean
from reference.privacy import NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import zcdp_rho

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 60, np.random.default_rng(0))
CLAIM: dict[str, Any] = {
    "epsilon": 0.9,
    "delta": 1e-5,
    "second_moment": 2.0,
    "failure_probability": 0.05,
}
CARD: dict[str, Any] = {**CLAIM, "epsilon": 1.0, "second_moment": 1.0, "n": 10_000}


def estimate(function: Any = full_data_gradient_em, data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "initial": [0.8, 0.1],
        "step_size": 1.0,
        "n_iterations": 3,
        "ledger": NoiselessLedger(),
    }
    return function(data, MODEL, **CLAIM, **{**arguments, **changes})


def test_constants_by_hand() -> None:
    # d/zeta = 200, L = log(1e5), n = 1e4, tau = 1 (the card's s = 30.72)
    found = constants_for(dimension=10, n_iterations=7, method="zcdp", **CARD)
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
def test_noise_against_the_journal_version(method: Any) -> None:
    # the card: variances have ratio te/(2l), scales s^2 te/(2Tl), at every T and by either rule
    journal = split.constants_for(dimension=10, n_iterations=5, method=method, **CARD)
    found = constants_for(dimension=10, n_iterations=5, method=method, **CARD)
    ratio = math.sqrt(zcdp_rho(1.0, 1e-5)) / (2 * math.log(200))
    assert journal.noise_scale**2 / found.noise_scale**2 == pytest.approx(ratio)
    assert journal.truncation_scale**2 / found.truncation_scale**2 == pytest.approx(ratio / 5)


def test_closed_form_of_the_paper_agrees_for_moderate_records() -> None:
    # (7.61), with s/n before the sum of the corrections
    c = constants_for(n=60, dimension=2, n_iterations=1, **CLAIM)
    gradients, s = MODEL.gradients(DATA, np.array([0.8, 0.1])), c.truncation_scale
    closed = printed_mean(gradients, s, c.precision, correction_factor=s / 60)
    np.testing.assert_allclose(estimate(n_iterations=1) - [0.8, 0.1], closed, rtol=1e-10)


def test_what_is_printed_differs_in_its_noise_alone() -> None:
    ledger = RecordingLedger(3)
    estimate(printed, ledger=ledger)
    seeds = constants_for(n=60, dimension=2, n_iterations=3, method="zcdp", **CLAIM)
    assert {r.mechanism.scale for r in ledger.transcript.releases} == {seeds.noise_scale}
    np.testing.assert_array_equal(estimate(printed), estimate())


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
