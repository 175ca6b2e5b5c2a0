"""Programs as mechanisms: the protocol, what programs do wrong, and what is left behind."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, kstest, laplace

import auditor
from auditor.core.errors import InputError
from auditor.runs import command
from auditor.runs.blocks import Block, Outputs, Raised
from auditor.runs.command import CommandSampler
from auditor.runs.journal import Notes
from auditor.runs.json_values import encode
from auditor.runs.program import TIMEOUT, Failed, ProgramProcess
from auditor.runs.values import same
from auditor.statistics.claims import EpsilonDelta
from auditor.statistics.proportions import two_sample_p_value

PROGRAM = Path(__file__).parent / "programs" / "answering.py"
PAGE = Path(__file__).parents[3] / "docs/how-to/program-protocol.md"
PAIR = ([0.0, 0.0], [1.0, 0.0])
BLOCKS = [Block(side, start, 1500) for start in (0, 1500) for side in (0, 1)]


def program(*arguments: object) -> list[str]:
    return [sys.executable, "-S", str(PROGRAM), *map(str, arguments)]


def sampler_of(*arguments: object, **options: Any) -> CommandSampler:
    return CommandSampler(program(*arguments), PAIR, seed=0, **options)


def drawn(sampler: CommandSampler, blocks: list[Block] = BLOCKS) -> list[Any]:
    try:
        return list(sampler.draw(blocks, lambda outputs: outputs))
    finally:
        sampler.close()


def refused(sampler: CommandSampler, blocks: list[Block] = BLOCKS) -> str:
    with pytest.raises(InputError) as caught:
        drawn(sampler, blocks)
    message = str(caught.value)
    assert "\n" not in message
    return message


def statements(sampler: CommandSampler) -> list[str]:
    return [finding["statement"] for finding in sampler.findings]


def alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended but is not yet buried does not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def gone(pids: Any, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


# ------------------------------------------------------------------------- the page's programs

LANGUAGES = {
    "python": (sys.executable, "mechanism.py"),
    "js": ("node", "mechanism.js"),
    "perl": ("perl", "mechanism.pl"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_programs_on_the_page_work(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # it would hide a missing flush
    interpreter, name = LANGUAGES[language]
    if shutil.which(interpreter) is None:
        pytest.skip(f"{interpreter} is not installed")
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    file = tmp_path / name
    file.write_text(text)
    sampler = CommandSampler(f"{interpreter} {file}", ([0, 1, 1], [0, 1]), seed=0)
    first, second = drawn(sampler, BLOCKS[:2])
    assert sampler.findings == []
    # each fails for a correct program with probability 1e-4
    assert kstest(first - 2, laplace.cdf).pvalue > 1e-4
    assert kstest(second - 1, laplace.cdf).pvalue > 1e-4
    again = CommandSampler([interpreter, str(file)], ([0, 1, 1], [0, 1]), seed=0, workers=2)
    assert [part.tobytes() for part in drawn(again, BLOCKS[:2])] == [
        first.tobytes(),
        second.tobytes(),
    ]


def test_the_example_on_the_page_is_an_answer_to_the_request() -> None:
    request, answer = re.findall(r"^    (\{.*\})$", PAGE.read_text(), re.MULTILINE)[:2]
    assert len(json.loads(answer)["outputs"]) == json.loads(request)["size"]
    assert set(json.loads(request)) == {"data", "seed", "size"}


# ----------------------------------------------------------------------------------- same runs


def test_parallel_equals_serial_byte_for_byte() -> None:
    serial = drawn(sampler_of())
    parallel = drawn(sampler_of(workers=3))
    assert [part.tobytes() for part in serial] == [part.tobytes() for part in parallel]
    assert len({part.tobytes() for part in serial}) == len(BLOCKS)


def test_seeds_fit_in_a_double_and_never_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []
    ask = ProgramProcess.ask

    def listen(self: ProgramProcess, request: bytes, timeout: float) -> bytes:
        asked = json.loads(request)
        seeds.append((asked["seed"], asked["size"], tuple(asked["data"])))
        return ask(self, request, timeout)

    monkeypatch.setattr(ProgramProcess, "ask", listen)
    drawn(sampler_of())
    assert all(0 <= seed < 2**53 and int(float(seed)) == seed for seed, _, _ in seeds)
    count = 2 * (math.ceil(1500 / 16) + math.ceil(1500 / 64))  # requests of both waves
    drawing = [seed for seed, _, _ in seeds[-count:]]
    assert len(drawing) == len(set(drawing))
    assert [size for _, size, _ in seeds[-count - 1 :]].count(command.TRIAL_RUNS) > count / 2


def test_numbers_become_one_array() -> None:
    parts = drawn(CommandSampler(program("echo"), ([0, 0.5], [1, 2]), seed=0))
    assert parts[0].shape == (1500, 2)
    assert parts[0].dtype == np.float64
    assert parts[1].dtype == np.int64


# ---------------------------------------------------------------------------- data and outputs


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (np.array([[1.5, np.nan], [np.inf, -np.inf]]), [[1.5, "NaN"], ["Infinity", "-Infinity"]]),
        (np.arange(3), [0, 1, 2]),
        (np.array([True, False]), [True, False]),
        (np.float32(0.5), 0.5),
        (np.array(2.5), 2.5),
        (np.array([1, "a", None], dtype=object), [1, "a", None]),
        ((1, (2, [np.int64(3)])), [1, [2, [3]]]),
        ({"a": np.zeros(2), "b": None}, {"a": [0.0, 0.0], "b": None}),
        (
            pd.DataFrame({"x": [1.0, math.nan], "y": ["a", "b"]}),
            {"x": [1.0, "NaN"], "y": ["a", "b"]},
        ),
        (pd.Series([1, 2]), [1, 2]),
        ("é\n", "é\n"),
        (2**70, 2**70),
        (np.float64(0.1), 0.1),
    ],
    ids=str,
)
def test_data_as_json(data: Any, expected: Any) -> None:
    text = encode(data)
    assert "\n" not in text
    assert json.loads(text, parse_constant=pytest.fail) == expected


@pytest.mark.parametrize(
    "data",
    [{1, 2}, 1j, np.array([1j]), {1: 2}, b"a", object(), [lambda: 0], np.datetime64("2020")],
    ids=lambda data: type(data).__name__,
)
def test_data_that_json_has_no_place_for(data: Any) -> None:
    with pytest.raises(InputError, match="D' cannot be written as JSON") as caught:
        CommandSampler(program(), ([1], data), seed=0)
    assert "\n" not in str(caught.value)


def test_data_and_outputs_make_the_round_trip() -> None:
    data = {"a": [1, math.nan, -math.inf], "b": None, "c": "word"}
    first, second = drawn(CommandSampler(program("echo"), (data, math.nan), seed=0), BLOCKS[:2])
    assert same(first[0], data)
    assert np.isnan(second).all()
    assert second.dtype == np.float64


def test_outputs_of_every_kind() -> None:
    (part,) = drawn(sampler_of("strange"), [Block(0, 0, 512)])
    expected = [None, math.nan, math.inf, -math.inf, "word", True, [1], {"a": math.nan}]
    assert same(part, expected * 64)


def test_the_bare_words_that_python_writes_are_understood() -> None:
    script = "import sys\nfor _ in sys.stdin: print('{\"outputs\": [%s]}' % ', '.join("
    script += "(['NaN', '-Infinity'] * 8)), flush=True)"
    sampler = CommandSampler([sys.executable, "-S", "-c", script], PAIR, seed=0)
    (part,) = drawn(sampler, [Block(0, 0, 512)])  # in requests of 16
    assert same(part, np.array([math.nan, -math.inf] * 256))


def test_a_data_set_larger_than_a_pipe() -> None:
    data = np.arange(20_000.0)  # 140 kB
    (part,) = drawn(CommandSampler(program(), (data, data + 1), seed=0), [Block(0, 0, 3)])
    assert np.abs(part - data.sum()).max() < 6


# --------------------------------------------------------------------------- findings of sound


def test_a_program_that_ignores_its_seed() -> None:
    sampler = sampler_of("unseeded", workers=2)
    parts = drawn(sampler)
    assert len({part.tobytes() for part in parts}) == len(BLOCKS)
    (statement,) = statements(sampler)
    assert statement.startswith("not reproducible from its seed on D and D': it draws from another")


def test_copies_that_would_repeat_one_another_are_not_run_side_by_side() -> None:
    pair = ([0.0, 0.0], [2.0, -2.0])  # of the same sum, to see the noise
    sampler = CommandSampler(program("fixed"), pair, seed=0, workers=2)
    numbers = np.concatenate(drawn(sampler))
    assert len(np.unique(numbers)) == len(numbers)
    (finding,) = sampler.findings
    assert finding["kind"] == "ignores the seed"


def test_requests_that_are_answered_alike() -> None:
    sampler = sampler_of("repeats")
    drawn(sampler)
    (finding,) = sampler.findings
    assert finding["kind"] == "repeats"


def test_an_output_that_never_varies() -> None:
    sampler = sampler_of("constant")
    drawn(sampler)
    assert statements(sampler) == [
        f"the output never varies on {side}: all 3000 runs gave the same" for side in ("D", "D'")
    ]


def test_much_on_standard_error_blocks_nothing() -> None:
    sampler = sampler_of("noisy")
    assert len(drawn(sampler)) == len(BLOCKS)
    assert sampler.findings == []


# ------------------------------------------------------------------------- failures as outcomes


@pytest.mark.parametrize(
    ("mode", "name", "words"),
    [
        ("crash", "exit code 3", "exit code 3; its last words: about to crash"),
        ("segfault", "signal SIGSEGV", "signal SIGSEGV"),
        ("error", "error: no such record", "error: no such record"),
    ],
)
def test_failing_now_and_then_on_one_side(mode: str, name: str, words: str) -> None:
    sampler = sampler_of(mode, 0.004)
    parts = drawn(sampler)
    failed = [output for output in [*parts[1], *parts[3]] if isinstance(output, Raised)]
    assert set(failed) == {Raised(name)}
    # outside with probability 1e-4 over seeds: 12 failures of 3000 expected
    assert 2 <= len(failed) <= 28
    assert [len(part) for part in parts] == [1500] * 4
    (finding,) = sampler.findings
    assert finding["statement"] == (
        f"the program gave no output ({name}) in {len(failed)} of 3000 runs on D', none on D; "
        "that is an outcome like any other, and a request that fails is one run"
    )
    assert finding["example"] == words


TALKATIVE = """
import sys, time
sys.stderr.write("first words\\n" * 30_000)
for word in ("the", "end"):
    print(word, file=sys.stderr, flush=True)
    time.sleep(0.2)  # so that they come alone
input()
sys.exit(3)
"""


def test_of_what_a_program_writes_to_standard_error_the_end_is_kept() -> None:
    talkative = ProgramProcess([sys.executable, "-S", "-c", TALKATIVE])
    try:
        with pytest.raises(Failed, match=r"exit code 3; its last words: end$"):
            talkative.ask(b"{}\n", timeout=60)
        assert 2**15 < len(talkative._errors) <= 2**16
    finally:
        talkative.close()


@pytest.mark.slow
def test_failing_always_on_one_side() -> None:
    sampler = sampler_of("crash")
    first, second = drawn(sampler, [Block(0, 0, 20), Block(1, 0, 20)])
    assert np.isfinite(first).all()
    assert second == [Raised("exit code 3")] * 20
    assert "in 20 of 20 runs on D', none on D" in statements(sampler)[0]


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
    outputs, tally = command._Runs([b"0", b"0"], 0, 1.0).block(fake, block, block.size)
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
    together = 1 + command.ATTEMPTS
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
    sizes = command._Sizes(first=16, most=1024)
    assert wave_of(sizes, 0, 128, (0, 0)) == 128 // (2 * command.ENOUGH_FAILURES)
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
    """If it is requests that fail, those that do must be many enough to tell two sides apart."""
    sizes = command._Sizes(first=16, most=1024)
    for start in (2**n for n in range(6, 17)):
        wave_of(sizes, start, 2 * start, (0.1, 0.1))
    wave = sizes.wave(2**17, 2**18)
    expected = 0.1 * 2**18 / wave.size
    assert command.ENOUGH_FAILURES <= expected < 2 * command.ENOUGH_FAILURES


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


def failures_of(seed: int, runs: int) -> list[tuple[int, int]]:
    """Return how often a program fails on both sides, and runs, as a check draws them."""
    sampler = CommandSampler(["flaky", str(seed)], (0.0, 0.0), seed=seed)
    ends = [0, *(2**n for n in range(6, runs.bit_length())), runs]
    blocks = [Block(side, at, end - at) for at, end in pairwise(ends) for side in (0, 1)]
    parts = drawn(sampler, blocks)
    return [
        (sum(isinstance(output, Raised) for part in parts[side::2] for output in part), runs)
        for side in (0, 1)
    ]


@pytest.mark.slow
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
    assert fake.asked == (1 + command.MOST_HANGS) + 1


@pytest.mark.slow
def test_too_many_restarts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MOST_CRASHES", 10)
    message = refused(sampler_of("crash"), [Block(0, 0, 20), Block(1, 0, 20)])
    assert "the program gave no output (exit code 3) in 20 of 20 runs on D', none on D" in message
    assert "let it give the failure as an output" in message


# -------------------------------------------------------------------------------- hangs


def test_hanging_at_once_on_one_side() -> None:
    began = time.monotonic()
    message = refused(sampler_of("hang", call_timeout=2.0))
    assert "hangs (no answer within 2 s) in runs 0 to 15 on D', but not on D: if it" in message
    assert time.monotonic() - began < 30


def test_a_program_that_does_not_read() -> None:
    sampler = CommandSampler(["sleep", "1000"], (np.zeros(100_000), [0]), seed=0, call_timeout=0.5)
    message = refused(sampler)
    assert "hangs (no answer within 0.5 s) in runs 0 to 15 on D, and fails in the same" in message


def test_runs_that_take_long_are_asked_for_in_small_requests() -> None:
    asked = command._Runs([b"0", b"0"], 0, 30.0)
    assert asked._request_runs(seconds=1e-4, length=20) == 1024
    assert asked._request_runs(seconds=0.05, length=20) == 32
    assert asked._request_runs(seconds=1.0, length=20) == 1
    assert asked._request_runs(seconds=1e-4, length=20_000) == 32


def test_wide_outputs_are_asked_for_in_small_requests() -> None:
    sampler = sampler_of("wide")
    (part,) = drawn(sampler, [Block(0, 0, 100)])
    assert part.shape == (100, 1000)
    assert sampler._seen is not None
    sizes = sampler._seen.sizes
    assert [wave_of(sizes, 2**n, 2**20, (0, 0)) for n in (8, 9, 10)] == [12, 32, 32]


def test_slow_is_told_from_hanging() -> None:
    message = refused(sampler_of("slow", call_timeout=2.0))  # 16 runs take 3.2 s
    assert "runs 0 to 15 on D take longer than the time limit of 2 s for a request" in message
    assert re.search(r"give a call_timeout of \d+ s$", message)


# ------------------------------------------------------------------------- broken programs


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("garbage", "answered 'Hello, world' to the request for runs 0 to 15 on D; one line of"),
        ("short", "gave 15 outputs to the request for runs 0 to 15 on D; 16 (the request's size)"),
        ("chatty", "wrote more than one line for a request"),
        ("long", "wrote a line of more than 64 MiB"),
        ("once", "ended (exit code 0) after its first answer; it must go on reading"),
    ],
)
def test_a_program_that_breaks_the_protocol(mode: str, expected: str) -> None:
    assert expected in refused(sampler_of(mode))


@pytest.mark.parametrize("mode", ["crash", "error"])
def test_a_program_that_never_works(mode: str) -> None:
    message = refused(sampler_of(mode, 1, "both"))
    assert "the program gave no output in any run on both data sets" in message
    assert ("about to crash" if mode == "crash" else "error: no such record") in message


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
        command._parsed(answer.encode() + b"\n", Block(0, 0, 1), quoted=True)
    assert f"the program answered {shown} to" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("no-such-program --flag", "'no-such-program' cannot be started (No such file"),
        (["/"], "'/' cannot be started (Permission denied)"),
        ("true", "gave no output in any run on both data sets (exit code 0)"),
        ("false", "gave no output in any run on both data sets (exit code 1)"),
        ("cat", """answered '{"data": [0.0, 0.0], "seed": """),
    ],
)
def test_commands_that_are_no_mechanisms(given: Any, expected: str) -> None:
    assert expected in refused(CommandSampler(given, PAIR, seed=0))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"command": ""}, "command must be a program and its arguments, got ''"),
        ({"command": []}, "command must be a program and its arguments, got []"),
        ({"command": ["a", 1]}, "command must be a program and its arguments, got ['a', 1]"),
        ({"command": "'"}, "cannot be split (No closing quotation)"),
        ({"pair": (1,)}, "pair must be two data sets"),
        ({"workers": 0}, "workers must be a whole number from 1 to 1024"),
        ({"call_timeout": -1}, "call_timeout must be a number of seconds in (0, 1e+06]"),
        ({"seed": "a"}, "seed must be a whole number"),
    ],
)
def test_bad_input_is_refused_in_one_line(options: dict[str, Any], expected: str) -> None:
    given: dict[str, Any] = {"command": "true", "pair": PAIR, "seed": 0, **options}
    with pytest.raises(InputError) as caught:
        CommandSampler(given.pop("command"), given.pop("pair"), **given)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------------------- processes

NOTES_ITS_PID = """
    import json, os, subprocess, sys, time
    other = subprocess.Popen(["sleep", "1000"])
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"outputs": [[os.getpid(), other.pid]] * request["size"]}), flush=True)
        if len(sys.argv) > 1:
            open(sys.argv[1], "a").write(f"{os.getpid()} {other.pid} ")
            if len(open(sys.argv[1]).read().split()) >= 10:
                time.sleep(1000)  # ours waits for the next answer until it is interrupted
    time.sleep(1000)  # it does not stop when its input ends
"""


@pytest.fixture
def stubborn(tmp_path: Path) -> list[str]:
    file = tmp_path / "stubborn.py"
    file.write_text(textwrap.dedent(NOTES_ITS_PID))
    return [sys.executable, "-S", str(file)]


def pids_of(outputs: Outputs) -> set[int]:
    return set(np.asarray(outputs).ravel().tolist())


def test_programs_and_what_they_have_started_are_killed_on_close(stubborn: list[str]) -> None:
    sampler = CommandSampler(stubborn, PAIR, seed=0, workers=2)
    pids = set[int]().union(*sampler.draw(BLOCKS, pids_of))
    assert len(pids) >= 2
    assert all(alive(pid) for pid in pids)
    sampler.close()
    assert gone(pids)
    again = set[int]().union(*sampler.draw(BLOCKS[:1], pids_of))
    assert not again & pids
    sampler.close()
    sampler.close()
    assert gone(again)


def test_programs_are_killed_after_an_error(stubborn: list[str]) -> None:
    pids = set()

    def reduce(outputs: Outputs) -> None:
        pids.update(pids_of(outputs))
        raise ZeroDivisionError

    sampler = CommandSampler(stubborn, PAIR, seed=0, workers=2)
    with pytest.raises(ZeroDivisionError):
        list(sampler.draw(BLOCKS, reduce))
    assert pids
    assert gone(pids)


@pytest.mark.slow
def test_programs_are_killed_when_ours_is_interrupted(stubborn: list[str], tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    script = f"""
        import signal
        from auditor.runs.command import CommandSampler
        from auditor.runs.sampling import Block
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
        sampler = CommandSampler({[*stubborn, str(noted)]!r}, ([0], [1]), seed=0, call_timeout=1000)
        list(sampler.draw([Block(0, 0, 100)], len))
        list(sampler.draw([Block(0, 0, 100)], len))
    """
    file = tmp_path / "ours.py"
    file.write_text(textwrap.dedent(script))
    ours = subprocess.Popen([sys.executable, str(file)], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not (noted.exists() and len(noted.read_text().split()) >= 10):
        assert time.monotonic() < end
        time.sleep(0.05)
    ours.send_signal(signal.SIGINT)  # the others: test_leftovers.py
    assert ours.wait(timeout=20) != 0
    pids = {int(pid) for pid in noted.read_text().split()}
    assert gone(pids)


def test_crashes_and_hangs_are_counted_over_all_blocks_and_errors_are_not() -> None:
    def sampler() -> CommandSampler:
        made = CommandSampler("true", PAIR, seed=0)
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


@pytest.mark.parametrize(
    ("answer", "shown"), [("Alice", "the program answered "), ('{"error": "Alice"}', "error: ")]
)
@pytest.mark.parametrize("quoted", [True, False])
def test_what_a_program_says_is_quoted_only_if_it_may_be(
    answer: str, shown: str, quoted: bool
) -> None:
    with pytest.raises((InputError, Failed)) as caught:
        command._parsed(answer.encode() + b"\n", Block(0, 0, 1), quoted=quoted)
    said = f"{caught.value} {getattr(caught.value, 'name', '')}"
    assert shown in said
    assert ("Alice" in said) == quoted
