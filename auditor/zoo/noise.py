"""Noise for the zoo's right mechanisms, drawn so that its low-order bits tell nothing.

A sum of a value and floating-point noise gives the value away by its last bits (Mironov 2012).
Real-valued releases are therefore rounded to a grid that is far coarser than the spacing of the
doubles and far finer than the noise. Rounding is post-processing of the real-valued mechanism;
at a pitch of 2^-20 it lowers delta(epsilon) by less than 1e-11 at the noise scales of the zoo, and
where a threshold is compared with the rounded number, moves a probability by less than 2e-7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference._validation import FloatArray, IntArray

GRID = 2.0**-20
"""Pitch of real-valued releases."""

Bits = NDArray[np.uint8]

_PIECE = 2**16


def on_grid(values: FloatArray) -> FloatArray:
    """Round to multiples of :data:`GRID`, in place."""
    values *= 1 / GRID
    np.rint(values, out=values)
    values *= GRID
    return values


Numbers = TypeVar("Numbers", FloatArray, IntArray)


def _in_pieces(draw: Callable[[int], FloatArray], values: Numbers) -> Numbers:
    """Fill an array with ``draw(count)`` piece by piece, so that what draws needs stays small."""
    flat = values.reshape(-1)
    for start in range(0, flat.size, _PIECE):
        count = min(_PIECE, flat.size - start)
        flat[start : start + count] = draw(count)
    return values


def standard_laplace(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Return numbers of the density e^-|x|/2: the difference of two exponential variables.

    Not rounded.
    """

    def draw(count: int) -> FloatArray:
        return rng.standard_exponential(count) - rng.standard_exponential(count)

    return _in_pieces(draw, np.empty(shape))


def laplace(value: ArrayLike, scale: ArrayLike, rng: np.random.Generator, size: int) -> FloatArray:
    """Return ``size`` releases of a value with Laplace noise.

    Parameters
    ----------
    value : array_like
    scale : array_like
        One for all coordinates, or one for each.
    rng : Generator
    size : int

    Returns
    -------
    ndarray of shape (size, *value.shape)
    """
    centre = np.asarray(value, dtype=np.float64)
    noise = standard_laplace(rng, (size, *centre.shape))
    noise *= np.asarray(scale, dtype=np.float64)
    noise += centre
    return on_grid(noise)


def gaussian(value: ArrayLike, scale: float, rng: np.random.Generator, size: int) -> FloatArray:
    """Return ``size`` releases of a value with Gaussian noise; like :func:`laplace`."""
    centre = np.asarray(value, dtype=np.float64)
    noise = rng.standard_normal(size=(size, *centre.shape))
    noise *= scale
    noise += centre
    return on_grid(noise)


def two_sided_geometric(rate: float, rng: np.random.Generator, shape: tuple[int, ...]) -> IntArray:
    """Return integers k with probability (1 - a)/(1 + a) a^|k|, where a = e^-rate.

    The difference of two geometric variables, which are exponential ones rounded down.
    """

    def draw(count: int) -> FloatArray:
        return np.floor(rng.standard_exponential(count) / rate) - np.floor(
            rng.standard_exponential(count) / rate
        )

    return _in_pieces(draw, np.empty(shape, dtype=np.int64))


def discrete_gaussian(sigma: float, rng: np.random.Generator, size: int) -> IntArray:
    """Return integers k with probability proportional to exp(-k^2/(2 sigma^2)).

    Rejection from the two-sided geometric law of rate 1/t, t = floor(sigma) + 1: there k has a
    probability proportional to e^(-|k|/t), and times the probability of acceptance
    exp(-(|k| - sigma^2/t)^2/(2 sigma^2)) the exponent is -k^2/(2 sigma^2) plus a constant.

    References
    ----------
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy" (2020),
    Algorithm 3.
    """
    t = math.floor(sigma) + 1
    accepted: list[IntArray] = []
    missing = size
    while missing > 0:
        proposed = two_sided_geometric(1 / t, rng, (int(1.5 * missing) + 16,))
        misfit = np.abs(proposed) - sigma**2 / t
        kept = proposed[rng.random(proposed.size) < np.exp(-(misfit**2) / (2 * sigma**2))]
        accepted.append(kept[:missing])
        missing -= accepted[-1].size
    return np.concatenate(accepted)


def coins(numerators: int | NDArray[Any], rng: np.random.Generator, shape: tuple[int, ...]) -> Bits:
    """Return bits that are 1 with probability numerator/256, exactly.

    Parameters
    ----------
    numerators : int or ndarray of uint8
        In 0..255; broadcast against ``shape``.
    rng : Generator
    shape : tuple of int
    """
    random = rng.integers(0, 256, size=shape, dtype=np.uint8)
    return np.less(random, numerators).view(np.uint8)
