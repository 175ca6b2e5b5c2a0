import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

from reference.losses import Linear
from reference.nonconvex.net_minimizer import dp_net_minimizer, net_of_ball
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger
from reference.proximal import Ridge


def run(data, loss=Linear(), regularizer=Ridge(1.0), **options):  # noqa: B008
    options = {"dimension": 1, "epsilon": 1.0, "accuracy": 0.1, "ledger": Ledger(0), **options}
    return dp_net_minimizer(data, loss, regularizer, **options)


def records(positive, n=6):
    return np.ones((n, 1)), np.repeat([1.0, -1.0], [positive, n - positive])


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("accuracy", [0.31, 0.15, 2.0])
def test_every_point_of_the_ball_is_near_one_of_the_net(dimension, accuracy):
    net = net_of_ball(1.3, accuracy, dimension)
    assert np.linalg.norm(net, axis=1).max() <= 1.3 * (1 + 1e-12)
    assert (np.linalg.norm(net, axis=1) == 0).sum() == 1
    points = np.random.default_rng(0).standard_normal((300, dimension))
    points *= 1.3 / np.linalg.norm(points, axis=1, keepdims=True)
    points[::2] *= np.random.default_rng(1).random((150, 1))
    distances = np.linalg.norm(points[:, None] - net, axis=2).min(axis=1)
    assert distances.max() <= accuracy * (1 + 1e-12)


def exact_loss(convexity, sensitivity, epsilon=1.0, n=6):
    """Return the largest |log p/p'| over the net and all counts of positive labels."""
    net = net_of_ball(1 / convexity, 0.05 / convexity, 1)[:, 0]

    def log_probabilities(positive):
        scores = -net * (2 * positive - n) / n - convexity / 2 * net**2
        weights = epsilon * scores / (2 * sensitivity)
        return weights - logsumexp(weights)

    tables = [log_probabilities(k) for k in range(n + 1)]
    pairs = itertools.pairwise(tables)
    return max(float(np.abs(first - second).max()) for first, second in pairs)


@pytest.mark.parametrize("convexity", [1.0, 0.1, 0.01])
def test_no_outcome_is_more_than_e_to_epsilon_likelier_on_a_neighbour(convexity):
    """By enumeration; with the literal 2 L/n the loss grows like epsilon/lambda."""
    assert 0.5 < exact_loss(convexity, 2 / (6 * convexity)) <= 1.0
    assert exact_loss(convexity, 2 / 6) >= 0.5 / convexity


@pytest.mark.parametrize("bound", [0.5, 3.0])
def test_a_record_moves_a_score_by_what_is_claimed_whatever_the_lipschitz_constant(bound):
    """By 2 G^2/(lambda n), at the ends of the net: G is the bound on the features."""
    ledger = RecordingLedger(0)
    for positive in (3, 4):
        features, labels = records(positive)
        run((bound * features, labels), Linear(feature_bound=bound), Ridge(0.25), ledger=ledger)
    first, second = ledger.transcript.releases
    assert first.claim.sensitivity == pytest.approx(2 * bound**2 / (0.25 * 6), rel=1e-12)
    assert np.abs(second.value - first.value).max() == pytest.approx(first.claim.sensitivity)


def test_without_noise_the_best_point_of_the_net_is_selected():
    """F + r = w/3 + w^2/2 on [-1, 1] with spacing 0.2: the minimum is at -1/3."""
    assert run(records(4), ledger=NoiselessLedger(0))[0] == pytest.approx(-0.4)
    fine = run(records(4), accuracy=1e-3, ledger=NoiselessLedger(0))
    assert fine[0] == pytest.approx(-1 / 3, abs=1e-3)


def test_the_default_accuracy_is_the_theorems():
    """d/(n epsilon) = 1/6: on [-1, 1] a grid of spacing 1/3."""
    assert run(records(6), accuracy=None, ledger=NoiselessLedger(0))[0] == pytest.approx(-1.0)
