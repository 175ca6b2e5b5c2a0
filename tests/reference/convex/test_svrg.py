import math

import numpy as np
import pytest

from reference.convex import variance_reduction
from reference.convex.svrg import Constants, constants_for, dp_svrg
from reference.errata.convex.svrg import printed, printed_remark
from reference.losses import Huber, Linear, Logistic
from reference.privacy.guarantees import zcdp_epsilon
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger
from reference.proximal import Ridge


def problem(n=40, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features @ np.arange(1.0, p + 1) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1)
    return features, labels


CLAIM = {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 3}


def run(data, loss=Logistic(), regularizer=Ridge(0.1), form=dp_svrg, **options):  # noqa: B008
    options = {"initial": np.zeros(data[0].shape[1]), "ledger": Ledger(0), **CLAIM, **options}
    return form(data, loss, regularizer, **options)


def batches_of(size, n=40, loss=Logistic(), **changes):  # noqa: B008
    """Return the constants of a batch of so many records."""
    return constants_for(loss, n=n, batch_size=size, **CLAIM | changes)


def prescribed(size, step_size):
    """Return constants for noiseless runs: of the batch and step sizes only."""
    return Constants(size, 1.0, 1.0, 1.0, step_size)


# ------------------------------------------------------------------------------- the noise


def test_full_batch_by_zcdp_spends_exactly_the_zcdp_budget():
    claim = {"epsilon": 2.0, "delta": 1e-3, "n_epochs": 3, "n_inner": 4, "method": "zcdp"}
    sigma = batches_of(30, n=30, loss=Huber(threshold=0.5), **claim).noise_scale
    rho = 12 * (2 * 0.5 / 30) ** 2 / (2 * sigma**2)
    assert zcdp_epsilon(rho, 1e-3) == pytest.approx(2.0, rel=1e-12)


def test_default_batch_size_by_hand(monkeypatch):
    # the noise of a batch, which takes seconds, is not asked about
    monkeypatch.setattr(variance_reduction, "smallest_sampled_gaussian_scale", lambda *_, **__: 1.0)
    # 1000 * 1 / sqrt(25 * log(1e4)) = 65.9
    for epsilon, expected in ((1.0, 66), (50.0, 1000), (1e-6, 1)):
        claim = {"epsilon": epsilon, "delta": 1e-4, "n_epochs": 5, "n_inner": 5}
        assert constants_for(Logistic(), n=1000, **claim).batch_size == expected


@pytest.mark.parametrize(("form", "factor"), [(printed, 1.0), (printed_remark, math.log(200))])
def test_printed_noise_by_hand(form, factor):
    """(3.3) with c = 8, G = 1, T m = 6: one record a step; Remark 3.1.1: log(T/delta) times it."""
    ledger = RecordingLedger(0)
    run(problem(), form=form, ledger=ledger)
    release = ledger.transcript.releases[0]
    assert release.claim.sample is not None
    assert release.claim.sample.size == 1
    assert release.claim.sensitivity == pytest.approx(4 + 2 / 40, rel=1e-15)
    expected = factor * math.sqrt(8 * 6 * math.log(100)) / 40
    assert release.mechanism.scale == pytest.approx(expected, rel=1e-12)
    assert ledger.spent(delta=1e-2).epsilon > 1.3


# --------------------------------------------------------------------------- the algorithm


def test_two_noiseless_steps_by_hand():
    """Linear loss, gradient (.6, .8)/2 everywhere; prox divides by 2; the mean of two iterates."""
    data = (np.array([[0.6, 0.8], [0.0, 0.0]]), np.ones(2))
    x = run(
        data,
        Linear(),
        Ridge(1.0),
        n_epochs=1,
        n_inner=2,
        constants=prescribed(2, 1.0),
        ledger=NoiselessLedger(0),
    )
    # x_1 = -(.3, .4)/2, x_2 = (x_1 - (.3, .4))/2
    np.testing.assert_allclose(x, [-(0.15 + 0.225) / 2, -(0.2 + 0.3) / 2], rtol=1e-15)


def plain_svrg(data, batches, *, epochs, inner, eta, mu, start):
    """Prox-SVRG with given batches, written out for the logistic loss."""
    features, labels = data

    def gradient(x, rows):
        margin = labels[rows] * (features[rows] @ x)
        return -(labels[rows] / (1 + np.exp(margin))) @ features[rows] / len(rows)

    everybody = np.arange(len(labels))
    snapshot = np.array(start)
    for _ in range(epochs):
        x, iterates = snapshot, []
        for _ in range(inner):
            rows = next(batches)
            v = gradient(x, rows) - gradient(snapshot, rows) + gradient(snapshot, everybody)
            x = (x - eta * v) / (1 + eta * mu)
            iterates.append(x)
        snapshot = np.mean(iterates, axis=0)
    return snapshot


@pytest.mark.parametrize("batch_size", [7, 40])
def test_noiseless_run_is_prox_svrg(batch_size):
    data, start = problem(), np.array([1.0, -2.0, 0.5])
    ledger = NoiselessLedger(4)
    x = run(data, initial=start, constants=batches_of(batch_size), ledger=ledger)
    samples = [release.claim.sample for release in ledger.transcript.releases]
    batches = (np.arange(40) if sample is None else sample.indices for sample in samples)
    expected = plain_svrg(data, batches, epochs=2, inner=3, eta=1 / 12, mu=0.1, start=start)
    np.testing.assert_allclose(x, expected, rtol=1e-12)


@pytest.mark.parametrize("batch_size", [200, 1])
def test_noiseless_limit_is_the_optimum(batch_size):
    """Ridge-regularised logistic regression agrees with scikit-learn to 1e-6."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    data = problem(n=200)
    x = run(
        data,
        regularizer=Ridge(0.1),
        n_epochs=12,
        n_inner=200,
        constants=prescribed(batch_size, 1.0),
        ledger=NoiselessLedger(0),
    )
    model = linear_model.LogisticRegression(C=1 / (200 * 0.1), fit_intercept=False, tol=1e-12)
    np.testing.assert_allclose(x, model.fit(*data).coef_[0], atol=1e-6)
