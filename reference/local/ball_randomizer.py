"""One unbiased private vector per user: the randomizer of section 5.3 (diss-5.3.rand)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.catalogue import Entry, Source
from reference.clipping import clip_rows
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def ball_randomizer(
    data: ArrayLike, *, epsilon: float, radius: float, ledger: Ledger | None = None
) -> FloatArray:
    """Send one vector per user, uniform on half a sphere, whose mean is the user's own.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One vector x per user, scaled down to norm r on the user's side if it is longer.
    epsilon : float
        Budget of every user, > 0.
    radius : float
        r > 0, public.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (n, p)
        The messages; all have the norm B = r coth(epsilon/2) sqrt(pi) Gamma((p+1)/2)/Gamma(p/2).

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP in the local model, non-interactive, for every epsilon. The loss of x
    against -x is exactly epsilon if their norm is r, and log((1 + rho t)/(1 - rho t)) with
    t = tanh(epsilon/2) if it is rho r. The paper promises ||x|| <= r; a local guarantee is over
    all inputs, so here it is enforced. The coin of a longer vector could be clamped instead, which
    is as private but biased towards r x/||x|| in the same way.

    *Utility* (Lemma 5.3.1): E z = x, and the covariance is exactly (B^2/p) I - x x^T, because
    z z^T does not depend on the sign of z. B^2/p is r^2 coth^2(epsilon/2) times a factor that grows
    with p from 1 to pi/2.

    *As printed*: the scale lacks coth(epsilon/2), so that E z is tanh(epsilon/2) x
    (diss-5.3.rand/E1).

    References
    ----------
    Wang (2020), (5.75) and Lemma 5.3.1 (l.6463-6469), after Duchi, Jordan and Wainwright.

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> x = np.tile([0.6, 0.0, 0.3], (40_000, 1))
    >>> mean = ball_randomizer(x, epsilon=1.0, radius=1.0, ledger=Ledger(0)).mean(axis=0)
    >>> bool(np.abs(mean - x[0]).max() < 0.05)
    True
    """
    ledger = open_ledger(ledger)
    vectors = require_array("data", data, ndim=2)

    return ledger.l2_ball(clip_rows(vectors, radius), radius=radius, epsilon=epsilon)


ENTRY = Entry(
    id="diss-5.3.rand",
    name="l2-ball randomizer",
    sources=(Source("004", "Section 5.3.3, randomizer (5.75)", "6463-6469"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP (l.6463)",
    utility_claim="E z = x; coordinates sub-Gaussian with variance O(r^2/epsilon^2) (Lemma 5.3.1)",
    function=ball_randomizer,
)
