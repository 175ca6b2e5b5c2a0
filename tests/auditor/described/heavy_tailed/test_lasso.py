"""Assumptions of the audit of hu-2."""

import numpy as np
import pytest

from auditor.core.neighbours import differing_records
from auditor.described import build_case
from auditor.questions.sensitivity import largest_ratio
from reference.constraint_sets import L1Ball
from reference.losses import SquaredError, empirical_risk


@pytest.mark.parametrize(
    ("name", "ratio"),
    # d = 1 and diameter for radius in the last
    [("corrected", 1.0), ("corrected-wide", 1.0), ("printed", 201 / 4), ("printed-2", 1 / 4)],
)
def test_how_far_the_pair_goes(name, ratio):
    form = build_case("hu-2").forms[name]
    assert largest_ratio(form.run, *form.pair).ratio == pytest.approx(ratio, rel=1e-12)


def test_visits():
    (real,) = build_case("hu-2").real_data
    features, labels = real.load()
    assert features.shape == (20190, 10)
    assert labels.max() == 77 / 4
    inside = features[:, [name for name in range(10) if name != 6]]
    assert inside.min() >= 0
    assert inside.max() <= 1
    fit = real.baseline((features, labels))
    assert L1Ball(1.0).contains(fit)
    # the optimum: no vertex improves on it by much (Frank-Wolfe gap)
    gradient = SquaredError().gradient((features, labels), fit)
    gap = float(gradient @ fit + np.abs(gradient).max())
    assert gap < 0.01 * empirical_risk(SquaredError(), (features, labels), fit)
    other, index = real.neighbour((features, labels), np.random.default_rng(0))
    assert differing_records((features, labels), other) == [index]
