from functools import partial

import numpy as np
import pytest

from auditor.described.data.linear_models import distinct_records
from reference.losses import Cosine, Logistic, Sigmoid
from reference.nonconvex.gradient_descent import constants_for, dp_gradient_descent
from reference.nonconvex.second_order import curvature_threshold, stationarity
from reference.privacy.ledger import Ledger, NoiselessLedger

DATA = distinct_records(40, 3, "l2", flipped=0.5)
SADDLE = (np.eye(2), np.array([0.0, np.pi]))
run = partial(dp_gradient_descent, epsilon=1.0, delta=1e-2)


def test_noiseless_run_is_gradient_descent():
    w, (features, labels) = np.zeros(3), DATA
    path = run(DATA, Logistic(), initial=w, n_iterations=30, ledger=NoiselessLedger(0))
    for k in range(30):
        np.testing.assert_allclose(path[k], w, rtol=1e-12, atol=1e-15)
        w = w + 4 * ((labels / (1 + np.exp(labels * (features @ w)))) @ features) / 40


def test_the_step_of_larger_records_is_smaller():
    """Records of norm 10: the sensitivity is 10 times, the step 1/100 times as large."""
    rule = partial(constants_for, n=10, epsilon=1.0, delta=1e-2, n_iterations=3)
    usual, larger = rule(Sigmoid(1.0)), rule(Sigmoid(10.0))
    assert larger.noise_scale == pytest.approx(10 * usual.noise_scale, rel=1e-12)
    assert larger.step_size == pytest.approx(usual.step_size / 100, rel=1e-12)


def test_noise_leaves_the_saddle_where_none_stays():
    start = {"initial": np.zeros(2), "epsilon": 1e6, "n_iterations": 300}
    assert np.abs(run(SADDLE, Cosine(), ledger=NoiselessLedger(0), **start)).max() < 1e-14
    path = run(SADDLE, Cosine(), ledger=Ledger(0), **start)
    first, last = (stationarity(Cosine(), SADDLE, w) for w in path[[0, -1]])
    assert last < 0.01 < first


def test_what_second_order_stationarity_means():
    """At the saddle the gradient is 0 and the eigenvalues are -1/4, 1/4; rho = 1/2."""
    assert stationarity(Cosine(), SADDLE, np.zeros(2)) == pytest.approx(0.125, rel=1e-12)
    assert curvature_threshold(Cosine(), 0.125) == pytest.approx(0.25, rel=1e-15)
    # at (pi/2, 0) the gradient has norm 1/4 and the eigenvalues are 0 and 1/4
    assert stationarity(Cosine(), SADDLE, np.array([np.pi / 2, 0.0])) == pytest.approx(0.25)
