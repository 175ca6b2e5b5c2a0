"""The private means of heavy-tailed numbers, central and local (wang-mean, wang-ldp-mean)."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from reference.errata.heavy_tailed.local_private_mean import (
    printed_constants as local_printed_constants,
)
from reference.errata.heavy_tailed.private_mean import printed_constants, printed_lemma_1_constants
from reference.heavy_tailed import local_private_mean as local_module
from reference.heavy_tailed import private_mean as central_module
from reference.privacy.guarantees import gaussian_dp_epsilon, gaussian_dp_mu, zcdp_epsilon

RULES: dict[str, tuple[bool, Any]] = {
    "theorem-2": (False, central_module.constants_for),
    "lemma-1": (False, central_module.constants_for_lemma_1),
    "theorem-3": (True, local_module.constants_for),
}
"""Private rules: whether each is local, and its constants."""


# ---------------------------------------------------------------------------- constants


def test_constants_by_hand() -> None:
    # zeta = e^-4, delta = e^-16, n = 100, tau = 9, epsilon = 0.25
    given: dict[str, Any] = {
        "epsilon": 0.25, "delta": math.exp(-16), "second_moment": 9.0,
        "failure_probability": math.exp(-4),
    }  # fmt: skip
    # sqrt(100 * 0.25 * 9) = 15; 16^(1/4) = 2; and 100^(1/4) sqrt(2.25) = sqrt(10) 1.5
    expected = {
        "lemma-1": (8, math.sqrt(900 / 8)),
        "theorem-2": (2, 15 / 4),
        "theorem-3": (2, math.sqrt(10) * 1.5 / 4),
    }
    root_rho = math.sqrt(16.25) - 4
    for rule, (precision, scale) in expected.items():
        local, constants_for = RULES[rule]
        found = constants_for(n=100, **given, method="zcdp")
        read = 1 if local else 100
        assert found.precision == pytest.approx(precision)
        assert found.truncation_scale == pytest.approx(scale)
        assert found.sensitivity == pytest.approx(4 * math.sqrt(2) / 3 * scale / read)
        assert found.noise_scale == pytest.approx(4 * scale / (3 * read * root_rho))
        exact = constants_for(n=100, **given)
        mu = gaussian_dp_mu(0.25, math.exp(-16))
        assert exact.noise_scale == pytest.approx(exact.sensitivity / mu)
        assert exact.noise_scale < found.noise_scale
    definition_7 = math.sqrt(2 * (math.log(1.25) + 16)) / 0.25
    printed = {
        15 / 8: printed_constants(np.zeros(100), **given),
        math.sqrt(10) * 1.5 / 8: local_printed_constants(np.zeros(100), **given),
        math.sqrt(900 / 8): printed_lemma_1_constants(np.zeros(100), **given),
    }
    for scale, found in printed.items():
        assert found.truncation_scale == pytest.approx(scale)
        assert found.noise_scale == pytest.approx(definition_7 * found.sensitivity)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("rule", RULES)
def test_the_noise_costs_the_claim_at_every_epsilon(rule: str, epsilon: float) -> None:
    given: dict[str, Any] = {
        "n": 50, "epsilon": epsilon, "delta": 1e-4, "second_moment": 2.0,
        "failure_probability": 0.01,
    }  # fmt: skip
    constants_for = RULES[rule][1]
    exact = constants_for(**given)
    spent = gaussian_dp_epsilon(exact.sensitivity / exact.noise_scale, 1e-4)
    assert spent == pytest.approx(epsilon, rel=1e-9)
    loose = constants_for(**given, method="zcdp")
    rho = loose.sensitivity**2 / (2 * loose.noise_scale**2)
    assert zcdp_epsilon(rho, 1e-4) == pytest.approx(epsilon)


@pytest.mark.parametrize(("rule", "limit"), [("theorem-2", 9), ("theorem-3", 9), ("lemma-1", 6)])
def test_the_stated_constants_suffice(rule: str, limit: float) -> None:
    """(36) without its term in beta, and the tails, 1 - zeta in all: at most C times the rate."""
    n, tau, worst = 1000, 3.0, 0.0
    local, constants_for = RULES[rule]
    for zeta, delta, epsilon in itertools.product(
        (0.5, 0.1, 1e-3, 1e-10, 1e-100), (math.exp(-1), 0.01, 1e-5, 1e-20), (1e-3, 0.1, 0.5, 1.0)
    ):
        found = constants_for(
            n=n, epsilon=epsilon, delta=delta, second_moment=tau, failure_probability=zeta
        )
        log_term, log_delta, s = -math.log(zeta), -math.log(delta), found.truncation_scale
        noise = found.noise_scale / (math.sqrt(n) if local else 1)
        # zeta/4 for every side of the mean and of the noise
        share = log_term + math.log(4)
        error = tau / (2 * s) * (1 + 1 / found.precision) + s / n * share
        error += noise * math.sqrt(2 * share)
        size = math.sqrt(n) if local else n
        if rule == "lemma-1":
            rate = math.sqrt(tau * log_delta * log_term / n) / epsilon
        else:
            rate = math.sqrt(tau * math.sqrt(log_delta) * log_term / (size * epsilon))
        worst = max(worst, error / rate)
    assert limit - 1 < worst <= limit


# ---------------------------------------------------------------------------- the algorithms


# ---------------------------------------------------------------------------- utility
