"""The figures in the witnesses of its errata, computed again."""

import sys

import numpy as np
import pytest

from reference.errata.heavy_tailed.sample_and_aggregate import printed_2_bound, printed_bound
from reference.heavy_tailed.sample_and_aggregate import radii, smooth_bound


def test_the_largest_radii_and_no_diameter_have_the_numbers_of_errata_1_and_2():
    zeros, far, close = np.zeros((2500, 1)), np.zeros((2500, 1)), np.zeros((2500, 1))
    far[:50], close[:50] = 25.0, 10.0
    with_zeros, with_far, with_close = (
        [bound(radii(x), 50, decay=0.4, diameter=50.0) for bound in (smooth_bound, printed_bound)]
        for x in (zeros, far, close)
    )
    assert with_zeros == pytest.approx([0.00677, 0.00677], rel=1e-3)
    assert with_far == pytest.approx([0.00677, 20.0], rel=1e-3)
    assert with_close == pytest.approx([0.00677, 8.0], rel=1e-3)
    assert with_far[1] / with_far[0] == pytest.approx(2953, abs=1)

    zeros, close = np.zeros((400, 1)), np.zeros((400, 1))
    close[:20] = 10.0
    bounds = [printed_2_bound(radii(x), 20, decay=0.1, diameter=50.0) for x in (zeros, close)]
    assert bounds == pytest.approx([sys.float_info.min, 8.99], rel=1e-3)
