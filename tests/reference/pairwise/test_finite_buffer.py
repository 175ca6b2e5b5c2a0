"""FBOnPairStrC: the buffer, the path by hand, its sensitivity and its limits; its losses."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from auditor.described.data.pairs import Pull, Target
from reference.constraint_sets import L2Ball
from reference.pairwise.finite_buffer import (
    Constants,
    constants_for,
    fb_on_pair_strongly_convex,
    reservoir,
)
from reference.pairwise.losses import AUC, Midpoint, Regularized
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import NoiselessLedger, RecordingLedger

BALL = L2Ball(1.0)


def run(data: Any, loss: Any = Midpoint(), ledger: Any = None, **changes: Any) -> Any:  # noqa: B008
    parameters = {"epsilon": 1.0, "delta": 1e-3, "buffer_size": 3, **changes}
    dimension = np.shape(data[0] if isinstance(data, tuple) else data)[1]
    parameters.setdefault("initial", np.zeros(dimension))
    return fb_on_pair_strongly_convex(data, loss, BALL, ledger=ledger, **parameters)


def held(slots: np.ndarray, size: int) -> list[list[int]]:
    """Return the indices in the buffer after each record."""
    buffer: dict[int, int] = {}
    found = []
    for t, slot in enumerate(slots):
        if slot >= 0:
            buffer[int(slot)] = t
        found.append(sorted(buffer.values()))
    return found


# ----------------------------------------------------------------------------------- the buffer


def test_the_reservoir_is_a_uniform_sample_without_replacement() -> None:
    rng, runs = np.random.default_rng(0), 6000
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(runs):
        buffers = held(reservoir(rng, 5, 2), 2)
        assert all(len(set(b)) == min(2, t + 1) for t, b in enumerate(buffers))
        counts[tuple(buffers[-1])] += 1
    assert set(counts) == set(itertools.combinations(range(5), 2))
    # five standard deviations of a binomial with p = 1/10
    assert max(abs(c - runs / 10) for c in counts.values()) < 5 * np.sqrt(runs * 0.09)


# ------------------------------------------------------------------------------------- the path


def test_three_steps_by_hand() -> None:
    """alpha = 1: T_1 = 1 and eta_t = 2/t; the buffer holds all records."""
    data = np.array([[0.4], [0.0], [-0.2], [0.6]])
    path = run(data, ledger=NoiselessLedger(), buffer_size=4)
    second = (0.0 + 0.4) / 2  # eta_2 = 1
    third = second - 2 / 3 * (second - (-0.2 + 0.2) / 2)
    fourth = third - 2 / 4 * (third - (0.6 + 0.2 / 3) / 2)
    assert path[:, 0] == pytest.approx([0.0, second, third, fourth])


def test_noise_does_not_feed_back() -> None:
    data = np.random.default_rng(2).standard_normal((12, 2))
    ledger = RecordingLedger(0)
    path = run(data, ledger=ledger)
    releases = ledger.transcript.releases
    assert path[1:] == pytest.approx(np.array([BALL.project(r.output) for r in releases]))
    slots = ledger.transcript.entries[0].value
    w, buffer = np.zeros(2), np.zeros(3, dtype=int)
    records = Midpoint().validate(data, 2)
    for t in range(1, 13):
        if t > 1:
            mean = records[buffer[: min(3, t - 1)]].mean(axis=0)
            w = BALL.project(w - 2 / t * (w - (records[t - 1] + mean) / 2))
            assert releases[t - 2].value == pytest.approx(w)
        if slots[t - 1] >= 0:
            buffer[slots[t - 1]] = t - 1


def test_zcdp_is_the_papers_accounting() -> None:
    """sigma_t^2 = (n - T_1) Delta_t^2/(2 rho)."""
    claim = {"radius": 1.0, "n": 30, "epsilon": 1.0, "delta": 1e-3}
    papers = constants_for(Midpoint(), method="zcdp", **claim)
    assert papers.noise_multiplier**2 == pytest.approx(29 / (2 * zcdp_rho(1.0, 1e-3)))
    assert constants_for(Midpoint(), **claim).noise_multiplier < papers.noise_multiplier


# ---------------------------------------------------------------------------------- sensitivity


@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_no_history_of_the_buffer_moves_a_parameter_more_than_claimed(size: int) -> None:
    """The recursion D_t = (1 - 2/t) D_{t-1} + 4/(t b) of a record that never leaves."""
    constants = Constants(1, 2.0, 4.0, 1.0)
    for arrival in (1, 2, 3, 10):
        distance = 0.0
        for t in range(2, 200):
            if t == arrival:
                distance = 4 / t
            elif t > arrival:
                distance = (1 - 2 / t) * distance + 4 / (t * min(size, t - 1))
            claimed = constants.sensitivity(t, size)
            assert distance <= claimed * (1 + 1e-12)
            assert claimed <= 4 / t + 2 / size
        if arrival == 2:
            assert distance > 0.95 * claimed


def test_a_stored_stream_has_4g_over_alpha_t() -> None:
    constants = Constants(1, 2.0, 6.0, 1.0)
    assert [constants.sensitivity(t, 50) for t in (2, 7, 51)] == pytest.approx(
        [6 / 2, 6 / 7, 6 / 51]
    )
    assert constants.sensitivity(52, 50) > 6 / 52


# --------------------------------------------------------------------------------------- losses


def test_the_regularised_loss_has_the_papers_constants() -> None:
    loss = Regularized(AUC(feature_bound=0.5), 0.25, np.zeros(2))
    assert loss.lipschitz(2.0) == 2.0 + 0.25 * 4.0
    assert loss.smoothness == 1.0 + 0.25
    assert loss.strong_convexity == 0.25


def auc_risk(features: np.ndarray, labels: np.ndarray, w: np.ndarray, others: list[int]) -> float:
    margins = [(labels[0] - labels[j]) * (features[0] - features[j]) @ w for j in others]
    return float(np.mean(np.logaddexp(0, -np.array(margins))))


def test_gradients_are_those_of_the_risks() -> None:
    rng = np.random.default_rng(5)
    features, labels = rng.standard_normal((6, 3)) / 4, np.array([1.0, -1, 1, -1, -1, 1])
    w, others = rng.standard_normal(3), [1, 2, 4]
    gradient = AUC().gradient(AUC().validate((features, labels), 3), w, 0, np.array(others))
    step = 1e-6 * np.eye(3)
    numeric = [
        (auc_risk(features, labels, w + e, others) - auc_risk(features, labels, w - e, others))
        / 2e-6
        for e in step
    ]
    assert gradient == pytest.approx(numeric, abs=1e-8)
    midpoint = Midpoint().gradient(features, w, 0, np.array(others))
    assert midpoint == pytest.approx(w - (features[0] + features[others].mean(axis=0)) / 2)


@pytest.mark.parametrize(
    "loss",
    [
        AUC(feature_bound=0.7),
        Regularized(AUC(feature_bound=0.7), 0.5, np.array([0.6, 0.8])),
        Regularized(AUC(feature_bound=0.7), 0.5, np.array([0.0, 90.0])),
        Midpoint(feature_bound=0.7),
        Target(feature_bound=0.7),
        Pull(feature_bound=0.7),
    ],
)
def test_gradients_are_lipschitz_and_bounded(loss: Any) -> None:
    rng = np.random.default_rng(6)
    features = 5 * rng.standard_normal((8, 2))
    data = (features, rng.choice([-1.0, 1.0], 8)) if "AUC" in repr(loss) else features
    records = loss.validate(data, 2)
    for _ in range(50):
        w, v = (BALL.project(3 * rng.standard_normal(2)) for _ in range(2))
        g, h = (loss.gradient(records, x, 0, np.arange(1, 8)) for x in (w, v))
        assert np.linalg.norm(g) <= loss.lipschitz(1.0) + 1e-12
        assert np.linalg.norm(g - h) <= loss.smoothness * np.linalg.norm(w - v) + 1e-12
        assert (g - h) @ (w - v) >= loss.strong_convexity * ((w - v) @ (w - v)) - 1e-12


def test_pairs_of_equal_labels_say_nothing() -> None:
    records = AUC().validate((np.eye(3), np.ones(3)), 3)
    assert not AUC().gradient(records, np.ones(3), 0, np.array([1, 2])).any()


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize("loss", [Midpoint(), Regularized(AUC(), 2.0, np.zeros(2))])
def test_the_longest_steps_that_contract_are_taken_and_longer_ones_refused(loss: Any) -> None:
    """The first step, of t = 5, is at most 2/(L + alpha); the midpoint's then turns w around."""
    data = np.zeros((9, 2)) if isinstance(loss, Midpoint) else (np.zeros((9, 2)), np.ones(9))
    longest = 5 * 2 / (loss.smoothness + loss.strong_convexity)
    steps = [
        run(data, loss, NoiselessLedger(), initial=start, constants=Constants(4, longest, 1.0, 1.0))
        for start in (np.array([0.5, 0.0]), np.array([0.7, 0.0]))
    ]
    moved = np.linalg.norm(steps[0] - steps[1], axis=1)
    assert moved[4] <= 0.2 * (1 - longest / 5 * loss.strong_convexity) + 1e-12
    with pytest.raises(ValueError, match=r"step_size/\(first_phase \+ 1\) <= 2/\(L \+ alpha\)"):
        run(data, loss, NoiselessLedger(), constants=Constants(4, 1.001 * longest, 1.0, 1.0))


@pytest.mark.parametrize(
    ("strength", "centre", "message"),
    [(-1.0, np.zeros(2), "strength must be"), (1.0, np.array([np.nan]), "centre must be finite")],
)
def test_a_regulariser_is_refused(strength: float, centre: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Regularized(AUC(), strength, centre)
