"""Functions with value, sensitivity and scale, and other ways to say them."""

import numpy as np

_rng = np.random.default_rng(21)


def add_laplace(x, sens, b):
    return x + _rng.laplace(0, b, np.shape(x))


def add_too_little(x, sens, b):
    return x + 0.5 * _rng.laplace(0, b, np.shape(x))


def add_gaussian(value, *, l2, mu=1.0):
    return value + _rng.normal(0, l2 / mu, np.shape(value))


def sample_laplace(b, n=None):
    return _rng.laplace(0, b, n)


def pick(utilities, candidates, sens, eps):
    p = np.exp(eps * np.asarray(utilities) / (2 * sens))
    return candidates[_rng.choice(len(candidates), p=p / p.sum())]


def pick_index(scores, sens, b):
    return int(np.argmax(np.asarray(scores) + _rng.laplace(0, b, len(scores))))


def flip(answer, eps):
    """Randomized response on {0, 1}."""
    return answer if _rng.random() < 1 / (1 + np.exp(-eps)) else 1 - answer


class Noisy:
    @staticmethod
    def static(x, b):
        return x + _rng.laplace(0, b)

    @classmethod
    def of_class(cls, x, b):
        return x + _rng.laplace(0, b)


def anything(**options):
    return options["x"] + _rng.laplace(0, options["b"])
