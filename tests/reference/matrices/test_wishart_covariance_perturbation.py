"""Covariance perturbation, pure DP (diss-6.3.51-W1)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.errata.matrices.wishart_covariance_perturbation import printed
from reference.matrices.graphical_lasso import optimality_gap
from reference.matrices.second_moments import second_moment
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.privacy.mechanisms import Wishart


def run(data, ledger):
    return printed(data, epsilon=1.0, penalty=0.05, ledger=ledger)


def test_printed_noise_is_the_seeds_and_is_not_pure(data):
    ledger = RecordingLedger(3)
    theta = run(data, ledger).theta
    (release,) = ledger.transcript.releases
    assert release.mechanism.kind == "wishart"
    assert release.mechanism.degrees == 5
    assert release.mechanism.scale == pytest.approx(3 / (2 * 200))
    assert release.claim.sensitivity == pytest.approx(1 / 200)
    assert ledger.spent(delta=0.0).epsilon == math.inf
    assert ledger.spent(epsilon=0.0).delta == pytest.approx(-math.expm1(-1 / 3))
    # the noise is positive definite: the output always lies above S
    assert np.linalg.eigvalsh(release.output - release.value)[0] > 0
    assert optimality_gap(theta, release.output, 0.05) < 1e-6


def test_printed_output_gives_the_record_away():
    # a matrix above e_1 e_1'/n has (Theta^-1)_11 - rho >= 1/n; without the record it need not
    n, runs = 4, 300
    with_record, without = np.zeros((n, 3)), np.zeros((n, 3))
    with_record[0, 0] = 1.0
    ledger = Ledger(4)
    released = {
        name: [np.linalg.inv(run(data, ledger).theta)[0, 0] - 0.05 for _ in range(runs)]
        for name, data in (("with", with_record), ("without", without))
    }
    assert min(released["with"]) > 1 / n - 1e-6
    below = np.mean(np.array(released["without"]) < 1 / n - 1e-6)
    # P(chi^2_4 < 2/3) = .0446; none, or more than .1046, of 300: probability < 1e-5
    assert 0 < below < 0.1046


def test_wishart_noise_never_rounds_out_of_its_own_support():
    # a draw would have to be singular to 16 digits: probability of order 1e-14 each
    law = Wishart(6, 3 / (2 * 20), 5)
    data = np.random.default_rng(5).standard_normal((20, 5))
    value = np.broadcast_to(second_moment(data), (20_000, 5, 5))
    output = law.output(value, law.draw(value, np.random.default_rng(6)))
    assert np.isfinite(law.log_density(output, value, 1)).all()
