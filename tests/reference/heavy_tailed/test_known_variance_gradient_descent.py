"""Robust private gradient descent with known variance (diss-3.2.8)."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from statsmodels.discrete.discrete_model import Logit

from reference.catalogue import entry
from reference.constants import PositiveConstants
from reference.constraint_sets import L1Ball, L2Ball
from reference.errata.heavy_tailed.known_variance_gradient_descent import printed, printed_2
from reference.heavy_tailed.known_variance_gradient_descent import (
    ENTRY,
    constants_for,
    known_variance_gradient_descent,
)
from reference.heavy_tailed.truncation import correction, truncation_bound
from reference.losses import (
    Biweight,
    Linear,
    Logistic,
    RidgeRegularized,
    SquaredDistance,
    SquaredError,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import (
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    zcdp_epsilon,
    zcdp_rho,
)

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


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 6.0])
@pytest.mark.parametrize("n_iterations", [1, 4])
def test_spends_exactly_what_is_claimed(epsilon: float, n_iterations: int) -> None:
    ledger = RecordingLedger(2)
    estimate(ledger=ledger, epsilon=epsilon, n_iterations=n_iterations)
    releases = ledger.transcript.releases
    assert len(releases) == n_iterations
    assert all(release.claim.records is None for release in releases)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(epsilon, rel=1e-9)
    loose = constants(epsilon=epsilon, n_iterations=n_iterations, method="zcdp")
    rho = n_iterations * loose.sensitivity**2 / (2 * loose.noise_scale**2)
    assert rho == pytest.approx(zcdp_rho(epsilon, 1e-5), rel=1e-12)


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


def test_closed_form_of_the_paper_agrees_for_moderate_gradients() -> None:
    # (3.78), with s/n before the sum of the corrections
    c = constants(n_iterations=1)
    gradients = SquaredError().gradients(DATA, np.array([0.5, 0.25]))
    s = c.truncation_scale
    bias = gradients * (1 - gradients**2 / (2 * s**2 * c.precision)) - gradients**3 / (6 * s**2)
    corrections = correction(gradients / s, np.abs(gradients) / (s * math.sqrt(c.precision)))
    by_hand = bias.mean(axis=0) + s / 60 * corrections.sum(axis=0)
    found = estimate(n_iterations=1, step_size=1.0, ledger=NoiselessLedger())
    np.testing.assert_allclose(np.array([0.5, 0.25]) - found, by_hand, rtol=1e-9)


def test_noise_enters_every_step_and_coordinate() -> None:
    c = constants()
    zero, one = np.zeros(2), np.array([1.0, -2.0])
    given = {"step_size": 0.01, "constraint": L2Ball(1e3)}
    quiet = estimate(ledger=GivenDrawsLedger([zero, zero, zero]), **given)
    loud = estimate(ledger=GivenDrawsLedger([zero, zero, one]), **given)
    np.testing.assert_allclose(loud - quiet, -0.01 * c.noise_scale * one)
    for draws in ([one, zero, zero], [zero, one, zero]):
        assert np.abs(estimate(ledger=GivenDrawsLedger(draws), **given) - quiet).max() > 0.01


def test_every_iterate_is_projected() -> None:
    # the release is a gradient at the projected iterate: on a ball so small all are alike
    ledger = RecordingLedger(0)
    found = estimate(
        constraint=L2Ball(1e-9), initial=[0.0, 0.0], step_size=10.0, ledger=ledger, n_iterations=4
    )
    assert float(np.linalg.norm(found)) == pytest.approx(1e-9)
    first, *rest = (release.value for release in ledger.transcript.releases)
    for value in rest:
        np.testing.assert_allclose(value, first, rtol=1e-6)
    inside_l1 = estimate(constraint=L1Ball(0.8), initial=[0.0, 0.0], step_size=10.0)
    assert np.abs(inside_l1).sum() == pytest.approx(0.8)


# ----------------------------------------------------------------------------- the limits

VAST = 1e18
"""v at which the truncation is 1e8 times the gradients or more."""


def test_without_truncation_it_is_projected_gradient_descent() -> None:
    features, labels = DATA
    w = np.array([0.5, 0.25])
    for _ in range(5):
        w = w - 0.05 * 2 * features.T @ (features @ w - labels) / 60
        w = w * min(1.0, 0.8 / float(np.linalg.norm(w)))
    found = estimate(
        second_moment=VAST,
        constraint=L2Ball(0.8),
        step_size=0.05,
        n_iterations=5,
        ledger=NoiselessLedger(),
    )
    np.testing.assert_allclose(found, w, rtol=1e-9)


def test_converged_it_is_least_squares() -> None:
    solution = np.linalg.lstsq(DATA[0], DATA[1], rcond=None)[0]
    found = estimate(second_moment=VAST, n_iterations=400, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, solution, rtol=1e-7)


def test_converged_it_is_ridge_regression() -> None:
    features, labels = DATA
    solution = np.linalg.solve(
        2 * features.T @ features / 60 + 0.5 * np.eye(2), 2 * features.T @ labels / 60
    )
    found = estimate(
        loss=RidgeRegularized(SquaredError(), 0.5),
        second_moment=VAST,
        n_iterations=400,
        ledger=NoiselessLedger(),
    )
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


def test_the_mean_of_heavy_tailed_records_is_found() -> None:
    """||x - w||^2: w* is the mean. 200 000 records of 1 + t_3, v = 4 (3 + 4) at w in [0, 2].

    eta = 1/2 forgets all but the last step: the error is half its noise, 0.034 per coordinate,
    and at most 0.02 of bias and spread. P(0.034 |N(0, I_2)| > 0.28) = exp(-8.2^2/2) = 2e-15.
    """
    data = 1 + np.random.default_rng(0).standard_t(3, size=(200_000, 2))
    found = estimate(
        data,
        loss=SquaredDistance(),
        second_moment=28.0,
        initial=[0.0, 0.0],
        step_size=0.5,
        n_iterations=3,
    )
    assert constants(n=200_000, second_moment=28.0).noise_scale == pytest.approx(0.0667, abs=1e-3)
    assert float(np.linalg.norm(found - 1)) < 0.3


# ------------------------------------------------------------------------------ invariances


def test_records_may_be_permuted() -> None:
    order = np.random.default_rng(5).permutation(60)
    permuted = estimate((DATA[0][order], DATA[1][order]))
    np.testing.assert_allclose(permuted, estimate(), rtol=1e-10)


def test_units_of_the_response() -> None:
    # y, w, W and sqrt(v) times 1024
    scaled = estimate(
        (DATA[0], 1024 * DATA[1]),
        initial=[512.0, 256.0],
        constraint=L2Ball(5.0 * 1024),
        second_moment=4.0 * 1024**2,
    )
    np.testing.assert_allclose(scaled, 1024 * estimate(), rtol=1e-12)


def test_input_is_not_changed_and_types_are_accepted() -> None:
    features, labels, start = DATA[0].copy(), DATA[1].copy(), np.array([0.5, 0.25])
    found = estimate((features, labels), initial=start)
    np.testing.assert_array_equal(features, DATA[0])
    np.testing.assert_array_equal(labels, DATA[1])
    np.testing.assert_array_equal(start, [0.5, 0.25])
    single = estimate((features.astype(np.float32), labels.tolist()))
    np.testing.assert_allclose(single, found, atol=1e-4)
    assert single.dtype == np.float64
    assert estimate(ledger=None).shape == (2,)
    np.testing.assert_array_equal(estimate(), found)  # same seed, same output


def test_one_record_and_one_dimension() -> None:
    found = estimate(([[2.0]], [1.0]), initial=[0.0])
    assert found.shape == (1,)
    assert np.isfinite(found).all()


# -------------------------------------------------------------------------------- extremes

EXTREMES = (1e308, -1e308, 1e300, 5e-324, 0.0)


@pytest.mark.parametrize(
    "loss",
    [
        SquaredError(),
        Biweight(),
        Logistic(feature_bound=math.inf),
        Linear(feature_bound=math.inf),
        RidgeRegularized(SquaredError(), 1.0),
        SquaredDistance(),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_no_record_makes_a_release_fail(loss: Any) -> None:
    features, labels = DATA
    signed = isinstance(loss, (Logistic, Linear))
    if signed:
        labels = np.where(labels > 0, 1.0, -1.0)
    for first in EXTREMES:
        for second in EXTREMES:
            changed, responses = features.copy(), labels.copy()
            changed[7] = (first, second)
            if not signed:
                responses[7] = first
            clean, data = (
                (features, changed)
                if isinstance(loss, SquaredDistance)
                else ((features, labels), (changed, responses))
            )
            ledgers = RecordingLedger(6), RecordingLedger(6)
            found = estimate(data, loss=loss, initial=[3.0, -2.0], ledger=ledgers[0])
            assert np.isfinite(found).all()
            # nor does it move the first step beyond the claim
            estimate(clean, loss=loss, initial=[3.0, -2.0], ledger=ledgers[1])
            one, other = (ledger.transcript.releases[0] for ledger in ledgers)
            assert np.linalg.norm(one.value - other.value) <= one.claim.sensitivity


def test_extreme_parameters() -> None:
    for changes in (
        {"second_moment": 1e50},
        {"second_moment": 1e-50},
        {"failure_probability": 5e-324},
        {"failure_probability": 1 - 2.0**-53},
        {"epsilon": 1e-12},
        {"epsilon": 1e6},
    ):
        assert np.isfinite(estimate(**changes)).all()


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": -1.0}, "epsilon must be a finite number > 0, got -1.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"second_moment": 0.0}, "second_moment must be a finite number > 0, got 0.0"),
        ({"failure_probability": 1.0}, r"failure_probability must be in \(0, 1\), got 1.0"),
        ({"step_size": math.nan}, "step_size must be a finite number > 0, got nan"),
        ({"n_iterations": 0}, "n_iterations must be an integer >= 1, got 0"),
        ({"initial": [[0.5, 0.25]]}, "initial must have 1 dimension"),
        ({"initial": [0.5]}, r"features must have shape \('any', 1\), got \(60, 2\)"),
        ({"initial": [5.0, 1.0]}, r"initial must lie in the constraint set"),
        ({"data": (DATA[0], DATA[1][:-1])}, r"labels must have shape \(60,\), got \(59,\)"),
        ({"data": (DATA[0][:0], DATA[1][:0])}, "features must not be empty"),
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
    with pytest.raises(TypeError, match="second_moment must be a real number, got None"):
        estimate(second_moment=None)
    with pytest.raises(TypeError, match=r"n_iterations must be an integer, got 1\.5"):
        estimate(n_iterations=1.5)
    with pytest.raises(TypeError, match=r"constants must be a .*Constants, got"):
        estimate(constants=PositiveConstants())
    with pytest.raises(TypeError, match="data must be a pair"):
        estimate(DATA[0])
    with pytest.raises(TypeError, match="ledger must be a Ledger"):
        estimate(ledger=5)


def test_entry() -> None:
    assert entry("diss-3.2.8") is ENTRY
    assert entry("diss-3.80") is entry("wang-mean")
