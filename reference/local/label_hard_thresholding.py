"""Sparse linear regression where only the labels are private: Label-LDP-IHT (diss-5.3.42)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray, require_count
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import SparseVectors
from reference.local.iterative_hard_thresholding import KEPT, SIGNS, UNIT_BALL
from reference.local.label_noise import Constants, constants_for, noisy_labels
from reference.losses import n_features
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def label_hard_thresholding(
    data: Any,
    *,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
    n_iterations: int,
    step_size: float = 1.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
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
        s*, 1 <= s* <= p; 8 s* coefficients are kept, or p if that is less.
    noise_bound : float
        C >= 0: |y - <theta*, x>| <= C. Public. A wrong value costs accuracy, not privacy.
    n_iterations : int
        T >= 1. Steps are free: all that is released are the noisy labels.
    step_size : float, default 1
        eta > 0. 1 halves the error in a step for every RIP constant up to 2/7.
    constants : Constants, optional
        By default :func:`~reference.local.label_noise.constants_for`.
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
    *Guarantee* (Theorem 5.3.6): (epsilon, delta)-DP in the local model, non-interactive, for the
    labels alone (replace-label): what is said of a record depends on its features as well, which
    are public. It is over all labels, and so does not need the model. The noise is exactly
    calibrated, for every epsilon: ``ledger.spent(delta=delta, unit="label")``. With Laplace noise
    of scale 2Y/epsilon on the clipped labels it would be epsilon-DP, with the same rate; the source
    has the transformation of Bun, Nelson and Stemmer for that.

    *Utility* (Theorem 5.3.6, with corrections): for ||theta*|| <= 1 and features with RIP constant
    Delta <= 2/7 at sparsity 17 s*, ||theta_T - theta*|| <= 2^-T ||theta*|| + O((sqrt(s*) + C)
    sqrt(log(1/delta) s* log p/n)/epsilon) for epsilon <= log(1/delta), with probability 1 - e^-n -
    2/p^c. The theorem has C for sqrt(s*) + C. Noise with a mean that depends on x would be taken
    for coefficients.

    *As printed*: step 5 has a minus before eta, with which it climbs (diss-5.3.42/E1): the plus
    here is that of the proof. The noise on the labels is for labels in [-C, C], which are larger
    (004 Theorem 5.3.6/E1); here they are cut to the range that the noise is for.

    References
    ----------
    Wang (2020), Algorithm 5.3.42 (l.6520-6539), Theorem 5.3.6 (l.6543-6547).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice([-1.0, 1.0], size=(20_000, 16))
    >>> y = 0.8 * x[:, 3] + rng.uniform(-0.1, 0.1, size=20_000)
    >>> theta = label_hard_thresholding(
    ...     (x, y), epsilon=1.0, delta=1e-5, sparsity=1, noise_bound=0.1, n_iterations=8,
    ...     ledger=Ledger(0),
    ... )
    >>> int(np.argmax(np.abs(theta))), bool(abs(theta[3] - 0.8) < 0.2)
    (3, True)
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
        epsilon=epsilon,
        delta=delta,
        sparsity=sparsity,
        noise_bound=noise_bound,
    )

    noisy = noisy_labels(  # steps 1 to 3, every user for itself
        labels,
        truncation_level=chosen.truncation_level,
        noise_scale=chosen.noise_scale,
        ledger=ledger,
    )
    theta = np.zeros(p)
    sparse = SparseVectors(min(KEPT * sparsity, p))
    for _ in range(n_iterations):  # step 4
        half_step = theta + step_size * (features.T @ (noisy - features @ theta)) / n  # step 5
        theta = UNIT_BALL.project(sparse.project(half_step))  # steps 6, 7
    return theta


ENTRY = Entry(
    id="diss-5.3.42",
    name="Label-LDP iterative hard thresholding",
    sources=(Source("004", "Algorithm 5.3.42", "6520-6539"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_LABEL,
    privacy_claim="(epsilon, delta)-LDP for the labels, non-interactive, epsilon <= 1 "
    "(Theorem 5.3.6)",
    utility_claim="||theta_T - theta*|| <= 2^-T ||theta*|| + O(C log(1/delta) "
    "sqrt(s* log p/n)/epsilon) (Theorem 5.3.6)",
    function=label_hard_thresholding,
)
