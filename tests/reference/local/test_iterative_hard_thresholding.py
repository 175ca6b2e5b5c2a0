"""False alarms: four statistical tests, each with probability below 1e-6."""

import math

import numpy as np
import pytest

from auditor.transcript.replay import privacy_loss, record
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
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger


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


def test_eight_times_the_sparsity_is_kept():
    features = np.ones((1, 20))
    features[0, ::2] = 0.5
    found = run((features, [0.1]), ledger=NoiselessLedger())
    assert np.flatnonzero(found).tolist() == [1, 3, 5, 7, 9, 11, 13, 15]


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


def test_one_message_per_user():
    ledger = RecordingLedger(0)
    run(drawn(11, 2, np.array([0.5, 0.0])), n_iterations=3, epsilon=0.5, ledger=ledger)
    assert [len(r.value) for r in ledger.transcript.releases] == [3, 3, 5]
    assert ledger.spent(delta=0.0).epsilon == pytest.approx(0.5)


def test_opposite_labels_lose_epsilon_in_any_round():
    features = np.ones((2, 3))

    def mechanism(data, ledger):
        return run(data, epsilon=1.3, n_iterations=2, ledger=ledger)

    one, other = ((features, np.array([0.2, label])) for label in (-1e9, 1e9))
    losses = []
    for seed in range(40):
        transcript, _ = record(mechanism, one, seed)
        losses.append(privacy_loss(mechanism, one, other, transcript))
    assert max(losses) == pytest.approx(1.3)


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


def test_order_within_a_round_and_columns_do_not_matter():
    data = drawn(9, 4, np.array([0.5, 0.0, -0.3, 0.0]))
    plain = run(data, ledger=NoiselessLedger())
    order = np.random.default_rng(1).permutation(9)
    permuted = run((data[0][order], data[1][order]), ledger=NoiselessLedger())
    assert permuted == pytest.approx(plain)
    turned = run((data[0][:, ::-1], data[1]), ledger=NoiselessLedger())
    assert turned == pytest.approx(plain[::-1])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"data": (np.zeros((0, 2)), [])}, ValueError, "features must not be empty"),
        ({"data": ([[1.0, math.nan]], [0.0])}, ValueError, "features must be finite"),
        ({"data": ([[1.0, 1.0]], [0.0, 1.0])}, ValueError, "labels must have shape"),
        ({"data": np.zeros((3, 2))}, TypeError, "data must be a pair"),
        ({"sparsity": 0}, ValueError, "sparsity must be"),
        ({"sparsity": 3}, ValueError, "sparsity must be"),
        ({"noise_bound": -1.0}, ValueError, "noise_bound must be"),
        ({"n_iterations": 4}, ValueError, "n_iterations must be"),
        ({"step_size": 0.0}, ValueError, "step_size must be"),
        ({"epsilon": 0.0}, ValueError, "epsilon must be"),
        ({"constants": 1.0}, TypeError, "constants must be"),
        ({"ledger": 0}, TypeError, "ledger must be a Ledger"),
    ],
)
def test_bad_input_is_refused_before_any_release(change, error, message):
    ledger = Ledger(0)
    arguments = {"data": (np.ones((3, 2)), np.zeros(3)), "ledger": ledger, **change}
    with pytest.raises(error, match=message):
        run(arguments.pop("data"), **arguments)
    assert len(ledger.transcript) == 0


def test_constants_refuse_what_is_out_of_range():
    with pytest.raises(ValueError, match="noise_bound"):
        constants_for(dimension=3, sparsity=1, noise_bound=-1.0)
    with pytest.raises(ValueError, match="radius"):
        Constants(radius=0.0)
