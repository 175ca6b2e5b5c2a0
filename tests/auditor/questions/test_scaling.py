"""The scaling audit on power laws with known exponents. Seeds are fixed."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.core.case import Case, Scaling
from auditor.core.context import Context
from auditor.core.rates import rate_slope
from auditor.questions import scaling
from auditor.questions.scaling import fit_slope, measure

SUITE = Context(tests=150)
VALUES = (100.0, 200.0, 400.0, 800.0, 1600.0)


def recipe(slope: float, claimed: float = -0.5, **changes: Any) -> Scaling:
    fields: dict[str, Any] = {
        "name": "n",
        "values": VALUES,
        "error": lambda n, rng: n**slope * abs(rng.normal()),
        "claimed_slope": claimed,
        "repetitions": 40,
        "claim": "Theorem 1: O(n^-1/2)",
    }
    return Scaling(**{**fields, **changes})


def case(*recipes: Scaling, **changes: Any) -> Case:
    return Case(id="toy", forms={}, scaling=recipes, **changes)


def test_fit_slope_of_an_exact_power_law() -> None:
    values = np.array(VALUES)
    errors = 3.0 * values[:, None] ** -0.7 * np.ones((5, 4))
    fit = fit_slope(values, errors)
    assert fit.slope == pytest.approx(-0.7)
    assert fit.intercept == pytest.approx(math.log(3.0))
    assert fit.freedom == 18
    assert fit.p_value(-0.8) < 1e-12
    assert fit.p_value(-0.6) > 1 - 1e-12


def test_the_slope_of_a_rate_with_a_logarithm() -> None:
    assert rate_slope(VALUES, lambda n: 3 * n**-0.7) == pytest.approx(-0.7)
    # log(n)/n between two values, by hand
    by_hand = -1 + math.log(math.log(100) / math.log(10)) / math.log(10)
    assert rate_slope([10.0, 100.0], lambda n: math.log(n) / n) == pytest.approx(by_hand)


def test_fit_slope_is_least_squares_with_hc3_errors() -> None:
    rng = np.random.default_rng(0)
    values = np.array(VALUES)
    errors = np.exp(rng.normal(size=(5, 30)) * np.arange(1, 6)[:, None])
    fit = fit_slope(values, errors)
    x, y = np.repeat(np.log(values), 30), np.log(errors).ravel()
    assert fit.slope == pytest.approx(np.polyfit(x, y, 1)[0])
    centred = x - x.mean()
    leverage = 1 / x.size + centred**2 / (centred @ centred)
    residual = y - fit.intercept - fit.slope * x
    variance = np.sum((centred * residual / (1 - leverage)) ** 2) / (centred @ centred) ** 2
    assert fit.standard_error == pytest.approx(math.sqrt(variance))
    low, high = fit.interval
    assert (low + high) / 2 == pytest.approx(fit.slope)
    assert fit.p_value(low) == pytest.approx(0.025)
    assert fit.lower(0.025) == pytest.approx(low)


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ([1.0, 2.0], [[1.0], [0.0]]),
        ([1.0, 2.0], [[1.0], [math.nan]]),
        ([1.0, 2.0], [[1.0], [math.inf]]),
        ([0.0, 2.0], [[1.0], [1.0]]),
        ([2.0, 2.0], [[1.0], [1.0]]),
    ],
)
def test_fit_slope_refuses_what_has_no_logarithm(values: Any, errors: Any) -> None:
    with pytest.raises(ValueError, match="must be finite numbers > 0"):
        fit_slope(np.array(values), np.array(errors))


@pytest.mark.parametrize("slope", [-0.5, -0.8])
def test_an_error_that_falls_as_claimed_or_faster_holds(slope: float) -> None:
    verdict = scaling.audit(case(recipe(slope)), "corrected", SUITE)
    assert verdict.status == "holds"
    figures = verdict.evidence["recipes"][0]
    assert figures["slope"] == pytest.approx(slope, abs=0.3)
    assert figures["slope_lower"] < figures["slope_interval"][0] < figures["slope"]
    assert figures["points"]["median"].shape == (5,)
    # both lines on the log-log plot have their slopes, and meet at the centre
    for name, exponent in (("claimed_line", -0.5), ("fitted_line", figures["slope"])):
        steps = np.diff(np.log(figures[name])) / np.diff(np.log(VALUES))
        np.testing.assert_allclose(steps, exponent)
    assert figures["claimed_line"][2] == pytest.approx(figures["fitted_line"][2])


@pytest.mark.parametrize("slope", [-0.2, 0.0])
def test_an_error_that_falls_slower_is_violated(slope: float) -> None:
    slow = recipe(slope, erratum=3, form="printed")
    verdict = scaling.audit(case(slow), "printed", SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["slope"] > -0.5
    assert verdict.evidence["recipes"][0]["erratum"] == 3
    json.dumps(verdict.to_json())


def test_one_bad_recipe_among_good_ones_violates() -> None:
    recipes = [recipe(-0.5, name=f"n{i}") for i in range(4)] + [recipe(0.1, name="d")]
    verdict = scaling.audit(case(*recipes), "corrected", SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["name"] == "d"
    p_values = [figures["p_value"] for figures in verdict.evidence["recipes"]]
    assert verdict.p_value == pytest.approx(min(1.0, 5 * min(p_values)))


def test_a_form_may_not_mix_errata_and_claims() -> None:
    mixed = case(recipe(-0.5), recipe(0.0, erratum=1))
    with pytest.raises(ValueError, match="mixes scaling recipes"):
        scaling.audit(mixed, "corrected", SUITE)
    # in forms of their own they do not mix
    apart = case(recipe(-0.5), recipe(0.0, erratum=1, form="printed"))
    assert scaling.audit(apart, "corrected", SUITE).status == "holds"
    assert scaling.audit(apart, "printed", SUITE).status == "violated"


def test_without_a_recipe_it_is_not_applicable_with_the_reason() -> None:
    verdict = scaling.audit(case(no_scaling="no utility claim"), "corrected", SUITE)
    assert (verdict.status, verdict.summary) == ("not applicable", "no utility claim")
    verdict = scaling.audit(case(recipe(-0.5)), "printed", SUITE)
    assert verdict.status == "not applicable"
    assert "'printed'" in verdict.summary


def test_a_broken_recipe_is_named() -> None:
    broken = recipe(0.0, name="epsilon", error=lambda value, rng: 0.0)
    with pytest.raises(ValueError, match=r"scaling of toy in epsilon: .* finite numbers > 0"):
        scaling.audit(case(broken), "corrected", SUITE)


def test_the_full_tier_repeats_five_times_as_often() -> None:
    assert measure(recipe(0.0), SUITE).shape == (5, 40)
    assert measure(recipe(0.0), Context(tier="full")).shape == (5, 200)


def test_true_exponents_are_rarely_flagged() -> None:
    # 300 audits at alpha = 0.05: more than 41 alarms has probability below 1e-7
    law = recipe(-0.5, repetitions=10)
    alarms = sum(
        scaling.audit(case(law), "corrected", Context(seed=seed, confidence=0.95)).status
        == "violated"
        for seed in range(300)
    )
    assert 1 <= alarms <= stats.binom.isf(1e-7, 300, 0.05)
