"""The experiments of sections 4.1.5 and 4.3.3: calibrations, losses, curves. Seeds are fixed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dp_accounting import rdp
from dp_accounting.dp_event import GaussianDpEvent, SelfComposedDpEvent
from scipy.optimize import approx_fprime, minimize

from auditor.experiments import nonconvex, second_order
from reference.losses import Sigmoid
from reference.privacy.ledger import Ledger

LOSSES = [second_order.LOGISTIC, second_order.SIGMOID]


# ------------------------------------------------------------------------ section 4.1.5


def test_the_theorems_number_of_steps_by_hand() -> None:
    # G = 1/4, L = 1/(6 sqrt 3)
    root = math.sqrt(1 / (6 * math.sqrt(3)))
    by_hand = 5000 * 0.5 * root / (0.25 * math.sqrt(50 * math.log(1e4)))
    assert nonconvex.theorem_steps(5000, 50, 0.5) == round(by_hand) == 145


def test_the_noise_of_each_calibration_is_private_as_its_accountant_says() -> None:
    n, epsilon, steps = 5000, 1.0, 100
    noise = {name: f(n, epsilon, steps) for name, f in nonconvex.CALIBRATIONS.items()}
    sensitivity = 2 * Sigmoid().lipschitz / n
    for name, scale in noise.items():
        accountant = rdp.RdpAccountant(np.linspace(1.5, 200, 2000).tolist())
        accountant.compose(SelfComposedDpEvent(GaussianDpEvent(scale / sensitivity), steps))
        spent = accountant.get_epsilon(nonconvex.DELTA)
        assert spent < epsilon, name
        # its conversion is sharper than Lemma 2.1.10; the crude way leaves nine tenths unspent
        assert (spent > 0.75) == (name != "advanced composition"), name
    assert noise["moments accountant"] == pytest.approx(noise["zCDP (the paper's)"], rel=2e-5)
    assert noise["moments accountant"] > noise["zCDP (the paper's)"]


def test_the_projected_gradient_without_a_penalty_to_cross_is_the_gradient() -> None:
    records = nonconvex.covertype(np.random.default_rng(0), 50, 3)
    x = np.array([3.0, -2.0, 1.0])
    expected = np.linalg.norm(Sigmoid().gradient(records, x) + 5e-5 * np.sign(x))
    assert nonconvex._projected_gradient(records, x) == pytest.approx(expected)


def test_curves_of_dp_pgd_hold_a_norm_for_every_setting() -> None:
    settings = [(400, 3, 0.1), (400, 3, 5.0)]
    errors = nonconvex._vary(settings, nonconvex.covertype, np.random.default_rng(0))
    assert errors["DP-PGD"].shape == (2,)
    assert errors["DP-PGD"][1] < errors["DP-PGD"][0]
    steps = nonconvex._vary_steps(100, 2, nonconvex.ijcnn, np.random.default_rng(0))
    assert {values.shape for values in steps.values()} == {(len(nonconvex.STEPS),)}


def test_gains_have_the_sign_of_what_is_said() -> None:
    flat = {"epsilon = 0.1": np.array([8.0, 8.0]), "epsilon = 2": np.array([1.0, 2.0])}
    # epsilon: a factor 8 and 4; T: 1 and 2
    assert nonconvex._epsilon_over_steps(flat) == pytest.approx(math.log(32) / 2 - math.log(2) / 2)
    errors = {"a": np.array([0.98]), "b": np.array([1.0]), "c": np.array([0.995])}
    assert nonconvex.clearly_below("a", "b")(errors) > 0
    assert nonconvex.clearly_below("c", "b")(errors) < 0


# ------------------------------------------------------------------------ section 4.3.3


@pytest.mark.parametrize("loss", LOSSES)
def test_penalised_losses_have_their_derivatives(loss: second_order.Penalised) -> None:
    records = nonconvex.covertype(np.random.default_rng(0), 40, 3)
    w = np.array([0.4, -1.3, 2.0])
    slope = approx_fprime(w, lambda v: loss.risk(records, v), 1e-7)
    np.testing.assert_allclose(loss.gradient(records, w), slope, atol=1e-6)
    bend = approx_fprime(w, lambda v: loss.gradient(records, v), 1e-7)
    np.testing.assert_allclose(loss.hessian(records, w), bend, atol=1e-6)


@pytest.mark.parametrize("penalty", [second_order.SATURATING, second_order.SQUARE])
def test_bounds_of_the_penalties_derivatives_are_attained(penalty: second_order.Penalty) -> None:
    grid = np.linspace(-5, 5, 100_001)
    bends = penalty.curvatures(grid)
    assert np.abs(bends).max() == pytest.approx(penalty.second_bound)
    twist = np.abs(np.diff(bends)).max() / (grid[1] - grid[0])
    assert twist <= penalty.third_bound + 1e-12
    assert twist == pytest.approx(penalty.third_bound, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_search_without_noise_ends_at_a_minimum_as_low_as_others(
    loss: second_order.Penalised,
) -> None:
    rng = np.random.default_rng(0)
    records = nonconvex.ijcnn(rng, 500, 4)
    best = second_order.best_without_noise(loss, records, rng)
    assert np.linalg.norm(loss.gradient(records, best)) < 1e-4
    assert np.linalg.eigvalsh(loss.hessian(records, best))[0] > -1e-6
    ends = [
        minimize(lambda w: loss.risk(records, w), start, method="BFGS").fun
        for start in (np.zeros(4), *rng.standard_normal((3, 4)))
    ]
    # of the minima that the penalty makes, those of different starts differ by 3e-5
    assert loss.risk(records, best) == pytest.approx(min(ends), abs=1e-4)


def test_steps_of_theorem_4_3_5_by_hand() -> None:
    # rho = 1/(6 sqrt 3) + 0.00467 and 1/8, F(0) = log 2 and 1/2, alpha^1.5 = 0.0316
    logistic = 6 * math.sqrt(1 / (6 * math.sqrt(3)) + 4.67e-3) * math.log(2) / 0.1**1.5
    assert second_order.steps_for(second_order.LOGISTIC) == math.ceil(logistic) == 42
    assert second_order.steps_for(second_order.SIGMOID) == 34


def test_without_much_noise_searches_end_at_stationary_points() -> None:
    rng = np.random.default_rng(0)
    problem = second_order.SecondOrderProblem.drawn(
        second_order.LOGISTIC, second_order.DATA["IJCNN"], 2000, rng
    )
    search, ledger = problem.search(1e4), Ledger(rng)
    start = problem.slope(np.zeros(22))
    assert start > 2 * second_order.ACCURACY
    for w in (
        search.trust_region(ledger),
        search.selected(ledger),
        search.stochastic(ledger, 4),
        search.descent(ledger),
    ):
        assert problem.slope(w) < 1.5 * second_order.ACCURACY
        assert 0 <= problem.gap(w) < problem.gap(np.zeros(22))


def test_the_printed_sign_finds_the_classifier_that_is_wrong() -> None:
    rng = np.random.default_rng(0)
    data = second_order.BatchedData(nonconvex.covertype, 4, 5)
    errors = second_order._drawn_accuracy(data, 3000, rng)
    assert (errors["DP-TR"] > 0.8).all()
    assert (errors["DP-TR, printed sign"] < 0.2).all()
    np.testing.assert_allclose(errors["larger class"], 0.5, atol=0.03)
    assert (errors["larger class"] > 0.5).all()
