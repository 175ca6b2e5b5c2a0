"""The Lasso on labels that users perturb: Label-LDP Lasso (diss-5.3.lasso)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from reference._validation import MAGNITUDES, require_count
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants, require_constant
from reference.local import label_noise
from reference.local.iterative_hard_thresholding import SIGNS
from reference.local.label_noise import noisy_labels
from reference.local.lasso import LassoMinimum, lasso
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
    penalty : float
        lambda.
    """

    penalty: float


@checked_arguments
def constants_for(
    *,
    n: int,
    dimension: int,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
) -> Constants:
    """Return the range of labels, the smallest noise for it, and a penalty twice as large as noise.

    lambda = 2 sqrt(C^2 + tau^2) sqrt(2 log(2p)/n). The noise X^T (sigma + z)/n has p coordinates
    that are sub-Gaussian with (C^2 + tau^2)/n; if they were Gaussian, lambda/2 would be more than
    all of them with probability 1 - 1/(2 sqrt(pi log(2p))) at least.

    Parameters
    ----------
    n, dimension : int
        n and p.
    epsilon, delta, sparsity, noise_bound
        As for :func:`label_lasso`.
    """
    noise = label_noise.constants_for(
        epsilon=epsilon, delta=delta, sparsity=sparsity, noise_bound=noise_bound
    )
    deviation = math.hypot(noise_bound, noise.noise_scale)
    return Constants(
        truncation_level=noise.truncation_level,
        noise_scale=noise.noise_scale,
        penalty=2 * deviation * math.sqrt(2 * math.log(2 * dimension) / n),
    )


@checked_arguments
def label_lasso(
    data: Any,
    *,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> LassoMinimum:
    """Estimate the sparse coefficients of a linear model from public features, private labels.

    Parameters
    ----------
    data : (features, labels)
        Arrays of shapes (n, p) and (n,). Entries of the features are cut to [-1, 1] and labels to
        [-Y, Y], Y = sqrt(s*) + C, on the user's side.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    sparsity : int
        s*, 1 <= s* <= p; it sets the range of labels alone.
    noise_bound : float
        C >= 0: |y - <theta*, x>| <= C. Public. A wrong value costs accuracy, not privacy.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    LassoMinimum
        ``theta``, the minimiser of (1/2n) sum (y_i - <theta, x_i>)^2 + lambda ||theta||_1 on the
        noisy labels, by :func:`~reference.local.lasso.lasso`, or the best point that its passes
        come to, and the ``gap``, which reads the public features and the noisy labels alone.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP in the local model, non-interactive, for the labels alone
    (replace-label), for every epsilon: what is released are the noisy labels of
    :func:`~reference.local.label_hard_thresholding.label_hard_thresholding`, Wang (2020), Theorem
    5.3.6, with their corrected noise.

    *Utility* (l.6549, cited there): ||theta - theta*||^2 = O(lambda^2 s*), or (sqrt(s*) + C)^2
    log(1/delta) s* log p/(n epsilon^2) for epsilon <= log(1/delta). The source has no
    (sqrt(s*) + C)^2.

    References
    ----------
    Wang (2020), section 5.3.4 (l.6549).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice([-1.0, 1.0], size=(50_000, 16))
    >>> y = 0.8 * x[:, 3] + rng.uniform(-0.1, 0.1, size=50_000)
    >>> found = label_lasso(
    ...     (x, y), epsilon=1.0, delta=1e-5, sparsity=1, noise_bound=0.1, ledger=Ledger(0)
    ... )
    >>> np.flatnonzero(found.theta), bool(abs(found.theta[3] - 0.8) < 0.3), found.gap < 1e-9
    (array([3]), True, True)
    """
    ledger = open_ledger(ledger)
    features, labels = SIGNS.validate(data, n_features(data))
    n, p = features.shape
    require_count("sparsity", sparsity, at_most=p)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=n,
        dimension=p,
        epsilon=epsilon,
        delta=delta,
        sparsity=sparsity,
        noise_bound=noise_bound,
    )
    require_constant(  # as the solver asks for
        "penalty", chosen.penalty, *MAGNITUDES, arguments="epsilon, delta and noise_bound"
    )

    noisy = noisy_labels(  # steps 1 to 3 of Algorithm 5.3.42, every user for itself
        labels,
        truncation_level=chosen.truncation_level,
        noise_scale=chosen.noise_scale,
        ledger=ledger,
    )
    return lasso(features, noisy, penalty=chosen.penalty)


ENTRY = Entry(
    id="diss-5.3.lasso",
    name="Label-LDP Lasso",
    sources=(Source("004", "section 5.3.4", "6549"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_LABEL,
    privacy_claim="(epsilon, delta)-LDP for the labels, non-interactive, as it processes those of "
    "Algorithm 5.3.42 (l.6549)",
    utility_claim="||theta - theta*||^2 = O(s log p/(n epsilon^2)) (l.6549, cited)",
    function=label_lasso,
)
