"""The low-order bits of a floating-point Laplace mechanism tell 0 from b. Seeds are fixed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from auditor.core.case import BlackBox, Form
from auditor.core.context import Context
from auditor.events import floating_point
from auditor.events.floating_point import ZERO, lowest_bit, trailing_zeros
from auditor.events.thresholds import certified_from
from auditor.questions import black_box
from auditor.statistics.claims import EpsilonDelta
from auditor.statistics.proportions import two_sample_p_value
from reference.privacy.guarantees import Model, PureDP

CLAIM = EpsilonDelta(1.0)
ODD, EVEN = 1 + 2.0**-52, 1 + 2.0**-51
"""Floats that differ in their last bits."""


def test_lowest_bit() -> None:
    values = [1.0, 0.5, 3.0, -6.0, 2.0**53 - 1, 2.0**60, 5e-324, 1 + 2.0**-52, 0.0, -0.0]
    np.testing.assert_array_equal(lowest_bit(values), [0, -1, 0, 1, 0, 60, -1074, -52, ZERO, ZERO])
    np.testing.assert_array_equal(trailing_zeros(values), [52, 52, 51, 51, 0, 52, 52, 0, 53, 53])


def test_lowest_bit_divides() -> None:
    values = np.random.default_rng(0).normal(size=200) * 10.0 ** np.arange(-100, 100)
    unit = np.exp2(lowest_bit(values))
    np.testing.assert_array_equal(np.mod(values, unit), 0.0)
    assert (np.mod(values, 2 * unit) != 0).all()


def test_the_laplace_mechanism_on_doubles_leaks() -> None:
    rng = np.random.default_rng(1)
    b = 1.0
    at_zero, at_b = 0.0 + b * rng.laplace(size=2000), b + b * rng.laplace(size=2000)
    found = floating_point.finding(at_zero, at_b, CLAIM, 1e-4, delta=0.0)
    assert found is not None
    assert found["kind"] == "floating point"
    assert found["epsilon_lower"] > 2
    assert "says nothing of the claim on paper" in found["statement"]
    assert "#the-last-bits" in found["statement"]


@pytest.mark.parametrize(("step", "seen"), [(2.0**-52, True), (2.0**-30, False)])
def test_only_the_spacing_of_floats_is_looked_at(step: float, seen: bool) -> None:
    odd, even = np.random.default_rng(3).integers(2**18, size=(2, 2000)) * 2 + [[1], [0]]
    found = floating_point.finding(1 + odd * step, 1 + even * step, CLAIM, 1e-4, delta=0.0)
    assert (found is not None) == seen


@pytest.mark.parametrize("single", [False, True])
def test_the_spacing_is_that_of_the_floats_that_hold_all_values(single: bool) -> None:
    values = np.random.default_rng(4).laplace(size=(1000, 2))
    values[0] = math.inf, math.nan
    if single:
        values = values.astype(np.float32).astype(np.float64)
    bits = 23 if single else 52
    np.testing.assert_array_equal(floating_point.spacing(values), 2.0 ** (1 - bits))
    np.testing.assert_array_equal(floating_point.spacing(np.full((3, 1), math.nan)) < 1e-300, True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        np.round(np.random.default_rng(2).laplace([[0], [1]], size=(2, 2000)) * 2**20) / 2**20,
        np.ones((2, 100)),
        ([np.inf, 1.0], [1.0, 2.0]),
    ],
    ids=["rounded", "constant", "infinite"],
)
def test_nothing_is_said_of_outputs_without_low_order_bits(first: Any, second: Any) -> None:
    assert floating_point.finding(first, second, CLAIM, 1e-4, delta=0.0) is None


@pytest.mark.parametrize("rounding", [False, True])
def test_the_black_box_reports_the_leak_apart_from_its_verdict(
    rounding: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(black_box, "FULL_RUNS", 2000)
    claim = PureDP(1.0, model=Model.LOCAL)
    pair = (np.array([0.0]), np.array([1.0]))

    def statistic(message: np.ndarray) -> float:
        return -float(np.round(message[0], 6) if rounding else message[0])

    box = BlackBox(
        lambda v, ledger: ledger.laplace(v, sensitivity=1.0, scale=1.0, unit="record"),
        claim,
        pair,
        statistic,
    )
    form = Form(run=box.run, claim=claim, pair=pair, replaced=0, parameters={}, black_box=box)
    verdict = black_box.audit(form, Context(tests=150, tier="full"))
    assert verdict.status == "holds"
    assert [f["kind"] for f in verdict.findings] == ([] if rounding else ["floating point"])


def test_all_patterns_and_directions_share_the_error_probability() -> None:
    rng = np.random.default_rng(0)
    first, second = (np.where(rng.random(800) < p, EVEN, ODD) for p in (0.6, 0.45))
    claim = EpsilonDelta(0.05)
    found = floating_point.finding(first, second, claim, 0.5, delta=0.0)
    assert found is not None
    p_value = found["p_value"]
    assert 1e-6 < p_value < 0.05
    # two patterns in two directions: each must reach a quarter
    assert floating_point.finding(first, second, claim, 3.5 * p_value, delta=0.0) is None
    found = floating_point.finding(first, second, claim, 4.5 * p_value, delta=0.0)
    assert found is not None
    assert found["epsilon_lower"] > claim.epsilon
    # and what is certified is rejected at that quarter, on either pattern the same event
    cut = certified_from(first.size)
    counts = [(int(np.count_nonzero(sample[cut:] == EVEN)), 600) for sample in (first, second)]
    certified = EpsilonDelta(found["epsilon_lower"])
    rejected = two_sample_p_value(counts[0], counts[1], certified.ceiling)
    assert rejected == pytest.approx(4.5 * p_value / 4, rel=0.05)
