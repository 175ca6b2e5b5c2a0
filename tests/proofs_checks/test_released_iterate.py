"""The exact delta of the iterate that DP-PGD returns (paper 004), against its runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proofs_checks.balls import ball
from proofs_checks.paper_004.section_4_1_1 import delta_of_output
from reference.losses import Linear
from reference.nonconvex.proximal_gradient_descent import Constants, dp_proximal_gradient_descent
from reference.privacy.ledger import Ledger

N, STEPS, RUNS, EPSILON, MU = 1000, 3, 1500, 1.0, 3.0
SIGMA = 2 * math.sqrt(STEPS) / (N * MU)


def telling(sign: float) -> float:
    """Return how often the output alone says by more than epsilon that the record is +e_1."""
    features = np.tile([0.0, 1.0], (N, 1))
    features[0] = [sign, 0.0]
    constants = Constants(sensitivity=2 / N, noise_scale=SIGMA, step_size=1.0)
    found = 0
    for seed in range(RUNS):
        x = dp_proximal_gradient_descent(
            (features, np.ones(N)),
            Linear(),
            initial=np.zeros(2),
            epsilon=EPSILON,
            delta=1e-2,
            n_iterations=STEPS,
            constants=constants,
            ledger=Ledger(seed),
        ).output
        rounds = round(-x[1])  # the other records move it by almost 1 a step
        found += bool(rounds) and -2 * x[0] / (N * SIGMA**2) > EPSILON
    return found / RUNS


def test_the_output_shows_how_often_it_was_moved_and_in_which_direction() -> None:
    """Both frequencies are within four standard deviations (false alarm below 2e-4)."""
    with_record, without = telling(1.0), telling(-1.0)
    deviation = math.sqrt((0.25 + math.exp(2 * EPSILON) * without) / RUNS)
    exact = float(delta_of_output(ball(MU), ball(EPSILON), STEPS))
    measured = with_record - math.exp(EPSILON) * without
    assert measured == pytest.approx(exact, abs=4 * deviation)
    assert 4 * deviation < exact / 4
