"""EM with an exact M-step, and gradient EM that keeps the largest entries."""

import itertools

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from reference.em.em import expectation_maximisation
from reference.em.gradient_em import gradient_em
from reference.em.hard_thresholding_em import hard_threshold, hard_thresholding_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.errata.em.models import PrintedMissingCovariates, PrintedMixture, PrintedRegressions

TRUTH = np.array([1.0, -0.5, 0.3])
EXACT: dict[str, LatentModel] = {
    "mixture": GaussianMixture(0.6),
    "regressions": MixtureOfRegressions(0.6),
    "missing": MissingCovariates(0.6, 0.4),
}
PRINTED: dict[str, LatentModel] = {
    "mixture": PrintedMixture(0.6),
    "regressions": PrintedRegressions(0.6),
    "missing": PrintedMissingCovariates(0.6, 0.4),
}


def path(data: np.ndarray, model: LatentModel, start: np.ndarray, steps: int) -> list[np.ndarray]:
    iterates = [start]
    for _ in range(steps):
        iterates.append(expectation_maximisation(data, model, initial=iterates[-1], n_iterations=1))
    return iterates


def likelihoods(data: np.ndarray, model: LatentModel, start: np.ndarray, steps: int) -> np.ndarray:
    return np.array([model.log_likelihood(data, b) for b in path(data, model, start, steps)])


@pytest.mark.parametrize("model", EXACT.values(), ids=EXACT)
class TestExact:
    @settings(max_examples=60)
    @given(
        seed=st.integers(0, 10**6),
        n=st.integers(1, 30),
        start=st.lists(st.floats(-5, 5), min_size=3, max_size=3),
        size=st.sampled_from([0.1, 1.0, 10.0]),
    )
    def test_likelihood_and_objective_never_fall(
        self, model: LatentModel, seed: int, n: int, start: list[float], size: float
    ) -> None:
        # any records, not only those of the model; responses and mixtures of any size
        data = model.sample(TRUTH, n, np.random.default_rng(seed))
        data[:, -1] *= size
        iterates = path(data, model, np.array(start), 4)
        values = [model.log_likelihood(data, b) for b in iterates]
        slack = 1e-9 * (1 + np.abs(values).max())
        assert (np.diff(values) >= -slack).all()
        for old, new in itertools.pairwise(iterates):
            gain = model.objective(data, new, old) - model.objective(data, old, old)
            assert gain >= -slack
            # Jensen: sigma^2 times the gain of the likelihood is at least that of Q_n
            climbed = model.log_likelihood(data, new) - model.log_likelihood(data, old)
            assert model.standard_deviation**2 * climbed >= gain - slack

    def test_finds_the_maximum_of_the_likelihood(self, model: LatentModel) -> None:
        data = model.sample(TRUTH, 400, np.random.default_rng(1))
        found = expectation_maximisation(data, model, initial=TRUTH, n_iterations=300)
        best = optimize.minimize(
            lambda b: -model.log_likelihood(data, b), TRUTH, method="BFGS", options={"gtol": 1e-9}
        )
        np.testing.assert_allclose(found, best.x, atol=1e-6)
        np.testing.assert_allclose(model.gradients(data, found).mean(axis=0), 0, atol=1e-10)


def test_of_the_mixture_is_gradient_em_with_step_one() -> None:
    model = EXACT["mixture"]
    data = model.sample(TRUTH, 50, np.random.default_rng(5))
    em = expectation_maximisation(data, model, initial=TRUTH / 2, n_iterations=7)
    gradient = gradient_em(data, model, initial=TRUTH / 2, step_size=1.0, n_iterations=7)
    np.testing.assert_allclose(em, gradient, rtol=1e-12)


def test_hand_computed_steps() -> None:
    # y = 1 and -2 at beta = 1: (tanh(1) + 2 tanh(2))/2
    mixture = expectation_maximisation(
        [[1.0], [-2.0]], GaussianMixture(1.0), initial=[1.0], n_iterations=1
    )
    np.testing.assert_allclose(mixture, [(np.tanh(1) + 2 * np.tanh(2)) / 2])
    # (x, y) = (1, 1), (2, -1): sum tanh(y x) y x / sum x^2
    regressions = expectation_maximisation(
        [[1.0, 1.0], [2.0, -1.0]], MixtureOfRegressions(1.0), initial=[1.0], n_iterations=1
    )
    np.testing.assert_allclose(regressions, [(np.tanh(1) + 2 * np.tanh(2)) / 5])
    # x missing, y = 2, beta = 1, sigma^2 = 1: m = 2/2 = 1, E x^2 = 1 - 1/2 + 1; as printed 1
    record = [[np.nan, 2.0]]
    exact = expectation_maximisation(record, MissingCovariates(1.0), initial=[1.0], n_iterations=1)
    np.testing.assert_allclose(exact, [2 / 1.5])
    printed = expectation_maximisation(
        record, PrintedMissingCovariates(1.0), initial=[1.0], n_iterations=1
    )
    np.testing.assert_allclose(printed, [2.0])


@pytest.mark.parametrize("name", ["mixture", "regressions"])
def test_zero_is_a_fixed_point(name: str) -> None:
    data = EXACT[name].sample(TRUTH, 20, np.random.default_rng(6))
    found = expectation_maximisation(data, EXACT[name], initial=np.zeros(3), n_iterations=3)
    np.testing.assert_array_equal(found, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_iterations": 0}, "n_iterations must be an integer >= 1"),
        ({"initial": [[1.0]]}, "initial must have 1 dimension"),
        ({"initial": [np.inf]}, "initial must be finite"),
        ({"data": [[np.nan]]}, "data must be finite"),
        ({"data": [[1.0, 2.0]]}, "data must have shape"),
    ],
)
def test_bad_input(changes: dict, message: str) -> None:
    arguments = {"data": [[1.0]], "initial": [1.0], "n_iterations": 1, **changes}
    with pytest.raises(ValueError, match=message):
        expectation_maximisation(model=GaussianMixture(1.0), **arguments)


# ------------------------------------------------------------------------- hard thresholding

SPARSE_START = np.array([0.9, 0.0, 0.4, 0.0])
SPARSE_TRUTH = np.array([1.0, 0.0, 0.5, 0.0])


def test_hard_threshold() -> None:
    vector = np.array([1.0, -3.0, 0.5, 3.0])
    np.testing.assert_array_equal(hard_threshold(vector, 2), [0.0, -3.0, 0.0, 3.0])
    np.testing.assert_array_equal(hard_threshold(vector, 1), [0.0, -3.0, 0.0, 0.0])  # ties: first
    np.testing.assert_array_equal(hard_threshold(vector, 4), vector)


def test_with_nothing_missing_the_baseline_is_least_squares_on_its_support() -> None:
    model, rng = MissingCovariates(0.5, 0.0), np.random.default_rng(6)
    data = model.sample(SPARSE_TRUTH, 500, rng)
    found = hard_thresholding_em(
        data, model, initial=SPARSE_START, sparsity=2, step_size=1.0, n_iterations=200
    )
    fit = sm.OLS(data[:, -1], data[:, [0, 2]]).fit()
    np.testing.assert_allclose(found[[0, 2]], fit.params, rtol=1e-9)
    np.testing.assert_array_equal(found[[1, 3]], 0.0)


def test_more_entries_than_there_are_cannot_be_kept() -> None:
    with pytest.raises(ValueError, match="sparsity must be an integer >= 1 and <= 4, got 5"):
        hard_thresholding_em(
            np.ones((5, 4)),
            GaussianMixture(0.5),
            initial=SPARSE_START,
            sparsity=5,
            step_size=1.0,
            n_iterations=1,
        )
