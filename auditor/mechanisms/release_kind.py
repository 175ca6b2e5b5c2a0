"""Properties of a release that only an auditor needs, for any mechanism."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar, cast

import mpmath
import numpy as np
from scipy import special, stats

from auditor.mechanisms.pairs import NOTHING, Attained
from reference._validation import FloatArray
from reference.privacy.ledger import Release, Subsample
from reference.privacy.mechanisms import Mechanism

EDGE = 1e-15
"""Uniform numbers are kept this far from 0 and 1, where the normal quantile is infinite."""

FINEST = 2.0**-30
"""Step of a grid, in scales of the noise, that is taken for none: that of exact ledgers."""

M = TypeVar("M", bound=Mechanism)
ExactArray = np.ndarray[Any, Any]
"""An array of mpmath numbers."""


class ReleaseKind(ABC, Generic[M]):
    """One release as the auditor sees it; a subclass for every mechanism.

    Parameters
    ----------
    release : Release
        Made by the mechanism of the subclass, or by a mechanism derived from it.
    """

    tilted: ClassVar[bool] = False
    """True if :meth:`pair` depends on the tilt."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.claim = release.claim
        self.mechanism: M = cast("M", release.mechanism)

    @property
    def value(self) -> FloatArray:
        """The recorded value."""
        assert self.release.value is not None
        return self.release.value

    # ------------------------------------------------------------------- how far apart

    @abstractmethod
    def exact_distance(self, other: M, x: Any, y: Any) -> mpmath.mpf:
        """Return the distance of two values of one unit, at mpmath's working precision.

        Parameters
        ----------
        other : Mechanism
            Of the release of ``y``.
        x, y : array_like
            Floating-point numbers, taken as exact, or mpmath numbers.
        """

    def rounding_allowance(self, other: FloatArray, gamma: float, n: int, bound: float) -> float:
        """Bound how much the rounding of the query can add to the distance from ``other``.

        Parameters
        ----------
        other : ndarray
            The value of the same release under the other data set.
        gamma : float
            Relative error of a sum over the records.
        n : int
            Number of records.
        bound : float
            Claimed sensitivity: about the size of one record's term.
        """
        zero = np.zeros_like(self.value)
        size = sum(
            float(np.max(self.mechanism.distance(value, zero, self.claim.axes)))
            for value in (self.value, other)
        )
        return 2 * gamma * (size + n * bound)

    # -------------------------------------------------------------------------- sampler

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Return numbers that are independent and uniform if the output was drawn as declared.

        Here by the law of the residual; a mechanism without one needs its own.

        Parameters
        ----------
        rng : Generator
            Places discrete outcomes inside their intervals.
        """
        del rng
        law = self.mechanism.residual_law()
        residual = self.mechanism.residual(self.release.output, self.value)
        assert law is not None
        assert residual is not None
        # the same function, without scipy.stats' checks of its arguments at every call
        cdf = special.ndtr if law == "norm" else getattr(stats, law).cdf
        return np.asarray(cdf(residual))

    @property
    def continuous(self) -> bool:
        """True if the output is the value plus noise, on no grid coarser than :data:`FINEST`.

        Then :meth:`uniforms` follows from the output, and two runs have an equal number only if
        they have equal noise. An output that is too large for its noise has few values as a float.
        """
        residual = self.mechanism.residual(self.release.output, self.value)
        if residual is None:
            return False
        output = np.asarray(self.release.output, dtype=np.float64)
        with np.errstate(all="ignore"):
            scale = np.max(np.abs(output - self.value)) / np.max(np.abs(residual))
            return bool(np.max(np.spacing(np.abs(output))) <= FINEST * scale)

    # ------------------------------------------------------------------ what is attained

    def answers(self) -> int:
        """Return how many independent answers of a unit may differ; 1 unless it is a survey."""
        return 1

    def pure(self) -> float:
        """Return the supremum of the privacy loss, over all values that the claim allows."""
        mechanism, claim = self.mechanism, self.claim
        cost = mechanism.cost(claim.sensitivity).pure
        if claim.sample is None or math.isinf(cost):
            return cost
        background = mechanism.cost(claim.background_sensitivity).pure
        inside = sampling_probability(claim.sample) * math.expm1(min(cost, 700))
        return max(background, math.log1p(inside))

    def pair(self, tilt: float) -> Attained:
        """Return two distributions of one answer, as far apart as the claim allows.

        Nothing is known here: a valid lower bound. Gaussian noise is not asked, it composes in
        closed form.

        Parameters
        ----------
        tilt : float
            How far a selection between two candidates is taken off balance.
        """
        del tilt
        return NOTHING


# ------------------------------------------------------------------------------- helpers


def sampling_probability(sample: Subsample) -> float:
    """Return the probability that a given record is in the sample."""
    if sample.replace:
        return -math.expm1(sample.size * math.log1p(-1 / sample.population))
    return sample.size / sample.population


def exact(value: Any) -> ExactArray:
    """Return an object array of mpmath numbers."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    array = np.array(plain, dtype=object)
    return np.array([mpmath.mpf(v) for v in array.ravel()], dtype=object).reshape(array.shape)


def differences(x: Any, y: Any) -> ExactArray:
    """Return ``x - y`` in mpmath numbers."""
    difference: ExactArray = exact(x) - exact(y)
    return np.asarray(difference, dtype=object)


def placed(before: FloatArray, weight: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return a uniform point of [before, before + weight]."""
    return np.asarray(before + weight * rng.random(np.shape(before)))


def odds(
    mechanism: Mechanism, one: FloatArray, other: FloatArray, value: FloatArray, axes: int
) -> FloatArray:
    """Return the declared probability of ``one`` of two complementary outcomes, per unit."""
    return np.asarray(
        special.expit(
            mechanism.log_density(one, value, axes) - mechanism.log_density(other, value, axes)
        )
    )
