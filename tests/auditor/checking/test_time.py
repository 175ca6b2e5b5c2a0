"""A total time budget: one meaning everywhere, and the verdict that the runs so far support.

The limits are far above what is needed, for machines on which much else runs.
"""

import itertools
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import auditor
from auditor.checking import examination
from auditor.checking.black_box import examine_outputs
from auditor.checking.check_options import CheckOptions
from auditor.checking.examination import examine
from auditor.checking.releases import QUESTIONS
from auditor.core.errors import InputError
from auditor.core.neighbours import Box
from auditor.runs.clock import USED_SHARE, Clock, OutOfTime
from auditor.runs.sampling import RecordedSampler
from auditor.statistics.claims import EpsilonDelta
from auditor.statistics.stages import FRESH

PAIR = (0.0, 1.0)
CLAIM: dict[str, Any] = {"pair": PAIR, "epsilon": 1.0}
PATIENCE = 60
"""Seconds beyond a time limit that a busy machine may take."""


def noisy_after(seconds: float, scale: float = 1.0) -> Any:
    def mechanism(data: float, rng: np.random.Generator) -> float:
        time.sleep(seconds)
        return float(data + scale * rng.laplace())

    return mechanism


slow, slow_leak, quick, stuck = (
    noisy_after(*how) for how in ((0.05,), (0.005, 0.01), (0.0,), (1000.0,))
)


def release_after(seconds: float) -> Any:
    def mechanism(data: float, ledger: Any) -> float:
        time.sleep(seconds)
        return float(ledger.laplace(data, sensitivity=1.0, scale=1.0))

    return mechanism


def in_time(call: Any, mechanism: Any, timeout: float, **options: Any) -> Any:
    """Make a call, and look that it ends soon after its time limit."""
    began = time.monotonic()
    found = call(mechanism, timeout=timeout, **options)
    assert time.monotonic() - began < timeout + PATIENCE
    return found


def test_a_slow_mechanism_ends_in_time_with_as_many_runs_as_fit() -> None:
    found = in_time(auditor.check, slow, 6.0, **CLAIM, workers=2)
    assert found.samples < found.budget == 100_000
    assert found.status != "violated"
    assert "the timeout of 6 s" in found.summary


def test_what_was_found_in_time_is_said_and_can_be_shown_again() -> None:
    found = in_time(auditor.check, slow_leak, 8.0, **CLAIM)
    assert found.status == "violated"
    assert found.samples < found.budget
    assert found.witness is not None
    assert auditor.rerun(slow_leak, found.witness, samples=100).shown


def test_a_mechanism_that_hangs_is_inconclusive() -> None:
    found = in_time(auditor.check, stuck, 2.0, **CLAIM)
    assert found.status == "inconclusive"
    assert found.summary.startswith("the timeout of 2 s was over before the outputs could be comp")
    assert (found.samples, found.epsilon_lower, found.p_value) == (0, 0.0, 1.0)
    assert found.to_json()["status"] == "inconclusive"


def test_a_hanging_call_has_a_limit_of_its_own() -> None:
    began = time.monotonic()
    with pytest.raises(InputError, match=r"hangs \(no run within 1 s\) .* larger call_timeout"):
        auditor.check(stuck, **CLAIM, timeout=1000.0, call_timeout=1.0)
    assert time.monotonic() - began < PATIENCE


def test_the_search_for_a_pair_ends_in_time() -> None:
    found = in_time(
        auditor.check,
        lambda data, rng: slow(float(data[0]), rng),
        8.0,
        domain=Box((), 0.0, 1.0),
        epsilon=1.0,
    )
    assert found.status != "violated"


def test_an_audit_release_by_release_ends_in_time() -> None:
    found = in_time(auditor.check, release_after(0.05), 8.0, **CLAIM)
    assert found.status == "inconclusive"
    late = [answer for answer in found.questions if "time was up" in answer.summary]
    assert "privacy_loss" in {answer.question for answer in late}
    stopped = auditor.check(release_after(1000.0), **CLAIM, timeout=2.0)
    assert [answer.question for answer in stopped.questions] == list(QUESTIONS)
    assert {answer.status for answer in stopped.questions} == {"inconclusive"}
    with pytest.raises(InputError, match=r"hangs .* while its releases are audited"):
        auditor.check(release_after(1000.0), **CLAIM, call_timeout=0.5)


PROGRAM = """
import json, random, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    rng = random.Random(asked["seed"])
    time.sleep(0.02 * asked["size"])
    outputs = [asked["data"] + 0.01 * rng.random() for _ in range(asked["size"])]
    print(json.dumps({"outputs": outputs}), flush=True)
"""


def test_a_slow_program_ends_in_time_too() -> None:
    program = auditor.Program([sys.executable, "-S", "-c", PROGRAM])
    found = in_time(auditor.check, program, 15.0, **CLAIM)
    assert found.status == "violated"
    assert found.samples < found.budget


def test_measuring_takes_the_runs_that_fit() -> None:
    found = auditor.measure(slow_leak, pair=PAIR, timeout=8.0)
    assert 0 < found.samples < 100_000
    assert found.epsilon_lower > 1
    with pytest.raises(InputError, match=r"timeout of 1 s was over before anything was measured"):
        auditor.measure(stuck, pair=PAIR, timeout=1.0)


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    auditor.check(quick, **CLAIM, samples=1000, progress=lambda *progress: told.append(progress))
    assert told[0][0] == "first runs of the mechanism"
    assert told[-1][0] == "counting the event"
    assert told[-1][1] <= told[-1][2] == 2000


def test_the_first_runs_on_every_pair_do_not_hide_that_a_pair_is_searched() -> None:
    told: list[str] = []
    auditor.check(
        lambda data, rng: data.sum() + rng.laplace(),
        domain=Box((), 0.0, 1.0),
        epsilon=1.0,
        samples=1000,
        progress=lambda what, done, total: told.append(what),
    )
    stages = [what for what, _ in itertools.groupby(told)]
    search = stages[: stages.index("looking for an event")]
    assert search[:3] == [
        "searching the worst pair",
        "first runs of the mechanism",
        "searching the worst pair",
    ]
    assert search[-1] == "searching the worst pair"


# --------------------------------------------------------------------------- what remains


class Late(RecordedSampler):
    """Recorded outputs that take too long from some run on."""

    def __init__(self, first: Any, second: Any, last: int, clock: Clock) -> None:
        super().__init__(first, second)
        self._last, self._clock = last, clock

    def draw(self, blocks: Any, reduce: Any) -> Any:
        for block in blocks:
            if block.start + block.size > self._last:
                self._clock._end = -np.inf
                raise OutOfTime
            yield from super().draw([block], reduce)


def late_evidence(shift: float, last: int, seed: int = 0) -> Any:
    rng, clock = np.random.default_rng(seed), Clock(1000.0)
    sampler = Late(rng.laplace(size=4000), rng.laplace(size=4000) + shift, last, clock)
    return examine(sampler, EpsilonDelta(1.0), alpha=0.01, samples=4000, seed=0, clock=clock)


@pytest.mark.parametrize("last", [200, 2100])
def test_of_a_check_that_was_cut_short_the_bets_remain(last: int) -> None:
    """In both phases: while an event is looked for, and while it is counted."""
    holds = late_evidence(1.0, last)
    assert holds.late
    assert not holds.complete
    assert holds.samples <= last
    assert holds.p_value(EpsilonDelta(1.0)) > 0.01
    assert late_evidence(50.0, last).p_value(EpsilonDelta(1.0)) <= 0.01


def test_a_check_that_is_cut_short_does_not_hold_by_the_runs_it_has() -> None:
    claim, clock, outputs = EpsilonDelta(1.0), Clock(10.0), np.random.default_rng(0)
    sampler = Late(outputs.laplace(size=4000), 1 + outputs.laplace(size=4000), 2100, clock)
    asked = CheckOptions(claim, 0.0, 0.99, 4000, 0, "report")
    found = examine_outputs(sampler, asked, 4000, 0.01, clock).result(None)
    assert found.status == "inconclusive"
    assert found.summary.startswith("the timeout of 10 s was over after 2000 of 4000 runs")


def test_nothing_remains_of_a_check_that_was_cut_short_at_once() -> None:
    with pytest.raises(OutOfTime):
        late_evidence(1.0, 10)


@pytest.mark.parametrize("last", [4000, 64])
def test_what_there_is_no_time_to_confirm_is_not_confirmed(
    monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    """Time is up in the confirmation (runs from 4000 on), or when a second examination begins."""
    monkeypatch.setattr(examination, "OVERWHELMING", 0.0)
    rng, clock = np.random.default_rng(0), Clock(1000.0)
    if last < 4000:  # the first examination is over and has not been confirmed

        def unconfirmed(sampler: Any, found: Any, claim: Any, start: int) -> Any:
            sampler._last = 10
            return replace(found, confirmation=examination.Confirmation((1, 2), (1, 2), 1.0, 0.05))

        monkeypatch.setattr(examination, "_confirmed", unconfirmed)
    sampler = Late(rng.laplace(size=9000), rng.laplace(size=9000) + 50.0, 4000, clock)
    found = examination.examine_twice(
        sampler, EpsilonDelta(1.0), alpha=0.01, samples=4000, seed=0, clock=clock
    )
    assert found.late
    assert found.samples < 4000  # it was stopped early by what it had found
    assert found.confirmation is not None
    assert not found.confirmation.confirmed
    assert found.p_value(EpsilonDelta(1.0)) > 0.01


# ------------------------------------------------------------------------ as many as there is time


class FakeTime:
    """Seconds that pass when runs are made."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Costly(RecordedSampler):
    """Recorded outputs of which run i takes ``cost(i)`` seconds on either data set."""

    def __init__(self, shift: float, runs: int, cost: Any, clock: Clock) -> None:
        rng = np.random.default_rng(0)
        super().__init__(rng.laplace(size=runs), rng.laplace(size=runs) + shift)
        assert isinstance(clock.now, FakeTime)
        self._cost, self._clock, self._time = cost, clock, clock.now

    def draw(self, blocks: Any, reduce: Any) -> Any:
        for block in blocks:
            for run in range(block.start, block.start + block.size):
                self._time.seconds += self._cost(run)
                self._clock.require()
            yield from super().draw([block], reduce)


BUDGET = 20_000


def timed(
    cost: Any, seconds: float | None, shift: float = 0.5, **options: Any
) -> tuple[Any, Clock]:
    clock = Clock(seconds, now=FakeTime())
    sampler = Costly(shift, BUDGET, cost, clock)
    options = {"alpha": 0.01, "samples": BUDGET, "seed": 0, **options}
    return examine(sampler, EpsilonDelta(1.0), clock=clock, **options), clock


COSTS = {
    "even": lambda run: 0.001,
    "starting": lambda run: 0.1 if run < 64 else 0.001,
    "starting slowly": lambda run: 0.1 if run < 200 else 0.001,
    "one long pause": lambda run: 5.0 if run == 3000 else 0.001,
    "speeding up": lambda run: 0.004 if run < 2048 else 0.0005,
    "tiring": lambda run: 0.001 if run < 2000 else 0.002,
}


each_cost = pytest.mark.parametrize(
    ("cost", "sequential"), [*((cost, True) for cost in COSTS), ("starting", False)]
)


@each_cost
def test_a_time_limit_that_does_not_bite_changes_nothing(cost: str, sequential: bool) -> None:
    free, _ = timed(COSTS[cost], None, sequential=sequential)
    limited, clock = timed(COSTS[cost], 200.0, sequential=sequential)
    assert clock.left > 0
    assert limited.samples == free.samples == BUDGET
    for name in ("first", "second", "trained"):
        assert getattr(limited, name) == getattr(free, name)
    assert not limited.hurried


@each_cost
def test_no_run_is_given_up_while_there_is_time(cost: str, sequential: bool) -> None:
    found, clock = timed(COSTS[cost], 30.0, sequential=sequential)
    assert found.complete
    assert found.hurried
    assert not found.late
    # it would go on for a quarter more runs
    more = USED_SHARE * clock.left / (2 * COSTS[cost](found.samples))
    assert more < 0.3 * found.samples


def test_an_early_refutation_is_certified_on_runs_that_nothing_has_seen(watched: Any) -> None:
    rng = np.random.default_rng(0)
    sampler = watched(rng.laplace(size=4000), rng.laplace(size=4000) + 3.0)
    terms: dict[str, Any] = {"alpha": 0.01, "samples": 4000, "seed": 0, "sharper": True}
    found = examine(sampler, EpsilonDelta(1.0), **terms)
    assert found.sharper
    last = [block for block in sampler.blocks if block.side == 0][-1]
    assert sampler.runs(0) == list(range(found.samples))
    assert found.trained == last.start
    assert found.first[1] == last.size == FRESH * found.trained
    assert found.samples == found.trained + last.size < 4000


@pytest.mark.parametrize("seconds", [16.0, 45.0])
def test_a_hurried_check_is_repeated_by_its_plans(seconds: float) -> None:
    found, clock = timed(COSTS["starting"], seconds)
    sampler = Costly(0.5, BUDGET, lambda run: 0.0, Clock(now=FakeTime()))
    terms: dict[str, Any] = {"alpha": 0.01, "samples": BUDGET, "seed": 0}
    again = examine(sampler, EpsilonDelta(1.0), **terms, clock=Clock(plans=clock.planned))
    assert found.hurried == (found.samples < BUDGET)
    assert (again.samples, again.trained) == (found.samples, found.trained)
    assert (again.first, again.event.describe()) == (found.first, found.event.describe())


# -------------------------------------------------------------------------------- the clock


def test_a_clock_plans_what_fits() -> None:
    clock = Clock(1000.0, now=FakeTime())
    assert clock.plan(0, 500) == 500  # nothing is known of the runs
    clock.step(20, 100.0)  # 5 s a run, 10 s a run on both sides
    clock.step(20, None)  # says nothing of the time
    assert clock.plan(0, 500) == 80
    assert clock.plan(4, 500) == 84
    assert clock.plan(0, 10) == 10
    clock.side_by_side(4)
    assert clock.plan(0, 500) == 160
    clock.took(10, 4.0)
    assert clock.plan(300, 5000) == 2300
    assert len(clock.planned) == 6
    again = Clock(plans=clock.planned)
    assert [again.plan(0, 500) for _ in range(7)] == [*clock.planned, 500]
    assert again.planned == []


def test_no_run_is_given_up_before_the_pace_is_known() -> None:
    """A look that is cheap comes first: the runs before may have been slow for once."""
    clock = Clock(1000.0, now=FakeTime())
    clock.took(64, 64.0)
    assert clock.plan(64, 10**6) == 10**6
    assert clock.plan(101, 10**6) == 101 + 800
    clock.took(64, 128.0)
    assert clock.plan(0, 10**6) == 400  # a look is never for less


def test_runs_are_counted_over_several_series() -> None:
    told: list[tuple[str, int, int]] = []
    clock = Clock(progress=lambda *progress: told.append(progress))
    clock.begin("counting", 0, 100)
    count = clock.counting()
    for done in (0, 3, 5, 0, 4, 2):
        count(done)
    clock.begin("end", 0, 0)
    assert clock._runs == 3 + 2 + 4 + 2


def test_the_end_of_a_part_is_before_the_end() -> None:
    whole = Clock(100.0)
    assert 25 < whole.part(0.3).left <= 30
    assert not Clock().part(0.3).limited
    assert Clock(1e-9).part(0.3).left == 0
    with pytest.raises(OutOfTime):
        Clock(1e-9).require()
