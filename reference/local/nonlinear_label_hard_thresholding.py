"""Sparse regression through a known monotone function, labels private: DP-IHT (diss-5.3.45)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reference._validation import FloatArray, require_count, require_kind
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import SparseVectors
from reference.local import label_noise
from reference.local.iterative_hard_thresholding import KEPT, SIGNS, UNIT_BALL
from reference.local.label_noise import noisy_labels
from reference.local.nonlinear_hard_thresholding import MonotoneFunction, contracting_step
from reference.losses import n_features
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(label_noise.Constants):
    """Constants that theory fixes.

    Attributes
    ----------
    truncation_level, noise_scale
        As of :class:`~reference.local.label_noise.Constants`.
    step_size : float
        eta.
    """

    step_size: float


@checked_arguments
def constants_for(
    *,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
    least_slope: float,
    largest_slope: float,
) -> Constants:
    """Return the range of labels, the smallest noise for it, and a step that always contracts.

    Parameters
    ----------
    epsilon, delta, sparsity, noise_bound
        As for :func:`nonlinear_label_hard_thresholding`.
    least_slope, largest_slope : float
        a and b of :class:`~reference.local.nonlinear_hard_thresholding.MonotoneFunction`: labels
        are at most b sqrt(s*) + C from f(0), and the step is
        :func:`~reference.local.nonlinear_hard_thresholding.contracting_step`.
    """
    noise = label_noise.constants_for(
        epsilon=epsilon,
        delta=delta,
        sparsity=sparsity,
        noise_bound=noise_bound,
        largest_slope=largest_slope,
    )
    return Constants(
        truncation_level=noise.truncation_level,
        noise_scale=noise.noise_scale,
        step_size=contracting_step(least_slope, largest_slope),
    )


@checked_arguments
def nonlinear_label_hard_thresholding(
    data: Any,
    function: MonotoneFunction,
    *,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate sparse coefficients behind a known function from public features, private labels.

    Parameters
    ----------
    data : (features, labels)
        Arrays of shapes (n, p) and (n,), y = f(<theta*, x>) + noise. Entries of the features are
        cut to [-1, 1] and labels to f(0) +- Y, Y = b sqrt(s*) + C, on the user's side.
    function : MonotoneFunction
        f, known to all, e.g.
        :data:`~reference.local.nonlinear_hard_thresholding.EIGHT_X_AND_COSINE`.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    sparsity : int
        s*, 1 <= s* <= p; 8 s* coefficients are kept, or p if that is less.
    noise_bound : float
        C >= 0: |y - f(<theta*, x>)| <= C. Public. A wrong value costs accuracy, not privacy.
    n_iterations : int
        T >= 1. Steps are free: all that is released are the noisy labels.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        theta_T, with at most 8 s* entries that are not 0 and l2 norm at most 1.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    For f(x) = x it is
    :func:`~reference.local.label_hard_thresholding.label_hard_thresholding`. The loss is
    (1/2n) sum (f(<x, theta>) - y)^2, as in the proof; l.6677 leaves f out.

    *Guarantee* (Theorem 5.3.11): (epsilon, delta)-DP in the local model, non-interactive, for the
    labels alone (replace-label). It is over all labels and rests neither on the model nor on the
    slopes of f, which is public. The noise is exactly calibrated, for every epsilon:
    ``ledger.spent(delta=delta, unit="label")``. The labels of the model are in [f(-sqrt(s*)) - C,
    f(sqrt(s*)) + C], too, which is shorter by 2(b - a) sqrt(s*) at most.

    *Utility* (Theorem 5.3.11, with corrections): for ||theta*|| <= 1, noise of mean 0 whatever x
    and features with RIP constant Delta <= (9a^2 - 5b^2)/(9a^2 + 5b^2) at sparsity 17 s*,
    ||theta_T - theta*|| <= 2^-T ||theta*|| + O((b sqrt(s*) + C)/b sqrt(log(1/delta) s* log p/n)
    /epsilon) for epsilon <= log(1/delta). The proof takes theta_t for independent of the noise,
    which it is not where f' changes; that would need a bound for all sparse theta together, or
    records of its own for every step.

    *As printed*: the loss lacks f (diss-5.3.45/E1), and the noise is for labels in [-C, C], which
    are larger (diss-5.3.45/E2); here they are cut to the range that the noise is for.

    References
    ----------
    Wang (2020), Algorithm 5.3.45 (l.6681-6700), Theorem 5.3.11 (l.6702-6706).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.local.nonlinear_hard_thresholding import EIGHT_X_AND_COSINE
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice([-1.0, 1.0], size=(20_000, 16))
    >>> y = EIGHT_X_AND_COSINE.value(0.8 * x[:, 3]) + rng.uniform(-0.1, 0.1, size=20_000)
    >>> theta = nonlinear_label_hard_thresholding(
    ...     (x, y), EIGHT_X_AND_COSINE, epsilon=1.0, delta=1e-5, sparsity=1, noise_bound=0.1,
    ...     n_iterations=8, ledger=Ledger(0),
    ... )
    >>> int(np.argmax(np.abs(theta))), bool(abs(theta[3] - 0.8) < 0.2)
    (3, True)
    """
    ledger = open_ledger(ledger)
    require_kind("function", function, MonotoneFunction, "EIGHT_X_AND_COSINE")
    features, labels = SIGNS.validate(data, n_features(data))
    n, p = features.shape
    require_count("sparsity", sparsity, at_most=p)
    centre = float(function.value(np.zeros(1))[0])
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        epsilon=epsilon,
        delta=delta,
        sparsity=sparsity,
        noise_bound=noise_bound,
        least_slope=function.least_slope,
        largest_slope=function.largest_slope,
    )

    noisy = noisy_labels(  # steps 1 to 3, every user for itself
        labels,
        centre=centre,
        truncation_level=chosen.truncation_level,
        noise_scale=chosen.noise_scale,
        ledger=ledger,
    )
    theta = np.zeros(p)
    sparse = SparseVectors(min(KEPT * sparsity, p))
    for _ in range(n_iterations):  # step 4
        scores = features @ theta
        weights = function.derivative(scores) * (function.value(scores) - noisy)
        half_step = theta - chosen.step_size * (features.T @ weights) / n  # step 5
        theta = UNIT_BALL.project(sparse.project(half_step))  # steps 6, 7
    return theta


ENTRY = Entry(
    id="diss-5.3.45",
    name="Label-LDP iterative hard thresholding for non-linear measurements",
    sources=(Source("004", "Algorithm 5.3.45", "6681-6700"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_LABEL,
    privacy_claim="(epsilon, delta)-LDP for the labels, non-interactive, epsilon <= 1 "
    "(Theorem 5.3.11)",
    utility_claim="||theta_T - theta*|| <= 2^-T ||theta*|| + O(b C log(1/delta) "
    "sqrt(s* log p/n)/epsilon) if a/b > sqrt(5)/3 (Theorem 5.3.11)",
    function=nonlinear_label_hard_thresholding,
)
