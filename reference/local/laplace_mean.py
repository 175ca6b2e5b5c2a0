"""Mean of n users' numbers, each with Laplace noise of its own (diss-5.1.30)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import require_array, require_magnitude
from reference.catalogue import Entry, Source
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def local_mean(
    data: ArrayLike, *, epsilon: float, upper: float, ledger: Ledger | None = None
) -> float:
    """Estimate the mean of n scalars that users never show to anyone.

    Parameters
    ----------
    data : array_like of shape (n,)
        One number per user, clipped to [0, b] on the user's side.
    epsilon : float
        Budget of every user, > 0.
    upper : float
        b > 0, public.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Lemma 5.1.1): epsilon-DP in the local model, non-interactive, for every epsilon.
    The privacy loss is exactly +-epsilon outside [0, b], for inputs 0 and b. The paper promises
    v_i in [0, b]; a local guarantee is over all inputs, so here it is enforced.

    *Utility*: unbiased for the mean of the clipped data, with variance 2 b^2/(n epsilon^2).
    With probability 1 - beta the error is at most b sqrt(log(2/beta)/(c n))/epsilon for
    n >= log(2/beta)/(4c), with c = 0.188714 (so 1/sqrt(c) = 2.302).

    References
    ----------
    Wang (2020), Algorithm 5.1.30 (l.4702-4716), Lemma 5.1.1 (l.4724-4728).

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> abs(local_mean([0.25, 0.75] * 5000, epsilon=1.0, upper=1.0, ledger=Ledger(0)) - 0.5) < 0.1
    True
    """
    ledger = open_ledger(ledger)
    values = require_array("data", data, ndim=1)
    upper = require_magnitude("upper", upper)

    messages = ledger.laplace(  # steps 2-4, every user for itself
        np.clip(values, 0.0, upper), sensitivity=upper, scale=upper / epsilon, unit="record"
    )
    return float(messages.mean())  # step 6


ENTRY = Entry(
    id="diss-5.1.30",
    name="1-dim LDP-AVG",
    sources=(Source("004", "Algorithm 5.1.30", "4702-4716"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP for every epsilon > 0 (Lemma 5.1.1)",
    utility_claim="|a - mean| <= 2 b sqrt(log(2/beta))/(sqrt(n) epsilon) with probability "
    "1 - beta, for n > log(2/beta) (Lemma 5.1.1)",
    function=local_mean,
)
