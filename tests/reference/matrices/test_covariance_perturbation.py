"""Perturbed second moments and their graphical lasso (diss-6.3.51, -SULQ, -52 and -53)."""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np
import pytest
from sklearn import covariance

from reference.catalogue import entries
from reference.errata.matrices import gaussian_covariance_perturbation as gaussian_errata
from reference.errata.matrices import local_precision as local_errata
from reference.errata.matrices import wishart_covariance_perturbation as errata
from reference.matrices import gaussian_covariance_perturbation as gaussian
from reference.matrices import laplace_covariance_perturbation as laplace
from reference.matrices import sulq_covariance_perturbation as sulq
from reference.matrices.distributed_precision import distributed_precision
from reference.matrices.gaussian_covariance_perturbation import gaussian_covariance_perturbation
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.laplace_covariance_perturbation import laplace_covariance_perturbation
from reference.matrices.local_precision import local_precision
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import second_moment
from reference.matrices.sulq_covariance_perturbation import sulq_covariance_perturbation
from reference.matrices.wishart_covariance_perturbation import wishart_covariance_perturbation
from reference.matrices.wishart_covariance_perturbation_approximate import (
    wishart_covariance_perturbation_approximate,
)
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

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

with_the_wishart_mechanism = partial(distributed_precision, delta=1e-2)


def records():
    rows = np.random.default_rng(0).standard_normal((12, 4))
    rows[:, 0] += rows[:, 1]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def run(form, ledger):
    options = {} if form in PURE else {"delta": 1e-2}
    return form(records(), epsilon=1.0, penalty=PENALTY, **options, ledger=ledger)


def found_and_gap(form):
    """Run an algorithm; return its result and the gap that follows from what it released."""
    ledger = RecordingLedger(1)
    found = run(form, ledger)
    (release,) = ledger.transcript.releases
    noisy = release.output if release.output.ndim == 2 else release.output.mean(axis=0)
    noisy = (noisy + noisy.T) / 2
    # Wishart noise is positive definite: the printed form has no projection
    moment = noisy if form is errata.printed else positive_part(noisy)
    return found, optimality_gap(found.theta, moment, PENALTY)


@pytest.mark.parametrize("form", [*ALL, with_the_wishart_mechanism])
def test_the_noiseless_limit_is_the_graphical_lasso_of_scikit_learn(form):
    moment = records().T @ records() / 12
    _, expected = covariance.graphical_lasso(moment + PENALTY * np.eye(4), PENALTY, tol=1e-12)
    found = run(form, NoiselessLedger()).theta
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


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


# ------------------------------------------------------------------------------- the noise


def test_other_calibrations_are_divided_by_n():
    noise = gaussian.for_the_mean(gaussian.Constants(1.0, 3.0, diagonal_variance=2.0), 4)
    assert noise == gaussian.Constants(0.25, 0.75, diagonal_variance=2.0)


@pytest.mark.parametrize(("d", "times"), [(1, 2.0), (2, 4 / 5**0.5), (6, 12 / 27**0.5)])
def test_laplace_noise_is_less_than_the_papers(d, times):
    """The papers' is 2 d/(n epsilon), and covers the sensitivity as well."""
    noise = laplace.constants_for(n=30, dimension=d, epsilon=0.5)
    assert 2 * d / (30 * 0.5) / noise.noise_scale == pytest.approx(times)


def test_the_noise_of_sulq_is_that_of_the_literature():
    noise = sulq.constants_for(n=50, dimension=3, epsilon=0.5, delta=1e-2)
    assert noise.noise_scale == pytest.approx(math.sqrt(8) * 3 * math.log(300) / 25)
    assert noise.sensitivity == pytest.approx(math.sqrt(2) / 50)


@pytest.mark.parametrize(("epsilon", "delta"), [(2000.0, 1e-2), (1.0, 0.999)])
def test_where_that_is_too_little_the_least_noise_is_used(epsilon, delta):
    """At d = 1."""
    noise = sulq.constants_for(n=50, dimension=1, epsilon=epsilon, delta=delta)
    stated = math.sqrt(8) * -math.log(delta) / (50 * epsilon)
    assert gaussian_dp_delta(math.sqrt(2) / 50 / stated, epsilon) > delta
    true = gaussian_dp_delta(noise.sensitivity / noise.noise_scale, epsilon)
    assert true == pytest.approx(delta, rel=1e-6)


def test_the_error_of_sulq_is_larger_than_with_the_least_symmetric_noise():
    data = np.random.default_rng(2).uniform(-0.4, 0.4, (20_000, 6))
    best = graphical_lasso(second_moment(data), penalty=PENALTY).theta
    claim = {"epsilon": 1.0, "delta": 1e-2, "penalty": PENALTY}
    errors = [
        np.median([np.linalg.norm(form(data, ledger=Ledger(s), **claim).theta - best)
                   for s in range(5)])
        for form in (sulq_covariance_perturbation, gaussian_covariance_perturbation)
    ]  # fmt: skip
    assert errors[0] > 5 * errors[1]


@pytest.mark.parametrize(("printed", "unit"), [(gaussian_errata, 12), (local_errata, 1)])
def test_printed_noise_is_the_papers_and_has_the_delta_of_the_card(printed, unit):
    ledger = RecordingLedger(1)
    printed.printed(records(), epsilon=1.0, delta=1e-5, penalty=PENALTY, ledger=ledger)
    (release,) = ledger.transcript.releases
    assert release.mechanism.scale == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / unit)
    assert release.claim.sensitivity == pytest.approx(1 / unit)
    true = gaussian_dp_delta(math.sqrt(2) / unit / release.mechanism.scale, 1.0)
    assert true / 1e-5 == pytest.approx(3.736, rel=1e-3)


def test_the_printed_bound_does_not_know_epsilon():
    """diss-6.3.51-G/E2: (6.97) has e n for epsilon n."""
    d, n, delta = 4, 200, 1e-5
    printed = d * math.sqrt(math.log(1 / delta)) / (math.e * n)
    ratios = []
    for epsilon in (0.1, 1e-6):
        chosen = gaussian_errata.printed_constants(
            np.zeros((n, d)), epsilon=epsilon, delta=delta, penalty=0.1
        )
        noise = np.random.default_rng(0).standard_normal((d, d)) * chosen.noise_scale
        ratios.append(np.linalg.norm(noise) / printed)
    assert ratios[1] / ratios[0] == pytest.approx(1e5)


def test_no_box_of_the_dissertation_has_a_single_number():
    """diss-6.3.53/E2: Theorem 6.3.8 speaks of Algorithm 4."""
    sources = [source for known in entries().values() for source in known.sources]
    boxes = [s.number for s in sources if s.label == "004" and s.number.startswith("Algorithm")]
    assert len(boxes) > 40
    assert all(re.match(r"Algorithm \d+\.\d+\.\d+", number) for number in boxes)
