"""Hard-thresholding gradient EM, the sparse baseline without noise."""

import numpy as np
import pytest
import statsmodels.api as sm

from reference.em.hard_thresholding_em import hard_threshold, hard_thresholding_em
from reference.em.models import (
    GaussianMixture,
    MissingCovariates,
)

START = np.array([0.9, 0.0, 0.4, 0.0])
TRUTH = np.array([1.0, 0.0, 0.5, 0.0])


def test_hard_threshold() -> None:
    vector = np.array([1.0, -3.0, 0.5, 3.0])
    np.testing.assert_array_equal(hard_threshold(vector, 2), [0.0, -3.0, 0.0, 3.0])
    np.testing.assert_array_equal(hard_threshold(vector, 1), [0.0, -3.0, 0.0, 0.0])  # ties: first
    np.testing.assert_array_equal(hard_threshold(vector, 4), vector)


def test_with_nothing_missing_the_baseline_is_least_squares_on_its_support() -> None:
    model, rng = MissingCovariates(0.5, 0.0), np.random.default_rng(6)
    data = model.sample(TRUTH, 500, rng)
    found = hard_thresholding_em(
        data, model, initial=START, sparsity=2, step_size=1.0, n_iterations=200
    )
    fit = sm.OLS(data[:, -1], data[:, [0, 2]]).fit()
    np.testing.assert_allclose(found[[0, 2]], fit.params, rtol=1e-9)
    np.testing.assert_array_equal(found[[1, 3]], 0.0)


def test_more_entries_than_there_are_cannot_be_kept() -> None:
    with pytest.raises(ValueError, match="sparsity must be an integer >= 1 and <= 4, got 5"):
        hard_thresholding_em(
            np.ones((5, 4)),
            GaussianMixture(0.5),
            initial=START,
            sparsity=5,
            step_size=1.0,
            n_iterations=1,
        )
