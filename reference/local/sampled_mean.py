"""Mean of n users' vectors, each of whom sends one noisy coordinate (diss-5.1-LDPAVGvec)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_magnitude
from reference.catalogue import Entry, Source
from reference.local.partition import means_by_part, open_partition
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def local_vector_mean(
    data: ArrayLike,
    *,
    epsilon: float,
    upper: float,
    partition: ArrayLike | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the mean of n vectors that users never show to anyone.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One vector per user, n >= p; entries are clipped to [0, b] on the user's side.
    epsilon : float
        Budget of every user, > 0.
    upper : float
        b > 0, public.
    partition : array_like of shape (n,), optional
        Public: the coordinate, in 0..p-1, that each user sends; every one is sent by somebody.
        By default a random partition into equal parts.
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
    *Guarantee* (Lemma 5.1.6): epsilon-DP in the local model, non-interactive, for every epsilon
    and every partition, as it is public: a user sends one number. A user's work does not grow
    with p.

    *Utility*: the text cites the algorithm and does not print it; this is the one that its
    condition n >= 8p log(8p/beta) is for. A coordinate is unbiased, with error at most
    2.302 b sqrt(2p log(4p/beta))/(sqrt(n) epsilon) by noise and b sqrt(p log(4p/beta)/n) by
    sampling: the second term does not fall with epsilon, so the lemma, without it, is for bounded
    epsilon; its factor p is sqrt(p) then.

    References
    ----------
    Wang (2020), Lemma 5.1.6 (l.4902-4910), after Nissim and Stemmer (2018).

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> data = np.tile([0.2, 0.8], (20_000, 1))
    >>> mean = local_vector_mean(data, epsilon=1.0, upper=1.0, ledger=Ledger(0))
    >>> bool(np.abs(mean - [0.2, 0.8]).max() < 0.1)
    True
    """
    ledger = open_ledger(ledger)
    vectors = require_array("data", data, ndim=2)
    upper = require_magnitude("upper", upper)
    n, p = vectors.shape
    chosen = open_partition(partition, n, p, ledger)

    messages = ledger.laplace(  # every user for itself, as in Algorithm 5.1.30
        np.clip(vectors[np.arange(n), chosen], 0.0, upper),
        sensitivity=upper,
        scale=upper / epsilon,
        unit="record",
    )
    return means_by_part(messages, chosen)


ENTRY = Entry(
    id="diss-5.1-LDPAVGvec",
    name="LDP-AVG in p dimensions",
    sources=(Source("004", "Lemma 5.1.6", "4902-4910"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP for every epsilon > 0 (Lemma 5.1.6)",
    utility_claim="max_j |a_j - mean_j| <= O(b p sqrt(log(p/beta))/(sqrt(n) epsilon)) with "
    "probability 1 - beta, for n >= 8p log(8p/beta), sqrt(n) >= 12 sqrt(log(32/beta))/epsilon "
    "(Lemma 5.1.6)",
    function=local_vector_mean,
)
