"""The figures in the witnesses of its errata, computed again."""

import math
from typing import Any

import numpy as np
import pytest

from reference.errata.heavy_tailed.local_private_mean import (
    printed_constants as local_printed_constants,
)
from reference.errata.heavy_tailed.private_mean import printed_constants
from reference.heavy_tailed.private_mean import Constants
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy.guarantees import gaussian_dp_epsilon
from tests.reference.heavy_tailed.test_private_mean import RULES


def test_definition_7_fails_at_large_epsilon_only() -> None:
    given: dict[str, Any] = {"second_moment": 2.0, "failure_probability": 0.01, "delta": 1e-3}
    for epsilon, exact in ((1.0, None), (8.0, 8.179)):
        found = printed_constants(np.zeros(50), epsilon=epsilon, **given)
        spent = gaussian_dp_epsilon(found.sensitivity / found.noise_scale, 1e-3)
        if exact is None:
            assert spent < epsilon
        else:
            assert spent == pytest.approx(exact, abs=1e-3)


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
