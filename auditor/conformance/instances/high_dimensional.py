"""Cases of the heavy-tailed algorithms in high dimensions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.conformance.instance import Instance
from auditor.conformance.instances.heavy_tailed import (
    FEW,
    HUGE,
    diabetes,
    regression,
    vectors,
)
from reference.constraint_sets import L1Ball, Polytope
from reference.heavy_tailed import frank_wolfe, lasso, sparse_optimisation, sparse_regression
from reference.losses import Biweight, RidgeRegularized, SquaredDistance, SquaredError

# -------------------------------------------------------------------------- Frank-Wolfe

SELECTION = "reference.heavy_tailed.vertex_selection"


TRIANGLE = np.array([[4.0, 1.0], [5.0, 1.0], [4.0, 3.0], [5.0, 1.0]])
"""The vertices of a triangle that lies far from the origin; one of them comes twice."""


def hu_expmech() -> tuple[Instance, ...]:
    """Vertex selection."""
    return (
        Instance(
            "by-hand",
            "Three records of two entries, cut to 1: one of four vertices of the l1 ball.",
            {
                "data": np.array([[0.5, -3.0], [1.0, 0.0], [2.0, -0.5]]),
                "constraint": L1Ball(1.0),
                "epsilon": 4.0,
                "bound": 1.0,
            },
            seed=4,
        ),
        Instance(
            "middle",
            "Thirty records of four entries in an l1 ball of radius 2.",
            {
                "data": vectors(30, 4, 11),
                "constraint": L1Ball(2.0),
                "epsilon": 2.0,
                "bound": 1.5,
            },
            seed=13,
        ),
        Instance(
            "far-away",
            "A triangle far from the origin: scores are those of the differences of its vertices.",
            {
                "data": vectors(12, 2, 12),
                "constraint": Polytope(TRIANGLE),
                "epsilon": 3.0,
                "bound": 2.0,
            },
            seed=3,
        ),
        Instance(
            "all-alike",
            "Records that cancel: all vertices have the same score, and the draws decide.",
            {
                "data": np.array([[0.5, -0.25, 1.0], [-0.5, 0.25, -1.0]]),
                "constraint": Polytope(np.eye(3)),
                "epsilon": 1.0,
                "bound": 1.0,
            },
            seed=4,
        ),
    )


FIXED = "eta = step_size_at(t) if step_size is None else step_size"


def hu_1() -> tuple[Instance, ...]:
    """Frank-Wolfe with robust gradients."""
    chosen = frank_wolfe.Constants(sensitivity=2.0, step_epsilon=2.0)

    return (
        Instance(
            "by-hand",
            "Two steps, on two records each, of five; the last is not used and the third is far "
            "out.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "constraint": L1Ball(1.0),
                "initial": np.array([0.0, 0.5]),
                "epsilon": 2.0,
                "truncation_scale": 2.0,
                "precision": 4.0,
                "n_iterations": 2,
                "constants": chosen,
            },
        ),
        Instance(
            "middle",
            "Four steps of a least squares regression over the l1 ball, of sizes 2/3, 2/4, 2/5 and "
            "2/6.",
            {
                "data": regression(42, 4, 13),
                "loss": SquaredError(),
                "constraint": L1Ball(1.0),
                "initial": np.zeros(4),
                "epsilon": 4.0,
                "truncation_scale": 3.0,
                "n_iterations": 4,
            },
            seed=2,
        ),
        Instance(
            "fixed-steps",
            "Steps of the same size, a loss that is not convex, and a triangle far from the "
            "origin.",
            {
                "data": regression(24, 2, 14),
                "loss": Biweight(threshold=2.0),
                "constraint": Polytope(TRIANGLE),
                "initial": np.array([4.25, 1.5]),
                "epsilon": 6.0,
                "truncation_scale": 1.5,
                "precision": 2.0,
                "n_iterations": 3,
                "step_size": 0.25,
            },
            seed=3,
        ),
        Instance(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0; a step of size 1 ends in a vertex.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "constraint": L1Ball(1.0),
                "initial": np.array([0.5, 0.25]),
                "epsilon": 4.0,
                "truncation_scale": 2.0,
                "n_iterations": 1,
                "step_size": 1.0,
                "constants": chosen,
            },
            seed=4,
        ),
    )


def hu_2() -> tuple[Instance, ...]:
    """LASSO on shrunken data."""
    usual = {"epsilon": 2.0, "delta": 1e-3}

    return (
        Instance(
            "by-hand",
            "Two steps of sizes 2/3 and 2/4 on three records, whose entries are cut to 2.",
            {
                "data": (
                    np.array([[1.0, -3.0], [0.5, 0.0], [4.0, 1.0]]),
                    np.array([2.0, -0.5, 5.0]),
                ),
                **usual,
                "truncation_level": 2.0,
                "n_iterations": 2,
                "constants": lasso.Constants(sensitivity=8.0, step_epsilon=4.0),
            },
            seed=14,
        ),
        Instance(
            "middle",
            "Five steps from a point of the l1 ball of radius 2; more noise than signal.",
            {
                "data": regression(40, 4, 15),
                "initial": np.array([0.5, 0.0, 0.0, -1.5]),
                **usual,
                "radius": 2.0,
                "truncation_level": 1.5,
                "n_iterations": 5,
            },
            seed=3,
        ),
        Instance(
            "little-noise",
            "At a large epsilon the selections follow the gradients.",
            {
                "data": regression(30, 3, 16),
                "epsilon": 200.0,
                "delta": 1e-3,
                "truncation_level": 2.5,
                "n_iterations": 4,
            },
            seed=4,
        ),
        Instance(
            "real-data",
            "Forty records of the diabetes data.",
            {
                "data": diabetes(),
                "epsilon": 20.0,
                "delta": 1e-3,
                "truncation_level": 1.25,
                "n_iterations": 4,
            },
            seed=5,
        ),
    )


# ----------------------------------------------------------------------- sparse vectors


def hu_3() -> tuple[Instance, ...]:
    """Sparse regression on shrunken data."""
    usual = {"epsilon": 4.0, "delta": 1e-3}

    return (
        Instance(
            "by-hand",
            "Two steps on two records each, of five, whose entries are cut to 2; one of two "
            "coordinates is kept.",
            {
                "data": (FEW, np.array([1.0, -3.0, 0.5, 2.5, 1.0])),
                **usual,
                "sparsity": 1,
                "truncation_level": 2.0,
                "n_iterations": 2,
                "step_size": 0.5,
                "constants": sparse_regression.Constants(sensitivity=2.0, noise_scale=1.0),
            },
            seed=10,
        ),
        Instance(
            "middle",
            "Three steps from a sparse point, two of six coordinates; the unit ball binds.",
            {
                "data": regression(50, 6, 17),
                "initial": np.array([0.0, -0.5, 0.0, 0.0, 0.5, 0.0]),
                "epsilon": 2.0,
                "delta": 1e-3,
                "sparsity": 2,
                "truncation_level": 1.25,
                "n_iterations": 3,
                "step_size": 0.3,
            },
            seed=2,
        ),
        Instance(
            "little-noise",
            "At a large epsilon points stay inside the unit ball.",
            {
                "data": regression(40, 4, 18),
                "epsilon": 500.0,
                "delta": 1e-3,
                "sparsity": 2,
                "truncation_level": 2.0,
                "n_iterations": 2,
                "step_size": 0.1,
            },
            seed=3,
        ),
        Instance(
            "tiny-steps",
            "Steps so small against the point that their rounding adds to the sensitivity.",
            {
                "data": regression(6, 3, 19),
                "initial": np.array([0.75, 0.0, -0.5]),
                **usual,
                "sparsity": 2,
                "truncation_level": 1e-5,
                "n_iterations": 2,
                "step_size": 0.5,
            },
            seed=4,
        ),
    )


def hu_5() -> tuple[Instance, ...]:
    """Sparse optimisation with robust gradients."""
    usual = {"epsilon": 4.0, "delta": 1e-3}

    return (
        Instance(
            "by-hand",
            "Two steps on two records each, of five, one of which is far out; one of two "
            "coordinates is kept.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "initial": np.array([0.0, 0.5]),
                **usual,
                "sparsity": 1,
                "truncation_scale": 2.0,
                "precision": 4.0,
                "n_iterations": 2,
                "step_size": 0.25,
                "constants": sparse_optimisation.Constants(sensitivity=2.0, noise_scale=0.5),
            },
        ),
        Instance(
            "middle",
            "Three steps, two of six coordinates, without a projection.",
            {
                "data": vectors(40, 6, 20),
                "loss": SquaredDistance(),
                "initial": np.zeros(6),
                **usual,
                "sparsity": 2,
                "truncation_scale": 1.5,
                "n_iterations": 3,
                "step_size": 0.3,
            },
            seed=2,
        ),
        Instance(
            "ball",
            "Another loss, and a ball that some of the points lie in and some do not.",
            {
                "data": regression(40, 4, 21),
                "loss": RidgeRegularized(Biweight(threshold=2.0), 0.5),
                "initial": np.array([0.0, 0.25, 0.0, 0.0]),
                "epsilon": 20.0,
                "delta": 1e-3,
                "sparsity": 2,
                "truncation_scale": 1.0,
                "precision": 2.0,
                "n_iterations": 4,
                "step_size": 0.5,
                "radius": 0.25,
            },
            seed=3,
        ),
        Instance(
            "tiny-steps",
            "Steps so small against the point that their rounding adds to the sensitivity.",
            {
                "data": vectors(6, 3, 22),
                "loss": SquaredDistance(),
                "initial": np.array([0.75, 0.0, -0.5]),
                **usual,
                "sparsity": 2,
                "truncation_scale": 1e-9,
                "n_iterations": 2,
                "step_size": 0.25,
            },
            seed=4,
        ),
        Instance(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "initial": np.array([0.5, 0.25]),
                **usual,
                "sparsity": 2,
                "truncation_scale": 2.0,
                "n_iterations": 1,
                "step_size": 0.5,
                "constants": sparse_optimisation.Constants(sensitivity=2.0, noise_scale=0.5),
            },
            seed=5,
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "hu-1": hu_1,
    "hu-2": hu_2,
    "hu-3": hu_3,
    "hu-5": hu_5,
    "hu-expmech": hu_expmech,
}
