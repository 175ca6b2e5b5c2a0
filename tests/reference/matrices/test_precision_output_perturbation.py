"""Output perturbation of a precision matrix (diss-6.3.50)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.errata.matrices.precision_output_perturbation import printed
from reference.matrices.graphical_lasso import graphical_lasso
from reference.matrices.precision_output_perturbation import (
    constants_for,
    precision_output_perturbation,
    rounding,
    with_eigenvalues_in,
)
from reference.matrices.second_moments import laplace_sensitivity, second_moment
from reference.matrices.stable_graphical_lasso import rounding_error, stable_graphical_lasso
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.mechanisms import SymmetricLaplace


def released(data, penalty):
    return stable_graphical_lasso(second_moment(np.asarray(data, dtype=float)), penalty)


def run(data, ledger=None, form=precision_output_perturbation, **changes):
    parameters = {"epsilon": 1.0, "penalty": 0.5} | changes
    return form(data, **parameters, ledger=ledger)


def test_noise_by_hand():
    noise = constants_for(n=100, dimension=2, epsilon=2.0, penalty=0.5)
    # e = .001 (1 + rho)/(2 n d) = 3.75e-6, and twice d e of it in l1
    change = math.sqrt(5) / 100 + math.sqrt(10) * 2 * 3.75e-6
    assert noise.sensitivity == pytest.approx(change * (2 / (0.5 - 3.75e-6)) ** 2, rel=1e-12)
    assert noise.noise_scale == pytest.approx(noise.sensitivity / 2)
    one = constants_for(n=100, dimension=1, epsilon=1.0, penalty=0.5)
    assert one.sensitivity == pytest.approx((0.01 + 2 * 7.5e-6) / (0.5 - 7.5e-6) ** 2, rel=1e-12)


def test_rounding_of_the_solver_is_in_the_sensitivity():
    # two minimisers for the same S, moved to where rounding may leave them: at S + E and S - E
    for d, penalty in ((1, 0.01), (3, 0.5), (4, 20.0)):
        e = rounding(n=2, dimension=d, penalty=penalty)
        s = np.diag(np.linspace(0.0, 1 / d, d))
        moved = SymmetricLaplace(1.0).distance(
            *(
                graphical_lasso(s + sign * e, penalty=penalty, tolerance=1e-12).theta
                for sign in (1, -1)
            ),
            0,
        )
        noise = constants_for(n=2, dimension=d, epsilon=1.0, penalty=penalty)
        kept = noise.sensitivity - laplace_sensitivity(d) / 2 * (d / penalty) ** 2
        assert 0 < moved <= kept


def test_of_very_many_records_rounding_is_more_than_its_usual_part():
    few, many = (rounding(n=n, dimension=100, penalty=0.5) for n in (100, 10**9))
    assert few == pytest.approx(1e-3 * 1.5 / 20_000)
    assert many == rounding_error(100, 0.5) > 1e-3 * 1.5 / 2e11


def test_a_penalty_within_reach_of_the_solver_is_refused():
    with pytest.raises(ValueError, match=r"penalty must be at least 0\.000100[0-9]+ for 5 records"):
        constants_for(n=5, dimension=2, epsilon=1.0, penalty=1e-4)
    assert constants_for(n=5, dimension=2, epsilon=1.0, penalty=1.001e-4).sensitivity > 0


def test_noiseless_limit_agrees_with_scikit_learn(data):
    covariance = pytest.importorskip("sklearn.covariance")
    _, expected = covariance.graphical_lasso(second_moment(data) + 0.5 * np.eye(4), 0.5, tol=1e-12)
    assert run(data, NoiselessLedger()) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_one_variable_has_a_closed_form():
    theta = run([[0.6], [0.0]], NoiselessLedger(), penalty=0.3)
    assert theta == pytest.approx(np.array([[1 / (0.18 + 0.3)]]))


def test_eigenvalues_are_cut_to_the_bounds_of_lemma_6_3_5(data):
    theta = run(data, Ledger(2), epsilon=1e-3)
    values = np.linalg.eigvalsh(theta)
    assert values[0] == pytest.approx(1 / 3)
    assert values[-1] == pytest.approx(8.0)
    nearest = with_eigenvalues_in(np.diag([-1.0, 0.5, 9.0]), 0.25, 2.0)
    assert nearest == pytest.approx(np.diag([0.25, 0.5, 2.0]))


def test_printed_noise_is_positive_definite_and_not_pure(data):
    ledger = RecordingLedger(3)
    theta = run(data, ledger, printed)
    (release,) = ledger.transcript.releases
    assert release.mechanism.degrees == 5
    assert release.mechanism.scale == pytest.approx(4**2.5 / (200 * 0.25))
    assert np.linalg.eigvalsh(theta - released(data, 0.5))[0] > 0
    assert ledger.spent(delta=0.0).epsilon == math.inf


def test_printed_outputs_are_impossible_for_the_neighbour_as_often_as_computed():
    # d = n = rho = epsilon = 1: 1/2 + chi^2_2 is below 1 with probability 1 - e^(-1/4)
    ledger, runs = Ledger(4), 2000
    with_record = [run([[1.0]], ledger, printed, penalty=1.0)[0, 0] for _ in range(runs)]
    without = [run([[0.0]], ledger, printed, penalty=1.0)[0, 0] for _ in range(200)]
    assert min(without) > 1 - 1e-9
    # deviation .0093: off by more than .05 with probability < 1e-7
    below = np.mean(np.array(with_record) < 1)
    assert below == pytest.approx(-math.expm1(-0.25), abs=0.05)


@pytest.mark.parametrize(
    ("n", "d", "penalty"),
    [(1_000, 5, 1e-6), (100_000, 5, 1e-8), (1_000_000, 3, 1e-6)],
)
def test_no_record_makes_it_raise(n, d, penalty):
    """All records the same, but one on one of the two data sets: no solver reaches a tolerance."""
    same = np.tile(np.ones(d) / np.sqrt(d), (n, 1))
    other = same.copy()
    other[0] = np.eye(d)[0]
    first, second = (run(data, Ledger(8), penalty=penalty) for data in (same, other))
    assert first.shape == second.shape == (d, d)
    assert np.isfinite([first, second]).all()
