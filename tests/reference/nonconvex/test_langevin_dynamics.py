import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from auditor.described.data.linear_models import distinct_records
from reference.losses import Linear, Logistic
from reference.nonconvex.langevin_dynamics import constants_for, dp_langevin_dynamics
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import Ridge

DATA = distinct_records(40, 3, "l2", flipped=0.5)
CLAIM = {"epsilon": 1.0, "delta": 1e-2}


def test_the_papers_form_with_its_constant():
    """eta = rho n^2/(G^2 beta T)."""
    chosen = constants_for(
        Logistic(), n=30, epsilon=2.0, delta=1e-3, inverse_temperature=7.0, n_iterations=11,
        method="zcdp",
    )  # fmt: skip
    assert chosen.step_size == pytest.approx(zcdp_rho(2.0, 1e-3) * 900 / (7 * 11), rel=1e-12)


def test_two_noiseless_steps_by_hand():
    """Linear loss with gradient 1/2, lambda = 1/2, given eta: w - eta (1/2 + w/2)."""
    data, loss = (np.array([[1.0], [0.0]]), np.ones(2)), Linear(declared_curvature=1e-3)
    claim = {**CLAIM, "inverse_temperature": 20.0, "n_iterations": 2, "epsilon": 0.5}
    start = {"initial": np.zeros(1), "ledger": NoiselessLedger(0)}
    path = dp_langevin_dynamics(data, loss, Ridge(0.5), **start, **claim)
    eta = constants_for(loss, n=2, **claim).step_size
    first = -eta / 2
    np.testing.assert_allclose(path[:, 0], [0, first, first - eta * (0.5 + first / 2)], rtol=1e-14)


def test_the_noiseless_limit_is_the_minimum():
    loss, ridge = Logistic(), Ridge(0.5)
    options = {**CLAIM, "n_iterations": 4000, "inverse_temperature": 2.0}
    start = {"initial": np.zeros(3), "ledger": NoiselessLedger(0)}
    path = dp_langevin_dynamics(DATA, loss, ridge, **start, **options)
    best = minimize(
        lambda w: loss.values(DATA, w).mean() + ridge.value(w),
        np.zeros(3),
        jac=lambda w: loss.gradient(DATA, w) + 0.5 * w,
        tol=1e-12,
    ).x
    np.testing.assert_allclose(path[-1], best, atol=1e-6)


def test_the_law_of_a_step_is_langevins():
    """With F = 0: w_1 = sqrt(2 eta/beta) xi, 4,000 coordinates; six standard errors."""
    data, loss = (np.zeros((5, 4000)), np.ones(5)), Linear(declared_curvature=1e-3)
    claim = {**CLAIM, "n_iterations": 1, "inverse_temperature": 50.0}
    start = {"initial": np.zeros(4000), "ledger": Ledger(0)}
    path = dp_langevin_dynamics(data, loss, Ridge(0.5), **start, **claim)
    eta = constants_for(loss, n=5, **claim).step_size
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
