"""Examine a claim by runs on two data sets: looks, bets and the final certificate.

The error probability alpha is split: a fifth for the bets, which may stop the check after any
round (:mod:`auditor.statistics.betting`), the rest for one exact test at the end, of an event
learned from the first runs on the runs after them.

Unless it is overwhelming, what these find is tested again on fresh runs. A true claim is called
violated only if both stages are wrong, a level is certified only if both certify it: either is
less likely an error than by the first stage alone, whose error probability is alpha.

Bets that stop a check early certify little. So the final test is then made all the same, on fresh
runs (:meth:`_Examination.sharpened`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.checking.evidence import (
    BETTING_SHARE,
    CONFIRMED,
    Confirmation,
    EventCounts,
    Evidence,
    rarest_noticed,
)
from auditor.checking.promises import power
from auditor.events.learning import (
    Aim,
    Effort,
    LearnedEvent,
    learn_event,
    training_runs,
)
from auditor.runs.blocks import Block, Outputs, joined
from auditor.runs.clock import Clock, OutOfTime
from auditor.runs.plain_data import require_values
from auditor.runs.sampling import Reduced, Sampler
from auditor.statistics.betting import Bets, Round
from auditor.statistics.claims import Claim
from auditor.statistics.proportions import two_sample_p_value
from auditor.statistics.stages import FRESH, SCREEN, confirm
from reference._validation import FloatArray

OVERWHELMING = 0.01
"""A p-value of at most this share of alpha needs no confirmation."""
FIRST_LOOK = 64
CLEAR_POWER, CLEAR_SHARE = 0.99, 0.9
"""A check may stop with nothing found once the final test would reject its event with this
probability if it were 10% over, and the event shows at most this share of the claimed level."""
KEPT_SCORES = 50_000
"""Certifying runs a side whose scores are kept, to say what would have been noticed."""
KEPT_RUNS = 20_000
"""Runs a side whose outputs are kept, for a look at their low-order bits and at structure."""
LEAST_PLANNED = 8
"""The fewest runs a side that a time limit leaves."""
WORTHWHILE = 1.25
"""Least factor by which the number of runs must be able to grow for a check to go on."""
BLOCK_BYTES = 2**25
"""Outputs of one block take at most about this much memory."""


@dataclass(frozen=True)
class Terms:
    """The question of an examination, and the runs and errors that it may spend.

    Attributes
    ----------
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
    stop : bool
        Whether to stop early with a refutation.
    sharper : bool
        Whether to certify such a refutation on fresh runs.
    smooth : bool
        As of :class:`auditor.events.learning.Aim`.
    """

    claim: Claim
    alpha: float
    samples: int
    seed: int
    sequential: bool = True
    rare: float = 0.0
    stop: bool = True
    sharper: bool = False
    smooth: bool = False


class _Runs:
    """Draws rounds of runs on both sides."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._block = 1024

    def measure(self, outputs: Outputs) -> None:
        """Choose the size of blocks by the memory that outputs take."""
        each = outputs.nbytes / len(outputs) if isinstance(outputs, np.ndarray) else 1024.0
        self._block = int(np.clip(BLOCK_BYTES / max(each, 1.0), 256, 65536))

    def each(self, runs: int, most: int) -> int:
        """Return how many runs of every block, of so many runs, are ``most`` altogether."""
        return max(1, most // math.ceil(runs / self._block))

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


def _kept(outputs: Outputs) -> Outputs:
    return outputs


def examine(
    sampler: Sampler, claim: Claim, *, clock: Clock | None = None, **terms: Any
) -> Evidence:
    """Run the mechanism on both sides until the claim is refuted or the budget is spent.

    Or until it is clear that nothing is to be found: the best event is far below the claim, and
    outputs as rare as ``rare`` would have been chosen and noticed (:meth:`Evidence.rarest`).
    Or until the time is up: as many runs are planned as it allows, by how long those before took,
    again and again, so that the final test is of a number of runs that depends on the time they
    take alone; if it is up even so, the bets are what remains.

    Parameters
    ----------
    sampler : Sampler
    claim, **terms
        See :class:`Terms`.
    clock : Clock, optional
        The time that there is; ``sampler`` has been prepared with it.

    Raises
    ------
    OutOfTime
        If it is up before there is any event.
    """
    examination = _Examination(sampler, Terms(claim, **terms), clock or Clock())
    found = examination.outcome()
    return examination.sharpened(found) if examination.terms.sharper else found


class _Examination:
    """Rounds of runs: those that train (and, looked at, are bet on), then those that certify."""

    def __init__(self, sampler: Sampler, terms: Terms, clock: Clock) -> None:
        self.terms, self.clock = terms, clock
        self.claim, self.alpha, self.budget = terms.claim, terms.alpha, terms.samples
        self.sequential = terms.sequential
        self.samples = max(clock.plan(0, self.budget), LEAST_PLANNED)
        self.refute = self.claim.level if self.sequential else math.inf
        self.final_alpha = self.alpha * (1 - BETTING_SHARE) if self.sequential else self.alpha
        self.runs, self.bets = _Runs(sampler), Bets()
        self.scores: tuple[FloatArray, FloatArray] = (np.zeros(0), np.zeros(0))
        self.look = min(FIRST_LOOK, self.samples // 4)
        clock.begin("looking for an event", 0, 2 * self.samples)
        self.seen: tuple[list[Outputs], ...] = self._drawn(0, self.look, _kept)
        require_values(
            [one for side in self.seen for part in side if isinstance(part, list) for one in part]
        )
        self.runs.measure(self.seen[0][0])
        self.trained = 0

    def _drawn(
        self, start: int, stop: int, reduce: Callable[[Outputs], Reduced]
    ) -> tuple[list[Reduced], list[Reduced]]:
        began = self.clock.now()
        drawn = self.runs.draw(start, stop, reduce)
        self.clock.took(stop - start, self.clock.now() - began)
        return drawn

    def _more_to_train(self) -> bool:
        """Plan, and return whether more runs are to train."""
        self.samples = max(self.clock.plan(self.look, self.budget), LEAST_PLANNED)
        self.trained = max(training_runs(self.seen[0][0], self.samples), self.look)
        return self.look < self.trained

    def outcome(self) -> Evidence:
        """Make the runs."""
        return self.while_training() or self.while_certifying()

    def while_training(self) -> Evidence | None:
        """Collect the runs that train; return evidence if the bets refute the claim before."""
        while self._more_to_train():
            following = self._following(self.trained)
            self.clock.begin("looking for an event", 2 * self.look, 2 * self.samples)
            try:
                drawn = self._drawn(self.look, following, _kept)
            except OutOfTime:
                nothing = (0, 0)
                event = self._learned("quick")
                return self._evidence(event, nothing, nothing, self.look, trained=self.look)
            if self.sequential:
                event = self._learned("quick")
                guess = self._guess(event)
                inside = [event.contains(joined(part)) for part in drawn]
                if self._refuted(event, inside, guess):
                    one, two = _counts(event, inside)
                    found = self._evidence(event, one, two, following, trained=self.look)
                    self._train(drawn, following)
                    return replace(found, kept=self._kept())
            self._train(drawn, following)
        return None

    def _train(self, drawn: Sequence[Sequence[Outputs]], look: int) -> None:
        for kept, part in zip(self.seen, drawn, strict=True):
            kept.extend(part)
        self.look = look

    def while_certifying(self) -> Evidence:
        """Count the last event on all other runs, or until the bets refute the claim."""
        self.samples = max(self.samples, self.look + LEAST_PLANNED)
        self.clock.begin("learning the event", 2 * self.look, 2 * self.samples)
        event = self._learned("full")
        guess = self._guess(event)
        for kept in self.seen:  # what certifies is counted block by block and not kept
            kept[:] = [joined(kept)[:KEPT_RUNS]]
        events = event.all()
        counts = [((0, 0), (0, 0)) for _ in events]
        while self._more_to_count():
            following = self._following(self.samples)
            self.clock.begin("counting the event", 2 * self.look, 2 * self.samples)
            try:
                drawn = self._drawn(self.look, following, event.scores)
            except OutOfTime:
                break
            scores = [np.concatenate(part) for part in drawn]
            self._keep(scores)
            counts = [
                _more(counted, one, scores) for counted, one in zip(counts, events, strict=True)
            ]
            self.look = following
            inside = [part > event.threshold for part in scores]
            if self.sequential and (
                self._refuted(event, inside, guess) or self._clear(event, *counts[0])
            ):
                break
        return self._best(events, counts)

    def _best(
        self, events: Sequence[LearnedEvent], counts: Sequence[tuple[EventCounts, EventCounts]]
    ) -> Evidence:
        """Return the evidence of the event that shows most, if each has a part of alpha."""
        found = [
            replace(
                self._evidence(event, first, second, self.look, trained=self.trained),
                events=len(events),
            )
            for event, (first, second) in zip(events, counts, strict=True)
        ]
        if len(found) == 1:  # whose level may be slow to find, and nobody asked for it
            return found[0]
        return max(found, key=lambda one: one.certified_level(self.claim))

    def sharpened(self, found: Evidence) -> Evidence:
        """Return a refutation that came early with what fresh runs certify of its excess.

        Fresh runs of the budget, :data:`FRESH` times as many as there were. The bets have their
        share of alpha and the test of fresh runs has that of the final test, which was not made.
        """
        if found.complete or found.late or found.p_value(self.claim) > self.alpha:
            return found
        planned = self.clock.plan(self.look, self.budget)
        self.samples = min((1 + FRESH) * self.look, planned)
        if self.samples < self.look + LEAST_PLANNED:
            return found
        event = found.event
        if self.look <= self.trained:  # learned from a part of the runs, and in haste
            self.trained = self.look
            event = self._learned("full")
        self.clock.begin("certifying the excess", 2 * self.look, 2 * self.samples)
        try:
            drawn = self._drawn(self.look, self.samples, self._counted(event))
        except OutOfTime:
            return found
        inside = [np.concatenate([found for found, _ in part]) for part in drawn]
        first, second = _counts(event, inside)
        return replace(
            found,
            event=event,
            kept=self._kept([[some for _, some in part] for part in drawn]),
            first=first,
            second=second,
            samples=self.samples,
            trained=self.look,
            complete=True,
            confirmation=None,
            sharper=True,
        )

    def _counted(
        self, event: LearnedEvent
    ) -> Callable[[Outputs], tuple[NDArray[np.bool_], Outputs]]:
        """Return what makes of a block which outputs are in an event, and some of the outputs."""
        few = self.runs.each(self.samples - self.look, KEPT_RUNS)

        def counted(outputs: Outputs) -> tuple[NDArray[np.bool_], Outputs]:
            some = outputs[:few]  # of an array a copy, so that the rest is let go
            return event.contains(outputs), some.copy() if isinstance(some, np.ndarray) else some

        return counted

    def _kept(self, more: Sequence[Sequence[Outputs]] = ((), ())) -> tuple[Outputs, ...]:
        """Return the first outputs seen on either side, and of further ones."""
        return tuple(
            joined([*seen, *further])[:KEPT_RUNS]
            for seen, further in zip(self.seen, more, strict=True)
        )

    def _keep(self, scores: Sequence[FloatArray]) -> None:
        one, two = (
            np.append(kept, part[: KEPT_SCORES - kept.size])
            for kept, part in zip(self.scores, scores, strict=True)
        )
        self.scores = one, two

    def _more_to_count(self) -> bool:
        """Plan, and return whether more runs are to certify the event."""
        planned = self.clock.plan(self.look, self.budget)
        if self.look == self.samples and planned < min(WORTHWHILE * self.look, self.budget):
            return False
        self.samples = max(planned, self.trained + LEAST_PLANNED)
        return self.look < self.samples

    def _following(self, end: int) -> int:
        return min(2 * self.look, end)

    def _learned(self, effort: Effort) -> LearnedEvent:
        first, second = (joined(side) for side in self.seen)
        return learn_event(
            first,
            second,
            Aim(
                self.claim,
                self.final_alpha,
                self.samples - self.trained,
                self.refute,
                self.terms.smooth,
            ),
            effort=effort,
            rng=np.random.default_rng(
                np.random.SeedSequence(self.terms.seed, spawn_key=(2, self.look))
            ),
        )

    def _guess(self, event: LearnedEvent) -> float:
        """Return about how frequent an event is where it is unlikely."""
        inside = event.contains(joined(self.seen[1 - event.side]))
        return (int(np.count_nonzero(inside)) + 0.5) / (len(inside) + 1)

    def _refuted(
        self, event: LearnedEvent, inside: Sequence[NDArray[np.bool_]], guess: float
    ) -> bool:
        """Bet on one more round; return whether to stop as the claim is refuted by all so far."""
        self.bets.add(Round.of(inside[event.side], inside[1 - event.side], guess))
        return self.terms.stop and self.bets.p_value(self.claim) <= self.alpha * BETTING_SHARE

    def _clear(self, event: LearnedEvent, first: EventCounts, second: EventCounts) -> bool:
        """Return whether the runs so far leave nothing to be found, see :func:`examine`."""
        (k, n), (m, size) = first, second
        if self.claim.loss(k / n, m / size) > CLEAR_SHARE * self.claim.level:
            return False
        q = (m + 0.5) / (size + 1)
        over = float(self.claim.over(0.1).ceiling(q))
        if power(self.claim, over, q, n, self.final_alpha) < CLEAR_POWER:
            return False
        noticed = rarest_noticed(
            self.claim,
            event.merits,
            trained=self.trained,
            certifying=n,
            alpha=self.final_alpha,
            refute=self.refute,
        )
        return noticed <= self.terms.rare

    def _evidence(
        self,
        event: LearnedEvent,
        first: EventCounts,
        second: EventCounts,
        used: int,
        *,
        trained: int,
    ) -> Evidence:
        complete = used == self.samples and trained == self.trained and first[1] > 0
        return Evidence(
            event,
            first,
            second,
            samples=used,
            trained=trained,
            complete=complete,
            late=self.clock.left == 0 and not complete,
            bets=self.bets,
            alpha=self.alpha,
            sequential=self.sequential,
            kept=self._kept(),
            scores=self.scores,
            refute=self.refute,
            seed=self.terms.seed,
            hurried=complete and used < self.budget,
        )


def _more(
    counted: tuple[EventCounts, EventCounts], event: LearnedEvent, scores: Sequence[FloatArray]
) -> tuple[EventCounts, EventCounts]:
    """Return an event's counts with those of more runs, given their scores."""
    (k, n), (m, size) = counted
    (i, new), (j, others) = _counts(event, [part > event.threshold for part in scores])
    return (k + i, n + new), (m + j, size + others)


def _counts(event: LearnedEvent, inside: Sequence[NDArray[Any]]) -> tuple[EventCounts, EventCounts]:
    one, two = inside[event.side], inside[1 - event.side]
    return (int(np.count_nonzero(one)), len(one)), (int(np.count_nonzero(two)), len(two))


def examine_twice(
    sampler: Sampler, claim: Claim, *, samples: int, clock: Clock | None = None, **terms: Any
) -> Evidence:
    """Examine a mechanism, and confirm on fresh runs what is found unless it is overwhelming.

    What has stopped the examination early is then certified on further runs of the budget.

    If fresh runs do not confirm what has stopped the examination early, it goes on to the end of
    the budget, and what it finds then is confirmed on other fresh runs. What there is no time to
    confirm is not confirmed.

    Parameters
    ----------
    As of :func:`examine`.
    """

    def attempt(start: int, *, stop: bool) -> Evidence:
        asked = Terms(claim, samples=samples, stop=stop, **terms)
        examination = _Examination(sampler, asked, clock or Clock())
        found = _confirmed(sampler, examination.outcome(), claim, start)
        return examination.sharpened(found)

    evidence = attempt(samples, stop=True)
    if evidence.confirmation is None or evidence.confirmation.confirmed:
        return evidence
    if evidence.complete or evidence.late:
        return evidence
    if clock is not None:
        clock.planned.clear()  # a witness repeats the second examination alone
    try:
        return replace(attempt((1 + FRESH) * samples, stop=False), may_stop=False)
    except OutOfTime:
        return replace(evidence, late=True)


def _confirmed(sampler: Sampler, evidence: Evidence, claim: Claim, start: int) -> Evidence:
    """Return evidence with what the runs from ``start`` say, if it must be confirmed.

    As many fresh runs are made as were used, and if these do not confirm, four times as many.
    """
    if not OVERWHELMING * evidence.alpha < evidence.p_value(claim) <= evidence.alpha:
        return evidence
    runs, event = _Runs(sampler), evidence.event
    runs.measure(evidence.kept[0])
    counts = [(0, 0), (0, 0)]

    def test(size: int) -> float:
        drawn = runs.draw(start + counts[0][1], start + size, event.contains)
        for side, more in enumerate(_counts(event, [np.concatenate(part) for part in drawn])):
            counts[side] = counts[side][0] + more[0], counts[side][1] + more[1]
        return two_sample_p_value(counts[0], counts[1], claim.ceiling)

    level = max(CONFIRMED, evidence.alpha)
    try:
        p_value, _ = confirm(evidence.samples, test, SCREEN * level)
    except OutOfTime:
        unconfirmed = Confirmation(counts[0], counts[1], 1.0, level)
        return replace(evidence, confirmation=unconfirmed, late=True)
    return replace(evidence, confirmation=Confirmation(counts[0], counts[1], p_value, level))


def count_event(
    sampler: Sampler, event: LearnedEvent, samples: int
) -> tuple[EventCounts, EventCounts]:
    """Return how often an event happens on the likelier side and the other, and the runs."""
    drawn = _Runs(sampler).draw(0, samples, event.contains)
    return _counts(event, [np.concatenate(part) for part in drawn])
