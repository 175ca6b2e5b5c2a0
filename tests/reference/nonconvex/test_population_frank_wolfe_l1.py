import math

import numpy as np
import pytest
from scipy.optimize import minimize

from reference.constraint_sets import L1Ball, frank_wolfe_gap
from reference.errata.nonconvex.population_frank_wolfe_l1 import printed
from reference.losses import Biweight, GeneralizedLinear, Sigmoid
from reference.nonconvex.frank_wolfe_l1 import dp_frank_wolfe_l1
from reference.nonconvex.population_frank_wolfe_l1 import dp_population_frank_wolfe_l1
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

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


def test_two_noiseless_steps_by_hand():
    """Slope -2 at w = 0 and x = (1, -1/2): e_1 both times; gamma = sqrt(2/2)/2 = 1/2."""
    data = (np.array([[1.0, -0.5], [0.0, 0.0]]), np.array([1.0, 0.0]))
    result = run(LINEAR[2], data, n_iterations=2, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(result.path, [[0, 0], [0.5, 0], [0.75, 0]], atol=1e-15)


@pytest.mark.parametrize(
    "loss",
    [Biweight(feature_bound=1.0, feature_norm="l-infinity", threshold=6.0), *LINEAR],
    ids=str,
)
def test_the_noiseless_limit_is_the_minimum_on_the_ball(loss):
    """Against scipy's SLSQP in positive and negative parts."""
    data = problem(loss)
    last = run(loss, data, n_iterations=6000, ledger=NoiselessLedger(0)).path[-1]
    assert frank_wolfe_gap(L1Ball(1.0), last, loss.gradient(data, last)) < 0.02
    best = minimize(
        lambda v: float(loss.values(data, v[:3] - v[3:]).mean()),
        np.full(6, 0.1),
        bounds=[(0, None)] * 6,
        constraints={"type": "ineq", "fun": lambda v: 1 - v.sum()},
        options={"ftol": 1e-12},
    ).fun
    assert best - 1e-9 <= float(loss.values(data, last).mean()) <= best + 2e-3


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


def test_features_bounded_in_l2_are_accepted():
    assert run(Biweight(feature_bound=1.0)).path.shape == (6, 3)


def test_every_iterate_stays_in_the_ball():
    path = run(ROBUST, epsilon=0.01, n_iterations=40).path
    assert np.abs(path).sum(axis=1).max() <= 1 + 1e-12


def test_the_order_of_the_records_does_not_matter():
    features, labels = problem(ROBUST)
    order = np.random.default_rng(1).permutation(60)
    same = [run(ROBUST), run(ROBUST, (features[order], labels[order]))]
    np.testing.assert_allclose(same[0].path, same[1].path, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": Sigmoid()}, "loss must be .*GeneralizedLinear or a Biweight"),
        ({"loss": Biweight()}, r"loss\.feature_bound must be in \[0, 1\], got inf"),
        ({"initial": np.ones(3)}, "initial must lie in the constraint set"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"n_iterations": 0}, "n_iterations"),
        ({"constants": 1.0}, "constants must be a reference.nonconvex.frank_wolfe_l1"),
        ({"data": (np.ones((2, 3)), np.array([0.0, np.nan]))}, "labels must be finite"),
    ],
)
def test_bad_input_is_refused_before_any_release(change, message):
    ledger = RecordingLedger(0)
    options = {"loss": ROBUST, "data": problem(ROBUST), "ledger": ledger, **change}
    with pytest.raises((TypeError, ValueError), match=message):
        run(**options)
    assert len(ledger.transcript) == 0
