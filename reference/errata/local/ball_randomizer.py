"""Errata in the sources of diss-5.3.rand (5.75)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.local.ball_randomizer import ball_randomizer
from reference.privacy.ledger import Ledger


def printed(
    data: ArrayLike, *, epsilon: float, radius: float, ledger: Ledger | None = None
) -> FloatArray:
    """Messages of a norm of order r sqrt(p) whatever epsilon is (l.6463).

    The order's constant is the one that is right for epsilon = infinity.
    """
    messages = ball_randomizer(data, epsilon=epsilon, radius=radius, ledger=ledger)
    return messages * math.tanh(epsilon / 2)


ERRATA = (
    Erratum(
        name="diss-5.3.rand/E1",
        severity="S2",
        kind="misprint",
        origin="unclear",
        statement="the randomizer (5.75) has the scale O(r sqrt(p)), and Lemma 5.3.1: E z = x",
        truth="r coth(epsilon/2) sqrt(pi) Gamma((p+1)/2)/Gamma(p/2): without the coth "
        "E z = tanh(epsilon/2) x",
        witness="p = 5, epsilon = 1, x = (.6, 0, 0, .3, 0): the mean is .462 x",
        reproduced_by="audit:printed/scaling",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="diss-5.3.rand/E2",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Lemma 5.3.1: variance O(r^2/epsilon^2)",
        truth="r^2 coth^2(epsilon/2) times a factor from 1 to pi/2: never below r^2",
        witness="p = 1, x = 0, epsilon = 20: variance 1.00 r^2 against .025 r^2 (10 for the O)",
        reproduced_by="proofs:004 Lemma 5.3.1",
    ),
)
FORMS = (PrintedForm("printed", errata=("diss-5.3.rand/E1",), function=printed),)
