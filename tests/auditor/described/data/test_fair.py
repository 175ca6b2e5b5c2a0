import numpy as np
import pytest

from auditor.core.neighbours import differing_records
from auditor.described.data import fair
from reference.losses import Sigmoid


def test_every_answer_lies_in_its_public_range():
    columns = fair.explanatory()
    assert columns.shape == (6366, 8)
    assert np.abs(columns).max() == 1
    assert 0 < fair.column("age").min() < fair.column("age").max() <= fair.OLDEST


def test_classification():
    features, labels = fair.classification()
    assert features.shape == (6366, 9)
    assert np.linalg.norm(features, axis=1).max() <= 1
    assert (labels == 1).sum() == 2053
    other, index = fair.opposite_record((features, labels), np.random.default_rng(0))
    assert differing_records((features, labels), other) == [index]
    assert np.linalg.norm(other[0][index]) == pytest.approx(1.0)
    Sigmoid().validate(other, 9)


def test_the_codes_of_the_survey_are_all_used() -> None:
    for name, ends in fair.RANGES.items():
        column = fair.column(name)
        assert (column.min(), column.max()) == ends
