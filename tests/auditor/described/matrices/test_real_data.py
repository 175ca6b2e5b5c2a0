"""Errors that the audits of chapter 6 on real data notice, and the guess to compare with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor.core.case import RealData
from auditor.core.context import Context
from auditor.described import build_case
from auditor.described.data.second_moments import as_guessed, survey
from auditor.questions.real_data import measure_losses, measure_utility
from reference.matrices.second_moments import second_moment
from reference.matrices.sparse_local_pca import SparseSubspace
from reference.privacy.ledger import Ledger, MutatedLedger

CONTEXT = Context(tests=20, path=("test",))
FOUR = ["diss-6.2-NAIVE", "diss-6.2.49", "diss-6.1.47", "diss-6.3.53"]


def with_noise_times(factor: float, identifier: str) -> RealData:
    """Return the audit of an algorithm whose noise is off by a factor, its claim as before."""
    (real,) = build_case(identifier).real_data

    def run(data: Any, epsilon: float, ledger: Ledger) -> Any:
        loud = MutatedLedger(ledger, lambda _, m, v, s: (m.rescaled(factor), v, s))
        return real.run(data, epsilon, loud)

    return replace(real, run=run)


@pytest.mark.parametrize("identifier", FOUR)
@pytest.mark.parametrize(("factor", "beaten"), [(1.0, True), (30.0, False)])
def test_an_estimate_with_thirty_times_the_noise_does_not_beat_a_guess(
    identifier: str, factor: float, beaten: bool
) -> None:
    real = with_noise_times(factor, identifier)
    utility = measure_utility(real, real.load(), CONTEXT)
    assert utility.comparison is not None
    assert utility.comparison.beaten is beaten
    assert utility.of_use is beaten


@pytest.mark.parametrize("identifier", FOUR)
@pytest.mark.parametrize(("factor", "violated"), [(1.0, False), (0.1, True)])
def test_a_tenth_of_the_noise_shows_in_the_losses_on_real_neighbours(
    identifier: str, factor: float, violated: bool
) -> None:
    real = with_noise_times(factor, identifier)
    _, found = measure_losses(real, real.load(), CONTEXT)
    assert (found.p_value <= CONTEXT.alpha) is violated


def test_what_the_threshold_leaves_of_a_small_epsilon_is_the_zero_matrix() -> None:
    """LDP-Thresholding has an error of exactly 1 up to epsilon = 8, and says so."""
    (real,) = build_case("diss-6.2.49").real_data
    data = real.load()
    for epsilon in (1.0, 8.0):
        found = real.run(data, epsilon, Ledger(0))
        assert not found.positive.any()
        assert real.error(found, real.baseline(data)) == 1.0


def test_the_guess_is_the_moment_of_uniform_columns() -> None:
    columns = np.random.default_rng(0).uniform(-1, 1, (100_000, 8)) / np.sqrt(8)
    # entries deviate by at most .1/8/316 = 4e-5
    assert second_moment(columns) == pytest.approx(np.eye(8) / 24, abs=3e-4)
    truth = second_moment(survey())
    expected = np.linalg.norm(truth - np.eye(8) / 24) / np.linalg.norm(truth)
    trivial = as_guessed(lambda moment: moment, 8, beaten_at=1.0)
    assert trivial.error(truth) == pytest.approx(expected)
    assert 0.7 < expected < 0.75  # of the zero matrix: 1


def test_a_random_direction_misses_seven_eighths() -> None:
    (real,) = build_case("diss-6.1.47").real_data
    assert real.trivial is not None
    basis = real.baseline(real.load())
    drawn = np.random.default_rng(1).standard_normal((20_000, 8, 1))
    directions = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    mean = np.mean([real.error(SparseSubspace(one, 0.0), basis) for one in directions])
    # the deviation of one is .1, of the mean .0007
    assert mean == pytest.approx(real.trivial.error(basis), abs=0.004)
