"""The events that refute (3.3), (3.7) and Theorem 3.1.3 of paper 004, in runs of the algorithms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from proofs_checks.paper_004.section_3_1 import visible_record
from proofs_checks.paper_004.section_3_1_3 import visible_in_katyusha
from reference.convex.svrg import dp_svrg
from reference.errata.convex.svrg import one_record_constants
from reference.losses import Huber
from reference.privacy.ledger import Ledger
from reference.proximal import Ridge

N, INNER, SIGMA = 40, 14, 0.02


def outputs(features: np.ndarray, *, runs: int, sigma: float = SIGMA) -> np.ndarray:
    """Return the outputs of one epoch of Algorithm 3.1.1 at eta = 1."""
    constants = one_record_constants(Huber(), n=N, noise_scale=sigma)
    found = [
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
            ledger=Ledger(seed),
        )[0]
        for seed in range(runs)
    ]
    return np.array(found)


def test_a_drawn_record_shows_in_the_output_of_the_code() -> None:
    runs, without = 400, np.zeros((N, 1))
    with_record = without.copy()
    with_record[0] = 1.0
    event = visible_record(N, INNER, SIGMA, step_size=1.0)
    probability = float(event.with_record)
    # x_t = 3/2^t without noise
    start = 3 * (1 - 0.5**INNER) / INNER
    assert float(event.without) < 1e-12
    above = outputs(without, runs=40) - start
    assert float(np.abs(above).max()) < event.threshold
    # four standard deviations of a binomial: 6e-5
    spread = 4 * np.sqrt(runs * probability * (1 - probability))
    hits = int((outputs(with_record, runs=runs) - start > float(event.threshold)).sum())
    assert hits > runs * probability - spread > 1
    # the bound is not far below: the draws that it leaves out are the first and the last four
    assert hits < runs * (1 - (1 - 1 / N) ** INNER) + spread


def test_the_output_has_no_more_noise_than_the_bound_says() -> None:
    """Its deviation is at most sigma/sqrt(m), so that P' is not understated."""
    sigma = 0.5
    found = outputs(np.zeros((N, 1)), runs=400, sigma=sigma)
    # chi^2 of 400 degrees: the estimate exceeds its mean by 25% with probability below 1e-9
    assert found.std() < 1.25 * sigma / INNER**0.5


def katyusha(n: int, n_inner: int, sigma: float, *, visible: bool, runs: int) -> np.ndarray:
    """Return Y of one epoch of Algorithm 3.1.2 with noise in step 7, (output - 2) 2 sum w^j."""
    rng = np.random.default_rng(0)
    eta, start, growth = 2 / 3, 4.0, 1 + 1 / (2 * n_inner)

    def slope(x: np.ndarray) -> np.ndarray:
        return np.clip(x - 3, -1, 1) if visible else np.zeros(runs)

    x, total = np.full(runs, start), np.zeros(runs)
    snapshot = slope(np.full(runs, start))
    for j in range(n_inner):
        drawn = rng.integers(n, size=runs) == n - 1
        y = (x + start) / 2
        v = snapshot / n + sigma * rng.standard_normal(runs) + (slope(y) - snapshot) * drawn
        moved = x - eta * v
        x = np.sign(moved) * np.maximum(np.abs(moved) - eta, 0) / growth
        total += growth**j * x
    return total


def test_a_drawn_record_shows_in_the_output_of_katyusha() -> None:
    n, inner, sigma, runs = 400, 300, 0.004, 1000
    event = visible_in_katyusha(n, inner, sigma)
    probability = float(event.with_record)
    assert 0.5 < probability < 0.55
    assert float(event.without) < 1e-3
    hits = int((katyusha(n, inner, sigma, visible=True, runs=runs) > event.threshold).sum())
    # five standard deviations of a binomial: 6e-7
    assert abs(hits / runs - probability) < 5 * (probability * (1 - probability) / runs) ** 0.5
    assert not (katyusha(n, inner, sigma, visible=False, runs=runs) > event.threshold).any()


def test_where_the_paths_overlap_nothing_is_claimed() -> None:
    with pytest.raises(ValueError, match="n = 20 is too small"):
        visible_in_katyusha(20, 15, 0.001)


def test_smaller_steps_only_take_longer_to_settle() -> None:
    later = visible_record(200, 60, 0.001, step_size=1 / 8).with_record
    assert 0 < later < visible_record(200, 60, 0.001, step_size=1.0).with_record
