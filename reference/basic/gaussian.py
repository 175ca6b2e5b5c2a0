"""The Gaussian mechanism (diss-2.gaussian)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.basic.sums import bounded_records, rounded_sum
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Delta_2 of the sum.
    noise_scale : float
        sigma, the standard deviation of the noise on every entry.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(
    *,
    dimension: int,
    epsilon: float,
    delta: float,
    bound: float,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make the release (epsilon, delta)-DP, for every epsilon > 0.

    A record moves every entry of the sum by 2 bound at most.

    Parameters
    ----------
    dimension : int
        p.
    epsilon, delta, bound
        As for :func:`gaussian_mechanism`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the release is accounted; the first is exact.
    """
    sensitivity = 2 * math.sqrt(dimension) * bound
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, method=method),
    )


@checked_arguments
def gaussian_mechanism(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    bound: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Release the sum of bounded records with Gaussian noise.

    Parameters
    ----------
    data : array_like of shape (n, p)
        Records; entries beyond the bound are cut to it.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    bound : float
        > 0, public: entries lie in [-bound, bound], so that Delta_2 = 2 sqrt(p) bound.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0, and no less: with
    a = Delta_2/sigma the smallest delta is Phi(a/2 - epsilon/a) - e^epsilon Phi(-a/2 - epsilon/a).
    On rounding see :func:`~reference.basic.laplace.laplace_mechanism`.
    *Utility*: the noise has E||Y||_2^2 = p sigma^2.

    *As printed*: sigma >= sqrt(2 log(1.25/delta)) Delta_2/epsilon without a range of epsilon
    (diss-2.gaussian/E1); here sigma is the exact one.

    References
    ----------
    Wang (2020), Definition 2.1.3 (l.378-380), whose sigma holds for epsilon <= 1.
    """
    ledger = open_ledger(ledger)
    records = bounded_records(data, bound)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        dimension=records.shape[1],
        epsilon=epsilon,
        delta=delta,
        bound=bound,
    )
    return ledger.gaussian(
        rounded_sum(records, bound=bound),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
    )


ENTRY = Entry(
    id="diss-2.gaussian",
    name="Gaussian mechanism",
    sources=(Source("004", "Definition 2.1.3", "378-380"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP with sigma >= sqrt(2 log(1.25/delta)) Delta_2/epsilon "
    "(Definition 2.1.3)",
    utility_claim="E||Y||_2^2 = p sigma^2 (none is printed)",
    function=gaussian_mechanism,
)
