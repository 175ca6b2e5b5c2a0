"""Small data and settings that several algorithms share (em)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from auditor import Setting
from auditor.described.data.mixtures import tumours
from reference._validation import FloatArray
from reference.em import dense_em, sparse_em, split_gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)

TRUTH = np.array([1.0, -0.5, 0.25])


SPARSE_TRUTH = np.array([1.0, 0.0, -0.8, 0.0, 0.0, 0.0])


FEW = np.array([[2.0, 0.0], [0.5, 0.5], [-1.5, 1.0], [1.0, -4.0]])


FEW_REGRESSIONS = np.array([[2.0, 0.0, 2.0], [0.5, 0.5, -1.0], [-2.0, 1.0, 0.5], [1.0, -1.0, 4.0]])


FEW_MISSING = np.array(
    [[1.0, np.nan, 2.0], [np.nan, 0.5, -1.0], [-2.0, 1.0, 0.5], [np.nan, np.nan, 4.0]]
)


PRIVATE: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5}


def sample(model: LatentModel, truth: FloatArray, n: int) -> FloatArray:
    """Return records of a model, with four digits."""
    return model.sample(truth, n, np.random.default_rng(1)).round(4)


def breast_cancer(n: int, dimension: int) -> FloatArray:
    """Return some tumours (scikit-learn), standardised, with the midpoint of the classes at 0."""
    return tumours().data[:n, :dimension].round(6)


def truncating(name: str) -> tuple[Setting, ...]:
    """Return the cases of the gradient EM algorithms with a smoothed truncation.

    Parameters
    ----------
    name : {"split", "full", "local"}
        Of the algorithm: blocks, all records in every step, or messages of the users.
    """
    usual = {**PRIVATE, "second_moment": 2.0, "failure_probability": 0.05, "step_size": 0.5}
    chosen = split_gradient_em.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )

    whole = "all four records" if name == "full" else "two records"
    return (
        Setting(
            "by-hand",
            f"Two steps of {whole} each; the truncation at scale 1 bends every gradient.",
            {
                "data": FEW,
                **usual,
                "model": GaussianMixture(1.0),
                "initial": np.array([0.5, 0.0]),
                "n_iterations": 2,
                "constants": chosen,
            },
        ),
        Setting(
            "middle",
            "Three steps with the theory's constants"
            + ("." if name == "full" else "; two records of 32 are left over."),
            {
                "data": sample(GaussianMixture(0.6), TRUTH, 32),
                **usual,
                "model": GaussianMixture(0.6),
                "initial": np.array([0.5, 0.1, 0.1]),
                "n_iterations": 3,
            },
        ),
        Setting(
            "heavy-tails",
            "Regressions with two gross errors: far beyond the scale the truncation is flat.",
            {
                "data": with_outliers(sample(MixtureOfRegressions(0.8), TRUTH, 24)),
                **usual,
                "model": MixtureOfRegressions(0.8),
                "initial": np.array([0.5, 0.1, 0.1]),
                "second_moment": 0.5,
                "n_iterations": 2,
            },
        ),
        Setting(
            "sharp",
            "A high precision: the smoothing noise is small even where the truncation is flat, "
            "and the closed form is used up to eight times the scale.",
            {
                "data": sample(MissingCovariates(0.8, 0.3), TRUTH, 24),
                **usual,
                "model": MissingCovariates(0.8, 0.3),
                "initial": np.array([0.5, 0.1, 0.1]),
                "n_iterations": 2,
                "constants": replace(chosen, truncation_scale=0.2, precision=900.0),
            },
        ),
    )


def with_outliers(data: FloatArray) -> FloatArray:
    """Return records of regressions with a gross error in one response and one covariate."""
    data[3, -1], data[17, 0] = 50.0, -40.0
    return data


def truncated_models() -> tuple[tuple[str, LatentModel, FloatArray], ...]:
    """Return name, model and four records of two coordinates of every model."""
    return (
        ("mixture", GaussianMixture(0.6), FEW),
        (
            "regressions",
            MixtureOfRegressions(0.6),
            FEW_REGRESSIONS,
        ),
        (
            "missing-covariates",
            MissingCovariates(0.6, 0.3),
            FEW_MISSING,
        ),
    )


def framework(*, sparse: bool) -> tuple[Setting, ...]:
    """Return the cases of Algorithms 2 and 4, for any model, with and without thresholding."""
    usual: dict[str, Any] = {**PRIVATE, "step_size": 0.5, **({"sparsity": 2} if sparse else {})}
    kind = sparse_em.Constants if sparse else dense_em.Constants
    (_, model, few), *others = truncated_models()
    start = np.array([0.5, 0.0, -0.1, 0.0, 0.0, 0.0])
    found = [
        Setting(
            "by-hand",
            "Two steps, on two records each, whose coordinates are cut at 1"
            + ("; one coordinate is kept." if sparse else "."),
            {
                "data": few,
                **usual,
                **({"sparsity": 1} if sparse else {}),
                "model": GaussianMixture(1.0),
                "initial": np.array([0.5, 0.0]),
                "truncation_level": 1.0,
                "n_iterations": 2,
                "constants": kind(sensitivity=1.0, noise_scale=0.5),
            },
        ),
        Setting(
            "middle",
            "Three steps with the theory's constants; two records of 32 are left over.",
            {
                "data": sample(model, SPARSE_TRUTH, 32),
                **usual,
                "model": model,
                "initial": start,
                "truncation_level": 1.25,
                "n_iterations": 3,
            },
        ),
        Setting(
            "far-start",
            "The start is so large that the rounding of start plus step adds to the sensitivity: "
            "claim and noise grow by the factor 1 + 2u/sensitivity, u the distance of doubles.",
            {
                "data": FEW,
                **usual,
                **({"sparsity": 1} if sparse else {}),
                "model": model,
                "initial": np.array([1e8, 0.0]),
                "truncation_level": 0.01,
                "n_iterations": 2,
                "constants": kind(sensitivity=0.005, noise_scale=0.01),
            },
        ),
    ]
    for name, other, _ in others:
        binding = isinstance(other, MissingCovariates)
        found.append(
            Setting(
                name,
                "Another model: "
                + (
                    "missing covariates are imputed, and start and iterates are clipped at four "
                    "times the square of the truncation level."
                    if binding
                    else "response, covariates and fitted value are cut."
                ),
                {
                    "data": sample(other, SPARSE_TRUTH[[0, 2, 1]], 24),
                    **usual,
                    "model": other,
                    "initial": np.array([0.5, 0.0, -0.1]),
                    "truncation_level": 0.3 if binding else 1.0,
                    "n_iterations": 2,
                },
            )
        )
    if sparse:
        found.append(
            Setting(
                "all-kept",
                "As many coordinates are kept as there are: the selection decides only the order.",
                {
                    "data": few,
                    **usual,
                    "model": GaussianMixture(1.0),
                    "initial": np.array([0.5, -0.25]),
                    "truncation_level": 1.0,
                    "n_iterations": 2,
                },
            )
        )
    return tuple(found)


def applied(index: int, *, sparse: bool) -> tuple[Setting, ...]:
    """Return the cases of an algorithm for one model, the index-th of the three."""
    usual: dict[str, Any] = {**PRIVATE, **({"sparsity": 2} if sparse else {})}
    kind = sparse_em if sparse else dense_em
    _, model, few = truncated_models()[index]
    binding = isinstance(model, MissingCovariates)
    level = 0.5 if binding else 1.0
    by_hand = Setting(
        "by-hand",
        f"Two steps of length 1, on two records each, cut at {level:g}"
        + ("; the start is clipped at 1." if binding else "."),
        {
            "data": few,
            **usual,
            **({"sparsity": 1} if sparse else {}),
            "initial": np.array([2.0 if binding else 0.75, 0.0]),
            "standard_deviation": 1.0,
            "truncation_level": level,
            "n_iterations": 2,
            "constants": kind.Constants(sensitivity=1.0, noise_scale=0.5),
        },
    )
    middle = Setting(
        "middle",
        "Three steps of length 0.5 with the theory's constants; two records of 32 are left over.",
        {
            "data": sample(model, SPARSE_TRUTH[:4], 32),
            **usual,
            **({"epsilon": 8.0} if sparse else {}),
            "initial": np.array([0.5, 0.0, -0.1, 0.0]),
            "standard_deviation": 0.6,
            "truncation_level": 1.25,
            "step_size": 0.5,
            "n_iterations": 3,
        },
    )
    clipped = Setting(
        "clipped-iterates",
        "A low truncation level: start and iterates are clipped at four times its square.",
        {
            "data": sample(model, SPARSE_TRUTH[[0, 2, 1]], 20),
            **usual,
            "initial": np.array([0.5, 0.0, -0.1]),
            "standard_deviation": 0.6,
            "truncation_level": 0.3,
            "n_iterations": 2,
        },
    )
    return (by_hand, middle, clipped) if binding else (by_hand, middle)
