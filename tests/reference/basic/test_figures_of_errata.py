"""The figures in the witnesses of errata, computed again."""

import math

import numpy as np
import pytest

from reference.errata.basic.gaussian import printed
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import RecordingLedger

DATA = np.array([[0.5, -2.0], [0.25, 0.5], [3.0, 0.0]])


def test_the_printed_gaussian_is_not_private_at_large_epsilon():
    """The card's values: delta(10) = 2.27e-5 against 1e-5; right up to 1."""
    for epsilon, delta, exact in ((10.0, 1e-5, 2.265e-5), (20.0, 0.1, 0.981)):
        ledger = RecordingLedger(0)
        printed(DATA, epsilon=epsilon, delta=delta, bound=1.0, ledger=ledger)
        (release,) = ledger.transcript.releases
        mu = release.claim.sensitivity / release.mechanism.scale
        assert gaussian_dp_delta(mu, epsilon) == pytest.approx(exact, rel=1e-3)
        assert release.mechanism.scale == pytest.approx(
            math.sqrt(2 * math.log(1.25 / delta)) * 2 * math.sqrt(2) / epsilon, rel=1e-12
        )
