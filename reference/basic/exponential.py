"""The exponential mechanism (diss-2.exponential)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference.basic.sums import bounded_records, rounded_sum
from reference.catalogue import Entry, Source
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def exponential_mechanism(
    data: ArrayLike, *, epsilon: float, bound: float, ledger: Ledger | None = None
) -> int:
    """Select the candidate to which the records give the largest total, or nearly.

    Parameters
    ----------
    data : array_like of shape (n, k)
        What every record gives to each of k candidates; cut to [-bound, bound].
    epsilon : float
        > 0.
    bound : float
        > 0, public: a total changes by Delta u = 2 bound at most.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    int
        r in {0, ..., k-1}, with probability proportional to exp(epsilon u(D, r)/(2 Delta u)).

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon; approached by one candidate
    that gains Delta u while many others lose it.
    *Utility* (Lemma 2.1.3): the total of r is below the largest by (2 Delta u/epsilon)(log k + t)
    or more with probability e^-t at most.

    References
    ----------
    Wang (2020), Definition 2.1.4 (l.382), Lemma 2.1.3 (l.384-388).
    """
    ledger = open_ledger(ledger)
    records = bounded_records(data, bound)
    return ledger.exponential(
        rounded_sum(records, bound=bound), sensitivity=2 * bound, epsilon=epsilon
    )


ENTRY = Entry(
    id="diss-2.exponential",
    name="Exponential mechanism",
    sources=(
        Source("004", "Definition 2.1.4", "382"),
        Source("003", "Definition 3", "119"),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP (Definition 2.1.4)",
    utility_claim="P{u <= OPT - (2 Delta u/epsilon)(log |R| + t)} <= e^-t (Lemma 2.1.3)",
    function=exponential_mechanism,
)
