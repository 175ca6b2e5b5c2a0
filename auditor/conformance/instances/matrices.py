"""Cases of the matrices algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.conformance.instance import Instance, Twin
from reference._validation import FloatArray
from reference.matrices import (
    laplace_covariance_perturbation,
    local_gaussian_pca,
    perturbed_covariance,
    precision_output_perturbation,
    sparse_covariance,
    sulq_covariance_perturbation,
    wishart_covariance_perturbation_approximate,
)

MOMENTS = "reference.matrices.second_moments"
SUBSPACES = "reference.matrices.subspaces"
FANTOPE = "reference.matrices.fantope"
SPARSE = "reference.matrices.sparse_covariance"
PERTURBATION = "reference.matrices.covariance_perturbation"
LASSO = "reference.matrices.graphical_lasso"

ITERATIONS = "the minimiser is approached by iterations, which stop at a relative residual of 1e-9"
"""Why a graphical lasso is compared to 1e-7; all here are within 2e-8 of the minimiser."""
SOLVER = "the matrix is approached by iterations, which stop at a distance of 1e-6"
"""Why a sparse projection is compared to 1e-5."""

NOT_SCALED_ALONE = Twin(
    "records longer than 1 are not scaled",
    "bound",
    "clip_rows(data, 1.0)\n    products",
    "data\n    products",
    MOMENTS,
)
NOT_SCALED = Twin(
    "records longer than 1 are not scaled",
    "bound",
    "clip_rows(data, 1.0)\n    return",
    "data\n    return",
    MOMENTS,
)
ONE_LESS = Twin(
    "n - 1 for n",
    "divisor",
    "(units[0] * units[1]) / n",
    "(units[0] * units[1]) / (n - 1)",
    "reference.basic.sums",
)
CENTRED = Twin(
    "the records are centred",
    "formula",
    "second_moment(records)",
    "second_moment(records - records.mean(axis=0))",
)
ONE_VARIANCE = Twin(
    "the diagonal has the noise of the other entries",
    "noise",
    "diagonal_variance=chosen.diagonal_variance",
    "diagonal_variance=1.0",
)
INDEFINITE = Twin(
    "the noisy matrix is not projected on the positive semidefinite cone",
    "branch",
    "graphical_lasso(positive_part(noisy)",
    "graphical_lasso((noisy)",
    PERTURBATION,
)
FREE_DIAGONAL = Twin(
    "the diagonal is not penalised",
    "formula",
    "soft_threshold(x + u, rho / mu)",
    "soft_threshold(x + u, rho / mu * (1 - np.eye(len(s))))",
    LASSO,
)
HALF_PENALTY = Twin(
    "the penalty is taken for a pair of entries, not for each",
    "formula",
    "soft_threshold(x + u, rho / mu)",
    "soft_threshold(x + u, rho / (2 * mu))",
    LASSO,
)
GLASSO = (FREE_DIAGONAL, HALF_PENALTY, INDEFINITE)


def users(seed: int, n: int, sizes: tuple[float, ...]) -> FloatArray:
    """Draw normal records with these standard deviations, the second added to the first."""
    rng = np.random.default_rng(seed)
    records = rng.standard_normal((n, len(sizes))) * np.array(sizes)
    records[:, 0] += records[:, 1]
    found: FloatArray = records.round(6)
    return found


def wines(n_columns: int) -> FloatArray:
    """Return every fourth wine of scikit-learn's, columns over their largest, in the unit ball."""
    from sklearn.datasets import load_wine

    rows = load_wine().data[::4, :n_columns]
    found: FloatArray = rows / rows.max(axis=0) / np.sqrt(n_columns)
    return found.round(6)


TWO = np.array([[2.0, 0.0], [0.6, 0.8]])
"""Two records, the first of which is scaled to norm 1."""
ALONG_AXES = np.array([[3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]])
SPREAD = users(1, 20, (0.5, 0.4, 0.25, 0.2))
"""Some of these records are longer than 1 and some are not."""
ONE_LARGE = users(2, 60, (0.9, 0.2, 0.1, 0.2))
"""The first coordinate is most of these records."""
SLANTED = (np.array([0.8, 0.5]) + users(3, 40, (0.1, 0.1))).round(6)
"""Records near a line that is no axis."""
AXES = np.repeat(np.eye(4), [3, 3, 1, 1], axis=0)
"""Unit vectors, so that eigenvalues of their second moment are equal, two by two."""
NO_NOISE = 1e-12
"""A scale that doubles show beside numbers of the size of 1, so that equal eigenvalues stay so."""

SMALLEST = Twin(
    "the eigenvectors of the smallest eigenvalues",
    "sign",
    "values[::-1], vectors[:, ::-1]",
    "values, vectors",
    SUBSPACES,
)
BY_SIZE = Twin(
    "the eigenvalues are ordered by size, whatever their sign",
    "sign",
    "= np.linalg.eigh(matrix)",
    "= (lambda w, v: (np.sort(np.abs(w)), v[:, np.argsort(np.abs(w))]))(*np.linalg.eigh(matrix))",
    SUBSPACES,
)
ANY_SIGN = Twin(
    "the largest entry of a column is negative",
    "sign",
    "direction = rest[index]",
    "direction = -rest[index]",
    SUBSPACES,
)


def local_pca() -> tuple[Instance, ...]:
    """Local Gaussian PCA."""
    return (
        Instance(
            "by-hand",
            "Two users, one of whose records is scaled to norm 1, and the first eigenvector of the "
            "mean of their noisy matrices, with its largest entry positive.",
            {
                "data": TWO,
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_components": 1,
                "constants": local_gaussian_pca.Constants(1.5, 0.5),
            },
            twins=(NOT_SCALED_ALONE, SMALLEST),
        ),
        Instance(
            "middle",
            "Two of four directions; some records are longer than 1.",
            {"data": SPREAD, "epsilon": 4.0, "delta": 1e-3, "n_components": 2},
            seed=2,
            twins=(NOT_SCALED_ALONE, SMALLEST, BY_SIZE, ANY_SIGN),
        ),
        Instance(
            "diagonal-variance",
            "Twice the variance on the diagonal, and all directions but one.",
            {
                "data": SPREAD[:10, :3],
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_components": 2,
                "constants": local_gaussian_pca.constants_for_diagonal(epsilon=1.0, delta=1e-2),
            },
            seed=3,
            twins=(ONE_VARIANCE, SMALLEST),
        ),
        Instance(
            "equal-eigenvalues",
            "Next to no noise, and eigenvalues that are equal two by two: of an eigenspace the "
            "basis begins with the projection of the first unit vector that is nearest to it.",
            {
                "data": AXES,
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_components": 3,
                "constants": local_gaussian_pca.Constants(1.5, NO_NOISE),
            },
            twins=(
                Twin(
                    "equal eigenvalues are told apart",
                    "branch",
                    "> tie * float",
                    "> 0 * float",
                    SUBSPACES,
                ),
                Twin(
                    "the last of equal entries, not the first",
                    "index",
                    "* squares.max())[0])",
                    "* squares.max())[-1])",
                    SUBSPACES,
                ),
            ),
        ),
    )


def sparse_pca() -> tuple[Instance, ...]:
    """Sparse local Gaussian PCA."""
    unpenalised = Twin(
        "the penalty is ignored",
        "branch",
        "rank=n_components, penalty=penalty)",
        "rank=n_components, penalty=0.0)",
    )
    by_hand = {
        "data": TWO,
        "epsilon": 1.0,
        "delta": 1e-5,
        "n_components": 1,
        "constants": local_gaussian_pca.Constants(1.5, 0.5),
    }
    return (
        Instance(
            "by-hand",
            "Two users, one of whose records is scaled to norm 1. The penalty exceeds what is "
            "beside the diagonal: the answer is the axis of the largest diagonal entry.",
            {**by_hand, "penalty": 8.0},
            twins=(unpenalised,),
        ),
        Instance(
            "no-penalty",
            "At penalty 0 the answer is the first eigenvector, with its largest entry positive.",
            {**by_hand, "penalty": 0.0},
            twins=(NOT_SCALED_ALONE, SMALLEST),
        ),
        Instance(
            "middle",
            "The default penalty, which is so large that the answer are two axes.",
            {"data": SPREAD, "epsilon": 4.0, "delta": 1e-3, "n_components": 2},
            seed=2,
            twins=(
                unpenalised,
                Twin(
                    "the largest entries by size, whatever their sign",
                    "sign",
                    "np.argsort(-np.diag(s)",
                    "np.argsort(-np.abs(np.diag(s))",
                ),
            ),
        ),
        Instance(
            "small-penalty",
            "A penalty that leaves some rows and sets others to 0.",
            {
                "data": SPREAD[:10],
                "epsilon": 20.0,
                "delta": 1e-3,
                "n_components": 1,
                "penalty": 0.1,
            },
            seed=5,
            twins=(
                unpenalised,
                NOT_SCALED_ALONE,
                ANY_SIGN,
                Twin(
                    "the penalty is doubled",
                    "formula",
                    "penalty / rho",
                    "2 * penalty / rho",
                ),
            ),
            tolerance=1e-5,
            because=SOLVER,
        ),
        Instance(
            "two-components",
            "Two directions where the penalised projection has eigenvalues 1, .93 and .07: the "
            "first is cut at 1.",
            {
                "data": SPREAD[:10],
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_components": 2,
                "penalty": 0.1,
                "constants": local_gaussian_pca.Constants(1.5, 0.25),
            },
            seed=9,
            twins=(
                unpenalised,
                Twin(
                    "eigenvalues are not cut at 1",
                    "bound",
                    "weights: FloatArray = np.clip(values - theta, 0.0, 1.0)",
                    "weights: FloatArray = np.maximum(values - theta, 0.0)",
                    FANTOPE,
                ),
            ),
            tolerance=1e-4,
            because=f"{SOLVER}, and eigenvalues are .07 apart",
        ),
        Instance(
            "equal-components",
            "Two directions where the penalised projection has the eigenvalue 1 twice: the basis "
            "begins with the projection of the unit vector that is nearest to its span.",
            {
                "data": SPREAD[:10],
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_components": 2,
                "penalty": 0.05,
                "constants": local_gaussian_pca.Constants(1.5, 0.25),
            },
            seed=8,
            twins=(
                unpenalised,
                NOT_SCALED_ALONE,
                Twin("equal eigenvalues are told apart", "branch", "tie=EQUAL", "tie=0.0"),
            ),
            tolerance=1e-5,
            because=SOLVER,
        ),
        Instance(
            "default-penalty",
            "A default penalty that is less than what is beside the diagonal, for two variables.",
            {"data": SLANTED, "epsilon": 200.0, "delta": 1e-2, "n_components": 1},
            seed=5,
            twins=(unpenalised, ANY_SIGN),
            tolerance=1e-5,
            because=SOLVER,
        ),
        Instance(
            "diagonal-variance",
            "The default penalty where the diagonal has four times the variance of other entries: "
            "it is for the larger of the two.",
            {
                "data": SLANTED,
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_components": 1,
                "constants": local_gaussian_pca.Constants(1.5, 0.06, 4.0),
            },
            seed=6,
            twins=(
                unpenalised,
                Twin(
                    "the smaller variance sets the penalty",
                    "noise",
                    "max(1.0, noise",
                    "min(1.0, noise",
                ),
            ),
            tolerance=1e-5,
            because=SOLVER,
        ),
    )


def perturbed() -> tuple[Instance, ...]:
    """Perturbed covariance."""
    return (
        Instance(
            "by-hand",
            "Two records, one of which is scaled to norm 1; noise on the upper triangle by rows.",
            {
                "data": TWO,
                "epsilon": 1.0,
                "delta": 1e-5,
                "constants": perturbed_covariance.Constants(0.75, 0.5),
            },
            twins=(NOT_SCALED, ONE_LESS, CENTRED),
        ),
        Instance(
            "middle",
            "Records that are not centred, some longer than 1.",
            {"data": SPREAD + 0.25, "epsilon": 1.0, "delta": 1e-5},
            seed=2,
            twins=(NOT_SCALED, ONE_LESS, CENTRED),
        ),
        Instance(
            "diagonal-variance",
            "Four times the variance on the diagonal.",
            {
                "data": ALONG_AXES,
                "epsilon": 0.5,
                "delta": 1e-2,
                "constants": perturbed_covariance.Constants(0.5, 1.0, 4.0),
            },
            twins=(ONE_VARIANCE, NOT_SCALED),
        ),
    )


AT_THE_THRESHOLD = Twin(
    "what is at the threshold is kept", "branch", "np.abs(noisy) > t", "np.abs(noisy) >= t", SPARSE
)
NOT_PROJECTED = Twin(
    "the sparse matrix is not projected on the positive semidefinite cone",
    "branch",
    "SparseCovariance(thresholded, positive_part(thresholded))",
    "SparseCovariance(thresholded, thresholded)",
    SPARSE,
)
DIAGONAL_KEPT = Twin(
    "the diagonal is not thresholded",
    "formula",
    "np.abs(noisy) > threshold",
    "(np.abs(noisy) > threshold) | np.eye(len(noisy), dtype=bool)",
    SPARSE,
)
SOFT = Twin(
    "what is kept is moved towards 0 by the threshold",
    "formula",
    "threshold, noisy, 0.0)",
    "threshold, noisy - np.sign(noisy) * threshold, 0.0)",
    SPARSE,
)
SIGNED = Twin(
    "large negative entries are taken for noise", "sign", "np.abs(noisy) > t", "noisy > t", SPARSE
)
THRESHOLDS = (DIAGONAL_KEPT, SOFT, SIGNED)


def first_draws(seed: int, count: int) -> FloatArray:
    """Return the first standard normal draws of a run, to put a threshold exactly at one."""
    return np.random.default_rng(seed).standard_normal(count)


REAL = sparse_covariance.Constants(sensitivity=0.03, noise_scale=0.05, threshold=0.1)


def thresholding() -> tuple[Instance, ...]:
    """DP-Thresholding."""
    tie = float(np.abs(first_draws(1, 3)[1]))
    return (
        Instance(
            "by-hand",
            "Records along the axes, the first scaled to norm 1. The entry beside the diagonal is "
            "its noise, and exactly at the threshold: it becomes 0.",
            {
                "data": np.array([[3.0, 0.0], [0.0, 1.0]]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "constants": sparse_covariance.Constants(0.75, 1.0, tie),
            },
            twins=(AT_THE_THRESHOLD, NOT_SCALED, CENTRED),
        ),
        Instance(
            "middle",
            "The threshold of theory, which leaves one variance.",
            {"data": ONE_LARGE, "epsilon": 20.0, "delta": 1e-3},
            seed=2,
            twins=(NOT_SCALED, DIAGONAL_KEPT, SOFT, ONE_LESS),
        ),
        Instance(
            "nothing-left",
            "The threshold of theory, which leaves nothing of so few records.",
            {"data": SPREAD, "epsilon": 1.0, "delta": 1e-5},
            twins=(DIAGONAL_KEPT,),
        ),
        Instance(
            "indefinite",
            "What is above the threshold has a negative eigenvalue, which the projection sets to "
            "0; entries of both signs are kept.",
            {
                "data": SPREAD,
                "epsilon": 1.0,
                "delta": 1e-2,
                "constants": sparse_covariance.Constants(0.1, 0.25, 0.15),
            },
            seed=2,
            twins=(NOT_PROJECTED, *THRESHOLDS, NOT_SCALED, ONE_LESS),
        ),
        Instance(
            "diagonal-variance",
            "Four times the variance on the diagonal, and a block that stands alone.",
            {
                "data": ALONG_AXES,
                "epsilon": 0.5,
                "delta": 1e-2,
                "constants": sparse_covariance.Constants(0.5, 0.125, 0.125, 4.0),
            },
            seed=5,
            twins=(ONE_VARIANCE,),
        ),
        Instance(
            "real-data",
            "Four measurements of every fourth wine, and noise that leaves some entries.",
            {"data": wines(4), "epsilon": 10.0, "delta": 1e-3, "constants": REAL},
            seed=3,
            twins=(ONE_LESS, CENTRED, SOFT),
        ),
    )


def local_thresholding() -> tuple[Instance, ...]:
    """LDP-Thresholding."""
    tie = float(np.abs(first_draws(1, 6)[[1, 4]].sum()) / 2)
    mean = Twin(
        "messages are added up, not averaged",
        "divisor",
        "messages.mean(axis=0)",
        "messages.sum(axis=0)",
    )
    one_variance = Twin(
        "the diagonal has the noise of the other entries",
        "noise",
        "chosen.sensitivity, chosen.noise_scale, chosen.diagonal_variance",
        "chosen.sensitivity, chosen.noise_scale, 1.0",
    )
    return (
        Instance(
            "by-hand",
            "Two users along the axes, one of whose records is scaled to norm 1. The entry beside "
            "the diagonal is the mean of their noise, and exactly at the threshold: it becomes 0.",
            {
                "data": np.array([[3.0, 0.0], [0.0, 1.0]]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "constants": sparse_covariance.Constants(1.5, 1.0, tie),
            },
            twins=(AT_THE_THRESHOLD, NOT_SCALED_ALONE, mean),
        ),
        Instance(
            "middle",
            "The threshold of theory, which leaves one variance.",
            {"data": ONE_LARGE[:40, :3], "epsilon": 40.0, "delta": 1e-2},
            seed=2,
            twins=(NOT_SCALED_ALONE, DIAGONAL_KEPT, SOFT),
        ),
        Instance(
            "nothing-left",
            "The threshold of theory, which leaves nothing of so few messages.",
            {"data": SPREAD[:4], "epsilon": 2.0, "delta": 1e-3},
            twins=(DIAGONAL_KEPT, mean),
        ),
        Instance(
            "indefinite",
            "What is above the threshold has a negative eigenvalue, which the projection sets to "
            "0; entries of both signs are kept.",
            {
                "data": SPREAD[:16],
                "epsilon": 2.0,
                "delta": 1e-2,
                "constants": sparse_covariance.Constants(1.5, 1.0, 0.15),
            },
            seed=2,
            twins=(NOT_PROJECTED, SOFT, SIGNED, NOT_SCALED_ALONE, mean),
        ),
        Instance(
            "diagonal-variance",
            "Four times the variance on the diagonal.",
            {
                "data": ALONG_AXES,
                "epsilon": 0.5,
                "delta": 1e-2,
                "constants": sparse_covariance.Constants(1.5, 0.125, 0.125, 4.0),
            },
            seed=5,
            twins=(one_variance,),
        ),
    )


def precision(
    twins: tuple[Twin, ...], by_hand: Any, indefinite: Any, **parameters: float
) -> tuple[Instance, ...]:
    """Return the cases that the perturbations of a second moment share."""
    return (
        Instance(
            "by-hand",
            "Two records, one of which is scaled to norm 1, and a graphical lasso of two "
            "variables, diagonal penalised.",
            {"data": TWO, **parameters, "penalty": 0.5, "constants": by_hand},
            twins=(*twins, FREE_DIAGONAL, HALF_PENALTY),
            tolerance=1e-7,
            because=ITERATIONS,
        ),
        Instance(
            "middle",
            "Four variables; some records are longer than 1.",
            {"data": SPREAD, **parameters, "penalty": 0.1},
            seed=2,
            twins=(*twins, *GLASSO),
            tolerance=1e-7,
            because=ITERATIONS,
        ),
        Instance(
            "indefinite",
            "Noise that makes the second moment indefinite, beyond the penalty: without the "
            "projection on the positive semidefinite cone there is no minimiser.",
            {"data": SPREAD[:, :3], **parameters, "penalty": 0.25, "constants": indefinite},
            seed=3,
            twins=(*twins, *GLASSO),
            tolerance=1e-7,
            because=ITERATIONS,
        ),
        Instance(
            "one-variable",
            "One variable: the answer is one over the noisy moment, but not less than 0, plus the "
            "penalty.",
            {
                "data": np.array([[0.9], [-0.7]]),
                **parameters,
                "penalty": 0.1,
                "constants": replace(indefinite, noise_scale=0.125),
            },
            twins=(FREE_DIAGONAL,),
        ),
    )


def gaussian_precision() -> tuple[Instance, ...]:
    """Covariance perturbation, Gaussian."""
    kind = local_gaussian_pca.Constants
    found = precision(
        (NOT_SCALED, ONE_LESS),
        kind(0.75, 0.25),
        kind(0.5, 0.75),
        epsilon=2.0,
        delta=1e-3,
    )
    diagonal = Instance(
        "diagonal-variance",
        "Four times the variance on the diagonal.",
        {
            "data": SPREAD[:, :3],
            "epsilon": 1.0,
            "delta": 1e-3,
            "penalty": 0.25,
            "constants": kind(0.05, 0.125, 4.0),
        },
        seed=4,
        twins=(ONE_VARIANCE, CENTRED),
        tolerance=1e-7,
        because=ITERATIONS,
    )
    real = Instance(
        "real-data",
        "Four measurements of every fourth wine, with the noise of theory.",
        {"data": wines(4), "epsilon": 4.0, "delta": 1e-3, "penalty": 0.05},
        seed=5,
        twins=(*GLASSO[:2], ONE_LESS, CENTRED),
        tolerance=1e-7,
        because=ITERATIONS,
    )
    return (*found, diagonal, real)


def laplace_precision() -> tuple[Instance, ...]:
    """Covariance perturbation, Laplace."""
    kind = laplace_covariance_perturbation.Constants
    return precision((NOT_SCALED, ONE_LESS), kind(1.0, 0.25), kind(0.5, 0.5), epsilon=2.0)


def wishart_precision() -> tuple[Instance, ...]:
    """Covariance perturbation, Wishart."""
    kind = wishart_covariance_perturbation_approximate.Constants
    claim = {"epsilon": 0.75, "delta": 1e-2}
    hand, middle, _, one = precision(
        (NOT_SCALED, ONE_LESS), kind(0.5, 4.0, 0.25), kind(0.5, 3.0, 0.125), **claim
    )
    real_degrees = Instance(
        "real-degrees",
        "Degrees of freedom that are no whole number; the draw is what they decide.",
        {"data": SPREAD[:, :3], **claim, "penalty": 0.25, "constants": kind(0.25, 4.5, 0.125)},
        seed=4,
        twins=(NOT_SCALED, ONE_LESS),
        tolerance=1e-7,
        because=ITERATIONS,
    )
    # the noise is positive definite: there is nothing to project
    middle = replace(middle, twins=(NOT_SCALED, ONE_LESS, FREE_DIAGONAL, HALF_PENALTY))
    return hand, middle, real_degrees, one


def distributed_precision() -> tuple[Instance, ...]:
    """Distributed precision matrix."""
    few = Instance(
        "few-players",
        "Fewer players than variables, as the source has it.",
        {"data": 2 * SPREAD[:3], "epsilon": 5.0, "penalty": 0.25},
        seed=6,
        twins=(NOT_SCALED, ONE_LESS),
        tolerance=1e-7,
        because=ITERATIONS,
    )
    with_delta = Instance(
        "with-delta",
        "With a delta the players' shares add up to Wishart noise of a whole number of degrees.",
        {"data": 2 * SPREAD[:3], "epsilon": 0.9, "delta": 0.1, "penalty": 0.25},
        seed=7,
        twins=(NOT_SCALED, ONE_LESS),
        tolerance=1e-7,
        because=ITERATIONS,
    )
    return (*laplace_precision(), few, with_delta)


def sulq_precision() -> tuple[Instance, ...]:
    """Covariance perturbation, SuLQ."""
    kind = sulq_covariance_perturbation.Constants
    mirrored = Twin(
        "the upper triangle is mirrored, not averaged with the lower",
        "noise",
        "(noisy + noisy.T) / 2",
        "np.triu(noisy) + np.triu(noisy, 1).T",
    )
    return precision(
        (NOT_SCALED, ONE_LESS, mirrored),
        kind(0.75, 0.25),
        kind(0.5, 0.75),
        epsilon=2.0,
        delta=1e-3,
    )


def local_precision() -> tuple[Instance, ...]:
    """Local precision matrix."""
    kind = local_gaussian_pca.Constants
    mean = Twin(
        "messages are added up, not averaged",
        "divisor",
        "messages.mean(axis=0)",
        "messages.sum(axis=0)",
    )
    found = precision(
        (NOT_SCALED_ALONE, mean), kind(1.5, 0.5), kind(1.5, 3.0), epsilon=2.0, delta=1e-3
    )
    # the minimiser of the first version was a tenth of the tolerance off
    found = tuple(replace(one, version=2) if one.name == "middle" else one for one in found)
    diagonal = Instance(
        "diagonal-variance",
        "Four times the variance on the diagonal of a message.",
        {
            "data": SPREAD[:8, :3],
            "epsilon": 1.0,
            "delta": 1e-3,
            "penalty": 0.25,
            "constants": kind(1.5, 0.25, 4.0),
        },
        seed=4,
        twins=(
            Twin(
                "the diagonal has the noise of the other entries",
                "noise",
                ONE_VARIANCE.before,
                ONE_VARIANCE.after,
                "reference.matrices.local_gaussian_pca",
            ),
        ),
        tolerance=1e-7,
        because=ITERATIONS,
    )
    return (*found, diagonal)


def output_precision() -> tuple[Instance, ...]:
    """Output perturbation of a precision matrix."""
    kind = precision_output_perturbation.Constants
    text = "(noisy, 1 / (1 + penalty * d), d / penalty)"
    no_upper = Twin(
        "large eigenvalues stay", "branch", text, "(noisy, 1 / (1 + penalty * d), np.inf)"
    )
    no_lower = Twin("small eigenvalues stay", "branch", text, "(noisy, -np.inf, d / penalty)")
    lower_0 = Twin("eigenvalues are cut at 0", "branch", text, "(noisy, 0.0, d / penalty)")
    before = "soft_threshold(reflected, penalty / mu)"
    solver = "reference.matrices.stable_graphical_lasso"
    free_diagonal = replace(
        FREE_DIAGONAL,
        before=before,
        after="soft_threshold(reflected, penalty / mu * (1 - np.eye(d)))",
        where=solver,
    )
    half_penalty = replace(
        HALF_PENALTY,
        before=before,
        after="soft_threshold(reflected, penalty / (2 * mu))",
        where=solver,
    )
    common = (NOT_SCALED, ONE_LESS, free_diagonal, half_penalty)
    return (
        Instance(
            "by-hand",
            "Two records, one of which is scaled to norm 1, a graphical lasso of two variables, "
            "diagonal penalised, and noise on its upper triangle.",
            {"data": TWO, "epsilon": 1.0, "penalty": 0.5, "constants": kind(2.0, 0.5)},
            twins=common,
        ),
        Instance(
            "middle",
            "Noise of theory, which is large: eigenvalues are cut at both ends.",
            {"data": SPREAD, "epsilon": 1.0, "penalty": 0.5},
            seed=2,
            twins=(no_upper, no_lower, lower_0),
        ),
        Instance(
            "cut-above",
            "One eigenvalue is above what any minimiser has.",
            {
                "data": SPREAD[:, :3],
                "epsilon": 1.0,
                "penalty": 0.5,
                "constants": kind(2.0, 3.0),
            },
            seed=3,
            twins=(*common, no_upper),
        ),
        Instance(
            "not-cut",
            "Little noise: no eigenvalue is cut, and entries that are 0 without noise are not.",
            {
                "data": SPREAD[:, :3],
                "epsilon": 1.0,
                "penalty": 0.25,
                "constants": kind(2.0, 0.01),
            },
            seed=4,
            twins=common,
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "diss-6.1.46": local_pca,
    "diss-6.1.47": sparse_pca,
    "diss-6.2-NAIVE": perturbed,
    "diss-6.2.48": thresholding,
    "diss-6.2.49": local_thresholding,
    "diss-6.3-SULQ": sulq_precision,
    "diss-6.3.50": output_precision,
    "diss-6.3.51-G": gaussian_precision,
    "diss-6.3.51-L": laplace_precision,
    "diss-6.3.51-W1": laplace_precision,
    "diss-6.3.51-W2": wishart_precision,
    "diss-6.3.52": distributed_precision,
    "diss-6.3.53": local_precision,
}
