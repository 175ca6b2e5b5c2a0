"""The exponential mechanism over a net of a ball (diss-4.2.4-EM)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reference._validation import FloatArray, ParameterValueError, require_kind
from reference.basic.sums import rounded_mean
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries
from reference.losses import LinearModelLoss, require_loss
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import Ridge

MOST_POINTS = 1_000_000


def net_of_ball(radius: float, accuracy: float, dimension: int) -> FloatArray:
    """Return points of the ball within ``accuracy`` of every point of it, shape (k, dimension).

    The points of a grid of spacing 2 accuracy/sqrt(d) that are within ``accuracy`` of the ball,
    projected onto it; the origin is among them.

    Parameters
    ----------
    radius, accuracy : float
        > 0.
    dimension : int
        d >= 1.

    Raises
    ------
    ValueError
        If the grid has more than a million points.
    """
    spacing = 2 * accuracy / math.sqrt(dimension)
    reach = math.floor(radius / spacing + 0.5) if radius / spacing < MOST_POINTS else MOST_POINTS
    if (2 * reach + 1) ** dimension > MOST_POINTS:
        raise ParameterValueError(
            "accuracy", f"leave at most {MOST_POINTS:,} points in {dimension} dimensions", accuracy
        )
    axis = spacing * np.arange(-reach, reach + 1)
    grid = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1)
    points = grid.reshape(-1, dimension)
    lengths = np.linalg.norm(points, axis=1)
    near = lengths <= radius + accuracy
    points, lengths = points[near], lengths[near]
    net: FloatArray = points / np.maximum(lengths / radius, 1.0)[:, None]
    return net


@checked_arguments
def dp_net_minimizer(
    data: Any,
    loss: LinearModelLoss,
    regularizer: Ridge,
    *,
    dimension: int,
    epsilon: float,
    accuracy: float | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Select a point of a net with small regularised risk; the time is exponential in d.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : LinearModelLoss
        G-Lipschitz in l2; need not be convex.
    regularizer : Ridge
        r = (lambda/2) ||w||_2^2: minimisers of F + r lie in the ball of radius R = G/lambda.
    dimension : int
        d >= 1.
    epsilon : float
        > 0.
    accuracy : float, optional
        alpha > 0 of the net, by default d/(n epsilon), the theorem's; a coarser one is faster.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a net of more than a
        million points and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon. The score of w is
    F(0) - F(w) - r(w); a record moves it by 2 G ||w||/n <= 2 G^2/(lambda n) at most. (The paper's
    O(L/n) holds lambda constant; 2 L/n would spend up to epsilon L/lambda.)
    *Utility* (Theorem 4.2.4): with probability 1 - beta the excess is at most
    (4 G^2/(lambda n epsilon))(d log(1 + 2R/alpha) + log(1/beta)) + 2 G alpha, up to the net's size.

    References
    ----------
    Wang (2020), Theorem 4.2.4 (l.3265-3267) and its proof (l.3555-3579).
    """
    ledger = open_ledger(ledger)
    require_kind("loss", loss, LinearModelLoss, "a loss such as reference.losses.Sigmoid()")
    require_loss(loss)
    require_kind("regularizer", regularizer, Ridge, "a reference.proximal.Ridge")
    records = loss.validate(data, dimension)
    require_per_record_gradients(
        "loss",
        loss,
        lambda some, w: np.reshape(loss.values(some, w), (-1, 1)),
        data,
        np.zeros(dimension),
        np.ones(dimension),
    )
    n = loss.size(records)
    alpha = dimension / (n * epsilon) if accuracy is None else accuracy
    radius = loss.lipschitz / regularizer.strength
    net = net_of_ball(radius, alpha, dimension)

    at_origin = loss.values(records, np.zeros(dimension))
    scores = []
    for w in net:
        # record by record: large values would be rounded before they are subtracted
        most = loss.lipschitz * float(np.linalg.norm(w))
        gains = clip_entries(at_origin - loss.values(records, w), most)
        scores.append(rounded_mean(gains, bound=most) - regularizer.value(w))
    chosen = ledger.exponential(
        scores, sensitivity=2 * loss.lipschitz * radius / n, epsilon=epsilon
    )
    point: FloatArray = net[chosen]
    return point


ENTRY = Entry(
    id="diss-4.2.4-EM",
    name="Exponential mechanism over a net",
    sources=(Source("004", "Theorem 4.2.4", "3265-3267"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP (Theorem 4.2.4)",
    utility_claim="the excess risk is O~(d/(n epsilon)) (Theorem 4.2.4)",
    function=dp_net_minimizer,
)
