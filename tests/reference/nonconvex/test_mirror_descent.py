from functools import partial

import numpy as np
import pytest

from auditor.described.data.linear_models import distinct_records
from reference.constraint_sets import L2Ball
from reference.losses import Sigmoid
from reference.mirror_maps import Euclidean, QNorm
from reference.nonconvex.mirror_descent import constants_for, dp_mirror_descent
from reference.nonconvex.proximal_gradient_descent import Constants as ProximalConstants
from reference.nonconvex.proximal_gradient_descent import dp_proximal_gradient_descent
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import L1Norm

DATA, LOSS = distinct_records(40, 4, "l2"), Sigmoid()
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 5}
run = partial(dp_mirror_descent, DATA, LOSS, initial=np.zeros(4))


@pytest.mark.parametrize(("radius", "step"), [(0.5, 0.5), (1.0, 0.125), (2.0, 0.03125)])
def test_the_step_is_that_of_the_theorem(radius, step):
    """1/(2 L ||C||^2) with ||C|| = 2R: 1/8 for L = R = 1."""
    chosen = constants_for(LOSS, radius, n=40, **CLAIM)
    assert chosen.step_size == pytest.approx(step / LOSS.smoothness)


@pytest.mark.parametrize("regularizer", [(), (L1Norm(0.05),)], ids=["none", "l1"])
def test_in_the_euclidean_ball_it_is_proximal_gradient_descent(regularizer):
    """With gamma R^2 for gamma, noise included."""
    radius, start = 0.4, {"initial": np.zeros(4), **CLAIM}
    chosen = constants_for(LOSS, radius, n=40, **CLAIM)
    same = ProximalConstants(chosen.sensitivity, chosen.noise_scale, chosen.step_size * radius**2)
    expected = dp_proximal_gradient_descent(
        DATA, LOSS, L2Ball(radius), *regularizer, constants=same, ledger=Ledger(0), **start
    ).path
    found = run(Euclidean(radius), *regularizer, ledger=Ledger(0), **CLAIM).path
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("mirror_map", [Euclidean(0.7), QNorm(0.7)], ids=["l2", "l1"])
def test_without_noise_the_risk_falls_and_the_steps_vanish(mirror_map):
    path = run(mirror_map, ledger=NoiselessLedger(0), **CLAIM | {"n_iterations": 1000}).path
    risks = [float(LOSS.values(DATA, x).mean()) for x in path]
    assert (np.diff(risks) <= 1e-12).all()
    assert np.linalg.norm(path[-1] - path[-2]) < 1e-5
    assert risks[-1] < risks[0] - 0.05
    # a heavy penalty keeps the start
    assert not run(mirror_map, L1Norm(0.3), ledger=NoiselessLedger(0), **CLAIM).path.any()
