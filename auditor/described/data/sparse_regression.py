"""Sparse linear and monotone regression on signs, and users whose records are far out."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm as normal

from auditor import Data, Form, Scaling, along, form, noise_slope, rate_slope
from auditor.described.data.heavy_tailed_regression import any_regression_record
from reference._validation import FloatArray
from reference.local import label_noise
from reference.local.iterative_hard_thresholding import KEPT
from reference.local.nonlinear_hard_thresholding import MonotoneFunction
from reference.losses import Records
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger

P = 3
"""p of the pair."""
FAR = 1e6
"""A label far outside every range."""
NOISE_BOUND = 0.1
"""C of what is drawn."""
DELTA = 1e-5
"""delta of the recipes on private labels."""
RESIDUAL = 0.5
"""R of what is drawn: with ||theta*|| = .1 few factors of x are larger."""


def _waves(z: FloatArray) -> FloatArray:
    return z + 0.1 * np.sin(z)


def _slope_of_waves(z: FloatArray) -> FloatArray:
    return 1 + 0.1 * np.cos(z)


WAVES = MonotoneFunction(
    "x + sin(x)/10", value=_waves, derivative=_slope_of_waves, least_slope=0.9, largest_slope=1.1
)


def opposite_labels(n: int, dimension: int, label: float = FAR) -> tuple[Data, Data]:
    """Return n users with features (1, .., 1) and label 0, the first with label -l, or l."""

    def users(first: float) -> Records:
        labels = np.zeros(n)
        labels[0] = first
        return np.ones((n, dimension)), labels

    return users(-label), users(label)


def sparse_coefficients(dimension: int, sparsity: int, norm: float) -> FloatArray:
    """Return a vector of the given norm with equal coefficients, evenly spread."""
    vector = np.zeros(dimension)
    vector[:: dimension // sparsity][:sparsity] = norm / math.sqrt(sparsity)
    return vector


def draw_signs(
    rng: np.random.Generator,
    theta: FloatArray,
    n: int,
    value: Callable[[FloatArray], FloatArray] = np.asarray,
) -> Records:
    """Draw x uniform on {-1, 1}^p and y = f(<theta, x>) + U[-C, C], C = .1."""
    coins = rng.integers(0, 2, size=(n, theta.size), dtype=np.int8)
    features: FloatArray = np.array([-1.0, 1.0])[coins]
    noise = rng.uniform(-NOISE_BOUND, NOISE_BOUND, size=n)
    return features, value(features @ theta) + noise


def largest_squares(dimension: float, count: int) -> float:
    """Return about the sum of the squares of the largest of p standard normals.

    It is of order count log p, but grows faster where p is not far above the count.
    """
    ranks = np.arange(1, count + 1) - 0.5
    return float(np.sum(normal.isf(ranks / (2 * dimension)) ** 2))


def agrees(theta: Any) -> float:
    """Return 1 if theta points towards (1, .., 1), else 0."""
    return float(np.sum(theta) > 0)


def messages_form(function: Any, *arguments: Any, **options: Any) -> Form:
    """Return a form of two rounds of two users; the black box asks one user once.

    Its output is then the direction of the message, which all of its loss is in.
    """
    return form(
        function,
        opposite_labels(4, P),
        *arguments,
        epsilon=1.0,
        sparsity=1,
        noise_bound=0.5,
        n_iterations=2,
        model=Model.LOCAL,
        domain=any_regression_record(P),
        **{
            "seen": opposite_labels(1, P),
            "box": {"n_iterations": 1},
            "statistic": agrees,
            **options,
        },
    )


def error_on_signs(
    algorithm: Callable[..., FloatArray], value: Callable[[FloatArray], FloatArray] = np.asarray
) -> Callable[..., float]:
    """Return an algorithm's error ||theta_T - theta*|| for T = 2 on drawn signs."""

    def error(
        rng: np.random.Generator,
        ledger: Ledger,
        *,
        n: float = 32_000,
        p: float = 8,
        sparsity: float = 1,
        norm: float = 0.1,
        **options: Any,
    ) -> float:
        theta = sparse_coefficients(int(p), int(sparsity), norm)
        found = algorithm(
            draw_signs(rng, theta, int(n), value),
            **{"epsilon": 4.0, "n_iterations": 2, **options},
            sparsity=int(sparsity),
            noise_bound=NOISE_BOUND,
            ledger=ledger,
        )
        return float(np.linalg.norm(found - theta))

    return error


def messages_scaling(
    right: Callable[..., float],
    printed: Callable[..., float],
    *,
    claim: str,
    erratum: str,
    isometry: str,
) -> tuple[Scaling, ...]:
    """Return the recipes of LDP-IHT; the first of the two rounds leaves a bias of order n^-1/2.

    Parameters
    ----------
    right : callable
        :func:`error_on_signs` with residuals that are cut to :data:`RESIDUAL`.
    printed : callable
        The same with the printed radius.
    isometry : str
        Where the blocks of n/2 users that these draw are as near to isometric as the theorem asks.
    """
    sizes, dimensions = (1_000, 4_000, 16_000, 64_000), (12, 24, 48, 96)
    epsilons = (0.25, 0.5, 1.0, 2.0)
    in_p = rate_slope(dimensions, lambda p: math.sqrt(p * largest_squares(p, KEPT)))
    in_epsilon = rate_slope(epsilons, lambda epsilon: 1 / math.tanh(epsilon / 2))
    claim += f"; for log p, that of the 8 s* largest of p normals; {isometry}"
    recipe = partial(along, error=right, repetitions=8, claim=claim)
    return (
        recipe("n", sizes, -0.5),
        recipe("p", dimensions, in_p, expensive=True),
        recipe("epsilon", epsilons, in_epsilon, expensive=True),
        recipe(
            "n",
            sizes,
            -0.5,
            name="n with the printed radius",
            error=printed,
            norm=0.9,
            erratum=erratum,
            form="printed",
        ),
    )


def label_form(
    function: Any, *arguments: Any, label: float = FAR, statistic: Any = np.sum, **options: Any
) -> Form:
    """Return a form of three users, of which one has label -l, or l; the black box has one user.

    Its output is then a step from 0 that is too short to leave the unit ball: the noisy label.
    """
    return form(
        function,
        opposite_labels(3, P, label)[::-1],
        *arguments,
        **{
            "epsilon": 1.0,
            "delta": 1e-3,
            "sparsity": 1,
            "noise_bound": 0.05,
            "model": Model.LOCAL,
            "relation": Relation.REPLACE_LABEL,
            "domain": any_regression_record(P),
            "seen": opposite_labels(1, P, label)[::-1],
            "statistic": statistic,
            **options,
        },
    )


def uncut_labels(
    data: Data, *_: Any, ledger: Ledger, largest_slope: float = 1.0, **options: Any
) -> FloatArray:
    """Return a step on labels that nobody cut."""
    claim = {name: options[name] for name in ("epsilon", "delta", "sparsity", "noise_bound")}
    constants = label_noise.constants_for(**claim, largest_slope=largest_slope)
    features, labels = data
    noisy = ledger.gaussian(
        labels,
        sensitivity=2 * constants.truncation_level,
        scale=constants.noise_scale,
        unit="label",
    )
    return np.asarray(features.T @ noisy)


def label_scaling(error: Callable[..., float], *, claim: str) -> tuple[Scaling, ...]:
    """Return the recipes of hard thresholding on noisy labels.

    Parameters
    ----------
    error : callable
        :func:`error_on_signs` of the algorithm.
    """
    sizes, dimensions = (1_000, 4_000, 16_000, 64_000), (12, 24, 48, 96)
    epsilons, sparsities = (0.5, 1.0, 2.0, 4.0), (1, 2, 4, 8)

    def in_s(s: float) -> float:
        # s* coefficients that are kept whatever their noise, and the largest of the other ones
        squares = s + largest_squares(128 - s, int((KEPT - 1) * s))
        return (math.sqrt(s) + NOISE_BOUND) * math.sqrt(squares)

    in_p = rate_slope(dimensions, lambda p: math.sqrt(largest_squares(p, KEPT)))
    recipe = partial(along, error=error, repetitions=8, claim=claim, delta=DELTA)
    largest = f"{claim}; for log p, that of the 8 s* largest of p normals"
    return (
        recipe("n", sizes, -0.5),
        recipe("p", dimensions, in_p, claim=largest, expensive=True),
        recipe("epsilon", epsilons, noise_slope(epsilons, DELTA, 1.0), expensive=True),
        recipe(
            "sparsity",
            sparsities,
            rate_slope(sparsities, in_s),
            claim=largest,
            p=128,
            norm=0.5,
            expensive=True,
        ),
    )
