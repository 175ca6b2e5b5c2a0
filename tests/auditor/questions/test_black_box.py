"""The black-box audit on mechanisms whose privacy is known exactly. Seeds are fixed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor.core.case import BlackBox, Form
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.questions import black_box
from auditor.questions.black_box import ENOUGH, certified, grid_of, rounded
from auditor.statistics.claims import EpsilonDelta
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
)
from reference.privacy.ledger import Ledger
from tests.auditor.questions.mechanisms import gaussian, laplace, response

PAIR = (np.array([[1.0]]), np.array([[0.0]]))
SUITE = Context(tests=11)  # as many as an algorithm of the catalogue has at most


def form(
    run: Callable[[Any, Ledger], Any],
    claim: Guarantee,
    statistic: Callable[[Any], float] = lambda output: float(output[0]),
) -> Form:
    box = BlackBox(run, claim, PAIR, statistic)
    return Form(run=run, claim=claim, pair=PAIR, replaced=0, parameters={}, black_box=box)


@pytest.mark.parametrize(
    ("run", "claim", "truth"),
    [
        (laplace(1.5), PureDP(1.0), 1.5),
        (response(1.5), PureDP(1.0), 1.5),
        (gaussian(1.5), GaussianDP(1.0), 1.5),
        (gaussian(1.5), ApproximateDP(1.0, 0.1270), GaussianDP(1.5).epsilon_at(0.1270)),
    ],
)
def test_one_and_a_half_times_the_claim_is_violated(
    run: Any, claim: Guarantee, truth: float
) -> None:
    broken = form(run, claim)
    verdict = black_box.audit(broken, SUITE.at("power"))
    assert verdict.status == "violated"
    assert verdict.p_value is not None
    assert verdict.p_value <= SUITE.alpha
    assert verdict.evidence["claimed_level"] == 1.0
    assert 1.0 < verdict.evidence["certified_level"] <= truth
    witness = Verdict.from_json(json.loads(json.dumps(verdict.to_json()))).witness
    assert witness is not None
    assert black_box.reproduce(broken, witness)
    counts = black_box.recount(broken, witness)
    assert [list(count) for count in counts] == [witness["first_count"], witness["second_count"]]
    # the same event on runs that ignore the data
    blind = form(lambda data, ledger: run(0 * data, ledger), claim)
    assert not black_box.reproduce(blind, witness)


def test_a_quick_audit_goes_on_only_where_it_may_find_something() -> None:
    def audits(epsilon: float) -> list[Verdict]:
        subject = form(laplace(epsilon), PureDP(1.0))
        return [black_box.audit(subject, SUITE.at(str(seed))) for seed in range(4)]

    for verdict in audits(0.5):
        assert (verdict.status, verdict.evidence["runs"]) == ("holds", ENOUGH)
    double = audits(2.0)
    assert [verdict.status for verdict in double] == ["violated"] * 4
    assert sum(verdict.evidence["runs"] > ENOUGH for verdict in double) >= 2


def test_a_violation_in_the_second_direction_is_found_too() -> None:
    # 1 with probability 0.3 under D' and never under D: P <= e Q, but not Q <= e P + 0.1
    claim = ApproximateDP(1.0, 0.1)
    leaky = form(lambda data, ledger: ledger.bit(0.3 * (1 - data[:, 0]), epsilon=1.0), claim)
    verdict = black_box.audit(leaky, SUITE)
    assert verdict.status == "violated"
    assert verdict.evidence["certified_epsilon"] > 1.0


@pytest.mark.parametrize("value", [3.0, math.nan])
def test_a_constant_statistic_is_inconclusive(value: float) -> None:
    verdict = black_box.audit(form(laplace(1.0), PureDP(1.0), lambda output: value), SUITE)
    assert verdict.status == "inconclusive"
    assert "never" not in verdict.summary
    assert "choose one that varies" in verdict.summary


def test_no_black_box_is_not_applicable_with_its_reason() -> None:
    plain = replace(form(laplace(1.0), PureDP(1.0)), black_box=None, no_black_box="too slow")
    verdict = black_box.audit(plain, SUITE)
    assert (verdict.status, verdict.summary) == ("not applicable", "too slow")
    seeds = [{"entropy": 0, "spawn_key": []}] * 2
    witness = {"threshold": 0.0, "above": True, "runs": 1, "seeds": seeds, "rounded_to": 0.0}
    with pytest.raises(ValueError, match="no black box"):
        black_box.reproduce(plain, witness)


def test_rounding_hides_the_floating_point_grid() -> None:
    values = np.array([0.0, 0.1 + 2e-12, 0.1, 10.0])
    grid = grid_of([values])
    snapped = rounded(values, grid)
    assert grid == pytest.approx(1e-8)
    assert snapped[1] == snapped[2]
    np.testing.assert_allclose(snapped, values, atol=grid)
    constant = np.array([2.0, 2.0, math.inf])
    assert grid_of([constant]) == 0
    assert rounded(constant, 0.0)[2] == math.inf


def test_the_runs_that_certify_have_no_say_in_the_grid() -> None:
    rng = np.random.default_rng(0)
    choosing = [rng.normal(size=50), rng.normal(size=50)]
    found = [
        certified(choosing, [reach * rng.normal(size=50)] * 2, EpsilonDelta(1.0), 0.01)
        for reach in (1.0, 1e6)
    ]
    assert found[0].grid == found[1].grid == grid_of(choosing)
    assert found[0].certificate.event == found[1].certificate.event


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (ZCDP(0.5), "holds"),
        (ZCDP(0.125), "violated"),
        (RenyiDP(2.0, 1.0), "holds"),
        (RenyiDP(2.0, 0.25), "violated"),
    ],
)
def test_claims_of_every_currency_are_tested_as_they_are(claim: Guarantee, status: str) -> None:
    # a Gaussian of mu = 1: rho = 1/2, divergence 1 of order 2
    subject = form(gaussian(1.0), claim)
    verdict = black_box.audit(subject, SUITE)
    assert verdict.status == status
    if status == "violated":
        witness = json.loads(json.dumps(verdict.to_json()))["witness"]
        assert black_box.reproduce(subject, witness)
