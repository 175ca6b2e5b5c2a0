"""DP-FW-L2 and DP-FW-L1 for population risks."""

import math
from functools import partial

import numpy as np
import pytest

from reference.constraint_sets import L1Ball, L2Ball
from reference.errata.nonconvex.population_frank_wolfe_l1 import printed as printed_l1
from reference.errata.nonconvex.population_frank_wolfe_l2 import printed as printed_l2
from reference.errata.nonconvex.population_frank_wolfe_l2 import printed_lipschitz
from reference.losses import Biweight, GeneralizedLinear
from reference.nonconvex.frank_wolfe_l1 import dp_frank_wolfe_l1
from reference.nonconvex.frank_wolfe_l2 import dp_frank_wolfe_l2
from reference.nonconvex.population_frank_wolfe_l1 import dp_population_frank_wolfe_l1
from reference.nonconvex.population_frank_wolfe_l2 import dp_population_frank_wolfe_l2
from reference.privacy.ledger import Ledger, RecordingLedger

LINKS = ("sigmoid", "probit", "identity")


def losses(norm):
    """Return the robust regression and the three linear models."""
    models = [GeneralizedLinear(link=link, feature_norm=norm) for link in LINKS]
    return [Biweight(feature_bound=1.0, feature_norm=norm), *models]


ROBUST, *LINEAR = losses("l2")
IN_L2, IN_L1 = (
    (dp_population_frank_wolfe_l2, partial(dp_frank_wolfe_l2, constraint=L2Ball(1.0)), printed_l2),
    (dp_population_frank_wolfe_l1, partial(dp_frank_wolfe_l1, constraint=L1Ball(1.0)), printed_l1),
)
ALL = [(*IN_L2, loss) for loss in losses("l2")] + [(*IN_L1, loss) for loss in losses("l-infinity")]


def problem(loss, n=60):
    """Labels follow the model at w* = (.6, 0, -.3)."""
    rng = np.random.default_rng(0)
    features = rng.choice([-1.0, 1.0], (n, 3))
    if loss.feature_norm == "l2":
        features /= math.sqrt(3)
    scores = features @ np.array([0.6, 0.0, -0.3])
    if isinstance(loss, Biweight):
        return features, scores + rng.uniform(-0.5, 0.5, n)
    return features, (rng.random(n) < np.clip(loss.mean(scores), 0, 1)).astype(float)


def run(form, loss, data=None, **options):
    data = problem(loss) if data is None else data
    claim = {"initial": np.zeros(3), "epsilon": 1.0, "delta": 1e-2, "n_iterations": 5}
    return form(data, loss, **claim | {"ledger": Ledger(0)} | options)


@pytest.mark.parametrize(("form", "plain", "_", "loss"), ALL)
def test_it_is_frank_wolfe_on_the_unit_ball(form, plain, _, loss):
    ours, same = run(form, loss), run(plain, loss)
    np.testing.assert_array_equal(ours.path, same.path)
    assert ours.index == same.index
    assert ours.path.shape == (6, 3)


@pytest.mark.parametrize("loss", [ROBUST, *LINEAR], ids=str)
def test_a_run_spends_exactly_epsilon_at_the_tight_lipschitz_constant(loss):
    ledger = RecordingLedger(0)
    run(dp_population_frank_wolfe_l2, loss, epsilon=3.0, n_iterations=7, ledger=ledger)
    assert ledger.spent(delta=1e-2).epsilon == pytest.approx(3.0, rel=1e-9)
    tight = {"sigmoid": 8 / 27, "probit": 0.4868934140523564, "identity": 4.0}
    constant = 4 * 16 / (25 * math.sqrt(5)) if loss is ROBUST else tight[loss.link]
    claimed = ledger.transcript.releases[0].claim.sensitivity
    assert claimed == pytest.approx(2 * constant / 60, rel=1e-14)


def farthest(loss):
    """Search the pair of gradients farthest apart at a w of norm 1, in the plane of w and more.

    With slopes a, b and cosines u, v of x, x' with w: the squared distance is
    a^2 + b^2 - 2 a b u v + 2 |a b| sqrt((1-u^2)(1-v^2)), x and x' on the worst sides of w.
    """
    cosines, best = np.linspace(-1, 1, 1601), 0.0
    for labels in ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
        a, b = (loss._slope(cosines, np.full_like(cosines, y)) for y in labels)
        sines = np.sqrt(1 - cosines**2)
        product = np.multiply.outer(a, b)
        square = np.add.outer(a**2, b**2) - 2 * product * np.multiply.outer(cosines, cosines)
        square += 2 * np.abs(product) * np.multiply.outer(sines, sines)
        best = max(best, float(square.max()))
    return math.sqrt(best)


@pytest.mark.parametrize(
    ("loss", "distance"),
    [(LINEAR[0], 0.5362), (LINEAR[1], 0.8993), (LINEAR[2], 3 * math.sqrt(3))],
    ids=str,
)
def test_two_gradients_of_a_linear_model_do_not_attain_2g(loss, distance):
    """Both share w; and random pairs, w inside the ball too, are nearer than the search's."""
    found = farthest(loss)
    assert found == pytest.approx(distance, abs=6e-5)
    assert found < 0.93 * 2 * loss.lipschitz
    rng = np.random.default_rng(0)
    directions = rng.standard_normal((4000, 3, 3))
    directions /= np.maximum(np.linalg.norm(directions, axis=2, keepdims=True), 1.0)
    for w, *pair in directions:
        data = (np.array(pair), rng.integers(0, 2, 2).astype(float))
        first, second = loss.gradients(data, w)
        assert np.linalg.norm(first - second) <= found * (1 + 1e-4)


def test_robust_regression_attains_2g():
    steepest = ROBUST.threshold / math.sqrt(5)
    data = (np.array([[1.0, 0.0]] * 2), np.array([steepest, -steepest]))
    first, second = ROBUST.gradients(data, np.zeros(2))
    assert np.linalg.norm(first - second) == pytest.approx(2 * ROBUST.lipschitz, rel=1e-15)


@pytest.mark.parametrize("loss", losses("l-infinity"), ids=str)
def test_a_score_moves_as_far_as_is_claimed_in_l1(loss):
    """One coordinate sets the residual, the other the sign of the second entry: 2 max |phi'|/n."""
    if isinstance(loss, Biweight):
        x, label = (0.0, 1.0), 4 / math.sqrt(5)
        rows = [(x, label), (x, -label)]
    else:
        # scores at which |phi'| is largest for y = 1: -ln 2, the root of phi = s Phi, and -1
        at = {"sigmoid": math.log(2), "probit": 0.5060544689891806, "identity": 1.0}[loss.link]
        rows = [((at, 1.0), 1.0), ((at, -1.0), 1.0)]
    ledger = RecordingLedger(0)
    for x, label in rows:
        data = (np.array([x, (0.0, 0.0)]), np.array([label, 0.0]))
        options = {"initial": [-1.0, 0.0], "n_iterations": 1, "ledger": ledger}
        run(dp_population_frank_wolfe_l1, loss, data, **options)
    first, second = ledger.transcript.releases
    assert first.claim.sensitivity == pytest.approx(loss.lipschitz, rel=1e-15)
    assert np.abs(first.value - second.value).max() == pytest.approx(loss.lipschitz, rel=1e-12)


@pytest.mark.parametrize(("form", "_", "printed", "loss"), [ALL[3], ALL[7]], ids=["l2", "l1"])
def test_the_printed_sensitivity_is_half_of_the_right_one(form, _, printed, loss):
    """C_sigma (B + 1) = 2 of (4.50) for the identity link; the budget of a release stays."""
    releases = []
    for one in (form, printed):
        ledger = RecordingLedger(0)
        run(one, loss, ledger=ledger)
        releases.append(ledger.transcript.releases[0])
        assert ledger.spent(delta=1e-2).epsilon == pytest.approx(1.0, rel=1e-9)
    claims = [release.claim.sensitivity for release in releases]
    assert claims == pytest.approx([2 * 4 / 60, 2 * 2 / 60], rel=1e-15)


def test_the_printed_bound_loses_the_factor_2():
    """The identity's gradient at w = -x, y = 1 is twice as long as C_sigma (B + 1)."""
    assert printed_lipschitz(LINEAR[2]) == 2.0
    assert printed_lipschitz(LINEAR[0]) == pytest.approx(1 + 1 / (1 + math.exp(-1)), rel=1e-15)
    gradient = LINEAR[2].gradients((np.array([[-0.6, -0.8]]), np.ones(1)), np.array([0.6, 0.8]))
    assert np.linalg.norm(gradient) == pytest.approx(4.0, rel=1e-15)
