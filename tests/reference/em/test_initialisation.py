"""Starts of EM: where the theory wants them."""

import numpy as np
import pytest

from reference.em.initialisation import random_direction, start_near
from reference.em.models import GaussianMixture, MissingCovariates, MixtureOfRegressions


@pytest.mark.parametrize(
    ("model", "share"),
    [
        (GaussianMixture(0.5), 1 / 8),
        (MixtureOfRegressions(0.5), 1 / 64),
        (MissingCovariates(0.5), 1 / 8),
    ],
)
def test_the_start_is_half_a_radius_away_on_the_support(model, share: float) -> None:
    truth, rng = np.array([3.0, 0.0, -4.0, 0.0]), np.random.default_rng(0)
    starts = np.array([start_near(model, truth, rng) for _ in range(200)])
    np.testing.assert_allclose(np.linalg.norm(starts - truth, axis=1), 5 * share)
    assert (starts[:, [1, 3]] == 0).all()
    # every direction of the support: the mean of 200 unit vectors has norm above 1/2 with
    # probability below exp(-25)
    assert np.linalg.norm((starts - truth).mean(axis=0)) < 5 * share / 2


def test_the_theory_of_the_mixture_contracts_from_there() -> None:
    model, truth, rng = GaussianMixture(1 / 3), np.array([0.6, 0.8]), np.random.default_rng(1)
    data = model.sample(truth, 200_000, rng)
    start = start_near(model, truth, rng)
    assert np.linalg.norm(model.maximiser(data, start) - truth) < 0.1 * np.linalg.norm(
        start - truth
    )


def test_directions_are_unit_vectors_of_no_preference() -> None:
    rng = np.random.default_rng(2)
    directions = np.array([random_direction(3, rng) for _ in range(2000)])
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1)
    # each entry has mean 0 and variance 1/3: 6 standard errors
    assert (np.abs(directions.mean(axis=0)) < 6 / np.sqrt(3 * 2000)).all()
    np.testing.assert_allclose((directions**2).mean(axis=0), 1 / 3, atol=0.04)


def test_bad_input() -> None:
    rng = np.random.default_rng(3)
    with pytest.raises(ValueError, match="the norm of beta must be"):
        start_near(GaussianMixture(1.0), [0.0, 0.0], rng)
    with pytest.raises(ValueError, match="dimension must be"):
        random_direction(0, rng)
