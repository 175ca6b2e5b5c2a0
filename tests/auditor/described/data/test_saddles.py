"""The saddle whose records are alike."""

import numpy as np

from auditor.described.data.saddles import SADDLE, AllAlike

ALIKE = AllAlike(SADDLE.loss, SADDLE.distinct)


def test_any_batch_of_records_that_are_alike_has_the_derivatives_of_all():
    x, batch = np.array([0.3, -0.7]), np.array([5])
    for name in ("gradient", "hessian"):
        of_all = getattr(SADDLE, name)(np.arange(8), x)
        np.testing.assert_array_equal(getattr(ALIKE, name)(np.arange(8), x, batch), of_all)
    # by hand: F(w) = (cos w_1 - cos w_2)/4
    by_hand = [-np.sin(0.3) / 4, np.sin(-0.7) / 4]
    np.testing.assert_allclose(ALIKE.gradient(np.arange(8), x, batch), by_hand, rtol=1e-14)
