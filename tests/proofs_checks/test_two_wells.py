"""The quadratures of section 4.2 of paper 004 against direct computations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from proofs_checks.balls import ball
from proofs_checks.paper_004 import section_4_2_wells as wells


def chain(beta: float, every: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points and rates up and down of a nearest-neighbour chain with the Gibbs law."""
    points = wells.FULL[::every]
    points = points[np.abs(points) <= 4]
    rise = np.diff(wells.loss(points))
    rate = 1 / (beta * (points[1] - points[0]) ** 2)
    return points, rate * np.exp(-beta * rise / 2), rate * np.exp(beta * rise / 2)


def generator(beta: float, every: int) -> tuple[np.ndarray, np.ndarray]:
    points, up, down = chain(beta, every)
    matrix = np.diag(up, 1) + np.diag(down, -1)
    return points, matrix - np.diag(matrix.sum(axis=1))


def test_barrier_and_minima_are_those_of_the_docstring() -> None:
    values, least, top = wells.landscape()
    left = int(np.argmin(values[:top]))
    assert wells.FULL[left] == pytest.approx(-1.531, abs=1e-3)
    assert wells.FULL[np.argmin(values)] == pytest.approx(1.534, abs=1e-3)
    assert values[top] - values[left] == pytest.approx(0.8124, abs=1e-4)
    assert values[left] - least == pytest.approx(0.2987, abs=1e-4)


def test_the_enclosed_loss_contains_the_loss() -> None:
    for w in (-12.0, -1.5, -0.1, 0.0, 1.5, 7.25):
        enclosed, value = wells.enclosed_loss(ball(w)), float(wells.loss(np.array(w)))
        assert float(enclosed) == pytest.approx(value, rel=1e-14)
        assert enclosed.rel_accuracy_bits() > 40


def test_test_function_bounds_the_spectral_gap_from_above() -> None:
    beta = 10.0
    _, matrix = generator(beta, 20)
    gap = -np.sort(np.linalg.eigvals(matrix).real)[-2] * beta  # E(g) without the 1/beta
    bound = np.exp(wells.spectral_gap_bound(beta))
    assert gap <= bound <= 4 * gap  # a linear ramp loses a factor of 3 here


def test_poisson_solution_solves_the_equation_of_a_chain() -> None:
    beta = 10.0
    points, matrix = generator(beta, 20)
    gibbs = np.exp(-beta * wells.loss(points))
    gibbs /= gibbs.sum()
    source = wells.loss(points) - gibbs @ wells.loss(points)
    psi = np.linalg.lstsq(beta * matrix, source * 1.0, rcond=None)[0]
    psi -= psi[np.argmin(wells.loss(points))]
    growth = np.log(np.max(np.abs(psi) / (1 + points**2)))
    assert wells.poisson_growth(beta) == pytest.approx(growth, abs=0.05)


@pytest.mark.parametrize("log_time", [2.0, 5.0])
def test_time_in_the_left_well_is_bounded_from_below(log_time: float) -> None:
    """The exact average of F along the chain is at least what the bound says."""
    beta = 15.0
    points, matrix = generator(beta, 40)
    values = wells.loss(points)
    start = int(np.argmin(np.where(points < 0, values, np.inf)))
    time, size = float(np.exp(log_time)), points.size
    block = np.zeros((size + 1, size + 1))  # the integral of exp(s Q) F over [0, S]
    block[:size, :size], block[:size, size] = matrix * time, values * time
    average = scipy.linalg.expm(block)[start, size] / time
    bound = wells.left_behind(beta, log_time)
    assert 0 < bound <= average - values.min()
