"""Section 3.1: the batches of Algorithm 2, and of the algorithms that copy it."""

from __future__ import annotations

import math

import numpy as np
import scipy

from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import refuted, searched
from reference.errata.sparse.peeling import printed_noise_scale
from reference.privacy.ledger import Ledger

_S, _EPSILON, _DELTA = 10, 1.0, 1e-5


def sign_test_delta(shift: float, releases: int, epsilon: float) -> float:
    """Return a lower bound on delta(epsilon) of Laplace releases that all move by the same amount.

    The event: more than k of the outputs exceed the midpoint, for the best k. Each does so with
    probability 1 - exp(-shift/2)/2 on one data set and exp(-shift/2)/2 on the other; ``shift`` is
    in units of the Laplace scale.
    """
    p = 1 - math.exp(-shift / 2) / 2
    k = np.arange(releases + 1)
    tail, other = (scipy.stats.binom.sf(k, releases, chance) for chance in (p, 1 - p))
    return float((tail - math.exp(epsilon) * other).max())


@statement(
    "002 Algorithms 2-8, step 4",
    lines="138-146, 239-246, 379-386, 569-576, 604-611, 664-671, 690-697",
    kind="composition",
    printed="every iteration sums over i = 1, ..., n/N0, and the whole is (epsilon, delta)-DP",
    false="no batch index: read literally the first n/N0 records are used N0 times (misprint)",
    algorithms=("zhang-2", "zhang-3", "zhang-5", "zhang-6"),
    errata=("zhang-2/E1",),
)
def reused_batch() -> Outcome:
    """The values of N0 = 50 steps alone, d = s = 10, of a record in the first n/N0."""
    scale = printed_noise_scale(_EPSILON, _DELTA, sparsity=_S, sensitivity=1.0)
    # Lemma 3.1 asks for a change strictly below lambda
    found = sign_test_delta((1 - 1e-6) / scale, 50 * _S, _EPSILON)
    point = {"d": _S, "s": _S, "epsilon": _EPSILON, "delta": _DELTA, "N0": 50}
    return refuted(point, found, _DELTA, "delta of the values, by a sign test, against delta")


@reused_batch.corrected(
    "sum over the t-th of N0 disjoint batches, as the text (l.136) and Lemma 3.3 say",
    refuses={"the same batch in every step": {"disjoint": False}},
    unchecked={
        "t, N0": "the code charges N0 = 50 batches, t = 0 to 49, of eight records each",
    },
)
def fresh_batches(disjoint: bool = True) -> Outcome:
    """A record is in one batch; the rest is post-processing (Lemma 3.3)."""
    scale = printed_noise_scale(_EPSILON, _DELTA, sparsity=_S, sensitivity=1.0)
    ledger = Ledger(np.random.default_rng(0))
    for batch in range(50):
        start = 8 * batch if disjoint else 0
        records = slice(start, start + 8)
        ledger.peeling(np.zeros(_S), count=_S, sensitivity=1.0, scale=scale, records=records)
    charged = ledger.spent(delta=_DELTA).epsilon
    return searched(charged, _EPSILON, tried=1, what="epsilon charged for 50 batches at 1e-5")
