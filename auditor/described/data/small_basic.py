"""Small data and settings that several algorithms share (basic)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor import Form, scaled_claim

FEW = np.array([[1.0, 0.5], [-0.25, 2.0], [0.75, -0.5]])
FEW_CUT = np.array([[1.0, 0.5], [-0.25, 1.0], [0.75, -0.5]])
"""The same, cut at 1."""

USUAL = np.random.default_rng(1).uniform(-1.5, 1.5, (24, 4)).round(4)


def unclipped(build: Callable[..., Form]) -> dict[str, Form]:
    """Return the mutant with entries up to 1000 and noise for entries up to 1."""
    dropped = build(bound=1e3, no_black_box="a mutant")
    return {"clipping dropped": scaled_claim(dropped, 1e-3)}
