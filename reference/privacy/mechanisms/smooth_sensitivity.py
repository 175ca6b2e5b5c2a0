"""Noise whose scale is a smooth bound on the local sensitivity, and what it costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from scipy.special import chdtr, chdtrc

from reference._validation import FloatArray
from reference.privacy.guarantees import ULPS, gaussian_dp_delta
from reference.privacy.mechanisms.mechanism import Cost, Draw, Mechanism, Output, flatten_units


@dataclass(frozen=True)
class SmoothSensitivity(Mechanism):
    """value + (S/s) * noise with a data-dependent t-smooth bound S; sensitivity 1 in its own unit.

    ``noise`` is ``"arsinh-normal"`` (sinh of a standard normal; Wang (2020), Algorithm 3.2.6) or
    ``"gaussian"`` (Algorithm 3.2.5). The claim of such a release is that |value - value'| <= S
    and |log S - log S'| <= t; :meth:`distance` is the larger of the two in units of the claim.
    ``rho`` is the zCDP cost that the source proves under that claim, infinite if it has none:
    Gaussians of different scales have no zCDP. What they cost at one ``epsilon``, in the
    ``dimension`` of the value, is :func:`smooth_gaussian_delta`.
    """

    smooth_bound: float
    smoothness: float
    divisor: float
    rho: float
    noise: str = "arsinh-normal"
    epsilon: float | None = None
    dimension: int = 1
    kind: ClassVar[str] = "smooth sensitivity"
    norm: ClassVar[str] = "|value|/S and |log S|/t"

    @property
    def noise_kind(self) -> str:
        return f"{self.kind}, {self.noise}"

    @property
    def scale(self) -> float:
        """Multiple of the standard noise that is added."""
        return self.smooth_bound / self.divisor

    def public_parameters(self) -> tuple[Any, ...]:
        return (
            self.smoothness,
            self.divisor,
            self.rho,
            self.noise,
            self.epsilon,
            self.dimension,
        )

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.standard_normal(value.shape)

    def _shape(self, normal: FloatArray) -> FloatArray:
        return np.sinh(normal) if self.noise == "arsinh-normal" else normal

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        noisy: FloatArray = value + self.scale * self._shape(np.asarray(draw))
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def residual(self, output: Output, value: FloatArray) -> FloatArray:
        standard = (np.asarray(output) - value) / self.scale
        return np.arcsinh(standard) if self.noise == "arsinh-normal" else standard

    def residual_law(self) -> str:
        return "norm"

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        standard = (np.asarray(output) - value) / self.scale
        density = -0.5 * self.residual(output, value) ** 2 - math.log(self.scale)
        if self.noise == "arsinh-normal":
            # d arsinh(x)/dx = 1/sqrt(1+x^2), without overflow for huge x
            density = density - np.log(np.hypot(1.0, standard))
        return np.asarray(flatten_units(density[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        raise NotImplementedError("compare two smooth-sensitivity releases with smooth_distance")

    def smooth_distance(
        self, value: FloatArray, other: SmoothSensitivity, other_value: FloatArray
    ) -> float:
        """Return the larger of |value change|/S and |log S/S'|/t; at most 1 if the claim holds."""
        smallest = min(self.smooth_bound, other.smooth_bound)
        shift = float(np.linalg.norm(np.asarray(value - other_value)))
        ratio = abs(math.log(self.smooth_bound / other.smooth_bound)) / self.smoothness
        return max(shift / smallest, ratio)

    def distance_between(
        self, value: FloatArray, other: Mechanism, other_value: FloatArray, axes: int
    ) -> FloatArray:
        assert isinstance(other, SmoothSensitivity)
        return np.asarray(self.smooth_distance(value, other, other_value))

    def rescaled(self, factor: float) -> SmoothSensitivity:
        return replace(self, divisor=self.divisor / factor, rho=self.rho / factor**2)

    def cost(self, sensitivity: float) -> Cost:
        if self.epsilon is None:
            return Cost(rho=self.rho * sensitivity**2)
        delta = smooth_gaussian_delta(
            self.divisor * sensitivity,
            self.smoothness * sensitivity,
            dimension=self.dimension,
            epsilon=self.epsilon,
        )
        return Cost(approximate=(self.epsilon, delta))


def dilation_delta(log_ratio: float, dimension: int, epsilon: float) -> float:
    """Return delta(epsilon) of N(0, I) against N(0, e^{2 log_ratio} I), the worse way round.

    Exact, rounded up by what doubles lose in the difference. It grows with ``log_ratio``: noise of
    variance 1 - a^2 added to a times the output is N(0, I) again on one side, and any smaller ratio
    on the other.
    """
    lost, narrowed = -math.expm1(-2 * log_ratio), math.exp(-2 * log_ratio)
    # the squared radius beyond which the wide one is likelier by e^epsilon, and the one up to
    # which the narrow one is; squared norms are chi-square. The first was the worse in every case
    # tried, and the largest of both needs no proof of that
    outside = 2 * (epsilon + dimension * log_ratio) / lost
    inside = max(0.0, 2 * (dimension * log_ratio - epsilon) / lost)
    odds = math.exp(epsilon)
    wide = _difference(
        chdtrc(dimension, narrowed * outside), odds * chdtrc(dimension, outside), outside
    )
    narrow = _difference(
        chdtr(dimension, inside), odds * chdtr(dimension, narrowed * inside), inside
    )
    return min(1.0, max(wide, narrow, 0.0))


def _difference(first: Any, second: Any, square: float) -> float:
    """Return a difference of chi-square probabilities of about a square, rounded up.

    Each is right to 2^-43 of itself, and 2^-49 of the square, whose own rounding moves it.
    """
    return float(first - second + (2.0**-43 + 2.0**-49 * square) * (first + second))


@lru_cache(maxsize=256)  # the releases of a run have the same parameters
def smooth_gaussian_delta(
    shift: float, log_ratio: float, *, dimension: int, epsilon: float
) -> float:
    """Bound delta(epsilon) of N(f, v I) against N(f', v' I): slide the mean, then change the scale.

    Parameters
    ----------
    shift : float
        Largest ||f - f'||_2 in units of the smaller standard deviation.
    log_ratio : float
        Largest |log sqrt(v/v')|, > 0.
    dimension : int
        d >= 1.
    epsilon : float
        > 0. A share of it, the best of 19, goes to the slide.

    Returns
    -------
    float
        At most 1. Both parts are exact for their share, but for rounding up, and grow with their
        argument, so the bound holds for every smaller shift and ratio.
    """
    best = 1.0
    for share in np.linspace(0.05, 0.95, 19):
        slide = gaussian_dp_delta(shift, share * epsilon)
        dilation = dilation_delta(log_ratio, dimension, (1 - share) * epsilon)
        best = min(best, (slide + math.exp(share * epsilon) * dilation) * (1 + 64 * ULPS))
    return best
