"""DP-SVRG, DP-SVRG++ and DP-Katyusha, which share their gradients."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from auditor.described.data.linear_models import distinct_records
from reference.convex import katyusha, svrg, svrg_plus_plus, variance_reduction
from reference.convex.variance_reduction import variance_reduced_gradient, weighted_mean
from reference.errata.convex import svrg as svrg_errata
from reference.errata.convex.katyusha import printed as printed_katyusha
from reference.errata.convex.svrg_plus_plus import printed_constants
from reference.losses import Huber, Linear, Logistic
from reference.privacy.guarantees import zcdp_epsilon
from reference.privacy.ledger import NoiselessLedger, RecordingLedger
from reference.proximal import L1Norm, NoRegularizer, Ridge

DATA = distinct_records(60, 3, "l2", flipped=0.2)
POINT = np.ones((1, 1)), np.zeros(1)
METHODS = {
    "svrg": (svrg.dp_svrg, svrg.constants_for),
    "svrg++": (svrg_plus_plus.dp_svrg_plus_plus, svrg_plus_plus.constants_for),
    "katyusha": (katyusha.dp_katyusha, katyusha.constants_for),
}


def claim(method, /, **changes):
    convexity = {"strong_convexity": 0.1} if method == "katyusha" else {}
    return {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 3, **convexity, **changes}


def run(method, data=DATA, loss=Logistic(), regularizer=Ridge(0.1), **options):  # noqa: B008
    start = {"initial": np.zeros(data[0].shape[1]), "ledger": NoiselessLedger(4)}
    return METHODS[method][0](data, loss, regularizer, **start | claim(method, **options))


def of_batches(method, size, /, n=60, loss=Logistic(), **changes):  # noqa: B008
    """Return the constants of batches of so many records; of all, but for the number."""
    rule = METHODS[method][1]
    return replace(rule(loss, n=n, batch_size=n, **claim(method, **changes)), batch_size=size)


# ------------------------------------------------------------------------------- the noise


def test_full_batch_by_zcdp_spends_exactly_the_zcdp_budget():
    changes = {"epsilon": 2.0, "delta": 1e-3, "n_epochs": 3, "n_inner": 4, "method": "zcdp"}
    sigma = of_batches("svrg", 30, 30, Huber(threshold=0.5), **changes).noise_scale
    rho = 12 * (2 * 0.5 / 30) ** 2 / (2 * sigma**2)
    assert zcdp_epsilon(rho, 1e-3) == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize(("epsilon", "expected"), [(1.0, 66), (50.0, 1000), (1e-6, 1)])
def test_default_batch_size_by_hand(monkeypatch, epsilon, expected):
    """1000 * 1/sqrt(25 * log(1e4)) = 65.9."""
    # the noise of a batch, which takes seconds, is not asked about
    monkeypatch.setattr(variance_reduction, "smallest_sampled_gaussian_scale", lambda *_, **__: 1.0)
    sizes = {"epsilon": epsilon, "delta": 1e-4, "n_epochs": 5, "n_inner": 5}
    assert svrg.constants_for(Logistic(), n=1000, **sizes).batch_size == expected


@pytest.mark.parametrize(
    ("form", "factor"), [(svrg_errata.printed, 1.0), (svrg_errata.printed_remark, math.log(200))]
)
def test_the_printed_noise_of_svrg_by_hand(form, factor):
    """(3.3) with c = 8, G = 1, T m = 6: one record a step; Remark 3.1.1: log(T/delta) times it."""
    ledger, start = RecordingLedger(0), np.zeros(3)
    form(DATA, Logistic(), Ridge(0.1), initial=start, ledger=ledger, **claim("svrg"))
    release = ledger.transcript.releases[0]
    assert release.claim.sample is not None
    assert release.claim.sample.size == 1
    assert release.claim.sensitivity == pytest.approx(4 + 2 / 60, rel=1e-15)
    expected = factor * math.sqrt(8 * 6 * math.log(100)) / 60
    assert release.mechanism.scale == pytest.approx(expected, rel=1e-12)
    assert ledger.spent(delta=1e-2).epsilon > 1.3


def test_the_printed_noise_of_svrg_plus_plus():
    sizes, start = claim("svrg++", epsilon=0.5, n_epochs=3, n_inner=2), np.zeros(3)
    chosen = printed_constants(DATA, Logistic(), Ridge(1.0), initial=start, **sizes)
    expected = math.sqrt(8 * 8 * 2 * math.log(200)) / 30
    assert chosen.noise_scale == pytest.approx(expected, rel=1e-12)
    assert chosen.batch_size == 1


def test_the_printed_katyusha_releases_nothing():
    ledger, start = RecordingLedger(0), {"initial": np.zeros(3), **claim("katyusha")}
    found = [printed_katyusha(DATA, Logistic(), Ridge(0.1), ledger=ledger, **start) for _ in "ab"]
    assert not ledger.transcript.entries
    np.testing.assert_array_equal(*found)


# ------------------------------------------------------------------- independent implementations


def mean_gradient(x, rows):
    """Return the mean gradient of the logistic loss, written out."""
    features, labels = DATA[0][rows], DATA[1][rows]
    return -(labels / (1 + np.exp(labels * (features @ x)))) @ features / len(rows)


def plain_loop(method, batches, chosen, start, epochs=2, inner=3, mu=0.1):
    """Algorithms 3.1.1 to 3.1.3 with given batches and their own indices, lists kept.

    Katyusha: points are mixed and weights summed as printed. SVRG++: m_s = 2^s m, and an epoch
    starts at the last iterate.
    """
    eta, growth, everybody = chosen.step_size, 1 + chosen.step_size * mu, np.arange(60)
    theta = chosen.momentum if method == "katyusha" else 1.0
    snapshot, x = np.array(start), np.array(start)
    for s in range(1, epochs + 1):
        x, kept = (snapshot if method == "svrg" else x), []
        for _ in range(2**s * inner if method == "svrg++" else inner):
            y, rows = theta * x + (1 - theta) * snapshot, next(batches)
            v = mean_gradient(y, rows) - mean_gradient(snapshot, rows)
            x = (x - eta * (v + mean_gradient(snapshot, everybody))) / growth
            kept.append(x)
        weights = [growth**j if method == "katyusha" else 1.0 for j in range(len(kept))]
        total = sum(w * point for w, point in zip(weights, kept, strict=True)) / sum(weights)
        snapshot = theta * total + (1 - theta) * snapshot
    return snapshot


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("batch_size", [1, 7, 60])
def test_a_noiseless_run_is_the_plain_loop_on_the_drawn_batches(method, batch_size):
    start, ledger = np.array([1.0, -2.0, 0.5]), NoiselessLedger(4)
    chosen = of_batches(method, batch_size)
    if method == "katyusha":
        chosen = replace(chosen, momentum=0.3)  # not 1/2: x and the snapshot are told apart
    x = run(method, initial=start, constants=chosen, ledger=ledger)
    samples = [release.claim.sample for release in ledger.transcript.releases]
    batches = (np.arange(60) if sample is None else sample.indices for sample in samples)
    np.testing.assert_allclose(x, plain_loop(method, batches, chosen, start), rtol=1e-11)


@pytest.mark.parametrize(
    ("method", "epochs", "inner"), [("svrg", 12, 200), ("svrg++", 8, 8), ("katyusha", 60, 45)]
)
def test_single_records_without_noise_reach_the_optimum_too(method, epochs, inner):
    """With constant steps, unlike plain stochastic gradients: the variance vanishes there."""
    sizes = {"n_epochs": epochs, "n_inner": inner}
    x = run(method, constants=of_batches(method, 1, **sizes), **sizes)
    expected = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-10).fit(*DATA)
    np.testing.assert_allclose(x, expected.coef_[0], atol=1e-4)


def test_svrg_plus_plus_finds_the_sparse_optimum_of_a_general_solver():
    sizes, loss = {"n_epochs": 8, "n_inner": 8}, Logistic()
    chosen = of_batches("svrg++", 60, **sizes)
    x = run("svrg++", regularizer=L1Norm(0.1), constants=chosen, **sizes)
    # x = a - b with a, b >= 0
    best = minimize(
        lambda v: float(loss.values(DATA, v[:3] - v[3:]).mean()) + 0.1 * v.sum(),
        np.full(6, 0.1),
        bounds=[(0, None)] * 6,
        options={"ftol": 1e-15, "gtol": 1e-10},
    ).x
    expected = best[:3] - best[3:]
    assert 0 < np.sum(np.abs(expected) > 1e-5) < 3
    np.testing.assert_allclose(x, expected, atol=2e-3)


# ------------------------------------------------------------------------------------- by hand


def test_two_steps_of_svrg_by_hand():
    """Linear loss, gradient (.6, .8)/2 everywhere; prox divides by 2; the mean of two iterates."""
    data = (np.array([[0.6, 0.8], [0.0, 0.0]]), np.ones(2))
    chosen = svrg.Constants(2, 1.0, 1.0, 1.0, 1.0)
    x = run("svrg", data, Linear(), Ridge(1.0), n_epochs=1, n_inner=2, constants=chosen)
    # x_1 = -(.3, .4)/2, x_2 = (x_1 - (.3, .4))/2
    np.testing.assert_allclose(x, [-(0.15 + 0.225) / 2, -(0.2 + 0.3) / 2], rtol=1e-15)


def test_two_katyusha_steps_by_hand():
    """Huber with one record a = 1, y = 0: F' = x; mu = 1.5, L = 1, theta = 1/2, eta = 2/3."""
    sizes = {"strong_convexity": 1.5, "n_epochs": 1, "n_inner": 2}
    chosen = of_batches("katyusha", 1, 1, Huber(), **sizes)
    assert (chosen.momentum, chosen.step_size) == (0.5, pytest.approx(2 / 3))
    options = {"initial": [0.9], "constants": chosen, **sizes}
    x = run("katyusha", POINT, Huber(), Ridge(1.5), **options)
    # y = 0.9: x_1 = (0.9 - 0.6)/2; y = 0.525: x_2 = (0.15 - 0.35)/2; weights 1 and 2
    first, second = 0.15, -0.1
    assert x[0] == pytest.approx(0.5 * (first + 2 * second) / 3 + 0.5 * 0.9, rel=1e-12)


def test_two_epochs_of_svrg_plus_plus_by_hand():
    """F' = x; eta = 1/13: every step multiplies by 12/13, in epochs of 2 and 4 steps."""
    chosen = of_batches("svrg++", 1, 1, Huber(), n_inner=1)
    options = {"initial": [0.5], "n_inner": 1, "constants": chosen}
    x = run("svrg++", POINT, Huber(), NoRegularizer(), **options)
    assert x[0] == pytest.approx(0.5 * np.mean([(12 / 13) ** k for k in (3, 4, 5, 6)]), rel=1e-12)


@pytest.mark.parametrize("convexity", [0.01, 0.2])
def test_theta_and_eta_of_both_cases(convexity):
    """n <= kappa: theta = sqrt(m mu/(3L)), eta = 1/sqrt(3 mu m L); (3.29) in both."""
    chosen = of_batches("katyusha", 60, strong_convexity=convexity, n_inner=6)
    theta, eta, L = chosen.momentum, chosen.step_size, Logistic().smoothness
    assert L * theta + L * theta / (1 - theta) <= 1 / eta * (1 + 1e-12)
    if convexity == 0.01:
        assert theta == pytest.approx(math.sqrt(0.06 / (3 * L)), rel=1e-12)
        assert eta == pytest.approx(1 / math.sqrt(3 * 0.01 * 6 * L), rel=1e-12)
    else:
        assert (theta, eta) == (0.5, pytest.approx(2 / (3 * L)))


def test_no_record_moves_the_gradient_by_more_than_is_claimed():
    """Batches of 2 of 4, points on opposite sides of Huber's kink, records nearly across them.

    Twice 2 slopes of nearly opposite records in the batch, less the one in the full gradient.
    """
    loss, largest, labels = Huber(), 0.0, np.zeros(4)
    sizes = {"n": 4, "batch_size": 2, "n_epochs": 1, "n_inner": 1}
    chosen = svrg_plus_plus.constants_for(loss, epsilon=1.0, delta=1e-2, **sizes)
    here, snapshot = np.array([100.0, 0.0]), np.array([-100.0, 0.0])
    for seed in range(300):
        features = np.random.default_rng(seed).standard_normal((4, 2))
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        other = features.copy()
        other[0] = features[0] * [1, -1]
        first, second = (
            variance_reduced_gradient(
                NoiselessLedger(seed),
                loss,
                (rows, labels),
                here,
                snapshot,
                loss.gradient((rows, labels), snapshot),
                chosen,
            )
            for rows in (features, other)
        )
        largest = max(largest, float(np.linalg.norm(first - second)))
    assert 0.58 * chosen.sensitivity < largest <= chosen.sensitivity


def test_weights_grow_as_a_power():
    points = [np.array([1.0]), np.array([2.0]), np.array([4.0])]
    assert weighted_mean(points, 2.0)[0] == pytest.approx((1 + 4 + 16) / 7, rel=1e-14)
    # powers beyond any double
    largest = weighted_mean([*points] * 400, 3.0)[0]
    assert largest == pytest.approx((4 * 9 + 2 * 3 + 1) / 13, rel=1e-9)
