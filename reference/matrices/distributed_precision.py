"""Sparse precision matrix of players' records, summed by a trusted server (diss-6.3.52)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.matrices.laplace_covariance_perturbation import (
    Constants,
    laplace_covariance_perturbation,
)
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


def distributed_precision(
    data: ArrayLike,
    *,
    epsilon: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a sparse inverse covariance matrix from the sum of n players' noisy messages.

    Player i sends x_i x_i^T/n + N_i, the server adds the messages up. A Laplace variable of scale b
    is the sum of n independent differences of two gamma variables of shape 1/n and scale b; with
    these in the upper triangle of N_i the sum has the law of S with symmetric Laplace noise, which
    is drawn here at once: nobody sees less than the sum. The paper's shares, v_i v_i^T, add up to
    Wishart noise, which is not pure DP.

    Parameters
    ----------
    data : array_like of shape (n, d)
        One record per player, not centred; rows longer than 1 are scaled to norm 1. The paper has
        n < d; any n will do.
    epsilon : float
        > 0.
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included), at least 1e-6 of the scale of
        the noise.
    constants : Constants, optional
        Those of :mod:`reference.matrices.laplace_covariance_perturbation`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d, d)
        Symmetric positive definite, with exact zeros.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP of the output, central, replace-one, for every epsilon > 0. It holds
    against those who see the output, or the sum, alone. A single message is not epsilon-DP for
    n > 1, as the density of its noise is unbounded at 0, and n - 1 players who subtract theirs are
    left with the last one's: the server, or the protocol that adds the messages up in secret, must
    be trusted, and the players not to collude.
    *Utility*: that of Theorem 6.3.5, ||N||_F = O(d^2/(n epsilon)), not (6.94).

    The paper's second choice, Wishart noise with the m of Theorem 6.3.6, is
    (epsilon, delta)-DP only, and is not here.

    References
    ----------
    Wang (2020), Algorithm 6.3.52 (l.8797-8812) with the noise of Theorem 6.3.5 (l.8769).
    """
    return laplace_covariance_perturbation(  # steps 1-5: Algorithm 6.3.51
        data, epsilon=epsilon, penalty=penalty, constants=constants, ledger=ledger
    )


ENTRY = Entry(
    id="diss-6.3.52",
    name="Distributed precision matrix",
    sources=(Source("004", "Algorithm 6.3.52", "8793-8812"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP with the C and m of Theorem 6.3.4, (epsilon, delta)-DP with those of "
    "Theorem 6.3.6",
    utility_claim="the errors (6.94), (6.96) of Theorems 6.3.4, 6.3.6; corrected form: "
    "O(d^2 max(..)/(n epsilon)), (6.95)",
    function=distributed_precision,
)
