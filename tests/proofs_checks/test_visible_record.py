"""The event that refutes (3.3) of paper 004, in runs of the implementation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proofs_checks.paper_004.section_3_1 import visible_record
from proofs_checks.paper_004.section_3_1_3 import visible_in_katyusha
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


def katyusha_hits(n: int, n_inner: int, sigma: float, *, visible: bool, runs: int) -> int:
    """Count the runs of one epoch of Algorithm 3.1.2, with noise, in which some v_t < -1."""
    rng = np.random.default_rng(0)
    start, found = 1e6, 0
    eta, mu = 2 / 3, 3 / (4 * n_inner)

    def slope(x: float) -> float:
        return float(np.clip(x - 0.95 * start, -1, 1)) if visible else 0.0

    for _ in range(runs):
        x, least = start, 0.0
        for _ in range(n_inner):
            drawn, y = rng.integers(n) == n - 1, (x + start) / 2
            v = slope(start) / n + sigma * rng.standard_normal()
            v += (slope(y) - slope(start)) * drawn
            x = (x - eta * v) / (1 + eta * mu)
            least = min(least, v)
        found += least < -1
    return found


def test_the_event_in_katyusha_is_as_likely_as_its_bounds_say() -> None:
    runs = 1000
    with_record, without = visible_in_katyusha(20, 15, SIGMA)
    found = katyusha_hits(20, 15, SIGMA, visible=True, runs=runs)
    assert float(with_record) > 0.1
    # four standard deviations of the frequency
    assert found / runs > float(with_record) - 4 * (float(with_record) / runs) ** 0.5
    assert katyusha_hits(20, 15, SIGMA, visible=False, runs=200) == 0
    assert float(without) < 1e-6


def test_smaller_steps_only_take_longer_to_settle() -> None:
    assert visible_record(N, 60, SIGMA, settled=34).with_record > 0
    later = visible_record(N, 60, SIGMA, settled=34).with_record
    assert later < visible_record(N, 60, SIGMA).with_record
