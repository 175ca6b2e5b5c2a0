"""A verifier's counterexamples: its probabilities, ours, and what the mechanisms draw.

Seeds are fixed; a right mechanism would fail a test here with probability below 1e-6.
"""

from __future__ import annotations

import math
from math import exp

import numpy as np
import pytest
from scipy import stats

from auditor.zoo.counterexamples import COUNTEREXAMPLES
from auditor.zoo.verifiers import PROGRAMS
from tests.auditor.zoo.laws import ZOO

PRINTED = {
    "BadNoisyMax": (1 / 8, exp(-81 / 2) / 8),
    "BadSparseVector1": (1 / 2 - exp(-27 / 196) / 2, 0.0),
    "BadSparseVector2": (
        1 / 2 - 803 / 2944 * exp(-67 / 92) - 385 / 1104 * exp(-67 / 184),
        (-1 + 17 * exp(67 / 92)) / 192 * exp(-201 / 184),
    ),
    "BadSparseVector3": (
        (56 - 9 * exp(-27 / 50) + 26 * exp(-81 / 200) - 63 * exp(-27 / 200)) / 112,
        (-9 + 19 * exp(27 / 200)) / 112 * exp(-27 / 50),
    ),
}
"""Probabilities of the output on either inputs, as the verifier prints them."""


@pytest.mark.parametrize("program", COUNTEREXAMPLES)
def test_the_loss_is_that_of_the_printed_probabilities_and_above_the_claim(program: str) -> None:
    found = COUNTEREXAMPLES[program]
    first, second = PRINTED[program]
    loss = math.log(first / second) if second else math.inf
    assert found.log_ratio() == pytest.approx(loss, rel=1e-9)
    assert found.log_ratio() > found.epsilon


@pytest.mark.parametrize("program", COUNTEREXAMPLES)
def test_the_mechanism_draws_the_output_as_often_as_printed(program: str) -> None:
    found, runs = COUNTEREXAMPLES[program], 200_000
    for side, probability in enumerate(PRINTED[program]):
        outputs = found.mechanism(found.pair[side], np.random.default_rng(side), runs)
        seen = int(np.count_nonzero(found.seen(outputs)))
        low, high = stats.binom.interval(1 - 1e-7, runs, probability)
        assert low <= seen <= high


def test_they_are_of_broken_programs_and_of_neighbours() -> None:
    for program, found in COUNTEREXAMPLES.items():
        assert ZOO[PROGRAMS[program]].broken
        first, second = (np.array(answers) for answers in found.inputs)
        assert np.abs(first - second).max() == 1
