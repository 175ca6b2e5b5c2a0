"""Traces of coarse noise are found in training runs, and smooth noise leaves none.

Seeds are fixed; the events that are chosen are certified elsewhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from auditor import check
from auditor.events.lattices import Recurring, _steps, recurring_columns, telling_remainder
from auditor.events.outcomes import Encoding
from auditor.events.views import Tables

Noise = Callable[[np.random.Generator, int], np.ndarray]
RUNS = 1250
VALUES = np.random.default_rng(7).laplace(size=2**12)


def tables(*outputs: np.ndarray) -> Tables:
    encoding = Encoding.learn(*outputs)
    one, two = map(encoding.table, outputs)
    return one, two


def noisy(noise: Noise, first: float = 0.3, second: float = 0.7, runs: int = RUNS) -> Tables:
    rng = np.random.default_rng(11)
    return tables(*(value + noise(rng, runs) for value in (first, second)))


def in_steps(step: float) -> Noise:
    return lambda rng, runs: np.round(rng.laplace(size=runs) / step) * step


def test_the_step_of_noise_is_found() -> None:
    for step in (2.0**-20, 2.0**-40, 1e-6, 2.0**-20 / 0.7, 2.0**-26 / 0.7, 3e-9):
        sides = noisy(in_steps(step), 0.3, 0.7 + 1e-3 / 7)
        found = telling_remainder(sides, ["output"])
        assert found is not None
        # a step, or one that divides it, as exact as the outputs
        assert step / found.step == pytest.approx(round(step / found.step), rel=1e-9)
        one, two = (found(table)[:, 0] / found.step for table in sides)
        assert np.ptp(one) < 0.1
        assert np.ptp(two) < 0.1
        assert abs(one.mean() - two.mean()) > 0.1


def test_the_farthest_value_may_be_off_the_lattice() -> None:
    step = 2.0**-20 / 0.7

    def mostly(rng: np.random.Generator, runs: int) -> np.ndarray:
        noise = in_steps(step)(rng, runs)
        noise[0] = 17.4  # a third of a step from the next
        return noise

    found = telling_remainder(noisy(mostly, 0.3, 0.7 + 1e-3 / 7), ["output"])
    assert found is not None
    assert step / found.step == pytest.approx(round(step / found.step), rel=1e-9)


@pytest.mark.parametrize(
    "noise",
    [
        lambda rng, runs: rng.laplace(size=runs),
        lambda rng, runs: rng.normal(size=runs),
        lambda rng, runs: rng.uniform(-1, 1, runs),
        lambda rng, runs: rng.standard_cauchy(runs),
        lambda rng, runs: 1e6 + rng.laplace(size=runs),
        lambda rng, runs: rng.laplace(size=runs).astype(np.float32),
        lambda rng, runs: np.where(rng.random(runs) < 0.1, np.inf, rng.laplace(size=runs)),
        lambda rng, runs: np.where(rng.random(runs) < 0.1, np.nan, rng.laplace(size=runs)),
        lambda rng, runs: np.full(runs, np.nan),
    ],
)
def test_smooth_noise_has_no_step(noise: Noise) -> None:
    assert telling_remainder(noisy(noise), ["output"]) is None


def test_a_public_grid_and_the_spacing_of_floats_are_no_step() -> None:
    """The spacing of doubles, or of single-precision floats, as such or turned into doubles."""
    rng = np.random.default_rng(13)
    for grid in (1e-3, 2.0**-10, 1 / 7):
        outputs = [np.round((x + rng.laplace(size=RUNS)) / grid) * grid for x in (0.3, 0.7)]
        assert telling_remainder(tables(*outputs), ["output"]) is None
    for scale in (1.0, 1e-6, 1e9):
        noise = scale * rng.laplace(size=(2, RUNS))
        centres = np.array([[0.0], [scale]])
        doubles = noise + centres
        singles = noise.astype(np.float32) + centres.astype(np.float32)
        for sides in (doubles, singles, singles.astype(float)):
            assert telling_remainder(tables(*sides), ["output"]) is None


def test_the_entry_with_a_step_is_named() -> None:
    rng = np.random.default_rng(14)
    outputs = [rng.laplace(size=(RUNS, 5)) for _ in range(2)]
    for x, part in zip((0.3, 0.7), outputs, strict=True):
        part[:, 3] = x + in_steps(2.0**-20)(rng, RUNS)
    found = telling_remainder(tables(*outputs), list("abcde"))
    assert found is not None
    assert found.column == 3
    assert found.names[0].startswith("(d - ")


def test_a_little_noise_on_what_is_left_does_not_hide_it() -> None:
    def noise(rng: np.random.Generator, runs: int) -> np.ndarray:
        return in_steps(1e-6)(rng, runs) + rng.normal(scale=1e-8, size=runs)

    found = telling_remainder(noisy(noise, 0.3, 0.3 + 4e-7), ["output"])
    assert found is not None
    assert found.step == pytest.approx(1e-6)
    # without it the step, the largest that tells, is exact
    exact = telling_remainder(noisy(in_steps(2.0**-20)), ["output"])
    assert exact is not None
    assert exact.step == 2.0**-20


def seeded(rng: np.random.Generator, runs: int) -> np.ndarray:
    return VALUES[rng.integers(VALUES.size, size=runs)]


def test_few_values_are_known_when_they_come_again() -> None:
    training = noisy(seeded)
    assert recurring_columns(training) == [0]
    score = Recurring.fit([0], ["output"], training)
    assert score.values[0] == pytest.approx(VALUES.size, rel=0.2)
    rng = np.random.default_rng(15)
    fresh = tables(*(x + seeded(rng, 4000) for x in (0.3, 0.7)))
    one, two = map(score, fresh)
    # what training had seen of the values, each on one data set alone
    seen = 1 - np.exp(-RUNS / VALUES.size)
    assert np.mean(one > 0.5) == pytest.approx(seen, abs=0.05)
    assert np.mean(two < -0.5) == pytest.approx(seen, abs=0.05)
    assert np.mean(one < -0.5) == np.mean(two > 0.5) == 0
    known = len(np.unique(training[0].numbers))
    assert score.describe(0.5) == (
        f"output one of the {known:,} values seen before on D alone; the noise has about "
        f"{score.values[0]:,.0f} values"
    )
    assert score.describe(-0.5).startswith("output not one of the ")
    assert "D' alone" in score.describe(-0.5)


def test_a_score_of_values_that_recur_does_not_know_its_own_training_runs() -> None:
    """Were a run compared with itself, values that never recur would tell everything."""
    rng = np.random.default_rng(16)
    score = Recurring.fit([0], ["output"], tables(*rng.normal(size=(2, RUNS))))
    np.testing.assert_array_equal(score.ratios, 0.0)


def test_values_are_counted_on_their_own_side_where_one_has_more_runs() -> None:
    on_one, on_two = np.repeat([1.5, 2.5, 3.5], 3), np.repeat([3.5, 4.5], [1, 4])
    for turned in (False, True):
        sides = (on_two, on_one) if turned else (on_one, on_two)
        score = Recurring.fit([0], ["output"], tables(*sides))
        expected = [2, 2, 3, 1] if turned else [1, 1, 3, 2]
        np.testing.assert_array_equal(score.seen_on[0], expected)


def test_columns_in_which_no_value_or_only_common_ones_recur_are_left_out() -> None:
    rng = np.random.default_rng(17)
    sides = [
        np.column_stack(
            [
                rng.normal(size=RUNS),
                rng.geometric(0.3, RUNS),
                seeded(rng, RUNS),
                np.where(rng.random(RUNS) < 0.5, 0.0, rng.normal(size=RUNS)),
                np.full(RUNS, np.nan),
            ]
        )
        for _ in range(2)
    ]
    assert recurring_columns(tables(*sides)) == [2]


def test_single_precision_floats_recur_as_often_as_they_must() -> None:
    rng = np.random.default_rng(18)
    noise = rng.laplace(size=(2, 60_000))
    singles = tables(*noise.astype(np.float32))
    assert len(np.unique(singles[0].numbers)) < 60_000  # they do recur
    assert recurring_columns(singles) == []
    # of doubles, which need not recur, as many would be few
    assert recurring_columns(tables(*(noise.astype(np.float32).astype(float) + 2.0**-40))) == [0]
    few = VALUES.astype(np.float32)[rng.integers(VALUES.size, size=(2, RUNS))]
    assert recurring_columns(tables(*few)) == [0]


def test_steps_end_where_the_spread_is_beyond_the_largest_double():
    sides = [np.array([[-1e308], [1e308]] * 64)] * 2
    for least, largest in ((1e292, math.inf), (1e-300, math.inf), (5e-324, 1e308)):
        steps = _steps(sides, np.array([least]), np.array([largest]))
        assert sum(1 for _ in itertools.islice(steps, 10_000)) < 10_000


@pytest.mark.parametrize("scale", [1e308, 1.7e308])
def test_outputs_near_the_largest_double_are_judged(scale):
    mechanisms = {
        "holds": lambda data, rng: scale if rng.random() < 0.5 else -scale,
        "violated": lambda data, rng: scale * (2 * data[0] - 1),
    }
    for status, mechanism in mechanisms.items():
        found = check(mechanism, pair=([0.0], [1.0]), epsilon=1.0, samples=300)
        assert found.status == status
