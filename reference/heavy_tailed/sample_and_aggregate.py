"""Sample-and-aggregate: the centre of attention of the estimates on many blocks (diss-3.2.5)."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from reference._validation import (
    FloatArray,
    IntArray,
    require_array,
    require_count,
    require_delta,
    require_positive,
)
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries, clip_rows
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.privacy.mechanisms import smooth_gaussian_delta

DRAWS = 1000
"""How often random subsets are drawn anew until no record is in too many of them."""

Estimator = Callable[[Any], FloatArray]


@dataclass(frozen=True)
class Calibration:
    """What the noise is calibrated by. Step 1, l.1449.

    Parameters
    ----------
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    dimension : int
        d >= 1.
    """

    epsilon: float
    delta: float
    dimension: int

    @property
    def divisor(self) -> float:
        """The noise is S/gamma, gamma = epsilon/(5 sqrt(2 log(2/delta)))."""
        return self.epsilon / (5 * math.sqrt(2 * math.log(2 / self.delta)))

    @property
    def decay(self) -> float:
        """Ever farther neighbours count e^{-beta} less, beta = epsilon/(4 (d + log(2/delta)))."""
        return self.epsilon / (4 * (self.dimension + math.log(2 / self.delta)))

    @property
    def smoothness(self) -> float:
        """2 beta: by so much can log S change (see :func:`smooth_bound`)."""
        return 2 * self.decay

    @property
    def accounted_delta(self) -> float:
        """What the release costs at ``epsilon``, below ``delta`` where the algorithm applies."""
        return smooth_gaussian_delta(
            self.divisor, self.smoothness, dimension=self.dimension, epsilon=self.epsilon
        )


def radii(points: FloatArray) -> FloatArray:
    """Return r_i(t), the radius of the ball around point i that holds t points, itself included.

    Parameters
    ----------
    points : ndarray of shape (m, d)

    Returns
    -------
    ndarray of shape (m, m)
        Entry (i, t - 1) is r_i(t).
    """
    distances: FloatArray = np.sort(cdist(points, points), axis=1)
    return distances


def majority(n_points: int, touched: int) -> int:
    """Return t_0 = floor((m + s)/2) + 1: two such balls share a point, though s have changed."""
    return (n_points + touched) // 2 + 1


def centre_of_attention(distances: FloatArray, touched: int) -> int:
    """Return the index of the first point whose ball of t_0 points is smallest. Step 4, l.1452.

    Parameters
    ----------
    distances : ndarray of shape (m, m)
        From :func:`radii`.
    touched : int
        s: how many points one record can change.

    Returns
    -------
    int
    """
    return int(np.argmin(distances[:, majority(len(distances), touched) - 1]))


def smooth_bound(
    distances: FloatArray,
    touched: int,
    *,
    decay: float,
    diameter: float,
    largest: bool = False,
    without_diameter: bool = False,
) -> float:
    """Return S = 2 max_k rho(t_0 + (k+1) s) e^{-beta k}. Step 5, l.1453.

    rho(t) is the mean of the q = ceil(s/beta) smallest r_i(t), and the diameter for t > m.

    Parameters
    ----------
    distances : ndarray of shape (m, m)
        From :func:`radii`, of points no two of which are farther apart than ``diameter``.
    touched : int
        s: how many points one record can change; t_0 + s <= m.
    decay : float
        beta in (0, 1/2], with q <= t_0 + s.
    diameter : float
        > 0.
    largest, without_diameter : bool
        As in :func:`sample_and_aggregate`.

    Returns
    -------
    float
        > 0. Let s points change, r' and S' be the new radii and bound. An unchanged point has
        r'(t) <= r(t+s).

        S' <= e^{2 beta} S: the q points of the smallest r(t+s) include u <= s changed ones. The
        ball of the smallest, a, holds t + s >= q + s points, so u unchanged ones that are not
        among the q, and each has r'(t) <= r(t+s) <= 2a. So rho'(t) <= rho(t+s) + u a/q
        <= (1 + beta) rho(t+s), and 1 + beta <= e^beta; the other e^beta is one step of k.

        The centre moves by at most S: the old and the new ball share an unchanged point. The old
        radius is at most a, the smallest r(t_0+s), and the new one at most the (s+1)-th
        smallest, b; q rho(t_0+s) >= s a + (q-s) b, so a + b <= 2 rho(t_0+s) if q >= 2s.
    """
    # t_0 + (k+1) s <= m; the next k is the first whose ball would need more points than there are
    columns = np.sort(distances[:, majority(len(distances), touched) + touched - 1 :: touched], 0)
    count = math.ceil(touched / decay)
    means = (columns[-count:] if largest else columns[:count]).mean(axis=0)
    if not without_diameter:
        means = np.append(means, diameter)
    bound = 2 * float((means * np.exp(-decay * np.arange(means.size))).max())
    # where that is 0 or underflows: the larger of a smooth bound and a constant is smooth
    return max(bound, sys.float_info.min)


def random_subsets(n: int, count: int, rng: np.random.Generator) -> IntArray:
    """Draw subsets of floor(n/m) records until none is in more than sqrt(m) of them. Step 2.

    Parameters
    ----------
    n : int
        Number of records.
    count : int
        m, the number of subsets.
    rng : Generator

    Returns
    -------
    ndarray of int, shape (m, n // m)

    Raises
    ------
    ValueError
        If none of :data:`DRAWS` attempts succeeds; that does not depend on any data.
    """
    for _ in range(DRAWS):
        subsets = np.array([rng.choice(n, n // count, replace=False) for _ in range(count)])
        if np.bincount(subsets.ravel()).max() <= math.isqrt(count):
            return subsets
    raise ValueError(
        f"{DRAWS} draws of {count} subsets of {n} records left a record in more than "
        f"{math.isqrt(count)} of them; take more subsets, or disjoint ones"
    )


def sample_and_aggregate(
    data: Any,
    estimator: Estimator,
    *,
    diameter: float,
    n_blocks: int,
    epsilon: float,
    delta: float,
    disjoint: bool = True,
    largest: bool = False,
    without_diameter: bool = False,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate on many small blocks of records, and release where most estimates agree.

    Parameters
    ----------
    data : array_like or tuple of array_like
        n records along axis 0 of every array.
    estimator : callable
        Maps the records of a block, ``data`` cut to them, to d numbers (shape (d,), the same d
        for every block), such as the minimiser of the empirical risk. Any values will do: see
        ``diameter``. It must not raise, nor warn but by way of numpy's floating-point errors,
        which are silenced.
    diameter : float
        Lambda > 0, public: every estimate is projected on the l2 ball of this diameter around 0
        (NaN counts as 0), so that no promise about the estimator is needed. Subtract a public
        guess in the estimator where 0 is not a sensible centre.
    n_blocks : int
        m >= 1, public, at most n.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    disjoint : bool, default True
        Estimate on m disjoint blocks of consecutive records, of which one record touches s = 1.
        ``False``: on random subsets as printed, of which one record touches up to
        s = floor(sqrt(m)); the same guarantee needs the square of m.
    largest : bool, default False
        Average the largest radii in rho, one reading of step 5 (erratum 1). Not private.
    without_diameter : bool, default False
        Take the maximum over the k for which step 5 is defined as printed, without Lambda
        (erratum 2). Not private.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        May lie outside the ball.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release: above
        all if m is too small for this epsilon and delta (the smooth bound averages
        ceil(s/beta) <= t_0 + s radii, m of about 2 s/beta), or if epsilon is so large that the
        constants do not give (epsilon, delta), which may happen beyond 1.

    Notes
    -----
    *Guarantee* (Theorem 3.2.1, Theorem 4.2 of Nissim, Raskhodnikova and Smith): (epsilon,
    delta)-DP, central, replace-one. log S moves by up to 2 beta when a record is replaced, see
    :func:`smooth_bound`, not by beta; the constants leave room for that, with at most 0.6 delta
    spent at epsilon <= 1 and delta >= 1e-10.
    *Utility* (Theorem 3.2.2): excess risk O~((beta/alpha)^2 d^3 L(w*)/(n epsilon^4)) for
    alpha-strongly convex empirical and beta-smooth population risk. The noise is of use once
    Lambda e^{-beta k} at the largest k, about m/(2s), is below the spread of the estimates:
    m of (2 s/beta) log(Lambda/spread).
    *Errata*: (1) and (2) see ``largest`` and ``without_diameter``; (4)-(6) are about the proof
    of the utility.

    References
    ----------
    Seed 004, Algorithm 3.2.5 (l.1443-1455), Theorem 3.2.1 (l.1435-1439), Lemma 3.2.1
    (l.1463-1467), Theorem 3.2.2 (l.1471-1475).

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> data = np.random.default_rng(0).standard_t(3, size=400_000)
    >>> mean = sample_and_aggregate(
    ...     data, lambda block: np.array([block.mean()]), diameter=10.0, n_blocks=500,
    ...     epsilon=2.0, delta=1e-3, ledger=Ledger(0),
    ... )
    >>> bool(abs(mean[0]) < 1)
    True
    """
    ledger = open_ledger(ledger)
    records, n = _require_records(data)
    diameter = require_positive("diameter", diameter)
    m = require_count("n_blocks", n_blocks, at_most=n)
    epsilon = require_positive("epsilon", epsilon)
    delta = require_delta(delta)

    read: slice | None = None
    blocks: Any
    if disjoint:
        blocks = disjoint_blocks(n, m)
        touched, read = 1, slice(0, blocks[-1].stop)
    else:
        blocks = ledger.public(lambda rng: random_subsets(n, m, rng))  # step 2
        touched = math.isqrt(m)
    with np.errstate(all="ignore"):  # a warning would tell of a record
        estimates = [estimator(take_records(records, block)) for block in blocks]
    points = _inside(estimates, diameter)  # step 3
    calibration = Calibration(epsilon, delta, points.shape[1])
    _require_calibrated(calibration, m, touched)
    distances = diameter * radii(points / diameter)  # squares of this size do not overflow
    bound = smooth_bound(  # step 5
        distances,
        touched,
        decay=calibration.decay,
        diameter=diameter,
        largest=largest,
        without_diameter=without_diameter,
    )
    return ledger.smooth(  # step 6
        points[centre_of_attention(distances, touched)],  # step 4
        smooth_bound=bound,
        smoothness=calibration.smoothness,
        divisor=calibration.divisor,
        epsilon=epsilon,
        noise="gaussian",
        records=read,
    )


def _require_records(data: Any) -> tuple[Any, int]:
    """Return the data as finite arrays of n records each, and n, or raise."""
    parts = data if isinstance(data, tuple) else (data,)
    if not parts:
        raise ValueError("data must not be an empty tuple")
    arrays = tuple(require_array("data", part, ndim=max(1, np.ndim(part))) for part in parts)
    n = len(arrays[0])
    if any(len(array) != n for array in arrays):
        raise ValueError(
            f"data must have as many records in every part, got {[len(a) for a in arrays]}"
        )
    return (arrays if isinstance(data, tuple) else arrays[0]), n


def _inside(estimates: list[FloatArray], diameter: float) -> FloatArray:
    """Return the estimates as rows, projected on the l2 ball of this diameter around 0."""
    rows = [np.asarray(estimate, dtype=np.float64) for estimate in estimates]
    if rows[0].ndim != 1 or rows[0].size == 0 or any(row.shape != rows[0].shape for row in rows):
        shapes = sorted({row.shape for row in rows})
        raise ValueError(f"the estimator must return vectors of one length, got shapes {shapes}")
    # the cube around the ball first: what is infinite or NaN has no projection
    return clip_rows(clip_entries(np.array(rows), diameter / 2), diameter / 2)


def _require_calibrated(calibration: Calibration, n_blocks: int, touched: int) -> None:
    """Raise unless the bound is smooth with these parameters and the noise enough."""
    epsilon, delta, decay = calibration.epsilon, calibration.delta, calibration.decay
    if not (decay <= 0.5 and calibration.accounted_delta <= delta):
        raise ValueError(
            f"epsilon={epsilon:g} is too large at delta={delta:g} for the constants of the noise; "
            "they are made for epsilon <= 1"
        )
    averaged, most = math.ceil(touched / decay), majority(n_blocks, touched) + touched
    if most > n_blocks or averaged > most:
        raise ValueError(
            f"n_blocks must be about {2 * averaged} or more at epsilon={epsilon:g}, "
            f"delta={delta:g} in dimension {calibration.dimension}, got {n_blocks}: "
            f"{averaged} radii are averaged, of balls that hold {most} blocks"
        )


ENTRY = Entry(
    id="diss-3.2.5",
    name="Sample-and-aggregate for empirical risk minimisation",
    sources=(Source("004", "Algorithm 3.2.5", "1443-1455"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for epsilon > 2d/sqrt(m) and m = omega(log^2 n) "
    "(Theorem 3.2.1)",
    utility_claim="excess risk O~((beta/alpha)^2 d^3 L(w*)/(n epsilon^4)) (Theorem 3.2.2)",
    function=sample_and_aggregate,
)
