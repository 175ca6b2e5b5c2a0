import math

import numpy as np
import pytest

from reference.constraint_sets import L1Ball
from reference.errata.nonconvex.population_frank_wolfe_l1 import printed
from reference.losses import Biweight, GeneralizedLinear
from reference.nonconvex.frank_wolfe_l1 import dp_frank_wolfe_l1
from reference.nonconvex.population_frank_wolfe_l1 import dp_population_frank_wolfe_l1
from reference.privacy.ledger import Ledger, RecordingLedger

ROBUST = Biweight(feature_bound=1.0, feature_norm="l-infinity")
LINEAR = [
    GeneralizedLinear(link=link, feature_norm="l-infinity")
    for link in ("sigmoid", "probit", "identity")
]


def problem(loss, n=60, p=3, seed=0):
    """Labels follow the model at w* = (.6, 0, -.3)."""
    rng = np.random.default_rng(seed)
    features = rng.choice([-1.0, 1.0], (n, p))
    scores = features @ np.array([0.6, 0.0, -0.3])
    if isinstance(loss, Biweight):
        return features, scores + rng.uniform(-0.5, 0.5, n)
    return features, (rng.random(n) < np.clip(loss.mean(scores), 0, 1)).astype(float)


def run(loss, data=None, *, form=dp_population_frank_wolfe_l1, **options):
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
    same = dp_frank_wolfe_l1(
        problem(loss), loss, L1Ball(1.0), initial=np.zeros(3), epsilon=1.0, delta=1e-2,
        n_iterations=5, ledger=Ledger(0),
    )  # fmt: skip
    np.testing.assert_array_equal(ours.path, same.path)
    assert ours.index == same.index
    assert ours.path.shape == (6, 3)


@pytest.mark.parametrize("loss", [ROBUST, *LINEAR], ids=str)
def test_the_claimed_sensitivity_is_attained(loss):
    """One coordinate sets the residual, the other the sign of the second entry: 2 max |phi'|/n."""
    if loss is ROBUST:
        x, labels = (0.0, 1.0), (4 / math.sqrt(5), -4 / math.sqrt(5))
        rows = [(x, labels[0]), (x, labels[1])]
    else:
        # scores at which |phi'| is largest for y = 1: -ln 2, the root of phi = s Phi, and -1
        at = {"sigmoid": math.log(2), "probit": 0.5060544689891806, "identity": 1.0}[loss.link]
        rows = [((at, 1.0), 1.0), ((at, -1.0), 1.0)]
    values, claims = [], []
    for x, label in rows:
        ledger = RecordingLedger(0)
        data = (np.array([x, (0.0, 0.0)]), np.array([label, 0.0]))
        run(loss, data, initial=[-1.0, 0.0], n_iterations=1, ledger=ledger)
        values.append(ledger.transcript.releases[0].value)
        claims.append(ledger.transcript.releases[0].claim.sensitivity)
    assert claims[0] == pytest.approx(loss.lipschitz, rel=1e-15)
    assert np.abs(values[0] - values[1]).max() == pytest.approx(claims[0], rel=1e-12)


def test_the_printed_sensitivity_is_half_of_the_right_one():
    """C_sigma (B + 1) = 2 for the identity link; the budget of a selection stays."""
    ledgers = [RecordingLedger(0), RecordingLedger(0)]
    for form, ledger in zip((dp_population_frank_wolfe_l1, printed), ledgers, strict=True):
        run(LINEAR[2], form=form, ledger=ledger)
    right, wrong = (ledger.transcript.releases[0] for ledger in ledgers)
    assert right.claim.sensitivity == pytest.approx(2 * 4 / 60, rel=1e-15)
    assert wrong.claim.sensitivity == pytest.approx(2 * 2 / 60, rel=1e-15)
    costs = [release.mechanism.cost(release.claim.sensitivity).pure for release in (right, wrong)]
    assert costs[0] == pytest.approx(costs[1], rel=1e-12)
