"""Local Bernstein Mechanism with O(log log n) bits per user, by GenProt (diss-5.1.37)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, ParameterValueError, require_array, require_count
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.local import bernstein_mechanism
from reference.local.bernstein import Minimum, quadrature, require_order
from reference.local.one_bit_bernstein_mechanism import bit_probability
from reference.local.partition import means_by_part, open_partition
from reference.local.risks import (
    Minimiser,
    Region,
    UserLoss,
    grid,
    losses_at,
    minimum_of,
    require_users,
)
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

LARGEST_BASE = 0.25
"""The epsilon up to which Theorem 5.1.12 speaks."""
MOST_CANDIDATES = 300
"""Public numbers of one user, of which log2(n/beta) are enough; bounding the loss of an index takes
the square of that in memory, and half a second here."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes for the mechanism.

    Attributes
    ----------
    degree : int
        k: the grid is {0, 1/k, .., 1}^p.
    n_candidates : int
        T public numbers per user; the message is the index of one.
    base_epsilon : float
        The text's epsilon, of the Laplace noise that is imitated; at most 1/4.
    """

    degree: int
    n_candidates: int
    base_epsilon: float


@checked_arguments
def constants_for(
    *, n: int, dimension: int, epsilon: float, order: int, failure_probability: float
) -> Constants:
    """Return a quarter of epsilon, at most 1/4, T = log2(n/beta), and the k of Theorem 5.1.2.

    No probability of an index changes by more than a factor e^(2 base_epsilon), see
    :func:`index_loss`; the ledger accounts a selection at twice that.
    """
    base = min(epsilon / 4, LARGEST_BASE)
    degree = bernstein_mechanism.degree_for(
        n=n,
        dimension=dimension,
        epsilon=base,
        order=order,
        failure_probability=failure_probability,
    )
    candidates = max(1, math.ceil(math.log2(n) - math.log2(failure_probability)))
    return Constants(degree, candidates, base)


def log_probabilities(chances: FloatArray) -> FloatArray:
    """Return log P(g = t) for every user and candidate: the law of what steps 10-13 draw.

    With independent bits of chances p_t, and g uniform among those that are 1, or among all if none
    is, P(g = t) = p_t E[1/(1 + number of other ones)] + prod_s (1 - p_s)/T. The expectation is the
    integral of prod_{s != t} (1 - p_s w) over w from 0 to 1: a polynomial of degree T - 1, which
    Gauss-Legendre integrates exactly as a sum of positive terms.

    Parameters
    ----------
    chances : ndarray of shape (n, T)
        In (0, 1).
    """
    n_candidates = chances.shape[1]
    found: FloatArray = np.prod(1 - chances, axis=1, keepdims=True) / n_candidates
    for w, weight in quadrature(n_candidates - 1):
        factors = 1 - chances * w
        found = found + weight * chances * np.prod(factors, axis=1, keepdims=True) / factors
    logs: FloatArray = np.log(found)
    return logs


@lru_cache(maxsize=64)  # the same for all runs
def index_loss(n_candidates: int, base_epsilon: float) -> float:
    """Return a bound on |log P(g = t) - log P'(g = t)| over all public numbers and all values.

    Chances p and p' are in [e^-epsilon, e^epsilon]/2 and at most a factor e^epsilon apart. P(g = t)
    grows with p_t and falls with every other p_s, and is linear in each. So for given p' the ratio
    P/P' is largest at p_t = c p'_t, p_s = p'_s/c, c = e^epsilon, p'_t <= 1/2 <= p'_s; as a function
    of one p' it is then a quotient of two linear ones, hence monotone: it is largest where each p'
    is at an end of its interval, [1/(2c), 1/2] and [1/2, c/2]. That leaves p'_t and how many p'_s
    are at c/2: 2 T cases. For T >= 20 it is 2 epsilon but for rounding.

    Parameters
    ----------
    n_candidates : int
        T >= 1.
    base_epsilon : float
        epsilon below ln 2, so that chances are below 1.
    """
    c = math.exp(base_epsilon)
    high = np.tri(n_candidates, n_candidates - 1, -1, dtype=bool)
    others = np.tile(np.where(high, c / 2, 0.5), (2, 1))  # p'_s
    own = np.repeat([[0.5 / c], [0.5]], n_candidates, axis=0)  # p'_t
    before = log_probabilities(np.hstack([own, others]))[:, 0]
    after = log_probabilities(np.hstack([c * own, others / c]))[:, 0]
    return float((after - before).max())


def index_sensitivity(chosen: Constants) -> float:
    """Return by how much log P(g = t) may move, or raise where the constants are out of range.

    It is 2 base epsilons, but for rounding where there are many candidates.
    """
    require_count("constants.n_candidates", chosen.n_candidates, at_most=MOST_CANDIDATES)
    if chosen.base_epsilon >= math.log(2):
        raise ParameterValueError("constants.base_epsilon", "be < ln 2", chosen.base_epsilon)
    return max(2 * chosen.base_epsilon, index_loss(chosen.n_candidates, chosen.base_epsilon))


@checked_arguments
def selected_noise_bernstein(
    data: ArrayLike,
    loss: UserLoss,
    constraint: Region | None = None,
    *,
    epsilon: float,
    order: int,
    failure_probability: float = 0.05,
    public_noise: ArrayLike | None = None,
    partition: ArrayLike | None = None,
    minimiser: Minimiser | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Minimum:
    """Minimise a smooth risk from the index, sent by each user, of one of its public numbers.

    Parameters
    ----------
    data : array_like of shape (n, m)
        One record per user; n >= (k + 1)^p.
    loss : UserLoss
        Public, on [0, 1]^p; values are clipped to [0, 1] on the user's side.
    constraint : Region, optional
        The convex set, a part of [0, 1]^p; ``None`` is all of it.
    epsilon : float
        Budget of every user, > 0. From 1 on it is not used up.
    order : int
        h from 1 to 10^6, of the iterated Bernstein polynomial; p in the theorem.
    failure_probability : float, default 0.05
        beta in (0, 1), for the choice of k and T.
    public_noise : array_like of shape (n, T), optional
        Public: y_{i,t}, by default Laplace. The guarantee holds for every value of it.
    partition : array_like of shape (n,), optional
        Public: the grid point, in 0..(k + 1)^p - 1, of each user; by default at random.
    minimiser : Minimiser, optional
        As of :func:`~reference.local.bernstein_mechanism.local_bernstein`.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Minimum
        As of :func:`~reference.local.bernstein_mechanism.local_bernstein`.

    Raises
    ------
    ValueError, TypeError
        On bad input, before any release.

    Notes
    -----
    *Guarantee* (Theorem 5.1.12): the text's mechanism at base_epsilon <= 1/4 is 10 base_epsilon-DP
    in the local model. An index changes its probability by e^(2 base_epsilon) at most, half of
    what the ledger's account says, 4 base_epsilon = epsilon: a selection of that sensitivity may
    lose twice as much, and the account does not know that these scores are logarithms of
    probabilities, which add up to 1 already. So half of epsilon is not used.

    *Utility*: y_{i,g_i} is v_i + Laplace(1/base_epsilon) up to a probability of 2^-T, so that the
    mean over a part is that of Algorithm 5.1.30 with (k + 1)^p times fewer users at full budget.

    *As printed*: epsilon is what base_epsilon is here. Step 17 has n over the size of I_l times a
    sum (diss-5.1.37/E2) of indices g_i (diss-5.1.37/E1); here it is the mean of the numbers that
    they stand for. The bits b_{i,t} and the sets H_i of steps 10 to 12 are not drawn: g_i is drawn
    from the law that it has with them, which is what the ledger accounts. The public numbers of
    step 3 are drawn after the partition of step 5; neither reads data.

    References
    ----------
    Wang (2020), Algorithm 5.1.37 (l.5561-5587), Theorem 5.1.12 (l.5557), after Bun, Nelson and
    Stemmer (2018).

    Examples
    --------
    >>> from reference.local.risks import MeanSquaredDistance
    >>> from reference.privacy import Ledger
    >>> data = np.full((100_000, 1), 0.3)
    >>> found = selected_noise_bernstein(
    ...     data, MeanSquaredDistance(1), epsilon=1.0, order=1, ledger=Ledger(0)
    ... )
    >>> bool(abs(found.value) < 1)
    True
    """
    ledger = open_ledger(ledger)
    records = require_users(data, loss, constraint, minimiser)
    n, p = len(records), loss.dimension
    require_order(order)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=n,
        dimension=p,
        epsilon=epsilon,
        order=order,
        failure_probability=failure_probability,
    )
    sensitivity = index_sensitivity(chosen)
    shape = (n, chosen.n_candidates)
    if public_noise is not None:
        public_noise = require_array("public_noise", public_noise, ndim=2, shape=shape)
    points = grid(require_count("constants.degree", chosen.degree), p)  # step 4

    part = open_partition(partition, n, len(points), ledger)  # step 5
    y = (  # step 3: Lap(_|_) is Laplace noise on the value 0
        public_noise
        if public_noise is not None
        else ledger.public(lambda rng: rng.laplace(scale=1 / chosen.base_epsilon, size=shape))
    )
    # step 6: every player i for itself
    v = losses_at(loss, points[part], records)  # step 7
    chances = bit_probability(v[:, None], y, chosen.base_epsilon)  # step 8: p_{i,t}
    # step 9: no chance is outside, as all are within e^(+-epsilon)/2
    g = ledger.selections(  # steps 10-13: at this epsilon with the probabilities themselves
        log_probabilities(chances), sensitivity=sensitivity, epsilon=2 * sensitivity
    )
    # step 15: the server
    means = means_by_part(y[np.arange(n), g], part)  # steps 16-19: v_l, of the y_{i,g_i} in I_l
    return minimum_of(  # steps 20, 21
        means,
        degree=chosen.degree,
        dimension=p,
        order=order,
        constraint=constraint,
        minimiser=minimiser,
    )


ENTRY = Entry(
    id="diss-5.1.37",
    name="Local Bernstein Mechanism by GenProt",
    sources=(Source("004", "Algorithm 5.1.37", "5561-5587"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="10 epsilon-LDP for epsilon <= 1/4 (Theorem 5.1.12)",
    utility_claim="the bounds of Corollary 5.1.2 with probability 1 - 2 beta, for "
    "T = O(log(n/beta)) (Theorem 5.1.12)",
    function=selected_noise_bernstein,
)
