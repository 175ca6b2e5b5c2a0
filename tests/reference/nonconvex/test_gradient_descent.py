import numpy as np
import pytest

from reference.losses import Cosine, Logistic, Sigmoid
from reference.nonconvex.gradient_descent import constants_for, dp_gradient_descent
from reference.nonconvex.second_order import curvature_threshold, stationarity
from reference.privacy.ledger import Ledger, NoiselessLedger


def problem(n=40, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, rng.choice([-1.0, 1.0], n)


def run(data, loss=Sigmoid(), **options):  # noqa: B008
    options = {
        "initial": np.zeros(data[0].shape[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return dp_gradient_descent(data, loss, **options)


def test_noiseless_run_is_gradient_descent():
    data = problem()
    path = run(data, Logistic(), n_iterations=30, ledger=NoiselessLedger(0))
    features, labels = data
    w = np.zeros(3)
    for k in range(30):
        np.testing.assert_allclose(path[k], w, rtol=1e-12, atol=1e-15)
        w = w + 4 * ((labels / (1 + np.exp(labels * (features @ w)))) @ features) / 40


def test_the_step_of_larger_records_is_smaller():
    """Records of norm 10: the sensitivity is 10 times, the step 1/100 times as large."""
    chosen = [
        constants_for(Sigmoid(bound), n=10, epsilon=1.0, delta=1e-2, n_iterations=3)
        for bound in (1.0, 10.0)
    ]
    assert chosen[1].noise_scale == pytest.approx(10 * chosen[0].noise_scale, rel=1e-12)
    assert chosen[1].step_size == pytest.approx(chosen[0].step_size / 100, rel=1e-12)


def test_noise_leaves_the_saddle_where_none_stays():
    data = (np.eye(2), np.array([0.0, np.pi]))
    options = {"loss": Cosine(), "epsilon": 1e6, "n_iterations": 300}
    assert np.abs(run(data, ledger=NoiselessLedger(0), **options)).max() < 1e-14
    path = run(data, **options)
    assert stationarity(Cosine(), data, path[-1]) < 0.01 < stationarity(Cosine(), data, path[0])


def test_what_second_order_stationarity_means():
    """At the saddle the gradient is 0 and the eigenvalues are -1/4, 1/4; rho = 1/2."""
    data = (np.eye(2), np.array([0.0, np.pi]))
    assert stationarity(Cosine(), data, np.zeros(2)) == pytest.approx(0.125, rel=1e-12)
    assert curvature_threshold(Cosine(), 0.125) == pytest.approx(0.25, rel=1e-15)
    # at (pi/2, 0) the gradient has norm 1/4 and the eigenvalues are 0 and 1/4
    assert stationarity(Cosine(), data, np.array([np.pi / 2, 0.0])) == pytest.approx(0.25)
