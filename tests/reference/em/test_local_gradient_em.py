"""Gradient EM in the local model (wang-ldp-em, an extension); see also test_private_algorithms."""

import math
from typing import Any

import pytest

from reference.em import split_gradient_em as split
from reference.em.local_gradient_em import constants_for

CLAIM: dict[str, Any] = {
    "epsilon": 0.9,
    "delta": 1e-5,
    "second_moment": 2.0,
    "failure_probability": 0.05,
}


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
