"""The scaling audit on power laws with known exponents. Seeds are fixed."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.core.case import Case, Scaling, Twin
from auditor.core.context import ASKED, Context
from auditor.core.rates import noise_slope, rate_slope
from auditor.questions import scaling
from auditor.questions.scaling import LOOK, ask_twin, measure
from auditor.statistics.slopes import Slope
from auditor.statistics.stages import FRESH, SCREEN
from reference.privacy.guarantees import GaussianDP

SUITE = Context(tests=11)  # as many as an algorithm of the catalogue has at most
VALUES = (100.0, 200.0, 400.0, 800.0, 1600.0)
RISING = Twin("an error that rises", lambda n, rng: n)


def recipe(slope: float, claimed: float = -0.5, **changes: Any) -> Scaling:
    fields: dict[str, Any] = {
        "name": "n",
        "values": VALUES,
        "error": lambda n, rng: float(n**slope * abs(rng.normal())),
        "claimed_slope": claimed,
        "repetitions": 40,
        "claim": "Theorem 1: O(n^-1/2)",
        "twin": RISING,
    }
    return Scaling(**{**fields, **changes})


def case(*recipes: Scaling, **changes: Any) -> Case:
    return Case(id="toy", forms={}, scaling=recipes, **changes)


def test_the_slope_of_a_rate_with_a_logarithm() -> None:
    assert rate_slope(VALUES, lambda n: 3 * n**-0.7) == pytest.approx(-0.7)
    # log(n)/n between two values, by hand
    by_hand = -1 + math.log(math.log(100) / math.log(10)) / math.log(10)
    assert rate_slope([10.0, 100.0], lambda n: math.log(n) / n) == pytest.approx(by_hand)


def test_the_slope_of_the_calibrated_noise_by_hand() -> None:
    # N(0, 1) against N(mu, 1) is (1/4, 1e-5)-DP at mu = 0.07527 and (1, 1e-5)-DP at mu = 0.26805
    mus = [GaussianDP(mu).delta_at(epsilon) for mu, epsilon in ((0.07527, 0.25), (0.26805, 1.0))]
    assert mus == pytest.approx([1e-5, 1e-5], rel=1e-3)
    by_hand = -2 * math.log(0.26805 / 0.07527) / math.log(4)
    assert noise_slope([0.25, 1.0], 1e-5, 2.0) == pytest.approx(by_hand, abs=1e-4)


@pytest.mark.parametrize("functional", ["median", "mean"])
@pytest.mark.parametrize("slope", [-0.5, -0.8])
def test_an_error_that_falls_as_claimed_or_faster_holds(slope: float, functional: str) -> None:
    law = recipe(slope, functional=functional)
    verdict = scaling.audit(case(law), "corrected", replace(SUITE, tier="full"))
    assert verdict.status == "holds"
    figures = verdict.evidence["recipes"][0]
    low, high = figures["slope_interval"]
    assert low < slope < high
    assert figures["points"]["median"].shape == (5,)
    # both lines on the log-log plot have their slopes, and meet at the centre
    for name, exponent in (("claimed_line", -0.5), ("fitted_line", figures["slope"])):
        steps = np.diff(np.log(figures[name])) / np.diff(np.log(VALUES))
        np.testing.assert_allclose(steps, exponent)
    assert figures["claimed_line"][2] == pytest.approx(figures["fitted_line"][2])


@pytest.mark.parametrize("functional", ["median", "mean"])
@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_an_error_that_falls_slower_is_violated(slope: float, functional: str) -> None:
    slow = recipe(slope, erratum="fake/E3", form="published", functional=functional)
    verdict = scaling.audit(case(slow), "published", SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["slope"] > -0.5
    figures = verdict.evidence["recipes"][0]
    assert (figures["erratum"], figures["functional"]) == ("fake/E3", functional)
    # a mean's stages say at most SCREEN each
    assert figures["stages"] == (2 if functional == "median" else 4)
    # a confirmation that suffices early stops there
    assert figures["repetitions"] == (40 if functional == "median" else FRESH * 40)
    assert verdict.p_value is not None
    assert functional == "median" or verdict.p_value == pytest.approx(SCREEN**4)


@pytest.mark.parametrize("functional", ["median", "mean"])
def test_a_witness_shows_the_violation_again(functional: str) -> None:
    slow = case(recipe(0.2, erratum="fake/E3", functional=functional))
    verdict = scaling.audit(slow, "corrected", SUITE)
    witness = json.loads(json.dumps(verdict.to_json()))["witness"]
    assert scaling.reproduce(slow, "corrected", witness)
    # its level is what each test of the last stage had to reach: two of medians, one of means
    stages, tests = (2, 2) if functional == "median" else (4, 1)
    assert verdict.evidence["recipes"][0]["stages"] == stages
    assert witness["level"] * tests * SCREEN ** (stages - 1) == pytest.approx(SUITE.alpha)
    assert not scaling.reproduce(slow, "corrected", {**witness, "level": 1e-300})
    # an error that keeps the claim does not
    assert not scaling.reproduce(case(recipe(-0.6)), "corrected", witness)
    with pytest.raises(ValueError, match="no scaling recipe"):
        scaling.reproduce(slow, "published", witness)


@pytest.mark.parametrize("functional", ["median", "mean"])
def test_the_witness_is_of_the_runs_that_were_tested(functional: str) -> None:
    seen: list[float] = []

    def error(n: float, rng: np.random.Generator) -> float:
        seen.append(1.0 + float(abs(rng.normal())))
        return seen[-1]

    slow = case(recipe(0.0, erratum="fake/E3", error=error, functional=functional))
    verdict = scaling.audit(slow, "corrected", SUITE)
    last, before = seen[-5 * verdict.evidence["recipes"][0]["repetitions"] :], len(seen)
    assert verdict.witness is not None
    assert scaling.reproduce(slow, "corrected", verdict.witness)
    assert seen[before:] == last
    # no run of a stage was seen by the stage before it
    assert len(set(seen[:before])) == before


def test_one_bad_recipe_among_good_ones_violates() -> None:
    recipes = [recipe(-0.5, name=f"n{i}") for i in range(4)] + [recipe(0.1, name="d")]
    verdict = scaling.audit(case(*recipes), "corrected", SUITE)
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["name"] == "d"
    p_values = [figures["p_value"] for figures in verdict.evidence["recipes"]]
    assert verdict.p_value == pytest.approx(min(1.0, 5 * min(p_values)))


def test_a_form_may_not_mix_errata_and_claims() -> None:
    mixed = case(recipe(-0.5), recipe(0.0, erratum="fake/E1"))
    with pytest.raises(ValueError, match="mixes scaling recipes"):
        scaling.audit(mixed, "corrected", SUITE)
    # in forms of their own they do not mix
    apart = case(recipe(-0.5), recipe(0.0, erratum="fake/E1", form="published"))
    assert scaling.audit(apart, "corrected", SUITE).status == "holds"
    assert scaling.audit(apart, "published", SUITE).status == "violated"


@pytest.mark.parametrize(
    ("subject", "form", "reason"),
    [
        (case(no_scaling="no utility claim"), "corrected", "no utility claim"),
        (case(recipe(-0.5)), "published", "'published'"),
    ],
)
def test_without_a_recipe_it_is_not_applicable_with_the_reason(
    subject: Case, form: str, reason: str
) -> None:
    verdict = scaling.audit(subject, form, SUITE)
    assert verdict.status == "not applicable"
    assert reason in verdict.summary


@pytest.mark.parametrize(
    "broken", [{"error": lambda *_: 0.0}, {"twin": Twin("nothing", lambda *_: math.nan)}]
)
def test_a_broken_recipe_is_named(broken: dict[str, Any]) -> None:
    recipes = recipe(-0.5), recipe(-0.5, name="epsilon", **broken)
    with pytest.raises(ValueError, match=r"scaling of toy in epsilon: .* finite numbers > 0"):
        scaling.audit(case(*recipes), "corrected", SUITE)


@pytest.mark.parametrize(("tier", "repetitions"), [("quick", LOOK), ("full", 200)])
def test_the_full_tier_repeats_five_times_as_often(tier: Any, repetitions: int) -> None:
    runs: list[float] = []

    def error(n: float, rng: np.random.Generator) -> float:
        runs.append(n)
        return n**-1.0

    # nothing speaks against it at the first look of the quick tier
    verdict = scaling.audit(case(recipe(0, error=error)), "corrected", replace(SUITE, tier=tier))
    assert len(runs) == 5 * repetitions
    assert verdict.evidence["recipes"][0]["repetitions"] == repetitions


@pytest.fixture
def unfitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the slope and its interval, which take most of the time."""
    monkeypatch.setattr(scaling, "fit_slope", lambda *_: Slope(-0.5, 0.0, (-1.0, 0.0)))


@pytest.mark.usefixtures("unfitted")
def test_a_first_look_is_a_part_of_the_screen() -> None:
    law = recipe(-0.5, repetitions=10)
    repetitions = set()
    for context in (Context(seed=seed, tests=150) for seed in range(30)):
        verdict = scaling.audit(case(law), "corrected", context)
        figures = verdict.evidence["recipes"][0]
        seeds = context.at(law.name, law.claim).seed_sequence().spawn(50)
        errors = measure(law, seeds)[:, : figures["repetitions"]]
        np.testing.assert_allclose(figures["points"]["mean"], errors.mean(axis=1), rtol=1e-14)
        repetitions.add(figures["repetitions"])
    # some were left after a look, some not
    assert repetitions == {LOOK, 2 * LOOK, 10}


def test_repetitions_too_few_to_fire_are_raised() -> None:
    # four values: three or four repetitions could not reach 1% however far they lie apart
    few = recipe(0.5, values=VALUES[:4], repetitions=3, error=lambda n, rng: n)
    assert scaling.audit(case(few), "corrected", SUITE).status == "violated"


@pytest.mark.usefixtures("unfitted")
def test_true_exponents_are_rarely_flagged() -> None:
    # medians exactly as claimed, the spread shrinks 8 times; 300 audits at alpha = 0.05
    law = recipe(
        -0.5,
        repetitions=6,
        error=lambda n, rng: n**-0.5 * math.exp(rng.normal() * 160 / n),
    )
    contexts = (Context(seed=seed, confidence=0.95) for seed in range(300))
    verdicts = [scaling.audit(case(law), "corrected", context) for context in contexts]
    alarms = sum(verdict.status == "violated" for verdict in verdicts)
    # more than this has probability below 1e-7
    assert alarms <= stats.binom.isf(1e-7, 300, 0.05)
    p_values = np.array([verdict.p_value for verdict in verdicts])
    for level in (0.2, 0.5, 0.8):
        assert (p_values <= level).sum() <= stats.binom.isf(1e-7, 300, level)


def lognormal(slope: float) -> Twin:
    """Return a twin with the given exponent."""
    return Twin(f"exponent {slope}", lambda n, rng: float(n**slope * np.exp(rng.normal() / 2)))


def test_a_recipe_that_notices_its_twin_holds_with_the_twins_figures() -> None:
    verdict = scaling.audit(case(recipe(-0.5, twin=lognormal(0.5))), "corrected", SUITE)
    assert verdict.status == "holds"
    twin = verdict.evidence["recipes"][0]["twin"]
    assert (twin["change"], twin["noticed"], twin["asked"]) == ("exponent 0.5", True, 1)
    assert twin["p_value"] <= SCREEN
    assert twin["slope"] == pytest.approx(0.5, abs=0.3)
    # a gross violation shows on the fewest repetitions that can fire
    assert twin["repetitions"] == 5


def test_a_recipe_that_does_not_notice_its_twin_is_inconclusive_and_says_what_would_help() -> None:
    blind = recipe(-0.5, name="d", twin=lognormal(-0.5))
    verdict = scaling.audit(case(recipe(-0.5), blind), "corrected", SUITE)
    assert verdict.status == "inconclusive"
    assert "in d the test does not notice its twin, exponent -0.5" in verdict.summary
    assert "in n the test does not" not in verdict.summary
    assert "a wider grid" in verdict.summary
    seen, unseen = (figures["twin"] for figures in verdict.evidence["recipes"])
    assert seen["noticed"]
    assert (unseen["noticed"], unseen["asked"], unseen["repetitions"]) == (False, ASKED, 40)
    assert unseen["p_value"] > SCREEN
    verdict = scaling.audit(case(recipe(-0.5, twin=None)), "corrected", SUITE)
    assert verdict.status == "inconclusive"
    assert "in n there is no twin" in verdict.summary


def test_a_violation_stays_one_and_its_twins_are_not_asked() -> None:
    slow = recipe(0.3, twin=Twin("never asked", lambda n, rng: math.nan))
    verdict = scaling.audit(case(slow), "corrected", SUITE)
    assert verdict.status == "violated"
    assert verdict.evidence["recipes"][0]["twin"] is None
    # nor has a recipe that reproduces an erratum one
    assert ask_twin(recipe(0.3, erratum="fake/E3"), SUITE) is None


def test_a_twin_is_asked_until_it_is_noticed_on_draws_of_its_own() -> None:
    law, seen = recipe(-0.5, repetitions=10), []

    def error(n: float, rng: np.random.Generator) -> float:
        seen.append(rng.random())
        # two asks of ten repetitions keep the claim, the third rises
        return n if len(seen) > 2 * 10 * len(VALUES) else n**-0.5 * (1 + seen[-1])

    answer = ask_twin(replace(law, twin=Twin("late", error)), SUITE)
    assert answer is not None
    assert (answer["noticed"], answer["asked"]) == (True, 3)
    assert len(set(seen)) == len(seen) == (2 * 10 + 5) * len(VALUES)


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_a_twin_has_the_repetitions_of_the_quick_tier(tier: Any) -> None:
    runs: list[float] = []

    def error(n: float, rng: np.random.Generator) -> float:
        runs.append(n)
        return n**-0.5

    law = recipe(-0.5, repetitions=10, twin=Twin("as claimed", error))
    answer = ask_twin(law, replace(SUITE, tier=tier))
    assert answer is not None
    assert (answer["noticed"], answer["repetitions"]) == (False, 10)
    assert len(runs) == ASKED * 10 * len(VALUES)


def test_a_dear_twin_is_left_to_the_full_tier() -> None:
    blind = case(recipe(-0.5, twin=lognormal(-0.5), expensive=True))
    verdict = scaling.audit(blind, "corrected", SUITE)
    assert verdict.status == "holds"
    twin = {"change": "exponent -0.5", "noticed": None}
    assert verdict.evidence["recipes"][0]["twin"] == twin
    assert "about its twin in the full tier" in verdict.summary
    full = scaling.audit(blind, "corrected", replace(SUITE, tier="full"))
    assert full.status == "inconclusive"


def test_few_twins_that_keep_the_claim_exactly_pass_for_noticed() -> None:
    # medians as claimed: ASKED times the looks at 1% each, at most
    keeps = recipe(-0.5, repetitions=8, twin=lognormal(-0.5))
    answers = [ask_twin(keeps, Context(seed=seed)) for seed in range(150)]
    noticed = sum(answer is not None and answer["noticed"] for answer in answers)
    # more than this has probability below 1e-7
    assert noticed <= stats.binom.isf(1e-7, 150, ASKED * 2 * SCREEN)
