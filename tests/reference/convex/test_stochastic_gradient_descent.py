import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from auditor.described.data.linear_models import distinct_records
from reference.catalogue import entry
from reference.constraint_sets import L1Ball, L2Ball
from reference.convex.stochastic_gradient_descent import Constants, constants_for, dp_sgd
from reference.convex.variance_reduction import amplified_batch_size
from reference.errata.convex.stochastic_gradient_descent import printed, printed_constants
from reference.losses import Huber, Linear, Logistic
from reference.privacy.ledger import Ledger, NoiselessLedger
from reference.proximal import Ridge

DATA = distinct_records(60, 3, "l2", flipped=0.2)
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 6}


def run(data=DATA, loss=Logistic(), constraint=L2Ball(2.0), form=dp_sgd, **options):  # noqa: B008
    start = {"initial": np.zeros(data[0].shape[1]), "ledger": NoiselessLedger(0)}
    return form(data, loss, constraint, **start | CLAIM | options)


def batches_of(size, n=60, loss=Logistic(), dimension=3, radius=2.0, **changes):  # noqa: B008
    return constants_for(loss, radius, n=n, dimension=dimension, batch_size=size, **CLAIM | changes)


def prescribed(size, step_size, decay=1e-9):
    """Return constants for noiseless runs: of the batch and the steps, constant by default."""
    return Constants(size, 1.0, 1.0, step_size, decay)


# ------------------------------------------------------------------------------- the noise


def test_n_squared_steps_take_single_records():
    """As in the tables, up to epsilon = sqrt(log(1/delta)) = 2.146."""
    for n in (10, 1000):
        size = [amplified_batch_size(n, epsilon=e, delta=1e-2, releases=n * n) for e in (2.1, 2.2)]
        assert size == [1, 2]


def test_the_noise_of_n_squared_single_records_does_not_grow_with_n():
    scales = [batches_of(1, n=n, n_iterations=n * n).noise_scale for n in (10, 20, 40)]
    assert max(scales) < 1.05 * min(scales)


def test_the_step_sizes_by_hand():
    chosen = batches_of(60)
    moment = 1 + 3 * chosen.noise_scale**2
    assert (chosen.step_size, chosen.decay) == (pytest.approx(4 / math.sqrt(moment)), 0.5)
    chosen = batches_of(60, strong_convexity=0.1)
    assert (chosen.step_size, chosen.decay) == (pytest.approx(10.0), 1.0)


# --------------------------------------------------------------------------- the algorithm


def test_two_noiseless_steps_by_hand():
    """F' = x on [-2, 2], r = x^2/2: x_2 = (0.8 - 0.5 0.8)/1.5, then with half the step size."""
    data = (np.ones((1, 1)), np.zeros(1))
    options = {"initial": [0.8], "n_iterations": 2, "constants": prescribed(1, 0.5, 1.0)}
    x = run(data, Huber(), regularizer=Ridge(1.0), **options)
    first = 0.8 * 0.5 / 1.5
    assert x[0] == pytest.approx(first * 0.75 / 1.25, rel=1e-14)
    # a step that leaves the set ends on its boundary
    options = {"initial": [0.8], "n_iterations": 1, "constants": prescribed(1, 5.0)}
    x = run((np.ones((1, 1)), np.ones(1)), Linear(), L2Ball(1.0), **options)
    assert x[0] == pytest.approx(-1.0, rel=1e-14)


def test_a_noiseless_run_is_projected_sgd_on_the_drawn_batches():
    (features, labels), ledger = DATA, NoiselessLedger(0)
    chosen, x = batches_of(7), np.zeros(3)
    found = run(constants=chosen, ledger=ledger)
    for t, release in enumerate(ledger.transcript.releases, start=1):
        rows = release.claim.sample.indices
        margin = labels[rows] * (features[rows] @ x)
        x = x + chosen.step_size / math.sqrt(t) * np.mean(
            (labels[rows] / (1 + np.exp(margin)))[:, None] * features[rows], axis=0
        )
        x = x / max(1.0, np.linalg.norm(x) / 2.0)
    np.testing.assert_allclose(found, x, rtol=1e-12)


@pytest.mark.parametrize(
    ("chosen", "steps", "atol"),
    [(prescribed(60, 4.0), 2000, 1e-6), (prescribed(1, 10.0, 1.0), 20_000, 1e-2)],
    ids=["all records, constant steps", "single records, 1/(mu t)"],
)
def test_the_noiseless_limit_is_the_optimum_that_scikit_learn_finds(chosen, steps, atol):
    options = {"regularizer": Ridge(0.1), "n_iterations": steps, "constants": chosen}
    x = run(constraint=L2Ball(50.0), **options)
    expected = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-12).fit(*DATA)
    np.testing.assert_allclose(x, expected.coef_[0], atol=atol)


@pytest.mark.parametrize("ball", [L2Ball(0.7), L1Ball(0.7)], ids=["l2", "l1"])
def test_the_noiseless_limit_on_a_ball_is_that_of_a_general_solver(ball):
    x = run(constraint=ball, n_iterations=2000, constants=prescribed(60, 4.0))

    def risk(x):
        return float(Logistic().values(DATA, x).mean())

    # x = a - b with a, b >= 0: smooth constraints for either norm
    in_l1, in_l2 = (lambda v: 0.7 - v.sum()), (lambda v: 0.49 - (v[:3] - v[3:]) @ (v[:3] - v[3:]))
    split = minimize(
        lambda v: risk(v[:3] - v[3:]),
        np.full(6, 0.05),
        bounds=[(0, None)] * 6,
        constraints={"type": "ineq", "fun": in_l1 if isinstance(ball, L1Ball) else in_l2},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert risk(x) <= split.fun + 1e-8
    assert ball.contains(x)


def test_no_record_moves_the_gradient_by_more_than_is_claimed():
    chosen = batches_of(2, n=4, loss=Huber(), dimension=2)
    largest = 0.0
    for seed in range(200):
        features = np.random.default_rng(seed).standard_normal((4, 2))
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        other = features.copy()
        other[0] = -features[0]
        first, second = (
            Huber().gradient((rows, np.full(4, -5.0)), np.zeros(2), np.array([0, 1]))
            for rows in (features, other)
        )
        largest = max(largest, float(np.linalg.norm(first - second)))
    assert largest == pytest.approx(chosen.sensitivity, rel=1e-12)


# ----------------------------------------------------------------------------- what is printed


def test_the_printed_noise_by_hand_and_what_the_lots_own_would_spend():
    """q = 0.1, T = 51, c_2 = 6: G sigma/n is private for no epsilon near 1/2, G sigma/l is."""
    features = np.zeros((10, 2))
    features[0, 0] = 1.0
    data, options = (features, np.ones(10)), {"epsilon": 0.5, "n_iterations": 51}
    ledger = Ledger(0)
    run(data, Linear(), form=printed, ledger=ledger, **options)
    assert ledger.spent(delta=1e-2).epsilon > 3
    claim = {"initial": np.zeros(2), "delta": 1e-2, **options}
    chosen = printed_constants(data, Linear(), L2Ball(2.0), **claim)
    sigma = 6 * 0.1 * math.sqrt(51 * math.log(100)) / 0.5
    assert chosen.batch_size == 1
    assert chosen.noise_scale == pytest.approx(sigma / 10, rel=1e-12)
    ledger = Ledger(0)
    run(data, Linear(), constants=replace(chosen, noise_scale=sigma), ledger=ledger, **options)
    assert ledger.spent(delta=1e-2).epsilon < 0.5


def test_both_names_find_it():
    assert entry("diss-3.1.baselines-sgd") is entry("diss-2.sgd-accountant")
