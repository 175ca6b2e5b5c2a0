import math

import numpy as np
import pytest
from scipy.optimize import minimize

from reference.losses import Cosine
from reference.nonconvex.second_order import stationarity
from reference.nonconvex.trust_region import constants_for, dp_trust_region, enough_iterations
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger

SADDLE = (np.eye(2), np.array([0.0, np.pi]))
LOSS = Cosine()
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "accuracy": 0.01, "n_iterations": 50}


def run(data=SADDLE, loss=LOSS, **options):
    options = {"initial": np.zeros(data[0].shape[1]), "ledger": Ledger(0), **CLAIM, **options}
    return dp_trust_region(data, loss, **options)


def test_a_run_that_stops_spends_less():
    ledger = Ledger(0)
    found = run(accuracy=30.0, ledger=ledger)
    assert len(found.path) < 51
    np.testing.assert_array_equal(found.output, found.path[-1])
    assert ledger.spent(delta=1e-2).epsilon < 1.0


def test_the_papers_way_is_the_papers_noise():
    """Steps 1, 3, 4: sigma^2 = 4 G^2 T/(n^2 phi); the Hessian's has M^2 p, here M^2 (rank 1)."""
    chosen = constants_for(LOSS, n=30, dimension=4, method="zcdp", **CLAIM)
    phi = (math.sqrt(1 + math.log(100)) - math.sqrt(math.log(100))) ** 2
    assert zcdp_rho(1.0, 1e-2) == pytest.approx(phi, rel=1e-12)
    assert chosen.noise_scale == pytest.approx(2 * 0.5 * math.sqrt(50 / phi) / 30, rel=1e-12)
    assert chosen.hessian_noise_scale == pytest.approx(chosen.noise_scale, rel=1e-12)  # G = M here
    exact = constants_for(LOSS, n=30, dimension=4, **CLAIM)
    assert 0.4 < exact.noise_scale / chosen.noise_scale < 0.9


def test_one_noiseless_step_by_hand():
    """F = cos(w)/2 at pi/3: F' = -sqrt(3)/4, F'' = -1/4, r = sqrt(0.02): h = r, on the sphere."""
    found = run(
        (np.ones((1, 1)), np.zeros(1)),
        initial=[np.pi / 3],
        n_iterations=1,
        ledger=NoiselessLedger(0),
    )
    radius = math.sqrt(0.01 / 0.5)
    np.testing.assert_allclose(found.path[1], [np.pi / 3 + radius], rtol=1e-14)
    assert found.output is None  # lambda = sqrt(3)/(4 r) + 1/4


def test_without_noise_it_finds_the_minimum_from_the_saddle():
    """To a 2 alpha-SOSP within the theorem's number of steps, each of which lowers F enough."""
    steps = enough_iterations(LOSS, gap=0.5, accuracy=0.01)
    assert steps == math.ceil(6 * math.sqrt(0.5) * 0.5 / 0.01**1.5)
    found = run(n_iterations=steps, ledger=NoiselessLedger(0))
    assert stationarity(LOSS, SADDLE, found.output) <= 0.02
    values = [float(LOSS.values(SADDLE, w).mean()) for w in found.path]
    assert (np.diff(values)[:-1] <= -(0.01**1.5) / (6 * math.sqrt(0.5))).all()
    best = minimize(lambda w: LOSS.values(SADDLE, w).mean(), [1.0, 1.0]).fun
    assert values[-1] == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_with_noise_within_half_the_tolerances_the_output_is_as_claimed(seed):
    """Theorem 4.3.5 mended: every step but the last descends, the gradient ends below 2 alpha and
    the eigenvalues above -7/3 sqrt(alpha rho). (n = 10^6 copies of the two records, 5% failure.)"""
    alpha, size = 0.05, 1e6
    steps = enough_iterations(LOSS, gap=0.5, accuracy=alpha)
    chosen = constants_for(
        LOSS, n=int(size), dimension=2, epsilon=1.0, delta=1e-6, accuracy=alpha, n_iterations=steps
    )
    ledger = Ledger(seed)
    found = run(accuracy=alpha, n_iterations=steps, delta=1e-6, constants=chosen, ledger=ledger)
    w = found.output
    assert np.linalg.norm(LOSS.gradient(SADDLE, w)) <= 2 * alpha
    assert np.linalg.eigvalsh(LOSS.hessian(SADDLE, w))[0] >= -7 / 3 * math.sqrt(alpha / 2)
    values = [float(LOSS.values(SADDLE, w).mean()) for w in found.path]
    assert (np.diff(values)[:-1] <= -(alpha**1.5) / (6 * math.sqrt(0.5))).all()
