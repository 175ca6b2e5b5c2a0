"""The drawings of section 5.1: budgets, errors without noise, curves. Seeds are fixed."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.experiments import local_smooth, page
from auditor.experiments.experiment import LARGER_CLASS
from reference.local.risks import MeanSquaredDistance
from reference.privacy import Ledger


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("dimension", [1, 2])
def test_every_mechanism_spends_the_budget_at_most(epsilon: float, dimension: int) -> None:
    data = np.random.default_rng(0).beta(2, 5, (30, dimension))
    for label, mechanism in local_smooth.grid_mechanisms(epsilon, 2, dimension).items():
        ledger = Ledger(1)
        mechanism(data, MeanSquaredDistance(dimension), epsilon=epsilon, order=2, ledger=ledger)
        spent = ledger.spent(delta=0.0).epsilon
        assert spent == pytest.approx(min(epsilon, 1.0) if label == "one index" else epsilon)


@pytest.mark.parametrize("dimension", [1, 3])
def test_the_error_vanishes_with_the_noise(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # the other two have noise of 1/ln 2 and 4 at least, and one of them no such budget
    points = local_smooth.grid_mechanisms(1e6, 6, dimension)["all points"]
    monkeypatch.setattr(local_smooth, "grid_mechanisms", lambda *_: {"all points": points})
    rng = np.random.default_rng(2)
    found = local_smooth.grid_errors(rng, n=500, epsilon=1e6, degree=6, dimension=dimension)
    assert found["all points"] < 1e-3


def test_disjunctions_and_kernels_without_noise() -> None:
    rng = np.random.default_rng(3)
    found = local_smooth.marginal_errors(rng, n=300, epsilon=1e6)
    assert found["k = 1"] == pytest.approx(0, abs=1e-4)
    assert all(0 <= error <= 0.05 + 1e-4 for error in found.values())  # gamma
    kernels = local_smooth.kernel_errors(rng, n=300, epsilon=1e6)
    assert kernels["t = 8"] < 0.01 < kernels["t = 4"]


def test_panels_have_every_curve() -> None:
    rng = np.random.default_rng(4)
    errors = local_smooth.over("n", (50, 100), local_smooth.hinge_errors, rng)
    assert all(values.shape == (2,) for values in errors.values())
    assert len(errors) == 3


def test_the_page_tells_accuracies_beside_that_of_the_larger_class() -> None:
    panel = {
        "title": "data", "x_label": "n", "x": [10.0, 2000.0],
        "curves": {"epsilon = 5": {"median": [0.1, 0.61]}, LARGER_CLASS: {"median": [0.5, 0.512]}},
    }  # fmt: skip
    result = {
        "name": "004 Figure 0", "caption": "", "setting": "", "repetitions": 3,
        "trends": [], "conditions": [],
        "panels": [panel, {**panel, "curves": {"epsilon = 5": {"median": [0.1, 0.61]}}}],
    }  # fmt: skip
    lines = "\n".join(page.section(result, "local"))
    told = "Median accuracy, data, n = 2,000: epsilon = 5 0.610, larger class 0.512."
    assert lines.count("Median accuracy") == 1
    assert told in lines
