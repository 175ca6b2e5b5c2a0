"""The figures in the witnesses of its errata, computed again."""

import math

import numpy as np
import pytest

from reference.errata.heavy_tailed.trimmed_mean import printed
from reference.heavy_tailed.trimmed_mean import private_trimmed_mean
from reference.privacy import RecordingLedger


def release(data, function=private_trimmed_mean, **parameters):
    ledger = RecordingLedger(0)
    function(data, ledger=ledger, **parameters)
    (only,) = ledger.transcript.releases
    return only


def test_the_printed_scale_has_the_numbers_of_erratum_1():
    zeros = np.zeros(100)
    spike = np.append(np.zeros(99), 1e6)
    scales = [
        release(x, printed, lower=-1.0, upper=1.0, trim=20, epsilon=1.0).mechanism.smooth_bound
        for x in (zeros, spike)
    ]
    assert scales == pytest.approx([2 * math.exp(-20 / 16), 1e6 / 60])
    assert scales[1] / scales[0] == pytest.approx(29086, abs=1)
