"""Vectors of conversions between guarantees."""

from __future__ import annotations

from typing import Any

from auditor.conformance.functions import Function, Sample, kind_of
from reference.privacy.guarantees import (
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    laplace_delta,
    laplace_epsilon,
    largest_pure_epsilon,
    largest_zcdp_rho,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
)

Numbers = tuple[float, ...]
PLACE = "reference.privacy.guarantees"
EPSILONS = (1e-6, 0.01, 0.5, 1.0, 5.0, 50.0)
DELTAS = (1e-12, 1e-6, 1e-3, 0.5)
SEARCHED: dict[str, Any] = {"tolerance": 1e-6, "because": "a root is searched for"}


def _grid(
    first: str, values: tuple[float, ...], second: str, others: tuple[float, ...]
) -> list[Sample]:
    return [
        Sample(
            f"{first}={value:g},{second}={other:g}",
            "From very private to not private at all.",
            {first: value, second: other},
        )
        for value in values
        for other in others
    ]


MUS = (1e-3, 0.1, 1.0, 5.0, 30.0)
TABLE: dict[str, Function] = {
    "gaussian-delta": Function(
        gaussian_dp_delta,
        _grid("mu", MUS, "epsilon", EPSILONS),
        1e-9,
        "two normal probabilities that may nearly cancel",
    ),
    "gaussian-epsilon": Function(
        gaussian_dp_epsilon, _grid("mu", MUS, "delta", DELTAS), **SEARCHED
    ),
    "gaussian-mu": Function(
        gaussian_dp_mu, _grid("epsilon", EPSILONS, "delta", DELTAS), **SEARCHED
    ),
    "laplace-delta": Function(laplace_delta, _grid("size", (0.1, 1.0, 10.0), "epsilon", EPSILONS)),
    "laplace-epsilon": Function(laplace_epsilon, _grid("size", (0.1, 1.0, 10.0), "delta", DELTAS)),
    "zcdp-epsilon": Function(
        zcdp_epsilon, _grid("rho", (1e-9, 0.01, 0.5, 10.0), "delta", DELTAS), 1e-12
    ),
    "zcdp-rho": Function(zcdp_rho, _grid("epsilon", EPSILONS, "delta", DELTAS), 1e-12),
    "zcdp-delta": Function(
        zcdp_delta, _grid("rho", (1e-4, 0.01, 0.5, 10.0), "epsilon", EPSILONS), **SEARCHED
    ),
    "zcdp-largest-rho": Function(
        largest_zcdp_rho, _grid("epsilon", EPSILONS, "delta", DELTAS), **SEARCHED
    ),
    "pure-epsilon": Function(largest_pure_epsilon, _grid("epsilon", EPSILONS, "delta", DELTAS)),
}

KIND = kind_of("conversions", "from one kind of guarantee to another", TABLE)
