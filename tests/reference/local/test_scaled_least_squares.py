"""Algorithms 5.2.39 and 5.2.40: messages by hand, roots against formulas, the noiseless limit.

Nothing here is left to chance: the seeds are given.
"""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from auditor.described.data.scaled_least_squares import hypercube, server
from auditor.described.local.nonlinear_regression import TENTH
from reference.errata.local.nonlinear_regression import printed
from reference.local.generalised_linear_model import local_generalised_linear_model
from reference.local.links import CUBIC, IDENTITY, LOGISTIC, Link, label_bound
from reference.local.nonlinear_regression import local_nonlinear_regression
from reference.local.scaled_least_squares import (
    LARGEST_FACTOR,
    Constants,
    constants_for,
    constants_of_theorem,
    smallest_root,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.guarantees import gaussian_dp_delta, gaussian_dp_mu


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    features = rng.uniform(-1, 1, (40, 3))
    features /= np.abs(features).sum(axis=1, keepdims=True)
    return features, rng.integers(0, 2, 40).astype(float)


PARAMETERS = {"public_features": np.eye(3) / 2, "epsilon": 1.0, "delta": 1e-5, "radius": 1.0}


def run(data, ledger, link=LOGISTIC, **changes):
    return local_generalised_linear_model(data, link, **{**PARAMETERS, **changes}, ledger=ledger)


def run_nonlinear(data, ledger, link=IDENTITY, **changes):
    parameters = {**PARAMETERS, "noise_bound": 0.5, **changes}
    return local_nonlinear_regression(data, link, **parameters, ledger=ledger)


# ------------------------------------------------------------------------------ the noise


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (20.0, 1e-3)])
@pytest.mark.parametrize(("radius", "label"), [(1.0, 1.0), (3.0, 0.2)])
def test_the_default_noise_spends_the_budget_and_no_more(epsilon, delta, radius, label):
    noise = constants_for(epsilon=epsilon, delta=delta, radius=radius, largest_label=label)
    mu = math.hypot(
        math.sqrt(2) * radius**2 / noise.matrix_scale, 2 * radius * label / noise.vector_scale
    )
    assert mu == pytest.approx(gaussian_dp_mu(epsilon, delta), rel=1e-9)
    assert noise.matrix_sensitivity == pytest.approx(math.sqrt(2) * radius**2)
    assert noise.vector_sensitivity == pytest.approx(2 * radius * label)


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.9])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0])
def test_the_theorems_noise_is_private_with_its_own_sensitivities(epsilon, delta):
    noise = constants_of_theorem(epsilon=epsilon, delta=delta, radius=2.0, largest_label=3.0)
    mu = math.hypot(8 / noise.matrix_scale, 12 / noise.vector_scale)
    assert gaussian_dp_delta(mu, epsilon) <= delta
    assert (noise.matrix_sensitivity, noise.vector_sensitivity) == (8.0, 12.0)
    assert noise.matrix_scale**2 == pytest.approx(32 * 16 * math.log(2.5 / delta) / epsilon**2)
    assert noise.vector_scale**2 == pytest.approx(32 * 36 * math.log(2.5 / delta) / epsilon**2)


def test_the_theorems_noise_is_for_epsilon_up_to_1():
    with pytest.raises(ValueError, match=r"epsilon must be <= 1, got 1\.5; constants_for"):
        constants_of_theorem(epsilon=1.5, delta=1e-5, radius=1.0)


def test_no_two_users_attain_both_sensitivities():
    # moves of x x^T (upper triangle) and x y over the l1 ball: their squares add up to 4 at most
    rng = np.random.default_rng(1)
    x = rng.laplace(size=(200_000, 2, 2))
    x /= np.maximum(np.abs(x).sum(axis=2, keepdims=True), rng.uniform(0, 1, (200_000, 1, 1)))
    y = rng.choice([-1.0, 1.0], (200_000, 2, 1))
    products = x[..., [0, 0, 1]] * x[..., [0, 1, 1]]
    moves = np.diff(np.concatenate([products, x * y], axis=2), axis=1)[:, 0]
    total = (moves**2).sum(axis=1)
    assert total.max() <= 4 + 1e-12
    assert total.max() > 3.5


# ------------------------------------------------------------------------------ messages


def test_messages_by_hand():
    # one user, x = (2, 2) scaled to (1/2, 1/2), y = 3 cut to 1
    noise = Constants(
        matrix_sensitivity=1.0, vector_sensitivity=1.0, matrix_scale=2.0, vector_scale=4.0
    )
    draws = [[0.5, 0.25, -1.0], [0.125, -0.25]]
    ledger = GivenDrawsLedger([np.reshape(draw, (1, -1)) for draw in draws])
    public = [[1.0, 0.0]]
    found = run(([[2.0, 2.0]], [3.0]), ledger, IDENTITY, public_features=public, constants=noise)
    matrix = [[0.25 + 1.0, 0.25 + 0.5], [0.25 + 0.5, 0.25 - 2.0]]
    vector = [0.5 + 0.5, 0.5 - 1.0]
    assert found.least_squares == pytest.approx(np.linalg.solve(matrix, vector))
    assert found.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(matrix)[0])
    assert found.factor == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("algorithm", "label"), [(run, 1.0), (run_nonlinear, 1.5)]
)  # B = 1 + 0 + .5
def test_inputs_beyond_the_promise_are_cut(algorithm, label):
    ledger = RecordingLedger(0)
    algorithm(([[1e9, -1e9, 0.0], [0.1, 0.2, 0.3]], [-1e9, 0.25]), ledger)
    matrices, vectors = ledger.transcript.releases
    assert matrices.value[0] == pytest.approx(np.outer([0.5, -0.5, 0], [0.5, -0.5, 0]))
    assert vectors.value[0] == pytest.approx([-label / 2, label / 2, 0])
    assert vectors.value[1] == pytest.approx([0.025, 0.05, 0.075])


# ------------------------------------------------------------------------------ the server


def test_the_noiseless_limit_is_least_squares_times_the_factor(data):
    found = run(data, NoiselessLedger())
    solution = np.linalg.lstsq(*data, rcond=None)[0]
    assert found.least_squares == pytest.approx(solution)
    assert found.coefficients == pytest.approx(found.factor * solution)
    scores = (np.eye(3) / 2) @ solution
    assert found.factor * LOGISTIC.derivative(found.factor * scores).mean() == pytest.approx(1)


def test_a_singular_matrix_is_reported():
    found = run(([[0.5, 0.5, 0.0]] * 3, [1.0] * 3), NoiselessLedger())
    assert found.smallest_eigenvalue == pytest.approx(0.0, abs=1e-15)
    assert found.least_squares == pytest.approx([1.0, 1.0, 0.0])  # the least norm


@pytest.mark.parametrize("algorithm", [run, run_nonlinear])
def test_the_factor_of_the_cubic_link_is_known_in_closed_form(algorithm, data):
    public = np.random.default_rng(8).uniform(-0.3, 0.3, (7, 3))
    found = algorithm(data, NoiselessLedger(), CUBIC, public_features=public)
    factor = np.mean((public @ found.least_squares) ** 2) ** (-1 / 3)
    assert found.factor == pytest.approx(factor, rel=1e-12)
    assert found.coefficients == pytest.approx(factor * found.least_squares, rel=1e-12)


@pytest.mark.parametrize(("p", "bias"), [(2, 0.126), (4, 0.059), (8, 0.0286), (12, 0.0189)])
def test_the_bias_of_the_cubic_regression_is_that_of_the_card(p, bias):
    cells = hypercube(p)
    truth = np.full(p, p**-0.5)
    matrix, vector = cells.T @ cells, cells.T @ CUBIC.mean(cells @ truth)
    found = server(CUBIC, matrix, vector, cells)
    assert found.coefficients is not None
    error = np.abs(found.coefficients - truth).max() / truth.max()
    assert error == pytest.approx(bias, rel=0.02)


def test_a_logistic_model_with_normal_features_has_no_bias():
    # Lemma 5.2.1, by quadrature in one dimension: the maximum likelihood estimate is c w_ols
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    slope = float(weights @ (nodes * LOGISTIC.mean(1.3 * nodes)))  # E x y, E x^2 = 1

    def risk(w):
        return float(
            weights @ (np.logaddexp(0, w[0] * nodes) - LOGISTIC.mean(1.3 * nodes) * w[0] * nodes)
        )

    assert minimize(risk, [0.0]).x[0] == pytest.approx(1.3, rel=1e-4)
    repeated = np.repeat(nodes * slope, np.maximum(1, np.round(1e6 * weights).astype(int)))
    factor = smallest_root(LOGISTIC, repeated)
    assert factor is not None
    assert factor * slope == pytest.approx(1.3, rel=1e-3)


# ------------------------------------------------------------------------------ roots


@pytest.mark.parametrize("scale", [1e-3, 0.1, 3.0])
def test_the_cubic_factor_has_a_closed_form(scale):
    scores = scale * np.random.default_rng(6).standard_normal(50)
    assert smallest_root(CUBIC, scores) == pytest.approx(np.mean(scores**2) ** (-1 / 3), rel=1e-12)


@pytest.mark.parametrize("size", [1e28, 1e200, 1.7e308])
def test_public_features_of_any_size_give_a_factor(data, size):
    """Found after the releases, when nothing may be raised; 1.7e308 overflows in the scores."""
    ledger = RecordingLedger(0)
    found = run_nonlinear(data, ledger, CUBIC, public_features=np.full((2, 3), size))
    assert len(ledger.transcript) == 2
    log_score = math.log(size) + math.log(abs(found.least_squares.sum()))
    log_score = min(log_score, math.log(np.finfo(float).max))
    assert found.factor == pytest.approx(math.exp(-2 / 3 * log_score), rel=1e-9)


def test_the_smallest_of_two_roots_is_found():
    scores = np.array([0.1, -0.1])  # c/4 sech^2(c/20) = 1 twice
    found = smallest_root(LOGISTIC, scores)
    grid = np.linspace(0, 60, 600_001)
    above = grid * LOGISTIC.derivative(grid * 0.1) >= 1
    assert found == pytest.approx(grid[np.argmax(above)], abs=1e-4)
    assert not above[-1]  # it falls below 1 again


def test_a_root_is_found_though_the_left_side_exceeds_1_only_shortly():
    # z f'(z) is at most .22387, at z = 1.5434; with t = .22 it exceeds t from 1.33 to 1.79
    found = smallest_root(LOGISTIC, np.array([0.22, -0.22]))
    assert found is not None
    assert 1.3 / 0.22 < found < 1.5434 / 0.22
    assert found * LOGISTIC.derivative(np.array([0.22 * found]))[0] == pytest.approx(1)


def test_no_score_gives_the_factor_of_the_slope_at_zero():
    assert smallest_root(LOGISTIC, np.zeros(4)) == pytest.approx(4.0)
    assert smallest_root(IDENTITY, np.array([3.0])) == pytest.approx(1.0)


@pytest.mark.parametrize(("link", "scores"), [(LOGISTIC, [1.0, -1.0]), (CUBIC, [0.0]), (TENTH, [])])
def test_no_root_is_reported(link, scores):
    # c/4 sech^2(c/2) < 1 everywhere; 0 = 1; a slope of 1e-5 reaches 1 beyond the largest factor
    if link is TENTH:
        link = Link("slow", TENTH.mean, lambda z: np.full_like(z, 1e-5), lambda r: 1e-5, 1e-5, True)
        scores = [1.0]
        assert LARGEST_FACTOR < 1e5
    assert smallest_root(link, np.array(scores)) is None


def test_without_a_root_there_are_no_coefficients():
    found = run(([[0.001, 0.0, 0.0]], [1.0]), NoiselessLedger(), public_features=np.eye(3)[:1])
    assert found.least_squares == pytest.approx([1000.0, 0.0, 0.0])
    assert found.factor is None
    assert found.coefficients is None


@pytest.mark.parametrize("link", [LOGISTIC, CUBIC, IDENTITY, TENTH])
def test_links_are_what_they_declare(link):
    z = np.linspace(-6, 6, 20_001)
    slope = np.gradient(link.mean(z), z)
    assert link.derivative(z)[1:-1] == pytest.approx(slope[1:-1], abs=1e-4)
    growth = np.gradient(z * link.derivative(z), z)[1:-1]
    assert growth.max() <= link.growth + 1e-4
    assert not link.increasing or growth.min() >= -1e-9
    for radius in (0.5, 2.0):
        inside = np.abs(z) <= radius
        assert np.abs(link.derivative(z[inside])).max() <= link.lipschitz(radius) * (1 + 1e-9)
        w = np.array([-1.0, 1.0])
        assert np.abs(link.mean(radius * w)).max() <= label_bound(link, radius, 0.0)


# ------------------------------------------------------------------------------ errata


@pytest.mark.parametrize(
    ("bound", "epsilon", "true"),
    [(0.11, 1.0, 0.0970), (0.1013, 1.0, 0.1234), (0.1013, 2.0, 0.3239)],
)
def test_labels_that_are_not_cut_have_the_deltas_of_the_card(bound, epsilon, true):
    scale = bound * math.sqrt(32 * math.log(2.5e5)) / epsilon
    assert gaussian_dp_delta(2 / scale, epsilon) == pytest.approx(true, rel=2e-3)


def test_the_printed_form_does_not_cut_labels():
    ledger = RecordingLedger(0)
    given = {**PARAMETERS, "public_features": np.eye(2), "noise_bound": 0.01}
    printed((np.eye(2), np.array([1.0, 0.0])), TENTH, **given, ledger=ledger)
    _, vectors = ledger.transcript.releases
    assert vectors.value[0] == pytest.approx([1.0, 0.0])
    assert vectors.claim.sensitivity == pytest.approx(0.22)
    assert vectors.mechanism.scale == pytest.approx(0.11 * math.sqrt(32 * math.log(2.5e5)))


@pytest.mark.parametrize("epsilon", [2.0, 10.0])
def test_the_noisy_matrix_of_the_experiments_is_indefinite(epsilon):
    # the smallest eigenvalue of the noise is about -2 sqrt p = -6.3 standard deviations; that of
    # X^T X/n is 1e-2, 2.6 of them at epsilon = 10. Seeds are given: the answer is always the same
    n, p = 290_000, 10
    scale = math.sqrt(32 * math.log(2.5 * n)) / epsilon / math.sqrt(n)
    assert 1e-2 / scale < 2.6
    eigenvalues = []
    for seed in range(200):
        noisy = Ledger(seed).symmetric_gaussian(np.eye(p) / p**2, sensitivity=1.0, scale=scale)
        eigenvalues.append(np.linalg.eigvalsh(noisy)[0])
    assert max(eigenvalues) < 0


def test_the_printed_sums_have_one_row_too_many():
    """diss-5.2.39/E9 and diss-5.2.40/E4: c for Phi'' = f' = 1 and m public rows."""
    for m in (1, 4, 99):
        assert smallest_root(IDENTITY, np.zeros(m)) == pytest.approx(1)
        c = 0.3
        slope = (m + 1) / m  # 1/m in front of m + 1 terms
        c -= (c * slope - 1) / slope
        assert c == pytest.approx(m / (m + 1))
