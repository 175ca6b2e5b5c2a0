"""DP-Katyusha and DP-SVRG++, which share their gradients with DP-SVRG."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from reference.convex import katyusha, svrg_plus_plus
from reference.convex.variance_reduction import variance_reduced_gradient, weighted_mean
from reference.errata.convex.katyusha import printed as printed_katyusha
from reference.errata.convex.svrg_plus_plus import printed_constants
from reference.losses import Huber, Logistic
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger
from reference.proximal import L1Norm, NoRegularizer, Ridge

METHODS = {"katyusha": katyusha.dp_katyusha, "svrg++": svrg_plus_plus.dp_svrg_plus_plus}


def problem(n=60, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features @ np.arange(1.0, p + 1) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1)
    return features, labels


def run(method, data, loss=Logistic(), regularizer=Ridge(0.1), **options):  # noqa: B008
    options = {
        "initial": np.zeros(data[0].shape[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_epochs": 2,
        "n_inner": 2,
        "ledger": Ledger(0),
        **({"strong_convexity": 0.1} if method == "katyusha" else {}),
        **options,
    }
    return METHODS[method](data, loss, regularizer, **options)


def full_batch(method, n=60, loss=Logistic(), **claim):  # noqa: B008
    claim = {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 2, **claim}
    if method == "katyusha":
        claim = {"strong_convexity": 0.1, **claim}
    rule = katyusha.constants_for if method == "katyusha" else svrg_plus_plus.constants_for
    return rule(loss, n=n, batch_size=n, **claim)


# ------------------------------------------------------------------- independent implementations


def mean_gradient(data, x, rows):
    """Of the logistic loss, written out."""
    features, labels = data[0][rows], data[1][rows]
    return -(labels / (1 + np.exp(labels * (features @ x)))) @ features / len(rows)


def plain_katyusha(data, batches, *, epochs, inner, theta, eta, mu, start):
    """Algorithm 3.1.2 with its own indices, lists kept, weights summed as printed."""
    everybody, w = np.arange(len(data[1])), 1 + eta * mu
    snapshots, x = [np.array(start)], np.array(start)
    for _ in range(epochs):
        kept = []
        for _ in range(inner):
            y = theta * x + (1 - theta) * snapshots[-1]
            rows = next(batches)
            v = mean_gradient(data, y, rows) - mean_gradient(data, snapshots[-1], rows)
            x = (x - eta * (v + mean_gradient(data, snapshots[-1], everybody))) / (1 + eta * mu)
            kept.append(x)
        total = sum(w**j * kept[j] for j in range(inner)) / sum(w**j for j in range(inner))
        snapshots.append(theta * total + (1 - theta) * snapshots[-1])
    return snapshots[-1]


def plain_svrg_plus_plus(data, batches, *, epochs, inner, eta, mu, start):
    """Algorithm 3.1.3: m_s = 2^s m, the next epoch starts at the last iterate."""
    everybody = np.arange(len(data[1]))
    snapshot, x = np.array(start), np.array(start)
    for s in range(1, epochs + 1):
        kept = []
        for _ in range(2**s * inner):
            rows = next(batches)
            v = mean_gradient(data, x, rows) - mean_gradient(data, snapshot, rows)
            x = (x - eta * (v + mean_gradient(data, snapshot, everybody))) / (1 + eta * mu)
            kept.append(x)
        snapshot = np.mean(kept, axis=0)
    return snapshot


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("batch_size", [1, 7, 60])
def test_a_noiseless_run_is_the_plain_loop_on_the_drawn_batches(method, batch_size):
    data, start, sizes = problem(), np.array([1.0, -2.0, 0.5]), {"n_epochs": 3, "n_inner": 3}
    chosen = replace(full_batch(method, **sizes), batch_size=batch_size)
    if method == "katyusha":
        chosen = replace(chosen, momentum=0.3)  # not 1/2: x and the snapshot are told apart
    ledger = NoiselessLedger(4)
    x = run(method, data, initial=start, constants=chosen, ledger=ledger, **sizes)
    samples = [release.claim.sample for release in ledger.transcript.releases]
    batches = (np.arange(60) if sample is None else sample.indices for sample in samples)
    same = {"epochs": 3, "inner": 3, "eta": chosen.step_size, "mu": 0.1, "start": start}
    expected = (
        plain_katyusha(data, batches, theta=chosen.momentum, **same)
        if method == "katyusha"
        else plain_svrg_plus_plus(data, batches, **same)
    )
    np.testing.assert_allclose(x, expected, rtol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_single_records_without_noise_reach_the_optimum_too(method):
    """With constant steps, unlike plain stochastic gradients: the variance vanishes there."""
    data = problem()
    sizes = (
        {"n_epochs": 60, "n_inner": 45} if method == "katyusha" else {"n_epochs": 10, "n_inner": 8}
    )
    chosen = replace(full_batch(method, **sizes), batch_size=1)
    x = run(method, data, constants=chosen, ledger=NoiselessLedger(0), **sizes)
    expected = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-10).fit(*data)
    np.testing.assert_allclose(x, expected.coef_[0], atol=1e-4)


def test_svrg_plus_plus_finds_the_sparse_optimum_of_a_general_solver():
    data, sizes, loss = problem(n=100), {"n_epochs": 10, "n_inner": 8}, Logistic()
    chosen = full_batch("svrg++", n=100, **sizes)
    x = run("svrg++", data, loss, L1Norm(0.1), constants=chosen, ledger=NoiselessLedger(0),
            **sizes)  # fmt: skip
    # x = a - b with a, b >= 0
    best = minimize(
        lambda v: float(loss.values(data, v[:3] - v[3:]).mean()) + 0.1 * v.sum(),
        np.full(6, 0.1),
        bounds=[(0, None)] * 6,
        options={"ftol": 1e-15, "gtol": 1e-10},
    ).x
    expected = best[:3] - best[3:]
    assert 0 < np.sum(np.abs(expected) > 1e-5) < 3
    np.testing.assert_allclose(x, expected, atol=2e-3)


def test_two_katyusha_steps_by_hand():
    """Huber with one record a = 1, y = 0: F' = x; mu = 1.5, L = 1, theta = 1/2, eta = 2/3."""
    data = (np.ones((1, 1)), np.zeros(1))
    chosen = full_batch("katyusha", n=1, loss=Huber(), strong_convexity=1.5, n_epochs=1)
    assert (chosen.momentum, chosen.step_size) == (0.5, pytest.approx(2 / 3))
    x = run(
        "katyusha", data, Huber(), Ridge(1.5), initial=[0.9], strong_convexity=1.5, n_epochs=1,
        constants=chosen, ledger=NoiselessLedger(0),
    )  # fmt: skip
    # y = 0.9: x_1 = (0.9 - 0.6)/2; y = 0.525: x_2 = (0.15 - 0.35)/2; weights 1 and 2
    first, second = 0.15, -0.1
    assert x[0] == pytest.approx(0.5 * (first + 2 * second) / 3 + 0.5 * 0.9, rel=1e-12)


def test_two_epochs_of_svrg_plus_plus_by_hand():
    """F' = x; eta = 1/13: every step multiplies by 12/13, in epochs of 2 and 4 steps."""
    data = (np.ones((1, 1)), np.zeros(1))
    chosen = full_batch("svrg++", n=1, loss=Huber(), n_inner=1)
    x = run(
        "svrg++", data, Huber(), NoRegularizer(), initial=[0.5], n_inner=1, constants=chosen,
        ledger=NoiselessLedger(0),
    )  # fmt: skip
    assert x[0] == pytest.approx(0.5 * np.mean([(12 / 13) ** k for k in (3, 4, 5, 6)]), rel=1e-12)


def test_theta_and_eta_of_both_cases():
    """n <= kappa: theta = sqrt(m mu/(3L)), eta = 1/sqrt(3 mu m L); (3.29) in both."""
    loss = Logistic()
    for inner, convexity in ((6, 0.01), (6, 0.2)):
        chosen = full_batch("katyusha", strong_convexity=convexity, n_inner=inner)
        theta, eta, L = chosen.momentum, chosen.step_size, loss.smoothness
        assert L * theta + L * theta / (1 - theta) <= 1 / eta * (1 + 1e-12)
        if convexity == 0.01:
            assert theta == pytest.approx(math.sqrt(0.06 / (3 * L)), rel=1e-12)
            assert eta == pytest.approx(1 / math.sqrt(3 * 0.01 * inner * L), rel=1e-12)
        else:
            assert (theta, eta) == (0.5, pytest.approx(2 / (3 * L)))


def test_no_record_moves_the_gradient_by_more_than_is_claimed():
    """Batches of 2 of 4, points on opposite sides of Huber's kink, records nearly across them.

    Twice 2 slopes of nearly opposite records in the batch, less the one in the full gradient.
    """
    loss, largest = Huber(), 0.0
    chosen = svrg_plus_plus.constants_for(
        loss, n=4, epsilon=1.0, delta=1e-2, n_epochs=1, n_inner=1, batch_size=2
    )
    for seed in range(300):
        features, _ = problem(4, 2, seed=seed)
        other = features.copy()
        other[0] = features[0] * [1, -1]
        outputs = [
            variance_reduced_gradient(
                NoiselessLedger(seed),
                loss,
                (rows, np.zeros(4)),
                np.array([100.0, 0.0]),
                np.array([-100.0, 0.0]),
                loss.gradient((rows, np.zeros(4)), np.array([-100.0, 0.0])),
                chosen,
            )
            for rows in (features, other)
        ]
        largest = max(largest, float(np.linalg.norm(outputs[0] - outputs[1])))
    assert 0.58 * chosen.sensitivity < largest <= chosen.sensitivity


def test_weights_grow_as_a_power():
    points = [np.array([1.0]), np.array([2.0]), np.array([4.0])]
    assert weighted_mean(points, 2.0)[0] == pytest.approx((1 + 4 + 16) / 7, rel=1e-14)
    assert weighted_mean([*points] * 400, 3.0)[0] == pytest.approx(
        (4 * 9 + 2 * 3 + 1) / 13, rel=1e-9
    )  # powers beyond any double


def test_the_printed_katyusha_releases_nothing():
    ledger = RecordingLedger(0)
    data = problem()
    found = [
        printed_katyusha(
            data, Logistic(), Ridge(0.1), initial=np.zeros(3), epsilon=1.0, delta=1e-2,
            strong_convexity=0.1, n_epochs=1, n_inner=1, ledger=ledger,
        )
        for _ in range(2)
    ]  # fmt: skip
    assert not ledger.transcript.entries
    np.testing.assert_array_equal(*found)


def test_the_printed_noise_of_svrg_plus_plus():
    chosen = printed_constants(
        problem(50), Logistic(), Ridge(1.0), initial=np.zeros(3), epsilon=0.5, delta=1e-2,
        n_epochs=3, n_inner=2,
    )  # fmt: skip
    expected = math.sqrt(8 * 8 * 2 * math.log(200)) / 25
    assert chosen.noise_scale == pytest.approx(expected, rel=1e-12)
    assert chosen.batch_size == 1
