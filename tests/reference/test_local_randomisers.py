"""Randomised response, bits and vectors of the local model: law, loss, and extremes.

Statistical tests use fixed seeds; each states its false-alarm probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit

from reference.privacy import RecordingLedger
from reference.privacy.mechanisms import (
    Bit,
    Cost,
    Exponential,
    IntervalExponential,
    L2BallRandomizer,
    Mechanism,
    NoisyMax,
    RandomizedResponse,
)

Array = NDArray[np.float64]


def loss(mechanism: Mechanism, output: object, value: Array, other: Array, axes: int = 0) -> float:
    """Largest loss over the units."""
    mine = mechanism.log_density(output, value, axes)
    return float(np.max(mine - mechanism.log_density(output, other, axes)))


@pytest.mark.parametrize("categories", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_randomised_response_law_and_loss(epsilon: float, categories: int) -> None:
    mechanism = RandomizedResponse(epsilon, categories)
    outputs = np.arange(categories, dtype=float)
    rows = np.exp([mechanism.log_density(outputs, np.full(categories, x), 1) for x in outputs])
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    assert np.log(rows[:, None] / rows[None]).max() == pytest.approx(epsilon, rel=1e-12)
    truth = np.full(20_000, 1.0)
    seen = mechanism.output(truth, mechanism.draw(truth, np.random.default_rng(13)))
    assert stats.chisquare(np.bincount(seen), 20_000 * rows[1]).pvalue > 1e-6


def test_randomised_response_from_given_draws() -> None:
    mechanism = RandomizedResponse(1.0, 4)
    keep = mechanism.keep_probability
    assert keep == pytest.approx(math.e / (math.e + 3))
    third = (1 - keep) / 3
    draws = np.array([keep - 1e-9, keep + 1e-9, keep + third + 1e-9, 1 - 1e-12])
    np.testing.assert_array_equal(mechanism.output(np.full(4, 2.0), draws), [2, 3, 0, 1])
    np.testing.assert_array_equal(mechanism.noiseless(np.array([2.0])), [2])


def test_randomised_response_at_the_largest_epsilon_lies_and_has_an_exact_loss() -> None:
    mechanism = RandomizedResponse(27.0, 3)
    truth = np.array([0.0, 1.0, 2.0])
    for draw, shift in ((0.5, 0), (1 - 1e-11, 0), (1 - 2e-12, 1), (1 - 2**-53, 2)):
        answers = mechanism.output(truth, np.full(3, draw))
        np.testing.assert_array_equal(answers, (truth + shift) % 3)
    loss = mechanism.log_density(np.array([1]), np.array([0.0]), 1)[0]
    assert float(loss) == pytest.approx(-27.0, rel=1e-12)


def test_randomised_response_counts_the_answers_of_a_unit() -> None:
    mechanism = RandomizedResponse(0.5)
    value, other = np.array([[0.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(mechanism.distance(value, other, 1), [2.0])
    assert mechanism.cost(2.0) == Cost(pure=1.0, rho=0.25)
    worst = max(
        loss(mechanism, np.array([bits]), value, other, axes=1)
        for bits in product((0, 1), repeat=3)
    )
    assert worst == pytest.approx(1.0)


@pytest.mark.parametrize(
    "build",
    [
        RandomizedResponse,
        partial(RandomizedResponse, categories=10),
        partial(L2BallRandomizer, 1.0),
    ],
)
def test_a_coin_that_doubles_cannot_flip_is_refused(build: Callable[[float], Mechanism]) -> None:
    # 1/(1 + e^-40) is 1 in doubles: every answer was the true one
    for epsilon in (28.0, 40.0, math.inf):
        with pytest.raises(ValueError, match="too rare for doubles"):
            build(epsilon)
    # with ten categories, of the 16929 doubles of a false answer one may be missing
    assert 27.0 <= build(27.0).cost(1.0).pure <= 27.0 + 1e-4
    # a mutant of less noise has the least that there is
    least = build(1.0).rescaled(1e-9)
    assert 27 < least.cost(1.0).pure < 28
    assert least.rescaled(1.0) == least


def test_bit_law_loss_and_temperature() -> None:
    mechanism, p = Bit(), np.array([0.2, 0.9, 0.0, 1.0])
    np.testing.assert_array_equal(
        mechanism.output(p, np.array([0.1, 0.95, 0.0, 0.999])), [1, 0, 0, 1]
    )
    np.testing.assert_allclose(np.exp(mechanism.log_density(np.ones(4), p, 1)), p)
    np.testing.assert_allclose(np.exp(mechanism.log_density(np.zeros(4), p, 1)), 1 - p)
    np.testing.assert_array_equal(mechanism.noiseless(p), [0, 1, 0, 1])
    half, more = np.array([0.5]), np.array([0.8])
    # log(0.5/0.2) is larger than log(0.8/0.5)
    assert float(mechanism.distance(half, more, 1)[0]) == pytest.approx(math.log(2.5))
    assert float(mechanism.distance(half, np.array([0.0]), 1)[0]) == math.inf
    assert float(mechanism.distance(np.array([1.0]), np.array([1.0]), 1)[0]) == 0.0
    assert mechanism.cost(0.3) == Cost(pure=0.3, rho=0.045)
    hot = mechanism.rescaled(2.0)
    logit = math.log(0.8 / 0.2)
    assert float(np.exp(hot.log_density(np.ones(1), more, 1))[0]) == pytest.approx(expit(logit / 2))
    assert hot.cost(0.3).pure == pytest.approx(0.15)


def test_l2_ball_is_unbiased_with_the_declared_norm() -> None:
    mechanism, value = L2BallRandomizer(2.0, 1.2), np.array([0.6, -0.8, 0.5])
    many = np.broadcast_to(value, (60_000, 3))
    output = mechanism.output(many, mechanism.draw(many, np.random.default_rng(14)))
    norm = mechanism.output_norm(3)
    # 3 dimensions: E|z_1| = 1/2, so B = r coth(eps/2) 2
    assert norm == pytest.approx(2.0 / math.tanh(0.6) * 2)
    np.testing.assert_allclose(np.linalg.norm(output, axis=1), norm, rtol=1e-12)
    # six standard errors of a coordinate of a vector of this norm (2e-9 each)
    np.testing.assert_allclose(output.mean(axis=0), value, atol=6 * norm / math.sqrt(60_000))


def test_l2_ball_density_matches_the_side_frequencies() -> None:
    mechanism, value = L2BallRandomizer(2.0, 1.2), np.array([1.0, 0.0])
    many = np.broadcast_to(value, (40_000, 2))
    output = mechanism.output(many, mechanism.draw(many, np.random.default_rng(15)))
    towards = np.array([[1.0, 0.1], [-1.0, 0.1]])
    density = np.exp(mechanism.log_density(towards, np.broadcast_to(value, (2, 2)), 1))
    assert density.sum() == pytest.approx(1.0)
    seen = np.mean(output[:, 0] > 0)
    assert abs(seen - density[0]) < 6 * math.sqrt(0.25 / 40_000)
    zero = mechanism.log_density(towards, np.zeros((2, 2)), 1)
    np.testing.assert_allclose(np.exp(zero), 0.5)
    alone = [float(mechanism.log_density(answer, value, 0).item()) for answer in towards]
    np.testing.assert_allclose(np.exp(alone), density)


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 27.0])
def test_l2_ball_loss_is_exactly_epsilon_on_opposite_boundary_points(epsilon: float) -> None:
    mechanism = L2BallRandomizer(2.0, epsilon)
    value, other = np.array([[2.0, 0.0]]), np.array([[-2.0, 0.0]])
    output = mechanism.output_norm(2) * np.array([[1.0, 0.0]])
    assert loss(mechanism, output, value, other, axes=1) == pytest.approx(epsilon, rel=1e-9)
    assert mechanism.cost(1.0) == Cost(pure=epsilon, rho=epsilon**2 / 2)
    inside = 0.3 * value
    assert loss(mechanism, output, value, inside, axes=1) < epsilon


def test_l2_ball_distance_is_the_claim_about_the_radius() -> None:
    mechanism = L2BallRandomizer(2.0, 1.0)
    value = np.array([[3.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(mechanism.distance(value, np.zeros((2, 2)), 1), [1.5, 0.5])
    np.testing.assert_allclose(mechanism.distance(value, value, 1), [0.0, 0.0])
    np.testing.assert_array_equal(mechanism.noiseless(value), value)
    # of several vectors of a unit the longest counts
    several = np.array([[[3.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 4.0]]])
    zeros = np.zeros((2, 2, 2))
    np.testing.assert_allclose(mechanism.distance(several, zeros, 1), [1.5, 2.0])
    np.testing.assert_allclose(mechanism.distance(zeros, several, 1), [1.5, 2.0])


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(1.0),
        Exponential(0.5),
        IntervalExponential(0.5, 0.0, 1.0),
        L2BallRandomizer(1.0, 1.0),
        Bit(),
        NoisyMax(1.0),
    ],
    ids=lambda m: type(m).__name__,
)
def test_more_noise_costs_less_and_there_is_no_residual(mechanism: Mechanism) -> None:
    noisier = mechanism.rescaled(2.0)
    assert noisier.cost(1.0).pure == pytest.approx(mechanism.cost(1.0).pure / 2)
    assert mechanism.residual(0, np.zeros(2)) is None
    assert mechanism.residual_law() is None


def test_a_bit_shows_both_values_whatever_its_probability() -> None:
    ledger = RecordingLedger(0)
    ledger.bit([0.0, 1.0, 0.5], epsilon=27.6)
    cut = ledger.transcript.releases[0].value
    assert cut.tolist() == [1e-12, 1 - 1e-12, 0.5]
    for epsilon in (27.7, 36.5, 1e3):
        with pytest.raises(ValueError, match=r"epsilon must be <= 27\.63, beyond which a false"):
            ledger.bit([0.5], epsilon=epsilon)
