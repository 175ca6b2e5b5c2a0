"""The evidence of runs on two data sets against a claim, and what they would have noticed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from auditor.checking.promises import FinalTest, Rehearsal, noticeable
from auditor.events.learning import LearnedEvent, least_chosen, training_runs
from auditor.events.scores import Category, Column
from auditor.runs.blocks import Outputs
from auditor.statistics.betting import Bets
from auditor.statistics.claims import Claim, EpsilonDelta, certified_level
from auditor.statistics.proportions import clopper_pearson, two_sample_p_value
from auditor.statistics.stages import FRESH, SCREEN, confirmation_level
from reference._validation import FloatArray

BETTING_SHARE = 0.2
CONFIRMED = 0.05
"""Largest p-value of a confirmation; alpha if that is larger."""
NOTICED = 0.9
"""Probability with which an output that is promised to be noticed is noticed."""
TELLING = 0.5
"""Probability under D of an output that is impossible under D'.

A check counts as blind if it could miss such an output and would surely notice no excess.
"""
BACKGROUND = (0.3, 0.6, 0.8, 0.9, 0.97)
"""Quantiles of the runs on the other side that an event contains though no training run did."""

EventCounts = tuple[int, int]


@dataclass(frozen=True)
class Confirmation:
    """Counts of an event in fresh runs.

    Attributes
    ----------
    first, second : (int, int)
        As of :class:`Evidence`.
    p_value : float
    level : float
        What the p-value must reach.
    """

    first: EventCounts
    second: EventCounts
    p_value: float
    level: float

    @property
    def confirmed(self) -> bool:
        """Return whether the fresh runs speak against the claim, too."""
        return self.p_value <= self.level

    def certified_level(self, family: Claim) -> float:
        """Return what one test of the confirmation certifies."""
        each = confirmation_level(SCREEN * self.level)
        return certified_level(family, self.first, self.second, each)


@dataclass(frozen=True)
class Evidence:
    """Counts of the learned event in the runs.

    Attributes
    ----------
    event : LearnedEvent
        The last event learned.
    first, second : (int, int)
        Runs in the event after it was learned, and runs, on the likelier side and the other.
    samples : int
        Runs used on each side.
    trained : int
        Runs on each side from which the event was learned.
    complete : bool
        Whether the final test was made: of all planned runs, or of fresh ones.
    late : bool
        Whether the time was up before.
    bets : Bets
    alpha : float
        Error probability of everything together.
    sequential : bool
        Whether bets were made; else the final test has all of alpha.
    kept : (outputs, outputs)
        Of the first of the runs from which the event was learned, and after a refutation that
        came early also of some that were made since.
    scores : (ndarray, ndarray)
        Of the first of the runs on D and on D' that came after.
    refute : float
        The level that the event was to refute; infinity if there was none.
    seed : int
    confirmation : Confirmation or None
        Of what is not overwhelming, see :func:`examine_twice`.
    may_stop : bool
        Whether a refutation could stop the examination early.
    hurried : bool
        Whether all runs were made for which there was time, and these were not all of the budget.
    sharper : bool
        Whether the claim was refuted early, and then certified on fresh runs of the budget.
    events : int
        Among how many, each with an equal part of the final test's alpha, the event showed most.
    """

    event: LearnedEvent
    first: EventCounts
    second: EventCounts
    samples: int
    trained: int
    complete: bool
    late: bool
    bets: Bets
    alpha: float
    sequential: bool
    kept: tuple[Outputs, ...]
    scores: tuple[FloatArray, FloatArray]
    refute: float
    seed: int
    confirmation: Confirmation | None = None
    may_stop: bool = True
    hurried: bool = False
    sharper: bool = False
    events: int = 1

    @property
    def final_alpha(self) -> float:
        """Return the error probability of the final test of the event."""
        final = self.alpha * (1 - BETTING_SHARE) if self.sequential else self.alpha
        return final / self.events

    def p_value(self, claim: Claim) -> float:
        """Return a p-value of the claim."""
        p_value = 1.0
        if self.complete:
            final = two_sample_p_value(self.first, self.second, claim.ceiling)
            p_value = final * self.alpha / self.final_alpha
        if self.sequential:
            p_value = min(p_value, self.bets.p_value(claim) / BETTING_SHARE)
        if self.confirmation is not None and not self.confirmation.confirmed:
            p_value = max(p_value, self.confirmation.p_value)
        return min(1.0, p_value)

    def certified_level(self, family: Claim, *, top: float = 20.0) -> float:
        """Return a lower confidence bound of a family's level, at error probability alpha."""
        level = 0.0
        if self.complete:
            level = certified_level(family, self.first, self.second, self.final_alpha)
        if self.sequential:
            share = self.alpha * BETTING_SHARE
            level = max(level, self.bets.certified_level(family, share, top=top))
        if self.confirmation is not None:
            level = min(level, self.confirmation.certified_level(family))
        return level

    def epsilon(self, delta: float) -> float:
        """Return a lower confidence bound of epsilon at ``delta``."""
        return self.certified_level(EpsilonDelta(0.0, delta))

    def noticeable(self, claim: Claim) -> tuple[float, float]:
        """Return by what share over the claim a mechanism would surely be noticed, and the power.

        Or infinity. The power is the probability, at least, with which 10% over would be. Both are
        of a mechanism whose event is learned as well as this one's, and whose privacy losses are
        the same, multiplied; see :mod:`auditor.checking.promises`.
        """
        certifying = min(self.first[1], self.second[1])
        if min(certifying, *map(len, self.scores)) == 0:
            return math.inf, 0.0
        confirmed = confirmation_level(SCREEN * max(CONFIRMED, self.alpha))
        tests = (
            FinalTest(claim, certifying, self.final_alpha),
            FinalTest(claim, FRESH * self.samples, confirmed),
        )
        scores = self.scores[self.event.side], self.scores[1 - self.event.side]
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(3,)))
        fitted = not isinstance(self.event.score, Column | Category)
        return noticeable(Rehearsal(scores, self.trained, tests, rng, fitted=fitted))

    def at_most(self, claim: Claim) -> float:
        """Return an upper confidence bound of the level that the event shows, in either order.

        Of this event alone: others may show more. Infinity without runs.
        """
        if min(self.first[1], self.second[1]) == 0:
            return math.inf
        (k, n), (m, size) = self.first, self.second
        each = self.final_alpha / 2
        p, q = clopper_pearson(k, n, each), clopper_pearson(m, size, each)
        there, back = claim.loss(p[1], q[0]), claim.loss(q[1], p[0])
        return float(np.fmax(there, back))

    def rarest(self, claim: Claim) -> float:
        """Return how rare an event may be that is noticed with probability :data:`NOTICED`.

        An event that is looked for, because a score or a screen sets it apart from all other
        outputs, and that is impossible on the other side.
        It must be chosen from the training runs, and then be seen often enough in the others.
        """
        return rarest_noticed(
            claim,
            self.event.merits,
            trained=self.trained,
            certifying=min(self.first[1], self.second[1]),
            alpha=self.final_alpha,
            refute=self.refute,
        )


def rarest_noticed(
    claim: Claim,
    merits: tuple[int, float],
    *,
    trained: int,
    certifying: int,
    alpha: float,
    refute: float,
) -> float:
    """Return how rare an output may be that is chosen instead of another event, and rejected.

    Both together with probability :data:`NOTICED`; 1 if every run must have it, or more.

    Parameters
    ----------
    claim : Claim
    merits : (int, float)
        Of the other event.
    trained, certifying : int
        Runs a side that chose it, and that will certify what is chosen.
    alpha : float
        Of the final test.
    refute : float
        The level that the event was to refute.
    """
    if min(trained, certifying) == 0:
        return 1.0
    chosen = least_chosen(merits, trained, claim, alpha=alpha, certifying=certifying, refute=refute)
    # the event is chosen where training saw nothing of the other side, which leaves some there
    others = certifying / (certifying + trained)  # P(j runs or more) is about this to the power j
    shares = np.array(BACKGROUND)
    background = np.maximum(np.ceil(np.log1p(-shares) / math.log(others) - 1), 0).astype(int)
    weights = np.diff(shares, prepend=0.0)
    needed = [_least_rejected(claim, certifying, int(count), alpha) for count in background]

    def surplus(chance: float) -> float:
        rejected = weights @ binom.sf(np.array(needed) - 1, certifying, chance)
        return float(binom.sf(chosen - 1, trained, chance) * rejected) - NOTICED

    return float(brentq(surplus, 0.0, 1.0)) if surplus(1.0) > 0 else 1.0


def rarest(claim: Claim, trials: int, alpha: float) -> float:
    """Return the smallest share of runs that is rejected against none of as many; 1 if none is."""
    count = _least_rejected(claim, trials, 0, alpha)
    return 1.0 if trials == 0 else min(1.0, count / trials)


def _least_rejected(claim: Claim, trials: int, against: int, alpha: float) -> int:
    """Return the smallest count that is rejected against another; trials + 1 if none is."""
    low, high = 0, trials + 1
    while high - low > 1:
        middle = (low + high) // 2
        level = certified_level(claim, (middle, trials), (against, trials), alpha)
        low, high = (low, middle) if level > claim.level else (middle, high)
    return high


def enough_runs(claim: Claim, alpha: float) -> int:
    """Return how many runs a side notice an output that is in :data:`TELLING` of the runs."""
    runs = 8

    def are_too_few() -> bool:
        trained = training_share_of(runs)
        if rarest(claim, runs - trained, alpha) > TELLING:  # soon known
            return True
        noticed = rarest_noticed(
            claim,
            (0, -math.inf),
            trained=trained,
            certifying=runs - trained,
            alpha=alpha,
            refute=claim.level,
        )
        return noticed > TELLING

    while are_too_few() and runs < 2**40:
        runs *= 2
    return runs


def training_share_of(runs: int) -> int:
    """Return how many of a few runs of a scalar mechanism train."""
    return training_runs(np.zeros(1), runs)
