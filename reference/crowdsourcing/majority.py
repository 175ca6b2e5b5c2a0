"""Private majority voting, Wang (2020), (7.18): the label that most of the flipped answers give."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import IntArray, require_binary
from reference.catalogue import Entry, Source
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def majority_vote(answers: IntArray) -> IntArray:
    """Return the label that at least half of the workers gave, ties to 1: (7.18), l.9142.

    Parameters
    ----------
    answers : ndarray of int, shape (n, m)
        Row i holds worker i's answers in {0, 1}.
    """
    votes: IntArray = (2 * answers.sum(axis=0) >= len(answers)).astype(np.int64)
    return votes


@checked_arguments
def private_majority_vote(
    data: ArrayLike, *, epsilon: float, ledger: Ledger | None = None
) -> IntArray:
    """Infer true labels under local attribute differential privacy, every worker counting alike.

    Parameters
    ----------
    data : array_like of shape (n, m)
        Answers in {0, 1} of n workers (rows) to m tasks (columns); every answer is private.
    epsilon : float
        In (0, 27.6], for every single answer: a coin of doubles cannot lie more rarely.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    labels : ndarray of int, shape (m,)
        y_bar_j in {0, 1}; ties are 1.

    Raises
    ------
    ValueError, TypeError
        On answers other than 0 and 1 and epsilon out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-LADP (Theorem 7.1.4), tight; n_tasks * epsilon-LDP for whole workers. Each
    answer is kept with probability e^epsilon/(e^epsilon + 1); the vote is post-processing.
    *Utility*: the number of right answers to a task is Poisson-binomial, so the error is known
    exactly (:func:`~reference.crowdsourcing.one_coin.majority_error`). By Hoeffding's inequality it
    is at most exp(-n v/2), v = (tanh(epsilon/2) mean(2 p* - 1))^2, if that mean is positive; among
    few experts and many spammers it tends to 1/2 (Theorem 7.1.4).

    References
    ----------
    Wang (2020), (7.18) (l.9138-9144), Theorem 7.1.4 (l.9148-9152).
    """
    ledger = open_ledger(ledger)
    answers = require_binary("data", data, ndim=2)
    flipped = ledger.randomized_response(answers, epsilon=epsilon, unit="attribute")  # (7.9)
    return majority_vote(flipped)


ENTRY = Entry(
    id="diss-7.1.majority",
    name="Private majority voting",
    sources=(Source("004", "(7.18)", "9138-9144"),),
    model=Model.LOCAL_ATTRIBUTE,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LADP: every single answer is epsilon-locally private (Theorem 7.1.4)",
    utility_claim="share of wrong labels: that of a Poisson-binomial majority, >= 2 exp(-K "
    "tanh(epsilon/2)^2/2) for K = n^delta experts among n workers, delta < 1/2, epsilon > "
    "ln(85/15), n large (Theorem 7.1.4)",
    function=private_majority_vote,
)
