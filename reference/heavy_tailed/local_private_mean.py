"""Mean of n users' heavy-tailed numbers, each truncated and noised by its user (wang-ldp-mean)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.heavy_tailed.private_mean import Rule, calibrate
from reference.heavy_tailed.truncation import smoothed_truncation
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def local_private_mean(
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
    """Estimate the mean of heavy-tailed numbers that users never show to anyone.

    User i sends psi_s(x_i) plus Gaussian noise; the server averages the messages.

    Parameters
    ----------
    x : array_like of shape (n,)
        One finite real number per user.
    second_moment : float
        tau > 0, public: a bound on E x^2, in squared units of the data. A wrong value costs
        accuracy, not privacy.
    failure_probability : float
        zeta in (0, 1).
    epsilon : float
        Budget of every user, > 0.
    delta : float
        In (0, 1).
    rule : {"theorem-2-corrected", "theorem-2", "lemma-1"}
        Scale and precision of the truncation, see :func:`calibrate`. The error of ``"lemma-1"``
        does not fall with n (l.253).
    as_published : bool, default False
        The noise of Definition 7, without the limit epsilon <= 1 that it needs. With
        ``rule="theorem-2"`` this is the mechanism of Theorem 3 as printed.
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
    *Guarantee* (Theorem 3): (epsilon, delta)-LDP, non-interactive, for every epsilon > 0 and
    every rule. The seed has sigma^2 = O(s^2 log(1/delta)/epsilon^2) per user; here sigma =
    4s/(3 tilde-epsilon) by zCDP, see :func:`calibrate`.

    *Utility*: |output - E x| <= C sqrt(tau sqrt(L) Lambda/(sqrt(n) epsilon)) with probability
    1 - zeta by the default rule, with C as in
    :func:`~reference.heavy_tailed.private_mean.private_mean`. The text at hand prints n^(1/4) over
    the whole numerator of s, and sqrt(n epsilon) in the bound; the proof (l.616) has s
    proportional to n^(1/4) sqrt(epsilon tau), which gives this bound.

    *Errata*: as in Theorem 2, the printed scale lacks a factor sqrt(Lambda).

    References
    ----------
    Seed 000, (21)-(22), Theorem 3 (l.259-269, proof l.608-616).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> x = 1 + np.random.default_rng(0).standard_t(3, size=100_000)
    >>> mean = local_private_mean(
    ...     x, second_moment=4.0, failure_probability=0.05, epsilon=1.0, delta=1e-5,
    ...     ledger=Ledger(0),
    ... )
    >>> abs(mean - 1) < 1
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
        local=True,
        rule=rule,
        as_published=as_published,
    )
    messages = ledger.gaussian(  # (21), every user for itself
        smoothed_truncation(values, scale=constants.scale, precision=constants.precision),
        sensitivity=constants.sensitivity,
        scale=constants.noise_scale,
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
