"""The privacy-loss question: is the loss of whole transcripts as small as the claim says.

A transcript recorded on D and replayed on D' gives one exact draw of the privacy-loss variable
L = log p(outputs | D) - log p(outputs | D'). From N independent draws follow

* delta(epsilon) = E[(1 - e^(epsilon - L))_+], the mean of a variable in [0, 1], with confidence
  bounds (:func:`delta_bounds`);
* the largest epsilon that can be certified at a delta (:func:`epsilon_lower`);
* the trade-off curve of testing D against D' (:func:`trade_off_curve`);
* where every release is Gaussian and the shift between D and D' is the same on every path, the
  parameter mu of L ~ N(mu^2/2, mu^2) (:func:`fit_gaussian`), which sees far below 1/N.

Both directions of the pair are sampled, since delta is not symmetric.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import ncx2

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.neighbours import remove_record
from auditor.core.sides import DIRECTIONS
from auditor.core.verdict import Verdict
from auditor.core.witness import describe_pair, describe_seeds, restore_seeds
from auditor.statistics.combination import bonferroni
from auditor.statistics.means import mean_lower, mean_p_value, mean_upper
from auditor.statistics.stages import (
    Screen,
    confirm,
    confirmation_level,
    looks,
    screen,
    staged_p_value,
)
from auditor.transcript.losses import SAME_SHIFT, Losses, pure_epsilon, sample_losses
from auditor.transcript.replay import record, subsample_entries
from auditor.transcript.shared import SharedRuns, Stage
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
from reference.privacy.ledger import ControlFlowError

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
"""Where a claim that is a whole curve (zCDP, Gaussian, Renyi) is tested; the first is reported."""

Point = tuple[float, float]
Method = Literal["losses", "Gaussian fit", "largest loss"]

# ------------------------------------------------------------------- functions of a sample


def excess(losses: ArrayLike, epsilon: float) -> FloatArray:
    """Return (1 - e^(epsilon - L))_+ for every loss; its expectation is delta(epsilon)."""
    margin = np.minimum(epsilon - np.asarray(losses, dtype=np.float64), 0.0)
    return np.asarray(-np.expm1(margin))


def delta_bounds(losses: ArrayLike, epsilon: float, alpha: float) -> tuple[float, float]:
    """Return lower and upper confidence bounds of delta(epsilon).

    Parameters
    ----------
    losses : array_like of shape (N,)
        Independent privacy losses; infinity where the output is impossible under the neighbour.
    epsilon : float
        >= 0.
    alpha : float
        Error probability of each bound, in (0, 1).

    Returns
    -------
    lower, upper : float
        See :func:`auditor.statistics.means.mean_lower`.
    """
    values = excess(losses, epsilon)
    return mean_lower(values, alpha), mean_upper(values, alpha)


def epsilon_lower(losses: ArrayLike, delta: float, alpha: float) -> float:
    """Return a lower confidence bound of the smallest epsilon that holds at ``delta``.

    The bound is the largest epsilon at which "delta(epsilon) <= delta" is rejected at ``alpha``.
    No correction for trying many epsilons is needed: (1 - e^(epsilon - L))_+ decreases in epsilon
    for every loss and the test is monotone in its sample, so any false rejection at an epsilon
    above the true one implies the rejection of the true one, which has probability alpha.

    Parameters
    ----------
    losses : array_like of shape (N,)
    delta : float
        In [0, 1). At 0 any loss seen is a lower bound, with certainty.
    alpha : float
        In (0, 1).

    Returns
    -------
    float
        >= 0; infinity if even infinite losses alone exceed ``delta``.
    """
    values = np.asarray(losses, dtype=np.float64)
    if delta == 0:
        return max(0.0, float(values.max()))
    return _largest(values, lambda e: alpha - mean_p_value(excess(values, e), delta))


def epsilon_estimate(losses: ArrayLike, delta: float) -> float:
    """Return the epsilon at which the average of :func:`excess` is ``delta``; no confidence."""
    values = np.asarray(losses, dtype=np.float64)
    if delta == 0:
        return max(0.0, float(values.max()))
    return _largest(values, lambda e: float(excess(values, e).mean()) - delta)


def _largest(losses: FloatArray, surplus: Any) -> float:
    """Return the largest epsilon >= 0 with ``surplus`` (nonincreasing) >= 0, or 0."""
    if surplus(0.0) < 0:
        return 0.0
    finite = losses[np.isfinite(losses)]
    top = max(float(finite.max()), 0.0) if finite.size else 0.0
    if surplus(top) >= 0:
        # from here on only infinite losses count, and they count the same at every epsilon
        return math.inf if np.isinf(losses).any() else top
    return float(brentq(surplus, 0.0, top, xtol=1e-9))


def trade_off_curve(
    losses: ArrayLike, reverse_losses: ArrayLike, alpha: float, type_1: ArrayLike
) -> dict[str, FloatArray]:
    """Return the trade-off curve of testing D (null) against D', with a simultaneous band.

    The tests that reject D when its log-likelihood ratio is small are the best ones (Neyman and
    Pearson). Both error probabilities are empirical distribution functions; the band holds for
    all thresholds at once with probability 1 - alpha (Dvoretzky-Kiefer-Wolfowitz).

    Parameters
    ----------
    losses : array_like of shape (N,)
        L of transcripts drawn on D, against D'.
    reverse_losses : array_like of shape (N,)
        L of transcripts drawn on D', against D.
    alpha : float
        Error probability of the whole band.
    type_1 : array_like
        Type I errors at which to evaluate, in [0, 1].

    Returns
    -------
    dict
        ``"estimate"``, ``"lower"`` and ``"upper"``: type II errors.
    """
    x = np.asarray(type_1, dtype=np.float64)
    under_d = np.sort(np.asarray(losses, dtype=np.float64))
    under_other = np.sort(-np.asarray(reverse_losses, dtype=np.float64))
    thresholds = np.unique(np.concatenate([[-math.inf], under_d, under_other]))
    false_alarm = np.searchsorted(under_d, thresholds, side="right") / under_d.size
    missed = 1 - np.searchsorted(under_other, thresholds, side="right") / under_other.size
    # no threshold at all: never reject
    false_alarm, missed = np.append(0.0, false_alarm), np.append(1.0, missed)
    width = math.sqrt(math.log(4 / alpha) / (2 * min(under_d.size, under_other.size)))
    # a point of the curve bounds it from below to its left and from above to its right
    left = np.searchsorted(false_alarm - width, x, side="left")
    right = np.searchsorted(false_alarm + width, x, side="right") - 1
    return {
        "estimate": np.interp(x, false_alarm, missed),
        "lower": np.maximum(np.append(missed - width, 0.0)[left], 0.0),
        "upper": np.minimum(np.where(right < 0, 1.0, missed[right] + width), 1 - x),
    }


def claimed_trade_off(claim: Guarantee, type_1: ArrayLike, epsilons: ArrayLike) -> FloatArray:
    """Return the least type II errors the claim allows, from its delta at the given epsilons.

    Every (epsilon, delta) gives max(0, 1 - delta - e^epsilon x, e^-epsilon (1 - delta - x))
    (Wasserman and Zhou 2010; Dong, Roth, Su 2022, Proposition 2.5).
    """
    x = np.asarray(type_1, dtype=np.float64)
    least = np.zeros_like(x)
    for epsilon in np.asarray(epsilons, dtype=np.float64):
        free = 1 - claim.delta_at(float(epsilon))
        least = np.maximum(least, free - math.exp(min(epsilon, 700.0)) * x)
        least = np.maximum(least, math.exp(-epsilon) * (free - x))
    return least


@dataclass(frozen=True)
class GaussianFit:
    """Maximum-likelihood mu of losses N(mu^2/2, mu^2), with confidence bounds."""

    mu: float
    lower: float
    upper: float


def gaussian_tails(losses: ArrayLike, mu: float) -> tuple[float, float]:
    """Return p-values of "the losses are N(m^2/2, m^2)" with m <= mu and with m >= mu; exact.

    The sum of squares is sufficient (mean and variance depend on the same parameter), and
    sum L^2 / mu^2 is noncentral chi-square with N degrees of freedom and noncentrality N mu^2/4.
    For mu > 5 nearly everything is in the mean, which is normal.

    Parameters
    ----------
    losses : array_like of shape (N,)
        Finite.
    mu : float
        > 0.
    """
    values = np.asarray(losses, dtype=np.float64)
    size = values.size
    if mu > 5:
        z = (float(values.mean()) - mu**2 / 2) * math.sqrt(size) / mu
        return float(ndtr(-z)), float(ndtr(z))
    scaled, noncentrality = float(values @ values) / mu**2, size * mu**2 / 4
    law = ncx2(size, noncentrality)
    return float(law.sf(scaled)), float(law.cdf(scaled))


def fit_gaussian(losses: ArrayLike, alpha: float) -> GaussianFit:
    """Fit mu to losses N(mu^2/2, mu^2), with bounds by inverting :func:`gaussian_tails`.

    Parameters
    ----------
    losses : array_like of shape (N,)
        Finite.
    alpha : float
        Error probability of each bound.
    """
    values = np.asarray(losses, dtype=np.float64)
    mu = math.sqrt(2 * (math.sqrt(1 + float(values @ values) / values.size) - 1))
    if mu == 0:
        return GaussianFit(0.0, 0.0, 0.0)
    low, high = mu, mu
    while gaussian_tails(values, low)[0] > alpha:
        low /= 1.1
    while gaussian_tails(values, high)[1] > alpha:
        high *= 1.1
    lower = brentq(lambda m: gaussian_tails(values, m)[0] - alpha, low, mu, rtol=1e-14)
    upper = brentq(lambda m: gaussian_tails(values, m)[1] - alpha, mu, high, rtol=1e-14)
    return GaussianFit(mu, float(lower), float(upper))


# ------------------------------------------------------------------------------- judging


@dataclass(frozen=True)
class ClaimTest:
    """The hypothesis "delta(epsilon) <= delta", tested on the losses of one direction."""

    direction: int
    method: Method
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


def check_claim(samples: Sequence[Losses], claim: Guarantee) -> list[ClaimTest]:
    """Test a claim on the losses of every direction; how many tests there are is up to the claim.

    Under a pure claim one loss above epsilon is a contradiction, whatever the sample size: its
    test has p-value 0 or 1. Other claims are tested at their :func:`claim_points` by the mean of
    :func:`excess`, and by :func:`gaussian_tails`, with p-value 1 unless the shift is constant.
    """
    mu = largest_mu(claim)
    planned: list[tuple[Method, Point]] = [
        ("losses" if delta > 0 else "largest loss", (epsilon, delta))
        for epsilon, delta in claim_points(claim)
    ]
    if mu is not None:
        planned.append(("Gaussian fit", claim_points(claim)[0]))
    return [
        ClaimTest(direction, method, *point, _p_value(sample, method, point, mu))
        for direction, sample in enumerate(samples)
        for method, point in planned
    ]


def _p_value(sample: Losses, method: Method, point: Point, mu: float | None) -> float:
    """Return the p-value of one test of a claim on the losses of one direction."""
    epsilon, delta = point
    if method == "largest loss":
        return float(not sample.sure.max() > epsilon + ROUNDING * max(1.0, epsilon))
    if method == "losses":
        return mean_p_value(excess(sample.losses, epsilon), delta)
    assert mu is not None
    return gaussian_tails(sample.losses, mu)[0] if sample.constant_shift else 1.0


Draw = Callable[[Stage, int, int], Losses]
"""``draw(stage, direction, runs)``: the losses of the first runs of a stage in a direction."""


@dataclass(frozen=True)
class Judgement:
    """What a screen, and its confirmation if it fired, say about a claim.

    Attributes
    ----------
    screened : Screen
        Its last look saw the losses of either direction, and the tests of the claim on them.
    worst : ClaimTest
        The test that was confirmed, or would have been.
    fresh : Losses or None
        The runs of the confirmation, in the direction of ``worst``; ``None`` if the screen did not
        fire, or if a loss above a pure epsilon needs no confirmation.
    p_value : float
        Of the whole procedure.
    """

    screened: Screen[tuple[list[Losses], list[ClaimTest]]]
    worst: ClaimTest
    fresh: Losses | None
    p_value: float

    @property
    def samples(self) -> list[Losses]:
        """One per direction: of the screen, but the fresh runs where a direction was confirmed."""
        samples = list(self.screened.seen[0])
        if self.fresh is not None:
            samples[self.worst.direction] = self.fresh
        return samples

    @property
    def tests(self) -> list[ClaimTest]:
        """Those of the screen's last look."""
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
    draw: Draw, claim: Guarantee, sizes: Sequence[int], *, enough: int, alpha: float
) -> Judgement:
    """Screen a claim at growing numbers of runs; where it fires, test it once more on fresh runs.

    Parameters
    ----------
    draw : callable
        See :data:`Draw`.
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

    def look(runs: int) -> tuple[float, tuple[list[Losses], list[ClaimTest]]]:
        samples = [draw("screen", direction, runs) for direction in (0, 1)]
        if any(np.isnan(sample.losses).any() for sample in samples):
            raise ValueError("a privacy loss is not a number: check the mechanism's log_density")
        tests = check_claim(samples, claim)
        return bonferroni([test.p_value for test in tests]), (samples, tests)

    def pointless(runs: int, p_value: float, seen: tuple[list[Losses], list[ClaimTest]]) -> bool:
        return runs >= enough and not promising(p_value, seen[0], claim)

    screened = screen(sizes, look, pointless)
    worst = min(screened.seen[1], key=lambda test: test.p_value)
    if worst.method == "largest loss" and worst.p_value == 0:
        return Judgement(screened, worst, None, 0.0)
    if not screened.fired:
        return Judgement(screened, worst, None, screened.p_value)

    def again(size: int) -> float:
        fresh = draw("confirmation", worst.direction, size)
        return _p_value(fresh, worst.method, (worst.epsilon, worst.delta), largest_mu(claim))

    confirmed, size = confirm(screened.runs, again, alpha)
    fresh = draw("confirmation", worst.direction, size)
    return Judgement(screened, worst, fresh, staged_p_value([screened.p_value, confirmed]))


def promising(p_value: float, samples: Sequence[Losses], claim: Guarantee) -> bool:
    """Whether more runs may show a violation: this is only about effort, not about validity.

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


# ------------------------------------------------------------------------------- the audit


def audit(form: Form, context: Context, runs: SharedRuns | None = None) -> Verdict:
    """Draw privacy losses in both directions of ``form.pair`` and test the claim on them.

    Parameters
    ----------
    form : Form
    context : Context
        Of this question.
    runs : SharedRuns, optional
        The form's; made here by default.

    Returns
    -------
    Verdict
        ``violated`` if the claim is rejected at ``context.alpha`` by the screen and its
        confirmation together (see the module's docstring), or a loss exceeds a pure claim.
        ``inconclusive`` if the pair does not exercise the mechanism, or does not make the same
        releases.
    """
    shared = SharedRuns(form, context) if runs is None else runs
    most = context.effort(form.loss_samples)
    enough = context.effort(ENOUGH, full=most)
    try:
        found = judge(shared.losses, form.claim, looks(most), enough=enough, alpha=context.alpha)
    except ControlFlowError as error:
        return Verdict(
            "privacy_loss",
            "inconclusive",
            f"the neighbour does not make the same releases ({error}), so that the loss is not "
            "defined release by release; the control-flow question decides",
        )
    if not any(sample.losses.any() for sample in found.samples):
        return Verdict(
            "privacy_loss",
            "inconclusive",
            f"all {2 * found.runs} losses are 0: the pair does not exercise the mechanism; "
            "give neighbours between which a released value changes",
            evidence={"runs": found.runs},
        )
    evidence = _evidence(found, form.claim, context.alpha)
    deterministic = isinstance(form.claim, PureDP)
    violated = found.p_value <= context.alpha
    summary = _summary(evidence, found, violated)
    if violated and _others_tell(form):
        return Verdict(
            "privacy_loss",
            "inconclusive",
            f"{summary}; but this is the loss of a mechanism that also publishes which of the "
            "other records it drew, and they differ: a pair whose other records are all equal "
            "would tell",
            evidence=evidence,
            p_value=None if deterministic else found.p_value,
        )
    seeds = shared.seeds(found.stage, found.worst.direction)
    level = confirmation_level(context.alpha)
    return Verdict(
        "privacy_loss",
        "violated" if violated else "holds",
        summary,
        evidence=evidence,
        witness=_witness(form, found, seeds, level) if violated else None,
        p_value=None if deterministic else found.p_value,
        findings=_findings(evidence),
    )


def _others_tell(form: Form) -> bool:
    """Whether the sampled losses may exceed those of the outputs alone.

    With subsamples the likelihood is conditional on the other records drawn
    (:func:`auditor.transcript.replay.log_likelihood`); it is that of the outputs alone if those
    records are interchangeable.
    """
    transcript, _ = record(form.run, form.pair[0], 0, target=form.replaced)
    if not subsample_entries(transcript):
        return False
    others = remove_record(form.pair[0], form.replaced)
    parts = others if isinstance(others, tuple) else (others,)
    return any(not np.array_equal(part, np.broadcast_to(part[:1], part.shape)) for part in parts)


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
    evidence = {
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
        levels = [(_level(samples[test.direction], test, share), test.method) for test in here]
        certified, method = max(levels)
    else:
        level = found.screened.level / len(found.tests)
        stages = (
            (found.screened.seen[0][found.worst.direction], level),
            (found.fresh, confirmation_level(alpha)),
        )
        certified = min(_level(sample, found.worst, error) for sample, error in stages)
        method = found.worst.method
        if method == "losses":
            lower = min(mean_lower(excess(s.losses, epsilon), error) for s, error in stages)
            evidence["delta_lower"] = max(evidence["delta_lower"], lower)
    return {**evidence, "certified_epsilon": certified, "certified_by": method}


def _level(sample: Losses, test: ClaimTest, alpha: float) -> float:
    """Return the largest epsilon that the method of a test rejects at its delta."""
    if test.method != "Gaussian fit":
        return epsilon_lower(sample.sure, test.delta, alpha)
    if not sample.constant_shift:
        return 0.0
    return gaussian_dp_epsilon(fit_gaussian(sample.losses, alpha).lower, test.delta)


def _evidence(found: Judgement, claim: Guarantee, alpha: float) -> dict[str, Any]:
    samples = found.samples
    share = alpha * found.screened.share / len(found.tests)
    evidence: dict[str, Any] = {
        "runs": found.runs,
        "confirmation_runs": found.confirmed,
        "transcripts": sum(sample.losses.size for sample in samples),
        "confidence": 1 - 2 * alpha,
        **bounds(found, claim, alpha),
        "infinite_losses": sum(int(np.isinf(sample.losses).sum()) for sample in samples),
        "tests": [
            {
                "direction": DIRECTIONS[test.direction],
                "method": test.method,
                "epsilon": test.epsilon,
                "delta": test.delta,
                "p_value": test.p_value,
            }
            for test in found.tests
        ],
    }
    gaussian = _gaussian_evidence(samples, share)
    if gaussian is not None:
        evidence["gaussian"] = gaussian
    epsilon = evidence["claimed_epsilon"]
    worse = int(np.argmax([delta_bounds(s.losses, epsilon, share)[0] for s in samples]))
    evidence.update({"direction": DIRECTIONS[worse], **_curves(samples, claim, worse, share)})
    return evidence


def _gaussian_evidence(samples: Sequence[Losses], alpha: float) -> dict[str, Any] | None:
    """Return the shifts of Gaussian noise, with a fit where the losses are exactly Gaussian.

    Where the shift differs from path to path the losses are a mixture, for which a fitted mu and
    its bounds mean nothing.
    """
    if any(sample.shifts is None for sample in samples):
        return None
    shifts = np.concatenate([s.shifts for s in samples if s.shifts is not None])
    evidence: dict[str, Any] = {
        "realised_mu": [float(shifts.min()), float(shifts.max())],
        "calibrated_mu": samples[0].calibrated,
    }
    if all(sample.constant_shift for sample in samples):
        fits = [fit_gaussian(sample.losses, alpha) for sample in samples]
        evidence["fitted_mu"] = max(fit.mu for fit in fits)
        evidence["mu_lower"] = max(fit.lower for fit in fits)
        evidence["mu_upper"] = max(fit.upper for fit in fits)
    return evidence


def _curves(
    samples: Sequence[Losses], claim: Guarantee, worse: int, alpha: float
) -> dict[str, Any]:
    """Return the data of two plots: delta(epsilon) of the worse direction, and trade-off."""
    losses = samples[worse].losses
    points = claim_points(claim)
    finite = losses[np.isfinite(losses)]
    reach = float(np.quantile(finite, 0.99)) if finite.size else 0.0
    largest = max(epsilon for epsilon, _ in points)
    # far beyond the claim there is nothing to see but that it is broken
    epsilons = np.linspace(0.0, 1.25 * max(largest, min(reach, 4 * largest + 1)), 16)
    bounds = [delta_bounds(losses, float(e), alpha) for e in epsilons]
    type_1 = np.linspace(0.0, 1.0, 41)
    grid = np.unique(np.concatenate([epsilons, [epsilon for epsilon, _ in points]]))
    forward, backward = samples[0].losses, samples[1].losses
    curve = trade_off_curve(forward, backward, alpha, type_1)
    return {
        "delta_curve": {
            "epsilon": epsilons,
            "estimate": [float(excess(losses, float(e)).mean()) for e in epsilons],
            "lower": [lower for lower, _ in bounds],
            "upper": [upper for _, upper in bounds],
            "claim": [claim.delta_at(float(e)) for e in epsilons],
        },
        "trade_off": {"type_1": type_1, **curve, "claim": claimed_trade_off(claim, type_1, grid)},
    }


def _summary(evidence: Mapping[str, Any], found: Judgement, violated: bool) -> str:
    claimed = f"epsilon {evidence['claimed_epsilon']:.4g}"
    runs = f"{found.runs} transcripts per direction"
    if found.confirmed:
        runs += f", then {found.confirmed} fresh ones"
    if found.worst.method == "largest loss":
        verb = "exceeds" if violated else "does not exceed"
        largest = evidence["largest_loss"]
        figure = f"{largest:.6g}" if math.isfinite(largest) else "infinity"
        return f"the largest loss of {runs}, {figure}, {verb} {claimed}"
    delta = (
        f"delta({evidence['claimed_epsilon']:.4g}) is between {evidence['delta_lower']:.3g} and "
        f"{evidence['delta_upper']:.3g} (estimate {evidence['delta_estimate']:.3g}, {runs}) "
        f"against a claim of {evidence['claimed_delta']:.3g}"
    )
    gaussian = evidence.get("gaussian")
    if gaussian is not None:
        delta += "; " + _mu(gaussian)
    certified = f"; certified epsilon {evidence['certified_epsilon']:.4g} of {claimed}"
    blind = ""
    if not violated and evidence["claimed_delta"] < 0.1 * evidence["delta_upper"]:
        blind = "; sampling cannot see a delta far below the upper bound, the accounting can"
    return delta + certified + blind


def _mu(gaussian: Mapping[str, Any]) -> str:
    words = f"mu at most {gaussian['realised_mu'][1]:.4g} on these paths"
    if "fitted_mu" in gaussian:
        words = f"fitted mu {gaussian['fitted_mu']:.4g}"
    if gaussian["calibrated_mu"] is not None:
        words += f" against {gaussian['calibrated_mu']:.4g} calibrated"
    return words


def _findings(evidence: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    findings: list[Mapping[str, Any]] = []
    count = evidence["infinite_losses"]
    if count:
        findings.append(
            {
                "kind": "infinite loss",
                "runs": count,
                "statement": f"in {count} of {evidence['transcripts']} transcripts the outputs are "
                "impossible under the neighbour: the supports differ, and no finite epsilon "
                "holds with delta = 0",
            }
        )
    gaussian = evidence.get("gaussian")
    if gaussian is not None:
        realised, calibrated = gaussian["realised_mu"][1], gaussian["calibrated_mu"]
        if calibrated is not None and realised > calibrated * (1 + SAME_SHIFT):
            findings.append(
                {
                    "kind": "sensitivity",
                    "statement": f"the pair realises mu = {realised:.6g}, more than the "
                    f"{calibrated:.6g} that the claimed sensitivities allow (see the sensitivity "
                    "question)",
                }
            )
        if "fitted_mu" in gaussian and not (
            gaussian["mu_lower"] <= realised <= gaussian["mu_upper"]
        ):
            findings.append(
                {
                    "kind": "noise",
                    "statement": f"the losses fit mu = {gaussian['fitted_mu']:.4g}, but the "
                    f"declared noise gives {realised:.4g}: the draws are not as declared (see the "
                    "samplers question)",
                }
            )
    return tuple(findings)


# ------------------------------------------------------------------------------- witnesses


def _witness(
    form: Form, found: Judgement, sequence: np.random.SeedSequence, alpha: float
) -> dict[str, Any]:
    test = found.worst
    losses = found.samples[test.direction].losses
    witness: dict[str, Any] = {
        "pair": describe_pair(form.pair, form.replaced),
        "direction": test.direction,
        "parameters": dict(form.parameters),
        "seeds": describe_seeds(sequence),
        "runs": losses.size,
        "method": test.method,
        "epsilon": test.epsilon,
        "claimed_delta": test.delta,
        "alpha": alpha,
        "event": f"loss > {test.epsilon:.12g}",
        "event_frequency": float((losses > test.epsilon).mean()),
        "delta_estimate": float(excess(losses, test.epsilon).mean()),
        "delta_lower": mean_lower(excess(losses, test.epsilon), alpha),
    }
    if test.method == "largest loss":
        index = int(np.argmax(found.samples[test.direction].sure))
        witness.update({"index": index, "loss": float(losses[index])})
    if test.method == "Gaussian fit":
        witness["mu_lower"] = fit_gaussian(losses, alpha).lower
    return witness


def reproduce(form: Form, witness: Mapping[str, Any]) -> bool:
    """Run a witness of :func:`audit` again; return whether the violation shows again."""
    direction, runs = witness["direction"], witness["runs"]
    seeds = restore_seeds(witness["seeds"], runs)
    method = witness["method"]
    if method == "largest loss":
        seeds = [seeds[witness["index"]]]
    data, other = form.pair[direction], form.pair[1 - direction]
    pure = pure_epsilon(form.claim)
    sample = sample_losses(form.run, data, other, seeds, replaced=form.replaced, pure=pure)
    point = witness["epsilon"], witness["claimed_delta"]
    return bool(_p_value(sample, method, point, largest_mu(form.claim)) <= witness["alpha"])
