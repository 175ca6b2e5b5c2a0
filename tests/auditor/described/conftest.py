"""Parts shared by the tests of single cases."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from auditor.core.case import Form
from auditor.transcript.losses import sample_losses


@pytest.fixture(scope="session")
def estimated_delta() -> Callable[[Form, int], tuple[float, float]]:
    """Return a function of a form and a number of runs: delta(epsilon) and its standard error.

    The mean of (1 - e^(epsilon - L))_+ over the losses L of whole transcripts, in the worse
    direction, at a fixed seed.
    """

    def estimate(form: Form, runs: int) -> tuple[float, float]:
        seeds = np.random.SeedSequence(7).spawn(runs)
        found = []
        for first, second in (form.pair, form.pair[::-1]):
            losses = sample_losses(form.run, first, second, seeds, replaced=form.replaced).losses
            values = -np.expm1(np.minimum(form.claim.epsilon - losses, 0.0))
            found.append((float(values.mean()), float(values.std()) / math.sqrt(runs)))
        return max(found)

    return estimate
