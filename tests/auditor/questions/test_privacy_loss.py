"""The privacy-loss audit on mechanisms whose privacy is known exactly.

Seeds are fixed. Where a test draws at random, a correct audit would fail it with probability
below 1e-6 had the seed been drawn too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.questions import privacy_loss, sensitivity
from auditor.questions.mutants import generic
from auditor.statistics.combination import bonferroni
from auditor.statistics.means import mean_lower
from auditor.statistics.stages import Screen, confirmation_level
from auditor.transcript.estimates import (
    delta_bounds,
    epsilon_lower,
    excess,
    fit_gaussian,
)
from auditor.transcript.judgement import (
    ENOUGH,
    ROUNDING,
    Judgement,
    bounds,
    check_claim,
    judge,
)
from auditor.transcript.losses import PrivacyLosses, sample_losses
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    PureDP,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
)
from reference.privacy.ledger import Ledger, ReleaseClaim
from reference.privacy.mechanisms import Bit
from tests.auditor.questions.mechanisms import gaussian, laplace, response

PAIR = (np.array([[0.0]]), np.array([[1.0]]))
SUITE = Context(tests=11)  # as many as an algorithm of the catalogue has at most
"""The share of the confidence that one question has in the quick suite."""

FULL = replace(SUITE, tier="full")


def form(run: Callable[[Any, Ledger], Any], claim: Guarantee, **changes: Any) -> Form:
    plain = Form(run=run, claim=claim, pair=PAIR, replaced=0, parameters={})
    return replace(plain, **changes)


def laplace_delta(epsilon0: float, epsilon: float) -> float:
    """Exact delta of one scalar Laplace mechanism."""
    return -math.expm1((epsilon - epsilon0) / 2)


def stored(verdict: Verdict) -> Verdict:
    return Verdict.from_json(json.loads(json.dumps(verdict.to_json())))


def test_a_mixture_of_gaussian_losses_gets_no_fitted_mu() -> None:
    """One path in 50 loses about 5,000: no N(mu^2/2, mu^2) has that mean and that square."""

    def run(data: Any, ledger: Ledger) -> Any:
        rare = ledger.public(lambda rng: float(rng.random() < 0.02))
        return ledger.gaussian(rare * data[0], sensitivity=1.0, scale=0.01)

    verdict = privacy_loss.audit(form(run, GaussianDP(100.0)), SUITE.at("mixture"))
    assert verdict.status == "holds"
    gaussian_evidence = verdict.evidence["gaussian"]
    assert gaussian_evidence["realised_mu"] == pytest.approx([0.0, 100.0])
    assert "fitted_mu" not in gaussian_evidence
    assert "mu at most 100 on these paths against 100 calibrated" in verdict.summary


@pytest.mark.parametrize(
    ("run", "claim", "method"),
    [
        # 1.5 times the claim, at a delta that sampling cannot see: the Gaussian fit does
        (
            gaussian(1.5 * 0.4),
            ApproximateDP(GaussianDP(0.4).epsilon_at(1e-6), 1e-6),
            "Gaussian fit",
        ),
        (gaussian(1.5), GaussianDP(1.0), "Gaussian fit"),
        (gaussian(1.5), ZCDP(0.5), "Gaussian fit"),
        (laplace(1.5), PureDP(1.0), "largest loss"),
        (response(1.5), PureDP(1.0), "largest loss"),
        (laplace(1.5), ApproximateDP(0.5, laplace_delta(1.0, 0.5)), "losses"),
        (response(1.5), ApproximateDP(0.5, PureDP(1.0).delta_at(0.5)), "losses"),
    ],
)
def test_one_and_a_half_times_the_claim_is_violated(
    run: Callable[[Any, Ledger], Any], claim: Guarantee, method: str
) -> None:
    broken = form(run, claim)
    verdict = privacy_loss.audit(broken, SUITE.at("power"))
    assert verdict.status == "violated"
    assert verdict.witness is not None
    assert verdict.witness["method"] == method
    # what decided it is certified to be larger than claimed
    unit = "mu" if method == "Gaussian fit" else "epsilon"
    certified = verdict.evidence[f"certified_{unit}"]
    assert certified > verdict.evidence[f"claimed_{unit}"]
    assert (f"certified mu {certified:.4g} of" in verdict.summary) == (unit == "mu")
    assert (verdict.p_value is None) == (method == "largest loss")
    again = stored(verdict).witness
    assert again is not None
    assert privacy_loss.reproduce(broken, again)
    blind = form(lambda data, ledger: run(0 * data, ledger), claim)
    assert not privacy_loss.reproduce(blind, again)


def test_a_quick_audit_goes_on_only_where_it_may_find_something() -> None:
    loose = form(laplace(1.0), ApproximateDP(1.2, 0.1), loss_samples=2000)
    bare = form(laplace(1.5), ApproximateDP(1.2, laplace_delta(1.4, 1.2)), loss_samples=2000)
    audits = {
        name: [privacy_loss.audit(subject, SUITE.at(str(seed))) for seed in range(4)]
        for name, subject in (("loose", loose), ("bare", bare))
    }
    assert [verdict.status for verdict in audits["loose"]] == ["holds"] * 4
    assert [verdict.evidence["runs"] for verdict in audits["loose"]] == [ENOUGH] * 4
    assert [verdict.status for verdict in audits["bare"]] == ["violated"] * 4
    assert sum(verdict.evidence["runs"] > ENOUGH for verdict in audits["bare"]) >= 2


def test_a_loss_above_a_pure_epsilon_needs_no_confirmation() -> None:
    """It is impossible under the claim, however seldom it comes: fresh runs need not have it."""
    stages: list[str] = []

    def draw(stage: str, direction: int, runs: int) -> PrivacyLosses:
        stages.append(stage)
        losses = np.zeros(runs)
        losses[7] = 1.5 if (stage, direction) == ("screen", 1) else 0.5
        return PrivacyLosses(losses)

    found = judge(draw, PureDP(1.0), (64, 128), enough=64, alpha=1e-3)
    assert (found.p_value, found.fresh, found.worst.direction) == (0.0, None, 1)
    assert set(stages) == {"screen"}
    assert bounds(found, PureDP(1.0), 1e-3)["certified_epsilon"] == 1.5


def test_a_confirmed_bound_is_what_both_stages_reject() -> None:
    claim, alpha = ApproximateDP(0.5, 0.01), 1e-4
    rng = np.random.default_rng(7)
    low, high = (PrivacyLosses(rng.laplace(0.5, 1.0, 256) + shift) for shift in (0.0, 3.0))
    for seen, fresh in ((low, high), (high, low), (high, high)):
        tests = check_claim([seen, seen], claim)
        screened = Screen(([seen, seen], tests), 256, 1e-9, 0.002, 0.5)
        found = bounds(Judgement(screened, tests[0], fresh, 1e-9), claim, alpha)
        levels = (
            epsilon_lower(seen.losses, 0.01, 0.002 / len(tests)),
            epsilon_lower(fresh.losses, 0.01, confirmation_level(alpha)),
        )
        assert found["certified_epsilon"] == min(levels) > 0
        # of delta at the claim, what both stages reject, or what the other direction bounds
        lower = min(
            mean_lower(excess(seen.losses, 0.5), 0.002 / len(tests)),
            mean_lower(excess(fresh.losses, 0.5), confirmation_level(alpha)),
        )
        share = 0.5 * alpha / len(tests)
        each = [delta_bounds(sample.losses, 0.5, share)[0] for sample in (seen, fresh)]
        assert found["delta_lower"] == max(lower, *each)


def test_a_confirmed_mu_is_what_both_stages_reject() -> None:
    claim, alpha = ZCDP(0.5), 1e-4
    rng = np.random.default_rng(7)
    low, high = (
        PrivacyLosses(rng.normal(mu**2 / 2, mu, 256), np.full(256, mu)) for mu in (1.5, 2.5)
    )
    for seen, fresh in ((low, high), (high, low)):
        tests = check_claim([seen, seen], claim)
        (fitted,) = (t for t in tests if (t.method, t.direction) == ("Gaussian fit", 0))
        screened = Screen(([seen, seen], tests), 256, 1e-9, 0.002, 0.5)
        found = bounds(Judgement(screened, fitted, fresh, 1e-9), claim, alpha)
        levels = (
            fit_gaussian(seen.losses, 0.002 / len(tests)).lower,
            fit_gaussian(fresh.losses, confirmation_level(alpha)).lower,
        )
        assert found["certified_mu"] == min(levels) > found["claimed_mu"] == 1.0
        epsilon = gaussian_dp_epsilon(min(levels), fitted.delta)
        assert found["certified_epsilon"] == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("run", [laplace(1.0), response(1.0)])
def test_an_exact_pure_claim_holds_with_its_largest_loss(run: Any) -> None:
    verdict = privacy_loss.audit(form(run, PureDP(1.0)), SUITE)
    assert verdict.status == "holds"
    assert verdict.p_value is None
    assert verdict.evidence["largest_loss"] == pytest.approx(1.0, abs=1e-12)
    assert verdict.evidence["certified_epsilon"] == pytest.approx(1.0, abs=1e-12)


def _sometimes_tells(data: Any, ledger: Ledger) -> Any:
    # a bit that is never 1 under D': impossible outputs with probability 0.3
    # (Ledger.bit would cut its probability to what a coin shows)
    return ledger._release(Bit(), 0.3 * (1 - data[:, 0]), ReleaseClaim(1.0, "record"))


def test_infinite_losses_are_a_finding() -> None:
    pure = privacy_loss.audit(form(_sometimes_tells, PureDP(1.0)), SUITE)
    assert pure.status == "violated"
    assert pure.witness is not None
    assert pure.witness["loss"] == math.inf
    assert pure.findings[0]["kind"] == "infinite loss"
    assert "infinity" in pure.summary
    stated = privacy_loss.audit(form(_sometimes_tells, ApproximateDP(1.0, 0.3)), SUITE)
    assert stated.status == "holds"
    seen = stated.evidence["transcripts"] / 2
    assert stated.evidence["infinite_losses"] == pytest.approx(0.3 * seen, abs=3 * seen**0.5)
    assert stated.findings[0]["runs"] == stated.evidence["infinite_losses"]
    # the outputs that tell have probability 0.3
    too_little = privacy_loss.audit(form(_sometimes_tells, ApproximateDP(1.0, 0.2)), FULL)
    assert too_little.status == "violated"
    assert too_little.evidence["certified_epsilon"] == math.inf


def other_releases(data: Any, ledger: Ledger) -> Any:
    noise = ledger.laplace if data[0, 0] > 0 else ledger.gaussian
    return noise(data[0], sensitivity=1.0, scale=1.0)


@pytest.mark.parametrize(
    ("run", "pair", "reason"),
    [
        (gaussian(1.0), (PAIR[0], PAIR[0]), "does not exercise"),
        (other_releases, PAIR, "same releases"),
    ],
)
def test_what_has_no_losses_to_compare_is_inconclusive(run: Any, pair: Any, reason: str) -> None:
    verdict = privacy_loss.audit(form(run, GaussianDP(1.0), pair=pair, loss_samples=20), SUITE)
    assert verdict.status == "inconclusive"
    assert reason in verdict.summary


def sampled_sum(scale: float) -> Callable[[Any, Ledger], Any]:
    """Return the noisy sum of a sample of five of ten records."""

    def run(records: Any, ledger: Ledger) -> Any:
        sample = ledger.subsample(10, 5)
        total = records[sample.indices].sum(axis=0)
        return ledger.gaussian(total, sensitivity=2.0, scale=scale, sample=sample)

    return run


def with_third(records: Any, value: float) -> tuple[Any, Any]:
    """Return records of which the third has this value, and the records."""
    other = records.copy()
    other[3] = value
    return other, records


def test_subsampling_gives_the_loss_of_the_mixture() -> None:
    # the record is in a sample of 5 of 10 with probability 1/2 and then shifts N(0, 1) by 2
    seeds = np.random.SeedSequence(8).spawn(2000)
    pair = with_third(np.zeros((10, 1)), 2.0)
    sample = sample_losses(sampled_sum(1.0), *pair, seeds, replaced=3)
    assert sample.shifts is None
    grid = np.linspace(-12, 14, 200_001)
    p = 0.5 * stats.norm.pdf(grid) + 0.5 * stats.norm.pdf(grid, 2.0)
    for epsilon in (0.0, 0.5, 1.0):
        exceeds = np.maximum(p - math.exp(epsilon) * stats.norm.pdf(grid), 0)
        exact = exceeds.sum() * (grid[1] - grid[0])
        lower, upper = delta_bounds(sample.losses, epsilon, 1e-7)
        assert lower < exact < upper
        assert excess(sample.losses, epsilon).mean() == pytest.approx(exact, rel=0.15)


@pytest.mark.parametrize(
    ("pair", "status"),
    [
        (with_third(np.zeros((10, 1)), 2.0), "violated"),
        (with_third(np.arange(10.0)[:, None], 20.0), "inconclusive"),
    ],
)
def test_a_subsample_of_records_that_differ_is_not_called_violated(pair: Any, status: str) -> None:
    """Publishing which others were drawn tells the target's place; the outputs alone may not."""
    subject = form(
        sampled_sum(0.1), ApproximateDP(1.0, 0.01), pair=pair, replaced=3, loss_samples=200
    )
    verdict = privacy_loss.audit(subject, SUITE)
    assert verdict.status == status
    assert ("other records" in verdict.summary) == (status == "inconclusive")


def test_adaptive_gaussians_with_a_varying_shift_are_not_fitted() -> None:
    def run(data: Any, ledger: Ledger) -> Any:
        first = ledger.gaussian(data[0], sensitivity=1.0, scale=1.0)
        slope = 1.0 if first[0] > 0 else 0.5
        return ledger.gaussian(slope * data[0], sensitivity=1.0, scale=1.0)

    verdict = privacy_loss.audit(form(run, GaussianDP(math.sqrt(2))), SUITE)
    assert verdict.status == "holds"
    assert "fitted_mu" not in verdict.evidence["gaussian"]
    assert verdict.evidence["gaussian"]["realised_mu"] == pytest.approx(
        [math.sqrt(1.25), math.sqrt(2)]
    )
    fits = [t["p_value"] for t in verdict.evidence["tests"] if t["method"] == "Gaussian fit"]
    assert fits == [1.0, 1.0]


def test_a_shift_beyond_the_calibration_and_quiet_noise_are_findings() -> None:
    honest = form(gaussian(1.0), GaussianDP(1.0))
    understated = generic(honest)["sensitivity understated"]
    kinds = [f["kind"] for f in privacy_loss.audit(understated, SUITE).findings]
    assert kinds == ["sensitivity"]
    quiet = generic(honest)["noise secretly halved"]
    # an interval of few runs may reach the shift: the full tier has more, here 3,000
    few = replace(quiet, loss_samples=300)
    kinds = [f["kind"] for f in privacy_loss.audit(few, FULL).findings]
    assert kinds == ["noise"]


@pytest.mark.parametrize(("n", "beyond", "status"), [(30, 0.0, "holds"), (2, 1e-6, "violated")])
def test_rounding_is_no_violation_and_hides_none(n: int, beyond: float, status: str) -> None:
    """A sum over values of size 3e5 of which one moves by 0.07, the noise made for that."""
    data = np.random.default_rng(5).uniform(2.9e5, 3.1e5, size=n)
    data[0] = 0.0
    other = data.copy()
    other[0] = 0.07 * (1 + beyond)

    def run(values: Any, ledger: Ledger) -> Any:
        return ledger.laplace(values.sum(), sensitivity=0.07, scale=0.07)

    assert (other.sum() - data.sum()) / 0.07 > 1 + ROUNDING  # in doubles, the claim is exceeded
    large = form(run, PureDP(1.0), pair=(data, other))
    assert privacy_loss.audit(large, SUITE).status == status
    assert sensitivity.audit(large, SUITE).status == status


def test_claims_met_exactly_are_rarely_flagged() -> None:
    # 300 audits at alpha = 0.05: more than 41 alarms has probability below 1e-7
    mechanisms: list[tuple[Callable[[Any, Ledger], Any], Guarantee]] = [
        (gaussian(1.0), GaussianDP(1.0)),
        (gaussian(0.5), ApproximateDP(0.8, gaussian_dp_delta(0.5, 0.8))),
        (laplace(1.0), ApproximateDP(0.5, laplace_delta(1.0, 0.5))),
        (response(1.0), ApproximateDP(0.5, PureDP(1.0).delta_at(0.5))),
    ]
    seeds = iter(np.random.SeedSequence(9).spawn(300 * 2 * 25))
    alarms = 0
    fits = 0
    for audit in range(300):
        run, claim = mechanisms[audit % len(mechanisms)]
        samples: list[PrivacyLosses] = []
        for data, other in (PAIR, PAIR[::-1]):
            own = [next(seeds) for _ in range(25)]
            samples.append(sample_losses(run, data, other, own, replaced=0))
        tests = check_claim(samples, claim)
        fits += sum(test.method == "Gaussian fit" and test.p_value < 1 for test in tests)
        alarms += bonferroni([test.p_value for test in tests]) <= 0.05
    assert fits == 300  # both directions of the two Gaussians
    assert alarms <= stats.binom.isf(1e-7, 300, 0.05)
