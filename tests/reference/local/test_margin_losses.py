"""False alarms: the one statistical test has probability below 1e-6."""

import math

import numpy as np
import pytest

from reference.local.margin_losses import HINGE, LOGISTIC, MarginLoss, sample_thresholds

SQUARE = MarginLoss(lambda t: t * t / 2, lambda t: t)
DEAD_ZONE = MarginLoss(
    lambda t: np.maximum(0.0, np.abs(t) - 0.5),
    lambda t: np.where(t < -0.5, -1.0, np.where(t < 0.5, 0.0, 1.0)),
)
# max(-t - 1/4, t/4, t - 3/8): kinks at -1/5 and 1/2, slopes -1, 1/4, 1
LINES = MarginLoss(
    lambda t: np.max([-t - 0.25, t / 4, t - 0.375], axis=0),
    lambda t: np.where(t < -0.2, -1.0, np.where(t < 0.5, 0.25, 1.0)),
)
LINEAR = MarginLoss(lambda t: t / 3, lambda t: np.full(np.shape(t), 1 / 3))
LOSSES = {
    "hinge": HINGE, "logistic": LOGISTIC, "square": SQUARE, "dead zone": DEAD_ZONE,
    "lines": LINES, "linear": LINEAR,
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_a_mean_of_absolute_values(name):
    """Lemma 5.1.9, the mean over u by the midpoint rule: exact but for the intervals of kinks."""
    loss = LOSSES[name]
    (low, high), count = loss.slopes, 20_000
    s = loss.thresholds(low + (high - low) * (np.arange(count) + 0.5) / count)
    t = np.linspace(-1, 1, 41)
    mean = np.abs(t[:, None] - s).mean(axis=1)
    constant = loss.value(t) - (high - low) / 2 * mean - (low + high) / 2 * t
    assert np.ptp(constant) < 2e-4


@pytest.mark.parametrize(
    ("loss", "slopes", "thresholds"),
    [
        # of several s the largest: 0 is a subgradient of the dead zone on all of [-1/2, 1/2]
        (DEAD_ZONE, [-1.0, -0.5, 0.0, 0.5], [-0.5, -0.5, 0.5, 0.5]),
        (LINES, [-1.0, 0.0, 0.25, 0.9], [-0.2, -0.2, 0.5, 0.5]),
        (HINGE, [-1.0, -0.3], [0.5, 0.5]),
        (SQUARE, [-1.0, 0.0, 0.75], [-1.0, 0.0, 0.75]),
        (LOGISTIC, [-0.5, -0.4], [0.0, math.log(1.5)]),
    ],
)
def test_the_largest_point_of_a_subgradient(loss, slopes, thresholds):
    assert loss.thresholds(np.array(slopes)) == pytest.approx(thresholds, abs=1e-15)


def test_draws_have_the_weights_of_the_kinks():
    draws = sample_thresholds(LINES, 20_000, np.random.default_rng(1))
    # slopes jump by 5/4 of 2 at -1/5; five standard deviations
    share = float((np.abs(draws + 0.2) < 1e-12).mean())
    assert abs(share - 0.625) < 5 * math.sqrt(0.625 * 0.375 / 20_000)
    assert np.isin(np.round(draws, 12), [-0.2, 0.5]).all()
    # the hinge has no slope above 0
    assert sample_thresholds(HINGE, 100, np.random.default_rng(1)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "slope", [lambda t: -2.0 + 0 * t, lambda t: 1.5 * t, lambda t: -t, lambda t: t * math.nan]
)
def test_slopes_that_fall_or_are_too_steep_are_refused(slope):
    with pytest.raises(ValueError, match="right_derivative must rise from -1"):
        MarginLoss(lambda t: t, slope)


def test_no_draws_are_refused():
    with pytest.raises(ValueError, match="size must be an integer >= 1"):
        sample_thresholds(HINGE, 0, np.random.default_rng(0))
