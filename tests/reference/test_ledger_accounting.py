"""The costs of a ledger's releases, and the records that bear them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reference.privacy.filters import LimitExceeded
from reference.privacy.guarantees import Model, PureDP, gaussian_dp_epsilon
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.privacy.mechanisms import smooth_gaussian_delta


def on_interval(ledger: Ledger, scores: Any, breaks: Any, **asked: Any) -> float:
    """Select a point of [0, 1) at unit sensitivity and budget, unless otherwise asked."""
    usual = {"lower": 0.0, "upper": 1.0, "sensitivity": 1.0, "epsilon": 1.0}
    return ledger.interval_exponential(scores, breaks, **{**usual, **asked})


def test_disjoint_records_compose_in_parallel() -> None:
    ledger = Ledger(0)
    for start in (0, 10, 20):
        ledger.laplace([0.0], sensitivity=1, scale=1, records=slice(start, start + 10))
    assert ledger.spent(delta=0).epsilon == 1.0
    ledger.laplace([0.0], sensitivity=1, scale=2, records=np.array([29, 5]))
    assert ledger.spent(delta=0).epsilon == 1.5
    ledger.laplace([0.0], sensitivity=1, scale=4)
    assert ledger.spent(delta=0).epsilon == 1.75


def test_releases_of_one_subsample_are_accounted_together() -> None:
    together, apart = Ledger(0), Ledger(0)
    sample = together.subsample(50, 1)
    for _ in range(2):
        together.laplace([0.0], sensitivity=1, scale=0.5, sample=sample)
        apart.laplace([0.0], sensitivity=1, scale=0.5, sample=apart.subsample(50, 1))
    # both or neither see the record
    assert together.spent(delta=0).epsilon == pytest.approx(math.log1p(math.expm1(4.0) / 50))
    assert apart.spent(delta=0).epsilon == pytest.approx(2 * math.log1p(math.expm1(2.0) / 50))


def test_a_release_per_attribute_costs_a_record_every_one_of_them() -> None:
    # 2000 answers of one record were reported as what one of them costs
    ledger = Ledger(0)
    ledger.randomized_response(np.zeros((1, 2000)), epsilon=1.0, unit="attribute")
    whole, single = ledger.spent(delta=0), ledger.spent(delta=0, unit="attribute")
    assert (whole.epsilon, whole.unit, whole.model) == (2000.0, "record", Model.LOCAL)
    assert (single.epsilon, single.unit) == (1.0, "attribute")
    assert single.model is Model.LOCAL_ATTRIBUTE
    ledger = Ledger(0)
    ledger.gaussian(np.zeros((5, 9)), sensitivity=1, scale=2, unit="attribute")
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(gaussian_dp_epsilon(1.5, 1e-5))
    assert ledger.spent(delta=1e-5, unit="attribute").epsilon == pytest.approx(
        gaussian_dp_epsilon(0.5, 1e-5)
    )


def test_a_release_per_label_protects_the_label_alone() -> None:
    ledger = Ledger(0)
    ledger.gaussian(np.zeros(5), sensitivity=1, scale=2, unit="label")
    label = ledger.spent(delta=1e-5, unit="label")
    assert label.epsilon == pytest.approx(gaussian_dp_epsilon(0.5, 1e-5))
    assert (label.unit, label.model) == ("label", Model.LOCAL)
    assert ledger.spent(delta=1e-5).epsilon == math.inf
    assert ledger.spent(delta=1e-5, unit="attribute").epsilon == math.inf
    # a label bears what its whole record bears
    ledger.laplace(np.zeros(5), sensitivity=1, scale=2, unit="record")
    ledger.laplace(0.0, sensitivity=1, scale=2)
    only = Ledger(0)
    only.laplace(np.zeros(5), sensitivity=1, scale=2, unit="record")
    only.laplace(0.0, sensitivity=1, scale=2)
    assert only.spent(delta=0, unit="label").epsilon == only.spent(delta=0).epsilon == 1.0
    assert ledger.spent(delta=1e-5, unit="label").epsilon > label.epsilon + 0.5
    with pytest.raises(ValueError, match="'attribute', 'label', got 'user'"):
        ledger.spent(delta=0, unit="user")  # type: ignore[arg-type]


def test_a_release_per_label_has_a_row_per_user_and_no_place_under_a_limit_for_records() -> None:
    with pytest.raises(ValueError, match="as many rows, got 2"):
        Ledger(0).laplace(np.zeros(2), sensitivity=1, scale=2, unit="label", records=slice(0, 3))
    limited = Ledger(0, limit=(5.0, 1e-5))
    with pytest.raises(LimitExceeded, match="nothing was drawn"):
        limited.laplace(np.zeros(2), sensitivity=1, scale=2, unit="label")


def test_low_bits_tell_values_apart_as_often_as_the_documents_say() -> None:
    # SECURITY.md: which releases of 0 are no double of the form 1 + x; six standard errors
    released = Ledger(0).laplace(np.zeros(100_000), sensitivity=1, scale=1)
    noise = released - 1
    candidates = (noise, np.nextafter(noise, np.inf), np.nextafter(noise, -np.inf))
    impossible = 1 - np.mean(np.any([1 + x == released for x in candidates], axis=0))
    assert abs(impossible - 0.43) < 0.01


def test_units_of_different_kinds_are_converted() -> None:
    ledger = Ledger(0)
    ledger.laplace(np.zeros((5, 3)), sensitivity=1, scale=2, unit="record")
    assert ledger.spent(delta=0).model is Model.LOCAL
    ledger.laplace(np.zeros((5, 3)), sensitivity=1, scale=4, unit="attribute")
    # an attribute bears in full what its record bears
    assert ledger.spent(delta=0).epsilon == 0.5 + 3 * 0.25
    assert ledger.spent(delta=0, unit="attribute").epsilon == 0.5 + 0.25
    ledger.laplace([0.0], sensitivity=1, scale=1)
    assert ledger.spent(delta=0).epsilon == 2.25
    assert ledger.spent(delta=0, unit="attribute").epsilon == 1.75
    for unit in ("record", "attribute"):
        assert ledger.spent(delta=0, unit=unit).model is Model.CENTRAL  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unit must be"):
        ledger.spent(delta=0, unit="dataset")  # type: ignore[arg-type]


def test_units_that_the_value_does_not_have_are_refused() -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match="records and attributes"):
        ledger.laplace([0.0], sensitivity=1, scale=2, unit="attribute")
    with pytest.raises(ValueError, match="unit must be"):
        ledger.laplace([0.0], sensitivity=1, scale=2, unit="user")  # type: ignore[arg-type]
    assert not ledger.transcript.releases


def test_known_costs_of_the_other_kinds() -> None:
    def epsilon(release: Callable[[Ledger], object]) -> float:
        ledger = Ledger(0)
        release(ledger)
        return ledger.spent(delta=0).epsilon

    assert epsilon(lambda g: g.exponential([0.0, 1.0], sensitivity=2, epsilon=0.7)) == 0.7
    assert epsilon(lambda g: on_interval(g, [0.0, 1.0], [0.5], sensitivity=2, epsilon=0.7)) == 0.7
    assert epsilon(lambda g: g.noisy_max([0.0, 1.0], sensitivity=1, scale=4)) == 0.5
    # two selections at 2/8 and two values at 1/8
    assert epsilon(lambda g: g.peeling([0.0, 1.0, 2.0], count=2, sensitivity=1, scale=8)) == 0.75
    assert epsilon(lambda g: g.unary([0, 2], categories=3, epsilon=0.6)) == pytest.approx(0.6)
    assert epsilon(lambda g: g.randomized_response([[0, 1]], epsilon=0.3, answers=2)) == 0.6
    assert epsilon(lambda g: g.bit([0.5], epsilon=0.2)) == 0.2
    assert epsilon(lambda g: g.l2_ball([[0.1]], radius=1, epsilon=0.9)) == 0.9
    ledger = Ledger(0)
    ledger.smooth(0.0, smooth_bound=1, smoothness=0.1, divisor=1, rho=0.02)
    assert ledger.transcript.charges[0][0].cost.rho == 0.02
    assert ledger.spent(delta=0).epsilon == math.inf
    # Gaussian noise of a smooth bound: in the dimension of the value, at its epsilon alone
    ledger = Ledger(0)
    ledger.smooth(
        np.zeros(3), smooth_bound=1, smoothness=0.1, divisor=0.2, epsilon=1.0, noise="gaussian"
    )
    delta = smooth_gaussian_delta(0.2, 0.1, dimension=3, epsilon=1.0)
    assert ledger.spent(epsilon=1.0).delta == pytest.approx(delta)
    assert ledger.spent(delta=delta / 2).epsilon == math.inf
    ledger.smooth(
        np.zeros(3), smooth_bound=1, smoothness=0.1, divisor=0.2, epsilon=1.0, noise="gaussian"
    )
    assert ledger.spent(epsilon=2.0).delta == pytest.approx(1 - (1 - delta) ** 2)
    ledger = Ledger(0)
    ledger.wishart(np.eye(2), sensitivity=0.2, degrees=3, scale=0.5)
    assert ledger.spent(epsilon=0.5).delta == pytest.approx(1 - math.exp(-0.2))
    ledger.wishart(np.eye(2), sensitivity=0.2, degrees=3, scale=0.5)
    assert ledger.spent(epsilon=0.5).delta == pytest.approx(1 - math.exp(-0.4))


def test_spent_takes_exactly_one_argument_in_range() -> None:
    ledger = Ledger(0)
    assert ledger.spent(delta=1e-5).epsilon == 0.0
    assert ledger.spent(epsilon=1.0).delta == 0.0
    ledger.laplace([0.0], sensitivity=1, scale=1)
    assert ledger.spent(epsilon=0.4).delta == pytest.approx(1 - math.exp(-0.3))
    assert ledger.spent(epsilon=0.4).delta < PureDP(1.0).delta_at(0.4)
    for bad in ({}, {"delta": 0.1, "epsilon": 1.0}):
        with pytest.raises(ValueError, match="exactly one"):
            ledger.spent(**bad)
    with pytest.raises(ValueError, match="delta must be in"):
        ledger.spent(delta=1.0)
    with pytest.raises(ValueError, match="epsilon must be"):
        ledger.spent(epsilon=-1.0)


PER_RECORD: dict[str, Callable[..., object]] = {
    "gaussian": lambda g, x, **k: g.gaussian(x, sensitivity=1, scale=1, unit="record", **k),
    "laplace": lambda g, x, **k: g.laplace(x, sensitivity=1, scale=1, unit="record", **k),
    "attributes": lambda g, x, **k: g.laplace(x, sensitivity=1, scale=1, unit="attribute", **k),
    "randomized response": lambda g, x, **k: g.randomized_response(x, epsilon=1, **k),
    "unary": lambda g, x, **k: g.unary(x[:, 0], categories=3, epsilon=1, **k),
    "bit": lambda g, x, **k: g.bit(x + 0.5, epsilon=1, **k),
    "l2 ball": lambda g, x, **k: g.l2_ball(x, radius=1, epsilon=1, **k),
    "symmetric gaussian": lambda g, x, **k: g.symmetric_gaussian(
        np.zeros((len(x), 2, 2)), sensitivity=1, scale=1, unit="record", **k
    ),
    "symmetric laplace": lambda g, x, **k: g.symmetric_laplace(
        np.zeros((len(x), 2, 2)), sensitivity=1, scale=1, unit="record", **k
    ),
}


@pytest.mark.parametrize("kind", PER_RECORD)
def test_a_release_per_record_has_a_row_for_each_that_it_is_charged_to(kind: str) -> None:
    # three releases of all nine records, each charged to three of them, were one release
    release = PER_RECORD[kind]
    for make in (Ledger, RecordingLedger):
        ledger = make(0)
        for start in (0, 3, 6):
            wrong = slice(start, start + 3), np.arange(start, start + 3), slice(start, 9 + start, 3)
            for records in wrong:
                with pytest.raises(ValueError, match="of 3 records must have as many rows, got 9"):
                    release(ledger, np.zeros((9, 2)), records=records)
        assert not ledger.transcript.entries
        for records in (slice(0, 9), slice(0, 18, 2), np.arange(9), None):
            release(ledger, np.zeros((9, 2)), records=records)


def test_a_subsample_of_another_ledger_or_of_another_draw_is_refused() -> None:
    # one drawn of 10^6 records made a release of three records cost almost nothing
    ledger, other = Ledger(0), Ledger(0)
    large, small = other.subsample(10**6, 1), ledger.subsample(3, 1)
    second = ledger.subsample(50, 1)
    for sample in (large, replace(second, position=0), replace(small, population=10**6)):
        with pytest.raises(ValueError, match="what subsample\\(\\) of this ledger returned"):
            ledger.laplace([0.0], sensitivity=1, scale=1, sample=sample)
    assert not ledger.transcript.releases
    # nor may one of 50 records be charged to others than those
    for records in (slice(0, 3), np.arange(60)):
        with pytest.raises(ValueError, match="a sample of 50 records must be charged to as many"):
            ledger.laplace([0.0], sensitivity=1, scale=1, sample=second, records=records)
    ledger.laplace([0.0], sensitivity=1, scale=1, sample=second, records=slice(50, 100))
    five = ledger.subsample(50, 5)
    with pytest.raises(ValueError, match="of 5 records must have as many rows, got 50"):
        ledger.laplace(np.zeros(50), sensitivity=1, scale=1, sample=five, unit="record")
    ledger.laplace(np.zeros(5), sensitivity=1, scale=1, sample=five, unit="record")
