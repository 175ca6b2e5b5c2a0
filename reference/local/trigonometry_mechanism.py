"""Local Trigonometry Mechanism (diss-5.1.36): smooth queries from noisy means of cosines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from reference._validation import FloatArray, ParameterValueError, require_array, require_count
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

MOST_FEATURES = 10**6
"""t^p at most."""
ROUNDING = 1e-9
"""Relative, of the sensitivity, far above that of its computation."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes: the Laplace noise on a user's t^p features.

    Attributes
    ----------
    sensitivity : float
        l1 norm by which the features of a user move.
    noise_scale : float
        Of every feature.
    """

    sensitivity: float
    noise_scale: float


def require_degrees(n_degrees: int, dimension: int) -> int:
    """Return t, or raise ValueError unless it is in [1, 256] and makes few enough features."""
    t = require_count("n_degrees", n_degrees, at_most=256)
    if t**dimension > MOST_FEATURES:
        raise ParameterValueError(
            f"n_degrees ** {dimension}", f"be at most {MOST_FEATURES}", got=f"n_degrees = {t}"
        )
    return t


def feature_sensitivity(n_degrees: int, dimension: int) -> float:
    """Return S_t = t^(p-1) (t - min K), K(phi) = sum_{v<t} cos(v phi), the exact l1 sensitivity.

    For a, b in [-1, 1], |a - b| <= 1 - a b. So features f, g of two users have
    ||f - g||_1 <= t^p - <f, g>, and <f, g> is the product over the coordinates of
    sum_v cos(v theta) cos(v phi) = (K(theta + phi) + K(theta - phi))/2, which is in [min K, t] and
    |min K| < t. Attained by x = (1, ..., 1) and x' = (cos phi, 1, ..., 1) where K(phi) = min K.

    Parameters
    ----------
    n_degrees : int
        t, in [1, 256].
    dimension : int
        p >= 1.
    """
    p = require_count("dimension", dimension)
    t = require_degrees(n_degrees, p)
    kernel = np.ones(t)  # K as a sum of Chebyshev polynomials of cos(phi)
    ends = np.append(chebyshev.chebroots(chebyshev.chebder(kernel)).real, [-1.0, 1.0])
    least = float(chebyshev.chebval(np.clip(ends, -1.0, 1.0), kernel).min())
    return float(t) ** (p - 1) * (t - least) * (1 + ROUNDING)


@checked_arguments
def constants_for(*, epsilon: float, n_degrees: int, dimension: int) -> Constants:
    """Return the smallest equal Laplace noise: scale S_t/epsilon."""
    sensitivity = feature_sensitivity(n_degrees, dimension)
    # a constant feature alone cannot tell anything; it still gets noise
    sensitivity = max(sensitivity, ROUNDING)
    return Constants(sensitivity, sensitivity / epsilon)


@dataclass(frozen=True)
class SmoothQueries:
    """Noisy means of the features, from which every smooth query is answered.

    Attributes
    ----------
    means : ndarray of shape (t,) * p
        Entry v: the mean of prod_j cos(v_j arccos x_ij) over the users, with noise.
    """

    means: FloatArray

    def answer(self, function: Callable[[FloatArray], ArrayLike]) -> float:
        """Return the answer to q_f = (1/n) sum_i f(x_i): steps 10 to 12.

        Parameters
        ----------
        function : callable
            f: takes an array of shape (k, p) of points of [-1, 1]^p, returns k numbers.
        """
        return float((self.means * coefficients(function, self.means.shape)).sum())


def coefficients(function: Callable[[FloatArray], ArrayLike], shape: tuple[int, ...]) -> FloatArray:
    """Return c_r of the polynomial sum_r c_r prod_j cos(r_j theta_j), (5.6), that interpolates f.

    At the Chebyshev nodes cos(pi (2 i + 1)/(2 t)), by a discrete cosine transform.

    Raises
    ------
    ValueError
        If f does not give a finite number for every node.
    """
    axes = [np.cos(np.pi * (2 * np.arange(t) + 1) / (2 * t)) for t in shape]
    nodes = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    values = np.asarray(function(nodes), dtype=float)
    if values.shape != (len(nodes),) or not np.isfinite(values).all():
        raise ParameterValueError(
            "function", f"give {len(nodes)} finite numbers", got=f"{values.shape}"
        )
    found: FloatArray = scipy.fft.dctn(values.reshape(shape), type=2)
    for axis, t in enumerate(shape):
        weights = np.full(t, 1 / t)
        weights[0] = 1 / (2 * t)
        found = found * weights.reshape([-1 if k == axis else 1 for k in range(len(shape))])
    return found


def features_of(records: FloatArray, n_degrees: int) -> FloatArray:
    """Return prod_j cos(v_j arccos x_ij) for all v in {0, ..., t-1}^p, shape (n, t, ..., t).

    Entries outside [-1, 1] are moved to its ends first.
    """
    angles = np.arccos(np.clip(records, -1.0, 1.0))
    cosines = np.cos(angles[:, :, None] * np.arange(n_degrees))
    features = np.ones((len(records), 1))
    for one in np.moveaxis(cosines, 1, 0):
        features = (features[:, :, None] * one[:, None, :]).reshape(len(records), -1)
    shaped: FloatArray = features.reshape(len(records), *(n_degrees,) * records.shape[1])
    return shaped


@checked_arguments
def local_trigonometry_mechanism(
    data: ArrayLike,
    *,
    epsilon: float,
    n_degrees: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> SmoothQueries:
    """Answer all smooth queries under non-interactive local differential privacy.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One record per user; entries are cut to [-1, 1] on the user's side.
    epsilon : float
        Budget of every user, > 0.
    n_degrees : int
        t in [1, 256]: degrees 0 to t - 1 of every variable, t^p features of a user, at most 10^6.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    SmoothQueries
        Answers any number of queries.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 5.1.11): epsilon-DP in the local model, for every epsilon > 0.

    *Utility*: for f with h bounded derivatives the error is O(t^-h) of the approximation and
    O(t^{2p}/(sqrt n epsilon)) of the noise.

    *As printed*: LDP-AVG with b = 1 runs on features whose width is 2 (diss-5.1.36/E1); here the
    noise is for the exact l1 sensitivity of all features together (:func:`feature_sensitivity`).

    References
    ----------
    Wang (2020), Algorithm 5.1.36 (l.5211-5229), Theorem 5.1.11 (l.5241-5247).

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> users = np.linspace(-1, 1, 20_001)[:, None]
    >>> queries = local_trigonometry_mechanism(users, epsilon=4.0, n_degrees=4, ledger=Ledger(0))
    >>> abs(queries.answer(lambda x: x[:, 0] ** 2) - 1 / 3) < 0.1
    True
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    dimension = records.shape[1]
    t = require_degrees(n_degrees, dimension)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        epsilon=epsilon,
        n_degrees=t,
        dimension=dimension,
    )

    messages = ledger.laplace(  # steps 2-7 and the user's half of step 9
        features_of(records, t),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
        unit="record",
    )
    return SmoothQueries(messages.mean(axis=0))  # steps 8-12, the server


ENTRY = Entry(
    id="diss-5.1.36",
    name="Local Trigonometry Mechanism",
    sources=(Source("004", "Algorithm 5.1.36", "5211-5229"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP for every epsilon > 0 (Theorem 5.1.11)",
    utility_claim="for t = O((sqrt n epsilon)^(2/(5p + 2h))) the error of every (h, T)-smooth "
    "query is O((sqrt n epsilon)^(-2h/(5p + 2h))), but for a power of log(1/beta) (Theorem 5.1.11)",
    function=local_trigonometry_mechanism,
)
