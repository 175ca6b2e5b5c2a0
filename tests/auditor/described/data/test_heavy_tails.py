import numpy as np

from auditor.core.neighbours import differing_records
from auditor.described.data.heavy_tails import HUGE_RECORD, halves


def test_halves_are_halves_and_one_record_is_the_other():
    data, other = halves(10)
    assert np.bincount(data > 0).tolist() == [5, 5]
    assert np.bincount(other > 0).tolist() == [4, 6]
    assert (np.abs(data) == HUGE_RECORD).all()
    assert len(differing_records(data, other)) == 1
