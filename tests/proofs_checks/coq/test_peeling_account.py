"""The two accounts of the peeling theorem cover what the code claims of the scale that it takes."""

from __future__ import annotations

import math

import pytest

from reference.sparse.peeling import noise_scale


def theorem_epsilon(scale: float, delta: float, sparsity: int, sensitivity: float) -> float:
    """Return the smaller of 3 s Delta/b and the epsilon of rho = (5/2) s (Delta/b)^2."""
    rho = sparsity * 5 / 2 * (sensitivity / scale) ** 2
    pure = sparsity * 3 * (sensitivity / scale)
    return min(pure, rho + 2 * math.sqrt(rho * math.log(1 / delta)))


@pytest.mark.parametrize("sparsity", [1, 2, 12, 200])
@pytest.mark.parametrize("delta", [0.3, 1e-2, 1e-8])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 60.0])
def test_the_scale_of_the_code_spends_no_more_than_epsilon(
    sparsity: int, delta: float, epsilon: float
) -> None:
    scale = noise_scale(epsilon, delta, sparsity=sparsity, sensitivity=0.3)
    assert theorem_epsilon(scale, delta, sparsity, 0.3) <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize(("sparsity", "epsilon"), [(200, 60.0), (2, 60.0)])
def test_where_the_scale_is_not_the_papers_it_spends_epsilon(sparsity: int, epsilon: float) -> None:
    scale = noise_scale(epsilon, 0.3, sparsity=sparsity, sensitivity=0.3)
    paper = 2 * 0.3 * math.sqrt(3 * sparsity * math.log(1 / 0.3)) / epsilon
    assert scale > paper
    assert theorem_epsilon(scale, 0.3, sparsity, 0.3) == pytest.approx(epsilon, rel=1e-9)
    assert theorem_epsilon(0.99 * scale, 0.3, sparsity, 0.3) > epsilon
