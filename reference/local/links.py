"""Mean functions of generalised linear models and of non-linear regression.

E[y|x] = f(<x, w*>). In a generalised linear model f = Phi', so Phi'' = f' and Phi''' = f''. What
Algorithms 5.2.39 and 5.2.40 of Wang (2020) need of f is f' and how it bounds the labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from reference._validation import FloatArray


@dataclass(frozen=True)
class Link:
    """A mean function f.

    Attributes
    ----------
    name : str
    mean : callable
        f, of an array.
    derivative : callable
        f', of an array.
    lipschitz : callable
        r -> L, the largest |f'| on [-r, r].
    growth : float
        The largest slope of z -> z f'(z), so of c -> c mean f'(c t_j) whatever the t_j; infinite
        if there is none.
    increasing : bool
        Whether z -> z f'(z) increases everywhere: c mean f'(c t_j) = 1 then has at most one root
        c > 0.
    """

    name: str
    mean: Callable[[FloatArray], FloatArray]
    derivative: Callable[[FloatArray], FloatArray]
    lipschitz: Callable[[float], float]
    growth: float
    increasing: bool


def _logistic_derivative(z: FloatArray) -> FloatArray:
    slope: FloatArray = expit(z) * expit(-z)
    return slope


LOGISTIC = Link(
    "logistic",
    mean=expit,
    derivative=_logistic_derivative,
    lipschitz=lambda radius: 0.25,
    # (z f')' = f' + z f'' and z f'' <= 0
    growth=0.25,
    increasing=False,
)
"""f(z) = 1/(1 + e^{-z}), Phi(z) = log(1 + e^z)."""

CUBIC = Link(
    "cubic",
    mean=lambda z: z**3 / 3,
    derivative=lambda z: z**2,
    lipschitz=lambda radius: radius**2,
    growth=np.inf,
    increasing=True,
)
"""f(z) = z^3/3, the regression of the experiments (l.5851)."""

IDENTITY = Link(
    "identity",
    mean=lambda z: z,
    derivative=np.ones_like,
    lipschitz=lambda radius: 1.0,
    growth=1.0,
    increasing=True,
)
"""f(z) = z: the estimate is that of least squares."""


def label_bound(link: Link, radius: float, noise_bound: float) -> float:
    """Return B = L r + |f(0)| + C, the largest |f(<x, w>) + noise| for ||x||_2 <= r, ||w||_2 <= 1.

    Parameters
    ----------
    link : Link
    radius : float
        r > 0.
    noise_bound : float
        C >= 0, the largest size of the noise of a label.
    """
    at_zero = float(np.abs(link.mean(np.zeros(1)))[0])
    return link.lipschitz(radius) * radius + at_zero + noise_bound
