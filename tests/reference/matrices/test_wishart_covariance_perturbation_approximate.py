"""Covariance perturbation, Wishart noise (diss-6.3.51-W2)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from reference.matrices.graphical_lasso import graphical_lasso
from reference.matrices.second_moments import second_moment
from reference.matrices.wishart_covariance_perturbation_approximate import (
    Constants,
    constants_for,
    wishart_covariance_perturbation_approximate,
)
from reference.privacy.calibration import smallest_wishart_degrees
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.privacy.mechanisms import Wishart


def run(data, ledger=None, **changes):
    parameters = {"epsilon": 0.5, "delta": 1e-2, "penalty": 0.05} | changes
    return wishart_covariance_perturbation_approximate(data, **parameters, ledger=ledger)


# ------------------------------------------------------------------------------- the noise


def test_the_default_is_the_theorems_scale_and_the_fewest_degrees():
    # m - d = 15 of the theorem's 335.5, for every n and d >= 2
    assert constants_for(n=50, dimension=4, epsilon=0.5, delta=1e-2) == Constants(0.02, 19, 0.02)
    assert constants_for(n=7, dimension=90, epsilon=0.5, delta=1e-2) == Constants(1 / 7, 105, 1 / 7)
    # one variable has no second record at right angles
    assert constants_for(n=50, dimension=1, epsilon=0.5, delta=1e-2).degrees == 15


def test_the_theorems_own_degrees_are_private_with_noise_to_spare(data):
    for epsilon, delta in ((0.99, 0.3), (0.5, 1e-2), (0.1, 1e-5)):
        ledger = Ledger(2)
        degrees = 4 + 14 / epsilon**2 * math.log(4 / delta)
        run(data, ledger, constants=Constants(1 / 200, degrees, 1 / 200))
        assert ledger.spent(epsilon=epsilon).delta < 1e-4 * delta


@pytest.mark.parametrize(
    ("epsilon", "delta", "d", "degrees", "scale", "times"),
    [(0.5, 1e-2, 400, 1040, 1 / 8, 3.8), (0.1, 1e-5, 5, 28, 10.0, 3.2)],
)
def test_other_scales_can_be_less_noise(epsilon, delta, d, degrees, scale, times):
    """E ||N||_F^2 = d m (m + d + 1) c^2: what the docstring of constants_for says."""
    usual = constants_for(n=1, dimension=d, epsilon=epsilon, delta=delta)
    other = smallest_wishart_degrees(epsilon, delta, sensitivity=1.0, scale=scale, dimension=d)
    assert other == degrees
    squares = [m * (m + d + 1) * c**2 for m, c in ((usual.degrees, 1.0), (degrees, scale))]
    assert math.sqrt(squares[0] / squares[1]) == pytest.approx(times, rel=0.02)


@pytest.mark.parametrize("degrees", [4.3, 9.0, 30.7])
def test_draws_of_any_number_of_degrees_are_those_of_scipy(degrees):
    d, scale, runs = 4, 0.3, 4000
    law = Wishart(degrees, scale, d)
    zero = np.zeros((runs, d, d))
    ours = law.output(zero, law.draw(zero, np.random.default_rng(6)))
    other = stats.wishart(degrees, scale * np.eye(d)).rvs(runs, random_state=7)
    # a true law has p < 1e-6 with probability 1e-6, five times
    for of in (
        lambda w: w[:, 0, 0],
        lambda w: w[:, 0, 1],
        lambda w: np.trace(w, axis1=1, axis2=2),
        lambda w: np.linalg.slogdet(w)[1],
        lambda w: np.linalg.eigvalsh(w)[:, 0],
    ):
        assert stats.ks_2samp(of(ours), of(other)).pvalue > 1e-6


# --------------------------------------------------------------------------- the algorithm


def test_one_variable_by_hand():
    """d = 1: Theta = 1/(S + N + rho), S = (1/4 + 1)/2 as the second record is cut to 1."""
    ledger = RecordingLedger(10)
    theta = run([[0.5], [-3.0]], ledger).theta
    (release,) = ledger.transcript.releases
    assert release.value == pytest.approx(np.array([[0.625]]))
    ((low,),) = release.draw
    assert theta == pytest.approx(1 / (0.625 + 0.5 * low**2 + 0.05))


def test_the_error_is_at_most_the_noise(data):
    """Theorem 6.3.3, with a noise whose mean m/n is larger than its spread."""
    ledger = RecordingLedger(13)
    theta = run(data, ledger).theta
    (release,) = ledger.transcript.releases
    best = graphical_lasso(second_moment(data), penalty=0.05).theta
    largest = max(np.linalg.norm(theta, 2), np.linalg.norm(best, 2)) ** 2
    noise = np.linalg.norm(release.output - release.value)
    assert 0 < np.linalg.norm(theta - best) <= largest * noise
    # Theorem 6.3.6's norm of N, but for probability 1e-6
    root = math.sqrt(19) + math.sqrt(4) + math.sqrt(2 * math.log(2e6))
    assert noise <= 2 * root**2 / 200


def test_the_printed_range_of_delta_has_no_law_at_its_end():
    """diss-6.3.51-W2/E1: delta < 1/epsilon of Theorem 6.3.6."""
    d, epsilon, delta = 4, 0.2, 4.5
    assert delta < 1 / epsilon
    degrees = d + 14 / epsilon**2 * math.log(4 / delta)
    assert degrees - d == pytest.approx(-41.2, abs=0.05)
    zero = np.zeros((d, d))
    with pytest.raises(ValueError, match="df <= 0"):  # chi^2 with m degrees
        Wishart(degrees, 1 / 200, d).draw(zero, np.random.default_rng(0))
