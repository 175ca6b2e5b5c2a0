import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from reference.losses import Linear, Logistic, Sigmoid
from reference.nonconvex.langevin_dynamics import constants_for, dp_langevin_dynamics
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import Ridge


def problem(n=40, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, rng.choice([-1.0, 1.0], n)


def run(data, loss=Sigmoid(), regularizer=Ridge(0.5), **options):  # noqa: B008
    options = {
        "initial": np.zeros(data[0].shape[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "inverse_temperature": 300.0,
        "n_iterations": 40,
        "ledger": Ledger(0),
        **options,
    }
    return dp_langevin_dynamics(data, loss, regularizer, **options)


def test_the_papers_form_with_its_constant():
    """eta = rho n^2/(G^2 beta T)."""
    chosen = constants_for(
        Logistic(), n=30, epsilon=2.0, delta=1e-3, inverse_temperature=7.0, n_iterations=11,
        method="zcdp",
    )  # fmt: skip
    assert chosen.step_size == pytest.approx(zcdp_rho(2.0, 1e-3) * 900 / (7 * 11), rel=1e-12)


def test_two_noiseless_steps_by_hand():
    """Linear loss with gradient 1/2, lambda = 1/2, given eta: w - eta (1/2 + w/2)."""
    data = (np.array([[1.0], [0.0]]), np.ones(2))
    loss = Linear(declared_curvature=1e-3)
    path = run(data, loss, inverse_temperature=20.0, n_iterations=2, epsilon=0.5,
               ledger=NoiselessLedger(0))  # fmt: skip
    eta = constants_for(
        loss, n=2, epsilon=0.5, delta=1e-2, inverse_temperature=20.0, n_iterations=2
    ).step_size
    first = -eta / 2
    np.testing.assert_allclose(path[:, 0], [0, first, first - eta * (0.5 + first / 2)], rtol=1e-14)


def test_the_noiseless_limit_is_the_minimum():
    data, loss, ridge = problem(), Logistic(), Ridge(0.5)
    path = run(data, loss, ridge, n_iterations=4000, inverse_temperature=2.0,
               ledger=NoiselessLedger(0))  # fmt: skip
    best = minimize(
        lambda w: loss.values(data, w).mean() + ridge.value(w),
        np.zeros(3),
        jac=lambda w: loss.gradient(data, w) + 0.5 * w,
        tol=1e-12,
    ).x
    np.testing.assert_allclose(path[-1], best, atol=1e-6)


def test_the_law_of_a_step_is_langevins():
    """With F = 0: w_1 = sqrt(2 eta/beta) xi, 4,000 coordinates; six standard errors."""
    data = (np.zeros((5, 4000)), np.ones(5))
    path = run(data, Linear(declared_curvature=1e-3), n_iterations=1, inverse_temperature=50.0)
    eta = constants_for(
        Linear(), n=5, epsilon=1.0, delta=1e-2, inverse_temperature=50.0, n_iterations=1
    ).step_size
    assert path[1].var() == pytest.approx(2 * eta / 50, rel=6 * math.sqrt(2 / 4000))


@pytest.mark.parametrize("beta", [8.0, 40.0, 400.0])
def test_the_gibbs_gap_is_within_the_bound(beta):
    """By quadrature in one dimension, a double well: 1/(1 + e^{4w}) and its mirror, lambda = 1/2.

    E F^r - min <= (1/(2 beta)) log(e (M + lambda)(b beta + 1)/m), m = lambda/2, b = L^2/(2 lambda).
    """
    ridge = 0.5

    def risk(w):
        return 0.5 * (1 + math.cos(2 * w)) + ridge / 2 * w * w

    grid = np.linspace(-4, 4, 8001)
    smallest = min(risk(w) for w in grid)

    def moment(power):
        return quad(
            lambda w: (risk(w) - smallest) ** power * math.exp(-beta * (risk(w) - smallest)),
            -6, 6, limit=500, points=[-1.4, 0.0, 1.4],
        )[0]  # fmt: skip

    gap = moment(1) / moment(0)
    lipschitz, smoothness, m = 1.0, 2.0, ridge / 2
    b = lipschitz**2 / (2 * ridge)
    bound = math.log(math.e * (smoothness + ridge) / m * (b * beta + 1)) / (2 * beta)
    assert 0.1 * bound < gap <= bound
