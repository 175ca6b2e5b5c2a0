import math

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax

from reference.constraint_sets import L1Ball, Polytope
from reference.heavy_tailed.frank_wolfe import (
    heavy_tailed_frank_wolfe,
    l1_diameter,
    recommended_iterations,
    recommended_truncation_scale,
)
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.losses import SquaredDistance, SquaredError, empirical_risk
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

SEGMENT = Polytope([[101.0, 100.0], [100.0, 101.0]])


def problem(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_t(5, (n, d))
    return features, features @ np.array([0.8, -0.6, 0.0])[:d] + rng.standard_t(3, n)


def run(data, loss=SquaredError(), constraint=L1Ball(1.0), **options):  # noqa: B008
    options = {
        "initial": np.zeros(data[0].shape[-1]),
        "epsilon": 1.0,
        "truncation_scale": 10.0,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return heavy_tailed_frank_wolfe(data, loss, constraint, **options)


def releases(data=None, **options):
    ledger = RecordingLedger(0)
    run(problem() if data is None else data, ledger=ledger, **options)
    return ledger.transcript.releases


# --------------------------------------------------------------------------- the algorithm

BY_HAND = (
    # gradients at 0: (-2, 0) twice; at (2/3, 0): (0, 6) twice; the fifth record is not used
    np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1e300, 1e300]]),
    np.array([1.0, 1.0, -3.0, -3.0, 1e300]),
)


@pytest.mark.parametrize(
    ("step_size", "expected"), [(None, [1 / 3, -1 / 2]), (0.25, [0.75 * 0.25, -0.25])]
)
def test_two_noiseless_steps_by_hand(step_size, expected):
    """Vertices e_1 and -e_2 with steps 2/3 and 1/2, or fixed ones."""
    w = run(BY_HAND, n_iterations=2, step_size=step_size, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(w, expected, rtol=1e-15)


def test_scores_are_those_of_the_robust_gradient():
    """Gradients -2 and 6e8 at 0: psi_10(-2) is near -2 + 8/600, psi_10(6e8) the bound."""
    data = np.array([[1.0], [1.0]]), np.array([1.0, -3e8])
    (release,) = releases(data, n_iterations=1, precision=1e6)
    gradient = (-2 + 8 / 600 + 2 * math.sqrt(2) / 3 * 10) / 2
    # vertices +1 and -1, scores -g and g, less the first
    np.testing.assert_allclose(release.value, [0.0, 2 * gradient], rtol=1e-4)


def test_noiseless_limit_is_the_constrained_optimum():
    """Against SLSQP in positive and negative parts; 2 C/(T + 2), C = alpha diameter^2."""
    data, ball, loss, steps = problem(), L1Ball(1.0), SquaredError(), 500
    copies = np.tile(data[0], (steps, 1)), np.tile(data[1], steps)
    w = run(copies, truncation_scale=1e7, n_iterations=steps, ledger=NoiselessLedger(0))
    best = minimize(
        lambda v: empirical_risk(loss, data, v[:3] - v[3:]),
        np.full(6, 0.1),
        bounds=[(0, None)] * 6,
        constraints={"type": "ineq", "fun": lambda v: 1 - v.sum()},
        options={"ftol": 1e-12},
    )
    smoothness = 2 * np.linalg.eigvalsh(data[0].T @ data[0] / 40)[-1]
    assert ball.contains(w)
    gap = empirical_risk(loss, data, w) - best.fun
    assert -1e-9 <= gap <= 2 * smoothness * 4 / (steps + 2)
    assert gap < 0.05  # the zero vector's is above 1
    assert empirical_risk(loss, data, np.zeros(3)) - best.fun > 1


def test_records_of_other_shapes():
    """The mean of (0, ..., 0, 9) over the simplex is nearest its last vertex."""
    data = np.tile([0.0, 0.0, 0.0, 9.0], (20, 1))
    simplex = Polytope(np.eye(4))
    w = run(data, SquaredDistance(), simplex, initial=np.full(4, 0.25), ledger=NoiselessLedger(0))
    # (1 - 2/3)(1 - 1/2)...(1 - 2/7) of the start is left: 2/(6 7)
    np.testing.assert_allclose(w, np.full(4, 0.25) / 21 + np.array([0, 0, 0, 20 / 21]), rtol=1e-14)


# --------------------------------------------------------------------------------- privacy


def test_l1_diameter():
    assert l1_diameter(L1Ball(1.5), 1) == 3.0
    assert l1_diameter(Polytope(L1Ball(1.5).vertices(4)), 4) == 3.0
    assert l1_diameter(SEGMENT, 2) == 2.0
    # not between neighbours in the list, nor from the first point
    assert l1_diameter(Polytope([[0, 0], [1, 2], [5, 0], [-3, 4]]), 2) == 12.0


@pytest.mark.parametrize(
    ("constraint", "start", "direction"),
    [(L1Ball(2.0), [0.0, 0.0], [1.0, 0.0]), (SEGMENT, [100.5, 100.5], [1.0, -1.0])],
)
def test_claimed_sensitivity_is_attained(constraint, start, direction):
    """Gradients -+ 2e16 times the direction, precision 40: erf(sqrt 20) is 1 to 3e-10."""
    values = []
    for label in (1e8, -1e8):
        features, labels = np.zeros((4, 2)), np.zeros(4)
        features[0], labels[0] = 1e8 * np.array(direction), label
        made = releases(
            (features, labels),
            constraint=constraint,
            initial=start,
            n_iterations=1,
            precision=40.0,
        )
        values.append(made[0].value)
    moved = np.abs(values[0] - values[1]).max()
    assert moved <= made[0].claim.sensitivity
    assert moved == pytest.approx(made[0].claim.sensitivity, rel=1e-9)


def test_centred_scores_have_the_law_of_the_printed_ones_and_meet_the_claim():
    """Far from the origin the printed scores move by 101 times half the diameter (hu-expmech)."""
    start = np.array([100.5, 100.5])
    printed, centred = [], []
    for label in (1e12, -1e12):
        data = np.array([[1e8, 0.0]]), np.array([label])
        (release,) = releases(
            data, constraint=SEGMENT, initial=start, n_iterations=1, precision=40.0
        )
        gradient = truncated_mean(SquaredError().gradients(data, start), scale=10.0, precision=40.0)
        printed.append(-SEGMENT.inner_products(gradient))
        centred.append(release.value)
        np.testing.assert_allclose(
            log_softmax(release.mechanism.rate * printed[-1]),
            log_softmax(release.mechanism.rate * release.value),
            rtol=1e-10,
        )
    moved = np.abs(printed[0] - printed[1]).max() / release.claim.sensitivity
    assert moved == pytest.approx(50.5, rel=1e-9)
    moved = np.abs(centred[0] - centred[1]).max() / release.claim.sensitivity
    assert moved == pytest.approx(0.5, rel=1e-9)


def total_loss(others, precision):
    """Exact loss of one selection on [-1, 1]: m records, ``others`` of them at +infinity."""
    laws = []
    m = len(others) + 1
    for first in (1.0, -1.0):
        # squared distance at 0: the gradient of record a is -2a
        data = -1e12 * np.concatenate([[first], others])[:, None]
        (release,) = releases(
            data, loss=SquaredDistance(), initial=[0.0], n_iterations=1, precision=precision
        )
        assert release.claim.sensitivity == 2 * mean_sensitivity(m, scale=10.0)
        laws.append(log_softmax(release.mechanism.rate * release.value))
    return float(np.abs(laws[0] - laws[1]).max())


@pytest.mark.parametrize(
    ("m", "precision", "loss"),
    [(1, 1.0, 0.1707), (100, 1.0, 0.3413), (1, 9.21, 0.2494), (10, 9.21, 0.4506),
     (100, 9.21, 0.4988)],
)  # fmt: skip
def test_largest_loss_of_a_selection(m, precision, loss):
    """Largest over the number of others at +infinity (card hu-expmech); below epsilon/2."""
    counts = range(m)
    losses = [total_loss(np.where(np.arange(m - 1) < k, 1.0, -1.0), precision) for k in counts]
    assert max(losses) == pytest.approx(loss, abs=6e-5)
    assert max(losses) < 0.5 * math.erf(math.sqrt(precision / 2)) + 1e-12


# ----------------------------------------------------------------------- recommended values

SETTING = {
    "second_moment": 8.0,
    "n": 10_000,
    "dimension": 100,
    "n_vertices": 200,
    "epsilon": 1.0,
    "failure_probability": 0.1,
    "precision": 1.5,
}


def step_error(s, n_iterations, epsilon=1.0):
    """The bound on the error of a step over ||W||_1, term by term."""
    m, beta, t = SETTING["n"] // n_iterations, 1.5, n_iterations
    noise_scale = 2 * 4 * math.sqrt(2) * s / (3 * m * epsilon)  # Lemma 1: 2 Delta/epsilon
    return (
        8.0 * (1 + 1 / beta) / (2 * s)
        + s * (beta / 2 + math.log(2 * 100 * t / 0.05)) / m
        + noise_scale * (math.log(200) + math.log(t / 0.05))
    )


@pytest.mark.parametrize("epsilon", [1e-2, 1.0, 1e6])
def test_recommended_truncation_scale_minimises_the_bound(epsilon):
    best = minimize_scalar(lambda s: step_error(s, 8, epsilon), bounds=(1, 1000), method="bounded")
    found = recommended_truncation_scale(n_iterations=8, **{**SETTING, "epsilon": epsilon})
    assert found == pytest.approx(best.x, rel=1e-4)


def test_recommended_iterations_minimise_the_bound():
    """2 alpha D^2/T + D step_error, with log n for log T, which moves the optimum little."""
    found = recommended_iterations(smoothness=2.0, diameter=2.0, **SETTING)

    def bound(steps):
        best = recommended_truncation_scale(n_iterations=steps, **SETTING)
        return 2 * 2.0 * 4 / steps + 2 * step_error(best, steps)

    bounds = {steps: bound(steps) for steps in range(1, 100)}
    assert bounds[found] < 1.02 * min(bounds.values())


def test_recommended_values_do_not_depend_on_units():
    """w = c w' turns alpha, tau, ||W||_1 into c^2 alpha, c^2 tau, ||W||_1/c (erratum hu-1/E1)."""
    one = recommended_iterations(smoothness=2.0, diameter=2.0, **SETTING)
    moment = {**SETTING, "second_moment": 8.0 * 49}
    assert recommended_iterations(smoothness=2.0 * 49, diameter=2 / 7, **moment) == one
    assert recommended_truncation_scale(n_iterations=9, **moment) == pytest.approx(
        7 * recommended_truncation_scale(n_iterations=9, **SETTING), rel=1e-14
    )


def test_recommended_iterations_are_between_1_and_n():
    few = {**SETTING, "n": 3}
    assert recommended_iterations(smoothness=1e9, diameter=1e9, **few) == 3
    assert recommended_iterations(smoothness=1e-9, diameter=1.0, **SETTING) == 1


def test_recommendations_refuse_bad_parameters():
    with pytest.raises(ValueError, match="n_iterations must be an integer >= 1 and <= 10000"):
        recommended_truncation_scale(n_iterations=10_001, **SETTING)
    with pytest.raises(ValueError, match=r"diameter must be a finite number > 0, got 0\.0"):
        recommended_iterations(smoothness=1.0, diameter=0.0, **SETTING)


# --------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_iterations": 41}, "n_iterations must be an integer >= 1 and <= 40, got 41"),
        ({"step_size": 1.5}, r"step_size must be in \[0, 1\], got 1.5"),
        ({"initial": [2.0, 0.0, 0.0]}, "initial must lie in the constraint set"),
        ({"initial": [0.0, 0.0]}, "features must have shape"),
        ({"constraint": Polytope(np.eye(2))}, "points must have 3 coordinates, got 2"),
        ({"constraint": Polytope(np.zeros((2, 3)))}, "must have at least two different points"),
    ],
)
def test_what_does_not_fit_together_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        run(problem(), **options)
