"""False alarms: every statistical test fails by chance with probability below 1e-6."""

import math

import numpy as np
import pytest
from mpmath import mp

from reference.constraint_sets import L2Ball
from reference.errata.local import hinge_loss as errata
from reference.local.hinge_loss import (
    constants_for,
    hinge_loss_ldp,
    hinge_slope,
    send_copies,
    with_noise,
)
from reference.local.intermediate_gradient import IntermediateGradient
from reference.local.noisy_copies import (
    LARGEST_GRADIENT,
    bernstein_estimate,
    bernstein_weights,
    degree_for,
    nodes,
    noise_scales,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_mu

SET = L2Ball(1.0)
BUDGET = {"epsilon": 1.0, "delta": 1e-5}


def polynomial(values, t):
    """Return the Bernstein polynomial of values at j/d, with mpmath."""
    degree = len(values) - 1
    with mp.workdps(50):
        t = mp.mpf(t)
        return mp.fsum(
            mp.mpf(float(c)) * mp.binomial(degree, j) * t**j * (1 - t) ** (degree - j)
            for j, c in enumerate(values)
        )


def smoothed_hinge_slope(x, beta):
    """Differentiate Lemma 5.1.8's f_beta with mpmath."""
    with mp.workdps(50):
        half = mp.mpf(1) / 2
        return mp.diff(lambda z: (half - z + mp.sqrt((half - z) ** 2 + mp.mpf(beta) ** 2)) / 2, x)


# --------------------------------------------------------------------------------- the estimate


@pytest.mark.parametrize("x", [-1.0, -0.2, 0.5, 0.75, 1.0])
def test_the_slope_of_the_smoothed_hinge(x):
    slope = float(hinge_slope(np.array(x), 0.25))
    assert slope == pytest.approx(float(smoothed_hinge_slope(x, 0.25)), abs=1e-14)


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
        assert found == pytest.approx(float(polynomial(values, (1 + u) / 2)), abs=1e-12)


@pytest.mark.parametrize(("accuracy", "smoothing"), [(0.5, 1.0), (0.4, 0.5), (1.0, 0.25)])
def test_the_degree_brings_the_polynomial_within_a_quarter_of_the_accuracy(accuracy, smoothing):
    degree = degree_for(accuracy=accuracy, smoothing=smoothing)
    values, margins = hinge_slope(nodes(degree), smoothing), np.linspace(-1, 1, 401)
    found = [float(polynomial(values, (1 + u) / 2)) for u in margins]
    error = np.abs(found - hinge_slope(margins, smoothing)).max()
    assert accuracy / 16 < error <= accuracy / 4  # neither too low a degree nor far too high a one


def test_the_estimate_of_the_gradient_has_no_bias_and_the_stated_deviation():
    x, y, w, runs, degree = np.array([0.6, -0.3]), 0.8, np.array([0.5, 0.7]), 40_000, 3
    constants = with_noise(0.2, 0.2, dimension=2, degree=degree)
    records = np.tile([*x, y], (runs, 1))
    copies = send_copies(records, degree=degree, constants=constants, ledger=Ledger(1))
    values = hinge_slope(nodes(degree), 0.25)
    weights = bernstein_weights(values)
    gradients = np.array(
        [
            copies.gradient(i, bernstein_estimate((1 + copies.margins(i, w)) / 2, weights))
            for i in range(runs)
        ]
    )
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
    error = np.abs([float(polynomial(printed, u)) for u in margins] - target)
    assert error.max() == pytest.approx(everywhere, rel=1e-3)
    assert error[margins >= 0].max() == pytest.approx(half, rel=1e-2)
    right = hinge_slope(nodes(degree), 0.25)
    corrected = np.abs([float(polynomial(right, (1 + u) / 2)) for u in margins] - target)
    assert corrected.max() < 0.43 / (2 * degree * 0.25**2)


# -------------------------------------------------------------------------------- the algorithm


def descent(data, *, smoothing, degree, deviation, users):
    """Run SIGM on the polynomial's own gradients: what is left without noise."""
    features, labels = data
    state = IntermediateGradient(
        SET,
        dimension=features.shape[1],
        smoothness=1 / (2 * smoothing),
        deviation=deviation,
        radius=1.0,
    )
    values = hinge_slope(nodes(degree), smoothing)
    for i in users:
        margin = labels[i] * float(features[i] @ state.query)
        slope = float(polynomial(values, (1 + margin) / 2))
        state.update(slope * labels[i] * features[i])
    return state.output


def test_without_noise_it_is_sigm_on_clipped_records():
    rng = np.random.default_rng(4)
    features, labels = rng.standard_normal((12, 3)), rng.choice([-3.0, 0.5, 1.0], 12)
    constants = with_noise(0.1, 0.1, dimension=3, degree=4)
    ledger = NoiselessLedger(7)
    found = hinge_loss_ldp(
        (features, labels), SET, smoothing=0.5, degree=4, constants=constants, ledger=ledger,
        **BUDGET,
    )  # fmt: skip
    users = NoiselessLedger(7).public(lambda rng: rng.integers(12, size=12))
    norms = np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    expected = descent(
        (features / norms, np.clip(labels, -1, 1)),
        smoothing=0.5,
        degree=4,
        deviation=constants.gradient_deviation,
        users=users,
    )
    assert found == pytest.approx(expected, abs=1e-12)


def test_given_draws_by_hand():
    # one user, d = 1: slot 0 is (x, y) + .5 (1, -1), slots 1 and 2 are never multiplied by w = 0
    constants = with_noise(0.5, 0.25, dimension=1, degree=1)
    draws = [[[1.0, -1.0]], np.zeros((1, 2, 1, 2)), np.array([0])]
    found = hinge_loss_ldp(
        ([[0.5]], [1.0]), SET, smoothing=0.25, degree=1, constants=constants,
        ledger=GivenDrawsLedger(draws), **BUDGET,
    )  # fmt: skip
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
    found = hinge_loss_ldp(
        (np.ones((30, 2)), np.ones(30)), SET, smoothing=0.5, degree=32, constants=constants,
        ledger=Ledger(3), **BUDGET,
    )  # fmt: skip
    assert np.isfinite(found).all()
    assert np.linalg.norm(found) <= 1 + 1e-12
    copies = send_copies(np.ones((1, 3)), degree=1, constants=constants, ledger=NoiselessLedger())
    assert copies.gradient(0, math.inf) == pytest.approx([LARGEST_GRADIENT] * 2)
