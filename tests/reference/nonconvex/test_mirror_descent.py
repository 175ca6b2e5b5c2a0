import numpy as np
import pytest

from reference.constraint_sets import L2Ball
from reference.losses import Sigmoid
from reference.mirror_maps import Euclidean, QNorm
from reference.nonconvex.mirror_descent import constants_for, dp_mirror_descent
from reference.nonconvex.proximal_gradient_descent import Constants as ProximalConstants
from reference.nonconvex.proximal_gradient_descent import dp_proximal_gradient_descent
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import L1Norm


def problem(n=40, p=4, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, np.where(features[:, 0] > 0, 1.0, -1.0)


def run(data, mirror_map=Euclidean(1.0), *regularizer, **options):  # noqa: B008
    options = {
        "loss": Sigmoid(),
        "initial": np.zeros(data[0].shape[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return dp_mirror_descent(data, options.pop("loss"), mirror_map, *regularizer, **options)


@pytest.mark.parametrize(("radius", "step"), [(0.5, 0.5), (1.0, 0.125), (2.0, 0.03125)])
def test_the_step_is_that_of_the_theorem(radius, step):
    """1/(2 L ||C||^2) with ||C|| = 2R: 1/8 for L = R = 1."""
    loss = Sigmoid()
    chosen = constants_for(loss, radius, n=40, epsilon=1.0, delta=1e-2, n_iterations=5)
    assert chosen.step_size == pytest.approx(step / loss.smoothness)


@pytest.mark.parametrize("weight", [0.0, 0.05])
def test_in_the_euclidean_ball_it_is_proximal_gradient_descent(weight):
    """With gamma R^2 for gamma, noise included."""
    data, radius = problem(), 0.4
    regularizer = [L1Norm(weight)] if weight else []
    chosen = constants_for(Sigmoid(), radius, n=40, epsilon=1.0, delta=1e-2, n_iterations=5)
    same = dp_proximal_gradient_descent(
        data,
        Sigmoid(),
        L2Ball(radius),
        *regularizer,
        initial=np.zeros(4),
        epsilon=1.0,
        delta=1e-2,
        n_iterations=5,
        constants=ProximalConstants(
            chosen.sensitivity, chosen.noise_scale, chosen.step_size * radius**2
        ),
        ledger=Ledger(0),
    )
    found = run(data, Euclidean(radius), *regularizer)
    np.testing.assert_allclose(found.path, same.path, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("mirror_map", [Euclidean(0.7), QNorm(0.7)], ids=["l2", "l1"])
def test_without_noise_the_risk_falls_and_the_steps_vanish(mirror_map):
    data, loss = problem(), Sigmoid()
    result = run(data, mirror_map, n_iterations=3000, ledger=NoiselessLedger(0))
    risks = [float(loss.values(data, x).mean()) for x in result.path]
    assert (np.diff(risks) <= 1e-12).all()
    assert np.linalg.norm(result.path[-1] - result.path[-2]) < 1e-5
    assert risks[-1] < risks[0] - 0.05


def test_a_heavy_penalty_keeps_the_start():
    for mirror_map in (Euclidean(0.7), QNorm(0.7)):
        path = run(problem(), mirror_map, L1Norm(0.3), ledger=NoiselessLedger(0)).path
        assert not path.any()
