"""The exponential-mechanism step over the vertices of a polytope (hu-expmech)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, ParameterValueError, require_magnitude
from reference.basic.sums import bounded_records, rounded_mean
from reference.catalogue import Entry, Source
from reference.constraint_sets import L1Ball, VertexSet, require_vertex_set
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def l1_diameter(constraint: VertexSet, dimension: int) -> float:
    """Return ||W||_1, the largest l1 distance between two points of the set (l.109).

    It is attained at two vertices. 2 R for an l1 ball, otherwise in time quadratic and memory
    linear in the number of vertices.

    Parameters
    ----------
    constraint : VertexSet
    dimension : int
        p, of the points.

    Raises
    ------
    ValueError
        If the points do not lie in R^p, are all the same, or are so close or so far apart that
        scores might overflow.
    """
    if isinstance(constraint, L1Ball):
        return 2 * constraint.radius
    points = constraint.vertices(dimension)
    with np.errstate(over="ignore"):  # an infinite distance is refused
        diameter = max(float(np.abs(points - point).sum(axis=1).max()) for point in points)
    if diameter == 0:
        raise ParameterValueError("constraint", "have at least two different points")
    return require_magnitude("the largest l1 distance of two points of constraint", diameter)


def draw_vertex(
    ledger: Ledger,
    constraint: VertexSet,
    gradient: FloatArray,
    *,
    sensitivity: float,
    epsilon: float,
    records: slice | None = None,
) -> FloatArray:
    """Draw a vertex v with probability proportional to exp(-epsilon <v, g>/(2 sensitivity)).

    Scores are -<v - v_1, g> with v_1 the first vertex, which has the same law as -<v, g>: their
    differences change by ||W||_1 times the change of g in l-infinity at most, wherever the polytope
    lies. -<v, g> itself may change by more, and its rounding too, if it lies far from the origin.

    Parameters
    ----------
    ledger : Ledger
    constraint : VertexSet
    gradient : ndarray of shape (d,)
        g.
    sensitivity, epsilon, records
        As for :meth:`reference.privacy.ledger.Ledger.exponential`.
    """
    scores = -constraint.inner_differences(gradient)
    index = ledger.exponential(scores, sensitivity=sensitivity, epsilon=epsilon, records=records)
    return constraint.vertex(index, gradient.size)


@checked_arguments
def select_vertex(
    data: ArrayLike,
    constraint: VertexSet,
    *,
    epsilon: float,
    bound: float,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Select a vertex along which the mean of the records is small: one step of Frank and Wolfe.

    Parameters
    ----------
    data : array_like of shape (n, d)
        One gradient per record, entries cut to [-bound, bound].
    constraint : L1Ball or Polytope
        W, the convex hull of a finite set V of at least two points.
    epsilon : float
        > 0.
    bound : float
        > 0, public.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        A vertex.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data, a set that is no polytope of their dimension and
        parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon: Delta = ||W||_1 2 bound/n.
    The loss is that of the scores' differences, whose range moves by Delta: epsilon/2 is all that
    is ever spent (the accountant charges epsilon), so that Delta/2 would do.
    *Utility* (Lemma 1): <v, g> exceeds its minimum by (2 Delta/epsilon)(log |V| + t) or more with
    probability e^-t at most.

    References
    ----------
    Hu, Ni, Xiao and Wang (2022), Definition 3 (l.119), Lemma 1 (l.121-127), step 6 of Algorithm 1
    (l.210).
    """
    ledger = open_ledger(ledger)
    records = bounded_records(data, bound)
    require_vertex_set(constraint)
    n, dimension = records.shape
    diameter = l1_diameter(constraint, dimension)
    return draw_vertex(
        ledger,
        constraint,
        rounded_mean(records, bound=bound),
        sensitivity=diameter * 2 * bound / n,
        epsilon=epsilon,
    )


ENTRY = Entry(
    id="hu-expmech",
    name="Exponential-mechanism step over the vertices of a polytope",
    sources=(Source("003", "Definition 3", "119"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP with Delta = ||W||_1 times the l-infinity sensitivity of the "
    "gradient (Definition 3, step 6 of Algorithm 1)",
    utility_claim="P{u <= OPT - (2 Delta/epsilon)(log |V| + t)} <= e^-t (Lemma 1)",
    function=select_vertex,
)
