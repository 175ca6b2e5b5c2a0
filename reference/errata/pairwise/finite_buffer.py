"""Errata in the sources of diss-3.3.12 (Algorithms 3.3.11 and 3.3.12)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reference._validation import FloatArray, IntArray
from reference.catalogue import Erratum, PrintedForm
from reference.constraint_sets import L2Ball
from reference.pairwise.losses import PairwiseLoss
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger


def rs_x(rng: np.random.Generator, n: int, size: int) -> list[IntArray]:
    """Return the indices in the buffer before each record: Algorithm 3.3.11, with replacement."""
    buffer, buffers = np.empty(0, dtype=np.int64), []
    for t in range(1, n + 1):
        buffers.append(buffer)
        if t <= size:  # steps 2 and 3
            buffer = np.append(buffer, t - 1)
        elif t == size + 1:  # steps 5 to 7
            buffer = rng.choice(np.append(buffer, t - 1), size)
        else:  # step 9
            buffer = np.where(rng.random(size) < 1 / t, t - 1, buffer)
    return buffers


def printed(
    data: Any,
    loss: PairwiseLoss,
    constraint: L2Ball,
    *,
    initial: Any,
    epsilon: float,
    delta: float,
    buffer_size: int,
    ledger: Ledger | None = None,
) -> FloatArray:
    """As printed: a buffer drawn with replacement, and noise for a sensitivity of 8G/(alpha t)."""
    ledger = open_ledger(ledger)
    w = np.asarray(initial, dtype=float)
    records = loss.validate(data, w.size)
    n, alpha = loss.size(records), loss.strong_convexity
    lipschitz, rho = loss.lipschitz(constraint.radius), zcdp_rho(epsilon, delta)
    first_phase = max(math.ceil(16 * (loss.smoothness / alpha) ** 2), 7)  # step 2
    buffers = ledger.public(lambda rng: rs_x(rng, n, buffer_size))
    outputs = np.tile(w, (n, 1))
    for t in range(first_phase + 1, n + 1):  # steps 9 and 10
        step_size = (t - 1) / (t - 2) * 2 / (alpha * t)  # step 11
        gradient = loss.gradient(records, w, t - 1, buffers[t - 1])
        w = constraint.project(w - step_size * gradient)  # step 12
        noisy = ledger.gaussian(  # step 13
            w,
            sensitivity=2 * lipschitz / alpha,  # of a buffer full of one record; not 8G/(alpha t)
            scale=lipschitz * math.sqrt(32 * (n - first_phase) / rho) / (alpha * t),
        )
        outputs[t - 1] = constraint.project(noisy)  # step 14
    return outputs


ERRATA = (
    Erratum(
        name="diss-3.3.12/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 3.3.4: FBOnPairStrC is (epsilon, delta)-DP, by the proof of Theorem "
        "3.3.1",
        truth="RS-x draws with replacement: one record can fill the buffer, and its effect tends "
        "to 2G/alpha, not to 0 like 8G/(alpha t). Drawn without replacement it is at most "
        "4G/(alpha t) + 2G/(alpha s)",
        witness="n = 1e4, s = 1, (1, 1e-6): an event of probability >= 4.9e-5 against < e^-500, "
        "the buffer hidden; to who knows the buffer, n = 60, s = 3, (20, 1e-3): delta(20) = 0.08",
        reproduced_by="proofs:004 Theorem 3.3.4",
    ),
    Erratum(
        name="diss-3.3.12/E2",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Lemma 3.3.3: R_A(n) <= R^buf_A(n)/(n-1) + O(C_d/sqrt(s) + ...)",
        truth="R_{P,A}(n)/(n-1) on the left, as (3.114) takes from it",
        witness="l = |w|/2, w_t = 1, s = n = 1e6: 499999.5 against 6.8 with constants of 1000",
        reproduced_by="proofs:004 Lemma 3.3.3",
        elsewhere="R_{P,A} in (3.114), l.2252, which is drawn from it",
        sign="index",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-3.3.12/E1",), function=printed),)
