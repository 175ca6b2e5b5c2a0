"""Building blocks of EM and of crowdsourcing."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.conformance.functions import Function, Sample, single
from reference.basic.sums import rounding_factor
from reference.clipping import clip_entries
from reference.crowdsourcing.dawid_skene import dawid_skene
from reference.crowdsourcing.majority import majority_vote
from reference.em.hard_thresholding_em import hard_threshold
from reference.em.models import GaussianMixture, MissingCovariates, MixtureOfRegressions
from reference.heavy_tailed.truncation import smoothed_truncation, truncation_bound

BETA = np.array([0.5, -0.25])
RECORDS = np.array([[0.5, -0.25], [-1.0, 0.75], [0.25, 0.5], [2.0, 0.0]])
PAIRED = np.column_stack([RECORDS, [0.5, -1.0, 2.0, 0.25]])
HOLED = np.array([[0.5, np.nan, 0.5], [-1.0, 0.75, 1.0], [np.nan, 0.5, 2.0], [np.nan, np.nan, 3.0]])
DAWID_SKENE = "reference.crowdsourcing.dawid_skene"
ANSWERS = np.array([[1, 0, 1, 1], [1, 0, 1, 0], [0, 1, 1, 0]])


def _extremes() -> Function:
    """Cases of the truncation beyond the grid of :mod:`auditor.conformance.blocks`."""
    far = np.array([-1000.0, -1.5, -1.0, 0.5, 1.4, 2.0, 7.5, 9.0])
    return Function(
        smoothed_truncation,
        [
            Sample(
                "sharp",
                "With a high precision the smoothing noise is small even where the truncation is "
                "flat: the closed form, without loss of digits.",
                {"x": far, "scale": 1.0, "precision": 400.0},
            ),
            Sample(
                "blunt",
                "With a low precision the noise is far larger than the argument: the closed form "
                "would subtract numbers of size (a/sqrt(precision))^3.",
                {"x": far, "scale": 1.0, "precision": 1e-4},
            ),
            Sample(
                "small",
                "Small arguments keep all their digits.",
                {"x": np.array([1e-7, -2e-7]), "scale": 1.0, "precision": 4.0},
            ),
            Sample(
                "underflow",
                "Where x/s underflows the truncation is x itself.",
                {"x": np.array([3e-320, -1e-320]), "scale": 1e10, "precision": 1.0},
            ),
        ],
        1e-10,
        "error functions",
    )


def _truncated_gradients(model: Any, data: Any, beta: Any, threshold: float) -> Any:
    return model.truncated_gradients(model.validate(data, len(beta)), beta, threshold)


def _cut_gradients() -> Function:
    return Function(
        _truncated_gradients,
        [
            Sample(
                "mixture",
                "Records are cut, their weights are those of the records as they are.",
                {
                    "model": GaussianMixture(0.6),
                    "data": RECORDS,
                    "beta": BETA,
                    "threshold": 0.5,
                },
            ),
            Sample(
                "regressions",
                "Response, fitted value and covariates are cut, each for itself.",
                {
                    "model": MixtureOfRegressions(0.6),
                    "data": PAIRED,
                    "beta": BETA,
                    "threshold": 0.75,
                },
            ),
            Sample(
                "missing",
                "Response, fitted value and imputed covariates are cut; what is subtracted for a "
                "missing entry is not.",
                {
                    "model": MissingCovariates(0.6),
                    "data": HOLED,
                    "beta": BETA,
                    "threshold": 0.5,
                },
            ),
        ],
        1e-12,
        "exponentials",
    )


def _more_gradients() -> Function:
    """Cases of gradients in which they overflow."""
    huge = np.array([[3e200, 0.0, 4e200], [-2e200, 1e10, 0.0], [0.0, 0.0, 2.0]])
    return Function(
        lambda model, data, beta: model.gradients(model.validate(data, len(beta)), beta),
        [
            Sample(
                "regressions",
                "What overflows, or exceeds 1e300, counts as that.",
                {"model": MixtureOfRegressions(1.0), "data": huge, "beta": BETA},
            ),
            Sample(
                "missing",
                "The same where a covariate is missing: entries of the gradient are x_j r s^2/v "
                "or, of a missing one, beta_j (r^2/v - 1) s^2/v, with s the standard deviation, "
                "r = y - <beta, o>, and r^2/v cut to 1e300 first.",
                {
                    "model": MissingCovariates(1.0),
                    "data": np.array([[np.nan, 1.0, 1e200], [1e200, np.nan, -1e200]]),
                    "beta": BETA,
                },
            ),
        ],
        1e-12,
        "exponentials",
    )


def _maximiser(model: Any, data: Any, given: Any) -> Any:
    return model.maximiser(model.validate(data, len(given)), given)


def _m_steps() -> Function:
    three = np.array([0.5, -0.25, 1.0])
    few = np.array([[1.0, 0.5, -0.5, 2.0], [0.25, -1.0, 1.0, -0.5]])
    return Function(
        _maximiser,
        [
            Sample(
                "mixture",
                "The mean of (2w - 1) y.",
                {"model": GaussianMixture(0.6), "data": RECORDS, "given": BETA},
            ),
            Sample(
                "regressions",
                "Least squares of (2w - 1) y on x.",
                {"model": MixtureOfRegressions(0.6), "data": PAIRED, "given": BETA},
            ),
            Sample(
                "regressions-few",
                "Fewer records than coordinates: of the solutions the one of least norm.",
                {"model": MixtureOfRegressions(0.6), "data": few, "given": three},
            ),
            Sample(
                "missing",
                "(mean of K)^-1 (mean of y m), K = m m^T and, at the entries of two missing "
                "coordinates, I - h h^T/v more.",
                {"model": MissingCovariates(0.6), "data": HOLED, "given": BETA},
            ),
            Sample(
                "missing-nothing",
                "Where nothing is missing it is least squares; here the one of least norm.",
                {"model": MissingCovariates(0.6), "data": few, "given": three},
            ),
        ],
        1e-10,
        "linear equations",
    )


def _labels_and_abilities(**arguments: Any) -> Any:
    abilities, labels = dawid_skene(**arguments)
    return {"abilities": abilities, "labels": labels}


def _dawid_skene() -> Function:
    start = np.array([1.0, 0.0, 1.0, 0.5])
    return Function(
        _labels_and_abilities,
        [
            Sample(
                "one-step",
                "Abilities p_i: the mean over items of x_ij y_j + (1 - x_ij)(1 - y_j), kept in "
                "[margin, 1 - margin]; then soft labels 1/(1 + e^-s_j), s_j the sum over workers "
                "of (2 x_ij - 1) log(p_i/(1 - p_i)). Neither is rounded.",
                {"answers": ANSWERS, "initial": start, "n_iterations": 1, "margin": 0.15},
            ),
            Sample(
                "three-steps",
                "Labels stay soft in between.",
                {"answers": ANSWERS, "initial": start, "n_iterations": 3, "margin": 0.05},
            ),
        ],
        1e-11,
        "exponentials",
    )


TABLE: dict[str, Function] = {
    "smoothed-truncation-extremes": _extremes(),
    "truncation-bound": Function(
        truncation_bound,
        [
            Sample(
                f"precision={precision:g}",
                "(2 sqrt(2)/3) s erf(sqrt(precision/2)): what one value counts at most.",
                {"scale": 1.5, "precision": precision},
            )
            for precision in (0.01, 1.0, 40.0)
        ],
        1e-13,
        "an error function",
    ),
    "clip-entries": single(
        clip_entries,
        "Every entry is projected on [-T, T]; NaN (an overflow before) becomes 0.",
        {
            "values": np.array([0.5, -1.5, 1.0, np.nan, np.inf, -np.inf, 1e300]),
            "threshold": 1.0,
        },
        0.0,
        "no arithmetic",
        name="some",
    ),
    "model-gradients-extremes": _more_gradients(),
    "truncated-model-gradients": _cut_gradients(),
    "model-maximiser": _m_steps(),
    "hard-threshold": Function(
        hard_threshold,
        [
            Sample(
                "ties",
                "The entries largest in size stay where they are; of equal ones the first.",
                {"vector": np.array([1.0, -2.0, 0.5, -1.0, 1.0]), "sparsity": 2},
            ),
            Sample(
                "all",
                "As many as there are: nothing changes.",
                {"vector": np.array([1.0, -2.0]), "sparsity": 2},
            ),
        ],
        0.0,
        "no arithmetic",
    ),
    "rounding-factor": Function(
        rounding_factor,
        [
            Sample(
                "near",
                "What adds no more than a millionth to the sensitivity is not counted.",
                {"point": np.array([1.0, -3.0]), "sensitivity": 0.125},
            ),
            Sample(
                "far",
                "1 + 2u/sensitivity, u the distance of doubles at the largest entry.",
                {"point": np.array([1e8, -3e9]), "sensitivity": 0.125},
            ),
        ],
        1e-15,
        "one sum",
    ),
    "dawid-skene": _dawid_skene(),
    "majority-vote": Function(
        majority_vote,
        [
            Sample(
                "ties",
                "The label that at least half of the workers gave: ties are 1.",
                {"answers": np.array([[1, 0, 1], [0, 0, 1], [1, 0, 0], [0, 1, 1]])},
            ),
            Sample(
                "thirds",
                "Two, three and four of six workers.",
                {
                    "answers": np.array(
                        [[1, 1, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
                    )
                },
            ),
        ],
        0.0,
        "integers",
    ),
}
