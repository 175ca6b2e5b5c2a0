"""The figures in the witnesses of its errata, computed again."""

import math

import numpy as np
import pytest

from reference.errata.heavy_tailed.known_mean_gradient_descent import printed, printed_2
from reference.heavy_tailed.known_mean_gradient_descent import known_mean_gradient_descent
from reference.privacy import GivenDrawsLedger
from reference.privacy.guarantees import zcdp_epsilon
from tests.reference.heavy_tailed.test_known_mean_gradient_descent import descend, releases


def test_the_printed_budget_spends_the_11_6_of_erratum_3():
    made = releases(np.zeros((40, 1)), function=printed_2)
    total = sum(r.cost().cost.rho for r in made)
    assert total == pytest.approx(2.0)
    assert zcdp_epsilon(total, 1e-5) == pytest.approx(11.6, abs=0.01)


def test_the_printed_scale_has_the_numbers_of_erratum_1():
    zeros = np.zeros((100, 1))
    spike = zeros.copy()
    spike[0] = -5e5  # gradient 1e6
    options = {"lower": -1.0, "upper": 1.0, "trim": 20, "n_iterations": 1}
    scales = [
        releases(x, function=printed, **options)[0].mechanism.smooth_bound for x in (zeros, spike)
    ]
    assert scales == pytest.approx([1.90, 16667], rel=1e-3)
    first, second = (releases(x, **options)[0] for x in (zeros, spike))
    distance = first.mechanism.smooth_distance(first.value, second.mechanism, second.value)
    assert distance == pytest.approx(1.0, rel=1e-9)


def test_the_noise_of_a_constant_m_has_the_size_of_erratum_2():
    # n = 1e5, d = 5, T = 10: 50 releases; the first of them is like the others
    data = np.zeros((100_000, 5))
    made = releases(
        data, initial=np.zeros(5), lower=0.0, upper=1.0, trim=5, n_iterations=10, step_size=1e-9
    )
    deviation = math.sqrt(math.expm1(2) / 2) * made[0].mechanism.scale
    assert deviation == pytest.approx(247.7, abs=0.1)


@pytest.mark.parametrize("function", [known_mean_gradient_descent, printed])
def test_without_noise_the_printed_form_descends_as_the_right_one_does(function):
    # gradients 2 (w - 0.5): from 0 to 0.25, and to 0.375
    found = descend(
        np.full((20, 1), 0.5), function=function, n_iterations=2, ledger=GivenDrawsLedger([0.0] * 2)
    )
    assert found == pytest.approx([0.375])
