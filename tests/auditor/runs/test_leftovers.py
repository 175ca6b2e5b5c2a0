"""Nothing that was started is left, however a check or an audit ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from auditor.runs.kept_process import Kept

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of all processes")

SECONDS = 60
"""A busy machine may take as long as this to start or end something."""

PROGRAM = """
import json, os, subprocess, sys, time
own = subprocess.Popen(["setsid", "sleep", "1000"])  # leaves the group
with open(sys.argv[1], "a") as noted:
    noted.write(f"{os.getpid()} {own.pid}\\n")
for number, line in enumerate(sys.stdin):
    if number > 5:
        time.sleep(1000)
    request = json.loads(line)
    outputs = [(request["seed"] * (i + 1)) % 997 for i in range(request["size"])]
    print(json.dumps({"outputs": outputs}), flush=True)
"""
MECHANISM = """
import os, subprocess, time

started = []

def mechanism(data, rng):
    if not started:
        started.append(subprocess.Popen(["setsid", "sleep", "1000"]))
        with open(os.environ["NOTED"], "a") as noted:
            noted.write(f"{os.getpid()} {started[0].pid}\\n")
    time.sleep(0.01)
    return data + rng.laplace()
"""
SHARED = """
import os, time
from auditor.runs.parallel import in_parallel

def work():
    with open(os.environ["NOTED"], "a") as noted:
        noted.write(f"{os.getpid()}\\n")
    time.sleep(1000)

if __name__ == "__main__":
    list(in_parallel(work, [()] * 2, 2))
"""


def eventually(happened: Callable[[], bool]) -> bool:
    end = time.monotonic() + SECONDS
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def pids_in(noted: Path) -> set[int]:
    return set(map(int, noted.read_text().split())) if noted.exists() else set()


def check(*arguments: str) -> list[str]:
    claim = ["--pair", "pair.json", "--epsilon", "2", "--samples", "2000"]
    return [sys.executable, "-m", "auditor", "check", *arguments, *claim]


@pytest.mark.parametrize(
    ("command", "number"),
    [
        (check("--command", f"{sys.executable} -S program.py noted"), signal.SIGTERM),
        (check("mine.py:mechanism"), signal.SIGKILL),
    ],
    ids=["program", "mechanism"],
)
def test_nothing_is_left_when_the_main_process_is_killed(
    command: list[str], number: int, tmp_path: Path, gone: Any
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "mine.py").write_text(MECHANISM)
    (tmp_path / "pair.json").write_text("[0, 1]")
    noted = tmp_path / "noted"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "NOTED": str(noted)}
    ours = subprocess.Popen(command, env=environment, cwd=tmp_path, **quiet)  # type: ignore[call-overload]
    try:
        assert eventually(lambda: len(pids_in(noted)) >= 2)
        ours.send_signal(number)
        ours.wait(timeout=SECONDS)
    finally:
        ours.kill()
    assert gone(pids_in(noted))


def of_session(number: int) -> list[int]:
    """Return the processes of a session, which a command and all its workers are in."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z" and int(fields[3]) == number:
                found.append(int(place.name))
    return found


AT_ONCE = 10
"""Seconds in which workers end with their command; two here, and a busy machine takes longer."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda n: n.name)
def test_shared_work_that_is_killed_ends_at_once_and_without_a_word(
    number: signal.Signals, tmp_path: Path
) -> None:
    (tmp_path / "shared.py").write_text(SHARED)
    noted, said = tmp_path / "noted", tmp_path / "said"
    noted.touch()
    with said.open("w") as stream:
        ours = subprocess.Popen(
            [sys.executable, "shared.py"],
            cwd=tmp_path,
            env={**os.environ, "NOTED": str(noted)},
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        assert eventually(lambda: len(pids_in(noted)) >= 2)
        killed = time.monotonic()
        ours.send_signal(number)
        assert ours.wait(timeout=SECONDS) == -number
        assert eventually(lambda: not of_session(ours.pid))
        assert time.monotonic() - killed < AT_ONCE
    finally:
        ours.kill()
    assert said.read_text() == ""


def test_who_starts_after_its_parent_has_ended_ends_too() -> None:
    parent = subprocess.Popen(["true"])
    parent.wait()
    script = (
        "import time; from auditor.runs.parent import end_with_parent; "
        f"end_with_parent({parent.pid}); time.sleep(600)"
    )
    code = subprocess.run([sys.executable, "-c", script], timeout=SECONDS, check=False).returncode
    assert code == -signal.SIGKILL


# ------------------------------------------------------------------------------- the subreaper


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -SEGV $$"], -signal.SIGSEGV),
        (["sh", "-c", "kill -KILL $$"], -signal.SIGKILL),
    ],
)
def test_a_subreaper_ends_as_its_program_does(arguments: list[str], code: int) -> None:
    kept = Kept(arguments)
    assert kept.popen.wait(timeout=SECONDS) == code
    kept.stop()


@pytest.mark.parametrize(
    ("program", "error"), [("no-such-program", FileNotFoundError), ("/", PermissionError)]
)
def test_what_cannot_be_started_is_an_error(program: str, error: type[OSError]) -> None:
    with pytest.raises(error):
        Kept([program])


@pytest.mark.parametrize(
    "script",
    ["setsid sh -c 'echo $$ > pid; exec sleep 1000' & sleep 0.5", "echo $$ > pid; exec sleep 1000"],
    ids=["program", "subreaper"],
)
def test_what_is_started_ends_with_its_program_and_with_its_subreaper(
    script: str, tmp_path: Path, gone: Any
) -> None:
    noted = tmp_path / "pid"
    kept = Kept(["sh", "-c", script], cwd=tmp_path)
    assert eventually(lambda: bool(pids_in(noted)))
    if "setsid" in script:  # leaves the group of its program, which ends
        assert kept.popen.wait(timeout=SECONDS) == 0
    else:
        kept.popen.kill()
    assert gone(pids_in(noted))
    kept.stop()


WORKER = """
import socket
import cloudpickle
from auditor.runs.processes import serve
from auditor.runs.wire import send
ours, theirs = socket.socketpair()
send(ours.fileno(), cloudpickle.dumps(("hold", None)))
ours.close()
serve(theirs.fileno())
"""


def test_a_worker_that_nobody_waits_for_ends_without_a_word() -> None:
    ended = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr == ""
