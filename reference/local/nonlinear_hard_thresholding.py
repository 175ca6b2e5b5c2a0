"""Sparse regression through a known monotone function: LDP-IHT, non-linear (diss-5.3.44)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_count,
    require_in_interval,
    require_kind,
    require_magnitude,
    require_steps,
)
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import SparseVectors
from reference.local.iterative_hard_thresholding import KEPT, SIGNS, UNIT_BALL, residual_bound
from reference.losses import n_features
from reference.parameters import checked_arguments
from reference.per_record import made_up, require_per_record
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class MonotoneFunction:
    """An (a, b)-monotone function: a <= f' <= b. Wang (2020), Definition 5.3.5 (l.6618).

    That is made true: slopes are cut to [a, b], values to those between f(0) + a z and f(0) + b z.
    What is no number, or infinite, counts as the nearest that is legal, NaN as the smallest, so
    that no record and no noise makes an algorithm's result NaN. A value depends on no other score,
    which is probed on made-up ones: see :mod:`reference.per_record`.

    Attributes
    ----------
    name : str
    value : callable
        f, of an array.
    derivative : callable
        f', of an array.
    least_slope, largest_slope : float
        a and b with 0 < a <= b and a^2/b^2 > 5/9: else no step size halves the error.
    """

    name: str
    value: Callable[[FloatArray], FloatArray]
    derivative: Callable[[FloatArray], FloatArray]
    least_slope: float
    largest_slope: float

    def __post_init__(self) -> None:
        a = require_magnitude("least_slope", self.least_slope)
        b = require_magnitude("largest_slope", self.largest_slope)
        if not a <= b or not 9 * a**2 > 5 * b**2:
            raise ParameterValueError(
                "least_slope a and largest_slope b",
                "have a <= b and a^2/b^2 > 5/9",
                got=f"{a} and {b}",
            )
        at_zero = require_in_interval("f(0)", float(self.value(np.zeros(1))[0]), -1e100, 1e100)
        object.__setattr__(self, "value", partial(_in_cone, self.value, at_zero, a, b))
        object.__setattr__(self, "derivative", partial(_in_range, self.derivative, a, b))
        for (scores,) in made_up([()]):
            require_per_record("value", self.value, scores)
            require_per_record("derivative", self.derivative, scores)


def _in_range(
    function: Callable[[FloatArray], FloatArray], low: Any, high: Any, z: FloatArray
) -> FloatArray:
    """Return a function's values cut to an interval, NaN to its lower end, without a warning."""
    with np.errstate(all="ignore"):
        found = np.asarray(function(z), dtype=np.float64)
    return np.clip(np.where(np.isnan(found), -np.inf, found), low, high)


def _in_cone(
    function: Callable[[FloatArray], FloatArray], at_zero: float, a: float, b: float, z: FloatArray
) -> FloatArray:
    """Return a function's values cut to those that slopes in [a, b] allow."""
    ends = at_zero + a * z, at_zero + b * z
    return _in_range(function, np.minimum(*ends), np.maximum(*ends), z)


def _eight_x_and_cosine(z: FloatArray) -> FloatArray:
    return 8 * z + np.cos(z)


def _its_derivative(z: FloatArray) -> FloatArray:
    return 8 - np.sin(z)


EIGHT_X_AND_COSINE = MonotoneFunction(
    "8x + cos x",
    value=_eight_x_and_cosine,
    derivative=_its_derivative,
    least_slope=7.0,
    largest_slope=9.0,
)
"""f of the experiments, l.6726."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    radius : float
        r of the randomizer: a gradient's factor f' (f - y) is cut to [-r/sqrt(p), r/sqrt(p)].
    step_size : float
        eta.
    """

    radius: float
    step_size: float


@checked_arguments
def contracting_step(least_slope: float, largest_slope: float) -> float:
    """Return eta = (9a^2 + 5b^2)/(14 a^2 b^2).

    It is in the window [5/(7 a^2 (1 - Delta)), 9/(7 b^2 (1 + Delta))] of the proof of Theorem 5.3.9
    for every RIP constant Delta for which there is one: up to (9a^2 - 5b^2)/(9a^2 + 5b^2).
    """
    a, b = least_slope, largest_slope
    return (9 * a**2 + 5 * b**2) / (14 * a**2 * b**2)


@checked_arguments
def constants_for(
    *,
    dimension: int,
    sparsity: int,
    noise_bound: float,
    least_slope: float,
    largest_slope: float,
) -> Constants:
    """Return the radius that no gradient of the model exceeds, and a step that always contracts.

    r = b sqrt(p) (b (sqrt(s) + sqrt(s*)) + C) with s = min(8 s*, p), for |f'| <= b and the residual
    is at most that of :func:`~reference.local.iterative_hard_thresholding.residual_bound`. The step
    is :func:`contracting_step`.

    Parameters
    ----------
    dimension : int
        p.
    sparsity, noise_bound
        As for :func:`local_nonlinear_hard_thresholding`.
    least_slope, largest_slope : float
        a and b of :class:`MonotoneFunction`.
    """
    step_size = contracting_step(least_slope, largest_slope)
    b = largest_slope
    largest = residual_bound(
        dimension=dimension, sparsity=sparsity, noise_bound=noise_bound, slope=b
    )
    return Constants(
        radius=b * math.sqrt(dimension) * largest,
        step_size=step_size,
    )


@checked_arguments
def local_nonlinear_hard_thresholding(
    data: Any,
    function: MonotoneFunction,
    *,
    epsilon: float,
    sparsity: int,
    noise_bound: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate sparse coefficients behind a known function from records that users never show.

    Parameters
    ----------
    data : (features, labels)
        Arrays of shapes (n, p) and (n,), y = f(<theta*, x>) + noise. Entries of the features are
        cut to [-1, 1] and f'(<theta, x>) (f(<theta, x>) - y) to [-R, R] with R = r/sqrt(p) on the
        user's side. Round t asks the t-th block of floor(n/T) consecutive users, the last round the
        remainder too. The order must not depend on the values.
    function : MonotoneFunction
        f, known to all, e.g. :data:`EIGHT_X_AND_COSINE`.
    epsilon : float
        Budget of every user, > 0.
    sparsity : int
        s*, 1 <= s* <= p; 8 s* coefficients are kept, or p if that is less.
    noise_bound : float
        C >= 0: |y - f(<theta*, x>)| <= C. Public. A wrong value costs accuracy, not privacy.
    n_iterations : int
        T with 1 <= T <= n, the number of rounds.
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
    The gradient is that of half the squared error; (5.81) has the whole. For f(x) = x it is
    :func:`~reference.local.iterative_hard_thresholding.local_hard_thresholding`.

    *Guarantee* (Theorem 5.3.9): epsilon-DP in the local model, sequentially interactive, one
    message per user, for every epsilon. It is over all inputs, and rests neither on the model nor
    on the slopes of f: what multiplies the features is cut whatever it is.

    *Utility* (Theorem 5.3.9, with corrections): for features uniform on {-1, 1}^p and
    ||theta*|| <= 1, ||theta_T - theta*|| <= 2^-T ||theta*|| + O(eta r coth(epsilon/2)
    sqrt(log p T s*/n)) with probability 1 - 2T/p^c, if Delta <= (9a^2 - 5b^2)/(9a^2 + 5b^2) and the
    noise has mean 0 whatever x.

    *As printed*: step 3 has r = O(b C sqrt p), a ball that leaves gradients of the model out
    (diss-5.3.44/E1); see :func:`constants_for`.

    References
    ----------
    Wang (2020), Algorithm 5.3.44 (l.6638-6653), Theorem 5.3.9 (l.6634-6661).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice([-1.0, 1.0], size=(400_000, 8))
    >>> y = EIGHT_X_AND_COSINE.value(0.8 * x[:, 3]) + rng.uniform(-0.1, 0.1, size=400_000)
    >>> theta = local_nonlinear_hard_thresholding(
    ...     (x, y), EIGHT_X_AND_COSINE, epsilon=4.0, sparsity=1, noise_bound=0.1, n_iterations=2,
    ...     ledger=Ledger(0),
    ... )
    >>> int(np.argmax(np.abs(theta))), bool(abs(theta[3] - 0.8) < 0.2)
    (3, True)
    """
    ledger = open_ledger(ledger)
    require_kind("function", function, MonotoneFunction, "EIGHT_X_AND_COSINE")
    records = SIGNS.validate(data, n_features(data))
    n, p = records[0].shape
    require_count("sparsity", sparsity, at_most=p)
    require_steps("n_iterations", n_iterations, at_most=n)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        dimension=p,
        sparsity=sparsity,
        noise_bound=noise_bound,
        least_slope=function.least_slope,
        largest_slope=function.largest_slope,
    )

    theta = np.zeros(p)
    sparse = SparseVectors(min(KEPT * sparsity, p))
    largest = chosen.radius / math.sqrt(p)  # so that no gradient is longer than r
    for users in disjoint_blocks(n, n_iterations, whole=True):  # steps 1, 2
        features, labels = take_records(records, users)
        scores = features @ theta
        with np.errstate(over="ignore"):  # of a label near the largest float: it is cut next
            weights = function.derivative(scores) * (function.value(scores) - labels)
        weights = clip_entries(weights, largest)
        messages = ledger.l2_ball(
            features * weights[:, None], radius=chosen.radius, epsilon=epsilon, records=users
        )  # step 3, every user for itself
        half_step = theta - chosen.step_size * messages.mean(axis=0)  # steps 4, 5
        theta = UNIT_BALL.project(sparse.project(half_step))  # steps 6, 7
    return theta


ENTRY = Entry(
    id="diss-5.3.44",
    name="LDP iterative hard thresholding for non-linear measurements",
    sources=(Source("004", "Algorithm 5.3.44", "6638-6653"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP, sequentially interactive, for every epsilon > 0 (Theorem 5.3.9)",
    utility_claim="||theta_T - theta*|| <= 2^-T ||theta*|| + O(sqrt(p log p T s/n)/epsilon) if "
    "a^2/b^2 >= 5/9 (Theorem 5.3.9)",
    function=local_nonlinear_hard_thresholding,
    interactive=True,
)
