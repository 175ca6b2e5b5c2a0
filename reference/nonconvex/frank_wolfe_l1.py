"""DP Frank-Wolfe over a polytope by the exponential mechanism (diss-4.1.19, DP-FW-L1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist

from reference._validation import FloatArray, ParameterValueError, require_in_interval
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import VertexSet, require_vertex_set, starting_point
from reference.losses import Loss, probed_records, require_loss
from reference.nonconvex.random_iterate import RandomIterate, choose_iterate
from reference.parameters import checked_arguments
from reference.privacy.calibration import StepMethod, exponential_step_epsilon
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of a vertex's score -<s, grad F(x)>.
    step_epsilon : float
        Budget of one selection.
    step_size : float
        gamma in (0, 1].
    """

    sensitivity: float
    step_epsilon: float
    step_size: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_in_interval("step_size", self.step_size, 0.0, 1.0, closed=True)


@checked_arguments
def constants_for(
    loss: Loss,
    vertices: FloatArray,
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
    method: StepMethod = "accountant",
) -> Constants:
    """Return the constants that make T selections (epsilon, delta)-DP, for every epsilon > 0.

    |<s, g>| <= ||s||_1 ||g||_inf, and the gradients of a record differ by 2 G at most, so a score
    moves by 2 G max_A ||s||_1/n. A selection of budget epsilon_0 has bounded range, so it is
    epsilon_0^2/8-zCDP: epsilon_0 = sqrt(8 rho/T), or what pure DP allows if that is larger.
    The step size is the theorem's sqrt(2/T)/diameter, at most 1.

    Parameters
    ----------
    loss : Loss
    vertices : ndarray of shape (k, p)
        A.
    n : int
        Number of records.
    epsilon, delta, n_iterations
        As for :func:`dp_frank_wolfe_l1`.
    method : {"accountant", "zcdp"}
        Of :func:`~reference.privacy.calibration.exponential_step_epsilon`: the largest rho that is
        (epsilon, delta)-DP, or Lemma 2.1.10's, rho + 2 sqrt(rho log(1/delta)) = epsilon.
    """
    return Constants(
        sensitivity=2 * loss.lipschitz * float(np.abs(vertices).sum(axis=1).max()) / n,
        step_epsilon=exponential_step_epsilon(epsilon, delta, releases=n_iterations, method=method),
        step_size=min(1.0, math.sqrt(2 / n_iterations) / _diameter(vertices, "euclidean")),
    )


@checked_arguments
def constants_for_l1_smooth(
    loss: Loss,
    vertices: FloatArray,
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
    method: StepMethod = "accountant",
) -> Constants:
    """Return the constants of Algorithm 4.2.24: those of 4.1.19 but for the step size.

    Theorem 4.2.14 has sqrt(2/(M T))/||C||_1, at most 1, with the diameter in l1 and M the Lipschitz
    constant of the gradient from l1 to l-infinity, of which that in l2 is a bound. It is where
    Delta/(gamma T) + gamma M ||C||_1^2/2, the bound on the mean gap, is smallest for Delta = 1.

    Parameters
    ----------
    loss, vertices, n, epsilon, delta, n_iterations, method
        As for :func:`constants_for`.
    """
    step_size = math.sqrt(2 / (loss.smoothness * n_iterations)) / _diameter(vertices, "cityblock")
    selections = constants_for(
        loss,
        vertices,
        n=n,
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
        method=method,
    )
    return replace(selections, step_size=min(1.0, step_size))


@checked_arguments
def dp_frank_wolfe_l1(
    data: Any,
    loss: Loss,
    constraint: VertexSet,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> RandomIterate:
    """Find a point of small Frank-Wolfe gap on a polytope by private selection of vertices.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        With gradients of l-infinity norm at most G (G-Lipschitz in l1; a bound in l2 implies
        it); need not be convex. Smooth for the utility.
    constraint : L1Ball or Polytope
        C, the convex hull of a finite set A of vertices.
    initial : array_like of shape (p,)
        x_1 in C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.1.6 takes T of order n epsilon/(sqrt(log(1/delta)) log(|A| n)).
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
        On data outside the loss's domain, a starting point outside C and parameters out of
        range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0. All iterates
    are covered.
    *Utility* (Theorem 4.1.6): the expected Frank-Wolfe gap at x_R is
    O(||C||_1 log(1/delta)^{1/4} sqrt(log(n |A|/eta))/sqrt(n epsilon)) with probability 1 - eta.

    *As printed*: a proof has a factor 1/epsilon in the sensitivity of the scores (diss-4.1.19/E1),
    and epsilon_0 is said to do for every epsilon, which holds up to 48 log(1/delta)
    (diss-4.1.19/E2).

    References
    ----------
    Wang (2020), Algorithm 4.1.19 (l.2848-2857), Theorem 4.1.6 (l.2861), proof l.3052-3076.
    Algorithm 4.2.24 (l.3747-3758), Theorem 4.2.14 (l.3762), is the same with L for G and the step
    of :func:`constants_for_l1_smooth`.
    """
    ledger = open_ledger(ledger)
    require_loss(loss, norm="l-infinity")
    require_vertex_set(constraint)
    x = starting_point(initial, constraint)
    records = probed_records(loss, data, x)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        constraint.vertices(x.size),
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )

    path = [x]
    for _ in range(n_iterations):  # step 1
        scores = -constraint.inner_products(loss.gradient(records, x))
        vertex = ledger.exponential(
            scores, sensitivity=chosen.sensitivity, epsilon=chosen.step_epsilon
        )  # step 2
        x = x + chosen.step_size * (constraint.vertex(vertex, x.size) - x)  # step 3
        path.append(x)
    return choose_iterate(path, ledger)  # step 5


def _diameter(points: FloatArray, metric: Literal["euclidean", "cityblock"]) -> float:
    """Return the largest distance between two points, in l2 or in l1, or raise if it is 0."""
    diameter = float(pdist(points, metric).max(initial=0.0))
    if diameter == 0:
        raise ParameterValueError("constraint", "have at least two different points")
    return diameter


ENTRY = Entry(
    id="diss-4.1.19",
    name="DP-FW-L1: private Frank-Wolfe by selection of vertices",
    sources=(
        Source("004", "Algorithm 4.1.19", "2848-2857"),
        Source("004", "Algorithm 4.2.24", "3747-3758"),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for any epsilon, delta > 0 (Theorem 4.1.6)",
    utility_claim="E gap(x_R) = O(||C||_1 log(1/delta)^{1/4} sqrt(log(n |A|/eta))/"
    "sqrt(n epsilon)) with probability 1 - eta (Theorem 4.1.6)",
    function=dp_frank_wolfe_l1,
    aliases=("diss-4.2.24",),
)
