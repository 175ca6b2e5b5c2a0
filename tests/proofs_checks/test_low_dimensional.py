"""Helpers of the checks of section 3.2 of paper 004, against independent computations.

Fixed seeds. The simulation compares with an exact figure within 5.5 standard errors (error
probability below 4e-8); everything else is deterministic.
"""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

from proofs_checks.paper_004 import section_3_2_3 as aggregate
from proofs_checks.paper_004 import section_3_2_4_known_mean as known_mean
from proofs_checks.paper_004 import section_3_2_6_convex as convex
from proofs_checks.paper_004 import section_3_2_6_known_mean as net


@pytest.mark.parametrize(("shift", "u"), [(0.3, 0.2), (0.3, -0.2), (1.0, 0.5), (0.0, -0.4)])
def test_scaled_gaussians_on_the_line(shift: float, u: float) -> None:
    # quadrature of (p - e^eps q)_+
    x = np.linspace(-30, 30, 600_001)
    log_p, log_q = -(x**2) / 2, -((x - shift) ** 2) * math.exp(-2 * u) / 2 - u
    excess = np.maximum(np.exp(log_p) - math.exp(0.1) * np.exp(log_q), 0)
    expected = float(excess.sum() * (x[1] - x[0]) / math.sqrt(2 * math.pi))
    found = aggregate._scaled_gaussian_delta(1, 0.1, shift, u)
    assert found == pytest.approx(expected, rel=1e-6)


def test_far_tail_of_scaled_gaussians() -> None:
    # d = 1, no shift, narrower second law: both tails beyond one point
    u = -0.1
    c = math.exp(-2 * u)
    x = math.sqrt(2 * (20.0 - u) / (c - 1))
    first, second = (2 * math.exp(log_ndtr(-y)) for y in (x, x * math.sqrt(c)))
    expected = first - math.exp(20.0) * second
    found = aggregate._scaled_gaussian_delta(1, 20.0, 0.0, u)
    assert found == pytest.approx(expected, rel=1e-9)


def test_smoothness_violation_sees_more_changes_than_allowed() -> None:
    first, _ = aggregate._shells(100, 5, 0.1)
    second = first.copy()
    second[:45, :45] = 100 * np.eye(45)
    assert aggregate._smoothness_violation(first, second, 5, 0.1)[0] > 1
    # a centre that jumps from one half to the other
    halves = np.concatenate([np.zeros(30), np.full(30, 5.0)])[:, None]
    shifted = halves.copy()
    shifted[:25] = 5.0
    assert aggregate._smoothness_violation(halves, shifted, 1, 0.1)[1] > 0


def test_covering_number_by_hand() -> None:
    line = np.arange(10.0)[:, None]
    assert [net._covering_number(line, radius) for radius in (1.0, 0.5, 100.0)] == [5, 10, 1]


def test_needed_constant_is_met_by_the_sign_of_the_mean() -> None:
    """+-e_1/sqrt(n) by the sign of the mean is wrong with probability Phi(-1), at excess 2/n."""
    n = 50.0
    # its risk is at least what the lower bound says of any estimate
    risk = float(ndtr(-1.0)) * 2 / n
    assert known_mean.needed_constant(n, risk, 0.0) == pytest.approx(1 / 4)


@pytest.mark.parametrize("shape", ["quadratic", "huber", "logcosh"])
def test_gradients_of_the_convex_risks(shape: str) -> None:
    rng = np.random.default_rng(5)
    x, w, h = rng.uniform(0.1, 1, 3), 2 * rng.standard_normal(3), 1e-6
    for j in range(3):
        step = h * np.eye(3)[j]
        slope = (convex._risk(w + step, x, shape) - convex._risk(w - step, x, shape)) / (2 * h)
        assert convex._gradient(w, x, shape)[j] == pytest.approx(slope, abs=1e-8)


def test_errors_that_push_away_use_up_the_ball() -> None:
    best, last, far = convex._worst_run(np.random.default_rng(6))
    assert 0.5 < best <= last <= 1
    assert 1.8 < far <= 2 + 1e-12
