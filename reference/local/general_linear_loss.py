"""Convex losses of a margin without interaction (diss-5.1.34, General Linear-LDP)."""

from __future__ import annotations

from typing import Any

from reference._validation import FloatArray, require_kind
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import Ball
from reference.local.hinge_loss import send_copies
from reference.local.intermediate_gradient import IntermediateGradient
from reference.local.margin_losses import MarginLoss, sample_thresholds
from reference.local.noisy_copies import (
    Constants,
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
    """Return the constants with given noise.

    The slope's estimate is (b - a) times that of the polynomial, plus a: b - a <= 2, |a| <= 1.
    """
    outer, polynomial = estimate_deviation(
        dimension=dimension, degree=degree, pair_noise=pair, factor_noise=factor, width=4.0
    )
    return Constants(pair, factor, outer * (2 * polynomial + 1))


@checked_arguments
def general_linear_ldp(
    data: Any,
    loss: MarginLoss,
    constraint: Ball,
    *,
    epsilon: float,
    delta: float,
    smoothing: float,
    degree: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise the mean of f(y <w, x>) over records that users never show.

    f is a mean of absolute values |t - s|, s ~ Q; a step draws one s and takes the slope of the
    smoothed |t - s|, by the noisy copies of one user.

    Parameters
    ----------
    data : (features, labels)
        One row x_i of shape (p,) and one y_i per user. Rows longer than 1 are scaled to norm 1,
        labels are cut to [-1, 1].
    loss : MarginLoss
        f, convex and 1-Lipschitz on [-1, 1]. Users need not know it.
    constraint : Ball
        C, closed, convex and within the unit ball (Assumption 2).
    epsilon : float
        Budget of every user, > 0.
    delta : float
        In (0, 1).
    smoothing : float
        beta in (0, 1]. Theorem 5.1.9 takes alpha/4 for an error alpha.
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
    *Guarantee*: (epsilon, delta)-LDP, non-interactive, for every epsilon > 0: users send what they
    send in :func:`~reference.local.hinge_loss.hinge_loss_ldp`.

    *Utility* (Theorem 5.1.9): that of Theorem 5.1.8. The surrogate F_beta has
    F'_beta(t) = (b - a) E h'_beta((t - s)/2) + a, |F_beta - f| <= (b - a) beta and
    F''_beta <= (b - a)/(4 beta). At genuine noise it is out of reach of any n.

    *As printed*: line 13 draws an s_k for every factor, where all factors of a step need the same s
    (diss-5.1.34/E1). Line 19 adds f'(-1) after the product with y_{i,0} x_{i,0} (diss-5.1.34/E2).
    The nodes j/d are for arguments in [0, 1], and (t - s)/2 is in [-1, 1] (diss-5.1.34/E3): here
    they are 2j/d - 1, and the factors (2 + t - s)/4. What is returned as w_n is SIGM's output y_n
    (diss-5.1.34/E4).

    References
    ----------
    Wang (2020), Algorithm 5.1.34 (l.5103-5135), Theorem 5.1.9 (l.5095), proof l.5479-5527.
    """
    ledger = open_ledger(ledger)
    require_kind("loss", loss, MarginLoss, "a reference.local.margin_losses.MarginLoss")
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
    low, high = loss.slopes  # f'(-1) and f'(1)
    weights = bernstein_weights(smoothed_step(nodes(degree), smoothing))  # step 1
    state = IntermediateGradient(
        constraint,
        dimension=p,
        smoothness=1 / (2 * smoothing),
        deviation=chosen.gradient_deviation,
        radius=constraint.largest_norm,
    )

    copies = send_copies(records, degree=degree, constants=chosen, ledger=ledger)  # steps 2-9
    users = ledger.public(lambda rng: rng.integers(n, size=n))
    thresholds = ledger.public(lambda rng: sample_thresholds(loss, n, rng))
    for user, s in zip(users, thresholds, strict=True):  # steps 11-13
        shifted = (copies.margins(user, state.query) - s) / 2
        slope = bernstein_estimate((1 + shifted) / 2, weights)  # steps 14-18
        state.update(copies.gradient(user, (high - low) * slope + low))  # steps 19, 20
    return state.output


ENTRY = Entry(
    id="diss-5.1.34",
    name="General Linear-LDP",
    sources=(Source("004", "Algorithm 5.1.34", "5103-5135"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive, for epsilon, delta in (0, 1] "
    "(Theorem 5.1.9)",
    utility_claim="E L(w_n) - min L <= alpha for n = O~(d^(6d) C^d p/(epsilon^(4d+4) alpha^2)), "
    "d = O(1/alpha^3), for every convex 1-Lipschitz f (Theorem 5.1.9)",
    function=general_linear_ldp,
)
