"""Noise that is added to every coordinate."""

from __future__ import annotations

import numpy as np

from reference._validation import FloatArray
from reference.privacy.mechanisms.mechanism import REACH, Draw, Mechanism, Output


class Additive(Mechanism):
    """value + scale * draw."""

    scale: float

    @property
    def reach(self) -> float:
        return REACH * self.scale

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        noisy: FloatArray = value + self.scale * draw
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def residual(self, output: Output, value: FloatArray) -> FloatArray:
        noise: FloatArray = (np.asarray(output) - value) / self.scale
        return noise
