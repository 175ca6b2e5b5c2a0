"""DP Frank-Wolfe over a polytope by the exponential mechanism (diss-4.1.19, DP-FW-L1)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_count,
    require_delta,
    require_in_interval,
    require_positive,
)
from reference.catalogue import Entry, Erratum, Source
from reference.constraint_sets import VertexSet, starting_point
from reference.losses import Loss
from reference.nonconvex.random_iterate import RandomIterate, choose_iterate
from reference.privacy.calibration import exponential_step_epsilon
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def published_step_epsilon(epsilon: float, delta: float, *, n_iterations: int) -> float:
    """Return the paper's budget of one selection, epsilon/sqrt(8 T log(1/delta)). Step 2, l.2853.

    Valid for epsilon <= 48 log(1/delta) and four times too cautious for small epsilon.
    """
    return epsilon / math.sqrt(8 * n_iterations * math.log(1 / delta))


def dp_frank_wolfe_l1(
    data: Any,
    loss: Loss,
    constraint: VertexSet,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    step_size: float | None = None,
    as_published: bool = False,
    published_sensitivity: bool = False,
    ledger: Ledger | None = None,
) -> RandomIterate:
    """Find a point of small Frank-Wolfe gap on a polytope by private selection of vertices.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        Differentiable, with gradients of l-infinity norm at most G (G-Lipschitz in l1; a bound
        in l2 implies it); need not be convex.
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
    step_size : float, optional
        gamma in (0, 1]; by default the theorem's sqrt(2/T)/diameter of C in l2, at most 1.
    as_published : bool, default False
        Spend the paper's :func:`published_step_epsilon` on every selection, whose guarantee ends
        at epsilon = 48 log(1/delta), instead of
        :func:`~reference.privacy.calibration.exponential_step_epsilon`.
    published_sensitivity : bool, default False
        Claim the sensitivity of the scores printed in the proof (l.3054), which has a spurious
        1/epsilon: each selection then costs epsilon times its budget.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 by default: a
    selection of budget epsilon_0 has bounded range, so it is epsilon_0^2/8-zCDP, and
    epsilon_0 = sqrt(8 rho/T) with rho + 2 sqrt(rho log(1/delta)) = epsilon. The score
    -<s, grad F(x)> of a vertex s moves by at most 2 G max_A ||s||_1/n. All iterates are covered.
    *Utility* (Theorem 4.1.6): the expected Frank-Wolfe gap at x_R is
    O(||C||_1 log(1/delta)^{1/4} sqrt(log(n |A|/eta))/sqrt(n epsilon)) with probability 1 - eta.
    *Errata*: see ``as_published`` and ``published_sensitivity``.

    References
    ----------
    Seed 004, Algorithm 4.1.19 (l.2848-2857), Theorem 4.1.6 (l.2861), proof l.3052-3076.
    """
    ledger = open_ledger(ledger)
    x = starting_point(initial, constraint)
    records = loss.validate(data, x.size)
    vertices = constraint.vertices(x.size)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    require_count("n_iterations", n_iterations)
    if step_size is None:
        step_size = min(1.0, math.sqrt(2 / n_iterations) / _diameter(vertices))
    require_in_interval("step_size", step_size, 0.0, 1.0, closed=True)
    require_positive("step_size", step_size)

    # |<s, g>| <= ||s||_1 ||g||_inf, and the gradients of a record differ by 2 G at most
    sensitivity = (
        2 * loss.lipschitz * float(np.abs(vertices).sum(axis=1).max()) / loss.size(records)
    )
    if as_published:
        step_epsilon = published_step_epsilon(epsilon, delta, n_iterations=n_iterations)
    else:
        step_epsilon = exponential_step_epsilon(epsilon, delta, releases=n_iterations)
    if published_sensitivity:
        sensitivity /= epsilon
    path = [x]
    for _ in range(n_iterations):  # step 1
        scores = -constraint.inner_products(loss.gradient(records, x))
        chosen = ledger.exponential(scores, sensitivity=sensitivity, epsilon=step_epsilon)  # 2
        x = (1 - step_size) * x + step_size * constraint.vertex(chosen, x.size)  # step 3
        path.append(x)
    return choose_iterate(path, ledger)  # step 5


def _diameter(points: FloatArray) -> float:
    """Return the largest l2 distance between two points."""
    squares = (points**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * points @ points.T
    return math.sqrt(max(float(distances.max()), 0.0))


ENTRY = Entry(
    id="diss-4.1.19",
    name="DP-FW-L1: private Frank-Wolfe by selection of vertices",
    sources=(Source("004", "Algorithm 4.1.19", "2848-2857"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for any epsilon, delta > 0 (Theorem 4.1.6)",
    utility_claim="E gap(x_R) = O(||C||_1 log(1/delta)^{1/4} sqrt(log(n |A|/eta))/"
    "sqrt(n epsilon)) with probability 1 - eta (Theorem 4.1.6)",
    function=dp_frank_wolfe_l1,
    errata=(
        Erratum(
            number=1,
            kind="privacy",
            origin="misprint",
            statement="l.3054: the scores have sensitivity O(||C||_1 G/(n epsilon))",
            truth="2 G max_A ||s||_1/n, without 1/epsilon (l.3768 has it right); taken literally "
            "each step costs epsilon epsilon_0",
            witness="d = 1, A = {+1, -1}, f = G z x, T = 1000, delta = 1e-4: delta(5) = 1.05e-3, "
            "delta(8) = 0.297; T = 10: delta(8) = 0.227",
            reproduced_by="audit:published/privacy_loss",
        ),
        Erratum(
            number=2,
            kind="privacy",
            origin="mathematical",
            statement="Theorem 4.1.6 (and 4.2.14): (epsilon, delta)-DP for any epsilon, delta > 0 "
            "with epsilon_0 = epsilon/sqrt(8 T log(1/delta))",
            truth="only for epsilon <= 48 log(1/delta) (8 log(1/delta) for a general "
            "epsilon_0-DP step)",
            witness="same instance, delta = 0.01, T = 4000: delta(500) = 1.000; delta = 0.25, "
            "T = 80: delta(150) = 0.951",
            reproduced_by="audit:published-2/privacy_loss",
        ),
    ),
)
