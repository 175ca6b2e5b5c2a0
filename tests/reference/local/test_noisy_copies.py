"""Hinge Loss-LDP and General Linear-LDP: noisy copies, estimates of slopes, what is printed.

False alarms: every statistical test fails by chance with probability below 1e-6.
"""

import math

import numpy as np
import pytest
from mpmath import mp

from reference.constraint_sets import L2Ball
from reference.errata.local import hinge_loss as errata
from reference.errata.local.general_linear_loss import printed
from reference.local.general_linear_loss import general_linear_ldp
from reference.local.general_linear_loss import with_noise as noise_of_general
from reference.local.hinge_loss import (
    constants_for,
    hinge_loss_ldp,
    hinge_slope,
    send_copies,
    with_noise,
)
from reference.local.intermediate_gradient import IntermediateGradient
from reference.local.margin_losses import LOGISTIC, MarginLoss, sample_thresholds
from reference.local.noisy_copies import (
    LARGEST_GRADIENT,
    bernstein_estimate,
    bernstein_weights,
    degree_for,
    nodes,
    noise_scales,
    smoothed_step,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_mu

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
    with mp.workdps(50):
        t = mp.mpf(t)
        terms = (
            mp.mpf(float(c)) * mp.binomial(degree, j) * t**j * (1 - t) ** (degree - j)
            for j, c in enumerate(values)
        )
        return float(mp.fsum(terms))


# --------------------------------------------------------------------------------- the estimate


@pytest.mark.parametrize("x", [-1.0, -0.2, 0.5, 0.75, 1.0])
def test_the_slopes_are_those_of_the_smoothed_functions(x):
    """Lemma 5.1.8's f_beta for the hinge, and (z + sqrt(z^2 + beta^2))/2, by mpmath."""
    with mp.workdps(50):
        half, beta = mp.mpf(1) / 2, mp.mpf(1) / 4
        of_hinge = mp.diff(lambda z: (half - z + mp.sqrt((half - z) ** 2 + beta**2)) / 2, x)
        of_step = mp.diff(lambda z: (z + mp.sqrt(z**2 + beta**2)) / 2, x)
    assert float(hinge_slope(np.array(x), 0.25)) == pytest.approx(float(of_hinge), abs=1e-14)
    assert float(smoothed_step(np.array(x), 0.25)) == pytest.approx(float(of_step), abs=1e-14)


def test_the_estimate_by_hand():
    # d = 2: row j multiplies its first j entries t and 1 less the others
    t = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    weights = np.array([1.0, 10.0, 100.0])
    expected = 0.9 * 0.8 + 10 * 0.3 * 0.6 + 100 * 0.5 * 0.6
    assert bernstein_estimate(t, weights) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("degree", [1, 4, 32, 100])
def test_without_noise_the_estimate_is_the_polynomial(degree):
    values = hinge_slope(nodes(degree), 0.25)
    for u in (-1.0, -0.3, 0.4, 1.0):
        arguments = np.full((degree + 1, degree), (1 + u) / 2)
        found = bernstein_estimate(arguments, bernstein_weights(values))
        assert found == pytest.approx(polynomial(values, (1 + u) / 2), abs=1e-12)


@pytest.mark.parametrize(("accuracy", "smoothing"), [(0.5, 1.0), (0.4, 0.5), (1.0, 0.25)])
def test_the_degree_brings_the_polynomial_within_a_quarter_of_the_accuracy(accuracy, smoothing):
    degree = degree_for(accuracy=accuracy, smoothing=smoothing)
    values, margins = hinge_slope(nodes(degree), smoothing), np.linspace(-1, 1, 401)
    found = [polynomial(values, (1 + u) / 2) for u in margins]
    error = np.abs(found - hinge_slope(margins, smoothing)).max()
    assert accuracy / 16 < error <= accuracy / 4  # neither too low a degree nor far too high a one


def test_the_estimate_of_the_gradient_has_no_bias_and_the_stated_deviation():
    x, y, w, runs, degree = np.array([0.6, -0.3]), 0.8, np.array([0.5, 0.7]), 40_000, 3
    constants = with_noise(0.2, 0.2, dimension=2, degree=degree)
    records = np.tile([*x, y], (runs, 1))
    copies = send_copies(records, degree=degree, constants=constants, ledger=Ledger(1))
    values = hinge_slope(nodes(degree), 0.25)
    weights = bernstein_weights(values)
    arguments = ((1 + copies.margins(i, w)) / 2 for i in range(runs))
    slopes = (bernstein_estimate(t, weights) for t in arguments)
    gradients = np.array([copies.gradient(i, slope) for i, slope in enumerate(slopes)])
    expected = float(polynomial(values, (1 + y * (w @ x)) / 2)) * y * x
    error = gradients.std(axis=0) / math.sqrt(runs)
    assert np.all(np.abs(gradients.mean(axis=0) - expected) < 5.5 * error)
    assert error.max() < 0.002
    size = math.sqrt((gradients**2).sum(axis=1).mean())
    assert size < constants.gradient_deviation < 6 * size


def exact_second_moment(degree, noise):
    """E(sum_j c_j C(d, j) t_j s_j)^2 for y = 1, <w, x> = 0, ||w|| = 1, of products as printed.

    Rows j are independent, and u = y_k <w, x_k> has mean 0 and E u^2 = (1 + s^2) s^2.
    """
    values = hinge_slope(np.arange(degree + 1) / degree, 0.25)
    with mp.workdps(60):
        first = (1 + mp.mpf(noise) ** 2) * mp.mpf(noise) ** 2
        second = 1 + first  # of 1 - u
        terms = [mp.mpf(float(c)) * mp.binomial(degree, j) for j, c in enumerate(values)]
        # only j = 0 has a mean: its factors are all 1 - u
        # E u = 0, so of a product of two rows one has mean 0, and only squares remain
        return mp.fsum(t**2 * first**j * second ** (degree - j) for j, t in enumerate(terms))


def test_the_second_moment_grows_like_d_to_the_8d():
    """diss-5.1.33/E3: not d^(6d), once the constants C^d are taken off."""
    log_term = math.log(1.25 / 1e-5)
    exponents = {}
    for degree in (10, 40, 160):
        noise = math.sqrt(8 * log_term) * degree * (degree + 1)
        moment = mp.log(exact_second_moment(degree, noise))
        constant = degree * math.log(4 * (8 * log_term) ** 2)
        exponents[degree] = float(moment - constant) / (degree * math.log(degree))
    assert exponents[10] == pytest.approx(8.0, abs=0.3)
    assert exponents[40] == pytest.approx(8.0, abs=0.1)
    assert exponents[160] == pytest.approx(8.0, abs=0.05)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_exact_second_moment_is_that_of_the_estimate(degree):
    noise, runs = 0.4, 60_000
    rng = np.random.default_rng(2)
    shape = (runs, degree + 1, degree)
    margins = (1 + noise * rng.standard_normal(shape)) * noise * rng.standard_normal(shape)
    weights = bernstein_weights(hinge_slope(np.arange(degree + 1) / degree, 0.25))
    squares = np.array([bernstein_estimate(u, weights) ** 2 for u in margins])
    expected = float(exact_second_moment(degree, noise))
    assert abs(squares.mean() - expected) < 5.5 * squares.std() / math.sqrt(runs)


@pytest.mark.parametrize(
    ("degree", "everywhere", "half"), [(5, 1.978, 0.0793), (10, 24.43, 0.0514), (20, 505.6, 0.0308)]
)
def test_the_printed_polynomial_explodes_where_margins_are_negative(degree, everywhere, half):
    """diss-5.1.33/E2."""
    margins = np.linspace(-1, 1, 161)
    printed = hinge_slope(np.arange(degree + 1) / degree, 0.25)
    target = hinge_slope(margins, 0.25)
    error = np.abs([polynomial(printed, u) for u in margins] - target)
    assert error.max() == pytest.approx(everywhere, rel=1e-3)
    assert error[margins >= 0].max() == pytest.approx(half, rel=1e-2)
    right = hinge_slope(nodes(degree), 0.25)
    corrected = np.abs([polynomial(right, (1 + u) / 2) for u in margins] - target)
    assert corrected.max() < 0.43 / (2 * degree * 0.25**2)


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


def test_the_deviation_bounds_the_gradients():
    runs, degree, w = 20_000, 3, np.array([0.5, 0.7])
    constants = noise_of_general(0.3, 0.3, dimension=2, degree=degree)
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


# -------------------------------------------------------------------------------- the algorithms


def sigm(data, users, slopes, *, smoothing, deviation):
    """Run SIGM on the polynomial's own gradients: what is left without noise."""
    features, labels = data
    state = IntermediateGradient(
        SET, dimension=3, smoothness=1 / (2 * smoothing), deviation=deviation, radius=1.0
    )
    for user, slope in zip(users, slopes, strict=True):
        margin = labels[user] * float(features[user] @ state.query)
        state.update(slope(margin) * labels[user] * features[user])
    return state.output


def unit_records():
    rng = np.random.default_rng(4)
    features, labels = rng.standard_normal((12, 3)), rng.choice([-3.0, 0.5, 1.0], 12)
    norms = np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    return (features, labels), (features / norms, np.clip(labels, -1, 1))


def test_without_noise_the_hinge_s_is_sigm_on_clipped_records():
    data, clipped = unit_records()
    constants = with_noise(0.1, 0.1, dimension=3, degree=4)
    options = {"smoothing": 0.5, "degree": 4, "constants": constants, **BUDGET}
    found = hinge_loss_ldp(data, SET, ledger=NoiselessLedger(7), **options)
    users = NoiselessLedger(7).public(lambda rng: rng.integers(12, size=12))
    values = hinge_slope(nodes(4), 0.5)
    slopes = [lambda margin: polynomial(values, (1 + margin) / 2)] * 12
    expected = sigm(clipped, users, slopes, smoothing=0.5, deviation=constants.gradient_deviation)
    assert found == pytest.approx(expected, abs=1e-12)


def test_without_noise_the_general_one_is_sigm_with_one_s_for_every_step():
    data, clipped = unit_records()
    constants = noise_of_general(0.01, 0.01, dimension=3, degree=3)
    options = {"smoothing": 0.2, "degree": 3, "constants": constants, **BUDGET}
    found = general_linear_ldp(data, TWO_KINKS, SET, ledger=NoiselessLedger(7), **options)
    same = NoiselessLedger(7)
    users = same.public(lambda rng: rng.integers(12, size=12))
    thresholds = same.public(lambda rng: sample_thresholds(TWO_KINKS, 12, rng))
    assert len(set(np.round(thresholds, 9))) == 2
    values = smoothed_step(nodes(3), 0.2)
    slopes = [lambda t, s=s: 2 * polynomial(values, (2 + t - s) / 4) - 1 for s in thresholds]
    expected = sigm(clipped, users, slopes, smoothing=0.2, deviation=constants.gradient_deviation)
    assert found == pytest.approx(expected, abs=1e-12)


def test_given_draws_by_hand():
    # one user, d = 1: slot 0 is (x, y) + .5 (1, -1), slots 1 and 2 are never multiplied by w = 0
    constants = with_noise(0.5, 0.25, dimension=1, degree=1)
    draws = [[[1.0, -1.0]], np.zeros((1, 2, 1, 2)), np.array([0])]
    options = {"smoothing": 0.25, "degree": 1, "constants": constants, **BUDGET}
    found = hinge_loss_ldp(([[0.5]], [1.0]), SET, ledger=GivenDrawsLedger(draws), **options)
    ends = hinge_slope(np.array([-1.0, 1.0]), 0.25)
    gradient = ends.mean() * (1.0 - 0.5) * (0.5 + 0.5)
    damping = 2.0 + 2**0.75 * constants.gradient_deviation * math.sqrt(2)
    assert found == pytest.approx([-gradient / damping], rel=1e-12)


@pytest.mark.parametrize(
    ("degree", "delta", "first"),
    [(2, 1e-6, 14.8), (2, 1e-3, 10.8), (2, 0.5, 5.2), (32, 1e-6, 42.7), (1, 1e-6, 1.38)],
)
def test_from_which_epsilon_on_the_printed_noise_is_too_small(degree, delta, first):
    def true_delta(epsilon):
        pair, factor = errata.printed_noise_scales(epsilon=epsilon, delta=delta, degree=degree)
        mu = math.sqrt(8 / pair**2 + 8 * degree * (degree + 1) / factor**2)
        assert mu**2 == pytest.approx(
            epsilon**2 / math.log(1.25 / delta) * (1 / 4 + 1 / (degree * (degree + 1)))
        )
        return gaussian_dp_delta(mu, epsilon)

    assert true_delta(first - 0.1) <= delta < true_delta(first + 0.1)


def test_half_of_the_budget_goes_to_the_pair():
    pair, factor = noise_scales(epsilon=2.0, delta=1e-4, degree=5)
    mu = gaussian_dp_mu(2.0, 1e-4)
    assert 8 / pair**2 == pytest.approx(mu**2 / 2)
    assert 8 * 30 / factor**2 == pytest.approx(mu**2 / 2)


def test_noise_of_any_size_gives_a_point_of_the_set():
    constants = constants_for(dimension=2, degree=32, epsilon=1.0, delta=1e-5)
    data, options = (np.ones((30, 2)), np.ones(30)), {"smoothing": 0.5, "degree": 32, **BUDGET}
    found = hinge_loss_ldp(data, SET, constants=constants, ledger=Ledger(3), **options)
    assert np.isfinite(found).all()
    assert np.linalg.norm(found) <= 1 + 1e-12
    copies = send_copies(np.ones((1, 3)), degree=1, constants=constants, ledger=NoiselessLedger())
    assert copies.gradient(0, math.inf) == pytest.approx([LARGEST_GRADIENT] * 2)


# ------------------------------------------------------------ what is printed of general losses


def first_gradients(function, runs, *, steep):
    """Return first gradients, at w = 0 without noise, read off y_0 = -G/beta_0."""
    constants = noise_of_general(1e-3, 1e-3, dimension=2, degree=3)
    damping = steep + 2**0.75 * constants.gradient_deviation * math.sqrt(2)
    data, options = (((1.0, 0.0),), [1.0]), {"smoothing": 0.1, "degree": 3, **BUDGET}
    return -damping * np.array(
        [
            function(
                data, TWO_KINKS, SET, constants=constants, ledger=NoiselessLedger(seed), **options
            )
            for seed in range(runs)
        ]
    )


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


@pytest.mark.parametrize(("degree", "error"), [(5, 4.76), (10, 15.7), (20, 609), (40, 3.7e5)])
def test_the_printed_polynomial_is_wrongest_where_t_less_s_is_least(degree, error):
    """The figures of diss-5.1.34/E3: (t - s)/2 = -1 at beta = .25."""
    with mp.workdps(60):
        square = mp.mpf(1) / 16

        def step(x):
            return (1 + x / mp.sqrt(x * x + square)) / 2

        terms = (
            step(mp.mpf(j) / degree)
            * mp.binomial(degree, j)
            * (-1) ** j
            * mp.mpf(2) ** (degree - j)
            for j in range(degree + 1)
        )
        found = float(abs(mp.fsum(terms) - step(mp.mpf(-1))))
    assert found == pytest.approx(error, rel=5e-3)


def test_the_printed_noise_at_a_large_epsilon():
    """The last figure of diss-5.1.33/E1: (16, 1e-2) at d = 2."""
    mu = 16 / math.sqrt(math.log(1.25 / 1e-2)) * math.sqrt(1 / 4 + 1 / 6)
    assert gaussian_dp_delta(mu, 16.0) == pytest.approx(0.107, abs=5e-4)
