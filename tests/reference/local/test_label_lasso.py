"""False alarms: two statistical tests, each with probability below 1e-6."""

import math

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import Lasso

from reference.local import label_noise
from reference.local.label_lasso import Constants, constants_for, label_lasso
from reference.local.lasso import duality_gap, lasso
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger

GIVEN = {"epsilon": 1.0, "delta": 1e-5, "sparsity": 1, "noise_bound": 0.5}


def drawn(n, p, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    theta = np.zeros(p)
    theta[:3] = 0.5, -0.4, 0.3
    features = rng.choice([-1.0, 1.0], size=(n, p))
    return features, features @ theta + noise * rng.standard_normal(n)


def run(data, **options):
    return label_lasso(data, **{**GIVEN, **options})


def objective(theta, features, labels, penalty):
    return (
        np.sum((labels - features @ theta) ** 2) / (2 * len(labels)) + penalty * np.abs(theta).sum()
    )


# ------------------------------------------------------------------------------------ the solver


@pytest.mark.parametrize(("n", "p"), [(1, 3), (30, 5), (200, 40), (40, 120)])
@pytest.mark.parametrize("penalty", [0.01, 0.1, 0.3])
def test_the_solver_agrees_with_scikit_learn(n, p, penalty):
    features, labels = drawn(n, p)
    found = lasso(features, labels, penalty=penalty).theta
    other = Lasso(alpha=penalty, fit_intercept=False, tol=1e-14, max_iter=10**6)
    other.fit(features, labels)
    mine, theirs = (objective(t, features, labels, penalty) for t in (found, other.coef_))
    assert mine == pytest.approx(theirs, rel=1e-10)
    if n > p:  # else there may be several
        assert np.allclose(found, other.coef_, atol=1e-6)
        assert np.array_equal(found != 0, other.coef_ != 0)


def test_one_coefficient_by_hand():
    # (1/2)(2 - theta)^2 + .5 |theta|: 1.5; and 0 from the penalty 2 on
    assert lasso([[1.0]], [2.0], penalty=0.5).theta == pytest.approx([1.5])
    assert lasso([[1.0]], [-2.0], penalty=0.5).theta == pytest.approx([-1.5])
    assert lasso([[1.0]], [2.0], penalty=2.0).theta == [0.0]
    # (1/2)(2 - 2 theta)^2 + .5 |theta|
    assert lasso([[2.0]], [2.0], penalty=0.5).theta == pytest.approx([0.875])
    # a column of zeros, and no label at all
    assert lasso([[1.0, 0.0]], [2.0], penalty=0.5).theta == pytest.approx([1.5, 0.0])
    assert lasso([[1.0, 1.0]], [0.0], penalty=0.5).theta.tolist() == [0.0, 0.0]


def test_the_gap_bounds_the_excess_and_vanishes_at_the_minimum():
    features, labels = drawn(50, 8)
    best = lasso(features, labels, penalty=0.1, tolerance=1e-14).theta
    least = objective(best, features, labels, 0.1)
    assert duality_gap(best, features, labels, 0.1) <= 1e-14 * labels @ labels
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1e-1, 1.0, 10.0):
        other = best + scale * rng.standard_normal(8)
        excess = objective(other, features, labels, 0.1) - least
        assert 0 < excess <= duality_gap(other, features, labels, 0.1)
    # at 0 the excess is the whole fit
    assert (
        duality_gap(np.zeros(8), features, labels, 0.1)
        >= objective(np.zeros(8), features, labels, 0.1) - least
    )


def test_a_solver_that_runs_out_of_iterations_gives_its_best_point_and_the_gap():
    features, labels = drawn(40, 120)
    best = lasso(features, labels, penalty=0.01)
    for passes in (1, 2, 70):
        found = lasso(features, labels, penalty=0.01, max_iterations=passes)
        assert found.n_iterations == passes
        assert found.gap == duality_gap(found.theta, features, labels, 0.01)
        excess, least = (objective(m.theta, features, labels, 0.01) for m in (found, best))
        assert 1e-12 < excess - least <= found.gap


def nearly_equal_columns(seed, n=5_000, p=20):
    rng = np.random.default_rng(seed)
    z = rng.uniform(-1, 1, (n, 1))
    features = np.clip(z + 0.005 * rng.standard_normal((n, p)), -1, 1)
    return features, 0.5 * z[:, 0] + rng.uniform(-0.1, 0.1, n)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penalty": 0.0}, "penalty must be"),
        ({"tolerance": 0.0}, "tolerance must be"),
        ({"max_iterations": 0}, "max_iterations must be"),
        ({"features": [[math.nan]]}, "features must be finite"),
        ({"labels": [1.0, 2.0]}, "labels must have shape"),
    ],
)
def test_the_solver_refuses_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        lasso(**{"features": [[1.0]], "labels": [1.0], "penalty": 0.1, **change})


# --------------------------------------------------------------------------------- the algorithm


def test_the_constants_by_hand():
    # s* = 4, C = .5: Y = 2.5; lambda = 2 sqrt(.25 + tau^2) sqrt(2 log(40)/100)
    found = constants_for(n=100, dimension=20, epsilon=1.0, delta=1e-5, sparsity=4, noise_bound=0.5)
    noise = label_noise.constants_for(epsilon=1.0, delta=1e-5, sparsity=4, noise_bound=0.5)
    assert (found.truncation_level, found.noise_scale) == (2.5, noise.noise_scale)
    whole = 2 * math.sqrt(0.25 + noise.noise_scale**2) * math.sqrt(2 * math.log(40) / 100)
    assert found.penalty == pytest.approx(whole)


def test_how_often_half_the_penalty_is_more_than_all_of_the_noise():
    # the docstring's bound, and independent normals, which signs with Gaussian noise nearly are
    for p in (1, 2, 16, 1000):
        most = math.sqrt(2 * math.log(2 * p))
        assert 2 * p * norm.sf(most) <= 1 / (2 * math.sqrt(math.pi * math.log(2 * p)))
    p, n = 16, 200
    constants = constants_for(
        n=n, dimension=p, epsilon=4.0, delta=1e-5, sparsity=1, noise_bound=0.0
    )
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(1_000):
        features = rng.choice([-1.0, 1.0], size=(n, p))
        noise = features.T @ (constants.noise_scale * rng.standard_normal(n)) / n
        below += np.abs(noise).max() <= constants.penalty / 2
    # .873 for independent normals; five standard errors are .053
    expected = (1 - 2 * norm.sf(math.sqrt(2 * math.log(32)))) ** 16
    assert below / 1_000 == pytest.approx(expected, abs=0.053)


def test_without_noise_it_is_the_lasso_on_what_is_cut():
    features, labels = drawn(80, 6)
    features[0], labels[1] = 7.0, 1e300
    constants = Constants(truncation_level=1.2, noise_scale=1.0, penalty=0.05)
    found = run((features, labels), constants=constants, ledger=NoiselessLedger()).theta
    cut = np.clip(features, -1, 1), np.clip(labels, -1.2, 1.2)
    other = Lasso(alpha=0.05, fit_intercept=False, tol=1e-14, max_iter=10**6).fit(*cut)
    assert np.allclose(found, other.coef_, atol=1e-6)


def found_and_gap(data):
    """Run the algorithm; return its result and the gap on the noisy labels that it released."""
    ledger = RecordingLedger(0)
    constants = Constants(truncation_level=1.5, noise_scale=0.5, penalty=1e-4)
    found = run(data, constants=constants, ledger=ledger)
    (release,) = ledger.transcript.releases
    enough = 1e-12 * release.output @ release.output / (2 * len(release.output))
    return found, duality_gap(found.theta, data[0], release.output, 1e-4), enough


def test_the_gap_is_that_of_the_noisy_labels():
    found, gap, enough = found_and_gap(drawn(60, 5))
    assert 0 < found.gap <= enough
    assert found.gap == gap


def test_if_the_passes_run_out_the_gap_says_so(monkeypatch):
    monkeypatch.setattr("reference.local.lasso.MOST_UPDATES", 60 * 20)
    found, gap, enough = found_and_gap(nearly_equal_columns(0))
    assert found.n_iterations == 60
    assert np.isfinite(found.theta).all()
    assert 1e3 * enough < found.gap < math.inf
    assert found.gap == gap


def test_the_error_is_of_the_order_of_the_penalty():
    theta = np.zeros(16)
    theta[4] = 0.9
    rng = np.random.default_rng(0)
    features = rng.choice([-1.0, 1.0], size=(50_000, 16))
    data = features, features @ theta
    options = {"epsilon": 4.0, "noise_bound": 0.0}
    lam = constants_for(n=50_000, dimension=16, **{**GIVEN, **options}).penalty
    found = run(data, **options, ledger=Ledger(0)).theta
    # lambda and the noise, which is lambda/2 at most but with probability 1e-6 it is twice that
    assert 0.0 < np.linalg.norm(found - theta) <= 2 * lam
    assert np.flatnonzero(found).tolist() == [4]
