import math

import numpy as np
import pytest

from reference.errata.nonconvex.stochastic_trust_region import (
    noise_variance,
    printed,
    printed_constants,
    printed_proof_constants,
)
from reference.losses import Cosine
from reference.nonconvex import trust_region
from reference.nonconvex.stochastic_trust_region import constants_for, dp_stochastic_trust_region
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

LOSS = Cosine()
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "accuracy": 0.01, "n_iterations": 3}


def records(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.uniform(0, 2 * np.pi, n)


def run(data, form=dp_stochastic_trust_region, **options):
    options = {"initial": np.zeros(2), "ledger": Ledger(0), **CLAIM, **options}
    return form(data, LOSS, **options)


def test_batches_are_independent_and_read_as_they_are_drawn():
    """Every release reads the records of its own batch and of no other."""
    data = records()
    ledger = RecordingLedger(3)
    chosen = constants_for(LOSS, n=40, dimension=2, batch_size=8, **CLAIM)
    run(data, constants=chosen, ledger=ledger)
    releases = ledger.transcript.releases
    batches = [release.claim.sample.indices for release in releases]
    assert all(len(set(batch)) == 8 for batch in batches)
    assert len({tuple(sorted(batch)) for batch in batches}) == len(batches)
    np.testing.assert_allclose(
        releases[0].value, LOSS.gradient(LOSS.validate(data, 2), np.zeros(2), batches[0])
    )
    np.testing.assert_allclose(
        releases[1].value, LOSS.hessian(LOSS.validate(data, 2), np.zeros(2), batches[1])
    )


def test_with_all_records_it_is_the_trust_region_method():
    data = records()
    chosen = constants_for(LOSS, n=40, dimension=2, batch_size=40, **CLAIM)
    found = run(data, constants=chosen, ledger=NoiselessLedger(0))
    same = trust_region.dp_trust_region(
        data, LOSS, initial=np.zeros(2), ledger=NoiselessLedger(0), **CLAIM
    )
    np.testing.assert_array_equal(found.path, same.path)
    full = trust_region.constants_for(LOSS, n=40, dimension=2, **CLAIM)
    assert chosen.noise_scale == pytest.approx(full.noise_scale, rel=1e-12)
    assert chosen.hessian_noise_scale == pytest.approx(full.hessian_noise_scale, rel=1e-12)


def test_the_default_batch_costs_little_more_noise_than_all_records():
    claim = {**CLAIM, "delta": 1e-4, "n_iterations": 200}
    default = constants_for(LOSS, n=100_000, dimension=2, **claim)
    full = trust_region.constants_for(LOSS, n=100_000, dimension=2, **claim)
    assert default.batch_size == math.ceil(100_000 / math.sqrt(200 * math.log(1e4)))
    assert default.noise_scale < 2 * full.noise_scale


def test_the_printed_noise_lacks_a_factor_t():
    """Erratum 1: |S| = n, (1, 1e-5): delta(1) = 3.6e-6, 3.7e-4, 5.2e-2 at T = 1e3, 2e3, 1e4."""
    for steps, delta in ((1000, 3.6e-6), (2000, 3.7e-4), (10_000, 5.2e-2)):
        box = noise_variance(1.0, 1e-5, n=1, n_iterations=steps, constant=256.0)
        mu = 2 * math.sqrt(steps / box)
        assert gaussian_dp_delta(mu, 1.0) == pytest.approx(delta, rel=0.02)


def test_printed_forms_run_with_their_own_noise():
    data = records()
    claim = {**CLAIM, "epsilon": 0.5}
    chosen = printed_constants(data, LOSS, initial=np.zeros(2), **claim)
    logarithms = math.log(5 * 3 / 1e-2) * math.log(200)
    assert chosen.noise_scale == pytest.approx(16 * math.sqrt(logarithms) / 20 * 0.5, rel=1e-12)
    # M sqrt(p), and T
    assert chosen.hessian_noise_scale == pytest.approx(
        math.sqrt(2 * 3) * chosen.noise_scale, rel=1e-12
    )
    proof = printed_proof_constants(data, LOSS, initial=np.zeros(2), **claim)
    assert proof.noise_scale == pytest.approx(2 * math.sqrt(3) * chosen.noise_scale, rel=1e-12)
    ledger = RecordingLedger(0)
    run(data, form=printed, epsilon=0.5, ledger=ledger)
    assert ledger.transcript.releases[0].mechanism.scale == chosen.noise_scale
    assert chosen.batch_size == 1
