"""Gradient EM in the local model (wang-ldp-em, an extension); see also test_private_algorithms."""

import math
from typing import Any

import numpy as np
import pytest

from reference.em import split_gradient_em as split
from reference.em.local_gradient_em import constants_for, local_gradient_em
from reference.em.models import GaussianMixture
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy import NoiselessLedger

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 62, np.random.default_rng(0))
CLAIM: dict[str, Any] = {
    "epsilon": 0.9,
    "delta": 1e-5,
    "second_moment": 2.0,
    "failure_probability": 0.05,
}


def estimate(data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {"initial": [0.8, 0.1], "step_size": 1.0, "n_iterations": 3}
    return local_gradient_em(data, MODEL, **CLAIM, **{**arguments, **changes})


def test_constants_by_hand() -> None:
    found = constants_for(n=51, dimension=2, n_iterations=3, method="zcdp", **CLAIM)
    log_term, root_rho = math.log(40), math.sqrt(math.log(1e5) + 0.9) - math.sqrt(math.log(1e5))
    s = found.truncation_scale
    assert s == pytest.approx(17**0.25 * math.sqrt(2.0 * root_rho) / (2 * log_term))
    assert found.precision == pytest.approx(math.sqrt(log_term))
    assert found.sensitivity == pytest.approx(math.sqrt(2) * 4 * math.sqrt(2) / 3 * s)
    assert found.noise_scale == pytest.approx(4 * s * math.sqrt(2) / (3 * root_rho))


def test_one_user_is_one_record_of_the_central_version() -> None:
    setting = {"n": 1, "dimension": 2, "n_iterations": 1, **CLAIM}
    assert constants_for(**setting) == split.constants_for(**setting)


def test_hand_computed_run() -> None:
    # two rounds of one user each; the third user is not asked
    c, beta = constants_for(n=3, dimension=1, n_iterations=2, **CLAIM), 0.5
    for y in (2.0, -30.0):
        gradient = math.tanh(beta * y) * y - beta
        psi = smoothed_truncation(gradient, scale=c.truncation_scale, precision=c.precision)
        beta += 0.7 * float(psi)
    found = estimate(
        [[2.0], [-30.0], [1e9]],
        initial=[0.5],
        step_size=0.7,
        n_iterations=2,
        ledger=NoiselessLedger(),
    )
    assert found[0] == pytest.approx(beta, rel=1e-12)
