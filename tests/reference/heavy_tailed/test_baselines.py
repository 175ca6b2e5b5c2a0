"""Baselines of the heavy-tailed family: without privacy, and with naive clipping."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from auditor import Setting
from auditor.described.properties import Property, properties
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
from reference.losses import (
    SquaredError,
)
from reference.privacy import GivenDrawsLedger, Ledger, RecordingLedger

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


CLIPPED: dict[str, Any] = {
    "loss": SquaredError(),
    "constraint": L2Ball(5.0),
    "clipping_threshold": 1.5,
    "initial": START,
    "step_size": 0.1,
    "n_iterations": 3,
    "epsilon": 1.0,
    "delta": 1e-5,
}


def clipped(data: Any = DATA, **changes: Any) -> np.ndarray:
    return clipped_gradient_descent(data, **{**CLIPPED, "ledger": Ledger(1), **changes})


# ------------------------------------------------------------------- robust gradient descent


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


def test_a_record_moves_a_clipped_gradient_by_the_claimed_sensitivity() -> None:
    values = []
    for label in (1e8, -1e8):
        ledger = RecordingLedger(0)
        clipped((FEATURES, np.append(LABELS[:-1], label)), ledger=ledger)
        values.append(ledger.transcript.releases[0])
    distance = float(np.linalg.norm(values[0].value - values[1].value))
    assert distance == pytest.approx(values[0].claim.sensitivity, rel=1e-12)


def written_out(
    data: Any, constraint: L2Ball, clipping_threshold: float, n_iterations: int, **_: Any
) -> np.ndarray:
    (features, labels), w = data, START
    for _step in range(n_iterations):
        gradients = 2 * (features @ w - labels)[:, None] * features
        norms = np.linalg.norm(gradients, axis=1, keepdims=True)
        assert (norms > clipping_threshold).any()
        assert (norms < clipping_threshold).any()
        w = w - 0.1 * (gradients * np.minimum(1.0, clipping_threshold / norms)).mean(axis=0)
        w = w * min(1.0, constraint.radius / float(np.linalg.norm(w)))
    return w


USUAL = Setting(
    "usual",
    "Some gradients are clipped, and iterates are projected.",
    {"data": DATA, **CLIPPED, "constraint": L2Ball(0.25)},
    noiseless=written_out,
)


@pytest.mark.parametrize("it", properties(clipped_gradient_descent, [USUAL]), ids=str)
def test_properties_of_clipped_gradient_descent(it: Property) -> None:
    assert it.wrong() == ""


# --------------------------------------------------------------------------- all of them


@pytest.mark.parametrize("size", [1e308, 1e300, 5e-324])
def test_no_record_makes_them_overflow(size: float) -> None:
    features, labels = FEATURES.copy(), LABELS.copy()
    features[7], features[8], labels[7] = (size, -size, size), -size, size
    arguments = ((features, labels), SquaredError(), L2Ball(5.0))
    for found in (
        robust_gradient_descent(*arguments, **ROBUST, step_size=0.5, n_iterations=3),
        stochastic_robust_gradient_descent(*arguments, **ROBUST, batch_size=20),
        descend(arguments[0]),
        descend(arguments[0], constraint=SparseVectors(2), initial=[0.2, 0.0, 0.1]),
        frank_wolfe(*arguments[:2], L1Ball(5.0), initial=START, n_iterations=3),
        clipped(arguments[0]),
    ):
        assert np.isfinite(found).all()


@pytest.mark.parametrize("bad", [{"step_size": 0.0}, {"n_iterations": 0}, {"initial": [9.0, 0, 0]}])
def test_bad_values_are_refused(bad: dict[str, Any]) -> None:
    message = f"{next(iter(bad))} must"
    for baseline in (descend, clipped):
        with pytest.raises(ValueError, match=message):
            baseline(**bad)
    if "step_size" not in bad:
        arguments = {"initial": START, "n_iterations": 1, **bad}
        with pytest.raises(ValueError, match=message):
            frank_wolfe(DATA, SquaredError(), L1Ball(1.0), **arguments)
