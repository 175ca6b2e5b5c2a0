"""Helpers of the checks of section 3.3 of paper 004, against runs and other computations."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy

from auditor.described.data.pairs import Pull
from proofs_checks.paper_004.section_3_3_2_buffer import buffer_law, clipped_means, visible_record
from proofs_checks.paper_004.section_3_3_6_regret import reservoir
from reference.constraint_sets import L2Ball
from reference.errata.pairwise.finite_buffer import printed, rs_x
from reference.pairwise.losses import Regularized
from reference.privacy.guarantees import zcdp_rho
from reference.privacy.ledger import NoiselessLedger, RecordingLedger


@pytest.mark.parametrize(("size", "n"), [(1, 4), (2, 4), (3, 5)])
def test_the_law_of_the_buffer_is_that_of_the_printed_box(size: int, n: int) -> None:
    law = buffer_law(size, n)
    assert sum(law.values()) == 1
    rng, runs = np.random.default_rng(0), 3000
    drawn = Counter(tuple(int(i) + 1 for i in rs_x(rng, n + 1, size)[n]) for _ in range(runs))
    assert set(drawn) <= set(law)
    for buffer, probability in law.items():
        spread = math.sqrt(runs * probability * (1 - probability))
        assert abs(drawn[buffer] - runs * probability) <= 5 * spread


def test_a_record_stays_in_one_slot_with_probability_1_over_n() -> None:
    assert buffer_law(1, 9)[(3,)] == Fraction(1, 9)


def test_means_of_clipped_gaussians() -> None:
    for centre, scale in ((0.0, 1.0), (0.4, 0.1), (0.5, 3.0), (-0.2, 0.7)):
        grid, step = np.linspace(-12, 12, 200_001, retstep=True)
        values = np.clip(centre + scale * grid, -0.5, 0.5)
        expected = float((values * scipy.stats.norm.pdf(grid)).sum() * step)
        found = clipped_means(np.array([centre]), np.array([scale]))[0]
        assert found == pytest.approx(expected, abs=1e-8)


def test_the_visible_record_follows_the_printed_box() -> None:
    """A run in which the record of round 20 is in the one slot has the path of the bound."""
    n, alpha = 40, 0.5
    data = np.zeros((n, 1))
    data[19] = 0.5
    loss = Regularized(Pull(feature_bound=0.5), alpha, np.zeros(1))
    parameters = {"initial": np.zeros(1), "epsilon": 1.0, "delta": 1e-3, "buffer_size": 1}
    for seed in range(400):
        buffers = rs_x(np.random.default_rng(seed), n, 1)
        if buffers[-1][0] == 19:
            break
    path = printed(data, loss, L2Ball(0.5), ledger=NoiselessLedger(seed), **parameters)[:, 0]
    w = 0.0
    for t in range(20, n + 1):
        w = min(0.5, w - (t - 1) / (t - 2) * 2 / (alpha * t) * (alpha * w - 0.5))
        assert path[t - 1] == pytest.approx(w)
    ledger = RecordingLedger(0)
    printed(data, loss, L2Ball(0.5), ledger=ledger, **parameters)
    size = 0.5 + alpha  # G + alpha ||C||
    for t, release in enumerate(ledger.transcript.releases, start=17):
        scale = math.sqrt(32 * (n - 16) / zcdp_rho(1.0, 1e-3)) * size / (alpha * t)
        assert release.mechanism.scale == pytest.approx(scale)


def test_the_bound_grows_with_the_stream() -> None:
    bounds = [
        visible_record(n, alpha=1.0, lipschitz=1.0, start=16, delta=1e-6) for n in (3000, 10000)
    ]
    assert 1 < bounds[0] < bounds[1]


def test_the_buffer_of_the_lemmas_is_that_of_the_box() -> None:
    """The last mean of three slots of 0, ..., n-1 is on average that of the past."""
    rng = np.random.default_rng(1)
    last = [reservoir(rng, 3, np.arange(12.0))[-1] for _ in range(3000)]
    # a slot is uniform on 0, ..., 10: mean 5, variance 10, three slots
    assert abs(np.mean(last) - 5) < 5 * math.sqrt(10 / 3 / 3000)
    assert np.var(last) == pytest.approx(10 / 3, rel=0.15)
