"""The result of diss-6.3.51, -SULQ, -52 and -53: the solver's point and its gap."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from reference.errata.matrices import wishart_covariance_perturbation as errata
from reference.matrices.distributed_precision import distributed_precision
from reference.matrices.gaussian_covariance_perturbation import gaussian_covariance_perturbation
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.laplace_covariance_perturbation import laplace_covariance_perturbation
from reference.matrices.local_precision import local_precision
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.sulq_covariance_perturbation import sulq_covariance_perturbation
from reference.matrices.wishart_covariance_perturbation import wishart_covariance_perturbation
from reference.matrices.wishart_covariance_perturbation_approximate import (
    wishart_covariance_perturbation_approximate,
)
from reference.privacy.ledger import RecordingLedger

ALL = [
    gaussian_covariance_perturbation,
    laplace_covariance_perturbation,
    wishart_covariance_perturbation,
    wishart_covariance_perturbation_approximate,
    sulq_covariance_perturbation,
    distributed_precision,
    local_precision,
    errata.printed,
]
"""Whatever ends with the graphical lasso of a released matrix."""
PURE = (
    laplace_covariance_perturbation,
    wishart_covariance_perturbation,
    distributed_precision,
    errata.printed,
)
PENALTY = 0.05


def found_and_gap(form):
    """Run an algorithm; return its result and the gap that follows from what it released."""
    rows = np.random.default_rng(0).standard_normal((40, 4))
    rows[:, 0] += rows[:, 1]
    ledger = RecordingLedger(1)
    options = {} if form in PURE else {"delta": 1e-2}
    found = form(rows, epsilon=1.0, penalty=PENALTY, **options, ledger=ledger)
    (release,) = ledger.transcript.releases
    noisy = release.output if release.output.ndim == 2 else release.output.mean(axis=0)
    noisy = (noisy + noisy.T) / 2
    # Wishart noise is positive definite: the printed form has no projection
    moment = noisy if form is errata.printed else positive_part(noisy)
    return found, optimality_gap(found.theta, moment, PENALTY)


@pytest.mark.parametrize("form", ALL)
def test_the_gap_is_that_of_the_released_matrix(form):
    found, gap = found_and_gap(form)
    assert 0 < found.gap < 1e-6
    assert found.gap == gap


@pytest.mark.parametrize("form", ALL)
def test_if_the_iterations_run_out_the_gap_says_so(form, monkeypatch):
    short = partial(graphical_lasso, max_iterations=2)
    for module in ("matrices.", "errata.matrices.wishart_"):
        monkeypatch.setattr(f"reference.{module}covariance_perturbation.graphical_lasso", short)
    found, gap = found_and_gap(form)
    assert found.n_iterations == 2
    assert np.linalg.eigvalsh(found.theta)[0] > 0
    assert 1e-3 < found.gap < math.inf
    assert found.gap == gap
