"""Events learned from samples: where one data set's outputs are likelier than the other's.

Scores (:mod:`auditor.events.scores`) are fitted on one part of the training runs and compete on
the other: the one whose best threshold promises the largest certified level wins (or, against a
claim, a rarer event that surely exceeds it, if none promises as much). Nothing but the
training runs is looked at, so the certificate, made on other runs, holds whatever is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from auditor.events.classifiers import Boosted, LinearScore
from auditor.events.features import Total
from auditor.events.lattices import Recurring, recurring_columns, telling_remainder
from auditor.events.outcomes import Encoding, Layout
from auditor.events.regression import Regression
from auditor.events.scores import (
    AdditiveScore,
    Category,
    Column,
    Constant,
    Counted,
    Distance,
    Score,
    in_pieces,
)
from auditor.events.smoothing import smoother_choice
from auditor.events.structure import indicators, pair_views
from auditor.events.thresholds import (
    ThresholdChoice,
    choose_threshold,
    excess_level,
    promised_level,
    several_thresholds,
)
from auditor.events.views import CodeView, NumberView, Summaries, Tables, TableView
from auditor.runs.blocks import Outputs
from auditor.runs.plain_data import Token
from auditor.statistics.claims import Claim
from reference._validation import FloatArray

Effort = Literal["quick", "full"]

TRAINING_SHARE, VECTOR_SHARE = 0.25, 0.4
MOST_TRAINING, MOST_VECTORS = 250_000, 150_000
MOST_NUMBERS, MOST_OBJECTS = 8_000_000, 2_000_000
"""Entries a side that training outputs in arrays, or in lists, may have: for memory and time."""
ENOUGH_FOR_TREES = 10_000
MARGIN = 0.02
"""A score must promise more by this share than the simpler ones before it."""


@dataclass(frozen=True)
class LearnedEvent:
    """An event, and the side on which it is the likelier.

    Attributes
    ----------
    side : int
        0 if the event is likelier on D, 1 if on D'.
    encoding : Encoding
        How outputs become rows.
    score : Score
    threshold : float
        The event is "score > threshold".
    merits : (int, float)
        By which it was chosen, see :meth:`auditor.events.thresholds.ThresholdChoice.merits`.
    others : tuple of (int, float)
        Sides and thresholds of other events, which may show more: of all of them one is taken, and
        each has as large a part of alpha.
    """

    side: int
    encoding: Encoding
    score: Score
    threshold: float
    merits: tuple[int, float]
    others: tuple[tuple[int, float], ...] = ()

    def all(self) -> list[LearnedEvent]:
        """Return this event and the others, one by one."""
        others = [replace(self, side=s, threshold=t, others=()) for s, t in self.others]
        return [replace(self, others=()), *others]

    def contains(self, outputs: Outputs) -> NDArray[np.bool_]:
        """Return for every output whether it is in the event; any object is a legal output."""
        return np.asarray(self.scores(outputs) > self.threshold)

    def scores(self, outputs: Outputs) -> FloatArray:
        """Return for every output the score that is compared with the threshold."""
        if len(outputs) == 0:
            return np.zeros(0)
        return np.asarray(self.score(self.encoding.table(outputs)), dtype=np.float64)

    def describe(self) -> str:
        """Return the event in words a designer of mechanisms understands."""
        return self.score.describe(self.threshold)


def training_runs(outputs: Outputs, runs: int) -> int:
    """Return how many of ``runs`` on each side should choose the event; the others certify it."""
    encoding = Encoding.learn(outputs[:64], outputs[:64])
    entries = len(encoding.layout.entries())
    if entries <= 1:
        return min(int(TRAINING_SHARE * runs), MOST_TRAINING)
    numbers = MOST_OBJECTS if encoding.shape is None else MOST_NUMBERS
    return min(int(VECTOR_SHARE * runs), MOST_VECTORS, numbers // entries)


Fit = Callable[[Tables], Score | None]
"""Fits a score on training outputs; None if it makes no sense for them."""


@dataclass(frozen=True)
class _Leader:
    """The best of the scores so far."""

    choice: ThresholdChoice
    fit: Fit
    scores: tuple[FloatArray, FloatArray]
    """The two sides' scores; those of a fitted score come from the fit to the other half."""
    fitted: bool
    """True if the threshold moves when the score is fitted again."""

    def smoothed(self, aim: Aim) -> ThresholdChoice:
        """Return the choice, by smooth estimates where they promise more than counts."""
        return smoother_choice(self.choice, self.scores, aim.family, aim.alpha, aim.certifying)

    def refitted(self, choice: ThresholdChoice, scores: Sequence[FloatArray]) -> ThresholdChoice:
        """Return a choice with the threshold that has as many of other scores above it."""
        above = float(np.mean(np.concatenate(self.scores) > choice.threshold))
        return replace(choice, threshold=_threshold_above(np.concatenate(scores), above))


@dataclass(frozen=True)
class Aim:
    """The aim of learning an event: the terms of its certificate.

    Attributes
    ----------
    family : Claim
        Of which a level is certified.
    alpha : float
        Error probability of the certificate.
    certifying : int
        Runs a side that will certify the event.
    refute : float
        The level to refute, if there is one.
    smooth : bool
        Whether smooth estimates choose the thresholds of fitted scores, see
        :mod:`auditor.events.smoothing`, and several thresholds may share alpha. Not against a
        claim: what its check promises to notice is of one threshold chosen by counts.
    """

    family: Claim
    alpha: float
    certifying: int
    refute: float = math.inf
    smooth: bool = False

    def choose(self, first: FloatArray, second: FloatArray) -> ThresholdChoice:
        """Return the best threshold on the scores of two samples."""
        return choose_threshold(
            first, second, self.family, self.alpha, self.certifying, self.refute
        )

    def counted(self, choice: ThresholdChoice, scores: Sequence[FloatArray]) -> ThresholdChoice:
        """Return a choice with the merits that its event has by its counts."""
        counts = [(int(np.count_nonzero(side > choice.threshold)), side.size) for side in scores]
        return self.judged(choice, counts[choice.side], counts[1 - choice.side])

    def judged(
        self, choice: ThresholdChoice, one: tuple[int, int], two: tuple[int, int]
    ) -> ThresholdChoice:
        """Return a choice with the merits of an event, given its counts on both sides."""
        promise = promised_level(one, two, self.family, self.alpha, self.certifying)
        excess = excess_level(one, two, self.family, self.refute)
        return replace(choice, promise=float(promise), excess=float(excess))


class _Contest:
    """Scores compete by what their best threshold promises.

    A score that is fitted is fitted twice, on either half of the training runs, and judged on the
    other half; the winner is fitted once more on all.

    Parameters
    ----------
    tables : (Table, Table)
        Training outputs of the two sides.
    aim : Aim
    rng : Generator
        Draws training runs again.
    """

    def __init__(self, tables: Tables, aim: Aim, rng: np.random.Generator) -> None:
        self.tables = tables
        self.halves = _halves(tables)
        self._aim = aim
        self._rng = rng
        self._leaders: list[_Leader] = []

    def enter_columns(self, view: TableView) -> None:
        """Try every column of a view that is not fitted."""
        first, second = (in_pieces(view, table) for table in self.tables)
        for index in range(len(view.names)):
            fit = _unfitted(Column(view, index))
            self._try(fit, first[:, index], second[:, index], fitted=False)

    def enter_score(self, score: Score) -> None:
        """Try a score that is not fitted."""
        first, second = map(score, self.tables)
        self._try(_unfitted(score), first, second, fitted=False)

    def enter_failures(self, layouts: Sequence[Layout]) -> None:
        """Try whether a run gave no output, one way or another."""
        for column, layout in enumerate(layouts):
            for category, code in layout.categories.items():
                if isinstance(category, Token) and category.kind == "failed":
                    self.enter_score(Category(column, code, category.text))

    def enter(self, fit: Fit, *, keeps: bool = False) -> None:
        """Try a score that is fitted; ``keeps`` says that its threshold is then left as it is.

        For a score that its own training runs would look different to.
        """
        if min(map(len, self.tables)) < 2:
            return
        scores: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for tables, held in zip(self.halves, reversed(self.halves), strict=True):
            score = fit(tables)
            if score is None:
                return
            for side in (0, 1):
                scores[side].append(held[side].seen_by(score))
        first, second = (np.concatenate(side) for side in scores)
        self._try(fit, first, second, fitted=not keeps)

    def _try(self, fit: Fit, first: FloatArray, second: FloatArray, *, fitted: bool) -> None:
        choice, refute = self._aim.choose(first, second), self._aim.refute
        lead = self._leaders[-1].choice if self._leaders else ThresholdChoice()
        if choice.merits(refute) > _to_beat(lead.merits(refute)):
            self._leaders.append(_Leader(choice, fit, (first, second), fitted))

    def by_halves(self, fit: Callable[[Sequence[int]], Score | None]) -> Fit:
        """Return a fit that knows the training runs by their halves, made once for each."""
        known: dict[tuple[int, ...], Score | None] = {}

        def fitted(tables: Tables) -> Score | None:
            which = tuple(k for k in (0, 1) if tables is self.halves[k]) or (0, 1)
            if which not in known:
                known[which] = fit(which)
            return known[which]

        return fitted

    def winner(self) -> tuple[Score, list[ThresholdChoice]]:
        """Return the best score, fitted on all training runs, and thresholds with their sides.

        A score that promises less when it is fitted on all runs was a different one on either
        half: what is left of its promise is compared with what the leaders before it promise.
        """
        best: tuple[Score, list[ThresholdChoice]] = Constant(), [ThresholdChoice()]
        surely = best[1][0].merits(self._aim.refute)
        for leader in reversed(self._leaders):
            if surely >= leader.choice.merits(self._aim.refute):
                break
            score = leader.fit(self.tables)
            if score is None:
                continue
            for choices, merits in self._refitted(leader, score):
                if merits > surely:
                    best, surely = (score, choices), merits
        return best

    def _refitted(
        self, leader: _Leader, score: Score
    ) -> Iterator[tuple[list[ThresholdChoice], tuple[int, float]]]:
        """Yield thresholds on a score fitted on all runs, with what is left of their merits.

        Of each the first is the one that was chosen, and has the merits.
        """
        refute = self._aim.refute
        if not leader.fitted:
            yield self._several(leader, leader.choice), leader.choice.merits(refute)
            return
        scores = [table.seen_by(score) for table in self.tables]
        # a fitted score is about the log-ratio; the log-ratio of a value may stop rising, as
        # with Laplace noise, and would be followed too far
        smooth = [leader.smoothed(self._aim)] if self._aim.smooth else []
        for choice in (leader.choice, *smooth):
            held = self._aim.counted(choice, leader.scores)
            again = self._aim.counted(leader.refitted(choice, scores), scores)
            left = choice.promise - max(0.0, held.promise - again.promise)
            least = replace(choice, promise=left, excess=min(held.excess, again.excess))
            others = [leader.refitted(one, scores) for one in self._several(leader, choice)[1:]]
            yield [again, *others], least.merits(refute)

    def _several(self, leader: _Leader, choice: ThresholdChoice) -> list[ThresholdChoice]:
        """Return a choice and those that are certified beside it."""
        if not self._aim.smooth:
            return [choice]
        aim = self._aim
        return several_thresholds(
            choice, leader.scores, aim.family, aim.alpha, aim.certifying, self._rng
        )


def _to_beat(merits: tuple[int, float]) -> tuple[int, float]:
    """Return what the merits of a later score must exceed."""
    rank, level = merits
    return rank, level + MARGIN * max(level, 0.0)


def _unfitted(score: Score) -> Fit:
    return lambda _: score


def _halves(tables: Tables) -> tuple[Tables, Tables]:
    one, two = tables
    cut, other = len(one) // 2, len(two) // 2
    return (one[:cut], two[:other]), (one[cut:], two[other:])


def _threshold_above(scores: FloatArray, share: float) -> float:
    """Return the threshold with about a share of the scores above it."""
    values, counts = np.unique(scores, return_counts=True)
    above = scores.size - np.cumsum(counts)
    at = int(np.argmin(np.abs(above - share * scores.size)))
    following = values[min(at + 1, values.size - 1)]
    return float(values[at] / 2 + following / 2)


def learn_event(
    first: Outputs, second: Outputs, aim: Aim, *, effort: Effort, rng: np.random.Generator
) -> LearnedEvent:
    """Learn the event that promises the largest certified level of a family of claims.

    Or, if it promises no more than the level to refute, one that surely exceeds that level.

    Parameters
    ----------
    first, second : outputs
        Of runs on D and on D' that will not be used for the certificate.
    aim : Aim
    effort : {"quick", "full"}
        Quick for the early looks; full once, for the final certificate.
    rng : Generator
    """
    encoding = Encoding.learn(first, second)
    tables = encoding.table(first), encoding.table(second)
    # after an early look, about as many runs as it had are bet on
    aim = replace(aim, certifying=len(first)) if effort == "quick" else aim
    contest = _Contest(tables, aim, rng)
    layouts = encoding.layout.entries()
    # first, so that an exception is named where a threshold on what came before says no more
    contest.enter_failures(layouts)
    if len(layouts) == 1:
        _scalars(contest, layouts, effort)
    elif layouts:
        _structure(contest, layouts, effort)
        _vectors(contest, layouts, effort, rng)
    score, (choice, *more) = contest.winner()
    others = tuple((other.side, other.threshold) for other in more)
    merits = choice.merits(aim.refute)
    return LearnedEvent(choice.side, encoding, score, choice.threshold, merits, others)


def least_chosen(
    chosen: tuple[int, float],
    runs: int,
    family: Claim,
    *,
    alpha: float,
    certifying: int,
    refute: float = math.inf,
) -> int:
    """Return in how many training runs an output must be seen to be chosen, not another event.

    An output that a score sets apart and that is never seen on the other side.

    Parameters
    ----------
    chosen : (int, float)
        The merits of the other event.
    runs : int
        Training runs a side.
    family, alpha, certifying, refute
        As of :class:`Aim`.

    Returns
    -------
    int
        ``runs + 1`` if not even an output of every run would be.
    """
    aim = Aim(family, alpha, certifying, refute)

    def is_chosen(count: int) -> bool:
        choice = aim.judged(ThresholdChoice(), (count, runs), (0, runs))
        return choice.merits(refute) > _to_beat(chosen)

    low, high = 0, runs + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_chosen(middle) else (middle, high)
    return high


def _structure(contest: _Contest, layouts: Sequence[Layout], effort: Effort) -> None:
    """Try what independent noise would not have, so that it is named where learners see no more."""
    names, tables = tuple(layout.name for layout in layouts), contest.tables
    for indicator in indicators(tables, names, thorough=effort == "full"):
        contest.enter_score(indicator)
    for view in pair_views(tables, names):
        contest.enter_columns(view)
    if effort == "full":
        _coarse_noise(contest, layouts)


def _scalars(contest: _Contest, layouts: Sequence[Layout], effort: Effort) -> None:
    numbers, tables = NumberView((layouts[0].name,)), contest.tables
    contest.enter_columns(numbers)
    contest.enter(lambda t: Distance.fit(numbers, t))
    most = min(200, 4 + len(tables[0]) // 40)
    contest.enter(lambda t: AdditiveScore.fit(numbers, t, most, layouts))
    contest.enter(lambda t: Counted.fit(t, layouts))
    if effort == "full":
        _coarse_noise(contest, layouts)


def _vectors(
    contest: _Contest, layouts: Sequence[Layout], effort: Effort, rng: np.random.Generator
) -> None:
    n, names = len(contest.tables[0]), tuple(layout.name for layout in layouts)
    numbers = NumberView(names)

    def coarse(tables: Tables) -> AdditiveScore:
        return AdditiveScore.fit(numbers, tables, 2, layouts)

    contest.enter(lambda t: Counted.fit(t, layouts))
    contest.enter(coarse)
    contest.enter(lambda t: LinearScore.fit([numbers], t))
    if effort == "quick":
        return
    summaries = Summaries.fit(contest.tables)
    contest.enter_columns(summaries)
    regression = contest.by_halves(Regression(names, contest.halves, summaries).fit)
    contest.enter(regression)
    if n >= ENOUGH_FOR_TREES:
        codes = tuple(contest.tables[0].codes)
        views: list[TableView] = [numbers, summaries]
        if codes:
            views.append(CodeView(codes, tuple(names[j] for j in codes)))
        seed = int(rng.integers(2**31))
        contest.enter(lambda t: _with_trees(regression(t), views, t, seed))


def _with_trees(
    base: Score | None, views: Sequence[TableView], tables: Tables, seed: int
) -> Score | None:
    """Return a score with trees for what it leaves unsaid."""
    if base is None:
        return None
    return Total((base, Boosted.fit(views, tables, base, seed)))


def _coarse_noise(contest: _Contest, layouts: Sequence[Layout]) -> None:
    """Try what noise on a lattice, and noise with few values, leave of the data."""
    names, tables = tuple(layout.name for layout in layouts), contest.tables
    remainder = telling_remainder(tables, names)
    if remainder is not None:
        contest.enter_columns(remainder)
        contest.enter(lambda t: AdditiveScore.fit(remainder, t, 16, [Layout(remainder.names[0])]))
    columns = recurring_columns(tables)
    if columns:
        contest.enter(lambda t: Recurring.fit(columns, names, t), keeps=True)
