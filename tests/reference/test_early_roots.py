"""A root that ends before epsilon: what tilde-epsilon is if the text at hand is taken literally."""

from __future__ import annotations

import math

import pytest

from reference.privacy.guarantees import gaussian_dp_delta, zcdp_rho


def literal(epsilon: float, delta: float) -> float:
    """sqrt(log(1/delta)) + epsilon - sqrt(log(1/delta))."""
    root = math.sqrt(math.log(1 / delta))
    return root + epsilon - root


def test_a_root_that_ends_too_early_is_another_budget() -> None:
    """wang-2/E8, diss-3.3.9/E6 and diss-4.1.16/E9: Gaussian noise for rho = epsilon^2."""
    epsilon, delta = 1.0, 1e-5
    rho = literal(epsilon, delta) ** 2
    assert rho == pytest.approx(epsilon**2)
    assert rho > 45 * zcdp_rho(epsilon, delta)
    spent = gaussian_dp_delta(math.sqrt(2 * rho), epsilon)
    assert spent == pytest.approx(0.286, abs=5e-4)
    assert gaussian_dp_delta(math.sqrt(2 * zcdp_rho(epsilon, delta)), epsilon) < delta


def test_a_root_that_ends_too_early_is_no_smaller_for_a_small_delta() -> None:
    """diss-7.2.56/E5: l.10048 goes on with O(epsilon/sqrt(log(1/delta)))."""
    epsilon, delta = 1.0, 1e-100
    assert literal(epsilon, delta) == pytest.approx(1)
    assert math.sqrt(zcdp_rho(epsilon, delta)) == pytest.approx(0.0329, abs=1e-4)
