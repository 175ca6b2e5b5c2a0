"""Heavy-tailed laws with their true moments, and the data sets of section 3.2.5 of Wang (2020).

What the papers do not state, above all the law of the features, was chosen here; the classes say
so. The Adult data are not shipped: :func:`adult_stand_in` draws records of the same shape.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
import scipy
from scipy import special

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_in_interval,
    require_positive,
)
from reference.losses import Records

SampleSize = int | tuple[int, ...]


class Law(ABC):
    """A law on the reals whose moments are known exactly.

    A moment that does not exist is never a finite number: E X^k is +-inf where the expectation
    is infinite, and NaN where it is not defined, because both tails are too heavy and k is odd.
    """

    @abstractmethod
    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws in an array of the given shape."""

    @abstractmethod
    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""

    @abstractmethod
    def _raw_moment(self, k: int) -> float:
        """Return E X^k for k >= 1."""

    def moment(self, k: int) -> float:
        """Return the raw moment E X^k: finite, +-inf or NaN (see the class).

        Raises
        ------
        TypeError, ValueError
            If k is not an integer >= 0.
        """
        return self._raw_moment(k) if require_count("k", k, at_least=0) else 1.0

    @property
    def mean(self) -> float:
        """E X."""
        return self.moment(1)

    @property
    def variance(self) -> float:
        """E (X - E X)^2; inf if only the mean exists, NaN if not even that."""
        return self.moment(2) - self.mean**2 if math.isfinite(self.mean) else math.nan


@dataclass(frozen=True)
class Normal(Law):
    """The standard normal law: all moments are finite."""

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return rng.standard_normal(size)

    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""
        return float(special.ndtr(x))

    def _raw_moment(self, k: int) -> float:
        return 0.0 if k % 2 else float(math.prod(range(1, k, 2)))


@dataclass(frozen=True)
class LogNormal(Law):
    """exp(mu + sigma Z): every moment is finite, and none exponential. Wang (2020), l.1686.

    Parameters
    ----------
    mu : float
    sigma : float
        > 0. The paper's noise has mu = sigma = 1: mean 4.4817, variance 34.513.
    """

    mu: float = 0.0
    sigma: float = 1.0

    def __post_init__(self) -> None:
        require_positive("sigma", self.sigma)

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return rng.lognormal(self.mu, self.sigma, size)

    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""
        return float(special.ndtr((math.log(x) - self.mu) / self.sigma)) if x > 0 else 0.0

    def _raw_moment(self, k: int) -> float:
        return math.exp(k * self.mu + (k * self.sigma) ** 2 / 2)


@dataclass(frozen=True)
class LogLogistic(Law):
    """exp(mu + sigma L) with L logistic: E X^k is finite for k < 1/sigma only. Wang (2020), l.1686.

    Parameters
    ----------
    mu : float
    sigma : float
        > 0. The paper's noise has mu = sigma = 0.2: mean 1.3056, moments up to the fourth.
    """

    mu: float
    sigma: float

    def __post_init__(self) -> None:
        require_positive("sigma", self.sigma)

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return np.exp(rng.logistic(self.mu, self.sigma, size))

    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""
        return float(special.expit((math.log(x) - self.mu) / self.sigma)) if x > 0 else 0.0

    def _raw_moment(self, k: int) -> float:
        # x/sin(x) at x = pi k sigma: a Beta function
        exponent = k * self.sigma
        return math.exp(k * self.mu) / float(np.sinc(exponent)) if exponent < 1 else math.inf


@dataclass(frozen=True)
class StudentT(Law):
    """Student's t: E X^k exists for k < degrees only.

    From there on even moments are infinite and odd ones not defined.

    Parameters
    ----------
    degrees : float
        Degrees of freedom, > 0.
    """

    degrees: float

    def __post_init__(self) -> None:
        require_positive("degrees", self.degrees)

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return rng.standard_t(self.degrees, size)

    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""
        return float(special.stdtr(self.degrees, x))

    def _raw_moment(self, k: int) -> float:
        if k >= self.degrees:
            return math.nan if k % 2 else math.inf
        if k % 2:
            return 0.0
        gammas = special.gammaln([(k + 1) / 2, (self.degrees - k) / 2, 1 / 2, self.degrees / 2])
        exponent = gammas @ [1, 1, -1, -1] + k / 2 * math.log(self.degrees)
        return math.exp(exponent)


@dataclass(frozen=True)
class Pareto(Law):
    """P(X > x) = x^-a for x >= 1: E X^k is finite for k < a only.

    Parameters
    ----------
    tail_index : float
        a > 0.
    """

    tail_index: float

    def __post_init__(self) -> None:
        require_positive("tail_index", self.tail_index)

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return 1 + rng.pareto(self.tail_index, size)

    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""
        return 1 - x**-self.tail_index if x > 1 else 0.0

    def _raw_moment(self, k: int) -> float:
        return self.tail_index / (self.tail_index - k) if k < self.tail_index else math.inf


@dataclass(frozen=True)
class TwoPoint(Law):
    """``value`` with probability p, else 0: the hardest law of a given second moment.

    With value = sqrt(tau/p) it has E X^2 = tau and E X = sqrt(tau p), the law of the lower bound
    of Hu, Ni, Xiao and Wang (2022) (l.415). With value = 1/sqrt(p) and random signs it is the
    design for which Theorem 3.2.2 of Wang (2020) fails.

    Parameters
    ----------
    value : float
        Not 0.
    probability : float
        p in (0, 1).
    """

    value: float
    probability: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.value) or self.value == 0:
            raise ParameterValueError("value", "be a finite number other than 0", self.value)
        require_in_interval("probability", self.probability, 0, 1)

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return np.where(rng.random(size) < self.probability, self.value, 0.0)

    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""
        return (1 - self.probability) * (x >= 0) + self.probability * (x >= self.value)

    def _raw_moment(self, k: int) -> float:
        return self.probability * self.value**k


@dataclass(frozen=True)
class Rademacher(Law):
    """1 or -1 with probability 1/2 each."""

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return rng.choice((-1.0, 1.0), size)

    def cdf(self, x: float) -> float:
        """Return P(X <= x)."""
        return ((x >= -1) + (x >= 1)) / 2

    def _raw_moment(self, k: int) -> float:
        return float(k % 2 == 0)


@dataclass(frozen=True)
class Affine(Law):
    """factor X + shift.

    Parameters
    ----------
    law : Law
        Of X.
    factor : float
        > 0.
    shift : float
        Finite.
    """

    law: Law
    factor: float
    shift: float

    def __post_init__(self) -> None:
        require_positive("factor", self.factor)
        if not math.isfinite(self.shift):
            raise ParameterValueError("shift", "be a finite number", self.shift)

    def sample(self, size: SampleSize, rng: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return self.factor * self.law.sample(size, rng) + self.shift

    def cdf(self, x: float) -> float:
        """Return P(factor X + shift <= x)."""
        return self.law.cdf((x - self.shift) / self.factor)

    def _raw_moment(self, k: int) -> float:
        leading = self.law.moment(k)
        if not math.isfinite(leading):
            # the highest power decides; E X^k is +-inf or NaN with it
            return leading
        return math.fsum(
            math.comb(k, j) * self.factor**j * self.shift ** (k - j) * self.law.moment(j)
            for j in range(k + 1)
        )

    @property
    def mean(self) -> float:
        """E X."""
        return self.factor * self.law.mean + self.shift

    @property
    def variance(self) -> float:
        """E (X - E X)^2: the shift plays no part."""
        return self.factor**2 * self.law.variance


def centred(law: Law) -> Affine:
    """Return the law of X - E X, as the paper's noise is made (Wang (2020), l.1686).

    Raises
    ------
    ValueError
        If E X is not finite.
    """
    if not math.isfinite(law.mean):
        raise ParameterValueError(str(law), "have a finite mean", got=f"{law.mean}")
    return Affine(law, 1.0, -law.mean)


def standardised(law: Law) -> Affine:
    """Return the law of (X - E X)/sd(X).

    Raises
    ------
    ValueError
        If the variance is not finite and positive.
    """
    if not 0 < law.variance < math.inf:
        raise ParameterValueError(str(law), "have a finite variance > 0", got=f"{law.variance}")
    deviation = math.sqrt(law.variance)
    return Affine(law, 1 / deviation, -law.mean / deviation)


RIDGE_NOISE = centred(LogNormal(1.0, 1.0))
"""The noise of the printed linear model: variance (e - 1) e^3 = 34.5. Wang (2020), l.1690."""

LOGISTIC_NOISE = centred(LogLogistic(0.2, 0.2))
"""The noise of the printed logistic model: standard deviation 0.516. Wang (2020), l.1690."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """y = <w*, x> + e, with independent features of one law and independent noise.

    Parameters
    ----------
    truth : array_like of shape (d,)
        w*. Wang (2020) does not state it.
    noise : Law
        Of e, with mean 0.
    design : Law
        Of every feature. Wang (2020) does not state it either.
    """

    truth: FloatArray
    noise: Law = RIDGE_NOISE
    design: Law = field(default_factory=Normal)

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", require_array("truth", self.truth, ndim=1))
        if not abs(self.noise.mean) < 1e-12:
            raise ParameterValueError("noise", "have mean 0", got=f"{self.noise.mean}")

    def sample(self, n: int, rng: np.random.Generator) -> Records:
        """Return n records: features of shape (n, d), labels of shape (n,)."""
        features = self.design.sample((n, self.truth.size), rng)
        return features, features @ self.truth + self.noise.sample(n, rng)

    def excess_risk(self, w: FloatArray) -> float:
        """Return E (<w, x> - y)^2 - Var(e) = (w - w*)^T E[x x^T] (w - w*)."""
        gap = w - self.truth
        return self.design.variance * float(gap @ gap) + (self.design.mean * float(gap.sum())) ** 2

    def gradient_second_moment(self) -> float:
        """Return E g^2 = 4 Var(e) E x_j^2 of one entry g of the gradient of (<w, x> - y)^2 at w*.

        The v of Assumption 3.2.4 is at least this.
        """
        return 4 * self.noise.variance * self.design.moment(2)


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """y = sign(<w*, x> + e), with standard normal features and independent noise.

    Parameters
    ----------
    truth : array_like of shape (d,)
        w*, not 0. Wang (2020) states neither it nor the law of the features.
    noise : Law
        Of e.
    """

    truth: FloatArray
    noise: Law = LOGISTIC_NOISE

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", require_array("truth", self.truth, ndim=1))
        if not self.truth.any():
            raise ParameterValueError("truth", "not be 0")

    def labels(self, scores: FloatArray) -> FloatArray:
        """Return the labels of scores <w*, x> + e, shape (n,)."""
        return np.where(scores > 0, 1.0, -1.0)

    def sample(self, n: int, rng: np.random.Generator) -> Records:
        """Return n records: features of shape (n, d), labels -1 or 1 of shape (n,)."""
        features = rng.standard_normal((n, self.truth.size))
        return features, self.labels(features @ self.truth + self.noise.sample(n, rng))

    def minimiser(self) -> FloatArray:
        """Return the w that minimises E log(1 + exp(-y <w, x>)): a multiple c w* of w*.

        The part of x orthogonal to w* is independent of the label, so that the gradient at c w*
        is along w*. With S = <w*, x>/||w*||_2 it vanishes where
        E[S expit(c ||w*||_2 S)] = E[S P(e > -||w*||_2 S)]. In general c is not 1.
        """
        length = float(np.linalg.norm(self.truth))

        def slope(factor: float) -> float:
            def integrand(s: float) -> float:
                surplus = special.expit(factor * length * s) - 1 + self.noise.cdf(-length * s)
                return s * float(surplus) * math.exp(-s * s / 2)

            value, _ = scipy.integrate.quad(integrand, -10, 10, epsabs=1e-12, limit=200)
            return float(value)

        upper = 1.0
        while slope(upper) < 0:
            upper *= 2
        factor = float(scipy.optimize.brentq(slope, 0.0, upper))
        return factor * self.truth


ADULT_LEVELS = (5, 6, 4, 6, 4, 3, 2, 4)
"""Levels of the eight categorical columns of :func:`adult_stand_in`."""

_ADULT_LOADINGS = (0.3, 0.7, -0.6, 0.7, -0.5, 0.1, 0.3, 0.1)
_ADULT_INTERCEPT = -1.76


def adult_stand_in(rng: np.random.Generator, n: int = 30_000) -> Records:
    """Draw records that look like those of the Adult data set, which is not shipped.

    Not the Adult data: fourteen columns of the same kinds, one common factor u ~ N(0, 1) that
    moves most of them, and 24% positive labels. Three numeric columns are normal (like age, years
    of education and weekly hours), one is log-normal (the sampling weight), and two are 0 for 92%
    of the records and log-normal otherwise (capital gain and loss). Eight are categorical.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int, default 30,000
        Records; the paper uses 28,000 of its 30,000 for training (Wang (2020), l.1694).

    Returns
    -------
    features : ndarray of shape (n, 40)
        The six numeric columns, then the categorical ones as indicators of their
        :data:`ADULT_LEVELS`.
    labels : ndarray of shape (n,)
        1 for a high income, else -1.
    """
    require_count("n", n)
    factor = rng.standard_normal(n)

    def loaded(loading: float) -> FloatArray:
        mixed: FloatArray = loading * factor + math.sqrt(1 - loading**2) * rng.standard_normal(n)
        return mixed

    def mostly_zero() -> FloatArray:
        return np.where(rng.random(n) < 0.92, 0.0, rng.lognormal(0.0, 1.0, n))

    gain = mostly_zero()
    columns = [loaded(0.3), rng.lognormal(0.0, 0.5, n), loaded(0.7)]
    columns += [gain, mostly_zero(), loaded(0.4)]
    for levels, loading in zip(ADULT_LEVELS, _ADULT_LOADINGS, strict=True):
        # the square makes the low levels the frequent ones
        level = (levels * special.ndtr(loaded(loading)) ** 2).astype(np.int64)
        columns += list((level[:, None] == np.arange(levels)).T.astype(np.float64))
    probability = special.expit(_ADULT_INTERCEPT + 1.5 * factor + 1.5 * (gain > 0))
    return np.column_stack(columns), np.where(rng.random(n) < probability, 1.0, -1.0)


def split(records: Records, size: int) -> tuple[Records, Records]:
    """Return the first ``size`` records and the rest: training and test data."""
    features, labels = records
    require_count("size", size, at_most=len(labels) - 1)
    return (features[:size], labels[:size]), (features[size:], labels[size:])
