"""OffPairStrC: one release of the averaged path, strongly convex pairwise losses (diss-3.3.14)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import Ball
from reference.pairwise.contraction import (
    StepConstants,
    require_contraction,
    step_constants_for,
    validated,
)
from reference.pairwise.losses import PairwiseLoss
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(StepConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    first_phase, step_size
        As for :class:`~reference.pairwise.contraction.StepConstants`.
    sensitivity : float
        Of the averaged path, in l2.
    noise_scale : float
        The standard deviation of the noise on every coordinate of it.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(
    loss: PairwiseLoss,
    *,
    radius: float,
    n: int,
    epsilon: float,
    delta: float,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make one release (epsilon, delta)-DP, for every epsilon > 0.

    w_t moves by 4G/(alpha t) at most from t = T_1 + 1 = ceil(L/alpha) + 1 on, and not before (see
    :func:`reference.pairwise.finite_buffer.constants_for` for a buffer of all records), so that
    (w_1 + ... + w_n)/n moves by 4G/(alpha n) (1/(T_1+1) + ... + 1/n): less than the paper's
    8G log(n)/(alpha n).

    Parameters
    ----------
    loss : PairwiseLoss
        Strongly convex.
    radius : float
        Largest l2 norm in C.
    n : int
        Number of records, > T_1.
    epsilon, delta
        As for :func:`off_pair_strongly_convex`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the release is accounted; the first is exact.

    Raises
    ------
    ValueError, TypeError
        If the loss is not strongly convex or there are T_1 records or fewer, and on parameters out
        of range.
    """
    steps = step_constants_for(loss, n=n)
    harmonic = math.fsum(1 / t for t in range(steps.first_phase + 1, n + 1))
    sensitivity = 4 * loss.lipschitz(radius) / (loss.strong_convexity * n) * harmonic
    return Constants(
        **asdict(steps),
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, method=method),
    )


@checked_arguments
def off_pair_strongly_convex(
    data: Any,
    loss: PairwiseLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise the risk of all pairs by one pass of Pairwise GIGA and one release of its average.

    Parameters
    ----------
    data : array or tuple of arrays
        n records of ``loss``, in an order that does not depend on their values, n > T_1 =
        ceil(L/alpha).
    loss : PairwiseLoss
        alpha-strongly convex, L-smooth, G-Lipschitz on C.
    constraint : L2Ball or PositiveSemidefiniteBall
        C, public, convex and bounded.
    initial : array_like of shape (p,)
        In C, public: the parameter of the first T_1 rounds.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        In C.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not strongly convex, smooth and Lipschitz,
        a set that is not convex and bounded, too few records, steps that need not contract, a
        starting point outside C and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly.
    *Utility* (Theorem 3.3.6): the excess risk is O~(sqrt(d) G^2 ||C||_2/(alpha n epsilon)), and
    G L ||C||_2/(alpha n) for the first rounds, which (3.118) forgets, and the generalisation term.

    References
    ----------
    Wang (2020), Algorithm 3.3.14 (l.2300-2315) with eta_t = 2/(alpha t), T_1 = ceil(L/alpha) and
    one starting point for random ones, Theorem 3.3.6 (l.2330-2332).
    """
    ledger = open_ledger(ledger)
    records, w = validated(data, loss, constraint, initial)
    n = loss.size(records)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        radius=constraint.largest_norm,
        n=n,
        epsilon=epsilon,
        delta=delta,
    )
    require_contraction(loss, chosen)

    total = min(chosen.first_phase, n) * w  # step 3
    for t in range(chosen.first_phase + 1, n + 1):  # step 4
        gradient = loss.gradient(records, w, t - 1, np.arange(t - 1))
        w = constraint.project(w - chosen.step_size / t * gradient)  # steps 5 and 6
        total = total + w
    noisy = ledger.gaussian(  # steps 8 and 9
        total / n, sensitivity=chosen.sensitivity, scale=chosen.noise_scale
    )
    return constraint.project(noisy)  # step 10


ENTRY = Entry(
    id="diss-3.3.14",
    name="OffPairStrC: private pairwise learning offline, strongly convex",
    sources=(Source("004", "Algorithm 3.3.14", "2300-2315"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1 with noise of variance "
    "128 G^2 log^2(n) log(1.25/delta)/(alpha n epsilon)^2 (Theorem 3.3.6)",
    utility_claim="excess risk O~(sqrt(d) G^2 ||C||_2 sqrt(log(1/delta))/(alpha n epsilon)) plus "
    "the mean Rademacher complexity (Theorem 3.3.6)",
    function=off_pair_strongly_convex,
)
