"""Errata in the data sets of Wang (2020), section 3.2.5.

Its erratum is listed with those of diss-3.2.8 (card ``ledger:data sets``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from reference._validation import FloatArray
from reference.heavy_tailed.generators import LogisticModel


@dataclass(frozen=True, eq=False)
class PrintedLogisticModel(LogisticModel):
    """y = sign[1/(1 + exp(<w*, x> + e)) - 1/2], the opposite of sign(<w*, x> + e) (l.1686)."""

    def labels(self, scores: FloatArray) -> FloatArray:
        """Return the labels of scores <w*, x> + e, shape (n,)."""
        return np.where(expit(-scores) > 0.5, 1.0, -1.0)

    def minimiser(self) -> FloatArray:
        """Return the w that minimises E log(1 + exp(-y <w, x>)): along -w*."""
        return -super().minimiser()
