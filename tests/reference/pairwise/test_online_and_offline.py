"""The algorithms that see all pairs, and each convex form against the strongly convex one."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from reference.constraint_sets import L2Ball
from reference.pairwise import offline
from reference.pairwise.finite_buffer import fb_on_pair_strongly_convex
from reference.pairwise.finite_buffer_convex import fb_on_pair_convex
from reference.pairwise.losses import AUC, Midpoint, Regularized
from reference.pairwise.offline import off_pair_strongly_convex
from reference.pairwise.offline_convex import off_pair_convex
from reference.pairwise.online import on_pair_strongly_convex
from reference.pairwise.online_convex import on_pair_convex
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

STRONGLY_CONVEX = [on_pair_strongly_convex, off_pair_strongly_convex]
CONVEX = [on_pair_convex, off_pair_convex]
BALL = L2Ball(1.0)


def vectors(n=30, p=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, p)) / 3


def classes(n=60, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1.0, 1.0], n)
    features = 0.3 * rng.standard_normal((n, 2)) + 0.3 * labels[:, None] * np.array([1.0, 0.5])
    return features, labels


def run(function, data=None, loss=Midpoint(), constraint=BALL, **options):  # noqa: B008
    data = vectors() if data is None else data
    width = (data[0] if isinstance(data, tuple) else data).shape[1]
    options = {
        "initial": np.zeros(width),
        "epsilon": 1.0,
        "delta": 1e-2,
        "ledger": Ledger(0),
        **({"strength": 0.5} if function in CONVEX else {}),
        **options,
    }
    return function(data, loss, constraint, **options)


@pytest.mark.parametrize(
    ("convex", "twin", "options"),
    [
        (on_pair_convex, on_pair_strongly_convex, {}),
        (off_pair_convex, off_pair_strongly_convex, {}),
        (fb_on_pair_convex, fb_on_pair_strongly_convex, {"buffer_size": 4}),
    ],
)
def test_the_convex_form_is_the_other_one_with_a_ridge_around_its_start(convex, twin, options):
    # from a start other than 0: a run that started there looked the same from 0
    start = np.array([0.6, -0.3])
    ridged = Regularized(AUC(), 0.5, start)
    found = run(convex, classes(), AUC(), initial=start, strength=0.5, **options)
    same = run(twin, classes(), ridged, initial=start, **options)
    np.testing.assert_array_equal(found, same)
    elsewhere = run(twin, classes(), ridged, **options)
    assert not np.array_equal(found, elsewhere)


def path_by_hand(points, radius=1.0):
    """Pairwise GIGA for the midpoint loss, alpha = L = 1, T_1 = 1, eta_t = 2/t."""
    w, path = np.zeros(points.shape[1]), [np.zeros(points.shape[1])]
    for t in range(2, len(points) + 1):
        target = (points[t - 1] + points[: t - 1].mean(axis=0)) / 2
        w = w - 2 / t * (w - target)
        w = w * min(1.0, radius / max(np.linalg.norm(w), 1e-300))
        path.append(w)
    return np.array(path)


def test_without_noise_the_outputs_are_pairwise_giga():
    points = Midpoint().validate(vectors(), 3)
    expected = path_by_hand(points)
    found = run(on_pair_strongly_convex, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    average = run(off_pair_strongly_convex, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(average, expected.mean(axis=0), rtol=1e-12, atol=1e-15)


def test_with_a_ridge_the_last_and_the_average_come_near_the_minimiser_that_scipy_finds():
    """It lies inside the ball; the distances of n = 4,000 are far below those of n = 250."""
    features, labels = AUC().validate(classes(4000), 2)
    differences = (features[labels > 0][:, None] - features[labels < 0]).reshape(-1, 2)
    # of all pairs, in both orders, those of different classes; the others are log 2 for every w
    share = 2 * len(differences) / (4000 * 3999)

    def risk(w):
        margins = 2 * differences @ w
        slope = -share * (expit(-margins) @ (2 * differences)) / len(margins) + w
        return share * np.logaddexp(0.0, -margins).mean() + w @ w / 2, slope

    best = minimize(risk, np.zeros(2), jac=True, tol=1e-12).x
    assert 0.05 < np.linalg.norm(best) < 0.9
    distances = {}
    for n in (250, 4000):
        data, loss = (features[:n], labels[:n]), Regularized(AUC(), 1.0, np.zeros(2))
        ledgers = [NoiselessLedger(0), NoiselessLedger(0)]
        path = run(on_pair_strongly_convex, data, loss, delta=1e-4, ledger=ledgers[0])
        average = run(off_pair_strongly_convex, data, loss, delta=1e-4, ledger=ledgers[1])
        distances[n] = np.array([np.linalg.norm(w - best) for w in (path[-1], average)])
    last, average = distances[4000]
    assert last < 0.01 * np.linalg.norm(best)
    # the average still has the first records' means, which are off by their deviation over sqrt(n);
    # a record moves the gradient of its pairs by a deviation below |2 (x - x')|/2 < 1 here
    assert average < 1 / np.sqrt(4000)
    assert (distances[4000] < 0.5 * distances[250]).all()


def test_the_offline_sensitivity_is_less_than_the_papers():
    loss = Midpoint()
    for n in (10, 100, 1000):
        chosen = offline.constants_for(loss, radius=1.0, n=n, epsilon=1.0, delta=1e-2)
        assert chosen.sensitivity < 8 * loss.lipschitz(1.0) * math.log(n) / n
    # T_1 = 1, n = 3: 4G/3 (1/2 + 1/3)
    chosen = offline.constants_for(loss, radius=1.0, n=3, epsilon=1.0, delta=1e-2)
    assert chosen.sensitivity == pytest.approx(8 / 3 * 5 / 6, rel=1e-12)


def test_the_sensitivities_of_the_outputs_fall_as_one_over_t():
    ledger = RecordingLedger(0)
    run(on_pair_strongly_convex, ledger=ledger)
    claimed = [release.claim.sensitivity for release in ledger.transcript.releases]
    np.testing.assert_allclose(claimed, 8 / np.arange(2, 31), rtol=1e-12)
