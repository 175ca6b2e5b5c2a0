"""False alarms: the one statistical test has probability below 1e-5."""

import math

import numpy as np
import pytest

from reference.local.partition import random_partition
from reference.local.sampled_mean import local_vector_mean
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger


def test_by_hand():
    # b = 2, epsilon = 4: scale 0.5; user 0 and 2 send coordinate 1, user 1 coordinate 0
    data = [[9.0, 0.5], [-3.0, 7.0], [1.0, 7.0]]
    found = local_vector_mean(
        data, epsilon=4.0, upper=2.0, partition=[1, 0, 1],
        ledger=GivenDrawsLedger([[1.0, 2.0, -1.0]]),
    )  # fmt: skip
    assert found == pytest.approx([0 + 1.0, ((0.5 + 0.5) + (2 - 0.5)) / 2])


def test_without_noise_equal_rows_are_returned():
    row = [0.1, 0.7, 0.0, 1.0]
    found = local_vector_mean(
        np.tile(row, (9, 1)), epsilon=1.0, upper=1.0, ledger=NoiselessLedger(0)
    )
    assert found == pytest.approx(row)


def test_a_user_sends_one_number_and_spends_epsilon():
    ledger = RecordingLedger(0)
    local_vector_mean(np.ones((11, 4)), epsilon=0.3, upper=2.0, ledger=ledger)
    (only,) = ledger.transcript.releases
    assert only.value.shape == (11,)
    assert only.mechanism.scale == pytest.approx(2 / 0.3)
    assert ledger.spent(delta=0.0).epsilon == pytest.approx(0.3)


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


def test_users_and_coordinates_may_be_renumbered():
    rng = np.random.default_rng(0)
    data, parts = rng.uniform(size=(12, 3)), np.arange(12) % 3
    order, names = rng.permutation(12), np.array([2, 0, 1])

    def run(rows, chosen):
        return local_vector_mean(
            rows, epsilon=1.0, upper=1.0, partition=chosen, ledger=NoiselessLedger()
        )

    found = run(data, parts)
    assert run(data[order], parts[order]) == pytest.approx(found)
    # column c of the data becomes column names[c]
    renamed = np.empty_like(data)
    renamed[:, names] = data
    assert run(renamed, names[parts])[names] == pytest.approx(found)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"data": np.zeros((2, 3))}, ValueError, "data must have a record for each of 3 parts"),
        ({"data": [1.0, 2.0]}, ValueError, "data must have 2 dimension"),
        ({"upper": -1.0}, ValueError, "upper must be a finite number > 0"),
        ({"epsilon": math.nan}, ValueError, "epsilon must be a finite number > 0"),
        ({"partition": [0, 0, 0]}, ValueError, "partition must hold every integer from 0 to 1"),
        ({"partition": [0, 1, 2]}, ValueError, "partition must hold every integer from 0 to 1"),
        ({"partition": [0, 1, 0.5]}, ValueError, "partition must hold every integer from 0 to 1"),
        ({"partition": [0, 1]}, ValueError, "partition must have shape"),
    ],
)
def test_bad_input_is_refused_before_any_release(change, error, message):
    ledger = Ledger(0)
    arguments = {"data": np.zeros((3, 2)), "upper": 1.0, "epsilon": 1.0, "ledger": ledger, **change}
    with pytest.raises(error, match=message):
        local_vector_mean(**arguments)
    assert len(ledger.transcript) == 0
