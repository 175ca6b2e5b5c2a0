"""Noise too coarse to hide the value breaks the claim; the spacing of doubles is a finding.

Seeds are fixed. A right mechanism is flagged with probability 1% at most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from auditor import CheckResult, check

pytestmark = pytest.mark.usefixtures("unpromised")

Noise = Callable[[np.random.Generator, int], np.ndarray]
VALUES = np.random.default_rng(7).laplace(size=2**12)


def steps(rng: np.random.Generator, size: int) -> np.ndarray:
    return np.round(rng.laplace(size=size) * 2.0**20) * 2.0**-20


def few(rng: np.random.Generator, size: int) -> np.ndarray:
    return VALUES[rng.integers(VALUES.size, size=size)]


def doubles(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.laplace(size=size)


def scalars(noise: Noise) -> Callable[..., Any]:
    return lambda x, rng, size: x + noise(rng, size)


def singles(noise: Noise) -> Callable[..., Any]:
    return lambda x, rng, size: (x + noise(rng, size)).astype(np.float32)


def dicts(noise: Noise) -> Callable[..., Any]:
    def mechanism(x: float, rng: np.random.Generator, size: int) -> list[dict[str, float]]:
        counts = rng.geometric(0.3, size).tolist()
        means = (x + noise(rng, size)).tolist()
        return [{"mean": m, "count": c} for m, c in zip(means, counts, strict=True)]

    return mechanism


def asked(mechanism: Callable[..., Any], samples: int = 5000, **how: Any) -> CheckResult:
    return check(
        mechanism,
        pair=(0.3, 0.7),
        relation="any",
        epsilon=1.0,
        samples=samples,
        batched=True,
        seed=1,
        **how,
    )


@pytest.mark.parametrize("shape", [scalars, dicts])
def test_noise_in_coarse_steps_is_a_violation_that_names_the_step(
    shape: Callable[[Noise], Callable[..., Any]],
) -> None:
    found = asked(shape(steps))
    assert found.status == "violated"
    assert "mod 9.53674e-07" in found.event
    assert found.first[0] == found.first[1]
    assert found.second[0] == 0
    assert all(finding["kind"] == "structure" for finding in found.findings)


def test_the_step_of_single_precision_outputs_is_seen_too() -> None:
    def coarser(rng: np.random.Generator, size: int) -> np.ndarray:
        return np.round(rng.laplace(size=size) * 2.0**12) * 2.0**-12

    found = asked(singles(coarser))
    assert found.status == "violated"
    assert "mod 0.000244141" in found.event


@pytest.mark.parametrize("shape", [scalars, singles, dicts])
def test_noise_with_few_values_is_a_violation_that_names_their_number(
    shape: Callable[[Noise], Callable[..., Any]],
) -> None:
    found = asked(shape(few))
    assert found.status == "violated"
    assert "the noise has about 4," in found.event or "the noise has about 3," in found.event


@pytest.mark.parametrize("shape", [scalars, dicts])
def test_the_spacing_of_doubles_is_none(shape: Callable[[Noise], Callable[..., Any]]) -> None:
    assert asked(shape(doubles)).status == "holds"


def test_the_last_bits_of_doubles_stay_a_finding_unless_they_count() -> None:
    asked: dict[str, Any] = {"pair": (0.0, 1.0), "relation": "any", "epsilon": 1.0}
    asked |= {"batched": True, "samples": 40_000}
    found = check(scalars(doubles), **asked)
    assert found.status == "holds"
    assert [finding["kind"] for finding in found.findings] == ["floating point"]
    found = check(scalars(doubles), **asked, floating_point="count")
    assert found.status == "violated"
    assert "low-order bits" in found.summary


def test_a_fraction_that_carries_the_value_is_a_violation() -> None:
    def mechanism(x: float, rng: np.random.Generator, size: int) -> np.ndarray:
        rounded = np.round(x + rng.laplace(size=size), 6)
        return rounded + (x + rng.normal(scale=0.01, size=size)) * 1e-7

    found = asked(mechanism)
    assert found.status == "violated"
    assert "mod 1e-0" in found.event


def rounded(x: float, rng: np.random.Generator, size: int) -> np.ndarray:
    return np.round(x + rng.laplace(scale=0.4, size=size), 3)


def on_a_public_grid(x: float, rng: np.random.Generator, size: int) -> np.ndarray:
    stop = 1 - np.exp(-1 / (0.4 * 2**20))
    noise = rng.geometric(stop, size) - rng.geometric(stop, size)
    return (round(x * 2**20) + noise) * 2.0**-20


def in_single_precision(x: float, rng: np.random.Generator, size: int) -> np.ndarray:
    return np.float32(x) + rng.laplace(scale=0.4, size=size).astype(np.float32)


@pytest.mark.parametrize("mechanism", [rounded, on_a_public_grid, in_single_precision])
def test_right_noise_on_public_grids_keeps_its_claim(mechanism: Callable[..., Any]) -> None:
    """Each has epsilon 1 exactly, as is claimed."""
    assert asked(mechanism, samples=8000).status == "holds"
