"""Robust private gradient descent with known variance (diss-3.2.8)."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from statsmodels.discrete.discrete_model import Logit

from reference.constraint_sets import L2Ball
from reference.errata.heavy_tailed.known_variance_gradient_descent import printed, printed_2
from reference.heavy_tailed.known_variance_gradient_descent import (
    constants_for,
    known_variance_gradient_descent,
)
from reference.heavy_tailed.truncation import truncation_bound
from reference.losses import Linear, Logistic, SquaredError
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_epsilon, zcdp_epsilon

pytestmark = pytest.mark.filterwarnings("error")

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


# ------------------------------------------------------------------------------ the budget


def test_calibration_by_hand() -> None:
    # l.1631 and l.1641 with v = 5, d = 10, T = 7, n = 1e5, delta' = 0.01
    found = constants(n=100_000, dimension=10, n_iterations=7, second_moment=5.0, method="zcdp")
    assert found.truncation_scale == pytest.approx(math.sqrt(1e5 * 5 / (2 * math.log(100))))
    assert found.precision == pytest.approx(math.log(100))
    squared = (math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))) ** 2
    variance = 8 * 5 * 10 * 7 / (9 * math.log(100) * 1e5 * squared)
    assert found.noise_scale**2 == pytest.approx(variance, rel=1e-12)
    # proof, l.1898: s/n 4 sqrt(2)/3 in every coordinate
    assert found.sensitivity == pytest.approx(
        math.sqrt(10) * found.truncation_scale / 1e5 * 4 * math.sqrt(2) / 3, rel=1e-12
    )
    assert found.sensitivity**2 == pytest.approx(16 * 5 * 10 / (9 * 1e5 * math.log(100)))


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


def test_a_record_moves_a_step_by_the_exact_sensitivity() -> None:
    c = constants()
    exact = (
        2 * math.sqrt(2) * truncation_bound(scale=c.truncation_scale, precision=c.precision) / 60
    )
    values = []
    for label in (1e12, -1e12):
        features, labels = DATA[0].copy(), DATA[1].copy()
        features[5], labels[5] = (1e6, 1e6), label
        ledger = RecordingLedger(4)
        estimate((features, labels), ledger=ledger)
        values.append(ledger.transcript.releases[0].value)
    distance = float(np.linalg.norm(values[0] - values[1]))
    assert distance == pytest.approx(exact, rel=1e-9)
    assert exact == pytest.approx(c.sensitivity * math.erf(math.sqrt(c.precision / 2)))
    assert exact == pytest.approx(0.9681 * c.sensitivity, rel=1e-4)


# ------------------------------------------------------------------------- the algorithm


def robust_mean(values: np.ndarray, scale: float, precision: float) -> float:
    """(3.67) by quadrature over the noise that is multiplied in."""

    def integrand(xi: float, x: float) -> float:
        u = x / scale * (1 + xi / math.sqrt(precision))
        limit = 2 * math.sqrt(2) / 3
        phi = u - u**3 / 6 if abs(u) <= math.sqrt(2) else math.copysign(limit, u)
        return phi * float(norm.pdf(xi))

    terms = [
        quad(integrand, -8, 8, args=(x,), epsabs=1e-10, limit=200, points=(-2, 0, 2))[0]
        for x in values
    ]
    return scale * math.fsum(terms) / len(values)


def test_noiseless_run_is_robust_gradient_descent_written_out() -> None:
    features, labels = regression(6, seed=3)
    # this small v truncates: s = 0.73 against gradients of about 4
    c = constants(n=6, n_iterations=2, second_moment=0.8)
    w = np.array([0.5, 0.25])
    for _ in range(2):
        gradients = 2 * (features @ w - labels)[:, None] * features
        assert np.abs(gradients).max() > 2 * c.truncation_scale
        w = w - 0.3 * np.array(
            [robust_mean(g, c.truncation_scale, c.precision) for g in gradients.T]
        )
        if (norm_w := float(np.linalg.norm(w))) > 0.7:
            w = w * 0.7 / norm_w
    found = estimate(
        (features, labels),
        second_moment=0.8,
        constraint=L2Ball(0.7),
        step_size=0.3,
        n_iterations=2,
        ledger=NoiselessLedger(),
    )
    np.testing.assert_allclose(found, w, rtol=1e-7)


# ----------------------------------------------------------------------------- the limits

VAST = 1e18
"""v at which the truncation is 1e8 times the gradients or more."""


def test_converged_it_is_least_squares() -> None:
    solution = np.linalg.lstsq(DATA[0], DATA[1], rcond=None)[0]
    found = estimate(second_moment=VAST, n_iterations=400, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, solution, rtol=1e-7)


def test_converged_it_is_the_logistic_fit_of_statsmodels() -> None:
    features = DATA[0]
    signs = np.where(DATA[1] > 0, 1.0, -1.0)
    fitted = Logit(signs > 0, features).fit(disp=0).params
    found = estimate(
        (features, signs),
        loss=Logistic(feature_bound=math.inf),
        second_moment=VAST,
        step_size=1.0,
        n_iterations=600,
        ledger=NoiselessLedger(),
    )
    np.testing.assert_allclose(found, fitted, rtol=1e-6)


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"initial": [0.5]}, r"features must have shape \('any', 1\), got \(60, 2\)"),
        ({"initial": [5.0, 1.0]}, r"initial must lie in the constraint set"),
        ({"data": (DATA[0], DATA[1][:-1])}, r"labels must have shape \(60,\), got \(59,\)"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate(**changes)
