"""False alarms: one statistical test, with probability below 1e-6."""

import math

import numpy as np
import pytest
from sklearn.linear_model import OrthogonalMatchingPursuit

from reference.constraint_sets import SparseVectors
from reference.errata.local.label_hard_thresholding import printed
from reference.heavy_tailed.baselines import projected_gradient_descent
from reference.local.label_hard_thresholding import label_hard_thresholding
from reference.local.label_noise import Constants, constants_for, largest_label
from reference.losses import SquaredError
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_epsilon

GIVEN = {"epsilon": 1.0, "delta": 1e-5, "sparsity": 1, "noise_bound": 0.5, "n_iterations": 1}


def drawn(n, theta, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    features = rng.choice([-1.0, 1.0], size=(n, theta.size))
    return features, features @ theta + rng.uniform(-noise, noise, size=n)


def run(data, **options):
    return label_hard_thresholding(data, **{**GIVEN, **options})


def coefficients(p, **entries):
    theta = np.zeros(p)
    for place, value in entries.items():
        theta[int(place[1:])] = value
    return theta


def test_the_constants_by_hand():
    # s* = 4, C = .5: Y = 2.5, two labels are 5 apart
    found = constants_for(epsilon=1.0, delta=1e-5, sparsity=4, noise_bound=0.5)
    assert found.truncation_level == 2.5
    assert gaussian_dp_delta(5.0 / found.noise_scale, 1.0) == pytest.approx(1e-5, rel=1e-6)
    # less than the rule of the source with the same sensitivity
    assert found.noise_scale < 5.0 * math.sqrt(2 * math.log(1.25e5))
    wide = constants_for(epsilon=1.0, delta=1e-5, sparsity=4, noise_bound=0.5, largest_slope=3.0)
    assert wide.truncation_level == 6.5


def test_the_largest_label_is_attained():
    truth, x = np.full(4, 0.5), np.ones(4)
    assert x @ truth + 0.25 == largest_label(sparsity=4, noise_bound=0.25)


def test_two_noiseless_steps_by_hand():
    features = np.array([[1, 1], [1, -1], [1, 1]], dtype=float)
    labels = np.array([0.4, 0.1, 0.3])
    first = features.T @ labels / 3
    second = first + features.T @ (labels - features @ first) / 3
    data = (features, labels)
    assert run(data, ledger=NoiselessLedger()) == pytest.approx([0.8 / 3, 0.6 / 3])
    assert run(data, n_iterations=2, ledger=NoiselessLedger()) == pytest.approx(second)
    half = run(data, step_size=0.5, ledger=NoiselessLedger())
    assert half == pytest.approx(first / 2)


def test_labels_and_features_are_cut_and_the_ball_is_not_left():
    far = np.array([[7.0, -0.5]]), np.array([-1e300])
    # Y = 1.5: a step of eta (-1.5) (1, -.5)
    short = run(far, step_size=0.1, ledger=NoiselessLedger())
    assert short == pytest.approx([-0.15, 0.075])
    whole = run(far, ledger=NoiselessLedger())
    assert whole == pytest.approx(-np.array([1.0, -0.5]) / math.sqrt(1.25))
    other = Constants(truncation_level=0.2, noise_scale=1.0)
    assert run(far, constants=other, ledger=NoiselessLedger()) == pytest.approx([-0.2, 0.1])


def test_without_noise_it_is_gradient_descent_on_sparse_vectors():
    data = drawn(400, coefficients(30, _3=0.6, _17=-0.5), noise=0.3)
    found = run(data, sparsity=2, n_iterations=5, ledger=NoiselessLedger())
    plain = projected_gradient_descent(
        data,
        SquaredError(),
        SparseVectors(16),
        initial=np.zeros(30),
        step_size=0.5,  # of the whole gradient
        n_iterations=5,
    )
    assert np.linalg.norm(plain) < 1
    assert found == pytest.approx(plain)


def test_without_noise_it_finds_what_orthogonal_matching_pursuit_finds():
    theta = coefficients(60, _5=0.5, _20=-0.4, _41=0.3)
    data = drawn(3_000, theta)
    found = run(data, sparsity=3, n_iterations=60, ledger=NoiselessLedger())
    pursuit = OrthogonalMatchingPursuit(n_nonzero_coefs=3, fit_intercept=False).fit(*data)
    assert np.allclose(found, pursuit.coef_, atol=1e-10)
    assert np.allclose(found, theta, atol=1e-10)


def test_the_error_halves_in_every_step_without_noise():
    theta = coefficients(20, _4=0.9)
    data = drawn(40_000, theta)
    for t in (1, 2, 4, 8):
        found = run(data, n_iterations=t, ledger=NoiselessLedger())
        assert np.linalg.norm(found - theta) <= 0.9 * 2.0**-t


def test_what_is_printed_spends_more_than_eleven_times_its_epsilon():
    # C = .05, s* = 1, labels +-1.05: mu = 2.1/tau
    data = np.ones((1, 2)), np.array([1.05])
    options = {**GIVEN, "delta": 1e-3, "noise_bound": 0.05}
    ledger = RecordingLedger(0)
    printed(data, **options, ledger=ledger)
    (release,) = ledger.transcript.releases
    mu = 2.1 / release.mechanism.scale
    assert mu == pytest.approx(2.78, abs=0.01)
    assert gaussian_dp_epsilon(mu, 1e-3) == pytest.approx(11.79, abs=0.005)
    assert gaussian_dp_delta(mu, 1.0) == pytest.approx(0.740, abs=0.001)
    # and labels are not cut
    printed((np.ones((1, 2)), np.array([1e6])), **options, ledger=ledger)
    assert ledger.transcript.releases[-1].value == pytest.approx(1e6)


def test_the_printed_sign_climbs():
    theta = coefficients(50, _3=0.6, _30=-0.5)
    data = drawn(4_000, theta)
    options = {**GIVEN, "sparsity": 2, "n_iterations": 40}
    wrong = printed(data, **options, ledger=NoiselessLedger())
    right = label_hard_thresholding(data, **options, ledger=NoiselessLedger())
    assert np.linalg.norm(wrong - theta) > 1.5
    assert np.linalg.norm(right - theta) < 1e-12


def test_noise_that_depends_on_the_features_is_taken_for_a_coefficient():
    features, labels = drawn(50_000, coefficients(2, _0=0.4))
    labels = labels + 0.5 * features[:, 0]
    found = run((features, labels), n_iterations=20, ledger=NoiselessLedger())
    assert found == pytest.approx([0.9, 0.0], abs=0.02)


def test_the_noise_on_a_coefficient_falls_like_the_root_of_n():
    def noise(n):
        data = np.ones((n, 1)), np.zeros(n)
        ledgers = (Ledger(seed) for seed in range(400))
        constants = Constants(truncation_level=1.5, noise_scale=0.5)
        found = [run(data, constants=constants, ledger=ledger)[0] for ledger in ledgers]
        return float(np.std(found))

    # l.7281 has 1/n: .01; five standard errors are 25%
    assert noise(1_000) / noise(10) == pytest.approx(0.1, rel=0.25)
