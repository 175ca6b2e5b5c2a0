"""The event that refutes (3.3) of paper 004, in runs of the implementation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proofs_checks.paper_004.section_3_1 import visible_record
from reference.convex.svrg import dp_svrg
from reference.errata.convex.svrg import one_record_constants
from reference.losses import Huber
from reference.privacy.ledger import RecordingLedger
from reference.proximal import Ridge

N, INNER, RUNS, SIGMA = 20, 14, 60, 0.05


def hits(features: np.ndarray) -> int:
    """Count the runs in which some v_t is below -1."""
    constants = one_record_constants(Huber(), n=N, noise_scale=SIGMA)
    found = 0
    for seed in range(RUNS):
        ledger = RecordingLedger(seed)
        dp_svrg(
            (features, np.full(N, 1.5)),
            Huber(),
            Ridge(1.0),
            initial=[3.0],
            epsilon=1.0,
            delta=1e-2,
            n_epochs=1,
            n_inner=INNER,
            constants=replace(constants, step_size=1.0),
            ledger=ledger,
        )
        outputs = [float(release.output[0]) for release in ledger.transcript.releases]
        found += min(outputs) < -1
    return found


def test_a_drawn_record_is_visible_in_the_code() -> None:
    without = np.zeros((N, 1))
    with_record = without.copy()
    with_record[0] = 1.0
    event = visible_record(N, INNER, SIGMA)
    probability = float(event.with_record)
    assert float(event.without) < 1e-80
    assert hits(without) == 0
    # five standard deviations of a binomial
    spread = 5 * np.sqrt(RUNS * probability * (1 - probability))
    assert hits(with_record) > RUNS * probability - spread > 1
