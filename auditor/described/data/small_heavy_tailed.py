"""Small data and settings that several algorithms share (heavy tailed)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from auditor import Setting
from reference._validation import FloatArray
from reference.heavy_tailed import private_mean
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.losses import Records

PRIVATE: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5}


def tails(n: int, seed: int) -> FloatArray:
    """Return numbers of mean 1/2, some of them far out."""
    numbers: FloatArray = np.round(0.5 + np.random.default_rng(seed).standard_t(2, n), 3)
    return numbers


def vectors(n: int, dimension: int, seed: int) -> FloatArray:
    """Return vectors with heavy tails, of mean 1/2 in the first coordinate and 0 elsewhere."""
    records: FloatArray = np.round(np.random.default_rng(seed).standard_t(3, (n, dimension)), 3)
    records[:, 0] += 0.5
    return records


def regression(n: int, dimension: int, seed: int) -> Records:
    """Return features and responses with heavy tails; the first two coefficients are not 0."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_t(4, (n, dimension)), 3)
    noise = 0.5 * rng.standard_t(3, n)
    return features, np.round(0.6 * features[:, 0] - 0.4 * features[:, 1] + noise, 3)


def diabetes() -> Records:
    """Return 40 records of scikit-learn's diabetes data: three features, standardised."""
    from sklearn.datasets import load_diabetes  # loads slowly

    features, progression = load_diabetes(return_X_y=True)
    chosen, response = features[:400:10, [2, 3, 8]], progression[:400:10]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)
    return (
        np.round(standard, 6),
        np.round((response - response.mean()) / response.std(), 6),
    )


def problem(data: Any, loss: Any, constraint: Any, initial: Any) -> dict[str, Any]:
    """Return the arguments that say what is minimised, where, and from which point."""
    return {"data": data, "loss": loss, "constraint": constraint, "initial": np.array(initial)}


def robust_mean(
    loss: Any, data: Any, w: FloatArray, *, scale: float, precision: float
) -> FloatArray:
    """Return the mean of the smoothed truncations of the gradients at w."""
    with np.errstate(all="ignore"):
        gradients = loss.gradients(data, w)
    mean: FloatArray = smoothed_truncation(gradients, scale=scale, precision=precision).mean(axis=0)
    return mean


def towards_vertices(
    gradient: Callable[[FloatArray, int], FloatArray],
    constraint: Any,
    w: FloatArray,
    n_iterations: int,
    step_size: float | None = None,
) -> FloatArray:
    """Return Frank-Wolfe's point after steps of size 2/(t + 2), or all of one size."""
    for t in range(n_iterations):
        best = int(constraint.inner_products(gradient(w, t)).argmin())
        eta = step_size or 2 / (t + 3)
        w = (1 - eta) * w + eta * constraint.vertex(best, w.size)
    return w


def largest(vector: FloatArray, sparsity: int) -> FloatArray:
    """Return the vector with its largest entries, the others 0."""
    kept = vector.copy()
    kept[np.argsort(-np.abs(kept))[sparsity:]] = 0.0
    return kept


def mean_settings(
    constants_for: Callable[..., Any], chosen: private_mean.Constants
) -> tuple[Setting, ...]:
    """Return the settings of the mean of numbers, central or local.

    Parameters
    ----------
    constants_for : callable
        The constants of the algorithm.
    chosen : Constants
        Of the setting by hand.
    """
    usual = {**PRIVATE, "second_moment": 5.0, "failure_probability": 0.05}

    def noiseless(*, data: FloatArray, constants: Any = None, **claim: Any) -> float:
        c = constants or constants_for(n=len(data), **claim)
        psi = [
            smoothed_truncation(x, scale=c.truncation_scale, precision=c.precision) for x in data
        ]
        return math.fsum(psi) / len(data)

    def of(name: str, about: str, data: FloatArray, **others: float) -> Setting:
        changed = {"constants": replace(chosen, **others)} if others else {}
        return Setting(name, about, {"data": data, **usual, **changed}, noiseless=noiseless)

    few = np.array([0.0, 1.0, -0.5, 1e6])
    ends = np.array([1e-12, -1e-12, 1e-4, 0.5, -1.25, 1.5, -4.0, 7.5, 9.0, -20.0, 1e5, -1e8, 1e300])
    kinked = np.array([0.25, -0.7, 1.3, 1.38, -1.41, 1.42, 1.5, 2.0, -7.9, 9.5, 13.0])
    tiny = {"truncation_scale": 4.0, "sensitivity": 1e-12, "noise_scale": 1e-11}
    return (
        of(
            "by-hand",
            "Four numbers at scale 1: a 0 stays 0, a huge one counts as the bound of the "
            "truncation, and the others are bent.",
            few,
            precision=chosen.precision,
        ),
        of(
            "middle",
            "Numbers with heavy tails, with the theory's constants.",
            tails(40, 1),
        ),
        of(
            "rough",
            "A low precision at numbers from 1e-12 to 1e300: far from 0 the closed form of the "
            "truncation cancels to nothing in doubles.",
            ends,
            truncation_scale=1.5,
            precision=2.3,
        ),
        of(
            "sharp",
            "A high precision: the closed form is used up to eight times the scale, and numbers "
            "near the kink at the root of 2 tell its terms apart.",
            kinked,
            precision=900.0,
        ),
        of(
            "very-sharp",
            "A precision so high that the smoothing noise stays small where the closed form "
            "already cancels to nothing in doubles.",
            np.array([0.5, -1.0, 1.25, 3e4, -1e5, 4e5]),
            precision=1e12,
        ),
        of(
            "small-numbers",
            "Numbers far below the scale, down to ones that underflow when divided by it, are "
            "kept as they are.",
            np.array([3e-9, -1e-12, 5e-11, 2e-290, 1e-13]),
            **tiny,
        ),
    )


CHOSEN = private_mean.Constants(
    truncation_scale=2.0, precision=4.0, sensitivity=1.0, noise_scale=0.5
)


ROBUST: dict[str, Any] = {**PRIVATE, "second_moment": 8.0, "failure_probability": 0.05}


FEW = np.array([[1.0, 0.0], [0.5, -1.0], [100.0, 0.25], [-1.0, 2.0], [0.0, 0.5]])
"""Five records, one of them far out in its first coordinate."""


HUGE: Records = (
    np.array([[0.5, 0.25], [1.5e308, 0.0], [-1e200, 1e200], [1.0, -0.75]]),
    np.array([0.5, -1.5e308, -1.0, -0.25]),
)
"""Records whose gradients overflow; one of them is infinite times 0 in the second coordinate."""


TRIANGLE = np.array([[4.0, 1.0], [5.0, 1.0], [4.0, 3.0], [5.0, 1.0]])
"""The vertices of a triangle that lies far from the origin; one of them comes twice."""
