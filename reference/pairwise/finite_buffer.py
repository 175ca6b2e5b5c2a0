"""FBOnPairStrC: online learning from pairs with a buffer, strongly convex losses (diss-3.3.12)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, IntArray
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
    pair_sensitivity : float
        4G/alpha: the sensitivity of w_t is this over t while every record is in the buffer.
    noise_multiplier : float
        The standard deviation of the noise on w_t over its sensitivity.
    """

    pair_sensitivity: float
    noise_multiplier: float

    def sensitivity(self, t: int, buffer_size: int) -> float:
        """Return that of w_t, l2, whatever indices were in the buffer (:func:`constants_for`)."""
        beyond = t - buffer_size - 1
        growth = beyond * (beyond + 1) / (2 * buffer_size * (t - 1)) if beyond > 0 else 0.0
        return self.pair_sensitivity / t * (1 + growth)


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
    """Return the constants that make n - T_1 outputs (epsilon, delta)-DP, for every epsilon > 0.

    Let D_t be the distance of the parameters w_t on neighbouring streams, for given indices in the
    buffers. At the replaced record D_i <= 2G eta_i = 4G/(alpha i). Later a step contracts by
    1 - eta_t alpha = 1 - 2/t (:mod:`reference.pairwise.contraction`); the record is in one slot of
    b = min(s, t-1) at most, and that pair adds 2G eta_t/b.
    So t(t-1) D_t grows by at most 4G/alpha max(1, (t-1)/s), and D_t <= 4G/(alpha t) (1 +
    (t-s-1)(t-s)/(2s(t-1))), the second term from t = s + 2 on: less than 4G/(alpha t) +
    2G/(alpha s).

    Parameters
    ----------
    loss : PairwiseLoss
        Strongly convex.
    radius : float
        Largest l2 norm in C.
    n : int
        Length of the stream, > T_1.
    epsilon, delta
        As for :func:`fb_on_pair_strongly_convex`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the releases are accounted; ``"zcdp"`` is the paper's way.

    Raises
    ------
    ValueError, TypeError
        If the loss is not strongly convex or the stream ends in the first phase, and on parameters
        out of range.
    """
    steps = step_constants_for(loss, n=n)
    return Constants(
        **asdict(steps),
        pair_sensitivity=4 * loss.lipschitz(radius) / loss.strong_convexity,
        noise_multiplier=smallest_gaussian_scale(
            epsilon, delta, sensitivity=1.0, releases=n - steps.first_phase, method=method
        ),
    )


def reservoir(rng: np.random.Generator, n: int, size: int) -> IntArray:
    """Draw the slot that each record of a stream takes, -1 for none.

    After t records the buffer is a uniform sample of min(size, t) of them, each in one slot.
    """
    slots = np.arange(n)
    times = np.arange(size + 1, n + 1)
    slots[size:] = rng.integers(0, times)  # slot j < s with probability 1/t each
    return np.where(slots < size, slots, -1)


@checked_arguments
def fb_on_pair_strongly_convex(
    data: Any,
    loss: PairwiseLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    buffer_size: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Learn online from the pairs of each record with a buffer of earlier ones.

    Parameters
    ----------
    data : array or tuple of arrays
        The stream: n records of ``loss``, in their order, n > T_1 = ceil(L/alpha).
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
    buffer_size : int
        s >= 1.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (n, p)
        w_1, ..., w_n, all of them private; w_{t-1} incurs the penalty of z_t.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not strongly convex, smooth and Lipschitz,
        a set that is not convex and bounded, a stream that ends in the first phase, steps that need
        not contract, a starting point outside C and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, of the sequence of all outputs, for
    every epsilon > 0. The slots in which indices are kept depend on no record: they are drawn in
    public, and the guarantee holds for whoever knows them.
    *Utility* (Theorem 3.3.4): the finite-buffer regret is O~(sqrt(d n)/(alpha epsilon)) for s of
    the order of n; a smaller buffer costs noise of the order of n^1.5 sqrt(d)/(alpha s epsilon).

    *As printed*: the buffer is drawn with replacement, so that one record can fill it
    (diss-3.3.12/E1); here it is drawn without.

    References
    ----------
    Wang (2020), Algorithm 3.3.12 (l.2216-2236) with eta_t = 2/(alpha t), T_1 = ceil(L/alpha), one
    starting point for random ones and, for Algorithm 3.3.11 (l.2187-2204), a buffer drawn without
    replacement, Theorem 3.3.4 (l.2210-2262).
    """
    ledger = open_ledger(ledger)
    records, w = validated(data, loss, constraint, initial)
    n = loss.size(records)
    size = min(buffer_size, n)
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

    slots = ledger.public(lambda rng: reservoir(rng, n, size))
    buffer = np.empty(size, dtype=np.int64)
    outputs = np.tile(w, (n, 1))  # steps 3 to 8: public
    for t in range(1, n + 1):
        if t > chosen.first_phase:  # steps 9 and 10
            gradient = loss.gradient(records, w, t - 1, buffer[: min(size, t - 1)])
            w = constraint.project(w - chosen.step_size / t * gradient)  # steps 11 and 12
            sensitivity = chosen.sensitivity(t, size)
            noisy = ledger.gaussian(  # step 13
                w, sensitivity=sensitivity, scale=chosen.noise_multiplier * sensitivity
            )
            outputs[t - 1] = constraint.project(noisy)  # step 14; w goes on without noise
        if slots[t - 1] >= 0:  # steps 6 and 15
            buffer[slots[t - 1]] = t - 1
    return outputs


ENTRY = Entry(
    id="diss-3.3.12",
    name="FBOnPairStrC: private pairwise learning online with a finite buffer, strongly convex",
    sources=(
        Source("004", "Algorithm 3.3.12", "2216-2236"),
        Source("004", "Algorithm 3.3.11", "2187-2204"),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta < 1 with sigma_t^2 = "
    "32 G^2 (n - T_1)/(alpha^2 t^2 rho) and a buffer drawn with replacement (Theorem 3.3.4)",
    utility_claim="finite-buffer regret O~(sqrt(d n)/(alpha epsilon)); the regret over n adds "
    "C_d sqrt(log(n/zeta)/s) (Theorem 3.3.4)",
    function=fb_on_pair_strongly_convex,
    aliases=("diss-3.3.11",),
)
