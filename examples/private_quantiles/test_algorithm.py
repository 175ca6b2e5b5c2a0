"""Results of private-quantiles that anybody can compute by hand.

Statistical tests use fixed seeds; each states its false-alarm probability.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from private_quantiles.algorithm import private_quantile, utilities_and_ends
from private_quantiles.cases import ENTRIES
from private_quantiles.printed import widths_forgotten
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger

UNIT: dict[str, Any] = {"quantile": 0.5, "lower": 0.0, "upper": 1.0}


def masses(
    data: Any, epsilon: float, quantile: float = 0.5
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the gaps on [0, 1] and their probabilities, from the formula."""
    ends = np.concatenate([[0.0], np.sort(np.clip(data, 0, 1)), [1.0]])
    ranks = np.abs(np.arange(len(data) + 1) - quantile * len(data))
    weights = np.diff(ends) * np.exp(-epsilon / 2 * ranks)
    return ends, weights / weights.sum()


def loss(data: Any, other: Any, epsilon: float) -> float:
    """Return the largest log-ratio of the densities under two data sets, from the formula."""
    points = np.unique(np.concatenate([[0.0], data, other]))
    points = points[points < 1]
    densities = []
    for one in (data, other):
        ends, mass = masses(one, epsilon)
        gap = np.searchsorted(ends, points, side="right") - 1
        densities.append(mass[gap] / np.diff(ends)[gap])
    return float(np.abs(np.log(densities[0] / densities[1])).max())


# ------------------------------------------------------------------------ the distribution


def test_two_records_by_hand() -> None:
    # at epsilon = 2 log 2 the gaps weigh 1/2, 1, 1/2 for their length: 0.1, 0.4 and 0.2 of 0.7
    epsilon, data = 2 * math.log(2), [0.6, 0.2]
    ledger = Ledger(0)
    drawn = [private_quantile(data, **UNIT, epsilon=epsilon, ledger=ledger) for _ in range(7000)]
    # chi-square tests at 1e-6 each: of the gaps, and of the halves of the middle one
    counts = np.histogram(drawn, [0.0, 0.2, 0.6, 1.0])[0]
    assert stats.chisquare(counts, [1000, 4000, 2000]).pvalue > 1e-6
    assert stats.chisquare(np.histogram(drawn, [0.2, 0.4, 0.6])[0]).pvalue > 1e-6
    assert 0 <= min(drawn) < max(drawn) < 1


@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.5, 0.83, 1.0])
def test_the_distribution_is_the_formula(quantile: float) -> None:
    data = np.random.default_rng(0).normal(0.5, 0.5, 9)  # some of them outside
    ends, mass = masses(data, 1.3, quantile)
    ledger = Ledger(1)
    asked = {**UNIT, "quantile": quantile, "epsilon": 1.3}
    drawn = [private_quantile(data, **asked, ledger=ledger) for _ in range(4000)]
    law = np.concatenate([[0.0], np.cumsum(mass)])
    # Kolmogorov-Smirnov at 1e-6
    assert stats.kstest(drawn, lambda x: np.interp(x, ends, law)).pvalue > 1e-6


def test_utilities_and_ends_by_hand() -> None:
    utilities, ends = utilities_and_ends(np.array([7.0, -1.0, 3.0, 4.0]), 0.25, 0.0, 5.0)
    np.testing.assert_array_equal(utilities, [-1, 0, -1, -2, -3])
    np.testing.assert_array_equal(ends, [0, 3, 4, 5])


def test_without_noise_it_is_the_middle_of_the_gap_at_the_quantile() -> None:
    data, silent = np.array([0.9, 0.1, 0.4, 0.2]), NoiselessLedger()
    for quantile, middle in ((0.0, 0.05), (0.25, 0.15), (0.5, 0.3), (0.75, 0.65), (1.0, 0.95)):
        asked = {**UNIT, "quantile": quantile, "epsilon": 1.0}
        assert private_quantile(data, **asked, ledger=silent) == pytest.approx(middle)


def test_of_a_large_epsilon_the_gap_at_the_quantile_is_sure() -> None:
    # another gap has e^-250 of its probability
    ledger = Ledger(2)
    for _ in range(100):
        found = private_quantile([0.1, 0.2, 0.4, 0.9], **UNIT, epsilon=500.0, ledger=ledger)
        assert 0.2 <= found < 0.4


def test_the_order_of_the_records_does_not_matter() -> None:
    data = np.random.default_rng(3).random(20)
    for seed in range(5):
        one, other = (
            private_quantile(x, **UNIT, epsilon=1.0, ledger=Ledger(seed))
            for x in (data, data[::-1])
        )
        assert one == other


def test_another_unit_of_measurement_changes_the_unit_alone() -> None:
    data = np.random.default_rng(4).normal(0.5, 0.5, 20)
    for seed in range(20):
        one = private_quantile(data, **UNIT, epsilon=1.0, ledger=Ledger(seed))
        asked = {"quantile": 0.5, "lower": 32.0, "upper": 33.8, "epsilon": 1.0}
        other = private_quantile(32 + 1.8 * data, **asked, ledger=Ledger(seed))
        assert other == pytest.approx(32 + 1.8 * one, abs=1e-12)


def test_the_other_tail_is_the_mirror_image() -> None:
    data = np.random.default_rng(5).random(11)
    ends, mass = masses(data, 0.7, 0.2)
    mirrored, back = masses(1 - data, 0.7, 0.8)
    np.testing.assert_allclose(ends, 1 - mirrored[::-1], atol=1e-15)
    np.testing.assert_allclose(mass, back[::-1], rtol=1e-12)
    ranks = [utilities_and_ends(data, q, 0.0, 1.0)[0] for q in (0.2, 0.8)]
    np.testing.assert_allclose(ranks[0], ranks[1][::-1], atol=1e-6)


# ------------------------------------------------------------------------------- privacy


def test_one_release_costs_epsilon() -> None:
    ledger = RecordingLedger(0)
    private_quantile([0.1, 0.7], **UNIT, epsilon=0.3, ledger=ledger)
    assert len(ledger.transcript) == 1
    spent = ledger.spent(delta=0)
    assert spent.epsilon == pytest.approx(0.3, rel=1e-12)
    assert spent.delta == 0


@pytest.mark.parametrize("quantile", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_sensitivity_is_one_and_attained(n: int, quantile: float) -> None:
    rng = np.random.default_rng(6)
    points = rng.random(200)
    largest = 0.0
    for _ in range(100):
        data = rng.random(n)
        other = np.concatenate([[rng.random()], data[1:]])
        utility = []
        for records in (data, other):
            values, ends = utilities_and_ends(records, quantile, 0.0, 1.0)
            utility.append(values[np.searchsorted(ends, points, side="right")])
        largest = max(largest, float(np.abs(utility[0] - utility[1]).max()))
    assert largest == 1.0  # to the last bit


def test_no_point_has_a_loss_above_epsilon_and_some_come_near() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        data = rng.random(rng.integers(1, 8))
        other = np.concatenate([rng.integers(0, 2, 1), data[1:]])
        assert loss(data, other, 1.5) <= 1.5 * (1 + 1e-12)
    # the record crosses nearly the whole interval
    assert loss([0.0, 1 - 1e-6], [1.0, 1 - 1e-6], 1.5) == pytest.approx(1.5, rel=1e-5)


def test_the_rank_of_the_output_is_as_promised() -> None:
    rng, epsilon, zeta = np.random.default_rng(8), 0.5, 0.1
    for _ in range(50):
        data = rng.beta(0.3, 3.0, 200)
        ends, mass = masses(data, epsilon)
        ranks = np.abs(np.arange(201) - 100)
        width = np.diff(ends)[ranks <= 1].sum()
        bound = 1 + 2 / epsilon * math.log(1 / (width * zeta))
        assert mass[ranks > bound].sum() <= zeta


# ------------------------------------------------------------- the widths forgotten


def test_the_witness_of_the_forgotten_widths() -> None:
    # gaps of ranks 1, 0, 1: the middle one has 1/(1 + 2 e^-1/2), whatever its width
    middle = 1 / (1 + 2 * math.exp(-0.5))
    ratio = middle / (middle * 0.001 / 0.5)
    assert middle == pytest.approx(0.452, abs=5e-4)
    assert middle * 0.002 == pytest.approx(0.000904, abs=5e-7)
    assert ratio == pytest.approx(500)
    assert math.log(ratio) > 6.2
    assert (1 - middle) / 2 == pytest.approx(0.274, abs=5e-4)
    asked, runs = {**UNIT, "epsilon": 1.0}, 5000
    seen = []
    for data in ([0.5, 0.501], [0.5, 1.0]):
        ledger = Ledger(9)
        drawn = np.array([widths_forgotten(data, **asked, ledger=ledger) for _ in range(runs)])
        seen.append(((drawn >= 0.5) & (drawn < 0.501), drawn == 1.0))
    # binomial tests at 1e-6 each
    for hits, probability in (
        (seen[0][0], middle),
        (seen[1][0], middle * 0.002),
        (seen[1][1], (1 - middle) / 2),
    ):
        assert stats.binomtest(int(hits.sum()), runs, probability).pvalue > 1e-6
    assert not seen[0][1].any()
    # the right form keeps to epsilon on the same pair
    assert loss([0.5, 0.501], [0.5, 1.0], 1.0) <= 1.0


def test_the_entry_names_what_is_printed() -> None:
    (entry,) = ENTRIES
    assert [erratum.name for erratum in entry.errata] == ["private-quantiles/E1"]
    assert [printed.function for printed in entry.printed_forms] == [widths_forgotten]


# --------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": []}, "data must be"),
        ({"data": [[0.5]]}, "data must be"),
        ({"data": 0.5}, "data must be"),
        ({"data": [0.5, math.nan]}, "data must be"),
        ({"data": [math.inf]}, "data must be"),
        ({"quantile": -0.1}, "quantile must be"),
        ({"quantile": 1.1}, "quantile must be"),
        ({"quantile": math.nan}, "quantile must be"),
        ({"lower": 1.0}, "upper must be"),
        ({"lower": 2.0}, "upper must be"),
        ({"lower": -math.inf}, "lower must be"),
        ({"upper": math.nan}, "upper must be"),
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"epsilon": math.inf}, "epsilon must be"),
    ],
)
def test_bad_input_is_refused_before_any_release(changed: dict[str, Any], message: str) -> None:
    asked = {"data": [0.5], **UNIT, "epsilon": 1.0, **changed}
    ledger = RecordingLedger(0)
    with pytest.raises(ValueError, match=message):
        private_quantile(asked.pop("data"), **asked, ledger=ledger)
    assert len(ledger.transcript) == 0


def test_a_seed_is_no_ledger() -> None:
    with pytest.raises(TypeError, match="must be a Ledger"):
        private_quantile([0.5], **UNIT, epsilon=1.0, ledger=7)  # type: ignore[arg-type]
