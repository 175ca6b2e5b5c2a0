"""Local Bernstein Mechanism with one bit per user (diss-5.1.32)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    EPSILONS,
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
)
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.local import bernstein_mechanism
from reference.local.bernstein import Minimum, require_order
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
from reference.privacy.mechanisms.mechanism import SMALLEST_PROBABILITY


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes for the mechanism.

    Attributes
    ----------
    degree : int
        k: the grid is {0, 1/k, .., 1}^p.
    bit_epsilon : float
        epsilon_0, with which the public noise is drawn and the bit is computed.
    """

    degree: int
    bit_epsilon: float


_COIN = 2.0**-50
"""Twice what a probability and its coin may be off by in doubles: four roundings of 2^-53."""


def bit_loss(bit_epsilon: float) -> float:
    """Return the largest loss of a bit at epsilon_0 over all values and public numbers.

    -ln(2 - e^epsilon_0), of the bit 0 where the public number is 1 or more, and for both bits what
    doubles add to it.

    Raises
    ------
    ValueError
        If a false bit would be too rare for a coin of doubles.
    """
    least = 2 - math.exp(bit_epsilon) if bit_epsilon < 1 else 0.0  # twice P(b = 0) at v = 1
    if least < 2 * SMALLEST_PROBABILITY:
        largest = math.log(2 * (1 - SMALLEST_PROBABILITY))
        raise ParameterValueError(
            "bit_epsilon",
            f"be <= {largest!r}, beyond which a bit of 0 is too rare for doubles",
            bit_epsilon,
        )
    return math.log1p(_COIN) - math.log(least - _COIN)


@checked_arguments
def constants_for(
    *, n: int, dimension: int, epsilon: float, order: int, failure_probability: float
) -> Constants:
    """Return epsilon_0 = ln(2 - e^-epsilon), and the k of Theorem 5.1.2 for it.

    The bit at epsilon_0 has the loss -ln(2 - e^epsilon_0) = epsilon; epsilon_0 is lower by what the
    coins of doubles add to that, see :func:`bit_loss`: .9e-15/epsilon of itself at a small epsilon.
    """
    require_bit_budget(epsilon)
    coins = 2 * _COIN * (1 + math.exp(-epsilon))
    bit_epsilon = math.log1p(-math.expm1(-epsilon) - coins)
    degree = bernstein_mechanism.degree_for(
        n=n,
        dimension=dimension,
        epsilon=max(bit_epsilon, EPSILONS[0]),
        order=order,
        failure_probability=failure_probability,
    )
    return Constants(degree, bit_epsilon)


def require_bit_budget(epsilon: float) -> None:
    """Raise unless the coins of doubles can spend a budget: up to 26.2."""
    largest = -math.log(4 * SMALLEST_PROBABILITY)
    if epsilon > largest:
        raise ParameterValueError(
            "epsilon",
            f"be <= {largest:.4g}, beyond which a bit of 0 is too rare for doubles",
            epsilon,
        )


def bit_probability(values: FloatArray, noise: FloatArray, bit_epsilon: float) -> FloatArray:
    """Return P(b = 1) = f_v(y)/(2 f_0(y)), f_v being the density of v + Laplace(1/epsilon_0).

    |y| - |y - v| is written as 2y - v cut to [-v, v], which a large y does not round away.
    """
    return np.exp(bit_epsilon * np.clip(2 * noise - values, -values, values)) / 2


@checked_arguments
def one_bit_bernstein(
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
    """Minimise a smooth risk from one bit of every user and public randomness.

    Parameters
    ----------
    data : array_like of shape (n, m)
        One record per user; n >= (k + 1)^p.
    loss : UserLoss
        Public, on [0, 1]^p; values are clipped to [0, 1] on the user's side.
    constraint : Region, optional
        The convex set, a part of [0, 1]^p; ``None`` is all of it.
    epsilon : float
        Budget of every user, in (0, 26.2]: a coin of doubles cannot lie more rarely.
    order : int
        h from 1 to 10^6, of the iterated Bernstein polynomial; p in the theorem.
    failure_probability : float, default 0.05
        beta in (0, 1), for the choice of k.
    public_noise : array_like of shape (n,), optional
        Public: y_i, by default Laplace(1/epsilon_0). The guarantee holds for every value of it.
    partition : array_like of shape (n,), optional
        Public: the grid point, in 0..(k + 1)^p - 1, of each user; by default at random.
    minimiser : Minimiser, optional
        As of :func:`~reference.local.bernstein_mechanism.local_bernstein`.
    constants : Constants, optional
        By default :func:`constants_for`. Others cost what :func:`bit_loss` says, not epsilon.
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
    *Guarantee*: epsilon-DP in the local model, non-interactive, for every epsilon up to 26.2 and
    whatever the public randomness is, the coins being those of doubles. The printed bit, with
    epsilon for epsilon_0, has the loss -ln(2 - e^epsilon): at y >= 1 the bit 0 has probability
    1 - e^(epsilon v)/2.

    *Utility* (Theorem 5.1.4): 2 y_i b_i is unbiased for v_i with variance v_i^2 + 4/epsilon_0^2;
    the text's server averages (n/|I_l|) y_i b_i, which has mean n v/2.

    *As printed*: public noise and bit have epsilon, with which the loss is larger (diss-5.1.32/E1);
    here they have epsilon_0. Line 17 has n over the size of I_l as a factor (diss-5.1.32/E2); here
    it is 2 over that size.

    References
    ----------
    Wang (2020), Algorithm 5.1.32 (l.4928-4955), Theorem 5.1.4 (l.4918).

    Examples
    --------
    >>> from reference.local.risks import MeanSquaredDistance
    >>> from reference.privacy import Ledger
    >>> data = np.full((200_000, 1), 0.3)
    >>> found = one_bit_bernstein(
    ...     data, MeanSquaredDistance(1), epsilon=2.0, order=1, ledger=Ledger(0)
    ... )
    >>> bool(abs(found.point[0] - 0.3) < 0.3)
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
    loss_of_bit = bit_loss(chosen.bit_epsilon)
    points = grid(require_count("constants.degree", chosen.degree), p)  # step 5
    part, noise = open_public(
        public_noise, partition, ledger, n=n, parts=len(points), scale=1 / chosen.bit_epsilon
    )

    values = losses_at(loss, points[part], records)  # steps 7-11, every user for itself
    bits = ledger.bit(
        bit_probability(values, noise, chosen.bit_epsilon), epsilon=loss_of_bit, unit="record"
    )
    means = means_by_part(2 * noise * bits, part)  # steps 12-19: P(b = 1) is 1/2 over y
    return minimum_of(  # steps 20-21
        means,
        degree=chosen.degree,
        dimension=p,
        order=order,
        constraint=constraint,
        minimiser=minimiser,
    )


def open_public(
    public_noise: ArrayLike | None,
    partition: ArrayLike | None,
    ledger: Ledger,
    *,
    n: int,
    parts: int,
    scale: float,
) -> tuple[np.ndarray, FloatArray]:
    """Return the public partition and noise that are given, or that the ledger publishes."""
    given = (
        None
        if public_noise is None
        else require_array("public_noise", public_noise, ndim=1, shape=(n,))
    )
    part = open_partition(partition, n, parts, ledger)  # step 6
    if given is not None:
        return part, given
    return part, ledger.public(lambda rng: rng.laplace(scale=scale, size=n))  # steps 3-4


ENTRY = Entry(
    id="diss-5.1.32",
    name="One-bit Local Bernstein Mechanism",
    sources=(Source("004", "Algorithm 5.1.32", "4928-4955"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP for epsilon <= ln 2 (Theorem 5.1.4); corrected: with "
    "ln(2 - e^-epsilon) in the bit, for every epsilon up to 26.2",
    utility_claim="Err_D <= O~(log(1/beta) D_p^(1/2) p^(1/4) 2^(p(p+1)/2)/(n^(1/4) epsilon^(1/2))) "
    "with probability 1 - 4 beta (Theorem 5.1.4, Corollary 5.1.2)",
    function=one_bit_bernstein,
)
