"""Test a claim on draws of the privacy-loss variable.

The claim is tested in stages (:mod:`auditor.statistics.stages`):

1. A screen at 1%, looked at after 64, 128, ... runs per direction. Each of K planned looks may
   fire at 1%/K, its tests corrected by Bonferroni; since the smallest of K p-values times K is a
   p-value, whenever the looking stops, a claim that is met fires with probability 1% at most.
   Nothing else follows from where the looking stops, so it may stop early for any reason.
2. If a look fires, its best test, and that one alone, is made on as many fresh runs, and if they
   are not enough on four times as many. Given the screen the p-value q of both together
   (:func:`auditor.statistics.stages.confirm`) is valid, and the two stages have the p-value q/100:
   "violated" at alpha asks for q <= 100 alpha.

A loss above a pure epsilon is a fact, not a sample, and is not tested again. Bounds hold wherever
the screen stopped: each takes alpha in all over the looks that do not fire, every one of which has
a share (:attr:`auditor.statistics.stages.Screen.share`), and alpha after a confirmation. What a
confirmed violation certifies is the smaller of what the two stages reject, so it exceeds the claim.

The Gaussian fit sees far below 1/N by a condition: that the shift, seen to be the same in every
run of a test, is the same on every path. Then the losses are exactly Gaussian, and its p-value is
exact. If the shift varies between the runs of a test, that test's p-value is 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from auditor.statistics.combination import bonferroni
from auditor.statistics.means import mean_lower, mean_p_value
from auditor.statistics.stages import Screen, confirm, confirmation_level, screen, staged_p_value
from auditor.transcript.estimates import (
    delta_bounds,
    epsilon_estimate,
    epsilon_lower,
    excess,
    fit_gaussian,
    gaussian_tails,
)
from auditor.transcript.losses import PrivacyLosses
from auditor.transcript.shared import Stage
from reference._validation import FloatArray
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
)

ROUNDING = 1e-9
"""Relative excess of a single loss over a pure epsilon that is put down to the evaluation of the
densities. What the rounding of the released values adds to it depends on their size; see
:func:`auditor.transcript.rounding.loss_rounding`."""

ENOUGH = 128
"""Runs per direction after which the quick tier goes on only if what it sees is promising."""

PROMISING, PROMISING_ERRORS = 0.1, 1.5
"""Going on may show something if the p-value of a look, all its tests together, is below the first,
or a delta is estimated above its claim by the second number of standard errors."""

DELTAS = (1e-2, 1e-1, 1e-3)
"""Deltas at which a claim that is a whole curve (zCDP, Gaussian, Renyi) is tested; the first is
reported."""

Point = tuple[float, float]
LossMethod = Literal["losses", "Gaussian fit", "largest loss"]


@dataclass(frozen=True)
class ClaimTest:
    """The hypothesis "delta(epsilon) <= delta", tested on the losses of one direction."""

    direction: int
    method: LossMethod
    epsilon: float
    delta: float
    p_value: float


def claim_points(claim: Guarantee) -> list[Point]:
    """Return the (epsilon, delta) at which a claim is tested; the first is reported."""
    if isinstance(claim, PureDP):
        return [(claim.epsilon, 0.0)]
    if isinstance(claim, ApproximateDP):
        return [(claim.epsilon, claim.delta)]
    epsilons = dict.fromkeys(claim.epsilon_at(delta) for delta in DELTAS)
    return [(epsilon, claim.delta_at(epsilon)) for epsilon in epsilons if math.isfinite(epsilon)]


def largest_mu(claim: Guarantee) -> float | None:
    """Return the largest mu of Gaussian losses that meets the claim; ``None`` for pure DP."""
    if isinstance(claim, ApproximateDP):
        return gaussian_dp_mu(claim.epsilon, claim.delta)
    if isinstance(claim, GaussianDP):
        return claim.mu
    if isinstance(claim, ZCDP):
        return math.sqrt(2 * claim.rho)
    if isinstance(claim, RenyiDP):
        return math.sqrt(2 * claim.divergence / claim.alpha)
    return None


def check_claim(samples: Sequence[PrivacyLosses], claim: Guarantee) -> list[ClaimTest]:
    """Test a claim on the losses of every direction; how many tests there are is up to the claim.

    Under a pure claim one loss above epsilon is a contradiction, whatever the sample size: its
    test has p-value 0 or 1. Other claims are tested at their :func:`claim_points` by the mean of
    :func:`excess`, and by :func:`gaussian_tails`, with p-value 1 unless the shift is constant.
    """
    mu = largest_mu(claim)
    planned: list[tuple[LossMethod, Point]] = [
        ("losses" if delta > 0 else "largest loss", (epsilon, delta))
        for epsilon, delta in claim_points(claim)
    ]
    if mu is not None:
        planned.append(("Gaussian fit", claim_points(claim)[0]))
    return [
        ClaimTest(direction, method, *point, claim_p_value(sample, method, point, mu))
        for direction, sample in enumerate(samples)
        for method, point in planned
    ]


def claim_p_value(
    sample: PrivacyLosses, method: LossMethod, point: Point, mu: float | None
) -> float:
    """Return the p-value of one test of a claim on the losses of one direction."""
    epsilon, delta = point
    if method == "largest loss":
        return float(not sample.sure.max() > epsilon + ROUNDING * max(1.0, epsilon))
    if method == "losses":
        return mean_p_value(excess(sample.losses, epsilon), delta)
    assert mu is not None
    return gaussian_tails(sample.losses, mu)[0] if sample.constant_shift else 1.0


DrawLosses = Callable[[Stage, int, int], PrivacyLosses]
"""``draw(stage, direction, runs)``: the losses of the first runs of a stage in a direction."""


@dataclass(frozen=True)
class Judgement:
    """The result of a screen, and of its confirmation if it fired.

    Attributes
    ----------
    screened : Screen
        Its last look saw the losses of either direction, and the tests of the claim on them.
    worst : ClaimTest
        The test that was confirmed, or would have been.
    fresh : PrivacyLosses or None
        The runs of the confirmation, in the direction of ``worst``; ``None`` if the screen did not
        fire, or if a loss above a pure epsilon needs no confirmation.
    p_value : float
        Of the whole procedure.
    """

    screened: Screen[tuple[list[PrivacyLosses], list[ClaimTest]]]
    worst: ClaimTest
    fresh: PrivacyLosses | None
    p_value: float

    @property
    def samples(self) -> list[PrivacyLosses]:
        """Losses by direction: those of the screen, or of fresh runs for a confirmed direction."""
        samples = list(self.screened.seen[0])
        if self.fresh is not None:
            samples[self.worst.direction] = self.fresh
        return samples

    @property
    def tests(self) -> list[ClaimTest]:
        """Tests of the screen's last look."""
        return self.screened.seen[1]

    @property
    def runs(self) -> int:
        """Runs of the screen's last look, in either direction."""
        return self.screened.runs

    @property
    def confirmed(self) -> int:
        """Fresh runs."""
        return 0 if self.fresh is None else self.fresh.losses.size

    @property
    def stage(self) -> Stage:
        """The stage that decided."""
        return "screen" if self.fresh is None else "confirmation"


def judge(
    draw: DrawLosses, claim: Guarantee, sizes: Sequence[int], *, enough: int, alpha: float
) -> Judgement:
    """Screen a claim at growing numbers of runs; where it fires, test it once more on fresh runs.

    Parameters
    ----------
    draw : callable
        See :data:`DrawLosses`.
    claim : Guarantee
    sizes : sequence of int
        Runs per direction of the looks at the screen.
    enough : int
        Runs after which to go on only if what is seen is :func:`promising`.
    alpha : float
        Error probability of the whole procedure.

    Raises
    ------
    ValueError
        If a loss is not a number.
    ControlFlowError
        If a replay does not make the same releases.
    """

    def look(runs: int) -> tuple[float, tuple[list[PrivacyLosses], list[ClaimTest]]]:
        samples = [draw("screen", direction, runs) for direction in (0, 1)]
        if any(np.isnan(sample.losses).any() for sample in samples):
            raise ValueError("a privacy loss is not a number: check the mechanism's log_density")
        tests = check_claim(samples, claim)
        return bonferroni([test.p_value for test in tests]), (samples, tests)

    def pointless(
        runs: int, p_value: float, seen: tuple[list[PrivacyLosses], list[ClaimTest]]
    ) -> bool:
        return runs >= enough and not promising(p_value, seen[0], claim)

    screened = screen(sizes, look, pointless)
    worst = min(screened.seen[1], key=lambda test: test.p_value)
    if worst.method == "largest loss" and worst.p_value == 0:
        return Judgement(screened, worst, None, 0.0)
    if not screened.fired:
        return Judgement(screened, worst, None, screened.p_value)

    def again(size: int) -> float:
        fresh = draw("confirmation", worst.direction, size)
        return claim_p_value(fresh, worst.method, (worst.epsilon, worst.delta), largest_mu(claim))

    confirmed, size = confirm(screened.runs, again, alpha)
    fresh = draw("confirmation", worst.direction, size)
    return Judgement(screened, worst, fresh, staged_p_value([screened.p_value, confirmed]))


def promising(p_value: float, samples: Sequence[PrivacyLosses], claim: Guarantee) -> bool:
    """Return whether more runs may show a violation: about effort only, not about validity.

    If the p-value is below :data:`PROMISING`, or some delta is estimated above its claim by
    :data:`PROMISING_ERRORS` standard errors, or no run has told anything yet.
    """
    if p_value < PROMISING or not any(sample.losses.any() for sample in samples):
        return True
    points = [(epsilon, delta) for epsilon, delta in claim_points(claim) if delta > 0]
    return any(
        _standard_errors_above(excess(sample.losses, epsilon), delta) > PROMISING_ERRORS
        for sample in samples
        for epsilon, delta in points
    )


def _standard_errors_above(values: FloatArray, mean: float) -> float:
    """Return by how many standard errors the average of some values is above ``mean``."""
    above = float(values.mean()) - mean
    error = float(values.std()) / math.sqrt(values.size)
    return above / error if error > 0 else math.copysign(math.inf, above)


def bounds(found: Judgement, claim: Guarantee, alpha: float) -> dict[str, Any]:
    """Return what a judgement says about delta and epsilon, at the point that is reported.

    That is the first of :func:`claim_points`, or the one that was confirmed.

    Parameters
    ----------
    found : Judgement
    claim : Guarantee
    alpha : float
        Error probability of any one bound if the screen did not fire, and as much if it did.
    """
    samples = found.samples
    epsilon, delta = claim_points(claim)[0]
    if found.fresh is not None:
        epsilon, delta = found.worst.epsilon, found.worst.delta
    share = alpha * found.screened.share / len(found.tests)
    one_sided = [delta_bounds(sample.losses, epsilon, share) for sample in samples]
    evidence: dict[str, Any] = {
        "claimed_epsilon": epsilon,
        "claimed_delta": delta,
        "estimated_epsilon": max(epsilon_estimate(s.losses, delta) for s in samples),
        "delta_estimate": max(float(excess(s.losses, epsilon).mean()) for s in samples),
        "delta_lower": max(lower for lower, _ in one_sided),
        "delta_upper": max(upper for _, upper in one_sided),
        "largest_loss": max(float(sample.losses.max()) for sample in samples),
    }
    if found.fresh is None:
        here = [test for test in found.tests if (test.epsilon, test.delta) == (epsilon, delta)]
        levels = [
            (certified_epsilon(samples[test.direction], test, share), test.method) for test in here
        ]
        certified, method = max(levels)
    else:
        level = found.screened.level / len(found.tests)
        stages = (
            (found.screened.seen[0][found.worst.direction], level),
            (found.fresh, confirmation_level(alpha)),
        )
        certified = min(certified_epsilon(sample, found.worst, error) for sample, error in stages)
        method = found.worst.method
        if method == "losses":
            lower = min(mean_lower(excess(s.losses, epsilon), error) for s, error in stages)
            evidence["delta_lower"] = max(evidence["delta_lower"], lower)
        elif method == "Gaussian fit":
            # the epsilon that a claim of another kind is converted to is more than its mu has
            evidence["claimed_mu"] = largest_mu(claim)
            evidence["certified_mu"] = min(_mu_lower(sample, error) for sample, error in stages)
    return {**evidence, "certified_epsilon": certified, "certified_by": method}


def certified_epsilon(sample: PrivacyLosses, test: ClaimTest, alpha: float) -> float:
    """Return the largest epsilon that the method of a test rejects at its delta."""
    if test.method != "Gaussian fit":
        return epsilon_lower(sample.sure, test.delta, alpha)
    return gaussian_dp_epsilon(_mu_lower(sample, alpha), test.delta)


def _mu_lower(sample: PrivacyLosses, alpha: float) -> float:
    return fit_gaussian(sample.losses, alpha).lower if sample.constant_shift else 0.0
