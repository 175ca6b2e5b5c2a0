"""Private LASSO on heavy-tailed data: shrinkage of the records, then Frank-Wolfe (hu-2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterTypeError,
    require_array,
    require_magnitude,
    require_steps,
)
from reference.basic.sums import rounded_mean
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L1Ball, starting_point
from reference.heavy_tailed.frank_wolfe import step_size_at
from reference.losses import SquaredError
from reference.parameters import checked_arguments
from reference.privacy.calibration import StepMethod, exponential_step_epsilon
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def recommended_truncation_level(
    n: int, *, epsilon: float, n_iterations: int, fourth_moment: float = 1.0
) -> float:
    """Return K = (M n epsilon)^(1/4)/T^(1/8) of Theorem 5, in the units of the data.

    It balances the bias of order M/K^2 and the noise of order K^2 sqrt(T)/(n epsilon). The
    paper's M = O(1) is left out there; constants are not part of it.

    Parameters
    ----------
    n, n_iterations : int
        Number of records and T, >= 1.
    epsilon : float
        > 0.
    fourth_moment : float, default 1.0
        M > 0, a bound on E (x_j x_k)^2 and E y^4; public.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    steps = require_steps("n_iterations", n_iterations)
    moment = require_magnitude("fourth_moment", fourth_moment)
    size = math.pow(moment * n * epsilon, 0.25)
    return size / math.pow(steps, 0.125)


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of a vertex's score.
    step_epsilon : float
        Budget of one selection.
    """

    sensitivity: float
    step_epsilon: float


@checked_arguments
def constants_for(
    *,
    n: int,
    epsilon: float,
    delta: float,
    radius: float,
    truncation_level: float,
    n_iterations: int,
    method: StepMethod = "accountant",
) -> Constants:
    """Return the constants that make T selections (epsilon, delta)-DP, for every epsilon and R.

    For ||w||_1 <= R every entry of 2 x (<x, w> - y) lies in [-2 K^2 (1 + R), 2 K^2 (1 + R)], so a
    score moves by 4 R (1 + R) K^2/n at most. Attained: w = R e_1, and ((K, K), -K) replaced by
    ((K, -K), -K). A selection of budget epsilon_0 has bounded range, so it is epsilon_0^2/8-zCDP,
    and T of them with epsilon_0 = sqrt(8 rho/T) are rho-zCDP; pure DP may allow more. A
    selection can cost epsilon_0 and not less.

    Parameters
    ----------
    n : int
        Number of records.
    epsilon, delta, radius, truncation_level, n_iterations
        As for :func:`heavy_tailed_lasso`.
    method : {"accountant", "zcdp"}
        Of :func:`~reference.privacy.calibration.exponential_step_epsilon`: the largest rho that is
        (epsilon, delta)-DP, or Lemma 2.1.10's, rho + 2 sqrt(rho log(1/delta)) = epsilon.
    """
    return Constants(
        sensitivity=4 * radius * (1 + radius) * truncation_level**2 / n,
        step_epsilon=exponential_step_epsilon(epsilon, delta, releases=n_iterations, method=method),
    )


@checked_arguments
def heavy_tailed_lasso(
    data: Any,
    *,
    initial: ArrayLike | None = None,
    epsilon: float,
    delta: float,
    radius: float = 1.0,
    truncation_level: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise E(<x, w> - y)^2 over an l1 ball when x and y have four moments and nothing more.

    Every entry of every record is shrunk to [-K, K]; then T steps of Frank-Wolfe on the mean
    squared error of all the shrunk records, each vertex selected by the exponential mechanism.

    With a small fixed K this is also the naive baseline, Frank-Wolfe on clipped data.

    Parameters
    ----------
    data : (features, labels)
        Any finite numbers; shapes (n, d) and (n,).
    initial : array_like of shape (d,), optional
        w^0 in W, public; 0 by default.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    radius : float, default 1.0
        R > 0: W = {w: ||w||_1 <= R}. The paper never states it; its text suggests 1.
    truncation_level : float
        K > 0, in units of the data (the same for features and labels), public. See
        :func:`recommended_truncation_level`.
    n_iterations : int
        T >= 1, public.
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
        On non-finite or misshaped data, a starting point outside W and parameters out of range,
        before any release.

    Notes
    -----
    *Guarantee* (Theorem 4): (epsilon, delta)-DP, central, replace-one, for every epsilon > 0,
    delta < 1 and R. All iterates are covered.

    *Utility* (Theorem 5): if E (x_j x_k)^2 and E y^4 are O(1), K is that of
    :func:`recommended_truncation_level`, and T of order
    (sqrt(n epsilon) lambda_max/(sqrt(log(1/delta)) log(d T/zeta)))^(4/5), the excess risk is
    O(lambda_max^(1/5) (sqrt(log(1/delta)) log(d T/zeta))^(4/5)/(n epsilon)^(2/5)) with
    probability 1 - zeta. The rate sets in late: the constant of K decides at which n.

    *As printed*: the sensitivity is 8 ||W||_1 K^2/n, too little for R > 3 (hu-2/E1), and the budget
    of a selection is said to do for every epsilon, which holds up to 48 log(1/delta) (hu-2/E2).

    References
    ----------
    Hu, Ni, Xiao and Wang (2022), Algorithm 2 (l.253-262), Theorems 4 and 5 (l.264-272).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_t(5, (50_000, 3))
    >>> y = x @ [0.8, 0.0, 0.0] + rng.standard_t(5, 50_000)
    >>> w = heavy_tailed_lasso(
    ...     (x, y), epsilon=1.0, delta=1e-5, truncation_level=4.0, n_iterations=20,
    ...     ledger=Ledger(0),
    ... )
    >>> bool(abs(w[0] - 0.8) < 0.2)
    True
    """
    ledger = open_ledger(ledger)
    ball, loss = L1Ball(radius), SquaredError()
    if initial is None:
        initial = np.zeros(_columns(data))
    w = starting_point(initial, ball)
    features, labels = loss.validate(data, w.size)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=len(labels),
        epsilon=epsilon,
        delta=delta,
        radius=radius,
        truncation_level=truncation_level,
        n_iterations=n_iterations,
    )

    shrunk = clip_entries(features, truncation_level), clip_entries(labels, truncation_level)  # 2
    bound = 2 * truncation_level**2 * (1 + radius)
    for t in range(1, n_iterations + 1):  # step 3
        gradient = rounded_mean(loss.gradients(shrunk, w), bound=bound)
        scores = -ball.inner_products(gradient)
        vertex = ledger.exponential(
            scores, sensitivity=chosen.sensitivity, epsilon=chosen.step_epsilon
        )  # step 4
        eta = step_size_at(t)
        w = (1 - eta) * w + eta * ball.vertex(vertex, w.size)  # step 5
    return w


def _columns(data: Any) -> int:
    """Return the number of features, or raise."""
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ParameterTypeError(
            "data", "be a pair (features, labels)", got=f"{type(data).__name__}"
        )
    return int(require_array("features", data[0], ndim=2).shape[1])


ENTRY = Entry(
    id="hu-2",
    name="Heavy-tailed private LASSO: shrinkage and Frank-Wolfe",
    sources=(Source("003", "Algorithm 2", "253-262"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for any 0 < epsilon, delta < 1 (Theorem 4)",
    utility_claim="excess risk O(lambda_max^{1/5} (sqrt(log(1/delta)) log(d T/zeta))^{4/5}/"
    "(n epsilon)^{2/5}) with probability 1 - zeta (Theorem 5)",
    function=heavy_tailed_lasso,
)
