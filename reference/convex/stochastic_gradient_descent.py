"""DP-SGD, with which section 3.1 compares, and its accountant (diss-2.sgd-accountant)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_count, require_kind, require_magnitude
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L1Ball, L2Ball, starting_point
from reference.convex.variance_reduction import amplified_batch_size
from reference.losses import Loss, probed_records, require_loss
from reference.parameters import checked_arguments
from reference.privacy.calibration import (
    Method,
    smallest_gaussian_scale,
    smallest_sampled_gaussian_scale,
)
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import NoRegularizer, Regularizer, proximal_step, require_regularizer


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    batch_size : int
        b, records in a stochastic gradient; n means no sampling.
    sensitivity : float
        Of the mean gradient of a batch, in l2.
    noise_scale : float
        The standard deviation of the noise on every coordinate of it.
    step_size, decay : float
        Step t has size step_size/t^decay.
    """

    batch_size: int
    sensitivity: float
    noise_scale: float
    step_size: float
    decay: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("batch_size", self.batch_size)


@checked_arguments
def constants_for(
    loss: Loss,
    radius: float,
    *,
    n: int,
    dimension: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
    strong_convexity: float = 0.0,
    batch_size: int | None = None,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make K noisy gradients (epsilon, delta)-DP, for every epsilon > 0.

    A record of the batch moves its mean gradient by 2G/b, and no other moves it. The noise of a
    sampled batch is the smallest that the losses of :mod:`reference.privacy.subsampling` certify.

    A noisy gradient has a second moment of at most M = G^2 + p sigma^2. The step sizes are those
    for a gradient of that size over a set of diameter D = 2 radius: D/sqrt(M t), and 1/(mu t) if
    the risk is mu-strongly convex.

    Parameters
    ----------
    loss : Loss
    radius : float
        Largest l2 norm in C, > 0.
    n : int
        Number of records.
    dimension : int
        p.
    epsilon, delta, n_iterations, strong_convexity
        As for :func:`dp_sgd`.
    batch_size : int, optional
        b in {1, ..., n}, by default
        :func:`~reference.convex.variance_reduction.amplified_batch_size`: single records for the
        K = n^2 of the tables, if epsilon <= sqrt(log(1/delta)).
    method : {"gaussian-dp", "zcdp", "pld"}
        How the K releases are accounted where b = n.
    """
    if batch_size is None:
        batch_size = amplified_batch_size(n, epsilon=epsilon, delta=delta, releases=n_iterations)
    require_count("batch_size", batch_size, at_most=n)
    sensitivity = 2 * loss.lipschitz / batch_size
    noise_scale = (
        smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        )
        if batch_size == n
        else smallest_sampled_gaussian_scale(
            epsilon,
            delta,
            population=n,
            size=batch_size,
            sensitivity=sensitivity,
            releases=n_iterations,
        )
    )
    if strong_convexity:
        require_magnitude("strong_convexity", strong_convexity)
        step_size, decay = 1 / strong_convexity, 1.0
    else:
        size = math.hypot(loss.lipschitz, math.sqrt(dimension) * noise_scale)
        step_size, decay = 2 * radius / size, 0.5
    return Constants(batch_size, sensitivity, noise_scale, step_size, decay)


@checked_arguments
def dp_sgd(
    data: Any,
    loss: Loss,
    constraint: L2Ball | L1Ball,
    regularizer: Regularizer | None = None,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    strong_convexity: float = 0.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise F(x) + r(x) over C privately by stochastic gradients with noise.

    With b = n it is noisy gradient descent on the whole data set: DP-SVRG with one inner step an
    epoch, and, but for what is returned, DP-PGD (diss-4.1.16) and DP-GD (diss-4.3.25). The DP-GD
    with which section 3.1 compares is output perturbation (diss-3.1.baselines); what table 3.3
    compares with are mirror descent and Frank-Wolfe, whose steps are those of diss-4.1.18,
    diss-4.1.17 and diss-4.1.19.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2. Convex for the utility; the guarantee does not need it.
    constraint : L2Ball or L1Ball
        C.
    regularizer : Regularizer, optional
        r, public; convex for the utility. None by default.
    initial : array_like of shape (p,)
        In C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        K >= 1. The tables have K of order n^2, with single records.
    strong_convexity : float, default 0.0
        mu >= 0 of F + r; a wrong value costs accuracy, not privacy.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        The last iterate.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a set that is no
        such ball, a starting point outside it and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0.
    *Utility* (tables 3.1 and 3.2; Shamir and Zhang, 2013, for r = 0): with M = G^2 + p sigma^2 the
    excess risk is at most 2 D sqrt(M/K) (2 + log K), and 17 M (1 + log K)/(mu K) if mu > 0. With
    sigma of the order of G sqrt(K log(1/delta))/(n epsilon) and K = n^2 these are
    sqrt(p log(1/delta)) log(n)/(n epsilon) and p log(1/delta) log(n)/(mu (n epsilon)^2).

    *As printed*: the noise on the mean of a lot is G sigma/n, where G sigma/l is needed
    (diss-2.sgd-accountant/E1).

    References
    ----------
    Wang (2020), tables 3.1 and 3.2 (l.560, l.582), without pseudo-code, and Lemma 2.1.7 (l.404);
    Bassily, Smith and Thakurta (2014); Abadi et al. (2016).
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    require_kind("constraint", constraint, (L2Ball, L1Ball), "an L2Ball or L1Ball")
    if regularizer is None:
        regularizer = NoRegularizer()
    require_regularizer(regularizer)
    x = starting_point(initial, constraint)
    records = probed_records(loss, data, x, batches=True)
    if strong_convexity:
        require_magnitude("strong_convexity", strong_convexity)
    n = loss.size(records)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        constraint.radius,
        n=n,
        dimension=x.size,
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
        strong_convexity=strong_convexity,
    )
    require_count("batch_size", chosen.batch_size, at_most=n)

    for t in range(1, n_iterations + 1):
        sample = ledger.subsample(n, chosen.batch_size) if chosen.batch_size < n else None
        gradient = ledger.gaussian(
            loss.gradient(records, x, None if sample is None else sample.indices),
            sensitivity=chosen.sensitivity,
            scale=chosen.noise_scale,
            sample=sample,
        )
        x = proximal_step(
            x,
            gradient,
            step_size=chosen.step_size / t**chosen.decay,
            regularizer=regularizer,
            constraint=constraint,
        )
    return x


ENTRY = Entry(
    id="diss-2.sgd-accountant",
    name="DP-SGD: private stochastic gradient descent",
    sources=(
        Source("004", "Lemma 2.1.7", "404"),
        Source("004", "Tables 3.1 and 3.2", "556-590"),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for epsilon < c_1 q^2 T with noise of standard deviation "
    "G sigma/n and sigma >= c_2 q sqrt(T log(1/delta))/epsilon, some c_1, c_2 (Lemma 2.1.7)",
    utility_claim="excess risk of order p log^2(n)/(n epsilon)^2 for strongly convex risks, "
    "sqrt(p) log^{3/2}(n)/(n epsilon) for convex ones (tables 3.1 and 3.2)",
    function=dp_sgd,
    aliases=("diss-3.1.baselines-sgd",),
)
