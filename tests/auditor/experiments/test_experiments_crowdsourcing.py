"""The experiments of section 7.1: rules on the same flips, compared with what is known exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auditor.experiments import crowdsourcing
from auditor.experiments.crowdsourcing import (
    BOUND,
    DAWID_SKENE,
    EXACT_MAJORITY,
    EXACT_ORACLE,
    MAJORITY,
    NOT_PRIVATE,
    ORACLE,
)


def test_one_worker_is_heard_the_same_by_every_rule() -> None:
    found = crowdsourcing.shares_wrong(np.array([0.9]), epsilon=1.0, rng=np.random.default_rng(0))
    # only the same flips give the same share; it is .5 + .4 tanh(.5) right on average
    assert found[MAJORITY] == found[DAWID_SKENE] == found[ORACLE]
    assert found[NOT_PRIVATE] == pytest.approx(0.1, abs=0.022)  # five of .0042
    # the standard deviation is .0066
    assert found[MAJORITY] == pytest.approx(0.5 - 0.4 * math.tanh(0.5), abs=0.033)


def test_shares_are_near_the_exact_errors() -> None:
    found = crowdsourcing.over_workers((100, 400), np.random.default_rng(1))
    # the standard deviation is at most .0071: five of them
    assert found[MAJORITY] == pytest.approx(found[EXACT_MAJORITY], abs=0.035)
    assert found[ORACLE] == pytest.approx(found[EXACT_ORACLE], abs=0.01)
    assert found[BOUND] == pytest.approx(
        [2 * math.exp(-(math.tanh(1.0) ** 2) * k / 2) for k in (7, 11)]
    )


def test_a_random_crowd_is_the_same_for_every_epsilon() -> None:
    found = crowdsourcing.over_epsilon((0.5, 20.0), 40, np.random.default_rng(2))
    assert all(values.shape == (2,) for values in found.values())
    assert found[ORACLE][1] <= found[ORACLE][0]
