"""Small data and settings that several algorithms share (basic)."""

from __future__ import annotations

import numpy as np

FEW = np.array([[1.0, 0.5], [-0.25, 2.0], [0.75, -0.5]])


USUAL = np.random.default_rng(1).uniform(-1.5, 1.5, (24, 4)).round(4)
