"""Excesses over a claim that a check would have noticed.

No event is over the claim by itself: an excess has a shape, and the check must choose an event
first. So the privacy loss that a score shows in runs that did not choose it is multiplied until the
outputs are over the claim by some share: until the best event that is not too rare is, or, if the
claim bounds a divergence, the divergence of the whole score. In that world the rest of the check is
rehearsed: a threshold is chosen from new training runs, tested on new certifying runs, and
confirmed on fresh ones.

Losses are estimates. The largest of many is too large, so that it would reach the excess too early;
but a check says what it would have noticed only if it found nothing. Therefore the losses are taken
to be those of a mechanism within its claim (:meth:`CellLosses.over`), and of no event more is
certified than the excess allows (:meth:`Rehearsal.noticed`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, isotonic_regression
from scipy.special import betainccinv, expit, log_expit, logit, logsumexp, ndtri
from scipy.stats import binom, chi2

from auditor.events.thresholds import choose_threshold
from auditor.statistics.claims import Claim, Shown
from reference._validation import FloatArray

_STEPS = (
    *(1, 1.1, 1.2, 1.3, 1.5, 1.6, 1.8, 2, 2.2, 2.4, 2.7, 3),
    *(3.3, 3.6, 3.9, 4.3, 4.7, 5.1, 5.6, 6.2, 6.8, 7.5, 8.2, 9.1),
)
EXCESSES = (*(round(step / scale, 3) for scale in (100, 10, 1) for step in _STEPS), 10.0)
"""Shares over the claim of which the smallest is told that is surely noticed."""
TOLD = 0.1
"""Share over the claim of which it is told how surely it is noticed."""
SURELY = 0.8
"""Probability with which an excess that is promised to be noticed is noticed."""
REHEARSALS = 30
"""Number of rehearsals of the choice of a threshold."""
RESERVE, FITTED_RESERVE = 0.97, 0.92
"""Shares of a rehearsed probability that are promised: of a value of the output, of a fitted score.

Fits of other scores are not rehearsed, and a worse one may win by luck.
"""
TOLD_EVENTS = 0.01
"""Share of the runs in an event, and in its complement, from which on its level counts."""
CAUTION = 2.0
"""Standard errors by which losses that fall short of the claim are taken to be larger."""
FEW = 30
"""Largest number of different values of which each has a likelihood ratio of its own."""
SMALLEST_GROUP = 200
"""Runs in the outermost of the groups in which likelihood ratios of many values are measured."""
CELLS = 200
"""Cells in either tail, into which the values of a score fall."""
MOST_AMPLIFIED = 1e4
_PLACES = np.concatenate([[0.0], expit(np.linspace(-30.0, 30.0, 301)), [1.0]])
_MIDDLES = (np.arange(15) + 0.5) / 15


# ------------------------------------------------------------------------------ the final test


class FinalTest:
    """The counts that the final test rejects, to a quarter of a standard error.

    Parameters
    ----------
    claim : Claim
    trials : int
        Runs on either side, >= 1.
    alpha : float
    """

    def __init__(self, claim: Claim, trials: int, alpha: float) -> None:
        self.claim, self.trials, self.alpha = claim, trials, alpha
        # Fisher's product of the two tails rejects from here on, see two_sample_p_value
        self._product = math.exp(-chi2.isf(alpha, 4) / 2)
        self._ceiling = claim.ceiling(_PLACES)  # may be slow: it is interpolated
        self._known: dict[float, float] = {}
        """The least counts that are rejected, by the counts on the other side; each is slow."""

    def power(self, p: ArrayLike, q: ArrayLike) -> FloatArray:
        """Return the probability that a claim is rejected for events.

        Parameters
        ----------
        p, q : array_like
            Probabilities of the events on the likelier side and the other.
        """
        others = binom.ppf(_MIDDLES, self.trials, np.asarray(q)[..., None])
        # counts whose angles are a quarter of a standard error apart, so that they are few
        unit = 8 * math.sqrt(self.trials)
        steps = np.round(unit * np.arcsin(np.sqrt(others / self.trials)))
        different, which = np.unique(steps, return_inverse=True)
        counts = np.round(self.trials * np.sin(different / unit) ** 2)
        least = self._least(np.minimum(counts, self.trials))[which.reshape(steps.shape)]
        rejected = np.asarray(binom.sf(least - 1, self.trials, np.asarray(p)[..., None]))
        return np.asarray(rejected.mean(axis=-1))

    def _least(self, others: FloatArray) -> FloatArray:
        """Return the least counts that are rejected against counts on the other side."""
        new = np.array([count for count in others.tolist() if count not in self._known])
        if new.size:
            self._known.update(zip(new.tolist(), self._find_least(new).tolist(), strict=True))
        return np.array([self._known[count] for count in others.tolist()])

    def _find_least(self, others: FloatArray) -> FloatArray:
        tail = self._product ** np.linspace(0.0, 1.0, 41)[:-1]
        some = others[:, None] < self.trials  # all runs on the other side reject nothing
        k = np.where(some, others[:, None], 0.0)
        place = betainccinv(k + 1, self.trials - k, tail)
        allowed = np.clip(np.interp(place, _PLACES, self._ceiling), 0.0, 1.0)
        least = np.asarray(binom.isf(self._product / tail, self.trials, allowed)).max(axis=1) + 1
        return np.where(some[:, 0], least, self.trials + 1)


def power(claim: Claim, p: float, q: float, trials: int, alpha: float) -> float:
    """Return the probability that the final test rejects a claim for one event; 0 without runs.

    Parameters
    ----------
    claim, trials, alpha
        As of :class:`FinalTest`.
    p, q : float
        As of :meth:`FinalTest.power`.
    """
    return float(FinalTest(claim, trials, alpha).power(p, q)) if trials else 0.0


# ------------------------------------------------------------------------------ amplified losses


@dataclass(frozen=True)
class CellLosses:
    """The privacy loss of every cell that the values of a score fall into, in ascending order.

    Attributes
    ----------
    loss : ndarray
        Logarithm of how much likelier the cell is on the first side, but for a constant.
    share : ndarray
        Of the runs of both sides in the cell.
    runs : int
        Behind it, on the side that has fewer.
    smooth : bool
        Whether the losses are those of groups of values, interpolated.
    """

    loss: FloatArray
    share: FloatArray
    runs: int
    smooth: bool = False

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray) -> CellLosses:
        """Measure the losses in scores on the likelier side and the other.

        They are taken to rise with the score, as the event is the runs above a threshold. Of many
        values they are measured in groups, small in the tails, and interpolated.
        """
        sides = [np.nan_to_num(s, nan=-math.inf, posinf=math.inf) for s in (first, second)]
        values, counts = np.unique(np.concatenate(sides), return_counts=True)
        runs = int(counts.sum())
        start = np.cumsum(counts) - counts
        few = values.size <= FEW
        doublings = int(math.log2(max(runs / 2 / SMALLEST_GROUP, 1))) + 1
        group = np.arange(values.size) if few else _cells(start, runs, SMALLEST_GROUP, doublings)
        above = np.bincount(group[np.searchsorted(values, sides[0])], minlength=group[-1] + 1)
        all_ = np.bincount(group, weights=counts)
        chance = isotonic_regression((above + 0.5) / (all_ + 1), weights=all_ + 1).x
        loss = logit(chance)
        if few:
            return cls(loss, counts / runs, min(map(len, sides)))
        place = ndtri((start + counts / 2) / runs)
        centre = np.bincount(group, weights=place * counts) / all_
        cell = _cells(start, runs, 5, CELLS)
        inside = np.bincount(cell, weights=counts)
        smooth = np.bincount(cell, weights=counts * _interpolated(place, centre, loss)) / inside
        return cls(smooth, inside / runs, min(map(len, sides)), smooth=True)

    def amplified(self, factor: float) -> tuple[FloatArray, FloatArray]:
        """Return the cells' probabilities on both sides if every loss were multiplied."""
        base = np.log(self.share) + log_expit(self.loss) / 2 + log_expit(-self.loss) / 2
        logs = base + factor / 2 * self.loss, base - factor / 2 * self.loss
        return np.exp(logs[0] - logsumexp(logs[0])), np.exp(logs[1] - logsumexp(logs[1]))

    def shown(self, claim: Claim, factor: float) -> Shown:
        """Return the level of the outputs if every loss were multiplied."""
        return claim.shown(*self.amplified(factor), least=TOLD_EVENTS, runs=self.runs)

    def over(self, claim: Claim, share: float) -> tuple[FloatArray, FloatArray] | None:
        """Return the cells' probabilities once their level is over the claim by a share.

        None if the score shows no losses that could be amplified so far.
        """
        reached, over = self._reaching(claim), self._reaching(claim.over(share))
        if reached is None or over is None:
            return None
        # nothing was found, so that the claim is taken to be true: losses that show more than it
        # are luck. Losses of groups show less than those of the values in them, in the tails
        doubt = CAUTION * self.shown(claim, reached).error if self.smooth else 0.0
        return self.amplified(over * max(1 - doubt, 1 / reached))

    def _reaching(self, claim: Claim) -> float | None:
        """Return the factor at which the outputs show the claimed level; None if they never do."""

        def surplus(factor: float) -> float:
            return self.shown(claim, factor).level - claim.level

        top = 1.0
        while surplus(top) < 0:
            top *= 2
            if top > MOST_AMPLIFIED:
                return None
        return float(brentq(surplus, 0.0, top, xtol=1e-3))


def _interpolated(place: FloatArray, centre: FloatArray, loss: FloatArray) -> FloatArray:
    """Return losses at places; beyond the outermost centres they go on as between the last two."""
    inside = np.interp(place, centre, loss)
    if centre.size < 2:
        return inside
    slopes = np.diff(loss) / np.diff(centre)
    below, above = np.minimum(place - centre[0], 0.0), np.maximum(place - centre[-1], 0.0)
    return np.asarray(inside + slopes[0] * below + slopes[-1] * above)


def _cells(start: NDArray[Any], runs: int, smallest: int, edges: int) -> NDArray[np.int64]:
    """Return the cell of every value, given how many runs are below it; cells shrink outwards."""
    tail = np.geomspace(min(smallest, runs / 2), runs / 2, max(edges, 1))
    cuts = np.unique(np.concatenate([tail, runs - tail]))
    return np.unique(np.searchsorted(cuts, start, side="right"), return_inverse=True)[1]


# --------------------------------------------------------------------------------- rehearsals


class Rehearsal:
    """A rehearsal of the check after training, for mechanisms over a claim.

    Parameters
    ----------
    scores : (ndarray, ndarray)
        Of runs that did not choose the event, on the likelier side and the other.
    trained : int
        Runs a side that choose an event.
    tests : (FinalTest, FinalTest)
        The final test, and the last one of a confirmation.
    rng : Generator
    fitted : bool
        Whether the score was fitted to the runs that train.
    """

    def __init__(
        self,
        scores: tuple[FloatArray, FloatArray],
        trained: int,
        tests: tuple[FinalTest, FinalTest],
        rng: np.random.Generator,
        *,
        fitted: bool,
    ) -> None:
        self._losses = CellLosses.of(*scores)
        self._trained, self._tests, self._rng = trained, tests, rng
        self._reserve = FITTED_RESERVE if fitted else RESERVE

    def noticed(self, share: float) -> float:
        """Return the probability, at least, with which so large an excess would be noticed."""
        chances = self._losses.over(self._tests[0].claim, share)
        if chances is None:
            return 0.0
        values = np.arange(chances[0].size, dtype=float)
        p, q = np.array([self._event(values, chances) for _ in range(REHEARSALS)]).T
        # the losses are estimates, but no event is more than that over the claim
        p = np.minimum(p, self._tests[0].claim.over(share).ceiling(q))
        found, again = (test.power(p, q) for test in self._tests)
        return self._reserve * float(np.mean(found * again))

    def _event(
        self, values: FloatArray, chances: tuple[FloatArray, FloatArray]
    ) -> tuple[float, float]:
        """Return the probabilities of an event that training runs choose."""
        first, second = (
            np.repeat(values, self._rng.multinomial(self._trained, chance)) for chance in chances
        )
        test = self._tests[0]
        choice = choose_threshold(
            first, second, test.claim, test.alpha, test.trials, test.claim.level
        )
        p, q = (min(1.0, float(chance[values > choice.threshold].sum())) for chance in chances)
        return (p, q) if choice.side == 0 else (q, p)


def noticeable(rehearsal: Rehearsal) -> tuple[float, float]:
    """Return the smallest of :data:`EXCESSES` that is surely noticed, and the power at 10%.

    Infinity if none is. Larger ones are taken to be noticed more surely.
    """
    place = bisect_left(EXCESSES, True, key=lambda share: rehearsal.noticed(share) >= SURELY)
    smallest = EXCESSES[place] if place < len(EXCESSES) else math.inf
    return smallest, rehearsal.noticed(TOLD)
