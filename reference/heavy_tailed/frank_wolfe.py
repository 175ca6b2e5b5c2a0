"""Frank-Wolfe over a polytope with robust gradients, one block of records per step (hu-1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_in_interval, require_magnitude, require_steps
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import VertexSet, require_vertex_set, starting_point
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.heavy_tailed.vertex_selection import draw_vertex, l1_diameter
from reference.losses import RecordLoss, require_record_loss
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def step_size_at(t: int) -> float:
    """Return eta_{t-1} = 2/(t + 2), the step size of Theorem 2 in iteration t = 1, 2, ..."""
    return 2 / (t + 2)


@checked_arguments
def recommended_truncation_scale(
    *,
    second_moment: float,
    n: int,
    n_iterations: int,
    dimension: int,
    n_vertices: int,
    epsilon: float,
    failure_probability: float,
    precision: float = 1.0,
) -> float:
    """Return the scale s that makes the proof's bound on the error of a step smallest.

    With probability 1 - zeta, in every one of T steps on m = floor(n/T) records the chosen vertex
    v has <v, grad L> within ||W||_1 (A/s + B s/m) of the smallest, where
    A = tau (1 + 1/beta)/2 and
    B = beta/2 + log(4 d T/zeta) + 8 sqrt(2) log(2 |V| T/zeta)/(3 epsilon):
    bias, spread (for every coordinate and step) and noise (Lemma 1). The smallest value,
    2 ||W||_1 sqrt(A B/m), is at s = sqrt(A m/B).

    Parameters
    ----------
    second_moment : float
        tau > 0, a bound on the second moment of every entry of the gradient; public.
    n, n_iterations : int
        Number of records, and T <= n.
    dimension, n_vertices : int
        d and |V|, >= 1.
    epsilon : float
        > 0. Nothing limits it: without noise the spread still counts.
    failure_probability : float
        zeta in (0, 1).
    precision : float, default 1.0
        beta > 0.

    Returns
    -------
    float
        In units of the gradient.

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    require_steps("n_iterations", n_iterations, at_most=n)
    bias, spread = _error_terms(
        second_moment, n_iterations, dimension, n_vertices, epsilon, failure_probability, precision
    )
    return math.sqrt(bias * (n // n_iterations) / spread)


@checked_arguments
def recommended_iterations(
    *,
    smoothness: float,
    diameter: float,
    second_moment: float,
    n: int,
    dimension: int,
    n_vertices: int,
    epsilon: float,
    failure_probability: float,
    precision: float = 1.0,
) -> int:
    """Return the T that makes the bound of Theorem 2 smallest, in explicit constants.

    With the scale of :func:`recommended_truncation_scale` the excess risk is at most
    2 C/T + 2 ||W||_1 sqrt(A B T/n) (but for the starting point's 2 h_0/T^2), where
    C = alpha ||W||_1^2 bounds the curvature: T = (4 alpha^2 ||W||_1^2 n/(A B))^(1/3), with
    log n in place of the log T in B. The printed T lacks ||W||_1 (erratum hu-1/E1).

    Parameters
    ----------
    smoothness : float
        alpha > 0, of the risk in l2.
    diameter : float
        ||W||_1 > 0, see :func:`reference.heavy_tailed.vertex_selection.l1_diameter`.
    second_moment, n, dimension, n_vertices, epsilon, failure_probability, precision
        As for :func:`recommended_truncation_scale`.

    Returns
    -------
    int
        In 1, ..., n.

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    alpha = require_magnitude("smoothness", smoothness)
    bias, spread = _error_terms(
        second_moment, n, dimension, n_vertices, epsilon, failure_probability, precision
    )
    best: float = (4 * (alpha * diameter) ** 2 * n / (bias * spread)) ** (1 / 3)
    return min(max(round(best), 1), n)


def _error_terms(
    second_moment: float,
    n_iterations: int,
    dimension: int,
    n_vertices: int,
    epsilon: float,
    failure_probability: float,
    precision: float,
) -> tuple[float, float]:
    """Return A and B of :func:`recommended_truncation_scale`."""
    tau, beta, zeta, d, k = second_moment, precision, failure_probability, dimension, n_vertices
    # half of zeta for the means, half for the selections
    means = beta / 2 + math.log(4 * d * n_iterations / zeta)
    selections = 8 * math.sqrt(2) / (3 * epsilon) * math.log(2 * k * n_iterations / zeta)
    return tau * (1 + 1 / beta) / 2, means + selections


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of a difference of two vertices' scores.
    step_epsilon : float
        Budget of one selection.
    """

    sensitivity: float
    step_epsilon: float


@checked_arguments
def constants_for(
    *, batch_size: int, diameter: float, epsilon: float, truncation_scale: float
) -> Constants:
    """Return the constants that make a selection on a batch of m records epsilon-DP.

    The sensitivity is the paper's ||W||_1 4 sqrt(2) s/(3 m), with the l1 diameter of W. The score
    -<v, g> of a vertex v may move by more, max_V ||v||_1 4 sqrt(2) s/(3 m), if W lies far from the
    origin. The selection depends on differences of scores alone, which do not: -<v - v_1, g> is
    released, with v_1 the first vertex, which the diameter does bound and which is selected by the
    very same law. As only differences count, a selection is (epsilon/2) erf(sqrt(beta/2))-DP and
    no better: half of the claimed sensitivity would do.

    Parameters
    ----------
    batch_size : int
        m.
    diameter : float
        ||W||_1, see :func:`reference.heavy_tailed.vertex_selection.l1_diameter`.
    epsilon, truncation_scale
        As for :func:`heavy_tailed_frank_wolfe`.
    """
    return Constants(
        sensitivity=diameter * mean_sensitivity(batch_size, scale=truncation_scale),
        step_epsilon=epsilon,
    )


@checked_arguments
def heavy_tailed_frank_wolfe(
    data: Any,
    loss: RecordLoss,
    constraint: VertexSet,
    *,
    initial: ArrayLike,
    epsilon: float,
    truncation_scale: float,
    precision: float = 1.0,
    n_iterations: int,
    step_size: float | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise a risk over a polytope when gradients have a second moment and nothing more.

    The records are split into T blocks. Step t takes the robust mean of the gradients of block t,
    entry by entry, and selects a vertex by the exponential mechanism.

    Parameters
    ----------
    data
        Records of ``loss``: n of them, in an order that does not depend on their values. Block t
        is records (t-1) m, ..., t m - 1 with m = floor(n/T); the last n - T m are not used.
    loss : RecordLoss
        Differentiable in w. Theorem 2 needs a convex and smooth risk, privacy nothing.
    constraint : L1Ball or Polytope
        W, the convex hull of a finite set V of at least two points.
    initial : array_like of shape (d,)
        w^0 in W, public.
    epsilon : float
        > 0.
    truncation_scale : float
        s > 0, in units of the gradient, public. See :func:`recommended_truncation_scale`.
    precision : float, default 1.0
        beta > 0, inverse variance of the smoothing.
    n_iterations : int
        T, 1 <= T <= n, public. See :func:`recommended_iterations`.
    step_size : float, optional
        eta in (0, 1], the same in every step (Theorem 3: 1/sqrt(T)); by default 2/(t + 2) in
        step t (Theorem 2).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        w^T, in W.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a starting point outside W, a W of a single point and
        parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 1): epsilon-DP, central, replace-one, for every epsilon > 0: a record is
    in one block and changes one selection. All iterates are covered.

    *Utility*: with the recommended scale and T, ``step_size=None`` and a convex alpha-smooth risk
    whose gradients have second moments at most tau in every entry, the excess risk is
    O(||W||_1^(4/3) (alpha tau log(n |V| d/zeta)/(n min(epsilon, 1)))^(1/3)) with probability
    1 - zeta (Theorem 2, corrected). For robust regression, where the risk is not convex,
    ``step_size`` = 1/sqrt(T) with T of order sqrt(n epsilon) gives (n epsilon)^(-1/4) (Theorem 3).

    References
    ----------
    Hu, Ni, Xiao and Wang (2022), Algorithm 1 (l.201-214), Theorems 1-3 and Corollary 1 (l.216-241).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.constraint_sets import L1Ball
    >>> from reference.losses import SquaredError
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_t(5, (50_000, 3))
    >>> y = x @ [0.8, 0.0, 0.0] + rng.standard_t(3, 50_000)
    >>> w = heavy_tailed_frank_wolfe(
    ...     (x, y), SquaredError(), L1Ball(1.0), initial=np.zeros(3), epsilon=1.0,
    ...     truncation_scale=40.0, n_iterations=15, ledger=Ledger(0),
    ... )
    >>> bool(abs(w[0] - 0.8) < 0.2)
    True
    """
    ledger = open_ledger(ledger)
    require_record_loss(loss)
    require_vertex_set(constraint)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    diameter = l1_diameter(constraint, w.size)
    require_steps("n_iterations", n_iterations, at_most=loss.size(records))
    if step_size is not None:
        require_in_interval("step_size", step_size, 0.0, 1.0, closed=True)

    batches = disjoint_blocks(loss.size(records), n_iterations)  # step 2
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        batch_size=batches[0].stop,
        diameter=diameter,
        epsilon=epsilon,
        truncation_scale=truncation_scale,
    )
    for t, batch in enumerate(batches, start=1):  # step 3
        gradient = truncated_mean(  # steps 4 and 5
            loss.gradients(take_records(records, batch), w),
            scale=truncation_scale,
            precision=precision,
        )
        vertex = draw_vertex(  # step 6
            ledger,
            constraint,
            gradient,
            sensitivity=chosen.sensitivity,
            epsilon=chosen.step_epsilon,
            records=batch,
        )
        eta = step_size_at(t) if step_size is None else step_size
        w = (1 - eta) * w + eta * vertex  # step 7
    return w


ENTRY = Entry(
    id="hu-1",
    name="Heavy-tailed DP-FW: Frank-Wolfe with robust gradients",
    sources=(Source("003", "Algorithm 1", "201-214"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP for any epsilon > 0 (Theorem 1)",
    utility_claim="excess risk O(||W||_1 (alpha tau log(n |V| d/zeta))^{1/3}/(n epsilon)^{1/3}) "
    "with probability 1 - zeta (Theorem 2); O(lambda_max log^{1/4}(d n/zeta)/(n epsilon)^{1/4}) "
    "for robust regression (Theorem 3)",
    function=heavy_tailed_frank_wolfe,
)
