"""The data, budgets and errors of the experiments of DP-EM."""

import numpy as np
import pytest

from auditor.experiments.em import DISSERTATION, JOURNAL, MODELS, EMProblem


def test_the_deltas_that_the_texts_print() -> None:
    assert JOURNAL.delta(1000) == pytest.approx(1000**-1.1)
    assert DISSERTATION.delta(1000) == pytest.approx(1e-3)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_errors_are_distances_of_each_iterate(name: str) -> None:
    problem = EMProblem.draw(name, 50, 4, np.random.default_rng(0))
    assert np.linalg.norm(problem.truth) == pytest.approx(1)
    far = problem.truth + np.array([0.6, 0.8, 0.0, 0.0])
    errors = problem.errors(np.array([problem.truth, far]))
    assert errors == pytest.approx([0.0, 1.0])


def test_only_a_model_that_knows_the_sign_is_charged_for_it() -> None:
    for name in MODELS:
        problem = EMProblem.draw(name, 50, 4, np.random.default_rng(0))
        known = 2.0 if name == "missing covariates" else 0.0
        assert problem.errors(-problem.truth[None]) == pytest.approx([known])
