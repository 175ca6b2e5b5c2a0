"""A screen, and confirmations on fresh runs: how an audit keeps a small error probability cheaply.

A statistical question first tests its claim at :data:`SCREEN`. Only where that fires is the claim
tested again, on as many runs that nothing has seen, or :data:`FRESH` times as many. A true claim is
flagged by all stages together with the product of their error probabilities.

The same holds of any smaller claim that the same runs are asked about, as long as it is true. So
the largest level that the screen's last look and the confirmation both reject, each at what a
p-value has to reach there (:attr:`Screen.level`, :func:`confirmation_level`), is a lower bound of
the true one at the error probability of all stages together, and a violation that is found comes
with a bound above its claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

SCREEN = 0.01
"""Level of every stage but the last."""

FRESH = 4
"""A confirmation has up to this many times the runs of the screen."""


def staged_p_value(stages: Iterable[float]) -> float:
    """Return one p-value of stages on independent runs, each asked only if all before it fired.

    With p_k the first that is above :data:`SCREEN`, or the last, it is SCREEN^(k-1) p_k. It is at
    most t <= SCREEN^(k-1) only if k - 1 stages fire, each with probability SCREEN at most, and
    p_k <= t/SCREEN^(k-1): under the hypothesis that has probability t at most.

    Parameters
    ----------
    stages : iterable of float
        p-values, each valid on runs independent of those before; drawn from lazily. A p-value that
        is only known to be right down to some level should be floored there.

    Examples
    --------
    >>> staged_p_value([0.3, 1e-9])
    0.3
    >>> staged_p_value([0.001, 0.02])
    0.0002
    """
    combined = 1.0
    for stage, p_value in enumerate(stages):
        combined = SCREEN**stage * p_value
        if p_value > SCREEN:
            break
    return combined


FIRST = 64
"""Runs of the first look at a screen; every other look has twice as many as the one before."""


def looks(most: int, first: int = FIRST) -> tuple[int, ...]:
    """Return the numbers of runs at which a screen is looked at: ``first``, doubling to ``most``.

    Parameters
    ----------
    most, first : int
        >= 1.

    Examples
    --------
    >>> looks(1000)
    (64, 128, 256, 512, 1000)
    >>> looks(40)
    (40,)
    """
    sizes = []
    while first < most:
        sizes.append(first)
        first *= 2
    return (*sizes, most)


Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Screen(Generic[Seen]):
    """A screen that was looked at until it fired, or until going on was pointless.

    Attributes
    ----------
    seen : Any
        What the last look saw.
    runs : int
        Runs of the last look.
    p_value : float
        Of all looks together.
    level : float
        What the p-value of one look has to reach to fire.
    share : float
        Share of the error probability that a bound computed from the last look may take. The
        last possible look has one half, the others share the other half, so that a bound is valid
        wherever the screen stopped.
    """

    seen: Seen
    runs: int
    p_value: float
    level: float
    share: float

    @property
    def fired(self) -> bool:
        """True if the claim must be tested again on fresh runs."""
        return self.p_value <= SCREEN


def screen(
    sizes: Sequence[int],
    look: Callable[[int], tuple[float, Seen]],
    enough: Callable[[int, float, Seen], bool],
) -> Screen[Seen]:
    """Look at growing numbers of runs until a look fires at its share of :data:`SCREEN`.

    The p-value is the smallest of the looks made, times the number of all that were planned: the
    looks left out because going on was pointless could only have made it smaller.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of runs, increasing.
    look : callable
        ``look(runs)`` returns a p-value of the claim on the first ``runs`` runs, and what was seen.
    enough : callable
        ``enough(runs, p_value, seen)`` says whether going on is pointless.
    """
    smallest = 1.0
    for runs in sizes:
        p_value, seen = look(runs)
        smallest = min(smallest, p_value)
        together = min(1.0, len(sizes) * smallest)
        if together <= SCREEN or enough(runs, p_value, seen):
            break
    share = 0.5 if runs == sizes[-1] else 0.5 / (len(sizes) - 1)
    return Screen(seen, runs, together, SCREEN / len(sizes), share)


def confirm(runs: int, test: Callable[[int], float], alpha: float) -> tuple[float, int]:
    """Test a claim on as many fresh runs as the screen had; if need be, on more.

    A gross violation shows on few; the second test has :data:`FRESH` times as many. Either may
    decide, so each counts twice: twice the smaller of two p-values is a p-value.

    Parameters
    ----------
    runs : int
        Of the screen.
    test : callable
        ``test(size)`` returns the p-value on the first ``size`` fresh runs.
    alpha : float
        Error probability of all stages together; one test has to reach :func:`confirmation_level`.

    Returns
    -------
    p_value : float
        Of the confirmation.
    runs : int
        The fresh runs of the last test.
    """
    smallest, size = 1.0, runs
    for size in (runs, FRESH * runs):
        smallest = min(smallest, test(size))
        if smallest <= confirmation_level(alpha):
            break
    return min(1.0, 2 * smallest), size


def confirmation_level(alpha: float) -> float:
    """Return what the p-value of one test of the confirmation has to reach."""
    return alpha / SCREEN / 2
