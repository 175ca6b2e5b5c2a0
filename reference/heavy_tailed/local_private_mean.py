"""Mean of n users' heavy-tailed numbers, each truncated and noised by its user (wang-ldp-mean)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.heavy_tailed.private_mean import Constants, with_smallest_noise
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


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
    """Return the truncation by which Theorem 3's bound holds, and the noise of one message.

    With Lambda = log(1/zeta) and L = log(1/delta): s = sqrt(sqrt(n) epsilon tau/Lambda)/L^(1/4),
    and the precision is sqrt(Lambda). Parameters are those of
    :func:`reference.heavy_tailed.private_mean.constants_for`, n the number of users.
    """
    log_term = -math.log(failure_probability)
    share = math.sqrt(n) * epsilon / math.sqrt(-math.log(delta))
    scale = math.sqrt(share / log_term) * math.sqrt(second_moment)
    return with_smallest_noise(
        scale, math.sqrt(log_term), n=1, epsilon=epsilon, delta=delta, method=method
    )


@checked_arguments
def local_private_mean(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> float:
    """Estimate the mean of heavy-tailed numbers that users never show to anyone.

    User i sends psi_s(x_i) plus Gaussian noise; the server averages the messages.

    Parameters
    ----------
    data : array_like of shape (n,)
        One finite real number per user.
    epsilon : float
        Budget of every user, > 0.
    delta : float
        In (0, 1).
    second_moment : float
        tau > 0, public: a bound on E x^2, in squared units of the data. A wrong value costs
        accuracy, not privacy.
    failure_probability : float
        zeta in (0, 1).
    constants : Constants, optional
        By default :func:`constants_for`. Where they are given, they stand for all four parameters.
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
    *Guarantee* (Theorem 3): (epsilon, delta)-LDP, non-interactive, for every epsilon > 0. The paper
    has sigma^2 = O(s^2 log(1/delta)/epsilon^2) per user; here sigma is the smallest there is for
    the sensitivity (4 sqrt 2/3) s.

    *Utility*: with L = log(1/delta) and Lambda = log(1/zeta), |output - E x| is at most
    C sqrt(tau sqrt(L) Lambda/(sqrt(n) epsilon)) with probability 1 - zeta, with C as in
    :func:`~reference.heavy_tailed.private_mean.private_mean`. The text at hand prints n^(1/4) over
    the whole numerator of s, and sqrt(n epsilon) in the bound; the proof (l.616) has s
    proportional to n^(1/4) sqrt(epsilon tau), which gives this bound.

    *As printed*: (41) has the bias tau/(s beta) for tau/(2s) (1 + 1/beta), so that log(1/zeta) in s
    has to be its root (wang-ldp-mean/E1).

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), (21)-(22), Theorem 3 (l.259-269, proof l.608-616).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> data = 1 + np.random.default_rng(0).standard_t(3, size=100_000)
    >>> mean = local_private_mean(
    ...     data, epsilon=1.0, delta=1e-5, second_moment=4.0, failure_probability=0.05,
    ...     ledger=Ledger(0),
    ... )
    >>> abs(mean - 1) < 1
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

    messages = ledger.gaussian(  # (21), every user for itself
        smoothed_truncation(values, scale=chosen.truncation_scale, precision=chosen.precision),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
        unit="record",
    )
    return float(messages.mean())


ENTRY = Entry(
    id="wang-ldp-mean",
    name="Locally private mean of heavy-tailed numbers",
    sources=(Source("000", "Theorem 3, mechanism (21)", "259-269"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP (Theorem 3, by Definition 7)",
    utility_claim="|A(D) - E x| <= O(sqrt(tau log^(1/2)(1/delta) log(1/zeta)/(sqrt(n) epsilon))) "
    "with probability 1 - zeta (Theorem 3)",
    function=local_private_mean,
)
