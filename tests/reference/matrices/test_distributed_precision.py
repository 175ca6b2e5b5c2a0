"""Distributed precision matrix (diss-6.3.52)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from reference.errata.matrices.distributed_precision import printed
from reference.matrices.distributed_precision import distributed_precision
from reference.matrices.graphical_lasso import graphical_lasso
from reference.matrices.laplace_covariance_perturbation import (
    Constants,
    laplace_covariance_perturbation,
)
from reference.matrices.second_moments import second_moment
from reference.privacy.ledger import NoiselessLedger, RecordingLedger


@pytest.fixture
def data():
    """Three players with five variables: the paper has n < d."""
    return np.random.default_rng(0).uniform(-0.4, 0.4, (3, 5))


def run(data, ledger=None, form=distributed_precision, **changes):
    parameters = {"epsilon": 1.0, "penalty": 0.05} | changes
    return form(data, **parameters, ledger=ledger)


@pytest.mark.parametrize("form", [distributed_precision, printed])
def test_noiseless_limit_is_the_graphical_lasso(data, form):
    expected = graphical_lasso(data.T @ data / 3, penalty=0.05)
    assert run(data, NoiselessLedger(), form) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("changes", [{}, {"constants": Constants(0.5, 2.0)}])
def test_what_the_server_sums_up_is_what_the_curator_releases(data, changes):
    given, other = RecordingLedger(1), RecordingLedger(1)
    theta = run(data, given, **changes)
    expected = run(data, other, laplace_covariance_perturbation, **changes)
    assert np.array_equal(theta, expected)
    (release,) = given.transcript.releases
    assert release.mechanism == other.transcript.releases[0].mechanism
    assert release.claim.unit != "record"  # a guarantee of the sum, not of a message


def test_the_players_shares_add_up_to_laplace_noise():
    n, scale = 7, 0.3
    first, second = np.random.default_rng(2).gamma(1 / n, scale, (2, 20_000, n))
    # a true law has p < 1e-6 with probability 1e-6
    assert stats.kstest((first - second).sum(axis=1), stats.laplace(0, scale).cdf).pvalue > 1e-6
    assert stats.kstest(first[:, 0] - second[:, 0], stats.laplace(0, scale).cdf).pvalue < 1e-6


def test_the_papers_shares_add_up_to_the_printed_noise(data):
    n, d, runs = 3, 5, 4_000
    ledger = RecordingLedger(3)
    run(data, ledger, printed)
    (release,) = ledger.transcript.releases
    assert (release.mechanism.degrees, release.mechanism.scale) == (d + 1, 3 / (2 * n))
    assert release.value == pytest.approx(second_moment(data))
    # n players and k = m - n terms of the server: E det of W_d(d + 1, C) is C^d (d + 1)!, and the
    # first entry is C chi^2_(d + 1)
    rng, scale = np.random.default_rng(4), math.sqrt(1.5 / n)
    players = scale * rng.standard_normal((runs, n, d))
    server = scale * rng.standard_normal((runs, d + 1 - n, d))
    sums = sum(np.einsum("rij,rik->rjk", v, v) for v in (players, server))
    drawn = np.stack([release.mechanism.draw(np.zeros((d, d)), rng) for _ in range(runs)])
    noise = np.stack([release.mechanism.output(np.zeros((d, d)), low) for low in drawn])
    # a true law has p < 1e-6 with probability 1e-6, three times
    for of in (np.linalg.det, lambda m: m[:, 0, 0], lambda m: m[:, 0, 1]):
        assert stats.ks_2samp(of(sums), of(noise)).pvalue > 1e-6


def test_a_printed_message_shows_the_server_its_record():
    """A rank of 2 means that e_1 is in the span of x and v: the limit that E2 was about."""
    rng, n, d = np.random.default_rng(5), 4, 6
    for axis, rank in ((0, 2), (1, 3)):
        x, v = np.eye(d)[axis], math.sqrt(1.5 / n) * rng.standard_normal(d)
        message = np.outer(x, x) / n + np.outer(v, v)
        assert np.linalg.matrix_rank(np.column_stack([message, np.eye(d)[0]])) == rank


def test_the_printed_form_needs_more_variables_than_players_less_one():
    ledger = RecordingLedger(6)
    run(np.zeros((3, 2)), ledger, printed)  # no term is left for the server
    with pytest.raises(ValueError, match=r"data must have at most d \+ 1 = 3 records, got 4"):
        run(np.zeros((4, 2)), ledger, printed)
    assert len(ledger.transcript) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, r"epsilon must be a finite number > 0, got 0\.0"),
        ({"penalty": -1.0}, r"penalty must be a finite number > 0, got -1\.0"),
        ({"penalty": 1e-9}, "penalty must be at least 1e-06 of the scale of the noise"),
        ({"constants": 1.0}, r"constants must be a reference\.matrices\.laplace"),
        ({"data": np.zeros((0, 3))}, "data must not be empty"),
        ({"data": np.array([[0.0, np.nan]])}, "data must be finite"),
    ],
)
def test_bad_input_is_refused_before_any_release(data, changes, message):
    ledger = RecordingLedger(0)
    with pytest.raises((ValueError, TypeError), match=message):
        run(**{"data": data, "ledger": ledger, **changes})
    assert len(ledger.transcript) == 0
