"""Baselines of private optimisation: no privacy, and naive clipping.

By Wang (2020), section 3.2, and Hu, Ni, Xiao and Wang (2022). Robust gradient descent ([148],
Holland and Ikeda; "RGD" in plots) is Algorithm 3.2.8 without its noise. The others use plain means
of the gradients, whose entries are limited to a huge constant, so that no record makes the
arithmetic overflow.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_magnitude, require_steps
from reference.basic.sums import rounded_mean
from reference.clipping import clip_entries, clip_rows
from reference.constraint_sets import (
    Ball,
    VertexSet,
    require_ball,
    require_vertex_set,
    starting_point,
)
from reference.heavy_tailed.known_variance_gradient_descent import known_variance_gradient_descent
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
from reference.losses import RecordLoss, require_record_loss
from reference.per_record import require_per_record_gradients
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.ledger import Ledger, NoiselessLedger, open_ledger

_LARGEST = 1e150  # its square is finite


def _finite_gradients(loss: RecordLoss, records: Any, w: FloatArray) -> FloatArray:
    """Return the gradients of the records, shape (n, d), with entries in [-1e150, 1e150]."""
    return clip_entries(loss.gradients(records, w), _LARGEST)


def robust_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    second_moment: float,
    failure_probability: float,
    step_size: float,
    n_iterations: int,
) -> FloatArray:
    """Return w^T of robust gradient descent: Algorithm 3.2.8 with Z = 0. Not private.

    Parameters
    ----------
    data, loss, constraint, initial, second_moment, failure_probability, step_size, n_iterations
        As for :func:`~reference.heavy_tailed.known_variance_gradient_descent`.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        As there.

    References
    ----------
    Wang (2020), l.1684.
    """
    return known_variance_gradient_descent(
        data,
        loss,
        constraint,
        initial=initial,
        epsilon=1.0,  # without noise the budget has no effect
        delta=0.5,
        second_moment=second_moment,
        failure_probability=failure_probability,
        step_size=step_size,
        n_iterations=n_iterations,
        ledger=NoiselessLedger(),
    )


def stochastic_robust_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    second_moment: float,
    failure_probability: float,
    batch_size: int,
    step_size: float = 1.0,
) -> FloatArray:
    """Return the average iterate of one pass of robust gradient descent. Not private.

    Parameters
    ----------
    data, loss, constraint, initial, second_moment, failure_probability, batch_size, step_size
        As for :func:`~reference.heavy_tailed.stochastic_gradient_descent`.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        As there.

    References
    ----------
    Wang (2020), l.1684-1690.
    """
    return stochastic_gradient_descent(
        data,
        loss,
        constraint,
        initial=initial,
        epsilon=1.0,  # without noise the budget has no effect
        delta=0.5,
        second_moment=second_moment,
        failure_probability=failure_probability,
        batch_size=batch_size,
        step_size=step_size,
        ledger=NoiselessLedger(),
    )


def projected_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    step_size: float,
    n_iterations: int,
) -> FloatArray:
    """Return w^T of w^t = P_W(w^{t-1} - eta nabla F(w^{t-1}, D)). Not private.

    Parameters
    ----------
    data
        Records of ``loss``.
    loss : RecordLoss
    constraint : L2Ball, L1Ball or SparseVectors
        W. With :class:`~reference.constraint_sets.SparseVectors` it is iterative hard thresholding.
    initial : array_like of shape (d,)
        w^0 in W.
    step_size : float
        eta > 0.
    n_iterations : int
        T >= 1.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a starting point outside W and parameters out of range.
    """
    require_record_loss(loss)
    require_ball(constraint)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    require_magnitude("step_size", step_size)
    for _ in range(require_steps("n_iterations", n_iterations)):
        gradient = _finite_gradients(loss, records, w).mean(axis=0)
        w = constraint.project(w - step_size * gradient)
    return w


def frank_wolfe(
    data: Any,
    loss: RecordLoss,
    constraint: VertexSet,
    *,
    initial: ArrayLike,
    n_iterations: int,
) -> FloatArray:
    """Return w^T of Frank-Wolfe with steps 2/(t+2), t = 1, ..., T. Not private.

    Parameters
    ----------
    data
        Records of ``loss``.
    loss : RecordLoss
    constraint : L1Ball or Polytope
        W.
    initial : array_like of shape (d,)
        w^0 in W.
    n_iterations : int
        T >= 1.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a starting point outside W and parameters out of range.

    References
    ----------
    Hu, Ni, Xiao and Wang (2022), Algorithm 1 (l.200-216) without truncation and with the exact
    minimiser.
    """
    require_record_loss(loss)
    require_vertex_set(constraint)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    for t in range(1, require_steps("n_iterations", n_iterations) + 1):
        gradient = _finite_gradients(loss, records, w).mean(axis=0)
        step = 2 / (t + 2)
        w = (1 - step) * w + step * constraint.linear_minimizer(gradient)
    return w


def clipped_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    clipping_threshold: float,
    step_size: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
    ledger: Ledger | None = None,
) -> FloatArray:
    """Return w^T of projected gradient descent with clipped, noisy full-batch gradients.

    Parameters
    ----------
    data
        Records of ``loss``, n of them.
    loss : RecordLoss
    constraint : L2Ball, L1Ball or SparseVectors
        W.
    initial : array_like of shape (d,)
        w^0 in W, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    clipping_threshold : float
        C > 0: every record's gradient is scaled down to l2 norm at most C.
    step_size : float
        eta > 0.
    n_iterations : int
        T >= 1.
    method : {"gaussian-dp", "zcdp", "pld"}
        Of :func:`~reference.privacy.calibration.smallest_gaussian_scale`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a starting point outside W and parameters out of
        range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0: the
    smallest noise for T releases of l2 sensitivity 2C/n.
    *Utility*: none stated. Clipping biases the gradient, at a fixed C by the same for every n.
    """
    ledger = open_ledger(ledger)
    require_record_loss(loss)
    require_ball(constraint)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    require_magnitude("clipping_threshold", clipping_threshold)
    require_magnitude("step_size", step_size)
    require_steps("n_iterations", n_iterations)
    sensitivity = 2 * clipping_threshold / loss.size(records)
    scale = smallest_gaussian_scale(
        epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
    )
    for _ in range(n_iterations):
        clipped = clip_rows(_finite_gradients(loss, records, w), clipping_threshold)
        mean = rounded_mean(clipped, bound=clipping_threshold)
        gradient = ledger.gaussian(mean, sensitivity=sensitivity, scale=scale)
        w = constraint.project(w - step_size * gradient)
    return w
