"""False alarms: two statistical tests, each with probability below 1e-9."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import OrthogonalMatchingPursuit

from reference.constraint_sets import L1Ball, L2Ball, SparseVectors
from reference.heavy_tailed.baselines import projected_gradient_descent
from reference.losses import Huber, Linear, Logistic, SquaredError
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.sparse.iterative_hard_thresholding import (
    Constants,
    constants_for,
    private_hard_thresholding,
)


def drawn(n=200, p=6, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, p)) / math.sqrt(p)
    labels = np.where(features[:, 1] + 0.1 * rng.normal(size=n) > 0, 1.0, -1.0)
    return features, labels


def run(data, loss=Logistic(), *constraint, **options):  # noqa: B008
    p = np.shape(data[0])[1]
    given = {"initial": np.zeros(p), "epsilon": 1.0, "delta": 1e-3, "sparsity": 2}
    return private_hard_thresholding(
        data, loss, *constraint, **{**given, "n_iterations": 3, **options}
    )


def test_constants_by_hand():
    found = constants_for(Logistic(2.0), n=100, epsilon=1.0, delta=1e-5, n_iterations=9)
    assert found.sensitivity == pytest.approx(0.04)  # 2 G/n, G = 2
    assert found.step_size == pytest.approx(0.5)  # 1/(2 L), L = B^2/4 = 1
    one = constants_for(Logistic(2.0), n=100, epsilon=1.0, delta=1e-5, n_iterations=1)
    assert found.noise_scale == pytest.approx(3 * one.noise_scale)


@pytest.mark.parametrize("delta", [0.9, 1e-3, 1e-10, 1e-30])
def test_eight_is_a_constant_for_the_theorem(delta):
    found = constants_for(Linear(), n=100, epsilon=1.0, delta=delta, n_iterations=7)
    theorem = math.sqrt(8 * 7 * math.log(1 / delta)) / 100
    assert found.noise_scale <= theorem


def test_two_noiseless_steps_by_hand():
    # the linear loss has the gradient mean y a = (.3, -.5, .1); L = 1 of Linear, eta = 1/2
    data = np.array([[0.6, -0.5, 0.0], [0.0, 0.5, -0.2]]), np.array([1.0, -1.0])
    eta = constants_for(Linear(), n=2, epsilon=1.0, delta=0.1, n_iterations=1).step_size
    first = run(data, Linear(), n_iterations=1, ledger=NoiselessLedger())
    assert first == pytest.approx(-eta * np.array([0.3, -0.5, 0.0]))
    second = run(data, Linear(), n_iterations=2, ledger=NoiselessLedger())
    assert second == pytest.approx(2 * first)
    one = run(data, Linear(), n_iterations=2, sparsity=1, ledger=NoiselessLedger())
    assert one == pytest.approx(-2 * eta * np.array([0.0, -0.5, 0.0]))


def test_the_ball_is_not_left_and_zeros_are_kept():
    found = run(drawn(), Logistic(), L2Ball(0.05), n_iterations=9, ledger=NoiselessLedger())
    assert np.linalg.norm(found) == pytest.approx(0.05)
    assert np.count_nonzero(found) == 2


def test_without_noise_it_is_gradient_descent_on_sparse_vectors():
    data, loss = drawn(), Logistic()
    plain = projected_gradient_descent(
        data,
        loss,
        SparseVectors(2),
        initial=np.zeros(6),
        step_size=1 / (2 * loss.smoothness),
        n_iterations=30,
    )
    found = run(data, loss, n_iterations=30, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, plain, rtol=1e-12)


def test_without_noise_it_finds_what_orthogonal_matching_pursuit_finds():
    rng = np.random.default_rng(5)
    features = rng.choice([-1.0, 1.0], size=(400, 60)) / math.sqrt(60)
    truth = np.zeros(60)
    truth[[4, 17, 33, 58]] = 2.0, -1.5, 1.0, 0.8
    labels = features @ truth + 0.01 * rng.standard_normal(400)
    # the Hessian of the mean is near I/60
    constants = Constants(sensitivity=1.0, noise_scale=1.0, step_size=60.0)
    found = run(
        (features, labels),
        Huber(1.0, threshold=10.0),
        sparsity=4,
        n_iterations=100,
        constants=constants,
        ledger=NoiselessLedger(),
    )
    pursued = OrthogonalMatchingPursuit(n_nonzero_coefs=4, fit_intercept=False)
    assert found == pytest.approx(pursued.fit(features, labels).coef_, abs=1e-9)
    assert found == pytest.approx(truth, abs=0.05)


def test_if_all_is_kept_it_is_noisy_gradient_descent():
    data, ledger = Logistic().validate(drawn(), 6), RecordingLedger(3)
    found = run(data, sparsity=6, ledger=ledger)
    x, eta = np.zeros(6), 1 / (2 * Logistic().smoothness)
    for release in ledger.transcript.releases:
        assert release.value == pytest.approx(Logistic().gradient(data, x), abs=1e-15)
        x = x - eta * release.output
    assert found == pytest.approx(x, abs=1e-12)


class Centre(SimpleNamespace):
    """||x - e_1/2||^2/2 on the unit ball: eta = 1/2, and kappa = 1."""

    convex, lipschitz, smoothness, gradient_norm = True, 2.0, 1.0, "l2"

    def validate(self, data, dimension):
        return data

    def size(self, records):
        return 8_000

    def gradient(self, records, x, indices=None):
        return x - np.r_[0.5, np.zeros(x.size - 1)]


def squared_error(p, kept):
    found = run(
        (np.zeros((1, p)), None), Centre(), sparsity=kept, n_iterations=20, ledger=Ledger(p)
    )
    return float(np.sum((found - np.r_[0.5, np.zeros(p - 1)]) ** 2))


def test_the_error_of_noisy_gradient_descent_is_p_and_that_of_thresholding_log_p():
    scale = constants_for(Centre(), n=8_000, epsilon=1.0, delta=1e-3, n_iterations=20).noise_scale
    # the sum over t of (1/2)^2t (1/2)^2 is 1/3; sums of 500 squares vary by 7%
    for p in (500, 8_000):
        assert squared_error(p, p) == pytest.approx(p * scale**2 / 3, rel=0.45)
    assert squared_error(8_000, 65) < 2.5 * squared_error(500, 65)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": SquaredError()}, "loss.lipschitz must be"),
        ({"constraint": L1Ball(1.0)}, "constraint must be"),
        ({"constraint": L2Ball(1.0), "initial": [2.0, 0.0]}, "initial must be in"),
        ({"initial": [1.0, 1.0], "sparsity": 1}, "initial must have at most sparsity = 1"),
        ({"sparsity": 3}, "sparsity must be"),
    ],
)
def test_what_does_not_go_together_is_refused(change, message, refusal):
    assert message in refusal("diss-5.3.43", change)
