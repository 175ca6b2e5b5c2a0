"""Section 5.1 of Wang (2020) has no experiments: what its theorems say, on the simplest data.

Printed: nothing but rates. Chosen: users' records from Beta(2, 5) on [0, 1]^p and the loss
||w - x||^2/p for the mechanisms on a grid; bits of probability .3 for marginals; normal records cut
to [-1, 1] and Gaussian kernels for smooth queries; x = 1 and labels +-1 for the hinge loss, at
noise far below a budget's, where alone a gradient shows anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from auditor.core.context import Tier
from auditor.described.data.noisy_copies import excess_risk
from auditor.described.local.hinge_loss import expected_slope
from auditor.experiments.experiment import (
    Errors,
    Experiment,
    Panel,
    Trend,
    below,
    columns,
    ends_below,
    falls,
    rises,
)
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.local.approximately_convex import ApproximatelyConvex
from reference.local.bernstein_mechanism import Constants, local_bernstein
from reference.local.hinge_loss import hinge_loss_ldp, with_noise
from reference.local.marginals import local_chebyshev
from reference.local.noisy_copies import noise_scales
from reference.local.one_bit_bernstein_mechanism import Constants as BitConstants
from reference.local.one_bit_bernstein_mechanism import one_bit_bernstein
from reference.local.risks import MeanSquaredDistance
from reference.local.selected_noise_bernstein_mechanism import Constants as SelectionConstants
from reference.local.selected_noise_bernstein_mechanism import selected_noise_bernstein
from reference.local.trigonometry_mechanism import local_trigonometry_mechanism
from reference.privacy.ledger import Ledger

FAMILY = "local"
ORDER = 6
BASE = 0.25
"""Budget of GenProt's base randomizer at epsilon = 1, which the account multiplies by four."""

# --------------------------------------------------------------------- mechanisms on a grid


def grid_mechanisms(epsilon: float, degree: int, dimension: int) -> Mapping[str, Any]:
    """Return the mechanisms of 5.1.31, 5.1.32 and 5.1.37 at a budget, on a grid of degree k."""
    points = (degree + 1) ** dimension
    bit = float(np.log1p(-np.expm1(-epsilon)))
    return {
        "all points": partial(local_bernstein, constants=Constants(degree, epsilon / points)),
        "one bit": partial(one_bit_bernstein, constants=BitConstants(degree, bit)),
        "one index": partial(
            selected_noise_bernstein,
            constants=SelectionConstants(degree, 12, min(epsilon / 4, BASE)),
        ),
    }


def grid_errors(
    rng: np.random.Generator, *, n: int, epsilon: float = 1.0, degree: int = 4, dimension: int = 1
) -> dict[str, float]:
    """Return by how much the least value that a server finds is off that of the risk.

    That is at most sup |L~ - L| (5.8), and linear in the noise. At h = 6 almost nothing of it is
    the approximation's, for this loss. With three variables the server minimises what it holds as
    approximately convex.
    """
    data = rng.beta(2, 5, (n, dimension))
    minimiser = ApproximatelyConvex(0.05, n_iterations=200) if dimension > 2 else None
    found = {}
    for label, mechanism in grid_mechanisms(epsilon, degree, dimension).items():
        minimum = mechanism(
            data,
            MeanSquaredDistance(dimension),
            epsilon=epsilon,
            order=ORDER,
            minimiser=minimiser,
            ledger=Ledger(rng),
        )
        found[label] = abs(minimum.value - float(data.var(axis=0).mean()))
    return found


# -------------------------------------------------------------------- marginals, smooth queries


def marginal_errors(rng: np.random.Generator, *, n: int, epsilon: float = 1.0) -> dict[str, float]:
    """Return the largest error of all disjunctions of at most k of 8 bits, gamma = .05."""
    data = (rng.random((n, 8)) < 0.3).astype(np.int64)
    found = {}
    for k in (1, 2, 3):
        rows = [row for size in range(1, k + 1) for row in combinations(range(8), size)]
        queries = np.array([[int(j in row) for j in range(8)] for row in rows])
        answers = local_chebyshev(
            data, queries, epsilon=epsilon, accuracy=0.1, k=k, ledger=Ledger(rng)
        )
        truth = (data @ queries.T > 0).mean(axis=0)
        found[f"k = {k}"] = float(np.abs(answers - truth).max())
    return found


def kernel_errors(rng: np.random.Generator, *, n: int, epsilon: float = 1.0) -> dict[str, float]:
    """Return the largest error of nine Gaussian kernel densities for several t."""
    data = np.clip(rng.normal(0.0, 0.4, (n, 1)), -1.0, 1.0)
    found = {}
    for t in (4, 8):
        queries = local_trigonometry_mechanism(
            data, epsilon=epsilon, n_degrees=t, ledger=Ledger(rng)
        )
        found[f"t = {t}"] = max(
            abs(queries.answer(kernel) - float(kernel(data).mean()))
            for kernel in (partial(_kernel, centre=c) for c in np.linspace(-1, 1, 9))
        )
    return found


def _kernel(x: FloatArray, centre: float) -> FloatArray:
    density: FloatArray = np.exp(-((x[:, 0] - centre) ** 2) / 0.5)
    return density


# ------------------------------------------------------------------------------------ hinge loss


def hinge_errors(rng: np.random.Generator, *, n: int) -> dict[str, float]:
    """Return the excess of the polynomial risk that Hinge Loss-LDP minimises, d = 3."""
    return {f"noise {noise}": _hinge_error(rng, n, noise) for noise in (0.1, 0.3, 0.9)}


def _hinge_error(rng: np.random.Generator, n: int, noise: float) -> float:
    def run(data: Any, ledger: Ledger) -> FloatArray:
        return hinge_loss_ldp(
            data,
            L2Ball(1.0),
            epsilon=1.0,
            delta=1e-2,
            smoothing=0.25,
            degree=3,
            constants=with_noise(noise, noise, dimension=1, degree=3),
            ledger=ledger,
        )

    return excess_risk(rng, Ledger(rng), n, algorithm=run, slope=expected_slope(3), positive=0.75)


# ----------------------------------------------------------------------------------------- curves


def over(
    parameter: str,
    values: Sequence[float],
    errors: Callable[..., dict[str, float]],
    rng: np.random.Generator,
    **held: Any,
) -> Errors:
    """Return the errors along a parameter."""
    return columns([errors(rng, **{parameter: value}, **held) for value in values])


def _panel(
    title: str,
    parameter: str,
    values: Sequence[float],
    errors: Callable[..., dict[str, float]],
    y_label: str,
    **held: Any,
) -> Panel:
    trial = partial(over, parameter, values, errors, **held)
    label = {"dimension": "p", "degree": "k"}.get(parameter, parameter)
    return Panel(title, label, values, trial, y_label, log_x=parameter in ("n", "epsilon"))


def _grid_panels(tier: Tier) -> list[Panel]:
    sizes = (1_000, 10_000, 100_000) if tier == "quick" else (1_000, 10_000, 100_000, 1_000_000)
    least = "error of the least value"
    return [
        _panel("p = 1, k = 4, epsilon = 1", "n", sizes, grid_errors, least),
        _panel(
            "p = 1, k = 4, n = 100,000", "epsilon", (0.1, 0.3, 1.0), grid_errors, least, n=100_000
        ),
        _panel(
            "k = 2, n = 100,000, epsilon = 1", "dimension", (1, 2, 3), grid_errors, least,
            n=100_000, degree=2,
        ),
        _panel(
            "p = 1, n = 100,000, epsilon = 1", "degree", (2, 8, 32), grid_errors, least, n=100_000
        ),
    ]  # fmt: skip


def _query_panels(
    errors: Callable[..., dict[str, float]], sizes: Sequence[int], tier: Tier
) -> list[Panel]:
    del tier
    largest = "largest error"
    return [
        _panel("epsilon = 1", "n", sizes, errors, largest),
        _panel("n = 10,000", "epsilon", (0.25, 1.0, 4.0), errors, largest, n=10_000),
    ]


def _hinge_panels(tier: Tier) -> list[Panel]:
    sizes = (100, 400, 1_600) if tier == "quick" else (100, 400, 1_600, 6_400)
    return [_panel("d = 3, p = 1", "n", sizes, hinge_errors, "excess risk")]


def _loses(labels: Sequence[str], panel: int, along: str, change: Any) -> tuple[Trend, ...]:
    return tuple(Trend(f"{label}: {along}", panel, change(label)) for label in labels)


GRID = ("all points", "one bit", "one index")
_GENUINE = noise_scales(epsilon=1.0, delta=1e-2, degree=3)[1]
CHOSEN = "No experiment in the text. Chosen: "

EXPERIMENTS = (
    Experiment(
        name="004 Theorem 5.1.2",
        algorithm="diss-5.1.31",
        caption="The Local Bernstein Mechanism (all points), in its forms of one bit (5.1.32) and "
        "of one index (5.1.37) per user.",
        setting=f"{CHOSEN}records from Beta(2, 5), the loss ||w - x||^2/p, h = {ORDER}; how far "
        "the least value of the server's polynomial is off that of the risk.",
        panels=_grid_panels,
        trends=(
            *_loses(GRID, 0, "the error falls with n", falls),
            *_loses(GRID, 1, "the error falls with epsilon", falls),
            *_loses(GRID, 2, "the error grows with p", rises),
            Trend(
                "on a fine grid one bit about one point is better than a share of epsilon for all",
                3,
                ends_below("one bit", "all points"),
            ),
        ),
    ),
    Experiment(
        name="004 Theorem 5.1.10",
        algorithm="diss-5.1.35",
        caption="The Local Chebyshev Mechanism: all disjunctions of at most k of 8 bits.",
        setting=f"{CHOSEN}independent bits of probability .3, gamma = .05.",
        panels=partial(_query_panels, marginal_errors, (1_000, 6_000, 36_000)),
        trends=(
            *_loses(("k = 2", "k = 3"), 0, "the error falls with n", falls),
            *_loses(("k = 2", "k = 3"), 1, "the error falls with epsilon", falls),
            Trend("the error grows with k", 0, below("k = 1", "k = 3")),
        ),
    ),
    Experiment(
        name="004 Theorem 5.1.11",
        algorithm="diss-5.1.36",
        caption="The Local Trigonometry Mechanism: Gaussian kernel densities, by t features.",
        setting=f"{CHOSEN}normal records of deviation .4 cut to [-1, 1], kernels "
        "exp(-2 (x - c)^2).",
        panels=partial(_query_panels, kernel_errors, (1_000, 20_000, 400_000)),
        trends=(
            *_loses(("t = 4", "t = 8"), 0, "the error falls with n", falls),
            *_loses(("t = 4", "t = 8"), 1, "the error falls with epsilon", falls),
            Trend(
                "few records: fewer features are better",
                0,
                lambda errors: float(errors["t = 8"][0] - errors["t = 4"][0]),
            ),
            Trend(
                "many records: more features are better",
                0,
                ends_below("t = 8", "t = 4"),
            ),
        ),
    ),
    Experiment(
        name="004 Theorem 5.1.8",
        algorithm="diss-5.1.33",
        caption="Hinge Loss-LDP, at noise far below any budget's.",
        setting=f"{CHOSEN}x = 1, three of four labels 1, C = [-1, 1]; noise of every copy as "
        f"given; at epsilon = 1, delta = .01 it would be {_GENUINE:.0f} for margins.",
        panels=_hinge_panels,
        trends=(
            *_loses(("noise 0.1", "noise 0.3"), 0, "the error falls with n", falls),
            Trend("the error grows with the noise", 0, below("noise 0.1", "noise 0.9")),
        ),
        full=20,
    ),
)
