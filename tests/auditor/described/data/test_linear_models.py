import numpy as np
import pytest

from auditor.described.data.linear_models import (
    RepeatedRecords,
    distinct_records,
    exact_linear_gradient,
    one_visible_record,
    padded,
)
from reference.losses import Linear, Sigmoid


def test_exact_gradient_is_the_codes_gradient():
    data, other = one_visible_record(7, 2, 3.0)
    exact = [[float(v) for v in exact_linear_gradient(side)] for side in (data, other)]
    np.testing.assert_allclose(exact[0], [3 / 7, 0.0], rtol=1e-15)
    np.testing.assert_allclose(exact[1], [-3 / 7, 0.0], rtol=1e-15)
    code = Linear(feature_bound=3.0).gradient(data, np.zeros(2))
    np.testing.assert_allclose(code, exact[0], rtol=1e-15)


def test_repeated_records_are_the_data_set_they_stand_for():
    distinct = distinct_records(6, 3, "l2", flipped=0.5)
    wrapped = RepeatedRecords(Sigmoid(), distinct)
    x = np.array([0.5, -1.0, 2.0])
    data = tuple(np.concatenate([part] * 4) for part in distinct)
    records = wrapped.validate(np.arange(24), 3)
    assert wrapped.size(records) == 24
    np.testing.assert_allclose(
        wrapped.gradient(records, x), Sigmoid().gradient(data, x), rtol=1e-13
    )
    with pytest.raises(ValueError, match="multiple of the distinct records, got 25"):
        wrapped.validate(np.arange(25), 3)
    with pytest.raises(ValueError, match="indices must be None"):
        wrapped.gradient(records, x, np.array([1]))


def test_features_of_zeros_change_no_gradient():
    records = distinct_records(6, 3, "l2")
    x = np.array([0.5, -1.0, 2.0])
    wide = Sigmoid().gradient(padded(records, 5), np.append(x, [7.0, 8.0]))
    np.testing.assert_allclose(wide, [*Sigmoid().gradient(records, x), 0.0, 0.0], rtol=1e-14)
