"""Witnesses that ``touchstone check`` saves and ``rerun`` shows again; records that nobody sees."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pandas  # noqa: F401 - what every check of a table would load
import pytest

from auditor.cli.check import _without_records
from auditor.core.witness import describe_pair
from auditor.suite.store import validate

pytestmark = pytest.mark.usefixtures("forked")

MECHANISMS = """
import numpy as np

SCALE = 0.4

def noisy(data, rng):
    return float(np.sum(data)) + rng.laplace(scale=SCALE)

def releases(data, ledger):
    return ledger.laplace(float(np.sum(data)), sensitivity=1.0, scale=SCALE)

def pair():
    return np.array([1.0, 0.0]), np.array([0.0, 0.0])
"""


@pytest.mark.parametrize(("name", "shown"), [("noisy", "outputs"), ("releases", "accounting")])
def test_the_printed_command_shows_a_violation_again_whatever_the_seed_and_the_folder(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch, name: str, shown: str
) -> None:
    for folder in ("code", "found"):
        Path(folder).mkdir()
    code = Path("code/mine.py").resolve()
    code.write_text(MECHANISMS)
    asked = ("check", f"code/mine.py:{name}", "--pair-from", "code/mine.py:pair", "--epsilon", "1")
    ran = touchstone(*asked, "--samples", "4000", "--seed", "1", "--witness", "found/it.json")
    assert ran.status == 1
    stored = json.loads(Path("found/it.json").read_text())
    validate(stored, "witness")
    (command,) = re.findall(r"to show it again: touchstone (.*)", ran.err)
    ran = touchstone(*command.split(), "--yes", "--format", "json")
    assert ran.status == 0, ran.err
    printed = json.loads(ran.out)
    validate(printed, "rerun")
    assert printed["shown"] is True
    assert shown in {one["what"] for one in printed["violations"]}
    # the same mechanism, repaired; from another folder
    monkeypatch.chdir("found")
    code.write_text(MECHANISMS.replace("SCALE = 0.4", "SCALE = 1.0"))
    ran = touchstone("rerun", "--yes", "it.json")
    assert ran.status == 1
    assert "does not show again" in ran.out
    assert "printed/accounting" not in ran.out
    assert "one" in touchstone("rerun", "--yes", "it.json", "a/b").one_line_error()
    Path("deeper").mkdir()
    Path("deeper/it.json").write_text(json.dumps(stored))
    assert "no file code/mine.py" in touchstone("rerun", "--yes", "deeper/it.json").one_line_error()
    stored["request"]["folder"] = "gone"
    Path("it.json").write_text(json.dumps(stored))
    lost = touchstone("rerun", "--yes", "it.json").one_line_error()
    assert f"no folder gone, where code/mine.py:{name} was" in lost


def test_rerun_of_a_file_that_is_no_witness_is_one_line(touchstone: Any) -> None:
    assert "no file" in touchstone("rerun", "nothing.json").one_line_error()
    for content, told in (
        ("", "broken.json cannot be read: it is empty"),
        ("{", "broken.json cannot be read: it is no JSON, line 1, column 2: "),
        ("[" * 100_000, "broken.json cannot be read: it is nested too deeply"),
        ("[]", "broken.json is neither a witness"),
        ('{"format": "touchstone-witness/1"}', "broken.json is broken ($: 'request' is a required"),
        ('{"algorithms": {}}', "neither"),  # the summary beside the results
    ):
        Path("broken.json").write_text(content)
        assert told in touchstone("rerun", "broken.json").one_line_error()
    Path("wang-1.json").write_text("{")
    assert "wang-1.json is not a readable result (it is no JSON, line 1, column 2: " in (
        touchstone("rerun", "wang-1.json").one_line_error()
    )
    told = touchstone("rerun", "/dev/null").one_line_error()
    assert told == "touchstone: /dev/null cannot be read: it is no regular file"


# ---------------------------------------------------------------------- records of a table


TABLE = "name,age\nAlice,30\nBob,40\nCarol,55\n"
FAILS_ALWAYS = """
def at_times(data, ledger):
    raise KeyError(str(data))
"""
FAILS = """
import pandas as pd
from auditor.core.neighbours import Table

people = Table(pd.read_csv("people.csv"))

def shows(data, rng):
    return float(data["name"].iloc[0]) + rng.laplace()

def batch(data, rng, size):
    raise KeyError(str(data))

def releases(data, ledger):
    return ledger.laplace(float(data["name"].iloc[0]), sensitivity=1.0, scale=1.0)

def at_times(data, ledger):
    if data["name"].iloc[0] > "B" or len(data) < 1:
        raise ValueError(data.to_dict())  # in one line, for the first is what could be shown
    return ledger.laplace(float(data["age"].sum()), sensitivity=1.0, scale=1.0)

def ages(data, rng):
    return float(data["age"].sum()) + rng.laplace()

def first(data, rng):
    return float(data[0]) + rng.laplace()
"""


@pytest.fixture
def check(touchstone: Any) -> Any:
    """Return what checks a mechanism on the records of a table."""
    Path("fails.py").write_text(FAILS)
    Path("people.csv").write_text(TABLE)

    def run(*mechanism: str, domain: str = "table:people.csv") -> Any:
        asked = ("check", *mechanism, "--domain", domain, "--epsilon", "1")
        return touchstone(*asked, "--samples", "128", "--witness", "w.json")

    return run


def require_no_records(*texts: str) -> None:
    assert not re.search("Alice|Bob|Carol", " ".join(texts))


@pytest.mark.parametrize("name", ["shows", "batch", "releases"])
def test_an_error_does_not_quote_the_records_of_a_table(check: Any, name: str) -> None:
    ran = check(f"fails.py:{name}", *(["--batched", "--kind", "rng"] * (name == "batch")))
    assert "of records that are not shown" in ran.one_line_error()
    assert re.search(r"fails\.py:\d+", ran.err)
    require_no_records(ran.err)


def test_records_of_a_table_are_not_printed(touchstone: Any, check: Any) -> None:
    ran = check("fails.py:at_times")
    assert ran.status == 1
    require_no_records(ran.out, ran.err)
    witness = Path("w.json").read_text()  # as asked for: whichever of the two was found
    assert '"Bob"' in witness or '"Carol"' in witness
    again = touchstone("rerun", "--yes", "w.json")
    assert again.status == 0, again.out
    assert again.out.count("shows again") > 1
    assert " fresh runs on D, 0 of " in again.out
    Path("fails.py").write_text(FAILS.replace("def at_times", "def old") + FAILS_ALWAYS)
    said = touchstone("rerun", "--yes", "w.json").one_line_error()
    assert "which may quote records, is not shown) at fails.py:" in said
    require_no_records(said)


PROGRAMS = """
import json, random, sys
for line in sys.stdin:
    asked = json.loads(line)
    data, rng, kind = asked["data"], random.Random(asked["seed"]), sys.argv[1]
    if kind == "dies":
        sys.exit(f"no {data}")
    if kind == "refuses" or (kind == "at_times" and max(data["name"]) > "Alice"):
        answer = {"error": f"no {data}"}
    elif kind == "chats":
        answer = data
    else:
        answer = {"outputs": [rng.gauss(0, 1) for _ in range(asked["size"])]}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("dies", "exit code 1; its last words, which may quote records, are not shown"),
        ("refuses", "error: (its text, which may quote records, is not shown)"),
        ("chats", "the program answered (its text, which may quote records, is not shown) to"),
        ("at_times", "raised error: (its text, which may quote records, is not shown): "),
    ],
)
def test_programs_do_not_quote_the_records_of_a_table(
    touchstone: Any, check: Any, kind: str, words: str
) -> None:
    Path("programs.py").write_text(PROGRAMS)
    command = shlex.join([sys.executable, "programs.py", kind])
    for form in ("text", "json")[: 1 + (kind == "at_times")]:  # an error has one form
        ran = check("--command", command, "--format", form)
        assert words in ran.out + ran.err
        assert ran.status == (1 if kind == "at_times" else 2)
        require_no_records(ran.out, ran.err)
    if kind == "at_times":
        again = touchstone("rerun", "--yes", "w.json")
        assert again.status == 0, again.out
        require_no_records(again.out, again.err)


def test_a_table_that_code_names_is_not_printed(check: Any) -> None:
    for domain in ("table:people.csv", "fails.py:people"):
        ran = check("fails.py:ages", "--format", "json", domain=domain)
        assert ran.status == 1
        assert json.loads(ran.out)["witness"]["D"] == {"text": "not shown; --witness FILE keeps it"}
        require_no_records(ran.out, ran.err)
    made_up = json.loads(check("fails.py:first", "--format", "json", domain="scalar:0,9").out)
    assert "text" not in made_up["witness"]["D"]


def test_the_record_of_a_long_data_set_is_not_printed_either() -> None:
    long, other = [["Alice"]] * 10_000, [["Alice"]] * 9_999 + [["Carol"]]
    for pair in ((long, other), (long[:2], other[-2:])):
        described = describe_pair(pair, len(pair[0]) - 1)
        assert "Alice" in str(described)
        require_no_records(str(_without_records({"questions": [{"witness": described}]})))
