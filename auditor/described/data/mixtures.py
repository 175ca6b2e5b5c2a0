"""Pairs, exact gradients and real data of the latent-variable models of EM."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np

from auditor import HUGE, Data, Everything, RealData, real_data
from auditor.described.data.vectors import misrecorded, one_record
from reference._validation import FloatArray
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.privacy.ledger import Transcript

UNIT_MIXTURE = GaussianMixture(1.0)
LARGE = 1e6


@dataclass(frozen=True)
class Worst:
    """Two records whose clipped or truncated gradients are as far apart as can be.

    The model's sigma is 1. All other records are 0: what they add is the same for both. No domain
    has missing values: a record with some is a matter for the tests.
    """

    model: LatentModel
    records: tuple[tuple[float, ...], tuple[float, ...]]
    direction: tuple[float, ...]
    """Direction in which the first record's gradient is larger."""

    def pair(self, n: int) -> tuple[FloatArray, FloatArray]:
        """Return the two data sets."""
        return one_record(n, *self.records)

    def along(self, beta: FloatArray) -> float:
        """Return the part of an iterate along the difference."""
        return float(beta @ np.array(self.direction))

    def domain(self, largest: float = HUGE) -> Everything:
        """Return the domain of a record."""
        return Everything((len(self.records[0]),), largest=largest)


# y = +-M(1, -1) with <beta, y> > 0 small for beta = (0.5, 0.5): both coordinates of the gradient
# are beyond the truncation, with opposite signs
MIXTURE = Worst(UNIT_MIXTURE, ((LARGE + 1, -LARGE), (-LARGE, LARGE + 1)), (1.0, -1.0))
# x = M(1, 1): (2w - 1) y - <x, beta> is -<x, beta> for y = 0, and of the other sign for y huge,
# at every beta with <x, beta> != 0; the direction is that for <x, beta> > 0
REGRESSIONS = Worst(
    MixtureOfRegressions(1.0), ((LARGE, LARGE, LARGE**2), (LARGE, LARGE, 0.0)), (1.0, 1.0)
)
# y - <x, beta> has the sign of y at every beta that is not huge itself
MISSING = Worst(
    MissingCovariates(1.0), ((LARGE, LARGE, LARGE**2), (LARGE, LARGE, -(LARGE**2))), (1.0, 1.0)
)


def against_zero(size: float, d: int) -> Worst:
    """Return y = M(1, ..., 2), M = ``size``, and y = 0 in d dimensions.

    A sum of corrections with a wrong factor leaves a cubic of y behind.
    """
    record = tuple(float(entry) for entry in np.linspace(size, 2 * size, d))
    return Worst(UNIT_MIXTURE, (record, (0.0,) * d), (1.0,) * d)


def largest_entry(beta: FloatArray) -> float:
    """Return max_j |beta_j|: what explodes where a cubic is left behind."""
    return float(np.abs(beta).max())


# ------------------------------------------------------------------------- exact arithmetic


ExactGradient = Callable[[Sequence[float], Any], list[Any]]
"""Maps a record and an iterate of mpmath numbers to the record's truncated gradient."""


def clip(value: Any, bound: float) -> Any:
    """Project a number on [-bound, bound]."""
    return max(-mpmath.mpf(bound), min(mpmath.mpf(bound), value))


def exact_mixture(truncation_level: float = math.inf) -> ExactGradient:
    """Return tanh(<beta, y>) Pi_T(y) - beta (unit mixture)."""

    def gradient(record: Sequence[float], beta: Any) -> list[Any]:
        y = [mpmath.mpf(float(entry)) for entry in record]
        sign = mpmath.tanh(mpmath.fdot(beta, y))
        return [sign * clip(v, truncation_level) - b for v, b in zip(y, beta, strict=True)]

    return gradient


def exact_regressions(
    truncation_level: float = math.inf, *, printed: bool = False
) -> ExactGradient:
    """Return ((2w - 1) Pi_T(y) - Pi_T(<x, beta>)) Pi_T(x) or, as printed, its 2w (sigma = 1)."""

    def gradient(record: Sequence[float], beta: Any) -> list[Any]:
        *x, y = (mpmath.mpf(float(entry)) for entry in record)
        fitted = mpmath.fdot(beta, x)
        weight = 1 + mpmath.tanh(y * fitted / 2) if printed else mpmath.tanh(y * fitted)
        residual = weight * clip(y, truncation_level) - clip(fitted, truncation_level)
        return [residual * clip(v, truncation_level) for v in x]

    return gradient


def exact_missing(
    truncation_level: float = math.inf, standard_deviation: float = 1.0, *, printed: bool = False
) -> ExactGradient:
    """Return (Pi_T(y) - Pi_T(<m, beta>)) Pi_T(m) - K' beta for one record.

    Zhang and Zhang (2021), l.349. K' beta = (1-z) beta sigma^2/(sigma^2 + ||(1-z) beta||^2) is the
    rest of K_beta beta. As printed, it is (1-z) beta - Pi_T(<n, beta>) Pi_T(n), n = (1-z) m.
    """
    noise = mpmath.mpf(float(standard_deviation)) ** 2

    def cut(value: Any) -> Any:
        return clip(value, truncation_level)

    def gradient(record: Sequence[float], beta: Any) -> list[Any]:
        *x, y = (mpmath.mpf(float(entry)) for entry in record)
        missing = [bool(mpmath.isnan(v)) for v in x]
        pairs = list(zip(x, beta, missing, strict=True))
        fitted = mpmath.fsum(b * v for v, b, hidden in pairs if not hidden)
        variance = noise + mpmath.fsum(b**2 for _, b, hidden in pairs if hidden)
        slope = (y - fitted) / variance
        mean = [slope * b if hidden else v for v, b, hidden in pairs]
        residual = cut(y) - cut(mpmath.fdot(mean, beta))
        if printed:
            imputed = mpmath.fsum(slope * b**2 for _, b, hidden in pairs if hidden)
            rest = [b - cut(imputed) * cut(m) for m, b in zip(mean, beta, strict=True)]
        else:
            rest = [b * noise / variance for b in beta]
        return [
            residual * cut(m) - (part if hidden else 0)
            for m, part, hidden in zip(mean, rest, missing, strict=True)
        ]

    return gradient


def exact_gradients(model: LatentModel, records: Iterable[Any], beta: Any) -> list[list[Any]]:
    """Return the gradients of some records at sigma = 1, with mpmath numbers."""
    exact = {
        GaussianMixture: exact_mixture,
        MixtureOfRegressions: exact_regressions,
        MissingCovariates: exact_missing,
    }[type(model)]()
    return [exact(record, beta) for record in records]


def exact_iterate(
    initial: FloatArray, step_size: float, transcript: Transcript, release: int
) -> list[Any]:
    """Return the iterate at which a release is computed, beta += eta release, with mpmath."""
    beta = exact_vector(initial)
    for earlier in transcript.releases[:release]:
        step = exact_vector(earlier.output)
        beta = [b + mpmath.mpf(step_size) * s for b, s in zip(beta, step, strict=True)]
    return beta


def exact_vector(vector: Iterable[Any]) -> list[Any]:
    """Return a vector's entries as mpmath numbers."""
    return [mpmath.mpf(float(entry)) for entry in vector]


# ------------------------------------------------------------------------------ real data


@dataclass(frozen=True)
class Tumours:
    """Breast cancer data as a symmetric mixture, see :func:`breast_cancer`.

    Attributes
    ----------
    data : ndarray of shape (424, 30)
    standard_deviation : float
        Of a component.
    centre : ndarray of shape (30,)
        Mean of the malignant tumours, the paper's beta*.
    """

    data: FloatArray
    standard_deviation: float
    centre: FloatArray


def breast_cancer() -> Data:
    """Return scikit-learn's breast cancer data, prepared for the symmetric mixture.

    The preparation of Wang, Ding, Hu, Xie, Pan and Xu (2020) (l.404), with the labels, the
    standardisation, the midpoint and the order all treated as public: none of it is covered by the
    privacy claim. 212 tumours of either kind in a fixed random order; every one of the 30 features
    standardised; the midpoint of the two means moved to 0.
    """
    return tumours().data


@cache
def tumours() -> Tumours:
    """Return the prepared data, and what the preparation says of the mixture."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    smaller = min(np.bincount(labels))
    chosen = np.concatenate(
        [rng.permutation(np.flatnonzero(labels == kind))[:smaller] for kind in (0, 1)]
    )
    chosen = rng.permutation(chosen)
    data, labels = np.asarray(features[chosen], dtype=np.float64), labels[chosen]
    data = (data - data.mean(axis=0)) / data.std(axis=0)
    clusters = [data[labels == kind] for kind in (0, 1)]
    data = data - (clusters[0].mean(axis=0) + clusters[1].mean(axis=0)) / 2
    # the largest eigenvalue is a variance: its root is sigma (erratum wang-prep/E1)
    variance = max(np.linalg.eigvalsh(np.cov(cluster.T)).max() for cluster in clusters)
    data.flags.writeable = False  # cached
    return Tumours(data, float(np.sqrt(variance)), data[labels == 0].mean(axis=0))


def on_breast_cancer(
    function: Callable[..., FloatArray],
    *arguments: Any,
    read: int,
    baseline: Callable[[Data], FloatArray],
    epsilons: tuple[float, ...],
    **parameters: Any,
) -> RealData:
    """Return the audit on the tumours, a gross error in one of the first ``read`` of them."""

    def error(private: FloatArray, fit: FloatArray) -> float:
        # beta and -beta are the same mixture
        distance = min(np.linalg.norm(private - fit), np.linalg.norm(private + fit))
        return float(distance / np.linalg.norm(fit))

    return real_data(
        function,
        *arguments,
        name="breast cancer (scikit-learn)",
        load=breast_cancer,
        neighbour=misrecorded(1000, among=read),
        baseline=baseline,
        error=error,
        epsilons=epsilons,
        metric="||beta - beta_EM|| / ||beta_EM|| up to sign",
        **parameters,
    )
