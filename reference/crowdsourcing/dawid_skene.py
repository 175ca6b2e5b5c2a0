"""Private Dawid-Skene, Wang (2020), Algorithm 7.1.54: labels, abilities from flipped answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterValueError,
    require_array,
    require_binary,
)
from reference.catalogue import Entry, Source
from reference.crowdsourcing.majority import majority_vote
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class CrowdEstimate:
    """Result of :func:`private_dawid_skene`.

    Attributes
    ----------
    abilities : ndarray of shape (n,)
        p_hat_i, estimated probability that worker i answers a task correctly. Unbiased for the
        raw answers, so it may leave [0, 1].
    labels : ndarray of int, shape (m,)
        y_hat_j in {0, 1}.
    """

    abilities: FloatArray
    labels: IntArray


def dawid_skene(
    answers: IntArray, initial: FloatArray, *, n_iterations: int, margin: float
) -> tuple[FloatArray, FloatArray]:
    """Alternate between abilities and soft labels: (7.10), (7.7), (7.8).

    Parameters
    ----------
    answers : ndarray of int, shape (n, m)
        Row i holds worker i's answers in {0, 1}.
    initial : ndarray of shape (m,)
        y^(0), soft labels in [0, 1].
    n_iterations : int
        T >= 1.
    margin : float
        lambda in (0, 1/2): abilities are kept in [lambda, 1 - lambda], away from the fixed points
        0 and 1.

    Returns
    -------
    abilities : ndarray of shape (n,)
        p^(T), of the given answers.
    labels : ndarray of shape (m,)
        y^(T), soft labels in [0, 1].
    """
    signs = 2.0 * answers - 1.0
    labels = initial
    for _ in range(n_iterations):  # steps 4-6
        # (7.6): mean over tasks of X y + (1 - X)(1 - y) = 1/2 + (2X - 1)(2y - 1)/2
        agreement = 0.5 + signs @ (2 * labels - 1) / (2 * labels.size)
        abilities = np.clip(agreement, margin, 1 - margin)
        # (7.7) and (7.8) normalised, in the log domain: the log-odds of y_j add up over workers
        labels = expit(logit(abilities) @ signs)
    return abilities, labels


@checked_arguments
def private_dawid_skene(
    data: ArrayLike,
    *,
    initial: ArrayLike | None = None,
    epsilon: float,
    n_iterations: int,
    margin: float,
    ledger: Ledger | None = None,
) -> CrowdEstimate:
    """Infer true labels and worker abilities under local attribute differential privacy.

    Parameters
    ----------
    data : array_like of shape (n, m)
        Answers in {0, 1} of n workers (rows) to m tasks (columns); every answer is private.
    initial : array_like of shape (m,), optional
        y^(0) in [0, 1], public: it must not come from ``data``. By default the majority vote of
        the flipped answers (the paper gives no rule).
    epsilon : float
        In (0, 27.6], for every single answer: a coin of doubles cannot lie more rarely.
    n_iterations : int
        T >= 1.
    margin : float
        lambda in (0, 1/2); Theorem 7.1.2 needs it between (16/v) sqrt(log m/m) and about 1/8.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    CrowdEstimate
        With fields ``abilities`` and ``labels``.

    Raises
    ------
    ValueError, TypeError
        On answers other than 0 and 1 and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-LADP (Theorem 7.1.1), tight; n_tasks * epsilon-LDP for whole workers.
    Each answer is kept with probability e^epsilon/(e^epsilon + 1); all else is post-processing.
    *Utility*: with v = tanh(epsilon/2)^2 mean((2 p* - 1)^2), a rule that knew the abilities
    would get a share of at most exp(-n v/2) of the labels wrong on average; given a good start
    Theorem 7.1.2 claims 2 exp(-n v/2). Abilities are off by at most 6 sqrt(log m/m)/epsilon for
    epsilon <= 1 (Theorem 7.1.3).

    References
    ----------
    Wang (2020), Algorithm 7.1.54 (l.9071-9086), Theorems 7.1.1-7.1.3 (l.9090-9134).
    """
    ledger = open_ledger(ledger)
    answers = require_binary("data", data, ndim=2)
    start = None
    if initial is not None:
        start = require_array("initial", initial, ndim=1, shape=(answers.shape[1],))
        if not ((start >= 0) & (start <= 1)).all():
            raise ParameterValueError("initial", "lie in [0, 1]")

    flipped = ledger.randomized_response(answers, epsilon=epsilon, unit="attribute")  # steps 1-3
    if start is None:
        start = majority_vote(flipped).astype(np.float64)
    observed, soft = dawid_skene(  # steps 4-6
        flipped, start, n_iterations=n_iterations, margin=margin
    )
    # step 7: undo E[p] = tanh(epsilon/2) p* + 1/(e^epsilon + 1), (7.22)
    abilities = (observed - expit(-epsilon)) / math.tanh(epsilon / 2)
    return CrowdEstimate(abilities, (soft >= 0.5).astype(np.int64))  # step 8


ENTRY = Entry(
    id="diss-7.1.54",
    name="Private Dawid-Skene",
    sources=(Source("004", "Algorithm 7.1.54", "9071-9086"),),
    model=Model.LOCAL_ATTRIBUTE,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LADP: every single answer is epsilon-locally private",
    utility_claim="share of wrong labels <= 2 exp(-n v/2), v = tanh(epsilon/2)^2 mean((2p* - 1)^2) "
    "(Theorem 7.1.2); max_i |p^_i - p*_i| <= 6 sqrt(log m/(m epsilon^2)) (Theorem 7.1.3)",
    function=private_dawid_skene,
)
