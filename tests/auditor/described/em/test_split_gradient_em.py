"""The real-data audit of wang-2."""

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.data.mixtures import breast_cancer
from reference.privacy import Ledger, NoiselessLedger


class TestBreastCancer:
    @pytest.fixture(autouse=True)
    def _needs_sklearn(self) -> None:
        pytest.importorskip("sklearn")

    def test_preparation(self) -> None:
        data = breast_cancer()
        assert data.shape == (424, 30)
        np.testing.assert_allclose(data.std(axis=0), 1, rtol=1e-9)
        # balanced classes: the midpoint of the two means is the mean of all
        np.testing.assert_allclose(data.mean(axis=0), 0, atol=1e-9)

    def test_private_fit_approaches_the_baseline(self) -> None:
        (real,) = build_case("wang-2").real_data
        data = real.load()
        baseline = real.baseline(data)
        assert real.error(-baseline, baseline) == 0
        assert real.error(2 * baseline, baseline) == pytest.approx(1.0)
        # medians of 11: 0.56 and 0.13 with a spread of 0.08 and 0.01 per run
        medians = [
            np.median([real.error(real.run(data, e, Ledger(s)), baseline) for s in range(11)])
            for e in (0.5, 16.0)
        ]
        assert medians[1] < 0.2 < medians[0]
        assert real.error(real.run(data, 16.0, NoiselessLedger()), baseline) < medians[0]

    def test_neighbour_differs_in_one_row_of_the_first_block(self) -> None:
        (real,) = build_case("wang-2").real_data
        data = real.load()
        other, replaced = real.neighbour(data, np.random.default_rng(0))
        differing = np.flatnonzero((data != other).any(axis=1))
        assert differing.tolist() == [replaced]
        assert replaced < len(data) // 2
