"""Programs that verifiers are tried on: the law of running sums, and which specimen is which."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from auditor.zoo.verifiers import PROGRAMS
from tests.auditor.zoo.laws import ZOO, outputs
from tests.auditor.zoo.test_vectors import assert_log_ratio, assert_uniform

BLOCK = 4


def released(side: int) -> list[float]:
    """Return what has noise of its own: answers, and at the end of a block its sum."""
    answers = ZOO["smart-sum"].pair[side].tolist()
    ends = range(BLOCK - 1, len(answers), BLOCK)
    return [
        sum(answers[i - BLOCK + 1 : i + 1]) if i in ends else answer
        for i, answer in enumerate(answers)
    ]


def noisy_parts(running: np.ndarray) -> np.ndarray:
    """Return a number at the end of a block, and elsewhere its distance from the one before."""
    steps = np.diff(running, axis=1, prepend=0.0)
    steps[:, BLOCK - 1 :: BLOCK] = running[:, BLOCK - 1 :: BLOCK]
    return steps


@pytest.mark.parametrize("side", [0, 1])
def test_running_sums_are_independent_releases(side: int) -> None:
    residual = noisy_parts(outputs("smart-sum", side, 10_000)) - np.array(released(side))
    assert_uniform(stats.laplace.cdf(residual))


def test_log_ratio_of_running_sums() -> None:
    def log_law(side: int, running: np.ndarray) -> np.ndarray:
        law = stats.laplace(np.array(released(side)), 1)
        return np.asarray(law.logpdf(noisy_parts(running)).sum(axis=1))

    assert_log_ratio("smart-sum", log_law)


def test_an_answer_is_in_two_releases() -> None:
    moved = np.array(released(1)) - np.array(released(0))
    assert np.count_nonzero(moved) == np.abs(moved).sum() == 2
    assert ZOO["smart-sum"].truth(0.0) == 2.0
    # E (1 - e^(2 - t - L))_+ for the loss L of two Laplace releases of 1 each, integrated by hand
    for t in (0.01, 0.1, 0.5, 1.0):
        delta = 1 - np.exp(-t / 2) * (1 + t / 4)
        assert ZOO["smart-sum"].truth(delta) == pytest.approx(2 - t, abs=2e-6)


def test_programs_are_specimens_that_are_right_or_broken_as_their_names_say() -> None:
    assert len(set(PROGRAMS.values())) == len(PROGRAMS)
    for program, name in PROGRAMS.items():
        assert ZOO[name].broken is program.startswith("Bad"), program
