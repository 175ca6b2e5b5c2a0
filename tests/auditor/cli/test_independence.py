"""``touchstone independence`` and ``check --epsilons``: verdicts, files, refusals in one line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError

from auditor.checking.loading import LISTS
from auditor.suite.store import validate

pytestmark = pytest.mark.usefixtures("forked", "mine")

MINE = """
def shared(data, rng):
    noise = rng.laplace()
    return {"sum": float(sum(data)) + noise, "count": len(data) + noise}

def apart(data, rng):
    return {"sum": float(sum(data)) + rng.laplace(), "count": len(data) + rng.laplace()}

def nothing(data, ledger):
    return [1.0, 2.0]

def lists(data, rng):
    return [data.count(1) + rng.laplace(), rng.laplace()]

def records():
    return [0, 1, 1]

def whatever(data, rng, epsilon):
    return data.sum() + rng.laplace()

def right(data, epsilon, rng):
    return data.sum() + rng.laplace(scale=1 / epsilon)

def released(data, ledger, epsilon):
    return ledger.laplace(float(data.sum()), sensitivity=1.0, scale=1.0)
"""


@pytest.fixture
def mine() -> None:
    """Write ``mine.py``, ``data.json`` and ``pair.json``."""
    Path("mine.py").write_text(MINE)
    Path("data.json").write_text("[0, 1, 1]")
    Path("pair.json").write_text("[[0, 1], [0, 0]]")


ON_DATA = ("--data", "data.json", "--samples", "2000")
SEVERAL = ("--epsilons", "2,0.2", "--pair", "pair.json", "--samples", "4000")


# ---------------------------------------------------------------------------- independence


@pytest.mark.parametrize(
    ("target", "status", "word"),
    [("shared", 1, "violated"), ("apart", 0, "holds"), ("nothing", 4, "inconclusive")],
)
def test_independence_has_a_verdict_and_a_status(
    touchstone: Any, target: str, status: int, word: str
) -> None:
    asked = ("independence", f"mine.py:{target}", *ON_DATA)
    ran = touchstone(*asked)
    assert ran.status == status, ran.err
    assert f" {word}  " in ran.out.splitlines()[0]
    assert ("output['sum'] and output['count'] share their noise" in ran.out) == (status == 1)
    printed = touchstone(*asked, "--format", "json")
    assert printed.status == status
    found = json.loads(printed.out)
    validate(found, "independence")
    assert found["status"] == word
    assert found["headline"] in ran.out
    with pytest.raises(ValidationError):
        validate({**found, "status": "fine"}, "independence")


def test_a_data_set_may_be_returned(touchstone: Any) -> None:
    asked = ("independence", "mine.py:lists", "--samples", "200")
    ran = touchstone(*asked, "--data-from", "mine.py:records")
    assert ran.status == 0, ran.err
    failed = touchstone(*asked, "--data", "data.json").one_line_error()
    assert failed.endswith("; " + LISTS.format("--data"))


# -------------------------------------------------------------------------- several epsilons


def test_every_epsilon_has_its_figures(touchstone: Any) -> None:
    ran = touchstone("check", "mine.py:whatever", *SEVERAL)
    assert ran.status == 1, ran.err
    first, noise = ran.out.splitlines()[:2]
    assert first.endswith("violated  the claim is refuted at epsilon 0.2, and not at 2")
    assert noise.split()[0] == "noise"
    assert "nothing tells the outputs at 0.2 from those at 2" in noise
    assert "violated  at epsilon 0.2: 0.2-DP is refuted" in ran.out
    assert "holds  at epsilon 2: nothing contradicts 2-DP" in ran.out
    printed = touchstone("check", "mine.py:whatever", *SEVERAL, "--format", "json")
    assert printed.status == 1
    found = json.loads(printed.out)
    validate(found, "epsilons")
    assert [one["epsilon"] for one in found["results"]] == [0.2, 2.0]
    assert [one["status"] for one in found["results"]] == ["violated", "holds"]
    for broken in ({"status": "violated"}, {"epsilon": 0.2, "status": "violated"}):
        with pytest.raises(ValidationError):
            validate({**found, "results": [found["results"][0], broken]}, "epsilons")


def test_a_claim_that_holds_at_every_epsilon_has_no_remark(touchstone: Any) -> None:
    ran = touchstone("check", "mine.py:right", *SEVERAL)
    assert ran.status == 0, ran.err
    first, second = ran.out.splitlines()[:2]
    assert first.endswith("holds  nothing contradicts the claim at epsilon 0.2, 2")
    assert "at epsilon 0.2: nothing contradicts 0.2-DP" in second


@pytest.mark.parametrize("target", ["whatever", "released"])
def test_the_smallest_epsilon_that_is_refuted_can_be_shown_again(
    touchstone: Any, target: str
) -> None:
    ran = touchstone("check", f"mine.py:{target}", *SEVERAL, "--witness", "w.json")
    assert ran.status == 1, ran.err
    saved = json.loads(Path("w.json").read_text())
    validate(saved, "witness")
    assert saved["request"]["arguments"] == {"epsilon": 0.2}
    assert saved["request"]["options"]["epsilon"] == 0.2
    again = touchstone("rerun", "w.json", "--yes")
    assert again.status == 0, again.err
    assert "shows again" in again.out


def test_records_that_may_be_real_are_printed_at_no_epsilon(touchstone: Any) -> None:
    Path("table.csv").write_text("wage\n700\n800\n4711\n")
    Path("sums.py").write_text(
        "def total(data, rng, epsilon):\n    return data['wage'].sum() + rng.laplace()\n"
    )
    asked = ("--domain", "table:table.csv", "--records", "2", "--epsilons", "0.5,1")
    ran = touchstone("check", "sums.py:total", *asked, "--samples", "2000", "--format", "json")
    assert ran.status == 1, ran.err
    assert "--witness FILE keeps it" in ran.out
    assert "4711" not in ran.out


REFUSED = """
independence mine.py:apart                               | give the data set: --data FILE or --data
independence mine.py:apart --data data.json --data-from mine.py:records | give the data set: --data
independence mine.py:apart --data data.txt               | must be a .json or .npy file with the
independence mine.py:apart --data none.json              | none.json cannot be read
independence --data data.json                            | give either TARGET
independence mine.py:absent --data data.json             | has no 'absent'
independence mine.py:apart --data data.json --samples 1  | --samples must be
independence mine.py:apart --data-from mine.py:absent    | has no 'absent'
check mine.py:apart --pair pair.json --epsilons 1,2      | takes (data, rng), not 'epsilon'
check mine.py:right --pair pair.json --epsilons 1        | --epsilons must be 2 to 100 numbers
check mine.py:right --pair pair.json --epsilons 1,1      | --epsilons must be different numbers
check mine.py:right --pair pair.json --epsilons 1,-1     | --epsilons must be
check mine.py:right --pair pair.json --epsilons 1,a      | as 0.1,1,10; got '1,a'
check mine.py:right --pair pair.json --epsilons 1,2 --epsilon 1 | not --epsilon and --epsilons
check mine.py:right --pair pair.json --epsilons 1,2 --mu 1 | not --epsilons and --mu
check mine.py:right --epsilons 1,2                       | give the data sets: --pair
check mine.py:right --epsilons 1,2 --argument epsilon=1  | leave out --argument epsilon=...
check --command true --pair pair.json --epsilons 1,2     | --epsilons is for TARGET
"""


@pytest.mark.parametrize("line", [" ".join(line.split()) for line in REFUSED.splitlines() if line])
def test_bad_input_is_one_line(touchstone: Any, line: str) -> None:
    command, _, message = line.partition(" | ")
    assert message in touchstone(*shlex.split(command)).one_line_error()
