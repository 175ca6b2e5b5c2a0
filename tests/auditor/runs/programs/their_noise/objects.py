"""Mechanisms as objects, configured first, and derived from one another."""

import numpy as np

_rng = np.random.default_rng(22)


class Laplace:
    def __init__(self, *, epsilon, sensitivity):
        self.epsilon, self.sensitivity = epsilon, sensitivity

    def randomise(self, value):
        return value - self.sensitivity / self.epsilon * _rng.laplace()


class LaplaceTruncated(Laplace):
    def __init__(self, *, epsilon, sensitivity, lower, upper):
        super().__init__(epsilon=epsilon, sensitivity=sensitivity)
        self.lower, self.upper = lower, upper

    def randomise(self, value):
        return min(max(super().randomise(value), self.lower), self.upper)


class Measurement:
    """A function of a private number; a transformation comes before it."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, arg):
        return arg + _rng.laplace(0, self.scale)
