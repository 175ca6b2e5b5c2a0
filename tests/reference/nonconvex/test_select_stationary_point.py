import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from reference.losses import Cosine
from reference.nonconvex.second_order import curvature_threshold, stationarity
from reference.nonconvex.select_stationary_point import constants_for, select_stationary_point
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

SADDLE = (np.eye(2), np.array([0.0, np.pi]))
LOSS = Cosine()
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "accuracy": 0.05, "n_iterations": 5}


def run(data=SADDLE, **options):
    options = {"initial": np.zeros(2), "ledger": Ledger(0), **CLAIM, **options}
    return select_stationary_point(data, LOSS, **options)


@pytest.mark.parametrize("accuracy", [1e-6, 40.0])
def test_a_run_spends_exactly_epsilon_wherever_the_choice_falls(accuracy):
    ledger = Ledger(0)
    found = run(accuracy=accuracy, epsilon=2.0, ledger=ledger)
    assert (found.output is None) == (accuracy < 1)
    assert ledger.spent(delta=1e-2).epsilon == pytest.approx(2.0, rel=1e-9)


def test_each_kind_of_release_has_a_third_of_the_budget():
    ledger, shares = RecordingLedger(0), Counter()
    run(n_iterations=3, ledger=ledger)
    for release in ledger.transcript.releases:
        scale = release.mechanism.scale
        shares[release.mechanism.kind, scale] += (release.claim.sensitivity / scale) ** 2
    assert len(ledger.transcript.releases) == 3 + 4 + 4
    assert len(shares) == 3
    np.testing.assert_allclose(list(shares.values()), max(shares.values()), rtol=1e-12)


def test_without_noise_the_first_iterate_that_passes_is_returned():
    steps = {"n_iterations": 60}
    found = run(initial=np.array([0.3, 0.4]), ledger=NoiselessLedger(0), **steps)
    chosen = constants_for(LOSS, n=2, dimension=2, **CLAIM | steps)
    passes = [
        np.linalg.norm(LOSS.gradient(SADDLE, w)) <= chosen.gradient_threshold
        and np.linalg.eigvalsh(LOSS.hessian(SADDLE, w))[0] >= -chosen.curvature_threshold
        for w in found.path
    ]
    assert not passes[0]
    np.testing.assert_array_equal(found.output, found.path[passes.index(True)])
    assert stationarity(LOSS, SADDLE, found.output) <= 0.05


def test_a_saddle_does_not_pass_though_its_gradient_is_zero():
    assert run(n_iterations=3, ledger=NoiselessLedger(0)).output is None


def test_the_thresholds_lie_halfway():
    """Noise of the remaining half makes an alpha/2-SOSP pass, and what passes an alpha-SOSP."""
    chosen = constants_for(LOSS, n=9, dimension=2, **CLAIM | {"accuracy": 0.08})
    assert chosen.gradient_threshold - 0.04 == pytest.approx(0.08 - chosen.gradient_threshold)
    low, high = (curvature_threshold(LOSS, alpha) for alpha in (0.04, 0.08))
    assert chosen.curvature_threshold - low == pytest.approx(high - chosen.curvature_threshold)


@pytest.mark.parametrize(("printed", "expected"), [(True, 0.1587), (False, 0.0122)])
def test_the_printed_thresholds_let_too_much_pass(printed, expected):
    """Erratum 1: d = 1, sigma_1 = 0.2 alpha, |F'| = 1.2 alpha passes with probability 0.159.

    1,600 noisy gradients of one iterate; the band is 6 standard errors wide.
    """
    alpha, ledger = 0.1, Ledger(1)
    angle = math.asin(2 * 1.2 * alpha)  # |F'| = sin/2, where F'' >= 0
    claim = {**CLAIM, "accuracy": alpha, "n_iterations": 1}
    right = constants_for(LOSS, n=1, dimension=1, **claim)
    noise = {"gradient_noise_scale": 0.2 * alpha, "hessian_noise_scale": 1e-9, "step_size": 1e-9}
    threshold = alpha if printed else right.gradient_threshold
    chosen = replace(right, gradient_threshold=threshold, **noise)
    data = (np.ones((1, 1)), np.array([np.pi + angle]))
    options = {"initial": [0.0], "constants": chosen, "ledger": ledger, **claim}
    passed = sum(run(data, **options).output is not None for _ in range(800))
    # two looks, w_1 and w_2 next to it, at noise of their own
    either = 1 - (1 - expected) ** 2
    error = math.sqrt(either * (1 - either) / 800)
    assert passed / 800 == pytest.approx(either, abs=6 * error)
