"""The stochastic version of robust private gradient descent (diss-RGD)."""

import math
from typing import Any

import numpy as np
import pytest

from reference.constraint_sets import L2Ball, SparseVectors
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.losses import SquaredError
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_mu

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


def test_calibration_by_hand() -> None:
    # b = 20, v = 4, d = 2: s = sqrt(b v/(2 l)), D^2 = 32 s^2 d/(9 b^2), sigma = D/mu
    s = math.sqrt(20 * 4 / (2 * math.log(100)))
    squared = 32 * s**2 * 2 / (9 * 20**2)
    for release in releases():
        assert release.claim.sensitivity**2 == pytest.approx(squared, rel=1e-12)
        sigma = math.sqrt(squared) / gaussian_dp_mu(1.0, 1e-5)
        assert release.mechanism.scale == pytest.approx(sigma)


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch_size": 66}, "batch_size must be an integer >= 1 and <= 65, got 66"),
        ({"initial": [5.0, 1.0]}, r"initial must lie in the constraint set"),
        ({"constraint": SparseVectors(2)}, r"constraint must be convex, got SparseVectors"),
        ({"initial": [0.5]}, r"features must have shape \('any', 1\), got \(65, 2\)"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate(**changes)
