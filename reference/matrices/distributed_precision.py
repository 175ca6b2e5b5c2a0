"""Sparse precision matrix of players' records, summed by a trusted server (diss-6.3.52)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import ParameterValueError, require_array
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.matrices import laplace_covariance_perturbation as pure
from reference.matrices import wishart_covariance_perturbation_approximate as approximate
from reference.matrices.covariance_perturbation import precision_of, require_penalty
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.second_moments import second_moment
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def distributed_precision(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float | None = None,
    penalty: float,
    constants: pure.Constants | approximate.Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix from the sum of n players' noisy messages.

    Player i sends x_i x_i^T/n + N_i, the server adds the messages and more noise up. There are two
    kinds of noise, and ``delta`` chooses:

    - With ``delta`` it is the paper's. N_i = v_i v_i^T, and the server adds k = m - n more u u^T,
      all N(0, I/n), so that the sum has the law of S + W_d(m, I/n).
    - Without, for pure DP, which Wishart noise is not: the upper triangle of N_i holds differences
      of two gamma variables of shape 1/n and scale b, n of which add up to a Laplace variable of
      scale b, so that the sum has the law of S with symmetric Laplace noise.

    Parameters
    ----------
    data : array_like of shape (n, d)
        One record per player, not centred; rows longer than 1 are scaled to norm 1. The paper has
        n < d; any n will do without delta, and any n <= m with it.
    epsilon : float
        > 0.
    delta : float, optional
        In (0, 1). ``None`` means pure DP.
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included), at least 1e-6 of the scale of
        the noise.
    constants : Constants, optional
        Those of :mod:`reference.matrices.laplace_covariance_perturbation` without delta, those of
        :mod:`reference.matrices.wishart_covariance_perturbation_approximate`, with a whole number
        of degrees, with it.
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
    *Guarantee*: epsilon-DP or (epsilon, delta)-DP of the output, central, replace-one, for every
    epsilon > 0. It holds against those who see the output, or the sum, alone. A single message is
    neither: with Laplace shares the density of its noise is unbounded at 0 for n > 1, and the
    column space of x_i x_i^T/n + v_i v_i^T contains x_i. And n - 1 players who subtract theirs are
    left with the last one's share, to which the server's m - n terms are added in the second case.
    The server, or the protocol that adds the messages up in secret, must be trusted, and the
    players not to collude.
    *Utility*: that of Theorem 6.3.5, ||N||_F = O(d^2/(n epsilon)), not (6.94), and with delta that
    of Theorem 6.3.6.

    *As printed*: without delta the shares are v_i v_i^T as well, with the C and m of Theorem 6.3.4,
    which is not epsilon-DP (diss-6.3.52/E1). With delta m is the smallest that the accountant
    certifies, less than that of Theorem 6.3.6. The shares and B are drawn here as their sum: nobody
    sees less than that. Before the minimisation of step 5 the sum is projected on the positive
    semidefinite cone; without that there may be no minimiser.

    References
    ----------
    Wang (2020), Algorithm 6.3.52 (l.8797-8812) with the noise of Theorem 6.3.5 (l.8769) in place of
    that of Theorem 6.3.4, or with that of Theorem 6.3.6 (l.8777).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    n, d = records.shape

    # steps 1-4: every player i sends A_i, x_i x_i^T/n and its share of the noise
    if delta is None:
        laplace = fixed_constants(
            ledger, pure.Constants, constants, pure.constants_for, n=n, dimension=d, epsilon=epsilon
        )
        require_penalty(penalty, laplace.noise_scale)
        noisy = ledger.symmetric_laplace(  # step 5: sum_i A_i
            second_moment(records), sensitivity=laplace.sensitivity, scale=laplace.noise_scale
        )
    else:
        wishart = fixed_constants(
            ledger,
            approximate.Constants,
            constants,
            approximate.constants_for,
            n=n,
            dimension=d,
            epsilon=epsilon,
            delta=delta,
        )
        require_terms(n, wishart.degrees)
        require_penalty(penalty, wishart.degrees * wishart.noise_scale)
        noisy = ledger.wishart(  # step 5: sum_i A_i + B, of n + k = m terms v v^T
            second_moment(records),
            sensitivity=wishart.sensitivity,
            degrees=wishart.degrees,
            scale=wishart.noise_scale,
        )
    return precision_of(noisy, penalty)  # step 5


def require_terms(n: int, degrees: float) -> None:
    """Raise unless m is a whole number of terms, of which every one of n players has one."""
    if degrees != round(degrees):
        raise ParameterValueError("degrees", "be a whole number of terms", degrees)
    if n > degrees:
        raise ParameterValueError("data", f"have at most m = {degrees:.0f} records", got=f"{n}")


ENTRY = Entry(
    id="diss-6.3.52",
    name="Distributed precision matrix",
    sources=(Source("004", "Algorithm 6.3.52", "8793-8812"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP with the C and m of Theorem 6.3.4, (epsilon, delta)-DP with those of "
    "Theorem 6.3.6",
    utility_claim="the errors (6.94), (6.96) of Theorems 6.3.4, 6.3.6; corrected form: "
    "O(d^2 max(..)/(n epsilon)), (6.95), for the first",
    function=distributed_precision,
)
