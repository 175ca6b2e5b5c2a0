import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.questions import sensitivity
from reference.privacy.guarantees import gaussian_dp_delta

FORMS = build_case("diss-4.1.16").forms


@pytest.mark.parametrize("name", FORMS)
def test_the_pair_attains_the_claimed_sensitivity(name):
    found = sensitivity.largest_ratio(FORMS[name].run, *FORMS[name].pair).ratio
    assert found == pytest.approx(1.0, rel=1e-3 if name == "printed-text" else 1e-12)


@pytest.mark.parametrize(
    ("name", "true_delta", "runs"),
    [
        # mu = sqrt(2) rho with rho = 2.808; 2.598 sqrt(2 rho) with rho = 0.0491
        ("printed", gaussian_dp_delta(math.sqrt(2) * 2.80835, 10.0), 300),
        ("printed-text", 0.0671, 300),
        ("printed-theorem", 1.0, 20),
    ],
)
def test_violations_are_as_large_as_derived(name, true_delta, runs, estimated_delta):
    """Fixed seed; six standard errors (false alarm below 1e-6 each)."""
    estimate, error = estimated_delta(FORMS[name], runs)
    assert estimate == pytest.approx(true_delta, rel=0.02, abs=6 * error)


def test_the_errors_of_the_scaling_recipes_go_the_way_of_their_claims():
    """One repetition at each end; from half to one and a half times the exponents claimed."""
    for recipe in build_case("diss-4.1.16").scaling:
        ends = recipe.values[0], recipe.values[-1]
        first, last = (recipe.error(value, np.random.default_rng(3)) for value in ends)
        slope = math.log(last / first) / math.log(ends[1] / ends[0])
        assert 0.5 < slope / recipe.claimed_slope < 1.5, recipe.name
