"""The SuLQ baseline of section 6.3 (diss-6.3-SULQ): a noisy square matrix, made symmetric."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.matrices.covariance_perturbation import precision_of, require_penalty
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.second_moments import GAUSSIAN_SENSITIVITY, second_moment
from reference.parameters import checked_arguments
from reference.privacy.calibration import smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of S in the Frobenius norm.
    noise_scale : float
        Standard deviation of every entry of the noise, before it is made symmetric.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(*, n: int, dimension: int, epsilon: float, delta: float) -> Constants:
    """Return the noise sqrt 8 d log(d/delta)/(n epsilon), or more where that is too little.

    The paper gives no formula. This is how the literature states that of Blum et al. (2005)
    (Chaudhuri, Sarwate and Sinha 2013). It is more than (epsilon, delta) needs unless epsilon is
    large or delta near 1, and then the smallest noise for the sensitivity sqrt 2/n is returned:
    ||v v^T - w w^T||_F <= sqrt 2.
    """
    logarithm = math.log(dimension) - math.log(delta)
    stated = math.sqrt(8) * dimension * logarithm / epsilon
    least = smallest_gaussian_scale(epsilon, delta, sensitivity=GAUSSIAN_SENSITIVITY)
    return Constants(GAUSSIAN_SENSITIVITY / n, max(stated, least) / n)


@checked_arguments
def sulq_covariance_perturbation(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix after independent noise on all d^2 entries.

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records, not centred; rows longer than 1 are scaled to norm 1.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included), at least 1e-6 of the scale of
        the noise. The paper uses 0.001.
    constants : Constants, optional
        By default :func:`constants_for`, a stand-in: the paper has none.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0.
    *Utility*: that of any covariance perturbation (Theorem 6.3.3), with ||N||_F of order
    d^2 log(d/delta)/(n epsilon): d sqrt(log) times diss-6.3.51-G's.

    References
    ----------
    Wang (2020), section 6.3.6 (l.8848), Table 6.5 (l.8871-8884), by name only.
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    n, d = records.shape
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, n=n, dimension=d, epsilon=epsilon, delta=delta
    )
    require_penalty(penalty, chosen.noise_scale)

    noisy = ledger.gaussian(
        second_moment(records), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
    )
    return precision_of((noisy + noisy.T) / 2, penalty)


ENTRY = Entry(
    id="diss-6.3-SULQ",
    name="Covariance perturbation, SuLQ",
    sources=(Source("004", "Section 6.3.6, Table 6.5", "8848-8884"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP",
    utility_claim="none stated: a baseline, whose noise the paper does not give",
    function=sulq_covariance_perturbation,
)
