"""What follows from what a case says."""

import numpy as np

from auditor.cases.build import along, real_data
from reference.local.laplace_mean import local_mean
from reference.privacy.guarantees import PureDP


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
