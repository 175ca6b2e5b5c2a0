"""A screen, and confirmations on fresh runs: how an audit keeps a small error probability cheaply.

A statistical question first tests its claim at :data:`SCREEN`. Only where that fires is the claim
tested again, on :data:`FRESH` times as many runs that nothing has seen. A true claim is flagged by
all stages together with the product of their error probabilities.
"""

from __future__ import annotations

from collections.abc import Iterable

SCREEN = 0.01
"""Level of every stage but the last."""

FRESH = 4
"""A confirmation has this many times the runs of the screen."""


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
