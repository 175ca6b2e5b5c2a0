import numpy as np
import pytest

from reference.blocks import disjoint_blocks, take_records
from reference.clipping import clip_entries


def test_blocks_are_disjoint_and_of_equal_size():
    blocks = disjoint_blocks(11, 3)
    assert blocks == [slice(0, 3), slice(3, 6), slice(6, 9)]
    assert disjoint_blocks(2, 2) == [slice(0, 1), slice(1, 2)]


def test_the_last_block_may_take_the_remainder():
    blocks = disjoint_blocks(11, 3, whole=True)
    assert blocks == [slice(0, 3), slice(3, 6), slice(6, 11)]
    assert disjoint_blocks(6, 3, whole=True) == disjoint_blocks(6, 3)


@pytest.mark.parametrize("count", [0, 4, -1])
def test_there_are_no_more_blocks_than_records(count):
    with pytest.raises(ValueError, match="number of blocks"):
        disjoint_blocks(3, count)


def test_records_of_a_block():
    features, labels = np.arange(8.0).reshape(4, 2), np.arange(4.0)
    np.testing.assert_array_equal(take_records(labels, slice(1, 3)), [1.0, 2.0])
    first, second = take_records((features, labels), slice(2, 3))
    np.testing.assert_array_equal(first, [[4.0, 5.0]])
    np.testing.assert_array_equal(second, [2.0])


def test_entries_are_clipped_and_nan_becomes_zero():
    values = np.array([[3.0, -0.5], [np.nan, -np.inf]])
    np.testing.assert_array_equal(clip_entries(values, 2.0), [[2.0, -0.5], [0.0, -2.0]])
