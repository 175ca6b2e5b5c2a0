"""Hinge loss without interaction: gradients from noisy copies (diss-5.1.33, Hinge Loss-LDP)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import Ball
from reference.local.intermediate_gradient import IntermediateGradient
from reference.local.noisy_copies import (
    SENSITIVITY,
    Constants,
    NoisyCopies,
    bernstein_estimate,
    bernstein_weights,
    estimate_deviation,
    nodes,
    noise_scales,
    records_of,
    require_degree,
    require_smoothing,
    require_unit_set,
    smoothed_step,
)
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def constants_for(*, dimension: int, epsilon: float, delta: float, degree: int) -> Constants:
    """Return the smallest noise for (epsilon, delta), for every epsilon > 0, and sigma.

    Parameters
    ----------
    dimension : int
        p.
    epsilon, delta : float
        Budget of every user.
    degree : int
        d.
    """
    pair, factor = noise_scales(epsilon=epsilon, delta=delta, degree=degree)
    return with_noise(pair, factor, dimension=dimension, degree=degree)


def with_noise(pair: float, factor: float, *, dimension: int, degree: int) -> Constants:
    """Return the constants with given noise: sigma is the bound on the root mean square of G."""
    outer, polynomial = estimate_deviation(
        dimension=dimension, degree=degree, pair_noise=pair, factor_noise=factor
    )
    return Constants(pair, factor, outer * polynomial)


def hinge_slope(x: FloatArray, smoothing: float) -> FloatArray:
    """Return f'_beta(x), the slope of the smoothed hinge of Lemma 5.1.8."""
    return smoothed_step(x - 0.5, smoothing) - 1


def send_copies(
    records: FloatArray, *, degree: int, constants: Constants, ledger: Ledger
) -> NoisyCopies:
    """Release d(d + 1) + 1 noisy copies of every user's record: steps 2 to 9.

    Parameters
    ----------
    records : ndarray of shape (n, p + 1)
        x_i and y_i of every user, of :func:`~reference.local.noisy_copies.records_of`.
    degree : int
        d.
    constants : Constants
    ledger : Ledger
    """
    pair = ledger.gaussian(  # step 3: x_{i,0} and y_{i,0}
        records, sensitivity=SENSITIVITY, scale=constants.pair_noise_scale, unit="record"
    )
    shape = (len(records), degree + 1, degree, records.shape[1])
    factors = ledger.gaussian(  # steps 4-7: x_{i,k} and y_{i,k}, k = 1..d(d + 1)
        np.broadcast_to(records[:, None, None, :], shape),
        sensitivity=SENSITIVITY * math.sqrt(degree * (degree + 1)),
        scale=constants.factor_noise_scale,
        unit="record",
    )
    return NoisyCopies(pair, factors)  # step 8


@checked_arguments
def hinge_loss_ldp(
    data: Any,
    constraint: Ball,
    *,
    epsilon: float,
    delta: float,
    smoothing: float,
    degree: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise the mean of [1/2 - y <w, x>]_+ over records that users never show.

    Every user sends its record d(d + 1) + 1 times, each time with fresh noise. The server makes of
    them as many independent estimates of y <w, x> as a polynomial of degree d has factors.

    Parameters
    ----------
    data : (features, labels)
        One row x_i of shape (p,) and one y_i per user. Rows longer than 1 are scaled to norm 1,
        labels are cut to [-1, 1].
    constraint : Ball
        C, closed, convex and within the unit ball (Assumption 2).
    epsilon : float
        Budget of every user, > 0.
    delta : float
        In (0, 1).
    smoothing : float
        beta in (0, 1]. Theorem 5.1.8 takes alpha/4 for an error alpha.
    degree : int
        d, from 1 to 100, by :func:`~reference.local.noisy_copies.degree_for`.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        The output of SIGM after n gradients.

    Raises
    ------
    ValueError, TypeError
        On bad input, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-LDP, non-interactive, for every epsilon > 0, by exact accounting
    of all messages together (:func:`~reference.local.noisy_copies.noise_scales`).

    *Utility* (Theorem 5.1.8): alpha with n of order d^(8d) C^d p/(epsilon^(4d+4) alpha^2),
    d = O(1/alpha^3). At genuine noise that is out of reach of any n: at epsilon = 1,
    delta = 1e-5 and d = 2 the root mean square of a gradient is 3e9 with the paper's noise.

    *Draws*: as in the box, users are drawn with replacement. A repeated user brings the same noise
    again; given the messages, the draws are fresh ones from n fixed gradients.

    *As printed*: the polynomial has the nodes j/d and the argument y <w, x>, and is close to
    f'_beta on [0, 1] alone (diss-5.1.33/E2). Margins lie in [-1, 1]: here the nodes are 2j/d - 1,
    and a factor is (1 + y <w, x>)/2 for t and 1 less it for s. Its noise is too little for a large
    epsilon, and more than enough for a small one (diss-5.1.33/E1): here it is what the accountant
    certifies. SIGM takes the smoothness 1/beta of Lemma 5.1.8; 1/(2 beta) is the least, at x = 1/2,
    and makes longer steps. What is returned as w_n is SIGM's output y_n (diss-5.1.33/E5).

    References
    ----------
    Wang (2020), Algorithm 5.1.33 (l.5016-5050), Lemma 5.1.8 (l.5001), Theorems 5.1.7, 5.1.8
    (l.5012, 5056).
    """
    ledger = open_ledger(ledger)
    require_unit_set(constraint)
    records = records_of(data)
    n, p = len(records), records.shape[1] - 1
    require_degree(degree)
    require_smoothing(smoothing)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        dimension=p,
        epsilon=epsilon,
        delta=delta,
        degree=degree,
    )
    c = hinge_slope(nodes(degree), smoothing)  # step 1: c_j = f'_beta(2j/d - 1), j = 0..d
    weights = bernstein_weights(c)  # c_j C(d, j)
    state = IntermediateGradient(
        constraint,
        dimension=p,
        smoothness=1 / (2 * smoothing),
        deviation=chosen.gradient_deviation,
        radius=constraint.largest_norm,
    )

    copies = send_copies(records, degree=degree, constants=chosen, ledger=ledger)  # steps 2-9
    for i in ledger.public(lambda rng: rng.integers(n, size=n)):  # steps 10-12: t = 1..n
        margins = copies.margins(i, state.query)  # y_{i,k} <w_t, x_{i,k}>, k = jd + 1..jd + d at j
        slope = bernstein_estimate((1 + margins) / 2, weights)  # steps 13-17, sum_j of step 18
        state.update(copies.gradient(i, slope))  # steps 18, 19: G(w_t, i), times y_{i,0} x_{i,0}
    return state.output  # step 22


ENTRY = Entry(
    id="diss-5.1.33",
    name="Hinge Loss-LDP",
    sources=(Source("004", "Algorithm 5.1.33", "5016-5050"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive, for any epsilon > 0 and 0 < delta < 1 "
    "(Theorem 5.1.8)",
    utility_claim="E L(w_n) - min L <= alpha for n = O~(d^(6d) C^d p/(epsilon^(4d+4) alpha^2)), "
    "d = O(1/alpha^3) (Theorem 5.1.8)",
    function=hinge_loss_ldp,
)
