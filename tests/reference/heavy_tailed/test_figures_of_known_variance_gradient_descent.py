"""The figures in the witnesses of its errata, computed again."""

import math
from typing import Any

import numpy as np
import pytest

from reference.constraint_sets import L2Ball
from reference.errata.heavy_tailed.known_variance_gradient_descent import printed, printed_2
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for,
    known_variance_gradient_descent,
)
from reference.losses import Linear, SquaredError
from reference.privacy import Ledger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_epsilon, zcdp_epsilon

TRUTH = np.array([1.0, -0.5])


def regression(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.standard_t(3, (n, 2))
    return features, features @ TRUTH + rng.standard_t(3, n)


DATA = regression()


def estimate(
    data: Any = DATA, function: Any = known_variance_gradient_descent, **changes: Any
) -> np.ndarray:
    arguments: dict[str, Any] = {
        "second_moment": 4.0,
        "failure_probability": 0.01,
        "initial": [0.5, 0.25],
        "step_size": 0.1,
        "n_iterations": 3,
        "epsilon": 1.0,
        "delta": 1e-5,
        "ledger": Ledger(1),
    }
    problem = {"loss": SquaredError(), "constraint": L2Ball(5.0)}
    loss, constraint = (changes.pop(name, value) for name, value in problem.items())
    return function(data, loss, constraint, **{**arguments, **changes})


def constants(**changes: Any) -> Any:
    arguments: dict[str, Any] = {
        "epsilon": 1.0,
        "delta": 1e-5,
        "n": 60,
        "dimension": 2,
        "n_iterations": 3,
        "second_moment": 4.0,
        "failure_probability": 0.01,
    }
    return constants_for(**{**arguments, **changes})


@pytest.mark.parametrize(
    ("function", "rho", "converted", "spent", "delta_at_one"),
    [
        (None, 0.0208, 1.0, 0.716, 1.24e-8),
        (printed, 1.0, 7.786, 6.325, 0.2682),
        (printed_2, 0.1443, 2.722, 2.083, 0.00870),
    ],
)
def test_figures_of_the_erratum(
    function: Any, rho: float, converted: float, spent: float, delta_at_one: float
) -> None:
    """One dimension, records +-1e6: what is spent at (1, 1e-5), from the released values.

    Of the three readings of line 1631; the first is the right one.
    """
    by_zcdp = constants(n=2, dimension=1, n_iterations=5, method="zcdp")
    given = {"constants": by_zcdp} if function is None else {"function": function}
    square = 0.0
    values = []
    for label in (1.0, -1.0):
        ledger = RecordingLedger(0)
        estimate(
            (np.array([[1e6], [0.0]]), np.array([label, 1.0])),
            loss=Linear(feature_bound=math.inf),
            constraint=L2Ball(1e9),
            initial=[0.0],
            n_iterations=5,
            ledger=ledger,
            **given,
        )
        values.append([release.value[0] for release in ledger.transcript.releases])
        scale = ledger.transcript.releases[0].mechanism.scale
    total = 5 * by_zcdp.sensitivity**2 / (2 * scale**2)
    assert total == pytest.approx(rho, abs=5e-5)
    assert zcdp_epsilon(total, 1e-5) == pytest.approx(converted, abs=5e-4)
    for mine, theirs in zip(*values, strict=True):
        square += ((mine - theirs) / scale) ** 2
    mu = math.sqrt(square)
    assert gaussian_dp_epsilon(mu, 1e-5) == pytest.approx(spent, abs=1e-3)
    assert gaussian_dp_delta(mu, 1.0) == pytest.approx(delta_at_one, rel=5e-3)
