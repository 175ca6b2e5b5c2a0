"""Steps of private learning: subsamples, noisy gradients, aggregates of blocks, noisy medians."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial, reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.zoo import noise
from auditor.zoo.exact import STEP, Location, LossLattice, other_scale_epsilon, sampled_gaussian
from auditor.zoo.specimen import Specimen
from reference._validation import FloatArray
from reference.privacy.guarantees import laplace_delta, laplace_epsilon, smallest_epsilon

# --------------------------------------------------------------------------- subsamples


def sampled(records: int, rate: float, rng: np.random.Generator, size: int) -> NDArray[np.uint8]:
    """Return Poisson samples: each record is in with probability ``rate``, independently.

    Parameters
    ----------
    records : int
    rate : float
        In (0, 1), rounded to a multiple of 1/256.
    rng : Generator
    size : int

    Returns
    -------
    ndarray of uint8, shape (size, records)
    """
    return noise.coins(round(256 * rate), rng, (size, records))


def sampled_mean(
    records: ArrayLike,
    rng: np.random.Generator,
    size: int,
    *,
    rate: float,
    scale: float,
    expected: float,
) -> FloatArray:
    """Release the mean of a Poisson sample of numbers in [0, 1] with Laplace noise.

    The sum of the sample, plus noise of the given scale, over the public ``expected`` size of the
    sample. Records are added or removed. See :func:`sampled_laplace_truth`.

    References
    ----------
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling" (2018).
    """
    values = np.clip(np.asarray(records, dtype=np.float64), 0.0, 1.0)
    total = sampled(values.size, rate, rng, size) @ values
    total += scale * noise.standard_laplace(rng, (size,))
    total /= expected
    return noise.on_grid(total)


def sampled_laplace_truth(loss: float, rate: float, delta: float) -> float:
    """Return the truth of :func:`sampled_mean` for a record of value 1 among records of value 0.

    The other records do not matter, so with Q and R the Laplace laws around 0 and 1 (of largest
    loss ``loss`` = 1/scale) the laws are P = (1 - rate) Q + rate R and Q. For every e,

    * p - e^e q = rate (r - e^a q), e^a = 1 + (e^e - 1)/rate: delta(e) is rate times that of R
      against Q at a;
    * q - e^e p = c q - rate e^e r, c = 1 - (1 - rate) e^e: delta(e) is c times that of Q against R
      at log(rate e^e/c), or 0 if c <= 0.

    The Laplace curve is 1 - e^((a - loss)/2). At delta 0 the first gives log(1 + rate (e^loss -
    1)).
    """

    def backward(e: float) -> float:
        c = 1 - (1 - rate) * math.exp(min(e, 700.0))
        return c * laplace_delta(loss, e + math.log(rate / c)) if c > 0 else 0.0

    inside = laplace_epsilon(loss, delta / rate) if delta < rate else 0.0
    return max(math.log1p(rate * math.expm1(inside)), smallest_epsilon(backward, delta))


# ---------------------------------------------------------------------- noisy gradients

Examples = tuple[FloatArray, FloatArray]
"""Features, shape (n, d), and targets, shape (n,)."""


@dataclass(frozen=True)
class Training:
    """Parameters of DP-SGD.

    Attributes
    ----------
    steps : int
    sigma : float
        Deviation of the noise of every coordinate.
    rate : float
        Probability with which a record is in the sample of a step.
    expected : float
        Public size of a sample, by which the noisy sum is divided.
    """

    steps: int
    sigma: float
    rate: float
    expected: float


def noisy_gradients(
    examples: Examples, rng: np.random.Generator, size: int, *, training: Training
) -> FloatArray:
    """Release the models of some steps of DP-SGD for least squares, from 0 on.

    Every step draws a Poisson sample, clips the examples' gradients (x . w - y) x to norm 1, adds
    Gaussian noise to their sum, divides by the expected size of a sample, and subtracts the result
    from the model. Examples are added or removed. See :func:`noisy_gradients_truth`.

    Returns
    -------
    ndarray of shape (size, steps * d)
        The model after each step, one after the other.

    References
    ----------
    Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang, "Deep learning with differential
    privacy" (2016), Algorithm 1.
    """
    features, targets = examples
    n, d = features.shape
    models = np.empty((size, training.steps, d))
    model = np.zeros((size, d))
    for step in range(training.steps):
        weights = model @ features.T
        weights -= targets
        norms = np.abs(weights) * np.linalg.norm(features, axis=1)
        weights /= np.maximum(norms, 1.0)
        weights *= sampled(n, training.rate, rng, size)
        gradient = weights @ features
        gradient += noise.gaussian(np.zeros(d), training.sigma, rng, size)
        gradient /= -training.expected
        gradient += model
        models[:, step] = model = noise.on_grid(gradient)
    return models.reshape(size, training.steps * d)


def noisy_gradients_truth(training: Training, delta: float) -> float:
    """Return the truth of :func:`noisy_gradients` for an example whose gradient is always clipped.

    The others' gradients must be 0: their features are 0, or, in the first step, their targets.
    Then, whatever the model w before it, a step adds noise to g v under D, where v is the example's
    unit gradient at w and g a coin of probability ``rate``, and to 0 under D'. Across v the noise
    is the same on both sides; along it, in units of sigma and with mu = 1/sigma, the laws are
    (1 - rate) N(0, 1) + rate N(mu, 1) and N(0, 1), for every w. So the losses of the steps are
    independent of one another, and their sum is that of ``steps`` draws of
    :func:`~auditor.zoo.exact.sampled_gaussian`. It is not bounded: there is no epsilon at delta 0.

    Parameters
    ----------
    delta : float
        0, or at least 1e-12.
    """
    return math.inf if delta == 0 else _gradient_losses(training).epsilon(delta)


@lru_cache(maxsize=8)
def _gradient_losses(training: Training) -> LossLattice:
    single = sampled_gaussian(1 / training.sigma, training.rate, STEP)
    return reduce(LossLattice.then, [single] * training.steps)


def noisy_gradients_log_ratio(
    example: FloatArray, training: Training, outputs: NDArray[np.float64]
) -> FloatArray:
    """Return the sum of log(1 - rate + rate e^(mu z - mu^2/2)) over the steps.

    z is the noisy sum of gradients, recovered from the step, along the direction of the example,
    whose residual is negative all the way.

    Parameters
    ----------
    example : ndarray of shape (d,)
        Its features; ``noisy_gradients_truth`` says of whom.
    training : Training
    outputs : ndarray of shape (n, steps * d)
    """
    direction = -example / np.linalg.norm(example)
    along = outputs.reshape(len(outputs), -1, example.size) @ direction
    z = np.diff(along, axis=1, prepend=0.0) * (-training.expected / training.sigma)
    rate, mu = training.rate, 1 / training.sigma
    return np.asarray(
        np.logaddexp(math.log1p(-rate), math.log(rate) + mu * z - mu**2 / 2).sum(axis=1)
    )


# ----------------------------------------------------------- aggregates, smooth medians


def sample_and_aggregate(
    records: ArrayLike, rng: np.random.Generator, size: int, *, blocks: int, epsilon: float
) -> FloatArray:
    """Release the mean of the medians of disjoint blocks, in [0, 1], with Laplace noise.

    A record is in one block, so replacing it moves the mean by at most 1/blocks, and by that much
    if the median of its block goes from 0 to 1. The scale is 1/(blocks epsilon): the law is that
    of :func:`auditor.zoo.additive.laplace_count` with the largest loss epsilon.

    References
    ----------
    Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data analysis"
    (2007), section 4, with the mean as the aggregate.
    """
    parts = np.asarray(records, dtype=np.float64).reshape(blocks, -1)
    medians = np.clip(np.median(parts, axis=1), 0.0, 1.0)
    return noise.laplace(medians.mean(), 1 / (blocks * epsilon), rng, size)


def smooth_median(
    records: ArrayLike, rng: np.random.Generator, size: int, *, epsilon: float, delta: float
) -> FloatArray:
    """Release the median of an odd number of records in [0, 1] with noise of smooth sensitivity.

    The Laplace noise has the scale 2 S/epsilon, S the beta-smooth sensitivity of the median,
    beta = epsilon/(2 log(2/delta)). Moving by S costs epsilon/2, and the change of S by a factor
    of up to e^beta costs epsilon/2 and delta/2: together e^(epsilon/2) delta/2, which is at most
    delta for epsilon <= log 4. The truth is that of two Laplace laws of different scales.

    References
    ----------
    Nissim, Raskhodnikova and Smith (2007), Lemmas 2.6 and 2.9 and section 3.1.
    """
    centre, scale = smooth_median_law(records, epsilon, delta)
    return noise.laplace(centre, scale, rng, size)


def smooth_median_law(records: ArrayLike, epsilon: float, delta: float) -> Location:
    """Return the centre and the scale of the released median.

    Within k replacements the median moves, by one more, over a gap x_(m + t) - x_(m + t - k - 1)
    of the sorted records, t = 0..k + 1, with x = 0 before the first and x = 1 after the last; S is
    the largest of e^(-beta k) times these gaps (Proposition 3.4).
    """
    x = np.sort(np.clip(np.asarray(records, dtype=np.float64), 0.0, 1.0))
    n = x.size
    padded = np.concatenate([np.zeros(n + 1), x, np.ones(n + 1)])
    middle = n + 1 + n // 2
    beta = epsilon / (2 * math.log(2 / delta))
    smooth = max(
        math.exp(-beta * k) * float(padded[middle + t] - padded[middle + t - k - 1])
        for k in range(n + 1)
        for t in range(k + 2)
    )
    return float(x[n // 2]), 2 * smooth / epsilon


# --------------------------------------------------------------------------- specimens

_RATE = 0.25
_OTHERS = np.zeros(7)
_LONG, _SHORT = np.linspace(0.1, 1, 20), np.linspace(0.1, 1, 10)

_FITTED: Examples = np.cos(np.arange(7 * 20)).reshape(7, 20), np.zeros(7)
"""Examples whose gradients are 0 at the model 0."""

_EMPTY: Examples = np.zeros((7, 10)), np.ones(7)
"""Examples whose gradients are 0 at every model."""


def _gradient_specimen(
    name: str, outlier: FloatArray, others: Examples, training: Training
) -> Specimen:
    """Return a specimen of an example with a target out of reach, among ``others``."""
    first = np.vstack([outlier, others[0]]), np.r_[1e6, others[1]]
    truth = partial(noisy_gradients_truth, training)
    return Specimen(
        name,
        partial(noisy_gradients, training=training),
        (first, others),
        truth,
        "Abadi et al. (2016)",
        epsilon=truth(1e-3),
        delta=1e-3,
        log_ratio=partial(noisy_gradients_log_ratio, outlier, training),
    )


_BLOCKS = np.r_[0.0, 0.0, 1.0, np.linspace(0, 1, 12)]
_OTHER_BLOCKS = np.r_[1.0, _BLOCKS[1:]]

_MEDIANS = (
    (0.0, 0.0, 1.0, 1.0, 1.0),
    (0.0, 0.0, 0.1, 1.0, 1.0),
)

SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        "sampled-mean",
        partial(sampled_mean, rate=_RATE, scale=0.5, expected=2.0),
        (np.append(_OTHERS, 1.0), _OTHERS),
        partial(sampled_laplace_truth, 2.0, _RATE),
        "Balle, Barthe and Gaboardi (2018)",
        epsilon=math.log1p(_RATE * math.expm1(2.0)),
    ),
    _gradient_specimen(
        "dp-sgd-step", np.linspace(0.1, 1, 20), _FITTED, Training(1, 0.8, _RATE, 2.0)
    ),
    _gradient_specimen(
        "dp-sgd-four-steps", np.linspace(0.1, 1, 10), _EMPTY, Training(4, 1.0, _RATE, 2.0)
    ),
    Specimen(
        "sample-and-aggregate",
        partial(sample_and_aggregate, blocks=5, epsilon=0.8),
        (_BLOCKS, _OTHER_BLOCKS),
        partial(laplace_epsilon, 0.8),
        "Nissim, Raskhodnikova and Smith (2007)",
        epsilon=0.8,
    ),
    Specimen(
        "smooth-median",
        partial(smooth_median, epsilon=1.0, delta=0.01),
        _MEDIANS,
        partial(
            other_scale_epsilon,
            (smooth_median_law(_MEDIANS[0], 1.0, 0.01), smooth_median_law(_MEDIANS[1], 1.0, 0.01)),
        ),
        "Nissim, Raskhodnikova and Smith (2007)",
        delta=0.01,
    ),
)
