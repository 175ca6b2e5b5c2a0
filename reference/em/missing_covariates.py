"""Linear regression with missing covariates, as a latent-variable model.

Sources: Wang, Ding, Hu, Xie, Pan and Xu (2020), (9)-(11), l.125-139; Wang (2020), l.9480-9494;
Zhang and Zhang (2021), l.334-351.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_in_interval,
    require_magnitude,
    require_non_negative,
)
from reference.clipping import clip_entries
from reference.em.latent_model import finite, least_squares


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
            residual = finite(y - finite(observed @ beta))
            slope = finite(residual / variance)
            mean = finite(observed + slope[:, None] * hidden)
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
            surplus = (finite(part.residual / part.variance * part.residual) - 1) * shrinkage
            observed = (shrinkage * part.residual)[:, None] * part.observed
            return finite(observed + surplus[:, None] * part.hidden)

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
        return least_squares(self._second_moment(data, given), self._cross_moment(data, given))

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
    """Results of the E-step for every record.

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
