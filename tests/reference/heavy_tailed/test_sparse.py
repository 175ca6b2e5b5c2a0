"""Noisy hard thresholding on shrunken data (hu-3) and with robust gradients (hu-5): constants.

The settings of each say what it gives without noise.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from auditor.questions.sensitivity import largest_ratio
from reference.errata.heavy_tailed.sparse_optimisation import printed as printed_optimisation
from reference.errata.heavy_tailed.sparse_regression import printed as printed_regression
from reference.heavy_tailed.sparse_optimisation import (
    balanced_truncation_scale,
    heavy_tailed_sparse_optimisation,
)
from reference.heavy_tailed.sparse_regression import (
    heavy_tailed_sparse_regression,
    theorem_truncation_level,
)
from reference.losses import SquaredDistance
from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.ledger import MutatedLedger

START = np.array([0.0, 0.5, 0.0, 0.0, 0.0])
ROWS = np.array([0.0, 1.5, 0.0, -1.0, 0.0]) + np.random.default_rng(0).standard_t(3, (62, 5))
CLAIM: dict[str, Any] = {"sparsity": 2, "epsilon": 0.9, "delta": 1e-5, "n_iterations": 3}


def regress(data: Any, function: Any = heavy_tailed_sparse_regression, **changes: Any) -> Any:
    """Return what is released."""
    ledger = RecordingLedger(1)
    given = {**CLAIM, "truncation_level": 2.0, "step_size": 0.4, "ledger": ledger, **changes}
    function(data, **given)
    return ledger.transcript.releases


def optimise(
    data: Any = ROWS, function: Any = heavy_tailed_sparse_optimisation, **changes: Any
) -> np.ndarray:
    usual = {"loss": SquaredDistance(), "truncation_scale": 3.0, "initial": START, **CLAIM}
    return function(data, **{**usual, "step_size": 1 / 3, "ledger": Ledger(1), **changes})


# --------------------------------------------------------------------- hu-3, on shrunken data


def test_truncation_of_theorem_7() -> None:
    """(n epsilon)^(1/4) (s T)^(-1/4)."""
    level = theorem_truncation_level
    assert level(240_000, 1.0, sparsity=3, n_iterations=8) == pytest.approx(10.0)
    base = level(1000, 0.5, sparsity=2, n_iterations=5)
    assert level(16_000, 0.5, sparsity=2, n_iterations=5) == pytest.approx(2 * base)
    assert level(1000, 8.0, sparsity=2, n_iterations=5) == pytest.approx(2 * base)
    assert level(1000, 0.5, sparsity=32, n_iterations=5) == pytest.approx(base / 2)
    assert level(1000, 0.5, sparsity=2, n_iterations=80) == pytest.approx(base / 2)
    with pytest.raises(ValueError, match="epsilon must be a finite number > 0, got 0"):
        level(10, 0, sparsity=1, n_iterations=1)


def test_claimed_sensitivity_by_hand() -> None:
    """2 K^2 eta (sqrt(s) + 1)/m with K = 2, eta = .4, s = 2; printed sqrt(s + 1)."""
    # 62 records in three batches: m = 20
    data = ROWS, ROWS[:, 0]
    forms = ((heavy_tailed_sparse_regression, math.sqrt(2) + 1), (printed_regression, math.sqrt(3)))
    for function, factor in forms:
        (claimed,) = {release.claim.sensitivity for release in regress(data, function)}
        assert claimed == pytest.approx(2 * 4 * 0.4 * factor / 20, rel=1e-15)


@pytest.mark.parametrize("delta", [0.09, 1e-2, 1e-5])
@pytest.mark.parametrize("s", [1, 2, 4, 9, 25])
def test_the_printed_noise_meets_the_claim_all_the_same(s: int, delta: float) -> None:
    """At its true sensitivity, the run with the printed scale spends less than epsilon = .99."""
    understated = (math.sqrt(s) + 1) / math.sqrt(s + 1)
    ledger = MutatedLedger(Ledger(0), lambda _, m, value, claim: (m, value, claim * understated))
    given = {**CLAIM, "epsilon": 0.99, "delta": delta, "sparsity": s, "n_iterations": 1}
    data = (np.ones((2, s + 1)), np.ones(2))
    printed_regression(data, truncation_level=2.0, step_size=0.4, ledger=ledger, **given)
    assert ledger.spent(delta=delta).epsilon < 0.85 * 0.99


# ------------------------------------------------------------------ hu-5, with robust gradients


def test_balanced_truncation_scale() -> None:
    """sqrt(n epsilon tau/(T sqrt(s L) log d)) with L = 4, s = 9: 10^4/(5 6 log d)."""
    options: dict[str, Any] = {"second_moment": 8.0, "dimension": 1000, "n_iterations": 5}
    options |= {"n": 2500, "epsilon": 0.5, "delta": math.exp(-4), "sparsity": 9}
    found = balanced_truncation_scale(**options)
    assert found == pytest.approx(math.sqrt(10_000 / (30 * math.log(1000))), rel=1e-12)
    # the factor s^(-1/4) that the theorem leaves out
    more = balanced_truncation_scale(**{**options, "sparsity": 144})
    assert more == pytest.approx(found / 2, rel=1e-12)
    for name, value in (("dimension", 1), ("second_moment", 0.0), ("n_iterations", 0)):
        with pytest.raises(ValueError, match=f"{name} must be"):
            balanced_truncation_scale(**{**options, name: value})


def test_the_printed_noise_scale_is_three_times_the_sensitivity() -> None:
    """Erratum 1: 4 sqrt(2) k eta/m where a third of it is the bound; both are valid."""
    huge = np.array([[1e9, -1e9], [-1e9, -1e9]])
    one = {"sparsity": 1, "precision": 1e4, "n_iterations": 1, "initial": [0.0, 0.0]}
    # attained by the corrected scale (up to erf(sqrt(precision/2))), a third of the printed one
    for function, ratio in ((heavy_tailed_sparse_optimisation, 1.0), (printed_optimisation, 1 / 3)):

        def run(data: Any, ledger: Any, function: Any = function) -> Any:
            return optimise(data, function, ledger=ledger, **one)

        gap = largest_ratio(run, huge, huge * [[-1.0], [1.0]])
        assert gap is not None
        assert gap.ratio == pytest.approx(ratio, rel=1e-9)
        assert gap.ratio <= 1
    ledgers = RecordingLedger(1), RecordingLedger(1)
    optimise(ledger=ledgers[0])
    optimise(function=printed_optimisation, ledger=ledgers[1])
    right, loose = (ledger.transcript.releases[0].mechanism.scale for ledger in ledgers)
    assert loose == pytest.approx(3 * right)


@dataclass(frozen=True)
class Watched(SquaredDistance):
    """The squared distance, keeping the points at which gradients were asked for."""

    points: list[np.ndarray] = field(default_factory=list)

    def gradients(self, records: np.ndarray, x: np.ndarray) -> np.ndarray:
        self.points.append(x.copy())
        return super().gradients(records, x)


def test_the_first_gradient_is_taken_at_the_input() -> None:
    """Erratum 2: w^1 for t = 1, and w^t after it, not w^{t-1}."""
    loss = Watched()
    found = optimise(loss=loss, n_iterations=2, ledger=NoiselessLedger())
    np.testing.assert_array_equal(loss.points[-2], START)
    once = optimise(ROWS[:31], n_iterations=1, ledger=NoiselessLedger())
    np.testing.assert_array_equal(loss.points[-1], once)
    for probed in loss.points[:-2]:  # of made-up records, before any step
        assert probed.tolist() in (START.tolist(), (START + 1).tolist())
    again = optimise(ROWS[31:], n_iterations=1, initial=once, ledger=NoiselessLedger())
    np.testing.assert_array_equal(found, again)
