"""One pass for many questions: the same numbers for each of them, alone or with others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor.core.case import BlackBox, Form
from auditor.core.context import Context
from auditor.questions import black_box, privacy_loss, samplers
from auditor.questions.table import BY_FORM
from auditor.transcript.shared import BESIDE, SharedRuns, run_statistics, shares_runs
from reference.privacy.guarantees import ApproximateDP
from reference.privacy.ledger import ControlFlowError, Ledger

PAIR = (np.array([0.0, 0.0]), np.array([1.0, 0.0]))
CLAIM = ApproximateDP(1.0, 0.2)
STATISTICAL = ("samplers", "privacy_loss", "black_box")
CONTEXT = Context(seed=2, tests=3, path=("tiny", "corrected"))


def noisy_sum(data: Any, ledger: Ledger) -> Any:
    first = ledger.gaussian(data.sum(), sensitivity=1.0, scale=1.2)
    bits = ledger.randomized_response(data, epsilon=0.1)
    return first + bits.sum()


def form(run: Callable[[Any, Ledger], Any] = noisy_sum, **changes: Any) -> Form:
    box = BlackBox(run, CLAIM, PAIR, float)
    return replace(Form(run, CLAIM, PAIR, 0, {}, black_box=box), **changes)


def counting() -> tuple[Callable[[Any, Ledger], Any], list[str]]:
    """Return an algorithm that notes what kind of ledger each of its runs has."""
    made: list[str] = []

    def run(data: Any, ledger: Ledger) -> Any:
        made.append(type(ledger).__name__)
        return noisy_sum(data, ledger)

    return run, made


@pytest.mark.parametrize("first", STATISTICAL)
def test_a_question_says_the_same_alone_and_with_the_others(first: str) -> None:
    alone = BY_FORM[first].ask(form(), CONTEXT.at(first), SharedRuns(form(), CONTEXT))
    together = SharedRuns(form(), CONTEXT)
    for name in reversed(STATISTICAL):
        verdict = BY_FORM[name].ask(form(), CONTEXT.at(name), together)
        if name == first:
            assert verdict.to_json() == alone.to_json()


def test_the_first_runs_are_the_same_however_many_are_asked_for() -> None:
    long, short = SharedRuns(form(), CONTEXT), SharedRuns(form(), CONTEXT)
    for direction in (0, 1):
        whole = long.losses("screen", direction, 40).losses
        long.statistics("screen", direction, 200)
        np.testing.assert_array_equal(short.losses("screen", direction, 7).losses, whole[:7])
        np.testing.assert_array_equal(
            short.statistics("screen", direction, 200), long.statistics("screen", direction, 200)
        )
        np.testing.assert_array_equal(long.losses("screen", direction, 40).losses, whole)
    # a test of two samples needs both stages and both sides to be independent
    draws = {
        np.random.default_rng(seed).random()
        for stage in ("screen", "confirmation")
        for side in (0, 1)
        for seed in short.seeds(stage, side).spawn(3)
    }
    assert len(draws) == 12


def test_a_run_is_made_once_for_all_questions() -> None:
    run, made = counting()
    runs = SharedRuns(form(run), CONTEXT)
    for _ in range(2):
        runs.statistics("screen", 0, BESIDE)
        runs.losses("screen", 0, BESIDE)
        runs.numbers("screen", BESIDE)
    assert made.count("RecordingLedger") == made.count("ReplayLedger") == BESIDE
    # what only one question wants is not made for the others
    runs.statistics("screen", 0, BESIDE + 10)
    assert made.count("ReplayLedger") == BESIDE


def test_another_pair_has_live_runs_of_its_own() -> None:
    run, made = counting()
    other = (np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    own = form(run, black_box=BlackBox(run, CLAIM, other, float))
    assert shares_runs(form(run))
    assert not shares_runs(own)
    assert not shares_runs(form(run, black_box=BlackBox(noisy_sum, CLAIM, PAIR, float)))
    values = SharedRuns(own, CONTEXT).statistics("screen", 0, 20)
    assert made == ["Ledger"] * 20
    seeds = SharedRuns(own, CONTEXT).seeds("screen", 0).spawn(20)
    np.testing.assert_array_equal(values, run_statistics(own, 0, seeds))


def test_a_replay_that_fails_hinders_the_loss_alone() -> None:
    def branches(data: Any, ledger: Ledger) -> Any:
        found = ledger.gaussian(data.sum(), sensitivity=1.0, scale=2.0)
        if found > 0.5 and data.sum() > 0:
            ledger.gaussian(0.0, sensitivity=1.0, scale=2.0)
        return found

    tells = form(branches)
    runs = SharedRuns(tells, CONTEXT)
    assert black_box.audit(tells, CONTEXT.at("black_box"), runs).status == "holds"
    assert samplers.audit(tells, CONTEXT.at("samplers"), runs).status == "holds"
    for _ in range(2):
        with pytest.raises(ControlFlowError):
            runs.losses("screen", 0, 64)
    assert privacy_loss.audit(tells, CONTEXT.at("privacy_loss"), runs).status == "inconclusive"


def test_what_a_statistic_raises_is_heard_by_the_black_box_alone() -> None:
    def broken(output: Any) -> float:
        raise KeyError("no such entry")

    odd = form(black_box=BlackBox(noisy_sum, CLAIM, PAIR, broken))
    runs = SharedRuns(odd, CONTEXT)
    assert privacy_loss.audit(odd, CONTEXT.at("privacy_loss"), runs).status == "holds"
    with pytest.raises(KeyError, match="no such entry"):
        black_box.audit(odd, CONTEXT.at("black_box"), runs)
    nothing = form(black_box=BlackBox(noisy_sum, CLAIM, PAIR, lambda output: float("none")))
    with pytest.raises(ValueError, match="none"):
        SharedRuns(nothing, CONTEXT).statistics("screen", 0, 3)


def test_outputs_of_recorded_runs_have_the_law_of_live_ones() -> None:
    # the sum of a sample of 2 of 6 records: how often is the first among them
    def sampled(data: Any, ledger: Ledger) -> Any:
        sample = ledger.subsample(6, 2)
        return float(data[sample.indices].sum())

    data = np.array([1.0, 0, 0, 0, 0, 0])
    pair = (data, 0 * data)
    box = BlackBox(sampled, CLAIM, pair, float)
    recorded = SharedRuns(form(sampled, pair=pair, black_box=box), CONTEXT)
    found = recorded.statistics("screen", 0, 3000).mean()
    assert found == pytest.approx(1 / 3, abs=5 * math.sqrt(2 / 9 / 3000))
