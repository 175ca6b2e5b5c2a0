"""Pairs, exact gradients and real data of the latent-variable models of EM."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np

from auditor import HUGE, Data, Everything, RealData, real_data
from auditor.described.data.vectors import misrecorded, one_record
from reference._validation import FloatArray
from reference.em.initialisation import start_near
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)
from reference.privacy.ledger import Ledger, Transcript

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
    """In which the first record's gradient is larger."""

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


def exact_gradients(model: LatentModel, records: Iterable[Any], beta: Any) -> list[list[Any]]:
    """Return the gradients of some records at sigma = 1, with mpmath numbers."""
    return [_exact_gradient(model, record, beta) for record in records]


def _exact_gradient(model: LatentModel, record: FloatArray, beta: Any) -> list[Any]:
    *x, y = (mpmath.mpf(float(entry)) for entry in record)
    if isinstance(model, GaussianMixture):
        sign = mpmath.tanh(mpmath.fdot(beta, [*x, y]))
        return [sign * entry - b for entry, b in zip([*x, y], beta, strict=True)]
    if isinstance(model, MixtureOfRegressions):
        fitted = mpmath.fdot(beta, x)
        residual = mpmath.tanh(y * fitted) * y - fitted
        return [residual * entry for entry in x]
    seen = [not mpmath.isnan(entry) for entry in x]
    residual = y - mpmath.fsum(
        b * entry for b, entry, here in zip(beta, x, seen, strict=True) if here
    )
    variance = 1 + mpmath.fsum(b**2 for b, here in zip(beta, seen, strict=True) if not here)
    return [
        (entry * residual if here else b * (residual**2 / variance - 1)) / variance
        for b, entry, here in zip(beta, x, seen, strict=True)
    ]


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


# ----------------------------------------------------------------------------- scaling


def mixture_error(
    rng: np.random.Generator,
    ledger: Ledger,
    estimate: Callable[..., FloatArray],
    constants_for: Callable[..., Any],
    *,
    n: float,
    epsilon: float,
    delta: float,
    zeta: float = 0.05,
    d: int = 4,
    size: float = 1.0,
    n_iterations: int,
    **parameters: Any,
) -> float:
    """Return one error on a mixture with ||beta*|| = ``size`` and SNR 3.

    The start is R/2 = size/8 away. tau = 2 size^2 covers the gradient's second moment for d >= 2.
    The noise is the papers', which their theorems are about. The exact one is smaller, and by
    more for a smaller epsilon: under the claimed curve, but at delta = 0.01 with slope -0.7.
    """
    truth = np.full(d, size / np.sqrt(d))
    model = GaussianMixture(size / 3)
    initial = start_near(model, truth, rng)
    given: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "second_moment": 2 * size**2,
        "failure_probability": zeta,
        "n_iterations": n_iterations,
    }
    found = estimate(
        model.sample(truth, int(n), rng),
        model,
        initial=initial,
        constants=constants_for(n=int(n), dimension=d, method="zcdp", **given),
        ledger=ledger,
        **given,
        **parameters,
    )
    return float(np.linalg.norm(found - truth))


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
