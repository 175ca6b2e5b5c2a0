"""opake-auditing: its one-run estimate, every run of the mechanism being a canary.

The package flips the coins itself, so a few runs stay unused: heads and tails are not equally many.
"""

from __future__ import annotations

import math

import numpy as np
from opake import auditing
from opake.random import key
from protocol import Request, serve


def eps_delta(request: Request) -> float:
    """Return the bound for any (epsilon, delta)-DP mechanism."""
    first, second = request.certifying
    canaries = 2 * len(first) - 4 * math.ceil(math.sqrt(2 * len(first)) / 2) * 2
    seed = request.seed
    while True:
        flips = auditing.coin_flip(range(canaries), num_canaries=canaries, key=key(seed))
        heads, tails = len(flips.in_indices), len(flips.out_indices)
        if heads <= len(first) and tails <= len(second):
            break
        seed += 1000
    scores = auditing.canary_scores(
        np.concatenate([first[:heads], second[:tails]]),
        canary_indices=np.concatenate([flips.in_indices, flips.out_indices]),
    )
    estimate = auditing.one_run(scores, coin_flip=flips)
    return estimate.eps_delta().epsilon_at(delta=request.delta, significance=request.alpha)


serve({"one run": eps_delta})
