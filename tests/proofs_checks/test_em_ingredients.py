"""Helpers of the checks on private EM, against the implementations and simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp

from proofs_checks.em import rates as em_rates
from proofs_checks.paper_004.em_truncation import contribution
from proofs_checks.paper_004.section_7_2_3_gradient_em import _excess
from reference.em.models import GaussianMixture
from reference.errata.em.split_gradient_em import printed_mean


def within(sample: np.ndarray, expected: float) -> bool:
    """Return whether a mean agrees within 5.5 standard errors."""
    return abs(sample.mean() - expected) <= 5.5 * sample.std() / math.sqrt(len(sample))


@pytest.mark.parametrize(("factor", "of_sum"), [("1", 1e-4), ("s", 0.0)])
def test_contribution_is_the_implementation_s(factor: str, of_sum: float) -> None:
    scale, precision = math.sqrt(1e4 / (2 * math.log(200))), math.log(200)
    data = np.zeros((10_000, 1))
    data[0] = 100.0
    expected = printed_mean(data, scale, precision, correction_factor=of_sum or scale / 1e4)
    with mp.workdps(40):
        assert float(contribution(100.0, factor)) == pytest.approx(float(expected[0]), rel=1e-8)


def test_excess_of_reused_records_by_simulation() -> None:
    rng, model = np.random.default_rng(3), GaussianMixture(1.0)
    data = model.sample(np.array([0.5]), 200_000, rng).reshape(-1, 2)
    first = (np.tanh(data) * data).mean(axis=1)
    fresh = model.sample(np.array([0.5]), len(first), rng)[:, 0]
    excess = (np.tanh(first[:, None] * data) * data).mean(axis=1) - np.tanh(first * fresh) * fresh
    assert within(excess, _excess(30, 2, fresh=False))


def test_population_map_of_the_mixture_by_simulation() -> None:
    rng, model = np.random.default_rng(4), GaussianMixture(1 / 3)
    truth, beta = np.full(4, 0.5), np.array([0.4, 0.6, 0.5, 0.3])
    terms = model.terms(model.sample(truth, 100_000, rng), beta)
    for j, mean in enumerate(em_rates.mixture_map(beta, truth)):
        assert within(terms[:, j], mean)
