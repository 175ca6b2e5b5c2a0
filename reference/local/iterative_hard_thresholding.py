"""Sparse linear regression from private messages: LDP-IHT (diss-5.3.41)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reference._validation import FloatArray, require_count, require_non_negative, require_steps
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L2Ball, SparseVectors
from reference.losses import SquaredError, n_features
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

KEPT = 8
"""s/s*: coefficients that a step keeps for each that is not 0 in theta* (l.6475)."""
UNIT_BALL = L2Ball(1.0)
SIGNS = SquaredError(feature_bound=1.0, feature_norm="l-infinity")
"""Records (x, y) with x in [-1, 1]^p; entries are cut on the user's side."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    radius : float
        r of the randomizer: residuals are cut to [-r/sqrt(p), r/sqrt(p)].
    """

    radius: float


def residual_bound(
    *, dimension: int, sparsity: int, noise_bound: float, slope: float = 1.0
) -> float:
    """Return b (sqrt(s) + sqrt(s*)) + C >= |f(<theta, x>) - y|, where |f'| <= b.

    For x in {-1, 1}^p and an s-sparse theta of norm 1, |<theta, x>| <= ||theta||_1 <= sqrt(s), and
    <theta*, x> likewise; attained where the supports are disjoint. s = 8 s*, or p if that is less.
    """
    noise_bound = require_non_negative("noise_bound", noise_bound)
    kept = min(KEPT * sparsity, dimension)
    return slope * (math.sqrt(kept) + math.sqrt(sparsity)) + noise_bound


@checked_arguments
def constants_for(*, dimension: int, sparsity: int, noise_bound: float) -> Constants:
    """Return the radius that no gradient of the model exceeds: r = sqrt(p) times the residual's.

    Parameters
    ----------
    dimension : int
        p.
    sparsity, noise_bound
        As for :func:`local_hard_thresholding`.
    """
    largest = residual_bound(dimension=dimension, sparsity=sparsity, noise_bound=noise_bound)
    return Constants(radius=math.sqrt(dimension) * largest)


@checked_arguments
def local_hard_thresholding(
    data: Any,
    *,
    epsilon: float,
    sparsity: int,
    noise_bound: float,
    n_iterations: int,
    step_size: float = 1.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the sparse coefficients of a linear model from records that users never show.

    Parameters
    ----------
    data : (features, labels)
        Arrays of shapes (n, p) and (n,). Entries of the features are cut to [-1, 1] and residuals
        <theta, x> - y to [-R, R] with R = r/sqrt(p) on the user's side. Round t asks the t-th block
        of floor(n/T) consecutive users, the last round the remainder too. The order must not depend
        on the values.
    epsilon : float
        Budget of every user, > 0.
    sparsity : int
        s*, 1 <= s* <= p; 8 s* coefficients are kept, or p if that is less.
    noise_bound : float
        C >= 0: |y - <theta*, x>| <= C. Public. A wrong value costs accuracy, not privacy.
    n_iterations : int
        T with 1 <= T <= n, the number of rounds.
    step_size : float, default 1
        eta > 0. 1 halves the error in a step for every RIP constant up to 2/7.
    constants : Constants, optional
        By default :func:`constants_for`. A smaller radius has less noise, but residuals that are
        cut bias the gradient: R = 2 sqrt(2 log(2n/xi)) + C cuts none with probability 1 - xi.
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
    *Guarantee* (Theorem 5.3.5): epsilon-DP in the local model, sequentially interactive, one
    message per user, for every epsilon. It is over all inputs, and so needs neither the model nor
    that the features are signs.

    *Utility* (Theorem 5.3.5, with two corrections): for features uniform on {-1, 1}^p and
    ||theta*|| <= 1, ||theta_T - theta*|| <= 2^-T ||theta*|| + O(R coth(epsilon/2)
    sqrt(p log p T s*/n)), where r = R sqrt(p), with probability 1 - 2T/p^c. The theorem has C for R
    and 1/epsilon for coth(epsilon/2)/2. Noise with a mean that depends on x would be taken for
    coefficients.

    *As printed*: step 3 has r = O(C sqrt p), a ball that leaves gradients of the model out
    (diss-5.3.41/E2); see :func:`constants_for`.

    References
    ----------
    Wang (2020), Algorithm 5.3.41 (l.6473-6488), Theorem 5.3.5 (l.6496-6504).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice([-1.0, 1.0], size=(200_000, 16))
    >>> y = 0.8 * x[:, 3] + rng.uniform(-0.1, 0.1, size=200_000)
    >>> theta = local_hard_thresholding(
    ...     (x, y), epsilon=4.0, sparsity=1, noise_bound=0.1, n_iterations=2, ledger=Ledger(0)
    ... )
    >>> int(np.argmax(np.abs(theta))), bool(abs(theta[3] - 0.8) < 0.2)
    (3, True)
    """
    ledger = open_ledger(ledger)
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
    )

    theta = np.zeros(p)
    sparse = SparseVectors(min(KEPT * sparsity, p))
    largest = chosen.radius / math.sqrt(p)  # so that no gradient is longer than r
    for users in disjoint_blocks(n, n_iterations, whole=True):  # steps 1, 2
        features, labels = take_records(records, users)
        residuals = clip_entries(features @ theta - labels, largest)
        messages = ledger.l2_ball(
            features * residuals[:, None], radius=chosen.radius, epsilon=epsilon, records=users
        )  # step 3, every user for itself
        half_step = theta - step_size * messages.mean(axis=0)  # steps 4, 5
        theta = UNIT_BALL.project(sparse.project(half_step))  # steps 6, 7
    return theta


ENTRY = Entry(
    id="diss-5.3.41",
    name="LDP iterative hard thresholding",
    sources=(Source("004", "Algorithm 5.3.41", "6473-6488"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP, sequentially interactive, for every epsilon > 0 (Theorem 5.3.5)",
    utility_claim="||theta_T - theta*|| <= 2^-T ||theta*|| + O(C sqrt(p log p T s*/n)/epsilon) "
    "(Theorem 5.3.5)",
    function=local_hard_thresholding,
    interactive=True,
)
