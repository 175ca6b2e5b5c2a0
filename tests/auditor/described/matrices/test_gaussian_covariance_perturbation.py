import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.second_moments import distance_over_bound, tilt
from auditor.questions import sensitivity
from reference.matrices.graphical_lasso import graphical_lasso

CASES = [
    (identifier, name)
    for identifier in ("diss-6.3.51-G", "diss-6.3.53")
    for name in build_case(identifier).forms
]


@pytest.mark.parametrize(("identifier", "name"), CASES)
def test_the_pair_attains_the_sensitivity(identifier, name):
    form = build_case(identifier).forms[name]
    expected = math.sqrt(2) if name.startswith("printed") else 1.0
    assert sensitivity.largest_ratio(form.run, *form.pair).ratio == pytest.approx(expected)


def test_the_statistic_recovers_the_diagonal():
    moment = np.array([[0.7, 0.2], [0.2, 0.3]])
    assert tilt(graphical_lasso(moment, penalty=0.05)) == pytest.approx(0.4)


def test_the_error_is_at_most_the_noise():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows = rng.standard_normal((10, 3))
        moment = rows.T @ rows / 10
        noise = 0.1 * np.diag(rng.random(3))
        best, moved = (graphical_lasso(m, penalty=0.1).theta for m in (moment, moment + noise))
        assert 0 < distance_over_bound(moved, best) <= np.linalg.norm(noise)
