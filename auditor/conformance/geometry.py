"""Vectors of sets, subproblems and matrices: boundaries, ties and hard cases of building blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.conformance.functions import Function, Sample, alike, single
from reference._validation import FloatArray
from reference.clipping import clip_rows
from reference.constraint_sets import (
    L1Ball,
    L2Ball,
    Polytope,
    PositiveSemidefiniteBall,
    SparseVectors,
    frank_wolfe_gap,
)
from reference.matrices.fantope import capped_weights, duality_gap
from reference.matrices.graphical_lasso import graphical_lasso, optimality_gap
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.sparse_local_pca import penalised_projection
from reference.matrices.subspaces import pivoted_basis, principal_subspace, sin_theta_squared
from reference.mirror_maps import Euclidean, QNorm
from reference.nonconvex.trust_region_subproblem import solve_in_half_ball, solve_trust_region
from reference.proximal import L1Norm, NoRegularizer, Ridge

X = np.array([0.75, -0.5, 0.25, 0.0])
G = np.array([0.5, 1.0, -2.0, 0.125])
POINTS = np.array([[2.0, 1.0], [3.0, 1.5], [2.5, -1.0], [1.0, 0.5]])
SYMMETRIC = np.array([[2.0, 0.75, -0.25], [0.75, 1.0, 0.5], [-0.25, 0.5, 1.5]])
DEFINITE = np.array([[2.0, 0.5, 0.25], [0.5, 1.0, 0.125], [0.25, 0.125, 1.5]])


def _regularizer(regularizer: Any, x: Any, step_size: float) -> dict[str, Any]:
    return {"value": regularizer.value(x), "prox": regularizer.prox(x, step_size)}


def _ball(ball: Any, x: Any) -> dict[str, Any]:
    return {
        "convex": ball.convex,
        "largest_norm": ball.largest_norm,
        "contains": ball.contains(x),
        "project": ball.project(x),
    }


def _balls() -> Function:
    about = "Whether the point is in the set, and the nearest that is: a boundary belongs to it."
    inside = np.diag([0.5, 0.25])
    lopsided = np.array([[0.5, 0.125], [0.0, 0.25]])
    negative = np.diag([0.5, -0.125])
    skew = np.array([[0.25, 1.0], [-0.5, 0.5]])
    matrices = PositiveSemidefiniteBall(0.75)
    cases: dict[str, tuple[Any, Any]] = {
        "l2-in": (L2Ball(0.75), np.array([0.5, 0.25])),
        "l2-boundary": (L2Ball(5.0), np.array([3.0, -4.0])),
        "l2-out": (L2Ball(2.5), np.array([3.0, -4.0])),
        "l2-a-little-out": (L2Ball(5.0), np.array([3.0, -4.0]) * (1 + 1e-9)),
        "l2-huge": (L2Ball(2.0), np.array([3e200, -4e200, 1.0])),
        "matrix-wide": (PositiveSemidefiniteBall(1e-6), np.diag([1e-6, -1e-9]).ravel()),
        "l1-in": (L1Ball(1.0), np.array([0.5, -0.25])),
        "l1-boundary": (L1Ball(0.75), np.array([0.5, -0.25])),
        "l1-out": (L1Ball(0.75), np.array([0.5, -1.0, 2.0])),
        "l1-a-little-out": (L1Ball(0.75), np.array([0.5, -0.25]) * (1 + 1e-9)),
        "l1-huge": (L1Ball(2.0), np.array([3e20, -3e20, 1e10])),
        "sparse-in": (SparseVectors(2), np.array([0.5, 0.0, -0.25])),
        "sparse-out": (SparseVectors(1), np.array([0.5, 0.0, -0.75])),
        "matrix-in": (matrices, inside.ravel()),
        "matrix-boundary": (matrices, np.diag([0.75, 0.0]).ravel()),
        "matrix-too-long": (matrices, np.diag([0.75, 0.25]).ravel()),
        "matrix-not-symmetric": (matrices, lopsided.ravel()),
        "matrix-not-symmetric-either-way": (matrices, skew.ravel()),
        "matrix-negative": (matrices, negative.ravel()),
    }
    return Function(
        _ball,
        alike(about, ("ball", "x"), cases),
        1e-12,
    )


def _hull(hull: Any, direction: Any, x: Any, index: int) -> dict[str, Any]:
    return {
        "contains": hull.contains(x),
        "vertices": hull.vertices(len(direction)),
        "inner_products": hull.inner_products(direction),
        "inner_differences": hull.inner_differences(direction),
        "vertex": hull.vertex(index, len(direction)),
        "linear_minimizer": hull.linear_minimizer(direction),
        "frank_wolfe_gap": frank_wolfe_gap(hull, x, direction),
    }


def _polytope(points: Any, **arguments: Any) -> dict[str, Any]:
    return _hull(Polytope(points), **arguments)


HULLS: dict[str, Function] = {
    "l1-vertices": Function(
        lambda **arguments: _hull(**arguments),
        [
            Sample(
                f"vertex-{index}",
                "Vertices +R e_1, ..., +R e_p, -R e_1, ..., -R e_p, and what is linear on them.",
                {"hull": L1Ball(2.5), "direction": G, "x": X, "index": index},
            )
            for index in (0, 3, 4, 6)
        ]
        + [
            Sample(
                "no-gradient",
                "A gradient of 0 has no sign: the minimiser is 0.",
                {"hull": L1Ball(2.5), "direction": 0 * G, "x": X, "index": 1},
            )
        ],
        1e-13,
    ),
    "polytope": Function(
        _polytope,
        [
            Sample(
                name,
                "The hull of points away from 0, and what is linear on it.",
                {"points": POINTS, "direction": np.array([0.5, -1.5]), "x": x, "index": 2},
            )
            for name, x in (
                ("inside", np.array([2.25, 0.5])),
                ("outside", np.array([0.0, 0.0])),
                ("beyond", np.array([4.0, 1.5])),
            )
        ],
        1e-12,
    ),
}


def _mirror(mirror: Any, x: Any, z: Any, gradient: Any, size: float, weight: float) -> Any:
    return {
        "divergence": mirror.divergence(x, z),
        "mirror_step": mirror.mirror_step(z, gradient, size, weight),
        "gradient_step": mirror.gradient_step(x, gradient, 1 / size),
    }


def _mirrors() -> Function:
    about = "The divergence, and both steps, with an l1 penalty in the mirror step."
    other = np.array([-0.25, 0.25, 0.5, 0.25])
    opposed = np.array([0.25, 0.5, -0.5, 0.0])
    samples = [
        ("euclidean", Euclidean(1.5), X, other, G, 0.25, 0.5),
        ("q-norm", QNorm(2.0), X, other, G, 0.25, 0.5),
        ("q-norm-binding", QNorm(1.75), X, other, G, 3.0, 0.5),
        ("q-norm-from-zero", QNorm(2.0), X, 0 * X, G, 0.25, 0.5),
        ("q-norm-wrong-side", QNorm(2.0), opposed, other, -G, 0.0625, 0.0),
        ("q-norm-wrong-side-far", QNorm(1.25), opposed, other, -G, 2.0, 0.0),
        ("q-norm-turns", QNorm(1.5), np.abs(opposed), other, -G, 0.0625, 0.0),
        ("q-norm-turns-far", QNorm(1.25), np.abs(opposed), other, -G, 2.0, 0.0),
        ("q-norm-all-moves", QNorm(1.5), X, other, 0.5 * G, 50.0, 0.0),
    ]
    return Function(
        _mirror,
        [
            Sample(
                name,
                about,
                {"mirror": mirror, "x": x, "z": z, "gradient": g, "size": size, "weight": weight},
            )
            for name, mirror, x, z, g, size, weight in samples
        ],
        1e-8,
        "a threshold is searched for",
    )


def least_precision(second_moment: Any, penalty: float) -> FloatArray:
    """Return the graphical lasso."""
    return graphical_lasso(second_moment, penalty=penalty).theta


def _fantope(matrix: Any, rank: int, penalty: float) -> dict[str, Any]:
    found = penalised_projection(matrix, rank=rank, penalty=penalty, tolerance=1e-10)
    return {"feasible": found.feasible, "sparse": found.sparse}


def _fantopes() -> dict[str, Function]:
    about = "The maximiser of <S, X> - lambda |X|_1 over the Fantope: unique, with exact zeros."
    diagonal = SYMMETRIC - np.diag(np.diag(SYMMETRIC)) + np.diag([1.0, 2.0, 1.0])
    return {
        "penalised-projection": Function(
            _fantope,
            alike(
                about,
                ("matrix", "rank", "penalty"),
                {
                    "rank-one": (SYMMETRIC, 1, 0.125),
                    "rank-two": (SYMMETRIC, 2, 0.25),
                    "scaled": (64 * SYMMETRIC, 2, 16.0),
                    "small": (SYMMETRIC / 64, 1, 1 / 256),
                    "diagonal": (diagonal, 2, 0.75),
                    "diagonal-large": (diagonal, 1, 3.0),
                },
            ),
            1e-6,
            "an iteration that stops at a distance of 1e-10",
        ),
        "duality-gap": single(
            duality_gap,
            "The dual matrix is cut to [-lambda, lambda] first.",
            {
                "feasible": np.diag([1.0, 0.5, 0.5]),
                "dual": np.array([[0.5, -0.5, 0.1], [-0.5, 0.05, 0.5], [0.1, 0.5, -0.5]]),
                "matrix": SYMMETRIC,
                "rank": 2,
                "penalty": 0.25,
            },
            1e-11,
            "eigenvalues",
            name="cut",
        ),
        "capped-weights-ends": Function(
            capped_weights,
            alike(
                "Where all values count whole, or the sum jumps past the rank at a point.",
                ("values", "total"),
                {
                    "all": (np.array([3.0, 0.5, -1.0]), 3),
                    "exactly": (np.array([3.0, 0.5, -1.0]), 1),
                    "apart": (np.array([5.0, 3.0, 1.0]), 2),
                    "apart-ties": (np.array([5.0, 5.0, 1.0, 1.0]), 2),
                    "one": (np.array([-4.0]), 1),
                },
            ),
            1e-12,
        ),
    }


def _matrices() -> dict[str, Function]:
    apart = np.zeros((5, 5))
    apart[:2, :2] = [[-1.0, 2.0], [2.0, 0.5]]
    apart[2, 2] = -0.5
    apart[3:, 3:] = [[2.0, 0.5], [0.5, 1.0]]
    apart = apart[np.ix_([0, 2, 3, 1, 4], [0, 2, 3, 1, 4])]
    chain = np.diag([1.0, -0.5, 0.25, 2.0]) + np.diag([0.5, 0.25, -0.75], 1)
    chain = chain + np.triu(chain, 1).T
    v = np.array([1.0, 2.0, 2.0]) / 3
    flat = np.eye(3) - np.outer(v, v)
    plane = np.linalg.qr(np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.25], [0.0, 1.0]]))[0]
    tilted = np.linalg.qr(np.array([[1.0, 2.0], [0.0, -1.0], [2.0, 0.5], [0.5, 1.0]]))[0]
    return {
        "positive-part-blocks": Function(
            positive_part,
            [
                Sample("apart", "Blocks that are apart are projected alone.", {"matrix": apart}),
                Sample("alone", "A single negative entry.", {"matrix": np.diag([-2.0, 1.0])}),
                Sample(
                    "chain",
                    "Rows that are linked through others belong together.",
                    {"matrix": chain},
                ),
                Sample("huge", "No product overflows.", {"matrix": 2.0**990 * chain}),
            ],
            1e-11,
            "an eigendecomposition",
        ),
        "subspace-ties": Function(
            principal_subspace,
            alike(
                "Of an eigenspace of several dimensions the basis that the space determines, "
                "whatever the scale of the matrix.",
                ("matrix", "n_components"),
                {
                    "plane": (flat, 2),
                    "line-of-plane": (flat, 1),
                    "small": (1e-12 * flat, 2),
                    "large": (1e12 * flat, 3),
                    "apart": (np.diag([2.0, 1.0, 2.0 - 1e-6]), 2),
                    "bottom": (-flat, 2),
                },
            ),
            1e-9,
            "an eigendecomposition",
        ),
        "pivoted-basis": Function(
            pivoted_basis,
            [
                Sample(
                    f"count={count}",
                    "The longest row first, then the same in what is orthogonal to it.",
                    {"basis": plane, "count": count},
                )
                for count in (1, 2)
            ],
            1e-12,
        ),
        "sin-theta-squared": single(
            sin_theta_squared,
            "k less the squared norm of V^T W.",
            {"first": plane, "second": tilted},
            1e-11,
            name="planes",
        ),
        "graphical-lasso-scales": Function(
            least_precision,
            [
                Sample(
                    name,
                    "The same for moments of any size.",
                    {"second_moment": scale * DEFINITE, "penalty": scale * penalty},
                )
                for name, scale, penalty in (
                    ("small", 2.0**-8, 0.25),
                    ("large", 2.0**8, 0.25),
                    ("loose", 1.0, 0.01),
                )
            ],
            1e-6,
            "an iteration that stops at a residual of 1e-9",
        ),
        "graphical-lasso-gap": Function(
            optimality_gap,
            [
                Sample(
                    name,
                    "How far a matrix is from the optimality conditions.",
                    {"theta": theta, "second_moment": DEFINITE, "penalty": penalty},
                )
                for name, theta, penalty in (
                    ("dense", DEFINITE, 0.25),
                    ("sparse", np.diag([0.5, 0.75, 1.0]), 0.25),
                    ("inactive", np.diag([0.5, 1.0, 2 / 3]), 0.125),
                )
            ],
            1e-11,
        ),
    }


def _step(gradient: Any, hessian: Any, radius: float) -> dict[str, Any]:
    """Return what does not depend on the sign of an eigenvector: in the hard case two steps do."""
    found = solve_trust_region(gradient, hessian, radius)
    return {
        "value": gradient @ found.step + found.step @ hessian @ found.step / 2,
        "length": np.linalg.norm(found.step),
        "multiplier": found.multiplier,
    }


def _steps() -> Function:
    about = "The smallest value in the ball, where it is taken, and the multiplier."
    saddle = np.diag([-1.0, 0.5, 1.0])
    turned = np.array([[0.5, 0.5, 0.0], [0.5, -0.25, 0.25], [0.0, 0.25, 1.0]])
    samples: dict[str, tuple[Any, Any, float]] = {
        "hard": (np.array([0.0, 0.75, -0.5]), saddle, 2.0),
        "nearly-hard": (np.array([1e-9, 0.75, -0.5]), saddle, 2.0),
        "orthogonal-but-long": (np.array([0.0, 3.0, -2.0]), saddle, 0.5),
        "no-gradient": (np.zeros(3), saddle, 1.5),
        "no-gradient-definite": (np.zeros(3), np.eye(3), 1.5),
        "flat": (np.array([0.5, 0.25, 0.0]), np.diag([0.0, 1.0, 2.0]), 1.5),
        "boundary": (np.array([3.0, -4.0]), np.eye(2), 5.0),
        "tiny-gradient": (1e-150 * np.array([1.0, 2.0, -1.0]), turned, 1.5),
        "nearly-linear": (np.array([1.0, 2.0, -1.0]), 1e-200 * turned, 1e-150),
        "long": (np.array([1.0, 2.0, -1.0]), turned, 40.0),
        "line": (np.array([0.5]), np.array([[-2.0]]), 0.75),
    }
    return Function(
        _step,
        alike(about, ("gradient", "hessian", "radius"), samples),
        1e-8,
        "a multiplier is searched for",
    )


def _half_balls() -> Function:
    about = {
        "other": "Where the cut excludes the global minimum, the other local one may be best.",
        "plane": "Or the minimum on the cut's hyperplane.",
        "hard": "Of several global minima one that is feasible.",
        "space": "Of a sphere of global minima the one that lies furthest from the cut.",
        "no-cut": "A direction of 0 cuts nothing off.",
        "line": "In one dimension the hyperplane is a point.",
        "centre": "The centre where nothing is below it.",
    }
    flat = np.diag([-2.0, 1.0])
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    turned, w = turn @ flat @ turn.T, turn @ np.array([0.2, 0.1])
    space = np.diag([-2.0, -2.0, 1.0])
    low, start = np.array([0.0, 0.0, 0.25]), np.array([0.2, 0.1, -0.25])
    bent = np.array([[-2.0, 0.3, 0.0], [0.3, 1.0, 0.2], [0.0, 0.2, 0.5]])
    concave = bent - np.diag([0.0, 2.5, 0.0])
    samples: list[tuple[str, str, Any, Any, float, Any, float]] = [
        ("other", "other", turned, w, 1.0, turn @ np.array([-1.0, 0.25]), 0.5),
        ("plane", "plane", turned, w, 1.0, turn @ np.array([-2.0, 0.0]), 2.0),
        ("plane-slanted", "plane", turned, w, 1.5, turn @ np.array([-3.0, 1.0]), 3.0),
        ("hard", "hard", flat, np.zeros(2), 1.0, np.array([1.0, 0.25]), 0.5),
        (
            "hard-definite-part",
            "hard",
            flat,
            np.array([0.0, 0.5]),
            1.0,
            np.array([-1.0, 0.25]),
            0.5,
        ),
        ("space", "space", space, low, 1.0, np.array([0.3, 0.4, 0.25]), 0.125),
        ("space-long", "space", 64 * space, 2 * low, 2.0, np.array([1.6, -1.2, 1.0]), 0.25),
        ("other-small", "other", turned / 8, w, 1.0, turn @ np.array([-1.0, 0.25]), 0.5),
        ("plane-inside", "plane", bent, start, 1.0, np.array([-1.0, 0.4, 0.0]), 0.8),
        ("plane-sphere", "plane", concave, start, 1.5, np.array([-1.0, 0.4, 0.3]), 0.8),
        ("no-cut", "no-cut", turned, w, 1.0, np.zeros(2), 0.5),
        ("line-cut", "line", np.array([[-1.0]]), np.array([0.9]), 1.0, np.array([-2.0]), 2.0),
        ("line-free", "line", np.array([[-1.0]]), np.array([0.2]), 1.0, np.array([1.0]), 0.3),
        (
            "centre",
            "centre",
            np.diag([2.0, 1.0]),
            np.array([0.3, 0.4]),
            1.0,
            np.array([1.0, 0.0]),
            0.25,
        ),
    ]
    return Function(
        solve_in_half_ball,
        [
            Sample(
                name,
                about[kind],
                {"hessian": h, "center": c, "radius": r, "direction": g, "most": most},
            )
            for name, kind, h, c, r, g, most in samples
        ],
        1e-6,
        "candidates are searched for",
    )


GEOMETRY: dict[str, Function] = {
    "clip-rows-mixed": single(
        clip_rows,
        "The norm of a row with one huge entry and small ones.",
        {
            "vectors": np.array([[1e200, 1.0, 0.0], [0.5, -1e-200, 0.25]]),
            "threshold": 2.0,
        },
        1e-14,
        "a norm",
        name="huge-and-small",
    ),
    "regularizer": Function(
        _regularizer,
        [
            Sample(
                name,
                "The penalty and its proximal map.",
                {"regularizer": regularizer, "x": X, "step_size": 0.75},
            )
            for name, regularizer in (
                ("none", NoRegularizer()),
                ("l1", L1Norm(0.5)),
                ("ridge", Ridge(3.0)),
            )
        ],
        1e-13,
    ),
    "ball": _balls(),
    **HULLS,
    "mirror-map": _mirrors(),
    **_fantopes(),
    **_matrices(),
    "trust-region-value": _steps(),
    "half-ball-cases": _half_balls(),
}
