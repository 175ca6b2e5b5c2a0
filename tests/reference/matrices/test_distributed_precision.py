"""Distributed precision matrix (diss-6.3.52)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from reference.errata.matrices.distributed_precision import printed
from reference.matrices.distributed_precision import distributed_precision
from reference.matrices.laplace_covariance_perturbation import (
    Constants,
    laplace_covariance_perturbation,
)
from reference.matrices.second_moments import second_moment
from reference.matrices.wishart_covariance_perturbation import wishart_covariance_perturbation
from reference.matrices.wishart_covariance_perturbation_approximate import (
    Constants as WishartConstants,
)
from reference.matrices.wishart_covariance_perturbation_approximate import (
    constants_for,
    wishart_covariance_perturbation_approximate,
)
from reference.privacy.ledger import RecordingLedger


@pytest.fixture
def data():
    """Three players with five variables: the paper has n < d."""
    return np.random.default_rng(0).uniform(-0.4, 0.4, (3, 5))


LAPLACE = {"constants": Constants(0.5, 2.0)}
WISHART = {"delta": 0.01, "constants": WishartConstants(1 / 3, 9.0, 0.2)}


def run(data, ledger=None, form=distributed_precision, **changes):
    parameters = {"epsilon": 1.0, "penalty": 0.05} | changes
    return form(data, **parameters, ledger=ledger)


@pytest.mark.parametrize(
    ("form", "central", "changes"),
    [
        (distributed_precision, laplace_covariance_perturbation, {}),
        (distributed_precision, laplace_covariance_perturbation, LAPLACE),
        (distributed_precision, wishart_covariance_perturbation_approximate, {"delta": 0.01}),
        (distributed_precision, wishart_covariance_perturbation_approximate, WISHART),
        (wishart_covariance_perturbation, laplace_covariance_perturbation, {}),
        (wishart_covariance_perturbation, laplace_covariance_perturbation, LAPLACE),
    ],
)
def test_what_the_server_sums_up_is_what_the_curator_releases(data, form, central, changes):
    """So is what is named after Wishart noise and has Laplace noise, at delta = 0."""
    given, other = RecordingLedger(1), RecordingLedger(1)
    found = run(data, given, form, **changes)
    expected = run(data, other, central, **changes)
    assert np.array_equal(found.theta, expected.theta)
    (release,) = given.transcript.releases
    assert release.mechanism == other.transcript.releases[0].mechanism
    if form is distributed_precision:
        assert release.claim.unit != "record"  # a guarantee of the sum, not of a message


def test_the_players_shares_add_up_to_laplace_noise():
    n, scale = 7, 0.3
    first, second = np.random.default_rng(2).gamma(1 / n, scale, (2, 20_000, n))
    # a true law has p < 1e-6 with probability 1e-6
    assert stats.kstest((first - second).sum(axis=1), stats.laplace(0, scale).cdf).pvalue > 1e-6
    assert stats.kstest(first[:, 0] - second[:, 0], stats.laplace(0, scale).cdf).pvalue < 1e-6


@pytest.mark.parametrize(
    ("form", "changes", "degrees", "variance"),
    [(printed, {}, 6, 1.5 / 3), (distributed_precision, {"delta": 0.01}, 14, 1 / 3)],
)
def test_the_papers_shares_add_up_to_the_noise(data, form, changes, degrees, variance):
    n, d, runs = 3, 5, 4_000
    ledger = RecordingLedger(3)
    run(data, ledger, form, **changes)
    (release,) = ledger.transcript.releases
    assert release.mechanism.degrees == degrees
    assert release.mechanism.scale == pytest.approx(variance)
    assert release.value == pytest.approx(second_moment(data))
    # n players and k = m - n terms of the server
    rng, scale = np.random.default_rng(4), math.sqrt(variance)
    players = scale * rng.standard_normal((runs, n, d))
    server = scale * rng.standard_normal((runs, degrees - n, d))
    sums = sum(np.einsum("rij,rik->rjk", v, v) for v in (players, server))
    drawn = np.stack([release.mechanism.draw(np.zeros((d, d)), rng) for _ in range(runs)])
    noise = np.stack([release.mechanism.output(np.zeros((d, d)), low) for low in drawn])
    # a true law has p < 1e-6 with probability 1e-6, three times and twice
    for of in (np.linalg.det, lambda m: m[:, 0, 0], lambda m: m[:, 0, 1]):
        assert stats.ks_2samp(of(sums), of(noise)).pvalue > 1e-6


def test_a_printed_message_shows_the_server_its_record():
    """A rank of 2 means that e_1 is in the span of x and v: the limit that E2 was about."""
    rng, n, d = np.random.default_rng(5), 4, 6
    for axis, rank in ((0, 2), (1, 3)):
        x, v = np.eye(d)[axis], math.sqrt(1.5 / n) * rng.standard_normal(d)
        message = np.outer(x, x) / n + np.outer(v, v)
        assert np.linalg.matrix_rank(np.column_stack([message, np.eye(d)[0]])) == rank


def test_with_delta_the_claim_is_spent_and_every_player_needs_a_term(data):
    ledger = RecordingLedger(6)
    run(data, ledger, delta=0.01)
    assert 0.8 < ledger.spent(delta=0.01).epsilon <= 1
    terms = constants_for(n=14, dimension=5, epsilon=1.0, delta=0.01).degrees
    run(np.zeros((14, 5)), ledger, delta=0.01)  # all terms are the players'
    assert ledger.transcript.releases[-1].mechanism.degrees == terms == 14
    with pytest.raises(ValueError, match="data must have at most m = 14 records, got 15"):
        run(np.zeros((15, 5)), ledger, delta=0.01)
    with pytest.raises(ValueError, match=r"a whole number of terms, got 9\.5"):
        run(data, ledger, delta=0.01, constants=WishartConstants(1 / 3, 9.5, 1 / 3))
    assert len(ledger.transcript) == 2


def test_the_printed_form_needs_more_variables_than_players_less_one():
    ledger = RecordingLedger(6)
    run(np.zeros((3, 2)), ledger, printed)  # no term is left for the server
    with pytest.raises(ValueError, match=r"data must have at most d \+ 1 = 3 records, got 4"):
        run(np.zeros((4, 2)), ledger, printed)
    assert len(ledger.transcript) == 1


NEAR = "penalty must be at least 1e-06 of the scale of the noise"
KIND = r"constants must be a reference\.matrices\."


@pytest.mark.parametrize(
    ("form", "changes", "message"),
    [
        (distributed_precision, {"penalty": 1e-9}, NEAR),
        (wishart_covariance_perturbation, {"penalty": 1e-9}, NEAR),
        (distributed_precision, {"delta": 0.01, "penalty": 1e-9}, NEAR),
        (distributed_precision, {"constants": WishartConstants(0.5, 9.0, 0.5)}, KIND + "laplace"),
        (distributed_precision, {"delta": 0.01, **LAPLACE}, KIND + "wishart"),
    ],
)
def test_what_does_not_fit_the_noise_is_refused_before_any_release(data, form, changes, message):
    ledger = RecordingLedger(0)
    with pytest.raises((ValueError, TypeError), match=message):
        run(data, ledger, form, **changes)
    assert len(ledger.transcript) == 0
