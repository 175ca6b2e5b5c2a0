"""The recipes along n of Algorithms 5.1.33 and 5.1.34 are as they are described.

False alarms: a mean square of 3,000 draws exceeds its bound by chance with probability below 1e-6.
"""

import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.noisy_copies import POSITIVE, SMOOTHING
from auditor.described.local import general_linear_loss, hinge_loss
from reference.local.hinge_loss import hinge_slope, send_copies
from reference.local.margin_losses import LOGISTIC, sample_thresholds
from reference.local.noisy_copies import (
    Constants,
    bernstein_estimate,
    bernstein_weights,
    nodes,
    records_of,
    smoothed_step,
)
from reference.privacy import Ledger

USERS = 3000


def gradients(noise, w, slope_of):
    """Return G(w) of users with x = y = 1, by the algorithms' own messages."""
    copies = send_copies(
        records_of((np.ones((USERS, 1)), np.ones(USERS))),
        degree=3,
        constants=Constants(noise, noise, 1.0),
        ledger=Ledger(0),
    )
    found = [
        copies.gradient(user, slope_of(user, copies.margins(user, np.array([w]))))[0]
        for user in range(USERS)
    ]
    return np.array(found)


def hinge(user, margins):
    del user
    weights = bernstein_weights(hinge_slope(nodes(3), SMOOTHING))
    return bernstein_estimate((1 + margins) / 2, weights)


THRESHOLDS = sample_thresholds(LOGISTIC, USERS, np.random.default_rng(1))


def logistic(user, margins):
    low, high = LOGISTIC.slopes
    weights = bernstein_weights(smoothed_step(nodes(3), SMOOTHING))
    shifted = (margins - THRESHOLDS[user]) / 2
    return (high - low) * bernstein_estimate((1 + shifted) / 2, weights) + low


@pytest.mark.parametrize(
    ("case", "slope_of"), [(hinge_loss, hinge), (general_linear_loss, logistic)]
)
def test_sigma_bounds_a_gradient_wherever_the_method_asks_for_one(case, slope_of):
    expected = case.expected_slope(3)
    largest = []
    for w in (-1.0, 0.0, 1.0):  # a label of -1 at w is one of 1 at -w but for the sign
        found = gradients(case.NOISE, w, slope_of)
        error = 5.5 * found.std() / math.sqrt(USERS)
        assert found.mean() == pytest.approx(expected(w), abs=error)
        squares = found**2
        assert squares.mean() <= case.DEVIATION**2 + 5.5 * squares.std() / math.sqrt(USERS)
        largest.append(squares.mean())
    assert max(largest) > 0.5 * case.DEVIATION**2  # and no loose one


@pytest.mark.parametrize("case", [hinge_loss, general_linear_loss])
def test_the_grid_starts_where_the_claim_says_something(case):
    (recipe,) = [r for r in build_case(next(iter(case.CASES))).scaling if r.name.startswith("n ")]
    w, value = np.linspace(-1, 1, 2001), case.expected_slope(3).integ()
    risk = POSITIVE * value(w) + (1 - POSITIVE) * value(-w)
    assert case.DEVIATION / math.sqrt(recipe.values[0]) < value(0) - risk.min()
