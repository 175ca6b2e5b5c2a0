"""Shrunken data, gradient steps and noisy hard thresholding (hu-3)."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

from reference.catalogue import entry
from reference.clipping import clip_entries
from reference.constraint_sets import L2Ball, SparseVectors
from reference.errata.heavy_tailed.sparse_regression import printed
from reference.heavy_tailed.sparse_regression import (
    heavy_tailed_sparse_regression,
    theorem_truncation_level,
)
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.ledger import MutatedLedger
from reference.sparse.peeling import noise_scale

Data = tuple[np.ndarray, np.ndarray]
TRUTH = np.array([0.0, 0.6, 0.0, -0.4, 0.0])


def problem(n: int = 62, seed: int = 0, noise: float = 0.3) -> Data:
    rng = np.random.default_rng(seed)
    features = rng.standard_t(5, (n, 5))
    return features, features @ TRUTH + noise * rng.standard_t(5, n)


DATA = problem()


def estimate(
    data: Any = DATA, function: Any = heavy_tailed_sparse_regression, **changes: Any
) -> np.ndarray:
    arguments: dict[str, Any] = {
        "sparsity": 2,
        "truncation_level": 2.0,
        "epsilon": 0.9,
        "delta": 1e-5,
        "n_iterations": 3,
        "step_size": 0.4,
        "ledger": Ledger(1),
    }
    return function(data, **{**arguments, **changes})


def releases(data: Any = DATA, **changes: Any) -> Any:
    ledger = RecordingLedger(1)
    estimate(data, **{"ledger": ledger, **changes})
    return ledger.transcript.releases


# ------------------------------------------------------------------------ sensitivity, noise


def test_truncation_of_theorem_7() -> None:
    assert theorem_truncation_level(240_000, 1.0, sparsity=3, n_iterations=8) == pytest.approx(10.0)
    # (n epsilon)^(1/4), (s T)^(-1/4)
    base = theorem_truncation_level(1000, 0.5, sparsity=2, n_iterations=5)
    assert theorem_truncation_level(16_000, 0.5, sparsity=2, n_iterations=5) == pytest.approx(
        2 * base
    )
    assert theorem_truncation_level(1000, 8.0, sparsity=2, n_iterations=5) == pytest.approx(
        2 * base
    )
    assert theorem_truncation_level(1000, 0.5, sparsity=32, n_iterations=5) == pytest.approx(
        base / 2
    )
    assert theorem_truncation_level(1000, 0.5, sparsity=2, n_iterations=80) == pytest.approx(
        base / 2
    )
    with pytest.raises(ValueError, match="epsilon must be a finite number > 0, got 0"):
        theorem_truncation_level(10, 0, sparsity=1, n_iterations=1)
    with pytest.raises(ValueError, match="sparsity must be an integer >= 1, got 0"):
        theorem_truncation_level(10, 1.0, sparsity=0, n_iterations=1)


def test_claimed_sensitivity_by_hand() -> None:
    """2 K^2 eta (sqrt(s) + 1)/m with K = 2, eta = .4, s = 2; printed sqrt(s + 1)."""
    # 62 records in three batches: m = 20
    (claimed,) = {release.claim.sensitivity for release in releases()}
    assert claimed == pytest.approx(2 * 4 * 0.4 * (math.sqrt(2) + 1) / 20, rel=1e-15)
    (claimed,) = {release.claim.sensitivity for release in releases(function=printed)}
    assert claimed == pytest.approx(2 * 4 * 0.4 * math.sqrt(3) / 20, rel=1e-15)


@pytest.mark.parametrize(("s", "ratio"), [(1, 1.4142), (4, 1.3416), (9, 1.2649), (16, 1.2127)])
def test_the_sensitivity_is_attained_and_exceeds_the_printed_one(s: int, ratio: float) -> None:
    w = np.append(np.full(s, 1 / math.sqrt(s)), 0.0)
    features, labels = np.full((2, s + 1), 2.0), np.full(2, -2.0)
    other = features.copy()
    other[0, s] = -2.0
    options: dict[str, Any] = {"sparsity": s, "n_iterations": 1, "initial": w}
    first, second = (
        releases((x, labels), function=printed, **options)[0] for x in (features, other)
    )
    # |v_d| goes from eta K^2 (sqrt(s) + 1) to 0
    distance = abs(first.value[s] - second.value[s])
    assert distance == pytest.approx(releases((features, labels), **options)[0].claim.sensitivity)
    assert distance / first.claim.sensitivity == pytest.approx(ratio, abs=5e-5)


def test_no_pair_of_records_exceeds_the_claimed_sensitivity() -> None:
    """Extreme records at random, and the worst iterates: none moves a coordinate by more."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        s = int(rng.integers(1, 5))
        w = np.zeros(5)
        w[rng.permutation(5)[:s]] = rng.choice([-1.0, 1.0], s) / math.sqrt(s)
        values = rng.choice([-1e300, -2.0, 0.0, 2.0, 1e300], (2, 6))
        results = [
            releases(
                (row[None, :5], row[5:]),
                sparsity=s,
                n_iterations=1,
                initial=w,
                truncation_level=2.0,
            )[0]
            for row in values
        ]
        bound = results[0].claim.sensitivity
        assert np.abs(results[0].value - results[1].value).max() <= bound * (1 + 1e-12)


def test_noise_of_every_release() -> None:
    """The Laplace scale is 2 lambda sqrt(3 s log(1/delta))/epsilon where the paper's is valid."""
    for release in releases():
        scale = 2 * release.claim.sensitivity * math.sqrt(6 * math.log(1e5)) / 0.9
        assert release.mechanism.scale == pytest.approx(scale, rel=1e-12)
    # and the certified one where it is not
    for release in releases(sparsity=5, epsilon=30.0, delta=0.1):
        scale = noise_scale(30.0, 0.1, sparsity=5, sensitivity=release.claim.sensitivity)
        assert release.mechanism.scale == pytest.approx(scale, rel=1e-12)
        assert scale > 2 * release.claim.sensitivity * math.sqrt(15 * math.log(10)) / 30


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 1e-5), (0.99, 0.09), (8.0, 1e-2), (40.0, 0.1)]
)
def test_blocks_cost_as_much_as_one(epsilon: float, delta: float) -> None:
    spent = []
    for n_iterations in (1, 5):
        ledger = Ledger(0)
        estimate(epsilon=epsilon, delta=delta, n_iterations=n_iterations, ledger=ledger)
        spent.append(ledger.spent(delta=delta).epsilon)
    assert spent[0] == pytest.approx(spent[1], rel=1e-9)
    assert 0.2 * epsilon < spent[0] <= epsilon


def test_every_release_names_its_block() -> None:
    made = releases()
    assert [release.mechanism.kind for release in made] == ["noisy max"] * 2 + ["laplace"] * 2 + (
        ["noisy max"] * 2 + ["laplace"] * 2
    ) * 2
    blocks = [slice(0, 20), slice(20, 40), slice(40, 60)]
    assert [release.claim.records for release in made] == [b for b in blocks for _ in range(4)]


@pytest.mark.parametrize("delta", [0.09, 1e-2, 1e-5])
@pytest.mark.parametrize("s", [1, 2, 4, 9, 25])
def test_the_printed_noise_meets_the_claim_all_the_same(s: int, delta: float) -> None:
    """At its true sensitivity, the run with the printed scale spends less than epsilon = .99."""
    understated = (math.sqrt(s) + 1) / math.sqrt(s + 1)
    ledger = MutatedLedger(Ledger(0), lambda _, m, value, claim: (m, value, claim * understated))
    data = (np.ones((2, s + 1)), np.ones(2))
    options: dict[str, Any] = {"sparsity": s, "n_iterations": 1, "function": printed}
    estimate(data, epsilon=0.99, delta=delta, ledger=ledger, **options)
    assert ledger.spent(delta=delta).epsilon < 0.85 * 0.99


# ----------------------------------------------------------------------------- the algorithm


def test_two_noiseless_steps_by_hand() -> None:
    """K = 2 shrinks (8, 1), -5 to (2, 1), -2; w = (.5, 0) then stays on the first coordinate."""
    features = np.array([[8.0, 1.0], [1.0, -1.0]])
    labels = np.array([-5.0, 0.5])
    # first block: residual 1 + 2 = 3, step (.5, 0) - .1 (6, 3) = (-.1, -.3), keep -.3
    # second block: residual .3 - .5 = -.2, step (0, -.3) - .1 (-.2, .2) = (.02, -.32)
    found = estimate(
        (features, labels),
        sparsity=1,
        n_iterations=2,
        step_size=0.1,
        initial=[0.5, 0.0],
        ledger=NoiselessLedger(),
    )
    np.testing.assert_allclose(found, [0.0, -0.32], rtol=1e-14)


def test_an_iterate_outside_the_unit_ball_is_pulled_onto_it() -> None:
    data = (np.array([[1.0, 0.5]]), np.array([2.0]))
    found = estimate(data, n_iterations=1, step_size=3.0, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, np.array([2.0, 1.0]) / math.sqrt(5), rtol=1e-14)
    # the iterates in between too: the second block's values are those of the projected iterate
    twice = (np.array([[1.0, 0.5], [1.0, 0.0]]), np.array([2.0, 0.0]))
    found = estimate(twice, n_iterations=2, step_size=1.0, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, [0.0, 1 / math.sqrt(5)], atol=1e-14)


@pytest.mark.parametrize("n_iterations", [1, 4, 62])
def test_noiseless_run_is_iterative_hard_thresholding(n_iterations: int) -> None:
    w, m = np.zeros(5), 62 // n_iterations
    x, y = np.clip(DATA[0], -2, 2), np.clip(DATA[1], -2, 2)
    for t in range(n_iterations):
        rows = range(t * m, t * m + m)
        w = w - 0.4 / m * sum(x[i] * (x[i] @ w - y[i]) for i in rows)
        w[np.argsort(-np.abs(w))[2:]] = 0.0
        w = w / max(1.0, np.linalg.norm(w))
    found = estimate(n_iterations=n_iterations, ledger=NoiselessLedger())
    np.testing.assert_allclose(found, w, atol=1e-13)


def test_noiseless_limit_on_an_exact_problem_is_the_truth() -> None:
    """No noise in the labels, no truncation: every block has the same minimiser, w*."""
    data = problem(n=6_000, noise=0.0)
    found = estimate(
        data, truncation_level=1e6, n_iterations=60, step_size=0.3, ledger=NoiselessLedger()
    )
    np.testing.assert_allclose(found, TRUTH, atol=1e-9)


def test_private_estimate_is_close_for_many_records() -> None:
    """Laplace scale .0021 on two coordinates; a tenth is far beyond what noise and bias do."""
    found = estimate(problem(n=200_000), truncation_level=4.0, n_iterations=4)
    assert np.flatnonzero(found).tolist() == [1, 3]
    assert np.linalg.norm(found - TRUTH) < 0.1


def test_the_result_is_sparse_and_in_the_unit_ball() -> None:
    for seed in range(20):
        found = estimate(ledger=Ledger(seed))
        assert SparseVectors(2).contains(found)
        assert L2Ball(1.0).contains(found)
        assert found.dtype == np.float64
        assert found.shape == (5,)


def test_only_the_blocks_are_read() -> None:
    """62 records in three blocks of 20: the last two matter to nothing, the others do."""
    base = estimate(ledger=NoiselessLedger())
    for index in range(62):
        labels = DATA[1].copy()
        labels[index] += 1.5 if labels[index] < 0 else -1.5
        changed = estimate((DATA[0], labels), ledger=NoiselessLedger())
        assert np.array_equal(changed, base) == (index >= 60)


def test_a_release_does_not_depend_on_later_blocks() -> None:
    features = DATA[0].copy()
    features[40:60] *= -3.0
    first, second = releases(), releases((features, DATA[1]))
    for mine, theirs in zip(first[:8], second[:8], strict=True):
        np.testing.assert_array_equal(mine.value, theirs.value)
    assert not np.array_equal(first[8].value, second[8].value)


# ------------------------------------------------------------------------------- invariances


def test_order_within_the_blocks_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    order = np.concatenate([20 * t + rng.permutation(20) for t in range(3)] + [[60, 61]])
    found = estimate((DATA[0][order], DATA[1][order]))
    np.testing.assert_allclose(found, estimate(), atol=1e-12)


def test_signs_of_features_and_labels() -> None:
    signs = np.array([1.0, -1.0, -1.0, 1.0, 1.0])
    base = estimate(ledger=NoiselessLedger())
    flipped = estimate((DATA[0] * signs, DATA[1]), ledger=NoiselessLedger())
    np.testing.assert_allclose(flipped, base * signs, atol=1e-14)
    flipped = estimate((DATA[0], -DATA[1]), ledger=NoiselessLedger())
    np.testing.assert_allclose(flipped, -base, atol=1e-14)


def test_order_of_the_features() -> None:
    order = np.array([3, 0, 4, 1, 2])
    found = estimate((DATA[0][:, order], DATA[1]), ledger=NoiselessLedger())
    np.testing.assert_allclose(found, estimate(ledger=NoiselessLedger())[order], atol=1e-14)


def test_units_of_the_data_do_not_matter() -> None:
    """(x, y, K) in other units and eta in inverse square units: the same run, the same noise."""
    scaled = (8 * DATA[0], 8 * DATA[1])
    found = estimate(scaled, truncation_level=16.0, step_size=0.4 / 64)
    np.testing.assert_array_equal(found, estimate())


def test_given_draws_reproduce_a_run() -> None:
    ledger = RecordingLedger(11)
    found = estimate(ledger=ledger)
    again = estimate(ledger=GivenDrawsLedger(ledger.transcript.draws))
    np.testing.assert_array_equal(found, again)


# ------------------------------------------------------------------------------------- input


def test_extreme_records_are_shrunken_without_a_warning() -> None:
    rows = [
        [1e300, -1e308, 5e-324, 0.0, 1.0],
        [-1e308] * 5,
        [5e-324] * 5,
        [1e308, -1e308] * 2 + [0],
    ]
    for row in rows:
        for label in (1e300, -1e308, 5e-324, 0.0):
            features, labels = DATA[0].copy(), DATA[1].copy()
            features[3], labels[3] = row, label
            shrunken = (clip_entries(features, 2.0), clip_entries(labels, 2.0))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = estimate((features, labels))
            assert np.isfinite(found).all()
            np.testing.assert_array_equal(found, estimate(shrunken))


def test_input_is_not_changed_and_types_are_accepted() -> None:
    features, labels, start = DATA[0].copy(), DATA[1].copy(), np.array([0, 0.5, 0, 0, 0])
    from_start = estimate((features, labels), initial=start)
    np.testing.assert_array_equal(features, DATA[0])
    np.testing.assert_array_equal(labels, DATA[1])
    np.testing.assert_array_equal(start, [0, 0.5, 0, 0, 0])
    as_lists = estimate((DATA[0].tolist(), DATA[1].tolist()), initial=start.tolist())
    np.testing.assert_array_equal(as_lists, from_start)
    assert not np.array_equal(from_start, estimate())
    np.testing.assert_array_equal(estimate(initial=np.zeros(5)), estimate())
    # a start of norm 1 up to rounding is in the ball
    estimate(initial=np.array([1, 1, 1, 0, 0]) / math.sqrt(3), sparsity=3)
    assert estimate(ledger=None).shape == (5,)


BAD_FEATURES = DATA[0].copy()
BAD_FEATURES[61, 0] = math.nan


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"epsilon": 0.0}, ValueError, "epsilon must be a finite number > 0, got 0.0"),
        ({"delta": 0.0}, ValueError, r"delta must be in \(0, 1\), got 0.0"),
        ({"delta": 1.0}, ValueError, r"delta must be in \(0, 1\), got 1.0"),
        (
            {"truncation_level": -1.0},
            ValueError,
            "truncation_level must be a finite number > 0, got -1.0",
        ),
        (
            {"truncation_level": 1e160},
            ValueError,
            r"truncation_level must be from 1e-50 to 1e\+50",
        ),
        ({"truncation_level": 1e-170}, ValueError, "truncation_level must be from 1e-50"),
        ({"step_size": 0.0}, ValueError, "step_size must be a finite number > 0, got 0.0"),
        ({"sparsity": 0}, ValueError, "sparsity must be an integer >= 1, got 0"),
        ({"sparsity": 6}, ValueError, "sparsity must be an integer >= 1 and <= 5, got 6"),
        ({"sparsity": 1.0}, TypeError, "sparsity must be an integer, got 1.0"),
        ({"n_iterations": 0}, ValueError, "n_iterations must be an integer >= 1"),
        ({"n_iterations": 63}, ValueError, "n_iterations must be an integer >= 1 and <= 62"),
        ({"initial": [0.1, 0.1, 0.1, 0, 0]}, ValueError, "initial must have at most sparsity = 2"),
        ({"initial": [1.01, 0, 0, 0, 0]}, ValueError, "initial must have .* l2 norm <= 1"),
        ({"initial": [0.5, 0]}, ValueError, r"features must have shape \('any', 2\)"),
        ({"initial": [math.inf, 0, 0, 0, 0]}, ValueError, "initial must be finite"),
        ({"data": DATA[0]}, TypeError, r"data must be a pair \(features, labels\), got ndarray"),
        ({"data": (DATA[0], DATA[1][:-1])}, ValueError, r"labels must have shape \(62,\)"),
        ({"data": (DATA[1], DATA[1])}, ValueError, r"features must have 2 dimension\(s\)"),
        ({"data": (BAD_FEATURES, DATA[1])}, ValueError, "features must be finite"),
        ({"data": ([], [])}, ValueError, "features must have 2 dimension"),
    ],
)
def test_bad_input_is_refused_before_any_release(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    ledger = RecordingLedger(0)
    with pytest.raises(error, match=message.replace("^", r"\^")):
        estimate(**{"ledger": ledger, **changes})
    assert len(ledger.transcript) == 0


def test_catalogue() -> None:
    card = entry("hu-3")
    assert card.function is heavy_tailed_sparse_regression
