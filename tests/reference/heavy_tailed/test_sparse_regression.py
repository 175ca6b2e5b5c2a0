"""Shrunken data, gradient steps and noisy hard thresholding (hu-3)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.errata.heavy_tailed.sparse_regression import printed
from reference.heavy_tailed.sparse_regression import (
    heavy_tailed_sparse_regression,
    theorem_truncation_level,
)
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.ledger import MutatedLedger

Data = tuple[np.ndarray, np.ndarray]
TRUTH = np.array([0.0, 0.6, 0.0, -0.4, 0.0])


def problem(n: int = 62, seed: int = 0, noise: float = 0.3) -> Data:
    rng = np.random.default_rng(seed)
    features = rng.standard_t(5, (n, 5))
    return features, features @ TRUTH + noise * rng.standard_t(5, n)


DATA = problem()


def estimate(
    data: Any = DATA, function: Any = heavy_tailed_sparse_regression, **changes: Any
) -> np.ndarray:
    arguments: dict[str, Any] = {
        "sparsity": 2,
        "truncation_level": 2.0,
        "epsilon": 0.9,
        "delta": 1e-5,
        "n_iterations": 3,
        "step_size": 0.4,
        "ledger": Ledger(1),
    }
    return function(data, **{**arguments, **changes})


def releases(data: Any = DATA, **changes: Any) -> Any:
    ledger = RecordingLedger(1)
    estimate(data, **{"ledger": ledger, **changes})
    return ledger.transcript.releases


def test_truncation_of_theorem_7() -> None:
    """(n epsilon)^(1/4) (s T)^(-1/4)."""
    level = theorem_truncation_level
    assert level(240_000, 1.0, sparsity=3, n_iterations=8) == pytest.approx(10.0)
    base = level(1000, 0.5, sparsity=2, n_iterations=5)
    assert level(16_000, 0.5, sparsity=2, n_iterations=5) == pytest.approx(2 * base)
    assert level(1000, 8.0, sparsity=2, n_iterations=5) == pytest.approx(2 * base)
    assert level(1000, 0.5, sparsity=32, n_iterations=5) == pytest.approx(base / 2)
    assert level(1000, 0.5, sparsity=2, n_iterations=80) == pytest.approx(base / 2)
    with pytest.raises(ValueError, match="epsilon must be a finite number > 0, got 0"):
        level(10, 0, sparsity=1, n_iterations=1)


def test_claimed_sensitivity_by_hand() -> None:
    """2 K^2 eta (sqrt(s) + 1)/m with K = 2, eta = .4, s = 2; printed sqrt(s + 1)."""
    # 62 records in three batches: m = 20
    (claimed,) = {release.claim.sensitivity for release in releases()}
    assert claimed == pytest.approx(2 * 4 * 0.4 * (math.sqrt(2) + 1) / 20, rel=1e-15)
    (claimed,) = {release.claim.sensitivity for release in releases(function=printed)}
    assert claimed == pytest.approx(2 * 4 * 0.4 * math.sqrt(3) / 20, rel=1e-15)


@pytest.mark.parametrize(("s", "ratio"), [(1, 1.4142), (4, 1.3416), (9, 1.2649), (16, 1.2127)])
def test_the_sensitivity_is_attained_and_exceeds_the_printed_one(s: int, ratio: float) -> None:
    w = np.append(np.full(s, 1 / math.sqrt(s)), 0.0)
    features, labels = np.full((2, s + 1), 2.0), np.full(2, -2.0)
    other = features.copy()
    other[0, s] = -2.0
    options: dict[str, Any] = {"sparsity": s, "n_iterations": 1, "initial": w}
    first, second = (
        releases((x, labels), function=printed, **options)[0] for x in (features, other)
    )
    # |v_d| goes from eta K^2 (sqrt(s) + 1) to 0
    distance = abs(first.value[s] - second.value[s])
    assert distance == pytest.approx(releases((features, labels), **options)[0].claim.sensitivity)
    assert distance / first.claim.sensitivity == pytest.approx(ratio, abs=5e-5)


@pytest.mark.parametrize("delta", [0.09, 1e-2, 1e-5])
@pytest.mark.parametrize("s", [1, 2, 4, 9, 25])
def test_the_printed_noise_meets_the_claim_all_the_same(s: int, delta: float) -> None:
    """At its true sensitivity, the run with the printed scale spends less than epsilon = .99."""
    understated = (math.sqrt(s) + 1) / math.sqrt(s + 1)
    ledger = MutatedLedger(Ledger(0), lambda _, m, value, claim: (m, value, claim * understated))
    data = (np.ones((2, s + 1)), np.ones(2))
    options: dict[str, Any] = {"sparsity": s, "n_iterations": 1, "function": printed}
    estimate(data, epsilon=0.99, delta=delta, ledger=ledger, **options)
    assert ledger.spent(delta=delta).epsilon < 0.85 * 0.99


def test_two_noiseless_steps_by_hand() -> None:
    """K = 2 shrinks (8, 1), -5 to (2, 1), -2; w = (.5, 0) then stays on the first coordinate."""
    features = np.array([[8.0, 1.0], [1.0, -1.0]])
    labels = np.array([-5.0, 0.5])
    # first block: residual 1 + 2 = 3, step (.5, 0) - .1 (6, 3) = (-.1, -.3), keep -.3
    # second block: residual .3 - .5 = -.2, step (0, -.3) - .1 (-.2, .2) = (.02, -.32)
    found = estimate(
        (features, labels),
        sparsity=1,
        n_iterations=2,
        step_size=0.1,
        initial=[0.5, 0.0],
        ledger=NoiselessLedger(),
    )
    np.testing.assert_allclose(found, [0.0, -0.32], rtol=1e-14)


def test_an_iterate_outside_the_unit_ball_is_pulled_onto_it() -> None:
    data = (np.array([[1.0, 0.5]]), np.array([2.0]))
    found = estimate(data, n_iterations=1, step_size=3.0, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, np.array([2.0, 1.0]) / math.sqrt(5), rtol=1e-14)
    # the iterates in between too: the second block's values are those of the projected iterate
    twice = (np.array([[1.0, 0.5], [1.0, 0.0]]), np.array([2.0, 0.0]))
    found = estimate(twice, n_iterations=2, step_size=1.0, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, [0.0, 1 / math.sqrt(5)], atol=1e-14)


@pytest.mark.parametrize("n_iterations", [1, 4, 62])
def test_noiseless_run_is_iterative_hard_thresholding(n_iterations: int) -> None:
    w, m = np.zeros(5), 62 // n_iterations
    x, y = np.clip(DATA[0], -2, 2), np.clip(DATA[1], -2, 2)
    for t in range(n_iterations):
        rows = range(t * m, t * m + m)
        w = w - 0.4 / m * sum(x[i] * (x[i] @ w - y[i]) for i in rows)
        w[np.argsort(-np.abs(w))[2:]] = 0.0
        w = w / max(1.0, np.linalg.norm(w))
    found = estimate(n_iterations=n_iterations, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, w, atol=1e-13)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"truncation_level": 1e160},
            r"truncation_level must be from 1e-50 to 1e\+50",
        ),
        ({"truncation_level": 1e-170}, "truncation_level must be from 1e-50"),
        ({"sparsity": 6}, "sparsity must be an integer >= 1 and <= 5, got 6"),
        ({"n_iterations": 63}, "n_iterations must be an integer >= 1 and <= 62"),
        ({"initial": [0.1, 0.1, 0.1, 0, 0]}, "initial must have at most sparsity = 2"),
        ({"initial": [1.01, 0, 0, 0, 0]}, "initial must have .* l2 norm <= 1"),
        ({"initial": [0.5, 0]}, r"features must have shape \('any', 2\)"),
        ({"data": (DATA[0], DATA[1][:-1])}, r"labels must have shape \(62,\)"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate(**changes)
