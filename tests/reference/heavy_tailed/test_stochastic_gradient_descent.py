"""The stochastic version of robust private gradient descent (diss-RGD)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entry
from reference.constraint_sets import L2Ball, SparseVectors
from reference.heavy_tailed.known_variance_gradient_descent import constants_for
from reference.heavy_tailed.stochastic_gradient_descent import ENTRY, stochastic_gradient_descent
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.losses import Biweight, Linear, Logistic, SquaredDistance, SquaredError
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_mu, zcdp_rho

pytestmark = pytest.mark.filterwarnings("error")


def regression(n: int = 65, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.standard_t(3, (n, 2))
    return features, features @ [1.0, -0.5] + rng.standard_t(3, n)


DATA = regression()
START = np.array([0.5, 0.25])


def estimate(data: Any = DATA, **changes: Any) -> np.ndarray:
    """65 records in batches of 20: three steps, five records unused."""
    arguments: dict[str, Any] = {
        "loss": SquaredError(),
        "constraint": L2Ball(5.0),
        "second_moment": 4.0,
        "failure_probability": 0.01,
        "batch_size": 20,
        "initial": START,
        "step_size": 0.2,
        "epsilon": 1.0,
        "delta": 1e-5,
        "ledger": Ledger(1),
    }
    return stochastic_gradient_descent(data, **{**arguments, **changes})


def releases(**changes: Any) -> Any:
    ledger = RecordingLedger(0)
    estimate(ledger=ledger, **changes)
    return ledger.transcript.releases


# ------------------------------------------------------------------------------ the budget


def test_calibration_by_hand() -> None:
    # b = 20, v = 4, d = 2: s = sqrt(b v/(2 l)), D^2 = 32 s^2 d/(9 b^2), sigma = D/mu
    s = math.sqrt(20 * 4 / (2 * math.log(100)))
    squared = 32 * s**2 * 2 / (9 * 20**2)
    for release in releases():
        assert release.claim.sensitivity**2 == pytest.approx(squared, rel=1e-12)
        sigma = math.sqrt(squared) / gaussian_dp_mu(1.0, 1e-5)
        assert release.mechanism.scale == pytest.approx(sigma)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 6.0])
def test_every_batch_spends_all_of_the_budget(epsilon: float) -> None:
    """Batches are disjoint: the run costs what one of its releases does."""
    made = releases(epsilon=epsilon)
    assert [release.claim.records for release in made] == [
        slice(0, 20),
        slice(20, 40),
        slice(40, 60),
    ]
    ledger, one = Ledger(0), Ledger(0)
    estimate(ledger=ledger, epsilon=epsilon)
    estimate((DATA[0][:20], DATA[1][:20]), ledger=one, epsilon=epsilon)
    for spent in (ledger.spent(delta=1e-5).epsilon, one.spent(delta=1e-5).epsilon):
        assert spent == pytest.approx(epsilon, rel=1e-9)


def test_the_noise_by_zcdp_may_be_given() -> None:
    constants = constants_for(
        n=20, dimension=2, n_iterations=1, epsilon=1.0, delta=1e-5, second_moment=4.0,
        failure_probability=0.01, method="zcdp",
    )  # fmt: skip
    for release in releases(constants=constants):
        rho = release.claim.sensitivity**2 / (2 * release.mechanism.scale**2)
        assert rho == pytest.approx(zcdp_rho(1.0, 1e-5), rel=1e-12)


@pytest.mark.parametrize("index", [0, 19, 20, 45, 60, 64])
def test_a_record_is_read_in_its_own_batch_only(index: int) -> None:
    features, labels = DATA[0].copy(), DATA[1].copy()
    features[index], labels[index] = (1e6, -1e6), 1e12
    # the same iterates under both data sets: the loss's gradient does not depend on them
    linear = Linear(feature_bound=math.inf)
    signs = np.ones(65)
    values = [
        [release.value for release in releases(data=data, loss=linear)]
        for data in ((DATA[0], signs), (features, signs))
    ]
    for batch, (mine, theirs) in enumerate(zip(*values, strict=True)):
        assert np.array_equal(mine, theirs) == (batch != index // 20)


def test_a_record_moves_its_release_by_the_exact_sensitivity() -> None:
    s = math.sqrt(20 * 4 / (2 * math.log(100)))
    exact = 2 * math.sqrt(2) * truncation_bound(scale=s, precision=math.log(100)) / 20
    values = []
    for label in (1e12, -1e12):
        features, labels = DATA[0].copy(), DATA[1].copy()
        features[5], labels[5] = (1e6, 1e6), label
        values.append(releases(data=(features, labels))[0].value)
    distance = float(np.linalg.norm(values[0] - values[1]))
    assert distance == pytest.approx(exact, rel=1e-9)
    assert exact == pytest.approx(0.9681 * releases()[0].claim.sensitivity, rel=1e-4)


# ------------------------------------------------------------------------- the algorithm


def test_noiseless_run_written_out() -> None:
    """Steps 0.2/sqrt(t), a projection, and the average of w^1, w^2, w^3, without w^0."""
    s, w, iterates = math.sqrt(20 * 4 / (2 * math.log(100))), START, []
    for t in (1, 2, 3):
        features, labels = (part[20 * (t - 1) : 20 * t] for part in DATA)
        gradients = 2 * (features @ w - labels)[:, None] * features
        robust = smoothed_truncation(gradients, scale=s, precision=math.log(100)).mean(axis=0)
        w = w - 0.2 / math.sqrt(t) * robust
        w = w * min(1.0, 0.7 / float(np.linalg.norm(w)))
        iterates.append(w)
    norms = [float(np.linalg.norm(w)) for w in iterates]
    assert max(norms) == pytest.approx(0.7)  # the projection matters
    found = estimate(constraint=L2Ball(0.7), ledger=NoiselessLedger())
    np.testing.assert_allclose(found, np.mean(iterates, axis=0), rtol=1e-12)


def test_noise_of_a_step_is_averaged_with_the_others() -> None:
    """A draw in step t moves all iterates from t on by 0.2/sqrt(t) sigma: (4 - t)/3 of it."""
    linear, zero, one = Linear(feature_bound=math.inf), np.zeros(2), np.array([1.0, -2.0])
    data = (DATA[0], np.ones(65))
    given = {"loss": linear, "constraint": L2Ball(1e3)}
    sigma = releases()[0].mechanism.scale
    quiet = estimate(data, ledger=GivenDrawsLedger([zero] * 3), **given)
    for t in (1, 2, 3):
        draws = [one if step == t else zero for step in (1, 2, 3)]
        loud = estimate(data, ledger=GivenDrawsLedger(draws), **given)
        expected = -0.2 / math.sqrt(t) * sigma * (4 - t) / 3 * one
        np.testing.assert_allclose(loud - quiet, expected, rtol=1e-9)


def test_batches_have_exactly_the_given_size() -> None:
    """7 of 65 records: 9 batches, and not 9 larger ones that use the remainder as well."""
    made = releases(batch_size=7)
    assert [release.claim.records for release in made] == [
        slice(7 * k, 7 * k + 7) for k in range(9)
    ]
    assert len(releases(batch_size=65)) == 1
    assert len(releases(batch_size=1)) == 65


def test_without_truncation_it_is_stochastic_gradient_descent() -> None:
    w, iterates = START, []
    for t in (1, 2, 3):
        features, labels = (part[20 * (t - 1) : 20 * t] for part in DATA)
        w = w - 0.02 / math.sqrt(t) * 2 * features.T @ (features @ w - labels) / 20
        iterates.append(w)
    found = estimate(second_moment=1e18, step_size=0.02, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, np.mean(iterates, axis=0), rtol=1e-9)


def test_the_mean_of_heavy_tailed_records_is_found() -> None:
    """||x - w||^2 on 200 000 records of 1 + t_3: the average of ten steps is near the mean.

    With eta = 1/2, w^t is w* + (1 - t^(-1/2)) of the last error + t^(-1/2) of a gradient's: no
    iterate's noise, nor that of their average, has a standard deviation above 0.122/2 per
    coordinate. Bias and spread are below 0.15: P(0.061 |N(0, I_2)| > 0.55) = exp(-9^2/2) = 3e-18.
    """
    data = 1 + np.random.default_rng(0).standard_t(3, size=(200_000, 2))
    given: dict[str, Any] = {
        "loss": SquaredDistance(),
        "second_moment": 28.0,
        "batch_size": 20_000,
        "initial": [-3.0, 3.0],
        "step_size": 0.5,
    }
    assert releases(data=data, **given)[0].mechanism.scale == pytest.approx(0.122, abs=0.001)
    assert float(np.linalg.norm(estimate(data, **given) - 1)) < 0.7


# ------------------------------------------------------------------------------ invariances


def test_records_of_a_batch_may_be_permuted() -> None:
    rng = np.random.default_rng(5)
    order = np.concatenate([20 * k + rng.permutation(20) for k in range(3)] + [np.arange(60, 65)])
    permuted = estimate((DATA[0][order], DATA[1][order]))
    np.testing.assert_allclose(permuted, estimate(), rtol=1e-10)


def test_units_of_the_response() -> None:
    scaled = estimate(
        (DATA[0], 1024 * DATA[1]),
        initial=1024 * START,
        constraint=L2Ball(5.0 * 1024),
        second_moment=4.0 * 1024**2,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(), rtol=1e-12)


@pytest.mark.parametrize(
    "loss",
    [
        SquaredError(),
        Biweight(),
        Logistic(feature_bound=math.inf),
        Linear(feature_bound=math.inf),
        SquaredDistance(),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_no_record_makes_a_release_fail(loss: Any) -> None:
    extremes = (1e308, -1e308, 1e300, 5e-324, 0.0)
    signed = isinstance(loss, (Logistic, Linear))
    for first in extremes:
        for second in extremes:
            features = DATA[0].copy()
            labels = np.where(DATA[1] > 0, 1.0, -1.0) if signed else DATA[1].copy()
            features[[7, 33]] = (first, second)
            if not signed:
                labels[33] = first
            data: Any = features if isinstance(loss, SquaredDistance) else (features, labels)
            ledger = RecordingLedger(6)
            found = estimate(data, loss=loss, initial=[3.0, -2.0], ledger=ledger)
            assert np.isfinite(found).all()
            # no coordinate of a mean is beyond the truncation's bound
            for release in ledger.transcript.releases:
                assert np.abs(release.value).max() <= 20 * release.claim.sensitivity / math.sqrt(8)


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0, got 0.0"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"second_moment": -1.0}, "second_moment must be a finite number > 0, got -1.0"),
        ({"failure_probability": 0.0}, r"failure_probability must be in \(0, 1\), got 0.0"),
        ({"step_size": 0.0}, "step_size must be a finite number > 0, got 0.0"),
        ({"batch_size": 0}, "batch_size must be an integer >= 1, got 0"),
        ({"batch_size": 66}, "batch_size must be an integer >= 1 and <= 65, got 66"),
        ({"initial": [5.0, 1.0]}, r"initial must lie in the constraint set"),
        ({"constraint": SparseVectors(2)}, r"constraint must be convex, got SparseVectors"),
        ({"initial": [0.5]}, r"features must have shape \('any', 1\), got \(65, 2\)"),
        ({"data": ([[math.nan, 0.0]], [0.0])}, "features must be finite"),
    ],
)
def test_bad_values_are_refused_before_any_release(changes: dict[str, Any], message: str) -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match=message) as caught:
        estimate(ledger=ledger, **changes)
    assert "\n" not in str(caught.value)
    assert not ledger.transcript.entries


def test_bad_types() -> None:
    with pytest.raises(TypeError, match=r"batch_size must be an integer, got 20\.0"):
        estimate(batch_size=20.0)
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        estimate(ledger=5)


def test_entry() -> None:
    assert entry("diss-RGD") is ENTRY
