"""What follows from what a case says."""

import numpy as np

from auditor.cases.build import along, averaged, form, real_data, root_mean_square
from reference.local.laplace_mean import local_mean
from reference.privacy.guarantees import ZCDP, ApproximateDP, PureDP, zcdp_rho


def test_a_recipe_varies_one_parameter_and_holds_the_others():
    def error(rng, *, n, epsilon, d=3):
        return n + 10 * epsilon + 100 * d

    recipe = along("n", (1, 2), -0.5, error=error, repetitions=4, claim="rate", epsilon=2.0)
    assert recipe.error(1, np.random.default_rng(0)) == 321
    assert recipe.error(2, np.random.default_rng(0)) == 322
    assert (recipe.name, recipe.claimed_slope, recipe.form) == ("n", -0.5, "corrected")


def test_the_baseline_is_the_same_without_noise_unless_another_is_given():
    given = {"name": "", "load": None, "neighbour": None, "error": None, "metric": ""}
    real = real_data(local_mean, epsilons=(1.0,), upper=1.0, **given)
    assert real.baseline(np.array([0.0, 1.0, 7.0, 0.5])) == 0.625
    assert real.claim(0.5) == PureDP(0.5)


def test_a_mean_of_errors_is_of_as_many_draws():
    def error(rng, *, n):
        return n * rng.random()

    drawn = 3 * np.random.default_rng(1).random(4)
    mean = averaged(error, 4)(np.random.default_rng(1), n=3)
    root = averaged(error, 4, root_mean_square)(np.random.default_rng(1), n=3)
    assert (mean, root) == (np.mean(drawn), np.sqrt(np.mean(drawn**2)))


def test_a_design_by_zcdp_is_that_of_the_claim():
    given = {"epsilon": 2.0, "delta": 1e-3, "no_search": "a test", "no_black_box": "a test"}
    pair = np.zeros(1), np.ones(1)
    made = form(local_mean, pair, by_zcdp=True, **given)
    assert made.claim == ApproximateDP(2.0, 1e-3)
    assert made.design == ZCDP(zcdp_rho(2.0, 1e-3))
    assert form(local_mean, pair, **given).design is None
