"""DP EM for the Gaussian mixture (diss-7.2.57); see also test_private_algorithms."""

import math
from typing import Any

import numpy as np
import pytest

from reference.em.full_data_gradient_em import constants_for
from reference.em.models import GaussianMixture, MissingCovariates, MixtureOfRegressions
from reference.em.private_em import private_em
from reference.errata.em.private_em import printed
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy import NoiselessLedger

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 60, np.random.default_rng(0))
SETTING: dict[str, Any] = {
    "epsilon": 0.9,
    "delta": 1e-5,
    "second_moment": 2.0,
    "failure_probability": 0.05,
    "n_iterations": 3,
}


def estimate(function: Any = private_em, data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments = {"model": MODEL, "initial": [0.8, 0.1], "ledger": NoiselessLedger(), **SETTING}
    return function(data, **{**arguments, **changes})


def test_hand_computed_run() -> None:
    beta, c = 0.5, constants_for(n=2, dimension=1, **{**SETTING, "n_iterations": 2})
    for _ in range(2):
        terms = [math.tanh(beta * y) * y for y in (2.0, -30.0)]
        psi = smoothed_truncation(terms, scale=c.truncation_scale, precision=c.precision)
        beta = float(psi.mean())
    found = estimate(data=[[2.0], [-30.0]], initial=[0.5], n_iterations=2)
    assert found[0] == pytest.approx(beta, rel=1e-12)


def test_second_moment_of_the_terms_is_at_most_that_of_the_data() -> None:
    # Lemma 7.2.9 with constant 1, for every beta: |2w - 1| <= 1, record by record
    for beta in np.random.default_rng(6).standard_normal((50, 2)) * 3:
        assert (np.abs(MODEL.terms(DATA, beta)) <= np.abs(DATA)).all()


class TestPrinted:
    def test_contribution_of_a_large_term_on_the_card(self) -> None:
        # n = 1e4, tau = 1, d/zeta = 200: f = 1000 contributes -26.66, f = 100: -0.0170, where the
        # bound is 0.0029. One record against zeros; beta so large that f = |y|
        setting: dict[str, Any] = {
            "initial": [1.0],
            "second_moment": 1.0,
            "failure_probability": 0.005,
            "n_iterations": 1,
        }
        for size, contribution in ((1000.0, -26.66), (100.0, -0.0170)):
            data = np.zeros((10_000, 1))
            data[3] = size
            assert estimate(printed, data, **setting)[0] == pytest.approx(contribution, rel=3e-3)
            assert 0.0027 < estimate(data=data, **setting)[0] < 0.0029

    def test_agrees_where_nothing_is_truncated(self) -> None:
        # the missing factor multiplies corrections, which vanish for terms much smaller than s
        found = estimate(printed, second_moment=1e6)
        np.testing.assert_allclose(found, estimate(second_moment=1e6), rtol=1e-9)

    def test_zero_terms_are_no_division_by_zero(self) -> None:
        np.testing.assert_array_equal(estimate(printed, np.zeros((5, 2))), 0)


@pytest.mark.parametrize("model", [MixtureOfRegressions(1.0), MissingCovariates(1.0), None])
def test_other_models_are_refused(model: Any) -> None:
    with pytest.raises(TypeError, match="model must be a GaussianMixture"):
        estimate(data=np.zeros((5, 3)), model=model)
