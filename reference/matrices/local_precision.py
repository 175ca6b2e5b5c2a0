"""Sparse precision matrix under local differential privacy (diss-6.3.53)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.matrices.covariance_perturbation import precision_of, require_penalty
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.local_gaussian_pca import Constants, constants_for, randomize_second_moments
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def local_precision(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix under non-interactive local privacy.

    Every player's message is that of Algorithm 6.1.46; the paper divides it by n before it is sent,
    here the server does.

    Parameters
    ----------
    data : array_like of shape (n, d)
        One record per player, not centred; rows longer than 1 are scaled to norm 1. It takes
        up to 5 n d^2 floats of memory.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included), at least 1e-6 of the scale of
        the noise of the mean.
    constants : Constants, optional
        Those of Algorithm 6.1.46; by default its ``constants_for``. For epsilon <= 1,
        ``constants_for_scaled`` and ``constants_for_diagonal`` are right as well.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    PrecisionMinimum
        ``theta``, symmetric positive definite with exact zeros, and the solver's ``gap``, which
        depends on the data through the noisy matrix alone.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-LDP, non-interactive, for every epsilon > 0 (Theorem 6.3.8).
    *Utility*: ||Theta_hat - Theta*||_F <= ||Theta*||_2 ||Theta_hat||_2 ||N||_F with
    ||N||_F = O(d sqrt(log(1/delta))/(epsilon sqrt n)) for epsilon <= 1. The mean of the messages is
    hardly ever positive semidefinite; it is projected on that cone, which does not spoil the bound.

    *As printed*: the noise is for the sensitivity 1/n of a message, which is sqrt 2/n
    (diss-6.3.53/E1).

    References
    ----------
    Wang (2020), Algorithm 6.3.53 (l.8824-8840), Theorem 6.3.8 (l.8816).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    noise = fixed_constants(
        ledger, Constants, constants, constants_for, epsilon=epsilon, delta=delta
    )
    require_penalty(penalty, noise.noise_scale / math.sqrt(len(records)))

    messages = randomize_second_moments(  # steps 1-4
        records, epsilon=epsilon, delta=delta, constants=noise, ledger=ledger
    )
    return precision_of(messages.mean(axis=0), penalty)  # step 5


ENTRY = Entry(
    id="diss-6.3.53",
    name="Local precision matrix",
    sources=(Source("004", "Algorithm 6.3.53", "8824-8840"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive, for any epsilon > 0, 0 < delta < 1",
    utility_claim="||Theta_hat - Theta*||_F = O(d sqrt(ln(1/delta)) max(||Theta*||_2^2, "
    "||Theta_hat||_2^2)/(epsilon sqrt n)) (Theorem 6.3.8)",
    function=local_precision,
)
