"""Randomised response (diss-2.randomized-response)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import IntArray, ParameterValueError, require_array
from reference.catalogue import Entry, Source
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Responses:
    """The users' reports and the estimate of their mean.

    Attributes
    ----------
    reports : ndarray of int, shape (n,)
        0 or 1.
    mean : float
        Unbiased for the mean of the bits; may lie outside [0, 1].
    """

    reports: IntArray
    mean: float


@checked_arguments
def randomized_response(
    data: ArrayLike, *, epsilon: float, ledger: Ledger | None = None
) -> Responses:
    """Let every user report a bit truthfully with probability e^epsilon/(1 + e^epsilon).

    Parameters
    ----------
    data : array_like of shape (n,)
        One bit per user, 0 or 1.
    epsilon : float
        Budget of every user, in (0, 27.6]: a coin of doubles cannot lie more rarely.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Responses

    Raises
    ------
    ValueError, TypeError
        On data that are no bits and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP in the local model, non-interactive, and no less.
    *Utility*: the mean's variance is e^epsilon/((e^epsilon - 1)^2 n), whatever the bits.

    References
    ----------
    Warner (1965). Wang (2020) uses the term once (l.8967) without defining it.
    """
    ledger = open_ledger(ledger)
    bits = require_array("data", data, ndim=1)
    if not np.isin(bits, (0.0, 1.0)).all():
        raise ParameterValueError("data", "be 0 or 1")
    reports = ledger.randomized_response(bits, epsilon=epsilon)
    # a report is 1/2 + tanh(epsilon/2) (bit - 1/2) on average; the tanh is the probability of the
    # truth minus that of a lie, whose difference would lose its digits at a small epsilon
    mean = 0.5 + (float(reports.mean()) - 0.5) / math.tanh(epsilon / 2)
    return Responses(reports, mean)


ENTRY = Entry(
    id="diss-2.randomized-response",
    name="Randomised response",
    sources=(Source("004", "a helper, mentioned in chapter 7", "8967"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP (none is printed)",
    utility_claim="unbiased, variance e^epsilon/((e^epsilon - 1)^2 n) (none is printed)",
    function=randomized_response,
)
