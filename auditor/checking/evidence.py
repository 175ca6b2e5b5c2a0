"""Runs on two data sets against a claim: looks, bets and the final certificate.

The error probability alpha is split: a fifth for the bets, which may stop the check after any
round (:mod:`auditor.statistics.betting`), the rest for one exact test at the end, of an event
learned from the first runs on the runs after them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from auditor.events.learning import Effort, LearnedEvent, learn_event, training_runs
from auditor.runs.sampling import Block, Outputs, Reduced, Sampler
from auditor.statistics.betting import Bets, Round
from auditor.statistics.claims import Claim, EpsilonDelta, certified_level
from auditor.statistics.combination import fisher_product
from auditor.statistics.proportions import two_sample_p_value

BETTING_SHARE = 0.2
FIRST_LOOK = 64
CLEAR_POWER, CLEAR_SHARE = 0.999, 0.9
"""A check may stop with nothing found once it would have noticed a violation by 10% with this
probability, and the best event shows at most this share of the claimed level."""
KEPT_RUNS = 20_000
"""Training runs a side whose outputs are kept, for a look at their low-order bits."""
BLOCK_BYTES = 2**25
"""Outputs of one block take at most about this much memory."""

Counts = tuple[int, int]


@dataclass(frozen=True)
class Evidence:
    """What the runs say.

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
        Whether the whole budget was used, so that the final test was made.
    bets : Bets
    alpha : float
        Error probability of everything together.
    sequential : bool
        Whether bets were made; else the final test has all of alpha.
    training : (outputs, outputs)
        The first of the runs from which the event was learned.
    """

    event: LearnedEvent
    first: Counts
    second: Counts
    samples: int
    trained: int
    complete: bool
    bets: Bets
    alpha: float
    sequential: bool
    training: tuple[Outputs, ...]

    @property
    def final_alpha(self) -> float:
        """Error probability of the final test."""
        return self.alpha * (1 - BETTING_SHARE) if self.sequential else self.alpha

    def p_value(self, claim: Claim) -> float:
        """Return a p-value of the claim."""
        p_value = 1.0
        if self.complete:
            final = two_sample_p_value(self.first, self.second, claim.ceiling)
            p_value = final * self.alpha / self.final_alpha
        if self.sequential:
            p_value = min(p_value, self.bets.p_value(claim) / BETTING_SHARE)
        return min(1.0, p_value)

    def certified_level(self, family: Claim, *, top: float = 20.0) -> float:
        """Return a lower confidence bound of a family's level, at error probability alpha."""
        level = 0.0
        if self.complete:
            level = certified_level(family, self.first, self.second, self.final_alpha)
        if self.sequential:
            share = self.alpha * BETTING_SHARE
            level = max(level, self.bets.certified_level(family, share, top=top))
        return level

    def epsilon(self, delta: float) -> float:
        """Return a lower confidence bound of epsilon at ``delta``."""
        return self.certified_level(EpsilonDelta(0.0, delta))

    def power(self, claim: Claim, *, over: float = 0.1) -> float:
        """Return about the probability of flagging a claim's violation by a share ``over``.

        The violation is taken to show in an event as frequent as the one learned, but no more
        frequent than an event and its complement can both be.
        """
        return power(claim, claim.over(over), self.second, self.first[1], self.final_alpha)


def power(claim: Claim, truth: Claim, second: Counts, trials: int, alpha: float) -> float:
    """Return about the probability of rejecting ``claim`` if an event is on ``truth``'s ceiling.

    Normal approximation of the final test.

    Parameters
    ----------
    claim, truth : Claim
    second : (int, int)
        Runs in the event, and runs, on the unlikely side.
    trials : int
        Runs on the other side.
    alpha : float
    """
    k, n = second
    if n == 0 or trials == 0:
        return 0.0
    symmetric = float(brentq(lambda q: float(truth.ceiling(q)) - 1 + q, 0.0, 1.0))
    q = min((k + 0.5) / (n + 1), symmetric)
    p = float(truth.ceiling(q))
    slope, _ = claim.chord(q)
    one = math.sqrt(p * (1 - p) / trials)
    two = slope * math.sqrt(q * (1 - q) / n)
    spread = math.hypot(one, two)
    margin = p - float(claim.ceiling(q))
    if spread == 0:
        return 1.0 if margin > 0 else 0.0
    return float(ndtr(margin / spread - _needed_distance(one / spread, two / spread, alpha)))


def _needed_distance(one: float, two: float, alpha: float) -> float:
    """Return how many standard errors above the claim the final test rejects, about.

    The normal limit of :func:`~auditor.statistics.proportions.two_sample_p_value`: Fisher's
    product of the two tails, at the worst place for the second proportion.

    Parameters
    ----------
    one, two : float
        Shares of the two samples in the standard error; their squares add up to 1.
    alpha : float
    """
    place = np.linspace(-8.0, 8.0, 801)
    unlikely = ndtr(-place)

    def surplus(distance: float) -> float:
        towards = ndtr(-(distance - place * two) / max(one, 1e-9))
        return fisher_product(float((unlikely * towards).max())) - alpha

    return float(brentq(surplus, 0.0, 40.0))


def rarest(claim: Claim, trials: int, alpha: float) -> float:
    """Return the smallest share of runs that is rejected against none of as many; 1 if none is."""
    low, high = 0, trials
    if trials == 0 or not _rejected(claim, trials, trials, alpha):
        return 1.0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _rejected(claim, middle, trials, alpha) else (middle, high)
    return high / trials


def _rejected(claim: Claim, count: int, trials: int, alpha: float) -> bool:
    return certified_level(claim, (count, trials), (0, trials), alpha) > claim.level


def enough_runs(claim: Claim, alpha: float) -> int:
    """Return how many runs a side can reject a claim, if the outputs give everything away."""
    runs = 8
    while rarest(claim, runs - training_share_of(runs), alpha) >= 1.0 and runs < 2**40:
        runs *= 2
    return runs


def training_share_of(runs: int) -> int:
    """Return how many of a few runs of a scalar mechanism train."""
    return training_runs(np.zeros(1), runs)


# ------------------------------------------------------------------------------ examining


class _Runs:
    """Draws rounds of runs on both sides."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._block = 1024

    def measure(self, outputs: Outputs) -> None:
        """Choose the size of blocks by the memory that outputs take."""
        each = outputs.nbytes / len(outputs) if isinstance(outputs, np.ndarray) else 1024.0
        self._block = int(np.clip(BLOCK_BYTES / max(each, 1.0), 256, 65536))

    def draw(
        self, start: int, stop: int, reduce: Callable[[Outputs], Reduced]
    ) -> tuple[list[Reduced], list[Reduced]]:
        """Return what ``reduce`` makes of the blocks of runs start..stop-1 on either side."""
        starts = range(start, stop, self._block)
        blocks = [Block(side, at, min(self._block, stop - at)) for at in starts for side in (0, 1)]
        results: Iterator[Reduced] = self._sampler.draw(blocks, reduce)
        sides: tuple[list[Reduced], list[Reduced]] = ([], [])
        for block, result in zip(blocks, results, strict=True):
            sides[block.side].append(result)
        return sides


def joined(parts: Sequence[Outputs]) -> Outputs:
    """Return blocks of outputs as one: an array if all are arrays of one shape, else a list."""
    if all(isinstance(part, np.ndarray) for part in parts):
        shapes = {np.shape(part)[1:] for part in parts}
        if len(shapes) == 1:
            return np.concatenate(parts) if len(parts) > 1 else parts[0]
    return [output for part in parts for output in part]


def _kept(outputs: Outputs) -> Outputs:
    return outputs


def examine(
    sampler: Sampler,
    claim: Claim,
    *,
    alpha: float,
    samples: int,
    seed: int,
    sequential: bool = True,
    rare: float = 0.0,
) -> Evidence:
    """Run the mechanism on both sides until the claim is refuted or the budget is spent.

    Or until it is clear that nothing is to be found: the best event is far below the claim, and
    outputs as rare as ``rare`` would have been noticed.

    Parameters
    ----------
    sampler : Sampler
    claim : Claim
        Its level matters only if ``sequential``.
    alpha : float
    samples : int
        Budget of runs on each side, >= 8.
    seed : int
        Of what the learning of events draws.
    sequential : bool
        Whether to look, bet and stop early.
    rare : float
        Probability; 0 means never to stop early without a refutation.
    """
    examination = _Examination(
        sampler,
        claim,
        alpha=alpha,
        samples=samples,
        seed=seed,
        sequential=sequential,
        rare=rare,
    )
    return examination.while_training() or examination.while_certifying()


class _Examination:
    """Rounds of runs: first those that train (and, looked at, are bet on), then those that certify.

    Parameters
    ----------
    As of :func:`examine`.
    """

    def __init__(
        self,
        sampler: Sampler,
        claim: Claim,
        *,
        alpha: float,
        samples: int,
        seed: int,
        sequential: bool,
        rare: float,
    ) -> None:
        self.rare = rare
        self.claim, self.alpha, self.seed, self.sequential = claim, alpha, seed, sequential
        self.samples = samples
        self.final_alpha = alpha * (1 - BETTING_SHARE) if sequential else alpha
        self.runs, self.bets = _Runs(sampler), Bets()
        self.look = min(FIRST_LOOK, samples // 4)
        self.seen: tuple[list[Outputs], ...] = self.runs.draw(0, self.look, _kept)
        self.runs.measure(self.seen[0][0])
        self.trained = max(training_runs(self.seen[0][0], samples), self.look)

    def while_training(self) -> Evidence | None:
        """Collect the runs that train; return evidence if the bets refute the claim before."""
        while self.look < self.trained:
            following = self._following(self.trained)
            drawn = self.runs.draw(self.look, following, _kept)
            if self.sequential:
                event = self._learned("quick")
                guess = self._guess(event)
                inside = [event.contains(joined(part)) for part in drawn]
                if self._refuted(event, inside, guess):
                    one, two = _counts(event, inside)
                    return self._evidence(event, one, two, following, trained=self.look)
            for kept, part in zip(self.seen, drawn, strict=True):
                kept.extend(part)
            self.look = following
        return None

    def while_certifying(self) -> Evidence:
        """Count the last event on all other runs, or until the bets refute the claim."""
        event = self._learned("full")
        guess = self._guess(event)
        for kept in self.seen:  # what certifies is counted block by block and not kept
            kept[:] = [joined(kept)[:KEPT_RUNS]]
        first, second = (0, 0), (0, 0)
        while self.look < self.samples:
            following = self._following(self.samples)
            drawn = self.runs.draw(self.look, following, event.contains)
            inside = [np.concatenate(part) for part in drawn]
            one, two = _counts(event, inside)
            first = first[0] + one[0], first[1] + one[1]
            second = second[0] + two[0], second[1] + two[1]
            self.look = following
            if self.sequential and (
                self._refuted(event, inside, guess) or self._clear(first, second)
            ):
                break
        return self._evidence(event, first, second, self.look, trained=self.trained)

    def _following(self, end: int) -> int:
        return min(2 * self.look, end) if self.sequential else end

    def _learned(self, effort: Effort) -> LearnedEvent:
        first, second = (joined(side) for side in self.seen)
        return learn_event(
            first,
            second,
            self.claim,
            alpha=self.final_alpha,
            certifying=self.samples - self.trained,
            effort=effort,
            refute=self.claim.level if self.sequential else math.inf,
            rng=np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(2, self.look))),
        )

    def _guess(self, event: LearnedEvent) -> float:
        """Return about how frequent an event is where it is unlikely."""
        inside = event.contains(joined(self.seen[1 - event.side]))
        return (int(np.count_nonzero(inside)) + 0.5) / (len(inside) + 1)

    def _refuted(
        self, event: LearnedEvent, inside: Sequence[NDArray[np.bool_]], guess: float
    ) -> bool:
        """Bet on one more round; return whether the claim is refuted by all so far."""
        self.bets.add(Round.of(inside[event.side], inside[1 - event.side], guess))
        return self.bets.p_value(self.claim) <= self.alpha * BETTING_SHARE

    def _clear(self, first: Counts, second: Counts) -> bool:
        """Return whether the runs so far leave nothing to be found, see :func:`examine`."""
        (k, n), (m, size) = first, second
        if self.claim.loss(k / n, m / size) > CLEAR_SHARE * self.claim.level:
            return False
        seen = power(self.claim, self.claim.over(0.1), second, n, self.final_alpha)
        return seen >= CLEAR_POWER and rarest(self.claim, n, self.final_alpha) <= self.rare

    def _evidence(
        self, event: LearnedEvent, first: Counts, second: Counts, used: int, *, trained: int
    ) -> Evidence:
        complete = used == self.samples and trained == self.trained
        return Evidence(
            event,
            first,
            second,
            samples=used,
            trained=trained,
            complete=complete,
            bets=self.bets,
            alpha=self.alpha,
            sequential=self.sequential,
            training=tuple(joined(kept)[:KEPT_RUNS] for kept in self.seen),
        )


def _counts(event: LearnedEvent, inside: Sequence[NDArray[Any]]) -> tuple[Counts, Counts]:
    one, two = inside[event.side], inside[1 - event.side]
    return (int(np.count_nonzero(one)), len(one)), (int(np.count_nonzero(two)), len(two))


def count_event(sampler: Sampler, event: LearnedEvent, samples: int) -> tuple[Counts, Counts]:
    """Return how often an event happens in ``samples`` runs on D and on D', and the runs."""
    runs = _Runs(sampler)
    drawn = runs.draw(0, samples, event.contains)
    one, two = (np.concatenate(part) for part in drawn)
    return (int(np.count_nonzero(one)), samples), (int(np.count_nonzero(two)), samples)
