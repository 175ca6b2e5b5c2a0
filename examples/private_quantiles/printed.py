"""A wrong version of private-quantiles, which forgets the widths of the gaps.

The mistake is nobody's in print. Smith (2011) and Gillenwater, Joseph and Kulesza (2021) weigh
every gap by its width; it is made in code, where the gaps are taken for the candidates of an
exponential mechanism over a finite set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from auditor import Erratum, PrintedForm
from private_quantiles.algorithm import SENSITIVITY, utilities_and_ends
from reference.privacy import Ledger, open_ledger


def widths_forgotten(
    data: ArrayLike,
    *,
    quantile: float,
    lower: float,
    upper: float,
    epsilon: float,
    ledger: Ledger | None = None,
) -> float:
    """Choose a gap with probability proportional to exp(-(epsilon/2) |i - q n|) of any width.

    Parameters
    ----------
    data, quantile, lower, upper, epsilon, ledger
        As for :func:`~private_quantiles.algorithm.private_quantile`.
    """
    ledger = open_ledger(ledger)
    records = np.asarray(data, dtype=np.float64)
    utilities, ends = utilities_and_ends(records, quantile, lower, upper)
    gap = ledger.exponential(utilities, sensitivity=SENSITIVITY, epsilon=epsilon)
    left, right = np.concatenate([[lower], ends, [upper]])[gap : gap + 2]
    # where in the gap: drawn whatever the data
    share = ledger.public(lambda rng: float(rng.random()))
    return float(left + (right - left) * share)


ERRATA = (
    Erratum(
        name="private-quantiles/E1",
        severity="S1",
        kind="implementation",
        origin="mathematical",
        statement="Choose gap i with probability proportional to exp(-(epsilon/2) |i - q n|), then "
        "a uniform point of it: epsilon-DP, since the utility has sensitivity 1.",
        truth="Probability proportional to its width times that. The utilities of the gaps are the "
        "same whatever the data; their ends are not, and which gap was chosen says nothing, where "
        "it lies all. A narrow gap is as likely as a wide one: no epsilon is enough, and a record "
        "at an end of a gap without width is returned itself.",
        witness="q = 1/2, epsilon = 1 on [0, 1]: D = (0.5, 0.501), D' = (0.5, 1). The output is in "
        "[0.5, 0.501) with probability 0.452 under D and 0.000904 under D': a ratio of 500, or "
        "e^6.2. Under D' it is 1 with probability 0.274, which is impossible under D.",
        reproduced_by="audit:printed/black_box",
    ),
)
FORMS = (PrintedForm("printed", ("private-quantiles/E1",), widths_forgotten),)
