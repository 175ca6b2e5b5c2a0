"""Follow the regularised leader on noisy prefix sums of gradients from a binary tree (DP-FTRL)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor import Entry, Model, Paper, Relation, Source
from reference.privacy import Ledger, open_ledger
from reference.privacy.calibration import smallest_gaussian_scale

Array = NDArray[np.float64]

LARGEST = 1e50
"""Entries of records are cut to plus and minus this, so that no gradient overflows."""


@dataclass(frozen=True)
class Constants:
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the sum of gradients in a node, in l2.
    noise_scale : float
        Standard deviation of the noise of every entry of a node.
    """

    sensitivity: float
    noise_scale: float


def nodes_of_a_record(n: int) -> int:
    """Return in how many nodes the first of n records is: floor(log2 n) + 1, and no other in more.

    The node of level k that ends at t holds the 2^k records up to t, and is there if 2^k divides t
    and t <= n. Record 1 is in one node of every level with 2^k <= n, and no record is in two of a
    level.
    """
    return n.bit_length()


def constants_for(n: int, *, clipping_threshold: float, epsilon: float, delta: float) -> Constants:
    """Return the constants with the smallest noise for which a pass is (epsilon, delta)-DP.

    Given what was released before, a record moves its own gradient by 2 C at most, and no other:
    the sums of its nodes, at most :func:`nodes_of_a_record`, move by 2 C each. That is one Gaussian
    release of sensitivity 2 C sqrt(nodes), also where nodes are chosen in view of earlier ones.
    """
    sensitivity = 2 * clipping_threshold
    whole = sensitivity * math.sqrt(nodes_of_a_record(n))
    return Constants(sensitivity, smallest_gaussian_scale(epsilon, delta, sensitivity=whole))


@dataclass(frozen=True)
class Learned:
    """The result of a pass; all of it is covered by the guarantee.

    Attributes
    ----------
    average : ndarray of shape (p,)
        Mean of the points at which gradients were taken: the estimate.
    path : ndarray of shape (n + 1, p)
        The points x_1 to x_{n+1}.
    """

    average: Array
    path: Array


def completed(t: int) -> Iterator[slice]:
    """Yield the records of the nodes that end at record t (from 1), the smallest first."""
    size = 1
    while t % size == 0:
        yield slice(t - size, t)
        size *= 2


def tree_regression(
    data: tuple[ArrayLike, ArrayLike],
    *,
    radius: float,
    step_size: float,
    clipping_threshold: float,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Learned:
    """Learn a linear regression in one pass over the records, in the order in which they are.

    Parameters
    ----------
    data : (features, labels)
        Of shapes (n, p) and (n,), finite; cut to :data:`LARGEST`. The loss of features z with
        label y at x is (z' x - y)^2/2.
    radius : float
        In (0, LARGEST]: x lies in the ball of this radius around 0.
    step_size : float
        eta, in (0, LARGEST].
    clipping_threshold : float
        C in (0, LARGEST]: longer gradients are scaled to this norm.
    epsilon : float
        In (0, LARGEST].
    delta : float
        In (0, 1).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one. All noise comes from it.

    Raises
    ------
    ValueError
        On data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one. Records cannot be sampled or shuffled to
    gain more, and need not be.
    *Utility*: the noise of the sum of t gradients has variance noise_scale^2 in every coordinate
    for every one of t in binary: its size is O(C sqrt(p) log(n) sqrt(log(1/delta))/epsilon).

    References
    ----------
    Kairouz, McMahan, Song, Thakkar, Thakurta and Xu (2021), with the tree of Dwork, Naor, Pitassi
    and Rothblum (2010) and Chan, Shi and Song (2011), without its estimators of smaller variance.
    """
    ledger = open_ledger(ledger)
    features, labels = _records(data)
    given = {"radius": radius, "step_size": step_size, "clipping_threshold": clipping_threshold}
    for name, value in {**given, "epsilon": epsilon}.items():
        if not 0 < value <= LARGEST:
            raise ValueError(f"{name} must be in (0, {LARGEST:g}], got {value}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must be in (0, 1), got {delta}")
    n, p = features.shape
    chosen = constants or constants_for(
        n, clipping_threshold=clipping_threshold, epsilon=epsilon, delta=delta
    )

    path, gradients = np.zeros((n + 1, p)), np.zeros((n, p))
    nodes: dict[int, Array] = {}  # the last complete node of every level, noisy
    for t in range(1, n + 1):
        x = path[t - 1]
        gradient = (features[t - 1] @ x - labels[t - 1]) * features[t - 1]
        gradients[t - 1] = _scaled(gradient, clipping_threshold)
        for level, records in enumerate(completed(t)):
            nodes[level] = ledger.gaussian(
                gradients[records].sum(axis=0),
                sensitivity=chosen.sensitivity,
                scale=chosen.noise_scale,
                records=records,
            )
        # the records up to t are those of the nodes at the ones of t in binary
        prefix = sum((nodes[k] for k in range(t.bit_length()) if t >> k & 1), np.zeros(p))
        path[t] = _scaled(-step_size * prefix, radius)
    return Learned(average=path[:n].mean(axis=0), path=path)


def _records(data: Any) -> tuple[Array, Array]:
    """Return features and labels, or raise."""
    try:
        features, labels = (np.asarray(part, dtype=np.float64) for part in data)
    except (TypeError, ValueError) as error:
        raise ValueError(f"data must be (features, labels), numbers: {error}") from None
    if features.ndim != 2 or 0 in features.shape or labels.shape != features.shape[:1]:
        raise ValueError(
            "data must be features of shape (n, p) and n labels, n and p >= 1; got shapes "
            f"{features.shape} and {labels.shape}"
        )
    if not (np.isfinite(features).all() and np.isfinite(labels).all()):
        raise ValueError("data must be finite")
    return np.clip(features, -LARGEST, LARGEST), np.clip(labels, -LARGEST, LARGEST)


def _scaled(vector: Array, threshold: float) -> Array:
    """Return a vector, or the one of its direction with norm ``threshold`` if it is longer."""
    norm = float(np.linalg.norm(vector))
    return vector if norm <= threshold else vector * (threshold / norm)


ENTRY = Entry(
    id="tree-regression",
    name="Linear regression by tree-aggregated gradients (DP-FTRL)",
    sources=(
        Source(
            Paper(
                "Kairouz, McMahan, Song, Thakkar, Thakurta and Xu",
                "Practical and private (deep) learning without sampling or shuffling",
                2021,
                "ICML, arXiv:2103.00039",
            ),
            "Algorithm 1",
        ),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for every order of the records",
    utility_claim="the noise of a sum of n gradients is O(C sqrt(p) log(n) sqrt(log(1/delta))/"
    "epsilon) in l2",
    function=tree_regression,
    printed="tree_regression.printed",
)
