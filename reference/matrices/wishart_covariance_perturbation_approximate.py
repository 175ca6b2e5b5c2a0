"""Sparse precision matrix by Wishart noise on the second moment (diss-6.3.51-W2)."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.matrices.covariance_perturbation import precision_of, require_penalty
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.second_moments import second_moment
from reference.parameters import checked_arguments
from reference.privacy.calibration import smallest_wishart_degrees
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of S in spectral norm: it moves by sensitivity (v v^T - w w^T) with |v|, |w| <= 1.
    degrees : float
        m of the noise W_d(m, C), > d - 1. Below d + 1 the accountant certifies nothing.
    noise_scale : float
        C = noise_scale I.
    """

    sensitivity: float
    degrees: float
    noise_scale: float


@checked_arguments
def constants_for(*, n: int, dimension: int, epsilon: float, delta: float) -> Constants:
    """Return the C = I/n of Theorem 6.3.6 with the smallest whole m that the accountant certifies.

    The theorem's m - d = (14/epsilon^2) ln(4/delta) suffices too for epsilon < 1, and is 22 times
    as large at (0.5, 0.01), 10 times at (0.5, 1e-5). Among all C = c I this one is about the least
    noise where d is about m - d. For more variables a smaller c with a larger m is less, for fewer
    a larger c with a smaller m: at (0.5, 0.01) and d = 400 ||N||_F is 3.8 times smaller with c =
    1/(8 n) and m = 1040, at (0.1, 1e-5) and d = 5 it is 3.2 times smaller with c = 10/n, m = 28.
    """
    sensitivity = 1 / n
    degrees = smallest_wishart_degrees(
        epsilon, delta, sensitivity=sensitivity, scale=sensitivity, dimension=dimension
    )
    return Constants(sensitivity, degrees, sensitivity)


@checked_arguments
def wishart_covariance_perturbation_approximate(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix from a second moment with Wishart noise.

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records, not centred; rows longer than 1 are scaled to norm 1.
    epsilon : float
        > 0.
    delta : float
        In [1e-12, 1).
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included), at least 1e-6 of m C, the mean
        of the noise on the diagonal. The paper uses 0.001.
    constants : Constants, optional
        By default :func:`constants_for`.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 (Theorem 6.3.6 has
    epsilon < 1). Some outputs are impossible under the neighbour; delta counts them
    (:func:`reference.privacy.mechanisms.wishart_delta`).
    *Utility*: ||Theta_hat - Theta*||_F <= ||Theta*||_2 ||Theta_hat||_2 ||N||_F with Theta* the
    minimiser without noise N, ||N||_F = O(sqrt d (m + log(1/delta'))/n) but for probability
    delta'. The noise has mean m C, which is not taken off: the output shrinks towards that of a
    larger penalty on the diagonal.

    References
    ----------
    Wang (2020), Algorithm 6.3.51 (l.8743-8753) with the noise of Theorem 6.3.6 (l.8777).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    n, d = records.shape
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, n=n, dimension=d, epsilon=epsilon, delta=delta
    )
    require_penalty(penalty, chosen.degrees * chosen.noise_scale)

    noisy = ledger.wishart(  # step 1: S + N, N ~ W_d(m, C)
        second_moment(records),
        sensitivity=chosen.sensitivity,
        degrees=chosen.degrees,
        scale=chosen.noise_scale,
    )
    return precision_of(noisy, penalty)  # step 2


ENTRY = Entry(
    id="diss-6.3.51-W2",
    name="Covariance perturbation, Wishart",
    sources=(Source("004", "Algorithm 6.3.51, Theorem 6.3.6", "8743-8779"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < 1, 0 < delta < 1/epsilon",
    utility_claim="||Theta_hat - Theta*||_F = O(max(||Theta*||_2^2, ||Theta_hat||_2^2) ln(1/delta) "
    "ln(1/delta') d^(3/2)/(n epsilon^2)), (6.96)",
    function=wishart_covariance_perturbation_approximate,
)
