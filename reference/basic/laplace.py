"""The Laplace mechanism (diss-2.laplace)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.basic.sums import bounded_records, rounded_sum
from reference.catalogue import Entry, Source
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def laplace_mechanism(
    data: ArrayLike, *, epsilon: float, bound: float, ledger: Ledger | None = None
) -> FloatArray:
    """Release the sum of bounded records with Laplace noise.

    Parameters
    ----------
    data : array_like of shape (n, p)
        Records; entries beyond the bound are cut to it.
    epsilon : float
        > 0.
    bound : float
        > 0, public: entries lie in [-bound, bound], so that Delta_1 = 2 p bound.
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
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon, and no less: all of it is
    spent where the records are at opposite ends in every entry. The sum is rounded once
    (:func:`~reference.basic.sums.rounded_sum`); that, and the rounding of the noise and of what is
    released, is not counted (SECURITY.md).
    *Utility*: the noise of an entry has mean size Delta_1/epsilon and exceeds t times that with
    probability e^-t.

    References
    ----------
    Wang (2020), Definition 2.1.2 (l.372-376).

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> data = [[1.0], [0.0], [1.0]]
    >>> total = laplace_mechanism(data, epsilon=100.0, bound=1.0, ledger=Ledger(0))
    >>> bool(abs(total[0] - 2) < 0.5)
    True
    """
    ledger = open_ledger(ledger)
    records = bounded_records(data, bound)
    sensitivity = 2 * records.shape[1] * bound
    total = rounded_sum(records, bound=bound)
    return ledger.laplace(total, sensitivity=sensitivity, scale=sensitivity / epsilon)


ENTRY = Entry(
    id="diss-2.laplace",
    name="Laplace mechanism",
    sources=(Source("004", "Definition 2.1.2", "372-376"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP with noise Lap(Delta_1/epsilon) (Definition 2.1.2)",
    utility_claim="E|Y_i| = Delta_1/epsilon (none is printed)",
    function=laplace_mechanism,
)
