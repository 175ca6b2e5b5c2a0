"""Statistics with that noise; it is imported under another name."""

import numpy as np

from their_noise.noise import add_laplace as noisy
from their_noise.objects import LaplaceTruncated, Measurement


def mean(x, epsilon=1.0):
    return noisy(float(np.clip(x, 0, 1).mean()), 1 / len(x), 1 / len(x) / epsilon)


def truncated_mean(x, epsilon=1.0, sensitivity=None):
    mechanism = LaplaceTruncated(
        epsilon=epsilon, sensitivity=sensitivity or 1 / len(x), lower=0.0, upper=1.0
    )
    return mechanism.randomise(float(np.clip(x, 0, 1).mean()))


def measured_sum(x, scale=1.0):
    measure = Measurement(scale)
    return measure(float(np.clip(x, 0, 1).sum()))
