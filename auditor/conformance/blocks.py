"""Vectors of building blocks: where implementations differ silently."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.conformance import model_blocks
from auditor.conformance.functions import Function, Sample, kind_of, method, single
from auditor.conformance.geometry import GEOMETRY, least_precision
from auditor.conformance.models import MODELS
from auditor.conformance.plans import PLANS
from reference.basic.sums import rounded_mean
from reference.blocks import disjoint_blocks
from reference.clipping import clip_rows
from reference.constraint_sets import L1Ball, L2Ball, PositiveSemidefiniteBall, SparseVectors
from reference.em.models import GaussianMixture, MissingCovariates, MixtureOfRegressions
from reference.heavy_tailed.truncation import smoothed_truncation, truncated_mean
from reference.local.bernstein import bernstein_basis, iterated_bernstein_basis
from reference.losses import Biweight, Cosine, Huber, Linear, Logistic, Sigmoid, SquaredError
from reference.matrices.fantope import capped_weights, project_on_fantope
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.subspaces import principal_subspace
from reference.mirror_maps import Euclidean, QNorm
from reference.nonconvex.trust_region_subproblem import solve_in_half_ball, solve_trust_region
from reference.proximal import L1Norm, Ridge, proximal_step, soft_threshold

X = np.array([0.75, -0.5, 0.25, 0.0])
G = np.array([0.5, 1.0, -2.0, 0.125])
ROWS = np.array([[0.5, -0.25, 1.0], [-1.0, 0.75, 0.5], [0.25, 0.5, -0.75], [2.0, 0.0, 1.0]])
INDEFINITE = np.array([[2.0, 1.0, 0.0], [1.0, -1.0, 0.5], [0.0, 0.5, 0.25]])
DEFINITE = np.array([[2.0, 0.5, 0.25], [0.5, 1.0, 0.125], [0.25, 0.125, 1.5]])
TIED = np.diag([2.0, 1.0, 1.0])
LABELS = np.array([1.0, -1.0, 1.0, -1.0])
INFINITIES = np.array([np.inf, -np.inf, np.nan, 1e308, -1e308, 0.0])


def _truncation() -> Function:
    grid = np.array([-40.0, -3.0, -1.0, -0.1, 0.0, 1e-8, 0.5, 1.0, 2.0, 10.0, 1000.0])
    samples = [
        Sample(
            f"scale={scale:g},precision={precision:g}",
            "E phi(a + b xi) with a = x/s, b = |a|/sqrt(precision), phi(y) = y - y^3/6 cut at "
            "+-2 sqrt(2)/3 beyond |y| = sqrt(2); times s.",
            {"x": grid, "scale": scale, "precision": precision},
        )
        for scale in (1.0, 5.0)
        for precision in (0.5, 1.0, 25.0)
    ]
    limits = Sample(
        "limits",
        "An infinity gives the limit, NaN (an overflow before) 0.",
        {"x": INFINITIES, "scale": 2.0, "precision": 1.0},
    )
    return Function(smoothed_truncation, (*samples, limits), 1e-10, "error functions")


def _losses() -> Function:
    records = (ROWS, LABELS)
    x = np.array([0.5, -0.25, 1.0])
    names = {
        "logistic": Logistic(),
        "sigmoid": Sigmoid(),
        "cosine": Cosine(),
        "linear": Linear(),
        "huber": Huber(),
        "squared-error": SquaredError(),
        "biweight": Biweight(),
    }
    return Function(
        _gradients,
        [
            Sample(
                name,
                "The gradient phi'(<a, x>, y) a of the loss at x for every record (a, y), its "
                "features as they are: an algorithm has bounded them before it asks.",
                {"loss": loss, "features": records[0], "labels": records[1], "x": x},
            )
            for name, loss in names.items()
        ],
        1e-12,
        "exponentials",
    )


def _gradients(loss: Any, features: Any, labels: Any, x: Any) -> Any:
    return loss.gradients((features, labels), x)


def _model_gradients(model: Any, data: Any, beta: Any) -> Any:
    return model.gradients(model.validate(data, len(beta)), beta)


def _models() -> Function:
    beta = np.array([0.5, -0.25])
    data = ROWS[:, :2]
    paired = np.column_stack([data, [0.5, -1.0, 2.0, 0.25]])
    holed = paired.copy()
    holed[0, 1] = holed[2, 0] = np.nan
    holed[3, :2] = np.nan
    about = "What a record adds to the gradient of the expected log-likelihood at beta."
    return Function(
        _model_gradients,
        [
            Sample("mixture", about, {"model": GaussianMixture(0.5), "data": data, "beta": beta}),
            Sample(
                "mixture-far",
                "Posterior weights next to 0 and 1 do not overflow.",
                {"model": GaussianMixture(0.01), "data": 50 * data, "beta": 20 * beta},
            ),
            Sample(
                "regressions",
                about,
                {"model": MixtureOfRegressions(0.5), "data": paired, "beta": beta},
            ),
            Sample(
                "missing", about, {"model": MissingCovariates(0.5), "data": holed, "beta": beta}
            ),
        ],
        1e-12,
        "exponentials",
    )


def _sparse_precision(second_moment: Any, penalty: float) -> dict[str, Any]:
    theta = least_precision(second_moment, penalty)
    return {"theta": theta, "nonzero": np.count_nonzero(theta)}


def _projections() -> Function:
    outside = np.array([1.5, -1.0, 0.25, 0.0])
    return Function(
        method("project"),
        [
            Sample(
                "l1",
                "The nearest point of the l1 ball: soft thresholding, with the right threshold.",
                {"object": L1Ball(1.0), "x": outside},
            ),
            Sample(
                "l1-inside", "A point inside stays as it is.", {"object": L1Ball(4.0), "x": outside}
            ),
            Sample(
                "l1-ties",
                "Equal entries stay equal.",
                {"object": L1Ball(1.0), "x": np.array([1.0, -1.0, 1.0])},
            ),
            Sample(
                "l2",
                "A point outside is scaled down to the sphere.",
                {"object": L2Ball(0.5), "x": outside},
            ),
            Sample("l2-inside", "A point inside stays.", {"object": L2Ball(5.0), "x": outside}),
            Sample("l2-zero", "So does 0.", {"object": L2Ball(5.0), "x": np.zeros(3)}),
            Sample(
                "sparse",
                "The largest entries stay; of equal ones the first.",
                {"object": SparseVectors(2), "x": np.array([1.0, -2.0, 1.0, 0.5])},
            ),
            Sample(
                "semidefinite",
                "Negative eigenvalues become 0, then the matrix is scaled down to the ball.",
                {"object": PositiveSemidefiniteBall(1.0), "x": INDEFINITE.ravel()},
            ),
        ],
        1e-12,
    )


TABLE: dict[str, Function] = {
    "smoothed-truncation": _truncation(),
    "truncated-mean": Function(
        truncated_mean,
        [
            Sample(
                "columns",
                "The mean over records of the smoothed truncation, a column at a time.",
                {"values": ROWS * 3, "scale": 1.5, "precision": 1.0},
            ),
            Sample(
                "huge",
                "A record of any size counts at most as much as the bound.",
                {"values": np.array([[1e300], [0.5], [-1.0]]), "scale": 1.0, "precision": 2.0},
            ),
        ],
        1e-10,
        "error functions",
    ),
    "clip-rows": Function(
        clip_rows,
        [
            Sample(
                "some",
                "Rows longer than the threshold are scaled down to it, the others stay.",
                {"vectors": ROWS, "threshold": 1.125},
            ),
            Sample(
                "extreme",
                "The norm of a huge row does not overflow; a row of 0 stays.",
                {
                    "vectors": np.array([[1e200, 1e200], [1e-200, 0.0], [0.0, 0.0]]),
                    "threshold": 1.0,
                },
            ),
        ],
        1e-14,
        "a norm",
    ),
    "mean": single(
        rounded_mean,
        "The mean over records. The reference adds without rounding; `bound`, of every "
        "entry, is what it needs for that.",
        {"vectors": ROWS, "bound": 2.0},
        1e-12,
        name="rows",
    ),
    "projection": _projections(),
    "linear-minimiser": Function(
        method("linear_minimizer"),
        [
            Sample(
                "l1",
                "The vertex against the largest entry of the gradient.",
                {"object": L1Ball(2.0), "gradient": G},
            ),
            Sample(
                "l1-ties",
                "Of equal entries the first.",
                {"object": L1Ball(2.0), "gradient": np.array([1.0, -1.0])},
            ),
            Sample(
                "l2-tiny",
                "Minus the gradient, scaled to the sphere, however short it is.",
                {"object": L2Ball(2.0), "gradient": 1e-200 * np.array([0.5, 0.0, -2.0])},
            ),
            Sample(
                "l2-zero",
                "A gradient of 0 leaves 0.",
                {"object": L2Ball(2.0), "gradient": np.zeros(2)},
            ),
        ],
        1e-13,
    ),
    "soft-threshold": single(
        soft_threshold,
        "Entries move towards 0 by the threshold and stop there.",
        {"point": X, "threshold": 0.5},
        1e-15,
        name="signs",
    ),
    "proximal-step": Function(
        proximal_step,
        [
            Sample(
                "l1",
                "A gradient step, then soft thresholding by step times weight.",
                {"x": X, "gradient": G, "step_size": 0.25, "regularizer": L1Norm(0.5)},
            ),
            Sample(
                "ridge",
                "A gradient step, then a division.",
                {"x": X, "gradient": G, "step_size": 0.25, "regularizer": Ridge(2.0)},
            ),
            Sample(
                "l1-in-ball",
                "The proximal map comes before the projection.",
                {
                    "x": X,
                    "gradient": G,
                    "step_size": 0.25,
                    "regularizer": L1Norm(0.5),
                    "constraint": L2Ball(0.25),
                },
            ),
        ],
        1e-13,
    ),
    "mirror-step": Function(
        method("mirror_step"),
        [
            Sample(
                "euclidean",
                "On the l2 ball a mirror step is a projected gradient step of length step R^2.",
                {"object": Euclidean(0.5), "z": 0.5 * X, "gradient": G, "step_size": 0.5},
            ),
            Sample(
                "q-norm",
                "argmin over the l1 ball of step <g, u> + w(u) - <w'(z), u>, w the squared q-norm "
                "of `QNorm`.",
                {"object": QNorm(1.0), "z": 0.5 * X, "gradient": G, "step_size": 0.125},
            ),
            Sample(
                "q-norm-binding",
                "The same where the l1 ball binds.",
                {"object": QNorm(1.0), "z": 0.5 * X, "gradient": G, "step_size": 4.0},
            ),
        ],
        1e-8,
        "a threshold is searched for",
    ),
    "gradient-step": Function(
        method("gradient_step"),
        [
            Sample(
                name,
                "argmin over the ball of <g, y> + smoothness N(y - x)^2/2, where N is the l2 norm "
                "(Euclidean) or the l1 norm (QNorm) over the radius.",
                {"object": mirror, "x": 0.5 * X, "gradient": G, "smoothness": smoothness},
            )
            for name, mirror, smoothness in (
                ("euclidean", Euclidean(0.5), 2.0),
                ("q-norm", QNorm(1.0), 4.0),
                ("q-norm-binding", QNorm(1.0), 0.5),
            )
        ],
        1e-8,
        "lengths are searched for",
    ),
    "loss-gradients": _losses(),
    "model-gradients": _models(),
    "capped-weights": Function(
        capped_weights,
        [
            Sample(
                "usual",
                "min(max(v - theta, 0), 1) with the theta for which they add up to `total`.",
                {"values": np.array([2.0, 0.75, 0.5, -1.0]), "total": 2},
            ),
            Sample(
                "ties",
                "Equal values have equal weights.",
                {"values": np.array([1.0, 1.0, 1.0]), "total": 2},
            ),
        ],
        1e-12,
    ),
    "fantope-projection": Function(
        project_on_fantope,
        [
            Sample(
                "indefinite",
                "The nearest matrix with eigenvalues in [0, 1] and trace k.",
                {"matrix": INDEFINITE, "rank": 1},
            ),
            Sample(
                "ties",
                "Equal eigenvalues have equal weights, whatever their eigenvectors.",
                {"matrix": TIED, "rank": 2},
            ),
        ],
        1e-11,
        "an eigendecomposition",
    ),
    "positive-part": Function(
        positive_part,
        [
            Sample("indefinite", "Negative eigenvalues become 0.", {"matrix": INDEFINITE}),
            Sample("definite", "A positive definite matrix stays.", {"matrix": DEFINITE}),
            Sample("tiny", "Its scale does not matter.", {"matrix": 2.0**-900 * INDEFINITE}),
        ],
        1e-11,
        "an eigendecomposition",
    ),
    "principal-subspace": Function(
        principal_subspace,
        [
            Sample(
                "signs",
                "Eigenvectors of the largest eigenvalues in decreasing order; the largest entry of "
                "each is positive.",
                {"matrix": INDEFINITE, "n_components": 2},
            ),
            Sample(
                "ties",
                "Equal eigenvalues have the basis that their eigenspace determines.",
                {"matrix": TIED, "n_components": 2},
            ),
        ],
        1e-10,
        "an eigendecomposition",
    ),
    "graphical-lasso": Function(
        _sparse_precision,
        [
            Sample(
                "dense",
                "argmin over X > 0 of <S, X> - log det X + penalty sum |X_ij|, the diagonal "
                "included; and how many of its entries are not 0.",
                {"second_moment": DEFINITE, "penalty": 0.125},
                version=2,
            ),
            Sample(
                "sparse",
                "The same, with exact zeros where the penalty says so.",
                {"second_moment": DEFINITE, "penalty": 0.75},
                version=2,
            ),
        ],
        1e-6,
        "an iteration that stops at a residual of 1e-9",
    ),
    "trust-region": Function(
        lambda **arguments: solve_trust_region(**arguments)._asdict(),
        [
            Sample(
                "inside",
                "argmin <g, h> + <h, H h>/2 over ||h|| <= radius, and the m >= 0 with "
                "(H + m I) h = -g. Here the Newton step fits: m is 0.",
                {"gradient": G[:3], "hessian": 4 * DEFINITE, "radius": 2.0},
            ),
            Sample(
                "sphere",
                "The same where the step is on the sphere.",
                {"gradient": G[:3], "hessian": INDEFINITE, "radius": 1.0},
            ),
        ],
        1e-8,
        "a multiplier is searched for",
    ),
    "half-ball": Function(
        solve_in_half_ball,
        [
            Sample(
                "cut-binds",
                "argmin <u - w, H(u - w)> over ||u|| <= radius with <direction, u - w> <= most, w "
                "the center, itself in both. The half space excludes the minimum of the ball.",
                {
                    "hessian": INDEFINITE,
                    "center": np.array([0.25, 0.5, 0.0]),
                    "radius": 1.0,
                    "direction": np.array([0.0, -1.0, 0.25]),
                    "most": 0.125,
                },
            ),
            Sample(
                "cut-is-free",
                "The same where it does not bind: the minimum is that of the ball.",
                {
                    "hessian": INDEFINITE,
                    "center": np.array([0.25, 0.5, 0.0]),
                    "radius": 1.0,
                    "direction": np.array([0.0, 1.0, 0.25]),
                    "most": 2.0,
                },
            ),
        ],
        1e-6,
        "candidates are searched for",
    ),
    "bernstein-basis": single(
        bernstein_basis,
        "C(k, v) x^v (1 - x)^(k - v), the ends of the interval included.",
        {"degree": 4, "points": np.array([0.0, 0.25, 0.5, 1.0])},
        1e-13,
        name="ends",
    ),
    "iterated-bernstein-basis": Function(
        iterated_bernstein_basis,
        [
            Sample(
                f"order={order}",
                "The basis of the operator I - (I - B)^h, f -> B f that of degree k: entry v at x "
                "is what f(v/k) = 1 alone, 0 elsewhere on the grid, becomes at x.",
                {"degree": 4, "order": order, "points": np.array([0.0, 0.25, 0.6, 1.0])},
            )
            for order in (1, 2, 3)
        ],
        1e-11,
    ),
    "disjoint-blocks": Function(
        lambda **arguments: [[b.start, b.stop] for b in disjoint_blocks(**arguments)],
        [
            Sample(
                "remainder-left",
                "Consecutive blocks of floor(n/count) records, as [from, to] from 0, `to` not "
                "among them; the remainder is not used.",
                {"n": 11, "count": 3},
            ),
            Sample(
                "whole",
                "With `whole`, the last block takes the remainder.",
                {"n": 11, "count": 3, "whole": True},
            ),
        ],
        0.0,
        "integers",
    ),
    **model_blocks.TABLE,
}

TABLE |= GEOMETRY | MODELS | PLANS

KIND = kind_of("blocks", "building blocks that draw nothing, where implementations differ", TABLE)
