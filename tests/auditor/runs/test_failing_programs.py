"""Programs that fail: which failure is an outcome, and how many runs a request is for."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import auditor
from auditor.core.errors import InputError
from auditor.runs import command, program_requests, request_sizes
from auditor.runs.blocks import Block, Raised
from auditor.runs.clock import Clock
from auditor.runs.command import CommandSampler
from auditor.runs.journal import Notes
from auditor.runs.program import TIMEOUT, Failed, ProgramProcess
from auditor.runs.program_requests import ATTEMPTS, MOST_HANGS, Requests, parsed
from auditor.runs.request_sizes import RequestSizes
from auditor.runs.runner import LEAST_TRIAL
from auditor.statistics.claims import EpsilonDelta
from auditor.statistics.proportions import two_sample_p_value

REQUESTS = Requests([b"0", b"0"], 0, 1.0, Clock(), quoted=True)

# ----------------------------------------------------------------- programs and their processes

FAILING = {
    "exits": ("print('first', file=sys.stderr); sys.exit(3)", "exit code 3; its last words: first"),
    "dies": ("os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
    "talks": (
        r"""sys.stderr.write("first words\n" * 30_000)
for word in ("the", "end"):
    print(word, file=sys.stderr, flush=True)
    time.sleep(0.2)  # so that they come alone
sys.exit(3)""",
        "exit code 3; its last words: end",
    ),
    "throws as Node does": (
        r"""sys.stderr.write("m.js:3\n\nRangeError: epsilon\n    at f (m.js:3)\n\nNode.js v20\n")
sys.exit(1)""",
        "exit code 1; its last words: RangeError: epsilon",
    ),
}


@pytest.mark.parametrize("how", FAILING)
def test_a_failure_is_told_with_the_end_of_what_the_program_said(how: str) -> None:
    script, detail = FAILING[how]
    script = f"import os, signal, sys, time; input()\n{script}"
    program = ProgramProcess([sys.executable, "-S", "-c", script])
    try:
        with pytest.raises(Failed) as caught:
            program.ask(b"{}\n", timeout=60)
        assert (caught.value.name, caught.value.detail) == (detail.partition(";")[0], detail)
        assert len(program._errors) <= 2**16
    finally:
        program.close()


class Flaky:
    """A program of Laplace noise around its data; ``fails(data, size)`` is a probability."""

    fails: Any = None

    def __init__(self, arguments: list[str], *, quoted: bool) -> None:
        assert quoted  # the data are nobody's
        self.answered = 0
        self._rng = np.random.default_rng([int(arguments[1])])

    def ask(self, request: bytes, timeout: float) -> bytes:
        asked = json.loads(request)
        if self._rng.random() < type(self).fails(asked["data"], asked["size"]):
            raise Failed("exit code 3", "exit code 3")
        noise = np.random.default_rng(asked["seed"]).laplace(scale=10, size=asked["size"])
        self.answered += 1
        return json.dumps({"outputs": (asked["data"] + noise).tolist()}).encode()

    def stop(self) -> None:
        self.answered = 0

    kill = close = stop


def set_flaky(monkeypatch: pytest.MonkeyPatch, fails: Any) -> None:
    monkeypatch.setattr(Flaky, "fails", staticmethod(fails))
    monkeypatch.setattr(command, "ProgramProcess", Flaky)


def sampler_of(name: str = "0", pair: Any = (0.0, 1.0), seed: int = 0) -> CommandSampler:
    return CommandSampler(["flaky", name], pair, seed=seed)


def drawn(sampler: CommandSampler, blocks: list[Block]) -> list[Any]:
    return list(sampler.draw(blocks, lambda outputs: outputs))


def test_failing_now_and_then_on_one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    set_flaky(monkeypatch, lambda data, size: data * (1 - (1 - 0.004) ** size))
    sampler = sampler_of()
    blocks = [Block(side, start, 1500) for start in (0, 1500) for side in (0, 1)]
    parts = drawn(sampler, blocks)
    failed = [output for output in [*parts[1], *parts[3]] if isinstance(output, Raised)]
    assert set(failed) == {Raised("exit code 3")}
    # outside with probability 1e-4 over seeds: 12 failures of 3000 expected
    assert 2 <= len(failed) <= 28
    assert [len(part) for part in parts] == [1500] * 4
    (finding,) = sampler.findings
    assert finding["statement"] == (
        f"the program gave no output (exit code 3) in {len(failed)} of 3000 runs on D', none on D; "
        "that is an outcome like any other, and a request that fails is one run"
    )
    assert finding["example"] == "exit code 3"


def test_failing_always_on_one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    set_flaky(monkeypatch, lambda data, size: data)
    blocks = [Block(0, 0, 20), Block(1, 0, 20)]
    first, second = drawn(sampler_of(), blocks)
    assert np.isfinite(first).all()
    assert second == [Raised("exit code 3")] * 20
    monkeypatch.setattr(command, "MOST_CRASHES", 10)
    with pytest.raises(InputError) as caught:
        drawn(sampler_of(), blocks)
    message = str(caught.value)
    assert "the program gave no output (exit code 3) in 20 of 20 runs on D', none on D" in message
    assert "let it give the failure as an output" in message


def test_a_program_that_never_works(monkeypatch: pytest.MonkeyPatch) -> None:
    set_flaky(monkeypatch, lambda data, size: 1.0)
    with pytest.raises(InputError) as caught:
        drawn(sampler_of(), [Block(0, 0, 20)])
    message = str(caught.value)
    assert "the program gave no output in any run on both data sets (exit code 3); it" in message


# --------------------------------------------------------------------- what a request counts as


class Fake:
    """A program whose requests fail as ``fails(size, number of the request)`` says."""

    answered = 1

    def __init__(self, fails: Any, name: str = "exit code 1") -> None:
        self.asked = 0
        self._fails = fails
        self._name = name

    def ask(self, request: bytes, timeout: float) -> bytes:
        self.asked += 1
        size = json.loads(request)["size"]
        if self._fails(size, self.asked):
            raise Failed(self._name, self._name)
        return json.dumps({"outputs": [0.5] * size}).encode()


def block_of(fake: Any, block: Block) -> tuple[list[Any], Any]:
    outputs, tally = REQUESTS.block(fake, block, block.size)
    return list(outputs), tally


def test_runs_that_failed_together_count_once() -> None:
    fake = Fake(lambda size, number: number == 1)
    outputs, tally = block_of(fake, Block(0, 0, 4))
    assert outputs == [Raised("exit code 1"), 0.5, 0.5, 0.5]
    assert tally.notes.raised == {"exit code 1": 1}
    assert (tally.requests, tally.failed) == (1, 1)
    assert fake.asked == 2


def test_runs_that_keep_failing_together_are_asked_for_alone() -> None:
    fake = Fake(lambda size, number: size > 1 or number % 2 == 0)
    outputs, tally = block_of(fake, Block(0, 0, 4))
    together = 1 + ATTEMPTS
    assert fake.asked == together + 3
    assert outputs == [Raised("exit code 1"), *[Raised("exit code 1"), 0.5] * 2][:4]
    assert tally.notes.raised == {"exit code 1": 3}
    assert tally.failures == {"exit code 1": together + 2}


def test_a_hang_now_and_then_is_an_outcome() -> None:
    fake = Fake(lambda size, number: number in (1, 3), TIMEOUT)
    outputs, tally = block_of(fake, Block(0, 0, 4))
    assert outputs == [Raised("timeout"), 0.5, Raised("timeout"), 0.5]
    assert tally.notes.raised == {"timeout": 2}


def wave_of(sizes: Any, start: int, runs: int, failed: tuple[float, float]) -> int:
    """Return the size of a wave of which shares fail on the two sides."""
    wave = sizes.wave(start, runs)
    requests = math.ceil(runs / 2 / wave.size)
    wave.requests[:] = [requests, requests]
    wave.failed[:] = [round(share * requests) for share in failed]
    return int(wave.size)


def test_requests_grow_while_few_fail_and_shrink_when_many_do() -> None:
    sizes = RequestSizes(first=16, most=1024)
    assert wave_of(sizes, 0, 128, (0, 0)) == 128 // (2 * request_sizes.ENOUGH_FAILURES)
    assert wave_of(sizes, 64, 2**20, (0, 0)) == 16
    assert wave_of(sizes, 128, 2**20, (0, 0)) == 64
    assert wave_of(sizes, 256, 2**20, (0.3, 0)) == 256  # on one side: what tells the sides apart
    assert wave_of(sizes, 512, 2**20, (0.6, 0)) == 256
    assert wave_of(sizes, 1024, 2**20, (0, 0.6)) == 32
    assert wave_of(sizes, 2048, 2**20, (0, 0)) == 4
    assert wave_of(sizes, 4096, 2**20, (0, 0)) == 16
    # drawn again from there on: what came later is forgotten
    assert wave_of(sizes, 256, 2**20, (0, 0)) == 256
    assert [wave_of(sizes, 2**n, 2**20, (0, 0)) for n in (9, 10)] == [1024, 1024]


def test_so_many_requests_that_some_fail() -> None:
    """Requests that fail must be many enough to tell two sides apart."""
    sizes = RequestSizes(first=16, most=1024)
    for start in (2**n for n in range(6, 17)):
        wave_of(sizes, start, 2 * start, (0.1, 0.1))
    wave = sizes.wave(2**17, 2**18)
    expected = 0.1 * 2**18 / wave.size
    assert request_sizes.ENOUGH_FAILURES <= expected < 2 * request_sizes.ENOUGH_FAILURES


def failures_of(seed: int, runs: int) -> list[tuple[int, int]]:
    """Return how often a program fails on both sides, and runs, as a check draws them."""
    sampler = sampler_of(str(seed), (0.0, 0.0), seed)
    ends = [0, *(2**n for n in range(6, runs.bit_length())), runs]
    blocks = [Block(side, at, end - at) for at, end in pairwise(ends) for side in (0, 1)]
    parts = drawn(sampler, blocks)
    return [
        (sum(isinstance(output, Raised) for part in parts[side::2] for output in part), runs)
        for side in (0, 1)
    ]


@pytest.mark.parametrize(("runs", "seeds"), [(3000, 40), (20_000, 8)])
def test_requests_that_fail_whatever_the_data_do_not_tell_it(
    monkeypatch: pytest.MonkeyPatch, runs: int, seeds: int
) -> None:
    """Every tenth request fails, of whatever size: the counts differ by chance alone.

    When a hundred runs failed for every such request, a third of the seeds had p < 1e-10.
    """
    set_flaky(monkeypatch, lambda data, size: 0.1)
    ceiling = EpsilonDelta(0.1).ceiling
    for seed in range(seeds):
        one, two = failures_of(seed, runs)
        assert min(one[0], two[0]) > 10
        # for a correct sampler one of 96 is below 1e-6 with probability 1e-4
        assert two_sample_p_value(one, two, ceiling) > 1e-6
        assert two_sample_p_value(two, one, ceiling) > 1e-6


def flaky_check(monkeypatch: pytest.MonkeyPatch, fails: Any) -> Any:
    set_flaky(monkeypatch, fails)
    fake = auditor.Program(["flaky", "0"])
    return auditor.check(fake, pair=(0.0, 1.0), epsilon=0.1, samples=3000)


def test_a_right_program_holds_though_its_requests_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    found = flaky_check(monkeypatch, lambda data, size: 0.1)
    assert found.status == "holds"
    assert "raised" in [finding["kind"] for finding in found.findings]


@pytest.mark.parametrize(
    "fails",
    [
        lambda data, size: 0.1 * data,  # a request, however large
        lambda data, size: 1 - (1 - 0.02 * data) ** size,  # any of its runs
        lambda data, size: 1 - (1 - 0.3 * data) ** size,
        lambda data, size: data,
    ],
    ids=["requests", "few runs", "many runs", "always"],
)
def test_a_leak_that_shows_itself_only_by_crashing_is_caught(
    monkeypatch: pytest.MonkeyPatch, fails: Any
) -> None:
    assert flaky_check(monkeypatch, fails).status == "violated"


def test_single_runs_fail_as_often_as_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests fail as a whole, yet failures are counted at nearly the rate of the runs."""
    rate, runs = 1 / 64, 2**16
    set_flaky(monkeypatch, lambda data, size: 1 - (1 - rate) ** size)
    monkeypatch.setattr(command, "MOST_CRASHES", math.inf)
    failures = sum(count for count, _ in failures_of(0, runs))
    # a half of the requests may fail: ln 2 failures each, of which one is counted
    low, high = binomtest(failures, 2 * runs).proportion_ci(0.9999)
    assert low < rate
    assert high > rate / (2 * math.log(2))


def test_hanging_often_is_refused() -> None:
    fake = Fake(lambda size, number: number < 20, TIMEOUT)
    with pytest.raises(InputError, match=r"hangs .* in runs 0 to 63 on D, and fails in the same"):
        block_of(fake, Block(0, 0, 64))
    assert fake.asked == (1 + MOST_HANGS) + 1


@pytest.mark.parametrize(("limit", "most"), [(136.0, 1024), (120.0, 32)])
def test_a_request_is_for_many_runs_if_they_are_quick_together(
    limit: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """32 runs take a second, so that 1024 of them take 32 s: a quarter of the limit at most."""
    now = [0.0]

    def half_a_second(size: int, number: int) -> None:
        now[0] += 0.5

    quick: Any = Fake(half_a_second)
    requests = Requests([b"0", b"0"], 0, limit, Clock(), quoted=True)
    monkeypatch.setattr(program_requests, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert requests.look(quick).sizes._most == most


@pytest.mark.parametrize(("seconds", "runs"), [(1e-6, 16), (0.021, 7), (0.5, LEAST_TRIAL)])
def test_a_first_look_is_short_if_the_time_is(
    seconds: float, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0.15 of 18 seconds for 18 passes are 7 runs of 0.021 seconds."""
    now = [0.0]

    def takes(size: int, number: int) -> None:
        now[0] += seconds

    program: Any = Fake(takes)
    requests = Requests([b"0", b"0"], 0, 30.0, Clock(18.0), quoted=True)
    monkeypatch.setattr(program_requests, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert requests._trial_runs(program) == runs


def test_runs_that_take_long_are_asked_for_in_small_requests() -> None:
    asked = Requests([b"0", b"0"], 0, 30.0, Clock(), quoted=True)
    assert asked._request_runs(seconds=1e-4, length=20) == 1024
    assert asked._request_runs(seconds=0.05, length=20) == 32
    assert asked._request_runs(seconds=1.0, length=20) == 1
    assert asked._request_runs(seconds=1e-4, length=20_000) == 32


def test_crashes_and_hangs_are_counted_over_all_blocks_and_errors_are_not() -> None:
    def sampler() -> CommandSampler:
        made = CommandSampler("true", (0, 1), seed=0)
        made._journal.add(Block(0, 0, 1), Notes(Counter({"exit code 3": 1}), {"exit code 3": ""}))
        return made

    crashing = sampler()
    crashing._count_failures(Counter({"exit code 3": 600, "error: no": 9000, "timeout": 2}))
    crashing._count_failures(Counter({"signal SIGSEGV": 400, "timeout": 3}))
    with pytest.raises(InputError, match="too often to go on restarting it"):
        crashing._count_failures(Counter({"exit code 3": 1}))
    hanging = sampler()
    hanging._count_failures(Counter({"timeout": 5}))
    with pytest.raises(InputError, match="too often to go on restarting it"):
        hanging._count_failures(Counter({"timeout": 1}))


# ------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("[1, 2]", "'[1, 2]'"),
        ('{"output": [1]}', """'{"output": [1]}'"""),
        ('{"outputs": 1}', """'{"outputs": 1}'"""),
        ('{"outputs": [1', """'{"outputs": [1'"""),
        ("", "''"),
        ("x" * 1000, "'" + "x" * 200 + "...'"),
        ("[" * 100_000, "'" + "[" * 200 + "...'"),
    ],
)
def test_what_is_no_answer_is_shown(answer: str, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(answer.encode() + b"\n", Block(0, 0, 1), quoted=True)
    assert f"the program answered {shown} to" in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "shown"), [("Alice", "the program answered "), ('{"error": "Alice"}', "error: ")]
)
@pytest.mark.parametrize("quoted", [True, False])
def test_what_a_program_says_is_quoted_only_if_it_may_be(
    answer: str, shown: str, quoted: bool
) -> None:
    with pytest.raises((InputError, Failed)) as caught:
        parsed(answer.encode() + b"\n", Block(0, 0, 1), quoted=quoted)
    said = f"{caught.value} {getattr(caught.value, 'name', '')}"
    assert shown in said
    assert ("Alice" in said) == quoted
