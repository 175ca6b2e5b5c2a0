"""The figures in the witnesses of errata, computed again."""

import math
from typing import Any

import numpy as np
import pytest

from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.em.sparse_em import sparse_em
from reference.errata.em.sparse_em import printed as errata_printed
from reference.privacy import Ledger, RecordingLedger


def test_records_are_not_independent_of_the_iterate_they_made() -> None:
    # erratum 1, without noise: at beta^1 the sample's map exceeds the population's by 0.0533 on
    # average, at the fixed beta^0 by 0. Tolerances of 6 standard errors: P(false alarm) < 1e-8
    model, truth, n, runs = GaussianMixture(1.0), 0.5, 4, 100_000
    y = model.sample(np.array([truth]), n * runs, np.random.default_rng(7)).reshape(runs, n)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    grid = np.linspace(0, 8, 801)
    means = [
        weights @ (np.tanh(b * (truth + nodes)) * (truth + nodes)) / weights.sum() for b in grid
    ]

    def excess(beta: np.ndarray) -> np.ndarray:
        sample = (np.tanh(beta[:, None] * y) * y).mean(axis=1)
        return sample - np.interp(np.abs(beta), grid, means) * np.sign(beta)

    fixed = np.ones(runs)
    first = (np.tanh(y) * y).mean(axis=1)
    for beta, mean in ((fixed, 0.0), (first, 0.0533)):
        found = excess(beta)
        assert found.mean() == pytest.approx(mean, abs=6 * found.std() / math.sqrt(runs))


START = np.array([0.9, 0.0, 0.4, 0.0])


TRUTH = np.array([1.0, 0.0, 0.5, 0.0])


MODELS: dict[str, LatentModel] = {
    "mixture": GaussianMixture(0.5),
    "regressions": MixtureOfRegressions(0.5),
    "missing": MissingCovariates(0.5, 0.2),
}


DATA = {name: model.sample(TRUTH, 62, np.random.default_rng(0)) for name, model in MODELS.items()}


def estimate(
    name: str = "mixture", data: Any = None, function: Any = sparse_em, **changes: Any
) -> np.ndarray:
    arguments: dict[str, Any] = {
        "model": MODELS[name],
        "initial": START,
        "sparsity": 2,
        "epsilon": 0.9,
        "delta": 1e-5,
        "truncation_level": 2.0,
        "step_size": 0.7,
        "n_iterations": 3,
        "ledger": Ledger(1),
    }
    arguments |= changes
    model = arguments.pop("model")
    found: np.ndarray = function(DATA[name] if data is None else data, model, **arguments)
    return found


def test_read_literally_one_batch_is_used_in_every_iteration() -> None:
    ledger = RecordingLedger(0)
    estimate(function=errata_printed, ledger=ledger)
    assert {str(release.claim.records) for release in ledger.transcript.releases} == {
        "slice(0, 20, None)"
    }
    single = RecordingLedger(0)
    estimate(n_iterations=1, data=DATA["mixture"][:20], ledger=single)
    assert len(ledger.transcript.releases) == 3 * len(single.transcript.releases)
    assert ledger.spent(delta=1e-5).epsilon > 1.5 * single.spent(delta=1e-5).epsilon


@pytest.mark.parametrize(("ratio", "bias"), [(2, 0.0470), (3, 2.58e-3), (4, 6.12e-5), (5, 5.6e-7)])
def test_the_bias_of_the_printed_weight_falls_fast_with_the_signal(ratio: int, bias: float) -> None:
    """model-gmm/E1: the fixed point over beta* of E tanh(b Y/(2 sigma^2)) Y, Y ~ N(1, sigma^2)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    y, b = 1 + nodes / ratio, 1.0
    for _ in range(2000):
        b = float(weights @ (np.tanh(b * y * ratio**2 / 2) * y) / weights.sum())
    assert 1 - b == pytest.approx(bias, rel=0.01)
