"""DP-TR and DP-STR."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from reference.errata.nonconvex.stochastic_trust_region import (
    noise_variance,
    printed,
    printed_constants,
    printed_proof_constants,
)
from reference.losses import Cosine
from reference.nonconvex import stochastic_trust_region as stochastic
from reference.nonconvex.second_order import stationarity
from reference.nonconvex.trust_region import constants_for, dp_trust_region, enough_iterations
from reference.privacy.guarantees import gaussian_dp_delta, zcdp_rho
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

SADDLE = (np.eye(2), np.array([0.0, np.pi]))
LOSS = Cosine()
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "accuracy": 0.01, "n_iterations": 50}
SHORT = {**CLAIM, "n_iterations": 3}


def run(data=SADDLE, form=dp_trust_region, **options):
    options = {"initial": np.zeros(2), "ledger": Ledger(0), **CLAIM, **options}
    return form(data, LOSS, **options)


def lowers_the_risk_enough(path, accuracy):
    """Return whether every step but the last lowers F by the theorem's alpha^1.5/(6 sqrt rho)."""
    values = [float(LOSS.values(SADDLE, w).mean()) for w in path]
    return (np.diff(values)[:-1] <= -(accuracy**1.5) / (6 * math.sqrt(0.5))).all()


def test_a_run_that_stops_spends_less():
    ledger = Ledger(0)
    found = run(accuracy=30.0, ledger=ledger)
    assert len(found.path) < 51
    np.testing.assert_array_equal(found.output, found.path[-1])
    assert ledger.spent(delta=1e-2).epsilon < 1.0


def test_the_papers_way_is_the_papers_noise():
    """Steps 1, 3, 4: sigma^2 = 4 G^2 T/(n^2 phi); the Hessian's has M^2 p, here M^2 (rank 1)."""
    chosen = constants_for(LOSS, n=30, dimension=4, method="zcdp", **CLAIM)
    phi = (math.sqrt(1 + math.log(100)) - math.sqrt(math.log(100))) ** 2
    assert zcdp_rho(1.0, 1e-2) == pytest.approx(phi, rel=1e-12)
    assert chosen.noise_scale == pytest.approx(2 * 0.5 * math.sqrt(50 / phi) / 30, rel=1e-12)
    assert chosen.hessian_noise_scale == pytest.approx(chosen.noise_scale, rel=1e-12)  # G = M here
    exact = constants_for(LOSS, n=30, dimension=4, **CLAIM)
    assert 0.4 < exact.noise_scale / chosen.noise_scale < 0.9


def test_one_noiseless_step_by_hand():
    """F = cos(w)/2 at pi/3: F' = -sqrt(3)/4, F'' = -1/4, r = sqrt(0.02): h = r, on the sphere."""
    data, quiet = (np.ones((1, 1)), np.zeros(1)), NoiselessLedger(0)
    found = run(data, initial=[np.pi / 3], n_iterations=1, ledger=quiet)
    np.testing.assert_allclose(found.path[1], [np.pi / 3 + math.sqrt(0.01 / 0.5)], rtol=1e-14)
    assert found.output is None  # lambda = sqrt(3)/(4 r) + 1/4


def test_without_noise_it_finds_the_minimum_from_the_saddle():
    """To a 2 alpha-SOSP within the theorem's number of steps, each of which lowers F enough."""
    steps = enough_iterations(LOSS, gap=0.5, accuracy=0.01)
    assert steps == math.ceil(6 * math.sqrt(0.5) * 0.5 / 0.01**1.5)
    found = run(n_iterations=steps, ledger=NoiselessLedger(0))
    assert stationarity(LOSS, SADDLE, found.output) <= 0.02
    assert lowers_the_risk_enough(found.path, 0.01)
    best = minimize(lambda w: LOSS.values(SADDLE, w).mean(), [1.0, 1.0]).fun
    assert LOSS.values(SADDLE, found.path[-1]).mean() == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_with_noise_within_half_the_tolerances_the_output_is_as_claimed(seed):
    """The corrected Theorem 4.3.5 holds, for n = 10^6 copies of the two records, 5% failure.

    Every step but the last descends, the gradient ends below 2 alpha and the eigenvalues above
    -7/3 sqrt(alpha rho).
    """
    alpha = 0.05
    claim = {"accuracy": alpha, "delta": 1e-6}
    claim |= {"n_iterations": enough_iterations(LOSS, gap=0.5, accuracy=alpha)}
    chosen = constants_for(LOSS, n=1_000_000, dimension=2, epsilon=1.0, **claim)
    found = run(constants=chosen, ledger=Ledger(seed), **claim)
    assert np.linalg.norm(LOSS.gradient(SADDLE, found.output)) <= 2 * alpha
    lowest = np.linalg.eigvalsh(LOSS.hessian(SADDLE, found.output))[0]
    assert lowest >= -7 / 3 * math.sqrt(alpha / 2)
    assert lowers_the_risk_enough(found.path, alpha)


# --------------------------------------------------------------------------------- batches

BATCHES = stochastic.dp_stochastic_trust_region
RNG = np.random.default_rng(0)
RECORDS = (RNG.standard_normal((40, 2)), RNG.uniform(0, 2 * np.pi, 40))


def test_batches_are_independent_and_read_as_they_are_drawn():
    """Every release reads the records of its own batch and of no other."""
    ledger, start = RecordingLedger(3), np.zeros(2)
    chosen = stochastic.constants_for(LOSS, n=40, dimension=2, batch_size=8, **SHORT)
    run(RECORDS, BATCHES, constants=chosen, ledger=ledger, **SHORT)
    releases, data = ledger.transcript.releases, LOSS.validate(RECORDS, 2)
    batches = [release.claim.sample.indices for release in releases]
    assert all(len(set(batch)) == 8 for batch in batches)
    assert len({tuple(sorted(batch)) for batch in batches}) == len(batches)
    np.testing.assert_allclose(releases[0].value, LOSS.gradient(data, start, batches[0]))
    np.testing.assert_allclose(releases[1].value, LOSS.hessian(data, start, batches[1]))


def test_with_all_records_it_is_the_trust_region_method():
    chosen = stochastic.constants_for(LOSS, n=40, dimension=2, batch_size=40, **SHORT)
    found = run(RECORDS, BATCHES, constants=chosen, ledger=NoiselessLedger(0), **SHORT)
    same = run(RECORDS, ledger=NoiselessLedger(0), **SHORT)
    np.testing.assert_array_equal(found.path, same.path)
    full = constants_for(LOSS, n=40, dimension=2, **SHORT)
    assert chosen.noise_scale == pytest.approx(full.noise_scale, rel=1e-12)
    assert chosen.hessian_noise_scale == pytest.approx(full.hessian_noise_scale, rel=1e-12)


def test_the_default_batch_costs_little_more_noise_than_all_records():
    claim = {**CLAIM, "delta": 1e-4, "n_iterations": 200, "n": 100_000, "dimension": 2}
    default, full = stochastic.constants_for(LOSS, **claim), constants_for(LOSS, **claim)
    assert default.batch_size == math.ceil(100_000 / math.sqrt(200 * math.log(1e4)))
    assert default.noise_scale < 2 * full.noise_scale


@pytest.mark.parametrize(("steps", "delta"), [(1000, 3.6e-6), (2000, 3.7e-4), (10_000, 5.2e-2)])
def test_the_printed_noise_lacks_a_factor_t(steps, delta):
    """Erratum 1: |S| = n, a claim of (1, 1e-5)."""
    box = noise_variance(1.0, 1e-5, n=1, n_iterations=steps, constant=256.0)
    assert gaussian_dp_delta(2 * math.sqrt(steps / box), 1.0) == pytest.approx(delta, rel=0.02)


def test_printed_forms_run_with_their_own_noise():
    claim, ledger = {**SHORT, "epsilon": 0.5}, RecordingLedger(0)
    of_form = partial(pytest.approx, rel=1e-12)
    chosen = printed_constants(RECORDS, LOSS, initial=np.zeros(2), **claim)
    logarithms = math.log(5 * 3 / 1e-2) * math.log(200)
    assert chosen.noise_scale == of_form(16 * math.sqrt(logarithms) / 20 * 0.5)
    # M sqrt(p), and T
    assert chosen.hessian_noise_scale == of_form(math.sqrt(2 * 3) * chosen.noise_scale)
    proof = printed_proof_constants(RECORDS, LOSS, initial=np.zeros(2), **claim)
    assert proof.noise_scale == of_form(2 * math.sqrt(3) * chosen.noise_scale)
    run(RECORDS, printed, ledger=ledger, **claim)
    assert ledger.transcript.releases[0].mechanism.scale == chosen.noise_scale
    assert chosen.batch_size == 1
