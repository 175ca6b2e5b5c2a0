"""Every statistical question: the level of its verdict and of its bounds, and its fresh runs.

Each test is exact given its seeds; no figure here is a frequency.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm

from auditor.core.case import BlackBox, Case, Form, RealData, Scaling
from auditor.core.context import Context
from auditor.core.mutation import through
from auditor.core.neighbours import replace_record
from auditor.core.verdict import Verdict
from auditor.events.thresholds import certified_from
from auditor.questions import black_box, privacy_loss, real_data, samplers, scaling
from auditor.questions.black_box import CHOOSING
from auditor.questions.table import BY_FORM
from auditor.statistics.claims import EpsilonDelta, certified_level
from auditor.statistics.means import mean_p_value
from auditor.statistics.stages import SCREEN, confirmation_level, looks
from auditor.transcript.estimates import delta_bounds, excess, fit_gaussian, trade_off_curve
from auditor.transcript.judgement import bounds, certified_epsilon, check_claim, judge
from auditor.transcript.losses import PrivacyLosses
from auditor.transcript.shared import ReleaseNumbers, ReleaseUniforms, SharedRuns, Stage
from reference._validation import FloatArray
from reference.privacy.guarantees import ApproximateDP, GaussianDP, Guarantee, PureDP
from reference.privacy.ledger import Ledger
from reference.privacy.mechanisms import Gaussian
from tests.auditor.questions.mechanisms import laplace, response

PAIR = (np.array([[1.0]]), np.array([[0.0]]))


def form(run: Callable[[Any, Ledger], Any], claim: Guarantee) -> Form:
    box = BlackBox(run, claim, PAIR, lambda output: float(output[0]))
    return Form(run=run, claim=claim, pair=PAIR, replaced=0, parameters={}, black_box=box)


def gaussian(data: Any, ledger: Ledger) -> Any:
    return ledger.gaussian(data[0], sensitivity=1.0, scale=1.0)


class Planned(SharedRuns):
    """Runs whose statistics and uniform numbers were thought up."""

    def __init__(
        self,
        values: Mapping[tuple[Stage, int], FloatArray] | None = None,
        drawn: Mapping[Stage, list[ReleaseUniforms]] | None = None,
    ) -> None:
        super().__init__(form(laplace(1.0), PureDP(1.0)), Context())
        self._values, self._drawn = values or {}, drawn or {}

    def statistics(self, stage: Stage, side: int, runs: int) -> FloatArray:
        return self._values[stage, side][:runs]

    def numbers(self, stage: Stage, runs: int) -> list[ReleaseUniforms]:
        return self._drawn[stage][:runs]


def test_a_confirmed_loss_is_that_of_fresh_runs() -> None:
    claim = ApproximateDP(1.0, 0.1)
    losses = {"screen": np.full(64, 3.0), "confirmation": np.full(256, 0.5)}

    def draw(stage: Stage, direction: int, runs: int) -> PrivacyLosses:
        return PrivacyLosses(losses[stage][:runs])

    found = judge(draw, claim, (64,), enough=64, alpha=1e-3)
    # one look, and two tests in either direction, of which one is of Gaussian losses only
    at_once = mean_p_value(excess(losses["screen"], 1.0), 0.1)
    assert found.screened.p_value == 4 * at_once < 1e-9
    assert found.p_value == SCREEN  # times 1, what the confirmation says
    assert found.fresh is not None
    np.testing.assert_array_equal(found.fresh.losses, losses["confirmation"])


def of_two_stages(seed: int, runs: int) -> dict[tuple[Stage, int], FloatArray]:
    """Return normal statistics of both stages and sides."""
    rng = np.random.default_rng(seed)
    stages: tuple[Stage, ...] = ("screen", "confirmation")
    return {(stage, side): rng.normal(size=runs) for stage in stages for side in (0, 1)}


def test_a_confirmed_event_is_counted_in_fresh_runs() -> None:
    values = of_two_stages(0, 256)
    values["screen", 0] += 5
    values |= {("screen", side): np.resize(values["screen", side][:64], 2000) for side in (0, 1)}
    verdict = black_box.audit(form(laplace(1.0), PureDP(1.0)), Context(), Planned(values))
    assert verdict.status == "holds"
    assert verdict.evidence["confirmation_runs"] == 256
    assert verdict.p_value == SCREEN


def test_the_runs_that_choose_an_event_do_not_count_it() -> None:
    values = of_two_stages(1, 2000)
    values["screen", 0][: max(certified_from(64), min(32, CHOOSING))] += 9  # of the first look
    verdict = black_box.audit(form(laplace(1.0), PureDP(1.0)), Context(), Planned(values))
    assert (verdict.status, verdict.evidence["confirmation_runs"]) == ("holds", 0)
    assert verdict.p_value == 1


def uniform(runs: int, *powers: float) -> list[ReleaseUniforms]:
    """Return runs of one Gaussian release per power of uniform numbers."""
    rng = np.random.default_rng(2)
    return [
        [ReleaseNumbers("gaussian", rng.random(5) ** power) for power in powers]
        for _ in range(runs)
    ]


def test_a_group_is_tested_twice_and_its_scale_from_both_sides() -> None:
    # one number at the normal quantile 1, and one at 0.1: chi-square with one degree of freedom
    for quantile, side in ((1.0, chi2.sf), (0.1, chi2.cdf)):
        test = samplers.uniformity(np.array([norm.cdf(quantile)]))
        assert test.p_scale == pytest.approx(2 * float(side(quantile**2, 1)))
        assert test.p_value == min(1.0, 2 * min(test.p_shape, test.p_scale))
    many = samplers.uniformity(np.random.default_rng(0).random(100) ** 0.7)
    assert many.p_value == 2 * min(many.p_shape, many.p_scale) < 1


def test_all_groups_and_looks_share_the_screen() -> None:
    # every look sees the same 64 runs, so each has the same p-value
    drawn: dict[Stage, list[ReleaseUniforms]] = {"screen": uniform(64, 0.88, 1.0)}
    verdict = samplers.audit(form(laplace(1.0), PureDP(1.0)), Context(), Planned(drawn=drawn))
    groups = verdict.evidence["groups"]
    named = [group["group"] for group in groups]
    assert named == [
        *("all", "release 0 (gaussian)", "release 1 (gaussian)"),
        *("difference of releases 0 and 1", "sum of releases 0 and 1"),
        *("differences within releases", "sums within releases"),
    ]
    best = min(group["p_value"] for group in groups)
    assert SCREEN < len(named) * len(looks(samplers.MOST)) * best < 1
    assert verdict.p_value == pytest.approx(len(named) * len(looks(samplers.MOST)) * best)


def test_only_the_group_that_the_screen_has_named_is_confirmed_and_on_fresh_runs() -> None:
    # the first release is wrong in the screen alone, the second in the confirmation alone
    drawn: dict[Stage, list[ReleaseUniforms]] = {
        "screen": uniform(64, 0.1, 1.0),
        "confirmation": uniform(256, 1.0, 0.1),
    }
    verdict = samplers.audit(form(laplace(1.0), PureDP(1.0)), Context(), Planned(drawn=drawn))
    assert verdict.status == "holds"
    assert "'release 0 (gaussian)'" in verdict.summary
    assert verdict.evidence["confirmation_runs"] == 256
    assert verdict.p_value is not None
    assert verdict.p_value >= 0.01 * SCREEN


def test_a_look_says_nothing_once_there_is_the_next() -> None:
    # the first three repetitions rise as far as they can, the six of the second look do not
    seen: dict[float, int] = {}

    def error(n: float, rng: np.random.Generator) -> float:
        seen[n] = seen.get(n, 0) + 1
        return n if seen[n] <= 3 else 1 / n

    recipe = replace(slow_error().scaling[0], error=error, erratum=None)
    verdict = scaling.audit(Case(id="toy", forms={}, scaling=(recipe,)), "corrected", Context())
    assert verdict.evidence["recipes"][0]["repetitions"] == 6
    assert verdict.p_value is not None
    assert verdict.p_value > 0.5


def test_the_losses_of_a_confirmation_on_real_data_are_fresh() -> None:
    drawn = real_data.NeighbourLosses(loud_mean(), loud_mean().load(), Context())
    losses = [
        drawn.draw(stage, direction, 20).losses
        for stage in ("screen", "confirmation")
        for direction in (0, 1)
    ]
    # a Laplace loss has two atoms; what lies between is different for different draws
    between = [set(part[np.abs(part) < 1.4]) for part in losses]
    assert min(map(len, between)) > 2
    assert len(set.union(*between)) == sum(map(len, between))


def test_all_data_sets_share_the_error_and_each_bound_has_all_of_it() -> None:
    context = Context(confidence=0.99)
    data_sets = loud_mean("one"), loud_mean("other")
    verdict = real_data.audit(Case(id="toy", forms={}, real_data=data_sets), context)
    parts = verdict.evidence["data_sets"]
    assert verdict.p_value == 2 * min(part["p_value"] for part in parts) < 1
    for real, part in zip(data_sets, parts, strict=True):
        drawn, found = real_data.measure_losses(real, real.load(), context.at(real.name))
        for name, bound in bounds(found, drawn.claim, context.alpha).items():
            assert part[name] == bound


def test_an_error_falls_at_one_percent_over_all_looks() -> None:
    nothing = np.zeros((1, 1))
    falls = {
        p_value: real_data.Utility(nothing[0], nothing, -0.5, p_value).falls
        for p_value in (0.0033, 0.0034)
    }
    assert falls == {0.0033: True, 0.0034: False}


def test_the_bounds_of_losses_have_their_share_of_the_error() -> None:
    claim, alpha = GaussianDP(1.0), 1e-3

    def draw(stage: Stage, direction: int, runs: int) -> PrivacyLosses:
        normal = np.random.default_rng(direction).normal(size=512)[:runs]
        return PrivacyLosses(0.5 + normal, np.ones(runs), 1.0)

    found = judge(draw, claim, looks(512), enough=64, alpha=alpha)
    assert found.fresh is None
    assert len(found.tests) == 8  # three points and a fit, in two directions
    share = alpha * found.screened.share / 8
    said = bounds(found, claim, alpha)
    epsilon, delta = said["claimed_epsilon"], said["claimed_delta"]
    each = [delta_bounds(sample.losses, epsilon, share) for sample in found.samples]
    assert (said["delta_lower"], said["delta_upper"]) == tuple(np.max(each, axis=0))
    best = max(fit_gaussian(sample.losses, share).lower for sample in found.samples)
    assert said["certified_by"] == "Gaussian fit"
    assert said["certified_epsilon"] == GaussianDP(best).epsilon_at(delta)


def test_a_shift_that_varies_has_no_gaussian_bound() -> None:
    losses, shifts = np.full(50, 4.0), np.linspace(1.0, 2.0, 50)
    for test in check_claim([PrivacyLosses(losses, shifts, 1.0)] * 2, GaussianDP(1.0)):
        if test.method == "Gaussian fit":
            assert test.p_value == 1
            assert certified_epsilon(PrivacyLosses(losses, shifts, 1.0), test, 0.01) == 0


def test_the_figures_of_an_audit_of_losses_have_their_share_of_the_error() -> None:
    context = Context(seed=1, confidence=0.99)
    subject = replace(form(gaussian, GaussianDP(1.0)), loss_samples=64)
    runs = SharedRuns(subject, context)
    evidence = privacy_loss.audit(subject, context, runs).evidence
    assert (evidence["runs"], evidence["confirmation_runs"]) == (64, 0)
    share = context.alpha / 2 / 8  # the only look, of 8 tests
    samples = [runs.losses("screen", direction, 64).losses for direction in (0, 1)]
    fits = [fit_gaussian(losses, share) for losses in samples]
    assert evidence["gaussian"]["mu_lower"] == max(fit.lower for fit in fits)
    assert evidence["gaussian"]["mu_upper"] == max(fit.upper for fit in fits)
    curve, worse = evidence["delta_curve"], samples[evidence["direction"] != "D against D'"]
    each = [delta_bounds(worse, epsilon, share) for epsilon in curve["epsilon"]]
    assert list(zip(curve["lower"], curve["upper"], strict=True)) == each
    band = trade_off_curve(*samples, share, evidence["trade_off"]["type_1"])
    np.testing.assert_array_equal(evidence["trade_off"]["lower"], band["lower"])


@pytest.mark.parametrize(("most", "runs", "share"), [(64, 64, 0.5), (2000, 128, 0.1)])
def test_what_an_event_certifies_has_its_share_of_the_error(
    most: int, runs: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the last possible look has one half; the other five share the other half
    monkeypatch.setattr(black_box, "RUNS", most)
    context = Context(confidence=0.99)
    verdict = black_box.audit(form(response(2.5), PureDP(3.0)), context)
    evidence, claim = verdict.evidence, EpsilonDelta(3.0)
    assert (evidence["runs"], evidence["confirmation_runs"]) == (runs, 0)
    counts = tuple(evidence["first_count"]), tuple(evidence["second_count"])
    level = certified_level(claim, *counts, context.alpha * share)
    assert evidence["certified_level"] == evidence["certified_epsilon"] == level > 0


@pytest.mark.parametrize(("alpha", "binding"), [(1e-2, 0), (1e-8, 1)])
def test_what_an_event_certifies_is_rejected_by_both_stages(alpha: float, binding: int) -> None:
    subject, context = form(response(2.5), PureDP(1.0)), Context(confidence=1 - alpha)
    runs = SharedRuns(subject, context)
    verdict = black_box.audit(subject, context, runs)
    size, fresh = verdict.evidence["runs"], verdict.evidence["confirmation_runs"]
    assert verdict.status == "violated"
    planned = len(looks(black_box.RUNS))
    screen = [runs.statistics("screen", side, size) for side in (0, 1)]
    confirming = [runs.statistics("confirmation", side, fresh) for side in (0, 1)]
    cut = max(certified_from(size), min(size // 2, CHOOSING))
    stages = [
        ([part[:cut] for part in screen], [part[cut:] for part in screen], SCREEN / planned),
        (screen, confirming, confirmation_level(context.alpha)),
    ]
    claim = EpsilonDelta(1.0)
    levels = [
        black_box.certified(choosing, testing, claim, level).certificate.level(claim, level)
        for choosing, testing, level in stages
    ]
    assert int(np.argmin(levels)) == binding
    assert verdict.evidence["certified_level"] == min(levels)
    assert verdict.evidence["certified_epsilon"] == min(levels)


@pytest.mark.parametrize("name", BY_FORM)
def test_a_question_says_the_same_again_and_has_a_share_of_the_error_if_it_may_be_wrong(
    name: str,
) -> None:
    noisy, question = form(gaussian, GaussianDP(1.0)), BY_FORM[name]
    verdicts = [
        question.ask(noisy, context.at(name), SharedRuns(noisy, context))
        for context in (Context(), Context())
    ]
    assert verdicts[0].status == "holds"
    assert (verdicts[0].p_value is not None) == question.statistical
    assert verdicts[0].to_json() == verdicts[1].to_json()


class Quiet(Gaussian):
    def output(self, value: Any, draw: Any) -> Any:
        return value + 0.9 * self.scale * draw


def quiet_gaussians() -> Form:
    honest = form(lambda data, ledger: gaussian(np.zeros((1, 3)), ledger), GaussianDP(1.0))
    return through(honest, lambda i, mechanism, v, s: (Quiet(mechanism.scale), v, s))


def slow_error() -> Case:
    recipe = Scaling(
        name="n",
        values=(1.0, 2.0, 4.0, 8.0),
        error=lambda n, rng: n**0.8 * math.exp(rng.normal()),
        claimed_slope=0.0,
        repetitions=10,
        claim="O(1)",
        erratum="fake/E1",
    )
    return Case(id="toy", forms={}, scaling=(recipe,))


def loud_mean(name: str = "coins") -> RealData:
    def neighbour(data: Any, rng: np.random.Generator) -> tuple[Any, int]:
        index = int(rng.integers(len(data)))
        return replace_record(data, index, 1.0 - data[index]), index

    return RealData(
        name=name,
        load=lambda: np.repeat([0.0, 1.0], 10),
        run=lambda data, epsilon, ledger: ledger.laplace(
            data.mean(), sensitivity=1 / 20, scale=1 / (30 * epsilon)
        ),
        claim=lambda epsilon: ApproximateDP(epsilon, 0.12),
        neighbour=neighbour,
        baseline=lambda data: data.mean(),
        error=lambda private, baseline: abs(float(private) - baseline),
        epsilons=(0.3, 1.0, 3.0),
        metric="absolute error",
    )


# what each question is asked of, a little over its claim, so that p-values are moderate
SLIGHTLY_WRONG: Mapping[str, Callable[[Context], Verdict]] = {
    "samplers": lambda context: samplers.audit(quiet_gaussians(), context),
    "privacy_loss": lambda context: privacy_loss.audit(
        replace(form(laplace(1.2), ApproximateDP(0.8, 0.1)), loss_samples=300), context
    ),
    "black_box": lambda context: black_box.audit(form(response(1.5), PureDP(1.0)), context),
    "scaling": lambda context: scaling.audit(slow_error(), "corrected", context),
    "real_data": lambda context: real_data.audit(
        Case(id="toy", forms={}, real_data=(loud_mean(),)), context
    ),
}
SEEDS = {"samplers": 4, "privacy_loss": 6, "black_box": 3, "scaling": 0, "real_data": 5}


def asked(question: str, alpha: float) -> tuple[Verdict, float]:
    """Return a verdict at about the level alpha, its p-value, and exactly the level."""
    context = Context(seed=SEEDS[question], confidence=1 - alpha).at(question)
    return SLIGHTLY_WRONG[question](context), context.alpha


@pytest.mark.parametrize("question", SLIGHTLY_WRONG)
def test_a_claim_is_violated_at_its_level_and_not_above(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(black_box, "RUNS", 200)  # so that its p-values are moderate, too
    p_value = asked(question, 1e-12)[0].p_value
    assert p_value is not None
    assert 1e-13 < p_value < SCREEN**1.5  # else there is nothing between violated and not
    statuses, near = set(), 0
    for factor in (0.4, 0.8, 1.5):
        verdict, alpha = asked(question, factor * p_value)
        assert verdict.p_value is not None
        assert (verdict.status == "violated") == (verdict.p_value <= alpha)
        statuses.add(verdict.status == "violated")
        near += alpha < verdict.p_value < 4 * alpha
        # bounds may fail at the screen and at the confirmation, a test alone only once
        bounded = question in ("privacy_loss", "black_box", "real_data")
        assert verdict.evidence["confidence"] == 1 - (2 if bounded else 1) * alpha
    assert statuses == {True, False}
    assert near


STATUSES = {
    "accounting": "holds",
    "sensitivity": "holds",
    "control_flow": "holds",
    "privacy_loss": "inconclusive",
    "black_box": "inconclusive",
    "samplers": "not applicable",
}


@pytest.mark.parametrize("question", BY_FORM)
def test_nothing_released_breaks_no_claim(question: str) -> None:
    silent = form(lambda data, ledger: np.zeros(1), PureDP(1e-9))
    verdict = BY_FORM[question].ask(silent, Context(), SharedRuns(silent, Context()))
    assert verdict.status == STATUSES[question]
