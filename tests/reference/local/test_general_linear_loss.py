"""False alarms: every statistical test fails by chance with probability below 1e-6.

What it shares with Hinge Loss-LDP is tested there: messages, estimates, degrees.
"""

import math

import numpy as np
import pytest
from mpmath import mp

from reference.constraint_sets import L2Ball
from reference.errata.local.general_linear_loss import printed
from reference.local.general_linear_loss import general_linear_ldp, with_noise
from reference.local.hinge_loss import send_copies
from reference.local.intermediate_gradient import IntermediateGradient
from reference.local.margin_losses import LOGISTIC, MarginLoss, sample_thresholds
from reference.local.noisy_copies import (
    bernstein_estimate,
    bernstein_weights,
    nodes,
    smoothed_step,
)
from reference.privacy import Ledger, NoiselessLedger

SET = L2Ball(1.0)
BUDGET = {"epsilon": 1.0, "delta": 1e-5}
# slopes -1, 0, 1 with kinks at -.8 and 0: s is either with probability 1/2, and E s = -.4
TWO_KINKS = MarginLoss(
    lambda t: np.maximum(np.maximum(-t - 0.8, 0.0), t),
    lambda t: np.where(t < -0.8, -1.0, np.where(t < 0, 0.0, 1.0)),
)


def polynomial(values, t):
    """Return the Bernstein polynomial of values at j/d, with mpmath."""
    degree = len(values) - 1
    return float(
        mp.fsum(
            mp.mpf(float(c))
            * mp.binomial(degree, j)
            * mp.mpf(t) ** j
            * (1 - mp.mpf(t)) ** (degree - j)
            for j, c in enumerate(values)
        )
    )


def test_the_slope_of_the_smoothed_step():
    for x in (-1.0, -0.1, 0.0, 0.7):
        slope = float(mp.diff(lambda z: (z + mp.sqrt(z**2 + mp.mpf("0.01"))) / 2, x))
        assert float(smoothed_step(np.array(x), 0.1)) == pytest.approx(slope, abs=1e-12)


@pytest.mark.parametrize("loss", [LOGISTIC, TWO_KINKS])
@pytest.mark.parametrize("beta", [0.02, 0.2])
def test_the_surrogate_is_close_to_the_loss(loss, beta):
    """F'_beta(t) = (b - a) E h'_beta((t - s)/2) + a, and |F_beta - f| <= (b - a) beta."""
    low, high = loss.slopes
    s = loss.thresholds(low + (high - low) * (np.arange(2000) + 0.5) / 2000)
    t = np.linspace(-1, 1, 2001)
    half = (t[:, None] - s) / 2
    # 2 h_beta(x) - x in place of |x| in Lemma 5.1.9
    surrogate = (high - low) * np.sqrt(half**2 + beta**2).mean(axis=1) + (low + high) / 2 * t
    exact = (high - low) * np.abs(half).mean(axis=1) + (low + high) / 2 * t
    assert (surrogate - exact).min() >= 0
    assert (surrogate - exact).max() <= (high - low) * beta
    assert np.ptp(exact - loss.value(t)) < 1e-3
    slope = (high - low) * smoothed_step(half, beta).mean(axis=1) + low
    assert np.gradient(surrogate, t)[1:-1] == pytest.approx(slope[1:-1], abs=1e-3)
    assert np.diff(slope).max() / 0.001 <= (high - low) / (4 * beta) + 1e-6


def test_without_noise_it_is_sigm_with_one_s_for_every_step():
    rng = np.random.default_rng(4)
    features, labels = rng.standard_normal((12, 3)) / 3, rng.uniform(-1, 1, 12)
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    constants, beta, degree = with_noise(0.01, 0.01, dimension=3, degree=3), 0.2, 3
    found = general_linear_ldp(
        (features, labels), TWO_KINKS, SET, smoothing=beta, degree=degree, constants=constants,
        ledger=NoiselessLedger(7), **BUDGET,
    )  # fmt: skip
    same = NoiselessLedger(7)
    users = same.public(lambda rng: rng.integers(12, size=12))
    thresholds = same.public(lambda rng: sample_thresholds(TWO_KINKS, 12, rng))
    assert len(set(np.round(thresholds, 9))) == 2
    state = IntermediateGradient(
        SET,
        dimension=3,
        smoothness=1 / (2 * beta),
        deviation=constants.gradient_deviation,
        radius=1.0,
    )
    values = smoothed_step(nodes(degree), beta)
    for user, s in zip(users, thresholds, strict=True):
        margin = labels[user] * float(features[user] @ state.query)
        slope = 2 * polynomial(values, (2 + margin - s) / 4) - 1
        state.update(slope * labels[user] * features[user])
    assert found == pytest.approx(state.output, abs=1e-12)


def test_the_deviation_bounds_the_gradients():
    runs, degree, w = 20_000, 3, np.array([0.5, 0.7])
    constants = with_noise(0.3, 0.3, dimension=2, degree=degree)
    records = np.tile([0.6, -0.3, 0.8], (runs, 1))
    copies = send_copies(records, degree=degree, constants=constants, ledger=Ledger(1))
    weights = bernstein_weights(smoothed_step(nodes(degree), 0.25))
    low, high = TWO_KINKS.slopes
    thresholds = sample_thresholds(TWO_KINKS, runs, np.random.default_rng(5))
    squares = []
    for user, s in enumerate(thresholds):
        arguments = (2 + copies.margins(user, w) - s) / 4
        slope = (high - low) * bernstein_estimate(arguments, weights) + low
        squares.append((copies.gradient(user, slope) ** 2).sum())
    size = math.sqrt(np.mean(squares))
    assert size < constants.gradient_deviation < 20 * size


# ------------------------------------------------------------------------------- what is printed


def first_gradients(function, runs, *, features=((1.0, 0.0),), degree=3, smoothing=0.1, steep):
    """Return first gradients, at w = 0 without noise, read off y_0 = -G/beta_0."""
    constants = with_noise(1e-3, 1e-3, dimension=2, degree=degree)
    damping = steep + 2**0.75 * constants.gradient_deviation * math.sqrt(2)
    return -damping * np.array(
        [
            function(
                (features, [1.0]), TWO_KINKS, SET, smoothing=smoothing, degree=degree,
                constants=constants, ledger=NoiselessLedger(seed), **BUDGET,
            )
            for seed in range(runs)
        ]
    )  # fmt: skip


def test_the_printed_draws_estimate_the_slope_at_the_mean_of_s():
    """diss-5.1.34/E1, where (0 - s)/2 is 0 or .4: in [0, 1], so that nothing else is wrong."""
    values, runs = smoothed_step(np.arange(4) / 3, 0.1), 1200
    slopes = first_gradients(printed, runs, steep=10.0)[:, 0]  # (b - a) P + a = 2 P - 1
    wanted = polynomial(values, 0.0) + polynomial(values, 0.4) - 1
    shifted = 2 * polynomial(values, 0.2) - 1
    error = slopes.std() / math.sqrt(runs)
    assert abs(slopes.mean() - shifted) < 5 * error
    assert abs(slopes.mean() - wanted) > 3.5 * error

    right = smoothed_step(nodes(3), 0.1)
    slopes = first_gradients(general_linear_ldp, 20, steep=5.0)[:, 0]
    for t in (0.5, 0.7):  # one s for all factors: s = 0 or -.8, and no value between
        slope = 2 * polynomial(right, t) - 1
        found = np.isclose(slopes, slope, rtol=1e-9)
        assert found.any()
        slopes = slopes[~found]
    assert slopes.size == 0


def test_the_draws_of_the_card():
    """f(t) = max(0, |t| - 1/2) at t = .25, beta = .1: .5463 against .8904."""
    s = np.array([-0.5, 0.5])
    assert smoothed_step((0.25 - s) / 2, 0.1).mean() == pytest.approx(0.54634, abs=1e-5)
    assert float(smoothed_step(np.array(0.125), 0.1)) == pytest.approx(0.89043, abs=1e-5)


def test_the_printed_gradient_has_a_scalar_added_to_a_vector():
    """diss-5.1.34/E2."""
    assert first_gradients(printed, 5, steep=10.0)[:, 1] == pytest.approx([-1.0] * 5)
    assert first_gradients(general_linear_ldp, 5, steep=5.0)[:, 1] == pytest.approx([0.0] * 5)


def test_the_printed_polynomial_explodes_where_t_is_below_s():
    """diss-5.1.34/E3."""
    degree = 10
    wrong = smoothed_step(np.arange(degree + 1) / degree, 0.25)
    right = smoothed_step(nodes(degree), 0.25)
    for t, s in ((-1.0, 1.0), (-0.5, 1.0), (0.0, 0.5)):
        target = float(smoothed_step(np.array((t - s) / 2), 0.25))
        assert abs(polynomial(right, (2 + t - s) / 4) - target) < 0.2147 / (degree * 0.25**2)
    assert abs(polynomial(wrong, -1.0)) > 10
    assert abs(polynomial(wrong, -0.75)) > 1.5
