"""Algorithm 5.1.36: features and answers by hand, the sensitivity against a search. Seeds fixed."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from reference.errata.local.trigonometry_mechanism import printed_constants
from reference.local.trigonometry_mechanism import (
    Constants,
    coefficients,
    constants_for,
    feature_sensitivity,
    features_of,
    local_trigonometry_mechanism,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger

CARD = {3: 1.041667, 4: 1.0789, 5: 1.1039, 6: 1.1215, 10: 1.1583, 20: 1.1873, 50: 1.2051}


def run(data, ledger, **changes):
    return local_trigonometry_mechanism(
        data, **{"epsilon": 1.0, "n_degrees": 4, **changes}, ledger=ledger
    )


@pytest.mark.parametrize(("t", "ratio"), CARD.items())
def test_sensitivities_of_the_card(t, ratio):
    assert feature_sensitivity(t, 1) / t == pytest.approx(ratio, abs=1e-4)
    assert feature_sensitivity(t, 3) / t**3 == pytest.approx(ratio, abs=1e-4)


@pytest.mark.parametrize("t", [1, 2])
def test_two_degrees_are_as_printed_and_one_tells_nothing(t):
    # cos(phi) moves by 2, the constant does not: t - min K = 2 at t = 2 and 0 at t = 1
    assert feature_sensitivity(t, 1) == pytest.approx(2.0 * (t - 1))


def test_the_limit_of_the_ratio():
    # 1 - min sin(z)/z
    z = np.linspace(1, 10, 1_000_001)
    assert feature_sensitivity(256, 1) / 256 == pytest.approx(1 - (np.sin(z) / z).min(), abs=3e-3)


def test_the_noise_of_more_features_than_can_be_sent_is_refused():
    with pytest.raises(ValueError, match="n_degrees"):
        constants_for(epsilon=1.0, n_degrees=4, dimension=1000)


@pytest.mark.parametrize(("t", "p"), [(2, 1), (3, 1), (5, 1), (8, 1), (3, 2), (4, 2), (3, 3)])
def test_no_search_finds_a_larger_sensitivity_and_one_attains_it(t, p):
    def distance(point):
        x, other = np.tanh(np.reshape(point, (2, 1, p)))
        return -np.abs(features_of(x, t) - features_of(other, t)).sum()

    rng = np.random.default_rng(t + 10 * p)
    starts = np.concatenate([rng.normal(0, 2, (25, 2 * p)), [[9.0] * p + [-0.2] + [9.0] * (p - 1)]])
    found = [-minimize(distance, start, method="Nelder-Mead").fun for start in starts]
    bound = feature_sensitivity(t, p)
    assert max(found) <= bound
    assert max(found) > 0.999 * bound


def test_features_by_hand():
    # T_0..T_2 of 1/2: 1, 1/2, -1/2; of -1: 1, -1, 1
    found = features_of(np.array([[0.5, -1.0]]), 3)[0]
    assert found == pytest.approx(np.outer([1.0, 0.5, -0.5], [1.0, -1.0, 1.0]))


def test_messages_by_hand():
    ledger = GivenDrawsLedger([[[1.0, 2.0], [3.0, -4.0]]])
    found = run([[0.5], [7.0]], ledger, n_degrees=2, constants=Constants(2.0, 0.25))
    # means of (1 + .25, .5 + .5) and (1 + .75, 1 - 1)
    assert found.means == pytest.approx([1.5, 0.5])


@pytest.mark.parametrize("p", [1, 2, 3])
def test_the_noiseless_limit_answers_polynomials_exactly(p):
    data = np.random.default_rng(p).uniform(-1, 1, (30, p))
    queries = run(data, NoiselessLedger())
    for powers in itertools.product(range(4), repeat=p):

        def monomial(x, powers=powers):
            return np.prod(x ** np.array(powers), axis=1)

        assert queries.answer(monomial) == pytest.approx(monomial(data).mean(), abs=1e-12)


def test_the_error_of_the_approximation_falls_like_a_power_of_the_smoothness():
    # |x|^3 has two derivatives, and a third of bounded variation: t^-3
    data = np.linspace(-0.9, 1, 101)[:, None]
    errors = []
    for t in (8, 64):
        approximation = run(data, NoiselessLedger(), n_degrees=t)
        grid = np.linspace(-1, 1, 999)[:, None]
        c = coefficients(lambda x: np.abs(x[:, 0]) ** 3, (t,))
        errors.append(np.abs(features_of(grid, t) @ c - np.abs(grid[:, 0]) ** 3).max())
        assert approximation.means.shape == (t,)
    assert errors[1] < errors[0] / 8**2.5


def test_coefficients_are_those_of_numpy():
    c = coefficients(lambda x: np.exp(x[:, 0]), (6,))
    assert c == pytest.approx(np.polynomial.chebyshev.chebinterpolate(np.exp, 5))


def test_the_printed_noise_is_for_a_width_of_1():
    noise = printed_constants(np.zeros((2, 3)), epsilon=0.5, n_degrees=4)
    assert noise == Constants(64.0, 128.0)
    right = constants_for(epsilon=0.5, n_degrees=4, dimension=3)
    assert right.noise_scale == pytest.approx(1.0789 * 128, rel=1e-3)


@pytest.mark.parametrize("function", [lambda x: x, lambda x: np.full(len(x), np.inf)])
def test_a_query_without_a_number_for_every_node_is_refused(function):
    queries = run(np.zeros((4, 2)), Ledger(0))
    with pytest.raises(ValueError, match="function must give 16 finite numbers"):
        queries.answer(function)
