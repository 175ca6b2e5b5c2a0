"""Baselines of the heavy-tailed family: without privacy, and with naive clipping."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from reference.constraint_sets import L1Ball, L2Ball, Polytope, SparseVectors, frank_wolfe_gap
from reference.heavy_tailed.baselines import (
    clipped_gradient_descent,
    frank_wolfe,
    projected_gradient_descent,
    robust_gradient_descent,
    stochastic_robust_gradient_descent,
)
from reference.heavy_tailed.known_variance_gradient_descent import known_variance_gradient_descent
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.losses import (
    Biweight,
    Linear,
    Logistic,
    RidgeRegularized,
    SquaredDistance,
    SquaredError,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_mu, zcdp_rho

pytestmark = pytest.mark.filterwarnings("error")

RNG = np.random.default_rng(0)
FEATURES = RNG.standard_normal((60, 3))
LABELS = FEATURES @ [1.0, -0.5, 0.2] + RNG.standard_normal(60)
DATA = (FEATURES, LABELS)
START = np.array([0.2, 0.1, -0.1])
LEAST_SQUARES = np.linalg.lstsq(FEATURES, LABELS, rcond=None)[0]
ROBUST: dict[str, Any] = {"second_moment": 4.0, "failure_probability": 0.01, "initial": START}


def descend(data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "loss": SquaredError(),
        "constraint": L2Ball(5.0),
        "initial": START,
        "step_size": 0.1,
        "n_iterations": 5,
    }
    return projected_gradient_descent(data, **{**arguments, **changes})


def clipped(data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "loss": SquaredError(),
        "constraint": L2Ball(5.0),
        "clipping_threshold": 1.5,
        "initial": START,
        "step_size": 0.1,
        "n_iterations": 3,
        "epsilon": 1.0,
        "delta": 1e-5,
        "ledger": Ledger(1),
    }
    return clipped_gradient_descent(data, **{**arguments, **changes})


# ------------------------------------------------------------------- robust gradient descent


def test_robust_gradient_descent_written_out() -> None:
    s, w = math.sqrt(60 * 4 / (2 * math.log(100))), START
    for _ in range(4):
        gradients = 2 * (FEATURES @ w - LABELS)[:, None] * FEATURES
        robust = smoothed_truncation(gradients, scale=s, precision=math.log(100)).mean(axis=0)
        w = w - 0.2 * robust
        w = w * min(1.0, 0.8 / float(np.linalg.norm(w)))
    found = robust_gradient_descent(
        DATA, SquaredError(), L2Ball(0.8), **ROBUST, step_size=0.2, n_iterations=4
    )
    np.testing.assert_allclose(found, w, rtol=1e-12)


def test_they_are_the_private_algorithms_with_no_noise_drawn() -> None:
    zero = np.zeros(3)
    arguments = (DATA, SquaredError(), L2Ball(5.0))
    full = {**ROBUST, "step_size": 0.2, "n_iterations": 3}
    ledger = GivenDrawsLedger([zero] * 3)
    private = known_variance_gradient_descent(
        *arguments, **full, epsilon=0.1, delta=1e-5, ledger=ledger
    )
    np.testing.assert_array_equal(robust_gradient_descent(*arguments, **full), private)
    one_pass = {**ROBUST, "step_size": 0.2, "batch_size": 20}
    ledger = GivenDrawsLedger([zero] * 3)
    private = stochastic_gradient_descent(
        *arguments, **one_pass, epsilon=0.1, delta=1e-5, ledger=ledger
    )
    np.testing.assert_array_equal(
        stochastic_robust_gradient_descent(*arguments, **one_pass), private
    )
    # step sizes 1/sqrt(t) by default
    del one_pass["step_size"]
    np.testing.assert_array_equal(
        stochastic_robust_gradient_descent(*arguments, **one_pass),
        stochastic_robust_gradient_descent(*arguments, **one_pass, step_size=1.0),
    )


def test_contamination_moves_least_squares_and_not_the_robust_fit() -> None:
    """5 of 2000 labels are 1e4. The data are fixed: the errors are 17 and 0.008."""
    rng = np.random.default_rng(1)
    features = rng.standard_normal((2000, 3))
    truth = np.array([1.0, -0.5, 0.2])
    labels = features @ truth + 0.5 * rng.standard_normal(2000)
    labels[:5] = 1e4
    given: dict[str, Any] = {"initial": np.zeros(3), "step_size": 0.3, "n_iterations": 30}
    arguments = ((features, labels), SquaredError(), L2Ball(1e3))
    plain = projected_gradient_descent(*arguments, **given)
    robust = robust_gradient_descent(
        *arguments, **given, second_moment=2.0, failure_probability=0.01
    )
    assert np.linalg.norm(plain - truth) > 10
    assert np.linalg.norm(robust - truth) < 0.02


# ------------------------------------------------------------------------ gradient descent


def test_projected_gradient_descent_converges_to_least_squares() -> None:
    np.testing.assert_allclose(descend(n_iterations=300), LEAST_SQUARES, rtol=1e-10)


def test_projected_gradient_descent_on_a_ball_solves_the_constrained_problem() -> None:
    radius = 0.5
    solution = minimize(
        lambda w: float(((FEATURES @ w - LABELS) ** 2).mean()),
        np.zeros(3),
        constraints={"type": "ineq", "fun": lambda w: radius**2 - float(w @ w)},
        tol=1e-12,
    ).x
    found = descend(constraint=L2Ball(radius), n_iterations=300)
    np.testing.assert_allclose(found, solution, atol=1e-5)


def test_iterative_hard_thresholding() -> None:
    """On a 2-sparse truth without noise it recovers it; every iterate is 2-sparse."""
    truth = np.array([1.0, 0.0, -2.0])
    data = (FEATURES, FEATURES @ truth)
    given = {"constraint": SparseVectors(2), "initial": np.zeros(3), "step_size": 0.3}
    np.testing.assert_allclose(descend(data, **given, n_iterations=100), truth, atol=1e-9)
    assert np.count_nonzero(descend(**given, n_iterations=1)) == 2


# ----------------------------------------------------------------------------- Frank-Wolfe


def test_first_steps_of_frank_wolfe() -> None:
    """Steps 2/3 and 2/4 towards -R sign(g_j) e_j."""
    w = np.zeros(3)
    for step in (2 / 3, 1 / 2):
        gradient = 2 * FEATURES.T @ (FEATURES @ w - LABELS) / 60
        j = int(np.abs(gradient).argmax())
        vertex = np.zeros(3)
        vertex[j] = -0.6 * np.sign(gradient[j])
        w = (1 - step) * w + step * vertex
    found = frank_wolfe(DATA, SquaredError(), L1Ball(0.6), initial=np.zeros(3), n_iterations=2)
    np.testing.assert_allclose(found, w, rtol=1e-12)


@pytest.mark.parametrize("constraint", [L1Ball(0.6), Polytope(np.eye(3))])
def test_frank_wolfe_closes_the_gap(constraint: Any) -> None:
    start = constraint.vertex(0, 3)
    w = frank_wolfe(DATA, SquaredError(), constraint, initial=start, n_iterations=3000)
    assert constraint.contains(w)
    gradient = 2 * FEATURES.T @ (FEATURES @ w - LABELS) / 60
    before = 2 * FEATURES.T @ (FEATURES @ start - LABELS) / 60
    assert frank_wolfe_gap(constraint, start, before) > 0.1
    assert frank_wolfe_gap(constraint, w, gradient) < 5e-3


# ------------------------------------------------------------------- clipped, with privacy


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_clipping_spends_exactly_what_is_claimed(epsilon: float) -> None:
    ledger = RecordingLedger(0)
    clipped(ledger=ledger, epsilon=epsilon)
    releases = ledger.transcript.releases
    assert [release.claim.sensitivity for release in releases] == pytest.approx([2 * 1.5 / 60] * 3)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(epsilon, rel=1e-9)
    ledger = RecordingLedger(0)
    clipped(ledger=ledger, epsilon=epsilon, method="zcdp")
    rho = sum(
        r.claim.sensitivity**2 / (2 * r.mechanism.scale**2) for r in ledger.transcript.releases
    )
    assert rho == pytest.approx(zcdp_rho(epsilon, 1e-5), rel=1e-12)


def test_a_record_moves_a_clipped_gradient_by_the_claimed_sensitivity() -> None:
    values = []
    for label in (1e8, -1e8):
        ledger = RecordingLedger(0)
        clipped((FEATURES, np.append(LABELS[:-1], label)), ledger=ledger)
        values.append(ledger.transcript.releases[0])
    distance = float(np.linalg.norm(values[0].value - values[1].value))
    assert distance == pytest.approx(values[0].claim.sensitivity, rel=1e-12)


def test_clipped_gradient_descent_written_out() -> None:
    w = START
    for _ in range(3):
        gradients = 2 * (FEATURES @ w - LABELS)[:, None] * FEATURES
        norms = np.linalg.norm(gradients, axis=1, keepdims=True)
        assert (norms > 1.5).any()
        assert (norms < 1.5).any()
        w = w - 0.1 * (gradients * np.minimum(1.0, 1.5 / norms)).mean(axis=0)
        w = w * min(1.0, 0.4 / float(np.linalg.norm(w)))
    found = clipped(constraint=L2Ball(0.4), ledger=NoiselessLedger())
    np.testing.assert_allclose(found, w, rtol=1e-12)


def test_a_threshold_out_of_reach_is_gradient_descent() -> None:
    found = clipped(clipping_threshold=1e6, n_iterations=300, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, LEAST_SQUARES, rtol=1e-10)


def test_clipping_noise_enters_every_step_and_coordinate() -> None:
    scale = 2 * 1.5 / 60 * math.sqrt(3) / gaussian_dp_mu(1.0, 1e-5)
    zero, one = np.zeros(3), np.array([1.0, -2.0, 0.5])
    quiet = clipped(ledger=GivenDrawsLedger([zero, zero, zero]))
    loud = clipped(ledger=GivenDrawsLedger([zero, zero, one]))
    np.testing.assert_allclose(loud - quiet, -0.1 * scale * one, rtol=1e-9)
    for draws in ([one, zero, zero], [zero, one, zero]):
        assert np.abs(clipped(ledger=GivenDrawsLedger(draws)) - quiet).max() > 0.01


# --------------------------------------------------------------------------- all of them

LOSSES = [
    SquaredError(),
    Biweight(),
    Logistic(feature_bound=math.inf),
    Linear(feature_bound=math.inf),
    RidgeRegularized(SquaredError(), 1.0),
    SquaredDistance(),
]


def every_baseline(data: Any, loss: Any) -> dict[str, np.ndarray]:
    arguments = (data, loss, L2Ball(5.0))
    steps: dict[str, Any] = {"step_size": 0.5, "n_iterations": 3}
    return {
        "rgd": robust_gradient_descent(*arguments, **ROBUST, **steps),
        "stochastic rgd": stochastic_robust_gradient_descent(*arguments, **ROBUST, batch_size=20),
        "pgd": descend(data, loss=loss, **steps),
        "pgd, l1": descend(data, loss=loss, constraint=L1Ball(5.0), **steps),
        "iht": descend(
            data, loss=loss, constraint=SparseVectors(2), initial=[0.2, 0.0, 0.1], **steps
        ),
        "fw": frank_wolfe(data, loss, L1Ball(5.0), initial=START, n_iterations=3),
        "clipped": clipped(data, loss=loss, **steps),
    }


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_no_record_makes_them_overflow(loss: Any) -> None:
    signed = isinstance(loss, (Logistic, Linear))
    for first in (1e308, -1e308, 1e300, 5e-324, 0.0):
        for second in (1e308, 5e-324, -1.0):
            features = FEATURES.copy()
            labels = np.where(LABELS > 0, 1.0, -1.0) if signed else LABELS.copy()
            features[7] = (first, second, first)
            features[8] = second
            if not signed:
                labels[7] = second
            data: Any = features if isinstance(loss, SquaredDistance) else (features, labels)
            for name, found in every_baseline(data, loss).items():
                assert found.shape == (3,), name
                assert np.isfinite(found).all(), name


def test_no_record_moves_a_clipped_gradient_beyond_the_claim() -> None:
    clean = RecordingLedger(0)
    clipped(ledger=clean)
    for entry in (1e308, -1e308, 1e200, 5e-324):
        features, labels = FEATURES.copy(), LABELS.copy()
        features[7], labels[7] = (entry, entry, 1.0), entry
        ledger = RecordingLedger(0)
        clipped((features, labels), ledger=ledger)
        mine, theirs = (side.transcript.releases[0] for side in (clean, ledger))
        assert np.linalg.norm(mine.value - theirs.value) <= mine.claim.sensitivity * (1 + 1e-12)


def test_records_may_be_permuted() -> None:
    """All but the stochastic one, whose batches are consecutive."""
    order = np.random.default_rng(5).permutation(60)
    permuted = every_baseline((FEATURES[order], LABELS[order]), SquaredError())
    for name, found in every_baseline(DATA, SquaredError()).items():
        if name != "stochastic rgd":
            np.testing.assert_allclose(permuted[name], found, rtol=1e-9, err_msg=name)


def test_input_is_not_changed() -> None:
    features, labels, start = FEATURES.copy(), LABELS.copy(), START.copy()
    every_baseline(DATA, SquaredError())
    np.testing.assert_array_equal(features, FEATURES)
    np.testing.assert_array_equal(labels, LABELS)
    np.testing.assert_array_equal(start, START)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clipping_threshold": 0.0}, "clipping_threshold must be a finite number > 0, got 0.0"),
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0, got 0.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"step_size": -1.0}, "step_size must be a finite number > 0, got -1.0"),
        ({"n_iterations": 0}, "n_iterations must be an integer >= 1, got 0"),
        ({"initial": [9.0, 0.0, 0.0]}, "initial must lie in the constraint set"),
        ({"initial": [0.0]}, r"features must have shape \('any', 1\), got \(60, 3\)"),
    ],
)
def test_bad_values_are_refused_before_any_release(changes: dict[str, Any], message: str) -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match=message):
        clipped(ledger=ledger, **changes)
    assert not ledger.transcript.entries


def test_bad_values_of_the_others() -> None:
    with pytest.raises(ValueError, match=r"step_size must be a finite number > 0, got 0\.0"):
        descend(step_size=0.0)
    with pytest.raises(ValueError, match="n_iterations must be an integer >= 1, got 0"):
        descend(n_iterations=0)
    with pytest.raises(ValueError, match="initial must lie in the constraint set"):
        descend(initial=[9.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="initial must lie in the constraint set"):
        frank_wolfe(DATA, SquaredError(), L1Ball(1.0), initial=[1.0, 1.0, 0.0], n_iterations=1)
    with pytest.raises(ValueError, match="n_iterations must be an integer >= 1, got 0"):
        frank_wolfe(DATA, SquaredError(), L1Ball(1.0), initial=START, n_iterations=0)
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        clipped(ledger=5)
