"""Latent-variable models for EM: Q-function, gradient, M-step, truncation, likelihood, generator.

Sources: Wang, Ding, Hu, Xie, Pan and Xu (2020), (4)-(11), l.98-139; Wang (2020), l.9456-9494 and
l.9760-9792; Zhang and Zhang (2021), l.219-246 and l.290-351. With q_i(b; beta) the i-th record's
part of Q_n(b; beta), scaled by sigma^2, EM goes to the maximiser of Q_n(.; beta) and gradient EM
along nabla Q_n(beta; beta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_magnitude, require_non_negative
from reference.clipping import clip_entries
from reference.em.latent_model import LARGEST, LatentModel, finite, least_squares, require_model
from reference.em.missing_covariates import MissingCovariates

__all__ = [
    "LARGEST",
    "GaussianMixture",
    "LatentModel",
    "MissingCovariates",
    "MixtureOfRegressions",
    "require_model",
]


def _log_mixture(first: FloatArray, second: FloatArray) -> float:
    """Return the mean of log((e^first + e^second)/2)."""
    return float(np.logaddexp(first, second).mean() - math.log(2))


# -------------------------------------------------------------------------- Gaussian mixture


@dataclass(frozen=True)
class GaussianMixture:
    """Y = Z beta + V with a fair sign Z and V ~ N(0, sigma^2 I). Records: rows y, (n, d).

    Parameters
    ----------
    standard_deviation : float
        Known standard deviation sigma of the components, > 0.
    """

    standard_deviation: float

    def __post_init__(self) -> None:
        require_magnitude("standard_deviation", self.standard_deviation)

    @property
    def basin(self) -> float:
        """Return 1/4, for a large enough SNR.

        Wang, Ding, Hu, Xie, Pan and Xu (2020), Lemma 3; Zhang and Zhang (2021), Lemma 4.1.
        """
        return 0.25

    def validate(self, data: ArrayLike, dimension: int) -> FloatArray:
        """Return records y_i as rows, shape (n, dimension)."""
        return require_array("data", data, ndim=2, shape=(None, dimension))

    def signs(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return E[Z | y_i] = 2 w_beta(y_i) - 1 = tanh(<beta, y_i>/sigma^2), shape (n,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            exponents = (data @ beta) / self.standard_deviation**2
        return _sign(exponents)

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return (2 w_beta(y_i) - 1) y_i - beta."""
        return self.terms(data, beta) - beta

    def terms(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return f_i(beta) = (2 w_beta(y_i) - 1) y_i, whose mean is the M-step.

        Wang (2020), l.9772. No other of the models has an M-step that is an average of such terms.
        """
        return finite(self.signs(data, beta)[:, None] * data)

    def truncated_gradients(
        self, data: FloatArray, beta: FloatArray, threshold: float
    ) -> FloatArray:
        """Return (2 w_beta(y_i) - 1) Pi_T(y_i) - beta, the weight of the untruncated y_i."""
        truncated: FloatArray = (
            self.signs(data, beta)[:, None] * clip_entries(data, threshold) - beta
        )
        return truncated

    def truncated_sensitivity(self, threshold: float) -> float:
        """Return 2T (Zhang and Zhang (2021), (23)); attained in the limit for d >= 2."""
        return 2 * threshold

    def iterate_bound(self, threshold: float) -> float:
        """Return infinity: beta cancels in the difference."""
        del threshold
        return math.inf

    def objective(self, data: FloatArray, beta: FloatArray, given: FloatArray) -> float:
        """Return -1/(2n) sum_i w_i ||y_i - beta||^2 + (1 - w_i) ||y_i + beta||^2."""
        squares = (data**2).sum(axis=1) + beta @ beta
        return float((2 * (self.terms(data, given) @ beta) - squares).mean() / 2)

    def maximiser(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return the mean of (2 w_given(y_i) - 1) y_i."""
        mean: FloatArray = self.terms(data, given).mean(axis=0)
        return mean

    def log_likelihood(self, data: FloatArray, beta: FloatArray) -> float:
        """Return the mean log-density, without the constant of the normal density."""
        plus, minus = (
            -((data - sign * beta) ** 2).sum(axis=1) / (2 * self.standard_deviation**2)
            for sign in (1, -1)
        )
        return _log_mixture(plus, minus)

    def sample(self, beta: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n records from the model with parameter ``beta``."""
        signs = rng.choice([-1.0, 1.0], size=n)
        noise = rng.standard_normal((n, beta.size))
        data: FloatArray = signs[:, None] * beta + self.standard_deviation * noise
        return data

    def moment_bound(self, beta: FloatArray, radius: float) -> float:
        """Return (sqrt(||beta||_inf^2 + sigma^2) + ||beta||_inf + radius)^2.

        Minkowski's inequality and |2w - 1| <= 1. Wang, Ding, Hu, Xie, Pan and Xu (2020), Lemma 4
        claims O(||beta||_inf^2 + sigma^2), which lacks the radius (erratum ledger:000 Lemma 4/1).
        """
        require_non_negative("radius", radius)
        largest = float(np.abs(beta).max())
        return (math.hypot(largest, self.standard_deviation) + largest + radius) ** 2


def _sign(exponents: FloatArray) -> FloatArray:
    """Return tanh of the exponents; of inf - inf, 0: no opinion."""
    return np.tanh(np.where(np.isnan(exponents), 0.0, exponents))


# ---------------------------------------------------------------------- mixture of regressions


@dataclass(frozen=True)
class MixtureOfRegressions:
    """Y = Z <beta, X> + V with a fair sign Z, X ~ N(0, I), V ~ N(0, sigma^2).

    Records: rows (x_1, ..., x_d, y), shape (n, d + 1).

    Parameters
    ----------
    standard_deviation : float
        Known standard deviation sigma of V, > 0.
    """

    standard_deviation: float

    def __post_init__(self) -> None:
        require_magnitude("standard_deviation", self.standard_deviation)

    @property
    def basin(self) -> float:
        """Return 1/32, for a large enough SNR.

        Wang, Ding, Hu, Xie, Pan and Xu (2020), Lemma 5; Zhang and Zhang (2021), Lemma A.1.
        """
        return 1 / 32

    def validate(self, data: ArrayLike, dimension: int) -> FloatArray:
        """Return records (x_i, y_i) as rows, shape (n, dimension + 1)."""
        return require_array("data", data, ndim=2, shape=(None, dimension + 1))

    def signs(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return E[Z | x_i, y_i] = 2 w - 1 = tanh(y_i <beta, x_i>/sigma^2), shape (n,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            exponents = data[:, -1] * (data[:, :-1] @ beta) / self.standard_deviation**2
        return _sign(exponents)

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return ((2w - 1) y_i - <x_i, beta>) x_i."""
        x, y = data[:, :-1], data[:, -1]
        weights = self.signs(data, beta)
        with np.errstate(over="ignore", invalid="ignore"):
            residuals = finite(weights * y - finite(x @ beta))
            return finite(residuals[:, None] * x)

    def truncated_gradients(
        self, data: FloatArray, beta: FloatArray, threshold: float
    ) -> FloatArray:
        """Return ((2w - 1) Pi_T(y_i) - Pi_T(<x_i, beta>)) Pi_T(x_i).

        Zhang and Zhang (2021), l.306.
        """
        x, y = data[:, :-1], data[:, -1]
        weights = self.signs(data, beta)
        with np.errstate(over="ignore", invalid="ignore"):
            fitted = clip_entries(x @ beta, threshold)
        residuals = weights * clip_entries(y, threshold) - fitted
        truncated: FloatArray = residuals[:, None] * clip_entries(x, threshold)
        return truncated

    def truncated_sensitivity(self, threshold: float) -> float:
        """Return 2T^2, half of (25) of Zhang and Zhang (2021), which is for another gradient.

        (2w - 1) y and <x, beta> have one sign, so their truncations differ by at most T.
        """
        return 2 * threshold**2

    def iterate_bound(self, threshold: float) -> float:
        """Return infinity: beta enters through truncated terms only."""
        del threshold
        return math.inf

    def objective(self, data: FloatArray, beta: FloatArray, given: FloatArray) -> float:
        """Return -1/(2n) sum_i w_i (y_i - <x_i, beta>)^2 + (1 - w_i) (y_i + <x_i, beta>)^2."""
        fitted, y = data[:, :-1] @ beta, data[:, -1]
        return float((2 * self.signs(data, given) * y * fitted - y**2 - fitted**2).mean() / 2)

    def maximiser(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return the least-squares fit of (2w - 1) y on x (of least norm, if there are several)."""
        return least_squares(data[:, :-1], self.signs(data, given) * data[:, -1])

    def log_likelihood(self, data: FloatArray, beta: FloatArray) -> float:
        """Return the mean log-density of y given x, without the normal density's constant."""
        fitted, y = data[:, :-1] @ beta, data[:, -1]
        plus, minus = (
            -((y - sign * fitted) ** 2) / (2 * self.standard_deviation**2) for sign in (1, -1)
        )
        return _log_mixture(plus, minus)

    def sample(self, beta: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n records from the model with parameter ``beta``."""
        x = rng.standard_normal((n, beta.size))
        signs = rng.choice([-1.0, 1.0], size=n)
        y = signs * (x @ beta) + self.standard_deviation * rng.standard_normal(n)
        return np.column_stack([x, y])

    def moment_bound(self, beta: FloatArray, radius: float) -> float:
        """Return ||beta||^2 + 2||beta||_inf^2 + sigma^2, plus the first two of the ball's edge.

        The gradient's factor (2w - 1) y - <x, b> is at most max(|y|, |<x, b>|), for the two have
        one sign, and E x_j^2 <x, b>^2 = ||b||^2 + 2 b_j^2. Wang, Ding, Hu, Xie, Pan and Xu (2020),
        Lemma 6 claims a bound that grows with d, which is true but not needed.
        """
        require_non_negative("radius", radius)
        norm, largest = float(np.linalg.norm(beta)), float(np.abs(beta).max())
        data = norm**2 + 2 * largest**2 + self.standard_deviation**2
        return data + (norm + radius) ** 2 + 2 * (largest + radius) ** 2
