"""Checks asked for in words: what is loaded, what is found, and what bad input is named."""

from __future__ import annotations

import json
import operator
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.checking import own_process
from auditor.checking import request as requests
from auditor.checking.loading import (
    as_array,
    carry_out,
    load_callable,
    load_domain,
    load_pair,
    require_kind,
)
from auditor.checking.own_process import carry_out_safely, check_safely
from auditor.checking.request import Request, longest
from auditor.core.errors import InputError, InternalError
from auditor.core.neighbours import Ball, Box, Counts, Integers, Table
from auditor.runs import target
from auditor.runs.target import Named

# every process that runs a mechanism loads its file, so what loads slowly is in another one
MECHANISMS = """
import os, time
import numpy as np

def fine(data, rng):
    print("chatter")
    return np.mean(data) + rng.laplace(scale=0.05)

def wrong(data, rng):
    return np.mean(data) + rng.laplace(scale=0.01)

def released(data, ledger):
    return ledger.laplace(np.mean(data), sensitivity=0.05, scale=0.05)

def batch(data, rng, size):
    return np.mean(data) + rng.laplace(scale=0.05, size=size)

def unnamed(data, x):
    return float(x.laplace())

def forgets(data, rng):
    np.mean(data) + rng.laplace(scale=0.05)

async def later(data, rng):
    return np.mean(data) + rng.laplace(scale=0.05)

def raises(data, rng):
    raise KeyError("no such column")

def hangs(data, rng):
    open(os.environ["HUNG"], "w").write(str(os.getpid()))
    while True:
        time.sleep(1)

def dies(data, rng):
    os._exit(3)
"""

DATA = """
import numpy as np
from hypothesis import strategies as st
from auditor.core.neighbours import Box

def pair():
    other = np.zeros(20)
    other[0] = 1.0
    return np.zeros(20), other

def no_pair():
    return 3

def failing_pair():
    raise OSError("gone")

pairs = st.just(pair())
unit = Box((), 0.0, 1.0)
trade_off = lambda x: np.maximum.reduce([0 * x, 1 - np.e * x, (1 - x) / np.e])
"""

SAME_FOR_EVERY_SEED = """
import json, random, sys
for line in sys.stdin:
    size = json.loads(line)["size"]
    rng = random.Random(0)
    print(json.dumps({"outputs": [rng.random() for _ in range(size)]}), flush=True)
"""


@pytest.fixture
def path(tmp_path: Path, data: str) -> str:
    file = tmp_path / "mechanisms.py"
    file.write_text(MECHANISMS)
    return str(file)


@pytest.fixture
def data(tmp_path: Path) -> str:
    file = tmp_path / "data.py"
    file.write_text(DATA)
    return str(file)


def request_for(path: str, name: str, **others: Any) -> Request:
    options = {"epsilon": 1.0, "samples": 2000, **others.pop("options", {})}
    return Request(
        target=f"{path}:{name}",
        pair_from=others.pop("pair_from", f"{Path(path).with_name('data.py')}:pair"),
        options=options,
        **others,
    )


@pytest.mark.slow
def test_targets_of_every_kind(path: str) -> None:
    assert carry_out(request_for(path, "fine")).status == "holds"
    assert carry_out(request_for(path, "wrong")).status == "violated"
    assert carry_out(request_for(path, "batch", options={"batched": True})).status == "holds"
    found = carry_out(request_for(path, "released"))
    assert found.status == "holds"
    assert found.questions
    as_rng = carry_out(request_for(path, "unnamed", kind="rng"))
    assert as_rng.status == "holds"
    with pytest.raises(InputError, match=r"takes \(data, x\).*--kind"):
        carry_out(request_for(path, "unnamed"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_what_shows_nothing_does_not_hold(path: str) -> None:
    found = carry_out(request_for(path, "forgets"))
    assert found.status == "inconclusive"
    assert "every run returned None" in found.summary
    with pytest.raises(InputError, match="returned a coroutine, which is code yet to run"):
        carry_out(request_for(path, "later"))


def test_a_program_that_answers_alike_for_every_seed_does_not_hold(tmp_path: Path) -> None:
    program = tmp_path / "same.py"
    program.write_text(SAME_FOR_EVERY_SEED)
    pair = tmp_path / "pair.json"
    pair.write_text("[[0, 1], [0, 0]]")
    request = Request(
        command=f"{sys.executable} {program}",
        pair_file=str(pair),
        options={"epsilon": 1.0, "samples": 2000},
    )
    found = carry_out(request)
    assert found.status == "inconclusive"
    assert "come back for every seed" in found.summary


@pytest.mark.slow
def test_claims_in_other_currencies(path: str, data: str) -> None:
    def ask(claims: dict[str, Any]) -> Any:
        return carry_out(
            request_for(path, "batch", claims=claims, options={"epsilon": None, "batched": True})
        )

    # a Laplace mechanism of epsilon 1: 0.5-zCDP, and mu-GDP for mu somewhat above 1
    assert ask({"rho": 0.5, "mu": None}).claim == "0.5-zCDP"
    assert ask({"mu": 1.5}).claim == "1.5-Gaussian DP"
    assert ask({"renyi": (2.0, 1.0)}).claim == "(2, 1)-Renyi DP"
    assert ask({"trade_off": f"{data}:trade_off"}).status == "holds"
    with pytest.raises(InputError, match="one claim, not --rho and --mu"):
        ask({"rho": 0.5, "mu": 1.0})
    with pytest.raises(InputError, match="alpha"):
        ask({"renyi": (0.5, 1.0)})
    with pytest.raises(InputError, match="say what is claimed: --epsilon"):
        ask({})


@pytest.mark.slow
def test_where_data_sets_come_from(path: str, data: str, tmp_path: Path) -> None:
    assert carry_out(request_for(path, "wrong", pair_from=f"{data}:pairs")).status == "violated"
    wide = Request(
        target=f"{path}:wrong",
        domain=f"{data}:unit",
        options={"epsilon": 1.0, "samples": 4000, "n": 20},
    )
    assert carry_out(wide).status == "violated"
    file = tmp_path / "pair.json"
    file.write_text(json.dumps([[0.0] * 20, [1.0] + [0.0] * 19]))
    from_file = Request(
        target=f"{path}:wrong", pair_file=str(file), options={"epsilon": 1.0, "samples": 2000}
    )
    assert carry_out(from_file).status == "violated"
    for request in (
        Request(target=f"{path}:wrong", options={"epsilon": 1.0}),
        Request(
            target=f"{path}:wrong",
            domain="scalar:0,1",
            pair_file="x.json",
            options={"epsilon": 1.0},
        ),
    ):
        with pytest.raises(InputError, match="give the data sets"):
            carry_out(request)
    for request in (Request(), Request(target="a:b", command="c")):
        with pytest.raises(InputError, match="either TARGET"):
            carry_out(request)


def test_domains_in_words(data: str, tmp_path: Path) -> None:
    assert load_domain("scalar:0,2") == Box((), 0.0, 2.0)
    assert load_domain("box:3,-1,1") == Box((3,), -1.0, 1.0)
    assert load_domain("l2:4,2") == Ball(4, 2.0)
    assert load_domain("l1:4,2") == Ball(4, 2.0, norm=1)
    assert load_domain("linf:2,3") == Box((2,), -3.0, 3.0)
    assert load_domain("binary:5") == Integers((5,))
    assert load_domain("counts:3,9") == Counts(3, 9)
    assert load_domain(f"{data}:unit") == Box((), 0.0, 1.0)
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,x\n2,y\n")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "broken.csv").write_text("a,b\n1,x\n2,y,z\n")
    assert isinstance(load_domain(f"table:{table}"), Table)
    for words, message in (
        ("scalar:0", "no domain; known"),
        ("scalar:a,b", "no domain; known"),
        ("l2:1", "no domain; known"),
        ("l2:1000001,1", "at most 1000000, got 1e"),
        ("counts:1000001,3", "at most 1000000, got 1e"),
        ("counts:3,1000001", "at most 1000000, got 1e"),
        ("nonsense", r"not package\.module:callable"),
        (f"{data}:pair", "no Domain and no Hypothesis strategy"),
        ("table:missing.csv", "missing.csv cannot be read as a table: there is no such file$"),
        (f"table:{tmp_path / 'empty.csv'}", "empty.csv cannot be read as a table: it is empty$"),
        (f"table:{tmp_path / 'broken.csv'}", "broken.csv cannot be read as a table: Error token"),
    ):
        with pytest.raises(InputError, match=message):
            load_domain(words)


def load_table(path: str) -> Any:
    return load_domain(f"table:{path}")


def test_pairs_from_files(tmp_path: Path) -> None:
    data, other = np.zeros(4), np.ones(4)
    np.save(tmp_path / "pair.npy", np.stack([data, other]))
    (tmp_path / "pair.json").write_text(json.dumps([data.tolist(), other.tolist()]))
    for name in ("pair.npy", "pair.json"):
        first, second = load_pair(Request(pair_file=str(tmp_path / name)))
        np.testing.assert_array_equal(first, data)
        np.testing.assert_array_equal(second, other)


def test_data_sets_that_look_like_arrays_become_arrays() -> None:
    assert isinstance(as_array([1, 2]), np.ndarray)
    assert as_array([[1.5], [2.5]]).shape == (2, 1)
    for other in (["a"], [[1], [2, 3]], {"a": 1}, 3, "text", [None]):
        assert as_array(other) is other


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("pair.json", b"{", r" cannot be read: it is no JSON, line 1, column 2: "),
        ("pair.json", b" \n", " cannot be read: it is empty$"),
        ("pair.json", b"[[1], [\xff]]", " cannot be read: it is no text in UTF-8$"),
        ("pair.json", b"[" * 100_000, " cannot be read: it is nested too deeply$"),
        ("pair.json", b"[[1, 2]]", "two data sets"),
        ("pair.json", b'{"a": 1}', "two data sets"),
        ("pair.npy", b"nonsense", " cannot be read: it is no array as numpy.save writes it$"),
        ("pair.npy", b"", " cannot be read: it is empty$"),
        ("pair.csv", b"1,2", r"must be a \.json or \.npy"),
        ("pair.json", None, " cannot be read: there is no such file$"),
        ("pair.npy", None, " cannot be read: there is no such file$"),
    ],
)
def test_bad_pair_files(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load_pair(Request(pair_file=str(file)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("load", [lambda p: load_pair(Request(pair_file=p)), load_table])
@pytest.mark.parametrize("name", ["x.json", "x.npy", "x.csv"])
def test_what_is_no_file_is_not_read(tmp_path: Path, load: Callable[[str], Any], name: str) -> None:
    folder, device = tmp_path / f"folder-{name}", tmp_path / f"device-{name}"
    folder.mkdir()
    device.symlink_to(os.devnull)  # it ends at once; others never do
    for path, words in ((folder, "it is a folder"), (device, "it is no regular file")):
        with pytest.raises(InputError, match=f"{name} cannot be read.*: {words}$"):
            load(str(path))


def test_a_file_that_may_not_be_read_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: Any, **__: Any) -> str:  # root may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", forbidden)
    (tmp_path / "pair.json").touch()
    with pytest.raises(InputError, match=r"pair\.json cannot be read: permission denied$"):
        load_pair(Request(pair_file=str(tmp_path / "pair.json")))


def test_bad_pair_callables(data: str) -> None:
    for name, message in (("no_pair", "two data sets"), ("failing_pair", "OSError: gone")):
        with pytest.raises(InputError, match=message):
            load_pair(Request(pair_from=f"{data}:{name}"))


def test_callables(tmp_path: Path) -> None:
    path = tmp_path / "random.py"
    path.write_text("class A:\n    def f(data, rng): return 7\n")
    assert load_callable(f"{path}:A.f")(None, None) == 7
    assert load_callable("math:sqrt")(4) == 2
    (tmp_path / "broken.py").write_text("1/0")
    for name, message in (
        ("math", r"not package\.module:callable"),
        ("math:nothing", "has no 'nothing'"),
        ("math:pi", "math:pi is no callable"),
        ("no_such_module_here:f", "importing no_such_module_here failed"),
        (f"{tmp_path}/no.py:f", "no file"),
        (f"{tmp_path}/broken.py:f", "ZeroDivisionError"),
    ):
        with pytest.raises(InputError, match=message):
            load_callable(name)


def test_the_second_argument_is_known_by_its_name(path: str) -> None:
    released, unnamed = Named(f"{path}:released"), Named(f"{path}:unnamed")
    assert require_kind(released, None) == "ledger"
    assert require_kind(Named(f"{path}:fine"), None) == "rng"
    assert require_kind(unnamed, "ledger") == "ledger"
    with pytest.raises(InputError, match=r"takes \(data, x\).*--kind"):
        require_kind(unnamed, None)


WRITTEN = """
import functools
def plain(data, /, extra=1, *more, rng, **rest): ...
@functools.cache
def decorated(data, rng): ...
def twice(data, rng): ...
def twice(data, ledger): ...
def rebound(data, rng): ...
rebound = functools.partial(rebound, 1)
if True:
    def inner(data, rng): ...
class Called:
    def __call__(self, data, rng): ...
"""


def test_parameters_are_read_where_the_file_says_them_and_else_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "written.py"
    path.write_text(WRITTEN)
    asked = []
    monkeypatch.setattr(target, "Child", lambda **_: asked.append(1) or 1 / 0)
    assert Named(f"{path}:plain").parameters() == ["data", "extra", "more", "rng", "rest"]
    assert asked == []
    for name in ("decorated", "twice", "rebound", "inner", "Called", "missing"):
        with pytest.raises(ZeroDivisionError):
            Named(f"{path}:{name}").parameters()


@pytest.mark.slow
def test_a_process_of_its_own(
    path: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "pid"
    monkeypatch.setenv("HUNG", str(started))

    def safely(name: str, timeout: float = 120, **options: Any) -> Any:
        asked = request_for(path, name, options={**options, "timeout": timeout})
        return check_safely(asked, limit=longest(asked))

    assert safely("fine", samples=50).samples == 50
    assert "chatter" not in capfd.readouterr().out
    with pytest.raises(InputError, match=r"KeyError: 'no such column' at mechanisms\.py:"):
        safely("raises")
    with pytest.raises(InputError, match=r"ended its process \(exit code 3\)"):
        safely("dies")
    late = safely("hangs", timeout=10)  # imports take long on a busy machine
    assert late.status == "inconclusive"
    assert late.summary.startswith("the timeout of 10 s was over before the outputs could be")
    pid = int(started.read_text())
    _wait_for(lambda: not _alive(pid), 10)
    assert not _alive(pid)


def test_only_the_users_code_is_blamed_on_the_user(path: str, forked: None) -> None:
    asked = request_for(path, "fine")
    with pytest.raises(InternalError, match=r"^TypeError: unsupported operand"):
        carry_out_safely(asked, work=operator.truediv, limit=60)
    with pytest.raises(InputError, match=r"failed with ZeroDivisionError.* at test_loading\.py:"):
        carry_out_safely(asked, work=_divide, limit=60)


def _divide(request: Request, progress: Any) -> float:
    return 1 / 0


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("{purelib}/mine/part.py", True),
        ("{purelib}/numpy/core.py", False),
        ("{stdlib}/json/__init__.py", False),
        (own_process.__file__, False),
        ("<frozen importlib._bootstrap>", False),
        ("/home/me/helpers.py", True),
    ],
)
def test_a_package_that_a_request_names_is_the_users(file: str, named: bool) -> None:
    asked = Request(target="mine.part:f")
    assert own_process._is_named(asked, file.format(**sysconfig.get_paths())) is named


@pytest.mark.parametrize(
    ("loading", "unneeded"),
    [
        (
            "own_process, auditor.checking.witness_file",
            {"scipy", "hypothesis", "reference.privacy"},
        ),
        ("own_process, auditor.runs.sampling", {"scipy", "hypothesis", "reference.privacy"}),
        (
            "own_process, auditor.runs.ledger_adapter",
            {"scipy.stats", "hypothesis", "auditor.checking.check_options"},
        ),
        ("loading", {"dp_accounting"}),
    ],
)
def test_the_processes_of_a_check_load_only_what_they_need(
    loading: str, unneeded: set[str]
) -> None:
    """The command line, the workers, those of a mechanism with a ledger, and the check itself."""
    code = f"import sys, auditor.checking.{loading}; print(*sys.modules, sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "auditor.checking.request" in loaded
    assert not loaded & unneeded


def test_a_target_that_hangs_while_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "GRACE", 0.5)
    file = tmp_path / "stuck.py"
    file.write_text("import time\ntime.sleep(1000)\n")
    asked = request_for(str(file), "f", options={"timeout": 0.5})
    with pytest.raises(InputError, match=r"did not finish within 1.25 s: it hangs"):
        check_safely(asked, limit=longest(asked))


NO_FUNCTIONS = {
    "exits": ("import os; os._exit(0)", r"ended its process \(exit code 0\)"),
    "is_killed": ("import os; os.kill(os.getpid(), 9)", r"ended its process \(signal SIGKILL\)"),
    "direct": (
        "class Direct(BaseException): pass\nraise Direct",
        "importing .* failed with Direct",
    ),
    "bare": ("class mechanism(BaseException): pass", "arguments cannot be inspected"),
}


@pytest.mark.parametrize("name", NO_FUNCTIONS)
def test_a_target_without_a_function_is_bad_input(tmp_path: Path, name: str) -> None:
    code, message = NO_FUNCTIONS[name]
    (tmp_path / f"{name}.py").write_text(code)
    with pytest.raises(InputError, match=message):
        Named(f"{tmp_path / name}.py:mechanism").parameters()


def test_progress_comes_out_of_the_process(path: str, forked: None) -> None:
    told: list[tuple[str, int, int]] = []
    asked = request_for(path, "fine", options={"samples": 400})
    check_safely(
        asked,
        limit=longest(asked),
        progress=lambda *progress: told.append(progress),
    )
    whats = list(dict.fromkeys(what for what, _, _ in told))
    assert whats == [
        "first runs of the mechanism",
        "looking for an event",
        "learning the event",
        "counting the event",
    ]
    assert all(0 <= done <= total for _, done, total in told)
    assert told[-1][2] == 800


def _wait_for(happened: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.1)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIG_DFL)
    except ProcessLookupError:
        return False
    return True
