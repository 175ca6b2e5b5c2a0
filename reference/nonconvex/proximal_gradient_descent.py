"""DP proximal (projected) gradient descent for non-convex losses (diss-4.1.16, DP-PGD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.losses import Loss, probed_records, require_loss
from reference.nonconvex.random_iterate import RandomIterate, choose_iterate
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import NoRegularizer, Regularizer, proximal_step, require_regularizer


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the gradient of F, in l2.
    noise_scale : float
        sigma, the standard deviation of the noise on every coordinate of it.
    step_size : float
        gamma.
    """

    sensitivity: float
    noise_scale: float
    step_size: float


@checked_arguments
def constants_for(
    loss: Loss,
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make T noisy gradients (epsilon, delta)-DP, for every epsilon > 0.

    The gradients of a record differ by 2G at most, so their mean moves by 2G/n. The step size is
    the theorem's 1/(2L).

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    epsilon, delta, n_iterations
        As for :func:`dp_proximal_gradient_descent`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the T releases are accounted. ``"zcdp"`` is the paper's way: sigma^2 = 2 G^2 T/(n^2 rho)
        with rho + 2 sqrt(rho log(1/delta)) = epsilon (l.2738, with G and not L).
    """
    sensitivity = 2 * loss.lipschitz / n
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
        step_size=1 / (2 * loss.smoothness),
    )


@checked_arguments
def dp_proximal_gradient_descent(
    data: Any,
    loss: Loss,
    constraint: Ball | None = None,
    regularizer: Regularizer | None = None,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> RandomIterate:
    """Find an approximately stationary point of F(x) + r(x) over C by noisy proximal gradient.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2; need not be convex. L-smooth for the utility.
    constraint : L2Ball or L1Ball, optional
        C, public and, for the utility, convex; the whole space by default.
    regularizer : Regularizer, optional
        r, public; none by default.
    initial : array_like of shape (p,)
        x_1 in C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.1.2 takes T of order n epsilon/sqrt(p log(1/delta)).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    RandomIterate
        ``output`` is x_R with R uniform on {1, ..., T}; ``path`` holds x_1, ..., x_{T+1}.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a set that is not
        convex, a starting point outside C and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly: T
    Gaussian releases of l2 sensitivity 2G/n. All iterates are covered, not only x_R.
    *Utility* (Theorem 4.1.2): the expected norm of (x_R - x_{R+1})/gamma is
    O((p log(1/delta))^{1/4}/sqrt(n epsilon)).

    *As printed*: sigma^2 in step 3 has rho^2 for rho (diss-4.1.16/E1) and the smoothness L for the
    Lipschitz constant G (diss-4.1.16/E2), and constants c, c_1 that hold for every epsilon and
    delta do not exist (diss-4.1.16/E3).

    References
    ----------
    Wang (2020), Algorithm 4.1.16 (l.2705-2714), Theorems 4.1.1 and 4.1.2 (l.2718-2728).
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    if constraint is None:
        x = require_array("initial", initial, ndim=1).copy()
    else:
        require_ball(constraint, convex=True)
        x = starting_point(initial, constraint)
    if regularizer is None:
        regularizer = NoRegularizer()
    require_regularizer(regularizer)
    records = probed_records(loss, data, x)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )

    path = [x]
    for _ in range(n_iterations):  # step 1
        gradient = ledger.gaussian(  # step 2
            loss.gradient(records, x), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        x = proximal_step(
            x,
            gradient,
            step_size=chosen.step_size,
            regularizer=regularizer,
            constraint=constraint,
        )
        path.append(x)
    return choose_iterate(path, ledger)  # step 5


ENTRY = Entry(
    id="diss-4.1.16",
    name="DP-PGD: private proximal gradient descent",
    sources=(Source("004", "Algorithm 4.1.16", "2705-2714"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_1 T, 0 < delta < 1 with "
    "sigma^2 = c G^2 T log(1/delta)/(n^2 epsilon^2), some c (Theorem 4.1.1)",
    utility_claim="E||(x_R - x_{R+1})/gamma||_2 = O((p log(1/delta))^{1/4}/sqrt(n epsilon)) "
    "(Theorem 4.1.2)",
    function=dp_proximal_gradient_descent,
)
