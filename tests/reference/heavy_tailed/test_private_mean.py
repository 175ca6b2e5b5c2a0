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
from reference.heavy_tailed.local_private_mean import local_private_mean
from reference.heavy_tailed.private_mean import Constants, private_mean
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound
from reference.privacy import GivenDrawsLedger, NoiselessLedger
from reference.privacy.guarantees import gaussian_dp_epsilon, gaussian_dp_mu, zcdp_epsilon

RULES: dict[str, tuple[bool, Any]] = {
    "theorem-2": (False, central_module.constants_for),
    "lemma-1": (False, central_module.constants_for_lemma_1),
    "theorem-3": (True, local_module.constants_for),
}
"""Whether it is local, and the constants: all that are private."""


def parameters(**changes: Any) -> dict[str, Any]:
    return {
        "second_moment": 4.0,
        "failure_probability": 0.05,
        "epsilon": 0.9,
        "delta": 1e-5,
        **changes,
    }


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


def test_definition_7_fails_at_large_epsilon_only() -> None:
    given: dict[str, Any] = {"second_moment": 2.0, "failure_probability": 0.01, "delta": 1e-3}
    for epsilon, exact in ((1.0, None), (8.0, 8.179)):
        found = printed_constants(np.zeros(50), epsilon=epsilon, **given)
        spent = gaussian_dp_epsilon(found.sensitivity / found.noise_scale, 1e-3)
        if exact is None:
            assert spent < epsilon
        else:
            assert spent == pytest.approx(exact, abs=1e-3)


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


def test_hand_computed_central() -> None:
    constants = central_module.constants_for(n=3, **parameters())
    s, precision = constants.truncation_scale, constants.precision
    values = [float(smoothed_truncation(v, scale=s, precision=precision)) for v in (2.0, -1.0, 1e9)]
    assert values[2] == pytest.approx(truncation_bound(scale=s, precision=precision))
    found = private_mean([2.0, -1.0, 1e9], ledger=GivenDrawsLedger([-1.5]), **parameters())
    assert found == pytest.approx(sum(values) / 3 - 1.5 * constants.noise_scale)


def test_hand_computed_local() -> None:
    constants = local_module.constants_for(n=2, **parameters())
    s, precision, sigma = constants.truncation_scale, constants.precision, constants.noise_scale
    values = smoothed_truncation([2.0, -1e9], scale=s, precision=precision)
    found = local_private_mean(
        [2.0, -1e9], ledger=GivenDrawsLedger([np.array([1.0, -3.0])]), **parameters()
    )
    assert found == pytest.approx((values[0] + sigma + values[1] - 3 * sigma) / 2)


def test_the_exact_epsilon_of_the_card() -> None:
    # the zCDP noise: (epsilon, delta), precision and the exact epsilon that Delta and
    # erf(sqrt(precision/2)) leave
    for epsilon, delta, precision, full, exact in (
        (1.0, 1e-5, 2.146, 0.742, 0.627),
        (1.0, 1e-2, 2.3, 0.490, 0.406),
        (4.0, 1e-3, 2.3, 2.96, 2.50),
    ):
        found = central_module.constants_for(
            n=100, epsilon=epsilon, delta=delta, second_moment=1.0,
            failure_probability=math.exp(-(precision**2)), method="zcdp",
        )  # fmt: skip
        assert found.precision == pytest.approx(precision)
        mu = found.sensitivity / found.noise_scale
        assert gaussian_dp_epsilon(mu, delta) == pytest.approx(full, rel=0.01)
        bound = truncation_bound(scale=found.truncation_scale, precision=precision)
        assert gaussian_dp_epsilon(2 * bound / 100 / found.noise_scale, delta) == pytest.approx(
            exact, rel=0.01
        )


@pytest.mark.parametrize("function", [private_mean, local_private_mean])
def test_noiseless_limit_is_the_mean(function: Any) -> None:
    # tau = 1e16 puts s at 1e7 times the data and more: relative bias of order 1e-14
    data = 1 + np.random.default_rng(0).standard_t(3, 60)
    found = function(data, ledger=NoiselessLedger(), **parameters(second_moment=1e16))
    assert found == pytest.approx(data.mean(), rel=1e-10)


# ---------------------------------------------------------------------------- utility


def two_point_bias(local: bool, rule: Any, zeta: float) -> float:
    """Bias over the claimed rate for x = sk with probability tau/(sk)^2, else 0; tau = 1."""
    n, epsilon, delta = 10**6, 1.0, 1e-5
    found = rule(
        np.zeros(n), epsilon=epsilon, delta=delta, second_moment=1.0, failure_probability=zeta
    )
    size = math.sqrt(n) if local else n
    rate = math.sqrt(math.sqrt(-math.log(delta)) * -math.log(zeta) / (size * epsilon))
    k = np.linspace(0.3, 4.0, 3701)
    psi = smoothed_truncation(k, scale=1.0, precision=found.precision)
    return float(((k - psi) / k**2).max()) / found.truncation_scale / rate


@pytest.mark.parametrize("local", [False, True])
def test_the_printed_scale_loses_a_factor(local: bool) -> None:
    # the figures of errata wang-mean/E1 and wang-ldp-mean/E1
    printed_rule = local_printed_constants if local else printed_constants
    printed = [two_point_bias(local, printed_rule, z) for z in (0.1, 1e-4, 1e-10, 1e-100)]
    assert printed == pytest.approx([0.575, 0.961, 1.41, 4.08], rel=0.005)
    assert two_point_bias(local, printed_rule, 1e-300) == pytest.approx(7.0, rel=0.01)

    def right(data: Any, **given: Any) -> Constants:
        constants_for = RULES["theorem-3" if local else "theorem-2"][1]
        found: Constants = constants_for(n=len(data), **given)
        return found

    assert max(two_point_bias(local, right, z) for z in (0.1, 1e-4, 1e-10, 1e-100)) < 0.4
