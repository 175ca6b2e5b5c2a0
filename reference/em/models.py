"""Latent-variable models for EM: Q-function, gradient, M-step, truncation, likelihood, generator.

Sources: Wang, Ding, Hu, Xie, Pan and Xu (2020), (4)-(11), l.98-139; Wang (2020), l.9456-9494 and
l.9760-9792; Zhang and Zhang (2021), l.219-246 and l.290-351. With q_i(b; beta) the i-th record's
part of Q_n(b; beta), scaled by sigma^2, EM goes to the maximiser of Q_n(.; beta) and gradient EM
along nabla Q_n(beta; beta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_in_interval,
    require_kind,
    require_magnitude,
    require_non_negative,
)
from reference.clipping import clip_entries

LARGEST = 1e300
"""Larger entries of a gradient count as this, so that norms and sums of gradients are finite."""


@runtime_checkable
class LatentModel(Protocol):
    """What EM, gradient EM and their private forms need to know about a model."""

    @property
    def standard_deviation(self) -> float:
        """Standard deviation sigma of the observation noise, known."""
        ...

    @property
    def basin(self) -> float:
        """R/||beta*||_2: in this ball around beta* the theory has EM contract (see the lemmas)."""
        ...

    def validate(self, data: ArrayLike, dimension: int) -> FloatArray:
        """Return the data as an array of records, one a row, or raise."""
        ...

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return nabla q_i(beta; beta) for every record, shape (n, d).

        Finite for every record: what overflows, or exceeds 1e300, counts as that.
        """
        ...

    def truncated_gradients(
        self, data: FloatArray, beta: FloatArray, threshold: float
    ) -> FloatArray:
        """Return the gradients with their parts projected on [-T, T], shape (n, d).

        Zhang and Zhang (2021).
        """
        ...

    def truncated_sensitivity(self, threshold: float) -> float:
        """Return the largest change of an entry of :meth:`truncated_gradients` at fixed beta.

        For every ||beta||_inf <= :meth:`iterate_bound`.
        """
        ...

    def iterate_bound(self, threshold: float) -> float:
        """Return the ||beta||_inf up to which the truncated sensitivity holds; maybe infinite."""
        ...

    def objective(self, data: FloatArray, beta: FloatArray, given: FloatArray) -> float:
        """Return Q_n(beta; given), up to a term that does not depend on beta."""
        ...

    def maximiser(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return M_n(given), a maximiser of Q_n(.; given), shape (d,)."""
        ...

    def log_likelihood(self, data: FloatArray, beta: FloatArray) -> float:
        """Return the mean log-density of what is observed, which exact EM never decreases."""
        ...

    def sample(self, beta: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n records from the model with parameter ``beta``."""
        ...

    def moment_bound(self, beta: FloatArray, radius: float) -> float:
        """Return tau with E(nabla_j q(b; b))^2 <= tau for every j and ||b - beta||_2 <= radius.

        For data that follow the model with parameter ``beta``; of the model's own (corrected)
        gradient.
        """
        ...


def require_model(model: Any) -> None:
    """Raise TypeError unless ``model`` is a :class:`LatentModel`."""
    examples = "a latent-variable model, such as reference.em.models.GaussianMixture(1.0)"
    require_kind("model", model, LatentModel, examples)


def _finite(values: FloatArray) -> FloatArray:
    """Project on [-1e300, 1e300] what may have overflowed; inf - inf counts as 0.

    No record may make a release fail.
    """
    return clip_entries(values, LARGEST)


def _least_squares(matrix: FloatArray, target: FloatArray) -> FloatArray:
    """Return the solution of least norm, where there are several."""
    return np.asarray(np.linalg.lstsq(matrix, target, rcond=None)[0], dtype=np.float64)


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
        return _finite(self.signs(data, beta)[:, None] * data)

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
            residuals = _finite(weights * y - _finite(x @ beta))
            return _finite(residuals[:, None] * x)

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
        return _least_squares(data[:, :-1], self.signs(data, given) * data[:, -1])

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


# -------------------------------------------------------------------------- missing covariates


@dataclass(frozen=True)
class MissingCovariates:
    """Y = <beta, X> + V, X ~ N(0, I), V ~ N(0, sigma^2), entries of X missing at random.

    Records: rows (x_1, ..., x_d, y), shape (n, d + 1), with NaN for a missing x_j.

    Parameters
    ----------
    standard_deviation : float
        Known standard deviation sigma of V, > 0.
    missing_probability : float, default 0.1
        p_m in [0, 1): every x_j is missing independently. Used by ``sample`` and
        ``moment_bound`` only.

    Notes
    -----
    K_beta = E[x x^T | x_observed, y] has the missing block I - beta beta^T/(sigma^2 + ||beta||^2) +
    m m^T, beta and m those of the missing entries. The papers have I there (errata model-rmc/E1,
    zhang-6/E2; Wang, Ding, Hu, Xie, Pan and Xu (2020), (11), Zhang and Zhang (2021), l.341), which
    makes the missing coordinates of the gradient (sigma^2 + ||beta_missing||^2)/sigma^2 times those
    of EM. The true parameter is a fixed point of both, but the papers' theory is about theirs. Only
    with this one does the likelihood never fall.
    """

    standard_deviation: float
    missing_probability: float = 0.1

    def __post_init__(self) -> None:
        require_magnitude("standard_deviation", self.standard_deviation)
        require_in_interval("missing_probability", self.missing_probability, 0, 1, closed=True)
        if self.missing_probability == 1:
            raise ParameterValueError("missing_probability", "be in [0, 1)", got="1")

    @property
    def basin(self) -> float:
        """Return 1/4, an example.

        Lemma 7 of Wang, Ding, Hu, Xie, Pan and Xu (2020) (Lemma A.2 of Zhang and Zhang (2021)) has
        any k in (0, 1) with p_m < 1/(1 + 2b + 2b^2), where b = SNR^2 (1+k)^2.
        """
        return 0.25

    def validate(self, data: ArrayLike, dimension: int) -> FloatArray:
        """Return records (x_i, y_i) as rows, shape (n, dimension + 1); only x may be NaN."""
        records = require_array("data", data, ndim=2, shape=(None, dimension + 1), allow_nan=True)
        if np.isnan(records[:, -1]).any():
            raise ParameterValueError(
                "data", "have a response, its last column, in every record; got NaN"
            )
        return records

    def _imputed(self, data: FloatArray, beta: FloatArray) -> _Imputed:
        x, y = data[:, :-1], data[:, -1]
        missing = np.isnan(x)
        observed, hidden = np.where(missing, 0.0, x), np.where(missing, beta, 0.0)
        variance = self.standard_deviation**2 + (hidden**2).sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            residual = _finite(y - _finite(observed @ beta))
            slope = _finite(residual / variance)
            mean = _finite(observed + slope[:, None] * hidden)
        return _Imputed(y, observed, hidden, residual, variance, mean)

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return y_i m_i - K_i beta, with m_i, K_i of beta and the observed.

        Wang, Ding, Hu, Xie, Pan and Xu (2020), (9). With r = y - <beta, x_observed>, v = sigma^2 +
        ||beta_missing||^2, an observed entry is x_j r sigma^2/v and a missing one beta_j (r^2/v -
        1) sigma^2/v.
        """
        part = self._imputed(data, beta)
        shrinkage = self.standard_deviation**2 / part.variance
        with np.errstate(over="ignore", invalid="ignore"):
            surplus = (_finite(part.residual / part.variance * part.residual) - 1) * shrinkage
            observed = (shrinkage * part.residual)[:, None] * part.observed
            return _finite(observed + surplus[:, None] * part.hidden)

    def truncated_gradients(
        self, data: FloatArray, beta: FloatArray, threshold: float
    ) -> FloatArray:
        """Return (Pi(y) - Pi(<m, beta>)) Pi(m) - (1-z) beta sigma^2/v, v as in :meth:`gradients`.

        As Zhang and Zhang (2021), l.349, with the model's K_beta: (1-z) beta sigma^2/v, of size at
        most sigma/2, is what the rest of K_beta maps beta to.
        """
        part = self._imputed(data, beta)
        shrinkage = self.standard_deviation**2 / part.variance
        with np.errstate(over="ignore", invalid="ignore"):
            fitted = clip_entries(part.mean @ beta, threshold)
        residuals = clip_entries(part.response, threshold) - fitted
        truncated: FloatArray = (
            residuals[:, None] * clip_entries(part.mean, threshold)
            - shrinkage[:, None] * part.hidden
        )
        return truncated

    def truncated_sensitivity(self, threshold: float) -> float:
        """Return 6T^2, which needs :meth:`iterate_bound` (erratum zhang-6/E1).

        Zhang and Zhang (2021), (28). Entry j changes by at most max(4T^2, 2T^2 + c), c = |beta_j|
        sigma^2/(sigma^2 + beta_j^2) <= |beta_j|: an observed one is in [-2T^2, 2T^2]. Let it be
        missing and beta_j > 0, else mirror it: m_j = beta_j r/v and y - <m, beta> = r sigma^2/v
        have the sign of r, and so have their parts after the projection, which is monotone. Their
        product is in [0, 2T^2], and what is subtracted from it, beta_j sigma^2/v, in (0, c]. All
        entries are thus in [-max(2T^2, c), 2T^2].
        """
        return 6 * threshold**2

    def iterate_bound(self, threshold: float) -> float:
        """Return 4T^2."""
        return 4 * threshold**2

    def _second_moment(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return the mean of K_given, shape (d, d)."""
        part = self._imputed(data, given)
        n = len(data)
        total = np.diag(np.isnan(data[:, :-1]).sum(axis=0)) + part.mean.T @ part.mean
        scaled = part.hidden / np.sqrt(part.variance)[:, None]
        total = total - scaled.T @ scaled
        moment: FloatArray = total / n
        return moment

    def _cross_moment(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return the mean of y_i m_i, shape (d,)."""
        part = self._imputed(data, given)
        moment: FloatArray = part.response @ part.mean / len(data)
        return moment

    def objective(self, data: FloatArray, beta: FloatArray, given: FloatArray) -> float:
        """Return (1/n) sum_i y_i <beta, m_i> - <beta, K_i beta>/2, m_i and K_i of ``given``."""
        second = self._second_moment(data, given)
        return float(self._cross_moment(data, given) @ beta - beta @ second @ beta / 2)

    def maximiser(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return (mean of K_i)^-1 (mean of y_i m_i), of least norm, if there are several."""
        return _least_squares(self._second_moment(data, given), self._cross_moment(data, given))

    def log_likelihood(self, data: FloatArray, beta: FloatArray) -> float:
        """Return the mean log-density of y given the observed x, without (1/2) log(2 pi).

        Given those, y ~ N(<beta, x_observed>, sigma^2 + ||beta_missing||^2).
        """
        part = self._imputed(data, beta)
        squares = part.residual**2 / part.variance
        return float(-(squares + np.log(part.variance)).mean() / 2)

    def sample(self, beta: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n records from the model with parameter ``beta``."""
        x = rng.standard_normal((n, beta.size))
        y = x @ beta + self.standard_deviation * rng.standard_normal(n)
        x[rng.random(x.shape) < self.missing_probability] = math.nan
        return np.column_stack([x, y])

    def moment_bound(self, beta: FloatArray, radius: float) -> float:
        """Return the observed and the missing entries' bounds, weighed by p_m.

        With V = ||beta||^2 + sigma^2 + radius^2 the residual's variance is at most V. An observed
        entry has second moment at most V + 2 radius^2. A missing one is at most |b_j (t^2 r - 1)|
        with t standard normal and r <= V/(sigma^2 + b_j^2), second moment b_j^2 (3r^2 - 2r + 1) <=
        3V^2/(4 sigma^2) + b_j^2. That is for the papers' gradient, and hence for this one, whose
        missing entries are smaller. Wang, Ding, Hu, Xie, Pan and Xu (2020), Lemma 8 drops a
        constant and fails for small sigma (erratum model-rmc/E2).
        """
        require_non_negative("radius", radius)
        largest = float(np.abs(beta).max()) + radius
        variance = float(beta @ beta) + self.standard_deviation**2 + radius**2
        observed = variance + 2 * radius**2
        missing = 3 * variance**2 / (4 * self.standard_deviation**2) + largest**2
        p = self.missing_probability
        return (1 - p) * observed + p * missing


@dataclass(frozen=True)
class _Imputed:
    """What the E-step knows of every record.

    Attributes
    ----------
    response : ndarray of shape (n,)
        y.
    observed : ndarray of shape (n, d)
        z x.
    hidden : ndarray of shape (n, d)
        (1 - z) beta.
    residual : ndarray of shape (n,)
        y - <beta, z x>.
    variance : ndarray of shape (n,)
        sigma^2 + ||(1 - z) beta||^2, that of y given z x.
    mean : ndarray of shape (n, d)
        m_beta: observed entries, and the conditional means of the missing ones.
    """

    response: FloatArray
    observed: FloatArray
    hidden: FloatArray
    residual: FloatArray
    variance: FloatArray
    mean: FloatArray
