"""The base of all mechanisms, and the cost of a release."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reference._validation import FloatArray, ParameterValueError

Draw = Any  # an array, or a tuple of arrays, of standardised noise
Output = Any


@dataclass(frozen=True)
class Cost:
    """The cost of one release to one record: several valid statements about the release.

    Parameters
    ----------
    pure : float
        epsilon of pure DP, or infinity.
    rho : float
        rho of zCDP, or infinity.
    gaussian : float or None
        mu, when the release is a Gaussian mechanism (then mu is exact).
    laplace : float or None
        sensitivity/scale, when it is one scalar Laplace mechanism (then the curve is exact).
    approximate : (float, float) or None
        (epsilon, delta) when nothing better holds.
    wishart : (float, float, int) or None
        Degrees, sensitivity/scale and dimension, when it is Wishart noise of more than d + 1
        degrees on second moments (then the curve is exact).
    """

    pure: float = math.inf
    rho: float = math.inf
    gaussian: float | None = None
    laplace: float | None = None
    approximate: tuple[float, float] | None = None
    wishart: tuple[float, float, int] | None = None

    @property
    def unbounded(self) -> bool:
        """True if nothing bounds the release, as without noise."""
        known = (self.pure, self.rho, self.gaussian, self.laplace)
        curves = (self.approximate, self.wishart)
        return curves == (None, None) and all(x is None or math.isinf(x) for x in known)


REACH = 2.0**40
"""Largest distance from 0, in units of its noise's scale, of a value to which noise is added.

Doubles up to there are at most 2^-12 of the scale apart; far beyond, rounding takes the noise away.
"""


def ratio(sensitivity: float, scale: float) -> float:
    """Return sensitivity/scale > 0; an upper bound is never rounded to 0."""
    return float(max(sensitivity / scale, math.ulp(0.0)))


def half_square(size: float) -> float:
    """Return size^2/2 of a size > 0: never rounded to 0, infinite where it overflows."""
    return max(size * size / 2, math.ulp(0.0))


SMALLEST_PROBABILITY = 1e-12
"""Smallest probability of an answer that a coin of doubles gives, right to 1e-4.

Probabilities of such a coin are 2^-53 apart.
"""


COIN = 2.0**-52
"""Amount by which a probability of the truth is lowered.

A coin of doubles shows multiples of 2^-53, and the probability is rounded to one. So the ratio of
truth and lie never exceeds e^epsilon.
"""


def largest_epsilon(categories: int = 2) -> float:
    """Return the largest epsilon at which every false answer has SMALLEST_PROBABILITY, or 0."""
    truth = 1 - (categories - 1) * SMALLEST_PROBABILITY
    return -math.log(SMALLEST_PROBABILITY / truth) if truth > SMALLEST_PROBABILITY else 0.0


def require_representable(epsilon: float, categories: int = 2) -> None:
    """Refuse a coin whose false answers doubles cannot draw with their probability."""
    if epsilon > largest_epsilon(categories):
        raise ParameterValueError(
            "epsilon",
            f"be <= {largest_epsilon(categories):.4g}, beyond which a false answer is too "
            "rare for doubles",
            epsilon,
        )


def flatten_units(array: FloatArray, axes: int) -> FloatArray:
    """Return the array with one last axis for all that is not an axis of units."""
    return array.reshape((*array.shape[:axes], -1))


class Mechanism(ABC):
    """A randomiser with its parameters fixed. Immutable."""

    kind: ClassVar[str]
    norm: ClassVar[str]

    @property
    def noise_kind(self) -> str:
        """The kind, and which noise where there are several."""
        return self.kind

    @abstractmethod
    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        """Draw standardised noise for ``value``; looks at its shape only."""

    @abstractmethod
    def output(self, value: FloatArray, draw: Draw) -> Output:
        """Combine the private value and a draw into the released output."""

    @abstractmethod
    def noiseless(self, value: FloatArray) -> Output:
        """Return what would be released without privacy."""

    @abstractmethod
    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        """Log-density of ``output`` per unit, up to a constant that no value changes."""

    @abstractmethod
    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        """Distance per unit between two values, in the norm of the sensitivity claim."""

    def distance_between(
        self, value: FloatArray, other: Mechanism, other_value: FloatArray, axes: int
    ) -> FloatArray:
        """Distance per unit between two releases, whose mechanisms may depend on the data."""
        del other
        return self.distance(value, other_value, axes)

    @abstractmethod
    def rescaled(self, factor: float) -> Mechanism:
        """Return the same mechanism with ``factor`` times the noise; for mutants only."""

    @abstractmethod
    def cost(self, sensitivity: float) -> Cost:
        """Return what a release of this sensitivity costs the record it reads."""

    @property
    def reach(self) -> float:
        """Distance from 0 up to which values are released as they are; the rest is cut to it.

        Infinite where no noise of a known scale is added to it.
        """
        return math.inf

    def public_parameters(self) -> tuple[Any, ...]:
        """Parameters that must not depend on the data; compared by the control-flow audit."""
        return tuple(self.__dict__.values())

    def residual(self, output: Output, value: FloatArray) -> FloatArray | None:
        """Standardised noise behind an output, for the sampler audit; ``None`` if discrete."""
        del output, value
        return None

    def residual_law(self) -> str | None:
        """Name in :mod:`scipy.stats` of the law of :meth:`residual`."""
        return None
