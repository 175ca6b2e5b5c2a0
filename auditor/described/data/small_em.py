"""Small data, settings and results without noise that several algorithms share (em)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
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
from reference.heavy_tailed.truncation import smoothed_truncation

TRUTH, SPARSE_TRUTH = np.array([1.0, -0.5, 0.25]), np.array([1.0, 0.0, -0.8, 0.0, 0.0, 0.0])
NEAR_TRUTH = (0.5, 0.1, 0.1)
FEW = np.array([[2.0, 0.0], [0.5, 0.5], [-1.5, 1.0], [1.0, -4.0]])
FEW_REGRESSIONS = np.array([[2.0, 0.0, 2.0], [0.5, 0.5, -1.0], [-2.0, 1.0, 0.5], [1.0, -1.0, 4.0]])
FEW_MISSING = np.array(
    [[1.0, np.nan, 2.0], [np.nan, 0.5, -1.0], [-2.0, 1.0, 0.5], [np.nan, np.nan, 4.0]]
)
MIXTURE, REGRESSIONS = GaussianMixture(0.6), MixtureOfRegressions(0.8)
MISSING = MissingCovariates(0.8, 0.3)

PRIVATE: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5}
TRUNCATED: dict[str, Any] = {**PRIVATE, "second_moment": 2.0, "failure_probability": 0.05}


def sample(model: LatentModel, truth: FloatArray, n: int) -> FloatArray:
    """Return records of a model, with four digits."""
    return model.sample(truth, n, np.random.default_rng(1)).round(4)


def breast_cancer(n: int, dimension: int) -> FloatArray:
    """Return some tumours (scikit-learn), standardised, with the midpoint of the classes at 0."""
    return tumours().data[:n, :dimension].round(6)


def with_outliers(data: FloatArray) -> FloatArray:
    """Return records of regressions with a gross error in one response and one covariate."""
    data[3, -1], data[17, 0] = 50.0, -40.0
    return data


def setting(
    usual: Mapping[str, Any],
    noiseless: Any,
    name: str,
    about: str,
    problem: tuple[LatentModel, FloatArray, Any],
    **others: Any,
) -> Setting:
    """Return a setting on a model, its records and a start; ``others`` go before ``usual``."""
    model, data, initial = problem
    known = {"data": data, **usual, "model": model, "initial": np.array(initial), **others}
    return Setting(name, about, known, noiseless=noiseless)


# ------------------------------------------------------------------- with a smoothed truncation


def truncated_path(constants_for: Callable[..., Any], *, blocks: bool) -> Callable[..., FloatArray]:
    """Return gradient EM on truncated gradients without noise, from the arguments of a setting.

    Parameters
    ----------
    constants_for : callable
        The constants of the algorithm.
    blocks : bool
        Whether step t reads the t-th of T blocks, and not all records.
    """

    def path(
        *,
        data: FloatArray,
        model: LatentModel,
        initial: FloatArray,
        n_iterations: int,
        step_size: float | None = None,
        constants: Any = None,
        **claim: Any,
    ) -> FloatArray:
        c = constants or constants_for(
            n=len(data), dimension=initial.size, n_iterations=n_iterations, **claim
        )
        beta, size = initial, len(data) // n_iterations
        for t in range(n_iterations):
            values = model.gradients(data[t * size :][:size] if blocks else data, beta)
            if step_size is None:  # the M-step is a mean of terms
                values, beta = values + beta, np.zeros_like(beta)
            psi = smoothed_truncation(values, scale=c.truncation_scale, precision=c.precision)
            beta = beta + (step_size or 1.0) * psi.mean(axis=0)
        return beta

    return path


def truncating(constants_for: Callable[..., Any], *, blocks: bool = True) -> tuple[Setting, ...]:
    """Return the settings of the gradient EM algorithms with a smoothed truncation.

    Parameters
    ----------
    constants_for, blocks
        As for :func:`truncated_path`.
    """
    noiseless = truncated_path(constants_for, blocks=blocks)
    of = partial(setting, {**TRUNCATED, "step_size": 0.5}, noiseless)
    chosen = split_gradient_em.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )
    sharp = replace(chosen, truncation_scale=0.2, precision=900.0)
    whole, rest = ("two records", "; two records of 32 are left over.")
    if not blocks:
        whole, rest = ("all four records", ".")
    in_two = partial(of, n_iterations=2)
    gross = with_outliers(sample(REGRESSIONS, TRUTH, 24))
    return (
        in_two(
            "by-hand",
            f"Two steps of {whole} each; the truncation at scale 1 bends every gradient.",
            (GaussianMixture(1.0), FEW, [0.5, 0.0]),
            constants=chosen,
        ),
        of(
            "middle",
            f"Three steps with the theory's constants{rest}",
            (MIXTURE, sample(MIXTURE, TRUTH, 32), NEAR_TRUTH),
            n_iterations=3,
        ),
        in_two(
            "heavy-tails",
            "Regressions with two gross errors: far beyond the scale the truncation is flat.",
            (REGRESSIONS, gross, NEAR_TRUTH),
            second_moment=0.5,
        ),
        in_two(
            "sharp",
            "A high precision: the smoothing noise is small even where the truncation is flat, "
            "and the closed form is used up to eight times the scale.",
            (MISSING, sample(MISSING, TRUTH, 24), NEAR_TRUTH),
            constants=sharp,
        ),
    )


# --------------------------------------------------------------------- with truncated gradients

MODELS: dict[str, tuple[LatentModel, FloatArray]] = {
    "mixture": (MIXTURE, FEW),
    "regressions": (MixtureOfRegressions(0.6), FEW_REGRESSIONS),
    "missing-covariates": (MissingCovariates(0.6, 0.3), FEW_MISSING),
}
"""Models, each with four records of two coordinates."""


def thresholded_path(
    *, data: FloatArray, model: LatentModel, initial: FloatArray, n_iterations: int, **others: Any
) -> FloatArray:
    """Return EM on truncated gradients of T batches without noise, from a setting's arguments."""
    size, truncation_level = len(data) // n_iterations, others["truncation_level"]
    step_size, sparsity = others.get("step_size", 1.0), others.get("sparsity")
    # no other model's sensitivity needs bounded iterates
    bound = 4 * truncation_level**2 if isinstance(model, MissingCovariates) else np.inf
    beta = np.clip(initial, -bound, bound)
    for t in range(n_iterations):
        gradients = model.truncated_gradients(data[t * size :][:size], beta, truncation_level)
        beta = beta + step_size * gradients.mean(axis=0)
        beta[np.argsort(-np.abs(beta))[sparsity:] if sparsity else []] = 0.0
        beta = np.clip(beta, -bound, bound)
    return beta


def framework(*, sparse: bool) -> tuple[Setting, ...]:
    """Return the settings of Algorithms 2 and 4, for any model, with and without thresholding."""
    kind: Any = dense_em.Constants
    usual: dict[str, Any] = {**PRIVATE, "step_size": 0.5}
    few: dict[str, Any] = {}
    if sparse:
        kind, usual, few = sparse_em.Constants, {**usual, "sparsity": 2}, {"sparsity": 1}
    of = partial(setting, usual, thresholded_path)
    found = [
        of(
            "by-hand",
            "Two steps, on two records each, whose coordinates are cut at 1"
            + ("; one coordinate is kept." if sparse else "."),
            (GaussianMixture(1.0), FEW, [0.5, 0.0]),
            truncation_level=1.0,
            n_iterations=2,
            constants=kind(sensitivity=1.0, noise_scale=0.5),
            **few,
        ),
        of(
            "middle",
            "Three steps with the theory's constants; two records of 32 are left over.",
            (MIXTURE, sample(MIXTURE, SPARSE_TRUTH, 32), [0.5, 0.0, -0.1, 0.0, 0.0, 0.0]),
            truncation_level=1.25,
            n_iterations=3,
        ),
        of(
            "far-start",
            "The start is so large that the rounding of start plus step adds to the sensitivity: "
            "claim and noise grow by the factor 1 + 2u/sensitivity, u the distance of doubles.",
            (MIXTURE, FEW, [1e8, 0.0]),
            truncation_level=0.01,
            n_iterations=2,
            constants=kind(sensitivity=0.005, noise_scale=0.01),
            **few,
        ),
    ]
    for name, level, about in (
        ("regressions", 1.0, "response, covariates and fitted value are cut."),
        (
            "missing-covariates",
            0.3,
            "missing covariates are imputed, and start and iterates are clipped at four times the "
            "square of the truncation level.",
        ),
    ):
        model, _ = MODELS[name]
        data = sample(model, SPARSE_TRUTH[[0, 2, 1]], 24)
        problem = (model, data, [0.5, 0.0, -0.1])
        found.append(
            of(name, f"Another model: {about}", problem, truncation_level=level, n_iterations=2)
        )
    if sparse:
        found.append(
            of(
                "all-kept",
                "As many coordinates are kept as there are: the selection decides only the order.",
                (GaussianMixture(1.0), FEW, [0.5, -0.25]),
                truncation_level=1.0,
                n_iterations=2,
            )
        )
    return tuple(found)


def applied(name: str, *, sparse: bool) -> tuple[Setting, ...]:
    """Return the settings of an algorithm for one of :data:`MODELS`."""
    usual: dict[str, Any] = {**PRIVATE, **({"sparsity": 2} if sparse else {})}
    model, few = MODELS[name]
    binding = name == "missing-covariates"
    level = 0.5 if binding else 1.0
    constants = (sparse_em if sparse else dense_em).Constants(sensitivity=1.0, noise_scale=0.5)

    def noiseless(*, standard_deviation: float, **others: Any) -> FloatArray:
        return thresholded_path(model=type(model)(standard_deviation), **others)  # type: ignore[call-arg]

    by_hand = {
        "data": few,
        **usual,
        **({"sparsity": 1} if sparse else {}),
        "initial": np.array([2.0 if binding else 0.75, 0.0]),
        "standard_deviation": 1.0,
        "truncation_level": level,
        "n_iterations": 2,
        "constants": constants,
    }
    middle = {
        "data": sample(model, SPARSE_TRUTH[:4], 32),
        **usual,
        **({"epsilon": 8.0} if sparse else {}),
        "initial": np.array([0.5, 0.0, -0.1, 0.0]),
        "standard_deviation": 0.6,
        "truncation_level": 1.25,
        "step_size": 0.5,
        "n_iterations": 3,
    }
    clipped = {
        "data": sample(model, SPARSE_TRUTH[[0, 2, 1]], 20),
        **usual,
        "initial": np.array([0.5, 0.0, -0.1]),
        "standard_deviation": 0.6,
        "truncation_level": 0.3,
        "n_iterations": 2,
    }
    cut = f"cut at {level:g}" + ("; the start is clipped at 1." if binding else ".")
    rows = [
        (
            "by-hand",
            f"Two steps of length 1, on two records each, {cut}",
            by_hand,
        ),
        (
            "middle",
            "Three steps of length 0.5 with the theory's constants; two records of 32 are left "
            "over.",
            middle,
        ),
        (
            "clipped-iterates",
            "A low truncation level: start and iterates are clipped at four times its square.",
            clipped,
        ),
    ]
    return tuple(Setting(*row, noiseless=noiseless) for row in rows[: 3 if binding else 2])
