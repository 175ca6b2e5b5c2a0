"""Exact releases of every mechanism of the ledger.

Additive noise is real, and the sum is rounded to a grid that the scale gives: an entry is a
function of value plus noise. Selections and coins have real probabilities. The largest noisy score
is that of the real sums: of rounded ones it would cost up to a step of the grid over the scale
more, as two scores that move together may be rounded apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from reference._validation import FloatArray, IntArray
from reference.privacy.exact.choices import given_coins, select_by_rows, select_point, truths
from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.lazy import settle
from reference.privacy.exact.noise import (
    UNIT,
    Draws,
    Laplaces,
    Normals,
    rounded_sums,
    significant_sums,
)
from reference.privacy.exact.sources import RandomBits
from reference.privacy.exact.wishart import rounded_wishart
from reference.privacy.mechanisms import (
    Bit,
    Exponential,
    Gaussian,
    IntervalExponential,
    L2BallRandomizer,
    Laplace,
    Mechanism,
    NoisyMax,
    Output,
    RandomizedResponse,
    SmoothSensitivity,
    SymmetricGaussian,
    SymmetricLaplace,
    Wishart,
)

_Sampler = Callable[[Any, FloatArray, RandomBits], Output]
_samplers: dict[type[Mechanism], _Sampler] = {}


def exact_sampler(kind: type[Mechanism]) -> Callable[[_Sampler], _Sampler]:
    """Declare the sampler of a kind of mechanism; those derived from it need one of their own."""

    def declared(sampler: _Sampler) -> _Sampler:
        _samplers[kind] = sampler
        return sampler

    return declared


def sampler_of(kind: type[Mechanism]) -> _Sampler:
    """Return the sampler of a kind of mechanism; raise TypeError if there is none."""
    if kind not in _samplers:
        raise TypeError(f"no exact sampler of {kind.__name__} releases; use Ledger")
    return _samplers[kind]


def exact_output(mechanism: Mechanism, value: FloatArray, bits: RandomBits) -> Output:
    """Release a value by a mechanism, with noise from ``bits``."""
    return sampler_of(type(mechanism))(mechanism, value, bits)


@exact_sampler(Laplace)
def _laplace(mechanism: Laplace, value: FloatArray, bits: RandomBits) -> FloatArray:
    return _sums(value, mechanism.scale, Laplaces(bits, value.size))


@exact_sampler(Gaussian)
def _gaussian(mechanism: Gaussian, value: FloatArray, bits: RandomBits) -> FloatArray:
    return _sums(value, mechanism.scale, Normals(bits, value.size))


def _sums(value: FloatArray, scale: FloatArray | float, draws: Draws) -> FloatArray:
    return rounded_sums(value.ravel(), scale, draws).reshape(value.shape)


@exact_sampler(SymmetricLaplace)
def _symmetric_laplace(
    mechanism: SymmetricLaplace, value: FloatArray, bits: RandomBits
) -> FloatArray:
    return _symmetric(value, mechanism.scale, 1.0, lambda size: Laplaces(bits, size))


@exact_sampler(SymmetricGaussian)
def _symmetric_gaussian(
    mechanism: SymmetricGaussian, value: FloatArray, bits: RandomBits
) -> FloatArray:
    weight = math.sqrt(mechanism.diagonal_variance)
    return _symmetric(value, mechanism.scale, weight, lambda size: Normals(bits, size))


def _symmetric(
    value: FloatArray, scale: float, weight: float, draw: Callable[[int], Draws]
) -> FloatArray:
    """Return symmetric matrices with noise on the upper triangle, ``weight`` times on the diagonal.

    The scale of the diagonal is a root and a product of doubles: it is rounded up, as larger noise
    costs no more.
    """
    rows, columns = np.triu_indices(value.shape[-1])
    diagonal = scale if weight == 1.0 else scale * weight * (1 + 2 * UNIT)
    upper = value[..., rows, columns]
    scales = np.broadcast_to(np.where(rows == columns, diagonal, scale), upper.shape).ravel()
    noisy = _sums(upper, scales, draw(upper.size))
    matrix = np.empty(value.shape)
    matrix[..., rows, columns] = noisy
    matrix[..., columns, rows] = noisy
    return matrix


@exact_sampler(Wishart)
def _wishart(mechanism: Wishart, value: FloatArray, bits: RandomBits) -> FloatArray:
    return rounded_wishart(bits, value, degrees=mechanism.degrees, scale=mechanism.scale)


@exact_sampler(SmoothSensitivity)
def _smooth(mechanism: SmoothSensitivity, value: FloatArray, bits: RandomBits) -> FloatArray:
    scale = Fraction(mechanism.smooth_bound) / Fraction(mechanism.divisor)
    sinh = mechanism.noise == "arsinh-normal"
    noisy = significant_sums(value.ravel(), scale, Normals(bits, value.size), sinh=sinh)
    return noisy.reshape(value.shape)


@exact_sampler(NoisyMax)
def _noisy_max(mechanism: NoisyMax, value: FloatArray, bits: RandomBits) -> IntArray:
    """Return the index of the largest real score + noise; it is compared as far as needed."""
    draws = Laplaces(bits, value.size)
    sums = value / mechanism.scale + draws.values
    margins = draws.margins + 2 * UNIT * (np.abs(value) / mechanism.scale + np.abs(sums) + 1)
    low, high = sums - margins, sums + margins
    for bounds in (low, high):
        bounds[list(mechanism.excluded)] = -np.inf
    rivals = np.flatnonzero(high >= low.max())
    return np.asarray(rivals[0] if rivals.size == 1 else _largest(mechanism, value, draws, rivals))


def _largest(mechanism: NoisyMax, value: FloatArray, draws: Laplaces, rivals: IntArray) -> int:
    uniforms = [uniform for i in rivals for uniform in draws.uniforms(int(i))]

    def attempt(digits: int) -> int | None:
        sums = [
            Interval.of(Fraction(value[i]) / Fraction(mechanism.scale), digits)
            + draws.interval(int(i), digits)
            for i in rivals
        ]
        best = max(range(len(sums)), key=lambda k: sums[k].low)
        rest = (total.high for k, total in enumerate(sums) if k != best)
        return int(rivals[best]) if sums[best].low > max(rest) else None

    return settle(uniforms, attempt)


@exact_sampler(Exponential)
def _exponential(mechanism: Exponential, value: FloatArray, bits: RandomBits) -> IntArray:
    rows = value.reshape(-1, value.shape[-1])
    return select_by_rows(bits, rows, mechanism.rate).reshape(value.shape[:-1])


@exact_sampler(IntervalExponential)
def _interval_exponential(
    mechanism: IntervalExponential, value: FloatArray, bits: RandomBits
) -> FloatArray:
    scores, starts = value
    return np.asarray(select_point(bits, scores, starts, mechanism.ends(value), mechanism.rate))


@exact_sampler(RandomizedResponse)
def _randomized_response(
    mechanism: RandomizedResponse, value: FloatArray, bits: RandomBits
) -> IntArray:
    """Keep an answer, or add 1, .., categories - 1 to it in turn, as likely each."""
    answers = value.ravel().astype(np.int64)
    kept = truths(bits, answers.size, mechanism.epsilon, mechanism.categories)
    shifts = 1 + bits.integers(mechanism.categories - 1, answers.size)
    shown = np.where(kept, answers, (answers + shifts) % mechanism.categories)
    return shown.reshape(value.shape)


@exact_sampler(Bit)
def _bit(mechanism: Bit, value: FloatArray, bits: RandomBits) -> IntArray:
    chances = mechanism._probability(value).ravel()
    return given_coins(bits, chances).astype(np.int64).reshape(value.shape)


@exact_sampler(L2BallRandomizer)
def _l2_ball(mechanism: L2BallRandomizer, value: FloatArray, bits: RandomBits) -> FloatArray:
    """Choose a side of a line through 0 by an exact coin.

    What the coin says is as private as it claims for any line whose law does not depend on the
    value, and any probability of the side that it is about. Directions and lengths are doubles;
    both ends of a line are as likely, as normal numbers and their rounding are symmetric.
    """
    users, dimension = value.shape
    lines = _lines(bits, users, dimension)
    inner = np.sign((lines * (value / mechanism.radius)).sum(axis=-1))
    length = np.linalg.norm(value / mechanism.radius, axis=-1)
    towards = _fair_signs(given_coins(bits, np.clip(0.5 + length / 2, 0.0, 1.0)))
    side = _fair_signs(truths(bits, users, mechanism.epsilon))
    flip = np.where(inner == 0, side, inner * towards * side)
    return np.asarray(mechanism.output_norm(dimension) * flip[:, None] * lines)


def _fair_signs(coins: Any) -> FloatArray:
    return np.where(coins, 1.0, -1.0)


def _lines(bits: RandomBits, users: int, dimension: int) -> FloatArray:
    """Return unit vectors whose law is that of their opposites; none is made of a zero vector."""
    lines = np.zeros((users, dimension))
    while (missing := ~lines.any(axis=-1)).any():
        count = int(np.count_nonzero(missing))
        drawn = _sums(np.zeros((count, dimension)), 1.0, Normals(bits, count * dimension))
        lines[missing] = drawn
    return np.asarray(lines / np.linalg.norm(lines, axis=-1, keepdims=True))
