"""Programs as mechanisms: the protocol, what breaks it, and what is left behind."""

from __future__ import annotations

import json
import math
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, laplace

from auditor.core.errors import InputError
from auditor.runs import program_requests
from auditor.runs.blocks import Block, Outputs, Raised
from auditor.runs.command import CommandSampler
from auditor.runs.json_values import encode
from auditor.runs.program import ProgramProcess
from auditor.runs.sampling import RunOptions
from auditor.runs.values import same

PROGRAM = Path(__file__).parent / "programs" / "answering.py"
PAGE = Path(__file__).parents[3] / "docs/how-to/program-protocol.md"
PAIR = ([0.0, 0.0], [1.0, 0.0])
BLOCKS = [Block(side, start, 500) for start in (0, 500) for side in (0, 1)]


def sampler_of(
    *arguments: object, command: Any = None, pair: Any = PAIR, seed: int = 0, **options: Any
) -> CommandSampler:
    """Return a sampler of ``answering.py`` with these arguments, or of another command."""
    own = [sys.executable, "-S", str(PROGRAM), *map(str, arguments)]
    given = own if command is None else command
    return CommandSampler(given, pair, seed=seed, options=RunOptions(**options))


def drawn(sampler: CommandSampler, blocks: list[Block] = BLOCKS) -> list[Any]:
    try:
        return list(sampler.draw(blocks, lambda outputs: outputs))
    finally:
        sampler.close()


def refused(sampler: CommandSampler, blocks: list[Block] = BLOCKS) -> str:
    with pytest.raises(InputError) as caught:
        drawn(sampler, blocks)
    assert "\n" not in str(caught.value)
    return str(caught.value)


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
    sampler = sampler_of(command=f"{interpreter} {file}", pair=([0, 1, 1], [0, 1]))
    first, second = drawn(sampler, BLOCKS[:2])
    assert sampler.findings == []  # the same for the same seed, and another for another
    # each fails for a correct program with probability 1e-4
    assert kstest(first - 2, laplace.cdf).pvalue > 1e-4
    assert kstest(second - 1, laplace.cdf).pvalue > 1e-4


def test_the_example_on_the_page_is_an_answer_to_the_request() -> None:
    request, answer = re.findall(r"^    (\{.*\})$", PAGE.read_text(), re.MULTILINE)[:2]
    assert len(json.loads(answer)["outputs"]) == json.loads(request)["size"]
    assert set(json.loads(request)) == {"data", "seed", "size"}


# ----------------------------------------------------------------------------------- same runs


def test_seeds_fit_in_a_double_never_come_again_and_give_the_same_for_any_number_of_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeds = []
    ask = ProgramProcess.ask

    def listen(self: ProgramProcess, request: bytes, timeout: float) -> bytes:
        asked = json.loads(request)
        seeds.append((asked["seed"], asked["size"]))
        return ask(self, request, timeout)

    with monkeypatch.context() as listening:
        listening.setattr(ProgramProcess, "ask", listen)
        serial = drawn(sampler_of())
    assert all(0 <= seed < 2**53 and int(float(seed)) == seed for seed, _ in seeds)
    # requests of 16 runs, and then of 31: as none failed, 16 of 1000 runs / 31 would be one half
    count = 2 * (math.ceil(500 / 16) + math.ceil(500 / 31))
    drawing = [seed for seed, _ in seeds[-count:]]
    assert len(drawing) == len(set(drawing))
    assert [size for _, size in seeds[-count:]].count(16) >= 2 * (500 // 16)
    assert len({part.tobytes() for part in serial}) == len(BLOCKS)
    parallel = drawn(sampler_of(workers=2))
    assert [part.tobytes() for part in serial] == [part.tobytes() for part in parallel]


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
        sampler_of(pair=([1], data))
    assert "\n" not in str(caught.value)


def test_data_and_outputs_make_the_round_trip() -> None:
    data = {"a": [1, math.nan, -math.inf], "b": None, "c": "word"}
    first, second = drawn(sampler_of("echo", pair=(data, math.nan)), BLOCKS[:2])
    assert same(first[0], data)
    assert np.isnan(second).all()
    assert second.dtype == np.float64
    large = np.arange(20_000)  # 110 kB, more than a pipe takes at once
    (part,) = drawn(sampler_of("echo", pair=(large, large)), [Block(0, 0, 2)])
    assert part.shape == (2, 20_000)
    assert part.dtype == np.int64
    assert (part == large).all()


def test_outputs_of_every_kind() -> None:
    (part,) = drawn(sampler_of("strange"), [Block(0, 0, 64)])
    expected = [None, math.nan, math.inf, -math.inf, "word", True, [1], {"a": math.nan}]
    assert same(part, [expected[run % 2] for run in range(64)])


def test_the_bare_words_that_python_writes_are_understood() -> None:
    words = program_requests.parsed(b'{"outputs": [NaN, -Infinity]}', Block(0, 0, 2), quoted=True)
    assert same(words, [math.nan, -math.inf])


# --------------------------------------------------------------------------- findings of sound


@pytest.mark.parametrize(
    ("mode", "workers", "kinds", "statement"),
    [
        ("unseeded", 2, ["not reproducible"], "not reproducible from its seed on D and D': it d"),
        ("fixed", 2, ["ignores the seed"], "the program ignores the seed it is given, and every"),
        ("repeats", 1, ["repeats"], "the same 16 outputs come back for every seed on D: runs are"),
        ("constant", 1, ["constant"] * 2, "the output never varies on D: all 1000 runs gave the"),
        ("noisy", 1, [], ""),  # much on standard error blocks nothing
    ],
)
def test_what_is_noticed(mode: str, workers: int, kinds: list[str], statement: str) -> None:
    pair = ([0.0, 0.0], [2.0, -2.0])  # of the same sum, to see the noise
    sampler = sampler_of(mode, pair=pair, workers=workers)
    parts = drawn(sampler)
    assert [finding["kind"] for finding in sampler.findings] == kinds
    assert all(finding["statement"].startswith(statement) for finding in sampler.findings[:1])
    if mode in ("unseeded", "fixed"):  # copies that would repeat one another: only one was run
        assert len(np.unique(np.concatenate(parts))) == 2000


def test_a_program_that_crashes_is_started_again() -> None:
    sampler = sampler_of("crash", 0.008)
    first, second = drawn(sampler, [Block(0, 0, 500), Block(1, 0, 500)])
    assert len(first) == len(second) == 500
    failed = [output for output in second if isinstance(output, Raised)]
    assert set(failed) == {Raised("exit code 3")}  # which runs fail follows from the seed
    (finding,) = sampler.findings
    assert finding["counts"] == [0, len(failed)]
    assert finding["example"] == "exit code 3; its last words: about to crash"


def test_wide_outputs_are_asked_for_in_small_requests() -> None:
    sampler = sampler_of("wide")
    (part,) = drawn(sampler, [Block(0, 0, 20)])
    assert part.shape == (20, 1000)
    assert sampler._seen is not None
    sizes = sampler._seen.sizes
    assert [sizes.wave(2**n, 2**20).size for n in (8, 9, 10)] == [4, 16, 32]


# ------------------------------------------------------------------ programs that are refused


@pytest.mark.parametrize(
    ("mode", "options", "words"),
    [
        (
            "hang",
            {"call_timeout": 2.0},
            "hangs (no answer within 2 s) in runs 0 to 15 on D', but not on D: if it",
        ),
        # 16 runs take 3.2 s
        ("slow", {"call_timeout": 2.0}, "on D take longer than the time limit of 2 s for a req"),
        (
            "garbage",
            {},
            "answered 'Hello, world' to the request for runs 0 to 15 on D; one line of",
        ),
        ("short", {}, "gave 15 outputs to the request for runs 0 to 15 on D; 16 (the request's"),
        ("chatty", {}, "wrote more than one line for a request"),
        ("long", {}, "wrote a line of more than 64 MiB"),
        ("once", {}, "ended (exit code 0) after its first answer; it must go on reading"),
    ],
)
def test_a_program_that_breaks_the_protocol(mode: str, options: Any, words: str) -> None:
    began = time.monotonic()
    message = refused(sampler_of(mode, **options))
    assert words in message
    assert (re.search(r"give a call_timeout of \d+ s$", message) is not None) == (mode == "slow")
    assert time.monotonic() - began < 120  # it would sleep for 1000 s


def test_a_program_that_does_not_read() -> None:
    asleep = sampler_of(command=["sleep", "1000"], pair=(np.zeros(100_000), [0]), call_timeout=0.5)
    message = refused(asleep)
    assert "hangs (no answer within 0.5 s) in runs 0 to 15 on D, and fails in the same" in message


def test_a_program_that_gives_errors_alone() -> None:
    message = refused(sampler_of("error", 1, "both"))
    assert "the program gave no output in any run on both data sets" in message
    assert "error: no such record" in message


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("no-such-program --flag", "'no-such-program' cannot be started (No such file"),
        (["/"], "'/' cannot be started (Permission denied)"),
        ("false", "gave no output in any run on both data sets (exit code 1)"),
        ("cat", """answered '{"data": [0.0, 0.0], "seed": """),
    ],
)
def test_commands_that_are_no_mechanisms(
    given: Any, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_requests, "TRIAL_RUNS", 2)  # each is started for every run
    assert expected in refused(sampler_of(command=given))


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
    with pytest.raises(InputError) as caught:
        sampler_of(**{"command": "true", **options})
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


def test_programs_and_what_they_have_started_are_killed_on_close(
    stubborn: list[str], alive: Any, gone: Any
) -> None:
    sampler = sampler_of(command=stubborn, workers=2)
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


def test_programs_are_killed_after_an_error(stubborn: list[str], gone: Any) -> None:
    pids = set()

    def reduce(outputs: Outputs) -> None:
        pids.update(pids_of(outputs))
        raise ZeroDivisionError

    sampler = sampler_of(command=stubborn, workers=2)
    with pytest.raises(ZeroDivisionError):
        list(sampler.draw(BLOCKS, reduce))
    assert pids
    assert gone(pids)


def test_programs_are_killed_when_ours_is_interrupted(
    stubborn: list[str], tmp_path: Path, gone: Any
) -> None:
    noted = tmp_path / "pids"
    script = f"""
        import signal
        from auditor.runs.command import CommandSampler
        from auditor.runs.sampling import Block, RunOptions
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
        options = RunOptions(call_timeout=1000)
        sampler = CommandSampler({[*stubborn, str(noted)]!r}, ([0], [1]), seed=0, options=options)
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
