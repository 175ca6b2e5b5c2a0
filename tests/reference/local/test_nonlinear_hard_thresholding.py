"""False alarms: one statistical test, with probability below 1e-6."""

import math

import numpy as np
import pytest

from reference.errata.local.nonlinear_hard_thresholding import printed
from reference.local.iterative_hard_thresholding import local_hard_thresholding
from reference.local.nonlinear_hard_thresholding import (
    EIGHT_X_AND_COSINE,
    Constants,
    MonotoneFunction,
    constants_for,
    local_nonlinear_hard_thresholding,
)
from reference.privacy import Ledger, NoiselessLedger

IDENTITY = MonotoneFunction("x", np.array, np.ones_like, 1.0, 1.0)


def drawn(n, theta, function, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.choice([-1.0, 1.0], size=(n, theta.size))
    return features, function.value(features @ theta)


def run(data, function=EIGHT_X_AND_COSINE, **options):
    given = {"epsilon": 1.0, "sparsity": 1, "noise_bound": 0.5, "n_iterations": 1}
    return local_nonlinear_hard_thresholding(data, function, **{**given, **options})


def test_the_constants_by_hand():
    # a = 7, b = 9, s* = 1: r = 9 sqrt p (9 (sqrt 8 + 1) + C), eta = (441 + 405)/(14 * 49 * 81)
    found = constants_for(
        dimension=16, sparsity=1, noise_bound=0.5, least_slope=7.0, largest_slope=9.0
    )
    assert found.radius == pytest.approx(36 * (9 * (math.sqrt(8) + 1) + 0.5))
    assert found.step_size == pytest.approx(846 / 55566)


def test_the_slopes_of_the_example():
    z = np.linspace(-7, 7, 10_001)
    slopes = EIGHT_X_AND_COSINE.derivative(z)
    assert slopes.min() == pytest.approx(7.0, abs=1e-6)
    assert slopes.max() == pytest.approx(9.0, abs=1e-6)
    numeric = np.gradient(EIGHT_X_AND_COSINE.value(z), z)
    assert slopes[1:-1] == pytest.approx(numeric[1:-1], abs=1e-5)


def test_a_gradient_of_the_model_can_be_267_times_sqrt_p():
    theta, truth = np.r_[np.full(8, -(8**-0.5)), 0.0], np.r_[np.zeros(8), 1.0]
    scores = np.array([np.ones(9) @ theta, np.ones(9) @ truth])
    values, slopes = EIGHT_X_AND_COSINE.value(scores), EIGHT_X_AND_COSINE.derivative(scores)
    factor = slopes[0] * (values[0] - values[1])
    assert abs(factor) == pytest.approx(266.8, abs=0.1)
    constants = constants_for(
        dimension=9, sparsity=1, noise_bound=0.0, least_slope=7.0, largest_slope=9.0
    )
    assert abs(factor) < constants.radius / 3 < 1.2 * abs(factor)


def test_one_noiseless_round_by_hand():
    # theta_0 = 0: f' = 8, f = 1; weights 8 (1 - y) are -8 and 16
    data = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([2.0, -1.0])
    constants = Constants(radius=1e3, step_size=0.01)
    found = run(data, constants=constants, ledger=NoiselessLedger())
    assert found == pytest.approx(-0.01 * np.array([4.0, -12.0]))


def test_of_the_identity_it_is_ldp_iht():
    theta = np.array([0.5, 0.0, -0.3])
    data = drawn(50, theta, IDENTITY)
    options = {"epsilon": 1.0, "sparsity": 1, "noise_bound": 0.5, "n_iterations": 3}
    found = run(data, IDENTITY, **options, ledger=Ledger(4))
    linear = local_hard_thresholding(data, **options, ledger=Ledger(4))
    np.testing.assert_allclose(found, linear, rtol=1e-12)


def test_the_error_halves_in_every_round_without_noise():
    theta = np.zeros(20)
    theta[4] = 0.9
    data = drawn(40_000, theta, EIGHT_X_AND_COSINE)
    for t in (1, 2, 4):
        found = run(data, n_iterations=t, ledger=NoiselessLedger())
        assert np.linalg.norm(found - theta) <= 0.9 * 2.0**-t


def test_huge_labels_are_cut_and_raise_no_warning():
    data = np.ones((2, 2)), np.array([1.7e308, -1.7e308])
    found = run(data, ledger=NoiselessLedger())
    assert found == pytest.approx(np.zeros(2))
    constants = Constants(radius=math.sqrt(2) * 3.0, step_size=0.1)
    one = run((np.ones((1, 2)), [1.7e308]), constants=constants, ledger=NoiselessLedger())
    assert one == pytest.approx(np.full(2, 0.3))


def test_the_printed_radius_by_hand():
    # b C sqrt p = 9: the gradient is f' (f - y) (1, .., 1) = 8 (1 - 3) (1, .., 1), of norm 32; and
    # eta = 846/55566
    found = printed(
        (np.ones((1, 4)), [3.0]),
        EIGHT_X_AND_COSINE,
        epsilon=1.0,
        sparsity=1,
        noise_bound=0.5,
        n_iterations=1,
        ledger=NoiselessLedger(),
    )
    assert found == pytest.approx(np.full(4, 4.5 * 846 / 55566))


def test_the_printed_radius_cannot_carry_the_coefficients():
    theta = np.zeros(8)
    theta[0] = 0.9
    data = drawn(300_000, theta, EIGHT_X_AND_COSINE)
    options = {"epsilon": 4.0, "sparsity": 1, "noise_bound": 0.05, "n_iterations": 3}
    wrong = printed(data, EIGHT_X_AND_COSINE, **options, ledger=Ledger(0))
    right = local_nonlinear_hard_thresholding(data, EIGHT_X_AND_COSINE, **options, ledger=Ledger(0))
    assert np.linalg.norm(wrong - theta) > 0.8 > 0.5 > np.linalg.norm(right - theta)


def test_noise_that_depends_on_the_features_is_taken_for_a_coefficient():
    theta = np.array([0.4, 0.0])
    features, labels = drawn(50_000, theta, IDENTITY)
    labels = labels + 0.5 * features[:, 0]
    found = run((features, labels), IDENTITY, n_iterations=2, ledger=NoiselessLedger())
    assert found == pytest.approx([0.9, 0.0], abs=0.02)


@pytest.mark.parametrize(
    ("slopes", "message"),
    [((1.0, 0.5), "a <= b"), ((1.0, 1.5), "5/9"), ((0.0, 1.0), "least_slope must be")],
)
def test_a_function_whose_slopes_differ_too_much_is_refused(slopes, message):
    with pytest.raises(ValueError, match=message):
        MonotoneFunction("f", np.array, np.ones_like, *slopes)


@pytest.mark.parametrize(
    ("value", "derivative", "message"),
    [
        (
            lambda z: 8 * z - 0.1 * z.mean(),
            lambda z: np.full(z.shape, 8.0),
            "value must take every",
        ),
        (lambda z: 8 * z, lambda z: np.full(z.shape, 8 + np.sin(z.sum())), "derivative must take"),
        (lambda z: 8 * z, lambda z: 8 + np.sin(z[::-1]), "derivative must take every record"),
    ],
)
def test_a_function_that_reads_other_scores_is_refused(value, derivative, message):
    with pytest.raises(ValueError, match=message):
        MonotoneFunction("f", value, derivative, 7.0, 9.0)
