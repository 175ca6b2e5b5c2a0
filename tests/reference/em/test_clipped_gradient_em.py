"""Clipped gradient EM (wang-1); see also test_private_algorithms."""

import math
from typing import Any

import numpy as np
import pytest

from reference.em.clipped_gradient_em import clipped_gradient_em, constants_for
from reference.em.models import GaussianMixture
from reference.errata.em.clipped_gradient_em import printed, printed_constants
from reference.privacy import Ledger, NoiselessLedger
from reference.privacy.guarantees import gaussian_dp_epsilon, zcdp_epsilon

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 50, np.random.default_rng(0))
CLAIM: dict[str, Any] = {
    "epsilon": 1.0,
    "delta": 1e-5,
    "clipping_threshold": 1.5,
    "n_iterations": 3,
}
SETTING: dict[str, Any] = {"initial": [0.8, 0.1], "step_size": 0.5, **CLAIM}


def test_hand_computed_step() -> None:
    # beta = 1: y = 1 gives tanh(1) - 1 = -0.238 (kept), y = 5 gives 5 tanh(5) - 1 = 4.0 -> C = 2
    changes = {"initial": [1.0], "clipping_threshold": 2.0, "n_iterations": 1}
    found = clipped_gradient_em(
        [[1.0], [5.0]], MODEL, **{**SETTING, **changes}, ledger=NoiselessLedger()
    )
    assert found[0] == pytest.approx(1 + 0.5 * ((math.tanh(1) - 1) + 2) / 2)


def test_constants_against_the_card() -> None:
    # c = 2 epsilon^2/(L te^2): 8.34 at (1, 1e-5), 8.07 at (0.2, 1e-5), 9.66 at (1, 0.1)
    for epsilon, delta, c in ((1.0, 1e-5, 8.344), (0.2, 1e-5, 8.069), (1.0, 0.1, 9.659)):
        claim = {**CLAIM, "epsilon": epsilon, "delta": delta}
        found = constants_for(n=50, method="zcdp", **claim)
        as_printed = printed_constants(DATA, MODEL, constant=c, **claim)
        assert found.noise_scale == pytest.approx(as_printed.noise_scale, rel=1e-4)
        assert found.sensitivity == as_printed.sensitivity == 2 * 1.5 / 50
        assert constants_for(n=50, **claim).noise_scale < found.noise_scale
    # sigma^2 = c T L/(n^2 epsilon^2) by hand: c = 2, T = 3, L = 1, n = 50, epsilon = 0.5
    claim = {**CLAIM, "epsilon": 0.5, "delta": math.exp(-1)}
    by_hand = printed_constants(DATA, MODEL, constant=2.0, **claim)
    assert by_hand.noise_scale == pytest.approx(1.5 * math.sqrt(24) / 50)


def test_the_printed_constant_overspends() -> None:
    ledger = Ledger(3)
    printed(DATA, MODEL, **SETTING, ledger=ledger)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(2.397, abs=1e-3)
    ledger = Ledger(3)
    twice = printed_constants(DATA, MODEL, constant=2.0, **SETTING)
    clipped_gradient_em(DATA, MODEL, **SETTING, constants=twice, ledger=ledger)
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(1.628, abs=1e-3)
    # c = 8(1 + epsilon/L) suffices, also by the looser zCDP conversion
    enough = printed_constants(DATA, MODEL, constant=8 * (1 + 1 / math.log(1e5)), **SETTING)
    mu = math.sqrt(3) * enough.sensitivity / enough.noise_scale
    assert gaussian_dp_epsilon(mu, 1e-5) < zcdp_epsilon(mu**2 / 2, 1e-5) <= 1.0
