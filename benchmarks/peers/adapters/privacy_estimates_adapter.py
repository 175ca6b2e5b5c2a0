"""privacy-estimates: epsilon from the confusion matrix of an attack.

The attack is ours to supply: "score > threshold", with the threshold that gives the package's own
Clopper-Pearson bound its largest value on the first half of the runs; the matrix is of the others.
"""

from __future__ import annotations

import numpy as np
from privacy_estimates import AttackResults, compute_eps_lo
from protocol import Request, serve

CANDIDATES = 200


def confusion(first, second, threshold: float) -> AttackResults:
    """Return the confusion matrix of the guess "score > threshold: it was the first side".

    ``first`` and ``second`` are sorted.
    """
    missed = int(np.searchsorted(first, threshold, side="right"))
    denied = int(np.searchsorted(second, threshold, side="right"))
    return AttackResults(TP=len(first) - missed, FN=missed, FP=len(second) - denied, TN=denied)


def attack(request: Request) -> AttackResults:
    """Return the confusion matrix of an attack whose threshold was chosen on other runs."""
    half = request.held or len(request.first) // 2
    chosen = np.sort(request.first[:half]), np.sort(request.second[:half])
    levels = np.linspace(0, 1, CANDIDATES + 2)[1:-1]
    candidates = np.unique(np.quantile(np.concatenate(chosen), levels))
    bounds = [
        compute_eps_lo(confusion(*chosen, threshold), request.delta, request.alpha, "beta")
        for threshold in candidates
    ]
    threshold = float(candidates[int(np.argmax(bounds))])
    return confusion(np.sort(request.first[half:]), np.sort(request.second[half:]), threshold)


def bound(method: str):
    """Return the method of the package that has this name."""
    return lambda request: compute_eps_lo(attack(request), request.delta, request.alpha, method)


serve({name: bound(name) for name in ("beta", "jeffreys", "joint-beta")})
