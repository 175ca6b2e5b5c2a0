"""Private mean of heavy-tailed numbers by smoothed truncation (wang-mean), and its constants."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """The truncation of the records and the noise of a release.

    Attributes
    ----------
    truncation_scale : float
        s, in units of the data.
    precision : float
        Inverse variance of the smoothing (the paper's beta).
    sensitivity : float
        Of what is released, in l2.
    noise_scale : float
        Standard deviation of the noise on it.
    """

    truncation_scale: float
    precision: float
    sensitivity: float
    noise_scale: float


def with_smallest_noise(
    truncation_scale: float,
    precision: float,
    *,
    n: int,
    epsilon: float,
    delta: float,
    dimension: int = 1,
    releases: int = 1,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants of ``releases`` robust means of n vectors that are (epsilon, delta)-DP.

    The l2 sensitivity is (4 sqrt(2 d)/3) s/n. The papers' bound is above the exact one by the
    factor 1/erf(sqrt(precision/2)), which the noise makes no use of.
    """
    sensitivity = math.sqrt(dimension) * mean_sensitivity(n, scale=truncation_scale)
    noise_scale = smallest_gaussian_scale(
        epsilon, delta, sensitivity=sensitivity, releases=releases, method=method
    )
    return Constants(truncation_scale, precision, sensitivity, noise_scale)


@checked_arguments
def constants_for(
    *,
    n: int,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the truncation by which Theorem 2's bound holds, and the noise.

    With Lambda = log(1/zeta) and L = log(1/delta): s = sqrt(n epsilon tau/Lambda)/L^(1/4), and the
    precision is sqrt(Lambda).

    Parameters
    ----------
    n : int
        Number of records, >= 1, public.
    epsilon, delta, second_moment, failure_probability
        As for :func:`private_mean`.
    method : {"gaussian-dp", "zcdp", "pld"}
        Of :func:`~reference.privacy.calibration.smallest_gaussian_scale`: the exact noise, or the
        papers' 4s/(3n tilde-epsilon) by zCDP.

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    log_term = -math.log(failure_probability)
    share = n * epsilon / math.sqrt(-math.log(delta))
    scale = math.sqrt(share / log_term) * math.sqrt(second_moment)
    return with_smallest_noise(
        scale, math.sqrt(log_term), n=n, epsilon=epsilon, delta=delta, method=method
    )


@checked_arguments
def constants_for_lemma_1(
    *,
    n: int,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the truncation of Lemma 1, the only one of Wang (2020), and the noise.

    s = sqrt(n tau/(2 Lambda)) and precision 2 Lambda, which is best without privacy. Parameters
    are those of :func:`constants_for`.
    """
    precision = -2 * math.log(failure_probability)
    scale = math.sqrt(n / precision) * math.sqrt(second_moment)
    return with_smallest_noise(scale, precision, n=n, epsilon=epsilon, delta=delta, method=method)


@checked_arguments
def private_mean(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> float:
    """Estimate the mean of heavy-tailed numbers of which only the second moment is bounded.

    Every number goes through the smoothed truncation psi_s
    (:func:`~reference.heavy_tailed.truncation.smoothed_truncation`); the mean of the results is
    released with Gaussian noise.

    Parameters
    ----------
    data : array_like of shape (n,)
        Any finite real numbers.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    second_moment : float
        tau > 0, public: a bound on E x^2, in squared units of the data. A wrong value costs
        accuracy, not privacy.
    failure_probability : float
        zeta in (0, 1).
    constants : Constants, optional
        By default :func:`constants_for`; :func:`constants_for_lemma_1` is the other rule. Where
        they are given, they stand for all four parameters.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (l.243-245): (epsilon, delta)-DP, central, replace-one, for every epsilon > 0. The
    paper has sigma^2 = O(s^2 log(1/delta)/(epsilon n)^2); here sigma is the smallest there is for
    the sensitivity (4 sqrt 2/3) s/n. The exact one is smaller by the factor
    erf(sqrt(precision/2)).

    *Utility*: with L = log(1/delta) and Lambda = log(1/zeta), |output - E x| is at most
    C sqrt(tau sqrt(L) Lambda/(n epsilon)) with probability 1 - zeta, and C sqrt(tau L Lambda/n)/
    epsilon by the rule of Lemma 1. For epsilon <= 1, zeta <= 1/2 and delta <= 1/e, C = 9 and 6
    suffice.

    *As printed*: the bias is tau/(s beta) for tau/(2s) (1 + 1/beta), so that log(1/zeta) in s has
    to be its root (wang-mean/E1), and the Gaussian rule of Definition 7 has no upper limit on
    epsilon (wang-mean/E3).

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), (13)-(20), Lemmas 1 and 2, Theorem 2 (l.197-258, proof
    l.514-606); Wang (2020), (7.53)-(7.60) (l.9561-9617), (3.80) and Theorem 3.2.6 (l.1648-1656).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> data = 1 + np.random.default_rng(0).standard_t(3, size=100_000)
    >>> mean = private_mean(
    ...     data, epsilon=1.0, delta=1e-5, second_moment=4.0, failure_probability=0.05,
    ...     ledger=Ledger(0),
    ... )
    >>> abs(mean - 1) < 0.1
    True
    """
    ledger = open_ledger(ledger)
    values = require_array("data", data, ndim=1)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=values.size,
        epsilon=epsilon,
        delta=delta,
        second_moment=second_moment,
        failure_probability=failure_probability,
    )

    output = ledger.gaussian(  # (18)
        truncated_mean(values, scale=chosen.truncation_scale, precision=chosen.precision),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
    )
    return float(output)


ENTRY = Entry(
    id="wang-mean",
    name="Private mean of heavy-tailed numbers",
    sources=(
        Source("000", "Theorem 2, mechanism (18)", "197-258"),
        Source("004", "Lemma 7.2.2, mechanism (7.59)", "9561-9617"),
        Source("004", "(3.80)", "1648-1656"),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP (by Definition 7)",
    utility_claim="|A(D) - E x| <= O(sqrt(tau log^(1/2)(1/delta) log(1/zeta)/(n epsilon))) with "
    "probability 1 - zeta (Theorem 2); O(sqrt(tau log(1/delta) log(1/zeta)/(n epsilon^2))) by the "
    "rule of Lemma 1 (Lemma 2; Wang (2020), Theorem 3.2.6)",
    function=private_mean,
    aliases=("diss-3.80",),
)
