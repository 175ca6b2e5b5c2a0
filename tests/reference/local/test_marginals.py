import math
from itertools import product

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from reference.local.marginals import (
    constants_for,
    local_chebyshev,
    monomials,
    step_polynomial,
)
from reference.privacy import GivenDrawsLedger, NoiselessLedger


@pytest.mark.parametrize(
    ("k", "accuracy", "degree", "largest"),
    [(2, 0.4, 2, 1.41), (3, 0.2, 3, 1.73), (4, 0.1, 4, 2.00), (6, 0.1, 5, 2.04), (9, 0.1, 6, 2.00)],
)
def test_the_polynomial_is_0_and_then_nearly_1(k, accuracy, degree, largest):
    p = step_polynomial(k, accuracy / 2)
    assert p(0.0) == 0.0
    errors = np.abs(p(np.arange(1, k + 1)) - 1)
    assert errors.max() <= accuracy / 2 * (1 + 1e-9)
    assert len(p.coef) - 1 == degree
    assert np.abs(p.coef).max() == pytest.approx(largest, abs=0.01)
    # with one degree less the same construction is not close enough
    assert math.cosh((degree - 1) * math.acosh((k + 1) / (k - 1))) < 2 / accuracy


@pytest.mark.parametrize("k", [1, 2, 5])
def test_no_higher_degree_than_k_is_of_use(k):
    p = step_polynomial(k, 1e-9)
    assert p(np.arange(k + 1)) == pytest.approx([0.0] + [1.0] * k, abs=1e-12)
    assert len(p.coef) - 1 == k


@pytest.mark.parametrize(("dimension", "degree"), [(1, 3), (3, 2), (4, 3)])
def test_monomials_add_up_to_the_polynomial_of_the_sum(dimension, degree):
    p = Polynomial([0.0, 1.5, -0.7, 0.2][: degree + 1])
    supports, coefficients = monomials(p, dimension)
    assert len(supports) == math.comb(dimension + degree, degree) - 1
    for x, y in product(product((0, 1), repeat=dimension), repeat=2):
        both = np.array(x) * np.array(y)
        value = float((coefficients * (both >= supports).all(axis=1)).sum())
        assert value == pytest.approx(p(both.sum()), abs=1e-12)


@pytest.mark.parametrize(("k", "accuracy", "total"), [(3, 0.2, 151.7), (4, 0.1, 463.5)])
def test_all_zeros_and_all_ones_are_as_far_apart_as_is_claimed(k, accuracy, total):
    p = step_polynomial(k, accuracy / 2)
    _, coefficients = monomials(p, 8)
    sensitivity = constants_for(coefficients, epsilon=1.0).sensitivity
    assert sensitivity == pytest.approx(total, abs=0.05)
    assert sensitivity == pytest.approx((np.abs(p.coef) * 8.0 ** np.arange(len(p.coef))).sum())
    assert sensitivity <= len(coefficients) * np.abs(coefficients).max()  # the text's N T


def test_without_noise_every_disjunction_is_answered_within_half_the_accuracy():
    rng = np.random.default_rng(1)
    data = (rng.random((50, 5)) < 0.3).astype(int)
    queries = np.array([y for y in product((0, 1), repeat=5) if sum(y) <= 3])
    found = local_chebyshev(data, queries, epsilon=1.0, accuracy=0.3, k=3, ledger=NoiselessLedger())
    truth = (data @ queries.T > 0).mean(axis=0)
    assert np.abs(found - truth).max() <= 0.15 + 1e-12
    assert np.abs(found - truth).max() > 0.01  # it is a polynomial
    exact = local_chebyshev(
        data, queries, epsilon=1.0, accuracy=0.01, k=3, ledger=NoiselessLedger()
    )
    assert exact == pytest.approx(truth, abs=1e-12)


def test_given_draws_by_hand():
    # p = 2, k = 1: the monomials y_1 and y_2 with coefficient 1; scale 2/.5 = 4
    ledger = GivenDrawsLedger([[[0.25, 0.0], [0.0, -0.5]]])
    found = local_chebyshev(
        [[1, 0], [1, 1]], [[1, 0], [0, 1], [0, 0]], epsilon=0.5, accuracy=0.5, k=1, ledger=ledger
    )
    assert found == pytest.approx([(2 + 1 + 0) / 2, (1 + 0 - 2) / 2, 0.0])
