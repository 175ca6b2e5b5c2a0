"""A test that may be looked at after every round: bets against a claim.

Before a round of pairs of runs (X_i on the event's likely side, Y_i on the other), an event E is
fixed from earlier rounds. The claim bounds P(E) by a line a Q(E) + b, so the payoff
1 + s (1[X in E] - a 1[Y in E] - b)/(a + b) has expectation at most 1 for any stake s in [0, 1]. The
product of the payoffs, averaged over stakes, is a nonnegative supermartingale under the claim: by
Ville's inequality it ever reaches 1/alpha with probability at most alpha. Events, their sides and
the number of rounds may depend on everything seen before.

Source: Ramdas, Grunwald, Vovk, Shafer, "Game-theoretic statistics and safe anytime-valid inference"
(2023); the mixture over stakes as in :func:`auditor.statistics.means.mean_p_value`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from auditor.statistics.claims import Claim
from reference._validation import FloatArray

STAKES = np.append(np.geomspace(1e-3, 0.8, 14), 0.95)


@dataclass(frozen=True)
class Round:
    """The counts of one round.

    Attributes
    ----------
    both, first_only, second_only, neither : int
        Pairs of runs of which both, one or none was in the event; "first" is the event's likely
        side.
    expected : float
        Q(E) as guessed before the round: where the claim's line is drawn.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    expected: float

    @classmethod
    def of(cls, first: NDArray[np.bool_], second: NDArray[np.bool_], expected: float) -> Round:
        """Return the round of two equally long samples of "was in the event"."""
        both = int(np.count_nonzero(first & second))
        one, two = int(np.count_nonzero(first)) - both, int(np.count_nonzero(second)) - both
        return cls(both, one, two, len(first) - both - one - two, expected)

    def log_growth(self, claim: Claim) -> FloatArray:
        """Return the logarithm of the payoff of this round for every stake."""
        slope, intercept = claim.chord(self.expected)
        scale = slope + intercept
        gains = np.array([1 - scale, 1 - intercept, -scale, -intercept]) / scale
        counts = np.array([self.both, self.first_only, self.second_only, self.neither])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log1p(STAKES[:, None] * gains)
        return np.asarray(np.where(counts > 0, counts * logs, 0.0).sum(axis=1))


class Bets:
    """The rounds so far, and what they say about any claim."""

    def __init__(self) -> None:
        self.rounds: list[Round] = []

    def add(self, played: Round) -> None:
        """Add the next round."""
        self.rounds.append(played)

    def log_capital(self, claim: Claim) -> float:
        """Return the logarithm of the largest capital that any look so far has seen."""
        if not self.rounds:
            return 0.0
        growth = np.cumsum([played.log_growth(claim) for played in self.rounds], axis=0)
        capital = logsumexp(growth, axis=1) - math.log(STAKES.size)
        return max(0.0, float(capital.max()))

    def p_value(self, claim: Claim) -> float:
        """Return an anytime-valid p-value of the claim."""
        return math.exp(-self.log_capital(claim))

    def certified_level(self, family: Claim, alpha: float, *, top: float) -> float:
        """Return a level such that every level below it (on a grid) is rejected at ``alpha``.

        Parameters
        ----------
        family : Claim
        alpha : float
        top : float
            Levels beyond it are not tried.
        """
        need = math.log(1 / alpha)

        def surplus(level: float) -> float:
            return self.log_capital(family.at(level)) - need

        low = 0.0
        if not self.rounds or surplus(low) < 0:
            return 0.0
        for high in np.linspace(0.0, top, 41)[1:]:
            if surplus(float(high)) < 0:
                root = float(brentq(surplus, low, float(high), xtol=1e-6))
                return max(low, root - 2e-6)
            low = float(high)
        return top
