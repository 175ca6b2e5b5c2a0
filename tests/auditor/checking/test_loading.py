"""Checks asked for in words: what is loaded, what is found, and what bad input is named."""

from __future__ import annotations

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
from hypothesis.strategies import SearchStrategy

from auditor.checking import own_process
from auditor.checking import request as requests
from auditor.checking.loading import (
    as_array,
    load_callable,
    load_claim,
    load_domain,
    load_mechanism,
    load_pair,
    load_pairs,
    require_kind,
    run_request,
)
from auditor.checking.own_process import answer_safely, run_safely
from auditor.checking.request import Request, longest
from auditor.checking.result import CheckResult
from auditor.core.errors import InputError, InternalError
from auditor.core.neighbours import Ball, Box, Counts, Integers, Table
from auditor.runs import target
from auditor.runs.target import Named
from reference.privacy.guarantees import ZCDP, GaussianDP, RenyiDP

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

def unnamed(data, x):
    return float(x.laplace())

def raises(data, rng):
    raise KeyError("no such column")

def hangs(data, rng):
    open(os.environ["HUNG"], "w").write(str(os.getpid()))
    while True:
        time.sleep(1)

def dies(data, rng):
    os._exit(3)

class A:
    def f(data, rng): return 7
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

# parameters are read where the file says them; any other is looked up
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

FILES = {
    "mechanisms.py": MECHANISMS,
    "data.py": DATA,
    "written.py": WRITTEN,
    "broken.py": "1/0",
    "stuck.py": "import time\ntime.sleep(1000)\n",
    "exits.py": "import os; os._exit(0)",
    "is_killed.py": "import os; os.kill(os.getpid(), 9)",
    "direct.py": "class Direct(BaseException): pass\nraise Direct",
    "bare.py": "class f(BaseException): pass",
    "table.csv": "a,b\n1,x\n2,y\n",
    "broken.csv": "a,b\n1,x\n2,y,z\n",
    "empty.csv": "",
    "pair.json": "[[0, 0], [1, 0]]",
    "brace.json": "{",
    "blank.json": " \n",
    "deep.json": "[" * 100_000,
    "one.json": "[[1, 2]]",
    "object.json": '{"a": 1}',
    "words.npy": "nonsense",
    "empty.npy": "",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("loading")
    for name, text in FILES.items():
        (made / name).write_text(text)
    (made / "latin.json").write_bytes(b"[[1], [\xff]]")
    np.save(made / "pair.npy", [[0, 0], [1, 0]])
    for ending in ("json", "npy", "csv"):
        (made / f"folder.{ending}").mkdir()
        (made / f"device.{ending}").symlink_to(os.devnull)  # it ends at once; others never do
    return made


@pytest.fixture(autouse=True)
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def request_for(name: str, **options: Any) -> Request:
    return Request(
        target=f"mechanisms.py:{name}",
        pair_from="data.py:pair",
        options={"epsilon": 1.0, "samples": 2000, **options},
    )


def pair_file(name: str) -> Any:
    return load_pair(Request(pair_file=name))


def pair_from(name: str) -> Any:
    return load_pair(Request(pair_from=name))


def parameters(name: str) -> list[str]:
    return Named(name).parameters()


# ----------------------------------------------------------------------------- what is loaded


def test_claims_in_other_currencies() -> None:
    def claim_of(epsilon: float | None = None, **claims: Any) -> Any:
        return load_claim(Request(claims=claims, options={"epsilon": epsilon})).get("claim")

    assert claim_of(1.0, rho=None) is None
    assert claim_of(rho=0.5, mu=None) == ZCDP(0.5)
    assert claim_of(mu=1.5) == GaussianDP(1.5)
    assert claim_of(renyi=(2.0, 1.0)) == RenyiDP(2.0, 1.0)
    assert claim_of(trade_off="data.py:trade_off")(0.0) == 1
    for claims, message in (
        ({"rho": 0.5, "mu": 1.0}, "one claim, not --rho and --mu"),
        ({"epsilon": 1.0, "trade_off": "a:b"}, "one claim, not --epsilon and --trade-off"),
        ({"renyi": (0.5, 1.0)}, "alpha"),
        ({}, "say what is claimed: --epsilon"),
    ):
        with pytest.raises(InputError, match=message):
            claim_of(**claims)


def test_where_data_sets_come_from() -> None:
    assert isinstance(load_pairs(Request(pair_from="data.py:pairs"))["pair"], SearchStrategy)
    assert load_pairs(Request(domain="data.py:unit")) == {"domain": Box((), 0.0, 1.0)}
    # a program is sent what a JSON file says
    for name, command, kind in (
        ("pair.json", None, np.ndarray),
        ("pair.npy", None, np.ndarray),
        ("pair.json", "cat", list),
    ):
        pair = load_pairs(Request(pair_file=name, command=command))["pair"]
        assert [type(side) for side in pair] == [kind, kind]
        np.testing.assert_array_equal(pair, [[0, 0], [1, 0]])
    for given in ({}, {"domain": "scalar:0,1", "pair_file": "x.json"}):
        with pytest.raises(InputError, match="give the data sets"):
            load_pairs(Request(**given))
    for request in (Request(), Request(target="a:b", command="c")):
        with pytest.raises(InputError, match="either TARGET"):
            load_mechanism(request)


@pytest.mark.parametrize(
    ("words", "domain"),
    [
        ("scalar:0,2", Box((), 0.0, 2.0)),
        ("box:3,-1,1", Box((3,), -1.0, 1.0)),
        ("l2:4,2", Ball(4, 2.0)),
        ("l1:4,2", Ball(4, 2.0, norm=1)),
        ("linf:2,3", Box((2,), -3.0, 3.0)),
        ("binary:5", Integers((5,))),
        ("counts:3,9", Counts(3, 9)),
    ],
)
def test_domains_in_words(words: str, domain: Any) -> None:
    assert load_domain(words) == domain


def test_a_table_and_callables() -> None:
    assert isinstance(load_domain("table:table.csv"), Table)
    assert load_callable("mechanisms.py:A.f")(None, None) == 7
    assert load_callable("math:sqrt")(4) == 2


def test_data_sets_that_look_like_arrays_become_arrays() -> None:
    assert isinstance(as_array([1, 2]), np.ndarray)
    assert as_array([[1.5], [2.5]]).shape == (2, 1)
    for other in (["a"], [[1], [2, 3]], {"a": 1}, 3, "text", [None]):
        assert as_array(other) is other


@pytest.mark.parametrize(
    ("load", "name", "message"),
    [
        (load_domain, "scalar:0", "no domain; known"),
        (load_domain, "scalar:a,b", "no domain; known"),
        (load_domain, "l2:1", "no domain; known"),
        (load_domain, "l2:1000001,1", "at most 1000000, got 1e"),
        (load_domain, "counts:1000001,3", "at most 1000000, got 1e"),
        (load_domain, "counts:3,1000001", "at most 1000000, got 1e"),
        (load_domain, "nonsense", r"not package\.module:callable"),
        (load_domain, "data.py:pair", "no Domain and no Hypothesis strategy"),
        (load_domain, "table:none.csv", "cannot be read as a table: there is no such file$"),
        (load_domain, "table:empty.csv", "cannot be read as a table: it is empty$"),
        (load_domain, "table:broken.csv", "cannot be read as a table: Error token"),
        (load_domain, "table:folder.csv", "cannot be read as a table: it is a folder$"),
        (load_domain, "table:device.csv", "cannot be read as a table: it is no regular file$"),
        (pair_file, "brace.json", "cannot be read: it is no JSON, line 1, column 2: "),
        (pair_file, "blank.json", "cannot be read: it is empty$"),
        (pair_file, "latin.json", "cannot be read: it is no text in UTF-8$"),
        (pair_file, "deep.json", "cannot be read: it is nested too deeply$"),
        (pair_file, "one.json", "two data sets"),
        (pair_file, "object.json", "two data sets"),
        (pair_file, "words.npy", "cannot be read: it is no array as numpy.save writes it$"),
        (pair_file, "empty.npy", "cannot be read: it is empty$"),
        (pair_file, "table.csv", r"must be a \.json or \.npy"),
        (pair_file, "none.json", "cannot be read: there is no such file$"),
        (pair_file, "none.npy", "cannot be read: there is no such file$"),
        (pair_file, "folder.json", "cannot be read: it is a folder$"),
        (pair_file, "folder.npy", "cannot be read: it is a folder$"),
        (pair_file, "folder.csv", "cannot be read: it is a folder$"),
        (pair_file, "device.json", "cannot be read: it is no regular file$"),
        (pair_file, "device.npy", "cannot be read: it is no regular file$"),
        (pair_from, "data.py:no_pair", "two data sets"),
        (pair_from, "data.py:failing_pair", "OSError: gone"),
        (load_callable, "math", r"not package\.module:callable"),
        (load_callable, "math:nothing", "has no 'nothing'"),
        (load_callable, "math:pi", "math:pi is no callable"),
        (load_callable, "no_such_module_here:f", "importing no_such_module_here failed"),
        (load_callable, "none.py:f", "no file"),
        (load_callable, "broken.py:f", "ZeroDivisionError"),
        # these are imported in a process of their own
        (parameters, "exits.py:f", r"its process \(exit code 0\)"),
        (parameters, "is_killed.py:f", r"its process \(signal SIGKILL\)"),
        (parameters, "direct.py:f", "importing .* failed with Direct"),
        (parameters, "bare.py:f", "arguments cannot be inspected"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(
    load: Callable[[str], Any], name: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load(name)
    assert "\n" not in str(caught.value)


def test_a_file_that_may_not_be_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> str:  # root may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", forbidden)
    with pytest.raises(InputError, match=r"pair\.json cannot be read: permission denied$"):
        pair_file("pair.json")


def test_the_second_argument_is_known_by_its_name() -> None:
    released, unnamed = Named("mechanisms.py:released"), Named("mechanisms.py:unnamed")
    assert require_kind(released, None) == "ledger"
    assert require_kind(Named("mechanisms.py:fine"), None) == "rng"
    assert require_kind(unnamed, "ledger") == "ledger"
    with pytest.raises(InputError, match=r"takes \(data, x\).*--kind"):
        require_kind(unnamed, None)


def test_parameters_are_read_where_the_file_says_them_and_else_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    monkeypatch.setattr(target, "Child", lambda **_: asked.append(1) or 1 / 0)
    assert parameters("written.py:plain") == ["data", "extra", "more", "rng", "rest"]
    assert asked == []
    for name in ("decorated", "twice", "rebound", "inner", "Called", "missing"):
        with pytest.raises(ZeroDivisionError):
            parameters(f"written.py:{name}")


# ----------------------------------------------------------------------- in another process


def test_a_request_is_carried_out() -> None:
    assert run_request(request_for("wrong")).status == "violated"
    found = run_request(request_for("released"))
    assert found.status == "holds"
    assert found.questions


def test_a_process_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "pid"
    monkeypatch.setenv("HUNG", str(started))

    def safely(name: str, timeout: float = 120, **options: Any) -> Any:
        asked = request_for(name, **options, timeout=timeout)
        return answer_safely(asked, CheckResult, limit=longest(asked))

    assert safely("fine", samples=50).samples == 50
    assert "chatter" not in capfd.readouterr().out
    with pytest.raises(InputError, match=r"KeyError: 'no such column' at mechanisms\.py:"):
        safely("raises")
    with pytest.raises(InputError, match=r"ended its process \(exit code 3\)"):
        safely("dies")
    late = safely("hangs", timeout=10)  # imports take long on a busy machine
    assert late.status == "inconclusive"
    assert late.summary.startswith("the timeout of 10 s was over before the outputs could be")
    _wait_for_the_end_of(int(started.read_text()), 10)


def _wait_for_the_end_of(pid: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, signal.SIG_DFL)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} goes on")


def test_only_the_users_code_is_blamed_on_the_user(forked: None) -> None:
    asked = request_for("fine")
    with pytest.raises(InternalError, match=r"^TypeError: unsupported operand"):
        run_safely(asked, work=operator.truediv, limit=60)
    with pytest.raises(InputError, match=r"failed with ZeroDivisionError.* at test_loading\.py:"):
        run_safely(asked, work=lambda request, progress: 1 / 0, limit=60)


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


UNNEEDED = {"hypothesis", "reference.privacy", "scipy"}
OPTIONS = "auditor.checking.check_options"


@pytest.mark.parametrize(
    ("loading", "unneeded"),
    [
        ("own_process, auditor.checking.witness_file, auditor.runs.sampling", UNNEEDED),
        ("own_process, auditor.transcript.ledger_adapter", {"scipy.stats", "hypothesis", OPTIONS}),
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


def test_a_target_that_hangs_while_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "GRACE", 0.5)
    asked = Request(target="stuck.py:f", pair_from="data.py:pair", options={"timeout": 0.5})
    with pytest.raises(InputError, match=r"did not finish within 1.25 s: it hangs"):
        answer_safely(asked, CheckResult, limit=longest(asked))
