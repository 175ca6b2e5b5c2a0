"""Small data and settings that several algorithms share (high dimensional)."""

from __future__ import annotations

import numpy as np

TRIANGLE = np.array([[4.0, 1.0], [5.0, 1.0], [4.0, 3.0], [5.0, 1.0]])
"""The vertices of a triangle that lies far from the origin; one of them comes twice."""
