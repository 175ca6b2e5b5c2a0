"""The audit on a Dask cluster: a scheduler and workers that are processes of their own."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor.core.case import Case
from auditor.core.errors import InputError
from auditor.core.verdict import QUESTIONS, Verdict
from auditor.suite import cluster, keys, task
from auditor.suite import run as suite
from auditor.suite.algorithms import known
from auditor.suite.run import AuditProgress
from auditor.suite.store import Settings, Store

pytest.importorskip("distributed", reason="needs Dask: pip install 'dp-touchstone[cluster]'")

REPOSITORY = Path(__file__).parents[3]

# What the workers import: three algorithms, and questions that only sleep and say who answers.
FAKE_MODULE = """
    import os
    import time
    from pathlib import Path

    import numpy as np

    from auditor.core.case import Case, Form
    from auditor.core.verdict import Verdict
    from auditor.suite import run as suite
    from reference.privacy.guarantees import PureDP

    LOG = Path(__file__).with_name("asked.log")


    def build(name):
        form = Form(None, PureDP(1.0), (np.zeros(3), np.ones(3)), 0, {})
        return Case(name, {"corrected": form, "printed": form})


    def fake_1():
        return build("fake-1")


    def fake_2():
        return build("fake-2")


    def fake_3():
        return build("fake-3")


    FAKES = {"fake-1": fake_1, "fake-2": fake_2, "fake-3": fake_3}


    def ask(case, unit, context, runs):
        if unit.id == "deadly":
            os._exit(3)
        with LOG.open("a") as log:
            log.write(f"{os.getpid()} begin {unit.id}\\n")
            log.flush()
            time.sleep(0.03)
            log.write(f"{os.getpid()} end {unit.id}\\n")
        draw = context.at(unit.question).rng().random()
        return Verdict(unit.question, "holds", "fine", evidence={"draw": draw})


    def deadly():
        return build("deadly")
"""

FAKE_QUESTIONS = """
    import cluster_fakes
    from auditor.suite import task

    task.ask = cluster_fakes.ask
"""

OLD_NUMPY = """
    from auditor.suite import keys

    own = keys._libraries()
    keys._libraries = lambda: tuple("numpy 1.0" if x.startswith("numpy ") else x for x in own)
"""


OWN_CASES = """
    from auditor import Case, Entry, Model, Relation
    from cluster_fakes import build

    RELATION = Relation.REPLACE_ONE
    ENTRIES = (Entry("own-1", "Own", (), Model.CENTRAL, RELATION, "1-DP", "none", build),)


    def own_1():
        return build("own-1")


    CASES = {"own-1": own_1}
"""


@dataclass(frozen=True)
class Worker:
    """A worker, which is one process."""

    process: subprocess.Popen[bytes]
    address: str

    @property
    def pid(self) -> str:
        """As it writes it down."""
        return str(self.process.pid)


class Cluster:
    """A scheduler and workers, which end with the test that starts them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        self._number = 0
        log = folder / "scheduler.log"
        # in another folder and with no search path: it needs no auditor
        self.scheduler = self._start("scheduler", ["--port", "0"], log, folder / "nowhere", "")
        self.address = _seen(log, r"Scheduler at: +(tcp://\S+)", self.scheduler)

    def _start(
        self, kind: str, options: list[str], log: Path, folder: Path, path: str
    ) -> subprocess.Popen[bytes]:
        folder.mkdir(exist_ok=True)
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *options]
        with log.open("wb") as file:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path},
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        self._started.append(process)
        return process

    def worker(self, *preloaded: str, threads: int = 1, code: Path | None = None) -> Worker:
        """Start a worker, with modules of ``code`` and preloaded scripts; wait until it is in."""
        code = code or self.folder
        self._number += 1
        number = self._number
        log = self.folder / f"worker-{number}.log"
        options = [self.address, "--nthreads", str(threads), "--no-nanny"]
        for count, text in enumerate(preloaded):
            script = code / f"preload_{number}_{count}.py"
            script.write_text(textwrap.dedent(text))
            options += ["--preload", str(script)]
        path = os.pathsep.join(map(str, (code, REPOSITORY)))
        process = self._start("worker", options, log, self.folder / "nowhere", path)
        _seen(log, r"Registered to: +(tcp://\S+)", process)
        return Worker(process, _seen(log, r"Start worker at: +(tcp://\S+)", process))

    @property
    def log(self) -> Path:
        """The file in which the workers write down what they are asked."""
        return self.folder / "asked.log"

    def asked(self) -> list[list[str]]:
        """Return what the workers wrote down: process, "begin" or "end", algorithm."""
        return [line.split() for line in self.log.read_text().splitlines()]

    def end(self, keep: int = 0) -> None:
        while len(self._started) > keep:
            process = self._started.pop()
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()


def _seen(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    """Return what a process says, when it says it."""
    end = time.monotonic() + 600  # a busy machine starts a worker slowly
    while time.monotonic() < end and process.poll() is None:
        found = re.search(pattern, log.read_text())
        if found is not None:
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"no {pattern!r} in {log.read_text()}")


@pytest.fixture(scope="module")
def scheduled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "cluster_fakes.py").write_text(textwrap.dedent(FAKE_MODULE))
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(folder)
        forget()
        started = Cluster(folder)
        yield started
        started.end()
    forget()


@pytest.fixture
def dask(scheduled: Cluster) -> Iterator[Cluster]:
    """Give a test the scheduler without a worker."""
    scheduled.log.unlink(missing_ok=True)
    yield scheduled
    scheduled.end(keep=1)


def forget() -> None:
    sys.modules.pop("cluster_fakes", None)
    keys._path.cache_clear()


def fakes() -> dict[str, Callable[[], Case]]:
    import cluster_fakes  # type: ignore[import-not-found]

    table: dict[str, Callable[[], Case]] = cluster_fakes.FAKES
    return table


def audit_fakes(dask: Cluster, store: Store, **options: Any) -> None:
    suite.audit(list(fakes()), Settings(), store, cases=fakes(), scheduler=dask.address, **options)


def edited(tmp_path: Path) -> Path:
    """Return a folder with another version of the module of the cases."""
    folder = tmp_path / "edited"
    folder.mkdir()
    text = textwrap.dedent(FAKE_MODULE).replace('"fine"', '"edited"')
    (folder / "cluster_fakes.py").write_text(text)
    return folder


def local(dask: Cluster, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the results of a run in this process, which leaves no trace in what was asked."""
    import cluster_fakes

    with monkeypatch.context() as patched:
        patched.setattr(task, "ask", cluster_fakes.ask)
        suite.audit(list(fakes()), Settings(), Store(folder), cases=fakes())
    dask.log.unlink()
    return folder


def assert_same(one: Path, other: Path) -> None:
    for name in fakes():
        assert (one / f"{name}.json").read_bytes() == (other / f"{name}.json").read_bytes()


# -------------------------------------------------------------------------- who answers


def test_one_worker_with_one_thread_does_all_that_it_can(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.5)
    path = tmp_path / "own folder" / "own_cases.py"
    path.parent.mkdir()
    path.write_text(textwrap.dedent(OWN_CASES))
    workers: list[Worker] = []
    lines: list[str] = []

    def warn(line: str) -> None:
        lines.append(line)
        workers.append(dask.worker(FAKE_QUESTIONS))

    audit_fakes(dask, Store(tmp_path / "there"), warn=warn)
    (line,) = lines
    assert f"no worker at {dask.address}; waiting" in line
    asked = dask.asked()
    assert {process for process, *_ in asked} == {workers[0].pid}
    assert len(asked) == 2 * 3 * (2 * len(QUESTIONS) - 3)
    assert_same(tmp_path / "there", local(dask, tmp_path / "local", monkeypatch))

    # it finds what is given as a file
    monkeypatch.setattr(sys, "path", list(sys.path))
    try:
        own = known([path])
        more = {"cases": own.cases, "folders": own.folders, "scheduler": dask.address}
        found = suite.audit(["own-1"], Settings(), Store(tmp_path / "own"), **more)
    finally:
        sys.modules.pop("own_cases", None)
    assert {name for *_, name in dask.asked()} == {"own-1"}
    forms = found["own-1"].forms.values()
    assert {v.status for form in forms for v in form.verdicts.values()} == {"holds"}
    dask.log.unlink()

    # it has loaded the module, and lives on after an edit
    module = dask.folder / "cluster_fakes.py"
    now, later = module.stat().st_mtime, time.time() + 10
    os.utime(module, (later, later))
    with pytest.raises(InputError, match=r"machine: cluster_fakes \(edited since the worker start"):
        audit_fakes(dask, Store(tmp_path / "there"), fresh=True)
    os.utime(module, (now, now))
    assert not dask.log.exists()

    # a task that ends its workers is one line
    import cluster_fakes

    tried(dask, 0)
    with pytest.raises(InputError, match=r"ended several workers .* run the same command to go on"):
        suite.audit(
            ["deadly"],
            Settings(),
            Store(tmp_path / "there"),
            cases={"deadly": cluster_fakes.deadly},
            scheduler=dask.address,
        )
    tried(dask, 3)


def tried(dask: Cluster, failures: int) -> None:
    """Let the scheduler give a task up that has ended more workers than this."""
    from distributed import Client

    with Client(dask.address) as client:
        client.run_on_scheduler(
            lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", failures)
        )


# ------------------------------------------------------------------------ other code


def test_a_worker_with_other_code_is_refused_by_name_also_if_it_comes_late(
    dask: Cluster, tmp_path: Path
) -> None:
    store = Store(tmp_path / "there")
    first = dask.worker(FAKE_QUESTIONS)
    late: list[Worker] = []

    def replace_worker(progress: AuditProgress) -> None:
        if progress.resumed and not late:
            first.process.send_signal(signal.SIGSTOP)
            late.append(dask.worker(FAKE_QUESTIONS, OLD_NUMPY, code=edited(tmp_path)))
            first.process.kill()

    with pytest.raises(InputError, match="run the same command to go on") as caught:
        audit_fakes(dask, store, progress=replace_worker)
    _require_names(str(caught.value), late[0])
    kept = store.load_all(("fake-1", "fake-2", "fake-3"))
    assert 1 <= len(kept) < 3
    summaries = {
        v.summary for r in kept.values() for f in r.forms.values() for v in f.verdicts.values()
    }
    assert summaries == {"fine"}

    # now it is the only one, and is refused before it is asked anything
    log = tmp_path / "edited" / "asked.log"
    time.sleep(1)  # the unit that it was at takes 0.03 seconds
    asked = log.read_text()
    with pytest.raises(InputError) as caught:
        audit_fakes(dask, Store(tmp_path / "again"))
    _require_names(str(caught.value), late[0])
    assert log.read_text() == asked


def _require_names(refusal: str, worker: Worker) -> None:
    """Check that a refusal names the worker, the library and the module that are others there."""
    start, end = refusal.split("1.0 instead of ")
    assert start == f"worker {worker.address} has other code than this machine: numpy "
    assert ", cluster_fakes; install the same there" in end


# -------------------------------------------------------------------------------- deaths


def test_a_killed_worker_changes_nothing_and_a_lost_scheduler_loses_nothing(
    dask: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    alone = local(dask, tmp_path / "local", monkeypatch)
    one, other = dask.worker(FAKE_QUESTIONS), dask.worker(FAKE_QUESTIONS, threads=4)
    lines: list[str] = []

    def kill_worker(progress: AuditProgress) -> None:
        if progress.done == 1:
            one.process.kill()

    audit_fakes(dask, Store(tmp_path / "there"), progress=kill_worker, warn=lines.append)
    assert one.process.wait() == -signal.SIGKILL
    asked = dask.asked()
    assert {process for process, *_ in asked} == {one.pid, other.pid}
    assert_same(tmp_path / "there", alone)
    # limits on linear algebra's threads and mpmath's precision belong to a whole process
    steps = [what for process, what, _ in asked if process == other.pid]
    assert steps == ["begin", "end"] * (len(steps) // 2)
    (line,) = lines
    assert "3 threads of the cluster stay idle" in line

    store = Store(tmp_path / "again")

    def kill_scheduler(progress: AuditProgress) -> None:
        if progress.resumed:
            dask.scheduler.kill()
            dask.scheduler.wait()

    capfd.readouterr()
    with pytest.raises(InputError) as caught:
        audit_fakes(dask, store, progress=kill_scheduler)
    assert str(caught.value).startswith(f"the Dask scheduler at {dask.address} is lost (")
    assert str(caught.value).endswith("finished work is kept, run the same command to go on")
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
    finished = set(store.load_all(("fake-1", "fake-2", "fake-3")))
    assert 1 <= len(finished) < 3

    import cluster_fakes

    again: list[str] = []

    def ask(case: Case, *rest: Any) -> Verdict:
        again.append(case.id)
        verdict: Verdict = cluster_fakes.ask(case, *rest)
        return verdict

    monkeypatch.setattr(task, "ask", ask)
    suite.audit(list(fakes()), Settings(), store, cases=fakes())
    assert set(again) == set(fakes()) - finished
    assert_same(store.folder, alone)


def test_no_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:1", "banana"):
        with pytest.raises(InputError, match=f"no Dask scheduler answers at {address} "):
            suite.audit(["diss-5.1.30"], Settings(), Store(tmp_path), scheduler=address)
