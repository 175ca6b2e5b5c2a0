"""Sample-and-aggregate: the centre of attention of the estimates on many blocks (diss-3.2.5)."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterTypeError,
    ParameterValueError,
    real_array,
    require_array,
    require_count,
    require_flag,
    require_in_interval,
)
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries, clip_rows
from reference.constants import PositiveConstants, fixed_constants
from reference.parameters import checked_arguments
from reference.per_record import require_function_of_block
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.privacy.mechanisms import smooth_gaussian_delta

DRAWS = 1000
"""Largest number of draws of random subsets until no record is in too many of them."""

Estimator = Callable[[Any], FloatArray]


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that the noise is calibrated by. Step 1, l.1449.

    Attributes
    ----------
    divisor : float
        gamma: the noise is S/gamma.
    decay : float
        beta in (0, 1/2]: data sets at distance k count e^{-beta k}.
    """

    divisor: float
    decay: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_in_interval("decay", self.decay, 0.0, 0.5, closed=True)

    @property
    def smoothness(self) -> float:
        """Largest change of log S, 2 beta (see :func:`smooth_bound`)."""
        return 2 * self.decay


@checked_arguments
def constants_for(*, epsilon: float, delta: float, dimension: int) -> Constants:
    """Return gamma = epsilon/(5 sqrt(2 L)) and beta = epsilon/(4 (d + L)), L = log(2/delta).

    The paper's rule is loose: a release costs at most 0.6 delta for epsilon <= 1 and
    delta >= 1e-10, and 0.034 delta at (1, 1e-5) in one dimension.

    Parameters
    ----------
    epsilon, delta
        As for :func:`sample_and_aggregate`.
    dimension : int
        d, length of an estimate.

    Raises
    ------
    ValueError
        If epsilon is so large that these constants do not give (epsilon, delta).
    """
    log_term = math.log(2 / delta)
    divisor = epsilon / (5 * math.sqrt(2 * log_term))
    decay = epsilon / (4 * (dimension + log_term))
    if decay > 0.5 or delta < smooth_gaussian_delta(
        divisor, 2 * decay, dimension=dimension, epsilon=epsilon
    ):
        raise ParameterValueError(
            "epsilon",
            f"be smaller at delta={delta:g}: the constants of the noise are made for epsilon <= 1",
            epsilon,
        )
    return Constants(divisor, decay)


@checked_arguments
def sample_and_aggregate(
    data: Any,
    estimator: Estimator,
    *,
    epsilon: float,
    delta: float,
    diameter: float,
    n_blocks: int,
    disjoint: bool = True,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate on many small blocks of records, and release where most estimates agree.

    Parameters
    ----------
    data : array_like or tuple of array_like
        n records along axis 0 of every array.
    estimator : callable
        Maps the records of a block, ``data`` cut to them, to d numbers (shape (d,), the same d
        for every block), such as the minimiser of the empirical risk, :func:`block_mean` for the
        squared distance. Any values will do: see
        ``diameter``. It must not raise, nor warn but by way of numpy's floating-point errors,
        which are silenced. It must keep nothing between calls: an estimator that estimates a
        made-up block differently after another one is refused. Its random draws need a seed that
        is fixed in every call.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    diameter : float
        Lambda > 0, public: the entries of every estimate are cut to Lambda/2 in size, and it is
        then scaled down to the l2 ball of this diameter around 0
        (NaN counts as 0), so that no promise about the estimator is needed. Subtract a public
        guess in the estimator where 0 is not a sensible centre.
    n_blocks : int
        m >= 1, public, at most n.
    disjoint : bool, default True
        Estimate on m disjoint blocks of consecutive records, of which one record touches s = 1.
        ``False``: on random subsets, of which one record touches up to s = floor(sqrt(m)); the
        same guarantee needs the square of m.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        May lie outside the ball.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data, an estimator that depends on more than its block and
        parameters out of range, before any release: above
        all if m is too small for beta (the smooth bound averages ceil(s/beta) <= t_0 + s radii,
        m of about 2 s/beta).

    Notes
    -----
    *Guarantee* (Theorem 3.2.1, Theorem 4.2 of Nissim, Raskhodnikova and Smith): (epsilon,
    delta)-DP, central, replace-one. log S moves by up to 2 beta when a record is replaced, see
    :func:`smooth_bound`, not by beta; the constants leave room for that.

    *Utility* (Theorem 3.2.2): excess risk O~((beta/alpha)^2 d^3 L(w*)/(n epsilon^4)) if every
    record's loss is beta-smooth and the empirical risk alpha-strongly convex. The noise is of use
    once Lambda e^{-beta k} at the largest k, about m/(2s), is below the spread of the estimates:
    m of (2 s/beta) log(Lambda/spread).

    *As printed*: rho(t) is a mean of the largest r_i(t), where that of the smallest is smooth
    (diss-3.2.5/E1), and S leaves out the first k beyond the last r_i(t), which counts
    (diss-3.2.5/E2).

    References
    ----------
    Wang (2020), Algorithm 3.2.5 (l.1443-1455), Theorem 3.2.1 (l.1435-1439), Lemma 3.2.1
    (l.1463-1467), Theorem 3.2.2 (l.1471-1475).

    Examples
    --------
    >>> from reference.privacy import Ledger
    >>> data = np.random.default_rng(0).standard_t(3, size=400_000)
    >>> mean = sample_and_aggregate(
    ...     data, block_mean, epsilon=2.0, delta=1e-3, diameter=10.0, n_blocks=500,
    ...     ledger=Ledger(0),
    ... )
    >>> bool(abs(mean[0]) < 1)
    True
    """
    ledger = open_ledger(ledger)
    if not callable(estimator):
        raise ParameterTypeError("estimator", "be a function of a block of records")
    records, n = _require_records(data)
    m = require_count("n_blocks", n_blocks, at_most=n)

    require_flag("disjoint", disjoint)

    touched = 1 if disjoint else math.isqrt(m)  # step 1: s
    require_function_of_block(
        "estimator",
        lambda block: np.asarray(estimator(block), dtype=np.float64) / diameter,
        records,
        n // m,
    )
    # one estimate tells the dimension: all is checked before the subsets are drawn
    first = estimates_on([slice(0, n // m)], records, estimator, diameter=diameter)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        epsilon=epsilon,
        delta=delta,
        dimension=first.shape[1],
    )
    _require_enough_blocks(m, touched, chosen.decay)

    blocks: Any = (
        disjoint_blocks(n, m)
        if disjoint
        else ledger.public(lambda rng: random_subsets(n, m, rng))  # step 2
    )
    points = estimates_on(blocks, records, estimator, diameter=diameter)  # step 3
    distances = radii(points, unit=diameter)
    centre = points[centre_of_attention(distances, touched)]  # step 4
    bound = smooth_bound(distances, touched, decay=chosen.decay, diameter=diameter)  # step 5
    return ledger.smooth(  # step 6
        centre,
        smooth_bound=bound,
        smoothness=chosen.smoothness,
        divisor=chosen.divisor,
        epsilon=epsilon,
        noise="gaussian",
        records=slice(0, blocks[-1].stop) if disjoint else None,
    )


# -------------------------------------------------------------------------- steps 2 and 3


def block_mean(block: FloatArray) -> FloatArray:
    """Return the mean of a block's records: an estimator, the minimiser of the squared distance.

    Parameters
    ----------
    block : ndarray of shape (b,) or (b, d)

    Returns
    -------
    ndarray of shape (1,) or (d,)
    """
    return np.atleast_1d(block.mean(axis=0))


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
    raise ParameterValueError(
        "n_blocks",
        f"be larger, or the blocks disjoint: {DRAWS} draws of {count} subsets of {n} records left "
        "a "
        f"record in more than {math.isqrt(count)} of them",
        count,
    )


def estimates_on(
    blocks: Sequence[Any], records: Any, estimator: Estimator, *, diameter: float
) -> FloatArray:
    """Return the estimate of every block, cut and scaled down to the l2 ball. Step 3.

    Parameters
    ----------
    blocks : sequence of slice or of ndarray of int
        m of them.
    records, estimator, diameter
        As for :func:`sample_and_aggregate`.

    Returns
    -------
    ndarray of shape (m, d)

    Raises
    ------
    ValueError
        If the estimates are not vectors of one length.
    """
    with np.errstate(all="ignore"):  # a warning would tell of a record
        estimates = [estimator(take_records(records, block)) for block in blocks]
    rows = [real_array("what the estimator returns", estimate) for estimate in estimates]
    if rows[0].ndim != 1 or rows[0].size == 0 or any(row.shape != rows[0].shape for row in rows):
        shapes = sorted({row.shape for row in rows})
        raise ParameterValueError(
            "the estimator", "return vectors of one length", got=f"shapes {shapes}"
        )
    # the cube around the ball first: what is infinite or NaN has no projection
    return clip_rows(clip_entries(np.array(rows), diameter / 2), diameter / 2)


# -------------------------------------------------------------------------- steps 4 and 5


def radii(points: FloatArray, *, unit: float = 1.0) -> FloatArray:
    """Return r_i(t), the radius of the ball around point i that holds t points, itself included.

    Parameters
    ----------
    points : ndarray of shape (m, d)
    unit : float, default 1.0
        Distances are computed in this unit, of which squares neither overflow nor underflow.

    Returns
    -------
    ndarray of shape (m, m)
        Entry (i, t - 1) is r_i(t).
    """
    distances: FloatArray = unit * np.sort(cdist(points / unit, points / unit), axis=1)
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


def radii_to_average(distances: FloatArray, touched: int) -> FloatArray:
    """Return r_i(t_0 + (k+1) s), a column for every k = 0, 1, ... at which it is defined, sorted.

    Shape (m, K + 1), where t_0 + (K+1) s is the last that is at most m.
    """
    m = len(distances)
    t = np.arange(majority(m, touched) + touched, m + 1, touched)
    columns: FloatArray = np.sort(distances[:, t - 1], axis=0)
    return columns


def smooth_maximum(means: FloatArray, decay: float) -> float:
    """Return 2 max_k rho_k e^{-beta k}, > 0."""
    bound = 2 * float((means * np.exp(-decay * np.arange(means.size))).max())
    # where that is 0 or underflows: the larger of a smooth bound and a constant is smooth
    return max(bound, sys.float_info.min)


def smooth_bound(distances: FloatArray, touched: int, *, decay: float, diameter: float) -> float:
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
    q = math.ceil(touched / decay)
    means = radii_to_average(distances, touched)[:q].mean(axis=0)
    # the ball of the next k would need more points than there are; later k count less
    return smooth_maximum(np.append(means, diameter), decay)


# ----------------------------------------------------------------------------- validation


def _require_records(data: Any) -> tuple[Any, int]:
    """Return the data as finite arrays of n records each, and n, or raise."""
    parts = data if isinstance(data, tuple) else (data,)
    if not parts:
        raise ParameterValueError("data", "not be an empty tuple")
    read = [real_array("data", part) for part in parts]
    arrays = tuple(require_array("data", part, ndim=max(1, part.ndim)) for part in read)
    n = len(arrays[0])
    if any(len(array) != n for array in arrays):
        raise ParameterValueError(
            "data", "have as many records in every part", got=f"{[len(a) for a in arrays]}"
        )
    return (arrays if isinstance(data, tuple) else arrays[0]), n


def _require_enough_blocks(n_blocks: int, touched: int, decay: float) -> None:
    """Raise unless the radii of step 5 exist and their mean is smooth."""
    averaged, most = math.ceil(touched / decay), majority(n_blocks, touched) + touched
    if most > n_blocks or averaged > most:
        raise ParameterValueError(
            "n_blocks",
            f"be about {2 * averaged} or more at beta={decay:g}",
            got=f"{n_blocks}: {averaged} radii are averaged, of balls that hold {most} blocks",
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
