"""False alarms: four statistical tests, each with probability below 1e-6."""

import math

import numpy as np
import pytest

from reference.constraint_sets import SparseVectors
from reference.errata.local.iterative_hard_thresholding import printed
from reference.heavy_tailed.baselines import projected_gradient_descent
from reference.local.iterative_hard_thresholding import (
    Constants,
    constants_for,
    local_hard_thresholding,
    residual_bound,
)
from reference.losses import SquaredError
from reference.privacy import Ledger, NoiselessLedger


def drawn(n, p, theta, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    features = rng.choice([-1.0, 1.0], size=(n, p))
    return features, features @ theta + rng.uniform(-noise, noise, size=n)


def run(data, **options):
    given = {"epsilon": 1.0, "sparsity": 1, "noise_bound": 0.5, "n_iterations": 1}
    return local_hard_thresholding(data, **{**given, **options})


def test_the_radius_by_hand():
    # s* = 1, s = 8: sqrt 8 + 1 + C; s* = 2 of p = 9: sqrt 9 + sqrt 2 + C
    assert constants_for(dimension=16, sparsity=1, noise_bound=0.5).radius == pytest.approx(
        4 * (math.sqrt(8) + 1.5)
    )
    assert constants_for(dimension=9, sparsity=2, noise_bound=0.0).radius == pytest.approx(
        3 * (3 + math.sqrt(2))
    )


def test_the_residual_bound_is_attained_on_disjoint_supports():
    theta, truth = np.r_[np.full(8, 8**-0.5), 0.0], np.r_[np.zeros(8), -1.0]
    features = np.ones(9)
    residual = features @ theta - (features @ truth - 0.25)
    bound = residual_bound(dimension=9, sparsity=1, noise_bound=0.25)
    assert residual == pytest.approx(bound)


def test_two_noiseless_rounds_by_hand():
    # round 1: users 0, 1; gradients (1, 1)(-.4) and (1, -1)(-.2); round 2: users 2, 3, 4
    features = np.array([[1, 1], [1, -1], [1, 1], [-1, 1], [1, 1]], dtype=float)
    labels = np.array([0.4, 0.2, 0.5, 0.1, 0.3])
    theta = np.array([0.3, 0.1])
    residuals = features[2:] @ theta - labels[2:]
    second = theta - (features[2:] * residuals[:, None]).mean(axis=0)
    found = run((features, labels), n_iterations=2, ledger=NoiselessLedger())
    assert found == pytest.approx(second)
    assert run((features[:2], labels[:2]), ledger=NoiselessLedger()) == pytest.approx(theta)


def test_residuals_and_features_are_cut_and_the_ball_is_not_left():
    far = np.array([[7.0, -0.5]]), np.array([-1e300])
    # R = 1: x = (1, -.5), the gradient is (1, -.5)
    options = {"constants": Constants(radius=math.sqrt(2)), "ledger": NoiselessLedger()}
    short = run(far, step_size=0.1, **options)
    assert short == pytest.approx(-np.array([0.1, -0.05]))
    found = run(far, **options)
    assert found == pytest.approx(-np.array([1.0, -0.5]) / math.sqrt(1.25))


def test_without_noise_it_is_gradient_descent_on_sparse_vectors():
    theta = np.zeros(30)
    theta[[3, 17]] = 0.6, -0.5
    data = drawn(3_000, 30, theta)
    found = run(data, sparsity=2, n_iterations=1, ledger=NoiselessLedger())
    plain = projected_gradient_descent(
        data,
        SquaredError(),
        SparseVectors(16),
        initial=np.zeros(30),
        step_size=0.5,  # of the whole gradient
        n_iterations=1,
    )
    assert found == pytest.approx(plain)


def test_the_bias_halves_in_every_round_without_noise():
    theta = np.zeros(20)
    theta[4] = 0.9
    data = drawn(40_000, 20, theta, noise=0.0)
    errors = [
        float(np.linalg.norm(run(data, n_iterations=t, ledger=NoiselessLedger()) - theta))
        for t in (1, 2, 4)
    ]
    assert all(error <= 0.9 * 2.0**-t for error, t in zip(errors, (1, 2, 4), strict=True))


def test_the_error_does_not_vanish_as_epsilon_grows():
    theta = np.array([0.9, 0.0])
    errors = [
        np.linalg.norm(
            run(drawn(400, 2, theta, seed), epsilon=27.0, n_iterations=4, ledger=Ledger(seed))
            - theta
        )
        for seed in range(20)
    ]
    # (5.76) with 10 for its O
    claimed = 0.9 / 16 + 10 * 0.5 * math.sqrt(2 * math.log(2) * 4) / (20 * 27)
    assert claimed < 0.08
    assert np.median(errors) > 0.3


def test_the_printed_radius_by_hand():
    # C sqrt p = 2: the gradient (-3, .., -3) of norm 6 is scaled down to it
    found = printed(
        (np.ones((1, 4)), [3.0]),
        epsilon=1.0,
        sparsity=1,
        noise_bound=1.0,
        n_iterations=1,
        step_size=0.1,
        ledger=NoiselessLedger(),
    )
    assert found == pytest.approx(np.full(4, 0.1))


def test_the_printed_radius_cannot_carry_the_coefficients():
    theta = np.zeros(8)
    theta[0] = 0.9
    data = drawn(200_000, 8, theta, noise=0.05)
    options = {"epsilon": 2.0, "sparsity": 1, "noise_bound": 0.05, "n_iterations": 5}
    wrong = printed(data, **options, ledger=Ledger(0))
    right = local_hard_thresholding(data, **options, ledger=Ledger(0))
    assert np.linalg.norm(wrong - theta) > 0.5 > np.linalg.norm(right - theta)


@pytest.mark.parametrize(
    ("sparsity", "longer", "left"), [(5, 0.836, 0.201), (10, 0.997, 0.434), (20, 1.0, 0.606)]
)
def test_printed_coefficients_are_outside_the_unit_ball(sparsity, longer, left):
    drawn = np.random.default_rng(0).uniform(size=(20_000, sparsity))
    norms = np.linalg.norm(drawn, axis=1)
    # 5 standard errors are .013 and .008
    assert np.mean(norms > 1) == pytest.approx(longer, abs=0.014)
    assert np.mean(np.maximum(0, 1 - 1 / norms)) == pytest.approx(left, abs=0.01)


@pytest.mark.parametrize(
    ("n", "step_size", "left"),
    [(1e4, 0.1, 0.97), (1e5, 0.1, 0.90), (1e4, 0.2, 0.74), (1e5, 0.2, 0.56)],
)
def test_the_printed_steps_do_not_converge(n, step_size, left):
    p, s = 50, 5
    rng = np.random.default_rng(0)
    best = []
    for _ in range(200):
        theta = np.zeros(p)
        theta[:s] = rng.uniform(size=s)
        theta /= np.linalg.norm(theta)
        errors = []
        for _ in range(10):
            current = rng.normal(size=p)
            for _ in range(math.ceil(math.log(n / p))):
                # all of the distribution: E x (<theta, x> - y) = theta - theta*
                step = SparseVectors(s).project(current - step_size * (current - theta))
                current = step / max(1.0, float(np.linalg.norm(step)))
            errors.append(np.linalg.norm(current - theta))
        best.append(min(errors))
    # 5 standard errors are .038
    assert np.mean(best) == pytest.approx(left, abs=0.04)
