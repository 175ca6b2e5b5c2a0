"""Vectors of conversions between guarantees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor.conformance.functions import Function, Sample, kind_of
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
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
from reference.privacy.mechanisms.wishart import wishart_delta

EPSILONS = (1e-6, 0.01, 0.5, 1.0, 5.0, 50.0)
DELTAS = (1e-12, 1e-6, 1e-3, 0.5)
LARGE_DELTAS = (0.9, 0.999999)
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


def _end(first: str, value: float, second: str, other: float) -> Sample:
    return Sample(
        f"{first}={value:g},{second}={other:g}",
        "Nothing is spent, or all, or so little that its square is no double.",
        {first: value, second: other},
    )


MUS = (1e-3, 0.1, 1.5, 5.0, 30.0)
TABLE: dict[str, Function] = {
    "gaussian-delta": Function(
        gaussian_dp_delta,
        [
            *_grid("mu", MUS, "epsilon", EPSILONS),
            *(_end("mu", mu, "epsilon", 0.5) for mu in (0.0, 1e120, math.inf)),
        ],
        1e-9,
        "two normal probabilities that may nearly cancel",
    ),
    "gaussian-epsilon": Function(
        gaussian_dp_epsilon,
        [
            *_grid("mu", MUS, "delta", (*DELTAS, *LARGE_DELTAS)),
            *(_end("mu", mu, "delta", 1e-6) for mu in (0.0, math.inf)),
        ],
        **SEARCHED,
    ),
    "gaussian-mu": Function(
        gaussian_dp_mu,
        _grid("epsilon", EPSILONS, "delta", (*DELTAS, *LARGE_DELTAS)),
        **SEARCHED,
    ),
    "laplace-delta": Function(laplace_delta, _grid("size", (0.1, 1.0, 10.0), "epsilon", EPSILONS)),
    "laplace-epsilon": Function(laplace_epsilon, _grid("size", (0.1, 1.0, 10.0), "delta", DELTAS)),
    "zcdp-epsilon": Function(
        zcdp_epsilon, _grid("rho", (1e-9, 0.01, 0.5, 10.0), "delta", DELTAS), 1e-12
    ),
    "zcdp-rho": Function(zcdp_rho, _grid("epsilon", EPSILONS, "delta", DELTAS), 1e-12),
    "zcdp-delta": Function(
        zcdp_delta,
        [
            *_grid("rho", (1e-4, 0.01, 1.0, 10.0), "epsilon", EPSILONS),
            *(_end("rho", rho, "epsilon", 0.5) for rho in (0.0, math.inf)),
            _end("rho", 1e-280, "epsilon", 1e-140),
        ],
        **SEARCHED,
    ),
    "zcdp-largest-rho": Function(
        largest_zcdp_rho, _grid("epsilon", EPSILONS, "delta", DELTAS), **SEARCHED
    ),
    "pure-epsilon": Function(largest_pure_epsilon, _grid("epsilon", EPSILONS, "delta", DELTAS)),
}

GUARANTEES: dict[str, Any] = {
    "pure": PureDP,
    "approximate": ApproximateDP,
    "zcdp": ZCDP,
    "renyi": RenyiDP,
    "gaussian": GaussianDP,
}
GIVEN: dict[str, tuple[tuple[float, ...], ...]] = {
    "pure": ((0.75,), (2.5,)),
    "approximate": ((0.75, 1e-3), (2.5, 0.125)),
    "zcdp": ((0.125,), (1.5,)),
    "renyi": ((1.5, 0.25), (16.0, 1.5)),
    "gaussian": ((0.25,), (1.5,)),
}


def _guarantees(asked: str, values: tuple[float, ...]) -> list[Sample]:
    return [
        Sample(
            f"{kind}-{'-'.join(f'{number:g}' for number in numbers)},{asked}={value:g}",
            "What a guarantee says of another epsilon or delta.",
            {"kind": kind, "numbers": np.array(numbers), asked: value},
        )
        for kind, given in GIVEN.items()
        for numbers in given
        for value in values
    ]


def _delta_of(kind: str, numbers: Any, epsilon: float) -> float:
    return float(GUARANTEES[kind](*numbers.tolist()).delta_at(epsilon))


def _epsilon_of(kind: str, numbers: Any, delta: float) -> float:
    return float(GUARANTEES[kind](*numbers.tolist()).epsilon_at(delta))


TABLE |= {
    "guarantee-delta": Function(
        _delta_of, _guarantees("epsilon", (0.0, 0.5, 0.75, 2.0, 6.0)), **SEARCHED
    ),
    "guarantee-epsilon": Function(
        _epsilon_of, _guarantees("delta", (0.0, 1e-6, 1e-3, 0.25, 0.75)), **SEARCHED
    ),
}

WISHARTS = (
    # degrees, size, dimension, epsilon
    *((float(2 + 1), size, 2, 0.5) for size in (0.25, 1.0, 3.0)),
    *((7.0 + 3, 1.0, 3, epsilon) for epsilon in (0.0, 0.25, 1.0, 2.0)),
    *((1.0 + 4.5, size, 1, 0.5) for size in (0.5, 1.0, 2.0)),
    *((20.0 + 2, 1.0, 2, epsilon) for epsilon in (0.1, 0.5, 1.0)),
    *((10.0 + 2, 1.0, 2, epsilon) for epsilon in (2.0, 3.0)),
    (2.0 + 2, 0.5, 2, 3.0),
    (2.0 + 2, 0.25, 2, 0.0),
    (2.0 + 2, 3.0, 2, 0.5),
    (3.0 + 2, 0.25, 2, 0.0),
    (100.0 + 4, 1.0, 4, 0.25),
    (5.0 + 2, 4.0, 2, 6.0),
)
TABLE["wishart-delta"] = Function(
    wishart_delta,
    [
        Sample(
            f"m={degrees:g},size={size:g},d={dimension},epsilon={epsilon:g}",
            "The largest delta of W_d(m, I) for size (v v' - w w'), |v|, |w| <= 1: a record "
            "that goes, one that comes, or a turn by a right angle.",
            {"degrees": degrees, "size": size, "dimension": dimension, "epsilon": epsilon},
        )
        for degrees, size, dimension, epsilon in WISHARTS
    ],
    1e-7,
    "a sum over a grid, to 1e-14 absolutely",
)

KIND = kind_of("conversions", "from one kind of guarantee to another", TABLE)
