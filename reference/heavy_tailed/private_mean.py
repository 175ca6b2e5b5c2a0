"""Private mean of heavy-tailed numbers by smoothed truncation (wang-mean), and its constants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from numpy.typing import ArrayLike

from reference._validation import (
    require_array,
    require_count,
    require_delta,
    require_in_interval,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.errata.privacy.calibration import printed_gaussian_scale
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.privacy.calibration import smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

Rule = Literal["lemma-1", "theorem-2", "theorem-2-corrected"]
"""How the scale and the precision of the truncation are chosen, see :func:`calibrate`."""


@dataclass(frozen=True)
class Calibration:
    """The truncation of the records and the noise of a release.

    Attributes
    ----------
    scale : float
        s, scale of the truncation, in units of the data.
    precision : float
        Inverse variance of the smoothing (the paper's beta).
    sensitivity : float
        Claimed sensitivity of what is released: (4 sqrt 2/3) s for one record's value, 1/n of it
        for the mean.
    noise_scale : float
        Standard deviation of the noise on it.
    """

    scale: float
    precision: float
    sensitivity: float
    noise_scale: float


def calibrate(
    epsilon: float,
    delta: float,
    *,
    n: int,
    second_moment: float,
    failure_probability: float,
    local: bool = False,
    rule: Rule = "theorem-2-corrected",
    as_published: bool = False,
) -> Calibration:
    """Return the constants of :func:`private_mean`, or of its local version.

    With Lambda = log(1/zeta), L = log(1/delta), and N = n (central) or sqrt(n) (local):

    =======================  ================  ==========================================
    rule                     precision         scale s
    =======================  ================  ==========================================
    ``lemma-1``              2 Lambda          sqrt(n tau/(2 Lambda)), in both models
    ``theorem-2``            sqrt(Lambda)      sqrt(N epsilon tau)/(Lambda L^(1/4))
    ``theorem-2-corrected``  sqrt(Lambda)      sqrt(N epsilon tau)/(sqrt(Lambda) L^(1/4))
    =======================  ================  ==========================================

    Parameters
    ----------
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n : int
        Number of records, >= 1, public.
    second_moment : float
        tau > 0, a bound on E x^2.
    failure_probability : float
        zeta in (0, 1).
    local : bool, default False
        Whether every record's truncated value is released, rather than their mean.
    rule : {"theorem-2-corrected", "theorem-2", "lemma-1"}
    as_published : bool, default False
        The noise of Definition 7, sqrt(2 log(1.25/delta)) sensitivity/epsilon, at every epsilon,
        instead of sensitivity/(sqrt(2) tilde-epsilon), where tilde-epsilon^2 is the rho whose
        zCDP is (epsilon, delta)-DP: 4s/(3 tilde-epsilon) per record.

    Returns
    -------
    Calibration

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    epsilon = require_positive("epsilon", epsilon)
    require_delta(delta)
    n = require_count("n", n)
    tau = require_positive("second_moment", second_moment)
    zeta = require_in_interval("failure_probability", failure_probability, 0, 1)
    if rule not in get_args(Rule):
        raise ValueError(f"rule must be one of {', '.join(get_args(Rule))}, got {rule!r}")

    log_term = -math.log(zeta)
    if rule == "lemma-1":
        precision = 2 * log_term
        scale = math.sqrt(n / (2 * log_term)) * math.sqrt(tau)
    else:
        precision = math.sqrt(log_term)
        size = math.sqrt(n) if local else n
        divisor = log_term if rule == "theorem-2" else math.sqrt(log_term)
        root_l = math.sqrt(-math.log(delta))
        scale = math.sqrt(size * epsilon / root_l) * math.sqrt(tau) / divisor
    sensitivity = mean_sensitivity(1 if local else n, scale=scale)
    if as_published:
        noise_scale = printed_gaussian_scale(epsilon, delta, sensitivity=sensitivity)
    else:
        noise_scale = smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, method="zcdp"
        )
    return Calibration(scale, precision, sensitivity, noise_scale)


def private_mean(
    x: ArrayLike,
    *,
    second_moment: float,
    failure_probability: float,
    epsilon: float,
    delta: float,
    rule: Rule = "theorem-2-corrected",
    as_published: bool = False,
    ledger: Ledger | None = None,
) -> float:
    """Estimate the mean of heavy-tailed numbers of which only the second moment is bounded.

    Every number goes through the smoothed truncation psi_s
    (:func:`~reference.heavy_tailed.truncation.smoothed_truncation`); the mean of the results is
    released with Gaussian noise.

    Parameters
    ----------
    x : array_like of shape (n,)
        Any finite real numbers.
    second_moment : float
        tau > 0, public: a bound on E x^2, in squared units of the data. A wrong value costs
        accuracy, not privacy.
    failure_probability : float
        zeta in (0, 1).
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    rule : {"theorem-2-corrected", "theorem-2", "lemma-1"}
        Scale and precision of the truncation, see :func:`calibrate`. ``"lemma-1"`` is seed 004's
        only rule.
    as_published : bool, default False
        The noise of Definition 7, without the limit epsilon <= 1 that it needs. With
        ``rule="theorem-2"`` this is the mechanism of Theorem 2 as printed.
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
    *Guarantee* (l.243-245): (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 and
    every rule. The seed has sigma^2 = O(s^2 log(1/delta)/(epsilon n)^2); here sigma =
    4s/(3n tilde-epsilon) by zCDP, see :func:`calibrate`. The declared sensitivity
    (4 sqrt 2/3) s/n is the paper's; the exact one is smaller by the factor
    erf(sqrt(precision/2)), so that the run is sqrt(2) tilde-epsilon erf(sqrt(precision/2))-
    Gaussian DP and no better.

    *Utility*: |output - E x| <= C sqrt(tau sqrt(L) Lambda/(n epsilon)) with probability 1 - zeta
    by the default rule, and C sqrt(tau L Lambda/n)/epsilon by that of Lemma 1. For epsilon <= 1,
    zeta <= 1/2 and delta <= 1/e, C = 14 and 11 suffice (13 and 10 with Definition 7's noise).

    *Errata*: with the scale of Theorem 2 as printed, the bias exceeds the theorem's bound by a
    factor that grows like sqrt(Lambda). Definition 7 has no upper limit on epsilon, and fails for
    large ones. (17) in doubles is unbounded.

    References
    ----------
    Seed 000, (13)-(20), Lemmas 1 and 2, Theorem 2 (l.197-258, proof l.514-606); seed 004,
    (7.53)-(7.60) (l.9561-9617), (3.80) and Theorem 3.2.6 (l.1648-1656).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> x = 1 + np.random.default_rng(0).standard_t(3, size=100_000)
    >>> mean = private_mean(
    ...     x, second_moment=4.0, failure_probability=0.05, epsilon=1.0, delta=1e-5,
    ...     ledger=Ledger(0),
    ... )
    >>> abs(mean - 1) < 0.1
    True
    """
    ledger = open_ledger(ledger)
    values = require_array("x", x, ndim=1)
    constants = calibrate(
        epsilon,
        delta,
        n=values.size,
        second_moment=second_moment,
        failure_probability=failure_probability,
        rule=rule,
        as_published=as_published,
    )
    output = ledger.gaussian(  # (18)
        truncated_mean(values, scale=constants.scale, precision=constants.precision),
        sensitivity=constants.sensitivity,
        scale=constants.noise_scale,
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
    "rule of Lemma 1 (Lemma 2; seed 004, Theorem 3.2.6)",
    function=private_mean,
    aliases=("diss-3.80",),
)
