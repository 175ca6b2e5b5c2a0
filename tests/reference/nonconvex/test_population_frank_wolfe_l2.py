import math

import numpy as np
import pytest

from reference.constraint_sets import L2Ball
from reference.errata.nonconvex.population_frank_wolfe_l2 import printed, printed_lipschitz
from reference.losses import Biweight, GeneralizedLinear
from reference.nonconvex.frank_wolfe_l2 import dp_frank_wolfe_l2
from reference.nonconvex.population_frank_wolfe_l2 import dp_population_frank_wolfe_l2
from reference.privacy.ledger import Ledger, RecordingLedger

ROBUST = Biweight(feature_bound=1.0)
LINEAR = [GeneralizedLinear(link=link) for link in ("sigmoid", "probit", "identity")]


def problem(loss, n=60, p=3, seed=0):
    """Labels follow the model at w* = (.6, 0, -.3)."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    scores = features @ np.array([0.6, 0.0, -0.3])
    if isinstance(loss, Biweight):
        return features, scores + rng.uniform(-0.5, 0.5, n)
    return features, (rng.random(n) < np.clip(loss.mean(scores), 0, 1)).astype(float)


def run(loss, data=None, *, form=dp_population_frank_wolfe_l2, **options):
    data = problem(loss) if data is None else data
    options = {
        "initial": np.zeros(np.shape(data[0])[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return form(data, loss, **options)


@pytest.mark.parametrize("loss", [ROBUST, *LINEAR], ids=str)
def test_it_is_frank_wolfe_on_the_unit_ball(loss):
    ours = run(loss)
    same = dp_frank_wolfe_l2(
        problem(loss), loss, L2Ball(1.0), initial=np.zeros(3), epsilon=1.0, delta=1e-2,
        n_iterations=5, ledger=Ledger(0),
    )  # fmt: skip
    np.testing.assert_array_equal(ours.path, same.path)
    assert ours.index == same.index
    assert ours.path.shape == (6, 3)


@pytest.mark.parametrize("loss", [ROBUST, *LINEAR], ids=str)
def test_a_run_spends_exactly_epsilon_at_the_tight_lipschitz_constant(loss):
    ledger = RecordingLedger(0)
    run(loss, epsilon=3.0, n_iterations=7, ledger=ledger)
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


def test_the_printed_bound_loses_the_factor_2():
    """C_sigma (B + 1) of (4.50); the identity's gradient at w = -x, y = 1 is twice as long."""
    assert printed_lipschitz(LINEAR[2]) == 2.0
    assert printed_lipschitz(LINEAR[0]) == pytest.approx(1 + 1 / (1 + math.exp(-1)), rel=1e-15)
    gradient = LINEAR[2].gradients((np.array([[-0.6, -0.8]]), np.ones(1)), np.array([0.6, 0.8]))
    assert np.linalg.norm(gradient) == pytest.approx(4.0, rel=1e-15)
    ledgers = [RecordingLedger(0), RecordingLedger(0)]
    for form, ledger in zip((dp_population_frank_wolfe_l2, printed), ledgers, strict=True):
        run(LINEAR[2], form=form, ledger=ledger)
    right, wrong = (ledger.transcript.releases[0] for ledger in ledgers)
    assert wrong.claim.sensitivity == pytest.approx(right.claim.sensitivity / 2, rel=1e-15)
    assert ledgers[1].spent(delta=1e-2).epsilon == pytest.approx(1.0, rel=1e-9)
