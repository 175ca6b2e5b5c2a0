"""The randomisers behind the ledger: one small value per release kind.

A mechanism knows how to draw its noise, how to turn a private value and a draw into an output,
the log-density of an output given a value, and the distance in which its sensitivity is claimed.
Draws are *standardised* (scale one), so that another implementation can replay them and a
multiple of the scale is a multiple of the draw.

The *unit* of privacy of a release is given by ``axes``, the number of leading axes of the value
that index units: 0 (the whole value is one release about the data set), 1 (axis 0 = users) or 2
(axes 0 and 1 = user and attribute).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, chdtrc, gammaln, log_softmax, logsumexp

from reference._validation import FloatArray
from reference.privacy.guarantees import gaussian_dp_delta

Draw = Any  # an array, or a tuple of arrays, of standardised noise
Output = Any


@dataclass(frozen=True)
class Cost:
    """What one release costs one record: several valid statements about the same release.

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
    """

    pure: float = math.inf
    rho: float = math.inf
    gaussian: float | None = None
    laplace: float | None = None
    approximate: tuple[float, float] | None = None


def _flatten_units(array: FloatArray, axes: int) -> FloatArray:
    return array.reshape((*array.shape[:axes], -1))


class Mechanism(ABC):
    """A randomiser with its parameters fixed. Immutable."""

    kind: ClassVar[str]
    norm: ClassVar[str]

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

    @abstractmethod
    def rescaled(self, factor: float) -> Mechanism:
        """Return the same mechanism with ``factor`` times the noise; for mutants only."""

    @abstractmethod
    def cost(self, sensitivity: float) -> Cost:
        """Return what a release of this sensitivity costs the record it reads."""

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


# ------------------------------------------------------------------------- additive noise


class _Additive(Mechanism):
    """value + scale * draw."""

    scale: float

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        noisy: FloatArray = value + self.scale * draw
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def residual(self, output: Output, value: FloatArray) -> FloatArray:
        noise: FloatArray = (np.asarray(output) - value) / self.scale
        return noise


@dataclass(frozen=True)
class Gaussian(_Additive):
    """Independent N(0, scale^2) on every coordinate; l2 sensitivity. Seed 004, Def. 2.1.3."""

    scale: float
    kind: ClassVar[str] = "gaussian"
    norm: ClassVar[str] = "l2"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.standard_normal(value.shape)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        z = _flatten_units((output - value) / self.scale, axes)
        density: FloatArray = -0.5 * np.einsum("...i,...i->...", z, z)
        return density

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(np.linalg.norm(_flatten_units(value - other, axes), axis=-1))

    def rescaled(self, factor: float) -> Gaussian:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        mu = sensitivity / self.scale
        return Cost(rho=mu**2 / 2, gaussian=mu)

    def residual_law(self) -> str:
        return "norm"


@dataclass(frozen=True)
class Laplace(_Additive):
    """Independent Lap(scale), density exp(-|x|/scale)/(2 scale); l1. Seed 004, Def. 2.1.2."""

    scale: float
    kind: ClassVar[str] = "laplace"
    norm: ClassVar[str] = "l1"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.laplace(size=value.shape)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        return np.asarray(-_flatten_units(np.abs(output - value) / self.scale, axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(_flatten_units(np.abs(value - other), axes).sum(axis=-1))

    def rescaled(self, factor: float) -> Laplace:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        epsilon = sensitivity / self.scale
        # the curve of one scalar Laplace dominates any vector of the same l1 sensitivity
        return Cost(pure=epsilon, rho=epsilon**2 / 2, laplace=epsilon)

    def residual_law(self) -> str:
        return "laplace"


class _Symmetric(Mechanism):
    """Symmetric matrix noise: the upper triangle is drawn, the lower one mirrors it."""

    scale: float

    def _weights(self, size: int) -> FloatArray:
        """Per-entry multiple of the scale on the upper triangle, diagonal included."""
        return np.ones(size * (size + 1) // 2)

    def _mirror(self, upper: FloatArray, size: int) -> FloatArray:
        rows, columns = np.triu_indices(size)
        matrix = np.zeros((*upper.shape[:-1], size, size))
        matrix[..., rows, columns] = upper
        matrix[..., columns, rows] = upper
        return matrix

    def _upper(self, matrix: FloatArray) -> FloatArray:
        """Upper triangle in units of the noise."""
        rows, columns = np.triu_indices(matrix.shape[-1])
        upper: FloatArray = matrix[..., rows, columns] / self._weights(matrix.shape[-1])
        return upper

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        size = value.shape[-1]
        noise = self._mirror(np.asarray(draw) * self._weights(size), size)
        noisy: FloatArray = value + self.scale * noise
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def residual(self, output: Output, value: FloatArray) -> FloatArray:
        noise: FloatArray = self._upper(np.asarray(output) - value) / self.scale
        return noise


@dataclass(frozen=True)
class SymmetricGaussian(_Symmetric):
    """Symmetric Gaussian noise on the upper triangle; l2 of the released upper triangle.

    Off-diagonal entries have variance scale^2, diagonal ones ``diagonal_variance`` times that.
    The distance is in units of the off-diagonal noise (Mahalanobis when the diagonal differs).
    Source: seed 004, Algorithm 6.1.46 (diagonal_variance = 1).
    """

    scale: float
    diagonal_variance: float = 1.0
    kind: ClassVar[str] = "symmetric gaussian"
    norm: ClassVar[str] = "l2 of the upper triangle"

    def _weights(self, size: int) -> FloatArray:
        rows, columns = np.triu_indices(size)
        return np.where(rows == columns, math.sqrt(self.diagonal_variance), 1.0)

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        size = value.shape[-1]
        return rng.standard_normal((*value.shape[:-2], size * (size + 1) // 2))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        z = _flatten_units(self._upper(np.asarray(output) - value) / self.scale, axes)
        density: FloatArray = -0.5 * np.einsum("...i,...i->...", z, z)
        return density

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(np.linalg.norm(_flatten_units(self._upper(value - other), axes), axis=-1))

    def rescaled(self, factor: float) -> SymmetricGaussian:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        return Gaussian(self.scale).cost(sensitivity)

    def residual_law(self) -> str:
        return "norm"


@dataclass(frozen=True)
class SymmetricLaplace(_Symmetric):
    """Symmetric Laplace noise on the upper triangle; l1 of the upper triangle.

    Source: seed 004, Theorem 6.3.5.
    """

    scale: float
    kind: ClassVar[str] = "symmetric laplace"
    norm: ClassVar[str] = "l1 of the upper triangle"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        size = value.shape[-1]
        return rng.laplace(size=(*value.shape[:-2], size * (size + 1) // 2))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        upper = self._upper(np.asarray(output) - value)
        return np.asarray(-_flatten_units(np.abs(upper) / self.scale, axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(_flatten_units(np.abs(self._upper(value - other)), axes).sum(axis=-1))

    def rescaled(self, factor: float) -> SymmetricLaplace:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        return Laplace(self.scale).cost(sensitivity)

    def residual_law(self) -> str:
        return "laplace"


@dataclass(frozen=True)
class Wishart(Mechanism):
    """Positive definite noise W_d(degrees, scale I); spectral norm. Seed 004, Lemma 6.3.2.

    The output lies above the value in the positive definite order, so neighbours have different
    supports: the loss can be infinite.
    """

    degrees: float
    scale: float
    dimension: int
    kind: ClassVar[str] = "wishart"
    norm: ClassVar[str] = "spectral"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        # Bartlett: L lower triangular, L_ii^2 ~ chi^2 with degrees - i (0-based), L_ij ~ N(0, 1)
        size = value.shape[-1]
        lower = np.tril(rng.standard_normal((*value.shape[:-2], size, size)), -1)
        squares = rng.chisquare(self.degrees - np.arange(size), size=(*value.shape[:-2], size))
        index = np.arange(size)
        lower[..., index, index] = np.sqrt(squares)
        return lower

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        lower = np.asarray(draw)
        noisy: FloatArray = value + self.scale * (lower @ np.swapaxes(lower, -1, -2))
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        noise = np.asarray(output) - value
        size = value.shape[-1]
        smallest = np.linalg.eigvalsh(noise)[..., 0]
        inside = smallest > 0
        safe = np.where(inside[..., None, None], noise, np.eye(size))
        log_det = np.linalg.slogdet(safe)[1]
        density = (self.degrees - size - 1) / 2 * log_det - np.trace(safe, axis1=-2, axis2=-1) / (
            2 * self.scale
        )
        masked = np.where(inside, density, -np.inf)
        return np.asarray(_flatten_units(masked[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        spectral = np.abs(np.linalg.eigvalsh(value - other)).max(axis=-1)
        return np.asarray(_flatten_units(spectral[..., None], axes).max(axis=-1))

    def rescaled(self, factor: float) -> Wishart:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        """(0, delta)-DP for degrees = d + 1 and changes sensitivity (v v' - w w'), |v|, |w| <= 1.

        The density is then exp(-trace/(2 scale)) on the cone above the value. On the common
        support the ratio of two of them is a constant, so the side of the larger trace wins
        nothing there and 1 - delta is the probability that W + sensitivity (v v' - w w') is
        positive definite: at least P(chi^2_2 > sensitivity/scale), the case v = 0. Other degrees
        have an unbounded ratio and no cost here.
        """
        if self.degrees != self.dimension + 1:
            return Cost()
        return Cost(approximate=(0.0, -math.expm1(-sensitivity / (2 * self.scale))))


def dilation_delta(log_ratio: float, dimension: int, epsilon: float) -> float:
    """Return delta(epsilon) of N(0, I) against N(0, e^{2 log_ratio} I), the worse way round; exact.

    It grows with ``log_ratio``: noise of variance 1 - a^2 added to a times the output is N(0, I)
    again on one side, and any smaller ratio on the other.
    """
    lost, narrowed = -math.expm1(-2 * log_ratio), math.exp(-2 * log_ratio)
    # the squared radius beyond which the wide one is likelier by e^epsilon, and the one up to
    # which the narrow one is; squared norms are chi-square. The first was the worse in every case
    # tried, and the largest of both needs no proof of that
    outside = 2 * (epsilon + dimension * log_ratio) / lost
    inside = max(0.0, 2 * (dimension * log_ratio - epsilon) / lost)
    wide = chdtrc(dimension, narrowed * outside) - math.exp(epsilon) * chdtrc(dimension, outside)
    narrow = chdtr(dimension, inside) - math.exp(epsilon) * chdtr(dimension, narrowed * inside)
    return float(max(wide, narrow, 0.0))


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
        At most 1. Both parts are exact for their share and grow with their argument, so the bound
        holds for every smaller shift and ratio.
    """
    best = 1.0
    for share in np.linspace(0.05, 0.95, 19):
        slide = gaussian_dp_delta(shift, share * epsilon)
        dilation = dilation_delta(log_ratio, dimension, (1 - share) * epsilon)
        best = min(best, slide + math.exp(share * epsilon) * dilation)
    return best


@dataclass(frozen=True)
class SmoothSensitivity(Mechanism):
    """value + (S/s) * noise with a data-dependent t-smooth bound S; sensitivity 1 in its own unit.

    ``noise`` is ``"arsinh-normal"`` (sinh of a standard normal; seed 004, Algorithm 3.2.6) or
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
        return np.asarray(_flatten_units(density[..., None], axes).sum(axis=-1))

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


# ------------------------------------------------------------------------------ selection


@dataclass(frozen=True)
class Exponential(Mechanism):
    """P(r) proportional to exp(rate * score_r); l-infinity over the scores. Seed 004, Def. 2.1.4.

    ``rate`` = epsilon / (2 sensitivity). Sampled exactly by Gumbel noise and argmax.
    """

    rate: float
    kind: ClassVar[str] = "exponential"
    norm: ClassVar[str] = "l-infinity of the scores"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.gumbel(size=value.shape)

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        return np.asarray(np.argmax(self.rate * value + draw, axis=-1))

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return np.asarray(np.argmax(value, axis=-1))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        logits = log_softmax(self.rate * value, axis=-1)
        chosen = np.take_along_axis(logits, np.asarray(output)[..., None], axis=-1)
        return np.asarray(_flatten_units(chosen, axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(_flatten_units(np.abs(value - other), axes).max(axis=-1))

    def rescaled(self, factor: float) -> Exponential:
        return replace(self, rate=self.rate / factor)

    def cost(self, sensitivity: float) -> Cost:
        """epsilon-bounded range, hence epsilon^2/8-zCDP (Cesar and Rogers 2021, Lemma 3.2)."""
        epsilon = 2 * self.rate * sensitivity
        return Cost(pure=epsilon, rho=epsilon**2 / 8)


@dataclass(frozen=True)
class NoisyMax(Mechanism):
    """Index of the largest score + Lap(scale), among those not excluded; l-infinity.

    ``excluded`` are indices released earlier (public). Source: seed 002, Algorithm 1.
    """

    scale: float
    excluded: tuple[int, ...] = ()
    kind: ClassVar[str] = "noisy max"
    norm: ClassVar[str] = "l-infinity of the scores"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.laplace(size=value.shape)

    def _masked(self, scores: FloatArray) -> FloatArray:
        masked = np.array(scores, dtype=np.float64)
        masked[list(self.excluded)] = -np.inf
        return masked

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        return np.asarray(np.argmax(self._masked(value + self.scale * draw)))

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return np.asarray(np.argmax(self._masked(value)))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        if int(output) in self.excluded:
            return np.asarray(-np.inf)
        keep = np.ones(value.size, dtype=bool)
        keep[list(self.excluded)] = False
        winner = int(np.count_nonzero(keep[: int(output)]))
        return np.asarray(laplace_argmax_log_probability(value[keep] / self.scale, winner))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(np.abs(value - other).max())

    def rescaled(self, factor: float) -> NoisyMax:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        """2 sensitivity/scale: scores may move either way (not the monotone case)."""
        epsilon = 2 * sensitivity / self.scale
        return Cost(pure=epsilon, rho=epsilon**2 / 2)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_REACH = 60.0  # exp(-60) of the mass is left further than this from every score


def laplace_argmax_log_probability(scores: FloatArray, winner: int) -> float:
    """Log-probability that ``winner`` has the largest score + standard Laplace noise.

    Integrates the density of the winner's noisy score times the others' distribution functions,
    in the log domain, by Gauss-Legendre panels that never cross a kink (a score).

    Parameters
    ----------
    scores : ndarray of shape (k,)
        Scores in units of the noise scale.
    winner : int
        Index of the candidate.
    """
    if scores.size == 1:
        return 0.0
    others = np.delete(scores, winner)
    low = min(scores[winner], others.max()) - _REACH
    high = max(scores[winner], others.max()) + _REACH
    # a candidate further below both never decides
    levels, counts = np.unique(others[others >= low], return_counts=True)
    edges = _panel_edges(np.unique(np.concatenate([[low, high, scores[winner]], levels])))
    half = np.diff(edges) / 2
    x = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
    gap = x[..., None] - levels
    below = np.minimum(gap, 0.0) - math.log(2.0)
    log_cdf = np.where(gap < 0, below, np.log1p(-0.5 * np.exp(-np.maximum(gap, 0.0))))
    log_integrand = -np.abs(x - scores[winner]) - math.log(2.0) + log_cdf @ counts
    return min(0.0, float(logsumexp(log_integrand, b=half[:, None] * _WEIGHTS)))


def _panel_edges(kinks: FloatArray) -> FloatArray:
    """Split the gaps between kinks into panels of one noise scale.

    Further than the reach from both ends of a gap the integrand is either constant or negligible:
    one panel.
    """
    pieces = []
    for low, high in pairwise(kinks):
        if high - low > 2 * _REACH + 1:
            steps = np.arange(_REACH)
            pieces.extend([low + steps, [low + _REACH], high - _REACH + steps])
        else:
            pieces.append(np.linspace(low, high, math.ceil(high - low), endpoint=False))
    return np.concatenate([*pieces, kinks[-1:]])


# ------------------------------------------------------------------------ local randomisers


@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """Keep a category with probability e^eps/(e^eps + k - 1), else one of the others, uniformly.

    The distance counts the answers of a unit that differ (Hamming).
    """

    epsilon: float
    categories: int = 2
    kind: ClassVar[str] = "randomized response"
    norm: ClassVar[str] = "number of answers that differ"

    @property
    def keep_probability(self) -> float:
        """Probability of reporting the truth."""
        return 1.0 / (1.0 + (self.categories - 1) * math.exp(-self.epsilon))

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.random(value.shape)

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        keep = self.keep_probability
        truth = value.astype(np.int64)
        # the excess of the uniform over keep picks one of the k - 1 other categories
        spare = 1 - keep if keep < 1 else 1.0
        excess = np.clip((np.asarray(draw) - keep) / spare, 0.0, np.nextafter(1.0, 0.0))
        shift = 1 + (excess * (self.categories - 1)).astype(np.int64)
        return np.where(np.asarray(draw) < keep, truth, (truth + shift) % self.categories)

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return value.astype(np.int64)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        log_keep = -math.log1p((self.categories - 1) * math.exp(-self.epsilon))
        each = np.where(np.asarray(output) == value, log_keep, log_keep - self.epsilon)
        return np.asarray(_flatten_units(each[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        differ = (value != other).astype(np.float64)
        return np.asarray(_flatten_units(differ[..., None], axes).sum(axis=-1))

    def rescaled(self, factor: float) -> RandomizedResponse:
        return replace(self, epsilon=self.epsilon / factor)

    def cost(self, sensitivity: float) -> Cost:
        answers = math.ceil(sensitivity)
        return Cost(pure=self.epsilon * answers, rho=answers * self.epsilon**2 / 2)


@dataclass(frozen=True)
class Bit(Mechanism):
    """One bit per unit, equal to one with a probability computed from the unit's record.

    The distance is the larger log-ratio of the two bit values. Source: seed 004, Alg. 5.1.32.
    """

    kind: ClassVar[str] = "bit"
    norm: ClassVar[str] = "log-ratio of the bit's probabilities"
    temperature: float = 1.0

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.random(value.shape)

    def _probability(self, value: FloatArray) -> FloatArray:
        if self.temperature == 1.0:
            return value
        with np.errstate(over="ignore", divide="ignore"):
            logit = np.log(value) - np.log1p(-value)
            sharpened: FloatArray = 1 / (1 + np.exp(-logit / self.temperature))
        return sharpened

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        return (np.asarray(draw) < self._probability(value)).astype(np.int64)

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return (value >= 0.5).astype(np.int64)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        p = self._probability(value)
        with np.errstate(divide="ignore"):
            each = np.where(np.asarray(output) == 1, np.log(p), np.log1p(-p))
        return np.asarray(_flatten_units(each[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        p, q = self._probability(value), self._probability(other)
        with np.errstate(divide="ignore", invalid="ignore"):
            one = np.abs(np.log(p) - np.log(q))
            zero = np.abs(np.log1p(-p) - np.log1p(-q))
        ratio = np.where(p == q, 0.0, np.maximum(one, zero))
        return np.asarray(_flatten_units(ratio[..., None], axes).sum(axis=-1))

    def rescaled(self, factor: float) -> Bit:
        return replace(self, temperature=self.temperature * factor)

    def cost(self, sensitivity: float) -> Cost:
        epsilon = sensitivity / self.temperature
        return Cost(pure=epsilon, rho=epsilon**2 / 2)


@dataclass(frozen=True)
class L2Ball(Mechanism):
    """The l2-ball randomiser of Duchi, Jordan and Wainwright. Seed 004, (5.75), l.6463-6469.

    Values are vectors (last axis) of norm at most ``radius``; the output has norm B. The claim
    is only that the vectors lie in the ball: the distance is the larger norm over the radius.
    """

    radius: float
    epsilon: float
    kind: ClassVar[str] = "l2 ball"
    norm: ClassVar[str] = "norm of the vector over the radius"

    @property
    def _truth(self) -> float:
        return 1 / (1 + math.exp(-self.epsilon))

    def output_norm(self, dimension: int) -> float:
        """B = r coth(eps/2) sqrt(pi) Gamma((p+1)/2)/Gamma(p/2), which makes the output unbiased."""
        log_ratio = float(gammaln((dimension + 1) / 2) - gammaln(dimension / 2))
        return self.radius / math.tanh(self.epsilon / 2) * math.sqrt(math.pi) * math.exp(log_ratio)

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return (
            rng.random(value.shape[:-1]),
            rng.random(value.shape[:-1]),
            rng.standard_normal(value.shape),
        )

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        coin, truth, direction = (np.asarray(part) for part in draw)
        norm = np.linalg.norm(value, axis=-1)
        # a zero vector has no direction: any fixed one will do, the coin is then fair
        fixed = np.eye(value.shape[-1])[0]
        unit = np.where(
            norm[..., None] > 0, value / np.where(norm > 0, norm, 1.0)[..., None], fixed
        )
        sign = np.where(coin < 0.5 + norm / (2 * self.radius), 1.0, -1.0)
        side = np.where(truth < self._truth, 1.0, -1.0)
        sphere = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
        inner = np.einsum("...i,...i->...", sphere, unit)
        flip = np.where(np.where(inner > 0, 1.0, -1.0) == sign * side, 1.0, -1.0)
        scaled: FloatArray = self.output_norm(value.shape[-1]) * flip[..., None] * sphere
        return scaled

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        norm = np.linalg.norm(value, axis=-1)
        inner = np.einsum("...i,...i->...", np.asarray(output), value)
        towards = np.clip(0.5 + norm / (2 * self.radius), 0.0, 1.0)
        agree = np.where(inner > 0, towards, 1 - towards)
        with np.errstate(divide="ignore"):
            # log(agree t + (1 - agree)(1 - t)) with t/(1 - t) = exp(epsilon), however large
            density = np.logaddexp(np.log(agree), np.log1p(-agree) - self.epsilon)
            density -= math.log1p(math.exp(-self.epsilon))
        return np.asarray(_flatten_units(density[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        larger = np.maximum(np.linalg.norm(value, axis=-1), np.linalg.norm(other, axis=-1))
        same = np.all(value == other, axis=-1)
        ratio = np.where(same, 0.0, larger / self.radius)
        return np.asarray(_flatten_units(ratio[..., None], axes).max(axis=-1))

    def rescaled(self, factor: float) -> L2Ball:
        return replace(self, epsilon=self.epsilon / factor)

    def cost(self, sensitivity: float) -> Cost:
        # the truth probability caps the ratio whatever the norm; sensitivity > 1 only biases
        del sensitivity
        return Cost(pure=self.epsilon, rho=self.epsilon**2 / 2)
