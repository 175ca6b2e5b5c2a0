"""False alarms: the one statistical test has probability below 1e-5."""

import math

import numpy as np
import pytest

from reference.local.partition import random_partition
from reference.local.sampled_mean import local_vector_mean
from reference.privacy import GivenDrawsLedger, NoiselessLedger, RecordingLedger


def test_by_hand():
    # b = 2, epsilon = 4: scale 0.5; user 0 and 2 send coordinate 1, user 1 coordinate 0
    data = [[9.0, 0.5], [-3.0, 7.0], [1.0, 7.0]]
    ledger = GivenDrawsLedger([[1.0, 2.0, -1.0]])
    found = local_vector_mean(data, epsilon=4.0, upper=2.0, partition=[1, 0, 1], ledger=ledger)
    assert found == pytest.approx([0 + 1.0, ((0.5 + 0.5) + (2 - 0.5)) / 2])


def test_without_noise_equal_rows_are_returned():
    row = [0.1, 0.7, 0.0, 1.0]
    found = local_vector_mean(
        np.tile(row, (9, 1)), epsilon=1.0, upper=1.0, ledger=NoiselessLedger(0)
    )
    assert found == pytest.approx(row)


def test_the_partition_is_public_uniform_and_even():
    parts = random_partition(np.random.default_rng(0), 14, 4)
    assert sorted(np.bincount(parts).tolist()) == [3, 3, 4, 4]
    first = [int(random_partition(np.random.default_rng(seed), 4, 4)[0]) for seed in range(4000)]
    # each of the four has 1000 +- 5.5 standard deviations of a binomial
    assert np.abs(np.bincount(first) - 1000).max() < 5.5 * math.sqrt(4000 * 0.25 * 0.75)
    ledger = RecordingLedger(1)
    local_vector_mean(np.ones((8, 4)), epsilon=1.0, upper=1.0, ledger=ledger)
    assert not np.array_equal(ledger.transcript.entries[0].value, np.arange(8) % 4)
    assert sorted(ledger.transcript.entries[0].value) == [0, 0, 1, 1, 2, 2, 3, 3]
