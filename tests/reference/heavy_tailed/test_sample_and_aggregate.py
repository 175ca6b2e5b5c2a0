"""Everything here is deterministic: explicit seeds, exact figures."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.heavy_tailed.sample_and_aggregate import (
    Constants,
    block_mean,
    centre_of_attention,
    constants_for,
    majority,
    radii,
    random_subsets,
    sample_and_aggregate,
    smooth_bound,
)
from reference.privacy import GivenDrawsLedger, RecordingLedger
from reference.privacy.mechanisms import smooth_gaussian_delta

BUDGET = {"epsilon": 2.0, "delta": 0.1}
"""beta = 0.1251 in one dimension: 8 radii are averaged."""


def release(data, estimator=block_mean, *, n_blocks=30, diameter=2.0, **options):
    ledger = RecordingLedger(0)
    sample_and_aggregate(
        data,
        estimator,
        diameter=diameter,
        n_blocks=n_blocks,
        ledger=ledger,
        **{**BUDGET, **options},
    )
    (only,) = ledger.transcript.releases
    return only


# ------------------------------------------------------------------- centre of attention


def test_radii_and_centre_by_hand():
    points = np.array([[0.0], [0.1], [0.25], [5.0], [9.0]])
    found = radii(points)
    np.testing.assert_allclose(found[0], [0.0, 0.1, 0.25, 5.0, 9.0])
    np.testing.assert_allclose(found[2], [0.0, 0.15, 0.25, 4.75, 8.75])
    assert majority(5, 1) == 4
    assert majority(6, 1) == 4
    # r(4): 5, 4.9, 4.75, 5, 8.9
    assert centre_of_attention(found, 1) == 2
    # t_0 = 5 with s = 3; r(5): 9, 8.9, 8.75, 5, 9
    assert centre_of_attention(found, 3) == 3


def brute_force_bound(points, touched, decay, diameter):
    """Step 5 word by word."""
    m = len(points)
    t0 = math.floor((m + touched) / 2) + 1
    count = math.ceil(touched / decay)
    terms = []
    for k in range(m + 1):
        t = t0 + (k + 1) * touched
        if t > m:
            rho = diameter
        else:
            balls = sorted(
                sorted(math.dist(p, q) for q in points.tolist())[t - 1] for p in points.tolist()
            )
            rho = sum(balls[:count]) / count
        terms.append(rho * math.exp(-decay * k))
    return 2 * max(terms)


@pytest.mark.parametrize("dimension", [1, 3])
@pytest.mark.parametrize(
    ("n_points", "touched", "decay"), [(20, 1, 0.1), (21, 1, 0.4), (24, 2, 0.2), (40, 3, 0.17)]
)
@pytest.mark.parametrize("diameter", [5.0, 1e3])
def test_the_smooth_bound_is_that_of_step_5(dimension, n_points, touched, decay, diameter):
    points = np.random.default_rng(n_points).uniform(-1, 1, (n_points, dimension))
    found = smooth_bound(radii(points), touched, decay=decay, diameter=diameter)
    assert found == pytest.approx(brute_force_bound(points, touched, decay, diameter), rel=1e-12)


def test_equal_estimates_leave_the_diameter_alone():
    # t_0 = 16 of m = 30: k = 14 is the first with t_0 + (k+1) > 30
    found = smooth_bound(radii(np.zeros((30, 2))), 1, decay=0.125, diameter=3.0)
    assert found == pytest.approx(6 * math.exp(-14 * 0.125))
    # where that underflows
    assert smooth_bound(radii(np.zeros((30, 2))), 1, decay=0.5, diameter=1e-307) > 0


def violation(points, other, touched, decay, diameter):
    """Return |log S/S'|/(2 beta) and the move of the centre over the smaller S."""
    both = [radii(x) for x in (points, other)]
    first, second = (smooth_bound(r, touched, decay=decay, diameter=diameter) for r in both)
    centres = [
        x[centre_of_attention(r, touched)] for x, r in zip((points, other), both, strict=True)
    ]
    shift = float(np.linalg.norm(centres[0] - centres[1]))
    return abs(math.log(first / second)) / (2 * decay), shift / min(first, second)


LEVELS = st.sampled_from([0.0, 0.5, 1.0, -1.0, 0.05, -0.3, 1e-3, 0.6])


@settings(max_examples=150)
@given(
    st.lists(LEVELS, min_size=24, max_size=34),
    st.lists(LEVELS, min_size=2, max_size=2),
    st.integers(1, 2),
    st.sampled_from([0.13, 0.25, 0.5]),
    st.sampled_from([2.0, 40.0]),
    st.integers(1, 2),
)
def test_s_points_move_log_s_by_two_beta_and_the_centre_by_s(
    values, new, touched, decay, diameter, dimension
):
    size = len(values) // dimension * dimension
    points = np.array(values[:size]).reshape(-1, dimension)
    m = len(points)
    if math.ceil(touched / decay) > majority(m, touched) + touched or majority(m, 2) + 2 > m:
        return
    other = points.copy()
    other[:touched] = np.array(new[:touched])[:, None]
    bound, shift = violation(points, other, touched, decay, diameter)
    assert bound <= 1 + 1e-12
    assert shift <= 1 + 1e-12


# ------------------------------------------------------------------- calibration and cost


def test_calibration_by_hand():
    found = constants_for(epsilon=1.0, delta=2e-5, dimension=3)
    log_term = math.log(1e5)
    assert found.divisor == pytest.approx(1 / (5 * math.sqrt(2 * log_term)))
    assert found.decay == pytest.approx(1 / (4 * (3 + log_term)))
    only = release(np.zeros((400, 3)), n_blocks=400, epsilon=1.0, delta=2e-5)
    assert only.mechanism.divisor == found.divisor
    assert only.mechanism.smoothness == 2 * found.decay
    assert only.mechanism.noise == "gaussian"
    assert only.mechanism.dimension == 3


def test_a_decay_above_one_half_is_refused():
    with pytest.raises(ValueError, match="decay must be in"):
        Constants(divisor=0.05, decay=0.6)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("delta", [0.5, 0.1, 1e-3, 1e-5, 1e-10])
def test_up_to_epsilon_1_six_tenths_of_delta_suffice(epsilon, delta):
    for dimension in (1, 2, 5, 30, 1000):
        found = constants_for(epsilon=epsilon, delta=delta, dimension=dimension)
        spent = smooth_gaussian_delta(
            found.divisor, found.smoothness, dimension=dimension, epsilon=epsilon
        )
        assert spent <= 0.6 * delta


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(6.0, 1e-5), (2.0, 1e-10), (50.0, 0.1), (7.7, 0.9)],  # the last: decay alone is too large
)
def test_an_epsilon_too_large_for_the_constants_is_refused(epsilon, delta):
    with pytest.raises(ValueError, match="epsilon must be smaller at delta="):
        release(np.zeros((900, 3)), n_blocks=900, epsilon=epsilon, delta=delta)


# ------------------------------------------------------------------- the whole algorithm


def test_given_draw_by_hand():
    # blocks of 2: means 0 (20 of them) and 1; 21 blocks hold t_0 + 1 = 17 of 30 at 0
    data = np.repeat([0.0, 1.0], [40, 20])
    constants = constants_for(**BUDGET, dimension=1)
    # r(17) is 0 at the 0s, r(t) is 1 from t = 21 (k = 4) on; the diameter from k = 14
    bound = 2 * max(math.exp(-4 * constants.decay), 2 * math.exp(-14 * constants.decay))
    found = sample_and_aggregate(
        data, block_mean, diameter=2.0, n_blocks=30, ledger=GivenDrawsLedger([[0.5]]), **BUDGET
    )
    assert found == pytest.approx([bound / constants.divisor * 0.5])


def test_blocks_are_disjoint_and_the_rest_is_not_read():
    seen = []

    def estimator(block):
        features, labels = block
        assert np.array_equal(features[:, 0], labels)
        seen.append(labels)
        return features.mean(axis=0)

    rows = np.arange(64.0) / 100
    only = release((np.column_stack([rows, rows]), rows), estimator, n_blocks=30)
    # the first block is asked once more, for the dimension
    np.testing.assert_array_equal(np.concatenate(seen[1:]), rows[:60])
    assert {len(block) for block in seen} == {2}
    assert only.claim.records == slice(0, 60)
    assert only.value.shape == (2,)


def test_random_subsets_hold_nobody_too_often():
    for seed in range(20):
        subsets = random_subsets(64, 16, np.random.default_rng(seed))
        assert subsets.shape == (16, 4)
        assert all(len(set(row)) == 4 for row in subsets.tolist())
        assert np.bincount(subsets.ravel()).max() <= 4
    # two halves that nobody is in both of: one pair in C(40, 20)
    with pytest.raises(ValueError, match="left a record in more than 1 of them"):
        random_subsets(40, 2, np.random.default_rng(0))


def test_estimates_are_projected_on_the_ball_of_the_diameter():
    def estimator(block):
        return {
            0.0: np.array([0.3, -0.4]),
            1.0: np.array([3.0, -4.0]),
            2.0: np.array([np.nan, np.inf]),
        }[block[0]]

    inside = release(np.zeros(30), estimator).value
    np.testing.assert_array_equal(inside, [0.3, -0.4])
    outside = release(np.ones(30), estimator).value
    assert np.linalg.norm(outside) == pytest.approx(1.0)
    np.testing.assert_array_equal(release(np.full(30, 2.0), estimator).value, [0.0, 1.0])
    # no two estimates are farther apart than the diameter
    mixed = np.repeat([1.0, 2.0], [29, 1])
    first, second = release(np.ones(30), estimator), release(mixed, estimator)
    distance = first.mechanism.smooth_distance(first.value, second.mechanism, second.value)
    assert distance <= 1 + 1e-12
