"""The data, budgets and errors of the experiments of DP-EM."""

import numpy as np
import pytest

from auditor.experiments import em_highdim
from auditor.experiments.em import DISSERTATION, JOURNAL, MODELS, EMProblem
from reference.em.models import GaussianMixture
from reference.em.sparse_em import sparse_em


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


def test_the_path_of_sparse_em_ends_where_the_algorithm_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = []

    def watched(*args: object, **given: object) -> np.ndarray:
        ends.append(sparse_em(*args, **given))  # type: ignore[arg-type]
        return ends[-1]

    monkeypatch.setattr(em_highdim, "sparse_em", watched)
    curve = em_highdim.Sparse(GaussianMixture(0.5), 600, 2, 2.0, 1.0, n_iterations=3)
    errors = curve.errors(10, np.random.default_rng(0))
    truth = np.array([2**-0.5, 2**-0.5, *[0.0] * 8])
    assert errors.shape == (4,)
    assert errors[0] == pytest.approx(1 / 8)  # ||beta*||/8 from beta*
    assert errors[-1] == pytest.approx(np.linalg.norm(ends[0] - truth))
